package terms

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// The events below change constants of the scene, for each world its own. They start from
// the values of the model, so that one which happens again does not add up. A term is an array of the model, what it
// belongs to, and its parameters: see [Binder.varied].

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

// checkKeys is that of what must not be negative.
func (p *change) checkKeys(c *bounds.Check) { p.check(c, 0) }

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

// changes returns the event that changes some constants of each of several objects, and keeps them between two
// values. A draw for each constant of an object may be shared by all objects.
func changes(p *change, least, most float64, objects [][]constant) EventFunc {
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		var shared [3]float64
		for n, object := range objects {
			for i, c := range object {
				if n == 0 || !p.SharedRandom {
					shared[i] = draw(r, *p.Ranges, p.Distribution)
				}
				values[c.at] = min(max(operate(p.Operation, c.nominal, shared[i]), least), most)
			}
		}
	}
}

// varied returns the event that changes an array of the model, such as "dof_armature": the values on some axes of each
// of some objects, which it keeps at least at a value.
func (b *Binder) varied(p *change, key, source string, names []string, axes []int, least float64) EventFunc {
	var objects [][]constant
	for _, all := range b.parameters(key, source+"/", names, slices.Max(axes)+1) {
		var chosen []constant
		for _, axis := range axes {
			chosen = append(chosen, all[axis])
		}
		objects = append(objects, chosen)
	}
	return changes(p, least, math.Inf(1), objects)
}

// first is the one axis of a number.
var first = []int{0}

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
	change := changes(&p.change, leastMass, math.Inf(1), masses)
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
	placeChange    `yaml:",inline"`
}

// placeChange says how places are drawn.
type placeChange struct {
	// Ranges holds the ranges of the axes, m. An axis that is not given stays as it is.
	Ranges placeParameters `yaml:"ranges"`
	// Operation is what becomes of the values drawn: add (an offset) or abs (the place itself).
	Operation string `yaml:"operation" want:"add|abs"`
	// Distribution of the values drawn: uniform or gaussian, whose ranges are mean and standard deviation.
	Distribution string `yaml:"distribution" want:"uniform|gaussian"`
}

type placeParameters struct {
	// X is the range along x.
	X *Range `yaml:"x" want:"any"`
	// Y is the range along y.
	Y *Range `yaml:"y" want:"any"`
	// Z is the range along z.
	Z *Range `yaml:"z" want:"any"`
}

func (p *placeParameters) axes() [3]*Range { return [3]*Range{p.X, p.Y, p.Z} }

func (p *placeChange) checkKeys(c *bounds.Check) {
	for i, r := range p.Ranges.axes() {
		if r != nil {
			checkDraw(c, "ranges."+string("xyz"[i]), *r, p.Distribution, p.Operation, -maxValue)
		}
	}
}

// shifts returns the event that changes three values of each of some objects.
func shifts(p *placeChange, objects [][]constant) EventFunc {
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		for _, object := range objects {
			for i, within := range p.Ranges.axes() {
				if within == nil {
					uniform(r, Range{}) // so that the draws of the others do not change with the axes
				} else {
					values[object[i].at] = operate(p.Operation, object[i].nominal, draw(r, *within, p.Distribution))
				}
			}
		}
	}
}

// defaultPlace are the defaults of a change of places.
var defaultPlace = placeChange{Operation: added, Distribution: uniformly}

// bodyCOMOffset moves the centre of mass of bodies, by default by an offset drawn evenly from the ranges. Unit m.
// Frame: that of the body. Isaac Lab's randomize_rigid_body_com is the same; in mjlab the ranges are by the numbers of
// the axes. A body whose centre of mass is the origin of its frame, with the axes of the frame as principal axes, is
// refused: MuJoCo computes such a body in a way that leaves no room for an offset.
func bodyCOMOffset(b *Binder, p *comParameters) EventFunc {
	index, names := b.Select("bodies", "body", p.Bodies)
	b.needFree(index, names)
	return shifts(&p.placeChange, b.parameters("bodies", "body_ipos/", names, 3))
}

// needFree fails for a body whose principal axes the engine cannot move.
func (b *Binder) needFree(index []int, names []string) {
	simple, err := b.Robot.Model.Constant("body_simple")
	if err != nil {
		b.Fail("", ": %w", err)
		return
	}
	for n, name := range names {
		if simple[index[n]] != 0 {
			b.Fail("bodies", ": the engine cannot move the centre of mass of body %s, because the model has it in the "+
				"origin of the body's frame; an inertial with another pos makes it movable", name)
		}
	}
}

// bodyPos moves bodies relative to what they hang on, by default by an offset. Unit m. Frame: that of the parent. In
// mjlab the ranges are by the numbers of the axes; Isaac Lab has no such term. The place of a body with a free joint is
// part of the state, see reset_root_state_uniform.
func bodyPos(b *Binder, p *comParameters) EventFunc {
	_, names := b.Select("bodies", "body", p.Bodies)
	return shifts(&p.placeChange, b.parameters("bodies", "body_pos/", names, 3))
}

type turnChange struct {
	// RollRange is the range about x, rad.
	RollRange Range `yaml:"roll_range"`
	// PitchRange is the range about y, rad.
	PitchRange Range `yaml:"pitch_range"`
	// YawRange is the range about z, rad.
	YawRange Range `yaml:"yaw_range"`
}

type bodyTurnParameters struct {
	bodyParameters `yaml:",inline"`
	turnChange     `yaml:",inline"`
}

// turns returns the event that turns each of some objects, whose four values are a quaternion.
func turns(p *turnChange, objects [][]constant) EventFunc {
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		for _, object := range objects {
			var nominal [4]float64
			for i, c := range object {
				nominal[i] = c.nominal
			}
			roll, pitch, yaw := uniform(r, p.RollRange), uniform(r, p.PitchRange), uniform(r, p.YawRange)
			for i, x := range product(fromRollPitchYaw(roll, pitch, yaw), nominal) {
				values[object[i].at] = x
			}
		}
	}
}

// bodyQuat turns bodies relative to what they hang on:
//
//	q = q(roll, pitch, yaw)·q_model
//
// Each angle is drawn evenly from its range. Unit rad. Frame: that of the parent. mjlab has the same; Isaac Lab has no
// such term.
func bodyQuat(b *Binder, p *bodyTurnParameters) EventFunc {
	_, names := b.Select("bodies", "body", p.Bodies)
	return turns(&p.turnChange, b.parameters("bodies", "body_quat/", names, 4))
}

type geomsParameters struct {
	// Geoms are patterns of geom names.
	Geoms Patterns `yaml:"geoms"`
}

type frictionParameters struct {
	geomsParameters `yaml:",inline"`
	change          `yaml:",inline"`
	// Axes are the coefficients that change: 0 sliding, 1 torsional, 2 rolling.
	Axes []int `yaml:"axes" want:"0..2"`
}

func (p *frictionParameters) checkKeys(c *bounds.Check) {
	p.check(c, 0)
	checkAxes(c, p.Axes, 3)
}

// checkAxes checks the number of axes.
func checkAxes(c *bounds.Check, axes []int, most int) {
	if len(axes) == 0 || len(axes) > most {
		c.Fail("axes has %d numbers, want 1 to %d of them", len(axes), most)
	}
}

// geomFriction changes the friction of geoms, by default the sliding coefficient to a value from the range. Unit: 1
// for sliding, m for the others; the least is 0. In a contact MuJoCo takes the larger of the two geoms' coefficients,
// unless one has a priority; a contact of a pair that the file lists has the pair's, see pair_friction. mjlab has the
// same; Isaac Lab's randomize_rigid_body_material draws static and dynamic friction from buckets.
func geomFriction(b *Binder, p *frictionParameters) EventFunc {
	_, names := b.Select("geoms", "geom", p.Geoms)
	return b.varied(&p.change, "geoms", "geom_friction", names, p.Axes, 0)
}

type sizeParameters struct {
	geomsParameters `yaml:",inline"`
	change          `yaml:",inline"`
	// Axes are the sizes that change; all that the type of the geom has if not given. 0 is a radius or, of a box or an
	// ellipsoid, half its length along x; 1 is half the length of a capsule or a cylinder, or along y; 2 along z.
	Axes []int `yaml:"axes" want:"0..2"`
}

func (p *sizeParameters) checkKeys(c *bounds.Check) {
	p.check(c, leastSize)
	if p.Axes != nil {
		checkAxes(c, p.Axes, 3)
	}
}

// leastSize keeps geoms from vanishing, m.
const leastSize = 1e-6

// sizesOf are the numbers of sizes of the types of geoms that can change.
var sizesOf = map[string]int{"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}

// geomSize changes the sizes of geoms, by default by a factor. Unit m; the least is 1e-6. Spheres, capsules, cylinders,
// ellipsoids and boxes have sizes that can change; masses and inertias stay as they are. mjlab has the same; Isaac
// Lab's randomize_rigid_body_scale acts before the simulation begins.
func geomSize(b *Binder, p *sizeParameters) EventFunc {
	index, names := b.Select("geoms", "geom", p.Geoms)
	var objects [][]constant
	for n, all := range b.parameters("geoms", "geom_size/", names, 3) {
		has, axes := sizesOf[b.Robot.Geoms[index[n]].Type], p.Axes
		if has == 0 {
			b.Fail("geoms", ": geom %s is a %s, want spheres, capsules, cylinders, ellipsoids or boxes", names[n],
				b.Robot.Geoms[index[n]].Type)
		}
		if axes == nil {
			axes = []int{0, 1, 2}[:has]
		}
		var chosen []constant
		for i, axis := range axes {
			if axis >= has {
				b.Fail(fmt.Sprintf("axes[%d]", i), "is %d, and geom %s, a %s, has %d", axis, names[n],
					b.Robot.Geoms[index[n]].Type, has)
			}
			chosen = append(chosen, all[axis])
		}
		objects = append(objects, chosen)
	}
	return changes(&p.change, leastSize, math.Inf(1), objects)
}

type geomPlaceParameters struct {
	geomsParameters `yaml:",inline"`
	placeChange     `yaml:",inline"`
}

// geomPos moves geoms on their bodies, by default by an offset. Unit m. Frame: that of the body. In mjlab the ranges
// are by the numbers of the axes and, unless an operation is given, places; Isaac Lab has no such term.
func geomPos(b *Binder, p *geomPlaceParameters) EventFunc {
	_, names := b.Select("geoms", "geom", p.Geoms)
	return shifts(&p.placeChange, b.parameters("geoms", "geom_pos/", names, 3))
}

type geomTurnParameters struct {
	geomsParameters `yaml:",inline"`
	turnChange      `yaml:",inline"`
}

// geomQuat turns geoms on their bodies:
//
//	q = q(roll, pitch, yaw)·q_model
//
// Each angle is drawn evenly from its range. Unit rad. Frame: that of the body. mjlab has the same; Isaac Lab has no
// such term.
func geomQuat(b *Binder, p *geomTurnParameters) EventFunc {
	_, names := b.Select("geoms", "geom", p.Geoms)
	return turns(&p.turnChange, b.parameters("geoms", "geom_quat/", names, 4))
}

type sitesParameters struct {
	// Sites are patterns of site names.
	Sites Patterns `yaml:"sites"`
}

type sitePlaceParameters struct {
	sitesParameters `yaml:",inline"`
	placeChange     `yaml:",inline"`
}

// sitePos moves sites on their bodies, and with them what they measure, by default by an offset. Unit m. Frame: that of
// the body. In mjlab the ranges are by the numbers of the axes and, unless an operation is given, places; Isaac Lab has
// no such term.
func sitePos(b *Binder, p *sitePlaceParameters) EventFunc {
	_, names := b.Select("sites", "site", p.Sites)
	return shifts(&p.placeChange, b.parameters("sites", "site_pos/", names, 3))
}

type siteTurnParameters struct {
	sitesParameters `yaml:",inline"`
	turnChange      `yaml:",inline"`
}

// siteQuat turns sites on their bodies, and with them what they measure:
//
//	q = q(roll, pitch, yaw)·q_model
//
// Each angle is drawn evenly from its range. Unit rad. Frame: that of the body. mjlab has the same; Isaac Lab has no
// such term.
func siteQuat(b *Binder, p *siteTurnParameters) EventFunc {
	_, names := b.Select("sites", "site", p.Sites)
	return turns(&p.turnChange, b.parameters("sites", "site_quat/", names, 4))
}

type pairFrictionParameters struct {
	// Pairs are patterns of the names of the pairs of geoms that the model lists.
	Pairs  Patterns `yaml:"pairs"`
	change `yaml:",inline"`
	// Axes are the coefficients that change: 0 and 1 sliding, along both axes of a contact, 2 torsional, 3 and 4 rolling.
	Axes []int `yaml:"axes" want:"0..4"`
	// Isotropic makes the second of two coefficients that of the first.
	Isotropic bool `yaml:"isotropic"`
}

func (p *pairFrictionParameters) checkKeys(c *bounds.Check) {
	p.check(c, 0)
	checkAxes(c, p.Axes, 5)
}

// pairFriction changes the friction of the pairs of geoms that the model lists, by default the first sliding
// coefficient to a value from the range. Unit: 1 for sliding, m for the others; the least is 0. mjlab has the same;
// Isaac Lab has no such term.
func pairFriction(b *Binder, p *pairFrictionParameters) EventFunc {
	_, names := b.Select("pairs", "pair", p.Pairs)
	change := b.varied(&p.change, "pairs", "pair_friction", names, p.Axes, 0)
	if !p.Isotropic {
		return change
	}
	pairs := b.parameters("pairs", "pair_friction/", names, 5)
	rolls := slices.Contains(p.Axes, 3) || slices.Contains(p.Axes, 4)
	return func(v *View, r *rand.Rand) {
		change(v, r)
		values := v.Parameters()
		for _, pair := range pairs {
			values[pair[1].at] = values[pair[0].at]
			if rolls {
				values[pair[4].at] = values[pair[3].at]
			}
		}
	}
}

type jointChangeParameters struct {
	jointParameters `yaml:",inline"`
	change          `yaml:",inline"`
}

// joint changes an array of the model with one value for each joint.
func (b *Binder) joint(p *jointChangeParameters, source string, least float64) EventFunc {
	return b.varied(&p.change, "joints", source, b.jointNames(b.Joints("joints", p.Joints)), first, least)
}

// jointDamping changes the damping of joints, by default to a value from the range. Unit
// N·m·s/rad, or N·s/m; the least is 0. mjlab has the same; Isaac Lab's
// randomize_actuator_gains changes the damping of its actuators, see pd_gains.
func jointDamping(b *Binder, p *jointChangeParameters) EventFunc { return b.joint(p, "dof_damping", 0) }

// jointArmature changes the inertia that motors add to joints, by default to a value from the range. Unit kg·m², or kg;
// the least is 0. mjlab has the same; in Isaac Lab it is a part of randomize_joint_parameters.
func jointArmature(b *Binder, p *jointChangeParameters) EventFunc {
	return b.joint(p, "dof_armature", 0)
}

// jointFriction changes the dry friction of joints, by default to a value from the range. Unit N·m, or N; the least is
// 0. mjlab has the same; in Isaac Lab it is a part of randomize_joint_parameters, as a coefficient.
func jointFriction(b *Binder, p *jointChangeParameters) EventFunc {
	return b.joint(p, "dof_frictionloss", 0)
}

// jointStiffness changes the stiffness of the springs of joints, by default to a value from the range. Unit N·m/rad, or
// N/m; the least is 0. mjlab has the same; Isaac Lab has no such term, but see pd_gains.
func jointStiffness(b *Binder, p *jointChangeParameters) EventFunc {
	return b.joint(p, "jnt_stiffness", 0)
}

type defaultPosParameters struct {
	jointChangeParameters `yaml:",inline"`
}

func (p *defaultPosParameters) checkKeys(c *bounds.Check) { p.check(c, -maxValue) }

// jointDefaultPos changes the position at which the joints of the model are as it draws them, by default by an offset:
// a joint that is measured at q is turned by q less this position. Unit rad or m. mjlab has the same; Isaac Lab has no
// such term. The start pose stays as it is measured.
func jointDefaultPos(b *Binder, p *defaultPosParameters) EventFunc {
	return b.joint(&p.jointChangeParameters, "qpos0", -maxValue)
}

type jointLimitsParameters struct {
	jointChangeParameters `yaml:",inline"`
	// Axes are the limits that change: 0 the lower, 1 the upper.
	Axes []int `yaml:"axes" want:"0..1"`
}

func (p *jointLimitsParameters) checkKeys(c *bounds.Check) {
	p.check(c, -maxValue)
	checkAxes(c, p.Axes, 2)
}

// jointLimits changes the limits of joints in the engine, by default to values from the range; an upper limit is at
// least the lower. Unit rad or m. Limits that other terms and targets know are those of the model. In mjlab the ranges
// can be by the numbers of the axes, for which there are two entries here; in Isaac Lab it is a part of
// randomize_joint_parameters.
func jointLimits(b *Binder, p *jointLimitsParameters) EventFunc {
	joints := b.Joints("joints", p.Joints)
	for _, j := range joints {
		if joint := &b.Robot.Joints[j]; math.IsInf(joint.Low, 0) {
			b.Fail("joints", ": joint %s has no limits", joint.Name)
		}
	}
	change := b.varied(&p.change, "joints", "jnt_range", b.jointNames(joints), p.Axes, -maxValue)
	limits := b.parameters("joints", "jnt_range/", b.jointNames(joints), 2)
	return func(v *View, r *rand.Rand) {
		change(v, r)
		values := v.Parameters()
		for _, limit := range limits {
			values[limit[1].at] = max(values[limit[0].at], values[limit[1].at])
		}
	}
}

type tendonParameters struct {
	// Tendons are patterns of tendon names.
	Tendons Patterns `yaml:"tendons"`
	change  `yaml:",inline"`
}

// tendon changes an array of the model with one value for each tendon.
func (b *Binder) tendon(p *tendonParameters, source string) EventFunc {
	_, names := b.Select("tendons", "tendon", p.Tendons)
	return b.varied(&p.change, "tendons", source, names, first, 0)
}

// tendonDamping changes the damping of tendons, by default to a value from the range. Unit N·s/m, or N·m·s/rad of a
// tendon of joints; the least is 0. mjlab has the same; Isaac Lab's is a part of randomize_fixed_tendon_parameters.
func tendonDamping(b *Binder, p *tendonParameters) EventFunc { return b.tendon(p, "tendon_damping") }

// tendonStiffness changes the stiffness of tendons, by default to a value from the range. Unit N/m, or N·m/rad of a
// tendon of joints; the least is 0. mjlab has the same; Isaac Lab's is a part of randomize_fixed_tendon_parameters.
func tendonStiffness(b *Binder, p *tendonParameters) EventFunc {
	return b.tendon(p, "tendon_stiffness")
}

// tendonFriction changes the dry friction of tendons, by default to a value from the range. Unit N, or N·m of a tendon
// of joints; the least is 0. mjlab has the same; Isaac Lab has no such term.
func tendonFriction(b *Binder, p *tendonParameters) EventFunc {
	return b.tendon(p, "tendon_frictionloss")
}

// tendonArmature changes the inertia of tendons, by default to a value from the range. Unit kg, or kg·m² of a tendon of
// joints; the least is 0. mjlab has the same; Isaac Lab has no such term.
func tendonArmature(b *Binder, p *tendonParameters) EventFunc {
	return b.tendon(p, "tendon_armature")
}

// randomizePhysicsSceneGravity changes gravity, by default by an offset. Unit m/s². Frame: world. In Isaac Lab all
// environments have one gravity; mjlab has no such term. The quantity and the observation projected_gravity remain the
// direction of -z.
func randomizePhysicsSceneGravity(b *Binder, p *placeChange) EventFunc {
	return shifts(p, [][]constant{b.parameter("", "gravity", 3)})
}

type effortParameters struct {
	actuatedParameters `yaml:",inline"`
	// Range is the range of the limit, N·m or N, or of its factor.
	Range *Range `yaml:"effort_limit_range" want:"given any"`
	// Operation is scale, if factors are drawn, or abs.
	Operation string `yaml:"operation" want:"scale|abs"`
	// Distribution of the values drawn: uniform, log_uniform or gaussian.
	Distribution string `yaml:"distribution" want:"uniform|log_uniform|gaussian"`
}

func (p *effortParameters) checkKeys(c *bounds.Check) {
	checkDraw(c, "effort_limit_range", *p.Range, p.Distribution, p.Operation, 0)
}

// effortLimits changes the largest torques of the actuators of joints, by default by factors:
//
//	low, high = factor·(low, high)    or    -limit, limit
//
// The limit is that of the actuator, after its gear, or, where it has none, that of the joint. Unit N·m or N; the least
// is 0. mjlab has the same; Isaac Lab has no such term.
func effortLimits(b *Binder, p *effortParameters) EventFunc {
	var limits [][]constant
	var gears []float64 // from the torque of the limit to that at the joint
	for _, j := range b.Actuated("joints", p.Joints) {
		for i := range b.Robot.Actuators {
			a := &b.Robot.Actuators[i]
			if a.Joint != j {
				continue
			}
			limit, gear := b.limited("actuator_forcerange/"+a.Name), math.Abs(cmp.Or(a.Gear, 1))
			if limit == nil {
				gear = 1
				limit = b.limited("jnt_actfrcrange/" + b.Robot.Joints[j].Name)
			}
			if limit == nil {
				b.Fail("joints", ": neither actuator %s nor its joint has a limit of its torque", a.Name)
			}
			limits, gears = append(limits, limit), append(gears, gear)
		}
	}
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		for i, limit := range limits {
			x := max(draw(r, *p.Range, p.Distribution), 0)
			values[limit[0].at], values[limit[1].at] = -x/gears[i], x/gears[i]
			if p.Operation == scaled {
				values[limit[0].at], values[limit[1].at] = limit[0].nominal*x, limit[1].nominal*x
			}
		}
	}
}

// limited returns the two values of a parameter of limits; nil if the model has no such limits.
func (b *Binder) limited(source string) []constant {
	if nominal, err := b.Robot.Model.Nominal(source); err == nil && nominal[0] >= nominal[1] {
		return nil
	}
	return b.parameter("joints", source, 2)
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
	kp, kd       float64  // of the model, at the joint
	square       float64  // of the gear: the factor from the actuator's gains to those at the joint
	motor        bool     // onPos and onVel are kp and kd, and there is no gain
}

// pdGains changes the gains of the actuators of joints, by default by factors. Gains are those at the joint, after the
// gear of the actuator. Unit N·m/rad and N·m·s/rad, or N/m and
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
			if a.Kind != PositionActuator && a.Kind != VelocityActuator || a.Learned {
				b.Fail("joints", ": actuator %s has no gains, want position and velocity actuators", a.Name)
				return nil
			}
			bias := b.parameter("joints", "actuator_biasprm/"+a.Name, 3)
			if a.Motor {
				all = append(all, gains{motor: true, onPos: bias[0], onVel: bias[1], kp: bias[0].nominal, kd: bias[1].nominal})
				continue
			}
			gain, factor := b.parameter("joints", "actuator_gainprm/"+a.Name, 1)[0], square(cmp.Or(a.Gear, 1))
			all = append(all, gains{
				position: a.Kind == PositionActuator, gain: gain, onPos: bias[1], onVel: bias[2],
				kp: -bias[1].nominal * factor, kd: -bias[2].nominal * factor, square: factor,
			})
		}
	}
	return func(v *View, r *rand.Rand) {
		values := v.Parameters()
		for _, g := range all {
			kp := max(operate(p.Operation, g.kp, draw(r, p.KP, p.Distribution)), 0)
			kd := max(operate(p.Operation, g.kd, draw(r, p.KD, p.Distribution)), 0)
			if g.motor {
				values[g.onPos.at], values[g.onVel.at] = kp, kd
				continue
			}
			kp, kd = kp/g.square, kd/g.square
			values[g.onVel.at] = -kd
			if g.position {
				values[g.gain.at], values[g.onPos.at] = kp, -kp
			} else {
				values[g.gain.at] = kd
			}
		}
	}
}
