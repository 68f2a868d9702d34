package mujoco

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

const (
	hopper  = "testdata/hopper.xml"
	cheetah = "../../third_party/gymnasium/assets/half_cheetah.xml"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if n := OpenHandles(); n != 0 && code == 0 {
		println("handles left open:", n)
		code = 1
	}
	os.Exit(code)
}

// open loads a model and closes it at the end of the test.
func open(t testing.TB, path string, opt Options) *Model {
	t.Helper()
	m := polytest.Must(Load(path, opt))(t)
	t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	return m
}

// write puts an MJCF text into a file of its own.
func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scene.xml")
	polytest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// probes resolves sources.
func probes(t testing.TB, m *Model, sources ...string) physics.Outputs {
	t.Helper()
	var out physics.Outputs
	for _, source := range sources {
		p := polytest.Must(m.Probe(source))(t)
		out.Probes = append(out.Probes, p)
	}
	return out
}

// stepper opens a stepper and closes it at the end of the test.
func stepper(t testing.TB, m *Model, worlds int, out physics.Outputs) physics.Stepper {
	t.Helper()
	s := polytest.Must(m.NewStepper(worlds, out))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

// step makes a call of Step or, with nil n, of Forward, and ends the test at a fault.
func step(t testing.TB, s physics.Stepper, rows *physics.Rows, ids, n []int32) {
	t.Helper()
	call := s.Step
	if n == nil {
		call = func(rows *physics.Rows, ids, _ []int32) int { return s.Forward(rows, ids) }
	}
	if call(rows, ids, n) != 0 {
		for _, id := range ids {
			t.Errorf("world %d: %s", id, s.FaultMessage(id))
		}
		t.FailNow()
	}
}

// sameBits ends the test where two slices differ in bits.
func sameBits(t testing.TB, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// bareLoop opens a bare loop and closes it at the end of the test.
func bareLoop(t testing.TB, m *Model, worlds int, derived ...string) *Baseline {
	t.Helper()
	raw := polytest.Must(NewBaseline(m, worlds, derived...))(t)
	t.Cleanup(func() { raw.Close() })
	return raw
}

// light holds probes that need body frames and velocities only at the end of a
// call; full adds those that need all of mj_step1.
var (
	light = []string{
		"qpos", "sensor/left_touch", "sensor/gyro", "sensor/accelerometer", "joint/left/position",
		"sensor/orientation", "sensor/velocimeter", "sensor/foot_in_trunk", "sensor/foot_velocity",
		"sensor/com", "sensor/left_position", "sensor/left_velocity", "sensor/tail_orientation",
		"joint/root/velocity", "sensor/right_touch", "sensor/left_effort", "qvel", "sensor/left_force",
	}
	full = append(slices.Clone(light), "sensor/left_actuator", "sensor/left_limit",
		"sensor/height", "sensor/seen_by_eye", "sensor/kinetic")

	// computed holds probes that are no sensors.
	computed = []string{
		"pose", "body/trunk/position", "body/left/quaternion", "body/left/velocity", "geom/tail/position",
		"site/imu/velocity", "qacc", "joint/left/torque", "actuator_force", "contact/body/left",
	}

	// masses decide constants of the engine, frictions do not.
	masses    = []string{"body_mass", "dof_armature", "body_ipos/trunk", "body_inertia", "dof_damping", "gravity"}
	frictions = []string{"geom_friction", "actuator_gainprm", "dof_damping", "geom_solref"}

	// derivedSources hold derived values of every kind, parts of one and all of it.
	derivedSources = []string{
		"cfrc_ext", "xpos/left", "cvel", "qfrc_constraint", "cinert", "site_xpos/imu", "qfrc_actuator",
		"xipos", "subtree_com/trunk", "cfrc_int/trunk", "cacc/trunk", "geom_xpos/tail", "xquat/trunk",
	}
)

func TestConformance(t *testing.T) {
	rk4 := edit(t, hopper, `integrator="Euler"`, `integrator="RK4"`)
	implicit := edit(t, hopper, `integrator="Euler"`, `integrator="implicitfast"`)

	// in the air, with too little memory for the contacts of standing
	small := edit(t, hopper, `<option `, `<size memory="6K"/><option `, `pos="0 0 0.319"`, `pos="0 0 1"`)
	land := func(m physics.Model, row []float64) {
		polytest.NoError(t, m.Keyframe("home", row))
	}

	pid := edit(t, hopper, `<option `, `<extension><plugin plugin="mujoco.pid"/></extension><option `, `</actuator>`,
		`<plugin joint="tail" plugin="mujoco.pid" actdim="1"><config key="ki" value="1"/><config key="kp" value="2"/>
			</plugin></actuator>`)

	for _, c := range []struct {
		name, path  string
		sources     []string
		derived     []string
		parameters  []string
		engineError func(physics.Model, []float64)
	}{
		{"light", hopper, light, derivedSources, nil, nil},
		{"full", hopper, full, []string{"cvel/left", "qfrc_actuator"}, masses, nil},
		{"state only", hopper, []string{"qvel", "sensor/left_touch", "joint/tail/position"}, nil, nil, nil},
		{"rk4", rk4, full, derivedSources, nil, nil},
		{"rk4 computed", rk4, computed, derivedSources, masses, nil},
		{"implicit", implicit, light, nil, frictions, nil},
		{"computed", hopper, computed, nil, frictions, nil},
		{"plugin", pid, []string{"qvel", "actuator_force"}, nil, nil, nil},
		{"small memory", small, []string{"sensor/gyro", "sensor/accelerometer"}, []string{"cvel"}, nil, land},
	} {
		t.Run(c.name, func(t *testing.T) {
			if libraries, _ := filepath.Glob("../../third_party/mujoco/plugin/*.so"); c.path == pid && libraries == nil &&
				os.Getenv("POLYTEST_PYTHON") == "" {
				t.Skip("no third_party/mujoco/plugin; the set-up unpacks it")
			}
			physicstest.Run(t, func(t testing.TB) physics.Model {
				m := polytest.Must(Load(c.path, Options{}))(t)
				return m
			}, physicstest.Options{
				Sources:      c.sources,
				Derived:      c.derived,
				Constant:     "body_mass",
				Position:     "qpos",
				Velocity:     "qvel",
				Parameters:   c.parameters,
				BadParameter: -1,
				EngineError:  c.engineError,
				OpenHandles:  OpenHandles,
			})
		})
	}
}

// edit writes a copy of a model with some texts replaced, each given as old, new.
func edit(t testing.TB, path string, oldnew ...string) string {
	t.Helper()
	text := polytest.Must(os.ReadFile(path))(t)
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(string(text), oldnew[i]) {
			t.Fatalf("%s does not contain %q", path, oldnew[i])
		}
	}
	return write(t, strings.NewReplacer(oldnew...).Replace(string(text)))
}

// The stepper gives the bits of the plain loop: resets, states, and every sample of every sensor, taken from
// sensordata after each single mj_step; and the derived values after each call.
func TestSameBitsAsTheRawLoop(t *testing.T) {
	for _, c := range []struct {
		name, path string
		sources    []string
		derived    []string
	}{
		{"hopper", hopper, full, derivedSources},
		{"rk4", edit(t, hopper, `integrator="Euler"`, `integrator="RK4"`), light, derivedSources},
		{"half_cheetah", cheetah, []string{"qpos", "qvel"}, []string{"cvel", "cfrc_ext"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.path); err != nil {
				t.Skip("the set-up has not fetched it: ", err)
			}
			m := open(t, c.path, Options{})
			ps := probes(t, m, c.sources...)
			for _, source := range c.derived {
				d := polytest.Must(m.Derived(source))(t)
				ps.Derived = append(ps.Derived, d)
			}
			const worlds, substeps, steps = 3, 5, 40
			s := stepper(t, m, worlds, ps)
			rows := physics.NewRows(m, worlds, ps, substeps+1)
			raw := bareLoop(t, m, worlds, c.derived...)

			random := rand.New(rand.NewPCG(1, 2))
			control, _ := m.Field("control")
			qvel, _ := m.Field("qvel")
			ids, n := []int32{0, 1, 2}, []int32{substeps, substeps, substeps}
			reset := make([]float64, m.StateSize())
			state := make([]float64, m.StateSize())
			for call := range steps {
				tape := make([]float64, worlds*m.ControlSize())
				for i := range tape {
					tape[i] = 2*random.Float64() - 1
				}

				// at the start and once in the middle, one row for all
				resets := []int32{-1, -1, -1}
				if call%20 == 0 {
					m.InitialState(reset)
					for i := range qvel.In(reset) {
						qvel.In(reset)[i] = random.NormFloat64() / 10
					}
					resets = []int32{0, 0, 0}
					for id := range worlds {
						copy(rows.Row(id), reset)
					}
					step(t, s, rows, ids, nil)
				}
				for id := range worlds {
					copy(control.In(rows.Row(id)), tape[id*m.ControlSize():])
				}
				first := slices.Clone(rows.Boundary)
				step(t, s, rows, ids, n)

				for sub := range int64(substeps) {
					before := make([][]float64, worlds) // states at the boundary
					for id := range worlds {
						before[id] = make([]float64, m.StateSize())
						raw.State(id, before[id])
						if resets[id] >= 0 {
							copy(before[id], reset)
						}
					}
					polytest.NoError(t, raw.Run(tape, resets, reset, 1))
					resets = []int32{-1, -1, -1}
					for id := range worlds {
						sameBits(t, fmt.Sprintf("sample at %d.%d of world %d", call, sub, id), rows.Sample(id, first[id]+sub),
							naiveSample(m, ps, before[id], raw.SensorData(id)))
					}
				}
				for id := range worlds {
					raw.State(id, state)
					sameBits(t, fmt.Sprint("state of world ", id), rows.Row(id), state)
					derived := rows.DerivedRow(id)
					for _, source := range c.derived {
						want := polytest.Must(raw.Derived(id, source))(t)
						sameBits(t, source, derived, want)
						derived = derived[len(want):]
					}
				}
			}
		})
	}
}

// naiveSample builds a sample from a state and a sensordata.
func naiveSample(m *Model, ps physics.Outputs, state, sensordata []float64) []float64 {
	var sample []float64
	for _, p := range ps.Probes {
		piece := m.probes[p.Source].parts[0]
		first := int(piece.from)
		if span, err := m.Field(p.Source); err == nil {
			sample = append(sample, span.In(state)...)
		} else {
			sample = append(sample, sensordata[first:first+p.Size]...)
		}
	}
	return sample
}

// Numbers that go bad in the middle of a call are found in the substep that
// makes them, whether the engine notices (qacc) or only the state shows it.
func TestGoesBadInFlight(t *testing.T) {
	const sled = `<mujoco><option timestep="1" gravity="0 0 0"/><worldbody>
		<body><joint name="x" type="slide"/><geom size="0.1" mass="1"/></body></worldbody>
		<actuator><motor joint="x"/></actuator></mujoco>`
	m := open(t, write(t, sled), Options{})
	ps := probes(t, m, "qvel")
	s := stepper(t, m, 1, ps)
	control, _ := m.Field("control")
	for _, c := range []struct {
		force float64
		want  string
	}{
		{3e9, "qpos[0] is 1.8e+10 after 3 substeps"}, // 3 + 6 + 9 times 1e9 m
		{9e9, "qpos[0] is 2.7e+10 after 2 substeps"},
	} {
		rows := physics.NewRows(m, 1, ps, 11)
		step(t, s, rows, []int32{0}, nil)
		control.In(rows.Row(0))[0] = c.force
		before := slices.Clone(rows.Row(0))
		if s.Step(rows, []int32{0}, []int32{10}) != 1 || rows.Fault[0] != physics.FaultNotFinite ||
			s.FaultMessage(0) != c.want {
			t.Errorf("force %g: fault %q, %q; want %q", c.force, rows.Fault[0], s.FaultMessage(0), c.want)
		}
		if !slices.Equal(rows.Row(0), before) || rows.Boundary[0] != 0 {
			t.Errorf("force %g: the row moved to boundary %d: %v", c.force, rows.Boundary[0], rows.Row(0))
		}
	}

	// an acceleration that is too large is the engine's own finding
	applied, _ := m.Field("qfrc_applied")
	rows := physics.NewRows(m, 1, ps, 11)
	applied.In(rows.Row(0))[0] = 1e12
	const want = "qacc[0] is not finite or too large in substep 1"
	if s.Step(rows, []int32{0}, []int32{2}) != 1 || s.FaultMessage(0) != want {
		t.Errorf("fault %q, %q; want %q", rows.Fault[0], s.FaultMessage(0), want)
	}
}

// A bad state stays bad in the bare loop: nothing resets a world behind our back.
func TestNoAutoreset(t *testing.T) {
	m := open(t, hopper, Options{})
	raw := bareLoop(t, m, 1)
	row := make([]float64, m.StateSize())
	m.InitialState(row)
	qvel, _ := m.Field("qvel")
	qvel.In(row)[0] = math.NaN()
	polytest.NoError(t, raw.Run(make([]float64, m.ControlSize()), []int32{0}, row, 2))
	raw.State(0, row)
	if !math.IsNaN(qvel.In(row)[0]) {
		t.Errorf("qvel[0] is %v after a NaN: the engine reset the world", qvel.In(row)[0])
	}
}

// Load spares a model of one kinematic tree the search for islands, which would
// change nothing, bit for bit, while contacts and limits come and go.
func TestOneTreeNeedsNoIslands(t *testing.T) {
	const island = 1 << 18 // mjDSBL_ISLAND
	for _, c := range []struct{ name, path string }{
		{"hopper", hopper},
		{"rk4", edit(t, hopper, `integrator="Euler"`, `integrator="RK4"`)},
		{"elliptic", edit(t, hopper, `integrator="Euler"`, `cone="elliptic"`)},
		{"half_cheetah", cheetah},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.path); err != nil {
				t.Skip("the set-up has not fetched it: ", err)
			}
			var paths [2][]float64
			for i := range paths {
				m := open(t, c.path, Options{})
				if m.c.opt.disableflags&island == 0 {
					t.Fatal("islands are looked for")
				}
				if i == 1 {
					m.c.opt.disableflags &^= island
				}
				raw := bareLoop(t, m, 1)
				row := make([]float64, m.StateSize())
				m.InitialState(row)
				random := rand.New(rand.NewPCG(1, 2))
				control := make([]float64, m.ControlSize())
				for step := range 200 {
					for j := range control {
						control[j] = 2*random.Float64() - 1
					}
					reset := int32(-1)
					if step == 0 {
						reset = 0
					}
					polytest.NoError(t, raw.Run(control, []int32{reset}, row, 5))
					raw.State(0, row)
					paths[i] = append(paths[i], row...)
				}
			}
			polytest.EqualSlices(t, paths[0], paths[1], "islands make a difference")
		})
	}
}

// Derived values of a reset are those of a fresh mjData, whatever the stepper did
// before: nothing of mj_rnePostConstraint, which ran for other worlds.
func TestDerivedOfAReset(t *testing.T) {
	still := edit(t, hopper, `<accelerometer name="accelerometer" site="imu"/>`, "",
		`<touch name="left_touch" site="left_foot"/>`, "",
		`<touch name="right_touch" site="right_foot"/>`, "", `<force name="left_force" site="left_foot"/>`, "")
	m := open(t, still, Options{}) // no sensor takes mj_rnePostConstraint
	ps := probes(t, m, "qpos")
	for _, source := range []string{"cfrc_ext", "cacc", "cfrc_int", "cvel", "xpos"} {
		d := polytest.Must(m.Derived(source))(t)
		ps.Derived = append(ps.Derived, d)
	}
	s := stepper(t, m, 1, ps)
	rows := physics.NewRows(m, 1, ps, 101)
	one := []int32{0}
	step(t, s, rows, one, []int32{100})
	post := 3 * 6 * int(m.c.nbody) // of the first three sources
	if !slices.ContainsFunc(rows.Derived[:post], func(x float64) bool { return x != 0 }) {
		t.Fatal("the contacts left no forces to test with")
	}
	m.InitialState(rows.Row(0))
	qvel, _ := m.Field("qvel")
	qvel.In(rows.Row(0))[2] = -1
	step(t, s, rows, one, nil)
	for i, x := range rows.Derived[:post] {
		polytest.Equal(t, x, 0, "value %d after a reset", i)
	}
	raw := bareLoop(t, m, 1)
	polytest.NoError(t, raw.Run(make([]float64, m.ControlSize()), []int32{0}, rows.Row(0), 0))
	offset := 0
	for _, d := range ps.Derived {
		want := polytest.Must(raw.Derived(0, d.Source))(t)
		if !slices.Equal(rows.Derived[offset:offset+d.Size], want) {
			t.Errorf("%s after a reset is %v, a fresh mjData has %v", d.Source, rows.Derived[offset:offset+d.Size],
				want)
		}
		offset += d.Size
	}
}

// Constants are those of the model file.
func TestConstants(t *testing.T) {
	m := open(t, hopper, Options{})
	for name, want := range map[string][]float64{
		"body_mass": {0, 3, 0.3, 0.3, 0.3},
		"jnt_range": {0, 0, -0.01, 0.01, 0, 0, 0, 0},
	} {
		got, err := m.Constant(name)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v (%v), want %v", name, got, err, want)
		}
	}
	polytest.ErrorContains(t, polytest.Err(m.Constant("body_mas")),
		`mujoco: unknown constant "body_mas": the nearest known one is "body_mass"`)
	polytest.ErrorContains(t, polytest.Err(m.Derived("xpos/trunc")),
		`mujoco: unknown derived value "xpos/trunc": the nearest known one is "xpos/trunk"`)
}
