package box2d

// #include "baseline.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Baseline is a bare C++ loop over b2World::Step for a set of worlds that live on: nothing is
// sampled, nothing checked, nothing stored in rows. Benchmarks compare against it and
// tests take it as the oracle. It is for one goroutine at a time.
type Baseline struct {
	c           *C.pb_Raw
	model       *Model
	handle      handle.Handle
	worlds      int
	derivedSize int
	failed      bool // a run failed: the worlds hold no valid state
}

// NewBaseline makes a bare loop for worlds worlds, all in the model's initial state. After each
// step it reads the derived values, which are sources of [Model.Derived].
func NewBaseline(m *Model, worlds int, derived ...string) (*Baseline, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("box2d: bare loop of %d worlds, want at least 1", worlds)
	}
	r := &Baseline{model: m, worlds: worlds}
	var outputs []C.pb_Output
	for _, source := range derived {
		d, err := m.Derived(source)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, m.outputs[source].at)
		outputs[len(outputs)-1].to = C.int32_t(r.derivedSize)
		r.derivedSize += d.Size
	}
	if err := m.lent.Borrow(); err != nil {
		return nil, fmt.Errorf("box2d: %w", err)
	}
	var message [C.PB_MESSAGE]C.char
	r.c = C.pb_makeRaw(m.c, C.int(worlds), (*C.double)(unsafe.SliceData(m.initial)),
		unsafe.SliceData(outputs), C.int(len(outputs)), C.int(r.derivedSize), &message[0])
	if r.c == nil {
		m.lent.GiveBack()
		return nil, fmt.Errorf("box2d: %s", C.GoString(&message[0]))
	}
	r.handle = handle.Watch(&handles, r, "bare loop")
	return r, nil
}

// Run plays a whole tape in one call into C++. controls is steps × worlds × ControlSize.
// At each step each world is first built anew from row resets[step, world] of rows (k ×
// StateSize), unless that is -1; then, substeps times, its controls are applied and
// b2World::Step is called; then the derived values are read. Nil resets means no resets.
// It fails if a world faults; the loop cannot be used after that.
func (r *Baseline) Run(controls []float64, resets []int32, rows []float64, substeps int) error {
	r.mustBeUsable()
	steps := physics.CheckTape(r.model, r.worlds, controls, resets, rows)
	var message [C.PB_MESSAGE]C.char
	if C.pb_runRaw(r.c, (*C.double)(unsafe.SliceData(controls)), (*C.int32_t)(unsafe.SliceData(resets)),
		(*C.double)(unsafe.SliceData(rows)), C.int(steps), C.int(substeps), &message[0]) != 0 {
		r.failed = true
		return fmt.Errorf("box2d: bare loop: %s", C.GoString(&message[0]))
	}
	return nil
}

// State copies the state row of a world into dst, of length StateSize, with the control of
// the last step.
func (r *Baseline) State(world int, dst []float64) {
	if len(dst) != r.model.stateSize {
		panic(fmt.Sprintf("box2d: state row of %d values, want %d", len(dst), r.model.stateSize))
	}
	r.read(world, dst)
}

// Derived returns a copy of the derived values of a world, in the order in which the
// loop was made for them; 0 before the first step.
func (r *Baseline) Derived(world int) []float64 {
	return r.read(world, make([]float64, r.model.stateSize))
}

// read writes the state to dst and returns the derived values.
func (r *Baseline) read(world int, dst []float64) []float64 {
	r.mustBeUsable()
	if world < 0 || world >= r.worlds {
		panic(fmt.Sprintf("box2d: world %d of a bare loop of %d", world, r.worlds))
	}
	derived := make([]float64, r.derivedSize)
	C.pb_readRaw(r.c, C.int(world), (*C.double)(unsafe.SliceData(dst)), (*C.double)(unsafe.SliceData(derived)))
	return derived
}

func (r *Baseline) mustBeUsable() {
	if r.c == nil {
		panic("box2d: the bare loop is closed")
	}
	if r.failed {
		panic("box2d: the bare loop has failed before")
	}
}

// Close frees the loop. Closing a second time does nothing.
func (r *Baseline) Close() error {
	if r.handle.Close() {
		C.pb_deleteRaw(r.c)
		r.c = nil
		r.model.lent.GiveBack()
	}
	return nil
}
