package rl

import (
	"bytes"
	"strings"
	"testing"
)

// A learner that is continued in worlds that stand where they stood does what it would
// have done. Without what it kept of the worlds it does not.
func TestDeterminismOfContinue(t *testing.T) {
	p := learned(t)
	iterate(t, p, 2)
	want := checkpointBytes(t, p)
	for name, forget := range map[string]bool{"with": false, "without": true} {
		was := learned(t)
		c, err := ReadCheckpoint(bytes.NewReader(checkpointBytes(t, was)))
		if err != nil {
			t.Fatal(err)
		}
		state := was.WorldState()
		if forget {
			clear(state.Discounted)
		}
		again, err := Continue(was.env, c, state)
		if err != nil {
			t.Fatal(err)
		}
		iterate(t, again, 2)
		if same := bytes.Equal(checkpointBytes(t, again), want); same == forget {
			t.Errorf("%s the state of the worlds: equal is %t", name, same)
		}
		if _, err := Continue(was.env, c, WorldState{Discounted: state.Discounted[1:]}); err == nil || !strings.Contains(err.Error(), "a state of 4 worlds, want 5") {
			t.Errorf("with too short a state: %v", err)
		}
	}
}
