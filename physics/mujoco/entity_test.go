package mujoco

import (
	"fmt"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// arm is a robot of two bodies, with a geom of the world.
const arm = `<mujoco><worldbody><geom name="plate" type="box" size="1 1 .1" pos="0 0 -.1"/>
<body name="link"><joint name="turn" axis="0 0 1"/><geom name="rod" type="capsule" size=".02 .1"/>
<site name="tip"/></body></worldbody><actuator><motor name="turn" joint="turn"/></actuator></mujoco>`

// TestEntities: what each model brings belongs to its entity, and what has no name to the robot.
func TestEntities(t *testing.T) {
	s := scene.Default()
	s.Models = []scene.Model{
		{File: "arm.xml", Name: "left"},
		{File: "arm.xml", Prefix: "b_", Position: [3]float64{1, 0, 0}},
		{Name: "ball", Shape: scene.Shape{Type: "sphere", Size: []float64{0.1}, Color: []float64{1, 0, 0, 1}}, Free: true},
		{File: "arm.xml", Prefix: "r_", Name: "right", Position: [3]float64{2, 0, 0}},
		{Name: "table", Shape: scene.Shape{Type: "box", Size: []float64{1, 1, 0.1}}, Position: [3]float64{0, 0, -1}},
	}
	friction, none, rolling := []float64{0.5}, 0, 6
	s.Collisions = []scene.Collision{{Geoms: []string{"r_rod"}, Friction: friction, ConType: &none},
		{Geoms: []string{".*rod"}, Friction: []float64{0.7, 0.01}, ConDim: &rolling}}
	m := mustCompile(t, map[string]string{"arm.xml": arm}, s)
	d := m.Describe()
	got := fmt.Sprint(d.Entities)
	for _, b := range d.Bodies {
		got += fmt.Sprint(" ", b.Ref, b.Entity)
	}
	for _, j := range d.Joints {
		got += fmt.Sprint(" ", j.Ref, j.Entity)
	}
	for _, g := range d.Geoms {
		got += fmt.Sprint(" ", g.Ref, g.Entity)
	}
	for _, g := range d.Sites {
		got += fmt.Sprint(" ", g.Ref, g.Entity)
	}
	for _, a := range d.Actuators {
		got += fmt.Sprint(" ", a.Ref, a.Entity)
	}
	want := "[left ball right table] world0 link0 b_link0 ball1 r_link2 table3 turn0 b_turn0 ball1 r_turn2 " +
		"plate0 b_plate0 r_plate2 floor0 rod0 b_rod0 ball1 r_rod2 table3 tip0 b_tip0 r_tip2 turn0 b_turn0 r_turn2"
	if got != want {
		t.Errorf("entities are\n%s, want\n%s", got, want)
	}
	for name, friction := range map[string]string{"rod": "[0.7 0.01 0.0001]", "r_rod": "[0.5 0.01 0.0001]",
		"plate": "[1 0.005 0.0001]"} {
		if got := fmt.Sprint(polytest.Must(m.Nominal("geom_friction/" + name))(t)); got != friction {
			t.Errorf("friction of %s is %s, want %s", name, got, friction)
		}
	}
}

// TestCollisionsOfGeomsWithoutAName: they are addressed by their numbers in the compiled scene, as everywhere.
func TestCollisionsOfGeomsWithoutAName(t *testing.T) {
	const sled = `<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
		<body name="sled"><freejoint/><geom name="top" size=".1"/><geom size=".2"/>
			<body><joint name="j"/><geom size=".3"/></body></body><geom size=".4"/></worldbody></mujoco>`
	s := scene.Settings{Models: []scene.Model{{File: "sled.xml"}, {File: "sled.xml", Prefix: "b_"},
		{Name: "ball", Shape: scene.Shape{Type: "sphere", Size: []float64{0.5}}, Free: true}}, Floor: scene.Yes}
	for _, c := range []struct {
		collisions []scene.Collision
		want       string // friction and condim of those that differ
	}{
		{nil, ""},
		{[]scene.Collision{{Geoms: []string{".*"}, Friction: []float64{0}}},
			"#0 0 3 #1 0 3 #2 0 3 #3 0 3 top 0 3 #6 0 3 #7 0 3 b_top 0 3 #9 0 3 #10 0 3 ball 0 3"},
		{[]scene.Collision{{Geoms: []string{"#.*"}, Friction: []float64{0}}},
			"#0 0 3 #1 0 3 #2 0 3 #3 0 3 #6 0 3 #7 0 3 #9 0 3 #10 0 3"},
		// the first that gives a value counts
		{[]scene.Collision{{Geoms: []string{"#6", "b_top"}, Friction: []float64{0.5}}, {Geoms: []string{"#.*"},
			Friction: []float64{0}, ConDim: new(4)}, {Geoms: []string{"#[67]"}, ConDim: new(6), Friction: []float64{2}}},
			"#0 0 4 #1 0 4 #2 0 4 #3 0 4 #6 0.5 4 #7 0 4 b_top 0.5 3 #9 0 4 #10 0 4"},
	} {
		s.Collisions = c.collisions
		m := mustCompile(t, map[string]string{"sled.xml": sled}, s)
		got := ""
		for i, g := range m.Describe().Geoms {
			friction, condim := number(m.c.geom_friction, 3*i), id(m.c.geom_condim, i)
			if friction != 1 || condim != 3 {
				got += fmt.Sprint(" ", g.Ref, " ", friction, " ", condim)
			}
		}
		if got = strings.TrimPrefix(got, " "); got != c.want {
			t.Errorf("%+v changes\n%s, want\n%s", c.collisions, got, c.want)
		}
	}
	s.Collisions = []scene.Collision{{Geoms: []string{"#4"}}}
	_, err := compileFiles(t, map[string]string{"sled.xml": sled}, s)
	polytest.ErrorContains(t, err, `scene.collisions[0].geoms[0]: unknown geom "#4"`)
}

// TestNumbersOfSensorsAndKeyframes: those without a name go by their numbers, too.
func TestNumbersOfSensorsAndKeyframes(t *testing.T) {
	m := mustCompile(t, map[string]string{"arm.xml": `<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body>
		</worldbody><sensor><jointpos joint="j"/></sensor><keyframe><key qpos=".5"/></keyframe></mujoco>`}, scene.Settings{
		Models: []scene.Model{{File: "arm.xml"}}})
	row := make([]float64, m.StateSize())
	polytest.NoError(t, m.Keyframe("#0", row))
	if q := polytest.Must(m.Field("joint/j/position"))(t).In(row); q[0] != 0.5 {
		t.Errorf("the joint is at %v in keyframe #0, want 0.5", q)
	}
	polytest.Must(m.Probe("sensor/#0"))(t)
}
