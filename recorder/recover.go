package recorder

import (
	"bufio"
	"bytes"
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

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// ErrDamaged is wrapped by the error of [Recover] for a dataset that something else than a kill has happened to.
var ErrDamaged = errors.New("dataset is damaged")

// RecoverOptions says what a recovery may do. The zero value gives up nothing that can be read.
type RecoverOptions struct {
	// Cut drops everything after the first damage in each table, also rows that are right.
	Cut bool
	// Sync says whether the recovered files are forced to the disk; SyncEveryBatch is no more than SyncAtClose here.
	Sync SyncPolicy
}

// Recover makes a loadable dataset of what a killed run left behind. It holds every row that the journals acknowledge: each
// stream is cut after the last acknowledged message whose checksum holds and ended there, and the files get their names.
// What is missing stands in the result and in recovered.json.
//
// It returns nil for a dataset that was closed and is whole; of one that was recovered before, what was said then. It may be
// killed and called again. It fails with [ErrWriting] while the writer lives, and with [ErrDamaged], having changed nothing,
// where acknowledged rows of a closed dataset are not right, or others that are right come after them.
func Recover(dir string, options RecoverOptions) (*Recovery, error) {
	return recoverDataset(dir, options, createFile, func() error { return nil })
}

// recoverDataset calls step before each change, and stops where it fails.
func recoverDataset(dir string, options RecoverOptions, create fileCreator, step func() error) (*Recovery, error) {
	doc, text, err := readDocument(dir)
	if err != nil {
		return nil, err
	}
	_, err = os.Lstat(filepath.Join(dir, stateFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	closed := err == nil
	lock, err := lockDataset(dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()

	before, unread := readRecovery(dir)
	d := &Dataset{Metadata: doc.Metadata, Tables: doc.Tables, dir: dir, document: text}
	var found []*remains
	mended := true
	for i := range doc.Tables {
		t := &doc.Tables[i]
		r, err := findRemains(tableDir(dir, doc.Tables, i), t, before != nil)
		if err != nil {
			return nil, fmt.Errorf("recorder: table %q: %w", t.Name, err)
		}
		found, d.shards, mended = append(found, r), append(d.shards, r.shards), mended && r.whole
		if err := d.checkSchema(i); err != nil {
			return nil, fmt.Errorf("recorder: table %q: %w: %w", t.Name, ErrDamaged, err)
		}
		if closed && r.damage == nil && !r.whole { // as a kill would leave it, but there was none
			r.damage = fmt.Errorf("%s and the streams do not end together, and %d bytes of these are too many", journalFile, r.surplus)
		}
		if r.damage != nil && !options.Cut && (closed || r.middle) {
			return nil, fmt.Errorf("recorder: %s: %w: %w; %d rows before that are right, %d are lost or come after it",
				r.dir, ErrDamaged, r.damage, r.rows, r.acknowledged-r.rows)
		}
	}
	if mended && closed && unread == nil {
		if _, err := Open(dir); err == nil {
			return before, nil
		}
		// Only the files beside the rows are not right.
		if err := finishRemains(d, found, before, options.Sync, create, step); err != nil {
			return nil, err
		}
		return before, nil
	}
	report, err := d.report(found)
	if err != nil {
		return nil, err
	}
	if before != nil {
		report.resume(before)
	}
	if err := finishRemains(d, found, report, options.Sync, create, step); err != nil {
		return nil, err
	}
	return report, nil
}

// resume takes over what a recovery that was killed had found and has cut off since.
func (r *Recovery) resume(before *Recovery) {
	for i := range r.Tables {
		if i < len(before.Tables) {
			now, then := &r.Tables[i], &before.Tables[i]
			now.Acknowledged, now.Cut = max(now.Acknowledged, then.Acknowledged), max(now.Cut, then.Cut)
			if now.Damage == "" {
				now.Damage = then.Damage
			}
		}
	}
}

// OpenRecovering is [Open] for those who want what a killed run left behind: an unfinished dataset whose writer is gone is
// recovered first. The recovery is nil where that was not needed.
func OpenRecovering(dir string) (*Dataset, *Recovery, error) {
	d, err := Open(dir)
	if !errors.Is(err, ErrUnfinished) {
		return d, nil, err
	}
	r, err := Recover(dir, RecoverOptions{})
	if err != nil {
		return nil, nil, err
	}
	d, err = Open(dir)
	return d, r, err
}

// remains is what was found of one table.
type remains struct {
	dir    string
	table  *Table
	files  map[int]string // by number of the shard
	shards []shard        // those of which an entry holds, with the entries that do
	whole  bool           // there is nothing to mend in streams and journal

	rows         int64 // of the entries that hold
	acknowledged int64 // of the journal's entries
	surplus      int64 // bytes in streams after the last entry that holds
	damage       error // why not all entries hold; names the file without the folder
	broken       bool  // in the streams
	middle       bool  // rows after the damage are right, or no kill explains it
}

// findRemains reads the journal and compares every message it speaks of with its checksum. It changes nothing. resumed says
// that a recovery was killed, which cuts journals before streams.
func findRemains(dir string, t *Table, resumed bool) (*remains, error) {
	r := &remains{dir: dir, table: t}
	if err := r.findFiles(); err != nil {
		return nil, err
	}
	beyond := map[int]int64{} // bytes of each file after the last entry that holds
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
	for _, s := range cutShards(entries) {
		s.path = r.files[s.entries[0].shard]
		if err := r.verify(s); err != nil {
			return nil, err
		}
	}
	for _, s := range r.shards {
		beyond[s.entries[0].shard] -= s.entries[len(s.entries)-1].end()
	}
	for _, n := range beyond {
		r.surplus += n
	}
	if r.damage == nil && !resumed {
		if err := r.findUnspoken(entries); err != nil {
			return nil, err
		}
	}
	r.whole = r.damage == nil && r.surplus == 0 && !torn && len(r.files) == len(r.shards) &&
		len(entries) > 0 && entries[len(entries)-1].kind == entryEnd
	return r, nil
}

// findUnspoken looks for messages that no line of the journal speaks of. A kill leaves at most one that is whole, and then
// nothing after it: more mean that lines are gone.
func (r *remains) findUnspoken(entries []entry) error {
	shard, from := 0, int64(0)
	if n := len(entries); n > 0 {
		shard, from = entries[n-1].shard, entries[n-1].end()
		if entries[n-1].kind == entryEnd {
			shard, from = shard+1, 0
		}
	}
	for _, number := range slices.Sorted(maps.Keys(r.files)) {
		if number > shard && r.damage == nil {
			r.middle = true
			r.damage = fmt.Errorf("%s ends at shard %d, and there is shard %d", journalFile, shard, number)
		}
	}
	path, ok := r.files[shard]
	if !ok || r.damage != nil {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return err
	}
	frames := &framing{in: bufio.NewReader(f), offset: from, size: info.Size()}
	if frames.next() == nil && frames.offset < info.Size() {
		r.middle = true
		r.damage = fmt.Errorf("%s speaks of nothing after %d in %s, and there is more than one message", journalFile, from, filepath.Base(path))
	}
	return nil
}

// findFiles finds the table's streams, whatever they are called at present.
func (r *remains) findFiles() error {
	r.files = map[int]string{}
	all, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range all {
		number, shards := 0, 0
		if _, err := fmt.Sscanf(f.Name(), "data-%05d", &number); err != nil {
			continue
		}
		if f.Name() != partName(number) {
			if _, err := fmt.Sscanf(f.Name(), "data-%05d-of-%05d", &number, &shards); err != nil || f.Name() != shardName(number, shards) {
				continue // not ours
			}
		}
		if other, ok := r.files[number]; ok {
			return fmt.Errorf("%w: %s holds %s and %s, want one of them", ErrDamaged, r.dir, filepath.Base(other), f.Name())
		}
		r.files[number] = filepath.Join(r.dir, f.Name())
	}
	return nil
}

// readJournal returns the entries of the journal up to its first damage, and whether its last line is torn.
func (r *remains) readJournal() (entries []entry, torn bool, err error) {
	text, err := os.ReadFile(filepath.Join(r.dir, journalFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	if bytes.HasPrefix([]byte(journalHeader), text) && len(text) < len(journalHeader) {
		if len(r.files) > 0 { // the writer begins with the whole header
			r.damage, r.middle = fmt.Errorf("%s is cut after %d bytes, and there are streams", journalFile, len(text)), true
		}
		return nil, true, nil
	}
	entries, err = parseJournal(text)
	if err == nil {
		return entries, false, nil
	}
	rest := text
	if right := appendJournal(nil, entries); bytes.HasPrefix(text, right) {
		rest = text[len(right):] // else the header is not right
	}
	if bytes.IndexByte(rest, '\n') >= 0 {
		r.damage = fmt.Errorf("%s: %w", journalFile, err)
	}
	for line := range bytes.Lines(rest) {
		if e, err := parseEntry(line); err == nil {
			r.middle, r.acknowledged = true, r.acknowledged+e.rows
		}
	}
	return entries, true, nil
}

// verify adds a shard with those of its entries that hold, up to the first in the table that does not.
func (r *remains) verify(s shard) error {
	name, in := partName(s.entries[0].shard), io.Reader(bytes.NewReader(nil))
	if s.path == "" {
		r.middle = true // a kill takes no file away
	} else {
		name = filepath.Base(s.path)
		f, err := os.Open(s.path)
		if err != nil {
			return err
		}
		defer f.Close()
		in = bufio.NewReader(f)
	}
	kept := 0
	for i, e := range s.entries {
		r.acknowledged += e.rows
		crc := crc32.New(castagnoli)
		n, err := io.CopyN(crc, in, e.length)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %s at %d: %w", s.path, e.kind, e.offset, err)
		}
		holds := n == e.length && crc.Sum32() == e.crc
		switch {
		case holds && !r.broken:
			kept, r.rows = i+1, r.rows+e.rows
		case holds:
			r.middle = r.middle || e.kind == entryBatch
		case !r.broken && n < e.length:
			r.broken, r.damage = true, fmt.Errorf("%s: %s of %d bytes at %d, but the file ends at %d", name, e.kind, e.length, e.offset, e.offset+n)
		case !r.broken:
			r.broken, r.damage = true, fmt.Errorf("%s: %s at %d has checksum %08x, want %08x", name, e.kind, e.offset, crc.Sum32(), e.crc)
		}
	}
	if s.entries = s.entries[:kept]; kept > 0 {
		r.shards = append(r.shards, s)
	}
	return nil
}

// finishRemains brings the folder into the state in which Close would have left it with the rows that hold. report is nil
// where rows are not concerned. After each step the folder is one that Recover takes up again.
func finishRemains(d *Dataset, found []*remains, report *Recovery, sync SyncPolicy, create fileCreator, step func() error) error {
	// First of all, what is going to be cut off is written down.
	if report != nil {
		text, err := report.encode()
		if err == nil {
			err = step()
		}
		if err == nil {
			err = replaceFile(create, filepath.Join(d.dir, recoveryFile), text, sync)
		}
		if err != nil {
			return fmt.Errorf("recorder: %w", err)
		}
	}
	if err := step(); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(d.dir, stateFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recorder: %w", err)
	}
	tables := make([]*tableWriter, len(found))
	for i, r := range found {
		var err error
		if tables[i], err = r.mend(d.document, sync, create, step); err != nil {
			return fmt.Errorf("recorder: table %q: %w", r.table.Name, err)
		}
	}
	for i := len(found) - 1; i >= 0; i-- { // the first one's state.json comes last
		err := step()
		if err == nil {
			err = tables[i].publish(report)
		}
		if err == nil && sync != SyncNever {
			err = syncDir(found[i].dir)
		}
		if err != nil {
			return fmt.Errorf("recorder: table %q: %w", found[i].table.Name, err)
		}
	}
	return nil
}

// mend cuts the table's journal and stream after the last entry that holds, ends the stream there, and removes streams
// without any. The writer it returns has nothing left to do but publish.
func (r *remains) mend(document []byte, sync SyncPolicy, create fileCreator, step func() error) (_ *tableWriter, err error) {
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return nil, err
	}
	l := newLayout(r.table)
	t := &tableWriter{
		dir: r.dir, layout: l, schema: r.table.arrowSchema(document), batch: newBatch(l, 1, memory.DefaultAllocator),
		options: Options{ShardBytes: math.MaxInt64, Sync: sync}, mem: memory.DefaultAllocator, create: create,
	}
	defer t.batch.release()
	defer func() {
		if err != nil {
			t.discard()
		}
	}()
	var entries []entry
	for _, s := range r.shards {
		entries = append(entries, s.entries...)
	}
	t.written = writtenOf(entries)

	// The journal first, so that it never speaks of bytes that are gone.
	if err := step(); err != nil {
		return nil, err
	}
	lines := int64(0)
	if len(entries) > 0 { // else the header, too, may be missing
		lines = int64(len(appendJournal(nil, entries)))
	}
	journal, err := openCut(filepath.Join(r.dir, journalFile), lines)
	if err != nil {
		return nil, err
	}
	t.journal = journal
	if lines == 0 {
		if _, err := io.WriteString(journal, journalHeader); err != nil {
			return nil, err
		}
	}
	if err := r.placeFiles(step); err != nil {
		return nil, err
	}
	if err := step(); err != nil {
		return nil, err
	}
	if n := len(entries); n > 0 {
		last := &entries[n-1]
		f, err := openCut(filepath.Join(r.dir, partName(last.shard)), last.end())
		if err != nil {
			return nil, err
		}
		t.shard = &shardWriter{table: t, file: f, buf: bufio.NewWriter(f), number: last.shard, offset: last.end()}
		if last.kind == entryEnd {
			t.shard = nil
			if err := f.Close(); err != nil {
				return nil, err
			}
		}
	}
	if err := step(); err != nil {
		return nil, err
	}
	return t, t.finish()
}

// placeFiles gives the streams of which something holds the names they had while they were written, and removes the others.
func (r *remains) placeFiles(step func() error) error {
	for _, number := range slices.Sorted(maps.Keys(r.files)) {
		path := r.files[number]
		part := filepath.Join(r.dir, partName(number))
		if number < len(r.shards) && path == part {
			continue
		}
		if err := step(); err != nil {
			return err
		}
		var err error
		if number < len(r.shards) {
			err = os.Rename(path, part)
		} else {
			err = os.Remove(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openCut opens a file for writing at its end, after cutting it to a length that it has, or making it empty.
func openCut(path string, length int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err = f.Truncate(length); err == nil {
		_, err = f.Seek(length, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
