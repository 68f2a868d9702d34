package runs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Worker steps worlds of a run, all or those of a slice, whose dataset is then merged: a training.Collector
// under the weights of a learner, all others under a policy that does not change.
type Worker struct {
	Config   *configs.Config
	Options  env.OpenOptions
	Env      *env.Env
	Folder   *rundir.Folder // of the dataset and the log; nil: none. One that open finds is the caller's, and locked
	mark     string         // path of the file that says that nothing is there to keep, see unbegun; "": none
	Header   runlog.Header
	Infos    *Results        // since count was called
	Recorded rundir.Recorded // until then
	Failed   error           // after which the worlds stand anywhere
	closed   bool
}

// Open opens the worlds at a snapshot, whose state it returns; that of the beginning, which
// has no worlds, if the snapshot is empty. The folder at path, "" for none, gets the log, and the
// dataset if there is one. After an error nothing is open, and no new file is left.
func (w *Worker) Open(ctx context.Context, config *configs.Config, opt env.OpenOptions, log logs.Logging,
	path string, snapshot []byte, wait time.Duration) (*State, error) {
	if err := opt.Slice.Check(config.Worlds, config.BlockSize); err != nil {
		return nil, usage.Mark(err)
	}
	w.Header = log.Header(config, opt)
	s, err := openState(snapshot)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		s = &State{}
	case s.Run == nil:
		return nil, usage.Errorf("the snapshot is of no slice, want one of the slice %v", opt.Slice)
	case env.SliceOf(*s.Run) != opt.Slice:
		return nil, usage.Errorf("the snapshot is of the slice %v, want %v", env.SliceOf(*s.Run), opt.Slice)
	default:
		if text := logs.Mismatch(*s.Run, w.Header, false); text != "" {
			return nil, usage.Errorf("the snapshot is of another run: %s", text)
		}
		opt.Continue = &s.State
	}
	w.Infos, w.Recorded = CountEpisodes(config, &opt), s.Recorded
	if path != "" && w.Folder == nil && snapshot != nil && len(snapshot) == 0 {
		err = w.checkBegun(path)
	}
	if err == nil && path != "" && w.Folder == nil {
		w.Folder, err = CreateDataset(ctx, path, snapshot, wait)
		if err == nil && len(snapshot) == 0 {
			w.mark = filepath.Join(path, log.Marker()+disk.Part)
			err = os.WriteFile(w.mark, nil, 0o666)
		}
	}
	if err == nil && path != "" {
		opt.Log, err = log.Create(path, config, opt, nil)
	}
	if err == nil {
		w.Env, err = env.Open(config, opt)
	}
	switch {
	case err == nil:
	case w.Folder == nil || len(snapshot) > 0:
		w.Folder.Close()
	default:
		err = errors.Join(err, w.Folder.Discard())
	}
	w.Config, w.Options = config, opt
	return s, err
}

// checkBegun returns an error if a folder whose slice is to begin again has a dataset of another run.
func (w *Worker) checkBegun(path string) error {
	document, _, err := format.ReadDocument(path)
	if err == nil && document.Metadata.Configuration != w.Header.Configuration {
		return usage.Errorf("%s holds a dataset of another run, want a new or an empty folder, or that of the slice", path)
	}
	record, err := ReadSlice(filepath.Join(path, rundir.SliceFile))
	if err == nil && (record.Run.From != w.Header.From || record.Run.To != w.Header.To) {
		return usage.Errorf("%s holds the slice %d:%d, want a new or an empty folder, or that of the slice %d:%d", path,
			record.Run.From, record.Run.To, w.Header.From, w.Header.To)
	}
	return nil // what is damaged, or not there, is no obstacle
}

// Unmark says in the folder that there is something to keep, once. The first state of a live run says it by itself.
func (w *Worker) Unmark() error {
	if w.mark == "" {
		return nil
	}
	err := disk.RemoveFile(w.mark)
	if err == nil {
		w.mark = ""
	}
	return err
}

// Count adds the episodes that ended since the last call to what was recorded.
func (w *Worker) Count() {
	w.Recorded.Episodes += w.Infos.Total().N
	w.Recorded.Faults = w.Env.Sim().FaultCount() // a restored world knows its own
	w.Infos.Reset()
}

// FillState sets what is common to the states of all slices between two segments. Nothing is forced to the disk.
func (w *Worker) FillState(s *State) (err error) {
	w.Count()
	s.Run, s.Recorded = &w.Header, w.Recorded
	s.State, err = w.Env.Standing()
	return err
}

// Snapshot returns the state of the slice between two segments as bytes: what s has already,
// and what is common to all slices.
func (w *Worker) Snapshot(s *State) ([]byte, error) {
	err := w.FillState(s)
	if err == nil {
		err = w.Env.Sync()
	}
	if err != nil {
		return nil, err
	}
	return s.Encode()
}

// Close closes the worlds and completes their dataset and, where the run or slice is done, writes the recipe of a
// rollout and says of a slice that it is done, for rollouts.Merge. Further calls do nothing.
func (w *Worker) Close(done bool) (err error) {
	if w.closed {
		return nil
	}
	w.closed = true
	if w.Env != nil {
		w.Count()
		err = errors.Join(w.Env.Close(), w.Unmark())
	}
	defer w.Folder.Close()
	if err != nil || !done || w.Options.Dataset == "" {
		return err
	}
	w.Header.Model = w.Env.ModelDigest()
	if w.Header.Kind == logs.KindRollout {
		err = WriteRecipe(w.Folder.Path(), w.Header, w.Recorded)
	}
	path := filepath.Join(w.Folder.Path(), rundir.SliceFile)
	if err == nil && !w.Options.Slice.IsAll() {
		record := disk.JSON(SliceRecord{Run: w.Header, Recorded: w.Recorded}.Signed())
		err = disk.Replace(disk.OS{}, path, true, record)
	}
	if err != nil {
		return err
	}
	return disk.SyncName(disk.OS{}, path) // and that of the recipe
}

// CloseSlice is Close for worlds that are stepped in segments: where none was begun, their new folder goes, unless the
// slice is done without any.
func (w *Worker) CloseSlice(done bool) error {
	if done || w.mark == "" || w.Failed != nil || w.closed {
		return w.Close(done)
	}
	w.closed = true
	return errors.Join(w.Env.Close(), w.Folder.Discard())
}

// CreateDataset locks the folder of a dataset that a slice of a run is recorded to, and waits
// for one that another run is about to leave. snapshot is where the slice begins: nil for
// the beginning, in a new or empty folder; empty for that too, and what is in the folder
// goes. Otherwise the dataset is the one that the snapshot is of, and no longer says that it is done.
func CreateDataset(ctx context.Context, path string, snapshot []byte, wait time.Duration) (f *rundir.Folder, err error) {
	for startTime := time.Now(); ; sleep(ctx, 50*time.Millisecond) {
		if snapshot != nil && len(snapshot) == 0 {
			err = rundir.ClearFolder(path, rundir.NotOfSlice)
		}
		if len(snapshot) > 0 {
			f, err = lockDataset(path)
		} else if err == nil {
			f, err = rundir.CreateFolder(path)
		}
		if !errors.Is(err, rundir.ErrInUse) || time.Since(startTime) >= wait {
			return f, err
		}
		if err = ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func lockDataset(path string) (*rundir.Folder, error) {
	f, err := rundir.LockFolder(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage.Errorf("%s does not exist here, want the dataset that the snapshot is of, "+
			"in a folder that all machines share", path)
	}
	if err != nil {
		return nil, err
	}
	for _, name := range []string{rundir.SliceFile, rundir.RecipeFile} {
		if err := disk.RemoveFile(filepath.Join(path, name)); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}
