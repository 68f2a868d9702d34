package cli

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A regeneration that is killed at any moments, and then fills a disk, goes on to the bytes of the rollout, pictures
// included.
func TestRegenerateKilledLong(t *testing.T) {
	polytest.OnlySlow(t)
	kills, _ := polytest.Cases(t, 3, 4, 16)
	dir := t.TempDir()
	first, again := filepath.Join(dir, "first"), filepath.Join(dir, "again")
	mustTrain(t, "rollout", "--task", "HalfCheetah-v5", "--set", "worlds=4", "--set", "max_steps=60", "--log-every", "0",
		"--set", "sensors=[{name: state, runner: Sensors, sources: [qpos]}, {name: front, runner: Capture, camera: "+
			"{name: track, width: 16, height: 12, kinds: [rgb]}}]", "--set", "recording.tables=[capture, control, sensors]",
		"--set", "recording.batch_rows=40", "--episodes", "200", "--out", first)
	args := []string{"regenerate", first, "--out", again}
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		cmd := start(t, args...)
		killAfter(t, cmd, time.Duration(random.IntN(1500))*time.Millisecond)
		if _, err := os.Lstat(filepath.Join(again, rundir.RegenerateFile)); err != nil {
			polytest.NoError(t, os.RemoveAll(again)) // it was done, or had not begun
		}
	}
	cmd, errs := startUnder(t, "ulimit -f 256", args...)
	wantFailure(t, cmd, errs, "train: ", "file too large", again)
	output := mustTrain(t, args...)
	if !strings.HasPrefix(output, "identical, 200 episodes of HalfCheetah-v5, 4 tables of ") {
		t.Errorf("it says %q", output)
	}
	polytest.SameFiles(t, "again", polytest.Files(t, again), polytest.Files(t, first))
	refuses(t, Usage, strings.Join(args, " "), "is not empty, want a new or an empty folder")
}

func TestRegenerateUsage(t *testing.T) {
	for args, want := range map[string]string{
		"regenerate":                           "no RECIPE given, want one",
		"regenerate a":                         "no folder given, want --out DIR",
		"regenerate a --out out --workers -1":  "--workers is -1, want 0 to 1024",
		"regenerate a.recipe --out out":        "a.recipe: no such file or directory",
		"regenerate testdata --out out":        "want a dataset.recipe, which train rollout writes",
		"regenerate main.go --out out --force": `train: main.go: it does not begin with "prhythm\n"`,
	} {
		refuses(t, Usage, args, want)
	}
	polytest.ErrorIs(t, polytest.Err(os.Stat("out")), fs.ErrNotExist)
}
