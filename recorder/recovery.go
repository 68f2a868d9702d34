package recorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// recoveryFile says what a recovery found.
const recoveryFile = "recovered.json"

// recoveredNote is added to the description in a recovered table's dataset_info.json.
const recoveredNote = "Recovered from a run that was killed: its last rows and episodes are missing, see " + recoveryFile + "."

// Recovery says what a recovered dataset holds and what it lacks. It stands in recovered.json beside polyrhythm.json.
type Recovery struct {
	Recovered bool             `json:"recovered"` // true
	Tables    []RecoveredTable `json:"tables"`
	// Episodes is the number of those that are closed and have all their rows. The others of which any row is there, in
	// whatever table, are Incomplete, by number.
	Episodes   int64               `json:"episodes"`
	Incomplete []IncompleteEpisode `json:"incomplete"`
	// CRC32C is that of the file's text with "" in its place, so that a changed file is noticed.
	CRC32C string `json:"crc32c"`
}

// RecoveredTable says how far a table reaches. The tables of a run are written apart, so one may reach further than another.
type RecoveredTable struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	// Acknowledged is the number of rows that lines of the journal spoke of: more than Rows only after damage.
	Acknowledged int64 `json:"acknowledged_rows"`
	// Cut is the number of bytes that were cut off streams: the message that was being written and, after damage, what came
	// after it.
	Cut    int64    `json:"cut_bytes"`
	Damage string   `json:"damage,omitempty"` // what ended the rows that are right, where it was not the kill
	Last   *LastRow `json:"last,omitempty"`   // nil where there is none, or the table has no such columns
}

// LastRow is the key of a table's last row.
type LastRow struct {
	Episode int64 `json:"episode"`
	World   int64 `json:"world"`
	TimeNS  int64 `json:"t_ns"`
}

// IncompleteEpisode is an episode that lacks rows.
type IncompleteEpisode struct {
	Episode int64            `json:"episode"`
	World   int64            `json:"world"`
	Closed  bool             `json:"closed"`         // it has a row in the table episodes
	Rows    map[string]int64 `json:"rows"`           // that each table holds of it
	Want    map[string]int64 `json:"want,omitempty"` // that were recorded, where Closed
}

// encode returns the text of recovered.json. It sets CRC32C.
func (r *Recovery) encode() ([]byte, error) {
	r.CRC32C = ""
	text, err := marshalFile(r)
	if err != nil {
		return nil, err
	}
	r.CRC32C = fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli))
	return marshalFile(r)
}

// parseRecovery accepts exactly what encode makes.
func parseRecovery(text []byte) (*Recovery, error) {
	r := &Recovery{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(r); err != nil {
		return nil, err
	}
	stated := r.CRC32C
	again, err := r.encode()
	if err != nil {
		return nil, err
	}
	if r.CRC32C != stated || !bytes.Equal(again, text) {
		return nil, fmt.Errorf("checksum %q does not match, want %q", stated, r.CRC32C)
	}
	return r, nil
}

// readRecovery returns nil for a dataset that was not recovered.
func readRecovery(dir string) (*Recovery, error) {
	path := filepath.Join(dir, recoveryFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	r, err := parseRecovery(text)
	if err != nil {
		return nil, fmt.Errorf("recorder: %s: %w", path, err)
	}
	return r, nil
}

// Lost returns the number of rows that were acknowledged and are not there: 0 unless there was damage.
func (r *Recovery) Lost() int64 {
	lost := int64(0)
	for _, t := range r.Tables {
		lost += t.Acknowledged - t.Rows
	}
	return lost
}

// report says what the dataset that is made of these remains will hold. It reads every row.
func (d *Dataset) report(found []*remains) (*Recovery, error) {
	r := &Recovery{Recovered: true, Tables: []RecoveredTable{}, Incomplete: []IncompleteEpisode{}}
	seen := map[int64]*IncompleteEpisode{}
	for i, f := range found {
		t := RecoveredTable{Table: f.table.Name, Rows: f.rows, Acknowledged: f.acknowledged, Cut: f.surplus}
		if f.damage != nil {
			t.Damage = f.damage.Error()
		}
		if f.table.keyed() {
			if err := d.countRows(i, &t, seen); err != nil {
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
			d.closeEpisode(&e, seen)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(seen)) {
		if e := seen[number]; e.Closed && maps.Equal(e.Rows, e.Want) {
			r.Episodes++
		} else {
			r.Incomplete = append(r.Incomplete, *e)
		}
	}
	return r, nil
}

// keyed says that the table's rows carry episode, world and time.
func (t *Table) keyed() bool { return t.has("episode") && t.has("world") && t.has("t_ns") }

// closesEpisodes says that the table has the columns of that of episodes, that [Capture] gives it.
func (t *Table) closesEpisodes() bool {
	return t.has("episode") && t.has("world") && t.has("rows") && t.has("return")
}

func (t *Table) has(column string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == column })
}

// countRows counts the rows that a table holds of each episode, and notes the last one.
func (d *Dataset) countRows(table int, t *RecoveredTable, seen map[int64]*IncompleteEpisode) error {
	for record, err := range d.Batches(t.Table) {
		if err != nil {
			return err
		}
		r := rowReader{record: record}
		for r.row = range int(record.NumRows()) {
			t.Last = &LastRow{r.int("episode"), r.int("world"), r.int("t_ns")}
			e := seen[t.Last.Episode]
			if e == nil {
				e = &IncompleteEpisode{Episode: t.Last.Episode, World: t.Last.World, Rows: map[string]int64{}}
				seen[e.Episode] = e
			}
			e.Rows[t.Table]++
		}
		if r.err != nil {
			return fmt.Errorf("recorder: table %q: %w", t.Table, r.err)
		}
	}
	return nil
}

// closeEpisode notes what the table episodes says of an episode.
func (d *Dataset) closeEpisode(e *Episode, seen map[int64]*IncompleteEpisode) {
	mine := seen[e.Number]
	if mine == nil {
		mine = &IncompleteEpisode{Episode: e.Number, World: int64(e.World), Rows: map[string]int64{}}
		seen[e.Number] = mine
	}
	mine.Closed, mine.Want = true, map[string]int64{}
	for i, part := range e.Parts {
		if part.Counted && part.Rows > 0 {
			mine.Want[d.Tables[i].Name] = part.Rows
		}
	}
}
