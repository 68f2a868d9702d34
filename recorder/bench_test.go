package recorder

import (
	"testing"
)

// benchTables are two ways to hold 100 float64 a row: in a column each, and in one list.
var benchTables = map[string][]Table{"columns": {scalarTable(100)}, "list": {{Name: "capture", Columns: []Column{{Name: "x", Kind: Float64, Len: 100}}}}}

func scalarTable(columns int) Table {
	t := Table{Name: "capture"}
	for i := range columns {
		t.Columns = append(t.Columns, Column{Name: "x" + string(rune('a'+i/10)) + string(rune('a'+i%10)), Kind: Float64})
	}
	return t
}

func fillBench(r Row, values []float64) {
	if len(r.layout.table.Columns) == 1 {
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
			l := newLayout(&tables[0])
			var s staged
			values := make([]float64, 100)
			b.SetBytes(int64(8 * len(values)))
			b.ReportAllocs()
			n := int64(0)
			for b.Loop() {
				if n++; n%1024 == 0 {
					s.reset()
				}
				fillBench(Row{l, s.begin(l, Key{N: n})}, values)
			}
		})
	}
}

// BenchmarkWrite measures a row of 100 float64 from Begin to a finished file.
func BenchmarkWrite(b *testing.B) {
	for name, tables := range benchTables {
		b.Run(name, func(b *testing.B) {
			w, err := Create(b.TempDir(), tables, 1, Metadata{}, Options{Sync: SyncNever})
			if err != nil {
				b.Fatal(err)
			}
			values := make([]float64, 100)
			b.SetBytes(int64(8 * len(values)))
			b.ReportAllocs()
			n := int64(0)
			for b.Loop() {
				fillBench(w.BlockWriter(0).Begin(0, Key{N: n}), values)
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
