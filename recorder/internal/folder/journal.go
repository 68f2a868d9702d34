package folder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// The journal of a table is a text file with one line per message of its streams. The line is appended after the
// message's bytes have been written:
//
//	polyrhythm-journal 2
//	schema 0 0 1480 0 0 6b1c8f90 <line checksum>
//	batch 0 1480 65536 4096 12 91ab03ff <line checksum>
//	end 0 67016 8 0 1 12345678 <line checksum>
//
// with kind, shard, offset in the shard and length in bytes, rows, episodes, CRC32C of the message's bytes, and CRC32C
// of the line up to that field. A line counts the closed episodes whose last row in this table is in its message or an
// earlier one, unless an earlier line has counted them: they survive a kill from this line on. A shard is one schema,
// any number of batches, one end; shards and offsets leave no gap.
//
// The journal of a slice of a run has version 3. Before the line of a batch it has lines that say which segment and
// block of the run the rows of the batch are of, in the order of the rows:
//
//	part 12 3 614 2 <line checksum>
//
// with segment, block, rows, closed episodes of that block whose last row in this table is among these rows or before
// them and that no earlier line has counted, and CRC32C of the line up to that field. A part may have no rows, or be
// divided among batches. A batch has rows of one segment only.

// The first line of a journal, and of one with parts, which is as long.
const (
	JournalHeader = "polyrhythm-journal 2\n"
	PartsHeader   = "polyrhythm-journal 3\n"
)

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

// JournalEntry is one line of a journal.
type JournalEntry struct {
	Kind     EntryKind
	Shard    int
	Offset   int64 // of the message in the shard's file
	Length   int64 // bytes of the message
	Rows     int64 // number of rows of a batch; otherwise 0
	Episodes int64 // number of episodes whose last row in this table is now safe; 0 for a schema
	CRC      uint32
}

// End returns the offset just after the message.
func (e *JournalEntry) End() int64 { return e.Offset + e.Length }

// AppendLine appends the entry's line, with its line break.
func (e *JournalEntry) AppendLine(dst []byte) []byte {
	return appendLine(dst, "%s %d %d %d %d %d %08x", e.Kind, e.Shard, e.Offset, e.Length, e.Rows, e.Episodes, e.CRC)
}

// appendLine appends a line of these fields, its checksum and its line break.
func appendLine(dst []byte, fields string, values ...any) []byte {
	start := len(dst)
	dst = fmt.Appendf(dst, fields, values...)
	return fmt.Appendf(dst, " %08x\n", crc32.Checksum(dst[start:], format.Castagnoli))
}

// scanLine reads the fields of a line, and accepts exactly what AppendLine makes of them.
func scanLine(line []byte, fields string, want interface{ AppendLine([]byte) []byte }, values ...any) error {
	if _, err := fmt.Sscanf(string(line), fields, values...); err != nil {
		return fmt.Errorf("it is no line of a journal: %w", err)
	}
	if !bytes.Equal(want.AppendLine(nil), line) {
		return errors.New("it does not match its checksum")
	}
	return nil
}

// Journal is what a journal says.
type Journal struct {
	Entries []JournalEntry
	Parts   bool // the journal has parts, and version 3
	Length  int  // bytes of the journal's valid lines

	ends []int // ends of the lines of entries
}

// ParseJournal returns the entries of the longest valid beginning of a journal, and an error that says where and why it
// ends unless it is the whole journal. A checksum guards each line; the order of the entries shows a missing one.
func ParseJournal(data []byte) (*Journal, error) {
	j := &Journal{}
	lines, err := ReadLines(bytes.NewReader(data))
	if err != nil {
		return j, err
	}
	j.Parts = lines.Parts
	for {
		j.Length = int(lines.Offset)
		l, err := lines.Next()
		if err == io.EOF {
			return j, nil
		}
		if err != nil {
			return j, err
		}
		if l.Part == nil {
			j.Entries, j.ends = append(j.Entries, l.JournalEntry), append(j.ends, int(lines.Offset))
		}
	}
}

// Until returns the length of the journal up to the line of its n-th entry; 0 for no entries.
func (j *Journal) Until(n int) int {
	if n == 0 {
		return 0
	}
	return j.ends[n-1]
}

// Lines reads a journal line by line, and checks that each may follow those before it.
type Lines struct {
	Parts  bool  // see Journal
	Offset int64 // bytes of the lines so far

	reader         *bufio.Reader
	number         int          // number of the next line, from 1
	last           JournalEntry // the newest entry; Kind "": none yet
	rows, episodes int64        // numbers of the parts since the newest entry
}

// Line is a line of a journal: a part, or else an entry.
type Line struct {
	Part *JournalPart // nil for an entry
	JournalEntry
}

// ReadLines reads the first line of a journal.
func ReadLines(r io.Reader) (*Lines, error) {
	l := &Lines{reader: bufio.NewReader(r), number: 2}
	header := make([]byte, len(JournalHeader))
	n, err := io.ReadFull(l.reader, header)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	l.Parts, l.Offset = string(header) == PartsHeader, int64(n)
	if !l.Parts && string(header) != JournalHeader {
		return nil, fmt.Errorf("journal does not begin with %q", JournalHeader)
	}
	return l, nil
}

// Next returns the next line; io.EOF after the last one. Other errors say where and why the journal is not valid.
func (l *Lines) Next() (Line, error) {
	text, err := l.reader.ReadSlice('\n')
	switch {
	case err == io.EOF && len(text) == 0:
		return Line{}, io.EOF
	case err == io.EOF || err == bufio.ErrBufferFull || err == nil && len(text) > maxJournalLine:
		return Line{}, fmt.Errorf("journal line %d is torn", l.number)
	case err != nil:
		return Line{}, err
	}
	line, err := l.parse(text)
	if err != nil {
		return Line{}, fmt.Errorf("journal line %d: %w", l.number, err)
	}
	l.number++
	l.Offset += int64(len(text))
	return line, nil
}

func (l *Lines) parse(text []byte) (Line, error) {
	if l.Parts && bytes.HasPrefix(text, []byte(partWord)) {
		p, err := parsePart(text)
		if err == nil && (p.Rows > math.MaxInt64-l.rows || p.Episodes > math.MaxInt64-l.episodes) {
			err = fmt.Errorf("rows %d and episodes %d are out of range", p.Rows, p.Episodes)
		}
		l.rows, l.episodes = l.rows+p.Rows, l.episodes+p.Episodes
		return Line{Part: &p}, err
	}
	e, err := ParseEntry(text)
	if err == nil {
		err = e.checkAfter(&l.last)
	}
	if err == nil && l.Parts && e.Kind != Schema {
		if e.Rows != l.rows || e.Episodes != l.episodes {
			err = fmt.Errorf("%s with %d rows and %d episodes after parts with %d and %d", e.Kind, e.Rows, e.Episodes,
				l.rows, l.episodes)
		}
		l.rows, l.episodes = 0, 0
	}
	l.last = e
	return Line{JournalEntry: e}, err
}

// JournalPart is a line of the journal of a slice: rows of one block and segment.
type JournalPart struct {
	Segment int64 // segment of the run
	Block   int64 // block of the run
	Rows    int64
	// number of episodes that were closed: their last row in this table is among these rows, or before them
	Episodes int64
}

const partWord = "part "

// AppendLine appends the part's line, with its line break.
func (p *JournalPart) AppendLine(dst []byte) []byte {
	return appendLine(dst, partWord+"%d %d %d %d", p.Segment, p.Block, p.Rows, p.Episodes)
}

// parsePart accepts exactly the lines that AppendLine makes.
func parsePart(line []byte) (p JournalPart, err error) {
	err = scanLine(line, partWord+"%d %d %d %d", &p, &p.Segment, &p.Block, &p.Rows, &p.Episodes)
	if err == nil && (p.Segment < 0 || p.Block < 0 || p.Rows < 0 || p.Episodes < 0 || p.Rows+p.Episodes == 0) {
		err = fmt.Errorf("segment %d, block %d, rows %d and episodes %d are out of range", p.Segment, p.Block,
			p.Rows, p.Episodes)
	}
	return p, err
}

// ParseEntry accepts exactly the lines that AppendLine makes.
func ParseEntry(line []byte) (e JournalEntry, err error) {
	err = scanLine(line, "%s %d %d %d %d %d %08x", &e, &e.Kind, &e.Shard, &e.Offset, &e.Length, &e.Rows,
		&e.Episodes, &e.CRC)
	return e, err
}

// checkAfter returns an error unless the entry may follow another one; one without a kind stands for none.
func (e *JournalEntry) checkAfter(last *JournalEntry) error {
	if e.Length <= 0 || e.Rows < 0 || e.Episodes < 0 || e.End() < 0 {
		return fmt.Errorf("length %d, rows %d and episodes %d at %d are out of range", e.Length, e.Rows,
			e.Episodes, e.Offset)
	}
	shard, offset, first := last.Shard, last.End(), false
	switch last.Kind {
	case "":
		first = true
	case End:
		shard, offset, first = last.Shard+1, 0, true
	}
	switch {
	case (e.Kind == Batch) != (e.Rows > 0):
		return fmt.Errorf("%s with %d rows", e.Kind, e.Rows)
	case e.Kind == Schema && e.Episodes > 0:
		return fmt.Errorf("schema with %d episodes", e.Episodes)
	case e.Kind != Schema && e.Kind != Batch && e.Kind != End:
		return fmt.Errorf("kind %q, want schema, batch or end", e.Kind)
	case (e.Kind == Schema) != first:
		return fmt.Errorf("%s is out of order", e.Kind)
	case e.Shard != shard || e.Offset != offset:
		return fmt.Errorf("%s at shard %d offset %d, want shard %d offset %d", e.Kind, e.Shard, e.Offset, shard, offset)
	}
	return nil
}
