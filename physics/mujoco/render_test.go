package mujoco

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
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
func homePose(t testing.TB, m *Model) []float64 {
	t.Helper()
	row := make([]float64, m.StateSize())
	m.InitialState(row)
	var pose []float64
	for _, field := range []string{"qpos", "mocap_pos", "mocap_quat"} {
		span := polytest.Must(m.Field(field))(t)
		pose = append(pose, span.In(row)...)
	}
	return pose
}

// renderer opens a renderer and closes it at the end of the test.
func renderer(t testing.TB, m *Model, view physics.View) physics.Renderer {
	t.Helper()
	r := polytest.Must(m.NewRenderer(view))(t)
	t.Cleanup(func() { polytest.NoError(t, r.Close()) })
	return r
}

// picture draws a pose.
func picture(t testing.TB, r physics.Renderer, width, height int, pose []float64) *image.RGBA {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	polytest.NoError(t, physics.Render(r, pose, picture))
	return picture
}

// red reports whether a pixel is of the box, in shadow or in the light.
func red(c color.RGBA) bool { return c.R > 60 && float64(c.G) < 0.6*float64(c.R) && c.A == 255 }

func TestRender(t *testing.T) {
	m := open(t, write(t, boxModel), Options{})
	pose := homePose(t, m)
	for _, camera := range []string{"track", "free", "above"} {
		r := renderer(t, m, physics.View{Width: 80, Height: 60, Camera: camera})
		first := picture(t, r, 80, 60, pose)
		if camera != "free" {
			if c := first.RGBAAt(40, 30); !red(c) {
				t.Errorf("%s: the box in the middle is %v, want red", camera, c)
			}
		}
		if c := first.RGBAAt(40, 1); camera == "track" && (c.B <= c.R || c == color.RGBA{A: 255}) {
			t.Errorf("%s: the sky is %v, want blue", camera, c)
		}
		moved := append([]float64{}, pose...)
		moved[0] += 0.7
		if second := picture(t, r, 80, 60, moved); bytes.Equal(first.Pix, second.Pix) {
			t.Errorf("%s: the box moved, and the picture is the same", camera)
		}
		moved = append([]float64{}, pose...)
		moved[8] -= 2.5
		if second := picture(t, r, 80, 60, moved); bytes.Equal(first.Pix, second.Pix) {
			t.Errorf("%s: the mocap body moved, and the picture is the same", camera)
		}
		if again := picture(t, r, 80, 60, pose); !bytes.Equal(first.Pix, again.Pix) {
			t.Errorf("%s: the same pose gave another picture", camera)
		}
	}
}

// The first picture is no exception, here of a model whose light follows it.
func TestRenderRepeats(t *testing.T) {
	m := open(t, "../../configs/quadruped.xml", Options{})
	r := renderer(t, m, physics.View{Width: 120, Height: 90})
	pose := homePose(t, m)
	first := picture(t, r, 120, 90, pose)
	if second := picture(t, r, 120, 90, pose); !bytes.Equal(first.Pix, second.Pix) {
		t.Error("the second picture of a pose differs from the first")
	}
	own := renderer(t, m, physics.View{Width: 120, Height: 90, Azimuth: 33})
	if bytes.Equal(first.Pix, picture(t, own, 120, 90, pose).Pix) {
		t.Error("the model's camera is taken where the view says another place")
	}
}

// A camera that follows the robot keeps it in the middle, and a smoothed focus moves it.
func TestRenderFollows(t *testing.T) {
	m := open(t, write(t, boxModel), Options{})
	r := renderer(t, m, physics.View{Width: 80, Height: 60})
	pose := homePose(t, m)
	pose[0], pose[1] = 2.5, -1
	if c := picture(t, r, 80, 60, pose).RGBAAt(40, 30); !red(c) {
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
		m := open(t, write(t, fmt.Sprintf(world, actuators)), Options{})
		pose := homePose(t, m)
		pose[7] = 0.5
		focus, err := renderer(t, m, physics.View{Width: 8, Height: 8}).Focus(pose)
		if err != nil || focus != want {
			t.Errorf("%s: focus %v, %v, want %v", actuators, focus, err, want)
		}
	}
}

// A robot whose geoms are all in hidden groups is shown all the same.
func TestRenderHiddenGroups(t *testing.T) {
	m := open(t, write(t, strings.Replace(boxModel, `mass="1"/>`, `mass="1" group="4"/>`, 1)), Options{})
	m2 := open(t, write(t, strings.Replace(strings.Replace(boxModel, `mass="1"/>`, `mass="1" group="4"/>`, 1),
		`<body name="goal" mocap="true" pos="0 3 .5"><geom `, `<body name="goal" mocap="true" pos="0 3 .5"><geom group="4" `,
		1)), Options{})
	shown := picture(t, renderer(t, m, physics.View{Width: 80, Height: 60, Camera: "above"}), 80, 60,
		homePose(t, m)).RGBAAt(40, 30)
	if red(shown) {
		t.Errorf("with a visible mocap body the hidden box is %v, want the floor", shown)
	}
	shown = picture(t, renderer(t, m2, physics.View{Width: 80, Height: 60, Camera: "above"}), 80, 60,
		homePose(t, m2)).RGBAAt(40, 30)
	if shown.B < 60 || shown.B < shown.R || shown.B < shown.G {
		t.Errorf("where every group is hidden, the middle is %v, want the blue sphere of group 3", shown)
	}
}

func TestRendererErrors(t *testing.T) {
	m := open(t, write(t, boxModel), Options{})
	for _, c := range []struct {
		view physics.View
		want string
	}{
		{physics.View{Camera: "abov"}, "above"},
		{physics.View{Width: -1, Height: 9}, "width is -1, want 1 to 4096"},
		{physics.View{Width: 9, Height: 5000}, "height is 5000, want 1 to 4096"},
	} {
		polytest.ErrorContains(t, polytest.Err(m.NewRenderer(c.view)), c.want)
	}
	r := renderer(t, m, physics.View{Width: 8, Height: 6})
	small, pose := image.NewRGBA(image.Rect(0, 0, 8, 5)), homePose(t, m)
	polytest.ErrorContains(t, physics.Render(r, pose, small), "8 × 5 pixels, want 8 × 6")
	polytest.ErrorContains(t, physics.Render(r, pose[1:], small), "a pose of 13 values, want 14")
	polytest.ErrorContains(t, m.Close(), "1 open")
	polytest.NoError(t, r.Close())
	polytest.ErrorContains(t, physics.Render(r, pose, small), "closed")
	t.Setenv(GLVariable, "directx")
	polytest.ErrorContains(t, polytest.Err(m.NewRenderer(physics.View{})),
		`POLYRHYTHM_GL is "directx", want egl, osmesa or auto`)
}

// hashVariable makes TestHelperHash print the hash of a few pictures.
const hashVariable = "POLYTEST_RENDER_HASH"

func TestHelperHash(t *testing.T) {
	if os.Getenv(hashVariable) == "" {
		t.Skip("run by TestSameBytesLong")
	}
	sum := sha256.New()
	for _, path := range []string{hopper, cheetah} {
		m := open(t, path, Options{})
		for _, quality := range []physics.Quality{physics.Balanced, physics.Fast, physics.Best} {
			r := polytest.Must(m.NewRenderer(physics.View{Width: 160, Height: 120, Quality: quality}))(t)
			sum.Write(picture(t, r, 160, 120, homePose(t, m)).Pix)
			r.Close()
		}
	}
	fmt.Printf("hash %x\n", sum.Sum(nil))
}

// hashOf runs TestHelperHash in a process of its own with variables of the environment.
func hashOf(t *testing.T, variables ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperHash$", "-test.v")
	cmd.Env = append(append(os.Environ(), hashVariable+"=1"), variables...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out)
	}
	_, hash, found := strings.Cut(string(out), "hash ")
	if !found {
		t.Fatalf("no hash in %s", out)
	}
	return strings.Fields(hash)[0]
}

// Pictures of one Mesa are the same bytes by EGL and by OSMesa, and from run to run.
func TestSameBytesLong(t *testing.T) {
	polytest.OnlySlow(t)
	egl, again, osmesa := hashOf(t, GLVariable+"=egl"), hashOf(t, GLVariable+"=egl"), hashOf(t, GLVariable+"=osmesa")
	for _, hash := range []string{egl, osmesa} {
		if strings.Contains(hash, "cannot draw") {
			t.Skipf("one of EGL and OSMesa is not installed: %s", hash)
		}
	}
	if len(egl) != 64 || egl != again || egl != osmesa {
		t.Errorf("EGL gave %s, then %s, OSMesa %s; want the same", egl, again, osmesa)
	}
}

// Without a driver the error names the packages.
func TestRenderWithoutEGL(t *testing.T) {
	out := hashOf(t, GLVariable+"=egl", "__EGL_VENDOR_LIBRARY_DIRS=/nowhere", "LIBGL_DRIVERS_PATH=/nowhere")
	if !strings.Contains(out, "cannot draw by EGL, want the packages libegl1 libegl-mesa0 libgl1-mesa-dri "+
		"(Debian's names) or POLYRHYTHM_GL=osmesa") {
		t.Errorf("without EGL: %s", out)
	}
}
