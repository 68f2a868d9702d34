package rl

import (
	"errors"
	"math"
	"sync"
)

// cart is a real, small control task: a mass on a line that a bounded force has
// to bring to the origin and hold there.
//
//	state        position x, speed v; x starts uniformly in [-2, 2], v in [-1, 1]
//	observation  x, v, 100 + x/4 (off centre, so that standardising matters)
//	action       force in [-1, 1] N on 1 kg, held for 0.1 s
//	reward       1 - x² - v²/10 - u²/100 per step
//	terminated   |x| > 4
//	truncated    after 40 steps
type cart struct {
	shape  Shape
	blocks []*cartBlock
}

type cartBlock struct {
	index, first, worlds int
	episode              []int64
	x, v                 []float64
	observation, final   []float64
	action               []float32
	reward, sum          []float64
	length               []int64
	endReturn            []float64
	endLength            []int64
	terminated           []bool
	truncated            []bool
	fault                []bool
	choices              bool                                      // the action is 0, 1 or 2, for a force of -1, 0 or 1
	faultAt              func(world int, episode, step int64) bool // may be nil
	bonus                func(world int, step int64) float64       // may be nil
}

func newCart(worlds, blockSize, workers int) *cart {
	e := &cart{shape: Shape{
		Worlds: worlds, BlockSize: blockSize, Workers: workers, Observation: 3, Action: 1,
		ActionLow: []float64{-1}, ActionHigh: []float64{1},
	}}
	for first := 0; first < worlds; first += blockSize {
		n := min(blockSize, worlds-first)
		b := &cartBlock{
			index: len(e.blocks), first: first, worlds: n,
			episode: make([]int64, n), x: make([]float64, n), v: make([]float64, n),
			observation: make([]float64, 3*n), final: make([]float64, 3*n), action: make([]float32, n),
			reward: make([]float64, n), sum: make([]float64, n), length: make([]int64, n),
			endReturn: make([]float64, n), endLength: make([]int64, n),
			terminated: make([]bool, n), truncated: make([]bool, n), fault: make([]bool, n),
		}
		for i := range n {
			b.reset(i)
			b.observe(b.observation, i)
		}
		e.blocks = append(e.blocks, b)
	}
	e.shape.Blocks = len(e.blocks)
	return e
}

func (e *cart) Shape() Shape { return e.shape }

// Rollout hands the blocks out in an order that depends on scheduling.
func (e *cart) Rollout(f func(worker int, b Block) error) error {
	queue := make(chan *cartBlock, len(e.blocks))
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

func (b *cartBlock) reset(i int) {
	s := newStream()
	s.key(99, 0, int64(b.first+i), b.episode[i])
	b.x[i], b.v[i] = 4*s.Float64()-2, 2*s.Float64()-1
	b.sum[i], b.length[i] = 0, 0
}

func (b *cartBlock) observe(dst []float64, i int) {
	dst[3*i], dst[3*i+1], dst[3*i+2] = b.x[i], b.v[i], 100+b.x[i]/4
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

func (b *cartBlock) Index() int                  { return b.index }
func (b *cartBlock) First() int                  { return b.first }
func (b *cartBlock) Len() int                    { return b.worlds }
func (b *cartBlock) Observation() []float64      { return b.observation }
func (b *cartBlock) Action() []float32           { return b.action }
func (b *cartBlock) Reward() []float64           { return b.reward }
func (b *cartBlock) Terminated() []bool          { return b.terminated }
func (b *cartBlock) Truncated() []bool           { return b.truncated }
func (b *cartBlock) Fault() []bool               { return b.fault }
func (b *cartBlock) FinalObservation() []float64 { return b.final }
func (b *cartBlock) EpisodeReturn() []float64    { return b.endReturn }
func (b *cartBlock) EpisodeLength() []int64      { return b.endLength }
