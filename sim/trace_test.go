package sim_test

import (
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// What was noted before a runner left, and the IDs of others went down, keeps its runner's name.
func TestTraceAcrossChangesOfRunners(t *testing.T) {
	var fired []firing
	noted := &sim.Trace{Events: 10_000}
	run := newSetup(t, recordingSetup(&fired, func(s *setup) { s.Trace = noted }))
	mustChange(t, run, 10, runners.RemoveBinding{Name: "recorder"}, runners.RemoveRunner{Name: "Capture"})
	trace(t, run, 40, 40)
	var out strings.Builder
	polytest.NoError(t, noted.WriteJSON(&out))
	for _, want := range []string{`"Acquisition: Sensors 500 Hz"`, `"Control: Capture 30 Hz"`,
		`"runners":["Robot","Capture","Sensors"]`, `"runners":["Robot","Sensors"]`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the trace does not hold %s", want)
		}
	}
}
