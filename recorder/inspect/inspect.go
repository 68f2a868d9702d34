package inspect

import (
	"context"
	"fmt"
	"iter"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Options says how to inspect. The zero value means the defaults.
type Options struct {
	// ClockChanges says that rates or bindings change in mid-run. The timestamps of rows and the beats cannot be
	// predicted then, and are not compared; a channel that is switched off may lose its stamp.
	ClockChanges bool
	// Progress, if not nil, is called now and then with the number of rows read, of how many.
	Progress func(done, total int64)
}

// Report is what an inspection found.
type Report struct {
	Metadata format.Metadata  `json:"metadata"`
	Recovery *format.Recovery `json:"recovery,omitempty"`
	Tables   []Table          `json:"tables"`
	Episodes *Episodes        `json:"episodes,omitempty"` // nil without a table of episodes
	Checks   []Check          `json:"checks"`
	OK       bool             `json:"ok"` // no check failed
}

// Table is what an inspection found in one table.
type Table struct {
	Name    string    `json:"name"`
	Rate    string    `json:"rate,omitempty"`
	Rows    int64     `json:"rows"`
	Batches int64     `json:"batches"`
	Step    *Interval `json:"step_ns,omitempty"` // times between rows of an episode; nil if there are none
	Missing int64     `json:"missing_rows"`      // boundaries within episodes that have no row
	Columns []Column  `json:"columns"`
}

// Column is what an inspection found in one column.
type Column struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // as in polyrhythm.json; a list with its length, such as float64[3]
	Unit  string `json:"unit,omitempty"`
	Rate  string `json:"rate,omitempty"`
	Nulls int64  `json:"nulls"`
	// Segments are what the values of a segmentation show.
	Segments []format.Segment `json:"segments,omitempty"`
	// All sums up all values; Elements has an entry for each place of a list.
	All      Statistics   `json:"all"`
	Elements []Statistics `json:"elements,omitempty"`
	Age      *Interval    `json:"age_ns,omitempty"` // age of values with a stamp, at the times of their rows
}

// Interval is an interval of whole numbers, both ends included.
type Interval struct {
	Min int64 `json:"min"`
	Max int64 `json:"max"`
}

func (r *Interval) include(v int64) *Interval {
	if r == nil {
		return &Interval{v, v}
	}
	r.Min, r.Max = min(r.Min, v), max(r.Max, v)
	return r
}

// Episodes sums up the table of episodes.
type Episodes struct {
	Count      int64      `json:"count"`
	Terminated int64      `json:"terminated"` // by the task's own rules
	Truncated  int64      `json:"truncated"`  // by the time limit alone
	Faults     int64      `json:"faults"`
	Cut        int64      `json:"cut"` // the run ended first
	LengthS    Statistics `json:"length_s"`
	Return     Statistics `json:"return"`
}

// Check is one promise and whether it is kept.
type Check struct {
	Table    string `json:"table"`
	Name     string `json:"name"`
	Promise  string `json:"promise"`
	Examined int64  `json:"examined"` // batches, rows, stamps or episodes
	Failed   int64  `json:"failed"`
	First    string `json:"first,omitempty"`   // the first failure
	Skipped  string `json:"skipped,omitempty"` // why it was not examined
}

// expect counts one case, and says of the first failure what is wrong.
func (c *Check) expect(ok bool, format string, args ...any) {
	c.Examined++
	if !ok {
		if c.Failed++; c.Failed == 1 {
			c.First = fmt.Sprintf(format, args...)
		}
	}
}

// Dataset inspects a dataset. What is wrong with it is in the report; an error means that the inspection itself failed.
func Dataset(ctx context.Context, d *recorder.Dataset, opt Options) (*Report, error) {
	r := &Report{Metadata: d.Metadata, Recovery: d.Recovery, OK: true}
	total, done := int64(0), int64(0)
	for i := range d.Tables {
		rows, err := d.Rows(d.Tables[i].Name)
		if err != nil {
			return nil, err
		}
		total += rows
	}
	for i := range d.Tables {
		t := &d.Tables[i]
		walk := newWalk(d, i, opt)
		table := Table{Name: t.Name, Rate: t.Rate}
		columns, layout := newColumns(t), format.NewLayout(t)
		sums := &Check{Table: t.Name, Name: "checksums", Promise: "every batch is as it was written"}
		for rows, err := range d.Packed(t.Name) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			sums.expect(err == nil, "%v; the %d rows before that are right, the others were not read", err, table.Rows)
			if err != nil {
				break
			}
			for c := range columns {
				columns[c].add(layout, c, rows)
			}
			walk.batch(layout, rows, table.Rows)
			n := int64(len(rows) / layout.Stride)
			table.Rows, done = table.Rows+n, done+n
			table.Batches++
			if opt.Progress != nil {
				opt.Progress(done, total)
			}
		}
		checks := walk.end(sums.Failed > 0)
		table.Step, table.Missing = walk.step, walk.missing
		for c := range columns {
			column := columns[c].done()
			column.Age = walk.age(column.Name)
			table.Columns = append(table.Columns, column)
		}
		r.Tables = append(r.Tables, table)
		r.Checks = append(append(r.Checks, *sums), checks...)
	}
	r.Episodes = sumEpisodes(d)
	for i := range r.Checks {
		r.OK = r.OK && r.Checks[i].Failed == 0
	}
	return r, nil
}

// sumEpisodes returns nil for a dataset without a table of episodes, or whose table is damaged.
func sumEpisodes(d *recorder.Dataset) *Episodes {
	if !d.HasEpisodes() {
		return nil
	}
	e := &Episodes{}
	var length, sum moments
	for episode, err := range d.Episodes() {
		if err != nil {
			return nil
		}
		e.Count++
		length.add(float64(episode.LengthNS) / 1e9)
		sum.add(episode.Return)
		switch {
		case !episode.Complete:
			e.Cut++
		case episode.Fault:
			e.Faults++
		case episode.Terminated:
			e.Terminated++
		case episode.Truncated:
			e.Truncated++
		}
	}
	e.LengthS, e.Return = length.statistics(), sum.statistics()
	return e
}

// lookup finds episodes by number. It reads the table of episodes once, in step with another table of the same order,
// and holds only episodes that it has read and that were not taken yet.
type lookup struct {
	next   func() (recorder.Episode, error, bool)
	stop   func()
	passed map[int64]recorder.Episode
	err    error
}

func newLookup(d *recorder.Dataset) *lookup {
	l := &lookup{passed: map[int64]recorder.Episode{}}
	l.next, l.stop = iter.Pull2(d.Episodes())
	return l
}

func (l *lookup) find(number int64) (recorder.Episode, bool) {
	for {
		if e, ok := l.passed[number]; ok {
			delete(l.passed, number)
			return e, true
		}
		e, err, ok := l.next()
		if !ok || err != nil {
			if err != nil {
				l.err = err
			}
			return recorder.Episode{}, false
		}
		l.passed[e.Number] = e
	}
}

// rest returns the episodes that were not taken, in any order.
func (l *lookup) rest() map[int64]recorder.Episode {
	l.find(-1) // no episode has this number, so that all are read
	return l.passed
}
