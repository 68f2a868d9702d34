package box2d

// #cgo noescape pb_call
// #cgo nocallback pb_call
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/engine"
	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Fault codes cross the boundary as they are.
var (
	_ [0]struct{} = [physics.FaultEngine - C.PB_FAULT_ENGINE]struct{}{}
	_ [0]struct{} = [physics.FaultNotFinite - C.PB_FAULT_NOT_FINITE]struct{}{}
)

// stepper is the C part of a stepper.
type stepper struct {
	c     *C.pb_Stepper
	model *Model
}

// NewStepper implements [physics.Model]. The first call with some rows makes room for
// their worlds. Where Force probes are sampled by a Forward, they are those of the next
// substep, which it takes and forgets.
func (m *Model) NewStepper(worlds int, out physics.Outputs) (physics.Stepper, error) {
	s, err := engine.NewStepper("box2d", m, &m.lent, worlds, out)
	if err != nil {
		return nil, err
	}
	var probes, derived []C.pb_Output
	to := 0
	for _, p := range out.Probes {
		probes = append(probes, m.outputs[p.Source].at)
		probes[len(probes)-1].to = C.int32_t(to)
		to += p.Size
	}
	to = 0
	for _, d := range out.Derived {
		derived = append(derived, m.outputs[d.Source].at)
		derived[len(derived)-1].to = C.int32_t(to)
		to += d.Size
	}

	var message [C.PB_MESSAGE]C.char
	c := C.pb_makeStepper(m.c, C.int(worlds),
		unsafe.SliceData(probes), C.int(len(probes)), C.int(out.SampleSize()),
		unsafe.SliceData(derived), C.int(len(derived)), C.int(out.DerivedSize()), &message[0])
	if c == nil {
		return nil, s.Fail(C.GoString(&message[0]))
	}
	s.Open(&stepper{c, m}, handle.Watch(&handles, s, "stepper"))
	return s, nil
}

// Call implements [engine.Calls].
func (s *stepper) Call(rows *physics.Rows, ids, n []int32) int {
	return int(C.pb_call(s.c, s.model.liveIn(rows).c,
		(*C.double)(unsafe.SliceData(rows.State)),
		(*C.double)(unsafe.SliceData(rows.Samples)), C.int(rows.Slots),
		(*C.double)(unsafe.SliceData(rows.Derived)),
		(*C.int64_t)(unsafe.SliceData(rows.Boundary)),
		(*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(rows.Fault))),
		(*C.int32_t)(unsafe.SliceData(ids)), (*C.int32_t)(unsafe.SliceData(n)), C.int(len(ids))))
}

// FaultMessage implements [engine.Calls].
func (s *stepper) FaultMessage(i int) string { return C.GoString(C.pb_faultMessage(s.c, C.int(i))) }

// Delete implements [engine.Calls].
func (s *stepper) Delete() { C.pb_deleteStepper(s.c) }

// live is the value of [physics.Rows.Cache]: a b2World for each row that has been
// stepped. Any stepper of the model may use it, one at a time.
type live struct {
	c      *C.pb_Live
	model  *Model
	handle handle.Handle
	worlds int
}

// liveIn returns the live worlds of rows; where there are none of m's yet it makes room
// for them.
func (m *Model) liveIn(rows *physics.Rows) *live {
	if l, ok := rows.Cache.(*live); ok && l.model == m && l.worlds == rows.Worlds {
		return l
	}
	l, err := m.newLive(rows.Worlds)
	if err == nil {
		err = rows.Close() // another model's
	}
	if err != nil {
		panic(err)
	}
	rows.Cache = l
	return l
}

// WorldBytes is about how much memory a live world takes: Box2D's own, most of it room
// for the solver, and bodies, shapes, contacts and tree as the row has room for them.
func (m *Model) WorldBytes() int { return 104<<10 + 4*8*m.StateSize() }

func (m *Model) newLive(worlds int) (*live, error) {
	if err := m.lent.Borrow(); err != nil {
		return nil, fmt.Errorf("box2d: %w", err)
	}
	l := &live{model: m, worlds: worlds, c: C.pb_makeLive(m.c, C.int(worlds))}
	if l.c == nil {
		m.lent.GiveBack()
		return nil, errors.New("box2d: out of memory")
	}
	l.handle = handle.Watch(&handles, l, "block of rows")
	return l, nil
}

// builds returns the number of worlds that were built from their rows so far.
func (l *live) builds() int { return int(C.pb_builds(l.c)) }

// Close frees the worlds. Closing a second time does nothing.
func (l *live) Close() error {
	if l.handle.Close() {
		C.pb_deleteLive(l.c)
		l.c = nil
		l.model.lent.GiveBack()
	}
	return nil
}
