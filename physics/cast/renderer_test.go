package cast_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// boxModel is a red box over a floor, with a camera, a collision geom that is not to be seen, and a mocap body.
const boxModel = `<mujoco>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="5 5 .1" rgba="0.2 0.6 0.2 1"/>
    <camera name="above" pos="0 0 4"/>
    <body name="box" pos="0 0 1">
      <freejoint/>
      <geom type="box" size=".2 .2 .2" rgba="0.9 0.1 0.1 1" mass="1"/>
      <geom type="sphere" size="2" rgba="0 0 1 1" group="3" contype="0" conaffinity="0" mass="0"/>
    </body>
    <body name="goal" mocap="true" pos="0 3 .5"><geom type="sphere" size=".3" contype="0" conaffinity="0"/></body>
  </worldbody>
</mujoco>`

// homePose returns the pose of a model's initial state.
func homePose(m *mujoco.Model) []float64 {
	row, pose := make([]float64, m.StateSize()), make([]float64, m.Pose().Size)
	m.InitialState(row)
	m.PoseOf(row, pose)
	return pose
}

// renderer opens a renderer and closes it at the end of the test, or skips the test where there is no Embree.
func renderer(t testing.TB, m *mujoco.Model, view physics.View, looks ...physics.Vector) physics.Renderer {
	t.Helper()
	r, err := cast.NewRenderer(m, view, looks...)
	if err != nil && strings.Contains(err.Error(), "libembree3-3") {
		t.Skip(err)
	}
	polytest.NoError(t, err)
	t.Cleanup(func() { polytest.NoError(t, r.Close()) })
	return r
}

// drawn draws a pose.
func drawn(t testing.TB, r physics.Renderer, width, height int, pose []float64) *image.RGBA {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	polytest.NoError(t, physics.Render(r, pose, picture))
	return picture
}

// red reports whether a pixel is of the box, in shadow or in the light.
func red(c color.RGBA) bool { return c.R > 60 && float64(c.G) < 0.6*float64(c.R) && c.A == 255 }

func TestRender(t *testing.T) {
	m := load(t, write(t, boxModel))
	pose := homePose(m)
	for _, camera := range []string{"track", "free", "above"} {
		r := renderer(t, m, physics.View{Width: 80, Height: 60, Camera: camera})
		first := drawn(t, r, 80, 60, pose)
		if camera != "free" {
			if c := first.RGBAAt(40, 30); !red(c) {
				t.Errorf("%s: the box in the middle is %v, want red", camera, c)
			}
		}
		if c := first.RGBAAt(40, 1); camera == "track" && (c.B <= c.R || c == color.RGBA{A: 255}) {
			t.Errorf("%s: the sky is %v, want blue", camera, c)
		}
		moved := slices.Clone(pose)
		moved[0] += 0.7
		if second := drawn(t, r, 80, 60, moved); bytes.Equal(first.Pix, second.Pix) {
			t.Errorf("%s: the box moved, and the picture is the same", camera)
		}
		moved = slices.Clone(pose)
		moved[8] -= 2.5
		if second := drawn(t, r, 80, 60, moved); bytes.Equal(first.Pix, second.Pix) {
			t.Errorf("%s: the mocap body moved, and the picture is the same", camera)
		}
		if again := drawn(t, r, 80, 60, pose); !bytes.Equal(first.Pix, again.Pix) {
			t.Errorf("%s: the same pose gave another picture", camera)
		}
	}
}

// The model's own camera track is no place of the view's, and renderers at work at once draw what one draws.
func TestRenderAtOnce(t *testing.T) {
	m := load(t, "../../configs/quadruped.xml")
	view := physics.View{Width: 120, Height: 90}
	pose := homePose(m)
	first := drawn(t, renderer(t, m, view), 120, 90, pose)
	view.Azimuth = 33
	if bytes.Equal(first.Pix, drawn(t, renderer(t, m, view), 120, 90, pose).Pix) {
		t.Error("the model's camera is taken where the view says another place")
	}
	view.Azimuth = 0
	var group sync.WaitGroup
	for range 4 {
		r := renderer(t, m, view)
		group.Go(func() {
			picture := image.NewRGBA(first.Rect)
			for range 5 {
				if err := physics.Render(r, pose, picture); err != nil || !bytes.Equal(picture.Pix, first.Pix) {
					t.Error("one of four renderers draws something else: ", err)
				}
			}
		})
	}
	group.Wait()
}

// A camera that follows the robot keeps it in the middle, and a smoothed focus moves it.
func TestRenderFollows(t *testing.T) {
	m := load(t, write(t, boxModel))
	r := renderer(t, m, physics.View{Width: 80, Height: 60})
	pose := homePose(m)
	pose[0], pose[1] = 2.5, -1
	if c := drawn(t, r, 80, 60, pose).RGBAAt(40, 30); !red(c) {
		t.Errorf("the middle is %v, want the red box", c)
	}
	focus, err := r.Focus(pose)
	if err != nil || focus != [3]float64{2.5, -1, 1} {
		t.Errorf("focus %v, %v; want the box, at 2.5 -1 1", focus, err)
	}
	picture := image.NewRGBA(image.Rect(0, 0, 80, 60))
	polytest.NoError(t, r.Render(pose, [3]float64{-4, -1, 1}, picture))
	if c := picture.RGBAAt(40, 30); red(c) {
		t.Errorf("the middle is %v, want no box, which is far from the focus", c)
	}
}

// A camera follows what has actuators, on slides here or drawn by a tendon, not a loose box that moves more freely.
func TestRenderFollowsWhatIsDriven(t *testing.T) {
	const world = `<mujoco><worldbody><body name="box" pos="5 0 1"><freejoint/><geom size=".1"/></body>
		<body name="cart" pos="-2 0 1"><joint name="x" type="slide" axis="1 0 0"/><geom size=".1"/><site name="s"/>
		</body></worldbody><tendon><fixed name="t"><joint joint="x" coef="1"/></fixed></tendon>
		<actuator>%s</actuator></mujoco>`
	for _, actuators := range []string{
		"", `<motor joint="x"/>`, `<general site="s"/>`, `<adhesion body="cart" ctrlrange="0 1"/>`, `<motor tendon="t"/>`,
	} {
		want := [3]float64{-1.5, 0, 1}
		if actuators == "" {
			want = [3]float64{5, 0, 1}
		}
		m := load(t, write(t, fmt.Sprintf(world, actuators)))
		pose := homePose(m)
		pose[7] = 0.5
		focus, err := renderer(t, m, physics.View{Width: 8, Height: 8}).Focus(pose)
		if err != nil || focus != want {
			t.Errorf("%s: focus %v, %v, want %v", actuators, focus, err, want)
		}
	}
}

// A camera does not follow a robot whose base cannot move: what it looks at stays where it is in the first pose.
func TestRenderOfAFixedBase(t *testing.T) {
	m := load(t, write(t, `<mujoco><worldbody><body pos="1 2 3"><joint name="hinge" axis="0 0 1"/>
		<geom size=".1" pos="1 0 0"/></body></worldbody><actuator><motor joint="hinge"/></actuator>
		<keyframe><key qpos="3.141592653589793"/></keyframe></mujoco>`))
	r := renderer(t, m, physics.View{Width: 8, Height: 8})
	for _, angle := range []float64{0, 2} {
		focus, err := r.Focus([]float64{angle})
		if err != nil || math.Abs(focus[0]) > 1e-12 || math.Abs(focus[1]-2) > 1e-12 || focus[2] != 3 {
			t.Errorf("focus %v, %v at %v, want 0 2 3", focus, err, angle)
		}
	}
}

// A robot whose geoms are all in hidden groups is shown all the same.
func TestRenderHiddenGroups(t *testing.T) {
	hidden := strings.Replace(boxModel, `mass="1"/>`, `mass="1" group="4"/>`, 1)
	m := load(t, write(t, hidden))
	all := load(t, write(t, strings.Replace(hidden, `<body name="goal" mocap="true" pos="0 3 .5"><geom `,
		`<body name="goal" mocap="true" pos="0 3 .5"><geom group="4" `, 1)))
	middle := func(m *mujoco.Model) color.RGBA {
		r := renderer(t, m, physics.View{Width: 80, Height: 60, Camera: "above"})
		return drawn(t, r, 80, 60, homePose(m)).RGBAAt(40, 30)
	}
	if c := middle(m); red(c) {
		t.Errorf("with a visible mocap body the hidden box is %v, want the floor", c)
	}
	if c := middle(all); c.B < 60 || c.B < c.R || c.B < c.G {
		t.Errorf("where every group is hidden, the middle is %v, want the blue sphere of group 3", c)
	}
}

// Cameras that are none of the model's see what a camera of the model at their place sees, in perspective and with
// parallel rays.
func TestRenderFromMuJoCosPlaces(t *testing.T) {
	t.Run("perspective", func(t *testing.T) { renderFromMuJoCosPlaces(t, "perspective", "false", "50") })
	t.Run("orthographic", func(t *testing.T) { renderFromMuJoCosPlaces(t, physics.Orthographic, "true", "2.5") })
	m := load(t, write(t, `<mujoco><visual><global orthographic="true" fovy="-1"/></visual>
		<worldbody><geom size=".1"/></worldbody></mujoco>`))
	polytest.ErrorContains(t, polytest.Err(cast.NewRenderer(m, physics.View{})), "extent is -1, want")
}

func renderFromMuJoCosPlaces(t *testing.T, projection, orthographic, fovy string) {
	scene := strings.NewReplacer("PROJECTION", projection, "ORTHOGRAPHIC", orthographic, "FOVY", fovy).Replace(`<mujoco>
  <statistic center=".2 -.1 .6" extent="2"/>
  <visual><global azimuth="90" elevation="-30" fovy="FOVY" orthographic="ORTHOGRAPHIC"/></visual>
  <asset><texture name="tiles" type="2d" builtin="checker" rgb1=".2 .3 .4" rgb2=".8 .7 .6" width="64" height="64"/>
    <material name="floor" texture="tiles" texrepeat="4 4"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="50 50 .1" material="floor"/>
    <camera name="scene" projection="PROJECTION" fovy="FOVY" pos=".2 -2.6980762113533159 2.1" xyaxes="1 0 0 0 .5 .8660254037844386"/>
    <camera name="side" projection="PROJECTION" fovy="FOVY" pos="4 1 .5" xyaxes="0 1 0 0 0 1"/>
    <body pos="1 1 .5"><freejoint/><geom type="box" size=".2 .3 .1" mass="1"/></body>
  </worldbody>
</mujoco>`)
	m := load(t, write(t, scene))
	pose := homePose(m)
	for _, c := range []struct {
		view   physics.View
		camera string
	}{
		{physics.View{Camera: "free"}, "scene"},
		{physics.View{Camera: "track", Azimuth: 180, Distance: 3}, "side"},
	} {
		c.view.Width, c.view.Height = 80, 60
		got := drawn(t, renderer(t, m, c.view), 80, 60, pose)
		want := drawn(t, renderer(t, m, physics.View{Width: 80, Height: 60, Camera: c.camera}), 80, 60, pose)
		different := 0
		for i := range got.Pix {
			if max(got.Pix[i], want.Pix[i])-min(got.Pix[i], want.Pix[i]) > 8 {
				different++
			}
		}
		if different > 40 {
			t.Errorf("%+v: %d values differ from those of the camera %s", c.view, different, c.camera)
		}
	}
}

// With one ray a pixel a renderer draws what a caster sees; more smooth the edges, and the best reflect.
func TestQualities(t *testing.T) {
	const scene = `<mujoco>
  <asset><material name="mirror" reflectance=".5" rgba=".2 .3 .4 1"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="50 50 .1" material="mirror"/>
    <camera name="eye" pos="0 -2 1" xyaxes="1 0 0 0 .5 .8"/>
    <body pos="0 0 .5"><freejoint/><geom type="box" size=".2 .3 .1" mass="1" euler="20 30 40" rgba="1 .2 .2 1"/></body>
  </worldbody>
</mujoco>`
	m := load(t, write(t, scene))
	pose := homePose(m)
	const width, height = 64, 48
	by := map[physics.Quality]*image.RGBA{}
	for quality, camera := range map[physics.Quality]cast.Camera{
		physics.Fast:     {Samples: 1},
		physics.Balanced: {Samples: 4},
		physics.Best:     {Samples: 8, Reflections: true},
	} {
		by[quality] = drawn(t, renderer(t, m, physics.View{Width: width, Height: height, Camera: "eye", Quality: quality}),
			width, height, pose)
		camera.Mount, camera.Width, camera.Height = physics.Mount{Camera: "eye"}, width, height
		want := room(1, camera)
		polytest.NoError(t, open(t, m, camera).Cast(0, pose, want))
		for i := range width * height {
			got := [3]byte(by[quality].Pix[4*i:])
			if i/width > height/2 && got != [3]byte(want.RGB[3*i:]) {
				t.Fatalf("quality %d, pixel %d: %v, want %v", quality, i, got, want.RGB[3*i:3*i+3])
			}
		}
	}
	if bytes.Equal(by[physics.Fast].Pix, by[physics.Balanced].Pix) || bytes.Equal(by[physics.Balanced].Pix, by[physics.Best].Pix) {
		t.Error("two qualities draw the same")
	}
}

// The skybox is where it is in MuJoCo's renderer, and a model without one has a sky.
func TestSky(t *testing.T) {
	const scene = `<mujoco>
  <asset>%s</asset>
  <worldbody>
    <camera name="right" xyaxes="0 -1 0 0 0 1"/>
    <camera name="left" xyaxes="0 1 0 0 0 1"/>
    <camera name="up" xyaxes="1 0 0 0 -1 0"/>
    <camera name="down" xyaxes="1 0 0 0 1 0"/>
    <camera name="front" xyaxes="-1 0 0 0 0 1"/>
    <camera name="back" xyaxes="1 0 0 0 0 1"/>
    <body><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>`
	const sky = `<texture type="skybox" builtin="gradient" rgb1="1 0 0" rgb2="0 0 1" width="32" height="192"/>`
	m, plain := load(t, write(t, fmt.Sprintf(scene, sky))), load(t, write(t, fmt.Sprintf(scene, "")))
	look := func(m *mujoco.Model, camera string) *image.RGBA {
		return drawn(t, renderer(t, m, physics.View{Width: 33, Height: 33, Camera: camera}), 33, 33, homePose(m))
	}
	for _, camera := range []string{"right", "left", "front", "back"} {
		for name, p := range map[string]*image.RGBA{"skybox": look(m, camera), "sky": look(plain, camera)} {
			top, low := p.RGBAAt(16, 1), p.RGBAAt(16, 31)
			if name == "skybox" && (top.R <= low.R || top.B >= low.B) || name == "sky" && (low.B < 150 || top.B < 180 ||
				low == top) {
				t.Errorf("%s to the %s: %v above %v", name, camera, top, low)
			}
		}
	}
	for camera, want := range map[string]color.RGBA{"up": {255, 0, 0, 255}, "down": {0, 0, 255, 255}} {
		got := look(m, camera).RGBAAt(16, 16)
		if max(got.R, want.R)-min(got.R, want.R) > 40 || max(got.B, want.B)-min(got.B, want.B) > 40 {
			t.Errorf("the skybox %s is %v, want %v", camera, got, want)
		}
		if c := look(plain, camera).RGBAAt(16, 16); camera == "up" && c != (color.RGBA{86, 132, 186, 255}) {
			t.Errorf("the zenith is %v", c)
		}
	}
}

// A renderer that was opened with looks draws the worlds that have them, with the colours of their skies.
func TestRenderLooks(t *testing.T) {
	text, names := filled(false)
	other, _ := filled(true)
	m, want := load(t, write(t, text)), load(t, write(t, other))
	var looks []physics.Vector
	values := homePose(m)
	for _, name := range names {
		looks = append(looks, polytest.Must(m.Parameter(name))(t))
		values = append(values, polytest.Must(want.Nominal(name))(t)...)
	}
	const width, height = 80, 60
	view := physics.View{Width: width, Height: height, Camera: "eye"}
	got := drawn(t, renderer(t, m, view, looks...), width, height, values)
	plain := drawn(t, renderer(t, m, view), width, height, homePose(m))
	camera := cast.Camera{Mount: physics.Mount{Camera: "eye"}, Width: width, Height: height, Samples: 4}
	seen := room(1, camera)
	polytest.NoError(t, open(t, want, camera).Cast(0, homePose(want), seen))
	off, same := 0, 0
	for i := range 3 * width * height {
		value := got.Pix[i/3*4+i%3]
		if seen.Segmentation[i/3] >= 0 && max(value, seen.RGB[i])-min(value, seen.RGB[i]) > 2 { // colours of the sky are no skybox
			off++
		}
		if value == plain.Pix[i/3*4+i%3] {
			same++
		}
	}
	if off > 3*width*height/100 || same > width*height {
		t.Errorf("of %d values %d are not those of the other model, and %d those without looks", 3*width*height, off, same)
	}
}

// Clips show what cameras of sensors do not see: sites, tendons, skins and flexes that are lines.
func TestRenderShowsSites(t *testing.T) {
	m := load(t, write(t, `<mujoco>
  <worldbody>
    <camera name="eye" pos="0 -3 0" xyaxes="1 0 0 0 0 1"/>
    <site name="left" pos="-.6 0 0" size=".2" rgba="1 0 0 1"/>
    <body><freejoint/><geom size=".01" pos="0 5 0"/><site name="right" pos=".6 0 0" size=".2" rgba="0 1 0 1"/></body>
  </worldbody>
  <tendon><spatial width=".1" rgba="0 0 1 1"><site site="left"/><site site="right"/></spatial></tendon>
</mujoco>`))
	p := drawn(t, renderer(t, m, physics.View{Width: 90, Height: 60, Camera: "eye"}), 90, 60, homePose(m))
	for x, channel := range map[int]int{30: 0, 60: 1, 45: 2} {
		c := p.RGBAAt(x, 30)
		rgb := [3]uint8{c.R, c.G, c.B}
		for k, v := range rgb {
			if k != channel && v > rgb[channel]/2 {
				t.Errorf("column %d is %v, want mostly that of channel %d", x, c, channel)
			}
		}
	}
}

func TestRendererErrors(t *testing.T) {
	m := polytest.Must(mujoco.Load(write(t, boxModel), mujoco.Options{}))(t)
	for _, c := range []struct {
		view physics.View
		want string
	}{
		{physics.View{Camera: "abov"}, "above"},
		{physics.View{Width: -1, Height: 9}, "width is -1, want 1 to 4096"},
		{physics.View{Width: 9, Height: 5000}, "height is 5000, want 1 to 4096"},
	} {
		polytest.ErrorContains(t, polytest.Err(cast.NewRenderer(m, c.view)), c.want)
	}
	r := renderer(t, m, physics.View{Width: 8, Height: 6})
	small, pose := image.NewRGBA(image.Rect(0, 0, 8, 5)), homePose(m)
	polytest.ErrorContains(t, physics.Render(r, pose, small), "8 × 5 pixels, want 8 × 6")
	polytest.ErrorContains(t, physics.Render(r, pose[1:], small), "a pose of 13 values, want 14")
	polytest.ErrorContains(t, r.SetScenery([]float64{1}), "scenery of 1 values, want none")
	polytest.ErrorContains(t, m.Close(), "1 open")
	polytest.NoError(t, r.Close())
	polytest.ErrorContains(t, physics.Render(r, pose, small), "closed")
	polytest.NoError(t, m.Close())
	colour := polytest.Must(m.Parameter("geom_friction/#0"))(t)
	polytest.ErrorContains(t, polytest.Err(cast.NewRenderer(load(t, write(t, boxModel)), physics.View{}, colour)),
		`"geom_friction/#0" of 3 values cannot be seen`)
}

// BenchmarkRender draws the picture of a clip.
func BenchmarkRender(b *testing.B) {
	m := load(b, "../../configs/quadruped.xml")
	pose, picture := homePose(m), image.NewRGBA(image.Rect(0, 0, 640, 480))
	for _, quality := range []physics.Quality{physics.Fast, physics.Balanced, physics.Best} {
		b.Run(fmt.Sprint(quality), func(b *testing.B) {
			r := renderer(b, m, physics.View{Quality: quality})
			for b.Loop() {
				polytest.NoError(b, physics.Render(r, pose, picture))
			}
		})
	}
}
