package recorder

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/disktest"
)

// After Sync all files are on the disk up to a position that a writer returned before.
func TestPositionIsOnTheDisk(t *testing.T) {
	unsynced := map[string]bool{}
	fsys := &disktest.FS{Fail: func(op disktest.Op) error {
		switch op.Name {
		case "write":
			unsynced[op.Path] = true
		case "sync":
			delete(unsynced, op.Path)
		}
		return nil
	}}
	w := polytest.Must(CreateOn(fsys, filepath.Join(t.TempDir(), "dataset"), exampleTables, 2, exampleMetadata,
		Options{BatchRows: 16, ShardBytes: 9_000, FlushSegments: 5}))(t)
	for n := range 20 {
		playExample(w, int64(n))
	}
	if err := w.Drain(); err != nil || len(unsynced) == 0 {
		t.Fatalf("%v, %d files that are not on the disk, want some", err, len(unsynced))
	}
	polytest.Must(w.Position())(t)
	if err := w.Sync(); err != nil || len(unsynced) > 0 {
		t.Errorf("%v, not on the disk: %v", err, unsynced)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// A dataset that is continued from any position has the bytes of one that never stopped,
// whatever happened after that position.
func TestContinueHasTheSameBytes(t *testing.T) {
	const steps = 70
	options := Options{BatchRows: 16, ShardBytes: 9_000, FlushSegments: 5, Compression: LZ4}
	whole := filepath.Join(t.TempDir(), "whole")
	recordExample(t, whole, steps, options)
	want := polytest.Files(t, whole)
	if len(want) < 10 {
		t.Fatalf("%d files, want several streams", len(want))
	}
	for step := 0; step <= steps; step += 7 {
		for fate, after := range map[string]int{"killed": 0, "killed later": 23, "closed": 9} {
			dir := filepath.Join(t.TempDir(), "dataset")
			w := polytest.Must(Create(dir, exampleTables, 2, exampleMetadata, options))(t)
			for n := range step {
				playExample(w, int64(n))
			}
			position := polytest.Must(w.Position())(t)
			text, err := json.Marshal(position)
			polytest.NoError(t, err)
			for n := range after {
				playExample(w, int64(1000+n)) // other rows, which must not stay
			}
			if fate == "closed" {
				err = w.Close()
			} else {
				err = w.Drain()
				w.Abort()
			}
			polytest.NoError(t, err)

			position = new(Position)
			polytest.NoError(t, json.Unmarshal(text, position))
			if w, err = Continue(dir, exampleTables, 2, exampleMetadata, options, position); err != nil {
				t.Fatalf("%s at step %d: %v", fate, step, err)
			}
			w.BlockWriter(0).Begin(0, Key{}) // as a world does that is then restored
			w.DropSegment()
			for n := step; n < steps; n++ {
				playExample(w, int64(n))
			}
			polytest.NoError(t, w.Close())
			polytest.SameFiles(t, fmt.Sprintf("%s at step %d", fate, step), polytest.Files(t, dir), want)
		}
	}
}

// What does not fit is refused, and the files stay as they are.
func TestContinueRefuses(t *testing.T) {
	options := Options{BatchRows: 16}
	dir := filepath.Join(t.TempDir(), "dataset")
	w := polytest.Must(Create(dir, exampleTables, 2, exampleMetadata, options))(t)
	for n := range 20 {
		playExample(w, int64(n))
	}
	position := polytest.Must(w.Position())(t)
	if _, err := Continue(dir, exampleTables, 2, exampleMetadata, options, position); err == nil ||
		!strings.Contains(err.Error(), "written by another process") {
		t.Errorf("while it is written: %v", err)
	}
	w.BlockWriter(0).Begin(0, Key{})
	if _, err := w.Position(); err == nil {
		t.Error("a position within a segment, want an error")
	}
	w.Abort()
	before := polytest.Files(t, dir)
	for name, change := range map[string]func(*Position){
		"journal":   func(p *Position) { p.Tables[0].Journal += 1000 },
		"torn line": func(p *Position) { p.Tables[0].Journal-- },
		"tables":    func(p *Position) { p.Tables = p.Tables[1:] },
	} {
		changed := Position{Tables: append([]TablePosition(nil), position.Tables...)}
		change(&changed)
		if w, err := Continue(dir, exampleTables, 2, exampleMetadata, options, &changed); err == nil {
			w.Abort()
			t.Errorf("%s: no error", name)
		}
	}
	other := exampleMetadata
	other.Seed++
	if _, err := Continue(dir, exampleTables, 2, other, options, position); err == nil ||
		!strings.Contains(err.Error(), "another run") {
		t.Errorf("of another run: %v", err)
	}
	polytest.SameFiles(t, "refused", polytest.Files(t, dir), before)
}
