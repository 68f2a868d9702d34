package env

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
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
  - {term: joint_torques_l2, weight: -1e-5}
  - {term: joint_acc_l2, weight: -1e-7}
  - {term: action_rate_l2, weight: -0.01}
  - {term: feet_air_time, weight: 0.5, feet: [".*_foot"], command: velocity}
  - {term: feet_slip, weight: -0.1, feet: [".*_foot"], command: velocity}
  - {name: calm, expr: "sum(square(joint_vel))", weight: -1e-4}
terminations:
  - {term: time_out}
  - {term: bad_orientation, limit: 1.0}
  - {name: low, expr: "base_height < 0.1"}
  - {term: illegal_contact, bodies: [trunk], threshold: 1}
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-1, 1], lin_vel_y: [-0.5, 0.5], heading: [-3, 3],
     ang_vel_z: [-1, 1], rel_standing_envs: 0.1, resampling: [200ms, 400ms]}
events:
  - {term: encoder_bias, mode: startup, bias_range: [-0.02, 0.02]}
  - {term: body_mass, mode: startup, bodies: [trunk], ranges: [0.8, 1.2]}
  - {term: geom_friction, mode: reset, geoms: [".*_foot"], ranges: [0.5, 1.2]}
  - {term: pd_gains, mode: reset, kp_range: [0.8, 1.2]}
  - {term: push_by_setting_velocity, mode: interval, interval: [100ms, 300ms],
     velocity_range: {x: [-0.5, 0.5], yaw: [-0.5, 0.5]}}
  - {term: reset_joints_by_offset, mode: reset, position_range: [-0.1, 0.1]}
  - {term: reset_root_state_uniform, mode: reset, pose_range: {z: [0, 0.03], yaw: [-3.14, 3.14]},
     velocity_range: {x: [-0.2, 0.2]}}
curriculum:
  - {term: commands_vel, command: velocity, stages: [{step: 0, lin_vel_x: [0, 0.1]}, {step: 40, lin_vel_x: [0.5, 1]}]}
`

// describedConfig parses the described task, with changes of its text in pairs.
func describedConfig(t *testing.T, changes ...string) *configs.Config {
	t.Helper()
	model := polytest.Must(filepath.Abs("../configs/quadruped.xml"))(t)
	text := strings.ReplaceAll(described, "MODEL", model)
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("the text has no %q", changes[i])
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	return polytest.Must(configs.Parse("walk.yaml", []byte(text), nil, nil))(t)
}

func TestDescribedTaskRuns(t *testing.T) {
	e := polytest.Must(Open(describedConfig(t), OpenOptions{Workers: 1}))(t)
	defer e.Close()
	spec := e.Sim().Spec()
	if spec.ActionSize != 12 || spec.MaxSteps != 50 {
		t.Errorf("%d action values and at most %d steps, want 12 and 50", spec.ActionSize, spec.MaxSteps)
	}
	want := []sim.Group{{Name: "policy", First: 0, Size: 3 + 3 + 12 + 36 + 12 + 3 + 2 + 1},
		{Name: "critic", First: 72, Size: 11}}
	polytest.EqualSlices(t, spec.Groups, want, "groups")
	for range 120 {
		e.SampleActions()
		polytest.NoError(t, e.Step())
	}
	if n := e.Sim().FaultCount(); n > 0 {
		t.Errorf("%d faults", n)
	}
}

// A run that ends after a number of episodes has an end, even if nothing in the configuration ends an episode.
func TestEveryEpisodeOfACountedRunEnds(t *testing.T) {
	endless := []string{"  - {term: time_out}\n", ""}
	for _, c := range []struct {
		changes []string
		opt     OpenOptions
		want    int64
	}{
		{nil, OpenOptions{Episodes: 1}, 50},
		{endless, OpenOptions{Episodes: 1}, LongestEpisode},
		{append(endless, "episode: 1s", "max_steps: 7"), OpenOptions{Episodes: 1}, 7},
		{endless, OpenOptions{}, 0},
	} {
		c.opt.Workers = 1
		if got := open(t, describedConfig(t, c.changes...), c.opt).Sim().Spec().MaxSteps; got != c.want {
			t.Errorf("%q, %d episodes: at most %d steps, want %d", c.changes, c.opt.Episodes, got, c.want)
		}
	}
}

// playDescribed takes control steps under fixed actions and returns the physics rows,
// observations, rewards and infos of every world.
func playDescribed(t testing.TB, e *Env, steps int) [][]float64 {
	t.Helper()
	seen := make([][]float64, e.Sim().Worlds())
	spec := e.Sim().Spec()
	polytest.NoError(t, e.Each(func(w *sim.Worker, b *sim.Block) error {
		for step := range steps {
			for i := range b.Actions() {
				world, value := b.First()+i/spec.ActionSize, i%spec.ActionSize
				b.Actions()[i] = float32((world*13+step/3*29+value*7)%17)/8 - 1
			}
			if err := b.Step(w); err != nil {
				return err
			}
			for i := range b.Len() {
				world := b.First() + i
				seen[world] = append(append(seen[world], b.State(i)...), b.Rewards()[i])
				seen[world] = append(seen[world], b.Observations()[i*spec.ObservationSize:(i+1)*spec.ObservationSize]...)
				seen[world] = append(seen[world], b.Infos()[i*len(spec.InfoNames):(i+1)*len(spec.InfoNames)]...)
			}
		}
		return nil
	}))
	return seen
}

// A described task gives the same bits for any number of workers, with events, delays,
// noise, commands and a curriculum.
func TestDescribedTaskIsTheSameForAnyWorkers(t *testing.T) {
	commands := func(t *testing.T, _ ...string) *configs.Config {
		return polytest.Must(configs.Load("../configs/described/quadruped_commands.yaml",
			[]string{"worlds=3", "recording.enabled=false"}, nil))(t)
	}
	for name, config := range map[string]func(*testing.T, ...string) *configs.Config{"described": describedConfig,
		"quadruped_commands": commands} {
		var want [][]float64
		for _, workers := range []int{1, 2, 4} {
			cfg := config(t)
			cfg.BlockSize = 1
			got := playDescribed(t, open(t, cfg, OpenOptions{Workers: workers}), 110)
			if want == nil {
				want = got
			}
			if !sameBits(got, want) {
				t.Errorf("%s: %d workers give other bits than 1", name, workers)
			}
		}
		if sameBits(want[:1], want[1:2]) {
			t.Errorf("%s: two worlds are the same, so this test sees nothing", name)
		}
	}
}

// A restored snapshot continues as the run did, also in an env that was opened anew.
func TestDescribedTaskContinuesFromASnapshot(t *testing.T) {
	a := open(t, describedConfig(t), OpenOptions{Workers: 1})
	playDescribed(t, a, 30)
	snapshot := a.Sim().Snapshot()
	want := playDescribed(t, a, 60)
	b := open(t, describedConfig(t), OpenOptions{Workers: 2})
	polytest.NoError(t, b.Sim().Restore(snapshot))
	if !sameBits(playDescribed(t, b, 60), want) {
		t.Error("a restored run gives other bits")
	}
	c := open(t, describedConfig(t, "std: 0.5", "std: 0.6"), OpenOptions{Workers: 1})
	polytest.ErrorContains(t, c.Sim().Restore(snapshot), "task description")
}

// The log of a described run replays from any folder, since it names the models by absolute paths.
func TestDescribedTaskReplays(t *testing.T) {
	dir := t.TempDir()
	data := polytest.Must(os.ReadFile("../configs/quadruped.xml"))(t)
	polytest.NoError(t, os.WriteFile(filepath.Join(dir, "robot.xml"), data, 0o666))
	file := filepath.Join(dir, "walk.yaml")
	polytest.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(described, "MODEL", "robot.xml")), 0o666))
	log := filepath.Join(dir, "run.log")
	e := polytest.Must(MakeFile(file, Options{Log: log}))(t)
	for range 70 {
		e.SampleActions()
		polytest.NoError(t, e.Step())
	}
	polytest.NoError(t, e.Close())
	t.Chdir(t.TempDir())
	for _, workers := range []int{1, 3} {
		if steps, err := Replay(log, workers); err != nil || steps != 70 {
			t.Errorf("replay on %d workers: %d steps, %v; want 70 and no error", workers, steps, err)
		}
	}
}

func TestDescribedStepAllocatesNothing(t *testing.T) {
	cfg := describedConfig(t, "episode: 1s", "episode: 100ms") // episodes end and begin too
	allocatesNothing(t, open(t, cfg, OpenOptions{Workers: 1}).Each)
}

// The curriculum depends on the control step of the run, and on those before it.
func TestDescribedCurriculumFollowsTheSteps(t *testing.T) {
	speeds := func(offset int64, from, to int) (least, most float64) {
		e := open(t, describedConfig(t, "rel_standing_envs: 0.1, ", ""), OpenOptions{Workers: 1, StepOffset: offset})
		at := slices.Index(e.Sim().Spec().ObservationNames, "velocity_lin_vel_x")
		least, most = 9, -9
		for step := range to {
			e.SampleActions()
			polytest.NoError(t, e.Step())
			if step < from {
				continue
			}
			for world := range e.Sim().Worlds() {
				x := e.Sim().Observations()[world*e.Sim().Spec().ObservationSize+at]
				least, most = min(least, x), max(most, x)
			}
		}
		return least, most
	}
	if least, most := speeds(0, 0, 15); least < 0 || most > 0.1 {
		t.Errorf("commands from %v to %v in the first stage, want 0 to 0.1", least, most)
	}
	if least, most := speeds(0, 65, 75); least < 0.5 || most > 1 {
		t.Errorf("commands from %v to %v in the second stage, want 0.5 to 1", least, most)
	}
	if least, most := speeds(1000, 0, 15); least < 0.5 || most > 1 {
		t.Errorf("commands from %v to %v after 1000 steps, want 0.5 to 1", least, most)
	}
}

// FuzzDescribed opens mutations of a described task: each gives worlds that take a step or an error of one line.
func FuzzDescribed(f *testing.F) {
	model := polytest.Must(filepath.Abs("../configs/quadruped.xml"))(f)
	lines := strings.Split(described, "\n")
	for i := range 8 {
		f.Add(described, uint16(i*7), lines[(i*5+3)%len(lines)])
	}
	f.Add(described, uint16(20), "  - {name: x, expr: \"joint_pos[0:3] * [1, 2, 3]\", delay: [1, 4], history: 2}")
	f.Fuzz(func(t *testing.T, text string, at uint16, line string) {
		// The line replaces one of the text.
		lines := strings.Split(text, "\n")
		lines[int(at)%len(lines)] = line
		text = strings.ReplaceAll(strings.Join(lines, "\n"), "MODEL", model)
		c, err := configs.Parse("walk.yaml", []byte(text), []string{"worlds=2", "workers=1"}, nil)
		if err == nil && len(c.Scene.Models) > 0 && c.Scene.Models[0].File == model {
			c.Recording.Enabled = false
			var e *Env
			if e, err = Open(c, OpenOptions{Workers: 1}); err == nil {
				err = e.Step()
				if closed := e.Close(); err == nil {
					err = closed
				}
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of more than one line: %q", err)
		}
	})
}
