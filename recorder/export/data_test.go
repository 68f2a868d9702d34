package export

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/tests/rowtest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// The example: worlds with episodes of all lengths, rows of every kind of column, at 30 and at 50 Hz.
var exampleTables = []format.Table{
	{Name: "capture", Rate: "30", Description: "What \"a\" camera sees.", Columns: append(keyColumns(), []format.Column{
		{Name: "sync", Kind: format.Bool},
		{Name: "fault", Kind: format.Bool},
		{Name: "gyro", Kind: format.Float64, Len: 3, Unit: "rad/s"},
		{Name: "gyro_stamp_ns", Kind: format.Int64, Nullable: true},
		{Name: "height", Kind: format.Float64, Len: 1, Unit: "m"},
		{Name: "odd, \"name\"", Kind: format.Float64, Nullable: true},
		{Name: "gain", Kind: format.Float32, Nullable: true},
		{Name: "bits", Kind: format.Bool, Len: 9, Nullable: true},
		{Name: "marks", Kind: format.Int64, Len: 2, Nullable: true},
	}...)},
	{Name: "control", Rate: "50", Columns: keyColumns()},
	{Name: "episodes", BatchRows: 4, Columns: []format.Column{
		{Name: "episode", Kind: format.Int64}, {Name: "world", Kind: format.Int32}, {Name: "length_ns", Kind: format.Int64},
		{Name: "steps", Kind: format.Int64}, {Name: "terminated", Kind: format.Bool}, {Name: "truncated", Kind: format.Bool},
		{Name: "fault", Kind: format.Bool}, {Name: "complete", Kind: format.Bool}, {Name: "return", Kind: format.Float64},
		{Name: "recorded", Kind: format.Bool},
		{Name: "tail_reward", Kind: format.Float64}, {Name: "tail_reward_steps", Kind: format.Int32}, {Name: "rows",
			Kind: format.Int64},
		{Name: "control_tail_reward", Kind: format.Float64}, {Name: "control_tail_reward_steps",
			Kind: format.Int32}, {Name: "control_rows", Kind: format.Int64},
		{Name: "final_observation", Kind: format.Float64, Len: 3}, {Name: "start_n", Kind: format.Int64},
	}},
	{Name: "nothing", Columns: keyColumns()[:3]},
}

func keyColumns() []format.Column {
	infinite := format.Bound(math.Inf(1))
	return []format.Column{
		{Name: "t_ns", Kind: format.Int64, Unit: "ns"}, {Name: "episode", Kind: format.Int64}, {Name: "world",
			Kind: format.Int32},
		{Name: "reward", Kind: format.Float64}, {Name: "reward_steps", Kind: format.Int32},
		{Name: "action", Kind: format.Float32, Len: 2, Nullable: true, Names: []string{"left", "right"},
			Low: []format.Bound{-1, -infinite}, High: []format.Bound{1, infinite}},
		{Name: "action_stamp_ns", Kind: format.Int64, Nullable: true},
		{Name: "observation", Kind: format.Float64, Len: 3, Nullable: true},
		{Name: "observation_stamp_ns", Kind: format.Int64, Nullable: true},
	}
}

// exampleOptions says what the example is like.
type exampleOptions struct {
	worlds, steps int   // control steps of each world
	longest       int64 // episode, in steps; default 40
	seed          uint64
	batchRows     int
	shardBytes    int64
	skip          bool // every third episode is not recorded
	lie           bool // the table episodes counts a row too many
	abort         bool // the writer is killed
	pictures      bool // one value of observations is a picture
}

// world is a world of the example.
type exampleWorld struct {
	random  *rand.Rand
	episode int64
	step    int64 // of the episode
	length  int64
	longest int64
	frame   int64 // of capture, next
	sum     float64
	count   int64
	total   float64
	last    float64 // reward of the step before
	seen    [3]float64
	done    [2]float32
}

// seeing returns the tables of the example with a picture in observations.
func seeing() []format.Table {
	tables := slices.Clone(exampleTables)
	for i := range tables {
		tables[i].Columns = slices.Clone(tables[i].Columns)
		for k := range tables[i].Columns {
			if c := &tables[i].Columns[k]; strings.HasSuffix(c.Name, "observation") {
				c.Pictures = []format.ListPicture{{Name: c.Name + "_front_depth", Kind: physics.Depth, Width: 1, Height: 1,
					First: 1, Step: 1, Scale: 1, Far: 9}}
			}
		}
	}
	return tables
}

// recordExample writes the example to a folder and opens it, if it was finished.
func recordExample(tb testing.TB, dir string, o exampleOptions) *recorder.Dataset {
	tb.Helper()
	meta := format.Metadata{Task: "example", Seed: 1<<63 + 1, Configuration: "task: example\n# <>&\n", Beat: "10",
		Versions: map[string]string{"polyrhythm": "test"},
		Runners:  []format.Runner{{Name: "Robot", Rate: "50"}, {Name: "Capture", Rate: "30"}}}
	blocks := (o.worlds + 1) / 2
	tables := exampleTables
	if o.pictures {
		tables = seeing()
	}
	w := polytest.Must(recorder.Create(dir, tables, blocks, meta, recorder.Options{BatchRows: o.batchRows,
		ShardBytes: o.shardBytes, Sync: recorder.SyncNever}))(tb)
	worlds := make([]exampleWorld, o.worlds)
	for i := range worlds {
		worlds[i] = exampleWorld{random: rand.New(rand.NewPCG(o.seed, uint64(i))), episode: int64(i),
			longest: cmp.Or(o.longest, 40)}
		worlds[i].begin()
	}
	const segment = 8
	for from := 0; from < o.steps; from += segment {
		for block := range blocks {
			for i := 2 * block; i < min(2*block+2, o.worlds); i++ {
				for n := from; n < min(from+segment, o.steps); n++ {
					worlds[i].play(w.BlockWriter(block), int64(n), int32(i), &o, n == o.steps-1)
				}
			}
			polytest.NoError(tb, w.BlockWriter(block).EndSegment())
		}
	}
	if o.abort {
		polytest.NoError(tb, w.Drain())
		w.Abort()
		return nil
	}
	polytest.NoError(tb, w.Close())
	d := polytest.Must(recorder.Open(dir))(tb)
	return d
}

func (e *exampleWorld) begin() {
	e.step, e.frame, e.sum, e.count, e.total, e.last = 0, 0, 0, 0, 0, 0
	e.length = 1 + e.random.Int64N(e.longest)
	e.observe()
}

func (e *exampleWorld) observe() {
	for i := range e.seen {
		e.seen[i] = float64(float32(e.random.NormFloat64())) // as depths are
	}
}

// play takes control step n, and ends the episode where it is over, or the run is.
func (e *exampleWorld) play(s *recorder.BlockWriter, n int64, world int32, o *exampleOptions, final bool) {
	recorded := !o.skip || e.episode%3 != 1
	timestamp := runners.Hz(50).Timestamp(e.step)
	for i := range e.done {
		e.done[i] = float32(e.random.NormFloat64())
	}
	beginRow := func(table int, ns, offset int64, sum float64, count int64) format.Row {
		r := s.Begin(table, recorder.Key{N: n, OffsetNS: offset, World: world})
		r.Int(0, ns)
		r.Int(1, e.episode)
		r.Int(2, int64(world))
		r.Float(3, sum)
		r.Int(4, count)
		r.Floats32(5, e.done[:])
		r.Int(6, timestamp)
		r.Floats(7, e.seen[:])
		r.Int(8, timestamp)
		return r
	}
	if recorded {
		beginRow(1, timestamp, 0, e.last, min(e.step, 1))
	}
	end := runners.Hz(50).Timestamp(e.step + 1)
	for ns := runners.Hz(30).Timestamp(e.frame); ns < end; ns = runners.Hz(30).Timestamp(e.frame) {
		if recorded {
			r := beginRow(0, ns, ns-timestamp, e.sum, e.count)
			e.capture(r)
		}
		e.frame++
		e.sum, e.count = 0, 0
	}
	e.last = e.random.NormFloat64()
	e.sum += e.last
	e.count++
	e.total += e.last
	e.step++
	e.observe()
	if e.step < e.length && !final {
		return
	}
	e.close(s, n, world, o, recorded, end)
	e.episode += int64(o.worlds)
	e.begin()
}

// capture fills the columns that only the table capture has.
func (e *exampleWorld) capture(r format.Row) {
	r.Bool(9, e.frame%3 == 0)
	r.Bool(10, false)
	r.Floats(11, []float64{float64(e.frame), math.Pi * float64(e.episode), math.Copysign(0, -1)})
	if e.frame > 0 {
		r.Int(12, e.frame)
	}
	r.Floats(13, []float64{1 / float64(e.frame+1)})
	switch e.random.IntN(5) {
	case 0:
	case 1:
		r.Float(14, math.Inf(1-2*e.random.IntN(2)))
	case 2:
		r.Float(14, math.NaN())
	default:
		r.Float(14, e.random.NormFloat64()*math.Pow(10, float64(e.random.IntN(600)-300)))
	}
	if e.random.IntN(4) > 0 {
		r.Float(15, e.random.NormFloat64())
	}
	if e.random.IntN(3) > 0 {
		bits := make([]bool, 9)
		for i := range bits {
			bits[i] = e.random.IntN(2) == 0
		}
		r.Bools(16, bits)
	}
	if e.random.IntN(3) > 0 {
		r.Ints(17, []int64{e.random.Int64() - e.random.Int64(), e.episode})
	}
}

func (e *exampleWorld) close(s *recorder.BlockWriter, n int64, world int32, o *exampleOptions, recorded bool,
	end int64) {
	complete := e.step == e.length
	key := recorder.Key{N: n, World: world}
	r := s.Begin(2, key)
	for col, v := range []int64{e.episode, int64(world), end, e.step} {
		r.Int(col, v)
	}
	terminated := e.random.IntN(2) == 0
	for i, v := range []bool{complete && terminated, complete && !terminated, false, complete} {
		r.Bool(4+i, v)
	}
	r.Float(8, e.total)
	r.Bool(9, recorded)
	rows, steps := e.frame, e.step
	if o.lie {
		rows++
	}
	if !recorded {
		e.sum, e.count, e.last, rows, steps = e.total, e.step, e.total, 0, 0
	}
	r.Float(10, e.sum)
	r.Int(11, e.count)
	r.Int(12, rows)
	r.Float(13, e.last)
	r.Int(14, 1)
	r.Int(15, steps)
	r.Floats(16, e.seen[:])
	r.Int(17, n+1-e.step)
	s.EndEpisode(key)
}

// rowsOf returns all rows of a table, in its order.
func rowsOf(tb testing.TB, d *recorder.Dataset, table string) [][]any {
	tb.Helper()
	rows, _, err := rowtest.Rows(d.Batches(table))
	polytest.NoError(tb, err)
	return rows
}
