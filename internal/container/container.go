// Package container frames the binary files and messages of this module, each a kind with
// a version and named sections. All numbers are little-endian:
//
//	magic    8 bytes, "prhythm\n"
//	kind     8 bytes, padded with zeros
//	version  uint32, of the kind
//	length   uint64, of all, the digest included
//	sections each the length of its name (a byte), the name, the length of its bytes (uint64), the bytes
//	digest   SHA-256 of all before
//
// Sections stand in the order of the kind; an empty one is left out.
package container

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strings"
)

const (
	// Magic begins each file and message.
	Magic    = "prhythm\n"
	kindSize = 8
	headSize = len(Magic) + kindSize + 4 + 8
)

// Format is a kind of file or message.
type Format struct {
	Name     string // at most 8 bytes
	Version  uint32 // the only version that is accepted
	Sections []string
}

// Digest identifies the bytes of a file or message.
type Digest [sha256.Size]byte

// String returns the beginning of the digest, in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:8]) }

// Sum returns the digest that what Encode returned ends with.
func Sum(file []byte) Digest { return Digest(file[len(file)-sha256.Size:]) }

// Encode returns a file with the bytes of each section of the kind, in its order.
func (k *Format) Encode(sections ...[]byte) []byte {
	size := headSize + sha256.Size
	for i, s := range sections {
		if len(s) > 0 {
			size += 1 + len(k.Sections[i]) + 8 + len(s)
		}
	}
	data := append(make([]byte, 0, size), Magic...)
	data = append(data, k.Name...)
	data = append(data, make([]byte, kindSize-len(k.Name))...)
	data = binary.LittleEndian.AppendUint32(data, k.Version)
	data = binary.LittleEndian.AppendUint64(data, uint64(size))
	for i, s := range sections {
		if len(s) > 0 {
			data = append(append(data, byte(len(k.Sections[i]))), k.Sections[i]...)
			data = append(binary.LittleEndian.AppendUint64(data, uint64(len(s))), s...)
		}
	}
	digest := sha256.Sum256(data)
	return append(data, digest[:]...)
}

// OtherError is the error about data of another kind than what is read, not damaged data of that kind.
type OtherError struct{ text string }

func (e *OtherError) Error() string { return e.text }

// Decode is the inverse of Encode. The sections, nil for those left out, share memory with data. Data of another kind
// or version, damaged, cut short or too long is refused with the reason.
func (k *Format) Decode(data []byte) (sections [][]byte, digest Digest, err error) {
	size, err := k.head(data)
	switch {
	case err != nil:
		return nil, digest, err
	case uint64(len(data)) < size:
		return nil, digest, fmt.Errorf("cut short: %d bytes, want %d", len(data), size)
	case uint64(len(data)) > size:
		return nil, digest, fmt.Errorf("damaged: bytes follow its end at %d", size)
	}
	body := data[:len(data)-sha256.Size]
	digest = sha256.Sum256(body)
	if want := Digest(data[len(body):]); digest != want {
		return nil, digest, fmt.Errorf("damaged: its checksum is %v, want %v", digest, want)
	}
	sections = make([][]byte, len(k.Sections))
	rest, next := body[headSize:], 0
	for len(rest) > 0 {
		name := min(1+int(rest[0]), len(rest))
		for next < len(k.Sections) && k.Sections[next] != string(rest[1:name]) {
			next++
		}
		if next == len(k.Sections) {
			return nil, digest, fmt.Errorf("damaged: a section %q, want those of %q in their order", rest[1:name],
				k.Sections)
		}
		rest = rest[name:]
		if len(rest) < 8 || binary.LittleEndian.Uint64(rest) > uint64(len(rest)-8) {
			return nil, digest, fmt.Errorf("damaged: the section %q is longer than the file", k.Sections[next])
		}
		n := binary.LittleEndian.Uint64(rest)
		sections[next], rest = rest[8:8+n:8+n], rest[8+n:]
		next++
	}
	return sections, digest, nil
}

// head checks the head and returns the length of all.
func (k *Format) head(data []byte) (size uint64, err error) {
	if got := data[:min(len(data), len(Magic))]; string(got) != Magic[:len(got)] {
		return 0, &OtherError{fmt.Sprintf("it does not begin with %q: it is no file of version %d", Magic, k.Version)}
	}
	if least := headSize + sha256.Size; len(data) < headSize {
		return 0, fmt.Errorf("cut short: %d bytes, want at least %d", len(data), least)
	}
	kind, rest := data[len(Magic):][:kindSize], data[len(Magic)+kindSize:]
	if got := strings.TrimRight(string(kind), "\x00"); got != k.Name {
		return 0, &OtherError{fmt.Sprintf("its kind is %q, want %q", got, k.Name)}
	}
	if version := binary.LittleEndian.Uint32(rest); version != k.Version {
		return 0, fmt.Errorf("its version is %d, want %d", version, k.Version)
	}
	if size = binary.LittleEndian.Uint64(rest[4:]); size < uint64(headSize+sha256.Size) || size > math.MaxInt64 {
		return 0, fmt.Errorf("damaged: its length is %d bytes", size)
	}
	return size, nil
}

// Read is Decode of what r delivers, in memory that grows with it and not with what the file claims.
func (k *Format) Read(r io.Reader) (sections [][]byte, err error) {
	data := make([]byte, headSize)
	n, err := io.ReadFull(r, data)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	size, err := k.head(data[:n])
	if err != nil {
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, int64(size)-int64(headSize)+1))
	if err != nil {
		return nil, err
	}
	sections, _, err = k.Decode(append(data, rest...))
	return sections, err
}

// AppendFloats appends the bits of values.
func AppendFloats[T float32 | float64](dst []byte, values ...T) []byte {
	dst, err := binary.Append(dst, binary.LittleEndian, values)
	if err != nil {
		panic(err) // both types have a size
	}
	return dst
}

// TakeFloats sets values from the beginning of src, which is long enough, and returns the rest of it.
func TakeFloats[T float32 | float64](src []byte, values []T) []byte {
	n, err := binary.Decode(src, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	return src[n:]
}
