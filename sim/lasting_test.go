package sim_test

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// counting is the chase with a lasting value: how many episodes the world has begun. seen has it for each world, beside
// the number that it should be.
type counting struct {
	*chase
	seen [][2]float64
}

func (c counting) Spec() sim.Spec {
	s := c.chase.Spec()
	s.MemorySize, s.LastingSize = s.MemorySize+1, 1
	return s
}

func (c counting) Reset(w *sim.World) {
	w.Lasting()[0]++
	c.chase.Reset(w)
}

func (c counting) Reward(w *sim.World) (float64, bool) {
	c.seen[w.Index()] = [2]float64{w.Lasting()[0], float64(w.Episode()/12 + 1)}
	return c.chase.Reward(w)
}

// TestLastingMemoryOutlivesEpisodes: it counts the episodes of each world, in one go and from a snapshot, for any
// blocks and workers, until a world is given a seed of its own.
func TestLastingMemoryOutlivesEpisodes(t *testing.T) {
	open := func(size, workers int) (*sim.Sim, [][2]float64) {
		seen := make([][2]float64, 12)
		return newSetup(t, func(s *setup) {
			s.BlockSize, s.Workers, s.Task = size, workers, counting{s.task, seen}
			s.task.steps = 17
		}), seen
	}
	step := func(run *sim.Sim, steps int) {
		polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
			for range steps {
				if err := b.Step(w); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	whole, want := open(12, 1)
	step(whole, 100)
	for i, w := range want {
		if w[0] != w[1] || w[0] < 4 {
			t.Errorf("world %d has counted %v episodes, want %v and at least 4", i, w[0], w[1])
		}
	}
	first, _ := open(5, 2)
	step(first, 41)
	second, got := open(1, 3)
	polytest.NoError(t, second.Restore(first.Snapshot()))
	step(second, 59)
	polytest.EqualSlices(t, got, want, "after a snapshot")
	polytest.NoError(t, whole.Each(func(w *sim.Worker, b *sim.Block) error {
		all, seeds := make([]bool, b.Len()), make([]uint64, b.Len())
		for i := range all {
			all[i] = i > 0
		}
		b.Restart(w, all, seeds)
		return b.Step(w)
	}))
	for i, w := range want {
		if i > 0 && w[0] != 1 || i == 0 && w[0] < 4 {
			t.Errorf("world %d has counted %v episodes after it got a seed, want 1", i, w[0])
		}
	}
}
