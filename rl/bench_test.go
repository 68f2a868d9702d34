package rl

import (
	"fmt"
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
		if err := p.env.Rollout(func(worker int, block Block) error { return p.collect(b.Context(), worker, block) }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(p.order)*b.N)/b.Elapsed().Seconds(), "env-steps/s")
}

// An update of ten epochs; samples are counted once per epoch.
func BenchmarkUpdate(b *testing.B) {
	for _, c := range []struct {
		name                       string
		worlds, workers, minibatch int
	}{
		{"8x256/minibatch=64/workers=1", 8, 1, 64},
		{"8x256/minibatch=64/workers=2", 8, 2, 64},
		{"64x256/minibatch=2048/workers=1", 64, 1, 2048},
		{"64x256/minibatch=2048/workers=2", 64, 2, 2048},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := benchmarkPPO(b, c.worlds, c.workers, c.minibatch)
			b.ReportAllocs()
			for b.Loop() {
				var m Metrics
				if err := p.update(b.Context(), &m); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(10*len(p.order)*b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}

// One gradient step of two networks with two layers of 64, alone and beside its matrix
// products: ×BLAS is how many times as long the whole step takes.
func BenchmarkGradientStep(b *testing.B) {
	for _, rows := range []int{64, 256} { // one chunk, and four
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			p := benchmarkPPO(b, 8, 1, rows)
			minibatch := p.order[:rows]
			b.ReportAllocs()
			for b.Loop() {
				_, grad := p.gradient(b.Context(), minibatch)
				p.adam.step(p.params, grad, min(1, 0.5/norm(grad)), 1e-9, nil)
			}
			step := b.Elapsed().Seconds() / float64(b.N)
			begun, l := time.Now(), &p.learners[0]
			for range b.N {
				for range p.group.chunks(rows) {
					p.policy.net.products(p.policy.params, p.chunks[0].grad, l.policy.activations, p.group.perChunk(rows))
					p.value.products(p.valueParams(), p.chunks[0].grad, l.value.activations, p.group.perChunk(rows))
				}
			}
			products := time.Since(begun).Seconds() / float64(b.N)
			b.ReportMetric(step*1e6, "µs/step")
			b.ReportMetric(step/products, "×BLAS")
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
