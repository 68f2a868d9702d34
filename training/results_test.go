package training

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := make([]runs.Tally, 3)
	var returns []float64
	infos := [2]float64{}
	want := runs.Tally{N: 300, Faults: 100, Terminated: 100, Truncated: 100}
	for i := range 300 {
		e := sim.Episode{Return: 1e6 + r.NormFloat64(), Steps: int64(1 + i), InfoSum: []float64{r.Float64(), -1},
			Truncated: true}
		switch i % 3 {
		case 0:
			e.Fault = physics.FaultTask
		case 1:
			e.Terminated = true
		}
		parts[i%7%3].Add(e)
		returns = append(returns, e.Return)
		want.Steps += float64(e.Steps)
		for k, sum := range e.InfoSum {
			infos[k] += sum / float64(e.Steps)
		}
	}
	for _, x := range returns {
		want.Mean += x / 300
	}
	for _, x := range returns {
		want.Squares += (x - want.Mean) * (x - want.Mean)
	}
	var got runs.Tally
	for i := range parts {
		got.Merge(&parts[i])
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("mean", got.Mean, want.Mean)
	near("std", got.Std(), math.Sqrt(want.Squares/300))
	near("info", got.Infos[0], infos[0])
	near("info", got.Infos[1], infos[1])
	if got.Least != slices.Min(returns) || got.Most != slices.Max(returns) || got.N != 300 || got.Steps != want.Steps ||
		got.Faults != 100 || got.Terminated != 100 || got.Truncated != 100 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The memory of an evaluation does not grow with its number of episodes: one of very many begins, and can be cancelled.
func TestEvaluationOfManyEpisodes(t *testing.T) {
	c := parse(t, "HalfCheetah-v5", "worlds=2", "max_steps=5", "training.hidden=[4]", "training.segment=4",
		"training.steps=1",
		"evaluation.episodes=1", "recording.enabled=false", "training.normalise_observations=false")
	folder := t.TempDir()
	must(Train(t.Context(), c, TrainOptions{Folder: folder}))(t)
	from := must(rundir.ReadCheckpoint(folder))(t)
	policy := from.Policy()
	evaluate := func(ctx context.Context, episodes int, policy *rl.Policy) error {
		c.Evaluation.Episodes = episodes
		_, err := rollouts.Evaluate(ctx, c, policy, 0)
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	polytest.ErrorIs(t, evaluate(ctx, 1e12, policy), context.Canceled)
	if err := evaluate(t.Context(), math.MaxInt, policy); err == nil ||
		err.Error() != "evaluation.episodes is 9223372036854775807, want 1 to 1000000000000" {
		t.Errorf("got %v, want an error of evaluation.episodes", err)
	}
	noError(t, evaluate(t.Context(), 5, policy))
}
