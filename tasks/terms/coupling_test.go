package terms_test

import (
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
)

// TestCouplings: joints that the model couples begin where their driver has them, after start.joints and after events.
func TestCouplings(t *testing.T) {
	const finger = `<body><joint name="NAME" axis="1 0 0" range="-3 3" armature="1"/>
		<geom type="box" size=".01 .01 .08" mass=".1" contype="0" conaffinity="0"/></body>`
	chain := `<mujoco><compiler angle="radian"/><worldbody>`
	for _, name := range strings.Fields("a b c d e lock") {
		chain += strings.ReplaceAll(finger, "NAME", name)
	}
	chain = strings.Replace(chain, `name="b"`, `name="b" ref=".1"`, 1) + `</worldbody><equality>
		<joint joint1="c" joint2="b" polycoef="0 -1 0 0 0"/>
		<joint joint1="b" joint2="a" polycoef=".2 2 0 0 0"/>
		<joint joint1="d" joint2="a" polycoef="0 0 1 0 0"/>
		<joint joint1="e" joint2="a" polycoef="0 9 0 0 0" active="false"/>
		<joint joint1="lock" polycoef=".3 0 0 0 0"/></equality>
		<actuator><position name="a" joint="a" kp="20"/><position name="c" joint="c" kp="20"/></actuator></mujoco>`
	urdf := `<robot name="hand"><link name="palm"/>`
	for _, name := range strings.Fields("left right") {
		mimic := ""
		if name == "right" {
			mimic = `<mimic joint="left" multiplier="-2" offset=".1"/>`
		}
		urdf += `<link name="` + name + `"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
			iyz="0"/></inertial></link><joint name="` + name + `" type="revolute"><parent link="palm"/><child link="` + name +
			`"/><axis xyz="1 0 0"/><limit lower="-3" upper="3" effort="9" velocity="9"/>` + mimic + `</joint>`
	}
	urdf += `</robot>`
	const task = `observations: {policy: [{expr: joint_pos, name: q}]}
actions: [{term: joint_position, joints: [a, c]}]
`
	reset := func(joints, position, velocity string) string {
		return "events=[{term: reset_joints_by_offset, joints: [" + joints + "], position_range: [" + position +
			"], velocity_range: [" + velocity + "]}]"
	}
	const added = `scene.actuators=[{joints: [left], kp: 20}]`
	for _, c := range []struct {
		model, sets string
		q, v        []float64
	}{
		{chain, "start.joints={}", []float64{0, 0.3, -0.2, 0, 0, 0.3}, make([]float64, 6)},
		{chain, "start.joints={a: 0.5}", []float64{0.5, 1.3, -1.2, 0.25, 0, 0.3}, make([]float64, 6)},
		// from the other end, as far as couplings are linear
		{chain, "start.joints={c: -1.2}", []float64{0.5, 1.3, -1.2, 0.25, 0, 0.3}, make([]float64, 6)},
		{chain, "start.joints={d: 1}", []float64{0, 0.3, -0.2, 0, 0, 0.3}, make([]float64, 6)},
		{chain, "start.joints={a: 0.5, b: 0}", []float64{0.5, 1.3, -1.2, 0.25, 0, 0.3}, make([]float64, 6)},
		{chain, "start.joints={a: 0.4}; " + reset("a", "0.1, 0.1", "1, 1"), []float64{0.5, 1.3, -1.2, 0.25, 0, 0.3},
			[]float64{1, 2, -2, 1, 0, 0}},
		{chain, "start.joints={a: 0.4}; " + reset("c", "-0.2, -0.2", "0, 0"), []float64{0.5, 1.3, -1.2, 0.25, 0, 0.3},
			make([]float64, 6)},
		{chain, "start.joints={a: 0.5}; events=[{term: joint_default_pos, joints: [b], ranges: [0.05, 0.05]}]",
			[]float64{0.5, 1.35, -1.2, 0.25, 0, 0.3}, make([]float64, 6)},
		{urdf, added + "; actions=[{term: joint_position}]; start.joints={left: 0.5}", []float64{0.5, -0.9},
			make([]float64, 2)},
		{urdf, added + "; actions=[{term: joint_position}]", []float64{0, 0.1}, make([]float64, 2)},
	} {
		e := open(t, env.OpenOptions{Workers: 1}, c.model, task, strings.Split(c.sets, "; ")...)
		for world := range 2 {
			if got := stateOf(t, e, world, "qpos"); !closeness(got, c.q, 1e-9) {
				t.Errorf("%s: world %d begins at %v, want %v", c.sets, world, got, c.q)
			}
			if got := stateOf(t, e, world, "qvel"); !closeness(got, c.v, 1e-9) {
				t.Errorf("%s: world %d begins with velocities %v, want %v", c.sets, world, got, c.v)
			}
		}
		step(t, e)
		for i, v := range stateOf(t, e, 0, "qvel") {
			if math.Abs(v-c.v[i]) > 0.3 {
				t.Errorf("%s: joint %d is pulled to a velocity of %v", c.sets, i, v)
			}
		}
	}
}
