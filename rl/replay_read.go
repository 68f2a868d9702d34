package rl

// #cgo noescape rl_pick
// #cgo nocallback rl_pick
// #cgo noescape rl_look
// #cgo nocallback rl_look
// #include "replay.h"
import "C"

import (
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// lens standardises what a replay holds: as a standardiser, in single precision.
type lens struct {
	mean, scale []float32
	limit       float32
	bytes       [][]float32 // by picture of the layout: for each channel what each of 256 bytes becomes
}

func newLens(shape Shape) lens {
	l := lens{mean: make([]float32, shape.Observation), scale: make([]float32, shape.Observation)}
	for _, p := range shape.Pictures {
		l.bytes = append(l.bytes, make([]float32, 256*p.Channels))
	}
	return l
}

// set takes over a standardiser, for rows of a layout.
func (l *lens) set(s nn.Standardiser, rows *layout) {
	for i := range l.mean {
		l.mean[i], l.scale[i] = float32(s.Mean[i]), float32(s.Scale[i])
	}
	l.limit = float32(s.Limit)
	for i, p := range rows.pictures {
		for c, factor := range p.factors {
			if factor == 0 {
				continue
			}
			for b := range 256 {
				z := (float32(float64(b)/factor) - l.mean[p.First+c]) * l.scale[p.First+c]
				l.bytes[i][256*c+b] = min(max(z, -l.limit), l.limit)
			}
		}
	}
}

// read writes what is read of the rows that begin at these places of data to the rows of dst, which are stride values
// apart. shifts are of the rows' pictures; nil: none.
func (r *Replay) read(dst []float32, stride int, rows []int64, s *lens, plan *reading, shifts []shift) {
	for _, span := range plan.spans {
		pick(dst[span.input:], stride, r.data[span.row:], rows, s, span.columns)
	}
	for _, picture := range plan.pictures {
		r.look(dst[picture.input:], stride, rows, s, picture.picture, shifts)
	}
}

// pick writes the first values of rows, which begin at these places of data and are columns of observations, to the
// beginnings of the rows of dst, which are stride apart: standardised, then held within ±limit.
func pick(dst []float32, stride int, data []float32, rows []int64, s *lens, columns ColumnRange) {
	mean, scale := s.mean[columns.First:][:columns.Size], s.scale[columns.First:][:columns.Size]
	_ = dst[(len(rows)-1)*stride+columns.Size-1]
	C.rl_pick(cFloats(dst), C.int(stride), cFloats(data), (*C.long)(unsafe.SliceData(rows)),
		C.int(len(rows)), C.int(columns.Size), cFloats(mean), cFloats(scale), C.float(s.limit))
}

// look writes a picture of the layout, of the rows that begin at these places of r.data, to the beginnings of the rows
// of dst, which are stride apart: standardised, then held within ±limit. With shifts a pixel is the one that many pixels
// from it, or the nearest at the edge.
func (r *Replay) look(dst []float32, stride int, rows []int64, s *lens, picture int, shifts []shift) {
	p := &r.layout.pictures[picture]
	mean, scale := s.mean[p.First:][:p.Channels], s.scale[p.First:][:p.Channels]
	_, _ = dst[(len(rows)-1)*stride+p.Size()-1], shifts[:min(len(shifts), len(rows))]
	C.rl_look(cFloats(dst), C.int(stride), cFloats(r.data[p.floats:]),
		(*C.uchar)(unsafe.SliceData(r.bytes[min(p.bytes, len(r.bytes)):])), (*C.long)(unsafe.SliceData(rows)),
		C.int(len(rows)), C.long(r.size()), C.long(r.layout.bytes), C.int(p.Height), C.int(p.Width), C.int(p.Channels),
		cInts(p.place), C.int(p.pixelFloats), C.int(p.pixelBytes), cFloats(s.bytes[picture]),
		cFloats(mean), cFloats(scale), C.float(s.limit), (*C.int)(unsafe.Pointer(unsafe.SliceData(shifts))))
}
