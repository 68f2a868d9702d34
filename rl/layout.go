package rl

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// layout says where the values of an observation are in a row of a replay. First come those that are in no picture, in
// their order, then, picture by picture and pixel by pixel, the channels that are no bytes. The bytes of the other
// channels lie elsewhere, in this order, too. It is immutable.
type layout struct {
	rest          []ColumnRange // what is in no picture
	pictures      []keptPicture
	floats, bytes int // of an observation
}

// keptPicture is a picture in a row of a replay.
type keptPicture struct {
	Picture
	factors       []float64 // by channel, what makes a value a byte; 0: it is none
	place         []int32   // by channel, its place among the bytes of a pixel or, less than 0, -1 less that among the others
	floats, bytes int       // where they begin in a row
	pixelFloats   int
	pixelBytes    int
}

func newLayout(shape Shape) layout {
	l := layout{rest: nn.PlainColumns(shape.Pictures, shape.Observation)}
	for _, r := range l.rest {
		l.floats += r.Size
	}
	for i, p := range shape.Pictures {
		k := keptPicture{Picture: p, factors: make([]float64, p.Channels), floats: l.floats, bytes: l.bytes}
		if shape.ByteFactors != nil {
			copy(k.factors, shape.ByteFactors[i])
		}
		for _, factor := range k.factors {
			if factor == 0 {
				k.pixelFloats++
				k.place = append(k.place, int32(-k.pixelFloats))
			} else {
				k.place = append(k.place, int32(k.pixelBytes))
				k.pixelBytes++
			}
		}
		l.floats += p.Height * p.Width * k.pixelFloats
		l.bytes += p.Height * p.Width * k.pixelBytes
		l.pictures = append(l.pictures, k)
	}
	return l
}

// write writes an observation to a row, the floats and the bytes.
func (l *layout) write(floats []float32, bytes []byte, observation []float64) {
	single := func(v float64) float32 { return float32(min(max(v, -math.MaxFloat32), math.MaxFloat32)) }
	i := 0
	for _, r := range l.rest {
		for _, v := range observation[r.First:][:r.Size] {
			floats[i] = single(v)
			i++
		}
	}
	for _, p := range l.pictures {
		floats, bytes, values := floats[p.floats:], bytes[p.bytes:], observation[p.First:][:p.Size()]
		for pixel := 0; pixel < len(values); pixel += p.Channels {
			for c, factor := range p.factors {
				if v := values[pixel+c]; factor == 0 {
					floats[0], floats = single(v), floats[1:]
				} else {
					bytes[0], bytes = byte(min(max(math.Round(v*factor), 0), 255)), bytes[1:]
				}
			}
		}
	}
}

// reading is a plan of what is read of the rows of a replay, standardised, as the input of a network.
type reading struct {
	spans    []readSpan
	pictures []readPicture
}

// readSpan is values that are in no picture.
type readSpan struct {
	columns ColumnRange // of an observation
	row     int         // where they begin in a row of the replay
	input   int         // and in the input
}

// readPicture is the number of a picture of the layout, and where it begins in the input.
type readPicture struct{ picture, input int }

// reads plans to read columns of an observation to the beginning of an input.
func (l *layout) reads(columns ColumnRange) (r reading) {
	row := 0
	for _, span := range l.rest {
		first, end := max(span.First, columns.First), min(span.First+span.Size, columns.First+columns.Size)
		if first < end {
			read := ColumnRange{First: first, Size: end - first}
			r.spans = append(r.spans, readSpan{read, row + first - span.First, first - columns.First})
		}
		row += span.Size
	}
	for i, p := range l.pictures {
		if p.First >= columns.First && p.First < columns.First+columns.Size {
			r.pictures = append(r.pictures, readPicture{i, p.First - columns.First})
		}
	}
	return r
}

// after returns the plan to read only what is in no picture, one value after the other from a place of the input on.
func (r reading) after(input int) (rest reading) {
	for _, span := range r.spans {
		span.input = input
		input += span.columns.Size
		rest.spans = append(rest.spans, span)
	}
	return rest
}
