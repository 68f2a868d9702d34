package cli

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/training/catalog"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Runs are listed, compared and removed by what their folders hold.
func TestRuns(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	small := []string{"run", "--task", "InvertedPendulum-v5", "--set", "training.steps=4096", "--set", "recording.clip=false",
		"--set", "evaluation.episodes=2", "--log-every", "0"}
	mustTrain(t, append(small, "--out", path("b"), "--set", "recording.enabled=false")...)
	mustTrain(t, append(small, "--out", path("deep/a"), "--set", "training.gamma=0.9", "--set", "evaluation.every=2048")...)
	mustTrain(t, "rollout", "--task", "InvertedPendulum-v5", "--episodes", "1", "--out", path("walk"))
	polytest.NoError(t, os.MkdirAll(path("notes/.hidden"), 0o777))
	polytest.NoError(t, os.WriteFile(path("notes/"+rundir.LatestFile), nil, 0o666))

	// The files of a run are read once: for its row, for its curve and for what it recorded.
	run, dataset := polytest.Must(catalog.Open(path("deep/a")))(t), polytest.Must(catalog.Open(path("deep/a/dataset")))(t)
	if run.Recorded != dataset.Bytes || run.Recorded >= run.Bytes {
		t.Errorf("%d of %d bytes are recorded, want %d", run.Recorded, run.Bytes, dataset.Bytes)
	}
	metrics := path("deep/a/" + rundir.MetricsFile)
	polytest.NoError(t, os.Rename(metrics, path("metrics.csv")))
	polytest.NoError(t, catalog.Draw(path("drawn.png"), []catalog.Run{run}))
	polytest.NoError(t, os.Rename(path("metrics.csv"), metrics))
	evaluations := path("deep/a/" + rundir.EvaluationsFile)
	polytest.NoError(t, os.Rename(evaluations, path("evaluations.csv")))
	polytest.NoError(t, catalog.Draw(path("undotted.png"), []catalog.Run{polytest.Must(catalog.Open(path("deep/a")))(t)}))
	polytest.NoError(t, os.Rename(path("evaluations.csv"), evaluations))
	drawn, undotted := polytest.Must(os.ReadFile(path("drawn.png")))(t), polytest.Must(os.ReadFile(path("undotted.png")))(t)
	if len(drawn) == 0 || bytes.Equal(drawn, undotted) {
		t.Error("the curve is not drawn, or without its evaluations")
	}

	list := func(args ...string) (rows []runRow) {
		t.Helper()
		polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, append([]string{"runs", "--format", "json"}, args...)...)), &rows))
		return rows
	}
	var got []string
	for _, r := range list(root) {
		got = append(got, strings.TrimPrefix(r.Path, root+"/")+" "+r.Kind+" "+r.Task+" "+r.State)
		report, err := rundir.ReadReport(r.Path)
		if r.Kind == "training" && (err != nil || r.Steps != report.EnvSteps || *r.Return != report.Evaluation.MeanReturn) {
			t.Errorf("%+v, the report has %+v (%v)", r, report, err)
		}
		if r.Kind == "dataset" && r.Return != nil {
			t.Errorf("a dataset has the return %v", *r.Return)
		}
	}
	polytest.EqualSlices(t, got, []string{"b training InvertedPendulum-v5 done",
		"deep/a training InvertedPendulum-v5 done", "walk dataset InvertedPendulum-v5 done"}, "the runs")
	bySize := list(root, "--sort", "size")
	if !slices.IsSortedFunc(bySize, func(a, b runRow) int { return int(a.Bytes - b.Bytes) }) ||
		bySize[2].Path != path("deep/a") {
		t.Errorf("by size: %+v", bySize)
	}
	table := mustTrain(t, "runs", root)
	if lines := strings.Split(table, "\n"); len(lines) != 6 || !strings.HasPrefix(lines[4], "3 runs, ") {
		t.Errorf("the table is\n%s", table)
	}

	picture := path("curves.png")
	compared := mustTrain(t, "compare", path("b"), path("deep/a"), "--out", picture)
	for _, key := range []string{"recording.enabled", "training.gamma"} {
		if !strings.Contains(compared, "\n"+key+" ") {
			t.Errorf("%s does not differ in\n%s", key, compared)
		}
	}
	if strings.Contains(compared, "\ntraining.steps ") || strings.Contains(compared, "\nseed ") {
		t.Errorf("what is equal differs in\n%s", compared)
	}
	polytest.Must(png.Decode(polytest.Must(os.Open(picture))(t)))(t)
	wantUsage(t, "curves.png is there already, want another name, or --force to replace it", "compare", path("b"), path("b"), "--out", picture)
	wantUsage(t, "is a dataset, want the folder of a training", "compare", path("b"), path("walk"))
	if same := mustTrain(t, "compare", path("b"), path("b")); !strings.HasSuffix(same, "no setting differs\n") {
		t.Errorf("a run differs from itself: %s", same)
	}

	lock := polytest.Must(disk.TryLock(path("b")))(t)
	if rows := list(path("b")); len(rows) != 1 || rows[0].State != "running" {
		t.Errorf("a locked run is %+v", rows)
	}
	wantUsage(t, "b is running, want a run that has ended", "rm", path("walk"), path("b"))
	lock.Release()
	wantUsage(t, "notes holds no run", "rm", path("walk"), path("notes"))
	mustTrain(t, "rm", "--dry-run", path("walk"))
	if rows := list(root); len(rows) != 3 {
		t.Fatalf("runs are gone that nobody removed: %+v", rows)
	}
	removed := mustTrain(t, "rm", path("walk"), path("b"))
	if !strings.Contains(removed, "removed "+path("walk")+", ") || !strings.HasSuffix(removed, "in all\n") {
		t.Errorf("rm printed %s", removed)
	}
	if rows := list(root); len(rows) != 1 || rows[0].Path != path("deep/a") {
		t.Errorf("after rm there are %+v", rows)
	}
	if got := mustTrain(t, "runs", path("notes")); got != "no runs in "+path("notes")+"\n" {
		t.Errorf("a folder without runs: %s", got)
	}
	wantUsage(t, "no such file", "runs", path("nowhere"))
	wantUsage(t, `--sort is "weight", want one of name, task, steps`, "runs", root, "--sort", "weight")
}

// Rewards come first where two runs are compared: what each term gives, then their settings. No value makes a column as
// wide as a list is long.
func TestCompareRewards(t *testing.T) {
	t.Chdir(t.TempDir())
	args := append(words("run --task quadruped --set recording.enabled=false --set recording.clip=false --set max_steps=20 --out"), "a")
	mustTrain(t, append(args, small...)...)
	args[len(args)-1] = "b"
	changes := words("--set rewards.alive.weight=0.3 --set training.gamma=0.9 --set rewards.action_rate_l2.weight=-0.02")
	mustTrain(t, slices.Concat(args, small, changes)...)
	var c comparison
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, "compare", "a", "b", "--format", "json")), &c))
	means := map[string][]*float64{}
	for _, term := range c.Terms {
		means[term.Name] = term.Means
	}
	for i, run := range []string{"a", "b"} {
		report := polytest.Must(rundir.ReadReport(run))(t)
		n := 0
		for name, mean := range report.Evaluation.Infos {
			if term, ok := strings.CutPrefix(name, "reward/"); ok {
				polytest.Equal(t, *means[term][i], mean, "the mean of %s of %s", term, run)
				n++
			}
		}
		polytest.Equal(t, n, len(c.Terms), "terms of %s", run)
	}
	polytest.Equal(t, c.Settings[1].Key, "rewards.alive.weight", "the second setting")
	long := strings.Repeat("0123456789", 25)
	c.Settings = append(c.Settings, differentSettings{"zzz", []*string{&long, nil}})
	var table strings.Builder
	printComparison(&table, c)
	lines := strings.Split(table.String(), "\n")
	at := func(begin string) int {
		return slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, begin+" ") })
	}
	if order := []int{at("return"), at("reward/alive"), at("rewards.alive.weight"), at("training.gamma"), at("zzz")}; order[0] < 0 ||
		!slices.IsSorted(order) {
		t.Errorf("the lines are %v of\n%s", order, table.String())
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 150 {
			t.Errorf("a line has %d characters: %s", n, line)
		}
	}
}

// A killed training, whose last line may be torn, is listed as stopped.
func TestStoppedRunIsListed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	polytest.NoError(t, os.Mkdir(folder, 0o777))
	for name, text := range map[string]string{
		rundir.ConfigFile:  "task: {name: Ant-v5}\n",
		rundir.StateFile:   "",
		rundir.MetricsFile: "env_steps,mean_return,mean_length\n2048,,\n4096,1.5,20\n6144,,\n8192,7",
	} {
		polytest.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	var rows []runRow
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, "runs", folder, "--format", "json")), &rows))
	if len(rows) != 1 || rows[0].State != "stopped" || rows[0].Task != "Ant-v5" || rows[0].Steps != 6144 || *rows[0].Return != 1.5 {
		t.Errorf("listed as %+v", rows)
	}
}

// wantUsage runs a command that must fail for its usage, with a text in its one line.
func wantUsage(t *testing.T, text string, args ...string) {
	t.Helper()
	refuses(t, Usage, strings.Join(args, " "), text)
}

// Every command has a group and examples, whose commands, flags and numbers of arguments are right.
func TestExamplesOfHelp(t *testing.T) {
	for _, cmd := range newTrain("train").Commands() {
		if cmd.Hidden {
			continue
		}
		if cmd.GroupID == "" || cmd.Example == "" {
			t.Errorf("%s: its group is %q and its examples are %q, want both", cmd.Name(), cmd.GroupID, cmd.Example)
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			line, _, _ = strings.Cut(line, " > ")
			words := strings.Fields(strings.ReplaceAll(line, `"walk forward"`, "walk"))
			if len(words) < 2 || words[0] != "train" {
				t.Errorf("%s: example %q, want a command of train", cmd.Name(), line)
				continue
			}
			fresh, rest, err := newTrain("train").Find(words[1:])
			if err == nil {
				err = fresh.ParseFlags(rest)
			}
			if err == nil {
				err = fresh.ValidateArgs(fresh.Flags().Args())
			}
			if err == nil && fresh.PreRunE != nil {
				err = fresh.PreRunE(fresh, fresh.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: example %q: %v", cmd.Name(), line, err)
			}
		}
	}
}

// A configuration may come from standard input; its relative paths are relative to the working folder.
func TestConfigurationFromStandardInput(t *testing.T) {
	order := func(text string) (int, string, string) {
		cmd := newTrain("train")
		cmd.SetIn(strings.NewReader(text))
		var stdout, stderr strings.Builder
		code := execute(t.Context(), cmd, []string{"order", "--config", "-"}, &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	code, got, stderr := order("task: {name: Ant-v5}\nrunners: [{name: Robot, rate: 20}]\n")
	if code != Done || !strings.Contains(got, "20 Hz") {
		t.Errorf("exit %d: %s%s", code, got, stderr)
	}
	for text, want := range map[string]string{
		"task: {nane: Ant-v5}\n":       "standard input: task.nane: unknown key",
		"":                             "standard input",
		strings.Repeat("#\n", 1<<19+1): "the size of standard input is more than 1048576 bytes",
	} {
		if code, _, stderr := order(text); code != Usage || !strings.Contains(stderr, want) {
			t.Errorf("%.30q: exit %d and %q, want %q", text, code, stderr, want)
		}
	}
}

// What is written has a path of its own: "-" would be a folder of that name.
func TestDashIsNoOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"run", "--task", "Ant-v5", "--out", "-"}, {"--task", "Ant-v5", "--out", "-"},
		{"rollout", "--task", "Ant-v5", "--episodes", "1", "--out=-"}, {"render", "runs", "--into", "-"},
		{"new", "robot.xml", "--out", "-"},
	} {
		wantUsage(t, `is "-", want a path; ./- has that name`, args...)
	}
	if entries := polytest.Must(os.ReadDir("."))(t); len(entries) > 0 {
		t.Errorf("%v were written", entries)
	}
}

// The keys of --set are completed: those of the task that is named, with the names of its entries.
func TestCompletionOfKeys(t *testing.T) {
	complete := func(args ...string) []string {
		return strings.Split(mustTrain(t, append([]string{cobra.ShellCompNoDescRequestCmd}, args...)...), "\n")
	}
	for _, want := range []struct {
		args []string
		key  string
	}{
		{[]string{"run", "--set", ""}, "training.gamma="},
		{[]string{"run", "--set", ""}, "training.stop.metric="},
		{[]string{"run", "--task", "quadruped", "--set", "sens"}, "sensors.gyro.noise.std="},
		{[]string{"run", "--task", "quadruped", "--set", "worlds=3", "--set", "sens"}, "runners.Capture.rate="},
		{[]string{"eval", "runs/walk", "--set", ""}, "evaluation.episodes="},
		{[]string{"export", "data", "--to", ""}, "lerobot"},
		{[]string{"export-policy", "run", "--to", ""}, "onnx"},
		{[]string{"runs", "--sort", ""}, "return"},
		{[]string{"runs", "--format", ""}, "json"},
		{[]string{"sweep", "--method", ""}, "grid"},
		{[]string{"render", "data", "--kinds", ""}, "depth"},
	} {
		if got := complete(want.args...); !slices.Contains(got, want.key) {
			t.Errorf("%q completes to %q, want %s among them", want.args, got, want.key)
		}
	}
}

// Of the preset's training only the first world has rows, of a rollout all have; what a run leaves is said at its end.
func TestTrainingRecordsOneWorld(t *testing.T) {
	t.Chdir(t.TempDir())
	worlds := func(folder string) (seen []int32) {
		d := polytest.Must(recorder.Open(folder))(t)
		for e, err := range d.Episodes() {
			polytest.NoError(t, err)
			if e.Parts[0].Rows > 0 && !slices.Contains(seen, e.World) {
				seen = append(seen, e.World)
			}
		}
		slices.Sort(seen)
		return seen
	}
	output := mustTrain(t, "run", "--task", "quadruped", "--set", "worlds=3", "--set", "training.steps=3000", "--set",
		"max_steps=20", "--set", "evaluation.episodes=1", "--set", "recording.clip=false")
	if !regexp.MustCompile(`all files are in runs/quadruped-001: \d+\.\d MB, of which \d+\.\d MB are recorded rows\n`).
		MatchString(output) {
		t.Errorf("it says\n%s", output)
	}
	polytest.EqualSlices(t, worlds("runs/quadruped-001/dataset"), []int32{0}, "the worlds of a training")
	mustTrain(t, "rollout", "--task", "quadruped", "--set", "worlds=3", "--set", "max_steps=20", "--episodes", "3", "--out",
		"runs/walk")
	polytest.EqualSlices(t, worlds("runs/walk"), []int32{0, 1, 2}, "the worlds of a rollout")
}

// --algorithm chooses the configuration that a task has for it.
func TestAlgorithm(t *testing.T) {
	var config configFlags
	cmd := &cobra.Command{RunE: func(*cobra.Command, []string) error { return nil }}
	config.Add(cmd)
	config.AddAlgorithm()
	cmd.SetArgs([]string{"--task", "HalfCheetah-v5", "--algorithm", "sac", "--set", "training.sac.segment=3"})
	cmd.SetContext(t.Context())
	polytest.NoError(t, cmd.Execute())
	c := polytest.Must(config.Load())(t)
	if s := c.Training; c.Task.Name != "HalfCheetah-v5" || s.Algorithm != "sac" || !s.SAC.LayerNorm || s.SAC.Segment != 3 {
		t.Errorf("it is\n%s", c.YAML())
	}

	for command, want := range map[string]string{
		"run --task HalfCheetah-v5 --algorithm sca": `no preset of HalfCheetah-v5 for the algorithm "sca"; did you mean sac?`,
		"check --task quadruped --algorithm sac":    `no preset of quadruped for the algorithm "sac", want one of ppo, or training.algorithm=sac, which learns it with the defaults`,
		"run --task Walker --algorithm sac":         `task.name: unknown task "Walker"`,
		"run --config x.yaml --algorithm sac":       "--algorithm is given without --task, want both, or --set training.algorithm=NAME",
		"run --resume x --algorithm sac":            "--algorithm is given without --task",
		"sweep --over seed=1,2 --algorithm sac":     "--algorithm is given without --task",
	} {
		if code, _, errs := train(t, words(command)...); code != Usage || !strings.HasPrefix(errs, "train: "+want) {
			t.Errorf("train %s: exit %d and %q; want %q", command, code, errs, want)
		}
	}
}

// The list of tasks has what their worlds have.
func TestTasks(t *testing.T) {
	var rows []taskRow
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, "tasks", "--format", "json")), &rows))
	for _, want := range []taskRow{
		{Task: "HalfCheetah-v5", Observations: 17, Actions: 6, Rate: "20", Steps: 1_000_000,
			Presets: []presetRow{{"ppo", 1_000_000}, {"sac", 500_000}}},
		{Task: "LunarLander-v3", Observations: 8, Actions: 1, Choices: 4, Rate: "50", Steps: 1_000_000,
			Presets: []presetRow{{"ppo", 1_000_000}}},
	} {
		if !slices.ContainsFunc(rows, func(row taskRow) bool { return reflect.DeepEqual(row, want) }) {
			t.Errorf("%+v is not in %+v", want, rows)
		}
	}
	table := mustTrain(t, "tasks")
	for _, want := range []string{"4 choices", "1000000 by ppo, 500000 by sac\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q:\n%s", want, table)
		}
	}
}
