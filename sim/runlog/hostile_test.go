package runlog

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// seal makes the checksums of records right, as far as their lengths lead.
func seal(log []byte) []byte {
	log = bytes.Clone(log)
	for rest := log; len(rest) >= recordHead+recordTail; {
		size := int64(binary.LittleEndian.Uint32(rest[1:]))
		if size > int64(len(rest)-recordHead-recordTail) {
			break
		}
		payload := rest[:recordHead+size]
		binary.LittleEndian.PutUint32(rest[len(payload):], crc32.Checksum(payload, castagnoli))
		rest = rest[len(payload)+recordTail:]
	}
	return log
}

// readAll reads a log to its end or to an error.
func readAll(t *testing.T, data []byte) {
	in, err := NewReader(bytes.NewReader(data))
	if err != nil {
		return
	}
	for range len(data) {
		record, err := in.Next()
		if err != nil {
			return
		}
		_ = record.describe()
		switch record.Kind {
		case KindActions:
			record.AppendActions(nil)
		case KindRestart:
			record.AppendMask(nil)
			record.AppendSeeds(nil)
		}
	}
	t.Errorf("more records than bytes in %d bytes", len(data))
}

// A log that says anything under right checksums is read or refused, and compared or refused.
func TestHostileLogsLong(t *testing.T) {
	polytest.LimitMemory(t, 2<<30)
	cases, _ := polytest.Cases(t, 500, 5000, 1_000_000)
	log := written(t)
	polytest.EqualSlices(t, seal(log), log, "a log that is right has other checksums")
	for i := range cases {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		changed := bytes.Clone(log)
		for range 1 + r.IntN(4) {
			at := r.IntN(len(changed))
			switch number := []byte{0, 0, 0, 0, 0, 0, 0, 0}; r.IntN(4) {
			case 0:
				changed[at] ^= 1 << r.IntN(8)
			case 1:
				changed[at] = byte(r.Uint32())
			case 2:
				for k := range number {
					number[k] = byte(-r.IntN(2))
				}
				copy(changed[at:], number[:1+r.IntN(8)])
			default:
				changed = append(changed[:at:at], changed[min(len(changed), at+r.IntN(9)):]...)
			}
			if len(changed) < 2 {
				break
			}
		}
		changed = seal(changed)
		readAll(t, changed)
		_, _ = compare(changed, same)
	}
}
