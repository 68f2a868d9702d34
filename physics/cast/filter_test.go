package cast_test

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// enlarged takes a picture that is as many times as wide and as high, and returns means of its pixels: what a picture shows
// whose pixels have the square of that number of samples.
func enlarged(t *testing.T, m *mujoco.Model, camera cast.Camera, times int) []float64 {
	t.Helper()
	width := camera.Width
	camera.Width, camera.Height, camera.Samples = times*camera.Width, times*camera.Height, 1
	large := make([]byte, 3*camera.Width*camera.Height)
	polytest.NoError(t, open(t, m, camera).Cast(0, initialPose(m), cast.Pictures{RGB: large}))
	means := make([]float64, len(large)/times/times)
	for i, v := range large {
		x, y := i/3%camera.Width, i/3/camera.Width
		means[3*(y/times*width+x/times)+i%3] += float64(v) / float64(times*times)
	}
	return means
}

// distant is the share of pixels with a colour that is beyond 16 of 255 from what it is in other pictures.
func distant(got []byte, want []float64) float64 {
	n := 0
	for i := 0; i < len(got); i += 3 {
		for k := range 3 {
			if math.Abs(float64(got[i+k])-want[i+k]) > 16 {
				n++
				break
			}
		}
	}
	return float64(3*n) / float64(len(got))
}

// Pictures of textures that are finer than pixels show what the mean of many samples shows, on a floor that is seen flat
// and on what stands on it, by lenses of each kind.
func TestTexturesAreFiltered(t *testing.T) {
	m := load(t, write(t, `<mujoco>
	  <statistic extent="4" center="0 0 0"/>
	  <asset>
	    <texture name="tiles" type="2d" builtin="checker" rgb1=".1 .2 .3" rgb2=".8 .8 .8" width="64" height="64" mark="edge"
	      markrgb="1 0 0"/>
	    <texture name="cube" type="cube" builtin="checker" rgb1=".1 .2 .3" rgb2=".8 .8 .8" width="64" height="384"/>
	    <texture name="sky" type="skybox" builtin="checker" rgb1=".3 .5 .9" rgb2=".1 .2 .3" width="256" height="1536"/>
	    <material name="floor" texture="tiles" texrepeat="6 6" texuniform="true" specular="0"/>
	    <material name="fine" texture="tiles" texrepeat="16 12" specular="0"/>
	    <material name="cube" texture="cube" specular="0"/>
	    <mesh name="tent" vertex="-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0 0 0 .5" texcoord="0 0 1 0 1 1 0 1 .5 .5"
	      face="0 1 4 1 2 4 2 3 4 3 0 4 0 2 1 0 3 2"/>
	  </asset>
	  <worldbody>
	    <light name="l0" pos="1 -1 4" dir="-.2 .2 -1" diffuse=".7 .7 .7"/>
	    <geom type="plane" size="40 40 .1" material="floor"/>
	    <geom type="box" size=".4 .3 .4" pos="-2 1 .6" euler="20 30 0" material="fine"/>
	    <geom type="sphere" size=".5" pos="-.8 1 .6" euler="20 30 20" material="fine"/>
	    <geom type="capsule" size=".3 .3" pos=".4 1 .6" euler="20 30 40" material="fine"/>
	    <geom type="cylinder" size=".4 .4" pos="1.6 1 .6" euler="20 30 60" material="fine"/>
	    <geom type="ellipsoid" size=".4 .3 .5" pos="2.8 1 .6" material="fine"/>
	    <geom type="box" size=".4 .3 .4" pos="-.6 3 1" euler="30 20 30" material="cube"/>
	    <geom type="sphere" size=".5" pos="1 3 1" material="cube"/>
	    <body pos="-2.2 3 1"><freejoint/><geom type="mesh" mesh="tent" mass="1" material="fine"/></body>
	    <camera name="low" pos="0 -3.5 1" xyaxes="1 0 0 0 .2 1"/>
	    <camera name="tilted" pos="0 -3.5 1.5" xyaxes="1 0 1 -.3 .3 .3" fovy="70"/>
	    <camera name="plan" pos="0 -3.5 3" xyaxes="1 0 0 0 .5 1" projection="orthographic" fovy="4"/>
	  </worldbody></mujoco>`))
	low := modelCamera("low", 64, 48)
	bent := low
	bent.Distortion = [5]float64{-0.2, 0.05, 0.01, -0.01, 0}
	several := low
	several.Samples = 16
	for i, camera := range []cast.Camera{low, modelCamera("tilted", 64, 48), modelCamera("plan", 64, 48), bent, several} {
		got := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, initialPose(m), got))
		if share := distant(got.RGB, enlarged(t, m, camera, 10)); share > 0.1 { // some are at edges
			t.Errorf("picture %d: %.1f %% of the pixels are beyond 16 of 255 from the mean of 100 samples, want at most 10 %%",
				i, 100*share)
		}
	}
}

// level is a copy of a texture.
type level struct {
	width, height int
	texels        [][3]float64
}

// half returns a copy of half the size.
func (l level) half() level {
	h := level{width: max(1, l.width/2), height: max(1, l.height/2)}
	for i := range h.width * h.height {
		var mean [3]float64
		for _, place := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
			x, y := 2*(i%h.width)+place[0], 2*(i/h.width)+place[1]
			for k := range mean {
				mean[k] += l.texels[y%l.height*l.width+x%l.width][k] / 4
			}
		}
		h.texels = append(h.texels, mean)
	}
	return h
}

// at returns the colour at a place in repetitions, between the four texels around it.
func (l level) at(column, row float64) (c [3]float64) {
	x, y := column*float64(l.width)-0.5, row*float64(l.height)-0.5
	left, top := math.Floor(x), math.Floor(y)
	for _, place := range [][2]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
		i, j := int(left+place[0]), int(top+place[1])
		i, j = (i%l.width+l.width)%l.width, (j%l.height+l.height)%l.height
		share := (1 - math.Abs(x-left-place[0])) * (1 - math.Abs(y-top-place[1]))
		for k, v := range l.texels[j*l.width+i] {
			c[k] += share * v
		}
	}
	return c
}

// A pixel that covers a square of a texture shows what lies between the eight texels around it in two copies of the texture;
// one that covers a strip, the mean of parts of it. By a second computation, from far above, at any scale and angle.
func TestFilterByHand(t *testing.T) {
	const side, size = 64, 24
	random := rand.New(rand.NewPCG(7, 1))
	picture := image.NewRGBA(image.Rect(0, 0, side, side))
	levels := []level{{width: side, height: side}}
	for i := range side * side {
		c := color.RGBA{uint8(random.IntN(256)), uint8(random.IntN(256)), uint8(random.IntN(256)), 255}
		picture.Set(i%side, i/side, c)
		levels[0].texels = append(levels[0].texels, [3]float64{float64(c.R), float64(c.G), float64(c.B)})
	}
	for levels[len(levels)-1].width > 1 {
		levels = append(levels, levels[len(levels)-1].half())
	}
	const scene = `<mujoco>
	  <statistic extent="1" center="0 0 0"/>
	  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/><map znear=".1" zfar="50"/></visual>
	  <asset><texture name="noise" type="2d" file="noise.png"/>
	    <material name="noise" texture="noise" texrepeat="%v %v" texuniform="true" specular="0"/></asset>
	  <worldbody><geom type="plane" size="0 0 1" material="noise"/>
	    <camera name="above" pos=".31 -.17 5" euler="0 0 %v" projection="orthographic" fovy="%v"/></worldbody></mujoco>`
	for _, c := range []struct {
		texels  [2]float64 // that a pixel covers, along columns and rows
		degrees float64
	}{
		{[2]float64{0.3, 0.3}, 20}, {[2]float64{1, 1}, 0}, {[2]float64{1.5, 1.5}, 30}, {[2]float64{3, 3}, 45}, {[2]float64{5.7, 5.7}, 10},
		{[2]float64{400, 400}, 0}, {[2]float64{2, 4}, 0}, {[2]float64{9, 3}, 0}, {[2]float64{0.5, 2.5}, 0}, {[2]float64{64, 2}, 0},
	} {
		path := write(t, fmt.Sprintf(scene, c.texels[0]/side*2, c.texels[1]/side*2, c.degrees, size)) // a pixel is 1 m
		f := polytest.Must(os.Create(filepath.Join(filepath.Dir(path), "noise.png")))(t)
		polytest.NoError(t, png.Encode(f, picture))
		polytest.NoError(t, f.Close())
		m := load(t, path)
		camera := modelCamera("above", size, size)
		got := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, initialPose(m), got))
		long, short := max(c.texels[0], c.texels[1]), min(c.texels[0], c.texels[1])
		width := max(1, short, long/4)
		taps := max(1, math.Ceil(long/width))
		first, exponent := math.Frexp(width) // width is 2·first times 2 to the power exponent − 1
		part, below := 2*first-1, exponent-1
		if below >= len(levels)-1 {
			part, below = 0, len(levels)-1
		}
		sin, cos := math.Sincos(c.degrees * math.Pi / 180)
		for i := range size * size {
			u, v := float64(i%size)+0.5-size/2, size/2-0.5-float64(i/size)
			x, y := 0.31+u*cos-v*sin, -0.17+u*sin+v*cos
			column, row := x*c.texels[0]/side-0.5, -y*c.texels[1]/side-0.5
			var want [3]float64
			for tap := range int(taps) {
				along := (float64(tap)+0.5)/taps - 0.5
				at := [2]float64{column, row}
				if c.texels[0] >= c.texels[1] {
					at[0] += along * c.texels[0] / side
				} else {
					at[1] += along * c.texels[1] / side
				}
				fine, coarse := levels[below].at(at[0], at[1]), levels[min(below+1, len(levels)-1)].at(at[0], at[1])
				for k := range want {
					want[k] += (fine[k] + part*(coarse[k]-fine[k])) / taps
				}
			}
			for k := range want {
				if math.Abs(float64(got.RGB[3*i+k])-want[k]) > 2.5 { // the copies are rounded
					t.Fatalf("%v texels a pixel, turned by %v: pixel %d is %v, want %.1f", c.texels, c.degrees, i, got.RGB[3*i:3*i+3], want)
				}
			}
		}
	}
}

// Textures that are repeated without bounds show colours of their own, whatever numbers come out.
func TestTexturesWithoutBounds(t *testing.T) {
	for _, repeat := range []string{"1e-30 1e-30", "1e12 1e-12", "1e12 1e12", "1e18 1e18"} {
		path := write(t, fmt.Sprintf(`<mujoco>
		  <statistic extent="1" center="0 0 0"/>
		  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
		  <asset>
		    <texture name="tiles" type="2d" builtin="checker" rgb1=".2 .2 .2" rgb2=".8 .8 .8" width="30" height="20"/>
		    <material name="fine" texture="tiles" texrepeat="%s" texuniform="true" specular="0"/>
		    <mesh name="tent" vertex="-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0 0 0 .5" texcoord="0 0 9e17 0 1 1 -1e18 1 .5 .5"
		      face="0 1 4 1 2 4 2 3 4 3 0 4 0 2 1 0 3 2"/>
		  </asset>
		  <worldbody>
		    <geom type="plane" size="0 0 1" material="fine"/>
		    <geom type="box" size=".4 .3 .4" pos="-1 0 .6" material="fine"/>
		    <geom type="sphere" size=".4" pos="0 0 .6" material="fine"/>
		    <geom type="capsule" size=".2 .3" pos="1 0 .6" material="fine"/>
		    <geom type="mesh" mesh="tent" pos="2 0 .6" material="fine"/>
		  </worldbody></mujoco>`, repeat))
		m := load(t, path)
		camera := cast.Camera{Mount: physics.Mount{Position: [3]float64{0.5, -3, 2}, Quaternion: [4]float64{0.87, 0.5, 0, 0}},
			FieldOfView: 60, Width: 40, Height: 30}
		pictures := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, initialPose(m), pictures))
		for i, label := range pictures.Segmentation {
			if v := pictures.RGB[3*i]; label >= 0 && (v < 50 || v > 205) {
				t.Fatalf("repeated %s times, geom %d is %d, want a colour between 51 and 204", repeat, label, v)
			}
		}
	}
}

// A mesh with texture coordinates shows no cube, as in MuJoCo's renderer, and one without shows it.
func TestCubesOnMeshes(t *testing.T) {
	const scene = `<mujoco>
	  <asset>
	    <texture name="cube" type="cube" builtin="flat" rgb1="1 0 0" rgb2="1 0 0" width="8" height="48"/>
	    <texture name="flat" type="2d" builtin="flat" rgb1="0 1 0" rgb2="0 1 0" width="8" height="8"/>
	    <material name="cube" texture="cube" texuniform="%v" specular="0"/><material name="flat" texture="flat" specular="0"/>
	    <mesh name="tent" vertex="-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0 0 0 .5" %s face="0 1 4 1 2 4 2 3 4 3 0 4 0 2 1 0 3 2"/>
	  </asset>
	  <visual><headlight ambient="1 1 1" diffuse="0 0 0"/></visual>
	  <worldbody><geom type="mesh" mesh="tent" material="%s"/></worldbody></mujoco>`
	const coordinates = `texcoord="0 0 1 0 1 1 0 1 .5 .5"`
	camera := cast.Camera{Mount: physics.Mount{Position: [3]float64{0.1, 0.1, 2}}, FieldOfView: 1, Width: 1, Height: 1}
	for _, c := range []struct {
		coordinates, material string
		want                  [3]byte
	}{{coordinates, "cube", [3]byte{255, 255, 255}}, {"", "cube", [3]byte{255, 0, 0}}, {coordinates, "flat", [3]byte{0, 255, 0}}} {
		for _, uniform := range []bool{false, true} {
			m := load(t, write(t, fmt.Sprintf(scene, uniform, c.coordinates, c.material)))
			pictures := room(1, camera)
			polytest.NoError(t, open(t, m, camera).Cast(0, nil, pictures))
			polytest.Equal(t, [3]byte(pictures.RGB), c.want, "colour of %s on a mesh with %q", c.material, c.coordinates)
		}
	}
}
