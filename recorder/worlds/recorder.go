package worlds

import (
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// contents says what the rows of a table have besides key and reward.
var contents = map[string]struct{ step, agent, channels, pose bool }{
	format.CaptureTable: {step: true, agent: true, channels: true, pose: true},
	format.ControlTable: {step: true, agent: true},
	format.SensorsTable: {channels: true},
}

// Selection says what a [Recorder] records of the worlds of a run.
type Selection struct {
	// Tables are those with rows, in the order of [recorder.Create].
	Tables []TableBinding

	// Control is the rate of control steps.
	Control Rates

	// Channels are the sensors that have columns, by name; nil for all.
	Channels []string

	// ChannelRates are the rates of the channels that change theirs, by name.
	ChannelRates map[string]Rates

	// EveryWorld n records the worlds 0, n, 2n and so on; 0 and 1 record all.
	EveryWorld int

	// Pose is what a renderer draws; the capture table then has a column of that name.
	Pose Pose

	// Returns keeps only the rows of episodes with a return in this range; nil keeps
	// all. An episode's rows then wait in memory until it is closed.
	Returns *Returns
}

// Pose says where a renderer's inputs are. The zero value is for none.
type Pose struct {
	Size  int // values of the probe
	Probe int // its number in [sim.World.Probe]

	// Scenery is the part of a world's state that stays in one episode, such as the
	// ground; the table of episodes then has a column of it. Len 0: none.
	Scenery physics.Span
}

// Returns is the range of returns from Min to Max, both included.
type Returns struct{ Min, Max float64 }

// TableBinding says how often the binding fires that fills a table.
type TableBinding struct {
	Table string
	Rates Rates
}

// Recorder records worlds: a row of a table each time the binding of that table
// fires, and a row of "episodes" for each episode that is closed. It has the
// callbacks of those bindings and implements [sim.Observer].
//
// Its methods may be called for worlds of different blocks from different
// goroutines at once.
type Recorder struct {
	suite        *sensors.Suite
	channels     []int // of the suite, those that have columns
	every        int
	pose         Pose
	returns      *Returns
	tables       []format.Table // those with rows, and the episodes
	rates        []*rateTable
	first        int // world of which progress begins
	columns      episodeColumns
	blockWriters []*recorder.BlockWriter
	values       [][]float64 // per block: room for the longest channel
}

// rateTable is one table with rows.
type rateTable struct {
	index    int // in Recorder.tables
	layout   *format.Layout
	period   float64 // s
	columns  rowColumns
	progress []progress // by row of the sim
}

// progress is the state of one world in one table.
type progress struct {
	tally tally
	held  held // while its binding fires in Acquisition
	kept  kept // the running episode's rows, while they wait for its return
}

// held is a row that may be at its episode's end. An episode covers [0, T), so a row
// at T does not belong to it. A binding that fires in Acquisition, before the step
// is rewarded, does not know T yet, so its newest row is held back.
type held struct {
	waits bool
	key   recorder.Key
	bytes []byte
	ns    int64
	since tally // what the row has counted, if the row is dropped
}

// kept holds rows of one episode and table.
type kept struct {
	keys []recorder.Key
	data []byte
}

// begin adds a row.
func (k *kept) begin(l *format.Layout, key recorder.Key) format.Row {
	at := len(k.data)
	k.keys, k.data = append(k.keys, key), l.Extend(k.data)
	return l.Row(k.data[at:])
}

func (k *kept) reset() { k.keys, k.data = k.keys[:0], k.data[:0] }

// tally counts what a world has done since its last row.
type tally struct {
	reward float64 // sum, in step order
	steps  int64
	rows   int64 // of the episode so far
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
		if s.Pose.Size > 0 && suite.Info(i).Name == poseColumn {
			return nil, fmt.Errorf("a sensor channel is called %s, like the column that recording.pose adds, want another name or recording.pose false", poseColumn)
		}
	}
	for i, b := range s.Tables {
		if _, ok := contents[b.Table]; !ok {
			return nil, fmt.Errorf("table %q; want %s, %s or %s", b.Table, format.CaptureTable, format.ControlTable, format.SensorsTable)
		}
		t := &rateTable{index: i, period: b.Rates.fastest().Seconds()}
		c.tables = append(c.tables, c.rowTable(b, spec, s, &t.columns))
		t.layout = format.NewLayout(&c.tables[i])
		c.rates = append(c.rates, t)
	}
	c.tables = append(c.tables, c.episodeTable(spec))
	return c, nil
}

// Tables returns the tables that are written, for [recorder.Create].
func (c *Recorder) Tables() []format.Table { return c.tables }

// Bind sets the writer of the tables, the worlds that the sim holds and the number of their
// blocks.
func (c *Recorder) Bind(w *recorder.Writer, worlds sim.Slice, blocks int) {
	longest := 0
	for _, i := range c.channels {
		longest = max(longest, c.suite.Size(i))
	}
	for _, t := range c.rates {
		t.progress = make([]progress, worlds.Len())
	}
	c.first = worlds.From
	c.blockWriters = make([]*recorder.BlockWriter, blocks)
	c.values = make([][]float64, blocks)
	for b := range blocks {
		c.blockWriters[b] = w.BlockWriter(b)
		c.values[b] = make([]float64, longest)
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

// Records reports whether rows of a world are recorded.
func (c *Recorder) Records(world int) bool { return world%c.every == 0 }

// Callback returns the callback of a table's binding: one row of the world as it
// stands.
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
	p, col := &t.progress[w.Row()], &t.columns
	row := c.begin(t, p, w, ctx.Phase)
	row.Int(col.time, w.NS())
	row.Int(col.episode, w.Episode())
	row.Int(col.world, int64(w.Index()))
	if col.step >= 0 {
		row.Int(col.step, w.StepN())
		row.Bool(col.sync, ctx.Sync)
		row.Bool(col.first, p.tally.rows == 0)
		row.Bool(col.fault, w.Fault() != physics.FaultNone)
	}
	row.Float(col.reward, p.tally.reward)
	row.Int(col.rewardSteps, p.tally.steps)
	if col.action >= 0 {
		if action, ns, ok := w.Action(); ok {
			row.Floats32(col.action, action)
			row.Int(col.action+1, ns)
		}
		if observation, ns, ok := w.Observation(); ok {
			row.Floats(col.observation, observation)
			row.Int(col.observation+1, ns)
		}
	}
	if col.channels >= 0 {
		for i, channel := range c.channels {
			value := c.values[w.Block()][:c.suite.Size(channel)]
			ns, ok := w.Read(value, channel)
			row.Floats(col.channels+2*i, value)
			if ok {
				row.Int(col.channels+2*i+1, ns)
			}
		}
	}
	if col.pose >= 0 {
		pose, ns := w.Probe(c.pose.Probe)
		row.Floats(col.pose, pose)
		row.Int(col.pose+1, ns)
	}
	p.tally = tally{rows: p.tally.rows + 1}
}

// begin begins the world's next row, of a binding that fires in a phase. The row that
// was held is now certain.
func (c *Recorder) begin(t *rateTable, p *progress, w *sim.World, phase runners.Phase) format.Row {
	c.dropForgotten(t, p, w)
	c.release(t, p, w)
	if phase > runners.Acquisition {
		return c.beginCertain(t, p, w, keyOf(w))
	}
	h := &p.held
	h.waits, h.key, h.ns, h.since = true, keyOf(w), w.NS(), p.tally
	h.bytes = t.layout.Extend(h.bytes[:0])
	return t.layout.Row(h.bytes)
}

// beginCertain begins a row that belongs to its episode.
func (c *Recorder) beginCertain(t *rateTable, p *progress, w *sim.World, key recorder.Key) format.Row {
	if c.returns == nil {
		return c.blockWriters[w.Block()].Begin(t.index, key)
	}
	return p.kept.begin(t.layout, key)
}

// release writes the world's held row, if there is one.
func (c *Recorder) release(t *rateTable, p *progress, w *sim.World) {
	if h := &p.held; h.waits {
		h.waits = false
		c.beginCertain(t, p, w, h.key).Copy(h.bytes)
	}
}

// dropForgotten drops the held row if it is of an earlier episode, one that was
// restarted before its first step had ended.
func (c *Recorder) dropForgotten(t *rateTable, p *progress, w *sim.World) {
	if p.held.waits && t.layout.Int(p.held.bytes, t.columns.episode) != w.Episode() {
		p.dropHeld()
	}
}

// dropHeld drops the held row and restores what it has counted.
func (p *progress) dropHeld() {
	h := &p.held
	h.waits = false
	p.tally = tally{reward: h.since.reward + p.tally.reward, steps: h.since.steps + p.tally.steps, rows: h.since.rows}
}

// endHeld writes or drops the held row of a world whose episode has length ns.
func (c *Recorder) endHeld(t *rateTable, p *progress, w *sim.World, ns int64) {
	c.dropForgotten(t, p, w)
	if p.held.waits && p.held.ns >= ns {
		p.dropHeld()
	}
	c.release(t, p, w)
}

// endKept writes or drops the rows that waited for their episode's return.
func (c *Recorder) endKept(t *rateTable, p *progress, w *sim.World, wanted bool) {
	if wanted {
		blockWriter := c.blockWriters[w.Block()]
		stride := t.layout.Stride
		for i, key := range p.kept.keys {
			blockWriter.Begin(t.index, key).Copy(p.kept.data[i*stride:][:stride])
		}
	}
	p.kept.reset()
}

// Rewarded implements [sim.Observer].
func (c *Recorder) Rewarded(w *sim.World, reward float64) {
	for _, t := range c.rates {
		p := &t.progress[w.Row()]
		p.tally.reward += reward
		p.tally.steps++
	}
}

// Ended implements [sim.Observer].
func (c *Recorder) Ended(w *sim.World, e sim.Episode) {
	recorded := c.Records(w.Index()) &&
		(c.returns == nil || c.returns.Min <= e.Return && e.Return <= c.returns.Max)
	blockWriter := c.blockWriters[w.Block()]
	row := blockWriter.Begin(len(c.tables)-1, keyOf(w))
	row.Int(epEpisode, e.Number)
	row.Int(epWorld, int64(w.Index()))
	row.Int(epStart, e.Start)
	row.Int(epLength, e.LengthNS)
	row.Int(epSteps, e.Steps)
	row.Bool(epTerminated, e.Terminated)
	row.Bool(epTruncated, e.Truncated)
	row.Bool(epFault, e.Fault != physics.FaultNone)
	row.Bool(epComplete, e.Complete)
	row.Float(epReturn, e.Return)
	row.Bool(epRecorded, recorded)
	for i, t := range c.rates {
		p := &t.progress[w.Row()]
		c.endHeld(t, p, w, e.LengthNS)
		if c.returns != nil {
			c.endKept(t, p, w, recorded)
		}
		if !recorded { // without rows, all of it comes after the last one
			p.tally = tally{reward: e.Return, steps: e.Steps}
		}
		col := epParts + epPartLen*i
		row.Float(col+epTailReward, p.tally.reward)
		row.Int(col+epTailSteps, p.tally.steps)
		row.Int(col+epRows, p.tally.rows)
		p.tally = tally{}
	}
	row.Floats(c.columns.final, e.FinalObservation)
	if c.columns.scenery >= 0 {
		row.Floats(c.columns.scenery, c.pose.Scenery.In(w.State()))
	}
	for i, sum := range e.InfoSum {
		row.Float(c.columns.infos+i, sum/float64(e.Steps))
	}
	blockWriter.EndEpisode(keyOf(w))
}

// EndSegment hands the rows of a block's finished segment to the writer. Every
// block must end every segment.
func (c *Recorder) EndSegment(block int) error { return c.blockWriters[block].EndSegment() }

func keyOf(w *sim.World) recorder.Key {
	return recorder.Key{N: w.StepN(), OffsetNS: w.StepOffsetNS(), World: int32(w.Index())}
}
