package mujoco

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// Shapes are where MuJoCo has them: those of bodies that move in the frame of the body,
// all others in the world, however deep they hang; hidden groups are left out.
func TestShapes(t *testing.T) {
	m := mustCompile(t, map[string]string{"model.xml": `<mujoco>
		<asset>
			<material name="red" rgba="1 0 0 1"/>
			<mesh name="corner" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
			<hfield name="hills" nrow="2" ncol="3" size="2 1 .5 .1" elevation="0 1 0  0 1 0"/>
		</asset>
		<worldbody>
			<body name="table" pos="1 0 0" euler="0 0 90">
				<body name="leg" pos="1 0 0">
					<geom type="box" size=".1 .2 .3" pos="1 0 0" material="red"/>
				</body>
			</body>
			<geom type="hfield" hfield="hills"/>
			<body name="ball" pos="0 0 3">
				<freejoint/>
				<geom type="sphere" size=".5" pos="0 0 1" rgba="0 1 0 .5"/>
				<geom type="mesh" mesh="corner" mass="1"/>
				<geom type="sphere" size="2" group="3"/>
			</body>
		</worldbody>
	</mujoco>`}, scene.Settings{Models: []scene.Model{{File: "model.xml"}}, Floor: scene.No})
	shapes, meshes := m.Shapes()
	if len(shapes) != 4 || len(meshes) != 2 {
		t.Fatalf("%d shapes and %d meshes, want 4 and 2: %+v", len(shapes), len(meshes), shapes)
	}
	indexOf := map[string]int{}
	for i, s := range shapes {
		indexOf[s.Kind] = i
	}
	box := shapes[indexOf["box"]]
	for i, want := range [3]float64{1, 2, 0} { // 1 along x, then twice 1 along the turned x
		if math.Abs(box.Position[i]-want) > 1e-12 {
			t.Errorf("the box is at %v, want 1, 2, 0", box.Position)
		}
	}
	if half := math.Sqrt(.5); box.Body != -1 || math.Abs(box.Quaternion[3]-half) > 1e-12 ||
		box.Color != [4]float32{1, 0, 0, 1} {
		t.Errorf("the box is %+v, want it fixed, turned by 90° and red", box)
	}
	ball := shapes[indexOf["sphere"]]
	if ball.Body != 0 || ball.Position != [3]float64{0, 0, 1} || ball.Color != [4]float32{0, 1, 0, .5} {
		t.Errorf("the ball is %+v, want it on body 0, 1 m above its origin and half green", ball)
	}
	for i, mesh := range meshes {
		if len(mesh.Vertices) != len(mesh.Normals) || len(mesh.Faces)%3 != 0 || len(mesh.Faces) == 0 {
			t.Errorf("mesh %d has %d, %d and %d values", i, len(mesh.Vertices), len(mesh.Normals), len(mesh.Faces))
		}
		for f := 0; f+2 < len(mesh.Faces); f += 3 { // the normals are on the side from which faces are counterclockwise
			var p [3][3]float64
			for c := range p {
				for k := range 3 {
					p[c][k] = float64(mesh.Vertices[3*mesh.Faces[f+c]+uint32(k)])
				}
			}
			var u, v [3]float64
			for k := range 3 {
				u[k], v[k] = p[1][k]-p[0][k], p[2][k]-p[0][k]
			}
			n, dot := cross(u, v), 0.0
			for c := range 3 { // a normal may be shared by faces, and be along the edge of one
				for k := range 3 {
					dot += n[k] * float64(mesh.Normals[3*mesh.Faces[f+c]+uint32(k)])
				}
			}
			if dot <= 0 {
				t.Errorf("face %d of mesh %d is seen from inside", f/3, i)
			}
		}
	}
	if n := len(meshes[0].Faces) + len(meshes[1].Faces); n != 3*4+3*4 {
		t.Errorf("the faces have %d corners, want those of 4 and 4", n)
	}
}
