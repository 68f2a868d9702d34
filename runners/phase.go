package runners

import (
	"fmt"
	"slices"
	"strings"
)

// Phase is the part of an instant in which a binding runs. Phases run in the order declared here.
type Phase uint8

const (
	// Acquisition reads sensors, computes reward, termination and observation, and ends with the sync points.
	Acquisition Phase = iota
	// Control chooses and writes actions; a recorder after the controller records the actions of the same instant.
	Control
	// Physics integrates.
	Physics
	// Validation checks the new state.
	Validation
	// Export hands results to other programs.
	Export

	numPhases
)

// Aliases of the phases, after the lifecycle callbacks of scripting engines. OnFreePreUpdate and OnFreePostUpdate
// are not phases: they run outside the simulated clock; see Settings.
const (
	OnPreUpdate     = Acquisition
	OnUpdate        = Control
	OnPhysicsUpdate = Physics
	OnLateUpdate    = Validation
	OnPostUpdate    = Export
)

var lifecycleNames = [numPhases]string{"OnPreUpdate", "OnUpdate", "OnPhysicsUpdate", "OnLateUpdate", "OnPostUpdate"}

var phaseNames = [numPhases]string{"Acquisition", "Control", "Physics", "Validation", "Export"}

// String returns the phase's name.
func (p Phase) String() string { return nameOf("Phase", phaseNames[:], uint8(p)) }

// MarshalText returns the phase's name; an unknown phase is an error.
func (p Phase) MarshalText() ([]byte, error) { return textOf("phase", phaseNames[:], uint8(p)) }

// UnmarshalText reads a phase's name or alias in any case of letters.
func (p *Phase) UnmarshalText(text []byte) error {
	i, err := indexOf("phase", phaseNames[:], text)
	if err != nil {
		if alias, none := indexOf("", lifecycleNames[:], text); none == nil {
			i, err = alias, nil
		} else if name := strings.ToLower(string(text)); name == "onfreepreupdate" || name == "onfreepostupdate" {
			err = fmt.Errorf("phase is %q, a free update outside the clock, want one of %s", text,
				strings.Join(phaseNames[:], ", "))
		}
	}
	if err == nil {
		*p = Phase(i)
	}
	return err
}

// nameOf returns the name of a value of a type.
func nameOf(typ string, names []string, i uint8) string {
	if int(i) >= len(names) {
		return fmt.Sprintf("%s(%d)", typ, i)
	}
	return names[i]
}

// textOf is nameOf for a configuration, in which the value is called what.
func textOf(what string, names []string, i uint8) ([]byte, error) {
	if int(i) >= len(names) {
		return nil, fmt.Errorf("%s is %d, want one of %s", what, i, strings.Join(names, ", "))
	}
	return []byte(names[i]), nil
}

// indexOf is the inverse of textOf.
func indexOf(what string, names []string, text []byte) (int, error) {
	i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, string(text)) })
	if i < 0 {
		return 0, fmt.Errorf("%s is %q, want one of %s", what, text, strings.Join(names, ", "))
	}
	return i, nil
}
