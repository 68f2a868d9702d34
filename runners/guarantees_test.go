package runners

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The guarantees of a time manager about every simulation step, as far as the comparison
// with exact rationals does not show them.

func mustCompile(t testing.TB, runners []Runner, bindings []Binding) *Schedule {
	t.Helper()
	return polytest.Must(Compile(runners, bindings))(t)
}

// defaults are the two runners of a new scene.
func defaults() []Runner {
	return []Runner{{Name: "Robot", Rate: Hz(50)}, {Name: "Capture", Rate: Hz(30)}}
}

// A day walked instant by instant: every runner fires exactly its rate times
// 86,400, each of its steps begins where its last one ended, and the day holds
// 520 instants a second.
func TestADayWalkedIsExactLong(t *testing.T) {
	seconds := int64(24 * 3600)
	if !polytest.Slow(t) {
		seconds = 600
	}
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	end := seconds * nsPerSecond
	var fired, sum [3]int64
	instants := int64(0)
	c := s.Start()
	for ; c.NS() < end; c.Next() {
		instants++
		for id := range runners {
			if !c.Fired().Has(ID(id)) {
				continue
			}
			step := c.Step(ID(id))
			if step.K != fired[id] || sum[id] != c.NS() {
				t.Fatalf("%s at %d ns: boundary %d after %d steps that add up to %d ns", runners[id].Name, c.NS(), step.K,
					fired[id], sum[id])
			}
			fired[id]++
			sum[id] += step.DT
		}
	}
	if c.NS() != end || instants != 520*seconds {
		t.Errorf("walked %d instants to %d ns, want %d to %d", instants, c.NS(), 520*seconds, end)
	}
	for id, r := range runners {
		if fired[id] != r.Rate.Num()*seconds || sum[id] != end {
			t.Errorf("%s fired %d times over %d ns, want %d over %d", r.Name, fired[id], sum[id], r.Rate.Num()*seconds, end)
		}
	}
}

// "At a shared step, callbacks interleave by phase, then by priority. Never
// one whole runner after the other." The seed's example: a controller on
// Robot, a recorder on Capture that captures what the controller just wrote.
func TestGuaranteeSharedStepsInterleaveByPhaseThenPriority(t *testing.T) {
	bindings := []Binding{
		{Name: "recorder", Runner: "Capture", Phase: Control, Priority: 100},
		{Name: "capture physics", Runner: "Capture", Phase: Physics, Priority: -1},
		{Name: "OnLateUpdate", Runner: "Robot", Phase: Validation},
		{Name: "robot physics", Runner: "Robot", Phase: Physics},
		{Name: "OnUpdate", Runner: "Robot", Phase: Control, Priority: -200},
		{Name: "late controller", Runner: "Robot", Phase: Control, Priority: 200},
	}
	s := mustCompile(t, defaults(), bindings)
	alone := []string{"OnUpdate", "late controller", "robot physics", "OnLateUpdate"}
	shared := []string{"OnUpdate", "recorder", "late controller", "capture physics", "robot physics", "OnLateUpdate"}
	for c := s.Start(); c.NS() <= 300e6; c.Next() {
		want := alone
		switch {
		case c.NS()%100e6 == 0:
			want = shared
		case c.Fired().Has(1):
			want = []string{"recorder", "capture physics"}
		}
		var got []string
		for _, call := range c.Calls() {
			got = append(got, bindings[call].Name)
		}
		polytest.EqualSlices(t, got, want, "%d ns", c.NS())
	}
}

// Ties are broken stably by order of registration, across runners.
func TestTiesKeepTheOrderOfRegistration(t *testing.T) {
	var bindings []Binding
	for i := range 60 { // long enough for an unstable sort to show
		bindings = append(bindings, Binding{
			Name: string(rune('A' + i)), Runner: defaults()[(i/3)%2].Name, Phase: Control, Priority: i % 2,
		})
	}
	s := mustCompile(t, defaults(), bindings)
	c := s.Start()
	for i, call := range c.Calls() {
		want := uint16(2 * i)
		if i >= 30 {
			want = uint16(2*(i-30) + 1)
		}
		if call != want {
			t.Fatalf("call %d is binding %d, want %d", i, call, want)
		}
	}
}

// No shared boundary is split in two: each beat is one instant, at which both
// runners fire, and nothing else lies within 1 ns of it.
func TestSharedBoundariesAreNeverSplit(t *testing.T) {
	for _, c := range []struct {
		a, b  Rate
		beat  Rate
		count int64 // instants in a beat
	}{
		{Hz(200), Hz(60), Hz(20), 12},
		{Hz(50), Hz(30), Hz(10), 7},
		{Hz(500), Hz(30), Hz(10), 52},
		{Rate{2997, 100}, Hz(50), Rate{1, 100}, 2997 + 5000 - 1},
		{Rate{30000, 1001}, Rate{60000, 1001}, Rate{30000, 1001}, 2},
	} {
		s := mustCompile(t, runnersAt(c.a, c.b), nil)
		if got, ok := s.BeatRate(); got != c.beat || !ok {
			t.Errorf("%v with %v Hz: beat %v, want %v", c.a, c.b, got, c.beat)
		}
		cursor := s.Start()
		last, beats := int64(-2), int64(0)
		for i := range 100_000 {
			if cursor.NS()-last < 2 {
				t.Fatalf("%v with %v Hz: instants at %d and %d ns", c.a, c.b, last, cursor.NS())
			}
			last = cursor.NS()
			if cursor.Sync() != (cursor.Fired() == 0b11) {
				t.Fatalf("%v with %v Hz at %d ns: sync %v, fired %b", c.a, c.b, last, cursor.Sync(), cursor.Fired())
			}
			if cursor.Sync() {
				if want := c.beat.Timestamp(beats); last != want || int64(i) != beats*c.count {
					t.Fatalf("%v with %v Hz: beat %d is instant %d at %d ns, want %d and %d", c.a, c.b, beats, i, last,
						beats*c.count, want)
				}
				beats++
			}
			cursor.Next()
		}
	}
}

// Instants 1 ns apart are told apart and kept in order also after 146 years,
// where a float64 of seconds is 1 µs from the next.
func TestNanosecondsAreToldApartAfterACentury(t *testing.T) {
	s := mustCompile(t, runnersAt(Hz(500_000_000), Hz(1_000_000_000)), nil)
	c := polytest.Must(s.Resume(0, 0, 1<<61))(t)
	for i := range int64(100) {
		if want := int64(1<<62) + i; c.NS() != want || c.Fired().Has(0) != (i%2 == 0) || !c.Fired().Has(1) {
			t.Fatalf("instant %d at %d ns fired %b, want %d", i, c.NS(), c.Fired(), want)
		}
		c.Next()
	}
}
