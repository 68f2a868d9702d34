package live

import (
	"slices"
	"time"
)

// StepBounds are the upper bounds of the counts of [Stats.StepTimes], in s.
var StepBounds = [...]float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1}

// Stats count what a server has done so far, and say where it stands. The tags are the names
// and the helps of metrics.
type Stats struct {
	Steps     int64                       // control steps of this process
	StepTimes [len(StepBounds) + 1]uint64 // steps by the wall time that they took; the last are longer than all bounds
	StepTime  time.Duration               // of all steps

	Lag     time.Duration `metric:"lag_seconds" help:"Wall time that waits to be simulated."`
	Dropped time.Duration `metric:"dropped_seconds_total" help:"Wall time that will not be simulated."`
	Paused  bool          `metric:"paused" help:"1 while the run is paused."`

	Frames   int64 `metric:"frames_total" help:"Frames published."` // by this process
	Clients  int64 `metric:"clients" help:"Clients that read."`
	Held     int64 `metric:"clients_held" help:"Clients that are sent no frames, because they have not answered a ping."`
	Sessions int64 `metric:"sessions" help:"Sessions, with those whose clients are gone."`
	Skipped  int64 `metric:"frames_skipped_total" help:"Frames that clients were not sent, because they were slow."`
	Slow     int64 `metric:"clients_slow_total" help:"Clients that were closed because they read nothing."`
	Bytes    int64 `metric:"sent_bytes_total" help:"Bytes of the updates that clients took."`

	Captures      int64 `metric:"captures" help:"Captures that clients read."`
	CaptureMissed int64 `metric:"captures_missed_total" help:"Captures that were dropped, because clients were slow."`

	Intents []IntentStats
}

// IntentStats count the intents of a kind; the kind of one that has none is "none".
type IntentStats struct {
	Kind    string
	Taken   int64 // given a number
	Refused int64 // when they arrived
	Failed  int64 // at the decision point
}

// countStep counts a control step.
func (h *hub) countStep(duration time.Duration) {
	i, _ := slices.BinarySearch(StepBounds[:], duration.Seconds())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stats.Steps++
	h.stats.StepTime += duration
	h.stats.StepTimes[i]++
}

// intentStats are those of a kind of intents. The lock is held.
func (h *hub) intentStats(kind string) *IntentStats {
	return &h.stats.Intents[slices.Index(kinds(), kind)]
}

// Stats may be called from any goroutine.
func (s *Server) Stats() Stats {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	stats := h.stats
	stats.Intents = slices.Clone(stats.Intents)
	stats.Frames, stats.Sessions, stats.Captures = h.head-h.first, int64(len(h.sessions)), int64(len(h.captures))
	for _, session := range h.sessions {
		if session.client != nil {
			stats.Clients++
			if session.client.framesPaused {
				stats.Held++
			}
		}
	}
	return stats
}
