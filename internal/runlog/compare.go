package runlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Difference is the error for the first difference between a run and a log: first by
// step, then world, then part.
type Difference struct {
	Step  int64 // number of control steps before the state that differs, or index of the step whose action differs
	World int   // run-wide index; -1 if the runs differ in more than one world
	Part  Part

	// Order describes the difference if the run and the log have different records, and
	// is "" otherwise.
	Order string

	Every int64 // Header.Every of the log; states in between are not compared
}

func (d *Difference) Error() string {
	if d.Order != "" {
		return fmt.Sprintf("diverged at step %d: %s", d.Step, d.Order)
	}
	text := fmt.Sprintf("diverged after %s: world %d, %v", controlSteps(d.Step), d.World, d.Part)
	if d.Every > 1 {
		text += fmt.Sprintf(" (the log holds one step in %d)", d.Every)
	}
	return text
}

// before orders differences by step, world and part.
func (d *Difference) before(o *Difference) bool {
	switch {
	case o == nil:
		return true
	case d.Step != o.Step:
		return d.Step < o.Step
	case d.World != o.World:
		return d.World < o.World
	}
	return d.Part < o.Part
}

// FirstDifference compares two lists of facts about runs, and returns the first of each
// that differ, "nothing more" for a list that has ended, and whether there are any.
func FirstDifference(a, b []string) (x, y string, differ bool) {
	for i := range max(len(a), len(b)) {
		x, y = "nothing more", "nothing more"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x, y, true
		}
	}
	return "", "", false
}

// Compare returns a log that compares a run with the log that r reads. Closing it closes
// r.
func Compare(r io.ReadCloser) (*Log, error) {
	in, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	return &Log{header: in.Header(), sink: &comparing{in: in, r: r}}, nil
}

// comparing is the sink of a log that compares.
type comparing struct {
	in    *Reader
	r     io.Closer
	first *Difference // in the current segment
	begun bool        // something has been compared
	ended bool        // the end record has been read
}

// take compares records with those of the file. It continues after a difference, since
// another block of the segment may differ at an earlier step.
func (s *comparing) take(records []byte) error {
	s.begun = true
	for len(records) > 0 {
		size := int(binary.LittleEndian.Uint32(records[1:]))
		own := Record{Kind: Kind(records[0]), payload: records[recordHead : recordHead+size]}
		records = records[recordHead+size+recordTail:]
		if err := s.compare(&own); err != nil {
			return err
		}
	}
	return nil
}

func (s *comparing) compare(own *Record) error {
	theirs, err := s.in.Next()
	var damage *Damage
	switch {
	case err == io.EOF:
		return s.or(&Damage{s.in.offset, "cut short without an end: the run was killed before " + own.describe()})
	case errors.As(err, &damage):
		return s.or(&Damage{damage.Offset, damage.Reason + "; in its place the run has " + where(own, theirs)})
	case err != nil:
		return err
	case theirs.Kind == own.Kind && bytes.Equal(theirs.payload, own.payload):
		return nil
	case !sameShape(own, theirs):
		return s.or(&Difference{
			Step: min(own.N(), theirs.N()), World: -1,
			Order: fmt.Sprintf("the log has %s, the run has %s", theirs.describe(), own.describe()),
		})
	}
	if d := s.difference(own, theirs); d.before(s.first) {
		s.first = d
	}
	return nil
}

// or returns the difference found in the segment, if there is one, since it comes before
// err; otherwise err.
func (s *comparing) or(err error) error {
	if s.first != nil {
		return s.first
	}
	return err
}

// sameShape reports whether two records are about the same worlds and step.
func sameShape(a, b *Record) bool {
	if a.Kind != b.Kind || len(a.payload) != len(b.payload) {
		return false
	}
	return (a.Kind == KindState || a.Kind == KindActions) && bytes.Equal(a.payload[:worldsHead], b.payload[:worldsHead])
}

// difference returns the first difference of two records of the same shape.
func (s *comparing) difference(a, b *Record) *Difference {
	d := &Difference{Step: a.N(), Part: Action, Every: s.in.header.Every}
	world, part := a.differs(b)
	d.World = a.First() + world
	if a.Kind == KindState {
		d.Part = part
	}
	return d
}

// differs returns the first world and part in which two records of the same shape
// differ. The world is an index in the record; the part is valid for states only.
func (r *Record) differs(o *Record) (world int, part Part) {
	at := 0
	for at < len(r.payload) && r.payload[at] == o.payload[at] {
		at++
	}
	perWorld := (len(r.payload) - worldsHead) / r.Worlds()
	at -= worldsHead
	return at / perWorld, Part(at % perWorld / 8)
}

// where describes the record of the run in the place of a damaged one, and, if the two
// have the same shape, where they differ.
func where(own, damaged *Record) string {
	text := own.describe()
	if damaged == nil || !sameShape(own, damaged) || bytes.Equal(own.payload, damaged.payload) {
		return text
	}
	world, part := own.differs(damaged)
	if own.Kind == KindActions {
		part = Action
	}
	return fmt.Sprintf("%s, which differs in world %d, %v", text, own.First()+world, part)
}

// endSegment returns ErrEnd if the log ends here.
func (s *comparing) endSegment() error {
	if s.first != nil {
		return s.first
	}
	peeked, err := s.in.r.Peek(recordHead)
	if err != nil || Kind(peeked[0]) != KindEnd {
		return nil // the next segment will return an error, if there is one
	}
	if _, err := s.in.Next(); err != nil {
		return err
	}
	if _, err := s.in.r.Peek(1); err != io.EOF {
		return &Damage{s.in.offset, "the file continues after the end of the run"}
	}
	s.ended = true
	return ErrEnd
}

func (s *comparing) close(end []byte) error {
	err := s.r.Close()
	if end == nil || s.ended || !s.begun {
		return err
	}
	// The run has ended without a difference, so the log must end too.
	theirs, next := s.in.Next()
	var damage *Damage
	switch {
	case next == io.EOF:
		return errors.Join(err, &Damage{s.in.offset, "cut short without an end: the run was killed"})
	case errors.As(next, &damage):
		return errors.Join(err, damage)
	}
	return errors.Join(err, &Difference{Step: theirs.N(), World: -1, Order: "the run ends, the log continues with " + theirs.describe()})
}
