package cli

import (
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
	"github.com/polyrhythm-rl/polyrhythm/training/sweep"
)

// The command prints a line for each seed and their spread, and refuses flags that do not go together.
func TestSeeds(t *testing.T) {
	out := filepath.Join(t.TempDir(), "seeds")
	args := append([]string{"run", "--task", "HalfCheetah-v5", "--seed", "5", "--seeds", "2", "--out", out, "--log-every",
		"0"}, small...)
	printed := mustTrain(t, args...)
	says(t, printed, "\n     5 ", "\n     6 ", "HalfCheetah-v5, 2 seeds: return ", "all files are in "+out)
	polytest.Equal(t, mustTrain(t, "run", "--resume", out), printed, "all done, and resumed: it prints")
	all := polytest.Files(t, out)
	for _, name := range []string{sweep.SeedsFile, sweep.SummaryFile, sweep.CurvesFile, "seed-5/" +
		rundir.MetricsFile} {
		if all[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{Usage, "--task HalfCheetah-v5 --seeds 0", "--seeds is 0, want 1 to 10000"},
		{Usage, "--task HalfCheetah-v5 --seeds x", `--seeds is "x", want a whole number`},
		{Usage, "--resume " + out + " --seeds 2", "--resume and --seeds are given, want one of them"},
		{Usage, "--resume " + out + " --seed 9", "holds the runs of several seeds"},
		{Usage, "--task HalfCheetah-v5 --seeds 2 --out " + out, "is not empty"},
	} {
		refuses(t, c.code, "run "+c.args, c.want)
	}
}
