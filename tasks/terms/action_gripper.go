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
	return t.bind([]string{b.entry.Head.Name}, func(_ *View, action, out []float64) {
		open := share(action[0], t.Clip[0], t.Clip[1])
		for i := range out {
			out[i] = float64(open*opened[i]) + float64((1-open)*closed[i])
		}
	})
}
