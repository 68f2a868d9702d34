package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestDocsNameTests wants each test that a page names to be there: a promise whose test was renamed or removed would
// look kept.
func TestDocsNameTests(t *testing.T) {
	tests := map[string]bool{}
	polytest.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "build" || filepath.Base(filepath.Dir(path)) == "third_party") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				tests[f.Name.Name] = true
			}
		}
		return nil
	}))
	name := regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)`")
	pages, named := []string{"../README.md", "../SECURITY.md", "../CONTRIBUTING.md"}, 0
	polytest.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	}))
	for _, page := range pages {
		for _, found := range name.FindAllStringSubmatch(string(polytest.Must(os.ReadFile(page))(t)), -1) {
			if named++; !tests[found[1]] {
				t.Errorf("%s names %s, which is no test", page, found[1])
			}
		}
	}
	if named < 50 || !tests["TestDocsNameTests"] {
		t.Errorf("%d names in the pages, %d in the tests: the walk does not see them", named, len(tests))
	}
}
