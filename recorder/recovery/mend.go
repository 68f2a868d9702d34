package recovery

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// finish brings the folder into the state that Close would have left with the valid rows. report is nil if rows are not
// affected. After each change the folder is one that Recover can continue with.
func finish(fsys disk.FS, d *recorder.Dataset, found []*tableState, report *format.Recovery, sync bool) error {
	// First write down what is going to be cut off.
	if report != nil {
		text, err := report.Encode()
		if err == nil {
			err = disk.Replace(fsys, filepath.Join(d.Dir(), format.RecoveryFile), sync, disk.Bytes(text))
		}
		if err != nil {
			return err
		}
	}
	if err := fsys.RemoveAll(filepath.Join(d.Dir(), folder.StateFile)); err != nil {
		return err
	}
	for _, r := range found {
		if err := r.mend(fsys, d.Document(), sync); err != nil {
			return fmt.Errorf("table %q: %w", r.table.Name, err)
		}
	}
	for _, r := range slices.Backward(found) { // the first table's state.json comes last
		if err := r.writer.Publish(report); err != nil {
			return fmt.Errorf("table %q: %w", r.table.Name, err)
		}
	}
	return nil
}

// refuseLinks refuses symbolic links where a recovery makes changes: a target may be in a store that must not change.
func refuseLinks(dir string, found []*tableState) error {
	paths := []string{filepath.Join(dir, format.RecoveryFile)}
	for i, r := range found {
		if i > 0 { // the folder of the first table is the one that was asked for
			paths = append(paths, r.dir)
		}
		for _, name := range []string{folder.JournalFile, folder.InfoFile, folder.StateFile} {
			paths = append(paths, filepath.Join(r.dir, name))
		}
		for _, path := range r.files {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s %w, want a dataset with the files themselves, such as a copy by cp -rL",
				path, disk.ErrLink)
		}
	}
	return nil
}

// mend ends the journal and the streams after the last valid message, with a writer that is then ready to publish.
func (r *tableState) mend(fsys disk.FS, document []byte, sync bool) (err error) {
	if err := fsys.MkdirAll(r.dir); err != nil {
		return err
	}
	n := 0
	for _, s := range r.shards {
		n += len(s.Entries)
	}
	r.writer, err = folder.Resume(fsys, r.dir, r.table, r.table.ArrowSchema(document), folder.Options{SyncFiles: sync},
		r.journal, r.journal.Until(n))
	if err != nil {
		return err
	}
	if err = r.writer.Finish(0); err != nil {
		r.writer.Discard()
	}
	return err
}
