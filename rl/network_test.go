package rl

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
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/policy/onnx"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// architecture is a shape of policy that learning supports.
type architecture struct {
	name                string
	observation, action int
	hidden              []int
	change              func(*Shape, *Settings)
}

var architectures = []architecture{
	{"tanh", 17, 6, []int{64, 64}, func(*Shape, *Settings) {}},
	{"one layer", 3, 1, []int{8}, func(*Shape, *Settings) {}},
	{"no hidden layer", 5, 2, []int{}, func(*Shape, *Settings) {}},
	{"four layers", 105, 12, []int{256, 128, 64, 33}, func(*Shape, *Settings) {}},
	{"part of an observation", 20, 3, []int{16}, func(e *Shape, _ *Settings) { e.Policy = ColumnRange{First: 0, Size: 8} }},
	{"elu", 17, 6, []int{64, 64}, func(_ *Shape, s *Settings) { s.Activation = ELU }},
	{"relu", 17, 6, []int{64, 64}, func(_ *Shape, s *Settings) { s.Activation = ReLU }},
	{"sizes of its own", 7, 2, []int{64}, func(_ *Shape, s *Settings) { s.PolicyHidden = []int{12, 8} }},
	{"choices", 8, 1, []int{16, 16}, func(e *Shape, _ *Settings) { e.Choices = 5 }},
	{"gru", 17, 6, []int{64, 64}, func(_ *Shape, s *Settings) { s.Recurrent = 64 }},
	{"gru and elu", 9, 2, []int{32}, func(_ *Shape, s *Settings) { s.Recurrent, s.Activation = 24, ELU }},
	{"gru and relu, part of an observation", 20, 3, []int{16}, func(e *Shape, s *Settings) {
		e.Policy, s.Recurrent, s.Activation = ColumnRange{First: 2, Size: 8}, 5, ReLU
	}},
	{"gru and choices", 8, 1, []int{16, 16}, func(e *Shape, s *Settings) { e.Choices, s.Recurrent = 5, 16 }},
	{"gru, no layers, state-dependent std", 5, 2, []int{}, func(_ *Shape, s *Settings) {
		s.Recurrent, s.StateStd = 7,
			true
	}},
	{"convolutions", 80, 3, []int{16}, func(e *Shape, s *Settings) {
		e.Policy = ColumnRange{First: 2, Size: 77}
		e.Pictures = []Picture{picture(3, 5, 6, 1), picture(35, 3, 2, 1), picture(42, 2, 3, 1), picture(48, 5, 6, 1)}
		s.Convolutions = []Convolution{convolution(4, 3, 2, 2), {Channels: 5, Kernel: 2}}
	}},
	{"convolutions alone, relu", 1 + 8*8*3, 2, []int{8}, func(e *Shape, s *Settings) {
		e.Policy, e.Pictures, s.Activation = ColumnRange{First: 1, Size: 192}, []Picture{picture(1, 8, 8, 3)}, ReLU
		s.Convolutions = []Convolution{convolution(8, 4, 2, 1), convolution(4, 3, 1, 1)}
	}},
	{"convolutions, gru and choices", 60, 1, []int{}, func(e *Shape, s *Settings) {
		e.Choices, e.Pictures, s.Recurrent, s.Activation = 4, []Picture{picture(9, 4, 4, 3)}, 6, ELU
		s.Convolutions = []Convolution{{Channels: 3, Kernel: 2}}
	}},
	{"sac", 17, 6, []int{}, func(_ *Shape, s *Settings) { s.Algorithm = AlgorithmSAC }},
	{"sac as observed", 9, 2, []int{}, func(_ *Shape, s *Settings) {
		s.Algorithm, s.NormaliseObservations, s.SAC.Hidden = AlgorithmSAC, false, []int{16}
	}},
	{"sac and convolutions", 80, 3, []int{}, func(e *Shape, s *Settings) {
		e.Policy, e.Pictures, e.Critic = ColumnRange{First: 2, Size: 70}, []Picture{picture(5, 6, 3, 3)}, ColumnRange{First: 0, Size: 80}
		s.Algorithm, s.SAC.Hidden, s.Convolutions = AlgorithmSAC, []int{16}, []Convolution{convolution(4, 3, 2, 1)}
	}},
	{"td3bc", 17, 6, []int{}, func(_ *Shape, s *Settings) { s.Algorithm = AlgorithmTD3BC }},
	{"td3bc as observed", 9, 2, []int{}, func(e *Shape, s *Settings) {
		e.Policy, s.Algorithm, s.NormaliseObservations, s.SAC.Hidden = ColumnRange{First: 1, Size: 6}, AlgorithmTD3BC, false, []int{16}
		s.SAC.Activation = ELU
	}},
	{"state-dependent std", 9, 4, []int{16}, func(_ *Shape, s *Settings) { s.StateStd = true }},
}

// randomPolicy returns a policy of the architecture with weights as after training, and
// a standardiser that has seen values of many sizes, one of them constant.
func (a architecture) randomPolicy(r *rand.Rand) *Policy {
	shape := Shape{Observation: a.observation, Action: a.action}
	settings := DefaultSettings()
	settings.Hidden = a.hidden
	a.change(&shape, &settings)
	for i := range a.action {
		low, high := -1.0, 1.0
		if i%3 == 2 {
			low, high = math.Inf(-1), math.Inf(1)
		}
		if settings.Algorithm.definition().replays {
			low, high = -0.5, float64(1+i)
		}
		if shape.Choices > 0 {
			low, high = 0, float64(shape.Choices-1)
		}
		shape.ActionLow, shape.ActionHigh = append(shape.ActionLow, low), append(shape.ActionHigh, high)
	}
	params := make([]float32, policySize(shape, &settings))
	p := newPolicy(params, shape, &settings)
	p.net.Initialise(params, 1, r.Uint64(), 0)
	for i := range params {
		params[i] += float32(0.02 * r.NormFloat64())
	}
	m := nn.NewMoments(shape.moments())
	for range 100 {
		m.AddObserved(a.observe(r), shape.Pictures)
	}
	p.standardise.Set(m, shape.Pictures)
	return p
}

// observe draws an observation whose values are float32s, which the input of an ONNX model is.
func (a architecture) observe(r *rand.Rand) []float64 {
	v := make([]float64, a.observation)
	for i := range v {
		v[i] = float64(float32(math.Pow(10, float64(i%5-2)) * (r.NormFloat64() + float64(3*(i%7)))))
	}
	v[0] = 1000.1 // constant: its scale is 1e4
	v[0] = float64(float32(v[0]))
	return v
}

// columns returns the part of an observation that the policy reads.
func (p *Policy) columns(observation []float64) []float64 {
	r := p.Reads()
	return observation[r.First:][:r.Size]
}

// A policy as data acts as in learning, alone and after a file, for each architecture.
func TestNetworkActsAlike(t *testing.T) {
	for _, a := range architectures {
		t.Run(a.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			p := a.randomPolicy(r)
			n := p.Network()
			n.Task = "test"
			var file bytes.Buffer
			polytest.NoError(t, n.Write(&file))
			read := polytest.Must(policy.Read(&file))(t)
			light := polytest.Must(policy.New(read))(t)
			scratch, state := p.NewScratch(), make([]float32, p.State())
			want, got := make([]float32, a.action), make([]float32, a.action)
			for step := range 200 {
				if step%23 == 0 {
					clear(state)
					light.Reset()
				}
				o := a.observe(r)
				polytest.NoError(t, p.Act(want, o, state, 0, scratch))
				polytest.NoError(t, light.Act(got, p.columns(o)))
				for i := range want {
					if d := math.Abs(float64(got[i] - want[i])); d > 1e-6*max(1, math.Abs(float64(want[i]))) {
						t.Fatalf("action value %d is %v, want %v as in learning", i, got[i], want[i])
					}
				}
			}
		})
	}
}

// ONNX's checker accepts the model of each architecture, and onnxruntime acts as the policy does to 1e-5.
// POLYTEST_PYTHON names an interpreter that has both; the test workflow sets it.
func TestONNXActsAlike(t *testing.T) {
	python := polytest.Python(t)
	type model struct {
		Name, File      string
		Observed, Acted [][]float64
		Next            [][]float32 `json:",omitempty"` // of a recurrent policy: the state after each step
		Episode         int         // control steps after which the state is zero again
	}
	var models []model
	dir := t.TempDir()
	for i, a := range architectures {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		p := a.randomPolicy(r)
		n := p.Network()
		n.Task, n.Version = "test", "v0"
		var file bytes.Buffer
		polytest.NoError(t, onnx.Write(&file, n))
		m := model{Name: a.name, File: filepath.Join(dir, fmt.Sprintf("%d.onnx", i)), Episode: 17}
		polytest.NoError(t, os.WriteFile(m.File, file.Bytes(), 0o666))
		scratch, action, state := p.NewScratch(), make([]float32, a.action), make([]float32, p.State())
		for step := range 100 {
			if step%m.Episode == 0 {
				clear(state)
			}
			o := a.observe(r)
			polytest.NoError(t, p.Act(action, o, state, 0, scratch))
			acted := make([]float64, len(action))
			for i, v := range action {
				acted[i] = float64(v)
			}
			if p.State() > 0 {
				m.Next = append(m.Next, slices.Clone(state))
			}
			m.Observed, m.Acted = append(m.Observed, p.columns(o)), append(m.Acted, acted)
		}
		models = append(models, m)
	}
	data := polytest.Must(json.Marshal(models))(t)
	list := filepath.Join(dir, "models.json")
	polytest.NoError(t, os.WriteFile(list, data, 0o666))
	out, err := exec.Command(python, "../internal/tests/peers/onnx_acts.py", list).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
