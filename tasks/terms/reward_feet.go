package terms

import (
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

type airTimeParameters struct {
	contactParameters `yaml:",inline"`
	// Mode is landing, which counts feet that land, or air, which counts feet in the air.
	Mode string `yaml:"mode" want:"landing|air"`
	// Threshold is subtracted from the time in the air, s. Of mode landing.
	Threshold float64 `yaml:"threshold" want:"0..1e9"`
	// ThresholdMin is the time in the air above which a foot counts, s. Of mode air.
	ThresholdMin float64 `yaml:"threshold_min" want:"0..1e9"`
	// ThresholdMax is the time in the air below which a foot counts, s. Of mode air.
	ThresholdMax float64 `yaml:"threshold_max"`

	gateParameters `yaml:",inline"`
}

// landingMode is the mode of feet_air_time that counts feet that land.
const landingMode = "landing"

func (p *airTimeParameters) checkKeys(c *bounds.Check) {
	c.Number("threshold_max", p.ThresholdMax, p.ThresholdMin, maxValue)
}

// landings sums a value over the feet that land in this control step, after t s in the air.
func landings(feet *Feet, value func(v *View, foot int, t float64) float64) RewardFunc {
	_, landed := feet.Times()
	return func(v *View) float64 {
		sum := 0.0
		for i, t := range v.Slot(landed) {
			if t > 0 {
				sum += value(v, i, t)
			}
		}
		return sum
	}
}

// feetAirTime rewards long steps. With mode landing it counts each foot that lands in this control step, by how long
// it was in the air; with mode air it counts the feet that have been in the air for a while:
//
//	landing    Σ (T - threshold) over the feet that land
//	air        Σ 1 over the feet with threshold_min < T < threshold_max
//
// T is the time in the air, in whole control steps. Unit s, or 1. Isaac Lab has landing, with a command whose
// threshold is 0.1 m/s of √(c_x² + c_y²), so that it does not count while the robot turns on the spot; mjlab has air,
// with the threshold of both velocities that is used here.
func feetAirTime(b *Binder, p *airTimeParameters) RewardFunc {
	feet := b.Feet("feet", p.Feet, p.Force)
	if p.Mode == landingMode {
		return b.gate(&p.gateParameters, landings(feet, func(_ *View, _ int, t float64) float64 { return t - p.Threshold }))
	}
	air, _ := feet.Times()
	return b.gate(&p.gateParameters, func(v *View) float64 {
		sum := 0.0
		for _, t := range v.Slot(air) {
			sum += truth(longer(t, p.ThresholdMin) && longer(p.ThresholdMax, t))
		}
		return sum
	})
}

// longer reports whether a time, in s, is more than another by more than the rounding of a sum of control steps.
func longer(a, b float64) bool { return a-b > 1e-9 }

type slipParameters struct {
	contactParameters `yaml:",inline"`
	gateParameters    `yaml:",inline"`
}

// feetSlip is the squared horizontal velocity of the feet that are in contact:
//
//	Σ v_x² + v_y² over the feet in contact
//
// The contact is that in the newest substep, the velocity that at the end of the control step. Unit (m/s)². Frame:
// world. mjlab has the same; Isaac Lab's feet_slide takes the speed, not squared, and the largest contact force of the
// last substeps.
func feetSlip(b *Binder, p *slipParameters) RewardFunc {
	feet := b.Feet("feet", p.Feet, p.Force)
	contact, velocity := feet.Contact(), feet.Velocity()
	return b.gate(&p.gateParameters, sumOver(contact, func(v *View, i int, state float64) float64 {
		if state == 0 {
			return 0
		}
		return sumOfSquares(v.Values(velocity)[3*i : 3*i+2])
	}))
}

type clearanceParameters struct {
	feetParameters `yaml:",inline"`
	// TargetHeight is the height at which a moving foot should be, m above the ground.
	TargetHeight float64 `yaml:"target_height" want:"-1e9..1e9"`

	gateParameters `yaml:",inline"`
}

// feetClearance is how far moving feet are from the height at which they should swing:
//
//	Σ |z - target_height|·√(v_x² + v_y²)
//
// z is the height above the ground. Unit m²/s. Frame: world. mjlab has the same; Isaac Lab's tasks have exp(-Σ (z -
// target_height)²·tanh(k·√(v_x² + v_y²)) / std) as foot_clearance_reward.
func feetClearance(b *Binder, p *clearanceParameters) RewardFunc {
	feet := b.Feet("feet", p.Feet, 1)
	height, velocity := feet.Height(), feet.Velocity()
	return b.gate(&p.gateParameters, func(v *View) float64 {
		z, u := v.Values(height), v.Values(velocity)
		sum := 0.0
		for i := range feet.names {
			speed := math.Sqrt(sumOfSquares(u[3*i : 3*i+2]))
			sum += float64(math.Abs(z[i]-p.TargetHeight) * speed)
		}
		return sum
	})
}

type swingParameters struct {
	contactParameters `yaml:",inline"`
	// TargetHeight is the height that a foot should reach in a swing, m above the ground.
	TargetHeight float64 `yaml:"target_height" want:"above 0..1e9"`

	gateParameters `yaml:",inline"`
}

// feetSwingHeight is how far the feet that land in this control step were from the height that they should reach:
//
//	Σ (z_peak / target_height - 1)² over the feet that land
//
// z_peak is the largest height above the ground in the swing that ends, at the ends of control steps. Unit 1. mjlab has
// the same, and counts feet that stand when an episode begins as landing with a peak of 0.
func feetSwingHeight(b *Binder, p *swingParameters) RewardFunc {
	feet := b.Feet("feet", p.Feet, p.Force)
	peak := feet.Peak()
	return b.gate(&p.gateParameters, landings(feet, func(v *View, i int, _ float64) float64 {
		return square(v.Slot(peak)[i]/p.TargetHeight - 1)
	}))
}

// softLanding is the force with which feet land:
//
//	Σ |F| over the feet that land in this control step
//
// F is the net contact force in the newest substep. Unit N. mjlab has the same, and counts feet that stand when an
// episode begins as landing.
func softLanding(b *Binder, p *slipParameters) RewardFunc {
	feet := b.Feet("feet", p.Feet, p.Force)
	force := feet.Force()
	return b.gate(&p.gateParameters, landings(feet, func(v *View, i int, _ float64) float64 {
		return math.Sqrt(sumOfSquares(v.Values(force)[3*i : 3*i+3]))
	}))
}

type touchParameters struct {
	bodyParameters `yaml:",inline"`
	// Contact is the name of an entry of scene.contacts, whose contacts count in place of those of bodies.
	Contact string `yaml:"contact"`
	// Threshold is the net contact force on a body above which its contact counts, N.
	Threshold float64 `yaml:"threshold" want:"0..1e9"`
}

// undesiredContacts is the number of bodies that touched something in this control step:
//
//	Σ 1 over the bodies with max |F| > threshold
//
// F is the net contact force on the body, the maximum is over the substeps of the control step. Unit 1. Isaac Lab has
// the same, over the history of its contact sensor; mjlab has no such term.
func undesiredContacts(b *Binder, p *touchParameters) RewardFunc {
	peaks := b.contactPeaks(p)
	return sumOver(peaks, func(_ *View, _ int, force float64) float64 { return truth(force > p.Threshold) })
}

// contactPeaks returns the largest net contact force, N, on each of the bodies or on the primary geoms of the pair, in
// the substeps of the control step that ends now.
func (b *Binder) contactPeaks(p *touchParameters) Handle {
	var sources []string
	if p.Contact == "" {
		_, names := b.Select("bodies", "body", p.Bodies)
		sources = labels("contact/body/", names, "")
	} else {
		if p.Bodies != nil {
			b.Fail("contact", "and bodies are given, want one of them")
		}
		if !slices.Contains(b.Robot.Contacts, p.Contact) {
			b.Fail("contact", ": no pair %q in scene.contacts%s", p.Contact, spell.Hint(p.Contact, b.Robot.Contacts))
			return b.nothing(1)
		}
		sources = []string{"contact/pair/" + p.Contact}
	}
	return b.use(b.add(probeQuantity(fmt.Sprint("contact peaks of ", sources), len(sources), "", sources,
		func(v *View, probes []int, dst []float64) {
			beginning := v.NS() - v.StepOffsetNS()
			for i, n := range probes {
				largest := 0.0
				for lag := 0; ; lag++ {
					force, stamp := v.ProbeAt(n, lag)
					largest = max(largest, sumOfSquares(force[len(force)-3:])) // behind the number of a pair's contacts
					if stamp <= beginning {
						break
					}
				}
				dst[i] = math.Sqrt(largest)
			}
		})))
}

type collisionParameters struct {
	subtreeParameters `yaml:",inline"`
	// Threshold is the force of a contact above which it counts, N.
	Threshold float64 `yaml:"threshold" want:"0..1e9"`
}

// selfCollisionCost is the number of substeps of this control step in which the robot touched itself:
//
//	Σ 1 over the substeps with max |F| > threshold
//
// F is the force of a contact between two bodies that both are, or hang on, the body; the maximum is over these
// contacts. Unit 1. mjlab has the same, of the contacts that its sensor lists, with a force_threshold of 10 N; Isaac
// Lab has no such term.
func selfCollisionCost(b *Binder, p *collisionParameters) RewardFunc {
	source := ""
	if names := b.subtrees(p.Body); len(names) == 1 {
		source = "contact/within/" + names[0]
	} else {
		source = "contact/entity/" + b.Robot.Entities[b.subject().number]
	}
	within := b.probeNumber(source)
	return func(v *View) float64 {
		count, beginning := 0.0, v.NS()-v.StepOffsetNS()
		for lag := 0; ; lag++ {
			force, stamp := v.ProbeAt(within, lag)
			count += truth(force[0] > p.Threshold)
			if stamp <= beginning {
				return count
			}
		}
	}
}
