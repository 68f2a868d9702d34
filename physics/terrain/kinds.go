package terrain

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// maker makes patches of a kind: boxes, or else a field.
type maker struct {
	defaults SubTerrain
	keys     []string // keys of the kind's parameters

	boxes func(p *patchMaker)
	most  func(k SubTerrain, s *Settings) int // number of boxes of a patch, at most

	// field returns the height, in m, at a place in the patch, in m from its middle. The frame and the platform are
	// flattened by the caller; floor is their height.
	field func(p *patchMaker) (at func(x, y float64) float64, floor float64)
}

func ptr[T any](v T) *T { return &v }

func span(from, to float64) *[2]float64 { return &[2]float64{from, to} }

var stairs = SubTerrain{StepHeightRange: span(0.05, 0.2), StepWidth: ptr(0.3), PlatformWidth: ptr(3.0),
	BorderWidth: ptr(1.0)}

var stairKeys = []string{"step_height_range", "step_width", "platform_width", "border_width"}

// makers are the kinds by name. The names and those of the parameters are mjlab's, where it has them.
var makers = map[string]maker{
	"flat": {boxes: func(p *patchMaker) { p.base(0) }, most: func(SubTerrain, *Settings) int { return 1 }},

	"pyramid_stairs": {defaults: stairs, keys: stairKeys, boxes: pyramidStairs, most: stepBoxes},

	"pyramid_stairs_inv": {defaults: stairs, keys: stairKeys, boxes: pyramidStairsInv, most: stepBoxes},

	"open_stairs": {
		defaults: SubTerrain{StepHeightRange: span(0.05, 0.2), StepWidth: ptr(0.4), StepThickness: ptr(0.03),
			PlatformWidth: ptr(2.0), BorderWidth: ptr(1.0)},
		keys: append(slices.Clip(stairKeys), "step_thickness"), boxes: openStairs, most: stepBoxes,
	},
	"random_stairs": {
		defaults: SubTerrain{StepHeightRange: span(0.05, 0.2), StepWidth: ptr(0.4), PlatformWidth: ptr(2.0),
			BorderWidth: ptr(1.0)},
		keys: stairKeys, boxes: randomStairs, most: stepBoxes,
	},
	"nested_rings": {
		defaults: SubTerrain{RingHeightRange: span(0.05, 0.25), RingWidth: ptr(0.4), PlatformWidth: ptr(2.0),
			BorderWidth: ptr(0.5)},
		keys:  []string{"ring_height_range", "ring_width", "platform_width", "border_width"},
		boxes: nestedRings, most: stepBoxes,
	},
	"random_grid": {
		defaults: SubTerrain{GridWidth: ptr(0.45), GridHeightRange: span(0.02, 0.15), PlatformWidth: ptr(2.0),
			BorderWidth: ptr(0.25)},
		keys: []string{"grid_width", "grid_height_range", "platform_width", "border_width"}, field: randomGrid,
	},
	"tilted_grid": {
		defaults: SubTerrain{GridWidth: ptr(0.6), TiltRange: span(0.05, 0.35), PlatformWidth: ptr(2.0),
			BorderWidth: ptr(0.25)},
		keys: []string{"grid_width", "tilt_range", "platform_width", "border_width"}, field: tiltedGrid,
	},
	"stepping_stones": {
		defaults: SubTerrain{StoneSizeRange: span(0.8, 0.4), StoneDistanceRange: span(0.1, 0.3), Depth: ptr(1.0),
			PlatformWidth: ptr(2.0), BorderWidth: ptr(0.5)},
		keys:  []string{"stone_size_range", "stone_distance_range", "depth", "platform_width", "border_width"},
		field: steppingStones,
	},
	"narrow_beams": {
		defaults: SubTerrain{BeamWidthRange: span(0.8, 0.3), NumBeams: ptr(8), Depth: ptr(1.0), PlatformWidth: ptr(2.0),
			BorderWidth: ptr(0.5)},
		keys: []string{"beam_width_range", "num_beams", "depth", "platform_width", "border_width"}, field: narrowBeams,
	},
	"discrete_obstacles": {
		defaults: SubTerrain{NumObstacles: ptr(40), ObstacleHeightRange: span(0.05, 0.25),
			ObstacleWidthRange: span(0.25, 1), PlatformWidth: ptr(2.0), BorderWidth: ptr(0.25)},
		keys: []string{"num_obstacles", "obstacle_height_range", "obstacle_width_range", "platform_width",
			"border_width"},
		field: discreteObstacles,
	},
	"pyramid_slope": {
		defaults: SubTerrain{SlopeRange: span(0, 0.5), PlatformWidth: ptr(2.0), BorderWidth: ptr(0.25)},
		keys:     []string{"slope_range", "platform_width", "border_width"},
		field:    func(p *patchMaker) (func(x, y float64) float64, float64) { return pyramidSlope(p, 1) },
	},
	"pyramid_slope_inv": {
		defaults: SubTerrain{SlopeRange: span(0, 0.5), PlatformWidth: ptr(2.0), BorderWidth: ptr(0.25)},
		keys:     []string{"slope_range", "platform_width", "border_width"},
		field:    func(p *patchMaker) (func(x, y float64) float64, float64) { return pyramidSlope(p, -1) },
	},
	"wave": {
		defaults: SubTerrain{AmplitudeRange: span(0.02, 0.2), NumWaves: ptr(4.0), PlatformWidth: ptr(1.0),
			BorderWidth: ptr(0.25)},
		keys: []string{"amplitude_range", "num_waves", "platform_width", "border_width"}, field: wave,
	},
	"random_uniform": {
		defaults: SubTerrain{NoiseRange: span(0.02, 0.1), NoiseStep: ptr(0.005), PlatformWidth: ptr(1.0),
			BorderWidth: ptr(0.25)},
		keys: []string{"noise_range", "noise_step", "platform_width", "border_width"}, field: randomUniform,
	},
	"perlin_noise": {
		defaults: SubTerrain{NoiseRange: span(0.05, 0.4), Octaves: ptr(3), NoiseScale: ptr(2.0),
			PlatformWidth: ptr(1.0), BorderWidth: ptr(0.25)},
		keys: []string{"noise_range", "octaves", "noise_scale", "platform_width", "border_width"}, field: perlinNoise,
	},
}

// Kinds are the names of all kinds, sorted.
func Kinds() []string {
	var names []string
	for name := range makers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// patchMaker makes one patch. Places are relative to its middle.
type patchMaker struct {
	SubTerrain            // the kind with its defaults
	size       [2]float64 // size of the patch
	d          float64    // difficulty
	r          *rand.Rand // random numbers of the patch

	boxes  []Box
	origin float64 // height of the middle of the patch
}

// value is the value of a range at the patch's difficulty.
func (p *patchMaker) value(r *[2]float64) float64 { return r[0] + float64((r[1]-r[0])*p.d) }

// draw draws a number between two.
func (p *patchMaker) draw(low, high float64) float64 { return low + float64((high-low)*p.r.Float64()) }

// underground is how far boxes and fields reach below the lowest ground, so that nothing falls through.
const underground = 1.0

// thinnest is the least height of a slab that lies on another. Where steps are lower, slabs do not overlap, since
// what stands on the upper one would touch the lower one, too.
const thinnest = 0.02

// box adds a box with the middle at (x, y), of half sizes a and b, between two heights.
func (p *patchMaker) box(x, y, a, b, bottom, top float64) {
	if a > 0 && b > 0 && top > bottom {
		p.boxes = append(p.boxes, Box{Low: [3]float64{x - a, y - b, bottom}, High: [3]float64{x + a, y + b, top}})
	}
}

// base adds a box as large as the patch whose top is at a height.
func (p *patchMaker) base(top float64) {
	p.box(0, 0, p.size[0]/2, p.size[1]/2, top-underground, top)
}

// ring adds four boxes between two rectangles of half sizes about the middle.
func (p *patchMaker) ring(outer, inner [2]float64, bottom, top float64) {
	middle, half := (outer[1]+inner[1])/2, (outer[1]-inner[1])/2
	p.box(0, middle, outer[0], half, bottom, top)
	p.box(0, -middle, outer[0], half, bottom, top)
	middle, half = (outer[0]+inner[0])/2, (outer[0]-inner[0])/2
	p.box(middle, 0, half, inner[1], bottom, top)
	p.box(-middle, 0, half, inner[1], bottom, top)
}

// innerHalf is half of the patch less a width on each side.
func (p *patchMaker) innerHalf(width float64) [2]float64 {
	return [2]float64{p.size[0]/2 - width, p.size[1]/2 - width}
}

// stepHalf is half of what step i, of a width, leaves of the patch: the frame is before step 0.
func (p *patchMaker) stepHalf(i int, width float64) [2]float64 {
	return p.innerHalf(*p.BorderWidth + float64(float64(i)*width))
}

// stepsOf is the number of steps of a width between the frame and the platform.
func stepsOf(k *SubTerrain, size [2]float64, width float64) int {
	room := min(size[0], size[1]) - 2**k.BorderWidth - *k.PlatformWidth
	return max(0, int(math.Floor(room/(2*width)+1e-9)))
}

func stepBoxes(k SubTerrain, s *Settings) int {
	return 5 + 4*(stepsOf(&k, *s.Size, or(k.StepWidth, or(k.RingWidth, 1)))+1)
}

// rings adds steps from the frame to the platform: step i of n, from 1 on, has its top at a height; the platform is
// the last step.
func (p *patchMaker) rings(n int, width, lowest float64, top func(i int) float64) {
	p.ring(p.innerHalf(0), p.innerHalf(*p.BorderWidth), lowest, 0)
	for i := 1; i <= n; i++ {
		p.ring(p.stepHalf(i-1, width), p.stepHalf(i, width), lowest, top(i))
	}
	inner := p.stepHalf(n, width)
	p.origin = top(n + 1)
	p.box(0, 0, inner[0], inner[1], lowest, p.origin)
}

func pyramidStairs(p *patchMaker) {
	n, h := stepsOf(&p.SubTerrain, p.size, *p.StepWidth), p.value(p.StepHeightRange)
	if h < thinnest {
		p.rings(n, *p.StepWidth, -underground, func(i int) float64 { return float64(i) * h })
		return
	}
	p.base(0)
	for i := 1; i <= n+1; i++ { // slabs, each on the one below
		half := p.stepHalf(i-1, *p.StepWidth)
		p.origin = float64(i) * h
		p.box(0, 0, half[0], half[1], float64(i-1)*h, p.origin)
	}
}

func pyramidStairsInv(p *patchMaker) {
	n, h := stepsOf(&p.SubTerrain, p.size, *p.StepWidth), p.value(p.StepHeightRange)
	p.rings(n, *p.StepWidth, -float64(float64(n+1)*h)-underground, func(i int) float64 { return -float64(i) * h })
}

// openStairs are pyramid stairs of treads with nothing below them.
func openStairs(p *patchMaker) {
	n, h := stepsOf(&p.SubTerrain, p.size, *p.StepWidth), p.value(p.StepHeightRange)
	p.base(0)
	for i := 1; i <= n; i++ {
		top := float64(i) * h
		p.ring(p.stepHalf(i-1, *p.StepWidth), p.stepHalf(i, *p.StepWidth), max(float64(top)-*p.StepThickness, 0), top)
	}
	inner := p.stepHalf(n, *p.StepWidth)
	p.origin = float64(n+1) * h
	p.box(0, 0, inner[0], inner[1], 0, p.origin)
}

// randomStairs are pyramid stairs, up, whose steps have heights from half of the drawn range to all of it.
func randomStairs(p *patchMaker) {
	n, h := stepsOf(&p.SubTerrain, p.size, *p.StepWidth), p.value(p.StepHeightRange)
	tops := []float64{0}
	for i := range n + 1 {
		tops = append(tops, tops[i]+p.draw(h/2, h*1.5))
	}
	p.rings(n, *p.StepWidth, -underground, func(i int) float64 { return tops[i] })
}

// nestedRings are walls around one another, on flat ground.
func nestedRings(p *patchMaker) {
	h := p.value(p.RingHeightRange)
	p.base(0)
	for i := range stepsOf(&p.SubTerrain, p.size, *p.RingWidth) {
		if i%2 == 0 {
			continue
		}
		p.ring(p.stepHalf(i, *p.RingWidth), p.stepHalf(i+1, *p.RingWidth), 0, h)
	}
}

// cells returns the cell of a place in a grid over the patch, as two even draws from 0 to 1 that belong to it, and the
// place in the cell, in m from its middle.
func cells(p *patchMaker, width float64) func(x, y float64) (draws [2]float64, dx, dy float64) {
	key := p.r.Uint64()
	return func(x, y float64) ([2]float64, float64, float64) {
		u, v := (x+p.size[0]/2)/width, (y+p.size[1]/2)/width
		i, j := math.Floor(u), math.Floor(v)
		return cellDraws(key, i, j), (u - i - 0.5) * width, (v - j - 0.5) * width
	}
}

// cellDraws returns two even draws from 0 to 1 that belong to a cell.
func cellDraws(key uint64, i, j float64) (draws [2]float64) {
	for k := range draws {
		draws[k] = float64(random.Hash(key, uint64(int64(i)), uint64(int64(j)), uint64(k))>>11) / (1 << 53)
	}
	return draws
}

func randomGrid(p *patchMaker) (func(x, y float64) float64, float64) {
	h, cell := p.value(p.GridHeightRange), cells(p, *p.GridWidth)
	return func(x, y float64) float64 { draws, _, _ := cell(x, y); return h * (2*draws[0] - 1) }, 0
}

func tiltedGrid(p *patchMaker) (func(x, y float64) float64, float64) {
	tilt, cell := p.value(p.TiltRange), cells(p, *p.GridWidth)
	return func(x, y float64) float64 {
		draws, dx, dy := cell(x, y)
		s, c := math.Sincos(2 * math.Pi * draws[0])
		return math.Tan(tilt*draws[1]) * (float64(c*dx) + float64(s*dy))
	}, 0
}

func steppingStones(p *patchMaker) (func(x, y float64) float64, float64) {
	size, gap := p.value(p.StoneSizeRange), p.value(p.StoneDistanceRange)
	depth := -*p.Depth
	cell := cells(p, size+gap)
	return func(x, y float64) float64 {
		draws, dx, dy := cell(x, y)
		if math.Abs(dx-float64(gap*(draws[0]-0.5))) <= size/2 && math.Abs(dy-float64(gap*(draws[1]-0.5))) <= size/2 {
			return 0
		}
		return depth
	}, 0
}

// narrowBeams are beams from the platform to the frame, at equal angles.
func narrowBeams(p *patchMaker) (func(x, y float64) float64, float64) {
	half, depth, first := p.value(p.BeamWidthRange)/2, -*p.Depth, p.draw(0, 2*math.Pi)
	var axes [][2]float64
	for i := range *p.NumBeams {
		s, c := math.Sincos(first + 2*math.Pi*float64(i)/float64(*p.NumBeams))
		axes = append(axes, [2]float64{c, s})
	}
	return func(x, y float64) float64 {
		for _, a := range axes {
			if float64(x*a[0])+float64(y*a[1]) >= 0 && math.Abs(float64(y*a[0])-float64(x*a[1])) <= half {
				return 0
			}
		}
		return depth
	}, 0
}

// discreteObstacles are rectangles of a height, half of them pits of half that height.
func discreteObstacles(p *patchMaker) (func(x, y float64) float64, float64) {
	h := p.value(p.ObstacleHeightRange)
	type obstacle struct{ x, y, a, b, h float64 }
	var all []obstacle
	width := p.ObstacleWidthRange
	low, high := min(width[0], width[1]), max(width[0], width[1])
	for i := range *p.NumObstacles {
		o := obstacle{p.draw(-p.size[0]/2, p.size[0]/2), p.draw(-p.size[1]/2, p.size[1]/2), p.draw(low, high) / 2,
			p.draw(low, high) / 2, h}
		if i%2 == 1 {
			o.h = -h / 2
		}
		all = append(all, o)
	}
	return func(x, y float64) (height float64) {
		for _, o := range all {
			if math.Abs(x-o.x) <= o.a && math.Abs(y-o.y) <= o.b {
				height = o.h
			}
		}
		return height
	}, 0
}

// pyramidSlope rises, or falls, from the frame to the platform.
func pyramidSlope(p *patchMaker, sign float64) (func(x, y float64) float64, float64) {
	slope, outer := sign*p.value(p.SlopeRange), p.innerHalf(*p.BorderWidth)
	height := func(x, y float64) float64 {
		return slope * max(0, min(outer[0]-math.Abs(x), outer[1]-math.Abs(y)))
	}
	return height, height(*p.PlatformWidth/2, *p.PlatformWidth/2)
}

func wave(p *patchMaker) (func(x, y float64) float64, float64) {
	a, turns := p.value(p.AmplitudeRange)/2, 2*math.Pi**p.NumWaves
	k := [2]float64{turns / p.size[0], turns / p.size[1]}
	return func(x, y float64) float64 {
		return a * (math.Cos(k[1]*(y+p.size[1]/2)) + math.Sin(k[0]*(x+p.size[0]/2)))
	}, 0
}

// randomUniform draws each sample by itself. It is asked for samples in their order.
func randomUniform(p *patchMaker) (func(x, y float64) float64, float64) {
	steps := math.Floor(p.value(p.NoiseRange) / *p.NoiseStep)
	return func(x, y float64) float64 { return *p.NoiseStep * math.Floor(p.draw(0, steps+1)) }, 0
}

// perlinNoise is gradient noise (Perlin, "Improving Noise", 2002), the octaves added; one is at most √½ in size.
func perlinNoise(p *patchMaker) (func(x, y float64) float64, float64) {
	h, key := p.value(p.NoiseRange), p.r.Uint64()
	return func(x, y float64) float64 {
		sum, total, weight := 0.0, 0.0, 1.0
		for octave := range *p.Octaves {
			width := *p.NoiseScale * weight
			sum += float64(weight * gradientNoise(key+uint64(octave), (x+p.size[0]/2)/width, (y+p.size[1]/2)/width))
			total += weight
			weight /= 2
		}
		return h * sum / total
	}, 0
}

// gradientNoise interpolates between the gradients at the corners of a cell.
func gradientNoise(key uint64, u, v float64) float64 {
	i, j := math.Floor(u), math.Floor(v)
	u, v = u-i, v-j
	dot := func(a, b float64) float64 {
		s, c := math.Sincos(2 * math.Pi * cellDraws(key, i+a, j+b)[0])
		return float64(c*(u-a)) + float64(s*(v-b))
	}
	fade := func(t float64) float64 { return t * t * t * (float64(t*(float64(t*6)-15)) + 10) }
	s, t := fade(u), fade(v)
	low := dot(0, 0) + float64(s*(dot(1, 0)-dot(0, 0)))
	high := dot(0, 1) + float64(s*(dot(1, 1)-dot(0, 1)))
	return low + float64(t*(high-low))
}
