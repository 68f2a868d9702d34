package env_test

import (
	"go/ast"
	"path/filepath"
	"testing"
)

// TestAllocationsAreCountedOneWay looks for a count of allocations that the runtime's own can raise: a test that wants
// none would fail by chance.
func TestAllocationsAreCountedOneWay(t *testing.T) {
	ours := 0
	for path, file := range house(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch _, name, function := selected(n); {
			case name == "polytest" && function == "Allocations":
				ours++
			case name == "testing" && function == "AllocsPerRun" && filepath.Dir(path) != filepath.Join("internal", "polytest"):
				t.Errorf("%v: testing.AllocsPerRun counts what the runtime allocates, want polytest.Allocations",
					positions.Position(n.Pos()))
			}
			return true
		})
	}
	if ours < 20 {
		t.Errorf("found %d calls of polytest.Allocations: the walk does not see the house", ours)
	}
}
