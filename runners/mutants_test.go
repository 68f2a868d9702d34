package runners

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
			text, err := os.ReadFile(patch)
			if err != nil {
				t.Fatal(err)
			}
			bug, _, _ := strings.Cut(string(text), "\n")
			if _, failed := runCopy(t, patch); failed == "" {
				t.Errorf("survived: %s", bug)
			} else {
				t.Logf("caught by %s: %s", failed, bug)
			}
		})
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
	spell := filepath.Join("internal", "spell") // all of the module that the package imports
	for to, from := range map[string]string{folder: ".", filepath.Join(module, spell): filepath.Join("..", spell)} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = folder
		// git must not take the copy for part of a repository around it
		cmd.Env = append(cmd.Environ(), "POLYTEST_MUTANTS=", "POLYTEST_SLOW=", "GIT_CEILING_DIRECTORIES="+module, "GIT_DIR=", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if patch != "" {
		absolute, err := filepath.Abs(patch)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := run("git", "apply", absolute); err != nil {
			t.Fatalf("%s no longer applies; renew it: %v\n%s", patch, err, out)
		}
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
