package env

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
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
	format.CaptureTable: captureRecorder,
	format.ControlTable: controlRecorder,
	format.SensorsTable: sensorsRecorder,
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

// Plan is the resolved clock of a configuration, with the channels that it samples. It needs no model and no worlds. It
// is immutable, so any number of goroutines may use it.
type Plan struct {
	clock    *runners.Clock
	channels []sensors.Channel       // with the runners on which they begin
	calls    map[string]sim.Callback // of the bindings that a program added, by name
}

const noConfiguration = "no configuration given (nil), want one, such as of TaskConfig"

// NewPlan resolves the clock of a configuration, which it validates, with more bindings after its own. Errors begin
// with the key and are of type [ConfigError].
func NewPlan(cfg *configs.Config, more ...sim.Binding) (*Plan, error) {
	if cfg == nil {
		return nil, ConfigError{Err: errors.New(noConfiguration)}
	}
	p := &Plan{calls: map[string]sim.Callback{}}
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
	var runs []runners.Runner
	for _, r := range cfg.Runners {
		runs = append(runs, runners.Runner{Name: r.Name, Rate: r.Rate.Rate, Disabled: bool(r.Disabled)})
	}
	bindings := defaultBindings(cfg, runs, substeps)
	for _, c := range cfg.Bindings {
		if err := override(bindings, c); err != nil {
			return err
		}
	}
	for _, b := range more {
		bindings, p.calls[b.Name] = append(bindings, b.Binding), b.Call
	}
	schedule, err := runners.Compile(runs, bindings)
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
	if n := schedule.SubstepRate().Reached(schedule.ControlRate(), 1); n > configs.MaxSubsteps {
		return fmt.Errorf("bindings: the number of substeps of %q in a control step, %v Hz at %v Hz, is %d, want at most %d",
			physicsName, schedule.SubstepRate(), schedule.ControlRate(), n, configs.MaxSubsteps)
	}
	for i, c := range cfg.Sensors {
		p.channels = append(p.channels, c.Channel)
		p.channels[i].Runner = schedule.Binding(c.Name).Runner
	}
	return nil
}

// defaultBindings returns the bindings of a configuration that does not override any.
func defaultBindings(cfg *configs.Config, runs []runners.Runner, substeps int) (bindings []runners.Binding) {
	control := runs[0].Name
	add := func(role runners.Role, name, runner string, phase runners.Phase, priority int) *runners.Binding {
		bindings = append(bindings, runners.Binding{Name: name, Runner: runner, Phase: phase, Priority: priority,
			Beat: role == runners.Latch, Role: role})
		return &bindings[len(bindings)-1]
	}
	for i, c := range cfg.Sensors {
		b := add(runners.Sense, c.Name, c.Runner, runners.Acquisition, channelPriority)
		b.Disabled, b.Channel = bool(c.Disabled), i
	}
	add(runners.Observe, observation, control, runners.Acquisition, observationPriority)
	add(runners.Latch, latch, "", runners.Acquisition, 0)
	add(runners.Act, controller, control, runners.Control, controllerPriority)
	if slices.ContainsFunc(runs, func(r runners.Runner) bool { return r.Name == PlannerRunner }) {
		add(runners.Callback, planner, PlannerRunner, runners.Acquisition, plannerPriority)
	}
	for _, table := range cfg.Recording.Tables {
		b := add(runners.Callback, recorders[table], recorderRunner(table, runs, cfg.Sensors), runners.Control,
			recorderPriority)
		b.Disabled = !cfg.Recording.Enabled
	}
	add(runners.Integrate, physicsName, control, runners.Physics, physicsPriority).Substeps = substeps
	return bindings
}

// recorderRunner returns the name of the default runner of a table: for that of sensors the fastest runner of a
// channel.
func recorderRunner(table string, runs []runners.Runner, channels []configs.Channel) string {
	found := 0
	switch table {
	case format.CaptureTable:
		found = max(found, slices.IndexFunc(runs, func(r runners.Runner) bool { return r.Name == captureRunner }))
	case format.SensorsTable:
		fastest := -1
		for i, r := range runs {
			used := slices.ContainsFunc(channels, func(c configs.Channel) bool { return c.Runner == r.Name })
			if used && (fastest < 0 || faster(r.Rate, runs[fastest].Rate)) {
				fastest = i
			}
		}
		found = max(found, fastest)
	}
	return runs[found].Name
}

func faster(a, b runners.Rate) bool { return a.Num()*b.Den() > b.Num()*a.Den() }

// override applies one binding of the configuration to the default binding of its name.
func override(bindings []runners.Binding, c configs.Binding) error {
	i := slices.IndexFunc(bindings, func(b runners.Binding) bool { return b.Name == c.Name })
	if i < 0 {
		var known []string
		for _, b := range bindings {
			known = append(known, b.Name)
		}
		return fmt.Errorf("bindings: no binding %q, want one of %s", c.Name, strings.Join(known, ", "))
	}
	b := &bindings[i]
	if c.Runner != "" {
		if b.Beat {
			return fmt.Errorf("bindings: the runner of %q is %q, want none: it fires at every "+
				"beat of all runners", c.Name, c.Runner)
		}
		b.Runner = c.Runner
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
func (p *Plan) Records() bool {
	enabled := false
	for version := range p.clock.Last() + 1 {
		b := p.clock.Schedule(version).Binding(captureRecorder)
		enabled = enabled || b != nil && b.Enabled
	}
	return enabled && !p.Schedule().Binding(captureRecorder).Disabled
}

// Schedule returns the compiled schedule at the start of the run.
func (p *Plan) Schedule() *runners.Schedule { return p.clock.Schedule(0) }

// Clock returns that schedule and the changes to it during the run. The caller must not change it.
func (p *Plan) Clock() *runners.Clock { return p.clock }

// rates returns the rates of a binding over the run.
func (p *Plan) rates(binding string) (rates worlds.Rates) {
	n := int64(0)
	for version := range p.clock.Last() + 1 {
		if version > 0 {
			n = p.clock.Changes()[version-1].N
		}
		if b := p.clock.Schedule(version).Binding(binding); b != nil {
			rates = rates.Add(n, b.Rate)
		}
	}
	return rates
}

// tableRates returns the recorded tables with the rates of their bindings.
func (p *Plan) tableRates(tables []string) (all []worlds.TableRates) {
	for _, table := range tables {
		all = append(all, worlds.TableRates{Table: table, Rates: p.rates(recorders[table])})
	}
	return all
}

// channelRates returns the rates over the run of the channels whose rate changes, by name.
func (p *Plan) channelRates() map[string]worlds.Rates {
	changed := map[string]worlds.Rates{}
	for _, c := range p.channels {
		if rates := p.rates(c.Name); len(rates) > 1 {
			changed[c.Name] = rates
		}
	}
	return changed
}

// CheckSteady returns a [configs.Error] if a change alters the rate of control steps, for callers that compute
// control steps from times.
func (p *Plan) CheckSteady() error {
	control := p.Schedule().ControlRate()
	for i := range p.clock.Changes() {
		if rate := p.clock.Schedule(i + 1).ControlRate(); rate != control {
			return ConfigError{Err: fmt.Errorf("changes[%d]: the control rate is %v Hz, want %v Hz throughout, or "+
				"the end of the run given by --episodes and no times in a script",
				i, rate, control)}
		}
	}
	return nil
}

// Measures returns the sources and the description (see [sensors.Channel.Model]) of the channel that the binding
// with an index samples; nil and "" if it samples none.
func (p *Plan) Measures(binding int) (sources []string, model string) {
	b := &p.Schedule().Entries()[binding]
	if b.Role != runners.Sense {
		return nil, ""
	}
	c := &p.channels[b.Channel]
	return c.Reads(), c.Model()
}

// SubstepsPerControl returns the number of physics substeps in a control step. If it is not the same for every one,
// it returns a [configs.Error].
func (p *Plan) SubstepsPerControl() (int, error) {
	substep, control := p.Schedule().SubstepRate(), p.Schedule().ControlRate()
	first, second := substep.Reached(control, 1), substep.Reached(control, 2)
	if substep.Newest(control, 1) != first {
		return 0, ConfigError{Err: fmt.Errorf("the rate of physics substeps is %v Hz, want a multiple of the "+
			"control rate, %v Hz", substep, control)}
	}
	return int(second - first), nil
}
