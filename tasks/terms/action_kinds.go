package terms

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

type gripperParameters struct {
	// Open holds the targets of the open gripper, by patterns of joints.
	Open PerJoint `yaml:"open_command"`
	// Close holds those of the closed one.
	Close PerJoint `yaml:"close_command"`
}

func (p *gripperParameters) checkKeys(c *bounds.Check) {
	for key, value := range map[string]PerJoint{"open_command": p.Open, "close_command": p.Close} {
		if value == nil {
			c.Fail("%s: not given, want a number or a mapping of patterns of joint names to numbers", key)
		}
	}
}

// binaryJointPosition opens or closes a gripper, by one value, which sets the target positions of its joints:
//
//	target = close_command if a < 0, else open_command
//
// Unit rad or m. scale and offset have no meaning. The same in Isaac Lab; mjlab has no such term.
func binaryJointPosition(b *Binder, p *gripperParameters) *Action {
	return b.gripper(p, PositionActuator, func(a, _, _ float64) float64 { return truth(a >= 0) })
}

// binaryJointVelocity opens or closes a gripper by the target velocities of its joints, as binary_joint_position does
// by positions. Unit rad/s or m/s. The same in Isaac Lab; mjlab has no such term.
func binaryJointVelocity(b *Binder, p *gripperParameters) *Action {
	return b.gripper(p, VelocityActuator, func(a, _, _ float64) float64 { return truth(a >= 0) })
}

// gripperPosition opens a gripper as far as one value says, which sets the target positions of its joints:
//
//	target = close_command + (a - low) / (high - low)·(open_command - close_command)
//
// low and high are the bounds of clip. Unit rad or m. scale and offset have no meaning. The peers have no such term.
func gripperPosition(b *Binder, p *gripperParameters) *Action {
	return b.gripper(p, PositionActuator, func(a, low, high float64) float64 { return (a - low) / (high - low) })
}

// gripper returns an action of one value, of which a function makes the share of the open gripper.
func (b *Binder) gripper(p *gripperParameters, kind ActuatorKind, share func(a, low, high float64) float64) *Action {
	t := newTargets(b, kind)
	if t.Scale != any(1) || t.Offset != nil {
		b.Fail("scale", "or offset is given, want open_command and close_command")
	}
	opened := b.perName("open_command", p.Open, "joint", t.names, math.NaN())
	closed := b.perName("close_command", p.Close, "joint", t.names, math.NaN())
	for i, name := range t.names {
		if opened[i] != opened[i] || closed[i] != closed[i] {
			b.Fail("open_command", "or close_command has no value for joint %s", name)
		}
	}
	return t.driven([]string{b.entry.Head.Name}, func(_ *View, action, out []float64) {
		open := share(action[0], t.Clip[0], t.Clip[1])
		for i := range out {
			out[i] = float64(open*opened[i]) + float64((1-open)*closed[i])
		}
	})
}

type tendonActionParameters struct {
	// Tendons are patterns of the names of tendons that actuators pull; all if not given.
	Tendons Patterns `yaml:"tendons"`
}

// tendonLength sets the target lengths of position actuators of tendons:
//
//	target = offset + scale·a
//
// Unit m, or rad for a fixed tendon of hinges. The same in mjlab; Isaac Lab has no such term.
func tendonLength(b *Binder, p *tendonActionParameters) *Action {
	return b.transmission("tendon", "tendons", p.Tendons, PositionActuator)
}

// tendonVelocity sets the target velocities of velocity actuators of tendons:
//
//	target = offset + scale·a
//
// Unit m/s or rad/s. The same in mjlab; Isaac Lab has no such term.
func tendonVelocity(b *Binder, p *tendonActionParameters) *Action {
	return b.transmission("tendon", "tendons", p.Tendons, VelocityActuator)
}

// tendonEffort sets the control of actuators that pull tendons with a force:
//
//	control = offset + scale·a
//
// Unit N, or N·m for a fixed tendon of hinges, for a gear of 1. The same in mjlab; Isaac Lab has no such term.
func tendonEffort(b *Binder, p *tendonActionParameters) *Action {
	return b.transmission("tendon", "tendons", p.Tendons, EffortActuator)
}

type siteEffortParameters struct {
	// Sites are patterns of the names of sites at which actuators act; all if not given.
	Sites Patterns `yaml:"sites"`
}

// siteEffort sets the control of actuators that exert forces or torques at sites, such as the rotors of a drone:
//
//	control = offset + scale·a
//
// Unit N or N·m for a gear of 1, along the axes of the gear. The same in mjlab; Isaac Lab's thrusters are actions of
// their own.
func siteEffort(b *Binder, p *siteEffortParameters) *Action {
	return b.transmission("site", "sites", p.Sites, EffortActuator)
}

type muscleParameters struct {
	// Muscles are patterns of the names of muscles, which are actuators; all if not given.
	Muscles Patterns `yaml:"muscles"`
}

// muscleExcitation sets the excitation of muscles:
//
//	control = offset + scale·a
//
// Unit 1, 0 to 1 unless the model says otherwise: offset: 0.5, scale: 0.5 brings -1 to 1 there. The engine's
// dynamics of activation follow. The peers have no such term.
func muscleExcitation(b *Binder, p *muscleParameters) *Action {
	return b.transmission("", "muscles", p.Muscles, MuscleActuator)
}

// transmission returns an action of the actuators of a kind that act by a transmission, "" for any, on what patterns
// select by its name; of muscles the names are their own.
func (b *Binder) transmission(by, key string, patterns Patterns, kind ActuatorKind) *Action {
	t := &targets{b: b, ActionKeys: b.entry.Common.(*ActionKeys), kind: "actuator"}
	if t.Joints != nil {
		b.Fail("joints", "is given, want %s", key)
	}
	var fitting []int
	var names []string
	of := b.addressed()
	for i, a := range b.Robot.Actuators {
		if a.Kind != kind || by != "" && a.Transmission != by || a.Entity != of.number {
			continue
		}
		name := a.Target
		if by == "" {
			name = a.Name
		}
		fitting, names = append(fitting, i), append(names, name)
	}
	what := by + " with an actuator of type " + kind.String()
	if by == "" {
		what = kind.String()
	}
	if fitting == nil {
		b.Fail("", ": %s has no %s", of, what)
	}
	chosen := make([]int, len(fitting))
	for i := range chosen {
		chosen[i] = i
	}
	if patterns != nil {
		var err error
		if chosen, err = choose(what, patterns, names); err != nil {
			b.Fail(key, "%w", err)
		}
	}
	for _, i := range chosen {
		a := &b.Robot.Actuators[fitting[i]]
		t.names = append(t.names, a.Name)
		t.drive(a, kind, math.Inf(-1), math.Inf(1))
	}
	t.shape()
	return t.action(nil)
}
