package expression

import (
	"testing"
)

func BenchmarkClosures(b *testing.B) {
	for _, source := range []string{
		"exp(-square(command.velocity[0] - base_lin_vel[0]) / 0.25)",
		"sum(square(joint_vel))",
		"base_height < 0.1 or terminated",
	} {
		b.Run(source, func(b *testing.B) {
			p, err := Compile(source, scope)
			if err != nil {
				b.Fatal(err)
			}
			var f Frame = frame
			scratch := make([]float64, p.Scratch)
			b.ReportAllocs()
			for b.Loop() {
				p.Float(f, scratch)
			}
		})
	}
}
