package expression

import (
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// node is a checked and compiled part of a formula.
type node struct {
	size  int // 0: a number
	bool  bool
	fixed bool // a constant number

	number func(f Frame, scratch []float64) float64   // if size is 0
	values func(f Frame, scratch []float64) []float64 // else, in the scratch or a quantity's own
}

// String names the type and shape for messages.
func (n node) String() string {
	what := "number"
	if n.bool {
		what = "truth value"
	}
	if n.size == 0 {
		return "a " + what
	}
	return fmt.Sprintf("a vector of %d %ss", n.size, what)
}

// compiler compiles one formula. Its methods note the first error, and return nodes that
// are never computed after it. Each part of the formula has values of scratch for itself.
type compiler struct {
	source  string
	scope   Scope
	used    []bool // the quantities in the formula
	visits  int
	scratch int // values needed
	err     error
}

// fail notes an error about the part that begins at a character.
func (c *compiler) fail(position int, format string, args ...any) node {
	if c.err == nil {
		c.err = errorAt(c.source, position, format, args...)
	}
	return node{}
}

// slot returns where n values of scratch begin that nothing else has.
func (c *compiler) slot(position, n int) int {
	slot := c.scratch
	if c.scratch += n; c.scratch > maxSize {
		c.fail(position, "the formula needs %d values of memory, want at most %d", c.scratch, maxSize)
	}
	return slot
}

// compile compiles the tree at n. The count of visits bounds the work: the parser gives both comparisons of a < b < c
// the same tree of b, so that a small text can stand for a huge tree.
func (c *compiler) compile(n ast.Node, depth int) node {
	position := n.Location().From
	c.visits++
	switch {
	case c.err != nil:
		return node{}
	case c.visits > maxNodes:
		return c.fail(position, "the formula has more than %d parts, want at most that", maxNodes)
	case depth > maxDepth:
		return c.fail(position, "the formula nests more than %d deep, want at most that", maxDepth)
	}
	switch n := n.(type) {
	case *ast.IntegerNode:
		return constant(float64(n.Value), false)
	case *ast.FloatNode:
		return constant(n.Value, false)
	case *ast.BoolNode:
		return constant(truth(n.Value), true)
	case *ast.IdentifierNode:
		return c.quantity(n.Value, position)
	case *ast.MemberNode:
		return c.member(n, position, depth)
	case *ast.SliceNode:
		return c.slice(n, position, depth)
	case *ast.ArrayNode:
		return c.array(n, position, depth)
	case *ast.UnaryNode:
		return c.apply(position, n.Operator, prefixes[n.Operator], c.compile(n.Node, depth+1))
	case *ast.BinaryNode:
		r, ok := operators[n.Operator]
		if !ok {
			return c.fail(position, "operator %s is not part of the language of formulas", n.Operator)
		}
		// A sum of many terms is deep on its left side only, which does not count as nesting.
		return c.apply(position, n.Operator, r, c.compile(n.Left, depth), c.compile(n.Right, depth+1))
	case *ast.ConditionalNode:
		return c.apply(n.Cond.Location().From, "?:", choice,
			c.compile(n.Cond, depth+1), c.compile(n.Exp1, depth+1), c.compile(n.Exp2, depth+1))
	case *ast.BuiltinNode:
		return c.call(n.Name, n.Arguments, position, depth)
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			return c.call(callee.Value, n.Arguments, position, depth)
		}
	}
	return c.fail(position, "this is not part of the language of formulas: numbers, quantities, operators and calls")
}

func constant(value float64, isTruth bool) node {
	return node{bool: isTruth, fixed: true, number: func(Frame, []float64) float64 { return value }}
}

// quantity compiles a name.
func (c *compiler) quantity(name string, position int) node {
	i := slices.IndexFunc(c.scope, func(q Quantity) bool { return q.Name == name })
	if i < 0 {
		var known []string
		for _, q := range c.scope {
			known = append(known, q.Name)
		}
		return c.fail(position, "no quantity %s%s", name, spell.Hint(name, known))
	}
	c.used[i] = true
	q := c.scope[i]
	return node{
		size: q.Size, bool: q.Bool,
		number: func(f Frame, _ []float64) float64 { return f.Quantity(i)[0] },
		values: func(f Frame, _ []float64) []float64 { return f.Quantity(i) },
	}
}

// path returns the name a.b.c that a tree of members spells, and where it begins.
func path(n ast.Node) (name string, position int, ok bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, n.Location().From, true
	case *ast.MemberNode:
		if last, isName := n.Property.(*ast.StringNode); isName && !n.Optional {
			name, position, ok = path(n.Node)
			return name + "." + last.Value, position, ok
		}
	}
	return "", 0, false
}

// member compiles a.b, the name of a quantity, or v[i].
func (c *compiler) member(n *ast.MemberNode, position, depth int) node {
	if name, begin, ok := path(n); ok {
		return c.quantity(name, begin)
	}
	if n.Optional {
		return c.fail(position, "?. is not part of the language of formulas")
	}
	v := c.compile(n.Node, depth+1)
	index, ok := n.Property.(*ast.IntegerNode)
	switch {
	case v.size == 0:
		return c.fail(position, "[] is of %s, want a vector", v)
	case !ok:
		return c.fail(position, "want a whole number from 0 to %d in the brackets", v.size-1)
	case index.Value < 0 || index.Value >= v.size:
		return c.fail(position, "index is %d, want 0 to %d", index.Value, v.size-1)
	}
	i := index.Value
	return node{bool: v.bool, number: func(f Frame, s []float64) float64 { return v.values(f, s)[i] }}
}

// slice compiles v[from:to].
func (c *compiler) slice(n *ast.SliceNode, position, depth int) node {
	v := c.compile(n.Node, depth+1)
	if v.size == 0 {
		return c.fail(position, "[:] is of %s, want a vector", v)
	}
	bounds := [2]int{0, v.size}
	for i, side := range []ast.Node{n.From, n.To} {
		if whole, ok := side.(*ast.IntegerNode); ok {
			bounds[i] = whole.Value
		} else if side != nil {
			return c.fail(position, "want whole numbers from 0 to %d in the brackets", v.size)
		}
	}
	first, end := bounds[0], bounds[1]
	if first < 0 || first >= end || end > v.size {
		return c.fail(position, "the part is %d:%d, want 0 ≤ from < to ≤ %d", first, end, v.size)
	}
	values := func(f Frame, s []float64) []float64 { return v.values(f, s)[first:end] }
	return node{size: end - first, bool: v.bool, values: values}
}

// array compiles [a, b, c].
func (c *compiler) array(n *ast.ArrayNode, position, depth int) node {
	size := len(n.Nodes)
	if size == 0 {
		return c.fail(position, "the vector has no values, want at least one")
	}
	parts := make([]node, size)
	for i, part := range n.Nodes {
		parts[i] = c.compile(part, depth+1)
		if parts[i].size != 0 {
			return c.fail(part.Location().From, "value %d of the vector is %s, want a number", i, parts[i])
		}
		if parts[i].bool != parts[0].bool {
			return c.fail(part.Location().From, "value %d of the vector is %s, and those before are not", i, parts[i])
		}
	}
	slot := c.slot(position, size)
	return node{size: size, bool: parts[0].bool, values: func(f Frame, s []float64) []float64 {
		result := s[slot : slot+size]
		for i := range parts {
			result[i] = parts[i].number(f, s)
		}
		return result
	}}
}

// call compiles a function by its name.
func (c *compiler) call(name string, arguments []ast.Node, position, depth int) node {
	r, ok := functions[name]
	sized, isSized := shapes[name]
	switch {
	case isSized:
		r = rule{least: len(sized.argumentSizes), most: len(sized.argumentSizes)}
	case !ok:
		known := append(slices.Sorted(maps.Keys(functions)), slices.Sorted(maps.Keys(shapes))...)
		return c.fail(position, "no function %s%s", name, spell.Hint(name, known))
	}
	if n := len(arguments); n < r.least || n > r.most {
		arity := fmt.Sprint(r.least)
		if r.most > r.least {
			arity += " or more"
		}
		return c.fail(position, "%s has %d arguments, want %s", name, n, arity)
	}
	args := make([]node, len(arguments))
	for i, arg := range arguments {
		args[i] = c.compile(arg, depth+1)
	}
	switch n := len(args); {
	case isSized:
		return c.sized(position, name, sized, args)
	case n == 1 && r.most > 1: // min and max of one vector
		r.function = map[string]any{"min": slices.Min[[]float64], "max": slices.Max[[]float64]}[name]
	case name == "dot":
		if args[0].size == 0 || args[0].size != args[1].size {
			return c.fail(position, "dot is of %s and %s, want two vectors of the same size", args[0], args[1])
		}
		return c.apply(position, name, functions["sum"], c.apply(position, name, r, args...))
	}
	return c.apply(position, name, r, args...)
}

// sized compiles a function of vectors of given sizes.
func (c *compiler) sized(position int, name string, f shape, args []node) node {
	for i, size := range f.argumentSizes {
		if args[i].bool || args[i].size != size {
			return c.fail(position, "argument %d of %s is %s, want %s", i+1, name, args[i], node{size: size})
		}
	}
	n := max(f.resultSize, 1)
	slot := c.slot(position, n)
	numbers := c.slot(position, len(args))
	values := func(frame Frame, s []float64) []float64 {
		var x [3][]float64
		for i := range args {
			if args[i].size > 0 {
				x[i] = args[i].values(frame, s)
				continue
			}
			s[numbers+i] = args[i].number(frame, s)
			x[i] = s[numbers+i : numbers+i+1]
		}
		result := s[slot : slot+n]
		f.function(result, x)
		return result
	}
	return node{size: f.resultSize, values: values,
		number: func(frame Frame, s []float64) float64 { return values(frame, s)[0] }}
}

// apply compiles a rule with its arguments, after a check of their types.
func (c *compiler) apply(position int, name string, r rule, args ...node) node {
	result := node{bool: r.truth}
	arity := args
	switch {
	case r.operands == truths:
		for _, a := range args {
			if !a.bool {
				return c.fail(position, "%s is of %s, want truth values", name, a)
			}
		}
		arity = nil
	case r.operands == alike && args[0].bool && args[1].bool:
		arity = nil
	case r.operands == condition:
		if !args[0].bool {
			return c.fail(position, "the condition is %s, want a truth value", args[0])
		}
		if args[1].bool != args[2].bool {
			return c.fail(position, "the choice is between %s and %s, want the same type", args[1], args[2])
		}
		result.bool, arity = args[1].bool, nil
	}
	for _, a := range arity {
		if a.bool {
			return c.fail(position, "%s is of %s, want numbers; where(c, 1, 0) makes a number of a truth value c", name, a)
		}
	}
	if function, reduces := r.function.(func([]float64) float64); reduces {
		v := args[0]
		if v.size == 0 {
			return c.fail(position, "%s is of %s, want a vector", name, v)
		}
		result.number = func(f Frame, s []float64) float64 { return function(v.values(f, s)) }
		return result
	}
	var vector node
	for _, a := range args {
		if vector.size > 0 && a.size > 0 && a.size != vector.size {
			return c.fail(position, "%s is of %s and %s, want the same size", name, vector, a)
		}
		if a.size > 0 {
			vector = a
		}
	}
	result.size = vector.size
	return c.each(position, r, result, args)
}

// each gives a node the closure that computes a rule value by value; a number counts for
// each value. What depends on constants alone is computed at once.
func (c *compiler) each(position int, r rule, n node, args []node) node {
	for r.most > 3 && len(args) > 2 { // min and max of many
		args = append([]node{c.each(position, r, n, args[:2])}, args[2:]...)
	}
	numbers, vectors := [3]func(Frame, []float64) float64{}, [3]func(Frame, []float64) []float64{}
	constants := true
	for k, arg := range args {
		numbers[k], vectors[k] = arg.number, arg.values
		constants = constants && arg.fixed
		if n.size > 0 && arg.size == 0 {
			slot := c.slot(position, 1)
			vectors[k] = func(f Frame, s []float64) []float64 {
				s[slot] = arg.number(f, s)
				return s[slot : slot+1]
			}
		}
	}
	slot := c.slot(position, n.size)
	end := slot + n.size
	x, y, z := numbers[0], numbers[1], numbers[2]
	xs, ys, zs := vectors[0], vectors[1], vectors[2]
	switch function := r.function.(type) {
	case func(x float64) float64:
		n.number = func(f Frame, s []float64) float64 { return function(x(f, s)) }
		n.values = func(f Frame, s []float64) []float64 {
			result := s[slot:end]
			for i, v := range xs(f, s) {
				result[i] = function(v)
			}
			return result
		}
	case func(x, y float64) float64:
		n.number = func(f Frame, s []float64) float64 { return function(x(f, s), y(f, s)) }
		n.values = func(f Frame, s []float64) []float64 {
			result, u, v := s[slot:end], xs(f, s), ys(f, s)
			for i := range result {
				result[i] = function(u[min(i, len(u)-1)], v[min(i, len(v)-1)])
			}
			return result
		}
	case func(x, y, z float64) float64:
		n.number = func(f Frame, s []float64) float64 { return function(x(f, s), y(f, s), z(f, s)) }
		n.values = func(f Frame, s []float64) []float64 {
			result, u, v, w := s[slot:end], xs(f, s), ys(f, s), zs(f, s)
			for i := range result {
				result[i] = function(u[min(i, len(u)-1)], v[min(i, len(v)-1)], w[min(i, len(w)-1)])
			}
			return result
		}
	}
	if constants {
		return constant(n.number(nil, nil), n.bool)
	}
	return n
}
