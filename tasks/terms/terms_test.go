package terms_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// observed returns the observed values of a world whose names begin with prefix.
func observed(e *env.Env, world int, prefix string) []float64 {
	var values []float64
	spec := e.Sim().Spec()
	for i, name := range spec.ObservationNames {
		if strings.HasPrefix(name, prefix) {
			values = append(values, e.Sim().Observations()[world*spec.ObservationSize+i])
		}
	}
	return values
}

func closeness(a, b []float64, within float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= within })
}

const plainAction = "actions: [{term: joint_position, scale: 0.3}]\n"

func TestDescribedObservationsAreThoseOfTheState(t *testing.T) {
	e := termsEnv(t, plainAction+`
observations:
  policy:
    - {term: base_lin_vel}
    - {term: base_ang_vel}
    - {term: projected_gravity}
    - {term: base_pos_z}
    - {term: joint_pos_rel}
    - {term: joint_vel_rel, joints: [".*_knee"]}
    - {term: last_action}
    - {term: body_pose_w, bodies: [trunk]}
    - {term: gait_phase, frequency: 1.5}
    - {name: speed, expr: "norm(base_lin_vel_yaw)"}
    - {name: foot, expr: "geom.FL_foot.position"}
    - {term: foot_height, feet: [".*_foot"]}
    - {term: foot_air_time, feet: [".*_foot"]}
    - {term: foot_contact_forces, feet: [".*_foot"]}
    - {term: body_pose_b, bodies: [FL_shank]}
    - {term: body_incoming_wrench, bodies: [FR_shank]}
    - {name: shank, expr: "body.FL_shank.position"}
    - {name: turn, expr: "body.FL_shank.quaternion"}
    - {name: pull, expr: "body.FR_shank.wrench"}
    - {name: push, expr: "geom.FL_foot.contact"}
`)
	air := 0.0
	home := stateOf(t, e, 1, "qpos")[7:]
	for step := range 40 {
		swing(t, e, step)
		qpos, qvel := stateOf(t, e, 1, "qpos"), stateOf(t, e, 1, "qvel")
		inBase := func(v []float64) []float64 {
			b := (&outcome{q: qpos}).inBase(v)
			return b[:]
		}
		var rel, knees, action []float64
		for i, x := range qpos[7:] {
			rel = append(rel, x-home[i])
		}
		for i := 2; i < 12; i += 3 {
			knees = append(knees, qvel[6+i])
		}
		for _, a := range e.Sim().Actions()[12:] {
			action = append(action, min(max(float64(a), -1), 1))
		}
		var arm, logs []float64
		for i, x := range observed(e, 1, "shank[") {
			arm = append(arm, x-qpos[i])
		}
		for _, x := range observed(e, 1, "push[") {
			logs = append(logs, math.Copysign(math.Log(1+math.Abs(x)), x))
		}
		if length(observed(e, 1, "push[")) > 1 {
			air = 0
		} else {
			air += 0.02
		}
		// R_base·R_b is the orientation of the shank.
		seen := outcome{q: append(make([]float64, 3), observed(e, 1, "FL_shank_q")...)}
		column := (&outcome{q: qpos}).inWorld(seen.inWorld([]float64{1, 2, 3}))
		turned := outcome{q: append(make([]float64, 3), observed(e, 1, "turn[")...)}
		if want := turned.inWorld([]float64{1, 2, 3}); !closeness(column, want, 1e-9) {
			t.Fatalf("step %d: the shank turns a vector into %v, want %v", step, column, want)
		}
		// The body turns after the wrench: see TestWrenchOfTurningBody for its direction.
		wrench := observed(e, 1, "pull[")
		for i, name := range []string{"FR_shank_force", "FR_shank_torque"} {
			got, want := length(observed(e, 1, name)), length(wrench[3*i:3*i+3])
			if math.Abs(got-want) > 1e-9 || want == 0 {
				t.Fatalf("step %d: the size of %s is %v, want %v", step, name, got, want)
			}
		}
		phase := 2 * math.Pi * 1.5 * float64(step+1) / 50
		for _, c := range []struct {
			prefix string
			want   []float64
		}{
			{"base_lin_vel", inBase(qvel[:3])},
			{"base_ang_vel", qvel[3:6]},
			{"projected_gravity", inBase([]float64{0, 0, -1})},
			{"base_pos_z", qpos[2:3]},
			{"FL_abduction_pos", rel[:1]},
			{"RR_knee_pos", rel[11:]},
			{"FL_knee_vel", knees[:1]},
			{"RR_knee_vel", knees[3:]},
			{"last_action_", action},
			{"trunk_", qpos[:7]},
			{"gait_", []float64{math.Sin(phase), math.Cos(phase)}},
			{"speed", []float64{math.Sqrt(qvel[0]*qvel[0] + qvel[1]*qvel[1] + qvel[2]*qvel[2])}},
			{"FL_foot_height", observed(e, 1, "foot[2]")},
			{"FL_foot_air_time", []float64{air}},
			{"FL_foot_force", logs},
			{"FL_shank_x_b", inBase(arm)[:1]},
			{"FL_shank_z_b", inBase(arm)[2:]},
		} {
			if got := observed(e, 1, c.prefix); len(got) == 0 || !closeness(got, c.want, 1e-9) {
				t.Fatalf("step %d: %s is %v, want %v", step, c.prefix, got, c.want)
			}
		}
	}
	if h := observed(e, 1, "foot[2]")[0]; h < 0 || h > 0.5 {
		t.Errorf("a foot is %v m above the floor, want about 0", h)
	}
}

// The time shows which step an observation is of.
func TestDescribedDelayAndHistory(t *testing.T) {
	e := termsEnv(t, plainAction+`
observations:
  policy:
    - {name: now, expr: time}
    - {name: late, expr: time, delay: 3}
    - {name: past, expr: time, history: 3}
    - {name: both, expr: time, delay: 2, history: 2, scale: 10, clip: [0, 0.1]}
    - {name: drawn, expr: time, delay: [0, 5]}
`)
	drawn := map[int]bool{}
	for step := 1; step < 30; step++ {
		swing(t, e, step)
		at := func(back int) float64 { return float64(max(step-back, 0)) / 50 }
		for _, c := range []struct {
			prefix string
			want   []float64
		}{
			{"now", []float64{at(0)}},
			{"late", []float64{at(3)}},
			{"past", []float64{at(2), at(1), at(0)}},
			{"both", []float64{10 * min(at(3), 0.1), 10 * min(at(2), 0.1)}},
		} {
			if got := observed(e, 0, c.prefix); !closeness(got, c.want, 1e-12) {
				t.Fatalf("step %d: %s is %v, want %v", step, c.prefix, got, c.want)
			}
		}
		if step > 5 {
			drawn[int(math.Round((at(0)-observed(e, 0, "drawn")[0])*50))] = true
		}
	}
	if len(drawn) != 1 {
		t.Errorf("delays of %v steps in one episode, want one delay", drawn)
	}
	names := e.Sim().Spec().ObservationNames
	polytest.EqualSlices(t, names[2:5], []string{"past[t-2]", "past[t-1]", "past"}, "names")
}

func TestDescribedNoise(t *testing.T) {
	e := termsEnv(t, plainAction+`
observations:
  policy:
    - {name: even, expr: "0", noise: {uniform: 0.5}}
    - {name: normal, expr: "0", noise: {std: 2}, scale: 0.5}
  critic: {noise: false, terms: [{name: none, expr: "0", noise: {std: 2}}]}
`)
	var even, normal []float64
	for step := range 1000 {
		swing(t, e, step)
		even, normal = append(even, observed(e, 0, "even")...), append(normal, observed(e, 0, "normal")...)
		if x := observed(e, 0, "critic/none")[0]; x != 0 {
			t.Fatalf("noise of %v in a group without", x)
		}
	}
	moments := func(v []float64) (mean, std, most float64) {
		for _, x := range v {
			mean += x / float64(len(v))
			std += x * x / float64(len(v))
			most = max(most, math.Abs(x))
		}
		return mean, math.Sqrt(std), most
	}
	if mean, std, most := moments(even); math.Abs(mean) > 0.05 || math.Abs(std-0.5/math.Sqrt(3)) > 0.02 || most > 0.5 {
		t.Errorf("even noise has mean %v, deviation %v, at most %v", mean, std, most)
	}
	if mean, std, most := moments(normal); math.Abs(mean) > 0.1 || math.Abs(std-1) > 0.1 || most < 2 {
		t.Errorf("normal noise has mean %v, deviation %v, at most %v", mean, std, most)
	}
}

func TestDescribedActions(t *testing.T) {
	const observe = "observations: {policy: [{term: joint_pos_rel}]}\n"
	home := func(e *env.Env) []float64 { return stateOf(t, e, 0, "qpos")[7:] }
	alpha := 1 - math.Exp(-2*math.Pi*5*0.02)
	for _, c := range []struct {
		entry string
		want  func(home []float64, targets [][]float64) []float64 // from those of each step, newest last
	}{
		{"{term: joint_position, scale: 0.3}", func(_ []float64, x [][]float64) []float64 { return x[len(x)-1] }},
		{"{term: joint_position, scale: 0.3, delay: 2}", func(home []float64, x [][]float64) []float64 {
			if len(x) < 3 {
				return home
			}
			return x[len(x)-3]
		}},
		{"{term: joint_position, scale: 0.3, filter: {cutoff: 5}}", func(home []float64, x [][]float64) []float64 {
			y := slices.Clone(home)
			for _, x := range x {
				for i := range y {
					y[i] += alpha * (x[i] - y[i])
				}
			}
			return y
		}},
		{"{term: joint_position, scale: 0.3, reference: '0.2 * sin(9 * time) * [0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1, 0]'}",
			func(_ []float64, x [][]float64) []float64 {
				y := slices.Clone(x[len(x)-1])
				for i, share := range map[int]float64{2: 1, 5: 2, 10: 1} {
					y[i] += 0.2 * math.Sin(9*0.02*float64(len(x)-1)) * share
				}
				return y
			}},
	} {
		e := termsEnv(t, "actions: ["+c.entry+"]\n"+observe)
		start := home(e)
		var targets [][]float64
		for step := range 20 {
			swing(t, e, step)
			var target []float64
			for i, a := range e.Sim().Actions()[:12] {
				_, kind, _ := strings.Cut(joints[i], "_")
				target = append(target, min(max(start[i]+0.3*min(max(float64(a), -1), 1), limits[kind][0]), limits[kind][1]))
			}
			targets = append(targets, target)
			if got, want := stateOf(t, e, 0, "control"), c.want(start, targets); !closeness(got, want, 1e-12) {
				t.Fatalf("%s: step %d: control %v, want %v", c.entry, step, got, want)
			}
		}
	}

	e := termsEnv(t,
		"actions: [{term: relative_joint_position, joints: [FL_knee], scale: 0.1}, {term: joint_position, joints: "+
			"[.*_hip], scale: {\"F._hip\": 0.1, \"R._hip\": 0.2}, offset: 0.05, default_offset: false, clip: [-2, 2], limits: "+
			"[-0.3, 0.3]}]\n"+observe)
	if n := e.Sim().Spec().ActionSize; n != 5 || e.Sim().Spec().ActionLow[0] != -1 || e.Sim().Spec().ActionHigh[1] != 2 {
		t.Errorf("%d action values from %v to %v, want 5, the first in [-1, 1], the others in [-2, 2]", n,
			e.Sim().Spec().ActionLow, e.Sim().Spec().ActionHigh)
	}
	before := stateOf(t, e, 0, "joint/FL_knee/position")
	swing(t, e, 1)
	a, control := e.Sim().Actions(), stateOf(t, e, 0, "control")
	if want := before[0] + 0.1*min(max(float64(a[0]), -1), 1); math.Abs(control[2]-want) > 1e-12 {
		t.Errorf("relative target %v, want %v", control[2], want)
	}
	if want := min(max(0.05+0.2*float64(a[4]), -0.3), 0.3); math.Abs(control[10]-want) > 1e-12 {
		t.Errorf("target %v, want %v", control[10], want)
	}
}

// Targets are of joints and tendons: the control is the gear times them, as are its limits. So are gains and limits
// that events set.
func TestDescribedTargetsOfGears(t *testing.T) {
	const arm = `<body><joint name="NAME" axis="0 0 1" range="-3 3" damping="1"/>
		<geom type="box" size=".2 .02 .02" pos=".2 0 0" mass="1" contype="0" conaffinity="0"/></body>`
	model := `<mujoco><compiler angle="radian"/><option integrator="implicitfast"/>
		<default><position gear="7"/></default><worldbody>`
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		model += strings.ReplaceAll(arm, "NAME", name)
	}
	model += `</worldbody><tendon><fixed name="cord"><joint joint="d" coef="1"/></fixed></tendon><actuator>
		<position name="a" joint="a" kp="50" kv="5" gear="2"/>
		<position name="b" joint="b" kp="50" kv="5" gear="-.5" ctrlrange="-.2 1" forcerange="-9 9"/>
		<velocity name="c" joint="c" kv="5" gear="3"/>
		<position name="d" tendon="cord" kp="50" kv="5" gear="4"/></actuator></mujoco>`
	const task = `start: {joints: {a: 0.5, b: 0.5}}
observations: {policy: [{name: q, expr: "[joint.a.position, joint.b.position, joint.c.velocity, joint.d.position]"},
  {name: e, expr: "joint.e.position"}]}
events: [{term: pd_gains, operation: abs, joints: [b], kp_range: [20, 20], kd_range: [2, 2]},
  {term: effort_limits, operation: abs, joints: [b], effort_limit_range: [3, 3]}]
actions: [{term: joint_position, joints: [a, b, e]}, {term: joint_velocity, joints: [c]}, {term: tendon_length}]
`
	const added = "scene.actuators=[{joints: [e], kp: 20, kd: 4}]"
	var parameters []float64
	e := open(t, env.OpenOptions{Workers: 1, Bindings: []sim.Binding{watch(runners.Control, -1000, func(w *sim.World) {
		parameters = slices.Clone(w.Parameters())
	})}}, model, task, added)
	for range 200 {
		copy(e.Sim().Actions(), []float32{0.25, -0.25, 0.75, -0.5, 0.5})
		step(t, e)
	}
	if got, want := stateOf(t, e, 0, "control"), []float64{1.5, -0.125, -1.5, 2, 0.75}; !closeness(got, want, 1e-12) {
		t.Errorf("the control is %v, want %v", got, want)
	}
	// the damping of its joint slows c down
	if got, want := observed(e, 0, ""), []float64{0.75, 0.25, -0.5 * 45 / 46, 0.5, 0.75}; !closeness(got, want, 1e-3) {
		t.Errorf("positions and velocity are %v, want %v", got, want)
	}
	e.Sim().Actions()[1] = 1
	step(t, e)
	if got := stateOf(t, e, 0, "control")[1]; got != -0.2 { // 1.5 is beyond the range, -0.75
		t.Errorf("the control beyond its range is %v, want -0.2", got)
	}
	var got []float64
	at := 0
	for _, source := range e.Sim().Spec().Parameters {
		values := parameters[at:][:polytest.Must(e.Model().Parameter(source))(t).Size]
		at += len(values)
		switch source {
		case "actuator_gainprm/b":
			got = append(got, values[0])
		case "actuator_biasprm/b":
			got = append(got, values[1], values[2])
		case "actuator_forcerange/b":
			got = append(got, values...)
		}
	}
	slices.Sort(got)
	if want := []float64{-80, -8, -6, 6, 80}; !closeness(got, want, 1e-12) { // by the square of the gear, and by the gear
		t.Errorf("gains and limits of the force are %v, want %v", got, want)
	}
	polytest.ErrorContains(t, refusal(t, strings.Replace(model, `gear="3"`, `gear="0"`, 1), task, added),
		"actions[1].joints: actuator c of joint c has a gear of 0")
}

// When an episode begins, servos with an activation hold what they act on where it is, as those without do, after what
// events did to it. A keyframe that has an activation keeps it. A motor's stays 0.
func TestDescribedActivationsHoldTheStart(t *testing.T) {
	model := `<mujoco><compiler angle="radian"/><option integrator="implicitfast"/><worldbody>`
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		model += strings.ReplaceAll(`<body><joint name="NAME" axis="0 0 1" range="-3 3" damping="1"/>
			<geom type="box" size=".2 .02 .02" pos=".2 0 0" mass="1" contype="0" conaffinity="0"/></body>`, "NAME", name)
	}
	model += `</worldbody><tendon><fixed name="cord"><joint joint="c" coef="2"/></fixed></tendon><actuator>
		<position name="a" joint="a" kp="50" kv="5" timeconst=".3" gear="2"/>
		<intvelocity name="b" joint="b" kp="50" kv="5" actrange="-2 2"/>
		<position name="c" tendon="cord" kp="50" kv="5" timeconst=".3" delay=".01" nsample="5"/>
		<intvelocity name="d" joint="d" kp="50" kv="5" actrange="-.5 .5"/>
		<general name="e" joint="e" dyntype="filter" dynprm=".1" gainprm="3"/></actuator>
		<keyframe><key name="set" qpos="1 1 1 1 1" act="2 .25 2 .5 0"/></keyframe></mujoco>`
	const task = `start: {joints: {"[abcde]": 1}}
observations: {policy: [{expr: joint_pos, name: q}, {term: joint_pos_rel, joints: [c]}]}
events: [{term: reset_joints_by_offset, joints: [a, b, d], position_range: [0.1, 0.1], velocity_range: [0, 0]}]
actions: [{term: actuator_control, actuators: ["[ac]"], offset: {a: 2.2, c: 2}}, {term: actuator_control, name: other,
  actuators: ["[bde]"]}]
`
	e := open(t, env.OpenOptions{Workers: 1}, model, task)
	if got, want := stateOf(t, e, 0, "act"), []float64{2.2, 1.1, 2, 0.5, 0}; !closeness(got, want, 1e-12) {
		t.Errorf("activations at the start are %v, want %v", got, want)
	}
	for range 20 {
		step(t, e)
		q := stateOf(t, e, 0, "qpos")
		if !closeness(q[:3], []float64{1.1, 1.1, 1}, 1e-9) {
			t.Fatalf("the joints are at %v, want where they began", q)
		}
	}
	e = open(t, env.OpenOptions{Workers: 1}, model, task, "start={keyframe: set}", "events=[]")
	if got, want := stateOf(t, e, 0, "act"), []float64{2, 0.25, 2, 0.5, 0}; !closeness(got, want, 1e-12) {
		t.Errorf("activations of the keyframe are %v, want %v", got, want)
	}
	polytest.ErrorContains(t, refusal(t, model, task, "actions=[{term: joint_position, joints: [b]}]"),
		"actions[0].joints: joint b has no position actuator, only b (another kind)") // it takes a speed
}

// Tendons and muscles have an action of their own: it sets their control, bounded by its
// range, and refuses what drives a joint already.
func TestDescribedActuatorControl(t *testing.T) {
	const model = `<mujoco>
		<worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom size=".1"/><site name="a" pos=".1 0 0"/>
			<body name="arm" pos=".2 0 0"><joint name="elbow" axis="0 1 0"/>
				<geom type="capsule" size=".02" fromto="0 0 0 .2 0 0"/><site name="b" pos=".1 0 .05"/></body>
		</body><body name="ball" pos="1 0 1"><freejoint/><geom size=".1"/></body></worldbody>
		<tendon><spatial name="string" springlength="0"><site site="a"/><site site="b"/></spatial>
			<fixed name="cord"><joint joint="elbow" coef="1"/></fixed></tendon>
		<actuator><muscle name="biceps" tendon="string" lengthrange=".05 .4"/>
			<position name="cord" tendon="cord" kp="3" ctrlrange="-1 .5"/></actuator>
	</mujoco>`
	const task = "observations: {policy: [{term: base_ang_vel}, {term: joint_pos_rel, joints: [elbow]}]}\nactions: "
	e := open(t, env.OpenOptions{Workers: 1}, model, task+
		"[{term: actuator_control, actuators: [.*], scale: {biceps: 0.5, cord: 2}, offset: {biceps: 0.5}}]")
	polytest.EqualSlices(t, e.Sim().Spec().ActionNames, []string{"biceps", "cord"}, "actions")
	for _, c := range []struct {
		action []float32
		want   []float64
	}{
		{[]float32{-0.5, 0.125}, []float64{0.25, 0.25}},
		{[]float32{1, 1}, []float64{1, 0.5}}, // the range of cord ends at 0.5
	} {
		copy(e.Sim().Actions(), c.action)
		step(t, e)
		if got := stateOf(t, e, 0, "control"); !closeness(got, c.want, 1e-12) {
			t.Errorf("control %v, want %v", got, c.want)
		}
	}
	const cord = "{term: actuator_control, actuators: [cord]"
	for actions, want := range map[string]string{
		"[{term: actuator_control}]":       "actions[0].actuators: not given, want patterns of names",
		"[" + cord + ", joints: [elbow]}]": "actions[0].joints is given, want actuators",
		"[{term: actuator_control, actuators: [triceps]}]": `actions[0].actuators[0]: no actuator matches "triceps"; ` +
			"did you mean biceps?",
		"[" + cord + "}, {name: b, term: actuator_control, actuators: [.*]}]": "actions[1].actuators: actions[0] " +
			"drives actuator cord already",
	} {
		polytest.ErrorContains(t, refusal(t, model, task+actions), want)
	}
}

func TestDescribedVelocityCommand(t *testing.T) {
	e := termsEnv(t, plainAction+`
observations: {policy: [{term: generated_commands, command: velocity}, {name: heading, expr: heading}]}
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [0.5, 1], lin_vel_y: [-0.2, -0.1], ang_vel_z: [-0.4,
     0.4], heading: [1, 1],
     heading_control_stiffness: 0.5, resampling: [200ms, 400ms]}
`)
	last, since := -1.0, 0
	for step := range 200 {
		swing(t, e, step)
		c, heading := observed(e, 0, "velocity"), observed(e, 0, "heading")[0]
		if c[0] < 0.5 || c[0] > 1 || c[1] < -0.2 || c[1] > -0.1 {
			t.Fatalf("command %v out of its ranges", c)
		}
		want := min(max(0.5*math.Remainder(1-heading, 2*math.Pi), -0.4), 0.4)
		if math.Abs(c[2]-want) > 1e-12 {
			t.Fatalf("yaw rate %v at heading %v, want %v", c[2], heading, want)
		}
		since++
		if c[0] != last {
			if last >= 0 && (since < 10 || since > 20) && e.Sim().EpisodeLengths()[0] == 0 {
				t.Errorf("a new command after %d steps, want 10 to 20", since)
			}
			last, since = c[0], 0
		}
	}

	standing := termsEnv(t, plainAction+`
observations: {policy: [{term: generated_commands, command: velocity}]}
commands: [{name: velocity, term: uniform_velocity, lin_vel_x: [1, 2], rel_standing_envs: 0.3,
     resampling: [20ms, 20ms]}]
`)
	still := 0
	for step := range 1000 {
		swing(t, standing, step)
		if slices.Equal(observed(standing, 0, "velocity"), []float64{0, 0, 0}) {
			still++
		}
	}
	if still < 250 || still > 350 {
		t.Errorf("%d of 1000 commands are to stand, want about 300", still)
	}
}

func TestDescribedPoseCommand(t *testing.T) {
	e := termsEnv(t, plainAction+`
observations: {policy: [{term: generated_commands, command: goal}]}
commands: [{name: goal, term: uniform_pose, body: FL_calf, pos_x: [0.1, 0.2], pos_z: [0.3, 0.3], yaw: [1, 1],
     resampling: [20ms, 20ms]}]
`, "commands.goal.pos_y=[-1, -1]", "commands.goal.body=trunk")
	swing(t, e, 1)
	c := observed(e, 0, "goal")
	want := []float64{c[0], -1, 0.3, math.Cos(0.5), 0, 0, math.Sin(0.5)}
	if c[0] < 0.1 || c[0] > 0.2 || !closeness(c, want, 1e-12) {
		t.Errorf("command %v, want %v with x from 0.1 to 0.2", c, want)
	}
}

func TestDescribedTruncation(t *testing.T) {
	e := termsEnv(t, plainAction+`
observations: {policy: [{term: joint_pos_rel}]}
terminations: [{name: soon, expr: "episode_step >= 5", truncate: true}, {name: later,
     expr: "episode_step >= 3 and time < 0"}]
`)
	for step := range 12 {
		swing(t, e, step)
		truncated, terminated := e.Sim().Truncations()[0], e.Sim().Terminations()[0]
		if want := step%5 == 4; truncated != want || terminated {
			t.Fatalf("step %d: truncated %v, terminated %v; want truncated %v", step, truncated, terminated, want)
		}
	}
}

// A term with weight -2 and a term of weight 1 whose values are known.
func TestDescribedRewardsAreWeighted(t *testing.T) {
	for text, want := range map[string]float64{
		"":                             (3*1.5 - 2*0.5) * 0.02,
		"scale_rewards_by_dt: false\n": 3*1.5 - 2*0.5,
		"rewards: []\n":                0,
	} {
		sections := plainAction + "observations: {policy: [{term: joint_pos_rel}]}\n"
		if text != "rewards: []\n" {
			sections += `rewards: [{name: a, expr: "1.5", weight: 3}, {name: b, expr: "0.5", weight: -2}]` + "\n"
		}
		e := termsEnv(t, sections+text)
		swing(t, e, 1)
		if got := e.Sim().Rewards()[0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: reward %v, want %v", text, got, want)
		}
		sum := 0.0
		for i, name := range e.Sim().Spec().InfoNames {
			if strings.HasPrefix(name, "reward/") {
				sum += e.Sim().Infos()[i]
			}
		}
		if math.Abs(sum-want) > 1e-12 {
			t.Errorf("%q: infos of rewards add up to %v, want %v", text, sum, want)
		}
	}
}

func TestDescribedErrors(t *testing.T) {
	const base = plainAction + "observations: {policy: [{term: joint_pos_rel}]}\n"
	many := func(keys string) string { // 100 entries of 12 values
		var list []string
		for i := range 100 {
			list = append(list, fmt.Sprintf("{name: a%d, term: joint_pos_rel, %s}", i, keys))
		}
		return plainAction + "observations: {policy: [" + strings.Join(list, ", ") + "]}\n"
	}
	for _, c := range []struct{ sections, override, want string }{
		{"observations: {policy: [{term: joint_pos_rel}]}\n", "",
			"actions has no entries, want at least one, such as {term: joint_position}"},
		{plainAction, "", "observations has no group policy, want one, such as {policy: [{term: joint_pos_rel}]}"},
		{plainAction + "observations: {critic: [{term: joint_pos_rel}]}\n", "",
			"observations has no group policy, want one, such as {policy: [{term: joint_pos_rel}]}"},
		{plainAction + "observations: {policy: []}\n", "", "observations.policy has no entries, want at least one"},
		{plainAction + "observations: {policy: 3}\n", "",
			"walk.yaml: observations.policy is 3, want a list of entries, or a mapping with the keys terms and noise"},
		{plainAction + "observations: {policy: [{term: join_pos_rel}]}\n", "",
			`observations.policy[0].term: no observation "join_pos_rel"; did you mean joint_pos_rel?`},
		{plainAction + "observations: {policy: [{term: joint_pos_rel, joint: [a]}]}\n", "",
			"observations.policy[0].joint: unknown key; did you mean observations.policy[0].joints?"},
		{plainAction + "observations: {policy: [{term: joint_pos_rel, joints: [FL_knie]}]}\n", "",
			`observations.policy[0].joints[0]: no joint matches "FL_knie"; did you mean FL_knee?`},
		{plainAction + "observations: {policy: [{term: joint_pos_rel, joints: ['(']}]}\n", "",
			"observations.policy[0].joints[0] is \"(\", want a regular expression: error parsing regexp: missing closing ): " +
				"`(`"},
		{plainAction + "observations: {policy: [{term: joint_pos_rel, scale: [1, 2]}]}\n", "",
			"observations.policy[0].scale is a list of 2, want a number or a list of 12 values"},
		{plainAction + "observations: {policy: [{term: joint_pos_rel, delay: -1}]}\n", "",
			"observations.policy[0].delay is -1, want a number of control steps from 0 to 1000, or a list of the lowest and " +
				"the highest"},
		{plainAction + "observations: {policy: [{term: joint_pos_rel, history: 5000}]}\n", "",
			"observations.policy[0].history is 5000, want 0 to 1000"},
		{plainAction + "observations: {policy: [{term: joint_pos_rel, noise: {std: 1, uniform: 1}}]}\n", "",
			"observations.policy[0].noise has std and uniform, want one of them"},
		{plainAction + "observations: {policy: [{term: joint_pos_rel}, {term: joint_pos_rel}]}\n", "",
			`observations.policy[1].name: "joint_pos_rel" is given twice in observations.policy, want different names`},
		{plainAction + "observations: {policy: [{term: sensor, channel: gyro}]}\n", "", "observations.policy[0].channel: "},
		{plainAction + "observations: {policy: [{term: generated_commands, command: velocity}]}\n", "",
			`observations.policy[0].command: no command "velocity": the configuration has no commands`},
		{plainAction + "observations: {policy: [{term: body_pose_w, bodies: [trnk]}]}\n", "",
			`observations.policy[0].bodies[0]: no body matches "trnk"; did you mean trunk?`},
		{plainAction + "observations: {policy: [{term: foot_height, feet: [FL_fot]}]}\n", "",
			`observations.policy[0].feet[0]: no body, geom or site matches "FL_fot"; did you mean FL_foot?`},
		{plainAction + "observations: {policy: [3]}\n", "",
			"walk.yaml: observations.policy[0] is 3, want a mapping of keys to values"},
		{plainAction + "observations: {policy: {terms: 3}}\n", "", "walk.yaml: observations.policy.terms is 3, want a list"},
		{plainAction + "observations: {policy: {noises: false}}\n", "",
			"walk.yaml: observations.policy.noises: unknown key; did you mean observations.policy.noise?"},
		{plainAction + "observations: {policy: [{term: joint_pos_rel}], 'a/b': [{term: joint_pos_rel}]}\n", "",
			`observations has a group "a/b", want names of at most 64 letters, digits and _`},
		{plainAction + "observations: {policy: [{term: joint_pos_rel}], '': [{term: joint_pos_rel}]}\n", "",
			`observations has a group "", want names of at most 64 letters, digits and _`},
		{plainAction + "observations: {policy: [{term: foot_height}]}\n", "",
			"observations.policy[0].feet: not given, want patterns of names"},
		{plainAction + "observations: {policy: [{term: foot_height, feet: []}]}\n", "",
			"observations.policy[0].feet is empty, want patterns of names"},
		{plainAction + "observations: {policy: [{name: x, expr: joint_poss}]}\n", "",
			"observations.policy[0].expr: line 1, column 1: no quantity joint_poss; did you mean joint_pos?"},
		{plainAction + "observations: {policy: [{expr: joint_pos}]}\n", "",
			"observations.policy[0].name: not given, want a name for the expression"},
		{many("history: 1000"), "",
			"observations.policy[87]: it has 12000 values, want at most 4576 with those of the entries before it"},
		{many("delay: 1000"), "", "observations.policy[87]: it has each world remember 12012 values, want at most "},
		{base + "rewards: [{weight: 1}]\n", "", "rewards[0] has no term and no expr, want one of them"},
		{base + "rewards: [{term: track_lin_vel_xy_exp, expr: a, weight: 1}]\n", "",
			"rewards[0] has a term and an expr, want one of them"},
		{base + "rewards: [{term: 3, weight: 1}]\n", "", "rewards[0].term is 3, want the name of a term"},
		{base + "rewards: [3]\n", "", "walk.yaml: rewards[0] is 3, want a mapping of keys to values"},
		{base + "rewards: [{term: joint_pos_rel, weight: 1}]\n", "",
			"rewards[0].term: joint_pos_rel is a term of observations, not of rewards"},
		{base + "rewards: [{term: track_lin_vel_xy_exp}]\n", "", "rewards[0].weight: not given, want a number"},
		{base + "rewards: [{term: track_lin_vel_xy_exp, weight: 1, std: 0}]\n", "",
			"rewards[0].std is 0, want more than 0, at most 1e+09"},
		{base + "rewards: [{term: track_lin_vel_xy_exp, weight: 1, std: big}]\n", "",
			`rewards[0].std is "big", want a number`},
		{base + "rewards: [{term: posture, weight: 1, std: {'[0-9]': 1}}]\n", "",
			`rewards[0].std["[0-9]"]: no joint matches "[0-9]", want one of FL_abduction, FL_hip, `},
		{base + "rewards: [{term: posture, weight: 1, std: {'.*_hip': 1}}]\n", "",
			"rewards[0].std: no pattern matches joint FL_abduction, want a number for each joint"},
		{base + "rewards: [{term: posture, weight: 1, std: 0}]\n", "",
			"rewards[0].std is 0 for joint FL_abduction, want more than 0, at most 1e+09"},
		{base + "rewards: [{term: forward_progress, weight: 1, joint: FL_kne}]\n", "",
			`rewards[0].joint: no joint "FL_kne"; did you mean FL_knee?`},
		{base + "rewards: [{term: forward_progress, weight: 1, joint: FL_knee}]\n", "",
			"rewards[0].joint is FL_knee, a hinge, want a slide joint"},
		{base + "rewards: [{name: a b, expr: '1', weight: 1}]\n", "",
			`rewards[0].name is "a b", want at most 64 letters, digits and _`},
		{base + "rewards: [{name: a, expr: joint_pos, weight: 1}]\n", "",
			"rewards[0].expr: its value is a vector of 12 numbers, want a number, as sum, mean, norm and where(…, 1, 0) give"},
		{base + "rewards: [{name: a, expr: base_height > 1, weight: 1}]\n", "",
			"rewards[0].expr: its value is a truth value, want a number, "},
		{base + "terminations: [{name: a, expr: base_height}]\n", "",
			"terminations[0].expr: its value is a number, want true or false, such as base_height < 0.1"},
		{base + "events: [{name: a, expr: '1'}]\n", "", "events[0].expr: events has no expressions, want a term"},
		{base + "events: [{term: reset_root_state_uniform, mode: interval}]\n", "",
			"events[0].interval[0] is 0s, want 1ms to 277h46m40s"},
		{base + "events: [{term: reset_root_state_uniform, mode: reset, pose_range: {x: [1, 0]}}]\n", "",
			"events[0].pose_range.x is [1, 0], want two finite numbers, the lower first"},
		{base + "curriculum: [{term: commands_vel, command: velocity, stages: [{step: 0}]}]\n", "",
			`curriculum[0].command: no command "velocity": the configuration has no commands`},
		{base + "start: {keyframe: hom}\n", "",
			`walk.yaml: yaml: unmarshal errors: line 10: mapping key "start" already defined at line 7`},
		{base, "start.keyframe=hom", `start.keyframe: mujoco: unknown keyframe "hom": the nearest known one is "home"`},
		{base, "start.joints={FL_kne: 1}", `start.joints.FL_kne: no joint matches "FL_kne"; did you mean FL_knee?`},
		{base, "actions.joint_position.joints=[FL_kne]",
			`actions[0].joints[0]: no actuated joint matches "FL_kne"; did you mean FL_knee?`},
		{base, "actions.joint_position.scale={FL_knee: a}", `actions[0].scale.FL_knee is "a", want a number`},
		{base, "actions.joint_position.scale={'.*': 1, FL_knee: 2}",
			`actions[0].scale: the patterns ".*" and "FL_knee" both match joint FL_knee, want one for each joint`},
		{base, "actions.joint_position.term=joint_effort",
			"actions[0].joints: joint FL_abduction has no effort actuator, only FL_abduction (position); scene.actuators " +
				"with type: effort and replace: true gives it one"},
		{base, "actions.joint_position.clip=[1, 1]", "actions[0].clip is [1, 1], want the lower first"},
		{base, "actions.joint_position.reference=2 * [1, time]",
			"actions[0].reference: its value is a vector of 2 numbers, want a list of 12 numbers, one for each joint"},
		{base, "actions.joint_position.reference=sin(", "actions[0].reference: "},
		{base, "actions.joint_positio.clip=[1, 1]",
			"--set actions.joint_positio.clip=[1, 1]: actions.joint_positio: unknown name; did you mean " +
				"actions.joint_position?"},
		{base, "observations.policy.joint_pos_rel.scale=a",
			`observations.policy[0].scale is "a", want a number or a list of 12 values`},
		{"actions: [{term: joint_position}, {name: again, term: joint_position, joints: [FL_knee]}]\nobservations: " +
			"{policy: [{term: joint_pos_rel}]}\n", "", "actions[1].joints: actions[0] drives joint FL_knee already"},
		{base, "episode=0.5ms", "episode is 500µs, want 1ms to 2777h46m40s"},
		{base, "task.name=Ant-v5",
			"task.name is Ant-v5, which the program has itself, want another name for the task that scene describes"},
		{base, "task.options={a: 1}", "task.options: a described task has no options, want its sections"},
		{base, "model=x.xml", "want none: scene.models names the files of a described task"},
		{base, "scene.models=[]",
			"scene.models: not given, want the model files of the task that the section start describes"},
		{base, "actions.joint_position.limits=[1, 2]",
			"actions[0].limits: no target of joint FL_abduction is within them and within "},
	} {
		var overrides []string
		if c.override != "" {
			overrides = append(overrides, c.override)
		}
		err := refusal(t, "", c.sections, overrides...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s:\n got %v\nwant %s", c.sections, c.override, err, c.want)
		}
	}
}

// Two terms that drive the same joint, by two actuators, have values of different names.
func TestDescribedNamesOfActionsDiffer(t *testing.T) {
	const two = `<mujoco><worldbody><body><joint name="pan"/><geom size=".1"/></body></worldbody>
<actuator><position name="p" joint="pan"/><velocity name="v" joint="pan"/></actuator></mujoco>`
	spec := open(t, env.OpenOptions{Workers: 1}, two, "actions: [{term: joint_position}, {term: joint_velocity}]\n"+
		"observations: {policy: [{term: last_action}]}\n").Sim().Spec()
	polytest.EqualSlices(t, spec.ActionNames, []string{"pan", "joint_velocity.pan"}, "the actions are called")
	polytest.EqualSlices(t, spec.ObservationNames, []string{"last_action_pan", "last_action_joint_velocity.pan"},
		"the observations are called")
}

// An arm that is fixed to the world, with an object that moves freely.
const arm = `<mujoco><worldbody>
  <body name="shoulder"><joint name="pan" axis="0 0 1" range="-90 90"/>
    <geom name="upper" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
    <body name="hand" pos=".3 0 0"><joint name="lift" axis="0 1 0"/><geom type="sphere" size=".04"/><site name="tip"/>
    </body></body>
  <body name="cube" pos=".5 0 .5"><freejoint name="cube"/><geom type="box" size=".02 .02 .02"/></body>
</worldbody><actuator><motor name="pan" joint="pan" gear="2"/><motor joint="lift"/></actuator></mujoco>`

func TestDescribedArm(t *testing.T) {
	const base = `
actions: [{term: joint_effort, scale: 0.5}]
observations:
  policy:
    - {term: joint_pos_rel}
    - {name: tip, expr: site.tip.position}
    - {name: cube, expr: "joint.cube.position[2]"}
    - {term: generated_commands, command: goal}
commands: [{name: goal, term: uniform_pose, body: hand, pos_x: [0.2, 0.3]}]
rewards: [{term: position_command_error_tanh, command: goal, weight: 1}]
`
	e := open(t, env.OpenOptions{Workers: 1}, arm, base)
	e.Sim().Actions()[0], e.Sim().Actions()[1] = 1, -1
	step(t, e)
	polytest.EqualSlices(t, stateOf(t, e, 0, "control"), []float64{0.5, -0.5}, "control")
	if tip := observed(e, 0, "tip"); math.Abs(math.Hypot(math.Hypot(tip[0], tip[1]), tip[2])-0.3) > 1e-9 {
		t.Errorf("the tip is at %v, want 0.3 m from the shoulder", tip)
	}
	if z := observed(e, 0, "cube")[0]; !(z < 0.5 && z > 0.49) {
		t.Errorf("the cube fell to %v, want a little below 0.5", z)
	}
	const noBase = "needs a base that moves freely, and the robot has no free joint"
	for _, c := range []struct{ from, to, want string }{ // changes of base
		{"", "terminations: [{term: bad_orientation}]\n", "terminations[0]: projected_gravity " + noBase},
		{"", "start: {height: 1}\n", "start.height: " + noBase},
		{"", "events: [{term: reset_root_state_uniform}]\n", "events[0]: " + noBase},
		{"joint_pos_rel", "base_lin_vel", "observations.policy[0]: base_lin_vel " + noBase},
		{"site.tip.position", "base_height", "observations.policy[1]: base_height " + noBase},
		{"joint_effort, scale: 0.5", "joint_position", "actions[0].joints: joint pan has no position actuator, only pan " +
			"(effort); scene.actuators with type: position and replace: true gives it one"},
		{"joint_effort", "joint_effort, joints: [cube, pan]",
			`actions[0].joints[0]: no actuated joint matches "cube", want one of pan, lift`},
		{"body: hand", "body: hnd", `commands[0].body: no body "hnd"; did you mean hand?`},
	} {
		polytest.ErrorContains(t, refusal(t, arm, strings.Replace(base, c.from, c.to, 1)), c.want)
	}
}

// The base of a robot without hinges and slides is what its actuators push, not what lies about; a robot of ball joints
// has the one that carries them.
func TestBaseOfRobotsWithoutHinges(t *testing.T) {
	const things = `<mujoco><worldbody><body name="prop" pos="2 0 3"><freejoint name="prop"/><geom size=".1"/></body>
		<body name="robot" pos="0 0 1"><freejoint/><geom size=".1"/><site name="m"/>INSIDE</body></worldbody>DRIVE</mujoco>`
	const ball = `<body><joint name="ball" type="ball"/><geom size=".05" pos="0 0 .2"/>
		<site name="n" pos="0 .1 .2"/></body>`
	for name, c := range map[string][2]string{
		"a motor at a site":       {"", `<actuator><motor site="m" gear="0 0 1 0 0 0"/></actuator>`},
		"a motor of a ball joint": {ball, `<actuator><motor joint="ball" gear="1 0 0"/></actuator>`},
		"a motor of a tendon": {ball, `<tendon><spatial name="t"><site site="m"/><site site="n"/></spatial></tendon>
			<actuator><motor tendon="t"/></actuator>`},
	} {
		model := strings.NewReplacer("INSIDE", c[0], "DRIVE", c[1]).Replace(things)
		const sections = `
actions: [{term: actuator_control, actuators: [".*"]}]
observations: {policy: [{term: base_pos_z}]}
`
		e := open(t, env.OpenOptions{Workers: 1}, model, sections)
		if z := e.Sim().Observations()[0]; z != 1 {
			t.Errorf("%s: the base is at %v m, want 1", name, z)
		}
	}
}

// faults keeps the messages of the faults that ended episodes.
type faults []string

func (f *faults) Rewarded(*sim.World, float64) {}

func (f *faults) Ended(_ *sim.World, e sim.Episode) {
	if e.Fault != physics.FaultNone {
		*f = append(*f, e.FaultMessage)
	}
}

// TestDescribedFaultsNameTheEntry has formulas without a finite value.
func TestDescribedFaultsNameTheEntry(t *testing.T) {
	for sections, want := range map[string]string{
		`
observations: {policy: [{term: last_action}]}
rewards: [{term: is_alive, weight: 1}, {name: root, expr: "log(-time)", weight: 2}]
`: "the reward of step 1 is NaN: reward/root is NaN",
		`
observations: {policy: [{term: last_action}, {name: far, expr: "[1, 1 / (episode_step - 2)]"}]}
`: "observation value 13 (far[1]) is +Inf",
	} {
		var got faults
		e := open(t, env.OpenOptions{Workers: 1, Observers: []sim.Observer{&got}}, "", plainAction+sections, "worlds=1")
		for range 3 {
			step(t, e)
		}
		if len(got) == 0 || got[0] != want {
			t.Errorf("faults %q, want %q", got, want)
		}
	}
}
