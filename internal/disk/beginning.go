package disk

import (
	"fmt"
	"hash/crc32"
	"io"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Beginning is a file that grows, up to a place, in short. It tells whether the bytes are still those that were
// written.
type Beginning struct {
	Bytes  int64  `json:"bytes"`
	CRC32C uint32 `json:"crc32c"` // checksum of the bytes
}

// Add adds bytes that follow.
func (b *Beginning) Add(data []byte) {
	b.Bytes, b.CRC32C = b.Bytes+int64(len(data)), crc32.Update(b.CRC32C, castagnoli, data)
}

// Check reads a file's beginning and returns an error, which does not name the file, unless it is this one.
func (b Beginning) Check(r io.ReaderAt) error {
	got, buffer := Beginning{}, make([]byte, 1<<18)
	for section := io.NewSectionReader(r, 0, b.Bytes); ; {
		n, err := section.Read(buffer)
		got.Add(buffer[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	switch {
	case got.Bytes < b.Bytes:
		return fmt.Errorf("it has %d bytes, want at least %d", got.Bytes, b.Bytes)
	case got != b:
		return fmt.Errorf("damaged: the checksum of its first %d bytes is %08x, want %08x", b.Bytes, got.CRC32C,
			b.CRC32C)
	}
	return nil
}
