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

// owners are the objects to which the rows of an array of the model belong.
type owners struct {
	count int
	rows  int                                         // of the array
	of    func(i int) (label string, from, count int) // rows of object i
}

func (m *Model) describeParameters() {
	m.parameters, m.Nominals = map[string]parameter{}, map[string][]float64{}
	each := func(kind C.int, n C.mjtSize) owners {
		return owners{int(n), int(n), func(i int) (string, int, int) { return m.label(kind, i), i, 1 }}
	}
	bodies, joints := each(C.mjOBJ_BODY, m.c.nbody), each(C.mjOBJ_JOINT, m.c.njnt)
	geoms, sites, pairs := each(C.mjOBJ_GEOM, m.c.ngeom), each(C.mjOBJ_SITE, m.c.nsite), each(C.mjOBJ_PAIR, m.c.npair)
	tendons, actuators := each(C.mjOBJ_TENDON, m.c.ntendon), each(C.mjOBJ_ACTUATOR, m.c.nactuator)
	dofs := owners{joints.count, int(m.c.nv), func(i int) (string, int, int) {
		joint, _, velocity := m.jointParts(i)
		return joint, velocity.from, velocity.size
	}}
	positions := owners{joints.count, int(m.c.nq), func(i int) (string, int, int) {
		joint, position, _ := m.jointParts(i)
		return joint, position.from, position.size
	}}
	for _, f := range []struct {
		source  string
		values  *C.mjtNum
		owners  owners
		width   int // values of a row
		derives bool
		least   float64
	}{
		{"body_mass", m.c.body_mass, bodies, 1, true, 0},
		{"body_pos", m.c.body_pos, bodies, 3, true, -C.mjMAXVAL},
		{"body_quat", m.c.body_quat, bodies, 4, true, -C.mjMAXVAL},
		{"body_ipos", m.c.body_ipos, bodies, 3, true, -C.mjMAXVAL},
		{"body_iquat", m.c.body_iquat, bodies, 4, true, -C.mjMAXVAL},
		{"body_inertia", m.c.body_inertia, bodies, 3, true, 0},
		{"geom_friction", m.c.geom_friction, geoms, 3, false, 0},
		{"geom_solref", m.c.geom_solref, geoms, C.mjNREF, false, -C.mjMAXVAL},
		{"geom_solimp", m.c.geom_solimp, geoms, C.mjNIMP, false, 0},
		{"geom_pos", m.c.geom_pos, geoms, 3, true, -C.mjMAXVAL},
		{"geom_quat", m.c.geom_quat, geoms, 4, true, -C.mjMAXVAL},
		{"geom_size", m.c.geom_size, geoms, 3, true, 0},
		{"site_pos", m.c.site_pos, sites, 3, true, -C.mjMAXVAL},
		{"site_quat", m.c.site_quat, sites, 4, true, -C.mjMAXVAL},
		{"jnt_range", m.c.jnt_range, joints, 2, false, -C.mjMAXVAL},
		{"jnt_stiffness", m.c.jnt_stiffness, joints, 1, false, 0},
		{"jnt_actfrcrange", m.c.jnt_actfrcrange, joints, 2, false, -C.mjMAXVAL},
		{"qpos0", m.c.qpos0, positions, 1, true, -C.mjMAXVAL},
		{"dof_damping", m.c.dof_damping, dofs, 1, false, 0},
		{"dof_armature", m.c.dof_armature, dofs, 1, true, 0},
		{"dof_frictionloss", m.c.dof_frictionloss, dofs, 1, false, 0},
		{"pair_friction", m.c.pair_friction, pairs, 5, false, 0},
		{"tendon_damping", m.c.tendon_damping, tendons, 1, true, 0},
		{"tendon_stiffness", m.c.tendon_stiffness, tendons, 1, true, 0},
		{"tendon_frictionloss", m.c.tendon_frictionloss, tendons, 1, false, 0},
		{"tendon_armature", m.c.tendon_armature, tendons, 1, true, 0},
		{"actuator_gainprm", m.c.actuator_gainprm, actuators, C.mjNGAIN, false, -C.mjMAXVAL},
		{"actuator_biasprm", m.c.actuator_biasprm, actuators, C.mjNBIAS, false, -C.mjMAXVAL},
		{"actuator_forcerange", m.c.actuator_forcerange, actuators, 2, false, -C.mjMAXVAL},
		{"gravity", &m.c.opt.gravity[0], owners{rows: 1}, 3, false, -C.mjMAXVAL},
	} {
		whole := parameter{field: f.source, derives: f.derives}
		if f.source == "gravity" {
			whole.field = "opt.gravity"
		}
		nominal := numbers(f.values, 0, f.owners.rows*f.width)
		for i, v := range nominal {
			low, high := m.parameterLimits(f.source, i/f.width, i%f.width, v, f.least)
			whole.low, whole.high = append(whole.low, low), append(whole.high, high)
		}
		add := func(source string, from, size int) {
			p := whole
			p.from, p.low, p.high = from, p.low[from:from+size], p.high[from:from+size]
			m.parameters[source], m.Nominals[source] = p, nominal[from:from+size]
		}
		add(f.source, 0, len(nominal))
		for i := range f.owners.count {
			label, from, rows := f.owners.of(i)
			add(f.source+"/"+label, from*f.width, rows*f.width)
		}
	}
}

// minVal is mjMINVAL, of which cgo makes 0: it takes a C constant's first six decimals.
const minVal = 1e-15

// sizes are the numbers of sizes that the types of geoms have whose bounds follow from them, in the order of geomTypes.
var sizes = []int{0, 0, 1, 2, 3, 2, 3, 0, 0}

// parameterLimits returns the limits of a value of a parameter, on an axis of an object; least is that of the array.
func (m *Model) parameterLimits(source string, object, axis int, nominal, least float64) (low, high float64) {
	switch source {
	case "body_mass", "body_inertia":
		if nominal > 0 {
			return minVal, C.mjMAXVAL
		}
	case "body_ipos", "body_iquat":
		// The engine leaves out parts of the inertia matrix of such a body.
		if at(m.c.body_simple, object) != 0 {
			return nominal, nominal
		}
	case "geom_size":
		if axis >= sizes[id(m.c.geom_type, object)] {
			return nominal, nominal
		}
		return minVal, C.mjMAXVAL
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
