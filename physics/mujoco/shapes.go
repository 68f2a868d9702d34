package mujoco

// #include "shim.h"
import "C"

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/num/quat"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

var _ physics.Shaped = (*Model)(nil)

// visibleGroups is the number of geom groups that MuJoCo's viewer shows.
const visibleGroups = 3

// The cosines of the largest angle between a normal of a mesh and its face, without texture coordinates, as MuJoCo's
// renderer has it, and with them.
const (
	minFacing         = 0.8
	minFacingTextured = 0.05
)

// Shapes implements [physics.Shaped]: the geoms of the groups that MuJoCo's viewer shows or, if nothing that moves has
// geoms there, of all groups. A texture counts with its mean colour.
func (m *Model) Shapes() ([]physics.Shape, []physics.Mesh) {
	shapes, _, surfaces := m.shapes()
	return shapes, m.meshes(surfaces)
}

// surface is what a mesh is a copy of: a mesh of the model, or a height field.
type surface struct {
	field bool
	data  int // number of the mesh or field
}

// meshes copies the meshes of shapes.
func (m *Model) meshes(surfaces []surface) (meshes []physics.Mesh) {
	for _, s := range surfaces {
		if s.field {
			meshes = append(meshes, m.heights(s.data))
		} else {
			meshes = append(meshes, m.mesh(s.data))
		}
	}
	return meshes
}

// shapes also returns the number of each shape's geom, and of what their meshes are copies.
func (m *Model) shapes() (shapes []physics.Shape, geoms []int, surfaces []surface) {
	d := m.Describe()
	index, places := make([]int, len(d.Bodies)), make([]stance, len(d.Bodies))
	count := 0
	for i, b := range d.Bodies {
		index[i] = -1
		places[i].quaternion[0] = 1
		if !b.Static || b.Mocap {
			index[i] = count
			count++
		} else if i > 0 {
			places[i] = places[b.Parent].compose(b.Position, b.Quaternion)
		}
	}
	groups := d.shownGroups()
	known := map[surface]int{}
	for i := range d.Geoms {
		g := &d.Geoms[i]
		color := m.colorOf(i)
		if g.Group >= groups || color[3] == 0 {
			continue
		}
		place := places[g.Body].compose(g.Position, g.Quaternion)
		s := physics.Shape{
			Body: index[g.Body], Kind: g.Type, Size: g.Size, Mesh: -1,
			Position: place.position, Quaternion: place.quaternion, Color: color,
		}
		if g.Type == "mesh" || g.Type == "sdf" || g.Type == "hfield" {
			data := id(m.c.geom_dataid, i)
			if data < 0 {
				continue
			}
			from := surface{field: g.Type == "hfield", data: data}
			s.Kind = physics.ShapeMesh
			n, ok := known[from]
			if !ok {
				n = len(surfaces)
				known[from], surfaces = n, append(surfaces, from)
			}
			s.Mesh = n
		}
		shapes, geoms = append(shapes, s), append(geoms, i)
	}
	return shapes, geoms, surfaces
}

// shownGroups returns the number of groups whose geoms are shown, the first ones.
func (d *Description) shownGroups() int {
	hidden := false
	for i := range d.Geoms {
		b := &d.Bodies[d.Geoms[i].Body]
		moves := !b.Static || b.Mocap
		if moves && d.Geoms[i].Group < visibleGroups {
			return visibleGroups
		}
		hidden = hidden || moves
	}
	if hidden {
		return math.MaxInt
	}
	return visibleGroups
}

// stance is a place and an orientation in a frame.
type stance struct {
	position   [3]float64
	quaternion [4]float64
}

// compose returns the place, in the outer frame, of what is at a place in the frame p.
func (p stance) compose(position [3]float64, turn [4]float64) stance {
	q := number4(p.quaternion)
	offset := quat.Mul(quat.Mul(q, quat.Number{Imag: position[0], Jmag: position[1], Kmag: position[2]}), quat.Conj(q))
	q = quat.Mul(q, number4(turn))
	return stance{
		[3]float64{p.position[0] + offset.Imag, p.position[1] + offset.Jmag, p.position[2] + offset.Kmag},
		[4]float64{q.Real, q.Imag, q.Jmag, q.Kmag},
	}
}

func number4(q [4]float64) quat.Number {
	return quat.Number{Real: q[0], Imag: q[1], Jmag: q[2], Kmag: q[3]}
}

func cross(a, b [3]float64) [3]float64 {
	minor := func(i, j int) float64 { return float64(a[i]*b[j]) - float64(a[j]*b[i]) }
	return [3]float64{minor(1, 2), minor(2, 0), minor(0, 1)}
}

// colorOf returns the colour of a geom as MuJoCo's renderer has it: that of its material,
// unless the geom gives one of its own.
func (m *Model) colorOf(geom int) [4]float32 {
	geomColor := [4]float32(floats32(m.c.geom_rgba, 4*geom, 4))
	material := id(m.c.geom_matid, geom)
	if material < 0 {
		return geomColor
	}
	color := m.materialColor(geomColor, material)
	if texture := m.textureOf(material); texture >= 0 {
		mean := m.meanColor(texture)
		for i := range mean {
			color[i] *= mean[i]
		}
	}
	return color
}

// materialColor is the colour of something with a colour of its own that has a material, without texture.
func (m *Model) materialColor(own [4]float32, material int) [4]float32 {
	if own != [4]float32{0.5, 0.5, 0.5, 1} {
		return own
	}
	return [4]float32(floats32(m.c.mat_rgba, 4*material, 4))
}

func (m *Model) meanColor(texture int) (mean [3]float32) {
	channels := id(m.c.tex_nchannel, texture)
	pixels := id(m.c.tex_width, texture) * id(m.c.tex_height, texture)
	if channels < 3 || pixels == 0 {
		return [3]float32{1, 1, 1}
	}
	start := int(valueAt(m.c.tex_adr, texture))
	data := unsafe.Slice((*byte)(unsafe.Pointer(m.c.tex_data)), int(m.c.ntexdata))[start:]
	step, samples := pixels/1024+1, 0
	for p := 0; p < pixels; p += step {
		for i := range mean {
			mean[i] += float32(data[p*channels+i]) / 255
		}
		samples++
	}
	for i := range mean {
		mean[i] /= float32(samples)
	}
	return mean
}

// floats32 copies n numbers from place from on.
func floats32(p *C.float, first, n int) []float32 {
	out := make([]float32, n)
	for i, v := range unsafe.Slice(p, first+n)[first:] {
		out[i] = float32(v)
	}
	return out
}

// mesh copies a mesh, with a vertex for each pair of a position and a normal.
func (m *Model) mesh(index int) physics.Mesh {
	vertices := floats32(m.c.mesh_vert, 3*id(m.c.mesh_vertadr, index), 3*id(m.c.mesh_vertnum, index))
	normals := floats32(m.c.mesh_normal, 3*id(m.c.mesh_normaladr, index), 3*id(m.c.mesh_normalnum, index))
	first, count := 3*id(m.c.mesh_faceadr, index), 3*id(m.c.mesh_facenum, index)
	corners := ints(m.c.mesh_face, first+count)[first:]
	shades := ints(m.c.mesh_facenormal, first+count)[first:]
	var out physics.Mesh
	least := minFacing
	if texels := id(m.c.mesh_texcoordadr, index); texels >= 0 {
		least = minFacingTextured
		coordinates := floats32(m.c.mesh_texcoord, 2*texels, 2*id(m.c.mesh_texcoordnum, index))
		for _, v := range ints(m.c.mesh_facetexcoord, first+count)[first:] {
			out.TexCoords = append(out.TexCoords, coordinates[2*v:2*v+2]...)
		}
	}
	known := make(map[[2]int]uint32, len(vertices)/3)
	for i, v := range corners {
		flat := normalOf(vertices, corners[i-i%3:][:3])
		key, normal := [2]int{int(v), int(shades[i])}, normals[3*shades[i]:][:3]
		// MuJoCo gives all corners of a hull that it has made one normal.
		facing := float64(float64(normal[0])*flat[0]) + float64(float64(normal[1])*flat[1]) +
			float64(float64(normal[2])*flat[2])
		if facing < least {
			key[1] = -1 - i/3
			normal = []float32{float32(flat[0]), float32(flat[1]), float32(flat[2])}
		}
		k, ok := known[key]
		if !ok {
			k = uint32(len(out.Vertices) / 3)
			known[key] = k
			out.Vertices = append(out.Vertices, vertices[3*v:3*v+3]...)
			out.Normals = append(out.Normals, normal...)
		}
		out.Faces = append(out.Faces, k)
	}
	return out
}

// normalOf is the normal of a face, of length 1, or 0 for a face without area.
func normalOf(vertices []float32, face []C.int) [3]float64 {
	var u, v [3]float64
	for k := range 3 {
		u[k] = float64(vertices[3*int(face[1])+k] - vertices[3*int(face[0])+k])
		v[k] = float64(vertices[3*int(face[2])+k] - vertices[3*int(face[0])+k])
	}
	n := cross(u, v)
	if length := math.Sqrt(float64(n[0]*n[0]) + float64(n[1]*n[1]) + float64(n[2]*n[2])); length > 0 {
		for k := range n {
			n[k] /= length
		}
	}
	return n
}

func (m *Model) heights(index int) physics.Mesh {
	rows, columns := id(m.c.hfield_nrow, index), id(m.c.hfield_ncol, index)
	size := numbers(m.c.hfield_size, 4*index, 4)
	data := floats32(m.c.hfield_data, id(m.c.hfield_adr, index), rows*columns)
	dx, dy := 2*size[0]/float64(columns-1), 2*size[1]/float64(rows-1)
	height := func(r, c int) float64 {
		return float64(float64(data[min(max(r, 0), rows-1)*columns+min(max(c, 0), columns-1)]) * size[2])
	}
	var out physics.Mesh
	for r := range rows {
		for c := range columns {
			out.Vertices = append(out.Vertices,
				float32(float64(float64(c)*dx)-size[0]), float32(float64(float64(r)*dy)-size[1]), float32(height(r, c)))
			x, y := (height(r, c-1)-height(r, c+1))/(2*dx), (height(r-1, c)-height(r+1, c))/(2*dy)
			length := math.Sqrt(float64(x*x) + float64(y*y) + 1)
			out.Normals = append(out.Normals, float32(x/length), float32(y/length), float32(1/length))
			if r > 0 && c > 0 {
				a := uint32(r*columns + c)
				b := a - uint32(columns)
				out.Faces = append(out.Faces, b-1, b, a, b-1, a, a-1)
			}
		}
	}
	return out
}
