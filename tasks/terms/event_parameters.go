package terms

import (
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// The events below change constants of the scene, for each world its own. They start from
// the values of the model, so that one which happens again does not add up.

// The operations: what is drawn is a factor, an offset or the value itself.
const (
	scaled   = "scale"
	added    = "add"
	absolute = "abs"
)

// The distributions.
const (
	uniformly  = "uniform"
	logUniform = "log_uniform"
	gaussian   = "gaussian"
)

// change says how a constant is drawn.
type change struct {
	// Ranges holds the lowest and the highest value, or mean and standard deviation with distribution gaussian.
	Ranges *Range `yaml:"ranges" want:"given any"`
	// Operation is what becomes of the value drawn: scale (a factor of the model's value),
	// add (an offset) or abs (the value itself).
	Operation string `yaml:"operation" want:"scale|add|abs"`
	// Distribution of the value drawn: uniform, log_uniform or gaussian.
	Distribution string `yaml:"distribution" want:"uniform|log_uniform|gaussian"`
	// SharedRandom draws once for all objects, not for each.
	SharedRandom bool `yaml:"shared_random"`
}

func (p *change) check(c *bounds.Check, least float64) {
	checkDraw(c, "ranges", *p.Ranges, p.Distribution, p.Operation, least)
}

// checkDraw checks a range. least is the lowest valid value; a factor must not be negative.
func checkDraw(c *bounds.Check, key string, r Range, distribution, operation string, least float64) {
	if distribution == gaussian {
		c.Number(key+"[0]", r[0], -maxValue, maxValue)
		c.Number(key+"[1]", r[1], 0, maxValue)
		return
	}
	r.finite(c, key)
	switch {
	case distribution == logUniform:
		c.Above(key+"[0]", r[0], 0, maxValue)
	case operation == scaled:
		c.Number(key+"[0]", r[0], 0, maxValue)
	case operation == absolute:
		c.Number(key+"[0]", r[0], least, maxValue)
	}
}

// draw draws a value.
func draw(r *rand.Rand, within Range, distribution string) float64 {
	switch distribution {
	case logUniform:
		low, high := math.Log(within[0]), math.Log(within[1])
		return math.Exp(low + float64((high-low)*r.Float64()))
	case gaussian:
		return within[0] + float64(within[1]*r.NormFloat64())
	}
	return uniform(r, within)
}

// operate applies a value drawn to the value of the model.
func operate(operation string, nominal, drawn float64) float64 {
	switch operation {
	case scaled:
		return nominal * drawn
	case added:
		return nominal + drawn
	}
	return drawn
}

// constant is a value in World.Parameters, and what it is in the model.
type constant struct {
	at      int
	nominal float64
}

// parameter returns the values of a parameter of the engine, such as "body_mass/trunk", which has at least n.
func (b *Binder) parameter(key, source string, n int) []constant {
	if list, ok := b.constant[source]; ok {
		return list
	}
	nominal, err := b.Robot.Model.Nominal(source)
	if err != nil {
		b.Fail(key, ": %w", err)
		return make([]constant, n)
	}
	var list []constant
	for _, x := range nominal {
		list = append(list, constant{b.constants, x})
		b.constants++
	}
	b.Parameters, b.constant[source] = append(b.Parameters, source), list
	return list
}

// parameters returns those of each of some objects, whose sources are a prefix and a name.
func (b *Binder) parameters(key, prefix string, names []string, n int) (list [][]constant) {
	for _, name := range names {
		list = append(list, b.parameter(key, prefix+name, n))
	}
	return list
}

// changes returns the event that changes some constants of each of several objects, and keeps them at least at a
// value. A draw for each constant of an object may be shared by all objects.
func changes(p *change, least float64, objects [][]constant) EventFunc {
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		var shared [3]float64
		for n, object := range objects {
			for i, c := range object {
				if n == 0 || !p.SharedRandom {
					shared[i] = draw(r, *p.Ranges, p.Distribution)
				}
				values[c.at] = max(operate(p.Operation, c.nominal, shared[i]), least)
			}
		}
	}
}

// leastMass keeps masses positive, kg.
const leastMass = 1e-6

type massParameters struct {
	bodyParameters `yaml:",inline"`
	change         `yaml:",inline"`
	// RecomputeInertia changes the inertia of a body by the same factor as its mass.
	RecomputeInertia bool `yaml:"recompute_inertia"`
}

func (p *massParameters) checkKeys(c *bounds.Check) { p.check(c, leastMass) }

// bodyMass changes the masses of bodies, by default by a factor. Unit kg; the least mass is
// 1e-6. Isaac Lab's randomize_rigid_body_mass also changes the inertia by the same factor
// unless recompute_inertia is false; mjlab's body_mass never does.
func bodyMass(b *Binder, p *massParameters) EventFunc {
	_, names := b.Select("bodies", "body", p.Bodies)
	var masses, inertias [][]constant
	for i, name := range names {
		masses = append(masses, b.parameter("bodies", "body_mass/"+name, 1))
		if masses[i][0].nominal == 0 {
			b.Fail("bodies", ": body %s has no mass of its own", name)
		}
		if p.RecomputeInertia {
			inertias = append(inertias, b.parameter("bodies", "body_inertia/"+name, 3))
		}
	}
	change := changes(&p.change, leastMass, masses)
	return func(v *View, r *rand.Rand) {
		change(v, r)
		values := v.Parameters()
		for i, inertia := range inertias {
			factor := values[masses[i][0].at] / masses[i][0].nominal
			for _, c := range inertia {
				values[c.at] = c.nominal * factor
			}
		}
	}
}

type comParameters struct {
	bodyParameters `yaml:",inline"`
	// Ranges holds the ranges of what is added to the centre of mass, m.
	Ranges pointParameters `yaml:"ranges"`
}

// bodyCOMOffset moves the centre of mass of bodies by an offset drawn evenly from the ranges. Unit m. Frame: that of
// the body. Isaac Lab's randomize_rigid_body_com is the same; in mjlab the ranges are by the numbers of the axes. A
// body whose centre of mass is the origin of its frame, with the axes of the frame as principal axes, is refused:
// MuJoCo computes such a body in a way that leaves no room for an offset.
func bodyCOMOffset(b *Binder, p *comParameters) EventFunc {
	simple, err := b.Robot.Model.Constant("body_simple")
	if err != nil {
		b.Fail("", ": %w", err)
		return nil
	}
	index, names := b.Select("bodies", "body", p.Bodies)
	for n, name := range names {
		if simple[index[n]] != 0 {
			b.Fail("bodies", ": the engine cannot move the centre of mass of body %s, because the model has it in the "+
				"origin of the body's frame; an inertial with another pos makes it movable", name)
		}
	}
	bodies := b.parameters("bodies", "body_ipos/", names, 3)
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		for _, body := range bodies {
			for i, within := range []Range{p.Ranges.X, p.Ranges.Y, p.Ranges.Z} {
				values[body[i].at] = body[i].nominal + uniform(r, within)
			}
		}
	}
}

type frictionParameters struct {
	// Geoms are patterns of geom names.
	Geoms  Patterns `yaml:"geoms"`
	change `yaml:",inline"`
	// Axes are the coefficients that change: 0 sliding, 1 torsional, 2 rolling.
	Axes []int `yaml:"axes" want:"0..2"`
}

func (p *frictionParameters) checkKeys(c *bounds.Check) {
	p.check(c, 0)
	if len(p.Axes) == 0 || len(p.Axes) > 3 {
		c.Fail("axes has %d numbers, want 1 to 3 of them", len(p.Axes))
	}
}

// geomFriction changes the friction of geoms, by default the sliding coefficient to a value from the range. Unit: 1
// for sliding, m for the others; the least is 0. In a contact MuJoCo takes the larger of the two geoms' coefficients,
// unless one has a priority. mjlab has the same; Isaac Lab's randomize_rigid_body_material draws static and dynamic
// friction from buckets.
func geomFriction(b *Binder, p *frictionParameters) EventFunc {
	var geoms [][]constant
	_, names := b.Select("geoms", "geom", p.Geoms)
	for _, all := range b.parameters("geoms", "geom_friction/", names, 3) {
		var chosen []constant
		for _, axis := range p.Axes {
			chosen = append(chosen, all[axis])
		}
		geoms = append(geoms, chosen)
	}
	return changes(&p.change, 0, geoms)
}

type dampingParameters struct {
	jointParameters `yaml:",inline"`
	change          `yaml:",inline"`
}

func (p *dampingParameters) checkKeys(c *bounds.Check) { p.check(c, 0) }

// jointDamping changes the damping of joints, by default to a value from the range. Unit
// N·m·s/rad, or N·s/m; the least is 0. mjlab has the same; Isaac Lab's
// randomize_actuator_gains changes the damping of its actuators, see pd_gains.
func jointDamping(b *Binder, p *dampingParameters) EventFunc {
	names := b.jointNames(b.Joints("joints", p.Joints))
	return changes(&p.change, 0, b.parameters("joints", "dof_damping/", names, 1))
}

type gainParameters struct {
	actuatedParameters `yaml:",inline"`
	// KP is the range of the stiffness, or of its factor.
	KP Range `yaml:"kp_range" want:"any"`
	// KD is the range of the damping, or of its factor.
	KD Range `yaml:"kd_range" want:"any"`
	// Operation is scale, if factors are drawn, or abs.
	Operation string `yaml:"operation" want:"scale|abs"`
	// Distribution of the values drawn: uniform, log_uniform or gaussian.
	Distribution string `yaml:"distribution" want:"uniform|log_uniform|gaussian"`
}

func (p *gainParameters) checkKeys(c *bounds.Check) {
	checkDraw(c, "kp_range", p.KP, p.Distribution, p.Operation, 0)
	checkDraw(c, "kd_range", p.KD, p.Distribution, p.Operation, 0)
}

// gains are the constants of an actuator that decide its torque
//
//	position    kp·(target - q) - kd·q̇
//	velocity    kd·(target - q̇)
type gains struct {
	position     bool
	gain         constant // factor of the target
	onPos, onVel constant // factors of q and q̇, not above 0
	kp, kd       float64  // of the model
}

// pdGains changes the gains of the actuators of joints, by default by factors. Unit N·m/rad and N·m·s/rad, or N/m and
// N·s/m; the least is 0. A position actuator has both gains, a velocity actuator kd only. mjlab has the same; Isaac
// Lab's randomize_actuator_gains too, with stiffness and damping in place of kp and kd. The damping of a joint is
// another constant, see joint_damping.
func pdGains(b *Binder, p *gainParameters) EventFunc {
	var all []gains
	for _, j := range b.Actuated("joints", p.Joints) {
		for i := range b.Robot.Actuators {
			a := &b.Robot.Actuators[i]
			if a.Joint != j {
				continue
			}
			if a.Kind != PositionActuator && a.Kind != VelocityActuator {
				b.Fail("joints", ": actuator %s has no gains, want position and velocity actuators", a.Name)
				return nil
			}
			gain := b.parameter("joints", "actuator_gainprm/"+a.Name, 1)[0]
			bias := b.parameter("joints", "actuator_biasprm/"+a.Name, 3)
			all = append(all, gains{
				position: a.Kind == PositionActuator, gain: gain, onPos: bias[1], onVel: bias[2],
				kp: -bias[1].nominal, kd: -bias[2].nominal,
			})
		}
	}
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		for _, g := range all {
			kp := max(operate(p.Operation, g.kp, draw(r, p.KP, p.Distribution)), 0)
			kd := max(operate(p.Operation, g.kd, draw(r, p.KD, p.Distribution)), 0)
			values[g.onVel.at] = -kd
			if g.position {
				values[g.gain.at], values[g.onPos.at] = kp, -kp
			} else {
				values[g.gain.at] = kd
			}
		}
	}
}
