package recovery

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// marker begins every message of a stream. The length of its metadata follows, as 4 bytes.
var marker = []byte{0xff, 0xff, 0xff, 0xff}

// endLength is the length of the message that ends a stream: no metadata, and no body.
const endLength = 8

// sector is the least that a disk writes: what it has not written when the power is cut is a multiple of it.
const sector = 512

// isTail reports whether a kill or a power cut explains that the first of a stream's entries has other bytes than its
// checksum, and that none of the others is where it should be: the stream ends before that message does, or has from a
// sector of it on nothing but zeros. What is there begins with a message of that length. No later entry is elsewhere,
// as where bytes were inserted or removed.
func isTail(f *os.File, entries []folder.JournalEntry) (bool, error) {
	e := &entries[0]
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	zeros, err := zerosFrom(f, e.Offset)
	if err != nil {
		return false, err
	}
	zeros = (zeros + sector - 1) / sector * sector
	if e.End() <= info.Size() && e.End() <= zeros {
		return false, nil
	}
	length, ok, err := messageLength(f, e.Offset, min(info.Size(), zeros))
	if err != nil || ok && length != e.Length {
		return false, err
	}
	moved, err := isMoved(f, e.Offset, entries[1:])
	return !moved, err
}

// zerosFrom returns where the zeros at the end of a stream begin, at least offset.
func zerosFrom(f *os.File, offset int64) (int64, error) {
	data := make([]byte, 1<<16)
	for begin := offset; ; {
		n, err := f.ReadAt(data, offset)
		if rest := bytes.TrimRight(data[:n], "\x00"); len(rest) > 0 {
			begin = offset + int64(len(rest))
		}
		offset += int64(n)
		if errors.Is(err, io.EOF) {
			return begin, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// isMoved reports whether a stream has, after an offset, the message of one of these entries, wherever that is, but an end
// only where the file ends. It is true, too, of one that is made so that this takes long to find out.
func isMoved(f *os.File, offset int64, entries []folder.JournalEntry) (bool, error) {
	sums := map[int64][]uint32{} // by length
	for i := range entries {
		sums[entries[i].Length] = append(sums[entries[i].Length], entries[i].CRC)
	}
	if len(sums) == 0 {
		return false, nil
	}
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	most := 4 * (info.Size() - offset) // bytes to compare
	in := bufio.NewReaderSize(io.NewSectionReader(f, offset, info.Size()-offset), 1<<16)
	for ; ; offset++ {
		begin, err := in.Peek(len(marker))
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if bytes.Equal(begin, marker) {
			length, ok, err := messageLength(f, offset, info.Size())
			if err != nil {
				return false, err
			}
			known := sums[length]
			if length == endLength && offset+length < info.Size() {
				known = nil
			}
			if ok && known != nil && length <= info.Size()-offset {
				if most -= length; most < 0 {
					return true, nil
				}
				sum := crc32.New(format.Castagnoli)
				if _, err := io.Copy(sum, io.NewSectionReader(f, offset, length)); err != nil {
					return false, err
				}
				for _, want := range known {
					if sum.Sum32() == want {
						return true, nil
					}
				}
			}
		}
		if _, err := in.Discard(1); err != nil {
			return false, err
		}
	}
}

// unjournaled says what a stream has, from a place on, that no writer leaves there when it is killed: more than a whole
// message, or something else than a message. It is empty if there is nothing like that.
func unjournaled(f *os.File, offset int64) (what string, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	begin := make([]byte, len(marker))
	n, err := f.ReadAt(begin, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if begin = begin[:n]; !bytes.HasPrefix(marker, begin) && len(bytes.Trim(begin, "\x00")) > 0 {
		return fmt.Sprintf("what is no message, %d bytes", info.Size()-offset), nil
	}
	length, ok, err := messageLength(f, offset, info.Size())
	if ok && length < info.Size()-offset {
		what = "more than one message"
	}
	return what, err
}

// messageLength returns the length that the message at a place of a stream states. It is not ok where its beginning,
// which says that, is not there as a whole before end, or makes no sense.
func messageLength(f *os.File, offset, end int64) (length int64, ok bool, err error) {
	var prefix [8]byte
	if _, err := f.ReadAt(prefix[:], offset); errors.Is(err, io.EOF) {
		return 0, false, nil
	} else if err != nil {
		return 0, false, err
	}
	size := int64(int32(binary.LittleEndian.Uint32(prefix[4:])))
	if !bytes.HasPrefix(prefix[:], marker) || size < 0 || size > end-offset-8 {
		return 0, false, nil
	}
	metadata := make([]byte, size)
	if _, err := f.ReadAt(metadata, offset+8); err != nil {
		return 0, false, err
	}
	body, ok := bodyLength(metadata)
	if !ok || body > math.MaxInt64-size-8 {
		return 0, false, nil
	}
	return 8 + size + body, true, nil
}

// bodyLength returns the length of a message's body, which its metadata states: field 3 of the table Message in Arrow's
// Message.fbs. Metadata that makes no sense has none. The end of a stream has no metadata and no body.
func bodyLength(metadata []byte) (length int64, ok bool) {
	if len(metadata) == 0 {
		return 0, true
	}
	defer func() { ok = recover() == nil && length >= 0 }() // an offset may lead anywhere
	message := flatbuffers.Table{Bytes: metadata, Pos: flatbuffers.GetUOffsetT(metadata)}
	if field := message.Offset(4 + 2*3); field != 0 {
		length = message.GetInt64(message.Pos + flatbuffers.UOffsetT(field))
	}
	return length, true
}
