package rl

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/internal/nntest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// value64 is the value of one input in double precision; kept, by hidden layer, is what is dropped of its row.
func value64(n nn.Critic, params, x []float64, kept [][]float32) (value float64) {
	outputs := outputs64(n, params, x, kept)
	for _, v := range outputs {
		value += v / float64(len(outputs))
	}
	return value
}

// outputs64 are the outputs whose mean is the value.
func outputs64(n nn.Critic, params, x []float64, kept [][]float32) []float64 {
	for l := range n.Layers() {
		in, out, last := n.Sizes[l], n.Sizes[l+1], l == n.Layers()-1
		weights, biases := params[:in*out], params[in*out:(in+1)*out]
		params = params[(in+1)*out:]
		y := make([]float64, out)
		for j := range y {
			y[j] = biases[j]
			for i, v := range x {
				y[j] += v * weights[i*out+j]
			}
			if n.Dropout > 0 && !last {
				y[j] *= float64(kept[l][j])
			}
		}
		if n.Norm && !last {
			mean, variance := nntest.TwoPass(y)
			for j := range y {
				y[j] = (y[j]-mean)/math.Sqrt(variance+1e-5)*params[j] + params[out+j]
			}
			params = params[2*out:]
		}
		if !last {
			for j, v := range y {
				y[j] = activation64(n.Activation, v)
			}
		}
		x = y
	}
	return x
}

// quantileLoss64 is the loss of Dabney et al. 2018, equation 10, with κ = 1.
func quantileLoss64(quantiles, targets []float64) (loss float64) {
	for i, theta := range quantiles {
		tau := float64(2*i+1) / float64(2*len(quantiles))
		for _, y := range targets {
			u, huber, below := y-theta, 0.0, 0.0
			if huber = 0.5 * u * u; math.Abs(u) > 1 {
				huber = math.Abs(u) - 0.5
			}
			if u < 0 {
				below = 1
			}
			loss += math.Abs(tau-below) * huber / float64(len(targets))
		}
	}
	return loss
}

func activation64(a Activation, v float64) float64 {
	switch a {
	case ELU:
		return max(v, 0) + math.Expm1(min(v, 0))
	case ReLU:
		return max(v, 0)
	}
	return math.Tanh(v)
}

// squashed64 is an action of the policy and its log density, by the formula of the paper, for draws z.
func (s *replayLearner) squashed64(params, x, z []float64) (action []float64, logProb float64) {
	encoder := &s.policy.net.Encoder
	output := nntest.MLP(s.policy.net.MLP, params[encoder.Parameters():], nntest.Encoder(encoder, params, x))
	n := len(z)
	for i := range n {
		logStd := min(max(output[n+i], sacLogStdMin), sacLogStdMax)
		u := output[i] + math.Exp(logStd)*z[i]
		a := math.Tanh(u)
		action = append(action, a)
		logProb += -0.5*z[i]*z[i] - logStd - 0.5*math.Log(2*math.Pi) - math.Log(1-a*a)
	}
	return action, logProb
}

// observed64 is what was observed in the row at a place of the replay.
func (r *Replay) observed64(at int64) []float64 {
	observation := make([]float64, r.observation)
	row, bytes := r.data[at:], nn.RowOf(r.bytes, r.layout.bytes, int(at)/r.size())
	for _, span := range r.layout.rest {
		row = row[copy(observation[span.First:], widen(row[:span.Size])):]
	}
	for _, p := range r.layout.pictures {
		for i := range p.Size() {
			if factor := p.factors[i%p.Channels]; factor == 0 {
				observation[p.First+i], row = float64(row[0]), row[1:]
			} else {
				observation[p.First+i], bytes = float64(bytes[0])/factor, bytes[1:]
			}
		}
	}
	return observation
}

// seen64 are the standardised columns of the row at a place of the replay, whose pictures are shifted.
func (s *replayLearner) seen64(at int64, reads ColumnRange, by ...shift) (x []float64) {
	observation := s.replay.observed64(at)
	source := make([]int, len(observation))
	for i := range source {
		source[i] = i
	}
	for _, p := range s.shape.Pictures {
		for i := range p.Size() {
			y, z := i/p.Channels/p.Width, i/p.Channels%p.Width
			if len(by) > 0 {
				y, z = y+int(by[0][0]), z+int(by[0][1])
			}
			y, z = min(max(y, 0), p.Height-1), min(max(z, 0), p.Width-1)
			source[p.First+i] = p.First + (y*p.Width+z)*p.Channels + i%p.Channels
		}
	}
	for i := reads.First; i < reads.First+reads.Size; i++ {
		v := (observation[source[i]] - float64(s.lens.mean[i])) * float64(s.lens.scale[i])
		x = append(x, min(max(v, -float64(s.lens.limit)), float64(s.lens.limit)))
	}
	return x
}

// critic64 is what the critics read of the row, by the parameters of a policy: what its convolutions give of the
// pictures, then the other values.
func (s *replayLearner) critic64(params []float64, at int64, by shift) (x []float64) {
	if s.seen == 0 {
		return s.seen64(at, s.shape.Critic)
	}
	x = nntest.Encoder(&s.policy.net.Encoder, params, s.seen64(at, s.shape.Policy, by))[:s.seen:s.seen]
	for i, v := range s.seen64(at, s.shape.Critic) {
		column := s.shape.Critic.First + i
		if !slices.ContainsFunc(s.shape.Pictures, func(p Picture) bool { return column >= p.First && column < p.First+p.Size() }) {
			x = append(x, v)
		}
	}
	return x
}

// mirrored64 is seen64 of the mirror image of what the policy reads.
func (s *replayLearner) mirrored64(at int64) (x []float64) {
	reads := s.shape.Policy
	for i, j := range s.mirror.source {
		v := s.mirror.sign[i] * float64(s.replay.data[at+int64(reads.First+j)])
		v = (v - float64(s.lens.mean[reads.First+i])) * float64(s.lens.scale[reads.First+i])
		x = append(x, min(max(v, -float64(s.lens.limit)), float64(s.lens.limit)))
	}
	return x
}

// The gradients are those of the losses in double precision, written down from the papers.
func TestSACGradient(t *testing.T) {
	for name, change := range map[string]func(*SACSettings){
		"plain":                                func(*SACSettings) {},
		"n steps":                              func(o *SACSettings) { o.Steps = 3 },
		"layer norm":                           func(o *SACSettings) { o.LayerNorm, o.Activation = true, ELU },
		"dropout":                              func(o *SACSettings) { o.Dropout = 0.3 },
		"droq":                                 func(o *SACSettings) { o.Dropout, o.LayerNorm, o.CriticHidden = 0.1, true, []int{7} },
		"redq":                                 func(o *SACSettings) { o.Critics, o.TargetCritics = 4, 2 },
		"no layers":                            func(o *SACSettings) { o.CriticHidden, o.Critics = []int{3}, 1 },
		"quantiles":                            func(o *SACSettings) { o.Quantiles = 5 },
		"quantiles of four critics":            func(o *SACSettings) { o.Quantiles, o.Critics, o.TargetCritics, o.LayerNorm = 3, 4, 2, true },
		"two columns":                          func(o *SACSettings) { o.Activation = ELU },
		"symmetry":                             func(*SACSettings) {},
		"pictures":                             func(o *SACSettings) { o.LayerNorm = true },
		"pictures that are shifted":            func(o *SACSettings) { o.RandomShift, o.Steps, o.Quantiles = 2, 2, 3 },
		"pictures beside other columns":        func(o *SACSettings) { o.Dropout, o.Critics = 0.3, 3 },
		"pictures of the policy alone":         func(o *SACSettings) { o.RandomShift, o.Activation = 1, ELU },
		"symmetry of what is not standardised": func(*SACSettings) {},
	} {
		t.Run(name, func(t *testing.T) {
			env := newCart(4, 2, 1)
			if name == "two columns" {
				env.shape.Policy, env.shape.Critic = ColumnRange{First: 1, Size: 2}, ColumnRange{First: 0, Size: 2}
			}
			set := sacSettings()
			if strings.HasPrefix(name, "pictures") {
				env = newSeenCart(4, 2, 1)
				set.Convolutions = []Convolution{convolution(3, 3, 2, 1), convolution(2, 2, 1, 0)}
			}
			switch name {
			case "pictures beside other columns":
				env.shape.Policy, env.shape.Critic = ColumnRange{First: 0, Size: 55}, ColumnRange{First: 1, Size: 55}
			case "pictures of the policy alone":
				env.shape.Critic = ColumnRange{First: 55, Size: 1}
			}
			set.SAC.Minibatch, set.SAC.RandomSteps, set.SAC.Hidden, set.SAC.Activation = 140, 100, []int{6, 5}, Tanh
			set.SAC.Temperature = 0.7
			if len(set.Convolutions) > 0 { // two chunks
				set.SAC.Minibatch = leastChunkOfPictures + 6
			}
			change(&set.SAC)
			if strings.HasPrefix(name, "symmetry") {
				set.Symmetry, set.NormaliseObservations = cartSymmetry, name == "symmetry"
			}
			s := polytest.Must(begin(newSAC(env, set, 3)))(t)
			for range 20 { // some learning, so that targets and critics differ
				polytest.Must(s.Iterate(t.Context()))(t)
			}
			testSACGradient(t, s)
		})
	}
}

func testSACGradient(t *testing.T, s *SAC) {
	o, size := s.choices, s.shape.Action
	noise := nn.NewStream()
	noise.Key(7, 0, 0, 0)
	for i := range s.params { // so that the policy is not that of the beginning
		s.params[i] += float32(0.05 * noise.NormFloat64())
	}
	s.noise.Key(1, nn.DrawTransitions, 2, 3)
	s.replay.draw(s.drawn, o.Steps, s.settings.Gamma, s.noise)
	s.drawn.shiftPictures(o.RandomShift, s.noise)
	params, temperature := widen(s.params), s.temperature()
	w, from, encoder := &s.workers[0], len(s.policy.params), len(s.encoder(s.params))
	nearly := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 2e-4*math.Abs(want)+2e-5 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	keptOf := func(w nn.CriticWork, row int) (kept [][]float32) {
		for l, all := range w.Kept {
			kept = append(kept, nn.RowOf(all, s.critic.Sizes[l+1], row))
		}
		return kept
	}
	// both gradients, chunk by chunk
	for chunk := range s.chunks {
		each := s.group.PerChunk(o.Minibatch)
		part := s.drawn.part(chunk*each, min((chunk+1)*each, o.Minibatch))
		n := len(part.now)
		draws := func(p nn.DrawPurpose) (z [][]float64) {
			noise.Key(1, p, 2, int64(chunk))
			for range n {
				row := make([]float64, size)
				for i := range row {
					row[i] = noise.NormFloat64()
				}
				z = append(z, row)
			}
			return z
		}
		logProbs, targets, zs := make([]float64, n), make([][]float64, n), draws(nn.DrawNext)
		// what is dropped comes after all draws of actions, critic by critic
		least := slices.Repeat([]float64{math.Inf(1)}, n)
		for _, k := range s.subset[:o.TargetCritics] {
			of := s.critic.NewWork(n)
			s.critic.DrawDropout(of, n, noise)
			for j := range n {
				action, logProb := s.squashed64(params[:from], s.seen64(part.next[j], s.shape.Policy, part.nextShift[j]), zs[j])
				logProbs[j] = logProb
				x := append(s.critic64(params, part.next[j], part.nextShift[j]), action...)
				own := widen(nn.RowOf(s.targets, s.critic.Parameters(), k))
				if v := value64(s.critic, own, x, keptOf(of, j)); v < least[j] {
					least[j], targets[j] = v, outputs64(s.critic, own, x, keptOf(of, j))
				}
			}
		}
		for j := range n {
			for q, v := range targets[j] {
				targets[j][q] = part.reward[j] + part.discount[j]*(v-temperature*logProbs[j])
			}
		}
		dropped := make([]nn.CriticWork, o.Critics)
		for k := range dropped {
			dropped[k] = s.critic.NewWork(n)
			s.critic.DrawDropout(dropped[k], n, noise)
		}
		criticLoss := func(params []float64) (loss float64) {
			for j := range n {
				x := s.critic64(params, part.now[j], part.nowShift[j])
				x = append(x, widen(s.replay.acted(part.now[j]))...)
				for k := range o.Critics {
					own := params[from+k*s.critic.Parameters():][:s.critic.Parameters()]
					outputs := outputs64(s.critic, own, x, keptOf(dropped[k], j))
					if o.Quantiles > 1 {
						loss += quantileLoss64(outputs, targets[j]) / float64(o.Minibatch)
						continue
					}
					rest := outputs[0] - targets[j][0]
					loss += 0.5 * rest * rest / float64(o.Minibatch)
				}
			}
			return loss
		}
		w.noise.Key(1, nn.DrawNext, 2, int64(chunk))
		s.criticGradient(w, chunk, part, temperature)
		nearly("the critics' loss", s.chunks[chunk].criticLoss/float64(o.Minibatch)*float64(o.Critics), criticLoss(params))
		checkGradient(t, s.replayLearner, chunk, from, from+len(s.targets), criticLoss)
		if encoder > 0 {
			checkGradient(t, s.replayLearner, chunk, 0, encoder, criticLoss)
		}

		zs = draws(nn.DrawNow)
		for k := range dropped {
			s.critic.DrawDropout(dropped[k], n, noise)
		}
		policyLoss := func(params []float64) (loss float64) {
			for j := range n {
				if m := s.mirror; m != nil {
					x := s.seen64(part.now[j], s.shape.Policy)
					own, image := nntest.MLP(s.policy.net.MLP, params[:from], x), nntest.MLP(s.policy.net.MLP, params[:from], s.mirrored64(part.now[j]))
					for i, k := range m.actionFrom {
						e := own[i] - m.actionSign[i]*image[k]
						loss += m.weight * e * e / float64(o.Minibatch)
					}
				}
				action, logProb := s.squashed64(params[:from], s.seen64(part.now[j], s.shape.Policy, part.nowShift[j]), zs[j])
				x := append(s.critic64(params, part.now[j], part.nowShift[j]), action...)
				least, mean := math.Inf(1), 0.0
				for k := range o.Critics {
					own := params[from+k*s.critic.Parameters():][:s.critic.Parameters()]
					v := value64(s.critic, own, x, keptOf(dropped[k], j))
					least, mean = min(least, v), mean+v/float64(o.Critics)
				}
				if o.TargetCritics < o.Critics || o.Dropout > 0 { // REDQ and DroQ
					least = mean
				}
				loss += (temperature*logProb - least) / float64(o.Minibatch)
			}
			return loss
		}
		w.noise.Key(1, nn.DrawNow, 2, int64(chunk))
		s.policyGradient(w, chunk, part, temperature)
		if s.mirror == nil { // whose part is not in what is reported
			nearly("the policy's loss", s.chunks[chunk].policyLoss/float64(o.Minibatch), policyLoss(params))
		}
		checkGradient(t, s.replayLearner, chunk, encoder, from, policyLoss)
	}
}

// checkGradient compares the chunk's gradient by the parameters from up to to with differences of its loss.
func checkGradient(t *testing.T, s *replayLearner, chunk, from, to int, loss func(params []float64) float64) {
	t.Helper()
	params, grad := widen(s.params), nn.RowOf(s.grads, len(s.params), chunk)
	const h = 1e-6
	for i := from; i < to; i++ {
		v := params[i]
		params[i] = v + h
		up := loss(params)
		params[i] = v - h
		want := (up - loss(params)) / (2 * h)
		params[i] = v
		if got := float64(grad[i]); math.Abs(got-want) > 1e-3*math.Abs(want)+3e-5 {
			t.Fatalf("derivative by parameter %d of %d to %d: %g, want %g", i, from, to, got, want)
		}
	}
	if slices.Max(grad[from:to]) == 0 {
		t.Errorf("no derivative by the parameters %d to %d", from, to)
	}
}
