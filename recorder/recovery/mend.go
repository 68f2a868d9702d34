package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
func finish(fsys disk.FS, d *recorder.Dataset, found []*remains, report *format.Recovery, sync bool) error {
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
	if err := fsys.Remove(filepath.Join(d.Dir(), folder.StateFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tables := make([]*folder.Writer, len(found))
	for i, r := range found {
		var err error
		if tables[i], err = r.mend(fsys, d.Document(), sync); err != nil {
			return fmt.Errorf("table %q: %w", r.table.Name, err)
		}
	}
	for i := len(found) - 1; i >= 0; i-- { // the first table's state.json comes last
		if err := tables[i].Publish(report); err != nil {
			return fmt.Errorf("table %q: %w", found[i].table.Name, err)
		}
	}
	return nil
}

// refuseLinks returns an error if a file or folder that a recovery changes is a symbolic link: its target may be in a store that
// must not change.
func refuseLinks(dir string, found []*remains) error {
	paths := []string{filepath.Join(dir, format.RecoveryFile)}
	for i, r := range found {
		if i > 0 { // the first one's is the folder that was asked for
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
			return fmt.Errorf("%s %w, want a dataset with the files themselves, such as a copy by cp -rL", path, disk.ErrLink)
		}
	}
	return nil
}

// mend cuts the journal and the last stream after the last valid message, ends the stream there, and removes streams without
// a valid message. The journal is cut first, so that it never refers to bytes that are gone. The writer it returns is ready to
// publish.
func (r *remains) mend(fsys disk.FS, document []byte, sync bool) (_ *folder.Writer, err error) {
	if err := fsys.MkdirAll(r.dir); err != nil {
		return nil, err
	}
	var entries []folder.Entry
	for _, s := range r.shards {
		entries = append(entries, s.Entries...)
	}
	w, err := folder.Resume(fsys, r.dir, r.table, r.table.ArrowSchema(document), folder.Options{SyncFiles: sync}, r.journal, r.journal.Until(len(entries)))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.Discard()
		}
	}()
	if err := r.placeFiles(fsys); err != nil {
		return nil, err
	}
	if n := len(entries); n > 0 {
		if err := w.CutStream(&entries[n-1]); err != nil {
			return nil, err
		}
	}
	return w, w.Finish(0)
}

// placeFiles gives the streams that have a valid message the names they had while they were written, and removes the others.
func (r *remains) placeFiles(fsys disk.FS) error {
	for _, number := range slices.Sorted(maps.Keys(r.files)) {
		path := r.files[number]
		part := filepath.Join(r.dir, folder.PartName(number))
		var err error
		switch {
		case number >= len(r.shards):
			err = fsys.Remove(path)
		case path != part:
			err = fsys.Rename(path, part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
