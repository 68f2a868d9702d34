package training

import (
	"errors"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
)

// Every preset can be learned.
func TestPresetsCanBeLearned(t *testing.T) {
	for _, task := range env.TaskNames() {
		c := parse(t, task, "worlds=1", "workers=1")
		e, err := env.Open(c, env.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		worlds, err := newLearnerEnv(e, c)
		if err == nil {
			_, err = rl.New(worlds, c.Training.Settings, c.Seed)
		}
		if err := errors.Join(err, e.Close()); err != nil {
			t.Errorf("%s: %v", task, err)
		}
	}
}
