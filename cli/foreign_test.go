package cli

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// theirFiles are files that somebody else may have put into any folder of a run, by their names: some of these are a run's.
var theirFiles = map[string]string{
	"thesis.tex": `\documentclass{thesis}`, "notes.txt": "seed 3 is odd", ".hidden": "x", "mine/data.csv": "a,b\n1,2\n",
	"mine/deeper/run.json": "{}", "backup/polyrhythm.json": "{}", "empty": "",
	"run.log": "This is pdfTeX, Version 3.14", "run.log.7": "This is pdfTeX", "metrics.csv": "epoch,loss\n1,2\n",
	"evaluations.csv": "who,what\n", "config.yaml": "name: other\n", "run.json": `{"id": "wandb"}`, "state.json": `[1, 2]`,
	"dataset_info.json": `{"name": "x"}`, "latest": "a file, no link", "curve.png": "no picture", "clip.gif": "GIF87a",
	"data.journal": "today I", "data-00000-of-00001.arrow": "ARROW1", "checkpoint-mine.ckpt": "torch", "driver.ckpt": "torch", "driver.onnx": "torch",
	"resume.state": "pickle", "resume.state.part": "pickle", "sweep.json": `{"lr": 1}`, "sweep.csv": "lr,loss\n", "best.yaml": "lr: 1\n",
	"slice.json": `{"x": 1}`, "labels.json": `{"cats": 1}`, "metrics.tfevents": "other events",
	"live.state": "x", "dataset.recipe": "eggs", "seeds.csv": "tomato\n", "replay": "a file", "000000000001.rows": "x",
	"live.key": strings.Repeat("k", 1000), "changes.json": `{"x": 1}`, "cloned.json": `{"sheep": "Dolly"}`,
}

// plant puts the foreign files into each folder in that of a run where no file of the run has that name. It returns what
// it has planted, by path from the folder.
func plant(t *testing.T, folder string) map[string]string {
	t.Helper()
	var folders []string
	polytest.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return err
	}))
	planted := map[string]string{}
	for _, in := range folders {
		for name, text := range theirFiles {
			path := filepath.Join(in, name)
			if _, err := os.Lstat(filepath.Join(in, strings.Split(name, "/")[0])); err == nil && !strings.Contains(name, "mine/") {
				continue
			}
			polytest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
			polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
			planted[polytest.Must(filepath.Rel(folder, path))(t)] = text
		}
	}
	if len(planted) < 20 {
		t.Fatalf("only %d files are planted in %s", len(planted), folder)
	}
	return planted
}

// makeFolders makes a folder of each kind that train rm takes, by its name.
func makeFolders(t *testing.T, root string) []string {
	t.Helper()
	path := func(name string) string { return filepath.Join(root, name) }
	short := []string{"--task", "InvertedPendulum-v5", "--set", "worlds=4", "--set", "block_size=2", "--set", "max_steps=20",
		"--set", "training={steps: 400, segment: 20, minibatch: 40, epochs: 1, hidden: [8]}", "--set", "evaluation.episodes=2",
		"--set", "recording.clip=false"}
	run := func(args ...string) { mustTrain(t, append(args, short...)...) }
	run("run", "--set", "evaluation.every=160", "--out", path("run"))
	run("run", "--seeds", "2", "--set", "recording.enabled=false", "--out", path("seeds"))
	run("sweep", "--over", "training.gamma=0.9,0.99", "--method", "grid", "--set", "recording.enabled=false", "--out", path("sweep"))
	run("rollout", "--policy", path("run"), "--episodes", "4", "--out", path("dataset"))
	run("rollout", "--episodes", "4", "--slice", "0:2", "--out", path("slice"))
	mustTrain(t, "run", "--task", "InvertedPendulum-v5", "--out", path("replay"), "--set", "max_steps=20", "--set",
		"training={algorithm: sac, steps: 400, minibatch: 40, hidden: [8], sac: {random_steps: 40, replay: 100}}",
		"--set", "evaluation.episodes=2", "--set", "recording.clip=false")
	mustTrain(t, append([]string{"play", "--policy", "zero", "--seconds", "0.1", "--out", path("live"), "--set", "time.mode=sim_realtime"},
		short[:2]...)...)
	mustTrain(t, "label", path("dataset"), "--task", "balance")
	cmd, errs := startUnder(t, ":", append([]string{"run", "--out", path("killed"), "--set", "training.steps=100000000"}, short[:8]...)...)
	awaitRows(t, path("killed/dataset"))
	polytest.NoError(t, cmd.Process.Kill())
	if cmd.Wait(); exists(path("killed/run.json")) {
		t.Fatal(errs)
	}
	return []string{"run", "seeds", "sweep", "dataset", "slice", "replay", "live", "killed"}
}

// rm removes all that a run wrote, of each kind of run and damaged or not, and nothing else. It names what it leaves.
func TestRemoveLeavesForeignFiles(t *testing.T) {
	takesLong(t)
	root := t.TempDir()
	for _, name := range makeFolders(t, root) {
		for _, plants := range []bool{false, true} {
			for _, force := range []bool{false, true} {
				folder := filepath.Join(t.TempDir(), "run")
				polytest.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join(root, name))))
				var planted map[string]string
				if plants {
					planted = plant(t, folder)
				}
				args := []string{"rm", folder}
				if force {
					args = append(args, "--force")
					if _, theirs := planted[rundir.ReportFile]; !theirs {
						truncate(t, filepath.Join(folder, rundir.ReportFile))
					}
				}
				said := mustTrain(t, args...)
				if !plants {
					if exists(folder) {
						t.Errorf("%s is not gone: %q", name, slices.Sorted(maps.Keys(polytest.Files(t, folder))))
					}
					continue
				}
				polytest.SameFiles(t, name, polytest.Files(t, folder), planted)
				if !strings.Contains(said, fmt.Sprintf("kept %s: no run wrote it\n", filepath.Join(folder, "thesis.tex"))) {
					t.Errorf("%s: it says %q, which names not all that stays", name, said)
				}
			}
		}
	}
}

// truncate leaves the first half of a file, if it is there.
func truncate(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err == nil {
		polytest.NoError(t, os.Truncate(path, info.Size()/2))
	}
}

// A folder that only has files with a run's names is none.
func TestRemoveOfNoRun(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "thesis")
	polytest.NoError(t, os.MkdirAll(folder, 0o777))
	planted := plant(t, folder)
	for _, more := range [][]string{nil, {"--force"}, {"--dry-run"}} {
		wantUsage(t, "thesis holds no run", append([]string{"rm", folder}, more...)...)
	}
	if said := mustTrain(t, "runs", folder); !strings.HasPrefix(said, "no runs in ") {
		t.Errorf("it lists %s", said)
	}
	polytest.SameFiles(t, "of no run", polytest.Files(t, folder), planted)
	empty := filepath.Join(t.TempDir(), "empty")
	polytest.NoError(t, os.Mkdir(empty, 0o777))
	for _, name := range []string{rundir.MetricsFile, rundir.LogFile} {
		polytest.NoError(t, os.WriteFile(filepath.Join(empty, name), nil, 0o666))
		wantUsage(t, "empty holds no run", "rm", empty)
	}
}

// A link to a run is not the run.
func TestRemoveOfALink(t *testing.T) {
	root := t.TempDir()
	run, link := filepath.Join(root, "run"), filepath.Join(root, "link")
	mustTrain(t, "rollout", "--task", "InvertedPendulum-v5", "--episodes", "1", "--out", run)
	polytest.NoError(t, os.Symlink("run", link))
	before := polytest.Files(t, run)
	for _, path := range []string{link, link + "/"} {
		wantUsage(t, "is a symbolic link, want the run itself: "+run, "rm", path, "--force")
	}
	polytest.SameFiles(t, "behind a link", polytest.Files(t, run), before)
	polytest.Must(os.Lstat(link))(t)
}

// One damaged run hides no other: it is listed with the reason, and removed with --force alone.
func TestDamagedRunIsListedAmongOthers(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	mustTrain(t, "rollout", "--task", "InvertedPendulum-v5", "--episodes", "1", "--out", path("walk"))
	for name, files := range map[string]map[string]string{
		"torn":  {rundir.ConfigFile: "task: {name: Ant-v5}\n", rundir.ReportFile: `{"status": "done", "task": "Ant`},
		"short": {rundir.ConfigFile: "task: {name: Ant-v5}\n", rundir.MetricsFile: "env_steps,mean_return,mean_length\n2048\n"},
		"yaml":  {rundir.ConfigFile: "task: {name: Ant-v5\n", rundir.StateFile: ""},
		"rows":  {"polyrhythm.json": `{"format_version": 2, "tables`, "data.journal": "polyrhythm-journal 2\n"},
		"sweep": {rundir.SweepFile: `{"plan": {`},
	} {
		polytest.NoError(t, os.Mkdir(path(name), 0o777))
		for file, text := range files {
			polytest.NoError(t, os.WriteFile(filepath.Join(path(name), file), []byte(text), 0o666))
		}
	}
	code, table, warnings := train(t, "runs", root)
	if code != Done || !strings.Contains(table, path("walk")+"   dataset") && !strings.Contains(table, path("walk")) {
		t.Errorf("exit %d: %s%s", code, table, warnings)
	}
	for _, name := range []string{"torn", "short", "yaml", "rows", "sweep"} {
		if !strings.Contains(warnings, "warning: "+path(name)+": ") || !strings.Contains(table, path(name)) {
			t.Errorf("%s is not named in\n%s%s", name, table, warnings)
		}
		wantUsage(t, "--force removes it", "rm", path(name))
		mustTrain(t, "rm", path(name), "--force")
		if exists(path(name)) {
			t.Errorf("%s is left", name)
		}
	}
	if strings.Count(warnings, "\n") != 5 {
		t.Errorf("it warns %s", warnings)
	}
}

// A new folder of pictures, of an export or of a merge removes no file of somebody else in what a killed process left.
func TestPartialFoldersKeepForeignFiles(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	for _, slice := range []string{"0:1", "1:2"} {
		mustTrain(t, words("rollout --task HalfCheetah-v5 --policy random --episodes 2 --set worlds=2 --set block_size=1 "+
			"--set max_steps=5 --slice "+slice+" --out "+path(slice))...)
	}
	mustTrain(t, "merge", path("0:1"), path("1:2"), "--out", path("merged"))
	for _, command := range []string{
		"merge " + path("0:1") + " " + path("1:2") + " --out", "export " + path("merged") + " --to csv --out",
		"export " + path("merged") + " --to lerobot --out", "render " + path("merged") + " --episode 0 --size 32x24 --out",
	} {
		out, partial := path("out"), path(".out.partial")
		mustTrain(t, append(words(command), out)...)
		polytest.NoError(t, os.Rename(out, partial)) // as of a process that was killed in the end
		mustTrain(t, append(words(command), out)...)
		if exists(partial) {
			t.Errorf("%s: %s is left", command, partial)
		}
		polytest.NoError(t, os.Rename(out, partial))
		theirs := filepath.Join(partial, "thesis.tex")
		polytest.NoError(t, os.WriteFile(theirs, []byte("mine"), 0o666))
		before := polytest.Files(t, partial)
		code, _, said := train(t, append(words(command), out)...)
		if code == Done || !strings.Contains(said, theirs) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: exit %d, %s, want one line about %s", command, code, said, theirs)
		}
		polytest.SameFiles(t, command, polytest.Files(t, partial), before)
		polytest.NoError(t, os.RemoveAll(partial))
	}

	// Nor do pictures that replace others.
	mustTrain(t, words("render --camera track --size 8x6 --into "+path("merged"))...)
	theirs := path("merged/camera-track/thesis.tex")
	polytest.NoError(t, os.WriteFile(theirs, []byte("mine"), 0o666))
	if code, _, said := train(t, words("render --camera track --size 8x6 --force --into "+path("merged"))...); code == Done ||
		!strings.Contains(said, theirs) {
		t.Errorf("exit %d, %s, want one line about %s", code, said, theirs)
	}
	polytest.Must(os.Stat(theirs))(t)
	polytest.NoError(t, os.Remove(theirs))
	mustTrain(t, words("render --camera track --size 8x6 --force --into "+path("merged"))...)
	if left := polytest.Must(filepath.Glob(path("merged/.camera*")))(t); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}
