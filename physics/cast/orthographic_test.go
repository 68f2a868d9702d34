package cast_test

import (
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// An orthographic camera shows balls at any depth where its calibration says and as large, also where each world has its
// own height of what is seen; as a mean of samples, too.
func TestOrthographicCalibration(t *testing.T) {
	const width, height = 60, 40
	m := load(t, write(t, `<mujoco>
	  <visual><map znear="0.01" zfar="50"/></visual><statistic extent="1"/>
	  <worldbody>
	    <camera name="above" pos="0.5 0 9" projection="orthographic" fovy="4"/>
	    <geom name="high" size=".5" pos="1.5 .75 7" rgba="1 0 0 1"/>
	    <geom name="low" size=".5" pos="-.75 -1 1" rgba="0 1 0 1"/>
	    <body pos="0 0 -9"><freejoint/><geom size=".1"/></body>
	  </worldbody></mujoco>`))
	camera := modelCamera("above", width, height)
	open(t, m, camera)
	look := polytest.Must(m.Parameter("cam_fovy/above"))(t)
	camera.Samples = 4
	c := polytest.Must(cast.Open(m, []cast.Camera{camera}, look))(t)
	defer func() { polytest.NoError(t, c.Close()) }()
	polytest.Equal(t, polytest.Must(cast.Varies(m, camera, look))(t), true, "the calibration varies")
	polytest.Equal(t, polytest.Must(cast.Varies(m, camera))(t), false, "the calibration varies without looks")
	pose := initialPose(m)
	pictures := room(2, camera)
	polytest.NoError(t, c.Cast(0, slices.Concat(pose, []float64{4}, pose, []float64{8}), pictures))
	for w, extent := range []float64{4, 8} {
		k := c.Calibration(0, w)
		polytest.Equal(t, k, cast.Calibration{Projection: physics.Orthographic, Position: [3]float64{0.5, 0, 9},
			Quaternion: [4]float64{0, 1, 0, 0}, Focal: [2]float64{height / extent, height / extent},
			Principal: [2]float64{(width - 1) / 2.0, (height - 1) / 2.0}}, "calibration of world %d", w)
		for label, ball := range []vector{{1.5, .75, 7}, {-.75, -1, 1}} {
			want := [2]float64{k.Focal[0]*(ball[0]-0.5) + k.Principal[0], k.Focal[1]*-ball[1] + k.Principal[1]}
			var sum [2]float64
			n, nearest := 0.0, math.Inf(1)
			for p, seen := range pictures.Segmentation[w*width*height:][:width*height] {
				if int(seen) == label {
					sum[0], sum[1], n = sum[0]+float64(p%width), sum[1]+float64(p/width), n+1
					nearest = min(nearest, float64(pictures.Depth[w*width*height+p]))
				}
			}
			area := math.Pi * 0.25 * k.Focal[0] * k.Focal[1]
			if math.Abs(n-area) > 0.15*area || math.Abs(sum[0]/n-want[0]) > 0.3 || math.Abs(sum[1]/n-want[1]) > 0.3 ||
				math.Abs(nearest-(8.5-ball[2])) > 0.02 {
				t.Errorf("world %d: ball %d has %v pixels around %v, the nearest at %v, want %v around %v, the nearest at %v", w,
					label, n, [2]float64{sum[0] / n, sum[1] / n}, nearest, area, want, 8.5-ball[2])
			}
		}
	}
	if slices.Max(pictures.RGB) == 0 {
		t.Error("the pictures have no colours")
	}
}
