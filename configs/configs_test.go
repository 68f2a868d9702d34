package configs

import (
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// parse parses a configuration with a task, so that it is valid otherwise.
func parse(text string, overrides, environ []string) (*Config, error) {
	return Parse("test.yaml", []byte("task: {name: quadruped}\n"+text), overrides, environ)
}

func mustParse(t *testing.T, text string, overrides, environ []string) *Config {
	t.Helper()
	c := polytest.Must(parse(text, overrides, environ))(t)
	return c
}

// rate parses a valid rate.
func rate(text string) Rate {
	r, err := ParseRate(text)
	if err != nil {
		panic(err)
	}
	return r
}

func TestEmptyFileIsDefault(t *testing.T) {
	want := Default()
	want.Task.Name = "quadruped"
	if got := mustParse(t, "", nil, nil); !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestLayers(t *testing.T) {
	c := mustParse(t, "worlds: 8\nseed: 1\nmax_steps: 100\ntraining: {gamma: 1, lambda: 0.9}",
		[]string{"worlds=32", "worlds=48"},
		[]string{"HOME=/root", "POLYRHYTHM_WORLDS=16", "POLYRHYTHM_SEED=18446744073709551615",
			"POLYRHYTHM_TRAINING_GAMMA=0.95", "POLYRHYTHM_TASK_OPTIONS_COMMAND_SPEED=0.8"})
	if c.Worlds != 48 || c.Seed != 1<<64-1 || c.MaxSteps != 100 {
		t.Errorf("got worlds %d, seed %d, max_steps %d; want 48 of the last flag, 2^64-1 of the variable, 100 of the file",
			c.Worlds, c.Seed, c.MaxSteps)
	}
	if tr := c.Training; tr.Gamma != 0.95 || tr.Lambda != 0.9 || tr.Epochs != Default().Training.Epochs {
		t.Errorf("got gamma %v, lambda %v, epochs %d; want 0.95 of the variable, 0.9 of the file, the default", tr.Gamma,
			tr.Lambda, tr.Epochs)
	}
	polytest.Equal(t, c.Task.Options["command_speed"], 0.8, "task option of a variable")
}

func TestListsReplaceThoseBelow(t *testing.T) {
	c := mustParse(t, "training: {hidden: [32]}\nrunners: [{name: Robot, rate: 20}]", nil, nil)
	polytest.EqualSlices(t, c.Training.Hidden, []int{32}, "hidden")
	polytest.EqualSlices(t, c.Runners, []Runner{{"Robot", rate("20"), false}}, "runners")
}

func TestMappingsMerge(t *testing.T) {
	c := mustParse(t, "training: {gamma: 0.5, lambda: 0.5, clip: 0.5}",
		[]string{"training.lambda=0.6", "training={clip: 0.7, entropy: 0.1}", "task.options={a: {b: 1}}",
			"task.options={a: {c: 2}}"}, nil)
	if tr := c.Training; tr.Gamma != 0.5 || tr.Lambda != 0.6 || tr.Clip != 0.7 || tr.Entropy != 0.1 {
		t.Errorf("got gamma %v, lambda %v, clip %v, entropy %v; want 0.5, 0.6, 0.7, 0.1", tr.Gamma, tr.Lambda, tr.Clip,
			tr.Entropy)
	}
	want := map[string]any{"a": map[string]any{"b": 1, "c": 2}}
	if !reflect.DeepEqual(c.Task.Options, want) {
		t.Errorf("options: got %v, want %v", c.Task.Options, want)
	}
	_, err := parse("", []string{"task.options.a=1", "task.options.a.b=2"}, nil)
	if want := "--set task.options.a.b=2: task.options.a.b: task.options.a is 1, want a mapping"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOverrideEntriesByName(t *testing.T) {
	c := mustParse(t, `
bindings: [{name: recorder, runner: Capture}]
sensors: [{name: IMU, runner: Sensors, sources: [sensor/gyro], noise: {std: 1}, latency: 2ms}]`,
		[]string{
			"runners.Capture.rate=29.97", "runners.Sensors.enabled=false",
			"bindings.recorder.priority=5", "bindings.physics.substeps=10",
			"sensors.IMU.noise.std=0.5", "sensors.IMU.latency=4ms",
		}, nil)
	if want := (Runner{"Capture", rate("29.97"), false}); c.Runners[1] != want {
		t.Errorf("got %v, want %v", c.Runners[1], want)
	}
	if !c.Runners[2].Disabled {
		t.Error("runner Sensors is still enabled")
	}
	if b := c.Bindings[0]; b.Runner != "Capture" || b.Priority == nil || *b.Priority != 5 || b.Disabled != nil {
		t.Errorf("got %+v, want runner Capture, priority 5, enabled not given", b)
	}
	if b := c.Bindings[1]; b.Name != "physics" || b.Substeps == nil || *b.Substeps != 10 {
		t.Errorf("got %+v, want a new binding physics with 10 substeps", b)
	}
	if s := c.Sensors[0]; s.Noise.Std != 0.5 || s.Latency != 4*time.Millisecond || s.Name != "IMU" || bool(s.Disabled) {
		t.Errorf("got %+v, want std 0.5, latency 4ms and the rest as it was", s)
	}
	polytest.Equal(t, Default().Runners[1].Rate.String(), "30", "an override changed the defaults")
}

// null removes the entry of a name from a list.
func TestOverrideRemovesEntries(t *testing.T) {
	text := walking + `rewards: [{name: gait, expr: '1', weight: 1}, {term: is_alive, weight: 2}]
terminations: [{term: time_out}, {name: low, expr: "1"}]
bindings: [{name: recorder, runner: Capture}]`
	text = strings.Replace(text, "[{term: last_action}]",
		"{noise: false, terms: [{term: last_action}, {term: joint_pos_rel}]}", 1)
	text = strings.Replace(text, "policy: ", "critic: [{term: joint_vel_rel}, {name: own, expr: qpos}], policy: ", 1)
	c := mustParse(t, text, []string{"rewards.is_alive=null", "terminations.low=~", "observations.policy.last_action=null",
		"observations.critic.own=null", "bindings.recorder=null", "runners.Sensors=null", "rewards.gait.weight=3"}, nil)
	if len(c.Rewards) != 1 || c.Rewards[0]["name"] != "gait" || c.Rewards[0]["weight"] != 3 || len(c.Terminations) != 1 ||
		c.Terminations[0]["term"] != "time_out" || len(c.Bindings) != 0 || len(c.Runners) != 2 {
		t.Errorf("got\n%s", c.YAML())
	}
	policy, critic := c.Observations["policy"], c.Observations["critic"]
	if len(policy.Terms) != 1 || policy.Terms[0]["term"] != "joint_pos_rel" || policy.Noise || len(critic.Terms) != 1 {
		t.Errorf("got groups %+v and %+v", policy, critic)
	}
	alone := mustParse(t, text, []string{"observations.critic=null", "observations.policy.noise=true"}, nil)
	if len(alone.Observations) != 1 || len(alone.Observations["policy"].Terms) != 2 || !alone.Observations["policy"].Noise {
		t.Errorf("got groups %+v, want the policy's", alone.Observations)
	}
	again := polytest.Must(c.With([]string{"observations.critic"}, []string{"null"}))(t)
	polytest.Equal(t, len(again.Observations), 1, "groups")
	polytest.Equal(t, len(c.Observations), 2, "groups of the configuration that was changed")
	swept := polytest.Must(c.With([]string{"terminations.time_out"}, []string{"null"}))(t)
	polytest.Equal(t, len(swept.Terminations), 0, "terminations")
	for set, want := range map[string]string{
		"rewards.gate=null":        "rewards.gate: unknown name, want one of gait, is_alive",
		"bindings.physics=null":    "bindings.physics: unknown name, want one of recorder",
		"rewards.gait.weight=null": `rewards[0].weight: not given, want a number`,
		"rewards.=null":            `rewards.: unknown name, want one of gait, is_alive`,
		"observations.=null":       `observations.: unknown name, want one of critic, policy`,
		"observations.crtic=null":  "observations.crtic: unknown name; did you mean observations.critic?",
		"observations.policy=null": "observations",
		"runners.Robot=null":       `bindings[0].runner: no runner "Robot"`,
	} {
		text := text
		if strings.HasPrefix(set, "runners") {
			text = strings.Replace(text, "runner: Capture", "runner: Robot", 1)
		}
		_, err := parse(text, []string{set}, nil)
		polytest.ErrorContains(t, err, want)
	}
}

// With changes some keys of a configuration as the last overrides of its file would, and
// leaves the configuration alone.
func TestWith(t *testing.T) {
	text := "bindings: [{name: recorder, runner: Capture}]\ntraining: {gamma: 0.9, tensorboard: false, activation: elu}"
	c := mustParse(t, text, []string{"training.hidden=[8]"}, nil)
	before := string(c.YAML())
	keys, values := []string{"training.gamma", "bindings.recorder.priority", "runners.Capture.rate",
		"training.activation"}, []string{"0.5", "3", "29.97", "tanh"}
	got := polytest.Must(c.With(keys, values))(t)
	want := mustParse(t, text, []string{"training.hidden=[8]", "training.gamma=0.5", "bindings.recorder.priority=3",
		"runners.Capture.rate=29.97", "training.activation=tanh"}, nil)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if string(c.YAML()) != before {
		t.Error("the configuration itself has changed")
	}
	for value, want := range map[string]string{"2": "training.gamma is 2, want 0 to 1",
		"x": `training.gamma is "x", want a number`} {
		if _, err := c.With([]string{"training.gamma"}, []string{value}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
}

func TestRatesKeepTheirText(t *testing.T) {
	for written, want := range map[string]string{
		"29.97": "29.97", "200/3": "200/3", `"50"`: "50", "50": "50", "15ms": "15ms", "5e1": "50", "0.1": "0.1",
		`"050"`: "050", `"29.970"`: "29.970", "30000/1001": "30000/1001",
	} {
		c := mustParse(t, "runners: [{name: A, rate: "+written+"}]", nil, nil)
		polytest.Equal(t, c.Runners[0].Rate.String(), want, "rate %s", written)
		again, err := Parse("again", c.YAML(), nil, nil)
		if err != nil || again.Runners[0].Rate != c.Runners[0].Rate {
			t.Errorf("rate %s after a round trip: got %v, %v", written, again, err)
		}
	}
}

// A change takes a rate as a number or as text, as runners do.
func TestRatesOfChanges(t *testing.T) {
	for text, want := range map[string]string{
		"25": "25", "29.97": "29.97", "'200/3'": "200/3", "15ms": "200/3", "0.0000005": "1/2000000",
	} {
		c := mustParse(t, "", []string{"changes=[{n: 1, edits: [{set_rate: {name: Capture, rate: " + text + "}}]}]"}, nil)
		polytest.Equal(t, c.Changes[0].Edits.Edits[0].(runners.SetRate).Rate, rate(want).Rate, "%s", text)
	}
}

// The canonical form has edits as they were given, until a program changes them.
func TestEditsKeepTheirForm(t *testing.T) {
	const given = `changes:
  - "n": 1
    edits:
      - set_rate:
          name: Capture
          rate: "25"
      - add_runner:
          disabled: false
          name: Slow
          rate: 15ms
`
	c := mustParse(t, given, nil, nil)
	if text := string(c.YAML()); !strings.Contains(text, given) {
		t.Errorf("the canonical form is\n%s\nwant one with\n%s", text, given)
	}
	c.Changes[0].Edits.Edits[1] = runners.SetRate{Name: "Capture", Rate: runners.Hz(40)}
	again := polytest.Must(Parse("again.yaml", c.YAML(), nil, nil))(t)
	if got := again.Changes[0].Edits.Edits; !reflect.DeepEqual(got, c.Changes[0].Edits.Edits) {
		t.Errorf("edits that a program has changed are read back as %+v, want %+v", got, c.Changes[0].Edits.Edits)
	}
}

// walking is a described task that is whole but for what a test adds.
const walking = "scene: {models: [{file: x.xml}]}\nactions: [{term: joint_position}]\nobservations: {policy: " +
	"[{term: last_action}]}\n"

func TestErrors(t *testing.T) {
	imu := "sensors: [{name: imu, runner: Sensors, sources: [qpos], "
	for _, c := range []struct{ text, set, env, want string }{
		{text: "block_size: 17", set: "seed=1", want: "test.yaml: block_size is 17, want 0 to 16"},
		{text: "block_size: 1", set: "block_size=17", want: "block_size is 17, want 0 to 16"},
		{text: walking + "rewards: [{term: is_alive, weight: x}]",
			want: "test.yaml: rewards[0].weight is \"x\", want a number"},
		{text: walking + "episode: 0s", want: "test.yaml: episode is 0s, want 1ms to "},
		{text: walking + "rewards: [{name: gait, expr: '1', weight: 1}]", set: "rewards.gait=3",
			want: "--set rewards.gait=3: rewards.gait is 3, want a mapping of what changes in the entry, or null"},
		{env: "POLYRHYTHM_REWARDS_GAIT_WEIGHT=3", want: "variable POLYRHYTHM_REWARDS_GAIT_WEIGHT: a variable can only " +
			"set all of rewards, as POLYRHYTHM_REWARDS; want --set rewards.NAME.KEY=VALUE for a part of it"},
		{env: "POLYRHYTHM_RUNNERS_ROBOT_RATE=3", want: "want --set runners.NAME.KEY=VALUE for a part of it"},
		// keys
		{text: "training: {learning_rat: 1}", want: "test.yaml: training.learning_rat: unknown key; did you mean " +
			"training.learning_rate?"},
		{text: "learning_rate: 1", want: "test.yaml: learning_rate: unknown key; did you mean training.learning_rate?"},
		{env: "POLYRHYTHM_NUM_ENVS=8", want: "unknown configuration key; did you mean POLYRHYTHM_WORLDS?"},
		{text: "sim: {dt: 0.01}", want: "test.yaml: sim: unknown key, want one of task, model, scene, "}, // not time
		{set: "num_envs=8", want: "num_envs: unknown key; did you mean worlds?"},
		{set: "training.lr=1", want: "training.lr: unknown key; did you mean training.learning_rate?"},
		{set: "total_timesteps=1", want: "total_timesteps: unknown key; did you mean training.steps?"},
		{set: "training.batch_size=1", want: "training.batch_size: unknown key; did you mean training.minibatch?"},
		{set: "time.zzz=1", want: "time.zzz: unknown key, want one of mode, "},
		{text: "training: {stpo: null}", want: "test.yaml: training.stpo: unknown key; did you mean training.steps?"},
		{text: "training: {steps: null}\nlearning_rate: ~", want: "test.yaml: learning_rate: unknown key; did you mean " +
			"training.learning_rate?"},
		{text: "runners: [{name: A, rat: null}]", want: "test.yaml: runners[0].rat: unknown key; did you mean runners[0].rate?"},
		{set: "training={stpo: null}", want: "training.stpo: unknown key; did you mean training.steps?"},
		{text: "runner: []", want: "test.yaml: runner: unknown key; did you mean runners?"},
		{text: "Worlds: 1", want: "test.yaml: Worlds: unknown key; did you mean worlds?"},
		{text: "runners: [{name: A, rat: 1}]", want: "test.yaml: runners[0].rat: unknown key; did you mean runners[0].rate?"},
		{text: imu + "noise: {sdt: 1}}]", want: "test.yaml: sensors[0].noise.sdt: unknown key; did you mean " +
			"sensors[0].noise.std?"},
		{text: "training.steps: 1", want: "test.yaml: training.steps: unknown key; did you mean training.steps?"},
		{set: "TRAINING.Gama=1", want: "--set TRAINING.Gama=1: TRAINING: unknown key; did you mean training?"},
		{text: "training: {GAMMA: 1}", want: "test.yaml: training.GAMMA: unknown key; did you mean training.gamma?"},
		{set: "runners.CAPTURE.rate=1", want: "runners.CAPTURE: unknown name; did you mean runners.Capture?"},
		{env: "POLYRHYTHM_training_epochs=1", want: "did you mean POLYRHYTHM_TRAINING_EPOCHS?"},
		{set: "wolrds=1", want: "--set wolrds=1: wolrds: unknown key; did you mean worlds?"},
		{set: "runners.Capture.rat=1", want: "runners.Capture.rat: unknown key; did you mean runners.Capture.rate?"},
		{set: "runners.Captur.rate=1", want: "runners.Captur: unknown name; did you mean runners.Capture?"},
		{set: "sensors.imu.latency=1ms", want: "sensors.imu: unknown name; sensors is empty"},
		{set: "runners.Capture=3", want: "runners.Capture is 3, want a mapping of what changes in the entry, or null, which removes it"},
		{set: "worlds", want: "--set worlds: want key=value"},
		{set: "training.gamma=" + strings.Repeat("ü", 9000), want: "--set training.gamma=" + strings.Repeat("ü", 185) + "…: training.gamma"},
		{set: "training={gamma: 2" + strings.Repeat(" ", 9000) + "}",
			want: "--set training={gamma: 2" + strings.Repeat(" ", 182) + "…: training.gamma is 2, want 0 to 1"},
		{set: "worlds.x=1", want: "worlds is a mapping, want a whole number"},
		{set: "=1", want: ": unknown key"},
		{env: "POLYRHYTHM_TRAINING_LEARNING_RAT=1", want: "variable POLYRHYTHM_TRAINING_LEARNING_RAT: unknown " +
			"configuration key; did you mean POLYRHYTHM_TRAINING_LEARNING_RATE?"},
		{text: "worlds: 1\nworlds: 2", want: `"worlds" already defined`},
		{text: "1: 2", want: "want keys that are text"},
		{text: "training: {stop: {metric:mean_return, value: 5}}",
			want: `training.stop: "metric:mean_return" has no space behind its colon, want "metric: mean_return"`},
		{text: "<<: 3", want: "map merge requires map"},

		// numbers
		{text: "training: {gamma: .nan}", want: "test.yaml: training.gamma is NaN, want a finite number"},
		{text: imu + "noise: {std: .inf}}]", want: "sensors[0].noise.std is +Inf, want a finite number"},
		{text: "task: {name: a}", want: `"task" already defined`},
		{set: "task.options.deep={a: .inf}", want: "task.options.deep.a is +Inf, want a finite number"},
		{text: "training: {hidden: [.inf]}", want: "training.hidden[0] is +Inf, want a whole number"},
		{set: "task.options.deep={a: [.nan]}", want: "task.options.deep.a[0] is NaN, want a finite number"},
		{set: "training.gamma=.nan", want: "training.gamma is NaN, want a finite number"},
		{env: "POLYRHYTHM_TRAINING_GAMMA=.inf", want: "variable POLYRHYTHM_TRAINING_GAMMA: training.gamma is +Inf, want " +
			"a finite number"},
		{text: "runners: [{name: A, rate: .nan}]", want: "runners[0].rate is NaN, want a finite number"},
		{text: "worlds: 1.5", want: "worlds is 1.5, want a whole number"},
		{text: "worlds: 1e300", want: "worlds is 1e+300, want a whole number"},
		{text: "worlds: 18446744073709551615", want: "worlds is 18446744073709551615, want a whole number of at most " +
			"9223372036854775807"},
		{text: "seed: -1", want: "seed is -1, want a whole number from 0 to 18446744073709551615"},
		{text: "seed: 18446744073709551616", want: "seed is 1.8446744073709552e+19, want a whole number from 0 to " +
			"18446744073709551615"},

		// types
		{text: "worlds: many", want: `worlds is "many", want a whole number`},
		{text: "model: 3", want: "model is 3, want text"},
		{text: "training: 3", want: "training is 3, want a mapping of keys to values"},
		{text: "training: {clip_value: 1}", want: "training.clip_value is 1, want true or false"},
		{text: "training: {hidden: [64, null]}", want: "training.hidden[1] is null, want a value"},
		{text: "runners: {A: 50}", want: "runners.A is 50, want a mapping of what changes in the entry"},
		{text: "runners: [50]", want: "runners[0] is 50, want a mapping of keys to values"},
		{text: "runners: [{name: A, rate: true}]", want: "runners[0].rate is true, want a rate such as 50, 29.97, 200/3 " +
			"or 15ms"},
		{text: imu + "latency: soon}]", want: `sensors[0].latency is "soon", want a time with its unit, such as 4ms`},
		{text: "model: 2026-11-21", want: "model is a date, want text or a number; quote it if it is text"},
		{set: "worlds=", want: `worlds is "", want a whole number`},
		{text: "worlds: 010", want: "test.yaml: worlds is 010, want a whole number without a leading 0"},
		{set: "training.hidden=[64, 064]", want: "training.hidden[1] is 064, want a whole number without a leading 0"},
		{env: "POLYRHYTHM_WORLDS=+08", want: "variable POLYRHYTHM_WORLDS: worlds is +08, want a whole number without a"},
		{set: "task.name.first=x", want: "task.name is a mapping, want text"},
		{set: "task.name=../../x/y",
			want: `--set task.name=../../x/y: task.name is "../../x/y", want one that can name a folder`},
		{set: "training.gamma=2", want: "--set training.gamma=2: training.gamma is 2, want 0 to 1"},
		{env: "POLYRHYTHM_TRAINING_GAMMA=2", want: "variable POLYRHYTHM_TRAINING_GAMMA: training.gamma is 2, want 0 to 1"},
		{set: "training={gamma: 2}", want: "--set training={gamma: 2}: training.gamma is 2, want 0 to 1"},
		{set: "task.options.A=1", want: `task.options: key "A", want only the characters a-z, 0-9 and _`},
		{text: "worlds: 1\n---\nworlds: 2", want: "test.yaml: want one YAML document, got more than one"},
		{text: "worlds: [", want: "test.yaml: yaml: line"},

		// ranges and names
		{text: "worlds: 0", want: "worlds is 0, want 1 to 1048576"},
		{text: "recording: {batch_rows: 65537}", want: "recording.batch_rows is 65537, want 1 to 65536"},
		{text: "recording: {memory_mb: 99999999999999}", want: "recording.memory_mb is 99999999999999, want 1 to 1048576"},
		{text: "worlds: 1048577", want: "worlds is 1048577, want 1 to 1048576"},
		{text: "workers: 1025", want: "workers is 1025, want 0 to 1024"},
		{text: "autoreset: sometimes", want: `autoreset is "sometimes", want same_step, next_step or disabled`},
		{text: "recording: {infos: true}", want: "recording.infos is true, want the table control in recording.tables"},
		{text: "recording: {sync: often}", want: `recording.sync is "often", want none, close or batch`},
		{text: "training: {gamma: 1.5}", want: "training.gamma is 1.5, want 0 to 1"},
		{text: "training: {schedule: cosine}", want: `training.schedule is "cosine", want constant, linear or adaptive`},
		{text: "training: {schedule: adaptive}", want: "training.target_kl is 0, want more than 0, at most 1000"},
		{text: "training: {clip: 0}", want: "training.clip is 0, want more than 0, at most 1000"},
		{text: "training: {hidden: [" + strings.Repeat("1, ", 17) + "]}",
			want: "training.hidden: the number of layers is 17, want 0 to 16"},
		{text: "training: {hidden: [8, 0]}", want: "training.hidden[1] is 0, want 1 to 16384"},
		{text: "runners: []", want: "runners: the number of runners is 0, want 1 to 8"},
		{text: "runners: [" + strings.Repeat("{name: A, rate: 1}, ", 9) + "]",
			want: `runners[1].name: "A" is given twice, want different names`},
		{text: "runners: [{name: " + strings.Join(strings.Split("ABCDEFGHI", ""), ", rate: 1}, {name: ") + ", rate: 1}]",
			want: "runners: the number of runners is 9, want 1 to 8"},
		{text: "runners: [{name: A}]", want: "runners[0].rate: not given"},
		{text: "runners: [{name: A, rate: 0}]", want: `runners[0].rate: rate "0": not positive`},
		{text: "runners: [{name: A, rate: fast}]", want: `runners[0].rate: rate "fast": not a number`},
		{text: "runners: [{name: A B, rate: 1}]",
			want: `runners[0].name is "A B", want one or more printable characters without dots, equals signs and spaces`},
		{text: "bindings: [{name: recorder, runner: Captur}]",
			want: `bindings[0].runner: no runner "Captur"; did you mean Capture?`},
		{text: "bindings: [{name: physics, substeps: 0}]", want: "bindings[0].substeps is 0, want 1 to 65536"},
		{text: " ", set: "bindings.physics.substeps=0", want: "test.yaml with --set bindings.physics.substeps=0: " +
			"bindings[0].substeps is 0, want 1 to 65536"},
		{text: "changes: [{n: 5, edits: [{toggle_binding: {name: recorder}}]}]",
			want: "changes[0].edits[0].toggle_binding.enabled: not given, want true or false"},
		{text: "changes: [{n: 5, edits: [{set_phase: {name: recorder, PHASE: Control}}]}]",
			want: "changes[0].edits[0].set_phase.PHASE: unknown key; did you mean phase?"},
		{set: "changes=[{n: 5, edits: [{Set_Phase: {name: recorder, phase: Control}}]}]",
			want: "changes[0].edits[0].Set_Phase: unknown edit; did you mean set_phase?"},
		{text: "bindings: [{name: recorder, phase: Later}]",
			want: `bindings[0].phase: phase is "Later", want one of Acquisition`},
		{text: "bindings: [{name: recorder, substeps: 2}]", want: "bindings[0].substeps: only the binding physics has " +
			"substeps"},
		{text: "sensors: [{name: imu, sources: [qpos]}]", want: "sensors[0].runner: not given, want one of the runners " +
			"Robot, Capture, Sensors"},
		{text: "sensors: [{name: imu, runner: Sensors}]", want: "sensors[0].sources is [], want one or more names"},
		{text: imu + "latency: -1ms}]", want: "sensors[0].latency is -1ms, want 0s to 10s"},
	} {
		var set, env []string
		layer := "test.yaml" // every error names its layer
		switch {
		case c.set != "":
			set, layer = []string{c.set}, "--set "
		case c.env != "":
			env, layer = []string{c.env}, "variable "
		}
		_, err := parse(c.text, set, env)
		switch {
		case err == nil:
			t.Errorf("%q %q %q: no error, want %q", c.text, c.set, c.env, c.want)
		case !strings.HasPrefix(err.Error(), layer) && (c.text == "" || !strings.HasPrefix(err.Error(), "test.yaml")):
			t.Errorf("%q %q %q: got %q, want it to begin with %q", c.text, c.set, c.env, err, layer)
		case !strings.Contains(err.Error(), c.want):
			t.Errorf("%q %q %q:\n got %q\nwant %q", c.text, c.set, c.env, err, c.want)
		case strings.Contains(err.Error(), "\n"):
			t.Errorf("%q %q %q: the error has several lines: %q", c.text, c.set, c.env, err)
		}
	}
}

func TestTaskIsRequired(t *testing.T) {
	_, err := Parse("test.yaml", []byte("worlds: 1"), nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "test.yaml: task.name: not given") {
		t.Errorf("got %v, want an error about task.name", err)
	}
}

func TestLoadFindsModelBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.yaml")
	polytest.NoError(t, os.WriteFile(path, []byte("task: {name: quadruped}\nmodel: robots/dog.xml\n"), 0o644))
	c := polytest.Must(Load(path, nil, nil))(t)
	polytest.Equal(t, c.Model, filepath.Join(dir, "robots/dog.xml"), "model of the file")
	sac := filepath.Join(dir, "sac.yaml")
	polytest.NoError(t, os.WriteFile(sac, []byte("extends: run.yaml\ntraining: {algorithm: sac, dataset: data/walk}\n"), 0o644))
	polytest.Equal(t, polytest.Must(Load(sac, nil, nil))(t).Training.Dataset, filepath.Join(dir, "data/walk"), "dataset of the file")
	_, err := Load(sac, []string{"training.algorithm=ppo"}, nil)
	polytest.ErrorContains(t, err, "training.dataset is "+filepath.Join(dir, "data/walk")+", want none with algorithm ppo, only with sac")

	here := polytest.Must(filepath.Abs("cat.xml"))(t)
	if c, err = Load(path, []string{"model=cat.xml"}, nil); err != nil || c.Model != here {
		t.Errorf("model of a flag: got %v, %v; want %q", c, err, here)
	}
	if c, err = Load(path, []string{"model="}, nil); err != nil || c.Model != "" {
		t.Errorf("model taken back by a flag: got %v, %v; want none", c, err)
	}
	if _, err = Load(filepath.Join(dir, "none.yaml"), nil, nil); err == nil {
		t.Error("a missing file: no error")
	}
	if _, err = Load("/dev/zero", nil, nil); err == nil ||
		err.Error() != "configuration: the size of /dev/zero is more than 1048576 bytes, want at most that" {
		t.Errorf("a file without an end: %v", err)
	}
}

// A file is a layer over the one that it extends, whose own paths stay relative to its own folder.
func TestExtends(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	polytest.NoError(t, os.Mkdir(in("base"), 0o777))
	for name, text := range map[string]string{
		"base/a.yaml":   "task: {name: quadruped}\nmodel: dog.xml\nworlds: 7\ntraining: {gamma: 0.9, hidden: [8]}\n",
		"b.yaml":        "extends: base/a.yaml\nseed: 3\ntraining: {hidden: [4, 4]}\n",
		"c.yaml":        "extends: b.yaml\nworlds: 2\n",
		"wrong.yaml":    "extends: b.yaml\nworlds: x\n",
		"unknown.yaml":  "task: {name: quadruped}\nwrlds: 2\n",
		"high.yaml":     "task: {name: quadruped}\nworlds: 0\n",
		"x.yaml":        "extends: y.yaml\n",
		"y.yaml":        "extends: ./x.yaml\n",
		"self.yaml":     "extends: " + dir + "/./self.yaml\n",
		"none.yaml":     "extends: nothing.yaml\n",
		"list.yaml":     "extends: [b.yaml]\n",
		"on_bad.yaml":   "extends: unknown.yaml\n",
		"on_high.yaml":  "extends: high.yaml\nseed: 1\n",
		"mended.yaml":   "extends: high.yaml\nworlds: 1\n",
		"on_wrong.yaml": "extends: wrong.yaml\n",
		"preset.yaml":   "extends: builtin:hopper.yaml\nworlds: 3\n",
		"typo.yaml":     "extends: builtin:hoper.yaml\n",
	} {
		polytest.NoError(t, os.WriteFile(in(name), []byte(text), 0o666))
	}
	c := polytest.Must(Load(in("c.yaml"), []string{"training.lambda=0.5"}, nil))(t)
	if c.Model != in("base/dog.xml") || c.Worlds != 2 || c.Seed != 3 || c.Training.Gamma != 0.9 || len(c.Training.Hidden) != 2 ||
		c.Training.Lambda != 0.5 {
		t.Errorf("it is\n%s", c.YAML())
	}
	if text := string(c.YAML()); strings.Contains(text, "extends") || !strings.Contains(text, "gamma: 0.9") {
		t.Errorf("what is written is not resolved:\n%s", text)
	}
	polytest.Equal(t, polytest.Must(Load(in("mended.yaml"), nil, nil))(t).Worlds, 1, "worlds over wrong ones")
	preset := polytest.Must(Load(in("preset.yaml"), nil, nil))(t)
	if preset.Task.Name != "Hopper-v5" || preset.Worlds != 3 || preset.Training.Gamma != 0.995 {
		t.Errorf("over a preset it is\n%s", preset.YAML())
	}
	for name, want := range map[string]string{
		"x.yaml":        in("y.yaml") + ": extends is " + in("x.yaml") + ", which itself extends this file",
		"self.yaml":     in("self.yaml") + ": extends is " + dir + "/./self.yaml, which itself extends this file",
		"none.yaml":     in("none.yaml") + ": extends: open " + in("nothing.yaml") + ": no such file",
		"typo.yaml":     in("typo.yaml") + `: extends: no preset "hoper.yaml" comes with the program; did you mean hopper.yaml?`,
		"list.yaml":     in("list.yaml") + ": extends is a list of 1, want the path of a configuration",
		"on_bad.yaml":   in("unknown.yaml") + ": wrlds: unknown key",
		"on_high.yaml":  in("high.yaml") + ": worlds is 0, want",
		"on_wrong.yaml": in("wrong.yaml") + ": worlds is \"x\", want",
	} {
		if _, err := Load(in(name), nil, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := Load(in("c.yaml"), []string{"extends=b.yaml"}, nil); err == nil {
		t.Error("--set extends: no error")
	}
}

// A file over another one changes entries of its lists by their names, and removes them by null, as overrides do.
func TestExtendsByName(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"base.yaml": "task: {name: t}\n" + walking + "rewards: [{name: gait, expr: '1', weight: 1}, " +
			"{term: is_alive, weight: 2}]\nterminations: [{term: time_out}]\nbindings: [{name: recorder, runner: Capture}]\n",
		"over.yaml": "extends: base.yaml\nrewards: {gait: null, is_alive: {weight: 5}}\nterminations: {time_out: ~}\n" +
			"runners: {Capture: {rate: 25}}\nobservations: {policy: {last_action: {scale: 3}}}\n" +
			"bindings: {physics: {substeps: 7}, recorder: null}\n",
		"again.yaml":  "extends: over.yaml\nobservations: {policy: {last_action: null}, critic: [{term: joint_vel_rel}]}\n",
		"name.yaml":   "extends: base.yaml\nrewards: {gate: null}\n",
		"value.yaml":  "extends: base.yaml\nrewards: {gait: 3}\n",
		"weight.yaml": "extends: base.yaml\nrewards: {gait: {weight: x}}\n",
		"key.yaml":    "extends: base.yaml\nrunners: {Capture: {rat: 1}}\n",
		"motion.yaml": "extends: base.yaml\ncommands: [{name: m, term: motion, motion_file: a.npz}]\n",
		"sub/x.yaml":  "extends: ../motion.yaml\ncommands: {m: {motion_file: b.npz}}\n",
		"alone.yaml":  "task: {name: quadruped}\nrunners: {Capture: null}\n",
		"two.yaml":    "extends: base.yaml\nobservations: {critic: [{term: joint_vel_rel}], extra: [{term: joint_pos_rel}]}\n",
		"one.yaml":    "extends: two.yaml\nobservations: {critic: null, extra: ~}\nworlds: 3\n",
		"group.yaml":  "extends: two.yaml\nobservations: {crtic: null}\n",
	} {
		polytest.NoError(t, os.MkdirAll(filepath.Dir(in(name)), 0o777))
		polytest.NoError(t, os.WriteFile(in(name), []byte(text), 0o666))
	}
	moved := polytest.Must(Load(in("sub/x.yaml"), nil, nil))(t)
	polytest.Equal(t, moved.Commands[0]["motion_file"], any(in("sub/b.npz")), "motion of the layer")
	c := polytest.Must(Load(in("over.yaml"), nil, nil))(t)
	if len(c.Rewards) != 1 || c.Rewards[0]["term"] != "is_alive" || c.Rewards[0]["weight"] != 5 ||
		len(c.Terminations) != 0 || c.Runners[1] != (Runner{"Capture", rate("25"), false}) || c.Observations["policy"].Terms[0]["scale"] != 3 ||
		len(c.Bindings) != 1 || *c.Bindings[0].Substeps != 7 {
		t.Errorf("it is\n%s", c.YAML())
	}
	alone := polytest.Must(Load(in("alone.yaml"), nil, nil))(t)
	polytest.Equal(t, len(alone.Runners), 2, "runners of a file over the defaults")
	for name, groups := range map[string]int{"two.yaml": 3, "one.yaml": 1} {
		polytest.Equal(t, len(polytest.Must(Load(in(name), nil, nil))(t).Observations), groups, "groups of %s", name)
	}
	_, err := Load(in("again.yaml"), nil, nil)
	polytest.ErrorContains(t, err, "again.yaml: observations.policy")
	for name, want := range map[string]string{
		"name.yaml":   "name.yaml: rewards.gate: unknown name, want one of gait, is_alive",
		"value.yaml":  "value.yaml: rewards.gait is 3, want a mapping of what changes in the entry, or null",
		"weight.yaml": "weight.yaml: rewards[0].weight is \"x\", want a number",
		"key.yaml":    "key.yaml: runners.Capture.rat: unknown key",
		"group.yaml":  "group.yaml: observations.crtic: unknown name; did you mean observations.critic?",
	} {
		_, err := Load(in(name), nil, nil)
		polytest.ErrorContains(t, err, want)
	}
}

func TestPresetsRoundTrip(t *testing.T) {
	tasks := map[string]string{} // by file
	for _, file := range polytest.Must(fs.Glob(presets, "*.yaml"))(t) {
		c := polytest.Must(Parse(file, polytest.Must(presets.ReadFile(file))(t), nil, nil))(t)
		name, _, err := Preset(c.Task.Name)
		polytest.NoError(t, err)
		polytest.Equal(t, name, file, "file of the preset of %s", c.Task.Name)
		checkRoundTrip(t, c)
		tasks[file] = c.Task.Name
	}
	for _, file := range polytest.Must(fs.Glob(presets, "*/*"))(t) {
		task, algorithm := tasks[path.Base(file)], path.Dir(file)
		name, data, err := AlgorithmPreset(task, algorithm)
		polytest.NoError(t, err)
		polytest.Equal(t, name, file, "file of the preset of %s by %s", task, algorithm)
		c := polytest.Must(Parse(name, data, nil, nil))(t)
		polytest.Equal(t, c.Task.Name, task, "task in %s", file)
		polytest.Equal(t, c.Training.Algorithm.String(), algorithm, "algorithm in %s", file)
		checkRoundTrip(t, c)
	}
	own, _, err := Preset("HalfCheetah-v5")
	polytest.NoError(t, err)
	name, _, err := AlgorithmPreset("HalfCheetah-v5", "ppo")
	polytest.NoError(t, err)
	polytest.Equal(t, name, own, "preset by ppo")
	polytest.EqualSlices(t, polytest.Must(PresetAlgorithms("HalfCheetah-v5"))(t), []string{"ppo", "sac"}, "algorithms")
	_, _, err = AlgorithmPreset("HalfCheetah-v5", "sca")
	polytest.ErrorContains(t, err, `no preset of HalfCheetah-v5 for the algorithm "sca"; did you mean sac?`)
	_, _, err = Preset("HalfCheetah-v4") // its file is that of another version
	polytest.ErrorContains(t, err, `no preset for task "HalfCheetah-v4"`)
	if _, _, err := Preset("Walker"); err == nil || !strings.Contains(err.Error(),
		"Ant-v5, BipedalWalker-v3, BipedalWalkerHardcore-v3, HalfCheetah-v5") {
		t.Errorf("unknown preset: got %v, want an error that lists the known ones", err)
	}
}

// checkRoundTrip checks that the canonical form loads to an equal configuration, which has the same canonical form.
func checkRoundTrip(t *testing.T, c *Config) {
	t.Helper()
	text := c.YAML()
	again, err := Parse("again", text, nil, nil)
	if err != nil {
		t.Fatalf("the canonical form does not load: %v\n%s", err, text)
	}
	if !reflect.DeepEqual(c, again) {
		t.Fatalf("the canonical form loads to another configuration:\n%+v\n%+v\n%s", c, again, text)
	}
	if string(again.YAML()) != string(text) {
		t.Fatalf("the canonical form is not stable:\n%s\n%s", text, again.YAML())
	}
}

func TestVariablesAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, key := range decode.Leaves(reflect.TypeFor[Config]()) {
		if other, taken := seen[envName(key)]; taken {
			t.Errorf("keys %s and %s share the variable %s", key, other, envName(key))
		}
		seen[envName(key)] = key
	}
}

func TestDecodeOptions(t *testing.T) {
	type options struct {
		Speed float64    `yaml:"speed"`
		Range [2]float64 `yaml:"range"`
		Legs  int        `yaml:"legs"`
	}
	c := mustParse(t, "", []string{"task.options={speed: 1.0, range: [0, .inf]}"}, nil)
	got := options{Legs: 4, Speed: 0.5}
	polytest.NoError(t, DecodeOptions("task.options", c.Task.Options, &got))
	polytest.NoError(t, DecodeOptions("task.options", nil, &got))
	if want := (options{1, [2]float64{0, math.Inf(1)}, 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	err := DecodeOptions("task.options", map[string]any{"sped": uint8(1)}, &got)
	polytest.ErrorContains(t, err, "task.options.sped: unknown key; did you mean task.options.speed?")
}

// Any file and any override give either an error of one line or a configuration that survives a round trip.
func FuzzParse(f *testing.F) {
	for _, task := range []string{"quadruped", "HalfCheetah-v5", "LunarLander-v3", "LunarLanderContinuous-v3",
		"BipedalWalker-v3"} {
		_, data, err := Preset(task)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), "training.gamma=0.9")
	}
	f.Add("task: {name: a, options: {x: [1, {y: 2.0}], z: 1e300}}", "runners.Capture.rate=29.97")
	f.Add("task: {name: a, options: {limits: [-.inf, .inf]}}", "task.options.more=[0.7, .inf]")
	f.Add("task: &a {name: b}\ntraining: *a", "task.options.a.b={c: [[]]}")
	f.Add("runners: [{name: A, rate: 1/3}]\ntask: {name: c}", "bindings.physics.substeps=0x10")
	f.Add(described, "rewards.calm.weight=2")
	f.Add(described, "observations.policy.t.expr=1")
	f.Add("observations: {policy: {terms: 3}}", "scene.floor=auto")
	f.Add("actions: [{term: joint_position, scale: {a: b}, delay: [1, 0]}]", "start.joints={.*: 1}")
	f.Add("? [a]\n: !!binary AAAA", "sensors.a=")
	f.Fuzz(func(t *testing.T, text, set string) {
		c, err := Parse("fuzz.yaml", []byte(text), []string{set}, nil)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error has several lines: %q", err)
			}
			return
		}
		checkRoundTrip(t, c)
	})
}

// What is no configuration may hold secrets: errors about it quote nothing of it.
func TestErrorsQuoteNoOtherFile(t *testing.T) {
	dir := t.TempDir()
	const secret = "root:$y$j9T$hunter2"
	for name, text := range map[string]string{
		"shadow": secret + ":19000:0:99999:7:::\nbin:*:19000::::::\n", "lines.yaml": secret + "\nAPI_KEY=" + secret + "\n",
		"list.yaml": "- " + secret + "\n", "number.yaml": "1234567\n",
	} {
		path := filepath.Join(dir, name)
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		for _, err := range []error{
			polytest.Err(Load(path, nil, nil)),
			polytest.Err(Parse(filepath.Join(dir, "task.yaml"), []byte("extends: "+name), nil, nil)),
		} {
			if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter2") ||
				strings.Contains(err.Error(), "1234567") {
				t.Errorf("%s: error %v, want one that names the file and quotes nothing of it", name, err)
			}
		}
	}
}

// A recorded configuration has the keys of a camera that were given. Those of older programs have zeros for the others.
func TestRecordedCameras(t *testing.T) {
	channel := func(camera string) string {
		return "sensors: [{name: eye, runner: Sensors, camera: {width: 4, height: 4, " + camera + "}}]"
	}
	zeros := "position: [0, 0, 0], quaternion: [0, 0, 0, 0], distortion: [0, 0, 0, 0, 0]"
	for _, c := range [][2]string{
		{"name: track", "name: track, " + zeros},
		{"name: track", "name: track, position: [0, 0, 0], quaternion: [0, 0, 0, 0]"},
		{"body: trunk", "body: trunk, " + zeros},
		{"position: [0.0, 0, 2]", "position: [0, 0, 2], quaternion: [0, 0, 0, 0.0], distortion: [0, 0, 0, 0, 0]"},
	} {
		now, older := mustParse(t, channel(c[0]), nil, nil), mustParse(t, channel(c[1]), nil, nil)
		polytest.Equal(t, string(older.YAML()), string(now.YAML()), "%s", c[1])
		if strings.Contains(string(now.YAML()), "quaternion") {
			t.Errorf("a quaternion that was not given is recorded:\n%s", now.YAML())
		}
	}
	camera := mustParse(t, channel("position: [0, 0, 0]"), nil, nil).Sensors[0].Camera
	polytest.Equal(t, *camera.Position, [3]float64{}, "the origin is a place")
	_, err := parse(channel("body: trunk, quaternion: [0, 0, 0, 0]"), nil, nil)
	polytest.ErrorContains(t, err, "quaternion is [0 0 0 0], want w, x, y and z that are not all 0")
}
