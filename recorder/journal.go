package recorder

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// The journal of a table is a text file with one line per message of its streams, appended after the message's bytes have
// been written:
//
//	polyrhythm-journal 2
//	schema 0 0 1480 0 0 6b1c8f90 <line checksum>
//	batch 0 1480 65536 4096 12 91ab03ff <line checksum>
//	end 0 67016 8 0 1 12345678 <line checksum>
//
// with kind, shard, offset in the shard and length in bytes, rows, episodes, CRC32C of the message's bytes, and CRC32C of the
// line before that field. Episodes are those that were closed and whose last row in this table stands in this message or
// before, and were in no line before: once the line is there they are safe in this table. A shard is one schema, any number of
// batches, one end; shards and offsets leave no gap.

const journalHeader = "polyrhythm-journal 2\n"

// maxJournalLine is longer than any line can be.
const maxJournalLine = 128

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type entryKind string

const (
	entrySchema entryKind = "schema"
	entryBatch  entryKind = "batch"
	entryEnd    entryKind = "end"
)

// entry is one line of a journal.
type entry struct {
	kind     entryKind
	shard    int
	offset   int64 // of the message in the shard's file
	length   int64 // bytes of the message
	rows     int64 // of a batch, else 0
	episodes int64 // that have become whole in this table; 0 for a schema
	crc      uint32
}

// end returns the offset just after the message.
func (e *entry) end() int64 { return e.offset + e.length }

func (e *entry) appendLine(dst []byte) []byte {
	start := len(dst)
	dst = fmt.Appendf(dst, "%s %d %d %d %d %d %08x", e.kind, e.shard, e.offset, e.length, e.rows, e.episodes, e.crc)
	return fmt.Appendf(dst, " %08x\n", crc32.Checksum(dst[start:], castagnoli))
}

// appendJournal appends the text of a journal.
func appendJournal(dst []byte, entries []entry) []byte {
	dst = append(dst, journalHeader...)
	for i := range entries {
		dst = entries[i].appendLine(dst)
	}
	return dst
}

// parseJournal returns the entries of the longest valid beginning of a journal, and an error that says where and why it
// ends if that is not the end of the data. Checksums guard each line; the rules between lines catch a missing one.
func parseJournal(data []byte) ([]entry, error) {
	rest, ok := bytes.CutPrefix(data, []byte(journalHeader))
	if !ok {
		return nil, fmt.Errorf("journal begins with %q, want %q", data[:min(len(data), len(journalHeader))], journalHeader)
	}
	var entries []entry
	for line := 2; len(rest) > 0; line++ {
		end := bytes.IndexByte(rest[:min(len(rest), maxJournalLine)], '\n')
		if end < 0 {
			return entries, fmt.Errorf("journal line %d is torn", line)
		}
		e, err := parseEntry(rest[:end+1])
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

// parseEntry accepts exactly the lines that appendLine makes.
func parseEntry(line []byte) (entry, error) {
	var e entry
	var sum uint32
	_, err := fmt.Sscanf(string(line), "%s %d %d %d %d %d %08x %08x\n", &e.kind, &e.shard, &e.offset, &e.length, &e.rows, &e.episodes, &e.crc, &sum)
	if err != nil {
		return entry{}, fmt.Errorf("%q: %w", line, err)
	}
	if again := e.appendLine(nil); !bytes.Equal(again, line) {
		return entry{}, fmt.Errorf("%q does not match its checksum", line)
	}
	return e, nil
}

// checkAfter returns an error unless the entry may follow those before it.
func (e *entry) checkAfter(before []entry) error {
	if e.length <= 0 || e.rows < 0 || e.episodes < 0 || e.end() < 0 {
		return fmt.Errorf("length %d, rows %d and episodes %d at %d are out of range", e.length, e.rows, e.episodes, e.offset)
	}
	if (e.kind == entryBatch) != (e.rows > 0) {
		return fmt.Errorf("%s with %d rows", e.kind, e.rows)
	}
	if e.kind == entrySchema && e.episodes > 0 {
		return fmt.Errorf("schema with %d episodes", e.episodes)
	}
	shard, offset, first := 0, int64(0), true
	if len(before) > 0 {
		last := &before[len(before)-1]
		shard, offset, first = last.shard, last.end(), false
		if last.kind == entryEnd {
			shard, offset, first = last.shard+1, 0, true
		}
	}
	switch {
	case e.kind != entrySchema && e.kind != entryBatch && e.kind != entryEnd:
		return fmt.Errorf("kind %q, want schema, batch or end", e.kind)
	case (e.kind == entrySchema) != first:
		return fmt.Errorf("%s is out of order", e.kind)
	case e.shard != shard || e.offset != offset:
		return fmt.Errorf("%s at shard %d offset %d, want shard %d offset %d", e.kind, e.shard, e.offset, shard, offset)
	}
	return nil
}
