package sim_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Many readers that take their time see whole beats and never hold up the step.
func TestManyReadersOfAWatch(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.Workers = 2 })
	watch := run.Watch(3)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			var seen sim.Latched
			last := int64(0)
			for {
				select {
				case <-done:
					return
				default:
				}
				if !watch.Latest(&seen) {
					continue
				}
				if seen.Sequence < last {
					t.Errorf("beat %d after beat %d", seen.Sequence, last)
				}
				last = seen.Sequence
				// A channel without noise and latency shows the row's own values.
				if acceleration := seen.Channels[2]; seen.NS > 0 && !slices.Equal(acceleration, seen.State[4:6]) {
					t.Errorf("acceleration %v and state %v are of different beats", acceleration, seen.State)
				}
			}
		})
	}
	trace(t, run, 600, 50)
	close(done)
	readers.Wait()
}

// A beat that is being read is not written to, however many pass meanwhile.
func TestABeatBeingReadStays(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.Worlds = 1 })
	watch := run.Watch(0)
	trace(t, run, 5, 5)
	var held []func() sim.Latched
	var want []int64
	for range 6 { // more than there are slots
		beat, release := sim.Hold(watch)
		defer release()
		held = append(held, func() sim.Latched { return *beat })
		want = append(want, beat.Sequence)
		trace(t, run, 5, 5) // to the next beat
	}
	for i, beat := range held {
		if got := beat().Sequence; got != want[i] {
			t.Errorf("a beat that was %d while it was being read is now %d", want[i], got)
		}
	}
	if distinct := slices.Compact(slices.Clone(want)); len(distinct) != len(held) {
		t.Errorf("beats %v, want %d of them", want, len(held))
	}
}

// A beat says so where its world has failed, and of when its state is.
func TestABeatOfAWorldThatFailed(t *testing.T) {
	run := newSetup(t, func(s *setup) {
		s.Worlds, s.Autoreset = 2, sim.Disabled
		s.task.limit, s.task.steps = math.Inf(1), 0
		b := runners.Binding{Name: "breaks", Runner: "Sensors", Phase: runners.Control, Writes: true}
		s.add(b, func(_ *runners.StepContext, w *sim.World) {
			if w.Index() == 1 && w.NS() == 84e6 {
				s.task.pos.In(w.State())[0] = 2 * pointmass.Bound
			}
		})
	})
	well, failed := run.Watch(0), run.Watch(1)
	trace(t, run, 5, 5)
	var beat sim.Latched
	if !well.Latest(&beat) || beat.NS != 100e6 || beat.Fault != physics.FaultNone || beat.StateNS != 100e6 {
		t.Errorf("the beat of a world that is well: %+v", beat)
	}
	if !failed.Latest(&beat) || beat.NS != 100e6 || beat.Fault != physics.FaultEngine || beat.StateNS != 84e6 {
		t.Errorf("the beat of a world that failed at 84 ms: %+v", beat)
	}
}

func TestWatchedStepAllocatesNothing(t *testing.T) {
	run := newSetup(t, nil)
	watches := make([]*sim.Watch, run.Worlds())
	for i := range watches {
		watches[i] = run.Watch(i)
	}
	var seen sim.Latched
	trace(t, run, 10, 10)
	watches[0].Latest(&seen)
	err := run.Each(func(w *sim.Worker, b *sim.Block) error {
		if n := testing.AllocsPerRun(100, func() {
			if err := b.Step(w); err != nil {
				t.Error(err)
			}
			watches[b.First()].Latest(&seen)
		}); n != 0 {
			t.Errorf("block %d: %v allocations a step", b.Index(), n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// BenchmarkLatch latches one beat of a world of three channels: unwatched,
// watched, and watched by a reader that never rests.
func BenchmarkLatch(b *testing.B) {
	for _, c := range []struct {
		name            string
		watched, reader bool
	}{{"unwatched", false, false}, {"watched", true, false}, {"read", true, true}} {
		b.Run(c.name, func(b *testing.B) {
			run := newSetup(b, nil)
			trace(b, run, 7, 7)
			done := make(chan struct{})
			var reader sync.WaitGroup
			if c.watched {
				watch := run.Watch(0)
				if c.reader {
					reader.Go(func() {
						var seen sim.Latched
						for {
							select {
							case <-done:
								return
							default:
								watch.Latest(&seen)
							}
						}
					})
				}
			}
			latch := sim.Latcher(run, 0)
			b.ReportAllocs()
			for b.Loop() {
				latch()
			}
			close(done)
			reader.Wait()
		})
	}
}
