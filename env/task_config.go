package env

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// The options of a task that TaskConfig applies to the simulation. They are arguments of Gymnasium's MuJoCo tasks.
const (
	frameSkipOption = "frame_skip" // physics substeps per control step
	xmlFileOption   = "xml_file"   // the model file
)

// taskConstructor holds these options.
type taskConstructor struct {
	FrameSkip int    `yaml:"frame_skip"`
	XMLFile   string `yaml:"xml_file"`
}

// TaskConfig returns the default configuration of a task. For a task of Gymnasium it is as in Gymnasium: one runner
// "Robot" at the task's rate, no sensors, no recording. For any other task it is the preset without recording.
//
// options are the options of the task. For a task of Gymnasium they have the names of Gymnasium's arguments, and two
// of them change the simulation. frame_skip is the number of physics substeps in a control step, which determines
// the control rate. xml_file is an MJCF file that replaces the task's own and sets the timestep: a path if it begins
// with ".", "/" or "~", otherwise the name of one of Gymnasium's files. Tasks on Box2D have neither.
//
// The error for an unknown task names the nearest known one. [Open] checks the other options.
func TaskConfig(name string, options map[string]any) (configs.Config, error) {
	kind, err := findTask(name)
	if err != nil {
		return configs.Config{}, err
	}
	if kind.Control == "" || !kind.builtin {
		return presetOf(name, options)
	}
	c := configs.Default()
	c.Task.Name = name
	c.Recording.Enabled = false
	var simulation map[string]any
	for key, value := range options {
		if key == frameSkipOption || key == xmlFileOption {
			if kind.Scene != nil {
				return configs.Config{}, fmt.Errorf("task.options.%s: %s does not have this option", key, name)
			}
			simulation = with(simulation, key, value)
		} else if known := misspelt(key); known != "" {
			return configs.Config{}, fmt.Errorf("task.options.%s: unknown key; did "+
				"you mean task.options.%s?", key, known)
		} else {
			c.Task.Options = with(c.Task.Options, key, value)
		}
	}
	changed := taskConstructor{FrameSkip: kind.Substeps}
	if err := configs.DecodeOptions("task.options", simulation, &changed); err != nil {
		return configs.Config{}, err
	}
	if n := changed.FrameSkip; n < 1 || n > configs.MaxSubsteps {
		return configs.Config{}, fmt.Errorf("task.options.%s is %d, want 1 to %d", frameSkipOption, n,
			configs.MaxSubsteps)
	}
	control, err := runners.ParseRate(kind.Control)
	if err != nil {
		return configs.Config{}, err
	}
	substep, err := control.Times(int64(kind.Substeps))
	if err != nil {
		return configs.Config{}, err
	}
	if _, given := options[xmlFileOption]; given && changed.XMLFile == "" {
		return configs.Config{}, fmt.Errorf("task.options.%s is empty, want a file, or no such option", xmlFileOption)
	}
	if changed.XMLFile != "" {
		if c.Model, substep, err = modelFile(changed.XMLFile); err != nil {
			return configs.Config{}, fmt.Errorf("task.options.%s: %w", xmlFileOption, err)
		}
	}
	if changed.FrameSkip != kind.Substeps {
		c.Bindings = []configs.Binding{{Name: physicsName, Substeps: &changed.FrameSkip}}
	}
	control, err = runners.NewRate(substep.Num(), substep.Den()*int64(changed.FrameSkip))
	if err != nil {
		return configs.Config{}, err
	}
	c.Runners = []configs.Runner{{Name: "Robot", Rate: configs.RateOf(control)}}
	return c, c.Validate()
}

// misspelt returns the option of the simulation that is at most two edits away from a key, which no task has; "" if
// there is none.
func misspelt(key string) string {
	for _, known := range []string{frameSkipOption, xmlFileOption} {
		if spell.Distance(key, known) <= 2 {
			return known
		}
	}
	return ""
}

// presetOf returns the preset of a task with more options and without recording.
func presetOf(name string, options map[string]any) (configs.Config, error) {
	file, data, err := Preset(name)
	if err != nil {
		return configs.Config{}, err
	}
	c, err := configs.Parse(file, data, nil, nil)
	if err != nil {
		return configs.Config{}, err
	}
	if c.Described() {
		keys, values := changes("", options)
		if c, err = c.With(keys, values); err != nil {
			return configs.Config{}, err
		}
	}
	c.Recording.Enabled = false
	for key, value := range options {
		if !c.Described() {
			c.Task.Options = with(c.Task.Options, key, value)
		}
	}
	return *c, nil
}

// changes returns the options of a described task as keys of a configuration, in order, and their values as YAML.
func changes(prefix string, options map[string]any) (keys, values []string) {
	for _, key := range slices.Sorted(maps.Keys(options)) {
		if below, ok := options[key].(map[string]any); ok && len(below) > 0 {
			k, v := changes(prefix+key+".", below)
			keys, values = append(keys, k...), append(values, v...)
			continue
		}
		text, err := yaml.Marshal(options[key])
		if err != nil {
			text = fmt.Append(nil, options[key]) // no value of a configuration: its decoder says so
		}
		keys, values = append(keys, prefix+key), append(values, string(text))
	}
	return keys, values
}

// with returns a copy of a mapping with one more key.
func with(tree map[string]any, key string, value any) map[string]any {
	tree = maps.Clone(tree)
	if tree == nil {
		tree = map[string]any{}
	}
	tree[key] = value
	return tree
}

// modelFile returns the path of an MJCF file given as in Gymnasium's xml_file, and the rate of physics substeps for
// its timestep.
func modelFile(name string) (path string, rate runners.Rate, err error) {
	switch {
	case strings.HasPrefix(name, "~"):
		home, err := os.UserHomeDir()
		if err != nil {
			return "", runners.Rate{}, err
		}
		path = filepath.Join(home, name[1:])
	case strings.HasPrefix(name, ".") || filepath.IsAbs(name):
		path = name
	default:
		if path, err = findAsset(name); err != nil {
			return "", runners.Rate{}, err
		}
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", runners.Rate{}, err
	}
	m, err := mujoco.Load(path, mujoco.Options{})
	if err != nil {
		return "", runners.Rate{}, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	rate, err = rateOf(m.Timestep())
	return path, rate, err
}

// rateOf returns the rate whose period is the shortest decimal number that gives seconds, as written in a file:
// 0.003 is 1000/3 Hz.
func rateOf(seconds float64) (runners.Rate, error) {
	text := strconv.FormatFloat(seconds, 'g', -1, 64)
	period, ok := new(big.Rat).SetString(text)
	if !ok || period.Sign() <= 0 || !period.Num().IsInt64() || !period.Denom().IsInt64() {
		return runners.Rate{}, fmt.Errorf("its timestep is %s s, want a positive number of nanoseconds", text)
	}
	return runners.NewRate(period.Denom().Int64(), period.Num().Int64())
}
