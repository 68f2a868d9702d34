package terms

import (
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// View is what the closures of terms see: one world at one instant, and the values of the
// quantities that they asked for. A block has one, which is used for one callback after
// the other, so a view and the slices of its methods are valid during a call only.
type View struct {
	*sim.World

	quantities []float64 // values of all quantities of the task; those of this callback are up to date
	offset     int64     // difference of the numbers of control steps, see NewBinder

	scratch []float64 // memory of expressions and of other computations
	places  []Handle  // places of the quantities of the expression that is evaluated, by their number in its scope
}

// RunStep is the number of control steps that the run, and the one that it continues or
// evaluates, had taken when this step began. Curricula depend on it.
func (v *View) RunStep() int64 { return v.World.RunStep() + v.offset }

// Handle is the place of a quantity in a [View].
type Handle struct{ offset, size int32 }

// Values returns the values of a quantity.
func (v *View) Values(h Handle) []float64 {
	return v.quantities[h.offset : h.offset+h.size : h.offset+h.size]
}

// part is the place of the values from one index to before another.
func (h Handle) part(first, end int32) Handle { return Handle{h.offset + first, end - first} }

// Scalar returns the first value of a quantity.
func (v *View) Scalar(h Handle) float64 { return v.quantities[h.offset] }

// probe returns the newest values of a probe, by its number in [sim.World.Probe].
func (v *View) probe(n int) []float64 {
	values, _ := v.Probe(n)
	return values
}

// Quantity implements [expression.Frame] for the expression that is evaluated.
func (v *View) Quantity(i int) []float64 { return v.Values(v.places[i]) }

// Slot is a part of a world's memory, zero when an episode begins.
type Slot struct{ offset, size int32 }

// Slot returns the values of a slot, which the caller may change.
func (v *View) Slot(s Slot) []float64 {
	return v.Memory()[s.offset : s.offset+s.size : s.offset+s.size]
}

// LastingSlot returns the values of a slot of [Binder.Lasting], which the caller may change.
func (v *View) LastingSlot(s Slot) []float64 {
	return v.Lasting()[s.offset : s.offset+s.size : s.offset+s.size]
}

// Draw returns the random stream of a key at the world's control step: the same numbers
// in any run with the same seed. It is valid until the next draw.
func (v *View) Draw(key Key) *rand.Rand { return v.StepRandom(sim.Purpose(key)) }

// Key is the key of a random stream, see [Binder.Key].
type Key uint64

// Seconds is the time since the episode began.
func (v *View) Seconds() float64 { return float64(v.NS()) * 1e-9 }

// uniform draws evenly from a range.
func uniform(r *rand.Rand, limits Range) float64 {
	return limits[0] + float64((limits[1]-limits[0])*r.Float64())
}
