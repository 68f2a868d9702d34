package recovery

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// newReport says what the recovered dataset will hold. It reads every row.
func newReport(d *recorder.Dataset, found []*tableState) (*format.Recovery, error) {
	r := &format.Recovery{Recovered: true, Tables: []format.RecoveredTable{}, Incomplete: []format.IncompleteEpisode{}}
	episodes := map[int64]*format.IncompleteEpisode{}
	for _, f := range found {
		t := format.RecoveredTable{Table: f.table.Name, Rows: f.rows, Acknowledged: f.acknowledgedRows, Cut: f.surplus}
		if f.damage != nil {
			t.Damage = f.damage.Error()
		}
		if f.table.Keyed() {
			if err := countRows(d, &t, episodes); err != nil {
				return nil, err
			}
		}
		r.Tables = append(r.Tables, t)
	}
	if d.HasEpisodes() {
		for e, err := range d.Episodes() {
			if err != nil {
				return nil, err
			}
			closeEpisode(d, &e, episodes)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(episodes)) {
		if e := episodes[number]; e.Closed && maps.Equal(e.Rows, e.Want) {
			r.Episodes++
		} else {
			r.Incomplete = append(r.Incomplete, *e)
		}
	}
	return r, nil
}

// resume adds what an earlier recovery had found and has cut off since. killed says that it did not come to its end:
// what is too much in the streams now is what it wrote itself.
func resume(now, previous *format.Recovery, killed bool) {
	for i := range min(len(now.Tables), len(previous.Tables)) {
		table, old := &now.Tables[i], &previous.Tables[i]
		table.Acknowledged, table.Cut = max(table.Acknowledged, old.Acknowledged), max(table.Cut, old.Cut)
		if killed {
			table.Cut = old.Cut
		}
		if table.Damage == "" {
			table.Damage = old.Damage
		}
	}
}

// countRows counts the rows that a table holds of each episode, and notes the last one.
func countRows(d *recorder.Dataset, t *format.RecoveredTable, episodes map[int64]*format.IncompleteEpisode) error {
	for r, err := range d.EachRow(t.Table) {
		if err != nil {
			return err
		}
		t.Last = &format.LastRow{Episode: r.Int("episode"), World: r.Int("world"), TimeNS: r.Int("t_ns")}
		if r.Err != nil {
			return fmt.Errorf("table %q: %w", t.Table, r.Err)
		}
		entry(episodes, t.Last.Episode, t.Last.World).Rows[t.Table]++
	}
	return nil
}

// entry returns the entry of an episode, which it makes if there is none.
func entry(episodes map[int64]*format.IncompleteEpisode, number, world int64) *format.IncompleteEpisode {
	if episodes[number] == nil {
		episodes[number] = &format.IncompleteEpisode{Episode: number, World: world, Rows: map[string]int64{}}
	}
	return episodes[number]
}

// closeEpisode notes what the table episodes says of an episode.
func closeEpisode(d *recorder.Dataset, e *recorder.Episode, episodes map[int64]*format.IncompleteEpisode) {
	incomplete := entry(episodes, e.Number, int64(e.World))
	incomplete.Closed, incomplete.Want = true, map[string]int64{}
	for i, part := range e.Parts {
		if part.Counted && part.Rows > 0 {
			incomplete.Want[d.Tables[i].Name] = part.Rows
		}
	}
}
