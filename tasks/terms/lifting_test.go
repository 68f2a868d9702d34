package terms_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestYamLiftsByHand: an open gripper goes down over the cube, closes and brings it to the target. So gripper, contacts
// and inverse kinematics let a policy do the task.
func TestYamLiftsByHand(t *testing.T) {
	if _, err := os.Stat("../../third_party/robots/mjlab"); err != nil {
		t.Skip("no third_party/robots/mjlab; the set-up of the tests, or cmake -P third_party/robots.cmake, unpacks it")
	}
	const worlds = 8
	c := polytest.Must(configs.Load("../../configs/described/yam_lift_cube.yaml",
		[]string{fmt.Sprint("worlds=", worlds), "seed=7"}, nil))(t)
	e := polytest.Must(env.Open(c, env.OpenOptions{}))(t)
	defer func() { polytest.NoError(t, e.Close()) }()
	for n := range 119 { // at 20 Hz
		for w := range worlds {
			to, grip := observed(e, w, "ee_to_object"), float32(1)
			switch {
			case n < 30:
				to[2] += 0.06
			case n >= 64:
				to = observed(e, w, "object_to_goal")
			}
			if n >= 52 {
				grip = -1
			}
			a := e.Sim().Actions()[w*4 : w*4+4]
			for i, x := range to {
				a[i] = float32(min(max(x/0.1, -1), 1))
			}
			a[3] = grip
		}
		step(t, e)
	}
	for w := range worlds {
		if got := infoOf(t, e, w, "command/lift_height/episode_success"); got != 1 {
			t.Errorf("world %d: the cube is %v from its target", w, observed(e, w, "object_to_goal"))
		}
	}
}

// infoOf returns an info of a world.
func infoOf(t *testing.T, e *env.Env, world int, name string) float64 {
	t.Helper()
	names := e.Sim().Spec().InfoNames
	for i, have := range names {
		if have == name {
			return e.Sim().Infos()[world*len(names)+i]
		}
	}
	t.Fatalf("no info %s among %v", name, names)
	return 0
}

// reach is where the end effector of the bench's arm is, its rotation and its Jacobian by the two joints.
func reach(yaw, lift float64) (at [3]float64, r [3][3]float64, jacobian [2][6]float64) {
	sy, cy := math.Sincos(yaw)
	sl, cl := math.Sincos(lift)
	out, up := 0.2+0.2*cl, -0.2*sl
	at = [3]float64{cy * out, sy * out, 0.3 + up}
	r = [3][3]float64{{cy * cl, -sy, cy * sl}, {sy * cl, cy, sy * sl}, {-sl, 0, cl}}
	return at, r, [2][6]float64{{-at[1], at[0], 0, 0, 0, 1}, {cy * up, sy * up, -0.2 * cl, -sy, cy, 0}}
}

// TestLiftingAgainstFormulas: command, observations, rewards and infos of a cube, from the state.
func TestLiftingAgainstFormulas(t *testing.T) {
	e := openBench(t, `
commands:
  - {name: lift, term: lifting_command, entity: cube, difficulty: dynamic, success_threshold: 0.3,
     resampling: [100ms, 200ms],
     object_pose_range: {x: [0.4, 0.5], y: [0, 0.1], z: [0.2, 0.3], yaw: [-1, 1]}}
observations:
  policy:
    - {name: to_cube, term: ee_to_object_distance, command: lift, site: tip}
    - {name: to_goal, term: object_to_goal_distance, command: lift}
    - {name: goal_from_tip, term: target_position, command: lift, site: tip}
    - {name: tip, term: ee_velocity, site: tip}
    - {name: target, term: generated_commands, command: lift}
rewards:
  - {term: staged_position_reward, command: lift, site: tip, weight: 1}
  - {term: bring_object_reward, command: lift, std: 0.2, weight: 1}
scale_rewards_by_dt: false
`)
	distance := func(a, b []float64) float64 {
		return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
	}
	targets := map[float64]bool{}
	latched, before := 0.0, observed(e, 1, "lift_")
	for n := range 60 {
		swing(t, e, n)
		cube := stateOf(t, e, 1, "joint/cube/position")
		q, u := stateOf(t, e, 1, "qpos"), stateOf(t, e, 1, "qvel")
		at, r, jacobian := reach(q[0], q[1])
		tip, goal := at[:], observed(e, 1, "lift_")
		inTip := func(v []float64) (out []float64) {
			for i := range 3 {
				out = append(out, r[0][i]*v[0]+r[1][i]*v[1]+r[2][i]*v[2])
			}
			return out
		}
		minus := func(a, b []float64) []float64 { return []float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
		var velocity []float64
		for i := range 3 {
			velocity = append(velocity, jacobian[0][i]*u[0]+jacobian[1][i]*u[1])
		}
		for _, c := range []struct {
			prefix string
			want   []float64
		}{
			{"ee_to_object", minus(cube, tip)},
			{"object_to_goal", minus(goal, cube)},
			{"target_position", inTip(minus(goal, tip))},
			{"ee_velocity", inTip(velocity)},
		} {
			if got := observed(e, 1, c.prefix); len(got) != 3 || !closeness(got, c.want, 1e-9) {
				t.Fatalf("step %d: %s is %v, want %v", n, c.prefix, got, c.want)
			}
		}
		// rewards and infos are of the command before it changed
		d := distance(before, cube)
		if d < 0.3 {
			latched = 1
		}
		staged := math.Exp(-math.Pow(distance(tip, cube)/0.2, 2)) * (1 + math.Exp(-d*d/0.09))
		for name, want := range map[string]float64{
			"reward/staged_position_reward": staged, "reward/bring_object_reward": math.Exp(-d * d / 0.04),
			"command/lift/object_height": cube[2], "command/lift/position_error": d, "command/lift/episode_success": latched,
		} {
			if got := infoOf(t, e, 1, name); !closeness([]float64{got}, []float64{want}, 1e-9) {
				t.Fatalf("step %d: %s is %v, want %v", n, name, got, want)
			}
		}
		if goal[0] != before[0] {
			latched = 0
		}
		for i, within := range [][2]float64{{0.3, 0.5}, {-0.2, 0.2}, {0.2, 0.4}} {
			if goal[i] < within[0] || goal[i] > within[1] {
				t.Fatalf("the target %v is out of its range", goal)
			}
		}
		targets[goal[0]], before = true, goal
	}
	if len(targets) < 6 || len(targets) > 13 {
		t.Errorf("%d targets in 1.2 s, want one every 100 to 200 ms", len(targets))
	}
}

// TestLiftingPutsTheObjectWithEachCommand: a new target in mid-episode comes with a new place of the object, at rest,
// in the physics steps after it.
func TestLiftingPutsTheObjectWithEachCommand(t *testing.T) {
	e := openBench(t, `
commands:
  - {name: lift, term: lifting_command, entity: cube, difficulty: dynamic, resampling: [100ms, 200ms],
     object_pose_range: {x: [0.4, 0.5], y: [1, 1.1], z: [3, 3.1], yaw: [-1, 1]}}
observations: {policy: [{term: generated_commands, command: lift}]}
`)
	put, places := false, map[float64]bool{}
	before, high := observed(e, 1, "lift_"), stateOf(t, e, 1, "joint/cube/position")[2]
	for n := range 60 {
		swing(t, e, n)
		cube, u := stateOf(t, e, 1, "joint/cube/position"), stateOf(t, e, 1, "joint/cube/velocity")
		switch {
		case put && (cube[2] < 2.98 || cube[2] > 3.1 || cube[0] < 0.4 || cube[0] > 0.5 || cube[1] < 1 || cube[1] > 1.1 ||
			math.Abs(u[2]) > 0.3 || u[0] != 0 || cube[4] != 0 || cube[6] == 0):
			t.Fatalf("step %d: after a new command the cube is at %v with %v", n, cube, u)
		case put:
			places[cube[0]] = true
		case cube[2] >= high:
			t.Fatalf("step %d: the cube went from the height %v to %v without a new command", n, high, cube[2])
		}
		goal := observed(e, 1, "lift_")
		put, before, high = goal[0] != before[0], goal, cube[2]
	}
	if len(places) < 6 {
		t.Errorf("%d places in 1.2 s, want one every 100 to 200 ms", len(places))
	}
}

// TestInverseKinematicsAgainstNormalEquations: the control is what the equations, solved by Cramer's rule, say.
func TestInverseKinematicsAgainstNormalEquations(t *testing.T) {
	const observe = "observations: {policy: [{term: joint_pos_rel}]}\n"
	for keys, want := range map[string]struct {
		weights [2]float64
		errors  func(a []float64, at [3]float64) [6]float64
		size    int
	}{
		"orientation_weight: 0, delta_pos_scale: 0.05": {[2]float64{1, 0}, func(a []float64, _ [3]float64) (e [6]float64) {
			e[0], e[1], e[2] = 0.05*a[0], 0.05*a[1], 0.05*a[2]
			return e
		}, 3},
		"orientation_weight: 0.5, delta_ori_scale: 0.1": {[2]float64{1, 0.5}, func(a []float64, _ [3]float64) (e [6]float64) {
			return [6]float64{a[0], a[1], a[2], 0.1 * a[3], 0.1 * a[4], 0.1 * a[5]}
		}, 6},
		"orientation_weight: 0, use_relative_mode: false": {[2]float64{1, 0}, func(a []float64, at [3]float64) [6]float64 {
			return [6]float64{a[0] - at[0], a[1] - at[1], a[2] - at[2]}
		}, 3},
	} {
		e := openBench(t, observe, "actions=[{term: differential_ik, frame_type: site, frame_name: tip, damping: 0.2, "+
			"max_dq: 0.1, "+keys+"}]")
		if got := e.Sim().Spec().ActionSize; got != want.size {
			t.Errorf("%s: %d values, want %d", keys, got, want.size)
			continue
		}
		for n := range 20 {
			q := stateOf(t, e, 2, "qpos")
			swing(t, e, n)
			var a []float64
			for _, x := range e.Sim().Actions()[2*want.size:] {
				a = append(a, min(max(float64(x), -1), 1))
			}
			at, _, j := reach(q[0], q[1])
			errors := want.errors(a, at)
			m, r := [2][2]float64{{0.04, 0}, {0, 0.04}}, [2]float64{}
			for d, x := range errors {
				w := want.weights[d/3] * want.weights[d/3]
				for i := range 2 {
					r[i] += w * j[i][d] * x
					for k := range 2 {
						m[i][k] += w * j[i][d] * j[k][d]
					}
				}
			}
			det := m[0][0]*m[1][1] - m[0][1]*m[1][0]
			dq := []float64{(r[0]*m[1][1] - r[1]*m[0][1]) / det, (m[0][0]*r[1] - m[1][0]*r[0]) / det}
			target := []float64{q[0] + min(max(dq[0], -0.1), 0.1), q[1] + min(max(dq[1], -0.1), 0.1)}
			if got := stateOf(t, e, 2, "control"); !closeness(got, target, 1e-9) {
				t.Fatalf("%s: step %d: the control is %v, want %v", keys, n, got, target)
			}
		}
	}
}

// TestInverseKinematicsReaches: a frame goes where it is told, with the orientation that it is told.
func TestInverseKinematicsReaches(t *testing.T) {
	e := openBench(t, "observations: {policy: [{term: joint_pos_rel}]}\n", "scene.physics.gravity=[0, 0, 0]",
		"actions=[{term: differential_ik, frame_type: site, frame_name: tip, use_relative_mode: false, damping: 0.01}]")
	at, r, _ := reach(0.4, -0.3)
	w := math.Sqrt(1+r[0][0]+r[1][1]+r[2][2]) / 2
	pose := []float64{at[0], at[1], at[2], w, (r[2][1] - r[1][2]) / 4 / w, (r[0][2] - r[2][0]) / 4 / w,
		(r[1][0] - r[0][1]) / 4 / w}
	for range 200 {
		for i := range e.Sim().Actions() {
			e.Sim().Actions()[i] = float32(pose[i%7])
		}
		step(t, e)
	}
	if q := stateOf(t, e, 0, "qpos")[:2]; !closeness(q, []float64{0.4, -0.3}, 1e-3) {
		t.Errorf("the joints are at %v, want 0.4 and -0.3", q)
	}
}

// A gripper of two fingers on a hand that hangs on a cord, a muscle and a rotor.
const handModel = `<mujoco><worldbody><body pos="0 0 1"><geom size=".1"/><site name="rotor"/>
<joint name="hand" type="slide" axis="0 0 1"/>
<body pos=".1 0 0"><geom size=".02"/><joint name="left" type="slide" range="0 .1"/></body>
<body pos="-.1 0 0"><geom size=".02"/><joint name="right" type="slide" range="-.1 0"/></body></body></worldbody>
<tendon><fixed name="cord"><joint joint="hand" coef="1"/></fixed>
<fixed name="string"><joint joint="hand" coef="2"/></fixed>
</tendon>
<actuator><position joint="left" kp="10"/><position joint="right" kp="10"/>
<position name="pull" tendon="cord" kp="5" ctrlrange="0 .3"/><velocity name="reel" tendon="cord" kv="5"/>
<motor name="tug" tendon="cord"/><motor name="yank" tendon="string"/>
<motor name="thrust" site="rotor" gear="0 0 1 0 0 0" ctrlrange="0 9"/>
<muscle name="biceps" tendon="cord" lengthrange="-1 1"/></actuator>
</mujoco>`

func TestActionsOfGrippersTendonsSitesAndMuscles(t *testing.T) {
	const observe = "observations: {policy: [{expr: time, name: t}]}\nactions: ["
	const fingers = "open_command: {left: 0.1, right: -0.1}, close_command: 0.02"
	for entry, want := range map[string][]float64{ // actions are 0.6, then -0.2
		"{term: binary_joint_position, joints: [left, right], " + fingers + "}": {0.1, -0.1},
		"{term: gripper_position, joints: [left], clip: [-2, 2], open_command: 0.1, " +
			"close_command: 0}": {0.1 * 2.6 / 4},
		"{term: tendon_length, scale: 0.5, offset: 0.1}":     {0, 0, 0.3},
		"{term: tendon_velocity, tendons: [cord], scale: 2}": {0, 0, 0, 1.2},
		"{term: tendon_effort, scale: {tug: 3, yank: 1}}":    {0, 0, 0, 0, 1.8, -0.2},
		"{term: site_effort, sites: [rotor], scale: 4}":      {0, 0, 0, 0, 0, 0, 2.4},
		"{term: muscle_excitation, offset: 0.5, scale: 0.5}": {0, 0, 0, 0, 0, 0, 0, 0.8},
	} {
		e := open(t, env.OpenOptions{Workers: 1}, handModel, observe+entry+"]")
		n := e.Sim().Spec().ActionSize
		copy(e.Sim().Actions(), []float32{0.6, -0.2}[:n])
		step(t, e)
		got := stateOf(t, e, 0, "control")
		if !closeness(got, append(want, make([]float64, len(got)-len(want))...), 1e-7) {
			t.Errorf("%s: the control is %v, want %v", entry, got, want)
		}
	}
	e := open(t, env.OpenOptions{Workers: 1}, handModel, "observations: {policy: [{expr: time, name: t}]}\n"+
		"actions: [{term: binary_joint_position, joints: [left], open_command: 0.1, close_command: 0.02}]")
	e.Sim().Actions()[0] = -0.01
	step(t, e)
	if got := stateOf(t, e, 0, "control")[0]; got != 0.02 {
		t.Errorf("the closed gripper's target is %v, want 0.02", got)
	}
	for entry, want := range map[string]string{
		"{term: tendon_length, tendons: [chord]}": `no tendon with an actuator of type position matches ` +
			`"chord"; did you mean cord?`,
		"{term: tendon_length, joints: [left]}":               "actions[0].joints is given, want tendons",
		"{term: binary_joint_position, open_command: 1}":      "actions[0].close_command: not given",
		"{term: gripper_position, scale: 2, " + fingers + "}": "actions[0].scale or offset is given",
		"{term: differential_ik, frame_name: hand}":           `actions[0].frame_name: no body "hand"`,
		"{term: differential_ik, frame_type: site, frame_name: rotor}": "actions[0].frame_name is rotor, which none of the " +
			"joints moves",
	} {
		if err := refusal(t, handModel, observe+entry+"]"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", entry, err, want)
		}
	}
}

// TestContactPairs: a cube that lies on the table presses on it with its weight, and on nothing else.
func TestContactPairs(t *testing.T) {
	const contacts = `scene.contacts=[{name: lies, primary: {entity: cube, geoms: [cube]}, secondary: {entity: table,
		bodies: [table]}}, {name: bears, primary: {entity: table, subtrees: [".*"]},
		secondary: {entity: cube, bodies: [cube]}},
		{name: any, primary: {entity: cube, bodies: [cube]}}, {name: hit, primary: {subtrees: [stand]},
		secondary: {entity: cube, geoms: [".*"]}}]`
	e := openBench(t, `
observations:
  policy:
    - {name: lies, expr: "contact.lies.force"}
    - {name: bears, expr: "contact.bears.force"}
    - {name: any, expr: "contact.any.force"}
    - {name: hit, expr: "[contact.hit.found, contact.lies.found, contact.bears.found]"}
    - {name: geom, expr: "geom.cube.contact"}
rewards: [{term: undesired_contacts, contact: lies, threshold: 1.5, weight: 1}]
terminations: [{name: hit, term: illegal_contact, contact: hit}, {term: time_out}]
scale_rewards_by_dt: false
`, contacts)
	for range 100 {
		step(t, e)
	}
	weight := []float64{0, 0, 0.2 * 9.81}
	for prefix, want := range map[string][]float64{"lies": weight, "bears": {0, 0, -weight[2]}, "any": weight,
		"hit": {0, 4, 4}} {
		if got := observed(e, 0, prefix); !closeness(got, want, 1e-3) {
			t.Errorf("%s is %v, want %v", prefix, got, want)
		}
	}
	if !closeness(observed(e, 0, "geom"), observed(e, 0, "any"), 1e-12) {
		t.Errorf("a cube touched by anything feels %v, want %v", observed(e, 0, "any"), observed(e, 0, "geom"))
	}
	polytest.Equal(t, e.Sim().Rewards()[0], 1, "contacts with more than 1.5 N")
	for setting, want := range map[string]string{
		"[{name: a, primary: {geoms: [cube]}}]":               "scene.contacts[0].primary.geoms[0]: unknown geom \"cube\"",
		"[{name: a, primary: {entity: ball, geoms: [cube]}}]": "scene.contacts[0].primary.entity: unknown entity \"ball\"",
		"[{name: a, primary: {}}]":                            "scene.contacts[0].primary.geoms: not given",
		"[{name: a b, primary: {geoms: [foot]}}]":             "scene.contacts[0].name is \"a b\"",
	} {
		c, err := benchConfig(t, "observations: {policy: [{term: joint_pos_rel}]}\n", "scene.contacts="+setting)
		if err == nil {
			_, err = env.Open(c, env.OpenOptions{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", setting, err, want)
		}
	}
}
