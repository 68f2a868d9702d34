package mujoco

// #cgo noescape pr_step
// #cgo nocallback pr_step
// #cgo noescape pr_forward
// #cgo nocallback pr_forward
// #include "shim.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Fault codes cross the boundary as they are.
var (
	_ [0]struct{} = [physics.FaultEngine - C.PR_FAULT_ENGINE]struct{}{}
	_ [0]struct{} = [physics.FaultNotFinite - C.PR_FAULT_NOT_FINITE]struct{}{}
)

// Stepper is an mjBatch of one thread. It implements [physics.Stepper]: one
// goroutine at a time, no allocation and one call into C per Step or Forward.
type Stepper struct {
	c          *C.pr_Stepper
	model      *Model
	handle     handle
	worlds     int
	sampleSize int
	last       []int32 // ids of the last call
}

// NewStepper implements [physics.Model].
func (m *Model) NewStepper(worlds int, probes []physics.Probe) (physics.Stepper, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("mujoco: stepper for %d worlds, want at least 1", worlds)
	}
	s := &Stepper{model: m, worlds: worlds, last: make([]int32, 0, worlds)}
	at := make([]C.pr_Probe, len(probes))
	var refresh C.int = C.PR_REFRESH_NONE
	for i, want := range probes {
		p, err := m.probe(want.Source)
		if err != nil {
			return nil, err
		}
		if p.Probe != want {
			return nil, fmt.Errorf("mujoco: probe %+v, want %+v as Probe returned it", want, p.Probe)
		}
		at[i] = p.at
		at[i].to = C.int32_t(s.sampleSize)
		s.sampleSize += p.Size
		refresh = max(refresh, p.refresh)
	}

	if err := m.borrow(); err != nil {
		return nil, err
	}
	var message [C.PR_MESSAGE]C.char
	s.c = C.pr_makeStepper(m.c, C.int(worlds), unsafe.SliceData(at), C.int(len(at)), refresh, &message[0])
	if s.c == nil {
		m.giveBack()
		return nil, fmt.Errorf("mujoco: %s", oneLine(&message[0]))
	}
	s.handle = watch(s, "stepper")
	return s, nil
}

// Step implements [physics.Stepper]. It panics on misuse, see
// [physics.Rows.CheckCall].
func (s *Stepper) Step(rows *physics.Rows, ids, n []int32) int {
	s.begin(rows, ids, n)
	if len(ids) == 0 {
		return 0
	}
	return int(C.pr_step(s.c,
		(*C.double)(unsafe.SliceData(rows.State)),
		(*C.double)(unsafe.SliceData(rows.Samples)), C.int(rows.SampleSize), C.int(rows.Slots),
		(*C.int64_t)(unsafe.SliceData(rows.Boundary)),
		(*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(rows.Fault))),
		(*C.int32_t)(unsafe.SliceData(ids)), (*C.int32_t)(unsafe.SliceData(n)), C.int(len(ids))))
}

// Forward implements [physics.Stepper]: mj_forward at each row. Like Step it
// panics on misuse.
func (s *Stepper) Forward(rows *physics.Rows, ids []int32) int {
	s.begin(rows, ids, nil)
	if len(ids) == 0 {
		return 0
	}
	return int(C.pr_forward(s.c,
		(*C.double)(unsafe.SliceData(rows.State)),
		(*C.double)(unsafe.SliceData(rows.Samples)), C.int(rows.SampleSize), C.int(rows.Slots),
		(*C.int64_t)(unsafe.SliceData(rows.Boundary)),
		(*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(rows.Fault))),
		(*C.int32_t)(unsafe.SliceData(ids)), C.int(len(ids))))
}

// begin holds the arguments of a call to what C relies on.
func (s *Stepper) begin(rows *physics.Rows, ids, n []int32) {
	if s.c == nil {
		panic("mujoco: the stepper is closed")
	}
	rows.CheckCall(s.worlds, s.model.stateSize, s.sampleSize, ids, n)
	s.last = append(s.last[:0], ids...)
}

// FaultMessage implements [physics.Stepper].
func (s *Stepper) FaultMessage(id int32) string {
	i, ok := slices.BinarySearch(s.last, id)
	if !ok || s.c == nil {
		return ""
	}
	return oneLine(C.pr_faultMessage(s.c, C.int(i)))
}

// Close implements [physics.Stepper]. Closing a second time does nothing.
func (s *Stepper) Close() error {
	if s.handle.close() {
		C.pr_deleteStepper(s.c)
		s.c = nil
		s.model.giveBack()
	}
	return nil
}
