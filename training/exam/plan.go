package exam

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// Bounds of an exam.
const (
	MaxCells    = 1000      // the control cell included
	MaxEpisodes = 100_000   // of a cell
	maxAll      = 2_000_000 // of all cells and policies together
	maxAxes     = 16
)

// Plan describes an exam completely.
type Plan struct {
	// Configuration is that of the control cell, YAML. Its seed is that of the exam; worlds and workers have no influence.
	Configuration string `json:"configuration" yaml:"-"`

	Candidate Subject  `json:"candidate" yaml:"-"`           // the policy that is examined
	Reference *Subject `json:"reference,omitempty" yaml:"-"` // the one that it may replace; nil: there is no Gate

	// Axes are keys, or the names of [Axes], with values. Cells are all combinations or, where Cells is not 0, so many points
	// that fill the space evenly.
	Axes  []sweep.Range `json:"axes,omitempty" yaml:"-"`
	Cells int           `json:"cells,omitempty" yaml:"cells"`

	Success  Success  `json:"success,omitempty" yaml:"success"` // nil: see [Success]
	Episodes Episodes `json:"episodes" yaml:"episodes"`
	Alpha    float64  `json:"alpha" yaml:"alpha"` // of each interval, above 0 and below ½; and of the gate
	Gate     *Gate    `json:"gate,omitempty" yaml:"gate"`

	config *configs.Config // of the control cell, set by Check
}

// Episodes are the numbers of episodes of a cell.
type Episodes struct {
	Least int `json:"least" yaml:"least"`
	Most  int `json:"most" yaml:"most"`

	// Width ends a cell before Most: once the interval of its rate of success is no wider. 0: it never does.
	Width float64 `json:"width,omitempty" yaml:"width"`
}

// Gate asks whether the candidate may replace the reference: whether in no cell its rate of success is less by Margin.
type Gate struct {
	Against string  `json:"-" yaml:"against"` // the name of the policy, as of [policies.Open]
	Margin  float64 `json:"margin" yaml:"margin"`
}

// Subject is a policy that sits an exam.
type Subject struct {
	Name   string `json:"name"`             // as of [policies.Open]
	Kind   string `json:"kind"`             // see [policies.Policy]
	SHA256 string `json:"sha256,omitempty"` // of its file, if it has one
}

// SubjectOf returns the subject that a policy is.
func SubjectOf(p *policies.Policy) Subject {
	s := Subject{Name: p.Name(), Kind: p.Kind()}
	if p.Contents() != nil {
		s.SHA256 = fmt.Sprintf("%x", sha256.Sum256(p.Contents()))
	}
	return s
}

// Default returns a plan without a configuration, policies and axes.
func Default() *Plan {
	return &Plan{Episodes: Episodes{Least: 50, Most: 200}, Alpha: 0.05}
}

// DefaultMargin is the margin of a gate for which none is given.
const DefaultMargin = 0.05

// Check returns an error, of type [env.ConfigError], unless the exam can begin: it checks all numbers, and opens a world of the
// control cell and with each value of each axis.
func (p *Plan) Check(ctx context.Context) error {
	_, err := p.open(ctx)
	return err
}

// open is Check, and returns the cells, the control cell first.
func (p *Plan) open(ctx context.Context) ([]Cell, error) {
	cells, err := p.prepare()
	if err == nil {
		err = p.tryCells(ctx, cells)
	}
	if err != nil && ctx.Err() == nil && !errors.As(err, new(env.ConfigError)) {
		err = usage.Mark(err)
	}
	return cells, err
}

// prepare checks all but what worlds say, and returns the cells.
func (p *Plan) prepare() (cells []Cell, err error) {
	if err := p.checkNumbers(); err != nil {
		return nil, err
	}
	if p.config, err = configs.Parse("configuration", []byte(p.Configuration), nil, nil); err != nil {
		return nil, err
	}
	if err := usage.WantReset(p.config, "examine policies"); err != nil {
		return nil, err
	}
	if len(p.config.Changes) > 0 {
		return nil, errors.New("the configuration has changes, want none in an exam: they are of a step of the run, and its " +
			"episodes are independent")
	}
	return p.cells()
}

// tryCells opens a world of the control cell and with each value of each axis.
func (p *Plan) tryCells(ctx context.Context, cells []Cell) error {
	seen := make([]map[string]bool, len(p.Axes))
	for _, cell := range cells {
		opened := cell.Values == nil
		for i, value := range cell.Values {
			if seen[i] == nil {
				seen[i] = map[string]bool{}
			}
			if n := len(seen[i]); !seen[i][value] && n < mostOpened {
				seen[i][value], opened = true, true
			}
		}
		if !opened {
			continue
		}
		if err := p.try(ctx, cell); err != nil {
			return err
		}
	}
	return nil
}

// mostOpened is the most values of an axis with which worlds are opened before an exam begins.
const mostOpened = 20

// checkSize checks the number of all episodes.
func (p *Plan) checkSize(cells int) error {
	subjects := 1
	if p.Reference != nil {
		subjects = 2
	}
	if all := cells * p.Episodes.Most * subjects; all > maxAll {
		return fmt.Errorf("%d cells of up to %d episodes by %d policies are %d episodes, want at most %d", cells, p.Episodes.Most,
			subjects, all, maxAll)
	}
	return nil
}

func (p *Plan) checkNumbers() error {
	e := p.Episodes
	switch {
	case e.Least < 1 || e.Least > MaxEpisodes:
		return fmt.Errorf("episodes.least is %d, want 1 to %d", e.Least, MaxEpisodes)
	case e.Most < e.Least || e.Most > MaxEpisodes:
		return fmt.Errorf("episodes.most is %d, want episodes.least, %d, to %d", e.Most, e.Least, MaxEpisodes)
	case !(e.Width >= 0 && e.Width < 1):
		return fmt.Errorf("episodes.width is %v, want at least 0 and less than 1", e.Width)
	case !(p.Alpha >= 1e-6 && p.Alpha < 0.5):
		return fmt.Errorf("alpha is %v, want at least 1e-6 and less than 0.5", p.Alpha)
	case p.Cells < 0 || p.Cells >= MaxCells:
		return fmt.Errorf("cells is %d, want 0 for all combinations, or at most %d", p.Cells, MaxCells-1)
	case len(p.Axes) > maxAxes:
		return fmt.Errorf("%d axes are given, want at most %d", len(p.Axes), maxAxes)
	case p.Candidate.Kind == policies.Random || p.Reference != nil && p.Reference.Kind == policies.Random:
		return errors.New("the policy is random, want another: which actions it draws depends on the world")
	case (p.Gate == nil) != (p.Reference == nil):
		return errors.New("want a gate with a reference policy, or neither")
	}
	if g := p.Gate; g != nil && !(g.Margin >= 1e-6 && g.Margin < 1) {
		return fmt.Errorf("gate.margin is %v, want above 0 and less than 1", g.Margin)
	}
	return p.checkAxes()
}

func (p *Plan) checkAxes() error {
	for i, r := range p.Axes {
		if slices.Contains([]string{"seed", "worlds", "workers", "block_size", "autoreset"}, r.Key) ||
			strings.HasPrefix(r.Key, "training.") || strings.HasPrefix(r.Key, "recording.") {
			return fmt.Errorf("axes.%s is given, want a key that decides how an episode goes", r.Key)
		}
		for _, other := range p.Axes[:i] {
			if r.Key == other.Key || strings.HasPrefix(r.Key, other.Key+".") || strings.HasPrefix(other.Key, r.Key+".") {
				return fmt.Errorf("axes.%s and axes.%s are given, want one of them: one is a part of the other", other.Key, r.Key)
			}
		}
	}
	return nil
}

// Cell is a condition in which policies are examined.
type Cell struct {
	Number int      // 0 is the control cell
	Values []string // YAML, of each axis; nil for the control cell
	config *configs.Config
}

// cells returns all cells, the control cell first.
func (p *Plan) cells() ([]Cell, error) {
	cells := []Cell{{config: p.config}}
	if len(p.Axes) == 0 {
		return cells, p.checkSize(1)
	}
	o := sweep.SearchOptions{Method: sweep.Grid, Trials: MaxCells - 1, Seed: p.config.Seed}
	if p.Cells > 0 {
		o.Method, o.Trials = sweep.Halton, p.Cells
	}
	search, err := sweep.NewSearch(p.Axes, o)
	if err != nil {
		return nil, fmt.Errorf("axes: %w; or set cells, the number of points that fill the space", err)
	}
	jobs := search.Next(nil)
	if err := p.checkSize(1 + len(jobs)); err != nil {
		return nil, err
	}
	for _, job := range jobs {
		cell := Cell{Number: len(cells), Values: job.Values}
		if cell.config, err = p.cellConfig(job.Values); err != nil {
			return nil, fmt.Errorf("cell %d (%s): %w", cell.Number, p.Describe(job.Values), err)
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// cellConfig returns the configuration with a value of each axis.
func (p *Plan) cellConfig(values []string) (*configs.Config, error) {
	c := p.config
	for i, r := range p.Axes {
		keys, texts, err := editsOf(c, r.Key, values[i])
		if err == nil {
			c, err = c.With(keys, texts)
		}
		if err != nil {
			return nil, fmt.Errorf("axes.%s is %s: %w", r.Key, values[i], err)
		}
	}
	return c, nil
}

// Describe returns the values of a cell with the names of their axes.
func (p *Plan) Describe(values []string) string {
	if values == nil {
		return "control"
	}
	parts := make([]string, len(values))
	for i, value := range values {
		parts[i] = p.Axes[i].Key + "=" + value
	}
	return strings.Join(parts, " ")
}

// try opens one world of a cell, to know that it can be opened and that its success can be told.
func (p *Plan) try(ctx context.Context, cell Cell) (err error) {
	c := episodeConfig(cell.config)
	c.Worlds = 1
	e, err := env.Open(c, env.OpenOptions{Context: ctx, Workers: 1, Accept: func(spec sim.Spec) error {
		_, err := p.Success.compile(spec)
		return err
	}})
	if err != nil {
		return fmt.Errorf("cell %d (%s): %w", cell.Number, p.Describe(cell.Values), err)
	}
	return e.Close()
}

// episodeConfig returns the configuration of a cell as its episodes are run: as fast as possible, without a dataset.
func episodeConfig(config *configs.Config) *configs.Config {
	c := *config
	c.Recording.Enabled = false
	c.Time.Mode = runners.SimHighPerformance
	return &c
}

// looks returns the numbers of episodes after which a cell may be over: the least, then 2, 4, 10, 20, 40, 100 times as many
// and so on, and the most.
func (e Episodes) looks() (looks []int) {
	for ten := 1; ; ten *= 10 {
		for _, times := range []int{1, 2, 4} {
			n := float64(e.Least) * float64(ten) * float64(times)
			if n >= float64(e.Most) || n > math.MaxInt32 {
				return append(looks, e.Most)
			}
			looks = append(looks, int(n))
		}
	}
}
