package env_test

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// doors are what package recorder shows to recorder/recovery and its tests alone.
var doors = []string{".OpenShards", ".CreateOn"}

// TestSignaturesArePublic looks for types of internal packages in what public packages
// export: functions, methods and fields, constants, variables and types.
func TestSignaturesArePublic(t *testing.T) {
	seen := 0
	for path, file := range house(t) {
		folders := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")
		if strings.HasSuffix(path, "_test.go") || slices.Contains(folders, "internal") {
			continue
		}
		internal := internalImports(file)
		for name, part := range exported(file) {
			if seen++; folders[0] == "recorder" && slices.Contains(doors, name) {
				continue
			}
			ast.Inspect(part, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if from, ok := s.X.(*ast.Ident); ok && slices.Contains(internal, from.Name) {
						t.Errorf("%s: %s shows %s.%s, want no type of an internal package", path, name, from.Name, s.Sel.Name)
					}
				}
				_, body := n.(*ast.BlockStmt)
				return !body
			})
		}
	}
	if seen < 500 {
		t.Errorf("%d exported names seen, want at least 500", seen)
	}
}

// internalImports returns the names by which a file calls the internal packages that it imports.
func internalImports(file *ast.File) (names []string) {
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		folders := strings.Split(path, "/")
		switch {
		case err != nil || !slices.Contains(folders, "internal"):
		case spec.Name != nil:
			names = append(names, spec.Name.Name)
		default:
			names = append(names, folders[len(folders)-1])
		}
	}
	return names
}

// exported returns the parts of a file that show types to others, by the name of what is exported.
func exported(file *ast.File) map[string]ast.Node {
	parts := map[string]ast.Node{}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
				parts[receiver(d)+"."+d.Name.Name] = d.Type
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						addType(parts, s.Name.Name, s.Type)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Type != nil {
						parts[s.Names[0].Name] = s.Type
					}
				}
			}
		}
	}
	return parts
}

// addType adds what a type shows: its fields and methods that are exported, or all of it.
func addType(parts map[string]ast.Node, name string, shown ast.Expr) {
	fields, ok := shown.(*ast.StructType)
	if !ok {
		parts[name] = shown
		return
	}
	parts[name] = fields.Fields
	for _, f := range fields.Fields.List {
		delete(parts, name)
		if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
			parts[name+" "+fieldName(f)] = f.Type
		}
	}
}

func fieldName(f *ast.Field) string {
	if len(f.Names) == 0 {
		return "(embedded)"
	}
	return f.Names[0].Name
}

// receiver returns the name of the type that a method belongs to; "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	expr := f.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
