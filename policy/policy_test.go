package policy

import (
	"bytes"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// example returns a policy of two observed values and one action value.
func example() *Network {
	inf := float32(math.Inf(1))
	return &Network{
		Header: Header{
			Task: "example", Limit: 10, Activation: ReLU, Sizes: []int{2, 3, 2},
			ObservationNames: []string{"angle", "speed"}, ActionNames: []string{"left", "right"},
		},
		Mean: []float64{1, 0}, Scale: []float64{2, 1},
		Layers: []Layer{
			{Weights: []float32{1, -1, 0.5, 2, 1, 0}, Biases: []float32{0, 0.25, -1}},
			{Weights: []float32{1, 0, 0, 1, 2, 1}, Biases: []float32{0.5, 0}},
		},
		Low: []float32{-1, -inf}, High: []float32{1, inf},
	}
}

// chunks returns a policy of one observed value v, which decides on 1, v and 3·v within the bounds -5 and 4.
func chunks() *Network {
	return &Network{
		Header: Header{Task: "example", Limit: 10, Activation: Tanh, Sizes: []int{1, 3}, ChunkSize: 3},
		Mean:   []float64{0}, Scale: []float64{1},
		Layers: []Layer{{Weights: []float32{0, 1, 3}, Biases: []float32{1, 0, 0}}},
		Low:    []float32{-5}, High: []float32{4},
	}
}

// What a chunk has left is carried out whatever is observed, until the policy is reset.
func TestActInChunks(t *testing.T) {
	p := polytest.Must(New(chunks()))(t)
	var got []float32
	for step, v := range []float64{1, 7, 9, 2, 9, 9, -2, 9, 0.5, 9} {
		if step == 8 {
			p.Reset()
		}
		var action [1]float32
		polytest.NoError(t, p.Act(action[:], []float64{v}))
		got = append(got, action[0])
	}
	polytest.EqualSlices(t, got, []float32{1, 1, 3, 1, 2, 4, 1, -2, 1, 0.5}, "actions")
	polytest.EqualSlices(t, p.State(), []float32{1, 1.5, 0.5}, "what is left, and turned")
	polytest.ErrorContains(t, p.Act(make([]float32, 1), []float64{math.NaN()}), "observed value 0 is NaN")
	polytest.EqualSlices(t, p.State(), []float32{1, 1.5, 0.5}, "the state after an error")
	polytest.EqualSlices(t, p.Clone().State(), make([]float32, 3), "that of a clone")
}

// The actions of networks small enough to compute by hand.
func TestActByHand(t *testing.T) {
	// z = (4, 3): the sums of the first layer are (10, -0.75, 1).
	for _, c := range []struct {
		name   string
		change func(*Network)
		want   []float32
	}{
		{"relu", func(*Network) {}, []float32{1, 1}}, // (12.5, 1) before the bounds
		{"elu", func(n *Network) { n.Activation = ELU }, []float32{1, float32(math.Expm1(-0.75) + 1)}},
		{"tanh", func(n *Network) { n.Activation = Tanh }, []float32{1, float32(math.Tanh(-0.75) + math.Tanh(1))}},
		// z = (0.5, 0.5): (1.5, 0.25, -0.75)
		{"the limit", func(n *Network) { n.Limit = 0.5; n.Low[0], n.High[0] = -9, 9 }, []float32{2, 0.25}},
		{"squash", func(n *Network) { n.Squash, n.Low[1], n.High[1] = true, -3, 1 },
			[]float32{float32(math.Tanh(12.5)), float32(2*math.Tanh(1) - 1)}},
		{"discrete", func(n *Network) { n.Discrete, n.Low, n.High, n.ActionNames = 2, nil, nil, nil }, []float32{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := example()
			c.change(n)
			p := polytest.Must(New(n))(t)
			got := make([]float32, n.Actions())
			polytest.NoError(t, p.Act(got, []float64{3, 3}))
			for i := range got {
				if math.Abs(float64(got[i]-c.want[i])) > 1e-6 {
					t.Errorf("action %v, want %v", got, c.want)
				}
			}
		})
	}
}

// recurrent returns a policy of one observed value, one unit and one action value, the state itself.
func recurrent() *Network {
	return &Network{
		Header: Header{Task: "example", Limit: 10, Activation: Tanh, Sizes: []int{1, 1}, Recurrent: 1},
		Mean:   []float64{0}, Scale: []float64{1},
		GRU:    &GRU{Input: []float32{0.5, -1, 2}, Recurrent: []float32{1, 0.25, -2}, Biases: []float32{0.1, 0.2, 0.3, 0.4}},
		Layers: []Layer{{Weights: []float32{1}, Biases: []float32{0}}},
		Low:    []float32{-1}, High: []float32{1},
	}
}

// A recurrent policy carries its state until it is reset, and each clone has its own.
func TestActRemembers(t *testing.T) {
	p := polytest.Must(New(recurrent()))(t)
	act := func(p *Policy, observed float64) float64 {
		var action [1]float32
		polytest.NoError(t, p.Act(action[:], []float64{observed}))
		return float64(action[0])
	}
	h := 0.0
	var first []float64
	for step, z := range []float64{0.3, -1, 2, 0} {
		r := 1 / (1 + math.Exp(-(0.5*z + h + 0.1)))
		u := 1 / (1 + math.Exp(-(-z + 0.25*h + 0.2)))
		n := math.Tanh(2*z + 0.3 + r*(-2*h+0.4))
		h = (1-u)*n + u*h
		got := act(p, z)
		if math.Abs(got-h) > 1e-6 || float64(p.State()[0]) != got {
			t.Errorf("step %d: action %v in the state %v, want %v", step, got, p.State(), h)
		}
		first = append(first, got)
	}
	if clone := p.Clone(); act(clone, 0.3) != first[0] || float64(p.State()[0]) != first[3] {
		t.Error("a clone does not begin an episode of its own")
	}
	if err := p.Act(make([]float32, 1), []float64{math.NaN()}); err == nil || float64(p.State()[0]) != first[3] {
		t.Errorf("an observation that is not finite: error %v, state %v", err, p.State())
	}
	p.Reset()
	if got := act(p, 0.3); got != first[0] {
		t.Errorf("after a reset %v, want %v as at first", got, first[0])
	}
}

// seeing returns a policy that reads a picture of 2 × 2 pixels between two values. Its filter adds the pixel and the
// one to the right, less one; its action weighs the outputs of the left pixels and the two values.
func seeing() *Network {
	return &Network{
		Header: Header{
			Task: "example", Limit: 10, Activation: ReLU, Sizes: []int{6, 1},
			Pictures:     []Picture{{First: 1, Height: 2, Width: 2, Channels: 1}},
			Convolutions: []Convolution{{Channels: 1, Kernel: 3, Padding: 1}},
		},
		Mean: make([]float64, 6), Scale: []float64{1, 1, 1, 1, 1, 1},
		Filters: []Layer{{Weights: []float32{0, 0, 0, 0, 1, 1, 0, 0, 0}, Biases: []float32{-1}}},
		Layers:  []Layer{{Weights: []float32{1, 0, 10, 0, 0.01, 0.001}, Biases: []float32{0}}},
		Low:     []float32{-1000}, High: []float32{1000},
	}
}

func TestActSees(t *testing.T) {
	p := polytest.Must(New(seeing()))(t)
	var action [1]float32
	for range 2 {
		polytest.NoError(t, p.Act(action[:], []float64{5, 2, 3, 4, 0.5, 7}))
		// the upper row: 2+3-1; the lower one: 4+0.5-1
		if want := float32(4 + 35 + 0.05 + 0.007); math.Abs(float64(action[0]-want)) > 1e-5 {
			t.Errorf("action %v, want %v", action[0], want)
		}
	}
	for want, change := range map[string]func(*Network){
		"1 pictures and 0 convolutions, want both or neither": func(n *Network) { n.Convolutions = nil },
		"convolutions[0].kernel is 5, want at most 4":         func(n *Network) { n.Convolutions[0].Kernel = 5 },
		"convolutions[3] gives 1022 × 1022 × 20 values, want at most 16777216": func(n *Network) {
			for range 3 {
				n.Convolutions = append(n.Convolutions, Convolution{Channels: 20, Kernel: 256, Padding: 255})
			}
			n.Convolutions[0] = n.Convolutions[1]
		},
		"convolutions[0].channels is 0, want 1 to 4096": func(n *Network) { n.Convolutions[0].Channels = 0 },
		"pictures[0] has 2 × 2 × 1 values from 3, want": func(n *Network) { n.Pictures[0].First = 3 },
		"0 filters, want 1":              func(n *Network) { n.Filters = nil },
		"filter 0 has 8 weights, want 9": func(n *Network) { n.Filters[0].Weights = make([]float32, 8) },
	} {
		n := seeing()
		change(n)
		polytest.ErrorContains(t, n.Check(), want)
	}
}

func TestCheckRefusesGRUs(t *testing.T) {
	for want, change := range map[string]func(*Network){
		"recurrent is -1, want 0 to 16384":     func(n *Network) { n.Recurrent = -1 },
		"is 1 and there is a GRU: false, want": func(n *Network) { n.GRU = nil },
		"is 0 and there is a GRU: true, want":  func(n *Network) { n.Recurrent = 0 },
		"the GRU has 2 input weights, want 3":  func(n *Network) { n.GRU.Input = n.GRU.Input[1:] },
		"has 3 recurrent weights, want 12":     func(n *Network) { n.Recurrent, n.GRU.Input = 2, make([]float32, 6) },
		"has NaN as value 2 of its biases":     func(n *Network) { n.GRU.Biases[2] = float32(math.NaN()) },
		"layer 0 has 2 weights, want 1":        func(n *Network) { n.Layers[0].Weights = make([]float32, 2) },
	} {
		n := recurrent()
		change(n)
		polytest.ErrorContains(t, n.Check(), want)
	}
}

func TestActRefusesWhatDoesNotFit(t *testing.T) {
	p := polytest.Must(New(example()))(t)
	for _, c := range []struct {
		dst         int
		observation []float64
		want        string
	}{
		{2, []float64{1}, "1 observed and 2 action values, want 2 and 2"},
		{1, []float64{1, 2}, "2 observed and 1 action values, want 2 and 2"},
		{2, []float64{1, math.NaN()}, "observed value 1 is NaN, want a finite number"},
		{2, []float64{math.Inf(-1), 0}, "observed value 0 is -Inf, want a finite number"},
	} {
		if err := p.Act(make([]float32, c.dst), c.observation); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestActAllocatesNothing(t *testing.T) {
	for _, network := range []*Network{example(), recurrent(), seeing(), chunks()} {
		p := polytest.Must(New(network))(t)
		dst, observation := make([]float32, network.Actions()), make([]float64, network.Inputs())
		polytest.Equal(t, polytest.Allocations(100, func() { p.Act(dst, observation) }), 0, "allocations")
	}
}

func TestFileReadsBack(t *testing.T) {
	for _, want := range []*Network{example(), recurrent(), seeing(), chunks()} {
		var file bytes.Buffer
		polytest.NoError(t, want.Write(&file))
		if got := polytest.Must(Read(&file))(t); !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, want %+v", got, want)
		}
	}
	polytest.ErrorContains(t, polytest.Err(Read(strings.NewReader("PRPOLICY"))), "no file of version 3")
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no file: no error")
	}
}

// A header that claims much is refused before memory is taken for it.
func TestFileRefusesHeaders(t *testing.T) {
	for header, want := range map[string]string{
		`{"sizes":[1]}`: "sizes has 1 entries, want 2 to 65",
		`{"sizes":[1048576,1048576],"limit":1,"activation":"relu"}`:                        "want at most 268435456",
		`{"sizes":[1,0],"limit":1,"activation":"relu"}`:                                    "sizes[1] is 0, want 1 to",
		`{"sizes":[1,1],"limit":1,"activation":"sine"}`:                                    `activation is "sine", want tanh`,
		`{"sizes":[1,1],"limit":1,"activation":"relu","discrete":2}`:                       "discrete is 2, want 0 or the 1",
		`{"sizes":[1,3],"limit":1,"activation":"relu","chunk_size":2}`:                     "chunk_size is 2, want 0 or a part",
		`{"sizes":[1,3],"limit":1,"activation":"relu","chunk_size":-1}`:                    "chunk_size is -1, want 0 or",
		`{"sizes":[1,2],"limit":1,"activation":"relu","chunk_size":2,"discrete":2}`:        "is 2 with discrete 2 and",
		`{"sizes":[1,2],"limit":1,"activation":"relu","chunk_size":2,"recurrent":2}`:       "recurrent 2, want 0 and 0",
		`{"sizes":[1,1],"limit":0,"activation":"relu"}`:                                    "limit is 0, want more than 0",
		`{"sizes":[1,1],"limit":1,"activation":"relu"}`:                                    "arrays of 20 bytes, want 32",
		`{"sizes":[1048576,1],"limit":1,"activation":"relu","recurrent":16384}`:            "want at most 268435456",
		`{"sizes":[1,1],"limit":1,"activation":"relu","recurrent":2}`:                      "arrays of 20 bytes, want 140",
		`{"sizes":[1,1],"limit":1,"activation":"relu","observation_names":["one", "two"]}`: "observation_names has 2 names",
	} {
		file := fileKind.Encode([]byte(header), make([]byte, 20))
		polytest.ErrorContains(t, polytest.Err(Read(bytes.NewReader(file))), want)
	}
}

// A program that only acts brings in no C and nothing but the standard library.
func TestImportsStaySmall(t *testing.T) {
	out := polytest.Must(exec.Command("go", "list", "-deps", ".").Output())(t)
	for _, path := range strings.Fields(string(out)) {
		first, _, _ := strings.Cut(path, "/")
		ours := strings.Contains(path, "/polyrhythm/policy") || strings.HasSuffix(path, "/internal/container")
		if strings.Contains(first, ".") && !ours || path == "runtime/cgo" || path == "net" {
			t.Errorf("it depends on %s", path)
		}
	}
}
