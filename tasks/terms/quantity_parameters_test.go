package terms_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestDrawnValuesAreQuantities reads what events and delays have drawn by name, and what the model has without them.
func TestDrawnValuesAreQuantities(t *testing.T) {
	const task = `
episode: 60ms
actions: [{name: legs, term: joint_position, delay: [2, 2]}]
observations:
  policy:
    - {name: position, term: joint_pos_rel, delay: [1, 3]}
    - {name: mass, expr: parameter.body_mass.trunk}
    - {name: friction, expr: "parameter.geom_friction.FL_foot[0]"}
    - {name: gains, expr: "[actuator.FL_hip.kp, actuator.FL_hip.kd]"}
    - {name: bias, expr: joint.FL_hip.encoder_bias}
    - {name: gravity, expr: parameter.gravity}
    - {name: delays, expr: "[actions.legs.delay, observations.policy.position.delay]"}
infos: [{name: load, expr: 2 * parameter.body_mass.trunk}]
rewards: [{term: is_alive, weight: 1}]
terminations: [{term: time_out}]
events:
`
	const events = `
  - {term: body_mass, bodies: [trunk], operation: abs, ranges: [4, 9]}
  - {term: geom_friction, geoms: [FL_foot], ranges: [0.3, 1.2]}
  - {term: pd_gains, joints: [FL_hip], operation: abs, kp_range: [30, 30]}
  - {term: encoder_bias, joints: [FL_hip], bias_range: [0.1, 0.2]}
  - {term: randomize_physics_scene_gravity, ranges: {z: [-1, -1]}}
`
	nominal := open(t, env.OpenOptions{Workers: 1}, "", task+"  []\n")
	step(t, nominal)
	m := nominal.Model()
	of := func(source string) []float64 { return polytest.Must(m.Nominal(source))(t) }
	kp, kd := of("actuator_gainprm/FL_hip")[0], -of("actuator_biasprm/FL_hip")[2]
	values := func(e *env.Env, world int) []float64 {
		all := observed(e, world, "")
		return all[len(all)-10:]
	}
	want := slices.Concat(of("body_mass/trunk"), of("geom_friction/FL_foot")[:1], []float64{kp, kd, 0}, of("gravity"))
	if got := values(nominal, 0)[:8]; !closeness(got, want, 1e-12) {
		t.Errorf("without events the values are %v, want the model's %v", got, want)
	}

	e := open(t, env.OpenOptions{Workers: 1}, "", task+events[1:], "worlds=64")
	drawn := map[string]bool{}
	for range 8 {
		e.SampleActions()
		step(t, e)
		for world := range 64 {
			v := values(e, world)
			drawn[fmt.Sprint(v[0])] = true
			if v[0] < 4 || v[0] > 9 || v[1] < 0.3 || v[1] > 1.2 || v[4] < 0.1 || v[4] > 0.2 || v[9] < 1 || v[9] > 3 {
				t.Fatalf("the values are %v, want a mass of 4 to 9 kg, a friction of 0.3 to 1.2, a bias of 0.1 to 0.2 rad and "+
					"a delay of 1 to 3", v)
			}
			if fixed := []float64{v[2], v[3], v[7], v[8]}; !closeness(fixed, []float64{30, kd, -10.81, 2}, 1e-12) {
				t.Fatalf("stiffness, damping, gravity and delay are %v, want 30, %v, -10.81 and 2", fixed, kd)
			}
		}
	}
	if len(drawn) < 128 { // at least two episodes of each world
		t.Errorf("%d masses in 64 worlds, want one for each episode", len(drawn))
	}
	// the info is that of the step, which the observation of a step within an episode follows
	fresh := open(t, env.OpenOptions{Workers: 1}, "", task+events[1:])
	step(t, fresh)
	if got, want := infoOf(t, fresh, 0, "load"), 2*values(fresh, 0)[0]; math.Abs(got-want) > 1e-12 {
		t.Errorf("the info of twice the mass is %v, want %v", got, want)
	}
}
