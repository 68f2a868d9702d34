package cli

import (
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polyrhythm-rl/polyrhythm/cli/internal/settings"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// withSettings makes a user with a file, and a project with another one in the working folder.
func withSettings(t *testing.T, user, project string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv(settings.FilesVariable, "")
	t.Setenv("XDG_CONFIG_HOME", home)
	polytest.NoError(t, os.Mkdir(filepath.Join(home, "polyrhythm"), 0o700))
	polytest.NoError(t, os.WriteFile(filepath.Join(home, "polyrhythm", "config.yaml"), []byte(user), 0o600))
	t.Chdir(t.TempDir())
	polytest.NoError(t, os.WriteFile(settings.ProjectFile, []byte(project), 0o600))
}

// tiny makes a training of a moment, in which episodes end.
var tiny = append([]string{"run", "--task", "Reacher-v5", "--set", "max_steps=10", "--set", "recording.clip=false",
	"--set", "block_size=2"}, small...)

// The settings of a run are where it looks for them, and change nothing of what it learns.
func TestSettingsOfARun(t *testing.T) {
	takesLong(t)
	t.Chdir(t.TempDir())
	mustTrain(t, tiny...)
	plain := polytest.Files(t, filepath.Join("runs", "reacher-v5-001"))
	for _, name := range []string{rundir.EventsFile, rundir.LogFile} {
		if _, ok := plain[name]; !ok {
			t.Errorf("without settings there is no %s", name)
		}
	}

	withSettings(t, "runs: results/mine\ntensorboard: false\nlog_every: 0\ntheme: dark", "workers: 1\nquiet: true")
	code, out, errs := train(t, tiny...)
	if code != Done || errs != "" {
		t.Fatalf("exit %d with %q, want silence", code, errs)
	}
	folder := filepath.Join("results", "mine", "reacher-v5-001")
	says(t, out, "1 worker,", "all files are in "+folder)
	settled := polytest.Files(t, folder)
	for _, name := range []string{rundir.EventsFile, rundir.LogFile} {
		if _, ok := settled[name]; ok {
			t.Errorf("there is a %s, want none", name)
		}
	}
	for name, want := range plain {
		if got, ok := settled[name]; ok && strings.HasSuffix(name, ".ckpt") && got != want {
			t.Errorf("%s differs with settings", name)
		}
	}
	if brightness(t, filepath.Join(folder, rundir.CurveFile)) > 0x40 {
		t.Error("the curve is drawn on a light ground, want a dark one")
	}
	says(t, mustTrain(t, "runs"), folder)
	says(t, mustTrain(t, "runs", "--runs", "nowhere"), "no runs in nowhere")
	refuses(t, Usage, "runs --runs polyrhythm.yaml", "polyrhythm.yaml is a file, want a folder of runs")
	if code, _, errs = train(t, append(tiny, "--runs", "polyrhythm.yaml/in")...); code != Usage {
		t.Errorf("exit %d with %q, want a refusal of a folder in a file", code, errs)
	}

	says(t, mustTrain(t, "compare", folder, folder, "--out", "dark.png", "--theme", "dark"), "Reacher-v5")
	mustTrain(t, "compare", folder, folder, "--out", "light.png", "--theme", "light")
	mustTrain(t, "inspect", folder, "--plot", "episode.png")
	for name, dark := range map[string]bool{"dark.png": true, "light.png": false, "episode.png": true} {
		if got := brightness(t, name); got <= 0x40 != dark {
			t.Errorf("the ground of %s is %#x", name, got)
		}
	}

	// What a configuration says counts more, and a run that goes on has the files that it had.
	mustTrain(t, append(tiny, "--set", "training.tensorboard=true", "--workers", "2", "--out", "said")...)
	if !exists(filepath.Join("said", rundir.EventsFile)) {
		t.Error("there are no events, which the configuration wants")
	}
	var report rundir.Report
	readJSON(t, filepath.Join("said", rundir.ReportFile), &report)
	if report.Workers != 2 {
		t.Errorf("it has %d workers, want 2 as the flag says", report.Workers)
	}
}

// brightness returns how bright the corner of a picture is.
func brightness(t *testing.T, path string) uint8 {
	t.Helper()
	file := polytest.Must(os.Open(path))(t)
	defer file.Close()
	return color.GrayModel.Convert(polytest.Must(png.Decode(file))(t).At(2, 2)).(color.Gray).Y
}

// A training without events that is killed goes on without, whatever the settings are then.
func TestResumeWithOtherSettings(t *testing.T) {
	takesLong(t)
	withSettings(t, "tensorboard: false", "")
	cmd := start(t, append(tiny, "--set", "training.steps=30000", "--out", "run")...)
	killWhileItLearns(t, cmd, "run")
	polytest.NoError(t, os.WriteFile(settings.ProjectFile, []byte("tensorboard: true\nlog_every: 3"), 0o600))
	mustTrain(t, "run", "--resume", "run")
	if exists(filepath.Join("run", rundir.EventsFile)) {
		t.Error("it has events from the middle on")
	}
}

// Every flag of every command that has the name of a setting has its value, unless the flag is given.
func TestSettingsFillFlags(t *testing.T) {
	withSettings(t, "workers: 3", "log_every: 7\nmemory_mb: 900\nruns: elsewhere")
	filled := map[string]int{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
		s := polytest.Must(settings.Load(cmd.Flags()))(t)
		polytest.NoError(t, s.Fill(cmd.Flags()))
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			want, ok := map[string]string{"workers": "3", "log-every": "7"}[f.Name]
			if !ok || f.Value.Type() == settings.KeyFlag {
				return
			}
			filled[f.Name]++
			if f.Value.String() != want || f.Changed {
				t.Errorf("%s --%s is %s (given: %v), want %s", cmd.CommandPath(), f.Name, f.Value, f.Changed, want)
			}
		})
	}
	visit(newTrain("train"))
	if filled["workers"] < 4 || filled["log-every"] < 5 {
		t.Errorf("found the flags %v only", filled)
	}
}

func TestSettingsCommand(t *testing.T) {
	withSettings(t, "workers: 3\ntheme: dark", "workers: 2")
	t.Setenv("POLYRHYTHM_QUIET", "true")
	var report settingsReport
	polytest.NoError(t, json.Unmarshal([]byte(mustTrain(t, "settings", "--runs", "a b", "--format", "json")), &report))
	got := map[string]string{}
	for _, s := range report.Settings {
		got[s.Key] = fmt.Sprint(s.Value, " ", s.From)
	}
	for key, want := range map[string]string{"runs": "a b flag", "workers": "2 project file", "theme": "dark user file",
		"quiet": "true variable", "colour": "auto default"} {
		if got[key] != want {
			t.Errorf("%s is %s, want %s", key, got[key], want)
		}
	}
	if len(got) != len(settings.Keys()) || len(report.Files) != 2 || !report.Files[0].Read || !report.Files[1].Read {
		t.Errorf("got %+v", report)
	}
	says(t, mustTrain(t, "settings"), "project file: "+settings.ProjectFile+"\n", "POLYRHYTHM_QUIET")

	code, _, errs := train(t, "tasks", "--verbose")
	if code != Done || errs != "setting workers=2 from the project file polyrhythm.yaml\n"+
		"setting quiet=true from the variable POLYRHYTHM_QUIET\nsetting verbose=true from the flag --verbose\n"+
		"setting theme=dark from the user file "+report.Files[0].Path+"\n" {
		t.Errorf("exit %d with\n%s", code, errs)
	}
	refuses(t, Usage, "settings more", "1 argument given, want none")

	polytest.NoError(t, os.WriteFile(settings.ProjectFile, []byte("workerz: 2"), 0o600))
	for _, command := range []string{"settings", "tasks", "runs", "run --task quadruped --out x", "settings --workers 2"} {
		text := "polyrhythm.yaml: workerz: unknown key; did you mean workers?"
		if strings.Contains(command, "settings --workers") {
			text = "unknown flag: --workers"
		}
		refuses(t, Usage, command, text)
	}
	for _, help := range []string{
		"--help", "help run", "help", "completion", "completion bash", "__complete run --theme ''", "--version",
	} {
		mustTrain(t, words(help)...)
	}
	t.Setenv(settings.FilesVariable, "off")
	says(t, mustTrain(t, "settings"), "no files are read (POLYRHYTHM_SETTINGS)")
}

// The page has each setting, its variable and its flag.
func TestSettingsPage(t *testing.T) {
	page := string(polytest.Must(os.ReadFile("../docs/reference/settings.md"))(t))
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	settings.AddFlags(shared)
	for _, one := range settings.New().All {
		row := ""
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, "| `"+one.Key+"` |") {
				row = line
			}
		}
		cells := strings.Split(strings.TrimPrefix(row, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 7 {
			t.Errorf("%s has the row %q", one.Key, row)
			continue
		}
		says(t, cells[3], "`"+settings.VariableOf(one.Key)+"`")
		flag := settings.FlagOf(one.Key)
		has := shared.Lookup(flag) != nil || flag == "workers" || flag == "log-every"
		if has != strings.Contains(cells[4], "`--"+flag+"`") {
			t.Errorf("%s has the flags %q, want --%s: %v", one.Key, cells[4], flag, has)
		}
		if want := fmt.Sprint(one.Value); want != "" && want != strings.Trim(cells[2], "`") {
			t.Errorf("%s is %s by default, want %s", one.Key, cells[2], want)
		}
	}
}

// A configuration cannot take the name of the file of settings unseen.
func TestConfigurationNamedAsSettings(t *testing.T) {
	withSettings(t, "", "task: {name: quadruped}\n")
	refuses(t, Usage, "order --config polyrhythm.yaml", "polyrhythm.yaml: task: a key of the configuration of a run")
	polytest.NoError(t, os.Remove(settings.ProjectFile))
	hand := polytest.Must(filepath.Abs(settings.ProjectFile))(t)
	refuses(t, Usage, "new ../hand.xml --out "+hand, "a name of settings of the programs")
}

// Tests read nobody's settings.
func TestNoSettingsInTests(t *testing.T) {
	withSettings(t, "bogus: 1", "bogus: 1")
	t.Setenv(settings.FilesVariable, "off") // as TestMain sets it
	mustTrain(t, "tasks")
	t.Setenv(settings.FilesVariable, "")
	refuses(t, Usage, "tasks", "bogus: unknown key")
}

func TestColours(t *testing.T) {
	withSettings(t, "", "")
	_, _, plain := train(t, "order", "--task", "nothing")
	_, _, coloured := train(t, "order", "--task", "nothing", "--colour", "always")
	want := strings.Replace(plain, "train:", "\x1b[31mtrain:\x1b[0m", 1)
	if strings.Contains(plain, "\x1b") || coloured != want {
		t.Errorf("got %q, then %q", plain, coloured)
	}
	refuses(t, Usage, "order --task quadruped --colour pink", `--colour is "pink", want auto, always or never`)
	polytest.NoError(t, os.WriteFile(settings.ProjectFile, []byte("colour: always"), 0o600))
	_, _, byFile := train(t, "order", "--task", "nothing")
	if byFile != coloured {
		t.Errorf("got %q by the file, want %q", byFile, coloured)
	}
}

// The places of files, the memory and the configuration's own names are taken from settings.
func TestSettingsOfTheProcess(t *testing.T) {
	withSettings(t, "ffmpeg: /nowhere/ffmpeg\ngymnasium: /nowhere/assets", "memory_mb: 40")
	refuses(t, Failed, "rollout --task quadruped --set worlds=65536 --episodes 1 --out x",
		"the memory of the settings (memory_mb)")
	code, _, errs := train(t, "check", "--task", "HalfCheetah-v5")
	if code == Done || !strings.Contains(errs, "/nowhere/assets") {
		t.Errorf("exit %d with %q", code, errs)
	}
	polytest.NoError(t, os.WriteFile(settings.ProjectFile, nil, 0o600))
	mustTrain(t, words("rollout --task quadruped --set worlds=1 --set max_steps=5 --episodes 1 --out data")...)
	code, _, errs = train(t, "render", "data", "--out", "a.mp4")
	if code == Done || !strings.Contains(errs, "/nowhere/ffmpeg") {
		t.Errorf("exit %d with %q", code, errs)
	}
	for _, name := range []string{"POLYRHYTHM_FFMPEG", "POLYRHYTHM_GYMNASIUM"} {
		if value, ok := os.LookupEnv(name); ok {
			t.Errorf("%s=%s is left", name, value)
		}
	}
}

// A program begins again with the kernels that a setting names, and the report of a run has their name.
func TestSettingOfKernels(t *testing.T) {
	takesLong(t)
	for _, kernel := range kernels {
		if !kernel.can {
			continue
		}
		withSettings(t, "kernels: "+kernel.name, "")
		t.Setenv("OPENBLAS_CORETYPE", "")
		run := func(cmd *exec.Cmd) string {
			cmd.Stderr = nil
			if _, err := cmd.Output(); err != nil {
				t.Fatal(err)
			}
			var report rundir.Report
			readJSON(t, filepath.Join("run", rundir.ReportFile), &report)
			polytest.NoError(t, os.RemoveAll("run"))
			return report.BLASKernel
		}
		if got := run(process(t, append(tiny, "--out", "run")...)); !strings.EqualFold(got, kernel.name) {
			t.Errorf("the kernels are %s, want %s", got, kernel.name)
		}
		if got := run(process(t, append(tiny, "--out", "run", "--kernels", "Prescott")...)); got != "Prescott" {
			t.Errorf("the kernels are %s, want Prescott", got)
		}
	}
	withSettings(t, "", "kernels: nothing")
	out, err := process(t, "settings").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `polyrhythm.yaml: kernels is "nothing", and OpenBLAS takes `) {
		t.Errorf("got %v and %q", err, out)
	}
}
