package worlds

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// boundRecorder records two worlds in two tables.
func boundRecorder(t testing.TB, returns *Returns) *Recorder {
	t.Helper()
	suite := polytest.Must(sensors.Compile(pointmass.New(0.01), runners.Hz(100), nil, nil))(t)
	c, err := New(sim.Spec{ObservationSize: 3, ActionSize: 1}, suite, Selection{
		Tables: []TableRates{{format.CaptureTable, Rates{{0, runners.Hz(30)}}},
			{format.ControlTable, Rates{{0, runners.Hz(50)}}}},
		Control: Rates{{0, runners.Hz(50)}},
		Returns: returns,
	})
	polytest.NoError(t, err)
	w := polytest.Must(recorder.Create(t.TempDir(), c.Tables(), 1, format.Metadata{}, recorder.Options{}))(t)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	c.Bind(w, sim.Slice{To: 2}, 1)
	return c
}

// occupy gives world 0 some of everything that its recorder can keep, with or
// without a row of the first table that waits for its episode's end.
func occupy(c *Recorder, waits bool) {
	for i, t := range c.rates {
		p := &t.progress[0]
		p.tally = tally{1.5 + float64(i), 3, 7}
		wait := func(key recorder.Key) format.Row {
			start := len(p.rows)
			p.keys, p.rows = append(p.keys, key), t.layout.Extend(p.rows)
			return t.layout.Row(p.rows[start:])
		}
		if c.returns != nil {
			for n := range int64(3) {
				wait(recorder.Key{N: n, OffsetNS: 2 * n}).Int(t.layout.Column("t_ns"), n)
			}
		}
		if waits && i == 0 {
			wait(recorder.Key{N: int64(len(p.keys)), OffsetNS: 6}).Float(t.layout.Column("reward"), 2.5)
			p.hasHeldRow, p.ns, p.heldTally = true, 8, tally{9, 10, 11}
		}
	}
}

func TestPositionMovesBetweenWorlds(t *testing.T) {
	for _, waits := range []bool{true, false} {
		for _, returns := range []*Returns{nil, {0, 1}} {
			c := boundRecorder(t, returns)
			occupy(c, waits)
			state := c.AppendState([]byte("before"), 0)
			polytest.NoError(t, c.SetState(1, state[6:]))
			polytest.EqualSlices(t, c.AppendState(nil, 1), state[6:],
				"a row waits %t: the state is another one after it was set", waits)
			for i, table := range c.rates {
				got, want := &table.progress[1], &table.progress[0]
				if got.tally != want.tally || got.hasHeldRow != (waits && i == 0) || len(got.keys) != len(want.keys) {
					t.Errorf("a row waits %t: world 1 has %+v, want %+v", waits, got, want)
				}
				for i, key := range got.keys {
					if key.World != 1 || key.N != int64(i) {
						t.Errorf("a row waits %t: kept row %d has the key %+v", waits, i, key)
					}
				}
				// They are copies.
				clear(want.rows)
			}
			polytest.EqualSlices(t, c.AppendState(nil, 1), state[6:],
				"a row waits %t: two worlds share their rows", waits)
		}
	}
}

func TestPositionErrors(t *testing.T) {
	all, keeping := boundRecorder(t, nil), boundRecorder(t, &Returns{0, 1})
	occupy(all, true)
	occupy(keeping, false)
	waiting, kept := all.AppendState(nil, 0), keeping.AppendState(nil, 0)
	other := slices.Clone(waiting)
	other[8*3]++ // number of rows that are held
	more := slices.Clone(kept)
	more[8*8]++ // number of kept rows
	for _, c := range []struct {
		name    string
		capture *Recorder
		state   []byte
		want    string
	}{
		{"nothing", all, nil, `table "capture": state ends early`},
		{"cut", all, waiting[:len(waiting)-1], `table "control": state ends early`},
		{"longer", all, append(all.AppendState(nil, 1), 1), "1 bytes of state after"},
		{"kept", all, kept, "3 rows wait for their episode's return"},
		{"another row", all, other, "2 are held"},
		{"more rows", keeping, more, "4 waiting rows of"},
	} {
		before := c.capture.AppendState(nil, 1)
		if err := c.capture.SetState(1, c.state); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		polytest.EqualSlices(t, c.capture.AppendState(nil, 1), before,
			"%s: a refused state changed the recorder", c.name)
	}
}

// A state that is cut or changed anywhere is refused or read, and never more.
func FuzzPosition(f *testing.F) {
	c := boundRecorder(f, &Returns{0, 1})
	occupy(c, true)
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
