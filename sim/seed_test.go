package sim_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// alone takes steps control steps whose actions follow from what a world observes
// and from nothing else, and returns what each world went through.
func alone(t testing.TB, run *sim.Sim, steps int) []string {
	t.Helper()
	seen := make([]string, run.Worlds())
	polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
		for step := range steps {
			for i := range b.Actions() {
				b.Actions()[i] = float32(math.Sin(b.Observations()[i/chaseAction*chaseObservation+i%chaseAction])) - 0.5
			}
			if err := b.Step(w); err != nil {
				return err
			}
			for i := range b.Len() {
				seen[b.First()+i] += fmt.Sprintln(step, b.Rewards()[i], b.Terminations()[i], b.Truncations()[i],
					b.State(i), b.Infos()[i], b.Observations()[i*chaseObservation:(i+1)*chaseObservation],
					b.FinalObservations()[i*chaseObservation:(i+1)*chaseObservation],
					b.FinalInfos()[i], b.EpisodeReturns()[i], b.EpisodeLengths()[i])
			}
		}
		return nil
	}))
	return seen
}

// A world that was given a seed is the world of a run of its own with that seed: in this episode and those after it,
// wherever it stands, whatever it did before, and whoever steps it.
func TestSeededWorldIsARunOfItsOwn(t *testing.T) {
	const steps = 130
	seeds := []uint64{11, 12, 0, 7, math.MaxUint64}
	for _, mode := range []sim.Autoreset{sim.SameStep, sim.NextStep} {
		shape := func(worlds, size, workers int, seed uint64) *sim.Sim {
			return newSetup(t, func(s *setup) {
				s.Worlds, s.BlockSize, s.Workers, s.Seed, s.Autoreset = worlds, size, workers, seed, mode
				s.task.steps = 17
			})
		}
		var want []string
		for _, seed := range seeds {
			want = append(want, alone(t, shape(1, 1, 1, seed), steps)[0])
		}
		for _, c := range []struct{ size, workers, before int }{{1, 1, 0}, {5, 1, 3}, {2, 2, 17}, {3, 4, 40}} {
			run := shape(len(seeds), c.size, c.workers, 99)
			undisturbed := shape(len(seeds), c.size, c.workers, 99)
			alone(t, run, c.before)
			alone(t, undisturbed, c.before)
			clearShown(run)
			polytest.NoError(t, run.Each(func(w *sim.Worker, b *sim.Block) error {
				mask := slices.Repeat([]bool{true}, b.Len())
				if last := len(seeds) - 1 - b.First(); last < b.Len() {
					mask[last] = false
				}
				b.Restart(w, mask, seeds[b.First():][:b.Len()])
				return nil
			}))
			got := alone(t, run, steps)
			for w := range seeds[:len(seeds)-1] {
				if got[w] != want[w] {
					t.Errorf("mode %s, blocks of %d, %d workers: world %d with seed %d is not the run of that seed", mode, c.size,
						c.workers, w, seeds[w])
				}
			}
			last := len(seeds) - 1
			clearShown(undisturbed)
			polytest.Equal(t, got[last], alone(t, undisturbed, steps)[last],
				"mode %s, blocks of %d: a world that the mask left out was disturbed", mode, c.size)
		}
	}
}

// clearShown forgets what buffers show of earlier episodes.
func clearShown(run *sim.Sim) {
	clear(run.FinalObservations())
	clear(run.FinalInfos())
	clear(run.EpisodeReturns())
	clear(run.EpisodeLengths())
}

func TestRestartWantsOneOfEach(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.Worlds, s.BlockSize = 2, 2 })
	for _, c := range []struct {
		mask  []bool
		seeds []uint64
	}{
		{[]bool{true}, nil},
		{[]bool{true, true}, []uint64{1}},
		{[]bool{true, true}, []uint64{}},
	} {
		if err := run.Each(func(w *sim.Worker, b *sim.Block) error {
			b.Restart(w, c.mask, c.seeds)
			return nil
		}); err == nil {
			t.Errorf("mask %v and seeds %v of a block of 2: no error", c.mask, c.seeds)
		}
	}
}

// The numbers of the whole run are the same in every episode of a world, and other ones in other worlds.
func TestLastingRandom(t *testing.T) {
	drawn := map[int][]float64{}
	run := newSetup(t, func(s *setup) {
		s.Worlds, s.BlockSize = 2, 2
		s.task.steps = 3
		s.task.mishap = func(w *sim.World, where string) float64 {
			if where == "reset" {
				drawn[w.Index()] = append(drawn[w.Index()], w.LastingRandom(sim.ResetDraws).Float64())
			}
			return 0
		}
	})
	trace(t, run, 10, 10)
	for world, values := range drawn {
		if len(values) < 4 || slices.Max(values) != slices.Min(values) {
			t.Errorf("world %d drew %v in its episodes, want the same number in each", world, values)
		}
	}
	if drawn[0][0] == drawn[1][0] {
		t.Errorf("both worlds drew %v", drawn[0][0])
	}
}
