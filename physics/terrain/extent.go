package terrain

import (
	"math"
	"slices"
)

// extent returns the least and the greatest height of the square of a half width about a place, which must lie in the
// patch. It looks no further once they differ by more than most.
func (p *Patch) extent(x, y, half, most float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	visit := func(h float64) bool {
		low, high = min(low, h), max(high, h)
		return high-low <= most
	}
	square := [2][2]float64{{x - half, x + half}, {y - half, y + half}}
	if p.Field != nil {
		p.Field.extent(square, visit)
	} else {
		p.boxExtent(square, visit)
	}
	return low, high
}

// extent calls see with heights of a rectangle, given by the ends of its sides, the least and the greatest among them,
// until it returns false. Between samples the ground is triangles, so these are at samples or where the rectangle's
// sides cross the edges of triangles.
func (f *Field) extent(rect [2][2]float64, visit func(h float64) bool) {
	n := [2]int{f.NX, f.NY}
	var lines [2][]float64 // along each axis: the rectangle's ends and the samples between
	for k, side := range rect {
		start, width := f.Middle[k]-f.Half[k], 2*f.Half[k]/float64(n[k]-1)
		lines[k] = append(lines[k], side[0])
		for i := max(0, int((side[0]-start)/width)); i < n[k]; i++ {
			if sample := start + float64(width*float64(i)); sample > side[0] && sample < side[1] {
				lines[k] = append(lines[k], sample)
			} else if sample >= side[1] {
				break
			}
		}
		lines[k] = append(lines[k], side[1])
	}
	for _, x := range lines[0] {
		for _, y := range lines[1] {
			if !visit(f.height(x, y)) {
				return
			}
		}
	}
	// where a side crosses the diagonals of the cells along it
	for k, side := range rect {
		other := 1 - k
		width := 2 * f.Half[other] / float64(n[other]-1)
		start := f.Middle[other] - f.Half[other]
		for _, fixed := range side {
			place := [2]float64{}
			place[k] = fixed
			_, _, u, v := f.cellOf(place[0], place[1])
			part := [2]float64{u, v}[k]
			for i := max(0, int((rect[other][0]-start)/width)); i < n[other]-1; i++ {
				crossing := start + float64(width*(float64(i)+part))
				if place[other] = crossing; crossing > rect[other][1] {
					break
				}
				if crossing > rect[other][0] && !visit(f.height(place[0], place[1])) {
					return
				}
			}
		}
	}
}

// boxExtent does so for the boxes of a patch: between their edges the ground is level.
func (p *Patch) boxExtent(rect [2][2]float64, visit func(h float64) bool) {
	var boxes []*Box
	lines := [2][]float64{rect[0][:], rect[1][:]}
	for i := range p.Boxes {
		b := &p.Boxes[i]
		if b.Low[0] >= rect[0][1] || b.High[0] <= rect[0][0] || b.Low[1] >= rect[1][1] || b.High[1] <= rect[1][0] {
			continue
		}
		boxes = append(boxes, b)
		for k, side := range rect {
			for _, edge := range []float64{b.Low[k], b.High[k]} {
				if edge > side[0] && edge < side[1] {
					lines[k] = append(lines[k], edge)
				}
			}
		}
	}
	for k := range lines {
		lines[k] = slices.Clone(lines[k])
		slices.Sort(lines[k])
	}
	for i, x := range lines[0][1:] {
		for j, y := range lines[1][1:] {
			if x-lines[0][i] <= slack || y-lines[1][j] <= slack { // no place is between two boxes
				continue
			}
			height := math.Inf(-1)
			for _, b := range boxes {
				if b.covers(0, (x+lines[0][i])/2) && b.covers(1, (y+lines[1][j])/2) {
					height = max(height, b.High[2])
				}
			}
			if !visit(height) {
				return
			}
		}
	}
}
