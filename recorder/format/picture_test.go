package format

import (
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
