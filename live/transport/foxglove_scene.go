package transport

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// foxFloor is the side of a plane without end, m.
const foxFloor = 100

// foxEntity is what is drawn in the frame of one body.
type foxEntity struct {
	Timestamp   foxTime        `json:"timestamp"`
	Frame       string         `json:"frame_id"`
	ID          string         `json:"id"`
	Lifetime    foxTime        `json:"lifetime"`
	FrameLocked bool           `json:"frame_locked"`
	Metadata    []any          `json:"metadata"`
	Cubes       []foxPrimitive `json:"cubes"`
	Spheres     []foxPrimitive `json:"spheres"`
	Cylinders   []foxPrimitive `json:"cylinders"`
	Triangles   []foxTriangles `json:"triangles"`
}

type foxColor struct {
	R float32 `json:"r"`
	G float32 `json:"g"`
	B float32 `json:"b"`
	A float32 `json:"a"`
}

type foxPrimitive struct {
	Pose   foxPose   `json:"pose"`
	Size   foxVector `json:"size"`
	Color  foxColor  `json:"color"`
	Bottom float64   `json:"bottom_scale"` // of a cylinder
	Top    float64   `json:"top_scale"`
}

type foxTriangles struct {
	Pose    foxPose     `json:"pose"`
	Points  []foxVector `json:"points"`
	Color   foxColor    `json:"color"`
	Colors  []foxColor  `json:"colors"`
	Indices []uint32    `json:"indices"`
}

// scene returns what makes the message of the shapes of a world, which move with the frames
// of their bodies.
func (f *foxglove) scene(prefix string, run *live.Server) func() any {
	entities := sync.OnceValue(func() []foxEntity {
		names := []string{}
		for _, b := range run.Description().GetBodies() {
			names = append(names, b.GetName())
		}
		scene := run.Scene()
		meshes := foxMeshes(scene)
		list := []foxEntity{}
		at := map[int]int{}
		for i := range scene.Shapes {
			s := &scene.Shapes[i]
			k, ok := at[s.Body]
			if !ok {
				k = len(list)
				at[s.Body] = k
				list = append(list, foxEntity{
					Frame: f.frameOf(prefix, names, s.Body), ID: fmt.Sprintf("body%d", s.Body), FrameLocked: true, Metadata: []any{},
					Cubes: []foxPrimitive{}, Spheres: []foxPrimitive{}, Cylinders: []foxPrimitive{}, Triangles: []foxTriangles{},
				})
			}
			list[k].add(s, meshes)
		}
		return list
	})
	return func() any {
		list := entities()
		for i := range list {
			list[i].Timestamp = f.time()
		}
		return map[string]any{"deletions": []any{}, "entities": list}
	}
}

// add adds a shape.
func (e *foxEntity) add(s *physics.Shape, meshes []foxTriangles) {
	pose := foxPose{
		Position:    foxVector{s.Position[0], s.Position[1], s.Position[2]},
		Orientation: foxQuaternion{s.Quaternion[1], s.Quaternion[2], s.Quaternion[3], s.Quaternion[0]},
	}
	color := foxColor{s.Color[0], s.Color[1], s.Color[2], s.Color[3]}
	a, b, c := 2*s.Size[0], 2*s.Size[1], 2*s.Size[2]
	sphere := func(x, y, z, up float64) {
		p := pose
		p.Position = along(pose, up)
		e.Spheres = append(e.Spheres, foxPrimitive{Pose: p, Size: foxVector{x, y, z}, Color: color})
	}
	switch s.Kind {
	case physics.ShapePlane:
		size := foxVector{a, b, 0.001}
		if a == 0 {
			size.X = foxFloor
		}
		if b == 0 {
			size.Y = foxFloor
		}
		pose.Position = along(pose, -size.Z/2)
		e.Cubes = append(e.Cubes, foxPrimitive{Pose: pose, Size: size, Color: color})
	case physics.ShapeBox:
		e.Cubes = append(e.Cubes, foxPrimitive{Pose: pose, Size: foxVector{a, b, c}, Color: color})
	case physics.ShapeSphere:
		sphere(a, a, a, 0)
	case physics.ShapeEllipsoid:
		sphere(a, b, c, 0)
	case physics.ShapeCapsule, physics.ShapeCylinder:
		e.Cylinders = append(e.Cylinders, foxPrimitive{Pose: pose, Size: foxVector{a, a, b}, Color: color, Bottom: 1, Top: 1})
		if s.Kind == physics.ShapeCapsule {
			sphere(a, a, a, b/2)
			sphere(a, a, a, -b/2)
		}
	case physics.ShapeMesh:
		if s.Mesh >= 0 && s.Mesh < len(meshes) {
			m := meshes[s.Mesh]
			m.Pose, m.Color = pose, color
			e.Triangles = append(e.Triangles, m)
		}
	}
}

// along is the position of a pose moved along its own z.
func along(p foxPose, d float64) foxVector {
	q := p.Orientation
	return foxVector{
		p.Position.X + d*2*(q.X*q.Z+q.W*q.Y),
		p.Position.Y + d*2*(q.Y*q.Z-q.W*q.X),
		p.Position.Z + d*(1-2*(q.X*q.X+q.Y*q.Y)),
	}
}

// foxMeshes are the meshes of a scene, which several shapes may share.
func foxMeshes(scene *live.Scene) []foxTriangles {
	var list []foxTriangles
	data := scene.Data
	for _, m := range scene.Meshes {
		t := foxTriangles{Points: make([]foxVector, m.Vertices), Colors: []foxColor{}, Indices: make([]uint32, 3*m.Faces)}
		value := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))) }
		for i := range t.Points {
			t.Points[i] = foxVector{value(3 * i), value(3*i + 1), value(3*i + 2)}
		}
		data = data[4*6*m.Vertices:] // with the normals
		for i := range t.Indices {
			t.Indices[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		data = data[4*3*m.Faces:]
		list = append(list, t)
	}
	return list
}
