package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

const modulePath = "github.com/polyrhythm-rl/polyrhythm"

// elsewhere makes a module with the first program of docs/tutorials/from-go.md and that of testdata/elsewhere in a
// folder outside of the checkout. It uses the copy of this module at root.
func elsewhere(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	polytest.NoError(t, os.CopyFS(dir, os.DirFS("testdata/elsewhere")))
	polytest.NoError(t, os.Mkdir(filepath.Join(dir, "random"), 0o777))
	write(t, filepath.Join(dir, "random/main.go"), shown(t, "../docs/tutorials/from-go.md", "random/main.go"))
	sums := polytest.Must(os.ReadFile("../go.sum"))(t)
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	write(t, filepath.Join(dir, "go.mod"), fmt.Sprintf(
		"module example.com/robots\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %s => %q\n", modulePath, modulePath, root))
	return dir
}

// shown returns a file that a page shows under its name.
func shown(t *testing.T, page, name string) string {
	t.Helper()
	text := string(polytest.Must(os.ReadFile(page))(t))
	if _, text, found := strings.Cut(text, fmt.Sprintf(" title=%q\n", name)); found {
		file, _, _ := strings.Cut(text, "```")
		return file
	}
	t.Fatalf("%s shows no %s", page, name)
	return ""
}

// runIn runs a program in a folder, with additional variables, and returns its output.
func runIn(t *testing.T, dir string, environ []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", filepath.Base(program), args, err, out)
	}
	return string(out)
}

// offline keeps go from downloading modules: all are in its cache.
var offline = []string{"GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-mod=mod", "GOWORK=off"}

// The two programs that a user writes first work in a module outside of the checkout: one
// steps worlds; the other has a task of its own and every command of train.
func TestProgramsElsewhereLong(t *testing.T) {
	polytest.OnlySlow(t) // it links two programs
	root := polytest.Must(filepath.Abs(".."))(t)
	dir := elsewhere(t, root)
	runIn(t, dir, offline, "go", "build", "-buildvcs=false", "-o", "random.bin", "./random")
	runIn(t, dir, offline, "go", "build", "-buildvcs=false", "-o", "arm.bin", "./arm")

	output := runIn(t, "/", nil, filepath.Join(dir, "random.bin"))
	polytest.Equal(t, output, "64 worlds, 1088 observed values, first episodes of 1000 steps\n", "random says")
	testArm(t, filepath.Join(dir, "arm"))
}

// testArm runs the commands of the program in the folder arm.
func testArm(t *testing.T, arm string) {
	t.Helper()
	program := filepath.Join(arm, "arm")
	polytest.NoError(t, os.Rename(arm+".bin", program))
	out := t.TempDir()
	small := []string{"--set", "worlds=8", "--set", "training={steps: 1600, segment: 100, hidden: [16]}", "--set",
		"evaluation.episodes=3"}
	for _, c := range []struct{ want, args string }{
		{`(?m)^Arm-v0: 1600 environment steps`, "run --task Arm-v0 --out run"},
		{`^Arm-v0, 5 episodes`, "eval run --episodes 5"},
		{`^4 episodes of Arm-v0 recorded in drawn\n`, "rollout --task Arm-v0 --episodes 4 --out drawn"},
		{`^4 episodes of Arm-v0 recorded in learnt\n`, "rollout --task Arm-v0 --policy run --episodes 4 --out learnt " +
			"--set task.options.reach=0.2"},
		{`(?m)^identical, 200 steps of 8 worlds, and 3 files of the run\n`, "replay run"},
		{`(?m)^identical, 128 steps of 8 worlds\n`, "replay learnt"},
		{`(?s)^Arm-v0, seed 0.*mean_distance`, "inspect learnt"},
		{`^4 episodes, `, "export learnt --to parquet --out parquet"},
		{`(?m)^Control +-200 +controller +Robot +50 Hz`, "order --task Arm-v0"},
		{`(?m)^20000000 `, "timeline --task Arm-v0"},
		{`^Arm-v0: 8 worlds`, "bench --task Arm-v0 --seconds 0.01"},
	} {
		args := strings.Fields(c.args)
		if strings.Contains(c.args, "--task") && args[0] != "order" {
			args = append(args, small...)
		}
		if output := runIn(t, out, nil, program, args...); !regexp.MustCompile(c.want).MatchString(output) {
			t.Errorf("arm %s says\n%swant %s", c.args, output, c.want)
		}
	}
	for args, want := range map[string]string{
		"run --task Arm-v1": `the nearest known one is "Arm-v0"`,
		"rollout --task Arm-v0 --episodes 1 --out x --set task.options.raech=1": "task.options.raech: unknown key; did " +
			"you mean task.options.reach?",
	} {
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Dir = out
		output, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != Usage || !strings.HasPrefix(string(output), "arm: ") ||
			!strings.Contains(string(output), want) {
			t.Errorf("arm %s: exit %d, %s; want %d and %q", args, code, output, Usage, want)
		}
	}
}

// A module that uses this one from Go's cache, read-only and without the unpacked
// libraries, builds after one command, and its programs find MuJoCo and the models.
func TestProgramsWithTheModuleCacheLong(t *testing.T) {
	polytest.OnlySlow(t) // it compiles the module anew
	cached := copyOfModule(t)
	dir := elsewhere(t, cached)

	// The files that the command would download are there already.
	prefix := t.TempDir()
	for _, name := range []string{"mujoco", "gymnasium"} {
		unpacked := polytest.Must(filepath.Abs("../third_party/" + name))(t)
		polytest.NoError(t, os.Symlink(unpacked, filepath.Join(prefix, name)))
	}
	environ := append([]string{"GOENV=" + filepath.Join(t.TempDir(), "env"), "MUJOCO_DIR="}, offline...)
	runIn(t, dir, environ, "sh", "-c",
		`cmake -D PREFIX=`+prefix+` -P "$(go list -m -f '{{.Dir}}' `+modulePath+`)/third_party/install.cmake"`)

	// These flags are those of libpolyrhythm.so (third_party/library.cmake), so that Go's cache has most of it.
	runIn(t, dir, environ, "go", "build", "-buildvcs=false", "-trimpath", "-buildmode=pie", "-o", "random.bin",
		"./random")
	if output := runIn(t, "/", nil, filepath.Join(dir, "random.bin")); !strings.HasPrefix(output,
		"64 worlds, 1088 observed values") {
		t.Errorf("random says %q", output)
	}
}

// copyOfModule copies the module as Go's cache would hold it.
func copyOfModule(t *testing.T) string {
	t.Helper()
	root := polytest.Must(filepath.Abs(".."))(t)
	listed, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skipf("git does not list the files of the module: %v", err)
	}
	cached := filepath.Join(t.TempDir(), modulePath+"@v0.1.0")
	folders := map[string]bool{}
	for file := range strings.Lines(string(listed)) {
		file = strings.TrimSpace(file)
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil || strings.HasPrefix(file, "third_party/tools/") { // a module of its own
			continue
		}
		path := filepath.Join(cached, file)
		polytest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		polytest.NoError(t, os.WriteFile(path, data, 0o444))
		folders[filepath.Dir(path)] = true
	}
	for folder := range folders {
		polytest.NoError(t, os.Chmod(folder, 0o555))
		t.Cleanup(func() { os.Chmod(folder, 0o777) })
	}
	return cached
}

// docs/how-to/extend-from-go.md shows the program of testdata as it is.
func TestPageShowsTheProgram(t *testing.T) {
	files := polytest.Must(filepath.Glob("testdata/elsewhere/arm/arm.*"))(t)
	for _, path := range append(files, "testdata/elsewhere/arm/main.go") {
		want := string(polytest.Must(os.ReadFile(path))(t))
		if shown(t, "../docs/how-to/extend-from-go.md", "arm/"+filepath.Base(path)) != want {
			t.Errorf("docs/how-to/extend-from-go.md does not show %s as it is", path)
		}
	}
}
