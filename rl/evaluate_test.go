package rl

import "github.com/polyrhythm-rl/polyrhythm/rl/nn"

// Episode is one finished episode of an evaluation.
type Episode struct {
	Return                       float64 // sum of rewards, in the task's own unit
	Length                       int64   // control steps
	Terminated, Truncated, Fault bool    // how it ended
}

// Evaluate runs episodes with the policy's most likely actions and returns them in order: world w runs episodes w,
// w+W, … of W worlds, so that short episodes are not favoured. An episode begins where its world stands: pass an
// environment that was just opened. The result does not depend on the number of workers or on the size of blocks.
// Every episode has to end by itself.
func Evaluate(env Env, policy *Policy, episodes int) ([]Episode, error) {
	shape := env.Shape()
	nn.OneThread()
	scratch := make([]*Scratch, shape.Workers)
	for i := range scratch {
		scratch[i] = policy.NewScratch()
	}
	result := make([]Episode, episodes)
	return result, env.Rollout(func(worker int, b Block) error {
		next := make([]int, b.Len()) // the episode each world is in
		state := make([]float32, b.Len()*policy.State())
		left := 0
		for i := range next {
			next[i] = b.First() + i
			if next[i] < episodes {
				left += (episodes-next[i]-1)/shape.Worlds + 1
			}
		}
		for left > 0 {
			if err := policy.Act(b.Actions(), b.Observations(), state, b.First(), scratch[worker]); err != nil {
				return err
			}
			if err := b.Step(); err != nil {
				return err
			}
			for i := range next {
				e := Episode{b.EpisodeReturns()[i], b.EpisodeLengths()[i], b.Terminations()[i], b.Truncations()[i], b.Faults()[i]}
				if !(e.Terminated || e.Truncated || e.Fault) {
					continue
				}
				clear(nn.RowOf(state, policy.State(), i))
				if next[i] < episodes {
					result[next[i]] = e
					left--
				}
				next[i] += shape.Worlds
			}
		}
		return nil
	})
}
