package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Files have the pictures that were observed, of tables without those of the cameras, and a CSV the values that are no
// pixels, by their numbers in the observation.
func TestPNGOfObservedPictures(t *testing.T) {
	observation := format.Column{Name: "observation", Kind: format.Float64, Len: 2 + 2*10, Nullable: true,
		Pictures: []format.ListPicture{
			{Name: "observation_a/front_rgb", Kind: physics.RGB, Width: 2, Height: 1, First: 1, Step: 10, Scale: 0.3},
			{Name: "observation_front_depth", Kind: physics.Depth, Width: 2, Height: 1, First: 4, Step: 10, Scale: 0.7, Far: 2},
			{Name: "observation_front_normals", Kind: physics.Normals, Width: 2, Height: 1, First: 5, Step: 10, Floats: true, Scale: 3},
			{Name: "observation_noisy_rgb", Kind: physics.RGB, Width: 2, Height: 1, First: 8, Step: 10, Floats: true, Scale: 1},
		}}
	keys := keyColumns()[:3]
	dir := t.TempDir()
	w := polytest.Must(recorder.Create(dir, []format.Table{{Name: "control", Columns: append(keys, observation)},
		{Name: "capture", Columns: append(keys[:3:3], format.PictureColumn("front_depth", physics.Depth, 2, 1), observation)}}, 1,
		format.Metadata{Task: "seen"}, recorder.Options{Sync: recorder.SyncNever}))(t)
	const rows = 3
	colour := func(n int) float64 { return float64(50*n+7) / 255 }
	s := w.BlockWriter(0)
	for n := range rows {
		values := []float64{float64(n)}
		for pixel := range 2 {
			for i := range 3 {
				values = append(values, float64(colour(n+i)*0.3))
			}
			depth := float64(float32(0.123 + 0.5*float64(n)))
			if pixel == 1 {
				depth = 2 // of nothing
			}
			values = append(values, float64(depth*0.7))
			for i := range 3 {
				values = append(values, float64(3*float64(float32(i-1)/float32(n+1))))
			}
			for i := range 3 {
				values = append(values, float64(float32(i-1)+float32(0.5)))
			}
		}
		values = append(values, -float64(n))
		for table, column := range []int{3, 4} {
			r := s.Begin(table, recorder.Key{N: int64(n)})
			r.Int(0, int64(n))
			r.Int(1, int64(n/2))
			r.Int(2, 0)
			polytest.NoError(t, r.Observation(column, values))
			if table == 1 {
				r.Pixels(3)
			}
		}
		polytest.NoError(t, s.EndSegment())
	}
	polytest.NoError(t, w.Close())
	d := polytest.Must(recorder.Open(dir))(t)

	decode := func(file string) image.Image {
		t.Helper()
		return polytest.Must(png.Decode(bytes.NewReader(polytest.Must(os.ReadFile(file))(t))))(t)
	}
	bytesOf := func(p image.Image) (list []uint8) {
		for x := range 2 {
			r, g, b, _ := p.At(x, 0).RGBA()
			list = append(list, byte(r>>8), byte(g>>8), byte(b>>8))
		}
		return list
	}
	seen, _ := exportExample(t, d, "png", Options{Tables: []string{"control"}})
	for n := range rows {
		file := func(folder string) image.Image {
			return decode(filepath.Join(seen, "control", folder, fmt.Sprintf("episode-%06d", n/2), fmt.Sprintf("%06d.png", n%2)))
		}
		b := func(i int) byte { return byte(math.Round(255 * colour(n+i))) }
		polytest.EqualSlices(t, bytesOf(file("observation_a.front_rgb")), []byte{b(0), b(1), b(2), b(0), b(1), b(2)}, "colours")
		depth := file("observation_front_depth").(*image.Gray16)
		polytest.Equal(t, int(depth.Gray16At(0, 0).Y), 123+500*n, "depth")
		polytest.Equal(t, int(depth.Gray16At(1, 0).Y), 0, "depth of nothing")
		one := int(math.RoundToEven(127 / float64(n+1)))
		polytest.EqualSlices(t, bytesOf(file("observation_front_normals"))[:3], []byte{byte(128 - one), 128, byte(128 + one)}, "normal")
		polytest.EqualSlices(t, bytesOf(file("observation_noisy_rgb"))[3:], []byte{0, 128, 255}, "colours of floats")
	}
	lines := polytest.Must(csv.NewReader(bytes.NewReader(polytest.Must(os.ReadFile(filepath.Join(seen, "control.csv")))(t))).ReadAll())(t)
	polytest.EqualSlices(t, lines[0], []string{"frame", "t_ns", "episode", "world", "observation[0]", "observation[21]"}, "names")
	for n := range rows {
		polytest.EqualSlices(t, lines[1+n], []string{strconv.Itoa(n % 2), strconv.Itoa(n), strconv.Itoa(n / 2), "0",
			fmt.Sprint(n), fmt.Sprint(-float64(n))}, "line")
	}
	// The tables with pictures of cameras are enough, and have no second of what these saw.
	both, _ := exportExample(t, d, "png", Options{})
	var folders []string
	for _, pattern := range []string{"*.csv", "*/*_*"} {
		for _, path := range polytest.Must(filepath.Glob(filepath.Join(both, pattern)))(t) {
			folders = append(folders, polytest.Must(filepath.Rel(both, path))(t))
		}
	}
	polytest.EqualSlices(t, folders, []string{"capture.csv", "capture/front_depth", "capture/observation_a.front_rgb",
		"capture/observation_front_normals", "capture/observation_noisy_rgb"}, "exported")
	// All other formats but this have the whole observation.
	plain, _ := exportExample(t, d, "csv", Options{Tables: []string{"control"}})
	lines = polytest.Must(csv.NewReader(bytes.NewReader(polytest.Must(os.ReadFile(filepath.Join(plain, "control.csv")))(t))).ReadAll())(t)
	polytest.Equal(t, len(lines[0]), 3+22, "columns of csv")
}
