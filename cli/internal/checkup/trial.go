package checkup

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// trial collects what happens in the worlds. It implements [sim.Observer] for one worker, so that sums have an order.
type trial struct {
	steps  int     // number of control steps of the trial
	length float64 // length of a control step, s

	spec     sim.Spec
	model    *mujoco.Model // nil for another engine
	d        mujoco.Description
	velocity physics.Span // place of qvel in a state row
	control  physics.Span // place of the control in a state row
	first    []float64    // the control after the first step
	driven   []bool       // by control: its value has differed from the first
	drop     float64      // fastest fall of the base at rest, m/s
	channel  int          // number of the channel of the actuators' forces; -1 if there is none
	forces   []float64

	rest, random     Outcome
	kind             physics.Fault // kind of the first fault
	fault            string        // message of the first fault
	rewards          []tally
	observed         []tally
	fastest          []float64 // largest speed of each degree of freedom
	restSaturation   saturation
	randomSaturation saturation

	contacts   []mujoco.Contact  // contacts at the start of all worlds
	equalities []mujoco.Equality // constraints with their largest errors at the start
	hidden     []hidden
}

type tally struct {
	n           int
	sum, square float64
	low, high   float64
}

// add leaves out what is not finite: a fault reports it.
func (t *tally) add(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	if t.n == 0 {
		t.low, t.high = x, x
	}
	t.n++
	t.sum += x
	t.square += x * x
	t.low, t.high = min(t.low, x), max(t.high, x)
}

func (t *tally) values(name string) Values {
	n := float64(max(t.n, 1))
	return Values{name, bounded(t.sum / n), bounded(math.Sqrt(t.square / n)), t.low + 0, t.high + 0} // + 0 makes -0 a 0
}

// bounded replaces an infinite sum of huge values, which JSON could not hold.
func bounded(x float64) float64 { return max(-math.MaxFloat64, min(x, math.MaxFloat64)) }

// saturation counts, for each actuator, the control steps in which its force was at its limit.
type saturation struct {
	steps int
	full  []int
}

func (t *trial) start(e *env.Env) error {
	t.length = e.Plan().Schedule().ControlRate().Seconds()
	t.steps, t.spec = max(1, int(math.Ceil(seconds/t.length-1e-9))), e.Sim().Spec()
	t.rewards = make([]tally, len(t.spec.InfoNames))
	t.observed = make([]tally, t.spec.ObservationSize)
	m, ok := e.Model().(*mujoco.Model)
	if !ok {
		return nil
	}
	t.model, t.d = m, m.Describe()
	var err error
	if t.velocity, err = m.Field("qvel"); err != nil {
		return err
	}
	if t.control, err = m.Field("control"); err != nil {
		return err
	}
	t.fastest, t.driven = make([]float64, t.d.VelocitySize), make([]bool, t.d.ControlSize)
	if i, err := e.Sim().Sensors().Find(forceChannel); err == nil {
		t.channel = i
		t.forces = make([]float64, e.Sim().Sensors().Size(i))
		t.restSaturation.full, t.randomSaturation.full = make([]int, len(t.forces)), make([]int, len(t.forces))
	}
	var states [][]float64
	for _, b := range e.Sim().Blocks() {
		for i := range b.Len() {
			contacts, err := m.Contacts(b.State(i))
			if err != nil {
				return err
			}
			t.contacts, states = append(t.contacts, contacts...), append(states, b.State(i))
			equalities, err := m.Equalities(b.State(i))
			if err != nil {
				return err
			}
			for k, e := range equalities {
				if k == len(t.equalities) {
					t.equalities = append(t.equalities, e)
				}
				t.equalities[k].Off = max(t.equalities[k].Off, e.Off)
			}
		}
	}
	suite := e.Sim().Sensors()
	for i := range suite.Len() {
		if info := suite.Info(i); info.Camera != nil {
			near, nearest, err := suite.Nearest(m, i, states...)
			if err != nil {
				return err
			}
			if nearest < near {
				t.hidden = append(t.hidden, hidden{info.Name, near, nearest})
			}
		}
	}
	return nil
}

// hidden is a camera that does not see what is before it at the start.
type hidden struct {
	channel       string
	near, nearest float64 // near end of the camera's view, and distance of the nearest object, m
}

func isResting(world int) bool { return world%2 == 0 }

func (t *trial) setActions(e *env.Env) {
	e.SampleActions()
	for w := range e.Sim().Worlds() {
		if isResting(w) {
			clear(e.Sim().Actions()[w*t.spec.ActionSize : (w+1)*t.spec.ActionSize])
		}
	}
	for i, x := range e.Sim().Observations() {
		t.observed[i%t.spec.ObservationSize].add(x)
	}
}

// countersOf returns what is counted for a world.
func (t *trial) countersOf(world int) (*Outcome, *saturation) {
	if isResting(world) {
		return &t.rest, &t.restSaturation
	}
	return &t.random, &t.randomSaturation
}

// Rewarded implements [sim.Observer].
func (t *trial) Rewarded(w *sim.World, reward float64) {
	outcome, full := t.countersOf(w.Index())
	outcome.Reward += reward
	for i, x := range w.Info() {
		t.rewards[i].add(x)
	}
	if t.model == nil {
		return
	}
	for i, v := range t.velocity.In(w.State()) {
		t.fastest[i] = max(t.fastest[i], math.Abs(v))
	}
	control := t.control.In(w.State())
	if t.first == nil {
		t.first = slices.Clone(control)
	}
	for i, x := range control { // controls may differ between worlds or steps
		t.driven[i] = t.driven[i] || x != t.first[i]
	}
	if joints := t.d.Bodies[t.d.Base].Joints; t.d.Base > 0 && isResting(w.Index()) {
		t.drop = max(t.drop, -t.velocity.In(w.State())[t.d.Joints[joints[0]].VelocityAt+2])
	}
	if t.channel < 0 {
		return
	}
	if _, ok := w.Read(t.forces, t.channel); !ok {
		return
	}
	full.steps++
	for i, f := range t.forces {
		if i < len(t.d.Actuators) && t.d.Actuators[i].ForceLimited && atLimit(f, t.d.Actuators[i].ForceRange) {
			full.full[i]++
		}
	}
}

func atLimit(f float64, limits [2]float64) bool {
	slack := 1e-3 * (limits[1] - limits[0])
	return f <= limits[0]+slack || f >= limits[1]-slack
}

// Ended implements [sim.Observer].
func (t *trial) Ended(w *sim.World, e sim.Episode) {
	if !e.Complete {
		return
	}
	outcome, _ := t.countersOf(w.Index())
	outcome.Episodes++
	if e.Fault != physics.FaultNone {
		outcome.Faults++
		if t.fault == "" {
			t.kind, t.fault = e.Fault, e.FaultMessage
		}
	}
	failed := e.Terminated || e.Fault != physics.FaultNone && e.Fault != physics.FaultTask
	if end := float64(e.LengthNS) * 1e-9; failed && (outcome.FirstEndS == 0 || end < outcome.FirstEndS) {
		outcome.FirstEndS = end
	}
}

func (t *trial) result() Trial {
	r := Trial{Seconds: float64(t.steps) * t.length, Worlds: worlds, Rest: t.rest, Random: t.random}
	r.Rest.Worlds, r.Random.Worlds = (worlds+1)/2, worlds/2
	r.Rest.Reward = bounded(r.Rest.Reward / float64(t.steps*r.Rest.Worlds))
	r.Random.Reward = bounded(r.Random.Reward / float64(t.steps*r.Random.Worlds))
	for i, name := range t.spec.InfoNames {
		if name, ok := strings.CutPrefix(name, "reward/"); ok {
			r.Rewards = append(r.Rewards, t.rewards[i].values(name))
		}
	}
	for i := range t.observed {
		name := fmt.Sprintf("[%d]", i)
		if t.spec.ObservationNames != nil {
			name = t.spec.ObservationNames[i]
		}
		r.Observed = append(r.Observed, t.observed[i].values(name))
	}
	return r
}
