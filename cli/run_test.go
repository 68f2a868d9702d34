package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// small makes a training of a second or so.
var small = []string{
	"--set", "worlds=6", "--set", "max_steps=25",
	"--set", "training={steps: 1500, segment: 40, epochs: 2, minibatch: 64, hidden: [16]}",
	"--set", "evaluation.episodes=3",
}

func mustTrain(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := train(t, args...)
	if code != Done {
		t.Fatalf("train %q: exit %d: %s", args, code, errs)
	}
	return out
}

// rows opens a dataset and returns the number of rows of a table.
func rows(t *testing.T, dir, table string) int64 {
	t.Helper()
	d := polytest.Must(recorder.Open(dir))(t)
	n := polytest.Must(d.Rows(table))(t)
	return n
}

// A student that is killed goes on, without its teacher's folder, and then learns by PPO.
func TestDistillCommand(t *testing.T) {
	dir := t.TempDir()
	teacher, student := filepath.Join(dir, "teacher"), filepath.Join(dir, "student")
	mustTrain(t, append([]string{"run", "--task", "quadruped", "--out", teacher}, small...)...)
	refuses(t, Usage, "distill "+dir, "holds no checkpoint")
	refuses(t, Usage, "distill "+teacher+" --set training.algorithm=sac", "algorithm is sac, want distill with a teacher")
	refuses(t, Usage, "distill "+teacher+" --set training.schedule=adaptive --set training.target_kl=0.01",
		"schedule is adaptive, want constant or linear")
	refuses(t, Usage, "distill "+teacher+" --task HalfCheetah-v5 --out "+student, "want")
	args := []string{"distill", teacher, "--set", "training.hidden=[8]", "--set", "training.steps=10000", "--out"}
	whole := filepath.Join(dir, "whole")
	mustTrain(t, append(args, whole)...)
	cmd := start(t, append(args, student)...)
	killWhileItLearns(t, cmd, student)
	polytest.NoError(t, os.RemoveAll(teacher))
	mustTrain(t, "run", "--resume", student)
	polytest.SameFiles(t, "killed", results(t, student), results(t, whole))
	mustTrain(t, "replay", student)
	mustTrain(t, "run", "--resume", student, "--out", filepath.Join(dir, "on"), "--set", "training.algorithm=ppo",
		"--set", "training.steps=11000")
}

// killWhileItLearns kills a training after three iterations.
func killWhileItLearns(t *testing.T, cmd *exec.Cmd, run string) {
	t.Helper()
	metrics := filepath.Join(run, rundir.MetricsFile)
	for startTime := time.Now(); time.Since(startTime) < time.Minute; time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(metrics); err == nil && bytes.Count(text, []byte("\n")) > 3 {
			break
		}
	}
	killAfter(t, cmd, 0)
}

// A clone of few episodes is compared with none, and says so: no error of 0 of them.
func TestReportOfAClone(t *testing.T) {
	for held, want := range map[int]string{
		0:  "  error   0.5 on 90 rows, and none were held out: of a dataset every tenth episode is\n",
		10: "  error   0.5 on 90 rows, 0.75 on 10 that were held out\n",
	} {
		var out bytes.Buffer
		cloned := &rundir.Cloned{Rows: 90, Error: 0.5, HeldOut: held}
		if held > 0 {
			cloned.HeldOutError = 0.75
		}
		printRunReport(&out, &rundir.Report{Cloned: cloned, Evaluation: &rundir.Evaluation{}})
		says(t, out.String(), want)
	}
}

// What a policy did is cloned from its dataset, also from that of a replay, by the configuration of the dataset.
func TestCloneCommand(t *testing.T) {
	dir := t.TempDir()
	walk, again := filepath.Join(dir, "walk"), filepath.Join(dir, "again")
	mustTrain(t, words("rollout --task quadruped --set worlds=4 --set max_steps=20 --policy zero --episodes 20 --out "+
		walk)...)
	refuses(t, Usage, "clone "+walk+" --out "+filepath.Join(dir, "none"), "has no table control, want one")
	refuses(t, Usage, "clone "+dir, "is no dataset: want polyrhythm.json, or")
	mustTrain(t, "replay", walk, "--record", again, "--set", "recording.tables=[capture,control]")
	for _, algorithm := range []string{"sac", "ppo"} {
		refuses(t, Usage, "clone "+again+" --set training.algorithm="+algorithm,
			"training.algorithm is "+algorithm+", want clone or td3bc with a dataset")
	}
	out := mustTrain(t, append([]string{"clone", again, "--out", filepath.Join(dir, "clone")}, small...)...)
	if strings.Contains(out, "environment step") || !regexp.MustCompile(`^\S+: \d+ rows in .* rows/s\)`).MatchString(out) {
		t.Errorf("%s: want rows, of which a clone learns, and no steps", out)
	}
	if !strings.Contains(out, " on 360 rows, ") || !strings.Contains(out, " on 40 that were held out\n") {
		t.Error(out)
	}
	mustTrain(t, "eval", filepath.Join(dir, "clone"), "--episodes", "2")
	learned := []string{"--set", "training={algorithm: td3bc, steps: 20000, sac: {hidden: [8], minibatch: 16, " +
		"segment: 50}}", "--set", "recording.clip=false", "--set", "evaluation.episodes=4"}
	offline, whole := filepath.Join(dir, "td3bc"), filepath.Join(dir, "whole")
	mustTrain(t, append([]string{"clone", again, "--out", whole, "--workers", "2"}, learned...)...)
	killWhileItLearns(t, start(t, append([]string{"clone", again, "--out", offline}, learned...)...), offline)
	mustTrain(t, "run", "--resume", offline)
	polytest.SameFiles(t, "killed", results(t, offline), results(t, whole))
	mustTrain(t, "export-policy", whole, "--to", "onnx", "--out", filepath.Join(dir, "policy.onnx"))
	mustTrain(t, "rollout", "--task", "quadruped", "--set", "worlds=2", "--policy", whole, "--episodes", "2", "--out",
		filepath.Join(dir, "walked"))
	other := filepath.Join(dir, "lerobot")
	mustTrain(t, "export", again, "--to", "lerobot", "--table", "control", "--out", other)
	out = mustTrain(t, append([]string{"clone", other, "--out", filepath.Join(dir, "clone2")}, small...)...)
	if !strings.Contains(out, " on 360 rows, ") {
		t.Error(out)
	}
	mustTrain(t, append([]string{"clone", other, "--out", filepath.Join(dir, "td3bc2")}, learned...)...)
	polytest.NoError(t, os.Remove(filepath.Join(other, "source.json")))
	refuses(t, Usage, "clone "+other, "no configuration given, want --config FILE or --task NAME")
	mustTrain(t, append([]string{"clone", other, "--task", "quadruped", "--out", filepath.Join(dir, "clone3")},
		small...)...)
}

func TestRunFolderAndEvaluation(t *testing.T) {
	t.Chdir(t.TempDir())
	args := append([]string{"--task", "quadruped", "--set", "training.checkpoint_every=500", "--set",
		"evaluation.every=700", "--set", "recording.every_world=1"}, small...)
	summary := mustTrain(t, args...) // without "run": the same
	const folder = "runs/quadruped-001"
	if !strings.Contains(summary, "all files are in "+folder+": ") {
		t.Errorf("want the folder %s in\n%s", folder, summary)
	}
	mustTrain(t, append([]string{"run"}, args...)...)
	if _, err := os.Stat("runs/quadruped-002/run.json"); err != nil {
		t.Errorf("a second run: %v", err)
	}

	var run rundir.Report
	readJSON(t, filepath.Join(folder, rundir.ReportFile), &run)
	if run.Status != "done" || run.EnvSteps < 1500 || run.Evaluation == nil || run.Versions["mujoco"] == "" ||
		run.BLASKernel == "" {
		t.Errorf("run.json: got %+v", run)
	}
	text := polytest.Must(os.ReadFile(filepath.Join(folder, rundir.EvaluationsFile)))(t)
	evaluated := polytest.Must(rundir.ReadEvaluations(bytes.NewReader(text)))(t)
	if len(evaluated) != 2 || evaluated[1].EnvSteps < 1400 {
		t.Errorf("evaluations on the way: got %d, want two, past 700 and 1400 steps", len(evaluated))
	}
	checkpoints, err := filepath.Glob(filepath.Join(folder, "checkpoint-*.ckpt"))
	if err != nil || len(checkpoints) != 4 {
		t.Fatalf("got checkpoints %q, want four: past 500, 1000 and 1500 steps, and of the best evaluation on the way",
			checkpoints)
	}
	// a third of a second an episode, 30 rows a second
	if n := rows(t, folder+"/"+rundir.DatasetFolder, "capture"); n < 800 {
		t.Errorf("the dataset has %d rows, want at least 800", n)
	}

	// evaluation of the folder and of its latest checkpoint agree with the run's
	for _, path := range []string{folder, checkpoints[3]} {
		var got rundir.Evaluation
		polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, "eval", path, "--format", "json", "--workers", "1")), &got))
		if !reflect.DeepEqual(got, *run.Evaluation) {
			t.Errorf("eval %s: got %+v, the run had %+v", path, got, *run.Evaluation)
		}
	}
	if out := mustTrain(t, words("eval "+folder+" --episodes 2 --seed 5")...); !strings.Contains(out,
		"2 episodes (seed 5)") {
		t.Errorf("eval: got\n%s", out)
	}

	// going on from there
	mustTrain(t, "run", "--resume", folder, "--out", "more", "--set", "training.steps=2000")
	var more rundir.Report
	readJSON(t, "more/"+rundir.ReportFile, &more)
	if more.EnvSteps < 2000 || more.EnvSteps >= 2000+6*40 {
		t.Errorf("resumed up to 2000 steps: it stands at %d", more.EnvSteps)
	}

	// a policy from a checkpoint makes a dataset
	mustTrain(t, words("rollout --task quadruped --set worlds=4 --set max_steps=25 --policy "+folder+" --episodes 5 "+
		"--out walked")...)
	polytest.Equal(t, rows(t, "walked", "episodes"), 5, "rollout of 5 episodes: the dataset")
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data := polytest.Must(os.ReadFile(path))(t)
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// A training that its metric ends says so, and a wrong metric is answered with the nearest one.
func TestEarlyEndIsSaid(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	run := func(stop string) (code int, stdout, stderr string) {
		args := append([]string{"run", "--task", "quadruped", "--out", folder}, small...)
		return train(t, append(args, "--set", "training.stop="+stop)...)
	}
	for stop, want := range map[string]string{
		"{metric: mean_lenght, value: 0}":              `training.stop.metric: no metric "mean_lenght"; did you mean mean_length?`,
		"{metrik: mean_length, value: 0}":              "did you mean training.stop.metric?",
		"{metric: entropy, value: 0, consecutive: -1}": "training.stop.consecutive is -1, want at least 0",
		"{value: 0}":                                    "training.stop.metric: not given, want the metric whose value ends",
		"{metric: entropy}":                             "training.stop.value: not given, want that of entropy",
		"{metric: entropy, value: .inf}":                "training.stop.value",
		"{metric: evaluation/mean_length, value: 1000}": "evaluation.every is 0",
	} {
		if code, _, stderr := run(stop); code != Usage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s; want %q", stop, code, stderr, want)
		}
	}
	code, stdout, stderr := run("{metric: mean_length, value: 0, consecutive: 2}")
	if want := "had reached its value 2 times in a row"; code != Done || !strings.Contains(stdout, want) {
		t.Errorf("exit code %d, want %q in\n%s%s", code, want, stdout, stderr)
	}
	polytest.Equal(t, polytest.Must(rundir.ReadReport(folder))(t).Stopped.Consecutive, 2, "iterations in a row")
}

// An interrupted training closes its files, and can be evaluated and replayed.
func TestInterrupt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// Once an iteration is done, as the user would see it.
		for ctx.Err() == nil {
			if data, err := os.ReadFile(filepath.Join(out, rundir.MetricsFile)); err == nil &&
				bytes.Count(data, []byte("\n")) > 1 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var stdout, stderr bytes.Buffer
	args := append([]string{"run", "--task", "quadruped", "--out", out}, small...)
	args = append(args, "--set", "training.steps=100000000")
	code := execute(ctx, newTrain("train"), args, &stdout, &stderr)
	if code != Interrupted || !strings.HasSuffix(stderr.String(), "train: interrupted\n") {
		t.Fatalf("got exit %d and %q, want %d", code, stderr.String(), Interrupted)
	}
	var run rundir.Report
	readJSON(t, filepath.Join(out, rundir.ReportFile), &run)
	if run.Status != "interrupted" || run.EnvSteps == 0 {
		t.Errorf("run.json: got %+v", run)
	}
	if n := rows(t, filepath.Join(out, rundir.DatasetFolder), "capture"); n == 0 {
		t.Error("the dataset has no rows")
	}
	mustTrain(t, "eval", out)
	if output := mustTrain(t, "replay", out); !strings.HasPrefix(output, "identical, ") {
		t.Errorf("replayed: %q", output)
	}
}

// A loop that resumes a run until that succeeds ends: of a run that is done there is nothing to do. A run of which only
// the beginning of its first state is there begins anew by the same command.
func TestResumeOfAFinishedRun(t *testing.T) {
	t.Chdir(t.TempDir())
	polytest.NoError(t, os.Mkdir("out", 0o777))
	polytest.NoError(t, os.WriteFile("out/"+rundir.StateFile+".part", []byte("prhyt"), 0o666))
	refuses(t, Usage, "run --resume out", "its run was killed before it began")
	mustTrain(t, append([]string{"run", "--task", "quadruped", "--out", "out"}, small...)...)
	before := polytest.Files(t, ".")
	if output := mustTrain(t, "run", "--resume", "out"); !strings.Contains(output, "\nit is done; ") {
		t.Errorf("resumed, it says %q", output)
	}
	polytest.SameFiles(t, "resumed", polytest.Files(t, "."), before)
}

// Of a stopped run whose state is gone, --resume begins no other run unless it is asked for: with --out.
func TestResumeWithoutAState(t *testing.T) {
	t.Chdir(t.TempDir())
	mustTrain(t, append([]string{"run", "--task", "quadruped", "--out", "out", "--set", "recording.clip=false"}, small...)...)
	polytest.NoError(t, os.Remove("out/"+rundir.ReportFile))
	before := polytest.Files(t, ".")
	refuses(t, Usage, "run --resume out", "out has no resume.state, with which a stopped run goes on; --resume out --out DIR "+
		"begins a new run with its policy and new episodes")
	polytest.SameFiles(t, "refused", polytest.Files(t, "."), before)
	mustTrain(t, words("run --resume out --out on --set training.steps=3000")...)
}

// Where the log of a run that ended before it began has only its end, as programs left it that were killed at that moment,
// the same command begins the run.
func TestRunWhereOnlyTheEndOfALogIsLeft(t *testing.T) {
	t.Chdir(t.TempDir())
	polytest.NoError(t, os.Mkdir("out", 0o777))
	end := "\x07\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xae\xdb\x07\xa0"
	polytest.NoError(t, os.WriteFile("out/"+rundir.LogFile, []byte(end[:5]+end[6:]), 0o666))
	refuses(t, Usage, "run --resume out", "its run was killed before it began")
	mustTrain(t, append([]string{"run", "--task", "quadruped", "--out", "out", "--set", "recording.clip=false"}, small...)...)
}

func TestRunErrors(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	polytest.NoError(t, os.MkdirAll(filepath.Join(full, "something"), 0o777))
	broken := filepath.Join(dir, "broken.xml")
	polytest.NoError(t, os.WriteFile(broken, []byte("<mujoco><worldbody><body><geom "+
		"size=\"-1\"/></body></worldbody></mujoco>"), 0o666))
	killed := t.TempDir() // before its first checkpoint
	polytest.NoError(t, os.WriteFile(filepath.Join(killed, rundir.MetricsFile), nil, 0o666))
	out := filepath.Join(dir, "out")
	folder, device := filepath.Join(dir, "folder.png"), filepath.Join(dir, "device.png")
	polytest.NoError(t, os.Mkdir(folder, 0o777))
	polytest.NoError(t, os.Symlink(os.DevNull, device))
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{Usage, "run", "no configuration given"},
		{Usage, "run --task quadruped --set training.gamma=.nan", "training.gamma is NaN, want a finite number"},
		{Usage, "run --task quadruped --set autoreset=next_step", "autoreset is next_step, want same_step to learn"},
		{Usage, "run --task Ant-v5 --set model=/nowhere.xml", "model: mujoco: /nowhere.xml"},
		{Usage, "run --task quadruped --set model=" + broken, "broken.xml"},
		{Usage, "run --task quadruped --out " + full, "is not empty"},
		{Failed, "run --task quadruped --out /proc/nowhere", "output folder: mkdir /proc/nowhere"},
		{Usage, "run --resume " + dir, "holds no checkpoint, want a run folder or the file of a checkpoint"},
		{Usage, "run --resume " + killed, "holds no checkpoint: its run ended before the first one"},
		{Usage, "eval " + killed, "holds no checkpoint: its run ended before the first one"},
		{Usage, "run --resume " + dir + " --task quadruped", "--resume and --task are given, want one of them"},
		{Usage, "eval " + broken, "broken.xml: rl: reading a checkpoint"},
		{Usage, "eval nowhere", "nowhere: no such file"},
		{Usage, "run --resume nowhere", "nowhere: no such file"},
		{Usage, "eval", "no run and no configuration given, want RUN, --config FILE or --task NAME"},
		{Usage, "eval a --episodes 9223372036854775807", "--episodes is 9223372036854775807, want 0 to 1000000000000"},
		{Usage, "run --task quadruped --set evaluation.episodes=9223372036854775807",
			"evaluation.episodes is 9223372036854775807, want 1 to 1000000000000"},
		{Usage, "eval a --episodes -1", "--episodes is -1, want 0 to 1000000000000"},
		{Usage, "rollout --task quadruped --out " + out + " --episodes 1 --trace " + dir, "--trace: " + dir +
			" is a folder, want a file"},
		{Usage, "inspect " + dir + " --plot " + folder, "--plot: " + folder + " is a folder, want a file"},
		{Usage, "inspect " + dir + " --plot " + device, "is a device or a pipe, want a file"},
		{Usage, "inspect " + dir + " --plot " + filepath.Join(dir, "nowhere", "a.png"),
			"is in a folder that does not exist, want one that does"},
		{Usage, "export " + dir + " --to CSV --out " + out,
			`--to is "CSV", want one of csv, hf, lerobot, mcap, minari, parquet`},
		{Usage, "export " + dir + " --to csv --out " + out + " --memory 9999999999999",
			"--memory is 9999999999999, want 1 to 1048576"},
		{Usage, "rollout --task quadruped --episodes 1", "no folder given, want --out DIR"},
		{Usage, "rollout --task quadruped --episodes 1 --out " + out + " --policy walk",
			"policy is walk, want random, zero, a checkpoint, a script"},
	} {
		if strings.HasPrefix(c.args, "run --") && !strings.Contains(c.args, "--out") {
			c.args += " --out " + out
		}
		refuses(t, c.code, c.args, c.want)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: left %s behind", c.args, out)
			os.RemoveAll(out)
		}
	}
}

// A configuration error that only the model or the task can find is an error of usage too, and leaves no dataset.
func TestConfigurationErrorsOfWorlds(t *testing.T) {
	for _, c := range []struct{ task, set, want string }{
		{"quadruped", "sensors.gyro.sources=[sensor/nope]", `unknown probe "sensor/nope"`},
		{"Hopper-v5", "task.options.nope=1", "task.options.nope: unknown key"},
		{"LunarLander-v3", "task.options.nope=1", "task.options.nope: unknown key"},
		{"LunarLander-v3", "model=/robot.xml", "model: is /robot.xml, want none: LunarLander-v3 has a scene of its own"},
		{"Hopper-v5", "model=/nowhere.xml", "model: mujoco: /nowhere.xml"},
		{"quadruped", "runners.Capture.enabled=false", "the binding recorder or its runner is disabled"},
		{"quadruped", "bindings.recorder.enabled=false", "the binding recorder or its runner is disabled"},
		// seen when the dataset is begun
		{"quadruped", "changes=[{n: 20, edits: [{set_rate: {name: Robot, rate: 10}}]}]", "]}]: changes[0]: "},
	} {
		out := filepath.Join(t.TempDir(), "walk")
		code, _, errs := train(t, "rollout", "--task", c.task, "--episodes", "1", "--out", out, "--set", c.set)
		if code != Usage || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, %q; want %d and %q", c.set, code, errs, Usage, c.want)
		}
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: left %s behind (%v)", c.set, out, err)
		}

		// A folder that existed before stays.
		polytest.NoError(t, os.Mkdir(out, 0o777))
		train(t, "rollout", "--task", c.task, "--episodes", "1", "--out", out, "--set", c.set)
		if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v in a folder that was there (%v)", c.set, left, err)
		}
	}
}

// A model whose memory is too small for its contacts loses some of them without a fault: a run prints one warning.
func TestOverflowIsSaid(t *testing.T) {
	text := polytest.Must(os.ReadFile("../third_party/gymnasium/assets/half_cheetah.xml"))(t)
	var balls strings.Builder
	for i := range 40 {
		fmt.Fprintf(&balls,
			`<body pos="%g %g 0.05"><freejoint/><geom type="sphere" size="0.1" contype="1" conaffinity="1"/></body>`,
			100+0.15*float64(i%6), 0.15*float64(i/6))
	}
	model := filepath.Join(t.TempDir(), "crowded.xml")
	crowded := strings.NewReplacer(`<size nstack="300000" nuser_geom="1"/>`, `<size memory="100K"/>`, "</worldbody>",
		balls.String()+"</worldbody>").Replace(string(text))
	polytest.NoError(t, os.WriteFile(model, []byte(crowded), 0o666))
	code, _, errs := train(t, "rollout", "--task", "HalfCheetah-v5", "--set", "model="+model, "--set", "worlds=2",
		"--set", "max_steps=3", "--episodes", "2", "--out", filepath.Join(t.TempDir(), "out"))
	if code != Done || strings.Count(errs, "warning: the model's memory was too small: contacts were left out ") != 1 {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// A rollout prints how many of its episodes ended by a fault.
func TestFaultsOfARolloutAreSaid(t *testing.T) {
	text := polytest.Must(os.ReadFile("../third_party/gymnasium/assets/half_cheetah.xml"))(t)
	model := filepath.Join(t.TempDir(), "strong.xml")
	strong := regexp.MustCompile(`gear="\d+"`).ReplaceAll(text, []byte(`gear="1e14"`))
	polytest.NoError(t, os.WriteFile(model, strong, 0o666))
	out := filepath.Join(t.TempDir(), "out")
	output := mustTrain(t, "rollout", "--task", "HalfCheetah-v5", "--set", "model="+model, "--set", "worlds=2",
		"--episodes", "3", "--out", out)
	polytest.Equal(t, output, "3 episodes of HalfCheetah-v5 recorded in "+out+"; a fault ended 3 of them\n",
		"it says")
}

// A rollout into the folder of another one fails and changes nothing there, not even the
// copy of the policy that replay reads.
func TestRolloutIntoTheFolderOfAnother(t *testing.T) {
	dir := t.TempDir()
	write := func(name, actions string) string {
		path := filepath.Join(dir, name)
		polytest.NoError(t, os.WriteFile(path,
			[]byte("action[0],action[1],action[2],action[3],action[4],action[5]\n"+actions), 0o666))
		return path
	}
	out := filepath.Join(dir, "out")
	args := []string{"rollout", "--task", "HalfCheetah-v5", "--set", "worlds=1", "--episodes", "1", "--out", out,
		"--policy"}
	mustTrain(t, append(args, write("first.csv", "0,0,0,0,0,0\n"))...)
	before := polytest.Files(t, out)
	second := write("second.csv", "1,0,0,0,0,0\n")
	for _, more := range []string{"1", "0"} {
		code, _, errs := train(t, append(args, second, "--log-every", more)...)
		if code != Usage || !strings.Contains(errs, "is not empty") {
			t.Errorf("--log-every %s: exit %d, %q; want %d", more, code, errs, Failed)
		}
	}
	if after := polytest.Files(t, out); !maps.Equal(before, after) {
		t.Errorf("the folder had %v, and has %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
	if output := mustTrain(t, "replay", out); !strings.HasPrefix(output, "identical, ") {
		t.Errorf("replay: %q", output)
	}
}
