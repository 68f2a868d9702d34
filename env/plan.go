package env

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

// Names of the bindings that every run has; sensor channels add theirs.
const (
	observationBinding = "observation" // reward, termination, observation
	latchBinding       = "latch"       // the sync point
	controllerBinding  = "controller"  // the action
	physicsBinding     = "physics"

	recorderBinding        = "recorder"         // a row of the capture table
	controlRecorderBinding = "recorder_control" // a row of the control table, if it is recorded
	sensorsRecorderBinding = "recorder_sensors" // a row of the sensors table, if it is recorded
)

// recorders are the bindings of the tables that can be recorded.
var recorders = map[string]string{
	configs.CaptureTable: recorderBinding,
	configs.ControlTable: controlRecorderBinding,
	configs.SensorsTable: sensorsRecorderBinding,
}

// Priorities of the default bindings, lowest first in a phase. They leave room
// on both sides.
const (
	channelPriority     = -100 // before what reads the channels
	observationPriority = 0
	controllerPriority  = -200
	recorderPriority    = 100 // after the controller: it sees the action just chosen
	physicsPriority     = 0
)

// maxSubsteps bounds the physics substeps of a control step: each world keeps the
// samples of them all.
const maxSubsteps = 1 << 16

// captureRunner is where the recorder is bound unless the configuration says
// otherwise; without a runner of that name it is on runner 0.
const captureRunner = "Capture"

// Plan is the clock of a configuration, resolved.
type Plan struct {
	Runners  []runners.Runner
	Bindings []sim.Binding
	Channels []sensors.Channel // Bindings of role Sense refer to these
	Changes  []runners.Change  // made while the run goes on
	Schedule *runners.Schedule

	substep runners.Rate          // rate of physics substeps
	control runners.Rate          // rate of control steps
	tables  []worlds.TableBinding // what is recorded, where, and how often
}

// NewPlan resolves the runners, bindings and channels of a configuration: the
// defaults of the task and the harness, changed by what cfg says. Errors name
// the key they are about, and are of type [ConfigError].
func NewPlan(cfg *configs.Config) (*Plan, error) {
	p := &Plan{}
	if err := p.resolve(cfg); err != nil {
		return nil, ConfigError{err}
	}
	return p, nil
}

func (p *Plan) resolve(cfg *configs.Config) error {
	kind, err := findTask(cfg.Task.Name)
	if err != nil {
		return err
	}
	for _, r := range cfg.Runners {
		p.Runners = append(p.Runners, runners.Runner{Name: r.Name, Rate: r.Rate.Rate, Disabled: !r.Enabled})
	}
	if len(p.Runners) == 0 {
		return fmt.Errorf("runners: there are none; there must be at least one, such as {name: Robot, rate: 50}")
	}
	p.addDefaults(cfg, kind)
	for _, c := range cfg.Bindings {
		if err := p.change(c); err != nil {
			return err
		}
	}
	if err := p.compile(); err != nil {
		return err
	}
	// Whether worlds can make the changes is seen when they are there.
	schedule := p.Schedule
	for i, c := range cfg.Changes {
		edits, err := c.Parse()
		if err != nil {
			return fmt.Errorf("changes[%d].%w", i, err)
		}
		if schedule, err = schedule.Apply(edits.Edits...); err != nil {
			return fmt.Errorf("changes[%d]: %w", i, err)
		}
		p.Changes = append(p.Changes, edits)
	}
	return nil
}

// addDefaults binds everything where it stands when the configuration says
// nothing.
func (p *Plan) addDefaults(cfg *configs.Config, kind taskKind) {
	control := p.Runners[0].Name
	for _, c := range cfg.Sensors {
		p.Bindings = append(p.Bindings, sim.Binding{
			Binding: runners.Binding{
				Name: c.Name, Runner: c.Runner, Phase: runners.Acquisition,
				Priority: channelPriority, Disabled: !c.Enabled,
			},
			Role:    sim.Sense,
			Channel: len(p.Channels),
		})
		p.Channels = append(p.Channels, c.Channel)
	}
	p.Bindings = append(p.Bindings,
		sim.Binding{
			Binding: runners.Binding{Name: observationBinding, Runner: control, Phase: runners.Acquisition, Priority: observationPriority},
			Role:    sim.Observe,
		},
		sim.Binding{
			Binding: runners.Binding{Name: latchBinding, Phase: runners.Acquisition, Beat: true},
			Role:    sim.Latch,
		},
		sim.Binding{
			Binding: runners.Binding{Name: controllerBinding, Runner: control, Phase: runners.Control, Priority: controllerPriority},
			Role:    sim.Act,
		},
	)
	for _, table := range cfg.Recording.Tables {
		p.Bindings = append(p.Bindings, sim.Binding{
			Binding: runners.Binding{
				Name: recorders[table], Runner: p.recorderRunner(table, cfg.Sensors), Phase: runners.Control,
				Priority: recorderPriority, Disabled: !cfg.Recording.Enabled,
			},
			Role: sim.Call,
		})
		p.tables = append(p.tables, worlds.TableBinding{Table: table})
	}
	p.Bindings = append(p.Bindings,
		sim.Binding{
			Binding:  runners.Binding{Name: physicsBinding, Runner: control, Phase: runners.Physics, Priority: physicsPriority},
			Role:     sim.Integrate,
			Substeps: kind.substeps,
		},
	)
}

// recorderRunner is where a table is recorded when the configuration says
// nothing: the table of sensors on the fastest runner that a channel is taken on.
func (p *Plan) recorderRunner(table string, channels []configs.Channel) string {
	at := 0
	switch table {
	case configs.CaptureTable:
		for i, r := range p.Runners {
			if r.Name == captureRunner {
				at = i
			}
		}
	case configs.SensorsTable:
		fastest := -1
		for i, r := range p.Runners {
			taken := slices.ContainsFunc(channels, func(c configs.Channel) bool { return c.Runner == r.Name })
			if taken && (fastest < 0 || faster(r.Rate, p.Runners[fastest].Rate)) {
				fastest = i
			}
		}
		at = max(at, fastest)
	}
	return p.Runners[at].Name
}

func faster(a, b runners.Rate) bool { return a.Num()*b.Den() > b.Num()*a.Den() }

// change lays one binding of the configuration over the default of its name.
func (p *Plan) change(c configs.Binding) error {
	b := p.binding(c.Name)
	if b == nil {
		var known []string
		for i := range p.Bindings {
			known = append(known, p.Bindings[i].Name)
		}
		return fmt.Errorf("bindings: there is no binding %q; there are %s", c.Name, strings.Join(known, ", "))
	}
	if c.Runner != "" {
		if b.Beat {
			return fmt.Errorf("bindings: %q fires at every beat of all runners and cannot be put on runner %q", c.Name, c.Runner)
		}
		b.Runner = c.Runner
		if b.Role == sim.Sense {
			p.Channels[b.Channel].Runner = c.Runner
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
		if b.Role != sim.Integrate {
			return fmt.Errorf("bindings: %q has substeps %d; only %q has substeps", c.Name, *c.Substeps, physicsBinding)
		}
		b.Substeps = *c.Substeps
	}
	return nil
}

// Records reports whether the run begins with its recorder enabled; without it
// there is no dataset, whatever is enabled later.
func (p *Plan) Records() bool { return !p.binding(recorderBinding).Disabled }

func (p *Plan) binding(name string) *sim.Binding {
	for i := range p.Bindings {
		if p.Bindings[i].Name == name {
			return &p.Bindings[i]
		}
	}
	return nil
}

func (p *Plan) compile() error {
	schedule, err := sim.Compile(p.Runners, p.Bindings)
	if err != nil {
		return err
	}
	p.Schedule = schedule
	rate := func(binding string) runners.Rate {
		id, _ := schedule.Runner(p.binding(binding).Runner)
		return p.Runners[id].Rate
	}
	p.control = rate(controllerBinding)
	for i := range p.tables {
		t := &p.tables[i]
		t.Rate = rate(recorders[t.Table])
	}
	p.substep, err = rate(physicsBinding).Times(int64(p.binding(physicsBinding).Substeps))
	if err != nil {
		return fmt.Errorf("binding %q: %w", physicsBinding, err)
	}
	if n := p.substep.Reached(p.control, 1); n > maxSubsteps {
		return fmt.Errorf("binding %q: want at most %d physics substeps in a control step, got %d: %v Hz under %v Hz",
			physicsBinding, maxSubsteps, n, p.substep, p.control)
	}
	return nil
}

// ControlRate is how often control steps are taken.
func (p *Plan) ControlRate() runners.Rate { return p.control }

// Measures says what the binding of an index takes: a sensor channel's sources, and
// in words what it does to the truth. sources is nil for a binding that takes none.
func (p *Plan) Measures(binding int) (sources []string, model string) {
	b := &p.Bindings[binding]
	if b.Role != sim.Sense {
		return nil, ""
	}
	c := &p.Channels[b.Channel]
	return c.Sources, c.Model()
}

// ControlRunner is the name of the runner that control steps follow.
func (p *Plan) ControlRunner() string { return p.binding(controllerBinding).Runner }

// SubstepsPerControl is the number of physics substeps in a control step. The
// error, a [ConfigError], says so where they are not the same for every control step.
func (p *Plan) SubstepsPerControl() (int, error) {
	first, second := p.substep.Reached(p.control, 1), p.substep.Reached(p.control, 2)
	if p.substep.Newest(p.control, 1) != first {
		return 0, ConfigError{fmt.Errorf("a control step at %v Hz has no whole number of physics substeps at %v Hz", p.control, p.substep)}
	}
	return int(second - first), nil
}
