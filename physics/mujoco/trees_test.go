package mujoco

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// urdfOf returns a robot in URDF. A link is "name size" or "name", and stands in the origin with a box of that size; a
// joint is "parent child" and moves, or "parent=child" and does not.
func urdfOf(links, joints []string) string {
	text := `<robot name="r">`
	for _, link := range links {
		name, size, shaped := strings.Cut(link, " ")
		text += `<link name="` + name + `">`
		if shaped {
			text += `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
				<collision><geometry><box size="` + size + ` ` + size + ` ` + size + `"/></geometry></collision>`
		}
		text += `</link>`
	}
	for _, joint := range joints {
		parent, child, moves := strings.Cut(joint, " ")
		kind := "revolute"
		if !moves {
			parent, child, _ = strings.Cut(joint, "=")
			kind = "fixed"
		}
		text += `<joint name="j` + child + `" type="` + kind + `"><parent link="` + parent + `"/><child link="` + child +
			`"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>`
	}
	return text + `</robot>`
}

// TestFixedLinks has robots in URDF whose links all overlap: what moves does not touch the links that are fixed to the
// world and on which it hangs, and touches all others but its parent.
func TestFixedLinks(t *testing.T) {
	for _, c := range []struct {
		links, joints    []string
		free             bool
		bodies, contacts string
		trees            string // of the robot, by name
	}{
		{[]string{"base .5", "a .4", "b .3"}, []string{"base a", "a b"}, false, "base a b", "b-base floor-a floor-b", "base"},
		{[]string{"base", "mount .5", "a .4", "b .3"}, []string{"base=mount", "base a", "mount b"}, false, "base mount b a",
			"a-b floor-a floor-b", "base"},
		{[]string{"base", "mount .5", "shelf .6", "a .4"}, []string{"base=mount", "mount=shelf", "mount a"}, false,
			"base mount shelf a", "floor-a", "base"},
		// nothing collides that is fixed: its links are the world's
		{[]string{"palm", "left .2", "right .3"}, []string{"palm left", "palm right"}, false, "left right",
			"floor-left floor-right left-right", "left right"},
		{[]string{"base .5", "a .4", "b .3"}, []string{"base a", "a b"}, true, "base a b",
			"b-base floor-a floor-b floor-base", "base"},
	} {
		s := scene.Default()
		s.Models = []scene.Model{{File: "r.urdf", Free: c.free}}
		s.Floor = scene.Yes
		m := mustCompile(t, map[string]string{"r.urdf": urdfOf(c.links, c.joints)}, s)
		d := m.Describe()
		var bodies, touching, trees []string
		for _, b := range d.Bodies[1:] {
			bodies = append(bodies, b.Name)
		}
		name := func(geom int) string {
			if body := d.Geoms[geom].Body; body > 0 {
				return d.Bodies[body].Name
			}
			return d.Geoms[geom].Name
		}
		row := make([]float64, m.StateSize())
		m.InitialState(row)
		for _, contact := range polytest.Must(m.Contacts(row))(t) {
			pair := []string{name(contact.Geoms[0]), name(contact.Geoms[1])}
			slices.SortFunc(pair, func(a, b string) int {
				if a == "floor" || b != "floor" && a < b {
					return -1
				}
				return 1
			})
			touching = append(touching, strings.Join(pair, "-"))
		}
		slices.Sort(touching)
		for _, root := range d.Trees(0) {
			trees = append(trees, d.Bodies[root].Name)
		}
		if got := strings.Join(bodies, " "); got != c.bodies {
			t.Errorf("%v %v: bodies are %s, want %s", c.links, c.joints, got, c.bodies)
		}
		if got := strings.Join(slices.Compact(touching), " "); got != c.contacts {
			t.Errorf("%v %v: contacts are %s, want %s", c.links, c.joints, got, c.contacts)
		}
		if got := strings.Join(trees, " "); got != c.trees {
			t.Errorf("%v %v: trees are %s, want %s", c.links, c.joints, got, c.trees)
		}
	}
}

// TestTrees: what belongs to a robot is what is driven, what follows that and, of a robot that moves freely, nothing else.
func TestTrees(t *testing.T) {
	body := func(name, joint, inner string) string {
		if joint != "" {
			joint = `<` + joint + `/>`
		}
		return `<body name="` + name + `">` + joint + `<geom name="` + name + `" size=".1"/><site name="` + name + `"/>` +
			inner + `</body>`
	}
	hinge := func(name string) string { return `joint name="` + name + `" axis="0 0 1"` }
	motor := func(names ...string) (text string) {
		for _, name := range names {
			text += `<motor joint="` + name + `"/>`
		}
		return `<actuator>` + text + `</actuator>`
	}
	for _, c := range []struct{ world, rest, want string }{
		{body("cube", "freejoint", "") + body("left", hinge("l"), "") + body("right", hinge("r"), ""), motor("r", "l"),
			"[left right]"},
		{body("left", hinge("l"), "") + body("door", hinge("d"), "") + body("right", hinge("r"), ""), motor("l") +
			`<equality><joint joint1="r" joint2="l"/></equality>`, "[left right]"},
		{body("door", hinge("d"), "") + body("trunk", "freejoint", body("leg", hinge("l"), "")), motor("d", "l"), "[trunk]"},
		{body("left", hinge("l"), "") + body("right", hinge("r"), "") + body("cube", "freejoint", ""), "", "[left right]"},
		{body("cube", "freejoint", "") + body("drone", "freejoint", ""), `<actuator><motor site="drone" gear="0 0 1 0 0 0"/>
			</actuator>`, "[drone]"},
		{body("cube", "freejoint", ""), "", "[cube]"},
		{body("post", "", ""), "", "[]"},
	} {
		s := scene.Default()
		s.Models = []scene.Model{{File: "r.xml"}}
		m := mustCompile(t, map[string]string{"r.xml": `<mujoco><worldbody>` + c.world + `</worldbody>` + c.rest +
			`</mujoco>`}, s)
		d, names := m.Describe(), []string{}
		for _, root := range d.Trees(0) {
			names = append(names, d.Bodies[root].Name)
		}
		if got := fmt.Sprint(names); got != c.want {
			t.Errorf("%s%s: the trees are %s, want %s", c.world, c.rest, got, c.want)
		}
	}
}
