package cast_test

import (
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// From behind, planes are seen with 0.3 of their opacity by cameras that see backs, and by clips, lit as from before and
// without shadows; other cameras do not see them. From before both see the same.
func TestBacksByHand(t *testing.T) {
	m := load(t, write(t, `<mujoco>
	  <visual><headlight ambient=".2 .2 .2" diffuse=".5 .5 .5"/><map znear="0.01" zfar="50"/></visual>
	  <statistic extent="1"/>
	  <asset><material name="matt" specular="0" reflectance=".5"/></asset>
	  <worldbody>
	    <light directional="true" dir="0 0 -1" diffuse=".4 .4 .4" castshadow="true"/>
	    <geom type="plane" size="1 1 1" rgba="1 0 0 1" material="matt"/>
	    <geom type="plane" size="1 1 1" pos="3 0 0" rgba="1 0 0 .5" material="matt"/>
	    <geom type="box" size="9 9 .1" pos="0 0 2" rgba="0 1 0 1" material="matt"/>
	    <camera name="solid" pos="0 0 -1" xyaxes="1 0 0 0 -1 0" fovy="40"/>
	    <camera name="clear" pos="3 0 -1" xyaxes="1 0 0 0 -1 0" fovy="40"/>
	    <camera name="before" pos="0 0 1" fovy="130"/>
	  </worldbody></mujoco>`))
	const size = 9
	cameras := []cast.Camera{modelCamera("solid", size, size), modelCamera("clear", size, size), modelCamera("before", size, size)}
	for _, camera := range slices.Clone(cameras) {
		camera.Backs = true
		cameras = append(cameras, camera)
	}
	c := open(t, m, cameras...)
	var pictures []cast.Pictures
	for i, camera := range cameras {
		pictures = append(pictures, room(1, camera))
		polytest.NoError(t, c.Cast(i, nil, pictures[i]))
	}
	const box = 255 * (0.2 + 0.5) // the lamp is above it
	for i, alpha := range []float64{1, 0.5} {
		opacity := 1 - (1-0.3*alpha)*(1-0.3*alpha)
		// the headlight is behind the plane, the lamp before it, and the box between them throws no shadow
		plane := 255 * (0.2 + 0.4)
		seen, plain := pictures[3+i], pictures[i]
		middle := size * size / 2
		for k, want := range [3]float64{opacity * plane, (1 - opacity) * box, 0} {
			if math.Abs(float64(seen.RGB[3*middle+k])-want) > 1.01 {
				t.Errorf("opacity %v: colour %d is %v, want %.1f", alpha, k, seen.RGB[3*middle+k], want)
			}
		}
		polytest.Equal(t, seen.Segmentation[middle], int32(i), "label of the back")
		polytest.Equal(t, plain.Segmentation[middle], 2, "label without backs")
		if math.Abs(float64(seen.Depth[middle])-1) > 1e-5 || math.Abs(float64(plain.Depth[middle])-2.9) > 1e-5 {
			t.Errorf("depths %v with backs and %v without, want 1 and 2.9", seen.Depth[middle], plain.Depth[middle])
		}
		name := cameras[i].Camera
		clip := drawn(t, renderer(t, m, physics.View{Width: size, Height: size, Camera: name, Quality: physics.Fast}), size, size, nil)
		polytest.Equal(t, [3]byte(clip.Pix[4*middle:]), [3]byte(seen.RGB[3*middle:]), "colour of the clip by %s", name)
	}
	polytest.EqualSlices(t, pictures[5].RGB, pictures[2].RGB, "colours from before")
	polytest.EqualSlices(t, pictures[5].Segmentation, pictures[2].Segmentation, "labels from before")
}
