package cli

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// The page shows the pictures of a camera as the frames have them, of the world that is chosen and with their time,
// and those of the next step after it.
func TestPageShowsPicturesLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 1280, 800)
	s := serveHere(t, "--policy", "random", "--paused", "--worlds", "2",
		"--config", "../configs/described/gantry.yaml", "--channels", "front", "--set",
		"sensors=[{name: front, runner: Robot, latency: 20ms, "+
			"camera: {name: above, width: 24, height: 16, kinds: [rgb, segmentation, depth, normals]}}]")
	b.visit("http://" + s.address + "/")
	c, decoder := joinWeb(t, s.address, "steps"), wire.Decoder{}
	for step, captions := range []string{"front – s", "front 0.200 s"} {
		if step > 0 {
			c.stepTo(b, 5) // at 250 ms the picture of 200 ms is the newest that has arrived
		}
		for decoder.Frame().GetN() < int64(5*step) || decoder.Frame() == nil {
			polytest.NoError(t, decoder.Take(c.next()))
		}
		for world := range 2 {
			b.choose("#world", fmt.Sprint(world))
			b.holds(fmt.Sprintf("document.querySelector('#pictures figcaption').textContent === %q && "+
				"polyrhythm.pictures.world === %d", captions, world))
			track := slices.IndexFunc(decoder.Welcome.Description.Tracks, func(t *wire.Track) bool { return t.Picture != nil })
			values, _ := decoder.Values(nil, world, track)
			if shown := shadesOf(values); slices.Max(shown[0]) == 0 && step > 0 {
				t.Error("the picture is black")
			} else {
				same := eval[[][]int](b, `[...document.querySelectorAll('#pictures canvas')].map((c) =>
					[...c.getContext('2d').getImageData(0, 0, 24, 16).data].filter((_, i) => i % 4 < 3))`)
				for kind := range shown {
					if !slices.Equal(same[kind], shown[kind]) {
						t.Errorf("step %d, world %d, canvas %d: %v, want %v", step, world, kind, same[kind][:24], shown[kind][:24])
					}
				}
			}
		}
	}
	b.picture("pictures", 0, 0, 1280, 800)
	b.clean()
}

// shadesOf are the red, green and blue of the pixels of rgb, segmentation, depth and normals.
func shadesOf(values []float64) (all [4][]int) {
	whole := func(v float64) int { return int(math.RoundToEven(min(max(v, 0), 255))) }
	for i := 0; i < len(values); i += 8 {
		for k := range 3 {
			label := 0
			if n := math.Round(values[i+3]); n >= 0 {
				label = whole(135 + 110*math.Cos(2.4*n+2*float64(k)))
			}
			all[0] = append(all[0], whole(255*values[i+k]))
			all[1] = append(all[1], label)
			all[2] = append(all[2], whole(255/(1+values[i+4])))
			all[3] = append(all[3], whole(128+127*values[i+5+k]))
		}
	}
	return all
}
