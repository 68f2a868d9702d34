package policies

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/policy/onnx"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// linear is an ONNX model whose action value k is the sum of weights[i][k] times observed value i.
func linear(t testing.TB, weights [][]float32) []byte {
	inf := float32(math.Inf(1))
	n := &policy.Network{Header: policy.Header{Task: "test", Limit: 1e30, Activation: policy.ReLU,
		Sizes: []int{len(weights), len(weights[0])}}, Layers: []policy.Layer{{Biases: make([]float32, len(weights[0]))}}}
	for _, row := range weights {
		n.Mean, n.Scale = append(n.Mean, 0), append(n.Scale, 1)
		n.Layers[0].Weights = append(n.Layers[0].Weights, row...)
	}
	for range weights[0] {
		n.Low, n.High = append(n.Low, -inf), append(n.High, inf)
	}
	var file bytes.Buffer
	polytest.NoError(t, onnx.Write(&file, n))
	return file.Bytes()
}

// seen is a model of one action value that is what it observes as value i of so many.
func seen(t testing.TB, i, of int) []byte {
	weights := make([][]float32, of)
	for k := range weights {
		weights[k] = []float32{0}
	}
	weights[i][0] = 1
	return linear(t, weights)
}

// legs is a task with names as described tasks have them.
var legs = sim.Spec{Name: "legs", ObservationSize: 9, ActionSize: 2,
	ObservationNames: []string{"gyro[0]", "gyro[1]", "gyro[2]", "left_pos", "right_pos", "left_vel", "right_vel", "critic/x", "critic/y"},
	ActionNames:      []string{"left", "right"}, ActionLow: []float64{-1, -2}, ActionHigh: []float64{1, 2},
	Groups: []sim.Group{{Name: "policy", Size: 7}, {Name: "critic", First: 7, Size: 2}}}

func fitOf(t testing.TB, model []byte, adapter string, spec sim.Spec) (*fitted, error) {
	t.Helper()
	n, err := parseONNX(onnx.WithProperty(model, adapterProperty, adapter))
	if err != nil {
		return nil, err
	}
	return n.fit(spec)
}

// Each value of what a policy observes through an adapter is that of a formula of the test's own, over two episodes.
func TestAdapterObserves(t *testing.T) {
	const frames, size = 3, 2 + 3 + 2 + 1 + 1 // positions, gyro, velocities, previous action, a constant
	for _, by := range []string{"frame", "entry"} {
		for _, newest := range []string{"first", "last"} {
			for _, begins := range []string{"repeated", "zeros"} {
				adapter := fmt.Sprintf(`
joints: [right, left]
observations:
  - {values: ["{joint}_pos"], scale: 2, offset: [0.5, -0.5]}
  - {values: ['gyro.*'], scale: [1, 2, 3]}
  - {values: ["{joint}_vel"]}
  - {previous_action: true, scale: 10}
  - {constant: 7}
clip_observations: 6
history: {frames: %d, by: %s, newest: %s, begins: %s}
actions: {values: [right], clip: 0.4}
`, frames, by, newest, begins)
				spec := legs
				spec.ActionSize, spec.ActionNames, spec.ActionLow, spec.ActionHigh = 1, []string{"right"}, []float64{-9}, []float64{9}
				for at := range frames * size {
					f := polytest.Must(fitOf(t, seen(t, at, frames*size), adapter, spec))(t)
					memory := make([]float32, f.states)
					given, dst, observed := make([]float32, 1), make([]float32, 1), make([]float32, f.model.Observation())
					s := f.model.NewScratch()
					r := rand.New(rand.NewPCG(1, 2))
					var all [][]float64 // frames of the episode
					for step := range 8 {
						if step%4 == 0 {
							clear(memory)
							all = nil
						}
						o := make([]float64, 9)
						for i := range o {
							o[i] = r.NormFloat64()
						}
						previous := 0.0
						if step%4 > 0 {
							previous = float64(min(max(given[0], -0.4), 0.4))
						}
						frame := []float64{o[4]*2 + 0.5, o[3]*2 - 0.5, o[0], o[1] * 2, o[2] * 3, o[6], o[5], previous * 10, 7}
						all = append(all, frame)
						f.observe(observed, o, memory, step%4 == 0)
						polytest.NoError(t, f.model.Act(given, observed, memory[:f.model.State()], s))
						f.act(dst, given, memory)

						age, entry := 0, 0 // of value at
						if by == "frame" {
							age, entry = at/size, at%size
						} else {
							rest := at
							for _, width := range []int{2, 3, 2, 1, 1} {
								if rest < frames*width {
									age, entry = rest/width, entry+rest%width
									break
								}
								rest, entry = rest-frames*width, entry+width
							}
						}
						if newest == "last" {
							age = frames - 1 - age
						}
						want := 0.0
						switch k := len(all) - 1 - age; {
						case k >= 0:
							want = min(max(all[k][entry], -6), 6)
						case begins == "repeated":
							want = min(max(all[0][entry], -6), 6)
						}
						if math.Abs(float64(given[0])-want) > 1e-5 {
							t.Fatalf("%s, newest %s, %s: value %d at step %d is %v, want %v", by, newest, begins, at, step, given[0], want)
						}
					}
				}
			}
		}
	}
}

// An action goes through clip, scale, offset and order into the task's bounds.
func TestAdapterActs(t *testing.T) {
	f := polytest.Must(fitOf(t, linear(t, [][]float32{{1, 0}, {0, 1}}), `
observations: [{values: [left_pos, critic/x]}]
actions: {values: [right, left], clip: 3, scale: [0.5, 2], offset: 0.25}
`, legs))(t)
	for _, c := range [][4]float32{{1, 0.25, 0.75, 0.75}, {-10, 0, -1.25, 0.25}, {3, 9, 1.75, 1}, {0, -1, 0.25, -1}} {
		dst := make([]float32, 2)
		f.act(dst, c[:2], make([]float32, f.states))
		if dst[1] != c[2] || dst[0] != c[3] {
			t.Errorf("%v gives %v, want %v and %v", c[:2], dst, c[3], c[2])
		}
	}
	choices := legs
	choices.Discrete, choices.ActionSize = 2, 1
	f = polytest.Must(fitOf(t, linear(t, [][]float32{{1, 0}, {0, 1}}), "observations: [{values: [left_pos, right_pos]}]", choices))(t)
	for _, given := range [][]float32{{1, 2}, {2, 1}, {-1, -1}} {
		dst := []float32{9}
		f.act(dst, given, nil)
		if want := float32(slices.Index(given, slices.Max(given))); dst[0] != want {
			t.Errorf("%v gives %v, want %v", given, dst, want)
		}
	}
}

// What does not fit is one line with what was given and what was wanted.
func TestAdapterMistakes(t *testing.T) {
	for adapter, want := range map[string]string{
		"":                               "it has 1 action values, want the 2 of legs; a file NAME.adapter.yaml",
		"actions: {values: [left]}":      "names right 0 times, want each value of the action of legs once: left, right",
		"actions: {values: [lleft]}":     `actions.values[0]: no value of an action matches "lleft"; did you mean left?`,
		"actions: {valeus: [left]}":      "actions.valeus",
		"observations: [{values: gyro}]": "observations[0].values",
		"observations: [{}]":             "observations[0] has 0 of values, previous_action and constant, want one",
		"observations: [{values: [a], constant: 1}]": "has 2 of values",
		"observations: [{constant: [1, x]}]":         "a number or a list of numbers",
		"history: {frames: 0}":                       "history.frames is 0, want 1 to 1000",
		"history: {by: term}":                        `history.by is "term", want frame or entry`,
		"clip_observations: -1":                      "clip_observations is -1, want more than 0",
		"input: obs":                                 `it has no input "obs", but "observation"`,
		"states: {a: b}":                             `it has no input "a"`,
		"- 1":                                        "want",
		"a: b: c":                                    "mapping values",
		"actions: {values: [\"{joint}\"]}":           "the adapter has no joints",
	} {
		if _, err := fitOf(t, seen(t, 0, 7), adapter, legs); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", adapter, err, want)
		}
	}
	one := legs
	one.ActionSize, one.ActionNames = 1, []string{"left"}
	for adapter, want := range map[string]string{
		"":                                     "it observes 6 values, want the 7 of legs",
		"observations: [{values: ['gyro.*']}]": "it observes 6 values, want the 3 values in 1 frames of its adapter",
		"observations: [{values: [giro]}]":     `observations[0].values[0]: no observed value matches "giro"`,
		"observations: [{values: [left_pso]}]": "did you mean left_pos?",
		"observations: [{values: ['gyro.*'], scale: [1, 2]}]":                  "observations[0].scale has 2 numbers, want 1 or 3",
		"{joints: [left, rihgt], observations: [{values: ['{joint}_pos']}]}":   "did you mean right_pos?",
		"{observations: [{values: ['gyro.*']}], actions: {offset: [1, 2, 3]}}": "actions.offset has 3 numbers, want 1 or 1",
	} {
		if _, err := fitOf(t, seen(t, 0, 6), adapter, one); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", adapter, err, want)
		}
	}
}

// The names that a file says its values have must be the task's.
func TestNamesOfAModel(t *testing.T) {
	model := linear(t, [][]float32{{1}, {0}})
	spec := sim.Spec{Name: "two", ObservationSize: 2, ActionSize: 1, ObservationNames: []string{"x", "y"}, ActionLow: []float64{-1},
		ActionHigh: []float64{1}}
	for text, want := range map[string]string{`["x","y"]`: "", `["y","x"]`: `its observed value 0 is "y", want x as two has`, "none": ""} {
		_, err := fitOf(t, onnx.WithProperty(model, "observation_names", text), "", spec)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// An adapter lies beside the file or in it; that beside it counts, and copies have it.
func TestOpenONNX(t *testing.T) {
	dir := t.TempDir()
	path, beside := filepath.Join(dir, "walk.onnx"), filepath.Join(dir, "walk.adapter.yaml")
	inside := onnx.WithProperty(seen(t, 0, 7), adapterProperty, "actions: {values: [left]}")
	polytest.NoError(t, os.WriteFile(path, inside, 0o666))
	fails := func(p *Policy, want string) {
		t.Helper()
		if err := p.Fits(legs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p := polytest.Must(Open(path))(t)
	fails(p, "names right 0 times")
	polytest.NoError(t, os.WriteFile(beside, []byte("actions: {values: [right]}"), 0o666))
	if p = polytest.Must(Open(path))(t); p.Kind() != ONNX {
		t.Errorf("a policy of the kind %s", p.Kind())
	}
	fails(p, "names left 0 times")
	fails(polytest.Must(Parse(ONNX, "copy", p.Contents()))(t), "names left 0 times")
	for text, want := range map[string]string{"clip: 1": beside, "{": beside} {
		polytest.NoError(t, os.WriteFile(beside, []byte(text), 0o666))
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	polytest.NoError(t, os.Remove(beside))
	polytest.NoError(t, os.WriteFile(path, []byte("task: x\n"), 0o666))
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path+": no ONNX model") {
		t.Error(err)
	}
}

// An adapter that is read never panics, whatever its text.
func FuzzAdapter(f *testing.F) {
	f.Add("joints: [right, left]\nobservations: [{values: ['{joint}_pos', 'gyro.*'], scale: 2}, {previous_action: true}]\n" +
		"history: {frames: 2, by: entry}\nactions: {values: ['{joint}'], clip: 1, scale: [1, 2]}\n")
	model := linear(f, [][]float32{{1, 0}, {0, 1}})
	f.Fuzz(func(t *testing.T, text string) {
		fit, err := fitOf(t, model, text, legs)
		if err != nil {
			return
		}
		memory, observed := make([]float32, fit.states), make([]float32, 2)
		fit.observe(observed, make([]float64, 9), memory, true)
		fit.act(make([]float32, 2), observed, memory)
	})
}

// The page of adapters names each key and each operator, and no other operator.
func TestAdaptersPage(t *testing.T) {
	page := string(polytest.Must(os.ReadFile("../../docs/reference/adapters.md"))(t))
	for _, key := range slices.Concat(decode.Leaves(reflect.TypeFor[adapter]()), decode.Leaves(reflect.TypeFor[observedEntry]())) {
		if !strings.Contains(page, "`"+key) {
			t.Errorf("%s is missing", key)
		}
	}
	var listed []string
	_, table, _ := strings.Cut(page, "| kind | operators |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(table, -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(listed)
	if !slices.Equal(listed, onnx.Operators()) {
		t.Errorf("the page lists %v, want %v", listed, onnx.Operators())
	}
}
