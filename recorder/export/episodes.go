package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// episode is the episode that is exported at present.
type episode struct {
	number int64
	row    []byte // of the table episodes; nil if the run did not write it
	table  *format.Layout
	from   []*sorted
	taken  []int64 // rows, by table
	job    *job
}

// rows returns the next rows of the episode in one of eachEpisode's tables, valid until the next call; none at the end.
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

// column returns the place of a column in the table episodes; ok is false if the episode has no value there.
func (e *episode) column(name string) (i int, ok bool) {
	if e.row == nil {
		return 0, false
	}
	i = e.table.Column(name)
	return i, i >= 0 && !e.table.IsNull(e.row, i)
}

// int returns a value of the episode's row in the table episodes; ok is false if there is no such row or column.
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

// is returns a flag of the episode's row, false if there is none.
func (e *episode) is(column string) bool {
	v, _ := e.int(column)
	return v != 0
}

// leaveOut counts an episode that the format cannot hold.
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

// complete reports whether the run ended the episode and no row was lost.
func (e *episode) complete() bool { return e.is("complete") && !e.lacksRows() }

// prefixOf returns what the names of those columns of the table episodes begin with that are about another table.
func prefixOf(table string) string {
	if table == format.CaptureTable {
		return ""
	}
	return table + "_"
}

// eachEpisode calls visit for every episode of some tables, in ascending order, and skips the rows that visit does not take. It
// fails if an episode does not have as many rows as the table episodes says, unless they were lost when the run was killed.
func (j *job) eachEpisode(tables []*format.Table, visit func(*episode) error) (err error) {
	share := j.opt.Memory / int64(len(tables)+1)
	var all []*sorted
	defer func() {
		for _, s := range all {
			s.close()
		}
	}()
	sort := func(t *format.Table, read func(int64)) (*sorted, error) {
		s, err := j.sortTable(t, share, filepath.Join(j.tmp, strconv.Itoa(len(all))), read)
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

// next proceeds to the lowest episode that has rows left in any table.
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
		return false, fmt.Errorf("table %q has %d rows of episode %d, want 1", format.EpisodesTable, len(rows)/closed.layout.Stride, e.number)
	}
	e.row = rows
	return more, nil
}

// visit calls f for an episode, skips the rows that f did not take, and counts.
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
			return fmt.Errorf("table %q has %d rows of episode %d, but the table %q says %d",
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
