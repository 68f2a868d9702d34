package export

import (
	"maps"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// frames turns the rows of a table into rows of another layout, one episode at a time. The reward of a row is that of
// the frame before.
type frames struct {
	job    *job
	input  *format.Layout // layout of the table
	output *format.Layout

	time, reward, rewardSteps int    // columns of the table
	prefix                    string // prefix of the columns of the table episodes that are about the table

	rows  []byte // the frames of the episode
	blank []byte // a frame of zeros

	episodes, total int64 // number of episodes and of their frames so far
}

// newFrames finds the columns of a table that every export of frames needs, and some more.
func (j *job) newFrames(t *format.Table, more map[string]*int) (frames, error) {
	f := frames{job: j, input: format.NewLayout(t), prefix: j.prefixOf(t)}
	columns := map[string]*int{"t_ns": &f.time, "reward": &f.reward, "reward_steps": &f.rewardSteps}
	maps.Copy(columns, more)
	err := findColumns(f.input, columns)
	return f, err
}

// become sets the columns of the frames.
func (f *frames) become(columns []format.Column) {
	f.output = format.NewLayout(&format.Table{Columns: columns})
	f.blank = f.output.Zeros()
}

// source is what a column of the frames is copied from: values of a column of the table, or of its storage.
type source struct {
	layout *format.Layout
	column int
	values []int // numbers of the values; nil: all

	far float64 // of a column of depths in m that becomes a picture: what is nothing
}

// from returns the column.
func (s *source) from() *format.Column { return &s.layout.Columns[s.column] }

// index returns which value of the column is the i-th.
func (s *source) index(i int) int {
	if s.values != nil {
		return s.values[i]
	}
	return i
}

// count returns the number of values.
func (s *source) count() int {
	if s.values != nil {
		return len(s.values)
	}
	return s.layout.Values(s.column)
}

// observer is who observes some values of an observation.
type observer struct {
	group string
	source
}

// observers returns who observes the values of an observation, a column of a table, in their order: first the policy.
// The values of pictures are left out unless they are wanted, too.
func observers(l *format.Layout, column int, pictures bool) (all []observer) {
	parts := l.Columns[column].Parts
	if parts == nil {
		return []observer{{format.PolicyGroup, source{layout: l, column: column}}}
	}
	all = []observer{{format.PolicyGroup, source{layout: l, column: column, values: []int{}}}}
	offset := 0
	for _, p := range parts {
		i := slices.IndexFunc(all, func(o observer) bool { return o.group == p.Group })
		if i < 0 {
			i, all = len(all), append(all, observer{p.Group, source{layout: l, column: column, values: []int{}}})
		}
		for k := range p.Len {
			if pictures || !p.Picture {
				all[i].values = append(all[i].values, offset+k)
			}
		}
		offset += p.Len
	}
	return all
}

// columnsOf returns columns of one kind.
func columnsOf(kind format.Kind, names ...string) (all []format.Column) {
	for _, name := range names {
		all = append(all, format.Column{Name: name, Kind: kind})
	}
	return all
}

// export writes each episode of some tables, the first of which is that of the frames, and what belongs to all of them.
func (f *frames) export(tables []*format.Table, write func(*episode) error, end func() error) error {
	if err := f.job.eachEpisode(tables, write); err != nil {
		return err
	}
	f.job.result.Episodes = f.episodes
	return end()
}

// read begins an episode and calls add for each of its rows. An episode without any is left out.
func (f *frames) read(e *episode, add func(e *episode, row []byte) error) (empty bool, err error) {
	f.rows = f.rows[:0]
	if err := e.eachRow(0, func(row []byte) error { return add(e, row) }); err != nil || len(f.rows) > 0 {
		return false, err
	}
	if !e.isRecorded() {
		return true, f.job.leaveOut(notRecorded)
	}
	return true, f.job.leaveOut(noRows)
}

// grow adds a frame of zeros.
func (f *frames) grow() []byte {
	start := len(f.rows)
	f.rows = append(f.rows, f.blank...)
	return f.rows[start:]
}

func (f *frames) last() format.Row { return f.output.Row(f.rows[len(f.rows)-f.output.Stride:]) }

// length returns the number of frames of the episode.
func (f *frames) length() int64 { return int64(len(f.rows) / f.output.Stride) }
