package env

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// described is a task on the model of the quadruped, with every kind of section.
const described = `
task: {name: walk}
worlds: 4
seed: 7
runners: [{name: Robot, rate: 50}, {name: Sensors, rate: 500}]
sensors:
  - {name: gyro, runner: Sensors, sources: [sensor/imu_gyro], noise: {std: 0.02}}
recording: {enabled: false}
scene: {models: [{file: MODEL}]}
start: {keyframe: home}
episode: 1s
actions:
  - {term: joint_position, scale: {".*_abduction": 0.25, ".*_(hip|knee)": 0.5}, delay: [0, 2], filter: {cutoff: 10}}
observations:
  policy:
    - {term: sensor, channel: gyro, scale: 0.25}
    - {term: projected_gravity, noise: {uniform: 0.05}}
    - {term: joint_pos_rel, noise: {std: 0.01}, delay: [0, 2]}
    - {term: joint_vel_rel, scale: 0.05, clip: [-50, 50], history: 3}
    - {term: last_action}
    - {term: generated_commands, command: velocity}
    - {term: gait_phase}
    - {name: speed, expr: "norm(base_lin_vel)"}
  critic:
    - {term: base_lin_vel}
    - {term: foot_contact, feet: [".*_foot"]}
    - {term: foot_height, feet: [".*_foot"]}
rewards:
  - {term: track_lin_vel_xy_exp, weight: 1.5, command: velocity, std: 0.5}
  - {name: calm, expr: "sum(square(joint_vel))", weight: -1e-4}
terminations:
  - {term: time_out}
  - {term: bad_orientation, limit: 1.0}
  - {name: low, expr: "base_height < 0.1"}
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-1, 1], lin_vel_y: [-0.5, 0.5], heading: [-3, 3], ang_vel_z: [-1, 1], rel_standing_envs: 0.1, resampling: [200ms, 400ms]}
events:
  - {term: reset_root_state_uniform, mode: reset, pose_range: {z: [0, 0.03], yaw: [-3.14, 3.14]}, velocity_range: {x: [-0.2, 0.2]}}
curriculum:
  - {term: commands_vel, command: velocity, stages: [{step: 0, lin_vel_x: [0, 0.1]}, {step: 40, lin_vel_x: [0.5, 1]}]}
`

// describedConfig parses the described task, with changes of its text in pairs.
func describedConfig(t *testing.T, changes ...string) *configs.Config {
	t.Helper()
	model, err := filepath.Abs("../tasks/quadruped/quadruped.xml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(described, "MODEL", model)
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("the text has no %q", changes[i])
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	c, err := configs.Parse("walk.yaml", []byte(text), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDescribedTaskRuns(t *testing.T) {
	e, err := Open(describedConfig(t), OpenOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	spec := e.Sim().Spec()
	if spec.ActionSize != 12 || spec.MaxSteps != 50 {
		t.Errorf("%d action values and at most %d steps, want 12 and 50", spec.ActionSize, spec.MaxSteps)
	}
	want := []sim.Group{{Name: "policy", First: 0, Size: 3 + 3 + 12 + 36 + 12 + 3 + 2 + 1}, {Name: "critic", First: 72, Size: 11}}
	if !slices.Equal(spec.Groups, want) {
		t.Errorf("groups %v, want %v", spec.Groups, want)
	}
	for range 120 {
		e.SampleActions()
		if err := e.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if n := e.Sim().Faults(); n > 0 {
		t.Errorf("%d faults", n)
	}
}
