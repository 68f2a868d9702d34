package runners

// Mode is the relation of a Driver's timeline to the wall clock.
type Mode uint8

const (
	// SimRealtime is deterministic and never ahead of the wall clock; under load it slows down instead of skipping.
	SimRealtime Mode = iota
	// SimHighPerformance is deterministic, as fast as the machine allows, and never reads the wall clock.
	SimHighPerformance
	// GameRealtime follows the wall clock and, when the machine cannot keep up, skips whole control intervals. It tells
	// the Driven of each, so that the run can be replayed. It is not deterministic.
	GameRealtime

	numModes
)

var modeNames = [numModes]string{"sim_realtime", "sim_high_performance", "game_realtime"}

// String returns the mode's name in a configuration.
func (m Mode) String() string { return nameOf("Mode", modeNames[:], uint8(m)) }

// MarshalText returns the mode's name; an unknown mode is an error.
func (m Mode) MarshalText() ([]byte, error) { return textOf("mode", modeNames[:], uint8(m)) }

// UnmarshalText reads a mode's name in any case of letters.
func (m *Mode) UnmarshalText(text []byte) error {
	i, err := indexOf("mode", modeNames[:], text)
	if err == nil {
		*m = Mode(i)
	}
	return err
}
