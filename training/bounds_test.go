package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// bound is the range that the reference of configurations gives for a number, a whole number or a time.
type bound struct {
	key       string // as --set has it
	kind      string // whole, number or time
	low, high string // ""; the largest there is
	aboveLow  bool   // low itself is refused
	belowHigh bool
}

// documentedPages are the pages of docs/reference/configuration that say which numbers keys may have, and what stands
// before the keys below each heading of the second level; "" is the part above the first.
var documentedPages = []struct {
	page     string
	prefixes map[string]string
}{
	{"index", map[string]string{"Top level": ""}},
	{"task", map[string]string{"Keys of the task": "", "The scene": ""}},
	{"entities", map[string]string{"Models": ""}},
	{"terrain", map[string]string{"The grid": "", "Parameters of the kinds": ""}},
	{"clock", map[string]string{"`runners`": "runners.Capture.", "`bindings`": "bindings.physics.",
		"`changes`": "changes.", "`time`": "time."}},
	{"sensors", map[string]string{"Channels": "sensors.pole.", "Scans": "sensors.pole.", "Cameras": "sensors.pole."}},
	{"recording", map[string]string{"": "recording."}},
	{"training", map[string]string{"`training`": "training.", "`training.sac`": "training."}},
	{"evaluation", map[string]string{"": "evaluation."}},
}

// documentedBounds reads the tables of documentedPages.
func documentedBounds(t *testing.T) []bound {
	t.Helper()
	var bounds []bound
	for _, p := range documentedPages {
		text := must(os.ReadFile("../docs/reference/configuration/" + p.page + ".md"))(t)
		before := len(bounds)
		bounds = append(bounds, boundsOfPage(string(text), p.prefixes)...)
		if len(bounds) == before {
			t.Errorf("docs/reference/configuration/%s.md gives no bound", p.page)
		}
	}
	return bounds
}

func boundsOfPage(text string, prefixes map[string]string) []bound {
	types := regexp.MustCompile(`^(?:list of )?(whole|number|time)\b ?` +
		`(?:([^ ;–]+)–([^ ;,]+(?:,\d{3})*)|≥ ([^,;]+)|` +
		`> ([^,;]+))?(?:, (≤|<) ([\d,]+))?`)
	keys := regexp.MustCompile("`([a-z_.]+)`")
	var bounds []bound
	prefix, in := prefixes[""]
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			prefix, in = prefixes[strings.TrimSpace(heading)]
			continue
		}
		cells := strings.Split(line, "|")
		if !in || len(cells) < 4 {
			continue
		}
		m := types.FindStringSubmatch(strings.TrimSpace(cells[2]))
		if m == nil {
			continue
		}
		plain := strings.NewReplacer(",", "", "−", "-").Replace
		b := bound{kind: m[1], low: plain(m[2] + m[4] + m[5]), high: plain(m[3] + m[7]), aboveLow: m[5] != "",
			belowHigh: m[6] == "<"}
		before := ""
		for _, key := range keys.FindAllStringSubmatch(cells[1], -1) {
			name := key[1]
			if after, ok := strings.CutPrefix(name, "."); ok { // beside the one before it
				name = before[:strings.LastIndexByte(before, '.')+1] + after
			}
			before = name
			b.key = prefix + name
			bounds = append(bounds, b)
		}
	}
	return bounds
}

// extremes returns the values at the bounds, and those just beyond them.
func (b *bound) extremes(t *testing.T) (within, beyond []string) {
	t.Helper()
	beside := func(text string, step int) string {
		if d, err := time.ParseDuration(text); b.kind == "time" && err == nil {
			return (d + time.Duration(step)).String()
		}
		if n, ok := new(big.Int).SetString(text, 10); b.kind == "whole" && ok {
			return n.Add(n, big.NewInt(int64(step))).String()
		}
		x, err := strconv.ParseFloat(text, 64)
		if b.kind != "number" || err != nil {
			t.Fatalf("%s: %s is no %s", b.key, text, b.kind)
		}
		return strconv.FormatFloat(math.Nextafter(x, math.Inf(step)), 'g', -1, 64)
	}
	end := func(text string, excluded bool, out int, largest string) {
		switch {
		case text == "" && largest != "":
			within = append(within, largest)
		case text == "":
		case excluded:
			within, beyond = append(within, beside(text, -out)), append(beyond, text)
		default:
			within, beyond = append(within, text), append(beyond, beside(text, out))
		}
	}
	largest := map[string]string{"whole": "9223372036854775807", "number": "1.7976931348623157e308",
		"time": "2562047h47m16.854775807s"}[b.kind]
	end(b.low, b.aboveLow, -1, map[string]string{"whole": "-9223372036854775808",
		"number": "-1.7976931348623157e308"}[b.kind])
	end(b.high, b.belowHigh, 1, largest)
	return within, beyond
}

// extreme is a configuration in which every key can be set, of worlds that are cheap.
func extreme(sets ...string) (*configs.Config, error) {
	const text = `
task: {name: InvertedPendulum-v5}
worlds: 2
max_steps: 3
workers: 1
runners: [{name: Robot, rate: 25}, {name: Capture, rate: 25}]
bindings: [{name: physics, substeps: 2}]
sensors: [{name: pole, runner: Robot, sources: [qpos]}]
recording: {sync: none}
training: {steps: 1, segment: 2, epochs: 1, minibatch: 4, hidden: [4], normalise_observations: false}
evaluation: {episodes: 1}
`
	return configs.Parse("extreme.yaml", []byte(text), sets, nil)
}

// extremeDescribed is the same with a task that it describes.
func extremeDescribed(sets ...string) (*configs.Config, error) {
	const text = `
task: {name: leg}
scene: {models: [{file: leg.xml}], actuators: [{joints: [knee], kp: 1}]}
actions: [{term: joint_position, joints: [knee]}]
observations: {policy: [{term: joint_pos_rel}]}
terminations: [{term: time_out}]
worlds: 2
max_steps: 3
workers: 1
runners: [{name: Robot, rate: 25}, {name: Capture, rate: 25}]
bindings: [{name: physics, substeps: 10}]
recording: {sync: none}
training: {steps: 1, segment: 2, epochs: 1, minibatch: 4, hidden: [4], normalise_observations: false}
evaluation: {episodes: 1}
`
	return configs.Parse("testdata/extreme.yaml", []byte(text), sets, nil)
}

// config returns a configuration with a value at the bound's key.
func (b *bound) config(value string) (*configs.Config, error) {
	if strings.HasPrefix(b.key, "sensors.pole.scan.") {
		return extremeDescribed("scene.terrain={num_rows: 1, num_cols: 1, sub_terrains: [{kind: flat}]}", b.setting(value))
	}
	for _, described := range []string{"scene.", "start.", "episode"} {
		if strings.HasPrefix(b.key, described) {
			return extremeDescribed(b.setting(value))
		}
	}
	return extreme(b.setting(value))
}

// setting returns the KEY=VALUE that sets a bound's key.
func (b *bound) setting(value string) string {
	switch b.key {
	case "changes.n":
		return fmt.Sprintf("changes=[{n: %s, edits: [{set_rate: {name: Capture, rate: 5}}]}]", value)
	case "training.stop.value":
		return "training.stop={metric: value_loss, value: " + value + "}"
	case "training.stop.consecutive":
		return "training.stop={metric: value_loss, value: 0, consecutive: " + value + "}"
	case "training.sac.target_critics":
		return "training.sac={critics: 64, target_critics: " + value + "}"
	case "training.hidden", "training.policy_hidden", "training.critic_hidden",
		"training.sac.hidden", "training.sac.critic_hidden",
		"training.symmetry.observation.negate", "training.symmetry.action.negate":
		return b.key + "=[" + value + "]"
	case "training.symmetry.observation.swap", "training.symmetry.action.swap":
		return b.key + "=[[1, " + value + "]]"
	case "scene.physics.gravity":
		return fmt.Sprintf("scene.physics.gravity=[%s, 0, 0]", value)
	case "training.convolutions.channels":
		return "training.convolutions=[{kernel: 1, channels: " + value + "}]"
	case "training.convolutions.kernel":
		return "training.convolutions=[{channels: 1, kernel: " + value + "}]"
	case "training.convolutions.stride", "training.convolutions.padding":
		_, key, _ := strings.Cut(strings.TrimPrefix(b.key, "training."), ".")
		return "training.convolutions=[{channels: 1, kernel: 256, " + key + ": " + value + "}]"
	case "training.min_std":
		return "training={min_std: " + value + ", initial_std: 1000}"
	case "training.max_std":
		return "training={max_std: " + value + ", initial_std: 0.000001}"
	case "sensors.pole.saturation.low":
		return fmt.Sprintf("sensors.pole.saturation={low: %s, high: 1.7976931348623157e308}", value)
	case "sensors.pole.saturation.high":
		return fmt.Sprintf("sensors.pole.saturation={low: -1.7976931348623157e308, high: %s}", value)
	case "sensors.pole.scan.rings.radius":
		return scanSetting("rings: [{radius: " + value + ", num_samples: 3}], pattern: ring")
	case "sensors.pole.scan.rings.num_samples":
		return scanSetting("rings: [{radius: 1, num_samples: " + value + "}], pattern: ring")
	case "sensors.pole.hold.probability":
		return fmt.Sprintf("sensors.pole.hold={time: 1s, probability: %s}", value)
	}
	if key, ok := strings.CutPrefix(b.key, "scene.actuators."); ok {
		if key == "limits" {
			value = "[" + value + ", 1.7976931348623157e308]"
			if value[1] != '-' {
				value = "[-1.7976931348623157e308, " + value[1:strings.IndexByte(value, ',')] + "]"
			}
		}
		switch key {
		case "kp":
		case "saturation_effort":
			key = "kp: 1, type: dc_motor, effort: 1, velocity_limit: 1, " + key
		case "velocity_limit":
			key = "kp: 1, type: dc_motor, effort: 1, saturation_effort: 1, " + key
		case "torque_per_thrust":
			key = "type: thrust, effort: 1, " + key
		default:
			key = "kp: 1, " + key
		}
		return fmt.Sprintf("scene.actuators=[{joints: [knee], %s: %s}]", key, value)
	}
	if key, ok := strings.CutPrefix(b.key, "scene.models.shape."); ok {
		shape := map[string]string{
			"size":  "size: [" + value + ", 1, 1]",
			"mass":  "size: [1, 1, 1], mass: " + value,
			"color": "size: [1, 1, 1], color: [" + value + ", 1, 1, 1]",
		}[key]
		return "scene.models=[{file: testdata/leg.xml}, {name: thing, shape: {type: box, " + shape + "}}]"
	}
	if key, ok := strings.CutPrefix(b.key, "scene.collisions."); ok {
		switch key {
		case "friction":
			value = "[" + value + "]"
		case "solref":
			value = "[" + value + ", 1]"
		case "solimp":
			value = "[" + value + ", 1, 1]"
		}
		return "scene.collisions=[{geoms: [.*], " + key + ": " + value + "}]"
	}
	if key, ok := strings.CutPrefix(b.key, "scene.models."); ok && key == "gravcomp" {
		return "scene.models=[{file: testdata/leg.xml}, {file: testdata/leg.xml, prefix: second_, gravcomp: " + value + "}]"
	}
	if key, ok := strings.CutPrefix(b.key, "scene.models."); ok {
		return fmt.Sprintf("scene.models=[{file: testdata/leg.xml}, {file: testdata/leg.xml, prefix: second_, "+
			"%s: [%s, 0, 0]}]", key, value)
	}
	if key, ok := strings.CutPrefix(b.key, "sensors.pole.scan."); ok {
		switch key {
		case "size":
			value = "[" + value + ", 0], resolution: 1"
		case "resolution":
			value += ", size: [1, 0]"
		case "width", "height":
			value += ", " + map[string]string{"width": "height", "height": "width"}[key] + ": 1, pattern: pinhole"
		}
		return scanSetting(key + ": " + value)
	}
	if key, ok := strings.CutPrefix(b.key, "sensors.pole.camera."); ok {
		return cameraSetting(key, value)
	}
	if key, ok := strings.CutPrefix(b.key, "scene.terrain."); ok {
		return terrainSetting(key, value)
	}
	return b.key + "=" + value
}

// scanSetting returns the setting of a channel that scans.
func scanSetting(keys string) string {
	return "sensors=[{name: pole, runner: Robot, scan: {frame: body/thigh, " + keys + "}}]"
}

// cameraSetting returns the setting of a channel that is a camera.
func cameraSetting(key, value string) string {
	switch key {
	case "position":
		value = "[" + value + ", 0, 1]"
	case "quaternion":
		value = "[" + value + ", 0, 0, 1]"
	case "distortion":
		value = "[" + value + ", 0, 0, 0, 0]"
	case "width":
		value += ", height: 1"
	case "height":
		value += ", width: 1"
	}
	if key != "width" && key != "height" {
		value += ", width: 1, height: 1"
	}
	return "sensors=[{name: pole, runner: Robot, camera: {body: world, " + key + ": " + value + "}}]"
}

// terrainSetting returns the setting of a terrain with a value at a key.
func terrainSetting(key, value string) string {
	if strings.HasSuffix(key, "_range") || key == "size" {
		value = "[" + value + ", 1]"
	}
	kind := "kind: flat"
	if of, ok := strings.CutPrefix(key, "sub_terrains."); ok {
		kinds := map[string]string{"step": "open_stairs", "grid": "random_grid", "tilt": "tilted_grid",
			"ston": "stepping_stones",
			"beam": "narrow_beams", "num_": "narrow_beams", "dept": "narrow_beams", "ring": "nested_rings",
			"obst": "discrete_obstacles", "slop": "pyramid_slope", "nois": "perlin_noise", "ampl": "wave",
			"octa": "perlin_noise",
			"prop": "flat", "plat": "wave", "bord": "wave"}
		kind = "kind: " + map[string]string{"num_obstacles": "discrete_obstacles", "num_waves": "wave",
			"noise_step": "random_uniform"}[of]
		if kind == "kind: " {
			kind += kinds[of[:4]]
		}
		for _, other := range []string{"platform_width", "border_width"} {
			if other != of && kinds[of[:4]] == "wave" {
				kind += ", " + other + ": 0"
			}
		}
		kind += ", " + of + ": " + value
		key, value = "size", "[1000, 1000], horizontal_scale: 1"
		if kinds[of[:4]] != "wave" {
			value = "[8, 8]"
		}
	} else if of, ok := strings.CutPrefix(key, "flat_patches."); ok {
		key, value = "flat_patches", "{num_patches: 1, "+of+": "+value+"}"
		if of == "num_patches" {
			value = strings.Replace(value, "num_patches: 1, ", "", 1)
		}
	}
	if key == "size" && strings.Contains(kind, "proportion") {
		kind += "}, {kind: flat"
	}
	rows := "num_rows: 1, "
	if key == "num_rows" {
		rows = ""
	}
	if key != "num_cols" {
		rows += "num_cols: 1, "
	}
	return fmt.Sprintf("scene.terrain={%s%s: %s, sub_terrains: [{%s}]}", rows, key, value, kind)
}

// Every number of a configuration has the bounds that its reference gives it: the values at them are
// accepted, those beyond are refused by an error that begins with the key.
func TestDocumentedBounds(t *testing.T) {
	bounds := documentedBounds(t)
	for _, b := range bounds {
		within, beyond := b.extremes(t)
		for _, value := range within {
			if b.key == "sensors.pole.saturation.low" && value[0] != '-' || b.key == "sensors.pole.saturation.high" &&
				value[0] == '-' {
				continue // the other end of the range
			}
			if _, err := b.config(value); err != nil {
				t.Errorf("%s: %v", b.setting(value), err)
			}
		}
		path := strings.NewReplacer("scene.actuators.", "scene.actuators[0].", "sub_terrains.", "sub_terrains[0].",
			".size", ".size[0]", "rings.", "rings[0].", "_range", "_range[0]", "scene.models.", "scene.models[1].",
			"gravity", "gravity[0]", "quaternion", "quaternion[0]",
			"gravity", "gravity[0]", "scene.collisions.", "scene.collisions[0].", "friction", "friction[0]", "color", "color[0]",
			"solref", "solref[0]", "solimp", "solimp[0]", "distortion", "distortion[0]",
			"position", "position[0]", "rotation", "rotation[0]", "sensors.pole.", "sensors[0].", "bindings.physics.",
			"bindings[0].", "changes.", "changes[0].", "hidden", "hidden[0]", "negate", "negate[0]",
			"convolutions.", "convolutions[0].", "swap", "swap[0][1]").Replace(b.key)
		for _, value := range beyond {
			_, err := b.config(value)
			if err == nil || !strings.Contains(err.Error(), path+" is ") || !strings.Contains(err.Error(), ", want ") {
				t.Errorf("%s: got %v, want an error that begins with %s", b.setting(value), err, path+" is")
			}
		}
	}
	checkEveryNumber(t, bounds)
}

// checkEveryNumber fails unless every number of a configuration has a bound.
func checkEveryNumber(t *testing.T, bounds []bound) {
	t.Helper()
	var walk func(path string, typ reflect.Type)
	walk = func(path string, typ reflect.Type) {
		if typ == reflect.TypeFor[scene.Choice]() {
			return // auto, true or false
		}
		switch typ.Kind() {
		case reflect.Pointer:
			walk(path, typ.Elem())
		case reflect.Slice, reflect.Array:
			name := map[string]string{"runners": ".Capture", "bindings": ".physics", "sensors": ".pole"}[path]
			walk(path+name, typ.Elem())
		case reflect.Struct:
			if typ == reflect.TypeFor[configs.Rate]() {
				return
			}
			for i := range typ.NumField() {
				name, options, _ := strings.Cut(typ.Field(i).Tag.Get("yaml"), ",")
				switch {
				case options == "inline":
					walk(path, typ.Field(i).Type)
				case name != "-":
					walk(strings.TrimPrefix(path+"."+name, "."), typ.Field(i).Type)
				}
			}
		case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
			if !slices.ContainsFunc(bounds, func(b bound) bool { return b.key == path }) {
				t.Errorf("docs/reference/configuration does not say which numbers %s may be", path)
			}
		}
	}
	walk("", reflect.TypeFor[configs.Config]())
}

// A run with any number at its bound ends without an error: every fifth bound, and all in the long form.
func TestRunsAtTheBoundsLong(t *testing.T) {
	every := 5
	if polytest.Slow(t) {
		every = 1
	}
	endless := map[string]bool{ // or too much for a test; the bounds themselves are checked above
		"worlds": true, "training.steps": true, "training.segment": true, "training.epochs": true,
		"evaluation.episodes": true,
		"training.recurrent":  true, // 42 GiB
	}
	for n, b := range documentedBounds(t) {
		if n%every != 0 {
			continue
		}
		within, _ := b.extremes(t)
		for i, value := range within {
			if i > 0 && endless[b.key] {
				continue
			}
			c, err := b.config(value)
			if err != nil {
				continue // saturation: the other end of the range
			}
			folder := filepath.Join(t.TempDir(), "run")
			_, err = Train(t.Context(), c, TrainOptions{Folder: folder})
			// learning, or physics
			diverges := func(text string) bool { return err != nil && strings.Contains(err.Error(), text) }
			if err != nil && !diverges("the gradient's length is") &&
				!diverges("nothing that is observed is a picture") &&
				!diverges("the robot has no joint with an actuator") && // a thrust is none of a joint
				!diverges("with algorithm ppo, want 1, or algorithm clone") &&
				!diverges("every control step of iteration 1 ended in a fault") {
				t.Errorf("%s: %v", b.setting(value), err)
			}
		}
	}
	for _, rate := range []string{"2147483647", "1/2147483647", "1ns", "2147483647/2147483646"} {
		c := must(extreme("runners.Capture.rate=" + rate))(t)
		_, err := Train(t.Context(), c, TrainOptions{Folder: filepath.Join(t.TempDir(), "run")})
		if err != nil && !errors.As(err, new(env.ConfigError)) {
			t.Errorf("a rate of %s: %v", rate, err)
		}
	}
	// A mode that follows the wall clock has limits of its own.
	for _, b := range documentedBounds(t) {
		if !strings.HasPrefix(b.key, "time.") {
			continue
		}
		within, _ := b.extremes(t)
		for _, value := range within {
			c := must(extreme(b.setting(value), "time.mode=sim_realtime"))(t)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			policy := must(policies.Open(policies.Zero))(t)
			_, err := rollouts.Rollout(ctx, c, rollouts.RolloutOptions{Policy: policy, Episodes: 1, Folder: filepath.Join(t.TempDir(), "data")})
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", b.setting(value), err)
			}
		}
	}
}
