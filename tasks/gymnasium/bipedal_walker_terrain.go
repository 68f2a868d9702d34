package gymnasium

// The walker's ground, in metres: walkerTerrainLength points, terrainStep apart.
const (
	walkerTerrainLength = 200
	terrainStartPad     = 20 // points of flat ground at the start
	terrainGrass        = 10 // points between two obstacles, at most
	terrainStep         = 14 / scale
	terrainHeight       = viewHeight / 4

	// maxBoxes is the most boxes that a terrain can hold: pits, two boxes in ten
	// points, are the densest obstacle, and stairs may begin at the end.
	maxBoxes = 38
)

// walkerTerrain is the ground of an episode.
type walkerTerrain struct {
	y     [walkerTerrainLength]float64 // height at i·terrainStep
	boxes [maxBoxes]box                // obstacles of the hardcore ground
	n     int                          // how many there are
}

// box is a solid rectangle, m.
type box struct{ left, right, bottom, top float64 }

func (t *walkerTerrain) add(b box) {
	t.boxes[t.n] = b
	t.n++
}

// draws are the random numbers a terrain is made of.
type draws interface {
	uniform(low, high float64) float64
	integer(low, high int) int // low ≤ n < high
}

// ground is what the generator is laying.
type ground int

const (
	grass ground = iota
	stump
	stairs
	pit
	grounds // how many there are
)

// layer lays the ground point by point.
type layer struct {
	terrain  walkerTerrain // by value, so that nothing of a reset is on the heap
	draws    draws
	laying   ground
	begins   bool    // whether something begins at this point
	left     int     // points of it that are left
	x, y     float64 // place of this point
	slope    float64 // slope of grass
	original float64 // height at which a pit or stairs began

	stairSteps, stairWidth, stairHeight int
}

// generate lays the ground from left to right: rolling grass and, if hardcore,
// an obstacle after every 5 to 9 points of it.
func (t *walkerTerrain) generate(r draws, hardcore bool) {
	l := layer{draws: r, left: terrainStartPad, y: terrainHeight}
	for i := range l.terrain.y {
		l.x = float64(i) * terrainStep
		switch l.laying {
		case grass:
			if !l.begins {
				l.grass(i > terrainStartPad)
			}
		case pit:
			l.pit()
		case stump:
			if l.begins {
				l.stump()
			}
		case stairs:
			l.stairs()
		}

		l.terrain.y[i] = l.y
		l.begins = false
		l.left--
		if l.left == 0 {
			l.left = r.integer(terrainGrass/2, terrainGrass)
			l.begins = true
			if l.laying == grass && hardcore {
				l.laying = ground(r.integer(int(stump), int(grounds)))
			} else {
				l.laying = grass
			}
		}
	}
	*t = l.terrain
}

// grass is rough beyond the flat ground at the start.
func (l *layer) grass(rough bool) {
	l.slope = float64(0.8*l.slope) + float64(0.01*sign(terrainHeight-l.y))
	if rough {
		l.slope += l.draws.uniform(-1, 1) / scale
	}
	l.y += l.slope
}

func (l *layer) pit() {
	const depth = 4 * float64(terrainStep)
	if !l.begins {
		l.y = l.original
		if l.left > 1 {
			l.y -= depth
		}
		return
	}
	width := l.draws.integer(3, 5)
	near := box{left: l.x, right: l.x + terrainStep, bottom: l.y - depth, top: l.y}
	far := near
	far.left += float64(terrainStep * float64(width))
	far.right += float64(terrainStep * float64(width))
	l.terrain.add(near)
	l.terrain.add(far)
	l.left = width + 2
	l.original = l.y
}

func (l *layer) stump() {
	l.left = l.draws.integer(1, 3)
	size := float64(float64(l.left) * terrainStep)
	l.terrain.add(box{left: l.x, right: l.x + size, bottom: l.y, top: l.y + size})
}

func (l *layer) stairs() {
	if !l.begins {
		done := float64(l.stairSteps*l.stairWidth-l.left-l.stairHeight) / float64(l.stairWidth)
		l.y = l.original + float64(float64(done*float64(l.stairHeight))*terrainStep)
		return
	}
	l.stairHeight = -1
	if l.draws.uniform(0, 1) > 0.5 {
		l.stairHeight = +1
	}
	l.stairWidth = l.draws.integer(4, 5)
	l.stairSteps = l.draws.integer(3, 5)
	l.original = l.y
	length := func(n int) float64 { return float64(float64(n) * terrainStep) }
	for s := range l.stairSteps {
		l.terrain.add(box{
			left: l.x + length(s*l.stairWidth), right: l.x + length((1+s)*l.stairWidth),
			bottom: l.y + length(-1+s*l.stairHeight), top: l.y + length(s*l.stairHeight),
		})
	}
	l.left = l.stairSteps * l.stairWidth
}
