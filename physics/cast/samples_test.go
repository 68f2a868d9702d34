package cast_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// mirror is a floor that reflects what is above it: a ball, and others of every kind.
const mirror = `<mujoco>
  <asset>
    <texture name="tiles" type="2d" builtin="checker" rgb1=".3 .3 .3" rgb2=".1 .1 .1" width="64" height="64"/>
    <material name="mirror" texture="tiles" reflectance=".6" specular="0"/>
    <material name="matt" specular="0"/>
    <mesh name="wedge" vertex="0 0 0  .6 0 0  0 .6 0  0 0 .6  .5 .5 .1"/>
  </asset>
  <visual><headlight ambient=".5 .5 .5" diffuse="0 0 0" specular="0 0 0"/></visual>
  <statistic extent="2" center="0 0 0"/>
  <default><geom contype="0" conaffinity="0" material="matt"/></default>
  <worldbody>
    <geom type="plane" size="3 3 1" material="mirror"/>
    <geom type="box" size=".3 .2 .4" pos="-1 .5 .5" rgba=".9 .2 .2 1"/>
    <geom type="cylinder" size=".2 .4" pos="1 .5 .5" rgba=".2 .9 .2 1"/>
    <geom type="mesh" mesh="wedge" pos=".2 1 .6" rgba=".2 .2 .9 1"/>
    <geom type="plane" size=".5 .5 1" pos="0 1.8 .8" euler="90 0 0" rgba="1 0 1 1"/>
    <body pos="0 0 .5"><freejoint/><geom type="sphere" size=".3" rgba="1 .5 0 1"/></body>
    <camera name="far" pos="0 -4 1.5" xyaxes="1 0 0 0 .3 1" fovy="40"/>
  </worldbody>
</mujoco>`

// meetBall is how far along a ray a ball of radius 1 around the origin is, or infinite; and how near to its rim the ray is.
func meetBall(origin, along vector) (at, rim float64) {
	a, b, c := along.dot(along), origin.dot(along), origin.dot(origin)-1
	room := b*b - a*c
	if room <= 0 || b >= 0 {
		return math.Inf(1), math.Abs(room)
	}
	return (-b - math.Sqrt(room)) / a, math.Abs(room)
}

// A colour is the mean of those of the samples of a pixel; depth and labels are those of its middle.
func TestSamplesByHand(t *testing.T) {
	const width, height = 31, 23
	m := load(t, write(t, `<mujoco>
	  <asset><material name="lamp" rgba="1 1 1 1" emission="1" specular="0"/></asset>
	  <visual><headlight ambient="0 0 0" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual><statistic extent="1"/>
	  <worldbody><body><freejoint/><geom size="1" material="lamp"/></body></worldbody></mujoco>`))
	row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
	m.InitialState(row)
	m.PoseOf(row, pose)
	var cameras []cast.Camera
	numbers := []int{0, 1, 2, 3, 4, 16, cast.MaxSamples}
	for _, samples := range numbers {
		cameras = append(cameras, cast.Camera{Mount: physics.Mount{Position: [3]float64{0.1, 0.2, 5}}, FieldOfView: 30,
			Width: width, Height: height, Samples: samples})
	}
	c := open(t, m, cameras...)
	first := room(1, cameras[0])
	polytest.NoError(t, c.Cast(0, pose, first))
	for i, samples := range numbers {
		n := max(1, samples)
		pictures, alone := room(1, cameras[i]), room(1, cameras[i])
		polytest.NoError(t, c.Cast(i, pose, pictures))
		polytest.NoError(t, c.Cast(i, pose, cast.Pictures{RGB: alone.RGB}))
		polytest.NoError(t, c.Cast(i, pose, cast.Pictures{Depth: alone.Depth}))
		polytest.NoError(t, c.Cast(i, pose, cast.Pictures{Segmentation: alone.Segmentation}))
		polytest.EqualSlices(t, pictures.Depth, first.Depth, "depths")
		polytest.EqualSlices(t, pictures.Segmentation, first.Segmentation, "labels")
		polytest.EqualSlices(t, alone.Depth, first.Depth, "depths alone")
		polytest.EqualSlices(t, alone.Segmentation, first.Segmentation, "labels alone")
		polytest.EqualSlices(t, alone.RGB, pictures.RGB, "colours alone")
		mixed := 0
		for p := range width * height {
			step := 2 * math.Tan(15*math.Pi/180) / height
			seen, sure := 0, true
			for s := range n {
				_, x := math.Modf(0.5 + float64(s)*0.75487766624669276)
				_, y := math.Modf(0.5 + float64(s)*0.56984029099805327)
				along := vector{(float64(p%width) + x - width/2.0) * step, (height/2.0 - y - float64(p/width)) * step, -1}
				at, rim := meetBall(vector{0.1, 0.2, 5}, along)
				sure = sure && rim > 1e-4
				if !math.IsInf(at, 1) {
					seen++
				}
			}
			want := 255 * float64(seen) / float64(n)
			if got := float64(pictures.RGB[3*p]); sure && math.Abs(got-want) > 0.51 {
				t.Fatalf("%d samples: pixel %d is %v, want %.1f", samples, p, got, want)
			}
			if seen > 0 && seen < n {
				mixed++
			}
		}
		if n > 1 && mixed < 10 {
			t.Errorf("%d samples: %d mixed pixels, want more", samples, mixed)
		}
	}
	for _, samples := range []int{-1, cast.MaxSamples + 1} {
		_, err := cast.Open(m, []cast.Camera{{Width: 4, Height: 4, Samples: samples}})
		polytest.ErrorContains(t, err, fmt.Sprintf("samples is %d, want", samples))
	}
}

// Samples of a lens that distorts go where the lens bends them, which a second computation finds by repeated corrections.
func TestSamplesOfADistortingLens(t *testing.T) {
	const width, height, samples = 33, 25, 16
	m := load(t, write(t, `<mujoco>
	  <asset><material name="lamp" rgba="1 1 1 1" emission="1" specular="0"/></asset>
	  <visual><headlight ambient="0 0 0" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual><statistic extent="1"/>
	  <worldbody><body><freejoint/><geom size="1" material="lamp"/></body></worldbody></mujoco>`))
	lens := [5]float64{-0.3, 0.1, 0.01, -0.02, 0.01}
	from := vector{0.5, 0.4, 3}
	camera := cast.Camera{Mount: physics.Mount{Position: from}, FieldOfView: 60, Width: width, Height: height,
		Distortion: lens, Samples: samples}
	straight := camera
	straight.Distortion = [5]float64{}
	c := open(t, m, camera, straight)
	pictures, plain := room(1, camera), room(1, camera)
	polytest.NoError(t, c.Cast(0, initialPose(m), pictures))
	polytest.NoError(t, c.Cast(1, initialPose(m), plain))
	mixed, moved := 0, 0
	for p := range width * height {
		step := 2 * math.Tan(30*math.Pi/180) / height
		seen, sure := 0, true
		for s := range samples {
			_, x := math.Modf(0.5 + float64(s)*0.75487766624669276)
			_, y := math.Modf(0.5 + float64(s)*0.56984029099805327)
			u, v := (float64(p%width)+x-width/2.0)*step, (float64(p/width)+y-height/2.0)*step // y down
			a, b := u, v
			for range 200 {
				square := a*a + b*b
				radial := 1 + lens[0]*square + lens[1]*square*square + lens[4]*square*square*square
				a += 0.5 * (u - a*radial - 2*lens[2]*a*b - lens[3]*(square+2*a*a))
				b += 0.5 * (v - b*radial - 2*lens[3]*a*b - lens[2]*(square+2*b*b))
			}
			at, rim := meetBall(from, vector{a, -b, -1})
			sure = sure && rim > 3e-3 // between the middles of pixels rays are as their neighbours let expect
			if !math.IsInf(at, 1) {
				seen++
			}
		}
		want := 255 * float64(seen) / samples
		if got := float64(pictures.RGB[3*p]); sure && math.Abs(got-want) > 0.51 {
			t.Fatalf("pixel %d is %v, want %.1f", p, got, want)
		}
		if sure && seen > 0 && seen < samples {
			mixed++
		}
		if pictures.RGB[3*p] != plain.RGB[3*p] {
			moved++
		}
	}
	if mixed < 10 || moved < 50 {
		t.Errorf("%d mixed pixels, and %d that the distortion changes, want more", mixed, moved)
	}
}

// A plane shows a part of the light of what its mirror image shows, if the camera has reflections.
func TestReflectionByHand(t *testing.T) {
	const width, height = 41, 31
	m := load(t, write(t, `<mujoco>
	  <asset>
	    <material name="mirror" rgba=".2 .1 .3 1" reflectance=".6" specular="0"/>
	    <material name="lamp" rgba=".8 .6 .4 1" emission="1" specular="0"/>
	    <texture name="sky" type="skybox" builtin="flat" rgb1="0 1 0" width="8" height="8"/>
	  </asset>
	  <visual><headlight ambient=".5 .5 .5" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual><statistic extent="1"/>
	  <worldbody>
	    <geom type="plane" size="0 0 1" pos="0 0 -1.5" material="mirror"/>
	    <body><freejoint/><geom size="1" material="lamp"/></body>
	    <camera name="eye" pos="0 -6 2" xyaxes="1 0 0 0 .6 .8" fovy="50"/>
	  </worldbody></mujoco>`))
	row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
	m.InitialState(row)
	m.PoseOf(row, pose)
	camera := modelCamera("eye", width, height)
	camera.Reflections = true
	c := open(t, m, camera, modelCamera("eye", width, height))
	pictures, plain := room(1, camera), room(1, camera)
	polytest.NoError(t, c.Cast(0, pose, pictures))
	polytest.NoError(t, c.Cast(1, pose, plain))
	polytest.EqualSlices(t, pictures.Depth, plain.Depth, "depths")
	polytest.EqualSlices(t, pictures.Segmentation, plain.Segmentation, "labels")
	if slices.Equal(pictures.RGB, plain.RGB) {
		t.Error("reflections change nothing")
	}
	eye := vector{0, -6, 2}
	for p, label := range pictures.Segmentation {
		if label != 0 {
			polytest.EqualSlices(t, pictures.RGB[3*p:3*p+3], plain.RGB[3*p:3*p+3], "colours of what is no plane")
			continue
		}
		step := 2 * math.Tan(25*math.Pi/180) / height
		u, v := (float64(p%width)+0.5-width/2.0)*step, (height/2.0-0.5-float64(p/width))*step
		along := vector{u, 0.6*v + 0.8, 0.8*v - 0.6}
		want := vector{.1, .05, .15}
		image := eye.plus(along, (eye[2]+1.5)/-along[2]) // where the plane is met
		along[2] = -along[2]
		at, rim := meetBall(image, along)
		if rim < 1e-3 {
			continue
		}
		if !math.IsInf(at, 1) {
			want = want.plus(vector{.8 * 1.5, .6 * 1.5, .4 * 1.5}.bounded(), 0.6)
		}
		for k := range want {
			if got := float64(pictures.RGB[3*p+k]); math.Abs(got-255*min(1, want[k])) > 1 {
				t.Fatalf("colour %d of pixel %d is %v, want %.1f", k, p, got, 255*want[k])
			}
		}
	}
}

func (a vector) bounded() vector { return vector{min(a[0], 1), min(a[1], 1), min(a[2], 1)} }
