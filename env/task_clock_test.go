package env

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// Speeds of Gymnasium's tasks, and so their rewards, follow a change of the control rate.
func TestSpeedsFollowTheClock(t *testing.T) {
	for task, hertz := range map[string]struct{ control, later, physics int }{
		"HalfCheetah-v5": {20, 50, 100}, "Swimmer-v5": {25, 50, 100}, "Hopper-v5": {125, 250, 500},
		"Walker2d-v5": {125, 250, 500},
	} {
		t.Run(task, func(t *testing.T) {
			c := preset(t, task, "worlds=1", "recording.enabled=false",
				fmt.Sprintf("runners=[{name: Robot, rate: %d}, {name: Physics, rate: %d}, {name: Sensors, rate: %[2]d}]",
					hertz.control, hertz.physics),
				"bindings=[{name: physics, runner: Physics, substeps: 1}]",
				fmt.Sprintf("changes=[{n: 3, edits: [{set_rate: {name: Robot, rate: %d}}]}]", hertz.later))
			e := open(t, c, OpenOptions{Workers: 1})
			names := e.Sim().Spec().InfoNames
			x, v := slices.Index(names, "x_position"), slices.Index(names, "x_velocity")
			if x < 0 || v < 0 {
				t.Fatalf("no position and speed among %q", names)
			}
			before := math.NaN()
			for n := range 6 {
				e.SampleActions()
				polytest.NoError(t, e.Step())
				if e.Sim().Terminations()[0] || e.Sim().Truncations()[0] {
					t.Fatal("the episode has ended")
				}
				rate := hertz.control
				if n >= 3 {
					rate = hertz.later
				}
				place, speed := e.Sim().Infos()[x], e.Sim().Infos()[v]
				if want := (place - before) * float64(rate); n > 0 && math.Abs(speed-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("step %d at %d Hz: %v m/s, want %v", n, rate, speed, want)
				}
				before = place
			}
		})
	}
}
