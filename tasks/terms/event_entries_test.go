package terms_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// beginning returns what events make of the state of the first episode of a world, and of its parameters by their source.
func beginning(t *testing.T, events []string, overrides ...string) (state []float64, parameters map[string][]float64) {
	t.Helper()
	var row []float64
	overrides = append([]string{"worlds=4"}, overrides...)
	e := jolt(t, strings.Join(events, "\n  - "), overrides, watch(runners.Control, -1000, func(w *sim.World) {
		if w.Index() == 3 {
			state, row = slices.Clone(w.State()), slices.Clone(w.Parameters())
		}
	}))
	step(t, e)
	parameters = map[string][]float64{}
	for _, source := range e.Sim().Spec().Parameters {
		size := polytest.Must(e.Model().Parameter(source))(t).Size
		parameters[source], row = row[:size], row[size:]
	}
	return state, parameters
}

// TestEntriesLeaveWhatTheyDoNotName has two entries do what one does that names all: each leaves to the other what it
// does not name.
func TestEntriesLeaveWhatTheyDoNotName(t *testing.T) {
	motor := []string{"scene.actuators=[{joints: [.*], type: dc_motor, kp: 40, kd: 2, effort: 20, saturation_effort: 30, " +
		"velocity_limit: 30, replace: true}]"}
	for _, c := range []struct {
		term, first, second string
		overrides           []string
	}{
		{"pd_gains", "kp_range: [2, 2]", "kd_range: [3, 3]", nil},
		{"pd_gains, operation: abs", "kp_range: [7, 7]", "kd_range: [0.3, 0.3]", nil},
		{"pd_gains, operation: abs, distribution: gaussian", "kp_range: [7, 0]", "kd_range: [0.3, 0]", nil},
		{"pd_gains, operation: abs", "kp_range: [7, 7]", "kd_range: [0.3, 0.3]", motor},
		{"body_quat, bodies: [FL_thigh]", "roll_range: [0.5, 0.5]", "pitch_range: [0.2, 0.2], yaw_range: [1, 1]", nil},
		{"site_quat, sites: [imu]", "yaw_range: [0.5, 0.5]", "roll_range: [1, 1]", nil},
		{"pseudo_inertia, bodies: [FL_shank]", "alpha_range: [0.1, 0.1]", "t1_range: [0.02, 0.02]", nil},
		{"pseudo_inertia, bodies: [FL_shank]", "d_range: [0.1, 0.1]", "s23_range: [0.2, 0.2], t_range: [0.01, 0.01]", nil},
		{"body_com_offset, bodies: [trunk]", "ranges: {x: [0.1, 0.1]}", "ranges: {z: [0.2, 0.2]}", nil},
		{"reset_root_state_uniform", "pose_range: {x: [1, 1], roll: [0.3, 0.3]}", "pose_range: {z: [0.5, 0.5], yaw: [2, 2]}",
			nil},
		{"reset_root_state_uniform", "pose_range: {pitch: [1, 1]}", "velocity_range: {x: [2, 2], yaw: [3, 3]}", nil},
		{"reset_root_state_uniform", "velocity_range: {x: [1, 1], yaw: [3, 3]}", "velocity_range: {roll: [2, 2]}", nil},
		{"reset_joints_by_offset", "position_range: [0.1, 0.1]", "velocity_range: [1, 1]", nil},
		{"reset_joints_by_scale", "position_range: [0.9, 0.9]", "velocity_range: [0.5, 0.5]", nil},
		{"apply_external_force_torque, bodies: [trunk]", "force_range: [1, 1]", "torque_range: [2, 2]", nil},
	} {
		entry := func(name, keys string) string { return "{name: " + name + ", term: " + c.term + ", " + keys + "}" }
		both := c.first + ", " + c.second
		if first, ok := strings.CutSuffix(c.first, "}"); ok {
			if group, second, _ := strings.Cut(c.second, ": {"); strings.HasPrefix(first, group) {
				both = first + ", " + second
			}
		}
		state, parameters := beginning(t, []string{entry("both", both)}, c.overrides...)
		for _, order := range [][2]string{{c.first, c.second}, {c.second, c.first}} {
			gotState, got := beginning(t, []string{entry("one", order[0]), entry("two", order[1])}, c.overrides...)
			if !closeness(gotState, state, 1e-12) {
				t.Errorf("%s: the state after %s and %s is\n%v, want that after one entry\n%v", c.term, order[0], order[1],
					gotState, state)
			}
			for source, want := range parameters {
				if !closeness(got[source], want, 1e-12) {
					t.Errorf("%s: %s after %s and %s is %v, want %v as after one entry", c.term, source, order[0], order[1],
						got[source], want)
				}
			}
		}
	}
}

// TestGainThatIsNotNamed gives one of two gains, and compares the other with the model's.
func TestGainThatIsNotNamed(t *testing.T) {
	for _, keys := range []string{"operation: abs", "operation: abs, distribution: gaussian", "operation: scale"} {
		_, parameters := beginning(t, []string{"{term: pd_gains, joints: [FL_hip], kp_range: [3, 3], " + keys + "}"})
		e := jolt(t, "{term: encoder_bias}", nil)
		nominal := polytest.Must(e.Model().Nominal("actuator_biasprm/FL_hip"))(t)
		got := parameters["actuator_biasprm/FL_hip"]
		if got[1] == nominal[1] || got[2] != nominal[2] {
			t.Errorf("with kp_range and %s the bias is %v, want another stiffness than in %v, and that damping", keys, got[:3],
				nominal[:3])
		}
	}
}

// TestStartupIsFirst has events of mode startup and reset that draw the same.
func TestStartupIsFirst(t *testing.T) {
	event := func(mode, keys string) string {
		return "{name: of_" + mode + ", mode: " + mode + ", term: " + keys + "}"
	}
	for _, c := range []struct {
		startup, reset, lost string // what would be lost; "" if nothing
	}{
		{"body_mass, bodies: [trunk], ranges: [2, 2]", "body_mass, bodies: [trunk], ranges: [3, 3]", "body_mass/trunk[0]"},
		{"body_mass, bodies: ['.*'], ranges: [2, 2]", "pseudo_inertia, bodies: [FL_shank]", "body_mass/FL_shank[0]"},
		{"body_mass, bodies: [trunk], ranges: [2, 2]", "body_mass, bodies: [FL_shank], ranges: [3, 3]", ""},
		{"pd_gains, kp_range: [2, 2]", "pd_gains, kd_range: [2, 2]", ""},
		{"pd_gains, kp_range: [2, 2]", "pd_gains, joints: [RR_knee], kp_range: [3, 3]", "actuator_biasprm/RR_knee[1]"},
		{"geom_friction, geoms: [FL_foot], ranges: [1, 1], axes: [2]", "geom_friction, geoms: ['.*_foot'], ranges: [1, 1]", ""},
		{"reset_joints_by_offset, position_range: [0, 0]", "reset_joints_by_scale, joints: [FL_hip], position_range: [1, 1]",
			"position of joint FL_hip"},
		{"reset_joints_by_offset, position_range: [0, 0]", "reset_joints_by_scale, velocity_range: [1, 1]", ""},
		{"reset_root_state_uniform, pose_range: {x: [0, 1]}", "reset_root_state_uniform, pose_range: {x: [0, 0]}",
			"x of the base of the robot"},
		{"encoder_bias, bias_range: [0, 1]", "encoder_bias, joints: [FR_hip]", "bias of the encoder of joint FR_hip"},
		{"apply_external_force_torque, bodies: [trunk], force_range: [1, 1]",
			"apply_external_force_torque, bodies: [trunk], force_range: [2, 2]", "force on body trunk"},
	} {
		first, second := event("startup", c.startup), event("reset", c.reset)
		polytest.NoError(t, refusal(t, "", jolted+first+"\n  - "+second+"\n"))
		err := refusal(t, "", jolted+second+"\n  - "+first+"\n")
		if c.lost == "" {
			polytest.NoError(t, err)
			continue
		}
		polytest.ErrorContains(t, err, "events[1].mode is startup, and events[0], of mode reset, stands before it and writes "+
			c.lost+" too: events of mode startup happen first, so that this one would be lost, want it before events[0] or of "+
			"mode reset")
	}
	// in the other order both happen, and the last holds
	_, parameters := beginning(t, []string{event("startup", "body_mass, bodies: [trunk], operation: abs, ranges: [2, 2]"),
		event("reset", "body_mass, bodies: [trunk], operation: abs, ranges: [3, 3]")})
	if got := parameters["body_mass/trunk"][0]; math.Abs(got-3) > 1e-12 {
		t.Errorf("the mass after both is %v, want 3", got)
	}
}
