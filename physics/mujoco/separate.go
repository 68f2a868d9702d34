package mujoco

// #include "shim.h"
import "C"

import (
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// manner is how a geom collides: by its bits and, if it is on a moving body of a model without self-collision, by the
// number of that model, from 1.
type manner struct {
	conType, conAffinity C.int
	exclusion            int
}

// meets reports whether two geoms can touch. Two geoms collide if the contype of one and the conaffinity of the other
// share a bit, unless both are moving parts of one model without self-collision.
func (a manner) meets(b manner) bool {
	return (a.conType&b.conAffinity != 0 || b.conType&a.conAffinity != 0) &&
		(a.exclusion == 0 || a.exclusion != b.exclusion)
}

// mostManners is the number of bits of a mask that is not negative.
const mostManners = 31

// separate keeps the geoms on moving bodies of each model without self-collision from one another, and changes nothing
// else: each manner gets a bit of its own as contype, and as conaffinity the bits of those that it meets.
func (b *builder) separate() error {
	first := slices.IndexFunc(b.settings.Models, scene.Model.PassesThroughItself)
	if first < 0 {
		return nil
	}
	type masks struct{ conType, conAffinity *C.int }
	shapes := map[manner][]masks{}
	var all []manner
	note := func(m masks, exclusion int) {
		key := manner{*m.conType, *m.conAffinity, exclusion}
		if key.conType == 0 && key.conAffinity == 0 {
			return
		}
		if shapes[key] == nil {
			all = append(all, key)
		}
		shapes[key] = append(shapes[key], m)
	}
	for _, e := range elements(b.spec, C.mjOBJ_GEOM) {
		g, exclusion := C.mjs_asGeom(e), 0
		if model := b.owners[e]; b.settings.Models[model].PassesThroughItself() && moves(e) {
			exclusion = model + 1
		}
		note(masks{&g.contype, &g.conaffinity}, exclusion)
	}
	for _, e := range elements(b.spec, C.mjOBJ_FLEX) {
		f := C.mjs_asFlex(e)
		note(masks{&f.contype, &f.conaffinity}, 0)
	}
	var different [][]manner // groups of manners that meet the same others, which share a bit
	for _, m := range all {
		alike := slices.IndexFunc(different, func(group []manner) bool {
			return !slices.ContainsFunc(all, func(o manner) bool { return m.meets(o) != group[0].meets(o) })
		})
		if alike < 0 {
			alike = len(different)
			different = append(different, nil)
		}
		different[alike] = append(different[alike], m)
	}
	if len(different) > mostManners {
		return fmt.Errorf("scene.models[%d].self_collision is false where contype and conaffinity make %d different "+
			"sets of geoms, want at most %d, or true", first, len(different), mostManners)
	}
	for i, group := range different {
		mask := C.int(0)
		for k, other := range different {
			if group[0].meets(other[0]) {
				mask |= 1 << k
			}
		}
		for _, m := range group {
			for _, s := range shapes[m] {
				*s.conType, *s.conAffinity = 1<<i, mask
			}
		}
	}
	return nil
}

// moves reports whether joints move the body that a geom is on.
func moves(geom *C.mjsElement) bool {
	for b := C.mjs_getParent(geom); b != nil; b = C.mjs_getParent(b.element) {
		if C.mjs_firstChild(b, C.mjOBJ_JOINT, 0) != nil {
			return true
		}
	}
	return false
}
