package env

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/recorder/worlds"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Names of the default bindings. Each sensor channel adds one of its own name.
const (
	observation = "observation" // reward, termination, observation
	latch       = "latch"       // the sync point
	controller  = "controller"  // the action
	planner     = "planner"     // a decision is due; only with a runner named plannerRunner
	physicsName = "physics"

	captureRecorder = "recorder"         // a row of the capture table
	controlRecorder = "recorder_control" // a row of the control table, if it is recorded
	sensorsRecorder = "recorder_sensors" // a row of the sensors table, if it is recorded
)

// recorders are the bindings of the tables that can be recorded.
var recorders = map[string]string{
	configs.CaptureTable: captureRecorder,
	configs.ControlTable: controlRecorder,
	configs.SensorsTable: sensorsRecorder,
}

// Priorities of the default bindings. Within a phase the lowest is called first.
const (
	channelPriority     = -100 // before the bindings that read the channels
	observationPriority = 0
	controllerPriority  = -200
	plannerPriority     = 100 // after the observation, on which the decision is based
	recorderPriority    = 100 // after the controller, so that it records the new action
	physicsPriority     = 0
)

// captureRunner is the default runner of the recorder; runner 0 if there is none of that name.
const captureRunner = "Capture"

// PlannerRunner is the runner at whose boundaries decisions of slow minds, such as language models, are due.
const PlannerRunner = "Planner"

// Plan is the resolved clock of a configuration: the runners, their bindings and the order of these, the rates of
// channels and recorded tables, and the changes during the run. It needs no model and no worlds. It is immutable, so
// any number of goroutines may use it.
type Plan struct {
	runners  []runners.Runner
	bindings []runners.Binding
	channels []sensors.Channel
	clock    *runners.Clock          // of these runners and bindings
	calls    map[string]sim.Callback // of the bindings that a program added, by name

	substep runners.Rate // of physics substeps
	control runners.Rate // of control steps
	tables  []worlds.TableBinding
	rates   map[string]worlds.Rates // by binding
	records bool
}

const noConfiguration = "no configuration given (nil), want one, such as of TaskConfig"

// NewPlan resolves the clock of a configuration, which it validates, with more bindings after its own. Errors begin
// with the key and are of type [ConfigError].
func NewPlan(cfg *configs.Config, more ...sim.Binding) (*Plan, error) {
	if cfg == nil {
		return nil, ConfigError{Err: errors.New(noConfiguration)}
	}
	p := &Plan{rates: map[string]worlds.Rates{}, calls: map[string]sim.Callback{}}
	kind, err := taskOf(cfg)
	if err == nil {
		err = cfg.Validate()
	}
	if err == nil {
		err = p.resolve(cfg, kind.Substeps, more)
	}
	if err != nil {
		return nil, ConfigError{Err: err}
	}
	return p, nil
}

func (p *Plan) resolve(cfg *configs.Config, substeps int, more []sim.Binding) error {
	for _, r := range cfg.Runners {
		p.runners = append(p.runners, runners.Runner{Name: r.Name, Rate: r.Rate.Rate, Disabled: bool(r.Disabled)})
	}
	p.addDefaults(cfg, substeps)
	for _, c := range cfg.Bindings {
		if err := p.change(c); err != nil {
			return err
		}
	}
	for _, b := range more {
		p.bindings, p.calls[b.Name] = append(p.bindings, b.Binding), b.Call
	}
	schedule, err := runners.Compile(p.runners, p.bindings)
	if err != nil {
		return err
	}
	p.clock = runners.NewClock(schedule)
	for i, c := range cfg.Changes {
		// Worlds check later whether their memory suffices for it.
		if err := p.clock.Add(runners.Change{N: int64(c.N), Edits: c.Edits.Edits}, nil); err != nil {
			return fmt.Errorf("changes[%d]: %w", i, err)
		}
	}
	p.control, p.substep = schedule.ControlRate(), schedule.SubstepRate()
	if n := p.substep.Reached(p.control, 1); n > configs.MaxSubsteps {
		return fmt.Errorf("bindings: the number of substeps of %q in a control step, %v Hz at %v Hz, is %d, want at most %d",
			physicsName, p.substep, p.control, n, configs.MaxSubsteps)
	}
	n := int64(0)
	for version := range p.clock.Last() + 1 {
		if version > 0 {
			n = p.clock.Changes()[version-1].N
		}
		for _, e := range p.clock.Schedule(version).Entries() {
			if !e.Beat {
				p.rates[e.Name] = p.rates[e.Name].Add(n, e.Rate)
			}
			p.records = p.records || e.Name == captureRecorder && e.Enabled
		}
	}
	for i := range p.tables {
		t := &p.tables[i]
		t.Rates = p.rates[recorders[t.Table]]
	}
	p.records = p.records && !p.binding(captureRecorder).Disabled
	return nil
}

// addDefaults adds the default bindings.
func (p *Plan) addDefaults(cfg *configs.Config, substeps int) {
	control := p.runners[0].Name
	add := func(role runners.Role, name, runner string, phase runners.Phase, priority int) *runners.Binding {
		p.bindings = append(p.bindings, runners.Binding{Role: role,
			Name: name, Runner: runner, Phase: phase, Priority: priority, Beat: role == runners.Latch})
		return &p.bindings[len(p.bindings)-1]
	}
	for _, c := range cfg.Sensors {
		b := add(runners.Sense, c.Name, c.Runner, runners.Acquisition, channelPriority)
		b.Disabled, b.Channel = bool(c.Disabled), len(p.channels)
		p.channels = append(p.channels, c.Channel)
	}
	add(runners.Observe, observation, control, runners.Acquisition, observationPriority)
	add(runners.Latch, latch, "", runners.Acquisition, 0)
	add(runners.Act, controller, control, runners.Control, controllerPriority)
	if p.decides() {
		add(runners.Callback, planner, PlannerRunner, runners.Acquisition, plannerPriority)
	}
	for _, table := range cfg.Recording.Tables {
		runner := p.recorderRunner(table, cfg.Sensors)
		add(runners.Callback, recorders[table], runner, runners.Control, recorderPriority).Disabled = !cfg.Recording.Enabled
		p.tables = append(p.tables, worlds.TableBinding{Table: table})
	}
	add(runners.Integrate, physicsName, control, runners.Physics, physicsPriority).Substeps = substeps
}

// recorderRunner returns the name of the default runner of a table: for that of sensors the fastest runner of a
// channel.
func (p *Plan) recorderRunner(table string, channels []configs.Channel) string {
	at := 0
	switch table {
	case configs.CaptureTable:
		at = max(at, slices.IndexFunc(p.runners, func(r runners.Runner) bool { return r.Name == captureRunner }))
	case configs.SensorsTable:
		fastest := -1
		for i, r := range p.runners {
			used := slices.ContainsFunc(channels, func(c configs.Channel) bool { return c.Runner == r.Name })
			if used && (fastest < 0 || faster(r.Rate, p.runners[fastest].Rate)) {
				fastest = i
			}
		}
		at = max(at, fastest)
	}
	return p.runners[at].Name
}

func faster(a, b runners.Rate) bool { return a.Num()*b.Den() > b.Num()*a.Den() }

// change applies one binding of the configuration to the default binding of its name.
func (p *Plan) change(c configs.Binding) error {
	b := p.binding(c.Name)
	if b == nil {
		var known []string
		for i := range p.bindings {
			known = append(known, p.bindings[i].Name)
		}
		return fmt.Errorf("bindings: no binding %q, want one of %s", c.Name, strings.Join(known, ", "))
	}
	if c.Runner != "" {
		if b.Beat {
			return fmt.Errorf("bindings: the runner of %q is %q, want none: it fires at every "+
				"beat of all runners", c.Name, c.Runner)
		}
		b.Runner = c.Runner
		if b.Role == runners.Sense {
			p.channels[b.Channel].Runner = c.Runner
		}
	}
	if c.Phase != "" {
		if err := b.Phase.UnmarshalText([]byte(c.Phase)); err != nil {
			return fmt.Errorf("bindings: %q: %w", c.Name, err)
		}
	}
	if c.Priority != nil {
		b.Priority = *c.Priority
	}
	if c.Disabled != nil {
		b.Disabled = bool(*c.Disabled)
	}
	if c.Substeps != nil {
		b.Substeps = *c.Substeps
	}
	return nil
}

// Records reports whether the run has a dataset: the recorder of the capture table is enabled at the start, on a
// runner that is enabled then or later.
func (p *Plan) Records() bool { return p.records }

func (p *Plan) binding(name string) *runners.Binding {
	for i := range p.bindings {
		if p.bindings[i].Name == name {
			return &p.bindings[i]
		}
	}
	return nil
}

// Schedule returns the compiled schedule at the start of the run.
func (p *Plan) Schedule() *runners.Schedule { return p.Clock().Schedule(0) }

// Clock returns that schedule and the changes to it during the run. The caller must not change it.
func (p *Plan) Clock() *runners.Clock { return p.clock }

// decides reports whether the configuration has the runner Planner, so that decisions are due.
func (p *Plan) decides() bool {
	return slices.ContainsFunc(p.runners, func(r runners.Runner) bool { return r.Name == PlannerRunner })
}

// Runners returns a copy of the runners at the start of the run.
func (p *Plan) Runners() []runners.Runner { return slices.Clone(p.runners) }

// channelRates returns the rates over the run of the channels whose rate changes, by name.
func (p *Plan) channelRates() map[string]worlds.Rates {
	changed := map[string]worlds.Rates{}
	for _, c := range p.channels {
		if rates := p.rates[c.Name]; len(rates) > 1 {
			changed[c.Name] = rates
		}
	}
	return changed
}

// SubstepRate returns the rate of physics substeps at the start of the run.
func (p *Plan) SubstepRate() runners.Rate { return p.substep }

// ControlRate returns the rate of control steps at the start of the run.
func (p *Plan) ControlRate() runners.Rate { return p.control }

// CheckSteady returns a [configs.Error] if a change alters the rate of control steps, for callers that compute
// control steps from times.
func (p *Plan) CheckSteady() error {
	control, _ := p.Schedule().Runner(p.ControlRunner())
	for i := range p.Clock().Changes() {
		if rate := p.Clock().Schedule(i + 1).Rate(control); rate != p.control {
			return ConfigError{Err: fmt.Errorf("changes[%d]: the control rate is %v Hz, want %v Hz throughout, or "+
				"the end of the run given by --episodes and no times in a script",
				i, rate, p.control)}
		}
	}
	return nil
}

// Measures returns the sources and the description (see [sensors.Channel.Model]) of the channel that the binding
// with an index samples; nil and "" if it samples none.
func (p *Plan) Measures(binding int) (sources []string, model string) {
	b := &p.bindings[binding]
	if b.Role != runners.Sense {
		return nil, ""
	}
	c := &p.channels[b.Channel]
	return c.Reads(), c.Model()
}

// ControlRunner returns the name of the runner of control steps.
func (p *Plan) ControlRunner() string { return p.binding(controller).Runner }

// SubstepsPerControl returns the number of physics substeps in a control step. If it is not the same for every one,
// it returns a [configs.Error].
func (p *Plan) SubstepsPerControl() (int, error) {
	first, second := p.substep.Reached(p.control, 1), p.substep.Reached(p.control, 2)
	if p.substep.Newest(p.control, 1) != first {
		return 0, ConfigError{Err: fmt.Errorf("the rate of physics substeps is %v Hz, want a multiple of the "+
			"control rate, %v Hz", p.substep, p.control)}
	}
	return int(second - first), nil
}
