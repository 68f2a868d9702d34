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
	to      io.Writer
	bounds  image.Rectangle
	fps     runners.Rate
	mapper  *mapper
	palette color.Palette // of the mapper, and one that is transparent
	shown   []uint8       // the picture so far
	next    []uint8
	waiting *image.Paletted // the newest frame, whose delay is not known yet
	since   int64           // when it is shown, in hundredths of a second
	frames  int64
	header  int // bytes before the first frame in a GIF of one
}

func (g *gifWriter) begin(view physics.View, fps runners.Rate, samples []*image.RGBA) error {
	g.bounds = image.Rect(0, 0, view.Width, view.Height)
	g.fps = fps
	colors := paletteOf(samples)
	g.mapper = &mapper{colors, make([]uint16, 1<<(3*bits))}
	g.palette = append(append(color.Palette{}, colors...), color.RGBA{})
	g.shown, g.next = make([]uint8, g.bounds.Dx()*g.bounds.Dy()), make([]uint8, g.bounds.Dx()*g.bounds.Dy())

	head, err := g.encode(image.NewPaletted(g.bounds, g.palette), 0)
	if err != nil {
		return err
	}
	size := 1 << (head[10]&7 + 1)
	g.header = 13 + 3*size
	if _, err := g.to.Write(head[:g.header]); err != nil {
		return err
	}
	// repeat for ever
	_, err = g.to.Write([]byte("\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00"))
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
	changed := g.bounds
	if g.frames > 0 {
		changed = g.changed()
	}
	if changed.Empty() { // it is shown longer
		g.frames++
		return nil
	}
	if err := g.flush(); err != nil {
		return err
	}
	part := image.NewPaletted(changed, g.palette)
	width, same := g.bounds.Dx(), uint8(len(g.palette)-1)
	for y := changed.Min.Y; y < changed.Max.Y; y++ {
		from := g.next[y*width:][changed.Min.X:changed.Max.X]
		before := g.shown[y*width:][changed.Min.X:changed.Max.X]
		to := part.Pix[(y-changed.Min.Y)*part.Stride:]
		for x := range from {
			to[x] = from[x]
			if g.frames > 0 && from[x] == before[x] {
				to[x] = same
			}
		}
	}
	g.waiting, g.since = part, g.at(g.frames)
	g.shown, g.next = g.next, g.shown
	g.frames++
	return nil
}

// changed returns the smallest rectangle with all pixels that differ.
func (g *gifWriter) changed() image.Rectangle {
	width := g.bounds.Dx()
	var r image.Rectangle
	for y := range g.bounds.Dy() {
		a, b := g.shown[y*width:][:width], g.next[y*width:][:width]
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

// at returns when a frame is shown, in hundredths of a second: a GIF counts in these, so
// that delays of 30 frames a second are 3, 3 and 4.
func (g *gifWriter) at(frame int64) int64 { return (g.fps.Timestamp(frame) + 5_000_000) / 10_000_000 }

func (g *gifWriter) flush() error {
	if g.waiting == nil {
		return nil
	}
	one, err := g.encode(g.waiting, int(min(g.at(g.frames)-g.since, 1<<16-1)))
	if err != nil {
		return err
	}
	g.waiting = nil
	_, err = g.to.Write(one[g.header : len(one)-1]) // without the trailer
	return err
}

func (g *gifWriter) close() error {
	if err := g.flush(); err != nil {
		return err
	}
	_, err := g.to.Write([]byte{0x3B})
	return err
}

func (g *gifWriter) discard() {}
