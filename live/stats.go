package live

import (
	"sync/atomic"
	"time"
)

// StepBounds are the upper bounds of the counts of [Stats.StepTimes], in s.
var StepBounds = [...]float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1}

// Stats count what a server has done so far, and say where it stands.
type Stats struct {
	Steps     int64                       // control steps of this process
	StepTimes [len(StepBounds) + 1]uint64 // steps by the wall time that they took; the last are longer than all bounds
	StepTime  time.Duration               // of all steps
	Lag       time.Duration               // wall time that waits to be simulated
	Dropped   time.Duration               // wall time that will not be simulated
	Paused    bool

	Frames   int64 // published by this process
	Clients  int   // that read
	Held     int   // of these, those that are sent no frames, since they have not answered a ping
	Sessions int
	Skipped  int64 // frames that clients were not sent, because they were slow or away
	Slow     int64 // clients that were closed because they read nothing
	Bytes    int64 // of updates that clients took

	Captures      int   // that clients read
	CaptureMissed int64 // captures that were dropped, because clients were slow

	Intents []IntentStats
}

// IntentStats count the intents of a kind; the kind of one that has none is "none".
type IntentStats struct {
	Kind    string
	Taken   int64 // given a number
	Refused int64 // when they arrived
	Failed  int64 // at the decision point
}

// intentKinds are the kinds of intents, in the order of their counters.
var intentKinds = [...]string{"action", "command", "push", "reset", "pause", "speed", "step", "edit", "decide", "reply", "none"}

// kindIndex returns the place of a kind in intentKinds.
func kindIndex(kind string) int {
	for i, k := range intentKinds {
		if k == kind {
			return i
		}
	}
	return len(intentKinds) - 1
}

// counters are what Stats reads, from any goroutine. To count takes no lock and allocates
// nothing.
type counters struct {
	steps, stepNS, lag, dropped atomic.Int64
	stepTimes                   [len(StepBounds) + 1]atomic.Uint64
	paused                      atomic.Bool
	taken, refused, failed      [len(intentKinds)]atomic.Int64
}

// stepped counts a control step.
func (c *counters) stepped(took time.Duration) {
	i := 0
	for i < len(StepBounds) && took.Seconds() > StepBounds[i] {
		i++
	}
	c.steps.Add(1)
	c.stepNS.Add(int64(took))
	c.stepTimes[i].Add(1)
}

// Stats may be called from any goroutine.
func (s *Server) Stats() Stats {
	c := &s.counters
	st := Stats{
		Steps: c.steps.Load(), StepTime: time.Duration(c.stepNS.Load()),
		Lag: time.Duration(c.lag.Load()), Dropped: time.Duration(c.dropped.Load()), Paused: c.paused.Load(),
	}
	for i := range c.stepTimes {
		st.StepTimes[i] = c.stepTimes[i].Load()
	}
	for i, kind := range intentKinds {
		st.Intents = append(st.Intents, IntentStats{kind, c.taken[i].Load(), c.refused[i].Load(), c.failed[i].Load()})
	}
	of := &s.captures
	of.mu.Lock()
	st.Captures, st.CaptureMissed = len(of.list), of.missed.Load()
	of.mu.Unlock()
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	st.Frames, st.Sessions, st.Skipped, st.Slow, st.Bytes = h.head-h.first, len(h.sessions), h.skipped, h.slow, h.bytes
	for _, session := range h.sessions {
		if session.client != nil {
			st.Clients++
			if session.client.held {
				st.Held++
			}
		}
	}
	return st
}
