package catalog

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A run in a folder of somebody else is listed as damaged, with the reason and the time of the folder.
func TestRunOfSomebodyElse(t *testing.T) {
	dir := t.TempDir()
	polytest.NoError(t, os.WriteFile(filepath.Join(dir, rundir.ReportFile), nil, 0o644))
	changed := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	polytest.NoError(t, os.Chtimes(dir, changed, changed))
	polytest.NoError(t, os.Chmod(dir, 0))
	polytest.AsNobody(t, func() {
		run, err := Open(dir)
		polytest.ErrorIs(t, err, fs.ErrPermission)
		polytest.Equal(t, run.State, Damaged, "the state")
		polytest.Equal(t, run.Changed.UTC(), changed, "the last change")
	})
	polytest.NoError(t, os.Chmod(dir, 0o755))
}
