package mujoco

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// walker is a robot with a free base, two legs and a free box, on a floor; %s are attributes that the tests change.
const walker = `<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.002" integrator="%s" gravity="%s"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="%s"/>
    <body name="trunk" pos="0 0 0.35">
      <freejoint name="root"/>
      <inertial pos="%s" mass="%s" diaginertia="0.05 0.06 0.07"/>
      <geom name="trunk" type="box" size="%s" pos="%s" quat="%s"/>
      <site name="imu" pos="%s" quat="%s"/>
      <body name="left" pos="%s" quat="%s">
        <inertial pos="0 0 -0.125" quat="%s" mass="0.5" diaginertia="0.003 0.0031 0.0002"/>
        <joint name="left_hip" axis="0 1 0" damping="%s" armature="%s" frictionloss="%s" stiffness="%s" range="%s"
          ref="%s" limited="true" actuatorfrcrange="%s" springref="0.1"/>
        <geom name="left" type="capsule" fromto="0 0 0 0 0 -0.25" size="0.03"/>
      </body>
      <body name="right" pos="0 -0.15 0">
        <joint name="right_hip" axis="0 1 0" damping="0.3" armature="0.02"/>
        <geom name="right" type="capsule" fromto="0 0 0 0 0 -0.25" size="0.03" mass="0.5"/>
      </body>
    </body>
    <body name="box" pos="1 0 0.1">
      <freejoint name="box"/>
      <inertial pos="0 0 0" mass="%s" diaginertia="%s"/>
      <geom name="box" type="box" size="0.1 0.1 0.1"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="hips" damping="%s" stiffness="%s" frictionloss="%s" armature="%s" springlength="0.1">
      <joint joint="left_hip" coef="1"/><joint joint="right_hip" coef="-0.5"/>
    </fixed>
  </tendon>
  <contact><pair name="foot" geom1="floor" geom2="right" friction="%s"/></contact>
  <actuator>
    <position name="left_hip" joint="left_hip" kp="%s" kv="1" forcerange="%s"/>
    <position name="right_hip" joint="right_hip" kp="20" kv="1"/>
    <general name="thruster" site="imu" gear="0.1 0 0 0 0.01 0" biastype="affine" biasprm="1" gainprm="0"/>
  </actuator>
</mujoco>`

// attributes of walker, in order.
var walkerAttributes = []string{"integrator", "gravity", "friction", "ipos", "mass", "size", "geompos", "geomquat",
	"sitepos", "sitequat", "bodypos", "bodyquat", "iquat", "damping", "armature", "frictionloss", "stiffness", "range",
	"ref", "actfrc", "boxmass", "boxinertia", "tdamping", "tstiffness", "tfriction", "tarmature", "pair", "kp", "force"}

// newWalker compiles walker with some attributes changed.
func newWalker(t testing.TB, changes map[string]string) *Model {
	t.Helper()
	values := map[string]string{
		"integrator": "implicitfast", "gravity": "0 0 -9.81", "friction": "1 0.005 0.0001", "ipos": "0.01 0 0",
		"mass": "5", "damping": "0.2", "armature": "0.01", "frictionloss": "0", "kp": "20",
		"boxmass": "1", "boxinertia": "0.01 0.01 0.01", "size": "0.2 0.1 0.05", "geompos": "0 0 0", "geomquat": "1 0 0 0",
		"sitepos": "0.1 0 0.02", "sitequat": "1 0 0 0", "bodypos": "0 0.15 0", "bodyquat": "1 0 0 0", "iquat": "1 0 0 0",
		"stiffness": "0.1", "range": "-1 1", "ref": "0", "actfrc": "-9 9", "tdamping": "0.1", "tstiffness": "0.2",
		"tfriction": "0", "tarmature": "0", "pair": "0.9 0.9 0.01 0.001 0.001", "force": "-8 8",
	}
	for name, value := range changes {
		if values[name] == "" {
			t.Fatalf("no attribute %q", name)
		}
		values[name] = value
	}
	var all []any
	for _, name := range walkerAttributes {
		all = append(all, values[name])
	}
	m := polytest.Must(LoadBytes("walker.xml", fmt.Appendf(nil, walker, all...), Options{}))(t)
	t.Cleanup(func() { polytest.NoError(t, m.Close()) })
	return m
}

// parametersOf resolves parameters.
func parametersOf(t testing.TB, m *Model, sources ...string) physics.Outputs {
	t.Helper()
	var out physics.Outputs
	for _, source := range sources {
		p := polytest.Must(m.Parameter(source))(t)
		out.Parameters = append(out.Parameters, p)
	}
	return out
}

// ownParameter is a parameter that a world has of its own, and the same as a change of walker's attributes.
type ownParameter struct {
	source  string
	value   []float64
	changes map[string]string // nil for the case of gains, which are two parameters
}

// A world with a parameter of its own does what a model compiled with that value does,
// in the midst of worlds with other values.
func TestParametersAreThoseOfACompiledModel(t *testing.T) {
	for _, c := range []ownParameter{
		{"body_mass/trunk", []float64{7.5}, map[string]string{"mass": "7.5"}},
		{"body_ipos/trunk", []float64{0.03, -0.02, 0.01}, map[string]string{"ipos": "0.03 -0.02 0.01"}},
		{"body_ipos/trunk", []float64{0, 0, 0}, map[string]string{"ipos": "0 0 0"}},
		{"geom_friction/floor", []float64{1.7, 0.01, 0.001}, map[string]string{"friction": "1.7 0.01 0.001"}},
		{"dof_damping/left_hip", []float64{1.5}, map[string]string{"damping": "1.5"}},
		{"dof_damping/left_hip", []float64{0}, map[string]string{"damping": "0"}},
		{"dof_armature/left_hip", []float64{0.05}, map[string]string{"armature": "0.05"}},
		{"dof_frictionloss/left_hip", []float64{0.4}, map[string]string{"frictionloss": "0.4"}},
		{"body_mass/box", []float64{2}, map[string]string{"boxmass": "2"}},
		{"body_inertia/box", []float64{0.02, 0.03, 0.04}, map[string]string{"boxinertia": "0.02 0.03 0.04"}},
		{"gravity", []float64{1, 0, -3.7}, map[string]string{"gravity": "1 0 -3.7"}},
		{"body_pos/left", []float64{0.01, 0.16, 0.02}, map[string]string{"bodypos": "0.01 0.16 0.02"}},
		{"body_quat/left", []float64{0.8, 0, 0, 0.6}, map[string]string{"bodyquat": "0.8 0 0 0.6"}},
		{"body_iquat/left", []float64{0.8, 0.6, 0, 0}, map[string]string{"iquat": "0.8 0.6 0 0"}},
		{"geom_pos/trunk", []float64{0.02, 0, -0.01}, map[string]string{"geompos": "0.02 0 -0.01"}},
		{"geom_quat/trunk", []float64{0.8, 0, 0, 0.6}, map[string]string{"geomquat": "0.8 0 0 0.6"}},
		{"geom_size/trunk", []float64{0.25, 0.12, 0.3}, map[string]string{"size": "0.25 0.12 0.3"}},
		{"site_pos/imu", []float64{0.3, 0.1, 0}, map[string]string{"sitepos": "0.3 0.1 0"}},
		{"site_quat/imu", []float64{0.8, 0, 0.6, 0}, map[string]string{"sitequat": "0.8 0 0.6 0"}},
		{"jnt_range/left_hip", []float64{-0.02, 0.03}, map[string]string{"range": "-0.02 0.03"}},
		{"jnt_stiffness/left_hip", []float64{2}, map[string]string{"stiffness": "2"}},
		{"jnt_actfrcrange/left_hip", []float64{-0.5, 0.7}, map[string]string{"actfrc": "-0.5 0.7"}},
		{"qpos0/left_hip", []float64{0.5}, map[string]string{"ref": "0.5"}},
		{"pair_friction/foot", []float64{0.2, 0.3, 0.01, 0.001, 0.001}, map[string]string{
			"pair": "0.2 0.3 0.01 0.001 0.001"}},
		{"tendon_damping/hips", []float64{0.5}, map[string]string{"tdamping": "0.5"}},
		{"tendon_stiffness/hips", []float64{1.5}, map[string]string{"tstiffness": "1.5"}},
		{"tendon_frictionloss/hips", []float64{0.1}, map[string]string{"tfriction": "0.1"}},
		{"tendon_armature/hips", []float64{0.02}, map[string]string{"tarmature": "0.02"}},
		{"actuator_forcerange/left_hip", []float64{-0.2, 0.3}, map[string]string{"force": "-0.2 0.3"}},
		{"actuator_gainprm/left_hip", []float64{35, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil},
	} {
		t.Run(fmt.Sprintf("%s %v", c.source, c.value), c.run)
	}
}

func (c ownParameter) run(t *testing.T) {
	m := newWalker(t, nil)
	// whole arrays, and where the case has a part of one, the part after the whole
	sources := []string{"body_mass", "body_ipos", "body_inertia", "geom_friction", "dof_damping", "dof_armature",
		"dof_frictionloss", "gravity", "actuator_gainprm", "actuator_biasprm/left_hip"}
	if !slices.Contains(sources, c.source) {
		sources = append(sources, c.source)
	}
	out := parametersOf(t, m, sources...)
	changes := c.changes
	const worlds, changed = 3, 1
	stepper := stepper(t, m, worlds, out)
	rows := physics.NewRows(m, worlds, out, 11)
	offset := 0
	for _, p := range out.Parameters {
		if p.Source == c.source {
			copy(rows.ParameterRow(changed)[offset:offset+p.Size], c.value)
		}
		if c.source == "actuator_gainprm/left_hip" && p.Source == "actuator_biasprm/left_hip" {
			rows.ParameterRow(changed)[offset+1] = -35
			changes = map[string]string{"kp": "35"}
		}
		offset += p.Size
	}
	for i := range rows.ParameterRow(2)[:len(m.Nominals["body_mass"])] { // another neighbour
		rows.ParameterRow(2)[i] *= 1.01
	}

	nominal, other := newWalker(t, nil), newWalker(t, changes)
	ids, n := []int32{0, 1, 2}, []int32{10, 10, 10}
	other.InitialState(rows.Row(changed)) // of another home position
	step(t, stepper, rows, ids, nil)
	oracles := map[int]*Baseline{0: forwardedLoop(t, nominal), changed: forwardedLoop(t, other)}
	for call := range 40 {
		control := []float64{0.5 * math.Sin(float64(call)), 0.3, 0}
		for id := range worlds {
			span, _ := m.Field("control")
			copy(span.In(rows.Row(id)), control)
		}
		step(t, stepper, rows, ids, n)
		for id, oracle := range oracles {
			polytest.NoError(t, oracle.Run(control, nil, nil, 10))
			want := make([]float64, m.StateSize())
			oracle.State(0, want)
			sameBits(t, fmt.Sprint("state of world ", id), rows.Row(id), want)
		}
	}
	if slices.Equal(rows.Row(0), rows.Row(changed)) {
		t.Error("the parameter changed nothing")
	}
}

// forwardedLoop is a bare loop of one world that has been made consistent.
func forwardedLoop(t testing.TB, m *Model) *Baseline {
	t.Helper()
	b := bareLoop(t, m, 1)
	initial := make([]float64, m.StateSize())
	m.InitialState(initial)
	polytest.NoError(t, b.Run(make([]float64, m.ControlSize()), []int32{0}, initial, 0))
	return b
}

// Each value is checked before the engine sees it.
func TestBadParameters(t *testing.T) {
	m := newWalker(t, nil)
	for _, c := range []struct {
		source string
		index  int
		value  float64
		want   string
	}{
		{"body_mass", 1, -1, "parameter body_mass[1] is -1, want more than 0"},
		{"body_mass/trunk", 0, 0, "parameter body_mass/trunk[0] is 0, want more than 0"},
		{"body_mass", 0, -1, "parameter body_mass[0] is -1, want at least 0"}, // the world's
		{"body_inertia/trunk", 2, 0, "want more than 0"},
		{"body_ipos/trunk", 1, math.Inf(1), "is inf, want a finite number"},
		{"body_ipos/box", 1, 0.1, "is 0.1, want 0 as in the model"},
		{"body_iquat/box", 2, 0.1, "is 0.1, want 0 as in the model"},
		{"geom_size/left", 2, 1, "is 1, want 0 as in the model"},
		{"geom_size/floor", 0, 6, "is 6, want 5 as in the model"},
		{"geom_size/left", 1, 0, "is 0, want more than 0"},
		{"geom_friction/left", 2, -1e-9, "want at least 0"},
		{"dof_damping", 7, math.NaN(), "want a finite number"},
		{"actuator_gainprm", 3, 1e11, "want at most 1e+10"},
		{"gravity", 2, -1e300, "want at least -1e+10"},
	} {
		out := parametersOf(t, m, c.source)
		s := stepper(t, m, 2, out)
		rows := physics.NewRows(m, 2, out, 2)
		rows.ParameterRow(1)[c.index] = c.value
		if faults := s.Forward(rows, []int32{0, 1}); faults != 1 || !strings.Contains(s.FaultMessage(1), c.want) {
			t.Errorf("%s[%d] = %v: %d faults, %q; want 1, %q", c.source, c.index, c.value, faults, s.FaultMessage(1), c.want)
		}
		rows.ParameterRow(1)[c.index] = physics.NewRows(m, 1, out, 2).Parameters[c.index]
		if faults := s.Step(rows, []int32{0, 1}, []int32{1, 1}); faults != 0 {
			t.Errorf("%s[%d] mended: %d faults: %s", c.source, c.index, faults, s.FaultMessage(1))
		}
	}
	for source, want := range map[string]string{
		"body_mas":             `the nearest known one is "body_mass"`,
		"geom_friction/flor":   `"geom_friction/floor"`,
		"dof_damping/left_hop": `"dof_damping/left_hip"`,
	} {
		polytest.ErrorContains(t, polytest.Err(m.Parameter(source)), want)
	}
}

// A name that is longer than any message is cut in it, and nothing is written behind it.
func TestBadParameterOfALongName(t *testing.T) {
	name := strings.Repeat("x", 5000)
	m, err := LoadBytes("long.xml", []byte(`<mujoco><worldbody><body name="`+name+`"><freejoint/><geom size="1"/></body>
		</worldbody></mujoco>`), Options{})
	polytest.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	out := parametersOf(t, m, "body_mass/"+name)
	s := stepper(t, m, 1, out)
	rows := physics.NewRows(m, 1, out, 2)
	rows.ParameterRow(0)[0] = -1
	if faults := s.Forward(rows, []int32{0}); faults != 1 || !strings.HasPrefix(s.FaultMessage(0),
		"parameter body_mass/xxx") || !strings.HasSuffix(s.FaultMessage(0), "x[0] is -1, want more than 0") {
		t.Errorf("%d faults, message %.100q of %d bytes", faults, s.FaultMessage(0), len(s.FaultMessage(0)))
	}
}

// Whatever numbers the parameters have, the engine goes on or the world has a fault.
func TestParametersOfAnySize(t *testing.T) {
	m := newWalker(t, nil)
	sources := []string{"body_mass", "body_inertia", "body_ipos/trunk", "body_pos/left", "body_quat/left",
		"body_iquat/left", "geom_size/trunk", "geom_size/left", "geom_pos", "geom_quat", "site_pos", "site_quat",
		"jnt_range/left_hip", "jnt_stiffness", "jnt_actfrcrange", "qpos0/left_hip", "pair_friction", "tendon_damping",
		"tendon_stiffness", "tendon_frictionloss", "tendon_armature", "actuator_forcerange", "geom_friction", "geom_solref",
		"geom_solimp",
		"dof_damping", "dof_armature", "dof_frictionloss", "actuator_gainprm", "actuator_biasprm", "gravity"}
	out := parametersOf(t, m, sources...)
	out.Probes = probes(t, m, walkerProbes...).Probes
	const worlds = 4
	s := stepper(t, m, worlds, out)
	rows := physics.NewRows(m, worlds, out, 6)
	random := rand.New(rand.NewPCG(1, 2))
	ids, n := []int32{0, 1, 2, 3}, []int32{5, 5, 5, 5}
	nominal := physics.NewRows(m, 1, out, 2).Parameters
	went, failed := 0, 0
	for range 300 {
		for id := range worlds {
			m.InitialState(rows.Row(id))
			row := rows.ParameterRow(id)
			copy(row, nominal)
			for range 1 + random.IntN(6) {
				i := random.IntN(len(row))
				sizes := []float64{0, 1e-300, 1e-15, 1.1e-15, 1e-6, 1e6, 1e10, -row[i], row[i] * 1e3, row[i] * 1e-3}
				row[i] = sizes[random.IntN(len(sizes))]
			}
		}
		failed += s.Forward(rows, ids)
		failed += s.Step(rows, ids, n)
		for id := range worlds {
			if rows.Fault[id] == physics.FaultNone {
				went++
				for i, x := range rows.Row(id) {
					if math.IsNaN(x) || math.IsInf(x, 0) {
						t.Fatalf("state[%d] is %v in a world without a fault", i, x)
					}
				}
			} else if s.FaultMessage(int32(id)) == "" {
				t.Fatal("a fault without a message")
			}
		}
	}
	if went < 100 || failed < 100 {
		t.Errorf("%d worlds went on and %d failed: the draw shows little", went, failed)
	}
	// nothing of all that is left
	for id := range worlds {
		m.InitialState(rows.Row(id))
		copy(rows.ParameterRow(id), nominal)
	}
	s.Forward(rows, ids)
	oracle := forwardedLoop(t, m)
	step(t, s, rows, ids, n)
	polytest.NoError(t, oracle.Run(make([]float64, m.ControlSize()), nil, nil, 5))
	want := make([]float64, m.StateSize())
	oracle.State(0, want)
	for id := range worlds {
		sameBits(t, fmt.Sprintf("state of world %d afterwards", id), rows.Row(id), want)
	}
}
