package worlds

import (
	"fmt"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Rates is how often something happens in the course of a run: a rate from control step 0 on, and a later element for each
// change.
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
	best := r[0].Rate
	for _, v := range r[1:] {
		if v.Rate.Seconds() < best.Seconds() {
			best = v.Rate
		}
	}
	return best
}

// describe returns the rate as the metadata state it, and a note with which the description ends. A rate that changes is not
// stated: the note lists the rates. sentence says that the description consists of sentences.
func (r Rates) describe(sentence bool) (rate, note string) {
	if len(r) == 1 {
		return r[0].Rate.String(), ""
	}
	parts := []string{r[0].Rate.String()}
	for _, v := range r[1:] {
		parts = append(parts, fmt.Sprintf("%v from control step %d on", v.Rate, v.N))
	}
	if sentence {
		return "", " Its rate changes in mid-run: " + strings.Join(parts, ", ") + "."
	}
	return "", "; its rate changes in mid-run: " + strings.Join(parts, ", ")
}
