package gymnasium

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestBipedalWalkerFormulasAreGymnasiums(t *testing.T) {
	const episodes = 4
	for _, variant := range []struct{ name, arguments, controller string }{
		{"heuristic", `{}`, "heuristic"},
		{"random", `{}`, "random"},
		{"hardcore", `{"hardcore": true}`, "heuristic"},
	} {
		t.Run(variant.name, func(t *testing.T) {
			steps, ended := 0, 0
			check := func(i int, e *box2dEpisode) {
				view := e.State.walker()
				observation := make([]float64, 24)
				view.observe(observation)
				sameSingles(t, i, 0, observation, e.Observation)
				act, acted, seen := walkerController(), make([]float32, 4), numbers[float32](e.Observation)
				for n, s := range e.Steps {
					if variant.controller == "heuristic" {
						act(acted, seen)
						sameAction(t, i, n, acted, s.Action)
					}
					seen = numbers[float32](s.Observation)
					shaping := view.shaping()
					action := numbers[float32](s.Action)
					view = s.State.walker()
					view.observe(observation)
					sameSingles(t, i, n+1, observation, s.Observation)
					reward, terminated := view.reward(shaping, action, s.State.Crashed)
					// Gymnasium's heuristic acts in double precision, and then so is its reward.
					tolerance := 0.0
					if variant.controller == "heuristic" {
						tolerance = 1e-7
					}
					if math.Abs(reward-float64(s.Reward)) > tolerance || terminated != s.Terminated {
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
			gymnasiumEpisodes(t, "BipedalWalker-v3", variant.arguments, episodes, variant.controller, "steps", check)
			if steps < 40*episodes || ended == 0 {
				t.Errorf("only %d steps with %d ends were compared", steps, ended)
			}
		})
	}
}

func TestWalkerTerrainIsGymnasiums(t *testing.T) {
	for arguments, episodes := range map[string]int{`{}`: 10, `{"hardcore": true}`: 40} {
		kinds := map[string]int{}
		gymnasiumEpisodes(t, "BipedalWalker-v3", arguments, episodes, "random", "steps:1", func(i int, e *box2dEpisode) {
			var terrain walkerTerrain
			drawn := &replayed{t, e.resetDraws()}
			terrain.generate(drawn, arguments != `{}`)
			// What is left: ten clouds of 11 numbers, and the first push.
			if len(drawn.next) != 10*11+1 {
				t.Fatalf("%s: episode %d: %d numbers were not drawn, want 111", arguments, i, len(drawn.next))
			}
			if edges := len(e.Ground) - terrain.n; edges != walkerTerrainLength-1 {
				t.Fatalf("%s: episode %d: %d boxes of %d shapes", arguments, i, terrain.n, len(e.Ground))
			}
			for k, b := range terrain.boxes[:terrain.n] {
				xs, ys := columns(e.Ground[k])
				got := [4]float32{float32(b.left), float32(b.right), float32(b.bottom), float32(b.top)}
				want := [4]float32{slices.Min(xs), slices.Max(xs), slices.Min(ys), slices.Max(ys)}
				polytest.Equal(t, got, want, "%s: episode %d: box %d", arguments, i, k)
			}
			kinds["boxes"] += terrain.n
			for k := range walkerTerrainLength - 1 {
				xs, ys := columns(e.Ground[terrain.n+k])
				for end := range 2 {
					x, y := float32(float64(k+end)*terrainStep), float32(terrain.y[k+end])
					if xs[end] != x || ys[end] != y {
						t.Errorf("%s: episode %d: point %d is (%v, %v), want (%v, %v)", arguments, i, k+end, x, y, xs[end], ys[end])
					}
				}
			}
			if t.Failed() {
				t.FailNow()
			}
		})
		if hardcore := arguments != `{}`; hardcore != (kinds["boxes"] > 10*episodes) {
			t.Errorf("%s: %d boxes in %d episodes", arguments, kinds["boxes"], episodes)
		}
	}
}

func columns(vertices []hexadecimal) (xs, ys []float32) {
	for i := 0; i < len(vertices); i += 2 {
		xs, ys = append(xs, float32(vertices[i])), append(ys, float32(vertices[i+1]))
	}
	return xs, ys
}

// chosen answers every question about a whole number by a rule.
type chosen func(low, high int) int

func (c chosen) uniform(low, high float64) float64 { return low }
func (c chosen) integer(low, high int) int         { return c(low, high) }

// The densest ground is one of the shortest stretches between obstacles, all of
// one kind but perhaps for the last ones, which may reach beyond the end.
func TestWalkerTerrainHoldsItsBoxes(t *testing.T) {
	most := 0
	for kind := stump; kind < grounds; kind++ {
		for last := stump; last < grounds; last++ {
			for change := range 40 {
				for _, long := range []bool{false, true} {
					obstacles := 0
					var terrain walkerTerrain
					terrain.generate(chosen(func(low, high int) int {
						if low == int(stump) && high == int(grounds) {
							obstacles++
							if obstacles > change {
								return int(last)
							}
							return int(kind)
						}
						if long && high-low == 2 { // the size of an obstacle
							return high - 1
						}
						return low
					}), true)
					most = max(most, terrain.n)
				}
			}
		}
	}
	if most != maxBoxes {
		t.Errorf("the densest ground has %d boxes; maxBoxes is %d", most, maxBoxes)
	}
}

// A terrain is made at the start of every episode, without the heap.
func TestTerrainAllocatesNothing(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	highest := 0.0
	if n := polytest.Allocations(100, func() {
		var terrain walkerTerrain
		terrain.generate(r, true)
		highest = max(highest, terrain.y[walkerTerrainLength-1])
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if highest == 0 {
		t.Error("no terrain")
	}
}
