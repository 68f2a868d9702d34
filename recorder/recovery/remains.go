package recovery

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// tableState is what is left of one table.
type tableState struct {
	dir    string
	table  *format.Table
	files  map[int]string // paths of streams by number of the shard
	shards []folder.Shard // shards with a valid entry, with their valid entries
	whole  bool           // streams and journal need no change

	journal *folder.Journal
	writer  *folder.TableWriter // writer of the rows that are kept, once the table is mended

	rows             int64 // number of rows of the valid entries
	acknowledgedRows int64 // number of rows of the journal's entries
	surplus          int64 // bytes in streams after the last valid entry
	damage           error // reason why not all entries are valid, with the file's name but without its folder
	noJournal        bool  // the journal is missing, or its first line is not whole
	broken           bool  // the streams are damaged
	middle           bool  // valid rows follow the damage, or neither a kill nor a power cut explains it
}

// findAll returns what is left of each table. before is the report of an earlier recovery that was killed, or nil.
func findAll(dir string, tables []format.Table, previous *format.Recovery) ([]*tableState, error) {
	all := make([]*tableState, len(tables))
	for i := range tables {
		var err error
		if all[i], err = find(folder.Dir(dir, tables, i), &tables[i], previous != nil); err != nil {
			return nil, fmt.Errorf("table %q: %w", tables[i].Name, err)
		}
	}
	for i, r := range all {
		if r.noJournal && r.damage == nil && !startExplains(all, i) && !recoveryExplains(previous, i) {
			r.damage, r.middle = errNoJournal, true
		}
	}
	return all, nil
}

var (
	errNoJournal = fmt.Errorf("%s is gone, and nothing says how many rows there were", folder.JournalFile)
	errGone      = errors.New("it is gone, and the journal has its messages")
)

// startExplains reports whether a writer that was killed when it began leaves table i without a journal. It makes all
// journals, in the order of the tables, before the first stream.
func startExplains(all []*tableState, i int) bool {
	for j, r := range all {
		if len(r.files) > 0 || j > i && !r.noJournal {
			return false
		}
	}
	return true
}

// recoveryExplains reports whether an earlier recovery, which was killed, had already kept no row of table i.
func recoveryExplains(previous *format.Recovery, i int) bool {
	return previous != nil && i < len(previous.Tables) && previous.Tables[i].Rows == 0
}

// find reads the journal and compares every message in it with its checksum. It changes nothing. resumed says that an
// earlier recovery was killed, which cuts journals before streams.
func find(dir string, t *format.Table, resumed bool) (*tableState, error) {
	r := &tableState{dir: dir, table: t}
	var err error
	if r.files, err = folder.Streams(dir); errors.Is(err, folder.ErrTwoFiles) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, path := range r.files {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		r.surplus += info.Size()
	}
	entries, torn, err := r.readJournal()
	if err != nil {
		return nil, err
	}
	for _, s := range folder.Shards(entries) {
		s.Path = r.files[s.Entries[0].Shard]
		if err := r.verify(s); err != nil {
			return nil, err
		}
	}
	for _, s := range r.shards {
		r.surplus -= s.Entries[len(s.Entries)-1].End()
	}
	if r.damage == nil && !resumed && !r.noJournal {
		if err := r.findUnjournaled(entries); err != nil {
			return nil, err
		}
	}
	r.whole = r.damage == nil && r.surplus == 0 && !torn && len(r.files) == len(r.shards) &&
		len(entries) > 0 && entries[len(entries)-1].Kind == folder.End
	return r, nil
}

// findUnjournaled looks for messages that no line of the journal names. A kill leaves at most one whole message, with
// nothing after it; more mean that lines are gone.
func (r *tableState) findUnjournaled(entries []folder.JournalEntry) error {
	shard, start := 0, int64(0)
	if n := len(entries); n > 0 {
		shard, start = entries[n-1].Shard, entries[n-1].End()
		if entries[n-1].Kind == folder.End {
			shard, start = shard+1, 0
		}
	}
	for _, number := range slices.Sorted(maps.Keys(r.files)) {
		if number > shard && r.damage == nil {
			r.middle = true
			r.damage = fmt.Errorf("%s ends at shard %d, and there is shard %d", folder.JournalFile, shard, number)
		}
	}
	path, ok := r.files[shard]
	if !ok || r.damage != nil {
		return nil
	}
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	what, err := unjournaled(f, start)
	if what != "" {
		r.middle = true
		r.damage = fmt.Errorf("%s has nothing after %d in %s, and there is %s", folder.JournalFile, start,
			filepath.Base(path), what)
	}
	return err
}

// readJournal returns the entries of the journal up to its first damage, and whether its last line is torn.
func (r *tableState) readJournal() (entries []folder.JournalEntry, torn bool, err error) {
	text, err := disk.ReadFile(filepath.Join(r.dir, folder.JournalFile), folder.MaxJournal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	r.journal, err = folder.ParseJournal(text)
	for _, header := range []string{folder.JournalHeader, folder.PartsHeader} {
		if bytes.HasPrefix([]byte(header), text) && len(text) < len(header) {
			r.noJournal = true
			return nil, true, nil
		}
	}
	entries = r.journal.Entries
	if err == nil {
		return entries, false, nil
	}
	rest := text[r.journal.Length:] // the whole text, where the header is not right
	if bytes.IndexByte(rest, '\n') >= 0 {
		r.damage = fmt.Errorf("%s: %w", folder.JournalFile, err)
	}
	for line := range bytes.Lines(rest) {
		if e, err := folder.ParseEntry(line); err == nil {
			r.middle, r.acknowledgedRows = true, r.acknowledgedRows+e.Rows
		}
	}
	return entries, true, nil
}

// verify adds a shard with its entries up to the first in the table whose message is damaged.
func (r *tableState) verify(s folder.Shard) error {
	name, f := filepath.Base(s.Path), (*os.File)(nil)
	if s.Path == "" { // a kill removes no file
		r.middle, name = true, folder.PartName(s.Entries[0].Shard)
	} else {
		var err error
		if f, err = disk.Open(s.Path); err != nil {
			return err
		}
		defer f.Close()
	}
	valid := 0
	for i := range s.Entries {
		e := &s.Entries[i]
		r.acknowledgedRows += e.Rows
		damage := errGone
		if f != nil {
			damage = folder.Verify(f, e)
		}
		var pathErr *fs.PathError
		switch {
		case errors.As(damage, &pathErr):
			return damage
		case damage == nil && !r.broken:
			valid, r.rows = i+1, r.rows+e.Rows
		case damage == nil:
			r.middle = r.middle || e.Kind == folder.Batch
		case !r.broken:
			r.broken, r.damage = true, fmt.Errorf("%s: %w", name, damage)
			if f == nil {
				break
			}
			tail, err := isTail(f, s.Entries[i:])
			if err != nil {
				return err
			}
			r.middle = r.middle || !tail
		}
	}
	if valid == 1 && r.journal.Parts {
		valid = 0 // only the schema: the parts of the batch that is lost come before it
	}
	if s.Entries = s.Entries[:valid]; valid > 0 {
		r.shards = append(r.shards, s)
	}
	return nil
}

// refuse returns an error for damage that only Options.Cut may cut off.
func (r *tableState) refuse(closed, cut bool) error {
	if closed && r.damage == nil && !r.whole { // as a kill leaves it, but there was none
		r.damage = fmt.Errorf("%s and the streams do not end together, and %d bytes of these are too many",
			folder.JournalFile, r.surplus)
	}
	if r.noJournal && r.damage != nil && !cut {
		return fmt.Errorf("%s: %w: %w", r.dir, ErrDamaged, r.damage)
	}
	if r.damage != nil && !cut && (closed || r.middle) {
		return fmt.Errorf("%s: %w: %w; %d rows before that are right, %d are lost or come after it",
			r.dir, ErrDamaged, r.damage, r.rows, r.acknowledgedRows-r.rows)
	}
	return nil
}
