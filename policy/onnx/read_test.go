package onnx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// networks are of each kind that Write writes.
func networks() map[string]*policy.Network {
	pictures := []policy.Picture{{First: 1, Height: 6, Width: 7, Channels: 2}, {First: 90, Height: 6, Width: 7, Channels: 2}}
	convolutions := []policy.Convolution{{Channels: 3, Kernel: 3, Stride: 2, Padding: 1}, {Channels: 4, Kernel: 2}}
	inf := float32(math.Inf(1))
	all := map[string]*policy.Network{
		"dense":     {Header: policy.Header{Activation: policy.ELU, Sizes: []int{5, 16, 9, 3}}, Low: []float32{-1, -inf, -inf}, High: []float32{1, 0.5, inf}},
		"squashed":  {Header: policy.Header{Activation: policy.ReLU, Squash: true, Sizes: []int{4, 8, 2}}, Low: []float32{-1, -2}, High: []float32{1, 3}},
		"choices":   {Header: policy.Header{Activation: policy.Tanh, Discrete: 4, Sizes: []int{6, 8, 4}}},
		"recurrent": {Header: policy.Header{Activation: policy.Tanh, Recurrent: 7, Sizes: []int{6, 8, 2}}, Low: []float32{-inf, -inf}, High: []float32{inf, inf}},
		"chunk":     {Header: policy.Header{Activation: policy.ELU, ChunkSize: 3, Sizes: []int{5, 8, 6}}, Low: []float32{-1, -1}, High: []float32{1, 1}},
		"pictures": {Header: policy.Header{Activation: policy.ReLU, Pictures: pictures, Convolutions: convolutions, Sizes: []int{180, 8, 2}},
			Low: []float32{-1, -1}, High: []float32{1, 1}},
	}
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(r.NormFloat64() * 0.4)
		}
		return values
	}
	for _, name := range []string{"chunk", "choices", "dense", "pictures", "recurrent", "squashed"} {
		n := all[name]
		n.Task, n.Limit = name, 5
		for range n.Inputs() {
			n.Mean, n.Scale = append(n.Mean, r.NormFloat64()), append(n.Scale, 0.5+r.Float64())
		}
		reads := n.Inputs()
		if stacks, err := policy.Stacks(n.Pictures, n.Convolutions); err == nil {
			for _, s := range stacks {
				for l, c := range n.Convolutions {
					n.Filters = append(n.Filters, policy.Layer{Weights: draw(s.Weights(l, c)), Biases: draw(c.Channels)})
				}
				reads += s.Features() - s.Sizes[0][0]*s.Sizes[0][1]*s.Sizes[0][2]
			}
		}
		if units := n.Recurrent; units > 0 {
			n.GRU = &policy.GRU{Input: draw(reads * 3 * units), Recurrent: draw(3 * units * units), Biases: draw(4 * units)}
			reads = units
		}
		for _, size := range n.Sizes[1:] {
			n.Layers = append(n.Layers, policy.Layer{Weights: draw(reads * size), Biases: draw(size)})
			reads = size
		}
	}
	return all
}

func written(t testing.TB, n *policy.Network) []byte {
	var file bytes.Buffer
	polytest.NoError(t, Write(&file, n))
	return file.Bytes()
}

func model(t testing.TB, data []byte) *Model {
	t.Helper()
	return polytest.Must(polytest.Must(Read(data))(t).Model(Ports{}))(t)
}

// What Write writes acts as the policy does, to 1e-6, through episodes; choices, and what is left of a chunk, exactly.
func TestWrittenIsReadBack(t *testing.T) {
	for name, n := range networks() {
		t.Run(name, func(t *testing.T) {
			own := polytest.Must(policy.New(n))(t)
			read := model(t, written(t, n))
			if read.Observation() != n.Inputs() || read.Action() != n.Actions() || read.State() != n.State() || read.Chooses() != (n.Discrete > 0) {
				t.Fatalf("%d observed, %d action and %d state values, choices: %v", read.Observation(), read.Action(), read.State(), read.Chooses())
			}
			r := rand.New(rand.NewPCG(3, 4))
			s, state := read.NewScratch(), make([]float32, n.State())
			got, want := make([]float32, n.Actions()), make([]float32, n.Actions())
			observation, given := make([]float64, n.Inputs()), make([]float32, n.Inputs())
			for step := range 60 {
				if step%17 == 0 {
					own.Reset()
					clear(state)
				}
				for i := range observation {
					given[i] = float32(r.NormFloat64() * 2)
					observation[i] = float64(given[i])
				}
				polytest.NoError(t, own.Act(want, observation))
				polytest.NoError(t, read.Act(got, given, state, s))
				near(t, "action", got, want, 1e-6)
				near(t, "state", state, own.State(), 1e-6)
				if n.Discrete > 0 && got[0] != want[0] || n.ChunkSize > 1 && state[0] != own.State()[0] {
					t.Fatalf("action %v and state %v, want %v and %v", got, state, want, own.State())
				}
			}
		})
	}
}

func near(t *testing.T, what string, got, want []float32, within float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i] - w)); !(d <= within*max(1, math.Abs(float64(w)))) && got[i] != w {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// Policies that Stable-Baselines3, rsl_rl and PyTorch exported act as they did there. testdata/exports.py wrote them.
func TestExportsOfOthers(t *testing.T) {
	files := polytest.Must(filepath.Glob("testdata/*.onnx"))(t)
	if len(files) < 8 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := polytest.Must(os.ReadFile(file))(t)
			var steps []struct{ Inputs, Outputs map[string][]float32 }
			polytest.NoError(t, json.Unmarshal(polytest.Must(os.ReadFile(strings.TrimSuffix(file, ".onnx")+".json"))(t), &steps))
			f := polytest.Must(Read(data))(t)
			n := polytest.Must(f.Model(Ports{}))(t)
			s, state := n.NewScratch(), make([]float32, n.State())
			for _, step := range steps {
				want := step.Outputs["actions"]
				got := make([]float32, len(want))
				polytest.NoError(t, n.Act(got, step.Inputs[f.inputs[0].name], state, s))
				near(t, "actions", got, want, 1e-5)
				var next []float32
				for _, name := range []string{"h_out", "c_out"} {
					next = append(next, step.Outputs[name]...)
				}
				near(t, "state", state, next, 1e-5)
			}
		})
	}
}

// A row has the same bits alone and among others, and acting allocates nothing.
func TestRowsAreTheirOwn(t *testing.T) {
	for name, of := range networks() {
		n := model(t, written(t, of))
		const rows = 5
		r := rand.New(rand.NewPCG(5, 6))
		observations := make([]float32, rows*n.Observation())
		for i := range observations {
			observations[i] = float32(r.NormFloat64())
		}
		together, alone := make([]float32, rows*n.Action()), make([]float32, rows*n.Action())
		states, each := make([]float32, rows*n.State()), make([]float32, rows*n.State())
		s := n.NewScratch()
		for range 3 {
			polytest.NoError(t, n.Act(together, observations, states, s))
			for _, row := range r.Perm(rows) {
				polytest.NoError(t, n.Act(alone[row*n.Action():][:n.Action()], observations[row*n.Observation():][:n.Observation()],
					each[row*n.State():][:n.State()], n.NewScratch()))
			}
			if !slices.Equal(together, alone) || !slices.Equal(states, each) {
				t.Errorf("%s: %v, alone %v", name, together, alone)
			}
		}
		if allocated := polytest.Allocations(10, func() { polytest.NoError(t, n.Act(together, observations, states, s)) }); allocated != 0 {
			t.Errorf("%s: %v allocations", name, allocated)
		}
	}
}

// op is a node of a test's model.
func op(operator string, inputs, outputs []string, attributes ...message) message {
	var m message
	for _, name := range inputs {
		m = append(m, fields(1, name)...)
	}
	for _, name := range outputs {
		m = append(m, fields(2, name)...)
	}
	m = append(m, fields(4, operator)...)
	for _, a := range attributes {
		m = append(m, fields(5, a)...)
	}
	return m
}

// modelOf is a model that reads observation, of 3 values, and gives action, with these nodes and tensors.
func modelOf(nodes []message, tensors ...message) []byte {
	var g message
	for _, n := range nodes {
		g = append(g, fields(1, n)...)
	}
	for _, t := range tensors {
		g = append(g, fields(5, t)...)
	}
	g = append(g, fields(11, value(Input, float32Type, 3), 12, value(Output, float32Type, 3))...)
	return fields(1, irVersion, 7, g, 8, fields(1, "", 2, opsetVersion))
}

func list(names ...string) []string { return names }

// What is no model, or asks for too much, is refused in one line that says why.
func TestHostileFilesAreRefused(t *testing.T) {
	whole := written(t, networks()["dense"])
	external := append(fields(1, 3, 2, float32Type, 8, "w"), fields(14, 1)...)
	huge := func(dims ...int) message { // a tensor that a ConstantOfShape makes
		var raw message
		for _, d := range dims {
			raw = append(raw, byte(d), byte(d>>8), byte(d>>16), byte(d>>24), 0, 0, 0, 0)
		}
		return fields(1, len(dims), 2, int64Type, 8, "dims", 9, raw)
	}
	var doubling []message
	doubling = append(doubling, op("Concat", list(Input, Input), list("x0"), attribute{"axis", 1}.message()))
	for i := range 40 {
		name := fmt.Sprintf("x%d", i)
		doubling = append(doubling, op("Concat", list(name, name), list(fmt.Sprintf("x%d", i+1)), attribute{"axis", 1}.message()))
	}
	slow := []message{op("ConstantOfShape", list("dims"), list("m0"))}
	for i := range 3 {
		slow = append(slow, op("MatMul", list(fmt.Sprintf("m%d", i), "m0"), list(fmt.Sprintf("m%d", i+1))))
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":         {nil, "no graph"},
		"text":          {[]byte("task: {name: quadruped}\n"), "no ONNX model"},
		"half":          {whole[:len(whole)/2], "cannot be read"},
		"external":      {modelOf([]message{op("Add", list(Input, "w"), list(Output))}, external), "external_data=False"},
		"unknown":       {modelOf([]message{op("Frobnicate", list(Input), list(Output))}), "not known, want one of Abs, Add"},
		"control flow":  {modelOf([]message{op("If", list(Input), list(Output), fields(1, "then_branch", 6, message(nil), 20, 5))}), `"If": not known`},
		"other domain":  {modelOf([]message{append(op("Relu", list(Input), list(Output)), fields(7, "com.microsoft")...)}), `"com.microsoft"`},
		"cycle":         {modelOf([]message{op("Add", list(Input, "b"), list("a")), op("Relu", list("a"), list("b")), op("Relu", list("b"), list(Output))}), `reads "b"`},
		"own cycle":     {modelOf([]message{op("Add", list(Input, Output), list(Output))}), `reads "action"`},
		"twice":         {modelOf([]message{op("Relu", list(Input), list(Output)), op("Relu", list(Input), list(Output))}), "two nodes compute"},
		"no node":       {modelOf(nil), `no node computes its output "action"`},
		"attribute":     {modelOf([]message{op("Relu", list(Input), list(Output), attribute{"other", 1}.message())}), `"other" is not known`},
		"shape":         {modelOf([]message{op("Add", list(Input, "w"), list(Output))}, fields(1, 2, 2, float32Type, 8, "w", 9, message(make([]byte, 8)))), "want the same, or 1"},
		"short tensor":  {modelOf([]message{op("Add", list(Input, "w"), list(Output))}, fields(1, 3, 2, float32Type, 8, "w", 9, message(make([]byte, 8)))), "it has 8 bytes, want 12"},
		"long tensor":   {modelOf([]message{op("Add", list(Input, "w"), list(Output))}, fields(1, 1<<40, 2, float32Type, 8, "w")), "dimension"},
		"large product": {modelOf([]message{op("Add", list(Input, "w"), list(Output))}, fields(1, 1<<20, 1, 1<<20, 1, 1<<24, 2, float32Type, 8, "w")), "values"},
		"huge":          {modelOf([]message{op("ConstantOfShape", list("dims"), list("big")), op("Add", list(Input, "big"), list(Output))}, huge(1<<20, 1<<20)), "values"},
		"doubling":      {modelOf(append(doubling, op("Relu", list("x40"), list(Output)))), "want at most"},
		"slow":          {modelOf(append(slow, op("Relu", list("m3"), list(Output))), huge(1300, 1300)), "products"},
		"index":         {modelOf([]message{op("Gather", list(Input, "i"), list(Output), attribute{"axis", 1}.message())}, fields(2, int64Type, 8, "i", 7, 3)), "index 3 of 3"},
		"batch": {fields(1, irVersion, 8, fields(2, 17), 7, append(fields(1, op("Relu", list("x"), list("y"))), fields(11,
			fields(1, "x", 2, fields(1, fields(1, float32Type, 2, fields(1, fields(1, 7), 1, fields(1, 3))))), 12, value("y", float32Type, 3))...)), "the batch"},
		"version": {fields(1, irVersion, 8, fields(2, 6), 7, fields(1, op("Relu", list("x"), list("y")))), "of version 6"},
	} {
		f, err := Read(c.data)
		if err == nil {
			_, err = f.Model(Ports{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	for n := range len(whole) {
		if _, err := Read(whole[:n]); err == nil && n < len(whole)-200 { // what ends the file are properties
			t.Fatalf("the first %d of %d bytes are read", n, len(whole))
		}
	}
}

// A policy that is read never panics or hangs, whatever the file.
func FuzzRead(f *testing.F) {
	for _, n := range networks() {
		f.Add(written(f, n))
	}
	for _, file := range polytest.Must(filepath.Glob("testdata/*.onnx"))(f) {
		f.Add(polytest.Must(os.ReadFile(file))(f))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(data)
		if err != nil {
			return
		}
		n, err := file.Model(Ports{})
		if err != nil {
			return
		}
		polytest.NoError(t, n.Act(make([]float32, 2*n.Action()), make([]float32, 2*n.Observation()), make([]float32, 2*n.State()), n.NewScratch()))
	})
}

// Each operator computes what onnxruntime's does, to 1e-5, with random inputs. POLYTEST_PYTHON names an interpreter that has it.
func TestOperatorsAgainstONNXRuntime(t *testing.T) {
	python, dir := polytest.Python(t), t.TempDir()
	if out, err := exec.Command(python, "../../internal/tests/peers/onnx_operators.py", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var cases map[string][]struct {
		X []float32
		Y []string
	}
	polytest.NoError(t, json.Unmarshal(polytest.Must(os.ReadFile(filepath.Join(dir, "cases.json")))(t), &cases))
	tried := map[string]bool{}
	for name, rows := range cases {
		f := polytest.Must(Read(polytest.Must(os.ReadFile(filepath.Join(dir, name+".onnx")))(t)))(t)
		for _, n := range f.nodes {
			tried[n.operator] = true
		}
		n, err := f.Model(Ports{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, row := range rows {
			got := make([]float32, n.Action())
			polytest.NoError(t, n.Act(got, row.X, nil, n.NewScratch()))
			if len(got) != len(row.Y) {
				t.Errorf("%s: %d values, want %d", name, len(got), len(row.Y))
				break
			}
			for i, text := range row.Y {
				want := polytest.Must(strconv.ParseFloat(text, 64))(t)
				if d := math.Abs(float64(got[i]) - want); !(d <= 1e-5*max(1, math.Abs(want))) && float64(got[i]) != want {
					t.Errorf("%s: value %d of %v is %v, want %v", name, i, row.X, got[i], want)
					break
				}
			}
		}
	}
	for _, name := range Operators() {
		if !tried[name] && name != "Constant" && name != "ConstantOfShape" && name != "CastLike" { // of which the exports of others consist
			t.Errorf("%s is not tried", name)
		}
	}
}
