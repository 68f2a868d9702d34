package exam

import (
	"context"
	"errors"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
)

// Episode is what came of an episode.
type Episode struct {
	Success bool      `json:"success,omitempty"`
	End     string    `json:"end"` // one of [sim.Spec.Ends]
	Return  float64   `json:"return"`
	Steps   int64     `json:"steps"`           // control steps
	Infos   []float64 `json:"infos"`           // means over its steps, of [Report.Infos]
	Fault   string    `json:"fault,omitempty"` // in one line
}

// observer notes what came of the episodes from first on. Each has a place of its own, so it needs no lock.
type observer struct {
	first    int64
	judge    judge
	episodes []Episode
}

func (*observer) Rewarded(*sim.World, float64) {}

func (o *observer) Ended(w *sim.World, e sim.Episode) {
	i := e.Number - o.first
	if !e.Complete || i < 0 || i >= int64(len(o.episodes)) {
		return
	}
	one := Episode{End: e.End, Return: e.Return, Steps: e.Steps, Infos: make([]float64, len(e.InfoSum))}
	one.Success = e.Fault == physics.FaultNone && o.judge(w, &e)
	if e.Fault != physics.FaultNone {
		one.Fault, _, _ = strings.Cut(e.FaultMessage, "\n")
	}
	for k, sum := range e.InfoSum {
		one.Infos[k] = sum / float64(max(e.Steps, 1))
	}
	o.episodes[i] = one
}

// runCell runs the episodes of a cell from number first to before end by a policy.
func (p *Plan) runCell(ctx context.Context, cell Cell, policy *policies.Policy, first, end int, opt Options, after func(done int64)) (
	_ []Episode, infos []string, err error) {
	c := episodeConfig(cell.config)
	c.Worlds = min(max(c.Worlds, 1), end-first)
	worlds, err := runs.WorldOptions(ctx, policy, c, int64(end), nil)
	if err != nil {
		return nil, nil, err
	}
	seen := &observer{first: int64(first), episodes: make([]Episode, end-first)}
	results := runs.NewResults(c.Worlds, int64(end))
	worlds.Workers, worlds.Independent, worlds.FirstEpisode = opt.Workers, true, int64(first)
	worlds.Observers = []sim.Observer{seen, results}
	fits := worlds.Accept
	worlds.Accept = func(spec sim.Spec) (err error) {
		if seen.judge, err = p.Success.compile(spec); err != nil {
			return err
		}
		return fits(spec)
	}
	e, err := env.Open(c, worlds)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	act, err := policy.Actor(e, c, &policies.Memory{})
	if err != nil {
		return nil, nil, err
	}
	_, err = runs.Drive(ctx, e, runs.NewPace(c.Time.Settings), act.Step, func() { after(results.Count()) })
	runs.WarnEnd(opt.Warn, e)
	return seen.episodes, e.Sim().Spec().InfoNames, err
}

// file returns the configuration of a cell as the file that the folder of an exam has.
func (c *Cell) file() []byte {
	own := *c.config
	own.Workers = 0
	return own.YAML()
}
