package mujoco

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// compile compiles a scene of the files in a map, in a folder of its own.
func compileFiles(t testing.TB, files map[string]string, s scene.Settings) (*Model, error) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Compile(s, folder, Options{})
	if err == nil {
		t.Cleanup(func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return m, err
}

func mustCompile(t testing.TB, files map[string]string, s scene.Settings) *Model {
	t.Helper()
	m, err := compileFiles(t, files, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const oneLeg = `<mujoco model="walker">
	<worldbody>
		<body name="base" pos="0 0 1"><freejoint name="root"/><geom size=".1"/>
			<body name="thigh" pos="0 0 -.2"><joint name="hip" axis="0 1 0" range="-60 60"/><geom size=".1"/>
				<body name="shin" pos="0 0 -.2"><joint name="knee" axis="0 1 0"/><geom name="foot" size=".1"/></body>
			</body>
		</body>
	</worldbody>
	<keyframe><key name="home" qpos="0 0 .5 1 0 0 0 .3 -.4"/></keyframe>
</mujoco>`

func TestCompileAddsWhatIsMissing(t *testing.T) {
	m := mustCompile(t, map[string]string{"walker.xml": oneLeg}, scene.Settings{
		Models:    []scene.Model{{File: "walker.xml"}},
		Actuators: []scene.Actuators{{Joints: []string{".*"}, KP: 20, KD: 0.5, Effort: 30}},
	})
	d := m.Describe()
	if d.Name != "walker" || d.Bodies[d.Base].Name != "base" || d.Lights != 1 {
		t.Errorf("model %q stands on %q with %d lights", d.Name, d.Bodies[d.Base].Name, d.Lights)
	}
	floor := slices.IndexFunc(d.Geoms, func(g Geom) bool { return g.Type == "plane" && g.Body == 0 && g.Collides() })
	if floor < 0 || d.Geoms[floor].Name != "floor" {
		t.Errorf("geoms %+v, want a floor", d.Geoms)
	}
	if len(d.Actuators) != 2 {
		t.Fatalf("actuators %+v, want two", d.Actuators)
	}
	hip, knee := d.Actuators[0], d.Actuators[1]
	if hip.Name != "hip" || hip.Kind != KindPosition || hip.KP != 20 || hip.KD != 0.5 || hip.ForceRange != [2]float64{-30, 30} ||
		hip.ControlRange != d.Joints[1].Range || d.Joints[hip.Target].Name != "hip" {
		t.Errorf("hip is driven by %+v", hip)
	}
	if knee.Name != "knee" || knee.ControlLimited {
		t.Errorf("knee is driven by %+v, want no limits, as its joint has none", knee)
	}
	if got := d.Keyframes[0].Control; !slices.Equal(got, []float64{0.3, -0.4}) {
		t.Errorf("controls of home are %v, want those that hold it", got)
	}
}

func TestCompileMerges(t *testing.T) {
	files := map[string]string{
		"walker.xml": oneLeg,
		"door/door.xml": `<mujoco><worldbody><body name="door"><joint name="hinge"/><geom size="1 .1 1" type="box"/></body></worldbody>
			<actuator><motor name="push" joint="hinge"/></actuator><keyframe><key name="open" qpos="1.2" ctrl="3"/></keyframe></mujoco>`,
	}
	m := mustCompile(t, files, scene.Settings{Models: []scene.Model{
		{File: "walker.xml"},
		{File: "door/door.xml", Prefix: "a_", Position: [3]float64{2, 0, 1}},
		{File: "door/door.xml", Prefix: "b_", Position: [3]float64{3, 0, 1}},
	}})
	d := m.Describe()
	var names []string
	for _, b := range d.Bodies {
		names = append(names, b.Name)
	}
	if want := []string{"world", "base", "thigh", "shin", "a_door", "b_door"}; !slices.Equal(names, want) {
		t.Errorf("bodies %q, want %q", names, want)
	}
	names = nil
	for _, k := range d.Keyframes {
		names = append(names, k.Name)
	}
	if want := []string{"home", "a_open", "b_open"}; !slices.Equal(names, want) {
		t.Errorf("keyframes %q, want %q", names, want)
	}
	if got, want := d.Keyframes[2].Control, []float64{0, 3}; !slices.Equal(got, want) {
		t.Errorf("controls of b_open %v, want %v", got, want)
	}
}

// A thigh inside the base touches nothing but the floor once self-collision is off.
func TestCompileWithoutSelfCollision(t *testing.T) {
	crossed := strings.Replace(oneLeg, `<geom name="foot" size=".1"/>`, `<geom name="foot" size=".1" pos="0 0 .4"/>`, 1)
	contacts := func(text string, collide *bool, height float64) float64 {
		m := mustCompile(t, map[string]string{"walker.xml": text}, scene.Settings{Models: []scene.Model{{File: "walker.xml", SelfCollision: collide}}})
		force, err := m.Probe("contact/body/shin")
		if err != nil {
			t.Fatal(err)
		}
		out := physics.Outputs{Probes: []physics.Probe{force}}
		stepper, err := m.NewStepper(1, out)
		if err != nil {
			t.Fatal(err)
		}
		defer stepper.Close()
		rows := physics.NewRows(m, 1, out, 2)
		defer rows.Close()
		rows.Row(0)[1+2] = height // z of the base, after the time
		if stepper.Forward(rows, []int32{0}) != 0 {
			t.Fatal(stepper.FaultMessage(0))
		}
		f := rows.Sample(0, 0)
		return math.Abs(f[0]) + math.Abs(f[1]) + math.Abs(f[2])
	}
	no := false
	if contacts(crossed, nil, 1) == 0 {
		t.Fatal("the shin touches nothing, want the base")
	}
	if f := contacts(crossed, &no, 1); f != 0 {
		t.Errorf("the shin feels %v N in the air", f)
	}
	if contacts(oneLeg, &no, 0.45) == 0 {
		t.Error("the shin does not feel the floor")
	}
}

func TestCompileReplacesPhysics(t *testing.T) {
	m := mustCompile(t, map[string]string{"walker.xml": oneLeg}, scene.Settings{
		Models: []scene.Model{{File: "walker.xml"}},
		Physics: scene.Physics{Cone: "elliptic", Impratio: 10, Integrator: "implicitfast", Solver: "cg", Iterations: 7,
			LineSearch: 9, Gravity: &[3]float64{0, 0, -1.6}},
	})
	d := m.Describe()
	want := scene.Physics{Cone: "elliptic", Impratio: 10, Integrator: "implicitfast", Solver: "cg", Iterations: 7, LineSearch: 9}
	if d.Physics != want || d.Gravity != [3]float64{0, 0, -1.6} {
		t.Errorf("options are %+v with gravity %v, want %+v", d.Physics, d.Gravity, want)
	}
	_, err := compileFiles(t, map[string]string{"walker.xml": oneLeg}, scene.Settings{
		Models: []scene.Model{{File: "walker.xml"}}, Physics: scene.Physics{Integrator: "eulr"}})
	if err == nil || !strings.HasPrefix(err.Error(), "scene.physics.integrator is \"eulr\", want ") {
		t.Errorf("the error is %v", err)
	}
}

func TestCompileNamesJoints(t *testing.T) {
	m := mustCompile(t, map[string]string{"chain.xml": `<mujoco><worldbody>
		<body><freejoint/><geom size=".1"/>
			<body><joint/><geom size=".1"/><body><joint name="joint_1"/><geom size=".1"/></body></body>
		</body></worldbody></mujoco>`}, scene.Settings{
		Models:    []scene.Model{{File: "chain.xml"}},
		Actuators: []scene.Actuators{{Joints: []string{"joint_1_"}, KP: 20}},
	})
	var names []string
	for _, j := range m.Describe().Joints {
		names = append(names, j.Name)
	}
	if want := []string{"", "joint_1_", "joint_1"}; !slices.Equal(names, want) {
		t.Errorf("joints %q, want %q", names, want)
	}
}
