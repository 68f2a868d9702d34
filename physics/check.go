package physics

import "fmt"

// CheckCall panics unless the arguments of a Step (or, with nil n, a Forward)
// are as [Stepper] demands. An engine calls it first, since C does not check. worlds and out are those
// that the stepper was made for, stateSize is the model's.
func (r *Rows) CheckCall(worlds, stateSize int, out Sizes, ids, n []int32) {
	if len(ids) > worlds {
		panic(fmt.Sprintf("physics: %d worlds in a call, the stepper has %d", len(ids), worlds))
	}
	if got := (Sizes{r.SampleSize, r.DerivedSize, r.ParameterSize}); r.StateSize != stateSize || got != out {
		panic(fmt.Sprintf("physics: rows of %d state, %d sample, %d derived and %d "+
			"parameter values, want %d, %d, %d and %d",
			r.StateSize, got.Sample, got.Derived, got.Parameter, stateSize, out.Sample, out.Derived, out.Parameter))
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
			panic(fmt.Sprintf("physics: world %d: %d substeps, want 0 to %d (one less than the slots)",
				ids[i], k, r.Slots-1))
		}
	}
}

// CheckTape panics unless the arguments of an engine's bare loop fit worlds worlds of
// m, and returns the number of steps: controls are steps × worlds × ControlSize;
// resets, unless nil, steps × worlds, each -1 or one of the state rows in rows.
func CheckTape(m Model, worlds int, controls []float64, resets []int32, rows []float64) (steps int) {
	step := worlds * m.ControlSize()
	if step == 0 || len(controls)%step != 0 {
		panic(fmt.Sprintf("physics: tape of %d controls, want a multiple of %d (worlds × control size)",
			len(controls), step))
	}
	steps = len(controls) / step
	if resets != nil && len(resets) != steps*worlds {
		panic(fmt.Sprintf("physics: %d resets for %d steps of %d worlds", len(resets), steps, worlds))
	}
	known := len(rows) / m.StateSize()
	for i, row := range resets {
		if row < -1 || int(row) >= known {
			panic(fmt.Sprintf("physics: resets[%d] is row %d, want -1 or one of %d rows", i, row, known))
		}
	}
	return steps
}
