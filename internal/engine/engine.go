// Package engine holds what is the same in the steppers of every engine that works in C:
// what is checked before a call, what a fault's message belongs to, and how they close.
package engine

import (
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Calls is an engine's own part of a stepper.
type Calls interface {
	// Call is a Step of worlds or, with nil n, a Forward. There is at least one world, and
	// the arguments are as [physics.Stepper] demands. It returns the number of faults and
	// allocates nothing.
	Call(rows *physics.Rows, ids, n []int32) int

	// FaultMessage describes the fault of the i-th world of the last call.
	FaultMessage(i int) string

	// Delete frees the memory. It is called once.
	Delete()
}

// Stepper implements [physics.Stepper] for an engine. One goroutine at a time may use
// it.
type Stepper struct {
	engine      string         // what messages begin with
	calls       Calls          // nil once it is closed
	lent        *handle.Lender // of the model
	handle      handle.Handle
	worlds      int
	stateSize   int
	sampleSize  int
	derivedSize int
	last        []int32 // ids of the last call
}

// NewStepper checks what a stepper is to be made for and borrows the model m. Complete
// it by [Stepper.Open] or give it up by [Stepper.Fail].
func NewStepper(engine string, m physics.Model, lent *handle.Lender, worlds int, out physics.Outputs) (*Stepper, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("%s: stepper for %d worlds, want at least 1", engine, worlds)
	}
	if err := out.Check(m); err != nil {
		return nil, err
	}
	if err := lent.Borrow(); err != nil {
		return nil, fmt.Errorf("%s: %w", engine, err)
	}
	return &Stepper{
		engine: engine, lent: lent, worlds: worlds, stateSize: m.StateSize(),
		sampleSize: out.SampleSize(), derivedSize: out.DerivedSize(),
		last: make([]int32, 0, worlds),
	}, nil
}

// Open gives the stepper its engine. h watches over the stepper.
func (s *Stepper) Open(calls Calls, h handle.Handle) { s.calls, s.handle = calls, h }

// Fail gives the model back and returns the error that a message of the engine is.
func (s *Stepper) Fail(message string) error {
	s.lent.GiveBack()
	return fmt.Errorf("%s: %s", s.engine, message)
}

// Step implements [physics.Stepper]. It panics on misuse, see
// [physics.Rows.CheckCall].
func (s *Stepper) Step(rows *physics.Rows, ids, n []int32) int {
	if n == nil && len(ids) > 0 {
		panic(s.engine + ": Step without the numbers of substeps")
	}
	return s.call(rows, ids, n)
}

// Forward implements [physics.Stepper]. Like Step it panics on misuse.
func (s *Stepper) Forward(rows *physics.Rows, ids []int32) int { return s.call(rows, ids, nil) }

func (s *Stepper) call(rows *physics.Rows, ids, n []int32) int {
	if s.calls == nil {
		panic(s.engine + ": the stepper is closed")
	}
	rows.CheckCall(s.worlds, s.stateSize, s.sampleSize, s.derivedSize, ids, n)
	s.last = append(s.last[:0], ids...)
	if len(ids) == 0 {
		return 0
	}
	return s.calls.Call(rows, ids, n)
}

// FaultMessage implements [physics.Stepper].
func (s *Stepper) FaultMessage(id int32) string {
	i, ok := slices.BinarySearch(s.last, id)
	if !ok || s.calls == nil {
		return ""
	}
	return s.calls.FaultMessage(i)
}

// Close implements [physics.Stepper]. Closing a second time does nothing.
func (s *Stepper) Close() error {
	if s.handle.Close() {
		s.calls.Delete()
		s.calls = nil
		s.lent.GiveBack()
	}
	return nil
}
