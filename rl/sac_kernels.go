package rl

// #cgo noescape rl_multiply
// #cgo nocallback rl_multiply
// #cgo noescape rl_polyak
// #cgo nocallback rl_polyak
// #cgo noescape rl_pick
// #cgo nocallback rl_pick
// #cgo noescape rl_look
// #cgo nocallback rl_look
// #cgo noescape rl_norm
// #cgo nocallback rl_norm
// #cgo noescape rl_norm_slope
// #cgo nocallback rl_norm_slope
// #include "sac.h"
import "C"

import "unsafe"

// scaleEach multiplies each value of y by its factor.
func scaleEach(y, factor []float32) {
	C.rl_multiply(sacFloats(y), sacFloats(factor[:len(y)]), C.long(len(y)))
}

func sacFloats(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }

// follow brings target nearer to params by a part of their distance.
func follow(target, params []float32, part float32) {
	C.rl_polyak(sacFloats(target), sacFloats(params[:len(target)]), C.int(len(target)), C.float(part))
}

// pick writes the first values of rows, which begin at these places of data and are columns of observations, to the
// beginnings of the rows of dst, which are stride apart: standardised, then held within ±limit.
func pick(dst []float32, stride int, data []float32, rows []int64, s *lens, columns ColumnRange) {
	mean, scale := s.mean[columns.First:][:columns.Size], s.scale[columns.First:][:columns.Size]
	_ = dst[(len(rows)-1)*stride+columns.Size-1]
	C.rl_pick(sacFloats(dst), C.int(stride), sacFloats(data), (*C.long)(unsafe.SliceData(rows)),
		C.int(len(rows)), C.int(columns.Size), sacFloats(mean), sacFloats(scale), C.float(s.limit))
}

// look writes a picture of the layout, of the rows that begin at these places of r.data, to the beginnings of the rows
// of dst, which are stride apart: standardised, then held within ±limit. With shifts a pixel is the one that many pixels
// from it, or the nearest at the edge.
func (r *Replay) look(dst []float32, stride int, rows []int64, s *lens, picture int, shifts []shift) {
	p := &r.layout.pictures[picture]
	mean, scale := s.mean[p.First:][:p.Channels], s.scale[p.First:][:p.Channels]
	_, _ = dst[(len(rows)-1)*stride+p.Size()-1], shifts[:min(len(shifts), len(rows))]
	C.rl_look(sacFloats(dst), C.int(stride), sacFloats(r.data[p.floats:]),
		(*C.uchar)(unsafe.SliceData(r.bytes[min(p.bytes, len(r.bytes)):])), (*C.long)(unsafe.SliceData(rows)),
		C.int(len(rows)), C.long(r.size()), C.long(r.layout.bytes), C.int(p.Height), C.int(p.Width), C.int(p.Channels),
		(*C.int)(unsafe.SliceData(p.place)), C.int(p.pixelFloats), C.int(p.pixelBytes), sacFloats(s.bytes[picture]),
		sacFloats(mean), sacFloats(scale), C.float(s.limit), (*C.int)(unsafe.Pointer(unsafe.SliceData(shifts))))
}

// normaliseRows gives each row of y mean 0 and deviation 1, which scaled keeps, and multiplies by gains. inverse
// becomes one over the deviation of each row.
func normaliseRows(y, scaled, inverse, gains []float32) {
	rows := len(y) / len(gains)
	C.rl_norm(sacFloats(y), sacFloats(scaled[:len(y)]), sacFloats(inverse[:rows]), sacFloats(gains), C.int(rows),
		C.int(len(gains)))
}

// normaliseSlope follows normaliseRows: the derivative by its result becomes that by its argument, and byGains, unless
// it is nil, the derivative by the gains.
func normaliseSlope(delta, scaled, inverse, gains, byGains []float32) {
	rows := len(delta) / len(gains)
	C.rl_norm_slope(sacFloats(delta), sacFloats(scaled[:len(delta)]), sacFloats(inverse[:rows]), sacFloats(gains),
		sacFloats(byGains), C.int(rows), C.int(len(gains)))
}
