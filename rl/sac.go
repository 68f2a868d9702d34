package rl

import (
	"context"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// SAC learns a policy by soft actor-critic, see the package comment. Not safe for concurrent use; inside, it works on
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

// learnsNow implements [rule]. Each world adds a transition in a control step.
func (s *SAC) learnsNow() bool {
	return (s.controlSteps-s.filledFrom)*int64(s.shape.Worlds) >= s.choices.RandomSteps
}

// criticTargets implements [rule].
func (s *SAC) criticTargets() []float32 { return s.targets }

// nextActions implements [rule].
func (s *SAC) nextActions(w *sacWorker, t transitions) { s.sample(w, t) }

// policyGradients implements [rule].
func (s *SAC) policyGradients(each func(func(w *sacWorker, chunk int, t transitions)), temperature float64) {
	each(func(w *sacWorker, chunk int, t transitions) { s.policyGradient(w, chunk, t, temperature) })
}

// afterPolicy implements [rule]: the temperature takes a step, too, unless it is fixed.
func (s *SAC) afterPolicy(step nn.AdamStep) {
	if !s.choices.FixedTemperature {
		s.steer(step)
	}
}

// report implements [rule].
func (s *SAC) report(m *Metrics, sum *sacChunk, n float64) {
	m.Temperature, m.Entropy, m.Std = s.temperature(), -sum.logProb/n, sum.spare/n
}
