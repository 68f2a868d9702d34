package cast_test

import (
	"errors"
	"fmt"
	"image"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// painted has a textured shape of each mapping and light of each kind. What is in braces is replaced by a number.
const painted = `<mujoco>
  <statistic extent="{extent}"/>
  <visual>
    <headlight ambient="{head ambient} 0.1 0.1" diffuse="{head diffuse} 0.4 0.4" specular="{head specular} 0.5 0.5"/>
    <map znear="{znear}" zfar="{zfar}" haze="{haze}"/><rgba haze="{haze red} 1 1 1"/>
  </visual>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="{sky red} .4 .9" rgb2=".9 .9 .8" width="32" height="192"/>
    <texture name="flat" type="2d" builtin="checker" rgb1="{texture red} .8 .7" rgb2=".2 .3 .4" width="64" height="64"/>
    <texture name="cube" type="cube" builtin="flat" rgb1=".9 .8 .7" width="64" height="384"/>
    <material name="flat" texture="flat" texrepeat="{repeat} 2" emission="{emission}" specular="{specular}"
      shininess="{shininess}" reflectance="{reflectance}" rgba="{red} 1 1 1"/>
    <material name="even" texture="flat" texrepeat="{repeat} {repeat}" texuniform="true" specular="{specular}"/>
    <material name="cube" texture="cube" texuniform="true" shininess="{shininess}"/>
    <material name="clear" texture="flat" rgba="1 1 1 {opacity}"/>
    <mesh name="tent" scale="{scale} 1 1" vertex="-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0 0 0 .5"
      texcoord="{texcoord} 0 1 {texcoord} 1 1 0 1 .5 .5" face="0 1 4 1 2 4 2 3 4 3 0 4 0 2 1 0 3 2"/>
    <mesh name="shaded" vertex="-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0 0 0 .5" normal="{normal} 0 1 0 0 1 0 0 1 0 0 1 0 0 1"
      face="0 1 4 1 2 4 2 3 4 3 0 4 0 2 1 0 3 2"/>
    <hfield name="hills" nrow="2" ncol="2" size="1 1 {hill} .1" elevation="0 1 {elevation} 1"/>
  </asset>
  <worldbody>
    <light pos="{lamp} 0 3" dir="0 .1 -1" diffuse="{lamp red} .4 .4" ambient="{lamp ambient} 0 0" specular="{lamp specular} .3 .3"
      attenuation="1 {attenuation} 0" cutoff="{cutoff}" exponent="{exponent}"/>
    <light directional="true" dir="{dir} .1 -1" diffuse="{lamp red} 0 0"/>
    <geom type="plane" size="{plane} 4 1" material="even"/>
    <geom type="plane" size="1 1 1" pos="0 1 .1" material="flat"/>
    <geom type="box" size=".4 .3 .2" pos="-1 0 .5" material="even"/>
    <geom type="sphere" size=".4" pos="0 1 .5" material="flat"/>
    <geom type="cylinder" size=".3 .4" pos="1 0 .5" material="even"/>
    <geom type="capsule" size=".2 .3" pos="1 1 .5" material="cube"/>
    <geom type="ellipsoid" size=".2 .3 .4" pos="-1 1 .5" material="even"/>
    <geom type="hfield" hfield="hills" pos="0 3 0" material="flat"/>
    <geom type="mesh" mesh="shaded" pos="0 -1 .2" material="flat"/>
    <body name="tent" pos="{place} 0 .5"><freejoint/>
      <geom name="tent" type="mesh" mesh="tent" mass="1" material="flat"/>
      <geom type="box" size="{size} .1 .1" pos="0 0 .6" mass="1" material="clear" rgba="{own red} 1 1 1"/>
    </body>
    <camera name="far" pos="0 -3 2" xyaxes="1 0 0 0 .5 1" fovy="{fovy}"/>
    <camera name="lens" pos="0 -3 2" xyaxes="1 0 0 0 .5 1" sensorsize="{sensor} .03" resolution="61 47" focal="{focal} .04"
      principal="{principal} 0"/>
    <camera name="wide" projection="orthographic" pos="0 -3 2" xyaxes="1 0 0 0 .5 1" fovy="{fovy}"/>
  </worldbody>
</mujoco>`

// What is in braces in `painted`, as it is where nothing is wrong.
var plainNumbers = map[string]string{
	"extent": "3", "head ambient": ".1", "head diffuse": ".4", "head specular": ".5", "znear": ".01", "zfar": "50",
	"haze": ".3", "haze red": "1", "sky red": ".2", "texture red": ".9", "repeat": "2", "emission": ".1", "specular": ".5",
	"shininess": ".5", "reflectance": ".3", "red": "1", "opacity": ".5", "scale": "1", "texcoord": "0", "normal": "0",
	"hill": ".4", "elevation": "0", "lamp": "0", "lamp red": ".5", "lamp ambient": "0", "lamp specular": ".3",
	"attenuation": "0", "cutoff": "60", "exponent": "10", "dir": ".1", "plane": "4", "place": "0", "size": ".1",
	"own red": ".6", "fovy": "60", "sensor": ".04", "focal": ".03", "principal": "0",
}

func fill(name, value string) string {
	text := painted
	for n, plain := range plainNumbers {
		if n == name {
			plain = value
		}
		text = strings.ReplaceAll(text, "{"+n+"}", plain)
	}
	return text
}

// TestAnyNumber draws a scene with each of its numbers far from what it should be: it is refused in one line, or drawn.
func TestAnyNumber(t *testing.T) {
	open(t, load(t, write(t, fill("", "")))) // skips without Embree
	for _, name := range slices.Sorted(maps.Keys(plainNumbers)) {
		for _, value := range []string{"-inf", "3e38", "9e17", "-1"} {
			err := drawAll(t, fill(name, value))
			if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "mujoco: ") &&
				!strings.Contains(err.Error(), "want")) {
				t.Errorf("%s %s: %v", name, value, err)
			}
			if err == nil && value == "-inf" && name != "sky red" && name != "texture red" { // MuJoCo makes bytes of those
				t.Errorf("%s %s is drawn", name, value)
			}
		}
	}
}

// drawAll draws a scene as each of its cameras and a person see it.
func drawAll(t *testing.T, text string) (err error) {
	m, err := mujoco.Load(write(t, text), mujoco.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	var cameras []cast.Camera
	for _, name := range m.Cameras() {
		camera := modelCamera(name, 16, 12)
		camera.Reflections, camera.Haze, camera.Backs = true, true, true
		cameras = append(cameras, camera)
	}
	c, err := cast.Open(m, cameras)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for i, camera := range cameras {
		if err := c.Cast(i, initialPose(m), room(1, camera)); err != nil {
			return err
		}
	}
	r, err := cast.NewRenderer(m, physics.View{Width: 16, Height: 12, Camera: physics.FreeCamera})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return physics.Render(r, homePose(m), image.NewRGBA(image.Rect(0, 0, 16, 12)))
}

// pyramid has a mesh from a file, %s, in a material with a texture or without.
const pyramid = `<mujoco>
  <asset>
    <texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 1 0" width="64" height="64"/>
    <material name="plain"/><material name="checked" texture="t" texrepeat="%s 1"/>
    <mesh name="stone" file="stone.obj"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" material="checked"/>
    <body name="b" pos="0 0 1"><freejoint/><geom name="g" type="mesh" mesh="stone" material="%s"/></body>
    <camera name="c" pos="0 -3 1.5" xyaxes="1 0 0 0 0.5 1"/>
  </worldbody>
</mujoco>`

// stone is a mesh as a file of Wavefront's, %s are coordinates of a texture.
const stone = `v -0.5 -0.5 0
v 0.5 -0.5 0
v 0.5 0.5 0
v -0.5 0.5 0
v 0 0 0.5
vt %s
vt 1 0
vt 1 1
f 1/1 2/2 5/3
f 2/1 3/2 5/3
f 3/1 4/2 5/3
f 4/1 1/2 5/3
f 1/1 4/2 3/3
f 1/1 3/2 2/3
`

// writeStone puts the scene and its mesh into a folder.
func writeStone(t *testing.T, coordinates, repeat, material string) string {
	path := write(t, fmt.Sprintf(pyramid, repeat, material))
	mesh := filepath.Join(filepath.Dir(path), "stone.obj")
	polytest.NoError(t, os.WriteFile(mesh, fmt.Appendf(nil, stone, coordinates), 0o600))
	return path
}

func TestNumbersOfTextures(t *testing.T) {
	for _, c := range []struct{ coordinates, repeat, material, want string }{
		{"0 0", "2", "checked", ""},
		{"nan nan", "2", "checked", `mesh "stone" has a texcoord of NaN, want`},
		{"inf 0", "2", "checked", `mesh "stone" has a texcoord of `},
		{"nan nan", "2", "plain", ""}, // no texture lies on it
		{"0 0", "3e38", "checked", `material "checked" has a texrepeat of 3e+38, want`},
		{"0 0", "9e17", "checked", ""},
	} {
		m := load(t, writeStone(t, c.coordinates, c.repeat, c.material))
		camera := modelCamera("c", 32, 24)
		caster, err := cast.Open(m, []cast.Camera{camera})
		if c.want != "" {
			polytest.ErrorContains(t, err, c.want)
			_, err = cast.NewRenderer(m, physics.View{Width: 32, Height: 24})
			polytest.ErrorContains(t, err, c.want)
			continue
		}
		polytest.NoError(t, err)
		polytest.NoError(t, caster.Cast(0, initialPose(m), room(1, camera)))
		polytest.NoError(t, caster.Close())
	}
}

// worn is a model of an engine that does not check the coordinates of its textures.
type worn struct{ physics.Optical }

func (w worn) Optics(visible physics.Visible) physics.Optics {
	o := w.Optical.Optics(visible)
	for i := range o.Meshes {
		for k := range o.Meshes[i].TexCoords {
			o.Meshes[i].TexCoords[k] = float32([]float64{math.NaN(), math.Inf(1), -math.MaxFloat32, 3e38}[k%4])
		}
	}
	return o
}

func TestCoordinatesThatAreNotFinite(t *testing.T) {
	m := load(t, writeStone(t, "0 0", "2", "checked"))
	camera := modelCamera("c", 32, 24)
	c, pictures := open(t, worn{m}, camera), room(1, camera)
	polytest.NoError(t, c.Cast(0, initialPose(m), pictures))
	if !slices.Contains(pictures.Segmentation, 1) {
		t.Error("the mesh is not to be seen")
	}
}

func TestNegativeLightIsDark(t *testing.T) {
	m := load(t, write(t, `<mujoco>
	  <visual><headlight ambient="-.3 -.3 -.3" diffuse="0 0 0" specular="0 0 0"/></visual>
	  <worldbody><geom type="plane" size="0 0 1"/><camera name="c" pos="0 0 1"/></worldbody>
	</mujoco>`))
	camera := modelCamera("c", 8, 8)
	c, pictures := open(t, m, camera), room(1, camera)
	polytest.NoError(t, c.Cast(0, initialPose(m), pictures))
	if slices.Max(pictures.RGB) != 0 {
		t.Errorf("a floor in negative light is %v, want black", pictures.RGB[:3])
	}
}
