package rl

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// chunk is what a part of a minibatch contributes, beside its gradient.
type chunk struct {
	losses    losses // but for the value loss, which another worker may have found
	valueLoss float64
}

// blocks calls f for each block of the parameters, first up to end, on the team.
func (p *rolloutLearner) blocks(f func(block, first, end int)) {
	p.team.Do(len(p.squares), func(_, block int) {
		f(block, block*nn.GradBlock, min((block+1)*nn.GradBlock, len(p.params)))
	})
}

// losses are sums over samples.
type losses struct {
	policy, value, kl, clipped float64
	entropy, std, asymmetry    float64
}

func (l *losses) add(other losses) {
	l.policy += other.policy
	l.value += other.value
	l.kl += other.kl
	l.clipped += other.clipped
	l.entropy += other.entropy
	l.std += other.std
	l.asymmetry += other.asymmetry
}

// learner is the working memory of one goroutine that computes gradients.
type learner struct {
	policy, value nn.Work // of the rows of a chunk; with a symmetry, policy also has those of their mirror images
	arrangement   arrangement

	// By sample of a chunk:
	scores  []nn.Score // one alone for Gaussians that have the same deviations in all samples
	z       []float64  // of such Gaussians
	logProb []float64

	logStdGrad []float64
}

func (p *rolloutLearner) newLearner() learner {
	sequences := p.group.MostPerChunk(min(p.group.Minibatch, p.sequences))
	rows, images := sequences*p.group.Length, 1 // of the policy: with mirror images twice as many
	if p.mirror != nil {
		images = 2
	}
	actions := &p.policy.actions
	l := learner{
		policy:     p.policy.net.NewWork(images*rows, images*sequences, true),
		value:      p.value.NewWork(rows, sequences, true),
		z:          make([]float64, rows*actions.Free()),
		logProb:    make([]float64, rows),
		logStdGrad: make([]float64, actions.Free()),
	}
	scores := rows
	if actions.Free() > 0 {
		scores = 1
	}
	for range scores {
		l.scores = append(l.scores, actions.NewScore())
	}
	return l
}

// update improves the policy and the value network on the rollout just collected, unless
// ctx is cancelled meanwhile. Where a loss, a gradient or a parameter is not finite it
// begins again from the networks before it, with smaller steps.
func (p *rolloutLearner) update(ctx context.Context, m *Metrics) error {
	seg, s := &p.rollout, &p.settings
	if p.scalesRewards {
		p.scaleRewards()
	}
	advantages(seg.advantage, seg.target, seg.reward, seg.value, seg.final, seg.end, seg.last, s.Gamma, s.Lambda)
	m.ExplainedVariance = explainedVariance(seg.value, seg.target)

	switch s.Schedule {
	case Constant:
		p.learningRate = s.LearningRate
	case Linear:
		before := p.envSteps - int64(len(p.order)) // when the rollout began
		p.learningRate = s.LearningRate * max(0, 1-float64(before)/float64(s.TotalSteps))
	}
	rate := p.learningRate
	for {
		err := p.improve(ctx, m)
		if !errors.As(err, new(*divergence)) {
			return err
		}
		if m.Retries == maxRetries {
			return fmt.Errorf("rl: iteration %d: %w, also with steps down to %.2g of learning_rate",
				p.iteration, err, rate/s.LearningRate*math.Pow(retryFactor, -maxRetries))
		}
		m.Retries++
		copy(p.params, p.before.params)
		p.adam.Set(p.before.adam)
		p.learningRate = rate * math.Pow(retryFactor, -float64(m.Retries))
	}
}

// An update that diverges is repeated at most so often, each time with steps that are smaller by a factor.
const (
	maxRetries  = 5
	retryFactor = 4
)

// improve does the epochs of an update.
func (p *rolloutLearner) improve(ctx context.Context, m *Metrics) error {
	s := &p.settings
	defer p.openTeam()()
	var sum losses
	var gradNorm float64
	samples, steps := 0, 0
	m.Epochs = 0
	for epoch := range s.Epochs {
		m.Epochs++
		p.shuffleSamples(epoch)
		var epochSum losses
		for rest := p.order; len(rest) > 0; {
			minibatch := p.nextMinibatch(rest)
			rest = rest[len(minibatch):]
			l, norm, err := p.step(ctx, epoch, minibatch)
			if err != nil {
				return err
			}
			epochSum.add(l)
			gradNorm += norm
			steps++
		}
		sum.add(epochSum)
		samples += len(p.order)
		kl := epochSum.kl / float64(len(p.order))
		if s.Schedule != Adaptive && s.TargetKL > 0 && kl > 1.5*s.TargetKL {
			break
		}
	}
	if length := math.Sqrt(nn.Squares(p.params)); notFinite(length) {
		return &divergence{"the parameters' length", length, ""}
	}
	p.report(m, sum, float64(samples))
	m.GradNorm = gradNorm / float64(steps)
	return nil
}

// step takes a step against the gradient of a minibatch, whose sums and length it returns.
func (p *rolloutLearner) step(ctx context.Context, epoch int, minibatch []int32) (l losses, length float64, err error) {
	l, grad, length := p.gradient(ctx, minibatch)
	if err := ctx.Err(); err != nil {
		return l, length, err
	}
	if what, _ := firstNotFinite(l, length); what != "" {
		return l, length, p.diverged(ctx, epoch, minibatch)
	}
	if p.settings.Schedule == Adaptive {
		p.adaptLearningRate(l.kl / float64(len(minibatch)))
	}
	step := p.adam.Step(min(1, p.settings.MaxGradNorm/(length+1e-6)), p.learningRate)
	p.team.Do(p.team.Workers(), func(_, part int) {
		first, end := part*len(grad)/p.team.Workers(), (part+1)*len(grad)/p.team.Workers()
		p.adam.Move(step, p.params, grad, first, end)
	})
	p.boundStd()
	return l, length, nil
}

// divergence is the error of an update in which a number is not finite.
type divergence struct {
	what  string
	value float64
	where string
}

func (d *divergence) Error() string {
	return fmt.Sprintf("%s is %g%s, want a finite number", d.what, d.value, d.where)
}

// diverged describes the divergence in a minibatch by the first sample, or sequence, that
// causes it alone, if there is one.
func (p *rolloutLearner) diverged(ctx context.Context, epoch int, minibatch []int32) error {
	where := fmt.Sprintf(" in epoch %d", epoch+1)
	l, _, norm := p.gradient(ctx, minibatch)
	what, value := firstNotFinite(l, norm)
	for rest := minibatch; len(rest) > 0; {
		sample, n := rest[0], p.lengthFrom(rest[0])
		l, _, norm := p.gradient(ctx, rest[:n])
		if err := ctx.Err(); err != nil {
			return err
		}
		if one, v := firstNotFinite(l, norm); one != "" {
			step := p.controlSteps - int64(p.settings.RolloutSteps) + int64(int(sample)/p.shape.Worlds)
			steps := fmt.Sprintf("at control step %d", step)
			if n > 1 {
				steps = fmt.Sprintf("in the control steps %d to %d", step, step+int64(n)-1)
			}
			what, value = one, v
			where = fmt.Sprintf(" for world %d %s%s", int(sample)%p.shape.Worlds, steps, where)
			break
		}
		rest = rest[n:]
	}
	return &divergence{what, value, where}
}

func notFinite[V float32 | float64](v V) bool { return v-v != 0 }

// firstNotFinite names the first part of the loss, or else the gradient, that is not finite; "" if all are.
func firstNotFinite(l losses, norm float64) (what string, value float64) {
	for _, part := range []struct {
		name  string
		value float64
	}{
		{"the policy's loss", l.policy}, {"the value network's loss", l.value},
		{"the divergence from the acting policy", l.kl},
		{"the entropy", l.entropy}, {"the mirror loss", l.asymmetry}, {"the gradient's length", norm},
	} {
		if notFinite(part.value) {
			return part.name, part.value
		}
	}
	return "", 0
}

// report fills in what m says of an update from sums over n samples.
func (p *rolloutLearner) report(m *Metrics, sum losses, n float64) {
	m.PolicyLoss, m.ValueLoss = sum.policy/n, sum.value/n
	m.ApproxKL, m.ClipFraction = sum.kl/n, sum.clipped/n
	m.LearningRate = p.learningRate
	m.Asymmetry = math.NaN()
	if p.mirror != nil {
		m.Asymmetry = sum.asymmetry / n
	}
	switch {
	case p.shape.Choices > 0:
		m.Entropy, m.Std = sum.entropy/n, math.NaN()
	case p.policy.actions.StateDependent:
		m.Entropy, m.Std = sum.entropy/n, sum.std/n
	default:
		for _, v := range p.policy.logStd() {
			m.Entropy += float64(v) + nn.HalfLog2Pi + 0.5
			m.Std += math.Exp(float64(v)) / float64(p.acts())
		}
	}
}

// scaleRewards divides the rollout's rewards by the running standard deviation of
// the discounted return, this rollout included.
func (p *rolloutLearner) scaleRewards() {
	seg, worlds := &p.rollout, p.shape.Worlds
	for i, r := range seg.reward {
		sum := &p.discounted[i%worlds]
		*sum = float64(*sum*p.settings.Gamma) + r
		p.returns.Add(p.discounted[i%worlds : i%worlds+1])
		if seg.end[i] != goesOn {
			*sum = 0
		}
	}
	scale := p.returns.InverseStd(0)
	for i, r := range seg.reward {
		seg.reward[i] = min(max(scale*r, -rewardLimit), rewardLimit)
	}
}

// rewardLimit bounds a scaled reward.
const rewardLimit = 10

// Bounds and factor of the adaptive learning rate.
const (
	adaptFactor     = 1.5
	minLearningRate = 1e-5
	maxLearningRate = 1e-2
)

// adaptLearningRate keeps the divergence that the steps so far have caused near Settings.TargetKL.
func (p *rolloutLearner) adaptLearningRate(kl float64) {
	switch {
	case kl > 2*p.settings.TargetKL:
		p.learningRate = max(minLearningRate, p.learningRate/adaptFactor)
	case kl < p.settings.TargetKL/2:
		p.learningRate = min(maxLearningRate, p.learningRate*adaptFactor)
	}
}

// gradient computes the loss's derivative by each parameter over a minibatch of whole
// sequences, its length, and sums of the parts of the loss. The gradient is valid until the
// next call; it is not to be used where ctx was cancelled meanwhile.
func (p *rolloutLearner) gradient(ctx context.Context, minibatch []int32) (sum losses, grad []float32, length float64) {
	n := len(p.cut(minibatch))
	p.chunkGradients(ctx, minibatch, n)
	for _, c := range p.chunks[:n] {
		sum.add(c.losses)
		sum.value += c.valueLoss
	}
	p.blocks(func(block, first, end int) {
		nn.SumTree(p.grads[first:], len(p.params), n, end-first)
		p.squares[block] = nn.Squares(p.grads[first:end])
	})
	squared := 0.0
	for _, v := range p.squares {
		squared += v
	}
	return sum, p.grads[:len(p.params)], math.Sqrt(squared)
}

// chunkGradients computes the gradients of the n chunks of a minibatch, which was cut.
func (p *rolloutLearner) chunkGradients(ctx context.Context, minibatch []int32, n int) {
	mean, scale, ends := 0.0, 1.0, p.ends
	if p.settings.NormaliseAdvantages {
		mean, scale = p.advantageSpread(minibatch)
	}
	p.setStd()

	// Policy and value network share nothing, so each chunk is two tasks. Those of the policy come first, as its
	// parameters do, so that a worker has the gradients that it is to add in its cache.
	p.team.Do(2*n, func(worker, task int) {
		if ctx.Err() != nil {
			return
		}
		i, first := task%n, 0
		if i > 0 {
			first = ends[i-1]
		}
		c, l, grad := &p.chunks[i], &p.learners[worker], nn.RowOf(p.grads, len(p.params), i)
		part, b := p.arrange(&l.arrangement, minibatch[first:ends[i]])
		if task < n {
			p.gather(l.policy.Input(), p.shape.Policy, part)
			p.gatherStates(l.policy, p.rollout.initial.policy, part, b, 0, 1)
			c.losses = p.policyGradient(grad, l, part, b, mean, scale, len(minibatch))
		} else {
			p.gather(l.value.Input(), p.shape.Critic, part)
			p.gatherStates(l.value, p.rollout.initial.value, part, b, 0, 1)
			c.valueLoss = p.valueGradient(grad[len(p.policy.params):], l, part, b, len(minibatch))
		}
	})
}

// gather copies columns of the observations of samples to the rows of dst.
func (p *rolloutLearner) gather(dst []float32, columns ColumnRange, samples []int32) {
	nn.GatherRows(dst, p.rollout.observation, p.shape.Observation, columns, samples)
}

// advantageSpread returns the mean and the inverse standard deviation of a minibatch's advantages.
func (p *rolloutLearner) advantageSpread(minibatch []int32) (mean, scale float64) {
	if len(minibatch) < 2 {
		return 0, 1
	}
	for _, sample := range minibatch {
		mean += float64(p.rollout.advantage[sample])
	}
	mean /= float64(len(minibatch))
	squares := 0.0
	for _, sample := range minibatch {
		d := float64(p.rollout.advantage[sample]) - mean
		squares += float64(d * d)
	}
	return mean, 1 / (math.Sqrt(squares/float64(len(minibatch)-1)) + 1e-8)
}

// policyGradient writes over grad, by the policy's parameters, what a part of a minibatch of size samples
// contributes, in the order of b; what it reads of them is in l. Advantages are shifted by mean and scaled. It
// returns sums over the part: the clipped surrogate, negated, the approximate divergence from the acting policy, the
// samples outside the clip range, and what belongs to the distributions.
func (p *rolloutLearner) policyGradient(grad []float32, l *learner, part []int32, b nn.Batch, mean, scale float64,
	size int) (sum losses) {
	seg, net, actions, params := &p.rollout, p.policy.net, &p.policy.actions, p.policy.params
	if p.mirror != nil {
		b = p.reflect(l, part, b)
	}
	net.Forward(params, l.policy, b)
	clear(l.logStdGrad)
	logProb, outputs := l.logProb[:len(part)], l.policy.Output()
	stride, _ := p.rowsOf(1, len(part))
	sameStd := len(l.logStdGrad) > 0
	if sameStd {
		first := &l.scores[0]
		first.Spread(p.std, p.policy.logStd())
		nn.GaussianScore(logProb, l.z, seg.action, outputs, stride, part, first)
		sum.entropy, sum.std = float64(len(part))*first.Entropy, float64(len(part))*first.Std
	} else {
		for i, sample := range part {
			s, row := &l.scores[i], i*stride
			actions.Score(nn.RowOf(seg.action, actions.Action, int(sample)), nn.RowOf(outputs, net.Outputs(), row), s)
			logProb[i] = s.LogProb
			sum.entropy += s.Entropy
			sum.std += s.Std
		}
	}
	slopes := logProb
	sum.add(p.policyLoss(&p.settings, seg, slopes, part, mean, scale, size))
	if sameStd {
		nn.GaussianSlope(l.policy.OutputDelta(), stride, l.logStdGrad, l.z, slopes, &l.scores[0])
	} else {
		for i, slope := range slopes {
			row := i * stride
			actions.Derive(nn.RowOf(l.policy.OutputDelta(), net.Outputs(), row), nn.RowOf(outputs, net.Outputs(), row),
				&l.scores[i], slope, -p.settings.Entropy/float64(size))
		}
	}
	if p.mirror != nil {
		for i := range part {
			own, image := p.rowsOf(i, len(part))
			outputRow := func(matrix []float32, row int) []float32 { return nn.RowOf(matrix, net.Outputs(), row) }
			sum.asymmetry += p.mirror.derive(outputRow(l.policy.OutputDelta(), own),
				outputRow(l.policy.OutputDelta(), image),
				outputRow(outputs, own), outputRow(outputs, image), p.mirror.weight/float64(size))
		}
	}
	net.Backward(params, grad, l.policy, b)

	// the entropy's derivative by each of these logStd is 1; this is the part's share of it
	share := p.settings.Entropy * float64(len(part)) / float64(size)
	for i, g := range l.logStdGrad {
		grad[net.Parameters()+i] = float32(g - share)
	}
	return sum
}

// valueGradient does the same for the value network and returns the sum of half the squared errors.
func (p *rolloutLearner) valueGradient(grad []float32, l *learner, part []int32, b nn.Batch, size int) (loss float64) {
	seg, clip := &p.rollout, math.Inf(1)
	if p.settings.ClipValue {
		clip = p.settings.Clip
	}
	p.value.Forward(p.valueParams(), l.value, b)
	loss = valueLoss(l.value.OutputDelta(), l.value.Output(), seg.value, seg.target, part, clip,
		p.settings.ValueWeight, size)
	p.value.Backward(p.valueParams(), grad, l.value, b)
	return loss
}

// explainedVariance is 1 - Var(target-value)/Var(target): 1 if the values were
// right, 0 if a constant would have done as well. It is NaN for constant targets.
func explainedVariance(value, target []float32) float64 {
	targets, rests := nn.NewMoments(1), nn.NewMoments(1)
	for i, t := range target {
		targets.Add([]float64{float64(t)})
		rests.Add([]float64{float64(t) - float64(value[i])})
	}
	if targets.M2[0] == 0 {
		return math.NaN()
	}
	return 1 - rests.M2[0]/targets.M2[0]
}
