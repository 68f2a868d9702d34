package env_test

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// openers are the functions that read a file of any kind and length. [disk.Open] and its sisters are the ones that do
// not wait for a pipe, nor read a device or more than a bound.
var openers = map[string][]string{
	"os":     {"Open", "ReadFile", "DirFS", "OpenRoot"},
	"io":     {"ReadAll"},
	"ioutil": {"ReadAll", "ReadFile"},
	"tls":    {"LoadX509KeyPair"},
	"file":   {"OpenParquetFile"},
}

// otherReaders are the folders and files whose readers are others, with the reason.
var otherReaders = map[string]string{
	"internal/container/open.go": "it is the one way",
	"internal/disk":              "it is the one way",
	"internal/polytest":          "only tests use it",
	"internal/tests":             "only tests use it",
	"live/page/internal/bundle":  "it runs when the page is built",
	"python/benchmarks":          "it is a measurement of ours",
	"internal/memory/memory.go":  "the kernel's own files in /proc",
}

// isOtherReader reports whether a file is one of otherReaders.
func isOtherReader(path string) bool {
	for ; path != "."; path = filepath.ToSlash(filepath.Dir(path)) {
		if otherReaders[path] != "" {
			return true
		}
	}
	return false
}

// TestFilesAreOpenedOneWay looks for a file that is read otherwise than by package disk. What a program makes itself, with
// O_EXCL, was no pipe before.
func TestFilesAreOpenedOneWay(t *testing.T) {
	ours := 0
	for path, file := range house(t) {
		if strings.HasSuffix(path, "_test.go") || isOtherReader(filepath.ToSlash(path)) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, name, function := selected(n)
			switch {
			case name == "disk":
				ours++
			case function == "ReadAll" && isLimited(call.Args[0]):
			case slices.Contains(openers[name], function):
				t.Errorf("%v: %s.%s reads any file, want disk.Open, disk.ReadFile or disk.ReadInput",
					positions.Position(n.Pos()), name, function)
			case name == "os" && function == "OpenFile" && !isExclusive(call):
				t.Errorf("%v: os.OpenFile opens any file, want disk.Change, disk.Append or O_EXCL", positions.Position(n.Pos()))
			}
			return true
		})
	}
	if ours < 50 {
		t.Errorf("found %d calls of package disk: the walk does not see the house", ours)
	}
}

// selected returns the call of a function of a package, and the names of both.
func selected(n ast.Node) (call *ast.CallExpr, name, function string) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil, "", ""
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, "", ""
	}
	if x, ok := selector.X.(*ast.Ident); ok {
		return call, x.Name, selector.Sel.Name
	}
	return nil, "", ""
}

// isLimited reports whether an expression is a call of io.LimitReader.
func isLimited(reader ast.Expr) bool {
	_, name, function := selected(reader)
	return name == "io" && function == "LimitReader"
}

// isExclusive reports whether an argument of a call has O_EXCL.
func isExclusive(call *ast.CallExpr) (found bool) {
	ast.Inspect(call, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		found = found || ok && selector.Sel.Name == "O_EXCL"
		return true
	})
	return found
}
