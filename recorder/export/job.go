package export

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

type job struct {
	ctx    context.Context
	d      *recorder.Dataset
	tables []*format.Table // selected tables
	opt    Options
	name   string // name of the output folder
	fsys   disk.FS
	dir    string  // folder that is written, until it gets its name
	tmp    string  // folder for rows that do not fit into memory
	files  []*file // files that were opened
	failed error   // the first error of a write

	done, total int64 // rows read and written
	result      Result
	labels      *recorder.Labels
	incomplete  map[int64]bool // episodes that lost rows when the run was killed
}

// sortFolder holds what is sorted on the disk, until the export is done.
const sortFolder = ".sort"

// sourceFile holds the polyrhythm.json of the dataset that was exported.
const sourceFile = "source.json"

func (j *job) run(format Format) (err error) {
	defer func() {
		for _, f := range j.files {
			if f.target != nil {
				f.target.Close()
			}
		}
	}()
	if err := j.fsys.Mkdir(j.tmp); err != nil {
		return err
	}
	if err := format.write(j); err != nil {
		return cmp.Or(j.failed, err) // a library may say the same in many words
	}
	if err := j.writeFile(sourceFile, j.d.Document()); err != nil {
		return err
	}
	if j.opt.Card != "" {
		if err := j.writeCard(format); err != nil {
			return err
		}
	}
	return disk.RemoveOurs(j.fsys, j.tmp, disk.Files(disk.Any))
}

// expect sets the number of rows that the job reads and writes to those of some tables, unless it is set.
func (j *job) expect(tables []*format.Table) error {
	if j.total > 0 {
		return nil
	}
	for _, t := range tables {
		rows, err := j.d.Rows(t.Name)
		if err != nil {
			return err
		}
		j.total += 2 * rows
	}
	return nil
}

func (j *job) advance(rows int64) {
	j.done += rows
	if j.opt.Progress != nil {
		j.opt.Progress(j.done, j.total)
	}
}

// file is a file of the export, buffered. Its bytes are counted.
type file struct {
	*bufio.Writer
	target disk.File // nil once the file is closed
	job    *job
	size   int64
}

// open creates a file at a path below the output folder, and the folders that it is in.
func (j *job) open(path ...string) (*file, error) {
	full := filepath.Join(append([]string{j.dir}, path...)...)
	if err := j.fsys.MkdirAll(filepath.Dir(full)); err != nil {
		return nil, err
	}
	target, err := j.fsys.Create(full)
	if err != nil {
		return nil, err
	}
	f := &file{target: target, job: j}
	f.Writer = bufio.NewWriterSize(counter{f}, 1<<18)
	j.files = append(slices.DeleteFunc(j.files, func(f *file) bool { return f.target == nil }), f)
	return f, nil
}

// counter writes to a file past its buffer.
type counter struct{ f *file }

func (c counter) Write(p []byte) (int, error) {
	n, err := c.f.target.Write(p)
	c.f.size += int64(n)
	c.f.job.result.Bytes += int64(n)
	c.f.job.failed = cmp.Or(c.f.job.failed, err)
	return n, err
}

// Seek returns the current place, for writers that ask for it by a seek. It cannot move.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return f.size + int64(f.Buffered()), nil
}

// Close writes what is buffered.
func (f *file) Close() error {
	err := errors.Join(f.Flush(), f.target.Close())
	f.target = nil
	f.job.failed = cmp.Or(f.job.failed, err)
	return err
}

func (j *job) writeFile(path string, data []byte) error {
	f, err := j.open(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func (j *job) writeJSON(path string, v any) error {
	data, err := format.JSON(v)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return j.writeFile(path, data)
}
