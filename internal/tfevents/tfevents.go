// Package tfevents writes scalars as an event file for TensorBoard.
//
// An event file is a sequence of records: the length of the data (uint64), the masked
// CRC-32C of these 8 bytes (uint32), the data, and their masked CRC-32C (uint32), all
// little-endian. The data are protocol buffer messages of type tensorflow.Event; the
// first says the version of the file. See TensorFlow's record_writer.h and event.proto.
package tfevents

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of the fields of Event, Summary and Summary.Value.
const (
	eventWallTime    = 1 // double, seconds since 1970
	eventStep        = 2 // int64
	eventFileVersion = 3 // string
	eventSummary     = 5 // Summary
	summaryValue     = 1 // repeated Value
	valueTag         = 1 // string
	valueSimple      = 2 // float
)

// Writer writes an event file. One goroutine may use it at a time.
type Writer struct {
	w      io.Writer
	record []byte
	event  []byte
}

// Create begins a file on w.
func Create(w io.Writer, now time.Time) (*Writer, error) {
	f := &Writer{w: w}
	f.begin(now)
	f.event = protowire.AppendTag(f.event, eventFileVersion, protowire.BytesType)
	f.event = protowire.AppendString(f.event, "brain.Event:2")
	return f, f.end()
}

// Continue returns a writer that appends to a file that [Create] began.
func Continue(w io.Writer) *Writer { return &Writer{w: w} }

// Write adds scalars after a number of steps: tags and values of equal length. It leaves
// out values that are NaN. All goes to the file at once.
func (f *Writer) Write(now time.Time, step int64, tags []string, values []float64) error {
	var summary, value []byte
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		value = protowire.AppendTag(value[:0], valueTag, protowire.BytesType)
		value = protowire.AppendString(value, tags[i])
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(v)))
		summary = protowire.AppendTag(summary, summaryValue, protowire.BytesType)
		summary = protowire.AppendBytes(summary, value)
	}
	f.begin(now)
	f.event = protowire.AppendTag(f.event, eventStep, protowire.VarintType)
	f.event = protowire.AppendVarint(f.event, uint64(step))
	f.event = protowire.AppendTag(f.event, eventSummary, protowire.BytesType)
	f.event = protowire.AppendBytes(f.event, summary)
	return f.end()
}

// begin begins an event.
func (f *Writer) begin(now time.Time) {
	f.event = protowire.AppendTag(f.event[:0], eventWallTime, protowire.Fixed64Type)
	f.event = protowire.AppendFixed64(f.event, math.Float64bits(float64(now.UnixMicro())/1e6))
}

// end writes the event as a record.
func (f *Writer) end() error {
	f.record = binary.LittleEndian.AppendUint64(f.record[:0], uint64(len(f.event)))
	f.record = binary.LittleEndian.AppendUint32(f.record, masked(f.record))
	f.record = append(f.record, f.event...)
	f.record = binary.LittleEndian.AppendUint32(f.record, masked(f.event))
	_, err := f.w.Write(f.record)
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum as records store it: rotated and shifted, so that it is not the
// checksum of data that contain checksums themselves.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}
