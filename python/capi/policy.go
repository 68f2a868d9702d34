package main

import (
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// policy is the trained policy of a handle.
type policy struct {
	mu      sync.Mutex // guards scratch
	policy  *rl.Policy
	scratch *rl.Scratch
}

// openPolicy reads the checkpoint whose path the data are or, if that is a run folder, its latest.
func openPolicy(c *call) error {
	point, err := training.ReadCheckpoint(string(c.data))
	if err != nil {
		return usageError{err}
	}
	trained, err := configs.Parse(point.Path, []byte(point.User), nil, nil)
	if err != nil {
		return usageError{err}
	}
	whole := point.Policy()
	p := whole.Narrow()
	c.opened = &policy{policy: p, scratch: p.NewScratch()}
	c.out = map[string]any{
		"observation": p.Observation(), "action": p.Action(), // values that it reads and writes
		"first": whole.Reads().First, "whole": whole.Observation(), // where it begins to read a whole observation
		"choices": p.Choices(), "state": p.State(),
		// Of the training:
		"env_steps": point.EnvSteps, "seed": trained.Seed, "worlds": trained.Worlds, "configuration": point.User,
	}
	return nil
}

// act writes the most likely action for each row of observation to a row of dst, and the
// next state to a row of state. The rows are of the worlds first, first+1, and so on.
func (p *policy) act(dst []float32, observation []float64, state []float32, first int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	in, out, kept := p.policy.Observation(), p.policy.Action(), p.policy.State()
	for row := 0; row < len(observation)/in; row += rl.PanelHeight {
		end := min(row+rl.PanelHeight, len(observation)/in)
		err := p.policy.Act(dst[row*out:end*out], observation[row*in:end*in], state[row*kept:end*kept], first+row, p.scratch)
		if err != nil {
			return usageError{err}
		}
	}
	return nil
}
