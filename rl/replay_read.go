package rl

// #cgo CFLAGS: -O3 -std=c11
// #cgo noescape rl_pick
// #cgo nocallback rl_pick
// #cgo noescape rl_look
// #cgo nocallback rl_look
// #include "replay.h"
import "C"

import (
	"unsafe"
)

func replayFloats(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }

// pick writes the first values of rows, which begin at these places of data and are columns of observations, to the
// beginnings of the rows of dst, which are stride apart: standardised, then held within ±limit.
func pick(dst []float32, stride int, data []float32, rows []int64, s *lens, columns ColumnRange) {
	mean, scale := s.mean[columns.First:][:columns.Size], s.scale[columns.First:][:columns.Size]
	_ = dst[(len(rows)-1)*stride+columns.Size-1]
	C.rl_pick(replayFloats(dst), C.int(stride), replayFloats(data), (*C.long)(unsafe.SliceData(rows)),
		C.int(len(rows)), C.int(columns.Size), replayFloats(mean), replayFloats(scale), C.float(s.limit))
}

// look writes a picture of the layout, of the rows that begin at these places of r.data, to the beginnings of the rows
// of dst, which are stride apart: standardised, then held within ±limit. With shifts a pixel is the one that many pixels
// from it, or the nearest at the edge.
func (r *Replay) look(dst []float32, stride int, rows []int64, s *lens, picture int, shifts []shift) {
	p := &r.layout.pictures[picture]
	mean, scale := s.mean[p.First:][:p.Channels], s.scale[p.First:][:p.Channels]
	_, _ = dst[(len(rows)-1)*stride+p.Size()-1], shifts[:min(len(shifts), len(rows))]
	C.rl_look(replayFloats(dst), C.int(stride), replayFloats(r.data[p.floats:]),
		(*C.uchar)(unsafe.SliceData(r.bytes[min(p.bytes, len(r.bytes)):])), (*C.long)(unsafe.SliceData(rows)),
		C.int(len(rows)), C.long(r.size()), C.long(r.layout.bytes), C.int(p.Height), C.int(p.Width), C.int(p.Channels),
		(*C.int)(unsafe.SliceData(p.place)), C.int(p.pixelFloats), C.int(p.pixelBytes), replayFloats(s.bytes[picture]),
		replayFloats(mean), replayFloats(scale), C.float(s.limit), (*C.int)(unsafe.Pointer(unsafe.SliceData(shifts))))
}
