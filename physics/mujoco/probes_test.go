package mujoco

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// walkerProbes are probes of every kind.
var walkerProbes = []string{
	"pose", "body/trunk/position", "body/left/quaternion", "body/left/velocity", "body/box/velocity",
	"geom/left/position", "site/imu/position", "site/imu/velocity", "qacc", "joint/left_hip/torque",
	"actuator_force", "actuator/right_hip/force", "contact/body/left", "contact/geom/floor", "contact/body/world",
	"body/trunk/angular_momentum", "body/left/wrench", "contact/within/world",
	"contact/geom/box",
}

// At each boundary the samples are what mj_forward computes at that state, whatever the
// integrator, and sampling changes no bit of the state.
func TestProbesAreThoseOfForward(t *testing.T) {
	for _, integrator := range []string{"Euler", "implicit", "implicitfast", "RK4"} {
		t.Run(integrator, func(t *testing.T) {
			m := newWalker(t, map[string]string{"integrator": integrator})
			out := probes(t, m, walkerProbes...)
			const substeps, slots = 3, 8
			own, other := stepper(t, m, 1, out), stepper(t, m, 1, out)
			rows, single := physics.NewRows(m, 1, out, slots), physics.NewRows(m, 1, out, slots)
			oracle := forwardedLoop(t, m)
			control, _ := m.Field("control")
			ids := []int32{0}
			step(t, own, rows, ids, nil)
			touched := false
			for call := range 120 {
				copy(control.In(rows.Row(0)), []float64{math.Sin(0.2 * float64(call)), -0.4})
				step(t, own, rows, ids, []int32{substeps})
				for k := range int64(substeps) {
					boundary := int64(call)*substeps + k
					oracle.State(0, single.Row(0))
					copy(control.In(single.Row(0)), control.In(rows.Row(0)))
					step(t, other, single, ids, nil)
					got := rows.Sample(0, boundary)
					sameBits(t, fmt.Sprint("sample of boundary ", boundary), got, single.Sample(0, 0))
					touched = touched || got[len(got)-1] > 0
					polytest.NoError(t, oracle.Run(control.In(rows.Row(0)), nil, nil, 1))
				}
				want := make([]float64, m.StateSize())
				oracle.State(0, want)
				sameBits(t, fmt.Sprint("state after call ", call), rows.Row(0), want)
			}
			if !touched {
				t.Error("nothing touched the floor: the scene does not test contact forces")
			}
		})
	}
}

// A box at rest is carried by the floor with its weight.
func TestContactForceCarriesTheWeight(t *testing.T) {
	m := newWalker(t, nil)
	out := probes(t, m, "contact/body/box", "contact/geom/box", "contact/body/world", "contact/body/trunk",
		"contact/body/left", "contact/body/right")
	own := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 101)
	ids, n := []int32{0}, []int32{100}
	own.Forward(rows, ids)
	for range 20 {
		step(t, own, rows, ids, n)
	}
	sample := rows.Sample(0, rows.Boundary[0]-1)
	const weight = 9.81
	force := func(i int) []float64 { return sample[3*i : 3*i+3] }
	total := 0.0 // on all robot bodies
	for i := 3; i < 6; i++ {
		total += force(i)[2]
	}
	for _, c := range []struct {
		name      string
		got, want []float64
		tolerance float64
	}{
		{"on the box", force(0), []float64{0, 0, weight}, 1e-3},
		{"on the box's geom", force(1), force(0), 0},
		{"on the robot", []float64{0, 0, total}, []float64{0, 0, 6 * weight}, 0.5},
		{"on the world", []float64{0, 0, force(2)[2]}, []float64{0, 0, -total - force(0)[2]}, 1e-9},
	} {
		for k := range 3 {
			if !(math.Abs(c.got[k]-c.want[k]) <= c.tolerance) {
				t.Errorf("force %s is %v N, want %v", c.name, c.got, c.want)
				break
			}
		}
	}
}

// The velocity of a frame is how fast its origin moves, in world axes, and how fast it turns about them.
func TestFrameVelocities(t *testing.T) {
	m := newWalker(t, map[string]string{"gravity": "0 0 0"})
	out := probes(t, m, "body/trunk/position", "body/trunk/quaternion", "body/trunk/velocity",
		"site/imu/position", "site/imu/velocity")
	own := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 3)
	place, _ := m.Field("joint/root/position")
	speed, _ := m.Field("joint/root/velocity")
	copy(place.In(rows.Row(0)), []float64{0, 0, 2, 0.5, 0.5, 0.5, 0.5}) // x axis along world y
	copy(speed.In(rows.Row(0)), []float64{0.1, 0.2, 0.3, 2, 0, 0})      // turning about its own x
	ids := []int32{0}
	own.Forward(rows, ids)
	step(t, own, rows, ids, []int32{1})
	s := rows.Sample(0, 0)
	position, quaternion, velocity, site, siteVelocity := s[:3], s[3:7], s[7:13], s[13:16], s[16:22]
	arm := []float64{site[0] - position[0], site[1] - position[1], site[2] - position[2]}
	for _, c := range []struct {
		name      string
		got, want []float64
	}{
		{"position", position, []float64{0, 0, 2}},
		{"quaternion", quaternion, []float64{0.5, 0.5, 0.5, 0.5}},
		{"velocity", velocity, []float64{0.1, 0.2, 0.3, 0, 2, 0}},
		// ω × arm with ω = (0, 2, 0)
		{"velocity of the site", siteVelocity, []float64{0.1 + 2*arm[2], 0.2, 0.3 - 2*arm[0], 0, 2, 0}},
		{"the site's place", arm, []float64{0.02, 0.1, 0}}, // 0.1 along y, 0.02 along its own z, world x
	} {
		for i := range c.want {
			if math.Abs(c.got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
				break
			}
		}
	}
}

// Objects without a name go by their number; forces from outside can be written by name.
func TestNamesOfObjects(t *testing.T) {
	m := polytest.Must(LoadBytes("plain.xml", []byte(`<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <body mocap="true" name="target" pos="0 0 1"><geom size="0.1" contype="0" conaffinity="0"/></body>
    <body pos="0 0 2"><freejoint/><geom size="0.1" mass="2"/><site name="top"/></body>
  </worldbody>
  <actuator><motor site="top" gear="0 0 0 0 0 0"/></actuator>
</mujoco>`), Options{}))(t)
	t.Cleanup(func() { m.Close() })
	out := probes(t, m, "body/#2/position", "geom/#1/position", "joint/#0/velocity", "contact/body/#2", "contact/geom/#0",
		"body/target/position", "pose")
	own := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 11)
	for name, values := range map[string][]float64{
		"xfrc_applied/#2": {0, 4, 0, 0, 0, 0}, "qfrc_applied/#0": {2, 0, 0, 0, 0, 0}, "actuator/#0": {1},
		"mocap_pos/target": {3, 3, 3}, "mocap_quat/target": {0, 1, 0, 0},
	} {
		span := polytest.Must(m.Field(name))(t)
		if copy(span.In(rows.Row(0)), values) != span.Len {
			t.Errorf("field %s has %d values, want %d", name, span.Len, len(values))
		}
	}
	own.Forward(rows, []int32{0})
	step(t, own, rows, []int32{0}, []int32{10})
	const seconds = 10 * 0.002
	s := rows.Sample(0, 10)
	if got := s[6:9]; math.Abs(got[0]-seconds) > 1e-12 || math.Abs(got[1]-2*seconds) > 1e-12 || math.Abs(got[2]) > 1e-12 {
		t.Errorf("velocity under the forces is %v m/s, want %v", got, []float64{seconds, 2 * seconds, 0})
	}
	polytest.EqualSlices(t, s[18:21], []float64{3, 3, 3}, "the mocap body is at")
	polytest.EqualSlices(t, s[21+7:], []float64{3, 3, 3, 0, 1, 0, 0}, "the pose of the mocap body")
	for _, source := range []string{"body/#9/position", "contact/body/nobody", "body//position"} {
		polytest.ErrorContains(t, polytest.Err(m.Probe(source)), source)
	}
}

// An arm that hangs at rest from two hinges is carried by what is above it, and twisted where it hangs off a side.
func TestWrenchCarriesWhatHangs(t *testing.T) {
	m := polytest.Must(LoadBytes("arm.xml", []byte(`<mujoco><worldbody><body name="upper" pos="0 0 1">
  <joint axis="1 0 0" damping="1"/><geom size="0.1" mass="2"/>
  <body name="lower" pos="0 0 -0.5"><joint axis="0 0 1" damping="1"/>
  <geom name="hand" pos="0.2 0 0" size="0.05" mass="3"/></body></body></worldbody></mujoco>`), Options{}))(t)
	t.Cleanup(func() { m.Close() })
	out := probes(t, m, "body/upper/wrench", "body/lower/wrench", "contact/within/upper", "body/lower/incoming_wrench")
	own := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 3)
	step(t, own, rows, []int32{0}, []int32{1})
	const g = 9.81 // the torque is y: (0.2, 0, 0) × (0, 0, 3g)
	want := []float64{0, 0, 5 * g, 0, -0.6 * g, 0, 0, 0, 3 * g, 0, -0.6 * g, 0, 0, 0, 0, 3 * g, 0, -0.6 * g, 0}
	for i, x := range rows.Sample(0, 0) {
		if math.Abs(x-want[i]) > 1e-9 {
			t.Fatalf("the wrenches are %v, want %v", rows.Sample(0, 0), want)
		}
	}
}

// The angular momentum of a tree is that of its bodies about their common centre of mass.
func TestAngularMomentum(t *testing.T) {
	m := newWalker(t, nil)
	names := []string{"trunk", "left", "right"}
	var sources []string
	for _, name := range names {
		sources = append(sources, "body/"+name+"/position", "body/"+name+"/quaternion", "body/"+name+"/velocity")
	}
	out := probes(t, m, append(sources, "body/trunk/angular_momentum")...)
	own := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 41)
	speed, _ := m.Field("qvel")
	copy(speed.In(rows.Row(0)), []float64{1, 2, 3, -1, 2, 4, 3, -5})
	step(t, own, rows, []int32{0}, []int32{40})
	for _, boundary := range []int64{10, 40} {
		s := rows.Sample(0, boundary)
		var mass float64
		var centre, momentum, want [3]float64 // of the tree
		positions, velocity := make([][3]float64, 3), make([][3]float64, 3)
		for i := range names {
			p, q, v := s[13*i:], s[13*i+3:], s[13*i+7:]
			arm := rotate(q, numbers(m.c.body_ipos, 3*i+3, 3))
			w := [3]float64(v[3:6])
			turn := cross(w, arm)
			body := number(m.c.body_mass, i+1)
			mass += body
			for k := range 3 {
				positions[i][k], velocity[i][k] = p[k]+arm[k], v[k]+turn[k]
				centre[k] += body * positions[i][k]
				momentum[k] += body * velocity[i][k]
			}
			// the spin, along the principal axes
			axes := quatProduct(q, numbers(m.c.body_iquat, 4*i+4, 4))
			spin := rotate([]float64{axes[0], -axes[1], -axes[2], -axes[3]}, w[:])
			for k, inertia := range numbers(m.c.body_inertia, 3*i+3, 3) {
				spin[k] *= inertia
			}
			for k, x := range rotate(axes[:], spin[:]) {
				want[k] += x
			}
		}
		for i := range names {
			body := number(m.c.body_mass, i+1)
			var arm, rel [3]float64
			for k := range 3 {
				arm[k], rel[k] = positions[i][k]-centre[k]/mass, body*(velocity[i][k]-momentum[k]/mass)
			}
			for k, x := range cross(arm, rel) {
				want[k] += x
			}
		}
		for k, x := range s[39:] {
			if math.Abs(x-want[k]) > 1e-9 {
				t.Fatalf("boundary %d: the angular momentum is %v, want %v", boundary, s[39:], want)
			}
		}
	}
}

func quatProduct(a, b []float64) [4]float64 {
	return [4]float64{a[0]*b[0] - a[1]*b[1] - a[2]*b[2] - a[3]*b[3], a[0]*b[1] + a[1]*b[0] + a[2]*b[3] - a[3]*b[2],
		a[0]*b[2] - a[1]*b[3] + a[2]*b[0] + a[3]*b[1], a[0]*b[3] + a[1]*b[2] - a[2]*b[1] + a[3]*b[0]}
}

// rotate turns a vector by a unit quaternion.
func rotate(q, v []float64) [3]float64 {
	rotated := quatProduct(q, append([]float64{0}, v...))
	rotated = quatProduct(rotated[:], []float64{q[0], -q[1], -q[2], -q[3]})
	return [3]float64(rotated[1:])
}

// everySensor has a sensor of each kind that reads the state, and computes energies of its own.
const everySensor = `<mujoco><option integrator="INTEGRATOR"><flag energy="enable"/></option><worldbody>
	<geom name="floor" type="plane" size="5 5 1"/>
	<camera name="cam" pos="0 -2 1" xyaxes="1 0 0 0 0 1"/>
	<body name="A" pos="0 0 .35"><freejoint/><geom name="g" type="box" size=".1 .1 .1"/><site name="s" pos=".1 0 0"/>
		<site name="inner" size=".5"/>
		<body name="B" pos=".3 0 0"><joint name="b" axis="0 1 0" damping=".1" range="-10 10"/>
			<geom name="h" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><site name="t" pos=".2 0 0"/></body>
		<body name="C" pos="-.3 0 0"><joint name="c" type="ball"/><geom size=".05"/></body></body></worldbody>
	<tendon><fixed name="ten" range="-.1 .1"><joint joint="b" coef="1"/></fixed></tendon>
	<actuator><motor name="m" joint="b"/></actuator>
	<sensor><e_kinetic name="e_kinetic"/><e_potential name="e_potential"/><clock name="clock"/>
		<subtreecom name="subtreecom" body="A"/><subtreelinvel name="subtreelinvel" body="A"/>
		<subtreeangmom name="subtreeangmom" body="A"/><tendonpos name="tendonpos" tendon="ten"/>
		<tendonvel name="tendonvel" tendon="ten"/><tendonlimitpos name="tendonlimitpos" tendon="ten"/>
		<tendonlimitvel name="tendonlimitvel" tendon="ten"/><tendonlimitfrc name="tendonlimitfrc" tendon="ten"/>
		<jointlimitpos name="jointlimitpos" joint="b"/><jointlimitvel name="jointlimitvel" joint="b"/>
		<jointlimitfrc name="jointlimitfrc" joint="b"/><actuatorpos name="actuatorpos" actuator="m"/>
		<actuatorvel name="actuatorvel" actuator="m"/><actuatorfrc name="actuatorfrc" actuator="m"/>
		<jointactuatorfrc name="jointactuatorfrc" joint="b"/><ballquat name="ballquat" joint="c"/>
		<ballangvel name="ballangvel" joint="c"/><jointpos name="jointpos" joint="b"/>
		<jointvel name="jointvel" joint="b"/><framepos name="framepos" objtype="body" objname="B"/>
		<framelinvel name="framelinvel" objtype="body" objname="B"/>
		<frameangvel name="frameangvel" objtype="site" objname="t"/>
		<framelinacc name="framelinacc" objtype="body" objname="B"/>
		<frameangacc name="frameangacc" objtype="body" objname="B"/><accelerometer name="accelerometer" site="s"/>
		<velocimeter name="velocimeter" site="s"/><gyro name="gyro" site="s"/><force name="force" site="t"/>
		<torque name="torque" site="t"/><touch name="touch" site="inner"/><magnetometer name="magnetometer" site="s"/>
		<rangefinder name="rangefinder" site="s"/><camprojection name="camprojection" site="t" camera="cam"/>
		<distance name="distance" geom1="g" geom2="h" cutoff="2"/>
		<normal name="normal" geom1="h" geom2="floor" cutoff="2"/>
		<fromto name="fromto" geom1="h" geom2="floor" cutoff="2"/>
		<insidesite name="insidesite" site="inner" objtype="site" objname="t"/>
		<contact name="contact" geom1="g" geom2="floor" data="found force"/></sensor></mujoco>`

// What a sensor reads at a boundary is what a new simulation reads in that state, and does not depend on how many
// substeps a call has taken.
func TestSensorsAreThoseOfTheirBoundary(t *testing.T) {
	const substeps, calls = 4, 10
	for _, integrator := range []string{"Euler", "RK4", "implicitfast"} {
		m := mustCompile(t, map[string]string{"all.xml": strings.Replace(everySensor, "INTEGRATOR", integrator, 1)},
			scene.Settings{Models: []scene.Model{{File: "all.xml"}}})
		var sources []string
		for _, s := range m.Describe().Sensors {
			sources = append(sources, "sensor/"+s.Name)
		}
		for _, sources := range [][]string{sources, sources[:1], sources[:2]} {
			out := probes(t, m, sources...)
			one, fused := stepper(t, m, 1, out), stepper(t, m, 1, out)
			rows, at := physics.NewRows(m, 1, out, 2*substeps), physics.NewRows(m, 1, out, 2*substeps)
			velocity, _ := m.Field("qvel")
			for i := range velocity.In(rows.Row(0)) {
				velocity.In(rows.Row(0))[i], velocity.In(at.Row(0))[i] = 0.3*float64(i), 0.3*float64(i)
			}
			ids := []int32{0}
			step(t, one, rows, ids, nil)
			step(t, fused, at, ids, nil)
			for call := range int64(calls) {
				step(t, fused, at, ids, []int32{substeps})
				for boundary := call * substeps; boundary < (call+1)*substeps; boundary++ {
					anew := physics.NewRows(m, 1, out, 1)
					copy(anew.Row(0), rows.Row(0))
					step(t, stepper(t, m, 1, out), anew, ids, nil)
					at1 := 0
					for _, p := range out.Probes { // the others are of the substep that follows
						if p.Stage == physics.Motion {
							sameBits(t, p.Source+", alone", rows.Sample(0, boundary)[at1:at1+p.Size],
								anew.Sample(0, 0)[at1:at1+p.Size])
						}
						at1 += p.Size
					}
					step(t, one, rows, ids, []int32{1})
					what := fmt.Sprintf("%s, boundary %d of %q", integrator, boundary, sources)
					sameBits(t, what, rows.Sample(0, boundary), anew.Sample(0, 0))
					sameBits(t, what+", fused", at.Sample(0, boundary), anew.Sample(0, 0))
				}
			}
		}
	}
}
