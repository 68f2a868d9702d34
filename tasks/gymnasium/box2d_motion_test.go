package gymnasium

import (
	"math"
	"strconv"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Under the same actions from the same start our worlds move as Gymnasium's, for as long as contacts and joint
// limits, where the versions of Box2D differ, have not pulled them apart: the lander in its flight, with engines and
// wind, and the walker's hull in its first steps.
func TestMotionIsGymnasiums(t *testing.T) {
	const episodes = 12
	for _, variant := range []struct {
		task, arguments string
		controller      string
		at0             float64 // largest difference of an observed value at t = 0
		steps           int     // how many are compared
		then            float64 // largest difference of the first values in them
		values          int     // how many values those are
	}{
		{"LunarLander-v3", `{}`, "heuristic", 5e-4, 20, 1e-4, 6},
		{"LunarLander-v3", `{"continuous": true}`, "random", 5e-4, 20, 1e-4, 6},
		{"LunarLander-v3", `{"enable_wind": true}`, "heuristic", 5e-4, 20, 1e-4, 6},
		{"BipedalWalker-v3", `{}`, "heuristic", 1e-4, 10, 1e-3, 4},
	} {
		t.Run(variant.task+" "+variant.arguments, func(t *testing.T) {
			var at0, then float64
			steps := 0
			gymnasiumEpisodes(t, variant.task, variant.arguments, episodes, variant.controller,
				"steps:"+strconv.Itoa(variant.steps), func(i int, e *box2dEpisode) {
					task, m, _ := carried(t, variant.task, variant.arguments, []box2dEpisode{*e})
					run := newRun(t, m, task, func(c *sim.Config) { c.Workers = 1 })
					err := run.Each(func(w *sim.Worker, b *sim.Block) error {
						for k, want := range e.Observation {
							at0 = max(at0, math.Abs(b.Observations()[k]-float64(want)))
						}
						for _, s := range e.Steps {
							for k, a := range s.Action {
								b.Actions()[k] = float32(a)
							}
							if err := b.Step(w); err != nil {
								return err
							}
							steps++
							for k := range variant.values {
								then = max(then, math.Abs(b.Observations()[k]-float64(s.Observation[k])))
							}
						}
						return nil
					})
					polytest.NoError(t, err)
				})
			if steps != episodes*variant.steps {
				t.Fatalf("%d steps were compared, want %d", steps, episodes*variant.steps)
			}
			t.Logf("largest difference %.1g at t = 0, %.1g in %d steps", at0, then, variant.steps)
			if at0 > variant.at0 || then > variant.then {
				t.Errorf("the observations differ by %.1g at t = 0 and by %.1g in %d steps, want at most %.0g and %.0g",
					at0, then, variant.steps, variant.at0, variant.then)
			}
		})
	}
}
