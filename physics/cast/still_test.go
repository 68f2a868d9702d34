package cast_test

import (
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// still returns a model in which nothing moves: without its joints and mocap bodies.
func still(model string) string {
	return strings.NewReplacer("<freejoint/>", "", `<joint type="hinge" axis="0 1 0"/>`, "", ` mocap="true"`, "").Replace(model)
}

// A scene in which nothing moves is drawn by each camera of clips, and casters take one picture and measure distances in
// its empty pose.
func TestStillScene(t *testing.T) {
	m := load(t, write(t, still(boxModel)))
	polytest.Equal(t, m.Pose().Size, 0, "values of a pose")
	for _, camera := range []string{"track", "free", "above"} {
		r := renderer(t, m, physics.View{Width: 80, Height: 60, Camera: camera})
		p := drawn(t, r, 80, 60, nil)
		reds := 0
		for i := range 80 * 60 {
			if red(p.RGBAAt(i%80, i/80)) {
				reds++
			}
		}
		if reds < 20 || reds > 80*60/4 {
			t.Errorf("%s: %d red pixels, want those of a box", camera, reds)
		}
	}
	camera := modelCamera("above", 8, 6)
	c := open(t, m, camera)
	polytest.ErrorContains(t, c.Cast(0, nil, room(2, camera)), "RGB has room for 288 values, want 144")
	polytest.ErrorContains(t, c.Cast(0, []float64{1}, room(1, camera)), "poses of 1 values, want a multiple of 0")
	rays := polytest.Must(cast.OpenRays(m, "body/goal"))(t)
	defer func() { polytest.NoError(t, rays.Close()) }()
	distances := make([]float64, 2)
	polytest.NoError(t, rays.Distances(distances, []cast.Ray{
		{Origin: [3]float64{0, 0, 4}, Direction: [3]float64{0, 0, -1}}, {Origin: [3]float64{0, 3, 4}, Direction: [3]float64{0, 0, -1}},
	}, 9, nil))
	for i, want := range []float64{2.8, 4} { // the top of the box; the floor below the goal, which is left out
		if math.Abs(distances[i]-want) > 1e-5 {
			t.Errorf("distance %d is %v, want %v", i, distances[i], want)
		}
	}
}
