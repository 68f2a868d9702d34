package runlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A log may be in several files, its parts: the file at its path, then path.1, path.2 and
// so on. Each begins with the same magic, version and header; the records of the next part
// continue those of the one before, and only the last has an end. See [Log.NextPart].

// PartPath returns the path of part i of the log at path.
func PartPath(path string, i int) string {
	if i == 0 {
		return path
	}
	return fmt.Sprintf("%s.%d", path, i)
}

// Parts reads a log in several files as if it were in one. One goroutine at a time may use
// it.
type Parts struct {
	path  string
	first int
	head  []byte // with which each part begins
	f     *os.File
	ends  []int64 // of the parts before the current one, in bytes from the beginning
	at    int64   // bytes read
}

// OpenParts opens the log at path from part first on.
func OpenParts(path string, first int) (*Parts, error) {
	p := &Parts{path: path, first: first}
	var err error
	if p.f, err = os.Open(PartPath(path, first)); err != nil {
		return nil, err
	}
	if p.head, err = readHead(p.f); err == nil {
		_, err = p.f.Seek(0, io.SeekStart)
	}
	if err != nil { // NewReader will say what is wrong
		p.head = nil
		_, err = p.f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, p.f.Close())
	}
	return p, nil
}

// readHead reads the magic, version and header of a part.
func readHead(r io.Reader) ([]byte, error) {
	head := make([]byte, len(magic)+4+recordHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(head[len(head)-4:])
	if size > maxPayload {
		return nil, fmt.Errorf("the length of a header is %d bytes, want at most %d", size, maxPayload)
	}
	head = append(head, make([]byte, int(size)+recordTail)...)
	_, err := io.ReadFull(r, head[len(head)-int(size)-recordTail:])
	return head, err
}

// Read implements [io.Reader].
func (p *Parts) Read(b []byte) (int, error) {
	for {
		n, err := p.f.Read(b)
		p.at += int64(n)
		if n > 0 || err != io.EOF || p.head == nil {
			return n, err
		}
		if err := p.openNext(); err != nil {
			return 0, err
		}
	}
}

// openNext goes on with the next part. The error is io.EOF if there is none, or if the run
// was killed while it began one.
func (p *Parts) openNext() error {
	path := PartPath(p.path, p.first+len(p.ends)+1)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return io.EOF
	}
	if err != nil {
		return err
	}
	head, err := readHead(f)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		if err := f.Close(); err != nil {
			return err
		}
		return io.EOF
	case err == nil && !bytes.Equal(head, p.head):
		err = errors.New("the part is of another run")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	p.ends = append(p.ends, p.at)
	err = p.f.Close()
	p.f = f
	return err
}

// Locate returns in which part the byte at an offset of the whole is, and where in its
// file; at an end of a part that is the end of its file.
func (p *Parts) Locate(offset int64) (part int, at int64) {
	begin, head := int64(0), int64(0)
	for i, end := range p.ends {
		if offset <= end {
			return p.first + i, offset - begin + head
		}
		begin, head = end, int64(len(p.head))
	}
	return p.first + len(p.ends), offset - begin + head
}

// Close implements [io.Closer].
func (p *Parts) Close() error { return p.f.Close() }

// NextPart ends the part that the log writes and goes on in w, so that a reader can begin
// there, at the place that it returns. A log that compares ends the comparison and writes
// from here on. No block may be in use.
func (l *Log) NextPart(w io.WriteCloser) (Position, error) {
	if l.err != nil && !errors.Is(l.err, ErrEnd) {
		return Position{}, errors.Join(l.err, w.Close())
	}
	if len(l.notes) > 0 {
		return Position{}, errors.Join(errors.New("runlog: there are notes that belong to no segment yet, want the end of one before the next part"), w.Close())
	}
	next := &writing{w: w}
	err := next.take(l.header.start())
	if closed := l.sink.close(nil); err == nil {
		err = closed
	}
	l.sink, l.err = next, err
	return Position{Bytes: next.bytes, Segments: l.segments, Steps: l.steps}, err
}

// CompareFrom is like [Compare] for a log that is read from a later part on, which NextPart
// began at a place. The worlds have to be restored to where they stood there.
func CompareFrom(r io.ReadCloser, at Position) (*Log, error) {
	l, err := Compare(r)
	if err == nil {
		l.segments, l.steps, l.continued, l.waiting = at.Segments, at.Steps, true, true
	}
	return l, err
}

// Offset returns the bytes that have been read, all whole records.
func (in *Reader) Offset() int64 { return in.offset }
