package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// sliceLine begins the line of Snapshot.fits that names a slice; that of a whole run has none.
const sliceLine = "slice: "

// Slice returns the worlds that the snapshot is of, by their run-wide numbers.
func (s *Snapshot) Slice() (Slice, error) {
	for _, line := range s.fits {
		if text, ok := strings.CutPrefix(line, sliceLine); ok {
			return ParseSlice(text)
		}
	}
	return Slice{To: len(s.worlds)}, nil
}

// JoinSnapshots returns the snapshot of a whole run, as a sim of it takes, from those of slices that divide it, in
// the order of their worlds. It shares memory with the parts.
func JoinSnapshots(parts []*Snapshot) (*Snapshot, error) {
	if len(parts) == 0 {
		return nil, errors.New("sim: no snapshots, want those of a whole run")
	}
	whole := &Snapshot{fits: fitsOf(parts[0].fits, ""), observed: parts[0].observed}
	for _, p := range parts {
		slice, err := p.Slice()
		if err != nil {
			return nil, err
		}
		if next := len(whole.worlds); slice.From != next || slice.Len() != len(p.worlds) {
			return nil, fmt.Errorf("sim: a snapshot of %d worlds %v, want one that begins with world %d",
				len(p.worlds), slice, next)
		}
		if err := compareFits(fitsOf(p.fits, ""), whole.fits); err != nil {
			return nil, err
		}
		if !slices.Equal(p.observed, whole.observed) {
			return nil, fmt.Errorf("sim: the snapshot of worlds %v has the probes %q, want %q", slice,
				p.observed, whole.observed)
		}
		whole.worlds = append(whole.worlds, p.worlds...)
		whole.samples = append(whole.samples, p.samples...)
	}
	if want := fmt.Sprintf("worlds: %d", len(whole.worlds)); !slices.Contains(whole.fits, want) {
		return nil, fmt.Errorf("sim: snapshots of %d worlds, want those of the whole run", len(whole.worlds))
	}
	return whole, nil
}

// Cut returns the snapshot of a slice from that of the whole run. It shares memory with it.
func (s *Snapshot) Cut(part Slice) (*Snapshot, error) {
	held, err := s.Slice()
	if err != nil {
		return nil, err
	}
	if held.From != 0 || part.From < 0 || part.From >= part.To || part.To > len(s.worlds) {
		return nil, fmt.Errorf("sim: slice is %v, want one of the worlds %v, which are a whole run", part, held)
	}
	if part == held {
		return s, nil
	}
	c := &Snapshot{fits: fitsOf(s.fits, sliceLine+part.String()), worlds: s.worlds[part.From:part.To],
		observed: s.observed}
	if s.samples != nil {
		c.samples = s.samples[part.From:part.To]
	}
	return c, nil
}

// fitsOf returns fits with another line of the slice, "" for none.
func fitsOf(fits []string, line string) []string {
	fits = slices.DeleteFunc(slices.Clone(fits), func(l string) bool { return strings.HasPrefix(l, sliceLine) })
	for i, l := range fits {
		if line != "" && strings.HasPrefix(l, "worlds: ") {
			return slices.Insert(fits, i+1, line)
		}
	}
	return fits
}
