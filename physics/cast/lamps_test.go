package cast_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// All lamps that are on shine, a spot into its cone, less to the sides, and each has a shadow of its own; by hand.
func TestLampsByHand(t *testing.T) {
	places := []float64{0, 0.5, -0.9, 1.5, -1.8} // x of the points on the floor
	var cameras []cast.Camera
	for _, x := range places {
		cameras = append(cameras, cast.Camera{Mount: physics.Mount{Position: [3]float64{x, 0, 0.5}}, FieldOfView: 0.01,
			Width: 1, Height: 1})
	}
	for _, exponent := range []float64{0, 3, 2.5, 10} {
		m := load(t, write(t, `<mujoco>
	  <asset><material name="matt" specular="0"/></asset>
	  <visual><headlight ambient=".1 .1 .1" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual>
	  <statistic extent="1"/>
	  <worldbody>
	    <light active="false" directional="true" dir="0 0 -1" diffuse="1 1 1"/>
	    <light pos="0 0 2" dir="0 0 -1" cutoff="30" exponent="`+fmt.Sprint(exponent)+`" diffuse=".6 0 0" ambient="0 0 0" attenuation="1 0 0"/>
	    <light directional="true" dir="-1 0 -1" diffuse="0 .5 0" ambient="0 0 0"/>
	    <light type="point" pos="0 0 1" dir="0 0 -1" diffuse="0 0 .8" ambient="0 0 .05" castshadow="false"/>
	    <geom type="plane" size="3 3 1" material="matt"/>
	    <body pos="0 0 1.8"><freejoint/><geom type="sphere" size=".02"/></body>
	  </worldbody></mujoco>`))
		c := open(t, m, cameras...)
		row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
		m.InitialState(row)
		m.PoseOf(row, pose)
		for i, x := range places {
			far := math.Hypot(x, 2)
			want := [3]float64{0.1, 0.1 + 0.5*math.Sqrt2/2, 0.15 + 0.8/math.Hypot(x, 1)}
			if inside := x == 0.5 || x == -0.9; inside { // of the cone
				want[0] += 0.6 * math.Pow(2/far, 1+exponent)
			}
			if x == -1.8 { // where the ball is before the lamp with parallel rays
				want[1] = 0.1
			}
			pictures := room(1, cameras[i])
			polytest.NoError(t, c.Cast(i, pose, pictures))
			for k := range 3 {
				if got := float64(pictures.RGB[k]); math.Abs(got-255*want[k]) > 1 {
					t.Errorf("exponent %v: colour %d at %v is %v, want %.1f", exponent, k, x, got, 255*want[k])
				}
			}
		}
	}
}

// Eight lamps shine, of which the headlight is one, and without any there is light from everywhere, as in MuJoCo's renderer.
func TestFirstLampsShine(t *testing.T) {
	lamp := `<light directional="true" dir="0 0 -1" diffuse=".05 .05 .05" ambient="0 0 0"/>`
	for _, c := range []struct {
		n      int
		active bool
		want   byte
	}{{6, true, 77}, {7, true, 89}, {8, true, 89}, {9, true, 89}, {7, false, 89}, {8, false, 102}, {9, false, 102}, {0, true, 0},
		{0, false, 77}} {
		m := load(t, write(t, `<mujoco>
		  <asset><material name="matt" specular="0"/></asset>
		  <visual><headlight active="`+map[bool]string{true: "1", false: "0"}[c.active]+`" ambient="0 0 0" diffuse="0 0 0"/>
		    <map znear="0.01" zfar="50"/></visual><statistic extent="1"/>
		  <worldbody>`+strings.Repeat(lamp, c.n)+`<geom type="plane" size="3 3 1" material="matt"/>
		    <light active="false" directional="true" dir="0 0 -1" diffuse="1 1 1" ambient="1 1 1"/>
		    <body pos="2 0 1"><freejoint/><geom type="sphere" size=".1"/></body></worldbody></mujoco>`))
		camera := cast.Camera{Mount: physics.Mount{Position: [3]float64{0, 0, 1}}, FieldOfView: 1, Width: 1, Height: 1}
		pictures := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, randomPoses(m, 1, 1), pictures))
		polytest.Equal(t, pictures.RGB[0], c.want, "red below %d lamps, with a headlight: %v", c.n, c.active)
	}
}

// Planes throw shadows, whichever side is at the lamp, with and without ends, and of any opacity; not on themselves.
func TestPlanesThrowShadows(t *testing.T) {
	for _, plane := range []string{`size=".5 .5 1"`, `size=".5 .5 1" euler="180 0 0"`, `size=".5 .5 1" rgba=".5 .5 .5 .4"`, `size=".5 0 1"`,
		`size="0 0 1" euler="0 60 0"`} {
		m := load(t, write(t, `<mujoco>
		  <asset><material name="matt" specular="0"/></asset>
		  <visual><headlight ambient=".2 .2 .2" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual><statistic extent="1"/>
		  <worldbody>
		    <light directional="true" dir="0 0 -1" diffuse=".6 .6 .6"/>
		    <geom type="plane" size="9 9 1" material="matt" rgba="1 1 1 1"/>
		    <geom type="plane" pos="0 0 1" `+plane+` material="matt"/>
		  </worldbody></mujoco>`))
		var cameras []cast.Camera
		for _, x := range []float64{0, -2} {
			cameras = append(cameras, cast.Camera{Mount: physics.Mount{Position: [3]float64{x, 0, 0.1}}, FieldOfView: 1, Width: 1, Height: 1})
		}
		c := open(t, m, cameras...)
		for i, want := range []byte{51, 204} {
			if i == 1 && strings.Contains(plane, "60") {
				want = 51
			}
			pictures := room(1, cameras[i])
			polytest.NoError(t, c.Cast(i, nil, pictures))
			polytest.Equal(t, pictures.RGB[0], want, "floor %d by a plane of %s", i, plane)
		}
	}
}
