package runners

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// everyEdit makes each edit there is, in an order in which all can be made.
func everyEdit() Edits {
	return Edits{
		AddRunner{Runner{Name: "Lidar", Rate: Rate{40, 3}, Disabled: true}},
		ToggleRunner{"Lidar", true},
		RenameRunner{"Capture", "Camera"},
		SetRate{"Camera", Rate{2997, 100}},
		AddBinding{Binding{Name: "scan", Runner: "Lidar", Phase: Export, Priority: 7, Writes: true, Disabled: true}},
		AddBinding{Binding{Name: "sync", Phase: Validation, Beat: true}},
		ToggleBinding{"scan", true},
		Rebind{"recorder", "Lidar"},
		SetPhase{"recorder", Acquisition},
		SetPriority{"recorder", -3},
		RemoveBinding{"faults"},
		ToggleBinding{"observe", false},
		RemoveRunner{"Camera"},
		ToggleRunner{"Sensors", false},
	}
}

func TestApply(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	got, err := s.Apply(everyEdit()...)
	polytest.NoError(t, err)
	wantRunners := []Runner{
		{Name: "Robot", Rate: Hz(50)},
		{}, // the others keep their IDs
		{Name: "Sensors", Rate: Hz(500), Disabled: true},
		{Name: "Lidar", Rate: Rate{40, 3}},
	}
	wantBindings := []Binding{
		{Name: "recorder", Runner: "Lidar", Phase: Acquisition, Priority: -3},
		{Name: "policy", Runner: "Robot", Phase: Control, Priority: -200, Writes: true},
		{Name: "sensors", Runner: "Sensors", Phase: Acquisition},
		{Name: "latch", Phase: Acquisition, Beat: true},
		{Name: "observe", Runner: "Robot", Phase: Acquisition, Priority: 100, Disabled: true},
		{Name: "mujoco", Runner: "Robot", Phase: Physics},
		{Name: "scan", Runner: "Lidar", Phase: Export, Priority: 7, Writes: true},
		{Name: "sync", Phase: Validation, Beat: true},
	}
	if !slices.Equal(got.Runners(), wantRunners) || !slices.Equal(got.Bindings(), wantBindings) {
		t.Errorf("%+v\n%+v\nwant\n%+v\n%+v", got.Runners(), got.Bindings(), wantRunners, wantBindings)
	}
	// the schedule they were applied to is what it was
	if !slices.Equal(s.Runners(), runners) || !slices.Equal(s.Bindings(), bindings) {
		t.Errorf("the edits changed the schedule: %+v, %+v", s.Runners(), s.Bindings())
	}

	// renaming a runner takes its bindings along
	got, err = s.Apply(RenameRunner{"Robot", "Arm"}, RenameRunner{"Arm", "Arm"})
	if err != nil || got.Bindings()[1].Runner != "Arm" || got.Bindings()[0].Runner != "Capture" ||
		got.Bindings()[3].Runner != "" {
		t.Errorf("after renaming (%v): %+v", err, got)
	}
	if got, err = s.Apply(); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("no edits lead to %+v (%v)", got, err)
	}
}

// Each error says what was given and what works.
func TestEditErrors(t *testing.T) {
	runners, bindings := quadruped()
	bindings = append(bindings, Binding{Name: "camera", Runner: "Capture"})
	s := mustCompile(t, runners, bindings)
	eight := func(more ...Edit) Edits {
		var e Edits
		for i := range 5 {
			e = append(e, AddRunner{Runner{Name: fmt.Sprint("r", i), Rate: Hz(10)}})
		}
		return append(e, more...)
	}
	const known = "recorder, policy, sensors, latch, observe, mujoco, faults, camera"
	for _, c := range []struct {
		name  string
		edits Edits
		want  string
	}{
		{"ninth runner", eight(AddRunner{Runner{Name: "ninth", Rate: Hz(5)}}),
			`edit 6 of 6: add runner "ninth" to 8 runners (Robot, Capture, Sensors, r0, r1, r2, r3, r4), want at most 8; ` +
				`remove one first`},
		{"same name", Edits{AddRunner{Runner{Name: "Robot", Rate: Hz(5)}}},
			`runner "Robot": the name is taken by runner 0, want a unique one`},
		{"no name", Edits{AddRunner{Runner{Rate: Hz(5)}}},
			`add runner: name is "", want one or more printable characters without dots, equals signs and spaces`},
		{"a name that no flag can spell", Edits{AddRunner{Runner{Name: "a.b", Rate: Hz(5)}}},
			`add runner: name is "a.b", want one or more printable characters without dots, equals signs and spaces`},
		{"a binding's likewise", Edits{AddBinding{Binding{Name: "a b", Runner: "Robot"}}},
			`add binding: name is "a b", want one or more printable characters without dots, equals signs and spaces`},
		{"rename likewise", Edits{RenameRunner{"Robot", "a=b"}},
			`rename runner "Robot": name is "a=b", want one or more printable characters without dots, equals signs and spaces`},
		{"a long name", Edits{AddRunner{Runner{Name: strings.Repeat("x", 101), Rate: Hz(5)}}},
			`add runner: name "xxxxxxxxxxxxxxxxxxxx"... has 101 bytes, want at most 100`},
		{"rename to a long name", Edits{RenameRunner{"Robot", strings.Repeat("x", 101)}},
			`rename runner "Robot": name "xxxxxxxxxxxxxxxxxxxx"... has 101 bytes, want at most 100`},
		{"no rate", Edits{AddRunner{Runner{Name: "x"}}}, `runner "x" has no rate, want one`},
		{"rename to a taken name", Edits{RenameRunner{"Robot", "Sensors"}},
			`rename runner "Robot" to "Sensors": the name is taken, want one other than Robot, Capture, Sensors`},
		{"rename to nothing", Edits{RenameRunner{"Robot", ""}},
			`rename runner "Robot": name is "", want one or more printable characters without dots, equals signs and spaces`},
		{"rename what is not there", Edits{RenameRunner{"robot", "x"}},
			`rename runner: no runner "robot", want one of Robot, Capture, Sensors`},
		{"remove what is in use", Edits{RemoveRunner{"Capture"}},
			`remove runner "Capture": it has bindings "recorder", "camera", want none; remove them or bind them to another ` +
				`runner first`},
		{"remove runner 0", Edits{RemoveRunner{"Robot"}},
			`remove runner "Robot": it is runner 0, want another; disable runner 0 instead`},
		{"remove what is not there", Edits{RemoveRunner{"x"}},
			`remove runner: no runner "x", want one of Robot, Capture, Sensors`},
		{"re-rate what is not there", Edits{SetRate{"x", Hz(5)}},
			`set rate 5 Hz: no runner "x", want one of Robot, Capture, Sensors`},
		{"re-rate to nothing", Edits{SetRate{"Robot", Rate{}}}, `runner "Robot" has no rate, want one`},
		{"too close", Edits{SetRate{"Robot", Hz(999_999_937)}},
			`boundaries of runners "Robot" at 999999937 Hz and "Capture" at 30 Hz are 0.0333 ns apart, want the same ` +
				`instant or at least 1 ns`},
		{"toggle what is not there", Edits{ToggleRunner{"x", true}},
			`toggle runner: no runner "x", want one of Robot, Capture, Sensors`},
		{"all off", Edits{ToggleRunner{"Robot", false}, ToggleRunner{"Capture", false}, ToggleRunner{"Sensors", false}},
			`all runners are disabled (Robot, Capture, Sensors), want at least one enabled`},
		{"same binding", Edits{AddBinding{Binding{Name: "latch", Runner: "Robot"}}},
			`binding "latch": the name is taken by binding 3, want a unique one`},
		{"binding to nobody", Edits{AddBinding{Binding{Name: "x", Runner: "Lidar"}}},
			`binding "x": no runner "Lidar", want one of Robot, Capture, Sensors`},
		{"rebind to nobody", Edits{Rebind{"recorder", "Lidar"}},
			`bind "recorder": no runner "Lidar", want one of Robot, Capture, Sensors`},
		{"rebind the latch", Edits{Rebind{"latch", "Robot"}},
			`bind "latch" to runner "Robot": it is a beat binding, want one of a runner; remove it and add it again on the ` +
				`runner`},
		{"rebind nothing", Edits{Rebind{"x", "Robot"}}, `bind to runner "Robot": no binding "x", want one of ` + known},
		{"no phase", Edits{SetPhase{"latch", 6}},
			`binding "latch": phase is 6, want one of Acquisition, Control, Physics, Validation, Export`},
		{"phase of nothing", Edits{SetPhase{"x", Export}}, `set phase Export: no binding "x", want one of ` + known},
		{"priority of nothing", Edits{SetPriority{"x", 4}}, `set priority 4: no binding "x", want one of ` + known},
		{"toggle nothing", Edits{ToggleBinding{"x", true}}, `toggle binding: no binding "x", want one of ` + known},
		{"remove nothing", Edits{RemoveBinding{"faults"}, RemoveBinding{"faults"}},
			`edit 2 of 2: remove binding: no binding "faults", want one of recorder, policy, sensors, latch, observe, ` +
				`mujoco, camera`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Apply(c.edits...)
			if err == nil || err.Error() != c.want || got != nil {
				t.Errorf("%v\nwant %s", err, c.want)
			}
			if !slices.Equal(s.Runners(), runners) || !slices.Equal(s.Bindings(), bindings) {
				t.Error("the failed edit changed the schedule")
			}
		})
	}
}

// Rates that are none, in a run log or a configuration.
func TestRateErrorsSayWhatWorks(t *testing.T) {
	for rate, why := range map[string]string{
		"0": "not positive", "-50": "not positive", "NaN": "not a number", "Inf": "not a number", "1e400": "not a number",
		"1/0":        "division by zero",
		"2147483648": "2147483648 Hz has a numerator or denominator of 2^31 or more",
	} {
		var e Edits
		err := json.Unmarshal(fmt.Appendf(nil, `[{"set_rate":{"name":"Robot","rate":%q}}]`, rate), &e)
		want := fmt.Sprintf("edits[0].set_rate.rate: rate %q: %s; %s", rate, why, rateForms)
		polytest.ErrorContains(t, err, want)
	}
}

func TestEditsJSON(t *testing.T) {
	edits := everyEdit()
	text := polytest.Must(json.Marshal(edits))(t)
	const want = `[{"add_runner":{"name":"Lidar","rate":"40/3","disabled":true}},` +
		`{"toggle_runner":{"name":"Lidar","enabled":true}},` +
		`{"rename_runner":{"name":"Capture","to":"Camera"}},` +
		`{"set_rate":{"name":"Camera","rate":"29.97"}},` +
		`{"add_binding":{"name":"scan","runner":"Lidar","phase":"Export","priority":7,"disabled":true,"writes":true}},` +
		`{"add_binding":{"name":"sync","phase":"Validation","priority":0,"beat":true}},` +
		`{"toggle_binding":{"name":"scan","enabled":true}},` +
		`{"rebind":{"name":"recorder","runner":"Lidar"}},` +
		`{"set_phase":{"name":"recorder","phase":"Acquisition"}},` +
		`{"set_priority":{"name":"recorder","priority":-3}},` +
		`{"remove_binding":{"name":"faults"}},` +
		`{"toggle_binding":{"name":"observe","enabled":false}},` +
		`{"remove_runner":{"name":"Camera"}},` +
		`{"toggle_runner":{"name":"Sensors","enabled":false}}]`
	if string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	var back Edits
	if err := json.Unmarshal(text, &back); err != nil || !slices.Equal(back, edits) {
		t.Errorf("read back as %+v (%v), want %+v", back, err, edits)
	}
	for _, name := range ops {
		if !strings.Contains(want, `{"`+name+`":`) {
			t.Errorf("%s was not tried", name)
		}
	}

	const phases = "one of Acquisition, Control, Physics, Validation, Export"
	const aRate = `a rate such as 50, "200/3" or "15ms"`
	for _, c := range []struct{ op, fields, want string }{
		{"paint", `{"name":"x"}`, ": unknown edit, want one of add_runner, remove_runner, rename_runner, set_rate, " +
			"toggle_runner, add_binding, remove_binding, rebind, set_phase, set_priority, toggle_binding"},
		{"remove_runner", `{"nam":"x"}`, ".nam: unknown key; did you mean name?"},
		{"set_phase", `{"name":"x","phase":"Render"}`, `.phase: phase is "Render", want ` + phases},
		{"toggle_binding", `{"name":"x"}`, ".enabled: not given, want true or false"},
		{"toggle_runner", `{"name":"x","enabled":null}`, ".enabled: not given, want true or false"},
		{"set_phase", `{"name":"x"}`, ".phase: not given, want " + phases},
		{"set_phase", `{"name":"x","PHASE":"Control"}`, ".PHASE: unknown key; did you mean phase?"},
		{"SET_PHASE", `{"name":"x","phase":"Control"}`, ": unknown edit; did you mean set_phase?"},
		{"set_priority", `{"name":"x"}`, ".priority: not given, want a whole number"},
		{"set_priority", `{"name":"x","priority":1.5}`, ".priority is 1.5, want a whole number"},
		{"set_rate", `{"name":"x"}`, ".rate: not given, want " + aRate},
		{"set_rate", `{"name":"x","rate":[50]}`, ".rate is [50], want " + aRate},
		{"set_rate", `{"name":"x","rate":null}`, ".rate: not given, want " + aRate},
		{"set_rate", `{"name":"x","rate":-2}`, `.rate: rate "-2": not positive`},
		{"rename_runner", `{"name":"x"}`, ".to: not given, want a name"},
		{"rebind", `{"name":"x"}`, ".runner: not given, want a name"},
		{"add_runner", `{"rate":"5"}`, ".name: not given, want a name"},
		{"add_binding", `{"name":"x","runner":"Robot"}`, ".phase: not given, want " + phases},
		{"rebind", `{"name":"x","runner":"A","runner":"B"}`, ".runner: given twice"},
		{"rebind", `"x"`, ` is "x", want a mapping of keys to values`},
	} {
		var e Edits
		err := json.Unmarshal(fmt.Appendf(nil, `[{%q:%s}]`, c.op, c.fields), &e)
		if polytest.ErrorContains(t, err, "edits[0]."+c.op+c.want); e != nil {
			t.Errorf("%s: %s was read as %v", c.op, c.fields, e)
		}
	}
	for text, want := range map[string]string{
		`[{"remove_runner":{"name":"x"}},{}]`:                                  "edits[1] has 0 keys, want one",
		`[{"rebind":{"name":"x","runner":"a"},"remove_binding":{"name":"x"}}]`: "edits[0] has 2 keys, want one",
		`[3]`:                            "edits[0] is 3, want a mapping of keys to values",
		`{"remove_runner":{"name":"x"}}`: "json: cannot unmarshal object into Go value",
	} {
		polytest.ErrorContains(t, json.Unmarshal([]byte(text), new(Edits)), want)
	}
	if text, err := json.Marshal(Edits(nil)); err != nil || string(text) != "[]" {
		t.Errorf("no edits are written as %s (%v), want []", text, err)
	}
}

// randomEdits draws up to four edits that Apply accepts, and returns what a
// naive application of them leads to.
func randomEdits(rng *rand.Rand, o *oracle) (Edits, *oracle) {
	for {
		runners, bindings := slices.Clone(o.runners), slices.Clone(o.bindings)
		var edits Edits
		for range 1 + rng.IntN(4) {
			r, b := rng.IntN(len(runners)), rng.IntN(len(bindings)+1)
			if runners[r] == (Runner{}) {
				continue
			}
			if b == len(bindings) && rng.IntN(2) == 0 || len(bindings) == 0 { // runners
				switch fresh := fmt.Sprint("n", rng.Uint32()); rng.IntN(5) {
				case 0:
					add := Runner{Name: fresh, Rate: commonRates[rng.IntN(14)], Disabled: rng.IntN(3) == 0}
					if len(runners) < MaxRunners {
						runners = append(runners, add)
						edits = append(edits, AddRunner{add})
					} else if free := slices.Index(runners, Runner{}); free >= 0 {
						runners[free] = add
						edits = append(edits, AddRunner{add})
					}
				case 1:
					name := runners[r].Name
					if !slices.ContainsFunc(bindings, func(b Binding) bool { return b.Runner == name }) && r > 0 {
						edits = append(edits, RemoveRunner{name})
						runners[r] = Runner{}
					}
				case 2:
					edits = append(edits, RenameRunner{runners[r].Name, fresh})
					for i := range bindings {
						if bindings[i].Runner == runners[r].Name {
							bindings[i].Runner = fresh
						}
					}
					runners[r].Name = fresh
				case 3:
					runners[r].Rate = commonRates[rng.IntN(len(commonRates))]
					edits = append(edits, SetRate{runners[r].Name, runners[r].Rate})
				case 4:
					runners[r].Disabled = !runners[r].Disabled
					edits = append(edits, ToggleRunner{runners[r].Name, !runners[r].Disabled})
				}
				continue
			}
			if b == len(bindings) {
				add := Binding{Name: fmt.Sprint("m", rng.Uint32()), Runner: runners[r].Name, Phase: Phase(rng.IntN(5)),
					Writes: rng.IntN(3) == 0}
				if rng.IntN(4) == 0 {
					add.Runner, add.Beat = "", true
				}
				bindings = append(bindings, add)
				edits = append(edits, AddBinding{add})
				continue
			}
			name := bindings[b].Name
			switch rng.IntN(5) {
			case 0:
				bindings = slices.Delete(bindings, b, b+1)
				edits = append(edits, RemoveBinding{name})
			case 1:
				if !bindings[b].Beat {
					bindings[b].Runner = runners[r].Name
					edits = append(edits, Rebind{name, runners[r].Name})
				}
			case 2:
				bindings[b].Phase = Phase(rng.IntN(5))
				edits = append(edits, SetPhase{name, bindings[b].Phase})
			case 3:
				bindings[b].Priority = rng.IntN(5) - 2
				edits = append(edits, SetPriority{name, bindings[b].Priority})
			case 4:
				bindings[b].Disabled = !bindings[b].Disabled
				edits = append(edits, ToggleBinding{name, !bindings[b].Disabled})
			}
		}
		next := newOracle(runners, bindings)
		if next.spaced() && slices.ContainsFunc(runners, func(r Runner) bool { return r.Name != "" && !r.Disabled }) {
			return edits, next
		}
	}
}

// TestChangesAgainstOracleLong walks random sets through random changes: a change
// of rates or membership is adopted at beats only and makes them the anchor, any
// other one wherever something fires, and around each change everything is what
// exact rationals say.
func TestChangesAgainstOracleLong(t *testing.T) {
	walks := 400
	if !polytest.Slow(t) {
		walks = 100
	}
	rng := rand.New(rand.NewPCG(4, 20))
	moved, anchored, refused := 0, 0, 0
	for range walks {
		o := randomSet(rng)
		for !o.spaced() {
			o = randomSet(rng)
		}
		s := mustCompile(t, o.runners, o.bindings)
		c, at := s.Start(), new(big.Rat)
		for range 6 {
			for range rng.IntN(30) { // somewhere
				next := o.next(at)
				if !o.comparable(next) {
					break
				}
				at = next
				c.Next()
			}
			if lead, k := c.Boundary(); rng.IntN(2) == 0 { // at a beat, if there is one
				if beat, ok := c.nextBeat(); ok && o.comparable(boundary(o.hz(int(lead)), beat)) {
					k = beat
				}
				c = polytest.Must(c.s.Resume(c.Anchor(), lead, k))(t)
				at = boundary(o.hz(int(lead)), k)
			}
			edits, next := randomEdits(rng, o)
			applied, err := c.s.Apply(edits...)
			if err != nil {
				t.Fatalf("%+v\n%+v\n%+v: %v", o.runners, o.bindings, edits, err)
			}
			if !slices.Equal(applied.runners, next.runners) || !slices.Equal(applied.Bindings(), next.bindings) {
				t.Fatalf("%+v lead to\n%+v\n%+v\nwant\n%+v\n%+v", edits, applied.runners, applied.Bindings(), next.runners,
					next.bindings)
			}

			// A runner that was added and removed by the same change leaves only a gap.
			sameClock := o.rates() == next.rates()
			fires := slices.ContainsFunc(next.runners, func(r Runner) bool {
				return r.Name != "" && !r.Disabled && new(big.Rat).Mul(big.NewRat(r.Rate.num, r.Rate.den), at).IsInt()
			})
			before := c
			switch adopted := c.Adopt(applied); {
			case adopted != (sameClock && fires || !sameClock && o.sync(at)):
				t.Fatalf("at %s s of %+v: adopted %+v: %v", at.RatString(), o.runners, next.runners, adopted)
			case !adopted:
				refused++
				if c != before {
					t.Fatalf("a change that was refused moved the cursor from %+v to %+v", before, c)
				}
				continue
			case sameClock:
				moved++
				next.anchor = o.anchor
			default:
				anchored++
				next.anchor = o.anchor + timestamp(at)
				at = new(big.Rat)
			}
			o = next
			probe := c
			if err := o.walk(&probe, at, 12); err != nil {
				t.Fatalf("%+v\n%+v\nafter %+v: %v", o.runners, o.bindings, edits, err)
			}
		}
	}
	if moved < walks || anchored < walks/4 || refused < walks/4 {
		t.Errorf("%d changes moved the cursor, %d anchored it anew, %d were refused: the draw is too one-sided", moved,
			anchored, refused)
	}
}

// The clock ends at the same timestamp whatever the anchor.
func TestEndOfTheClockBehindAnAnchor(t *testing.T) {
	s := mustCompile(t, []Runner{{Name: "Slow", Rate: Rate{1, 1 << 30}}},
		[]Binding{{Name: "w", Runner: "Slow", Writes: true}, {Name: "latch", Beat: true}})
	const step = 1 << 30 * nsPerSecond
	c := polytest.Must(s.Resume(5*nsPerSecond, 0, 7))(t)
	if id, k := c.NextWrite(); id != 0 || k != 8 || c.Context(1).DT != step {
		t.Errorf("next write at boundary %d of runner %d, the beat lasts %d", k, id, c.Context(1).DT)
	}
	c.Next()
	if c.NS() != 5*nsPerSecond+8*step {
		t.Errorf("boundary 8 at %d ns", c.NS())
	}
	if id, k := c.NextWrite(); id != NoRunner || k != -1 || c.Context(1).DT != 1<<63-1 {
		t.Errorf("past the end of the clock: next write at boundary %d of runner %d, the beat lasts %d", k, id,
			c.Context(1).DT)
	}
	end := c
	if got := panicOf(c.Next); got != "runners: Next past the end of the clock, 2^63 ns" || c != end {
		t.Errorf("Next past the end panicked with %v at %+v", got, c)
	}
	for _, c := range []struct {
		anchor, k int64
		want      string
	}{
		{-1, 0, `boundary 0 of runner "Slow": anchor is at -1 ns, want 0 to 9223372036854775807 ns`},
		{1 << 62, 5, `boundary 5 of runner "Slow": anchor is at 4611686018427387904 ns, want 0 to 3854662916854775807 ns`},
	} {
		polytest.ErrorContains(t, polytest.Err(s.Resume(c.anchor, 0, c.k)), c.want)
	}
}

// A day after a change timestamps are still exact, to the nanosecond.
func TestADayAfterAChangeIsExact(t *testing.T) {
	s := mustCompile(t, []Runner{{Name: "Robot", Rate: Hz(50)}, {Name: "Capture", Rate: Rate{30000, 1001}}}, nil)
	next := polytest.Must(s.Apply(SetRate{"Robot", Rate{200, 3}}, SetRate{"Capture", Hz(30)}))(t)
	c := s.Start()
	for !c.Sync() || c.NS() == 0 {
		c.Next()
	}
	if c.NS() != 20_020_000_000 || !c.Adopt(next) { // beat of 50 and 30000/1001 Hz: 1001/50 s
		t.Fatalf("the first beat is at %d ns", c.NS())
	}
	anchor := c.NS()
	const day = 24 * 3600
	for c.NS() < anchor+day*nsPerSecond {
		c.Next()
	}
	if c.NS() != anchor+day*nsPerSecond || c.Step(0).K != day*200/3 || c.Step(1).K != day*30 || !c.Sync() {
		t.Errorf("at %d ns, boundaries %d and %d; want %d, %d and %d", c.NS(), c.Step(0).K, c.Step(1).K,
			anchor+day*nsPerSecond, day*200/3, day*30)
	}

	// A beat that is no whole nanosecond becomes an anchor that is: its timestamp.
	s = mustCompile(t, runnersAt(Rate{30000, 1001}, Rate{60000, 1001}), nil)
	next = polytest.Must(s.Apply(SetRate{"r1", Rate{30000, 1001}}))(t)
	c = s.Start()
	for c.NS() < 33366666 { // 1001/30000 s are 33366666.67 ns
		c.Next()
	}
	if !c.Adopt(next) || c.Anchor() != 33366666 {
		t.Errorf("anchored at %d ns, want 33366666", c.Anchor())
	}
	c.Next()
	if c.NS() != 2*33366666 || c.Fired() != 0b11 {
		t.Errorf("one step of 33366666.67 ns later at %d ns, fired %b; want %d and both", c.NS(), c.Fired(), 2*33366666)
	}
}

// What an instant still has to run after the decision point is what the adopted
// schedule has there and what did not run before it: each binding runs once.
func TestAdoptAtTheDecisionPoint(t *testing.T) {
	s := mustCompile(t, defaults(), []Binding{
		{Name: "sense", Runner: "Robot"}, {Name: "late", Runner: "Robot", Disabled: true},
		{Name: "policy", Runner: "Robot", Phase: Control}, {Name: "recorder", Runner: "Capture", Phase: Control},
	})
	for _, c := range []struct {
		edits Edits
		want  []string // after Acquisition, in which "sense" ran
	}{
		{nil, []string{"policy"}},
		{Edits{Rebind{"recorder", "Robot"}, SetPriority{"recorder", -1}}, []string{"recorder", "policy"}},
		{Edits{ToggleBinding{"policy", false}}, nil},
		{Edits{ToggleBinding{"sense", false}, ToggleBinding{"late", true}}, []string{"late", "policy"}},
		{Edits{SetPhase{"sense", Export}}, []string{"policy"}},
		{Edits{SetPhase{"policy", Acquisition}}, []string{"policy"}},
		{Edits{SetPhase{"policy", Acquisition}, SetPhase{"sense", Control}, Rebind{"recorder", "Robot"}},
			[]string{"policy", "recorder"}},
		{Edits{RemoveBinding{"sense"}, AddBinding{Binding{Name: "sense", Runner: "Robot", Phase: Physics}}},
			[]string{"policy"}},
		{Edits{AddBinding{Binding{Name: "new", Runner: "Robot"}}}, []string{"new", "policy"}},
	} {
		next := polytest.Must(s.Apply(c.edits...))(t)
		cursor := s.Start()
		cursor.Next() // 20 ms: Robot
		before := cursor
		if !before.Acquired("sense") || before.Acquired("policy") || before.Acquired("late") || before.Acquired("recorder") {
			t.Fatal("Acquisition at 20 ms is not \"sense\"")
		}
		if !cursor.Adopt(next) || cursor.NS() != 20e6 || cursor.Anchor() != 0 {
			t.Errorf("%+v: not adopted, or at %d ns from %d", c.edits, cursor.NS(), cursor.Anchor())
		}
		var got []string
		for _, call := range cursor.Calls() {
			if name := next.entries[call].Name; !before.Acquired(name) {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q are left at 20 ms, want %q", c.edits, got, c.want)
		}
	}

	next := polytest.Must(s.Apply(Rebind{"recorder", "Robot"}))(t)
	c := s.Start()
	c.Next()
	if !c.Adopt(next) {
		t.Error("not adopted")
	}
	// a runner that fires here may be switched off, but not the last one
	off := polytest.Must(next.Apply(ToggleRunner{"Robot", false}))(t)
	if c.Adopt(off) {
		t.Error("adopted where nothing fires")
	}
	for c.Fired() != 0b11 {
		c.Next()
	}
	if !c.Adopt(off) || c.Fired() != 0b10 || !c.Sync() {
		t.Errorf("at %d ns fired %b, sync %v; want Capture at a beat", c.NS(), c.Fired(), c.Sync())
	}
}

// A runner keeps its ID while others come and go; the IDs of removed ones are given
// out again when no other is left.
func TestRunnersKeepTheirIDs(t *testing.T) {
	s := mustCompile(t, runnersAt(Hz(50), Hz(30), Hz(500)), []Binding{{Name: "last", Runner: "r2"},
		{Name: "latch", Beat: true}})
	apply := func(edits ...Edit) {
		t.Helper()
		next := polytest.Must(s.Apply(edits...))(t)
		s = next
	}
	add := func(name string) Edit { return AddRunner{Runner{Name: name, Rate: Hz(20)}} }
	apply(RemoveRunner{"r1"}, add("r3"))
	apply(RemoveRunner{"r3"}, add("r4"), add("r5"), add("r6"), add("r7"))
	apply(add("again"))
	for name, want := range map[string]ID{"r0": 0, "r1": NoRunner, "r2": 2, "r3": NoRunner, "r4": 4, "r5": 5, "r6": 6,
		"r7": 7, "again": 1, "": NoRunner} {
		if id, ok := s.Runner(name); id != want || ok != (want != NoRunner) {
			t.Errorf("%q has ID %d (%v), want %d", name, id, ok, want)
		}
	}
	c := s.Start()
	ctx := c.Context(0)
	if id, _ := ctx.Runner("r2"); id != 2 || ctx.ID != 2 || ctx.Step(2).DT != 2_000_000 {
		t.Errorf("the binding is on runner %d with a step of %d ns", ctx.ID, ctx.Step(2).DT)
	}
	for _, id := range []ID{3, 8, 200} { // removed, or never there
		if step, alpha := ctx.Step(id), ctx.Alpha(id); step != (RunnerState{}) || alpha != 0 {
			t.Errorf("runner %d stands at %+v, alpha %v", id, step, alpha)
		}
	}
	if _, err := s.Resume(0, 3, 0); err == nil {
		t.Error("a cursor at a removed runner's boundary")
	}
	if rate, ok := s.BeatRate(); rate != Hz(10) || !ok {
		t.Errorf("beat of %v Hz (%v), want 10", rate, ok)
	}
}

func TestClock(t *testing.T) {
	p := NewClock(mustCompile(t, defaults(), []Binding{{Name: "policy", Runner: "Robot", Phase: Control}}))
	for _, c := range []Change{
		{N: 3, Edits: Edits{ToggleBinding{"policy", false}}},
		{N: 4, Edits: Edits{SetRate{"Robot", Hz(100)}}},
		{N: 4, Edits: Edits{ToggleBinding{"policy", true}}},
		{N: 9, Edits: Edits{AddRunner{Runner{Name: "Lidar", Rate: Hz(20)}}}},
	} {
		polytest.NoError(t, p.Add(c, nil))
	}
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{N: 8}, "change at step 8, want step 9, that of the change before it, or later"},
		{Change{N: 12, Edits: Edits{RemoveRunner{"Laser"}}},
			`change at step 12: remove runner: no runner "Laser", want one of Robot, Capture, Lidar`},
	} {
		polytest.ErrorContains(t, p.Add(c.change, nil), c.want)
	}
	polytest.ErrorContains(t, NewClock(p.Schedule(0)).Add(Change{N: -1}, nil),
		"change at step -1, want step 0, that of the change before it, or later")
	refused := errors.New("no")
	if err := p.Add(Change{N: 12, Edits: Edits{ToggleBinding{"policy", false}}},
		func(*Schedule) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a change that is not accepted: %v", err)
	}
	if err := p.Clone().Add(Change{N: 12, Edits: Edits{ToggleBinding{"policy", false}}}, nil); err != nil {
		t.Errorf("a change of a clone: %v", err)
	}
	if n := len(p.Changes()); n != 4 {
		t.Fatalf("%d changes, want 4", n)
	}

	// one world: the version and the time at each decision point
	c, v := p.Schedule(0).Start(), 0
	var got []string
	for n := int64(0); n < 14; n++ {
		v = p.Follow(&c, v, n)
		got = append(got, fmt.Sprintf("%d: v%d %d+%d ms", n, v, c.Anchor()/1e6, (c.NS()-c.Anchor())/1e6))
		for c.Next(); !c.Fired().Has(0); c.Next() {
		}
	}
	want := []string{
		"0: v0 0+0 ms", "1: v0 0+20 ms", "2: v0 0+40 ms",
		"3: v1 0+60 ms", // a binding: at once
		"4: v1 0+80 ms", // a rate: waits for the beat, and what comes after it too
		"5: v3 100+0 ms", "6: v3 100+10 ms", "7: v3 100+20 ms", "8: v3 100+30 ms", "9: v3 100+40 ms",
		"10: v3 100+50 ms", "11: v3 100+60 ms", "12: v3 100+70 ms", "13: v3 100+80 ms",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for v != 4 {
		c.Next()
		v = p.Follow(&c, v, 20)
	}
	if c.Anchor() != 200e6 {
		t.Errorf("the membership changed at %d ns, want the beat at 200 ms", c.Anchor())
	}
	for n, want := range map[int64]int{0: 0, 2: 0, 3: 1, 4: 3, 8: 3, 9: 4, 100: 4} {
		polytest.Equal(t, p.Begin(n), want, "an episode that begins at step %d has version", n)
	}

	text := polytest.Must(json.Marshal(p.Changes()))(t)
	var back []Change
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, p.Changes()) {
		t.Errorf("%s read back as %+v (%v)", text, back, err)
	}
	start := p.Schedule(0).Start()
	if allocs := polytest.Allocations(100, func() {
		c := start
		p.Follow(&c, 0, 20)
	}); allocs != 0 {
		t.Errorf("following a clock allocates %v times", allocs)
	}
}
