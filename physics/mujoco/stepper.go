package mujoco

// #cgo noescape pr_call
// #cgo nocallback pr_call
// #include "shim.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
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
	c           *C.pr_Stepper
	model       *Model
	handle      handle.Handle
	worlds      int
	sampleSize  int
	derivedSize int
	last        []int32 // ids of the last call
}

// NewStepper implements [physics.Model].
func (m *Model) NewStepper(worlds int, out physics.Outputs) (physics.Stepper, error) {
	if worlds < 1 {
		return nil, fmt.Errorf("mujoco: stepper for %d worlds, want at least 1", worlds)
	}
	if err := out.Check(m); err != nil {
		return nil, err
	}
	s := &Stepper{model: m, worlds: worlds, last: make([]int32, 0, worlds)}
	probes := make([]C.pr_Probe, len(out.Probes))
	var refresh C.int = C.PR_REFRESH_NONE
	for i, p := range out.Probes {
		found := m.probes[p.Source]
		probes[i] = found.at
		probes[i].to = C.int32_t(s.sampleSize)
		s.sampleSize += p.Size
		refresh = max(refresh, found.refresh)
	}
	values := make([]C.pr_Derived, len(out.Derived))
	var rne C.int
	for i, d := range out.Derived {
		found := m.derived[d.Source]
		values[i] = found.at
		values[i].to = C.int32_t(s.derivedSize)
		s.derivedSize += d.Size
		rne |= found.rne
	}

	if err := m.lent.Borrow(); err != nil {
		return nil, fmt.Errorf("mujoco: %w", err)
	}
	var message [C.PR_MESSAGE]C.char
	s.c = C.pr_makeStepper(m.c, C.int(worlds), unsafe.SliceData(probes), C.int(len(probes)), refresh,
		unsafe.SliceData(values), C.int(len(values)), rne, &message[0])
	if s.c == nil {
		m.lent.GiveBack()
		return nil, fmt.Errorf("mujoco: %s", oneLine(&message[0]))
	}
	s.handle = handle.Watch(&handles, s, "stepper")
	return s, nil
}

// Step implements [physics.Stepper]. It panics on misuse, see
// [physics.Rows.CheckCall].
func (s *Stepper) Step(rows *physics.Rows, ids, n []int32) int {
	if n == nil && len(ids) > 0 {
		panic("mujoco: Step without the numbers of substeps")
	}
	return s.call(rows, ids, n)
}

// Forward implements [physics.Stepper]: mj_forward at each row. Like Step it
// panics on misuse.
func (s *Stepper) Forward(rows *physics.Rows, ids []int32) int {
	return s.call(rows, ids, nil)
}

// call is a Step, or with nil n a Forward.
func (s *Stepper) call(rows *physics.Rows, ids, n []int32) int {
	s.begin(rows, ids, n)
	if len(ids) == 0 {
		return 0
	}
	return int(C.pr_call(s.c,
		(*C.double)(unsafe.SliceData(rows.State)),
		(*C.double)(unsafe.SliceData(rows.Samples)), C.int(rows.Slots),
		(*C.double)(unsafe.SliceData(rows.Derived)),
		(*C.int64_t)(unsafe.SliceData(rows.Boundary)),
		(*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(rows.Fault))),
		(*C.int32_t)(unsafe.SliceData(ids)), (*C.int32_t)(unsafe.SliceData(n)), C.int(len(ids))))
}

// begin holds the arguments of a call to what C relies on.
func (s *Stepper) begin(rows *physics.Rows, ids, n []int32) {
	if s.c == nil {
		panic("mujoco: the stepper is closed")
	}
	rows.CheckCall(s.worlds, s.model.stateSize, s.sampleSize, s.derivedSize, ids, n)
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
	if s.handle.Close() {
		n := C.pr_overflow(s.c)
		s.model.contactsLost.Add(int64(n.contacts))
		s.model.constraintsLost.Add(int64(n.constraints))
		C.pr_deleteStepper(s.c)
		s.c = nil
		s.model.lent.GiveBack()
	}
	return nil
}
