package runners

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestCompileErrors(t *testing.T) {
	two := defaults()
	on := func(b ...Binding) []Binding { return b }
	nine := make([]Runner, 9)
	for i := range nine {
		nine[i] = Runner{Name: string(rune('a' + i)), Rate: Hz(50)}
	}
	for _, c := range []struct {
		name     string
		runners  []Runner
		bindings []Binding
		want     string
	}{
		{"none", nil, nil, "there are 0 runners, want 1 to 8"},
		{"a ninth", nine, nil, "there are 9 runners, want 1 to 8"},
		{"no name", []Runner{{Rate: Hz(50)}}, nil, "runner 0 has no name, want one"},
		{"no rate", []Runner{{Name: "Robot"}}, nil, `runner "Robot" has no rate, want one`},
		{"twice", append(defaults(), Runner{Name: "Robot", Rate: Hz(5)}), nil,
			`runner "Robot": the name is taken by runner 0, want a unique one`},
		{"all off", []Runner{{Name: "Robot", Rate: Hz(50), Disabled: true}, {Name: "Capture", Rate: Hz(30), Disabled: true}},
			nil,
			"all runners are disabled (Robot, Capture), want at least one enabled"},
		{"too fast", []Runner{{Name: "Laser", Rate: Hz(2_000_000_000)}}, nil,
			`boundaries of runner "Laser" at 2000000000 Hz are 0.5 ns apart, want at least 1 ns`},
		{"too close", []Runner{{Name: "A", Rate: Hz(1_000_000)}, {Name: "B", Rate: Hz(999_999)}}, nil,
			`boundaries of runners "A" at 1000000 Hz and "B" at 999999 Hz are 0.001 ns apart, want the same instant or at ` +
				`least 1 ns`},
		{"no binding name", two, on(Binding{Runner: "Robot"}), "binding 0 has no name, want one"},
		{"binding twice", two, on(Binding{Name: "x", Runner: "Robot"}, Binding{Name: "x", Runner: "Capture"}),
			`binding "x": the name is taken by binding 0, want a unique one`},
		{"no such runner", two, on(Binding{Name: "x", Runner: "robot"}),
			`binding "x": no runner "robot", want one of Robot, Capture`},
		{"no runner", two, on(Binding{Name: "x"}), `binding "x": no runner "", want one of Robot, Capture`},
		{"both", two, on(Binding{Name: "x", Runner: "Robot", Beat: true}),
			`binding "x": fires at the beat and on runner "Robot", want one of them`},
		{"no phase", two, on(Binding{Name: "x", Runner: "Robot", Phase: 5}),
			`binding "x": phase is 5, want one of Acquisition, Control, Physics, Validation, Export`},
		{"too many", two, make([]Binding, 65537), "there are 65537 bindings, want at most 65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(c.runners, c.bindings)
			if err == nil || err.Error() != c.want || s != nil {
				t.Errorf("%v, %v\nwant %s", s, err, c.want)
			}
		})
	}
}

// Boundaries exactly 1 ns apart are allowed.
func TestOneNanosecondApartIsAllowed(t *testing.T) {
	s := mustCompile(t, runnersAt(Hz(1_000_000_000), Hz(50)), nil)
	c := s.Start()
	for k := range int64(100) {
		if c.NS() != k {
			t.Fatalf("instant %d at %d ns", k, c.NS())
		}
		c.Next()
	}
}

func TestAtErrors(t *testing.T) {
	runners := append(defaults(), Runner{Name: "Off", Rate: Hz(100), Disabled: true})
	s := mustCompile(t, runners, nil)
	for _, c := range []struct {
		id   ID
		k    int64
		want string
	}{
		{3, 0, "boundary 0 of runner 3: no such runner, want one of Robot, Capture, Off"},
		{NoRunner, 0, "boundary 0 of runner 255: no such runner, want one of Robot, Capture, Off"},
		{0, -1, `boundary of runner "Robot" is -1, want 0 to 461168601842`},
		{0, 461168601843, `boundary of runner "Robot" is 461168601843, want 0 to 461168601842`},
		{2, 1, `boundary 1 of runner "Off": no enabled runner fires there, want one`},
	} {
		polytest.ErrorContains(t, polytest.Err(s.Resume(0, c.id, c.k)), c.want)
	}
	// where an enabled runner fires, a disabled one may name the instant
	c, err := s.Resume(0, 2, 2)
	if id, k := c.Boundary(); err != nil || id != 0 || k != 1 {
		t.Errorf("boundary 2 of Off is boundary %d of runner %d (%v), want 1 of 0", k, id, err)
	}
}

// The step path allocates nothing.
func TestCursorDoesNotAllocate(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	c := s.Start()
	var sum int64
	allocs := polytest.Allocations(200, func() {
		for _, call := range c.Calls() {
			ctx := c.Context(call)
			sum += ctx.DT + ctx.Step(0).NS + int64(ctx.Alpha(1)*2)
		}
		_, k := c.NextWrite()
		sum += k
		c.Next()
	})
	if allocs != 0 || sum == 0 {
		t.Errorf("%v allocations an instant (sum %d), want 0", allocs, sum)
	}
}

// A long beat, and one longer than the clock.
func TestLongBeats(t *testing.T) {
	s := mustCompile(t, runnersAt(Hz(997), Rate{30000, 1001}), nil)
	if got := s.BeatPeriod().RatString(); got != "1001" {
		t.Errorf("997 with 30000/1001 Hz: a beat of %s s, want 1001", got)
	}
	c, err := s.Resume(0, 0, 997*1001)
	if err != nil || !c.Sync() || c.NS() != 1001e9 || c.Fired() != 0b11 {
		t.Errorf("the second beat: %+v, %v", c, err)
	}
	c.Next()
	if c.Sync() || c.NS() != 1001e9+Hz(997).Timestamp(1) {
		t.Errorf("after the second beat: %d ns, sync %v", c.NS(), c.Sync())
	}

	s = mustCompile(t, runnersAt(Rate{1, maxTerm - 1}, Rate{1, maxTerm - 19}),
		[]Binding{{Name: "latch", Beat: true, Writes: true}})
	if r, ok := s.BeatRate(); ok {
		t.Errorf("a beat longer than the clock has the rate %v", r)
	}
	if got := s.BeatPeriod().RatString(); got != "4611685975477714963" {
		t.Errorf("a beat of %s s, want 4611685975477714963", got)
	}
	c = s.Start()
	if ctx := c.Context(0); ctx.DT != math.MaxInt64 || ctx.Seconds != 4611685975477714963 {
		t.Errorf("context of the beat: %+v", ctx)
	}
	if id, k := c.NextWrite(); id != NoRunner || k != -1 {
		t.Errorf("next write at boundary %d of runner %d, want none on the clock", k, id)
	}
	for range 8 { // four boundaries of each
		c.Next()
		if c.Sync() {
			t.Errorf("a beat at %d ns", c.NS())
		}
	}
	polytest.Equal(t, panicOf(c.Next), "runners: Next past the end of the clock, 2^63 ns", "Next past the end panicked")
}

func TestOrder(t *testing.T) {
	runners, bindings := quadruped()
	runners[1].Disabled = true
	bindings[6].Disabled = true
	s := mustCompile(t, runners, bindings)
	const want = `sensors Sensors 500 Acquisition 0 true
observe Robot 50 Acquisition 100 true
latch  beat Acquisition 0 true
policy Robot 50 Control -200 true
recorder Capture 30 Control 100 false
mujoco Robot 50 Physics 0 true
faults Robot 50 Validation 0 false
`
	var got strings.Builder
	for _, e := range s.Order() {
		polytest.Equal(t, e.Binding, bindings[e.Index], "entry %+v is not binding %d", e, e.Index)
		fmt.Fprintln(&got, e.Name, e.Runner, e.RateText(), e.Phase, e.Priority, e.Enabled)
	}
	if got.String() != want {
		t.Errorf("order:\n%swant:\n%s", got.String(), want)
	}
}

// What a schedule hands out, and what it was made from, cannot change it.
func TestScheduleOwnsItsRunnersAndBindings(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	runners[0].Name, bindings[0].Name = "x", "x"
	s.Runners()[1].Name, s.Bindings()[1].Name = "x", "x"
	s.BeatPeriod().SetInt64(5)
	wantRunners, wantBindings := quadruped()
	if !slices.Equal(s.Runners(), wantRunners) || !slices.Equal(s.Bindings(), wantBindings) ||
		s.BeatPeriod().RatString() != "1/10" {
		t.Errorf("the schedule changed: %v, %v, beat %v", s.Runners(), s.Bindings(), s.BeatPeriod())
	}
	if id, ok := s.Runner("Sensors"); id != 2 || !ok || s.Rate(id) != Hz(500) {
		t.Errorf("Sensors is runner %d (%v), want 2 at 500 Hz", id, ok)
	}
	if id, ok := s.Runner("x"); id != NoRunner || ok {
		t.Errorf("there is a runner x: %d", id)
	}
}

func TestPhaseText(t *testing.T) {
	for p, name := range phaseNames {
		text, err := Phase(p).MarshalText()
		if err != nil || string(text) != name {
			t.Errorf("phase %d written as %q (%v), want %q", p, text, err, name)
		}
		var back Phase
		if err := back.UnmarshalText([]byte(strings.ToUpper(name))); err != nil || back != Phase(p) {
			t.Errorf("%q read as %v (%v)", strings.ToUpper(name), back, err)
		}
	}
	var p Phase
	const want = `phase is "Render", want one of Acquisition, Control, Physics, Validation, Export`
	polytest.ErrorContains(t, p.UnmarshalText([]byte("Render")), want)
	if _, err := Phase(9).MarshalText(); err == nil || Phase(9).String() != "Phase(9)" {
		t.Errorf("writing phase 9: %v, %s", err, Phase(9))
	}
}

// The lifecycle names are the phases' own, in Go and as text.
func TestLifecycleNames(t *testing.T) {
	phases := []Phase{OnPreUpdate, OnUpdate, OnPhysicsUpdate, OnLateUpdate, OnPostUpdate}
	for i, name := range []string{"OnPreUpdate", "OnUpdate", "OnPhysicsUpdate", "OnLateUpdate", "OnPostUpdate"} {
		var p Phase
		if err := p.UnmarshalText([]byte(name)); err != nil || p != Phase(i) || phases[i] != Phase(i) {
			t.Errorf("%s is read as %v (%v) and is %v, want %v", name, p, err, phases[i], Phase(i))
		}
	}
	var p Phase
	const want = `phase is "OnFreePreUpdate", a free update outside the clock, want one of Acquisition, Control, ` +
		`Physics, Validation, Export`
	polytest.ErrorContains(t, p.UnmarshalText([]byte("OnFreePreUpdate")), want)
}
