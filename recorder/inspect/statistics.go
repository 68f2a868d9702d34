package inspect

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Statistics sums up values. Bools count as 0 and 1. If no value is finite, all but the counts are 0.
type Statistics struct {
	Count     int64   `json:"count"`      // finite values
	NotFinite int64   `json:"not_finite"` // infinities and NaN, which the rest leaves out
	Min       float64 `json:"min"`
	Mean      Number  `json:"mean"`
	Max       float64 `json:"max"`
	Std       Number  `json:"std"` // of the values as a whole population
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

// merge adds the values of others, by the formula of Chan, Golub and LeVeque.
func (m *moments) merge(o moments) {
	switch {
	case o.n == 0:
		m.notFinite += o.notFinite
		return
	case m.n == 0:
		o.notFinite += m.notFinite
		*m = o
		return
	}
	n := m.n + o.n
	delta := o.mean - m.mean
	m.squares += o.squares + float64(delta*delta)*(float64(m.n)*float64(o.n)/float64(n))
	m.mean += delta * (float64(o.n) / float64(n))
	m.min, m.max = min(m.min, o.min), max(m.max, o.max)
	m.n, m.notFinite = n, m.notFinite+o.notFinite
}

func (m *moments) statistics() Statistics {
	s := Statistics{Count: m.n, NotFinite: m.notFinite, Min: m.min, Mean: Number(m.mean), Max: m.max}
	if m.n > 0 {
		s.Std = Number(math.Sqrt(m.squares / float64(m.n)))
	}
	return s
}

// column accumulates one column.
type column struct {
	sum      Column // without statistics
	list     bool
	elements []moments // of each place of a list, or of the one value
}

func newColumns(t *format.Table) []column {
	columns := make([]column, len(t.Columns))
	for i := range columns {
		c := &t.Columns[i]
		columns[i] = column{
			sum:  Column{Name: c.Name, Type: c.Kind.String(), Unit: c.Unit, Rate: c.Rate},
			list: c.Len > 0, elements: make([]moments, max(1, c.Len)),
		}
		if c.Len > 0 {
			columns[i].sum.Type = fmt.Sprintf("%s[%d]", c.Kind, c.Len)
		}
	}
	return columns
}

// add adds the values of a batch.
func (c *column) add(values arrow.Array) {
	c.sum.Nulls += int64(values.NullN())
	if c.list {
		list := values.(*array.FixedSizeList)
		value := number(list.ListValues())
		for row := range list.Len() {
			if list.IsNull(row) {
				continue
			}
			from, _ := list.ValueOffsets(row)
			for i := range c.elements {
				c.elements[i].add(value(int(from) + i))
			}
		}
		return
	}
	value := number(values)
	for row := range values.Len() {
		if !values.IsNull(row) {
			c.elements[0].add(value(row))
		}
	}
}

// done returns the statistics so far.
func (c *column) done() Column {
	all, sum := moments{}, c.sum
	for _, m := range c.elements {
		all.merge(m)
		if c.list {
			sum.Elements = append(sum.Elements, m.statistics())
		}
	}
	sum.All = all.statistics()
	return sum
}

// number returns a function that reads the values of an array, of any kind that a column can have.
func number(values arrow.Array) func(i int) float64 {
	switch v := values.(type) {
	case *array.Float64:
		return v.Value
	case *array.Float32:
		return func(i int) float64 { return float64(v.Value(i)) }
	case *array.Int64:
		return func(i int) float64 { return float64(v.Value(i)) }
	case *array.Int32:
		return func(i int) float64 { return float64(v.Value(i)) }
	case *array.Boolean:
		return func(i int) float64 {
			if v.Value(i) {
				return 1
			}
			return 0
		}
	}
	panic(fmt.Sprintf("inspect: values of type %v, which no column has", values.DataType()))
}
