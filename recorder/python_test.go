package recorder

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// The tools people use read the same values. POLYTEST_PYTHON names an interpreter that has datasets, pyarrow, polars and
// duckdb; the test workflow sets it.
func TestPythonReads(t *testing.T) {
	python := os.Getenv("POLYTEST_PYTHON")
	if python == "" {
		t.Skip("POLYTEST_PYTHON is not set")
	}
	const steps = 100
	dir := t.TempDir()
	recordExample(t, dir, steps, Options{BatchRows: 16, ShardBytes: 16_000})
	cmd := exec.Command(python, "testdata/read.py", dir, strconv.Itoa(steps))
	cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
