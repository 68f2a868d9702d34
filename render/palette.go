package render

import (
	"image"
	"image/color"
	"slices"
)

// maxColors is the number of colours of a palette, one less than a GIF's: the last is
// for pixels that stay as they were.
const maxColors = 255

// bits is the number of bits of each channel by which colours are told apart when a
// palette is made.
const bits = 5

// bin is a colour of few bits, with how many pixels have it and their sum.
type bin struct {
	count   int64
	sum     [3]int64
	channel [3]uint8
}

// box is a part of the bins, which becomes one colour.
type box struct {
	bins  []bin
	count int64
	wide  int     // the channel in which it is widest
	width float64 // there, weighted by how visible a channel is, times the root of count
}

// visible weighs the channels red, green and blue.
var visible = [3]float64{0.6, 1, 0.4}

// newBox measures a part of the bins.
func newBox(bins []bin) box {
	b := box{bins: bins}
	for _, x := range bins {
		b.count += x.count
	}
	for channel := range 3 {
		mean, spread := 0.0, 0.0
		for _, x := range bins {
			mean += float64(x.count) * float64(x.channel[channel]) / float64(b.count)
		}
		for _, x := range bins {
			d := float64(x.channel[channel]) - mean
			spread += float64(x.count) * d * d
		}
		if spread *= visible[channel]; spread > b.width {
			b.wide, b.width = channel, spread
		}
	}
	return b
}

// split cuts a box at the mean of its widest channel.
func (b box) split() (low, high box) {
	mean := 0.0
	for _, x := range b.bins {
		mean += float64(x.count) * float64(x.channel[b.wide]) / float64(b.count)
	}
	slices.SortStableFunc(b.bins, func(x, y bin) int { return int(x.channel[b.wide]) - int(y.channel[b.wide]) })
	at := slices.IndexFunc(b.bins, func(x bin) bool { return float64(x.channel[b.wide]) > mean })
	return newBox(b.bins[:at]), newBox(b.bins[at:])
}

// paletteOf returns up to maxColors colours for some pictures. Boxes of colours are
// split where their pixels differ most, which is median cut with the variance for the
// population (X. Wu, Graphics Gems II, 1991, uses the same criterion).
func paletteOf(pictures []*image.RGBA) color.Palette {
	all := make([]bin, 1<<(3*bits))
	for _, p := range pictures {
		for i := 0; i < len(p.Pix); i += 4 {
			x := &all[colorKey(p.Pix[i], p.Pix[i+1], p.Pix[i+2])]
			x.count++
			for channel := range 3 {
				x.sum[channel] += int64(p.Pix[i+channel])
				x.channel[channel] = p.Pix[i+channel] >> (8 - bits)
			}
		}
	}
	boxes := []box{newBox(slices.DeleteFunc(all, func(x bin) bool { return x.count == 0 }))}
	for len(boxes) < maxColors {
		widest := 0
		for i := range boxes {
			if boxes[i].width > boxes[widest].width {
				widest = i
			}
		}
		if boxes[widest].width == 0 {
			break
		}
		low, high := boxes[widest].split()
		boxes[widest] = low
		boxes = append(boxes, high)
	}
	var colors color.Palette
	for _, b := range boxes {
		var sum [3]int64
		for _, x := range b.bins {
			for channel := range 3 {
				sum[channel] += x.sum[channel]
			}
		}
		half := b.count / 2
		colors = append(colors, color.RGBA{
			uint8((sum[0] + half) / b.count), uint8((sum[1] + half) / b.count), uint8((sum[2] + half) / b.count), 255})
	}
	return colors
}

func colorKey(r, g, b uint8) int {
	return int(r)>>(8-bits)<<(2*bits) | int(g)>>(8-bits)<<bits | int(b)>>(8-bits)
}

// mapper finds the nearest colour of a palette.
type mapper struct {
	palette color.Palette
	// nearest has an index into palette for each colour of 6 bits a channel, as 1 more;
	// 0 where it has not been looked for.
	nearest []uint16
	// exact has a colour of the palette of which these are the first 6 bits a channel, as
	// 1<<24 | RGB; 0 if there is none. It is not dithered.
	exact []uint32
	which []uint8 // its place in palette
}

func newMapper(palette color.Palette) *mapper {
	m := &mapper{palette, make([]uint16, 1<<18), make([]uint32, 1<<18), make([]uint8, 1<<18)}
	for i, c := range palette {
		c := c.(color.RGBA)
		at := lookup(int(c.R), int(c.G), int(c.B))
		m.exact[at], m.which[at] = exactly(c.R, c.G, c.B), uint8(i)
	}
	return m
}

func lookup(r, g, b int) int { return r>>2<<12 | g>>2<<6 | b>>2 }

func exactly(r, g, b uint8) uint32 { return 1<<24 | uint32(r)<<16 | uint32(g)<<8 | uint32(b) }

// index returns the place of the nearest colour.
func (m *mapper) index(r, g, b int) uint8 {
	at := &m.nearest[lookup(r, g, b)]
	if *at == 0 {
		*at = uint16(m.palette.Index(color.RGBA{uint8(r | 3), uint8(g | 3), uint8(b | 3), 255})) + 1
	}
	return uint8(*at - 1)
}

// threshold is Bayer's matrix of 4 × 4 (B. E. Bayer, ICC 1973), about 0, in units of one
// step of 8 bits. Unlike an error that is diffused, it keeps a picture that does not
// change the same from frame to frame.
var threshold = [4][4]int{{-8, 0, -6, 2}, {4, -4, 6, -2}, {-5, 3, -7, 1}, {7, -1, 5, -3}}

// dither writes the indices of a picture's colours to dst.
func (m *mapper) dither(dst []uint8, p *image.RGBA) {
	width := p.Rect.Dx()
	for i := range dst {
		r, g, b := int(p.Pix[4*i]), int(p.Pix[4*i+1]), int(p.Pix[4*i+2])
		if at := lookup(r, g, b); m.exact[at] == exactly(p.Pix[4*i], p.Pix[4*i+1], p.Pix[4*i+2]) {
			dst[i] = m.which[at]
			continue
		}
		t := threshold[i/width&3][i%width&3] / 2
		r, g, b = r+t, g+t, b+t
		dst[i] = m.index(min(max(r, 0), 255), min(max(g, 0), 255), min(max(b, 0), 255))
	}
}
