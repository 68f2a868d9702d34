package mujoco

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// TestDescribeGeometry checks what a kinematic tree is built from, on a pendulum whose numbers can be computed by hand.
func TestDescribeGeometry(t *testing.T) {
	m := mustCompile(t, map[string]string{"pendulum.xml": `<mujoco>
		<worldbody>
			<body name="arm" pos="0 0 2">
				<joint name="pivot" axis="0 1 0" pos="0 0 .5" armature=".25"/>
				<inertial pos="0 0 -.5" mass="2" diaginertia="1 1 1"/>
				<geom name="bob" type="box" size=".1 .2 .3" pos="0 0 -1" quat="0 0 1 0"/>
			</body>
		</worldbody>
	</mujoco>`}, scene.Settings{Models: []scene.Model{{File: "pendulum.xml"}}, Floor: scene.No})
	d := m.Describe()
	polytest.Equal(t, d.Bodies[1].Centre, [3]float64{0, 0, -.5}, "the centre of mass")
	j := d.Joints[0]
	polytest.Equal(t, j.Anchor, [3]float64{0, 0, .5}, "the anchor")
	// the moment of inertia, the mass at 1 m from the pivot, the armature
	if want := 1 + 2*1*1 + .25; math.Abs(j.Inertia-want) > 1e-12 {
		t.Errorf("the inertia at the joint is %v kg·m², want %v", j.Inertia, want)
	}
	g := d.Geoms[0]
	if g.Quaternion != [4]float64{0, 0, 1, 0} || g.BoxCentre != [3]float64{} || g.BoxSize != [3]float64{.1, .2, .3} {
		t.Errorf("the geom is turned by %v with a box of %v at %v", g.Quaternion, g.BoxSize, g.BoxCentre)
	}
}

func TestContacts(t *testing.T) {
	m := mustCompile(t, map[string]string{"ball.xml": `<mujoco>
		<worldbody>
			<geom name="ground" type="plane" size="1 1 1"/>
			<body name="ball" pos="0 0 .09"><freejoint/><geom name="ball" size=".1"/></body>
		</worldbody>
	</mujoco>`}, scene.Settings{Models: []scene.Model{{File: "ball.xml"}}})
	row := make([]float64, m.StateSize())
	m.InitialState(row)
	contacts := polytest.Must(m.Contacts(row))(t)
	if len(contacts) != 1 || contacts[0].Geoms != [2]int{0, 1} || math.Abs(contacts[0].Distance+0.01) > 1e-9 {
		t.Errorf("contacts %+v, want one of 0 and 1 that overlaps by 0.01 m", contacts)
	}
	qpos := polytest.Must(m.Field("qpos"))(t)
	qpos.In(row)[2] = 1
	if contacts, err := m.Contacts(row); err != nil || len(contacts) != 0 {
		t.Errorf("contacts %+v of a ball in the air (%v), want none", contacts, err)
	}
	if _, err := m.Contacts(row[1:]); err == nil {
		t.Error("a state that is too short was accepted")
	}
}

func TestDescribeKeepsTheTimestepOfTheFile(t *testing.T) {
	file := write(t, `<mujoco><option timestep=".004"/><worldbody><geom size="1"/></worldbody></mujoco>`)
	m := polytest.Must(Compile(scene.Settings{Models: []scene.Model{{File: file}}}, "", Options{Timestep: 0.01}))(t)
	defer m.Close()
	if d := m.Describe(); d.Timestep != 0.01 || d.FileTimestep != 0.004 {
		t.Errorf("physics steps of %v s and %v s in the file, want 0.01 and 0.004", d.Timestep, d.FileTimestep)
	}
}

func TestDescribePairs(t *testing.T) {
	m := mustCompile(t, map[string]string{"ball.xml": `<mujoco>
		<default><geom contype="0" conaffinity="0"/></default>
		<worldbody>
			<geom name="ground" type="plane" size="1 1 1"/>
			<body><freejoint/><geom name="ball" size=".1"/><geom name="paint" size=".2"/></body>
		</worldbody>
		<contact><pair geom1="ground" geom2="ball"/></contact>
	</mujoco>`}, scene.Settings{Models: []scene.Model{{File: "ball.xml"}}})
	polytest.Equal(t, len(m.Describe().Geoms), 3, "geoms: the ground that the pair names is a floor")
	for i, want := range []bool{true, true, false} {
		if g := m.Describe().Geoms[i]; g.Collides() != want {
			t.Errorf("geom %s collides: %t, want %t", g.Name, !want, want)
		}
	}
}

// Models from equal files have equal digests wherever the files lie, and other ones as
// soon as anything in a file differs, be it one that is included.
func TestDigest(t *testing.T) {
	digest := func(mass string) uint32 {
		m := mustCompile(t, map[string]string{
			"main.xml": `<mujoco><include file="body.xml"/></mujoco>`,
			"body.xml": `<mujoco><worldbody><body name="ball"><freejoint/><geom size="0.1" mass="` + mass +
				`"/></body></worldbody></mujoco>`,
		}, one)
		polytest.Equal(t, m.Digest(), m.Digest(), "a model has two digests")
		return m.Digest()
	}
	light, same, heavy := digest("1"), digest("1"), digest("2")
	if light != same {
		t.Errorf("equal files: digests %08x and %08x", light, same)
	}
	if light == heavy {
		t.Errorf("another mass in an included file: digest %08x both times", light)
	}
	assets := func(files map[string]string) uint32 { return mustCompile(t, files, one).Digest() }
	changed := rich()
	changed["assets/hills.png"] = pngFile(6, 6)
	if first, again := assets(rich()), assets(rich()); first != again || first == assets(changed) {
		t.Errorf("equal assets: digests %08x and %08x, of others %08x", first, again, assets(changed))
	}
}
