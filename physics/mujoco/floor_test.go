package mujoco

import (
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

// TestFloors: what something can stand on is a floor, which a terrain takes the place of; walls and what collides with
// nothing are none. Notes say what was found.
func TestFloors(t *testing.T) {
	const ball = `<body name="ball" pos="0 0 2"><freejoint/><geom name="ball" size=".1"/></body>`
	pit := terrain.Settings{Rows: 1, Columns: 1, Kinds: []terrain.SubTerrain{{Kind: "pyramid_stairs_inv"}}}
	for name, c := range map[string]struct {
		world, more string
		turned      float64 // roll of the model
		auto        string  // geoms with floor: auto, besides the ball, and notes
		terrain     string  // geoms that are left on a terrain, and notes
	}{
		"none":    {"", "", 0, "floor", ""},
		"plane":   {`<geom name="ground" type="plane" size="5 5 .1"/>`, "", 0, "ground", "; takes the place of geom ground"},
		"unnamed": {`<geom type="plane" size="5 5 .1"/>`, "", 0, "#0", "; takes the place of geom without a name of"},
		"slope": {`<geom name="g" type="plane" size="5 5 .1" zaxis="1 0 1.5"/>`, "",
			0, "g", "; takes the place of geom g of"},
		"wall":    {`<geom name="wall" type="plane" size="5 5 .1" zaxis="1 0 0"/>`, "", 0, "wall floor", "wall"},
		"ceiling": {`<geom name="top" type="plane" size="5 5 .1" euler="180 0 0"/>`, "", 0, "top floor", "top"},
		"laid wall": {`<body euler="0 90 0"><frame euler="0 0 90"><frame euler="90 0 0"><geom name="g" type="plane"
			size="5 5 .1" zaxis="0 0 -1"/></frame></frame></body>`, "", 0, "g", "; takes the place of geom g of"},
		"turned": {`<geom name="wall" type="plane" size="5 5 .1" zaxis="0 0 1"/>`, "", 1.57, "wall floor", "wall"},
		"visual": {`<geom name="look" type="plane" size="5 5 .1" contype="0" conaffinity="0"/>`, "", 0,
			"look floor; a plane at z = 0 is added, since geom look",
			"look; geom look of scene.models[1], which collides with nothing, stays"},
		"pair": {`<geom name="g" type="plane" size="5 5 .1" contype="0" conaffinity="0"/>`,
			`<contact><pair geom1="g" geom2="ball"/></contact>`, 0, "g", "; takes the place of geom g of"},
		"field": {`<geom name="hills" type="hfield" hfield="hills"/>`, `<asset><hfield name="hills" nrow="2" ncol="2"
			size="5 5 1 1" elevation="0 1 1 0"/></asset>`, 0, "hills", "; takes the place of geom hills"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"robot.xml": `<mujoco><worldbody>` + ball + `</worldbody></mujoco>`,
				"floor.xml": `<mujoco><worldbody>` + c.world + strings.ReplaceAll(ball, "ball", "other") + `</worldbody>` +
					strings.ReplaceAll(c.more, "ball", "other") + `</mujoco>`}
			s := scene.Settings{Models: []scene.Model{{File: "robot.xml"}, {File: "floor.xml", Rotation: [3]float64{c.turned}}}}
			for _, want := range []string{c.auto, c.terrain} {
				m := mustCompile(t, files, s)
				var found []string
				for _, g := range m.Describe().Geoms {
					if !strings.HasPrefix(g.Ref, "terrain_") && g.Name != "ball" && g.Name != "other" {
						found = append(found, g.Ref)
					}
				}
				geoms, note, _ := strings.Cut(want, "; ")
				if got := strings.Join(found, " "); got != geoms {
					t.Errorf("geoms %s, want %s", got, geoms)
				}
				notes := strings.Join(m.Notes(), "\n")
				if !strings.Contains(notes, note) || (note == "") != (notes == "") {
					t.Errorf("notes %q, want %q", notes, note)
				}
				s.Terrain = pit
			}
		})
	}
	_, err := compileFiles(t, map[string]string{"robot.xml": oneLeg}, scene.Settings{
		Models: []scene.Model{{File: "robot.xml"}}, Floor: scene.Yes, Terrain: pit})
	polytest.ErrorContains(t, err, "scene.floor is true beside terrain, want auto or false")
	_, err = compileFiles(t, map[string]string{"robot.xml": `<mujoco><worldbody>
		<geom name="ground" type="plane" size="1 1 1"/>
		` + ball + `</worldbody><sensor><contact geom1="ground" geom2="ball"/></sensor></mujoco>`}, scene.Settings{
		Models: []scene.Model{{File: "robot.xml"}}, Terrain: pit})
	polytest.ErrorContains(t, err, "'ground' of sensorized object; scene.terrain takes the place of geom ground")
}
