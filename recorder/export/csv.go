package export

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

var _ = register("csv", "CSV: a file per table, lists as columns name[0], name[1], …", (*job).writeCSV)

// writeCSV writes TABLE.csv for every table, by RFC 4180: a header, and lines that end in CR LF. A list becomes a column per
// value, name[0], name[1], …; a null an empty field. Numbers are the shortest that read back as the same bits.
func (j *job) writeCSV() error {
	return j.writeTables(func(t *format.Table, l *format.Layout) (tableWriter, error) {
		f, err := j.open(t.Name + ".csv")
		if err != nil {
			return nil, err
		}
		var names []string
		for _, c := range t.Columns {
			if c.Len == 0 {
				names = append(names, c.Name)
			}
			for k := range c.Len {
				names = append(names, fmt.Sprintf("%s[%d]", c.Name, k))
			}
		}
		header := csv.NewWriter(f)
		header.UseCRLF = true
		header.Write(names)
		header.Flush()
		return &csvTable{file: f, layout: l}, header.Error()
	})
}

// csvTable writes the rows of one table as lines of numbers, which need no quotes.
type csvTable struct {
	file   *file
	layout *format.Layout
	line   []byte
}

func (w *csvTable) write(rows []byte) error {
	for ; len(rows) > 0; rows = rows[w.layout.Stride:] {
		row := rows[:w.layout.Stride]
		for i := range w.layout.Table.Columns {
			kind := w.layout.Table.Columns[i].Kind
			null, values := w.layout.IsNull(row, i), w.layout.Bytes(row, i)
			for k := range w.layout.Values(i) {
				if i+k > 0 {
					w.line = append(w.line, ',')
				}
				if !null {
					w.line = appendNumber(w.line, kind, values[k*kind.Size():])
				}
			}
		}
		if err := w.endLine(); err != nil {
			return err
		}
	}
	return nil
}

func (w *csvTable) endLine() error {
	w.line = append(w.line, '\r', '\n')
	_, err := w.file.Write(w.line)
	w.line = w.line[:0]
	return err
}

func (w *csvTable) close() error { return w.file.Close() }

// appendNumber appends the value at the beginning of b as text.
func appendNumber(line []byte, kind format.Kind, b []byte) []byte {
	switch kind {
	case format.Int64:
		return strconv.AppendInt(line, int64(binary.NativeEndian.Uint64(b)), 10)
	case format.Int32:
		return strconv.AppendInt(line, int64(int32(binary.NativeEndian.Uint32(b))), 10)
	case format.Float64:
		return appendFloat(line, math.Float64frombits(binary.NativeEndian.Uint64(b)), 64)
	case format.Float32:
		return appendFloat(line, float64(math.Float32frombits(binary.NativeEndian.Uint32(b))), 32)
	default:
		return strconv.AppendBool(line, b[0] != 0)
	}
}

// appendFloat appends the shortest text that reads back as v. NaN, inf and -inf are spelled as most readers expect.
func appendFloat(line []byte, v float64, bits int) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(line, "inf"...)
	case math.IsInf(v, -1):
		return append(line, "-inf"...)
	}
	return strconv.AppendFloat(line, v, 'g', -1, bits)
}
