package transport

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
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

// foxDepth is how far a ground in two dimensions reaches before and behind, and foxDrop how
// far down, m.
const (
	foxDepth = 1.5
	foxDrop  = 30
)

// scene returns what makes the message of the shapes of a world, which move with the frames
// of their bodies, and of its ground, where episodes shape it.
func (f *foxglove) scene(prefix string, world int, run *live.Server) func() any {
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
				list = append(list, newFoxEntity(fmt.Sprintf("body%d", s.Body), f.frameOf(prefix, names, s.Body)))
			}
			list[k].add(s, meshes)
		}
		return list
	})
	return func() any {
		list := entities()
		if outlines, err := run.Ground(world); err == nil && len(outlines) > 0 {
			ground := newFoxEntity("ground", f.frameOf(prefix, nil, -1))
			ground.Triangles = append(ground.Triangles, foxGround(outlines))
			list = append(slices.Clone(list), ground)
		}
		for i := range list {
			list[i].Timestamp = f.time()
		}
		return map[string]any{"deletions": []any{}, "entities": list}
	}
}

func newFoxEntity(id, frame string) foxEntity {
	return foxEntity{
		Frame: frame, ID: id, FrameLocked: true, Metadata: []any{},
		Cubes: []foxPrimitive{}, Spheres: []foxPrimitive{}, Cylinders: []foxPrimitive{}, Triangles: []foxTriangles{},
	}
}

// foxGround draws the outlines of a ground, see [live.Server.Ground], as the page does: the top
// of each, and its front. Each three points are a triangle.
func foxGround(outlines [][][2]float64) foxTriangles {
	t := foxTriangles{
		Pose: foxPose{Orientation: foxQuaternion{W: 1}}, Color: foxColor{0.6, 0.65, 0.7, 1},
		Points: []foxVector{}, Colors: []foxColor{}, Indices: []uint32{},
	}
	quad := func(a, b, c, d foxVector) { t.Points = append(t.Points, a, b, c, a, c, d) }
	at := func(p [2]float64, y float64) foxVector { return foxVector{p[0], y, p[1]} }
	down := func(p [2]float64) [2]float64 { return [2]float64{p[0], p[1] - foxDrop} }
	for _, o := range outlines {
		edges := len(o)
		if edges == 2 {
			edges = 1
			quad(at(down(o[0]), -foxDepth), at(down(o[1]), -foxDepth), at(o[1], -foxDepth), at(o[0], -foxDepth))
		}
		for i := range edges {
			p, q := o[i], o[(i+1)%len(o)]
			quad(at(p, -foxDepth), at(q, -foxDepth), at(q, foxDepth), at(p, foxDepth))
			if i > 0 && i < len(o)-1 {
				t.Points = append(t.Points, at(o[0], -foxDepth), at(p, -foxDepth), at(q, -foxDepth))
			}
		}
	}
	return t
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
