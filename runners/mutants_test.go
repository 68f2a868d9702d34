package runners

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestMutants plants each bug of testdata/mutants in a copy of this package and
// demands that the tests, in their brief form, fail there, and pass in a copy
// without one. A patch begins with a line that says what the bug is. The test
// takes minutes and runs only with POLYTEST_MUTANTS=1 in the environment.
func TestMutants(t *testing.T) {
	if os.Getenv("POLYTEST_MUTANTS") != "1" {
		t.Skip("POLYTEST_MUTANTS is not 1")
	}
	patches, err := filepath.Glob(filepath.Join("testdata", "mutants", "*.patch"))
	if err != nil || len(patches) < 20 {
		t.Fatalf("%d mutants (%v), want at least 20", len(patches), err)
	}
	t.Run("none", func(t *testing.T) {
		if out, failed := runCopy(t, ""); failed != "" {
			t.Fatalf("the tests fail without a mutant, in %s:\n%s", failed, out)
		}
	})
	for _, patch := range patches {
		t.Run(strings.TrimSuffix(filepath.Base(patch), ".patch"), func(t *testing.T) {
			t.Parallel()
			text := polytest.Must(os.ReadFile(patch))(t)
			bug, _, _ := strings.Cut(string(text), "\n")
			if _, failed := runCopy(t, patch); failed == "" {
				t.Errorf("survived: %s", bug)
			} else {
				t.Logf("caught by %s: %s", failed, bug)
			}
		})
	}
}

// TestMutantsApply: each planted bug still fits the code, so a change of the code renews it.
func TestMutantsApply(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	for _, patch := range polytest.Must(filepath.Glob(filepath.Join("testdata", "mutants", "*.patch")))(t) {
		t.Run(filepath.Base(patch), func(t *testing.T) { apply(t, ".", patch, "--check") })
	}
}

// apply applies a patch to the package in a folder by git, which must not take it for part of a repository around it.
func apply(t *testing.T, folder, patch string, options ...string) {
	t.Helper()
	above := polytest.Must(filepath.Abs(filepath.Join(folder, "..")))(t)
	cmd := exec.Command("git", append(append([]string{"apply"}, options...), polytest.Must(filepath.Abs(patch))(t))...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Environ(), "GIT_CEILING_DIRECTORIES="+above, "GIT_DIR=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s no longer applies; renew it: %v\n%s", patch, err, out)
	}
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// runCopy runs the brief tests in a copy of the package with a patch applied,
// and returns what they print and the first test that failed, "" for none. A
// copy that does not build is not one that fails.
func runCopy(t *testing.T, patch string) (output, failed string) {
	t.Helper()
	module := t.TempDir()
	folder := filepath.Join(module, "runners")
	// with all of the module that the package and its tests import
	for _, from := range []string{"runners", "internal/spell", "internal/polytest"} {
		polytest.NoError(t, os.CopyFS(filepath.Join(module, from), os.DirFS(filepath.Join("..", from))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text := polytest.Must(os.ReadFile(filepath.Join("..", name)))(t)
		polytest.NoError(t, os.WriteFile(filepath.Join(module, name), text, 0o666))
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = folder
		cmd.Env = append(cmd.Environ(), "POLYTEST_MUTANTS=", "POLYTEST_SLOW=", "POLYTEST_CASES=", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if patch != "" {
		apply(t, folder, patch)
	}
	test := filepath.Join(module, "runners.test")
	if out, err := run("go", "test", "-c", "-o", test, "."); err != nil {
		t.Fatalf("%s does not build: %v\n%s", patch, err, out)
	}
	output, err := run(test, "-test.failfast", "-test.timeout=10m")
	if err == nil {
		return output, ""
	}
	if m := failedTest.FindStringSubmatch(output); m != nil {
		return output, m[1]
	}
	return output, "a panic or the time limit"
}
