package frames

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// Table is the table of a folder of pictures, which is a dataset of its own.
const Table = "camera"

// batchRows is the largest number of rows of a record batch, for any number of workers.
const batchRows = 64

// MaxSamples is the largest number of [Options.Samples].
const MaxSamples = cast.MaxSamples

// ErrOptions is wrapped by errors about the [Options].
var ErrOptions = errors.New("want other pictures")

// Options say what pictures are added.
type Options struct {
	Camera sensors.Camera // of which Kinds are given, each once; pictures may be as large as cast takes them
	Name   string         // of the camera; "" for that which it has in the model

	// Rate is how often the camera sees. A row has the picture of the newest pose that a row of its episode had by then, as
	// a channel of that rate would have recorded, and its time. The zero value is for the pose of each row.
	Rate runners.Rate

	Workers int  // number of casters at work at once, at least 1; the files are the same for any number
	Replace bool // remove the frames that the dataset has of this camera

	// Warn, if it is not nil, is called once with what there is in the scene that the pictures do not have.
	Warn func(string)

	// Progress, if it is not nil, is called with the rows that are done.
	Progress func(done, total int64)
}

// Folder returns the folder of a camera's pictures in that of a dataset.
func Folder(dataset, camera string) string { return filepath.Join(dataset, "camera-"+camera) }

// Add writes the pictures of all rows of the table capture to a folder in that of the dataset, see [Folder]: a dataset
// with a row for each, in their order, with episode, world and t_ns, and a column of pictures for each kind, null where
// the pose is. The dataset itself does not change. The folder appears under its name when it is complete; one that is
// there is refused, unless it is to be replaced. It returns the folder and its rows.
func Add(ctx context.Context, d *recorder.Dataset, m physics.Optical, opt Options) (folder string, rows int64,
	err error) {
	opt.Name = cmp.Or(opt.Name, opt.Camera.Name)
	if err := opt.check(); err != nil {
		return "", 0, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	i := d.Table(format.CaptureTable)
	if i < 0 || !d.Tables[i].Has(format.PoseColumn) {
		return "", 0, fmt.Errorf("%s has no column %s in its table %s, want a dataset recorded with recording.pose",
			d.Dir(), format.PoseColumn, format.CaptureTable)
	}
	j := &job{ctx: ctx, d: d, table: &d.Tables[i], layout: format.NewLayout(&d.Tables[i]), opt: opt}
	if pose := m.Pose().Size; j.table.Columns[j.table.Column(format.PoseColumn)].Len != pose {
		return "", 0, fmt.Errorf("%s has poses of %d values, want %d as the model has",
			d.Dir(), j.table.Columns[j.table.Column(format.PoseColumn)].Len, pose)
	}
	if err := j.findRates(); err != nil {
		return "", 0, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if err := j.findLooks(m); err != nil {
		return "", 0, err
	}
	if err := j.calibrate(m); err != nil {
		return "", 0, err
	}
	if err := j.checkMemory(); err != nil {
		return "", 0, err
	}
	if j.total, err = d.Rows(format.CaptureTable); err != nil {
		return "", 0, err
	}
	defer func() {
		for _, w := range j.workers {
			err = errors.Join(err, w.caster.Close())
		}
	}()
	for range max(1, opt.Workers) {
		w, err := j.newWorker(m)
		if err != nil {
			return "", 0, err
		}
		j.workers = append(j.workers, w)
	}
	if unseen := j.workers[0].caster.Unseen(); unseen != nil && opt.Warn != nil {
		opt.Warn(fmt.Sprintf("the model has %s, which cameras do not see", strings.Join(unseen, ", ")))
	}
	folder = Folder(d.Dir(), opt.Name)
	if opt.Replace {
		return folder, j.total, j.replace(folder)
	}
	return folder, j.total, disk.NewFolder(disk.OS{}, folder, recorder.Owns, j.write)
}

// calibrate finds the calibration of the camera.
func (j *job) calibrate(m physics.Optical) (err error) {
	caster, err := cast.Open(m, []cast.Camera{j.opt.Camera.Cast()}, j.looks...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, caster.Close()) }()
	j.calibration = caster.Calibration(0, 0)
	if j.labels, j.shown, err = j.opt.Camera.Relabel(caster.Segments()); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	for _, s := range j.shown {
		if s.Label >= math.MaxUint16 && slices.Contains(j.opt.Camera.Kinds, physics.Segmentation) {
			return fmt.Errorf("the model has a %s of number %d, want numbers up to %d for a %s", j.opt.Camera.Labelled(),
				s.Label, math.MaxUint16-1, physics.Segmentation)
		}
	}
	j.varies, err = cast.Varies(m, j.opt.Camera.Cast(), j.looks...)
	return err
}

// checkMemory returns an error if the workers' pictures are larger than the memory.
func (j *job) checkMemory() error {
	table, pixels := j.describe(), int64(j.opt.Camera.Width)*int64(j.opt.Camera.Height)
	layout := format.NewLayout(&table)
	bytes := int64(rowsOfBatch(layout)) * int64(layout.Stride)
	for _, kind := range j.opt.Camera.Kinds {
		bytes += int64(cast.PixelBytes(kind)) * pixels
	}
	workers := max(1, j.opt.Workers)
	return memory.Check(fmt.Sprintf("%d workers with pictures of %d × %d pixels", workers, j.opt.Camera.Width, j.opt.Camera.Height),
		memory.Need{Go: int64(workers) * bytes})
}

// findLooks finds the parameters of worlds that the dataset has beside its poses.
func (j *job) findLooks(m physics.Optical) error {
	i := j.table.Column(format.LookColumn)
	if i < 0 {
		return nil
	}
	column, size := &j.table.Columns[i], 0
	for _, source := range column.Sources() {
		p, err := m.Parameter(source)
		if err != nil {
			return fmt.Errorf("%s, column %s: %w", j.d.Dir(), format.LookColumn, err)
		}
		j.looks, size = append(j.looks, p), size+p.Size
	}
	if column.Len != size {
		return fmt.Errorf("%s has %d values in its column %s, want %d as the model has", j.d.Dir(), column.Len,
			format.LookColumn, size)
	}
	return nil
}

// replace writes a folder beside the one that is there, if there is one, and exchanges their names when all is written.
// The other has a name with a dot, which nobody takes for pictures: a process may be killed before it is removed. On a
// file system that cannot exchange names there is neither for a moment.
func (j *job) replace(folder string) error {
	fsys, hidden := disk.OS{}, filepath.Join(filepath.Dir(folder), "."+filepath.Base(folder))
	next, last := hidden+".new", hidden+".old"
	for _, old := range []string{next, last} {
		if err := disk.RemoveOurs(fsys, old, recorder.Owns); err != nil {
			return err
		}
	}
	switch h, err := disk.Hold(folder, recorder.Owns); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(h.Foreign) > 0:
		return disk.ForeignError(h.Foreign)
	}
	if err := disk.NewFolder(fsys, next, recorder.Owns, j.write); err != nil {
		return err
	}
	err := unix.Renameat2(unix.AT_FDCWD, next, unix.AT_FDCWD, folder, unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
		return cmp.Or(disk.SyncName(fsys, folder), disk.RemoveOurs(fsys, next, recorder.Owns))
	case !errors.Is(err, unix.ENOENT):
		if err := fsys.Rename(folder, last); err != nil {
			return err
		}
	}
	return cmp.Or(fsys.Rename(next, folder), disk.SyncName(fsys, folder), disk.RemoveOurs(fsys, last, recorder.Owns))
}

func (o *Options) check() error {
	if o.Name == "" || strings.ContainsAny(o.Name, "/\x00") || len(o.Name) > 200 {
		return fmt.Errorf("camera is %q, want the name of one of the model's, or of its own, without a slash", o.Name)
	}
	if len(o.Camera.Kinds) == 0 {
		return fmt.Errorf("no kinds, want some of %s", strings.Join(physics.PictureKinds(), ","))
	}
	return o.Camera.Check()
}

type job struct {
	ctx     context.Context
	d       *recorder.Dataset
	table   *format.Table
	layout  *format.Layout
	opt     Options
	looks   []physics.Vector // sources of the column of looks
	rate    runners.Rate     // of the table, if the camera has one of its own
	seen    map[int64]view   // by world: what the camera saw last
	workers []*worker

	calibration cast.Calibration // in the initial state
	varies      bool             // each world has its own field of view
	labels      sensors.Labels
	shown       []physics.Segment // what the segmentation may show

	done, total int64
}

// write takes the pictures of as many batches at once as there are workers, and writes them in order, as a dataset of
// one table with the keys of the rows.
func (j *job) write(partial string) (err error) {
	table := j.describe()
	w, err := recorder.Create(partial, []format.Table{table}, 1, j.d.Metadata, recorder.Options{BatchRows: batchRows})
	if err != nil {
		return err
	}
	defer w.Abort() // unless it is closed
	rows := w.BlockWriter(0)
	batches := 0
	flush := func() error {
		var group errgroup.Group
		for _, worker := range j.workers[:batches] {
			group.Go(worker.draw)
		}
		if err := cmp.Or(group.Wait(), j.ctx.Err()); err != nil {
			return err
		}
		for _, worker := range j.workers[:batches] {
			for _, row := range worker.rendered {
				rows.Begin(0, recorder.Key{N: j.done}).Copy(row)
				j.done++
			}
			worker.clear()
		}
		batches = 0
		if j.opt.Progress != nil {
			j.opt.Progress(j.done, j.total)
		}
		return rows.EndSegment()
	}
	for r, err := range j.d.EachRow(format.CaptureTable) {
		if err != nil {
			return err
		}
		worker := j.workers[batches]
		seen, err := j.look(r)
		if err != nil {
			return fmt.Errorf("table %q: %w", format.CaptureTable, err)
		}
		worker.add(r, seen)
		if worker.rows() < worker.most {
			continue
		}
		if batches++; batches == len(j.workers) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if batches < len(j.workers) && j.workers[batches].rows() > 0 {
		batches++
	}
	if err := flush(); err != nil {
		return err
	}
	return w.Close()
}

// describe returns the table of the pictures.
func (j *job) describe() format.Table {
	description := fmt.Sprintf("Pictures of the camera %s, %d × %d pixels, in the pose of each row of the table %s.",
		j.opt.Name, j.opt.Camera.Width, j.opt.Camera.Height, j.table.Name)
	if j.opt.Camera.Samples > 1 {
		description += fmt.Sprintf(" Colours are means of %d samples.", j.opt.Camera.Samples)
	}
	if j.opt.Camera.Reflections {
		description += " Planes reflect."
	}
	if c := j.opt.Camera; c.Name == "" || c.FOV != nil || c.Coefficients() != [5]float64{} || c.MaxDistance > 0 {
		description += fmt.Sprintf(" It is %v.", c)
	}
	if !j.opt.Rate.IsZero() {
		description += fmt.Sprintf(" The camera sees at %s Hz.", j.opt.Rate)
	}
	t := format.Table{Name: Table, Rate: j.table.Rate, Description: description}
	for _, name := range []string{"episode", "world", "t_ns"} {
		t.Columns = append(t.Columns, j.table.Columns[j.table.Column(name)])
	}
	camera, columns := format.NewCalibration("", j.opt.Camera.Width, j.opt.Camera.Height,
		j.calibration.Projection, j.calibration.Focal, j.calibration.Principal, j.opt.Camera.Coefficients(), j.varies)
	for _, kind := range j.opt.Camera.Kinds {
		column := format.PictureColumn(kind, kind, j.opt.Camera.Width, j.opt.Camera.Height)
		column.Camera = camera
		if kind == physics.Segmentation {
			column.SetSegments(j.opt.Camera.Labelled(), j.shown)
		}
		t.Columns = append(t.Columns, column)
	}
	t.Columns = append(t.Columns, columns...)
	if !j.opt.Rate.IsZero() {
		for _, kind := range j.opt.Camera.Kinds {
			t.Columns = append(t.Columns, format.Column{Name: kind + "_stamp_ns", Kind: format.Int64, Nullable: true, Unit: "ns",
				Source: "recorder", Description: "time of the pose in which the camera saw " + kind})
		}
	}
	return t
}

// view is the pose in which a camera saw a world.
type view struct {
	episode, n int64     // n: number of the camera's picture in the episode
	pose       []float64 // of the world, and its look; nil: none is known
	stamp      int64     // ns
}

// findRates finds the rate of the rows, if the camera has one of its own.
func (j *job) findRates() (err error) {
	if j.opt.Rate.IsZero() {
		return nil
	}
	if j.rate, err = runners.ParseRate(j.table.Rate); err != nil {
		return fmt.Errorf("the rows of table %s are at %q, want a camera without a rate of its own: %w", j.table.Name,
			j.table.Rate, err)
	}
	j.seen = map[int64]view{}
	return nil
}

// look returns the pose in which the camera saw the world of a row.
func (j *job) look(r *format.RowReader) (view, error) {
	now := view{episode: r.Int("episode"), pose: r.Floats(format.PoseColumn)}
	if now.pose != nil && len(j.looks) > 0 {
		look := r.Floats(format.LookColumn)
		if r.Err == nil && look == nil {
			return now, fmt.Errorf("a row has a %s without a %s", format.PoseColumn, format.LookColumn)
		}
		now.pose = append(now.pose, look...)
	}
	if j.opt.Rate.IsZero() || r.Err != nil {
		return now, r.Err
	}
	world, ns := r.Int("world"), r.Int("t_ns")
	row := int64(math.Round(float64(ns) / 1e9 / j.rate.Seconds()))
	if j.rate.Timestamp(row) != ns {
		return now, fmt.Errorf("a row is at %d ns, which is no time of %s Hz", ns, j.rate)
	}
	if now.pose != nil {
		now.stamp = r.Int(format.PoseColumn + "_stamp_ns")
	}
	now.n = j.opt.Rate.Newest(j.rate, row)
	last, ok := j.seen[world]
	if !ok || last.episode != now.episode || last.n != now.n || last.pose == nil {
		j.seen[world], last = now, now
	}
	return last, r.Err
}

// worker takes the pictures of a batch of rows.
type worker struct {
	caster *cast.Caster
	layout *format.Layout // layout of the table of pictures
	kinds  []string
	labels sensors.Labels
	most   int // rows of a batch, at most: their pixels are in memory
	pose   int // number of values of a pose
	looks  int // number of values of a look
	varies bool
	far    float64 // depth from which on nothing is seen, m
	rate   bool    // the camera has one of its own

	episodes, times []int64
	worlds          []int64
	hasPose         []bool // the row has a pose
	stamps          []int64
	poses           []float64 // poses of the rows that have one

	pictures cast.Pictures
	rendered [][]byte // rows of the layout
}

// rowsOfBatch returns how many rows are in memory at once.
func rowsOfBatch(l *format.Layout) int { return min(batchRows, max(1, batchBytes/l.Stride)) }

// batchBytes is about the memory of the pixels of a batch.
const batchBytes = 4 << 20

func (j *job) newWorker(m physics.Optical) (*worker, error) {
	caster, err := cast.Open(m, []cast.Camera{j.opt.Camera.Cast()}, j.looks...)
	if err != nil {
		return nil, err
	}
	table := j.describe()
	w := &worker{caster: caster, kinds: j.opt.Camera.Kinds, labels: j.labels, layout: format.NewLayout(&table), pose: m.Pose().Size,
		varies: j.varies, far: float64(caster.Far()), rate: !j.opt.Rate.IsZero()}
	if reach := j.opt.Camera.MaxDistance; reach > 0 {
		w.far = min(w.far, reach)
	}
	for _, look := range j.looks {
		w.looks += look.Size
	}
	w.most = rowsOfBatch(w.layout)
	w.pictures = cast.NewPictures(j.opt.Camera.Kinds, j.opt.Camera.Width*j.opt.Camera.Height)
	return w, nil
}

func (w *worker) rows() int { return len(w.hasPose) }

// add adds a row, whose world was seen in a pose.
func (w *worker) add(r *format.RowReader, seen view) {
	w.episodes, w.times = append(w.episodes, r.Int("episode")), append(w.times, r.Int("t_ns"))
	w.worlds = append(w.worlds, r.Int("world"))
	w.hasPose, w.stamps = append(w.hasPose, seen.pose != nil), append(w.stamps, seen.stamp)
	w.poses = append(w.poses, seen.pose...)
}

func (w *worker) clear() {
	w.episodes, w.times, w.worlds = w.episodes[:0], w.times[:0], w.worlds[:0]
	w.hasPose, w.stamps, w.poses = w.hasPose[:0], w.stamps[:0], w.poses[:0]
}

// draw takes the pictures of the rows. A row in which the camera sees nothing new has a copy of the row before it.
func (w *worker) draw() error {
	newest := map[int64]int{} // by world: the row with its newest picture
	for len(w.rendered) < w.rows() {
		w.rendered = append(w.rendered, nil)
	}
	w.rendered = w.rendered[:w.rows()]
	poses, size := w.poses, w.layout.Stride
	for i, hasPose := range w.hasPose {
		w.rendered[i] = w.layout.Extend(w.rendered[i][:0])[:size]
		row := w.layout.Row(w.rendered[i])
		if k, ok := newest[w.worlds[i]]; ok && hasPose && w.rate && w.episodes[k] == w.episodes[i] && w.stamps[k] == w.stamps[i] {
			copy(w.rendered[i], w.rendered[k])
			row.Int(2, w.times[i])
			poses = poses[w.pose+w.looks:]
			continue
		}
		row.Int(0, w.episodes[i])
		row.Int(1, w.worlds[i])
		row.Int(2, w.times[i])
		if !hasPose {
			continue
		}
		newest[w.worlds[i]] = i
		if err := w.caster.Cast(0, poses[:w.pose+w.looks], w.pictures); err != nil {
			return err
		}
		poses = poses[w.pose+w.looks:]
		for k, kind := range w.kinds {
			w.set(row.Pixels(keys+k), kind)
		}
		c, column := w.caster.Calibration(0, 0), keys+len(w.kinds)
		row.Floats(column, append(c.Position[:], c.Quaternion[:]...))
		if w.varies {
			column++
			row.Floats(column, append(c.Focal[:], c.Principal[:]...))
		}
		for k := range w.kinds {
			if w.rate {
				row.Int(column+1+k, w.stamps[i])
			}
		}
	}
	return nil
}

// keys is the number of columns before the pictures.
const keys = 3

// set writes the picture of a kind as a row has it.
func (w *worker) set(pixels []byte, kind string) {
	switch kind {
	case physics.RGB:
		copy(pixels, w.pictures.RGB)
	case physics.Depth:
		for i, v := range w.pictures.Depth {
			binary.NativeEndian.PutUint16(pixels[2*i:], format.Millimetres(float64(v), w.far))
		}
	case physics.Segmentation:
		for i, v := range w.pictures.Segmentation {
			binary.NativeEndian.PutUint16(pixels[2*i:], uint16(format.ValueOf(w.labels.Of(v))))
		}
	case physics.Normals:
		for i, v := range w.pictures.Normals {
			pixels[i] = format.NormalByte(float64(v))
		}
	}
}
