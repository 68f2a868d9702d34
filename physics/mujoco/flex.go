package mujoco

// #include "optics.h"
import "C"

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// flex is a body that bends, as cameras see it: a sheet that is as thick as twice its radius, or the surface of a solid.
type flex struct {
	id       int
	vertices int
	faces    []uint32
}

// flexes returns the sheets and solids of the groups that MuJoCo's viewer shows. Lines are not seen.
func (m *Model) flexes() (list []flex) {
	for i := range int(m.c.nflex) {
		dim := id(m.c.flex_dim, i)
		if dim < 2 || id(m.c.flex_group, i) >= visibleGroups || floats32(m.c.flex_rgba, 4*i+3, 1)[0] == 0 {
			continue
		}
		f := flex{id: i, vertices: id(m.c.flex_vertnum, i)}
		corners, first, n := m.c.flex_shell, id(m.c.flex_shelldataadr, i), id(m.c.flex_shellnum, i)
		if dim == 2 {
			corners, first, n = m.c.flex_elem, id(m.c.flex_elemdataadr, i), id(m.c.flex_elemnum, i)
		}
		for k := range 3 * n {
			f.faces = append(f.faces, uint32(valueAt(corners, first+k)))
		}
		if dim == 2 {
			f.thicken()
		}
		list = append(list, f)
	}
	return list
}

// thicken gives a sheet, which is its front, a back of as many vertices behind those of the front, and between them strips
// along the edges that only one of its triangles has.
func (f *flex) thicken() {
	front, back := f.faces, uint32(f.vertices)
	edges := map[[2]uint32]int{} // number of triangles that have an edge
	key := func(i int) (from, to uint32, key [2]uint32) {
		from, to = front[i], front[i-i%3+(i+1)%3]
		return from, to, [2]uint32{min(from, to), max(from, to)}
	}
	for i := range front {
		_, _, edge := key(i)
		edges[edge]++
	}
	for i := 0; i < len(front); i += 3 {
		f.faces = append(f.faces, back+front[i], back+front[i+2], back+front[i+1])
	}
	for i := range front {
		if from, to, edge := key(i); edges[edge] == 1 {
			f.faces = append(f.faces, from, back+from, back+to, from, back+to, to)
		}
	}
	f.vertices *= 2
}

// addFlexes adds them to what cameras see, labelled by their numbers behind those of the geoms.
func (m *Model) addFlexes(o *physics.Optics) {
	d := m.Describe()
	for _, f := range m.flexes() {
		_, name := m.names(C.mjOBJ_FLEX, f.id)
		shape := physics.OpticalShape{Kind: physics.ShapeMesh, Mesh: len(o.Meshes), Label: int32(int(m.c.ngeom) + f.id),
			Name: name, Tree: d.Bodies[id(m.c.flex_vertbodyid, id(m.c.flex_vertadr, f.id))].Root}
		shape.Emission, shape.Specular, shape.Exponent = m.finish(id(m.c.flex_matid, f.id))
		o.Shapes = append(o.Shapes, shape)
		o.Meshes = append(o.Meshes, physics.Mesh{Vertices: make([]float32, 3*f.vertices), Faces: f.faces, Bends: true})
	}
}

// listUnseen lists what MuJoCo's viewer shows and cameras do not see.
func (m *Model) listUnseen(visible physics.Visible) (list []string) {
	add := func(seen bool, n int, singular, plural string) {
		switch {
		case seen:
		case n == 1:
			list = append(list, "a "+singular)
		case n > 1:
			list = append(list, fmt.Sprintf("%d %s", n, plural))
		}
	}
	lines, tendons := 0, 0
	for i := range int(m.c.nflex) {
		if id(m.c.flex_dim, i) == 1 && id(m.c.flex_group, i) < visibleGroups {
			lines++
		}
	}
	for i := range int(m.c.ntendon) {
		if valueAt(m.c.wrap_type, id(m.c.tendon_adr, i)) != C.mjWRAP_JOINT && id(m.c.tendon_group, i) < visibleGroups {
			tendons++
		}
	}
	add(visible.Lines, lines, "line of a flex", "lines of flexes")
	add(visible.Skins, int(m.c.nskin), "skin", "skins")
	add(visible.Tendons, tendons, "tendon", "tendons")
	return list
}
