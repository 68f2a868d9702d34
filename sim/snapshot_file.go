package sim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// A snapshot's file is little-endian throughout:
//
//	magic    8 bytes
//	version  uint32
//	part     length uint64, that many bytes, their CRC32C uint32: the lines of Fits
//	worlds   uint64
//	part     for each world, in order
//
// and, in version 3, for a run with Config.Probes:
//
//	part     those, in lines
//	part     for each world, their samples
//
// and ends there. Other runs write version 2.

var snapshotMagic = [8]byte{'p', 'r', 's', 'n', 'a', 'p', '\r', '\n'}

const (
	snapshotVersion = 2
	observedVersion = 3
)

// Limits on the sizes that a file may declare.
const (
	maxFits   = 1 << 20 // bytes
	maxRecord = 1 << 26 // bytes of a world
	maxWorlds = 1 << 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteTo writes the snapshot for [ReadSnapshot]. It implements [io.WriterTo].
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	out := &counting{w: w}
	out.value(snapshotMagic)
	if len(s.observed) == 0 {
		out.value(uint32(snapshotVersion))
	} else {
		out.value(uint32(observedVersion))
	}
	out.part([]byte(strings.Join(s.fits, "\n")))
	out.value(uint64(len(s.worlds)))
	for _, record := range s.worlds {
		out.part(record)
	}
	if len(s.observed) > 0 {
		out.part([]byte(strings.Join(s.observed, "\n")))
		for _, samples := range s.samples {
			out.part(samples)
		}
	}
	return out.n, out.err
}

// counting counts the bytes it writes, and stops at the first error.
type counting struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counting) bytes(p []byte) {
	if c.err == nil {
		var n int
		n, c.err = c.w.Write(p)
		c.n += int64(n)
	}
}

func (c *counting) value(v any) { c.bytes(appendValue(nil, v)) }

func (c *counting) part(p []byte) {
	c.value(uint64(len(p)))
	c.bytes(p)
	c.value(crc32.Checksum(p, castagnoli))
}

// ReadSnapshot reads the output of [Snapshot.WriteTo]. It returns an error for a file
// that is not a snapshot, has another version, is cut short or is damaged. It allocates
// memory in proportion to the bytes read, whatever lengths the file declares.
func ReadSnapshot(r io.Reader) (*Snapshot, error) {
	in := &snapshotReader{r: r}
	s, err := in.read()
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file is cut short")
		}
		return nil, fmt.Errorf("sim: snapshot: at byte %d: %w", in.n, err)
	}
	return s, nil
}

// snapshotReader reads parts and counts bytes.
type snapshotReader struct {
	r io.Reader
	n int64
}

func (in *snapshotReader) read() (*Snapshot, error) {
	var magic [8]byte
	if err := in.value(&magic); err != nil {
		return nil, err
	}
	if magic != snapshotMagic {
		return nil, fmt.Errorf("it begins with %q, want %q: no snapshot", magic, snapshotMagic)
	}
	var version uint32
	if err := in.value(&version); err != nil {
		return nil, err
	}
	if version != snapshotVersion && version != observedVersion {
		return nil, fmt.Errorf("format version %d, want %d or %d", version, snapshotVersion, observedVersion)
	}
	fits, err := in.part(maxFits)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{fits: strings.Split(string(fits), "\n")}
	var worlds uint64
	if err := in.value(&worlds); err != nil {
		return nil, err
	}
	if worlds > maxWorlds {
		return nil, fmt.Errorf("%d worlds, want at most %d", worlds, maxWorlds)
	}
	if s.worlds, err = in.parts(worlds); err != nil {
		return nil, err
	}
	if version == observedVersion {
		observed, err := in.part(maxFits)
		if err != nil {
			return nil, err
		}
		s.observed = strings.Split(string(observed), "\n")
		if s.samples, err = in.parts(worlds); err != nil {
			return nil, err
		}
	}
	switch n, err := io.ReadFull(in.r, magic[:1]); {
	case n > 0:
		return nil, errors.New("more follows the last world")
	case err != io.EOF:
		return nil, err
	}
	return s, nil
}

func (in *snapshotReader) value(v any) error {
	buf := make([]byte, binary.Size(v))
	n, err := io.ReadFull(in.r, buf)
	in.n += int64(n)
	if err != nil {
		return err
	}
	_, err = binary.Decode(buf, binary.LittleEndian, v)
	return err
}

// parts reads a part for each world.
func (in *snapshotReader) parts(worlds uint64) (parts [][]byte, err error) {
	for range worlds {
		part, err := in.part(maxRecord)
		if err != nil {
			return nil, fmt.Errorf("world %d: %w", len(parts), err)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (in *snapshotReader) part(limit uint64) ([]byte, error) {
	var length uint64
	if err := in.value(&length); err != nil {
		return nil, err
	}
	if length > limit {
		return nil, fmt.Errorf("a part of %d bytes, want at most %d", length, limit)
	}
	var part bytes.Buffer // grows as bytes arrive, whatever the length says
	n, err := io.CopyN(&part, in.r, int64(length))
	in.n += n
	if err != nil {
		return nil, err
	}
	var sum uint32
	if err := in.value(&sum); err != nil {
		return nil, err
	}
	if got := crc32.Checksum(part.Bytes(), castagnoli); got != sum {
		return nil, fmt.Errorf("damaged: the %d bytes before have CRC32C %08x, the file says %08x", length, got, sum)
	}
	return part.Bytes(), nil
}
