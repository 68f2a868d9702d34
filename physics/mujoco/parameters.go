package mujoco

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unique"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// parameter is a parameter and where it lies.
type parameter struct {
	physics.Parameter
	field   string // the array, as mjb_expand names it
	derives bool   // constants that mj_setConst computes depend on it
	from    int    // index of its first value in the array
	nominal []float64
	low     []float64 // smallest and largest valid values
	high    []float64
}

// Parameter implements [physics.Model]. The sources are arrays of mjModel, whole or of
// one object, which is "#3" if it has no name, in the units of the model file:
//
//	body_mass/BODY, body_ipos/BODY, body_inertia/BODY
//	geom_friction/GEOM, geom_solref/GEOM, geom_solimp/GEOM
//	dof_damping/JOINT, dof_armature/JOINT, dof_frictionloss/JOINT
//	actuator_gainprm/ACTUATOR, actuator_biasprm/ACTUATOR
//	gravity
//
// Masses, inertias, positions of inertias and armatures decide constants which the
// engine computes when the model is compiled. They are computed anew, by mj_setConst, in
// the first call after such a parameter has changed, which takes about as long as a few
// substeps; the others may change in every step.
func (m *Model) Parameter(source string) (physics.Parameter, error) {
	p, err := m.parameter(source)
	return p.Parameter, err
}

// Nominal implements [physics.Model].
func (m *Model) Nominal(source string) ([]float64, error) {
	p, err := m.parameter(source)
	return slices.Clone(p.nominal), err
}

func (m *Model) parameter(source string) (parameter, error) {
	p, ok := m.parameters[source]
	if !ok {
		return parameter{}, fmt.Errorf("mujoco: %w", physics.UnknownError("parameter", source, slices.Sorted(maps.Keys(m.parameters))))
	}
	return p, nil
}

// describeParameters lists the parameters.
func (m *Model) describeParameters() {
	m.parameters = map[string]parameter{}
	nbody, ngeom, nv, nactuator := int(m.c.nbody), int(m.c.ngeom), int(m.c.nv), int(m.c.nactuator)
	for _, f := range []struct {
		source  string
		field   string
		values  *C.mjtNum
		count   int // of objects
		width   int // values of each
		kind    C.int
		derives bool
		least   float64
	}{
		{"body_mass", "", m.c.body_mass, nbody, 1, C.mjOBJ_BODY, true, 0},
		{"body_ipos", "", m.c.body_ipos, nbody, 3, C.mjOBJ_BODY, true, -C.mjMAXVAL},
		{"body_inertia", "", m.c.body_inertia, nbody, 3, C.mjOBJ_BODY, true, 0},
		{"geom_friction", "", m.c.geom_friction, ngeom, 3, C.mjOBJ_GEOM, false, 0},
		{"geom_solref", "", m.c.geom_solref, ngeom, C.mjNREF, C.mjOBJ_GEOM, false, -C.mjMAXVAL},
		{"geom_solimp", "", m.c.geom_solimp, ngeom, C.mjNIMP, C.mjOBJ_GEOM, false, 0},
		{"dof_damping", "", m.c.dof_damping, nv, 1, C.mjOBJ_JOINT, false, 0},
		{"dof_armature", "", m.c.dof_armature, nv, 1, C.mjOBJ_JOINT, true, 0},
		{"dof_frictionloss", "", m.c.dof_frictionloss, nv, 1, C.mjOBJ_JOINT, false, 0},
		{"actuator_gainprm", "", m.c.actuator_gainprm, nactuator, C.mjNGAIN, C.mjOBJ_ACTUATOR, false, -C.mjMAXVAL},
		{"actuator_biasprm", "", m.c.actuator_biasprm, nactuator, C.mjNBIAS, C.mjOBJ_ACTUATOR, false, -C.mjMAXVAL},
		{"gravity", "opt.gravity", &m.c.opt.gravity[0], 1, 3, C.mjOBJ_UNKNOWN, false, -C.mjMAXVAL},
	} {
		if f.field == "" {
			f.field = f.source
		}
		whole := parameter{
			Parameter: physics.Parameter{Source: f.source, Size: f.count * f.width},
			field:     f.field, derives: f.derives,
		}
		for i, v := range unsafe.Slice(f.values, f.count*f.width) {
			low, high := m.parameterLimits(f.source, i/f.width, float64(v), f.least)
			whole.nominal = append(whole.nominal, float64(v))
			whole.low, whole.high = append(whole.low, low), append(whole.high, high)
		}
		m.parameters[f.source] = whole
		m.describeParts(whole, f.kind, f.width, f.count)
	}
}

// describeParts lists the parts of a parameter that belong to one object each.
func (m *Model) describeParts(whole parameter, kind C.int, width, count int) {
	add := func(object string, from, size int) {
		p := whole
		p.Source, p.Size, p.from = whole.Source+"/"+object, size, from
		p.nominal, p.low, p.high = p.nominal[from:from+size], p.low[from:from+size], p.high[from:from+size]
		m.parameters[p.Source] = p
	}
	switch kind {
	case C.mjOBJ_UNKNOWN:
	case C.mjOBJ_JOINT:
		for i := range int(m.c.njnt) {
			joint, _, velocity := m.jointParts(i)
			add(joint, velocity.from*width, velocity.size*width)
		}
	default:
		for i := range count {
			add(m.label(kind, i), i*width, width)
		}
	}
}

// minVal is mjMINVAL, of which cgo makes 0: it takes a C constant's first six decimals.
const minVal = 1e-15

// parameterLimits returns the limits of a value of a parameter that belongs to an object;
// least is that of the array.
func (m *Model) parameterLimits(source string, object int, nominal, least float64) (low, high float64) {
	switch source {
	case "body_mass", "body_inertia":
		if nominal > 0 {
			return minVal, C.mjMAXVAL
		}
	case "body_ipos":
		// The engine leaves out parts of the inertia matrix of such a body.
		if unsafe.Slice(m.c.body_simple, int(m.c.nbody))[object] != 0 {
			return nominal, nominal
		}
	}
	return min(least, nominal), math.Max(C.mjMAXVAL, nominal)
}

// parameterList is the parameters of a stepper.
type parameterList struct {
	layout unique.Handle[string] // the sources, in order
	c      []C.pr_Parameter
	low    []C.double
	high   []C.double
}

// listParameters lists parameters that m has. The caller frees the list.
func (m *Model) listParameters(parameters []physics.Parameter) *parameterList {
	l := &parameterList{}
	layout, to := "", 0
	for _, want := range parameters {
		p := m.parameters[want.Source]
		at := C.pr_Parameter{
			source: C.CString(p.Source), field: C.CString(p.field),
			from: C.int32_t(p.from), size: C.int32_t(p.Size), to: C.int32_t(to),
		}
		if p.derives {
			at.derives = 1
		}
		l.c = append(l.c, at)
		for i := range p.Size {
			l.low, l.high = append(l.low, C.double(p.low[i])), append(l.high, C.double(p.high[i]))
		}
		to += p.Size
		layout += p.Source + "\n"
	}
	l.layout = unique.Make(layout)
	return l
}

// free frees the names, which C has borrowed.
func (l *parameterList) free() {
	for _, p := range l.c {
		C.free(unsafe.Pointer(p.source))
		C.free(unsafe.Pointer(p.field))
	}
	l.c = nil
}

// kept is the value of [physics.Rows.Cache] where there are parameters: the rows of
// the last calls and what follows from them. It follows from the rows alone, so any
// stepper with the same parameters may use it, one at a time.
type kept struct {
	model     *Model
	layout    unique.Handle[string]
	known     []float64 // worlds × parameters
	constants []float64 // worlds × derived constants
	valid     []uint8   // worlds
}

// noneKept is for rows without parameters.
var noneKept kept

// keptFor returns what is kept for rows; where there is nothing of this model and these
// parameters, it makes room.
func (b *batch) keptFor(rows *physics.Rows) *kept {
	if rows.ParameterSize == 0 {
		return &noneKept
	}
	constants := int(C.pr_constants(b.c)) * rows.Worlds
	k, ok := rows.Cache.(*kept)
	if ok && k.model == b.model && k.layout == b.parameters.layout && len(k.constants) == constants && len(k.valid) == rows.Worlds {
		return k
	}
	k = &kept{
		model: b.model, layout: b.parameters.layout,
		known:     make([]float64, len(rows.Parameters)),
		constants: make([]float64, constants),
		valid:     make([]uint8, rows.Worlds),
	}
	if err := rows.Close(); err != nil { // another engine's
		panic(err)
	}
	rows.Cache = k
	return k
}

// Close implements [io.Closer]; there is nothing to free.
func (*kept) Close() error { return nil }
