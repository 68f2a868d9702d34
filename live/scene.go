package live

import (
	"slices"
	"sync/atomic"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Scene returns what the bodies of a world look like: nothing, for an engine that cannot
// say. It may be called from any goroutine; the caller owns the result.
func (s *Server) Scene() (shapes []physics.Shape, meshes []physics.Mesh) {
	if model, ok := s.env.Model().(physics.Shaped); ok {
		return model.Shapes()
	}
	return nil, nil
}

// scenery is the ground of each world, where episodes shape it.
type scenery struct {
	outlined physics.Outlined // the model; nil: they do not
	grounds  []atomic.Pointer[ground]
}

// ground is that of an episode.
type ground struct {
	episode int64
	values  []float64
}

// watchGround keeps the scenery of a world when an episode begins. It is called at decision points.
func (s *Server) watchGround(w *sim.World) {
	newest := &s.grounds[w.Index()]
	if old := newest.Load(); old != nil && old.episode == w.Episode() {
		return
	}
	newest.Store(&ground{w.Episode(), slices.Clone(s.outlined.Scenery().In(w.State()))})
}

// A ground in two dimensions reaches so far before and behind, and so far down, in m.
const (
	groundDepth = 1.5
	groundDrop  = 30
)

// Ground returns the ground of a world in its running episode as triangles, three points each:
// the top of each outline of [physics.Outlined], and its front. There are none where the engine has
// no ground that episodes shape. It may be called from any goroutine; the caller owns the result.
func (s *Server) Ground(world int) (points [][3]float64, err error) {
	if err := s.checkWorld(world); err != nil || s.outlined == nil {
		return nil, err
	}
	outlines, err := s.outlined.Outlines(s.grounds[world].Load().values)
	near := func(p [2]float64) [3]float64 { return [3]float64{p[0], -groundDepth, p[1]} }
	far := func(p [2]float64) [3]float64 { return [3]float64{p[0], groundDepth, p[1]} }
	down := func(p [2]float64) [3]float64 { return [3]float64{p[0], -groundDepth, p[1] - groundDrop} }
	quad := func(a, b, c, d [3]float64) { points = append(points, a, b, c, a, c, d) }
	for _, o := range outlines {
		if len(o) == 2 { // an edge
			quad(near(o[0]), near(o[1]), far(o[1]), far(o[0]))
			quad(down(o[0]), down(o[1]), near(o[1]), near(o[0]))
			continue
		}
		for i, p := range o {
			q := o[(i+1)%len(o)]
			quad(near(p), near(q), far(q), far(p))
			if i > 0 && i < len(o)-1 {
				points = append(points, near(o[0]), near(p), near(q))
			}
		}
	}
	return points, err
}
