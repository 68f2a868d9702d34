package training

import (
	"errors"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
)

// Every preset can be learned, or a comment in its file says what it is for instead.
func TestPresetsCanBeLearnedOrSayWhatTheyAreFor(t *testing.T) {
	for _, task := range env.TaskNames() {
		c := parse(t, task, "worlds=1", "workers=1")
		e, err := env.Open(c, env.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, refused := newLearnerEnv(e, c)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		_, data, err := configs.Preset(task)
		if err != nil {
			t.Fatal(err)
		}
		switch says := strings.Contains(string(data), "For train rollout, bench and Python"); {
		case refused == nil && says:
			t.Errorf("%s can be learned, and its preset says that it is for something else", task)
		case refused != nil && !says:
			t.Errorf("%s: %v, and its preset does not say so", task, errors.Unwrap(refused))
		case refused != nil && !strings.Contains(refused.Error(), "rollouts, bench and Python take it as it is"):
			t.Errorf("%s: %v; want the error to say what it is for", task, refused)
		}
	}
}
