package format

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Bound is the lowest or highest that a value may be: infinite, in JSON a string, where there is no bound.
type Bound float64

var infinities = map[string]Bound{`"Infinity"`: Bound(math.Inf(1)), `"-Infinity"`: Bound(math.Inf(-1))}

// MarshalJSON writes a number, or the name of an infinity. It refuses NaN.
func (b Bound) MarshalJSON() ([]byte, error) {
	for text, v := range infinities {
		if b == v {
			return []byte(text), nil
		}
	}
	return json.Marshal(float64(b))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Bound) UnmarshalJSON(text []byte) error {
	v, ok := infinities[string(text)]
	if p := (*float64)(&v); !ok && (json.Unmarshal(text, &p) != nil || p == nil) {
		return fmt.Errorf(`bound is %s, want a number, "Infinity" or "-Infinity"`, text)
	}
	*b = v
	return nil
}

// Bounds returns the bounds of a space; nil if all are infinite.
func Bounds(limits []float64) []Bound {
	if !slices.ContainsFunc(limits, func(v float64) bool { return !math.IsInf(v, 0) }) {
		return nil
	}
	b := make([]Bound, len(limits))
	for i, v := range limits {
		b[i] = Bound(v)
	}
	return b
}
