package runlog

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Difference is the error for the first difference between a run and a log: first by step, then world, then aspect.
type Difference struct {
	Step   int64 // number of control steps before the state that differs, or index of the step whose action differs
	World  int   // run-wide index; -1 if the runs differ in more than one world
	Aspect Aspect

	// Records describes the difference if the run and the log have different records, and is "" otherwise.
	Records string

	Every int64 // Header.Every of the log; states in between are not compared
}

func (d *Difference) Error() string {
	if d.Records != "" {
		return fmt.Sprintf("diverged at step %d: %s", d.Step, d.Records)
	}
	text := fmt.Sprintf("diverged after %s: world %d, %v", controlSteps(d.Step), d.World, d.Aspect)
	if d.Every > 1 {
		text += fmt.Sprintf(" (the log holds one step in %d)", d.Every)
	}
	return text
}

// before orders differences by step, world and aspect.
func (d *Difference) before(o *Difference) bool {
	return o == nil || cmp.Or(cmp.Compare(d.Step, o.Step), cmp.Compare(d.World, o.World),
		cmp.Compare(d.Aspect, o.Aspect)) < 0
}

// FirstDifference compares two lists of facts about runs, and returns the first of each that differ, "nothing more"
// for a list that has ended, and whether there are any.
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

// Compare returns a log that compares a run with the log that r reads. Closing it closes r.
func Compare(r io.ReadCloser) (*Log, error) {
	in, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	return &Log{header: in.Header(), sink: &comparison{in: in, r: r}}, nil
}

// comparison is the sink of a log that compares.
type comparison struct {
	in         *Reader
	r          io.Closer
	difference *Difference // the first in the current segment
	started    bool        // something has been compared
	complete   bool        // the end record has been read
}

// take compares records with those of the file. It continues after a difference, since another block of the segment
// may differ at an earlier step.
func (s *comparison) take(records []byte) error {
	s.started = true
	for len(records) > 0 {
		size := int(binary.LittleEndian.Uint32(records[1:]))
		own := Record{Kind: RecordKind(records[0]), payload: records[recordHead : recordHead+size]}
		records = records[recordHead+size+recordTail:]
		if err := s.compare(&own); err != nil {
			return err
		}
	}
	return nil
}

func (s *comparison) compare(own *Record) error {
	theirs, err := s.in.Next()
	var damage *Damage
	switch {
	case err == io.EOF:
		return s.or(s.in.cut("the run was killed before %s", own.describe()))
	case errors.As(err, &damage):
		return s.or(&Damage{Offset: damage.Offset, Cut: damage.Cut,
			Reason: damage.Reason + "; in its place the run has " + describePlace(own, theirs)})
	case err != nil:
		return err
	case theirs.Kind == own.Kind && bytes.Equal(theirs.payload, own.payload):
		return nil
	case !sameShape(own, theirs):
		return s.or(&Difference{
			Step: min(own.N(), theirs.N()), World: -1,
			Records: fmt.Sprintf("the log has %s, the run has %s", theirs.describe(), own.describe()),
		})
	}
	world, aspect := own.differenceFrom(theirs)
	d := &Difference{Step: own.N(), World: own.First() + world, Aspect: aspect, Every: s.in.header.Every}
	if d.before(s.difference) {
		s.difference = d
	}
	return nil
}

// or returns the difference found in the segment, which comes before err; err without one.
func (s *comparison) or(err error) error {
	if s.difference != nil {
		return s.difference
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

// differenceFrom returns the first world, an index in the record, and aspect in which two records of the same shape
// differ.
func (r *Record) differenceFrom(o *Record) (world int, aspect Aspect) {
	i := 0
	for i < len(r.payload) && r.payload[i] == o.payload[i] {
		i++
	}
	perWorld := (len(r.payload) - worldsHead) / r.Worlds()
	if i -= worldsHead; r.Kind == KindActions {
		return i / perWorld, Action
	}
	return i / perWorld, Aspect(i % perWorld / 8)
}

// describePlace describes the record of the run in the place of a damaged one, and, if the two have the same shape,
// where they differ.
func describePlace(own, damaged *Record) string {
	text := own.describe()
	if damaged == nil || !sameShape(own, damaged) || bytes.Equal(own.payload, damaged.payload) {
		return text
	}
	world, aspect := own.differenceFrom(damaged)
	return fmt.Sprintf("%s, which differs in world %d, %v", text, own.First()+world, aspect)
}

// endSegment returns ErrEnd if the log ends here.
func (s *comparison) endSegment() error {
	if s.difference != nil {
		return s.difference
	}
	peeked, err := s.in.r.Peek(recordHead)
	if err != nil || RecordKind(peeked[0]) != KindEnd {
		return nil // the next segment will return an error, if there is one
	}
	if _, err := s.in.Next(); err != nil {
		return err
	}
	if _, err := s.in.r.Peek(1); err != io.EOF {
		return s.in.damage("the file continues after the end of the run")
	}
	s.complete = true
	return ErrEnd
}

func (s *comparison) close(end []byte) error {
	if end == nil || s.complete || !s.started {
		return s.r.Close()
	}
	// The run has ended without a difference, so the log must end too.
	theirs, err := s.in.Next()
	switch {
	case err == io.EOF:
		err = s.in.cut("the run was killed")
	case err == nil:
		err = &Difference{Step: theirs.N(), World: -1,
			Records: "the run ends, the log continues with " + theirs.describe()}
	}
	return errors.Join(err, s.r.Close())
}
