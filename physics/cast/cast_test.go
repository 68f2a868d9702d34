package cast_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

// zoo has every kind of shape, still, moving and placed from outside, shapes that are not seen, and
// cameras, one of which is on a body, inside of a shape, and two have lenses of their own.
const zoo = `<mujoco>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="0.2 0.4 0.9" rgb2="0.9 0.9 0.8" width="32" height="192"/>
    <texture name="tiles" type="2d" builtin="checker" rgb1="0.9 0.8 0.7" rgb2="0.2 0.3 0.4" width="64" height="64"/>
    <material name="floor" texture="tiles" texrepeat=".7 .5" texuniform="true"/>
    <material name="patch" texture="tiles" texrepeat="3 2"/>
    <material name="red" rgba="0.9 0.1 0.1 1"/>
    <mesh name="wedge" vertex="0 0 0  .6 0 0  0 .6 0  0 0 .6  .5 .5 .1"/>
    <hfield name="hills" nrow="5" ncol="7" size="1.5 1 .4 .1"
      elevation="0 1 0 2 0 1 3  1 0 2 0 1 0 1  0 3 1 2 0 2 0  1 0 0 1 2 0 1  0 1 2 0 1 3 0"/>
  </asset>
  <visual><headlight ambient="0.2 0.2 0.2" diffuse="0.3 0.3 0.3" specular="0 0 0"/></visual>
  <statistic extent="2"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <light directional="true" dir="0.3 0.2 -1" diffuse="0.5 0.5 0.4" specular="0 0 0"/>
    <geom name="ground" type="plane" size="0 0 1" material="floor"/>
    <geom type="plane" size="1 .5 1" pos="-2 -2 .4" euler="20 10 30" material="patch"/>
    <geom type="hfield" hfield="hills" pos="2.5 -2 0.05"/>
    <geom type="box" size=".3 .2 .4" pos="-1.5 1.5 .4" euler="0 0 30"/>
    <geom type="cylinder" size=".2 .5" pos="1.5 1.5 .5" rgba=".1 .6 .3 1"/>
    <geom type="mesh" mesh="wedge" pos="2 0 .2"/>
    <camera name="far" pos="0 -6 2.5" xyaxes="1 0 0 0 .35 1" fovy="50"/>
    <camera name="above" pos="0 0 5" fovy="70"/>
    <camera name="lens" pos="0 -6 2.5" xyaxes="1 0 0 0 .35 1" sensorsize="0.04 0.03" resolution="61 47"
      focal="0.03 0.04" principal="0.006 -0.004"/>
    <camera name="pixels" pos="0 -6 2.5" xyaxes="1 0 0 0 .35 1" sensorsize="0.04 0.03" resolution="61 47"
      focalpixel="50 60" principalpixel="-5 9"/>
    <camera name="flat" projection="orthographic" pos="0 -6 2.5" xyaxes="1 0 0 0 .35 1" fovy="4.5"/>
    <body name="arm" pos="0 0 1">
      <freejoint/>
      <geom type="capsule" size=".12 .4" mass="1" material="red"/>
      <geom type="ellipsoid" size=".3 .15 .1" pos=".5 0 0" mass="1" rgba="0 0.5 1 1"/>
      <geom type="sphere" size="2" group="3" mass="0"/>
      <geom type="sphere" size=".3" rgba="0 0 0 0" pos="0 0 1" mass="0"/>
      <camera name="own" pos=".1 .013 .45" xyaxes="0 -1 0 .3 0 1" fovy="80"/>
      <body pos="0 0 .6" euler="0 40 0">
        <joint type="hinge" axis="0 1 0"/>
        <geom type="cylinder" size=".1 .2" pos="0 .3 0" mass="1"/>
        <geom type="box" size=".1 .2 .05" pos="0 -.3 0" mass="1" rgba="1 1 0 1"/>
        <geom type="mesh" mesh="wedge" pos="0 0 .2" mass="1" rgba="1 0 1 1"/>
      </body>
    </body>
    <body name="ball" mocap="true" pos="-1 -1 .5"><geom type="sphere" size=".25" rgba="1 .5 0 1"/></body>
  </worldbody>
</mujoco>`

func load(t testing.TB, path string) *mujoco.Model {
	t.Helper()
	m := polytest.Must(mujoco.Load(path, mujoco.Options{}))(t)
	t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	return m
}

// write puts a model into a file of its own.
func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scene.xml")
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// open opens a caster, or skips the test where there is no Embree.
func open(t testing.TB, m physics.Optical, cameras ...cast.Camera) *cast.Caster {
	t.Helper()
	c, err := cast.Open(m, cameras)
	if err != nil && strings.Contains(err.Error(), "libembree3-3") {
		t.Skip(err)
	}
	polytest.NoError(t, err)
	t.Cleanup(func() { polytest.NoError(t, c.Close()) })
	return c
}

// modelCamera is a camera of the model.
func modelCamera(name string, width, height int) cast.Camera {
	return cast.Camera{Mount: physics.Mount{Camera: name}, Width: width, Height: height}
}

// randomPoses returns poses of which the free body is near the middle.
func randomPoses(m *mujoco.Model, n int, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
	m.InitialState(row)
	var poses []float64
	for range n {
		m.PoseOf(row, pose)
		for i := range pose {
			pose[i] += 0.3 * random.NormFloat64()
		}
		poses = append(poses, pose...)
	}
	return poses
}

func room(worlds int, camera cast.Camera) cast.Pictures {
	n := worlds * camera.Width * camera.Height
	return cast.Pictures{RGB: make([]byte, 3*n), Depth: make([]float32, n), Segmentation: make([]int32, n),
		Normals: make([]float32, 3*n)}
}

// Every pixel's depth is the distance that MuJoCo's own rays have, and its label the geom that they hit; colours
// are those of MuJoCo's renderer.
func TestPicturesAgainstMuJoCo(t *testing.T) {
	python := polytest.Python(t)
	const width, height = 61, 47
	for _, scene := range []struct {
		name, path string
		cameras    []string
		color      float64 // how far the colours of half of the pixels may be from those of the renderer
	}{
		{"zoo", write(t, zoo), []string{"far", "above", "own", "lens", "pixels", "flat"}, 2},
		{"still", write(t, still(zoo)), []string{"far", "own"}, 2},
		{"textured", writeTextured(t), []string{"front", "side", "near"}, 5},
		{"clear", write(t, clear), []string{"far", "above"}, 3},
		{"mirror", write(t, mirror), []string{"far"}, 2},
		{"quadruped", "../../configs/quadruped.xml", []string{"track"}, 3},
	} {
		m, worlds := load(t, scene.path), 3
		if scene.name == "still" {
			worlds = 1
		}
		poses := randomPoses(m, worlds, 3)
		for _, name := range scene.cameras {
			t.Run(scene.name+"/"+name, func(t *testing.T) {
				camera := modelCamera(name, width, height)
				camera.Reflections = scene.name == "mirror"
				c := open(t, m, camera)
				pictures := room(worlds, camera)
				polytest.NoError(t, c.Cast(0, poses, pictures))
				dir := t.TempDir()
				for file, values := range map[string]any{
					"poses": poses, "rgb": pictures.RGB, "depth": pictures.Depth, "segmentation": pictures.Segmentation,
					"normals": pictures.Normals,
				} {
					f := polytest.Must(os.Create(filepath.Join(dir, file)))(t)
					polytest.NoError(t, binary.Write(f, binary.LittleEndian, values))
					polytest.NoError(t, f.Close())
				}
				model := polytest.Must(filepath.Abs(scene.path))(t)
				request := polytest.Must(json.Marshal(map[string]any{
					"model": model, "camera": name, "width": width, "height": height, "worlds": worlds, "folder": dir,
					"color": scene.color, "reflections": camera.Reflections,
				}))(t)
				cmd := exec.Command(python, "../../internal/tests/peers/pictures.py", string(request))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				} else {
					t.Logf("%s", out)
				}
			})
		}
	}
}

// A picture depends on its pose alone: not on what was cast before, on the worlds of the call, on
// the caster or on what others cast at the same time.
func TestPicturesRepeatForAnyCasters(t *testing.T) {
	for _, scene := range []string{zoo, clear, mirror} {
		repeats(t, load(t, write(t, scene)))
	}
}

func repeats(t *testing.T, m *mujoco.Model) {
	const worlds = 12
	camera := modelCamera("far", 50, 37)
	camera.Samples, camera.Reflections = 3, true
	poses := randomPoses(m, worlds, 7)
	size := len(poses) / worlds
	want := room(worlds, camera)
	polytest.NoError(t, open(t, m, camera).Cast(0, poses, want))
	var casters []*cast.Caster
	for range 4 {
		casters = append(casters, open(t, m, modelCamera("far", 5, 5), camera))
	}
	var all sync.WaitGroup
	for i, c := range casters {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			for range 20 {
				w := random.IntN(worlds)
				n := 1 + random.IntN(worlds-w)
				got := room(n, camera)
				if err := c.Cast(1, poses[w*size:(w+n)*size], got); err != nil {
					t.Error(err)
				}
				p := camera.Width * camera.Height
				if !slices.Equal(got.RGB, want.RGB[3*w*p:3*(w+n)*p]) ||
					!slices.Equal(got.Depth, want.Depth[w*p:(w+n)*p]) ||
					!slices.Equal(got.Segmentation, want.Segmentation[w*p:(w+n)*p]) ||
					!slices.Equal(got.Normals, want.Normals[3*w*p:3*(w+n)*p]) {
					t.Errorf("the pictures of worlds %d to %d differ from those of one call", w, w+n-1)
				}
			}
		})
	}
	all.Wait()
	for _, one := range []cast.Pictures{
		{RGB: make([]byte, len(want.RGB))}, {Depth: make([]float32, len(want.Depth))},
		{Segmentation: make([]int32, len(want.Segmentation))}, {Normals: make([]float32, len(want.Normals))},
	} {
		polytest.NoError(t, casters[0].Cast(1, poses, one))
		if one.RGB != nil && !slices.Equal(one.RGB, want.RGB) || one.Depth != nil && !slices.Equal(one.Depth, want.Depth) ||
			one.Segmentation != nil && !slices.Equal(one.Segmentation, want.Segmentation) ||
			one.Normals != nil && !slices.Equal(one.Normals, want.Normals) {
			t.Error("one kind of picture alone differs from all four")
		}
	}
}

// A ball in front of a wall, by hand: depth, labels, light and shadow.
func TestPictureByHand(t *testing.T) {
	m := load(t, write(t, `<mujoco>
	  <asset><material name="matt" specular="0"/></asset>
	  <visual><headlight ambient="0.25 0.25 0.25" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual>
	  <statistic extent="1"/>
	  <worldbody>
	    <light directional="true" dir="1 0 -1" ambient="0 0 0" diffuse="0.5 0.5 0.5"/>
	    <geom type="plane" size="3 3 1" material="matt"/>
	    <body pos="0 0 1"><freejoint/><geom type="sphere" size=".5" rgba="1 0.2 0 1" material="matt"/></body>
	  </worldbody></mujoco>`))
	camera := cast.Camera{
		Mount: physics.Mount{Position: [3]float64{0, 0, 5}}, FieldOfView: 90, Width: 101, Height: 101,
	}
	c := open(t, m, camera)
	pictures := room(1, camera)
	polytest.NoError(t, c.Cast(0, nil, cast.Pictures{}))
	row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
	m.InitialState(row)
	m.PoseOf(row, pose)
	polytest.NoError(t, c.Cast(0, pose, pictures))
	for _, want := range []struct {
		x, y    int
		depth   float64
		label   int32
		r, g, b byte
	}{
		{50, 50, 3.5, 1, 154, 31, 0},  // the top of the ball
		{50, 40, 5, 0, 154, 154, 154}, // the floor
		{0, 0, 50, -1, 0, 0, 0},       // beyond its edge
		{50, 79, 5, 0, 154, 154, 154}, // inside of its edge
		{50, 81, 50, -1, 0, 0, 0},     // and beyond it
		{60, 50, 5, 0, 64, 64, 64},    // in the shadow of the ball, 1 m to the side
		{40, 50, 5, 0, 154, 154, 154}, // and not on the other side
	} {
		i := want.y*camera.Width + want.x
		if math.Abs(float64(pictures.Depth[i])-want.depth) > 1e-4*want.depth {
			t.Errorf("depth at %d, %d is %v, want %v", want.x, want.y, pictures.Depth[i], want.depth)
		}
		polytest.Equal(t, pictures.Segmentation[i], want.label, "label at %d, %d", want.x, want.y)
		polytest.Equal(t, [3]byte(pictures.RGB[3*i:]), [3]byte{want.r, want.g, want.b}, "colour at %d, %d",
			want.x, want.y)
	}
}

// Light falls off as the lamp's attenuation says, by hand.
func TestLampFallsOff(t *testing.T) {
	for attenuation, want := range map[string]byte{"1 0 0": 255, "0.5 0.25 0.25": 166, "2 0 0": 166} {
		m := load(t, write(t, `<mujoco>
		  <asset><material name="matt" specular="0"/></asset>
	  <visual><headlight ambient="0.25 0.25 0.25" diffuse="0 0 0"/><map znear="0.01" zfar="50"/></visual>
		  <statistic extent="1"/>
		  <worldbody>
		    <light pos="0 0 2" dir="0 0 -1" ambient="0 0 0" diffuse="0.8 0.8 0.8" attenuation="`+attenuation+`"/>
		    <geom type="plane" size="3 3 1" material="matt"/>
		    <body pos="2 0 1"><freejoint/><geom type="sphere" size=".1"/></body>
		  </worldbody></mujoco>`))
		camera := cast.Camera{Mount: physics.Mount{Position: [3]float64{0, 0, 5}}, FieldOfView: 10, Width: 1, Height: 1}
		c := open(t, m, camera)
		pictures := room(1, camera)
		row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
		m.InitialState(row)
		m.PoseOf(row, pose)
		polytest.NoError(t, c.Cast(0, pose, pictures))
		polytest.Equal(t, pictures.RGB[0], want, "red below the lamp with attenuation %s", attenuation)
	}
}

// A sheet and a solid that bend are seen where their poses put them, the sheet from both sides, and a radius before
// their vertices. Lines and tendons are not, and are named.
func TestFlexByHand(t *testing.T) {
	m := load(t, write(t, `<mujoco>
	  <visual><map znear="0.01" zfar="50"/></visual><statistic extent="1"/>
	  <asset><material name="matt" specular="0"/></asset>
	  <worldbody>
	    <light pos="0 0 9" dir="0 0 -1"/>
	    <geom type="plane" size="9 9 1"/>
	    <flexcomp name="sheet" type="grid" count="3 3 1" spacing=".5 .5 .5" pos="0 0 1" radius=".02" mass="1" dim="2"
	      rgba="1 0 0 1" material="matt"/>
	    <flexcomp name="solid" type="grid" count="3 3 3" spacing=".2 .2 .2" pos="3 0 1" radius=".01" mass="1" dim="3"/>
	    <flexcomp name="line" type="grid" count="3 1 1" spacing=".5 .5 .5" pos="0 3 1" radius=".01" mass="1" dim="1"/>
	    <site name="a" pos="0 -3 1"/><site name="b" pos="0 -3 2"/>
	  </worldbody>
	  <tendon><spatial><site site="a"/><site site="b"/></spatial></tendon>
	</mujoco>`))
	up := [4]float64{0, 1, 0, 0}
	var cameras []cast.Camera
	for _, mount := range []physics.Mount{
		{Position: [3]float64{0.1, 0.1, 2}}, {Position: [3]float64{0.1, 0.1, 0.1}, Quaternion: up},
		{Position: [3]float64{3.05, 0.05, 2}}, {Position: [3]float64{3.05, 0.05, 0.1}, Quaternion: up},
		{Position: [3]float64{0.1, 3, 2}},
	} {
		cameras = append(cameras, cast.Camera{Mount: mount, FieldOfView: 1, Width: 1, Height: 1})
	}
	c := open(t, m, cameras...)
	polytest.EqualSlices(t, c.Unseen(), []string{"a line of a flex", "a tendon"}, "what is not seen")
	row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
	m.InitialState(row)
	m.PoseOf(row, pose)
	lower := slices.Clone(pose)
	for i := range 3 * (9 + 27) { // x, y and z of each vertex of the sheet and of the solid
		if i%3 == 2 {
			lower[i] = -0.3
		}
	}
	poses := slices.Concat(pose, lower, pose) // three worlds
	for i, want := range []struct {
		depths [2]float32
		label  int32
	}{{[2]float32{0.98, 1.28}, 1}, {[2]float32{0.88, 0.58}, 1}, {[2]float32{0.79, 1.09}, 2}, {[2]float32{0.69, 0.39}, 2},
		{[2]float32{2, 2}, 0}} {
		pictures := room(3, cameras[i])
		polytest.NoError(t, c.Cast(i, poses, pictures))
		for w, depth := range []float32{want.depths[0], want.depths[1], want.depths[0]} {
			// normals of a solid turn towards its corners
			tolerance := map[int32]float64{0: 1e-5, 1: 1e-5, 2: 2e-3}[want.label]
			if math.Abs(float64(pictures.Depth[w]-depth)) > tolerance || pictures.Segmentation[w] != want.label {
				t.Errorf("camera %d, world %d: depth %v of %d, want %v of %d", i, w, pictures.Depth[w],
					pictures.Segmentation[w], depth, want.label)
			}
		}
		if i == 0 && (pictures.RGB[0] == 0 || pictures.RGB[1] != 0) {
			t.Errorf("the sheet is %v, want red", pictures.RGB[:3])
		}
	}
	n := polytest.Allocations(5, func() { polytest.NoError(t, c.Cast(0, poses, cast.Pictures{})) })
	if n != 0 && !physicstest.AddressSanitizer {
		t.Errorf("%v allocations, want 0", n)
	}
}

// A cloth is as thick as twice its radius: from each side its edge is seen, as MuJoCo's renderer shows it, with a hole in it
// that has edges of its own.
func TestClothHasEdges(t *testing.T) {
	var cameras strings.Builder
	for i, axes := range []string{"1 0 0 0 0 1", "0 1 0 0 0 1", "-1 0 0 0 0 1", "0 -1 0 0 0 1"} {
		place := [][2]int{{0, -2}, {2, 0}, {0, 2}, {-2, 0}}[i]
		fmt.Fprintf(&cameras, `<camera name="%d" pos="%d %d .5" xyaxes="%s" projection="orthographic" fovy="1"/>`, i, place[0],
			place[1], axes)
	}
	m := load(t, write(t, `<mujoco>
	  <visual><map znear="0.01" zfar="50"/></visual><statistic extent="1"/>
	  <worldbody>`+cameras.String()+`
	    <camera name="inside" pos="0 0 .5" xyaxes="1 0 0 0 0 1" fovy="1"/>
	    <flexcomp name="cloth" type="direct" dim="2" radius="0.05" mass="1" point="-.3 -.2 .5  .3 -.2 .5  .3 .2 .5  -.3 .2 .5
	      -.1 -.1 .5  .1 -.1 .5  .1 .1 .5  -.1 .1 .5" element="0 1 5  0 5 4  1 2 6  1 6 5  2 3 7  2 7 6  3 0 4  3 4 7"/>
	  </worldbody></mujoco>`))
	const size = 100
	for i, want := range []int{60 * 10, 40 * 10, 60 * 10, 40 * 10} {
		camera := modelCamera(fmt.Sprint(i), size, size)
		pictures := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, initialPose(m), pictures))
		seen := 0
		for p, label := range pictures.Segmentation {
			if label < 0 {
				continue
			}
			seen++
			if n := pictures.Normals[3*p:][:3]; math.Abs(float64(n[0])) > 1e-3 || math.Abs(float64(n[1])) > 1e-3 || n[2] > -0.999 {
				t.Fatalf("side %d: the normal of pixel %d is %v, want one to the camera", i, p, n)
			}
		}
		if seen < want-110 || seen > want+110 { // a row or a column more or less at each edge
			t.Errorf("side %d: %d pixels of the edge are seen, want %d", i, seen, want)
		}
	}
	camera := modelCamera("inside", 1, 1)
	pictures := room(1, camera)
	polytest.NoError(t, open(t, m, camera).Cast(0, initialPose(m), pictures))
	if depth := float64(pictures.Depth[0]); math.Abs(depth-0.1) > 1e-5 {
		t.Errorf("the edge of the hole is %v m away, want 0.1", depth)
	}
}

// A field of view takes the place of the lens that a camera of the model has.
func TestFieldOfViewInPlaceOfALens(t *testing.T) {
	m := load(t, write(t, zoo))
	want, got := modelCamera("far", 40, 30), modelCamera("lens", 40, 30)
	got.FieldOfView = 50 // that of the camera at the same place
	c := open(t, m, want, got, modelCamera("lens", 40, 30))
	poses := randomPoses(m, 1, 2)
	var pictures [3]cast.Pictures
	for i := range pictures {
		pictures[i] = room(1, want)
		polytest.NoError(t, c.Cast(i, poses, pictures[i]))
	}
	polytest.EqualSlices(t, pictures[1].Depth, pictures[0].Depth, "depths with a field of view")
	if slices.Equal(pictures[2].Depth, pictures[0].Depth) {
		t.Error("the lens changes nothing")
	}
}

// What a caster refuses, in one line that names it.
func TestBadInput(t *testing.T) {
	m := load(t, write(t, zoo))
	open(t, m) // skips without Embree
	good := cast.Camera{Mount: physics.Mount{Camera: "far"}, Width: 8, Height: 8}
	for text, change := range map[string]func(*cast.Camera){
		`camera "fat"`:                func(c *cast.Camera) { c.Camera = "fat" },
		`"far"`:                       func(c *cast.Camera) { c.Camera = "fa" },
		`camera "flat" has an orthog`: func(c *cast.Camera) { c.Camera, c.FieldOfView = "flat", 40 },
		"neither a field of view nor": func(c *cast.Camera) { c.Camera, c.Distortion[0] = "flat", 0.1 },
		`body "leg"`:                  func(c *cast.Camera) { c.Camera, c.Body = "", "leg" },
		"width is 0, want":            func(c *cast.Camera) { c.Width = 0 },
		"height is 4097, want":        func(c *cast.Camera) { c.Height = 4097 },
		"field_of_view is 180, want":  func(c *cast.Camera) { c.FieldOfView = 180 },
		"field_of_view is NaN, want":  func(c *cast.Camera) { c.FieldOfView = math.NaN() },
		"quaternion is [NaN 0 0 0], ": func(c *cast.Camera) { c.Camera, c.Quaternion[0] = "", math.NaN() },
		"position is [+Inf 0 0], ":    func(c *cast.Camera) { c.Camera, c.Position[0] = "", math.Inf(1) },
	} {
		camera := good
		change(&camera)
		_, err := cast.Open(m, []cast.Camera{camera})
		polytest.ErrorContains(t, err, text)
	}
	c := open(t, m, good)
	poses := randomPoses(m, 2, 1)
	polytest.ErrorContains(t, c.Cast(1, poses, room(2, good)), "camera 1, want one of 1")
	polytest.ErrorContains(t, c.Cast(0, poses[1:], room(2, good)), "want a multiple of")
	polytest.ErrorContains(t, c.Cast(0, poses, room(1, good)), "RGB has room for 192 values, want 384")
	poses[3] = math.NaN()
	polytest.ErrorContains(t, c.Cast(0, poses, room(2, good)), "value 3 of the poses is NaN")
	polytest.NoError(t, c.Close())
	polytest.NoError(t, c.Close())
	polytest.ErrorContains(t, c.Cast(0, poses, room(2, good)), "closed")
	for _, bad := range []float64{1e300, -1e300, 1e20} { // far away, but no crash
		c := open(t, m, good)
		poses := randomPoses(m, 1, 1)
		poses[0] = bad
		if err := c.Cast(0, poses, room(1, good)); err != nil {
			t.Logf("%v: %v", bad, err)
		}
	}
}

// BenchmarkCast times pictures of the quadruped, or of the scene that the environment variable POLYTEST_SCENE names, by its
// camera "benchmark", also in processor time, which others on the machine change less.
func BenchmarkCast(b *testing.B) {
	path, name := "../../configs/quadruped.xml", "track"
	if scene := os.Getenv("POLYTEST_SCENE"); scene != "" {
		path, name = scene, "benchmark"
	}
	m := load(b, path)
	poses := randomPoses(m, 16, 1)
	if name != "track" {
		poses = slices.Repeat(initialPose(m), 16)
	}
	for _, size := range [][2]int{{64, 64}, {84, 84}, {224, 224}, {640, 480}} {
		camera := modelCamera(name, size[0], size[1])
		for _, kind := range []string{"depth", "normals", "rgb", "all"} {
			b.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], kind), func(b *testing.B) {
				c := open(b, m, camera)
				all := room(16, camera)
				pictures := map[string]cast.Pictures{
					"depth": {Depth: all.Depth}, "normals": {Normals: all.Normals}, "rgb": {RGB: all.RGB},
					"all": {RGB: all.RGB, Depth: all.Depth, Segmentation: all.Segmentation},
				}[kind]
				b.ReportAllocs()
				runtime.GC() // so that what loading has left is not collected in the time that is measured
				begin := processorTime(b)
				for b.Loop() {
					if err := c.Cast(0, poses, pictures); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(16*float64(b.N)/(processorTime(b)-begin).Seconds(), "pictures/cpu-s")
				b.ReportMetric(16*float64(b.N)/b.Elapsed().Seconds(), "pictures/s")
			})
		}
	}
}

// processorTime is the processor time of this process.
func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	polytest.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
