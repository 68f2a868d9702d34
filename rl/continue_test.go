package rl

import (
	"bytes"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A learner that is continued in worlds that stand where they stood does what it would
// have done. Without what it kept of the worlds it does not.
func TestDeterminismOfContinue(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *PPO{
		"plain":                     learned,
		"recurrent":                 func(t testing.TB) *PPO { return learnedRecurrent(t, Symmetry{}) },
		"recurrent with a symmetry": func(t testing.TB) *PPO { return learnedRecurrent(t, cartSymmetry) },
	} {
		t.Run(name, func(t *testing.T) { testContinue(t, start) })
	}
}

// learnedRecurrent is learned with a recurrent policy.
func learnedRecurrent(t testing.TB, symmetry Symmetry) *PPO {
	s := cartSettings()
	s.Symmetry = symmetry
	s.RolloutSteps, s.Recurrent = 50, 6 // in the middle of episodes
	p := polytest.Must(New(newCart(5, 4, 2), s, 1))(t)
	iterate(t, p, 2)
	return p
}

func testContinue(t *testing.T, start func(testing.TB) *PPO) {
	p := start(t)
	iterate(t, p, 2)
	want := checkpointBytes(t, p)
	recurrent := len(p.states.list()) > 0
	for name, forget := range map[string]bool{"with": false, "without": true} {
		was := start(t)
		c := polytest.Must(ReadCheckpoint(bytes.NewReader(checkpointBytes(t, was))))(t)
		m := was.Memory()
		if forget {
			if recurrent {
				clear(m.States)
			} else {
				clear(m.Discounted)
			}
		}
		again := polytest.Must(Continue(Worlds{was.collector().env}, c, m, c.Settings))(t).(*PPO)
		iterate(t, again, 2)
		if same := bytes.Equal(checkpointBytes(t, again), want); same == forget {
			t.Errorf("%s the state of the worlds: equal is %t", name, same)
		}
		fewer := Memory{Discounted: m.Discounted[1:]}
		polytest.ErrorContains(t, polytest.Err(Continue(Worlds{was.collector().env}, c, fewer, c.Settings)),
			"a state of 4 worlds, want 5")
		m.States = append(m.States, 0)
		_, err := Continue(Worlds{was.collector().env}, c, m, c.Settings)
		polytest.ErrorContains(t, err, "values, want ")
	}
}
