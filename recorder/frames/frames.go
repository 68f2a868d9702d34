package frames

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/cast"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// The kinds of pictures, which are names of columns.
const (
	RGB          = "rgb"          // 8 bits of red, green and blue
	Depth        = "depth"        // 16 bits: millimetres along the axis of view; 0 for nothing, or beyond 65.535 m
	Segmentation = "segmentation" // 16 bits: the number of the geom and 1; 0 for nothing
)

// Kinds lists the kinds of pictures.
func Kinds() []string { return []string{RGB, Depth, Segmentation} }

// PoseColumn is the column of the table capture from which pictures are taken.
const PoseColumn = "pose"

// batchRows is the number of rows of a record batch, for any number of workers.
const batchRows = 64

// ErrOptions is wrapped by errors about the [Options].
var ErrOptions = errors.New("want other pictures")

// Options say what pictures are added.
type Options struct {
	Camera  string // of the model
	Width   int    // pixels
	Height  int
	Kinds   []string // some of Kinds, each once
	Workers int      // casters at work at once, at least 1; the files are the same for any number
	Replace bool     // remove frames of this camera that are there

	// Progress, if it is not nil, is called with the rows that are done.
	Progress func(done, total int64)
}

// Folder returns the folder of a camera's pictures in that of a dataset.
func Folder(dataset, camera string) string { return filepath.Join(dataset, "camera-"+camera) }

// Add writes the pictures of all rows of the table capture to a folder in that of the dataset, see [Folder], which
// load_from_disk of Hugging Face's datasets reads: a row for each, in their order, with episode, world and t_ns, and a
// column of PNG files for each kind, null where the pose is. The dataset itself does not change. The folder appears
// under its name when it is complete; one that is there is refused. It returns the folder and its rows.
func Add(ctx context.Context, d *recorder.Dataset, m physics.Optical, opt Options) (folder string, rows int64,
	err error) {
	if err := opt.check(); err != nil {
		return "", 0, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	i := d.Table(format.CaptureTable)
	if i < 0 || !d.Tables[i].Has(PoseColumn) {
		return "", 0, fmt.Errorf("%s has no column %s in its table %s, want a dataset recorded with recording.pose",
			d.Dir(), PoseColumn, format.CaptureTable)
	}
	j := &job{ctx: ctx, d: d, table: &d.Tables[i], layout: format.NewLayout(&d.Tables[i]), opt: opt}
	if pose := m.Pose().Size; j.table.Columns[j.table.Column(PoseColumn)].Len != pose {
		return "", 0, fmt.Errorf("%s has poses of %d values, want %d as the model has",
			d.Dir(), j.table.Columns[j.table.Column(PoseColumn)].Len, pose)
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
		w, err := newWorker(m, opt)
		if err != nil {
			return "", 0, err
		}
		j.workers = append(j.workers, w)
	}
	folder = Folder(d.Dir(), opt.Camera)
	if opt.Replace {
		return folder, j.total, j.replace(folder)
	}
	return folder, j.total, disk.NewFolder(disk.OS{}, folder, j.write)
}

// replace writes a folder beside the one that is there, which it removes when all is written.
func (j *job) replace(folder string) error {
	fsys, next := disk.OS{}, folder+".new"
	if err := fsys.RemoveAll(next); err != nil { // of one that was killed
		return err
	}
	if err := disk.NewFolder(fsys, next, j.write); err != nil {
		return err
	}
	if err := fsys.RemoveAll(folder); err != nil {
		return err
	}
	return fsys.Rename(next, folder)
}

func (o *Options) check() error {
	if o.Camera == "" || strings.ContainsAny(o.Camera, "/\x00") || len(o.Camera) > 200 {
		return fmt.Errorf("camera is %q, want the name of one of the model's, without a slash", o.Camera)
	}
	for i, kind := range o.Kinds {
		if !slices.Contains(Kinds(), kind) || slices.Contains(o.Kinds[:i], kind) {
			return fmt.Errorf("kinds are %s, want some of %s, each once", strings.Join(o.Kinds, ","),
				strings.Join(Kinds(), ","))
		}
	}
	if len(o.Kinds) == 0 {
		return fmt.Errorf("no kinds, want some of %s", strings.Join(Kinds(), ","))
	}
	return nil
}

type job struct {
	ctx     context.Context
	d       *recorder.Dataset
	table   *format.Table
	layout  *format.Layout
	opt     Options
	workers []*worker

	done, total int64
}

// write takes the pictures of as many batches at once as there are workers, and writes them in order.
func (j *job) write(partial string) (err error) {
	w, err := newWriter(partial, j)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.discard()
		}
	}()
	batches := 0
	flush := func() error {
		var group errgroup.Group
		for _, at := range j.workers[:batches] {
			group.Go(at.draw)
		}
		if err := cmp.Or(group.Wait(), j.ctx.Err()); err != nil {
			return err
		}
		for _, at := range j.workers[:batches] {
			if err := w.batch(at); err != nil {
				return err
			}
			j.done += int64(at.rows())
			at.clear()
		}
		batches = 0
		if j.opt.Progress != nil {
			j.opt.Progress(j.done, j.total)
		}
		return nil
	}
	for r, err := range j.d.EachRow(format.CaptureTable) {
		if err != nil {
			return err
		}
		at := j.workers[batches]
		if err := at.add(r); err != nil {
			return fmt.Errorf("table %q: %w", format.CaptureTable, err)
		}
		if at.rows() < batchRows {
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
	return w.close()
}

// worker takes the pictures of a batch of rows.
type worker struct {
	caster  *cast.Caster
	kinds   []string
	width   int
	height  int
	far     float32
	encoder encoder

	episodes, times []int64
	worlds          []int64
	seen            []bool    // the row has a pose
	poses           []float64 // of those that have one

	into     cast.Pictures
	pictures [][][]byte // PNG files by kind, of the rows that have a pose
}

func newWorker(m physics.Optical, opt Options) (*worker, error) {
	camera := cast.Camera{Mount: physics.Mount{Camera: opt.Camera}, Width: opt.Width, Height: opt.Height}
	optics := m.Optics()
	for _, shape := range optics.Shapes {
		if shape.Label >= math.MaxUint16 && slices.Contains(opt.Kinds, Segmentation) {
			return nil, fmt.Errorf("the model has a geom of number %d, want numbers up to %d for a %s", shape.Label,
				math.MaxUint16-1, Segmentation)
		}
	}
	caster, err := cast.Open(m, []cast.Camera{camera})
	if err != nil {
		return nil, err
	}
	return &worker{
		caster: caster, kinds: opt.Kinds, width: opt.Width, height: opt.Height, far: float32(optics.Far),
		pictures: make([][][]byte, len(opt.Kinds)),
	}, nil
}

func (w *worker) rows() int { return len(w.seen) }

func (w *worker) add(r *format.RowReader) error {
	w.episodes, w.times = append(w.episodes, r.Int("episode")), append(w.times, r.Int("t_ns"))
	w.worlds = append(w.worlds, r.Int("world"))
	pose := r.Floats(PoseColumn)
	w.seen = append(w.seen, pose != nil)
	w.poses = append(w.poses, pose...)
	return r.Err
}

func (w *worker) clear() {
	w.episodes, w.times, w.worlds = w.episodes[:0], w.times[:0], w.worlds[:0]
	w.seen, w.poses = w.seen[:0], w.poses[:0]
}

// draw takes and encodes the pictures, one row after the other, so that memory does not grow with the batch.
func (w *worker) draw() error {
	pixels := w.width * w.height
	for i := range w.pictures {
		w.pictures[i] = w.pictures[i][:0]
	}
	if w.into.RGB == nil && slices.Contains(w.kinds, RGB) {
		w.into.RGB = make([]byte, 3*pixels)
	}
	if w.into.Depth == nil && slices.Contains(w.kinds, Depth) {
		w.into.Depth = make([]float32, pixels)
	}
	if w.into.Segmentation == nil && slices.Contains(w.kinds, Segmentation) {
		w.into.Segmentation = make([]int32, pixels)
	}
	n := 0
	for _, seen := range w.seen {
		if seen {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	size := len(w.poses) / n
	for row := range n {
		if err := w.caster.Cast(0, w.poses[row*size:(row+1)*size], w.into); err != nil {
			return err
		}
		for k, kind := range w.kinds {
			png, err := w.encoder.encode(kind, w.width, w.height, &w.into, w.far)
			if err != nil {
				return err
			}
			w.pictures[k] = append(w.pictures[k], png)
		}
	}
	return nil
}
