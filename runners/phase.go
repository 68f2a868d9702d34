package runners

import (
	"fmt"
	"strings"
)

// Phase is the part of an instant in which a binding runs. Phases run in the
// order declared here, at every instant of every world.
type Phase uint8

const (
	// Acquisition reads sensors, computes reward, termination and observation, and
	// ends with the sync points.
	Acquisition Phase = iota
	// Control chooses and writes actions; a recorder after the controller records
	// the actions of the same instant.
	Control
	// Physics integrates.
	Physics
	// Validation checks the new state.
	Validation
	// Export hands results to other programs.
	Export

	numPhases
)

// Aliases of the phases, after the lifecycle callbacks of scripting engines.
// OnFreePreUpdate and OnFreePostUpdate are not phases: they run outside the simulated
// clock; see Settings.
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
func (p Phase) String() string {
	if p >= numPhases {
		return fmt.Sprintf("Phase(%d)", uint8(p))
	}
	return phaseNames[p]
}

// MarshalText returns the phase's name; an unknown phase is an error.
func (p Phase) MarshalText() ([]byte, error) {
	if p >= numPhases {
		return nil, fmt.Errorf("phase is %d, want one of %s", uint8(p), strings.Join(phaseNames[:], ", "))
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads a phase's name or alias in any case of letters.
func (p *Phase) UnmarshalText(text []byte) error {
	for i, name := range phaseNames {
		if strings.EqualFold(name, string(text)) || strings.EqualFold(lifecycleNames[i], string(text)) {
			*p = Phase(i)
			return nil
		}
	}
	if name := strings.ToLower(string(text)); name == "onfreepreupdate" || name == "onfreepostupdate" {
		return fmt.Errorf("phase is %q, a free update outside the clock, want one of %s", text, strings.Join(phaseNames[:], ", "))
	}
	return fmt.Errorf("phase is %q, want one of %s", text, strings.Join(phaseNames[:], ", "))
}
