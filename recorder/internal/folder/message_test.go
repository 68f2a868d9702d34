package folder

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// everyKind is a table with a column of each kind, single and in lists, with nulls and without, and pictures.
func everyKind() *format.Table {
	t := &format.Table{Name: "all"}
	for _, kind := range []format.Kind{format.Int64, format.Int32, format.Float64, format.Float32, format.Bool} {
		for _, length := range []int{0, 3} {
			t.Columns = append(t.Columns, format.Column{Name: fmt.Sprintf("%v_%d", kind, length), Kind: kind, Len: length,
				Nullable: length > 0})
		}
	}
	for _, kind := range []string{physics.RGB, physics.Depth} {
		t.Columns = append(t.Columns, format.PictureColumn(kind, kind, 4, 3))
	}
	return t
}

const exampleRows = 21

// writeExample writes a table of two batches, and returns its folder.
func writeExample(t testing.TB, table *format.Table, codec ...ipc.Option) string {
	dir, schema, l := t.TempDir(), table.ArrowSchema([]byte("{}")), format.NewLayout(table)
	w := polytest.Must(Create(disk.OS{}, dir, table, schema, Options{Stream: codec, ShardBytes: 1 << 30}))(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 2 {
		var rows []byte
		for range exampleRows {
			rows = l.Extend(rows)
			row := rows[len(rows)-l.Stride:]
			for i, c := range table.Columns {
				if c.Nullable && r.IntN(4) == 0 {
					continue
				}
				values := make([]byte, len(l.Bytes(row, i)))
				for k := range values {
					values[k] = byte(r.IntN(2))
				}
				l.Set(row, i, values)
			}
		}
		record := l.Record(schema, rows)
		polytest.NoError(t, w.Write(record, 0))
		record.Release()
	}
	polytest.NoError(t, w.Finish(0))
	polytest.NoError(t, w.Publish(nil))
	return dir
}

var codecs = map[string][]ipc.Option{"none": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}}

// readAll reads all rows of a table as whoever reads a dataset does, and returns their bytes.
func readAll(dir string, table *format.Table) (rows []byte, err error) {
	shards, err := Open(dir, table, nil)
	if err != nil {
		return nil, err
	}
	r, l := NewReader(table, []byte("{}")), format.NewLayout(table)
	for i := range shards {
		for k := range shards[i].Entries {
			record, err := r.Record(&shards[i], &shards[i].Entries[k])
			if err != nil {
				return rows, err
			}
			if record == nil {
				continue
			}
			if rows, err = l.AppendRecord(rows, record); err != nil {
				return rows, err
			}
			record.Release()
		}
	}
	return rows, nil
}

func TestReaderReadsEveryKind(t *testing.T) {
	table := everyKind()
	var first []byte
	for name, codec := range codecs {
		rows, err := readAll(writeExample(t, table, codec...), table)
		if err != nil || len(rows) != 2*exampleRows*format.NewLayout(table).Stride || first != nil && !bytes.Equal(rows, first) {
			t.Errorf("%s: %d bytes, %v, want those of %d rows, the same with all codecs", name, len(rows), err, 2*exampleRows)
		}
		first = rows
	}
}

// allocated returns the bytes that the process has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// mostAllocated is far more than the example takes, and far less than a length of 32 bits states.
const mostAllocated = 128 << 20

// checkMessage reads a batch whose message is another one, and whose rows are so many. It wants an error or rows, and
// neither a panic nor much memory.
func checkMessage(t *testing.T, r *Reader, l *format.Layout, path string, head, message []byte, rows int64) {
	t.Helper()
	polytest.NoError(t, os.WriteFile(path, append(bytes.Clone(head), message...), 0o600))
	s := Shard{Path: path, Entries: []JournalEntry{
		{Kind: Schema, Length: int64(len(head)), CRC: crc32.Checksum(head, format.Castagnoli)},
		{Kind: Batch, Offset: int64(len(head)), Length: int64(len(message)), Rows: rows,
			CRC: crc32.Checksum(message, format.Castagnoli)},
	}}
	before := allocated()
	record, err := r.Record(&s, &s.Entries[1])
	if err == nil {
		var read []byte
		if read, err = l.AppendRecord(nil, record); err == nil && int64(len(read)) != rows*int64(l.Stride) {
			t.Errorf("%d bytes were read, want %d rows of %d", len(read), rows, l.Stride)
		}
		// What an export makes of it, too.
		var out bytes.Buffer
		polytest.NoError(t, ipc.NewWriter(&out, ipc.WithSchema(r.Schema)).Write(record))
		record.Release()
	}
	if more := allocated() - before; more > mostAllocated {
		t.Errorf("%d bytes were allocated (%v), want at most %d", more, err, mostAllocated)
	}
}

// batchOf returns the messages of the schema and of the first batch of a folder that writeExample wrote.
func batchOf(t testing.TB, dir string) (head, message []byte) {
	journal := polytest.Must(ParseJournal(polytest.Must(os.ReadFile(filepath.Join(dir, JournalFile)))(t)))(t)
	data := polytest.Must(os.ReadFile(filepath.Join(dir, ShardName(0, 1))))(t)
	first, second := journal.Entries[0], journal.Entries[1]
	return data[:first.End()], data[second.Offset:second.End()]
}

// hostileNumbers are what lengths, offsets and places are changed to.
var hostileNumbers = []uint64{0, 1, 7, 8, 0xff, 1 << 15, 1<<16 - 1, 1 << 24, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<63 - 1,
	1 << 63, 1<<64 - 1}

// mutate returns a message with some bytes changed, more often those of its metadata.
func mutate(r *rand.Rand, message []byte) []byte {
	message = bytes.Clone(message)
	metadata := 8 + int(binary.LittleEndian.Uint32(message[4:]))
	for range 1 + r.IntN(3) {
		end := len(message)
		if r.IntN(3) > 0 {
			end = min(end, metadata)
		}
		at, number := r.IntN(end), make([]byte, 8)
		binary.LittleEndian.PutUint64(number, hostileNumbers[r.IntN(len(hostileNumbers))])
		switch r.IntN(6) {
		case 0:
			message[at] ^= 1 << r.IntN(8)
		case 1:
			message[at] = byte(r.Uint32())
		case 2:
			copy(message[at&^3:], number[:4])
		case 3:
			copy(message[at&^7:], number)
		case 4: // what one place says, at another
			copy(message[at:], bytes.Clone(message[r.IntN(end):end])[:min(8, end-at)/2])
		default:
			message = append(message, number[:r.IntN(8)]...)
		}
	}
	return message
}

// A message that says anything, under a right checksum, is read or refused, in little memory.
func TestHostileMessagesLong(t *testing.T) {
	polytest.LimitMemory(t, 2<<30)
	cases, _ := polytest.Cases(t, 200, 500, 200_000)
	table := everyKind()
	reader, l, path := NewReader(table, []byte("{}")), format.NewLayout(table), filepath.Join(t.TempDir(), "stream")
	for name, codec := range codecs {
		head, message := batchOf(t, writeExample(t, table, codec...))
		for i := range cases {
			changed := mutate(rand.New(rand.NewPCG(7, uint64(i))), message)
			if checkMessage(t, reader, l, path, head, changed, exampleRows); t.Failed() {
				t.Fatalf("%s: case %d", name, i)
			}
		}
	}
}

// A journal, too, may say anything.
func TestHostileRows(t *testing.T) {
	polytest.LimitMemory(t, 2<<30)
	table := everyKind()
	reader, l, path := NewReader(table, []byte("{}")), format.NewLayout(table), filepath.Join(t.TempDir(), "stream")
	for _, codec := range codecs {
		head, message := batchOf(t, writeExample(t, table, codec...))
		for _, rows := range []int64{1, exampleRows - 1, exampleRows + 1, 1 << 20, 1 << 31, 1 << 40, 1<<63 - 1} {
			s := Shard{Path: path, Entries: []JournalEntry{
				{Kind: Schema, Length: int64(len(head)), CRC: crc32.Checksum(head, format.Castagnoli)},
				{Kind: Batch, Offset: int64(len(head)), Length: int64(len(message)), Rows: rows,
					CRC: crc32.Checksum(message, format.Castagnoli)}}}
			polytest.NoError(t, os.WriteFile(path, append(bytes.Clone(head), message...), 0o600))
			polytest.ErrorContains(t, polytest.Err(reader.Record(&s, &s.Entries[1])), "rows, want ")
			checkMessage(t, reader, l, path, head, message, rows)
		}
	}
}

// A message that says anything, under a right checksum, is read or refused, in little memory.
func FuzzBatch(f *testing.F) {
	table := everyKind()
	for _, codec := range codecs {
		_, message := batchOf(f, writeExample(f, table, codec...))
		f.Add(message, int64(exampleRows))
	}
	head, _ := batchOf(f, writeExample(f, table))
	reader, l, path := NewReader(table, []byte("{}")), format.NewLayout(table), filepath.Join(f.TempDir(), "stream")
	f.Fuzz(func(t *testing.T, message []byte, rows int64) {
		if len(message) > 0 && rows > 0 {
			checkMessage(t, reader, l, fmt.Sprint(path, os.Getpid()), head, message, rows)
		}
	})
}
