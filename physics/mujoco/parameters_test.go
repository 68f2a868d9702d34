package mujoco

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// walker is a robot with a free base, two legs and a free box, on a floor; %s are
// attributes that the tests change.
const walker = `<mujoco>
  <option timestep="0.002" integrator="%s" gravity="%s"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="%s"/>
    <body name="trunk" pos="0 0 0.35">
      <freejoint name="root"/>
      <inertial pos="%s" mass="%s" diaginertia="0.05 0.06 0.07"/>
      <geom name="trunk" type="box" size="0.2 0.1 0.05"/>
      <site name="imu" pos="0.1 0 0.02"/>
      <body name="left" pos="0 0.15 0">
        <joint name="left_hip" axis="0 1 0" damping="%s" armature="%s" frictionloss="%s"/>
        <geom name="left" type="capsule" fromto="0 0 0 0 0 -0.25" size="0.03" mass="0.5"/>
      </body>
      <body name="right" pos="0 -0.15 0">
        <joint name="right_hip" axis="0 1 0" damping="0.3" armature="0.02"/>
        <geom name="right" type="capsule" fromto="0 0 0 0 0 -0.25" size="0.03" mass="0.5"/>
      </body>
    </body>
    <body name="box" pos="1 0 0.1">
      <freejoint name="box"/>
      <geom name="box" type="box" size="0.1 0.1 0.1" mass="1"/>
    </body>
  </worldbody>
  <actuator>
    <position name="left_hip" joint="left_hip" kp="%s" kv="1"/>
    <position name="right_hip" joint="right_hip" kp="20" kv="1"/>
  </actuator>
</mujoco>`

// attributes of walker, in order.
var walkerAttributes = []string{"integrator", "gravity", "friction", "ipos", "mass", "damping", "armature", "frictionloss", "kp"}

// newWalker compiles walker with some attributes changed.
func newWalker(t testing.TB, changes map[string]string) *Model {
	t.Helper()
	values := map[string]string{
		"integrator": "implicitfast", "gravity": "0 0 -9.81", "friction": "1 0.005 0.0001", "ipos": "0.01 0 0",
		"mass": "5", "damping": "0.2", "armature": "0.01", "frictionloss": "0", "kp": "20",
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
	m, err := LoadBytes("walker.xml", fmt.Appendf(nil, walker, all...), Options{})
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

// parametersOf resolves parameters.
func parametersOf(t testing.TB, m *Model, sources ...string) physics.Outputs {
	t.Helper()
	var out physics.Outputs
	for _, source := range sources {
		p, err := m.Parameter(source)
		if err != nil {
			t.Fatal(err)
		}
		out.Parameters = append(out.Parameters, p)
	}
	return out
}

// A world with a parameter of its own does what a model compiled with that value does,
// in the midst of worlds with other values.
func TestParametersAreThoseOfACompiledModel(t *testing.T) {
	for _, c := range []struct {
		source  string
		value   []float64
		changes map[string]string
		about   bool // equal up to rounding: the compiler computes with other digits
	}{
		{"body_mass/trunk", []float64{7.5}, map[string]string{"mass": "7.5"}, false},
		{"body_ipos/trunk", []float64{0.03, -0.02, 0.01}, map[string]string{"ipos": "0.03 -0.02 0.01"}, false},
		{"body_ipos/trunk", []float64{0, 0, 0}, map[string]string{"ipos": "0 0 0"}, false},
		{"geom_friction/floor", []float64{1.7, 0.01, 0.001}, map[string]string{"friction": "1.7 0.01 0.001"}, false},
		{"dof_damping/left_hip", []float64{1.5}, map[string]string{"damping": "1.5"}, false},
		{"dof_damping/left_hip", []float64{0}, map[string]string{"damping": "0"}, false},
		{"dof_armature/left_hip", []float64{0.05}, map[string]string{"armature": "0.05"}, false},
		{"dof_frictionloss/left_hip", []float64{0.4}, map[string]string{"frictionloss": "0.4"}, false},
		{"gravity", []float64{1, 0, -3.7}, map[string]string{"gravity": "1 0 -3.7"}, false},
		{"actuator_gainprm/left_hip", []float64{35, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil, false},
	} {
		t.Run(fmt.Sprintf("%s %v", c.source, c.value), func(t *testing.T) {
			m := newWalker(t, nil)
			out := parametersOf(t, m, "body_mass", "body_ipos/trunk", "geom_friction/floor", "dof_damping",
				"dof_armature/left_hip", "dof_frictionloss", "gravity", "actuator_gainprm/left_hip", "actuator_biasprm/left_hip")
			if c.source == "body_mass/trunk" || strings.HasPrefix(c.source, "dof_") {
				out.Parameters = append(out.Parameters, parametersOf(t, m, c.source).Parameters...)
				if c.source == "dof_armature/left_hip" {
					out.Parameters = out.Parameters[:len(out.Parameters)-1]
				}
			}
			changes := c.changes
			const worlds, changed = 3, 1
			stepper, err := m.NewStepper(worlds, out)
			if err != nil {
				t.Fatal(err)
			}
			defer stepper.Close()
			rows := physics.NewRows(m, worlds, out, 11)
			at := 0
			for _, p := range out.Parameters {
				if p.Source == c.source {
					copy(rows.ParameterRow(changed)[at:at+p.Size], c.value)
				}
				if c.source == "actuator_gainprm/left_hip" && p.Source == "actuator_biasprm/left_hip" {
					rows.ParameterRow(changed)[at+1] = -35
					changes = map[string]string{"kp": "35"}
				}
				at += p.Size
			}
			for i := range rows.ParameterRow(2) { // another neighbour
				rows.ParameterRow(2)[i] *= 1.01
			}

			nominal, other := newWalker(t, nil), newWalker(t, changes)
			ids, n := []int32{0, 1, 2}, []int32{10, 10, 10}
			if stepper.Forward(rows, ids) != 0 {
				t.Fatal(stepper.FaultMessage(0), stepper.FaultMessage(1), stepper.FaultMessage(2))
			}
			oracles := map[int]*Baseline{0: forwardedLoop(t, nominal), changed: forwardedLoop(t, other)}
			for call := range 40 {
				control := []float64{0.5 * math.Sin(float64(call)), 0.3}
				for id := range worlds {
					span, _ := m.Field("control")
					copy(span.In(rows.Row(id)), control)
				}
				if stepper.Step(rows, ids, n) != 0 {
					t.Fatal(stepper.FaultMessage(0), stepper.FaultMessage(1), stepper.FaultMessage(2))
				}
				for id, oracle := range oracles {
					if err := oracle.Run(control, nil, nil, 10); err != nil {
						t.Fatal(err)
					}
					want := make([]float64, m.StateSize())
					oracle.State(0, want)
					for i, x := range rows.Row(id) {
						if math.Float64bits(x) != math.Float64bits(want[i]) {
							t.Fatalf("call %d: state[%d] of world %d is %v, want %v", call, i, id, x, want[i])
						}
					}
				}
			}
			same := true
			for i, x := range rows.Row(0) {
				same = same && x == rows.Row(changed)[i]
			}
			if same {
				t.Error("the parameter changed nothing")
			}
		})
	}
}

// forwardedLoop is a bare loop of one world that has been made consistent.
func forwardedLoop(t testing.TB, m *Model) *Baseline {
	t.Helper()
	b, err := NewBaseline(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	initial := make([]float64, m.StateSize())
	m.InitialState(initial)
	if err := b.Run(make([]float64, m.ControlSize()), []int32{0}, initial, 0); err != nil {
		t.Fatal(err)
	}
	return b
}
