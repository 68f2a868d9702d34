package env_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TestNobodyDrawsWithoutASeed looks for draws of the global random source, and for sources that begin with the time, in
// every Go file, tests included: who runs it again sees the same.
func TestNobodyDrawsWithoutASeed(t *testing.T) {
	files := 0
	for path, file := range house(t) {
		files++
		for _, draw := range unseeded(file) {
			t.Errorf("%s: %s, want a source with a seed that is written there", path, draw)
		}
	}
	if files < 500 {
		t.Errorf("%d files were read: the walk does not see the house", files)
	}
}

// sources are the functions of math/rand and math/rand/v2 that make a source or draw from the one that they are given.
var sources = []string{"New", "NewPCG", "NewChaCha8", "NewSource", "NewZipf"}

// unseeded lists the calls in a file that draw from the global random source, or make a source from the time.
func unseeded(file *ast.File) (draws []string) {
	name := ""
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == "math/rand" || path == "math/rand/v2" {
			if name = "rand"; spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	if name == "" {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		called := selector(call.Fun)
		if function, ok := strings.CutPrefix(called, name+"."); ok && !slices.Contains(sources, function) {
			draws = append(draws, called+" draws from the global source")
		} else if ok && slices.ContainsFunc(call.Args, tellsTime) {
			draws = append(draws, called+" begins with the time")
		}
		return true
	})
	return draws
}

// selector returns "x.f" of x.f, of which x is a name; otherwise "".
func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// tellsTime reports whether an expression contains time.Now, or a method that turns a time into a number.
func tellsTime(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			found = found || selector(s) == "time.Now" || strings.HasPrefix(s.Sel.Name, "Unix")
		}
		return true
	})
	return found
}

func TestUnseededDrawsAreSeen(t *testing.T) {
	for body, want := range map[string]int{
		"rand.IntN(3)": 1, "rand.Shuffle(3, nil)": 1, "rand.New(rand.NewPCG(1, 2)).IntN(3)": 0,
		"rand.NewPCG(uint64(began.UnixNano()), 0)": 1, "rand.NewPCG(uint64(time.Now().Unix()), 0)": 1,
		"random.IntN(3)": 0,
	} {
		program := "package p\nimport \"math/rand/v2\"\nfunc f() { " + body + " }"
		file := polytest.Must(parser.ParseFile(token.NewFileSet(), "p.go", program, parser.SkipObjectResolution))(t)
		polytest.Equal(t, len(unseeded(file)), want, "draws without a seed in %s", body)
	}
}
