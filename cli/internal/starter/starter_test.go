package starter

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// walker is a robot on four straight legs, without actuators, floor or keyframe. Its knees cannot be straight.
const walker = `<mujoco model="walker">
	<worldbody>
		<body name="trunk" pos="0 0 1">
			<freejoint/>
			<geom type="box" size=".3 .1 .05" mass="8"/>
			LEGS
		</body>
	</worldbody>
</mujoco>`

const walkerLeg = `<body name="NAME_hip" pos="X Y 0">
	<joint name="NAME_roll" axis="1 0 0" range="-60 60"/><geom type="sphere" size=".03" mass=".5" contype="0"
		conaffinity="0"/>
	<body name="NAME_thigh" pos="0 SIDE 0">
		<joint name="NAME_pitch" axis="0 1 0" range="-90 90"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2"
			mass=".5"/>
		<body name="NAME_shin" pos="0 0 -.2">
			<joint name="NAME_knee" axis="0 1 0" range="-150 -30"/><geom type="capsule" size=".01" fromto="0 0 0 0 0 -.2"
				mass=".1"/>
			<geom name="NAME_toe" type="sphere" size=".02" pos="0 0 -.2" mass=".05"/>
		</body>
	</body>
</body>`

// writeModel writes a model file and returns its path.
func writeModel(t *testing.T, xml string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "walker.xml")
	polytest.NoError(t, os.WriteFile(path, []byte(xml), 0o666))
	return path
}

func walkerFile(t *testing.T) string {
	var legs strings.Builder
	for _, leg := range [][]string{{"FL", "X", ".25", "Y", ".1", "SIDE", ".05"}, {"FR", "X", ".25", "Y", "-.1", "SIDE",
		"-.05"},
		{"RL", "X", "-.25", "Y", ".1", "SIDE", ".05"}, {"RR", "X", "-.25", "Y", "-.1", "SIDE", "-.05"}} {
		legs.WriteString(strings.NewReplacer(append([]string{"NAME", leg[0]}, leg[1:]...)...).Replace(walkerLeg))
	}
	return writeModel(t, strings.Replace(walker, "LEGS", legs.String(), 1))
}

func open(t *testing.T, path string) *ModelFile {
	t.Helper()
	m := polytest.Must(Open(path, false))(t)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// standingWalker returns the choices for the walker up to its pose.
func standingWalker(t *testing.T) *writer {
	m := open(t, walkerFile(t))
	tree := &tree{&m.d}
	r := classify(tree, tree.home())
	if r == nil || r.family != legged || len(r.legs) != 4 {
		t.Fatalf("classified as %+v, want four legs", r)
	}
	w := &writer{robot: r, step: m.d.Timestep}
	w.chooseDrives()
	w.choosePose()
	return w
}

// A robot without a keyframe stands with bent knees, each sole under its hip at the same
// height, the centre of mass between them.
func TestStandBendsLegs(t *testing.T) {
	w := standingWalker(t)
	r := w.robot
	for _, l := range r.legs {
		sole, hip := r.sole(l, w.frames), r.hip(l, w.frames)
		if math.Abs(sole.Z) > 0.01 || math.Abs(sole.X-hip.X) > 0.02 {
			t.Errorf("the sole of %s stands at %.3f, its hip is at %.3f", r.Bodies[l.foot].Ref, sole, hip)
		}
		knee := w.pose[r.Joints[l.joints[2]].PositionAt]
		if knee < -2.5 || knee > -0.6 {
			t.Errorf("the knee of %s is bent by %.2f rad", r.Bodies[l.foot].Ref, knee)
		}
	}
	polytest.EqualSlices(t, w.feet, []string{`.*_toe`}, "feet")
	if w.height == nil || *w.height < 0.2 || *w.height > 0.4 {
		t.Errorf("the base starts at %v, want between 0.2 and 0.4 m", w.height)
	}
}

// A robot starts on top of what is fixed below it, not inside, and is not moved away from there. A ball in its file
// does not pass through it.
func TestStandsOnPlatform(t *testing.T) {
	file := string(polytest.Must(os.ReadFile(walkerFile(t)))(t))
	path := writeModel(t, strings.Replace(file, "<worldbody>", `<worldbody>
		<body name="platform" pos="0 0 .2"><geom type="box" size=".6 .6 .2"/></body>
		<geom name="ceiling" type="box" size="2 2 .1" pos="0 0 3"/>
		<body name="wall" pos="2 0 1"><geom type="box" size=".1 2 1"/></body>
		<body name="ball" pos="2 0 .1"><freejoint/><geom size=".1"/></body>`, 1))
	text, _, err := open(t, path).Configuration(".", Tuning{})
	polytest.NoError(t, err)
	c := polytest.Must(configs.Parse("walker.yaml", text, nil, nil))(t)
	if h := c.Start.Height; h == nil || *h < 0.6 || *h > 0.8 {
		t.Errorf("the base starts at %v, want between 0.6 and 0.8 m", h)
	}
	if s := string(text); !strings.Contains(s, "pose_range: {yaw") || strings.Contains(s, "self_collision: false") {
		t.Errorf("the configuration moves the base or switches off contacts:\n%s", s)
	}
}

// Added actuators bear the robot: half of the legs hold its weight within the effort, and
// the stiffness oscillates slowly enough for the physics step.
func TestGainsBearTheRobot(t *testing.T) {
	w := standingWalker(t)
	w.chooseGains()
	if len(w.joints) != 12 {
		t.Fatalf("%d joints are driven, want 12", len(w.joints))
	}
	for _, k := range w.joints {
		j, g := w.Joints[k], w.gains[k]
		load := w.load(k, w.frames)
		if g.effort < load || load/g.kp > legSag*1.001 {
			t.Errorf("%s bears %.1f N m with kp %.1f and an effort of %.1f", j.Ref, load, g.kp, g.effort)
		}
		inertia := max(j.Inertia, g.armature)
		if math.Sqrt(g.kp/inertia)*w.step > fastest*1.001 {
			t.Errorf("%s oscillates at %.0f rad/s in steps of %v s", j.Ref, math.Sqrt(g.kp/inertia), w.step)
		}
	}
}

func TestClassify(t *testing.T) {
	link := func(name, inside string) string {
		return `<body name="` + name + `" pos="0 0 .3"><joint name="j` + name +
			`" axis="0 1 0" range="-90 90"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 .3"/>` + inside + `</body>`
	}
	for _, c := range []struct {
		name, body string
		want       family
		hand       string
	}{
		{"arm", link("a", link("b", link("c", ""))), arm, "c"},
		{"arm with fingers", link("a", link("b", link("hand", link("left", "")+link("right", "")))), arm, "hand"},
		{"pendulum", link("a", ""), otherFamily, ""},
		{"ball", `<body name="ball"><freejoint/><geom size=".1"/></body>` + link("a", link("b", "")), arm, "b"},
	} {
		m := open(t, writeModel(t, "<mujoco><worldbody>"+c.body+"</worldbody></mujoco>"))
		tree := &tree{&m.d}
		r := classify(tree, tree.home())
		if r == nil || r.family != c.want || c.hand != "" && r.Bodies[r.hands[0]].Ref != c.hand {
			t.Errorf("%s: got %+v", c.name, r)
		}
	}
}

func TestPatterns(t *testing.T) {
	all := []string{"FL_hip_joint", "FR_hip_joint", "FL_knee_joint", "FR_knee_joint", "neck", "neck_2"}
	for _, c := range []struct{ names, want []string }{
		{[]string{"FL_hip_joint", "FR_hip_joint"}, []string{`.*_hip_joint`}},
		{[]string{"FL_hip_joint", "FL_knee_joint"}, []string{`FL_.*`}},
		{[]string{"neck"}, []string{`neck`}},
		{[]string{"FL_hip_joint", "neck"}, []string{`FL_hip_joint`, `neck`}},
		{all, []string{`.*`}},
	} {
		polytest.EqualSlices(t, patterns(c.names, all), c.want, "patterns of %q", c.names)
	}
	for name, want := range map[string]string{"FL_hip_joint": "hip_joint", "left_knee": "knee", "ankle_4": "ankle",
		"fr_hx": "hx"} {
		polytest.Equal(t, stemOf(name), want, "the stem of %s", name)
	}
}

func TestRate(t *testing.T) {
	for seconds, want := range map[float64]string{0.02: "50", 0.021: "21ms", 0.002: "500", 0.015: "15ms", 0.03: "30ms"} {
		polytest.Equal(t, rate(seconds), want, "the rate of %v s", seconds)
	}
}

// The lowest point of a shape is where the formula of its form says.
func TestLowest(t *testing.T) {
	s := math.Sqrt(0.5)
	tilted, upright := [4]float64{s, s, 0, 0}, [4]float64{1, 0, 0, 0}
	for _, c := range []struct {
		form string
		size [3]float64
		turn [4]float64
		want float64
	}{
		{"sphere", [3]float64{.1}, upright, -.1},
		{"capsule", [3]float64{.1, .5}, upright, -.6},
		{"capsule", [3]float64{.1, .5}, tilted, -.1},
		{"cylinder", [3]float64{.1, .5}, upright, -.5},
		{"cylinder", [3]float64{.1, .5}, tilted, -.1},
		{"ellipsoid", [3]float64{.1, .2, .3}, tilted, -.2},
		{"box", [3]float64{.1, .2, .3}, tilted, -.2},
	} {
		g := mujoco.Geom{Type: c.form, Size: c.size, BoxSize: c.size, Quaternion: c.turn}
		m := &tree{&mujoco.Description{Geoms: []mujoco.Geom{g}}}
		if got := m.lowest(0, []frame{{turn: r3.Rotation{Real: 1}}}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s of size %v: %v, want %v", c.form, c.size, got, c.want)
		}
	}
}

// configuration returns what New writes for a model, and what it says that it left out.
func configuration(t *testing.T, path string) (text, left string) {
	t.Helper()
	yaml, notes, err := open(t, path).Configuration(t.TempDir(), Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	return string(yaml), strings.Join(notes, "\n")
}

// urdfWalker returns a robot on four legs as ROS describes one: no joint holds its base,
// unless it hangs on a link of the name root.
func urdfWalker(root string) string {
	inertial := func(mass string) string {
		return `<inertial><mass value="` + mass +
			`"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>`
	}
	var b strings.Builder
	b.WriteString(`<robot name="walker">`)
	if root != "" {
		b.WriteString(`<link name="` + root + `"/><joint name="fixed" type="fixed"><parent link="` + root +
			`"/><child link="trunk"/></joint>`)
	}
	b.WriteString(`<link name="trunk">` + inertial("8") +
		`<collision><geometry><box size=".5 .2 .1"/></geometry></collision></link>`)
	for leg, at := range map[string]string{"FL": ".25 .1 0", "FR": ".25 -.1 0", "RL": "-.25 .1 0", "RR": "-.25 -.1 0"} {
		const part = `<link name="LEG_PART">INERTIAL<collision><origin xyz="0 0 -.2"/><geometry><sphere radius=".02"/>
			</geometry></collision></link>
			<joint name="LEG_PART_joint" type="revolute"><parent link="PARENT"/><child link="LEG_PART"/><origin xyz="AT"/>
				<axis xyz="AXIS"/>
			<limit lower="LOW" upper="HIGH" effort="EFFORT" velocity="20"/></joint>`
		for _, p := range [][]string{{"hip", "trunk", at, "1 0 0", "-.8", ".8", "20"}, {"thigh", leg + "_hip", "0 0 0",
			"0 1 0", "-1", "2.5", "21"},
			{"calf", leg + "_thigh", "0 0 -.2", "0 1 0", "-2.7", "-.9", "35"}} {
			b.WriteString(strings.NewReplacer("LEG", leg, "PART", p[0], "PARENT", p[1], "AT", p[2], "AXIS", p[3], "LOW", p[4],
				"HIGH", p[5], "EFFORT", p[6],
				"INERTIAL", inertial(".4")).Replace(part))
		}
	}
	return b.String() + `</robot>`
}

// A URDF file does not say whether the base moves: one on legs gets a free base unless a link
// called world holds it. The efforts of its limits are those of the actuators.
func TestURDFOnLegsIsFree(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "walker.urdf")
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	for _, root := range []string{"", "base_link"} {
		text, left := configuration(t, write(urdfWalker(root)))
		for _, want := range []string{"a robot on 4 legs of 13 kg with 12 joints", "free: true ", "effort: 20}",
			"effort: 21}", "effort: 35}", "term: base_lin_vel"} {
			if !strings.Contains(text, want) {
				t.Errorf("root %q: no %q in\n%s", root, want, text)
			}
		}
		polytest.Equal(t, left, "", "left out")
	}
	text, _ := configuration(t, write(urdfWalker("world")))
	if !strings.Contains(text, "free: false ") || strings.Contains(text, "legs") {
		t.Errorf("a robot that is fixed to the world has the configuration\n%s", text)
	}
}

// An MJCF file of a robot with legs whose base no joint moves is set free, too.
func TestRobotOnLegsWithoutFreeJoint(t *testing.T) {
	data := polytest.Must(os.ReadFile(walkerFile(t)))(t)
	text, _ := configuration(t, writeModel(t, strings.Replace(string(data), "<freejoint/>", "", 1)))
	if !strings.Contains(text, "a robot on 4 legs") || !strings.Contains(text, "free: true ") {
		t.Errorf("the configuration is\n%s", text)
	}
}

// What a model has is driven, or it is said that it is not.
func TestNothingIsLeftOutUnsaid(t *testing.T) {
	const link = `<body pos="0 0 .3"><joint name="NAME" axis="0 1 0" range="-90 90"/>` +
		`<geom type="capsule" size=".02" fromto="0 0 0 0 0 .3"/>INNER</body>`
	chain := func(names ...string) string {
		text := ""
		for _, name := range slices.Backward(names) {
			text = strings.NewReplacer("NAME", name, "INNER", text).Replace(link)
		}
		return text
	}
	box := `<body name="box" pos="1 0 1"><freejoint/><geom type="box" size=".5 .5 .5" density="5000"/></body>`
	for _, c := range []struct {
		name, inside, more, left string
		want                     []string
	}{
		{"two arms", chain("l1", "l2") + chain("r1", "r2"), "", "", []string{`{joints: ["r2"], kp`, "name: pose_1,",
			"name: pose_2,", "command: pose_2, std: 0.05}"}},
		{"a drawer", chain("l1", "l2", "l3") + chain("drawer"), "", "what is no part of the robot: #4",
			[]string{`{joints: ["l3"], kp`}},
		{"a joint that follows", chain("l1", "l2", "l3"), `<equality><joint joint1="l3" joint2="l2"/></equality>`,
			"joints without an actuator of their own: l3", []string{"an arm on a fixed base", `{joints: ["l2"], kp`,
				`joints: [".*"]`}},
		{"a heavy box", box + chain("hinge"), "", "what is no part of the robot: box", []string{"term: joint_position"}},
		{"a tendon", chain("l1", "l2", "l3"), `<tendon><fixed name="cord"><joint joint="l2" coef="1"/><joint joint="l3"
			coef="1"/></fixed></tendon>
			<actuator><position name="l1" joint="l1" kp="10" ctrlrange="-1 1"/><position name="cord" tendon="cord" kp="10"
				ctrlrange="-.6 1"/></actuator>`,
			"joints without an actuator of their own: l2, l3",
			[]string{`term: joint_position, scale: 1}`,
				`{term: actuator_control, actuators: ["cord"], scale: 0.8, offset: 0.2}`, `joints: [".*"]`}},
		{"a muscle", chain("l1"), `<actuator><muscle name="m" joint="l1"/></actuator>`, "",
			[]string{`{term: actuator_control, actuators: ["m"], scale: 0.5, offset: 0.5}`}},
		{"a joint of another kind", chain("l1", "l2"),
			`<actuator><velocity joint="l1" kv="1" ctrlrange="-2 2"/>` +
				`<intvelocity name="iv" joint="l2" kp="20" actrange="-1 1"/></actuator>`, "",
			[]string{`{term: joint_velocity, joints: ["l1"]`, `{term: actuator_control, actuators: ["iv"]`}},
		{"two actuators of a joint", chain("l1"),
			`<actuator><position name="p" joint="l1" kp="10"/><velocity name="v" joint="l1" kv="1"/></actuator>`,
			"actuators that no action drives, whose control stays 0: v", []string{"term: joint_position"}},
		{"a gear without meaning", chain("l1", "l2"),
			`<actuator><motor joint="l1" gear="100" ctrlrange="-20000 20000"/>` +
				`<motor joint="l2" gear="100" ctrlrange="-20000 20000"/></actuator>`,
			"efforts of up to 2e+06 N m, as the weight of the robot asks for 6 at most",
			[]string{`scale: {"l1": 0.0604, "l2": 0.0151}`}},
	} {
		text, left := configuration(t, writeModel(t, "<mujoco><worldbody>"+c.inside+"</worldbody>"+c.more+"</mujoco>"))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, text)
			}
		}
		polytest.Equal(t, left, c.left, "%s: left out", c.name)
	}
}

// What is written for a robot of kilometres is within the bounds of a configuration.
func TestGiant(t *testing.T) {
	text, _ := configuration(t, writeModel(t, `<mujoco><worldbody><body pos="0 0 3000"><joint name="hip" axis="0 1 0"/>
		<geom type="capsule" size="100" fromto="0 0 0 0 0 -1000"/><body pos="0 0 -1000"><joint name="knee" axis="0 1 0"/>
		<geom type="capsule" size="90" fromto="0 0 0 700 0 -700"/></body></body></worldbody></mujoco>`))
	polytest.Must(configs.Parse("giant.yaml", []byte(text), nil, nil))(t)
}

// The actions of a joint go over its range. Where it has none, the scale is at most what its effort holds.
func TestScalesFollowRangesAndEfforts(t *testing.T) {
	text, _ := configuration(t, writeModel(t, `<mujoco><worldbody><body><joint name="a" axis="0 1 0"/><geom size=".1"
		pos=".2 0 0"/>
		<body pos=".3 0 0"><joint name="b" axis="0 1 0" range="-90 90"/><geom size=".02" pos=".1 0 0"/>
		<body pos=".2 0 0"><joint name="finger" type="slide" axis="0 1 0" range="0 .04"/><geom size=".01"/></body></body>
			</body></worldbody>
		<actuator><position joint="a" kp="100" forcerange="-10 10"/><position joint="b" kp="10"/><position joint="finger"
			kp="10"/></actuator></mujoco>`))
	if want := `offset: {"a": 0, "b": 0, "finger": 0.02}, scale: {"a": 0.1, "b": 1.57, "finger": 0.02}}`; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// A robot whose joints bear no load, such as balanced links, costs no more for its torques than rewards can stand.
func TestTorquesOfJointsWithoutLoad(t *testing.T) {
	var links strings.Builder
	for _, side := range []string{"left", "right"} {
		fmt.Fprintf(&links, `<body name="%s" pos="0.05 0 0"><joint name="%[1]s" axis="0 0 1" range="-60 60"/>
			<inertial mass="0.1" pos="0 0 1e-17" diaginertia="0.001 0.001 0.001"/></body>`, side)
	}
	m := polytest.Must(Open(writeModel(t, "<mujoco><worldbody>"+links.String()+"</worldbody></mujoco>"), false))(t)
	defer m.Close()
	text, _, err := m.Configuration(".", Tuning{})
	polytest.NoError(t, err)
	found := regexp.MustCompile(`joint_torques_l2, weight: -([0-9.e+]+)`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no weight of torques in\n%s", text)
	}
	if w := polytest.Must(strconv.ParseFloat(string(found[1]), 64))(t); !(w > 0 && w < 1e4) {
		t.Errorf("the weight of torques is -%g, want at most 1e4", w)
	}
}

const drone = `<mujoco><worldbody><body name="prop" pos="2 0 1"><freejoint/><geom size=".1"/></body>
	<body name="drone" pos="0 0 .1"><freejoint name="base"/><geom type="box" size=".1 .1 .02" mass=".5"/>
	<site name="m1" pos=".1 .1 0"/><site name="m2" pos="-.1 -.1 0" quat="0 1 0 0"/></body></worldbody><actuator>
	<motor site="m1" gear="0 0 1 0 0 .02" ctrlrange="0 8"/><motor site="m2" gear="0 0 -1 0 0 .02" ctrlrange="0 8"/>
	</actuator></mujoco>`

// A drone hovers, and a robot of ball joints moves by their actuators.
func TestRobotsWithoutHinges(t *testing.T) {
	for name, c := range map[string]struct {
		model, left string
		want        []string
		not         []string
	}{
		"drone": {drone, "what is no part of the robot: prop", []string{
			"name: walker-hover", "height: 1 ", "offset: 2.45}", "{term: base_height_l2, weight: -2, target_height: 1}",
			"term: uniform_velocity", "{term: track_lin_vel_xy_exp", "{term: base_pos_z, noise",
		}, []string{"joint_pos_rel", "joint_torques_l2", "reset_joints_by_offset"}},
		"ball joints": {`<mujoco><worldbody><body pos="0 0 1"><joint name="shoulder" type="ball"/>
			<geom name="hand" size=".1" pos="0 0 -.3"/></body></worldbody><actuator><motor name="x" joint="shoulder"
			gear="10 0 0" ctrlrange="-2 2"/><motor name="y" joint="shoulder" gear="0 10 0" ctrlrange="-2 2"/></actuator>
			</mujoco>`, "", []string{
			`{term: actuator_control, actuators: [".*"], scale: 2, offset: 0}`, "expr: joint.shoulder.position}",
			`expr: "geom.hand.position[2]"`,
		}, []string{"joint_pos_rel", "joint_torques_l2", "reset_joints_by_offset", "uniform_velocity"}},
	} {
		text, left := configuration(t, writeModel(t, c.model))
		polytest.Must(configs.Parse("new.yaml", []byte(text), nil, nil))(t)
		polytest.Equal(t, left, c.left, "%s: left out", name)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q in\n%s", name, not, text)
			}
		}
	}
	ball := writeModel(t, `<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>`)
	_, _, err := open(t, ball).Configuration(t.TempDir(), Tuning{})
	polytest.ErrorContains(t, err, "the model has no hinge or slide joint and no actuator, want something that moves")
}

// said returns the numbers that stand behind a word in a configuration.
func said(t *testing.T, text, word string) (numbers []float64) {
	t.Helper()
	for _, m := range regexp.MustCompile(regexp.QuoteMeta(word)+`(-?[0-9.e+-]+)`).FindAllStringSubmatch(text, -1) {
		numbers = append(numbers, polytest.Must(strconv.ParseFloat(m[1], 64))(t))
	}
	return numbers
}

// Actions of -1 and 1 are the ends of what a servo can do, of a joint or of a tendon, wherever it starts.
func TestActionsCoverTheRangeOfAServo(t *testing.T) {
	for name, c := range map[string]struct {
		joint, actuator string
		low, high       float64 // of the target, relative to the start
	}{
		"joint":        {`range="0 .04"`, `<position joint="f" kp="10"/>`, 0, 0.04},
		"from its end": {`range="-.1 0"`, `<position joint="f" kp="10"/>`, -0.1, 0},
		"control":      {``, `<position joint="f" kp="10" ctrlrange="-.01 .05"/>`, -0.01, 0.05},
		"gear":         {`range="-1 1"`, `<position joint="f" kp="10" gear="-2" ctrlrange="-.2 .1"/>`, -0.05, 0.1},
		"weak":         {`range="0 .4"`, `<position joint="f" kp="100" forcerange="-1 1"/>`, 0, 0.4},
		"added":        {`range="0 .04" actuatorfrcrange="-2 2"`, ``, 0, 0.04},
		"tendon":       {`range="0 .04"`, `<position tendon="t" kp="10" ctrlrange="0 .04"/>`, 0, 0.04},
		"start":        {`range="0 .04" ref=".04"`, `<position joint="f" kp="10"/>`, -0.04, 0},
	} {
		text, _ := configuration(t, writeModel(t, `<mujoco><compiler angle="radian"/><worldbody><body pos="0 0 1">
			<joint name="f" type="slide" axis="1 0 0" `+c.joint+`/><geom size=".02" mass=".1"/></body></worldbody>
			<tendon><fixed name="t"><joint joint="f" coef="1"/></fixed></tendon><actuator>`+c.actuator+`</actuator></mujoco>`))
		_, actions, _ := strings.Cut(text, "\nactions:")
		actions, _, _ = strings.Cut(actions, "\nobservations:")
		scale, offset := said(t, actions, "scale: "), append(said(t, actions, "offset: "), 0)
		if math.Abs(offset[0]-scale[0]-c.low) > 2e-3*(c.high-c.low) ||
			math.Abs(offset[0]+scale[0]-c.high) > 2e-3*(c.high-c.low) {
			t.Errorf("%s: targets go from %v to %v, want %v to %v", name, offset[0]-scale[0], offset[0]+scale[0], c.low, c.high)
		}
	}
}

// The weight of the torques follows from those that occur, whatever the kind of the actuators: an actuator whose gain
// may depend on the length, and does not, is what it is without that.
func TestWeightOfTorquesWhateverTheActuator(t *testing.T) {
	const arm = `<mujoco><worldbody><body name="hand" pos="0 0 1">
		<joint name="arm" axis="0 0 1" range="-40 40" damping="20" armature="1"/>
		<geom type="box" size=".2 .05 .05" pos=".2 0 0" mass="4"/>
		<body name="finger" pos=".4 0 0"><joint name="f" axis="0 1 0" range="0 90" armature=".001" damping=".01"/>
		<geom type="capsule" fromto="0 0 0 .05 0 0" size=".01" mass=".02"/></body></body></worldbody>
		<actuator><general name="arm" joint="arm" gainprm="500" biastype="affine" biasprm="0 -500" ctrlrange="-.7 .7" %s/>
		<position name="f" joint="f" kp="1"/></actuator></mujoco>`
	weights := map[string]float64{}
	for _, kind := range []string{"", `gaintype="affine"`} {
		text, _ := configuration(t, writeModel(t, fmt.Sprintf(arm, kind)))
		weights[kind] = said(t, text, "joint_torques_l2, weight: ")[0]
	}
	if plain, affine := weights[""], weights[`gaintype="affine"`]; affine != plain || plain < -1e-2 || plain > -1e-6 {
		t.Errorf("the weights are %v and %v, want one of about -0.0003", plain, affine)
	}
}

// All that hangs on a base that is fixed to the world is the robot.
func TestMassOfAllBranches(t *testing.T) {
	const finger = `<joint name="NAME_joint" type="prismatic"><parent link="palm"/><child link="NAME"/>
		<origin xyz="0 AT 1"/><axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="10" velocity="1"/>MIMIC</joint>
		<link name="NAME"><inertial><mass value="MASS"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/>
		</inertial></link>`
	path := filepath.Join(t.TempDir(), "gripper.urdf")
	text := `<robot name="gripper"><link name="palm"><inertial><mass value="2"/><inertia ixx=".02" iyy=".02" izz=".02"
		ixy="0" ixz="0" iyz="0"/></inertial></link>` +
		strings.NewReplacer("NAME", "l", "AT", ".05", "MASS", ".3", "MIMIC", "").Replace(finger) +
		strings.NewReplacer("NAME", "r", "AT", "-.05", "MASS", ".5", "MIMIC", `<mimic joint="l_joint"/>`).Replace(finger) +
		`</robot>`
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	if text, _ = configuration(t, path); !strings.HasPrefix(text, "# gripper.urdf: a robot of 0.8 kg with 2 joints") {
		head, _, _ := strings.Cut(text, "\n")
		t.Errorf("the configuration begins with %q, want 0.8 kg", head)
	}
}

const vehicleInertial = `<inertial><mass value="MASS"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/>
	</inertial>`

// wheelLink is a wheel in URDF, on a steering axis if PARENT is one.
const wheelLink = `<link name="NAME">` + vehicleInertial + `<collision><geometry><cylinder radius="RADIUS" length=".04"/>
	</geometry></collision></link><joint name="NAME_joint" type="continuous"><parent link="PARENT"/><child link="NAME"/>
	<origin xyz="AT" rpy="1.5708 0 0"/><axis xyz="0 0 1"/><limit effort="5" velocity="10"/></joint>`

const forkLink = `<link name="NAME">` + vehicleInertial + `</link><joint name="NAME_joint" type="TYPE"><parent link="base"/>
	<child link="NAME"/><origin xyz="AT"/><axis xyz="0 0 1"/><limit lower="-.6" upper=".6" effort="9" velocity="9"/></joint>`

// vehicle returns the path of a URDF file of a robot whose parts are on a box.
func vehicle(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rover.urdf")
	text := `<robot name="rover"><link name="base">` + vehicleInertial + `<collision><geometry><box size=".4 .3 .1"/>
		</geometry></collision></link>` + strings.Join(parts, "") + `</robot>`
	polytest.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "MASS", "2")), 0o666))
	return path
}

func part(text, name, parent, at, radius, kind string) string {
	return strings.NewReplacer("NAME", name, "PARENT", parent, "AT", at, "RADIUS", radius, "TYPE", kind).Replace(text)
}

// A robot on wheels stands on them with a free base, and drives them by servos of velocities. A caster is dragged
// along, a front axle is steered, and wheels that do not reach the ground are none.
func TestVehicles(t *testing.T) {
	left, right := part(wheelLink, "left", "base", "0 .2 0", ".1", ""), part(wheelLink, "right", "base", "0 -.2 0", ".1", "")
	for name, c := range map[string]struct {
		path string
		want []string
		not  []string
	}{
		"two wheels": {vehicle(t, left, right), []string{"a robot on 2 wheels of 6 kg", "free: true ", "height: 0.101 ",
			`{joints: [".*"], type: velocity, kd: `, "{term: joint_velocity, scale: 15}", "term: uniform_velocity",
			"lin_vel_y: [0, 0]", "track_lin_vel_xy_exp"}, []string{"joint_pos_rel", "joint_position", "left out"}},
		"caster": {vehicle(t, left, right, part(forkLink, "fork", "", "-.2 0 0", "", "continuous"),
			part(wheelLink, "roll", "fork", "-.05 0 -.05", ".05", "")), []string{"a robot on 3 wheels", "free: true ",
			`{joints: ["left_joint", "right_joint"], type: velocity`, "without an actuator of their own: fork_joint, roll_joint"},
			nil},
		"steered": {vehicle(t, left, right, part(forkLink, "fl", "", ".2 .15 0", "", "revolute"),
			part(forkLink, "fr", "", ".2 -.15 0", "", "revolute"), part(wheelLink, "wl", "fl", "0 0 0", ".1", ""),
			part(wheelLink, "wr", "fr", "0 0 0", ".1", "")), []string{"a robot on 4 wheels", `joint_velocity, joints: `,
			`{term: joint_position, joints: ["fl_joint", "fr_joint"], scale: 0.6}`}, nil},
		"on its belly": {vehicle(t, part(wheelLink, "left", "base", "0 .2 0", ".04", ""),
			part(wheelLink, "right", "base", "0 -.2 0", ".04", "")), []string{"free: false"}, []string{"wheels"}},
	} {
		text, _ := configuration(t, c.path)
		polytest.Must(configs.Parse("rover.yaml", []byte(text), nil, nil))(t)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q in\n%s", name, not, text)
			}
		}
	}
}

// The link that a comment takes away holds no robot.
func TestWorldInAComment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "walker.urdf")
	text := strings.Replace(urdfWalker(""), "<link", `<!-- <link name="world"/> --><link`, 1)
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	if text, _ := configuration(t, path); !strings.Contains(text, "free: true ") {
		t.Errorf("the configuration is\n%s", text)
	}
}

// A body that is welded to something else does not start elsewhere, nor do joints in a closed loop; others do.
func TestHeldBodiesStartWhereTheyAre(t *testing.T) {
	const model = `<mujoco><worldbody><body name="mc" mocap="true" pos="0 0 1.5"/>
		<body name="p" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .05" mass="1"/>
		<body name="q" pos=".2 0 0"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
			<site name="tip" pos=".3 0 0"/></body>
		<body name="r" pos=".5 .1 0"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .3" size=".03"/>
			<site name="end"/></body></body></worldbody>
		<equality>%s</equality><actuator><motor joint="a" ctrlrange="-1 1"/><motor joint="b" ctrlrange="-1 1"/></actuator>
		</mujoco>`
	const tendon = `</equality><tendon><fixed name="t"><joint joint="a" coef="1"/></fixed></tendon><equality>`
	const base, joints = "term: reset_root_state_uniform", "term: reset_joints_by_offset"
	for held, want := range map[string]struct {
		base, joints bool
		only         string // pattern of the joints, if not all
	}{
		"": {true, true, ""},
		`<weld body1="p" body2="mc" relpose="0 0 .5 1 0 0 0"/>`: {false, true, ""},
		`<connect body1="mc" body2="p" anchor="0 0 0"/>`:        {false, true, ""},
		`<connect site1="tip" site2="end"/>`:                    {true, false, ""},
		`<connect body1="q" body2="p" anchor=".3 0 0"/>`:        {true, true, "b"},
		tendon:                           {true, true, ""},
		tendon + `<tendon tendon1="t"/>`: {true, true, "b"},
	} {
		text, _ := configuration(t, writeModel(t, fmt.Sprintf(model, held)))
		only := `velocity_range: [0, 0]}`
		if want.only != "" {
			only = `velocity_range: [0, 0], joints: ["` + want.only + `"]}`
		}
		if strings.Contains(text, base) != want.base || strings.Contains(text, joints) != want.joints ||
			want.joints && !strings.Contains(text, only) {
			t.Errorf("%s: want %+v in\n%s", held, want, text)
		}
	}
}

// The foot and what it is fixed to stand on the ground: neither is an undesired contact.
func TestCalvesMayStand(t *testing.T) {
	file := string(polytest.Must(os.ReadFile(walkerFile(t)))(t))
	toe := regexp.MustCompile(`<geom name="(.._toe)" type="sphere" size=".02" pos="0 0 -.2" mass=".05"/>`)
	text, _ := configuration(t, writeModel(t, toe.ReplaceAllString(file,
		`<body name="$1" pos="0 0 -.2"><geom name="$1" size=".02" mass=".05"/></body>`)))
	if want := `bodies: [".*_thigh"]}`; !strings.Contains(text, "undesired_contacts, weight: -0.5, "+want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// An arm that lies in the floor as its file has it starts above it, or gets no floor where no bend helps.
func TestArmsStartAboveTheFloor(t *testing.T) {
	const link = `<geom type="capsule" fromto="0 0 0 .4 0 0" size=".1"/>`
	arm := func(limits string) string {
		return writeModel(t, `<mujoco><worldbody><body name="post"><geom type="cylinder" size=".1 .05"/>
			<body pos="0 0 .15"><joint name="pan" axis="0 0 1"/><geom size=".03" contype="0" conaffinity="0"/>
			<body><joint name="lift" axis="0 1 0" `+limits+`/>`+link+`
			<body pos=".4 0 0"><joint name="elbow" axis="0 1 0" `+limits+`/>`+link+`<geom size=".2" pos=".3 0 0"/>
			</body></body></body></body></worldbody>
			</mujoco>`)
	}
	text, _ := configuration(t, arm(`range="-180 180"`))
	if !strings.Contains(text, "start:\n  joints: ") || !strings.Contains(text, `"lift": -`) || !strings.Contains(text,
		"floor: auto") {
		t.Errorf("an arm in the floor has the configuration\n%s", text)
	}
	if text, _ = configuration(t, arm(`range="0 1"`)); !strings.Contains(text, "floor: false") {
		t.Errorf("an arm that cannot leave the floor has the configuration\n%s", text)
	}
}

// A drone in URDF gets a free base and rotors that push it, neighbours against one another, and hovers.
func TestDroneInURDF(t *testing.T) {
	const rotor = `<link name="rotor_N"><inertial><mass value=".01"/><inertia ixx="1e-6" iyy="1e-5" izz="1e-5" ixy="0" ixz="0"
		iyz="0"/></inertial></link><joint name="N" type="KIND"><parent link="base"/><child link="rotor_N"/><origin xyz="AT .02"
		rpy=".2 0 0"/><axis xyz="0 0 1"/><limit lower="-1e16" upper="1e16" effort="0" velocity="0"/></joint>`
	text := `<robot name="quad"><link name="base">` + strings.Replace(vehicleInertial, "MASS", "1.46", 1) +
		`<collision><geometry><box size=".3 .3 .1"/></geometry></collision></link>`
	for name, at := range map[string]string{"front": ".2 0", "left": "0 .2", "back": "-.2 0", "right": "0 -.2"} {
		text += strings.NewReplacer("N", name, "AT", at, "KIND", map[bool]string{true: "continuous", false: "revolute"}[name <
			"g"]).Replace(rotor)
	}
	path := filepath.Join(t.TempDir(), "quad.urdf")
	polytest.NoError(t, os.WriteFile(path, []byte(text+`</robot>`), 0o666))
	yaml, left := configuration(t, path)
	polytest.Must(configs.Parse("quad.yaml", []byte(yaml), nil, nil))(t)
	polytest.Equal(t, left, "", "left out")
	for _, want := range []string{"quad.urdf: a robot that flies of 1.5 kg with 0 joints, 0 actuators", "free: true ",
		"height: 1 ", "term: actuator_control", "uniform_velocity"} {
		if !strings.Contains(yaml, want) {
			t.Errorf("no %q in\n%s", want, yaml)
		}
	}
	same := regexp.MustCompile(`joints: \["(\w+)", "(\w+)"\], type: thrust, effort: 7.4, torque_per_thrust: (-?0.016)}`)
	signs := map[string]string{}
	for _, m := range same.FindAllStringSubmatch(yaml, -1) {
		signs[m[1]], signs[m[2]] = m[3], m[3]
	}
	if len(signs) != 4 || signs["front"] != signs["back"] || signs["left"] != signs["right"] || signs["front"] == signs["left"] {
		t.Errorf("the torques of the rotors are %v in\n%s", signs, yaml)
	}
}
