package terms

import "github.com/polyrhythm-rl/polyrhythm/internal/bounds"

// actionTerms are the terms of actions, in the order of the page.
var actionTerms = []Term{
	term("joint_position", jointPosition, jointPositionParameters{DefaultOffset: true}),
	term("relative_joint_position", relativeJointPosition, struct{}{}),
	term("joint_velocity", jointVelocity, struct{}{}),
	term("joint_effort", jointEffort, struct{}{}),
	term("actuator_control", actuatorControl, actuatorControlParameters{}),
	term("differential_ik", differentialIK, ikParameters{FrameType: "body", UseRelativeMode: true, DeltaPosScale: 1,
		DeltaOriScale: 1, Damping: 0.05, MaxDq: 0.5, PositionWeight: 1, OrientationWeight: 1}),
	term("binary_joint_position", binaryJointPosition, gripperParameters{}),
	term("binary_joint_velocity", binaryJointVelocity, gripperParameters{}),
	term("gripper_position", gripperPosition, gripperParameters{}),
	term("tendon_length", tendonLength, tendonActionParameters{}),
	term("tendon_velocity", tendonVelocity, tendonActionParameters{}),
	term("tendon_effort", tendonEffort, tendonActionParameters{}),
	term("site_effort", siteEffort, siteEffortParameters{}),
	term("muscle_excitation", muscleExcitation, muscleParameters{}),
}

// Action is a bound action term: a part of the action vector.
type Action struct {
	Names     []string  // names of its values
	Low, High []float64 // bounds of its values; values beyond are clipped before Apply

	// Apply puts the values in force by writing v.Control().
	Apply func(v *View, action []float64)
}

// ActionKeys are the keys of each entry of actions.
type ActionKeys struct {
	// Joints are patterns of the names of actuated joints; all if not given.
	Joints Patterns `yaml:"joints"`
	// Clip holds the bounds of each value of the action. Values beyond are clipped.
	Clip Range `yaml:"clip"`
	// Scale is the change of the target for an action of 1.
	Scale PerJoint `yaml:"scale"`
	// Offset is added to the target.
	Offset PerJoint `yaml:"offset"`
	// Limits are the lowest and the highest target. If they are not given, targets of positions have the range of the
	// joint. The range of the actuator's control, divided by its gear, always holds.
	Limits *Range `yaml:"limits"`
	// Filter smooths the targets.
	Filter filterParameters `yaml:"filter"`
	// Delay is the number of control steps for which a target waits before it is in
	// force, or a lowest and a highest number, of which each episode draws one.
	Delay Delay `yaml:"delay"`
}

type filterParameters struct {
	// Cutoff is the frequency in Hz at which a low-pass filter of the first order halves
	// the power: the coefficient is then 1 - exp(-2π cutoff dt). 0: no filter.
	Cutoff float64 `yaml:"cutoff" want:"0..1e6"`
	// Coefficient is the part of the way to the new target that each control step goes, in place of a cutoff.
	Coefficient float64 `yaml:"coefficient" want:"0..1"`
}

func (p *ActionKeys) checkKeys(c *bounds.Check) {
	if p.Clip[0] == p.Clip[1] {
		c.Fail("clip is [%v, %v], want the lower first", p.Clip[0], p.Clip[1])
	}
	if p.Filter.Cutoff > 0 && p.Filter.Coefficient > 0 {
		c.Fail("filter has a cutoff and a coefficient, want one of them")
	}
}

// KeepActions makes the worlds keep the latest three actions, whose values have the given
// names, and returns where, the newest first. It is called after all actions are bound.
func (b *Binder) KeepActions(names []string) (slots [3]Slot) {
	b.actionNames = names
	for i, name := range []string{"action", "last_action", "last_last_action"} {
		slots[i] = b.Memory(len(names))
		doc := []string{"the action in force, within its bounds", "the action before it", "the action before that"}[i]
		b.add(memoryQuantity(name, len(names), "1", doc, slots[i]))
	}
	return slots
}

type jointPositionParameters struct {
	// DefaultOffset adds the position of the start pose to the target.
	DefaultOffset bool `yaml:"default_offset"`
	// Command is the name of a motion command, whose positions are added to the target in place of the start pose.
	Command string `yaml:"command"`
	// Reference is an expression whose values, one for each joint, are added to the target: the gait of a generator of
	// trajectories, say, which the action then modulates.
	Reference string `yaml:"reference"`
}

// jointPosition sets the target positions of position actuators:
//
//	target = start + reference + offset + scale·a
//
// a is the action, clipped; start is the position of the joint in the start pose, if default_offset is true. The
// target is then kept within the limits, passes the filter and waits for the delay.
//
// Unit rad or m at the joint: the control is the gear of the actuator times the target, here and wherever targets are
// positions or velocities. If an event gives the encoders a bias, it is subtracted from the target,
// because a robot regulates what it measures. mjlab does the same; Isaac Lab has no such
// bias. Neither has command, with which an action of 0 follows a motion, nor reference (Iscen et al. 2018, "Policies
// Modulating Trajectory Generators"). In both peers clip bounds the target, not the action, and the range of the
// joint does not bound the target. Here it does, if the model has one and limits gives no other.
func jointPosition(b *Binder, p *jointPositionParameters) *Action {
	t := newTargets(b, PositionActuator)
	var addend func(v *View, dst []float64)
	switch n := len(t.joints); {
	case p.Command != "" && p.Reference != "":
		b.Fail("reference", "is given beside command, want one of them")
	case p.Command != "":
		addend = copyQuantity(b.motionJoints(p.Command, t.joints))
	case p.Reference != "":
		e := b.formula("reference", p.Reference)
		if e.Size != n || e.Bool {
			b.Fail("reference", ": its value is %s, want a list of %d numbers, one for each joint", e, n)
		}
		addend = func(v *View, dst []float64) { e.vector(v, dst, v.scratch[n:]) }
		b.plan.scratch = max(b.plan.scratch, n+e.Scratch)
	}
	if p.Command == "" && p.DefaultOffset {
		for i, start := range b.Start(t.joints) {
			t.offset[i] += start
		}
	}
	t.bias = b.encoderBiases(t.joints)
	return t.action(addend)
}

// relativeJointPosition sets the target positions of position actuators relative to where
// the joints are at the start of the control step:
//
//	target = position + offset + scale·a
//
// Unit rad or m. Both peers add the position of the joint anew at each physics step, so
// their target moves within a control step. Here it does not. mjlab takes no offset.
func relativeJointPosition(b *Binder, _ *struct{}) *Action {
	t := newTargets(b, PositionActuator)
	return t.action(copyQuantity(b.JointValues("joint_pos", t.joints)))
}

// jointVelocity sets the target velocities of velocity actuators:
//
//	target = offset + scale·a
//
// Unit rad/s or m/s. The limits are those given, since models have no range of velocity.
func jointVelocity(b *Binder, _ *struct{}) *Action {
	return newTargets(b, VelocityActuator).action(nil)
}

// jointEffort sets the control of actuators that exert a torque or a force:
//
//	control = offset + scale·a
//
// Unit N·m or N for an actuator with a gear of 1; the torque at the joint is the gear times the control.
func jointEffort(b *Binder, _ *struct{}) *Action {
	return newTargets(b, EffortActuator).action(nil)
}
