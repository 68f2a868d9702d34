package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// What trials may be compared by, apart from infos of the task.
const (
	Return     = "return" // mean return of the episodes of the final evaluation
	Length     = "length" // their mean length in control steps
	infoPrefix = "info/"  // begins the name of an info: its mean over those episodes
)

// The most seeds of a trial, and keys of a sweep.
const (
	MaxSeeds = 1000
	MaxKeys  = 64
)

// Plan describes a sweep completely.
type Plan struct {
	Configuration string // YAML; its seed is the first of each trial, and that of the search
	Over          []Range
	Search        SearchOptions // Seed is ignored
	Seeds         int           // of each trial, 1 to MaxSeeds
	Objective     string        // Return, Length or info/NAME: the mean over the seeds
	Minimise      bool          // the least is best, else the greatest
	LogEvery      int64         // as in training.TrainOptions

	config *configs.Config // that of Configuration, set by Check
}

// planJSON is the form of a plan in [StateFile].
type planJSON struct {
	Configuration string      `json:"configuration"`
	Over          [][2]string `json:"over"` // keys and texts
	Method        string      `json:"method"`
	Trials        int         `json:"trials"`
	Population    int         `json:"population,omitempty"`
	Eta           int         `json:"eta,omitempty"`
	Rungs         int         `json:"rungs,omitempty"`
	Seeds         int         `json:"seeds"`
	Objective     string      `json:"objective"`
	Minimise      bool        `json:"minimise"`
	LogEvery      int64       `json:"log_every"`
}

// MarshalJSON implements [json.Marshaler].
func (p *Plan) MarshalJSON() ([]byte, error) {
	s := p.Search
	j := planJSON{p.Configuration, nil, s.Method, s.Trials, s.Population, s.Eta, s.Rungs, p.Seeds, p.Objective, p.Minimise, p.LogEvery}
	for _, r := range p.Over {
		j.Over = append(j.Over, [2]string{r.Key, r.Text})
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Plan) UnmarshalJSON(data []byte) error {
	var j planJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*p = Plan{Configuration: j.Configuration, Seeds: j.Seeds, Objective: j.Objective, Minimise: j.Minimise, LogEvery: j.LogEvery,
		Search: SearchOptions{Method: j.Method, Trials: j.Trials, Population: j.Population, Eta: j.Eta, Rungs: j.Rungs}}
	for _, over := range j.Over {
		r, err := ParseRange(over[0], over[1])
		if err != nil {
			return err
		}
		p.Over = append(p.Over, r)
	}
	return nil
}

// unsweepable are the keys that have no influence on the result, or that a sweep sets
// itself.
var unsweepable = map[string]string{
	"workers": "the number of workers has no influence on the result",
}

// Check returns an error, of type [env.ConfigError], unless the sweep can begin. It checks
// all options, the configuration with each value of a list and with the ends of each other
// range, and those of all trials that are known before the first is trained.
func (p *Plan) Check(ctx context.Context) error {
	err := p.check(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return env.ConfigError{Err: err}
}

func (p *Plan) check(ctx context.Context) (err error) {
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
		return fmt.Errorf("seed is %d, want at most %d for %d seeds", p.config.Seed, uint64(math.MaxUint64)-uint64(p.Seeds), p.Seeds)
	}
	if err := p.checkKeys(); err != nil {
		return err
	}
	search, err := p.search()
	if err != nil {
		return err
	}
	if err := training.Check(ctx, p.config); err != nil {
		return err
	}
	if err := p.checkEnds(ctx); err != nil {
		return err
	}
	if err := p.checkObjective(); err != nil {
		return err
	}
	return p.checkTrials(search)
}

// search returns the search of the plan from its beginning.
func (p *Plan) search() (Search, error) {
	o := p.Search
	o.Seed = p.config.Seed
	return NewSearch(p.Over, o)
}

func (p *Plan) checkKeys() error {
	if len(p.Over) > MaxKeys {
		return fmt.Errorf("%d keys are swept, want at most %d", len(p.Over), MaxKeys)
	}
	for i, r := range p.Over {
		if why := unsweepable[r.Key]; why != "" {
			return fmt.Errorf("%s is swept, want another key: %s", r.Key, why)
		}
		if r.Key == "seed" && p.Seeds > 1 {
			return fmt.Errorf("seed is swept and there are %d seeds of each trial, want one of them", p.Seeds)
		}
		if r.Key == "training.steps" && p.Search.Method == Halving {
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
		return fmt.Errorf("the objective is %q, but the infos of %s are %s", p.Objective, c.Task.Name, strings.Join(names, ", "))
	}
	return nil
}

// checkTrials checks the configurations of the trials that are known.
func (p *Plan) checkTrials(search Search) error {
	jobs := search.Next(nil)
	for _, job := range jobs {
		c, err := p.trialConfig(job.Values)
		if err == nil {
			_, err = env.NewPlan(c)
		}
		if err != nil {
			return fmt.Errorf("trial %d (%s): %w", job.Trial+1, p.describe(job.Values), err)
		}
		if rollout := int64(c.Worlds) * int64(c.Training.RolloutSteps); p.Search.Method == Halving && job.Part < 1 && p.budget(c, job.Part) < rollout {
			return fmt.Errorf("trial %d trains %d steps in the first rung, want at least those of one rollout, %d: fewer rungs, or more training.steps",
				job.Trial+1, p.budget(c, job.Part), rollout)
		}
	}
	return nil
}

// budget returns the environment steps of a part of a training.
func (p *Plan) budget(c *configs.Config, part float64) int64 {
	return int64(math.Ceil(part * float64(c.Training.TotalSteps)))
}

// describe returns the values of a trial as text.
func (p *Plan) describe(values []string) string {
	var parts []string
	for i, r := range p.Over {
		parts = append(parts, r.Key+"="+values[i])
	}
	return strings.Join(parts, " ")
}

// trialConfig returns the configuration of a trial.
func (p *Plan) trialConfig(values []string) (*configs.Config, error) {
	var keys []string
	for _, r := range p.Over {
		keys = append(keys, r.Key)
	}
	return p.config.With(keys, values)
}

// value returns what the objective says of an evaluation and, of Return, the standard
// deviation over its episodes.
func (p *Plan) value(e *training.Evaluation) (value, spread float64) {
	switch p.Objective {
	case Return:
		return e.MeanReturn, e.StdReturn
	case Length:
		return e.MeanLength, 0
	}
	return e.Infos[strings.TrimPrefix(p.Objective, infoPrefix)], 0
}
