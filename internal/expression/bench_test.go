package expression_test

import (
	"testing"

	"github.com/expr-lang/expr"

	"github.com/polyrhythm-rl/polyrhythm/internal/expression"
)

// small is a typical reward: closures against expr-lang's own machine.
const small = "exp(-square(command.velocity[0] - base_lin_vel[0]) / 0.25)"

func BenchmarkClosures(b *testing.B) {
	for _, source := range []string{small, "sum(square(joint_vel))", "base_height < 0.1 or terminated"} {
		b.Run(source, func(b *testing.B) {
			p, err := expression.Compile(source, scope)
			if err != nil {
				b.Fatal(err)
			}
			var f expression.Frame = frame
			scratch := make([]float64, p.Scratch)
			b.ReportAllocs()
			for b.Loop() {
				p.Float(f, scratch)
			}
		})
	}
}

func BenchmarkVM(b *testing.B) {
	env := map[string]any{
		"base_lin_vel": frame[1], "command": map[string]any{"velocity": frame[2]},
		"square": func(x float64) float64 { return x * x }, "exp": func(x float64) float64 { return 1 + x },
	}
	program, err := expr.Compile(small, expr.Env(env))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := expr.Run(program, env); err != nil {
			b.Fatal(err)
		}
	}
}
