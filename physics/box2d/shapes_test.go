package box2d

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The prisms of bodies have their outlines, and faces that are seen from outside.
func TestShapes(t *testing.T) {
	m := polytest.Must(New(drawnScene()))(t)
	defer m.Close()
	shapes, meshes := m.Shapes()
	if len(shapes) != 2 || len(meshes) != 2 || shapes[1].Body != 1 || shapes[0].Color != [4]float32{1, 0, 0, 1} {
		t.Fatalf("%d meshes of %+v, want a red box and a ball", len(meshes), shapes)
	}
	if n := len(meshes[0].Faces) / 3; n != 2*2+4*2 {
		t.Errorf("the box has %d faces, want 12", n)
	}
	for i, mesh := range meshes {
		corner := func(f int) (p [3]float32) {
			copy(p[:], mesh.Vertices[3*mesh.Faces[f]:])
			return p
		}
		for f := 0; f < len(mesh.Faces); f += 3 {
			a, b, c := corner(f), corner(f+1), corner(f+2)
			var u, v [3]float32
			for k := range 3 {
				u[k], v[k] = b[k]-a[k], c[k]-a[k]
			}
			n := mesh.Normals[3*mesh.Faces[f]:]
			if (u[1]*v[2]-u[2]*v[1])*n[0]+(u[2]*v[0]-u[0]*v[2])*n[1]+(u[0]*v[1]-u[1]*v[0])*n[2] <= 0 {
				t.Errorf("face %d of mesh %d is seen from inside", f/3, i)
			}
		}
	}
}
