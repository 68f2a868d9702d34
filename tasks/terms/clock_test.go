package terms_test

import (
	"math"
	"testing"
)

// TestDescribedTermsFollowTheClock compares what depends on the length of a control step
// before and after a change of the control rate, of a robot that flies forward at 1 m/s.
func TestDescribedTermsFollowTheClock(t *testing.T) {
	e := termsEnv(t, `
actions: [{term: joint_position, default_offset: false, filter: {cutoff: 4}, limits: [-2, 2]}]
observations: {policy: [{name: dt, expr: dt}]}
events: [{term: reset_root_state_uniform, pose_range: {z: [20, 20]}, velocity_range: {x: [1, 1]}}]
rewards:
  - {name: one, expr: "1", weight: 1}
  - {name: rate, expr: "1 / dt", weight: 1}
  - {term: forward_progress, weight: 1}
  - {term: feet_air_time, feet: [FL_foot], mode: air, threshold_min: 0.195, threshold_max: 0.205, weight: 1}
  - {name: just, term: feet_air_time, feet: [FL_foot], mode: air, threshold_min: 0.17, threshold_max: 0.2, weight: 1}
changes: [{n: 5, edits: [{set_rate: {name: Robot, rate: 100}}]}]
`, `runners=[{name: Robot, rate: 50}, {name: Physics, rate: 500}]`,
		`bindings=[{name: physics, runner: Physics, substeps: 1}]`)
	target := stateOf(t, e, 0, "control")[0]
	for n := 1; n <= 20; n++ {
		dt, air, just := 0.02, 0.0, 0.0
		if n > 5 {
			dt = 0.01
		}
		if n == 13 || n == 14 { // neither at 0.17 s nor at 0.2 s, whatever the sums of steps are rounded to
			just = dt
		}
		if n == 15 { // 5 steps of 20 ms and 10 of 10 ms
			air = dt
		}
		for i := range e.Sim().Actions() {
			e.Sim().Actions()[i] = 0.5
		}
		step(t, e)
		target += (1 - math.Exp(-2*math.Pi*4*dt)) * (0.5 - target)
		if got := stateOf(t, e, 0, "control")[0]; math.Abs(got-target) > 1e-9 {
			t.Errorf("step %d: the filtered target is %v, want %v", n, got, target)
		}
		info := e.Sim().Infos()
		if !closeness(info[:2], []float64{dt, 1}, 1e-12) || !closeness(info[3:5], []float64{air, just}, 1e-12) {
			t.Errorf("step %d: rewards one, rate and both times in the air are %v, want %v", n,
				[]float64{info[0], info[1], info[3], info[4]}, []float64{dt, 1, air, just})
		}
		if v := info[2] / dt; math.Abs(v-1) > 0.05 {
			t.Errorf("step %d: forward_progress is %v m/s, want about 1", n, v)
		}
	}
}
