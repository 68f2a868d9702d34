package onnx

import (
	"math/rand/v2"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// BenchmarkAct acts by a network of the size that is usual for legged robots, for 16 rows.
func BenchmarkAct(b *testing.B) {
	n := &policy.Network{Header: policy.Header{Task: "legs", Limit: 10, Activation: policy.ELU, Sizes: []int{48, 512, 256, 128, 12}}}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n.Inputs() {
		n.Mean, n.Scale = append(n.Mean, float64(i)), append(n.Scale, 1)
	}
	for l, size := range n.Sizes[1:] {
		layer := policy.Layer{Biases: make([]float32, size)}
		for range n.Sizes[l] * size {
			layer.Weights = append(layer.Weights, float32(r.NormFloat64()*0.05))
		}
		n.Layers = append(n.Layers, layer)
	}
	n.Low, n.High = make([]float32, 12), make([]float32, 12)
	const rows = 16
	m := model(b, written(b, n))
	s, dst, observations := m.NewScratch(), make([]float32, rows*12), make([]float32, rows*48)
	b.ReportAllocs()
	for b.Loop() {
		polytest.NoError(b, m.Act(dst, observations, nil, s))
	}
}
