package recorder

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/internal/tests/rowtest"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// script is a whole recording as data: the rows that every block begins in every segment.
type script struct {
	tables   []format.Table
	blocks   int
	segments int
	options  Options
	rows     [][][]scriptRow // by segment and block
}

type scriptRow struct {
	table  int
	key    Key
	values []any // by column: nil, int64, float64, bool, or a slice of these
}

func drawScript(t *rapid.T) *script {
	s := &script{
		blocks:   rapid.IntRange(1, 5).Draw(t, "blocks"),
		segments: rapid.IntRange(0, 4).Draw(t, "segments"),
		options: Options{
			BatchRows:     rapid.IntRange(1, 9).Draw(t, "batch rows"),
			FlushSegments: rapid.IntRange(0, 3).Draw(t, "flush segments"),
			StagedBytes:   rapid.Int64Range(1, 2000).Draw(t, "staged bytes"),
			Compression:   rapid.SampledFrom([]Compression{Plain, LZ4, Zstd}).Draw(t, "compression"),
			Sync:          SyncNever,
		},
	}
	if rapid.Bool().Draw(t, "many shards") {
		s.options.ShardBytes = int64(rapid.IntRange(1, 5000).Draw(t, "shard bytes"))
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "tables") {
		table := format.Table{Name: fmt.Sprintf("t%d", i), BatchRows: rapid.IntRange(0, 3).Draw(t, "table batch rows")}
		for j := range rapid.IntRange(1, 10).Draw(t, "columns") {
			table.Columns = append(table.Columns, format.Column{
				Name:     fmt.Sprintf("c%d", j),
				Kind:     format.Kind(rapid.IntRange(int(format.Int64), int(format.Bool)).Draw(t, "kind")),
				Nullable: rapid.Bool().Draw(t, "nullable"),
				Len:      rapid.IntRange(0, 4).Draw(t, "len"),
			})
			if c := &table.Columns[j]; c.Kind == format.Float64 && c.Len > 1 && rapid.Bool().Draw(t, "picture") {
				c.Pictures = []format.ListPicture{{Name: c.Name + "_depth", Kind: "depth", Width: 2, Height: 1,
					First: c.Len / 4, Step: 1, Scale: 1, Far: 0.3}}
			}
		}
		s.tables = append(s.tables, table)
	}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "values"), 0))
	for range s.segments {
		blocks := make([][]scriptRow, s.blocks)
		for b := range blocks {
			for range random.IntN(12) {
				blocks[b] = append(blocks[b], drawRow(random, s.tables))
			}
		}
		s.rows = append(s.rows, blocks)
	}
	return s
}

func drawRow(random *rand.Rand, tables []format.Table) scriptRow {
	table := random.IntN(len(tables))
	// Few different keys, so that some are equal.
	r := scriptRow{table: table, key: Key{N: random.Int64N(3), OffsetNS: random.Int64N(2), World: random.Int32N(2)}}
	for _, c := range tables[table].Columns {
		r.values = append(r.values, drawValue(random, c))
	}
	return r
}

func drawValue(random *rand.Rand, c format.Column) any {
	if c.Nullable && random.IntN(3) == 0 {
		return nil
	}
	float := func() float64 {
		if random.IntN(8) == 0 {
			return math.Inf(1)
		}
		return random.NormFloat64()
	}
	switch c.Kind {
	case format.Int64:
		return drawValues(c, func() int64 { return int64(random.Uint64()) })
	case format.Int32:
		return drawValues(c, func() int64 { return int64(int32(random.Uint64())) })
	case format.Bool:
		return drawValues(c, func() bool { return random.IntN(2) == 0 })
	case format.Float32:
		return drawValues(c, func() float32 { return float32(float()) })
	default:
		v := drawValues(c, float)
		for _, p := range c.Pictures {
			for i := range 2 {
				v.([]float64)[p.First+i] = min(float64(float32(random.NormFloat64())), p.Far)
			}
		}
		return v
	}
}

func drawValues[T any](c format.Column, draw func() T) any {
	v := make([]T, max(1, c.Len))
	for i := range v {
		v[i] = draw()
	}
	if c.Len == 0 {
		return v[0]
	}
	return v
}

func (r *scriptRow) play(s *BlockWriter) {
	row := s.Begin(r.table, r.key)
	for col, v := range r.values {
		switch v := v.(type) {
		case nil: // as Begin made it
		case int64:
			row.Int(col, v)
		case float64:
			row.Float(col, v)
		case bool:
			row.Bool(col, v)
		case []int64:
			row.Ints(col, v)
		case float32:
			row.Float(col, float64(v))
		case []float64:
			row.Floats(col, v)
		case []float32:
			row.Floats32(col, v)
		case []bool:
			row.Bools(col, v)
		}
	}
}

// want returns the rows of a table in canonical order: the oracle, by one plain sort.
func (s *script) want(table int) [][]any {
	type placed struct {
		segment, block int
		row            scriptRow
	}
	var all []placed
	for i, blocks := range s.rows {
		for b, rows := range blocks {
			for _, r := range rows {
				if r.table == table {
					all = append(all, placed{i, b, r})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.block, b.block), cmp.Compare(a.row.key.N, b.row.key.N),
			cmp.Compare(a.row.key.OffsetNS, b.row.key.OffsetNS), cmp.Compare(a.row.key.World, b.row.key.World))
	})
	rows := make([][]any, len(all))
	for i := range all {
		for k, v := range all[i].row.values {
			c := &s.tables[table].Columns[k]
			list, _ := v.([]float64)
			for _, p := range c.Pictures { // the other values and the picture are columns
				if v = nil; list != nil {
					v = []float32{float32(list[p.First]), float32(list[p.First+1])}
					list = slices.Concat(list[:p.First], list[p.First+2:])
				}
				if c.Len > 2 && list != nil {
					rows[i] = append(rows[i], list)
				} else if c.Len > 2 {
					rows[i] = append(rows[i], nil)
				}
			}
			rows[i] = append(rows[i], v)
		}
	}
	return rows
}

// record plays a script with this many goroutines, each serving the blocks b with b mod workers equal to its number.
func (s *script) record(tb fatal, dir string, workers int, shuffle uint64) {
	w, err := Create(dir, s.tables, s.blocks, format.Metadata{Task: "test", Seed: 7}, s.options)
	if err != nil {
		tb.Fatalf("Create: %v", err)
	}
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(shuffle, uint64(worker)))
			for segment := range s.segments {
				var mine []int
				for b := worker; b < s.blocks; b += workers {
					mine = append(mine, b)
				}
				random.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
				for _, b := range mine {
					for i := range s.rows[segment][b] {
						s.rows[segment][b][i].play(w.BlockWriter(b))
						if random.IntN(4) == 0 {
							runtime.Gosched()
						}
					}
					if err := w.BlockWriter(b).EndSegment(); err != nil {
						tb.Errorf("EndSegment: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		tb.Fatalf("Close: %v", err)
	}
}

// tempDir is a new folder for one case of a property test.
func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "recorder")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// The files depend on the rows alone, and read back as the oracle's rows, in batches that are full but the last.
func TestRecordingIsAFunctionOfItsRows(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		s := drawScript(t)
		dir := tempDir(t)
		one, many := filepath.Join(dir, "one"), filepath.Join(dir, "many")
		s.record(t, one, 1, 0)
		s.record(t, many, rapid.IntRange(2, 5).Draw(t, "workers"), rapid.Uint64().Draw(t, "shuffle"))
		if !maps.Equal(polytest.Files(outer, one), polytest.Files(outer, many)) {
			t.Errorf("other bytes with another number of workers")
		}

		d, err := Open(many)
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		for i, table := range s.tables {
			want := s.want(i)
			got, batches, err := rowtest.Rows(d.Batches(table.Name))
			if err != nil {
				t.Fatalf("table %s: %v", table.Name, err)
			}
			if !rowtest.Equal(got, want) {
				t.Errorf("table %s reads\n%v, want\n%v", table.Name, got, want)
			}
			if rows, err := d.Rows(table.Name); err != nil || rows != int64(len(want)) {
				t.Errorf("Rows(%s) = %d, %v, want %d", table.Name, rows, err, len(want))
			}
			full := int64(cmp.Or(table.BatchRows, s.options.BatchRows))
			for j, rows := range batches {
				if last := j == len(batches)-1; rows > full || (rows < full && !last && s.options.FlushSegments == 0) {
					t.Errorf("batch %d of %d has %d rows, want %d", j, len(batches), rows, full)
				}
			}
		}
	})
}

// recordExample records a dataset that has every kind of column, for the tests that need just any.
func recordExample(tb testing.TB, dir string, rows int, options Options) {
	tb.Helper()
	w := polytest.Must(Create(dir, exampleTables, 2, exampleMetadata, options))(tb)
	for n := range rows {
		playExample(w, int64(n))
	}
	polytest.NoError(tb, w.Close())
}

var exampleMetadata = format.Metadata{
	Task: "example", Seed: 1<<63 + 1, Configuration: "task: example\n# <>&\n", Beat: "10",
	Runners:  []format.Runner{{Name: "Robot", Rate: "50"}, {Name: "Capture", Rate: "30"}},
	Versions: map[string]string{"polyrhythm": "0.1.0", "mujoco": "4.0.1"},
}

var exampleTables = []format.Table{
	{Name: "capture", Rate: "30", Description: "One row each time the capture binding fires.", Columns: []format.Column{
		{Name: "t_ns", Kind: format.Int64, Unit: "ns", Description: "world time"},
		{Name: "world", Kind: format.Int32},
		{Name: "sync", Kind: format.Bool},
		{Name: "reward", Kind: format.Float64, Nullable: true},
		{Name: "gain", Kind: format.Float32},
		{Name: "gyro", Kind: format.Float64, Len: 3, Nullable: true, Unit: "rad/s", Source: "sensor imu_gyro", Rate: "500",
			Frame: "imu"},
		{Name: "observation", Kind: format.Float32, Len: 5},
		{Name: "contact", Kind: format.Bool, Len: 4, Nullable: true},
		{Name: "stamps", Kind: format.Int64, Len: 2},
	}},
	{Name: "episodes", Description: "One row for each episode.", BatchRows: 8, Columns: []format.Column{
		{Name: "episode", Kind: format.Int64},
		{Name: "length_ns", Kind: format.Int64, Unit: "ns"},
		{Name: "complete", Kind: format.Bool},
	}},
	{Name: "control", Rate: "50", Columns: []format.Column{{Name: "t_ns", Kind: format.Int64, Unit: "ns"}}},
}

// playExample records step n: a capture row in both blocks, an episode every tenth step, nothing in table control.
func playExample(w *Writer, n int64) {
	for block := range 2 {
		s := w.BlockWriter(block)
		r := s.Begin(0, Key{N: n, World: int32(block)})
		r.Int(0, n*33_333_333)
		r.Int(1, int64(block))
		r.Bool(2, n%3 == 0)
		if n%4 != 0 {
			r.Float(3, float64(n)/8)
		}
		r.Float(4, 0.5*float64(n))
		if n%5 != 0 {
			r.Floats(5, []float64{float64(n), -1, float64(block)})
		}
		r.Floats(6, []float64{1, 2, 3, 4, float64(n)})
		if n%7 != 0 {
			r.Bools(7, []bool{n%2 == 0, true, false, block == 1})
		}
		r.Ints(8, []int64{n, -n})
		if n%10 == 9 {
			r := s.Begin(1, Key{N: n, World: int32(block)})
			r.Int(0, n/10)
			r.Int(1, 10*33_333_333)
			r.Bool(2, true)
		}
		if err := s.EndSegment(); err != nil {
			panic(err)
		}
	}
}
