package env_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// positions has the lines of the files of [house].
var positions = token.NewFileSet()

// parseHouse parses each Go file of the module, tests included, but for what is built and data of tests.
var parseHouse = sync.OnceValues(func() (map[string]*ast.File, error) {
	const root = ".."
	notRooms := []string{"build", "runs", "third_party"}
	files := map[string]*ast.File{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "testdata" || slices.Contains(notRooms, relative) ||
				(relative != "." && strings.HasPrefix(entry.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") {
			files[relative], err = parser.ParseFile(positions, path, nil, parser.SkipObjectResolution)
		}
		return err
	})
	return files, err
})

// house yields each Go file of the module by its path below the root, in their order.
func house(t *testing.T) iter.Seq2[string, *ast.File] {
	t.Helper()
	files := polytest.Must(parseHouse())(t)
	return func(yield func(string, *ast.File) bool) {
		for _, path := range slices.Sorted(maps.Keys(files)) {
			if !yield(path, files[path]) {
				return
			}
		}
	}
}
