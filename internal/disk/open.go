package disk

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
)

// Most bytes of the files that [ReadFile] reads whole.
const (
	MaxText  = 64 << 20 // what describes something: JSON, settings, a table of results
	MaxWhole = 4 << 30  // what programs keep whole: a journal, a state, a policy, the table of a long run
)

// Open opens a file for reading. It does not wait, and refuses what has no bytes of its own: a folder, a pipe, a socket
// or a device, also behind a link.
func Open(path string) (*os.File, error) { return container.Open(path, os.O_RDONLY) }

// Change opens a file that is there for reading and writing, from its beginning on. It refuses what [Open] does.
func Change(path string) (*os.File, error) { return container.Open(path, os.O_RDWR) }

// Append opens a file that grows, and makes it if there is none. It refuses what [Open] does.
func Append(path string) (*os.File, error) {
	return container.Open(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
}

// ReadFile reads a file that [Open] opens. It fails if there are more than max bytes.
func ReadFile(path string, max int64) ([]byte, error) { return ReadKind(path, "", max) }

// ReadKind is [ReadFile] for a file that begins with a text. Of another file it returns the beginning alone, by which
// it is refused.
func ReadKind(path, text string, max int64) (_ []byte, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	begin := make([]byte, len(text))
	n, err := io.ReadFull(f, begin)
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, err
	case string(begin[:n]) != text:
		return begin[:n], nil
	case info.Size() > max:
		return nil, tooLong(path, max)
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	data.Write(begin)
	if _, err := data.ReadFrom(io.LimitReader(f, max+1-int64(n))); err != nil {
		return nil, err
	}
	if int64(data.Len()) > max { // it grows
		return nil, tooLong(path, max)
	}
	return data.Bytes(), nil
}

// ReadInput reads a file that a user names, which may also be a pipe or a device. It fails if there are more than max
// bytes.
func ReadInput(path string, max int64) (_ []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, path, max)
}

// ReadAll reads what is left to read. It fails, with the name of what is read, if there are more than max bytes.
func ReadAll(r io.Reader, name string, max int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, max+1))
	if err == nil && int64(len(data)) > max {
		return nil, tooLong(name, max)
	}
	return data, err
}

func tooLong(name string, max int64) error {
	return fmt.Errorf("the size of %s is more than %d bytes, want at most that", name, max)
}
