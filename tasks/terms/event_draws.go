package terms

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// The operations: the number drawn is a factor, an offset or the value itself.
const (
	opScale = "scale"
	opAdd   = "add"
	opAbs   = "abs"
)

// operate applies a number drawn to the value of the model.
func operate(operation string, nominal, number float64) float64 {
	switch operation {
	case opScale:
		return nominal * number
	case opAdd:
		return nominal + number
	}
	return number
}

// The distributions.
const (
	uniformDraw    = "uniform"
	logUniformDraw = "log_uniform"
	gaussianDraw   = "gaussian"
)

// draw draws a number.
func draw(r *rand.Rand, limits Range, distribution string) float64 {
	switch distribution {
	case logUniformDraw:
		low, high := math.Log(limits[0]), math.Log(limits[1])
		return math.Exp(low + float64((high-low)*r.Float64()))
	case gaussianDraw:
		return limits[0] + float64(limits[1]*r.NormFloat64())
	}
	return uniform(r, limits)
}

// checkDraw checks a range. least is the lowest valid value; a factor must not be negative.
func checkDraw(c *bounds.Check, key string, r Range, distribution, operation string, least float64) {
	if distribution == gaussianDraw {
		c.Number(key+"[0]", r[0], -maxValue, maxValue)
		c.Number(key+"[1]", r[1], 0, maxValue)
		return
	}
	r.checkFinite(c, key)
	switch {
	case distribution == logUniformDraw:
		c.Above(key+"[0]", r[0], 0, maxValue)
	case operation == opScale:
		c.Number(key+"[0]", r[0], 0, maxValue)
	case operation == opAbs:
		c.Number(key+"[0]", r[0], least, maxValue)
	}
}

// change is a drawing of numbers, by default of one number for each object.
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

func (p *change) check(c *bounds.Check, f *field) {
	checkDraw(c, "ranges", *p.Ranges, p.Distribution, p.Operation, f.least)
}

func (p *change) target(b *Binder, f *field, o object) target {
	return p.numbers(f, b.constants(f.array, o, f.size), firstAxis)
}

// numbers returns the target whose values on some axes are drawn.
func (p *change) numbers(f *field, values []constant, axes []int) target {
	t := target{ranges: slices.Repeat([]*Range{p.Ranges}, len(axes)), distribution: p.Distribution, shared: p.SharedRandom}
	t.write = func(parameters, draws []float64) {
		for i, axis := range axes {
			c := values[axis]
			parameters[c.index] = f.bound(operate(p.Operation, c.nominal, draws[i]))
		}
	}
	return t
}

// follow makes a function write what follows from the numbers of a target.
func (t target) follow(write func(parameters []float64)) target {
	numbers := t.write
	t.write = func(parameters, draws []float64) {
		numbers(parameters, draws)
		write(parameters)
	}
	return t
}

type massChange struct {
	change `yaml:",inline"`
	// RecomputeInertia changes the inertia of a body by the same factor as its mass.
	RecomputeInertia bool `yaml:"recompute_inertia"`
}

func (p *massChange) target(b *Binder, f *field, o object) target {
	mass := b.mass(o)
	t := p.change.target(b, f, o)
	if !p.RecomputeInertia {
		return t
	}
	inertia := b.constants("body_inertia", o, 3)
	return t.follow(func(parameters []float64) {
		factor := parameters[mass.index] / mass.nominal
		for _, c := range inertia {
			parameters[c.index] = c.nominal * factor
		}
	})
}

// axesChange is a drawing of some of the values of an object.
type axesChange struct {
	change `yaml:",inline"`
	// Axes are the values that change: see [field].
	Axes []int `yaml:"axes"`
}

func (p *axesChange) check(c *bounds.Check, f *field) {
	for i, axis := range p.Axes {
		c.Whole(fmt.Sprintf("axes[%d]", i), int64(axis), 0, int64(f.size-1))
	}
	p.change.check(c, f)
	if len(p.Axes) == 0 || len(p.Axes) > f.size {
		c.Fail("axes has %d numbers, want 1 to %d of them", len(p.Axes), f.size)
	}
}

func (p *axesChange) target(b *Binder, f *field, o object) target {
	return p.numbers(f, b.constants(f.array, o, f.size), p.Axes)
}

type pairChange struct {
	axesChange `yaml:",inline"`
	// Isotropic makes the second of two coefficients that of the first.
	Isotropic bool `yaml:"isotropic"`
}

func (p *pairChange) target(b *Binder, f *field, o object) target {
	t := p.axesChange.target(b, f, o)
	if !p.Isotropic {
		return t
	}
	friction := b.constants(f.array, o, f.size)
	rolls := slices.Contains(p.Axes, 3) || slices.Contains(p.Axes, 4)
	return t.follow(func(parameters []float64) {
		parameters[friction[1].index] = parameters[friction[0].index]
		if rolls {
			parameters[friction[4].index] = parameters[friction[3].index]
		}
	})
}

type limitChange struct {
	axesChange `yaml:",inline"`
}

func (p *limitChange) target(b *Binder, f *field, o object) target {
	if math.IsInf(b.Robot.Joints[o.index].Low, 0) {
		b.Fail(o.key, ": joint %s has no limits", o.name)
	}
	limits := b.constants(f.array, o, f.size)
	low, high := limits[0].index, limits[1].index
	return p.axesChange.target(b, f, o).follow(func(parameters []float64) {
		parameters[high] = max(parameters[low], parameters[high])
	})
}

type sizeChange struct {
	axesChange `yaml:",inline"`
}

func (p *sizeChange) check(c *bounds.Check, f *field) {
	if p.Axes == nil {
		p.change.check(c, f)
	} else {
		p.axesChange.check(c, f)
	}
}

// sizeCounts are the numbers of sizes of the types of geoms that can change.
var sizeCounts = map[string]int{"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}

func (p *sizeChange) target(b *Binder, f *field, o object) target {
	shape := b.Robot.Geoms[o.index].Type
	count, axes := sizeCounts[shape], p.Axes
	if count == 0 {
		b.Fail(o.key, ": geom %s is a %s, want spheres, capsules, cylinders, ellipsoids or boxes", o.name, shape)
	}
	if axes == nil {
		axes = []int{0, 1, 2}[:count]
	}
	for i, axis := range axes {
		if axis >= count {
			b.Fail(fmt.Sprintf("axes[%d]", i), "is %d, and geom %s, a %s, has %d", axis, o.name, shape, count)
		}
	}
	return p.numbers(f, b.constants(f.array, o, f.size), axes)
}

type colorChange struct {
	axesChange `yaml:",inline"`
	// Grey draws one value for the three.
	Grey bool `yaml:"grey"`
}

func (p *colorChange) target(b *Binder, f *field, o object) target {
	return p.axesChange.target(b, f, o).merge(p.Grey)
}

// merge makes a target draw one number for all of its values, if wanted.
func (t target) merge(wanted bool) target {
	if !wanted {
		return t
	}
	n, write := len(t.ranges), t.write
	t.ranges = t.ranges[:1]
	t.write = func(parameters, draws []float64) {
		for i := range n {
			draws[i] = draws[0]
		}
		write(parameters, draws)
	}
	return t
}

type repeatChange struct {
	axesChange `yaml:",inline"`
	// Isotropic draws one value for both directions.
	Isotropic bool `yaml:"isotropic"`
}

func (p *repeatChange) target(b *Binder, f *field, o object) target {
	return p.axesChange.target(b, f, o).merge(p.Isotropic)
}

// textureChange is a drawing of textures.
type textureChange struct {
	// Textures are patterns of the names of textures, of any model of the scene.
	Textures Patterns `yaml:"textures"`
	// SharedRandom draws once for all materials, not for each.
	SharedRandom bool `yaml:"shared_random"`
}

func (p *textureChange) check(*bounds.Check, *field) {}

func (p *textureChange) target(b *Binder, f *field, o object) target {
	texture, list := b.constants(f.array, o, f.size)[0], b.textures("texture", p.Textures)
	t := choice(len(list), func(parameters []float64, n int) { parameters[texture.index] = float64(list[n]) })
	t.shared = p.SharedRandom
	return t
}

// skyChange is a drawing of skyboxes.
type skyChange struct {
	// Textures are patterns of the names of skyboxes, of any model of the scene.
	Textures Patterns `yaml:"textures"`
}

func (p *skyChange) check(*bounds.Check, *field) {}

func (p *skyChange) target(b *Binder, _ *field, o object) target {
	list := b.textures("skybox", p.Textures)
	colors := [2][]constant{b.constants("sky_zenith", o, 3), b.constants("sky_nadir", o, 3)}
	return choice(len(list), func(parameters []float64, n int) {
		for i, color := range b.Robot.Textures[list[n]].Sky {
			for k, x := range color {
				parameters[colors[i][k].index] = x
			}
		}
	})
}

// choice returns the target that draws one of n things, each as likely.
func choice(n int, write func(parameters []float64, chosen int)) target {
	limits := &Range{0, float64(n)}
	return target{ranges: []*Range{limits}, distribution: uniformDraw, write: func(parameters, draws []float64) {
		write(parameters, min(int(draws[0]), n-1))
	}}
}

// textures returns the numbers of the textures of a kind, texture or skybox, that patterns select in the whole scene.
func (b *Binder) textures(kind string, patterns Patterns) (numbers []int) {
	index, names := b.Robot.objects(kind, anyEntity)
	selection, err := choose(kind, patterns, names)
	if err != nil {
		b.Fail("textures", "%w", err)
	}
	for _, i := range selection {
		numbers = append(numbers, index[i])
	}
	return numbers
}

// placeChange is a drawing of places.
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

func (p *placeParameters) axes() []*Range { return []*Range{p.X, p.Y, p.Z} }

func (p *placeChange) check(c *bounds.Check, _ *field) {
	for i, r := range p.Ranges.axes() {
		if r != nil {
			checkDraw(c, "ranges."+string("xyz"[i]), *r, p.Distribution, p.Operation, -maxValue)
		}
	}
}

func (p *placeChange) target(b *Binder, f *field, o object) target {
	place, ranges := b.constants(f.array, o, f.size), p.Ranges.axes()
	return target{ranges: ranges, distribution: p.Distribution, write: func(parameters, draws []float64) {
		for i, limits := range ranges {
			if limits != nil {
				parameters[place[i].index] = operate(p.Operation, place[i].nominal, draws[i])
			}
		}
	}}
}

// turnChange is a drawing of turns of what has a quaternion.
type turnChange struct {
	// RollRange is the range about x, rad.
	RollRange *Range `yaml:"roll_range"`
	// PitchRange is the range about y, rad.
	PitchRange *Range `yaml:"pitch_range"`
	// YawRange is the range about z, rad.
	YawRange *Range `yaml:"yaw_range"`
}

func (p *turnChange) check(*bounds.Check, *field) {}

func (p *turnChange) target(b *Binder, f *field, o object) target {
	quaternion := b.constants(f.array, o, f.size)
	nominal := [4]float64(nominals(quaternion))
	t := target{ranges: []*Range{p.RollRange, p.PitchRange, p.YawRange}, distribution: uniformDraw,
		kept: b.keep(f.array+"/"+o.name, 3)}
	t.write = func(parameters, draws []float64) {
		for i, x := range rotation.Product(eulerQuaternion(draws[0], draws[1], draws[2]), nominal) {
			parameters[quaternion[i].index] = x
		}
	}
	return t
}

type effortChange struct {
	// Range is the range of the limit, N·m or N, or of its factor.
	Range *Range `yaml:"effort_limit_range" want:"given any"`
	// Operation is scale, if factors are drawn, or abs.
	Operation string `yaml:"operation" want:"scale|abs"`
	// Distribution of the values drawn: uniform, log_uniform or gaussian.
	Distribution string `yaml:"distribution" want:"uniform|log_uniform|gaussian"`
}

func (p *effortChange) check(c *bounds.Check, f *field) {
	checkDraw(c, "effort_limit_range", *p.Range, p.Distribution, p.Operation, f.least)
}

func (p *effortChange) target(b *Binder, f *field, o object) target {
	a := &b.Robot.Actuators[o.index]
	limits := b.limits(f.array, o)
	gear := math.Abs(cmp.Or(a.Gear, 1)) // the factor from the torque of the limits to that at the joint
	if limits == nil {
		gear = 1
		limits = b.limits("jnt_actfrcrange", object{key: o.key, name: b.Robot.Joints[a.Joint].Name})
	}
	if limits == nil {
		b.Fail(o.key, ": neither actuator %s nor its joint has a limit of its torque", a.Name)
		return target{}
	}
	low, high := limits[0], limits[1]
	ranges := []*Range{p.Range}
	return target{ranges: ranges, distribution: p.Distribution, write: func(parameters, draws []float64) {
		x := f.bound(draws[0])
		if p.Operation == opScale {
			parameters[low.index], parameters[high.index] = low.nominal*x, high.nominal*x
		} else {
			parameters[low.index], parameters[high.index] = -x/gear, x/gear
		}
	}}
}

// limits returns the two values of an array of limits; nil if the model has no such limits.
func (b *Binder) limits(array string, o object) []constant {
	if nominal, err := b.Robot.Model.Nominal(array + "/" + o.name); err == nil && nominal[0] >= nominal[1] {
		return nil
	}
	return b.constants(array, o, 2)
}

type gainChange struct {
	// KP is the range of the stiffness, or of its factor; without it the stiffness stays as it is.
	KP *Range `yaml:"kp_range" want:"any"`
	// KD is the range of the damping, or of its factor; without it the damping stays as it is.
	KD *Range `yaml:"kd_range" want:"any"`
	// Operation is scale, if factors are drawn, or abs.
	Operation string `yaml:"operation" want:"scale|abs"`
	// Distribution of the values drawn: uniform, log_uniform or gaussian.
	Distribution string `yaml:"distribution" want:"uniform|log_uniform|gaussian"`
}

func (p *gainChange) check(c *bounds.Check, f *field) {
	for i, limits := range []*Range{p.KP, p.KD} {
		if limits != nil {
			checkDraw(c, []string{"kp_range", "kd_range"}[i], *limits, p.Distribution, p.Operation, f.least)
		}
	}
}

// target changes the constants of an actuator that decide its torque:
//
//	position    kp·(target - q) - kd·q̇    gain = kp, bias = 0, -kp, -kd
//	velocity    kd·(target - q̇)           gain = kd, bias = 0, 0, -kd
//
// These are multiplied by the square of the gear. Of a DC motor the bias begins with kp and kd, and there is no gain.
func (p *gainChange) target(b *Binder, f *field, o object) target {
	a := &b.Robot.Actuators[o.index]
	if a.Kind != PositionActuator && a.Kind != VelocityActuator || a.Learned {
		b.Fail(o.key, ": actuator %s has no gains, want position and velocity actuators", a.Name)
		return target{}
	}
	bias := b.constants(f.array, o, f.size)
	t := target{ranges: []*Range{p.KP, p.KD}, distribution: p.Distribution}
	if a.Motor {
		t.write = func(parameters, draws []float64) {
			for i, c := range bias[:2] {
				if t.ranges[i] != nil {
					parameters[c.index] = f.bound(operate(p.Operation, c.nominal, draws[i]))
				}
			}
		}
		return t
	}
	gain, square := b.constants("actuator_gainprm", o, 1)[0], square(cmp.Or(a.Gear, 1))
	nominal := [2]float64{-bias[1].nominal * square, -bias[2].nominal * square} // at the joint
	t.write = func(parameters, draws []float64) {
		if p.KP != nil && a.Kind == PositionActuator {
			kp := f.bound(operate(p.Operation, nominal[0], draws[0])) / square
			parameters[gain.index], parameters[bias[1].index] = kp, -kp
		}
		if p.KD != nil {
			kd := f.bound(operate(p.Operation, nominal[1], draws[1])) / square
			parameters[bias[2].index] = -kd
			if a.Kind == VelocityActuator {
				parameters[gain.index] = kd
			}
		}
	}
	return t
}

// mass returns the mass of a body, which must have one of its own.
func (b *Binder) mass(o object) constant {
	mass := b.constants("body_mass", o, 1)[0]
	if mass.nominal == 0 {
		b.Fail(o.key, ": body %s has no mass of its own", o.name)
	}
	return mass
}
