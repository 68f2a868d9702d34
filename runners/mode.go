package runners

import (
	"fmt"
	"strings"
)

// Mode is the relation of a Driver's timeline to the wall clock.
type Mode uint8

const (
	// SimRealtime is deterministic and never ahead of the wall clock; under load it
	// slows down instead of skipping. It is the default.
	SimRealtime Mode = iota
	// SimHighPerformance is deterministic, as fast as the machine allows, and
	// never reads the wall clock.
	SimHighPerformance
	// GameRealtime follows the wall clock and, when the machine cannot keep up,
	// skips whole control intervals. It counts each skip and reports it to the
	// Driven, so that the run can be replayed. It is not deterministic.
	GameRealtime

	numModes
)

var modeNames = [numModes]string{"sim_realtime", "sim_high_performance", "game_realtime"}

// Deterministic reports whether the instants that fire, and their order, depend only
// on the schedule.
func (m Mode) Deterministic() bool { return m == SimRealtime || m == SimHighPerformance }

// String returns the mode's name in a configuration.
func (m Mode) String() string {
	if m >= numModes {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return modeNames[m]
}

// MarshalText returns the mode's name; an unknown mode is an error.
func (m Mode) MarshalText() ([]byte, error) {
	if m >= numModes {
		return nil, fmt.Errorf("mode is %d, want one of %s", uint8(m), strings.Join(modeNames[:], ", "))
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads a mode's name in any case of letters.
func (m *Mode) UnmarshalText(text []byte) error {
	for i, name := range modeNames {
		if strings.EqualFold(name, string(text)) {
			*m = Mode(i)
			return nil
		}
	}
	return fmt.Errorf("mode is %q, want one of %s", text, strings.Join(modeNames[:], ", "))
}
