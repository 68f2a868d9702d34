package format

import (
	"encoding/json"
	"fmt"
	"math"
)

// Bound is the lowest or highest that a value may be. Where there is no bound it is infinite, which is a string in JSON.
type Bound float64

// The infinite bounds in JSON.
const (
	positiveInfinity = "Infinity"
	negativeInfinity = "-Infinity"
)

// MarshalJSON writes a number, or the name of an infinity.
func (b Bound) MarshalJSON() ([]byte, error) {
	switch v := float64(b); {
	case math.IsNaN(v):
		return nil, fmt.Errorf("a bound is NaN, want a number")
	case math.IsInf(v, 1):
		return json.Marshal(positiveInfinity)
	case math.IsInf(v, -1):
		return json.Marshal(negativeInfinity)
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Bound) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"` + positiveInfinity + `"`:
		*b = Bound(math.Inf(1))
	case `"` + negativeInfinity + `"`:
		*b = Bound(math.Inf(-1))
	default:
		var v *float64
		if err := json.Unmarshal(text, &v); err != nil || v == nil {
			return fmt.Errorf("bound is %s, want a number, %q or %q", text, positiveInfinity, negativeInfinity)
		}
		*b = Bound(*v)
	}
	return nil
}

// Bounds returns the bounds of a space; nil if all are infinite.
func Bounds(of []float64) []Bound {
	some := false
	b := make([]Bound, len(of))
	for i, v := range of {
		b[i] = Bound(v)
		some = some || !math.IsInf(v, 0)
	}
	if !some {
		return nil
	}
	return b
}
