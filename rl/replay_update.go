package rl

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Iterate implements [Learner].
func (s *replayLearner) Iterate(ctx context.Context) (Metrics, error) {
	copy(s.before.params, s.params)
	s.before.set(&s.soft)
	s.before.rows = append(s.before.rows[:0], s.replay.count...)
	m, err := s.iterate(ctx)
	if err != nil {
		copy(s.replay.count, s.before.rows)
		copy(s.params, s.before.params)
		s.set(&s.before.soft)
		s.standardise()
	}
	return m, err
}

func (s *replayLearner) iterate(ctx context.Context) (Metrics, error) {
	episodes, err := s.rule.collect(ctx)
	if err != nil {
		return Metrics{}, err
	}
	s.controlSteps += int64(s.choices.Segment)
	s.envSteps += int64(s.choices.Segment) * int64(s.shape.Worlds)
	s.standardise()
	s.iteration++
	m := newMetrics(s.settings.Algorithm)
	m.Iteration, m.EnvSteps = s.iteration, s.envSteps
	episodes.report(&m)
	return m, s.learn(ctx, &m)
}

// due is the number of gradient steps after the newest rollout, none until there are enough transitions.
func (s *replayLearner) due() int64 {
	if !s.rule.learnsNow() {
		return 0
	}
	ratio := s.choices.UpdateRatio * float64(s.choices.Segment) * float64(s.shape.Worlds)
	until := func(iterations int64) int64 { return int64(math.Floor(ratio * float64(iterations))) }
	return until(s.iteration) - until(s.iteration-1)
}

// learn takes the gradient steps that are due, unless ctx is cancelled meanwhile.
func (s *replayLearner) learn(ctx context.Context, m *Metrics) error {
	s.team = nn.NewTeam(s.shape.Workers)
	defer func() {
		s.team.Close()
		s.team = nil
	}()
	standard := s.policy.standardise
	s.lens.set(standard, &s.replay.layout)
	if s.mirror != nil {
		s.mirror.set(standard, s.shape.Policy)
	}
	if s.choices.Schedule == Linear {
		before := s.envSteps - int64(s.choices.Segment)*int64(s.shape.Worlds) // when the iteration began
		s.decay = max(0, 1-float64(before)/float64(s.settings.TotalSteps))
	}
	var sum replayChunk
	gradNorm, steps, policySteps := 0.0, s.due(), s.policySteps
	if steps > 0 && !s.replay.hasAction() {
		return errors.New("rl: no row of the replay has an action, want one to learn from")
	}
	for range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		gradNorm += s.step(&sum)
	}
	if steps == 0 {
		return nil
	}
	n := float64(steps) * float64(s.choices.Minibatch)
	policyN := float64(s.policySteps-policySteps) * float64(s.choices.Minibatch)
	for _, part := range []struct {
		what  string
		value float64
	}{
		{"the critics' loss", sum.criticLoss}, {"the policy's loss", sum.policyLoss}, {"the gradient's length", gradNorm},
		{"the parameters' length", nn.Squares(s.params)},
	} {
		if notFinite(part.value) {
			return fmt.Errorf("rl: iteration %d: %s is %g, want a finite number", s.iteration, part.what, part.value)
		}
	}
	m.GradientSteps, m.ValueLoss, m.MeanValue = steps, sum.criticLoss/n, sum.value/n
	m.GradNorm, m.LearningRate, m.PolicyLoss = gradNorm/float64(steps), s.choices.LearningRate*s.decay, sum.policyLoss/policyN
	s.rule.report(m, &sum, policyN)
	return nil
}

// step takes one gradient step of the critics, with their targets, and where it is due one of the policy and the
// temperature. It adds to sum and returns the length of the critics' gradient.
func (s *replayLearner) step(sum *replayChunk) (gradNorm float64) {
	o, number := &s.choices, s.adam.Steps
	if o.RandomShift > 0 {
		s.noise.Key(s.seed, nn.DrawShift, number, 0)
		s.drawn.shiftPictures(o.RandomShift, s.noise)
	}
	s.noise.Key(s.seed, nn.DrawTransitions, number, 0)
	s.replay.draw(s.drawn, o.Steps, s.settings.Gamma, s.noise)
	if o.TargetCritics < o.Critics { // the beginning of Durstenfeld's shuffle
		for k := range s.subset {
			s.subset[k] = k
		}
		for i := range o.TargetCritics {
			j := i + s.noise.IntN(o.Critics-i)
			s.subset[i], s.subset[j] = s.subset[j], s.subset[i]
		}
	}
	temperature := s.temperature()
	each := func(purpose nn.DrawPurpose, do func(w *replayWorker, chunk int, t transitions)) {
		size := s.group.PerChunk(o.Minibatch)
		s.team.Do(len(s.chunks), func(worker, chunk int) {
			w := &s.workers[worker]
			w.noise.Key(s.seed, purpose, number, int64(chunk))
			do(w, chunk, s.drawn.part(min(chunk*size, o.Minibatch), min((chunk+1)*size, o.Minibatch)))
		})
	}
	each(nn.DrawNext, func(w *replayWorker, chunk int, t transitions) { s.criticGradient(w, chunk, t, temperature) })
	offset, encoder := len(s.policy.params), s.encoder(s.params)
	step := s.adam.Step(1, o.CriticRate*s.decay)
	step.Epsilon = replayEpsilon
	gradNorm = s.move(step, s.rule.criticTargets(), ColumnRange{First: offset, Size: len(s.params) - 1 - offset},
		ColumnRange{First: 0, Size: len(encoder)})

	if s.adam.Steps%int64(o.PolicyEvery) == 0 {
		s.rule.policyGradients(func(do func(w *replayWorker, chunk int, t transitions)) { each(nn.DrawNow, do) }, temperature)
		own := nn.Adam{Steps: s.policySteps}
		step := own.Step(1, o.LearningRate*s.decay)
		step.Epsilon = replayEpsilon
		s.policySteps = own.Steps
		s.move(step, nil, ColumnRange{First: len(encoder), Size: offset - len(encoder)})
		s.rule.afterPolicy(step)
	}
	for i := range s.chunks {
		c := &s.chunks[i]
		sum.criticLoss += c.criticLoss
		sum.value += c.value
		sum.policyLoss += c.policyLoss
		sum.logProb += c.logProb
		sum.std += c.std
		*c = replayChunk{}
	}
	return gradNorm
}

// move takes a step for some of the parameters, against the sum of the chunks' gradients, whose length it returns. The
// step shortens a sum that is longer than the settings allow. targets, if there are any, follow the critics.
func (s *replayLearner) move(step nn.AdamStep, targets []float32, parts ...ColumnRange) float64 {
	blocks := 0
	for _, p := range parts {
		blocks += (p.Size + nn.GradBlock - 1) / nn.GradBlock
	}
	// place returns the parameters of a block.
	place := func(block int) (start, end int) {
		for _, p := range parts {
			if start = p.First + block*nn.GradBlock; start < p.First+p.Size {
				return start, min(start+nn.GradBlock, p.First+p.Size)
			}
			block -= (p.Size + nn.GradBlock - 1) / nn.GradBlock
		}
		panic("rl: a block of no parameters")
	}
	add := func(block, start, end int) {
		nn.SumTree(s.grads[start:], len(s.params), len(s.chunks), end-start)
		s.squares[block] = nn.Squares(s.grads[start:end])
	}
	follows := func(start, end int) {
		s.adam.Move(step, s.params, s.grads, start, end)
		if first := len(s.policy.params); targets != nil && start >= first {
			nn.Polyak(targets[start-first:end-first], s.params[start:end], float32(s.choices.TargetRate))
		}
	}
	most := s.choices.MaxGradNorm
	s.team.Do(blocks, func(_, block int) {
		start, end := place(block)
		if add(block, start, end); most == 0 {
			follows(start, end)
		}
	})
	squared := 0.0
	for _, v := range s.squares[:blocks] {
		squared += v
	}
	length := math.Sqrt(squared)
	if most > 0 {
		step.Scale = float32(min(1, most/(length+1e-6)))
		s.team.Do(blocks, func(_, block int) {
			follows(place(block))
		})
	}
	return length
}

// load makes observations, the columns that the critics read, and actions the input of a critic. Where the critics read
// pictures, the rows of features begin with what the policy's convolutions give for them.
func (s *replayLearner) load(w nn.CriticWork, rows []int64, actions, features []float32) {
	stride, size, columns := s.critic.Sizes[0], s.shape.Action, s.policy.net.Encoder.Features()
	s.replay.read(w.Input(), stride, rows, &s.lens, &s.ofCritic, nil)
	for i, row := range rows {
		action, input := s.replay.acted(row), nn.RowOf(w.Input(), stride, i)
		if actions != nil {
			action = nn.RowOf(actions, size, i)
		}
		if s.seen > 0 {
			copy(input[:s.seen], nn.RowOf(features, columns, i))
		}
		copy(input[stride-size:], action)
	}
}

// see computes what the policy's convolutions give for what is observed now, and keeps it in s.features for the policy's
// gradient of the chunk: it is that of the parameters before the critics' step, as in the code of Yarats et al. 2022.
func (s *replayLearner) see(w *replayWorker, chunk int, t transitions) {
	encoder, n := &s.policy.net.Encoder, len(t.now)
	s.replay.read(w.policy.Input(), s.shape.Policy.Size, t.now, &s.lens, &s.ofPolicy, t.nowShift)
	encoder.Forward(s.encoder(s.params), w.policy.Features, w.policy.Observed, w.policy.Encoder, n)
	kept := s.featuresOf(chunk)
	for i := range n {
		copy(nn.RowOf(kept, s.seen, i), nn.RowOf(w.policy.Features, encoder.Features(), i))
	}
}

// featuresOf are those of s.features that belong to a chunk, and to those after it.
func (s *replayLearner) featuresOf(chunk int) []float32 {
	return s.features[chunk*s.group.PerChunk(s.choices.Minibatch)*s.seen:]
}

// seeGradient follows see: it writes the derivatives, by the parameters of the convolutions, of a loss whose derivatives
// by what they give are w.sumBySeen.
func (s *replayLearner) seeGradient(w *replayWorker, chunk, n int) {
	encoder := &s.policy.net.Encoder
	for i := range n {
		copy(nn.RowOf(w.policy.ByFeatures, encoder.Features(), i), nn.RowOf(w.sumBySeen, s.seen, i))
	}
	grad := s.encoder(nn.RowOf(s.grads, len(s.params), chunk))
	encoder.Backward(s.encoder(s.params), grad, w.policy.ByFeatures, w.policy.Features, w.policy.Observed,
		w.policy.Encoder, n)
}

// criticGradient writes to the chunk's row of grads the derivatives, by the critics' parameters, of the mean over the
// minibatch of half the squared distance from
//
//	y = r + γ^n (min Q'(s', a') - α ln π(a'|s')),  a' drawn from π(s')
//
// where Q' are targets, and what follows is worth 0 after a termination or a fault. Where the critics read pictures, it
// writes the derivatives by the parameters of the policy's convolutions, too. Of critics with quantiles each one
// of the least target's gives a y, and the distance from all of them is that of quantileLoss.
func (s *replayLearner) criticGradient(w *replayWorker, chunk int, t transitions, temperature float64) {
	n, grad := len(t.now), nn.RowOf(s.grads, len(s.params), chunk)
	s.aim(w, t, temperature)
	bySeen, sumBySeen := w.bySeen[:n*s.seen], w.sumBySeen[:n*s.seen]
	if s.seen > 0 {
		s.see(w, chunk, t)
		clear(sumBySeen)
	}
	s.load(w.next, t.now, nil, w.policy.Features)
	for k := range s.choices.Critics {
		s.critic.DrawDropout(w.next, n, w.noise)
		s.critic.Forward(s.criticParams(s.params, k), w.next, n)
		s.criticLoss(w, &s.chunks[chunk], n)
		s.critic.Backward(s.criticParams(s.params, k), s.criticParams(grad, k), w.next, n)
		if s.seen > 0 {
			s.critic.InputSlope(bySeen, s.criticParams(s.params, k), w.next, n, ColumnRange{First: 0, Size: s.seen})
			nn.AddRows(sumBySeen, bySeen)
		}
	}
	if s.seen > 0 {
		s.seeGradient(w, chunk, n)
	}
}

// aim writes y of each row to w.target, one of each output of a critic.
func (s *replayLearner) aim(w *replayWorker, t transitions, temperature float64) {
	n, outputs := len(t.now), s.critic.Outputs()
	s.rule.nextActions(w, t)
	s.load(w.next, t.next, w.action, w.policy.Features)
	for i, k := range s.subset[:s.choices.TargetCritics] {
		s.critic.DrawDropout(w.next, n, w.noise)
		s.critic.Forward(nn.RowOf(s.targets, s.critic.Parameters(), k), w.next, n)
		for j := range n {
			own, v := s.critic.Values(w.next, j)
			if i == 0 || v < w.value[j] || v != v {
				w.value[j] = v
				for q, v := range own {
					w.target[j*outputs+q] = float64(v)
				}
			}
		}
	}
	for j := range n {
		target := w.target[j*outputs:][:outputs]
		for q, v := range target {
			target[q] = t.reward[j] + float64(t.discount[j]*(v-float64(temperature*w.logProb[j])))
		}
	}
}

// criticLoss adds to c the losses and values of a critic whose outputs for n rows are in w.next, and writes the
// derivatives by them.
func (s *replayLearner) criticLoss(w *replayWorker, c *replayChunk, n int) {
	outputs, share := s.critic.Outputs(), 1/float64(s.choices.Minibatch)
	for j := range n {
		own, value := s.critic.Values(w.next, j)
		delta, target := nn.RowOf(w.next.OutputDelta(), outputs, j), w.target[j*outputs:][:outputs]
		loss := 0.0
		if outputs == 1 {
			rest := float64(own[0]) - target[0]
			delta[0], loss = float32(rest*share), float64(0.5*rest*rest)
		} else {
			loss = quantileLoss(delta, own, target, share)
		}
		c.criticLoss += loss / float64(s.choices.Critics)
		c.value += value / float64(s.choices.Critics)
	}
}

// quantileLoss returns how far quantiles, those of (i + ½)/n, are from those of what the targets are drawn from: over
// all i the sum, and over the targets y the mean, of |(i + ½)/n - [y < quantile]| times Huber's loss of their distance,
// which is half its square up to 1 (Dabney et al., "Distributional Reinforcement Learning with Quantile Regression",
// 2018). slopes become share times its derivatives.
func quantileLoss(slopes, quantiles []float32, targets []float64, share float64) (loss float64) {
	n := float64(len(targets))
	for i, v := range quantiles {
		slope := 0.0
		for _, y := range targets {
			rest := y - float64(v)
			weight := (float64(i) + 0.5) / float64(len(quantiles))
			if rest < 0 {
				weight = 1 - weight
			}
			held := min(max(rest, -1), 1)
			slope -= float64(weight*held) / n
			loss += float64(weight*float64(held*(rest-float64(0.5*held)))) / n
		}
		slopes[i] = float32(slope * share)
	}
	return loss
}
