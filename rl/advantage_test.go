package rl

import (
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/rl/internal/nntest"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// naive is the definition: A(t) = Σ (γλ)^k·δ(t+k), up to the end of the episode or of the rollout.
func naive(t, w, worlds int, reward []float64, value, final []float32, end []ending, last []float32, gamma,
	lambda float64) float64 {
	steps := len(value) / worlds
	sum, weight := 0.0, 1.0
	for ; t < steps; t++ {
		i := t*worlds + w
		var next float64
		switch {
		case end[i] == stopped:
			next = 0
		case end[i] == cutOff:
			next = float64(final[i])
		case t == steps-1:
			next = float64(last[w])
		default:
			next = float64(value[i+worlds])
		}
		sum += weight * (reward[i] + gamma*next - float64(value[i]))
		if end[i] != goesOn {
			break
		}
		weight *= gamma * lambda
	}
	return sum
}

// Every sequence of endings over four steps, a world each.
func TestAdvantagesOfAllEndings(t *testing.T) {
	const steps, worlds = 4, 81
	var (
		reward = make([]float64, steps*worlds)
		value  = make([]float32, steps*worlds)
		final  = make([]float32, steps*worlds)
		end    = make([]ending, steps*worlds)
		last   = make([]float32, worlds)
		s      = nn.NewStream()
	)
	s.Key(1, 0, 0, 0)
	for w := range worlds {
		last[w] = float32(s.NormFloat64())
		for step, code := 0, w; step < steps; step, code = step+1, code/3 {
			i := step*worlds + w
			reward[i], value[i], final[i] = s.NormFloat64(), float32(s.NormFloat64()), float32(math.NaN())
			if end[i] = ending(code % 3); end[i] == cutOff {
				final[i] = float32(s.NormFloat64()) // NaN elsewhere: it must not be read
			}
		}
	}
	for _, c := range []struct{ gamma, lambda float64 }{{0.99, 0.95}, {0.9, 0}, {1, 1}, {0, 0.5}} {
		advantage, target := make([]float32, steps*worlds), make([]float32, steps*worlds)
		advantages(advantage, target, reward, value, final, end, last, c.gamma, c.lambda)
		for i := range advantage {
			want := naive(i/worlds, i%worlds, worlds, reward, value, final, end, last, c.gamma, c.lambda)
			if math.Abs(float64(advantage[i])-want) > 1e-6 {
				t.Errorf("γ %g λ %g, world %d, step %d: advantage %g, want %g", c.gamma, c.lambda, i%worlds, i/worlds,
					advantage[i], want)
			}
			if got, want := float64(target[i]), want+float64(value[i]); math.Abs(got-want) > 1e-6 {
				t.Errorf("γ %g λ %g, world %d, step %d: target %g, want %g", c.gamma, c.lambda, i%worlds, i/worlds, got, want)
			}
		}
	}
}

func TestEndingOfFlags(t *testing.T) {
	for _, c := range []struct {
		terminated, truncated, fault bool
		want                         ending
	}{
		{false, false, false, goesOn},
		{true, false, false, stopped},
		{false, true, false, cutOff},
		{true, true, false, stopped},
		{false, false, true, stopped},
		{true, false, true, stopped},
		{false, true, true, stopped},
		{true, true, true, stopped},
	} {
		polytest.Equal(t, endingOf(c.terminated, c.truncated, c.fault), c.want,
			"terminated %t, truncated %t, fault %t: ending", c.terminated, c.truncated, c.fault)
	}
}

// What collect stores is what the block showed: after a rollout, every value in
// it is recomputed from a second run of the same worlds, one at a time.
func TestCollectStoresWhatHappened(t *testing.T) {
	const worlds, steps = 7, 90
	fault := func(world int, episode, step int64) bool { return world == 2 && step == 11 }
	env, again := newCart(worlds, 4, 2), newCart(worlds, 1, 1)
	for _, b := range append(env.blocks, again.blocks...) {
		b.faultAt = fault
	}
	s := cartSettings()
	s.RolloutSteps, s.NormaliseObservations = steps, false
	p := polytest.Must(New(env, s, 1))(t)
	for i := range p.params {
		p.params[i] += 0.05 // so that values and means are not near zero
	}
	polytest.Must(collectAll(p))(t)
	params, count := widen(p.params), map[ending]int{}
	valueOf := func(observation []float64) float64 {
		z := make([]float64, len(observation))
		for i, v := range observation {
			z[i] = min(10, max(-10, v))
		}
		return nntest.MLP(p.value.MLP, params[len(p.policy.params):], z)[0]
	}
	near := func(what string, w, step int, got float32, want float64) {
		if math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("world %d, step %d: %s %g, want %g", w, step, what, got, want)
		}
	}
	for w, b := range again.blocks {
		for step := range steps {
			i := step*worlds + w
			near("value", w, step, p.rollout.value[i], valueOf(b.observation))
			b.action[0] = min(1, max(-1, p.rollout.action[i]))
			polytest.NoError(t, b.Step())
			want := b.reward[0]
			if b.fault[0] {
				want = 0
			}
			near("reward", w, step, float32(p.rollout.reward[i]), want)
			end := endingOf(b.terminated[0], b.truncated[0], b.fault[0])
			if count[end]++; p.rollout.end[i] != end {
				t.Errorf("world %d, step %d: ending %d, want %d", w, step, p.rollout.end[i], end)
			}
			if end == cutOff {
				near("final value", w, step, p.rollout.final[i], valueOf(b.final))
			}
		}
		near("last value", w, steps, p.rollout.last[w], valueOf(b.observation))
	}
	if count[goesOn] == 0 || count[stopped] == 0 || count[cutOff] == 0 {
		t.Errorf("endings %v: want some of each", count)
	}
}
