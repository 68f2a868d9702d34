package cast_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// Behind glass haze is as elsewhere.
func TestHazeBehindGlass(t *testing.T) {
	const width, height = 31, 25
	scene := func(pane string) *mujoco.Model {
		return load(t, write(t, `<mujoco>
	  <visual><headlight ambient=".5 .5 .5" diffuse="0 0 0"/><map znear="0.01" zfar="50"/><rgba haze=".9 .2 .4 1"/></visual>
	  <statistic extent="1"/>
	  <asset><material name="matt" specular="0"/></asset>
	  <worldbody>
	    <geom type="plane" size="0 0 1" rgba=".4 .8 .1 1" material="matt"/>
	    `+pane+`
	    <camera name="eye" pos="0 0 1" xyaxes="1 0 0 0 0 1" fovy="10"/>
	  </worldbody></mujoco>`))
	}
	camera := modelCamera("eye", width, height)
	camera.Haze = true
	var pictures [2]cast.Pictures
	for i, pane := range []string{"", `<geom type="box" size="9 .1 9" pos="0 3 0" rgba="0 0 0 .5" material="matt"/>`} {
		pictures[i] = room(1, camera)
		polytest.NoError(t, open(t, scene(pane), camera).Cast(0, nil, pictures[i]))
	}
	hazy := 0
	for i, v := range pictures[0].RGB {
		if want := 0.25 * float64(v); math.Abs(float64(pictures[1].RGB[i])-want) > 0.51 {
			t.Fatalf("colour %d of pixel %d is %v behind the pane, want %v", i%3, i/3, pictures[1].RGB[i], want)
		}
		if i%3 == 0 && v > 150 {
			hazy++
		}
	}
	if hazy < 2*width {
		t.Errorf("%d pixels in haze, want more", hazy)
	}
}

// Clips have haze where MuJoCo's renderer has it: before a skybox.
func TestRenderHaze(t *testing.T) {
	const width, height = 32, 24
	const scene = `<mujoco>
	  <visual><rgba haze=".9 .2 .4 1"/></visual>
	  <asset>%s<material name="matt" specular="0"/></asset>
	  <worldbody>
	    <geom type="plane" size="0 0 1" rgba=".4 .8 .1 1" material="matt"/>
	    <camera name="eye" pos="0 0 1" xyaxes="1 0 0 0 0 1" fovy="10"/>
	  </worldbody></mujoco>`
	const sky = `<texture type="skybox" builtin="flat" rgb1=".2 .4 .6" rgb2=".2 .4 .6" width="8" height="8"/>`
	for _, asset := range []string{sky, ""} {
		m := load(t, write(t, fmt.Sprintf(scene, asset)))
		camera := modelCamera("eye", width, height)
		camera.Haze = asset != ""
		want := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, nil, want))
		got := drawn(t, renderer(t, m, physics.View{Width: width, Height: height, Camera: "eye", Quality: physics.Fast}),
			width, height, nil)
		pink := 0
		for i, label := range want.Segmentation {
			if label < 0 { // a model without a skybox has another sky in clips
				continue
			}
			if [3]byte(got.Pix[4*i:]) != [3]byte(want.RGB[3*i:]) {
				t.Fatalf("skybox %q: pixel %d is %v, want %v", asset, i, got.Pix[4*i:][:3], want.RGB[3*i:][:3])
			}
			if got.Pix[4*i] > got.Pix[4*i+1] {
				pink++
			}
		}
		if asset != "" && pink < width || asset == "" && pink > 0 {
			t.Errorf("skybox %q: %d pixels in haze", asset, pink)
		}
	}
}

// Haze lies over what is behind the outline that MuJoCo's renderer gives it, with the opacity of that height, which is
// found by bisection; depths, labels and what is before it stay.
func TestHazeByHand(t *testing.T) {
	const width, height, far = 31, 101, 50.0
	const scene = `<mujoco>
	  <visual><headlight ambient=".5 .5 .5" diffuse="0 0 0"/><map znear="0.01" zfar="%v" haze="%v"/><rgba haze=".9 .2 .4 1"/></visual>
	  <statistic extent="1"/>
	  <asset>
	    <texture type="skybox" builtin="flat" rgb1=".2 .4 .6" rgb2=".2 .4 .6" width="8" height="8"/>
	    <material name="matt" rgba=".4 .8 .1 1" specular="0"/>
	  </asset>
	  <worldbody>
	    <geom type="plane" size="1 1 1" pos="0 0 .1" material="matt"/>
	    <geom type="plane" size="0 0 1" pos="0 0 -1" euler="%v 0 0" material="matt"/>
	    <body pos="-3 20 0"><freejoint/><geom size="2.5" rgba="0 0 0 1" material="matt"/></body>
	    <camera name="eye" pos="0 0 %v" xyaxes="1 0 0 0 .1 1" fovy="20"/>
	  </worldbody></mujoco>`
	for _, c := range []struct{ haze, tilt, above float64 }{{0.3, 0, 1}, {0.6, 0, 3}, {0.3, 2, 1}} {
		m := load(t, write(t, fmt.Sprintf(scene, far, c.haze, c.tilt, c.above)))
		camera := modelCamera("eye", width, height)
		camera.Haze = true
		caster := open(t, m, camera, modelCamera("eye", width, height))
		got, plain := room(1, camera), room(1, camera)
		polytest.NoError(t, caster.Cast(0, initialPose(m), got))
		polytest.NoError(t, caster.Cast(1, initialPose(m), plain))
		polytest.EqualSlices(t, got.Depth, plain.Depth, "depths")
		polytest.EqualSlices(t, got.Segmentation, plain.Segmentation, "labels")
		tilt := c.tilt * math.Pi / 180
		up := vector{0, -math.Sin(tilt), math.Cos(tilt)}
		elevation := (c.above + 1) * math.Cos(tilt)
		const reach = 0.7 * far
		alpha := math.Atan2(1, c.haze)
		peak := math.Sqrt(0.5) * c.haze * math.Sin(alpha) / math.Sin(0.75*math.Pi-alpha)
		back := unitOf(vector{0, -1, .1})
		hazy, solid := 0, 0
		for p, label := range plain.Segmentation {
			step := 2 * math.Tan(10*math.Pi/180) / height
			u, v := (float64(p%width)+0.5-width/2.0)*step, (height/2.0-0.5-float64(p/width))*step
			along := vector{u, 0, 0}.plus(vector{0, -back[2], back[1]}, -v).plus(back, -1)
			down := -along.dot(up)
			level := math.Sqrt(along.dot(along) - down*down)
			// how high the ray is below the height of the camera where the outline is
			at := func(h float64) float64 { return down/level*reach*(1-c.haze*(1-h)) - elevation*(1-h) }
			part, distance := 0.0, 0.0
			if down > 0 && at(0) < 0 {
				low, high := 0.0, 1.0
				for range 60 {
					if middle := (low + high) / 2; at(middle) < 0 {
						low = middle
					} else {
						high = middle
					}
				}
				part = min(low/peak, (1-low)/(1-peak))
				distance = reach * (1 - c.haze*(1-low)) / level
			}
			if label >= 0 && float64(plain.Depth[p]) < distance {
				part = 0
				solid++
			}
			if part > 0.05 {
				hazy++
			}
			for k, color := range [3]float64{.9, .2, .4} {
				want := float64(plain.RGB[3*p+k]) + part*(255*color-float64(plain.RGB[3*p+k]))
				if math.Abs(float64(got.RGB[3*p+k])-want) > 1.01 {
					t.Fatalf("%v: colour %d of pixel %d is %v, want %.1f", c, k, p, got.RGB[3*p+k], want)
				}
			}
		}
		if hazy < 100 || solid < 100 {
			t.Errorf("%v: %d pixels in haze, %d before it, want more", c, hazy, solid)
		}
	}
	m := load(t, write(t, zoo))
	camera := modelCamera("flat", 20, 15) // an orthographic camera has none
	hazy := camera
	hazy.Haze = true
	c := open(t, m, camera, hazy)
	pictures := [2]cast.Pictures{room(1, camera), room(1, camera)}
	for i, p := range pictures {
		polytest.NoError(t, c.Cast(i, initialPose(m), p))
	}
	polytest.Equal(t, slices.Equal(pictures[0].RGB, pictures[1].RGB), true, "the pictures are the same")
}
