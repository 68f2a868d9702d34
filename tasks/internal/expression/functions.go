package expression

import (
	"math"
	"slices"
)

// rule is an operator or a function: what it takes, what it gives, and how it computes.
type rule struct {
	least, most int  // arguments
	operands    kind // type of the arguments
	truth       bool // it gives truth values

	// function is a function of one, two or three float64s, a value of each argument, or of a
	// []float64, the vector that it makes a number of. It returns a float64.
	function any
}

// kind says of what type the arguments of a rule are.
type kind uint8

const (
	numbers   kind = iota
	truths         // truth values
	alike          // all numbers, or all truth values
	condition      // a truth value first, then two of one type, which the result has
)

// functions are the functions by name.
var functions = map[string]rule{
	"abs":    unary(math.Abs),
	"square": unary(square),
	"sqrt":   unary(math.Sqrt),
	"exp":    unary(math.Exp),
	"log":    unary(math.Log),
	"sin":    unary(math.Sin),
	"cos":    unary(math.Cos),
	"tan":    unary(math.Tan),
	"tanh":   unary(math.Tanh),

	"wrap_to_pi": unary(func(x float64) float64 { return math.Remainder(x, 2*math.Pi) }),

	"atan2": binary(math.Atan2),
	"min":   {1, maxNodes, numbers, false, func(x, y float64) float64 { return min(x, y) }},
	"max":   {1, maxNodes, numbers, false, func(x, y float64) float64 { return max(x, y) }},
	"clamp": {3, 3, numbers, false, func(x, low, high float64) float64 { return min(max(x, low), high) }},
	"where": choice,

	"sum":  {1, 1, numbers, false, sum},
	"mean": {1, 1, numbers, false, func(x []float64) float64 { return sum(x) / float64(len(x)) }},
	"norm": {1, 1, numbers, false, norm},
	"dot":  binary(func(x, y float64) float64 { return x * y }),
	"any":  {1, 1, truths, true, slices.Max[[]float64]},
	"all":  {1, 1, truths, true, slices.Min[[]float64]},
}

// operators are the operators with two sides, by how they are written.
var operators = map[string]rule{
	"+":  binary(func(x, y float64) float64 { return x + y }),
	"-":  binary(func(x, y float64) float64 { return x - y }),
	"*":  binary(func(x, y float64) float64 { return x * y }),
	"/":  binary(func(x, y float64) float64 { return x / y }),
	"%":  binary(math.Mod),
	"^":  binary(power),
	"**": binary(power),

	"<":  comparison(numbers, func(a, b float64) bool { return a < b }),
	"<=": comparison(numbers, func(a, b float64) bool { return a <= b }),
	">":  comparison(numbers, func(a, b float64) bool { return a > b }),
	">=": comparison(numbers, func(a, b float64) bool { return a >= b }),
	"==": comparison(alike, func(a, b float64) bool { return a == b }),
	"!=": comparison(alike, func(a, b float64) bool { return a != b }),

	"and": comparison(truths, func(a, b float64) bool { return a != 0 && b != 0 }),
	"&&":  comparison(truths, func(a, b float64) bool { return a != 0 && b != 0 }),
	"or":  comparison(truths, func(a, b float64) bool { return a != 0 || b != 0 }),
	"||":  comparison(truths, func(a, b float64) bool { return a != 0 || b != 0 }),
}

// prefixes are the operators before a value.
var prefixes = map[string]rule{
	"+":   unary(func(x float64) float64 { return x }),
	"-":   unary(func(x float64) float64 { return -x }),
	"not": {1, 1, truths, true, func(x float64) float64 { return 1 - x }},
	"!":   {1, 1, truths, true, func(x float64) float64 { return 1 - x }},
}

var choice = rule{3, 3, condition, false, func(c, x, y float64) float64 {
	if c != 0 {
		return x
	}
	return y
}}

func unary(function func(x float64) float64) rule { return rule{1, 1, numbers, false, function} }

func binary(function func(x, y float64) float64) rule { return rule{2, 2, numbers, false, function} }

func comparison(operands kind, f func(a, b float64) bool) rule {
	return rule{2, 2, operands, true, func(x, y float64) float64 { return truth(f(x, y)) }}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func square(x float64) float64 { return x * x }

// power is x to the power of y, a square as a product.
func power(x, y float64) float64 {
	if y == 2 {
		return x * x
	}
	return math.Pow(x, y)
}

func sum(x []float64) float64 {
	total := 0.0
	for _, x := range x {
		total += x
	}
	return total
}

func norm(x []float64) float64 {
	total := 0.0
	for _, x := range x {
		total += float64(x * x)
	}
	return math.Sqrt(total)
}
