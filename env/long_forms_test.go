package env_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// go_slow in third_party/tests.cmake runs by name the tests that POLYTEST_SLOW makes
// longer, in their packages, and no others, which the usual tests have run.
func TestLongFormsAreRun(t *testing.T) {
	text, err := os.ReadFile("../third_party/tests.cmake")
	if err != nil {
		t.Fatal(err)
	}
	step := regexp.MustCompile(`polyrhythm_test\(go_slow [^"]*-run "\^\(([^")]+)\)\$"\s([^)]+)\)`).FindSubmatch(text)
	if step == nil {
		t.Fatal(`no step go_slow with -run "^(…)$" and packages in tests.cmake`)
	}
	names, packages := strings.Split(string(step[1]), "|"), strings.Fields(string(step[2]))

	var wantNames, wantPackages []string
	folders := map[string]bool{}
	err = walkGo("..", func(relative string) error {
		folders[filepath.Dir(relative)] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder := range folders {
		if tests := longTests(t, filepath.Join("..", folder)); len(tests) > 0 {
			wantNames = append(wantNames, tests...)
			wantPackages = append(wantPackages, "./"+filepath.ToSlash(folder))
		}
	}
	for _, l := range [][]string{names, packages, wantNames, wantPackages} {
		slices.Sort(l)
	}
	if !slices.Equal(names, wantNames) {
		t.Errorf("go_slow runs\n%s, want\n%s", strings.Join(names, "|"), strings.Join(wantNames, "|"))
	}
	if !slices.Equal(packages, wantPackages) {
		t.Errorf("go_slow runs in\n%s, want\n%s", packages, wantPackages)
	}
}

// longTests returns the tests of a folder that read POLYTEST_SLOW, or call a function of
// their package that does.
func longTests(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]map[string]bool{} // of a function: what it calls, and its literals
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if uses[f.Name.Name] == nil {
				uses[f.Name.Name] = map[string]bool{}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					switch called := n.Fun.(type) {
					case *ast.Ident:
						uses[f.Name.Name][called.Name] = true
					case *ast.SelectorExpr:
						uses[f.Name.Name][called.Sel.Name] = true
					}
				case *ast.BasicLit:
					uses[f.Name.Name][n.Value] = true
				}
				return true
			})
		}
	}
	long := map[string]bool{`"POLYTEST_SLOW"`: true}
	for found := 0; found != len(long); {
		found = len(long)
		for name, used := range uses {
			for l := range long {
				if used[l] && name != l {
					long[name] = true
					break
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(long)), func(name string) bool { return !strings.HasPrefix(name, "Test") })
}
