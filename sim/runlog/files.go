package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// A log may be in several files: the file at its path, then path.1, path.2 and
// so on. Each begins with the same magic, version and header; the records of the next one
// continue those of the one before, and only the last has an end. See [Log.NextFile].

// FilePath returns the path of file i of the log at path.
func FilePath(path string, i int) string {
	if i == 0 {
		return path
	}
	return fmt.Sprintf("%s.%d", path, i)
}

// Files reads a log in several files as if it were in one. One goroutine at a time may use it.
type Files struct {
	path   string
	first  int
	head   []byte // with which each file begins
	f      *os.File
	ends   []int64 // of the files before the current one, in bytes from the beginning
	offset int64   // bytes read
}

// OpenFiles opens the log at path from file first on.
func OpenFiles(path string, first int) (*Files, error) {
	p := &Files{path: path, first: first}
	var err error
	if p.f, err = disk.Open(FilePath(path, first)); err != nil {
		return nil, err
	}
	if in, err := NewReader(p.f); err == nil { // else who reads on will say what is wrong
		p.head = make([]byte, in.Offset())
		if _, err := p.f.ReadAt(p.head, 0); err != nil {
			return nil, errors.Join(err, p.f.Close())
		}
	}
	if _, err := p.f.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, p.f.Close())
	}
	return p, nil
}

// Read implements [io.Reader].
func (p *Files) Read(b []byte) (int, error) {
	for {
		n, err := p.f.Read(b)
		p.offset += int64(n)
		if n > 0 || err != io.EOF || p.head == nil {
			return n, err
		}
		if err := p.openNext(); err != nil {
			return 0, err
		}
	}
}

// openNext goes on with the next file. The error is io.EOF if there is none, or if the run was killed, or the power was
// cut, while it began one.
func (p *Files) openNext() error {
	path := FilePath(p.path, p.first+len(p.ends)+1)
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return io.EOF
	}
	if err != nil {
		return err
	}
	head := make([]byte, len(p.head))
	_, err = io.ReadFull(f, head)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && unwritten(head, p.head):
		if err := f.Close(); err != nil {
			return err
		}
		return io.EOF
	case err == nil && !bytes.Equal(head, p.head):
		err = errors.New("the file is of another run")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	p.ends = append(p.ends, p.offset)
	err = p.f.Close()
	p.f = f
	return err
}

// unwritten reports whether some sectors of a file's beginning are zeros in place of what was written there, as a disk has
// them after a power cut, and all others are as they were written.
func unwritten(head, want []byte) bool {
	const sector = 512
	zeros := false
	for i := 0; i < len(want); i += sector {
		is, was := head[i:min(i+sector, len(head))], want[i:min(i+sector, len(want))]
		switch {
		case bytes.Equal(is, was):
		case len(bytes.TrimLeft(is, "\x00")) == 0:
			zeros = true
		default:
			return false
		}
	}
	return zeros
}

// Locate returns in which file the byte at an offset of the whole is, and its offset there. An offset at which a file
// ends is that of its end.
func (p *Files) Locate(offset int64) (file int, offsetInFile int64) {
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
func (p *Files) Close() error { return p.f.Close() }

// NextFile ends the file that the log writes and goes on in w, so that a reader can begin there, at the place that
// it returns. A log that compares ends the comparison and writes from here on. No block may be in use.
func (l *Log) NextFile(w io.WriteCloser) (Position, error) {
	if l.err != nil && !errors.Is(l.err, ErrEnd) {
		return Position{}, errors.Join(l.err, w.Close())
	}
	if len(l.interventions) > 0 {
		return Position{}, errors.Join(errors.New("runlog: there are interventions that belong to no segment yet, want "+
			"the end of one before the next file"), w.Close())
	}
	next := &fileSink{w: w}
	err := next.take(l.header.start())
	if closed := l.sink.close(nil); err == nil {
		err = closed
	}
	l.sink, l.err = next, err
	return l.position(next), err
}

// CompareFrom is [Compare] for a log that is read from a later file on, which NextFile began at a place. The worlds
// have to be restored to where they stood there.
func CompareFrom(r io.ReadCloser, position Position) (*Log, error) {
	l, err := Compare(r)
	if err != nil {
		return nil, err
	}
	return l.resumeAt(position), nil
}

// Offset returns the bytes that have been read, all whole records.
func (in *Reader) Offset() int64 { return in.offset }

// IsLog reports whether the file at path is a log by its first bytes: its magic, less of it where the process was killed
// that wrote it, or an end alone, see [IsUnbegun].
func IsLog(path string) (bool, error) {
	begin, err := firstBytes(path)
	return err == nil && (bytes.HasPrefix(begin, magic[:]) || bytes.HasPrefix(magic[:], begin) || isEnd(begin)), err
}

// IsUnbegun reports whether the file at path is a log without a header, of a run that ended before it began: once the end of
// such a log was written alone.
func IsUnbegun(path string) bool {
	begin, err := firstBytes(path)
	return err == nil && isEnd(begin)
}

// firstBytes returns the beginning of a file, which is longer than an end.
func firstBytes(path string) ([]byte, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begin := make([]byte, recordHead+8+recordTail+1)
	n, err := io.ReadFull(f, begin)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return begin[:n], err
}

// isEnd reports whether a file is a [KindEnd] record and nothing else.
func isEnd(data []byte) bool {
	return len(data) == recordHead+8+recordTail && bytes.Equal(data, appendNumber(nil, KindEnd, 0))
}
