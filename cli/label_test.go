package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

// An info called success is a column of the table episodes; labels replace it, and are in exports.
func TestLabels(t *testing.T) {
	dataset := filepath.Join(t.TempDir(), "dataset")
	mustTrain(t, "rollout", "--config", "testdata/success.yaml", "--policy", "zero", "--episodes", "3", "--out", dataset)
	d := polytest.Must(recorder.Open(dataset))(t)
	for r, err := range d.EachRow("episodes") {
		polytest.NoError(t, err)
		polytest.Equal(t, r.Bool("success"), r.Int("steps") >= 14, "success of episode %d", r.Int("episode"))
	}
	before := polytest.Files(t, dataset)
	export := func() string {
		out := filepath.Join(t.TempDir(), "out")
		mustTrain(t, "export", dataset, "--to", "lerobot", "--table", "capture", "--out", out)
		return out
	}
	first := export()
	for _, args := range [][]string{
		{"--task", "stand still"},
		{"--task", "balance", "--episode", "1", "--from", "100ms"},
		{"--success", "false", "--episode", "0", "--episode", "2"},
		{"--task", "stand", "--episode", "1", "--from", "100ms"}, // in place of balance
	} {
		mustTrain(t, append([]string{"label", dataset}, args...)...)
	}
	after := polytest.Files(t, dataset)
	delete(after, "labels.json")
	polytest.SameFiles(t, "the rest of the dataset", after, before)
	if python := os.Getenv("POLYTEST_PYTHON"); python != "" {
		out, err := exec.Command(python, "../internal/tests/peers/labels.py", first, export()).CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	minari := filepath.Join(t.TempDir(), "cart-v0")
	mustTrain(t, "export", dataset, "--to", "minari", "--out", minari)
	metadata := map[string]any{}
	text := polytest.Must(os.ReadFile(filepath.Join(minari, "data/2/metadata.json")))(t)
	polytest.NoError(t, json.Unmarshal(text, &metadata))
	if metadata["task"] != "stand still" || metadata["success"] != false {
		t.Errorf("minari has %v", metadata)
	}
	for args, want := range map[string]string{
		"":                         "no label given, want --task TEXT",
		"--task a --episode 9":     "--episode is 9, want one of the 3",
		"--success perhaps":        `--success is "perhaps", want true or false`,
		"--success true --from 1s": "--from is 1s, want",
		"--task a --from -1s":      "--from is -1s, want at least 0",
	} {
		code, _, stderr := train(t, append([]string{"label", dataset}, strings.Fields(args)...)...)
		if code != Usage || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, want %q in a line", args, code, stderr, want)
		}
	}
	polytest.NoError(t, os.WriteFile(filepath.Join(dataset, "labels.json"), []byte("{"), 0o666))
	code, _, stderr := train(t, "label", dataset, "--task", "a")
	if code != Failed || !strings.Contains(stderr, "labels.json") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}
