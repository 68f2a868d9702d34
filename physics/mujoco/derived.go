package mujoco

// #include "shim.h"
import "C"

import (
	"unsafe"
)

func (m *Model) describeDerived() {
	nbody, nv := int(m.c.nbody), int(m.c.nv)
	var d *C.mjData // nil: it only serves to find the offsets of fields
	m.derived, m.Computed = map[string]probe{}, map[string]int{}
	for _, f := range []struct {
		name   string
		offset uintptr
		count  int // number of objects
		width  int // number of values of an object
		kind   C.int
		rne    C.int
	}{
		{"xpos", unsafe.Offsetof(d.xpos), nbody, 3, C.mjOBJ_BODY, 0},
		{"xquat", unsafe.Offsetof(d.xquat), nbody, 4, C.mjOBJ_BODY, 0},
		{"xipos", unsafe.Offsetof(d.xipos), nbody, 3, C.mjOBJ_BODY, 0},
		{"subtree_com", unsafe.Offsetof(d.subtree_com), nbody, 3, C.mjOBJ_BODY, 0},
		{"cinert", unsafe.Offsetof(d.cinert), nbody, 10, C.mjOBJ_BODY, 0},
		{"cvel", unsafe.Offsetof(d.cvel), nbody, 6, C.mjOBJ_BODY, 0},
		{"cacc", unsafe.Offsetof(d.cacc), nbody, 6, C.mjOBJ_BODY, 1},
		{"cfrc_int", unsafe.Offsetof(d.cfrc_int), nbody, 6, C.mjOBJ_BODY, 1},
		{"cfrc_ext", unsafe.Offsetof(d.cfrc_ext), nbody, 6, C.mjOBJ_BODY, 1},
		{"geom_xpos", unsafe.Offsetof(d.geom_xpos), int(m.c.ngeom), 3, C.mjOBJ_GEOM, 0},
		{"site_xpos", unsafe.Offsetof(d.site_xpos), int(m.c.nsite), 3, C.mjOBJ_SITE, 0},
		{"ten_length", unsafe.Offsetof(d.ten_length), int(m.c.ntendon), 1, C.mjOBJ_TENDON, 0},
		{"ten_velocity", unsafe.Offsetof(d.ten_velocity), int(m.c.ntendon), 1, C.mjOBJ_TENDON, 0},
		{"qfrc_actuator", unsafe.Offsetof(d.qfrc_actuator), nv, 1, C.mjOBJ_UNKNOWN, 0},
		{"qfrc_constraint", unsafe.Offsetof(d.qfrc_constraint), nv, 1, C.mjOBJ_UNKNOWN, 0},
	} {
		add := func(source string, first, size int) {
			m.Computed[source] = size
			m.derived[source] = probe{rne: f.rne, parts: []C.pr_Probe{
				{kind: C.PR_FIELD, field: C.int32_t(f.offset), from: C.int32_t(first), size: C.int32_t(size)},
			}}
		}
		add(f.name, 0, f.count*f.width) // a model may have none of these objects
		if f.kind == C.mjOBJ_UNKNOWN {
			continue
		}
		for i := range f.count {
			add(f.name+"/"+m.label(f.kind, i), i*f.width, f.width)
		}
	}
}

func (m *Model) describeConstants() {
	m.Constants = map[string][]float64{}
	for _, f := range []struct {
		name   string
		values *C.mjtNum
		size   C.mjtSize
	}{
		{"timestep", &m.c.opt.timestep, 1},
		{"qpos0", m.c.qpos0, m.c.nq},
		{"body_mass", m.c.body_mass, m.c.nbody},
		{"body_subtreemass", m.c.body_subtreemass, m.c.nbody},
		{"body_inertia", m.c.body_inertia, 3 * m.c.nbody},
		{"jnt_range", m.c.jnt_range, 2 * m.c.njnt},
		{"dof_damping", m.c.dof_damping, m.c.nv},
		{"dof_armature", m.c.dof_armature, m.c.nv},
		{"geom_size", m.c.geom_size, 3 * m.c.ngeom},
		{"actuator_ctrlrange", m.c.actuator_ctrlrange, 2 * m.c.nu},
		{"actuator_gear", m.c.actuator_gear, 6 * m.c.nout},
	} {
		m.Constants[f.name] = numbers(f.values, 0, int(f.size))
	}
	simple := make([]float64, m.c.nbody)
	for i, v := range unsafe.Slice(m.c.body_simple, m.c.nbody) {
		simple[i] = float64(v)
	}
	m.Constants["body_simple"] = simple
}
