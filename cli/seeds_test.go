package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/training"
)

// The command prints a line for each seed and their spread, and refuses flags that do not
// go together.
func TestSeeds(t *testing.T) {
	out := filepath.Join(t.TempDir(), "seeds")
	args := append([]string{"run", "--task", "HalfCheetah-v5", "--seed", "5", "--seeds", "2", "--out", out, "--log-every", "0"}, small...)
	printed := mustTrain(t, args...)
	for _, want := range []string{"\n     5 ", "\n     6 ", "HalfCheetah-v5, 2 seeds: return ", "all files are in " + out} {
		if !strings.Contains(printed, want) {
			t.Errorf("it prints %q, want %q in it", printed, want)
		}
	}
	if again := mustTrain(t, "run", "--resume", out); again != printed {
		t.Errorf("all done, and resumed: it prints %q, want %q", again, printed)
	}
	all := files(t, out)
	for _, name := range []string{training.TableFile, training.SummaryFile, training.SeedsCurve, "seed-5/" + training.MetricsFile} {
		if all[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--task", "HalfCheetah-v5", "--seeds", "0"}, "--seeds is 0, want 1 to 10000"},
		{[]string{"--task", "HalfCheetah-v5", "--seeds", "x"}, `--seeds is "x", want a whole number`},
		{[]string{"--resume", out, "--seeds", "2"}, "--resume and --seeds are given, want one of them"},
		{[]string{"--resume", out, "--seed", "9"}, "holds the runs of several seeds"},
		{[]string{"--task", "HalfCheetah-v5", "--seeds", "2", "--out", out}, "is not empty"},
	} {
		code, _, errs := train(t, append([]string{"run"}, c.args...)...)
		if !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 || code == Done {
			t.Errorf("%q: exit %d, %q, want %q", c.args, code, errs, c.want)
		}
	}
}
