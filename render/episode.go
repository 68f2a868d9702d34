package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// stampColumn is when what format.PoseColumn holds was measured.
const stampColumn = "pose_stamp_ns"

// ErrEpisode is wrapped by the errors of [ChooseEpisode] and [ReadEpisode] for an episode
// that the dataset does not have.
var ErrEpisode = errors.New("want a recorded episode")

// ErrNoPose is wrapped by the error of [CheckPose].
var ErrNoPose = errors.New("nothing to draw")

// Episode is what is drawn of a recorded episode.
type Episode struct {
	Number  int64
	Length  int64 // end T of the episode, ns; it covers [0, T)
	Times   []int64
	Stamps  []int64     // times of the measurements of the poses, ns, ascending
	Poses   [][]float64 // poses in the order of their times
	Scenery []float64   // scenery of the episode; nil: the engine needs none

	// Sources are the parameters of the model that its world had of its own and that can be seen, and Looks their values,
	// one after the other, beside each pose; nil: none.
	Sources []string
	Looks   [][]float64
}

// CheckPose returns an error unless the dataset has poses.
func CheckPose(d *recorder.Dataset) error {
	if i := d.Table(format.CaptureTable); i >= 0 && d.Tables[i].Has(format.PoseColumn) && d.HasEpisodes() {
		return nil
	}
	return fmt.Errorf("%s: %w: it has no column %s in its table %s, want one recorded with recording.pose",
		d.Dir(), ErrNoPose, format.PoseColumn, format.CaptureTable)
}

// ChooseEpisode returns the last episode that has rows, all of them, and that the run
// ended itself, else the last with all its rows: a killed run lacks rows of the last.
func ChooseEpisode(d *recorder.Dataset) (number int64, err error) {
	best, whole, found := int64(0), false, false
	capture := d.Table(format.CaptureTable)
	for e, err := range d.Episodes() {
		if err != nil {
			return 0, err
		}
		if e.Parts[capture].Rows == 0 || !e.Whole || whole && !e.Complete {
			continue
		}
		best, whole, found = e.Number, e.Complete, true
	}
	if !found {
		return 0, fmt.Errorf("%s has no episode with rows: %w", d.Dir(), ErrEpisode)
	}
	return best, nil
}

// ReadEpisode reads the poses of an episode, and holds them and one record batch in
// memory. progress, if not nil, is called with the rows read of total.
func ReadEpisode(ctx context.Context, d *recorder.Dataset, number int64, progress func(done, total int64)) (*Episode,
	error) {
	if err := CheckPose(d); err != nil {
		return nil, err
	}
	e, rows, err := findEpisode(d, number)
	if err != nil {
		return nil, err
	}
	capture := &d.Tables[d.Table(format.CaptureTable)]
	if i := capture.Column(format.LookColumn); i >= 0 {
		e.Sources = capture.Columns[i].Sources()
	}
	total, err := d.Rows(format.CaptureTable)
	if err != nil {
		return nil, err
	}
	done := int64(0)
	for r, err := range d.EachRow(format.CaptureTable) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if err := e.add(r); err != nil {
			return nil, fmt.Errorf("table %q: %w", format.CaptureTable, err)
		}
		done++
		all := done == total || int64(len(e.Times)) == rows
		if progress != nil && (all || done%4096 == 0) {
			progress(done, total)
		}
		if all {
			break
		}
	}
	if len(e.Times) == 0 {
		return nil, fmt.Errorf("episode %d has no row with a pose: %w", number, ErrEpisode)
	}
	return e, nil
}

// findEpisode reads an episode's row of the table of episodes. It returns the number of
// its rows in the capture table.
func findEpisode(d *recorder.Dataset, number int64) (e *Episode, rows int64, err error) {
	last := int64(-1)
	for r, err := range d.EachRow(format.EpisodesTable) {
		if err != nil {
			return nil, 0, err
		}
		n := r.Int("episode")
		if last = max(last, n); n == number {
			e = &Episode{Number: n, Length: r.Int("length_ns")}
			rows = r.Int(format.PartPrefix(d.Tables, d.Table(format.CaptureTable)) + "rows")
			if r.Column(format.SceneryColumn) >= 0 {
				e.Scenery = r.Floats(format.SceneryColumn)
			}
		}
		if r.Err != nil {
			return nil, 0, fmt.Errorf("table %q: %w", format.EpisodesTable, r.Err)
		}
	}
	switch {
	case e == nil && last < 0:
		return nil, 0, fmt.Errorf("episode is %d, but the dataset has none: %w", number, ErrEpisode)
	case e == nil:
		return nil, 0, fmt.Errorf("episode is %d, want one of the dataset's, up to %d: %w", number, last, ErrEpisode)
	case rows == 0:
		return nil, 0, fmt.Errorf("episode is %d, of which the dataset has no rows: %w", number, ErrEpisode)
	}
	return e, rows, nil
}

func (e *Episode) add(r *format.RowReader) error {
	if r.Int("episode") == e.Number {
		if pose, ns := r.Floats(format.PoseColumn), r.Int("t_ns"); pose != nil {
			stamp := r.Int(stampColumn)
			if n := len(e.Times); n > 0 && (ns < e.Times[n-1] || stamp < e.Stamps[n-1]) {
				return fmt.Errorf("the rows of episode %d are not in the order of time", e.Number)
			}
			e.Times, e.Stamps, e.Poses = append(e.Times, ns), append(e.Stamps, stamp), append(e.Poses, pose)
			if e.Sources != nil {
				look := r.Floats(format.LookColumn)
				if r.Err == nil && look == nil {
					return fmt.Errorf("a row of episode %d has a %s without a %s", e.Number, format.PoseColumn,
						format.LookColumn)
				}
				e.Looks = append(e.Looks, look)
			}
		}
	}
	return r.Err
}

// At returns the newest pose that was measured at or before a time, or the first.
func (e *Episode) At(ns int64) []float64 { return e.Poses[e.find(ns)] }

// look returns the values of the looks beside the pose of a time, nil without looks.
func (e *Episode) look(ns int64) []float64 {
	if e.Sources == nil {
		return nil
	}
	return e.Looks[e.find(ns)]
}

// find returns the place of the pose of a time.
func (e *Episode) find(ns int64) int {
	next := sort.Search(len(e.Stamps), func(i int) bool { return e.Stamps[i] > ns })
	return max(0, next-1)
}
