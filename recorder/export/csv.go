package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
)

// writeCSV writes TABLE.csv for every table, as RFC 4180 has it: a header, lines that end in CR LF. A list is a column per
// value, name[0], name[1], …; a null is an empty field. Numbers are the shortest that read back as the same bits, those
// of float32 columns as the same float32.
func (j *job) writeCSV() error {
	return j.writeTables(func(t *recorder.Table, l *layout) (tableWriter, error) {
		f, err := j.open(t.Name + ".csv")
		if err != nil {
			return nil, err
		}
		w := &csvTable{file: f, layout: l}
		for i, c := range t.Columns {
			for k := range l.cells[i].n {
				name := c.Name
				if c.Len > 0 {
					name = fmt.Sprintf("%s[%d]", c.Name, k)
				}
				w.line = appendField(w.line, name)
			}
		}
		return w, w.endLine()
	})
}

// csvTable writes one table as lines of text.
type csvTable struct {
	file   *file
	layout *layout
	line   []byte
}

func (w *csvTable) write(rows []byte) error {
	for ; len(rows) > 0; rows = rows[w.layout.stride:] {
		row := rows[:w.layout.stride]
		for i := range w.layout.cells {
			c := &w.layout.cells[i]
			null := w.layout.isNull(row, i)
			for k := range c.n {
				if i+k > 0 {
					w.line = append(w.line, ',')
				}
				if !null {
					w.line = appendNumber(w.line, c.kind, row[c.at+k*c.size:])
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

// appendField appends a name, quoted if need be, after a comma unless it is the first.
func appendField(line []byte, name string) []byte {
	if len(line) > 0 {
		line = append(line, ',')
	}
	quote := false
	for _, r := range name {
		quote = quote || r == '"' || r == ',' || r == '\r' || r == '\n'
	}
	if !quote {
		return append(line, name...)
	}
	line = append(line, '"')
	for i := range len(name) {
		if name[i] == '"' {
			line = append(line, '"')
		}
		line = append(line, name[i])
	}
	return append(line, '"')
}

// appendNumber appends the value at the beginning of b as text.
func appendNumber(line []byte, kind recorder.Kind, b []byte) []byte {
	switch kind {
	case recorder.Int64:
		return strconv.AppendInt(line, int64(binary.NativeEndian.Uint64(b)), 10)
	case recorder.Int32:
		return strconv.AppendInt(line, int64(int32(binary.NativeEndian.Uint32(b))), 10)
	case recorder.Float64:
		return appendFloat(line, math.Float64frombits(binary.NativeEndian.Uint64(b)), 64)
	case recorder.Float32:
		return appendFloat(line, float64(math.Float32frombits(binary.NativeEndian.Uint32(b))), 32)
	default:
		return strconv.AppendBool(line, b[0] != 0)
	}
}

// appendFloat appends the shortest text that reads back as v; NaN, inf and -inf, as most readers know them.
func appendFloat(line []byte, v float64, bits int) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(line, "inf"...)
	case math.IsInf(v, -1):
		return append(line, "-inf"...)
	}
	return strconv.AppendFloat(line, v, 'g', -1, bits)
}
