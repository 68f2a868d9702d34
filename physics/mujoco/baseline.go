package mujoco

// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
)

// Baseline is a bare C loop over mj_step for a set of worlds: nothing is sampled, nothing checked. Benchmarks compare
// against it and tests take it as the oracle. It is for one goroutine at a time.
type Baseline struct {
	owner
	c      *C.pr_Baseline
	model  *Model
	worlds int
}

// NewBaseline makes a bare loop for worlds worlds, all in the model's initial state. It makes the engine calls that
// the derived values take, which are sources of [Model.Derived].
func NewBaseline(m *Model, worlds int, derived ...string) (*Baseline, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("mujoco: bare loop of %d worlds, want at least 1", worlds)
	}
	var rne C.int
	for _, source := range derived {
		if _, err := m.Derived(source); err != nil {
			return nil, err
		}
		rne |= m.derived[source].rne
	}
	r := &Baseline{model: m, worlds: worlds}
	if err := engine.Own(&r.owner, &m.base, "bare loop", func() (func(), error) {
		return func() { C.pr_deleteBaseline(r.c) }, try(func(message *C.char) bool {
			r.c = C.pr_makeBaseline(m.c, C.int(worlds), rne, message)
			return r.c != nil
		})
	}); err != nil {
		return nil, err
	}
	return r, nil
}

// Run plays a whole tape in one call into C. controls is steps × worlds × ControlSize. At each step each world first
// takes the state of row resets[step, world] of rows (k × StateSize) and calls mj_forward, unless that is -1; then
// its controls, and calls mj_step substeps times, then mj_rnePostConstraint where the loop's derived values take it.
// Nil resets means no resets. It fails if the engine raises an error, and then stands somewhere on the tape.
func (r *Baseline) Run(controls []float64, resets []int32, rows []float64, substeps int) error {
	r.mustHave(0)
	steps := physics.CheckTape(r.model, r.worlds, controls, resets, rows)
	if err := try(func(message *C.char) bool {
		return C.pr_runBaseline(r.c, doubles(controls), (*C.int32_t)(unsafe.SliceData(resets)), doubles(rows),
			C.int(steps), C.int(substeps), message) == 0
	}); err != nil {
		return fmt.Errorf("mujoco: bare loop: %w", err)
	}
	return nil
}

// State copies the state row of a world into dst, of length StateSize.
func (r *Baseline) State(world int, dst []float64) {
	row := make([]float64, r.model.StateSize())
	r.read(world, row, nil)
	engine.CopyState(&r.model.base, dst, row)
}

// SensorData returns a copy of a world's mjData.sensordata: after mj_step, the readings at the state before it.
func (r *Baseline) SensorData(world int) []float64 {
	data := make([]float64, int(r.model.c.nsensordata))
	r.read(world, nil, data)
	return data
}

// Derived returns a copy of a derived value as a world's mjData holds it.
func (r *Baseline) Derived(world int, source string) ([]float64, error) {
	d, err := r.model.Derived(source)
	if err != nil {
		return nil, err
	}
	r.mustHave(world)
	values := make([]float64, d.Size)
	C.pr_readDerived(r.c, C.int(world), r.model.derived[source].parts[0], doubles(values))
	return values, nil
}

func (r *Baseline) mustHave(world int) {
	if r.Closed() {
		panic("mujoco: the bare loop is closed")
	}
	if world < 0 || world >= r.worlds {
		panic(fmt.Sprintf("mujoco: world %d of a bare loop of %d", world, r.worlds))
	}
}

func (r *Baseline) read(world int, state, sensordata []float64) {
	r.mustHave(world)
	C.pr_readBaseline(r.c, C.int(world), doubles(state), doubles(sensordata))
}
