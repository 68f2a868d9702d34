package runners

import (
	"os"
	"slices"
	"testing"
)

// The time manager makes four guarantees about every simulation step; each has
// its test here, and with it the pictures that explain them.

// brief reports whether to leave out what takes long, unless POLYTEST_SLOW=1 asks
// for it.
func brief() bool { return os.Getenv("POLYTEST_SLOW") != "1" }

func mustCompile(t testing.TB, runners []Runner, bindings []Binding) *Schedule {
	t.Helper()
	s, err := Compile(runners, bindings)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// defaults are the two runners of a new scene.
func defaults() []Runner {
	return []Runner{{Name: "Robot", Rate: Hz(50)}, {Name: "Capture", Rate: Hz(30)}}
}

// "All runners share one timeline. Runners cannot drift apart." After 24
// simulated hours the steps of each runner add up to the same instant, to the
// nanosecond.
func TestGuaranteeAllRunnersShareOneTimeline(t *testing.T) {
	runners, bindings := quadruped()
	const seconds = 24 * 3600
	for _, rowLimit := range []int{0, maxRows} {
		s, err := compile(runners, bindings, rowLimit)
		if err != nil {
			t.Fatal(err)
		}
		for id, r := range runners {
			k := r.Rate.Num() * seconds
			// the last step of the day begins one dt before its end
			c, err := s.At(ID(id), k-1)
			if err != nil {
				t.Fatal(err)
			}
			if step := c.Step(ID(id)); step.NS+step.DT != seconds*nsPerSecond {
				t.Errorf("%s: the last step of the day ends at %d ns, want %d", r.Name, step.NS+step.DT, int64(seconds*nsPerSecond))
			}
			for c.NS() < seconds*nsPerSecond {
				c.Next()
			}
			end, err := s.At(ID(id), k)
			if err != nil || c != end || c.NS() != seconds*nsPerSecond || !c.Sync() || c.Fired() != 0b111 {
				t.Errorf("%s: walked to %+v, jumped to %+v (%v); want both at the beat of %d ns", r.Name, c, end, err, int64(seconds*nsPerSecond))
			}
			for other, o := range runners {
				if step := end.Step(ID(other)); step.K != o.Rate.Num()*seconds || step.NS != seconds*nsPerSecond {
					t.Errorf("after 24 h %s stands at boundary %d, %d ns; want %d, %d", o.Name, step.K, step.NS, o.Rate.Num()*seconds, int64(seconds*nsPerSecond))
				}
			}
		}
	}
}

// A day walked instant by instant: every runner fires exactly its rate times
// 86,400, each of its steps begins where its last one ended, and the day holds
// 520 instants a second.
func TestADayWalkedIsExact(t *testing.T) {
	seconds := int64(24 * 3600)
	if brief() {
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
				t.Fatalf("%s at %d ns: boundary %d after %d steps that add up to %d ns", runners[id].Name, c.NS(), step.K, fired[id], sum[id])
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

// "Only runners that crossed a boundary fire callbacks."
func TestGuaranteeOnlyRunnersThatCrossedABoundaryFire(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	c := s.Start()
	for range 1000 {
		for id := range s.runners {
			on := c.Alpha(ID(id)) == 0
			if c.Fired().Has(ID(id)) != on {
				t.Fatalf("%d ns: %s fires: %v, on a boundary: %v", c.NS(), s.runners[id].Name, !on, on)
			}
		}
		for _, call := range c.Calls() {
			if id := s.owners[call]; id != NoRunner && !c.Fired().Has(id) || id == NoRunner && !c.Sync() {
				t.Fatalf("%d ns: %s is called and its runner does not fire", c.NS(), s.bindings[call].Name)
			}
		}
		// and every binding of a runner that fires is called
		for i, id := range s.owners {
			if called := slices.Contains(c.Calls(), uint16(i)); c.Fired().Has(id) && !called {
				t.Fatalf("%d ns: %s is not called", c.NS(), s.bindings[i].Name)
			}
		}
		c.Next()
	}
}

// "Phases always run in order. Acquisition first, Export last." The bindings
// are registered against that order, with priorities against it.
func TestGuaranteePhasesAlwaysRunInOrder(t *testing.T) {
	var bindings []Binding
	for p := Export; ; p-- {
		for _, r := range defaults() {
			bindings = append(bindings, Binding{Name: r.Name + p.String(), Runner: r.Name, Phase: p, Priority: -int(p)})
		}
		bindings = append(bindings, Binding{Name: "beat" + p.String(), Phase: p, Priority: -100, Beat: true})
		if p == Acquisition {
			break
		}
	}
	s := mustCompile(t, defaults(), bindings)
	c := s.Start()
	for range 100 {
		wants := 0
		if c.Fired().Has(0) {
			wants += 5
		}
		if c.Fired().Has(1) {
			wants += 5
		}
		if c.Sync() {
			wants += 5
		}
		if len(c.Calls()) != wants {
			t.Fatalf("%d ns: %d calls, want %d", c.NS(), len(c.Calls()), wants)
		}
		last := Acquisition
		for _, call := range c.Calls() {
			if p := bindings[call].Phase; p < last {
				t.Fatalf("%d ns: %s runs after phase %s", c.NS(), bindings[call].Name, last)
			} else {
				last = p
			}
		}
		c.Next()
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
		if !slices.Equal(got, want) {
			t.Errorf("%d ns: %q, want %q", c.NS(), got, want)
		}
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

// The seeds' picture of one cycle of the default runners.
func TestPictureOfOneCycle(t *testing.T) {
	s := mustCompile(t, defaults(), nil)
	if n, ok := s.InstantsPerBeat(); n != 7 || !ok {
		t.Errorf("%d instants a beat (stored: %v), want 7", n, ok)
	}
	want := []struct {
		ns    int64
		fired Mask
	}{
		{0, 0b11}, {20000000, 0b01}, {33333333, 0b10}, {40000000, 0b01}, {60000000, 0b01},
		{66666666, 0b10}, {80000000, 0b01}, {100000000, 0b11}, {120000000, 0b01},
	}
	c := s.Start()
	for _, w := range want {
		if c.NS() != w.ns || c.Fired() != w.fired || c.Sync() != (w.fired == 0b11) {
			t.Errorf("at %d ns %02b fired, sync %v; want %d ns, %02b", c.NS(), c.Fired(), c.Sync(), w.ns, w.fired)
		}
		c.Next()
	}
}

// No shared boundary is split in two: each beat is one instant, at which both
// runners fire, and nothing else lies within 1 ns of it.
func TestSharedBoundariesAreNeverSplit(t *testing.T) {
	for _, c := range []struct {
		a, b  Rate
		beat  Rate
		count int // instants in a beat
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
		if n, ok := s.InstantsPerBeat(); n != c.count || !ok {
			t.Errorf("%v with %v Hz: %d instants a beat, want %d", c.a, c.b, n, c.count)
		}
		cursor := s.Start()
		last, beats := int64(-2), int64(0)
		for range 100_000 {
			if cursor.NS()-last < 2 {
				t.Fatalf("%v with %v Hz: instants at %d and %d ns", c.a, c.b, last, cursor.NS())
			}
			last = cursor.NS()
			if cursor.Sync() != (cursor.Fired() == 0b11) {
				t.Fatalf("%v with %v Hz at %d ns: sync %v, fired %b", c.a, c.b, last, cursor.Sync(), cursor.Fired())
			}
			if cursor.Sync() {
				if want := c.beat.Timestamp(beats); last != want {
					t.Fatalf("%v with %v Hz: beat %d at %d ns, want %d", c.a, c.b, beats, last, want)
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
	for _, rowLimit := range []int{0, maxRows} {
		s, err := compile(runnersAt(Hz(500_000_000), Hz(1_000_000_000)), nil, rowLimit)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.At(0, 1<<61)
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(100) {
			if want := int64(1<<62) + i; c.NS() != want || c.Fired().Has(0) != (i%2 == 0) || !c.Fired().Has(1) {
				t.Fatalf("instant %d at %d ns fired %b, want %d", i, c.NS(), c.Fired(), want)
			}
			c.Next()
		}
	}
}

// "ts is always the runner's own step", also on a shared step; and the swarm
// says where every other runner stands.
func TestContextHasTheRunnersOwnStep(t *testing.T) {
	s := mustCompile(t, defaults(), []Binding{
		{Name: "robot", Runner: "Robot"}, {Name: "capture", Runner: "Capture"}, {Name: "latch", Beat: true},
	})
	c := s.Start()
	for i, want := range []StepContext{
		{DT: 20000000, Seconds: 0.02, ID: 0, Sync: true, cursor: &c},
		{DT: 33333333, Seconds: 1.0 / 30, ID: 1, Sync: true, cursor: &c},
		{DT: 100000000, Seconds: 0.1, ID: NoRunner, Sync: true, cursor: &c},
	} {
		if got := c.Context(uint16(i)); got != want {
			t.Errorf("context of %s: %+v, want %+v", s.bindings[i].Name, got, want)
		}
	}

	c.Next() // 20 ms
	ctx := c.Context(0)
	if got, want := ctx.Step(1), (RunnerState{K: 0, NS: 0, DT: 33333333}); got != want {
		t.Errorf("at 20 ms Capture's step is %+v, want %+v", got, want)
	}
	if got := ctx.Alpha(1); got != 0.6 {
		t.Errorf("at 20 ms Capture's alpha is %v, want 0.6", got)
	}
	if got := ctx.Alpha(0); got != 0 {
		t.Errorf("alpha of the runner that fires is %v, want 0", got)
	}
}
