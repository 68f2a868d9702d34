package configs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// base is a configuration with an entry and more in most lists.
const base = "task: {name: t}\n" + walking + `rewards: [{name: gait, expr: '1', weight: 1}, {term: is_alive, weight: 2}]
terminations: [{term: time_out}]
commands: [{name: velocity, term: uniform_velocity}]
events: [{term: reset_joints_by_offset}]
infos: [{name: height, expr: base_pos_z}]
sensors: [{name: gyro, runner: Sensors, sources: [gyro]}]
worlds: 8
training: {gamma: 0.9, hidden: [8, 8]}
`

// over says what a layer makes of [base]: the names of the entries of a list, or a part of what it prints.
type over struct {
	layer string // a file that extends base
	set   string // the same as a flag; "" where a flag cannot say it
	list  string
	want  string // names with spaces between, or a line of the configuration with the list ""
}

var overs = []over{
	{"rewards: {circle: {expr: '2', weight: 1}}", "rewards.circle={expr: '2', weight: 1}", "rewards", "gait is_alive circle"},
	{"rewards: {circle: {expr: '2', weight: 1, after: gait}}", "rewards={circle: {expr: '2', weight: 1, after: gait}}",
		"rewards", "gait circle is_alive"},
	{"rewards: {z: {expr: '2', weight: 1}, a: {expr: '2', weight: 1}}", "rewards={z: {expr: '2', weight: 1}, a: {expr: '2', weight: 1}}",
		"rewards", "gait is_alive z a"},
	{"rewards: {z: {expr: '2', weight: 1, after: gait}, a: {expr: '2', weight: 1, after: z}}", "", "rewards", "gait z a is_alive"},
	{"rewards: {gait: {after: is_alive}}", "rewards.gait.after=is_alive", "rewards", "is_alive gait"},
	{"rewards: {gait: null, circle: {expr: '2', weight: 1}}", "rewards={gait: null, circle: {expr: '2', weight: 1}}", "rewards", "is_alive circle"},
	{"rewards: {is_alive: {weight: 7}}", "rewards.is_alive.weight=7", "", "{term: is_alive, weight: 7}"},
	{"rewards: null", "rewards=null", "rewards", ""},
	{"rewards: [{name: only, expr: '3', weight: 1}]", "rewards=[{name: only, expr: '3', weight: 1}]", "rewards", "only"},
	{"terminations: {low: {expr: 'base_pos_z < 0.1'}}", "terminations.low={expr: 'base_pos_z < 0.1'}", "terminations", "time_out low"},
	{"commands: null", "commands=null", "commands", ""},
	{"commands: {m: {term: uniform_velocity}}", "commands.m={term: uniform_velocity}", "commands", "velocity m"},
	{"events: null", "events=null", "events", ""},
	{"events: {push: {term: push_by_setting_velocity, mode: interval, interval: [1s, 2s]}}", "events.push={term: push_by_setting_velocity, mode: interval, interval: [1s, 2s]}",
		"events", "reset_joints_by_offset push"},
	{"infos: {x: {expr: base_pos_x, after: height}}", "infos.x={expr: base_pos_x, after: height}", "infos", "height x"},
	{"sensors: {acc: {runner: Sensors, sources: [accelerometer]}}", "sensors.acc={runner: Sensors, sources: [accelerometer]}",
		"sensors", "gyro acc"},
	{"sensors: {gyro: null}", "sensors.gyro=null", "sensors", ""},
	{"runners: {Planner: {rate: 10}}", "runners.Planner={rate: 10}", "runners", "Robot Capture Sensors Planner"},
	{"runners: {Planner: {rate: 10, after: Robot}, Capture: null}", "", "runners", "Robot Planner Sensors"},
	{"runners: null", "runners=null", "runners", "Robot Capture Sensors"},
	{"bindings: {recorder: {runner: Sensors}}", "bindings.recorder.runner=Sensors", "bindings", "recorder"},
	{"observations: {policy: {mine: {expr: base_pos_z}}}", "observations.policy.mine={expr: base_pos_z}", "observations.policy",
		"last_action mine"},
	{"observations: {policy: {mine: {expr: base_pos_z, after: last_action}, last_action: null}}", "", "observations.policy", "mine"},
	{"observations: {critic: [{term: joint_pos_rel}]}", "observations.critic=[{term: joint_pos_rel}]", "observations.critic",
		"joint_pos_rel"},
	{"observations: {critic: {mine: {expr: base_pos_z}}}", "observations.critic={mine: {expr: base_pos_z}}", "observations.critic", "mine"},
	{"scene: {models: {cube: {shape: {type: box, size: [0.1, 0.1, 0.1]}}}}", "scene.models.cube={shape: {type: box, size: [0.1, 0.1, 0.1]}}",
		"scene.models", " cube"},
	{"scene: {actuators: {'.*': {type: position, kp: 3}}}", "scene.actuators={'.*': {type: position, kp: 3}}", "scene.actuators", ".*"},
	{"worlds: null", "worlds=null", "", "worlds: 64"},
	{"training: {gamma: null}", "training.gamma=null", "", "gamma: 0.99"},
	{"training: null", "training=null", "", "hidden: [64, 64]"},
}

// Every layer does the same with the layers below it, whether it is a file, a flag or a mapping of a program.
func TestLayersChangeOneThing(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "base.yaml")
	polytest.NoError(t, os.WriteFile(below, []byte(base), 0o666))
	names := func(c *Config, list string) string {
		tree, err := decodeTree(c)
		polytest.NoError(t, err)
		_, items := (&layers{tree: tree}).entries(strings.Split(list, "."))
		return strings.Join(entryNames(items), " ")
	}
	for _, o := range overs {
		file := filepath.Join(dir, "over.yaml")
		polytest.NoError(t, os.WriteFile(file, []byte("extends: base.yaml\n"+o.layer+"\n"), 0o666))
		ways := map[string]*Config{o.layer: polytest.Must(Load(file, nil, nil))(t)}
		if o.set != "" {
			ways["--set "+o.set] = polytest.Must(Load(below, []string{o.set}, nil))(t)
			key, value, _ := strings.Cut(o.set, "=")
			plain := polytest.Must(Load(below, nil, nil))(t)
			ways["with "+o.set] = polytest.Must(plain.With([]string{key}, []string{value}))(t)
		}
		for way, c := range ways {
			if o.list == "" {
				if !strings.Contains(string(c.YAML()), o.want) {
					t.Errorf("%s: want %s in\n%s", way, o.want, c.YAML())
				}
				continue
			}
			polytest.Equal(t, names(c, o.list), o.want, "entries of %s by %s", o.list, way)
			polytest.Equal(t, string(c.YAML()), string(ways[o.layer].YAML()), "configuration by %s", way)
		}
	}
}

// A slip is no addition, and what cannot be is said in one line.
func TestSlipsOfLayers(t *testing.T) {
	dir := t.TempDir()
	polytest.NoError(t, os.WriteFile(filepath.Join(dir, "base.yaml"), []byte(base), 0o666))
	for layer, want := range map[string]string{
		"rewards: {is_aliv: {weight: 2}}": "rewards.is_aliv: unknown name; did you mean rewards.is_alive? " +
			"(a new entry wants term or expr)",
		"rewards: {gate: null}":                               "rewards.gate: unknown name",
		"rewards: {circle: {expr: '1', weight: 1, after: q}}": `rewards.circle.after is "q", want the name of another entry`,
		"rewards: {gait: {after: gait}}":                      `rewards.gait.after is "gait", want the name of another entry`,
		"rewards: {circle: {expr: '1', weight: 1, after: 3}}": "rewards.circle.after is 3, want the name of another entry",
		"runners: {CAPTURE: {rate: 25}}":                      "runners.CAPTURE: unknown name; did you mean runners.Capture? (a new runner",
		"sensors: {gyr: {noise: {std: 1}}}":                   "sensors.gyr: unknown name; did you mean sensors.gyro?",
		"sensors: {gyr: {rate: 1}}":                           "sensors.gyr.rate: unknown key",
		"observations: {crtic: null}":                         "observations.crtic: unknown name",
		"observations: {polcy: {last_action: {scale: 3}}}":    "observations.polcy.last_action: unknown name",
		"scene: {models: {cube: {position: [0, 0, 1]}}}":      "scene.models.cube: unknown name",
		"rewards: {circle: {exp: '1', weight: 1}}":            "rewards.circle: unknown name",
		"commands: {velocity: {lin_vel_x: null, x: null}}":    "",
		"wrlds: null":            "wrlds: unknown key; did you mean worlds?",
		"training: {gama: null}": "training.gama: unknown key; did you mean training.gamma?",
	} {
		file := filepath.Join(dir, "over.yaml")
		polytest.NoError(t, os.WriteFile(file, []byte("extends: base.yaml\n"+layer+"\n"), 0o666))
		_, err := Load(file, nil, nil)
		if want == "" {
			polytest.NoError(t, err)
			continue
		}
		polytest.ErrorContains(t, err, "over.yaml: "+want)
	}
	for set, want := range map[string]string{
		"rewards.circle.weight=1": "rewards.circle: unknown name",
		"runners.Lidar.rate=10":   "runners.Lidar: unknown name",
		"runners.Lidar=10":        "runners.Lidar is 10, want a mapping",
	} {
		_, err := Load(filepath.Join(dir, "base.yaml"), []string{set}, nil)
		polytest.ErrorContains(t, err, "--set "+set+": "+want)
	}
}

// Each line says which layer it comes from, and the whole is the configuration.
func TestExplain(t *testing.T) {
	dir := t.TempDir()
	polytest.NoError(t, os.WriteFile(filepath.Join(dir, "base.yaml"), []byte(base), 0o666))
	over := "extends: base.yaml\nrewards: {is_alive: {weight: 7}, circle: {expr: '2', weight: 1}}\ntraining: {gamma: null}\n"
	path, sets := filepath.Join(dir, "over.yaml"), []string{"runners.Capture.rate=25", "training.hidden=[4]"}
	environ := []string{"POLYRHYTHM_SEED=3"}
	text := string(polytest.Must(Explain(path, []byte(over), sets, environ))(t))
	c := polytest.Must(Parse(path, []byte(over), sets, environ))(t)
	polytest.Equal(t, string(polytest.Must(Parse("again", []byte(text), nil, nil))(t).YAML()), string(c.YAML()), "configuration")
	text = strings.ReplaceAll(text, dir+"/", "")
	for _, want := range []string{
		"worlds: 8 # base.yaml\n", "seed: 3 # variable POLYRHYTHM_SEED\n", "rate: 25 # --set runners.Capture.rate=25\n",
		"rate: 500\n", "gamma: 0.99\n", "hidden: [4] # --set training.hidden=[4]\n",
		"- {name: gait, expr: \"1\", weight: 1} # base.yaml\n", "- {term: is_alive, weight: 7} # base.yaml, over.yaml\n",
		"- {name: circle, expr: \"2\", weight: 1} # over.yaml\n", "name: t # base.yaml\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want the line %q in\n%s", want, text)
		}
	}
}

// decodeTree returns a configuration as a tree.
func decodeTree(c *Config) (map[string]any, error) {
	l := newLayers()
	if _, err := l.addFile("test", c.YAML(), nil); err != nil {
		return nil, err
	}
	return l.tree, nil
}

// Every layer of a preset that extends another is whole by itself, and each has a name only once.
func TestNamesInPresetsAreDifferent(t *testing.T) {
	files := polytest.Must(filepath.Glob("described/*.yaml"))(t)
	if len(files) < 5 {
		t.Fatalf("found %v", files)
	}
	for _, file := range files {
		tree, err := decodeTree(polytest.Must(Load(file, nil, nil))(t))
		polytest.NoError(t, err)
		for _, list := range namedLists {
			_, items := (&layers{tree: tree}).entries(strings.Split(list.path, "."))
			names := slices.DeleteFunc(entryNames(items), func(name string) bool { return name == "" })
			slices.Sort(names)
			polytest.Equal(t, len(slices.Compact(slices.Clone(names))), len(names), "different names of %s in %s", list.path, file)
		}
	}
}
