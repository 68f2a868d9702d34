package mujoco

// #include "shim.h"
import "C"

// excludeFixed keeps what moves from the links of a URDF that are fixed to the world and on which it hangs, as MuJoCo
// keeps a body from its parent unless the parent is fixed. A link that an exclusion names stays a body of its own, and
// its geoms are not those of the world; so does the first link, which then carries them all.
func excludeFixed(spec *C.mjSpec) {
	for _, first := range bodiesOf(worldOf(spec)) {
		fixed, moving := splitFixed(first)
		shaped := false
		for _, link := range fixed {
			shaped = shaped || hasGeoms(link)
		}
		if !shaped {
			continue
		}
		for i, link := range fixed {
			for _, other := range moving {
				if i == 0 || hasGeoms(link) {
					x := C.mjs_addExclude(spec)
					setString(x.bodyname1, elementName(link.element))
					setString(x.bodyname2, elementName(other.element))
				}
			}
		}
	}
}

// splitFixed returns the bodies from one on that do not move relative to its parent, itself first, and the first bodies
// below these that do.
func splitFixed(body *C.mjsBody) (fixed, moving []*C.mjsBody) {
	if C.mjs_firstChild(body, C.mjOBJ_JOINT, 0) != nil {
		return nil, []*C.mjsBody{body}
	}
	fixed = []*C.mjsBody{body}
	for _, child := range bodiesOf(body) {
		f, m := splitFixed(child)
		fixed, moving = append(fixed, f...), append(moving, m...)
	}
	return fixed, moving
}

func hasGeoms(body *C.mjsBody) bool { return C.mjs_firstChild(body, C.mjOBJ_GEOM, 0) != nil }

// bodiesOf returns the bodies that hang on one.
func bodiesOf(body *C.mjsBody) (list []*C.mjsBody) {
	for e := C.mjs_firstChild(body, C.mjOBJ_BODY, 0); e != nil; e = C.mjs_nextChild(body, e, 0) {
		list = append(list, C.mjs_asBody(e))
	}
	return list
}
