package recorder

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// foreignStream is a stream with types that our tables do not have: text, timestamps, dictionaries, lists, structs, unions.
func foreignStream(tb testing.TB, options ...ipc.Option) []byte {
	tb.Helper()
	meta := arrow.NewMetadata([]string{"key"}, []string{"value"})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: meta},
		{Name: "time", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}},
		{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64), Nullable: true},
		{Name: "pair", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32}, arrow.Field{Name: "b", Type: arrow.FixedWidthTypes.Boolean})},
		{Name: "three", Type: arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32)},
		{Name: "number", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, &meta)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append(options, ipc.WithSchema(schema))...)
	for batch := range 2 {
		for i := range 9 {
			if i%4 == 3 {
				b.Field(0).AppendNull()
				b.Field(3).AppendNull()
				b.Field(6).AppendNull()
			} else {
				b.Field(0).(*array.StringBuilder).Append(fmt.Sprint("row ", i))
				b.Field(3).(*array.ListBuilder).Append(true)
				b.Field(3).(*array.ListBuilder).ValueBuilder().(*array.Float64Builder).Append(float64(i))
				b.Field(6).(*array.Float64Builder).Append(float64(i * batch))
			}
			b.Field(1).(*array.TimestampBuilder).Append(arrow.Timestamp(i))
			if err := b.Field(2).(*array.BinaryDictionaryBuilder).AppendString([]string{"a", "b"}[i%2]); err != nil {
				tb.Fatal(err)
			}
			b.Field(4).(*array.StructBuilder).Append(true)
			b.Field(4).(*array.StructBuilder).FieldBuilder(0).(*array.Int32Builder).Append(int32(i))
			b.Field(4).(*array.StructBuilder).FieldBuilder(1).(*array.BooleanBuilder).Append(i%2 == 0)
			b.Field(5).(*array.FixedSizeListBuilder).Append(true)
			b.Field(5).(*array.FixedSizeListBuilder).ValueBuilder().(*array.Float32Builder).AppendValues([]float32{1, 2, float32(i)}, nil)
		}
		r := b.NewRecord()
		if err := w.Write(r); err != nil {
			tb.Fatal(err)
		}
		r.Release()
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// streams are examples of ours and of others, by name.
func streams(tb testing.TB) map[string][]byte {
	dir := tb.(interface{ TempDir() string }).TempDir()
	recordExample(tb, dir, 20, Options{BatchRows: 16})
	ours, err := os.ReadFile(filepath.Join(dir, shardName(0, 1)))
	if err != nil {
		tb.Fatal(err)
	}
	return map[string][]byte{
		"ours": ours, "foreign": foreignStream(tb),
		"lz4": foreignStream(tb, ipc.WithLZ4()), "zstd": foreignStream(tb, ipc.WithZstd()),
	}
}

// drain reads a stream to its end and touches what checkArray guards.
func drain(path string) (rows int64, err error) {
	s, err := OpenStream(path)
	if err != nil {
		return 0, err
	}
	for record, err := range s.Batches() {
		if err != nil {
			return rows, err
		}
		for _, column := range record.Columns() {
			column.NullN()
			for i := range column.Len() {
				column.IsNull(i)
			}
			if c, ok := column.(*array.Float64); ok {
				for i := range c.Len() {
					_ = c.Value(i)
				}
			}
			if c, ok := column.(*array.FixedSizeList); ok {
				for i := range c.Len() {
					from, to := c.ValueOffsets(i)
					for j := from; j < to; j++ {
						c.ListValues().IsNull(int(j))
					}
				}
			}
		}
		rows += record.NumRows()
	}
	return rows, nil
}

func TestStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream.arrow")
	for name, data := range streams(t) {
		writeTestFile(t, path, string(data))
		want := int64(18)
		if name == "ours" {
			want = 40
		}
		if rows, err := drain(path); rows != want || err != nil {
			t.Errorf("%s: %d rows, %v, want %d", name, rows, err, want)
		}
		for at := 0; at < len(data); at += stride(116) { // cut anywhere
			writeTestFile(t, path, string(data[:at]))
			if rows, err := drain(path); err == nil || rows > want {
				t.Fatalf("%s cut at %d: %d rows and no error", name, at, rows)
			}
		}
	}
}

// A flipped bit may be a wrong number, which nothing can notice here; it is never a crash, and never a wish for memory that
// the file's size does not warrant.
func TestStreamsWithFlippedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream.arrow")
	random := rand.New(rand.NewPCG(3, 4))
	var before, after runtime.MemStats
	for name, data := range streams(t) {
		runtime.ReadMemStats(&before)
		flips := thorough(250)
		for range flips {
			at := random.IntN(8 * len(data))
			damaged := slices.Clone(data)
			damaged[at/8] ^= 1 << (at % 8)
			writeTestFile(t, path, string(damaged))
			_, _ = drain(path)
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / uint64(flips); each > minMemory {
			t.Errorf("%s: %d bytes asked for with each flipped bit", name, each)
		}
	}
}

// Whatever a file holds, reading it as a stream ends, with an error or without.
func FuzzStream(f *testing.F) {
	for _, data := range streams(f) {
		f.Add(data)
	}
	f.Add([]byte("\xff\xff\xff\xff\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "stream.arrow")
		writeTestFile(t, path, string(data))
		_, _ = drain(path)
	})
}
