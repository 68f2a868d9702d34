package terms_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestBaseOfFixedRobot has the base of a robot that is fixed to the world stay where it is as its first joint turns.
func TestBaseOfFixedRobot(t *testing.T) {
	const link = `<body name="link" pos="0 0 .3"><joint name="pan" axis="0 0 1"/><geom size=".05"/>
		<body name="hand" pos=".4 0 .1"><joint name="lift" axis="0 1 0"/><geom size=".05"/></body></body>`
	identity := func(p []float64) []float64 { return p }
	for name, c := range map[string]struct {
		worldbody string
		toBase    func(p []float64) []float64
	}{
		"a link that turns": {link, identity},
		"a stand": {`<body name="stand" pos="1 2 0" quat="1 0 0 1"><geom size=".1"/>` + link + `</body>`,
			func(p []float64) []float64 { return []float64{p[1] - 2, 1 - p[0], p[2]} }},
		"a plate on a stand": {`<body name="stand" pos="1 2 0" quat="1 0 0 1"><geom size=".1"/>
			<body name="plate" pos="0 0 .5"><geom size=".1"/>` + link + `</body></body>`,
			func(p []float64) []float64 { return []float64{p[1] - 2, 1 - p[0], p[2] - 0.5} }},
		"a passive turntable": {`<body name="stand" pos="0 0 .1"><joint name="free" axis="0 0 1" stiffness="1"/>
			<geom size=".1"/>` + link + `</body>`, identity},
		"a fused link of URDF": {"", identity},
	} {
		model := `<mujoco><option gravity="0 0 0"/><worldbody>` + c.worldbody + `</worldbody>
			<actuator><position joint="pan" kp="100"/><position joint="lift" kp="100"/></actuator></mujoco>`
		if c.worldbody == "" {
			model = urdfArm
		}
		e := open(t, env.OpenOptions{Workers: 1}, model, `start: {joints: {pan: 1, lift: 0.5}}
actions: [{term: joint_position}]
commands: [{name: target, term: uniform_pose, body: hand, pos_x: [0.3, 0.3], pos_y: [0.2, 0.2], pos_z: [0.5, 0.5]}]
observations:
  policy: [{name: inside, term: body_pose_b, bodies: [hand]}, {name: outside, term: body_pose_w, bodies: [hand]}]
rewards: [{name: error, term: position_command_error_tanh, command: target, std: 0.4, weight: 50}]
`, "scene.actuators=[{joints: [.*], kp: 100, kd: 20, replace: true}]")
		e.Sim().Actions()[0] = 1
		step(t, e)
		values := observed(e, 0, "")
		inside, outside := values[:3], values[7:10]
		if want := c.toBase(outside); !closeness(inside, want, 1e-9) {
			t.Errorf("%s: the hand is at %v in the frame of the base, want %v", name, inside, want)
		}
		d := []float64{inside[0] - 0.3, inside[1] - 0.2, inside[2] - 0.5}
		want := 1 - math.Tanh(math.Sqrt(d[0]*d[0]+d[1]*d[1]+d[2]*d[2])/0.4)
		if got := e.Sim().Rewards()[0]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: the reward of the hand's place is %v, want %v", name, got, want)
		}
		if math.Abs(outside[1]) < 0.1 {
			t.Errorf("%s: the hand is at %v, want the pan to be turned", name, outside)
		}
	}
}

const inertial = `<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>`

// urdfArm is an arm whose base has no shape, so that it is fused into the world.
const urdfArm = `<robot name="arm"><link name="base">` + inertial + `</link><link name="link">` + inertial + `</link>
	<link name="hand">` + inertial + `</link>
	<joint name="pan" type="revolute"><parent link="base"/><child link="link"/><origin xyz="0 0 .3"/><axis xyz="0 0 1"/>
	<limit lower="-3" upper="3" effort="50" velocity="5"/></joint>
	<joint name="lift" type="revolute"><parent link="link"/><child link="hand"/><origin xyz=".4 0 .1"/><axis xyz="0 1 0"/>
	<limit lower="-3" upper="3" effort="50" velocity="5"/></joint></robot>`

// TestRobotOfSeveralBranches has two fingers of one palm that is fused into the world press on one another, as on a palm
// that is not, and beside a thing that they do not touch.
func TestRobotOfSeveralBranches(t *testing.T) {
	finger := func(name, y, axis string) string {
		return `<link name="` + name + `">` + inertial + `<collision><geometry><box size=".02 .02 .05"/></geometry></collision>
			</link><joint name="` + name + `" type="prismatic"><parent link="palm"/><child link="` + name + `"/>
			<origin xyz="0 ` + y + ` 1"/><axis xyz="0 ` + axis + ` 0"/>
			<limit lower="0" upper=".06" effort="10" velocity="1"/></joint>`
	}
	for _, palm := range []string{"", `<collision><geometry><box size=".01 .01 .01"/></geometry></collision>`} {
		model := `<robot name="gripper"><link name="palm">` + inertial + palm + `</link>` + finger("l", "0.05", "-1") +
			finger("r", "-0.05", "1") + `</robot>`
		const task = `actions: [{term: joint_position, scale: 0.06}]
observations: {policy: [{name: q, expr: joint_pos}]}
rewards: [{term: self_collision_cost, threshold: 0.1, weight: 50}]
`
		overrides := []string{"scene.physics={gravity: [0, 0, 0]}",
			"scene.actuators=[{joints: [.*], type: position, kp: 100, kd: 20}]"}
		e := open(t, env.OpenOptions{Workers: 1}, model, task, overrides...)
		step(t, e)
		if got := e.Sim().Rewards()[0]; got != 0 {
			t.Errorf("fingers that are apart cost %v, want 0", got)
		}
		for range 40 {
			copy(e.Sim().Actions(), []float32{1, 1})
			step(t, e)
		}
		if got := e.Sim().Rewards()[0]; got != 10 { // all substeps
			t.Errorf("fingers that press on one another cost %v, want 10", got)
		}
		momentum := slices.Concat(overrides, []string{"rewards=[{term: angular_momentum_penalty, weight: 1}]"})
		err := refusal(t, model, task, momentum...)
		if palm == "" {
			polytest.ErrorContains(t, err, "rewards[0].body: not given, and the robot hangs on the world by several bodies, l, r")
		} else {
			polytest.NoError(t, err)
		}
		polytest.NoError(t, refusal(t, model, task, append(momentum, fmt.Sprintf("rewards=[{term: angular_momentum_penalty, "+
			"weight: 1, body: %s}]", "l"))...))
	}
}

// TestMotionRobot: a reference motion moves all that hangs on a free base, or all branches of a robot that is fixed.
func TestMotionRobot(t *testing.T) {
	part := func(name, joint, inner string) string {
		return `<body name="` + name + `"><` + joint + `/><geom size=".1"/>` + inner + `</body>`
	}
	hinge := func(name string) string { return `joint name="` + name + `" axis="0 0 1"` }
	left, right := part("left", hinge("l"), ""), part("right", hinge("r"), part("tip", hinge("t"), ""))
	cube := part("cube", "freejoint", "")
	const motors = `</worldbody><actuator><motor joint="l"/><motor joint="r"/></actuator></mujoco>`
	for _, c := range []struct{ model, want string }{
		{cube + left + right, "[{left -1} {right -1} {tip 1}] l0 r1 t2"},
		{cube + part("trunk", "freejoint", left+right), "[{trunk -1} {left 0} {right 0} {tip 2}] l1 r2 t3"},
		{part("post", `site name="s"`, right) + left, "[{post -1} {right 0} {tip 1} {left -1}] r1 t2 l3"},
	} {
		cfg := polytest.Must(parse(t, `<mujoco><worldbody>`+c.model+motors, "actions: [{term: joint_effort}]\n"+
			"observations: {policy: [{term: joint_pos_rel}]}\n"))(t)
		r := polytest.Must(env.OpenRobot(t.Context(), cfg))(t)
		got := fmt.Sprint(r.Bodies)
		for _, j := range r.Joints {
			got += fmt.Sprint(" ", j.Name, j.Body)
		}
		if got != c.want {
			t.Errorf("%s: the motion moves %s, want %s", c.model, got, c.want)
		}
		polytest.NoError(t, r.Model.Close())
	}
}

// TestWrenchOfTurningBody has a mass on a turning arm, whose hinge pulls along the arm as the arm was when it pulled, at
// any length of a substep.
func TestWrenchOfTurningBody(t *testing.T) {
	const model = `<mujoco><option timestep="0.01"/><worldbody><body name="hub" pos="0 0 1"><joint name="h" axis="0 0 1"/>
		<geom size=".02" mass=".1"/><body name="arm"><joint name="j" axis="0 0 1"/><geom size=".02" pos=".1 0 0" mass="1"/>
		</body></body></worldbody><actuator><motor name="h" joint="h"/></actuator></mujoco>`
	e := open(t, env.OpenOptions{Workers: 1}, model, `
bindings: [{name: physics, substeps: 2}]
actions: [{term: joint_effort}]
observations: {policy: [{term: body_incoming_wrench, bodies: [arm]}]}
events: [{term: reset_joints_by_offset, velocity_range: [10, 10]}]
`[1:])
	want := []float64{-10, 0, 9.81, 0, -0.981, 0} // m·ω²·r inwards, and the weight with its torque about the hinge
	for n := range 20 {
		step(t, e)
		if got := observed(e, 0, ""); !closeness(got, want, 1e-9) {
			t.Fatalf("after %d steps the wrench is %v, want %v", n+1, got, want)
		}
	}
}
