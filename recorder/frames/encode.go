package frames

import (
	"bytes"
	"image"
	"image/png"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// encoder makes PNG files, and keeps its memory between them.
type encoder struct {
	buffers bufferPool
	out     bytes.Buffer
	color   *image.RGBA
	gray    *image.Gray16
}

// bufferPool keeps one encoder's buffer.
type bufferPool struct{ buffer *png.EncoderBuffer }

func (p *bufferPool) Get() *png.EncoderBuffer  { return p.buffer }
func (p *bufferPool) Put(b *png.EncoderBuffer) { p.buffer = b }

// encode returns the PNG file of one kind of picture. far is the depth of nothing.
func (e *encoder) encode(kind string, width, height int, from *cast.Pictures, far float32) ([]byte, error) {
	bounds := image.Rect(0, 0, width, height)
	if e.color == nil {
		e.color, e.gray = image.NewRGBA(bounds), image.NewGray16(bounds)
	}
	var picture image.Image = e.gray
	for i := range width * height {
		var value uint16
		switch kind {
		case RGB:
			copy(e.color.Pix[4*i:], from.RGB[3*i:3*i+3])
			e.color.Pix[4*i+3] = 255
			continue
		case Depth:
			value = millimetres(from.Depth[i], far)
		case Segmentation:
			value = uint16(from.Segmentation[i] + 1)
		}
		e.gray.Pix[2*i], e.gray.Pix[2*i+1] = byte(value>>8), byte(value)
	}
	if kind == RGB {
		picture = e.color
	}
	e.out.Reset()
	encoder := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &e.buffers}
	if err := encoder.Encode(&e.out, picture); err != nil {
		return nil, err
	}
	return bytes.Clone(e.out.Bytes()), nil
}

// millimetres returns a depth as a picture holds it.
func millimetres(depth, far float32) uint16 {
	v := math.RoundToEven(float64(depth) * 1000)
	if depth >= far || v > math.MaxUint16 {
		return 0
	}
	return uint16(v)
}
