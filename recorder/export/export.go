package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Format is a layout that a dataset can be exported to.
type Format struct {
	Name string
	What string // one line: what it writes, and what it does to values

	write func(*job) error
}

// Formats returns the known formats.
func Formats() []Format {
	return []Format{
		{"hf", "Hugging Face datasets: a DatasetDict with a split per table, for load_from_disk", (*job).writeHuggingFace},
		{"minari", "Minari: a folder per episode with observations, actions and rewards of every control step", (*job).writeMinari},
		{"lerobot", "LeRobot v3: frames of one table with observation.state, channels and action; floats become float32", (*job).writeLeRobot},
		{"parquet", "Parquet: a file per table", (*job).writeParquet},
		{"mcap", "MCAP: a file per episode with a channel of JSON messages per table", (*job).writeMCAP},
		{"csv", "CSV: a file per table, lists as columns name[0], name[1], …", (*job).writeCSV},
	}
}

// FormatOf returns the format of a name. The error for an unknown one names those there are.
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

// Options says what is exported. The zero value means all of it.
type Options struct {
	Tables   []string // none: all; lerobot takes one of them, by default control, else capture; minari always takes control
	Complete bool     // leave out episodes that the run did not end
	Memory   int64    // bytes of rows to sort in memory; default 256 MiB, shared by tables that are sorted at once

	// Progress, if it is not nil, is told now and then how many of the rows to be read and written have been.
	Progress func(done, total int64)
}

// Result says what was exported.
type Result struct {
	Episodes   int64 // with rows in any of the tables
	Rows       int64 // of all tables, episodes included
	Bytes      int64 // of all files
	Incomplete int64 // episodes that the run did not end: marked, or left out by Options.Complete

	// LeftOut counts episodes without what the format needs of each, by the reason.
	LeftOut map[string]int64
}

// ErrFolder is wrapped by the error of [Export] for an output folder that it refuses.
var ErrFolder = errors.New("want a folder that is not there or empty")

// Export writes a dataset in a format to the folder out, which must not be there or be empty. It writes to a folder beside
// it, .NAME.partial, and renames that at the end; after an error, or when the context is cancelled, it removes it. What an
// export that was killed left there goes, too.
func Export(ctx context.Context, d *recorder.Dataset, format Format, out string, opt Options) (Result, error) {
	return export(ctx, d, format, out, opt, createFile)
}

func export(ctx context.Context, d *recorder.Dataset, format Format, out string, opt Options, create fileCreator) (_ Result, err error) {
	if opt.Memory <= 0 {
		opt.Memory = 256 << 20
	}
	tables, err := selectTables(d, opt.Tables)
	if err != nil {
		return Result{}, err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return Result{}, fmt.Errorf("export: %w", err)
	}
	if err := checkEmpty(out); err != nil {
		return Result{}, err
	}
	partial := filepath.Join(filepath.Dir(out), "."+filepath.Base(out)+".partial")
	held, err := makePartial(partial)
	if err != nil {
		return Result{}, err
	}
	defer held.Close()
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(partial))
		}
	}()
	j := &job{ctx: ctx, d: d, tables: tables, opt: opt, name: filepath.Base(out), dir: partial,
		tmp: filepath.Join(partial, ".sort"), create: create, lacking: map[int64]bool{}}
	if d.Recovery != nil {
		for _, e := range d.Recovery.Incomplete {
			j.lacking[e.Episode] = true
		}
	}
	if err := j.run(format); err != nil {
		return Result{}, err
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Result{}, fmt.Errorf("export: %w", err)
	}
	if err := os.Rename(partial, out); err != nil {
		return Result{}, fmt.Errorf("export: %w", err)
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
			return nil, fmt.Errorf("export: the dataset has no table %q: %w: %s", name, ErrTable, strings.Join(known, ", "))
		}
	}
	return tables, nil
}

func checkEmpty(out string) error {
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("export: %s: %w: %w", out, ErrFolder, err)
	case len(entries) > 0:
		return fmt.Errorf("export: %s is not empty: %w", out, ErrFolder)
	}
	return nil
}

// makePartial makes the folder of an export and takes the lock on it that the export holds: an flock, which the system gives
// back when the process ends. A folder without one is what a killed export left. Closing the file gives the lock back.
func makePartial(partial string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(partial), 0o777); err != nil {
		return nil, fmt.Errorf("export: output folder: %w", err)
	}
	f, err := lockNew(partial)
	if errors.Is(err, fs.ErrExist) {
		if err = removeLeft(partial); err == nil {
			f, err = lockNew(partial)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.EWOULDBLOCK):
		return nil, fmt.Errorf("export: %s is there: another export is writing it", partial)
	case err != nil:
		return nil, fmt.Errorf("export: output folder: %w", err)
	}
	return f, nil
}

// lockNew makes a folder and locks it, where the file system has locks.
func lockNew(dir string) (*os.File, error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = lock(f)
	if err == nil {
		err = still(dir, f)
	} else if !errors.Is(err, syscall.EWOULDBLOCK) {
		return f, nil
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// still fails unless a folder is the one that was opened: before it was locked, somebody may have taken it for what a killed
// export left.
func still(dir string, opened *os.File) error {
	mine, err := opened.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(dir)
	if err == nil && !os.SameFile(mine, there) {
		err = fs.ErrExist
	}
	return err
}

// removeLeft removes the folder of an export that was killed; it fails where one may be at work.
func removeLeft(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// job is one export on its way.
type job struct {
	ctx    context.Context
	d      *recorder.Dataset
	tables []*format.Table // selected
	opt    Options
	name   string // of the output folder
	dir    string // what stands for it until the end
	tmp    string // folder for rows that are put aside
	create fileCreator
	files  []*file // opened

	done, total int64 // rows read and written
	result      Result
	lacking     map[int64]bool // episodes that lost rows when the run was killed
}

// sourceFile holds the polyrhythm.json of the dataset that was exported.
const sourceFile = "source.json"

func (j *job) run(format Format) (err error) {
	defer func() {
		for _, f := range j.files {
			if f.to != nil {
				f.to.Close()
			}
		}
	}()
	if err := os.Mkdir(j.tmp, 0o777); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := format.write(j); err != nil {
		return err
	}
	if err := j.writeFile(sourceFile, j.d.Document()); err != nil {
		return err
	}
	if err := os.RemoveAll(j.tmp); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// expect adds the rows of some tables to those that the job reads and writes.
func (j *job) expect(tables ...*format.Table) error {
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

// fileCreator opens a new file for writing and fails if it exists.
type fileCreator func(path string) (io.WriteCloser, error)

func createFile(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// file is a file of the export, buffered. Its bytes are counted.
type file struct {
	*bufio.Writer
	to   io.WriteCloser // nil once closed
	job  *job
	size int64
}

// open makes a file, and the folders it is in, at a path below the output folder.
func (j *job) open(path ...string) (*file, error) {
	full := filepath.Join(append([]string{j.dir}, path...)...)
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	to, err := j.create(full)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	f := &file{to: to, job: j}
	f.Writer = bufio.NewWriterSize(counter{f}, 1<<18)
	j.files = append(slices.DeleteFunc(j.files, func(f *file) bool { return f.to == nil }), f)
	return f, nil
}

// counter writes to a file past its buffer.
type counter struct{ f *file }

func (c counter) Write(p []byte) (int, error) {
	n, err := c.f.to.Write(p)
	c.f.size += int64(n)
	c.f.job.result.Bytes += int64(n)
	return n, err
}

// Seek tells where the file stands, for those who ask by a seek to there. It seeks nowhere else.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return f.size + int64(f.Buffered()), nil
}

// Close writes what is buffered.
func (f *file) Close() error {
	err := errors.Join(f.Flush(), f.to.Close())
	f.to = nil
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
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("export: %s: %w", path, err)
	}
	return j.writeFile(path, append(data, '\n'))
}

// episode is one episode on its way through an export.
type episode struct {
	number int64
	row    []byte // of the table episodes; nil where the run did not come to write it
	table  *format.Layout
	from   []*sorted
	taken  []int64 // rows, by table
	job    *job
}

// rows returns the next rows in the table at a place of eachEpisode's list, valid until the next call; none at the end.
func (e *episode) rows(table int) ([]byte, error) {
	if err := e.job.ctx.Err(); err != nil {
		return nil, err
	}
	s := e.from[table]
	rows, err := s.take(e.number)
	n := int64(len(rows) / s.layout.Stride)
	e.taken[table] += n
	e.job.advance(n)
	return rows, err
}

// hasRows reports whether any table has rows of the episode that were not taken yet.
func (e *episode) hasRows() bool {
	return slices.ContainsFunc(e.from, func(s *sorted) bool {
		number, ok := s.next()
		return ok && number == e.number
	})
}

// column is the place of a column of the episode's row in the table episodes; ok is false where that has no value.
func (e *episode) column(name string) (i int, ok bool) {
	if e.row == nil {
		return 0, false
	}
	i = e.table.Column(name)
	return i, i >= 0 && !e.table.IsNull(e.row, i)
}

// int returns what the episode's row in the table episodes says; ok is false where there is no such row or column.
func (e *episode) int(column string) (v int64, ok bool) {
	i, ok := e.column(column)
	if !ok {
		return 0, false
	}
	return e.table.Int(e.row, i), true
}

// float is int for a column of numbers.
func (e *episode) float(column string) (v float64, ok bool) {
	i, ok := e.column(column)
	if !ok {
		return 0, false
	}
	return e.table.Float(e.row, i, 0), true
}

// is returns what the episode's row says, false where there is none.
func (e *episode) is(column string) bool {
	v, _ := e.int(column)
	return v != 0
}

// leaveOut counts an episode that the format cannot have.
func (j *job) leaveOut(why string) error {
	if j.result.LeftOut == nil {
		j.result.LeftOut = map[string]int64{}
	}
	j.result.LeftOut[why]++
	return nil
}

// Reasons to leave an episode out.
const (
	notRecorded = "the configuration did not select their rows"
	noRows      = "they have no rows"
	lostRows    = "rows were lost when the run was killed"
)

// recorded reports whether the configuration selected the rows of the episode.
func (e *episode) recorded() bool {
	v, ok := e.int("recorded")
	return !ok || v != 0
}

// lacksRows reports whether rows were lost when the run was killed.
func (e *episode) lacksRows() bool { return e.row == nil || e.job.lacking[e.number] }

// complete reports whether the run ended the episode, and all its rows are there.
func (e *episode) complete() bool { return e.is("complete") && !e.lacksRows() }

// prefixOf begins the names of the columns in which the table episodes speaks of another table.
func prefixOf(table string) string {
	if table == format.CaptureTable {
		return ""
	}
	return table + "_"
}

// eachEpisode calls visit for every episode of some tables, in ascending order. The rows that visit leaves are passed over.
// It fails where an episode has another number of rows than the table episodes says, unless
// they were lost when the run was killed.
func (j *job) eachEpisode(tables []*format.Table, visit func(*episode) error) (err error) {
	share := j.opt.Memory / int64(len(tables)+1)
	var all []*sorted
	defer func() {
		for _, s := range all {
			s.close()
		}
	}()
	sort := func(t *format.Table, read func(int64)) (*sorted, error) {
		s, err := sortTable(j.ctx, j.d, t, share, j.tmp, read)
		if err == nil {
			all = append(all, s)
		}
		return s, err
	}
	e := &episode{job: j, taken: make([]int64, len(tables))}
	for _, t := range tables {
		s, err := sort(t, j.advance)
		if err != nil {
			return err
		}
		e.from = append(e.from, s)
	}
	var closed *sorted // the rows of the table episodes
	if i := slices.IndexFunc(j.d.Tables, func(t format.Table) bool { return t.Name == format.EpisodesTable }); i >= 0 {
		if closed, err = sort(&j.d.Tables[i], func(int64) {}); err != nil {
			return err
		}
		e.table = closed.layout
	}
	for {
		more, err := e.next(closed)
		if err != nil || !more {
			return err
		}
		if err := j.visit(e, tables, visit); err != nil {
			return err
		}
	}
}

// next goes on to the lowest episode that has rows left in any table.
func (e *episode) next(closed *sorted) (more bool, err error) {
	e.row = nil
	for _, s := range append(slices.Clip(e.from), closed) {
		if s == nil {
			continue
		}
		if number, ok := s.next(); ok && (!more || number < e.number) {
			e.number, more = number, true
		}
	}
	if !more || closed == nil {
		return more, nil
	}
	rows, err := closed.take(e.number)
	if err != nil || len(rows) == 0 {
		return more, err
	}
	if len(rows) > closed.layout.Stride {
		return false, fmt.Errorf("export: table %q has %d rows of episode %d, want 1", format.EpisodesTable, len(rows)/closed.layout.Stride, e.number)
	}
	e.row = rows
	return more, nil
}

// visit calls f for an episode, passes over the rows that f left, and counts.
func (j *job) visit(e *episode, tables []*format.Table, f func(*episode) error) error {
	clear(e.taken)
	wanted := true
	if !e.complete() {
		j.result.Incomplete++
		wanted = !j.opt.Complete
	}
	if wanted {
		if err := f(e); err != nil {
			return err
		}
	}
	rows := int64(0)
	for i, t := range tables {
		for {
			left, err := e.rows(i)
			if err != nil {
				return err
			}
			if len(left) == 0 {
				break
			}
		}
		if want, ok := e.int(prefixOf(t.Name) + "rows"); ok && !e.lacksRows() && t.Name != format.EpisodesTable && e.taken[i] != want {
			return fmt.Errorf("export: table %q has %d rows of episode %d, but the table %q says %d",
				t.Name, e.taken[i], e.number, format.EpisodesTable, want)
		}
		rows += e.taken[i]
	}
	if wanted && rows > 0 {
		j.result.Episodes++
		j.result.Rows += rows
	}
	return nil
}
