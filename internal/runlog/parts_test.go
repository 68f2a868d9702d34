package runlog

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noted writes a log of n segments, each with a note, in parts of some segments.
func noted(t *testing.T, path string, n, each int) {
	t.Helper()
	create := func(i int) *os.File {
		f, err := os.Create(PartPath(path, i))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	l, err := Create(create(0), header())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(1); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if i > 0 && i%each == 0 {
			if _, err := l.NextPart(create(i / each)); err != nil {
				t.Fatal(err)
			}
		}
		l.Note(int64(i), strings.Repeat("x", i))
		if err := l.EndSegment(); err != nil {
			t.Fatal(err)
		}
	}
	l.Note(0, "late")
	if _, err := l.NextPart(create(n)); err == nil {
		t.Error("a part ended between a note and its segment")
	}
	os.Remove(PartPath(path, n))
	l.DropSegment()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A log in parts reads as one file, and from any part on.
func TestPartsReadAsOne(t *testing.T) {
	dir := t.TempDir()
	whole, split := filepath.Join(dir, "whole"), filepath.Join(dir, "split")
	noted(t, whole, 7, 100)
	noted(t, split, 7, 3)
	read := func(path string, first int) []byte {
		p, err := OpenParts(path, first)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		return data
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
	p, err := OpenParts(split, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := io.ReadAll(p); err != nil {
		t.Fatal(err)
	}
	for offset := int64(len(head)) + 1; offset <= int64(len(want)); offset++ {
		part, at := p.Locate(offset)
		data, err := os.ReadFile(PartPath(split, part))
		if err != nil || at > int64(len(data)) || data[at-1] != want[offset-1] {
			t.Fatalf("offset %d is said to be at %d of part %d, %v", offset, at, part, err)
		}
	}
	// A part that was just begun holds nothing; one of another run is refused.
	if err := os.WriteFile(PartPath(split, 3), []byte(head)[:20], 0o666); err != nil {
		t.Fatal(err)
	}
	if got := string(read(split, 0)); got != want {
		t.Error("a part that was just begun changes what is read")
	}
	other := header()
	other.Seed++
	if err := os.WriteFile(PartPath(split, 3), other.start(), 0o666); err != nil {
		t.Fatal(err)
	}
	if p, err = OpenParts(split, 0); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := io.ReadAll(p); err == nil || !strings.Contains(err.Error(), "split.3: the part is of another run") {
		t.Errorf("error %v of a part of another run", err)
	}
	if _, err := OpenParts(split, 9); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v of a part that is missing", err)
	}
}
