package render

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// maxColors is the number of colours of a palette, one less than a GIF's: the last is
// for pixels that stay as they were.
const maxColors = 255

// bits is the number of bits of each channel by which colours are told apart.
const bits = 5

func colorKey(r, g, b uint8) int {
	return int(r)>>(8-bits)<<(2*bits) | int(g)>>(8-bits)<<bits | int(b)>>(8-bits)
}

// bin is the pixels of one colour of few bits: their number and the sums of their channels.
type bin [4]float64

func (b bin) mean(channel int) float64 { return b[channel] / b[3] }

// box is a part of the bins, which becomes one colour.
type box struct {
	bins    []bin
	sum     bin
	channel int     // channel that varies most
	spread  float64 // variance of this channel times the number of pixels
}

func newBox(bins []bin) box {
	b := box{bins: bins}
	for _, x := range bins {
		for i := range x {
			b.sum[i] += x[i]
		}
	}
	for channel := range 3 {
		spread := 0.0
		for _, x := range bins {
			d := x.mean(channel) - b.sum.mean(channel)
			spread += x[3] * d * d
		}
		if spread > b.spread {
			b.channel, b.spread = channel, spread
		}
	}
	return b
}

// paletteOf returns up to maxColors colours for some pictures: boxes of colours are cut at
// their mean where their pixels differ most.
func paletteOf(pictures []*image.RGBA) (colors color.Palette) {
	all := make([]bin, 1<<(3*bits))
	for _, p := range pictures {
		for i := 0; i < len(p.Pix); i += 4 {
			x := &all[colorKey(p.Pix[i], p.Pix[i+1], p.Pix[i+2])]
			for channel := range 3 {
				x[channel] += float64(p.Pix[i+channel])
			}
			x[3]++
		}
	}
	boxes := []box{newBox(slices.DeleteFunc(all, func(x bin) bool { return x[3] == 0 }))}
	for len(boxes) < maxColors {
		index := 0
		for i := range boxes {
			if boxes[i].spread > boxes[index].spread {
				index = i
			}
		}
		widest, channel := boxes[index], boxes[index].channel
		if widest.spread < 1 {
			break
		}
		slices.SortStableFunc(widest.bins, func(x, y bin) int { return cmp.Compare(x.mean(channel), y.mean(channel)) })
		split := slices.IndexFunc(widest.bins, func(x bin) bool { return x.mean(channel) > widest.sum.mean(channel) })
		boxes[index] = newBox(widest.bins[:split])
		boxes = append(boxes, newBox(widest.bins[split:]))
	}
	for _, b := range boxes {
		channel := func(i int) uint8 { return uint8(b.sum.mean(i) + 0.5) }
		colors = append(colors, color.RGBA{channel(0), channel(1), channel(2), 255})
	}
	return colors
}

type mapper struct {
	palette color.Palette
	nearest []uint16 // by colorKey: 1 more than the index of the nearest colour; 0 where it is not known yet
}

func (m *mapper) write(dst []uint8, p *image.RGBA) {
	for i := range dst {
		r, g, b := p.Pix[4*i], p.Pix[4*i+1], p.Pix[4*i+2]
		entry := &m.nearest[colorKey(r, g, b)]
		if *entry == 0 {
			*entry = uint16(m.palette.Index(color.RGBA{r, g, b, 255})) + 1
		}
		dst[i] = uint8(*entry - 1)
	}
}
