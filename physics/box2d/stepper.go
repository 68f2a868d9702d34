package box2d

// #cgo noescape pb_call
// #cgo nocallback pb_call
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/internal/handle"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Fault codes cross the boundary as they are.
var (
	_ [0]struct{} = [physics.FaultEngine - C.PB_FAULT_ENGINE]struct{}{}
	_ [0]struct{} = [physics.FaultNotFinite - C.PB_FAULT_NOT_FINITE]struct{}{}
)

// Stepper implements [physics.Stepper]: one goroutine at a time, one call into C per
// Step or Forward, and no allocation after the first call with the same rows.
type Stepper struct {
	c           *C.pb_Stepper
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
		return nil, fmt.Errorf("box2d: stepper for %d worlds, want at least 1", worlds)
	}
	if err := out.Check(m); err != nil {
		return nil, err
	}
	s := &Stepper{
		model:       m,
		worlds:      worlds,
		sampleSize:  out.SampleSize(),
		derivedSize: out.DerivedSize(),
		last:        make([]int32, 0, worlds),
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

	if err := m.lent.Borrow(); err != nil {
		return nil, fmt.Errorf("box2d: %w", err)
	}
	var message [C.PB_MESSAGE]C.char
	s.c = C.pb_makeStepper(m.c, C.int(worlds),
		unsafe.SliceData(probes), C.int(len(probes)), C.int(s.sampleSize),
		unsafe.SliceData(derived), C.int(len(derived)), C.int(s.derivedSize), &message[0])
	if s.c == nil {
		m.lent.GiveBack()
		return nil, fmt.Errorf("box2d: %s", C.GoString(&message[0]))
	}
	s.handle = handle.Watch(&handles, s, "stepper")
	return s, nil
}

// Step implements [physics.Stepper]. It panics on misuse, see
// [physics.Rows.CheckCall].
func (s *Stepper) Step(rows *physics.Rows, ids, n []int32) int {
	if n == nil && len(ids) > 0 {
		panic("box2d: Step without the numbers of substeps")
	}
	return s.call(rows, ids, n)
}

// Forward implements [physics.Stepper]. Like Step it panics on misuse. Where Force
// probes are sampled they are those of the next substep, which it takes and forgets.
func (s *Stepper) Forward(rows *physics.Rows, ids []int32) int {
	return s.call(rows, ids, nil)
}

// call is a Step, or with nil n a Forward.
func (s *Stepper) call(rows *physics.Rows, ids, n []int32) int {
	if s.c == nil {
		panic("box2d: the stepper is closed")
	}
	rows.CheckCall(s.worlds, s.model.stateSize, s.sampleSize, s.derivedSize, ids, n)
	s.last = append(s.last[:0], ids...)
	if len(ids) == 0 {
		return 0
	}
	return int(C.pb_call(s.c, s.model.liveIn(rows).c,
		(*C.double)(unsafe.SliceData(rows.State)),
		(*C.double)(unsafe.SliceData(rows.Samples)), C.int(rows.Slots),
		(*C.double)(unsafe.SliceData(rows.Derived)),
		(*C.int64_t)(unsafe.SliceData(rows.Boundary)),
		(*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(rows.Fault))),
		(*C.int32_t)(unsafe.SliceData(ids)), (*C.int32_t)(unsafe.SliceData(n)), C.int(len(ids))))
}

// FaultMessage implements [physics.Stepper].
func (s *Stepper) FaultMessage(id int32) string {
	i, ok := slices.BinarySearch(s.last, id)
	if !ok || s.c == nil {
		return ""
	}
	return C.GoString(C.pb_faultMessage(s.c, C.int(i)))
}

// Close implements [physics.Stepper]. Closing a second time does nothing.
func (s *Stepper) Close() error {
	if s.handle.Close() {
		C.pb_deleteStepper(s.c)
		s.c = nil
		s.model.lent.GiveBack()
	}
	return nil
}

// live is what stands in [physics.Rows.Cache]: a b2World for each row that has been
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
