package rl

import (
	"fmt"
	"slices"
)

// WorldState is what a learner keeps of the worlds between two iterations and a checkpoint
// does not have.
type WorldState struct {
	Discounted []float64 // of each world the discounted return so far
	States     []float32 // worlds × units of the GRU of the policy, then of the value network and, with a symmetry, of the policy that sees mirror images; empty without
}

// WorldState returns a copy of the state, for [Continue].
func (p *PPO) WorldState() WorldState {
	return WorldState{slices.Clone(p.discounted), slices.Concat(p.states.policy, p.states.value, p.states.image)}
}

// Continue returns the learner that wrote the checkpoint as it then was, for worlds that
// stand where they then stood. worlds is its WorldState of that time. It goes on bit for
// bit as the first learner did.
func Continue(env Env, c *Checkpoint, worlds WorldState) (*PPO, error) {
	if n := env.Shape().Worlds; len(worlds.Discounted) != n {
		return nil, fmt.Errorf("rl: continue: a state of %d worlds, want %d", len(worlds.Discounted), n)
	}
	p, err := c.learner(env, c.Settings, c.Seed)
	if err != nil {
		return nil, err
	}
	copy(p.discounted, worlds.Discounted)
	rest := worlds.States
	if got, want := len(rest), len(p.states.policy)+len(p.states.value)+len(p.states.image); got != want {
		return nil, fmt.Errorf("rl: continue: states of %d values, want %d", got, want)
	}
	for _, part := range [][]float32{p.states.policy, p.states.value, p.states.image} {
		rest = rest[copy(part, rest):]
	}
	return p, nil
}
