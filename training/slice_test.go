package training

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// describedWalk is a described task with noise, latencies, delays, events, commands, a
// curriculum and a reward that is a fault where the trunk sinks.
const describedWalk = `
task: {name: walk}
seed: 7
worlds: 11
runners: [{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}]
bindings:
  - {name: recorder, runner: Capture, phase: Control, priority: 100}
sensors:
  - {name: gyro, runner: Sensors, sources: [sensor/imu_gyro], latency: 3ms,
     jitter: 2ms, dropout: 0.1, noise: {std: 0.02}, bias: {std: 0.01, walk: 0.01}}
scene: {models: [{file: MODEL}]}
start: {keyframe: home}
episode: 600ms
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
rewards:
  - {term: track_lin_vel_xy_exp, weight: 1.5, command: velocity, std: 0.5}
  - {name: high, expr: "log(base_height - 0.22)", weight: 0.01}
terminations:
  - {term: time_out}
  - {term: bad_orientation, limit: 1.0}
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-1, 1], lin_vel_y: [-0.5, 0.5],
     heading: [-3, 3], ang_vel_z: [-1, 1], rel_standing_envs: 0.1, resampling: [200ms, 400ms]}
events:
  - {term: encoder_bias, mode: startup, bias_range: [-0.02, 0.02]}
  - {term: body_mass, mode: startup, bodies: [trunk], ranges: [0.8, 1.2]}
  - {term: geom_friction, mode: reset, geoms: [".*_foot"], ranges: [0.5, 1.2]}
  - {term: push_by_setting_velocity, mode: interval, interval: [100ms, 300ms],
     velocity_range: {x: [-0.5, 0.5], yaw: [-0.5, 0.5]}}
  - {term: reset_joints_by_offset, mode: reset, position_range: [-0.1, 0.1]}
curriculum:
  - {term: commands_vel, command: velocity, stages: [{step: 0, lin_vel_x: [0, 0.1]}, {step: 40, lin_vel_x: [0.5, 1]}]}
`

// sliceConfig returns the described task, or a preset, with settings.
func sliceConfig(t *testing.T, task string, sets []string) *configs.Config {
	t.Helper()
	if task != "described" {
		return parse(t, task, sets...)
	}
	model := must(filepath.Abs("../configs/quadruped.xml"))(t)
	return must(configs.Parse("walk.yaml", []byte(strings.ReplaceAll(describedWalk, "MODEL", model)), sets, nil))(t)
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		worlds, size, n int
		want            string
	}{
		{64, 0, 2, "[0:32 32:64]"}, {64, 0, 3, "[0:16 16:40 40:64]"}, {37, 4, 3, "[0:12 12:24 24:37]"}, {5, 0, 5,
			"[0:1 1:2 2:3 3:4 4:5]"}, {7, 3, 1, "[0:7]"},
		{7, 3, 4, "4 slices of 7 worlds in blocks of 3, want 1 to 3"}, {7, 3, 0,
			"0 slices of 7 worlds in blocks of 3, want 1 to 3"},
	} {
		slices, err := sim.Split(c.worlds, c.size, c.n)
		got := fmt.Sprint(slices)
		if err != nil {
			got = err.Error()
		}
		polytest.Equal(t, got, c.want, "%d worlds in blocks of %d in %d slices", c.worlds, c.size, c.n)
		for _, s := range slices {
			noError(t, s.Check(c.worlds, c.size))
		}
	}
}

func TestSliceRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": `slice is "", want FROM:TO, such as 0:16`, "3": `slice is "3", want`, "0:0": `want FROM:TO`,
		"-1:3": `want FROM:TO`, "0:99999999999": "want FROM:TO",
		"3:3": "slice is 3:3, want at least one world of 0:11", "3:15": "slice is 3:15, want at least one world of 0:11",
		"2:6": "slice is 2:6, want it to begin and end with a block: multiples of 3, or the end 11",
		"3:8": "slice is 3:8, want it to begin and end with a block: multiples of 3, or the end 11",
		"3:9": "", "9:11": "", "0:11": "",
	} {
		slice, err := sim.ParseSlice(text)
		if err == nil {
			err = slice.Check(11, 3)
		}
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
		if err == nil && slice.String() != text {
			t.Errorf("%q is written as %v", text, slice)
		}
	}
}
