package rl

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
)

// still is an environment that costs nothing, of HalfCheetah's size.
type still struct {
	shape Shape
}

type stillBlock struct {
	first       int
	worlds      int
	observation []float64
	action      []float32
	reward      []float64
	no          []bool
	zero        []int64
}

func newStill(worlds, workers int) *still {
	e := &still{shape: Shape{
		Worlds: worlds, Blocks: (worlds + 15) / 16, BlockSize: 16, Workers: workers, Observation: 17, Action: 6,
		ActionLow: make([]float64, 6), ActionHigh: make([]float64, 6),
	}}
	for i := range 6 {
		e.shape.ActionLow[i], e.shape.ActionHigh[i] = -1, 1
	}
	return e
}

func (e *still) Shape() Shape { return e.shape }

func (e *still) Rollout(f func(worker int, b Block) error) error {
	t := newTeam(e.shape.Workers)
	defer t.close()
	t.do(e.shape.Blocks, func(worker, i int) {
		n := min(16, e.shape.Worlds-16*i)
		b := &stillBlock{
			first: 16 * i, worlds: n, observation: make([]float64, 17*n), action: make([]float32, 6*n),
			reward: make([]float64, n), no: make([]bool, n), zero: make([]int64, n),
		}
		s := newStream()
		s.key(1, 0, int64(i), 0)
		for j := range b.observation {
			b.observation[j] = s.NormFloat64()
		}
		for j := range b.reward {
			b.reward[j] = s.NormFloat64()
		}
		if err := f(worker, b); err != nil {
			panic(err)
		}
	})
	return nil
}

func (b *stillBlock) Step() error                 { return nil }
func (b *stillBlock) Index() int                  { return b.first / 16 }
func (b *stillBlock) First() int                  { return b.first }
func (b *stillBlock) Len() int                    { return b.worlds }
func (b *stillBlock) Observation() []float64      { return b.observation }
func (b *stillBlock) Action() []float32           { return b.action }
func (b *stillBlock) Reward() []float64           { return b.reward }
func (b *stillBlock) Terminated() []bool          { return b.no }
func (b *stillBlock) Truncated() []bool           { return b.no }
func (b *stillBlock) Fault() []bool               { return b.no }
func (b *stillBlock) FinalObservation() []float64 { return b.observation }
func (b *stillBlock) EpisodeReturn() []float64    { return b.reward }
func (b *stillBlock) EpisodeLength() []int64      { return b.zero }

func benchmarkPPO(b *testing.B, worlds, workers, minibatch int) *PPO {
	b.Helper()
	s := DefaultSettings()
	s.RolloutSteps, s.Minibatch, s.Schedule = 256, minibatch, Constant
	p, err := New(newStill(worlds, workers), s, 1)
	if err != nil {
		b.Fatal(err)
	}
	iterate(b, p, 1)
	return p
}

// One block of 16 worlds.
func BenchmarkAct(b *testing.B) {
	p := benchmarkPPO(b, 16, 1, 64)
	policy := p.Policy()
	s, dst, observation := policy.NewScratch(), make([]float32, 16*6), make([]float64, 16*17)
	b.ReportAllocs()
	for b.Loop() {
		if err := policy.Act(dst, observation, nil, 0, s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(16*float64(b.N)/b.Elapsed().Seconds(), "actions/s")
}

// Everything on the acting side but the environment's step.
func BenchmarkCollect(b *testing.B) {
	p := benchmarkPPO(b, 64, 1, 64)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.collector.env.Rollout(func(worker int, block Block) error { return p.collector.collect(b.Context(), worker, block) }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.order)*b.N)/b.Elapsed().Seconds(), "env-steps/s")
}

// An update of ten epochs on one worker and on two, in turns; samples are counted once per
// epoch. The gain of the second worker is the median of the gains of the rounds.
func BenchmarkUpdate(b *testing.B) {
	for _, c := range []struct{ worlds, minibatch int }{{8, 64}, {8, 256}, {16, 1024}, {64, 2048}} {
		b.Run(fmt.Sprintf("%dx256/minibatch=%d", c.worlds, c.minibatch), func(b *testing.B) {
			learners := []*PPO{benchmarkPPO(b, c.worlds, 1, c.minibatch), benchmarkPPO(b, c.worlds, 2, c.minibatch)}
			times := make([][]float64, len(learners))
			b.ReportAllocs()
			for b.Loop() {
				for i, p := range learners {
					begun := time.Now()
					var m Metrics
					if err := p.update(b.Context(), &m); err != nil {
						b.Fatal(err)
					}
					times[i] = append(times[i], time.Since(begun).Seconds())
				}
			}
			gains := make([]float64, b.N)
			for i := range gains {
				gains[i] = times[0][i] / times[1][i]
			}
			samples := float64(10 * len(learners[0].order))
			b.ReportMetric(samples/median(times[0]), "samples/s-1")
			b.ReportMetric(samples/median(times[1]), "samples/s-2")
			b.ReportMetric(median(gains), "gain")
		})
	}
}

// An update of a recurrent policy beside one without memory, in turns: ×plain is how many
// times as long it takes.
func BenchmarkRecurrentUpdate(b *testing.B) {
	s := DefaultSettings()
	s.RolloutSteps, s.Minibatch, s.Schedule, s.Epochs = 256, 2048, Constant, 2
	var learners []*PPO
	for _, units := range []int{0, 64} {
		s.Recurrent = units
		p, err := New(newStill(64, 1), s, 1)
		if err != nil {
			b.Fatal(err)
		}
		iterate(b, p, 1)
		learners = append(learners, p)
	}
	var times, ratios []float64
	b.ReportAllocs()
	for b.Loop() {
		var took [2]float64
		for i, p := range learners {
			begun := time.Now()
			var m Metrics
			if err := p.update(b.Context(), &m); err != nil {
				b.Fatal(err)
			}
			took[i] = time.Since(begun).Seconds()
		}
		times, ratios = append(times, took[1]), append(ratios, took[1]/took[0])
	}
	b.ReportMetric(float64(s.Epochs*len(learners[0].order))/median(times), "samples/s")
	b.ReportMetric(median(ratios), "×plain")
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// One gradient step of two networks with two layers of 64, in turns with its matrix
// products alone: ×BLAS is how many times as long the whole step takes, the median of the
// rounds.
func BenchmarkGradientStep(b *testing.B) {
	for _, rows := range []int{64, 256} { // one chunk, and four
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			p := benchmarkPPO(b, 8, 1, rows)
			minibatch, l := p.order[:rows], &p.learners[0]
			var steps, ratios []float64
			b.ReportAllocs()
			for b.Loop() {
				const each = 20
				begun := time.Now()
				for range each {
					_, grad := p.gradient(b.Context(), minibatch)
					p.adam.step(p.params, grad, min(1, 0.5/norm(grad)), 1e-9, nil)
				}
				step := time.Since(begun)
				for range each * p.group.chunks(rows) {
					p.policy.net.products(p.policy.params, p.chunks[0].grad, l.policy.activations, p.group.perChunk(rows))
					p.value.products(p.valueParams(), p.chunks[0].grad, l.value.activations, p.group.perChunk(rows))
				}
				products := time.Since(begun) - step
				steps = append(steps, step.Seconds()/each)
				ratios = append(ratios, step.Seconds()/products.Seconds())
			}
			b.ReportMetric(median(steps)*1e6, "µs/step")
			b.ReportMetric(median(ratios), "×BLAS")
		})
	}
}

// products does the matrix products of a pass forward and back, and nothing else.
func (n mlp) products(params, grad []float32, a activations, rows int) {
	for l := range n.layers() {
		in, out := n.sizes[l], n.sizes[l+1]
		var weights, gradWeights []float32
		weights, _, params = n.layer(params, l)
		gradWeights, _, grad = n.layer(grad, l)
		matmul(blas.NoTrans, blas.NoTrans, rows, out, in, a.value[l], weights, a.value[l+1])
		matmul(blas.Trans, blas.NoTrans, in, out, rows, a.value[l], a.delta[l+1], gradWeights)
		if l > 0 {
			matmul(blas.NoTrans, blas.Trans, rows, in, out, a.delta[l+1], weights, a.delta[l])
		}
	}
}

func BenchmarkActivations(b *testing.B) {
	for _, a := range []Activation{Tanh, ELU, ReLU} {
		b.Run(string(a), func(b *testing.B) {
			x, y, bias := make([]float32, 4096), make([]float32, 4096), make([]float32, 64)
			for i := range x {
				x[i] = float32(i)/512 - 4
			}
			for b.Loop() {
				copy(y, x)
				addBiasActivate(a, y, bias)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*len(y))*1e9, "ns/value")
		})
	}
}
