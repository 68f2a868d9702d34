package env

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// many is a scene of many geoms, in which a robot with sites for rays moves among some that stand still and some that
// fall. PARTS are more of the robot; SITES are its sites, and RANGERS MuJoCo's sensors at them.
const many = `<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  .6 0 0  0 .6 0  0 0 .6  .5 .5 .1"/>
    <hfield name="hills" nrow="5" ncol="7" size="1.5 1 .4 .1"
      elevation="0 1 0 2 0 1 3  1 0 2 0 1 0 1  0 3 1 2 0 2 0  1 0 0 1 2 0 1  0 1 2 0 1 3 0"/>
  </asset>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <geom name="ground" type="plane" size="4 4 1" pos="0 0 -.5"/>
    <geom type="hfield" hfield="hills" pos="1.8 -1.5 -.4"/>
    <geom type="box" size=".3 .2 .4" pos="-1.5 1.5 .4" euler="0 0 30"/>
    <geom type="cylinder" size=".2 .5" pos="1.2 1.4 .5" euler="30 0 0"/>
    <geom type="capsule" size=".2 .5" pos="-1.2 -1.4 .5" euler="0 40 0"/>
    <geom type="mesh" mesh="wedge" pos="1.5 0 .2"/>
    <body name="robot" pos="0 0 .6">
      <joint name="x" type="slide" axis="1 0 0" damping="1"/>
      <joint name="y" type="slide" axis="0 1 0" damping="1"/>
      <joint name="turn" axis="0 0 1" damping=".1"/>
      <joint name="nod" axis="0 1 0" damping=".1"/>
      <geom type="sphere" size=".05" mass="1"/>
      SITES
      PARTS
    </body>
    <body name="crate" pos="-.5 1 1.2" euler="20 30 0"><freejoint/><geom type="box" size=".2 .1 .3" mass="1"/></body>
    <body name="ball" pos=".8 .8 1"><freejoint/><geom type="sphere" size=".25" mass="1"/></body>
    <body name="egg" pos="-1 0 1"><freejoint/><geom type="ellipsoid" size=".3 .15 .2" mass="1"/></body>
    <body name="chip" pos="0 -1.2 1"><freejoint/><geom type="mesh" mesh="wedge" mass="1"/></body>
  </worldbody>
  <actuator><motor joint="x" gear="4"/><motor joint="y" gear="4"/><motor joint="turn"/><motor joint="nod"/></actuator>
  <sensor>RANGERS</sensor>
</mujoco>`

// ranging opens the scene with sensors of its configuration, or skips the test where there is no Embree.
func ranging(t *testing.T, model, sensors string, bindings []sim.Binding, sets ...string) *Env {
	t.Helper()
	path := filepath.Join(t.TempDir(), "many.xml")
	polytest.NoError(t, os.WriteFile(path, []byte(model), 0o600))
	text := `
task: {name: ranging}
worlds: 5
runners: [{name: Robot, rate: 25}]
recording: {enabled: false}
scene: {models: [{file: ` + path + `}], floor: false}
episode: 600ms
actions: [{term: joint_effort, scale: 4}]
observations: {policy: [{term: joint_pos_rel, joints: [x, y]}]}
rewards: [{name: none, expr: "0", weight: 1}]
terminations: [{term: time_out}]
sensors: [` + sensors + "]\n"
	cfg := polytest.Must(configs.Parse("ranging.yaml", []byte(text), sets, nil))(t)
	e, err := Open(cfg, OpenOptions{Workers: 2, Bindings: bindings})
	if err != nil && strings.Contains(err.Error(), "libembree3-3") {
		t.Skip(err)
	}
	polytest.NoError(t, err)
	t.Cleanup(func() { polytest.NoError(t, e.Close()) })
	return e
}

// A scan of geoms is what MuJoCo's own rays meet, of shapes of every kind, those that fall included.
func TestScanOfGeomsAgainstEngineRays(t *testing.T) {
	const rays = 12
	random := rand.New(rand.NewPCG(5, 6))
	var sites, rangers, scans, names []string
	for i := range rays {
		axis := [3]float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		sites = append(sites, fmt.Sprintf(`<site name="s%d" zaxis="%v %v %v" size=".001"/>`, i, axis[0], axis[1], axis[2]))
		rangers = append(rangers, fmt.Sprintf(`<rangefinder name="r%d" site="s%d"/>`, i, i))
		// a scan looks along -z of its frame, a rangefinder along z
		sites = append(sites, fmt.Sprintf(`<site name="b%d" zaxis="%v %v %v"/>`, i, -axis[0], -axis[1], -axis[2]))
		scans = append(scans, fmt.Sprintf("{name: c%d, runner: Robot, scan: {frame: site/b%d, geoms: true, pattern: ring, "+
			"ray_alignment: base, max_distance: 9, rings: [{radius: 0, num_samples: 1}]}}", i, i))
		names = append(names, fmt.Sprintf("sensor/r%d", i))
	}
	model := strings.NewReplacer("SITES", strings.Join(sites, ""), "PARTS", "", "RANGERS", strings.Join(rangers, "")).
		Replace(many)
	sensors := strings.Join(scans, ", ") + ", {name: rangers, runner: Robot, sources: [" + strings.Join(names, ", ") + "]}"
	var hits, far, bad [5]int
	e := ranging(t, model, sensors, []sim.Binding{{
		Binding: runners.Binding{Name: "watching", Runner: "Robot", Phase: runners.Control, Priority: 200},
		Call: func(_ *runners.StepContext, w *sim.World) {
			want, got := make([]float64, rays), make([]float64, 1)
			ns, _ := w.Read(want, rays)
			for i := range rays {
				if at, ok := w.Read(got, i); !ok || at != ns {
					t.Errorf("a scan is of %d ns, %t, a rangefinder of %d", at, ok, ns)
				}
				switch meets := want[i] >= 0 && want[i] < 9; {
				case !meets && got[0] == 9:
					far[w.Index()]++
				case meets && math.Abs(got[0]-want[i]) <= 1e-4*want[i]:
					hits[w.Index()]++
				default:
					bad[w.Index()]++
				}
			}
		}}})
	play(t, e, 60, 7)
	sum := func(n [5]int) (all int) {
		for _, k := range n {
			all += k
		}
		return all
	}
	if h, f, b := sum(hits), sum(far), sum(bad); h < 1500 || f < 250 || b > (h+f)/500 {
		t.Errorf("%d rays meet the same, %d nothing, and %d are not as MuJoCo's", h, f, b)
	}
}

// What cameras do not see is said once, where something has to see.
func TestUnseenIsNamed(t *testing.T) {
	model := strings.NewReplacer("SITES", `<site name="a"/><site name="b" pos="0 0 .1"/>`, "PARTS", "", "RANGERS", "",
		"</mujoco>", `<tendon><spatial><site site="a"/><site site="b"/></spatial></tendon></mujoco>`).Replace(many)
	for _, c := range []struct {
		sensor string
		want   int
	}{
		{"{name: eye, runner: Robot, camera: {body: robot, position: [0, 0, 1], width: 2, height: 2}}", 1},
		{"{name: below, runner: Robot, scan: {frame: body/robot, geoms: true}}", 1},
		{"{name: place, runner: Robot, sources: [qpos]}", 0},
	} {
		n := 0
		for _, w := range ranging(t, model, c.sensor, nil).Warnings() {
			if w == "sensors: the model has a tendon, which cameras do not see" {
				n++
			}
		}
		polytest.Equal(t, n, c.want, "warnings with %s", c.sensor)
	}
}

// What belongs to the robot is not met, not even what hangs from it by a joint; a grid sees over a rise, and the errors
// of a channel act on it.
func TestScanOfGeomsLeavesTheRobotOut(t *testing.T) {
	model := strings.NewReplacer("SITES", "", "RANGERS", "", "PARTS",
		`<geom type="box" size=".3 .3 .02" pos="0 0 -.2" mass="1"/><body pos="0 0 -.3"><joint name="foot" axis="0 1 0"/>
		<geom type="box" size=".4 .4 .02" mass=".1"/></body>`).Replace(many)
	model = strings.Replace(model, `pos="0 0 -.5"`, `pos="0 0 -.7"`, 1)
	const scan = "runner: Robot, scan: {frame: body/robot, geoms: true, size: [0.2, 0.2]"
	sensors := "{name: below, " + scan + ", rise: 0.5}}, {name: coarse, saturation: {low: 0, high: 1.1}, " + scan + "}}"
	e := ranging(t, model, sensors, nil,
		`observations={policy: [{term: sensor, channel: below}, {name: coarse, term: sensor, channel: coarse}]}`)
	polytest.NoError(t, e.Reset())
	got := e.Sim().Observations()[:18]
	for i, v := range got {
		want := 1.3
		if i >= 9 {
			want = 1.1
		}
		if math.Abs(v-want) > 1e-5 {
			t.Errorf("distance %d is %v, want %v", i, v, want)
		}
	}
}
