package policy

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
)

// Policy acts by a [Network]. A policy that is recurrent, or decides on chunks of actions, has a state, which
// [Policy.Act] carries from one control step to the next and [Policy.Reset] sets to the beginning of an episode.
// One goroutine may use it at a time; [Policy.Clone] makes one for another.
type Policy struct {
	network *Network
	state   []float32
	x, y    []float64 // values before and after a layer
	input   []float64 // z·W, h·U of a GRU
	kept    []float64
	stacks  []Stack
	others  [][2]int     // what is in no picture
	maps    [2][]float64 // before and after a convolution
}

// New returns a policy that acts by n, which must not change afterwards. It fails if n is not consistent.
func New(n *Network) (*Policy, error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
	return newPolicy(n), nil
}

func newPolicy(n *Network) *Policy {
	most := max(slices.Max(n.Sizes), n.Recurrent, n.features())
	p := &Policy{network: n, state: make([]float32, n.State()), x: make([]float64, most), y: make([]float64, most),
		input: make([]float64, 3*n.Recurrent), kept: make([]float64, 3*n.Recurrent), stacks: n.stacks()}
	largest := 0
	for _, s := range p.stacks {
		for _, size := range s.Sizes {
			largest = max(largest, size[0]*size[1]*size[2])
		}
	}
	p.maps = [2][]float64{make([]float64, largest), make([]float64, largest)}
	p.others = others(n.Pictures, n.Inputs())
	return p
}

// Load reads a policy from a file that `train export-policy --to policy` wrote.
func Load(path string) (*Policy, error) {
	f, err := container.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return newPolicy(n), nil
}

// Clone returns a policy that does the same, at the beginning of an episode, for use on another goroutine.
func (p *Policy) Clone() *Policy { return newPolicy(p.network) }

// Network returns what the policy acts by; it must not be changed.
func (p *Policy) Network() *Network { return p.network }

// Reset tells a policy with a state that an episode begins: it becomes zero. A new policy needs none.
func (p *Policy) Reset() { clear(p.state) }

// State returns the state of a policy, Network().State() values. It belongs to the policy and changes with each Act;
// writing to it between two calls puts the policy into another state.
func (p *Policy) State() []float32 { return p.state }

// Act writes the most likely action to dst, which has Network().Actions() values, from an observation of
// Network().Inputs() values in the task's own units. The choice of a discrete policy is a whole number from 0. Act
// allocates nothing. It fails, without writing to dst and with the state as it was, if a length is wrong or an
// observed value is not finite.
func (p *Policy) Act(dst []float32, observation []float64) error {
	n := p.network
	if len(observation) != n.Inputs() || len(dst) != n.Actions() {
		return fmt.Errorf("%d observed and %d action values, want %d and %d",
			len(observation), len(dst), n.Inputs(), n.Actions())
	}
	for i, v := range observation {
		if v-v != 0 {
			return fmt.Errorf("observed value %d is %v, want a finite number", i, v)
		}
		z := (v - n.Mean[i]) * n.Scale[i]
		p.x[i] = float64(float32(min(max(z, -n.Limit), n.Limit)))
	}
	if n.ChunkSize > 1 && CarryOn(dst, p.state) {
		return nil
	}
	if len(p.stacks) > 0 {
		p.look()
	}
	if n.GRU != nil {
		p.remember()
	}
	for l := range n.Layers {
		p.layer(l)
	}
	x := p.x[:n.Outputs()]
	if n.Discrete > 0 {
		best := 0
		for i, v := range x {
			if v > x[best] {
				best = i
			}
		}
		dst[0] = float32(best)
		return nil
	}
	if n.ChunkSize > 1 {
		p.state[0] = float32(n.ChunkSize - 1)
	}
	for i, v := range x {
		low, high := n.Low[i%len(dst)], n.High[i%len(dst)]
		if n.Squash {
			v = float64(low) + float64(0.5*(math.Tanh(v)+1)*(float64(high)-float64(low)))
		}
		if v := min(max(float32(v), low), high); i < len(dst) {
			dst[i] = v
		} else {
			p.state[1+i-len(dst)] = v
		}
	}
	return nil
}

// CarryOn writes the next action of a chunk to dst, and what is left of the chunk to the state of a [Network] with a
// ChunkSize. It reports false, and changes nothing, if no action is left.
func CarryOn(dst, state []float32) bool {
	if state[0] <= 0 {
		return false
	}
	state[0]--
	rest := state[1:]
	copy(dst, rest)
	copy(rest[copy(rest, rest[len(dst):]):], dst)
	return true
}

// layer replaces p.x by the output of layer l.
func (p *Policy) layer(l int) {
	n := p.network
	y := p.y[:n.Sizes[l+1]]
	for j, b := range n.Layers[l].Biases {
		y[j] = float64(b)
	}
	addProduct(y, p.x[:len(n.Layers[l].Weights)/len(y)], n.Layers[l].Weights)
	if l < len(n.Layers)-1 {
		for j, f := 0, functions[n.Activation]; j < len(y); j++ {
			y[j] = f(y[j])
		}
	}
	p.x, p.y = p.y, p.x
}

// look replaces what is observed in p.x by the outputs of the convolutions and the values that are in no picture.
func (p *Policy) look() {
	n, at := p.network, 0
	for i := range p.stacks {
		s := &p.stacks[i]
		x, y := p.maps[0], p.maps[1]
		end := 0
		for _, picture := range s.Pictures {
			end += copy(x[end:], p.x[picture.First:][:picture.Size()])
		}
		for l, c := range n.Convolutions {
			s.convolve(y, x, l, c, n.Filters[i*len(n.Convolutions)+l], functions[n.Activation])
			x, y = y, x
		}
		at += copy(p.y[at:], x[:s.Features()])
	}
	for _, span := range p.others {
		at += copy(p.y[at:], p.x[span[0]:][:span[1]])
	}
	p.x, p.y = p.y, p.x
}

// remember computes the next state from p.x and the state, and puts it in p.x too.
func (p *Policy) remember() {
	n, units := p.network, p.network.Recurrent
	clear(p.input)
	addProduct(p.input, p.x[:len(n.GRU.Input)/len(p.input)], n.GRU.Input)
	for i, v := range p.state {
		p.x[i] = float64(v)
	}
	clear(p.kept)
	addProduct(p.kept, p.x[:units], n.GRU.Recurrent)
	bias := func(part, i int) float64 { return float64(n.GRU.Biases[part*units+i]) }
	for i, h := range p.state {
		r := sigmoid(p.input[i] + p.kept[i] + bias(0, i))
		u := sigmoid(p.input[units+i] + p.kept[units+i] + bias(1, i))
		c := math.Tanh(p.input[2*units+i] + bias(2, i) + float64(r*(p.kept[2*units+i]+bias(3, i))))
		p.state[i] = float32(c + float64(u*(float64(h)-c)))
		p.x[i] = float64(p.state[i])
	}
}

func sigmoid(v float64) float64 { return 1 / (1 + math.Exp(-v)) }

// addProduct adds the product of the row x and a matrix, row-major with len(y) columns.
func addProduct(y, x []float64, matrix []float32) {
	for i, v := range x {
		row := matrix[i*len(y):][:len(y)]
		for j, w := range row {
			y[j] += float64(v * float64(w))
		}
	}
}

var functions = map[Activation]func(float64) float64{
	Tanh: math.Tanh,
	ELU: func(v float64) float64 {
		if v < 0 {
			return math.Expm1(v)
		}
		return v
	},
	ReLU: func(v float64) float64 { return max(v, 0) },
}
