package nn

// PanelHeight is the number of rows of every matrix product on the acting side.
//
// With some OpenBLAS kernels the bits of a row depend on the height of the matrix and on the row's place in it. So
// world w is always row w mod PanelHeight of a matrix of this height, whatever block it is in and however many worlds
// that block has.
const PanelHeight = 16

// ColumnRange is a range of columns of an observation: First, First+1, …, First+Size-1.
type ColumnRange struct {
	First, Size int
}

// Columns returns those of one observation; it shares memory.
func (s ColumnRange) Columns(observation []float32) []float32 {
	return observation[s.First : s.First+s.Size : s.First+s.Size]
}

// Within returns s, or all columns for the zero ColumnRange.
func (s ColumnRange) Within(observation int) ColumnRange {
	if s == (ColumnRange{}) {
		return ColumnRange{0, observation}
	}
	return s
}

// Brief is the inverse of Within.
func (s ColumnRange) Brief(observation int) ColumnRange {
	if s == (ColumnRange{0, observation}) {
		return ColumnRange{}
	}
	return s
}

// PanelRow is the row that a world always has in a panel.
func PanelRow(world int) int { return world % PanelHeight }

// loadPanel puts columns of the rows of the worlds first, first+1, … in their places
// and zeros in the others. Rows have size columns.
func loadPanel(panel, rows []float32, size int, columns ColumnRange, first int) {
	clear(panel)
	for i := range len(rows) / size {
		copy(RowOf(panel, columns.Size, PanelRow(first+i)), columns.Columns(RowOf(rows, size, i)))
	}
}

// RowOf returns row i of a row-major matrix with size columns; it shares memory.
func RowOf[T any](matrix []T, size, i int) []T {
	return matrix[i*size : (i+1)*size : (i+1)*size]
}
