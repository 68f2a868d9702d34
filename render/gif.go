package render

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"io"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// gifWriter writes an animated GIF, frame by frame. All frames share a palette. Pixels
// that do not change are transparent, and only the rectangle that does is stored.
type gifWriter struct {
	out         io.Writer
	bounds      image.Rectangle
	fps         runners.Rate
	mapper      *mapper
	palette     color.Palette // colours of the mapper, and a transparent one
	previous    []uint8       // pixels of the newest picture
	next        []uint8
	pending     *image.Paletted // newest frame, whose delay is not known yet
	pendingTime int64           // time of the newest frame, in hundredths of a second
	frames      int64
	header      int // bytes before the first frame in a GIF of one frame
}

func (g *gifWriter) start(view physics.View, fps runners.Rate, samples []*image.RGBA) error {
	g.bounds = image.Rect(0, 0, view.Width, view.Height)
	g.fps = fps
	colors := paletteOf(samples)
	g.mapper = &mapper{colors, make([]uint16, 1<<(3*bits))}
	g.palette = append(append(color.Palette{}, colors...), color.RGBA{})
	g.previous, g.next = make([]uint8, g.bounds.Dx()*g.bounds.Dy()), make([]uint8, g.bounds.Dx()*g.bounds.Dy())

	head, err := g.encode(image.NewPaletted(g.bounds, g.palette), 0)
	if err != nil {
		return err
	}
	size := 1 << (head[10]&7 + 1)
	g.header = 13 + 3*size
	if _, err := g.out.Write(head[:g.header]); err != nil {
		return err
	}
	// repeat for ever
	_, err = g.out.Write([]byte("\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00"))
	return err
}

// encode returns a GIF of one frame, with the palette of all.
func (g *gifWriter) encode(frame *image.Paletted, delay int) ([]byte, error) {
	var buf bytes.Buffer
	err := gif.EncodeAll(&buf, &gif.GIF{
		Image:    []*image.Paletted{frame},
		Delay:    []int{delay},
		Disposal: []byte{gif.DisposalNone},
		Config:   image.Config{ColorModel: g.palette, Width: g.bounds.Dx(), Height: g.bounds.Dy()},
	})
	return buf.Bytes(), err
}

func (g *gifWriter) frame(p *image.RGBA) error {
	g.mapper.write(g.next, p)
	region := g.bounds
	if g.frames > 0 {
		region = g.difference()
	}
	if region.Empty() { // the previous frame is shown longer
		g.frames++
		return nil
	}
	if err := g.flush(); err != nil {
		return err
	}
	part := image.NewPaletted(region, g.palette)
	width, same := g.bounds.Dx(), uint8(len(g.palette)-1)
	for y := region.Min.Y; y < region.Max.Y; y++ {
		src := g.next[y*width:][region.Min.X:region.Max.X]
		previous := g.previous[y*width:][region.Min.X:region.Max.X]
		dst := part.Pix[(y-region.Min.Y)*part.Stride:]
		for x := range src {
			dst[x] = src[x]
			if g.frames > 0 && src[x] == previous[x] {
				dst[x] = same
			}
		}
	}
	g.pending, g.pendingTime = part, g.timeOf(g.frames)
	g.previous, g.next = g.next, g.previous
	g.frames++
	return nil
}

// difference returns the smallest rectangle with all pixels that differ.
func (g *gifWriter) difference() image.Rectangle {
	width := g.bounds.Dx()
	var r image.Rectangle
	for y := range g.bounds.Dy() {
		a, b := g.previous[y*width:][:width], g.next[y*width:][:width]
		if bytes.Equal(a, b) {
			continue
		}
		from, to := 0, width
		for a[from] == b[from] {
			from++
		}
		for a[to-1] == b[to-1] {
			to--
		}
		r = r.Union(image.Rect(from, y, to, y+1))
	}
	return r
}

// timeOf returns when a frame is shown, in hundredths of a second: a GIF counts in these, so
// that delays of 30 frames a second are 3, 3 and 4.
func (g *gifWriter) timeOf(frame int64) int64 {
	return (g.fps.Timestamp(frame) + 5_000_000) / 10_000_000
}

func (g *gifWriter) flush() error {
	if g.pending == nil {
		return nil
	}
	file, err := g.encode(g.pending, int(min(g.timeOf(g.frames)-g.pendingTime, 1<<16-1)))
	if err != nil {
		return err
	}
	g.pending = nil
	_, err = g.out.Write(file[g.header : len(file)-1]) // the frame without the trailer
	return err
}

func (g *gifWriter) close() error {
	if err := g.flush(); err != nil {
		return err
	}
	_, err := g.out.Write([]byte{0x3B})
	return err
}

func (g *gifWriter) discard() {}
