package format_test

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// A row in memory is bytes that its layout gives a meaning.
func ExampleLayout() {
	table := format.Table{Name: "weather", Columns: []format.Column{
		{Name: "t_ns", Kind: format.Int64}, {Name: "wind", Kind: format.Float64, Nullable: true},
	}}
	layout := format.NewLayout(&table)
	row := layout.Extend(nil)
	layout.Row(row).Int(0, 20_000_000)
	fmt.Println(layout.Stride, "bytes,", layout.Int(row, 0), "ns, no wind:", layout.IsNull(row, 1))
	// Output: 24 bytes, 20000000 ns, no wind: true
}
