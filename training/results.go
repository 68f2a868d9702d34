package training

import (
	"cmp"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
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

// counted makes worlds that are to be opened count their episodes.
func counted(c *configs.Config, worlds *env.OpenOptions) *results {
	r := newResults(cmp.Or(worlds.Slice.Len(), c.Worlds), math.MaxInt64)
	worlds.Observers = append(worlds.Observers, r)
	return r
}

// progress returns a function that calls f, unless that is nil, with how much of the total of a rollout of so
// many worlds is done, in episodes or, with an end in time, in control steps, and with the episodes that ended.
func (r *results) progress(e *env.Env, worlds int, opt env.OpenOptions, f func(done, total, episodes int64)) func() {
	total := max(episodesOf(opt.Slice, worlds, opt.Episodes), opt.Steps)
	return func() {
		if f == nil || total == 0 {
			return
		}
		episodes := r.total().n
		done := episodes
		if opt.Steps > 0 {
			done = e.Sim().Blocks()[0].N()
		}
		f(done, total, episodes)
	}
}

// Rewarded implements [sim.Observer].
func (*results) Rewarded(*sim.World, float64) {}

// Ended implements [sim.Observer].
func (r *results) Ended(w *sim.World, e sim.Episode) {
	if e.Number < r.episodes && e.Complete {
		r.worlds[w.Row()].add(e)
	}
}

func (r *results) total() tally {
	var sum tally
	for i := range r.worlds {
		sum.merge(&r.worlds[i])
	}
	return sum
}

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

func (t *tally) std() float64 { return math.Sqrt(t.squares / float64(t.n)) }

// means returns the mean of each info over the episodes that were added, NaN without
// any, and removes the episodes. count is the number of infos.
func (r *results) means(count int) []float64 {
	sum := r.total()
	r.reset()
	if sum.n == 0 {
		return slices.Repeat([]float64{math.NaN()}, count)
	}
	for i := range sum.infos {
		sum.infos[i] /= float64(sum.n)
	}
	return sum.infos
}

// reset removes all episodes and keeps the memory.
func (r *results) reset() {
	for i := range r.worlds {
		infos := r.worlds[i].infos
		clear(infos)
		r.worlds[i] = tally{infos: infos}
	}
}

// sums returns what metrics need of the episodes that were added, by world: their number, and
// the sum of each of so many infos.
func (r *results) sums(count int) (all [][]float64) {
	for i := range r.worlds {
		v := make([]float64, 1+count)
		v[0] = float64(r.worlds[i].n)
		copy(v[1:], r.worlds[i].infos)
		all = append(all, v)
	}
	return all
}

// setSums sets the worlds from first on to those of sums.
func (r *results) setSums(first int, all [][]float64) {
	for i, v := range all {
		r.worlds[first+i] = tally{n: int64(v[0]), infos: v[1:]}
	}
}
