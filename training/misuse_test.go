package training

import (
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

// What has to be given is asked for, by every function that takes it.
func TestNothingGiven(t *testing.T) {
	config := must(env.TaskConfig("Hopper-v5", nil))(t)
	config.Recording.Enabled = true
	ctx, out := t.Context(), t.TempDir()
	random := must(policies.Open(policies.Random))(t)
	for want, calls := range map[string]map[string]error{
		"no configuration given": {
			"Train":            errOf(Train(ctx, nil, TrainOptions{Folder: out})),
			"Check":            Check(ctx, nil),
			"TrainOrResume":    errOf(TrainOrResume(ctx, nil, TrainOptions{Folder: out + "/new"})),
			"TrainInParts":     errOf(TrainInParts(ctx, nil, TrainOptions{Folder: out}, nil)),
			"Evaluate":         errOf(rollouts.Evaluate(ctx, nil, nil, 0)),
			"ExportPolicy":     errOf(ExportPolicy(ctx, nil, nil, PolicyFormats()[0], out+"/policy")),
			"Rollout":          errOf(rollouts.Rollout(ctx, nil, rollouts.RolloutOptions{Folder: out, Policy: random})),
			"OpenSliceRollout": errOf(rollouts.OpenSliceRollout(ctx, nil, rollouts.RolloutOptions{Folder: out}, nil)),
			"Play":             errOf(rollouts.Play(ctx, nil, rollouts.PlayOptions{Policy: random})),
			"Serve":            errOf(serving.Serve(ctx, nil, serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Policy: random}})),
		},
		"no policy given": {
			"Evaluate": errOf(rollouts.Evaluate(ctx, &config, nil, 0)),
			"Rollout":  errOf(rollouts.Rollout(ctx, &config, rollouts.RolloutOptions{Folder: out})),
			"Play":     errOf(rollouts.Play(ctx, &config, rollouts.PlayOptions{})),
			"Serve":    errOf(serving.Serve(ctx, &config, serving.ServeOptions{})),
		},
	} {
		for name, err := range calls {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
}
