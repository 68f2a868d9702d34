package cli

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// seeing are arguments for the gantry that observes colours and depths, normals, and colours with noise.
var seeing = []string{"--config", "../configs/described/gantry.yaml", "--set", "sensors=[{name: above, runner: Robot, camera: " +
	"{name: above, width: 8, height: 6, kinds: [rgb, depth]}}, {name: shape, runner: Robot, noise: {std: 0.1}, camera: {name: above, " +
	"width: 8, height: 6, kinds: [normals]}}]", "--set", "observations.policy=[{term: joint_pos_rel, " +
	"joints: [\"head_.*\"]}, {term: sensor, channel: above}, " +
	"{term: sensor, name: shape, channel: shape}, {term: sensor, name: noisy, channel: above, noise: {uniform: 0.1}}]"}

// A rollout with observed pictures is regenerated, made in slices that are merged, to the same bytes. Each export
// of it is one, and after a kill every acknowledged row is recovered.
func TestObservedPicturesEverywhereLong(t *testing.T) {
	polytest.OnlySlow(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	args := func(name string, more ...string) []string {
		return slices.Concat([]string{"rollout"}, seeing, []string{"--set", "worlds=4", "--set", "block_size=2", "--set",
			"max_steps=9", "--set", "recording={enabled: true, tables: [capture, control, sensors], batch_rows: 20}", "--policy",
			"random", "--log-every", "0", "--out", path(name)}, more)
	}
	mustTrain(t, args("whole", "--episodes", "24")...)
	document, _, err := format.ReadDocument(path("whole"))
	polytest.NoError(t, err)
	polytest.Equal(t, document.FormatVersion, format.Version, "version of a dataset with observed pictures")
	want := polytest.Files(t, path("whole"))

	mustTrain(t, "regenerate", path("whole"), "--out", path("again"))
	polytest.SameFiles(t, "regenerated", polytest.Files(t, path("again")), want)

	for name, slice := range map[string]string{"first": "0:2", "second": "2:4"} {
		mustTrain(t, args(name, "--episodes", "24", "--slice", slice)...)
	}
	mustTrain(t, "merge", path("second"), path("first"), "--out", path("merged"))
	polytest.SameFiles(t, "merged", polytest.Files(t, path("merged")), want)

	for _, to := range []string{"csv", "hf", "lerobot", "mcap", "minari", "parquet", "png"} {
		out := path(to + "-v0")
		mustTrain(t, "export", path("merged"), "--to", to, "--out", out)
		polytest.Files(t, out)
	}

	cmd := start(t, args("torn", "--episodes", "24000")...)
	awaitRows(t, path("torn"))
	awaitRows(t, filepath.Join(path("torn"), tableFolders[format.ControlTable]))
	if killAfter(t, cmd, 0) {
		t.Fatal("it was done before it was killed")
	}
	wantAcknowledged(t, path("torn"))
}
