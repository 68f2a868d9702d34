package terms

import (
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// gateParameters make a term count only while the robot is told to move.
type gateParameters struct {
	// Command is the name of a velocity command; the term counts always if not given.
	Command string `yaml:"command"`
	// CommandThreshold is the commanded speed, √(c_x² + c_y²) + abs(c_ω), above which the
	// term counts.
	CommandThreshold float64 `yaml:"command_threshold"`
}

func (p *gateParameters) check(c *bounds.Check) {
	c.Number("command_threshold", p.CommandThreshold, 0, maxValue)
}

// gate reports whether the commanded speed is above the threshold.
func (b *Binder) gate(p *gateParameters) func(v *View) bool {
	if p.Command == "" {
		return func(*View) bool { return true }
	}
	command := b.Command("command", p.Command, 3)
	return func(v *View) bool {
		c := v.At(command)
		return math.Sqrt(sumOfSquares(c[:2]))+math.Abs(c[2]) > p.CommandThreshold
	}
}

type airTimeParameters struct {
	// Feet are patterns of the names of bodies, geoms or sites: the first of these kinds
	// in which each pattern matches something.
	Feet Patterns `yaml:"feet"`
	// Force above which a foot is in contact, N.
	Force float64 `yaml:"force"`
	// Mode is landing, which counts feet that land, or air, which counts feet in the air.
	Mode string `yaml:"mode"`
	// Threshold is subtracted from the time in the air, s. Of mode landing.
	Threshold float64 `yaml:"threshold"`
	// ThresholdMin is the time in the air from which a foot counts, s. Of mode air.
	ThresholdMin float64 `yaml:"threshold_min"`
	// ThresholdMax is the time in the air up to which a foot counts, s. Of mode air.
	ThresholdMax float64 `yaml:"threshold_max"`

	gateParameters `yaml:",inline"`
}

// The modes of feet_air_time.
const (
	landingMode = "landing"
	airMode     = "air"
)

// Check implements the check of parameters.
func (p *airTimeParameters) Check(c *bounds.Check) {
	c.Number("force", p.Force, 0, maxValue)
	c.OneOf("mode", p.Mode, landingMode, airMode)
	c.Number("threshold", p.Threshold, 0, maxValue)
	c.Number("threshold_min", p.ThresholdMin, 0, maxValue)
	c.Number("threshold_max", p.ThresholdMax, p.ThresholdMin, maxValue)
	p.check(c)
}

// feetAirTime rewards long steps. With mode landing it counts each foot that lands in
// this control step, by how long it was in the air; with mode air it counts the feet that
// have been in the air for a while:
//
//	landing    Σ (T - threshold) over the feet that land
//	air        Σ 1 over the feet with threshold_min < T < threshold_max
//
// T is the time in the air, in whole control steps. Unit s, or 1. Isaac Lab has landing,
// with a command whose threshold is 0.1 m/s of √(c_x² + c_y²), so that it does not count
// while the robot turns on the spot; mjlab has air, with the threshold of both velocities
// that is used here.
func feetAirTime(b *Binder, p *airTimeParameters) RewardFunc {
	feet := b.Feet("feet", p.Feet, p.Force)
	t, moving := feet.Times(), b.gate(&p.gateParameters)
	return func(v *View) float64 {
		if !moving(v) {
			return 0
		}
		sum := 0.0
		if p.Mode == landingMode {
			last := v.Kept(t.LastAir)
			for i, touched := range v.Kept(t.Touched) {
				if touched != 0 {
					sum += last[i] - p.Threshold
				}
			}
			return sum
		}
		for _, air := range v.Kept(t.Air) {
			if air > p.ThresholdMin && air < p.ThresholdMax {
				sum++
			}
		}
		return sum
	}
}

type slipParameters struct {
	// Feet are patterns of the names of bodies, geoms or sites: the first of these kinds
	// in which each pattern matches something.
	Feet Patterns `yaml:"feet"`
	// Force above which a foot is in contact, N.
	Force float64 `yaml:"force"`

	gateParameters `yaml:",inline"`
}

// Check implements the check of parameters.
func (p *slipParameters) Check(c *bounds.Check) {
	c.Number("force", p.Force, 0, maxValue)
	p.check(c)
}

// feetSlip is the squared horizontal velocity of the feet that are in contact:
//
//	Σ v_x² + v_y² over the feet in contact
//
// Unit (m/s)². Frame: world. mjlab has the same; Isaac Lab's feet_slide takes the speed,
// not squared, and the largest contact force of the last substeps.
func feetSlip(b *Binder, p *slipParameters) RewardFunc {
	feet := b.Feet("feet", p.Feet, p.Force)
	contact, velocity, moving := feet.Contact(), feet.Velocity(), b.gate(&p.gateParameters)
	return func(v *View) float64 {
		if !moving(v) {
			return 0
		}
		u := v.At(velocity)
		sum := 0.0
		for i, on := range v.At(contact) {
			if on != 0 {
				sum += sumOfSquares(u[3*i : 3*i+2])
			}
		}
		return sum
	}
}

type clearanceParameters struct {
	// Feet are patterns of the names of bodies, geoms or sites: the first of these kinds
	// in which each pattern matches something.
	Feet Patterns `yaml:"feet"`
	// TargetHeight is the height at which a moving foot should be, m in the world.
	TargetHeight float64 `yaml:"target_height"`

	gateParameters `yaml:",inline"`
}

// Check implements the check of parameters.
func (p *clearanceParameters) Check(c *bounds.Check) {
	c.Number("target_height", p.TargetHeight, -maxValue, maxValue)
	p.check(c)
}

// feetClearance is how far moving feet are from the height at which they should swing:
//
//	Σ |z - target_height|·√(v_x² + v_y²)
//
// Unit m²/s. Frame: world. mjlab has the same, with the height above the ground; Isaac Lab's
// tasks have exp(-Σ (z - target_height)²·tanh(k·√(v_x² + v_y²)) / std) as
// foot_clearance_reward.
func feetClearance(b *Binder, p *clearanceParameters) RewardFunc {
	feet := b.Feet("feet", p.Feet, 1)
	position, velocity, moving := feet.Position(), feet.Velocity(), b.gate(&p.gateParameters)
	n := feet.Len()
	return func(v *View) float64 {
		if !moving(v) {
			return 0
		}
		at, u := v.At(position), v.At(velocity)
		sum := 0.0
		for i := range n {
			speed := math.Sqrt(sumOfSquares(u[3*i : 3*i+2]))
			sum += float64(math.Abs(at[3*i+2]-p.TargetHeight) * speed)
		}
		return sum
	}
}

type touchParameters struct {
	// Bodies are patterns of body names.
	Bodies Patterns `yaml:"bodies"`
	// Threshold is the net contact force on a body above which its contact counts, N.
	Threshold float64 `yaml:"threshold"`
}

// Check implements the check of parameters.
func (p *touchParameters) Check(c *bounds.Check) { c.Number("threshold", p.Threshold, 0, maxValue) }

// undesiredContacts is the number of bodies that touched something in this control step:
//
//	Σ 1 over the bodies with max |F| > threshold
//
// F is the net contact force on the body, the maximum is over the substeps of the control
// step. Unit 1. Isaac Lab has the same, over the history of its contact sensor; mjlab's
// self_collision_cost counts substeps.
func undesiredContacts(b *Binder, p *touchParameters) RewardFunc {
	peaks := b.contactPeaks(b.Bodies("bodies", p.Bodies))
	return func(v *View) float64 {
		sum := 0.0
		for _, force := range v.At(peaks) {
			if force > p.Threshold {
				sum++
			}
		}
		return sum
	}
}

// contactPeaks returns the largest net contact force, N, on each of a list of bodies in
// the substeps of the control step that ends now.
func (b *Binder) contactPeaks(bodies []int) Handle {
	name := fmt.Sprint("contact peaks of ", bodies)
	return b.use(b.add(quantity{name: name, size: len(bodies), bind: func(b *Binder) func(*View, []float64) {
		var probes []int
		for _, i := range bodies {
			probes = append(probes, b.probeNumber("contact/body/"+b.Robot.Bodies[i].Name))
		}
		return func(v *View, dst []float64) {
			begun := v.NS() - v.StepOffsetNS()
			for i, n := range probes {
				largest := 0.0
				for back := 0; ; back++ {
					force, stamp := v.ProbeAt(n, back)
					largest = max(largest, sumOfSquares(force))
					if stamp <= begun {
						break
					}
				}
				dst[i] = math.Sqrt(largest)
			}
		}
	}}))
}
