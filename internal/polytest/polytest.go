// Package polytest reads the switches of the tests, variables of the environment. Package
// testing has -short besides, for a minute of tests in all.
//
//	POLYTEST_SLOW=1          long forms: more cases, more places, more seconds. A test that has one
//	                         ends in Long; the preset slow runs those with -run 'Long$'
//	POLYTEST_CASES=N         N random cases in place of the usual number, see [Cases]
//	POLYTEST_PAIRS=SEED      cli: TestPairsLong begins with that seed; SEED:LAW:FEATURE,… repeats one case
//	POLYTEST_EXHAUSTIVE=1    recorder/recovery: damage at every byte, which takes minutes
//	POLYTEST_SOAK=10m        cli: how long TestSoakLong takes
//	POLYTEST_CYCLES=N        python/tests: how often environments are made and closed
//	POLYTEST_MUTANTS=1       runners: bugs planted in copies of the scheduler must be found
//	POLYTEST_FIGURES=1       docs: write the pictures
//	POLYTEST_PICTURES=DIR    cli, recorder/plot: keep what was drawn
//
// What tests need, which the presets of CMake name; without it they are skipped:
//
//	POLYTEST_PYTHON=FILE     an interpreter with the packages of third_party/python/test.txt
//	POLYTEST_CHROMIUM=FILE   a browser
//	POLYTEST_FOXGLOVE=DIR    Foxglove's client, installed by npm
//	POLYTEST_BUNDLE=DIR      the libraries of the page, installed by npm
//	POLYTEST_GALLERY=DIR     writes the pictures of the gallery to DIR, see physics/cast/gallery_test.go
//	POLYTEST_SCENE=FILE      physics/cast: the scene of BenchmarkCast, which has a camera "benchmark"
//	POLYTEST_KEEP=DIR        copies the first state of a disk that failed to DIR, see cli/powercut_test.go
//	POLYTEST_TRAIN=FILE      python: the program train
//	POLYTEST_WHEELS, POLYTEST_WHEEL_USER, POLYTEST_GO    python/tests_wheel
//	POLYTEST_HEAVY=1         python/tests_wheel: extras that bring gigabytes
//	POLYTEST_RELEASE=FILE    python/tests_wheel: an interpreter with what checks a release
//
// Tests set for processes of their own POLYTEST_AS_TRAIN, POLYTEST_AS_OTHER, POLYTEST_SHOWS_PEAK,
// POLYTEST_FANOUT_CLIENTS, POLYTEST_IN_CONTROL_GROUP, POLYTEST_LEAK, POLYTEST_RENDER_HASH and POLYTEST_MARK.
package polytest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Slow reports whether the test takes its long form. The name of the test must end in
// Long, by which the preset slow finds it.
func Slow(t testing.TB) bool {
	t.Helper()
	if name, _, _ := strings.Cut(t.Name(), "/"); !strings.HasSuffix(name, "Long") {
		t.Fatalf("%s has a long form, want a name that ends in Long", name)
	}
	return os.Getenv("POLYTEST_SLOW") == "1"
}

// OnlySlow skips a test that has no short form, since it waits for other programs or takes many seconds, unless the
// long forms are taken. See [Slow].
func OnlySlow(t testing.TB) {
	t.Helper()
	if !Slow(t) {
		t.Skip("it is one of the long forms, which POLYTEST_SLOW=1 takes")
	}
}

// Cases returns how many cases a test tries: short with -short, long in its long form, or
// what POLYTEST_CASES says, which is then asked for.
func Cases(t testing.TB, short, usual, long int) (n int, explicit bool) {
	t.Helper()
	text := os.Getenv("POLYTEST_CASES")
	switch slow := Slow(t); {
	case text != "":
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("POLYTEST_CASES is %q, want a number of at least 1", text)
		}
		return n, true
	case slow:
		return long, false
	case testing.Short():
		return short, false
	}
	return usual, false
}

// Python returns the interpreter that POLYTEST_PYTHON names. Without one the test is skipped.
func Python(t testing.TB) string {
	t.Helper()
	python := os.Getenv("POLYTEST_PYTHON")
	if python == "" {
		t.Skip("POLYTEST_PYTHON names no interpreter; the presets of the tests set it")
	}
	return python
}

// Files returns the contents of the files below a folder by their paths in it, without
// those whose names are given. That of a symbolic link is its target.
func Files(t TB, folder string, except ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains(except, entry.Name()) {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			all[name], err = os.Readlink(path)
			return err
		}
		data, err := os.ReadFile(path)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal(folder + " has no files")
	}
	return all
}

// SameFiles reports each file that differs between two results of [Files].
func SameFiles(t TB, subject string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s differs: %d bytes, want %d", subject, name, len(got[name]), len(want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is there, want no such file", subject, name)
		}
	}
}

// WithoutStops removes the checkpoints from got that want does not have: those with which an interrupted training has
// ended, which stay when it goes on.
func WithoutStops(got, want map[string]string) map[string]string {
	maps.DeleteFunc(got, func(name, _ string) bool {
		stop, _ := filepath.Match("checkpoint-*.ckpt", filepath.Base(name))
		_, ok := want[name]
		return stop && !ok
	})
	return got
}

// TB is a test: a [testing.TB] or a *rapid.T.
type TB interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// NoError ends the test with an error, if there is one.
func NoError(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must returns a function that returns the value, or ends the test with the error:
// polytest.Must(os.ReadFile(path))(t).
func Must[T any](value T, err error) func(t TB) T {
	return func(t TB) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}

// Err returns the error of a call, for [ErrorContains].
func Err[T any](_ T, err error) error { return err }

// ErrorContains reports an error that is nil or lacks a text.
func ErrorContains(t TB, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %q", err, text)
	}
}

// ErrorIs reports an error that is not the one wanted, nor wraps it.
func ErrorIs(t TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// Equal reports a value that is not the one wanted; subject and args say as for fmt.Sprintf what has the value.
func Equal[T comparable](t TB, got, want T, subject string, args ...any) {
	if got != want {
		t.Helper()
		t.Errorf("%s: %+v, want %+v", fmt.Sprintf(subject, args...), got, want)
	}
}

// SamePage compares a generated page with the file at path, or writes the file where update is set. The command writes it
// anew.
func SamePage(t TB, update bool, path, page, command string) {
	t.Helper()
	if update {
		NoError(t, os.WriteFile(path, []byte(page), 0o666))
		return
	}
	got, want := strings.Split(string(Must(os.ReadFile(path))(t)), "\n"), strings.Split(page, "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s is stale from line %d on; write it with %s", path, i+1, command)
			return
		}
	}
}

// EqualSlices is [Equal] for the elements of slices. Of long ones it reports the first that differs.
func EqualSlices[T comparable](t TB, got, want []T, subject string, args ...any) {
	if slices.Equal(got, want) {
		return
	}
	t.Helper()
	subject = fmt.Sprintf(subject, args...)
	if len(got)+len(want) <= 40 {
		t.Errorf("%s: %+v, want %+v", subject, got, want)
		return
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	t.Errorf("%s: %d elements, want %d; number %d is %+v, want %+v", subject, len(got), len(want), i,
		got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
}

// OwnMemory skips a test of how much memory a program takes where the race detector or AddressSanitizer, with which the
// test was built, takes memory beside it.
func OwnMemory(t testing.TB) {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, s := range info.Settings {
		if (s.Key == "-race" || s.Key == "-asan") && s.Value == "true" {
			t.Skipf("built with %s, which takes memory of its own", s.Key)
		}
	}
}
