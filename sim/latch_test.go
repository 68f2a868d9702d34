package sim_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Many readers that take their time see whole beats and never hold up the step.
func TestManyReadersOfAWatch(t *testing.T) {
	run := newSetup(t, func(s *setup) { s.Workers = 2 })
	watch := run.Watch(3)
	if watch.Latest(new(sim.Latched)) || run.Watch(99) != nil {
		t.Error("a beat is there before any was passed, or a world that is none can be watched")
	}
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
				if seen.NS%100_000_000 != 0 || seen.ObservationNS != seen.NS || seen.Step != seen.NS/20_000_000 ||
					seen.NS > 0 && (seen.ActionNS != seen.NS-20_000_000 || seen.ChannelsNS[0] != seen.NS ||
						seen.ChannelsNS[2] != seen.NS-2_000_000) || seen.Observation[0] != seen.Channels[0][0] {
					t.Errorf("%+v is not one beat", seen)
				}
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
