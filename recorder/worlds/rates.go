package worlds

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Rates is how often something happens: a rate from control step 0 on, and a later element for each change.
type Rates []RateFrom

// RateFrom is a rate that is adopted from a control step of the run on.
type RateFrom struct {
	N    int64
	Rate runners.Rate
}

// Add appends a rate that differs from the one before.
func (r Rates) Add(n int64, rate runners.Rate) Rates {
	if len(r) > 0 && r[len(r)-1].Rate == rate {
		return r
	}
	return append(r, RateFrom{n, rate})
}

// fastest returns the highest rate.
func (r Rates) fastest() runners.Rate {
	return slices.MinFunc(r, func(a, b RateFrom) int { return cmp.Compare(a.Rate.Seconds(), b.Rate.Seconds()) }).Rate
}

// describe returns the rate as the metadata state it, and a note for the description. A rate that changes is not
// stated: the note lists the rates, between the texts before and after.
func (r Rates) describe(before, after string) (rate, note string) {
	if len(r) == 1 {
		return r[0].Rate.String(), ""
	}
	note = before + "rate changes in mid-run: " + r[0].Rate.String()
	for _, v := range r[1:] {
		note += fmt.Sprintf(", %v from control step %d on", v.Rate, v.N)
	}
	return "", note + after
}
