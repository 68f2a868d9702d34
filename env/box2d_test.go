package env

import (
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// onBox2D are the tasks on Box2D, with their options.
var onBox2D = map[string][]string{
	"lander":        {"task.name=LunarLander-v3", "task.options.enable_wind=true"},
	"lander, motor": {"task.name=LunarLanderContinuous-v3", "task.options.enable_wind=true"},
	"walker":        {"task.name=BipedalWalker-v3", "task.options={}"},
	"hardcore":      {"task.name=BipedalWalkerHardcore-v3", "task.options={}"},
}

// box2dPreset is a configuration with few worlds of one of them, recorded.
func box2dPreset(t testing.TB, name string, overrides ...string) *configs.Config {
	task := strings.TrimPrefix(onBox2D[name][0], "task.name=")
	return preset(t, task, append(slices.Clone(onBox2D[name]), overrides...)...)
}

// Not among the tests named Determinism, which run again with other kernels of OpenBLAS: nothing here calls it.
func TestSameBitsOnBox2DLong(t *testing.T) {
	polytest.OnlySlow(t)
	for name := range onBox2D {
		if name == "walker" && testing.Short() {
			continue // hardcore is the walker on other ground
		}
		t.Run(name, func(t *testing.T) { // through the ends of episodes
			sameForAnyWorkers(t, func(sets ...string) *configs.Config { return box2dPreset(t, name, sets...) }, 160)
		})
	}
}

// A snapshot taken at any step, in the air, on the ground and beyond the end of an
// episode, goes on as the original did, in worlds that have lived another life.
func TestRestoreOnBox2D(t *testing.T) {
	const steps, every, look = 150, 6, 12
	for name := range onBox2D {
		t.Run(name, func(t *testing.T) {
			cfg := box2dPreset(t, name, "worlds=2")
			ended := &endings{}
			e := open(t, cfg, OpenOptions{Workers: 1, Observers: []sim.Observer{ended}})
			other := open(t, cfg, OpenOptions{Workers: 1})
			var snapshots []*sim.Snapshot
			var seen []uint64
			for n := range steps {
				if n%every == 0 {
					snapshots = append(snapshots, e.Sim().Snapshot())
				}
				seen = append(seen, playFrom(t, e, n))
			}
			if ended.n == 0 {
				t.Error("no episode has ended: not a hard test")
			}
			for k, s := range snapshots {
				polytest.NoError(t, other.Sim().Restore(s))
				for n := k * every; n < min(k*every+look, steps); n++ {
					if got := playFrom(t, other, n); got != seen[n] {
						t.Fatalf("restored at step %d: step %d has other bits", k*every, n)
					}
				}
			}
		})
	}
}

// endings counts the episodes that one worker's worlds complete.
type endings struct{ n int }

func (e *endings) Rewarded(*sim.World, float64) {}
func (e *endings) Ended(_ *sim.World, episode sim.Episode) {
	if episode.Complete {
		e.n++
	}
}

// playFrom takes one step and returns a hash of what the worlds then show.
func playFrom(t testing.TB, e *Env, step int) uint64 {
	t.Helper()
	return playSteps(t, e, step, step+1, 1)
}

func TestStepAllocatesNothingOnBox2D(t *testing.T) {
	for name := range onBox2D {
		t.Run(name, func(t *testing.T) {
			e := open(t, box2dPreset(t, name), OpenOptions{Workers: 1})
			allocatesNothing(t, e.Sim().Each)
		})
	}
}

func TestBox2DErrors(t *testing.T) {
	for _, c := range []struct{ override, want string }{
		{"task.options.gravity=-12", "gravity is -12, want more than -12, below 0"},
		{"task.options.gravity=0", "gravity is 0, want more than -12, below 0"},
		{"task.options.windpower=3", "did you mean task.options.wind_power?"},
		{"model=lander.xml", "want none: LunarLander-v3 has a scene of its own"},
	} {
		refused(t, preset(t, "LunarLander-v3", c.override), OpenOptions{}, c.want)
	}
}

func TestWarningsOfTheLander(t *testing.T) {
	e := open(t, preset(t, "LunarLander-v3", "task.options.wind_power=21", "task.options.turbulence_power=-1"),
		OpenOptions{})
	want := []string{
		"LunarLander-v3: wind_power value is recommended to be between 0.0 and 20.0, (current value: 21)",
		"LunarLander-v3: turbulence_power value is recommended to be between 0.0 and 2.0, (current value: -1)",
	}
	polytest.EqualSlices(t, e.Warnings(), want, "warnings")
}
