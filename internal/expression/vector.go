package expression

// shape returns a node without a closure, of the size that a and b have together.
func (c *compiler) shape(at position, a, b node) (node, error) {
	if a.size > 0 && b.size > 0 && a.size != b.size {
		return node{}, c.fail(at, "%s is of %s and %s, want the same size", at.name, a.kind(), b.kind())
	}
	n := node{size: max(a.size, b.size), end: at.slot}
	n.end += n.size
	return n, nil
}

// sameUnit refuses two known units that differ.
func (c *compiler) sameUnit(at position, a, b node) error {
	if !a.unit.agrees(b.unit) {
		return c.fail(at, "%s is of %s and %s, want the same unit", at.name, a.unit, b.unit)
	}
	return nil
}

// unary applies f to a, or to each of its values.
func (c *compiler) unary(at position, a node, f func(float64) float64) node {
	n := node{size: a.size, bool: a.bool, end: at.slot + a.size}
	if a.size == 0 {
		n.scalar = func(fr Frame, s []float64) float64 { return f(a.scalar(fr, s)) }
		return n
	}
	slot, end := at.slot, n.end
	n.vector = func(fr Frame, s []float64) []float64 {
		v := a.vector(fr, s)
		to := s[slot:end]
		for i, x := range v {
			to[i] = f(x)
		}
		return to
	}
	return n
}

// join applies f to two numbers of the same unit, value by value if one is a vector.
func (c *compiler) join(at position, a, b node, f func(x, y float64) float64) (node, error) {
	n, err := c.shape(at, a, b)
	if err != nil {
		return node{}, err
	}
	if err := c.sameUnit(at, a, b); err != nil {
		return node{}, err
	}
	n = c.combine(n, a, b, f)
	n.unit = a.unit.or(b.unit)
	return n, nil
}

// combine gives n the closure that applies f.
func (c *compiler) combine(n, a, b node, f func(x, y float64) float64) node {
	slot, end := n.end-n.size, n.end
	switch {
	case n.size == 0:
		n.scalar = func(fr Frame, s []float64) float64 {
			x := a.scalar(fr, s)
			return f(x, b.scalar(fr, s))
		}
	case a.size == 0:
		n.vector = func(fr Frame, s []float64) []float64 {
			x := a.scalar(fr, s)
			to := s[slot:end]
			for i, y := range b.vector(fr, s) {
				to[i] = f(x, y)
			}
			return to
		}
	case b.size == 0:
		n.vector = func(fr Frame, s []float64) []float64 {
			v := a.vector(fr, s)
			y := b.scalar(fr, s)
			to := s[slot:end]
			for i, x := range v {
				to[i] = f(x, y)
			}
			return to
		}
	default:
		n.vector = func(fr Frame, s []float64) []float64 {
			v := a.vector(fr, s)
			w := b.vector(fr, s)
			to := s[slot:end]
			for i, x := range v {
				to[i] = f(x, w[i])
			}
			return to
		}
	}
	return n
}

// arithmetic compiles + - * /, the operators that formulas are mostly made of, with a
// closure of its own for each where both sides are numbers.
func (c *compiler) arithmetic(at position, a, b node, result unit, sameUnit bool) (node, error) {
	n, err := c.shape(at, a, b)
	if err != nil {
		return node{}, err
	}
	if sameUnit {
		if err := c.sameUnit(at, a, b); err != nil {
			return node{}, err
		}
	}
	if n.size > 0 {
		n = c.combine(n, a, b, operators[at.name])
	} else {
		n.scalar = scalarArithmetic(at.name, a, b)
	}
	n.unit = result
	return n, nil
}

var operators = map[string]func(x, y float64) float64{
	"+": func(x, y float64) float64 { return x + y },
	"-": func(x, y float64) float64 { return x - y },
	"*": func(x, y float64) float64 { return x * y },
	"/": func(x, y float64) float64 { return x / y },
}

// scalarArithmetic saves a call for the operator, and one for an operand that is constant.
func scalarArithmetic(operator string, a, b node) func(Frame, []float64) float64 {
	left, right, k := a.scalar, b.scalar, b.value
	if b.constant {
		switch operator {
		case "+":
			return func(f Frame, s []float64) float64 { return left(f, s) + k }
		case "-":
			return func(f Frame, s []float64) float64 { return left(f, s) - k }
		case "*":
			return func(f Frame, s []float64) float64 { return left(f, s) * k }
		default:
			return func(f Frame, s []float64) float64 { return left(f, s) / k }
		}
	}
	switch operator {
	case "+":
		return func(f Frame, s []float64) float64 { return left(f, s) + right(f, s) }
	case "-":
		return func(f Frame, s []float64) float64 { return left(f, s) - right(f, s) }
	case "*":
		return func(f Frame, s []float64) float64 { return left(f, s) * right(f, s) }
	default:
		return func(f Frame, s []float64) float64 { return left(f, s) / right(f, s) }
	}
}

// chooseEach gives n the closure that chooses value by value between a and b, by cond,
// of which at least one is a vector. All three are computed.
func (c *compiler) chooseEach(at position, n, cond, a, b node) node {
	slot, end := at.slot, at.slot+n.size
	n.end = end
	n.vector = func(f Frame, s []float64) []float64 {
		is, yes, no := cond.operand(f, s), a.operand(f, s), b.operand(f, s)
		to := s[slot:end]
		for i := range to {
			if is.at(i) != 0 {
				to[i] = yes.at(i)
			} else {
				to[i] = no.at(i)
			}
		}
		return to
	}
	return n
}

// operand is the value of a number or of a vector.
type operand struct {
	number float64
	vector []float64 // nil for a number
}

func (n node) operand(f Frame, s []float64) operand {
	if n.size == 0 {
		return operand{number: n.scalar(f, s)}
	}
	return operand{vector: n.vector(f, s)}
}

func (o operand) at(i int) float64 {
	if o.vector == nil {
		return o.number
	}
	return o.vector[i]
}
