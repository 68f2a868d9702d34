package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The same mistake has the same exit code and the same line in all commands that can make it.
func TestSameMistakeSameLine(t *testing.T) {
	model := polytest.Must(os.ReadFile("../configs/quadruped.xml"))(t)
	t.Chdir(t.TempDir())
	polytest.NoError(t, os.WriteFile("model.xml", model, 0o666))
	polytest.NoError(t, os.WriteFile("motor.csv", []byte("t\n"), 0o666))
	for _, name := range []string{"file", "old.png", "old.yaml", "old.xml", "old.npz", "old.gif", "old.onnx"} {
		polytest.NoError(t, os.WriteFile(name, []byte("x"), 0o666))
	}
	polytest.NoError(t, os.Mkdir("full", 0o777))
	polytest.NoError(t, os.WriteFile("full/file", []byte("x"), 0o666))
	polytest.NoError(t, os.Mkdir("empty", 0o777))
	const task = "--task InvertedPendulum-v5"
	mustTrain(t, words("rollout "+task+" --episodes 1 --set recording.tables=[capture,control] --out data")...)
	for _, slice := range []string{"0:1 --out slice-1", "1:2 --out slice-2"} {
		mustTrain(t, words("rollout "+task+" --set worlds=2 --set block_size=1 --episodes 2 --slice "+slice)...)
	}
	mustTrain(t, words("run "+task+" --set worlds=1 --set training.steps=128 --set training.segment=64 "+
		"--set training.minibatch=64 --set evaluation.episodes=1 --out run")...)

	files := map[string]string{ // commands that write a file, with its ending
		"actuator motor.csv --out":             ".yaml",
		"actuator motor.csv --out x --picture": ".png",
		"new model.xml --out":                  ".yaml",
		"compare run run --out":                ".png",
		"motion data --out":                    ".npz",
		"render data --out":                    ".gif",
		"export-scene " + task + " --out":      ".xml",
		"terrain " + task + " --out":           ".png",
		"export-policy run --to onnx --out":    ".onnx",
		"inspect data --plot":                  ".png",
	}
	folders := []string{ // commands that write a folder
		"run " + task + " --out", "run " + task + " --seeds 2 --out", "play " + task + " --episodes 1 --out",
		"serve " + task + " --out", "rollout " + task + " --episodes 1 --out", "distill run --out", "clone data --out",
		"sweep " + task + " --over seed=1,2 --method grid --out", "export data --to csv --out", "merge slice-1 slice-2 --out",
		"regenerate data --out", "render data --out",
	}
	inputs := []string{ // commands that read what is named
		"actuator --out x", "clone", "compare run", "decisions", "distill", "eval", "export --to csv --out x",
		"export-policy --to onnx --out x", "inspect", "label --task x", "merge --out x", "motion", "new", "play", "recover",
		"regenerate --out x", "render --out x.gif", "render --into", "replay", "rm", "runs", "verify",
		"verify --result x --seed 1", "run --config", "run --resume", "check --config", "play --config", "rollout --config",
		"serve --config", "sweep --over seed=1,2 --config", "order --config", "timeline --config", "terrain --config",
		"export-scene --config", "bench --config", "bench --fit", "bench " + task + " --compare",
		"rollout " + task + " --episodes 1 --out x --policy", "play " + task + " --policy", "serve " + task + " --policy",
		"eval " + task + " --policy",
		"bench " + task + " --policy", "sweep " + task + " --sweep",
	}
	tasks := []string{ // commands that take a task
		"run", "check", "play", "rollout --episodes 1 --out x", "serve", "sweep --over seed=1,2", "order", "timeline", "terrain",
		"export-scene --out x.xml", "bench", "motion data", "clone data",
	}

	wants := map[string]string{} // by the command, a pattern of the line
	add := func(command, pattern string, values ...any) { wants[command] = fmt.Sprintf(pattern, values...) }
	for command, ending := range files {
		flag := command[strings.LastIndex(command, "--"):]
		add(command+" old"+ending, "%s: old%s is there already, want another name, or --force to replace it", flag, ending)
		add(command+" none/new"+ending, "%s: none/new%s is in a folder that does not exist, want one that does", flag, ending)
		if ending != ".yaml" && ending != ".gif" && ending != ".onnx" { // these may have any ending
			add(command+" new.else", `%s is "new.else", want a name that ends in \%s( or \.\w+)?`, flag, ending)
		}
	}
	for _, command := range folders {
		add(command+" full", "output folder: full is not empty, want a new or an empty folder")
		add(command+" file", "output folder: file is a file or in one, want a new or an empty folder")
		add(command+" file/new", "output folder: file/new is a file or in one, want a new or an empty folder")
	}
	for _, command := range inputs {
		add(command+" nowhere", ".*nowhere: no such file or directory")
		add(command+" file/x", ".*file/x: not a directory")
		for _, folder := range []string{"empty", "full"} { // which holds nothing that a command could read
			if command != "runs" {
				add(command+" "+folder, ".*%s.*", folder)
			}
		}
	}
	for _, command := range []string{ // a file of another kind
		"distill", "eval", "export-policy --to onnx --out x", "run --resume", "rollout " + task + " --episodes 1 --out x --policy",
		"regenerate --out x",
	} {
		add(command+" file", `(policy )?file: (rl: reading a checkpoint: )?it does not begin with .*`)
	}
	add("eval data/dataset.recipe", `data/dataset.recipe: rl: reading a checkpoint: its kind is "recipe", want "learner"`)
	add("verify --result x --seed 1 file", "file is damaged: .*")
	add("render --into data --camera nope", `unknown camera "nope": there are none`)
	add("render --into data", `unknown camera "track": there are none`)
	add("render data --out x.gif --camera nope", `unknown camera "nope", want one of track, free`)
	add("render data --out x.gif --episode 99", "--episode is 99, want one of the dataset's, up to 0: .*")
	add("motion data --episode 99", "--episode is 99, want one of the dataset's, up to 0: .*")
	add("inspect data --plot x.png --episode 99", "episode 99 has no row .*")
	add("inspect data --plot x.png --columns nope", `no column "nope" with stamps in any table: .*`)
	add("label data --task x --episode 99", "--episode is 99, want one of the 1 that data lists")
	for _, command := range []string{"run", "rollout", "inspect"} {
		add(command+" --cpuprofile nowhere/x"+map[string]string{"inspect": " data"}[command],
			"--cpuprofile: nowhere/x is in a folder that does not exist, want one that does")
	}
	for command, of := range map[string]string{ // what only a folder can be
		"clone": "dataset", "compare run": "run", "decisions": "live run", "export --to csv --out x": "dataset", "inspect": "dataset",
		"merge --out x": "slice", "recover": "dataset", "replay": "live run", "rm": "run", "serve --resume": "live run",
		"sweep --resume": "sweep", "verify": "run",
	} {
		add(command+" file", "file is a file( and no run)?, want the folder of a %s(, or --result with --seed .*)?", of)
	}
	for _, command := range tasks {
		add(command+" --task Walker", `task\.name: unknown task "Walker".*`)
		add(command+" "+task+" --set worlsd=1", `--set worlsd=1: worlsd: unknown key; did you mean worlds\?`)
		add(command+" "+task+" --set worlds=many", `--set worlds=many: worlds is "many", want a whole number.*`)
		if !strings.Contains(command, " ") && command != "play" {
			add(command+" "+task+" more", `1 argument given, want none \(see train %s --help\)`, command)
		}
	}
	for command, name := range map[string]string{
		"clone": "DATASET", "decisions": "RUN", "distill": "TEACHER", "export": "DATASET",
		"export-policy": "RUN or checkpoint", "inspect": "DATASET", "label": "DATASET", "motion": "SOURCE", "new": "MODEL.xml",
		"recover": "DATASET", "regenerate": "RECIPE", "render": "DATASET", "replay": "RUN", "verify": "RUN or RESULTS",
	} {
		add(command, `no %s given, want one \(see train %s --help\)`, name, command)
		add(command+" a b", `2 arguments given, want one, the %s \(see train %s --help\)`, name, command)
	}
	for _, command := range []string{"completion bash", "completion zsh", "completion fish", "completion powershell"} {
		add(command+" a b", `2 arguments given, want none \(see train %s --help\)`, command)
	}
	for command, name := range map[string]string{"demo": "POLICY", "eval": "RUN or checkpoint", "play": "RUN or checkpoint",
		"runs": "FOLDER"} {
		add(command+" a b", `2 arguments given, want at most one, the %s \(see train %s --help\)`, name, command)
	}
	for command, name := range map[string]string{"actuator": "DATA.csv", "merge": "SLICE", "rm": "RUN"} {
		add(command, `no %s given, want at least 1 \(see train %s --help\)`, name, command)
	}
	for _, command := range []string{"eval", "play"} {
		add(command, "no run and no configuration given, want RUN, --config FILE or --task NAME")
		add(command+" run --policy zero", "--policy is given with run, want it without: the run has its own")
	}
	add("compare", `no RUN given, want at least 2 \(see train compare --help\)`)
	add("compare run", `1 RUN given, want at least 2 \(see train compare --help\)`)
	for command, flags := range map[string][2]string{ // a flag that is nothing without another
		"inspect data": {"columns", "plot"}, "replay run": {"set", "record"}, "render data --out x.gif": {"kinds", "into"},
		"export-policy run --to onnx --out x": {"licence", "card"}, "export data --to csv --out x": {"licence", "card"},
	} {
		add(command+" --"+flags[0]+" x", `--%s is given without --%s, want both \(see train %s --help\)`, flags[0], flags[1],
			strings.Fields(command)[0])
	}
	add("render data --out x.gif --samples 2", `--samples is given without --into, want both \(see train render --help\)`)
	add("render data --out x.gif --reflections", `--reflections is given without --into, want both \(see train render --help\)`)
	for _, command := range []string{"export data --to csv", "merge slice-1", "regenerate data", "rollout " + task + " --episodes 1"} {
		add(command, "no folder given, want --out DIR")
	}
	for _, command := range []string{
		"actuator motor.csv", "export-policy run --to onnx", "export-scene " + task, "render data",
	} {
		add(command, "no file given, want --out .*")
	}
	for _, command := range []string{
		"compare run run --format", "runs --format", "runs --sort", "export data --out x --to", "export-policy run --out x --to",
		"check --format", "timeline --format", "bench --format",
	} {
		add(command+" else", `%s is "else", want one of [\w-]+(, [\w-]+)+( \(see train \S+ --help\))?`,
			command[strings.LastIndex(command, "--"):])
	}
	for _, command := range []string{
		"run " + task, "play " + task, "rollout --episodes 1 --out x " + task, "regenerate data --out x", "replay run",
		"bench " + task, "eval run",
	} {
		add(command+" --workers many", `(--workers is|--set workers=many: workers is) "many", want a whole number.*`)
	}

	failed := map[string]bool{} // by the command: the machine says no, not the program
	for command, ending := range files {
		if strings.HasPrefix(command, "actuator") || strings.HasPrefix(command, "terrain") {
			continue // what they read here is nothing that they could write
		}
		add(command+" /sys/new"+ending, "([a-z-]+: )?/sys/new%s: (operation not permitted|permission denied)", ending)
		failed[command+" /sys/new"+ending] = true
	}
	for _, command := range folders {
		add(command+" /sys/new", "output folder: mkdir /sys/new: (operation not permitted|permission denied)")
		failed[command+" /sys/new"] = true
	}

	for command, pattern := range wants {
		code, _, errs := train(t, words(command)...)
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		want := Usage
		if failed[command] {
			want = Failed
		}
		if last := lines[len(lines)-1]; code != want || !regexp.MustCompile("^train: "+pattern+"$").MatchString(last) {
			t.Errorf("train %s: exit %d and %q; want exit %d and train: %s", command, code, last, want, pattern)
		}
	}
}
