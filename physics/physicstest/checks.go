package physicstest

import (
	"math"
	"slices"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// checkRefused checks that a lookup of something unknown, or a stepper for it, is an error.
func (s *suite) checkRefused(subject string, err error) {
	s.Helper()
	if err == nil {
		s.Errorf("%s: no error", subject)
	}
}

// noStepper checks that there is no stepper for such outputs.
func (s *suite) noStepper(subject string, worlds int, out physics.Outputs) {
	s.Helper()
	stepper, err := s.model.NewStepper(worlds, out)
	if s.checkRefused("NewStepper "+subject, err); err == nil {
		s.closing(stepper)
	}
}

// checkCopies checks that a lookup returns values, each time a copy.
func (s *suite) checkCopies(subject, name string, find func(name string) ([]float64, error)) {
	s.Helper()
	first := polytest.Must(find(name))(s)
	if len(first) == 0 {
		s.Errorf("%s %q has no values", subject, name)
	}
	original := slices.Clone(first)
	fill(first, math.NaN())
	s.sameBits(subject+" "+name, polytest.Must(find(name))(s), original)
}

// names: unknown names are errors, known ones fit the row.
func (s *suite) names() {
	const unknown = "no such thing"
	for subject, find := range map[string]func(string) error{
		"Field":     func(name string) error { return polytest.Err(s.model.Field(name)) },
		"Keyframe":  func(name string) error { return s.model.Keyframe(name, make([]float64, s.model.StateSize())) },
		"Probe":     func(name string) error { return polytest.Err(s.model.Probe(name)) },
		"Derived":   func(name string) error { return polytest.Err(s.model.Derived(name)) },
		"Constant":  func(name string) error { return polytest.Err(s.model.Constant(name)) },
		"Parameter": func(name string) error { return polytest.Err(s.model.Parameter(name)) },
		"Nominal":   func(name string) error { return polytest.Err(s.model.Nominal(name)) },
	} {
		s.checkRefused(subject, find(unknown))
	}
	strange := []physics.Vector{{Source: unknown, Size: 1}}
	s.noStepper("with an unknown probe", 1, physics.Outputs{Probes: strange})
	s.noStepper("with an unknown derived value", 1, physics.Outputs{Derived: strange})
	s.noStepper("with an unknown parameter", 1, physics.Outputs{Parameters: strange})
	s.noStepper("for no worlds", 0, s.out)
	for _, name := range []string{"control", s.opt.Position} {
		span := polytest.Must(s.model.Field(name))(s)
		if span.Offset < 0 || span.Len < 1 || span.Offset+span.Len > s.model.StateSize() {
			s.Errorf("field %q is %+v, want a part of a row of %d values", name, span, s.model.StateSize())
		}
	}
	stages := map[physics.Stage]bool{}
	for i, p := range s.out.Probes {
		stages[p.Stage] = true
		if p.Source != s.opt.Sources[i] || p.Size < 1 {
			s.Errorf("probe of %q is %+v", s.opt.Sources[i], p)
		}
	}
	if !stages[physics.Motion] || !stages[physics.Force] {
		s.Errorf("probes %+v: want a Motion and a Force one", s.out.Probes)
	}
	for i, d := range s.out.Derived {
		if d.Source != s.opt.Derived[i] || d.Size < 1 {
			s.Errorf("derived value of %q is %+v", s.opt.Derived[i], d)
		}
	}
	if s.opt.Constant != "" {
		s.checkCopies("constant", s.opt.Constant, s.model.Constant)
	}
}

// sizes: control has its size and a range; the initial state is always the same.
func (s *suite) sizes() {
	span := polytest.Must(s.model.Field("control"))(s)
	if span.Len != s.model.ControlSize() {
		s.Errorf("field control has %d values, ControlSize is %d", span.Len, s.model.ControlSize())
	}
	for i := range s.model.ControlSize() {
		if lo, hi := s.model.ControlRange(i); !(lo < hi) {
			s.Errorf("range of control %d is %v to %v", i, lo, hi)
		}
	}
	a, b := make([]float64, s.model.StateSize()), make([]float64, s.model.StateSize())
	fill(b, math.NaN()) // the previous contents must not matter
	s.model.InitialState(a)
	s.model.InitialState(b)
	s.sameBits("initial state", b, a)
}

// moves: the scene is worth testing: every probe changes, worlds differ.
func (s *suite) moves() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	previous := s.clone(rows)
	s.rollout(stepper, rows)
	if firstDifference(state(rows), state(previous)) < 0 {
		s.Error("nothing moved")
	}
	const last = calls*substeps - 1 // the newest boundary with Force values
	checkChanged := func(source string, values func(r *physics.Rows, id int) []float64) {
		if !slices.ContainsFunc(all, func(id int32) bool {
			return firstDifference(values(rows, int(id)), values(previous, int(id))) >= 0
		}) {
			s.Errorf("%s did not change in %d substeps: the scene does not test it", source, last+1)
		}
	}
	for i, span := range s.spans() {
		checkChanged(s.out.Probes[i].Source, func(r *physics.Rows, id int) []float64 {
			if r == previous {
				return span.In(r.Sample(id, 0))
			}
			return span.In(r.Sample(id, last))
		})
	}
	offset := 0
	for _, d := range s.out.Derived {
		checkChanged(d.Source, func(r *physics.Rows, id int) []float64 {
			return r.DerivedRow(id)[offset : offset+d.Size]
		})
		offset += d.Size
	}
	if firstDifference(rows.Row(0), rows.Row(1)) < 0 {
		s.Error("two worlds under different controls came out equal")
	}
	for id, k := range rows.Boundary {
		if k != calls*substeps {
			s.Errorf("world %d stands at boundary %d, want %d", id, k, calls*substeps)
		}
	}
}

// replay compares a rollout with one of the same start whose calls are made by play, after
// the controls of the call are set.
func (s *suite) replay(play func(stepper physics.Stepper, rows *physics.Rows, call int)) {
	s.Helper()
	stepper := s.stepper(worlds)
	want := s.start(stepper, 1)
	rows := s.clone(want)
	s.rollout(stepper, want)
	for call := range calls {
		s.pushAll(rows, uint64(call))
		play(stepper, rows, call)
	}
	s.same(rows, want)
}

// fusion: a call of n substeps and any split of it give the same bits.
func (s *suite) fusion() {
	s.replay(func(stepper physics.Stepper, rows *physics.Rows, call int) {
		switch call % 3 {
		case 0: // one by one
			for range substeps {
				s.step(stepper, rows, all, repeat(1))
			}
		case 1: // in two
			s.step(stepper, rows, all, repeat(1))
			s.step(stepper, rows, all, repeat(substeps-1))
		case 2: // each world in its own way
			n := []int32{0, 1, 2, 3, 4}
			rest := make([]int32, worlds)
			for i := range n {
				rest[i] = substeps - n[i]
			}
			s.step(stepper, rows, all, n)
			s.step(stepper, rows, all, rest)
		}
	})
}

// grouping: the result of a world does not depend on the other worlds of a call, nor on the stepper.
func (s *suite) grouping() {
	single, three := s.stepper(1), s.stepper(3)
	s.replay(func(_ physics.Stepper, rows *physics.Rows, call int) {
		switch call % 2 {
		case 0:
			for id := range int32(worlds) {
				s.step(single, rows, []int32{id}, repeat(substeps)[:1])
			}
		case 1:
			s.step(three, rows, []int32{1, 3, 4}, repeat(substeps)[:3])
			s.step(single, rows, []int32{0}, repeat(substeps)[:1])
			s.step(three, rows, []int32{2}, repeat(substeps)[:1])
		}
	})
}

// scribble: what a stepper did for other rows in between leaves no trace.
func (s *suite) scribble() {
	s.replay(func(stepper physics.Stepper, rows *physics.Rows, call int) {
		s.rollout(stepper, s.start(stepper, 100+uint64(call)))
		s.step(stepper, rows, all, repeat(substeps))
	})
}

// parallel: steppers of one model run at the same time, each for its own rows.
func (s *suite) parallel() {
	stepper := s.stepper(worlds)
	want := s.start(stepper, 1)
	start := s.clone(want)
	s.rollout(stepper, want)

	var group sync.WaitGroup
	blocks := make([]*physics.Rows, 4)
	for i := range blocks {
		blocks[i] = s.clone(start)
		stepper := s.stepper(worlds)
		group.Go(func() {
			for call := range calls {
				s.pushAll(blocks[i], uint64(call))
				stepper.Step(blocks[i], all, repeat(substeps))
			}
		})
	}
	group.Wait()
	for _, rows := range blocks {
		s.same(rows, want)
	}
}

// restore: a copy of a row, given to another world of other rows, has the same future.
func (s *suite) restore() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	s.rollout(stepper, rows)

	const source, target = 2, 4
	restored := s.start(stepper, 7)
	copy(restored.Row(target), rows.Row(source))
	copy(restored.ParameterRow(target), rows.ParameterRow(source))
	for call := range calls {
		s.push(rows, source, uint64(call))
		copy(restored.Control(target), rows.Control(source))
		s.step(stepper, rows, []int32{source}, []int32{substeps})
		s.step(stepper, restored, []int32{target}, []int32{substeps})
	}
	s.sameBits("restored state", restored.Row(target), rows.Row(source))
	s.sameBits("restored derived values", restored.DerivedRow(target), rows.DerivedRow(source))
}

// samples: slots hold what Step promises. After a call from k to k+n, Motion is there at k+n and Force there is left
// alone; Motion there is the same bits that the next call writes, and Motion and Force of [k, k+n) are those of calls
// of one substep. Slots of other boundaries are left alone.
func (s *suite) samples() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	spans := s.spans()
	const mark = 12345.5 // no engine gives this
	for call := range calls {
		s.pushAll(rows, uint64(call))

		// the naive way: calls of one substep, keeping each sample
		naive := s.clone(rows)
		history := make([][][]float64, worlds) // world, boundary - k: Motion as first written, then Force
		for step := range substeps {
			s.step(stepper, naive, all, repeat(1))
			for id := range worlds {
				k := rows.Boundary[id] + int64(step)
				history[id] = append(history[id], slices.Clone(naive.Sample(id, k)))
			}
		}

		previous := s.clone(rows)
		for id := range worlds {
			for k := rows.Boundary[id] + 1; k < rows.Boundary[id]+slots; k++ {
				fill(rows.Sample(id, k), mark)
			}
		}
		s.step(stepper, rows, all, repeat(substeps))
		for id := range worlds {
			k := previous.Boundary[id]
			for step := range int64(substeps) {
				s.sameBits("sample inside a call", rows.Sample(id, k+step), history[id][step])
			}
			for i, p := range s.out.Probes {
				// Motion at the call's first boundary was there already
				if p.Stage == physics.Motion {
					s.sameBits("motion of "+p.Source+" at the first boundary", spans[i].In(rows.Sample(id, k)),
						spans[i].In(previous.Sample(id, k)))
				}
				last := spans[i].In(rows.Sample(id, k+substeps))
				if p.Stage == physics.Motion {
					s.sameBits("motion of "+p.Source+" at the last boundary", last,
						spans[i].In(naive.Sample(id, k+substeps)))
				} else if slices.ContainsFunc(last, func(x float64) bool { return x != mark }) {
					s.Errorf("force of %s at the last boundary is %v, want it left alone", p.Source, last)
				}
			}
			for j := k + substeps + 1; j < k+slots; j++ {
				if slices.ContainsFunc(rows.Sample(id, j), func(x float64) bool { return x != mark }) {
					s.Errorf("sample of boundary %d was written by a call from %d to %d", j, k, k+substeps)
				}
			}
		}
	}
}

// forward: slot 0 gets every stage at the row's own state and control, the time
// starts over, and what was computed agrees with what a step computes.
func (s *suite) forward() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	s.rollout(stepper, rows)
	for id := range worlds {
		s.push(rows, id, 99)
		fill(rows.Sample(id, 0), math.NaN())
	}
	if faults := stepper.Forward(rows, all); faults != 0 {
		s.Fatalf("Forward: %d faults, the first: %s", faults, s.firstFault(stepper, rows))
	}
	for id, k := range rows.Boundary {
		if k != 0 {
			s.Errorf("world %d stands at boundary %d after Forward", id, k)
		}
		if slices.ContainsFunc(rows.Sample(id, 0), math.IsNaN) {
			s.Errorf("world %d: Forward left values of slot 0 unwritten: %v", id, rows.Sample(id, 0))
		}
	}

	// twice is the same as once for what can be read, and a step from there finds the same motion
	second, stepped := s.clone(rows), s.clone(rows)
	stepper.Forward(second, all)
	s.step(stepper, stepped, all, repeat(1))
	for i, p := range s.out.Probes {
		for id := range worlds {
			if want := s.spans()[i].In(rows.Sample(id, 0)); p.Stage == physics.Motion {
				s.sameBits("Forward twice: "+p.Source, s.spans()[i].In(second.Sample(id, 0)), want)
				s.sameBits("step after Forward: "+p.Source, s.spans()[i].In(stepped.Sample(id, 0)), want)
			}
		}
	}
	s.sameBits("Forward twice: derived values", second.Derived, rows.Derived)
}

// future: a Forward in the middle, once or twice, changes nothing that comes after but the number of the boundary.
func (s *suite) future() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	s.rollout(stepper, rows)
	once, twice := s.clone(rows), s.clone(rows)
	stepper.Forward(once, all)
	stepper.Forward(twice, all)
	stepper.Forward(twice, all)
	s.rollout(stepper, rows)
	for _, other := range []*physics.Rows{once, twice} {
		s.rollout(stepper, other)
		s.sameBits("state after a Forward in the middle", state(other), state(rows))
		s.sameBits("derived values after a Forward in the middle", other.Derived, rows.Derived)
	}
}

// rowDecides: whatever an engine keeps for its rows, the state row decides the future: after it was written from
// outside between calls, without a Forward; in a copy of the rows; where two rows are equal; and after Close.
func (s *suite) rowDecides() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	start := state(rows)
	s.rollout(stepper, rows)

	// world 1 becomes world 0's twin, 2 goes back to the start, 3 swaps with 4
	copy(rows.Row(1), rows.Row(0))
	copy(rows.Row(2), start[2*rows.StateSize:])
	swap(rows.Row(3), rows.Row(4))
	copy(rows.ParameterRow(1), rows.ParameterRow(0))
	swap(rows.ParameterRow(3), rows.ParameterRow(4))

	// the oracle never saw these worlds before
	fresh := s.stepper(worlds)
	want := s.newRows(worlds, s.out)
	for id := range worlds {
		rows.Read(id).CopyTo(want.Row(id))
	}
	copy(want.Parameters, rows.Parameters)
	cloned := s.clone(rows)
	for call := range calls {
		for _, r := range []*physics.Rows{rows, want, cloned} {
			s.pushAll(r, uint64(call))
			if call < calls/2 { // twins stay twins for a while
				copy(r.Control(1), r.Control(0))
			}
		}
		rows.Row(call % worlds) // a row that is given out, but not written
		s.step(fresh, want, all, repeat(substeps))
		s.step(stepper, rows, all, repeat(substeps))
		s.step(stepper, cloned, all, repeat(substeps))
		s.sameBits("rows written from outside", state(rows), state(want))
		s.sameBits("derived values of rows written from outside", rows.Derived, want.Derived)
		s.sameBits("copied rows", state(cloned), state(want))
		if twins := firstDifference(rows.Row(0), rows.Row(1)) < 0; twins != (call < calls/2) {
			s.Errorf("call %d: two rows that were equal are so still: %t, want %t", call, twins, call < calls/2)
		}
		if call%2 == 1 {
			polytest.NoError(s, rows.Close())
		}
	}
}

// parameters: the nominal ones are those of the scene as it was compiled.
func (s *suite) parameters() {
	if len(s.out.Parameters) == 0 {
		return
	}
	first := s.out.Parameters[0]
	s.noStepper("with a parameter that is there twice", 1, physics.Outputs{Parameters: []physics.Vector{first, first}})
	s.checkCopies("nominal", first.Source, s.model.Nominal)

	varying := s.stepper(worlds)
	varied := s.start(varying, 1)
	nominal := s.clone(varied)
	for id := range worlds {
		copy(nominal.ParameterRow(id), s.nominal())
	}
	varying.Forward(nominal, all)
	s.rollout(varying, varied) // the stepper then holds other values
	s.rollout(varying, nominal)

	s.out.Parameters = nil
	fixed := s.stepper(worlds)
	want := s.start(fixed, 1)
	s.rollout(fixed, want)
	s.sameBits("state under nominal parameters", state(nominal), state(want))
	s.sameBits("samples under nominal parameters", nominal.Samples, want.Samples)
	s.sameBits("derived values under nominal parameters", nominal.Derived, want.Derived)
	for id := range worlds {
		if firstDifference(varied.Row(id), want.Row(id)) < 0 {
			s.Errorf("world %d: its own parameters made no difference", id)
		}
	}
}

// parametersChange: parameters that change in the middle hold from the next call on, as
// if they had always been in the row.
func (s *suite) parametersChange() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	for call := range calls {
		for id := range worlds {
			s.push(rows, id, uint64(call))
			if id != call%worlds { // one world keeps its own value
				s.vary(rows, id, 50+uint64(call))
			}
		}
		fresh, new := s.clone(rows), s.stepper(worlds) // copies that know nothing of the previous calls
		s.step(stepper, rows, all, repeat(substeps))
		s.step(new, fresh, all, repeat(substeps))
		s.same(rows, fresh)
	}
}

// badParameters: a parameter that no scene can have is a fault of that world.
func (s *suite) badParameters() {
	if len(s.out.Parameters) == 0 {
		s.Skip("the engine has none")
	}
	for _, c := range []struct {
		value float64
		fault physics.Fault
	}{
		{math.NaN(), physics.FaultNotFinite},
		{math.Inf(1), physics.FaultNotFinite},
		{s.opt.BadParameter, physics.FaultEngine},
	} {
		s.fault(c.fault, true, func(rows *physics.Rows, id int) { rows.ParameterRow(id)[0] = c.value })
	}
}

// subset: worlds that a call does not name are left alone.
func (s *suite) subset() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	previous := s.clone(rows)
	ids := []int32{1, 3}
	s.step(stepper, rows, ids, []int32{substeps, 1})
	stepper.Forward(rows, []int32{3})
	for id := range worlds {
		if slices.Contains(ids, int32(id)) {
			copy(previous.Row(id), rows.Row(id))
			copy(previous.DerivedRow(id), rows.DerivedRow(id))
			previous.Boundary[id] = rows.Boundary[id]
			for k := range int64(slots) {
				copy(previous.Sample(id, k), rows.Sample(id, k))
			}
		}
	}
	s.same(rows, previous)
}

// noSubsteps: zero substeps, and no worlds, do nothing.
func (s *suite) noSubsteps() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	previous := s.clone(rows)
	s.rollout(stepper, s.start(stepper, 2)) // the stepper then holds other values
	s.step(stepper, rows, all, repeat(0))
	s.step(stepper, rows, []int32{}, []int32{})
	stepper.Forward(rows, []int32{})
	s.same(rows, previous)
}

// notFinite: a NaN in the state or in the control is a fault of that world.
func (s *suite) notFinite() {
	for _, field := range []string{s.opt.Position, "control"} {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			s.fault(physics.FaultNotFinite, true, func(rows *physics.Rows, id int) {
				s.field(rows, id, field)[0] = bad
			})
		}
	}
}

// engineError: an error of the engine is a fault of that world.
func (s *suite) engineError() {
	if s.opt.EngineError == nil {
		s.Skip("the engine gives no way to provoke one")
	}
	s.fault(physics.FaultEngine, false, func(rows *physics.Rows, id int) {
		s.opt.EngineError(s.model, rows.Row(id))
	})
}

// fault breaks one world and checks what Step and Forward make of it: the fault is reported, the row is kept, other
// worlds are unaffected, and the stepper goes on. forward says whether a Forward faults, too.
func (s *suite) fault(want physics.Fault, forward bool, hurt func(rows *physics.Rows, id int)) {
	s.Helper()
	const broken = 2
	stepper := s.stepper(worlds)
	healthy := s.start(stepper, 1)
	rows := s.clone(healthy)
	s.step(stepper, healthy, all, repeat(substeps))

	intact := s.clone(rows)
	hurt(rows, broken)
	previous := s.clone(rows)
	if faults := stepper.Step(rows, all, repeat(substeps)); faults != 1 {
		s.Fatalf("Step with a broken world: %d faults, want 1", faults)
	}
	if rows.Fault[broken] != want || stepper.FaultMessage(broken) == "" {
		s.Errorf("fault is %q, %q; want %q and a message", rows.Fault[broken], stepper.FaultMessage(broken), want)
	}
	s.Logf("%s: %s", rows.Fault[broken], stepper.FaultMessage(broken))
	s.sameBits("row of the broken world", rows.Row(broken), previous.Row(broken))
	s.sameBits("parameters of the broken world", rows.ParameterRow(broken), previous.ParameterRow(broken))
	s.sameBits("derived values of the broken world", rows.DerivedRow(broken), previous.DerivedRow(broken))
	if rows.Boundary[broken] != 0 {
		s.Errorf("the broken world stands at boundary %d, want 0", rows.Boundary[broken])
	}
	for i, p := range s.out.Probes {
		if p.Stage == physics.Motion {
			s.sameBits("motion of the broken world at its boundary", s.spans()[i].In(rows.Sample(broken, 0)),
				s.spans()[i].In(previous.Sample(broken, 0)))
		}
	}
	for id := range worlds {
		if id == broken {
			continue
		}
		if rows.Fault[id] != physics.FaultNone || stepper.FaultMessage(int32(id)) != "" {
			s.Errorf("world %d: fault %q, %q beside a broken sibling", id, rows.Fault[id],
				stepper.FaultMessage(int32(id)))
		}
		s.sameBits("row beside a broken sibling", rows.Row(id), healthy.Row(id))
		s.sameBits("derived values beside a broken sibling", rows.DerivedRow(id), healthy.DerivedRow(id))
		for k := range int64(slots) {
			s.sameBits("sample beside a broken sibling", rows.Sample(id, k), healthy.Sample(id, k))
		}
	}

	if forward {
		rows.Boundary[broken] = 3
		if faults := stepper.Forward(rows, all); faults != 1 || rows.Fault[broken] != want {
			s.Errorf("Forward with a broken world: %d faults, its fault %q; want 1, %q", faults, rows.Fault[broken],
				want)
		}
		if rows.Boundary[broken] != 3 {
			s.Errorf("Forward moved the broken world to boundary %d", rows.Boundary[broken])
		}
		s.sameBits("derived values of the broken world after Forward", rows.DerivedRow(broken),
			previous.DerivedRow(broken))
	}

	// once repaired, the world goes on as if nothing had happened
	copy(rows.Row(broken), intact.Row(broken))
	copy(rows.ParameterRow(broken), intact.ParameterRow(broken))
	rows.Boundary[broken] = 0
	if faults := stepper.Step(rows, all, repeat(substeps)); faults != 0 {
		s.Errorf("Step of the mended world: %d faults: %s", faults, stepper.FaultMessage(broken))
	}
	if rows.Fault[broken] != physics.FaultNone || stepper.FaultMessage(broken) != "" {
		s.Errorf("fault of the mended world is %q, %q", rows.Fault[broken], stepper.FaultMessage(broken))
	}
	s.sameBits("row of the mended world", rows.Row(broken), healthy.Row(broken))
}

// misuse: calls that would read or write outside the rows panic before they do.
func (s *suite) misuse() {
	stepper := s.stepper(2)
	rows := s.start(s.stepper(worlds), 1)
	other := s.newRows(worlds, physics.Outputs{Probes: s.out.Probes[:1], Derived: s.out.Derived})
	for _, call := range []struct {
		name string
		do   func()
	}{
		{"id out of range", func() { stepper.Step(rows, []int32{worlds}, []int32{1}) }},
		{"negative id", func() { stepper.Step(rows, []int32{-1}, []int32{1}) }},
		{"ids descend", func() { stepper.Step(rows, []int32{1, 0}, []int32{1, 1}) }},
		{"id twice", func() { stepper.Forward(rows, []int32{1, 1}) }},
		{"too many worlds", func() { stepper.Forward(rows, []int32{0, 1, 2}) }},
		{"no counts", func() { stepper.Step(rows, []int32{1}, []int32{}) }},
		{"negative count", func() { stepper.Step(rows, []int32{1}, []int32{-1}) }},
		{"more substeps than slots", func() { stepper.Step(rows, []int32{1}, []int32{slots}) }},
		{"rows with other probes", func() { stepper.Step(other, []int32{1}, []int32{1}) }},
		{"short state row", func() { s.model.InitialState(make([]float64, 1)) }},
	} {
		s.panics(call.name, call.do)
	}
}

func (s *suite) panics(subject string, f func()) {
	defer func() {
		if recover() == nil {
			s.Errorf("%s: no panic", subject)
		}
	}()
	f()
}

// allocations: the step path makes none.
func (s *suite) allocations() {
	if AddressSanitizer {
		s.Skip("not with the address sanitizer")
	}
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	n := repeat(substeps)
	if got := polytest.Allocations(20, func() { stepper.Step(rows, all, n) }); got != 0 {
		s.Errorf("Step makes %v allocations", got)
	}
	if got := polytest.Allocations(20, func() { stepper.Forward(rows, all) }); got != 0 {
		s.Errorf("Forward makes %v allocations", got)
	}
}

// close: closing twice is harmless, and a closed stepper says so.
func (s *suite) close() {
	stepper := s.stepper(1)
	polytest.NoError(s, stepper.Close())
	rows := s.newRows(1, s.out)
	s.panics("Step of a closed stepper", func() { stepper.Step(rows, []int32{0}, []int32{1}) })
}

// closeModel: a model that holds memory stays while a stepper is open, and closes once.
func (s *suite) closeModel() {
	if s.opt.OpenHandles == nil {
		s.Skip("it holds nothing")
	}
	handles := s.opt.OpenHandles()
	stepper := s.stepper(1)
	if n := s.opt.OpenHandles(); n != handles+1 {
		s.Errorf("%d handles with a stepper open, want %d", n, handles+1)
	}
	if s.model.Close() == nil {
		s.Fatal("closed a model with a stepper open")
	}
	polytest.NoError(s, stepper.Close())
	polytest.NoError(s, s.model.Close())
	if n := s.opt.OpenHandles(); n != handles-1 {
		s.Errorf("%d handles after the model is closed, want %d", n, handles-1)
	}
	s.noStepper("of a closed model", 1, s.out)
}

func swap(a, b []float64) {
	original := slices.Clone(a)
	copy(a, b)
	copy(b, original)
}

func fill(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}
