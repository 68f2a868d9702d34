package format

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// A list of float64 may have the pixels of pictures among its values, as observations do. Rows and files do not have
// such a list as it is: they have its storage, which is a list of the values that are no pixels and a column for each
// picture, 8 or 16 bits or a float32 for a value, in PNG but for depths. Pixels have no names. What reads or sets the values of the list does not notice.

// ListPicture describes a picture among the values of a list.
type ListPicture struct {
	Name string `json:"name"` // of the column that stores its pixels
	Kind string `json:"kind"` // [physics.RGB], Depth, Segmentation or Normals

	Width  int `json:"width"`
	Height int `json:"height"`

	First int `json:"first"` // number of the value of the list that is the first of the first pixel
	Step  int `json:"step"`  // number of values from a pixel to the next one

	// Floats says that a pixel stores float32s, whatever its kind, as it does of Normals.
	Floats bool `json:"floats,omitempty"`

	// Scale is what is multiplied in float64 by what a pixel stores: of Floats the float32s, else a byte divided by 255 of
	// RGB, a depth in m of Depth, but at most Far, and the number of a geom or -1 of Segmentation. The values of the list are
	// these to the last bit.
	Scale float64 `json:"scale"`
	Far   float64 `json:"far,omitempty"` // of Depth without Floats alone
}

// isDepth reports whether a pixel stores a float32 of at most Far.
func (p *ListPicture) isDepth() bool { return p.Kind == physics.Depth && !p.Floats }

// isColour reports whether a pixel stores bytes.
func (p *ListPicture) isColour() bool { return p.Kind == physics.RGB && !p.Floats }

// number returns the value of the list that a float32 of Floats stores.
func (p *ListPicture) number(v float32) float64 { return float64(float64(v) * p.Scale) }

// colour returns the value of the list that a byte of RGB stores.
func (p *ListPicture) colour(b byte) float64 { return float64(float64(b) / 255 * p.Scale) }

// depth returns the value of the list that a depth in m stores.
func (p *ListPicture) depth(m float64) float64 { return float64(min(m, p.Far) * p.Scale) }

// segment returns the value of the list that the bytes of a segment store, which is the number of a geom plus 1.
func (p *ListPicture) segment(bytes []byte) float64 {
	return float64(float64(int(binary.NativeEndian.Uint16(bytes))-1) * p.Scale)
}

// Numbers yields the numbers of the picture's values in the list.
func (p *ListPicture) Numbers(yield func(i int) bool) {
	for pixel, n := 0, physics.ChannelsOf(p.Kind); pixel < p.Width*p.Height; pixel++ {
		for i := range n {
			if !yield(p.First + pixel*p.Step + i) {
				return
			}
		}
	}
}

// column returns the column that stores the picture of a list.
func (p *ListPicture) column(list *Column) Column {
	c := PictureColumn(p.Name, p.Kind, p.Width, p.Height)
	switch {
	case p.isDepth():
		c = Column{Name: p.Name, Kind: Float32, Len: p.Width * p.Height, Unit: "m", Description: "depth along the axis of view"}
	case p.Floats:
		channels := physics.ChannelsOf(p.Kind)
		c = Column{Name: p.Name, Kind: Float32, Len: p.Width * p.Height * channels, Width: p.Width * channels,
			Description: p.Kind + " as float32: PNG of their four bytes, a column for each value"}
	}
	text, err := json.Marshal(struct {
		Column string `json:"column"`
		*ListPicture
	}{list.Name, p})
	if err != nil {
		panic(err) // its numbers are finite
	}
	c.Nullable, c.Source, c.Rate, c.list = list.Nullable, list.Source, list.Rate, string(text)
	c.Description += "; pixels of " + list.Name
	return c
}

// Observe writes what a list has of a picture without Floats to values, of the list's length: pixels are as a row of
// [PictureColumn] has them. Depths are those of whole millimetres.
func (p *ListPicture) Observe(values []float64, pixels []byte) {
	i := 0
	for k := range p.Numbers {
		switch p.Kind {
		case physics.RGB:
			values[k] = p.colour(pixels[i])
		case physics.Depth:
			depth := p.Far
			if mm := binary.NativeEndian.Uint16(pixels[2*i:]); mm != 0 {
				depth = float64(mm) / 1000
			}
			values[k] = p.depth(depth)
		default:
			values[k] = p.segment(pixels[2*i:])
		}
		i++
	}
}

// checkPictures returns an error unless the pictures are different values of the list.
func (c *Column) checkPictures() error {
	if len(c.Pictures) == 0 {
		return nil
	}
	if c.Kind != Float64 || c.Len == 0 {
		return fmt.Errorf("it has pictures, want them in lists of float64 alone")
	}
	stored := make([]bool, c.Len)
	for i := range c.Pictures {
		p := &c.Pictures[i]
		hasFar, size := p.isDepth(), physics.ChannelsOf(p.Kind)
		switch {
		case p.Name == "" || !slices.Contains(physics.PictureKinds(), p.Kind):
			return fmt.Errorf("pictures[%d] is %q of kind %q, want a name and one of %s", i, p.Name, p.Kind,
				strings.Join(physics.PictureKinds(), ", "))
		case p.Kind == physics.Normals && !p.Floats:
			return fmt.Errorf("pictures[%d] has %s without floats, want them as floats", i, p.Kind)
		case min(p.Width, p.Height) < 1 || p.Height > c.Len/p.Width || p.Width*p.Height > c.Len/size || p.Step < size || p.Step > c.Len || p.First < 0 ||
			p.First > c.Len-(p.Width*p.Height-1)*p.Step-size:
			return fmt.Errorf("pictures[%d] is %d × %d pixels of %d values, from %d on, want them within %d values", i,
				p.Width, p.Height, p.Step, p.First, c.Len)
		case p.Scale == 0 || p.Scale-p.Scale != 0 || hasFar != (p.Far > 0) || p.Far-p.Far != 0:
			return fmt.Errorf("pictures[%d] has the scale %v and the largest depth %v, want finite numbers that are not 0, "+
				"the latter for depth alone", i, p.Scale, p.Far)
		}
		for k := range p.Numbers {
			if stored[k] {
				return fmt.Errorf("pictures[%d] has the value %d, which one before it has", i, k)
			}
			stored[k] = true
		}
	}
	return nil
}

// Rest returns the numbers of the values of a list that are in no picture, in their order.
func (c *Column) Rest() (numbers []int) {
	stored := make([]bool, c.Len)
	for i := range c.Pictures {
		for k := range c.Pictures[i].Numbers {
			stored[k] = true
		}
	}
	for k, isStored := range stored {
		if !isStored {
			numbers = append(numbers, k)
		}
	}
	return numbers
}

// ValueNames returns the name of each value of a list, "" for pixels; nil without names.
func (c *Column) ValueNames() []string {
	if c.Names == nil || len(c.Pictures) == 0 {
		return c.Names
	}
	names := make([]string, c.Len)
	for i, k := range c.Rest() {
		names[k] = c.Names[i]
	}
	return names
}

// SetNames gives a list with its pictures the names of some of its values, which all have one.
func (c *Column) SetNames(all []string) {
	c.Names = all
	if len(c.Pictures) == 0 || all == nil {
		return
	}
	c.Names = nil
	for _, k := range c.Rest() {
		c.Names = append(c.Names, all[k])
	}
}

// storage returns the columns that store the column: itself, unless it has pictures.
func (c *Column) storage() []Column {
	if len(c.Pictures) == 0 {
		return []Column{*c}
	}
	var columns []Column
	if numbers := c.Rest(); len(numbers) > 0 {
		rest := *c
		rest.Len, rest.Low, rest.High, rest.Parts, rest.Pictures = len(numbers), nil, nil, nil, nil
		rest.Description += "; the values that are no pixels"
		columns = append(columns, rest)
	}
	for i := range c.Pictures {
		columns = append(columns, c.Pictures[i].column(c))
	}
	return columns
}

// hasPictures reports whether lists of the table have pictures.
func (t *Table) hasPictures() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return len(c.Pictures) > 0 })
}

// Storage returns the table with the columns that rows and files have, in their order: t, unless lists have pictures.
func (t *Table) Storage() *Table {
	if !t.hasPictures() {
		return t
	}
	storage := *t
	storage.Columns = nil
	for i := range t.Columns {
		storage.Columns = append(storage.Columns, t.Columns[i].storage()...)
	}
	return &storage
}

// list is where a row has the values of a list with pictures.
type list struct {
	column   *Column
	rest     []int // numbers of the values that are in no picture
	start    int   // first byte of these
	pictures []pixels
	places   []place // by number of the value
}

// pixels is where a row has the pixels of a picture.
type pixels struct {
	*ListPicture
	start int          // first byte
	bytes [256]float64 // values of the list, by byte
	most  float32      // what stores Far
}

// place is where a row has a value.
type place struct {
	offset  int32 // first byte
	picture int32 // −1: none
}

// newList returns where rows have the values of a list whose storage begins at these bytes.
func newList(c *Column, starts []cell) *list {
	l := &list{column: c, rest: c.Rest(), places: make([]place, c.Len)}
	if len(l.rest) > 0 {
		l.start, starts = int(starts[0].start), starts[1:]
	}
	for i, k := range l.rest {
		l.places[k] = place{int32(l.start + 8*i), -1}
	}
	l.pictures = make([]pixels, len(c.Pictures))
	for i := range l.pictures {
		p := &l.pictures[i]
		*p = pixels{ListPicture: &c.Pictures[i], start: int(starts[i].start), most: float32(c.Pictures[i].Far)}
		if float64(p.most) < p.Far {
			p.most = math.Nextafter32(p.most, math.MaxFloat32)
		}
		for b := range p.bytes {
			p.bytes[b] = p.colour(byte(b))
		}
		offset, size := p.start, starts[i].kind.Size()
		for k := range p.Numbers {
			l.places[k] = place{int32(offset), int32(i)}
			offset += size
		}
	}
	return l
}

// columns returns the number of the columns that store the list.
func (l *list) columns() int { return min(1, len(l.rest)) + len(l.pictures) }

// value returns a value of the list in a row.
func (l *list) value(row []byte, i int) float64 {
	place := &l.places[i]
	if bytes := row[place.offset:]; place.picture < 0 {
		return math.Float64frombits(binary.NativeEndian.Uint64(bytes))
	} else {
		return l.pictures[place.picture].decode(bytes)
	}
}

// values writes all values of the list in a row to dst.
func (l *list) values(dst []float64, row []byte) {
	for i, k := range l.rest {
		dst[k] = math.Float64frombits(binary.NativeEndian.Uint64(row[l.start+8*i:]))
	}
	for i := range l.pictures {
		p := &l.pictures[i]
		bytes := row[p.start:]
		if p.isColour() {
			for pixel := range p.Width * p.Height {
				to, from := dst[p.First+pixel*p.Step:][:3], bytes[3*pixel:][:3]
				to[0], to[1], to[2] = p.bytes[from[0]], p.bytes[from[1]], p.bytes[from[2]]
			}
			continue
		}
		size, channels := 2, physics.ChannelsOf(p.Kind)
		if p.Floats || p.Kind == physics.Depth {
			size = 4
		}
		for pixel := range p.Width * p.Height {
			to := dst[p.First+pixel*p.Step:][:channels]
			for i := range to {
				to[i], bytes = p.decode(bytes), bytes[size:]
			}
		}
	}
}

// set writes the values of the list to a row. It returns the number of the first that its pixel cannot store, −1 for
// none.
func (l *list) set(row []byte, values []float64) int {
	for i, k := range l.rest {
		binary.NativeEndian.PutUint64(row[l.start+8*i:], math.Float64bits(values[k]))
	}
	for i := range l.pictures {
		if k := l.pictures[i].encode(row, values); k >= 0 {
			return k
		}
	}
	return -1
}

// decode returns the value of the list that the first bytes store.
func (p *pixels) decode(bytes []byte) float64 {
	switch {
	case p.isColour():
		return p.bytes[bytes[0]]
	case p.isDepth():
		return p.depth(float64(math.Float32frombits(binary.NativeEndian.Uint32(bytes))))
	case p.Floats:
		return p.number(math.Float32frombits(binary.NativeEndian.Uint32(bytes)))
	default:
		return p.segment(bytes)
	}
}

// encode stores the picture's values of a list in a row, and returns the number of the first value that is not the one
// that was stored, to the last bit; −1 for none.
func (p *pixels) encode(row []byte, values []float64) int {
	bytes, first := row[p.start:], p.First
	switch {
	case p.isColour():
		factor := 255 / p.Scale
		for pixel := range p.Width * p.Height {
			to, from := bytes[3*pixel:][:3], values[first+pixel*p.Step:][:3]
			for i, v := range from {
				to[i] = byte(int64(float64(v*factor) + 0.5))
				if math.Float64bits(p.bytes[to[i]]) != math.Float64bits(v) {
					return first + pixel*p.Step + i
				}
			}
		}
	case p.Floats:
		channels := physics.ChannelsOf(p.Kind)
		for pixel := range p.Width * p.Height {
			for i, v := range values[first+pixel*p.Step:][:channels] {
				stored := float32(v / p.Scale)
				if math.Float64bits(p.number(stored)) != math.Float64bits(v) {
					return first + pixel*p.Step + i
				}
				binary.NativeEndian.PutUint32(bytes, math.Float32bits(stored))
				bytes = bytes[4:]
			}
		}
	case p.isDepth():
		far := float64(p.Far * p.Scale)
		for pixel := range p.Width * p.Height {
			v, to := values[first+pixel*p.Step], bytes[4*pixel:]
			depth := p.most
			if v != far {
				depth = float32(v / p.Scale)
			}
			binary.NativeEndian.PutUint32(to, math.Float32bits(depth))
			if math.Float64bits(p.decode(to)) != math.Float64bits(v) {
				return first + pixel*p.Step
			}
		}
	default:
		for pixel := range p.Width * p.Height {
			v, to := values[first+pixel*p.Step], bytes[2*pixel:]
			binary.NativeEndian.PutUint16(to, uint16(int64(math.RoundToEven(v/p.Scale))+1))
			if math.Float64bits(p.decode(to)) != math.Float64bits(v) {
				return first + pixel*p.Step
			}
		}
	}
	return -1
}
