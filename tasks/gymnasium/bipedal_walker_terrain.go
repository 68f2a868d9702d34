package gymnasium

// The walker's ground, in metres: walkerTerrainLength points, terrainStep apart.
const (
	walkerScale = 30.0 // pixels per metre

	walkerTerrainLength = 200
	terrainStartPad     = 20 // points of flat ground at the start
	terrainGrass        = 10 // points between two obstacles, at most
	terrainStep         = 14 / walkerScale
	terrainHeight       = 400 / walkerScale / 4

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

// generate lays the ground from left to right: rolling grass and, if hardcore,
// an obstacle after every 5 to 9 points of it.
func (t *walkerTerrain) generate(r draws, hardcore bool) {
	*t = walkerTerrain{}
	const step = float64(terrainStep)
	var (
		laying   = grass
		begins   = false // what is laid begins at this point
		counter  = terrainStartPad
		y        = float64(terrainHeight)
		slope    float64
		original float64 // height at which a pit or stairs began

		stairSteps, stairWidth, stairHeight int
	)
	for i := range t.y {
		x := float64(i) * step
		switch {
		case laying == grass && !begins:
			slope = float64(0.8*slope) + float64(0.01*sign(terrainHeight-y))
			if i > terrainStartPad {
				slope += r.uniform(-1, 1) / walkerScale
			}
			y += slope

		case laying == pit && begins:
			counter = r.integer(3, 5)
			near := box{left: x, right: x + step, bottom: y - float64(4*step), top: y}
			far := near
			far.left += float64(step * float64(counter))
			far.right += float64(step * float64(counter))
			t.add(near)
			t.add(far)
			counter += 2
			original = y
		case laying == pit:
			y = original
			if counter > 1 {
				y -= float64(4 * step)
			}

		case laying == stump && begins:
			counter = r.integer(1, 3)
			size := float64(float64(counter) * step)
			t.add(box{left: x, right: x + size, bottom: y, top: y + size})

		case laying == stairs && begins:
			stairHeight = -1
			if r.uniform(0, 1) > 0.5 {
				stairHeight = +1
			}
			stairWidth = r.integer(4, 5)
			stairSteps = r.integer(3, 5)
			original = y
			at := func(n int) float64 { return float64(float64(n) * step) }
			for s := range stairSteps {
				t.add(box{
					left: x + at(s*stairWidth), right: x + at((1+s)*stairWidth),
					bottom: y + at(-1+s*stairHeight), top: y + at(s*stairHeight),
				})
			}
			counter = stairSteps * stairWidth
		case laying == stairs:
			done := float64(stairSteps*stairWidth-counter-stairHeight) / float64(stairWidth)
			y = original + float64(float64(done*float64(stairHeight))*step)
		}

		t.y[i] = y
		begins = false
		counter--
		if counter == 0 {
			counter = r.integer(terrainGrass/2, terrainGrass)
			begins = true
			if laying == grass && hardcore {
				laying = ground(r.integer(int(stump), int(grounds)))
			} else {
				laying = grass
			}
		}
	}
}
