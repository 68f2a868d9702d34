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
	return WorldState{slices.Clone(p.discounted), p.states.list()}
}

// StatesOf returns a copy of the states in some worlds, for [Collector.SetStates].
func (p *PPO) StatesOf(first, worlds int) []float32 {
	return p.states.rows(&p.agent, first, worlds).list()
}

// Continue returns the learner that wrote the checkpoint as it then was, for worlds that
// stand where they then stood. worlds is its WorldState of that time. With the checkpoint's
// settings it goes on bit for bit as the first learner did; others must pass
// [Checkpoint.CheckResume] and be of the update alone.
func Continue(env Env, c *Checkpoint, worlds WorldState, settings Settings) (*PPO, error) {
	if n := env.Shape().Worlds; len(worlds.Discounted) != n {
		return nil, fmt.Errorf("rl: continue: a state of %d worlds, want %d", len(worlds.Discounted), n)
	}
	p, err := c.learner(env, settings, c.Seed)
	if err != nil {
		return nil, err
	}
	copy(p.discounted, worlds.Discounted)
	if err := p.states.setList(worlds.States); err != nil {
		return nil, fmt.Errorf("rl: continue: %w", err)
	}
	if p.collector != nil {
		p.collector.states.set(p.states)
	}
	return p, nil
}
