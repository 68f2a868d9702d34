package rl

import (
	"fmt"
	"slices"
)

// WorldState returns what the learner keeps of the worlds between two iterations and a
// checkpoint does not have, for [Continue]: of each world the discounted return so far.
func (p *PPO) WorldState() []float64 { return slices.Clone(p.discounted) }

// Continue returns the learner that wrote the checkpoint as it then was, for worlds that
// stand where they then stood. worlds is its WorldState of that time. It goes on bit for
// bit as the first learner did.
func Continue(env Env, c *Checkpoint, worlds []float64) (*PPO, error) {
	if n := env.Shape().Worlds; len(worlds) != n {
		return nil, fmt.Errorf("rl: continue: a state of %d worlds, want %d", len(worlds), n)
	}
	p, err := c.learner(env, c.Settings, c.Seed)
	if err != nil {
		return nil, err
	}
	copy(p.discounted, worlds)
	return p, nil
}
