package rl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Its details and their sources: Fujimoto and Gu, "A Minimalist Approach to Offline Reinforcement Learning", NeurIPS
// 2021; TD3 is Fujimoto et al., "Addressing Function Approximation Error in Actor-Critic Methods", 2018.
// What it has in common with SAC is in replay_learner.go and replay_update.go.
//
//	T1  a deterministic policy, tanh of its outputs, which has a target, too; noise of 0.2, clipped at 0.5, on what the
//	    target does; targets follow when the policy takes a step, every second of the critics': TD3
//	T2  the policy's loss is (π(s) - a)² - λ Q(s, π(s)) with λ = α / mean |Q| over the minibatch, Q the first critic,
//	    α = 2.5: the paper's section 4
//	T3  observations are standardised by all rows': the paper's; clipped to ±10: detail 16 of ppo.go
//	T4  two layers of 256, ReLU, Adam of 3e-4, minibatches of 256, τ = 0.005: the paper's; orthogonal weights: ours
//	T5  a row whose successor is not known is no transition: ours

// TD3BC learns a policy by TD3+BC from what was recorded and how it was rewarded, which becomes its replay, single
// precision, as one world's. An iteration takes SACSettings.UpdateRatio gradient steps for each control step that the
// worlds have in a segment, and counts those steps. No world is stepped. Not safe for concurrent use; inside, it works
// on Shape.Workers goroutines.
type TD3BC struct{ *replayLearner }

// td3bc defines the algorithm.
func td3bc() algorithm {
	return algorithm{name: AlgorithmTD3BC, offline: true, replays: true, deterministic: true, plainPictures: true,
		parameters: func(shape Shape, s *Settings) (params, targets int) { // the policy has a target, too
			params, targets = replayParameters(shape, s)
			return params, targets + policySize(shape, s)
		},
		check: func(shape Shape, settings Settings) (memory.Need, error) {
			return checkReplay(shape, settings, (*Settings).checkTD3BC)
		},
		rows: func(r Rows, s Settings, seed uint64) (trainable, error) { return newTD3BC(r.Of, r.Recorded, s, seed) },
	}
}

// checkTD3BC names the first thing that TD3+BC cannot learn from what was recorded of worlds of this shape.
func (s *Settings) checkTD3BC(shape Shape, c *bounds.Check) {
	s.checkActions(shape, c)
	if n := s.SAC.filled().Quantiles; n > 1 {
		c.Fail("sac.quantiles is %d, want 1 with algorithm %s", n, s.Algorithm)
	}
	if s.Symmetry.Weight != 0 {
		c.Fail("symmetry.weight is %v, want 0 with algorithm %s", s.Symmetry.Weight, s.Algorithm)
	}
	s.checkSeen(shape, c)
}

// newTD3BC leaves the parameters zero.
func newTD3BC(shape Shape, rows Recorded, settings Settings, seed uint64) (*TD3BC, error) {
	choices := settings.SAC.filled()
	choices.PolicyEvery = cmp.Or(settings.SAC.PolicyEvery, 2)
	core, err := newReplayLearner(shape, settings, AlgorithmTD3BC, seed, choices)
	if err != nil {
		return nil, err
	}
	s := &TD3BC{core}
	s.rule = s
	return s, s.learnFrom(rows)
}

// learnFrom makes the replay of rows.
func (s *TD3BC) learnFrom(rows Recorded) error {
	if err := someRows(rows); err != nil {
		return err
	}
	recorded, rewarded := rows.(RecordedRewards)
	if !rewarded {
		return errors.New("rl: the rewards of what was recorded are not known, want them for " + string(AlgorithmTD3BC))
	}
	world := Shape{Worlds: 1, Observation: s.shape.Observation, Action: s.shape.Action}
	all := SACSettings{Replay: int64(rows.Len())}
	err := memory.Check(fmt.Sprintf("rl: %d recorded rows", rows.Len()), memory.Need{Go: replayBytes(world, all)})
	if err != nil {
		return err
	}
	s.replay = newReplay(world, all)
	return s.fill(recorded)
}

// Memory implements [Learner]: what was recorded is there.
func (s *TD3BC) Memory() Memory { return Memory{} }

// remember implements [trainable].
func (s *TD3BC) remember(Memory) error { return nil }

// collect implements [rule]: all transitions are in the replay.
func (s *TD3BC) collect(context.Context) (episodes episodeStats, err error) { return episodes, nil }

// learnsNow implements [rule].
func (s *TD3BC) learnsNow() bool { return true }

// criticTargets implements [rule]: all targets follow the policy's steps.
func (s *TD3BC) criticTargets() []float32 { return nil }

// nextActions implements [rule]: what the target policy does, with noise, and no log probabilities.
func (s *TD3BC) nextActions(w *replayWorker, t transitions) {
	s.actions(w, s.targets[len(s.critics(s.params)):], t.next)
	clear(w.logProb[:len(t.next)])
	for i, v := range w.action[:len(t.next)*s.shape.Action] {
		noise := min(max(float64(targetNoise*w.noise.NormFloat64()), -targetClip), targetClip)
		w.action[i] = float32(min(max(float64(v)+noise, -1), 1))
	}
}

// policyGradients implements [rule].
func (s *TD3BC) policyGradients(each func(func(w *replayWorker, chunk int, t transitions)), _ float64) {
	each(s.valueSize)
	weight := s.valueWeight()
	each(func(w *replayWorker, chunk int, t transitions) { s.cloningGradient(w, chunk, t, weight) })
}

// afterPolicy implements [rule]: all targets follow.
func (s *TD3BC) afterPolicy(nn.AdamStep) {
	rate, critics := float32(s.choices.TargetRate), s.critics(s.params)
	nn.Polyak(s.targets[:len(critics)], critics, rate)
	nn.Polyak(s.targets[len(critics):], s.policy.params, rate)
}

// report implements [rule].
func (s *TD3BC) report(*Metrics, *replayChunk, float64) {}

// The noise on what the target policy does, from -1 to 1: TD3's.
const (
	targetNoise = 0.2 // standard deviation
	targetClip  = 0.5
)

// valueWeight is λ = α / mean |Q(s, π(s))|, after valueSize.
func (s *TD3BC) valueWeight() float64 {
	size := 0.0
	for i := range s.chunks {
		size += s.chunks[i].size
	}
	alpha := 2.5
	if s.choices.ValueWeight != nil {
		alpha = *s.choices.ValueWeight
	}
	// With no value to speak of, rewards of 0 say, there is nothing to weigh.
	return alpha / max(size/float64(s.choices.Minibatch), math.SmallestNonzeroFloat32)
}

// actions writes what the policy with these parameters does on the rows, tanh of its outputs, to w.action.
func (s *TD3BC) actions(w *replayWorker, params []float32, rows []int64) {
	s.replay.read(w.policy.Input(), s.shape.Policy.Size, rows, &s.lens, &s.ofPolicy, nil)
	s.policy.net.Forward(params, w.policy, nn.Batch{Rows: len(rows)})
	for i, v := range w.policy.Output()[:len(rows)*s.shape.Action] {
		w.action[i] = float32(math.Tanh(float64(v)))
	}
}

// valued has the first critic value what the policy does now.
func (s *TD3BC) valued(w *replayWorker, rows []int64) (pass nn.CriticWork) {
	s.actions(w, s.policy.params, rows)
	pass = w.critics[0]
	s.load(pass, rows, w.action, nil)
	s.critic.DrawDropout(pass, len(rows), w.noise)
	s.critic.Forward(s.criticParams(s.params, 0), pass, len(rows))
	return pass
}

// valueSize sums up the sizes of these values over the chunk.
func (s *TD3BC) valueSize(w *replayWorker, chunk int, t transitions) {
	for _, v := range s.valued(w, t.now).Output()[:len(t.now)] {
		s.chunks[chunk].size += math.Abs(float64(v))
	}
}

// cloningGradient writes to the chunk's row of grads the derivatives, by the policy's parameters, of the mean over the
// minibatch of (π(s) - a)², the mean over an action's values, - λ Q(s, π(s)), where Q is the first critic and a what
// was done.
func (s *TD3BC) cloningGradient(w *replayWorker, chunk int, t transitions, weight float64) {
	n, size, c := len(t.now), s.shape.Action, &s.chunks[chunk]
	pass := s.valued(w, t.now)
	for j, v := range pass.Output()[:n] {
		pass.OutputDelta()[j] = 1
		c.policyLoss -= float64(weight * float64(v))
	}
	s.critic.ActionSlope(w.slopes[:n*size], s.criticParams(s.params, 0), pass, n)
	share := 1 / float64(s.choices.Minibatch)
	for j, row := range t.now {
		done, delta := s.replay.acted(row), nn.RowOf(w.policy.OutputDelta(), size, j)
		for i, d := range done {
			a, slope := float64(w.action[j*size+i]), float64(w.slopes[j*size+i])
			apart := a - float64(d)
			c.policyLoss += float64(apart*apart) / float64(size)
			byA := float64(2*apart)/float64(size) - float64(weight*slope)
			delta[i] = float32(float64(byA*(1-float64(a*a))) * share)
		}
	}
	s.policy.net.Backward(s.policy.params, nn.RowOf(s.grads, len(s.params), chunk), w.policy, nn.Batch{Rows: n})
}
