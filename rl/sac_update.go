package rl

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// sacChunkRows are the transitions that are worth a chunk of their own: its gradient has as many numbers as the
// networks, which are larger than PPO's.
const sacChunkRows = 128

// sacChunkPictures is the same where convolutions read pictures, which take more time than the gradient's sum.
const sacChunkPictures = 64

// sacWorker is the working memory of one goroutine that computes gradients of chunks.
type sacWorker struct {
	policy  nn.Work         // with a symmetry, also of the mirror images, which come after the rows
	critics []nn.CriticWork // by critic
	next    nn.CriticWork   // of the observation that follows
	noise   nn.Stream

	// By sample of a chunk:
	logProb, value    []float64 // value: the least of the targets' for what follows
	target            []float64 // and output of a critic: what it is to be
	z, std            []float64 // and action value: the draw, and the deviation that multiplies it
	action            []float32 // likewise
	slopes, sum       []float32 // derivatives of a critic's value by the action
	bySeen, sumBySeen []float32 // of a critic's loss by what the policy's convolutions give, where it reads that
}

// sacChunk is what a part of a minibatch contributes, beside its gradient: sums over its samples.
type sacChunk struct {
	criticLoss, value          float64
	policyLoss, logProb, spare float64 // spare: the mean standard deviation
	size                       float64 // of td3bc: the absolute value of what the policy does
}

func (s *replayLearner) newWorker() sacWorker {
	rows, actions := s.group.MostPerChunk(s.choices.Minibatch), s.shape.Action
	images := 1
	if s.mirror != nil {
		images = 2
	}
	w := sacWorker{
		policy: s.policy.net.NewWork(images*rows, images*rows, true), next: s.critic.NewWork(rows), noise: nn.NewStream(),
		logProb: make([]float64, rows), value: make([]float64, rows), target: make([]float64, rows*s.critic.Outputs()),
		z: make([]float64, rows*actions), std: make([]float64, rows*actions), action: make([]float32, rows*actions),
		slopes: make([]float32, rows*actions), sum: make([]float32, rows*actions),
		bySeen: make([]float32, rows*s.seen), sumBySeen: make([]float32, rows*s.seen),
	}
	if s.seen > 0 {
		w.policy.Delta[0] = nil // the policy's loss ends before the convolutions
	}
	for range s.choices.Critics {
		w.critics = append(w.critics, s.critic.NewWork(rows))
	}
	return w
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
	var sum sacChunk
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
func (s *replayLearner) step(sum *sacChunk) (gradNorm float64) {
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
	chunks, temperature := len(s.chunks), s.temperature()
	part := func(chunk int) (first, end int) {
		size := s.group.PerChunk(o.Minibatch)
		return min(chunk*size, o.Minibatch), min((chunk+1)*size, o.Minibatch)
	}
	s.team.Do(chunks, func(worker, chunk int) {
		first, end := part(chunk)
		w := &s.workers[worker]
		w.noise.Key(s.seed, nn.DrawNext, number, int64(chunk))
		s.criticGradient(w, chunk, s.drawn.part(first, end), temperature)
	})
	offset, eyes := len(s.policy.params), s.eyes(s.params)
	step := s.adam.Step(1, o.CriticRate*s.decay)
	step.Epsilon = sacEpsilon
	gradNorm = s.move(step, s.rule.criticTargets(), ColumnRange{First: offset, Size: len(s.params) - 1 - offset},
		ColumnRange{First: 0, Size: len(eyes)})

	if s.adam.Steps%int64(o.PolicyEvery) == 0 {
		s.rule.policyGradients(func(do func(w *sacWorker, chunk int, t transitions)) {
			s.team.Do(chunks, func(worker, chunk int) {
				first, end := part(chunk)
				w := &s.workers[worker]
				w.noise.Key(s.seed, nn.DrawNow, number, int64(chunk))
				do(w, chunk, s.drawn.part(first, end))
			})
		}, temperature)
		own := nn.Adam{Steps: s.policySteps}
		step := own.Step(1, o.LearningRate*s.decay)
		step.Epsilon = sacEpsilon
		s.policySteps = own.Steps
		s.move(step, nil, ColumnRange{First: len(eyes), Size: offset - len(eyes)})
		s.rule.afterPolicy(step)
	}
	for i := range s.chunks {
		c := &s.chunks[i]
		sum.criticLoss += c.criticLoss
		sum.value += c.value
		sum.policyLoss += c.policyLoss
		sum.logProb += c.logProb
		sum.spare += c.spare
		*c = sacChunk{}
	}
	return gradNorm
}

// sacEpsilon is Adam's, in PyTorch and so in the published results.
const sacEpsilon = 1e-8

// eyes are the parameters that learn from the critics' loss alone, in a vector as long as params: those of the policy's
// convolutions where the critics read pictures.
func (s *replayLearner) eyes(vector []float32) []float32 {
	if s.seen == 0 {
		return nil
	}
	return vector[:s.policy.net.Encoder.Parameters()]
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

// steer takes a step of the temperature: it grows where the policy's entropy is below the target.
func (s *SAC) steer(step nn.AdamStep) {
	logProb := 0.0
	for i := range s.chunks {
		logProb += s.chunks[i].logProb
	}
	last := len(s.params) - 1
	s.grads[last] = float32(-(logProb/float64(s.choices.Minibatch) + s.choices.targetEntropy(s.shape.Action)))
	s.adam.Move(step, s.params, s.grads, last, last+1)
}

// sample draws actions on what follows from the policy, and their log probabilities.
func (s *SAC) sample(w *sacWorker, t transitions) {
	s.replay.read(w.policy.Input(), s.shape.Policy.Size, t.next, &s.lens, &s.ofPolicy, t.nextShift)
	s.policy.net.Forward(s.policy.params, w.policy, nn.Batch{Rows: len(t.next)})
	s.draw(w, len(t.next))
}

// draw draws actions from the policy's first n outputs.
func (s *SAC) draw(w *sacWorker, n int) {
	size := s.shape.Action
	for i := range n {
		output := nn.RowOf(w.policy.Output(), 2*size, i)
		z, std := nn.RowOf(w.z, size, i), nn.RowOf(w.std, size, i)
		w.logProb[i] = s.policy.actions.DrawSquashed(nn.RowOf(w.action, size, i), z, std, output, w.noise)
	}
}

// load makes observations, the columns that the critics read, and actions the input of a critic. Where the critics read
// pictures, the rows of features, which have so many columns, begin with what the policy's convolutions give for them.
func (s *replayLearner) load(w nn.CriticWork, rows []int64, actions, features []float32, columns int) {
	stride, size := s.critic.Sizes[0], s.shape.Action
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
func (s *replayLearner) see(w *sacWorker, chunk int, t transitions) {
	eyes, n := &s.policy.net.Encoder, len(t.now)
	s.replay.read(w.policy.Input(), s.shape.Policy.Size, t.now, &s.lens, &s.ofPolicy, t.nowShift)
	eyes.Forward(s.eyes(s.params), w.policy.Features, w.policy.Observed, w.policy.Encoder, n)
	kept := s.featuresOf(chunk)
	for i := range n {
		copy(nn.RowOf(kept, s.seen, i), nn.RowOf(w.policy.Features, eyes.Features(), i))
	}
}

// featuresOf are those of s.features that belong to a chunk, and to those after it.
func (s *replayLearner) featuresOf(chunk int) []float32 {
	return s.features[chunk*s.group.PerChunk(s.choices.Minibatch)*s.seen:]
}

// seeGradient follows see: it writes the derivatives, by the parameters of the convolutions, of a loss whose derivatives
// by what they give are w.sumBySeen.
func (s *replayLearner) seeGradient(w *sacWorker, chunk, n int) {
	eyes := &s.policy.net.Encoder
	for i := range n {
		copy(nn.RowOf(w.policy.ByFeatures, eyes.Features(), i), nn.RowOf(w.sumBySeen, s.seen, i))
	}
	eyes.Backward(s.eyes(s.params), s.eyes(nn.RowOf(s.grads, len(s.params), chunk)), w.policy.ByFeatures, w.policy.Features,
		w.policy.Observed, w.policy.Encoder, n)
}

// criticGradient writes to the chunk's row of grads the derivatives, by the critics' parameters, of the mean over the
// minibatch of half the squared distance from
//
//	y = r + γ^n (min Q'(s', a') - α ln π(a'|s')),  a' drawn from π(s')
//
// where Q' are targets, and what follows is worth 0 after a termination or a fault. Where the critics read pictures, it
// writes the derivatives by the parameters of the policy's convolutions, too. Of critics with quantiles each one
// of the least target's gives a y, and the distance from all of them is that of quantileLoss.
func (s *replayLearner) criticGradient(w *sacWorker, chunk int, t transitions, temperature float64) {
	n, grad, c := len(t.now), nn.RowOf(s.grads, len(s.params), chunk), &s.chunks[chunk]
	outputs := s.critic.Outputs()
	s.rule.nextActions(w, t)
	s.load(w.next, t.next, w.action, w.policy.Features, s.policy.net.Encoder.Features())
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
	share := 1 / float64(s.choices.Minibatch)
	bySeen, sumBySeen := w.bySeen[:n*s.seen], w.sumBySeen[:n*s.seen]
	if s.seen > 0 {
		s.see(w, chunk, t)
		clear(sumBySeen)
	}
	s.load(w.next, t.now, nil, w.policy.Features, s.policy.net.Encoder.Features())
	for k := range s.choices.Critics {
		s.critic.DrawDropout(w.next, n, w.noise)
		s.critic.Forward(s.criticParams(s.params, k), w.next, n)
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

// policyGradient writes to the chunk's row of grads the derivatives, by the policy's parameters, of the mean over the
// minibatch of α ln π(a|s) - Q(s, a), where a = tanh(μ + σz) and Q is the least value of all critics or, where the
// target takes fewer of them or they drop outputs, their mean. With a symmetry the mean has also its weight times the
// squared distance of μ from the mirror image of the μ of the mirrored observation. Where the critics read pictures, it
// follows criticGradient of the chunk, and what the policy's convolutions give is a constant.
func (s *SAC) policyGradient(w *sacWorker, chunk int, t transitions, temperature float64) {
	n, size, c := len(t.now), s.shape.Action, &s.chunks[chunk]
	columns, b := s.shape.Policy.Size, nn.Batch{Rows: n}
	_, _, layers := s.policy.net.Split(s.policy.params)
	if s.seen > 0 {
		features := s.policy.net.Encoder.Features()
		s.replay.read(w.policy.Features, features, t.now, &s.lens, &s.ofPolicyRest, nil)
		for i := range n {
			copy(nn.RowOf(w.policy.Features, features, i), nn.RowOf(s.featuresOf(chunk), s.seen, i))
		}
		s.policy.net.MLP.Forward(layers, w.policy.Activations, n)
	} else {
		s.replay.read(w.policy.Input(), columns, t.now, &s.lens, &s.ofPolicy, t.nowShift)
		if s.mirror != nil {
			b.Rows = 2 * n
			s.mirror.reflect(w.policy.Input()[n*columns:b.Rows*columns], w.policy.Input()[:n*columns])
		}
		s.policy.net.Forward(s.policy.params, w.policy, b)
	}
	s.draw(w, n)
	mean := s.choices.TargetCritics < s.choices.Critics || s.choices.Dropout > 0
	for k, pass := range w.critics {
		if k == 0 {
			s.load(pass, t.now, w.action, w.policy.Features, s.policy.net.Encoder.Features())
		} else {
			copy(pass.Input(), w.critics[0].Input()[:n*s.critic.Sizes[0]])
		}
		s.critic.DrawDropout(pass, n, w.noise)
		s.critic.Forward(s.criticParams(s.params, k), pass, n)
	}
	outputs := s.critic.Outputs()
	deltas := func(pass nn.CriticWork, j int, part float32) {
		for q := range outputs {
			pass.OutputDelta()[j*outputs+q] = part / float32(outputs)
		}
	}
	for j := range n {
		least, value, sum := 0, 0.0, 0.0
		for k, pass := range w.critics {
			_, v := s.critic.Values(pass, j)
			sum += v
			if k == 0 || v < value {
				least, value = k, v
			}
			deltas(pass, j, 0)
			if mean {
				deltas(pass, j, 1/float32(len(w.critics)))
			}
		}
		if mean {
			value = sum / float64(len(w.critics))
		} else {
			deltas(w.critics[least], j, 1)
		}
		c.policyLoss += float64(temperature*w.logProb[j]) - value
		c.logProb += w.logProb[j]
	}
	clear(w.sum[:n*size])
	for k, pass := range w.critics {
		s.critic.ActionSlope(w.slopes[:n*size], s.criticParams(s.params, k), pass, n)
		nn.AddRows(w.sum[:n*size], w.slopes[:n*size])
	}
	share := 1 / float64(s.choices.Minibatch)
	for j := range n {
		output, delta := nn.RowOf(w.policy.Output(), 2*size, j), nn.RowOf(w.policy.OutputDelta(), 2*size, j)
		for i := range size {
			index := j*size + i
			a, shift := float64(w.action[index]), float64(w.std[index]*w.z[index])
			// ln π has the derivatives 2a by u, and -1 by ln σ beside those through u = μ + σz.
			byU := float64(2*temperature*a) - float64(float64(w.sum[index])*(1-float64(a*a)))
			delta[i] = float32(byU * share)
			delta[size+i] = float32((float64(byU*shift) - temperature) * share)
			if v := float64(output[size+i]); v < s.policy.actions.Low || v > s.policy.actions.High { // it is held there
				delta[size+i] = 0
			}
			c.spare += w.std[index] / float64(size)
		}
		if s.mirror != nil {
			s.mirror.derive(delta, nn.RowOf(w.policy.OutputDelta(), 2*size, n+j), output, nn.RowOf(w.policy.Output(), 2*size, n+j),
				s.mirror.weight*share)
		}
	}
	grad := nn.RowOf(s.grads, len(s.params), chunk)
	if s.seen > 0 {
		_, _, layersGrad := s.policy.net.Split(grad)
		s.policy.net.MLP.Backward(0, layers, layersGrad, nil, w.policy.Activations, n)
	} else {
		s.policy.net.Backward(s.policy.params, grad, w.policy, b)
	}
}
