package mujoco

// #include "optics.h"
import "C"

import (
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// extra is what cameras see beside geoms and flexes with faces, if it is asked for: a site, a tendon, a flex that is a
// line, or a skin. It is a number of shapes, and their number is that of the placer's frames.
type extra struct {
	kind     C.int32_t // of its frames, such as C.mjOBJ_SITE
	id       int
	parts    int // number of shapes: 1, or capsules of a tendon or a line
	vertices int // of the mesh of a skin
	material int // -1: none
}

// extras lists those of the groups that MuJoCo's viewer shows, in the order of their shapes.
func (m *Model) extras(visible physics.Visible) (list []extra) {
	add := func(wanted bool, n int, group, material *C.int, rgba *C.float, describe func(e *extra)) {
		for i := range n {
			if !wanted || id(group, i) >= visibleGroups {
				continue
			}
			e := extra{id: i, parts: 1, material: id(material, i)}
			if color := floats32(rgba, 4*i, 4); m.opacity([4]float32(color), e.material) == 0 {
				continue
			}
			if describe(&e); e.parts > 0 {
				list = append(list, e)
			}
		}
	}
	add(visible.Sites, int(m.c.nsite), m.c.site_group, m.c.site_matid, m.c.site_rgba, func(e *extra) {
		e.kind = C.mjOBJ_SITE
	})
	add(visible.Tendons, int(m.c.ntendon), m.c.tendon_group, m.c.tendon_matid, m.c.tendon_rgba, func(e *extra) {
		e.kind, e.parts = C.mjOBJ_TENDON, m.tendonParts(e.id)
	})
	add(visible.Lines, int(m.c.nflex), m.c.flex_group, m.c.flex_matid, m.c.flex_rgba, func(e *extra) {
		e.kind, e.parts = C.mjOBJ_FLEX, 0
		if id(m.c.flex_dim, e.id) == 1 {
			e.parts = id(m.c.flex_edgenum, e.id)
		}
	})
	add(visible.Skins, int(m.c.nskin), m.c.skin_group, m.c.skin_matid, m.c.skin_rgba, func(e *extra) {
		e.kind, e.vertices = C.mjOBJ_SKIN, id(m.c.skin_vertnum, e.id)
	})
	return list
}

// opacity is that of something with a colour of its own and a material, -1 for none.
func (m *Model) opacity(own [4]float32, material int) float32 {
	if material < 0 {
		return own[3]
	}
	return m.materialColor(own, material)[3]
}

// tendonParts returns the largest number of capsules that a tendon consists of: one to each site and pulley from what is
// before, and to what it wraps around, which has more of its own.
func (m *Model) tendonParts(tendon int) int {
	parts, first := -1, id(m.c.tendon_adr, tendon)
	for i := first; i < first+id(m.c.tendon_num, tendon); i++ {
		switch valueAt(m.c.wrap_type, i) {
		case C.mjWRAP_JOINT:
			return 0
		case C.mjWRAP_SPHERE, C.mjWRAP_CYLINDER:
			parts += 1 + C.PR_WRAP_PARTS
		default:
			parts++
		}
	}
	return parts
}

// siteKinds are the kinds of shapes of sites.
var siteKinds = map[C.int]string{
	C.mjGEOM_SPHERE: physics.ShapeSphere, C.mjGEOM_CAPSULE: physics.ShapeCapsule,
	C.mjGEOM_ELLIPSOID: physics.ShapeEllipsoid, C.mjGEOM_CYLINDER: physics.ShapeCylinder, C.mjGEOM_BOX: physics.ShapeBox,
}

// addExtras adds what else is visible to what cameras see. Lines have the labels of flexes, and behind those are sites,
// tendons and skins. bodies says which bodies can move.
func (m *Model) addExtras(o *physics.Optics, visible physics.Visible, bodies []bool) {
	d := m.Describe()
	flexes := int(m.c.ngeom)
	sites := flexes + int(m.c.nflex)
	tendons := sites + int(m.c.nsite)
	skins := tendons + int(m.c.ntendon)
	for _, e := range m.extras(visible) {
		_, name := m.names(C.int(e.kind), e.id)
		shape := physics.OpticalShape{Kind: physics.ShapeCapsule, Mesh: -1, Name: name, Uniform: m.uniform(e.material)}
		shape.Emission, shape.Specular, shape.Exponent = m.finish(e.material)
		switch e.kind {
		case C.mjOBJ_SITE:
			body := id(m.c.site_bodyid, e.id)
			shape.Kind, shape.Label, shape.Still = siteKinds[valueAt(m.c.site_type, e.id)], int32(sites+e.id), !bodies[body]
			shape.Size, shape.Body, shape.Tree = vector3(m.c.site_size, e.id), d.Bodies[body].Ref, d.Bodies[body].Root
			shape.BodyLabel = int32(body)
			shape.Mapping = physics.MappingSides
		case C.mjOBJ_TENDON:
			shape.Label = int32(tendons + e.id)
		case C.mjOBJ_FLEX:
			shape.Label = int32(flexes + e.id)
		case C.mjOBJ_SKIN:
			shape.Kind, shape.Mesh, shape.Label = physics.ShapeMesh, len(o.Meshes), int32(skins+e.id)
			o.Meshes = append(o.Meshes, m.skin(e.id))
			shape.Mapping = physics.MappingMesh
		}
		for range e.parts {
			o.Shapes = append(o.Shapes, shape)
		}
	}
}

// skin copies a skin as it was bound to its bones.
func (m *Model) skin(index int) physics.Mesh {
	out := physics.Mesh{Bends: true, Smooth: true,
		Vertices: floats32(m.c.skin_vert, 3*id(m.c.skin_vertadr, index), 3*id(m.c.skin_vertnum, index))}
	first, texels := 3*id(m.c.skin_faceadr, index), id(m.c.skin_texcoordadr, index)
	for _, v := range ints(m.c.skin_face, first+3*id(m.c.skin_facenum, index))[first:] {
		out.Faces = append(out.Faces, uint32(v))
		if texels >= 0 {
			out.TexCoords = append(out.TexCoords, floats32(m.c.skin_texcoord, 2*(texels+int(v)), 2)...)
		}
	}
	return out
}
