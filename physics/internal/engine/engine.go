// Package engine is the common part of engines: what a model answers from Go memory, the
// owners of C memory, and the checks before a call of a stepper.
package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Model is the part of a model that engines share. It implements [physics.Model] but for
// NewStepper and Close. What it answers is set when the model is compiled.
type Model struct {
	Engine     string   // prefix of messages
	Handles    *Counter // nil for an engine without C memory
	Fields     map[string]physics.Span
	Components []string // fields that the error of an unknown field lists
	Probes     map[string]physics.Vector
	Computed   map[string]int // sizes of the derived values
	Constants  map[string][]float64
	Nominals   map[string][]float64 // nominal values of the parameters
	Keyframes  map[string][]float64
	Initial    []float64
	Ranges     [][2]float64 // ranges of the controls

	mu     sync.Mutex
	handle handle
	owners int // number of open objects that were made from the model
}

// find returns what a name stands for; kind says what is looked for.
func find[T any](m *Model, kind, name string, known map[string]T) (T, error) {
	value, ok := known[name]
	if !ok {
		err := physics.UnknownError(kind, name, slices.Sorted(maps.Keys(known)))
		return value, fmt.Errorf("%s: %w", m.Engine, err)
	}
	return value, nil
}

// StateSize implements [physics.Model].
func (m *Model) StateSize() int { return len(m.Initial) }

// ControlSize implements [physics.Model].
func (m *Model) ControlSize() int { return len(m.Ranges) }

// ControlRange implements [physics.Model].
func (m *Model) ControlRange(i int) (lo, hi float64) { return m.Ranges[i][0], m.Ranges[i][1] }

// Field implements [physics.Model].
func (m *Model) Field(name string) (physics.Span, error) {
	span, err := find(m, "field", name, m.Fields)
	if err != nil {
		err = fmt.Errorf("%w (the state has %s)", err, strings.Join(m.Components, ", "))
	}
	return span, err
}

// InitialState implements [physics.Model].
func (m *Model) InitialState(dst []float64) { CopyState(m, dst, m.Initial) }

// CopyState copies a state row to dst, which has its length.
func CopyState(m *Model, dst, row []float64) {
	if len(dst) != len(row) {
		panic(fmt.Sprintf("%s: state row of %d values, want %d", m.Engine, len(dst), len(row)))
	}
	copy(dst, row)
}

// Keyframe implements [physics.Model].
func (m *Model) Keyframe(name string, dst []float64) error {
	state, err := find(m, "keyframe", name, m.Keyframes)
	if err == nil {
		CopyState(m, dst, state)
	}
	return err
}

// Probe implements [physics.Model].
func (m *Model) Probe(source string) (physics.Vector, error) {
	return find(m, "probe", source, m.Probes)
}

// Derived implements [physics.Model].
func (m *Model) Derived(source string) (physics.Vector, error) {
	size, err := find(m, "derived value", source, m.Computed)
	return physics.Vector{Source: source, Size: size}, err
}

// Constant implements [physics.Model].
func (m *Model) Constant(name string) ([]float64, error) {
	values, err := find(m, "constant", name, m.Constants)
	return slices.Clone(values), err
}

// Parameter implements [physics.Model].
func (m *Model) Parameter(source string) (physics.Vector, error) {
	values, err := find(m, "parameter", source, m.Nominals)
	return physics.Vector{Source: source, Size: len(values)}, err
}

// Nominal implements [physics.Model].
func (m *Model) Nominal(source string) ([]float64, error) {
	values, err := find(m, "parameter", source, m.Nominals)
	return slices.Clone(values), err
}

// Calls is the part of a stepper that each engine implements.
type Calls interface {
	// Call implements Step or, with nil n, Forward of [physics.Stepper]. There is at least one world, and the
	// arguments have been checked. It returns the number of faults and allocates nothing.
	Call(rows *physics.Rows, ids, n []int32) int

	// FaultMessage describes the fault of the i-th world of the last call.
	FaultMessage(i int) string

	// Delete frees the memory of the engine. It is called once.
	Delete()
}

// stepper implements [physics.Stepper]. One goroutine at a time may use it.
type stepper struct {
	Owner
	calls     Calls
	worlds    int
	stateSize int
	sizes     physics.Sizes
	last      []int32 // ids of the last call
}

// NewStepper checks its arguments and returns a stepper of the model p, whose common part is m,
// that makes the calls that open returns.
func NewStepper(m *Model, p physics.Model, worlds int, out physics.Outputs,
	open func() (Calls, error)) (physics.Stepper, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("%s: the number of worlds is %d, want at least 1", m.Engine, worlds)
	}
	if err := out.Check(p); err != nil {
		return nil, err
	}
	s := &stepper{worlds: worlds, stateSize: m.StateSize(), sizes: out.Sizes(), last: make([]int32, 0, worlds)}
	if err := Own(&s.Owner, m, "stepper", func() (_ func(), err error) {
		if s.calls, err = open(); err != nil {
			return nil, err
		}
		return s.calls.Delete, nil
	}); err != nil {
		return nil, err
	}
	return s, nil
}

// Step implements [physics.Stepper]. It panics on misuse, see [physics.Rows.CheckCall].
func (s *stepper) Step(rows *physics.Rows, ids, n []int32) int {
	if n == nil && len(ids) > 0 {
		panic(s.model.Engine + ": n is nil, want the number of substeps of each world")
	}
	return s.call(rows, ids, n)
}

// Forward implements [physics.Stepper]. Like Step it panics on misuse.
func (s *stepper) Forward(rows *physics.Rows, ids []int32) int { return s.call(rows, ids, nil) }

func (s *stepper) call(rows *physics.Rows, ids, n []int32) int {
	if s.Closed() {
		panic(s.model.Engine + ": the stepper is closed")
	}
	rows.CheckCall(s.worlds, s.stateSize, s.sizes, ids, n)
	s.last = append(s.last[:0], ids...)
	if len(ids) == 0 {
		return 0
	}
	return s.calls.Call(rows, ids, n)
}

// FaultMessage implements [physics.Stepper].
func (s *stepper) FaultMessage(id int32) string {
	i, ok := slices.BinarySearch(s.last, id)
	if !ok || s.Closed() {
		return ""
	}
	return s.calls.FaultMessage(i)
}
