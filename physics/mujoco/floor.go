package mujoco

// #include "shim.h"
import "C"

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// floors are what models bring to stand on.
type floors struct {
	solid  int      // number of planes and height fields on which something can stand
	visual []string // names of planes that collide with nothing and lie as solid ones do, for notes
}

// steepest is the least cosine between the vertical and the normal of a plane to stand on; steeper ones are walls.
const steepest = 0.5

// findFloors counts the floors of the spec of a model. Those to stand on give way to the scene's terrain, if there is
// one.
func (b *builder) findFloors(spec *C.mjSpec, index int) error {
	paired := map[string][]*C.mjsElement{} // contact pairs of the file, by their geoms
	for _, e := range elements(spec, C.mjOBJ_PAIR) {
		p := C.mjs_asPair(e)
		for _, name := range []string{text(p.geomname1), text(p.geomname2)} {
			paired[name] = append(paired[name], e)
		}
	}
	turn := quaternion(b.settings.Models[index].Rotation)
	for _, e := range elements(spec, C.mjOBJ_GEOM) {
		g := C.mjs_asGeom(e)
		if g._type != C.mjGEOM_HFIELD && (g._type != C.mjGEOM_PLANE || upright(e, turn) < steepest) {
			continue
		}
		name := elementName(e)
		label := fmt.Sprintf("geom %s of scene.models[%d]", cmp.Or(name, "without a name"), index)
		switch pairs := paired[name]; {
		case g.contype == 0 && g.conaffinity == 0 && pairs == nil:
			b.floors.visual = append(b.floors.visual, label)
		case !b.settings.Terrain.Given():
			b.floors.solid++
		default:
			b.note("scene.terrain takes the place of %s, a floor of the model", label)
			for _, e := range append(slices.Compact(pairs), e) {
				if C.mjs_delete(spec, e) != 0 {
					return failure(spec)
				}
			}
		}
	}
	return nil
}

// upright returns the height of the tip of a geom's z axis, 1 long, if a turn moves the world of its spec.
func upright(geom *C.mjsElement, turn []float64) float64 {
	c, z := C.mjs_getCompiler(geom), [3]C.mjtNum{0, 0, 1}
	apply := func(quat [4]C.double, alt *C.mjsOrientation) {
		if alt != nil && alt._type != C.mjORIENTATION_QUAT {
			sequence := [4]C.char{c.eulerseq[0], c.eulerseq[1], c.eulerseq[2]}
			degree := C.mjtByte(0)
			if c.degree {
				degree = 1
			}
			C.mjs_resolveOrientation(&quat[0], degree, &sequence[0], alt)
		}
		C.mju_normalize4(&quat[0])
		C.mju_rotVecQuat(&z[0], &z[0], &quat[0])
	}
	inFrames := func(e *C.mjsElement) {
		for f := C.mjs_getFrame(e); f != nil; f = C.mjs_getFrame(f.element) {
			apply(f.quat, &f.alt)
		}
	}
	g := C.mjs_asGeom(geom)
	apply(g.quat, &g.alt)
	inFrames(geom)
	for b := C.mjs_getParent(geom); b != nil; b = C.mjs_getParent(b.element) {
		apply(b.quat, &b.alt)
		inFrames(b.element)
	}
	apply([4]C.double{C.double(turn[0]), C.double(turn[1]), C.double(turn[2]), C.double(turn[3])}, nil)
	return float64(z[2])
}

// chooseFloor adds a floor, if the settings say so.
func (b *builder) chooseFloor() {
	hasTerrain := b.settings.Terrain.Given()
	added := b.settings.Floor == scene.Yes || b.settings.Floor == scene.Auto && b.floors.solid == 0 && !hasTerrain
	for _, label := range b.floors.visual {
		switch {
		case hasTerrain:
			b.note("scene.terrain is the ground, and %s, which collides with nothing, stays in pictures", label)
		case added:
			b.note("scene.floor: a plane at z = 0 is added, since %s collides with nothing", label)
		case b.floors.solid == 0:
			b.note("scene.floor: nothing is added, and %s collides with nothing", label)
		}
	}
	if added {
		addFloor(b.spec)
	}
}

// note keeps what a user may not expect of the scene.
func (b *builder) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}
