package terms

import (
	"fmt"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/expression"
)

// Expression is a compiled expression of an entry.
type Expression struct {
	Size int // 0: a number; n: a vector
	Bool bool

	program *expression.Program
	places  []Handle
}

// Expression compiles the entry's expression over the quantities of the phase.
func (b *Binder) Expression() *Expression {
	var scope expression.Scope
	var index []int
	for i, q := range b.quantities {
		if q.public {
			scope, index = append(scope, expression.Quantity{Name: q.name, Size: q.size, Unit: q.unit, Bool: q.bool}), append(index, i)
		}
	}
	program, err := expression.Compile(b.expr, scope)
	if err != nil {
		for _, name := range baseNames {
			if b.base < 0 && strings.Contains(err.Error(), "no quantity "+name+";") {
				b.Fail("expr", ": %s", b.unknown(name))
			}
		}
		b.Fail("expr", ": %w", err)
		return &Expression{}
	}
	e := &Expression{Size: program.Size, Bool: program.Bool, program: program, places: make([]Handle, len(scope))}
	for _, used := range program.Uses {
		e.places[used] = b.use(index[used])
	}
	b.scratch = max(b.scratch, program.Scratch)
	return e
}

// describe names the type of the value.
func (e *Expression) describe() string {
	switch {
	case e.Size > 0 && e.Bool:
		return fmt.Sprintf("a vector of %d truth values", e.Size)
	case e.Size > 0:
		return fmt.Sprintf("a vector of %d numbers", e.Size)
	case e.Bool:
		return "a truth value"
	}
	return "a number"
}

// Float returns the value of an expression that is a number.
func (e *Expression) Float(v *View) float64 {
	v.places = e.places
	return e.program.Float(v, v.scratch)
}

// Vector writes the values of an expression to dst.
func (e *Expression) Vector(v *View, dst []float64) {
	v.places = e.places
	e.program.Vector(dst, v, v.scratch)
}
