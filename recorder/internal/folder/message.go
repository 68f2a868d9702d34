package folder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// A checksum does not say who made it, and Arrow's reader believes a message: it allocates what a length says, and
// leaves buffers that are too short to whoever reads them. So a message is compared with the schema before Arrow sees
// it: each length in it follows from the number of rows in the journal, or is that of pictures, which have a bound.

const (
	// maxWindow is the most that a decompressor of Zstandard keeps, in bytes: what its format wants all to support.
	maxWindow = 8 << 20
	// pictureRoom is the most bytes that a picture has beyond twice those of its pixels.
	pictureRoom = 1 << 16
	// bufferRoom is more than what a message has for a buffer beside its values.
	bufferRoom = 256
)

// Places in Arrow's tables Message, RecordBatch and BodyCompression, and values there.
const (
	messageVersion, messageType, messageHeader, messageBody = 4, 6, 8, 10
	batchRows, batchNodes, batchBuffers, batchCompression   = 4, 6, 8, 10
	compressionCodec                                        = 4

	version5, recordBatch = 4, 3
	codecLZ4, codecZstd   = 0, 1
)

// head returns the metadata of a message and its body. It fails unless these are all that the message has.
func head(message []byte) (table *flatbuffers.Table, body []byte, err error) {
	if len(message) < 8 || binary.LittleEndian.Uint32(message) != math.MaxUint32 {
		return nil, nil, errors.New("it does not begin as a message of Arrow")
	}
	size := int64(int32(binary.LittleEndian.Uint32(message[4:])))
	if size < 8 || size > int64(len(message)-8) {
		return nil, nil, fmt.Errorf("it has %d bytes of metadata in %d bytes", size, len(message))
	}
	metadata, body := message[8:8+size], message[8+size:]
	table = &flatbuffers.Table{Bytes: metadata, Pos: flatbuffers.GetUOffsetT(metadata)}
	if got := table.GetInt64Slot(messageBody, 0); got != int64(len(body)) {
		return nil, nil, fmt.Errorf("it states %d bytes of values and has %d", got, len(body))
	}
	return table, body, nil
}

// longest returns the most bytes that the message of so many rows has.
func (r *Reader) longest(rows int64) int64 {
	size := 2*rows*int64(r.layout.Stride) + bufferRoom
	for i := range r.layout.Columns {
		size += 8 * bufferRoom
		if r.layout.Columns[i].Width > 0 {
			size += rows * pictureRoom
		}
	}
	return min(size, 3*format.MaxBatchBytes)
}

// checkBatch returns an error unless a message is a batch of so many rows, with all their values and nothing else.
func (r *Reader) checkBatch(message []byte, rows int64) (err error) {
	defer func() {
		if reason := recover(); reason != nil { // an offset of the metadata may lead anywhere
			err = fmt.Errorf("its metadata makes no sense: %v", reason)
		}
	}()
	table, body, err := head(message)
	if err != nil {
		return err
	}
	if version, kind := table.GetInt16Slot(messageVersion, 0), table.GetByteSlot(messageType, 0); version != version5 ||
		kind != recordBatch {
		return fmt.Errorf("it is a message of kind %d and version %d, want %d and %d", kind, version, recordBatch, version5)
	}
	c := batchCheck{codec: -1, body: body}
	header := table.Offset(messageHeader)
	if header == 0 {
		return errors.New("it describes no batch")
	}
	table.Union(&c.batch, flatbuffers.UOffsetT(header))
	if got := c.batch.GetInt64Slot(batchRows, 0); got != rows {
		return fmt.Errorf("it has %d rows, want %d", got, rows)
	}
	if err := c.readCodec(); err != nil {
		return err
	}
	for i := range r.layout.Columns {
		column := &r.layout.Columns[i]
		c.picture = 2*int64(column.Len*column.Kind.Size()) + pictureRoom
		if err := c.array(column.ArrowType(), rows); err != nil {
			return fmt.Errorf("column %q: %w", column.Name, err)
		}
	}
	if nodes, buffers := c.vector(batchNodes).n, c.vector(batchBuffers).n; nodes != c.nodes || buffers != c.buffers {
		return fmt.Errorf("it has %d arrays and %d buffers, want %d and %d", nodes, buffers, c.nodes, c.buffers)
	}
	return nil
}

// batchCheck walks over the arrays of a batch as Arrow's reader does.
type batchCheck struct {
	batch   flatbuffers.Table
	body    []byte
	codec   int8  // −1: buffers are not compressed
	picture int64 // the most bytes of a picture of the column
	nodes   int   // numbers of the next array, and of the next buffer
	buffers int
}

func (c *batchCheck) readCodec() error {
	place := c.batch.Offset(batchCompression)
	if place == 0 {
		return nil
	}
	compression := flatbuffers.Table{Bytes: c.batch.Bytes,
		Pos: c.batch.Indirect(c.batch.Pos + flatbuffers.UOffsetT(place))}
	if c.codec = compression.GetInt8Slot(compressionCodec, codecLZ4); c.codec != codecLZ4 && c.codec != codecZstd {
		return fmt.Errorf("its compression is %d, want LZ4 (%d) or Zstandard (%d)", c.codec, codecLZ4, codecZstd)
	}
	return nil
}

// vector is a list of pairs of numbers.
type vector struct {
	table *flatbuffers.Table
	start flatbuffers.UOffsetT
	n     int
}

func (c *batchCheck) vector(slot flatbuffers.VOffsetT) vector {
	place := flatbuffers.UOffsetT(c.batch.Offset(slot))
	if place == 0 {
		return vector{}
	}
	return vector{&c.batch, c.batch.Vector(place), c.batch.VectorLen(place)}
}

// pair returns element i.
func (v vector) pair(i int) (first, second int64, err error) {
	if i >= v.n {
		return 0, 0, fmt.Errorf("it has %d arrays or buffers, want more", v.n)
	}
	at := v.start + 16*flatbuffers.UOffsetT(i)
	return v.table.GetInt64(at), v.table.GetInt64(at + 8), nil
}

// array checks an array of a type, and those in it.
func (c *batchCheck) array(typ arrow.DataType, length int64) error {
	got, nulls, err := c.vector(batchNodes).pair(c.nodes)
	if err != nil {
		return err
	}
	if c.nodes++; got != length || nulls < 0 || nulls > length {
		return fmt.Errorf("it has %d values, %d of them null, want %d values", got, nulls, length)
	}
	if nulls == 0 {
		err = c.buffer(0, math.MaxInt64) // which nobody reads
	} else {
		err = c.fixed(length)
	}
	if err != nil {
		return err
	}
	switch typ := typ.(type) {
	case *arrow.FixedSizeListType:
		return c.array(typ.Elem(), length*int64(typ.Len()))
	case *arrow.StructType:
		for _, field := range typ.Fields() {
			if err := c.array(field.Type, length); err != nil {
				return err
			}
		}
		return nil
	case *arrow.BinaryType:
		return c.strings(length, c.picture)
	case *arrow.StringType: // the path of a picture, which is in the column itself
		return c.strings(length, 0)
	case arrow.FixedWidthDataType:
		return c.fixed(length * int64(typ.BitWidth()))
	}
	return fmt.Errorf("it is %v, which no column is", typ)
}

// strings checks the offsets of strings and their bytes, at most so many each.
func (c *batchCheck) strings(length, most int64) error {
	if err := c.fixed(32 * (length + 1)); err != nil {
		return err
	}
	return c.buffer(0, min(length*most, format.MaxBatchBytes))
}

// fixed checks a buffer of so many bits, to which Arrow may add bytes.
func (c *batchCheck) fixed(bits int64) error {
	bytes := (bits + 7) / 8
	return c.buffer(bytes, (bytes+63)&^63)
}

// buffer checks that the next buffer has, when it is read, at least and at most so many bytes.
func (c *batchCheck) buffer(least, most int64) error {
	offset, length, err := c.vector(batchBuffers).pair(c.buffers)
	if err != nil {
		return err
	}
	c.buffers++
	if all := int64(len(c.body)); offset < 0 || length < 0 || length > all || offset > all-length {
		return fmt.Errorf("it has %d bytes at %d of %d", length, offset, all)
	}
	size, stored := length, c.body[offset:offset+length]
	if c.codec >= 0 && length > 0 {
		if length < 8 {
			return fmt.Errorf("a compressed buffer has %d bytes, want at least 8", length)
		}
		size, stored = int64(binary.LittleEndian.Uint64(stored)), stored[8:]
		if size == -1 {
			size = length - 8
		} else if err := c.checkFrame(stored); err != nil {
			return err
		}
	}
	if size < least || size > most {
		return fmt.Errorf("a buffer has %d bytes, want %d to %d", size, least, most)
	}
	return nil
}

// checkFrame returns an error unless what is compressed is, of Zstandard, one frame that needs little memory. LZ4 never
// needs much.
func (c *batchCheck) checkFrame(stored []byte) error {
	if c.codec != codecZstd {
		return nil
	}
	var frame zstd.Header
	if err := frame.Decode(stored); err != nil {
		return err
	}
	window := frame.WindowSize
	if frame.SingleSegment {
		window = frame.FrameContentSize
	}
	if frame.Skippable || window > maxWindow {
		return fmt.Errorf("it is compressed with a window of %d bytes, want at most %d", window, maxWindow)
	}
	rest := stored[frame.HeaderSize:]
	for last := false; !last; {
		if len(rest) < 3 {
			return errors.New("what is compressed is cut")
		}
		block := int(rest[0]) | int(rest[1])<<8 | int(rest[2])<<16
		size := block >> 3
		if block>>1&3 == 1 { // one byte, repeated
			size = 1
		}
		if last = block&1 == 1; size > len(rest)-3 {
			return errors.New("what is compressed is cut")
		}
		rest = rest[3+size:]
	}
	sum := 0
	if frame.HasCheckSum {
		sum = 4
	}
	if len(rest) != sum {
		return fmt.Errorf("%d bytes follow what is compressed, want %d", len(rest), sum)
	}
	return nil
}

// checkStrings returns an error unless the strings in an array are parts of its bytes, one after the other.
func checkStrings(data arrow.ArrayData) error {
	for _, child := range data.Children() {
		if err := checkStrings(child); err != nil {
			return err
		}
	}
	if id := data.DataType().ID(); id != arrow.BINARY && id != arrow.STRING {
		return nil
	}
	bytes, last := 0, int32(0)
	if b := data.Buffers()[2]; b != nil {
		bytes = b.Len()
	}
	for _, offset := range arrow.Int32Traits.CastFromBytes(data.Buffers()[1].Bytes())[:data.Len()+1] {
		if offset < last || int(offset) > bytes {
			return fmt.Errorf("a string of %v begins at %d, want %d to %d", data.DataType(), offset, last, bytes)
		}
		last = offset
	}
	return nil
}

// checkValues returns an error unless the strings of a record can be read.
func checkValues(record arrow.Record) error {
	for i, column := range record.Columns() {
		if err := checkStrings(column.Data()); err != nil {
			return fmt.Errorf("column %q: %w", record.ColumnName(i), err)
		}
	}
	return nil
}
