package mujoco

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// pairs are the pairs of sets of geoms whose contacts are measured.
type pairs struct {
	names []string
	// Of each pair a row for all geoms: 1 for those of the first set, 2 of the second. Rows of entities follow: 1 for
	// theirs. It is C memory of the model.
	sides *C.uint8_t
}

// addPairs adds a probe for each pair of a scene: the number of contacts, then the force on the first set, N, along the
// axes of the world; and one for each entity that has several trees: the largest force of a contact between its bodies,
// N. An error goes on from the key.
func (m *Model) addPairs(list []scene.ContactPair) error {
	d, ngeom := m.Describe(), int(m.c.ngeom)
	sides := make([]C.uint8_t, (len(list)+len(d.Entities))*ngeom)
	for i, p := range list {
		row := sides[i*ngeom : (i+1)*ngeom]
		if err := mark(row, &d, p.Primary, 1); err != nil {
			return fmt.Errorf("[%d].primary%w", i, err)
		}
		if !p.Secondary.Given() {
			for k := range row {
				row[k] |= 2
			}
		} else if err := mark(row, &d, p.Secondary, 2); err != nil {
			return fmt.Errorf("[%d].secondary%w", i, err)
		}
		m.pairs.names = append(m.pairs.names, p.Name)
	}
	whole := map[int]int{} // the row of each entity
	for entity := range d.Entities {
		roots := d.Trees(entity)
		if len(roots) < 2 {
			continue
		}
		whole[entity] = len(list) + len(whole)
		for id, g := range d.Geoms {
			if slices.Contains(roots, d.Bodies[g.Body].Root) {
				sides[whole[entity]*ngeom+id] = 1
			}
		}
	}
	if sides = sides[:(len(list)+len(whole))*ngeom]; len(sides) == 0 {
		return nil
	}
	m.pairs.sides = (*C.uint8_t)(C.malloc(C.size_t(len(sides))))
	copy(unsafe.Slice(m.pairs.sides, len(sides)), sides)
	for i, name := range m.pairs.names {
		source := "contact/pair/" + name
		m.addProbe(source, physics.Force, C.PR_CONTACT_PAIR, part{0, i, 4})
		m.probes[source].parts[0].sides = (*C.uint8_t)(unsafe.Add(unsafe.Pointer(m.pairs.sides), i*ngeom))
	}
	for entity, row := range whole {
		source := "contact/entity/" + d.Entities[entity]
		m.addProbe(source, physics.Force, C.PR_CONTACT_WITHIN, part{0, 0, 1})
		m.probes[source].parts[0].sides = (*C.uint8_t)(unsafe.Add(unsafe.Pointer(m.pairs.sides), row*ngeom))
	}
	return nil
}

// mark sets a bit of the geoms of a set.
func mark(row []C.uint8_t, d *Description, s scene.ContactSet, bit C.uint8_t) error {
	owner := slices.Index(d.Entities, cmp.Or(s.Entity, d.Entities[0]))
	if owner < 0 {
		return fmt.Errorf(".entity: %w", physics.UnknownError("entity", s.Entity, d.Entities))
	}
	selected := make([]bool, len(d.Bodies))
	for _, selector := range []struct {
		key      string
		patterns []string
	}{{"geoms", s.Geoms}, {"bodies", s.Bodies}, {"subtrees", s.Subtrees}} {
		for k, pattern := range patternsOf(selector.patterns) {
			var known []string
			found := false
			visit := func(name string, entity, id int) {
				if entity != owner {
					return
				}
				known = append(known, name)
				switch {
				case !pattern.MatchString(name):
				case selector.key == "geoms":
					row[id], found = row[id]|bit, true
				default:
					selected[id], found = true, true
				}
			}
			if selector.key == "geoms" {
				for id, g := range d.Geoms {
					visit(g.Ref, g.Entity, id)
				}
			} else {
				for id, b := range d.Bodies {
					visit(b.Ref, b.Entity, id)
				}
			}
			if !found {
				return fmt.Errorf(".%s[%d]: %w", selector.key, k, physics.UnknownError(kinds[selector.key],
					selector.patterns[k], known))
			}
		}
		if selector.key == "subtrees" {
			for id, b := range d.Bodies { // a body comes after its parent
				selected[id] = selected[id] || s.Subtrees != nil && id > 0 && b.Parent > 0 && selected[b.Parent]
			}
		}
	}
	for id, g := range d.Geoms {
		if selected[g.Body] {
			row[id] |= bit
		}
	}
	return nil
}

// kinds are what the keys of a set select.
var kinds = map[string]string{"geoms": "geom", "bodies": "body", "subtrees": "body"}
