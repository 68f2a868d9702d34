package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/checkup"
)

// started returns a configuration that train new wrote for the built-in quadruped.
func started(t *testing.T) string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "walk.yaml")
	mustTrain(t, "new", "../tasks/quadruped/quadruped.xml", "--out", config)
	return config
}

// check runs train check and returns its report.
func check(t *testing.T, args ...string) checkup.Report {
	t.Helper()
	all := lines[checkup.Report](t, mustTrain(t, append([]string{"check", "--format", "json"}, args...)...))
	if len(all) != 1 {
		t.Fatalf("%d lines, want one", len(all))
	}
	return all[0]
}

// What train new writes passes its check, and the report says what it is.
func TestCheckOfNew(t *testing.T) {
	config := started(t)
	r := check(t, "--config", config)
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q, want none", r.Warnings)
	}
	if r.Task != "quadruped-velocity" || r.Model == nil || r.Model.Actuators != 12 || len(r.Actions) != 12 || len(r.Groups) != 2 || r.Rates.Control != "50" || r.Rates.Substeps != 10 {
		t.Errorf("the report says %+v", r)
	}
	i := slices.IndexFunc(r.Terms, func(e checkup.Term) bool { return e.Section == "rewards" && e.Name == "track_lin_vel_xy_exp" })
	if i < 0 || *r.Terms[i].Weight != 2 || r.Terms[i].Given["std"] != 0.5 {
		t.Errorf("the terms are %+v", r.Terms)
	}
	if r.Trial.Seconds != 1 || r.Trial.Worlds != 8 || r.Trial.Rest.Episodes > 0 {
		t.Errorf("the trial was %+v", r.Trial)
	}
	text := mustTrain(t, "check", "--config", config)
	for _, want := range []string{"quadruped-velocity", "SECTION", "PHASE", "REWARD PER STEP", "no warnings"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Each mistake in a configuration has its warning.
func TestCheckWarns(t *testing.T) {
	config := started(t)
	for _, c := range []struct {
		set  []string
		want string
	}{
		{[]string{`scene.physics={integrator: euler}`, `scene.actuators=[{joints: [".*"], kp: 1e6, kd: 1e5, replace: true}]`}, "unstable: "},
		{[]string{"start.height=0.1"}, "contact at the start: geom "},
		{[]string{`scene.actuators=[{joints: [".*"], kp: 40, kd: 1, effort: 0.5, replace: true}]`}, "saturated: actuators "},
		{[]string{"start.height=0.1"}, "falls: with actions of 0 an episode ends after "},
		{[]string{"recording.enabled=false"}, "nothing reads it: no observation, no expression and no dataset"},
		{[]string{`rewards=[{name: nothing, expr: "0 * base_height", weight: 1}]`}, "rewards.nothing: always 0"},
		{[]string{`rewards=[{term: is_alive, weight: 0}]`}, "rewards.is_alive: its weight is 0"},
		{[]string{`rewards=[{name: root, expr: "sqrt(-1)", weight: 1}]`}, "fault: 400 episodes in 8 worlds ended because a value was not finite (the reward of step 1 is NaN: reward/root is NaN)"},
		{[]string{`rewards=[{name: huge, expr: "1e300", weight: 1e8}, {name: none, expr: "0 * base_height", weight: 1}]`}, "rewards.none: always 0"},
		{[]string{"runners.Capture.rate=29.97"}, "runners: Robot at 50 Hz and Capture at 29.97 Hz meet only every 100 s"},
		{[]string{"bindings.physics.substeps=2"}, "timestep: physics steps take 10 ms, those of the model's file 2 ms; bindings.physics.substeps: 10 gives these"},
		{[]string{"runners.Sensors.rate=1000"}, "is faster than physics at 500 Hz, so that samples repeat"},
		{[]string{`scene.actuators=[{joints: [".*"], kp: 1e6, kd: 100, replace: true}]`}, "too stiff for physics steps of 2 ms"},
		{[]string{"training.normalise_observations=false", "observations.policy.joint_vel_rel.scale=1e5"}, "a scale or a clip helps"},
		{[]string{"training.normalise_observations=false", "observations.policy.joint_vel_rel.scale=500"}, "are of very different size"},
		{[]string{`commands.velocity.lin_vel_y=[0, 0]`, `observations.critic=[{term: base_lin_vel}, {name: one, expr: "dt"}]`}, "observations: always the same: critic/one (0.02)"},
	} {
		args := []string{"--config", config}
		for _, set := range c.set {
			args = append(args, "--set", set)
		}
		r := check(t, args...)
		if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, c.want) }) {
			t.Errorf("%q: warnings %q, want %q", c.set, r.Warnings, c.want)
		}
	}
}

// A channel is read by any term with the parameter channel, and by both spellings in
// expressions; one whose name only begins like it is not.
func TestCheckSeesWhatReadsAChannel(t *testing.T) {
	r := check(t, "--config", started(t), "--set", "recording.enabled=false",
		"--set", `sensors=[{name: a, runner: Robot, sources: [sensor/imu_quat]}, {name: left-b, runner: Robot, sources: [sensor/imu_gyro]},
			{name: c, runner: Robot, sources: [sensor/imu_gyro]}, {name: cd, runner: Robot, sources: [sensor/imu_gyro]}]`,
		"--set", `observations.policy=[{term: projected_gravity, channel: a}, {name: b, expr: 'sensor["left-b"][0]'}, {name: d, expr: 'norm(sensor.cd)'}]`)
	var unread []string
	for _, w := range r.Warnings {
		if name, ok := strings.CutSuffix(w, ": nothing reads it: no observation, no expression and no dataset"); ok {
			unread = append(unread, name)
		}
	}
	if !slices.Equal(unread, []string{"sensors.c"}) {
		t.Errorf("unread are %q, want sensors.c; warnings %q", unread, r.Warnings)
	}
}

// A wrong configuration ends with exit code 2, one that only looks wrong with 0, and a
// built-in task can be checked too.
func TestCheckCodes(t *testing.T) {
	if code, _, errs := train(t, "check", "--task", "quadruped", "--set", "sensors.gyro.sources=[sensor/none]"); code != Usage || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d: %s", code, errs)
	}
	r := check(t, "--task", "LunarLander-v3")
	if r.Model != nil || len(r.Terms) > 0 || len(r.Groups) != 1 || r.Trial.Random.Worlds != 4 {
		t.Errorf("the report of a task on Box2D says %+v", r)
	}
}

// A reward that the curriculum only begins later is no mistake.
func TestCheckKnowsStagedRewards(t *testing.T) {
	args := []string{"--config", started(t), "--set", `rewards=[{term: is_alive, weight: 1}, {name: later, expr: "base_height", weight: 1}]`}
	r := check(t, append(args, "--set", "curriculum=[{term: reward_weight, reward: later, stages: [{step: 0, weight: 0}, {step: 1000, weight: 1}]}]")...)
	if slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "rewards.later") }) {
		t.Errorf("warnings %q, want none of rewards.later", r.Warnings)
	}
}
