package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
)

// The names of the files in a run folder.
const (
	ConfigFile      = "config.yaml"      // the resolved configuration
	ChangesFile     = "changes.json"     // a list of [Change], if settings changed on the way
	ReportFile      = "run.json"         // a [Report]
	MetricsFile     = "metrics.csv"      // a line per iteration
	EventsFile      = "metrics.tfevents" // the same and the evaluations, for TensorBoard
	EvaluationsFile = "evaluations.csv"  // a line per evaluation on the way, if there are any: [Intermediate]
	CurveFile       = "curve.png"        // the learning curve, if an episode ended
	ClipFile        = "clip.gif"         // an episode of the policy, drawn by train run
	LatestFile      = "latest"           // symbolic link to the newest checkpoint
	BestFile        = "best"             // symbolic link to the one with the best evaluation on the way, if any
	StateFile       = "resume.state"     // a training.State, until the run is done
	ReplayFolder    = "replay"           // what the State has of a replay, as long
	DatasetFolder   = "dataset"          // the recorded dataset, if recording was on
	LogFile         = "run.log"          // the log that training.Replay compares with
	DriverFile      = "driver.ckpt"      // a copy of the checkpoint that the run began with or acted by, if any
	TeacherFile     = "teacher.ckpt"     // a copy of the checkpoint that taught the run, if one did
	ClonedFile      = "cloned.json"      // which dataset a clone learns from, or SAC begins with
	SliceFile       = "slice.json"       // what a slice of a rollout is, written when it is done
	ScriptFile      = "driver.csv"       // a copy of the script that it acted by, if any
	ModelFile       = "driver.onnx"      // a copy of the model of another program that it acted by, with its adapter
	RecipeFile      = "dataset.recipe"   // from which rollouts.Regenerate makes the dataset of a rollout again
	RegenerateFile  = "regenerate.state" // a state, until the dataset is made again
	SweepFile       = "sweep.json"       // of a sweep, see package training/sweep
)

// The names of the files of an exam, see package training/exam, beside the configurations of its cells.
const (
	ExamFile    = "exam.json"   // what the exam is
	ExamJournal = "exam.jsonl"  // the episodes so far
	ExamReport  = "report.json" // the result, once it is over
	ExamPage    = "exam.html"   // the same as a page
	ExamJUnit   = "junit.xml"   // the same for programs that read results of tests
)

// The names of the files of a live run, besides its log.
const (
	LiveStateFile = "live.state" // the newest state, from which the run can go on
	LiveKeyFile   = "live.key"   // the key of its clients' sessions, so that they can go on, too
)

// ErrInUse is in the errors about a folder that another run has locked.
var ErrInUse = errors.New("in use by another run")

// Folder is an output folder, locked for one run. It was empty when it was taken, so all
// its files belong to the run. One goroutine may use it.
type Folder struct {
	path string
	fsys disk.FS
	made []string   // folders that CreateFolder made: this one and its parents, from below
	lock *disk.Lock // on the folder itself
}

// CreateFolder locks the folder at path, which must be empty or not exist; it then makes
// the folder and its parents. It fails if the folder holds files or is another run's.
// The caller closes or discards the result.
func CreateFolder(path string) (*Folder, error) {
	f := &Folder{path: filepath.Clean(path), fsys: disk.OS{}}
	return f.take(f.makeNamed)
}

// CreateNext locks the first of the folders <task>-001, -002, … in parent that does not exist. It makes this folder, and
// its parents; the error is as of [CreateFolder]. parent is [Parent] if it is empty. The caller closes or discards the
// result.
func CreateNext(parent, task string) (*Folder, error) {
	f := &Folder{path: filepath.Clean(cmp.Or(parent, Parent)), fsys: disk.OS{}}
	return f.take(func() error { return f.makeNext(task) })
}

// Parent is where new runs are put that have no folder of their own.
const Parent = "runs"

// take makes the folder, and locks it.
func (f *Folder) take(make func() error) (*Folder, error) {
	err := make()
	if err == nil {
		err = f.claim()
	}
	if errors.Is(err, syscall.ENOTDIR) {
		err = disk.FolderError(f.path, "is a file or in one")
	}
	switch {
	case errors.Is(err, disk.ErrFolder):
		return nil, usage.Mark(err)
	case err != nil:
		return nil, fmt.Errorf("output folder: %w", err)
	}
	return f, nil
}

// LockFolder locks the folder of a run that is to go on. It fails if the run goes on
// already. The caller closes the result.
func LockFolder(path string) (*Folder, error) {
	lock, err := disk.TryLock(path)
	if errors.Is(err, disk.ErrLocked) {
		return nil, usage.Errorf("%s is %w, want one that was stopped", path, ErrInUse)
	}
	if err != nil {
		return nil, err
	}
	return &Folder{path: filepath.Clean(path), fsys: disk.OS{}, lock: lock}, nil
}

// ClearFolder removes the files of a run that is to begin again, if there are any. It fails, and removes nothing, if the
// folder holds a file that no run has written, or one of those with the names of others, which a run of the kind does not
// write.
func ClearFolder(path string, others []string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := LockFolder(path)
	if err != nil {
		return err
	}
	if err := f.refuse(others); err != nil {
		f.Close()
		return usage.Mark(err)
	}
	return f.Discard()
}

// NotOfTraining and NotOfSlice are files that a training does not write, and a slice of a run, for [ClearFolder].
var (
	NotOfTraining = []string{SweepFile, ExamFile, LiveStateFile, RegenerateFile, RecipeFile, SliceFile, format.DocumentFile}
	NotOfSlice    = []string{SweepFile, ExamFile, LiveStateFile, RegenerateFile, StateFile, ReportFile, MetricsFile}
)

// refuse returns an error if the folder holds what is not to be removed.
func (f *Folder) refuse(others []string) error {
	for _, name := range others {
		switch ours, _, err := Find(f.path, name); {
		case err != nil && !ours:
			return err
		case ours:
			return fmt.Errorf("%s holds %s: it is another run, want a new or an empty folder", f.path, name)
		}
	}
	h, err := disk.Hold(f.path, Owns)
	if err == nil && len(h.Foreign) > 0 {
		err = disk.ForeignError(h.Foreign)
	}
	return err
}

// makeNamed makes the folder at f.path and its parents. That it is one is checked by take.
func (f *Folder) makeNamed() error {
	for path := f.path; ; path = filepath.Dir(path) {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		f.made = append(f.made, path)
	}
	return f.fsys.MkdirAll(f.path)
}

// makeNext makes the first folder <task>-NNN in the folder at f.path that does not exist.
func (f *Folder) makeNext(task string) error {
	parent := f.path
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	for n := 1; ; n++ {
		f.path = filepath.Join(parent, fmt.Sprintf("%s-%03d", strings.ToLower(task), n))
		if err := os.Mkdir(f.path, 0o777); !errors.Is(err, fs.ErrExist) {
			f.made = []string{f.path}
			return err
		}
	}
}

// claim locks the folder and checks that it is empty.
func (f *Folder) claim() error {
	lock, locked := disk.TryLock(f.path)
	f.lock = lock
	entries, err := os.ReadDir(f.path)
	switch {
	case err != nil:
	case len(entries) > 0 && !unbegun(f.path, entries):
		err = disk.FolderError(f.path, "is not empty")
	case errors.Is(locked, disk.ErrLocked):
		err = fmt.Errorf("output folder: %s is %w, %w", f.path, ErrInUse, disk.ErrFolder)
	case locked != nil:
		return locked
	default:
		if err = f.Clear(); err == nil {
			return nil
		}
	}
	f.Close()
	return err
}

// marks are the files the first of which a run writes: as long as it is yet to be finished, and no other file says that
// something was done, the run was killed before there was anything to keep.
var marks = []string{StateFile, RegenerateFile, LiveStateFile, RecipeFile, SweepFile, ExamFile}

// unbegun reports whether a folder has no more than what is left of a run that was killed before it had a state or,
// where it keeps none, before its first segment was done. Of a dataset no row is safe then.
func unbegun(folder string, entries []fs.DirEntry) bool {
	marked := false
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if ours, _ := Owns(folder, e.Name(), e); !ours {
			return false
		}
		name, part := strings.CutSuffix(e.Name(), disk.Part)
		switch {
		case part && slices.Contains(marks, name) && e.Type().IsRegular():
			marked = true
		case slices.Contains(begins, name) && e.Type().IsRegular():
		case !recorder.Unwritten(path):
			return false
		}
	}
	return marked || len(entries) == 1 && runlog.IsUnbegun(filepath.Join(folder, LogFile))
}

// begins are the files that a run may have beside its mark before it has begun.
var begins = []string{TeacherFile, ClonedFile, DriverFile, ScriptFile, ModelFile, LiveKeyFile,
	LogFile, runlog.FilePath(LogFile, 1)} // the latter is for the first state of a live run

// IsUnbegun is unbegun of a folder that is there.
func IsUnbegun(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && unbegun(folder, entries)
}

// Path returns the path of the folder.
func (f *Folder) Path() string { return f.path }

// Close unlocks the folder. Further calls do nothing, nor does one of nil.
func (f *Folder) Close() {
	if f != nil {
		f.lock.Release()
	}
}

// Discard removes the run's files, and the folder and its parents if CreateFolder made them and nothing is left in them, and
// closes it. A process that is killed meanwhile leaves a run that can go on, or begin again.
func (f *Folder) Discard() error {
	defer f.Close()
	err := f.Clear()
	for _, path := range f.made {
		if err != nil || os.Remove(path) != nil { // somebody else has put something there
			break
		}
	}
	return err
}

// Clear removes all files of the run but those with these names. What no run has written stays.
func (f *Folder) Clear(names ...string) error {
	h, err := disk.Hold(f.path, Owns)
	if err != nil {
		return err
	}
	kept := func(path string) bool { return slices.Contains(names, f.name(path)) }
	for s := range mark + 1 {
		var paths []string
		for _, path := range h.Ours {
			if kept(path) || f.stage(path) != s {
				continue
			}
			if s == mark {
				path = strings.TrimSuffix(path, disk.Part) + disk.Part
			}
			paths = append(paths, path)
		}
		if s == beginning {
			for _, path := range h.Ours {
				// The mark gets the name that it had before the run had begun.
				if f.stage(path) == mark && !kept(path) && !strings.HasSuffix(path, disk.Part) {
					err = errors.Join(err, f.fsys.Rename(path, path+disk.Part))
				}
			}
		}
		err = errors.Join(err, disk.RemoveFiles(f.fsys, paths))
		if s == later {
			err = errors.Join(err, h.RemoveFolders(f.fsys, true))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// The stages in which the files of a run are removed, so that a process that is killed meanwhile leaves a run that can go on
// or begin again.
const (
	later     = iota // what is written once the run has begun
	beginning        // of begins
	mark             // of marks
)

func (f *Folder) stage(path string) int {
	switch name := f.name(path); {
	case slices.Contains(marks, strings.TrimSuffix(name, disk.Part)):
		return mark
	case slices.Contains(begins, name):
		return beginning
	}
	return later
}

// name returns the name of a file of the folder itself; of one further down a path.
func (f *Folder) name(path string) string {
	name, err := filepath.Rel(f.path, path)
	if err != nil {
		return path
	}
	return name
}

// DatasetPath returns the folder of a dataset: path itself or, if path is a run folder,
// the dataset in it. It fails if there is no dataset.
func DatasetPath(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", usage.Mark(err)
	}
	if !info.IsDir() {
		return "", usage.Errorf("%s is a file, want the folder of a dataset", path)
	}
	for _, folder := range []string{path, filepath.Join(path, DatasetFolder)} {
		_, err := os.Lstat(filepath.Join(folder, format.DocumentFile))
		if err == nil {
			return folder, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err
		}
	}
	return "", usage.Mark(&disk.Missing{Path: filepath.Join(path, format.DocumentFile),
		Text: fmt.Sprintf("%s is not a dataset, it has no %s", path, format.DocumentFile)})
}
