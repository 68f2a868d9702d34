package recovery

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// remains is what is left of one table.
type remains struct {
	dir    string
	table  *format.Table
	files  map[int]string // by number of the shard
	shards []folder.Shard // those with a valid entry, and their valid entries
	whole  bool           // streams and journal need no change

	journal *folder.Journal

	rows         int64 // of the valid entries
	acknowledged int64 // of the journal's entries
	surplus      int64 // bytes in streams after the last valid entry
	damage       error // why not all entries are valid; names the file without the folder
	noJournal    bool  // there is none, or its first line is not whole
	broken       bool  // in the streams
	middle       bool  // valid rows follow the damage, or no kill explains it
}

// findAll returns what is left of each table. before is the report of an earlier recovery that was killed, or nil.
func findAll(dir string, tables []format.Table, before *format.Recovery) ([]*remains, error) {
	all := make([]*remains, len(tables))
	for i := range tables {
		var err error
		if all[i], err = find(folder.Dir(dir, tables, i), &tables[i], before != nil); err != nil {
			return nil, fmt.Errorf("table %q: %w", tables[i].Name, err)
		}
	}
	for i, r := range all {
		if r.noJournal && r.damage == nil && !startExplains(all, i) && !recoveryExplains(before, i) {
			r.damage, r.middle = errNoJournal, true
		}
	}
	return all, nil
}

var errNoJournal = fmt.Errorf("%s is gone, and nothing says how many rows there were", folder.JournalFile)

// startExplains reports whether a writer that was killed when it began leaves table i without a journal. It makes all journals, in
// the order of the tables, before the first stream.
func startExplains(all []*remains, i int) bool {
	for j, r := range all {
		if len(r.files) > 0 || j > i && !r.noJournal {
			return false
		}
	}
	return true
}

// recoveryExplains reports whether an earlier recovery, which was killed, had already kept no row of table i.
func recoveryExplains(before *format.Recovery, i int) bool {
	return before != nil && i < len(before.Tables) && before.Tables[i].Rows == 0
}

// find reads the journal and compares every message in it with its checksum. It changes nothing. resumed says that an earlier
// recovery was killed, which cuts journals before streams.
func find(dir string, t *format.Table, resumed bool) (*remains, error) {
	r := &remains{dir: dir, table: t}
	if err := r.findFiles(); err != nil {
		return nil, err
	}
	beyond := map[int]int64{} // bytes of each file after the last valid entry
	for number, path := range r.files {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		beyond[number] = info.Size()
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
		beyond[s.Entries[0].Shard] -= s.Entries[len(s.Entries)-1].End()
	}
	for _, n := range beyond {
		r.surplus += n
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

// findUnjournaled looks for messages that no line of the journal names. A kill leaves at most one whole message, with nothing
// after it; more mean that lines are gone.
func (r *remains) findUnjournaled(entries []folder.Entry) error {
	shard, from := 0, int64(0)
	if n := len(entries); n > 0 {
		shard, from = entries[n-1].Shard, entries[n-1].End()
		if entries[n-1].Kind == folder.End {
			shard, from = shard+1, 0
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
	more, err := hasMoreThanOneMessage(path, from)
	if more {
		r.middle = true
		r.damage = fmt.Errorf("%s has nothing after %d in %s, and there is more than one message", folder.JournalFile, from, filepath.Base(path))
	}
	return err
}

// findFiles finds the table's streams under either of their names.
func (r *remains) findFiles() error {
	r.files = map[int]string{}
	all, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range all {
		number, ok := folder.ParseName(f.Name())
		if !ok {
			continue // not ours
		}
		if other, ok := r.files[number]; ok {
			return fmt.Errorf("%w: %s holds %s and %s, want one of them", ErrDamaged, r.dir, filepath.Base(other), f.Name())
		}
		r.files[number] = filepath.Join(r.dir, f.Name())
	}
	return nil
}

// readJournal returns the entries of the journal up to its first damage, and whether its last line is torn.
func (r *remains) readJournal() (entries []folder.Entry, torn bool, err error) {
	text, err := os.ReadFile(filepath.Join(r.dir, folder.JournalFile))
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
	rest := text[r.journal.Length:] // of all, where the header is not right
	if bytes.IndexByte(rest, '\n') >= 0 {
		r.damage = fmt.Errorf("%s: %w", folder.JournalFile, err)
	}
	for line := range bytes.Lines(rest) {
		if e, err := folder.ParseEntry(line); err == nil {
			r.middle, r.acknowledged = true, r.acknowledged+e.Rows
		}
	}
	return entries, true, nil
}

// verify adds a shard with its entries up to the first in the table whose message is damaged.
func (r *remains) verify(s folder.Shard) error {
	name, in := folder.PartName(s.Entries[0].Shard), io.Reader(bytes.NewReader(nil))
	if s.Path == "" {
		r.middle = true // a kill removes no file
	} else {
		name = filepath.Base(s.Path)
		f, err := os.Open(s.Path)
		if err != nil {
			return err
		}
		defer f.Close()
		in = bufio.NewReader(f)
	}
	kept := 0
	for i, e := range s.Entries {
		r.acknowledged += e.Rows
		crc := crc32.New(format.Castagnoli)
		n, err := io.CopyN(crc, in, e.Length)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %s at %d: %w", s.Path, e.Kind, e.Offset, err)
		}
		holds := n == e.Length && crc.Sum32() == e.CRC
		switch {
		case holds && !r.broken:
			kept, r.rows = i+1, r.rows+e.Rows
		case holds:
			r.middle = r.middle || e.Kind == folder.Batch
		case !r.broken && n < e.Length:
			r.broken, r.damage = true, fmt.Errorf("%s: %s of %d bytes at %d, but the file ends at %d", name, e.Kind, e.Length, e.Offset, e.Offset+n)
		case !r.broken:
			r.broken, r.damage = true, fmt.Errorf("%s: %s at %d has checksum %08x, want %08x", name, e.Kind, e.Offset, crc.Sum32(), e.CRC)
		}
	}
	if s.Entries = s.Entries[:kept]; kept > 0 {
		r.shards = append(r.shards, s)
	}
	return nil
}

// refuse returns an error for damage that only Options.Cut may cut off.
func refuse(found []*remains, closed, cut bool) error {
	for _, r := range found {
		if err := r.refuse(closed, cut); err != nil {
			return err
		}
	}
	return nil
}

func (r *remains) refuse(closed, cut bool) error {
	if closed && r.damage == nil && !r.whole { // as a kill leaves it, but there was none
		r.damage = fmt.Errorf("%s and the streams do not end together, and %d bytes of these are too many", folder.JournalFile, r.surplus)
	}
	if r.noJournal && r.damage != nil && !cut {
		return fmt.Errorf("%s: %w: %w", r.dir, ErrDamaged, r.damage)
	}
	if r.damage != nil && !cut && (closed || r.middle) {
		return fmt.Errorf("%s: %w: %w; %d rows before that are right, %d are lost or come after it",
			r.dir, ErrDamaged, r.damage, r.rows, r.acknowledged-r.rows)
	}
	return nil
}

// hasMoreThanOneMessage reports whether a stream holds, from a place on, a whole message and something after it.
func hasMoreThanOneMessage(path string, from int64) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	left := info.Size() - from
	var prefix [8]byte
	if _, err := f.ReadAt(prefix[:], from); err != nil {
		return false, ignoreEOF(err)
	}
	length := int64(int32(binary.LittleEndian.Uint32(prefix[4:])))
	if binary.LittleEndian.Uint32(prefix[:]) != math.MaxUint32 || length < 0 || 8+length > left {
		return false, nil // no message
	}
	metadata := make([]byte, length)
	if _, err := f.ReadAt(metadata, from+8); err != nil {
		return false, ignoreEOF(err)
	}
	body, ok := bodyLength(metadata)
	return ok && body < left-8-length, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// bodyLength returns the length of a message's body, which its metadata states: field 3 of the table Message in Arrow's
// Message.fbs. Metadata that makes no sense has none. The end of a stream has no metadata and no body.
func bodyLength(metadata []byte) (length int64, ok bool) {
	if len(metadata) == 0 {
		return 0, true
	}
	defer func() { ok = recover() == nil && length >= 0 }() // an offset may lead anywhere
	message := flatbuffers.Table{Bytes: metadata, Pos: flatbuffers.GetUOffsetT(metadata)}
	if field := message.Offset(4 + 2*3); field != 0 {
		length = message.GetInt64(message.Pos + flatbuffers.UOffsetT(field))
	}
	return length, true
}
