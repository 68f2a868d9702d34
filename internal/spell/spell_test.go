package spell

import (
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestNearest(t *testing.T) {
	known := []string{"learning_rate", "lambda", "HalfCheetah-v5", "worlds"}
	for word, want := range map[string]string{
		"learning_rat": "learning_rate", "LAMBDA": "lambda", "halfcheetah-V5": "HalfCheetah-v5", "WORLD": "worlds",
		"worlds": "worlds", "": "lambda",
	} {
		polytest.Equal(t, Nearest(word, known), want, "%q: nearest", word)
	}
	polytest.Equal(t, Nearest("rnu", []string{"rm", "runs", "run"}), "run", "of three at the same distance, the nearest")
}

func TestNear(t *testing.T) {
	for _, c := range []struct {
		a, b string
		near bool
	}{{"learning_rat", "learning_rate", true}, {"lwo", "low", true}, {"num_envs", "commands", false},
		{"lr", "clip", false}, {"runn", "run", true}, {"env", "n", false}, {"lr", "up", false}, {"sim", "time", false},
		{"giro", "gyro", true}} {
		if Near(c.a, c.b) != c.near {
			t.Errorf("%q and %q: near is %v, want %v", c.a, c.b, !c.near, c.near)
		}
	}
}

func TestHint(t *testing.T) {
	many := strings.Fields("aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj kkkk llll mmmm nnnn")
	for _, c := range []struct {
		word  string
		known []string
		want  string
	}{
		{"lef_knee", []string{"trunk", "left_knee"}, "; did you mean left_knee?"},
		{"nope", []string{"time", "trunk"}, ", want one of time, trunk"},
		{"time", nil, "; there is none"},
		{"time", many, ", want one of aaaa, bbbb, cccc, dddd, eeee, ffff, gggg, hhhh, iiii, jjjj, kkkk, llll and 2 more"},
	} {
		polytest.Equal(t, Hint(c.word, c.known), c.want, "%q", c.word)
	}
}
