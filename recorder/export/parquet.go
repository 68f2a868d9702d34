package export

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// writeParquet writes TABLE.parquet for every table. The file contains the Arrow schema with its metadata, in which
// readers that know Arrow find units, sources, polyrhythm.json and the lengths of lists.
func (j *job) writeParquet() error {
	return j.writeTables(func(t *format.Table, l *format.Layout) (tableWriter, error) {
		s, err := j.d.Schema(t.Name)
		if err != nil {
			return nil, err
		}
		return j.openParquet(t.Name+".parquet", l.Storage(), nil, arrowKey, encodeSchema(s))
	})
}

// rowGroupBytes is the approximate size of the rows of a row group.
const rowGroupBytes = 32 << 20

// text is a column of texts.
type text struct {
	name string
	list bool // a value of a row is a list of texts
}

// parquetFile writes rows of a layout, and texts after their columns.
type parquetFile struct {
	file   *file
	writer *pqfile.Writer
	layout *format.Layout
	texts  []text
	rows   []byte // rows of the row group that is being filled

	words [][][]string // values by text and row of the group

	// Scratch for a column: definition and repetition levels, and the bytes of the values that are not null.
	def, rep []int16
	data     []byte
}

// arrowKey is the key of a file's metadata for the Arrow schema of its columns.
const arrowKey = "ARROW:schema"

// openParquet begins a file with one entry in its metadata.
func (j *job) openParquet(path string, l *format.Layout, texts []text, key, value string) (*parquetFile, error) {
	meta := metadata.NewKeyValueMetadata()
	if err := meta.Append(key, value); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := j.open(path)
	if err != nil {
		return nil, err
	}
	// Dictionaries gain nothing for measured values, and compression does as well for the others.
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy),
		parquet.WithDictionaryDefault(false))
	return &parquetFile{
		file: f, layout: l, texts: texts, words: make([][][]string, len(texts)),
		writer: pqfile.NewParquetWriter(f.Writer, parquetSchema(l, texts), pqfile.WithWriterProps(properties),
			pqfile.WithWriteMetadata(meta)),
	}, nil
}

// encodeSchema returns an Arrow schema as Parquet files hold it.
func encodeSchema(s *arrow.Schema) string {
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(s)).Close(); err != nil {
		panic(err) // memory takes all bytes, and our schemas can be written
	}
	return base64.StdEncoding.EncodeToString(stream.Bytes())
}

var parquetTypes = [...]struct {
	logical  schema.LogicalType
	physical parquet.Type
}{
	format.Int64:   {schema.NewIntLogicalType(64, true), parquet.Types.Int64},
	format.Int32:   {schema.NewIntLogicalType(32, true), parquet.Types.Int32},
	format.Float64: {schema.NoLogicalType{}, parquet.Types.Double},
	format.Float32: {schema.NoLogicalType{}, parquet.Types.Float},
	format.Bool:    {schema.NoLogicalType{}, parquet.Types.Boolean},
}

// parquetSchema has a field for each column, which may be null; lists have the standard's three levels.
func parquetSchema(l *format.Layout, texts []text) *schema.GroupNode {
	var fields schema.FieldList
	add := func(name string, logical schema.LogicalType, physical parquet.Type, list bool) {
		var node schema.Node = schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Optional,
			logical, physical, 0, -1))
		if list {
			node = schema.MustGroup(schema.ListOf(node, parquet.Repetitions.Optional, -1))
		}
		fields = append(fields, node)
	}
	for _, c := range l.Columns {
		if c.Width > 0 { // as Hugging Face's feature Image
			bytes := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("bytes", parquet.Repetitions.Optional,
				schema.NoLogicalType{}, parquet.Types.ByteArray, 0, -1))
			path := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("path", parquet.Repetitions.Optional,
				schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1))
			fields = append(fields, schema.MustGroup(schema.NewGroupNode(c.Name, parquet.Repetitions.Optional,
				schema.FieldList{bytes, path}, -1)))
			continue
		}
		add(c.Name, parquetTypes[c.Kind].logical, parquetTypes[c.Kind].physical, c.Len > 0)
	}
	for _, t := range texts {
		add(t.name, schema.StringLogicalType{}, parquet.Types.ByteArray, t.list)
	}
	return schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1))
}

// writeWith writes a row with the values of the file's text.
func (p *parquetFile) writeWith(row []byte, words ...string) error {
	p.words[0] = append(p.words[0], words)
	return p.write(row)
}

// write writes rows of a file without texts.
func (p *parquetFile) write(rows []byte) error {
	p.rows = append(p.rows, rows...)
	if len(p.rows) < rowGroupBytes {
		return nil
	}
	return p.flush()
}

// size returns the approximate size of the file so far.
func (p *parquetFile) size() int64 { return p.file.size + int64(len(p.rows)) }

func (p *parquetFile) close() error {
	var err error
	if len(p.rows) > 0 {
		err = p.flush()
	}
	if err == nil {
		err = p.writer.Close()
	}
	return errors.Join(err, p.file.Close())
}

// flush writes a row group.
func (p *parquetFile) flush() error {
	group := p.writer.AppendRowGroup()
	for i := range len(p.layout.Columns) + len(p.texts) {
		write := []func(pqfile.ColumnChunkWriter, int) error{p.writeColumn}
		if i < len(p.layout.Columns) && p.layout.Columns[i].Width > 0 {
			write = []func(pqfile.ColumnChunkWriter, int) error{p.writePictures, p.writePaths}
		}
		for _, write := range write {
			writer, err := group.NextColumn()
			if err != nil {
				return err
			}
			if err := errors.Join(write(writer, i), writer.Close()); err != nil {
				return err
			}
		}
	}
	p.rows = p.rows[:0]
	for i := range p.words {
		p.words[i] = p.words[i][:0]
	}
	return group.Close()
}

// Definition levels: how much of the path to a value is defined.
const (
	noColumn   = 0
	scalarHere = 1
	valueHere  = 3 // definition level of an element of a list in a column
)

// writePictures writes the PNG files of a column of pictures.
func (p *parquetFile) writePictures(writer pqfile.ColumnChunkWriter, column int) error {
	var files []parquet.ByteArray
	p.def = p.def[:0]
	for rows := p.rows; len(rows) > 0; rows = rows[p.layout.Stride:] {
		if p.layout.IsNull(rows, column) {
			p.def = append(p.def, noColumn)
			continue
		}
		files, p.def = append(files, p.layout.PNG(rows, column)), append(p.def, scalarHere+1)
	}
	_, err := writer.(*pqfile.ByteArrayColumnChunkWriter).WriteBatch(files, p.def, nil)
	return err
}

// writePaths writes that none of the pictures of a column has a path.
func (p *parquetFile) writePaths(writer pqfile.ColumnChunkWriter, column int) error {
	p.def = p.def[:0]
	for rows := p.rows; len(rows) > 0; rows = rows[p.layout.Stride:] {
		if p.layout.IsNull(rows, column) {
			p.def = append(p.def, noColumn)
		} else {
			p.def = append(p.def, scalarHere)
		}
	}
	_, err := writer.(*pqfile.ByteArrayColumnChunkWriter).WriteBatch(nil, p.def, nil)
	return err
}

// gather sets the scratch for a column; that of a text gets no data.
func (p *parquetFile) gather(column int) {
	p.def, p.rep, p.data = p.def[:0], p.rep[:0], p.data[:0]
	inLayout, list, values := column < len(p.layout.Columns), false, 1
	if inLayout {
		list, values = p.layout.Columns[column].Len > 0, p.layout.Values(column)
	} else {
		list = p.texts[column-len(p.layout.Columns)].list
	}
	level := int16(scalarHere)
	if list {
		level = valueHere
	}
	for rows, row := p.rows, 0; len(rows) > 0; rows, row = rows[p.layout.Stride:], row+1 {
		if inLayout && p.layout.IsNull(rows, column) {
			p.def, p.rep = append(p.def, noColumn), append(p.rep, 0)
			continue
		}
		if inLayout {
			p.data = append(p.data, p.layout.Bytes(rows, column)...)
		} else {
			values = len(p.words[column-len(p.layout.Columns)][row])
		}
		for k := range values {
			p.def, p.rep = append(p.def, level), append(p.rep, int16(min(k, 1)))
		}
	}
	if !list {
		p.rep = nil
	}
}

func (p *parquetFile) writeColumn(writer pqfile.ColumnChunkWriter, column int) (err error) {
	p.gather(column)
	switch writer := writer.(type) {
	case *pqfile.Int64ColumnChunkWriter:
		_, err = writer.WriteBatch(arrow.Int64Traits.CastFromBytes(p.data), p.def, p.rep)
	case *pqfile.Int32ColumnChunkWriter:
		_, err = writer.WriteBatch(arrow.Int32Traits.CastFromBytes(p.data), p.def, p.rep)
	case *pqfile.Float64ColumnChunkWriter:
		_, err = writer.WriteBatch(arrow.Float64Traits.CastFromBytes(p.data), p.def, p.rep)
	case *pqfile.Float32ColumnChunkWriter:
		_, err = writer.WriteBatch(arrow.Float32Traits.CastFromBytes(p.data), p.def, p.rep)
	case *pqfile.BooleanColumnChunkWriter:
		bools := make([]bool, len(p.data))
		for i, b := range p.data {
			bools[i] = b != 0
		}
		_, err = writer.WriteBatch(bools, p.def, p.rep)
	case *pqfile.ByteArrayColumnChunkWriter:
		var values []parquet.ByteArray
		for _, row := range p.words[column-len(p.layout.Columns)] {
			for _, value := range row {
				values = append(values, parquet.ByteArray(value))
			}
		}
		_, err = writer.WriteBatch(values, p.def, p.rep)
	}
	return err
}
