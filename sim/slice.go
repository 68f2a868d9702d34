package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// Slice selects the worlds From … To−1 of a run, which begin and end with a block. The zero value selects all worlds.
//
// A sim of a slice does with its worlds what a sim of the whole run does with them, to the bit: worlds and episodes
// keep their run-wide numbers, from which all random draws follow, and blocks their worlds. So slices may run at any
// time, in any order, in different processes.
type Slice struct{ From, To int }

// IsAll reports whether s is the zero value.
func (s Slice) IsAll() bool { return s == Slice{} }

// String returns the slice as FROM:TO, which [ParseSlice] reads.
func (s Slice) String() string { return fmt.Sprintf("%d:%d", s.From, s.To) }

// Len returns the number of worlds of a slice that is not the zero value.
func (s Slice) Len() int { return s.To - s.From }

// ParseSlice reads a slice that is written as FROM:TO, such as 0:16.
func ParseSlice(text string) (Slice, error) {
	first, end, ok := strings.Cut(text, ":")
	a, errA := strconv.ParseUint(first, 10, 31)
	b, errB := strconv.ParseUint(end, 10, 31)
	if !ok || errA != nil || errB != nil || b == 0 {
		return Slice{}, fmt.Errorf("slice is %q, want FROM:TO, such as 0:16", text)
	}
	return Slice{int(a), int(b)}, nil
}

// Check returns an error unless the slice is one of a run with worlds worlds; size is Config.BlockSize, which may be
// 0.
func (s Slice) Check(worlds, size int) error {
	if s.IsAll() {
		return nil
	}
	size = BlockSize(worlds, size)
	switch {
	case s.From < 0 || s.To > worlds || s.From >= s.To:
		return fmt.Errorf("slice is %v, want at least one world of 0:%d", s, worlds)
	case s.From%size != 0 || s.To%size != 0 && s.To != worlds:
		return fmt.Errorf("slice is %v, want it to begin and end with a block: multiples "+
			"of %d, or the end %d", s, size, worlds)
	}
	return nil
}

// Split divides a run into n slices whose numbers of blocks differ by at most one; size is as in Check.
func Split(worlds, size, n int) ([]Slice, error) {
	size = BlockSize(worlds, size)
	blocks := Blocks(worlds, size)
	if n < 1 || n > blocks {
		return nil, fmt.Errorf("%d slices of %d worlds in blocks of %d, want 1 to %d", n, worlds, size, blocks)
	}
	slices := make([]Slice, n)
	for i := range slices {
		slices[i] = Slice{i * blocks / n * size, min((i+1)*blocks/n*size, worlds)}
	}
	return slices, nil
}
