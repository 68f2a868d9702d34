package gymnasium

import (
	"maps"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// findFields sets the spans of a model's fields by their names.
func findFields(m physics.Model, spans map[string]*physics.Span) error {
	for _, name := range slices.Sorted(maps.Keys(spans)) {
		span, err := m.Field(name)
		if err != nil {
			return err
		}
		*spans[name] = span
	}
	return nil
}

// singles rounds bounds to single precision, as the spaces of Gymnasium have
// them.
func singles(values ...float64) []float64 {
	for i, v := range values {
		values[i] = float64(float32(v))
	}
	return values
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func clip(v float64) float64 { return min(max(v, -1), 1) }

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
