package gymnasium

import (
	"math"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// landerVariants are the ways in which Gymnasium's lander is run.
var landerVariants = []struct{ name, arguments, controller string }{
	{"heuristic", `{}`, "heuristic"},
	{"random", `{}`, "random"},
	{"continuous heuristic", `{"continuous": true}`, "heuristic"},
	{"continuous random", `{"continuous": true}`, "random"},
	{"wind", `{"enable_wind": true, "wind_power": 17, "turbulence_power": 1.2}`, "heuristic"},
}

// near reports whether two numbers agree to some units in the last place: the C library and Go round sines differently.
func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-15*max(1, math.Abs(a), math.Abs(b))
}

func TestLunarLanderFormulasAreGymnasiums(t *testing.T) {
	const episodes = 6
	for _, variant := range landerVariants {
		t.Run(variant.name, func(t *testing.T) {
			steps, fired, ended := 0, 0, 0
			check := func(i int, e *box2dEpisode) {
				reset := e.resetDraws()
				wind := reset[14:] // after 12 heights and the first push
				view := landerView(e.State.planar())
				observation := view.observe()
				sameSingles(t, i, 0, observation[:], e.Observation)
				seen := numbers[float32](e.Observation)
				gusts := 1 // the reset took the first
				for n, s := range e.Steps {
					before, shaping := view, observation.shaping()
					if acted := make([]float32, len(s.Action)); variant.controller == "heuristic" {
						landerHeuristic(acted, seen, len(acted) == 2)
						sameAction(t, i, n, acted, s.Action)
					}
					seen = numbers[float32](s.Observation)
					var power throttle
					if len(s.Action) == 1 {
						power = discreteThrottle(int(s.Action[0]))
					} else {
						power = newThrottle([]float32{float32(s.Action[0]), float32(s.Action[1])})
					}
					dispersion := [2]float64{float64(s.Draws[0]) / scale, float64(s.Draws[1]) / scale}
					var pushes []impulse
					if power.main > 0 {
						pushes = append(pushes, before.mainEngine(power.main, dispersion))
					}
					if power.side > 0 {
						pushes = append(pushes, before.sideEngine(power.side, power.direction, dispersion))
					}
					if len(pushes) != len(s.Impulses) {
						t.Fatalf("episode %d step %d: %d engines fire, want %d", i, n, len(pushes), len(s.Impulses))
					}
					for k, p := range pushes {
						for j, v := range []float64{p.x, p.y, p.atX, p.atY} {
							if !near(v, float64(s.Impulses[k][j])) {
								t.Errorf("episode %d step %d: impulse %d is %+v, want %v", i, n, k, p, numbers[float64](s.Impulses[k][:]))
							}
						}
						fired++
					}
					if len(s.Force) == 1 { // wind blows
						force, torque := gust(wind[0]+float64(gusts)), gust(wind[1]+float64(gusts))
						wantForce, wantTorque := float64(s.Force[0][0])/17, float64(s.Torque[0][0])/1.2
						if !near(force, wantForce) || !near(torque, wantTorque) {
							t.Errorf("episode %d step %d: gusts %v and %v, want %v and %v", i, n, force, torque, wantForce, wantTorque)
						}
						gusts++
					}

					view = landerView(s.State.planar())
					observation = view.observe()
					sameSingles(t, i, n+1, observation[:], s.Observation)
					reward, terminated := observation.reward(shaping, power, s.State.Crashed, s.State.Awake)
					if reward != float64(s.Reward) || terminated != s.Terminated {
						t.Errorf("episode %d step %d: reward %v, terminated %t, want %v and %t",
							i, n+1, reward, terminated, float64(s.Reward), s.Terminated)
					}
					if terminated {
						ended++
					}
					steps++
				}
				if t.Failed() {
					t.FailNow()
				}
			}
			gymnasiumEpisodes(t, "LunarLander-v3", variant.arguments, episodes, variant.controller, "steps", check)
			if steps < 50*episodes || fired == 0 || ended == 0 {
				t.Errorf("only %d steps with %d impulses and %d ends were compared", steps, fired, ended)
			}
		})
	}
}

// sameSingles compares an observation with Gymnasium's, which has single precision.
func sameSingles(t *testing.T, episode, step int, got []float64, want []hexadecimal) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("episode %d step %d: observation of %d values, want %d", episode, step, len(got), len(want))
	}
	for i := range got {
		polytest.Equal(t, float32(got[i]), float32(want[i]), "episode %d step %d: observation[%d]", episode, step, i)
	}
}

// sameAction compares what a controller of Gymnasium does with what the one here does.
func sameAction(t *testing.T, episode, step int, got []float32, want []hexadecimal) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a float32, b hexadecimal) bool { return float64(a) == float64(b) }) {
		t.Errorf("episode %d step %d: the controller acts %v, want %v", episode, step, got, want)
	}
}

func TestMoonIsGymnasiums(t *testing.T) {
	gymnasiumEpisodes(t, "LunarLander-v3", `{}`, 20, "random", "steps:1", func(i int, e *box2dEpisode) {
		m := newMoon([12]float64(e.resetDraws()))
		for k, edge := range e.Ground[1:] { // after the floor
			want := [4]hexadecimal(edge)
			got := [4]hexadecimal{hexadecimal(chunk * float64(k)), hexadecimal(float32(m[k])),
				hexadecimal(chunk * float64(k+1)), hexadecimal(float32(m[k+1]))}
			polytest.Equal(t, got, want, "episode %d: edge %d", i, k)
		}
	})
}

func TestThrottle(t *testing.T) {
	tests := []struct {
		main, side float32
		want       throttle
	}{
		{0, 0, throttle{}},
		{-1, 0.5, throttle{}}, // neither bound fires
		{1, -0.5, throttle{main: 1}},
		{0.5, 0.75, throttle{0.75, 0.75, 1}},
		{3, -2, throttle{1, 1, -1}}, // clipped
	}
	for _, tt := range tests {
		polytest.Equal(t, newThrottle([]float32{tt.main, tt.side}), tt.want, "throttleOf(%v, %v)", tt.main, tt.side)
	}
}
