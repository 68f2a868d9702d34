package picture

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// gathered is what is drawn: one episode between two times.
type gathered struct {
	tables []sampled // those with rows in the window, fastest first
	names  []string  // of the columns, in the order in which tables have them
	units  map[string]string
	sync   []int64 // times of rows on the beat
}

// sampled has the samples of one table.
type sampled struct {
	name   string
	rate   runners.Rate // zero if it has none
	times  []int64      // of its rows
	series map[string]*series
}

// series has the samples of one column, each once, at its stamp.
type series struct {
	stamps []int64
	values [][]float64
	all    bool // the table has a row for every sample, so that each value holds until the next
}

// gather reads the rows of an episode with from ≤ t_ns ≤ until. It holds those and one record batch.
func gather(ctx context.Context, d *recorder.Dataset, o *Options, from, until int64) (*gathered, error) {
	g := &gathered{units: map[string]string{}}
	sync := map[int64]bool{}
	for i := range d.Tables {
		t := &d.Tables[i]
		if !has(t, "t_ns") || !has(t, "episode") || !has(t, "world") || t.Name == format.EpisodesTable {
			continue
		}
		s := sampled{name: t.Name, series: map[string]*series{}}
		if rate, err := runners.ParseRate(t.Rate); err == nil {
			s.rate = rate
		}
		for _, c := range t.Columns {
			if !has(t, c.Name+"_stamp_ns") || len(o.Columns) > 0 && !slices.Contains(o.Columns, c.Name) ||
				len(o.Columns) == 0 && (c.Name == "observation" || c.Name == "pose") { // many values of many units
				continue
			}
			series := &series{all: true}
			if rate, err := runners.ParseRate(c.Rate); err == nil {
				series.all = !s.rate.IsZero() && s.rate.Seconds() <= rate.Seconds()
			}
			s.series[c.Name] = series
			g.units[c.Name] = c.Unit
			if !slices.Contains(g.names, c.Name) {
				g.names = append(g.names, c.Name)
			}
		}
		for record, err := range d.Batches(t.Name) {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			if s.add(record, o.Episode, from, until, sync) {
				break
			}
		}
		if len(s.times) > 0 {
			g.tables = append(g.tables, s)
		}
	}
	if len(g.tables) == 0 {
		return nil, fmt.Errorf("episode %d has no row from %d to %d ns", o.Episode, from, until)
	}
	for _, name := range o.Columns {
		if !slices.Contains(g.names, name) {
			return nil, fmt.Errorf("no column %q with stamps in any table", name)
		}
	}
	slices.SortStableFunc(g.tables, func(a, b sampled) int {
		switch {
		case a.rate.IsZero() || b.rate.IsZero():
			return 0
		case a.rate.Seconds() < b.rate.Seconds():
			return -1
		case a.rate.Seconds() > b.rate.Seconds():
			return 1
		}
		return 0
	})
	for t := range sync {
		g.sync = append(g.sync, t)
	}
	slices.Sort(g.sync)
	return g, nil
}

// end returns when the step after the last row ends, in ns. A table without a rate has steps of 1 ms.
func (g *gathered) end() int64 {
	end := int64(0)
	for _, s := range g.tables {
		step := int64(time.Millisecond)
		if !s.rate.IsZero() {
			step = s.rate.Timestamp(1)
		}
		end = max(end, s.times[len(s.times)-1]+step)
	}
	return end
}

func has(t *format.Table, column string) bool {
	return slices.ContainsFunc(t.Columns, func(c format.Column) bool { return c.Name == column })
}

// add adds the rows of the episode in a batch. It returns true if no later batch can have any.
func (s *sampled) add(record arrow.Record, episode, from, until int64, sync map[int64]bool) (done bool) {
	column := func(name string) arrow.Array {
		if at := record.Schema().FieldIndices(name); len(at) == 1 {
			return record.Column(at[0])
		}
		return nil
	}
	episodes, _ := column("episode").(*array.Int64)
	times, _ := column("t_ns").(*array.Int64)
	syncs, _ := column("sync").(*array.Boolean)
	for row := range int(record.NumRows()) {
		if episodes.Value(row) != episode {
			continue
		}
		ns := times.Value(row)
		if ns > until {
			return true
		}
		if ns < from {
			continue
		}
		s.times = append(s.times, ns)
		if syncs != nil && syncs.Value(row) {
			sync[ns] = true
		}
		for name, series := range s.series {
			stamps := column(name + "_stamp_ns").(*array.Int64)
			if stamps.IsNull(row) || column(name).IsNull(row) {
				continue
			}
			if n := len(series.stamps); n == 0 || series.stamps[n-1] != stamps.Value(row) {
				series.stamps = append(series.stamps, stamps.Value(row))
				series.values = append(series.values, valuesAt(column(name), row))
			}
			if !rated(record, name) && stamps.Value(row) != ns {
				series.all = false // samples may lie between the rows
			}
		}
	}
	return false
}

// rated reports whether a column states its rate.
func rated(record arrow.Record, column string) bool {
	fields, _ := record.Schema().FieldsByName(column)
	return len(fields) == 1 && fields[0].Metadata.FindKey("rate") >= 0
}

// valuesAt returns the values of one row.
func valuesAt(column arrow.Array, row int) []float64 {
	if list, ok := column.(*array.FixedSizeList); ok {
		from, to := list.ValueOffsets(row)
		var all []float64
		for i := from; i < to; i++ {
			all = append(all, valuesAt(list.ListValues(), int(i))...)
		}
		return all
	}
	switch c := column.(type) {
	case *array.Float64:
		return []float64{c.Value(row)}
	case *array.Float32:
		return []float64{float64(c.Value(row))}
	case *array.Int64:
		return []float64{float64(c.Value(row))}
	case *array.Int32:
		return []float64{float64(c.Value(row))}
	case *array.Boolean:
		if c.Value(row) {
			return []float64{1}
		}
		return []float64{0}
	}
	panic(fmt.Sprintf("picture: a column of %v, which no table has", column.DataType()))
}
