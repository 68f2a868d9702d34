package transport

import (
	"fmt"
	"slices"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// foxFloor is the side of a plane without end, m.
const foxFloor = 100

// foxScene is a message. Viewers take what is not there for empty: lists, the lifetime.
type foxScene struct {
	Entities []foxEntity `json:"entities"`
}

type foxEntity struct {
	Timestamp   foxTime        `json:"timestamp"`
	Frame       string         `json:"frame_id"`
	ID          string         `json:"id"`
	FrameLocked bool           `json:"frame_locked"`
	Cubes       []foxPrimitive `json:"cubes,omitempty"`
	Spheres     []foxPrimitive `json:"spheres,omitempty"`
	Cylinders   []foxPrimitive `json:"cylinders,omitempty"`
	Triangles   []foxTriangles `json:"triangles,omitempty"`
}

type foxColor struct {
	R float32 `json:"r"`
	G float32 `json:"g"`
	B float32 `json:"b"`
	A float32 `json:"a"`
}

type foxPrimitive struct {
	Pose  foxPose   `json:"pose"`
	Size  foxVector `json:"size"`
	Color foxColor  `json:"color"`
}

type foxTriangles struct {
	Pose    foxPose     `json:"pose"`
	Points  []foxVector `json:"points"`
	Color   foxColor    `json:"color"`
	Indices []uint32    `json:"indices,omitempty"`
}

// scene returns what makes the message of the shapes of a world, which move with the frames
// of their bodies, and of its ground, where episodes shape it.
func (f *foxglove) scene(prefix string, world int, run *live.Server) func() foxScene {
	entities := sync.OnceValue(func() (list []foxEntity) {
		shapes, meshes := run.Scene()
		indices := map[int]int{}
		for i := range shapes {
			s := &shapes[i]
			if _, ok := indices[s.Body]; !ok {
				name := "world"
				if s.Body >= 0 {
					name = run.Description().GetBodies()[s.Body].GetName()
				}
				indices[s.Body] = len(list)
				list = append(list, foxEntity{Frame: frameOf(prefix, name), ID: fmt.Sprintf("body%d", s.Body),
					FrameLocked: true})
			}
			list[indices[s.Body]].add(s, meshes)
		}
		return list
	})
	return func() foxScene {
		all := foxScene{append([]foxEntity{}, entities()...)}
		if ground, err := run.Ground(world); err == nil && len(ground) > 0 {
			t := foxTriangles{Pose: foxPose{Orientation: foxQuaternion{W: 1}}, Color: foxColor{0.6, 0.65, 0.7, 1}}
			for _, p := range ground {
				t.Points = append(t.Points, foxVector{p[0], p[1], p[2]})
			}
			all.Entities = append(all.Entities, foxEntity{
				Frame: frameOf(prefix, "world"), ID: "ground", FrameLocked: true, Triangles: []foxTriangles{t},
			})
		}
		for i := range all.Entities {
			all.Entities[i].Timestamp = f.time()
		}
		return all
	}
}

func (e *foxEntity) add(s *physics.Shape, meshes []physics.Mesh) {
	pose := foxPose{
		Position:    foxVector{s.Position[0], s.Position[1], s.Position[2]},
		Orientation: foxQuaternion{s.Quaternion[1], s.Quaternion[2], s.Quaternion[3], s.Quaternion[0]},
	}
	color := foxColor{s.Color[0], s.Color[1], s.Color[2], s.Color[3]}
	a, b, c := 2*s.Size[0], 2*s.Size[1], 2*s.Size[2]
	sphere := func(x, y, z, height float64) {
		p := pose
		p.Position = offsetAlong(pose, height)
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
		pose.Position = offsetAlong(pose, -size.Z/2)
		e.Cubes = append(e.Cubes, foxPrimitive{Pose: pose, Size: size, Color: color})
	case physics.ShapeBox:
		e.Cubes = append(e.Cubes, foxPrimitive{Pose: pose, Size: foxVector{a, b, c}, Color: color})
	case physics.ShapeSphere:
		sphere(a, a, a, 0)
	case physics.ShapeEllipsoid:
		sphere(a, b, c, 0)
	case physics.ShapeCapsule, physics.ShapeCylinder:
		size := foxVector{a, a, b}
		e.Cylinders = append(e.Cylinders, foxPrimitive{Pose: pose, Size: size, Color: color})
		if s.Kind == physics.ShapeCapsule {
			sphere(a, a, a, b/2)
			sphere(a, a, a, -b/2)
		}
	case physics.ShapeMesh:
		m := foxTriangles{Pose: pose, Color: color, Indices: meshes[s.Mesh].Faces}
		for v := range slices.Chunk(meshes[s.Mesh].Vertices, 3) {
			m.Points = append(m.Points, foxVector{float64(v[0]), float64(v[1]), float64(v[2])})
		}
		e.Triangles = append(e.Triangles, m)
	}
}

// offsetAlong is the position of a pose moved along its own z.
func offsetAlong(p foxPose, d float64) foxVector {
	q := p.Orientation
	return foxVector{
		p.Position.X + d*2*(q.X*q.Z+q.W*q.Y),
		p.Position.Y + d*2*(q.Y*q.Z-q.W*q.X),
		p.Position.Z + d*(1-2*(q.X*q.X+q.Y*q.Y)),
	}
}
