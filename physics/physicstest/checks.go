package physicstest

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// names: unknown names are errors, known ones fit the row.
func (s *suite) names() {
	if _, err := s.model.Field("no such field"); err == nil {
		s.Error("Field of an unknown name: no error")
	}
	if _, err := s.model.Probe("no such probe"); err == nil {
		s.Error("Probe of an unknown source: no error")
	}
	if err := s.model.Keyframe("no such keyframe", make([]float64, s.model.StateSize())); err == nil {
		s.Error("Keyframe of an unknown name: no error")
	}
	if _, err := s.model.Derived("no such derived value"); err == nil {
		s.Error("Derived of an unknown source: no error")
	}
	if _, err := s.model.Constant("no such constant"); err == nil {
		s.Error("Constant of an unknown name: no error")
	}
	if stepper, err := s.model.NewStepper(1, physics.Outputs{Probes: []physics.Probe{{Source: "no such probe", Size: 1}}}); err == nil {
		stepper.Close()
		s.Error("NewStepper with an unknown probe: no error")
	}
	if stepper, err := s.model.NewStepper(1, physics.Outputs{Derived: []physics.Derived{{Source: "no such value", Size: 1}}}); err == nil {
		stepper.Close()
		s.Error("NewStepper with an unknown derived value: no error")
	}
	if stepper, err := s.model.NewStepper(0, s.out); err == nil {
		stepper.Close()
		s.Error("NewStepper for no worlds: no error")
	}
	for _, name := range []string{"control", s.opt.Position} {
		span, err := s.model.Field(name)
		s.must(err)
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
		first, err := s.model.Constant(s.opt.Constant)
		s.must(err)
		if len(first) == 0 {
			s.Errorf("constant %q has no values", s.opt.Constant)
		}
		kept := slices.Clone(first)
		fill(first, math.NaN()) // it is a copy
		again, err := s.model.Constant(s.opt.Constant)
		s.must(err)
		s.sameBits("constant "+s.opt.Constant, again, kept)
	}
}

// sizes: control has its size and a range; the initial state is always the same.
func (s *suite) sizes() {
	span, err := s.model.Field("control")
	s.must(err)
	if span.Len != s.model.ControlSize() {
		s.Errorf("field control has %d values, ControlSize is %d", span.Len, s.model.ControlSize())
	}
	for i := range s.model.ControlSize() {
		if lo, hi := s.model.ControlRange(i); !(lo < hi) {
			s.Errorf("range of control %d is %v to %v", i, lo, hi)
		}
	}
	a, b := make([]float64, s.model.StateSize()), make([]float64, s.model.StateSize())
	for i := range b {
		b[i] = math.NaN() // the old contents must not matter
	}
	s.model.InitialState(a)
	s.model.InitialState(b)
	s.sameBits("initial state", b, a)
}

// moves: the scene is worth testing: every probe changes, worlds differ.
func (s *suite) moves() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	before := s.clone(rows)
	s.rollout(stepper, rows)
	if firstDifference(rows.State, before.State) < 0 {
		s.Error("nothing moved")
	}
	const last = calls*substeps - 1 // the newest boundary with Force values
	for i, span := range s.spans() {
		changed := slices.ContainsFunc(all, func(id int32) bool {
			return firstDifference(span.In(rows.Sample(int(id), last)), span.In(before.Sample(int(id), 0))) >= 0
		})
		if !changed {
			s.Errorf("probe %s did not change in %d substeps: the scene does not test it", s.out.Probes[i].Source, last+1)
		}
	}
	for i, span := range s.derivedSpans() {
		changed := slices.ContainsFunc(all, func(id int32) bool {
			return firstDifference(span.In(rows.DerivedRow(int(id))), span.In(before.DerivedRow(int(id)))) >= 0
		})
		if !changed {
			s.Errorf("derived value %s did not change: the scene does not test it", s.out.Derived[i].Source)
		}
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

// fused: a call of n substeps and any split of it give the same bits.
func (s *suite) fused() {
	stepper := s.stepper(worlds)
	want := s.start(stepper, 1)
	split := s.clone(want)
	s.rollout(stepper, want)

	for call := range calls {
		for id := range worlds {
			s.push(split, id, uint64(call))
		}
		switch call % 3 {
		case 0: // one by one
			for range substeps {
				s.step(stepper, split, all, repeat(1))
			}
		case 1: // in two
			s.step(stepper, split, all, repeat(1))
			s.step(stepper, split, all, repeat(substeps-1))
		case 2: // each world in its own way
			n := []int32{0, 1, 2, 3, 4}
			rest := make([]int32, worlds)
			for i := range n {
				rest[i] = substeps - n[i]
			}
			s.step(stepper, split, all, n)
			s.step(stepper, split, all, rest)
		}
	}
	s.same(split, want)
}

// grouping: the result of a world does not depend on the other worlds of a call, nor
// on the stepper.
func (s *suite) grouping() {
	stepper := s.stepper(worlds)
	want := s.start(stepper, 1)
	groups := s.clone(want)
	s.rollout(stepper, want)

	one, three := s.stepper(1), s.stepper(3)
	for call := range calls {
		for id := range worlds {
			s.push(groups, id, uint64(call))
		}
		switch call % 2 {
		case 0:
			for id := range int32(worlds) {
				s.step(one, groups, []int32{id}, repeat(substeps)[:1])
			}
		case 1:
			s.step(three, groups, []int32{1, 3, 4}, repeat(substeps)[:3])
			s.step(one, groups, []int32{0}, repeat(substeps)[:1])
			s.step(three, groups, []int32{2}, repeat(substeps)[:1])
		}
	}
	s.same(groups, want)
}

// scribble: what a stepper did for other rows in between leaves no trace.
func (s *suite) scribble() {
	stepper := s.stepper(worlds)
	want := s.start(stepper, 1)
	rows := s.clone(want)
	s.rollout(stepper, want)

	for call := range calls {
		other := s.start(stepper, 100+uint64(call))
		s.rollout(stepper, other)
		for id := range worlds {
			s.push(rows, id, uint64(call))
		}
		s.step(stepper, rows, all, repeat(substeps))
	}
	s.same(rows, want)
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
		own := s.stepper(worlds)
		group.Go(func() {
			for call := range calls {
				for id := range worlds {
					s.push(blocks[i], id, uint64(call))
				}
				own.Step(blocks[i], all, repeat(substeps))
			}
		})
	}
	group.Wait()
	for _, rows := range blocks {
		s.same(rows, want)
	}
}

// restore: a copy of a row, given to another world of other rows, has the same
// future.
func (s *suite) restore() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	s.rollout(stepper, rows)

	const from, to = 2, 4
	restored := s.start(stepper, 7)
	copy(restored.Row(to), rows.Row(from))
	copy(restored.ParameterRow(to), rows.ParameterRow(from))
	for call := range calls {
		s.push(rows, from, uint64(call))
		copy(s.field(restored, to, "control"), s.field(rows, from, "control"))
		s.step(stepper, rows, []int32{from}, []int32{substeps})
		s.step(stepper, restored, []int32{to}, []int32{substeps})
	}
	s.sameBits("restored state", restored.Row(to), rows.Row(from))
	s.sameBits("restored derived values", restored.DerivedRow(to), rows.DerivedRow(from))
}

// samples: slots hold what Step promises. After a call from k to k+n, Motion is
// there at k+n and Force there is left alone; Motion there is the same bits that
// the next call writes, and Motion and Force of [k, k+n) are those of calls of
// one substep. Slots of other boundaries are left alone.
func (s *suite) samples() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	spans := s.spans()
	const mark = 12345.5 // no engine gives this
	for call := range calls {
		for id := range worlds {
			s.push(rows, id, uint64(call))
		}

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

		before := s.clone(rows)
		for id := range worlds {
			for k := rows.Boundary[id] + 1; k < rows.Boundary[id]+slots; k++ {
				fill(rows.Sample(id, k), mark)
			}
		}
		s.step(stepper, rows, all, repeat(substeps))
		for id := range worlds {
			k := before.Boundary[id]
			for step := range int64(substeps) {
				s.sameBits("sample inside a call", rows.Sample(id, k+step), history[id][step])
			}
			for i, p := range s.out.Probes {
				// Motion at the call's first boundary was there already
				if p.Stage == physics.Motion {
					s.sameBits("motion of "+p.Source+" at the first boundary", spans[i].In(rows.Sample(id, k)), spans[i].In(before.Sample(id, k)))
				}
				last := spans[i].In(rows.Sample(id, k+substeps))
				if p.Stage == physics.Motion {
					s.sameBits("motion of "+p.Source+" at the last boundary", last, spans[i].In(naive.Sample(id, k+substeps)))
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

	// twice is the same as once for what can be read
	again := s.clone(rows)
	stepper.Forward(again, all)
	for i, p := range s.out.Probes {
		for id := range worlds {
			if p.Stage == physics.Motion {
				s.sameBits("Forward twice: "+p.Source, s.spans()[i].In(again.Sample(id, 0)), s.spans()[i].In(rows.Sample(id, 0)))
			}
		}
	}

	s.sameBits("Forward twice: derived values", again.Derived, rows.Derived)

	// a step from there finds the same motion
	stepped := s.clone(rows)
	s.step(stepper, stepped, all, repeat(1))
	for i, p := range s.out.Probes {
		for id := range worlds {
			if p.Stage == physics.Motion {
				s.sameBits("step after Forward: "+p.Source, s.spans()[i].In(stepped.Sample(id, 0)), s.spans()[i].In(rows.Sample(id, 0)))
			}
		}
	}
}

// future: a Forward in the middle, once or twice, changes nothing that comes after
// but the number of the boundary.
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
		s.sameBits("state after a Forward in the middle", other.State, rows.State)
		s.sameBits("derived values after a Forward in the middle", other.Derived, rows.Derived)
	}
}

// rowDecides: whatever an engine keeps for its rows, the state row decides the
// future: after it was written from outside between calls, without a Forward;
// in a copy of the rows; where two rows are equal; and after Close.
func (s *suite) rowDecides() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	start := slices.Clone(rows.State)
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
	copy(want.State, rows.State)
	copy(want.Parameters, rows.Parameters)
	copied := s.clone(rows)
	for call := range calls {
		for _, r := range []*physics.Rows{rows, want, copied} {
			for id := range worlds {
				s.push(r, id, uint64(call))
			}
			if call < calls/2 { // twins stay twins for a while
				copy(s.field(r, 1, "control"), s.field(r, 0, "control"))
			}
		}
		s.step(fresh, want, all, repeat(substeps))
		s.step(stepper, rows, all, repeat(substeps))
		s.step(stepper, copied, all, repeat(substeps))
		s.sameBits("rows written from outside", rows.State, want.State)
		s.sameBits("derived values of rows written from outside", rows.Derived, want.Derived)
		s.sameBits("copied rows", copied.State, want.State)
		if twins := firstDifference(rows.Row(0), rows.Row(1)) < 0; twins != (call < calls/2) {
			s.Errorf("call %d: two rows that were equal are so still: %t, want %t", call, twins, call < calls/2)
		}
		if call%2 == 1 {
			s.check(rows.Close())
		}
	}
}

// parameters: the nominal ones are those of the scene as it was compiled; unknown ones
// are errors.
func (s *suite) parameters() {
	if _, err := s.model.Parameter("no such parameter"); err == nil {
		s.Error("Parameter of an unknown source: no error")
	}
	if _, err := s.model.Nominal("no such parameter"); err == nil {
		s.Error("Nominal of an unknown source: no error")
	}
	if stepper, err := s.model.NewStepper(1, physics.Outputs{Parameters: []physics.Parameter{{Source: "no such parameter", Size: 1}}}); err == nil {
		stepper.Close()
		s.Error("NewStepper with an unknown parameter: no error")
	}
	if len(s.out.Parameters) == 0 {
		return
	}
	twice := physics.Outputs{Parameters: []physics.Parameter{s.out.Parameters[0], s.out.Parameters[0]}}
	if stepper, err := s.model.NewStepper(1, twice); err == nil {
		stepper.Close()
		s.Error("NewStepper with a parameter that is there twice: no error")
	}
	first := s.out.Parameters[0].Source
	values, err := s.model.Nominal(first)
	s.must(err)
	kept := slices.Clone(values)
	fill(values, math.NaN()) // it is a copy
	again, err := s.model.Nominal(first)
	s.must(err)
	s.sameBits("nominal "+first, again, kept)

	with := s.stepper(worlds)
	varied := s.start(with, 1)
	nominal := s.clone(varied)
	for id := range worlds {
		copy(nominal.ParameterRow(id), s.nominal())
	}
	with.Forward(nominal, all)
	s.rollout(with, varied) // so that the stepper holds other values
	s.rollout(with, nominal)

	s.out.Parameters = nil
	without := s.stepper(worlds)
	want := s.start(without, 1)
	s.rollout(without, want)
	s.sameBits("state under nominal parameters", nominal.State, want.State)
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
			if id != call%worlds { // one keeps its own
				s.vary(rows, id, 50+uint64(call))
			}
		}
		fresh, new := s.clone(rows), s.stepper(worlds) // which know nothing of the calls before
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
		stepper := s.stepper(worlds)
		healthy := s.start(stepper, 1)
		rows := s.clone(healthy)
		s.step(stepper, healthy, all, repeat(substeps))
		const sick = 2
		good := rows.ParameterRow(sick)[0]
		rows.ParameterRow(sick)[0] = c.value
		before := s.clone(rows)
		if faults := stepper.Step(rows, all, repeat(substeps)); faults != 1 || rows.Fault[sick] != c.fault {
			s.Fatalf("Step with parameter %v: %d faults, its fault %q; want 1, %q", c.value, faults, rows.Fault[sick], c.fault)
		}
		if stepper.FaultMessage(sick) == "" {
			s.Error("a bad parameter: no message")
		}
		s.Logf("%s: %s", rows.Fault[sick], stepper.FaultMessage(sick))
		s.sameBits("row with a bad parameter", rows.Row(sick), before.Row(sick))
		s.sameBits("parameters with a bad one", rows.ParameterRow(sick), before.ParameterRow(sick))
		s.sameBits("row beside one with a bad parameter", rows.Row(sick+1), healthy.Row(sick+1))
		if rows.Boundary[sick] != 0 || rows.Boundary[sick+1] != substeps {
			s.Errorf("boundaries are %v", rows.Boundary)
		}
		if faults := stepper.Forward(rows, []int32{sick}); faults != 1 || rows.Fault[sick] != c.fault {
			s.Errorf("Forward with parameter %v: %d faults, its fault %q; want 1, %q", c.value, faults, rows.Fault[sick], c.fault)
		}

		rows.ParameterRow(sick)[0] = good
		s.step(stepper, rows, []int32{sick}, repeat(substeps)[:1])
		s.same(rows, healthy)
	}
}

// derivedSpans returns where each derived value lies in a row.
func (s *suite) derivedSpans() []physics.Span {
	spans := make([]physics.Span, len(s.out.Derived))
	at := 0
	for i, d := range s.out.Derived {
		spans[i] = physics.Span{Offset: at, Len: d.Size}
		at += d.Size
	}
	return spans
}

// subset: worlds that a call does not name are left alone.
func (s *suite) subset() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	before := s.clone(rows)
	named := []int32{1, 3}
	s.step(stepper, rows, named, []int32{substeps, 1})
	stepper.Forward(rows, []int32{3})
	for id := range worlds {
		if slices.Contains(named, int32(id)) {
			copy(before.Row(id), rows.Row(id))
			copy(before.DerivedRow(id), rows.DerivedRow(id))
			before.Boundary[id] = rows.Boundary[id]
			for k := range int64(slots) {
				copy(before.Sample(id, k), rows.Sample(id, k))
			}
		}
	}
	s.same(rows, before)
}

// nothing: zero substeps, and no worlds, do nothing.
func (s *suite) nothing() {
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	before := s.clone(rows)
	s.rollout(stepper, s.start(stepper, 2)) // so that the stepper holds other values
	s.step(stepper, rows, all, repeat(0))
	s.step(stepper, rows, []int32{}, []int32{})
	stepper.Forward(rows, []int32{})
	s.same(rows, before)
}

// notFinite: a NaN in the state or in the control is a fault of that world.
func (s *suite) notFinite() {
	for _, field := range []string{s.opt.Position, "control"} {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			s.fault(physics.FaultNotFinite, func(rows *physics.Rows, id int) {
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
	s.fault(physics.FaultEngine, func(rows *physics.Rows, id int) {
		s.opt.EngineError(s.model, rows.Row(id))
	})
}

// fault breaks one world and checks what Step and Forward make of it: the fault
// is reported, the row is kept, other worlds are unaffected, and the stepper goes on.
func (s *suite) fault(want physics.Fault, hurt func(rows *physics.Rows, id int)) {
	s.Helper()
	const sick = 2
	stepper := s.stepper(worlds)
	healthy := s.start(stepper, 1)
	rows := s.clone(healthy)
	s.step(stepper, healthy, all, repeat(substeps))

	good := slices.Clone(rows.Row(sick))
	hurt(rows, sick)
	row := slices.Clone(rows.Row(sick))
	first := slices.Clone(rows.Sample(sick, 0))
	derived := slices.Clone(rows.DerivedRow(sick))
	if faults := stepper.Step(rows, all, repeat(substeps)); faults != 1 {
		s.Fatalf("Step with a broken world: %d faults, want 1", faults)
	}
	if rows.Fault[sick] != want || stepper.FaultMessage(sick) == "" {
		s.Errorf("fault is %q, %q; want %q and a message", rows.Fault[sick], stepper.FaultMessage(sick), want)
	}
	s.Logf("%s: %s", rows.Fault[sick], stepper.FaultMessage(sick))
	s.sameBits("row of the broken world", rows.Row(sick), row)
	s.sameBits("derived values of the broken world", rows.DerivedRow(sick), derived)
	if rows.Boundary[sick] != 0 {
		s.Errorf("the broken world stands at boundary %d, want 0", rows.Boundary[sick])
	}
	for i, p := range s.out.Probes {
		if p.Stage == physics.Motion {
			s.sameBits("motion of the broken world at its boundary", s.spans()[i].In(rows.Sample(sick, 0)), s.spans()[i].In(first))
		}
	}
	for id := range worlds {
		if id == sick {
			continue
		}
		if rows.Fault[id] != physics.FaultNone || stepper.FaultMessage(int32(id)) != "" {
			s.Errorf("world %d: fault %q, %q beside a broken sibling", id, rows.Fault[id], stepper.FaultMessage(int32(id)))
		}
		s.sameBits("row beside a broken sibling", rows.Row(id), healthy.Row(id))
		s.sameBits("derived values beside a broken sibling", rows.DerivedRow(id), healthy.DerivedRow(id))
		for k := range int64(slots) {
			s.sameBits("sample beside a broken sibling", rows.Sample(id, k), healthy.Sample(id, k))
		}
	}

	if want == physics.FaultNotFinite {
		rows.Boundary[sick] = 3
		if faults := stepper.Forward(rows, all); faults != 1 || rows.Fault[sick] != want {
			s.Errorf("Forward with a broken world: %d faults, its fault %q; want 1, %q", faults, rows.Fault[sick], want)
		}
		if rows.Boundary[sick] != 3 {
			s.Errorf("Forward moved the broken world to boundary %d", rows.Boundary[sick])
		}
		s.sameBits("derived values of the broken world after Forward", rows.DerivedRow(sick), derived)
	}

	// once repaired, the world goes on as if nothing had happened
	copy(rows.Row(sick), good)
	rows.Boundary[sick] = 0
	if faults := stepper.Step(rows, all, repeat(substeps)); faults != 0 {
		s.Errorf("Step of the mended world: %d faults: %s", faults, stepper.FaultMessage(sick))
	}
	if rows.Fault[sick] != physics.FaultNone || stepper.FaultMessage(sick) != "" {
		s.Errorf("fault of the mended world is %q, %q", rows.Fault[sick], stepper.FaultMessage(sick))
	}
	s.sameBits("row of the mended world", rows.Row(sick), healthy.Row(sick))
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
		func() {
			defer func() {
				if recover() == nil {
					s.Errorf("%s: no panic", call.name)
				}
			}()
			call.do()
		}()
	}
}

// allocations: the step path makes none.
func (s *suite) allocations() {
	if !countAllocations {
		s.Skip("not with the address sanitizer")
	}
	stepper := s.stepper(worlds)
	rows := s.start(stepper, 1)
	n := repeat(substeps)
	if got := testing.AllocsPerRun(20, func() { stepper.Step(rows, all, n) }); got != 0 {
		s.Errorf("Step makes %v allocations", got)
	}
	if got := testing.AllocsPerRun(20, func() { stepper.Forward(rows, all) }); got != 0 {
		s.Errorf("Forward makes %v allocations", got)
	}
}

// close: closing twice is harmless, and a closed stepper says so.
func (s *suite) close() {
	stepper := s.stepper(1)
	s.must(stepper.Close())
	s.must(stepper.Close())
	defer func() {
		if recover() == nil {
			s.Error("Step of a closed stepper: no panic")
		}
	}()
	rows := s.newRows(1, s.out)
	stepper.Step(rows, []int32{0}, []int32{1})
}

// closeModel: a model that holds memory stays while a stepper is open, and closes
// once.
func (s *suite) closeModel() {
	if s.opt.OpenHandles == nil {
		s.Skip("it holds nothing")
	}
	with := s.opt.OpenHandles()
	stepper := s.stepper(1)
	if n := s.opt.OpenHandles(); n != with+1 {
		s.Errorf("%d handles with a stepper open, want %d", n, with+1)
	}
	if s.model.Close() == nil {
		s.Fatal("closed a model with a stepper open")
	}
	s.must(stepper.Close())
	for range 2 {
		s.must(s.model.Close())
	}
	if n := s.opt.OpenHandles(); n != with-1 {
		s.Errorf("%d handles after the model is closed, want %d", n, with-1)
	}
	if stepper, err := s.model.NewStepper(1, s.out); err == nil {
		s.check(stepper.Close())
		s.Error("made a stepper of a closed model")
	}
}

func swap(a, b []float64) {
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}

func fill(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}
