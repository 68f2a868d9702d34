package runners

import (
	"cmp"
	"fmt"
	"slices"
)

// Role is what a binding does when it fires. A schedule has roles if one of its bindings has another than Callback. It
// is then one of worlds: it has one binding each of the roles Act, Integrate and Observe, enabled and in the phases
// Control, Physics and Acquisition. Act and Observe are on one runner, the control runner, and stay there. No binding
// that writes to physics, and no Latch, runs after physics.
type Role uint8

const (
	Callback  Role = iota // calls a function of whoever made the binding
	Act                   // puts the action in force; the controller, which always has Writes
	Integrate             // advances physics
	Observe               // reward, termination, observation
	Sense                 // takes a sensor channel
	Latch                 // latches the world at a beat
)

// takeRole gives an entry the role of the binding of its name among the first ones of its clock.
func (e *Entry) takeRole(first []Binding) {
	e.First = e.Index
	if e.First >= len(first) || first[e.First].Name != e.Name {
		e.First = slices.IndexFunc(first, func(b Binding) bool { return b.Name == e.Name })
	}
	e.Role, e.Channel, e.Substeps = Callback, 0, 0
	if e.First >= 0 {
		b := &first[e.First]
		e.Role, e.Channel, e.Substeps = b.Role, b.Channel, b.Substeps
	}
	e.Writes = e.Writes || e.Role == Act
}

// checkStays returns an error for a binding that cannot leave its runner.
func (b *Binding) checkStays() error {
	if b.Role == Act || b.Role == Observe {
		return fmt.Errorf("binding %q defines the control runner, want it left there; change the runner's rate instead",
			b.Name)
	}
	return nil
}

// resolveRoles finds what the roles define, and checks them.
func (s *Schedule) resolveRoles() error {
	if !slices.ContainsFunc(s.first, func(b Binding) bool { return b.Role != Callback }) {
		return nil
	}
	for i := range s.entries {
		e := &s.entries[i]
		if e.First < 0 {
			return fmt.Errorf("binding %q is new, want one that the run began with; begin with it disabled and enable it",
				e.Name)
		}
		if want := s.first[e.First].Beat; e.Beat != want {
			return fmt.Errorf("beat of binding %q is %t, want %t as when the run began", e.Name, e.Beat, want)
		}
	}
	act, err := s.unique(Act, "controller", Control)
	observe, err2 := s.unique(Observe, "observation", Acquisition)
	integrate, err3 := s.unique(Integrate, "physics", Physics)
	if err = cmp.Or(err, err2, err3); err != nil {
		return err
	}
	if act.ID != observe.ID {
		return fmt.Errorf("binding %q is on runner %q and %q on %q, want both on one, the control runner",
			observe.Name, observe.Runner, act.Name, act.Runner)
	}
	if integrate.Substeps < 1 {
		return fmt.Errorf("binding %q has %d substeps, want at least 1", integrate.Name, integrate.Substeps)
	}
	s.control, s.physics = act.ID, integrate
	if s.substep, err = integrate.Rate.Times(int64(integrate.Substeps)); err != nil {
		return fmt.Errorf("binding %q: %w", integrate.Name, err)
	}
	return s.placePhysics()
}

// placePhysics sets AfterPhysics of the entries. It returns an error when one runs after physics that needs the state
// of the instant.
func (s *Schedule) placePhysics() error {
	integrated := false
	for _, i := range s.order {
		e := &s.entries[i]
		e.AfterPhysics = integrated
		switch {
		case e.Role == Integrate:
			integrated = true
		case e.Writes && integrated:
			// It would write to a state that is already past the instant.
			return fmt.Errorf("binding %q writes to physics and is in phase %v with priority %d, after physics, "+
				"want an earlier phase or lower priority",
				e.Name, e.Phase, e.Priority)
		case e.Role == Latch && integrated:
			return fmt.Errorf("binding %q is in phase %v, after physics, want %v or %v",
				e.Name, e.Phase, Acquisition, Control)
		}
	}
	return nil
}

// unique returns the binding of a role that worlds have exactly once, and checks that it and its runner are enabled and
// that it is in the given phase.
func (s *Schedule) unique(role Role, what string, phase Phase) (*Entry, error) {
	var found *Entry
	for i := range s.entries {
		e := &s.entries[i]
		if e.Role != role {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("bindings %q and %q are both the %s, want one", found.Name, e.Name, what)
		}
		found = e
	}
	switch {
	case found == nil:
		return nil, fmt.Errorf("there is no %s binding, want one", what)
	case found.Disabled:
		return nil, fmt.Errorf("binding %q is disabled, want it enabled: it is the run's %s", found.Name, what)
	case !found.Enabled:
		return nil, fmt.Errorf("runner %q is disabled, want it enabled: binding %q on it is the run's %s",
			found.Runner, found.Name, what)
	case found.Phase != phase:
		return nil, fmt.Errorf("binding %q is in phase %v, want %v: it is the %s", found.Name, found.Phase, phase, what)
	}
	return found, nil
}

// Control returns the control runner, whose boundaries are the control instants; NoRunner without roles.
func (s *Schedule) Control() ID { return s.control }

// ControlRate returns the rate of control steps. It panics without roles.
func (s *Schedule) ControlRate() Rate { return s.rates[s.control] }

// Physics returns the binding of role Integrate, which the caller must not modify; nil without roles.
func (s *Schedule) Physics() *Entry { return s.physics }

// SubstepRate returns the rate of physics substeps; the zero Rate without roles.
func (s *Schedule) SubstepRate() Rate { return s.substep }
