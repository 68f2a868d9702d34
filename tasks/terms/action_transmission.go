package terms

import "math"

type actuatorControlParameters struct {
	// Actuators are patterns of the names of actuators of any kind; the keys of scale and
	// offset are patterns of these names, too.
	Actuators Patterns `yaml:"actuators"`
}

// actuatorControl sets the control of actuators that the terms above do not take: those of
// tendons, muscles, sites and so on, and those of another kind:
//
//	control = offset + scale·a
//
// Unit that of the actuator's control: m or rad for a servo of a tendon, a share of the excitation for a muscle.
// For tendons, sites and muscles there are terms of their own, see tendon_length, site_effort and muscle_excitation.
func actuatorControl(b *Binder, p *actuatorControlParameters) *Action {
	t := &targets{b: b, ActionKeys: b.entry.Common.(*ActionKeys), kind: "actuator"}
	if t.Joints != nil {
		b.Fail("joints", "is given, want actuators")
	}
	all := b.Robot.Actuators
	index, names := b.Select("actuators", "actuator", p.Actuators)
	for n, i := range index {
		t.names = append(t.names, names[n])
		t.drive(&all[i], OtherActuator, math.Inf(-1), math.Inf(1))
	}
	t.shape()
	return t.action(nil)
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
	var candidates []int
	var names []string
	subject := b.subject()
	for i, a := range b.Robot.Actuators {
		if a.Kind != kind || by != "" && a.Transmission != by || a.Entity != subject.number {
			continue
		}
		name := a.Target
		if by == "" {
			name = a.Name
		}
		candidates, names = append(candidates, i), append(names, name)
	}
	what := by + " with an actuator of type " + kind.String()
	if by == "" {
		what = kind.String()
	}
	if candidates == nil {
		b.Fail("", ": %s has no %s", subject, what)
	}
	selection := make([]int, len(candidates))
	for i := range selection {
		selection[i] = i
	}
	if patterns != nil {
		var err error
		if selection, err = choose(what, patterns, names); err != nil {
			b.Fail(key, "%w", err)
		}
	}
	for _, i := range selection {
		a := &b.Robot.Actuators[candidates[i]]
		t.names = append(t.names, a.Name)
		t.drive(a, kind, math.Inf(-1), math.Inf(1))
	}
	t.shape()
	return t.action(nil)
}
