package mujoco

// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// part is a part of an mjtNum array of mjData, whose address stands at bytes into it.
type part struct {
	offset      uintptr
	first, size int
}

// label is the name by which an object is asked for: its own or, where it has none, "#" and its number.
func (m *Model) label(kind C.int, id int) string {
	if name := m.name(kind, id); name != "" {
		return name
	}
	return numbered(id)
}

// numbered is what an object without a name is called, by its number in the model.
func numbered(id int) string { return fmt.Sprintf("#%d", id) }

func (m *Model) describeProbes() {
	var d *C.mjData // nil: it only serves to find the offsets of fields
	nq, nv, nmocap := int(m.c.nq), int(m.c.nv), int(m.c.nmocap)
	m.probes, m.Probes, m.refusals = map[string]probe{}, map[string]physics.Vector{}, map[string]string{}
	m.addProbe("qpos", physics.Motion, C.PR_STATE, part{unsafe.Offsetof(d.qpos), 0, nq})
	m.addProbe("qvel", physics.Motion, C.PR_STATE, part{unsafe.Offsetof(d.qvel), 0, nv})
	m.addProbe("pose", physics.Motion, C.PR_STATE, part{unsafe.Offsetof(d.qpos), 0, nq},
		part{unsafe.Offsetof(d.mocap_pos), 0, 3 * nmocap}, part{unsafe.Offsetof(d.mocap_quat), 0, 4 * nmocap})
	m.addProbe("qacc", physics.Force, C.PR_FIELD, part{unsafe.Offsetof(d.qacc), 0, nv})
	m.addProbe("actuator_force", physics.Force, C.PR_FIELD, part{unsafe.Offsetof(d.actuator_force), 0, int(m.c.nout)})

	for i := range int(m.c.njnt) {
		joint, position, velocity := m.jointParts(i)
		m.addProbe("joint/"+joint+"/position", physics.Motion, C.PR_STATE, position)
		m.addProbe("joint/"+joint+"/velocity", physics.Motion, C.PR_STATE, velocity)
		m.addProbe("joint/"+joint+"/axis", physics.Motion, C.PR_FIELD, part{unsafe.Offsetof(d.xaxis), 3 * i, 3})
		m.addProbe("joint/"+joint+"/anchor", physics.Motion, C.PR_FIELD, part{unsafe.Offsetof(d.xanchor), 3 * i, 3})
		velocity.offset = unsafe.Offsetof(d.qfrc_actuator)
		m.addProbe("joint/"+joint+"/torque", physics.Force, C.PR_FIELD, velocity)
	}
	for i := range int(m.c.nbody) {
		body := m.label(C.mjOBJ_BODY, i)
		m.addProbe("body/"+body+"/position", physics.Motion, C.PR_FIELD, part{unsafe.Offsetof(d.xpos), 3 * i, 3})
		m.addProbe("body/"+body+"/quaternion", physics.Motion, C.PR_FIELD, part{unsafe.Offsetof(d.xquat), 4 * i, 4})
		m.addProbe("body/"+body+"/velocity", physics.Motion, C.PR_VELOCITY, part{C.mjOBJ_XBODY, i, 6})
		m.addProbe("body/"+body+"/angular_momentum", physics.Motion, C.PR_ANGULAR_MOMENTUM, part{0, i, 3})
		m.addProbe("body/"+body+"/wrench", physics.Force, C.PR_WRENCH, part{0, i, 6})
		m.addProbe("body/"+body+"/incoming_wrench", physics.Force, C.PR_INCOMING_WRENCH, part{0, i, 6})
		m.addProbe("contact/body/"+body, physics.Force, C.PR_CONTACT_BODY, part{0, i, 3})
		m.addProbe("contact/within/"+body, physics.Force, C.PR_CONTACT_WITHIN, part{0, i, 1})
	}
	for i := range int(m.c.ngeom) {
		geom := m.label(C.mjOBJ_GEOM, i)
		m.addProbe("geom/"+geom+"/position", physics.Motion, C.PR_FIELD, part{unsafe.Offsetof(d.geom_xpos), 3 * i, 3})
		m.addProbe("geom/"+geom+"/matrix", physics.Motion, C.PR_FIELD, part{unsafe.Offsetof(d.geom_xmat), 9 * i, 9})
		m.addProbe("contact/geom/"+geom, physics.Force, C.PR_CONTACT_GEOM, part{0, i, 3})
	}
	for i := range int(m.c.nsite) {
		site := m.label(C.mjOBJ_SITE, i)
		m.addProbe("site/"+site+"/position", physics.Motion, C.PR_FIELD, part{unsafe.Offsetof(d.site_xpos), 3 * i, 3})
		m.addProbe("site/"+site+"/matrix", physics.Motion, C.PR_FIELD, part{unsafe.Offsetof(d.site_xmat), 9 * i, 9})
		m.addProbe("site/"+site+"/velocity", physics.Motion, C.PR_VELOCITY, part{C.mjOBJ_SITE, i, 6})
	}
	for i := range int(m.c.nactuator) {
		m.addProbe("actuator/"+m.label(C.mjOBJ_ACTUATOR, i)+"/force", physics.Force, C.PR_FIELD,
			part{unsafe.Offsetof(d.actuator_force), id(m.c.actuator_outadr, i), id(m.c.actuator_outnum, i)})
	}
}

// addProbe adds a probe that consists of parts of one kind.
func (m *Model) addProbe(source string, stage physics.Stage, kind C.int32_t, parts ...part) {
	p, size := probe{refresh: C.PR_REFRESH_NONE}, 0
	for _, part := range parts {
		piece := C.pr_Probe{
			kind: kind, field: C.int32_t(part.offset), from: C.int32_t(part.first), size: C.int32_t(part.size),
		}
		if stage == physics.Force {
			piece.force = 1
		} else if kind != C.PR_STATE && kind != C.PR_PARAMETER {
			p.refresh = C.PR_REFRESH_LIGHT
		}
		size += part.size
		p.parts = append(p.parts, piece)
	}
	m.probes[source], m.Probes[source] = p, physics.Vector{Source: source, Size: size, Stage: stage}
}

// jointParts returns the label of a joint and its parts of qpos and qvel.
func (m *Model) jointParts(i int) (label string, position, velocity part) {
	var d *C.mjData // nil: it only serves to find the offsets of fields
	nq, nv := jointSizes(valueAt(m.c.jnt_type, i))
	return m.label(C.mjOBJ_JOINT, i),
		part{unsafe.Offsetof(d.qpos), id(m.c.jnt_qposadr, i), nq},
		part{unsafe.Offsetof(d.qvel), id(m.c.jnt_dofadr, i), nv}
}
