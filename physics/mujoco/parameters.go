package mujoco

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"math"
	"unique"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

type parameter struct {
	field   string    // the array, as mjb_expand names it
	derives bool      // constants that mj_setConst computes depend on it
	from    int       // index of its first value in the array
	low     []float64 // smallest and largest valid values
	high    []float64
}

func (m *Model) describeParameters() {
	m.parameters, m.Nominals = map[string]parameter{}, map[string][]float64{}
	nbody, ngeom, nv, nactuator := int(m.c.nbody), int(m.c.ngeom), int(m.c.nv), int(m.c.nactuator)
	for _, f := range []struct {
		source  string
		values  *C.mjtNum
		count   int // of objects
		width   int // values of each
		kind    C.int
		derives bool
		least   float64
	}{
		{"body_mass", m.c.body_mass, nbody, 1, C.mjOBJ_BODY, true, 0},
		{"body_ipos", m.c.body_ipos, nbody, 3, C.mjOBJ_BODY, true, -C.mjMAXVAL},
		{"body_inertia", m.c.body_inertia, nbody, 3, C.mjOBJ_BODY, true, 0},
		{"geom_friction", m.c.geom_friction, ngeom, 3, C.mjOBJ_GEOM, false, 0},
		{"geom_solref", m.c.geom_solref, ngeom, C.mjNREF, C.mjOBJ_GEOM, false, -C.mjMAXVAL},
		{"geom_solimp", m.c.geom_solimp, ngeom, C.mjNIMP, C.mjOBJ_GEOM, false, 0},
		{"dof_damping", m.c.dof_damping, nv, 1, C.mjOBJ_JOINT, false, 0},
		{"dof_armature", m.c.dof_armature, nv, 1, C.mjOBJ_JOINT, true, 0},
		{"dof_frictionloss", m.c.dof_frictionloss, nv, 1, C.mjOBJ_JOINT, false, 0},
		{"actuator_gainprm", m.c.actuator_gainprm, nactuator, C.mjNGAIN, C.mjOBJ_ACTUATOR, false, -C.mjMAXVAL},
		{"actuator_biasprm", m.c.actuator_biasprm, nactuator, C.mjNBIAS, C.mjOBJ_ACTUATOR, false, -C.mjMAXVAL},
		{"gravity", &m.c.opt.gravity[0], 1, 3, C.mjOBJ_UNKNOWN, false, -C.mjMAXVAL},
	} {
		whole := parameter{field: f.source, derives: f.derives}
		if f.source == "gravity" {
			whole.field = "opt.gravity"
		}
		nominal := numbers(f.values, 0, f.count*f.width)
		for i, v := range nominal {
			low, high := m.parameterLimits(f.source, i/f.width, v, f.least)
			whole.low, whole.high = append(whole.low, low), append(whole.high, high)
		}
		add := func(source string, from, size int) {
			p := whole
			p.from, p.low, p.high = from, p.low[from:from+size], p.high[from:from+size]
			m.parameters[source], m.Nominals[source] = p, nominal[from:from+size]
		}
		add(f.source, 0, len(nominal))
		switch f.kind {
		case C.mjOBJ_UNKNOWN:
		case C.mjOBJ_JOINT:
			for i := range int(m.c.njnt) {
				joint, _, velocity := m.jointParts(i)
				add(f.source+"/"+joint, velocity.from*f.width, velocity.size*f.width)
			}
		default:
			for i := range f.count {
				add(f.source+"/"+m.label(f.kind, i), i*f.width, f.width)
			}
		}
	}
}

// minVal is mjMINVAL, of which cgo makes 0: it takes a C constant's first six decimals.
const minVal = 1e-15

// parameterLimits returns the limits of a value of a parameter that belongs to an object; least is that of the array.
func (m *Model) parameterLimits(source string, object int, nominal, least float64) (low, high float64) {
	switch source {
	case "body_mass", "body_inertia":
		if nominal > 0 {
			return minVal, C.mjMAXVAL
		}
	case "body_ipos":
		// The engine leaves out parts of the inertia matrix of such a body.
		if at(m.c.body_simple, object) != 0 {
			return nominal, nominal
		}
	}
	return min(least, nominal), math.Max(C.mjMAXVAL, nominal)
}

type parameterList struct {
	layout unique.Handle[string] // the sources, in order
	c      []C.pr_Parameter
	low    []C.double
	high   []C.double
}

// listParameters lists parameters that m has. The caller frees the list.
func (m *Model) listParameters(parameters []physics.Vector) *parameterList {
	l := &parameterList{}
	layout, to := "", 0
	for _, want := range parameters {
		p := m.parameters[want.Source]
		at := C.pr_Parameter{
			source: C.CString(want.Source), field: C.CString(p.field),
			from: C.int32_t(p.from), size: C.int32_t(want.Size), to: C.int32_t(to),
		}
		if p.derives {
			at.derives = 1
		}
		l.c = append(l.c, at)
		for i := range want.Size {
			l.low, l.high = append(l.low, C.double(p.low[i])), append(l.high, C.double(p.high[i]))
		}
		to += want.Size
		layout += want.Source + "\n"
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

// kept is the value of [physics.Rows.Cache] where there are parameters: the rows of the last calls and what follows
// from them. It follows from the rows alone, so any stepper with the same parameters may use it, one at a time.
type kept struct {
	model     *Model
	layout    unique.Handle[string]
	known     []float64 // worlds × parameters
	constants []float64 // worlds × derived constants
	valid     []uint8   // worlds
}

var noneKept kept

// keptFor returns what is kept for rows; where there is nothing of this model and these parameters, it makes room.
func (b *batch) keptFor(rows *physics.Rows) *kept {
	if rows.ParameterSize == 0 {
		return &noneKept
	}
	constants := int(C.pr_constants(b.c)) * rows.Worlds
	k, ok := rows.Cache.(*kept)
	if ok && k.model == b.model && k.layout == b.parameters.layout && len(k.constants) == constants &&
		len(k.valid) == rows.Worlds {
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
