package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// walk checks the rows of one table, world by world; none of a table whose rows have no episode, world and time.
type walk struct {
	d     *recorder.Dataset
	table int
	keyed bool

	changes   bool         // rates or bindings change while the run goes on
	rate      runners.Rate // zero if timestamps are not compared
	beatEvery int64        // boundaries of rate in a period of the beat; 0 if flags are not compared
	episodes  *lookup      // nil without a table of episodes
	worlds    map[int64]*worldEpisode
	row       place // the current row
	step      *Interval
	missing   int64

	stampColumns []stampColumn

	timestamps, times, syncs, firsts, stamps, counts, returns Check
}

// worldEpisode is the current episode of one world.
type worldEpisode struct {
	id, episode int64
	k           int64 // boundary of the newest row; the number of rows before it if timestamps are not compared
	ns          int64 // time of the newest row
	latest      place // the row with the greatest time
	rows        int64
	reward      float64 // sum of the rows' rewards
	magnitude   float64 // sum of their absolute values
	steps       int64
	stamps      []int64 // newest stamp, by column of stamps
	hasStamp    []bool  // by column of stamps: the episode has had a stamp
}

// roundingBound bounds the rounding error of a return summed in another order, relative to the sum of absolute values.
const roundingBound = 1e-9

func newWalk(d *recorder.Dataset, table int, opt Options) *walk {
	t := &d.Tables[table]
	w := &walk{d: d, table: table, changes: opt.ClockChanges, worlds: map[int64]*worldEpisode{}}
	w.keyed = hasColumn(t, "t_ns", format.Int64) && hasColumn(t, "episode", format.Int64) &&
		hasColumn(t, "world", format.Int32)
	if !w.keyed {
		return w
	}
	w.stampColumns = stampColumns(t)
	check := func(c *Check, name, promise string) {
		*c = Check{Table: t.Name, Name: name, Promise: promise}
	}
	check(&w.timestamps, "timestamps", "t_ns is 0 in the first row of an episode, then the timestamp of "+
		"each next boundary of the table's rate")
	check(&w.firsts, "first", "first marks the first row of each episode")
	check(&w.times, "times", "t_ns rises from row to row of an episode, and lies from 0 to before the episode's end")
	check(&w.syncs, "sync", "sync marks the rows on the beat")
	check(&w.stamps, "stamps", "no stamp is later than its row less the channel's latency, that of a force "+
		"channel is earlier, and none goes back")
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
	return w
}

func hasColumn(t *format.Table, name string, kind format.Kind) bool {
	i := t.Column(name)
	return i >= 0 && t.Columns[i].Kind == kind && t.Columns[i].Len == 0
}

// ratio returns the number of boundaries of a rate in a period of the beat, which is given as a rate or, with an s, as
// a period. It returns 0 if that is no whole number.
func ratio(rate runners.Rate, beat string) int64 {
	text, isPeriod := strings.CutSuffix(beat, "s")
	period, ok := new(big.Rat).SetString(text)
	if !ok || period.Sign() <= 0 {
		return 0
	}
	if !isPeriod {
		period.Inv(period)
	}
	q := period.Mul(period, big.NewRat(rate.Num(), rate.Den()))
	if !q.IsInt() || !q.Num().IsInt64() {
		return 0
	}
	return q.Num().Int64()
}

// batch checks the rows of one batch, whose first row has this number in the table.
func (w *walk) batch(l *format.Layout, rows []byte, number int64) {
	if !w.keyed {
		return
	}
	ns, episode, world := l.Column("t_ns"), l.Column("episode"), l.Column("world")
	sync, first := l.Column("sync"), l.Column("first")
	reward, rewardSteps := l.Column("reward"), l.Column("reward_steps")
	for p := &w.row; len(rows) > 0; rows, number = rows[l.Stride:], number+1 {
		*p = place{number, l.Int(rows, world), l.Int(rows, episode), l.Int(rows, ns)}
		m := w.worlds[p.world]
		if m == nil {
			n := len(w.stampColumns)
			m = &worldEpisode{id: p.world, episode: -1, stamps: make([]int64, n), hasStamp: make([]bool, n)}
			w.worlds[p.world] = m
		}
		begins := m.rows == 0 || m.episode != p.episode
		if begins {
			w.finish(m)
			if p.episode <= m.episode {
				w.counts.expect(false, "%v: comes after episode %d of the same world", p, m.episode)
			}
			*m = worldEpisode{id: p.world, episode: p.episode, k: -1, ns: -1, stamps: m.stamps, hasStamp: m.hasStamp}
			clear(m.hasStamp)
		}
		w.timestamp(m)
		if w.syncs.Skipped == "" {
			want := m.k%w.beatEvery == 0
			w.syncs.expect((l.Int(rows, sync) != 0) == want, "%v: sync is %v, want %v", p, !want, want)
		}
		if w.firsts.Skipped == "" {
			w.firsts.expect((l.Int(rows, first) != 0) == begins, "%v: first is %v, want %v", p, !begins, begins)
		}
		if w.returns.Skipped == "" {
			m.reward += l.Float(rows, reward, 0)
			m.magnitude += math.Abs(l.Float(rows, reward, 0))
			m.steps += l.Int(rows, rewardSteps)
		}
		for i := range w.stampColumns {
			w.stamp(m, i, l, rows)
		}
		m.rows++
	}
}

type place struct{ row, world, episode, ns int64 }

// String returns the place as messages name it.
func (p *place) String() string {
	return fmt.Sprintf("row %d, world %d, episode %d, %d ns", p.row, p.world, p.episode, p.ns)
}

// timestamp compares a row's time with that of the next boundary of its world.
func (w *walk) timestamp(m *worldEpisode) {
	p, previous := &w.row, m.ns
	m.ns = p.ns
	if m.rows == 0 {
		w.times.expect(p.ns >= 0, "%v: want 0 ns or more", p)
		m.latest = *p
	} else {
		w.times.expect(p.ns > previous, "%v: comes after %d ns", p, previous)
		w.step = w.step.include(p.ns - previous)
	}
	if p.ns > m.latest.ns {
		m.latest = *p
	}
	if w.rate.IsZero() {
		m.k++
		return
	}
	want := w.rate.Timestamp(m.k + 1)
	w.timestamps.expect(p.ns == want, "%v: want %d ns", p, want)
	if p.ns == want {
		m.k++
	} else if k := boundariesBefore(w.rate, p.ns); k > m.k {
		w.missing += k - m.k - 1
		m.k = k
	}
}

// boundariesBefore returns the number of boundaries before ns, which is also the index of the first other one.
func boundariesBefore(rate runners.Rate, ns int64) int64 {
	atMost := 2 + int(float64(max(0, ns))/1e9/rate.Seconds())
	return int64(sort.Search(atMost, func(k int) bool { return rate.Timestamp(int64(k)) >= ns }))
}

type stampColumn struct {
	name, source string
	column       int
	force        bool
	latency      int64 // ns
	age          *Interval
}

// age returns the range of the ages of a column's values; nil if they have no stamps.
func (w *walk) age(column string) *Interval {
	for _, s := range w.stampColumns {
		if s.source == column {
			return s.age
		}
	}
	return nil
}

// stampColumns returns the columns that are named like another one with _stamp_ns.
func stampColumns(t *format.Table) []stampColumn {
	var all []stampColumn
	for _, c := range t.Columns {
		if name := c.Name + "_stamp_ns"; hasColumn(t, name, format.Int64) {
			all = append(all, stampColumn{name, c.Name, t.Column(name), c.Stage == "force", latencyOf(c.Model), nil})
		}
	}
	return all
}

var latencyPart = regexp.MustCompile(`\blatency\(([^)]*)\)`)

// latencyOf returns the latency in a channel's model, as sensors.Channel.Model writes it; 0 if there is none.
func latencyOf(model string) int64 {
	if part := latencyPart.FindStringSubmatch(model); part != nil {
		if latency, err := time.ParseDuration(part[1]); err == nil {
			return latency.Nanoseconds()
		}
	}
	return 0
}

func (w *walk) stamp(m *worldEpisode, i int, l *format.Layout, row []byte) {
	s, p := &w.stampColumns[i], &w.row
	if l.IsNull(row, s.column) {
		if w.changes {
			m.hasStamp[i] = false // the channel was switched off
		}
		w.stamps.expect(!m.hasStamp[i], "%v: %s is null after %d", p, s.name, m.stamps[i])
		return
	}
	stamp := l.Int(row, s.column)
	late := stamp > p.ns-s.latency || s.force && stamp == p.ns
	back := stamp < 0 || m.hasStamp[i] && stamp < m.stamps[i]
	detail := ""
	if back && m.hasStamp[i] {
		detail = fmt.Sprintf(", after %d", m.stamps[i])
	}
	if late && s.latency > 0 {
		detail += fmt.Sprintf(", with a latency of %v", time.Duration(s.latency))
	}
	w.stamps.expect(!late && !back, "%v: %s is %d%s", p, s.name, stamp, detail)
	m.stamps[i], m.hasStamp[i] = stamp, true
	s.age = s.age.include(p.ns - stamp)
}

// finish compares a world's episode with its row in the table of episodes.
func (w *walk) finish(m *worldEpisode) {
	if m.rows == 0 || w.episodes == nil {
		return
	}
	e, ok := w.episodes.find(m.episode)
	if !ok {
		w.counts.expect(w.running(m.episode), "episode %d of world %d: has %d rows here and none in the table episodes",
			m.episode, m.id, m.rows)
		return
	}
	w.times.expect(m.latest.ns < e.LengthNS, "%v: the episode ends at %d ns", &m.latest, e.LengthNS)
	part := e.Parts[w.table]
	if !part.Counted || !e.Whole {
		return
	}
	ends := part.Rows
	if !w.rate.IsZero() {
		ends = boundariesBefore(w.rate, e.LengthNS)
	}
	w.counts.expect(int64(e.World) == m.id && m.rows == part.Rows && ends == part.Rows,
		"episode %d: has %d rows in world %d; the table episodes says %d in world %d, and %d boundaries come "+
			"before its end at %d ns", m.episode, m.rows, m.id, part.Rows, e.World, ends, e.LengthNS)
	if w.returns.Skipped == "" {
		sum, steps := m.reward+part.TailReward, m.steps+part.TailSteps
		bound := roundingBound * (m.magnitude + math.Abs(part.TailReward) + math.Abs(e.Return))
		same := math.Abs(sum-e.Return) <= bound || sum == e.Return || math.IsNaN(sum) && math.IsNaN(e.Return)
		w.returns.expect(same && steps == e.Steps,
			"episode %d of world %d: rewards add up to %v in %d steps, want %v in %d",
			m.episode, m.id, sum, steps, e.Return, e.Steps)
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
				if part := e.Parts[w.table]; part.Counted && e.Whole {
					w.counts.expect(part.Rows == 0, "episode %d of world %d: has no rows, want %d", number, e.World,
						part.Rows)
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
