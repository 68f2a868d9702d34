package gymnasium

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// robot is what the MuJoCo tasks have in common: where the coordinates stand in a row of state, how long a step is,
// and that an action is written to the motors as it is. It never changes once its task is built.
type robot struct {
	spec    sim.Spec
	qpos    physics.Span
	qvel    physics.Span
	initial []float64 // positions of the model as it is compiled

	timestep float64 // seconds per physics step
	control  float64 // seconds per control step, at first
	dt       float64 // roundStep of control

	noise  float64 // scale of what a reset adds to the coordinates
	normal bool    // whether the noise of the velocities is normal; all else is uniform
	hidden int     // positions left out of the observation
}

// Spec implements [sim.Task].
func (r *robot) Spec() sim.Spec { return r.spec }

// Act applies the action as it is; the engine limits what the motors do.
func (r *robot) Act(w *sim.World, action []float32) {
	control := w.Control()
	for i, a := range action {
		control[i] = float64(a)
	}
}

// coordinates are the positions and velocities of a world.
func (r *robot) coordinates(w *sim.World) (qpos, qvel []float64) {
	return r.qpos.In(w.State()), r.qvel.In(w.State())
}

// Reset adds noise to the positions and the velocities.
func (r *robot) Reset(w *sim.World) {
	random := w.Random(sim.ResetDraws)
	qpos, qvel := r.coordinates(w)
	addUniform(qpos, random, r.noise)
	if !r.normal {
		addUniform(qvel, random, r.noise)
		return
	}
	for i := range qvel {
		qvel[i] += float64(r.noise * random.NormFloat64())
	}
}

// observe writes the positions and the velocities. It returns the velocities in dst, and the rest of it.
func (r *robot) observe(w *sim.World, dst []float64) (velocities, rest []float64) {
	qpos, qvel := r.coordinates(w)
	n := copy(dst, qpos[r.hidden:])
	end := n + copy(dst[n:], qvel)
	return dst[n:end], dst[end:]
}

// needs collects what a task requires of its model. err keeps the first thing that is
// missing, so that a constructor checks once, at its end.
type needs struct {
	model physics.Model
	robot *robot
	size  int // derived values so far
	err   error
}

// bind fills in r for a model with at least nq positions and nv velocities, as task
// name, in control steps of dt seconds. MaxSteps is 1000, which a task may change.
func (r *robot) bind(m physics.Model, name string, dt float64, nq, nv int) *needs {
	n := &needs{model: m, robot: r}
	r.spec = sim.Spec{Name: name, ActionSize: m.ControlSize(), MaxSteps: 1000}
	// Gymnasium bounds an action by the model's range also where ctrllimited is false and the
	// engine does not clamp. A model without a range has 0 to 0 there: no bounds here.
	ranges := n.constant("actuator_ctrlrange")
	for i := range m.ControlSize() {
		low, high := m.ControlRange(i)
		if 2*i+1 < len(ranges) && ranges[2*i] < ranges[2*i+1] {
			low, high = ranges[2*i], ranges[2*i+1]
		}
		r.spec.ActionLow = append(r.spec.ActionLow, low)
		r.spec.ActionHigh = append(r.spec.ActionHigh, high)
	}
	var err error
	r.qpos, err = m.Field("qpos")
	n.fail(err)
	r.qvel, err = m.Field("qvel")
	n.fail(err)
	if r.qpos.Len < nq || r.qvel.Len < nv {
		n.fail(fmt.Errorf("the model has %d positions and %d velocities, want at least %d and %d",
			r.qpos.Len, r.qvel.Len, nq, nv))
	}
	if m.ControlSize() == 0 {
		n.fail(errors.New("the model has 0 actuators, want at least 1"))
	}
	state := make([]float64, m.StateSize())
	m.InitialState(state)
	r.initial = r.qpos.In(state)
	r.timestep = 1
	if c := n.constant("timestep"); len(c) == 1 {
		r.timestep = c[0]
	}
	r.control, r.dt = dt, r.roundStep(dt)
	return n
}

// roundStep returns the seconds of a control step as Gymnasium works them out: by
// multiplying those of a physics step.
func (r *robot) roundStep(dt float64) float64 {
	if skip := math.Round(dt / r.timestep); math.Abs(skip*r.timestep-dt) < 1e-9*dt {
		return skip * r.timestep
	}
	return dt
}

// step returns the seconds of the world's control step now: changes of the clock may change its rate.
func (r *robot) step(w *sim.World) float64 {
	if time := w.ControlSeconds(); time != r.control {
		return r.roundStep(time)
	}
	return r.dt
}

func (n *needs) fail(err error) {
	if n.err == nil && err != nil {
		n.err = fmt.Errorf("%s: %w", n.robot.spec.Name, err)
	}
}

func (n *needs) noise(scale float64) {
	n.robot.noise = scale
	if !(scale >= 0) {
		n.fail(fmt.Errorf("reset_noise_scale is %v, want at least 0", scale))
	}
}

func (n *needs) constant(name string) []float64 {
	values, err := n.model.Constant(name)
	n.fail(err)
	return values
}

// derived asks for values of the engine and returns where they stand in World.Derived.
func (n *needs) derived(source string) physics.Span {
	d, err := n.model.Derived(source)
	n.fail(err)
	n.robot.spec.Derived = append(n.robot.spec.Derived, source)
	span := physics.Span{Offset: n.size, Len: d.Size}
	n.size += d.Size
	return span
}

// body asks for the position of a body, which the model must have.
func (n *needs) body(name string) physics.Span {
	if _, err := n.model.Derived("xpos/" + name); err != nil {
		n.fail(fmt.Errorf("want a model with a body %q: %w", name, err))
		return physics.Span{}
	}
	return n.derived("xpos/" + name)
}

// vector lists the info names of a vector of size values.
func vector(name string, size int) []string {
	var names []string
	for i := range size {
		names = append(names, fmt.Sprintf("%s[%d]", name, i))
	}
	return names
}

// addUniform adds to each value a draw between -scale and scale.
func addUniform(dst []float64, r *rand.Rand, scale float64) {
	for i := range dst {
		dst[i] += uniform(r, -scale, scale)
	}
}

// uniform draws from [low, high).
func uniform(r *rand.Rand, low, high float64) float64 {
	return low + float64((high-low)*r.Float64())
}

// forces is the number of values of one body in "cfrc_ext": torque and force.
const forces = 6
