package training

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
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
		if !errors.Is(err, context.Canceled) || report == nil || report.Status != rundir.StatusInterrupted {
			t.Fatalf("cancelled at look %d: %+v, %v", looks, report, err)
		}
		seen[report.EnvSteps/iteration] = true
		from := must(rundir.ReadCheckpoint(folder))(t)
		if from.EnvSteps != report.EnvSteps || from.EnvSteps%iteration != 0 {
			t.Errorf("cancelled at look %d: a checkpoint of %d steps, the report has %d", looks, from.EnvSteps, report.EnvSteps)
		}
		replayed, err := Replay(t.Context(), folder, ReplayOptions{Workers: 1})
		if err != nil || replayed.Steps%32 != 0 || replayed.Steps*8 < from.EnvSteps {
			t.Errorf("cancelled at look %d: replayed %d steps, %v", looks, replayed.Steps, err)
		}
		if _, err := recorder.Open(filepath.Join(folder, rundir.DatasetFolder)); err != nil {
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

// A training that is interrupted again and again, in an iteration, an evaluation or between, long before it keeps
// another state by itself, is never further back than it said, loses no checkpoint, and has in the end the files of one
// that was never stopped, beside the checkpoints of its stops. So has one whose replay is so small that a rollout
// writes over rows that no state has, and one whose replay began with a dataset.
func TestInterruptionsLoseNothing(t *testing.T) {
	dataset := recordRandom(t, "HalfCheetah-v5", "recording.tables=[capture, control]")
	sac := []string{"training.algorithm=sac", "training.learning_rate=1e-3", "training.sac.random_steps=64",
		"training.sac.segment=8", "training.sac.minibatch=16"}
	for name, sets := range map[string][]string{
		"ppo": {"training.segment=16"},
		"sac": append(sac, "training.sac.replay=1000"), "small replay": append(sac, "training.sac.replay=40"),
		"filled": append(sac, "training.sac.replay=1000", "training.dataset="+dataset),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := func() *configs.Config {
				return parse(t, "HalfCheetah-v5", append([]string{"worlds=4", "block_size=2", "workers=2", "max_steps=25",
					"training.steps=768", "training.hidden=[8]", "training.checkpoint_every=300",
					"evaluation={episodes: 1, every: 200}", "recording={batch_rows: 50, sync: none}"}, sets...)...)
			}
			whole := filepath.Join(t.TempDir(), "whole")
			must(Train(t.Context(), config(), TrainOptions{Folder: whole, LogEvery: 1}))(t)
			opt := TrainOptions{Folder: filepath.Join(t.TempDir(), "run"), LogEvery: 1}
			steps, stops, said := int64(0), 0, map[string]bool{}
			for looks := int64(90); ; looks = 90 + looks%131 {
				report, err := TrainOrResume(newCountdown(t, looks), config(), opt)
				if report == nil || err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if report.EnvSteps < steps {
					t.Fatalf("stop %d is after %d steps, the one before after %d", stops, report.EnvSteps, steps)
				}
				steps = report.EnvSteps
				there := must(checkpointsIn(opt.Folder))(t)
				for of := range said {
					if !slices.Contains(there, of) {
						t.Fatalf("after stop %d %s is gone", stops, of)
					}
				}
				if err == nil {
					break
				}
				stops++
				if from := must(rundir.ReadCheckpoint(opt.Folder))(t); from.EnvSteps != steps {
					t.Fatalf("stop %d is after %d steps, its checkpoint of %d", stops, steps, from.EnvSteps)
				}
				for _, of := range there {
					said[of] = true
				}
				if stops > 100 {
					t.Fatalf("%d stops, after %d steps", stops, steps)
				}
			}
			if stops < 4 {
				t.Errorf("%d stops, want some", stops)
			}
			want := filesOf(t, whole)
			polytest.SameFiles(t, "stopped", polytest.WithoutStops(filesOf(t, opt.Folder), want), want)
			must(Replay(t.Context(), opt.Folder, ReplayOptions{Workers: 1}))(t)
		})
	}
}

// A training that is killed between the state of an iteration and its checkpoint has the checkpoint when it goes on.
func TestKilledBeforeTheCheckpointOfAState(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	opt := TrainOptions{Folder: folder, Until: 300}
	must(Train(t.Context(), pointConfig(t), opt))(t)
	path := filepath.Join(folder, rundir.CheckpointName(320))
	data := must(os.ReadFile(path))(t)
	noError(t, errors.Join(os.Remove(path), os.Remove(filepath.Join(folder, rundir.LatestFile))))
	looked := false
	opt.Progress = func(p TrainProgress) {
		if looked || p.EnvSteps != 320 {
			return
		}
		looked = true
		if got := must(os.ReadFile(filepath.Join(folder, rundir.LatestFile)))(t); !bytes.Equal(got, data) {
			t.Error("the latest checkpoint is another one")
		}
	}
	opt.Until = 0
	must(TrainOrResume(t.Context(), pointConfig(t), opt))(t)
	if !looked {
		t.Error("it did not go on after 320 steps")
	}
}
