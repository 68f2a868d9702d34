package box2d

// The flags for Box2D, here and nowhere else: the system's package.

// #cgo CXXFLAGS: -std=c++17 -O3 -Wall -Wextra
// #cgo LDFLAGS: -lbox2d
// #cgo noescape pb_call
// #cgo nocallback pb_call
// #include "shim.h"
import "C"

import (
	"errors"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
)

// Stages and fault codes cross the boundary as they are.
var (
	_ [0]struct{} = [physics.Motion - C.PB_MOTION]struct{}{}
	_ [0]struct{} = [physics.Force - C.PB_FORCE_STAGE]struct{}{}
	_ [0]struct{} = [physics.FaultEngine - C.PB_FAULT_ENGINE]struct{}{}
	_ [0]struct{} = [physics.FaultNotFinite - C.PB_FAULT_NOT_FINITE]struct{}{}
)

type stepper struct {
	model    *Model
	outputs  []C.pb_Output
	messages []C.char // PB_MESSAGE for each world of a call
}

// NewStepper implements [physics.Model]. The first call with some rows makes room for their worlds. Where Force
// probes are sampled by a Forward, they are those of the next substep, which it takes and forgets.
func (m *Model) NewStepper(worlds int, out physics.Outputs) (physics.Stepper, error) {
	return engine.NewStepper(&m.base, m, worlds, out, func() (engine.Calls, error) {
		s := &stepper{model: m, messages: make([]C.char, worlds*C.PB_MESSAGE)}
		size := 0
		for _, p := range out.Probes {
			s.outputs, size = m.appendOutput(s.outputs, p.Source, size)
		}
		size = 0
		for _, d := range out.Derived {
			s.outputs, size = m.appendOutput(s.outputs, d.Source, size)
			s.outputs[len(s.outputs)-1].stage = C.PB_DERIVED
		}
		return s, nil
	})
}

// appendOutput appends an output that stands behind size values, and returns the new size.
func (m *Model) appendOutput(list []C.pb_Output, source string, size int) ([]C.pb_Output, int) {
	o := m.outputs[source]
	o.to = C.int32_t(size)
	return append(list, o), size + m.Probes[source].Size
}

// doubles returns the address of numbers for the length of a call into C.
func doubles(values []float64) *C.double { return (*C.double)(unsafe.SliceData(values)) }

// Call implements [engine.Calls].
func (s *stepper) Call(rows *physics.Rows, ids, n []int32) int {
	state, versions := rows.Memory()
	return int(C.pb_call(s.model.liveIn(rows).c, unsafe.SliceData(s.outputs), C.int(len(s.outputs)),
		doubles(state), (*C.uint64_t)(unsafe.SliceData(versions)),
		doubles(rows.Samples), C.int(rows.SampleSize), C.int(rows.Slots), doubles(rows.Derived),
		C.int(rows.DerivedSize), (*C.int64_t)(unsafe.SliceData(rows.Boundary)),
		(*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(rows.Fault))),
		(*C.int32_t)(unsafe.SliceData(ids)), (*C.int32_t)(unsafe.SliceData(n)), C.int(len(ids)),
		unsafe.SliceData(s.messages)))
}

// FaultMessage implements [engine.Calls].
func (s *stepper) FaultMessage(i int) string { return C.GoString(&s.messages[i*C.PB_MESSAGE]) }

// Delete implements [engine.Calls].
func (s *stepper) Delete() {}

// live is the value of [physics.Rows.Cache]: a b2World for each row that has been
// stepped. Any stepper of the model may use it, one at a time.
type live struct {
	owner
	c      *C.pb_Live
	model  *Model
	worlds int
}

// liveIn returns the live worlds of rows; where there are none of m's yet it makes room for them.
func (m *Model) liveIn(rows *physics.Rows) *live {
	if l, ok := rows.Cache.(*live); ok && l.model == m && l.worlds == rows.Worlds {
		return l
	}
	l, err := m.newLive(rows.Worlds)
	if err == nil {
		err = rows.Close() // the cache of another model's stepper
	}
	if err != nil {
		panic(err)
	}
	rows.Cache = l
	return l
}

// WorldBytes is about how much memory a live world takes: bodies, shapes, contacts and tree
// as the row has room for them.
func (m *Model) WorldBytes() int { return 4<<10 + 4*8*m.StateSize() }

func (m *Model) newLive(worlds int) (*live, error) {
	l := &live{model: m, worlds: worlds}
	return l, engine.Own(&l.owner, &m.base, "block of rows", func() (func(), error) {
		if l.c = C.pb_makeLive(m.c, C.int(worlds)); l.c == nil {
			return nil, errors.New("out of memory")
		}
		return func() { C.pb_deleteLive(l.c) }, nil
	})
}

// chunkBytes is the memory that the objects of all worlds of the process take.
func chunkBytes() int { return int(C.pb_chunkBytes()) }

// builds returns the number of worlds that were built from their rows so far.
func (l *live) builds() int { return int(C.pb_builds(l.c)) }
