package export

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

var _ = register("parquet", "Parquet: a file per table", (*job).writeParquet)

// writeParquet writes TABLE.parquet for every table. The file contains the Arrow schema with its metadata, in which readers that know
// Arrow find units, sources, polyrhythm.json and the lengths of lists.
func (j *job) writeParquet() error {
	return j.writeTables(func(t *format.Table, l *format.Layout) (tableWriter, error) {
		s, err := j.d.Schema(t.Name)
		if err != nil {
			return nil, err
		}
		return j.openParquet(t.Name+".parquet", l, s, nil, nil)
	})
}

// rowGroupBytes is the approximate size of the rows of a row group.
const rowGroupBytes = 32 << 20

// text is a column that holds the same text in every row.
type text struct {
	name, value string
	list        bool // as the one element of a list
}

// parquetFile writes rows of a layout, and texts after their columns.
type parquetFile struct {
	file   *file
	writer *pqfile.Writer
	layout *format.Layout
	texts  []text
	rows   []byte // of the row group that is being filled

	def, rep []int16 // scratch
	values   parquetValues
}

// parquetValues is scratch for the values of a column.
type parquetValues struct {
	int64s   []int64
	int32s   []int32
	float64s []float64
	float32s []float32
	bools    []bool
}

// openParquet begins a file. s is the Arrow schema of the layout's columns; nil leaves it to the reader. extra is added to the
// file's metadata.
func (j *job) openParquet(path string, l *format.Layout, s *arrow.Schema, texts []text, extra map[string]string) (*parquetFile, error) {
	root, err := parquetSchema(l, texts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	meta := metadata.NewKeyValueMetadata()
	if s != nil {
		encoded, err := encodeSchema(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		err = meta.Append("ARROW:schema", encoded)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for key, value := range extra {
		if err := meta.Append(key, value); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	f, err := j.open(path)
	if err != nil {
		return nil, err
	}
	// Dictionaries gain nothing for measured values, and compression does as well for the others.
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(false))
	return &parquetFile{
		file: f, layout: l, texts: texts,
		writer: pqfile.NewParquetWriter(f.Writer, root, pqfile.WithWriterProps(properties), pqfile.WithWriteMetadata(meta)),
	}, nil
}

// encodeSchema returns an Arrow schema as Parquet files hold it.
func encodeSchema(s *arrow.Schema) (string, error) {
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(s)).Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(stream.Bytes()), nil
}

func parquetSchema(l *format.Layout, texts []text) (*schema.GroupNode, error) {
	var fields schema.FieldList
	for i := range l.Table.Columns {
		logical, physical := parquetType(l.Table.Columns[i].Kind)
		node, err := parquetNode(l.Table.Columns[i].Name, logical, physical, l.Table.Columns[i].Len > 0)
		if err != nil {
			return nil, err
		}
		fields = append(fields, node)
	}
	for _, t := range texts {
		node, err := parquetNode(t.name, schema.StringLogicalType{}, parquet.Types.ByteArray, t.list)
		if err != nil {
			return nil, err
		}
		fields = append(fields, node)
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
}

func parquetType(kind format.Kind) (schema.LogicalType, parquet.Type) {
	switch kind {
	case format.Int64:
		return schema.NewIntLogicalType(64, true), parquet.Types.Int64
	case format.Int32:
		return schema.NewIntLogicalType(32, true), parquet.Types.Int32
	case format.Float64:
		return schema.NoLogicalType{}, parquet.Types.Double
	case format.Float32:
		return schema.NoLogicalType{}, parquet.Types.Float
	default:
		return schema.NoLogicalType{}, parquet.Types.Boolean
	}
}

// parquetNode describes a column that may be null, of single values or of lists in the standard's three levels.
func parquetNode(name string, logical schema.LogicalType, physical parquet.Type, list bool) (schema.Node, error) {
	if !list {
		return schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Optional, logical, physical, 0, -1)
	}
	element, err := schema.NewPrimitiveNodeLogical("element", parquet.Repetitions.Optional, logical, physical, 0, -1)
	if err != nil {
		return nil, err
	}
	repeated, err := schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{element}, -1)
	if err != nil {
		return nil, err
	}
	return schema.NewGroupNodeLogical(name, parquet.Repetitions.Optional, schema.FieldList{repeated}, schema.NewListLogicalType(), -1)
}

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
	for i := range p.layout.Table.Columns {
		to, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := errors.Join(p.writeColumn(to, i), to.Close()); err != nil {
			return err
		}
	}
	for _, t := range p.texts {
		to, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := errors.Join(p.writeText(to.(*pqfile.ByteArrayColumnChunkWriter), t), to.Close()); err != nil {
			return err
		}
	}
	p.rows = p.rows[:0]
	return group.Close()
}

// Definition levels: how much of the path to a value is defined.
const (
	noColumn   = 0
	scalarHere = 1
	valueHere  = 3 // column, list, element
)

// levels fills def and, for lists, rep for a column.
func (p *parquetFile) levels(column int) {
	p.def, p.rep = p.def[:0], p.rep[:0]
	list := p.layout.Table.Columns[column].Len > 0
	for rows := p.rows; len(rows) > 0; rows = rows[p.layout.Stride:] {
		switch {
		case p.layout.IsNull(rows, column):
			p.def = append(p.def, noColumn)
		case !list:
			p.def = append(p.def, scalarHere)
			continue
		default:
			for k := range p.layout.Values(column) {
				p.def = append(p.def, valueHere)
				if k > 0 {
					p.rep = append(p.rep, 1)
				} else {
					p.rep = append(p.rep, 0)
				}
			}
			continue
		}
		if list {
			p.rep = append(p.rep, 0)
		}
	}
	if !list {
		p.rep = nil
	}
}

func (p *parquetFile) writeColumn(to pqfile.ColumnChunkWriter, column int) (err error) {
	p.levels(column)
	v := &p.values
	v.int64s, v.int32s, v.float64s, v.float32s, v.bools = v.int64s[:0], v.int32s[:0], v.float64s[:0], v.float32s[:0], v.bools[:0]
	kind := p.layout.Table.Columns[column].Kind
	for rows := p.rows; len(rows) > 0; rows = rows[p.layout.Stride:] {
		if p.layout.IsNull(rows, column) {
			continue
		}
		b := p.layout.Bytes(rows, column)
		for ; len(b) > 0; b = b[kind.Size():] {
			switch kind {
			case format.Int64:
				v.int64s = append(v.int64s, int64(binary.NativeEndian.Uint64(b)))
			case format.Int32:
				v.int32s = append(v.int32s, int32(binary.NativeEndian.Uint32(b)))
			case format.Float64:
				v.float64s = append(v.float64s, math.Float64frombits(binary.NativeEndian.Uint64(b)))
			case format.Float32:
				v.float32s = append(v.float32s, math.Float32frombits(binary.NativeEndian.Uint32(b)))
			default:
				v.bools = append(v.bools, b[0] != 0)
			}
		}
	}
	switch to := to.(type) {
	case *pqfile.Int64ColumnChunkWriter:
		_, err = to.WriteBatch(v.int64s, p.def, p.rep)
	case *pqfile.Int32ColumnChunkWriter:
		_, err = to.WriteBatch(v.int32s, p.def, p.rep)
	case *pqfile.Float64ColumnChunkWriter:
		_, err = to.WriteBatch(v.float64s, p.def, p.rep)
	case *pqfile.Float32ColumnChunkWriter:
		_, err = to.WriteBatch(v.float32s, p.def, p.rep)
	case *pqfile.BooleanColumnChunkWriter:
		_, err = to.WriteBatch(v.bools, p.def, p.rep)
	}
	return err
}

func (p *parquetFile) writeText(to *pqfile.ByteArrayColumnChunkWriter, t text) error {
	rows := len(p.rows) / p.layout.Stride
	values, def, rep := make([]parquet.ByteArray, rows), make([]int16, rows), []int16(nil)
	for i := range rows {
		values[i], def[i] = parquet.ByteArray(t.value), scalarHere
		if t.list {
			def[i] = valueHere
		}
	}
	if t.list {
		rep = make([]int16, rows)
	}
	_, err := to.WriteBatch(values, def, rep)
	return err
}
