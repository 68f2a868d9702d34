// Package engine is the common part of the steppers of engines in C: the checks before
// a call, the lookup of fault messages, and closing.
package engine

import (
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Calls is the part of a stepper that each engine implements.
type Calls interface {
	// Call implements Step or, with nil n, Forward of [physics.Stepper]. There is at least
	// one world, and the arguments have been checked. It returns the number of faults and
	// allocates nothing.
	Call(rows *physics.Rows, ids, n []int32) int

	// FaultMessage describes the fault of the i-th world of the last call.
	FaultMessage(i int) string

	// Delete frees the memory of the engine. It is called once.
	Delete()
}

// Stepper implements [physics.Stepper] for an engine. One goroutine at a time may use
// it.
type Stepper struct {
	engine    string         // the prefix of messages
	calls     Calls          // nil once the stepper is closed
	lent      *handle.Lender // of the model
	handle    handle.Handle
	worlds    int
	stateSize int
	sizes     physics.Sizes
	last      []int32 // ids of the last call
}

// NewStepper checks its arguments and borrows the model m from lent. The caller then
// calls either [Stepper.Open] or [Stepper.Fail].
func NewStepper(engine string, m physics.Model, lent *handle.Lender, worlds int, out physics.Outputs) (*Stepper, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("%s: the number of worlds is %d, want at least 1", engine, worlds)
	}
	if err := out.Check(m); err != nil {
		return nil, err
	}
	if err := lent.Borrow(); err != nil {
		return nil, fmt.Errorf("%s: %w", engine, err)
	}
	return &Stepper{
		engine: engine, lent: lent, worlds: worlds, stateSize: m.StateSize(),
		sizes: out.Sizes(),
		last:  make([]int32, 0, worlds),
	}, nil
}

// Open completes the stepper. h is a handle for it.
func (s *Stepper) Open(calls Calls, h handle.Handle) { s.calls, s.handle = calls, h }

// Fail gives the model back and returns an error with a message of the engine.
func (s *Stepper) Fail(message string) error {
	s.lent.GiveBack()
	return fmt.Errorf("%s: %s", s.engine, message)
}

// Step implements [physics.Stepper]. It panics on misuse, see
// [physics.Rows.CheckCall].
func (s *Stepper) Step(rows *physics.Rows, ids, n []int32) int {
	if n == nil && len(ids) > 0 {
		panic(s.engine + ": n is nil, want the number of substeps of each world")
	}
	return s.call(rows, ids, n)
}

// Forward implements [physics.Stepper]. Like Step it panics on misuse.
func (s *Stepper) Forward(rows *physics.Rows, ids []int32) int { return s.call(rows, ids, nil) }

func (s *Stepper) call(rows *physics.Rows, ids, n []int32) int {
	if s.calls == nil {
		panic(s.engine + ": the stepper is closed")
	}
	rows.CheckCall(s.worlds, s.stateSize, s.sizes, ids, n)
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
