package export

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// minariMaxPictures is the largest size of the pictures of an episode, in bytes: Minari reads them all at once.
const minariMaxPictures = 1 << 30

// minariInfos are the pictures of the table capture, which Minari has beside the observations of an episode, in
// "infos": for each step those of the newest row at or before its time, and their stamps, −1 before the first sample.
type minariInfos struct {
	input    *format.Layout // layout of the table
	time     int            // number of the column of the time
	pictures []minariPicture
	bytes    int64 // bytes of the pictures of a step

	row  []byte // the newest row up to the step; empty before the first
	rows int
}

type minariPicture struct {
	column, stamp int // columns of the table; stamp −1: the picture has no stamp of its own
	pixels        []byte
	stamps        []int64
}

// newMinariInfos returns nil if the table has no pictures.
func newMinariInfos(t *format.Table) (*minariInfos, error) {
	m := &minariInfos{input: format.NewLayout(t)}
	for _, column := range pictures(t) {
		stamp := m.input.Column(t.Columns[column].Name + "_stamp_ns")
		m.pictures = append(m.pictures, minariPicture{column: column, stamp: stamp})
		m.bytes += int64(len(m.input.Bytes(m.input.Zeros(), column)))
	}
	if len(m.pictures) == 0 {
		return nil, nil
	}
	return m, findColumns(m.input, map[string]*int{"t_ns": &m.time})
}

// read collects the pictures at some times of an episode, in ascending order, and for the observation after them. The
// table is the second one of the episode.
func (m *minariInfos) read(e *episode, times []int64) error {
	if size := m.bytes * int64(len(times)+1); size > minariMaxPictures {
		return fmt.Errorf("minari: the pictures of episode %d take %d MB, which Minari reads at once, want at "+
			"most %d: export the table %s alone, or record smaller ones", e.number, size>>20, minariMaxPictures>>20,
			format.ControlTable)
	}
	m.row, m.rows = m.row[:0], 0
	for i := range m.pictures {
		m.pictures[i].pixels, m.pictures[i].stamps = m.pictures[i].pixels[:0], m.pictures[i].stamps[:0]
	}
	err := e.eachRow(1, func(row []byte) error {
		for ns := m.input.Int(row, m.time); m.rows < len(times) && times[m.rows] < ns; {
			m.show()
		}
		m.row = append(m.row[:0], row...)
		return nil
	})
	for m.rows <= len(times) {
		m.show()
	}
	return err
}

// show adds the pictures of the newest row.
func (m *minariInfos) show() {
	row, ns := m.row, int64(-1)
	if len(row) == 0 {
		row = m.input.Zeros()
	} else {
		ns = m.input.Int(row, m.time)
	}
	for i := range m.pictures {
		p := &m.pictures[i]
		p.pixels = append(p.pixels, m.input.Bytes(row, p.column)...)
		stamp := ns
		if m.input.IsNull(row, p.column) || p.stamp >= 0 && m.input.IsNull(row, p.stamp) {
			stamp = -1
		} else if p.stamp >= 0 {
			stamp = m.input.Int(row, p.stamp)
		}
		p.stamps = append(p.stamps, stamp)
	}
	m.rows++
}

// minariStruct are the infos of an episode.
type minariStruct struct {
	fields   []arrow.Field
	children []arrow.ArrayData
}

// add adds the pictures to the infos of the episode. They borrow the memory of m until the next read.
func (m *minariInfos) add(infos *minariStruct) {
	for i := range m.pictures {
		p := &m.pictures[i]
		column := &m.input.Columns[p.column]
		height, shape := column.Len/column.Width, ""
		element := arrow.DataType(arrow.PrimitiveTypes.Uint16)
		if column.Kind == format.Uint8 {
			height, shape, element = height/3, ",3", arrow.PrimitiveTypes.Uint8
		}
		list := arrow.FixedSizeListOf(int32(column.Len), element)
		values := array.NewData(element, m.rows*column.Len, []*memory.Buffer{nil, memory.NewBufferBytes(p.pixels)},
			nil, 0, 0)
		infos.fields = append(infos.fields,
			arrow.Field{Name: column.Name, Type: list, Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{
				"shape": fmt.Sprintf("%d,%d%s", height, column.Width, shape)})},
			arrow.Field{Name: column.Name + "_stamp_ns", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
		infos.children = append(infos.children,
			array.NewData(list, m.rows, []*memory.Buffer{nil}, []arrow.ArrayData{values}, 0, 0),
			array.NewData(arrow.PrimitiveTypes.Int64, m.rows, []*memory.Buffer{nil, memory.NewBufferBytes(
				arrow.Int64Traits.CastToBytes(p.stamps))}, nil, 0, 0))
	}
}
