package recorder

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// boundCapture is a capture of two worlds into two tables, the first of which is filled in a phase.
func boundCapture(t *testing.T, phase runners.Phase, returns *Returns) *Capture {
	t.Helper()
	suite, err := sensors.Compile(pointmass.New(0.01), runners.Hz(100), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCapture(sim.Spec{ObservationSize: 3, ActionSize: 1}, suite, Selection{
		Tables:  []TableBinding{{CaptureTable, runners.Hz(30), phase}, {ControlTable, runners.Hz(50), runners.Control}},
		Control: runners.Hz(50),
		Returns: returns,
	})
	if err != nil {
		t.Fatal(err)
	}
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

// occupy gives world 0 something of everything that its capture can keep.
func occupy(c *Capture) {
	for i, t := range c.rates {
		p := &t.progress[0]
		p.tally = tally{reward: 1.5 + float64(i), steps: 3, rows: 7}
		if t.early {
			c.blockWriters[0].blank(t.index, &p.held.bytes).Float(t.columns.reward, 2.5)
			h := &p.held
			h.waits, h.key, h.ns, h.since = true, Key{N: 5, OffsetNS: 6}, 8, tally{9, 10, 11}
		}
		if c.returns != nil {
			l := c.blockWriters[0].layout(t.index)
			for n := range int64(3) {
				Row{l, p.kept.begin(l, Key{N: n, OffsetNS: 2 * n})}.Int(t.columns.time, n)
			}
		}
	}
}

func TestPositionMovesBetweenWorlds(t *testing.T) {
	for _, phase := range []runners.Phase{runners.Acquisition, runners.Control} {
		for _, returns := range []*Returns{nil, {0, 1}} {
			c := boundCapture(t, phase, returns)
			occupy(c)
			state := c.AppendState([]byte("before"), 0)
			if err := c.SetState(1, state[6:]); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(c.AppendState(nil, 1), state[6:]) {
				t.Errorf("%v: the state is another one after it was set", phase)
			}
			for _, table := range c.rates {
				got, want := &table.progress[1], &table.progress[0]
				if got.tally != want.tally || got.held.waits != table.early || len(got.kept.keys) != len(want.kept.keys) {
					t.Errorf("%v: world 1 has %+v, want %+v", phase, got, want)
				}
				for i, key := range got.kept.keys {
					if key.World != 1 || key.N != int64(i) {
						t.Errorf("%v: kept row %d has the key %+v", phase, i, key)
					}
				}
				// They are copies.
				clear(want.kept.data)
				clear(want.held.bytes)
			}
			if !bytes.Equal(c.AppendState(nil, 1), state[6:]) {
				t.Errorf("%v: two worlds share their rows", phase)
			}
		}
	}
}

func TestPositionErrors(t *testing.T) {
	early, late := boundCapture(t, runners.Acquisition, nil), boundCapture(t, runners.Control, nil)
	keeping := boundCapture(t, runners.Control, &Returns{0, 1})
	occupy(early)
	occupy(keeping)
	waiting, kept := early.AppendState(nil, 0), keeping.AppendState(nil, 0)
	other := slices.Clone(waiting)
	other[8*3]++ // bytes of the waiting row
	more := slices.Clone(kept)
	more[8*10]++ // number of kept rows
	for _, c := range []struct {
		name    string
		capture *Capture
		state   []byte
		want    string
	}{
		{"nothing", late, nil, `table "capture": state ends 8 bytes early`},
		{"cut", early, waiting[:len(waiting)-1], `table "control": state ends 1 bytes early`},
		{"longer", late, append(late.AppendState(nil, 0), 1), "1 bytes of state after"},
		{"waiting", late, waiting, "a row waits"},
		{"kept", late, kept, "3 rows wait for their episode's return"},
		{"another row", early, other, "a waiting row of"},
		{"more rows", keeping, more, "4 waiting rows of"},
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

// A state that is cut or changed anywhere is refused or read, and never more.
func FuzzPosition(f *testing.F) {
	suite, err := sensors.Compile(pointmass.New(0.01), runners.Hz(100), nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	c, err := NewCapture(sim.Spec{ObservationSize: 1, ActionSize: 1}, suite, Selection{
		Tables: []TableBinding{{CaptureTable, runners.Hz(30), runners.Acquisition}}, Control: runners.Hz(50), Returns: &Returns{0, 1},
	})
	if err != nil {
		f.Fatal(err)
	}
	w, err := Create(f.TempDir(), c.Tables(), 1, Metadata{}, Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(w.Abort)
	c.Bind(w, 2, 1)
	occupy(c)
	f.Add(c.AppendState(nil, 0))
	f.Add(c.AppendState(nil, 1))
	f.Fuzz(func(t *testing.T, state []byte) {
		if err := c.SetState(1, state); err != nil {
			return
		}
		again := c.AppendState(nil, 1)
		if err := c.SetState(1, again); err != nil || !bytes.Equal(c.AppendState(nil, 1), again) {
			t.Errorf("%x was read and cannot be read again: %v", state, err)
		}
	})
}
