package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

var _ = register("mcap", "MCAP: a file per episode with a channel of JSON messages per table", (*job).writeMCAP)

// writeMCAP writes episode-NNNNNN.mcap for every episode, with times since the episode began. Every table becomes a channel /TABLE of
// JSON messages, one per row, whose log and publish times are the row's t_ns. The row of the table episodes is a message at the
// episode's end. Chunks and files have checksums and an index.
func (j *job) writeMCAP() error {
	var tables []*format.Table
	var channels []mcapChannel
	for _, t := range j.tables {
		l, time := format.NewLayout(t), "t_ns"
		if t.Name == format.EpisodesTable {
			time = "length_ns"
		}
		c := mcapChannel{table: t, layout: l, at: l.Column(time), schema: mcapSchema(t), keys: jsonKeys(t)}
		if c.at < 0 {
			return fmt.Errorf("mcap: table %q has no column %q", t.Name, time)
		}
		tables, channels = append(tables, t), append(channels, c)
	}
	if err := j.expect(tables...); err != nil {
		return err
	}
	// One for all files, since it is large.
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	w := &mcapWriter{compressor: mcap.NewCustomCompressor(mcap.CompressionZSTD, encoder)}
	return j.eachEpisode(tables, func(e *episode) error { return w.write(j, e, channels) })
}

// mcapChannel is a table as a channel.
type mcapChannel struct {
	table  *format.Table
	layout *format.Layout
	at     int // column of the log time
	schema []byte
	keys   [][]byte // of a message, by column: its name, quoted, and a colon
}

// jsonKeys returns the keys of a table's messages.
func jsonKeys(t *format.Table) (keys [][]byte) {
	for _, c := range t.Columns {
		name, err := json.Marshal(c.Name)
		if err != nil {
			panic(err) // a string
		}
		keys = append(keys, append(name, ':'))
	}
	return keys
}

// mcapSchema returns the JSON schema of a table's messages.
func mcapSchema(t *format.Table) []byte {
	properties := map[string]any{}
	for _, c := range t.Columns {
		value := map[string]any{"type": jsonType(c.Kind)}
		if c.Len > 0 {
			value = map[string]any{"type": "array", "items": value, "minItems": c.Len, "maxItems": c.Len}
		}
		about := c.Description
		if c.Unit != "" {
			about += " (" + c.Unit + ")"
		}
		if about != "" {
			value["description"] = about
		}
		properties[c.Name] = value
	}
	text, err := json.Marshal(map[string]any{
		"title": t.Name, "description": t.Description, "type": "object", "properties": properties,
	})
	if err != nil {
		panic(err) // maps of strings
	}
	return text
}

func jsonType(kind format.Kind) any {
	switch kind {
	case format.Int64, format.Int32:
		return []string{"integer", "null"}
	case format.Bool:
		return []string{"boolean", "null"}
	default:
		return []string{"number", "string", "null"} // NaN, Infinity and -Infinity, which JSON does not have, are strings
	}
}

// mcapWriter writes one file after another.
type mcapWriter struct {
	compressor mcap.CustomCompressor
	message    []byte
}

func (w *mcapWriter) write(j *job, e *episode, channels []mcapChannel) error {
	if !e.hasRows() {
		return j.leaveOut(noRows)
	}
	f, err := j.open(fmt.Sprintf("episode-%06d.mcap", e.number))
	if err != nil {
		return err
	}
	out, err := mcap.NewWriter(f, &mcap.WriterOptions{
		IncludeCRC: true, Chunked: true, ChunkSize: chunkBytes, Compressor: w.compressor,
	})
	if err == nil {
		err = w.fill(out, j, e, channels)
	}
	if err == nil {
		err = out.Close()
	}
	return errors.Join(err, f.Close())
}

func (w *mcapWriter) fill(out *mcap.Writer, j *job, e *episode, channels []mcapChannel) error {
	if err := out.WriteHeader(&mcap.Header{Library: "polyrhythm"}); err != nil {
		return err
	}
	world, _ := e.int("world")
	if err := out.WriteMetadata(&mcap.Metadata{Name: "polyrhythm", Metadata: map[string]string{
		"task":     j.d.Metadata.Task,
		"seed":     strconv.FormatUint(j.d.Metadata.Seed, 10),
		"episode":  strconv.FormatInt(e.number, 10),
		"world":    strconv.FormatInt(world, 10),
		"complete": strconv.FormatBool(e.complete()),
	}}); err != nil {
		return err
	}
	for i := range channels {
		c := &channels[i]
		id := uint16(i + 1)
		if err := out.WriteSchema(&mcap.Schema{ID: id, Name: c.table.Name, Encoding: "jsonschema", Data: c.schema}); err != nil {
			return err
		}
		if err := out.WriteChannel(&mcap.Channel{ID: id, SchemaID: id, Topic: "/" + c.table.Name, MessageEncoding: "json"}); err != nil {
			return err
		}
		if err := w.messages(out, id, e, i, c); err != nil {
			return err
		}
	}
	return nil
}

// messages writes the episode's rows of one table.
func (w *mcapWriter) messages(out *mcap.Writer, channel uint16, e *episode, table int, c *mcapChannel) error {
	for sequence := uint32(0); ; {
		rows, err := e.rows(table)
		if err != nil || len(rows) == 0 {
			return err
		}
		for ; len(rows) > 0; rows = rows[c.layout.Stride:] {
			row := rows[:c.layout.Stride]
			at := uint64(c.layout.Int(row, c.at))
			w.message = appendJSON(w.message[:0], c.layout, c.keys, row)
			err := out.WriteMessage(&mcap.Message{ChannelID: channel, Sequence: sequence, LogTime: at, PublishTime: at, Data: w.message})
			if err != nil {
				return err
			}
			sequence++
		}
	}
}

// appendJSON appends a row as a JSON object with these keys. Floats are the shortest that read back as the same bits.
func appendJSON(dst []byte, l *format.Layout, keys [][]byte, row []byte) []byte {
	for i := range l.Table.Columns {
		if i == 0 {
			dst = append(dst, '{')
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, keys[i]...)
		if l.IsNull(row, i) {
			dst = append(dst, "null"...)
			continue
		}
		if l.Table.Columns[i].Len == 0 {
			dst = appendJSONValue(dst, l, row, i, 0)
			continue
		}
		for k := range l.Values(i) {
			if k == 0 {
				dst = append(dst, '[')
			} else {
				dst = append(dst, ',')
			}
			dst = appendJSONValue(dst, l, row, i, k)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendJSONValue appends value k of a column. Floats have a point or an exponent, so that no reader takes them for integers, which
// have no −0.
func appendJSONValue(dst []byte, l *format.Layout, row []byte, column, k int) []byte {
	kind := l.Table.Columns[column].Kind
	value := l.Bytes(row, column)[k*kind.Size():]
	if kind != format.Float64 && kind != format.Float32 {
		return appendNumber(dst, kind, value)
	}
	switch v := l.Float(row, column, k); {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	}
	from := len(dst)
	dst = appendNumber(dst, kind, value)
	if bytes.ContainsAny(dst[from:], ".e") {
		return dst
	}
	return append(dst, ".0"...)
}
