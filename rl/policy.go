package rl

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Policy maps an observation to an action or, if it is recurrent or decides on a chunk of actions at once, an
// observation and a state to an action and the next state. It is immutable and safe for concurrent use, each goroutine
// with a [Scratch] of its own.
type Policy struct {
	net         nn.Network
	actions     nn.Distribution // what the outputs of net and the parameters after it mean
	params      []float32       // of net, then, unless net gives them, the logarithms of the standard deviations
	reads       ColumnRange     // columns of an observation, the input of net
	standardise nn.Standardiser // of whole observations
	low, high   []float32       // bounds of each value of a chunk
	chunk       int             // actions that are decided on at once
}

// policyNet and valueNet are the plans of the two networks.
func policyNet(shape Shape, s *Settings) nn.Network {
	s = s.ofPolicy()
	hidden, _ := s.layers()
	actions := newDistribution(shape, s)
	return networkOf(shape, shape.Policy.Within(shape.Observation), s, hidden, actions.Outputs())
}

func valueNet(shape Shape, s *Settings) nn.Network {
	_, hidden := s.layers()
	return networkOf(shape, shape.Critic.Within(shape.Observation), s, hidden, 1)
}

// networkOf plans a network that reads columns of the observations of a shape.
func networkOf(shape Shape, reads ColumnRange, s *Settings, hidden []int, outputs int) nn.Network {
	activation := cmp.Or(s.Activation, Tanh)
	encoder := nn.NewEncoder(reads.Size, shape.picturesOf(reads), s.Convolutions, activation)
	return nn.NewNetwork(encoder, s.Recurrent, hidden, outputs, activation)
}

// policySize is the number of parameters of a policy.
func policySize(shape Shape, s *Settings) int {
	actions := newDistribution(shape, s)
	return policyNet(shape, s).Parameters() + actions.Free()
}

// newPolicy makes a policy for an environment that uses the beginning of params.
func newPolicy(params []float32, shape Shape, s *Settings) *Policy {
	size := policySize(shape, s)
	p := &Policy{
		net:         policyNet(shape, s),
		actions:     newDistribution(shape, s),
		params:      params[:size:size],
		reads:       shape.Policy.Within(shape.Observation),
		standardise: nn.NewStandardiser(shape.Observation),
		chunk:       s.chunk(),
	}
	if s.Algorithm.definition().replays && !s.NormaliseObservations {
		p.standardise.Limit = math.MaxFloat32 // off-policy, what was observed is all that there is to limit it
	}
	for i := range s.acts(shape) {
		p.low = append(p.low, float32(shape.ActionLow[i%shape.Action]))
		p.high = append(p.high, float32(shape.ActionHigh[i%shape.Action]))
	}
	return p
}

// newDistribution plans what the outputs of a policy by these settings mean.
func newDistribution(shape Shape, s *Settings) nn.Distribution {
	s = s.ofPolicy()
	own := s.Algorithm.definition()
	d := nn.Distribution{Action: s.acts(shape), Choices: shape.Choices, StateDependent: s.StateStd && shape.Choices == 0,
		Deterministic: own.deterministic, Squash: own.replays, Low: math.Inf(-1), High: math.Inf(1)}
	if s.MinStd > 0 {
		d.Low = math.Log(s.MinStd)
	}
	if s.MaxStd > 0 {
		d.High = math.Log(s.MaxStd)
	}
	return d
}

// The bounds of the log standard deviations of SAC's policy: the code of Haarnoja et al. 2018.
const (
	sacLogStdMin = -20
	sacLogStdMax = 2
)

// ofPolicy returns the settings that say how a policy acts, in terms of PPO's.
func (s *Settings) ofPolicy() *Settings {
	own := s.Algorithm.definition()
	if !own.replays {
		return s
	}
	o := s.SAC.filled()
	return &Settings{Algorithm: s.Algorithm, SAC: s.SAC, Hidden: o.Hidden, Activation: o.Activation,
		Convolutions: s.Convolutions, StateStd: !own.deterministic, MinStd: math.Exp(sacLogStdMin),
		MaxStd: math.Exp(sacLogStdMax)}
}

// Scratch is the working memory of one goroutine that uses a [Policy].
type Scratch struct {
	standard []float32 // one panel of standardised observations, by world of the block
	panel    nn.Work
	actions  []float32 // of one output
}

// Observation is the number of values in an observation.
func (p *Policy) Observation() int { return len(p.standardise.Mean) }

// Reads are the columns of an observation that the policy reads.
func (p *Policy) Reads() ColumnRange { return p.reads }

// Pictures are the parts of an observation that the policy's convolutions read; none without convolutions.
func (p *Policy) Pictures() []Picture {
	pictures := p.net.Encoder.Pictures()
	for i := range pictures {
		pictures[i].First += p.reads.First
	}
	return pictures
}

// Narrow returns the same policy for observations that are only the columns it reads. It acts with the same bits.
func (p *Policy) Narrow() *Policy {
	c := p.clone()
	first, end := p.reads.First, p.reads.First+p.reads.Size
	c.standardise.Mean, c.standardise.Scale = c.standardise.Mean[first:end], c.standardise.Scale[first:end]
	c.reads = ColumnRange{First: 0, Size: p.reads.Size}
	return c
}

// Action is the number of values in an action.
func (p *Policy) Action() int { return p.actions.Action / p.chunk }

// Choices is the number of choices of a policy whose action is one of them, as a whole
// number from 0; 0 for continuous actions.
func (p *Policy) Choices() int { return p.actions.Choices }

// State is the number of values that a policy carries from one control step of a world to the next: what a GRU
// remembers, or how many actions of a chunk are left, and these. They are zero at the beginning of an episode; 0: it
// carries none.
func (p *Policy) State() int {
	if p.chunk > 1 {
		return 1 + (p.chunk-1)*p.Action()
	}
	return p.net.Cell.Units
}

// NewScratch allocates working memory.
func (p *Policy) NewScratch() *Scratch {
	return &Scratch{
		standard: make([]float32, PanelHeight*p.Observation()),
		panel:    p.net.NewWork(PanelHeight, PanelHeight, false),
		actions:  make([]float32, p.actions.Action),
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
		p.net.Load(s.panel, standard, p.Observation(), p.reads, first)
		p.net.LoadStates(s.panel, state, first)
		p.net.Forward(p.params, s.panel, nn.OnePanel)
		p.net.KeepStates(state, s.panel, first)
	}
	for i := range worlds {
		action := nn.RowOf(dst, p.Action(), i)
		if p.chunk > 1 && policy.CarryOn(action, nn.RowOf(state, p.State(), i)) {
			continue
		}
		p.actions.Mode(s.actions, nn.RowOf(s.panel.Output(), p.net.Outputs(), nn.PanelRow(first+i)))
		p.bound(s.actions, s.actions)
		copy(action, s.actions)
		if p.chunk > 1 {
			left := nn.RowOf(state, p.State(), i)
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
		if p.actions.Squash {
			v = p.low[i] + float32(float32(0.5*(v+1))*(p.high[i]-p.low[i]))
		}
		dst[i] = min(max(v, p.low[i]), p.high[i])
	}
}

// logStd is the logarithm of the standard deviation of each action value; none unless
// it is the same for all observations.
func (p *Policy) logStd() []float32 { return p.params[p.net.Parameters():] }

// clone copies everything that learning changes.
func (p *Policy) clone() *Policy {
	c := *p
	c.params = slices.Clone(p.params)
	c.standardise.Mean, c.standardise.Scale = slices.Clone(p.standardise.Mean), slices.Clone(p.standardise.Scale)
	return &c
}

// standardiseRows standardises one observation per row; the rows belong to the worlds first, first+1, ….
func standardiseRows(s nn.Standardiser, dst []float32, observation []float64, first int) error {
	size := len(s.Mean)
	for i := range len(observation) / size {
		row := nn.RowOf(observation, size, i)
		if bad := s.Apply(nn.RowOf(dst, size, i), row); bad >= 0 {
			return fmt.Errorf("rl: world %d observed %g as value %d, want a number of at most %g in size", first+i,
				row[bad], bad, nn.MaxValue)
		}
	}
	return nil
}
