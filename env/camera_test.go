package env

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// seeing is a robot with a camera at 30 Hz, and a channel that has the poses of its pictures.
func seeing(t *testing.T, sets ...string) *configs.Config {
	t.Helper()
	const text = `
task: {name: Ant-v5}
worlds: 5
max_steps: 13
runners: [{name: Robot, rate: 20}, {name: Capture, rate: 30}]
recording: {enabled: false}
sensors:
  - {name: front, runner: Capture, latency: 15ms, camera: {body: torso, position: [0.5, 0, 1],
     quaternion: [0.5, 0.5, -0.5, -0.5], fovy: 70, width: 9, height: 6, kinds: [segmentation, rgb, depth],
     max_distance: 3, samples: 3, reflections: true}}
  - {name: poses, runner: Capture, latency: 15ms, sources: [pose]}
`
	cfg, err := configs.Parse("seeing.yaml", []byte(text), sets, nil)
	polytest.NoError(t, err)
	if e, err := Open(cfg, OpenOptions{}); err == nil {
		polytest.NoError(t, e.Close())
	} else if strings.Contains(err.Error(), "libembree3-3") {
		t.Skip(err)
	}
	return cfg
}

// watching is a binding that calls f for a world at each step with the picture, its pose and what else is known of it.
func watching(t *testing.T, f func(w *sim.World, picture, pose []float64, about string)) sim.Binding {
	return sim.Binding{Binding: runners.Binding{Name: "watching", Runner: "Robot", Phase: runners.Control, Priority: 200},
		Call: func(_ *runners.StepContext, w *sim.World) {
			picture, pose := make([]float64, 9*6*5), make([]float64, 15)
			ns, ok := w.Read(picture, 0)
			if ns2, ok2 := w.Read(pose, 1); ns != ns2 || ok != ok2 || ok && ns > w.NS()-15_000_000 {
				t.Errorf("at %d ns the picture is of %d, %v, its pose of %d, %v", w.NS(), ns, ok, ns2, ok2)
			}
			f(w, picture, pose, fmt.Sprint(w.Episode(), w.NS(), ns, ok))
		}}
}

// A picture is what a caster of one's own takes in the pose of the picture's stamp, by pixels and then by kinds.
func TestCameraShowsItsPose(t *testing.T) {
	cfg := seeing(t)
	var caster *cast.Caster
	checked := 0
	e := open(t, cfg, OpenOptions{Workers: 1, Bindings: []sim.Binding{watching(t,
		func(_ *sim.World, picture, pose []float64, about string) {
			into := cast.Pictures{RGB: make([]byte, 9*6*3), Depth: make([]float32, 9*6), Segmentation: make([]int32, 9*6)}
			polytest.NoError(t, caster.Cast(0, pose, into))
			var want []float64
			for i := range 9 * 6 {
				want = append(want, float64(into.Segmentation[i]), float64(into.RGB[3*i])/255, float64(into.RGB[3*i+1])/255,
					float64(into.RGB[3*i+2])/255, min(3, float64(into.Depth[i])))
			}
			polytest.EqualSlices(t, picture, want, "%s", about)
			checked++
		})}})
	var err error
	caster, err = cast.Open(e.Model().(physics.Optical), []cast.Camera{{Mount: physics.Mount{Body: "torso",
		Position: [3]float64{0.5, 0, 1}, Quaternion: [4]float64{0.5, 0.5, -0.5, -0.5}}, FieldOfView: 70, Width: 9,
		Height: 6, Samples: 3, Reflections: true}})
	polytest.NoError(t, err)
	play(t, e, 30, 7)
	polytest.NoError(t, caster.Close())
	polytest.Equal(t, checked, 30*5, "pictures")
	info := e.Sim().Sensors().Info(0)
	polytest.Equal(t, info.Picture, [3]int{6, 9, 5}, "height, width and channels")
	described := open(t, seeing(t, "sensors=[{name: front, runner: Robot, camera: {name: track, width: 4, height: 3}}]"),
		OpenOptions{}).Sim().Sensors().Info(0)
	for _, c := range [][2]string{
		{info.Model(), `camera([0.5 0 1] [0.5 0.5 -0.5 -0.5] on "torso", 9 × 6, fovy 70, segmentation,rgb,depth, to 3 m, 3 samples, reflections)`},
		{described.Model(), "camera(track, 4 × 3, fovy 45, rgb, to "},
	} {
		if !strings.HasPrefix(c[0], c[1]) {
			t.Errorf("the camera is %q, want %q", c[0], c[1])
		}
	}
}

// Workers, and a snapshot in the middle of an episode, change no picture; errors act on them as on any channel.
func TestDeterminismOfCameras(t *testing.T) {
	cfg := seeing(t, `sensors=[{name: front, runner: Capture, latency: 15ms, history: 2, dropout: 0.3, `+
		`noise: {std: 0.01}, camera: {body: torso, position: [0, 0, 2], width: 9, height: 15, kinds: [depth]}}, `+
		`{name: poses, runner: Capture, latency: 15ms, dropout: 0, sources: [pose]}]`)
	run := func(workers, from, to int, at *State) (seen []string, end State) {
		by := make([][]string, 5)
		e := open(t, cfg, OpenOptions{Workers: workers, Continue: at, Bindings: []sim.Binding{{
			Binding: runners.Binding{Name: "watching", Runner: "Robot", Phase: runners.Control, Priority: 200},
			Call: func(_ *runners.StepContext, w *sim.World) {
				picture := make([]float64, 2*9*15)
				ns, ok := w.Read(picture, 0)
				by[w.Index()] = append(by[w.Index()], fmt.Sprint(w.Episode(), w.NS(), ns, ok, picture))
			}}}})
		playSteps(t, e, from, to, 7)
		end = polytest.Must(e.State())(t)
		polytest.NoError(t, e.Close())
		return slices.Concat(by...), end
	}
	want, _ := run(1, 0, 28, nil)
	got, _ := run(3, 0, 28, nil)
	polytest.EqualSlices(t, got, want, "three workers")
	first, middle := run(2, 0, 21, nil)
	rest, _ := run(1, 21, 28, &middle)
	for i := range 5 {
		polytest.EqualSlices(t, slices.Concat(first[21*i:21*i+21], rest[7*i:7*i+7]), want[28*i:28*i+28], "continued")
	}
}

// A camera's converter has 8 bits: colours with errors are the nearest bytes divided by 255 to those of a channel of a plain
// vector, unless a quantisation is given. Normals and depths with errors are float32s. Terms leave float32s, too.
func TestPicturesWithErrors(t *testing.T) {
	const eye = ", camera: {body: torso, position: [0.5, 0, 0.3], quaternion: [0.5, 0.5, -0.5, -0.5], fovy: 70, " +
		"max_distance: 3, width: 6, height: 8, kinds: "
	channels := []string{"{name: exact, runner: Robot" + eye + "[rgb]}}", "{name: rgb, runner: Robot, noise: {std: 0.2}" + eye + "[rgb]}}",
		"{name: steps, runner: Robot, noise: {std: 0.2}, quantisation: 0.3" + eye + "[rgb]}}",
		"{name: normals, runner: Robot, noise: {std: 0.2}" + eye + "[normals]}}",
		"{name: depth, runner: Robot, noise: {std: 0.2}" + eye + "[depth]}}"}
	least, most, squares, n := 1.0, 0.0, 0.0, 0
	e := open(t, seeing(t, "sensors=["+strings.Join(channels, ", ")+"]"), OpenOptions{Bindings: []sim.Binding{{
		Binding: runners.Binding{Name: "watching", Runner: "Robot", Phase: runners.Control, Priority: 200},
		Call: func(_ *runners.StepContext, w *sim.World) {
			if w.Index() > 0 {
				return
			}
			var pictures [5][]float64
			for i := range pictures {
				pictures[i] = make([]float64, []int{144, 144, 144, 144, 48}[i])
				w.Read(pictures[i], i)
			}
			for i, v := range pictures[1] {
				if b := math.Round(255 * v); v != b/255 || b < 0 || b > 255 {
					t.Errorf("colour %d is %v, want a byte divided by 255", i, v)
				}
				if exact := pictures[0][i]; exact > 0.4 && exact < 0.6 {
					squares, n = squares+(v-exact)*(v-exact), n+1
				}
				least, most = min(least, v), max(most, v)
			}
			for i, v := range pictures[2] {
				if steps := v / 0.3; math.Abs(steps-math.Round(steps)) > 1e-6 {
					t.Errorf("colour %d is %v, want a multiple of 0.3", i, v)
				}
			}
			for _, picture := range pictures[2:] {
				for i, v := range picture {
					if float64(float32(v)) != v {
						t.Errorf("value %d is %v, want a float32", i, v)
					}
				}
			}
		}}}})
	play(t, e, 30, 30)
	polytest.NoError(t, e.Close())
	if least != 0 || most != 1 {
		t.Errorf("colours with errors are %v to %v, want 0 to 1", least, most)
	}
	if deviation := math.Sqrt(squares / float64(n)); n < 500 || math.Abs(deviation-0.2) > 0.02 {
		t.Errorf("%d colours are off by %v, want 0.2", n, deviation)
	}
}

// Errors leave the pixels and rays alone that show nothing, and take no other beyond; nothing is at the end of the
// sensor's range.
func TestErrorsLeaveNothingAlone(t *testing.T) {
	const eye = ", camera: {body: torso, position: [0.5, 0, 0.3], quaternion: [0.5, 0.5, -0.5, -0.5], fovy: 70, " +
		"width: 6, height: 8, kinds: [depth], max_distance: 3}"
	const scan = ", scan: {frame: body/torso, geoms: true, pattern: pinhole, width: 6, height: 8, ray_alignment: base, " +
		"fovy: 150, max_distance: 1.5}"
	errors := []string{"", ", noise: {std: 0.01}", ", bias: {std: 0.01, walk: 0.1}", ", quantisation: 0.7",
		", noise: {std: 0.01}, saturation: {low: 0.1, high: 2.75}"}
	var channels []string
	for i, kind := range []string{eye, scan} {
		for k, more := range errors {
			if i == 1 {
				more = strings.Replace(more, "high: 2.75", "high: 1.25", 1)
			}
			channels = append(channels, fmt.Sprintf("{name: c%d, runner: Robot%s%s}", i*len(errors)+k, kind, more))
		}
	}
	var nothing, changed [10]int
	e := open(t, seeing(t, "sensors=["+strings.Join(channels, ", ")+"]"), OpenOptions{Bindings: []sim.Binding{{
		Binding: runners.Binding{Name: "watching", Runner: "Robot", Phase: runners.Control, Priority: 200},
		Call: func(_ *runners.StepContext, w *sim.World) {
			if w.Index() > 0 {
				return
			}
			exact, got := make([]float64, 6*8), make([]float64, 6*8)
			for i := range channels {
				w.Read(exact, i/len(errors)*len(errors))
				w.Read(got, i)
				far := []float64{3, 1.5}[i/len(errors)]
				if i%len(errors) == 4 {
					far -= 0.25
				}
				for p, v := range got {
					switch {
					case exact[p] >= far:
						nothing[i]++
						if v != far {
							t.Errorf("channel %d: pixel %d is %v where nothing is seen, want %v", i, p, v, far)
						}
					case v != exact[p]:
						changed[i]++
						fallthrough
					default:
						if v > far || i%len(errors) > 0 && v == exact[p] {
							t.Errorf("channel %d: pixel %d of %v is %v", i, p, exact[p], v)
						}
					}
				}
			}
		}}}})
	play(t, e, 5, 5)
	for i := range channels {
		if nothing[i] == 0 || (changed[i] == 0) != (i%len(errors) == 0) {
			t.Errorf("channel %d: %d pixels show nothing, and errors changed %d", i, nothing[i], changed[i])
		}
	}
}

func TestStepsWithCamerasAllocateNothing(t *testing.T) {
	e := open(t, seeing(t), OpenOptions{Workers: 1, Bindings: []sim.Binding{{
		Binding: runners.Binding{Name: "watching", Runner: "Robot", Phase: runners.Control, Priority: 200},
		Call: func() func(*runners.StepContext, *sim.World) {
			picture := make([]float64, 9*6*5)
			return func(_ *runners.StepContext, w *sim.World) { w.Read(picture, 0) }
		}()}}})
	allocatesNothing(t, e.Sim().Each)
}

func TestCameraErrors(t *testing.T) {
	const segmented = "{name: track, width: 4, height: 4, kinds: [segmentation], "
	seeing(t)
	for _, c := range []struct{ camera, want string }{
		{"{name: trakc, width: 4, height: 4}", `camera "trakc"`},
		{"{body: torsp, width: 4, height: 4}", `sensor channel "front": camera: cast: mujoco: unknown body "torsp": ` +
			`the nearest known one is "torso"`},
		{"{name: track, body: torso, width: 4, height: 4}", "want a camera of the model or a place"},
		{"{width: 4, height: 4}", "want a camera of the model, or body"},
		{"{position: [0, 0, 1], quaternion: [0, 0, 0, 0], width: 4, height: 4}", "quaternion is [0 0 0 0], want w, x, y and z"},
		{"{name: track, width: 4}", "height is 0, want 1 to"},
		{"{name: track, width: 4, height: 4, kinds: [rgbd]}", "camera.kinds[0] is"},
		{"{name: track, width: 4, height: 4, kinds: [rgb, rgb]}", "want each once"},
		{"{name: track, width: 4000, height: 4000}", "sensors[0].camera.width is 4000: rgb of 48000000 values"},
		{"{name: track, width: 1025, height: 1024, kinds: [segmentation, depth]}",
			"sensors[0].camera.width is 1025: segmentation of 1049600 values"},
		{"{name: track, width: 4, height: 4, samples: 65}", "sensors[0].camera.samples is 65, want 0 to 64"},
		{"{name: track, width: 4, height: 4, kinds: [depth], samples: 2}", "camera.kinds are depth with samples"},
		{"{name: track, width: 4, height: 4, fovy: 0}", "sensors[0].camera.fovy is 0, want 0.1 to 170"},
		{"{name: track, width: 4, height: 4}, sources: [qpos]", "want one of them"},
		{"{name: track, width: 4, height: 4, distortion: [0, 0, 0, 0, -11]}", "camera.distortion[4] is -11, want -10 to 10"},
		{"{name: track, width: 4, height: 4, instances: body}", "camera.kinds are rgb with classes or instances, want segmentation among them"},
		{segmented + "instances: geoms}", `camera.instances is "geoms", want`},
		{segmented + "instances: body, classes: [{name: a, geoms: [floor]}]}", "camera.instances is body with classes, want one of"},
		{segmented + "classes: [{geoms: [floor]}]}", "camera.classes[0].name: not given"},
		{segmented + "classes: [{name: a, geoms: [floor]}, {name: a, bodies: [torso]}]}", `camera.classes[1].name is "a", the name of`},
		{segmented + "classes: [{name: a}]}", "camera.classes[0] has neither geoms nor bodies"},
		{segmented + "classes: [{name: a, geoms: ['(']}]}", `camera.classes[0].geoms[0] is "(", want a regular expression`},
		{segmented + "classes: [{name: a, geoms: [floor, flor]}]}", `classes[0].geoms[1]: no geom that cameras see matches "flor"`},
		{segmented + "classes: [{name: a, bodies: [torsi]}]}", `classes[0].bodies[0]: no body that cameras see matches "torsi"`},
		{segmented + "classes: [{name: a, geom: [floor]}]}", "geom"},
		{"{name: track, width: 4, height: 4, distortion: [0, 1]}", "want a list of 5 values"},
		{"{name: track, width: 8, height: 6, distortion: [-5, 0, 0, 0, 0]}",
			"bends no ray to the pixel in column 0 and row 0, want a weaker one"},
		{"{name: track, width: 4, height: 4, kinds: [rgb, depth]}, noise: {std: 1}", "want one kind"},
		{"{name: track, width: 4, height: 4, kinds: [segmentation]}, noise: {std: 1}", "they are numbers of geoms"},
		{"{name: track, width: 4, height: 4, kinds: [segmentation]}, quantisation: 1", "they are numbers of geoms"},
	} {
		cfg, err := configs.Parse("c.yaml", []byte("task: {name: Ant-v5}\n"+
			"sensors: [{name: front, runner: Robot, camera: "+c.camera+"}]\n"), nil, nil)
		if err == nil {
			var e *Env
			if e, err = Open(cfg, OpenOptions{}); err == nil {
				e.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q in a line", c.camera, err, c.want)
		}
	}
	pendulum := polytest.Must(configs.Parse("c.yaml", []byte("task: {name: LunarLander-v3}\nsensors: "+
		"[{name: front, runner: Robot, camera: {name: a, width: 4, height: 4}}]\n"), nil, nil))(t)
	if e, err := Open(pendulum, OpenOptions{}); err == nil {
		e.Close()
		t.Error("a camera in a scene of Box2D was opened")
	} else {
		t.Log(err)
	}
}

// A task says what the channels of observed pictures are, and which factor undoes the scale of an observation.
func TestLayersOfObservedPictures(t *testing.T) {
	const camera = "runner: Robot, camera: {body: trunk, position: [1, 0, 1], width: 2, height: 1, kinds: "
	seeing(t)
	e := open(t, polytest.Must(configs.Parse("layers.yaml", []byte(`
task: {name: layers}
recording: {enabled: false}
runners: [{name: Robot, rate: 50}]
scene: {models: [{file: "builtin:quadruped.xml"}]}
start: {keyframe: home}
actions: [{term: joint_position}]
terminations: [{term: time_out}]
sensors:
  - {name: front, `+camera+`[depth, rgb]}}
  - {name: back, history: 2, `+camera+`[segmentation]}}
observations:
  policy:
    - {term: base_ang_vel}
    - {term: sensor, channel: front}
    - {term: sensor, name: halved, channel: front, scale: 0.5, history: 2}
    - {term: sensor, name: mixed, channel: front, scale: [4, 1, 2, 3, 4, 1, 2, 3]}
    - {term: sensor, name: none, channel: back, scale: 0}
  critic:
    - {term: sensor, name: sensor, channel: back}
    - {term: sensor, name: back, channel: front}
    - {term: sensor, name: near, channel: front, clip: [0, 5]}
    - {term: sensor, name: dark, channel: front, clip: [0, 0.5], scale: 2}
    - {term: sensor, name: noisy, channel: front, noise: {std: 0.1}}
`), nil, nil))(t), OpenOptions{})
	far := e.Sim().Sensors().Info(0).Far
	front := fmt.Sprintf("[{depth 1 1 1 %v false} {rgb 3 255 1 0 false}]}", far)
	halved := fmt.Sprintf("halved [{depth 1 2 0.5 %v false} {rgb 3 510 0.5 0 false}]}", far)
	polytest.Equal(t, fmt.Sprint(e.Sim().Spec().Pictures), "["+strings.Join([]string{
		"{3 1 2 4 front " + front,
		"{11 1 2 4 " + halved, "{19 1 2 4 " + halved,
		fmt.Sprintf("{27 1 2 4 mixed [{depth 1 0.25 4 %v false} {rgb 3 0 1 0 true}]}", far),
		"{35 1 2 1 none [{segmentation 1 0 0 0 false}]}", "{37 1 2 1 none [{segmentation 1 0 0 0 false}]}",
		"{39 1 2 1 critic/sensor [{segmentation 1 1 1 0 false}]}", "{41 1 2 1 critic/sensor [{segmentation 1 1 1 0 false}]}",
		"{43 1 2 4 critic/back " + front,
		"{51 1 2 4 critic/near [{depth 1 1 1 5 false} {rgb 3 255 1 0 false}]}", // as if the camera saw no farther
		"{59 1 2 4 critic/dark [{depth 1 0.5 2 0.5 false} {rgb 3 127.5 2 0 true}]}",
		fmt.Sprintf("{67 1 2 4 critic/noisy [{depth 1 1 1 %v true} {rgb 3 255 1 0 true}]}", far),
	}, " ")+"]", "pictures")
}

// A camera sees a scene in which nothing moves, in each world and episode.
func TestCameraOfAStillScene(t *testing.T) {
	path := filepath.Join(t.TempDir(), "still.xml")
	polytest.NoError(t, os.WriteFile(path, []byte(`<mujoco>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <geom type="box" size=".5 .5 .5" pos="0 3 1"/>
    <body name="pad"><geom size=".1" pos="1 3 1"/></body>
    <camera name="eye" pos="0 0 1" xyaxes="1 0 0 0 0 1"/>
  </worldbody>
  <actuator><adhesion name="grip" body="pad" ctrlrange="0 1"/></actuator>
</mujoco>`), 0o600))
	seeing(t) // skips without Embree
	cfg, err := configs.Parse("still.yaml", []byte(`
task: {name: still}
scene: {models: [{file: `+path+`}], floor: false}
worlds: 2
max_steps: 3
runners: [{name: Robot, rate: 50}]
recording: {enabled: false}
sensors: [{name: front, runner: Robot, camera: {name: eye, width: 9, height: 6,
  kinds: [depth, segmentation, normals]}}]
actions: [{term: actuator_control, actuators: [grip]}]
observations: {policy: [{term: sensor, channel: front}]}
rewards: [{term: is_alive, weight: 1}]
terminations: [{term: time_out}]
`), nil, nil)
	polytest.NoError(t, err)
	into := cast.Pictures{Depth: make([]float32, 9*6), Segmentation: make([]int32, 9*6), Normals: make([]float32, 9*6*3)}
	checked := 0
	e := open(t, cfg, OpenOptions{Workers: 1, Bindings: []sim.Binding{{
		Binding: runners.Binding{Name: "watching", Runner: "Robot", Phase: runners.Control, Priority: 200},
		Call: func(_ *runners.StepContext, w *sim.World) {
			picture := make([]float64, 5*9*6)
			w.Read(picture, 0)
			for i, label := range into.Segmentation {
				want := []float64{float64(into.Depth[i]), float64(label)}
				for _, v := range into.Normals[3*i : 3*i+3] {
					want = append(want, float64(v))
				}
				polytest.EqualSlices(t, picture[5*i:5*i+5], want, "pixel %d", i)
			}
			checked++
		}}}})
	caster := polytest.Must(cast.Open(e.Model().(physics.Optical), []cast.Camera{{Mount: physics.Mount{Camera: "eye"},
		Width: 9, Height: 6}}))(t)
	polytest.NoError(t, caster.Cast(0, nil, into))
	polytest.NoError(t, caster.Close())
	polytest.Equal(t, into.Segmentation[9*3+4], 1, "label of the box in the middle")
	if n := into.Normals[3*(9*3+4):]; math.Abs(float64(n[0])) > 1e-6 || math.Abs(float64(n[1])) > 1e-6 || n[2] != -1 {
		t.Errorf("normal of the box in the middle is %v, want 0 0 -1", n[:3])
	}
	play(t, e, 7, 7)
	polytest.Equal(t, checked, 2*7, "pictures")
}
