package checkup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/starter"
	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// warnings returns those of the configuration that train new writes for the built-in quadruped, with changes.
func warnings(t *testing.T, sets ...string) []string {
	t.Helper()
	model := polytest.Must(starter.Open("../../../configs/quadruped.xml", false))(t)
	defer model.Close()
	text, _, err := model.Configuration(".", starter.Tuning{})
	polytest.NoError(t, err)
	c := polytest.Must(configs.Parse("walk.yaml", text, sets, nil))(t)
	r, err := Run(t.Context(), c)
	if err != nil && strings.Contains(err.Error(), "libembree3-3") {
		t.Skip(err)
	}
	polytest.NoError(t, err)
	return r.Warnings
}

// Each mistake in a configuration has its warning.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ set, want []string }{
		{nil, nil},
		{[]string{`scene.physics={integrator: euler}`, `scene.actuators=[{joints: [".*"], kp: 1e6, kd: 1e5, replace: true}]`},
			[]string{"unstable: ", "too stiff for physics steps of 2 ms"}},
		{[]string{"start.height=0.1"},
			[]string{"contact at the start: geom ", "falls: with actions of 0 an episode ends after "}},
		{[]string{`scene.actuators=[{joints: [".*"], kp: 40, kd: 1, effort: 0.5, replace: true}]`},
			[]string{"saturated: actuators "}},
		{[]string{"start.height=400", `terminations=[{term: bad_orientation, limit: 1}]`}, []string{
			"start: the base falls at up to 9.8 m/s with actions of 0, so it begins high above the floor",
			"episodes: no time limit; an evaluation truncates an episode after 10000 control steps"}},
		{[]string{"start.joints={.*_knee: 3}", "bindings.physics.substeps=2"}, []string{
			"start: joint FL_knee begins at 3, beyond its range of -2.6 to -0.5; see start.joints",
			"timestep: physics steps take 10 ms, those of the model's file 2 ms; bindings.physics.substeps: 10 gives these"}},
		{[]string{`actions=[{term: joint_position, scale: {"FL_.*": 0, "(FR|RL|RR)_.*": 0.2}}]`, "recording.enabled=false",
			"runners.Capture.rate=29.97", "runners.Sensors.rate=1000",
			`rewards=[{name: nothing, expr: "0 * base_height", weight: 1}, {term: is_alive, weight: 0}]`},
			[]string{"undriven: actuators FL_abduction, FL_hip, FL_knee are held at one control",
				"nothing reads it: no observation, no expression and no dataset",
				"runners: Robot at 50 Hz and Capture at 29.97 Hz meet only every 100 s",
				"is faster than physics at 500 Hz, so that samples repeat",
				"rewards.nothing: always 0", "rewards.is_alive: its weight is 0"}},
		{[]string{"rewards.joint_torques_l2.weight=-4e32"},
			[]string{"rewards.joint_torques_l2: up to ", "per step, where all others together are at most "}},
		{[]string{"events.body_mass.ranges=[0, 0]"},
			[]string{"events.body_mass: ranges is a factor of 0, which leaves nothing"}},
		{[]string{`rewards=[{name: root, expr: "sqrt(-1)", weight: 1}]`}, []string{"fault: 400 episodes in 8 worlds ended " +
			"because a value was not finite (the reward of step 1 is NaN: reward/root is NaN)"}},
		{[]string{`rewards=[{name: huge, expr: "1e300", weight: 1e8}, {name: none, expr: "0 * base_height", weight: 1}]`,
			"training.normalise_observations=false", "observations.policy.joint_vel_rel.scale=1e5"},
			[]string{"rewards.none: always 0", "a scale or a clip helps"}},
		{[]string{"training.normalise_observations=false", "observations.policy.joint_vel_rel.scale=500",
			`commands.velocity.lin_vel_y=[0, 0]`, `observations.critic=[{term: base_lin_vel}, {name: one, expr: "dt"}]`},
			[]string{"are of very different size", "observations: always the same: critic/one (0.02)"}},
		{[]string{"sensors=[{name: low, runner: Capture, camera: {position: [3, 3, 0.005], width: 4, height: 4}}, " +
			"{name: high, runner: Capture, camera: {position: [3, 3, 0.1], width: 4, height: 4}}]"}, []string{
			"sensors.low: it sees nothing nearer than 0.0", "m, and something is 0.005 m before it at the start"}},
	} {
		t.Run(strings.Join(c.set, " "), func(t *testing.T) {
			t.Parallel()
			got := warnings(t, c.set...)
			for _, want := range c.want {
				if !slices.ContainsFunc(got, func(w string) bool { return strings.Contains(w, want) }) {
					t.Errorf("warnings %q, want %q", got, want)
				}
			}
			if slices.ContainsFunc(got, func(w string) bool { return strings.HasPrefix(w, "sensors.high") }) {
				t.Errorf("warnings %q", got)
			}
			if c.set == nil && got != nil && len(got) > 0 {
				t.Errorf("warnings %q, want none", got)
			}
		})
	}
}

// What start.joints gives is not what the model's constraints let be.
func TestWarningsOfConstraints(t *testing.T) {
	model := filepath.Join(t.TempDir(), "hand.xml")
	polytest.NoError(t, os.WriteFile(model, []byte(`<mujoco><compiler angle="radian"/><worldbody>
		<body><joint name="a" axis="0 1 0"/><geom size=".1" contype="0" conaffinity="0"/><site name="s" pos="0 0 1"/></body>
		<body><joint name="b" axis="0 1 0"/><geom size=".1" contype="0" conaffinity="0"/><site name="r" pos="0 0 1"/></body>
		<body><joint name="c" axis="0 1 0"/><geom size=".1" contype="0" conaffinity="0"/></body></worldbody>
		<equality><joint joint1="c" joint2="a"/><connect name="loop" site1="s" site2="r"/></equality>
		<actuator><position joint="a" kp="1"/></actuator></mujoco>`), 0o666))
	for start, want := range map[string]string{
		"{a: 0.3, b: 0.3}": "",
		"{a: 0.3}":         "start: the connect constraint loop of the model is off by ",
		"{a: 0.3, b: 0.3, c: 0.5}": "start: joint c begins at 0.3, where a has it, not at 0.5: the model couples them; " +
			"see start.joints",
	} {
		c := polytest.Must(configs.Parse("hand.yaml", []byte("task: {name: hand}\nstart: {joints: "+start+"}\n"+
			"scene: {models: [{file: "+model+"}], floor: false}\nactions: [{term: joint_position, scale: 0.1}]\n"+
			"observations: {policy: [{term: joint_pos_rel}]}\n"), nil, nil))(t)
		var got []string
		for _, w := range polytest.Must(Run(t.Context(), c))(t).Warnings {
			if strings.HasPrefix(w, "start: ") {
				got = append(got, w)
			}
		}
		if text := strings.Join(got, "; "); !strings.HasPrefix(text, want) || len(got) > 1 || (want == "") != (text == "") {
			t.Errorf("with %s warnings are %q, want %q", start, got, want)
		}
	}
}

// A channel is read by any term with the parameter channel, and by both spellings in expressions; one whose
// name only begins like it is not. A reward that the curriculum only begins later is no mistake.
func TestNoWarnings(t *testing.T) {
	var unread []string
	for _, w := range warnings(t, "recording.enabled=false",
		`rewards=[{term: is_alive, weight: 1}, {name: later, expr: "base_height", weight: 1}]`,
		"curriculum=[{term: reward_weight, reward: later, stages: [{step: 0, weight: 0}, {step: 1000, weight: 1}]}]",
		`sensors=[{name: a, runner: Robot, sources: [sensor/imu_quat]},
			{name: left-b, runner: Robot, sources: [sensor/imu_gyro]},
			{name: c, runner: Robot, sources: [sensor/imu_gyro]}, {name: cd, runner: Robot, sources: [sensor/imu_gyro]}]`,
		`observations.policy=[{term: projected_gravity, channel: a}, {name: b, expr: 'sensor["left-b"][0]'},
			{name: d, expr: 'norm(sensor.cd)'}]`) {
		if name, ok := strings.CutSuffix(w, ": nothing reads it: no observation, no expression and no dataset"); ok {
			unread = append(unread, name)
		}
		if strings.Contains(w, "rewards.later") {
			t.Error(w)
		}
	}
	polytest.EqualSlices(t, unread, []string{"sensors.c"}, "unread")
}
