package rl

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// One iteration of SAC:
//
//	collect      every block, on any worker: observe, draw an action (at first     this file
//	             uniformly), step, for SACSettings.Segment control steps, into the
//	             replay                                                            replay.go
//	learn        UpdateRatio times for each environment step:                      replay_update.go
//	             draw transitions (s, a, r, s') uniformly from the replay
//	             critics: gradient of ½(Q(s,a) - y)², where a' is drawn from the policy and
//	             y = r + γ(min Q'(s',a') - α ln π(a'|s')), one step of Adam; each target Q'
//	             goes TargetRate of the way to its critic                          nn/critic.go
//	             policy: gradient of α ln π(a|s) - min Q(s,a), through a = tanh(μ + σz)
//	             temperature: gradient of -ln α (ln π(a|s) + TargetEntropy)
//
// Its details and their sources; numbers without a letter are those of ppo.go. "v1" is Haarnoja et al., "Soft
// Actor-Critic: Off-Policy Maximum Entropy Deep Reinforcement Learning with a Stochastic Actor", ICML 2018, "v2", which
// this follows, "Soft Actor-Critic Algorithms and Applications", 2018, and SB3 the code of Raffin et al.,
// "Stable-Baselines3", JMLR 2021. The gradients are tested against finite differences of these
// losses in double precision, the replay against an oracle that keeps whole histories.
//
//	S1  two critics, each with a target; the least of the targets in y, the least of the critics in the policy's loss:
//	    v2 algorithm 1; Fujimoto et al., "Addressing Function Approximation Error in Actor-Critic Methods", 2018
//	S2  squashed Gaussian, ln(1 - tanh²u) as 2(ln 2 - |u| - ln(1 + e^(-2|u|))): v1 appendix C; the deviation from the
//	    network, its logarithm within [-20, 2]: v1's code
//	S3  actions from -1 to 1 within their bounds, which must be finite; in evaluations tanh μ: v1's code
//	S4  learned temperature, by the gradient of -ln α (ln π + H) rather than of α: v2 section 5, in the form of v2's code
//	    and SB3; H = -(action values): v2 appendix D
//	S5  layers of 256 and ReLU, Adam of 3e-4 with ε = 1e-8, minibatches of 256, τ = 0.005, 10⁶ transitions: v2 appendix
//	    D; 10,000 uniform actions first: SB3's zoo; orthogonal weights as in 2: ours
//	S6  many worlds, a segment of each, then as many gradient steps as are due: Seo et al., "FastTD3", 2025, and
//	    FlashSAC; the number due is that of ⌊UpdateRatio × environment steps⌋, whatever the segments
//	S7  update ratio above 1, more critics, of which a few are drawn for each y, and their mean in the policy's loss
//	    (Critics, TargetCritics); one step of the policy for several of the critics (PolicyEvery): Chen et al.,
//	    "Randomized Ensembled Double Q-Learning", REDQ, 2021
//	S8  dropout and layer norm in the critics, dropout also where they are targets (Dropout, LayerNorm): Hiraoka et al.,
//	    "Dropout Q-Functions for Doubly Efficient Reinforcement Learning", DroQ, 2022; with dropout the mean of the critics
//	    in the policy's loss: their code; layer norm: Ba et al. 2016
//	S9  n-step returns (Steps), shorter at an episode's end and before the newest observation, with no correction and the
//	    entropy of the last action alone: Barth-Maron et al., "Distributed Distributional Deterministic Policy
//	    Gradients", 2018; FastTD3
//	S10 a truncated episode is continued by the value of its final observation, a terminated one is not, nor is one
//	    that a fault ended, whose last step earns 0: details 18 and 19
//	S11 the replay has observations as they were seen; they are standardised by the moments of now, clipped to ±10:
//	    FastTD3 and Lee et al., "SimBa", 2025. Without NormaliseObservations nothing is clipped
//	S12 the critics may see what the policy does not: detail 23
//	S13 a fixed temperature (FixedTemperature): v1, whose scale of rewards is its inverse; learning rates that fall
//	    linearly (Schedule): detail 4; the gradient of the critics and that of the policy clipped, each over its own
//	    parameters (MaxGradNorm): FastTD3's code
//	S14 a symmetry: 27, of μ before it is squashed
//	S15 critics of quantiles (Quantiles), whose mean is their value: Dabney et al., "Distributional Reinforcement Learning
//	    with Quantile Regression", 2018; of the target whose value is the least, all quantiles: FastTD3, which has
//	    categories in their place
//	S16 convolutions of the policy whose features the critics read, too (Convolutions); they learn from the critics' loss
//	    alone: Yarats et al., "Improving Sample Efficiency in Model-Free Reinforcement Learning from Images", SAC-AE, AAAI
//	    2021. No target of them, and in the policy's loss their features from before the critics' step: the code of Yarats
//	    et al., "Mastering Visual Continuous Control: Improved Data-Augmented Reinforcement Learning", DrQ-v2, ICLR 2022.
//	    Where the critics read no pictures, they learn from the policy's loss: detail 23
//	S17 pictures shifted at random, anew for each observation of each transition, their edge beyond it (RandomShift):
//	    Kostrikov et al., "Image Augmentation Is All You Need", DrQ, ICLR 2021, once and by whole pixels
//	S18 colours kept as bytes: Mnih et al. 2015; a channel is standardised as in 35 when it is read

// SAC learns a policy by soft actor-critic, see above. Not safe for concurrent use; inside, it works on
// Shape.Workers goroutines.
type SAC struct {
	*replayLearner
	env Env

	// Of the rollout that goes on.
	actors   []sacActor     // by worker
	moments  []nn.Moments   // by world, of what it showed
	finished []episodeStats // by world
}

// sac defines the algorithm.
func sac() algorithm {
	return algorithm{name: AlgorithmSAC, replays: true, sharesEncoder: true, parameters: replayParameters,
		check: func(shape Shape, settings Settings) (memory.Need, error) {
			return checkReplay(shape, settings, (*Settings).checkSAC)
		},
		worlds: func(w Worlds, s Settings, seed uint64) (trainable, error) { return newSAC(w.Env, s, seed) },
		filled: newFilledSAC,
	}
}

// memoryMB is the meaning of a Settings.MemoryMB of 0.
const memoryMB = 4096

func (s *Settings) memoryMB() int { return cmp.Or(s.MemoryMB, memoryMB) }

// checkSAC names the first thing that SAC cannot learn in worlds of this shape.
func (s *Settings) checkSAC(shape Shape, c *bounds.Check) {
	s.checkActions(shape, c)
	s.checkSeen(shape, c)
	if err := s.checkRandomSteps(0); err != nil {
		c.Fail("%w", err)
	}
	o := s.SAC.filled()
	each := int64(max(o.Steps, 2)) // of two rows, one may be the final observation of an episode that was cut off
	if least := int64(shape.Worlds) * each; o.Replay < least {
		c.Fail("sac.replay is %d, want at least %d, %d for each of %d worlds", o.Replay, least, each, shape.Worlds)
	}
	if bytes, most := replayBytes(s.seenIn(shape), o), int64(s.memoryMB())<<20; bytes > most {
		c.Fail("memory_mb is %d, want at least %d for a replay of %d transitions", s.memoryMB(), (bytes+1<<20-1)>>20,
			o.Replay)
	}
}

// checkRandomSteps returns an error if SAC would learn nothing after so many environment steps.
func (s *Settings) checkRandomSteps(envSteps int64) error {
	random := s.SAC.filled().RandomSteps
	if s.Algorithm != AlgorithmSAC || s.TotalSteps-envSteps >= random {
		return nil
	}
	if envSteps > 0 {
		return fmt.Errorf("steps is %d, want at least sac.random_steps, which is %d, more than the %d that the checkpoint "+
			"has taken: nothing is learnt before", s.TotalSteps, random, envSteps)
	}
	return fmt.Errorf("steps is %d, want at least sac.random_steps, which is %d: nothing is learnt before", s.TotalSteps,
		random)
}

// newSAC leaves the parameters zero.
func newSAC(env Env, settings Settings, seed uint64) (*SAC, error) {
	core, err := newReplayLearner(env.Shape(), settings, AlgorithmSAC, seed, settings.SAC.filled())
	if err != nil {
		return nil, err
	}
	s := &SAC{replayLearner: core, env: env, finished: make([]episodeStats, core.shape.Worlds)}
	s.rule, s.replay = s, newReplay(s.shape, s.choices)
	for range s.shape.Worlds {
		s.moments = append(s.moments, nn.NewMoments(s.shape.moments()))
	}
	for range s.shape.Workers {
		s.actors = append(s.actors, s.newActor())
	}
	return s, nil
}

// newFilledSAC makes a learner whose replay begins with what was recorded.
func newFilledSAC(w FilledWorlds, settings Settings, seed uint64) (trainable, error) {
	if err := someRows(w.Recorded); err != nil {
		return nil, err
	}
	s, err := newSAC(w.Env, settings, seed)
	if err != nil {
		return nil, err
	}
	return s, s.fill(w.Recorded)
}

// Memory implements [Learner].
func (s *SAC) Memory() Memory { return Memory{Replay: s.replay} }

// remember implements [trainable].
func (s *SAC) remember(m Memory) error {
	r := m.Replay
	if r == nil {
		return fmt.Errorf("no replay, want that of %d worlds", s.shape.Worlds)
	}
	if got, want := r.head(), s.replay.head(); string(got) != string(want) || r.rows != s.replay.rows {
		return fmt.Errorf("a replay of %d worlds with %d rows of %d and %d values, want %d with %d of %d and %d", r.worlds,
			r.rows, r.observation, r.action, s.replay.worlds, s.replay.rows, s.replay.observation, s.replay.action)
	}
	s.replay = r
	return nil
}

// collect implements [rule]: all worlds go on by a segment.
func (s *SAC) collect(ctx context.Context) (episodes episodeStats, err error) {
	clear(s.finished)
	for w := range s.moments {
		s.moments[w].Clear()
	}
	if err := s.env.Rollout(func(worker int, b Block) error { return s.collectBlock(ctx, worker, b) }); err != nil {
		return episodes, err
	}
	for w := range s.finished {
		episodes.merge(s.finished[w])
		s.observations.Merge(s.moments[w])
	}
	return episodes, nil
}

// sacActor is the working memory of one goroutine that collects.
type sacActor struct {
	policy   nn.Work   // of one panel
	standard []float32 // standardised observations of a block
	draw     nn.Draw
}

func (s *SAC) newActor() sacActor {
	return sacActor{
		policy:   s.policy.net.NewWork(PanelHeight, PanelHeight, false),
		standard: make([]float32, PanelHeight*s.shape.Observation),
		draw:     s.policy.actions.NewDraw(),
	}
}

// collectBlock drives one block through a rollout into the replay, or until ctx is cancelled. The policy does not change
// meanwhile.
func (s *SAC) collectBlock(ctx context.Context, worker int, b Block) error {
	a, first := &s.actors[worker], b.First()-s.shape.First
	if b.Len() > s.shape.BlockSize || first < 0 || first+b.Len() > s.shape.Worlds {
		return fmt.Errorf("rl: block %d holds worlds %d to %d, want at most %d of the worlds %d to %d", b.Index(), b.First(),
			b.First()+b.Len()-1, s.shape.BlockSize, s.shape.First, s.shape.First+s.shape.Worlds-1)
	}
	for t := range s.choices.Segment {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := s.controlSteps + int64(t)
		if err := s.observe(a, b, step); err != nil {
			return err
		}
		s.act(a, b, step)
		if err := b.Step(); err != nil {
			return err
		}
		if err := s.recordOutcome(b, step); err != nil {
			return err
		}
	}
	for i := range b.Len() { // what follows
		s.replay.observe(first+i, nn.RowOf(b.Observations(), s.shape.Observation, i))
	}
	return nil
}

// observe adds what a block shows to the replay and the moments, and standardises it.
func (s *SAC) observe(a *sacActor, b Block, step int64) error {
	size, first := s.shape.Observation, b.First()-s.shape.First
	standard := a.standard[:b.Len()*size]
	if err := standardiseRows(s.policy.standardise, standard, b.Observations(), b.First()); err != nil {
		return fmt.Errorf("%w, at control step %d", err, step)
	}
	for i := range b.Len() {
		row := nn.RowOf(b.Observations(), size, i)
		s.replay.observe(first+i, row)
		if s.settings.NormaliseObservations {
			s.moments[first+i].AddObserved(row, s.shape.Pictures)
		}
	}
	return nil
}

// act draws the actions of a control step: uniformly at first, then from the policy.
func (s *SAC) act(a *sacActor, b Block, step int64) {
	first, actions := b.First(), &s.policy.actions
	random := step*int64(s.shape.Worlds) < s.choices.RandomSteps
	if !random {
		s.policy.net.Load(a.policy, a.standard[:b.Len()*s.shape.Observation], s.shape.Observation, s.shape.Policy, first)
		s.policy.net.Forward(s.policy.params, a.policy, nn.OnePanel)
	}
	for i := range b.Len() {
		action := s.replay.act(first - s.shape.First + i)
		a.draw.Noise.Key(s.seed, nn.DrawAction, int64(first+i), step)
		if random {
			for k := range action {
				action[k] = float32(2*a.draw.Noise.Float64() - 1)
			}
		} else {
			actions.Draw(action, nn.RowOf(a.policy.Output(), actions.Outputs(), nn.PanelRow(first+i)), nil, nil, &a.draw)
			for k, v := range action {
				action[k] = float32(math.Tanh(float64(v)))
			}
		}
		s.policy.bound(nn.RowOf(b.Actions(), s.shape.Action, i), action)
	}
}

// recordOutcome records the rewards of the step just taken, and how it ended.
func (s *SAC) recordOutcome(b Block, step int64) error {
	size, first := s.shape.Observation, b.First()-s.shape.First
	reward, terminated, truncated, fault := b.Rewards(), b.Terminations(), b.Truncations(), b.Faults()
	for i := range b.Len() {
		r, end := reward[i], endingOf(terminated[i], truncated[i], fault[i])
		if fault[i] {
			r = 0
		}
		if !nn.Usable(r) {
			return fmt.Errorf("rl: world %d was rewarded %g at control step %d, want a number of at most %g in size",
				b.First()+i, r, step, nn.MaxValue)
		}
		var final []float64
		if end == cutOff {
			final = nn.RowOf(b.FinalObservations(), size, i)
			for k, v := range final {
				if !nn.Usable(v) {
					return fmt.Errorf("rl: world %d observed %g as value %d, want a number of at most %g in size", b.First()+i, v,
						k, nn.MaxValue)
				}
			}
		}
		s.replay.complete(first+i, r, end, final)
		if end != goesOn {
			s.finished[first+i].add(b.EpisodeReturns()[i], b.EpisodeLengths()[i], fault[i])
		}
	}
	return nil
}

// learnsNow implements [rule]. Each world adds a transition in a control step.
func (s *SAC) learnsNow() bool {
	return (s.controlSteps-s.filledFrom)*int64(s.shape.Worlds) >= s.choices.RandomSteps
}

// criticTargets implements [rule].
func (s *SAC) criticTargets() []float32 { return s.targets }

// nextActions implements [rule]: the policy's actions on what follows, drawn, and their log probabilities.
func (s *SAC) nextActions(w *replayWorker, t transitions) {
	s.replay.read(w.policy.Input(), s.shape.Policy.Size, t.next, &s.lens, &s.ofPolicy, t.nextShift)
	s.policy.net.Forward(s.policy.params, w.policy, nn.Batch{Rows: len(t.next)})
	s.draw(w, len(t.next))
}

// draw draws actions from the policy's first n outputs.
func (s *SAC) draw(w *replayWorker, n int) {
	size := s.shape.Action
	for i := range n {
		output := nn.RowOf(w.policy.Output(), 2*size, i)
		z, std := nn.RowOf(w.z, size, i), nn.RowOf(w.std, size, i)
		w.logProb[i] = s.policy.actions.DrawSquashed(nn.RowOf(w.action, size, i), z, std, output, w.noise)
	}
}

// policyGradients implements [rule].
func (s *SAC) policyGradients(each func(func(w *replayWorker, chunk int, t transitions)), temperature float64) {
	each(func(w *replayWorker, chunk int, t transitions) { s.policyGradient(w, chunk, t, temperature) })
}

// policyGradient writes to the chunk's row of grads the derivatives, by the policy's parameters, of the mean over the
// minibatch of α ln π(a|s) - Q(s, a), where a = tanh(μ + σz) and Q is the least value of all critics or, where the
// target takes fewer of them or they drop outputs, their mean. With a symmetry the mean has also its weight times the
// squared distance of μ from the mirror image of the μ of the mirrored observation.
func (s *SAC) policyGradient(w *replayWorker, chunk int, t transitions, temperature float64) {
	n, c := len(t.now), &s.chunks[chunk]
	b := s.policyForward(w, chunk, t)
	s.draw(w, n)
	s.valueActions(w, t)
	for j := range n {
		c.policyLoss += float64(temperature*w.logProb[j]) - s.value(w, j)
		c.logProb += w.logProb[j]
	}
	s.actionSlopes(w, n)
	share := 1 / float64(s.choices.Minibatch)
	for j := range n {
		s.outputSlopes(w, c, j, temperature, share)
		if s.mirror != nil {
			s.mirrorSlopes(w, j, n, share)
		}
	}
	s.policyBackward(w, chunk, b)
}

// policyForward computes the outputs for what is observed now and, after them, for its mirror images. Where the critics
// read pictures, it follows criticGradient of the chunk, and what the policy's convolutions give is a constant.
func (s *SAC) policyForward(w *replayWorker, chunk int, t transitions) nn.Batch {
	n, columns, b := len(t.now), s.shape.Policy.Size, nn.Batch{Rows: len(t.now)}
	if s.seen > 0 {
		features := s.policy.net.Encoder.Features()
		s.replay.read(w.policy.Features, features, t.now, &s.lens, &s.ofPolicyRest, nil)
		for i := range n {
			copy(nn.RowOf(w.policy.Features, features, i), nn.RowOf(s.featuresOf(chunk), s.seen, i))
		}
		_, _, layers := s.policy.net.Split(s.policy.params)
		s.policy.net.MLP.Forward(layers, w.policy.Activations, n)
		return b
	}
	s.replay.read(w.policy.Input(), columns, t.now, &s.lens, &s.ofPolicy, t.nowShift)
	if s.mirror != nil {
		b.Rows = 2 * n
		s.mirror.reflect(w.policy.Input()[n*columns:b.Rows*columns], w.policy.Input()[:n*columns])
	}
	s.policy.net.Forward(s.policy.params, w.policy, b)
	return b
}

// policyBackward follows policyForward: it writes the derivatives by the policy's parameters.
func (s *SAC) policyBackward(w *replayWorker, chunk int, b nn.Batch) {
	grad := nn.RowOf(s.grads, len(s.params), chunk)
	if s.seen > 0 {
		_, _, layers := s.policy.net.Split(s.policy.params)
		_, _, layersGrad := s.policy.net.Split(grad)
		s.policy.net.MLP.Backward(0, layers, layersGrad, nil, w.policy.Activations, b.Rows)
		return
	}
	s.policy.net.Backward(s.policy.params, grad, w.policy, b)
}

// valueActions has all critics value the actions that were drawn.
func (s *SAC) valueActions(w *replayWorker, t transitions) {
	n := len(t.now)
	for k, pass := range w.critics {
		if k == 0 {
			s.load(pass, t.now, w.action, w.policy.Features)
		} else {
			copy(pass.Input(), w.critics[0].Input()[:n*s.critic.Sizes[0]])
		}
		s.critic.DrawDropout(pass, n, w.noise)
		s.critic.Forward(s.criticParams(s.params, k), pass, n)
	}
}

// value returns Q of row j, and writes its derivatives by the outputs of the critics.
func (s *SAC) value(w *replayWorker, j int) float64 {
	mean := s.choices.TargetCritics < s.choices.Critics || s.choices.Dropout > 0
	least, value, sum := 0, 0.0, 0.0
	for k, pass := range w.critics {
		_, v := s.critic.Values(pass, j)
		sum += v
		if k == 0 || v < value {
			least, value = k, v
		}
	}
	outputs := s.critic.Outputs()
	for k, pass := range w.critics {
		part := float32(0)
		if mean {
			part = 1 / float32(len(w.critics))
		} else if k == least {
			part = 1
		}
		for q := range outputs {
			pass.OutputDelta()[j*outputs+q] = part / float32(outputs)
		}
	}
	if mean {
		return sum / float64(len(w.critics))
	}
	return value
}

// actionSlopes writes the derivatives of Q by the actions of n rows to w.sum.
func (s *SAC) actionSlopes(w *replayWorker, n int) {
	size := s.shape.Action
	clear(w.sum[:n*size])
	for k, pass := range w.critics {
		s.critic.ActionSlope(w.slopes[:n*size], s.criticParams(s.params, k), pass, n)
		nn.AddRows(w.sum[:n*size], w.slopes[:n*size])
	}
}

// outputSlopes writes share of the derivatives of α ln π - Q by the policy's outputs of row j, and adds the mean standard
// deviation to c.
func (s *SAC) outputSlopes(w *replayWorker, c *replayChunk, j int, temperature, share float64) {
	size, actions := s.shape.Action, &s.policy.actions
	output, delta := nn.RowOf(w.policy.Output(), 2*size, j), nn.RowOf(w.policy.OutputDelta(), 2*size, j)
	for i := range size {
		index := j*size + i
		a, shift := float64(w.action[index]), float64(w.std[index]*w.z[index])
		// ln π has the derivatives 2a by u, and -1 by ln σ beside those through u = μ + σz.
		byU := float64(2*temperature*a) - float64(float64(w.sum[index])*(1-float64(a*a)))
		delta[i] = float32(byU * share)
		delta[size+i] = float32((float64(byU*shift) - temperature) * share)
		if v := float64(output[size+i]); v < actions.Low || v > actions.High { // it is held there
			delta[size+i] = 0
		}
		c.std += w.std[index] / float64(size)
	}
}

// mirrorSlopes adds those of the mirror loss of row j of n, and writes those by the outputs of its image.
func (s *SAC) mirrorSlopes(w *replayWorker, j, n int, share float64) {
	row := func(matrix []float32, i int) []float32 { return nn.RowOf(matrix, 2*s.shape.Action, i) }
	s.mirror.derive(row(w.policy.OutputDelta(), j), row(w.policy.OutputDelta(), n+j), row(w.policy.Output(), j),
		row(w.policy.Output(), n+j), s.mirror.weight*share)
}

// afterPolicy implements [rule]: the temperature takes a step, too, unless it is fixed. It grows where the policy's
// entropy is below the target.
func (s *SAC) afterPolicy(step nn.AdamStep) {
	if s.choices.FixedTemperature {
		return
	}
	logProb := 0.0
	for i := range s.chunks {
		logProb += s.chunks[i].logProb
	}
	last := len(s.params) - 1
	s.grads[last] = float32(-(logProb/float64(s.choices.Minibatch) + s.choices.targetEntropy(s.shape.Action)))
	s.adam.Move(step, s.params, s.grads, last, last+1)
}

// report implements [rule].
func (s *SAC) report(m *Metrics, sum *replayChunk, n float64) {
	m.Temperature, m.Entropy, m.Std = s.temperature(), -sum.logProb/n, sum.std/n
}
