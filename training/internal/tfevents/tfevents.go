// Package tfevents writes scalars and pictures as an event file for TensorBoard.
//
// An event file is a sequence of records: the length of the data (uint64), the masked CRC-32C of these 8 bytes
// (uint32), the data, and their masked CRC-32C (uint32), all little-endian. The data are protocol buffer messages of
// type tensorflow.Event; the first says the version of the file. See TensorFlow's record_writer.h and event.proto.
package tfevents

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of the fields of Event, Summary, Summary.Value and Summary.Image.
const (
	eventWallTime    = 1 // double, seconds since 1970
	eventStep        = 2 // int64
	eventFileVersion = 3 // string
	eventSummary     = 5 // Summary
	summaryValue     = 1 // repeated Value
	valueTag         = 1 // string
	valueSimple      = 2 // float
	valueImage       = 4 // Image
	imageHeight      = 1 // int32
	imageWidth       = 2 // int32
	imageColorspace  = 3 // int32, 3 for RGB
	imageEncoded     = 4 // bytes
)

// Writer writes an event file. One goroutine may use it at a time.
type Writer struct{ w io.Writer }

// Create begins a file on w.
func Create(w io.Writer, now time.Time) (*Writer, error) {
	f := &Writer{w}
	version := protowire.AppendTag(nil, eventFileVersion, protowire.BytesType)
	return f, f.write(now, protowire.AppendString(version, "brain.Event:2"))
}

// Continue returns a writer that appends to a file that [Create] began.
func Continue(w io.Writer) *Writer { return &Writer{w} }

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
	return f.writeSummary(now, step, summary)
}

// WriteImage adds a picture, encoded as PNG, JPEG or GIF, which TensorBoard also shows animated, after a number of
// steps.
func (f *Writer) WriteImage(now time.Time, step int64, tag string, width, height int, encoded []byte) error {
	var image []byte
	for _, field := range [][2]int{{imageHeight, height}, {imageWidth, width}, {imageColorspace, 3}} {
		image = protowire.AppendTag(image, protowire.Number(field[0]), protowire.VarintType)
		image = protowire.AppendVarint(image, uint64(field[1]))
	}
	image = protowire.AppendTag(image, imageEncoded, protowire.BytesType)
	image = protowire.AppendBytes(image, encoded)
	value := protowire.AppendTag(nil, valueTag, protowire.BytesType)
	value = protowire.AppendString(value, tag)
	value = protowire.AppendTag(value, valueImage, protowire.BytesType)
	value = protowire.AppendBytes(value, image)
	summary := protowire.AppendTag(nil, summaryValue, protowire.BytesType)
	return f.writeSummary(now, step, protowire.AppendBytes(summary, value))
}

func (f *Writer) writeSummary(now time.Time, step int64, summary []byte) error {
	fields := protowire.AppendTag(nil, eventStep, protowire.VarintType)
	fields = protowire.AppendVarint(fields, uint64(step))
	fields = protowire.AppendTag(fields, eventSummary, protowire.BytesType)
	return f.write(now, protowire.AppendBytes(fields, summary))
}

// write writes an event with more fields than the time as a record.
func (f *Writer) write(now time.Time, fields []byte) error {
	event := protowire.AppendTag(nil, eventWallTime, protowire.Fixed64Type)
	event = protowire.AppendFixed64(event, math.Float64bits(float64(now.UnixMicro())/1e6))
	event = append(event, fields...)
	record := binary.LittleEndian.AppendUint64(nil, uint64(len(event)))
	record = binary.LittleEndian.AppendUint32(record, masked(record))
	record = append(record, event...)
	_, err := f.w.Write(binary.LittleEndian.AppendUint32(record, masked(event)))
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum as records store it: rotated and shifted, so that it is not the
// checksum of data that contain checksums themselves.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}
