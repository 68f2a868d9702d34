package cast_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
)

// clear has shapes of every kind that are not opaque, before, in and behind each other.
const clear = `<mujoco>
  <asset>
    <texture name="tiles" type="2d" builtin="checker" rgb1="0.9 0.8 0.7" rgb2="0.2 0.3 0.4" width="64" height="64"/>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="0.2 0.4 0.9" rgb2="0.9 0.9 0.8" width="32" height="192"/>
    <material name="floor" texture="tiles" texrepeat=".7 .5" texuniform="true"/>
    <material name="glass" rgba=".5 .8 .9 .3"/>
    <mesh name="wedge" vertex="0 0 0  .6 0 0  0 .6 0  0 0 .6  .5 .5 .1"/>
  </asset>
  <visual><headlight ambient=".2 .2 .2" diffuse=".3 .3 .3"/></visual>
  <statistic extent="2"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <light directional="true" pos="0 0 4" dir="0.3 0.2 -1" diffuse="0.5 0.5 0.4"/>
    <geom type="plane" size="0 0 1" material="floor"/>
    <geom type="box" size="1 .02 .6" pos="0 -1.5 .6" material="glass"/>
    <geom type="sphere" size=".5" pos="-.5 0 .5" rgba=".9 .2 .2 .5"/>
    <geom type="cylinder" size=".3 .4" pos=".7 0 .4" rgba=".2 .9 .2 .7"/>
    <geom type="ellipsoid" size=".3 .4 .2" pos=".7 1 .3" rgba=".2 .2 .9 1"/>
    <geom type="mesh" mesh="wedge" pos="-1 -1 .4" rgba=".9 .9 .2 .4"/>
    <geom type="plane" size=".5 .5 1" pos="1.2 -.5 .9" euler="40 0 0" rgba="1 0 1 .4"/>
    <body pos="0 .5 .8"><freejoint/><geom type="capsule" size=".15 .3" rgba="1 .5 0 .2"/></body>
    <camera name="far" pos="0 -5 2.5" xyaxes="1 0 0 0 .4 1" fovy="40"/>
    <camera name="above" pos="0 0 4" fovy="60"/>
  </worldbody>
</mujoco>`

// What is not opaque shows what is behind it, as often as there is something, and depth and labels are those of the first.
func TestOpacityByHand(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 20 {
		n := random.IntN(12)
		type pane struct {
			height, alpha float64
			color         vector
		}
		panes := make([]pane, n+1) // the last is the floor
		var geoms strings.Builder
		for i := range panes {
			p := &panes[i]
			p.height = 3 - 0.2*float64(i)
			p.alpha = []float64{0.1, 0.3, 0.5, 0.9, 0.996, 0.994}[random.IntN(6)]
			for k := range p.color {
				p.color[k] = float64(random.IntN(256)) / 255
			}
		}
		panes[n].alpha = 1
		for i := n; i >= 0; i-- { // in another order than they are met
			p := panes[i]
			fmt.Fprintf(&geoms, `<geom type="box" size="1 1 .02" pos="0 0 %v" rgba="%v %v %v %v" material="matt"/>`,
				p.height-0.02, p.color[0], p.color[1], p.color[2], p.alpha)
		}
		m := load(t, write(t, `<mujoco>
		  <asset><material name="matt" specular="0"/></asset>
		  <visual><headlight ambient=".9 .9 .9" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual>
		  <statistic extent="1"/>
		  <worldbody>`+geoms.String()+`<body pos="5 0 0"><freejoint/><geom size=".1"/></body></worldbody></mujoco>`))
		camera := cast.Camera{Mount: physics.Mount{Position: [3]float64{0, 0, 5}}, FieldOfView: 5, Width: 3, Height: 3}
		pictures := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, randomPoses(m, 1, 1), pictures))
		var want vector
		rest := 1.0
		for i, p := range panes {
			opacity := 1.0
			if p.alpha < 0.995 && i < 7 { // the eighth counts as opaque
				opacity = 1 - (1-p.alpha)*(1-p.alpha) // MuJoCo draws it twice
			}
			want = want.plus(p.color, 0.9*rest*opacity)
			rest *= 1 - opacity
		}
		for i := range pictures.Depth {
			if math.Abs(float64(pictures.Depth[i])-2) > 1e-4 || int(pictures.Segmentation[i]) != n {
				t.Errorf("depth %v of geom %d, want 2 of %d", pictures.Depth[i], pictures.Segmentation[i], n)
			}
			for k := range want {
				if got := float64(pictures.RGB[3*i+k]); math.Abs(got-255*want[k]) > 1 {
					t.Fatalf("%d panes: colour %d is %v, want %.1f", n, k, got, 255*want[k])
				}
			}
		}
	}
}

// A pane has a shadow, and none falls on it, as in MuJoCo's renderer.
func TestShadowOfPaneByHand(t *testing.T) {
	m := load(t, write(t, `<mujoco>
	  <asset><material name="matt" specular="0"/></asset>
	  <visual><headlight ambient=".2 .2 .2" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual>
	  <statistic extent="1"/>
	  <worldbody>
	    <light directional="true" dir="1 0 -1" diffuse=".7 .7 .7" ambient="0 0 0"/>
	    <geom type="plane" size="9 9 1" rgba="1 1 1 1" material="matt"/>
	    <geom type="box" size=".5 .5 .01" pos="0 0 1" rgba="1 0 0 .5" material="matt"/>
	    <geom type="box" size=".5 .5 .01" pos="-1 0 2" rgba="0 1 0 1" material="matt"/>
	    <body pos="5 0 0"><freejoint/><geom size=".1"/></body>
	  </worldbody></mujoco>`))
	lit := 0.2 + 0.7*math.Sqrt2/2
	for x, want := range map[float64]vector{
		1.2: {0.2, 0.2, 0.2}, // the floor in the shadow of the pane
		3:   {lit, lit, lit},
		0.2: {0.75*lit + 0.25*lit, 0.25 * lit, 0.25 * lit}, // the pane, below the board, and lit floor
	} {
		camera := cast.Camera{Mount: physics.Mount{Position: [3]float64{x, 0, 5}}, FieldOfView: 0.1, Width: 1, Height: 1}
		pictures := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, randomPoses(m, 1, 1), pictures))
		for k := range want {
			if got := float64(pictures.RGB[k]); math.Abs(got-255*want[k]) > 1 {
				t.Errorf("colour %d at %v is %v, want %.1f", k, x, got, 255*want[k])
			}
		}
	}
}
