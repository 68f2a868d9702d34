package rollouts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/frames"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// MergeOptions are the options of [Merge].
type MergeOptions struct {
	// Mixed accepts slices from different processors and OpenBLAS kernels, whose bits one
	// machine would not have. Slices of different versions of this program or of the engine
	// are refused all the same: a dataset states the versions that made it.
	Mixed bool

	Progress func(done, total int64) // called now and then with the rows that are written; may be nil
}

// Merged is what [Merge] wrote.
type Merged struct {
	rundir.Recorded
	Task  string
	Rows  int64  // of all tables
	Bytes int64  // of the streams
	NoLog string // why there is no log, though slices have one

	Cameras, NoCameras []string // of whose pictures those of all slices are there, and of which only some slices have any
}

// Merge makes, in the folder out, the dataset of a run from the folders of its slices, in any order, that [Rollout]
// or a training.Collector recorded. out must not exist or be empty; it appears when all is written. Its files are those
// of the dataset that [Rollout] or training.Train writes in one process, byte for byte, the recipe of a rollout included;
// after one with an end in time whose slices all have a log, with the log, for training.Replay. Pictures of a camera that
// were added to all slices are merged too.
func Merge(ctx context.Context, folders []string, out string, opt MergeOptions) (Merged, error) {
	parts, err := openSlices(folders)
	if err != nil {
		return Merged{}, err
	}
	if err := checkSlices(parts, opt.Mixed); err != nil {
		return Merged{}, err
	}
	first := parts[0].dataset.Metadata
	config, err := configs.Parse(format.DocumentFile, []byte(first.Configuration), nil, nil)
	if err != nil {
		return Merged{}, fmt.Errorf("%s: %w", parts[0].folder, err)
	}
	merged := Merged{Task: first.Task}
	datasets := make([]*recorder.Dataset, len(parts))
	for i, p := range parts {
		datasets[i] = p.dataset
		merged.Episodes += p.record.Recorded.Episodes
		merged.Faults += p.record.Recorded.Faults
	}
	err = disk.NewFolder(disk.OS{}, out, rundir.Owns, func(partial string) error {
		if err := recorder.Merge(ctx, partial, datasets, env.RecorderOptions(config), opt.Progress); err != nil {
			return err
		}
		if merged.NoLog, err = mergeLogs(parts, partial); err != nil {
			return err
		}
		if err := mergeRecipes(parts, partial, merged.Recorded); err != nil {
			return err
		}
		d, err := recorder.Open(partial)
		if err != nil {
			return err
		}
		if merged.Cameras, merged.NoCameras, err = frames.Merge(ctx, d, folders); err != nil {
			return err
		}
		for _, t := range d.Tables {
			rows, err := d.Rows(t.Name)
			bytes, err2 := d.Bytes(t.Name)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			merged.Rows, merged.Bytes = merged.Rows+rows, merged.Bytes+bytes
		}
		return nil
	})
	if errors.Is(err, disk.ErrFolder) {
		err = usage.Mark(err)
	}
	return merged, err
}

// mergeLogs writes the log of the run and a copy of what drove it, or says why not, if slices have logs. All must
// have one, of the same machines and --log-every, and the run an end in time: with an end in episodes, the log of one
// process also has what worlds do between their last episode and that of the others, which no slice computes.
func mergeLogs(parts []*openedSlice, out string) (reason string, err error) {
	logs := make([]runlog.Source, 0, len(parts))
	var missing string
	for _, p := range parts {
		f, err := disk.Open(filepath.Join(p.folder, rundir.LogFile))
		if errors.Is(err, fs.ErrNotExist) {
			missing = p.folder
			continue
		}
		if err != nil {
			return "", err
		}
		defer f.Close()
		logs = append(logs, runlog.Source{Name: f.Name(), From: f})
	}
	switch {
	case len(logs) == 0:
		return "", nil
	case missing != "":
		return fmt.Sprintf("%s has none", missing), nil
	case parts[0].record.Run.Episodes > 0:
		return "the run ends after episodes, want an end in time", nil
	}
	path := filepath.Join(out, rundir.LogFile)
	err = disk.Replace(disk.OS{}, path, false, func(w io.Writer) error { return runlog.Merge(w, logs) })
	if errors.Is(err, runlog.ErrForeign) {
		return err.Error(), nil
	}
	return "", err
}

// mergeRecipes copies what drove the run and, where the slices have recipes of one kind of processor, writes that of
// the whole.
func mergeRecipes(parts []*openedSlice, out string, recorded rundir.Recorded) error {
	h := parts[0].record.Run
	if h.Kind != logs.KindRollout {
		return nil
	}
	if h.Driver[logs.DriverCheckpoint] != "" {
		name := logs.DriverCopy(h.Driver[logs.DriverPolicy])
		contents, err := disk.ReadFile(filepath.Join(parts[0].folder, name), disk.MaxWhole)
		if errors.Is(err, fs.ErrNotExist) { // slices of an earlier version without a log
			return nil
		}
		if err == nil {
			err = disk.Replace(disk.OS{}, filepath.Join(out, name), false, disk.Bytes(contents))
		}
		if err != nil {
			return err
		}
	}
	for _, p := range parts {
		_, err := os.Stat(filepath.Join(p.folder, rundir.RecipeFile))
		if err != nil || logs.Mismatch(p.record.Run, h, false) != "" {
			return nil
		}
	}
	h.From, h.To = 0, 0
	return runs.WriteRecipe(out, h, recorded)
}

type openedSlice struct {
	folder  string
	record  runs.SliceRecord
	dataset *recorder.Dataset
}

func (s *openedSlice) worlds() sim.Slice { return env.SliceOf(s.record.Run) }

// openSlices opens the folders of slices and puts them into the order of their worlds.
func openSlices(folders []string) ([]*openedSlice, error) {
	var parts []*openedSlice
	for _, folder := range folders {
		s := &openedSlice{folder: folder}
		path := filepath.Join(folder, rundir.SliceFile)
		var err error
		s.record, err = runs.ReadSlice(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = usage.Errorf("%s has no %s, want the folder of a slice that is done: it is written at its end", folder,
				rundir.SliceFile)
		}
		if err != nil {
			return nil, err
		}
		h := s.record.Run
		if err := s.worlds().Check(h.Worlds, h.BlockSize); err != nil || s.worlds().IsAll() {
			return nil, fmt.Errorf("%s is damaged: the worlds %v of %d in blocks of %d are no slice",
				path, s.worlds(), h.Worlds, h.BlockSize)
		}
		if s.dataset, err = recorder.Open(folder); err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	slices.SortStableFunc(parts, func(a, b *openedSlice) int { return cmp.Compare(a.worlds().From, b.worlds().From) })
	return parts, nil
}

// checkSlices returns an error unless the slices are of one run and have each of its worlds once.
func checkSlices(parts []*openedSlice, mixed bool) error {
	if len(parts) == 0 {
		return usage.Errorf("no slices given, want the folders of all slices of a run")
	}
	first, run := parts[0], parts[0].record.Run
	for _, p := range parts[1:] {
		if text := logs.Mismatch(p.record.Run, run, mixed); text != "" {
			return usage.Errorf("%s is not of the run of %s: %s; want slices of one run", p.folder, first.folder, text)
		}
	}
	end := 0
	missing := func(begin, end int) error {
		return usage.Errorf("no slice has the worlds %v, want all worlds 0:%d", sim.Slice{From: begin, To: end}, run.Worlds)
	}
	for i, p := range parts {
		w := p.worlds()
		if w.From > end {
			return missing(end, w.From)
		}
		if w.From < end {
			both := sim.Slice{From: w.From, To: min(end, w.To)}
			return usage.Errorf("%s and %s both have the worlds %v, want each world once", parts[i-1].folder, p.folder, both)
		}
		end = w.To
	}
	if end < run.Worlds {
		return missing(end, run.Worlds)
	}
	return nil
}
