package rl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// One iteration of PPO:
//
//	collect      every block, on any worker: observe, draw an action, step,
//	             for Settings.RolloutSteps control steps                   collector.go
//	addRollouts  running moments take in the rollout's observations, world this file
//	             by world
//	update       scale rewards, by the deviation of the discounted return
//	             advantages: generalised advantage estimation, backwards
//	             in time
//	             improve: for each epoch: shuffle; for each minibatch:     rollout_learner.go
//	             gradient of -min(ρA, clip(ρ)A) + ValueWeight·½(V-target)²
//	             - Entropy·H, clipped, one step of Adam                    nn/adam.go
//
// Details and their sources:
//
// "37" is Huang et al., "The 37 Implementation Details of Proximal Policy Optimization", ICLR Blog Track 2022: c for
// its core, a for its continuous-action and l for its LSTM list. The gradients of every activation, distribution,
// part of the loss and of the GRU are tested against finite differences of a reference in double precision.
//
//	 1  many worlds, rollouts of fixed length, episodes run on: 37 c1
//	 2  orthogonal weights (√2, policy output 0.01, value 1), zero biases: 37 c2
//	 3  Adam with ε = 1e-5: 37 c3
//	 4  learning rate falls linearly to 0 (Schedule Linear): 37 c4
//	 5  advantages by GAE(λ); target = A + V: 37 c5; Schulman et al. 2016
//	 6  shuffled minibatches without replacement: 37 c6
//	 7  advantages standardised per minibatch: 37 c7
//	 8  clipped ratio: 37 c8; PPO eq. 7
//	 9  value clipped around its old value (ClipValue): 37 c9
//	10  one loss of three terms: 37 c10; PPO eq. 9
//	11  gradient clipped to MaxGradNorm over all parameters: 37 c11
//	12  approximate KL (ρ-1) - ln ρ, clip fraction, explained variance: 37 c12; Schulman, "Approximating KL
//	    Divergence", 2020
//	13  Gaussian actions, state-independent log standard deviation, independent components: 37 a1, a2, a3
//	14  separate networks for policy and value, of sizes of their own (PolicyHidden, CriticHidden): 37 c13, a4;
//	    tanh, ELU (Clevert et al. 2016) or ReLU (Nair and Hinton 2010), all begin as in 2
//	15  the environment gets the action clipped to its bounds, the learner keeps it as drawn: 37 a5
//	16  observations standardised by running moments, then clipped to ±10: 37 a6, a7; here the moments are frozen
//	    during a rollout, so that workers may be of any speed, and a first rollout only fills them
//	17  rewards divided by the running deviation of the discounted return, then clipped to ±10: 37 a8, a9; here a
//	    whole rollout by the deviation that includes it
//	18  a truncated episode is continued by the value of its final observation, a terminated one is not: Pardo et
//	    al., "Time Limits in Reinforcement Learning", 2018
//	19  a fault ends an episode without a value of what follows, and the faulted step earns 0: ours
//	20  stop the update after an epoch whose mean KL is above 1.5·TargetKL: OpenAI, Spinning Up, 2018
//	21  learning rate ÷1.5 above 2·TargetKL, ×1.5 below half of it, within 1e-5 and 1e-2, after each minibatch
//	    (Schedule Adaptive; here by detail 12's estimate): Rudin et al., "Learning to Walk in Minutes Using
//	    Massively Parallel Deep RL", 2021
//	22  one of several choices: logits of a categorical distribution, its entropy in the loss: 37 c1 to c13;
//	    Bridle, "Training Stochastic Model Recognition Algorithms", 1990
//	23  the value network may see what the policy does not (Shape.Policy, Shape.Critic); one standardiser for all:
//	    Pinto et al., "Asymmetric Actor Critic for Image-Based Robot Learning", 2018
//	24  standard deviations held within [MinStd, MaxStd]: those that are parameters after each step of Adam, ours;
//	    those of StateStd in the network's output, whose derivative is then 0: the code of Haarnoja et al., "Soft
//	    Actor-Critic", 2018
//	25  standard deviations from the network (StateStd), its last biases begin at InitialStd: Haarnoja et al. 2018;
//	    the beginning as in detail 13
//	26  first episodes of random length (stagger_episodes of a configuration), so that time limits do not come at
//	    once: Rudin et al. 2021, its code
//	27  mirror loss: Weight·|μ(s) - M(μ(M s))|² (Symmetry); M acts on the task's own units, whatever the
//	    standardiser: Yu, Turk and Liu, "Learning Symmetric and Low-Energy Locomotion", 2018
//	28  an update in which a loss, a gradient or a parameter is not finite begins again from the networks before it,
//	    with a quarter of the learning rate, five times at most: ours
//	29  a GRU before the hidden layers of policy and value network (Recurrent), each its own; orthogonal weights,
//	    zero biases, state zero at first and where an episode begins: Cho et al. 2014, in PyTorch's form; the place:
//	    RSL-RL, SB3-contrib's RecurrentPPO and Sample Factory; 37 l1, l2, l3
//	30  minibatches of whole sequences of one world (Sequence), the gradient passing back through a sequence but not
//	    through an episode's beginning: 37 l4, Sample Factory (a recurrence of 32 steps); no padding: the shorter
//	    sequences come last
//	31  a sequence begins with the state kept when acting, not computed anew in each epoch: Kapturowski et al.,
//	    "Recurrent Experience Replay in Distributed RL", 2019
//	32  the final observation of a truncated episode is valued in its last state, what follows the rollout in the
//	    current one: 18, with memory
//	33  with a symmetry, the mirror images are an episode of their own: the policy's state for them is kept beside
//	    the other: 27, with memory
//	34  convolutions before the rest of policy and value network (Convolutions), each its own, where they read
//	    pictures; an activation after each; they begin as in 2: the networks of Mnih et al., "Human-level control
//	    through deep reinforcement learning", 2015; 37, its Atari list, shares them between both networks
//	35  a channel of a picture is standardised by one mean and one deviation, over pixels and time: ours; 37 divides
//	    bytes by 255
//	36  what a teacher would have done in place of advantages (AlgorithmDistill): the student acts, the loss is -ln π of
//	    the teacher's action: Ross, Gordon and Bagnell, "A Reduction of Imitation Learning and Structured Prediction to
//	    No-Regret Online Learning", 2011, without its mixture of both policies and with the newest rollout alone
//	38  chunks of actions (ChunkSize): the policy's outputs are those of several control steps, learned from each row:
//	    Zhao et al., "Learning Fine-Grained Bimanual Manipulation with Low-Cost Hardware", 2023, without its mean of
//	    the chunks that overlap; after an episode's end its last action is repeated: Chi et al., "Diffusion Policy:
//	    Visuomotor Policy Learning via Action Diffusion", 2023

// PPO learns a policy for an environment by proximal policy optimisation. Not safe for concurrent use; inside, it works
// on Shape.Workers goroutines.
type PPO struct{ *rolloutLearner }

// New prepares learning from scratch in worlds of this process. Two learners with the same environment, settings and
// seed do the same, bit for bit, whatever their number of workers and the size of blocks.
func New(env Env, settings Settings, seed uint64) (*PPO, error) {
	p, err := newPPO(env.Shape(), settings, seed, collecting(env, nil))
	if err != nil {
		return nil, err
	}
	p.initialise()
	return p, nil
}

// ppo defines the algorithm.
func ppo() algorithm {
	return algorithm{name: AlgorithmPPO, check: checkRollouts, parameters: rolloutParameters,
		worlds: func(w Worlds, s Settings, seed uint64) (trainable, error) {
			return newPPO(w.Shape(), s, seed, collecting(w.Env, nil))
		},
		parts: func(p Parts, s Settings, seed uint64) (trainable, error) {
			return newPPO(p.Of, s, seed, elsewhere(p.Collect).open)
		},
	}
}

// newPPO leaves the parameters zero.
func newPPO(shape Shape, settings Settings, seed uint64, open func(agent) (rollouts, error)) (*PPO, error) {
	p, err := newRolloutLearner(shape, settings, AlgorithmPPO, seed, clippedLoss, open)
	return &PPO{p}, err
}

// clippedLoss is the [policyLoss] of PPO: the clipped surrogate, negated.
func clippedLoss(s *Settings, r *rollout, slopes []float64, samples []int32, mean, scale float64,
	size int) (sum losses) {
	surrogate(slopes, r.logProb, r.advantage, samples, mean, scale, s.Clip, size, &sum)
	return sum
}

// Iterate implements [Learner]. With Settings.NormaliseObservations the very first call collects another rollout
// before, only to see how observations are spread; it counts in EnvSteps, not in the other metrics.
func (p *rolloutLearner) Iterate(ctx context.Context) (Metrics, error) {
	copy(p.before.params, p.params)
	p.before.set(&p.knowledge)
	m, err := p.iterate(ctx)
	if err != nil {
		copy(p.params, p.before.params)
		p.set(&p.before.knowledge)
		p.standardise()
	}
	return m, err
}

func (p *rolloutLearner) iterate(ctx context.Context) (Metrics, error) {
	for {
		o := p.giveWeights()
		parts, err := p.rollouts.gather(ctx, o)
		if err != nil {
			return Metrics{}, err
		}
		if err := p.addRollouts(parts); err != nil {
			return Metrics{}, err
		}
		if !o.look {
			break
		}
	}
	p.iteration++
	m := Metrics{Iteration: p.iteration, EnvSteps: p.envSteps}
	p.episodes.report(&m)
	if err := p.update(ctx, &m); err != nil {
		return Metrics{}, err
	}
	return m, nil
}

// addRollouts takes the parts of a rollout: their samples, and, world by world in the order of the worlds, their
// observations into the running moments and their episodes. After an error the learner is as it was.
func (p *rolloutLearner) addRollouts(parts []*RolloutPart) error {
	parts = slices.SortedFunc(slices.Values(parts), func(a, b *RolloutPart) int {
		return cmp.Compare(a.First, b.First)
	})
	if err := p.checkParts(parts); err != nil {
		return err
	}
	defer p.openTeam()()
	p.controlSteps += int64(p.settings.RolloutSteps)
	p.envSteps += int64(len(p.order))
	p.episodes = episodeStats{}
	for _, part := range parts {
		p.states.rows(&p.agent, part.First, part.Worlds).set(part.after)
		for _, finished := range part.finished {
			p.episodes.merge(finished)
		}
	}
	if p.settings.NormaliseObservations {
		p.observe(parts)
		p.standardise()
	}
	if len(parts) == 1 {
		p.rollout.samples = parts[0].samples
		return nil
	}
	if p.whole.reward == nil {
		p.whole = p.newSamples()
	}
	p.team.Do(p.settings.RolloutSteps, func(_, step int) {
		for _, part := range parts {
			p.whole.place(&p.agent, part, step)
		}
	})
	p.rollout.samples = p.whole
	return nil
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

// advantages is generalised advantage estimation (Schulman et al., "High- Dimensional Continuous Control Using
// Generalized Advantage Estimation", 2016) over a rollout of worlds side by side:
//
//	δ(t) = r(t) + γ·V(next) - V(t)
//	A(t) = δ(t) + γλ·A(t+1), where the sum stops at the end of an episode
//
// V(next) is the value of the observation after step t: value(t+1), last after the rollout's end, final(t) where the
// episode was cut off, and 0 where it stopped. target is A(t) + V(t). All but last are steps × worlds, row-major;
// last has one value per world.
func advantages(advantage, target []float32, reward []float64, value, final []float32, end []ending,
	last []float32, gamma, lambda float64) {
	worlds := len(last)
	for w := range worlds {
		next, sum := float64(last[w]), 0.0
		for i := len(value) - worlds + w; i >= 0; i -= worlds {
			switch end[i] {
			case stopped:
				next, sum = 0, 0
			case cutOff:
				next, sum = float64(final[i]), 0
			}
			v := float64(value[i])
			delta := reward[i] + float64(gamma*next) - v
			sum = delta + float64(gamma*lambda*sum)
			advantage[i] = float32(sum)
			target[i] = float32(sum + v)
			next = v
		}
	}
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
