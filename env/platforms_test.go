package env_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// portable lists the packages, relative to the module's root, that are built without C for every system: what a
// robot's program has, clients of a live run, readers of logs and of datasets. What computes physics, draws or learns
// needs C, and so do packages that import it: sim, recorder/worlds and recorder/frames, say.
var portable = []string{"policy", "policy/onnx", "runners", "sim/runlog", "live/wire", "live/rpc", "physics",
	"physics/terrain", "recorder", "recorder/demonstrations", "recorder/export", "recorder/format", "recorder/inspect",
	"recorder/plot", "recorder/recovery"}

// small are those of them whose libraries are compiled in seconds.
var small = []string{"policy", "policy/onnx", "runners", "sim/runlog", "physics/terrain", "internal/disk",
	"internal/ffmpeg", "internal/memory"}

// build compiles packages. Only what Go's cache keeps is left of it.
func build(t *testing.T, system, processor string, packages []string) {
	t.Helper()
	arguments := []string{"build"}
	for _, p := range packages {
		arguments = append(arguments, "./"+p)
	}
	command := exec.Command("go", arguments...)
	command.Dir = ".."
	command.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if text, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s/%s: %v\n%s", system, processor, err, text)
	}
}

// The packages that promise it are built for each system without C. Only Linux has run them.
func TestPortablePackagesBuildLong(t *testing.T) {
	if !polytest.Slow(t) {
		build(t, "windows", "arm64", small)
		return
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, processor := range []string{"amd64", "arm64"} {
			build(t, system, processor, slices.Concat(portable, small))
		}
	}
	build(t, "linux", "386", small)
}

// No portable package imports one that C is part of, where its files would be left out without a word.
func TestPortablePackagesHaveNoC(t *testing.T) {
	arguments := []string{"list", "-deps", "-f", "{{if .CgoFiles}}{{if not .Standard}}{{.ImportPath}}{{end}}{{end}}"}
	for _, p := range portable {
		arguments = append(arguments, "./"+p)
	}
	command := exec.Command("go", arguments...)
	command.Dir = ".."
	command.Env = append(os.Environ(), "CGO_ENABLED=1")
	text := polytest.Must(command.Output())(t)
	for _, found := range strings.Fields(string(text)) {
		t.Errorf("a portable package imports %s, which is partly C", found)
	}
}
