package rl

import (
	"fmt"
	"slices"
)

// Memory returns, for [Continue], what a learner keeps of the worlds between two iterations and a checkpoint does not
// have: of each world the discounted return so far; and the states of a recurrent policy, worlds × units of its GRU,
// then of the value network's and, with a symmetry, of the policy's that sees mirror images. Both are copies.
func (p *PPO) Memory() (discounted []float64, states []float32) {
	return slices.Clone(p.discounted), p.states.list()
}

// StatesOf returns a copy of the states in some worlds, for [Collector.SetStates].
func (p *PPO) StatesOf(first, worlds int) []float32 {
	return p.states.rows(&p.agent, first, worlds).list()
}

// Continue returns the learner that wrote the checkpoint as it then was, for worlds that stand where they then stood.
// discounted and states are its Memory of that time. With the checkpoint's settings it goes on bit for bit as the
// first learner did; others must pass [Checkpoint.CheckResume] and be of the update alone.
func Continue(env Env, c *Checkpoint, discounted []float64, states []float32, settings Settings) (*PPO, error) {
	if n := env.Shape().Worlds; len(discounted) != n {
		return nil, fmt.Errorf("rl: continue: a state of %d worlds, want %d", len(discounted), n)
	}
	p, err := c.learner(env, settings, c.Seed)
	if err != nil {
		return nil, err
	}
	copy(p.discounted, discounted)
	if err := p.states.setList(states); err != nil {
		return nil, fmt.Errorf("rl: continue: %w", err)
	}
	if p.collector != nil {
		p.collector.states.set(p.states)
	}
	return p, nil
}
