package recorder

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Names of the tables a [Capture] writes.
const (
	CaptureTable  = "capture"
	EpisodesTable = "episodes"
)

// Places of the tables in [Capture.Tables].
const (
	captureTable = iota
	episodesTable
)

// Columns of the capture table; the channels' follow, a value and a stamp each.
const (
	colTime = iota
	colEpisode
	colWorld
	colStep
	colSync
	colFirst
	colFault
	colReward
	colRewardSteps
	colAction
	colActionStamp
	colObservation
	colObservationStamp
	colChannels
)

// Columns of the episodes table.
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
	epTailReward
	epTailSteps
	epRows
	epFinal
	epInfos // a mean for each of the task's infos
)

// Capture records worlds into two tables: a row of "capture" each time its
// binding fires, and a row of "episodes" for each episode that is closed. It is
// the callback of that binding and the observer of the sim.
//
// Its methods may be called for worlds of different blocks from different
// goroutines at once.
type Capture struct {
	suite  *sensors.Suite
	tables []Table
	slots  []*Slot
	tally  []tally     // worlds
	values [][]float64 // per block: room for the longest channel

	early bool   // fires in Acquisition
	held  []held // worlds, if early
}

// held is a row that may turn out to lie at its episode's end. An episode covers
// [0, T), so a row at T is none; but a recorder that fires in Acquisition, before
// the step is judged, cannot know yet, and its newest row waits.
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
// with the channels of suite, where its binding fires at the given rate and
// phase. Bind comes before the first row.
func NewCapture(spec sim.Spec, suite *sensors.Suite, rate runners.Rate, phase runners.Phase) *Capture {
	return &Capture{suite: suite, early: phase == runners.Acquisition, tables: []Table{
		captureTable:  captureColumns(spec, suite, rate),
		episodesTable: episodeColumns(spec),
	}}
}

// Tables describes what is written, for [Create].
func (c *Capture) Tables() []Table { return c.tables }

// Bind gives the capture the writer of its tables, for a number of worlds in
// blocks of a size.
func (c *Capture) Bind(w *Writer, worlds, blocks int) {
	longest := 0
	for i := range c.suite.Len() {
		longest = max(longest, c.suite.Info(i).Size)
	}
	c.tally = make([]tally, worlds)
	if c.early {
		c.held = make([]held, worlds)
	}
	c.slots = make([]*Slot, blocks)
	c.values = make([][]float64, blocks)
	for b := range blocks {
		c.slots[b] = w.Slot(b)
		c.values[b] = make([]float64, longest)
	}
}

func captureColumns(spec sim.Spec, suite *sensors.Suite, rate runners.Rate) Table {
	t := Table{
		Name: CaptureTable,
		Rate: rate.String(),
		Description: "One row each time the recorder fires in a world, at the time t_ns since its episode began. " +
			"Every value carries the time it belongs to.",
		Columns: []Column{
			colTime:             {Name: "t_ns", Kind: Int64, Unit: "ns", Description: "time since the episode began"},
			colEpisode:          {Name: "episode", Kind: Int64, Description: "run-wide number of the episode"},
			colWorld:            {Name: "world", Kind: Int32, Description: "world the episode ran in"},
			colStep:             {Name: "n", Kind: Int64, Description: "run-wide number of the control step"},
			colSync:             {Name: "sync", Kind: Bool, Description: "all runners have a boundary at this instant"},
			colFirst:            {Name: "first", Kind: Bool, Description: "first row of its episode"},
			colFault:            {Name: "fault", Kind: Bool, Description: "the world has failed; physics stands at its last valid state"},
			colReward:           {Name: "reward", Kind: Float64, Description: "sum of the control rewards stamped after the previous row, up to t_ns"},
			colRewardSteps:      {Name: "reward_steps", Kind: Int32, Description: "number of control rewards in reward"},
			colAction:           {Name: "action", Kind: Float32, Len: spec.ActionSize, Nullable: true, Description: "action in force"},
			colActionStamp:      stampColumn("action"),
			colObservation:      {Name: "observation", Kind: Float64, Len: spec.ObservationSize, Nullable: true, Description: "newest observation"},
			colObservationStamp: stampColumn("observation"),
		},
	}
	for i := range suite.Len() {
		info := suite.Info(i)
		t.Columns = append(t.Columns, Column{
			Name:   info.Name,
			Kind:   Float64,
			Len:    info.Size,
			Unit:   info.Unit,
			Source: fmt.Sprint(info.Sources),
			Rate:   info.Rate.String(),
			Frame:  info.Frame,
			Stage:  info.Stage.String(),
			Description: fmt.Sprintf("%s channel on runner %s, noise %s, latency %v",
				info.Stage, info.Runner, info.Noise, info.Latency),
		}, stampColumn(info.Name))
	}
	return t
}

func stampColumn(of string) Column {
	return Column{
		Name: of + "_stamp_ns", Kind: Int64, Nullable: true, Unit: "ns",
		Description: "time that " + of + " belongs to; null before the first one of the episode",
	}
}

func episodeColumns(spec sim.Spec) Table {
	t := Table{
		Name:        EpisodesTable,
		Description: "One row for each episode, when it is closed.",
		// Few and precious: each batch is safe sooner.
		BatchRows: 64,
		Columns: []Column{
			epEpisode:    {Name: "episode", Kind: Int64, Description: "run-wide number of the episode"},
			epWorld:      {Name: "world", Kind: Int32, Description: "world the episode ran in"},
			epStart:      {Name: "start_n", Kind: Int64, Description: "run-wide number of its first control step"},
			epLength:     {Name: "length_ns", Kind: Int64, Unit: "ns", Description: "its end T; it covers [0, T)"},
			epSteps:      {Name: "steps", Kind: Int64, Description: "control steps"},
			epTerminated: {Name: "terminated", Kind: Bool, Description: "ended by the task's own rules"},
			epTruncated:  {Name: "truncated", Kind: Bool, Description: "ended by its time limit or by a fault"},
			epFault:      {Name: "fault", Kind: Bool, Description: "ended by a fault"},
			epComplete:   {Name: "complete", Kind: Bool, Description: "false where the run ended first"},
			epReturn:     {Name: "return", Kind: Float64, Description: "sum of its control rewards"},
			epTailReward: {Name: "tail_reward", Kind: Float64, Description: "sum of the control rewards after its last row"},
			epTailSteps:  {Name: "tail_reward_steps", Kind: Int32, Description: "number of control rewards in tail_reward"},
			epRows:       {Name: "rows", Kind: Int64, Description: "rows of the capture table"},
			epFinal:      {Name: "final_observation", Kind: Float64, Len: spec.ObservationSize, Description: "last observation"},
		},
	}
	for _, name := range spec.InfoNames {
		t.Columns = append(t.Columns, Column{
			Name: "mean_" + name, Kind: Float64, Description: "mean over the control steps of the task's " + name,
		})
	}
	return t
}

// Record is the binding's callback: one row of the world as it stands.
func (c *Capture) Record(ctx *runners.StepContext, w *sim.World) {
	t := &c.tally[w.Index()]
	row := c.begin(w)
	row.Int(colTime, w.NS())
	row.Int(colEpisode, w.Episode())
	row.Int(colWorld, int64(w.Index()))
	row.Int(colStep, w.StepN())
	row.Bool(colSync, ctx.Sync)
	row.Bool(colFirst, t.rows == 0)
	row.Bool(colFault, w.Fault() != physics.FaultNone)
	row.Float(colReward, t.reward)
	row.Int(colRewardSteps, t.steps)
	if action, ns, ok := w.Action(); ok {
		row.Floats32(colAction, action)
		row.Int(colActionStamp, ns)
	}
	if observation, ns, ok := w.Observation(); ok {
		row.Floats(colObservation, observation)
		row.Int(colObservationStamp, ns)
	}
	for i := range c.suite.Len() {
		value := c.values[w.Block()][:c.suite.Size(i)]
		ns, ok := w.Read(value, i)
		row.Floats(colChannels+2*i, value)
		if ok {
			row.Int(colChannels+2*i+1, ns)
		}
	}
	*t = tally{rows: t.rows + 1}
}

// begin begins the world's next row; the one that waited is now certain.
func (c *Capture) begin(w *sim.World) Row {
	slot := c.slots[w.Block()]
	if !c.early {
		return slot.Begin(captureTable, keyOf(w))
	}
	c.release(w)
	h := &c.held[w.Index()]
	h.waits, h.key, h.ns, h.since = true, keyOf(w), w.NS(), c.tally[w.Index()]
	return slot.blank(captureTable, &h.bytes)
}

// release hands over the world's waiting row, if there is one.
func (c *Capture) release(w *sim.World) {
	if h := &c.held[w.Index()]; h.waits {
		h.waits = false
		copy(c.slots[w.Block()].Begin(captureTable, h.key).bytes, h.bytes)
	}
}

// endHeld decides on the waiting row of a world whose episode has length ns.
func (c *Capture) endHeld(w *sim.World, ns int64) {
	if h := &c.held[w.Index()]; h.waits && h.ns >= ns {
		h.waits = false
		t := &c.tally[w.Index()]
		*t = tally{reward: h.since.reward + t.reward, steps: h.since.steps + t.steps, rows: h.since.rows}
		return
	}
	c.release(w)
}

// Rewarded implements [sim.Observer].
func (c *Capture) Rewarded(w *sim.World, reward float64) {
	t := &c.tally[w.Index()]
	t.reward += reward
	t.steps++
}

// Ended implements [sim.Observer].
func (c *Capture) Ended(w *sim.World, e sim.Episode) {
	if c.early {
		c.endHeld(w, e.LengthNS)
	}
	t := &c.tally[w.Index()]
	row := c.slots[w.Block()].Begin(episodesTable, keyOf(w))
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
	row.Float(epTailReward, t.reward)
	row.Int(epTailSteps, t.steps)
	row.Int(epRows, t.rows)
	row.Floats(epFinal, e.FinalObservation)
	for i, sum := range e.InfoSum {
		row.Float(epInfos+i, sum/float64(e.Steps))
	}
	*t = tally{}
}

// EndSegment hands the rows of a block's finished segment to the writer. Every
// block must end every segment.
func (c *Capture) EndSegment(block int) error { return c.slots[block].EndSegment() }

func keyOf(w *sim.World) Key {
	return Key{N: w.StepN(), OffsetNS: w.StepOffsetNS(), World: int32(w.Index())}
}
