package rundir

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// What may not be read is not said to be missing.
func TestFolderOfSomebodyElse(t *testing.T) {
	dir := t.TempDir()
	polytest.NoError(t, os.WriteFile(filepath.Join(dir, format.DocumentFile), nil, 0o644))
	polytest.NoError(t, os.Chmod(dir, 0))
	polytest.AsNobody(t, func() {
		_, err := DatasetPath(dir)
		polytest.ErrorIs(t, err, fs.ErrPermission)
	})
	polytest.NoError(t, os.Chmod(dir, 0o755))
	polytest.AsNobody(t, func() {
		polytest.Equal(t, polytest.Must(DatasetPath(dir))(t), dir, "the folder")
	})
}
