package recorder

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Key places a row among the rows of its block and segment. Rows are written in ascending order of N, then OffsetNS,
// then World; rows with equal keys keep the order in which they were begun.
type Key struct {
	N        int64 // number of a control step of the run
	OffsetNS int64 // nanoseconds after the beginning of that step
	World    int32 // id of the world
}

// Compare returns −1, 0 or +1 as k comes before, with or after o.
func (k Key) Compare(o Key) int {
	switch { // the order of cmp.Or, which would make all three comparisons
	case k.N != o.N:
		return cmp.Compare(k.N, o.N)
	case k.OffsetNS != o.OffsetNS:
		return cmp.Compare(k.OffsetNS, o.OffsetNS)
	}
	return cmp.Compare(k.World, o.World)
}

// stage holds the rows of one table, block and segment. Its memory only grows.
type stage struct {
	keys []Key
	data []byte // one stride per row
	perm []int32
}

func (s *stage) reset() { s.keys, s.data = s.keys[:0], s.data[:0] }

// bytes returns the memory that is in use.
func (s *stage) bytes() int64 { return int64(cap(s.data)) + keyBytes*int64(cap(s.keys)) }

// keyBytes is the memory of a staged row beside its columns: its key and its place in the order.
const keyBytes = 24 + 4

// StagedRowBytes returns the memory that a row of a table takes while it waits to be written.
func StagedRowBytes(t *format.Table) int64 { return int64(format.NewLayout(t).Stride + keyBytes) }

// extend appends a row in which no column is set and returns its bytes.
func (s *stage) extend(l *format.Layout, key Key) []byte {
	s.keys = append(s.keys, key)
	start := len(s.data)
	s.data = l.Extend(s.data)
	return s.data[start:]
}

// sorted returns the numbers of the rows in the order of their keys, valid until the next call.
func (s *stage) sorted() []int32 {
	s.perm = s.perm[:0]
	for i := range s.keys {
		s.perm = append(s.perm, int32(i))
	}
	slices.SortStableFunc(s.perm, func(a, b int32) int { return s.keys[a].Compare(s.keys[b]) })
	return s.perm
}

// check returns an error for the first row that leaves a column unset that is not nullable.
func (s *stage) check(l *format.Layout) error {
	for i, key := range s.keys {
		if column, found := l.Unset(s.data[i*l.Stride:][:l.Stride]); found {
			return fmt.Errorf("row at step %d + %d ns of world %d leaves column %q unset, which is not nullable",
				key.N, key.OffsetNS, key.World, l.Table.Columns[column].Name)
		}
	}
	return nil
}
