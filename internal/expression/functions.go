package expression

import "math"

// call describes a function of the language: how many arguments it takes and how a call
// is compiled from its compiled arguments.
type call struct {
	least, most int // arguments
	compile     func(c *compiler, at position, args []node) (node, error)
}

// functions returns the functions by name.
func functions() map[string]call {
	return map[string]call{
		"abs":    each(math.Abs, same),
		"square": each(square, func(u unit) unit { return u.raised(2) }),
		"sqrt":   each(math.Sqrt, unit.root),
		"exp":    each(math.Exp, plain),
		"log":    each(math.Log, plain),
		"sin":    each(math.Sin, plain),
		"cos":    each(math.Cos, plain),
		"tan":    each(math.Tan, plain),
		"tanh":   each(math.Tanh, plain),

		"atan2": {2, 2, (*compiler).atan2},
		"min":   {1, maxNodes, extreme(func(a, b float64) float64 { return min(a, b) })},
		"max":   {1, maxNodes, extreme(func(a, b float64) float64 { return max(a, b) })},
		"clamp": {3, 3, (*compiler).clamp},
		"where": {3, 3, (*compiler).where},

		"sum":  {1, 1, reduction(sum, same)},
		"mean": {1, 1, reduction(mean, same)},
		"norm": {1, 1, reduction(norm, same)},
		"dot":  {2, 2, (*compiler).dot},
		"any":  {1, 1, quantifier(1)},
		"all":  {1, 1, quantifier(0)},
	}
}

func same(u unit) unit { return u }

// plain is the unit of a function's value that has none.
func plain(unit) unit { return unit{known: true} }

func square(x float64) float64 { return x * x }

func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

func mean(v []float64) float64 { return sum(v) / float64(len(v)) }

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

func dot(a, b []float64) float64 {
	total := 0.0
	for i, x := range a {
		total += float64(x * b[i])
	}
	return total
}

// each is a function of one number, applied to each value of a vector.
func each(f func(float64) float64, result func(unit) unit) call {
	return call{1, 1, func(c *compiler, at position, args []node) (node, error) {
		if err := c.wantNumbers(at, args...); err != nil {
			return node{}, err
		}
		n := c.unary(at, args[0], f)
		n.unit = result(args[0].unit)
		return n, nil
	}}
}

// extreme is min or max: of the values of one vector, or of several values.
func extreme(f func(a, b float64) float64) func(*compiler, position, []node) (node, error) {
	least := func(v []float64) float64 {
		best := v[0]
		for _, x := range v[1:] {
			best = f(best, x)
		}
		return best
	}
	return func(c *compiler, at position, args []node) (node, error) {
		if len(args) == 1 {
			return reduction(least, same)(c, at, args)
		}
		if err := c.wantNumbers(at, args...); err != nil {
			return node{}, err
		}
		n := args[0]
		for _, arg := range args[1:] {
			next, err := c.join(at, n, arg, f)
			if err != nil {
				return node{}, err
			}
			n = next
		}
		return n, nil
	}
}

// reduction makes a number of a vector of numbers.
func reduction(f func([]float64) float64, result func(unit) unit) func(*compiler, position, []node) (node, error) {
	return func(c *compiler, at position, args []node) (node, error) {
		v := args[0]
		if err := c.wantNumbers(at, v); err != nil {
			return node{}, err
		}
		if v.size == 0 {
			return node{}, c.fail(at, "%s is of a number, want a vector", at.name)
		}
		return node{unit: result(v.unit), scalar: func(fr Frame, s []float64) float64 { return f(v.vector(fr, s)) }}, nil
	}
}

// quantifier is any, which looks for a 1 in a vector, or all, which looks for a 0.
func quantifier(sought float64) func(*compiler, position, []node) (node, error) {
	return func(c *compiler, at position, args []node) (node, error) {
		v := args[0]
		if v.size == 0 || !v.bool {
			return node{}, c.fail(at, "%s is of %s, want a vector of truth values", at.name, v.kind())
		}
		return node{bool: true, scalar: func(f Frame, s []float64) float64 {
			for _, x := range v.vector(f, s) {
				if x == sought {
					return sought
				}
			}
			return 1 - sought
		}}, nil
	}
}

func (c *compiler) atan2(at position, args []node) (node, error) {
	if err := c.wantNumbers(at, args...); err != nil {
		return node{}, err
	}
	n, err := c.join(at, args[0], args[1], math.Atan2)
	n.unit = unit{known: true, power: [bases]int{radian: 2}}
	return n, err
}

func (c *compiler) clamp(at position, args []node) (node, error) {
	if err := c.wantNumbers(at, args...); err != nil {
		return node{}, err
	}
	n, err := c.join(at, args[0], args[1], func(a, b float64) float64 { return max(a, b) })
	if err != nil {
		return node{}, err
	}
	return c.join(at, n, args[2], func(a, b float64) float64 { return min(a, b) })
}

func (c *compiler) dot(at position, args []node) (node, error) {
	a, b := args[0], args[1]
	if err := c.wantNumbers(at, a, b); err != nil {
		return node{}, err
	}
	if a.size == 0 || a.size != b.size {
		return node{}, c.fail(at, "dot is of %s and %s, want two vectors of the same size", a.kind(), b.kind())
	}
	return node{unit: a.unit.times(b.unit, 1), scalar: func(f Frame, s []float64) float64 {
		return dot(a.vector(f, s), b.vector(f, s))
	}}, nil
}

// where chooses. A condition that is one truth value decides which of the two is
// computed at all.
func (c *compiler) where(at position, args []node) (node, error) {
	cond, a, b := args[0], args[1], args[2]
	if !cond.bool {
		return node{}, c.fail(at, "the condition is %s, want a truth value", cond.kind())
	}
	if a.bool != b.bool {
		return node{}, c.fail(at, "the choice is between %s and %s, want the same type", a.kind(), b.kind())
	}
	n, err := c.shape(at, a, b)
	if err != nil {
		return node{}, err
	}
	if err := c.sameUnit(at, a, b); err != nil {
		return node{}, err
	}
	n.bool, n.unit = a.bool, a.unit.or(b.unit)
	if cond.size == 0 && n.size == 0 {
		n.scalar = func(f Frame, s []float64) float64 {
			if cond.scalar(f, s) != 0 {
				return a.scalar(f, s)
			}
			return b.scalar(f, s)
		}
		return n, nil
	}
	if cond.size > 0 && n.size > 0 && cond.size != n.size {
		return node{}, c.fail(at, "the condition has %d values and the choice %d, want the same size", cond.size, n.size)
	}
	n.size = max(n.size, cond.size)
	return c.chooseEach(at, n, cond, a, b), nil
}
