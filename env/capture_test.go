package env

import (
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// In Export physics has run ahead to the next decision point. The poses that are captured there are nevertheless
// those of their timestamp, as they are where a binding that writes has physics stop at each boundary.
func TestCapturedPosesAreThoseOfTheirTimestamp(t *testing.T) {
	type at struct{ episode, ns int64 }
	type pose struct {
		stamp  int64
		values []float64
	}
	run := func(opt OpenOptions, hook func(e *Env, keep func(*sim.World))) map[at]pose {
		poses := map[at]pose{}
		opt.Poses, opt.Workers = true, 1
		var e *Env
		keep := func(w *sim.World) {
			if e == nil { // the first instant, while the worlds are opened
				return
			}
			values := make([]float64, len(e.Bodies())*e.PoseSize())
			poses[at{w.Episode(), w.NS()}] = pose{e.Pose(w, values), values}
		}
		if opt.Bindings != nil {
			opt.Bindings[0].Call = func(_ *runners.StepContext, w *sim.World) { keep(w) }
		}
		e = open(t, preset(t, "quadruped", "worlds=2", "max_steps=20"), opt)
		if hook != nil {
			hook(e, keep)
		}
		play(t, e, 50, 1)
		polytest.NoError(t, e.Close())
		return poses
	}
	want := run(OpenOptions{Bindings: []sim.Binding{{
		Binding: runners.Binding{Name: "stop", Runner: "Sensors", Phase: runners.Acquisition, Writes: true},
	}}}, nil)
	for i, runner := range []string{"Robot", "Capture", "Sensors"} {
		got := run(OpenOptions{Capture: true}, func(e *Env, keep func(*sim.World)) {
			if !slices.Equal(e.CaptureRunners(), []string{"Robot", "Capture", "Sensors"}) {
				t.Fatalf("runners %q", e.CaptureRunners())
			}
			e.OnCapture(func(k int, _ *runners.StepContext, w *sim.World) {
				if k == i {
					keep(w)
				}
			})
		})
		if len(got) < 50 {
			t.Errorf("%s: %d captures", runner, len(got))
		}
		for k, p := range got {
			if k.ns == 0 {
				continue
			}
			if w, ok := want[at{k.episode, p.stamp}]; !ok || !slices.Equal(w.values, p.values) || p.stamp > k.ns ||
				p.stamp <= k.ns-2e6 {
				t.Fatalf("%s: the pose of %d ns at %d ns of episode %d is %v, want %v (known: %v)", runner, p.stamp, k.ns,
					k.episode, p.values[:4], w.values, ok)
			}
		}
	}
}
