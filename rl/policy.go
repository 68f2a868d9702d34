package rl

import (
	"fmt"
	"slices"
)

// Policy maps an observation to an action. It is immutable and safe for
// concurrent use, each goroutine with a [Scratch] of its own.
type Policy struct {
	net         mlp
	params      []float32 // of net, then the logarithm of each action value's standard deviation
	standardise standardiser
	low, high   []float32 // action bounds
}

// policySize is the number of parameters of a policy.
func policySize(observation, action int, hidden []int) int {
	return newMLP(observation, hidden, action).parameters() + action
}

// newPolicy makes a policy for an environment that uses the beginning of params.
func newPolicy(params []float32, shape Shape, hidden []int) *Policy {
	size := policySize(shape.Observation, shape.Action, hidden)
	p := &Policy{
		net:         newMLP(shape.Observation, hidden, shape.Action),
		params:      params[:size:size],
		standardise: newStandardiser(shape.Observation),
	}
	for i := range shape.Action {
		p.low = append(p.low, float32(shape.ActionLow[i]))
		p.high = append(p.high, float32(shape.ActionHigh[i]))
	}
	return p
}

// Scratch is the working memory of one goroutine that uses a [Policy].
type Scratch struct {
	standard []float32 // one panel of standardised observations, by world of the block
	panel    activations
}

// Observation is the number of values in an observation.
func (p *Policy) Observation() int { return p.net.sizes[0] }

// Action is the number of values in an action.
func (p *Policy) Action() int { return p.net.outputs() }

// NewScratch allocates working memory.
func (p *Policy) NewScratch() *Scratch {
	return &Scratch{
		standard: make([]float32, PanelHeight*p.Observation()),
		panel:    p.net.newActivations(PanelHeight, nil, false),
	}
}

// Act writes the policy's most likely action, clipped to the action bounds, for
// the worlds first, first+1, … of a block: row i of dst (worlds × Action) from
// row i of observation (worlds × Observation), for at most PanelHeight worlds.
// It allocates nothing. The error names the first observed value that is not
// finite.
func (p *Policy) Act(dst []float32, observation []float64, first int, s *Scratch) error {
	worlds := len(observation) / p.Observation()
	if worlds > PanelHeight || len(observation) != worlds*p.Observation() || len(dst) != worlds*p.Action() {
		panic(fmt.Sprintf("rl: Act got %d observed and %d action values, want %d and %d for each of at most %d worlds",
			len(observation), len(dst), p.Observation(), p.Action(), PanelHeight))
	}
	standard := s.standard[:len(observation)]
	if err := standardiseRows(p.standardise, standard, observation, first); err != nil {
		return err
	}
	loadPanel(s.panel.input(), standard, p.Observation(), first)
	p.net.forward(p.params, s.panel, PanelHeight)
	for i := range worlds {
		p.clip(rowOf(dst, p.Action(), i), rowOf(s.panel.output(), p.Action(), panelRow(first+i)))
	}
	return nil
}

// clip writes action, brought within the bounds, to dst.
func (p *Policy) clip(dst, action []float32) {
	for i, v := range action {
		dst[i] = min(max(v, p.low[i]), p.high[i])
	}
}

// logStd is the logarithm of the standard deviation of each action value.
func (p *Policy) logStd() []float32 { return p.params[p.net.parameters():] }

// clone copies everything that learning changes.
func (p *Policy) clone() *Policy {
	c := *p
	c.params = slices.Clone(p.params)
	c.standardise = standardiser{slices.Clone(p.standardise.mean), slices.Clone(p.standardise.scale)}
	return &c
}

// standardiseRows standardises one observation per row; the rows belong to the
// worlds first, first+1, ….
func standardiseRows(s standardiser, dst []float32, observation []float64, first int) error {
	size := len(s.mean)
	for i := range len(observation) / size {
		row := rowOf(observation, size, i)
		if bad := s.apply(rowOf(dst, size, i), row); bad >= 0 {
			return fmt.Errorf("rl: world %d observed %g as value %d, want a finite number", first+i, row[bad], bad)
		}
	}
	return nil
}

// panelRow is the row that a world always has in a panel.
func panelRow(world int) int { return world % PanelHeight }

// loadPanel puts the rows of the worlds first, first+1, … in their places and
// zeros in the others.
func loadPanel(panel, rows []float32, size, first int) {
	clear(panel)
	for i := range len(rows) / size {
		copy(rowOf(panel, size, panelRow(first+i)), rowOf(rows, size, i))
	}
}

// rowOf returns row i of a row-major matrix with size columns; it shares memory.
func rowOf[T any](matrix []T, size, i int) []T {
	return matrix[i*size : (i+1)*size : (i+1)*size]
}
