package mujoco

// #include <stdlib.h>
// #include "optics.h"
import "C"

import (
	"math"
	"strings"
	"unique"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

type parameter struct {
	field   string    // array, as mjb_expand names it; "" for a parameter that only pictures show
	derives bool      // constants that mj_setConst computes depend on it
	first   int       // index of its first value in the array
	low     []float64 // smallest valid values
	high    []float64
	look    C.pr_Look // place of the values that pictures show; otherwise its size is 0
	width   int       // number of values of an object
}

// field is the place of an array in mjModel or pr_View.
type field struct {
	offset uintptr // offset in pr_View of the array's address or, inlined, of the array, in bytes
	inline bool
	kind   C.int32_t // what its values are, PR_NUMBERS or its like
}

// owners are the objects to which the rows of an array of the model belong.
type owners struct {
	count  int
	rows   int                                          // number of rows of the array
	rowsOf func(i int) (label string, first, count int) // rows of object i
}

func (m *Model) describeParameters() {
	m.parameters, m.Nominals = map[string]parameter{}, map[string][]float64{}
	ownersOf := func(kind C.int, n C.mjtSize) owners {
		return owners{int(n), int(n), func(i int) (string, int, int) { return m.label(kind, i), i, 1 }}
	}
	bodies, joints := ownersOf(C.mjOBJ_BODY, m.c.nbody), ownersOf(C.mjOBJ_JOINT, m.c.njnt)
	geoms, sites, pairs := ownersOf(C.mjOBJ_GEOM, m.c.ngeom), ownersOf(C.mjOBJ_SITE, m.c.nsite),
		ownersOf(C.mjOBJ_PAIR, m.c.npair)
	tendons, actuators := ownersOf(C.mjOBJ_TENDON, m.c.ntendon), ownersOf(C.mjOBJ_ACTUATOR, m.c.nactuator)
	dofs := owners{joints.count, int(m.c.nv), func(i int) (string, int, int) {
		joint, _, velocity := m.jointParts(i)
		return joint, velocity.first, velocity.size
	}}
	positions := owners{joints.count, int(m.c.nq), func(i int) (string, int, int) {
		joint, position, _ := m.jointParts(i)
		return joint, position.first, position.size
	}}
	cameras, lights := ownersOf(C.mjOBJ_CAMERA, m.c.ncam), ownersOf(C.mjOBJ_LIGHT, m.c.nlight)
	materials, head := ownersOf(C.mjOBJ_MATERIAL, m.c.nmat), unsafe.Offsetof(m.c.vis)+unsafe.Offsetof(m.c.vis.headlight)
	visible := map[string]field{
		"body_pos":          {offset: unsafe.Offsetof(m.c.body_pos)},
		"body_quat":         {offset: unsafe.Offsetof(m.c.body_quat)},
		"geom_pos":          {offset: unsafe.Offsetof(m.c.geom_pos)},
		"geom_quat":         {offset: unsafe.Offsetof(m.c.geom_quat)},
		"geom_size":         {offset: unsafe.Offsetof(m.c.geom_size)},
		"qpos0":             {offset: unsafe.Offsetof(m.c.qpos0)},
		"cam_pos":           {offset: unsafe.Offsetof(m.c.cam_pos)},
		"cam_quat":          {offset: unsafe.Offsetof(m.c.cam_quat)},
		"cam_fovy":          {offset: unsafe.Offsetof(m.c.cam_fovy)},
		"light_pos":         {offset: unsafe.Offsetof(m.c.light_pos)},
		"light_dir":         {offset: unsafe.Offsetof(m.c.light_dir)},
		"light_diffuse":     {offset: unsafe.Offsetof(m.c.light_diffuse), kind: C.PR_SINGLES},
		"light_ambient":     {offset: unsafe.Offsetof(m.c.light_ambient), kind: C.PR_SINGLES},
		"geom_rgba":         {offset: unsafe.Offsetof(m.c.geom_rgba), kind: C.PR_SINGLES},
		"mat_rgba":          {offset: unsafe.Offsetof(m.c.mat_rgba), kind: C.PR_SINGLES},
		"mat_texid":         {offset: unsafe.Offsetof(m.c.mat_texid), kind: C.PR_TEXTURES},
		"mat_texrepeat":     {offset: unsafe.Offsetof(m.c.mat_texrepeat), kind: C.PR_SINGLES},
		"headlight_diffuse": {offset: head + unsafe.Offsetof(m.c.vis.headlight.diffuse), inline: true, kind: C.PR_SINGLES},
		"headlight_ambient": {offset: head + unsafe.Offsetof(m.c.vis.headlight.ambient), inline: true, kind: C.PR_SINGLES},
		"sky_zenith":        {offset: C.PR_ZENITH, inline: true, kind: C.PR_SINGLES},
		"sky_nadir":         {offset: C.PR_NADIR, inline: true, kind: C.PR_SINGLES},
	}
	onlySeen := map[string]bool{} // arrays that the engine's steps do not read
	for source, f := range visible {
		onlySeen[source] = f.kind != C.PR_NUMBERS || strings.HasPrefix(source, "light_")
	}
	single := func(values *C.float, n int) *C.mjtNum { // the values as doubles
		out := make([]C.mjtNum, n+1)
		for i, v := range floats32(values, 0, n) {
			out[i] = C.mjtNum(v)
		}
		return &out[0]
	}
	textures, colors := make([]C.mjtNum, materials.count+1), m.skyColors()
	for i := range materials.count {
		textures[i] = C.mjtNum(valueAt(m.c.mat_texid, i*C.mjNTEXROLE+C.mjTEXROLE_RGB))
	}
	for _, f := range []struct {
		source  string
		values  *C.mjtNum
		owners  owners
		width   int // number of values of a row
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
		{"cam_pos", m.c.cam_pos, cameras, 3, true, -C.mjMAXVAL},
		{"cam_quat", m.c.cam_quat, cameras, 4, true, -C.mjMAXVAL},
		{"cam_fovy", m.c.cam_fovy, cameras, 1, false, minVal},
		{"light_pos", m.c.light_pos, lights, 3, false, -C.mjMAXVAL},
		{"light_dir", m.c.light_dir, lights, 3, false, -C.mjMAXVAL},
		{"light_diffuse", single(m.c.light_diffuse, 3*lights.rows), lights, 3, false, 0},
		{"light_ambient", single(m.c.light_ambient, 3*lights.rows), lights, 3, false, 0},
		{"headlight_diffuse", single(&m.c.vis.headlight.diffuse[0], 3), owners{rows: 1}, 3, false, 0},
		{"headlight_ambient", single(&m.c.vis.headlight.ambient[0], 3), owners{rows: 1}, 3, false, 0},
		{"geom_rgba", single(m.c.geom_rgba, 4*geoms.rows), geoms, 4, false, 0},
		{"mat_rgba", single(m.c.mat_rgba, 4*materials.rows), materials, 4, false, 0},
		{"mat_texid", &textures[0], materials, 1, false, -1},
		{"mat_texrepeat", single(m.c.mat_texrepeat, 2*materials.rows), materials, 2, false, 0},
		{"sky_zenith", single(&colors[0], 3), owners{rows: 1}, 3, false, 0},
		{"sky_nadir", single(&colors[3], 3), owners{rows: 1}, 3, false, 0},
	} {
		whole := parameter{field: f.source, derives: f.derives, width: f.width}
		if f.source == "gravity" {
			whole.field = "opt.gravity"
		}
		if onlySeen[f.source] {
			whole.field = ""
		}
		nominal := numbers(f.values, 0, f.owners.rows*f.width)
		for i, v := range nominal {
			low, high := m.parameterLimits(f.source, i/f.width, i%f.width, v, f.least)
			whole.low, whole.high = append(whole.low, low), append(whole.high, high)
		}
		add := func(source string, first, size int) {
			p := whole
			p.first, p.low, p.high = first, p.low[first:first+size], p.high[first:first+size]
			if place, ok := visible[f.source]; ok {
				p.look = C.pr_Look{at: C.int32_t(place.offset), _type: place.kind, from: C.int32_t(first), size: C.int32_t(size),
					total: C.int32_t(len(nominal))}
				if place.inline {
					p.look.inlined = 1
				}
			}
			m.parameters[source], m.Nominals[source] = p, nominal[first:first+size]
			m.addProbe("parameter/"+source, physics.Motion, C.PR_PARAMETER, part{0, 0, size})
		}
		add(f.source, 0, len(nominal))
		for i := range f.owners.count {
			label, first, rows := f.owners.rowsOf(i)
			add(f.source+"/"+label, first*f.width, rows*f.width)
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
		if valueAt(m.c.body_simple, object) != 0 {
			return nominal, nominal
		}
	case "geom_size":
		if axis >= sizes[id(m.c.geom_type, object)] {
			return nominal, nominal
		}
		return minVal, C.mjMAXVAL
	case "actuator_biasprm":
		// The last value says what mjcb_act_bias makes of the others, which one of them may be an address.
		if valueAt(m.c.actuator_biastype, object) == C.mjBIAS_USER && (axis == C.PR_NETWORK || axis == C.mjNBIAS-1) {
			return nominal, nominal
		}
	case "cam_fovy":
		return math.Min(nominal, 0.1), math.Max(nominal, 170)
	case "geom_rgba", "mat_rgba":
		if axis == 3 { // the opacity does not vary: an invisible geom is no shape
			return nominal, nominal
		}
		return 0, 1
	case "sky_zenith", "sky_nadir":
		return 0, 1
	case "mat_texid":
		return -1, float64(m.c.ntex) - 1
	}
	return min(least, nominal), math.Max(C.mjMAXVAL, nominal)
}

type parameterList struct {
	layout unique.Handle[string] // names of the sources, in order
	c      []C.pr_Parameter
	low    []C.double
	high   []C.double
}

// listParameters lists parameters that m has. The caller frees the list.
func (m *Model) listParameters(parameters []physics.Vector) *parameterList {
	l := &parameterList{}
	layout, offset := "", 0
	for _, want := range parameters {
		p := m.parameters[want.Source]
		item := C.pr_Parameter{
			source: C.CString(want.Source),
			from:   C.int32_t(p.first), size: C.int32_t(want.Size), to: C.int32_t(offset),
		}
		if p.derives {
			item.derives = 1
		}
		if p.field != "" {
			item.field = C.CString(p.field)
		}
		l.c = append(l.c, item)
		for i := range want.Size {
			l.low, l.high = append(l.low, C.double(p.low[i])), append(l.high, C.double(p.high[i]))
		}
		offset += want.Size
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

// cache is the value of [physics.Rows.Cache] where there are parameters: the rows of the last calls and what follows
// from them. It follows from the rows alone, so any stepper with the same parameters may use it, one at a time.
type cache struct {
	model     *Model
	layout    unique.Handle[string]
	known     []float64 // worlds × parameters
	constants []float64 // worlds × derived constants
	valid     []uint8   // worlds
}

var noneKept cache

// cacheFor returns what is kept for rows; where there is nothing of this model and these parameters, it makes room.
func (b *batch) cacheFor(rows *physics.Rows) *cache {
	if rows.ParameterSize == 0 {
		return &noneKept
	}
	constants := int(C.pr_constants(b.c)) * rows.Worlds
	k, ok := rows.Cache.(*cache)
	if ok && k.model == b.model && k.layout == b.parameters.layout && len(k.constants) == constants &&
		len(k.valid) == rows.Worlds {
		return k
	}
	k = &cache{
		model: b.model, layout: b.parameters.layout,
		known:     make([]float64, len(rows.Parameters)),
		constants: make([]float64, constants),
		valid:     make([]uint8, rows.Worlds),
	}
	if err := rows.Close(); err != nil { // the cache of another engine
		panic(err)
	}
	rows.Cache = k
	return k
}

// Close implements [io.Closer]; there is nothing to free.
func (*cache) Close() error { return nil }
