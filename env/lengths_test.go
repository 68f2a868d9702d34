package env_test

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"
)

// longestFunction is the most lines of a function. A longer one is several, or a table.
const longestFunction = 80

// tables are the functions that are longer, since they are lists. The list can only shrink.
var tables = map[string]string{
	"physics/mujoco/parameters.go describeParameters": "a line for each array of the model that a world may change",
}

// TestFunctionsAreShort finds functions that nobody can read at a glance, those of tests apart.
func TestFunctionsAreShort(t *testing.T) {
	found := map[string]bool{}
	for path, file := range house(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			continue
		}
		for _, decl := range file.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := positions.Position(function.End()).Line - positions.Position(function.Pos()).Line + 1
			name := filepath.ToSlash(path) + " " + function.Name.Name
			if found[name] = lines > longestFunction; found[name] && tables[name] == "" {
				t.Errorf("%s has %d lines, want at most %d", name, lines, longestFunction)
			}
		}
	}
	for name := range tables {
		if !found[name] {
			t.Errorf("%s is no longer long, want it off the list", name)
		}
	}
}
