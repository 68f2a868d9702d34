package rl

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/internal/nntest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// randomSegment fills p with samples that exercise every branch of the loss: ratios inside and outside the clip
// range, advantages of both signs, values that moved little and much.
func randomSegment(p *rolloutLearner, seed uint64) {
	s := nn.NewStream()
	s.Key(seed, 0, 0, 0)
	p.rollout.samples = p.newSamples()
	seg := &p.rollout
	for i := range p.params {
		p.params[i] += float32(0.05 * s.NormFloat64())
	}
	for i := range seg.observation {
		seg.observation[i] = float32(s.NormFloat64())
	}
	if p.settings.Recurrent > 0 {
		for _, states := range [][]float32{seg.initial.policy, seg.initial.value, seg.initial.image} {
			for i := range states {
				states[i] = float32(math.Tanh(s.NormFloat64()))
			}
		}
		for i := range seg.end {
			seg.end[i] = ending(max(0, s.IntN(18)-15))
		}
	}
	params := widen(p.params)
	for i := range seg.value {
		output := p.outputs64(params, i)
		if p.shape.Choices > 0 {
			seg.action[i] = float32(s.IntN(p.shape.Choices))
		} else {
			for j := range p.shape.Action {
				std := math.Exp(p.logStd64(params, output, j))
				seg.action[i*p.shape.Action+j] = float32(output[j] + std*s.NormFloat64())
			}
		}
		logProb, _ := p.score64(params, output, i)
		value := p.value64(params, i)
		seg.logProb[i] = float32(logProb + 0.3*s.NormFloat64())
		seg.advantage[i] = float32(1 + 2*s.NormFloat64())
		seg.value[i] = float32(value + 0.2*s.NormFloat64())
		seg.target[i] = float32(value + s.NormFloat64())
	}
}

func widen(v []float32) []float64 {
	w := make([]float64, len(v))
	for i := range v {
		w[i] = float64(v[i])
	}
	return w
}

// observed64 is what a network reads of a sample.
func (p *rolloutLearner) observed64(sample int, reads ColumnRange) []float64 {
	return widen(reads.Columns(nn.RowOf(p.rollout.observation, p.shape.Observation, sample)))
}

// outputs64 and value64 run the networks on a sample in double precision.
func (p *rolloutLearner) outputs64(params []float64, sample int) []float64 {
	x := p.read64(p.policy.net, params, p.rollout.initial.policy, p.shape.Policy, nil, sample)
	return nntest.MLP(p.policy.net.MLP, layers64(p.policy.net, params), x)
}

func (p *rolloutLearner) value64(params []float64, sample int) float64 {
	params = params[len(p.policy.params):]
	x := p.read64(p.value, params, p.rollout.initial.value, p.shape.Critic, nil, sample)
	return nntest.MLP(p.value.MLP, layers64(p.value, params), x)[0]
}

// read64 is what the first layer of a network reads of a sample: the observation or the
// state of its GRU after the sample, from the state before its sequence or the beginning of
// the episode on. flip, if not nil, is the reflection of what is observed.
func (p *rolloutLearner) read64(n nn.Network, params []float64, begin []float32, reads ColumnRange, flip func([]float64) []float64,
	sample int) []float64 {
	x := p.observed64(sample, reads)
	if flip != nil {
		x = flip(x)
	}
	x = nntest.Encoder(&n.Encoder, params, x)
	units := n.Cell.Units
	if units == 0 {
		return x
	}
	before, h := sample-p.shape.Worlds, make([]float64, units)
	switch step := sample / p.shape.Worlds; {
	case step%p.settings.Sequence == 0:
		h = widen(nn.RowOf(begin, units, step/p.settings.Sequence*p.shape.Worlds+sample%p.shape.Worlds))
	case p.rollout.end[before] == goesOn:
		h = p.read64(n, params, begin, reads, flip, before)
	}
	return nntest.GRU(n.Cell, params[n.Encoder.Parameters():], x, h)
}

// layers64 are the parameters of the mlp.
func layers64(n nn.Network, params []float64) []float64 {
	return params[n.Encoder.Parameters()+n.Cell.Parameters():]
}

// logStd64 is the log standard deviation of action value j.
func (p *rolloutLearner) logStd64(params, output []float64, j int) float64 {
	if !p.settings.StateStd {
		return params[p.policy.net.Parameters()+j]
	}
	v := output[p.shape.Action+j]
	if p.settings.MinStd > 0 {
		v = math.Max(v, math.Log(p.settings.MinStd))
	}
	if p.settings.MaxStd > 0 {
		v = math.Min(v, math.Log(p.settings.MaxStd))
	}
	return v
}

// score64 is the log probability of a sample's action, and the entropy.
func (p *rolloutLearner) score64(params, output []float64, sample int) (logProb, entropy float64) {
	action := widen(nn.RowOf(p.rollout.action, p.shape.Action, sample))
	if p.shape.Choices > 0 {
		sum := 0.0
		for _, v := range output {
			sum += math.Exp(v)
		}
		for _, v := range output {
			entropy -= math.Exp(v) / sum * (v - math.Log(sum))
		}
		return output[int(action[0])] - math.Log(sum), entropy
	}
	for j, a := range action {
		logStd := p.logStd64(params, output, j)
		z := (a - output[j]) / math.Exp(logStd)
		logProb -= z*z/2 + logStd + math.Log(2*math.Pi)/2
		entropy += logStd + math.Log(2*math.Pi*math.E)/2
	}
	return logProb, entropy
}

// asymmetry64 is the squared distance of the mean action of a sample from its mirror image, for the reflection of flip.
func (p *rolloutLearner) asymmetry64(params, output []float64, sample int, flip func(z []float64) []float64) float64 {
	x := p.read64(p.policy.net, params, p.rollout.initial.image, p.shape.Policy, flip, sample)
	image := nntest.MLP(p.policy.net.MLP, layers64(p.policy.net, params), x)
	return math.Pow(output[0]+image[0], 2)
}

// lossOf is the loss of a minibatch as the paper writes it, in double precision.
func lossOf(p *rolloutLearner, params []float64, minibatch []int32, flip func([]float64) []float64) float64 {
	seg, s := &p.rollout, p.settings
	n := float64(len(minibatch))
	mean, variance := 0.0, 0.0
	for _, i := range minibatch {
		mean += float64(seg.advantage[i]) / n
	}
	for _, i := range minibatch {
		variance += math.Pow(float64(seg.advantage[i])-mean, 2) / (n - 1)
	}
	loss := 0.0
	for _, i := range minibatch {
		output := p.outputs64(params, int(i))
		logProb, entropy := p.score64(params, output, int(i))
		advantage := float64(seg.advantage[i])
		if s.NormaliseAdvantages {
			advantage = (advantage - mean) / (math.Sqrt(variance) + 1e-8)
		}
		ratio := math.Exp(logProb - float64(seg.logProb[i]))
		clipped := math.Max(1-s.Clip, math.Min(1+s.Clip, ratio))
		surrogate := math.Min(ratio*advantage, clipped*advantage)
		if s.Algorithm == AlgorithmDistill {
			surrogate = logProb
		}

		v := p.value64(params, int(i))
		old, target := float64(seg.value[i]), float64(seg.target[i])
		squared := math.Pow(v-target, 2)
		if s.ClipValue {
			near := old + math.Max(-s.Clip, math.Min(s.Clip, v-old))
			squared = math.Max(squared, math.Pow(near-target, 2))
		}
		loss += (-surrogate + s.ValueWeight*squared/2 - s.Entropy*entropy) / n
		if s.Symmetry.Weight > 0 {
			loss += s.Symmetry.Weight * p.asymmetry64(params, output, int(i), flip) / n
		}
	}
	return loss
}

// The gradient agrees with finite differences of the reference loss.
func TestGradient(t *testing.T) {
	for name, c := range map[string]struct {
		minibatch int
		change    func(*Shape, *Settings)
	}{
		"four chunks, the last shorter": {200, func(_ *Shape, s *Settings) { s.Entropy = 0.01 }},
		"one chunk": {64, func(_ *Shape, s *Settings) {
			s.ClipValue, s.NormaliseAdvantages = false, false
		}},
		"a shorter one": {37, func(e *Shape, s *Settings) {
			e.Policy, s.NormaliseAdvantages, s.Entropy = ColumnRange{First: 0, Size: 2}, false, 0.1
		}},
		"two chunks": {65, func(e *Shape, s *Settings) {
			e.Policy, e.Critic, s.ClipValue = ColumnRange{First: 0, Size: 1}, ColumnRange{First: 1, Size: 2}, false
		}},
		"elu":  {100, func(_ *Shape, s *Settings) { s.Activation = ELU }},
		"relu": {100, func(_ *Shape, s *Settings) { s.Activation = ReLU }},
		"sizes of their own": {100, func(_ *Shape, s *Settings) {
			s.PolicyHidden, s.CriticHidden = []int{3}, []int{4, 3, 2}
		}},
		"choices":             {100, func(e *Shape, s *Settings) { e.Choices, s.Entropy = 4, 0.1 }},
		"state-dependent std": {100, func(_ *Shape, s *Settings) { s.StateStd, s.Entropy = true, 0.1 }},
		"bounded state-dependent std": {100, func(_ *Shape, s *Settings) {
			s.StateStd, s.Entropy, s.InitialStd, s.MinStd, s.MaxStd = true, 0.1, 1, 0.98, 1.05
		}},
		"gru": {200, func(_ *Shape, s *Settings) { s.Recurrent, s.Sequence, s.Entropy = 3, 5, 0.01 }},
		"gru over whole rollouts": {128, func(e *Shape, s *Settings) {
			e.Policy, e.Critic, s.Recurrent, s.Sequence, s.Activation = ColumnRange{First: 0, Size: 2}, ColumnRange{First: 1, Size: 2}, 4, 64, ELU
		}},
		"gru and choices": {90, func(e *Shape, s *Settings) {
			e.Choices, s.Recurrent, s.Sequence, s.Activation, s.Entropy = 4, 3, 9, ReLU, 0.1
		}},
		"gru, no layers, state-dependent std": {100, func(_ *Shape, s *Settings) {
			s.Hidden, s.Recurrent, s.Sequence, s.StateStd, s.ClipValue = []int{}, 5, 7, true, false
		}},
		"gru and symmetry": {130, func(e *Shape, s *Settings) {
			e.Policy, s.Recurrent, s.Sequence, s.Symmetry = ColumnRange{First: 0, Size: 2}, 3, 9, swapping
		}},
		"gru over single steps": {65, func(_ *Shape, s *Settings) { s.Recurrent, s.Sequence = 2, 1 }},
		"convolutions": {70, func(e *Shape, s *Settings) {
			e.Observation, e.Policy, e.Critic = 66, ColumnRange{First: 0, Size: 46}, ColumnRange{First: 44, Size: 22}
			e.Pictures = []Picture{picture(1, 3, 5, 1), picture(16, 2, 4, 1), picture(25, 3, 5, 1), picture(46, 4, 5, 1)}
			s.Convolutions = []Convolution{convolution(2, 2, 1, 1), convolution(3, 3, 2, 1)}
		}},
		"convolutions, gru and choices": {80, func(e *Shape, s *Settings) {
			e.Observation, e.Choices, s.Recurrent, s.Sequence = 20, 3, 3, 9
			e.Pictures = []Picture{picture(2, 3, 3, 2)}
			s.Convolutions, s.Activation = []Convolution{{Channels: 2, Kernel: 2}}, ELU
		}},
		"convolutions and symmetry": {60, func(e *Shape, s *Settings) {
			e.Policy, e.Pictures, s.Symmetry = ColumnRange{First: 0, Size: 2}, []Picture{picture(0, 1, 2, 1)}, swapping
			s.Convolutions = []Convolution{{Channels: 2, Kernel: 1}, convolution(2, 2, 1, 1)}
		}},
		"distill": {100, func(_ *Shape, s *Settings) { s.Algorithm, s.Entropy = AlgorithmDistill, 0.01 }},
		"distill, gru and choices": {90, func(e *Shape, s *Settings) {
			e.Choices, s.Recurrent, s.Sequence, s.Algorithm = 4, 3, 9, AlgorithmDistill
		}},
		"distill, symmetry and state-dependent std": {70, func(e *Shape, s *Settings) {
			e.Policy, s.StateStd, s.Algorithm, s.Symmetry = ColumnRange{First: 0, Size: 2}, true, AlgorithmDistill, swapping
		}},
		"symmetry": {200, func(e *Shape, s *Settings) { e.Policy, s.Symmetry = ColumnRange{First: 0, Size: 2}, swapping }},
		"symmetry and state-dependent std": {70, func(e *Shape, s *Settings) {
			e.Policy, s.StateStd = ColumnRange{First: 1, Size: 2}, true
			s.Symmetry = Symmetry{3, Mirror{Negate: []int{1}}, Mirror{Negate: []int{0}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := DefaultSettings()
			s.Hidden, s.RolloutSteps, s.Minibatch = []int{6, 5}, 64, c.minibatch
			env := newCart(4, 4, 2)
			c.change(&env.shape, &s)
			var p *rolloutLearner
			if s.Algorithm == AlgorithmDistill {
				p = polytest.Must(begin(newDistiller(env, braker{}, s, 1)))(t).rolloutLearner
			} else {
				p = polytest.Must(New(env, s, 1))(t).rolloutLearner
			}
			randomSegment(p, 3)
			p.iteration = 1
			p.shuffleSamples(0)
			minibatch := p.nextMinibatch(p.order)
			flip := reflection(p)
			l, grad, length := p.gradient(t.Context(), minibatch)
			outside := l.clipped / float64(len(minibatch))
			if s.Algorithm != AlgorithmDistill && (outside < 0.2 || outside > 0.8) {
				t.Fatalf("%.0f %% of the ratios are clipped: the samples miss a branch", 100*outside)
			}
			squared := 0.0
			for _, g := range grad {
				squared += float64(g) * float64(g)
			}
			if want := math.Sqrt(squared); math.Abs(length-want) > 1e-9*want {
				t.Errorf("the gradient's length is %g, want %g", length, want)
			}
			params := widen(p.params)
			for i := range params {
				const h = 1e-6
				at := params[i]
				params[i] = at + h
				up := lossOf(p, params, minibatch, flip)
				params[i] = at - h
				down := lossOf(p, params, minibatch, flip)
				params[i] = at
				want := (up - down) / (2 * h)
				if got := float64(grad[i]); math.Abs(got-want) > 2e-5*(1+math.Abs(want)) {
					t.Errorf("parameter %d: derivative %g, want %g", i, got, want)
				}
			}
		})
	}
}

// reflection gives p a standardiser that is not symmetric, and returns the reflection of
// standardised observations, by way of the task's own unit.
func reflection(p *rolloutLearner) func(z []float64) []float64 {
	if p.mirror == nil {
		return nil
	}
	reads, st := p.shape.Policy, p.policy.standardise
	for i := range st.Mean {
		st.Mean[i], st.Scale[i] = 0.1*float64(i+1), 1/float64(i+2)
	}
	p.mirror.set(st, reads)
	return func(z []float64) []float64 {
		raw := make([]float64, 2)
		for i := range raw {
			raw[i] = z[i]/st.Scale[reads.First+i] + st.Mean[reads.First+i]
		}
		if len(p.settings.Symmetry.Observation.Swap) > 0 {
			raw[0], raw[1] = raw[1], raw[0]
			raw[0] = -raw[0]
		}
		raw[1] = -raw[1]
		image := make([]float64, 2)
		for i, v := range raw {
			image[i] = math.Max(-10, math.Min(10, (v-st.Mean[reads.First+i])*st.Scale[reads.First+i]))
		}
		return image
	}
}

// Scaled rewards are the task's, divided by the deviation of the discounted
// return, which starts anew with each episode.
func TestScaleRewards(t *testing.T) {
	s := cartSettings()
	s.RolloutSteps = 50
	p := polytest.Must(New(newCart(3, 3, 1), s, 1))(t)
	p.rollout.samples = p.newSamples()
	r := nn.NewStream()
	r.Key(1, 0, 0, 0)
	var returns []float64
	sums := make([]float64, 3)
	for range 2 { // rollouts: the sums go on from one to the next
		reward := make([]float64, 150)
		for i := range reward {
			reward[i] = 3 + r.NormFloat64()
			p.rollout.end[i] = ending(max(0, r.IntN(20)-17))
			if r.IntN(50) == 0 {
				reward[i] = 1e4
			}
			sums[i%3] = sums[i%3]*s.Gamma + reward[i]
			returns = append(returns, sums[i%3])
			if p.rollout.end[i] != goesOn {
				sums[i%3] = 0
			}
		}
		copy(p.rollout.reward, reward)
		p.scaleRewards()
		_, variance := nntest.TwoPass(returns)
		for i, got := range p.rollout.reward {
			want := math.Min(10, reward[i]/math.Sqrt(variance+1e-8))
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("reward %d is scaled to %g, want %g", i, got, want)
			}
		}
	}
}

func TestShuffleIsAPermutation(t *testing.T) {
	p := polytest.Must(New(newCart(4, 4, 1), cartSettings(), 1))(t)
	var before []int32
	for epoch := range 3 {
		p.shuffleSamples(epoch)
		seen, same := make([]bool, len(p.order)), 0
		for i, sample := range p.order {
			if seen[sample] {
				t.Fatalf("epoch %d: sample %d twice", epoch, sample)
			}
			seen[sample] = true
			if before != nil && before[i] == sample {
				same++
			}
		}
		if same > len(p.order)/10 {
			t.Errorf("epoch %d: %d of %d samples are where they were", epoch, same, len(p.order))
		}
		before = append([]int32(nil), p.order...)
	}
}

// The last minibatch of an epoch may have chunks of more rows than the others: of 129
// samples in minibatches of 65, the first makes two chunks and the second one of 64.
func TestShortLastMinibatch(t *testing.T) {
	s := cartSettings()
	s.RolloutSteps, s.Minibatch, s.Epochs = 43, 65, 1
	p := polytest.Must(New(newCart(3, 3, 1), s, 1))(t)
	iterate(t, p, 1)
}

func TestAdam(t *testing.T) {
	const n, steps = 7, 20
	params, want := make([]float32, n), make([]float64, n)
	m, v := make([]float64, n), make([]float64, n)
	a, s := nn.NewAdam(n), nn.NewStream()
	s.Key(1, 0, 0, 0)
	for step := 1; step <= steps; step++ {
		grad := make([]float32, n)
		for i := range grad {
			grad[i] = float32(s.NormFloat64())
			g := 0.5 * float64(grad[i])
			m[i] = 0.9*m[i] + 0.1*g
			v[i] = 0.999*v[i] + 0.001*g*g
			want[i] -= 0.01 * m[i] / (1 - math.Pow(0.9, float64(step))) /
				(math.Sqrt(v[i]/(1-math.Pow(0.999, float64(step)))) + 1e-5)
		}
		next := a.Step(0.5, 0.01)
		for _, block := range []ColumnRange{{First: 4, Size: 3}, {First: 0, Size: 4}} {
			a.Move(next, params, grad, block.First, block.First+block.Size)
		}
	}
	for i := range params {
		if math.Abs(float64(params[i])-want[i]) > 1e-6 {
			t.Errorf("parameter %d is %g, want %g", i, params[i], want[i])
		}
	}
}

func TestExplainedVariance(t *testing.T) {
	target := []float32{1, 2, 3, 4}
	for _, c := range []struct {
		value []float32
		want  float64
	}{
		{[]float32{1, 2, 3, 4}, 1},
		{[]float32{5, 5, 5, 5}, 0},
		{[]float32{2, 4, 6, 8}, 0},
		{[]float32{-1, -2, -3, -4}, -3},
	} {
		if got := explainedVariance(c.value, target); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("values %g for targets %g explain %g, want %g", c.value, target, got, c.want)
		}
	}
	if got := explainedVariance(target, []float32{2, 2, 2, 2}); !math.IsNaN(got) {
		t.Errorf("constant targets are explained to %g, want NaN", got)
	}
}
