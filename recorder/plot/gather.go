package plot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// window is what is drawn: one episode between two times.
type window struct {
	tables []samples // tables with rows in the window, fastest first
	names  []string  // names of the columns, in the order of the tables
	units  map[string]string
	sync   []int64 // times of rows on the beat
	theme  theme
}

// samples has the samples of one table.
type samples struct {
	name   string
	rate   runners.Rate // zero: the table has no rate
	times  []int64      // times of the table's rows
	series map[string]*series
}

// series has the samples of one column, each once, at its stamp.
type series struct {
	column, stamp int // numbers of columns of the table

	stamps  []int64
	values  [][]float64
	hasRate bool // the column states its rate
	all     bool // the table has a row for every sample, so that each value holds until the next
}

// gather reads the rows of an episode with from ≤ t_ns ≤ until. It holds those and one record batch.
func gather(ctx context.Context, d *recorder.Dataset, o *Options, from, until int64) (*window, error) {
	g := &window{units: map[string]string{}}
	for i := range d.Tables {
		t := &d.Tables[i]
		if !t.Keyed() || t.Name == format.EpisodesTable {
			continue
		}
		s := g.newTable(t, o)
		for r, err := range d.EachRow(t.Name) {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			ns, episode := r.Int("t_ns"), r.Int("episode")
			if r.Err != nil {
				return nil, fmt.Errorf("table %q: %w", t.Name, r.Err)
			}
			if episode != o.Episode || ns < from {
				continue
			}
			if ns > until {
				break
			}
			if s.add(r, ns); r.Has("sync") && r.Bool("sync") {
				g.sync = append(g.sync, ns)
			}
		}
		if len(s.times) > 0 {
			g.tables = append(g.tables, s)
		}
	}
	if len(g.tables) == 0 {
		return nil, fmt.Errorf("episode %d has no row from %d to %d ns: %w", o.Episode, from, until, ErrOptions)
	}
	for _, name := range o.Columns {
		if !slices.Contains(g.names, name) {
			return nil, fmt.Errorf("no column %q with stamps in any table: %w", name, ErrOptions)
		}
	}
	slices.SortStableFunc(g.tables, func(a, b samples) int { return faster(a.rate, b.rate) })
	slices.Sort(g.sync)
	g.sync = slices.Compact(g.sync)
	return g, nil
}

// newTable returns a table without samples, with a series for each column that is drawn.
func (g *window) newTable(t *format.Table, o *Options) samples {
	s := samples{name: t.Name, series: map[string]*series{}}
	s.rate, _ = runners.ParseRate(t.Rate)
	for i, c := range t.Columns {
		stamp := t.Column(c.Name + "_stamp_ns")
		if stamp < 0 || len(o.Columns) > 0 && !slices.Contains(o.Columns, c.Name) ||
			len(o.Columns) == 0 && (c.OfCamera() && c.Width == 0 ||
				slices.Contains([]string{"observation", format.PoseColumn, format.LookColumn}, c.Name)) {
			continue
		}
		series := &series{column: i, stamp: stamp, hasRate: c.Rate != "", all: true}
		if rate, err := runners.ParseRate(c.Rate); err == nil {
			series.all = !s.rate.IsZero() && s.rate.Seconds() <= rate.Seconds()
		}
		s.series[c.Name] = series
		g.units[c.Name] = c.Unit
		if !slices.Contains(g.names, c.Name) {
			g.names = append(g.names, c.Name)
		}
	}
	return s
}

// add adds a row of the episode, at a time.
func (s *samples) add(r *format.RowReader, ns int64) {
	s.times = append(s.times, ns)
	for _, v := range s.series {
		if r.IsNull(r.Row, v.stamp) || r.IsNull(r.Row, v.column) {
			continue
		}
		stamp := r.Layout.Int(r.Row, v.stamp)
		if n := len(v.stamps); n == 0 || v.stamps[n-1] != stamp {
			v.stamps, v.values = append(v.stamps, stamp), append(v.values, r.Layout.Floats(r.Row, v.column))
		}
		if !v.hasRate && stamp != ns {
			v.all = false // samples may lie between the rows
		}
	}
}

// faster orders rates from the fastest on; none comes last, since NaN is less than any number.
func faster(a, b runners.Rate) int { return cmp.Compare(1/b.Seconds(), 1/a.Seconds()) }

// end returns when the step after the last row ends, in ns. A table without a rate has steps of 1 ms.
func (g *window) end() int64 {
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
