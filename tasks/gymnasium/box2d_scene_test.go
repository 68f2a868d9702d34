package gymnasium

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Bodies, shapes, joints and ground are made of the same numbers as Gymnasium's.
func TestScenesAreGymnasiums(t *testing.T) {
	for _, c := range []struct{ task, arguments string }{
		{"LunarLander-v3", `{}`}, {"BipedalWalker-v3", `{"hardcore": true}`},
	} {
		t.Run(c.task, func(t *testing.T) {
			gymnasiumEpisodes(t, c.task, c.arguments, 1, "random", "steps:1", func(_ int, e *box2dEpisode) {
				_, s, _ := open(t, c.task, c.arguments)
				task, m, _ := carried(t, c.task, c.arguments, []box2dEpisode{*e})
				same := func(what string, got float64, want hexadecimal) {
					t.Helper()
					if math.Abs(got-float64(want)) > 1e-6*max(1, math.Abs(got)) {
						t.Errorf("%s is %v, want %v", what, got, float64(want))
					}
				}
				constants := map[string][]float64{}
				for _, name := range []string{"body_mass", "body_inertia", "body_center"} {
					values := polytest.Must(m.Constant(name))(t)
					constants[name] = values
				}
				if len(s.Bodies) != len(e.Scene.Bodies) || len(s.Joints) != len(e.Scene.Joints) {
					t.Fatalf("%d bodies and %d joints, want %d and %d", len(s.Bodies), len(s.Joints), len(e.Scene.Bodies),
						len(e.Scene.Joints))
				}
				for i, b := range s.Bodies {
					f, want := b.Fixtures[0], e.Scene.Bodies[i]
					for k, v := range []float64{
						constants["body_mass"][i], constants["body_inertia"][i], constants["body_center"][2*i],
						constants["body_center"][2*i+1],
						f.Friction, f.Restitution, f.Density, float64(f.Category), float64(f.Mask),
					} {
						same(b.Name, v, want[k])
					}
				}
				run := newRun(t, m, task, func(*sim.Config) {})
				row := run.Blocks()[0].State(0)
				for i, j := range s.Joints {
					want := e.Scene.Joints[i]
					same(j.Name+"'s lower limit", j.Lower, want[0])
					same(j.Name+"'s upper limit", j.Upper, want[1])
					speed := j.MotorSpeed
					if motor, err := m.Field("actuator/" + j.Name); err == nil { // set by the task
						speed = motor.In(row)[0]
					}
					same(j.Name+"'s motor speed", speed, want[2])
				}
				shapes := polytest.Must(m.Field("ground"))(t).In(row)
				if int(shapes[0]) != len(e.Scene.Friction) {
					t.Fatalf("%v shapes on the ground, want %d", shapes[0], len(e.Scene.Friction))
				}
				for i, want := range e.Scene.Friction {
					same("the ground's friction", shapes[1+i*s.Ground.Stride()+1], want)
				}
			})
		})
	}
}
