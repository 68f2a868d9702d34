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
)

func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := make([]tally, 3)
	var returns []float64
	infos := [2]float64{}
	want := tally{n: 300, faults: 100, terminated: 100, truncated: 100}
	for i := range 300 {
		e := sim.Episode{Return: 1e6 + r.NormFloat64(), Steps: int64(1 + i), InfoSum: []float64{r.Float64(), -1},
			Truncated: true}
		switch i % 3 {
		case 0:
			e.Fault = physics.FaultTask
		case 1:
			e.Terminated = true
		}
		parts[i%7%3].add(e)
		returns = append(returns, e.Return)
		want.steps += float64(e.Steps)
		for k, sum := range e.InfoSum {
			infos[k] += sum / float64(e.Steps)
		}
	}
	for _, x := range returns {
		want.mean += x / 300
	}
	for _, x := range returns {
		want.squares += (x - want.mean) * (x - want.mean)
	}
	var got tally
	for i := range parts {
		got.merge(&parts[i])
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("mean", got.mean, want.mean)
	near("std", got.std(), math.Sqrt(want.squares/300))
	near("info", got.infos[0], infos[0])
	near("info", got.infos[1], infos[1])
	if got.least != slices.Min(returns) || got.most != slices.Max(returns) || got.n != 300 || got.steps != want.steps ||
		got.faults != 100 || got.terminated != 100 || got.truncated != 100 {
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
	from := must(ReadCheckpoint(folder))(t)
	policy := from.Policy()
	evaluate := func(ctx context.Context, episodes int, policy *rl.Policy) error {
		c.Evaluation.Episodes = episodes
		_, err := Evaluate(ctx, c, policy, 0)
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
