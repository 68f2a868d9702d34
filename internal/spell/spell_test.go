package spell

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"learning_rate", "lambda", "HalfCheetah-v5", "worlds"}
	for word, want := range map[string]string{
		"learning_rat": "learning_rate", "LAMBDA": "lambda", "halfcheetah-V5": "HalfCheetah-v5", "WORLD": "worlds", "worlds": "worlds", "": "lambda",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: nearest is %q, want %q", word, got, want)
		}
	}
}
