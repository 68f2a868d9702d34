package training

import (
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// episode is one finished episode of an evaluation.
type episode struct {
	sum                          float64 // of rewards
	steps                        int64   // control steps
	terminated, truncated, fault bool    // how it ended
}

// results collects the episodes of an evaluation and what the task says of them.
// Worlds report from several goroutines at once; each episode has a place of its
// own, so the order of the reports decides nothing.
type results struct {
	mu       sync.Mutex
	episodes []episode
	infos    [][]float64 // by episode: means over its steps
}

func newResults(episodes int) *results {
	return &results{episodes: make([]episode, episodes), infos: make([][]float64, episodes)}
}

// Rewarded implements [sim.Observer].
func (*results) Rewarded(*sim.World, float64) {}

// Ended implements [sim.Observer].
func (r *results) Ended(_ *sim.World, e sim.Episode) {
	if e.Number >= int64(len(r.episodes)) || !e.Complete {
		return
	}
	means := make([]float64, len(e.InfoSum))
	for i, sum := range e.InfoSum {
		means[i] = sum / float64(e.Steps)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.infos[e.Number] = means
	r.episodes[e.Number] = episode{e.Return, e.Steps, e.Terminated, e.Truncated, e.Fault != physics.FaultNone}
}

// info is the mean over the episodes of info i.
func (r *results) info(i int) float64 {
	sum := 0.0
	for _, means := range r.infos {
		sum += means[i]
	}
	return sum / float64(len(r.infos))
}
