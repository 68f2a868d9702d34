package terms

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// The events below change constants of the scene, for each world its own. They start from
// the values of the model, so that one which happens again does not add up.

func parameterTerms() []Term {
	return []Term{
		event("body_mass", bodyMass, massParameters{change: change{Operation: scaled, Distribution: uniformly}, RecomputeInertia: true}),
		event("body_com_offset", bodyCOMOffset, comParameters{}),
		event("geom_friction", geomFriction, frictionParameters{change: change{Operation: absolute, Distribution: uniformly}, Axes: []int{0}}),
		event("pd_gains", pdGains, gainParameters{KP: Range{1, 1}, KD: Range{1, 1}, Operation: scaled, Distribution: uniformly}),
		event("joint_damping", jointDamping, dampingParameters{change: change{Operation: absolute, Distribution: uniformly}}),
	}
}

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
	// Ranges holds the lowest and the highest value, or mean and standard deviation with
	// distribution gaussian.
	Ranges *Range `yaml:"ranges"`
	// Operation is what becomes of the value drawn: scale (a factor of the model's value),
	// add (an offset) or abs (the value itself).
	Operation string `yaml:"operation"`
	// Distribution of the value drawn: uniform, log_uniform or gaussian.
	Distribution string `yaml:"distribution"`
	// SharedRandom draws once for all objects, not for each.
	SharedRandom bool `yaml:"shared_random"`
}

func (p *change) check(c *bounds.Check, least float64) {
	c.OneOf("operation", p.Operation, scaled, added, absolute)
	if p.Ranges == nil {
		c.Fail("ranges: not given, want a list of two numbers")
		return
	}
	checkDraw(c, "ranges", *p.Ranges, p.Distribution, p.Operation, least)
}

// checkDraw checks a range. least is the lowest valid value; a factor must not be negative.
func checkDraw(c *bounds.Check, key string, r Range, distribution, operation string, least float64) {
	c.OneOf("distribution", distribution, uniformly, logUniform, gaussian)
	if distribution == gaussian {
		c.Number(key+"[0]", r[0], -maxValue, maxValue)
		c.Number(key+"[1]", r[1], 0, maxValue)
		return
	}
	r.check(c, key)
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

// constants returns the values of a parameter of the engine.
func (b *Binder) constants(key, source string) []constant {
	span := b.Parameter(key, source)
	nominal, err := b.Robot.Model.Nominal(source)
	if err != nil {
		b.Fail(key, ": %w", err)
		return nil
	}
	var list []constant
	for i, x := range nominal {
		list = append(list, constant{span.Offset + i, x})
	}
	return list
}

// changes returns the event that changes some constants of each of several objects, and
// keeps them at least at a value. A draw for each constant of an object may be shared by
// all objects.
func changes(p *change, least float64, objects [][]constant) EventFunc {
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		if p.SharedRandom {
			for i := range objects[0] {
				x := draw(r, *p.Ranges, p.Distribution)
				for _, object := range objects {
					values[object[i].at] = max(operate(p.Operation, object[i].nominal, x), least)
				}
			}
			return
		}
		for _, object := range objects {
			for _, c := range object {
				values[c.at] = max(operate(p.Operation, c.nominal, draw(r, *p.Ranges, p.Distribution)), least)
			}
		}
	}
}

// leastMass keeps masses positive, kg.
const leastMass = 1e-6

type massParameters struct {
	// Bodies are patterns of body names.
	Bodies Patterns `yaml:"bodies"`
	change `yaml:",inline"`
	// RecomputeInertia changes the inertia of a body by the same factor as its mass.
	RecomputeInertia bool `yaml:"recompute_inertia"`
}

// Check implements the check of parameters.
func (p *massParameters) Check(c *bounds.Check) { p.check(c, leastMass) }

// bodyMass changes the masses of bodies, by default by a factor. Unit kg; the least mass is
// 1e-6. Isaac Lab's randomize_rigid_body_mass also changes the inertia by the same factor
// unless recompute_inertia is false; mjlab's body_mass never does.
func bodyMass(b *Binder, p *massParameters) EventFunc {
	type body struct {
		mass    constant
		inertia []constant
	}
	var bodies []body
	for _, i := range b.Bodies("bodies", p.Bodies) {
		name := b.Robot.Bodies[i].Name
		mass := b.constants("bodies", "body_mass/"+name)
		if len(mass) != 1 {
			return nil
		}
		if mass[0].nominal == 0 {
			b.Fail("bodies", ": body %s has no mass of its own", name)
		}
		one := body{mass: mass[0]}
		if p.RecomputeInertia {
			one.inertia = b.constants("bodies", "body_inertia/"+name)
		}
		bodies = append(bodies, one)
	}
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		x := draw(r, *p.Ranges, p.Distribution)
		for i, one := range bodies {
			if i > 0 && !p.SharedRandom {
				x = draw(r, *p.Ranges, p.Distribution)
			}
			mass := max(operate(p.Operation, one.mass.nominal, x), leastMass)
			values[one.mass.at] = mass
			for _, c := range one.inertia {
				values[c.at] = c.nominal * (mass / one.mass.nominal)
			}
		}
	}
}

type comParameters struct {
	// Bodies are patterns of body names.
	Bodies Patterns `yaml:"bodies"`
	// Ranges holds the ranges of what is added to the centre of mass.
	Ranges pointParameters `yaml:"ranges"`
}

type pointParameters struct {
	// X is the range along x, m.
	X Range `yaml:"x"`
	// Y is the range along y, m.
	Y Range `yaml:"y"`
	// Z is the range along z, m.
	Z Range `yaml:"z"`
}

// Check implements the check of parameters.
func (p *comParameters) Check(c *bounds.Check) {
	p.Ranges.X.check(c, "ranges.x")
	p.Ranges.Y.check(c, "ranges.y")
	p.Ranges.Z.check(c, "ranges.z")
}

// bodyCOMOffset moves the centre of mass of bodies by an offset drawn evenly from the
// ranges. Unit m. Frame: that of the body. Isaac Lab's randomize_rigid_body_com is the same;
// in mjlab the ranges are by the numbers of the axes. A body whose centre of mass is the
// origin of its frame, with the axes of the frame as principal axes, is refused: MuJoCo
// computes such a body in a way that leaves no room for an offset.
func bodyCOMOffset(b *Binder, p *comParameters) EventFunc {
	var bodies [][]constant
	simple, err := b.Robot.Model.Constant("body_simple")
	if err != nil {
		b.Fail("", ": %w", err)
		return nil
	}
	for _, i := range b.Bodies("bodies", p.Bodies) {
		name := b.Robot.Bodies[i].Name
		if simple[i] != 0 {
			b.Fail("bodies", ": the engine cannot move the centre of mass of body %s, because the model has it in the origin of the body's frame; an inertial with another pos makes it movable", name)
		}
		bodies = append(bodies, b.constants("bodies", "body_ipos/"+name))
	}
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
	Axes []int `yaml:"axes"`
}

// Check implements the check of parameters.
func (p *frictionParameters) Check(c *bounds.Check) {
	p.check(c, 0)
	if len(p.Axes) == 0 || len(p.Axes) > 3 {
		c.Fail("axes has %d numbers, want 1 to 3 of them", len(p.Axes))
	}
	for i, axis := range p.Axes {
		c.Whole(fmt.Sprintf("axes[%d]", i), int64(axis), 0, 2)
	}
}

// geomFriction changes the friction of geoms, by default the sliding coefficient to a value
// from the range. Unit: 1 for sliding, m for the others; the least is 0. In a contact MuJoCo
// takes the larger of the two geoms' coefficients, unless one has a priority. mjlab has the
// same; Isaac Lab's randomize_rigid_body_material draws static and dynamic friction from
// buckets.
func geomFriction(b *Binder, p *frictionParameters) EventFunc {
	var geoms [][]constant
	for _, i := range b.Geoms("geoms", p.Geoms) {
		all := b.constants("geoms", "geom_friction/"+b.Robot.Geoms[i].Name)
		if len(all) != 3 {
			return nil
		}
		var chosen []constant
		for _, axis := range p.Axes {
			chosen = append(chosen, all[axis])
		}
		geoms = append(geoms, chosen)
	}
	return changes(&p.change, 0, geoms)
}

type dampingParameters struct {
	// Joints are patterns of joint names; the actuated joints if not given.
	Joints Patterns `yaml:"joints"`
	change `yaml:",inline"`
}

// Check implements the check of parameters.
func (p *dampingParameters) Check(c *bounds.Check) { p.check(c, 0) }

// jointDamping changes the damping of joints, by default to a value from the range. Unit
// N·m·s/rad, or N·s/m; the least is 0. mjlab has the same; Isaac Lab's
// randomize_actuator_gains changes the damping of its actuators, see pd_gains.
func jointDamping(b *Binder, p *dampingParameters) EventFunc {
	var joints [][]constant
	for _, i := range b.Joints("joints", p.Joints) {
		joints = append(joints, b.constants("joints", "dof_damping/"+b.Robot.Joints[i].Name))
	}
	return changes(&p.change, 0, joints)
}

type gainParameters struct {
	// Joints are patterns of the names of actuated joints; all if not given.
	Joints Patterns `yaml:"joints"`
	// KP is the range of the stiffness, or of its factor.
	KP Range `yaml:"kp_range"`
	// KD is the range of the damping, or of its factor.
	KD Range `yaml:"kd_range"`
	// Operation is scale, if factors are drawn, or abs.
	Operation string `yaml:"operation"`
	// Distribution of the values drawn: uniform, log_uniform or gaussian.
	Distribution string `yaml:"distribution"`
}

// Check implements the check of parameters.
func (p *gainParameters) Check(c *bounds.Check) {
	c.OneOf("operation", p.Operation, scaled, absolute)
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

// pdGains changes the gains of the actuators of joints, by default by factors. Unit
// N·m/rad and N·m·s/rad, or N/m and N·s/m; the least is 0. A position actuator has both gains,
// a velocity actuator kd only. mjlab has the same; Isaac Lab's randomize_actuator_gains too,
// with stiffness and damping in place of kp and kd. The damping of a joint is another
// constant, see joint_damping.
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
			gain, bias := b.constants("joints", "actuator_gainprm/"+a.Name), b.constants("joints", "actuator_biasprm/"+a.Name)
			if len(gain) < 1 || len(bias) < 3 {
				return nil
			}
			all = append(all, gains{
				position: a.Kind == PositionActuator, gain: gain[0], onPos: bias[1], onVel: bias[2],
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
