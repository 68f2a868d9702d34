package terms

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

func terminationTerms() []Term {
	return []Term{
		termination("time_out", timeOut, struct{}{}),
		termination("bad_orientation", badOrientation, orientationParameters{Limit: 1}),
	}
}

// timeOut ends the episode after the time that the key episode gives. It always truncates.
func timeOut(b *Binder, _ *struct{}) TerminationFunc {
	b.timeOut = true
	return nil
}

// TimeOut reports whether a time_out has been bound.
func (b *Binder) TimeOut() bool { return b.timeOut }

type orientationParameters struct {
	// Limit is the angle between the base's z axis and the vertical, rad.
	Limit float64 `yaml:"limit"`
}

// Check implements the check of parameters.
func (p *orientationParameters) Check(c *bounds.Check) { c.Above("limit", p.Limit, 0, math.Pi) }

// badOrientation ends the episode when the base leans too far:
//
//	acos(-g_z) > limit
//
// g is the projected gravity. Frame: base.
func badOrientation(b *Binder, p *orientationParameters) TerminationFunc {
	gravity := b.Quantity("projected_gravity")
	cos := math.Cos(p.Limit)
	return func(v *View) bool { return -v.At(gravity)[2] < cos }
}

func terminationExpression(b *Binder, _ *struct{}) TerminationFunc {
	e := b.Expression()
	if b.err == nil && (e.Size > 0 || !e.Bool) {
		b.Fail("expr", ": its value is %s, want true or false, such as base_height < 0.1", e.describe())
	}
	return func(v *View) bool { return e.Float(v) != 0 }
}
