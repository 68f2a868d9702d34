package rl

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Policy maps an observation to an action or, if it is recurrent or decides on a chunk of actions at once, an
// observation and a state to an action and the next state. It is immutable and safe for concurrent use, each goroutine
// with a [Scratch] of its own.
type Policy struct {
	net         network
	actions     distribution // what the outputs of net and the parameters after it mean
	params      []float32    // of net, then, unless net gives them, the logarithms of the standard deviations
	reads       ColumnRange  // columns of an observation, the input of net
	standardise standardiser // of whole observations
	low, high   []float32    // bounds of each value of a chunk
	chunk       int          // actions that are decided on at once
}

// policyNet and valueNet are the plans of the two networks.
func policyNet(shape Shape, s *Settings) network {
	s = s.ofPolicy()
	hidden, _ := s.layers()
	actions := newDistribution(shape, s)
	return newNetwork(shape, shape.Policy.within(shape.Observation), s, hidden, actions.outputs())
}

func valueNet(shape Shape, s *Settings) network {
	_, hidden := s.layers()
	return newNetwork(shape, shape.Critic.within(shape.Observation), s, hidden, 1)
}

// policySize is the number of parameters of a policy.
func policySize(shape Shape, s *Settings) int {
	actions := newDistribution(shape, s)
	return policyNet(shape, s).parameters() + actions.free()
}

// newPolicy makes a policy for an environment that uses the beginning of params.
func newPolicy(params []float32, shape Shape, s *Settings) *Policy {
	size := policySize(shape, s)
	p := &Policy{
		net:         policyNet(shape, s),
		actions:     newDistribution(shape, s),
		params:      params[:size:size],
		reads:       shape.Policy.within(shape.Observation),
		standardise: newStandardiser(shape.Observation),
		chunk:       s.chunk(),
	}
	if s.Algorithm.offPolicy() && !s.NormaliseObservations {
		p.standardise.limit = math.MaxFloat32 // off-policy, what was observed is all that there is to limit it
	}
	for i := range s.acts(shape) {
		p.low = append(p.low, float32(shape.ActionLow[i%shape.Action]))
		p.high = append(p.high, float32(shape.ActionHigh[i%shape.Action]))
	}
	return p
}

// Scratch is the working memory of one goroutine that uses a [Policy].
type Scratch struct {
	standard []float32 // one panel of standardised observations, by world of the block
	panel    work
	actions  []float32 // of one output
}

// Observation is the number of values in an observation.
func (p *Policy) Observation() int { return len(p.standardise.mean) }

// Reads are the columns of an observation that the policy reads.
func (p *Policy) Reads() ColumnRange { return p.reads }

// Pictures are the parts of an observation that the policy's convolutions read; none without convolutions.
func (p *Policy) Pictures() []Picture {
	pictures := p.net.eyes.pictures()
	for i := range pictures {
		pictures[i].First += p.reads.First
	}
	return pictures
}

// Narrow returns the same policy for observations that are only the columns it reads. It acts with the same bits.
func (p *Policy) Narrow() *Policy {
	c := p.clone()
	first, end := p.reads.First, p.reads.First+p.reads.Size
	c.standardise.mean, c.standardise.scale = c.standardise.mean[first:end], c.standardise.scale[first:end]
	c.reads = ColumnRange{0, p.reads.Size}
	return c
}

// Action is the number of values in an action.
func (p *Policy) Action() int { return p.actions.action / p.chunk }

// Choices is the number of choices of a policy whose action is one of them, as a whole
// number from 0; 0 for continuous actions.
func (p *Policy) Choices() int { return p.actions.choices }

// State is the number of values that a policy carries from one control step of a world to the next: what a GRU
// remembers, or how many actions of a chunk are left, and these. They are zero at the beginning of an episode; 0: it
// carries none.
func (p *Policy) State() int {
	if p.chunk > 1 {
		return 1 + (p.chunk-1)*p.Action()
	}
	return p.net.cell.units
}

// NewScratch allocates working memory.
func (p *Policy) NewScratch() *Scratch {
	return &Scratch{
		standard: make([]float32, PanelHeight*p.Observation()),
		panel:    p.net.newWork(PanelHeight, PanelHeight, false),
		actions:  make([]float32, p.actions.action),
	}
}

// Act writes the policy's most likely action, clipped to the action bounds, for the worlds first, first+1, … of a
// block: row i of dst (worlds × Action) from row i of observation (worlds × Observation), for at most PanelHeight
// worlds. state (worlds × State) becomes the next state of each world; the caller sets the rows of worlds that begin
// an episode to zero. It allocates nothing. The error names the first observed value that is not finite; state is
// then as before.
func (p *Policy) Act(dst []float32, observation []float64, state []float32, first int, s *Scratch) error {
	worlds := len(observation) / p.Observation()
	if worlds > PanelHeight || len(observation) != worlds*p.Observation() || len(dst) != worlds*p.Action() ||
		len(state) != worlds*p.State() {
		panic(fmt.Sprintf("rl: Act got %d observed, %d action and %d state values, want %d, "+
			"%d and %d for each of at most %d worlds",
			len(observation), len(dst), len(state), p.Observation(), p.Action(), p.State(), PanelHeight))
	}
	standard := s.standard[:len(observation)]
	if err := standardiseRows(p.standardise, standard, observation, first); err != nil {
		return err
	}
	if !p.allCarryOn(state) {
		p.net.load(s.panel, standard, p.Observation(), p.reads, first)
		p.net.loadStates(s.panel, state, first)
		p.net.forward(p.params, s.panel, onePanel)
		p.net.keepStates(state, s.panel, first)
	}
	for i := range worlds {
		action := rowOf(dst, p.Action(), i)
		if p.chunk > 1 && policy.CarryOn(action, rowOf(state, p.State(), i)) {
			continue
		}
		p.actions.mode(s.actions, rowOf(s.panel.output(), p.net.outputs(), panelRow(first+i)))
		p.bound(s.actions, s.actions)
		copy(action, s.actions)
		if p.chunk > 1 {
			left := rowOf(state, p.State(), i)
			left[0] = float32(p.chunk - 1)
			copy(left[1:], s.actions[len(action):])
		}
	}
	return nil
}

// allCarryOn reports whether every world has actions of a chunk left, so that none needs the network.
func (p *Policy) allCarryOn(state []float32) bool {
	if p.chunk == 1 {
		return false
	}
	for i := 0; i < len(state); i += p.State() {
		if state[i] <= 0 {
			return false
		}
	}
	return true
}

// bound writes action, brought within the bounds, to dst: scaled to them from -1 to 1 where actions are squashed, else
// clipped.
func (p *Policy) bound(dst, action []float32) {
	for i, v := range action {
		if p.actions.squash {
			v = p.low[i] + float32(float32(0.5*(v+1))*(p.high[i]-p.low[i]))
		}
		dst[i] = min(max(v, p.low[i]), p.high[i])
	}
}

// logStd is the logarithm of the standard deviation of each action value; none unless
// it is the same for all observations.
func (p *Policy) logStd() []float32 { return p.params[p.net.parameters():] }

// clone copies everything that learning changes.
func (p *Policy) clone() *Policy {
	c := *p
	c.params = slices.Clone(p.params)
	c.standardise.mean, c.standardise.scale = slices.Clone(p.standardise.mean), slices.Clone(p.standardise.scale)
	return &c
}

// standardiseRows standardises one observation per row; the rows belong to the worlds first, first+1, ….
func standardiseRows(s standardiser, dst []float32, observation []float64, first int) error {
	size := len(s.mean)
	for i := range len(observation) / size {
		row := rowOf(observation, size, i)
		if bad := s.apply(rowOf(dst, size, i), row); bad >= 0 {
			return fmt.Errorf("rl: world %d observed %g as value %d, want a number of at most %g in size", first+i,
				row[bad], bad, maxValue)
		}
	}
	return nil
}

// panelRow is the row that a world always has in a panel.
func panelRow(world int) int { return world % PanelHeight }

// loadPanel puts columns of the rows of the worlds first, first+1, … in their places
// and zeros in the others. Rows have size columns.
func loadPanel(panel, rows []float32, size int, columns ColumnRange, first int) {
	clear(panel)
	for i := range len(rows) / size {
		copy(rowOf(panel, columns.Size, panelRow(first+i)), columns.columns(rowOf(rows, size, i)))
	}
}

// rowOf returns row i of a row-major matrix with size columns; it shares memory.
func rowOf[T any](matrix []T, size, i int) []T {
	return matrix[i*size : (i+1)*size : (i+1)*size]
}
