package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// TableDigest is a table in short: two tables with the same digest have the same bytes.
type TableDigest struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`  // bytes of the table's streams
	Digest string `json:"digest"` // SHA-256 of what its journal says of each message: place, length, rows, CRC32C; hex

	// Tenths are the beginnings of the table, up to tenths of its batches, by the bytes of these alone: they say where
	// two tables first differ, also if their schemas do.
	Tenths []BatchesDigest `json:"tenths"`
}

// BatchesDigest is the first batches of a table in short.
type BatchesDigest struct {
	Rows int64  `json:"rows"`
	CRC  string `json:"crc"` // CRC32C of the lengths, rows and checksums of the batches; hex
}

const tenths = 10

// Digests returns the digest of each table, by its journal.
func (d *Dataset) Digests() []TableDigest {
	all := make([]TableDigest, len(d.Tables))
	for i, t := range d.Tables {
		digest := &all[i]
		digest.Name = t.Name
		streams := sha256.New()
		var batches []folder.JournalEntry
		for _, s := range d.shards[i] {
			for _, e := range s.Entries {
				streams.Write(e.AppendLine(nil))
				digest.Rows, digest.Bytes = digest.Rows+e.Rows, digest.Bytes+e.Length
				if e.Kind == folder.Batch {
					batches = append(batches, e)
				}
			}
		}
		digest.Digest = hex.EncodeToString(streams.Sum(nil))
		crc, done, rows := uint32(0), 0, int64(0)
		for tenth := 1; tenth <= tenths; tenth++ {
			for ; done < len(batches)*tenth/tenths; done++ {
				e := &batches[done]
				crc = crc32.Update(crc, format.Castagnoli, fmt.Appendf(nil, "%d %d %08x\n", e.Length, e.Rows, e.CRC))
				rows += e.Rows
			}
			if n := len(digest.Tenths); n == 0 || digest.Tenths[n-1].Rows < rows {
				digest.Tenths = append(digest.Tenths, BatchesDigest{rows, fmt.Sprintf("%08x", crc)})
			}
		}
	}
	return all
}

// Differs says where a table with another digest first differs from this one; "" if it does not.
func (d *TableDigest) Differs(other *TableDigest) string {
	start := int64(0)
	for i, want := range d.Tenths {
		if i >= len(other.Tenths) || other.Tenths[i] != want {
			return fmt.Sprintf("the table %q differs first in rows %d to %d of %d", d.Name, start+1, want.Rows, d.Rows)
		}
		start = want.Rows
	}
	switch {
	case other.Rows != d.Rows:
		return fmt.Sprintf("the table %q has %d rows, want %d", d.Name, other.Rows, d.Rows)
	case other.Digest != d.Digest:
		return fmt.Sprintf("the rows of the table %q are the same, its schema or its division into files is not",
			d.Name)
	}
	return ""
}
