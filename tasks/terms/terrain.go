package terms

import (
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
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
	lastingRow    = iota // of its patch, from 1 on; 0 before the first episode
	lastingColumn        // likewise

	groundLasting // the number of these values
)

// GroundInfos are the infos of a task on a terrain: the row and the column of the world's patch.
var GroundInfos = []string{"terrain_level", "terrain_type"}

// Ground decides on which patch of a terrain each episode of a world begins. It is immutable.
type Ground struct {
	terrain *terrain.Terrain
	levels  *levels
	seconds float64        // the length of an episode
	poses   []physics.Span // of the bases of the entities that have one, the robot's first
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
		g.binder.toPatch(v, pose.In(w.State()))
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
	patch, at := v.patch(g.terrain), g.poses[0].In(w.State())
	distance := math.Hypot(at[0]-patch.Origin[0], at[1]-patch.Origin[1])
	level := &w.Lasting()[lastingRow]
	switch {
	case distance > g.terrain.Size[0]/2:
		if *level++; int(*level) > g.terrain.Rows {
			*level = float64(1 + w.Random(sim.Purpose(g.key)).IntN(g.terrain.Rows))
		}
	case distance < v.Kept(g.levels.speed)[0]*g.seconds*0.5:
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

// toPatch moves a position that is meant for flat ground at the origin onto the world's patch, if there is a terrain.
func (b *Binder) toPatch(v *View, position []float64) {
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

type levelParameters struct {
	// Command is the name of a velocity command, which says how far the robot should have come.
	Command string `yaml:"command"`
	// MaxInitTerrainLevel is the highest level on which a world begins, from 0 on; the last if not given.
	MaxInitTerrainLevel *int `yaml:"max_init_terrain_level"`
}

func (p *levelParameters) checkKeys(c *bounds.Check) {
	if p.MaxInitTerrainLevel != nil {
		c.Whole("max_init_terrain_level", int64(*p.MaxInitTerrainLevel), 0, terrain.MaxRows-1)
	}
}

// levels is the curriculum of rows.
type levels struct {
	first int  // levels among which the first is drawn
	speed Slot // of the command in force in the last step, m/s
}

// terrainLevels moves each world over the rows of the terrain, which are its levels. A world begins on a drawn level,
// at most max_init_terrain_level, and has one column, which is drawn once. After each complete episode
//
//	level + 1 if d > size_x / 2    else level - 1 if d < ½·|v|·T
//
// d is the distance of the base from the start of its patch in the plane, v the command in force at the end, and T the
// length of an episode. From the last level the next is a drawn one. Unit m, m/s and s. The rule is that of both peers,
// terrain_levels_vel there. The level is remembered by the world: it is in its snapshots, and the info terrain_level. The
// info terrain_type is the column, counted from 0 as the level is, without this term too.
// Without this term, each episode draws a row and a column.
func terrainLevels(b *Binder, p *levelParameters) CurriculumFunc {
	b.Command("command", p.Command, 3)
	ground := b.needGround()
	if b.levels != nil {
		b.Fail("", ": there is another terrain_levels, want one")
	}
	b.Base("")
	if c := b.commands[p.Command]; b.err == nil {
		speed := b.Memory(1)
		b.levels = &levels{first: ground.Rows, speed: speed}
		b.OnStep(func(v *View) {
			command := v.Kept(c.value)
			v.Kept(speed)[0] = math.Hypot(command[0], command[1])
		})
		if most := p.MaxInitTerrainLevel; most != nil {
			b.levels.first = min(ground.Rows, *most+1)
		}
	}
	return CurriculumFunc{}
}

type boundsParameters struct {
	// DistanceBuffer is the distance from the edge of the terrain, its border included, m.
	DistanceBuffer float64 `yaml:"distance_buffer" want:"0..1e9"`
}

// terrainOutOfBounds ends the episode when the base is near the edge of the terrain:
//
//	|x| > size_x·rows / 2 + border_width - distance_buffer, or likewise for y and columns
//
// Unit m. Frame: world. The same in both peers (out_of_terrain_bounds in mjlab), where it truncates; here that is said
// by truncate: true.
func terrainOutOfBounds(b *Binder, p *boundsParameters) TerminationFunc {
	ground := b.needGround()
	position := b.Quantity("base_pos")
	return func(v *View) bool {
		at := v.At(position)
		return !ground.Inside(at[0], at[1], p.DistanceBuffer)
	}
}

type edgeParameters struct {
	// ThresholdFraction is the part of half the length of a patch that the base may go from its start, of 1.
	ThresholdFraction float64 `yaml:"threshold_fraction" want:"above 0..1e3"`
}

// terrainEdgeReached ends the episode when the base leaves the patch on which it began:
//
//	|x - x_patch| > ½·size_x·threshold_fraction, or likewise for y
//
// x_patch is the start of the patch. Unit m. Frame: world. The same in mjlab, where it truncates and leaves out two
// steps; here the first is said by truncate: true.
func terrainEdgeReached(b *Binder, p *edgeParameters) TerminationFunc {
	ground := b.needGround()
	position := b.Quantity("base_pos")
	return func(v *View) bool {
		at, patch := v.At(position), v.patch(ground)
		return math.Abs(at[0]-patch.Origin[0]) > ground.Size[0]/2*p.ThresholdFraction ||
			math.Abs(at[1]-patch.Origin[1]) > ground.Size[1]/2*p.ThresholdFraction
	}
}

// resetRootStateFromFlatPatches puts the base on one of the flat places of the world's patch, each as likely, and
// gives it a velocity:
//
//	p = p_start + place + (x, y, z)    q = q_start·q(roll, pitch, yaw)
//	v = v_start + (x, y, z)    ω = ω_start + (roll, pitch, yaw)
//
// scene.terrain.flat_patches says which places are flat; a patch without any has its start. Unit m, rad, m/s and rad/s.
// Frame: positions and velocities are along the axes of the world, the turn is about those of the base. The same in
// mjlab.
func resetRootStateFromFlatPatches(b *Binder, p *rootStateParameters) EventFunc {
	ground := b.needGround()
	pose, _ := b.Base("")
	uniform := resetRootStateUniform(b, p)
	return func(v *View, r *rand.Rand) {
		patch := v.patch(ground)
		place := patch.Origin
		if n := len(patch.Flat); n > 0 {
			place = patch.Flat[r.IntN(n)]
		}
		uniform(v, r)
		at := pose.In(v.State())
		before := ground.Highest(at[0], at[1], startReach)
		for i := range 2 {
			at[i] += place[i] - patch.Origin[i]
		}
		at[2] += ground.Highest(at[0], at[1], startReach) - before
	}
}
