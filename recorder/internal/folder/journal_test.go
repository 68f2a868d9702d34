package folder

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

var journalExample = []JournalEntry{
	{Schema, 0, 0, 1480, 0, 0, 1},
	{Batch, 0, 1480, 64, 3, 0, 2},
	{Batch, 0, 1544, 128, 4, 7, 3},
	{End, 0, 1672, 8, 0, 1, 4},
	{Schema, 1, 0, 1480, 0, 0, 1},
	{End, 1, 1480, 8, 0, 0, 4},
}

func encodeJournal(entries []JournalEntry) []byte {
	data := []byte(JournalHeader)
	for i := range entries {
		data = entries[i].AppendLine(data)
	}
	return data
}

// Cut anywhere, the journal gives exactly the entries whose lines are whole, and says so if one is not.
func TestParseJournalCutAnywhere(t *testing.T) {
	data := encodeJournal(journalExample)
	for n := range len(data) + 1 {
		journal, err := ParseJournal(data[:n])
		if whole := max(0, bytes.Count(data[:n], []byte("\n"))-1); len(journal.Entries) != whole {
			t.Errorf("%d bytes: %d entries, want %d", n, len(journal.Entries), whole)
		}
		if torn := !bytes.HasSuffix(data[:n], []byte("\n")); torn != (err != nil) {
			t.Errorf("%d bytes: error %v, torn %v", n, err, torn)
		}
	}
}

func TestParseJournalRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(e []JournalEntry) []JournalEntry
		keep int
		want string
	}{
		"missing line": {func(e []JournalEntry) []JournalEntry { return append(e[:1], e[2:]...) }, 1,
			"offset 1544, want shard 0 offset 1480"},
		"line twice":         {func(e []JournalEntry) []JournalEntry { return append(e[:2], e[1:]...) }, 2, "offset 1480"},
		"no schema":          {func(e []JournalEntry) []JournalEntry { return e[1:] }, 0, "out of order"},
		"schema within":      {func(e []JournalEntry) []JournalEntry { e[1].Kind, e[1].Rows = Schema, 0; return e }, 1, "out of order"},
		"unknown kind":       {func(e []JournalEntry) []JournalEntry { e[2].Kind, e[2].Rows = "other", 0; return e }, 2, `kind "other"`},
		"batch without rows": {func(e []JournalEntry) []JournalEntry { e[1].Rows = 0; return e }, 1, "batch with 0 rows"},
		"no length":          {func(e []JournalEntry) []JournalEntry { e[2].Length = 0; return e }, 2, "out of range"},
		"overflow":           {func(e []JournalEntry) []JournalEntry { e[2].Length = 1<<63 - 1; return e }, 2, "out of range"},
		"negative episodes":  {func(e []JournalEntry) []JournalEntry { e[2].Episodes = -1; return e }, 2, "episodes -1"},
		"schema's episodes":  {func(e []JournalEntry) []JournalEntry { e[4].Episodes = 1; return e }, 4, "schema with 1 episodes"},
		"other shard":        {func(e []JournalEntry) []JournalEntry { e[4].Shard = 2; return e }, 4, "want shard 1"},
	} {
		journal, err := ParseJournal(encodeJournal(test.edit(append([]JournalEntry(nil), journalExample...))))
		entries := journal.Entries
		if len(entries) != test.keep || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %d entries, error %v, want %d and %q", name, len(entries), err, test.keep, test.want)
		}
	}
}

// partsExample is the journal of a slice: parts before the batches that have their rows.
var partsExample = []Line{
	{Part: &JournalPart{0, 2, 0, 1}},
	{JournalEntry: JournalEntry{Schema, 0, 0, 1480, 0, 0, 1}},
	{Part: &JournalPart{0, 2, 2, 0}},
	{Part: &JournalPart{0, 3, 1, 2}},
	{JournalEntry: JournalEntry{Batch, 0, 1480, 64, 3, 3, 2}},
	{Part: &JournalPart{7, 2, 4, 0}},
	{JournalEntry: JournalEntry{Batch, 0, 1544, 128, 4, 0, 3}},
	{Part: &JournalPart{9, 3, 0, 1}},
	{JournalEntry: JournalEntry{End, 0, 1672, 8, 0, 1, 4}},
}

func encodeLines(header string, lines []Line) []byte {
	data := []byte(header)
	for i := range lines {
		if p := lines[i].Part; p != nil {
			data = p.AppendLine(data)
		} else {
			data = lines[i].JournalEntry.AppendLine(data)
		}
	}
	return data
}

func TestParseJournalWithParts(t *testing.T) {
	data := encodeLines(PartsHeader, partsExample)
	journal, err := ParseJournal(data)
	if err != nil || !journal.Parts || journal.Length != len(data) || len(journal.Entries) != 4 ||
		journal.Until(4) != len(data) {
		t.Fatalf("parsed as %+v, %v", journal, err)
	}
	polytest.Equal(t, journal.Until(2), len(encodeLines(PartsHeader, partsExample[:5])), "two entries end at")
	for n := range data { // cut anywhere: whole lines only
		journal, err := ParseJournal(data[:n])
		if n >= len(PartsHeader) && (journal.Length > n || (data[n-1] == '\n') != (err == nil)) {
			t.Errorf("%d bytes: %d are valid, error %v", n, journal.Length, err)
		}
	}
}

func TestParseJournalRefusesParts(t *testing.T) {
	for name, test := range map[string]struct {
		header string
		edit   func(l []Line) []Line
		want   string
	}{
		"in version 2": {JournalHeader, func(l []Line) []Line { return l }, "line 2: "},
		"one is gone": {PartsHeader, func(l []Line) []Line { return append(l[:2], l[3:]...) },
			"batch with 3 rows and 3 episodes after parts with 1 and 3"},
		"one twice": {PartsHeader, func(l []Line) []Line { return append(l[:4], l[3:]...) }, "after parts with 4 and 5"},
		"after its end": {PartsHeader, func(l []Line) []Line { l[5], l[6] = l[6], l[5]; return l },
			"batch with 4 rows and 0 episodes after parts with 0 and 0"},
		"empty":    {PartsHeader, func(l []Line) []Line { l[0].Part = &JournalPart{1, 1, 0, 0}; return l }, "out of range"},
		"negative": {PartsHeader, func(l []Line) []Line { l[0].Part = &JournalPart{-1, 1, 0, 1}; return l }, "out of range"},
		"overflow": {PartsHeader, func(l []Line) []Line { l[2].Part = &JournalPart{0, 2, 1<<63 - 1, 1<<63 - 1}; return l },
			"out of range"},
	} {
		lines := make([]Line, len(partsExample))
		copy(lines, partsExample)
		if _, err := ParseJournal(encodeLines(test.header, test.edit(lines))); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

// Whatever the bytes are, the parser accepts only what the writer would have written.
func FuzzParseJournal(f *testing.F) {
	data := encodeJournal(journalExample)
	f.Add(data)
	f.Add(data[:len(data)-5])
	f.Add([]byte(JournalHeader + "schema 0 0 +8 0 0 00000000 00000000\n"))
	f.Add([]byte(JournalHeader + strings.Repeat("9", 300)))
	parts := encodeLines(PartsHeader, partsExample)
	f.Add(parts)
	f.Add(parts[:len(parts)-5])
	f.Add([]byte(PartsHeader + "part 0 0 +8 0 00000000\n"))
	f.Add([]byte(PartsHeader + strings.Repeat("part ", 30)))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkJournal(t, data)
		checkJournal(t, sealLines(data))
	})
}

// sealLines makes the checksum of each line of a journal right.
func sealLines(data []byte) []byte {
	header := min(len(data), len(JournalHeader))
	sealed := bytes.Clone(data[:header])
	for line := range bytes.Lines(data[header:]) {
		if i := bytes.LastIndexByte(line, ' '); i >= 0 {
			line = fmt.Appendf(bytes.Clone(line[:i]), " %08x\n", crc32.Checksum(line[:i], format.Castagnoli))
		}
		sealed = append(sealed, line...)
	}
	return sealed
}

// checkJournal parses a journal that says anything.
func checkJournal(t *testing.T, data []byte) {
	journal, err := ParseJournal(data)
	if len(journal.Entries) > 0 && journal.Until(len(journal.Entries)) > journal.Length {
		t.Errorf("entries end at %d of %d bytes", journal.Until(len(journal.Entries)), journal.Length)
	}
	if err == nil && journal.Length != len(data) {
		t.Errorf("%d of %d bytes read, and no error", journal.Length, len(data))
	}
	lines, err := ReadLines(bytes.NewReader(data))
	if err != nil {
		return
	}
	header := JournalHeader
	if lines.Parts {
		header = PartsHeader
	}
	var read []Line
	for {
		line, err := lines.Next()
		if err != nil {
			break
		}
		read = append(read, line)
	}
	polytest.EqualSlices(t, encodeLines(header, read), data[:lines.Offset], "%q was read as %+v", data, read)
}
