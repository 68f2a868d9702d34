package main

import (
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// infos collects what a task says of the episodes of an evaluation. Worlds
// report from several goroutines at once, so each episode keeps its own place
// and the means do not depend on who came first.
type infos struct {
	mu       sync.Mutex
	episodes [][]float64 // by episode: means over its steps
}

func newInfos(episodes int) *infos { return &infos{episodes: make([][]float64, episodes)} }

// Rewarded implements [sim.Observer].
func (*infos) Rewarded(*sim.World, float64) {}

// Ended implements [sim.Observer].
func (in *infos) Ended(_ *sim.World, e sim.Episode) {
	if e.Number >= int64(len(in.episodes)) || !e.Complete {
		return
	}
	means := make([]float64, len(e.InfoSum))
	for i, sum := range e.InfoSum {
		means[i] = sum / float64(e.Steps)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.episodes[e.Number] = means
}

// mean is the mean over the episodes of info i.
func (in *infos) mean(i int) float64 {
	sum := 0.0
	for _, means := range in.episodes {
		sum += means[i]
	}
	return sum / float64(len(in.episodes))
}
