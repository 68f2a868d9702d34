package training

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

// countdown is a context that is cancelled after a number of calls of Err.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newCountdown(t *testing.T, looks int64) *countdown {
	c := &countdown{}
	c.Context, c.cancel = context.WithCancel(t.Context())
	c.left.Store(looks)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// A training that is interrupted in the middle of an iteration leaves a checkpoint of the
// last whole one, a dataset that is whole, and a log that can be replayed.
func TestInterruptedInAnIteration(t *testing.T) {
	const iteration = 32 * 8 // environment steps
	config := func() *configs.Config {
		return parse(t, "quadruped", "worlds=8", "block_size=4", "workers=2", "max_steps=20", "training.segment=32",
			"training.minibatch=64", "training.epochs=2", "training.steps=100000000", "evaluation.episodes=1",
			"recording.sync=none", "training.hidden=[8]",
			"training.normalise_observations=false")
	}
	seen := map[int64]bool{}
	for looks := int64(1); looks < 400; looks += 57 {
		folder := filepath.Join(t.TempDir(), "run")
		report, err := Train(newCountdown(t, looks), config(), TrainOptions{Folder: folder, LogEvery: 1})
		if !errors.Is(err, context.Canceled) || report == nil || report.Status != StatusInterrupted {
			t.Fatalf("cancelled at look %d: %+v, %v", looks, report, err)
		}
		seen[report.EnvSteps/iteration] = true
		from := must(ReadCheckpoint(folder))(t)
		if from.EnvSteps != report.EnvSteps || from.EnvSteps%iteration != 0 {
			t.Errorf("cancelled at look %d: a checkpoint of %d steps, the report has %d", looks, from.EnvSteps, report.EnvSteps)
		}
		replayed, err := Replay(t.Context(), folder, ReplayOptions{Workers: 1})
		if err != nil || replayed.Steps%32 != 0 || replayed.Steps*8 < from.EnvSteps {
			t.Errorf("cancelled at look %d: replayed %d steps, %v", looks, replayed.Steps, err)
		}
		if _, err := recorder.Open(filepath.Join(folder, DatasetFolder)); err != nil {
			t.Errorf("cancelled at look %d: %v", looks, err)
		}
		more := config()
		more.Training.TotalSteps = from.EnvSteps + 1
		again, err := Train(t.Context(), more, TrainOptions{Folder: filepath.Join(t.TempDir(), "more"), From: from})
		if err != nil || again.EnvSteps != from.EnvSteps+iteration {
			t.Errorf("cancelled at look %d: resumed to %+v, %v", looks, again, err)
		}
	}
	if !seen[0] || !seen[1] {
		t.Errorf("interrupted after %v iterations, want 0 and 1 among them", seen)
	}
}
