package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A disk that is full when a training writes ends it with exit code 1 and one line; the checkpoint before is
// whole, and once there is room again the training goes on as if nothing had been.
func TestTrainingOnAFullDiskLong(t *testing.T) {
	polytest.OnlySlow(t)
	parent := t.TempDir()
	full := filepath.Join(parent, "full")
	polytest.NoError(t, os.Mkdir(full, 0o777))
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", full).Run(); err != nil {
		t.Skip("no right to mount a small file system")
	}
	defer exec.Command("umount", full).Run()
	for _, k := range kinds(t)[1:] {
		t.Run(k.name, func(t *testing.T) {
			whole := &stopped{t: t, kind: k, dir: filepath.Join(parent, k.name)}
			whole.run(newWatcher(t, parent), never)
			want := results(t, whole.dir)
			for _, point := range []change{
				{"create", "checkpoint-*.ckpt.part"}, {"rename", "checkpoint-*.ckpt"}, {"create", rundir.StateFile + ".part"},
				{"write", rundir.EvaluationsFile}, {"write", "data.journal"}, {"write", rundir.LogFile},
				{"rename", rundir.CurveFile},
			} {
				t.Run(point.what+" "+point.path, func(t *testing.T) { fillAndContinue(t, k, full, point, want) })
			}
		})
	}
}

// fillAndContinue fills a disk when a training on it does something, most things for the third time,
// and checks that it ends as it should and goes on once there is room.
func fillAndContinue(t *testing.T, k kind, disk string, point change, want map[string]string) {
	dir, filler := filepath.Join(disk, "run"), filepath.Join(disk, "filler")
	defer os.RemoveAll(dir)
	defer os.Remove(filler)
	w := newWatcher(t, disk)
	cmd := process(t, continued(k, dir)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	polytest.NoError(t, cmd.Start())
	left := 3
	switch point.path {
	case rundir.CurveFile:
		left = 1
	case "data.journal": // each table's begins before the training: if the disk is full then, nothing is left
		left = 8
	}
	w.follow(t, cmd, func(now change) bool {
		if match, _ := filepath.Match(point.path, filepath.Base(now.path)); match && now.what == point.what &&
			strings.HasPrefix(now.path, dir) {
			if left--; left == 0 {
				fill(t, filler)
			}
		}
		return false
	})
	code := cmd.ProcessState.ExitCode()
	if code == Done { // it had written everything
		polytest.SameFiles(t, "done", results(t, dir), want)
		return
	}
	if message := lastLine(errs.String()); code != Failed || !strings.Contains(message, "no space left on device") ||
		strings.Count(errs.String(), "train: ") != 1 || strings.Contains(errs.String(), "goroutine") {
		t.Errorf("exit %d: %s, want %d and one line with no space left on device", code, errs.String(), Failed)
	}
	if _, err := rundir.ReadCheckpoint(dir); err != nil && exists(filepath.Join(dir, rundir.LatestFile)) {
		t.Errorf("latest: %v", err)
	}
	// else it needs room to be completed
	if d, err := recorder.Open(filepath.Join(dir, rundir.DatasetFolder)); err == nil {
		if _, err := d.Rows(format.EpisodesTable); err != nil {
			t.Error(err)
		}
	}
	// Not yet: the same, and nothing is lost.
	if code, _, errs := train(t, words("run --resume "+dir)...); code != Failed ||
		!strings.Contains(errs, "no space left on device") {
		t.Errorf("without room: exit %d, %s", code, errs)
	}
	polytest.NoError(t, os.Remove(filler))
	if code, _, errs := train(t, "run", "--resume", dir); code != Done {
		t.Fatalf("with room again: exit %d, %s", code, errs)
	}
	polytest.SameFiles(t, "with room again", results(t, dir), want)
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	f, err := os.Create(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
}
