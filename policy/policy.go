package policy

import (
	"fmt"
	"math"
	"os"
)

// Policy acts by a [Network]. One goroutine may use it at a time; [Policy.Clone] makes
// one for another.
type Policy struct {
	network *Network
	x, y    []float64 // values before and after a layer
}

// New returns a policy that acts by n, which must not change afterwards. It fails if n
// is not consistent.
func New(n *Network) (*Policy, error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
	return newPolicy(n), nil
}

func newPolicy(n *Network) *Policy {
	most := 0
	for _, size := range n.Sizes {
		most = max(most, size)
	}
	return &Policy{n, make([]float64, most), make([]float64, most)}
}

// Load reads a policy from a file that `train export-policy --to policy` wrote.
func Load(path string) (*Policy, error) {
	f, err := os.Open(path)
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

// Clone returns a policy that does the same, for use on another goroutine.
func (p *Policy) Clone() *Policy { return newPolicy(p.network) }

// Network returns what the policy acts by; it must not be changed.
func (p *Policy) Network() *Network { return p.network }

// Act writes the most likely action to dst, which has Network().Actions() values, from
// an observation of Network().Inputs() values in the task's own units. The choice of a
// discrete policy is a whole number from 0. Act allocates nothing. It fails, without
// writing to dst, if a length is wrong or an observed value is not finite.
func (p *Policy) Act(dst []float32, observation []float64) error {
	n := p.network
	if len(observation) != n.Inputs() || len(dst) != n.Actions() {
		return fmt.Errorf("%d observed and %d action values, want %d and %d", len(observation), len(dst), n.Inputs(), n.Actions())
	}
	for i, v := range observation {
		if v-v != 0 {
			return fmt.Errorf("observed value %d is %v, want a finite number", i, v)
		}
		z := (v - n.Mean[i]) * n.Scale[i]
		p.x[i] = float64(float32(min(max(z, -n.Limit), n.Limit)))
	}
	for l := range n.Layers {
		p.layer(l)
	}
	x := p.x[:n.Outputs()]
	if n.Discrete > 0 {
		dst[0] = float32(largest(x))
		return nil
	}
	for i, v := range x {
		dst[i] = min(max(float32(v), n.Low[i]), n.High[i])
	}
	return nil
}

// layer replaces p.x by the output of layer l.
func (p *Policy) layer(l int) {
	n := p.network
	in, out := n.Sizes[l], n.Sizes[l+1]
	y := p.y[:out]
	for j, b := range n.Layers[l].Biases {
		y[j] = float64(b)
	}
	weights := n.Layers[l].Weights
	for i, v := range p.x[:in] {
		row := weights[i*out:][:len(y)]
		for j, w := range row {
			y[j] += float64(v * float64(w))
		}
	}
	if l < len(n.Layers)-1 {
		n.Activation.apply(y)
	}
	p.x, p.y = p.y, p.x
}

// apply replaces each value by the function's.
func (a Activation) apply(x []float64) {
	switch a {
	case Tanh:
		for i, v := range x {
			x[i] = math.Tanh(v)
		}
	case ELU:
		for i, v := range x {
			if v < 0 {
				x[i] = math.Expm1(v)
			}
		}
	case ReLU:
		for i, v := range x {
			x[i] = max(v, 0)
		}
	}
}

// largest returns the index of the largest value, the first of equal ones.
func largest(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
