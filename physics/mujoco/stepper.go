package mujoco

// #cgo noescape pr_call
// #cgo nocallback pr_call
// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/engine"
	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Fault codes cross the boundary as they are.
var (
	_ [0]struct{} = [physics.FaultEngine - C.PR_FAULT_ENGINE]struct{}{}
	_ [0]struct{} = [physics.FaultNotFinite - C.PR_FAULT_NOT_FINITE]struct{}{}
)

// batch is an mjBatch of one thread.
type batch struct {
	c          *C.pr_Stepper
	model      *Model
	parameters *parameterList
}

// NewStepper implements [physics.Model]. A Forward is mj_forward at each row.
func (m *Model) NewStepper(worlds int, out physics.Outputs) (physics.Stepper, error) {
	s, err := engine.NewStepper("mujoco", m, &m.lent, worlds, out)
	if err != nil {
		return nil, err
	}
	var probes []C.pr_Probe
	var refresh C.int = C.PR_REFRESH_NONE
	to := 0
	for _, p := range out.Probes {
		found := m.probes[p.Source]
		for _, part := range found.at {
			part.to = C.int32_t(to)
			to += int(part.size)
			probes = append(probes, part)
		}
		refresh = max(refresh, found.refresh)
	}
	values := make([]C.pr_Derived, len(out.Derived))
	var rne C.int
	to = 0
	for i, d := range out.Derived {
		found := m.derived[d.Source]
		values[i] = found.at
		values[i].to = C.int32_t(to)
		to += d.Size
		rne |= found.rne
	}

	parameters := m.listParameters(out.Parameters)
	var message [C.PR_MESSAGE]C.char
	c := C.pr_makeStepper(m.c, C.int(worlds), unsafe.SliceData(probes), C.int(len(probes)), refresh,
		unsafe.SliceData(values), C.int(len(values)), rne,
		unsafe.SliceData(parameters.c), C.int(len(parameters.c)),
		unsafe.SliceData(parameters.low), unsafe.SliceData(parameters.high), &message[0])
	if c == nil {
		parameters.free()
		return nil, s.Fail(oneLine(&message[0]))
	}
	s.Open(&batch{c, m, parameters}, handle.Watch(&handles, s, "stepper"))
	return s, nil
}

// Call implements [engine.Calls].
func (b *batch) Call(rows *physics.Rows, ids, n []int32) int {
	own := b.keptFor(rows)
	return int(C.pr_call(b.c,
		(*C.double)(unsafe.SliceData(rows.State)),
		(*C.double)(unsafe.SliceData(rows.Samples)), C.int(rows.Slots),
		(*C.double)(unsafe.SliceData(rows.Derived)),
		(*C.double)(unsafe.SliceData(rows.Parameters)),
		(*C.double)(unsafe.SliceData(own.known)), (*C.double)(unsafe.SliceData(own.constants)),
		(*C.uint8_t)(unsafe.SliceData(own.valid)),
		(*C.int64_t)(unsafe.SliceData(rows.Boundary)),
		(*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(rows.Fault))),
		(*C.int32_t)(unsafe.SliceData(ids)), (*C.int32_t)(unsafe.SliceData(n)), C.int(len(ids))))
}

// FaultMessage implements [engine.Calls].
func (b *batch) FaultMessage(i int) string { return oneLine(C.pr_faultMessage(b.c, C.int(i))) }

// Delete implements [engine.Calls].
func (b *batch) Delete() {
	n := C.pr_overflow(b.c)
	b.model.contactsLost.Add(int64(n.contacts))
	b.model.constraintsLost.Add(int64(n.constraints))
	C.pr_deleteStepper(b.c)
	b.parameters.free()
}
