package rl

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

func appendSingles(dst []byte, values []float32) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}

func appendDoubles(dst []byte, values ...float64) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return dst
}

// takeSingles sets values from the beginning of src, which is long enough, and returns the
// rest of it.
func takeSingles(src []byte, values []float32) []byte {
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
	return src[4*len(values):]
}

// takeDoubles does the same.
func takeDoubles(src []byte, values []float64) []byte {
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
	}
	return src[8*len(values):]
}

// messageVersion is that of orders and parts. Those of other versions are refused.
const messageVersion = 1

// beginMessage returns the magic, of 8 bytes, and the version.
func beginMessage(magic string) []byte {
	return binary.LittleEndian.AppendUint32([]byte(magic), messageVersion)
}

// endMessage appends the digest of all before.
func endMessage(message []byte) []byte {
	digest := sha256.Sum256(message)
	return append(message, digest[:]...)
}

// openMessage returns what is between the version and the digest, which it checks.
func openMessage(message []byte, magic string) (body []byte, digest Digest, err error) {
	head := len(magic) + 4
	if len(message) < head+len(digest) {
		return nil, digest, fmt.Errorf("cut short: %d bytes, want at least %d", len(message), head+len(digest))
	}
	if got := string(message[:len(magic)]); got != magic {
		return nil, digest, fmt.Errorf("it begins with %q, want %q", got, magic)
	}
	if version := binary.LittleEndian.Uint32(message[len(magic):]); version != messageVersion {
		return nil, digest, fmt.Errorf("its version is %d, want %d", version, messageVersion)
	}
	all := message[:len(message)-len(digest)]
	stored := Digest(message[len(all):])
	if digest = sha256.Sum256(all); digest != stored {
		return nil, digest, fmt.Errorf("damaged: its digest is %v, want %v", digest, stored)
	}
	return all[head:], digest, nil
}
