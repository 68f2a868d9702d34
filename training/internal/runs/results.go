package runs

import (
	"cmp"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Results collects the statistics of an evaluation. It implements [sim.Observer]. Several
// goroutines call it at once; each world has a tally of its own, so the result does not
// depend on the order of the calls. Its memory does not grow with the episodes.
type Results struct {
	episodes int64
	Worlds   []Tally
}

// NewResults returns results of so many worlds, which count the first so many episodes.
func NewResults(worlds int, episodes int64) *Results {
	return &Results{episodes: episodes, Worlds: make([]Tally, worlds)}
}

// CountEpisodes makes worlds that are to be opened count their episodes.
func CountEpisodes(c *configs.Config, worlds *env.OpenOptions) *Results {
	r := NewResults(cmp.Or(worlds.Slice.Len(), c.Worlds), math.MaxInt64)
	worlds.Observers = append(worlds.Observers, r)
	return r
}

// Progress returns a function that calls f, unless that is nil, with how much of the total of a rollout of so many
// worlds is done, in episodes or, with an end in time, in control steps, and with the episodes that ended, which count
// returns.
func Progress(e *env.Env, worlds int, opt env.OpenOptions, count func() int64,
	f func(done, total, episodes int64)) func() {
	total := max(EpisodeCount(opt.Slice, worlds, opt.Episodes), opt.Steps)
	return func() {
		if f == nil || total == 0 {
			return
		}
		episodes := count()
		done := episodes
		if opt.Steps > 0 {
			done = e.Sim().Blocks()[0].N()
		}
		f(done, total, episodes)
	}
}

// Rewarded implements [sim.Observer].
func (*Results) Rewarded(*sim.World, float64) {}

// Ended implements [sim.Observer].
func (r *Results) Ended(w *sim.World, e sim.Episode) {
	if e.Number < r.episodes && e.Complete {
		r.Worlds[w.Row()].Add(e)
	}
}

// Count returns the number of episodes that were counted.
func (r *Results) Count() int64 { return r.Total().N }

// Total returns the statistics of all worlds, in the order of their rows.
func (r *Results) Total() Tally {
	var sum Tally
	for i := range r.Worlds {
		sum.Merge(&r.Worlds[i])
	}
	return sum
}

// Tally holds sums over episodes.
type Tally struct {
	N                             int64
	Mean, Squares                 float64 // of the returns: their mean, and the sum of the squared distances from it
	Least, Most                   float64 // returns
	Steps                         float64 // control steps of all episodes
	Terminated, Truncated, Faults int64
	Infos                         []float64 // by info: the sum over episodes of its mean over an episode's steps
}

// Add adds an episode.
func (t *Tally) Add(e sim.Episode) {
	one := Tally{N: 1, Mean: e.Return, Least: e.Return, Most: e.Return, Steps: float64(e.Steps)}
	switch {
	case e.Fault != physics.FaultNone:
		one.Faults = 1
	case e.Terminated:
		one.Terminated = 1
	case e.Truncated:
		one.Truncated = 1
	}
	if t.Infos == nil {
		t.Infos = make([]float64, len(e.InfoSum))
	}
	t.Merge(&one)
	for i, sum := range e.InfoSum {
		t.Infos[i] += sum / float64(e.Steps)
	}
}

// Merge adds the episodes of another tally (Chan, Golub and LeVeque, "Updating formulae and a
// pairwise algorithm for computing sample variances", 1979).
func (t *Tally) Merge(o *Tally) {
	switch {
	case o.N == 0:
		return
	case t.N == 0:
		t.Least, t.Most = o.Least, o.Most
	}
	n, apart := float64(t.N+o.N), o.Mean-t.Mean
	t.Squares += o.Squares + float64(apart*apart)*float64(t.N)*float64(o.N)/n
	t.Mean += float64(apart * (float64(o.N) / n))
	t.N += o.N
	t.Least, t.Most = min(t.Least, o.Least), max(t.Most, o.Most)
	t.Steps += o.Steps
	t.Terminated += o.Terminated
	t.Truncated += o.Truncated
	t.Faults += o.Faults
	for i, sum := range o.Infos {
		if t.Infos == nil {
			t.Infos = make([]float64, len(o.Infos))
		}
		t.Infos[i] += sum
	}
}

// Std returns the standard deviation of the returns.
func (t *Tally) Std() float64 { return math.Sqrt(t.Squares / float64(t.N)) }

// Means returns the mean of each info over the episodes that were added, NaN without
// any, and removes the episodes. count is the number of infos.
func (r *Results) Means(count int) []float64 {
	sum := r.Total()
	r.Reset()
	if sum.N == 0 {
		return slices.Repeat([]float64{math.NaN()}, count)
	}
	for i := range sum.Infos {
		sum.Infos[i] /= float64(sum.N)
	}
	return sum.Infos
}

// Reset removes all episodes and keeps the memory.
func (r *Results) Reset() {
	for i := range r.Worlds {
		infos := r.Worlds[i].Infos
		clear(infos)
		r.Worlds[i] = Tally{Infos: infos}
	}
}

// Sums returns what metrics need of the episodes that were added, by world: their number, and
// the sum of each of so many infos.
func (r *Results) Sums(count int) (all [][]float64) {
	for i := range r.Worlds {
		v := make([]float64, 1+count)
		v[0] = float64(r.Worlds[i].N)
		copy(v[1:], r.Worlds[i].Infos)
		all = append(all, v)
	}
	return all
}

// SetSums sets the worlds from first on to those of sums.
func (r *Results) SetSums(first int, all [][]float64) {
	for i, v := range all {
		r.Worlds[first+i] = Tally{N: int64(v[0]), Infos: v[1:]}
	}
}
