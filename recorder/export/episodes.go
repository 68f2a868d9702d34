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
	number  int64
	row     []byte // row of the table episodes; nil if the run did not write it
	table   *format.Layout
	tables  []*format.Table // tables of eachEpisode
	sources []*sorted       // rows of these tables; the last are those of the table episodes, if there is one
	counts  []int64         // number of the rows that were read, by table
	job     *job
}

// rows returns the next rows of the episode in one of eachEpisode's tables, valid until the next call; none at the end.
func (e *episode) rows(table int) ([]byte, error) {
	if err := e.job.ctx.Err(); err != nil {
		return nil, err
	}
	s := e.sources[table]
	rows, err := s.chunkOf(e.number)
	n := int64(len(rows) / s.layout.Stride)
	e.counts[table] += n
	e.job.advance(n)
	return rows, err
}

// eachRow calls f for each row that is left of the episode in a table; the row is valid during the call.
func (e *episode) eachRow(table int, f func(row []byte) error) error {
	for stride := e.sources[table].layout.Stride; ; {
		rows, err := e.rows(table)
		if err != nil || len(rows) == 0 {
			return err
		}
		for ; len(rows) > 0; rows = rows[stride:] {
			if err := f(rows[:stride]); err != nil {
				return err
			}
		}
	}
}

// hasRows reports whether any table has rows of the episode that were not taken yet.
func (e *episode) hasRows() bool {
	return slices.ContainsFunc(e.sources[:len(e.tables)], func(s *sorted) bool {
		number, ok := s.next()
		return ok && number == e.number
	})
}

// column returns the place of a column in which the episode's row of the table episodes has a value.
func (e *episode) column(name string) (column int, ok bool) {
	if e.row == nil {
		return 0, false
	}
	column = e.table.Column(name)
	return column, column >= 0 && !e.table.IsNull(e.row, column)
}

// int returns a value of a column of the table episodes; ok is false if the episode has none there.
func (e *episode) int(name string) (v int64, ok bool) {
	column, ok := e.column(name)
	if ok {
		v = e.table.Int(e.row, column)
	}
	return v, ok
}

// float is int for a column of numbers; 0 if the episode has none.
func (e *episode) float(name string) (v float64) {
	if column, ok := e.column(name); ok {
		v = e.table.Float(e.row, column, 0)
	}
	return v
}

// flag returns a flag of the episode's row, false if there is none.
func (e *episode) flag(column string) bool {
	v, _ := e.int(column)
	return v != 0
}

// success returns whether the episode succeeded, by a label or the table episodes; nil if neither says so.
func (e *episode) success() *bool {
	var outcome *bool
	if v, ok := e.int("success"); ok {
		succeeded := v != 0
		outcome = &succeeded
	}
	return e.job.labels.Success(e.number, outcome)
}

func (j *job) leaveOut(why string) error {
	j.result.LeftOut[why]++
	return nil
}

// Reasons to leave an episode out.
const (
	notRecorded = "the configuration did not select their rows"
	noRows      = "they have no rows"
	lostRows    = "rows were lost when the run was killed"
)

// isRecorded reports whether the configuration selected the rows of the episode.
func (e *episode) isRecorded() bool {
	v, ok := e.int("recorded")
	return !ok || v != 0
}

// lacksRows reports whether rows were lost when the run was killed.
func (e *episode) lacksRows() bool { return e.row == nil || e.job.incomplete[e.number] }

// complete reports whether the run ended the episode and no row was lost.
func (e *episode) complete() bool { return e.flag("complete") && !e.lacksRows() }

// prefixOf returns what the names of those columns of the table episodes begin with that are about one of the tables.
func (j *job) prefixOf(t *format.Table) string {
	return format.PartPrefix(j.d.Tables, j.d.Table(t.Name))
}

// eachEpisode calls visit for every episode of some tables, in ascending order, and skips the rows that it does not
// take. It fails if an episode lacks rows that the table episodes counts and the kill of the run does not explain.
func (j *job) eachEpisode(tables []*format.Table, visit func(*episode) error) (err error) {
	if err := j.expect(tables); err != nil {
		return err
	}
	e := &episode{job: j, tables: tables, counts: make([]int64, len(tables))}
	defer func() {
		for _, s := range e.sources {
			s.close()
		}
	}()
	all, read := tables, j.advance
	if i := j.d.Table(format.EpisodesTable); i >= 0 {
		all = append(slices.Clip(tables), &j.d.Tables[i])
	}
	for k, t := range all {
		if k == len(tables) {
			read = func(int64) {}
		}
		s, err := j.sortTable(t, j.opt.Memory/int64(len(tables)+1), filepath.Join(j.tmp, strconv.Itoa(k)), read)
		if err != nil {
			return err
		}
		e.sources = append(e.sources, s)
	}
	for {
		more, err := e.next()
		if err != nil || !more {
			return err
		}
		if err := j.visit(e, visit); err != nil {
			return err
		}
	}
}

// next proceeds to the lowest episode that has rows left in any table.
func (e *episode) next() (more bool, err error) {
	e.row = nil
	for _, s := range e.sources {
		if number, ok := s.next(); ok && (!more || number < e.number) {
			e.number, more = number, true
		}
	}
	if !more || len(e.sources) == len(e.tables) {
		return more, nil
	}
	closed := e.sources[len(e.tables)]
	rows, err := closed.chunkOf(e.number)
	if err != nil || len(rows) == 0 {
		return more, err
	}
	if len(rows) > closed.layout.Stride {
		return false, fmt.Errorf("table %q has %d rows of episode %d, want 1", format.EpisodesTable,
			len(rows)/closed.layout.Stride, e.number)
	}
	e.row, e.table = rows, closed.layout
	return more, nil
}

// visit calls f for an episode, skips the rows that f did not take, and counts.
func (j *job) visit(e *episode, f func(*episode) error) error {
	clear(e.counts)
	include := true
	if !e.complete() {
		j.result.Incomplete++
		include = !j.opt.Complete
	}
	if include {
		if err := f(e); err != nil {
			return err
		}
	}
	rows := int64(0)
	for i, t := range e.tables {
		if err := e.eachRow(i, func([]byte) error { return nil }); err != nil {
			return err
		}
		want, ok := e.int(j.prefixOf(t) + "rows")
		if ok && !e.lacksRows() && t.Name != format.EpisodesTable && e.counts[i] != want {
			return fmt.Errorf("table %q has %d rows of episode %d, but the table %q says %d",
				t.Name, e.counts[i], e.number, format.EpisodesTable, want)
		}
		rows += e.counts[i]
	}
	if include && rows > 0 {
		j.result.Episodes++
		j.result.Rows += rows
	}
	return nil
}
