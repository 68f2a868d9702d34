// Package expression compiles the formulas that a configuration contains, such as
//
//	exp(-square(command.velocity[0] - base_lin_vel[0]) / 0.25)
//
// to closures that allocate nothing. A formula is over named quantities, each a number,
// a truth value or a vector of either, with a unit. The grammar is that of
// github.com/expr-lang/expr, which parses it; types, shapes and units are checked here.
//
// # Language
//
//	a + b - c * d / e    numbers and vectors
//	a % b                math.Mod, with the sign of a
//	a ^ b or a ** b      power, from right to left; -a^2 is -(a^2)
//	< <= > >=            a < b < c means a < b and b < c
//	== !=
//	and or not           also && || !
//	c ? a : b            the same as where(c, a, b)
//	v[0] v[1:3]          a value of a vector, and a part of one; the numbers stand in the formula
//	[a, b, c]            a vector of numbers
//	a.b a["b"]           a quantity whose name has a dot; the second form is for names such as "b-c"
//
//	abs square sqrt exp log sin cos tan tanh   of a number, or of each value of a vector
//	atan2(y, x) min(a, b, …) max(a, b, …)      value by value; min(v) and max(v) are the least and greatest value of v
//	clamp(x, low, high)                        min(max(x, low), high)
//	where(c, a, b)                             a where c is true, b elsewhere
//	sum mean norm                              of a vector, a number; norm is the root of the sum of squares
//	dot(a, b)                                  the sum of the products
//	any all                                    of a vector of truth values
//
// A number beside a vector counts for each of its values; two vectors must have the same
// size. All arithmetic is on float64, in the order written, with no fused multiply-add.
// Where mathematics has no answer the result is infinite or not a number, as IEEE 754
// has it: 1/0, 0/0, sqrt(-1), log(0), 5 % 0. A reward or an observation that is not
// finite is a fault of its world (docs/architecture.md, "Faults").
//
// # Units
//
// The two sides of + - % and of a comparison, and the values that min, max, clamp,
// atan2, where and [ ] bring together, must agree in unit wherever both units are
// known. A literal has whatever unit is wanted, and so has its product with anything
// else, so a weight such as 0.1 carries the unit that makes a sum right. An angle is a
// plain number: rad/s and 1/s agree.
package expression
