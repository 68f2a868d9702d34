package export

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// writeCSV writes TABLE.csv for every table, by RFC 4180, with lines that end in CR LF. A list becomes a column per
// value, name[0], name[1], …; a null an empty field. Numbers are the shortest that read back as the same bits.
func (j *job) writeCSV() error {
	return j.writeTables(func(t *format.Table, l *format.Layout) (tableWriter, error) {
		w := &csvTable{layout: l}
		return w, w.open(j)
	})
}

// csvTable writes the rows of one table, without pictures, as lines of numbers, which need no quotes.
type csvTable struct {
	file   *file
	layout *format.Layout
	line   []byte
	frame  bool    // lines begin with the number of their row, and have no pixels
	number int64   // number of the next line
	values [][]int // numbers of the values of each column that lines have
}

// open begins the file with the names of the columns.
func (w *csvTable) open(j *job) (err error) {
	if w.file, err = j.open(w.layout.Name + ".csv"); err != nil {
		return err
	}
	var names []string
	if w.frame {
		names = []string{"frame"}
	}
	for _, c := range w.layout.Table.Columns {
		var values []int
		switch {
		case c.Width > 0:
		case c.Len == 0:
			values, names = []int{0}, append(names, c.Name)
		default:
			list := c
			if !w.frame {
				list.Pictures = nil
			}
			values = list.Rest()
			for _, k := range values {
				names = append(names, fmt.Sprintf("%s[%d]", c.Name, k))
			}
		}
		w.values = append(w.values, values)
	}
	header := csv.NewWriter(w.file)
	header.UseCRLF = true
	header.Write(names)
	header.Flush()
	return header.Error()
}

func (w *csvTable) write(rows []byte) error {
	for ; len(rows) > 0; rows = rows[w.layout.Stride:] {
		w.line = w.line[:0]
		first := true
		if w.frame {
			w.line, first = strconv.AppendInt(w.line, w.number, 10), false
		}
		for i, values := range w.values {
			null := w.layout.IsNull(rows, i)
			for _, k := range values {
				if !first {
					w.line = append(w.line, ',')
				}
				first = false
				if !null {
					w.line = appendNumber(w.line, w.layout, rows, i, k)
				}
			}
		}
		if _, err := w.file.Write(append(w.line, '\r', '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (w *csvTable) close() error { return w.file.Close() }

// appendNumber appends value k of a column: the shortest text that reads back as the same bits. NaN, inf and -inf are
// spelled as most readers expect.
func appendNumber(dst []byte, l *format.Layout, row []byte, column, k int) []byte {
	kind := l.Columns[column].Kind
	switch kind {
	case format.Int64, format.Int32, format.Bool:
		b := l.Bytes(row, column)[k*kind.Size():]
		switch kind {
		case format.Int64:
			return strconv.AppendInt(dst, int64(binary.NativeEndian.Uint64(b)), 10)
		case format.Int32:
			return strconv.AppendInt(dst, int64(int32(binary.NativeEndian.Uint32(b))), 10)
		}
		return strconv.AppendBool(dst, b[0] != 0)
	}
	switch v := l.Float(row, column, k); {
	case math.IsInf(v, 1):
		return append(dst, "inf"...)
	case math.IsInf(v, -1):
		return append(dst, "-inf"...)
	default:
		return strconv.AppendFloat(dst, v, 'g', -1, 8*kind.Size())
	}
}
