package mujoco

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

var _ terrain.Holder = (*Model)(nil)

// Terrain implements [terrain.Holder]: the ground that the scene was compiled with; nil if it had none.
func (m *Model) Terrain() *terrain.Terrain { return m.terrain }

// fieldBase is how far fields are solid below their lowest sample, in m.
const fieldBase = 1

// addTerrain adds the geoms of the scene's terrain, if it has one: terrain_ROW_COLUMN of a field, terrain_ROW_COLUMN_N
// of boxes, and terrain_border_N. They collide with everything that collides at all. An error goes on from the key.
func (b *builder) addTerrain(limit int64) (*terrain.Terrain, error) {
	s := b.settings.Terrain
	if !s.Given() {
		return nil, nil
	}
	if bytes := s.Bytes(); bytes > float64(limit) { // Go takes this memory, not the rehearsal
		return nil, fmt.Errorf(": the terrain of %d rows and %d columns takes about %.6g MB of memory to compile, "+
			"want at most %d MB (scene.memory_mb)", s.Rows, s.Columns, math.Ceil(bytes/(1<<20)), limit>>20)
	}
	t, err := terrain.Make(s)
	if err != nil {
		return nil, fmt.Errorf(".%w", err)
	}
	for _, note := range t.Notes() {
		b.note("scene.terrain.%s", note)
	}
	for i, box := range t.Border {
		b.addBox(fmt.Sprintf("terrain_border_%d", i), box, groundColor(0, 0))
	}
	for i := range t.Patches {
		p := &t.Patches[i]
		name := fmt.Sprintf("terrain_%d_%d", p.Row, p.Column)
		if p.Field != nil {
			b.addField(name, p.Field, groundColor(p.Row+p.Column, 0))
		}
		for n, box := range p.Boxes {
			b.addBox(fmt.Sprintf("%s_%d", name, n), box, groundColor(p.Row+p.Column, n))
		}
	}
	return t, nil
}

// groundColor alternates from patch to patch, and from box to box.
func groundColor(patch, box int) [4]C.float {
	shade := C.float(0.04*float64(patch%2) + 0.05*float64(box%2))
	return [4]C.float{0.42 + shade, 0.45 + shade, 0.42 + shade, 1}
}

func (b *builder) addBox(name string, box terrain.Box, color [4]C.float) {
	g := C.mjs_addGeom(worldOf(b.spec), nil)
	g._type = C.mjGEOM_BOX
	for i := range 3 {
		g.pos[i] = C.double((box.Low[i] + box.High[i]) / 2)
		g.size[i] = C.double((box.High[i] - box.Low[i]) / 2)
	}
	b.ground(g, name, color)
}

func (b *builder) addField(name string, f *terrain.Field, color [4]C.float) {
	h := C.mjs_addHField(b.spec)
	h.nrow, h.ncol = C.int(f.NY), C.int(f.NX)
	h.size = [4]C.double{C.double(f.Half[0]), C.double(f.Half[1]), C.double(f.Range), fieldBase}
	C.mjs_setFloat(h.userdata, (*C.float)(unsafe.SliceData(f.Data)), C.int(len(f.Data)))
	g := C.mjs_addGeom(worldOf(b.spec), nil)
	g._type = C.mjGEOM_HFIELD
	g.pos = [3]C.double{C.double(f.Middle[0]), C.double(f.Middle[1]), C.double(f.Bottom)}
	setString(g.hfieldname, setFreeName(b.spec, h.element, name))
	b.ground(g, name, color)
}

// ground sets what the geoms of a terrain have in common.
func (b *builder) ground(g *C.mjsGeom, name string, color [4]C.float) {
	g.contype, g.conaffinity = math.MaxInt32, math.MaxInt32
	g.rgba = color
	setFreeName(b.spec, g.element, name)
}
