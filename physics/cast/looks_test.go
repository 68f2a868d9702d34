package cast_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// looking is a scene whose looks have the values that follow their names, or others, below.
const looking = `<mujoco>
  <statistic extent="5"/>
  <visual>
    <global fovy="45"/>
    <headlight ambient="[headlight_ambient: .1 .1 .1 | .3 .2 .1]" diffuse="[headlight_diffuse: .4 .4 .4 | .2 .5 .3]"/>
  </visual>
  <asset>
    <texture name="tiles" type="2d" builtin="checker" rgb1=".2 .3 .4" rgb2=".8 .7 .6" width="64" height="64"/>
    <texture name="skin" type="cube" builtin="flat" rgb1=".5 .9 .5" width="8" height="24"/>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="[sky_zenith: .3 .4 .5 | .9 .2 .1]"
      rgb2="[sky_nadir: .6 .6 .6 | .1 .3 .2]" width="8" height="48"/>
    <material name="floor" texture="[mat_texid/floor: tiles | skin]" texrepeat="[mat_texrepeat/floor: 4 4 | 3 5]" rgba="[mat_rgba/floor: 1 1 1 1 | .5 .8 .9 1]"/>
    <material name="skin" texture="[mat_texid/skin: skin | tiles]" texuniform="true" texrepeat="[mat_texrepeat/skin: 1 1 | 7 4]" rgba="[mat_rgba/skin: .9 .9 .9 1 | .3 .9 .1 1]"/>
  </asset>
  <worldbody>
    <light name="lamp" pos="[light_pos/lamp: 0 0 4 | 1 -1 3]" dir="[light_dir/lamp: 0 0 -1 | 0 0.6 -0.8]"
      diffuse="[light_diffuse/lamp: .7 .7 .7 | .9 .5 .2]" ambient="[light_ambient/lamp: 0 0 0 | .1 .1 .2]"/>
    <camera name="eye" pos="[cam_pos/eye: 0 -3 1.5 | .3 -2.8 1.7]" quat="[cam_quat/eye: .8 .6 0 0 | .8 .598 .03 -.04]"
      fovy="[cam_fovy/eye: 60 | 71.5]"/>
    <geom name="floor" type="plane" size="5 5 .1" material="floor"/>
    <geom name="wall" type="box" pos="[geom_pos/wall: 0 2 .5 | .2 1.8 .7]" size="[geom_size/wall: 1 .1 .5 | .8 .2 .4]"
      rgba="[geom_rgba/wall: .8 .2 .2 1 | .1 .6 .9 1]"/>
    <geom name="stone" type="box" pos="-1 1 .2" size=".2 .1 .3" quat="[geom_quat/stone: 1 0 0 0 | .6 0 0 .8]"/>
    <body name="pillar" pos="[body_pos/pillar: 1 1 0 | 1.1 .8 .1]" quat="[body_quat/pillar: 1 0 0 0 | .8 0 .6 0]">
      <geom name="pillar" type="cylinder" pos="0 0 .5" size="[geom_size/pillar: .1 .5 0 | .2 .4 0]" material="skin"/>
    </body>
    <body name="ball" pos="0 0 1">
      <joint name="swing" axis="0 1 0" pos="0 0 .5"/>
      <geom name="ball" type="ellipsoid" size=".2 .1 .3" rgba="[geom_rgba/ball: .2 .8 .2 1 | .9 .9 .1 1]"/>
      <camera name="own" pos="0 -.5 0" quat="[cam_quat/own: .7 .7 0 0 | .6 .8 0 0]"/>
    </body>
  </worldbody>
</mujoco>`

// filled returns the scene with the first or the second values, and the names of those.
func filled(second bool) (text string, names []string) {
	var b strings.Builder
	for i, part := range strings.Split(looking, "[") {
		inside, after, ok := strings.Cut(part, "]")
		if i == 0 || !ok {
			b.WriteString(part)
			continue
		}
		name, values, _ := strings.Cut(inside, ": ")
		one, other, _ := strings.Cut(values, " | ")
		if second {
			one = other
		}
		b.WriteString(one + after)
		names = append(names, name)
	}
	return b.String(), names
}

// part returns picture i of those with n pixels each.
func part(p cast.Pictures, i, n int) cast.Pictures {
	return cast.Pictures{RGB: p.RGB[3*i*n:][:3*n], Depth: p.Depth[i*n:][:n], Segmentation: p.Segmentation[i*n:][:n]}
}

// like compares two pictures but for pixels at edges: what may move is intersected in another frame. sky says whether they
// have the same sky.
func like(t *testing.T, got, want cast.Pictures, sky bool) {
	t.Helper()
	bad := 0
	for i, depth := range want.Depth {
		differs := got.Segmentation[i] != want.Segmentation[i] || math.Abs(float64(got.Depth[i]/depth-1)) > 1e-5
		for k := range 3 {
			differs = differs || (sky || want.Segmentation[i] >= 0) && max(got.RGB[3*i+k], want.RGB[3*i+k])-min(got.RGB[3*i+k], want.RGB[3*i+k]) > 1
		}
		if differs {
			bad++
		}
	}
	if bad > len(want.Depth)/200 {
		t.Errorf("%d of %d pixels differ", bad, len(want.Depth))
	}
}

// Pictures of a world with looks of its own are those of a model that was compiled with them, and leave no trace in the
// pictures of the worlds that follow.
func TestLooks(t *testing.T) {
	text, names := filled(false)
	m := load(t, write(t, text))
	other, _ := filled(true)
	changed := load(t, write(t, other))
	eyes := []cast.Camera{modelCamera("eye", 45, 33), modelCamera("own", 20, 20)}
	plain, want := open(t, m, eyes...), open(t, changed, eyes...)

	random := rand.New(rand.NewPCG(4, 4))
	for trial := range 8 {
		some := slices.Clone(names)
		if trial > 0 {
			random.Shuffle(len(some), func(i, k int) { some[i], some[k] = some[k], some[i] })
		}
		var looks []physics.Vector
		var nominal, values []float64
		for _, name := range some {
			if !m.Shows(name) {
				t.Errorf("%s does not show", name)
			}
			looks = append(looks, polytest.Must(m.Parameter(name))(t))
			nominal = append(nominal, polytest.Must(m.Nominal(name))(t)...)
			values = append(values, polytest.Must(changed.Nominal(name))(t)...)
		}
		c := polytest.Must(cast.Open(m, eyes, looks...))(t)
		pose := randomPoses(m, 1, uint64(trial))
		for camera, eye := range eyes {
			first, second, got := room(1, eye), room(1, eye), room(3, eye)
			polytest.NoError(t, plain.Cast(camera, pose, first))
			polytest.NoError(t, want.Cast(camera, pose, second))
			polytest.NoError(t, c.Cast(camera, slices.Concat(pose, nominal, pose, values, pose, nominal), got))
			n := eye.Width * eye.Height
			like(t, part(got, 0, n), first, true)
			like(t, part(got, 1, n), second, false) // colours of the sky are no skybox
			polytest.EqualSlices(t, got.RGB[6*n:], got.RGB[:3*n], "colours")
			polytest.EqualSlices(t, got.Depth[2*n:], got.Depth[:n], "depths")
			polytest.EqualSlices(t, got.Segmentation[2*n:], got.Segmentation[:n], "labels")
			if slices.Equal(first.RGB, second.RGB) {
				t.Errorf("the camera %s does not see what looks change", eye.Mount.Camera)
			}
		}
		polytest.NoError(t, c.Close())
	}
	for _, name := range []string{"body_mass/ball", "gravity", "site_pos", "geom_friction", "none"} {
		if m.Shows(name) {
			t.Errorf("%s shows", name)
		}
	}
	_, err := cast.Open(m, eyes, polytest.Must(m.Parameter("body_mass"))(t))
	polytest.ErrorContains(t, err, `parameter "body_mass" of 3 values cannot be seen`)
}

// dressed has each kind of shape with each of two materials, whose textures are those of names.
func dressed(textures [2]string, repeats [2]string) string {
	texture := func(name string) string {
		if name == "" {
			return ""
		}
		return fmt.Sprintf("texture=%q", name)
	}
	shapes := []string{`type="plane" size=".3 .4 1"`, `type="plane" size="0 0 1" pos="0 0 -.5"`, `type="sphere" size=".3"`,
		`type="capsule" size=".2 .2"`, `type="cylinder" size=".2 .3"`, `type="ellipsoid" size=".2 .3 .1"`,
		`type="box" size=".2 .3 .1"`, `type="mesh" mesh="tent"`, `type="mesh" mesh="plain"`, `type="hfield" hfield="hill"`}
	var geoms strings.Builder
	for i, shape := range shapes {
		for k, material := range []string{"one", "even"} {
			fmt.Fprintf(&geoms, `<body pos="%d %d 0" euler="20 10 %d"><geom %s material=%q/></body>`, i%5, 2*k+i/5, 30*i, shape, material)
		}
	}
	return fmt.Sprintf(`<mujoco>
  <visual><headlight ambient=".6 .6 .6" diffuse=".4 .4 .4"/></visual>
  <asset>
    <texture name="tiles" type="2d" builtin="checker" rgb1=".2 .3 .4" rgb2=".8 .7 .6" width="64" height="32"/>
    <texture name="dusk" type="2d" builtin="gradient" rgb1=".9 .3 .1" rgb2=".1 .2 .6" width="40" height="40"/>
    <texture name="six" type="cube" builtin="gradient" rgb1=".1 .9 .1" rgb2=".9 .1 .9" width="32" height="192"/>
    <texture name="grain" type="cube" builtin="checker" rgb1=".5 .4 .1" rgb2=".4 .3 .1" width="16" height="16"/>
    <material name="one" %s texrepeat="%s" rgba=".9 .8 1 1"/>
    <material name="even" %s texrepeat="%s" texuniform="true"/>
    <mesh name="tent" vertex="-.3 -.3 0 .3 -.3 0 .3 .3 0 -.3 .3 0 0 0 .4" texcoord="0 0 1 0 1 1 0 1 .5 .5"
      face="0 1 4 1 2 4 2 3 4 3 0 4 0 2 1 0 3 2"/>
    <mesh name="plain" vertex="-.3 -.3 0 .3 -.3 0 .3 .3 0 -.3 .3 0 0 0 .4"/>
    <hfield name="hill" nrow="3" ncol="3" elevation="0 0 0 0 1 0 0 0 0" size=".3 .3 .2 .1"/>
  </asset>
  <worldbody>
    <camera name="above" pos="2 1 6" fovy="60"/>
    <body pos="9 9 0"><joint axis="0 0 1"/><geom size=".1"/></body>
    %s
  </worldbody>
</mujoco>`, texture(textures[0]), repeats[0], texture(textures[1]), repeats[1], geoms.String())
}

// A world with textures of its own has, pixel by pixel, the picture of a model that was compiled with them: on every
// shape, of every kind, where the model has none, and none where the model has one.
func TestTexturesOfWorlds(t *testing.T) {
	eye := modelCamera("above", 160, 120)
	eye.Samples = 2
	scenes := []struct{ textures, repeats [2]string }{
		{[2]string{"tiles", "dusk"}, [2]string{"1 1", "2 3"}},
		{[2]string{"dusk", "tiles"}, [2]string{"3 2", "1 1"}},
		{[2]string{"six", "grain"}, [2]string{"1 1", "2 2"}},
		{[2]string{"", "six"}, [2]string{"1 1", "1 1"}},
		{[2]string{"grain", ""}, [2]string{"5 1", ".5 1"}},
	}
	var pose, poses []float64
	var want []cast.Pictures
	var models []*mujoco.Model
	for _, s := range scenes {
		m := load(t, write(t, dressed(s.textures, s.repeats)))
		if pose == nil {
			pose = randomPoses(m, 1, 1)
		}
		picture := room(1, eye)
		polytest.NoError(t, open(t, m, eye).Cast(0, pose, picture))
		poses = slices.Concat(poses, pose, polytest.Must(m.Nominal("mat_texid"))(t), polytest.Must(m.Nominal("mat_texrepeat"))(t))
		models, want = append(models, m), append(want, picture)
	}
	for i, m := range models {
		c := polytest.Must(cast.Open(m, []cast.Camera{eye}, polytest.Must(m.Parameter("mat_texid"))(t),
			polytest.Must(m.Parameter("mat_texrepeat"))(t)))(t)
		got, n := room(len(scenes), eye), eye.Width*eye.Height
		polytest.NoError(t, c.Cast(0, poses, got))
		for k := range scenes {
			polytest.EqualSlices(t, part(got, k, n).RGB, want[k].RGB, fmt.Sprintf("colours of scene %d by the model of scene %d", k, i))
			if k > 0 && slices.Equal(want[k].RGB, want[k-1].RGB) {
				t.Errorf("scenes %d and %d look alike", k-1, k)
			}
		}
		polytest.NoError(t, c.Close())
	}
}

// Cameras of sensors and clips show the same sky: the skybox of the model, that which has the colours of the world, or these
// colours alone.
func TestSkiesOfWorlds(t *testing.T) {
	const scene = `<mujoco>
	  <visual><map haze="0"/></visual>
	  <asset>
	    <texture name="tiles" type="skybox" builtin="checker" rgb1=".3 .5 .9" rgb2=".1 .2 .3" width="8" height="%d"/>
	    <texture name="dusk" type="skybox" builtin="gradient" rgb1=".9 .3 .1" rgb2=".1 .2 .6" width="8" height="%d"/>
	  </asset>
	  <worldbody><body><freejoint/><geom size=".3"/></body>
	    <camera name="eye" pos="0 -2 .5" xyaxes="1 .2 0 0 .3 1" fovy="110"/></worldbody></mujoco>`
	const width, height = 40, 30
	m := load(t, write(t, fmt.Sprintf(scene, 48, 48)))
	first, last, _ := strings.Cut(fmt.Sprintf(scene, 48, 48), `<texture name="tiles"`)
	_, last, _ = strings.Cut(last, "/>")
	other := load(t, write(t, first+last)) // its first skybox is the second of m
	camera := modelCamera("eye", width, height)
	looks := []physics.Vector{polytest.Must(m.Parameter("sky_zenith"))(t), polytest.Must(m.Parameter("sky_nadir"))(t)}
	sky := func(m *mujoco.Model) []float64 {
		return slices.Concat(polytest.Must(m.Nominal("sky_zenith"))(t), polytest.Must(m.Nominal("sky_nadir"))(t))
	}
	own := []float64{0.9, 0.1, 0.2, 0.1, 0.6, 0.3}
	plain, want := room(1, camera), room(1, camera)
	polytest.NoError(t, open(t, m, camera).Cast(0, initialPose(m), plain))
	polytest.NoError(t, open(t, other, camera).Cast(0, initialPose(other), want))
	c := polytest.Must(cast.Open(m, []cast.Camera{camera}, looks...))(t)
	defer func() { polytest.NoError(t, c.Close()) }()
	got := room(3, camera)
	polytest.NoError(t, c.Cast(0, slices.Concat(initialPose(m), sky(m), initialPose(m), sky(other), initialPose(m), own), got))
	n := width * height
	polytest.EqualSlices(t, part(got, 0, n).RGB, plain.RGB, "colours of the model's own sky")
	polytest.EqualSlices(t, part(got, 1, n).RGB, want.RGB, "colours of another skybox")
	colors := map[[3]byte]bool{}
	for i := range n {
		if plain.Segmentation[i] < 0 {
			colors[[3]byte(plain.RGB[3*i:])] = true
		}
		v, u := (height/2-0.5-float64(i/width))*2*math.Tan(55*math.Pi/180)/height, (float64(i%width)+0.5-width/2)*2*math.Tan(55*math.Pi/180)/height
		right, up := unitOf(vector{1, .2, 0}), vector{0, .3, 1}
		up = unitOf(up.plus(right, -up.dot(right)))
		ahead := vector{up[1]*right[2] - up[2]*right[1], up[2]*right[0] - up[0]*right[2], up[0]*right[1] - up[1]*right[0]}
		along := unitOf(ahead.plus(right, u).plus(up, v))
		for k := range 3 {
			between := 255 * (own[3+k] + (0.5+0.5*along[2])*(own[k]-own[3+k]))
			if value := float64(got.RGB[3*(2*n+i)+k]); got.Segmentation[i] < 0 && math.Abs(value-between) > 1 {
				t.Fatalf("pixel %d of a sky of colours is %v, want %.1f", i, value, between)
			}
		}
	}
	if len(colors) < 10 { // tiles, and what is between them
		t.Errorf("the sky of tiles has %d colours, want those of both and between", len(colors))
	}
	view := physics.View{Width: width, Height: height, Camera: "eye", Quality: physics.Fast}
	for i, values := range [][]float64{sky(m), sky(other), own} {
		clip := drawn(t, renderer(t, m, view, looks...), width, height, slices.Concat(initialPose(m), values))
		for p := range n {
			polytest.Equal(t, [3]byte(clip.Pix[4*p:]), [3]byte(got.RGB[3*(i*n+p):]), "pixel %d of clip %d", p, i)
		}
	}
	clip := drawn(t, renderer(t, m, view), width, height, initialPose(m))
	for p := range n {
		polytest.Equal(t, [3]byte(clip.Pix[4*p:]), [3]byte(plain.RGB[3*p:]), "pixel %d of a clip", p)
	}
}
