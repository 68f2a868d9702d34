package box2d

// #include "shim.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
)

// Baseline is a bare C++ loop over b2World::Step for a set of worlds that live on: nothing is
// sampled, nothing checked, nothing stored in rows. Benchmarks compare against it and
// tests take it as the oracle. It is for one goroutine at a time.
type Baseline struct {
	*live
	outputs        []C.pb_Output
	derivedSize    int
	state, derived []float64 // rows of all worlds
}

// NewBaseline makes a bare loop for worlds worlds, all in the model's initial state. After each
// step it reads the derived values, which are sources of [Model.Derived].
func NewBaseline(m *Model, worlds int, derived ...string) (*Baseline, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("box2d: bare loop of %d worlds, want at least 1", worlds)
	}
	r := &Baseline{state: slices.Clip(slices.Repeat(m.Initial, worlds))}
	for _, source := range derived {
		if _, err := m.Derived(source); err != nil {
			return nil, err
		}
		r.outputs, r.derivedSize = m.appendOutput(r.outputs, source, r.derivedSize)
	}
	r.derived = make([]float64, worlds*r.derivedSize)
	var err error
	r.live, err = m.newLive(worlds)
	return r, err
}

// Run plays a whole tape in one call into C++. controls is steps × worlds × ControlSize. At each step each world is
// first built anew from row resets[step, world] of rows (k × StateSize), unless that is -1; then, substeps times, its
// controls are applied and b2World::Step is called; then the derived values are read. Nil resets means no resets. If
// a world faults it fails, and closes the loop.
func (r *Baseline) Run(controls []float64, resets []int32, rows []float64, substeps int) error {
	r.mustBeOpen()
	steps := physics.CheckTape(r.model, r.worlds, controls, resets, rows)
	var message [C.PB_MESSAGE]C.char
	if C.pb_run(r.c, doubles(r.state), unsafe.SliceData(r.outputs), C.int(len(r.outputs)),
		doubles(r.derived), C.int(r.derivedSize), doubles(controls), (*C.int32_t)(unsafe.SliceData(resets)),
		doubles(rows), C.int(steps), C.int(substeps), &message[0]) != 0 {
		r.Close()
		return fmt.Errorf("box2d: bare loop: %s", C.GoString(&message[0]))
	}
	for id := range r.worlds {
		control := r.model.Fields["control"].In(r.row(id))
		copy(control, controls[max(len(controls)-(r.worlds-id)*len(control), 0):])
	}
	return nil
}

// State copies the state row of a world into dst, of length StateSize, with the control of the last step.
func (r *Baseline) State(world int, dst []float64) {
	r.mustBeOpen()
	row := r.row(world)
	C.pb_store(r.c, C.int(world), doubles(row))
	engine.CopyState(&r.model.base, dst, row)
}

// Derived returns a copy of the derived values of a world, in the order in which the
// loop was made for them; 0 before the first step.
func (r *Baseline) Derived(world int) []float64 {
	r.mustBeOpen()
	return slices.Clone(physics.Span{Offset: world * r.derivedSize, Len: r.derivedSize}.In(r.derived))
}

func (r *Baseline) row(world int) []float64 {
	size := r.model.StateSize()
	return physics.Span{Offset: world * size, Len: size}.In(r.state)
}

func (r *Baseline) mustBeOpen() {
	if r.Closed() {
		panic("box2d: the bare loop is closed")
	}
}
