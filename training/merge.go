package training

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/frames"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// sliceRecord is the contents of [SliceFile].
type sliceRecord struct {
	Run      runlog.Header `json:"run"` // From and To are the slice
	Recorded Recorded      `json:"recorded"`
	Digest   string        `json:"digest"` // SHA-256 of the record as JSON with an empty one
}

// signed returns the record with its digest.
func (r sliceRecord) signed() sliceRecord {
	r.Digest = ""
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // cannot happen: plain data
	}
	r.Digest = sha256Of(text)
	return r
}

// readSlice reads the record of a slice, which is as it was written, byte for byte.
func readSlice(path string) (r sliceRecord, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s is damaged: %w", path, err)
	}
	var whole bytes.Buffer
	if err := disk.JSON(r.signed())(&whole); err != nil || !bytes.Equal(data, whole.Bytes()) {
		return r, fmt.Errorf("%s is damaged: it has not the digest %q that it says", path, r.Digest)
	}
	return r, nil
}

// episodesOf returns how many of the first episodes of a run its slice has.
func episodesOf(slice sim.Slice, worlds int, episodes int64) int64 {
	if slice.IsAll() {
		return episodes
	}
	rest := int(episodes % int64(worlds)) // the worlds below it have one more
	return episodes/int64(worlds)*int64(slice.Len()) + int64(max(0, min(rest, slice.To)-slice.From))
}

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
	Recorded
	Task  string
	Rows  int64  // of all tables
	Bytes int64  // of the streams
	NoLog string // why there is no log, though slices have one

	Cameras, NoCameras []string // of whose pictures those of all slices are there, and of which only some slices have any
}

// Merge makes, in the folder out, the dataset of a run from the folders of its slices, in any order, that [Rollout]
// or a [Collector] recorded. out must not exist or be empty; it appears when all is written. Its files are those of
// the dataset that [Rollout] or [Train] writes in one process, byte for byte, the recipe of a rollout included; after
// one with an end in time whose slices all have a log, with the log, for [Replay]. Pictures of a camera that were added
// to all slices are merged too.
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
	err = disk.NewFolder(disk.OS{}, out, func(partial string) error {
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
		err = asUsage(err)
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
		f, err := os.Open(filepath.Join(p.folder, LogFile))
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
	path := filepath.Join(out, LogFile)
	err = disk.Replace(disk.OS{}, path, false, func(w io.Writer) error { return runlog.Merge(w, logs) })
	if errors.Is(err, runlog.ErrForeign) {
		return err.Error(), nil
	}
	return "", err
}

// mergeRecipes copies what drove the run and, where the slices have recipes of one kind of processor, writes that of
// the whole.
func mergeRecipes(parts []*openedSlice, out string, recorded Recorded) error {
	h := parts[0].record.Run
	if h.Kind != kindRollout {
		return nil
	}
	if h.Driver[driverCheckpoint] != "" {
		name := copyOf(h.Driver[driverPolicy])
		contents, err := os.ReadFile(filepath.Join(parts[0].folder, name))
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
		if _, err := os.Stat(filepath.Join(p.folder, RecipeFile)); err != nil || mismatch(p.record.Run, h, false) != "" {
			return nil
		}
	}
	h.From, h.To = 0, 0
	return writeRecipe(out, h, recorded)
}

type openedSlice struct {
	folder  string
	record  sliceRecord
	dataset *recorder.Dataset
}

func (s *openedSlice) worlds() sim.Slice { return env.SliceOf(s.record.Run) }

// openSlices opens the folders of slices and puts them into the order of their worlds.
func openSlices(folders []string) ([]*openedSlice, error) {
	var parts []*openedSlice
	for _, folder := range folders {
		s := &openedSlice{folder: folder}
		path := filepath.Join(folder, SliceFile)
		var err error
		s.record, err = readSlice(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = usagef("%s has no %s, want the folder of a slice that is done: it is written at its end", folder, SliceFile)
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
		return usagef("no slices given, want the folders of all slices of a run")
	}
	first, run := parts[0], parts[0].record.Run
	for _, p := range parts[1:] {
		if text := mismatch(p.record.Run, run, mixed); text != "" {
			return usagef("%s is not of the run of %s: %s; want slices of one run", p.folder, first.folder, text)
		}
	}
	end := 0
	missing := func(begin, end int) error {
		return usagef("no slice has the worlds %v, want all worlds 0:%d", sim.Slice{From: begin, To: end}, run.Worlds)
	}
	for i, p := range parts {
		w := p.worlds()
		if w.From > end {
			return missing(end, w.From)
		}
		if w.From < end {
			both := sim.Slice{From: w.From, To: min(end, w.To)}
			return usagef("%s and %s both have the worlds %v, want each world once", parts[i-1].folder, p.folder, both)
		}
		end = w.To
	}
	if end < run.Worlds {
		return missing(end, run.Worlds)
	}
	return nil
}

// mismatch says in which way a slice is not of the same run as another one; "" if it is.
func mismatch(a, b runlog.Header, mixed bool) string {
	facts := func(h runlog.Header) []string {
		var list []string
		for _, fact := range []struct {
			format string
			value  any
		}{
			{"the kind %s", h.Kind}, {"the seed %d", h.Seed}, {"%d worlds", h.Worlds}, {"blocks of %d worlds", h.BlockSize},
			{"an end after %d episodes", h.Episodes},
			{"an end after %s control steps", cmp.Or(h.Driver[driverSteps], "0")},
			{"the policy %s", h.Driver[driverPolicy]},
			{"a policy file with CRC32C %s", cmp.Or(h.Driver[driverCheckpoint], "none")},
			{"%d steps of training before it", h.StepOffset},
			{"a model with digest %s", cmp.Or(h.Model, "none")},
		} {
			list = append(list, fmt.Sprintf(fact.format, fact.value))
		}
		for _, name := range slices.Sorted(maps.Keys(h.Versions)) {
			if !mixed || name != processorVersion && name != kernelVersion {
				list = append(list, fmt.Sprintf("%s %s", name, h.Versions[name]))
			}
		}
		for line := range strings.Lines(h.Configuration) {
			list = append(list, fmt.Sprintf("the line %q in its configuration", strings.TrimRight(line, "\n")))
		}
		return list
	}
	if own, theirs, differ := runlog.FirstDifference(facts(a), facts(b)); differ {
		return fmt.Sprintf("it has %s, the other has %s", own, theirs)
	}
	return ""
}
