package export

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Format is a layout that a dataset can be exported to.
type Format struct {
	Name        string
	Description string // one line: what the format has, and what happens to values

	write func(*job) error
}

// Formats returns the known formats in the order of their names.
func Formats() []Format {
	return []Format{
		{"csv", "CSV: a file per table, lists as columns name[0], name[1], …", (*job).writeCSV},
		{"hf", "Hugging Face datasets: a DatasetDict with a split per table, for load_from_disk",
			(*job).writeHuggingFace},
		{"lerobot", "LeRobot v3: frames of one table with observation.state, channels and action; floats become " +
			"float32", (*job).writeLeRobot},
		{"mcap", "MCAP: a file per episode with a channel of JSON messages per table", (*job).writeMCAP},
		{"minari", "Minari: a folder per episode with observations, actions and rewards of every control step",
			(*job).writeMinari},
		{"parquet", "Parquet: a file per table", (*job).writeParquet},
		{"png", "PNG: a file for each picture of cameras, and CSV for the other columns of their rows",
			(*job).writePNG},
	}
}

// FormatOf returns the format of a name. The error for an unknown one lists the known ones.
func FormatOf(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q; want one of %s", name, strings.Join(names, ", "))
}

// Options says what is exported. The zero value exports all.
type Options struct {
	// none: all; lerobot takes one of them, by default control, or capture if only that has pictures or there is no
	// control; minari always takes control
	Tables   []string
	Complete bool   // leave out episodes that the run did not end
	Memory   int64  // bytes of rows to sort in memory; default 256 MiB, shared by tables that are sorted at once
	Card     string // licence of a CardFile, such as "apache-2.0"; "" for none
	Video    bool   // lerobot: encode colour pictures, with loss, as H.264 by ffmpeg; other formats refuse it

	// Progress, if it is not nil, is called now and then with how many of the rows to be read and written are done.
	Progress func(done, total int64)
}

// Result says what was exported.
type Result struct {
	Episodes   int64 // with rows in any of the tables
	Rows       int64 // of all tables, episodes included
	Bytes      int64 // of all files
	Incomplete int64 // episodes that the run did not end: marked, or left out by Options.Complete

	Pictures []string // tables whose pictures a lerobot of another table has not

	// LeftOut counts the episodes that the format cannot hold, by the reason.
	LeftOut map[string]int64
}

// ErrFolder is wrapped by the error of [Export] for an output folder that it refuses.
var ErrFolder = disk.ErrFolder

// ErrTable is wrapped by the error of [Export] for a selection of tables that the dataset or the format does not have.
var ErrTable = errors.New("want other tables")

// ErrVideo is wrapped by the error of [Export] for videos in a format without.
var ErrVideo = errors.New("want lerobot, or pictures without loss")

// Export writes a dataset in a format to the folder out, which must not be there or be empty. It writes to a folder
// beside it, .NAME.partial, and renames that at the end. After an error, or when the context is cancelled, it removes
// that folder, as it removes what a killed export left there.
func Export(ctx context.Context, d *recorder.Dataset, format Format, out string, opt Options) (Result, error) {
	return exportOn(ctx, disk.OS{}, d, format, out, opt)
}

func exportOn(ctx context.Context, fsys disk.FS, d *recorder.Dataset, format Format, out string,
	opt Options) (Result, error) {
	if opt.Memory <= 0 {
		opt.Memory = 256 << 20
	}
	if opt.Video && format.Name != "lerobot" {
		return Result{}, fmt.Errorf("%s has no videos: %w", format.Name, ErrVideo)
	}
	tables, err := selectTables(d, opt.Tables)
	if err != nil {
		return Result{}, err
	}
	full, err := filepath.Abs(out)
	if err != nil {
		return Result{}, err
	}
	j := &job{ctx: ctx, d: d, tables: tables, opt: opt, name: filepath.Base(full), fsys: fsys,
		incomplete: map[int64]bool{},
		result:     Result{LeftOut: map[string]int64{}}}
	if d.Recovery != nil {
		for _, e := range d.Recovery.Incomplete {
			j.incomplete[e.Episode] = true
		}
	}
	if j.labels, err = d.Labels(); err != nil {
		return Result{}, err
	}
	err = disk.NewFolder(fsys, out, owns, func(partial string) error {
		j.dir, j.tmp = partial, filepath.Join(partial, sortFolder)
		return j.run(format)
	})
	if err != nil {
		return Result{}, err
	}
	return j.result, nil
}

// selectTables returns the tables of these names, all if there are none.
func selectTables(d *recorder.Dataset, names []string) ([]*format.Table, error) {
	var known []string
	var tables []*format.Table
	for i := range d.Tables {
		known = append(known, d.Tables[i].Name)
		if len(names) == 0 || slices.Contains(names, d.Tables[i].Name) {
			tables = append(tables, &d.Tables[i])
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("the dataset has no table %q: %w: %s", name, ErrTable, strings.Join(known, ", "))
		}
	}
	return tables, nil
}
