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

// policyDescription describes a policy to the caller. Observation and Action are the
// numbers of values that it reads and writes.
type policyDescription struct {
	Observation   int    `json:"observation"`
	First         int    `json:"first"` // column of a whole observation at which it begins to read
	Whole         int    `json:"whole"` // values of a whole observation
	Action        int    `json:"action"`
	Choices       int    `json:"choices"`       // of an action that is one of them; 0: continuous
	State         int    `json:"state"`         // values that it carries from step to step; 0: none
	EnvSteps      int64  `json:"env_steps"`     // of the training
	Seed          uint64 `json:"seed"`          // of the training
	Worlds        int    `json:"worlds"`        // likewise
	Configuration string `json:"configuration"` // likewise
}

// openPolicy reads the checkpoint at path or, if path is a run folder, its latest.
func openPolicy(path string) (*policy, *policyDescription, error) {
	c, err := training.ReadCheckpoint(path)
	if err != nil {
		return nil, nil, usageError{err}
	}
	trained, err := configs.Parse(c.Path, []byte(c.User), nil, nil)
	if err != nil {
		return nil, nil, usageError{err}
	}
	whole := c.Policy()
	p := whole.Narrow()
	return &policy{policy: p, scratch: p.NewScratch()},
		&policyDescription{p.Observation(), whole.Reads().First, whole.Observation(), p.Action(), p.Choices(), p.State(), c.EnvSteps, trained.Seed, trained.Worlds, c.User}, nil
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
