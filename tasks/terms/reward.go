package terms

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

func rewardTerms() []Term {
	return []Term{
		reward("track_lin_vel_xy_exp", trackLinVelXYExp, trackParameters{Command: "velocity", Std: 0.5}),
	}
}

type trackParameters struct {
	// Command is the name of a velocity command.
	Command string `yaml:"command"`
	// Std is the error at which the reward falls to 1/e, m/s or rad/s.
	Std float64 `yaml:"std"`
}

// Check implements the check of parameters.
func (p *trackParameters) Check(c *bounds.Check) { c.Above("std", p.Std, 0, 1e6) }

// trackLinVelXYExp rewards following the commanded horizontal velocity:
//
//	exp(-((c_x - v_x)² + (c_y - v_y)²) / std²)
//
// Unit 1, 0 to 1. Frame: base. Isaac Lab has the same; mjlab's track_linear_velocity adds
// v_z² to the error.
func trackLinVelXYExp(b *Binder, p *trackParameters) RewardFunc {
	command, velocity := b.Command("command", p.Command, 3), b.Quantity("base_lin_vel")
	return func(v *View) float64 {
		c, u := v.At(command), v.At(velocity)
		x, y := c[0]-u[0], c[1]-u[1]
		return math.Exp(-(float64(x*x) + float64(y*y)) / (p.Std * p.Std))
	}
}

func rewardExpression(b *Binder, _ *struct{}) RewardFunc {
	e := b.Expression()
	if e.Size > 0 {
		b.Fail("expr", ": its value is a vector of %d, want a number; sum, mean and norm make one", e.Size)
	}
	return e.Float
}
