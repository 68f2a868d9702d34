package main

import (
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// policy is the trained policy of a handle.
type policy struct {
	mu      sync.Mutex // guards scratch
	policy  *rl.Policy
	scratch *rl.Scratch
}

// openPolicy reads the checkpoint whose path is the data, or the newest checkpoint if that is a run folder.
func openPolicy(c *call) error {
	point, err := rundir.ReadCheckpoint(string(c.data))
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
	c.answer = map[string]any{
		"observation": p.Observation(), "action": p.Action(), // values that it reads and writes
		"first": whole.Reads().First, "whole": whole.Observation(), // where it begins to read a whole observation
		"choices": p.Choices(), "state": p.State(),
		// Of the training:
		"task":      trained.Task.Name,
		"env_steps": point.EnvSteps, "seed": trained.Seed, "worlds": trained.Worlds, "configuration": point.User,
	}
	return nil
}

// act writes the most likely action for each row of observation to a row of dst, and the
// next state to a row of state. The rows are of the worlds first, first+1, and so on.
func (p *policy) act(dst []float32, observation []float64, state []float32, first int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	inputs, outputs, states := p.policy.Observation(), p.policy.Action(), p.policy.State()
	for row := 0; row < len(observation)/inputs; row += rl.PanelHeight {
		end := min(row+rl.PanelHeight, len(observation)/inputs)
		err := p.policy.Act(dst[row*outputs:end*outputs], observation[row*inputs:end*inputs],
			state[row*states:end*states], first+row, p.scratch)
		if err != nil {
			return usageError{err}
		}
	}
	return nil
}
