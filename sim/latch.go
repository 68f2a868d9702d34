package sim

import "sync"

// Latched is one world at a beat: values of every rate that belong together.
type Latched struct {
	Sequence int64 // counts the beats latched in this world since the run began
	Episode  int64
	NS       int64 // label of the beat, since the episode began
	Step     int64 // control steps completed in the episode

	Observation   []float64
	ObservationNS int64
	Action        []float32 // in force when the beat was latched: before Control
	ActionNS      int64     // -1 before the first action of the episode

	Channels   [][]float64 // of the sensor suite, in order
	ChannelsNS []int64     // -1 where a channel still shows the value of the reset
}

// Watch keeps the newest latched beat of one world for readers outside the step:
// viewers, servers, checkpoints. Its methods may be called from any goroutine at
// any time; they wait for no step, and a step waits for them no longer than a
// copy takes.
type Watch struct {
	mu     sync.Mutex
	latest Latched // Sequence 0 until the first beat
	next   Latched // filled by the step, then exchanged
}

// Watch begins to watch a world: the beats it passes from now on are kept. Not
// while Each runs. Worlds nobody watches pay nothing for it. A world that is not
// there has no watch: nil.
func (s *Sim) Watch(world int) *Watch {
	if world < 0 || world >= s.worlds {
		return nil
	}
	b, i := s.find(world)
	w := &b.worlds[i]
	if w.watch == nil {
		w.watch = &Watch{latest: s.newLatched(), next: s.newLatched()}
	}
	return w.watch
}

func (s *Sim) newLatched() Latched {
	l := Latched{
		Observation: make([]float64, s.spec.ObservationSize),
		Action:      make([]float32, s.spec.ActionSize),
		ChannelsNS:  make([]int64, s.suite.Len()),
	}
	for i := range s.suite.Len() {
		l.Channels = append(l.Channels, make([]float64, s.suite.Size(i)))
	}
	return l
}

// Latest copies the newest latched beat to dst, reusing its slices, and reports
// whether there has been one.
func (w *Watch) Latest(dst *Latched) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.latest.Sequence == 0 {
		return false
	}
	from := &w.latest
	to := *from
	to.Observation = append(dst.Observation[:0], from.Observation...)
	to.Action = append(dst.Action[:0], from.Action...)
	to.ChannelsNS = append(dst.ChannelsNS[:0], from.ChannelsNS...)
	to.Channels = dst.Channels[:0]
	for i, values := range from.Channels {
		var reuse []float64
		if i < len(dst.Channels) {
			reuse = dst.Channels[i][:0]
		}
		to.Channels = append(to.Channels, append(reuse, values...))
	}
	*dst = to
	return true
}

// latch takes the beat the world stands at. The view is filled outside the lock
// and exchanged inside it.
func (w *World) latch() {
	w.latched++
	if w.watch == nil {
		return
	}
	l := &w.watch.next
	l.Sequence, l.Episode, l.NS, l.Step = w.latched, w.episode, w.now.NS, w.steps
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
	w.watch.mu.Lock()
	w.watch.latest, w.watch.next = w.watch.next, w.watch.latest
	w.watch.mu.Unlock()
}

func stampOrNone(ns int64, ok bool) int64 {
	if !ok {
		return -1
	}
	return ns
}
