package box2d

import (
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d/scene"
)

var (
	_ physics.Shaped   = (*Model)(nil)
	_ physics.Outlined = (*Model)(nil)
)

const (
	drawnDepth   = 0.5 // depth of bodies as they are drawn, m
	drawnCorners = 32  // corners of a circle as it is drawn
)

// Shapes implements [physics.Shaped]: the fixtures of the bodies as prisms. The ground,
// which each episode shapes anew, is not among them; see [Model.Outlines].
func (m *Model) Shapes() ([]physics.Shape, []physics.Mesh) {
	var shapes []physics.Shape
	var meshes []physics.Mesh
	for i, b := range m.sketch.bodies {
		for _, f := range b.Fixtures {
			shapes = append(shapes, physics.Shape{
				Body: i, Kind: physics.ShapeMesh, Mesh: len(meshes), Quaternion: [4]float64{1},
				Color: opaque(b.Fill),
			})
			// Bodies are drawn from last to first, so the first is nearest.
			depth := drawnDepth * (1 - 0.5*float64(i)/float64(len(m.sketch.bodies)))
			meshes = append(meshes, prism(outline(f, drawnCorners), depth))
		}
	}
	return shapes, meshes
}

func opaque(c scene.Color) [4]float32 {
	return [4]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255, 1}
}

// outline returns the corners of a fixture; a circle has so many.
func outline(f scene.Fixture, corners int) (points [][2]float64) {
	if len(f.Vertices) > 0 {
		return f.Vertices
	}
	for i := range corners {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(corners))
		points = append(points, [2]float64{f.Center[0] + f.Radius*c, f.Center[1] + f.Radius*s})
	}
	return points
}

// prism is a convex outline, in order, in the plane of x and z, from depth before it to depth behind it.
func prism(outline [][2]float64, depth float64) (m physics.Mesh) {
	vertex := func(p [2]float64, y float64, nx, ny, nz float64) uint32 {
		m.Vertices = append(m.Vertices, float32(p[0]), float32(y), float32(p[1]))
		m.Normals = append(m.Normals, float32(nx), float32(ny), float32(nz))
		return uint32(len(m.Vertices)/3 - 1)
	}
	if area(outline) < 0 {
		outline = slices.Clone(outline)
		slices.Reverse(outline)
	}
	for _, side := range []float64{-1, 1} { // the front, seen from negative y, and the back
		var first uint32
		for i, p := range outline {
			k := vertex(p, side*depth, 0, side, 0)
			switch {
			case i == 0:
				first = k
			case i >= 2 && side < 0:
				m.Faces = append(m.Faces, first, k-1, k)
			case i >= 2:
				m.Faces = append(m.Faces, first, k, k-1)
			}
		}
	}
	for i, p := range outline {
		q := outline[(i+1)%len(outline)]
		x, z := q[1]-p[1], p[0]-q[0]
		length := math.Hypot(x, z)
		a, b := vertex(p, -depth, x/length, 0, z/length), vertex(q, -depth, x/length, 0, z/length)
		c, d := vertex(q, depth, x/length, 0, z/length), vertex(p, depth, x/length, 0, z/length)
		m.Faces = append(m.Faces, a, c, b, a, d, c)
	}
	return m
}

// area is twice the area of an outline, positive if it goes counterclockwise.
func area(outline [][2]float64) (sum float64) {
	for i, p := range outline {
		q := outline[(i+1)%len(outline)]
		sum += p[0]*q[1] - p[1]*q[0]
	}
	return sum
}
