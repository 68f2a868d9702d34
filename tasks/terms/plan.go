package terms

import "github.com/polyrhythm-rl/polyrhythm/sim"

// Plan computes the quantities that a task needs in each of its phases. It is immutable,
// so any number of goroutines may use it, each with views of its own.
type Plan struct {
	size, scratch int
	offset        int64
	terminated    Handle
	phases        [phases][]computed
	onReset       []func(v *View)
	onStep        []func(v *View)
}

// computed is a quantity of a phase.
type computed struct {
	place   Handle
	compute func(v *View, dst []float64)
}

// Plan returns the plan of all that has been bound. Nothing may be bound afterwards.
func (b *Binder) Plan() *Plan {
	b.phase = AtReward
	terminated := b.Quantity("terminated")
	p := &Plan{size: int(b.size), scratch: b.scratch, offset: b.offset, terminated: terminated, onReset: b.onReset, onStep: b.onStep}
	for phase, plan := range b.plans {
		for _, i := range plan {
			q := &b.quantities[i]
			p.phases[phase] = append(p.phases[phase], computed{q.place, q.compute})
		}
	}
	return p
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

// Reset calls what follows the events of mode reset.
func (p *Plan) Reset(v *View) {
	for _, f := range p.onReset {
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
func (p *Plan) Terminate(v *View) { v.values[p.terminated.at] = 1 }
