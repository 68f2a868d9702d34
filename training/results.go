package training

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// results collects the statistics of an evaluation. It implements [sim.Observer]. Several
// goroutines call it at once; each world has a tally of its own, so the result does not
// depend on the order of the calls. Its memory does not grow with the episodes.
type results struct {
	episodes int64
	worlds   []tally
}

func newResults(worlds int, episodes int64) *results {
	return &results{episodes: episodes, worlds: make([]tally, worlds)}
}

// Rewarded implements [sim.Observer].
func (*results) Rewarded(*sim.World, float64) {}

// Ended implements [sim.Observer].
func (r *results) Ended(w *sim.World, e sim.Episode) {
	if e.Number < r.episodes && e.Complete {
		r.worlds[w.Row()].add(e)
	}
}

// total merges the tallies in the order of the worlds.
func (r *results) total() tally {
	var sum tally
	for i := range r.worlds {
		sum.merge(&r.worlds[i])
	}
	return sum
}

// tally holds the statistics of some episodes.
type tally struct {
	n                             int64
	mean, squares                 float64 // of the returns: their mean, and the sum of the squared distances from it
	least, most                   float64 // returns
	steps                         float64 // control steps of all episodes
	terminated, truncated, faults int64
	infos                         []float64 // by info: the sum over episodes of its mean over an episode's steps
}

func (t *tally) add(e sim.Episode) {
	one := tally{n: 1, mean: e.Return, least: e.Return, most: e.Return, steps: float64(e.Steps)}
	switch {
	case e.Fault != physics.FaultNone:
		one.faults = 1
	case e.Terminated:
		one.terminated = 1
	case e.Truncated:
		one.truncated = 1
	}
	if t.infos == nil {
		t.infos = make([]float64, len(e.InfoSum))
	}
	t.merge(&one)
	for i, sum := range e.InfoSum {
		t.infos[i] += sum / float64(e.Steps)
	}
}

// merge adds the episodes of another tally (Chan, Golub and LeVeque, "Updating formulae and a
// pairwise algorithm for computing sample variances", 1979).
func (t *tally) merge(o *tally) {
	switch {
	case o.n == 0:
		return
	case t.n == 0:
		t.least, t.most = o.least, o.most
	}
	n, apart := float64(t.n+o.n), o.mean-t.mean
	t.squares += o.squares + float64(apart*apart)*float64(t.n)*float64(o.n)/n
	t.mean += float64(apart * (float64(o.n) / n))
	t.n += o.n
	t.least, t.most = min(t.least, o.least), max(t.most, o.most)
	t.steps += o.steps
	t.terminated += o.terminated
	t.truncated += o.truncated
	t.faults += o.faults
	for i, sum := range o.infos {
		if t.infos == nil {
			t.infos = make([]float64, len(o.infos))
		}
		t.infos[i] += sum
	}
}

// std returns the standard deviation of the returns.
func (t *tally) std() float64 { return math.Sqrt(t.squares / float64(t.n)) }
