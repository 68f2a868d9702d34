// Package plan resolves the clock of a configuration: the runners, their bindings and
// the order of these, the rates of channels and recorded tables, and the changes during
// the run. It needs no model and no worlds.
package plan

import (
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
	Physics     = "physics"

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

// captureRunner is the default runner of the recorder. If there is none of that name, it
// is runner 0.
const captureRunner = "Capture"

// PlannerRunner is the runner at whose boundaries decisions of slow minds are due. There
// are none without it.
const PlannerRunner = "Planner"

// Plan is the resolved clock of a configuration. It is immutable, so any number of
// goroutines may use it.
type Plan struct {
	runners  []runners.Runner
	bindings []sim.Binding // without the functions that they call, see Bindings
	channels []sensors.Channel
	clock    *runners.Plan // the initial schedule and the changes to it

	substep runners.Rate // of physics substeps
	control runners.Rate // of control steps
	tables  []worlds.TableBinding
	rates   map[string]worlds.Rates // by binding
	records bool
}

// Open resolves the runners, bindings, channels and changes of cfg, which it validates.
// substeps is the default number of physics substeps in a control step. Errors begin
// with the key and are of type [configs.Error].
func Open(cfg *configs.Config, substeps int) (*Plan, error) {
	p := &Plan{}
	if err := cfg.Validate(); err != nil {
		return nil, configs.Error{Err: err}
	}
	if err := p.resolve(cfg, substeps); err != nil {
		return nil, configs.Error{Err: err}
	}
	return p, nil
}

func (p *Plan) resolve(cfg *configs.Config, substeps int) error {
	for _, r := range cfg.Runners {
		p.runners = append(p.runners, runners.Runner{Name: r.Name, Rate: r.Rate.Rate, Disabled: !r.Enabled})
	}
	p.addDefaults(cfg, substeps)
	for _, c := range cfg.Bindings {
		if err := p.change(c); err != nil {
			return err
		}
	}
	changes := make([]runners.Change, len(cfg.Changes))
	for i, c := range cfg.Changes {
		var err error
		if changes[i], err = c.Parse(); err != nil {
			return fmt.Errorf("changes[%d].%w", i, err)
		}
	}
	// Worlds check later whether their memory suffices for the changes.
	var err error
	if p.clock, err = sim.NewPlan(p.runners, p.bindings, changes); err != nil {
		return err
	}
	if err := p.findRates(); err != nil {
		return err
	}
	n := int64(0)
	for version := range len(changes) + 1 {
		if version > 0 {
			n = changes[version-1].N
		}
		schedule := p.clock.Schedule(version)
		p.records = p.records || fires(schedule)
		p.addRates(n, schedule)
	}
	for i := range p.tables {
		t := &p.tables[i]
		t.Rates = p.rates[recorders[t.Table]]
	}
	p.records = p.records && !p.binding(captureRecorder).Disabled
	return nil
}

// addRates adds the rates of all bindings in a schedule that applies from control step
// n on.
func (p *Plan) addRates(n int64, s *runners.Schedule) {
	if p.rates == nil {
		p.rates = map[string]worlds.Rates{}
	}
	for _, b := range s.Bindings() {
		if id, ok := s.Runner(b.Runner); ok {
			p.rates[b.Name] = p.rates[b.Name].Add(n, s.Rate(id))
		}
	}
}

// addDefaults adds the default bindings.
func (p *Plan) addDefaults(cfg *configs.Config, substeps int) {
	control := p.runners[0].Name
	for _, c := range cfg.Sensors {
		p.bindings = append(p.bindings, sim.Binding{
			Binding: runners.Binding{
				Name: c.Name, Runner: c.Runner, Phase: runners.Acquisition,
				Priority: channelPriority, Disabled: !c.Enabled,
			},
			Role:    sim.Sense,
			Channel: len(p.channels),
		})
		p.channels = append(p.channels, c.Channel)
	}
	p.bindings = append(p.bindings,
		sim.Binding{
			Binding: runners.Binding{Name: observation, Runner: control, Phase: runners.Acquisition, Priority: observationPriority},
			Role:    sim.Observe,
		},
		sim.Binding{
			Binding: runners.Binding{Name: latch, Phase: runners.Acquisition, Beat: true},
			Role:    sim.Latch,
		},
		sim.Binding{
			Binding: runners.Binding{Name: controller, Runner: control, Phase: runners.Control, Priority: controllerPriority},
			Role:    sim.Act,
		},
	)
	if p.Decides() {
		p.bindings = append(p.bindings, sim.Binding{
			Binding: runners.Binding{Name: planner, Runner: PlannerRunner, Phase: runners.Acquisition, Priority: plannerPriority},
			Role:    sim.Call,
		})
	}
	for _, table := range cfg.Recording.Tables {
		p.bindings = append(p.bindings, sim.Binding{
			Binding: runners.Binding{
				Name: recorders[table], Runner: p.recorderRunner(table, cfg.Sensors), Phase: runners.Control,
				Priority: recorderPriority, Disabled: !cfg.Recording.Enabled,
			},
			Role: sim.Call,
		})
		p.tables = append(p.tables, worlds.TableBinding{Table: table})
	}
	p.bindings = append(p.bindings,
		sim.Binding{
			Binding:  runners.Binding{Name: Physics, Runner: control, Phase: runners.Physics, Priority: physicsPriority},
			Role:     sim.Integrate,
			Substeps: substeps,
		},
	)
}

// recorderRunner returns the name of the default runner of a table. For the table of
// sensors it is the fastest runner of a channel.
func (p *Plan) recorderRunner(table string, channels []configs.Channel) string {
	at := 0
	switch table {
	case configs.CaptureTable:
		for i, r := range p.runners {
			if r.Name == captureRunner {
				at = i
			}
		}
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
			return fmt.Errorf("bindings: the runner of %q is %q, want none: it fires at every beat of all runners", c.Name, c.Runner)
		}
		b.Runner = c.Runner
		if b.Role == sim.Sense {
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
	if c.Enabled != nil {
		b.Disabled = !*c.Enabled
	}
	if c.Substeps != nil {
		b.Substeps = *c.Substeps
	}
	return nil
}

// With returns the plan with more bindings, after the others. p does not change.
func (p *Plan) With(more []sim.Binding) (*Plan, error) {
	if len(more) == 0 {
		return p, nil
	}
	next := *p
	next.bindings = append(slices.Clone(p.bindings), more...)
	var err error
	next.clock, err = sim.NewPlan(next.runners, next.bindings, p.clock.Changes())
	return &next, err
}

// Records reports whether the run has a dataset: the recorder of the capture table is
// enabled at the start, on a runner that is enabled then or later.
func (p *Plan) Records() bool { return p.records }

// fires reports whether the recorder of the capture table fires in a schedule.
func fires(s *runners.Schedule) bool {
	return slices.ContainsFunc(s.Order(), func(e runners.Entry) bool { return e.Name == captureRecorder && e.Enabled })
}

func (p *Plan) binding(name string) *sim.Binding {
	for i := range p.bindings {
		if p.bindings[i].Name == name {
			return &p.bindings[i]
		}
	}
	return nil
}

// findRates sets the rates of control steps and substeps at the start.
func (p *Plan) findRates() error {
	rate := func(binding string) runners.Rate {
		id, _ := p.Schedule().Runner(p.binding(binding).Runner)
		return p.Schedule().Rate(id)
	}
	p.control = rate(controller)
	var err error
	p.substep, err = rate(Physics).Times(int64(p.binding(Physics).Substeps))
	if err != nil {
		return fmt.Errorf("binding %q: %w", Physics, err)
	}
	if n := p.substep.Reached(p.control, 1); n > configs.MaxSubsteps {
		return fmt.Errorf("bindings: the number of substeps of %q in a control step, %v Hz at %v Hz, is %d, want at most %d",
			Physics, p.substep, p.control, n, configs.MaxSubsteps)
	}
	return nil
}

// Schedule returns the compiled schedule at the start of the run.
func (p *Plan) Schedule() *runners.Schedule { return p.clock.Schedule(0) }

// Clock returns that schedule and the changes to it during the run. The caller must not
// change it.
func (p *Plan) Clock() *runners.Plan { return p.clock }

// Decides reports whether the configuration has the runner Planner, so that decisions are
// due.
func (p *Plan) Decides() bool {
	return slices.ContainsFunc(p.runners, func(r runners.Runner) bool { return r.Name == PlannerRunner })
}

// Bindings returns a copy of all bindings, in which the recorder of a table calls
// record(table), and that of the planner, if there is one, calls due. record is nil for a
// run that does not record.
func (p *Plan) Bindings(record func(table string) func(*runners.StepContext, *sim.World), due sim.Callback) []sim.Binding {
	next := Plan{bindings: slices.Clone(p.bindings)}
	if p.Decides() {
		next.binding(planner).Call = due
	}
	if record != nil {
		for _, t := range p.tables {
			next.binding(recorders[t.Table]).Call = record(t.Table)
		}
	}
	return next.bindings
}

// Runners returns a copy of the runners at the start of the run.
func (p *Plan) Runners() []runners.Runner { return slices.Clone(p.runners) }

// Channels returns a copy of the sensor channels. Bindings of role Sense refer to them
// by index.
func (p *Plan) Channels() []sensors.Channel { return slices.Clone(p.channels) }

// Tables returns a copy of the recorded tables with their rates.
func (p *Plan) Tables() []worlds.TableBinding { return slices.Clone(p.tables) }

// ControlRates returns the rates of control steps over the run.
func (p *Plan) ControlRates() worlds.Rates { return p.rates[controller] }

// ChannelRates returns the rates over the run of the channels whose rate changes, by
// name.
func (p *Plan) ChannelRates() map[string]worlds.Rates {
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

// CheckSteady returns a [configs.Error] if a change alters the rate of control steps,
// for callers that compute control steps from times.
func (p *Plan) CheckSteady() error {
	control, _ := p.Schedule().Runner(p.ControlRunner())
	for i := range p.clock.Changes() {
		if rate := p.clock.Schedule(i + 1).Rate(control); rate != p.control {
			return configs.Error{Err: fmt.Errorf("changes[%d]: the control rate is %v Hz, want %v Hz throughout, or the end of the run given by --episodes and no times in a script",
				i, rate, p.control)}
		}
	}
	return nil
}

// Measures returns the sources and the description (see [sensors.Channel.Model]) of the
// channel that the binding with an index samples; nil and "" if it samples none.
func (p *Plan) Measures(binding int) (sources []string, model string) {
	b := &p.bindings[binding]
	if b.Role != sim.Sense {
		return nil, ""
	}
	c := &p.channels[b.Channel]
	return c.Sources, c.Model()
}

// ControlRunner returns the name of the runner of control steps.
func (p *Plan) ControlRunner() string { return p.binding(controller).Runner }

// SubstepsPerControl returns the number of physics substeps in a control step. If it is
// not the same for every control step, it returns a [configs.Error].
func (p *Plan) SubstepsPerControl() (int, error) {
	first, second := p.substep.Reached(p.control, 1), p.substep.Reached(p.control, 2)
	if p.substep.Newest(p.control, 1) != first {
		return 0, configs.Error{Err: fmt.Errorf("the rate of physics substeps is %v Hz, want a multiple of the control rate, %v Hz", p.substep, p.control)}
	}
	return int(second - first), nil
}
