package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// writeMCAP writes episode-NNNNNN.mcap for every episode, with times since the episode began. Every table becomes a
// channel /TABLE of JSON messages, one per row, whose log and publish times are the row's t_ns, and each column of
// pictures and each camera one more. The row of the table
// episodes is a message at the episode's end. Chunks and files have checksums and an index.
func (j *job) writeMCAP() error {
	w := &mcapWriter{job: j}
	pictures := 0
	for _, t := range j.tables {
		c := mcapChannel{layout: format.NewLayout(t), schema: mcapSchema(t)}
		time := "t_ns"
		if t.Name == format.EpisodesTable {
			time = "length_ns"
		}
		if err := findColumns(c.layout, map[string]*int{time: &c.timeColumn}); err != nil {
			return fmt.Errorf("mcap: %w", err)
		}
		for i, column := range t.Columns {
			if column.Width > 0 {
				c.pictures = append(c.pictures, i)
				c.keys = append(c.keys, nil)
				continue
			}
			c.keys = append(c.keys, fmt.Appendf(nil, "%c%s:", "{,"[min(i, 1)], toJSON(column.Name)))
		}
		c.first, pictures = pictures, pictures+len(c.pictures)
		c.cameras = camerasOf(t)
		w.channels = append(w.channels, c)
	}
	w.pictures = pictures
	// One for all files, since it is large.
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	w.compressor = mcap.NewCustomCompressor(mcap.CompressionZSTD, encoder)
	return j.eachEpisode(j.tables, w.write)
}

type mcapChannel struct {
	layout     *format.Layout
	timeColumn int // number of the column of the log time
	schema     []byte
	keys       [][]byte // by column: what stands before the value in a message; nil for pictures

	pictures []int // columns that have channels of their own
	first    int   // number of channels of the tables before
	cameras  []mcapCamera
}

func mcapSchema(t *format.Table) []byte {
	properties := map[string]any{}
	for _, c := range t.Columns {
		if c.Width > 0 {
			continue
		}
		value := map[string]any{"type": []string{"number", "string", "null"}} // NaN and infinities are strings
		switch c.Kind {
		case format.Int64, format.Int32:
			value["type"] = []string{"integer", "null"}
		case format.Bool:
			value["type"] = []string{"boolean", "null"}
		}
		if c.Len > 0 {
			value = map[string]any{"type": "array", "items": value, "minItems": c.Len, "maxItems": c.Len}
		}
		description := c.Description
		if c.Unit != "" {
			description += " (" + c.Unit + ")"
		}
		if description != "" {
			value["description"] = description
		}
		properties[c.Name] = value
	}
	return toJSON(map[string]any{
		"title": t.Name, "description": t.Description, "type": "object", "properties": properties,
	})
}

// toJSON returns the JSON of strings and maps of them.
func toJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

type mcapWriter struct {
	job        *job
	channels   []mcapChannel
	pictures   int // number of channels of pictures
	compressor mcap.CustomCompressor
	message    []byte
}

func (w *mcapWriter) write(e *episode) error {
	if !e.hasRows() {
		return w.job.leaveOut(noRows)
	}
	f, err := w.job.open(fmt.Sprintf("episode-%06d.mcap", e.number))
	if err != nil {
		return err
	}
	out, err := mcap.NewWriter(f, &mcap.WriterOptions{
		IncludeCRC: true, Chunked: true, ChunkSize: chunkBytes, Compressor: w.compressor,
	})
	if err == nil {
		err = w.fill(out, e)
	}
	if err == nil {
		err = out.Close()
	}
	return errors.Join(err, f.Close())
}

func (w *mcapWriter) fill(out *mcap.Writer, e *episode) error {
	if err := out.WriteHeader(&mcap.Header{Library: "polyrhythm"}); err != nil {
		return err
	}
	world, _ := e.int("world")
	metadata := map[string]string{
		"task":     w.job.d.Metadata.Task,
		"seed":     strconv.FormatUint(w.job.d.Metadata.Seed, 10),
		"episode":  strconv.FormatInt(e.number, 10),
		"world":    strconv.FormatInt(world, 10),
		"complete": strconv.FormatBool(e.complete()),
		"label":    w.job.labels.Task(e.number, 0),
	}
	if success := e.success(); success != nil {
		metadata["success"] = strconv.FormatBool(*success)
	}
	if err := out.WriteMetadata(&mcap.Metadata{Name: "polyrhythm", Metadata: metadata}); err != nil {
		return err
	}
	if err := w.writePictureChannels(out); err != nil {
		return err
	}
	if err := w.writeCameraChannels(out, uint16(len(w.channels)+w.pictures)); err != nil {
		return err
	}
	for i, c := range w.channels {
		id := uint16(i + 1)
		if err := out.WriteSchema(&mcap.Schema{ID: id, Name: c.layout.Name, Encoding: "jsonschema",
			Data: c.schema}); err != nil {
			return err
		}
		if err := out.WriteChannel(&mcap.Channel{ID: id, SchemaID: id, Topic: "/" + c.layout.Name,
			MessageEncoding: "json"}); err != nil {
			return err
		}
		m := mcap.Message{ChannelID: id}
		if err := e.eachRow(i, func(row []byte) error {
			w.message = appendJSON(w.message[:0], c.layout, c.keys, row)
			m.LogTime, m.Data = uint64(c.layout.Int(row, c.timeColumn)), w.message
			m.PublishTime = m.LogTime
			err := out.WriteMessage(&m)
			for k := range c.pictures {
				err = cmp.Or(err, w.picture(out, &c, k, row, &m))
			}
			for k := range c.cameras {
				err = cmp.Or(err, w.camera(out, &c, &c.cameras[k], row, &m))
			}
			m.Sequence++
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// compressedImage is Foxglove's schema of the same name, in JSON.
const compressedImage = `{"title": "foxglove.CompressedImage", "type": "object", "properties": {"timestamp": ` +
	schemaTime + `, "frame_id": {"type": "string"}, ` +
	`"data": {"type": "string", "contentEncoding": "base64"}, "format": {"type": "string"}}}`

// writePictureChannels writes a channel /TABLE/COLUMN for each column of pictures, of Foxglove's CompressedImage.
func (w *mcapWriter) writePictureChannels(out *mcap.Writer) error {
	schema := uint16(len(w.channels) + 1)
	for i := range w.channels {
		c := &w.channels[i]
		for k, column := range c.pictures {
			if c.first == 0 && k == 0 {
				if err := out.WriteSchema(&mcap.Schema{ID: schema, Name: "foxglove.CompressedImage",
					Encoding: "jsonschema", Data: []byte(compressedImage)}); err != nil {
					return err
				}
			}
			channel := mcap.Channel{ID: w.pictureID(c, k), SchemaID: schema, MessageEncoding: "json",
				Topic: "/" + c.layout.Name + "/" + c.layout.Columns[column].Name}
			if segments := c.layout.Columns[column].Segments; segments != nil {
				channel.Metadata = map[string]string{"segments": string(toJSON(segments))}
			}
			if err := out.WriteChannel(&channel); err != nil {
				return err
			}
		}
	}
	return nil
}

// pictureID is the number of the channel of column k of pictures.
func (w *mcapWriter) pictureID(c *mcapChannel, k int) uint16 {
	return uint16(len(w.channels) + 1 + c.first + k)
}

// picture writes picture k of a row, whose timestamp is the picture's own.
func (w *mcapWriter) picture(out *mcap.Writer, c *mcapChannel, k int, row []byte, message *mcap.Message) error {
	column := c.pictures[k]
	ns, ok := c.stamp(row, column, c.layout.Column(c.layout.Columns[column].Name+"_stamp_ns"))
	if !ok {
		return nil
	}
	m := mcap.Message{
		ChannelID: w.pictureID(c, k), Sequence: message.Sequence, LogTime: message.LogTime,
		PublishTime: message.PublishTime,
	}
	m.Data = toJSON(map[string]any{
		"timestamp": timeOf(ns), "frame_id": frameOf(&c.layout.Columns[column]),
		"data": c.layout.PNG(row, column), "format": "png",
	})
	return out.WriteMessage(&m)
}

// appendJSON appends a row as a JSON object with these keys. Floats are the shortest that read back as the same bits.
func appendJSON(dst []byte, l *format.Layout, keys [][]byte, row []byte) []byte {
	for i := range l.Columns {
		if keys[i] == nil {
			continue
		}
		dst = append(dst, keys[i]...)
		if l.IsNull(row, i) {
			dst = append(dst, "null"...)
			continue
		}
		list := l.Columns[i].Len > 0
		if list {
			dst = append(dst, '[')
		}
		for k := range l.Values(i) {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONValue(dst, l, row, i, k)
		}
		if list {
			dst = append(dst, ']')
		}
	}
	return append(dst, '}')
}

// jsonNames are strings for numbers that JSON does not have.
var jsonNames = map[string]string{"NaN": `"NaN"`, "inf": `"Infinity"`, "-inf": `"-Infinity"`}

// appendJSONValue appends value k of a column. Floats have a point or an exponent: integers have no −0.
func appendJSONValue(dst []byte, l *format.Layout, row []byte, column, k int) []byte {
	start, kind := len(dst), l.Columns[column].Kind
	dst = appendNumber(dst, l, row, column, k)
	if kind != format.Float64 && kind != format.Float32 || bytes.ContainsAny(dst[start:], ".e") {
		return dst
	}
	if name, ok := jsonNames[string(dst[start:])]; ok {
		return append(dst[:start], name...)
	}
	return append(dst, ".0"...)
}
