package recovery

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// ErrDamaged is wrapped by the error of [Recover] for a dataset with damage that a kill does not explain.
var ErrDamaged = errors.New("dataset is damaged")

// ErrWriting is wrapped by the error of [Recover] for a dataset that a live process is writing or recovering.
var ErrWriting = folder.ErrWriting

// Options says what a recovery may do. With the zero value it gives up nothing that can be read.
type Options struct {
	// Cut drops everything after the first damage in each table, valid rows included.
	Cut bool
	// NoSync leaves it to the system when the recovered files reach the disk.
	NoSync bool
}

// Open is [recorder.Open], but recovers an unfinished dataset whose writer is gone first, for which it must be able to
// write to the folder. The recovery is nil if that was not needed.
func Open(dir string) (*recorder.Dataset, *format.Recovery, error) {
	return openOn(disk.OS{}, dir)
}

func openOn(fsys disk.FS, dir string) (*recorder.Dataset, *format.Recovery, error) {
	d, err := recorder.Open(dir)
	if !errors.Is(err, recorder.ErrUnfinished) {
		return d, nil, err
	}
	r, err := recoverOn(fsys, dir, Options{})
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		err = fmt.Errorf("%s: %w, and this user cannot recover it: %w; want its owner to recover it, or a copy of it",
			dir, recorder.ErrUnfinished, err)
	}
	if err != nil {
		return nil, nil, err
	}
	d, err = recorder.Open(dir)
	return d, r, err
}

// Recover makes a loadable dataset of what a killed run left behind. It has every row that the journals acknowledge:
// each stream is cut and ended after the last acknowledged message with a valid checksum, and the files get their
// names. The result and recovered.json say what is missing.
//
// It returns nil for a dataset that was closed and is whole, and the report of the earlier recovery for one that was
// recovered before. It may be killed and called again. It fails with [ErrWriting] while the writer lives. It fails with
// [ErrDamaged], and changes nothing, if acknowledged rows of a closed dataset are damaged, or if neither a kill nor a
// power cut explains the damage: only these take the end of a stream, and nothing else. It fails with disk.ErrLink if a file or folder that it would change is a symbolic link.
func Recover(dir string, options Options) (*format.Recovery, error) {
	return recoverOn(disk.OS{}, dir, options)
}

func recoverOn(fsys disk.FS, dir string, options Options) (*format.Recovery, error) {
	doc, text, err := format.ReadDocument(dir)
	if err != nil {
		return nil, err
	}
	_, err = os.Lstat(filepath.Join(dir, folder.StateFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	closed := err == nil
	previous, readErr := format.ReadRecovery(dir)
	lock, err := folder.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer lock.Release()

	found, err := findAll(dir, doc.Tables, previous)
	if err != nil {
		return nil, err
	}
	whole := true
	shards := make([][]folder.Shard, len(found))
	for i, r := range found {
		shards[i], whole = r.shards, whole && r.whole
	}
	d := recorder.OpenShards(dir, doc, text, shards)
	for i, r := range found {
		if err := d.CheckSchema(i); err != nil {
			return nil, fmt.Errorf("table %q: %w: %w", r.table.Name, ErrDamaged, err)
		}
	}
	for _, r := range found {
		if err := r.refuse(closed, options.Cut); err != nil {
			return nil, err
		}
	}
	// At most the files beside the rows are damaged, and the report of an earlier recovery is not gone.
	filesOnly := whole && closed && readErr == nil && (previous != nil || !saysRecovered(dir))
	if filesOnly {
		if _, err := recorder.Open(dir); err == nil {
			return previous, nil
		}
	}
	if err := refuseLinks(dir, found); err != nil {
		return nil, err
	}
	if filesOnly {
		return previous, finish(fsys, d, found, previous, !options.NoSync)
	}
	report, err := newReport(d, found)
	if err != nil {
		return nil, err
	}
	if previous != nil {
		resume(report, previous, !closed)
	}
	return report, finish(fsys, d, found, report, !options.NoSync)
}

// saysRecovered reports whether dataset_info.json says that the dataset was recovered.
func saysRecovered(dir string) bool {
	text, err := disk.ReadFile(filepath.Join(dir, folder.InfoFile), disk.MaxText)
	return err == nil && bytes.Contains(text, []byte(format.RecoveredNote))
}
