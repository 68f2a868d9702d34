package runlog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Damage is the error for a log that cannot be read, or that has no end.
type Damage struct {
	Offset int64  // of the damaged record, in bytes from the beginning of the file
	Reason string // what is wrong with the record
	Cut    bool   // the file ends before the run did, as where the run was killed

	Version uint32 // of the format of the file; 0: the one that this package reads
}

func (d *Damage) Error() string {
	switch {
	case d.Cut:
		return fmt.Sprintf("log ends at offset %d: %s", d.Offset, d.Reason)
	case d.Version != 0:
		return d.Reason
	}
	return fmt.Sprintf("log damaged at offset %d: %s", d.Offset, d.Reason)
}

// Reader reads a log from its beginning. One goroutine at a time may use it.
type Reader struct {
	r       *bufio.Reader
	offset  int64
	header  Header
	record  Record
	payload []byte
}

// NewReader reads the header of a log. The error is a *[Damage] if the file is damaged or not a run log.
func NewReader(r io.Reader) (*Reader, error) {
	in := &Reader{r: bufio.NewReaderSize(r, 1<<16)}
	var start [12]byte
	if err := in.fill(start[:]); err != nil {
		return nil, err
	}
	if !bytes.Equal(start[:8], magic[:]) {
		return nil, in.damage("no run log: the first 8 bytes are %q, want %q", start[:8], magic)
	}
	if v := binary.LittleEndian.Uint32(start[8:]); v != version {
		return nil, &Damage{Version: v, Reason: fmt.Sprintf("the version of the log is %d, want %d: the program that "+
			"wrote it can read it", v, version)}
	}
	in.offset = int64(len(start))
	record, err := in.Next()
	if err != nil {
		if err == io.EOF {
			err = in.cut("it has no header")
		}
		return nil, err
	}
	if record.Kind != KindHeader {
		return nil, &Damage{Offset: record.Offset,
			Reason: fmt.Sprintf("the kind of the first record is %v, want header", record.Kind)}
	}
	decoder := json.NewDecoder(bytes.NewReader(record.payload))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in.header); err != nil {
		return nil, &Damage{Offset: record.Offset, Reason: fmt.Sprintf("header: %v", err)}
	}
	if h := &in.header; h.Every < 1 || h.Worlds < 1 || h.BlockSize < 1 {
		return nil, &Damage{Offset: record.Offset,
			Reason: fmt.Sprintf("header: worlds is %d, block_size is %d and every is %d, want at least 1 each",
				h.Worlds, h.BlockSize, h.Every)}
	}
	return in, nil
}

// Header returns the header of the log.
func (in *Reader) Header() Header { return in.header }

// Next returns the next record, valid until the next call. At the end of the file the error is io.EOF, and a
// *[Damage] for a record that is not right. If only its checksum is wrong, Next returns both.
func (in *Reader) Next() (*Record, error) {
	if _, err := in.r.Peek(1); err == io.EOF {
		return nil, io.EOF
	}
	var head [recordHead]byte
	if err := in.fill(head[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(head[1:])
	if size > maxPayload {
		return nil, in.damage("the length of a record is %d bytes, want at most %d", size, maxPayload)
	}
	if cap(in.payload) < int(size)+recordTail {
		in.payload = make([]byte, size+recordTail)
	}
	in.payload = in.payload[:size+recordTail]
	if err := in.fill(in.payload); err != nil {
		return nil, err
	}
	in.record = Record{Kind: RecordKind(head[0]), Offset: in.offset, payload: in.payload[:size:size]}
	in.offset += recordHead + int64(size) + recordTail

	sum := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, in.record.payload)
	if want := binary.LittleEndian.Uint32(in.payload[size:]); sum != want {
		return &in.record, &Damage{Offset: in.record.Offset,
			Reason: fmt.Sprintf("the CRC32C of a record of %d bytes is %08x, want %08x", size, sum, want)}
	}
	if err := in.record.check(); err != nil {
		return nil, &Damage{Offset: in.record.Offset, Reason: err.Error()}
	}
	return &in.record, nil
}

func (in *Reader) fill(p []byte) error {
	n, err := io.ReadFull(in.r, p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return in.cut("%d more bytes, want %d", n, len(p))
	}
	return err
}

func (in *Reader) damage(format string, values ...any) error {
	return &Damage{Offset: in.offset, Reason: fmt.Sprintf(format, values...)}
}

// cut is damage for a file that ends too early.
func (in *Reader) cut(format string, values ...any) error {
	return &Damage{Offset: in.offset, Reason: fmt.Sprintf(format, values...), Cut: true}
}
