package terrain

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// Terrain is the ground that settings describe. It is immutable, so any number of goroutines may use it.
type Terrain struct {
	Settings // settings with their defaults

	Patches []Patch // row by row
	Border  []Box   // the flat ground around the grid

	low [2]float64 // corner of the grid
}

// Holder is a model with a terrain; nil if it has none.
type Holder interface{ Terrain() *Terrain }

// Box is a solid along the axes of the world, between two corners, in m.
type Box struct{ Low, High [3]float64 }

// slack is how far a box reaches beyond its sides for a place above it, in m, so that none is between two boxes.
const slack = 1e-9

// covers reports whether a value along an axis is one of the box.
func (b *Box) covers(axis int, coordinate float64) bool {
	return coordinate >= b.Low[axis]-slack && coordinate <= b.High[axis]+slack
}

// Field is ground between the samples of a grid: two triangles in each cell, which share its diagonal from the lower
// to the higher x and y. A sample's height is Bottom + Range·Data, in m.
type Field struct {
	Middle, Half  [2]float64 // middle and half size of the rectangle of samples, edges included, m
	NX, NY        int        // number of samples along x and y
	Bottom, Range float64
	Data          []float32 // NY rows of NX, from 0 to 1, both of which occur
}

// Patch is one place of the grid. It has either boxes or a field.
type Patch struct {
	Kind        string
	Row, Column int
	Difficulty  float64

	Boxes  []Box
	Field  *Field
	Origin [3]float64   // on the ground in the middle of the patch
	Flat   [][3]float64 // flat places on the ground; see FlatPatches

	bins      []uint16 // indices of Boxes by the bins that they cover, see binOf
	binStarts [bins*bins + 1]uint16
}

// bins is the number of bins of a patch's boxes along an axis.
const bins = 16

// Make makes the terrain. Settings must be valid.
func Make(s Settings) (*Terrain, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	t := &Terrain{Settings: s.filled()}
	t.low = [2]float64{-float64(t.Rows) * t.Size[0] / 2, -float64(t.Columns) * t.Size[1] / 2}
	outer := [2]float64{t.BorderWidth - t.low[0], t.BorderWidth - t.low[1]}
	frame := patchMaker{}
	frame.ring(outer, [2]float64{-t.low[0], -t.low[1]}, -underground, 0)
	t.Border = frame.boxes
	var stream random.Stream
	t.Patches = make([]Patch, t.Rows*t.Columns)
	for row := range t.Rows {
		for column := range t.Columns {
			r := stream.Key(t.Seed, uint64(row), uint64(column))
			if err := t.make(&t.Patches[row*t.Columns+column], row, column, r); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// make makes one patch.
func (t *Terrain) make(p *Patch, row, column int, r *rand.Rand) error {
	k := t.kindOf(column)
	m := makers[k.Kind]
	low, high := t.DifficultyRange[0], t.DifficultyRange[1]
	p.Kind, p.Row, p.Column = k.Kind, row, column
	p.Difficulty = low + float64((high-low)*(float64(row)+r.Float64())/float64(t.Rows))
	maker := &patchMaker{SubTerrain: k.withDefaults(m), size: *t.Size, d: p.Difficulty, r: r}
	middle := t.low
	for i, n := range [2]int{row, column} {
		middle[i] += float64((float64(n) + 0.5) * t.Size[i])
	}
	if m.field != nil {
		p.Field, maker.origin = t.sample(maker, m, middle)
	} else {
		m.boxes(maker)
	}
	if p.Field == nil && m.field != nil {
		maker.base(0)
	}
	for _, b := range maker.boxes {
		for i := range 2 {
			b.Low[i], b.High[i] = b.Low[i]+middle[i], b.High[i]+middle[i]
		}
		p.Boxes = append(p.Boxes, b)
	}
	if len(p.Boxes) > math.MaxUint16/(bins*bins) {
		return fmt.Errorf("sub_terrains: a patch of %s has %d boxes, want at most %d: wider steps", p.Kind,
			len(p.Boxes), math.MaxUint16/(bins*bins))
	}
	t.bin(p)
	p.Origin = [3]float64{middle[0], middle[1], maker.origin}
	t.findFlat(p, middle, r)
	return nil
}

// sample makes the field of a patch; nil if it is flat.
func (t *Terrain) sample(p *patchMaker, m maker, middle [2]float64) (f *Field, origin float64) {
	height, floor := m.field(p)
	nx, ny := t.samples()
	f = &Field{Middle: middle, Half: [2]float64{t.Size[0] / 2, t.Size[1] / 2}, NX: nx, NY: ny}
	heights := make([]float64, 0, nx*ny)
	low, high := math.Inf(1), math.Inf(-1)
	frame, platform := p.innerHalf(max(*p.BorderWidth, t.HorizontalScale/2)), *p.PlatformWidth/2
	for j := range ny {
		y := 2*f.Half[1]*float64(j)/float64(ny-1) - f.Half[1]
		for i := range nx {
			x := 2*f.Half[0]*float64(i)/float64(nx-1) - f.Half[0]
			h := height(x, y)
			switch {
			case math.Abs(x) > frame[0]+slack || math.Abs(y) > frame[1]+slack:
				h = 0
			case math.Abs(x) <= platform+slack && math.Abs(y) <= platform+slack:
				h = floor
			}
			low, high = min(low, h), max(high, h)
			heights = append(heights, h)
		}
	}
	if high-low < level {
		return nil, 0
	}
	f.Bottom, f.Range, f.Data = low, high-low, make([]float32, len(heights))
	for i, h := range heights {
		f.Data[i] = float32((h - low) / f.Range)
	}
	return f, f.height(middle[0], middle[1])
}

// bin puts the boxes of a patch into bins by the places that they cover.
func (t *Terrain) bin(p *Patch) {
	for cell := range bins * bins {
		p.binStarts[cell] = uint16(len(p.bins))
		low, high := [2]float64{}, [2]float64{}
		for i, n := range [2]int{cell / bins, cell % bins} {
			low[i] = t.corner(p)[i] + float64(float64(n)*t.Size[i]/bins)
			high[i] = low[i] + t.Size[i]/bins
		}
		const edge = 1e-6 // a place on an edge may be counted to either bin
		for n, b := range p.Boxes {
			if b.Low[0] <= high[0]+edge && b.High[0] >= low[0]-edge && b.Low[1] <= high[1]+edge &&
				b.High[1] >= low[1]-edge {
				p.bins = append(p.bins, uint16(n))
			}
		}
	}
	p.binStarts[bins*bins] = uint16(len(p.bins))
}

// corner is the place of a patch with the least x and y.
func (t *Terrain) corner(p *Patch) [2]float64 {
	return [2]float64{t.low[0] + float64(float64(p.Row)*t.Size[0]), t.low[1] + float64(float64(p.Column)*t.Size[1])}
}

// boxesAt are the boxes that may cover a place of the patch.
func (t *Terrain) boxesAt(p *Patch, x, y float64) []uint16 {
	corner := t.corner(p)
	i := min(max(int((x-corner[0])/t.Size[0]*bins), 0), bins-1)
	j := min(max(int((y-corner[1])/t.Size[1]*bins), 0), bins-1)
	cell := i*bins + j
	return p.bins[p.binStarts[cell]:p.binStarts[cell+1]]
}

// findFlat looks for flat places at random places of a patch.
func (t *Terrain) findFlat(p *Patch, middle [2]float64, r *rand.Rand) {
	radius := t.FlatPatches.Radius
	if 2*radius > min(t.Size[0], t.Size[1]) {
		return
	}
	for tries := 0; tries < 50*t.FlatPatches.Num && len(p.Flat) < t.FlatPatches.Num; tries++ {
		x := middle[0] + float64((t.Size[0]/2-radius)*(2*r.Float64()-1))
		y := middle[1] + float64((t.Size[1]/2-radius)*(2*r.Float64()-1))
		most := t.FlatPatches.MaxHeightDiff
		if low, high := p.extent(x, y, radius, most); high-low <= most {
			p.Flat = append(p.Flat, [3]float64{x, y, high})
		}
	}
}

// Around returns the least and the greatest height of 49 places in the square of a half width about a place.
func (t *Terrain) Around(x, y, half float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := -3; i <= 3; i++ {
		for j := -3; j <= 3; j++ {
			h := t.Height(x+float64(float64(i)*half/3), y+float64(float64(j)*half/3))
			low, high = min(low, h), max(high, h)
		}
	}
	return low, high
}

// Highest returns the greatest height of 49 places in the square of a half width about a place, in m.
func (t *Terrain) Highest(x, y, half float64) float64 {
	_, high := t.Around(x, y, half)
	return high
}

// patchAt returns the patch at a place; nil outside of the grid.
func (t *Terrain) patchAt(x, y float64) *Patch {
	u, v := (x-t.low[0])/t.Size[0], (y-t.low[1])/t.Size[1]
	if !(u >= 0 && u <= float64(t.Rows) && v >= 0 && v <= float64(t.Columns)) {
		return nil
	}
	return &t.Patches[min(int(u), t.Rows-1)*t.Columns+min(int(v), t.Columns-1)]
}

// Height returns the height of the highest ground at a place, in m; 0 outside of the grid. It allocates nothing.
func (t *Terrain) Height(x, y float64) float64 {
	p := t.patchAt(x, y)
	if p == nil {
		return 0
	}
	if p.Field != nil {
		return p.Field.height(x, y)
	}
	height := math.Inf(-1)
	for _, n := range t.boxesAt(p, x, y) {
		if b := &p.Boxes[n]; b.covers(0, x) && b.covers(1, y) {
			height = max(height, b.High[2])
		}
	}
	return height
}

// Inside reports whether a place is over the grid or its border, and at least margin, in m, from the edge.
func (t *Terrain) Inside(x, y, margin float64) bool {
	return math.Abs(x) <= t.BorderWidth-t.low[0]-margin && math.Abs(y) <= t.BorderWidth-t.low[1]-margin
}

// Patch returns the patch of a row and a column.
func (t *Terrain) Patch(row, column int) *Patch { return &t.Patches[row*t.Columns+column] }

// Boxes is the number of all boxes, and Samples that of the samples of all fields.
func (t *Terrain) Boxes() (boxes int) {
	boxes = len(t.Border)
	for i := range t.Patches {
		boxes += len(t.Patches[i].Boxes)
	}
	return boxes
}

// Samples is the number of the samples of all fields.
func (t *Terrain) Samples() (fields, samples int) {
	for i := range t.Patches {
		if f := t.Patches[i].Field; f != nil {
			fields++
			samples += len(f.Data)
		}
	}
	return fields, samples
}
