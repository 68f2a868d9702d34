package mujoco

import (
	"fmt"
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
