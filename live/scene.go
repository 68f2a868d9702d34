package live

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Scene is what a page draws.
type Scene struct {
	Shapes []physics.Shape `json:"shapes"`
	Meshes []SceneMesh     `json:"meshes"`

	// Data are the meshes, one after the other: the vertices and the normals as float32,
	// and the faces as uint32, all little-endian.
	Data []byte `json:"-"`
}

// SceneMesh says how much of the data is a mesh.
type SceneMesh struct {
	Vertices int `json:"vertices"`
	Faces    int `json:"faces"`
}

// Scene returns what the bodies of a world look like: nothing, for an engine that cannot
// say. It may be called from any goroutine; the caller owns the result.
func (s *Server) Scene() *Scene {
	scene := &Scene{Shapes: []physics.Shape{}, Meshes: []SceneMesh{}}
	model, ok := s.env.Model().(physics.Shaped)
	if !ok {
		return scene
	}
	var meshes []physics.Mesh
	scene.Shapes, meshes = model.Shapes()
	for _, m := range meshes {
		scene.Meshes = append(scene.Meshes, SceneMesh{Vertices: len(m.Vertices) / 3, Faces: len(m.Faces) / 3})
		for _, list := range [][]float32{m.Vertices, m.Normals} {
			for _, v := range list {
				scene.Data = binary.LittleEndian.AppendUint32(scene.Data, math.Float32bits(v))
			}
		}
		for _, v := range m.Faces {
			scene.Data = binary.LittleEndian.AppendUint32(scene.Data, v)
		}
	}
	return scene
}

// ground is the scenery of an episode.
type ground struct {
	episode int64
	values  []float64
}

// watchGround keeps the scenery of a world when an episode begins. It is called at decision
// points.
func (s *Server) watchGround(w *sim.World) {
	of := &s.grounds[w.Index()]
	if old := of.Load(); old != nil && old.episode == w.Episode() {
		return
	}
	of.Store(&ground{w.Episode(), slices.Clone(s.outlined.Scenery().In(w.State()))})
}

// Ground returns the outlines of the ground of a world in its running episode, see
// [physics.Outlined]: none, where the engine has none that episodes shape. It may be called
// from any goroutine; the caller owns the result.
func (s *Server) Ground(world int) ([][][2]float64, error) {
	if err := s.checkWorld(world); err != nil {
		return nil, err
	}
	if s.outlined == nil {
		return nil, nil
	}
	return s.outlined.Outlines(s.grounds[world].Load().values)
}
