package checkup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Report says what a configuration is and what happened in a trial of it. The json tags
// are the keys of train check --format json.
type Report struct {
	Task     string   `json:"task"`
	Model    *Model   `json:"model,omitempty"` // nil for an engine other than MuJoCo
	Groups   []Group  `json:"observations"`
	Actions  []string `json:"actions"`
	Rates    Rates    `json:"rates"`
	Terms    []Term   `json:"terms"` // of a task that the configuration describes
	Trial    Trial    `json:"trial"`
	Warnings []string `json:"warnings"`
}

// Model holds the sizes of a model.
type Model struct {
	Bodies    int     `json:"bodies"`
	Joints    int     `json:"joints"`
	Freedom   int     `json:"degrees_of_freedom"`
	Actuators int     `json:"actuators"`
	Geoms     int     `json:"geoms"`
	Sensors   int     `json:"sensors"`
	Mass      float64 `json:"mass_kg"`
}

// Group is a part of the observation.
type Group struct {
	Name  string   `json:"name"`
	Size  int      `json:"size"`
	Names []string `json:"names"`
}

// Rates are those of the clock.
type Rates struct {
	Control  string   `json:"control_hz"`
	Substeps int      `json:"substeps"`
	Physics  string   `json:"physics_hz"`
	Runners  []Runner `json:"runners"`
	BeatS    float64  `json:"beat_s"`
}

// Runner is a runner of the clock.
type Runner struct {
	Name string `json:"name"`
	Rate string `json:"rate_hz"`
}

// Term is an entry of a section.
type Term struct {
	Section string         `json:"section"`
	Name    string         `json:"name"`
	Term    string         `json:"term,omitempty"`
	Expr    string         `json:"expr,omitempty"`
	Weight  *float64       `json:"weight,omitempty"`
	Given   map[string]any `json:"parameters,omitempty"`
}

// Trial is what happened in the trial.
type Trial struct {
	Seconds  float64  `json:"seconds"`
	Worlds   int      `json:"worlds"`
	Rest     Outcome  `json:"at_rest"` // of the worlds whose actions are 0
	Random   Outcome  `json:"random"`  // of those whose actions are drawn
	Rewards  []Values `json:"rewards"` // per control step, as they are added
	Observed []Values `json:"observed"`
}

// Outcome sums up the worlds of one kind.
type Outcome struct {
	Worlds    int     `json:"worlds"`
	Episodes  int     `json:"ended_episodes"`
	Faults    int     `json:"faults"`
	FirstEndS float64 `json:"first_end_s,omitempty"` // of an episode that a termination or a fault ended; 0 if none did
	Reward    float64 `json:"reward_per_step"`
}

// Values sums up a value over the trial.
type Values struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean"`
	RMS  float64 `json:"rms"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Worlds and seconds of a trial.
const (
	worlds  = 8
	seconds = 1.0
)

// Run tries a configuration. The error is that of opening it or of a step.
func Run(ctx context.Context, cfg *configs.Config) (*Report, error) {
	c := *cfg
	c.Worlds, c.BlockSize = worlds, 0
	c.Recording.Enabled = false
	t := newTrial()
	opt := env.OpenOptions{Context: ctx, Workers: 1, Observers: []sim.Observer{t}}
	extra := t.watchActuators(&c)
	e, err := env.Open(&c, opt)
	if err != nil && extra { // an engine without such a probe
		c.Sensors = cfg.Sensors
		e, err = env.Open(&c, opt)
	}
	if err != nil {
		return nil, err
	}
	r := &Report{Task: cfg.Task.Name, Terms: []Term{}, Warnings: []string{}}
	err = r.try(ctx, cfg, e, t)
	if err := errors.Join(err, e.Close()); err != nil {
		return nil, err
	}
	return r, nil
}

// try fills in the report.
func (r *Report) try(ctx context.Context, cfg *configs.Config, e *env.Env, t *trial) error {
	r.describe(cfg, e)
	if err := t.begin(e); err != nil {
		return err
	}
	for range t.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.act(e)
		if err := e.Step(); err != nil {
			return err
		}
	}
	r.Trial = t.result()
	r.warn(cfg, e, t)
	return nil
}

// describe fills in what does not take a step.
func (r *Report) describe(cfg *configs.Config, e *env.Env) {
	spec := e.Spec()
	for _, g := range spec.AllGroups() {
		group := Group{Name: g.Name, Size: g.Size}
		if spec.ObservationNames != nil {
			group.Names = spec.ObservationNames[g.First : g.First+g.Size]
		}
		r.Groups = append(r.Groups, group)
	}
	r.Actions = spec.ActionNames
	for i := len(r.Actions); i < spec.ActionSize; i++ {
		r.Actions = append(r.Actions, fmt.Sprintf("[%d]", i))
	}
	plan := e.Plan()
	r.Rates = Rates{Control: plan.ControlRate().String(), Physics: plan.SubstepRate().String()}
	if n, err := plan.SubstepsPerControl(); err == nil {
		r.Rates.Substeps = n
	}
	r.Rates.BeatS, _ = plan.Schedule().BeatPeriod().Float64()
	for _, run := range plan.Runners() {
		r.Rates.Runners = append(r.Rates.Runners, Runner{run.Name, run.Rate.String()})
	}
	if m, ok := e.Model().(*mujoco.Model); ok {
		d := m.Describe()
		r.Model = &Model{len(d.Bodies) - 1, len(d.Joints), d.VelocitySize, len(d.Actuators), len(d.Geoms), len(d.Sensors), d.TotalMass}
	}
	if cfg.Described() {
		r.listTerms(cfg)
	}
}

// listTerms fills in the entries of all sections.
func (r *Report) listTerms(cfg *configs.Config) {
	add := func(section string, entries []terms.Entry) {
		for _, entry := range entries {
			t := Term{Section: section, Given: map[string]any{}}
			for key, value := range entry {
				text, _ := value.(string)
				switch key {
				case "name":
					t.Name = text
				case "term":
					t.Term = text
				case "expr":
					t.Expr = text
				case "weight":
					t.Weight = number(value)
				default:
					t.Given[key] = value
				}
			}
			if t.Name == "" {
				t.Name = t.Term
			}
			r.Terms = append(r.Terms, t)
		}
	}
	add("actions", cfg.Actions)
	for _, group := range r.Groups {
		add("observations."+group.Name, cfg.Observations[group.Name].Terms)
	}
	add("rewards", cfg.Rewards)
	add("terminations", cfg.Terminations)
	add("commands", cfg.Commands)
	add("events", cfg.Events)
	add("curriculum", cfg.Curriculum)
}

// number returns a number of a configuration; nil for anything else.
func number(value any) *float64 {
	var x float64
	switch v := value.(type) {
	case int:
		x = float64(v)
	case uint64:
		x = float64(v)
	case float64:
		x = v
	default:
		return nil
	}
	return &x
}

// Parameters formats what is given to a term, by key.
func (t *Term) Parameters() string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(t.Given)) {
		parts = append(parts, key+": "+flow(t.Given[key]))
	}
	return strings.Join(parts, ", ")
}

// flow formats a value like YAML on one line.
func flow(value any) string {
	switch v := value.(type) {
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, key+": "+flow(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case float64:
		return fmt.Sprintf("%.4g", v)
	}
	return fmt.Sprint(value)
}
