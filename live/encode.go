package live

import (
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// layout are the tracks of one world.
type layout []*wire.Track

// size is the number of their values.
func (l layout) size() int { return wire.Size(l) }

// newFrame returns a frame of some worlds, to be filled.
func (l layout) newFrame(worlds int) *wire.Frame {
	f := &wire.Frame{}
	for range worlds {
		w := &wire.World{}
		for range l {
			w.Tracks = append(w.Tracks, &wire.Values{})
		}
		f.Worlds = append(f.Worlds, w)
	}
	return f
}

// setAge sets the age of a track's values, in ns; -1: they are those of the reset.
func setAge(v *wire.Values, age int64) {
	switch {
	case age < 0:
		v.AgeNs = nil
	case v.AgeNs == nil:
		v.AgeNs = proto.Uint64(uint64(age))
	default:
		*v.AgeNs = uint64(age)
	}
}

// encoder encodes frames one after the other.
type encoder struct {
	layout
	multiples []int64 // multiples of the resolutions that the clients have
	update    *wire.Update
	frame     *wire.Update_Frame
}

func newEncoder(l layout, worlds int) *encoder {
	frame := &wire.Update_Frame{}
	return &encoder{layout: l, multiples: make([]int64, worlds*l.size()), frame: frame, update: &wire.Update{Kind: frame}}
}

// maxMultiple bounds the multiples of a resolution, so that no difference of two overflows.
const maxMultiple = 1 << 52

// quantise returns the multiple of the resolution that is nearest to x, 0 for NaN.
func quantise(x, resolution float64) int64 {
	k := math.RoundToEven(x / resolution)
	if k != k {
		return 0
	}
	return int64(min(max(k, -maxMultiple), maxMultiple))
}

// append appends a frame with the values of all worlds as an update, and makes them what the clients have.
func (e *encoder) append(dst []byte, f *wire.Frame, values []float64) []byte {
	i := 0
	for _, w := range f.Worlds {
		for t, track := range e.layout {
			v, end := w.Tracks[t], i+int(track.Size)
			if track.Resolution == 0 {
				v.Exact = append(v.Exact[:0], values[i:end]...)
				i = end
				continue
			}
			v.Steps = v.Steps[:0]
			for ; i < end; i++ {
				k := quantise(values[i], track.Resolution)
				v.Steps = append(v.Steps, k-e.multiples[i])
				e.multiples[i] = k
			}
			v.Steps = trimZeros(v.Steps)
		}
	}
	return e.marshal(dst, f)
}

// appendKey appends the newest frame whole.
func (e *encoder) appendKey(dst []byte, f *wire.Frame) []byte {
	i := 0
	for _, w := range f.Worlds {
		for t, track := range e.layout {
			if track.Resolution != 0 {
				w.Tracks[t].Steps = trimZeros(append(w.Tracks[t].Steps[:0], e.multiples[i:i+int(track.Size)]...))
			}
			i += int(track.Size)
		}
	}
	f.Key = true
	defer func() { f.Key = false }()
	return e.marshal(dst, f)
}

func (e *encoder) marshal(dst []byte, f *wire.Frame) []byte {
	e.frame.Frame = f
	data, err := proto.MarshalOptions{}.MarshalAppend(dst, e.update)
	if err != nil {
		panic(err) // cannot happen: all texts are valid UTF-8
	}
	return data
}

// trimZeros leaves out the zeros at the end.
func trimZeros(values []int64) []int64 {
	for len(values) > 0 && values[len(values)-1] == 0 {
		values = values[:len(values)-1]
	}
	return values
}
