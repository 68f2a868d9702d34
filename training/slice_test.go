package training

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/digest"
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
  - {name: gyro, runner: Sensors, sources: [sensor/imu_gyro], latency: 3ms, jitter: 2ms, dropout: 0.1, noise: {std: 0.02}, bias: {std: 0.01, walk: 0.01}}
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
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-1, 1], lin_vel_y: [-0.5, 0.5], heading: [-3, 3], ang_vel_z: [-1, 1], rel_standing_envs: 0.1, resampling: [200ms, 400ms]}
events:
  - {term: encoder_bias, mode: startup, bias_range: [-0.02, 0.02]}
  - {term: body_mass, mode: startup, bodies: [trunk], ranges: [0.8, 1.2]}
  - {term: geom_friction, mode: reset, geoms: [".*_foot"], ranges: [0.5, 1.2]}
  - {term: push_by_setting_velocity, mode: interval, interval: [100ms, 300ms], velocity_range: {x: [-0.5, 0.5], yaw: [-0.5, 0.5]}}
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
	model, err := filepath.Abs("../tasks/quadruped/quadruped.xml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := configs.Parse("walk.yaml", []byte(strings.ReplaceAll(describedWalk, "MODEL", model)), sets, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// trace is what worlds did: a hash for each control step and world of all that a caller
// sees of it.
type trace struct {
	slice sim.Slice
	steps [][]uint64 // by control step and world

}

// traceOf steps the worlds of a slice under a policy.
func traceOf(t *testing.T, config *configs.Config, name string, opt env.OpenOptions, steps int) *trace {
	t.Helper()
	policy, err := OpenPolicy(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := env.Open(config, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	act, err := policy.actor(e, config)
	if err != nil {
		t.Fatal(err)
	}
	tr := &trace{slice: e.Slice(), steps: make([][]uint64, steps)}
	for i := range tr.steps {
		tr.steps[i] = make([]uint64, e.Worlds())
	}
	for done := 0; done < steps && e.Active(); {
		n := e.SegmentSteps(min(17, steps-done))
		err := e.Each(func(w *sim.Worker, b *sim.Block) error {
			for k := range n {
				if err := act(w, b); err != nil {
					return err
				}
				if err := b.Step(w); err != nil {
					return err
				}
				for i := range b.Len() {
					tr.steps[done+k][b.Row()+i] = seen(e, b.Row()+i)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		done += n
	}
	return tr
}

// seen returns a hash of what a caller sees of the world in a row.
func seen(e *env.Env, row int) uint64 {
	part := func(of []float64) []float64 {
		n := len(of) / e.Worlds()
		return of[row*n : (row+1)*n]
	}
	var h digest.Hash
	h.Start()
	n := len(e.Actions()) / e.Worlds()
	h.Floats32(e.Actions()[row*n : (row+1)*n])
	for _, of := range [][]float64{e.Observations(), e.Rewards(), e.Infos(), e.FinalObservations(), e.FinalInfos(), e.EpisodeReturns()} {
		h.Floats(part(of))
	}
	flags := []float64{float64(e.EpisodeLengths()[row]), 0, 0, 0}
	for i, of := range [][]bool{e.Terminations(), e.Truncations(), e.Faults()} {
		if of[row] {
			flags[1+i] = 1
		}
	}
	h.Floats(flags)
	return h.Sum()
}

// What the worlds of a slice do is what they do in the whole run, to the bit: under any
// policy, with any number of workers.
func TestSlicesDoWhatTheWholeRunDoes(t *testing.T) {
	for _, c := range []struct {
		name, task, policy string
		sets               []string
		steps              int
		stagger            bool
	}{
		{"events, noise, delays, curriculum, faults, memory", "described", "recurrent", []string{"block_size=3", "training.recurrent=5"}, 90, false},
		{"random actions", "described", RandomPolicy, []string{"block_size=4", "autoreset=next_step"}, 70, true},
		{"changes of the clock", "HalfCheetah-v5", RandomPolicy, []string{"worlds=7", "block_size=2", "max_steps=12",
			"runners=[{name: Robot, rate: 20}, {name: Capture, rate: 30}, {name: Sensors, rate: 100}]",
			"sensors=[{name: vel, runner: Sensors, sources: [qvel], latency: 8ms, noise: {std: 0.1}}]",
			"changes=[{n: 5, edits: [{set_rate: {name: Sensors, rate: 50}}]}, {n: 21, edits: [{set_rate: {name: Capture, rate: 40}}]}]"}, 40, false},
		{"a policy", "Hopper-v5", "plain", []string{"worlds=37", "max_steps=25"}, 60, false},
		{"Box2D, choices, memory", "LunarLander-v3", "recurrent", []string{"worlds=9", "block_size=2", "max_steps=40", "training.recurrent=6"}, 80, true},
		{"Box2D", "BipedalWalker-v3", "plain", []string{"worlds=5", "block_size=1", "max_steps=30"}, 45, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sets := append([]string{"recording.enabled=false", "training.hidden=[8]", "training.steps=200", "training.segment=8", "training.sequence=8",
				"training.learning_rate=0.02", "evaluation.episodes=1"}, c.sets...)
			config, policy := sliceConfig(t, c.task, sets), c.policy
			if policy != RandomPolicy {
				policy = filepath.Join(t.TempDir(), "run")
				if _, err := Train(t.Context(), config, TrainOptions{Folder: policy}); err != nil {
					t.Fatal(err)
				}
			}
			whole := traceOf(t, config, policy, env.OpenOptions{Workers: 2, Stagger: c.stagger}, c.steps)
			for n := 1; n <= 3; n++ {
				slices, err := sim.Split(config.Worlds, config.BlockSize, n)
				if err != nil {
					t.Fatal(err)
				}
				for i, slice := range slices {
					opt := env.OpenOptions{Workers: 1 + (n+i)%3, Stagger: c.stagger, Slice: slice}
					whole.check(t, traceOf(t, config, policy, opt, c.steps))
				}
			}
		})
	}
}

// check compares a slice with the same worlds of the whole run.
func (whole *trace) check(t *testing.T, part *trace) {
	t.Helper()
	for n := range whole.steps {
		if want := whole.steps[n][part.slice.From:part.slice.To]; !slices.Equal(part.steps[n], want) {
			t.Errorf("slice %v differs from the whole run in control step %d", part.slice, n)
			return
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		worlds, size, n int
		want            string
	}{
		{64, 0, 2, "[0:32 32:64]"}, {64, 0, 3, "[0:16 16:40 40:64]"}, {37, 4, 3, "[0:12 12:24 24:37]"}, {5, 0, 5, "[0:1 1:2 2:3 3:4 4:5]"}, {7, 3, 1, "[0:7]"},
		{7, 3, 4, "4 slices of 7 worlds in blocks of 3, want 1 to 3"}, {7, 3, 0, "0 slices of 7 worlds in blocks of 3, want 1 to 3"},
	} {
		slices, err := sim.Split(c.worlds, c.size, c.n)
		got := fmt.Sprint(slices)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d worlds in blocks of %d in %d slices: %s, want %s", c.worlds, c.size, c.n, got, c.want)
		}
		for _, s := range slices {
			if err := s.Check(c.worlds, c.size); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestSliceRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": `slice is "", want FROM:TO, such as 0:16`, "3": `slice is "3", want`, "0:0": `want FROM:TO`, "-1:3": `want FROM:TO`, "0:99999999999": "want FROM:TO",
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
