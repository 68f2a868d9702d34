package inspect

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Statistics sums up values. Bools count as 0 and 1. If no value is finite, all but the counts are 0.
type Statistics struct {
	Count     int64   `json:"count"`      // finite values
	NotFinite int64   `json:"not_finite"` // number of infinities and NaN, which the other statistics leave out
	Min       float64 `json:"min"`
	Mean      Number  `json:"mean"`
	Max       float64 `json:"max"`
	Std       Number  `json:"std"` // standard deviation of the values as a whole population
}

// Number is null in JSON if it is not finite, as sums of very large values may be.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// moments accumulates values one by one, by Welford's recurrence.
type moments struct {
	n, notFinite  int64
	min, max      float64
	mean, squares float64 // squares: sum of the squared differences from the mean
}

func (m *moments) add(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		m.notFinite++
		return
	}
	if m.n == 0 {
		m.min, m.max = v, v
	}
	m.n++
	m.min, m.max = min(m.min, v), max(m.max, v)
	delta := v - m.mean
	m.mean += delta / float64(m.n)
	m.squares += float64(delta * (v - m.mean))
}

func (m *moments) statistics() Statistics {
	s := Statistics{Count: m.n, NotFinite: m.notFinite, Min: m.min, Mean: Number(m.mean), Max: m.max}
	if m.n > 0 {
		s.Std = Number(math.Sqrt(m.squares / float64(m.n)))
	}
	return s
}

type column struct {
	sum      Column // statistics so far, without those of elements
	all      moments
	elements []moments // moments of each place of a list; nil for single values
	values   []float64 // room for those of a row
}

func newColumns(t *format.Table) []column {
	columns := make([]column, len(t.Columns))
	for i := range columns {
		c := &t.Columns[i]
		columns[i] = column{
			sum:      Column{Name: c.Name, Type: c.Kind.String(), Unit: c.Unit, Rate: c.Rate},
			elements: make([]moments, c.Len),
		}
		switch {
		case c.Width > 0: // statistics of single pixels are of no use
			columns[i].sum.Type, columns[i].elements = fmt.Sprintf("%d × %d %s", c.Width, c.Height(), c.Kind), nil
			columns[i].sum.Segments = c.Segments
		case c.Len > 0:
			columns[i].sum.Type = fmt.Sprintf("%s[%d]", c.Kind, c.Len)
		}
	}
	return columns
}

// add adds the values of column i in some rows.
func (c *column) add(l *format.Layout, i int, rows []byte) {
	for ; len(rows) > 0; rows = rows[l.Stride:] {
		if l.IsNull(rows, i) {
			c.sum.Nulls++
			continue
		}
		c.values = l.AppendFloats(c.values[:0], rows, i)
		for k, v := range c.values {
			if c.all.add(v); len(c.elements) > 0 {
				c.elements[k].add(v)
			}
		}
	}
}

func (c *column) done() Column {
	sum := c.sum
	sum.All = c.all.statistics()
	for i := range c.elements {
		sum.Elements = append(sum.Elements, c.elements[i].statistics())
	}
	return sum
}
