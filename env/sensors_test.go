package env

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// What a dataset holds of a channel is what docs/reference/configuration/sensors.md says of its model: by a reader that
// knows only the dataset, for each kind of error on several runners. POLYTEST_PYTHON names an interpreter with pyarrow;
// the test workflow sets it.
func TestRecordedChannelsAreWhatTheirModelsSay(t *testing.T) {
	python := polytest.Python(t)
	cfg, err := configs.Load("testdata/sensors.yaml", nil, nil)
	polytest.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "dataset")
	e := open(t, cfg, OpenOptions{Dataset: dir})
	play(t, e, 120, 7)
	polytest.NoError(t, e.Close())
	out, err := exec.Command(python, "../internal/tests/peers/sensors.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
