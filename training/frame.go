package training

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame puts three parts between a magic, of 8 bytes, and a checksum.
func frame(magic string, version uint32, parts ...[]byte) []byte {
	data := binary.LittleEndian.AppendUint32([]byte(magic), version)
	for _, part := range parts {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(part)))
		data = append(data, part...)
	}
	return seal(data)
}

// unframe is the inverse of frame.
func unframe(data []byte, magic string, version uint32) (parts [3][]byte, err error) {
	head := len(magic) + 4
	if len(data) < head+4 || string(data[:len(magic)]) != magic {
		return parts, fmt.Errorf("it begins with %q, want %q", data[:min(len(data), len(magic))], magic)
	}
	if got := binary.LittleEndian.Uint32(data[len(magic):]); got != version {
		return parts, fmt.Errorf("its version is %d, want %d", got, version)
	}
	body, err := unseal(data)
	if err != nil {
		return parts, err
	}
	rest := body[head:]
	for i := range parts {
		if len(rest) < 8 || binary.LittleEndian.Uint64(rest) > uint64(len(rest)-8) {
			return parts, errors.New("damaged: a part is longer than the file")
		}
		n := binary.LittleEndian.Uint64(rest)
		parts[i], rest = rest[8:8+n], rest[8+n:]
	}
	return parts, nil
}

// seal appends the CRC32C of data, little-endian.
func seal(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
}

// unseal returns what seal had; data has at least 4 bytes.
func unseal(data []byte) ([]byte, error) {
	body := data[:len(data)-4]
	if got, want := crc32.Checksum(body, castagnoli), binary.LittleEndian.Uint32(data[len(body):]); got != want {
		return nil, fmt.Errorf("damaged: its checksum is %08x, want %08x", got, want)
	}
	return body, nil
}

func appendSingles(dst []byte, values []float32) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}

func readSingles(data []byte) (values []float32) {
	for ; len(data) >= 4; data = data[4:] {
		values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return values
}
