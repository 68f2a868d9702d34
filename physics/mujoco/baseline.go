package mujoco

// #include "baseline.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Baseline is a bare C loop over mj_step for a set of worlds: nothing is sampled,
// nothing checked. Benchmarks compare against it and tests take it as the
// oracle. It is for one goroutine at a time.
type Baseline struct {
	c      *C.pr_Baseline
	model  *Model
	handle handle.Handle
	worlds int
}

// NewBaseline makes a bare loop for worlds worlds, all in the model's initial state. It
// makes the engine calls that the derived values take, which are sources of
// [Model.Derived].
func NewBaseline(m *Model, worlds int, derived ...string) (*Baseline, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("mujoco: bare loop of %d worlds, want at least 1", worlds)
	}
	var rne C.int
	for _, source := range derived {
		d, err := m.derive(source)
		if err != nil {
			return nil, err
		}
		rne |= d.rne
	}
	if err := m.lent.Borrow(); err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	var message [C.PR_MESSAGE]C.char
	r := &Baseline{model: m, worlds: worlds, c: C.pr_makeBaseline(m.c, C.int(worlds), rne, &message[0])}
	if r.c == nil {
		m.lent.GiveBack()
		return nil, fmt.Errorf("mujoco: %s", oneLine(&message[0]))
	}
	r.handle = handle.Watch(&handles, r, "bare loop")
	return r, nil
}

// Run plays a whole tape in one call into C. controls is steps × worlds ×
// ControlSize. At each step each world first takes the state of row resets[step,
// world] of rows (k × StateSize) and calls mj_forward, unless that is -1; then
// its controls, and calls mj_step substeps times, then mj_rnePostConstraint where
// the loop's derived values take it. Nil resets means no resets.
// It fails if the engine raises an error, and then stands somewhere on the tape.
func (r *Baseline) Run(controls []float64, resets []int32, rows []float64, substeps int) error {
	if r.c == nil {
		panic("mujoco: the bare loop is closed")
	}
	steps := physics.CheckTape(r.model, r.worlds, controls, resets, rows)
	var message [C.PR_MESSAGE]C.char
	if C.pr_runRaw(r.c, (*C.double)(unsafe.SliceData(controls)), (*C.int32_t)(unsafe.SliceData(resets)),
		(*C.double)(unsafe.SliceData(rows)), C.int(steps), C.int(substeps), &message[0]) != 0 {
		return fmt.Errorf("mujoco: bare loop: %s", oneLine(&message[0]))
	}
	return nil
}

// State copies the state row of a world into dst, of length StateSize.
func (r *Baseline) State(world int, dst []float64) {
	mustHold(dst, r.model.stateSize)
	r.read(world, dst, nil)
}

// SensorData returns a copy of a world's mjData.sensordata: after mj_step, the
// readings at the state before it.
func (r *Baseline) SensorData(world int) []float64 {
	data := make([]float64, int(r.model.c.nsensordata))
	r.read(world, nil, data)
	return data
}

// Derived returns a copy of a derived value as a world's mjData holds it.
func (r *Baseline) Derived(world int, source string) ([]float64, error) {
	d, err := r.model.derive(source)
	if err != nil {
		return nil, err
	}
	r.mustHave(world)
	values := make([]float64, d.Size)
	C.pr_readRawDerived(r.c, C.int(world), d.at, (*C.double)(unsafe.SliceData(values)))
	return values, nil
}

func (r *Baseline) mustHave(world int) {
	if world < 0 || world >= r.worlds {
		panic(fmt.Sprintf("mujoco: world %d of a bare loop of %d", world, r.worlds))
	}
}

func (r *Baseline) read(world int, state, sensordata []float64) {
	r.mustHave(world)
	C.pr_readRaw(r.c, C.int(world), (*C.double)(unsafe.SliceData(state)), (*C.double)(unsafe.SliceData(sensordata)))
}

// Close frees the loop. Closing a second time does nothing.
func (r *Baseline) Close() error {
	if r.handle.Close() {
		C.pr_deleteRaw(r.c)
		r.c = nil
		r.model.lent.GiveBack()
	}
	return nil
}
