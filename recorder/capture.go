package recorder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Names of the tables a [Capture] writes. All but the table of episodes hold rows
// at the rate of a binding, keyed by episode, world and t_ns.
const (
	CaptureTable  = "capture"  // everything, at the recorder's rate
	ControlTable  = "control"  // what the agent saw and did, at the control rate
	SensorsTable  = "sensors"  // the channels, at the sensors' rate
	EpisodesTable = "episodes" // each episode, when it is closed
)

// contents says what the rows of a table hold besides their key and their reward.
var contents = map[string]struct{ step, agent, channels bool }{
	CaptureTable: {step: true, agent: true, channels: true},
	ControlTable: {step: true, agent: true},
	SensorsTable: {channels: true},
}

// Selection says what a [Capture] records of the worlds of a run.
type Selection struct {
	// Tables are those with rows, in the order in which [Create] has them; the first
	// one is the dataset's folder itself.
	Tables []TableBinding

	// Control is the rate of control steps.
	Control runners.Rate

	// Channels are the sensors that have columns, by name; nil for all.
	Channels []string

	// EveryWorld n records the worlds 0, n, 2n and so on; 0 and 1 record all.
	EveryWorld int

	// Returns keeps only the rows of episodes whose return it holds; nil keeps all.
	// An episode's rows then wait in memory until it is closed.
	Returns *Returns
}

// Returns are the returns from Min to Max, both included.
type Returns struct{ Min, Max float64 }

// TableBinding says where the rows of a table come from: a binding that fires at a
// rate.
type TableBinding struct {
	Table string
	Rate  runners.Rate
}

// Capture records worlds: a row of a table each time the binding of that table
// fires, and a row of "episodes" for each episode that is closed. It holds the
// callbacks of those bindings and is an observer of the sim.
//
// Its methods may be called for worlds of different blocks from different
// goroutines at once.
type Capture struct {
	suite        *sensors.Suite
	channels     []int // of the suite, those that have columns
	every        int
	returns      *Returns
	tables       []Table // those with rows, and the episodes
	rates        []*rateTable
	columns      episodeColumns
	blockWriters []*BlockWriter
	values       [][]float64 // per block: room for the longest channel
}

// rateTable is what a capture knows of one table with rows.
type rateTable struct {
	index    int     // in Capture.tables
	period   float64 // s
	columns  rowColumns
	progress []progress // worlds
}

// progress is how far one world has come in one table.
type progress struct {
	tally tally
	held  held   // while its binding fires in Acquisition
	kept  staged // the running episode's rows, where they wait for its return
}

// held is a row that may turn out to lie at its episode's end. An episode covers
// [0, T), so a row at T is none; but where the binding fires in Acquisition, before
// the step is judged, that is not known yet, and the newest row waits.
type held struct {
	waits bool
	key   Key
	bytes []byte
	ns    int64
	since tally // what the row took over, to be given back
}

// tally is what a world has done since its last row.
type tally struct {
	reward float64 // sum, in step order
	steps  int64
	rows   int64 // of the episode so far
}

// NewCapture prepares the recording of worlds that do the task spec describes,
// with the channels of suite. Bind comes before the first row.
func NewCapture(spec sim.Spec, suite *sensors.Suite, s Selection) (*Capture, error) {
	c := &Capture{suite: suite, every: max(1, s.EveryWorld), returns: s.Returns}
	for _, name := range s.Channels {
		i, err := suite.Find(name)
		if err != nil {
			return nil, fmt.Errorf("recorder: %w", err)
		}
		if slices.Contains(c.channels, i) {
			return nil, fmt.Errorf("recorder: sensor channel %q is selected twice", name)
		}
		c.channels = append(c.channels, i)
	}
	if s.Channels == nil {
		for i := range suite.Len() {
			c.channels = append(c.channels, i)
		}
	}
	for i, b := range s.Tables {
		if _, ok := contents[b.Table]; !ok {
			return nil, fmt.Errorf("recorder: table %q; want %s, %s or %s", b.Table, CaptureTable, ControlTable, SensorsTable)
		}
		t := &rateTable{index: i, period: b.Rate.Seconds()}
		c.tables = append(c.tables, c.rowTable(b, spec, s.Control, &t.columns))
		c.rates = append(c.rates, t)
	}
	c.tables = append(c.tables, c.episodeTable(spec))
	return c, nil
}

// Tables describes what is written, for [Create].
func (c *Capture) Tables() []Table { return c.tables }

// Bind gives the capture the writer of its tables, for a number of worlds in
// blocks of a size.
func (c *Capture) Bind(w *Writer, worlds, blocks int) {
	longest := 0
	for _, i := range c.channels {
		longest = max(longest, c.suite.Size(i))
	}
	for _, t := range c.rates {
		t.progress = make([]progress, worlds)
	}
	c.blockWriters = make([]*BlockWriter, blocks)
	c.values = make([][]float64, blocks)
	for b := range blocks {
		c.blockWriters[b] = w.BlockWriter(b)
		c.values[b] = make([]float64, longest)
	}
}

// StagedPerSecond is about how many bytes of memory the rows of one world take in a
// second of simulated time while they wait to be written.
func (c *Capture) StagedPerSecond() float64 {
	bytes := 0.0
	for _, t := range c.rates {
		bytes += float64(newLayout(&c.tables[t.index]).stride+keyBytes) / t.period
	}
	return bytes
}

// Records reports whether rows of a world are recorded.
func (c *Capture) Records(world int) bool { return world%c.every == 0 }

// Callback returns the callback of a table's binding: one row of the world as it
// stands.
func (c *Capture) Callback(table string) func(*runners.StepContext, *sim.World) {
	for _, t := range c.rates {
		if c.tables[t.index].Name == table {
			return func(ctx *runners.StepContext, w *sim.World) {
				if c.Records(w.Index()) {
					c.record(t, ctx, w)
				}
			}
		}
	}
	panic(fmt.Sprintf("recorder: no table %q is selected", table))
}

func (c *Capture) record(t *rateTable, ctx *runners.StepContext, w *sim.World) {
	p, col := &t.progress[w.Index()], &t.columns
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
	p.tally = tally{rows: p.tally.rows + 1}
}

// begin begins the world's next row, of a binding that fires in a phase; the one that
// waited is now certain.
func (c *Capture) begin(t *rateTable, p *progress, w *sim.World, phase runners.Phase) Row {
	c.dropForgotten(t, p, w)
	c.release(t, p, w)
	if phase > runners.Acquisition {
		return c.beginCertain(t, p, w, keyOf(w))
	}
	h := &p.held
	h.waits, h.key, h.ns, h.since = true, keyOf(w), w.NS(), p.tally
	return c.blockWriters[w.Block()].blank(t.index, &h.bytes)
}

// beginCertain begins a row that is one of its episode's, whatever comes.
func (c *Capture) beginCertain(t *rateTable, p *progress, w *sim.World, key Key) Row {
	blockWriter := c.blockWriters[w.Block()]
	if c.returns == nil {
		return blockWriter.Begin(t.index, key)
	}
	l := blockWriter.layout(t.index)
	return Row{layout: l, bytes: p.kept.begin(l, key)}
}

// release hands over the world's waiting row, if there is one.
func (c *Capture) release(t *rateTable, p *progress, w *sim.World) {
	if h := &p.held; h.waits {
		h.waits = false
		copy(c.beginCertain(t, p, w, h.key).bytes, h.bytes)
	}
}

// dropForgotten drops the waiting row where it is of an earlier episode: one that was
// restarted before its first step had ended, and so is none.
func (c *Capture) dropForgotten(t *rateTable, p *progress, w *sim.World) {
	if !p.held.waits {
		return
	}
	row := Row{layout: c.blockWriters[w.Block()].layout(t.index), bytes: p.held.bytes}
	if row.int64(t.columns.episode) != w.Episode() {
		p.dropHeld()
	}
}

// dropHeld drops the waiting row, and gives back what it took over.
func (p *progress) dropHeld() {
	h := &p.held
	h.waits = false
	p.tally = tally{reward: h.since.reward + p.tally.reward, steps: h.since.steps + p.tally.steps, rows: h.since.rows}
}

// endHeld decides on the waiting row of a world whose episode has length ns.
func (c *Capture) endHeld(t *rateTable, p *progress, w *sim.World, ns int64) {
	c.dropForgotten(t, p, w)
	if p.held.waits && p.held.ns >= ns {
		p.dropHeld()
	}
	c.release(t, p, w)
}

// endKept hands over the rows that waited for their episode's return, or drops
// them.
func (c *Capture) endKept(t *rateTable, p *progress, w *sim.World, wanted bool) {
	if wanted {
		blockWriter := c.blockWriters[w.Block()]
		stride := blockWriter.layout(t.index).stride
		for i, key := range p.kept.keys {
			copy(blockWriter.Begin(t.index, key).bytes, p.kept.data[i*stride:][:stride])
		}
	}
	p.kept.reset()
}

// Rewarded implements [sim.Observer].
func (c *Capture) Rewarded(w *sim.World, reward float64) {
	for _, t := range c.rates {
		p := &t.progress[w.Index()]
		p.tally.reward += reward
		p.tally.steps++
	}
}

// Ended implements [sim.Observer].
func (c *Capture) Ended(w *sim.World, e sim.Episode) {
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
		p := &t.progress[w.Index()]
		c.endHeld(t, p, w, e.LengthNS)
		if c.returns != nil {
			c.endKept(t, p, w, recorded)
		}
		if !recorded { // without rows all of it comes after the last one
			p.tally = tally{reward: e.Return, steps: e.Steps}
		}
		col := epParts + epPartLen*i
		row.Float(col+epTailReward, p.tally.reward)
		row.Int(col+epTailSteps, p.tally.steps)
		row.Int(col+epRows, p.tally.rows)
		p.tally = tally{}
	}
	row.Floats(c.columns.final, e.FinalObservation)
	for i, sum := range e.InfoSum {
		row.Float(c.columns.infos+i, sum/float64(e.Steps))
	}
	blockWriter.EndEpisode(keyOf(w))
}

// EndSegment hands the rows of a block's finished segment to the writer. Every
// block must end every segment.
func (c *Capture) EndSegment(block int) error { return c.blockWriters[block].EndSegment() }

func keyOf(w *sim.World) Key {
	return Key{N: w.StepN(), OffsetNS: w.StepOffsetNS(), World: int32(w.Index())}
}

// rowColumns are the places of columns in a table with rows; -1 where the table
// does not have them. A value that has a stamp is followed by it.
type rowColumns struct {
	time, episode, world     int
	step, sync, first, fault int
	reward, rewardSteps      int
	action, observation      int
	channels                 int // a value and a stamp each
}

// rowTable describes a table with rows, and notes where its columns are.
func (c *Capture) rowTable(b TableBinding, spec sim.Spec, control runners.Rate, at *rowColumns) Table {
	has := contents[b.Table]
	t := Table{
		Name: b.Table,
		Rate: b.Rate.String(),
		Description: "One row each time its binding fires in a world, at the time t_ns since its episode began. " +
			"Every value carries the time it belongs to.",
	}
	*at = rowColumns{step: -1, sync: -1, first: -1, fault: -1, action: -1, observation: -1, channels: -1}
	add := func(place *int, columns ...Column) {
		*place = len(t.Columns)
		t.Columns = append(t.Columns, columns...)
	}
	add(&at.time, Column{Name: "t_ns", Kind: Int64, Unit: "ns", Source: "clock", Description: "time since the episode began"})
	add(&at.episode, Column{Name: "episode", Kind: Int64, Source: "run", Description: "run-wide number of the episode"})
	add(&at.world, Column{Name: "world", Kind: Int32, Source: "run", Description: "world the episode ran in"})
	if has.step {
		add(&at.step, Column{Name: "n", Kind: Int64, Source: "run", Description: "run-wide number of the control step"})
		add(&at.sync, Column{Name: "sync", Kind: Bool, Source: "clock", Description: "all runners have a boundary at this instant"})
		add(&at.first, Column{Name: "first", Kind: Bool, Source: "recorder", Description: "first row of its episode"})
		add(&at.fault, Column{Name: "fault", Kind: Bool, Source: "physics", Description: "the world has failed; physics stands at its last valid state"})
	}
	add(&at.reward, Column{Name: "reward", Kind: Float64, Source: "task", Rate: control.String(), Description: "sum of the control rewards stamped after the previous row, up to t_ns"})
	add(&at.rewardSteps, Column{Name: "reward_steps", Kind: Int32, Source: "recorder", Description: "number of control rewards in reward"})
	if has.agent {
		add(&at.action, Column{
			Name: "action", Kind: Float32, Len: spec.ActionSize, Nullable: true,
			Source: "controller", Rate: control.String(), Names: spec.ActionNames, Description: "action in force",
			Low: bounds(spec.ActionLow), High: bounds(spec.ActionHigh), Choices: spec.Discrete,
		}, stampColumn("action"))
		add(&at.observation, Column{
			Name: "observation", Kind: observationKind(spec), Len: spec.ObservationSize, Nullable: true,
			Source: "task", Rate: control.String(), Names: spec.ObservationNames, Description: "newest observation",
			Low: bounds(spec.ObservationLow), High: bounds(spec.ObservationHigh),
		}, stampColumn("observation"))
	}
	if has.channels {
		add(&at.channels)
		for _, i := range c.channels {
			info := c.suite.Info(i)
			t.Columns = append(t.Columns, Column{
				Name:        info.Name,
				Kind:        Float64,
				Len:         info.Size,
				Unit:        info.Unit,
				Source:      strings.Join(info.Sources, ","),
				Rate:        info.Rate.String(),
				Frame:       info.Frame,
				Stage:       info.Stage.String(),
				Model:       info.Channel.Model(),
				Description: fmt.Sprintf("%s channel on runner %s", info.Stage, info.Runner),
			}, stampColumn(info.Name))
		}
	}
	return t
}

// observationKind is the type that holds the task's observations as they are.
func observationKind(spec sim.Spec) Kind {
	if spec.Float32Observations {
		return Float32
	}
	return Float64
}

func stampColumn(of string) Column {
	return Column{
		Name: of + "_stamp_ns", Kind: Int64, Nullable: true, Unit: "ns", Source: "clock",
		Description: "time that " + of + " belongs to; null before the first one of the episode",
	}
}

// Columns of the episodes table, up to those whose place the tables and the task
// decide.
const (
	epEpisode = iota
	epWorld
	epStart
	epLength
	epSteps
	epTerminated
	epTruncated
	epFault
	epComplete
	epReturn
	epRecorded
	epParts // epPartLen for each table with rows
)

// Columns about one table in the episodes table, from the first of them.
const (
	epTailReward = iota
	epTailSteps
	epRows
	epPartLen
)

// episodeColumns are the places of the columns behind epParts.
type episodeColumns struct {
	final int
	infos int // a mean for each of the task's infos
}

func (c *Capture) episodeTable(spec sim.Spec) Table {
	t := Table{
		Name:        EpisodesTable,
		Description: "One row for each episode, when it is closed.",
		// Few and precious: each is safe when its segment ends.
		BatchRows:     64,
		FlushSegments: 1,
		Columns: []Column{
			epEpisode:    {Name: "episode", Kind: Int64, Source: "run", Description: "run-wide number of the episode"},
			epWorld:      {Name: "world", Kind: Int32, Source: "run", Description: "world the episode ran in"},
			epStart:      {Name: "start_n", Kind: Int64, Source: "run", Description: "run-wide number of its first control step"},
			epLength:     {Name: "length_ns", Kind: Int64, Unit: "ns", Source: "clock", Description: "its end T; it covers [0, T)"},
			epSteps:      {Name: "steps", Kind: Int64, Source: "run", Description: "control steps"},
			epTerminated: {Name: "terminated", Kind: Bool, Source: "task", Description: "ended by the task's own rules"},
			epTruncated:  {Name: "truncated", Kind: Bool, Source: "run", Description: "ended by its time limit or by a fault"},
			epFault:      {Name: "fault", Kind: Bool, Source: "physics", Description: "ended by a fault"},
			epComplete:   {Name: "complete", Kind: Bool, Source: "run", Description: "false where the run ended first"},
			epReturn:     {Name: "return", Kind: Float64, Source: "task", Description: "sum of its control rewards"},
			epRecorded:   {Name: "recorded", Kind: Bool, Source: "recorder", Description: "its rows are kept; false where the configuration selects others"},
		},
	}
	for i := range c.rates {
		name, prefix := c.tables[i].Name, partPrefix(c.tables, i)
		t.Columns = append(t.Columns,
			Column{Name: prefix + "tail_reward", Kind: Float64, Source: "task", Description: "sum of the control rewards after its last row in table " + name},
			Column{Name: prefix + "tail_reward_steps", Kind: Int32, Source: "recorder", Description: "number of control rewards in " + prefix + "tail_reward"},
			Column{Name: prefix + "rows", Kind: Int64, Source: "recorder", Description: "its rows in table " + name},
		)
	}
	c.columns.final = len(t.Columns)
	t.Columns = append(t.Columns, Column{
		Name: "final_observation", Kind: observationKind(spec), Len: spec.ObservationSize, Source: "task", Names: spec.ObservationNames, Description: "last observation",
	})
	c.columns.infos = len(t.Columns)
	for _, name := range spec.InfoNames {
		t.Columns = append(t.Columns, Column{
			Name: "mean_" + name, Kind: Float64, Source: "task", Description: "mean over the control steps of the task's " + name,
		})
	}
	return t
}
