package env_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestAllocationsAreCountedOneWay looks for a count of allocations that the runtime's own can raise: a test that wants
// none would fail by chance.
func TestAllocationsAreCountedOneWay(t *testing.T) {
	ours := 0
	polytest.NoError(t, walkGo("..", func(path string) error {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join("..", path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch _, name, function := selected(n); {
			case name == "polytest" && function == "Allocations":
				ours++
			case name == "testing" && function == "AllocsPerRun" && filepath.Dir(path) != filepath.Join("internal", "polytest"):
				t.Errorf("%v: testing.AllocsPerRun counts what the runtime allocates, want polytest.Allocations",
					set.Position(n.Pos()))
			}
			return true
		})
		return nil
	}))
	if ours < 20 {
		t.Errorf("found %d calls of polytest.Allocations: the walk does not see the house", ours)
	}
}
