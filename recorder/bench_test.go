package recorder

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// benchTables are two ways to hold 100 float64 a row: in a column each, and in one list.
var benchTables = map[string][]format.Table{"columns": {scalarTable(100)}, "list": {{Name: "capture", Columns: []format.Column{{Name: "x", Kind: format.Float64, Len: 100}}}}}

func scalarTable(columns int) format.Table {
	t := format.Table{Name: "capture"}
	for i := range columns {
		t.Columns = append(t.Columns, format.Column{Name: "x" + string(rune('a'+i/10)) + string(rune('a'+i%10)), Kind: format.Float64})
	}
	return t
}

func fillBench(t *format.Table, r format.Row, values []float64) {
	if len(t.Columns) == 1 {
		r.Floats(0, values)
		return
	}
	for i, v := range values {
		r.Float(i, v)
	}
}

// BenchmarkStage measures what a producer pays for a row of 100 float64, the writer aside.
func BenchmarkStage(b *testing.B) {
	for name, tables := range benchTables {
		b.Run(name, func(b *testing.B) {
			l := format.NewLayout(&tables[0])
			var s staged
			values := make([]float64, 100)
			b.SetBytes(int64(8 * len(values)))
			b.ReportAllocs()
			n := int64(0)
			for b.Loop() {
				if n++; n%1024 == 0 {
					s.reset()
				}
				fillBench(&tables[0], l.Row(s.begin(l, Key{N: n})), values)
			}
		})
	}
}

// BenchmarkWrite measures a row of 100 float64 from Begin to a finished file.
func BenchmarkWrite(b *testing.B) {
	for name, tables := range benchTables {
		b.Run(name, func(b *testing.B) {
			w, err := Create(b.TempDir(), tables, 1, format.Metadata{}, Options{Sync: SyncNever})
			if err != nil {
				b.Fatal(err)
			}
			values := make([]float64, 100)
			b.SetBytes(int64(8 * len(values)))
			b.ReportAllocs()
			n := int64(0)
			for b.Loop() {
				fillBench(&tables[0], w.BlockWriter(0).Begin(0, Key{N: n}), values)
				if n++; n%1024 == 0 {
					if err := w.BlockWriter(0).EndSegment(); err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := w.BlockWriter(0).EndSegment(); err != nil {
				b.Fatal(err)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
