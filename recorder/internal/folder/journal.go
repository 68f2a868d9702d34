package folder

import (
	"bytes"
	"fmt"
	"hash/crc32"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// The journal of a table is a text file with one line per message of its streams. The line is appended after the message's bytes
// have been written:
//
//	polyrhythm-journal 2
//	schema 0 0 1480 0 0 6b1c8f90 <line checksum>
//	batch 0 1480 65536 4096 12 91ab03ff <line checksum>
//	end 0 67016 8 0 1 12345678 <line checksum>
//
// with kind, shard, offset in the shard and length in bytes, rows, episodes, CRC32C of the message's bytes, and CRC32C of the
// line up to that field. A line counts the closed episodes whose last row in this table is in its message or an earlier one,
// unless an earlier line has counted them: they survive a kill from this line on. A shard is one schema, any number of batches,
// one end; shards and offsets leave no gap.

// JournalHeader is the first line of a journal.
const JournalHeader = "polyrhythm-journal 2\n"

// maxJournalLine is longer than any line can be.
const maxJournalLine = 128

// EntryKind says what message a line of the journal is about.
type EntryKind string

// The messages of a stream: one schema, any number of batches, one end.
const (
	Schema EntryKind = "schema"
	Batch  EntryKind = "batch"
	End    EntryKind = "end"
)

// Entry is one line of a journal.
type Entry struct {
	Kind     EntryKind
	Shard    int
	Offset   int64 // of the message in the shard's file
	Length   int64 // bytes of the message
	Rows     int64 // of a batch, else 0
	Episodes int64 // whose last row in this table is now safe; 0 for a schema
	CRC      uint32
}

// End returns the offset just after the message.
func (e *Entry) End() int64 { return e.Offset + e.Length }

// AppendLine appends the entry's line, with its line break.
func (e *Entry) AppendLine(dst []byte) []byte {
	start := len(dst)
	dst = fmt.Appendf(dst, "%s %d %d %d %d %d %08x", e.Kind, e.Shard, e.Offset, e.Length, e.Rows, e.Episodes, e.CRC)
	return fmt.Appendf(dst, " %08x\n", crc32.Checksum(dst[start:], format.Castagnoli))
}

// AppendJournal appends the text of a journal.
func AppendJournal(dst []byte, entries []Entry) []byte {
	dst = append(dst, JournalHeader...)
	for i := range entries {
		dst = entries[i].AppendLine(dst)
	}
	return dst
}

// ParseJournal returns the entries of the longest valid beginning of a journal, and an error that says where and why it
// ends unless it is the whole journal. A checksum guards each line; the order of the entries shows a missing one.
func ParseJournal(data []byte) ([]Entry, error) {
	rest, ok := bytes.CutPrefix(data, []byte(JournalHeader))
	if !ok {
		return nil, fmt.Errorf("journal begins with %q, want %q", data[:min(len(data), len(JournalHeader))], JournalHeader)
	}
	var entries []Entry
	for line := 2; len(rest) > 0; line++ {
		end := bytes.IndexByte(rest[:min(len(rest), maxJournalLine)], '\n')
		if end < 0 {
			return entries, fmt.Errorf("journal line %d is torn", line)
		}
		e, err := ParseEntry(rest[:end+1])
		if err == nil {
			err = e.checkAfter(entries)
		}
		if err != nil {
			return entries, fmt.Errorf("journal line %d: %w", line, err)
		}
		entries = append(entries, e)
		rest = rest[end+1:]
	}
	return entries, nil
}

// ParseEntry accepts exactly the lines that AppendLine makes.
func ParseEntry(line []byte) (Entry, error) {
	var e Entry
	var sum uint32
	_, err := fmt.Sscanf(string(line), "%s %d %d %d %d %d %08x %08x\n", &e.Kind, &e.Shard, &e.Offset, &e.Length, &e.Rows, &e.Episodes, &e.CRC, &sum)
	if err != nil {
		return Entry{}, fmt.Errorf("%q: %w", line, err)
	}
	if again := e.AppendLine(nil); !bytes.Equal(again, line) {
		return Entry{}, fmt.Errorf("%q does not match its checksum", line)
	}
	return e, nil
}

// checkAfter returns an error unless the entry may follow those before it.
func (e *Entry) checkAfter(before []Entry) error {
	if e.Length <= 0 || e.Rows < 0 || e.Episodes < 0 || e.End() < 0 {
		return fmt.Errorf("length %d, rows %d and episodes %d at %d are out of range", e.Length, e.Rows, e.Episodes, e.Offset)
	}
	if (e.Kind == Batch) != (e.Rows > 0) {
		return fmt.Errorf("%s with %d rows", e.Kind, e.Rows)
	}
	if e.Kind == Schema && e.Episodes > 0 {
		return fmt.Errorf("schema with %d episodes", e.Episodes)
	}
	shard, offset, first := 0, int64(0), true
	if len(before) > 0 {
		last := &before[len(before)-1]
		shard, offset, first = last.Shard, last.End(), false
		if last.Kind == End {
			shard, offset, first = last.Shard+1, 0, true
		}
	}
	switch {
	case e.Kind != Schema && e.Kind != Batch && e.Kind != End:
		return fmt.Errorf("kind %q, want schema, batch or end", e.Kind)
	case (e.Kind == Schema) != first:
		return fmt.Errorf("%s is out of order", e.Kind)
	case e.Shard != shard || e.Offset != offset:
		return fmt.Errorf("%s at shard %d offset %d, want shard %d offset %d", e.Kind, e.Shard, e.Offset, shard, offset)
	}
	return nil
}
