package recorder

import (
	"fmt"
	"iter"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Episode is what the table episodes says of one.
type Episode struct {
	Number     int64 // run-wide
	World      int32
	Start      int64 // run-wide number of its first control step
	LengthNS   int64 // its end T; it covers [0, T)
	Steps      int64 // control steps
	Terminated bool
	Truncated  bool
	Fault      bool
	Complete   bool    // false where the run ended first
	Return     float64 // sum of its control rewards
	Parts      []EpisodePart

	// Whole says that every table holds all of the episode's rows: false where the run was killed after the episode was
	// closed and before its last rows were safe.
	Whole bool
}

// EpisodePart is what an episode left in one table, by place in [Dataset.Tables]. It is zero for a table whose rows are not
// counted by episode.
type EpisodePart struct {
	Counted    bool
	Rows       int64
	TailReward float64 // sum of the control rewards after the last row
	TailSteps  int64   // and their number
}

// partPrefix begins the names of the columns of episodes that are about table i.
func partPrefix(tables []Table, i int) string {
	if i == 0 {
		return ""
	}
	return tables[i].Name + "_"
}

// HasEpisodes says that the dataset has the table of episodes, with the columns that [Capture] gives it.
func (d *Dataset) HasEpisodes() bool {
	i, err := d.table(EpisodesTable)
	return err == nil && d.Tables[i].closesEpisodes()
}

// Episodes returns the rows of the table episodes in order. An error ends the sequence.
func (d *Dataset) Episodes() iter.Seq2[Episode, error] {
	return func(yield func(Episode, error) bool) {
		lacking := map[int64]bool{}
		if d.Recovery != nil {
			for _, e := range d.Recovery.Incomplete {
				lacking[e.Episode] = true
			}
		}
		for record, err := range d.Batches(EpisodesTable) {
			if err != nil {
				yield(Episode{}, err)
				return
			}
			for row := range int(record.NumRows()) {
				e, err := d.episodeAt(record, row)
				if err != nil {
					yield(Episode{}, fmt.Errorf("recorder: table %q: %w", EpisodesTable, err))
					return
				}
				e.Whole = !lacking[e.Number]
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// episodeAt reads a row of the table episodes.
func (d *Dataset) episodeAt(record arrow.Record, row int) (Episode, error) {
	r := rowReader{record: record, row: row}
	e := Episode{
		Number:     r.int("episode"),
		World:      int32(r.int("world")),
		Start:      r.int("start_n"),
		LengthNS:   r.int("length_ns"),
		Steps:      r.int("steps"),
		Terminated: r.bool("terminated"),
		Truncated:  r.bool("truncated"),
		Fault:      r.bool("fault"),
		Complete:   r.bool("complete"),
		Return:     r.float("return"),
		Parts:      make([]EpisodePart, len(d.Tables)),
	}
	for i := range d.Tables {
		prefix := partPrefix(d.Tables, i)
		if d.Tables[i].Name == EpisodesTable || !record.Schema().HasField(prefix+"rows") {
			continue
		}
		e.Parts[i] = EpisodePart{
			Counted:    true,
			Rows:       r.int(prefix + "rows"),
			TailReward: r.float(prefix + "tail_reward"),
			TailSteps:  r.int(prefix + "tail_reward_steps"),
		}
	}
	return e, r.err
}

// rowReader reads single values of a row by the names of their columns. The first one that is not there is its error.
type rowReader struct {
	record arrow.Record
	row    int
	err    error
}

func (r *rowReader) column(name, want string) arrow.Array {
	at := r.record.Schema().FieldIndices(name)
	if len(at) == 1 {
		return r.record.Column(at[0])
	}
	r.missing(name, want)
	return nil
}

func (r *rowReader) missing(name, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("no column %q of %s", name, want)
	}
}

func (r *rowReader) int(name string) int64 {
	switch c := r.column(name, "integers").(type) {
	case *array.Int64:
		return c.Value(r.row)
	case *array.Int32:
		return int64(c.Value(r.row))
	}
	r.missing(name, "integers")
	return 0
}

func (r *rowReader) float(name string) float64 {
	if c, ok := r.column(name, "float64").(*array.Float64); ok {
		return c.Value(r.row)
	}
	r.missing(name, "float64")
	return 0
}

func (r *rowReader) bool(name string) bool {
	if c, ok := r.column(name, "bool").(*array.Boolean); ok {
		return c.Value(r.row)
	}
	r.missing(name, "bool")
	return false
}
