package mujoco

// #cgo noescape pr_call
// #cgo nocallback pr_call
// #include "shim.h"
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/internal/engine"
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

// NewStepper implements [physics.Model]. A Forward is mj_forward at each row. Before it, delayed servos of positions
// get controls, and in the model of a scene those with an activation of 0 get one, that hold what they act on.
func (m *Model) NewStepper(worlds int, out physics.Outputs) (physics.Stepper, error) {
	return engine.NewStepper(&m.base, m, worlds, out, func() (engine.Calls, error) {
		probes, refresh, _, err := layout(out.Probes, m.probes, out.Parameters)
		if err != nil {
			return nil, err
		}
		values, _, rne, _ := layout(out.Derived, m.derived, nil)
		parameters := m.listParameters(out.Parameters)
		var hold C.int
		if m.entities.names != nil {
			hold = 1
		}
		var c *C.pr_Stepper
		if err := try(func(message *C.char) bool {
			c = C.pr_makeStepper(m.c, C.int(worlds), hold, unsafe.SliceData(probes), C.int(len(probes)), refresh,
				unsafe.SliceData(values), C.int(len(values)), rne, unsafe.SliceData(parameters.c),
				C.int(len(parameters.c)), unsafe.SliceData(parameters.low), unsafe.SliceData(parameters.high), message)
			return c != nil
		}); err != nil {
			parameters.free()
			return nil, err
		}
		return &batch{c, m, parameters}, nil
	})
}

// layout lays out some of the known probes, one after the other, and says what they take together. Those that are
// neighbours also in the engine's arrays become one. Probes of parameters want those among parameters.
func layout(vectors []physics.Vector, known map[string]probe, parameters []physics.Vector) (all []C.pr_Probe, refresh,
	rne C.int, err error) {
	var offset C.int32_t
	for _, v := range vectors {
		found := known[v.Source]
		for _, part := range found.parts {
			part.to = offset
			if part.kind == C.PR_PARAMETER {
				first := 0
				source := strings.TrimPrefix(v.Source, "parameter/")
				i := slices.IndexFunc(parameters, func(p physics.Vector) bool { return p.Source == source })
				if i < 0 {
					return nil, 0, 0, fmt.Errorf("probe %q: %s is no parameter that each world has of its own",
						v.Source, source)
				}
				for _, other := range parameters[:i] {
					first += other.Size
				}
				part.from = C.int32_t(first)
			}
			offset += part.size
			if n := len(all) - 1; n >= 0 && follows(part, all[n]) {
				all[n].size += part.size
			} else {
				all = append(all, part)
			}
		}
		refresh, rne = max(refresh, found.refresh), rne|found.rne
	}
	return all, refresh, rne, nil
}

// follows reports whether a probe is a copy of the values behind those of another one.
func follows(p, previous C.pr_Probe) bool {
	isCopy := p.kind == C.PR_STATE || p.kind == C.PR_FIELD || p.kind == C.PR_PARAMETER
	return isCopy && p.kind == previous.kind && p.field == previous.field && p.force == previous.force &&
		p.from == previous.from+previous.size
}

// Call implements [engine.Calls].
func (b *batch) Call(rows *physics.Rows, ids, n []int32) int {
	cache := b.cacheFor(rows)
	state, _ := rows.Memory()
	return int(C.pr_call(b.c,
		doubles(state), doubles(rows.Samples), C.int(rows.Slots), doubles(rows.Derived),
		doubles(rows.Parameters), doubles(cache.known), doubles(cache.constants),
		(*C.uint8_t)(unsafe.SliceData(cache.valid)),
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
