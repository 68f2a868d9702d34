package rundir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/disktest"
)

// A run that comes to nothing and is killed while its files are removed can go on or begin again, whatever was removed: its
// state is there with all that it needs, or the folder is as that of one that has not begun. What somebody else has put
// there stays.
func TestDiscardThatIsKilled(t *testing.T) {
	for _, state := range []string{StateFile, RecipeFile, LiveStateFile, SweepFile} {
		contents := containerMagic
		if state == SweepFile {
			contents = `{"plan": {}, "runs": []}`
		}
		sources := map[string]string{TeacherFile: containerMagic, ClonedFile: `{"dataset": "x", "digest": "y"}`, DriverFile: containerMagic}
		files := map[string]string{state: contents, ConfigFile: "task: {}\n", MetricsFile: "env_steps\n", LogFile: "prrunlog",
			"dataset/polyrhythm.json": `{"format_version": 2, "tables": [{"name": "episodes"}]}`,
			"dataset/data.journal":    "polyrhythm-journal 2\n", "dataset/data-00000.arrow.part": "\xff\xff\xff\xff",
			"dataset/episodes/data.journal": "polyrhythm-journal 2\n", CheckpointName(0): containerMagic}
		for name, text := range sources {
			files[name] = text
		}
		for n, done := 0, false; !done; n++ {
			folder := filepath.Join(t.TempDir(), "run")
			for name, text := range files {
				path := filepath.Join(folder, name)
				polytest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
				polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
			}
			f := polytest.Must(LockFolder(folder))(t)
			f.fsys = &disktest.FS{Fail: disktest.Kill(n)}
			done = f.Discard() == nil
			left := map[string]string{}
			if entries := polytest.Must(os.ReadDir(folder))(t); len(entries) > 0 {
				left = polytest.Files(t, folder)
			}
			goesOn := left[state] == contents
			for name, text := range sources {
				goesOn = goesOn && left[name] == text
			}
			if !goesOn && !IsUnbegun(folder) && len(left) > 0 {
				t.Fatalf("%s: killed in operation %d, it leaves %q", state, n, left)
			}
			if done && (len(left) > 0 || n < len(files)) {
				t.Errorf("%s: after %d operations %q are left", state, n, left)
			}
		}
	}
	folder := filepath.Join(t.TempDir(), "a", "run")
	f := polytest.Must(CreateFolder(folder))(t)
	polytest.NoError(t, os.WriteFile(filepath.Join(folder, "thesis.tex"), []byte("mine"), 0o666))
	polytest.NoError(t, os.WriteFile(filepath.Join(folder, ConfigFile), []byte("task: {}"), 0o666))
	polytest.NoError(t, f.Discard())
	polytest.SameFiles(t, "left", polytest.Files(t, folder), map[string]string{"thesis.tex": "mine"})
}

// A folder is not emptied for a run that begins again where it holds somebody else's file, or another run.
func TestClearFolderRefuses(t *testing.T) {
	for _, files := range []map[string]string{
		{LogFile: "prrunlog", "thesis.tex": "mine"},
		{LogFile: "This is pdfTeX"},
		{"dataset/notes.txt": "mine", "dataset/data.journal": "polyrhythm-journal 2\n"},
		{ReportFile: `{"status": "done", "task": "Ant-v5"}`, StateFile: containerMagic},
		{SweepFile: `{"plan": {}, "runs": []}`},
	} {
		folder := t.TempDir()
		for name, text := range files {
			path := filepath.Join(folder, name)
			polytest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
			polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		}
		if err := ClearFolder(folder, NotOfSlice); err == nil {
			t.Errorf("%q were removed", files)
		}
		polytest.SameFiles(t, "refused", polytest.Files(t, folder), files)
	}
	folder := filepath.Join(t.TempDir(), "left")
	polytest.NoError(t, os.Mkdir(folder, 0o777))
	polytest.NoError(t, os.WriteFile(filepath.Join(folder, "data.journal"), []byte("polyrhythm-journal 2\n"), 0o666))
	polytest.NoError(t, os.WriteFile(filepath.Join(folder, RecipeFile+disk.Part), nil, 0o666))
	polytest.NoError(t, ClearFolder(folder, NotOfSlice))
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}
