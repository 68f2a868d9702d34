package format

import (
	"bytes"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Whatever the bytes of a picture are, they are refused, or pixels that are the same after another encoding.
func FuzzPicture(f *testing.F) {
	var columns []Column
	for _, kind := range []string{physics.RGB, physics.Segmentation} {
		c := PictureColumn("above", kind, 3, 2)
		pixels := make([]byte, c.Len*c.Kind.Size())
		for i := range pixels {
			pixels[i] = byte(37 * i)
		}
		f.Add(new(pngEncoder).encode(&c, pixels))
		columns = append(columns, c)
	}
	floats := Column{Name: "floats", Kind: Float32, Width: 3, Len: 6}
	for _, top := range []byte{0, 255} { // with 255 the PNG has no alpha
		pixels := bytes.Repeat([]byte{1, 20, 111, top}, 6)
		file := new(pngEncoder).encode(&floats, pixels)
		back := make([]byte, len(pixels))
		polytest.NoError(f, floats.DecodePicture(back, file))
		polytest.EqualSlices(f, back, pixels, "float32s")
		f.Add(file)
	}
	columns = append(columns, floats)
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, c := range columns {
			pixels := make([]byte, c.Len*c.Kind.Size())
			if c.DecodePicture(pixels, file) != nil {
				continue
			}
			again := make([]byte, len(pixels))
			polytest.NoError(t, c.DecodePicture(again, new(pngEncoder).encode(&c, pixels)))
			polytest.EqualSlices(t, again, pixels, "pixels of %s", c.Name)
		}
	})
}
