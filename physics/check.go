package physics

import "fmt"

// CheckCall panics unless the arguments of a Step (or, with nil n, a Forward)
// are as [Stepper] demands: for an engine to call first, since what follows is
// often C. worlds is the stepper's, stateSize, sampleSize and derivedSize are those
// it was made for.
func (r *Rows) CheckCall(worlds, stateSize, sampleSize, derivedSize int, ids, n []int32) {
	if len(ids) > worlds {
		panic(fmt.Sprintf("physics: %d worlds in a call, the stepper has %d", len(ids), worlds))
	}
	if r.StateSize != stateSize || r.SampleSize != sampleSize || r.DerivedSize != derivedSize {
		panic(fmt.Sprintf("physics: rows of %d state, %d sample and %d derived values, want %d, %d and %d",
			r.StateSize, r.SampleSize, r.DerivedSize, stateSize, sampleSize, derivedSize))
	}
	previous := int32(-1)
	for _, id := range ids {
		if id <= previous || int(id) >= r.Worlds {
			panic(fmt.Sprintf("physics: world %d after %d, want ascending ids below %d", id, previous, r.Worlds))
		}
		previous = id
	}
	if n == nil {
		return
	}
	if len(n) != len(ids) {
		panic(fmt.Sprintf("physics: %d substep counts for %d worlds", len(n), len(ids)))
	}
	for i, k := range n {
		if k < 0 || int(k) >= r.Slots {
			panic(fmt.Sprintf("physics: world %d: %d substeps, want 0 to %d (one less than the slots)", ids[i], k, r.Slots-1))
		}
	}
}
