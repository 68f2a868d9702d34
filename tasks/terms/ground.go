package terms

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// groundHeight is the height of the highest ground at a place, m in the world.
func (r *Robot) groundHeight(x, y float64) float64 {
	if r.Ground == nil {
		return 0
	}
	return r.Ground.Height(x, y)
}

// What a world on a terrain remembers beyond its episodes, see [sim.World.Lasting].
const (
	lastingRow    = iota // The row of its patch, from 1 on; 0 before the first episode.
	lastingColumn        // The column of its patch, from 1 on; 0 before the first episode.

	groundLasting // The number of these values.
)

// GroundInfos are the infos of a task on a terrain: the row and the column of the world's patch.
var GroundInfos = []string{"terrain_level", "terrain_type"}

// Ground decides on which patch of a terrain each episode of a world begins. It is immutable.
type Ground struct {
	terrain *terrain.Terrain
	levels  *levels
	seconds float64        // the length of an episode
	poses   []physics.Span // poses of the bases of the entities that have one, the robot's first
	key     Key
	binder  *Binder
}

// Ground returns the decisions about patches after all has been bound; nil without a terrain. seconds is the length of
// an episode that its time limit ends.
func (b *Binder) Ground(seconds float64) *Ground {
	if b.Robot.Ground == nil {
		return nil
	}
	g := &Ground{terrain: b.Robot.Ground, levels: b.levels, seconds: seconds, binder: b}
	b.entry = &Parsed{Kind: "terrain"}
	g.key = b.Key()
	for _, e := range b.entities {
		if e.base >= 0 {
			g.poses = append(g.poses, b.Robot.Joints[e.base].Position)
		}
	}
	return g
}

// Begin chooses the patch of an episode, and puts the base and the free things on it: the world's state is that of
// the start.
func (g *Ground) Begin(v *View, w *sim.World) {
	v.World = w
	lasting := w.Lasting()
	switch {
	case g.levels == nil:
		r := w.Random(sim.Purpose(g.key))
		lasting[lastingRow] = float64(1 + r.IntN(g.terrain.Rows))
		lasting[lastingColumn] = float64(1 + r.IntN(g.terrain.Columns))
	case lasting[lastingRow] == 0:
		r := w.LastingRandom(sim.Purpose(g.key))
		lasting[lastingRow] = float64(1 + r.IntN(g.levels.first))
		lasting[lastingColumn] = float64(1 + r.IntN(g.terrain.Columns))
	}
	for _, pose := range g.poses {
		g.binder.moveToPatch(v, pose.In(w.State()))
	}
	info := w.Info()
	info = info[len(info)-len(GroundInfos):]
	info[0], info[1] = lasting[lastingRow]-1, lasting[lastingColumn]-1
}

// End moves the world to another level after a complete episode, if there is a curriculum.
func (g *Ground) End(v *View, w *sim.World) {
	if g.levels == nil {
		return
	}
	v.World = w
	patch, position := v.patch(g.terrain), g.poses[0].In(w.State())
	distance := math.Hypot(position[0]-patch.Origin[0], position[1]-patch.Origin[1])
	level := &w.Lasting()[lastingRow]
	switch {
	case distance > g.terrain.Size[0]/2:
		if *level++; int(*level) > g.terrain.Rows {
			*level = float64(1 + w.Random(sim.Purpose(g.key)).IntN(g.terrain.Rows))
		}
	case distance < v.Slot(g.levels.speed)[0]*g.seconds*0.5:
		*level = max(*level-1, 1)
	}
}

// patch is the patch on which the world's episode began.
func (v *View) patch(t *terrain.Terrain) *terrain.Patch {
	lasting := v.Lasting()
	return t.Patch(int(lasting[lastingRow])-1, int(lasting[lastingColumn])-1)
}

// startReach is how far around a start the ground must be below it, m.
const startReach = 0.4

// moveToPatch moves a position that is meant for flat ground at the origin onto the world's patch, if there is a terrain.
func (b *Binder) moveToPatch(v *View, position []float64) {
	if g := b.Robot.Ground; g != nil {
		origin := &v.patch(g).Origin
		position[0], position[1] = position[0]+origin[0], position[1]+origin[1]
		position[2] += g.Highest(position[0], position[1], startReach)
	}
}

// needGround fails without a terrain.
func (b *Binder) needGround() *terrain.Terrain {
	if b.Robot.Ground == nil {
		b.Fail("", ": needs scene.terrain, and the scene has none")
	}
	return b.Robot.Ground
}

// levels is the curriculum of rows.
type levels struct {
	first int  // levels among which the first is drawn
	speed Slot // speed of the command in force in the last step, m/s
}

// groundNormal is the upward unit normal of the plane z = a·x + b·y + c that fits the ground below points of 3 values
// each by least squares; (0, 0, 1) where they lie on a line.
func (r *Robot) groundNormal(points []float64) [3]float64 {
	n := float64(len(points) / 3)
	var x, y, z float64
	for i := 0; i < len(points); i += 3 {
		x, y, z = x+points[i], y+points[i+1], z+r.groundHeight(points[i], points[i+1])
	}
	x, y, z = x/n, y/n, z/n
	var xx, xy, yy, xz, yz float64
	for i := 0; i < len(points); i += 3 {
		u, v, w := points[i]-x, points[i+1]-y, r.groundHeight(points[i], points[i+1])-z
		xx, xy, yy = xx+float64(u*u), xy+float64(u*v), yy+float64(v*v)
		xz, yz = xz+float64(u*w), yz+float64(v*w)
	}
	det := float64(xx*yy) - float64(xy*xy)
	if det <= 1e-9*float64(xx*yy) {
		return [3]float64{0, 0, 1}
	}
	slope := [2]float64{(float64(xz*yy) - float64(yz*xy)) / det, (float64(yz*xx) - float64(xz*xy)) / det}
	length := math.Sqrt(1 + sumOfSquares(slope[:]))
	return [3]float64{-slope[0] / length, -slope[1] / length, 1 / length}
}
