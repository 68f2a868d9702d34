package training

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// Whatever the file of a point holds, reading it returns an error and does not panic, nor take
// more memory than the file is worth.
func FuzzLivePoint(f *testing.F) {
	f.Add([]byte(`{"part": 1, "log": {"bytes": 9}, "state": {"speed": 2}, "changes": [{"n": 3, "edits": []}]}`), []byte("snapshot"))
	f.Add([]byte(`{"part": -1}`), []byte{})
	f.Fuzz(func(t *testing.T, text, snapshot []byte) {
		var file bytes.Buffer
		file.WriteString(livePointMagic)
		file.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
		file.Write(text)
		file.Write(snapshot)
		data := binary.LittleEndian.AppendUint32(file.Bytes(), crc32.Checksum(file.Bytes(), castagnoli))
		new(livePoint).decode(data)
		new(livePoint).decode(append([]byte(livePointMagic), text...))
	})
}
