package rl

import (
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// fakeEnv is an environment of blocks, which embed a fakeBlock.
type fakeEnv[B Block] struct {
	shape  Shape
	blocks []B
}

func (e *fakeEnv[B]) Shape() Shape { return e.shape }

// Rollout hands the blocks out in an order that depends on scheduling.
func (e *fakeEnv[B]) Rollout(f func(worker int, b Block) error) error {
	queue := make(chan B, len(e.blocks))
	for _, b := range e.blocks {
		queue <- b
	}
	close(queue)
	errs := make([]error, e.shape.Workers)
	var all sync.WaitGroup
	for worker := range e.shape.Workers {
		all.Go(func() {
			for b := range queue {
				if err := f(worker, b); err != nil {
					errs[worker] = err
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// fill makes the blocks of e, whose shape has no number of them yet, in their order.
func (e *fakeEnv[B]) fill(make func(b fakeBlock) B) {
	for first := 0; first < e.shape.Worlds; first += e.shape.BlockSize {
		n := min(e.shape.BlockSize, e.shape.Worlds-first)
		e.blocks = append(e.blocks, make(newFakeBlock(len(e.blocks), first, n, e.shape)))
	}
	e.shape.Blocks = len(e.blocks)
}

// fakeBlock is what a block shows.
type fakeBlock struct {
	index, first, worlds         int
	observation, final           []float64
	action                       []float32
	reward, endReturn            []float64
	endLength                    []int64
	terminated, truncated, fault []bool
}

func newFakeBlock(index, first, n int, shape Shape) fakeBlock {
	return fakeBlock{
		index: index, first: first, worlds: n,
		observation: make([]float64, n*shape.Observation), final: make([]float64, n*shape.Observation),
		action: make([]float32, n*shape.Action), reward: make([]float64, n), endReturn: make([]float64, n),
		endLength: make([]int64, n), terminated: make([]bool, n), truncated: make([]bool, n), fault: make([]bool, n),
	}
}

func (b *fakeBlock) Step() error                  { return nil }
func (b *fakeBlock) Index() int                   { return b.index }
func (b *fakeBlock) First() int                   { return b.first }
func (b *fakeBlock) Len() int                     { return b.worlds }
func (b *fakeBlock) Observations() []float64      { return b.observation }
func (b *fakeBlock) Actions() []float32           { return b.action }
func (b *fakeBlock) Rewards() []float64           { return b.reward }
func (b *fakeBlock) Terminations() []bool         { return b.terminated }
func (b *fakeBlock) Truncations() []bool          { return b.truncated }
func (b *fakeBlock) Faults() []bool               { return b.fault }
func (b *fakeBlock) FinalObservations() []float64 { return b.final }
func (b *fakeBlock) EpisodeReturns() []float64    { return b.endReturn }
func (b *fakeBlock) EpisodeLengths() []int64      { return b.endLength }

// still is an environment that costs nothing, of HalfCheetah's size.
type still struct{ fakeEnv[*fakeBlock] }

func newStill(worlds, workers int) *still {
	e := &still{fakeEnv[*fakeBlock]{shape: Shape{
		Worlds: worlds, BlockSize: 16, Workers: workers, Observation: 17, Action: 6,
		ActionLow: slices.Repeat([]float64{-1}, 6), ActionHigh: slices.Repeat([]float64{1}, 6),
	}}}
	e.fill(func(b fakeBlock) *fakeBlock {
		s := nn.NewStream()
		s.Key(1, 0, int64(b.index), 0)
		for _, values := range [][]float64{b.observation, b.reward} {
			for i := range values {
				values[i] = s.NormFloat64()
			}
		}
		return &b
	})
	return e
}

// cart is a real, small control task: a mass on a line that a bounded force has to bring to the origin and hold there.
//
//	state        position x, speed v; x starts uniformly in [-2, 2], v in [-1, 1]
//	observation  x, v, 100 + x/4 (off centre, so that standardising matters)
//	action       force in [-1, 1] N on 1 kg, held for 0.1 s
//	reward       1 - x² - v²/10 - u²/100 per step
//	terminated   |x| > 4
//	truncated    after 40 steps
type cart struct{ fakeEnv[*cartBlock] }

type cartBlock struct {
	fakeBlock
	episode   []int64
	x, v, sum []float64
	length    []int64
	pixels    bool                                      // see newSeenCart
	choices   bool                                      // the action is 0, 1 or 2, for a force of -1, 0 or 1
	faultAt   func(world int, episode, step int64) bool // may be nil
	bonus     func(world int, step int64) float64       // may be nil
}

// cartSymmetry is the cart's; swapping is another reflection.
var (
	cartSymmetry = Symmetry{1, Mirror{Negate: []int{0, 1}}, Mirror{Negate: []int{0}}}
	swapping     = Symmetry{3, Mirror{Swap: [][]int{{0, 1}}, Negate: []int{0, 1}}, Mirror{Negate: []int{0}}}
)

func newCart(worlds, blockSize, workers int) *cart {
	return newCartShowing(Shape{Worlds: worlds, BlockSize: blockSize, Workers: workers, Observation: 3})
}

// newSeenCart returns a cart of which v and a picture are observed, and then 100. The picture has 3 × 9 pixels of two
// channels: one is bright in the columns at x, a whole number of 255ths, the other one is -7.
func newSeenCart(worlds, blockSize, workers int) *cart {
	return newCartShowing(Shape{Worlds: worlds, BlockSize: blockSize, Workers: workers, Observation: 2 + 3*9*2,
		Pictures: []Picture{{First: 1, Height: 3, Width: 9, Channels: 2}}, ByteFactors: [][]float64{{255, 0}}})
}

func newCartShowing(shape Shape) *cart {
	shape.Action, shape.ActionLow, shape.ActionHigh = 1, []float64{-1}, []float64{1}
	e := &cart{fakeEnv[*cartBlock]{shape: shape}}
	e.fill(func(shown fakeBlock) *cartBlock {
		n := shown.worlds
		b := &cartBlock{
			fakeBlock: shown, episode: make([]int64, n), x: make([]float64, n), v: make([]float64, n),
			sum: make([]float64, n), length: make([]int64, n), pixels: len(shape.Pictures) > 0,
		}
		for i := range n {
			b.reset(i)
			b.observe(b.observation, i)
		}
		return b
	})
	return e
}

func (b *cartBlock) reset(i int) {
	s := nn.NewStream()
	s.Key(99, 0, int64(b.first+i), b.episode[i])
	b.x[i], b.v[i] = 4*s.Float64()-2, 2*s.Float64()-1
	b.sum[i], b.length[i] = 0, 0
}

func (b *cartBlock) observe(dst []float64, i int) {
	if !b.pixels {
		dst[3*i], dst[3*i+1], dst[3*i+2] = b.x[i], b.v[i], 100+b.x[i]/4
		return
	}
	row := nn.RowOf(dst, 2+3*9*2, i)
	row[0], row[len(row)-1] = b.v[i], 100
	for pixel := range 3 * 9 {
		bright := max(0, 1-math.Abs(float64(pixel%9)-4-b.x[i]))
		row[1+2*pixel], row[2+2*pixel] = math.Round(255*bright)/255, -7
	}
}

func (b *cartBlock) Step() error {
	const dt = 0.1
	for i := range b.worlds {
		u := float64(b.action[i])
		if b.choices {
			u--
		}
		b.reward[i] = 1 - b.x[i]*b.x[i] - b.v[i]*b.v[i]/10 - u*u/100
		if b.bonus != nil {
			b.reward[i] += b.bonus(b.first+i, b.length[i])
		}
		b.v[i] += dt * u
		b.x[i] += dt * b.v[i]
		b.sum[i] += b.reward[i]
		b.length[i]++
		b.terminated[i] = math.Abs(b.x[i]) > 4
		b.truncated[i] = b.length[i] == 40
		b.fault[i] = b.faultAt != nil && b.faultAt(b.first+i, b.episode[i], b.length[i])
		if b.fault[i] {
			b.reward[i] = math.NaN()
		}
		if b.terminated[i] || b.truncated[i] || b.fault[i] {
			b.endReturn[i], b.endLength[i] = b.sum[i], b.length[i]
			b.observe(b.final, i)
			b.episode[i]++
			b.reset(i)
		}
		b.observe(b.observation, i)
	}
	return nil
}
