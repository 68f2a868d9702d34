// Package expression compiles the formulas that a configuration contains, such as
//
//	exp(-square(command.velocity[0] - base_lin_vel[0]) / 0.25)
//
// to closures that allocate nothing. A formula is over named quantities, each a number, a truth value or a vector of
// either. The grammar is that of github.com/expr-lang/expr, which parses it; types and shapes are checked here.
//
// docs/reference/configuration/expressions.md has the language. A number beside a vector counts for each of its values;
// two vectors must have the same size. All arithmetic is on float64, in the order written, with no fused multiply-add.
// Where mathematics has no answer the result is infinite or not a number, as IEEE 754 has it: 1/0, 0/0, sqrt(-1),
// log(0), 5 % 0. A reward or an observation that is not finite is a fault of its world.
package expression
