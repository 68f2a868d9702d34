package terms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// fields are the events that change constants of the scene, for each world its own, in the order of the page. There the
// comment of a row is its section.
var fields = []Term{
	// body_mass changes the masses of bodies, by default by a factor. Unit kg; the least mass is
	// 1e-6. Isaac Lab's randomize_rigid_body_mass also changes the inertia by the same factor
	// unless recompute_inertia is false; mjlab's body_mass never does.
	randomize[bodyParameters]("body_mass", field{array: "body_mass", size: 1, least: 1e-6},
		massChange{change: scaleChange, RecomputeInertia: true}),
	// body_com_offset moves the centre of mass of bodies, by default by an offset drawn evenly from the ranges. Unit m.
	// Frame: that of the body. Isaac Lab's randomize_rigid_body_com is the same; in mjlab the ranges are by the numbers
	// of the axes. A body whose centre of mass is the origin of its frame, with the axes of the frame as principal
	// axes, is refused: MuJoCo computes such a body in a way that leaves no room for an offset.
	randomize[bodyParameters]("body_com_offset", field{array: "body_ipos", size: 3, need: (*Binder).needMovable},
		defaultPlace),
	// body_pos moves bodies relative to what they hang on, by default by an offset. Unit m. Frame: that of the parent.
	// In mjlab the ranges are by the numbers of the axes; Isaac Lab has no such term. The place of a body with a free
	// joint is part of the state, see reset_root_state_uniform.
	randomize[bodyParameters]("body_pos", field{array: "body_pos", size: 3}, defaultPlace),
	// body_quat turns bodies relative to what they hang on:
	//
	//	q = q(roll, pitch, yaw)·q_model
	//
	// Each angle is drawn evenly from its range; one without is what an entry before has drawn, or else 0. Unit rad.
	// Frame: that of the parent. mjlab has the same; Isaac Lab has no such term.
	randomize[bodyParameters]("body_quat", field{array: "body_quat", size: 4}, turnChange{}),
	// pseudo_inertia changes mass, centre of mass and inertia of bodies together, so that there is always a body that
	// has them. The mass of the body is stretched, sheared and shifted in the frame of the body:
	//
	//	J' = U·J·Uᵀ    U = e^α·[e^d1 s12 s13 t1; 0 e^d2 s23 t2; 0 0 e^d3 t3; 0 0 0 1]
	//
	// J is the pseudo-inertia, 4 × 4: the second moments of the mass, the first moments and the mass. Each of the ten
	// numbers is drawn evenly from its range; one without is what an entry before has drawn, or else 0. With alpha_range alone, mass and inertia have the factor e^2α and the
	// rest stays as it is; else a body whose centre of mass is the origin of its frame is refused, as in
	// body_com_offset. mjlab has the same, with U applied to a factor L of J = L·Lᵀ, which is the same J'. Isaac Lab
	// has no such term. After C. Rucker and P. Wensing, "Smooth parameterization of rigid-body inertia" (2022).
	randomize[bodyParameters]("pseudo_inertia", field{array: "body_mass", size: 1}, inertiaChange{}),
	// geom_friction changes the friction of geoms, by default the sliding coefficient to a value from the range. Unit:
	// 1 for sliding, m for the others; the least is 0. In a contact MuJoCo takes the larger of the two geoms'
	// coefficients, unless one has a priority; a contact of a pair that the file lists has the pair's, see
	// pair_friction. mjlab has the same; Isaac Lab's randomize_rigid_body_material draws static and dynamic friction
	// from buckets.
	randomize[geomsParameters]("geom_friction", field{array: "geom_friction", size: 3,
		axes: "coefficients that change: 0 sliding, 1 torsional, 2 rolling"}, axesChange{absChange, firstAxis}),
	// geom_size changes the sizes of geoms, by default by a factor. Unit m; the least is 1e-6. Spheres, capsules,
	// cylinders, ellipsoids and boxes have sizes that can change; masses and inertias stay as they are. mjlab has the
	// same; Isaac Lab's randomize_rigid_body_scale acts before the simulation begins.
	randomize[geomsParameters]("geom_size", field{array: "geom_size", size: 3, least: 1e-6,
		axes: "sizes that change; all that the type of the geom has if not given. 0 is a radius or, of a box or an " +
			"ellipsoid, half its length along x; 1 is half the length of a capsule or a cylinder, or along y; 2 along z"},
		sizeChange{axesChange{change: scaleChange}}),
	// geom_pos moves geoms on their bodies, by default by an offset. Unit m. Frame: that of the body. In mjlab the
	// ranges are by the numbers of the axes and, unless an operation is given, places; Isaac Lab has no such term.
	randomize[geomsParameters]("geom_pos", field{array: "geom_pos", size: 3}, defaultPlace),
	// geom_quat turns geoms on their bodies:
	//
	//	q = q(roll, pitch, yaw)·q_model
	//
	// Each angle is drawn evenly from its range; one without is what an entry before has drawn, or else 0. Unit rad.
	// Frame: that of the body. mjlab has the same; Isaac Lab has no such term.
	randomize[geomsParameters]("geom_quat", field{array: "geom_quat", size: 4}, turnChange{}),
	// site_pos moves sites on their bodies, and with them what they measure, by default by an offset. Unit m. Frame:
	// that of the body. In mjlab the ranges are by the numbers of the axes and, unless an operation is given, places;
	// Isaac Lab has no such term.
	randomize[sitesParameters]("site_pos", field{array: "site_pos", size: 3}, defaultPlace),
	// site_quat turns sites on their bodies, and with them what they measure:
	//
	//	q = q(roll, pitch, yaw)·q_model
	//
	// Each angle is drawn evenly from its range; one without is what an entry before has drawn, or else 0. Unit rad.
	// Frame: that of the body. mjlab has the same; Isaac Lab has no such term.
	randomize[sitesParameters]("site_quat", field{array: "site_quat", size: 4}, turnChange{}),
	// cam_pos moves cameras on their bodies, by default by an offset. Unit m. Frame: that of the body. In mjlab the
	// ranges are by the numbers of the axes and, unless an operation is given, places; Isaac Lab has no such term.
	randomize[camerasParameters]("cam_pos", field{array: "cam_pos", size: 3, need: (*Binder).needFixed}, defaultPlace),
	// cam_quat turns cameras on their bodies:
	//
	//	q = q(roll, pitch, yaw)·q_model
	//
	// Each angle is drawn evenly from its range; one without is what an entry before has drawn, or else 0. Unit rad.
	// Frame: that of the body. mjlab has the same; Isaac Lab has no such term.
	randomize[camerasParameters]("cam_quat", field{array: "cam_quat", size: 4, need: (*Binder).needFixed},
		turnChange{}),
	// cam_fovy changes the fields of view of cameras, by default to a value from the range. Unit: degrees, vertical,
	// 0.1 to 170. A channel with a fovy of its own keeps it. mjlab has the same; Isaac Lab has no such term.
	randomize[camerasParameters]("cam_fovy", field{array: "cam_fovy", size: 1, least: 0.1, most: 170}, absChange),
	// light_pos moves lights on their bodies, by default by an offset. Unit m. Frame: that of the body. In mjlab the
	// ranges are by the numbers of the axes and, unless an operation is given, places; Isaac Lab has no such term.
	randomize[lightsParameters]("light_pos", field{array: "light_pos", size: 3, need: (*Binder).needFixed},
		defaultPlace),
	// light_dir changes the direction in which lights shine, by default by an offset to the unit vector. Unit 1. Frame:
	// that of the body. In mjlab the ranges are by the numbers of the axes and, unless an operation is given,
	// directions; Isaac Lab has no such term.
	randomize[lightsParameters]("light_dir", field{array: "light_dir", size: 3, need: (*Binder).needFixed},
		defaultPlace),
	// light_diffuse changes the colours of lights, by default to values from the range, for each of red, green and
	// blue. Unit: 0 to 1. Cameras see the first lights that are on, eight with the headlight. mjlab has the same; Isaac Lab has no such term.
	randomize[lightsParameters]("light_diffuse", color("light_diffuse"), defaultColor),
	// light_ambient changes the light that lights add everywhere, as light_diffuse changes their colours.
	randomize[lightsParameters]("light_ambient", color("light_ambient"), defaultColor),
	// headlight_diffuse changes the colour of the light that shines from the camera (visual/headlight of the model), by
	// default to values from the range, for each of red, green and blue. Unit: 0 to 1. mjlab and Isaac Lab have no such
	// term.
	randomize[sceneParameters]("headlight_diffuse", color("headlight_diffuse"), defaultColor),
	// headlight_ambient changes the light that is everywhere, as headlight_diffuse changes that from the camera.
	randomize[sceneParameters]("headlight_ambient", color("headlight_ambient"), defaultColor),
	// geom_rgba changes the colours of geoms, by default to values from the range, for each of red, green and blue.
	// Unit: 0 to 1. In MuJoCo the colour of a geom replaces that of its material, so that a geom with a material keeps
	// none of it but the texture. mjlab has the same, with opacity as a fourth part, and without effect on geoms with a
	// material; Isaac Lab has randomize_visual_color.
	randomize[geomsParameters]("geom_rgba", color("geom_rgba"), defaultColor),
	// mat_rgba changes the colours of materials, and of all geoms that have them, by default to values from the range,
	// for each of red, green and blue. Unit: 0 to 1; a texture is multiplied by it. mjlab has the same, with opacity as
	// a fourth part; Isaac Lab has no such term.
	randomize[materialsParameters]("mat_rgba", color("mat_rgba"), defaultColor),
	// mat_texid changes the textures of materials, and of all geoms that have them: each of the textures that patterns
	// select is as likely. The textures are those of any model of the scene, such as checkers, gradients and files; skyboxes
	// are none of them. A geom shows the texture as its material lays it. mjlab has the same, with the textures of the entity;
	// Isaac Lab has randomize_visual_texture_material.
	randomize[materialsParameters]("mat_texid", field{array: "mat_texid", size: 1}, textureChange{}),
	// mat_texrepeat changes how often materials repeat their textures, by default to values from the range, for each of
	// columns and rows. Unit 1: repetitions over a geom, or over two metres where texuniform is set; the least is
	// 0.001. mjlab has the same; Isaac Lab has no such term.
	randomize[materialsParameters]("mat_texrepeat", field{array: "mat_texrepeat", size: 2, least: 0.001,
		axes: "directions that change: 0 along columns, 1 along rows"},
		repeatChange{axesChange: axesChange{absChange, []int{0, 1}}}),
	// sky_zenith changes the colour of the sky above, by default to values from the range, for each of red, green and
	// blue. Unit: 0 to 1. mjlab and Isaac Lab have no such term.
	randomize[sceneParameters]("sky_zenith", color("sky_zenith"), defaultColor),
	// sky_nadir changes the colour of the sky below, as sky_zenith changes that above.
	randomize[sceneParameters]("sky_nadir", color("sky_nadir"), defaultColor),
	// sky_texture makes the sky one of the skyboxes: each of those that patterns select is as likely. mjlab and Isaac
	// Lab have no such term.
	randomize[sceneParameters]("sky_texture", field{array: "sky_zenith", size: 3}, skyChange{}),
	// pair_friction changes the friction of the pairs of geoms that the model lists, by default the first sliding
	// coefficient to a value from the range. Unit: 1 for sliding, m for the others; the least is 0. mjlab has the same;
	// Isaac Lab has no such term.
	randomize[pairsParameters]("pair_friction", field{array: "pair_friction", size: 5,
		axes: "coefficients that change: 0 and 1 sliding, along both axes of a contact, 2 torsional, 3 and 4 rolling"},
		pairChange{axesChange: axesChange{absChange, firstAxis}}),
	// pd_gains changes the gains of the actuators of joints, by default by factors. Gains are those at the joint, after
	// the gear of the actuator. Unit N·m/rad and N·m·s/rad, or N/m and N·s/m; the least is 0. A position actuator has
	// both gains, a velocity actuator kd only. mjlab has the same; Isaac Lab's randomize_actuator_gains too, with
	// stiffness and damping in place of kp and kd. The damping of a joint is another constant, see joint_damping.
	randomize[actuatedParameters]("pd_gains", field{array: "actuator_biasprm", size: 3},
		gainChange{Operation: opScale, Distribution: uniformDraw}),
	// effort_limits changes the largest torques of the actuators of joints, by default by factors:
	//
	//	low, high = factor·(low, high)    or    -limit, limit
	//
	// The limit is that of the actuator, after its gear, or, where it has none, that of the joint. Unit N·m or N; the
	// least is 0. mjlab has the same; Isaac Lab has no such term.
	randomize[actuatedParameters]("effort_limits", field{array: "actuator_forcerange", size: 2},
		effortChange{Operation: opScale, Distribution: uniformDraw}),
	// joint_damping changes the damping of joints, by default to a value from the range. Unit
	// N·m·s/rad, or N·s/m; the least is 0. mjlab has the same; Isaac Lab's
	// randomize_actuator_gains changes the damping of its actuators, see pd_gains.
	randomize[jointParameters]("joint_damping", field{array: "dof_damping", size: 1}, absChange),
	// joint_armature changes the inertia that motors add to joints, by default to a value from the range. Unit kg·m²,
	// or kg; the least is 0. mjlab has the same; in Isaac Lab it is a part of randomize_joint_parameters.
	randomize[jointParameters]("joint_armature", field{array: "dof_armature", size: 1}, absChange),
	// joint_friction changes the dry friction of joints, by default to a value from the range. Unit N·m, or N; the
	// least is 0. mjlab has the same; in Isaac Lab it is a part of randomize_joint_parameters, as a coefficient.
	randomize[jointParameters]("joint_friction", field{array: "dof_frictionloss", size: 1}, absChange),
	// joint_stiffness changes the stiffness of the springs of joints, by default to a value from the range. Unit
	// N·m/rad, or N/m; the least is 0. mjlab has the same; Isaac Lab has no such term, but see pd_gains.
	randomize[jointParameters]("joint_stiffness", field{array: "jnt_stiffness", size: 1}, absChange),
	// joint_limits changes the limits of joints in the engine, by default to values from the range; an upper limit is
	// at least the lower. Unit rad or m. Limits that other terms and targets know are those of the model. In mjlab the
	// ranges can be by the numbers of the axes, for which there are two entries here; in Isaac Lab it is a part of
	// randomize_joint_parameters.
	randomize[jointParameters]("joint_limits", field{array: "jnt_range", size: 2, least: -maxValue,
		axes: "limits that change: 0 the lower, 1 the upper"}, limitChange{axesChange{absChange, []int{0, 1}}}),
	// joint_default_pos changes the position at which the joints of the model are as it draws them, by default by an
	// offset: a joint that is measured at q is turned by q less this position. Unit rad or m. mjlab has the same; Isaac
	// Lab has no such term. The start pose stays as it is measured.
	randomize[jointParameters]("joint_default_pos", field{array: "qpos0", size: 1, least: -maxValue}, addChange),
	// tendon_damping changes the damping of tendons, by default to a value from the range. Unit N·s/m, or N·m·s/rad of
	// a tendon of joints; the least is 0. mjlab has the same; Isaac Lab's is a part of
	// randomize_fixed_tendon_parameters.
	randomize[tendonsParameters]("tendon_damping", field{array: "tendon_damping", size: 1}, absChange),
	// tendon_stiffness changes the stiffness of tendons, by default to a value from the range. Unit N/m, or N·m/rad of
	// a tendon of joints; the least is 0. mjlab has the same; Isaac Lab's is a part of
	// randomize_fixed_tendon_parameters.
	randomize[tendonsParameters]("tendon_stiffness", field{array: "tendon_stiffness", size: 1}, absChange),
	// tendon_friction changes the dry friction of tendons, by default to a value from the range. Unit N, or N·m of a
	// tendon of joints; the least is 0. mjlab has the same; Isaac Lab has no such term.
	randomize[tendonsParameters]("tendon_friction", field{array: "tendon_frictionloss", size: 1}, absChange),
	// tendon_armature changes the inertia of tendons, by default to a value from the range. Unit kg, or kg·m² of a
	// tendon of joints; the least is 0. mjlab has the same; Isaac Lab has no such term.
	randomize[tendonsParameters]("tendon_armature", field{array: "tendon_armature", size: 1}, absChange),
	// randomize_physics_scene_gravity changes gravity, by default by an offset. Unit m/s². Frame: world. In Isaac Lab
	// all environments have one gravity; mjlab has no such term. The quantity and the observation projected_gravity
	// remain the direction of -z.
	randomize[sceneParameters]("randomize_physics_scene_gravity", field{array: "gravity", size: 3}, defaultPlace),
}

// The defaults of most draws.
var (
	absChange    = change{Operation: opAbs, Distribution: uniformDraw}
	addChange    = change{Operation: opAdd, Distribution: uniformDraw}
	scaleChange  = change{Operation: opScale, Distribution: uniformDraw}
	defaultPlace = placeChange{Operation: opAdd, Distribution: uniformDraw}
	defaultColor = colorChange{axesChange: axesChange{absChange, []int{0, 1, 2}}}
	firstAxis    = []int{0}
)

// field is an array of the model, in which each of some objects has values. An event that changes it starts from the
// values of the model, so that one which happens again does not add up.
type field struct {
	array string // the engine's name of it
	size  int    // the number of values of an object

	// The values stay within these. The least one bounds ranges of operation abs, too. A most of 0 stands for no bound.
	least, most float64

	axes string // what the page says of the key axes, if the drawing has it

	need func(b *Binder, o object) // fails for an object that the engine cannot change; nil: it can change all
}

// color is an array of colours.
func color(array string) field {
	return field{array: array, size: 3, most: 1, axes: "parts that change: 0 red, 1 green, 2 blue"}
}

// bound brings a value within the bounds of the field.
func (f *field) bound(x float64) float64 { return min(max(x, f.least), f.most) }

// object is a thing of the scene whose values an event changes.
type object struct {
	key   string // the parameter that selects it
	kind  string // see [Binder.Select]
	name  string // "" of the scene itself
	index int    // its number in the list of its kind of [Robot]
}

// target says what is drawn for an object.
type target struct {
	ranges       []*Range // one for each number to draw, at most maxDraws; nil: a number that has no effect
	distribution string
	shared       bool // the numbers drawn for one object count for all

	kept *Slot // where numbers are kept of which each entry draws some; see [Binder.keep]

	write func(parameters, drawn []float64) // writes what follows from the numbers drawn to [sim.World.Parameters]
}

// maxDraws is the largest number of numbers that are drawn for an object.
const maxDraws = 10

// The parameters of the events of fields: which objects change, and what is drawn for them.
type (
	selection interface{ objects(b *Binder) []object }

	drawing interface {
		// check checks the ranges, as [checker] does.
		check(c *bounds.Check, f *field)
		// target gives worlds parameters of their own for the values of an object.
		target(b *Binder, f *field, o object) target
	}
)

// randomize makes the row of an event that changes a field: S says of which objects, D what is drawn.
func randomize[S selection, D any, P interface {
	*D
	drawing
}](name string, f field, defaults D) Term {
	if f.most == 0 {
		f.most = math.Inf(1)
	}
	type parameters struct {
		Objects S `yaml:",inline"`
		Drawing D `yaml:",inline"`
	}
	t := markLasting(term(name, func(b *Binder, p *parameters) EventFunc {
		return b.randomize(&f, p.Objects.objects(b), P(&p.Drawing))
	}, parameters{Drawing: defaults}))
	t.docs, t.array, t.axes = "", f.array, f.axes
	t.check = func(c *bounds.Check, p any) { P(&p.(*parameters).Drawing).check(c, &f) }
	return t
}

// randomize returns the event that draws the values of objects.
func (b *Binder) randomize(f *field, objects []object, d drawing) EventFunc {
	var targets []target
	for _, o := range objects {
		if f.need != nil {
			f.need(b, o)
		}
		targets = append(targets, d.target(b, f, o))
	}
	b.noteWritten(targets)
	b.plan.scratch = max(b.plan.scratch, maxDraws)
	return func(v *View, r *rand.Rand) {
		parameters, draws, count := v.Parameters(), v.scratch[:maxDraws], 0
		for _, t := range targets {
			if !t.shared {
				count = 0
			}
			for ; count < len(t.ranges); count++ {
				if limits := t.ranges[count]; limits != nil {
					draws[count] = draw(r, *limits, t.distribution)
				} else {
					r.Float64() // the other numbers do not depend on which have an effect
					draws[count] = 0
				}
			}
			if t.kept != nil {
				kept := v.Slot(*t.kept)
				for i := range t.ranges {
					if t.ranges[i] != nil {
						kept[i] = draws[i]
					}
				}
				copy(draws, kept)
			}
			t.write(parameters, draws)
		}
	}
}

// noteWritten notes which constants an event writes: those that are no longer what they were after it.
func (b *Binder) noteWritten(targets []target) {
	if b.err != nil {
		return // what is bound then is harmless, but cannot be called
	}
	parameters, draws := slices.Repeat([]float64{math.NaN()}, b.parameterCount), make([]float64, maxDraws)
	for _, t := range targets {
		t.write(parameters, draws)
	}
	for _, source := range b.Parameters {
		for i, c := range b.constant[source] {
			if !math.IsNaN(parameters[c.index]) {
				b.writes(fmt.Sprintf("%s[%d]", source, i))
			}
		}
	}
}

// constant is a value in [sim.World.Parameters], and what it is in the model.
type constant struct {
	index   int
	nominal float64
}

// constants returns the values of an object in an array of the model, of which there are at least n.
func (b *Binder) constants(array string, o object, n int) []constant {
	source := array
	if o.name != "" {
		source += "/" + o.name
	}
	if list, ok := b.constant[source]; ok {
		return list
	}
	nominal, err := b.Robot.Model.Nominal(source)
	if err != nil {
		b.Fail(o.key, ": %w", err)
		return make([]constant, n)
	}
	var list []constant
	for _, x := range nominal {
		list = append(list, constant{b.parameterCount, x})
		b.parameterCount++
	}
	b.Parameters, b.constant[source] = append(b.Parameters, source), list
	return list
}

func nominals(list []constant) (values []float64) {
	for _, c := range list {
		values = append(values, c.nominal)
	}
	return values
}

// objects returns the objects of a kind that patterns select.
func (b *Binder) objects(key, kind string, patterns Patterns) (list []object) {
	index, names := b.Select(key, kind, patterns)
	for n, i := range index {
		list = append(list, object{key, kind, names[n], i})
	}
	return list
}

// The selections of objects that only events of fields have.
type (
	geomsParameters struct {
		// Geoms are patterns of geom names.
		Geoms Patterns `yaml:"geoms"`
	}

	sitesParameters struct {
		// Sites are patterns of site names.
		Sites Patterns `yaml:"sites"`
	}

	camerasParameters struct {
		// Cameras are patterns of the names of the model's cameras.
		Cameras Patterns `yaml:"cameras"`
	}

	lightsParameters struct {
		// Lights are patterns of the names of the model's lights, #0 and so on of those without.
		Lights Patterns `yaml:"lights"`
	}

	materialsParameters struct {
		// Materials are patterns of material names.
		Materials Patterns `yaml:"materials"`
	}

	pairsParameters struct {
		// Pairs are patterns of the names of the pairs of geoms that the model lists.
		Pairs Patterns `yaml:"pairs"`
	}

	tendonsParameters struct {
		// Tendons are patterns of tendon names.
		Tendons Patterns `yaml:"tendons"`
	}

	sceneParameters struct{}
)

func (p bodyParameters) objects(b *Binder) []object  { return b.objects("bodies", "body", p.Bodies) }
func (p geomsParameters) objects(b *Binder) []object { return b.objects("geoms", "geom", p.Geoms) }
func (p sitesParameters) objects(b *Binder) []object { return b.objects("sites", "site", p.Sites) }
func (p camerasParameters) objects(b *Binder) []object {
	return b.objects("cameras", "camera", p.Cameras)
}
func (p lightsParameters) objects(b *Binder) []object { return b.objects("lights", "light", p.Lights) }
func (p materialsParameters) objects(b *Binder) []object {
	return b.objects("materials", "material", p.Materials)
}
func (p pairsParameters) objects(b *Binder) []object { return b.objects("pairs", "pair", p.Pairs) }
func (p tendonsParameters) objects(b *Binder) []object {
	return b.objects("tendons", "tendon", p.Tendons)
}
func (p sceneParameters) objects(*Binder) []object { return []object{{}} }

func (p jointParameters) objects(b *Binder) (list []object) {
	for _, j := range b.Joints("joints", p.Joints) {
		list = append(list, object{"joints", "joint", b.Robot.Joints[j].Name, j})
	}
	return list
}

// objects are the actuators of the joints.
func (p actuatedParameters) objects(b *Binder) (list []object) {
	for _, j := range b.Actuated("joints", p.Joints) {
		for i, a := range b.Robot.Actuators {
			if a.Joint == j {
				list = append(list, object{"joints", "actuator", a.Name, i})
			}
		}
	}
	return list
}

// needFixed fails for a camera or a light that is not fixed to its body.
func (b *Binder) needFixed(o object) {
	if b.Robot.parts(o.kind)[o.index].Follows {
		b.Fail(o.key, ": %s %s follows what it looks at, want one with mode fixed", o.kind, o.name)
	}
}

// needMovable fails for a body whose principal axes the engine cannot move.
func (b *Binder) needMovable(o object) {
	simple, err := b.Robot.Model.Constant("body_simple")
	if err != nil {
		b.Fail("", ": %w", err)
	} else if simple[o.index] != 0 {
		b.Fail(o.key, ": the engine cannot move the centre of mass of body %s, because the model has it in the "+
			"origin of the body's frame; an inertial with another pos makes it movable", o.name)
	}
}
