package expression

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// node is a checked and compiled part of a formula: its shape, type and unit, and a
// closure that computes it. One of scalar and vector is set, by size.
type node struct {
	size int // 0: a number
	bool bool
	unit unit

	constant bool    // scalar always returns value
	value    float64 // of a constant

	scalar func(f Frame, scratch []float64) float64
	// vector returns size values, which are in the scratch below end or are a
	// quantity's own.
	vector func(f Frame, scratch []float64) []float64
	end    int
}

// kind names the type and shape of a node for messages.
func (n node) kind() string {
	what := "number"
	if n.bool {
		what = "truth value"
	}
	if n.size == 0 {
		return "a " + what
	}
	return fmt.Sprintf("a vector of %d %ss", n.size, what)
}

// position is where a part of a formula stands: in the text, and in the scratch, where
// its result may begin at slot and everything below is in use.
type position struct {
	name      string // of the operator or function, for messages
	character int
	slot      int
}

// compiler compiles one formula.
//
// Scratch is used as a stack: an operand is compiled with the first slot after the
// operands before it, and the result goes back to the slot of the first one. Values are
// computed in rising order, so that an operand may be overwritten by the result.
type compiler struct {
	source    string
	scope     Scope
	functions map[string]call
	units     []unit         // of the quantities
	index     map[string]int // of the quantities, by name
	used      []bool         // the quantities in the formula
	visited   int
	scratch   int // values needed
}

func newCompiler(source string, scope Scope) (*compiler, error) {
	c := &compiler{
		source: source, scope: scope, functions: functions(),
		index: make(map[string]int, len(scope)), used: make([]bool, len(scope)),
	}
	for i, q := range scope {
		u, err := parseUnit(q.Unit)
		if err != nil {
			return nil, fmt.Errorf("quantity %s: %w", q.Name, err)
		}
		c.units = append(c.units, u)
		c.index[q.Name] = i
	}
	return c, nil
}

// fail makes an error about the part at the given place.
func (c *compiler) fail(at position, format string, args ...any) error {
	return errorAt(c.source, at.character, format, args...)
}

// compile compiles the tree at n. The count of visits bounds the work: the parser gives
// both comparisons of a < b < c the same tree of b, so that a small text can stand for a
// huge tree.
func (c *compiler) compile(n ast.Node, slot, depth int) (node, error) {
	at := position{character: n.Location().From, slot: slot}
	if c.visited++; c.visited > maxNodes {
		return node{}, c.fail(at, "the formula has more than %d parts, want at most that", maxNodes)
	}
	if depth > maxDepth {
		return node{}, c.fail(at, "the formula nests more than %d deep, want at most that", maxDepth)
	}
	result, err := c.part(n, at, depth)
	if err != nil {
		return node{}, err
	}
	if c.scratch = max(c.scratch, result.end); c.scratch > maxSize {
		return node{}, c.fail(at, "the formula needs %d values of memory, want at most %d", c.scratch, maxSize)
	}
	return result, nil
}

func (c *compiler) part(n ast.Node, at position, depth int) (node, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return constant(float64(n.Value)), nil
	case *ast.FloatNode:
		return constant(n.Value), nil
	case *ast.BoolNode:
		b := constant(truth(n.Value))
		b.bool = true
		return b, nil
	case *ast.IdentifierNode:
		return c.quantity(n.Value, at)
	case *ast.MemberNode:
		return c.member(n, at, depth)
	case *ast.SliceNode:
		return c.slice(n, at, depth)
	case *ast.ArrayNode:
		return c.array(n, at, depth)
	case *ast.UnaryNode:
		return c.unaryOperator(n, at, depth)
	case *ast.BinaryNode:
		return c.binaryOperator(n, at, depth)
	case *ast.ConditionalNode:
		at.name, at.character = "?:", n.Cond.Location().From
		return c.call(c.functions["where"], []ast.Node{n.Cond, n.Exp1, n.Exp2}, at, depth)
	case *ast.BuiltinNode:
		return c.function(n.Name, n.Arguments, at, depth)
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			return c.function(callee.Value, n.Arguments, at, depth)
		}
	}
	return node{}, c.fail(at, "this is not part of the language of formulas: numbers, quantities, operators and calls")
}

func constant(value float64) node {
	return node{constant: true, value: value, scalar: func(Frame, []float64) float64 { return value }}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// quantity compiles a name.
func (c *compiler) quantity(name string, at position) (node, error) {
	i, ok := c.index[name]
	if !ok {
		known := make([]string, len(c.scope))
		for i, q := range c.scope {
			known[i] = q.Name
		}
		return node{}, c.fail(at, "%s", unknown("quantity", name, known))
	}
	c.used[i] = true
	q := c.scope[i]
	n := node{size: q.Size, bool: q.Bool, unit: c.units[i], end: at.slot}
	if q.Size == 0 {
		n.scalar = func(f Frame, _ []float64) float64 { return f.Quantity(i)[0] }
	} else {
		n.vector = func(f Frame, _ []float64) []float64 { return f.Quantity(i) }
	}
	return n, nil
}

// path returns the name a.b.c that a tree of members spells.
func path(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, true
	case *ast.MemberNode:
		last, ok := n.Property.(*ast.StringNode)
		if !ok || n.Optional {
			return "", false
		}
		first, ok := path(n.Node)
		return first + "." + last.Value, ok
	}
	return "", false
}

// member compiles a.b, the name of a quantity, or v[i].
func (c *compiler) member(n *ast.MemberNode, at position, depth int) (node, error) {
	if name, ok := path(n); ok {
		for inner := n.Node; ; inner = inner.(*ast.MemberNode).Node {
			at.character = inner.Location().From
			if _, ok := inner.(*ast.IdentifierNode); ok {
				return c.quantity(name, at)
			}
		}
	}
	if n.Optional {
		return node{}, c.fail(at, "?. is not part of the language of formulas")
	}
	v, err := c.compile(n.Node, at.slot, depth+1)
	if err != nil {
		return node{}, err
	}
	if v.size == 0 {
		return node{}, c.fail(at, "[] is of %s, want a vector", v.kind())
	}
	index, ok := n.Property.(*ast.IntegerNode)
	if !ok {
		return node{}, c.fail(at, "want a whole number from 0 to %d in the brackets", v.size-1)
	}
	i := index.Value
	if i < 0 || i >= v.size {
		return node{}, c.fail(at, "index is %d, want 0 to %d", i, v.size-1)
	}
	vector := v.vector
	return node{bool: v.bool, unit: v.unit, scalar: func(f Frame, s []float64) float64 { return vector(f, s)[i] }}, nil
}

// slice compiles v[from:to].
func (c *compiler) slice(n *ast.SliceNode, at position, depth int) (node, error) {
	v, err := c.compile(n.Node, at.slot, depth+1)
	if err != nil {
		return node{}, err
	}
	if v.size == 0 {
		return node{}, c.fail(at, "[:] is of %s, want a vector", v.kind())
	}
	bounds := [2]int{0, v.size}
	for i, side := range []ast.Node{n.From, n.To} {
		if side == nil {
			continue
		}
		whole, ok := side.(*ast.IntegerNode)
		if !ok {
			return node{}, c.fail(at, "want whole numbers from 0 to %d in the brackets", v.size)
		}
		bounds[i] = whole.Value
	}
	from, to := bounds[0], bounds[1]
	if from < 0 || from >= to || to > v.size {
		return node{}, c.fail(at, "the part is %d:%d, want 0 ≤ from < to ≤ %d", from, to, v.size)
	}
	part := v
	part.size = to - from
	part.vector = func(f Frame, s []float64) []float64 { return v.vector(f, s)[from:to] }
	return part, nil
}

// array compiles [a, b, c].
func (c *compiler) array(n *ast.ArrayNode, at position, depth int) (node, error) {
	size := len(n.Nodes)
	if size == 0 {
		return node{}, c.fail(at, "the vector has no values, want at least one")
	}
	parts := make([]node, size)
	var joined node
	for i, part := range n.Nodes {
		p, err := c.compile(part, at.slot+size, depth+1)
		if err != nil {
			return node{}, err
		}
		at.character = part.Location().From
		if p.size != 0 {
			return node{}, c.fail(at, "value %d of the vector is %s, want a number", i, p.kind())
		}
		if i > 0 && p.bool != joined.bool {
			return node{}, c.fail(at, "value %d of the vector is %s, and those before are not", i, p.kind())
		}
		if !p.unit.agrees(joined.unit) {
			return node{}, c.fail(at, "value %d of the vector is in %s, and those before in %s", i, p.unit, joined.unit)
		}
		joined.bool, joined.unit = p.bool, joined.unit.or(p.unit)
		parts[i] = p
	}
	joined.size, joined.end = size, at.slot+size
	slot := at.slot
	joined.vector = func(f Frame, s []float64) []float64 {
		v := s[slot : slot+size]
		for i := range v {
			v[i] = parts[i].scalar(f, s)
		}
		return v
	}
	return joined, nil
}

// function compiles a call by name.
func (c *compiler) function(name string, args []ast.Node, at position, depth int) (node, error) {
	f, ok := c.functions[name]
	if !ok {
		return node{}, c.fail(at, "%s", unknown("function", name, slices.Sorted(maps.Keys(c.functions))))
	}
	at.name = name
	if len(args) < f.least || len(args) > f.most {
		return node{}, c.fail(at, "%s has %d arguments, want %s", name, len(args), f.wanted())
	}
	return c.call(f, args, at, depth)
}

// wanted says how many arguments a function takes.
func (f call) wanted() string {
	if f.least == f.most {
		return fmt.Sprint(f.least)
	}
	return fmt.Sprintf("%d or more", f.least)
}

func (c *compiler) call(f call, args []ast.Node, at position, depth int) (node, error) {
	compiled := make([]node, len(args))
	allConstant := true
	slot := at.slot
	for i, arg := range args {
		var err error
		if compiled[i], err = c.compile(arg, slot, depth+1); err != nil {
			return node{}, err
		}
		allConstant = allConstant && compiled[i].constant
		slot = max(slot, compiled[i].end)
	}
	n, err := f.compile(c, at, compiled)
	if err != nil {
		return node{}, err
	}
	return n.fold(allConstant), nil
}

// fold makes a constant of a number computed from constants.
func (n node) fold(fromConstants bool) node {
	if !fromConstants || n.size != 0 {
		return n
	}
	folded := constant(n.scalar(nil, nil))
	folded.bool = n.bool
	return folded
}

// unaryOperator compiles -a, +a and not a.
func (c *compiler) unaryOperator(n *ast.UnaryNode, at position, depth int) (node, error) {
	at.name = n.Operator
	a, err := c.compile(n.Node, at.slot, depth+1)
	if err != nil {
		return node{}, err
	}
	if n.Operator == "not" || n.Operator == "!" {
		if !a.bool {
			return node{}, c.fail(at, "%s is of %s, want a truth value", n.Operator, a.kind())
		}
		return c.unary(at, a, func(x float64) float64 { return 1 - x }).fold(a.constant), nil
	}
	if err := c.wantNumbers(at, a); err != nil {
		return node{}, err
	}
	if n.Operator == "+" {
		return a, nil
	}
	negated := c.unary(at, a, func(x float64) float64 { return -x })
	negated.unit = a.unit
	return negated.fold(a.constant), nil
}

// binaryOperator compiles a op b. A sum of many terms is deep on its left side only,
// which does not count as nesting.
func (c *compiler) binaryOperator(n *ast.BinaryNode, at position, depth int) (node, error) {
	at.name = n.Operator
	a, err := c.compile(n.Left, at.slot, depth)
	if err != nil {
		return node{}, err
	}
	b, err := c.compile(n.Right, max(at.slot, a.end), depth+1)
	if err != nil {
		return node{}, err
	}
	joined, err := c.operate(at, a, b)
	if err != nil {
		return node{}, err
	}
	return joined.fold(a.constant && b.constant), nil
}

func (c *compiler) operate(at position, a, b node) (node, error) {
	switch at.name {
	case "and", "&&", "or", "||":
		return c.logic(at, a, b)
	case "==", "!=":
		if a.bool && b.bool {
			joined, err := c.join(at, a, b, comparisons[at.name])
			joined.bool = true
			return joined, err
		}
	}
	if compare, ok := comparisons[at.name]; ok {
		if err := c.wantNumbers(at, a, b); err != nil {
			return node{}, err
		}
		joined, err := c.join(at, a, b, compare)
		joined.bool, joined.unit = true, unit{}
		return joined, err
	}
	if err := c.wantNumbers(at, a, b); err != nil {
		return node{}, err
	}
	switch at.name {
	case "+", "-":
		return c.arithmetic(at, a, b, a.unit.or(b.unit), true)
	case "*":
		return c.arithmetic(at, a, b, a.unit.times(b.unit, 1), false)
	case "/":
		return c.arithmetic(at, a, b, a.unit.times(b.unit, -1), false)
	case "%":
		return c.join(at, a, b, math.Mod)
	case "^", "**":
		return c.power(at, a, b)
	}
	return node{}, c.fail(at, "operator %s is not part of the language of formulas", at.name)
}

// comparisons are the operators whose result is a truth value.
var comparisons = map[string]func(a, b float64) float64{
	"<":  func(a, b float64) float64 { return truth(a < b) },
	"<=": func(a, b float64) float64 { return truth(a <= b) },
	">":  func(a, b float64) float64 { return truth(a > b) },
	">=": func(a, b float64) float64 { return truth(a >= b) },
	"==": func(a, b float64) float64 { return truth(a == b) },
	"!=": func(a, b float64) float64 { return truth(a != b) },
}

// logic compiles and and or. Of two truth values, the right one is not computed where
// the left one decides.
func (c *compiler) logic(at position, a, b node) (node, error) {
	for _, side := range []node{a, b} {
		if !side.bool {
			return node{}, c.fail(at, "%s is of %s, want truth values", at.name, side.kind())
		}
	}
	and := at.name == "and" || at.name == "&&"
	both := func(x, y float64) float64 { return max(x, y) }
	if and {
		both = func(x, y float64) float64 { return min(x, y) }
	}
	joined, err := c.join(at, a, b, both)
	if err != nil {
		return node{}, err
	}
	joined.bool = true
	if joined.size == 0 {
		joined.scalar = func(f Frame, s []float64) float64 {
			if x := a.scalar(f, s); (x != 0) != and {
				return x
			}
			return b.scalar(f, s)
		}
	}
	return joined, nil
}

// power compiles a^b, a square as a product.
func (c *compiler) power(at position, a, b node) (node, error) {
	if b.constant && b.value == 2 {
		n := c.unary(at, a, square)
		n.unit = a.unit.raised(2)
		return n, nil
	}
	n, err := c.shape(at, a, b)
	if err != nil {
		return node{}, err
	}
	result := unit{}
	if whole := math.Trunc(b.value); b.constant && whole == b.value && math.Abs(whole) <= maxDepth {
		result = a.unit.raised(int(whole))
	}
	n = c.combine(n, a, b, math.Pow)
	n.unit = result
	return n, nil
}

// wantNumbers refuses truth values.
func (c *compiler) wantNumbers(at position, nodes ...node) error {
	for _, n := range nodes {
		if n.bool {
			return c.fail(at, "%s is of %s, want numbers; where(c, 1, 0) makes a number of a truth value c", at.name, n.kind())
		}
	}
	return nil
}
