package worlds

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// contents says what the rows of a table have besides key and reward.
var contents = map[string]struct{ step, agent, channels, pose, infos bool }{
	format.CaptureTable: {step: true, agent: true, channels: true, pose: true},
	format.ControlTable: {step: true, agent: true, infos: true},
	format.SensorsTable: {channels: true},
}

// Selection says what a [Recorder] records of the worlds of a run.
type Selection struct {
	Tables       []TableRates     // tables with rows, in the order of [recorder.Create]
	Control      Rates            // rates of control steps
	Channels     []string         // names of the sensors that have columns; nil for all
	ChannelRates map[string]Rates // rates by name, of the channels that change theirs
	Varying      []string         // names of the cameras whose focal lengths each world has of its own
	EveryWorld   int              // n records the worlds 0, n, 2n and so on; 0 and 1 record all
	Pose         Pose             // pose that a renderer draws: the capture table then has a column of that name
	// Returns keeps only the rows of episodes with a return in this range; nil keeps all. An episode's rows then wait
	// in memory until it is closed.
	Returns *Returns
	Infos   bool // the table control has a column of the task's infos, and that of episodes those of the last step
}

// Pose says where a renderer's inputs are. The zero value is for none.
type Pose struct {
	Size  int // number of values of the probe
	Probe int // its number in [sim.World.Probe]
	// Looks are the parameters of worlds that cameras see, the next probes, with LookSize values in all; the capture
	// table then has a column of them.
	Looks    []string
	LookSize int
	// Scenery is the part of a world's state that stays in one episode, such as the ground; the table of episodes then
	// has a column of it. Len 0: none.
	Scenery physics.Span
}

// Returns is the range of returns from Min to Max, both included.
type Returns struct{ Min, Max float64 }

// TableRates says how often rows of a table are recorded.
type TableRates struct {
	Table string
	Rates Rates
}

// Recorder records worlds: a row of a table each time the binding of that table fires, and a row of "episodes" for each
// episode that is closed. It has the callbacks of those bindings and implements [sim.Observer].
//
// Its methods may be called for worlds of different blocks from different goroutines at once.
type Recorder struct {
	suite    *sensors.Suite
	channels []int // numbers of the suite's channels that have columns
	every    int
	pose     Pose
	returns  *Returns
	tables   []format.Table // tables with rows, and the table of episodes
	rates    []*rateTable
	first    int // world whose rows are first in progress
	episode  []episodeField
	parts    int // number of the first column of the table of episodes that is about a single table
	blocks   []block
}

// block is what the rows of a block need, and what only its goroutine uses.
type block struct {
	writer *recorder.BlockWriter
	values []float64 // room for the longest channel
	moment moment    // moment of the row that is being filled: a local variable would be allocated
}

type rateTable struct {
	index    int // number of the table in Recorder.tables
	layout   *format.Layout
	period   float64 // s
	fields   []field
	progress []progress // by row of the sim
}

// progress is the state of one world in one table.
type progress struct {
	tally tally

	// Rows of the running episode that wait: for its return, or its end. An episode covers [0, T). A binding that fires
	// in Acquisition, before the step is rewarded, does not know T yet, so its newest row, which may be at T, is held.
	keys       []recorder.Key
	rows       []byte
	hasHeldRow bool  // the newest of these rows may be at the episode's end
	ns         int64 // time of the newest row
	heldTally  tally // what the newest row has counted, in case it is dropped
}

func (p *progress) reset() { p.keys, p.rows = p.keys[:0], p.rows[:0] }

// tally counts what a world has done since its last row.
type tally struct {
	Reward float64 // sum, in step order
	Steps  int64
	Rows   int64 // number of rows of the episode so far
}

// New prepares to record worlds with the task that spec describes and the channels
// of suite. Bind must be called before the first row.
func New(spec sim.Spec, suite *sensors.Suite, s Selection) (*Recorder, error) {
	c := &Recorder{suite: suite, every: max(1, s.EveryWorld), pose: s.Pose, returns: s.Returns}
	for _, name := range s.Channels {
		i, err := suite.Find(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(c.channels, i) {
			return nil, fmt.Errorf("sensor channel %q is selected twice", name)
		}
		c.channels = append(c.channels, i)
	}
	if s.Channels == nil {
		for i := range suite.Len() {
			c.channels = append(c.channels, i)
		}
	}
	for _, i := range c.channels {
		name := suite.Info(i).Name
		if s.Pose.Size > 0 && name == format.PoseColumn || len(s.Pose.Looks) > 0 && name == format.LookColumn {
			return nil, fmt.Errorf("a sensor channel is called %s, like a column that recording.pose adds, want "+
				"another name or recording.pose false", name)
		}
	}
	for i, b := range s.Tables {
		if _, ok := contents[b.Table]; !ok {
			return nil, fmt.Errorf("table %q; want %s, %s or %s", b.Table, format.CaptureTable, format.ControlTable,
				format.SensorsTable)
		}
		t := &rateTable{index: i, period: b.Rates.fastest().Seconds()}
		c.tables = append(c.tables, t.describe(c, b, spec, s))
		t.layout = format.NewLayout(&c.tables[i])
		c.rates = append(c.rates, t)
	}
	c.tables = append(c.tables, c.episodeTable(spec, s.Infos))
	return c, nil
}

// Tables returns the tables that are written, for [recorder.Create].
func (c *Recorder) Tables() []format.Table { return c.tables }

// Bind sets the writer of the tables, the worlds that the sim holds and the number of their blocks.
func (c *Recorder) Bind(w *recorder.Writer, worlds sim.Slice, blocks int) {
	longest := c.pose.LookSize
	for _, i := range c.channels {
		longest = max(longest, c.suite.Size(i))
	}
	for _, t := range c.rates {
		t.progress = make([]progress, worlds.Len())
	}
	c.first = worlds.From
	c.blocks = make([]block, blocks)
	for b := range blocks {
		c.blocks[b] = block{writer: w.BlockWriter(b), values: make([]float64, longest)}
	}
}

// StagedPerSecond returns the memory, in bytes, that the rows of one world take in a
// second of simulated time while they wait to be written.
func (c *Recorder) StagedPerSecond() float64 {
	bytes := 0.0
	for _, t := range c.rates {
		bytes += float64(recorder.StagedRowBytes(&c.tables[t.index])) / t.period
	}
	return bytes
}

// Bytes returns about the memory, in bytes, of what is recorded of so many worlds beside the rows that wait to be
// written: the row of each that its episode's end decides, once more in each of so many snapshots, and the batches that
// a writer with these options fills.
func (c *Recorder) Bytes(worlds, snapshots int, options recorder.Options) int64 {
	n := int64(0)
	for i := range c.tables {
		n += recorder.BatchBytes(&c.tables[i], options)
	}
	for _, t := range c.rates {
		row := recorder.StagedRowBytes(&c.tables[t.index])
		n += int64(worlds) * (int64(unsafe.Sizeof(progress{})) + int64(1+snapshots)*row)
	}
	return n
}

// Records reports whether rows of a world are recorded.
func (c *Recorder) Records(world int) bool { return world%c.every == 0 }

// Callback returns the callback of a table's binding: one row of the world as it stands.
func (c *Recorder) Callback(table string) func(*runners.StepContext, *sim.World) {
	for _, t := range c.rates {
		if c.tables[t.index].Name == table {
			return func(ctx *runners.StepContext, w *sim.World) {
				if c.Records(w.Index()) {
					c.record(t, ctx, w)
				}
			}
		}
	}
	panic(fmt.Sprintf("worlds: no table %q is selected", table))
}

func (c *Recorder) record(t *rateTable, ctx *runners.StepContext, w *sim.World) {
	p := &t.progress[w.Row()]
	row := c.beginRow(t, p, w, ctx.Phase)
	b := &c.blocks[w.Block()]
	m := &b.moment
	m.world, m.ctx, m.tally, m.room = w, ctx, p.tally, b.values // beginRow may change the tally
	for i := range t.fields {
		t.fields[i].set(row, t.fields[i].column, m)
	}
	p.tally = tally{Rows: p.tally.Rows + 1}
}

// beginRow begins the world's next row, of a binding that fires in a phase. The row that was held is now certain.
func (c *Recorder) beginRow(t *rateTable, p *progress, w *sim.World, phase runners.Phase) format.Row {
	c.dropForgotten(t, p, w)
	c.release(t, p, w)
	if phase <= runners.Acquisition {
		p.hasHeldRow, p.ns, p.heldTally = true, w.NS(), p.tally
	} else if c.returns == nil {
		return c.blocks[w.Block()].writer.Begin(t.index, keyOf(w))
	}
	start := len(p.rows)
	p.keys, p.rows = append(p.keys, keyOf(w)), t.layout.Extend(p.rows)
	return t.layout.Row(p.rows[start:])
}

// release says that the held row, if there is one, belongs to its episode.
func (c *Recorder) release(t *rateTable, p *progress, w *sim.World) {
	if p.hasHeldRow && c.returns == nil {
		c.write(t, p, w)
	}
	p.hasHeldRow = false
}

// write writes the rows that wait.
func (c *Recorder) write(t *rateTable, p *progress, w *sim.World) {
	for i, key := range p.keys {
		c.blocks[w.Block()].writer.Begin(t.index, key).Copy(p.rows[i*t.layout.Stride:][:t.layout.Stride])
	}
	p.reset()
}

// dropForgotten drops the held row of an earlier episode, one that was restarted before its first step had ended.
func (c *Recorder) dropForgotten(t *rateTable, p *progress, w *sim.World) {
	if p.hasHeldRow && t.layout.Int(p.rows[len(p.rows)-t.layout.Stride:], rowEpisode) != w.Episode() {
		p.dropHeld(t.layout.Stride)
	}
}

// dropHeld drops the held row and restores what it has counted.
func (p *progress) dropHeld(stride int) {
	p.hasHeldRow, p.keys, p.rows = false, p.keys[:len(p.keys)-1], p.rows[:len(p.rows)-stride]
	p.tally = tally{p.heldTally.Reward + p.tally.Reward, p.heldTally.Steps + p.tally.Steps, p.heldTally.Rows}
}

// end writes or drops the rows that wait of a world whose episode has length ns. wanted says that it is recorded.
func (c *Recorder) end(t *rateTable, p *progress, w *sim.World, ns int64, wanted bool) {
	c.dropForgotten(t, p, w)
	if p.hasHeldRow && p.ns >= ns {
		p.dropHeld(t.layout.Stride)
	}
	c.release(t, p, w)
	if wanted {
		c.write(t, p, w)
	}
	p.reset()
}

// Rewarded implements [sim.Observer].
func (c *Recorder) Rewarded(w *sim.World, reward float64) {
	for _, t := range c.rates {
		p := &t.progress[w.Row()]
		p.tally.Reward += reward
		p.tally.Steps++
	}
}

// Ended implements [sim.Observer].
func (c *Recorder) Ended(w *sim.World, e sim.Episode) {
	recorded := c.Records(w.Index()) &&
		(c.returns == nil || c.returns.Min <= e.Return && e.Return <= c.returns.Max)
	blockWriter := c.blocks[w.Block()].writer
	row := blockWriter.Begin(len(c.tables)-1, keyOf(w))
	for i := range c.episode {
		c.episode[i].set(row, c.episode[i].column, w, e)
	}
	row.Bool(c.parts-1, recorded)
	for i, t := range c.rates {
		p := &t.progress[w.Row()]
		c.end(t, p, w, e.LengthNS, recorded)
		if !recorded { // without rows, all rewards come after the last row
			p.tally = tally{Reward: e.Return, Steps: e.Steps}
		}
		col := c.parts + 3*i
		row.Float(col, p.tally.Reward)
		row.Int(col+1, p.tally.Steps)
		row.Int(col+2, p.tally.Rows)
		p.tally = tally{}
	}
	blockWriter.EndEpisode(keyOf(w))
}

// EndSegment hands the rows of a block's finished segment to the writer. Every block must end every segment.
func (c *Recorder) EndSegment(block int) error { return c.blocks[block].writer.EndSegment() }

func keyOf(w *sim.World) recorder.Key {
	return recorder.Key{N: w.StepN(), OffsetNS: w.StepOffsetNS(), World: int32(w.Index())}
}
