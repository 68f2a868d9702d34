package recorder

import (
	"fmt"
	"iter"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Episode is one row of the table of episodes.
type Episode struct {
	Number     int64 // run-wide
	World      int32
	Start      int64 // run-wide number of its first control step
	LengthNS   int64 // end T of the episode, which covers [0, T)
	Steps      int64 // control steps
	Terminated bool
	Truncated  bool
	Fault      bool
	Complete   bool    // false where the run ended first
	Return     float64 // sum of its control rewards
	Parts      []EpisodePart

	// Whole says that every table has all of the episode's rows. It is false if the run was killed after the episode
	// was closed and before its last rows were safe.
	Whole bool
}

// EpisodePart is what an episode has in one table, by place in [Dataset.Tables]; zero where its rows are not counted.
type EpisodePart struct {
	Counted    bool
	Rows       int64
	TailReward float64 // sum of the control rewards after the last row
	TailSteps  int64   // number of the control rewards after the last row
}

// HasEpisodes reports whether the dataset has the table of episodes.
func (d *Dataset) HasEpisodes() bool {
	i := d.Table(format.EpisodesTable)
	return i >= 0 && d.Tables[i].ListsEpisodes()
}

// Episodes returns the rows of the table of episodes in order. An error ends the sequence.
func (d *Dataset) Episodes() iter.Seq2[Episode, error] {
	return func(yield func(Episode, error) bool) {
		incomplete := map[int64]bool{}
		if d.Recovery != nil {
			for _, e := range d.Recovery.Incomplete {
				incomplete[e.Episode] = true
			}
		}
		for r, err := range d.EachRow(format.EpisodesTable) {
			e := Episode{}
			if err == nil {
				e, err = d.episodeAt(r)
			}
			e.Whole = !incomplete[e.Number]
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (d *Dataset) episodeAt(r *format.RowReader) (Episode, error) {
	e := Episode{
		Number:     r.Int("episode"),
		World:      int32(r.Int("world")),
		Start:      r.Int("start_n"),
		LengthNS:   r.Int("length_ns"),
		Steps:      r.Int("steps"),
		Terminated: r.Bool("terminated"),
		Truncated:  r.Bool("truncated"),
		Fault:      r.Bool("fault"),
		Complete:   r.Bool("complete"),
		Return:     r.Float("return"),
		Parts:      make([]EpisodePart, len(d.Tables)),
	}
	for i := range d.Tables {
		prefix := format.PartPrefix(d.Tables, i)
		if d.Tables[i].Name == format.EpisodesTable || r.Column(prefix+"rows") < 0 {
			continue
		}
		e.Parts[i] = EpisodePart{
			Counted:    true,
			Rows:       r.Int(prefix + "rows"),
			TailReward: r.Float(prefix + "tail_reward"),
			TailSteps:  r.Int(prefix + "tail_reward_steps"),
		}
	}
	if r.Err != nil {
		return Episode{}, fmt.Errorf("table %q: %w", format.EpisodesTable, r.Err)
	}
	return e, nil
}
