package mujoco

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// TestDescribeGeometry checks what a kinematic tree is built from, on a pendulum whose
// numbers can be computed by hand.
func TestDescribeGeometry(t *testing.T) {
	m := mustCompile(t, map[string]string{"pendulum.xml": `<mujoco>
		<worldbody>
			<body name="arm" pos="0 0 2">
				<joint name="pivot" axis="0 1 0" pos="0 0 .5" armature=".25"/>
				<inertial pos="0 0 -.5" mass="2" diaginertia="1 1 1"/>
				<geom name="bob" type="box" size=".1 .2 .3" pos="0 0 -1" quat="0 0 1 0"/>
			</body>
		</worldbody>
	</mujoco>`}, scene.Settings{Models: []scene.Model{{File: "pendulum.xml"}}, Floor: scene.No})
	d := m.Describe()
	if got, want := d.Bodies[1].Centre, [3]float64{0, 0, -.5}; got != want {
		t.Errorf("the centre of mass is %v, want %v", got, want)
	}
	j := d.Joints[0]
	if want := [3]float64{0, 0, .5}; j.Anchor != want {
		t.Errorf("the anchor is %v, want %v", j.Anchor, want)
	}
	// the moment of inertia, the mass at 1 m from the pivot, the armature
	if want := 1 + 2*1*1 + .25; math.Abs(j.Inertia-want) > 1e-12 {
		t.Errorf("the inertia at the joint is %v kg·m², want %v", j.Inertia, want)
	}
	g := d.Geoms[0]
	if g.Quaternion != [4]float64{0, 0, 1, 0} || g.BoxCentre != [3]float64{} || g.BoxSize != [3]float64{.1, .2, .3} {
		t.Errorf("the geom is turned by %v with a box of %v at %v", g.Quaternion, g.BoxSize, g.BoxCentre)
	}
}
