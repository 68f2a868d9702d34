package env_test

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shared are the names that types of more than two packages have, with the reason.
var shared = map[string]string{
	"Actuator": "of a scene of Box2D, of a model of MuJoCo, and of the actions of terms",
	"Baseline": "the parameters of a model as it was compiled, of each engine and of an env",
	"Binding":  "of a configuration, of the clock, and with what it calls",
	"Block":    "of worlds, of their rows in learning, and of a log",
	"Body":     "of each engine, of any, and of a motion",
	"Change":   "of the clock in each form that it has, and of what a benchmark or a training changed",
	"Config":   "all that a package needs to begin: a run, its worlds, a server",
	"Episode":  "as it was simulated, as it was recorded, as it is drawn",
	"Episodes": "which are recorded, how many an exam takes, what is told of those of a dataset",
	"Joint":    "of a model of MuJoCo, of a motion, and of terms",
	"Model":    "an engine's implementation of physics.Model, and what else describes a model",
	"Options":  "how a package's main function does its work",
	"Picture":  "what a scene shows, and what networks see",
	"Plan":     "of a run, of a task's terms, and of a sweep",
	"Policy":   "as data, as it learns, and as it is opened from a file",
	"Report":   "what a command prints or writes at its end",
	"Rate":     "of a runner, as it is configured, and of successes in an exam",
	"Result":   "of what a package does, one by one",
	"Runner":   "of the clock, as it is configured, recorded and checked",
	"Settings": "a package's section of a configuration",
	"Shape":    "of geometry, of a scene, and of a policy's input",
	"State":    "with which something goes on",
	"Task":     "as it is configured, opened and simulated",
}

// TestTypesHaveTheirOwnNames counts the packages that declare an exported type of the same name. Two may: a type and
// what configures or wraps it. More only where the list says why, and only those.
func TestTypesHaveTheirOwnNames(t *testing.T) {
	packages := map[string][]string{}
	for path, file := range house(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			continue
		}
		for _, decl := range file.Decls {
			general, ok := decl.(*ast.GenDecl)
			if !ok || general.Tok != token.TYPE {
				continue
			}
			for _, spec := range general.Specs {
				name, folder := spec.(*ast.TypeSpec).Name.Name, filepath.ToSlash(filepath.Dir(path))
				if ast.IsExported(name) && !slices.Contains(packages[name], folder) {
					packages[name] = append(packages[name], folder)
				}
			}
		}
	}
	if len(packages) < 300 {
		t.Errorf("found %d types only", len(packages))
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if _, known := shared[name]; known != (len(packages[name]) > 2) {
			t.Errorf("%s is declared in %v: in the list of names that more than two packages have: %v", name, packages[name],
				known)
		}
	}
	for name := range shared {
		if packages[name] == nil {
			t.Errorf("%s is in the list, and no package declares it", name)
		}
	}
}
