package checkup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Report says what a configuration is and what happened in a trial of it. The json tags
// are the keys of train check --format json.
type Report struct {
	Task     string            `json:"task"`
	Model    *ModelSizes       `json:"model,omitempty"` // nil for an engine other than MuJoCo
	Groups   []ObservationPart `json:"observations"`
	Actions  []string          `json:"actions"`
	Rates    Rates             `json:"rates"`
	Terms    []SectionEntry    `json:"terms"` // terms of a task that the configuration describes
	Trial    Trial             `json:"trial"`
	Warnings []string          `json:"warnings"`

	Findings []Finding `json:"-"` // warnings that other gains, scales or steps may cure
}

// Finding is a kind of warning.
type Finding int

const (
	Unstable      Finding = iota // physics fails, or a joint is far too fast
	Stiff                        // an actuator oscillates faster than physics steps
	Overlaps                     // geoms of the robot and of something else overlap at the start
	Tangled                      // geoms of the robot overlap one another at the start
	Falls                        // an episode ends at rest
	FallsAtRandom                // an episode soon ends with random actions
	Weak                         // actuators are at their limit at rest
	Saturated                    // actuators are at their limit with random actions
	Costly                       // the cost of effort outweighs all other rewards
)

// ModelSizes holds the sizes of a model.
type ModelSizes struct {
	Bodies    int     `json:"bodies"`
	Joints    int     `json:"joints"`
	Freedom   int     `json:"degrees_of_freedom"`
	Actuators int     `json:"actuators"`
	Geoms     int     `json:"geoms"`
	Sensors   int     `json:"sensors"`
	Mass      float64 `json:"mass_kg"`
}

// ObservationPart is a part of the observation.
type ObservationPart struct {
	Name  string   `json:"name"`
	Size  int      `json:"size"`
	Names []string `json:"names"`
}

// Rates are those of the clock.
type Rates struct {
	Control  string       `json:"control_hz"`
	Substeps int          `json:"substeps"`
	Physics  string       `json:"physics_hz"`
	Runners  []RunnerRate `json:"runners"`
	BeatS    float64      `json:"beat_s"`
}

// RunnerRate is a runner of the clock.
type RunnerRate struct {
	Name string `json:"name"`
	Rate string `json:"rate_hz"`
}

// SectionEntry is an entry of a section.
type SectionEntry struct {
	Section         string         `json:"section"`
	Name            string         `json:"name"`
	Term            string         `json:"term,omitempty"`
	Expr            string         `json:"expr,omitempty"`
	Weight          *float64       `json:"weight,omitempty"`
	ParameterValues map[string]any `json:"parameters,omitempty"`
}

// Trial is what happened in the trial.
type Trial struct {
	Seconds  float64  `json:"seconds"`
	Worlds   int      `json:"worlds"`
	Rest     Outcome  `json:"at_rest"` // worlds whose actions are 0
	Random   Outcome  `json:"random"`  // worlds whose actions are random
	Rewards  []Values `json:"rewards"` // rewards per control step, as they are added
	Observed []Values `json:"observed"`
}

// Outcome sums up the worlds of one kind.
type Outcome struct {
	Worlds   int `json:"worlds"`
	Episodes int `json:"ended_episodes"`
	Faults   int `json:"faults"`
	// end of the first episode that a termination or a fault ended; 0 if there is none
	FirstEndS float64 `json:"first_end_s,omitempty"`
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

// Worlds and seconds of a trial, and the name of the channel with the forces of actuators in it.
const (
	worlds       = 8
	seconds      = 1.0
	forceChannel = "checkup-forces"
)

// Run tries a configuration. The error is that of opening it or of a step.
func Run(ctx context.Context, cfg *configs.Config) (*Report, error) {
	c := *cfg
	c.Worlds, c.BlockSize = worlds, 0
	c.Recording.Enabled = false
	t := &trial{channel: -1}
	opt := env.OpenOptions{Context: ctx, Workers: 1, Observers: []sim.Observer{t}}
	if c.Described() {
		c.Sensors = append(slices.Clone(c.Sensors), configs.Channel{Channel: sensors.Channel{
			Name: forceChannel, Runner: c.Runners[0].Name, Sources: []string{"actuator_force"}}})
	}
	e, err := env.Open(&c, opt)
	if err != nil && c.Described() { // the model has no such probe
		c.Sensors = cfg.Sensors
		e, err = env.Open(&c, opt)
	}
	if err != nil {
		return nil, err
	}
	r := &Report{Task: cfg.Task.Name, Terms: []SectionEntry{}, Warnings: []string{}}
	err = r.try(ctx, cfg, e, t)
	if err := errors.Join(err, e.Close()); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Report) try(ctx context.Context, cfg *configs.Config, e *env.Env, t *trial) error {
	r.describe(cfg, e)
	if err := t.start(e); err != nil {
		return err
	}
	for range t.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.setActions(e)
		if err := e.Step(); err != nil {
			return err
		}
	}
	r.Trial = t.result()
	r.warn(cfg, e, t)
	return nil
}

func (r *Report) describe(cfg *configs.Config, e *env.Env) {
	spec := e.Sim().Spec()
	for _, g := range spec.AllGroups() {
		group := ObservationPart{Name: g.Name, Size: g.Size}
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
	r.Rates = Rates{Control: plan.Schedule().ControlRate().String(), Physics: plan.Schedule().SubstepRate().String()}
	if n, err := plan.SubstepsPerControl(); err == nil {
		r.Rates.Substeps = n
	}
	r.Rates.BeatS, _ = plan.Schedule().BeatPeriod().Float64()
	for _, run := range plan.Schedule().Runners() {
		r.Rates.Runners = append(r.Rates.Runners, RunnerRate{run.Name, run.Rate.String()})
	}
	if m, ok := e.Model().(*mujoco.Model); ok {
		d := m.Describe()
		r.Model = &ModelSizes{len(d.Bodies) - 1, len(d.Joints), d.VelocitySize, len(d.Actuators), len(d.Geoms),
			len(d.Sensors),
			d.TotalMass}
	}
	if cfg.Described() {
		r.listTerms(cfg)
	}
}

func (r *Report) listTerms(cfg *configs.Config) {
	add := func(section string, entries []terms.Entry) {
		for _, entry := range entries {
			t := SectionEntry{Section: section, ParameterValues: map[string]any{}}
			texts := map[string]*string{"name": &t.Name, "term": &t.Term, "expr": &t.Expr}
			for key, value := range entry {
				if field := texts[key]; field != nil {
					*field, _ = value.(string)
				} else if key == "weight" {
					t.Weight = number(value)
				} else {
					t.ParameterValues[key] = value
				}
			}
			t.Name = cmp.Or(t.Name, t.Term)
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
	add("infos", cfg.Infos)
}

// number returns a number of a configuration; nil for anything else.
func number(value any) *float64 {
	switch v := value.(type) {
	case int:
		return new(float64(v))
	case uint64:
		return new(float64(v))
	case float64:
		return &v
	}
	return nil
}

// Parameters formats what is given to a term as YAML on one line, by key.
func (t *SectionEntry) Parameters() string {
	var n yaml.Node
	if len(t.ParameterValues) == 0 || n.Encode(t.ParameterValues) != nil {
		return ""
	}
	n.Style = yaml.FlowStyle
	text, _ := yaml.Marshal(&n)
	return strings.TrimSuffix(strings.TrimPrefix(string(text), "{"), "}\n")
}
