package terrain

import (
	"fmt"
	"math"
)

// Notes returns what the terrain does not have though its settings ask for it: a line each, which begins with a key.
func (t *Terrain) Notes() (notes []string) {
	for i := range t.Kinds {
		k := &t.Kinds[i]
		if or(k.Proportion, 1) == 0 {
			continue
		}
		note := func(format string, args ...any) {
			notes = append(notes, fmt.Sprintf("sub_terrains[%d]: ", i)+fmt.Sprintf(format, args...))
		}
		patches, flat, missed := 0, 0, map[string]int{}
		for n := range t.Patches {
			p := &t.Patches[n]
			if t.kindOf(p.Column) != k {
				continue
			}
			patches++
			if p.isFlat() {
				flat++
			} else if key := t.missed(p, k); key != "" {
				missed[key]++
			}
		}
		if patches == 0 {
			note("%s has none of the %d columns; a larger num_cols or proportion gives it one", k.Kind, t.Columns)
		}
		if flat > 0 && k.Kind != "flat" {
			note("%s is flat in %d of %d patches, which have no room or no height for more", k.Kind, flat, patches)
		}
		for _, key := range makers[k.Kind].keys {
			if n := missed[key]; n > 0 {
				note("%s has a %s below horizontal_scale, %v m, in %d of %d patches, so that samples miss what is "+
					"between them", k.Kind, key, t.HorizontalScale, n, patches)
			}
		}
	}
	if t.FlatPatches.Num == 0 {
		return notes
	}
	bare := 0
	for i := range t.Patches {
		if len(t.Patches[i].Flat) == 0 {
			bare++
		}
	}
	if bare > 0 {
		notes = append(notes, fmt.Sprintf("flat_patches: no place of patch_radius %v m is flat in %d of %d patches, "+
			"where the middle takes its place", t.FlatPatches.Radius, bare, len(t.Patches)))
	}
	return notes
}

// isFlat reports whether a patch has no ground but at one height.
func (p *Patch) isFlat() bool {
	if p.Field != nil {
		return false
	}
	for i := range p.Boxes {
		if math.Abs(p.Boxes[i].High[2]-p.Boxes[0].High[2]) > level {
			return false
		}
	}
	return true
}

// level is the difference of heights below which ground is flat, in m.
const level = 1e-6

// missed returns the key of the parameter that is too fine for the samples of a patch's field; "" if none is.
func (t *Terrain) missed(p *Patch, k *SubTerrain) string {
	m := makers[k.Kind]
	if m.field == nil {
		return ""
	}
	patch := patchMaker{SubTerrain: k.withDefaults(m), d: p.Difficulty}
	var keys []string
	var widths []float64 // widths that must not fall between two samples, m
	switch k.Kind {
	case "stepping_stones":
		keys = []string{"stone_distance_range", "stone_size_range"}
		widths = []float64{patch.value(patch.StoneDistanceRange), patch.value(patch.StoneSizeRange)}
	case "narrow_beams":
		keys, widths = []string{"beam_width_range"}, []float64{patch.value(patch.BeamWidthRange)}
	case "random_grid", "tilted_grid":
		keys, widths = []string{"grid_width"}, []float64{*patch.GridWidth}
	case "discrete_obstacles":
		keys, widths = []string{"obstacle_width_range"},
			[]float64{min(patch.ObstacleWidthRange[0], patch.ObstacleWidthRange[1])}
	}
	for n, width := range widths {
		if width < t.HorizontalScale-slack {
			return keys[n]
		}
	}
	return ""
}
