// Package physicstest checks that a physics engine keeps the contract of package
// physics, as testing/fstest does for file systems. An engine's test calls [Run].
//
// Every comparison is of bits: an engine that is nearly reproducible fails.
package physicstest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Options tells the suite what it cannot know of an engine.
type Options struct {
	// Sources are the probes to sample: at least one Motion and one Force.
	Sources []string

	// Derived are the derived values to ask for, and Constant a constant of the scene. An engine may have none.
	Derived  []string
	Constant string

	// Parameters are the parameters to give each world of its own: the suite scales their values. An engine may have
	// none. BadParameter is a finite value that the first value of the first must not have, such as -1 for a mass.
	Parameters   []string
	BadParameter float64

	// Position names a field of the state in which a NaN must be a FaultNotFinite.
	Position string

	// Control bounds the random controls: uniform in [-Control, Control], within the control's own range. 0 means 1.
	Control float64

	// Velocity names a field of the state that gets small random values at
	// the start, so that the worlds differ. "" leaves the initial state.
	Velocity string

	// EngineError writes a state into a row for which the engine raises an
	// error within one call of a few substeps. Nil skips that check.
	EngineError func(m physics.Model, row []float64)

	// OpenHandles counts models and steppers, and what else an engine opens, that
	// are not closed. Nil skips those checks.
	OpenHandles func() int
}

// The size of the suite's block of worlds, its calls and its rings.
const (
	worlds   = 5
	substeps = 4
	calls    = 6
	slots    = substeps + 2 // not a divisor of the boundaries reached, so that the ring wraps
)

// AddressSanitizer reports whether the test runs under it, which changes what allocations do.
var AddressSanitizer bool

// Run checks the engine behind newModel, which must return the same scene each time; Run closes the models.
func Run(t *testing.T, newModel func(testing.TB) physics.Model, opt Options) {
	if opt.Control == 0 {
		opt.Control = 1
	}
	for _, check := range []struct {
		name string
		run  func(*suite)
	}{
		{"names", (*suite).names},
		{"sizes", (*suite).sizes},
		{"moves", (*suite).moves},
		{"fused", (*suite).fusion},
		{"grouping", (*suite).grouping},
		{"scribble", (*suite).scribble},
		{"parallel", (*suite).parallel},
		{"restore", (*suite).restore},
		{"samples", (*suite).samples},
		{"forward", (*suite).forward},
		{"future", (*suite).future},
		{"row decides", (*suite).rowDecides},
		{"parameters", (*suite).parameters},
		{"parameters change", (*suite).parametersChange},
		{"bad parameters", (*suite).badParameters},
		{"subset", (*suite).subset},
		{"nothing", (*suite).noSubsteps},
		{"not finite", (*suite).notFinite},
		{"engine error", (*suite).engineError},
		{"misuse", (*suite).misuse},
		{"allocations", (*suite).allocations},
		{"close", (*suite).close},
		{"close model", (*suite).closeModel},
	} {
		t.Run(check.name, func(t *testing.T) {
			if opt.OpenHandles != nil {
				handles := opt.OpenHandles()
				t.Cleanup(func() {
					if n := opt.OpenHandles(); n != handles {
						t.Errorf("%d handles open, want %d", n, handles)
					}
				})
			}
			s := &suite{T: t, opt: opt, model: newModel(t)}
			s.closing(s.model)
			for _, kind := range []struct {
				target  *[]physics.Vector
				sources []string
				find    func(source string) (physics.Vector, error)
			}{
				{&s.out.Probes, opt.Sources, s.model.Probe},
				{&s.out.Derived, opt.Derived, s.model.Derived},
				{&s.out.Parameters, opt.Parameters, s.model.Parameter},
			} {
				for _, source := range kind.sources {
					*kind.target = append(*kind.target, polytest.Must(kind.find(source))(t))
				}
			}
			check.run(s)
		})
	}
}

type suite struct {
	*testing.T
	opt   Options
	model physics.Model
	out   physics.Outputs
}

// closing closes something at the end of the check, and once more, which is harmless.
func (s *suite) closing(c io.Closer) {
	s.Cleanup(func() {
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			s.Error(err)
		}
	})
}

// stepper makes a stepper that is closed at the end.
func (s *suite) stepper(worlds int) physics.Stepper {
	s.Helper()
	stepper := polytest.Must(s.model.NewStepper(worlds, s.out))(s)
	s.closing(stepper)
	return stepper
}

// newRows makes rows that are closed at the end.
func (s *suite) newRows(worlds int, out physics.Outputs) *physics.Rows {
	rows := physics.NewRows(s.model, worlds, out, slots)
	s.closing(rows)
	return rows
}

// start returns rows whose worlds all differ, made consistent by stepper.
func (s *suite) start(stepper physics.Stepper, seed uint64) *physics.Rows {
	s.Helper()
	rows := s.newRows(worlds, s.out)
	for id := range worlds {
		s.push(rows, id, seed)
		s.vary(rows, id, seed)
		if s.opt.Velocity != "" {
			random := rand.New(rand.NewPCG(seed, uint64(id)))
			velocity := s.field(rows, id, s.opt.Velocity)
			for i := range velocity {
				velocity[i] = 0.2 * (random.Float64() - 0.5)
			}
		}
	}
	if faults := stepper.Forward(rows, all); faults != 0 {
		s.Fatalf("Forward at the start: %d faults, the first: %s", faults, s.firstFault(stepper, rows))
	}
	return rows
}

// vary scales the parameters of a world, by factors that depend on it and on the seed.
func (s *suite) vary(rows *physics.Rows, id int, seed uint64) {
	s.Helper()
	random := rand.New(rand.NewPCG(seed, 2000+uint64(id)))
	row := rows.ParameterRow(id)
	for i, nominal := range s.nominal() {
		row[i] = nominal * (0.8 + 0.4*random.Float64())
	}
}

func (s *suite) nominal() []float64 {
	s.Helper()
	var row []float64
	for _, p := range s.out.Parameters {
		row = append(row, polytest.Must(s.model.Nominal(p.Source))(s)...)
	}
	return row
}

// push writes a control that depends on the world and on call alone.
func (s *suite) push(rows *physics.Rows, id int, call uint64) {
	s.Helper()
	random := rand.New(rand.NewPCG(call, 1000+uint64(id)))
	for i, control := 0, rows.Control(id); i < len(control); i++ {
		lo, hi := s.model.ControlRange(i)
		lo, hi = max(lo, -s.opt.Control), min(hi, s.opt.Control)
		control[i] = lo + (hi-lo)*random.Float64()
	}
}

func (s *suite) pushAll(rows *physics.Rows, call uint64) {
	s.Helper()
	for id := range worlds {
		s.push(rows, id, call)
	}
}

func (s *suite) field(rows *physics.Rows, id int, name string) []float64 {
	s.Helper()
	return polytest.Must(s.model.Field(name))(s).In(rows.Row(id))
}

func (s *suite) step(stepper physics.Stepper, rows *physics.Rows, ids, n []int32) {
	s.Helper()
	if faults := stepper.Step(rows, ids, n); faults != 0 {
		s.Fatalf("Step: %d faults, the first: %s", faults, s.firstFault(stepper, rows))
	}
}

func (s *suite) firstFault(stepper physics.Stepper, rows *physics.Rows) string {
	for id, fault := range rows.Fault {
		if fault != physics.FaultNone {
			return fmt.Sprintf("world %d, %s: %s", id, fault, stepper.FaultMessage(int32(id)))
		}
	}
	return "none"
}

// rollout is the reference: calls of all worlds, substeps substeps each.
func (s *suite) rollout(stepper physics.Stepper, rows *physics.Rows) {
	s.Helper()
	for call := range calls {
		s.pushAll(rows, uint64(call))
		s.step(stepper, rows, all, repeat(substeps))
	}
}

// same compares everything the rows hold, bit by bit.
func (s *suite) same(got, want *physics.Rows) {
	s.Helper()
	s.sameBits("states", state(got), state(want))
	s.sameBits("samples", got.Samples, want.Samples)
	s.sameBits("derived values", got.Derived, want.Derived)
	s.sameBits("parameters", got.Parameters, want.Parameters)
	if !slices.Equal(got.Boundary, want.Boundary) {
		s.Errorf("boundaries are %v, want %v", got.Boundary, want.Boundary)
	}
	if !slices.Equal(got.Fault, want.Fault) {
		s.Errorf("faults are %v, want %v", got.Fault, want.Fault)
	}
}

func (s *suite) sameBits(subject string, got, want []float64) {
	s.Helper()
	if i := firstDifference(got, want); i >= 0 {
		s.Errorf("%s: value %d of %d is %v, want %v", subject, i, len(want), got[i], want[i])
	}
}

// firstDifference returns the first index at which two slices of one length differ in bits, -1 if none.
func firstDifference(a, b []float64) int {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return i
		}
	}
	return -1
}

// all holds the ids of the suite's worlds.
var all = func() []int32 {
	ids := make([]int32, worlds)
	for i := range ids {
		ids[i] = int32(i)
	}
	return ids
}()

func repeat(n int32) []int32 {
	return slices.Repeat([]int32{n}, worlds)
}

// clone copies rows, without what the engine keeps for them; the copy is closed at the end.
func (s *suite) clone(r *physics.Rows) *physics.Rows {
	c := r.Clone()
	s.closing(c)
	return c
}

// state copies all state rows, without giving them out to be written.
func state(r *physics.Rows) []float64 {
	all := make([]float64, r.Worlds*r.StateSize)
	for id := range r.Worlds {
		r.Read(id).CopyTo(all[id*r.StateSize:][:r.StateSize])
	}
	return all
}

func (s *suite) spans() []physics.Span {
	spans := make([]physics.Span, len(s.out.Probes))
	offset := 0
	for i, p := range s.out.Probes {
		spans[i] = physics.Span{Offset: offset, Len: p.Size}
		offset += p.Size
	}
	return spans
}
