package cast_test

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// Scenes of testdata/gallery show all that there is in them, but for what is inside of something. In a folder that the
// environment variable POLYTEST_GALLERY names, python/benchmarks/cameras.py takes the pictures from this test.
func TestGallery(t *testing.T) {
	hidden := map[string]int{"glass": 2} // labels that are not seen; elsewhere that of the marble below the ground
	paths := polytest.Must(filepath.Glob("testdata/gallery/*.xml"))(t)
	polytest.Equal(t, len(paths), 12, "scenes")
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".xml")
		m := load(t, path)
		camera := modelCamera("view", 160, 120)
		camera.Samples, camera.Reflections, camera.Haze, camera.Backs = 16, true, true, true
		c := openVisible(t, m, physics.Visible{Sites: true, Tendons: true, Lines: true, Skins: true}, camera)
		pictures := room(1, camera)
		polytest.NoError(t, c.Cast(0, initialPose(m), pictures))
		all, seen := map[int32]bool{}, map[int32]bool{}
		for _, s := range c.Segments() {
			all[s.Label] = true
		}
		for _, label := range pictures.Segmentation {
			if label >= 0 {
				seen[label] = true
			}
		}
		polytest.Equal(t, len(seen), len(all)-max(1, hidden[name]), "%s: labels of what is seen", name)
		if folder := os.Getenv("POLYTEST_GALLERY"); folder != "" {
			picture := image.NewNRGBA(image.Rect(0, 0, camera.Width, camera.Height))
			for i := range camera.Width * camera.Height {
				copy(picture.Pix[4*i:], pictures.RGB[3*i:3*i+3])
				picture.Pix[4*i+3] = 255
			}
			f := polytest.Must(os.Create(filepath.Join(folder, name+".png")))(t)
			polytest.NoError(t, png.Encode(f, picture))
			polytest.NoError(t, f.Close())
		}
	}
}

// BenchmarkVisible times colour pictures with and without what cameras of sensors do not see, and of an orthographic camera.
func BenchmarkVisible(b *testing.B) {
	for _, scene := range []struct {
		name, path string
		visible    physics.Visible
		haze       bool
	}{
		{"sites", "strings", physics.Visible{Sites: true}, false},
		{"tendons", "strings", physics.Visible{Tendons: true}, false},
		{"lines", "strings", physics.Visible{Lines: true}, false},
		{"skin", "skin", physics.Visible{Skins: true}, false},
		{"haze", "horizon", physics.Visible{}, true},
		{"orthographic", "plan", physics.Visible{}, false},
	} {
		m := load(b, "testdata/gallery/"+scene.path+".xml")
		for name, with := range map[string]bool{"without": false, "with": true} {
			camera, visible := modelCamera("view", 64, 64), physics.Visible{}
			if with {
				camera.Haze, visible = scene.haze, scene.visible
			} else if scene.name == "orthographic" { // nearly the same picture from far away
				camera.Mount = physics.Mount{Position: [3]float64{0, -19.2, 14.4}, Quaternion: [4]float64{2, 1, 0, 0}}
				camera.FieldOfView = 4.63
			}
			c := polytest.Must(cast.OpenVisible(m, []cast.Camera{camera}, visible))(b)
			pictures := cast.Pictures{RGB: make([]byte, 3*64*64)}
			b.Run(scene.name+"/"+name, func(b *testing.B) {
				pose := initialPose(m)
				for b.Loop() {
					if err := c.Cast(0, pose, pictures); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pictures/s")
			})
			polytest.NoError(b, c.Close())
		}
	}
}
