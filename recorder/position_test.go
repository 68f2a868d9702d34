package recorder

import (
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// boundCapture is a capture of two worlds that fires in a phase.
func boundCapture(t *testing.T, phase runners.Phase) *Capture {
	t.Helper()
	suite, err := sensors.Compile(pointmass.New(0.01), runners.Hz(100), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCapture(sim.Spec{ObservationSize: 3, ActionSize: 1}, suite, runners.Hz(30), phase)
	w, err := Create(t.TempDir(), c.Tables(), 1, Metadata{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	c.Bind(w, 2, 1)
	return c
}

func TestPositionMovesBetweenWorlds(t *testing.T) {
	for _, phase := range []runners.Phase{runners.Acquisition, runners.Control} {
		c := boundCapture(t, phase)
		c.tally[0] = tally{reward: 1.5, steps: 3, rows: 7}
		if c.early {
			row := c.slots[0].blank(captureTable, &c.held[0].bytes)
			row.Float(colReward, 2.5)
			h := &c.held[0]
			h.waits, h.key, h.ns, h.since = true, Key{N: 5, OffsetNS: 6}, 8, tally{9, 10, 11}
		}
		state := c.AppendState([]byte("before"), 0)
		if err := c.SetState(1, state[6:]); err != nil {
			t.Fatal(err)
		}
		if c.tally[1] != c.tally[0] {
			t.Errorf("%v: tally %+v, want %+v", phase, c.tally[1], c.tally[0])
		}
		if c.early {
			got, want := c.held[1], c.held[0]
			if want.key.World = 1; !slices.Equal(got.bytes, want.bytes) || !got.waits || got.key != want.key || got.ns != want.ns || got.since != want.since {
				t.Errorf("waiting row %+v, want %+v", got, want)
			}
			// It is a copy.
			if clear(c.held[0].bytes); slices.Equal(got.bytes, c.held[0].bytes) {
				t.Error("two worlds share one waiting row")
			}
		}
	}
}

func TestPositionErrors(t *testing.T) {
	early, late := boundCapture(t, runners.Acquisition), boundCapture(t, runners.Control)
	early.slots[0].blank(captureTable, &early.held[0].bytes)
	early.held[0].waits = true
	waiting := early.AppendState(nil, 0)
	for _, c := range []struct {
		name    string
		capture *Capture
		state   []byte
		want    string
	}{
		{"nothing", late, nil, "state of 0 bytes"},
		{"cut", early, waiting[:len(waiting)-1], "a waiting row of"},
		{"longer", late, append(late.AppendState(nil, 0), 1), "a waiting row of 1 bytes"},
		{"waiting", late, waiting, "a row waits"},
	} {
		before := c.capture.AppendState(nil, 1)
		if err := c.capture.SetState(1, c.state); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if !slices.Equal(c.capture.AppendState(nil, 1), before) {
			t.Errorf("%s: a refused state changed the capture", c.name)
		}
	}
}
