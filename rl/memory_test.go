package rl

import (
	"runtime"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// What a learner is said to take is about what it takes.
func TestMemoryNeed(t *testing.T) {
	for name, change := range map[string]func(s *Settings){
		"parameters":  func(s *Settings) { s.Hidden = []int{1000, 1000} },
		"samples":     func(s *Settings) { s.RolloutSteps = 100_000 },
		"activations": func(s *Settings) { s.RolloutSteps, s.Minibatch, s.Hidden = 10_000, 40_000, []int{300} },
		"gru": func(s *Settings) {
			s.RolloutSteps, s.Minibatch, s.Hidden, s.Recurrent = 10_000, 40_000, []int{20}, 200
		},
		"gru and a symmetry": func(s *Settings) {
			s.RolloutSteps, s.Minibatch, s.Hidden, s.Recurrent, s.Symmetry.Weight = 10_000, 20_000, []int{100}, 100, 1
		},
		"gru over short sequences": func(s *Settings) {
			s.RolloutSteps, s.Minibatch, s.Hidden, s.Recurrent, s.Sequence = 10_000, 20_000, []int{100}, 100, 2
		},
		"convolutions": func(s *Settings) {
			s.Minibatch, s.RolloutSteps = 256, 200
			s.Convolutions = []Convolution{convolution(16, 5, 1, 2), convolution(32, 3, 2, 0), {Channels: 8, Kernel: 3}}
		},
		"convolutions and gru": func(s *Settings) {
			s.Recurrent, s.RolloutSteps, s.Convolutions = 50, 64, []Convolution{convolution(16, 5, 2, 0)}
		},
	} {
		env, s := newStill(4, 2), DefaultSettings()
		if change(&s); len(s.Convolutions) > 0 {
			env.shape.Observation, env.shape.Pictures = 1+32*32*3, []Picture{picture(1, 32, 32, 3)}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := polytest.Must(newPPO(env.Shape(), s, 1, collecting(env, nil)))(t)
		runtime.ReadMemStats(&after)
		taken, need := float64(after.TotalAlloc-before.TotalAlloc), float64(memoryNeed(env.Shape(), s).Go)
		if ratio := taken / need; ratio < 0.9 || ratio > 1.1 {
			t.Errorf("%s: takes %.1f MB, said to need %.1f", name, taken/1e6, need/1e6)
		}
		runtime.KeepAlive(p)
	}
}
