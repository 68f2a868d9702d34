package training

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// The files of a run folder.
const (
	ConfigFile      = "config.yaml"      // the resolved configuration
	ReportFile      = "run.json"         // a [Report]
	MetricsFile     = "metrics.csv"      // a line per iteration
	EvaluationsFile = "evaluations.json" // those made on the way, if any
	CurveFile       = "curve.png"        // the learning curve, if an episode ended
	LatestFile      = "latest"           // link to the newest checkpoint
	DatasetFolder   = "dataset"          // what was recorded, if anything was
	LogFile         = "run.log"          // what Replay compares with
	DriverFile      = "driver.ckpt"      // the checkpoint that the run began with or acted by, if any
	ScriptFile      = "driver.csv"       // the script that it acted by, if any
)

// Folder is a folder that was empty when this process took it. While it is open no
// other run takes it, so all that is in it is this run's. One goroutine may use it.
type Folder struct {
	path string
	made bool       // it was not there before
	top  string     // the uppermost of its parents that were not there either; "": all were
	lock *disk.Lock // on the folder itself
}

// TakeFolder takes the folder at path, which must not be there or be empty; it makes
// the folder, and its parents if need be. Without a path it makes the first free one
// of runs/<task>-001, -002, ….
func TakeFolder(path, task string) (*Folder, error) {
	f := &Folder{path: filepath.Clean(path)}
	var err error
	if path != "" {
		err = f.makeNamed()
	} else {
		err = f.makeNext(task)
	}
	if err == nil {
		err = f.take()
	}
	if err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	return f, nil
}

func (f *Folder) makeNamed() error {
	for parent := filepath.Dir(f.path); ; parent = filepath.Dir(parent) {
		if _, err := os.Lstat(parent); !errors.Is(err, fs.ErrNotExist) || parent == filepath.Dir(parent) {
			break
		}
		f.top = parent
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
		return err
	}
	err := os.Mkdir(f.path, 0o777)
	f.made = err == nil
	if errors.Is(err, fs.ErrExist) {
		return nil // take sees what it is
	}
	return err
}

func (f *Folder) makeNext(task string) error {
	if err := os.MkdirAll("runs", 0o777); err != nil {
		return err
	}
	f.made = true
	for n := 1; ; n++ {
		f.path = filepath.Join("runs", fmt.Sprintf("%s-%03d", strings.ToLower(task), n))
		if err := os.Mkdir(f.path, 0o777); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// take locks the folder and looks whether it is empty.
func (f *Folder) take() error {
	lock, locked := disk.TryLock(f.path)
	f.lock = lock
	entries, err := os.ReadDir(f.path)
	switch {
	case err != nil:
	case len(entries) > 0:
		err = fmt.Errorf("%s is not empty; want a new or an empty one", f.path)
	case errors.Is(locked, disk.ErrLocked):
		err = fmt.Errorf("%s is another run's, which has just begun", f.path)
	default:
		return locked
	}
	f.Close()
	return err
}

// Close lets go of the folder. Further calls do nothing.
func (f *Folder) Close() { f.lock.Release() }

// Discard removes what is in the folder, the folder itself and those above it where
// TakeFolder made them, and lets go of it.
func (f *Folder) Discard() error {
	defer f.Close()
	entries, err := os.ReadDir(f.path)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(f.path, e.Name())))
	}
	if err == nil && f.made {
		err = os.Remove(f.path)
	}
	if err == nil && f.top != "" {
		for parent := filepath.Dir(f.path); ; parent = filepath.Dir(parent) {
			if os.Remove(parent) != nil || parent == f.top { // somebody else has put something there
				break
			}
		}
	}
	return err
}

// DatasetPath is the folder of a dataset: path itself or, where path is a run folder,
// the dataset in it.
func DatasetPath(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", UsageError{err}
	}
	if !info.IsDir() {
		return "", usagef("%s: want the folder of a dataset, got a file", path)
	}
	for _, folder := range []string{path, filepath.Join(path, DatasetFolder)} {
		if _, err := os.Lstat(filepath.Join(folder, format.DocumentFile)); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("%s: not a dataset, it holds no %s: %w", path, format.DocumentFile, fs.ErrNotExist)
}
