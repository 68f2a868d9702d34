package runlog

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// writeFiles writes a log of n segments, each with an intervention, in files of some segments.
func writeFiles(t *testing.T, path string, n, each int) {
	t.Helper()
	create := func(i int) *os.File {
		return polytest.Must(os.Create(FilePath(path, i)))(t)
	}
	l := polytest.Must(Create(create(0), header()))(t)
	polytest.NoError(t, l.Start(1))
	for i := range n {
		if i > 0 && i%each == 0 {
			polytest.Must(l.NextFile(create(i / each)))(t)
		}
		l.Intervention(int64(i), Intervention{Effect: &Label{Task: strings.Repeat("x", i)}})
		polytest.NoError(t, l.EndSegment())
	}
	l.Intervention(0, Intervention{Effect: &Pause{}})
	if _, err := l.NextFile(create(n)); err == nil {
		t.Error("a part ended between an intervention and its segment")
	}
	os.Remove(FilePath(path, n))
	l.DropSegment()
	polytest.NoError(t, l.Close())
}

// A log in parts reads as one file, and from any part on.
func TestFilesReadAsOne(t *testing.T) {
	dir := t.TempDir()
	whole, split := filepath.Join(dir, "whole"), filepath.Join(dir, "split")
	writeFiles(t, whole, 7, 100)
	writeFiles(t, split, 7, 3)
	read := func(path string, first int) []byte {
		p := polytest.Must(OpenFiles(path, first))(t)
		defer p.Close()
		return polytest.Must(io.ReadAll(p))(t)
	}
	want := string(read(whole, 0))
	if got := string(read(split, 0)); got != want {
		t.Errorf("the parts hold %d bytes, want the %d of one file", len(got), len(want))
	}
	if data, err := os.ReadFile(whole); err != nil || string(data) != want {
		t.Errorf("a log in one file is not read as it is: %v", err)
	}
	own := header()
	head := string(own.start())
	for first := range 3 {
		if got := string(read(split, first)); !strings.HasPrefix(got, head) || !strings.HasSuffix(want, got[len(head):]) {
			t.Errorf("from part %d on: %d bytes that are not the end of the whole", first, len(got))
		}
	}
	// Every offset is found in its file.
	p := polytest.Must(OpenFiles(split, 0))(t)
	defer p.Close()
	polytest.Must(io.ReadAll(p))(t)
	for offset := int64(len(head)) + 1; offset <= int64(len(want)); offset++ {
		part, at := p.Locate(offset)
		data, err := os.ReadFile(FilePath(split, part))
		if err != nil || at > int64(len(data)) || data[at-1] != want[offset-1] {
			t.Fatalf("offset %d is said to be at %d of part %d, %v", offset, at, part, err)
		}
	}
	// A part that was just begun holds nothing; one of another run is refused.
	polytest.NoError(t, os.WriteFile(FilePath(split, 3), []byte(head)[:20], 0o666))
	if got := string(read(split, 0)); got != want {
		t.Error("a part that was just begun changes what is read")
	}
	// So does one of which the power cut has left zeros, in whole sectors.
	long := header()
	long.Configuration = strings.Repeat("a line of it\n", 100)
	for _, c := range []struct {
		first, last int // the zeros
		want        bool
	}{{0, 512, true}, {512, 1024, true}, {0, len(long.start()), true}, {0, 0, false}, {0, 511, false}, {1024, 1025, false}} {
		torn := long.start()
		clear(torn[c.first:c.last])
		if got := unwritten(torn, long.start()); got != c.want {
			t.Errorf("zeros from %d to %d: %v, want %v", c.first, c.last, got, c.want)
		}
	}
	other := header()
	other.Seed++
	polytest.NoError(t, os.WriteFile(FilePath(split, 3), other.start(), 0o666))
	p = polytest.Must(OpenFiles(split, 0))(t)
	defer p.Close()
	polytest.ErrorContains(t, polytest.Err(io.ReadAll(p)), "split.3: the file is of another run")
	polytest.ErrorIs(t, polytest.Err(OpenFiles(split, 9)), os.ErrNotExist)
}
