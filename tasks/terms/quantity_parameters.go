package terms

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// defineParameters adds the quantities of the constants that events can change, as they are in the world: parameter, the
// array of the model and the object, and of the scene without an object.
func (b *Binder) defineParameters() {
	for _, array := range slices.Sorted(maps.Keys(fieldArrays)) {
		kind := fieldArrays[array]
		if kind == "" {
			b.defineParameter(array)
			continue
		}
		_, names := b.Robot.objects(kind, anyEntity)
		for _, name := range names {
			b.defineParameter(array + "/" + name)
		}
	}
	for i := range b.Robot.Actuators {
		if a := &b.Robot.Actuators[i]; a.hasGains() {
			b.defineGain(a, 0, "kp")
			b.defineGain(a, 1, "kd")
		}
	}
	for k, j := range b.actuated {
		b.add(quantity{name: "joint." + b.Robot.Joints[j].Name + ".encoder_bias", early: true,
			bind: func(b *Binder) func(*View, []float64) {
				if b.bias == nil {
					return func(_ *View, dst []float64) { dst[0] = 0 }
				}
				slot := *b.bias
				return func(v *View, dst []float64) { dst[0] = v.Slot(slot)[k] }
			}})
	}
}

// fieldArrays are the kinds of objects that have a value in the arrays which events can change, "" for the scene.
var fieldArrays = map[string]string{
	"body_mass": "body", "body_pos": "body", "body_quat": "body", "body_ipos": "body", "body_iquat": "body",
	"body_inertia": "body", "geom_friction": "geom", "geom_size": "geom", "geom_pos": "geom", "geom_quat": "geom",
	"geom_rgba": "geom", "site_pos": "site", "site_quat": "site", "cam_pos": "camera", "cam_quat": "camera",
	"cam_fovy": "camera", "light_pos": "light", "light_dir": "light", "light_diffuse": "light", "light_ambient": "light",
	"mat_rgba": "material", "mat_texid": "material", "mat_texrepeat": "material", "pair_friction": "pair",
	"dof_damping": "joint", "dof_armature": "joint", "dof_frictionloss": "joint", "jnt_stiffness": "joint",
	"jnt_range": "joint", "jnt_actfrcrange": "joint", "qpos0": "joint", "tendon_damping": "tendon",
	"tendon_stiffness": "tendon", "tendon_frictionloss": "tendon", "tendon_armature": "tendon",
	"actuator_gainprm": "actuator", "actuator_biasprm": "actuator", "actuator_forcerange": "actuator", "gravity": "",
	"headlight_diffuse": "", "headlight_ambient": "", "sky_zenith": "", "sky_nadir": "",
}

// defineParameter adds the quantity of a source of parameters.
func (b *Binder) defineParameter(source string) {
	nominal, err := b.Robot.Model.Nominal(source)
	if err != nil {
		return // the engine keeps no such constant for each world
	}
	size := len(nominal)
	if size == 1 {
		size = 0
	}
	b.add(quantity{name: "parameter." + strings.Replace(source, "/", ".", 1), size: size, early: true,
		bind: func(b *Binder) func(*View, []float64) {
			value := b.parameterReader(source, nominal)
			return func(v *View, dst []float64) {
				for i := range dst {
					dst[i] = value(v, i)
				}
			}
		}})
}

// parameterReader returns a function that returns value i of a source of parameters in a world: the nominal one where no
// event changes it. Events are bound before what names quantities.
func (b *Binder) parameterReader(source string, nominal []float64) func(v *View, i int) float64 {
	list, ok := b.constant[source]
	if !ok {
		return func(_ *View, i int) float64 { return nominal[i] }
	}
	return func(v *View, i int) float64 { return v.Parameters()[list[i].index] }
}

// hasGains reports whether events can change the gains of an actuator.
func (a *Actuator) hasGains() bool {
	return (a.Kind == PositionActuator || a.Kind == VelocityActuator) && !a.Learned && a.Joint >= 0
}

// defineGain adds the quantity of a gain of an actuator at its joint: 0 the stiffness, 1 the damping.
func (b *Binder) defineGain(a *Actuator, i int, name string) {
	source := "actuator_biasprm/" + a.Name
	b.add(quantity{name: "actuator." + a.Name + "." + name, early: true, bind: func(b *Binder) func(*View, []float64) {
		nominal, err := b.Robot.Model.Nominal(source)
		if err != nil {
			b.Fail("", ": %w", err)
			return nil
		}
		value, place, factor := b.parameterReader(source, nominal), 1+i, -square(cmp.Or(a.Gear, 1))
		if a.Motor {
			place, factor = i, 1
		}
		return func(v *View, dst []float64) { dst[0] = factor * value(v, place) }
	}})
}
