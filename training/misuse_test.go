package training

import (
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
)

// What has to be given is asked for, by every function that takes it.
func TestNothingGiven(t *testing.T) {
	config := must(env.TaskConfig("Hopper-v5", nil))(t)
	config.Recording.Enabled = true
	ctx, out := t.Context(), t.TempDir()
	random := &Policy{kind: RandomPolicy, name: RandomPolicy}
	for want, calls := range map[string]map[string]error{
		"no configuration given": {
			"Train":            errOf(Train(ctx, nil, TrainOptions{Folder: out})),
			"Check":            Check(ctx, nil),
			"TrainOrResume":    errOf(TrainOrResume(ctx, nil, TrainOptions{Folder: out + "/new"})),
			"TrainInParts":     errOf(TrainInParts(ctx, nil, TrainOptions{Folder: out}, nil)),
			"Evaluate":         errOf(Evaluate(ctx, nil, nil, 0)),
			"ExportPolicy":     errOf(ExportPolicy(ctx, nil, nil, PolicyFormats()[0], out+"/policy")),
			"Rollout":          errOf(Rollout(ctx, nil, RolloutOptions{Folder: out, Policy: random})),
			"OpenSliceRollout": errOf(OpenSliceRollout(ctx, nil, RolloutOptions{Folder: out}, nil)),
			"Play":             errOf(Play(ctx, nil, PlayOptions{Policy: random})),
			"Serve":            errOf(Serve(ctx, nil, ServeOptions{PlayOptions: PlayOptions{Policy: random}})),
		},
		"no policy given": {
			"Evaluate": errOf(Evaluate(ctx, &config, nil, 0)),
			"Rollout":  errOf(Rollout(ctx, &config, RolloutOptions{Folder: out})),
			"Play":     errOf(Play(ctx, &config, PlayOptions{})),
			"Serve":    errOf(Serve(ctx, &config, ServeOptions{})),
		},
	} {
		for name, err := range calls {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
}
