package export

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

// layout says how a row of a table stands in bytes, which is how rows are sorted, put aside and handed to the formats: a
// bit mask of the columns that are not null, padded to eight bytes, then the values of each column in the machine's byte
// order, a byte for a bool. The values of a null are zeros.
type layout struct {
	columns []recorder.Column
	cells   []cell // by column
	stride  int    // bytes of a row
}

// cell is the place of a column in a row.
type cell struct {
	kind     recorder.Kind
	at, size int // byte of the row; bytes of one value
	n        int // values
}

func newLayout(columns []recorder.Column) *layout {
	l := &layout{columns: columns, stride: ((len(columns)+7)/8 + 7) &^ 7}
	for i := range columns {
		c := cell{kind: columns[i].Kind, at: l.stride, size: columns[i].Kind.Size(), n: max(1, columns[i].Len)}
		l.stride += c.size * c.n
		l.cells = append(l.cells, c)
	}
	return l
}

// column returns the place of a column, -1 if there is none of that name.
func (l *layout) column(name string) int {
	return slices.IndexFunc(l.columns, func(c recorder.Column) bool { return c.Name == name })
}

// bytes returns what a column holds in a row.
func (l *layout) bytes(row []byte, column int) []byte {
	c := &l.cells[column]
	return row[c.at:][:c.size*c.n]
}

// isNull reports whether a column is null in a row.
func (l *layout) isNull(row []byte, column int) bool { return row[column>>3]&(1<<(column&7)) == 0 }

// set marks a column as not null and returns its bytes, to be filled.
func (l *layout) set(row []byte, column int) []byte {
	row[column>>3] |= 1 << (column & 7)
	return l.bytes(row, column)
}

// int returns the first value of a column, of a float the whole part.
func (l *layout) int(row []byte, column int) int64 {
	b := l.bytes(row, column)
	switch l.cells[column].kind {
	case recorder.Int64:
		return int64(binary.NativeEndian.Uint64(b))
	case recorder.Int32:
		return int64(int32(binary.NativeEndian.Uint32(b)))
	case recorder.Bool:
		return int64(b[0])
	default:
		return int64(l.float(row, column, 0))
	}
}

// float returns value i of a column.
func (l *layout) float(row []byte, column, i int) float64 {
	c := &l.cells[column]
	b := row[c.at+i*c.size:]
	switch c.kind {
	case recorder.Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	case recorder.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	case recorder.Int64:
		return float64(int64(binary.NativeEndian.Uint64(b)))
	case recorder.Int32:
		return float64(int32(binary.NativeEndian.Uint32(b)))
	default:
		return float64(b[0])
	}
}

func putFloat64(b []byte, v float64) { binary.NativeEndian.PutUint64(b, math.Float64bits(v)) }
func putFloat32(b []byte, v float32) { binary.NativeEndian.PutUint32(b, math.Float32bits(v)) }
func putInt64(b []byte, v int64)     { binary.NativeEndian.PutUint64(b, uint64(v)) }

func putBool(b []byte, v bool) {
	b[0] = 0
	if v {
		b[0] = 1
	}
}

// filled returns a row of zeros in which no column is null.
func (l *layout) filled() []byte {
	row := make([]byte, l.stride)
	for i := range l.cells {
		l.set(row, i)
	}
	return row
}

// append adds the rows of a record with these columns to dst.
func (l *layout) append(dst []byte, record arrow.Record) []byte {
	rows, from := int(record.NumRows()), len(dst)
	dst = slices.Grow(dst, rows*l.stride)[:from+rows*l.stride]
	to := dst[from:]
	clear(to)
	for i := range l.cells {
		l.appendColumn(to, i, record.Column(i))
	}
	return dst
}

func (l *layout) appendColumn(to []byte, column int, values arrow.Array) {
	c := &l.cells[column]
	data := values.Data()
	first := data.Offset() // of the values, in values
	if len(data.Children()) > 0 {
		child := data.Children()[0]
		first = first*c.n + child.Offset()
		data = child
	}
	from := data.Buffers()[1].Bytes()
	for r := range values.Len() {
		if values.IsNull(r) {
			continue
		}
		row := to[r*l.stride:][:l.stride]
		dst := l.set(row, column)
		at := first + r*c.n
		if c.kind != recorder.Bool {
			copy(dst, from[at*c.size:])
			continue
		}
		for j := range dst {
			putBool(dst[j:], bitutil.BitIsSet(from, at+j))
		}
	}
}

// record returns rows as a record of a schema with these columns. The caller releases it.
func (l *layout) record(schema *arrow.Schema, rows []byte) arrow.Record {
	n := len(rows) / l.stride
	columns := make([]arrow.Array, len(l.cells))
	for i := range columns {
		columns[i] = l.array(schema.Field(i).Type, i, rows)
		defer columns[i].Release()
	}
	return array.NewRecord(schema, columns, int64(n))
}

func (l *layout) array(typ arrow.DataType, column int, rows []byte) arrow.Array {
	c := &l.cells[column]
	n := len(rows) / l.stride
	size := n * c.n * c.size
	if c.kind == recorder.Bool {
		size = (n*c.n + 7) / 8
	}
	values, valid, nulls := make([]byte, size), make([]byte, (n+7)/8), 0
	for r := range n {
		row := rows[r*l.stride:][:l.stride]
		if l.isNull(row, column) {
			nulls++
		} else {
			bitutil.SetBit(valid, r)
		}
		from := l.bytes(row, column)
		if c.kind != recorder.Bool {
			copy(values[r*len(from):], from)
			continue
		}
		for j, v := range from {
			if v != 0 {
				bitutil.SetBit(values, r*c.n+j)
			}
		}
	}
	validity := memory.NewBufferBytes(valid)
	if nulls == 0 {
		validity = nil
	}
	list, ok := typ.(*arrow.FixedSizeListType)
	if !ok {
		data := array.NewData(typ, n, []*memory.Buffer{validity, memory.NewBufferBytes(values)}, nil, nulls, 0)
		defer data.Release()
		return array.MakeFromData(data)
	}
	child := array.NewData(list.Elem(), n*c.n, []*memory.Buffer{nil, memory.NewBufferBytes(values)}, nil, 0, 0)
	defer child.Release()
	data := array.NewData(typ, n, []*memory.Buffer{validity}, []arrow.ArrayData{child}, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// arrowSchema describes columns in Arrow's terms.
func arrowSchema(columns []recorder.Column) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		typ := c.Kind.ArrowType()
		if c.Len > 0 {
			typ = arrow.FixedSizeListOf(int32(c.Len), typ)
		}
		fields[i] = arrow.Field{Name: c.Name, Type: typ, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}
