package scene

import (
	"cmp"
	"fmt"
)

// Ground is the room for the static shapes of an episode. They lie on one static body at the origin, with category
// 0x0001, colliding with all that collides with it, and are created before the bodies.
//
// In a row the field "ground" holds their number, and then for each the number of its vertices, its friction and its
// vertices. [Ground.Clear] and [Ground.Add] write it. What lies beyond the last shape is ignored and costs next to
// nothing.
type Ground struct {
	MaxShapes   int // 0: there is no ground
	MaxVertices int // of one shape, 2 to 8; 0 means 2: edges only
}

// vertices returns MaxVertices with its default.
func (g Ground) vertices() int { return cmp.Or(g.MaxVertices, 2) }

// Stride is the number of values that one shape takes in a row.
func (g Ground) Stride() int { return 2 + 2*g.vertices() }

// Size is the length of the field "ground".
func (g Ground) Size() int { return 1 + g.MaxShapes*g.Stride() }

// Clear takes all shapes out of field, the "ground" of a row.
func (g Ground) Clear(field []float64) {
	g.mustHold(field)
	clear(field)
}

// Add puts a shape behind those in field, the "ground" of a row: an edge of two vertices, collided with from both
// sides, or a strictly convex polygon, whose vertices are in order. It panics if there is no room. A shape that Box2D
// cannot take (two vertices closer than 5 mm, a polygon that is not convex) is a fault of the world at its next
// Forward or Step.
func (g Ground) Add(field []float64, friction float64, vertices ...[2]float64) {
	g.mustHold(field)
	count := int(field[0])
	if count < 0 || count >= g.MaxShapes {
		panic(fmt.Sprintf("scene: shape %d of a ground with room for %d", count+1, g.MaxShapes))
	}
	if len(vertices) < 2 || len(vertices) > g.vertices() {
		panic(fmt.Sprintf("scene: ground shape of %d vertices, want 2 to %d", len(vertices), g.vertices()))
	}
	shape := field[1+count*g.Stride():][:g.Stride()]
	clear(shape)
	shape[0] = float64(len(vertices))
	shape[1] = friction
	for i, v := range vertices {
		shape[2+2*i], shape[3+2*i] = v[0], v[1]
	}
	field[0]++
}

func (g Ground) mustHold(field []float64) {
	if len(field) != g.Size() {
		panic(fmt.Sprintf("scene: ground field of %d values, want %d", len(field), g.Size()))
	}
}
