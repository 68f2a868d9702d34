package env_test

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

const module = "github.com/polyrhythm-rl/polyrhythm/"

// arrows names, for each room of the house, the rooms that it may import. A
// folder belongs to the room with the longest matching path.
var arrows = map[string][]string{
	"cmd": {"cli"},
	"cli": {"training", "training/rundir", "training/policies", "training/rollouts", "training/serving", "live", "live/transport", "training/catalog", "training/sweep", "training/exam", "training/actuator", "internal/proportion",
		"cli/internal/checkup", "cli/internal/fetch", "cli/internal/starter", "cli/internal/settings", "internal/decode", "internal/disk", "internal/errtree",
		"internal/ffmpeg", "internal/spell", "cli/internal/crash",
		"cli/internal/throughput", "env", "configs", "recorder", "recorder/demonstrations",
		"recorder/export", "recorder/format", "recorder/frames",
		"recorder/inspect", "recorder/plot", "recorder/recovery", "render", "tasks", "tasks/motion", "physics",
		"physics/terrain", "runners", "sensors", "sim"},
	// learning, and what does again
	"training": {"training/rundir", "training/policies", "training/rollouts", "training/internal/usage", "training/internal/logs",
		"training/internal/runs", "training/internal/tfevents", "recorder/demonstrations", "recorder/format", "recorder/worlds",
		"internal/decode", "internal/disk", "internal/errtree", "internal/curve", "internal/spell", "sim/runlog", "rl", "rl/nn", "policy", "policy/onnx", "env", "configs",
		"recorder", "sim", "runners", "physics"},
	"training/serving": {"internal/disk", "training/rundir", "training/policies", "training/rollouts", "training/internal/usage",
		"training/internal/logs", "training/internal/runs", "live", "sim/runlog", "env", "configs", "runners"},
	"training/rollouts": {"training/rundir", "training/policies", "training/internal/usage", "training/internal/logs",
		"training/internal/runs", "recorder/frames", "internal/disk", "internal/errtree", "sim/runlog", "rl", "env", "configs", "recorder",
		"recorder/format", "sim", "runners", "physics"},
	"training/internal/runs": {"training/rundir", "training/policies", "training/internal/usage", "training/internal/logs", "live",
		"internal/container", "internal/disk", "sim/runlog", "env", "configs", "recorder", "recorder/format", "sim", "runners",
		"physics"},
	"training/internal/logs": {"training/rundir", "training/policies", "internal/disk", "sim/runlog", "rl/nn", "env", "configs"},
	"training/policies": {"training/rundir", "training/internal/usage", "internal/bounds", "internal/decode", "internal/disk",
		"internal/spell", "policy/onnx", "rl", "env", "configs", "sim", "runners"},
	"training/rundir": {"training/internal/usage", "internal/container", "internal/disk", "sim/runlog", "rl", "configs", "recorder",
		"recorder/format"},
	"training/internal/usage": {"internal/container", "env", "configs", "sim", "runners"},
	"training/catalog":        {"training/rundir", "internal/curve", "internal/disk", "recorder", "recorder/format"},
	"training/sweep": {"rl", "training", "training/rundir", "internal/curve", "internal/decode", "internal/disk",
		"internal/errtree", "internal/random", "env", "configs"},
	"training/exam": {"training/rundir", "training/policies", "training/rollouts", "training/sweep", "training/internal/usage",
		"training/internal/logs", "training/internal/runs", "internal/decode", "internal/disk", "internal/proportion",
		"internal/spell", "env", "configs", "recorder", "recorder/format", "sim", "runners", "physics"},
	// the C library
	"python": {"internal/disk", "internal/memory", "recorder", "recorder/frames", "training", "training/rundir",
		"training/policies", "training/rollouts", "rl", "env", "configs", "sim", "physics",
		"render", "runners", "sensors"},
	"live":           {"live/wire", "env", "sim", "sim/runlog", "physics", "runners"},
	"live/page":      {"live/wire"}, // also live/page/internal
	"live/transport": {"internal/disk", "live", "live/page", "live/rpc", "live/wire", "physics", "recorder/format"},
	"live/rpc":       {"live/wire"},
	"live/wire":      {},
	"rl": {"rl/nn", "policy", "internal/container", "internal/bounds",
		"internal/memory"},
	"rl/nn":       {"policy", "internal/random"}, // networks know no environment and no algorithm
	"policy":      {"internal/container"},
	"policy/onnx": {"policy"},
	"env": {"internal/disk", "internal/spell", "configs", "tasks", "tasks/motion", "recorder", "recorder/format", "recorder/worlds",
		"sim", "internal/random", "sim/runlog", "sensors", "physics", "physics/mujoco", "physics/mujoco/scene",
		"physics/box2d", "physics/box2d/scene", "runners"},
	"configs": {"tasks", "recorder", "recorder/format", "physics/mujoco/scene", "internal/spell", "internal/decode", "internal/disk",
		"rl", "sim", "sensors", "runners", "internal/bounds"},
	"tasks": {"internal/decode", "internal/bounds", "internal/spell", "tasks/internal/expression",
		"tasks/internal/rotation", "tasks/motion", "sim", "sensors", "physics", "physics/box2d/scene", "physics/terrain", "runners"},
	"tasks/motion": {"tasks/internal/rotation", "internal/decode", "internal/bounds", "internal/disk", "internal/spell", "physics",
		"runners"},
	"recorder":                {"recorder/format", "internal/disk"}, // also recorder/internal
	"recorder/demonstrations": {"recorder", "recorder/format", "internal/disk", "internal/ffmpeg"},
	"recorder/export":         {"recorder", "recorder/format", "internal/disk", "internal/ffmpeg", "physics", "runners"},
	"recorder/format":         {"internal/disk", "physics"},
	"recorder/frames": {"recorder", "recorder/format", "internal/disk", "internal/memory", "physics",
		"physics/cast", "sensors", "runners"},
	"recorder/inspect":  {"recorder", "recorder/format", "runners"},
	"recorder/plot":     {"recorder", "recorder/format", "runners"},
	"recorder/recovery": {"recorder", "recorder/format", "internal/disk"},
	"render": {"recorder", "recorder/format", "internal/disk", "internal/ffmpeg", "physics", "physics/cast",
		"runners"},
	"recorder/worlds": {"recorder", "recorder/format", "sim", "sensors", "physics", "runners"},
	"sim": {"internal/bounds", "internal/container", "internal/errtree", "internal/memory", "internal/random", "internal/digest",
		"sim/runlog", "sensors", "physics", "runners"},
	"sensors": {"internal/random", "internal/bounds", "internal/digest", "internal/spell", "physics",
		"physics/cast", "physics/terrain", "runners"},
	"physics/mujoco": {"internal/disk", "physics/internal/engine", "physics", "physics/mujoco/scene", "physics/terrain",
		"policy", "runners"},
	"physics/terrain":            {"internal/bounds", "internal/random"},
	"physics/box2d":              {"physics/internal/engine", "physics", "physics/box2d/scene", "runners"},
	"physics/cast":               {"internal/bounds", "physics"},
	"physics/box2d/scene":        {},
	"physics/pointmass":          {"physics/internal/engine", "physics"},
	"physics":                    {"internal/spell", "internal/bounds", "runners"},
	"physics/physicstest":        {"internal/polytest", "physics"},
	"internal/random":            {},
	"internal/spell":             {},
	"internal/container":         {},
	"internal/decode":            {"internal/spell"},
	"internal/disk":              {"internal/container"},
	"internal/errtree":           {},
	"internal/bounds":            {"internal/spell"},
	"cli/internal/crash":         {},
	"internal/curve":             {"internal/disk"},
	"internal/digest":            {},
	"internal/ffmpeg":            {},
	"tasks/internal/expression":  {"internal/spell", "tasks/internal/rotation"},
	"tasks/internal/rotation":    {},
	"physics/internal/engine":    {"physics"},
	"internal/memory":            {},
	"internal/polytest":          {},
	"internal/proportion":        {},
	"internal/tests":             {"internal/disk", "env"}, // what only tests use
	"sim/runlog":                 {"internal/disk", "runners"},
	"training/internal/tfevents": {},
	"training/actuator":          {"rl", "policy", "physics/mujoco/scene", "internal/bounds", "internal/disk", "internal/curve"},
	"cli/internal/checkup": {"env", "configs", "tasks", "sim", "sensors", "physics", "physics/mujoco",
		"physics/mujoco/scene", "runners"},
	"cli/internal/settings": {"configs", "rl/nn", "internal/bounds", "internal/curve", "internal/decode", "internal/disk", "internal/memory"},
	"cli/internal/fetch":    {"configs", "env", "internal/disk"},
	"cli/internal/starter":  {"internal/disk", "physics/mujoco", "physics/mujoco/scene"},
	"cli/internal/throughput": {"internal/random", "env", "configs", "tasks", "recorder", "recorder/format", "sim", "runners", "physics",
		"internal/curve", "internal/disk"},
	"runners": {"internal/spell"},

	"physics/mujoco/scene": {"internal/bounds", "physics/terrain"},
}

// floors are the folders of the module from the ground up. A folder imports folders below it, whatever packages of it
// do so: each stands on one floor.
var floors = []string{"internal", "runners", "policy", "physics", "sensors", "sim", "tasks", "rl", "recorder", "configs",
	"env", "render", "live", "training", "cli", "python", "cmd"}

// upward are the rooms that import a folder above their own, with the reason.
var upward = map[string]string{
	"internal/tests": "tests of several folders share what it has, and only they import it",
}

// floor returns the floor of a path's folder, -1 for none.
func floor(path string) int {
	folder, _, _ := strings.Cut(path, "/")
	return slices.Index(floors, folder)
}

// standardOnly lists the rooms that import nothing but the standard library.
var standardOnly = []string{"policy", "runners", "physics/box2d/scene", "internal/random"}

// room returns the room that a folder, relative to the module's root, is in.
func room(folder string) string {
	for ; folder != "."; folder = filepath.ToSlash(filepath.Dir(folder)) {
		if _, ok := arrows[folder]; ok {
			return folder
		}
	}
	return ""
}

// TestImportsPointOneWay reads the imports of every Go file that is part of a
// build. Tests are left out: they may bring rooms together.
func TestImportsPointOneWay(t *testing.T) {
	seen := map[string]bool{}
	for path, file := range house(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		from := room(filepath.ToSlash(filepath.Dir(path)))
		if from == "" {
			t.Errorf("%s is in no known room: give it one in the table of arrows", path)
			continue
		}
		seen[from] = true
		for _, spec := range file.Imports {
			checkArrow(t, path, from, polytest.Must(strconv.Unquote(spec.Path.Value))(t))
		}
	}
	for _, needed := range []string{"cmd", "env", "rl", "sim", "runners"} {
		if !seen[needed] {
			t.Errorf("found no Go file in room %s: the walk does not see the house", needed)
		}
	}
}

// checkArrow reports an import by a file of room `from` that goes against the arrows.
func checkArrow(t *testing.T, file, from, imported string) {
	t.Helper()
	folder, ours := strings.CutPrefix(imported, module)
	if !ours {
		host, _, _ := strings.Cut(imported, "/")
		if slices.Contains(standardOnly, from) && strings.Contains(host, ".") {
			t.Errorf("%s imports %s; room %s may import the standard library only", file, imported, from)
		}
		return
	}
	if low, high := floor(file), floor(folder); low < 0 || high < 0 || low < high && upward[from] == "" {
		t.Errorf("%s imports %s, want floors of both folders and no arrow upward", file, folder)
	}
	to := room(folder)
	if to != from && !slices.Contains(arrows[from], to) {
		t.Errorf("%s imports %s; room %s may import %v", file, folder, from, arrows[from])
	}
}

// TestPublicPackagesHaveExamples looks for an Example in every package that others may import.
func TestPublicPackagesHaveExamples(t *testing.T) {
	packages, examples := map[string]bool{}, map[string]bool{}
	for path, file := range house(t) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if slices.Contains(strings.Split(folder, "/"), "internal") {
			continue
		}
		test := strings.HasSuffix(path, "_test.go")
		if !test && file.Name.Name != "main" {
			packages[folder] = true
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && test && strings.HasPrefix(f.Name.Name, "Example") {
				examples[folder] = true
			}
		}
	}
	for folder := range packages {
		if !examples[folder] {
			t.Errorf("package %s has no Example", folder)
		}
	}
	if len(packages) < 10 {
		t.Errorf("found the packages %v only", packages)
	}
}
