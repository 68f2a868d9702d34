package env_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/polyrhythm-rl/polyrhythm/"

// arrows names, for each room of the house, the rooms that it may import. A
// folder belongs to the room with the longest matching path.
var arrows = map[string][]string{
	"cmd":                 {"cli"},
	"cli":                 {"training", "live", "live/spans", "live/transport", "training/sweep", "internal/checkup", "internal/starter", "internal/disk", "internal/crash", "internal/throughput", "internal/fanout", "env", "configs", "recorder", "recorder/export", "recorder/format", "recorder/inspect", "recorder/picture", "recorder/recovery", "render", "physics", "runners"},
	"training":            {"live", "internal/decode", "internal/disk", "internal/curve", "internal/tfevents", "internal/runlog", "rl", "policy", "policy/onnx", "env", "configs", "recorder", "recorder/format", "sim", "runners", "physics"},
	"training/sweep":      {"training", "internal/decode", "internal/disk", "internal/curve", "internal/random", "env", "configs"},
	"python":              {"internal/memory", "training", "rl", "env", "configs", "sim", "physics", "runners"}, // the C library
	"live":                {"live/wire", "env", "sim", "physics", "runners"},
	"live/page":           {}, // also live/page/internal
	"live/spans":          {"live"},
	"live/transport":      {"live", "live/page", "live/rpc", "live/wire", "physics"},
	"live/rpc":            {"live", "live/wire"},
	"live/wire":           {},
	"rl":                  {"policy", "internal/random", "internal/bounds", "internal/memory"},
	"policy":              {},
	"policy/onnx":         {"policy"},
	"env":                 {"internal/spell", "internal/plan", "configs", "tasks", "recorder", "recorder/format", "recorder/worlds", "sim", "internal/random", "internal/runlog", "sensors", "physics", "physics/mujoco", "physics/mujoco/scene", "physics/box2d", "physics/box2d/scene", "runners"},
	"configs":             {"tasks", "physics/mujoco/scene", "internal/spell", "internal/decode", "rl", "sim", "sensors", "runners", "internal/bounds"},
	"tasks":               {"internal/decode", "internal/bounds", "internal/spell", "internal/expression", "sim", "sensors", "physics", "physics/box2d/scene", "runners"},
	"recorder":            {"recorder/format", "internal/disk"}, // also recorder/internal
	"recorder/export":     {"recorder", "recorder/format", "internal/disk", "physics", "runners"},
	"recorder/format":     {},
	"recorder/inspect":    {"recorder", "recorder/format", "runners"},
	"recorder/picture":    {"recorder", "recorder/format", "runners"},
	"recorder/recovery":   {"recorder", "recorder/format", "internal/disk"},
	"render":              {"recorder", "recorder/format", "internal/disk", "physics", "runners"},
	"recorder/worlds":     {"recorder", "recorder/format", "sim", "sensors", "physics", "runners"},
	"sim":                 {"internal/memory", "internal/random", "internal/digest", "internal/runlog", "sensors", "physics", "runners"},
	"sensors":             {"internal/random", "internal/bounds", "internal/digest", "physics", "runners"},
	"physics/mujoco":      {"internal/engine", "internal/handle", "physics", "physics/mujoco/scene", "runners"},
	"physics/box2d":       {"internal/engine", "internal/handle", "physics", "physics/box2d/scene", "runners"},
	"physics/box2d/scene": {},
	"physics":             {"internal/spell", "internal/handle", "runners"},
	"internal/random":     {},
	"internal/spell":      {},
	"internal/decode":     {"internal/spell"},
	"internal/disk":       {},
	"internal/bounds":     {},
	"internal/crash":      {},
	"internal/curve":      {},
	"internal/digest":     {},
	"internal/expression": {"internal/spell"},
	"internal/engine":     {"internal/handle", "physics"},
	"internal/handle":     {},
	"internal/memory":     {},
	"internal/plan":       {"configs", "recorder/worlds", "sim", "sensors", "runners"},
	"internal/runlog":     {},
	"internal/tfevents":   {},
	"internal/checkup":    {"env", "configs", "tasks", "sim", "sensors", "physics", "physics/mujoco", "runners"},
	"internal/starter":    {"physics/mujoco", "physics/mujoco/scene"},
	"internal/fanout":     {"live", "live/transport", "live/wire", "env", "configs", "sim"},
	"internal/throughput": {"internal/random", "env", "configs", "tasks", "recorder", "sim", "runners", "physics"},
	"runners":             {"internal/spell"},

	"physics/mujoco/scene": {"internal/bounds"},
}

// standardOnly lists the rooms that import nothing but the standard library.
var standardOnly = []string{"policy", "runners", "physics/box2d/scene", "internal/random", "internal/runlog"}

// room returns the room that a folder, relative to the module's root, is in.
func room(folder string) string {
	for ; folder != "."; folder = filepath.ToSlash(filepath.Dir(folder)) {
		if _, ok := arrows[folder]; ok {
			return folder
		}
	}
	return ""
}

// walkGo calls f for each Go file of the module at root, with its path relative to it.
func walkGo(root string, f func(path string) error) error {
	notRooms := []string{"build", "runs", "third_party"}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "testdata" || slices.Contains(notRooms, relative) || (relative != "." && strings.HasPrefix(entry.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		return f(relative)
	})
}

// TestImportsPointOneWay reads the imports of every Go file that is part of a
// build. Tests are left out: they may bring rooms together.
func TestImportsPointOneWay(t *testing.T) {
	seen := map[string]bool{}
	err := walkGo("..", func(relative string) error {
		if strings.HasSuffix(relative, "_test.go") {
			return nil
		}
		from := room(filepath.ToSlash(filepath.Dir(relative)))
		if from == "" {
			t.Errorf("%s is in no known room: give it one in the table of arrows", relative)
			return nil
		}
		seen[from] = true
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", relative), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			checkArrow(t, relative, from, imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, needed := range []string{"cmd", "env", "rl", "sim", "runners"} {
		if !seen[needed] {
			t.Errorf("found no Go file in room %s: the walk does not see the house", needed)
		}
	}
}

// checkArrow reports an import by a file of room `from` that goes against the
// arrows.
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
	to := room(folder)
	if to != from && !slices.Contains(arrows[from], to) {
		t.Errorf("%s imports %s; room %s may import %v", file, folder, from, arrows[from])
	}
}

// TestPublicPackagesHaveExamples looks for an Example in every package that others may
// import.
func TestPublicPackagesHaveExamples(t *testing.T) {
	packages, examples := map[string]bool{}, map[string]bool{}
	err := walkGo("..", func(path string) error {
		folder := filepath.ToSlash(filepath.Dir(path))
		if slices.Contains(strings.Split(folder, "/"), "internal") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
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
		return nil
	})
	if err != nil {
		t.Fatal(err)
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
