package ffmpeg

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// weights are the shares of red and blue in the luma of a matrix.
var weights = map[Matrix][2]float64{BT709: {0.2126, 0.0722}, BT601: {0.299, 0.114}}

// patches are colours whose values differ most between BT.601 and BT.709, and the ends of the range.
var patches = [][3]byte{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}, {0, 0, 0}, {40, 200, 90}, {230, 60, 160},
	{128, 128, 128}}

const patch = 16 // columns of a patch

// picture returns the patches side by side in bytes of red, green and blue or, with alpha, of four: the last one, and the
// last rows, are cut off at an odd size.
func picture(width, height int, alpha bool) (pixels []byte) {
	for range height {
		for x := range width {
			c := patches[x/patch]
			pixels = append(pixels, c[:]...)
			if alpha {
				pixels = append(pixels, 255)
			}
		}
	}
	return pixels
}

// encoded returns the file of some frames of the picture.
func encoded(t *testing.T, program string, width, height int, format string, matrix Matrix) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "clip.mp4")
	e := polytest.Must(Start(t.Context(), program, Frames{Width: width, Height: height, Format: format,
		Matrix: matrix, Rate: runners.Hz(10)}, file))(t)
	for range 3 {
		polytest.Must(e.Write(picture(width, height, format == "rgba")))(t)
	}
	polytest.NoError(t, e.Close())
	return file
}

// Videos have the colours of their frames by the values of the matrix that they say they have, and are decoded to them.
// What is added to odd sizes has the colours beside it.
func TestColoursComeBack(t *testing.T) {
	program, err := Find("a test", "none")
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	for _, c := range []struct {
		width, height int
		format        string
		matrix        Matrix
	}{{128, 32, "rgb24", BT709}, {128, 32, "rgba", BT709}, {123, 32, "rgb24", BT709}, {128, 31, "rgba", BT709}, {115, 27, "rgba", BT709},
		{1, 1, "rgb24", BT709}, {128, 32, "rgb24", BT601}, {123, 33, "rgba", BT601}} {
		_, tag := c.matrix.names()
		width, height := c.width+c.width%2, c.height+c.height%2
		file := encoded(t, program, c.width, c.height, c.format, c.matrix)
		text := string(polytest.Must(exec.Command(program, "-hide_banner", "-i", file, "-map", "0:v", "-c", "copy", "-f", "null",
			"-").CombinedOutput())(t))
		for _, want := range []string{"yuv420p(tv, " + tag + "/bt709/iec61966-2-1", fmt.Sprintf(" %dx%d", width, height)} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: the file is described by\n%s, want %q", c, text, want)
			}
		}
		luma := polytest.Must(exec.Command(program, "-loglevel", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "yuv420p",
			"-").Output())(t)
		d := polytest.Must(Open(t.Context(), program, file, width, height))(t)
		pixels := make([]byte, 3*width*height)
		polytest.NoError(t, d.Read(pixels))
		for y := range height {
			for x := range width {
				if at := x % patch; at < 4 || at >= patch-4 && x < width-2 {
					continue // beside another colour, of which chroma of 4:2:0 and the encoder have a part
				}
				want := patches[min(x, c.width-1)/patch]
				r, g, b := float64(want[0])/255, float64(want[1])/255, float64(want[2])/255
				w := weights[c.matrix]
				if got, want := float64(luma[y*width+x]), 16+219*(w[0]*r+(1-w[0]-w[1])*g+w[1]*b); math.Abs(got-want) > 2 {
					t.Fatalf("%v: luma of column %d, row %d is %v, want %v", c, x, y, got, want)
				}
				for i, v := range pixels[3*(y*width+x):][:3] {
					if math.Abs(float64(v)-float64(want[i])) > 6 {
						t.Fatalf("%v: column %d, row %d is %v, want %v", c, x, y, pixels[3*(y*width+x):][:3], want)
					}
				}
			}
		}
		for range 2 {
			polytest.NoError(t, d.Read(pixels))
		}
		polytest.Equal(t, d.Read(pixels), io.EOF, "after the last frame")
	}
}
