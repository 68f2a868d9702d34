package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// walk checks the rows of one table, world by world. It checks nothing in a table whose rows have no episode, world and time.
type walk struct {
	d     *recorder.Dataset
	table int
	keyed bool

	changes   bool         // of rates or bindings, while the run goes on
	rate      runners.Rate // zero if timestamps are not compared
	beatEvery int64        // boundaries of rate in a period of the beat; 0 if flags are not compared
	episodes  *lookup      // nil without a table of episodes
	worlds    map[int64]*world
	step      *Range
	missing   int64

	stampColumns []stampColumn

	timestamps, times, syncs, firsts, stamps, counts, returns Check
}

// world is the current episode of one world.
type world struct {
	id, episode int64
	k           int64 // boundary of the newest row; the number of rows before it if timestamps are not compared
	ns          int64 // its time
	latest      place // the row with the greatest time
	rows        int64
	reward      float64 // sum of the rows' rewards
	magnitude   float64 // sum of their absolute values
	steps       int64
	stamps      []int64 // newest stamp, by column of stamps
	stamped     []bool  // whether there was one
}

// roundingBound bounds the rounding error of a return that is summed in another order, relative to the sum of absolute values.
const roundingBound = 1e-9

func newWalk(d *recorder.Dataset, table int, opt Options) (*walk, error) {
	t := &d.Tables[table]
	w := &walk{d: d, table: table, changes: opt.ClockChanges, worlds: map[int64]*world{}}
	w.keyed = hasColumn(t, "t_ns", format.Int64) && hasColumn(t, "episode", format.Int64) && hasColumn(t, "world", format.Int32)
	if !w.keyed {
		return w, nil
	}
	w.stampColumns = stampColumns(t)
	check := func(c *Check, name, promise string) {
		*c = Check{Table: t.Name, Name: name, Promise: promise}
	}
	check(&w.timestamps, "timestamps", "t_ns is 0 in the first row of an episode, then the timestamp of each next boundary of the table's rate")
	check(&w.firsts, "first", "first marks the first row of each episode")
	check(&w.times, "times", "t_ns rises from row to row of an episode, and lies from 0 to before the episode's end")
	check(&w.syncs, "sync", "sync marks the rows on the beat")
	check(&w.stamps, "stamps", "no stamp is later than its row less the channel's latency, that of a force channel is earlier, and none goes back")
	check(&w.counts, "rows", "each episode has the rows that the table episodes says, up to its end")
	check(&w.returns, "rewards", "rewards of rows and tail add up to the return")
	switch rate, err := runners.ParseRate(t.Rate); {
	case opt.ClockChanges:
		w.timestamps.Skipped = "rates or bindings change while the run goes on"
	case err != nil:
		w.timestamps.Skipped = fmt.Sprintf("the table states no rate: %v", err)
	default:
		w.rate = rate
		w.beatEvery = ratio(rate, d.Metadata.Beat)
	}
	if w.beatEvery == 0 {
		w.syncs.Skipped = cmp.Or(w.timestamps.Skipped, "the beat is no multiple of the table's period")
	}
	if !hasColumn(t, "sync", format.Bool) {
		w.syncs.Skipped = "no such column"
	}
	if !hasColumn(t, "first", format.Bool) {
		w.firsts.Skipped = "no such column"
	}
	if !hasColumn(t, "reward", format.Float64) || !hasColumn(t, "reward_steps", format.Int32) {
		w.returns.Skipped = "no such column"
	}
	if d.HasEpisodes() {
		w.episodes = newLookup(d)
	} else {
		w.counts.Skipped = "no table of episodes"
		w.returns.Skipped = w.counts.Skipped
	}
	return w, nil
}

func hasColumn(t *format.Table, name string, kind format.Kind) bool {
	return slices.ContainsFunc(t.Columns, func(c format.Column) bool { return c.Name == name && c.Kind == kind && c.Len == 0 })
}

// ratio returns the number of boundaries of a rate in a period of the beat, which is given as a rate or, with an s, as a period. It
// returns 0 if that is no whole number.
func ratio(rate runners.Rate, beat string) int64 {
	period, ok := new(big.Rat), false
	if text, isPeriod := strings.CutSuffix(beat, "s"); isPeriod {
		period, ok = period.SetString(text)
	} else if b, err := runners.ParseRate(beat); err == nil {
		period, ok = big.NewRat(b.Den(), b.Num()), true
	}
	if !ok {
		return 0
	}
	q := period.Mul(period, big.NewRat(rate.Num(), rate.Den()))
	if !q.IsInt() || !q.Num().IsInt64() {
		return 0
	}
	return q.Num().Int64()
}

// batch checks the rows of one batch, whose first row is row number from of the table.
func (w *walk) batch(record arrow.Record, from int64) {
	if !w.keyed {
		return
	}
	schema := record.Schema()
	column := func(name string) arrow.Array {
		if at := schema.FieldIndices(name); len(at) == 1 {
			return record.Column(at[0])
		}
		return nil
	}
	times, _ := column("t_ns").(*array.Int64)
	episodes, _ := column("episode").(*array.Int64)
	worlds, _ := column("world").(*array.Int32)
	syncs, _ := column("sync").(*array.Boolean)
	firsts, _ := column("first").(*array.Boolean)
	rewards, _ := column("reward").(*array.Float64)
	steps, _ := column("reward_steps").(*array.Int32)
	stamps := make([]*array.Int64, len(w.stampColumns))
	for i, s := range w.stampColumns {
		stamps[i] = column(s.name).(*array.Int64)
	}

	for row := range int(record.NumRows()) {
		p := place{from + int64(row), int64(worlds.Value(row)), episodes.Value(row), times.Value(row)}
		m := w.worlds[p.world]
		if m == nil {
			m = &world{id: p.world, episode: -1, stamps: make([]int64, len(stamps)), stamped: make([]bool, len(stamps))}
			w.worlds[p.world] = m
		}
		begins := m.rows == 0 || m.episode != p.episode
		if begins {
			w.finish(m)
			if p.episode <= m.episode && w.counts.broken(false) {
				w.counts.First = fmt.Sprintf("%v: comes after episode %d of the same world", p, m.episode)
			}
			*m = world{id: p.world, episode: p.episode, k: -1, ns: -1, stamps: m.stamps, stamped: m.stamped}
			clear(m.stamped)
		}
		w.timestamp(m, p)
		if w.syncs.Skipped == "" {
			want := m.k%w.beatEvery == 0
			if w.syncs.broken(syncs.Value(row) == want) {
				w.syncs.First = fmt.Sprintf("%v: sync is %v, want %v", p, !want, want)
			}
		}
		if w.firsts.Skipped == "" && w.firsts.broken(firsts.Value(row) == begins) {
			w.firsts.First = fmt.Sprintf("%v: first is %v, want %v", p, !begins, begins)
		}
		if w.returns.Skipped == "" {
			m.reward += rewards.Value(row)
			m.magnitude += math.Abs(rewards.Value(row))
			m.steps += int64(steps.Value(row))
		}
		for i := range stamps {
			w.stamp(m, i, stamps[i], row, p)
		}
		m.rows++
	}
}

// place identifies a row.
type place struct{ row, world, episode, ns int64 }

// String returns the place as messages name it.
func (p place) String() string {
	return fmt.Sprintf("row %d, world %d, episode %d, %d ns", p.row, p.world, p.episode, p.ns)
}

// timestamp compares a row's time with that of the next boundary of its world.
func (w *walk) timestamp(m *world, p place) {
	before := m.ns // −1 at first
	m.ns = p.ns
	if w.times.broken(p.ns > before) {
		w.times.First = fmt.Sprintf("%v: comes after %d ns", p, before)
		if m.rows == 0 {
			w.times.First = fmt.Sprintf("%v: want 0 ns or more", p)
		}
	}
	if m.rows == 0 || p.ns > m.latest.ns {
		m.latest = p
	}
	if m.rows > 0 {
		w.step = w.step.include(p.ns - before)
	}
	if w.rate.IsZero() {
		m.k++
		return
	}
	want := w.rate.Timestamp(m.k + 1)
	if w.timestamps.broken(p.ns == want) {
		w.timestamps.First = fmt.Sprintf("%v: want %d ns", p, want)
	}
	if p.ns == want {
		m.k++
	} else if k := boundariesBefore(w.rate, p.ns); k > m.k {
		w.missing += k - m.k - 1
		m.k = k
	}
}

// boundariesBefore returns the number of boundaries with a timestamp below ns, which is also the index of the first other one.
func boundariesBefore(rate runners.Rate, ns int64) int64 {
	if ns <= 0 {
		return 0
	}
	k := int64(float64(ns) / 1e9 / rate.Seconds())
	for k > 0 && rate.Timestamp(k-1) >= ns {
		k--
	}
	for rate.Timestamp(k) < ns {
		k++
	}
	return k
}

// stampColumn is a column of stamps.
type stampColumn struct {
	name, of string
	force    bool
	latency  int64 // ns
	age      *Range
}

// age returns the range of the ages of a column's values; nil if they have no stamps.
func (w *walk) age(column string) *Range {
	for _, s := range w.stampColumns {
		if s.of == column {
			return s.age
		}
	}
	return nil
}

// stampColumns returns the columns that are named like another one with _stamp_ns.
func stampColumns(t *format.Table) []stampColumn {
	var all []stampColumn
	for _, c := range t.Columns {
		if hasColumn(t, c.Name+"_stamp_ns", format.Int64) {
			all = append(all, stampColumn{c.Name + "_stamp_ns", c.Name, c.Stage == "force", latencyOf(c.Model), nil})
		}
	}
	return all
}

var latencyPart = regexp.MustCompile(`\blatency\(([^)]*)\)`)

// latencyOf returns the latency in a channel's model, as sensors.Channel.Model writes it; 0 if there is none.
func latencyOf(model string) int64 {
	part := latencyPart.FindStringSubmatch(model)
	if part == nil {
		return 0
	}
	latency, err := time.ParseDuration(part[1])
	if err != nil {
		return 0
	}
	return latency.Nanoseconds()
}

// stamp checks one stamp.
func (w *walk) stamp(m *world, i int, stamps *array.Int64, row int, p place) {
	s := &w.stampColumns[i]
	if stamps.IsNull(row) {
		if w.changes {
			m.stamped[i] = false // the channel was switched off
		}
		if w.stamps.broken(!m.stamped[i]) {
			w.stamps.First = fmt.Sprintf("%v: %s is null after %d", p, s.name, m.stamps[i])
		}
		return
	}
	stamp := stamps.Value(row)
	late := stamp > p.ns-s.latency || s.force && stamp == p.ns
	back := stamp < 0 || m.stamped[i] && stamp < m.stamps[i]
	if w.stamps.broken(!late && !back) {
		w.stamps.First = fmt.Sprintf("%v: %s is %d", p, s.name, stamp)
		if back && m.stamped[i] {
			w.stamps.First += fmt.Sprintf(", after %d", m.stamps[i])
		}
		if late && s.latency > 0 {
			w.stamps.First += fmt.Sprintf(", with a latency of %v", time.Duration(s.latency))
		}
	}
	m.stamps[i], m.stamped[i] = stamp, true
	s.age = s.age.include(p.ns - stamp)
}

// finish compares a world's episode with its row in the table of episodes.
func (w *walk) finish(m *world) {
	if m.rows == 0 || w.episodes == nil {
		return
	}
	e, ok := w.episodes.take(m.episode)
	if !ok {
		if w.counts.broken(w.running(m.episode)) {
			w.counts.First = fmt.Sprintf("episode %d of world %d: has %d rows here and none in the table episodes", m.episode, m.id, m.rows)
		}
		return
	}
	if w.times.broken(m.latest.ns < e.LengthNS) {
		w.times.First = fmt.Sprintf("%v: the episode ends at %d ns", m.latest, e.LengthNS)
	}
	part := e.Parts[w.table]
	if !part.Counted || !e.Whole {
		return
	}
	ends := part.Rows
	if !w.rate.IsZero() {
		ends = boundariesBefore(w.rate, e.LengthNS)
	}
	if w.counts.broken(int64(e.World) == m.id && m.rows == part.Rows && ends == part.Rows) {
		w.counts.First = fmt.Sprintf("episode %d: has %d rows in world %d; the table episodes says %d in world %d, and %d boundaries come before its end at %d ns",
			m.episode, m.rows, m.id, part.Rows, e.World, ends, e.LengthNS)
	}
	if w.returns.Skipped == "" {
		sum, steps := m.reward+part.TailReward, m.steps+part.TailSteps
		bound := roundingBound * (m.magnitude + math.Abs(part.TailReward) + math.Abs(e.Return))
		same := math.Abs(sum-e.Return) <= bound || sum == e.Return || math.IsNaN(sum) && math.IsNaN(e.Return)
		if w.returns.broken(same && steps == e.Steps) {
			w.returns.First = fmt.Sprintf("episode %d of world %d: rewards add up to %v in %d steps, want %v in %d",
				m.episode, m.id, sum, steps, e.Return, e.Steps)
		}
	}
}

// running reports whether an episode was running when the run was killed.
func (w *walk) running(episode int64) bool {
	return w.d.Recovery != nil && slices.ContainsFunc(w.d.Recovery.Incomplete, func(e format.IncompleteEpisode) bool {
		return e.Episode == episode && !e.Closed
	})
}

// end finishes all worlds and returns the checks. If the table is damaged, missing rows are not counted as failures.
func (w *walk) end(damaged bool) []Check {
	if !w.keyed {
		return nil
	}
	if w.episodes != nil {
		if !damaged {
			for _, number := range slices.Sorted(maps.Keys(w.worlds)) {
				w.finish(w.worlds[number])
			}
			rest := w.episodes.rest()
			for _, number := range slices.Sorted(maps.Keys(rest)) {
				e := rest[number]
				if part := e.Parts[w.table]; part.Counted && e.Whole && w.counts.broken(part.Rows == 0) {
					w.counts.First = fmt.Sprintf("episode %d of world %d: has no rows, want %d", number, e.World, part.Rows)
				}
			}
		}
		w.episodes.stop()
		if w.episodes.err != nil {
			w.counts.Skipped = "the table episodes cannot be read to its end"
			w.returns.Skipped = w.counts.Skipped
		}
	}
	var checks []Check
	for _, c := range []Check{w.timestamps, w.times, w.syncs, w.firsts, w.stamps, w.counts, w.returns} {
		if c.Skipped != "no such column" {
			checks = append(checks, c)
		}
	}
	return checks
}
