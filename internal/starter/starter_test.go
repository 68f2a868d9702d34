package starter

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// walker is a robot on four straight legs, without actuators, floor or keyframe. Its
// knees cannot be straight.
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
	<joint name="NAME_roll" axis="1 0 0" range="-60 60"/><geom type="sphere" size=".03" mass=".5" contype="0" conaffinity="0"/>
	<body name="NAME_thigh" pos="0 SIDE 0">
		<joint name="NAME_pitch" axis="0 1 0" range="-90 90"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2" mass=".5"/>
		<body name="NAME_shin" pos="0 0 -.2">
			<joint name="NAME_knee" axis="0 1 0" range="-150 -30"/><geom type="capsule" size=".01" fromto="0 0 0 0 0 -.2" mass=".1"/>
			<geom name="NAME_toe" type="sphere" size=".02" pos="0 0 -.2" mass=".05"/>
		</body>
	</body>
</body>`

// writeModel writes a model file and returns its path.
func writeModel(t *testing.T, xml string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "walker.xml")
	if err := os.WriteFile(path, []byte(xml), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func walkerFile(t *testing.T) string {
	var legs strings.Builder
	for _, leg := range [][]string{{"FL", "X", ".25", "Y", ".1", "SIDE", ".05"}, {"FR", "X", ".25", "Y", "-.1", "SIDE", "-.05"},
		{"RL", "X", "-.25", "Y", ".1", "SIDE", ".05"}, {"RR", "X", "-.25", "Y", "-.1", "SIDE", "-.05"}} {
		legs.WriteString(strings.NewReplacer(append([]string{"NAME", leg[0]}, leg[1:]...)...).Replace(walkerLeg))
	}
	return writeModel(t, strings.Replace(walker, "LEGS", legs.String(), 1))
}

func open(t *testing.T, path string) *Model {
	t.Helper()
	m, err := Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// A robot without a keyframe stands with bent knees, each sole under its hip at the same
// height, the centre of mass between them.
func TestStandBendsLegs(t *testing.T) {
	m := open(t, walkerFile(t))
	tree, home := treeOf(&m.d)
	r := classify(tree, home)
	if r == nil || r.family != legged || len(r.legs) != 4 {
		t.Fatalf("classified as %+v, want four legs", r)
	}
	w := &writer{robot: r, d: &m.d, step: m.d.Timestep}
	w.chooseDrives()
	w.choosePose(home)
	for _, l := range r.legs {
		sole, hip := r.sole(l, w.frames), r.hip(l, w.frames)
		if math.Abs(sole.Z) > 0.01 || math.Abs(sole.X-hip.X) > 0.02 {
			t.Errorf("the sole of %s stands at %.3f, its hip is at %.3f", r.bodies[l.foot].name, sole, hip)
		}
		knee := w.pose[r.tree.joints[l.joints[2]].address]
		if knee < -2.5 || knee > -0.6 {
			t.Errorf("the knee of %s is bent by %.2f rad", r.bodies[l.foot].name, knee)
		}
	}
	if want := []string{`.*_toe`}; !slices.Equal(w.feet, want) {
		t.Errorf("feet %q, want %q", w.feet, want)
	}
	if w.height == nil || *w.height < 0.2 || *w.height > 0.4 {
		t.Errorf("the base starts at %v, want between 0.2 and 0.4 m", w.height)
	}
}

// Added actuators bear the robot: half of the legs hold its weight within the effort, and
// the stiffness oscillates slowly enough for the physics step.
func TestGainsBearTheRobot(t *testing.T) {
	m := open(t, walkerFile(t))
	tree, home := treeOf(&m.d)
	w := &writer{robot: classify(tree, home), d: &m.d, step: m.d.Timestep}
	w.chooseDrives()
	w.choosePose(home)
	w.chooseGains()
	if len(w.joints) != 12 {
		t.Fatalf("%d joints are driven, want 12", len(w.joints))
	}
	for _, k := range w.joints {
		j, g := w.tree.joints[k], w.gains[k]
		load := w.load(k, w.frames)
		if g.effort < load || load/g.kp > legSag*1.001 {
			t.Errorf("%s bears %.1f N m with kp %.1f and an effort of %.1f", j.name, load, g.kp, g.effort)
		}
		inertia := max(j.inertia, g.armature)
		if math.Sqrt(g.kp/inertia)*w.step > fastest*1.001 {
			t.Errorf("%s oscillates at %.0f rad/s in steps of %v s", j.name, math.Sqrt(g.kp/inertia), w.step)
		}
	}
}

func TestClassify(t *testing.T) {
	link := func(name, inside string) string {
		return `<body name="` + name + `" pos="0 0 .3"><joint name="j` + name + `" axis="0 1 0" range="-90 90"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 .3"/>` + inside + `</body>`
	}
	for _, c := range []struct {
		name, body string
		want       family
		hand       string
	}{
		{"arm", link("a", link("b", link("c", ""))), arm, "c"},
		{"arm with fingers", link("a", link("b", link("hand", link("left", "")+link("right", "")))), arm, "hand"},
		{"pendulum", link("a", ""), something, ""},
		{"ball", `<body name="ball"><freejoint/><geom size=".1"/></body>` + link("a", link("b", "")), arm, "b"},
	} {
		m := open(t, writeModel(t, "<mujoco><worldbody>"+c.body+"</worldbody></mujoco>"))
		tree, home := treeOf(&m.d)
		r := classify(tree, home)
		if r == nil || r.family != c.want || c.hand != "" && r.bodies[r.hand].name != c.hand {
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
		if got := patterns(c.names, all); !slices.Equal(got, c.want) {
			t.Errorf("patterns of %q are %q, want %q", c.names, got, c.want)
		}
	}
	for name, want := range map[string]string{"FL_hip_joint": "hip_joint", "left_knee": "knee", "ankle_4": "ankle", "fr_hx": "hx"} {
		if got := stemOf(name); got != want {
			t.Errorf("the stem of %s is %q, want %q", name, got, want)
		}
	}
}

func TestRate(t *testing.T) {
	for seconds, want := range map[float64]string{0.02: "50", 0.021: "21ms", 0.002: "500", 0.015: "15ms", 0.03: "30ms"} {
		if got := rate(seconds); got != want {
			t.Errorf("the rate of %v s is %s, want %s", seconds, got, want)
		}
	}
}

// The lowest point of a shape is where the formula of its form says.
func TestLowest(t *testing.T) {
	tilted := frame{turn: r3.NewRotation(math.Pi/2, r3.Vec{X: 1})}
	upright := frame{turn: r3.Rotation{Real: 1}}
	for _, c := range []struct {
		form form
		size r3.Vec
		in   frame
		want float64
	}{
		{sphere, r3.Vec{X: .1}, upright, -.1},
		{capsule, r3.Vec{X: .1, Y: .5}, upright, -.6},
		{capsule, r3.Vec{X: .1, Y: .5}, tilted, -.1},
		{cylinder, r3.Vec{X: .1, Y: .5}, upright, -.5},
		{cylinder, r3.Vec{X: .1, Y: .5}, tilted, -.1},
		{ellipsoid, r3.Vec{X: .1, Y: .2, Z: .3}, tilted, -.2},
		{box, r3.Vec{X: .1, Y: .2, Z: .3}, tilted, -.2},
	} {
		s := shape{form: c.form, size: c.size, place: upright}
		if got := s.lowest(c.in); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("form %d of size %v: %v, want %v", c.form, c.size, got, c.want)
		}
	}
}
