package mujoco

// #include "shim.h"
import "C"

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// ownership holds the names of the entities of a scene, and the entity of each of its objects by their kinds and IDs.
type ownership struct {
	names  []string
	byKind map[C.mjtObj][]int
}

// owned are the kinds of objects that belong to entities.
var owned = []C.mjtObj{C.mjOBJ_BODY, C.mjOBJ_JOINT, C.mjOBJ_GEOM, C.mjOBJ_SITE, C.mjOBJ_TENDON, C.mjOBJ_ACTUATOR,
	C.mjOBJ_CAMERA, C.mjOBJ_LIGHT, C.mjOBJ_MATERIAL}

// claim gives the objects that belong to no model yet to one.
func (b *builder) claim(model int) {
	for _, kind := range owned {
		for _, e := range elements(b.spec, kind) {
			if _, ok := b.owners[e]; !ok {
				b.owners[e] = model
			}
		}
	}
}

// entitiesOf returns the entities of the compiled model, of the names of entities and the entity of each model. What
// the scene added, such as a floor, is the first one's.
func (b *builder) entitiesOf(names []string, modelEntities []int, m *Model) ownership {
	list := ownership{names, map[C.mjtObj][]int{}}
	for kind, n := range map[C.mjtObj]C.mjtSize{C.mjOBJ_BODY: m.c.nbody, C.mjOBJ_JOINT: m.c.njnt,
		C.mjOBJ_GEOM: m.c.ngeom, C.mjOBJ_SITE: m.c.nsite, C.mjOBJ_TENDON: m.c.ntendon, C.mjOBJ_ACTUATOR: m.c.nactuator,
		C.mjOBJ_CAMERA: m.c.ncam, C.mjOBJ_LIGHT: m.c.nlight, C.mjOBJ_MATERIAL: m.c.nmat} {
		list.byKind[kind] = make([]int, n)
		for _, e := range elements(b.spec, kind) {
			if id := int(C.mjs_getId(e)); id >= 0 {
				list.byKind[kind][id] = modelEntities[b.owners[e]]
			}
		}
	}
	return list
}

// entity returns the entity of an object; 0 in a model that was not compiled from a scene.
func (m *Model) entity(kind C.mjtObj, id int) int {
	if owners := m.entities.byKind[kind]; id < len(owners) {
		return owners[id]
	}
	return 0
}

// shape makes the spec of a model that is a shape. It is the workshop's.
func (w *workshop) shape(model scene.Model) *C.mjSpec {
	spec := C.mj_makeSpec()
	w.specs = append(w.specs, spec)
	body := C.mjs_addBody(worldOf(spec), nil)
	C.mjs_setName(body.element, cString(model.Name))
	g := C.mjs_addGeom(body, nil)
	C.mjs_setName(g.element, cString(model.Name))
	s := model.Shape
	g._type = shapes[slices.Index(scene.Shapes, s.Type)]
	for i, x := range s.Size {
		g.size[i] = C.double(x)
	}
	if s.Mass > 0 {
		g.mass = C.double(s.Mass)
	}
	for i, x := range s.Color {
		g.rgba[i] = C.float(x)
	}
	return spec
}

// shapes are the types of geoms in the order of scene.Shapes.
var shapes = []C.mjtGeom{C.mjGEOM_BOX, C.mjGEOM_SPHERE, C.mjGEOM_ELLIPSOID, C.mjGEOM_CAPSULE, C.mjGEOM_CYLINDER}

// collision is one of the settings of collisions.
type collision struct {
	scene.Collision
	patterns []*regexp.Regexp // of Geoms
	numbers  []share          // by pattern: how many of the numbers of geoms without a name it matches
	hasMatch []bool           // whether a geom matched the pattern
}

// share is how many of some things.
type share uint8

const (
	none share = iota
	some
	every
)

// numbersOf returns how many of the numbers of geoms without a name a pattern matches.
func numbersOf(pattern *regexp.Regexp) share {
	const trials = 4096
	n := 0
	for i := range trials {
		if pattern.MatchString(numbered(i)) {
			n++
		}
	}
	switch n {
	case 0:
		return none
	case trials:
		return every
	}
	return some
}

// collide changes the geoms of the models that came last as the settings of collisions say, the last entry first. Names
// begin with prefix.
func (b *builder) collide(spec *C.mjSpec, prefix string) {
	for _, e := range elements(spec, C.mjOBJ_GEOM) {
		name := elementName(e)
		if name == "" {
			b.nameless = true
		} else {
			name = prefix + name
			b.geoms = append(b.geoms, name)
		}
		b.collideOne(e, func(a *collision, k int) bool {
			// a number is not known before the scene is compiled
			return name == "" && a.numbers[k] == every || name != "" && a.patterns[k].MatchString(name)
		})
	}
}

// collideOne changes a geom as the entries with a pattern that matches it say.
func (b *builder) collideOne(e *C.mjsElement, match func(a *collision, pattern int) bool) {
	for i := range slices.Backward(b.collisions) {
		a, matches := &b.collisions[i], false
		for k := range a.patterns {
			if match(a, k) {
				a.hasMatch[k], matches = true, true
			}
		}
		if matches {
			a.apply(C.mjs_asGeom(e))
		}
	}
}

// collideNumbered does the same for all models once more, if it takes the numbers of geoms without a name to tell which
// ones are meant. What they change is too late to decide whether a plane is a floor.
func (b *builder) collideNumbered(w *workshop, opt Options) error {
	if !b.nameless || !slices.ContainsFunc(b.collisions, func(a collision) bool {
		return slices.Contains(a.numbers, some) || slices.Contains(a.hasMatch, false)
	}) {
		return nil
	}
	c, _, err := w.make(b.spec, opt)
	if err != nil {
		return err
	}
	C.mj_deleteModel(c)
	for _, e := range elements(b.spec, C.mjOBJ_GEOM) {
		id := int(C.mjs_getId(e))
		if _, ok := b.owners[e]; !ok || id < 0 { // an element of the scene, or one that was dropped
			continue
		}
		name := elementName(e)
		if name == "" {
			name = numbered(id)
			b.geoms = append(b.geoms, name)
		}
		b.collideOne(e, func(a *collision, k int) bool { return a.patterns[k].MatchString(name) })
	}
	return nil
}

// apply sets what is given.
func (a *collision) apply(g *C.mjsGeom) {
	for _, set := range []struct {
		target *C.int
		value  *int
	}{{&g.contype, a.ConType}, {&g.conaffinity, a.ConAffinity}, {&g.priority, a.Priority}, {&g.condim, a.ConDim}} {
		if set.value != nil {
			*set.target = C.int(*set.value)
		}
	}
	for i, x := range a.Friction {
		g.friction[i] = C.double(x)
	}
	for i, x := range a.SolRef {
		g.solref[i] = C.mjtNum(x)
	}
	for i, x := range a.SolImp {
		g.solimp[i] = C.mjtNum(x)
	}
}

// checkCollisions reports a pattern that matches no geom.
func (b *builder) checkCollisions() error {
	for i, a := range b.collisions {
		for k, pattern := range a.Geoms {
			if !a.hasMatch[k] {
				return fmt.Errorf("scene.collisions[%d].geoms[%d]: %w", i, k, physics.UnknownError("geom", pattern,
					b.geoms))
			}
		}
	}
	return nil
}
