package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// halving is successive halving (Jamieson and Talwalkar, "Non-stochastic Best Arm
// Identification and Hyperparameter Optimization", 2016), with the numbers of a bracket of
// Hyperband (Li et al., "Hyperband", 2018, algorithm 1, lines 3 to 9): of n trials, the
// points of Halton, ⌊n η⁻ⁱ⌋ are trained in rung i, from 0 to s, up to η^(i-s) of their
// steps. Those of the next rung are the best of this one. A trial that failed does not go
// on.
type halving struct {
	all   []Job // of the first rung
	eta   int
	last  int // the last rung, s
	rung  int // the one that was asked for
	asked []Job
}

// newHalving returns the search.
func newHalving(over []Range, o SearchOptions) (Search, error) {
	if o.Eta != 0 && (o.Eta < 2 || o.Eta > MaxTrials) {
		return nil, fmt.Errorf("eta is %d, want 2 to %d, or 0 for 3", o.Eta, MaxTrials)
	}
	h := &halving{eta: cmp.Or(o.Eta, 3), rung: -1}
	for n := o.Trials; n >= h.eta; n /= h.eta {
		h.last++
	}
	if o.Rungs < 0 || o.Rungs > h.last+1 {
		return nil, fmt.Errorf("rungs is %d, want at most %d for %d trials of which one in %d goes on, or 0 for that", o.Rungs, h.last+1, o.Trials, h.eta)
	}
	if o.Rungs > 0 {
		h.last = o.Rungs - 1
	}
	h.all = haltonJobs(over, o.Trials, o.Seed)
	for i := range h.all {
		h.all[i].Part = h.part(0)
	}
	return h, nil
}

// part returns the part of the training up to which rung i goes.
func (h *halving) part(i int) float64 { return math.Pow(float64(h.eta), float64(i-h.last)) }

// size returns how many trials rung i has, if none fails.
func (h *halving) size(i int) int {
	n := len(h.all)
	for range i {
		n /= h.eta
	}
	return n
}

// Size implements [Search].
func (h *halving) Size() (trials int, trainings float64) {
	before := 0.0
	for i := range h.last + 1 {
		trainings += float64(h.size(i)) * (h.part(i) - before)
		before = h.part(i)
	}
	return len(h.all), trainings
}

// Next implements [Search].
func (h *halving) Next(losses []float64) []Job {
	h.rung++
	if h.rung == 0 {
		h.asked = h.all
		return h.asked
	}
	if h.rung > h.last {
		return nil
	}
	order := make([]int, 0, len(h.asked))
	for i := range h.asked {
		if !math.IsInf(losses[i], 1) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(losses[a], losses[b]) })
	order = order[:min(len(order), h.size(h.rung))]
	slices.Sort(order)
	var next []Job
	for _, i := range order {
		job := h.asked[i]
		job.Part = h.part(h.rung)
		next = append(next, job)
	}
	h.asked = next
	return next
}
