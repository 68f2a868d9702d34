package sensors

import (
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/digest"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/pointmass"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// filledBank returns a bank of two worlds with a Motion and a Force channel at boundary
// 7, whose samples are all different.
func filledBank(t *testing.T) *Bank {
	t.Helper()
	m := pointmass.New(0.002)
	suite, err := Compile(m, runners.Hz(500), []runners.Runner{{Name: "sensor", Rate: runners.Hz(500)}}, []Channel{
		{Name: "position", Runner: "sensor", Sources: []string{"position"}},
		{Name: "acceleration", Runner: "sensor", Sources: []string{"acceleration"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := physics.NewRows(m, 2, physics.Outputs{Probes: suite.Probes()}, suite.Slots(3))
	bank := suite.NewBank(rows)
	for i := range rows.Samples {
		rows.Samples[i] = float64(i)
	}
	for id := range 2 {
		bank.Reset(id, 1, uint64(id), uint64(id))
		for k := range int64(8) {
			rows.Boundary[id] = k
			now := instantOf(suite, k)
			bank.Sample(0, id, now)
			bank.Sample(1, id, now)
		}
	}
	return bank
}

func hashOf(b *Bank, id int) uint64 {
	var h digest.Hash
	h.Start()
	b.Hash(&h, id)
	return h.Sum()
}

func TestStateMovesBetweenWorlds(t *testing.T) {
	b := filledBank(t)
	want := hashOf(b, 0)
	if hashOf(b, 1) == want {
		t.Fatal("two worlds with different samples have the same hash")
	}
	state := b.AppendState([]byte("before"), 0)
	if string(state[:6]) != "before" || len(state) != 6+b.StateBytes() {
		t.Fatalf("%d bytes appended, want %d", len(state)-6, b.StateBytes())
	}
	polytest.NoError(t, b.SetState(1, state[6:]))
	if hashOf(b, 1) != want || hashOf(b, 0) != want {
		t.Error("a world restored from another's state has another hash")
	}
	if again := b.AppendState(nil, 1); string(again) != string(state[6:]) {
		t.Error("AppendState after SetState differs from the state that was set")
	}
}

func TestSetStateRefusesAndChangesNothing(t *testing.T) {
	b := filledBank(t)
	good := b.AppendState(nil, 0)
	counts := 8 * (rootWords + b.rows.SampleSize)
	negative := func(offset int) []byte {
		bad := append([]byte(nil), good...)
		bad[offset+7] |= 0x80
		return bad
	}
	for name, c := range map[string]struct {
		state []byte
		want  string
	}{
		"short":    {good[:len(good)-1], "bytes long, want 584"},
		"count":    {negative(counts + 8), "the number of samples of channel 1 is -9223372036854775800, want at least 0"},
		"boundary": {negative(counts + 16 + 8), "the substep boundary of a sample is -9223372036854775804, want at least 0"},
	} {
		before := hashOf(b, 1)
		if err := b.SetState(1, c.state); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		polytest.Equal(t, hashOf(b, 1), before, "%s: a refused state changed the world", name)
	}
}

// The hash covers the values that readers can see, and no values of a failed call or
// of an action that is yet to be chosen.
func TestHashCoversWhatCanBeRead(t *testing.T) {
	b := filledBank(t)
	want := hashOf(b, 0)
	newest := b.rows.Boundary[0]
	for k := max(0, newest-int64(b.rows.Slots)+1); k <= newest; k++ {
		for i := range b.rows.SampleSize {
			value := &b.rows.Sample(0, k)[i]
			old := *value
			*value = math.Nextafter(old, 1e9)
			// Values 0 and 1 are the position, 2 and 3 the acceleration.
			readable := k < newest || i < 2
			if (hashOf(b, 0) != want) != readable {
				t.Errorf("value %d of boundary %d: readable %t, in the hash %t", i, k, readable, !readable)
			}
			*value = old
		}
	}
	polytest.Equal(t, hashOf(b, 0), want, "the hash differs after the values were restored")
}
