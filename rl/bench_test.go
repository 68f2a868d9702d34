package rl

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

func benchmarkPPO(b *testing.B, worlds, workers, minibatch int) *PPO {
	b.Helper()
	s := DefaultSettings()
	s.RolloutSteps, s.Minibatch, s.Schedule = 256, minibatch, Constant
	p := polytest.Must(New(newStill(worlds, workers), s, 1))(b)
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
		polytest.NoError(b, policy.Act(dst, observation, nil, 0, s))
	}
	b.ReportMetric(16*float64(b.N)/b.Elapsed().Seconds(), "actions/s")
}

// Everything on the acting side but the environment's step.
func BenchmarkCollect(b *testing.B) {
	p := benchmarkPPO(b, 64, 1, 64)
	b.ReportAllocs()
	for b.Loop() {
		polytest.NoError(b, p.collector().env.Rollout(func(worker int, block Block) error {
			return p.collector().collect(b.Context(),
				worker, block)
		}))
	}
	b.ReportMetric(float64(len(p.order)*b.N)/b.Elapsed().Seconds(), "env-steps/s")
}

// updateInTurns returns how long an update of each learner takes in each round.
func updateInTurns(b *testing.B, learners ...*PPO) [][]float64 {
	times := make([][]float64, len(learners))
	b.ReportAllocs()
	for b.Loop() {
		for i, p := range learners {
			begun := time.Now()
			var m Metrics
			polytest.NoError(b, p.update(b.Context(), &m))
			times[i] = append(times[i], time.Since(begun).Seconds())
		}
	}
	return times
}

// ratios are those of the rounds.
func ratios(a, b []float64) []float64 {
	r := make([]float64, len(a))
	for i := range r {
		r[i] = a[i] / b[i]
	}
	return r
}

// An update of ten epochs on one worker and on two, in turns; samples are counted once per
// epoch. The gain of the second worker is the median of the gains of the rounds.
func BenchmarkUpdate(b *testing.B) {
	for _, c := range []struct{ worlds, minibatch int }{{8, 64}, {8, 256}, {16, 1024}, {64, 2048}} {
		b.Run(fmt.Sprintf("%dx256/minibatch=%d", c.worlds, c.minibatch), func(b *testing.B) {
			one, two := benchmarkPPO(b, c.worlds, 1, c.minibatch), benchmarkPPO(b, c.worlds, 2, c.minibatch)
			times, samples := updateInTurns(b, one, two), float64(10*len(one.order))
			b.ReportMetric(samples/median(times[0]), "samples/s-1")
			b.ReportMetric(samples/median(times[1]), "samples/s-2")
			b.ReportMetric(median(ratios(times[0], times[1])), "gain")
		})
	}
}

// A gradient step of PPO over its matrix products alone, in rounds that alternate: each worker does the
// products of its tasks, on the same numbers.
func BenchmarkGradientStep(b *testing.B) {
	for _, hidden := range [][]int{{64, 64}, {256, 128}} {
		for _, rows := range []int{64, 1024} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("hidden=%d/rows=%d/workers=%d", hidden, rows, workers), func(b *testing.B) {
					s := DefaultSettings()
					s.Hidden, s.RolloutSteps, s.Minibatch, s.Epochs, s.Schedule = hidden, 256, rows, 1, Constant
					p := polytest.Must(New(newStill(8, workers), s, 1))(b)
					iterate(b, p, 1)
					defer p.openTeam()()
					bare := func() {
						n := len(p.cut(p.order[:rows]))
						p.team.Do(2*n, func(worker, task int) {
							l, grad := &p.learners[worker], nn.RowOf(p.grads, len(p.params), task%n)
							if task < n {
								products(p.policy.net, p.policy.params, grad, l.policy, rows/n)
							} else {
								products(p.value, p.valueParams(), grad[len(p.policy.params):], l.value, rows/n)
							}
						})
					}
					var times [2][]float64
					for b.Loop() {
						for i, f := range []func(){func() { p.step(b.Context(), 0, p.order[:rows]) }, bare} {
							begun := time.Now()
							for range 2048 / rows {
								f()
							}
							times[i] = append(times[i], time.Since(begun).Seconds())
						}
					}
					b.ReportMetric(median(times[0])*float64(rows)/2048*1e6, "µs/step")
					b.ReportMetric(median(ratios(times[0], times[1])), "×products")
				})
			}
		}
	}
}

// products does the matrix products of a pass forward and back.
func products(n nn.Network, params, grad []float32, w nn.Work, rows int) {
	for l := range n.Layers() {
		in, out := n.Sizes[l], n.Sizes[l+1]
		var weights, gradWeights []float32
		weights, _, params = n.Layer(params, l)
		gradWeights, _, grad = n.Layer(grad, l)
		nn.Matmul(nn.NoTrans, nn.NoTrans, rows, out, in, w.Value[l], weights, w.Value[l+1])
		nn.Matmul(nn.Trans, nn.NoTrans, in, out, rows, w.Value[l], w.Delta[l+1], gradWeights)
		if l > 0 {
			nn.Matmul(nn.NoTrans, nn.Trans, rows, in, out, w.Delta[l+1], weights, w.Delta[l])
		}
	}
}

// An update of a recurrent policy beside one without memory, in turns: ×plain is how many times as long it takes.
func BenchmarkRecurrentUpdate(b *testing.B) {
	s := DefaultSettings()
	s.RolloutSteps, s.Minibatch, s.Schedule, s.Epochs = 256, 2048, Constant, 2
	var learners []*PPO
	for _, units := range []int{0, 64} {
		s.Recurrent = units
		p := polytest.Must(New(newStill(64, 1), s, 1))(b)
		iterate(b, p, 1)
		learners = append(learners, p)
	}
	times := updateInTurns(b, learners...)
	b.ReportMetric(float64(s.Epochs*len(learners[0].order))/median(times[1]), "samples/s")
	b.ReportMetric(median(ratios(times[1], times[0])), "×plain")
}

// Pictures of 64 × 64 pixels, acted on and in updates, on one worker: samples/s counts each epoch, with a value network
// that sees no picture.
func BenchmarkSeeing(b *testing.B) {
	for _, channels := range []int{1, 3} {
		b.Run(fmt.Sprintf("channels=%d", channels), func(b *testing.B) {
			s := DefaultSettings()
			s.RolloutSteps, s.Minibatch, s.Schedule, s.Epochs = 32, 256, Constant, 1
			s.Convolutions = []Convolution{convolution(16, 8, 4, 0), convolution(32, 4, 2, 0)}
			e := newStill(16, 1)
			e.shape.Pictures, e.shape.Observation = []Picture{picture(9, 64, 64, channels)}, 9+64*64*channels
			e.shape.Policy, e.shape.Critic = ColumnRange{First: 1, Size: 8 + 64*64*channels}, ColumnRange{First: 0, Size: 9}
			e.blocks, e.shape.Blocks = nil, 0
			e.fill(func(b fakeBlock) *fakeBlock {
				for i := range b.observation {
					b.observation[i] = float64(i*i%101) / 50
				}
				return &b
			})
			p := polytest.Must(New(e, s, 1))(b)
			iterate(b, p, 1)
			var acted, learnt []float64
			b.ReportAllocs()
			for b.Loop() {
				begun := time.Now()
				polytest.NoError(b, e.Rollout(func(worker int, block Block) error {
					return p.collector().collect(b.Context(), worker, block)
				}))
				acted = append(acted, time.Since(begun).Seconds())
				begun = time.Now()
				var m Metrics
				polytest.NoError(b, p.update(b.Context(), &m))
				learnt = append(learnt, time.Since(begun).Seconds())
			}
			b.ReportMetric(float64(len(p.order))/median(acted), "acted/s")
			b.ReportMetric(float64(len(p.order))/median(learnt), "samples/s")
		})
	}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
