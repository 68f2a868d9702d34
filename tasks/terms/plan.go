package terms

import "github.com/polyrhythm-rl/polyrhythm/sim"

// Phase is a callback of the task. Quantities are brought up to date as it begins.
type Phase uint8

const (
	AtReset   Phase = iota // the state has been written, and nothing has been computed from it
	AtAct                  // the start of a control step
	AtReward               // the end of a control step
	AtCommand              // then, before commands change, and at t = 0
	AtObserve              // then
	phases
)

// Plan computes the quantities that a task needs in each of its phases. It is immutable,
// so any number of goroutines may use it, each with views of its own.
type Plan struct {
	size, scratch int
	offset        int64
	terminated    Handle
	phases        [phases][]computed
	robot         *Robot
	couplings     []coupled
	onReset       []func(v *View)
	onAct         []func(v *View)
	onStep        []func(v *View)
	onTerminate   []func(v *View)
}

// computed is a quantity of a phase.
type computed struct {
	place   Handle
	compute func(v *View, dst []float64)
}

// Plan returns the plan of all that has been bound. Nothing may be bound afterwards.
func (b *Binder) Plan() *Plan {
	b.phase = AtReward
	b.plan.terminated = b.Quantity("terminated")
	b.plan.robot, b.plan.couplings = b.Robot, b.couplings()
	for phase, needed := range b.needed {
		for _, i := range needed {
			q := &b.quantities[i]
			b.plan.phases[phase] = append(b.plan.phases[phase], computed{q.place, q.compute})
		}
	}
	return &b.plan
}

// NewView returns a view for one block of worlds.
func (p *Plan) NewView() *View {
	return &View{values: make([]float64, p.size), scratch: make([]float64, p.scratch), offset: p.offset}
}

// Begin points a view at a world and computes the quantities of a phase.
func (p *Plan) Begin(v *View, w *sim.World, phase Phase) {
	v.World = w
	for i := range p.phases[phase] {
		c := &p.phases[phase][i]
		c.compute(v, v.values[c.place.at:c.place.at+c.place.size])
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
	v.values[p.terminated.at] = 1
	for _, f := range p.onTerminate {
		f(v)
	}
}
