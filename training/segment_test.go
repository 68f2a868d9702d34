package training

import (
	"path/filepath"
	"strings"
	"testing"
)

// A training with more steps in a segment than in all says how many it takes, and takes them.
func TestSegmentBeyondSteps(t *testing.T) {
	for _, c := range []struct {
		settings, warn string
		steps          int64
	}{
		{"{steps: 63, segment: 32, minibatch: 32}", "training.segment is 32: the first iteration takes 128 environment steps in 2 " +
			"worlds, more than training.steps, 63", 128},
		{"{steps: 64, segment: 32, minibatch: 32}", "", 128},
		{"{steps: 63, segment: 32, minibatch: 32, normalise_observations: false}",
			"training.segment is 32: the first iteration takes 64 environment steps", 64},
		{"{algorithm: sac, steps: 8, sac: {segment: 5, hidden: [4], minibatch: 4, random_steps: 4}}",
			"training.sac.segment is 5: the first iteration takes 10 environment steps", 10},
		{"{algorithm: sac, steps: 10, sac: {segment: 5, hidden: [4], minibatch: 4, random_steps: 4}}", "", 10},
	} {
		var warnings []string
		report, err := Train(t.Context(), parse(t, "InvertedPendulum-v5", "worlds=2", "training="+c.settings,
			"evaluation.episodes=1", "max_steps=5", "recording.enabled=false"),
			TrainOptions{Folder: filepath.Join(t.TempDir(), "run"), Warn: func(s string) { warnings = append(warnings, s) }})
		noError(t, err)
		if text := strings.Join(warnings, "\n"); (text == "") != (c.warn == "") || !strings.Contains(text, c.warn) {
			t.Errorf("%s: the warnings are %q, want %q", c.settings, text, c.warn)
		}
		if report.EnvSteps != c.steps {
			t.Errorf("%s: %d environment steps, want %d", c.settings, report.EnvSteps, c.steps)
		}
	}
}
