package terms

import "github.com/polyrhythm-rl/polyrhythm/tasks/internal/expression"

// formula is a compiled expression of an entry.
type formula struct {
	*expression.Program
	places []Handle
}

// formula compiles an expression, the value of a key of the entry, over the quantities of the phase.
func (b *Binder) formula(key, source string) *formula {
	var scope expression.Scope
	var index []int
	for i, q := range b.quantities {
		if q.public {
			scope, index = append(scope, expression.Quantity{Name: q.name, Size: q.size, Bool: q.bool}), append(index, i)
		}
	}
	compiled, err := expression.Compile(source, scope)
	if err != nil {
		b.Fail(key, ": %w", err)
		return &formula{Program: &expression.Program{}}
	}
	e := &formula{compiled, make([]Handle, len(scope))}
	for _, used := range compiled.Uses {
		e.places[used] = b.use(index[used])
	}
	b.plan.scratch = max(b.plan.scratch, compiled.Scratch)
	return e
}

// Float returns the value of an expression that is a number.
func (e *formula) Float(v *View) float64 {
	v.places = e.places
	return e.Program.Float(v, v.scratch)
}

// Vector writes the values of an expression to dst.
func (e *formula) Vector(v *View, dst []float64) {
	e.vector(v, dst, v.scratch)
}

func (e *formula) vector(v *View, dst, scratch []float64) {
	v.places = e.places
	e.Program.Vector(dst, v, scratch)
}

func rewardExpression(b *Binder, _ *struct{}) RewardFunc {
	e := b.formula("expr", b.entry.Head.Expr)
	if e.Size > 0 || e.Bool {
		b.Fail("expr", ": its value is %s, want a number, as sum, mean, norm and where(…, 1, 0) give", e)
	}
	return e.Float
}

func terminationExpression(b *Binder, _ *struct{}) TerminationFunc {
	e := b.formula("expr", b.entry.Head.Expr)
	if b.err == nil && (e.Size > 0 || !e.Bool) {
		b.Fail("expr", ": its value is %s, want true or false, such as base_height < 0.1", e)
	}
	return func(v *View) bool { return e.Float(v) != 0 }
}

func observationExpression(b *Binder, _ *struct{}) *Observation {
	e := b.formula("expr", b.entry.Head.Expr)
	if e.Size == 0 {
		return &Observation{Names: []string{b.entry.Head.Name}, Read: e.Vector}
	}
	return &Observation{Names: indexLabels(b.entry.Head.Name, e.Size), Read: e.Vector}
}
