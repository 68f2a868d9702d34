package rl

import (
	"bytes"
	"strings"
	"testing"
)

// A learner that is continued in worlds that stand where they stood does what it would
// have done. Without what it kept of the worlds it does not.
func TestDeterminismOfContinue(t *testing.T) {
	symmetry := Symmetry{1, Mirror{Negate: []int{0, 1}}, Mirror{Negate: []int{0}}}
	for name, start := range map[string]func(testing.TB) *PPO{
		"plain":                     learned,
		"recurrent":                 func(t testing.TB) *PPO { return learnedRecurrent(t, Symmetry{}) },
		"recurrent with a symmetry": func(t testing.TB) *PPO { return learnedRecurrent(t, symmetry) },
	} {
		t.Run(name, func(t *testing.T) { testContinue(t, start) })
	}
}

// learnedRecurrent is learned with a recurrent policy.
func learnedRecurrent(t testing.TB, symmetry Symmetry) *PPO {
	s := cartSettings()
	s.Symmetry = symmetry
	s.RolloutSteps, s.Recurrent = 50, 6 // in the middle of episodes
	p, err := New(newCart(5, 4, 2), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	iterate(t, p, 2)
	return p
}

func testContinue(t *testing.T, start func(testing.TB) *PPO) {
	p := start(t)
	iterate(t, p, 2)
	want := checkpointBytes(t, p)
	recurrent := len(p.WorldState().States) > 0
	for name, forget := range map[string]bool{"with": false, "without": true} {
		was := start(t)
		c, err := ReadCheckpoint(bytes.NewReader(checkpointBytes(t, was)))
		if err != nil {
			t.Fatal(err)
		}
		state := was.WorldState()
		if forget {
			if recurrent {
				clear(state.States)
			} else {
				clear(state.Discounted)
			}
		}
		again, err := Continue(was.collector.env, c, state, c.Settings)
		if err != nil {
			t.Fatal(err)
		}
		iterate(t, again, 2)
		if same := bytes.Equal(checkpointBytes(t, again), want); same == forget {
			t.Errorf("%s the state of the worlds: equal is %t", name, same)
		}
		if _, err := Continue(was.collector.env, c, WorldState{Discounted: state.Discounted[1:]}, c.Settings); err == nil || !strings.Contains(err.Error(), "a state of 4 worlds, want 5") {
			t.Errorf("with too short a state: %v", err)
		}
		state.States = append(state.States, 0)
		if _, err := Continue(was.collector.env, c, state, c.Settings); err == nil || !strings.Contains(err.Error(), "values, want ") {
			t.Errorf("with states of other sizes: %v", err)
		}
	}
}
