package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/training"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// What trials may be compared by, apart from infos of the task.
const (
	Return     = "return" // mean return of the episodes of the final evaluation
	Length     = "length" // their mean length in control steps
	infoPrefix = "info/"  // begins the name of an info: its mean over those episodes
)

// The most seeds of a trial, and keys of a sweep.
const (
	MaxSeeds = 10_000
	MaxKeys  = 64
)

// Plan describes a sweep completely. Without ranges, which wants the method Grid, the configuration alone
// is trained, with each seed in a run folder seed-K.
type Plan struct {
	// Configuration is YAML; its seed is the first of each trial, and that of the search.
	Configuration string           `json:"configuration" yaml:"-"`
	Over          []Range          `json:"over" yaml:"-"`
	SearchOptions `yaml:",inline"` // Seed is ignored
	Seeds         int              `json:"seeds" yaml:"seeds"` // of each trial, 1 to MaxSeeds
	// Return, Length or info/NAME: the mean over the seeds
	Objective string `json:"objective" yaml:"objective"`
	Minimise  bool   `json:"minimise" yaml:"minimise"` // the least is best, else the greatest
	LogEvery  int64  `json:"log_every" yaml:"-"`       // as in training.TrainOptions

	config *configs.Config // that of Configuration, set by Check
}

// Check returns an error, of type [env.ConfigError], unless the sweep can begin. It checks
// all options, the configuration with each value of a list and with the ends of each other
// range, and those of all trials that are known before the first is trained.
func (p *Plan) Check(ctx context.Context) (err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = env.ConfigError{Err: err}
		}
	}()
	if p.config, err = configs.Parse("configuration", []byte(p.Configuration), nil, nil); err != nil {
		return err
	}
	if p.Seeds < 1 || p.Seeds > MaxSeeds {
		return fmt.Errorf("seeds is %d, want 1 to %d", p.Seeds, MaxSeeds)
	}
	if p.LogEvery < 0 {
		return fmt.Errorf("log_every is %d, want at least 0", p.LogEvery)
	}
	if p.config.Seed > math.MaxUint64-uint64(p.Seeds) { // evaluations use the next one
		return fmt.Errorf("seed is %d, want at most %d for %d seeds", p.config.Seed, uint64(math.MaxUint64)-uint64(p.Seeds),
			p.Seeds)
	}
	if err := p.checkKeys(); err != nil {
		return err
	}
	search, err := p.search()
	if err != nil {
		return err
	}
	if err = training.Check(ctx, p.config); err == nil {
		err = p.checkEnds(ctx)
	}
	if err == nil {
		err = p.checkObjective()
	}
	if err == nil {
		err = p.checkTrials(search)
	}
	return err
}

// alone reports whether nothing is swept but the seed.
func (p *Plan) alone() bool { return len(p.Over) == 0 }

func (p *Plan) search() (*Search, error) {
	o := p.SearchOptions
	o.Seed = p.config.Seed
	return NewSearch(p.Over, o)
}

func (p *Plan) checkKeys() error {
	if len(p.Over) > MaxKeys {
		return fmt.Errorf("%d keys are swept, want at most %d", len(p.Over), MaxKeys)
	}
	for i, r := range p.Over {
		if r.Key == "workers" {
			return errors.New("workers is swept, want another key: their number has no influence on the result")
		}
		if r.Key == "seed" && p.Seeds > 1 {
			return fmt.Errorf("seed is swept and there are %d seeds of each trial, want one of them", p.Seeds)
		}
		if r.Key == "training.steps" && p.Method == Halving {
			return fmt.Errorf("training.steps is swept, want another key: the method %s trains parts of it", Halving)
		}
		for _, other := range p.Over[:i] {
			if r.Key == other.Key {
				return fmt.Errorf("%s is given twice, want one range of each key", r.Key)
			}
			if strings.HasPrefix(r.Key, other.Key+".") || strings.HasPrefix(other.Key, r.Key+".") {
				return fmt.Errorf("%s and %s are swept, want one of them: the one is a part of the other", other.Key, r.Key)
			}
		}
	}
	return nil
}

// checkEnds checks each range alone, so that the error names the one to blame.
func (p *Plan) checkEnds(ctx context.Context) error {
	for _, r := range p.Over {
		for _, value := range r.samples() {
			c, err := p.config.With([]string{r.Key}, []string{value})
			if err == nil {
				if r.opened() {
					err = training.Check(ctx, c)
				} else {
					_, err = env.NewPlan(c)
				}
			}
			if err != nil {
				return fmt.Errorf("%s is swept over %s, but with %s: %w", r.Key, r.Text, value, err)
			}
		}
	}
	return nil
}

// opened reports whether worlds and a learner are to be opened to find out whether values
// are possible. It takes a while, and numbers of the learner's are not worth it.
func (r *Range) opened() bool {
	learner := strings.HasPrefix(r.Key, "training.") || strings.HasPrefix(r.Key, "evaluation.") || r.Key == "seed"
	return !learner || !r.numeric()
}

// checkObjective checks that the task has the info, if the objective is one.
func (p *Plan) checkObjective() (err error) {
	name, info := strings.CutPrefix(p.Objective, infoPrefix)
	if p.Objective == Return || p.Objective == Length {
		return nil
	}
	if !info {
		return fmt.Errorf("the objective is %q, want %s, %s or %sNAME", p.Objective, Return, Length, infoPrefix)
	}
	c := *p.config
	c.Worlds = 1
	e, err := env.Open(&c, env.OpenOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if names := e.Sim().Spec().InfoNames; !slices.Contains(names, name) {
		return fmt.Errorf("the objective is %q, but the infos of %s are %s", p.Objective, c.Task.Name,
			strings.Join(names, ", "))
	}
	return nil
}

func (p *Plan) checkTrials(search *Search) error {
	jobs := search.Next(nil)
	for _, job := range jobs {
		c, err := p.trialConfig(job.Values)
		if err == nil {
			_, err = env.NewPlan(c)
		}
		if err != nil {
			return fmt.Errorf("trial %d (%s): %w", job.Trial+1, p.describe(job.Values), err)
		}
		rollout := int64(c.Worlds) * int64(c.Training.Segment())
		if p.Method == Halving && job.Part < 1 && p.budget(c, job.Part) < rollout {
			return fmt.Errorf("trial %d trains %d steps in the first rung, want at least those of one rollout, %d: "+
				"fewer rungs, or more training.steps", job.Trial+1, p.budget(c, job.Part), rollout)
		}
	}
	return nil
}

func (p *Plan) budget(c *configs.Config, part float64) int64 {
	return int64(math.Ceil(part * float64(c.Training.TotalSteps)))
}

func (p *Plan) describe(values []string) string {
	var parts []string
	for i, r := range p.Over {
		parts = append(parts, r.Key+"="+values[i])
	}
	return strings.Join(parts, " ")
}

func (p *Plan) trialConfig(values []string) (*configs.Config, error) {
	var keys []string
	for _, r := range p.Over {
		keys = append(keys, r.Key)
	}
	return p.config.With(keys, values)
}

// value returns what the objective says of an evaluation and, of Return, the standard deviation over its episodes.
func (p *Plan) value(e *rundir.Evaluation) (value, spread float64) {
	switch p.Objective {
	case Return:
		return e.MeanReturn, e.StdReturn
	case Length:
		return e.MeanLength, 0
	}
	return e.Infos[strings.TrimPrefix(p.Objective, infoPrefix)], 0
}
