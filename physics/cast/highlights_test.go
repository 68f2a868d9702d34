package cast_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

func (a vector) plus(b vector, times float64) vector {
	return vector{a[0] + times*b[0], a[1] + times*b[1], a[2] + times*b[2]}
}

// A ball has the highlights that a second computation finds, by the vector in the middle between light and eye.
func TestHighlightsByHand(t *testing.T) {
	const width, height = 61, 61
	for _, shininess := range []float64{0, 0.01, 0.3, 0.5, 0.777, 1} {
		m := load(t, write(t, fmt.Sprintf(`<mujoco>
	  <visual><headlight ambient="0 0 0" diffuse=".1 .1 .1" specular=".2 .1 0"/><map znear="0.01" zfar="50"/></visual>
	  <statistic extent="1"/>
	  <asset><material name="glossy" rgba=".5 .4 .3 1" specular=".8" shininess="%v"/></asset>
	  <worldbody>
	    <light directional="true" dir="1 0 -1" diffuse=".2 0 0" specular=".3 .4 .5" ambient="0 0 0"/>
	    <light type="point" pos="1 2 4" diffuse="0 .2 0" specular=".1 .3 .2" ambient="0 0 0" attenuation="1 .1 .02"/>
	    <light type="spot" pos="0 -2 4" dir="0 2 -4" cutoff="6" exponent="3" diffuse="0 0 .2" specular=".6 .6 .1"
	      ambient="0 0 0" attenuation="1 0 0"/>
	    <body><freejoint/><geom type="sphere" size="1" material="glossy"/></body>
	  </worldbody></mujoco>`, shininess)))
		camera := cast.Camera{Mount: physics.Mount{Position: [3]float64{0, 0, 5}}, FieldOfView: 30, Width: width,
			Height: height}
		pictures := room(1, camera)
		row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
		m.InitialState(row)
		m.PoseOf(row, pose)
		polytest.NoError(t, open(t, m, camera).Cast(0, pose, pictures))
		for i, depth := range pictures.Depth {
			if pictures.Segmentation[i] < 0 {
				continue
			}
			step := 2 * math.Tan(15*math.Pi/180) / height
			ray := vector{(float64(i%width) + 0.5 - width/2.0) * step, (height/2.0 - 0.5 - float64(i/width)) * step, -1}
			n := unitOf(vector{0, 0, 5}.plus(ray, float64(depth)))
			eye := unitOf(vector{}.plus(ray, -1))
			if n.dot(eye) < 0.1 { // at the rim
				continue
			}
			var color vector
			shine := func(to, diffuse, specular vector, much float64) {
				to = unitOf(to)
				if n.dot(to) <= 0 {
					return
				}
				middle := unitOf(to.plus(eye, 1))
				highlight := 0.8 * math.Pow(n.dot(middle), 128*shininess)
				color = color.plus(vector{0.5 * diffuse[0], 0.4 * diffuse[1], 0.3 * diffuse[2]}, n.dot(to)*much)
				color = color.plus(specular, highlight*much)
			}
			shine(vector{0, 0, 1}, vector{.1, .1, .1}, vector{.2, .1, 0}, 1)
			shine(vector{-1, 0, 1}, vector{.2, 0, 0}, vector{.3, .4, .5}, 1)
			to := vector{1, 2, 4}.plus(n, -1)
			far := math.Sqrt(to.dot(to))
			shine(to, vector{0, .2, 0}, vector{.1, .3, .2}, 1/(1+.1*far+.02*far*far))
			to = vector{0, -2, 4}.plus(n, -1)
			inside := unitOf(to).dot(unitOf(vector{0, -2, 4}))
			if math.Abs(inside-math.Cos(6*math.Pi/180)) < 1e-4 { // at the edge of the cone
				continue
			}
			if inside > math.Cos(6*math.Pi/180) {
				shine(to, vector{0, 0, .2}, vector{.6, .6, .1}, math.Pow(inside, 3))
			}
			for k, want := range color {
				got := float64(pictures.RGB[3*i+k])
				if math.Abs(got-255*min(want, 1)) > 1 {
					t.Fatalf("shininess %v: colour %d of pixel %d is %v, want %.1f", shininess, k, i, got, 255*want)
				}
			}
		}
	}
}
