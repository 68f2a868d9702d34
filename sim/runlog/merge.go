package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrForeign is wrapped by the error of [Merge] for logs that are not of slices of one run.
var ErrForeign = errors.New("the logs are not of one run")

// Source is a log that [Merge] reads.
type Source struct {
	Name string // for errors
	From io.Reader
}

// Merge writes the log of a run from those of its slices, in the order of their worlds: the bytes that one process
// writes. If more than the worlds differs in their headers it fails with [ErrForeign] before it writes anything. Its
// memory is that of a record of each slice and of the interventions of a segment.
func Merge(w io.Writer, logs []Source) error {
	m := &merger{w: w}
	for i, source := range logs {
		in, err := NewReader(source.From)
		if err != nil {
			return fmt.Errorf("%s: %w", source.Name, err)
		}
		h := in.Header()
		h.From, h.To = 0, 0
		if i == 0 {
			m.header = h
		} else if !bytes.Equal(h.encode(), m.header.encode()) {
			return fmt.Errorf("%w or not of one --log-every: the headers of %s and %s differ", ErrForeign,
				logs[0].Name, source.Name)
		}
		m.slices = append(m.slices, &slicePart{name: source.Name, in: in})
	}
	m.newest = make([]int64, (m.header.Worlds+m.header.BlockSize-1)/m.header.BlockSize)
	if _, err := w.Write(m.header.start()); err != nil {
		return err
	}
	for number := int64(0); ; number++ {
		more, err := m.segment()
		if err != nil {
			return err
		}
		if !more {
			_, err := w.Write(appendNumber(nil, KindEnd, m.steps))
			return err
		}
		if _, err := w.Write(appendNumber(nil, KindSegment, number)); err != nil {
			return err
		}
	}
}

// merger is one call of Merge.
type merger struct {
	w      io.Writer
	header Header
	slices []*slicePart
	steps  int64   // as [Log.steps]
	newest []int64 // by block: the control steps before its newest state in this segment
	buffer []byte
}

// slicePart is a slice that is read.
type slicePart struct {
	name     string
	in       *Reader
	complete bool // its end record has been read
}

// segment writes what the slices have in a segment; more is false if all are at their end.
func (m *merger) segment() (more bool, err error) {
	for i := range m.newest {
		m.newest[i] = m.steps
	}
	var common []byte // the interventions of the first slice that goes on, which all that go on have
	for _, s := range m.slices {
		if s.complete {
			continue
		}
		own, r, err := s.interventions()
		if err != nil {
			return false, err
		}
		if s.complete = r.Kind == KindEnd; s.complete {
			continue
		}
		if !more {
			more, common = true, own
			_, err = m.w.Write(common)
		} else if !bytes.Equal(own, common) {
			err = fmt.Errorf("%w: their interventions differ", ErrForeign)
		}
		for err == nil && r.Kind != KindSegment {
			if err = m.block(r); err == nil {
				r, err = s.next()
			}
		}
		if err != nil {
			return false, err
		}
	}
	if more {
		m.steps = slices.Min(m.newest)
	}
	return more, nil
}

// block writes a record of a block.
func (m *merger) block(r *Record) error {
	if r.Kind == KindState {
		block := r.First() / m.header.BlockSize
		if block >= len(m.newest) {
			return &Damage{Offset: r.Offset, Reason: fmt.Sprintf("the state of world %d of %d",
				r.First(), m.header.Worlds)}
		}
		m.newest[block] = r.N()
	}
	m.buffer = appendCopy(m.buffer[:0], r)
	_, err := m.w.Write(m.buffer)
	return err
}

func appendCopy(dst []byte, r *Record) []byte {
	return appendRecord(dst, r.Kind, func(dst []byte) []byte { return append(dst, r.payload...) })
}

// interventions returns the records of interventions that a segment begins with, and the record after them.
func (s *slicePart) interventions() (records []byte, after *Record, err error) {
	for {
		if after, err = s.next(); err != nil || after.Kind != KindIntervention {
			return records, after, err
		}
		records = appendCopy(records, after)
	}
}

// next returns the next record. A log without an end is damaged.
func (s *slicePart) next() (*Record, error) {
	r, err := s.in.Next()
	if err == io.EOF {
		err = s.in.cut("the run was killed")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return r, nil
}
