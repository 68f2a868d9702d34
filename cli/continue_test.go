package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// kind is a kind of task to train.
type kind struct {
	name string
	args []string // of train run
}

// describedKind returns a task that a configuration describes.
func describedKind(t *testing.T) kind {
	t.Helper()
	own := filepath.Join(t.TempDir(), "own.yaml")
	model := polytest.Must(filepath.Abs("../configs/quadruped.xml"))(t)
	polytest.NoError(t, os.WriteFile(own, []byte(strings.Replace(described, "MODEL", model, 1)), 0o666))
	return kind{"described", []string{"--config", own}}
}

// kinds returns one task of each kind; two of them, unless the test takes its long form.
func kinds(t *testing.T) []kind {
	t.Helper()
	all := []kind{
		describedKind(t),
		{"recurrent", []string{"--task", "LunarLander-v3", "--set", "training.recurrent=6", "--set", "training.sequence=12"}},
		{"discrete", []string{"--task", "LunarLander-v3"}},
		{"quadruped", []string{"--task", "quadruped"}},
		{"mujoco", []string{"--task", "HalfCheetah-v5"}},
		{"box2d", []string{"--task", "BipedalWalker-v3"}},
		{"adaptive", []string{"--task", "Hopper-v5", "--set", "training.schedule=adaptive", "--set",
			"training.target_kl=0.01", "--set", "training.state_dependent_std=true"}},
		{"seeing", append(slices.Clone(seeing), "--set", "training.convolutions=[{channels: 3, kernel: 4, stride: 2}]")},
	}
	if !polytest.Slow(t) {
		return all[:2]
	}
	return all
}

// described is a configuration with groups, memories, commands, events, a curriculum and
// a symmetry, which need not be one of the robot.
const described = `
task: {name: own}
seed: 5
runners: [{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 100}]
scene: {models: [{file: MODEL}]}
sensors: [{name: gyro, runner: Sensors, sources: [sensor/imu_gyro], noise: {std: 0.1}, latency: 8ms, jitter: 4ms,
   dropout: 0.1}]
start: {keyframe: home}
episode: 600ms
actions: [{term: joint_position, scale: 0.3}]
observations:
  policy:
    - {term: sensor, channel: gyro}
    - {term: projected_gravity, noise: {uniform: 0.05}}
    - {term: generated_commands, command: velocity}
    - {term: joint_pos_rel, delay: [0, 2]}
    - {term: joint_vel_rel, scale: 0.05, history: 3}
    - {term: last_action}
  critic:
    - {term: base_lin_vel}
    - {term: base_ang_vel}
rewards:
  - {term: track_lin_vel_xy_exp, weight: 1.5, command: velocity, std: 0.5}
  - {term: action_rate_l2, weight: -0.01}
  - {name: calm, expr: "sum(square(joint_vel))", weight: -1e-4}
terminations:
  - {term: time_out}
  - {name: low, expr: "base_height < 0.15"}
commands: [{name: velocity, term: uniform_velocity, lin_vel_x: [-1, 1], ang_vel_z: [-1, 1], resampling: [200ms, 400ms]}]
events:
  - {term: reset_joints_by_offset, position_range: [-0.1, 0.1]}
  - {term: body_mass, bodies: [trunk], operation: add, ranges: [-0.5, 0.5]}
  - {term: push_by_setting_velocity, mode: interval, interval: [100ms, 300ms], velocity_range: {x: [-0.5, 0.5]}}
curriculum:
  - {term: commands_vel, command: velocity, stages: [{step: 0, lin_vel_x: [-0.5, 0.5]}, {step: 150,
     lin_vel_x: [-1, 1]}]}
  - {term: reward_weight, reward: calm, stages: [{step: 0, weight: 0}, {step: 200, weight: -1e-3}]}
training: {symmetry: {weight: 0.1, observation: {swap: [[0, 1]], negate: [3]}, action: {swap: [[0, 3]], negate: [1]}}}
`

// continued are the arguments for a training of a second or so that records, logs,
// evaluates on the way and writes checkpoints.
func continued(k kind, out string, more ...string) []string {
	args := append([]string{"run", "--out", out}, k.args...)
	for _, set := range []string{
		"worlds=6", "block_size=2", "max_steps=37",
		"training.steps=5000", "training.segment=40", "training.epochs=2", "training.minibatch=64",
		"training.hidden=[16]", "training.checkpoint_every=1000", "training.stagger_episodes=true",
		"evaluation={episodes: 2, every: 1500}",
		"recording={every_world: 1, batch_rows: 100, flush_segments: 3, tables: [capture, control], compression: lz4, " +
			"sync: none, clip: false}",
	} {
		args = append(args, "--set", set)
	}
	return append(args, more...)
}

// results returns the files of a run folder that do not hold the time, the machine or the number of workers.
func results(t *testing.T, dir string) map[string]string {
	t.Helper()
	return polytest.Files(t, dir, rundir.ReportFile, rundir.ConfigFile, rundir.EventsFile)
}

// isDone reports whether a run's folder says that its training is done.
func isDone(t *testing.T, dir string) bool {
	t.Helper()
	path := filepath.Join(dir, rundir.ReportFile)
	if !exists(path) {
		return false
	}
	var report rundir.Report
	readJSON(t, path, &report)
	return report.Status == rundir.StatusDone
}

// kernels are those of OpenBLAS that may round differently, and whether the processor can execute them.
var kernels = []struct {
	name string
	can  bool
}{
	{"SkylakeX", cpu.X86.HasAVX512F && cpu.X86.HasAVX512CD && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ &&
		cpu.X86.HasAVX512VL},
	{"Haswell", cpu.X86.HasAVX2 && cpu.X86.HasFMA},
}

// With each kernel of OpenBLAS, a training leaves the same files, whatever the number of workers.
func TestSameFilesForAnyWorkersAndKernelLong(t *testing.T) {
	polytest.OnlySlow(t)
	for _, kernel := range kernels {
		for _, k := range kinds(t) {
			t.Run(kernel.name+"/"+k.name, func(t *testing.T) {
				if !kernel.can {
					t.Skipf("the processor lacks the instructions of %s", kernel.name)
				}
				var want map[string]string
				for _, workers := range []string{"1", "2", "4"} {
					dir := filepath.Join(t.TempDir(), workers)
					cmd := process(t, continued(k, dir, "--workers", workers)...)
					cmd.Env = append(cmd.Env, "OPENBLAS_CORETYPE="+kernel.name)
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Fatalf("%v: %s", err, out)
					}
					var report rundir.Report
					readJSON(t, filepath.Join(dir, rundir.ReportFile), &report)
					if !strings.EqualFold(report.BLASKernel, kernel.name) {
						t.Skipf("OpenBLAS has %s where %s is asked for", report.BLASKernel, kernel.name)
					}
					got := results(t, dir)
					if want == nil {
						want = got
					}
					polytest.SameFiles(t, workers+" workers", got, want)
				}
			})
		}
	}
}

// process returns train as a process of its own that has not started.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self := polytest.Must(os.Executable())(t)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asTrain+"=1")
	return cmd
}

// stopped is a training that is killed and continued, again and again.
type stopped struct {
	t     *testing.T
	kind  kind
	more  []string // further arguments
	dir   string
	kills int
}

// run begins or continues the training with another number of workers, until follow says to
// kill it. It returns whether the training is done.
func (s *stopped) run(w *watcher, follow func(change) bool) (done bool) {
	s.t.Helper()
	args := append(continued(s.kind, s.dir, "--workers", "2"), s.more...)
	if exists(filepath.Join(s.dir, rundir.StateFile)) {
		args = []string{"run", "--resume", s.dir, "--workers", strconv.Itoa(1 + s.kills%3)}
	} else if isDone(s.t, s.dir) { // killed between its last file and its end
		return true
	} else if err := os.RemoveAll(s.dir); err != nil { // it had not begun
		s.t.Fatal(err)
	}
	cmd := process(s.t, args...)
	polytest.NoError(s.t, cmd.Start())
	if !w.follow(s.t, cmd, follow) {
		s.kills++
		return false
	}
	if code := cmd.ProcessState.ExitCode(); code != Done {
		s.t.Fatalf("exit %d after %d kills: %q", code, s.kills, args)
	}
	return true
}

// never lets a training go on to its end.
func never(change) bool { return false }

// A training is killed in the middle of each thing that it writes, one after the other, and while it evaluates and
// draws, and continued each time with another number of workers. Its checkpoints, metrics, dataset, log and pictures
// are then those of a training that was never stopped, byte for byte.
func TestTrainingKilledInTheMiddleLong(t *testing.T) {
	polytest.OnlySlow(t)
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			parent := t.TempDir()
			w := newWatcher(t, parent)
			more := []string{"--set", "recording.clip=true"}
			whole := &stopped{t: t, kind: k, more: more, dir: filepath.Join(parent, "whole")}
			whole.run(w, never)
			want := results(t, whole.dir)
			if want[rundir.ClipFile] == "" {
				t.Fatal("no clip")
			}
			s := &stopped{t: t, kind: k, more: more, dir: filepath.Join(parent, "killed")}
			for _, point := range []change{
				{"create", rundir.StateFile + ".part"}, // before it begins
				{"write", rundir.LogFile},
				{"rename", rundir.StateFile}, // before or after the first iteration
				{"write", "data.journal"},
				{"write", rundir.MetricsFile},
				{"create", "checkpoint-*.ckpt.part"},
				{"rename", "checkpoint-*.ckpt"},
				{"create", rundir.StateFile + ".part"},
				{"rename", rundir.LatestFile}, // then an evaluation
				{"write", rundir.EvaluationsFile},
				{"rename", rundir.BestFile},  // when it goes on, or after an evaluation
				{"rename", rundir.CurveFile}, // then the last evaluation
				{"create", rundir.ClipFile + ".part"},
				{"create", rundir.ReportFile + ".part"},
				{"rename", rundir.ReportFile},
			} {
				seen := false
				s.run(w, func(now change) bool {
					match := polytest.Must(filepath.Match(point.path, filepath.Base(now.path)))(t)
					seen = match && now.what == point.what
					return seen
				})
				if !seen && !isDone(t, s.dir) { // the kill before may have come too late
					t.Fatalf("%s %s: it never happened", point.what, point.path)
				}
				parts, _ := filepath.Glob(filepath.Join(s.dir, "*.part"))
				t.Logf("%s %s: killed %d times; there are %d unfinished files", point.what, point.path, s.kills,
					len(parts))
			}
			s.run(w, never)
			polytest.SameFiles(t, fmt.Sprintf("%d kills", s.kills), results(t, s.dir), want)
			mustTrain(t, "replay", s.dir)
		})
	}
}
