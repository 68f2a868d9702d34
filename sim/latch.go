package sim

import (
	"sync/atomic"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Latched is one world at a beat: consistent values of every rate. A beat is a boundary of all runners, so the
// physics state is that of the same instant, unless the world has failed: then State is the last valid one, at
// StateNS.
type Latched struct {
	Sequence int64 // counts the beats latched in this world since the run began
	Episode  int64
	NS       int64 // timestamp of the beat, since the episode began
	Step     int64 // control steps completed in the episode

	Fault         physics.Fault // FaultNone unless the world has failed
	State         []float64     // physics row
	StateNS       int64         // timestamp of State; NS unless the world has failed
	Observation   []float64
	ObservationNS int64
	Action        []float32 // in force when the beat was latched: before Control
	ActionNS      int64     // -1 before the first action of the episode

	Channels   [][]float64 // of the sensor suite, in order
	ChannelsNS []int64     // -1 while a channel still has the value of the reset
}

// Watch keeps the latest latched beat of one world for readers outside the step, such as viewers, servers and
// checkpoints. Its methods may be called from any goroutine at any time. A step never waits for a reader, and a
// reader never for a step: it only retries when a beat is latched just as it starts to read.
//
// The step writes every beat to a slot that has no readers and is not the latest, and then makes it the latest. A
// reader increments the count of readers of the latest slot and checks that it still is the latest; while the count
// is not 0, the step does not write to the slot. So there are three slots, or two more than there have been
// concurrent readers.
type Watch struct {
	newest atomic.Pointer[slot] // nil until the first beat
	slots  []*slot              // all slots; used by the step only
}

// slot is room for one beat.
type slot struct {
	readers atomic.Int32
	beat    Latched
}

// Watch begins to keep the beats that a world passes from now on. It must not be called while Each runs. Worlds
// without a watch have no cost. For a number outside the run, or its slice, the result is nil.
func (s *Sim) Watch(world int) *Watch {
	if world < s.config.Slice.From || world >= s.config.Slice.To {
		return nil
	}
	b, i := s.find(world)
	w := &b.worlds[i]
	if w.watch == nil {
		w.watch = &Watch{slots: []*slot{s.newSlot(), s.newSlot(), s.newSlot()}}
	}
	return w.watch
}

func (s *Sim) newSlot() *slot {
	l := Latched{
		State:       make([]float64, s.config.Model.StateSize()),
		Observation: make([]float64, s.spec.ObservationSize),
		Action:      make([]float32, s.spec.ActionSize),
		ChannelsNS:  make([]int64, s.suite.Len()),
	}
	for i := range s.suite.Len() {
		l.Channels = append(l.Channels, make([]float64, s.suite.Size(i)))
	}
	return &slot{beat: l}
}

// Latest copies the latest latched beat to dst, reusing its slices, and reports whether there is one.
func (w *Watch) Latest(dst *Latched) bool {
	for {
		s := w.newest.Load()
		if s == nil {
			return false
		}
		s.readers.Add(1)
		if w.newest.Load() == s {
			dst.set(&s.beat)
			s.readers.Add(-1)
			return true
		}
		s.readers.Add(-1) // no longer the latest, so the step may be writing to it
	}
}

// set makes l a copy of source, in its own memory.
func (l *Latched) set(source *Latched) {
	clone := *source
	clone.State = append(l.State[:0], source.State...)
	clone.Observation = append(l.Observation[:0], source.Observation...)
	clone.Action = append(l.Action[:0], source.Action...)
	clone.ChannelsNS = append(l.ChannelsNS[:0], source.ChannelsNS...)
	clone.Channels = l.Channels[:0]
	for i, values := range source.Channels {
		var reuse []float64
		if i < len(l.Channels) {
			reuse = l.Channels[i][:0]
		}
		clone.Channels = append(clone.Channels, append(reuse, values...))
	}
	*l = clone
}

// latch latches the beat at the world's instant.
func (w *World) latch() {
	w.latched++
	if w.watch == nil {
		return
	}
	free := w.watch.free(w.block.sim)
	l := &free.beat
	l.Sequence, l.Episode, l.NS, l.Step = w.latched, w.episode, w.now.NS, w.steps
	l.Fault, l.StateNS = w.fault, w.block.sim.suite.Timestamp(w.now.Anchor, w.block.rows.Boundary[w.id])
	w.ReadState().CopyTo(l.State)
	observation, ns, _ := w.Observation()
	copy(l.Observation, observation)
	l.ObservationNS = ns
	action, ns, ok := w.Action()
	copy(l.Action, action)
	l.ActionNS = stampOrNone(ns, ok)
	for i, values := range l.Channels {
		ns, ok := w.Read(values, i)
		l.ChannelsNS[i] = stampOrNone(ns, ok)
	}
	w.watch.newest.Store(free)
}

// free returns a slot that has no readers and is not the latest. It allocates one only when there are more
// concurrent readers than ever before.
func (w *Watch) free(s *Sim) *slot {
	newest := w.newest.Load()
	for _, slot := range w.slots {
		if slot != newest && slot.readers.Load() == 0 {
			return slot
		}
	}
	added := s.newSlot()
	w.slots = append(w.slots, added)
	return added
}

// stampOrNone returns ns, or -1 if ok is false.
func stampOrNone(ns int64, ok bool) int64 {
	if !ok {
		return -1
	}
	return ns
}
