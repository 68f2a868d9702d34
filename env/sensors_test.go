package env

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
)

// What a dataset holds of a channel is what docs/configuration.md says of its model: by a reader that knows only the dataset,
// for each kind of error on several runners. POLYTEST_PYTHON names an interpreter with pyarrow; the test workflow sets it.
func TestRecordedChannelsAreWhatTheirModelsSay(t *testing.T) {
	python := os.Getenv("POLYTEST_PYTHON")
	if python == "" {
		t.Skip("POLYTEST_PYTHON is not set")
	}
	cfg, err := configs.Load("testdata/sensors.yaml", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "dataset")
	e := open(t, cfg, OpenOptions{Dataset: dir})
	play(t, e, 200, 7)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "testdata/sensors.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
