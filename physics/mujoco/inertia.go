package mujoco

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// What a moving link of a URDF file without mass or inertia gets: that of a ball.
const (
	leastMass  = 1e-3 // kg
	ballRadius = 0.05 // m
)

// repair gives the links of URDF files, whose format has no setting for it, masses and inertias that a body can have, if
// MuJoCo refuses a spec for want of them, and notes which. It reports whether that is so.
func (w *workshop) repair(spec *C.mjSpec, refusal error) bool {
	message := refusal.Error()
	if !massless.MatchString(message) && !inertia.MatchString(message) && !eigenvalues.MatchString(message) {
		return false
	}
	before := len(w.notes)
	for _, o := range w.origins {
		if o.documents[0].root.tag == "robot" {
			for _, note := range repairInertias(spec, o) {
				w.notes = append(w.notes, fmt.Sprintf("%s: %s", o.documents[0].path, note))
			}
		}
	}
	return len(w.notes) > before
}

// repairInertias repairs what comes from one file: inertias of no body, and moving links without mass or inertia, with
// which physics has no answer. It says which.
func repairInertias(spec *C.mjSpec, o origin) (notes []string) {
	var wrong, light []string
	for _, e := range elements(spec, C.mjOBJ_BODY) {
		b := C.mjs_asBody(e)
		if !o.hasLink(elementName(e)) {
			continue
		}
		given := bool(b.explicitinertial) && !math.IsNaN(float64(b.fullinertia[0]))
		if given {
			if repaired, ok := realInertia(b.fullinertia); !ok {
				b.fullinertia = repaired
				wrong = append(wrong, elementName(e))
			}
		}
		moving := C.mjs_firstChild(b, C.mjOBJ_JOINT, 0) != nil
		if mass, inertia := solidity(b); moving && !(mass && inertia) {
			light = append(light, elementName(e))
			b.mass = max(b.mass, leastMass)
			if math.IsNaN(float64(b.ipos[0])) {
				b.ipos = [3]C.double{}
			}
			moment := 0.4 * b.mass * ballRadius * ballRadius
			b.inertia, b.explicitinertial = [3]C.double{moment, moment, moment}, true
			b.fullinertia[0] = C.double(math.NaN())
		}
	}
	if wrong != nil {
		notes = append(notes, fmt.Sprintf("no body has the inertia of %s, whose largest moment exceeds the sum of the "+
			"others, or one is negative; the nearest that a body can have is used", few(wrong, "link")))
	}
	if light != nil {
		notes = append(notes, fmt.Sprintf("%s can move without mass or inertia; that of a ball of at least %g g and "+
			"%g cm is used", few(light, "link"), 1000*leastMass, 100*ballRadius))
	}
	return notes
}

// few names a few of many things.
func few(names []string, noun string) string {
	if len(names) == 1 {
		return noun + " " + names[0]
	}
	if n := len(names); n > 4 {
		return fmt.Sprintf("%ss %s and %d more", noun, strings.Join(names[:3], ", "), n-3)
	}
	return noun + "s " + strings.Join(names, ", ")
}

// solidity reports whether a body or what is fixed to it has mass, and whether it has inertia.
func solidity(b *C.mjsBody) (mass, inertia bool) {
	mass = b.mass > 0
	inertia = mass && bool(b.explicitinertial) && (b.fullinertia[0] == b.fullinertia[0] || b.inertia[0] > 0)
	if !b.explicitinertial {
		for e := C.mjs_firstChild(b, C.mjOBJ_GEOM, 0); e != nil; e = C.mjs_nextChild(b, e, 0) {
			if g := C.mjs_asGeom(e); g.contype != 0 || g.conaffinity != 0 {
				mass, inertia = true, true
			}
		}
	}
	for e := C.mjs_firstChild(b, C.mjOBJ_BODY, 0); e != nil; e = C.mjs_nextChild(b, e, 0) {
		if child := C.mjs_asBody(e); C.mjs_firstChild(child, C.mjOBJ_JOINT, 0) == nil {
			m, i := solidity(child)
			mass, inertia = mass || m, inertia || i
		}
	}
	return mass, inertia
}

// realInertia returns the inertia that a body can have nearest to one: its second moments of mass, along some axes, are
// the numbers that are not negative nearest to those of the given one. It reports whether that one is such itself.
// Inertias are xx, yy, zz, xy, xz, yz.
func realInertia(full [6]C.double) ([6]C.double, bool) {
	at := func(i, k int) float64 {
		if i == k {
			return float64(full[i])
		}
		return float64(full[2+i+k])
	}
	trace := at(0, 0) + at(1, 1) + at(2, 2)
	moments := mat.NewSymDense(3, nil) // ½ tr(I) − I
	for i := range 3 {
		for k := i; k < 3; k++ {
			moments.SetSym(i, k, -at(i, k))
		}
		moments.SetSym(i, i, trace/2-at(i, i))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(moments, true) {
		return full, false
	}
	values := eigen.Values(nil)
	if values[0] > slack*trace && trace > 0 {
		return full, true
	}
	if values[2] <= 0 {
		full[0] = C.double(math.NaN()) // nothing is left of it
		return full, false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	sum := 0.0
	for i := range values {
		values[i] = max(values[i], flatness*values[2])
		sum += values[i]
	}
	result := func(i, k int) C.double {
		v := 0.0
		for n, value := range values {
			v -= float64(value * vectors.At(i, n) * vectors.At(k, n))
		}
		if i == k {
			v += sum
		}
		return C.double(v)
	}
	return [6]C.double{result(0, 0), result(1, 1), result(2, 2), result(0, 1), result(0, 2), result(1, 2)}, false
}

// Of second moments of mass, in shares of the trace of the inertia and of the largest one: what may be 0 by rounding, and
// the least that a repaired one is.
const (
	slack    = 1e-9
	flatness = 1e-3
)
