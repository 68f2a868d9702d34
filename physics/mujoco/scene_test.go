package mujoco

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

// compile compiles a scene of the files in a map, in a folder of its own.
func compileFiles(t testing.TB, files map[string]string, s scene.Settings) (*Model, error) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		polytest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	m, err := Compile(s, folder, Options{})
	if err == nil {
		t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	}
	return m, err
}

func mustCompile(t testing.TB, files map[string]string, s scene.Settings) *Model {
	t.Helper()
	m := polytest.Must(compileFiles(t, files, s))(t)
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
	if d.Name != "walker" || d.Bodies[d.Base].Name != "base" || len(d.Lights) != 1 {
		t.Errorf("model %q stands on %q with %d lights", d.Name, d.Bodies[d.Base].Name, len(d.Lights))
	}
	floor := slices.IndexFunc(d.Geoms, func(g Geom) bool { return g.Type == "plane" && g.Body == 0 && g.Collides() })
	if floor < 0 || d.Geoms[floor].Name != "floor" {
		t.Errorf("geoms %+v, want a floor", d.Geoms)
	}
	if len(d.Actuators) != 2 {
		t.Fatalf("actuators %+v, want two", d.Actuators)
	}
	hip, knee := d.Actuators[0], d.Actuators[1]
	if hip.Name != "hip" || hip.Kind != KindPosition || hip.KP != 20 || hip.KD != 0.5 ||
		hip.ForceRange != [2]float64{-30, 30} ||
		hip.ControlRange != d.Joints[1].Range || d.Joints[hip.Target].Name != "hip" {
		t.Errorf("hip is driven by %+v", hip)
	}
	if knee.Name != "knee" || knee.ControlLimited {
		t.Errorf("knee is driven by %+v, want no limits, as its joint has none", knee)
	}
	polytest.EqualSlices(t, d.Keyframes[0].Control, []float64{0.3, -0.4}, "controls of home")
}

func TestCompileMerges(t *testing.T) {
	files := map[string]string{
		"walker.xml": oneLeg,
		"door/door.xml": `<mujoco><worldbody><body name="door"><joint name="hinge"/><geom size="1 .1 1" type="box"/></body>
			</worldbody>
			<actuator><motor name="push" joint="hinge"/></actuator><keyframe><key name="open" qpos="1.2" ctrl="3"/></keyframe>
			</mujoco>`,
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
	polytest.EqualSlices(t, names, []string{"world", "base", "thigh", "shin", "a_door", "b_door"}, "bodies")
	names = nil
	for _, k := range d.Keyframes {
		names = append(names, k.Name)
	}
	polytest.EqualSlices(t, names, []string{"home", "a_open", "b_open"}, "keyframes")
	polytest.EqualSlices(t, d.Keyframes[2].Control, []float64{0, 3}, "controls of b_open")
}

// A thigh inside the base touches nothing but the floor once self-collision is off.
func TestCompileWithoutSelfCollision(t *testing.T) {
	crossed := strings.Replace(oneLeg, `<geom name="foot" size=".1"/>`, `<geom name="foot" size=".1" pos="0 0 .4"/>`, 1)
	contacts := func(text string, collide *bool, height float64) float64 {
		m := mustCompile(t, map[string]string{"walker.xml": text},
			scene.Settings{Models: []scene.Model{{File: "walker.xml", SelfCollision: collide}}})
		force := polytest.Must(m.Probe("contact/body/shin"))(t)
		out := physics.Outputs{Probes: []physics.Vector{force}}
		stepper := stepper(t, m, 1, out)
		rows := physics.NewRows(m, 1, out, 2)
		defer rows.Close()
		rows.Row(0)[1+2] = height // z of the base, after the time
		step(t, stepper, rows, []int32{0}, nil)
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

// Without self-collision, two moving bodies of one model do not touch. All others that did still do: with what is fixed
// in the model or the scene, with mocap bodies, and with other models, by their bits.
func TestWithoutSelfCollisionOnlyPartsPass(t *testing.T) {
	// balls of 0.1 m at one place
	text := `<mujoco><option gravity="0 0 0"/><worldbody>
		<geom name="world" size=".1"/>
		<body name="fixed"><geom name="fixed" size=".1" contype="2" conaffinity="3"/></body>
		<body name="mocap" mocap="true"><geom name="mocap" size=".1"/></body>
		<body name="a"><freejoint/><geom name="a" size=".1"/>
			<body name="welded"><geom name="welded" size=".1" contype="0"/></body></body>
		<body name="b"><joint type="slide"/><geom name="b" size=".1" contype="4" conaffinity="1"/></body>
		<body name="c"><joint type="slide"/><geom name="c" size=".1" contype="0" conaffinity="2"/></body>
		<body name="ghost"><joint type="slide"/><geom size=".1" contype="0" conaffinity="0"/></body>
	</worldbody></mujoco>`
	touching := func(apart [2]bool) map[string]bool {
		s := scene.Settings{Floor: scene.No}
		for i, prefix := range []string{"", "other_"} {
			s.Models = append(s.Models, scene.Model{File: "balls.xml", Prefix: prefix, SelfCollision: new(!apart[i])})
		}
		m := mustCompile(t, map[string]string{"balls.xml": text}, s)
		row := make([]float64, m.StateSize())
		m.InitialState(row)
		d, pairs := m.Describe(), map[string]bool{}
		for _, c := range polytest.Must(m.Contacts(row))(t) {
			names := []string{d.Geoms[c.Geoms[0]].Ref, d.Geoms[c.Geoms[1]].Ref}
			slices.Sort(names)
			pairs[strings.Join(names, " ")] = true
		}
		return pairs
	}
	all := touching([2]bool{})
	for _, apart := range [][2]bool{{true, false}, {false, true}, {true, true}} {
		want := maps.Clone(all)
		for i, prefix := range []string{"", "other_"} {
			for _, pair := range []string{"a b", "a c", "b c", "b welded", "c welded"} {
				one, two, _ := strings.Cut(pair, " ")
				if apart[i] {
					delete(want, prefix+one+" "+prefix+two)
				}
			}
		}
		if got := touching(apart); !maps.Equal(got, want) {
			t.Errorf("with %v, touching are\n%v, want\n%v", apart, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		if !want["c fixed"] || len(want) == len(all) {
			t.Errorf("the pairs %v are too few to tell", want)
		}
	}
	text = `<mujoco><worldbody><body name="base"><freejoint/>`
	for i := range 7 {
		for k := range 7 {
			text += fmt.Sprintf(`<geom size=".1" contype="%d" conaffinity="%d"/>`, 1<<i, 1<<k)
		}
	}
	_, err := compileFiles(t, map[string]string{"many.xml": text + `</body></worldbody></mujoco>`}, scene.Settings{
		Models: []scene.Model{{File: "many.xml", SelfCollision: new(false)}, {File: "many.xml", Prefix: "b_"}}})
	if err == nil || !strings.HasPrefix(err.Error(), "scene.models[0].self_collision is false where ") {
		t.Errorf("the error is %v", err)
	}
}

func TestCompileReplacesPhysics(t *testing.T) {
	m := mustCompile(t, map[string]string{"walker.xml": oneLeg}, scene.Settings{
		Models: []scene.Model{{File: "walker.xml"}},
		Physics: scene.Physics{Cone: "elliptic", Impratio: 10, Integrator: "implicitfast", Solver: "cg", Iterations: 7,
			LineSearch: 9, Gravity: &[3]float64{0, 0, -1.6}},
	})
	d := m.Describe()
	want := scene.Physics{Cone: "elliptic", Impratio: 10, Integrator: "implicitfast", Solver: "cg", Iterations: 7,
		LineSearch: 9}
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
	polytest.EqualSlices(t, names, []string{"", "joint_1_", "joint_1"}, "joints")
}

// sameSteps steps two models with the same controls and wants the same bits.
func sameSteps(t *testing.T, got, want *Model) {
	t.Helper()
	if got.StateSize() != want.StateSize() || got.ControlSize() != want.ControlSize() {
		t.Fatalf("state and control have %d and %d values, want %d and %d", got.StateSize(), got.ControlSize(),
			want.StateSize(), want.ControlSize())
	}
	if a, b := stateAfter(t, got, 200), stateAfter(t, want, 200); !slices.Equal(a, b) {
		t.Errorf("state after the steps\n%v, want\n%v", a, b)
	}
}

// stateAfter returns the state row of a model after some control steps, with controls that vary.
func stateAfter(t *testing.T, m *Model, steps int) []float64 {
	t.Helper()
	loop := bareLoop(t, m, 1)
	controls := make([]float64, steps*m.ControlSize())
	for k := range controls {
		controls[k] = math.Sin(float64(k))
	}
	polytest.NoError(t, loop.Run(controls, nil, nil, 5))
	state := make([]float64, m.StateSize())
	loop.State(0, state)
	return state
}

// sameKeyframes wants the same keyframes of two models.
func sameKeyframes(t *testing.T, got, want *Model) {
	t.Helper()
	if a, b := got.Describe().Keyframes, want.Describe().Keyframes; !reflect.DeepEqual(a, b) {
		t.Errorf("keyframes\n%+v, want\n%+v", a, b)
	}
}

// What Compile adds is what stands in a model written by hand.
func TestCompileAddsAsByHand(t *testing.T) {
	const parts = `<body name="base" pos="0 0 1"><freejoint name="root"/><geom size=".1"/>
		<body name="thigh" pos="0 0 -.2"><joint name="hip" axis="0 1 0" range="-60 60" armature="%s"/><geom size=".1"/>
			<body name="shin" pos="0 0 -.2"><joint name="knee" axis="0 1 0" armature="%[1]s"/><geom size=".1"/>
				<body name="toe" pos="0 0 -.2"><joint name="ankle" type="slide" range="-.1 .1"/><geom size=".05"/></body></body>
				</body></body>`
	bare := `<mujoco><default><joint damping=".1"/><position kp="7"/><general ctrlrange="-9 9"/></default>
		<worldbody>` + fmt.Sprintf(parts, "0") + `</worldbody>
		<actuator><motor name="old" joint="hip" gear="3"/><motor name="stay" joint="ankle"/></actuator>
		<keyframe><key name="home" qpos="0 0 .5 1 0 0 0 1.3 -.4 .01" ctrl="5 6"/>
		<key name="low" qpos="0 0 .2 1 0 0 0 .1 .2 0"/></keyframe></mujoco>`
	byHand := `<mujoco><default><joint damping=".1"/></default><worldbody>
		<geom type="plane" size="0 0 .05" contype="2147483647" conaffinity="2147483647"/>` +
		fmt.Sprintf(parts, "0.02") + `</worldbody>
		<actuator><motor name="stay" joint="ankle" ctrlrange="-9 9"/>
			<position name="hip" joint="hip" kp="40" kv="2" forcerange="-20 20" inheritrange="1"/>
			<velocity name="knee" joint="knee" kv="3" ctrlrange="-4 4"/></actuator>
		<keyframe><key name="home" qpos="0 0 .5 1 0 0 0 1.3 -.4 .01" ctrl="6 1.0471975511965976 0"/>
		<key name="low" qpos="0 0 .2 1 0 0 0 .1 .2 0" ctrl="0 .1 0"/></keyframe></mujoco>`
	armature := 0.02
	got := mustCompile(t, map[string]string{"leg.xml": bare}, scene.Settings{
		Models: []scene.Model{{File: "leg.xml"}},
		Actuators: []scene.Actuators{
			{Joints: []string{"hip"}, KP: 40, KD: 2, Effort: 20, Armature: &armature, Replace: true},
			{Joints: []string{"hip|knee"}, Type: scene.Velocity, KD: 3, Limits: []float64{-4, 4}, Armature: &armature},
		},
	})
	want := open(t, write(t, byHand), Options{})
	sameSteps(t, got, want)
	sameKeyframes(t, got, want)
	if a, b := got.Describe().Actuators, want.Describe().Actuators; !reflect.DeepEqual(a, b) {
		t.Errorf("actuators\n%+v, want\n%+v", a, b)
	}
}

// Merged models are the model merged by hand.
func TestCompileMergesAsByHand(t *testing.T) {
	robot := `<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="5 5 1"/>
		<body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/>
		</body></worldbody>
		<actuator><position name="j" joint="j" kp="30" kv="2"/></actuator><keyframe><key name="up" qpos=".2" ctrl=".2"/>
		</keyframe></mujoco>`
	crate := `<mujoco><compiler angle="radian" meshdir="m"/><asset><mesh name="wedge" file="wedge.obj"/></asset><worldbody>
		<body name="box" pos="0 0 .3" euler=".1 .2 .3"><freejoint name="f"/><geom type="mesh" mesh="wedge"/></body>
		</worldbody>
		<keyframe><key name="there" qpos="1 2 3 1 0 0 0"/></keyframe></mujoco>`
	wedge := "v 0 0 0\nv .3 0 0\nv 0 .3 0\nv 0 0 .3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
	byHand := `<mujoco><option timestep="0.004"/><compiler angle="radian"/><asset>
		<mesh name="wedge" file="props/m/wedge.obj"/></asset>
		<worldbody><geom type="plane" size="5 5 1"/><body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/>
		<geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/></body>
		<frame pos=".4 0 .8" quat="0.7071067811865476 0 0 0.7071067811865475">
		<body name="box" pos="0 0 .3" euler=".1 .2 .3"><freejoint name="f"/><geom type="mesh" mesh="wedge"/></body></frame>
		</worldbody>
		<actuator><position name="j" joint="j" kp="30" kv="2"/></actuator>
		<keyframe><key name="up" qpos=".2 %s" ctrl=".2"/><key name="crate_there" qpos="0 1 2 3 1 0 0 0"/></keyframe></mujoco>`
	got := mustCompile(t, map[string]string{"robot.xml": robot, "props/crate.xml": crate, "props/m/wedge.obj": wedge},
		scene.Settings{
			Models: []scene.Model{{File: "robot.xml"}, {File: "props/crate.xml", Prefix: "crate_",
				Position: [3]float64{.4, 0, .8}, Rotation: [3]float64{0, 0, math.Pi / 2}}},
			Floor: scene.Auto,
		})
	// the qpos0 of the crate, in the keyframe that the robot brings
	home := got.Describe().Joints[1].Home
	text := strings.Trim(fmt.Sprint(home), "[]")
	want := mustCompile(t, map[string]string{"all.xml": fmt.Sprintf(byHand, text), "props/m/wedge.obj": wedge},
		scene.Settings{Models: []scene.Model{{File: "all.xml"}}})
	sameSteps(t, got, want)
	sameKeyframes(t, got, want)
}

// A URDF robot can be set free, and its meshes are found by the URLs of ROS.
func TestCompileURDF(t *testing.T) {
	const inertial = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`
	robot := `<robot name="biped"><link name="hull">` + inertial + `<visual><geometry>
		<mesh filename="nowhere/hull.dae"/></geometry></visual>
			<collision><geometry><mesh filename="package://biped/meshes/hull.obj"/></geometry></collision></link>
		<link name="leg">` + inertial + `</link><joint name="hip" type="revolute"><parent link="hull"/><child link="leg"/>
		<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>`
	files := map[string]string{
		"biped/biped.urdf":      robot,
		"biped/meshes/hull.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
	}
	s := scene.Settings{
		Models:    []scene.Model{{File: "biped/biped.urdf", Free: true}},
		Actuators: []scene.Actuators{{Joints: []string{"hip"}, KP: 10}},
	}
	d := mustCompile(t, files, s).Describe()
	if d.Bodies[d.Base].Name != "hull" || len(d.Actuators) != 1 || d.Actuators[0].ControlRange != [2]float64{-1, 1} {
		t.Errorf("base %q, actuators %+v", d.Bodies[d.Base].Name, d.Actuators)
	}
	s.Models[0].Free = false
	if d := mustCompile(t, files, s).Describe(); d.Base != 0 || d.PositionSize != 1 {
		t.Errorf("base %d, %d positions; want a fixed robot", d.Base, d.PositionSize)
	}
	delete(files, "biped/meshes/hull.obj")
	polytest.ErrorContains(t, polytest.Err(compileFiles(t, files, s)), "hull.obj")
}

// In the layout of ROS, the folders of robots and of their meshes lie beside one another in that of the package.
// Nothing beside the package is read.
func TestMeshesOfAROSPackage(t *testing.T) {
	const inertial = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`
	const manifest = `<?xml version="1.0"?><package format="3"><name> my_robot </name></package>`
	for _, c := range []struct{ model, mesh, url, manifest, wrong string }{
		{model: "my_robot/urdf/r.urdf", mesh: "my_robot/meshes/x.obj"},
		{model: "my_robot/robots/r.urdf", mesh: "my_robot/meshes/x.obj"},
		{model: "checkout/urdf/r.urdf", mesh: "checkout/meshes/x.obj"},
		{model: "checkout/urdf/arms/left/r.urdf", mesh: "checkout/meshes/x.obj", manifest: "checkout/package.xml"},
		{model: "my_robot/urdf/arms/r.urdf", mesh: "my_robot/meshes/x.obj", wrong: "r.urdf:1: "},
		{model: "my_robot/urdf/r.urdf", mesh: "other/meshes/x.obj", url: "package://my_robot/../other/meshes/x.obj",
			wrong: "x.obj lies outside the model's folder "},
		{model: "my_robot/urdf/r.urdf", mesh: "my_robot/meshes/x.obj", url: "../meshes/x.obj"},
		{model: "checkout/robots/r.urdf", mesh: "checkout/meshes/x.obj", url: "../meshes/x.obj"},
		{model: "checkout/robots/r.urdf", mesh: "checkout/meshes/x.obj"},
		{model: "checkout/robots/left/r.urdf", mesh: "checkout/meshes/x.obj", url: "../../meshes/x.obj",
			manifest: "checkout/package.xml"},
		{model: "checkout/models/r.urdf", mesh: "checkout/meshes/x.obj", url: "../meshes/x.obj", wrong: "allow_outside"},
		{model: "checkout/robots/r.urdf", mesh: "other/meshes/x.obj", url: "../../other/meshes/x.obj",
			wrong: "allow_outside"},
		{model: "checkout/models/r.urdf", mesh: "checkout/meshes/x.obj",
			wrong: "<mesh> names package://my_robot/meshes/x.obj, want "},
	} {
		url := cmp.Or(c.url, "package://my_robot/meshes/x.obj")
		files := map[string]string{c.mesh: tetrahedron, c.model: `<robot name="r"><link name="a">` + inertial +
			`<collision><geometry><mesh filename="` + url + `"/></geometry></collision></link></robot>`}
		if c.manifest != "" {
			files[c.manifest] = manifest
		}
		_, err := compileFiles(t, files, scene.Settings{Models: []scene.Model{{File: c.model}}})
		if c.wrong != "" {
			wantOneLine(t, err, c.wrong)
		} else if err != nil {
			t.Errorf("%s with %s: %v", c.model, c.mesh, err)
		}
	}
}

// A mesh that collides is not the one of the same name that is only seen.
func TestURDFMeshesOfOneName(t *testing.T) {
	const inertial = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`
	const robot = `<robot name="arm">%s<link name="base"/><link name="link5">` + inertial + `<visual><geometry>
		<mesh filename="%[2]svisual/link5.obj"/></geometry></visual>
			<collision><geometry><mesh filename="%[2]scollision/link5.obj"/></geometry></collision></link>
		<joint name="j5" type="revolute"><parent link="base"/><child link="link5"/>
		<limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>`
	tetrahedron := func(side string) string {
		return strings.ReplaceAll("v 0 0 0\nv S 0 0\nv 0 S 0\nv 0 0 S\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "S", side)
	}
	files := map[string]string{"arm/meshes/visual/link5.obj": tetrahedron("8"),
		"arm/meshes/collision/link5.obj": tetrahedron(".4")}
	for _, keep := range []string{"", `<mujoco><compiler discardvisual="false"/></mujoco>`} {
		for _, folder := range []string{"package://arm/meshes/", "meshes/"} {
			files["arm/arm.urdf"] = fmt.Sprintf(robot, keep, folder)
			d := mustCompile(t, files, scene.Settings{Models: []scene.Model{{File: "arm/arm.urdf"}}}).Describe()
			colliding := 0
			for _, g := range d.Geoms {
				if g.Type == "mesh" && g.Collides() {
					colliding++
					if size := max(g.BoxSize[0], g.BoxSize[1], g.BoxSize[2]); size > .4 {
						t.Errorf("%s %s: the colliding mesh is %v m wide, want 0.4 m at most", keep, folder, 2*size)
					}
				}
			}
			if colliding != 1 {
				t.Errorf("%s %s: %d meshes collide, want 1", keep, folder, colliding)
			}
		}
	}
	files["arm/arm.urdf"] = fmt.Sprintf(robot, `<mujoco><compiler strippath="true"/></mujoco>`, "meshes/")
	polytest.ErrorContains(t, polytest.Err(compileFiles(t, files, scene.Settings{
		Models: []scene.Model{{File: "arm/arm.urdf"}},
	})), `names the file "link5.obj"`)
}

// actuatedArm are the settings of a scene of one arm with an actuator, whose physics step is 2 ms.
func actuatedArm(t *testing.T, a scene.Actuators) scene.Settings {
	t.Helper()
	file := filepath.Join(t.TempDir(), "arm.xml")
	polytest.NoError(t, os.WriteFile(file, []byte(`<mujoco><option timestep="0.002"/><worldbody><body pos="0 0 1">
		<joint name="swing" axis="0 1 0"/><geom size="0.05" pos="0 0 -0.3" mass="0.5"/></body></worldbody></mujoco>`), 0o666))
	a.Joints = []string{"swing"}
	return scene.Settings{Models: []scene.Model{{File: file}}, Actuators: []scene.Actuators{a}}
}

// swung is a scene of one arm with an actuator.
func swung(t *testing.T, a scene.Actuators) (*Model, physics.Outputs) {
	t.Helper()
	m := polytest.Must(Compile(actuatedArm(t, a), "", Options{}))(t)
	t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	return m, probes(t, m, "joint/swing/position", "joint/swing/velocity", "joint/swing/torque")
}

// A DC motor gives what the servo asks for within its torque-speed line; a control is late by whole steps.
func TestMotorsAndDelays(t *testing.T) {
	const kp, effort, rest, top = 60, 4, 5, 6
	for _, late := range []int{0, 1, 7} {
		kd := 0.4
		if late == 1 {
			kd = 0
		}
		for _, motor := range []bool{false, true} {
			a := scene.Actuators{Type: scene.Position, KP: kp, KD: kd, Effort: effort, Delay: time.Duration(late) * 2e6}
			if motor {
				a.Type, a.SaturationEffort, a.VelocityLimit = scene.DCMotor, rest, top
			}
			m, out := swung(t, a)
			own := stepper(t, m, 1, out)
			rows := physics.NewRows(m, 1, out, 4)
			position, _ := m.Field("qpos")
			rows.Row(0)[position.Offset] = 0.3
			step(t, own, rows, []int32{0}, nil)
			var commands []float64
			bounded, line := 0, 0
			for k := range 600 {
				commands = append(commands, math.Round(1.5*math.Sin(float64(k/40)*2)*1e3)/1e3)
				rows.Control(0)[0] = commands[k]
				step(t, own, rows, []int32{0}, []int32{1})
				s := rows.Sample(0, int64(k))
				target := 0.3
				if k >= late {
					target = commands[k-late]
				}
				demand := kp*(target-s[0]) - kd*s[1]
				want := math.Max(-effort, math.Min(effort, demand))
				if motor {
					v := math.Max(-top*(1+effort/5.0), math.Min(top*(1+effort/5.0), s[1]))
					want = math.Max(math.Max(rest*(-1-v/top), -effort), math.Min(math.Min(rest*(1-v/top), effort),
						demand))
					if want != demand && math.Abs(want) < effort {
						line++
					}
				}
				if want != demand {
					bounded++
				}
				if math.Abs(s[2]-want) > 1e-9 {
					t.Fatalf("motor %v, %d steps late: the torque of step %d at %v, %v/s is %v, want %v", motor, late, k, s[0], s[1],
						s[2], want)
				}
			}
			if bounded < 20 || motor && line < 20 {
				t.Errorf("motor %v, %d steps late: %d torques bounded, %d by the line: the test shows little", motor, late, bounded,
					line)
			}
		}
	}
}

// The MJCF of a scene, of two files with meshes, rough ground and actuators, opens elsewhere without any of its
// settings: with the same sizes and keyframes it takes the same steps. Its numbers have all their digits.
func TestMJCFOfAScene(t *testing.T) {
	robot := `<mujoco><compiler meshdir="m"/><asset><mesh name="wedge" file="wedge.obj" scale=".1 .1 .1"/></asset>
		<worldbody><body name="base" pos="0 0 0.71234567890123"><freejoint/><geom size=".1"/>
		<geom type="mesh" mesh="wedge" contype="0" conaffinity="0"/>
		<body name="leg" pos=".1 0 0"><joint name="hip" axis="0 1 0" range="-60 60"/>
		<geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3"/></body></body></worldbody>
		<keyframe><key name="up" qpos="0 0 1 1 0 0 0 .3"/></keyframe></mujoco>`
	crate := `<mujoco><compiler angle="radian"/><asset><mesh file="wedge.obj"/></asset><worldbody>
		<body name="box" pos="0 0 .8"><freejoint/><geom size=".2"/>
		<geom type="mesh" mesh="wedge" contype="0" conaffinity="0"/></body></worldbody></mujoco>`
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "scene.xml")
	for name, text := range map[string]string{"robot.xml": robot, "m/wedge.obj": tetrahedron, "props/crate.xml": crate,
		"props/wedge.obj": "v 0 0 0\nv .3 0 0\nv 0 .3 0\nv 0 0 .3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"} {
		polytest.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o777))
		polytest.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	s := scene.Settings{
		Models: []scene.Model{{File: "robot.xml"}, {File: "props/crate.xml", Prefix: "crate_",
			Position: [3]float64{1, 0, 0}}},
		Actuators: []scene.Actuators{{Joints: []string{"hip"}, KP: 10, KD: 0.1234567890123, Effort: 5}},
		Terrain: terrain.Settings{Rows: 1, Columns: 2, BorderWidth: 1, Kinds: []terrain.SubTerrain{{Kind: "pyramid_stairs"},
			{Kind: "random_uniform"}}},
	}
	var text []byte
	m := polytest.Must(Compile(s, folder, Options{Timestep: 0.003, MJCF: func(xml []byte) { text = xml }}))(t)
	t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	polytest.NoError(t, os.WriteFile(out, text, 0o666))
	got := polytest.Must(Load(out, Options{}))(t)
	t.Cleanup(func() { polytest.NoError(t, got.Close()) })
	a, b := got.Describe(), m.Describe()
	if len(a.Geoms) != len(b.Geoms) || len(a.Bodies) != len(b.Bodies) || a.Timestep != 0.003 || len(a.Actuators) != 1 {
		t.Errorf("%d geoms, %d bodies, %v s, %d actuators; want %d, %d, 0.003 and 1", len(a.Geoms), len(a.Bodies),
			a.Timestep, len(a.Actuators), len(b.Geoms), len(b.Bodies))
	}
	polytest.Equal(t, a.Keyframes[0].Name, "up", "keyframe")
	sameKeyframes(t, got, m)
	state, want := stateAfter(t, got, 50), stateAfter(t, m, 50)
	qpos := polytest.Must(m.Field("qpos"))(t)
	for i := range qpos.Len { // a mesh is moved to its centre of mass again, which rounds
		if x, y := state[qpos.Offset+i], want[qpos.Offset+i]; math.Abs(x-y) > 1e-6 {
			t.Errorf("position %d after the steps is %v, want %v", i, x, y)
		}
	}
	if data := polytest.Must(m.MJB())(t); len(data) < 1000 {
		t.Errorf("as MJB %d bytes, want a model", len(data))
	}
	polytest.Equal(t, len(m.Callbacks()), 0, "actuators with callbacks")
}

// A thrust pushes the body that carries a rotor, at the rotor and along its axle, and turns it by the drag.
func TestThrust(t *testing.T) {
	const inertial = `<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>`
	files := map[string]string{"drone.urdf": `<robot name="drone"><link name="base">` + inertial + `</link>
		<link name="rotor">` + inertial + `</link><joint name="axle" type="continuous"><parent link="base"/>
		<child link="rotor"/><origin xyz=".3 0 .1" rpy="1.5707963267948966 0 0"/><axis xyz="0 0 1"/></joint></robot>`}
	m := mustCompile(t, files, scene.Settings{
		Models:    []scene.Model{{File: "drone.urdf", Free: true}},
		Physics:   scene.Physics{Gravity: &[3]float64{}},
		Actuators: []scene.Actuators{{Joints: []string{"axle"}, Type: scene.Thrust, Effort: 5, TorquePerThrust: 0.25}},
	})
	a := m.Describe().Actuators[0]
	if a.Name != "axle" || a.Kind != KindMotor || a.Transmission != "site" || a.ControlRange != [2]float64{0, 5} {
		t.Errorf("the actuator is %+v", a)
	}
	// The axle points along -y. A thrust of 2 N at (0.3, 0, 0.1) and a torque of 0.5 N m about the axle.
	out := physics.Outputs{Derived: []physics.Vector{polytest.Must(m.Derived("qfrc_actuator"))(t)}}
	s := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 4)
	rows.Control(0)[0] = 2
	s.Forward(rows, []int32{0})
	step(t, s, rows, []int32{0}, []int32{1})
	want := []float64{0, -2, 0, 0.1 * 2, -0.5, 0.3 * -2, 0}
	for i, x := range rows.DerivedRow(0) {
		if math.Abs(x-want[i]) > 1e-6 {
			t.Fatalf("the generalised forces are %.4v, want %.4v", rows.DerivedRow(0), want)
		}
	}
}
