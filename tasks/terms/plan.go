package terms

import "github.com/polyrhythm-rl/polyrhythm/sim"

// Phase is a callback of the task. Quantities are brought up to date as it begins.
type Phase uint8

const (
	ResetPhase   Phase = iota // An episode begins: its state is written, and nothing is computed from it yet.
	ActPhase                  // A control step begins.
	RewardPhase               // A control step ends: terminations and rewards are computed.
	CommandPhase              // Commands change, after RewardPhase or as an episode begins.
	ObservePhase              // Observations are computed, after CommandPhase.
	phaseCount
)

// Plan computes the quantities that a task needs in each of its phases. It is immutable,
// so any number of goroutines may use it, each with views of its own.
type Plan struct {
	size, scratch int
	offset        int64
	terminated    Handle
	phases        [phaseCount][]computation
	robot         *Robot
	couplings     []boundCoupling
	onReset       []func(v *View)
	onAct         []func(v *View)
	onStep        []func(v *View)
	onTerminate   []func(v *View)
}

// computation is a quantity of a phase.
type computation struct {
	place   Handle
	compute func(v *View, dst []float64)
}

// Plan returns the plan of all that has been bound. Nothing may be bound afterwards.
func (b *Binder) Plan() *Plan {
	b.phase = RewardPhase
	b.plan.terminated = b.Quantity("terminated")
	b.plan.robot, b.plan.couplings = b.Robot, b.couplings()
	for phase, needed := range b.needed {
		for _, i := range needed {
			q := &b.quantities[i]
			b.plan.phases[phase] = append(b.plan.phases[phase], computation{q.place, q.compute})
		}
	}
	return &b.plan
}

// NewView returns a view for one block of worlds.
func (p *Plan) NewView() *View {
	return &View{quantities: make([]float64, p.size), scratch: make([]float64, p.scratch), offset: p.offset}
}

// Begin points a view at a world and computes the quantities of a phase.
func (p *Plan) Begin(v *View, w *sim.World, phase Phase) {
	v.World = w
	for i := range p.phases[phase] {
		c := &p.phases[phase][i]
		c.compute(v, v.quantities[c.place.offset:c.place.offset+c.place.size])
	}
}

// Reset calls what follows the events of mode reset. Then joints that follow others are put where these have them.
func (p *Plan) Reset(v *View) {
	for _, f := range p.onReset {
		f(v)
	}
	settle(p.couplings, v.State(), p.robot.Start, v.Parameters())
}

// Act calls what comes before the events of a control step.
func (p *Plan) Act(v *View) {
	for _, f := range p.onAct {
		f(v)
	}
}

// Step calls what comes before terminations and rewards.
func (p *Plan) Step(v *View) {
	for _, f := range p.onStep {
		f(v)
	}
}

// Terminate tells rewards that the episode ends as terminated.
func (p *Plan) Terminate(v *View) {
	v.quantities[p.terminated.offset] = 1
	for _, f := range p.onTerminate {
		f(v)
	}
}
