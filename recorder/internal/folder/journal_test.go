package folder

import (
	"bytes"
	"strings"
	"testing"
)

var journalExample = []Entry{
	{Schema, 0, 0, 1480, 0, 0, 1},
	{Batch, 0, 1480, 64, 3, 0, 2},
	{Batch, 0, 1544, 128, 4, 7, 3},
	{End, 0, 1672, 8, 0, 1, 4},
	{Schema, 1, 0, 1480, 0, 0, 1},
	{End, 1, 1480, 8, 0, 0, 4},
}

func encodeJournal(entries []Entry) []byte {
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
		entries, err := ParseJournal(data[:n])
		if n < len(JournalHeader) {
			if err == nil {
				t.Errorf("%d bytes: no error", n)
			}
			continue
		}
		whole := bytes.Count(data[:n], []byte("\n")) - 1
		if len(entries) != whole {
			t.Errorf("%d bytes: %d entries, want %d", n, len(entries), whole)
		}
		if torn := data[n-1] != '\n'; torn != (err != nil) {
			t.Errorf("%d bytes: error %v, torn %v", n, err, torn)
		}
	}
}

func TestParseJournalRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(e []Entry) []Entry
		keep int
		want string
	}{
		"missing line":       {func(e []Entry) []Entry { return append(e[:1], e[2:]...) }, 1, "offset 1544, want shard 0 offset 1480"},
		"line twice":         {func(e []Entry) []Entry { return append(e[:2], e[1:]...) }, 2, "offset 1480"},
		"no schema":          {func(e []Entry) []Entry { return e[1:] }, 0, "out of order"},
		"schema within":      {func(e []Entry) []Entry { e[1].Kind, e[1].Rows = Schema, 0; return e }, 1, "out of order"},
		"unknown kind":       {func(e []Entry) []Entry { e[2].Kind, e[2].Rows = "other", 0; return e }, 2, `kind "other"`},
		"batch without rows": {func(e []Entry) []Entry { e[1].Rows = 0; return e }, 1, "batch with 0 rows"},
		"no length":          {func(e []Entry) []Entry { e[2].Length = 0; return e }, 2, "out of range"},
		"overflow":           {func(e []Entry) []Entry { e[2].Length = 1<<63 - 1; return e }, 2, "out of range"},
		"negative episodes":  {func(e []Entry) []Entry { e[2].Episodes = -1; return e }, 2, "episodes -1"},
		"schema's episodes":  {func(e []Entry) []Entry { e[4].Episodes = 1; return e }, 4, "schema with 1 episodes"},
		"other shard":        {func(e []Entry) []Entry { e[4].Shard = 2; return e }, 4, "want shard 1"},
	} {
		entries, err := ParseJournal(encodeJournal(test.edit(append([]Entry(nil), journalExample...))))
		if len(entries) != test.keep || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %d entries, error %v, want %d and %q", name, len(entries), err, test.keep, test.want)
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
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := ParseJournal(data)
		again := encodeJournal(entries)
		if len(entries) > 0 && !bytes.HasPrefix(data, again) {
			t.Errorf("%q was read as %+v", data, entries)
		}
		if err == nil && len(again) != len(data) {
			t.Errorf("%d of %d bytes read, and no error", len(again), len(data))
		}
	})
}
