package inspect

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// run is a recorded run as data: what each test makes different before it is written.
type run struct {
	meta     format.Metadata
	rows     []row
	episodes []episode

	gyroModel string
}

type row struct {
	ns, episode, world int64
	sync, first        bool
	reward             float64
	steps              int64
	gyro               []float64
	gyroStamp          *int64
	force              float64
	forceStamp         *int64
}

type episode struct {
	number, world, ns, steps, rows, tailSteps int64
	sum, tail                                 float64
}

// newRun is a run that keeps all promises: two worlds, three episodes each, control at 50 Hz and rows at 30 Hz.
func newRun() *run {
	r := &run{meta: format.Metadata{Task: "test", Beat: "10", Runners: []format.Runner{{Name: "Robot", Rate: "50"},
		{Name: "Capture", Rate: "30"}}}}
	random := rand.New(rand.NewPCG(1, 1))
	control, capture := runners.Hz(50), runners.Hz(30)
	for number := range int64(6) {
		e := episode{number: number, world: number % 2, steps: 7 + 3*number}
		e.ns = control.Timestamp(e.steps)
		rewarded := int64(0)
		for ; capture.Timestamp(e.rows) < e.ns; e.rows++ {
			ns := capture.Timestamp(e.rows)
			w := row{ns: ns, episode: number, world: e.world, sync: ns%1e8 == 0, first: e.rows == 0, force: random.Float64(),
				gyro: []float64{random.NormFloat64(), random.NormFloat64()}}
			for ; control.Timestamp(rewarded+1) <= ns; rewarded++ {
				reward := random.NormFloat64()
				w.reward += reward
				w.steps++
				e.sum += reward
			}
			stamp := ns / 2e6 * 2e6
			w.gyroStamp = &stamp
			if ns > 0 {
				before := (ns - 1) / 2e6 * 2e6
				w.forceStamp = &before
			}
			r.rows = append(r.rows, w)
		}
		for ; rewarded < e.steps; rewarded++ {
			reward := random.NormFloat64()
			e.tail += reward
			e.tailSteps++
			e.sum += reward
		}
		r.episodes = append(r.episodes, e)
	}
	return r
}

// write records the run and opens it.
func (r *run) write(t *testing.T) *recorder.Dataset {
	t.Helper()
	tables := []format.Table{
		{Name: "capture", Rate: "30", BatchRows: 7, Columns: []format.Column{
			{Name: "t_ns", Kind: format.Int64}, {Name: "episode", Kind: format.Int64}, {Name: "world", Kind: format.Int32},
			{Name: "sync", Kind: format.Bool}, {Name: "first", Kind: format.Bool},
			{Name: "reward", Kind: format.Float64}, {Name: "reward_steps", Kind: format.Int32},
			{Name: "gyro", Kind: format.Float64, Len: 2, Unit: "rad/s", Stage: "motion",
				Model: r.gyroModel}, {Name: "gyro_stamp_ns", Kind: format.Int64, Nullable: true},
			{Name: "force", Kind: format.Float64, Stage: "force"}, {Name: "force_stamp_ns", Kind: format.Int64, Nullable: true},
		}},
		{Name: "episodes", Columns: []format.Column{
			{Name: "episode", Kind: format.Int64}, {Name: "world", Kind: format.Int32}, {Name: "start_n", Kind: format.Int64},
			{Name: "length_ns", Kind: format.Int64}, {Name: "steps", Kind: format.Int64}, {Name: "terminated",
				Kind: format.Bool},
			{Name: "truncated", Kind: format.Bool}, {Name: "fault", Kind: format.Bool}, {Name: "complete", Kind: format.Bool},
			{Name: "return", Kind: format.Float64}, {Name: "tail_reward", Kind: format.Float64},
			{Name: "tail_reward_steps", Kind: format.Int32}, {Name: "rows", Kind: format.Int64},
		}},
	}
	dir := t.TempDir()
	w := polytest.Must(recorder.Create(dir, tables, 1, r.meta, recorder.Options{Sync: recorder.SyncNever}))(t)
	s := w.BlockWriter(0)
	for i, v := range r.rows {
		out := s.Begin(0, recorder.Key{N: int64(i)})
		out.Int(0, v.ns)
		out.Int(1, v.episode)
		out.Int(2, v.world)
		out.Bool(3, v.sync)
		out.Bool(4, v.first)
		out.Float(5, v.reward)
		out.Int(6, v.steps)
		out.Floats(7, v.gyro)
		if v.gyroStamp != nil {
			out.Int(8, *v.gyroStamp)
		}
		out.Float(9, v.force)
		if v.forceStamp != nil {
			out.Int(10, *v.forceStamp)
		}
	}
	for i, e := range r.episodes {
		out := s.Begin(1, recorder.Key{N: int64(i)})
		for col, v := range map[int]int64{0: e.number, 1: e.world, 2: 0, 3: e.ns, 4: e.steps, 11: e.tailSteps, 12: e.rows} {
			out.Int(col, v)
		}
		for col, v := range map[int]bool{5: false, 6: true, 7: false, 8: true} {
			out.Bool(col, v)
		}
		out.Float(9, e.sum)
		out.Float(10, e.tail)
	}
	polytest.NoError(t, s.EndSegment())
	polytest.NoError(t, w.Close())
	d := polytest.Must(recorder.Open(dir))(t)
	return d
}

func inspected(t *testing.T, r *run, opt Options) *Report {
	t.Helper()
	report := polytest.Must(Dataset(t.Context(), r.write(t), opt))(t)
	return report
}

// failed lists the broken checks of a report.
func failed(r *Report) map[string]string {
	broken := map[string]string{}
	for _, c := range r.Checks {
		if c.Failed > 0 {
			broken[c.Name] = c.First
		}
	}
	return broken
}

func TestAllPromisesKept(t *testing.T) {
	r := newRun()
	var seen []int64
	report := inspected(t, r, Options{Progress: func(done, total int64) { seen = append(seen, done, total) }})
	if broken := failed(report); len(broken) > 0 || !report.OK {
		t.Errorf("broken: %q", broken)
	}
	examined := map[string]int64{}
	for _, c := range report.Checks {
		polytest.Equal(t, c.Skipped, "", "%s is skipped", c.Name)
		if c.Table == "capture" {
			examined[c.Name] = c.Examined
		}
	}
	n := int64(len(r.rows))
	for name, want := range map[string]int64{"checksums": (n + 6) / 7, "timestamps": n, "times": n + 6, "sync": n,
		"first": n, "stamps": 2 * n, "rows": 6, "rewards": 6} {
		if examined[name] != want {
			t.Errorf("%s: %d cases, want %d", name, examined[name], want)
		}
	}
	total := n + 6
	if k := len(seen); k == 0 || seen[k-1] != total || seen[k-2] != total {
		t.Errorf("progress %v, want the last to be %d of %d", seen, total, total)
	}
	table := report.Tables[0]
	if table.Rows != n || table.Missing != 0 || *table.Step != (Interval{33_333_333, 33_333_334}) {
		t.Errorf("table: %d rows, %d missing, step %v", table.Rows, table.Missing, table.Step)
	}
	if e := report.Episodes; e == nil || e.Count != 6 || e.Truncated != 6 || e.LengthS.Min != 0.14 ||
		e.LengthS.Max != 0.44 {
		t.Errorf("episodes: %+v", e)
	}
	if _, err := json.Marshal(report); err != nil {
		t.Error(err)
	}
}

// Each promise, broken in one place, is found there, and no other one is.
func TestBrokenPromises(t *testing.T) {
	stamp := func(ns int64) *int64 { return &ns }
	for name, c := range map[string]struct {
		edit  func(r *run)
		check string
		want  string
	}{
		"a timestamp off by one": {func(r *run) { r.rows[4].ns++ }, "timestamps",
			"row 4, world 0, episode 0, 133333334 ns: want 133333333 ns"},
		"sync not set": {func(r *run) { r.rows[3].sync = false }, "sync",
			"row 3, world 0, episode 0, 100000000 ns: sync is false, want true"},
		"sync set":      {func(r *run) { r.rows[1].sync = true }, "sync", "sync is true, want false"},
		"first set":     {func(r *run) { r.rows[2].first = true }, "first", "row 2, "},
		"first not set": {func(r *run) { r.rows[0].first = false }, "first", "row 0, "},
		"a sample of the future": {func(r *run) { r.rows[1].gyroStamp = stamp(34e6) }, "stamps",
			"gyro_stamp_ns is 34000000"},
		"a force of now": {func(r *run) { r.rows[3].forceStamp = stamp(100e6) }, "stamps",
			"row 3, world 0, episode 0, 100000000 ns: force_stamp_ns is 100000000"},
		"a sample older than before": {func(r *run) { r.rows[2].gyroStamp = stamp(30e6) }, "stamps",
			"gyro_stamp_ns is 30000000, after 32000000"},
		"a sample before it arrives": {func(r *run) { r.gyroModel = "gaussian(std=0.1), latency(1µs), jitter(2ms)" },
			"stamps", "row 0, world 0, episode 0, 0 ns: gyro_stamp_ns is 0, with a latency of 1µs"},
		"a stamp that vanishes": {func(r *run) { r.rows[2].gyroStamp = nil }, "stamps",
			"gyro_stamp_ns is null after 32000000"},
		"a reward too many": {func(r *run) { r.rows[2].reward += 1e-6 }, "rewards",
			"episode 0 of world 0: rewards add up to "},
		"a step too many": {func(r *run) { r.rows[2].steps++ }, "rewards", "in 8 steps, want "},
		"a row too few": {func(r *run) { r.episodes[2].rows++ }, "rows",
			"has 8 rows in world 0; the table episodes says 9 in world 0, and 8 boundaries come before its end at 260000000 ns"},
		"a longer episode": {func(r *run) { r.episodes[2].ns = 280e6 }, "rows",
			"9 boundaries come before its end at 280000000 ns"},
		"another world": {func(r *run) { r.episodes[2].world = 1 }, "rows", "says 8 in world 1"},
		"an episode nobody closed": {func(r *run) { r.episodes = append(r.episodes[:2:2], r.episodes[3:]...) }, "rows",
			"episode 2 of world 0: has 8 rows here and none in the table episodes"},
		"an episode without rows": {func(r *run) {
			r.episodes = append(r.episodes, episode{number: 6, world: 0, ns: 20e6, steps: 1, rows: 1, tailSteps: 1})
		}, "rows", "episode 6 of world 0: has no rows, want 1"},
	} {
		r := newRun()
		c.edit(r)
		report := inspected(t, r, Options{})
		broken := failed(report)
		if len(broken) != 1 || !strings.Contains(broken[c.check], c.want) || report.OK {
			t.Errorf("%s: broken %q, want %s with %q", name, broken, c.check, c.want)
		}
	}
}

// Also where the clock changes, an episode of length T has rows at rising times in [0, T).
func TestTimesWhereTheClockChanges(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(r *run)
		want string
	}{
		"a row at the end": {func(r *run) { r.rows[4].ns = r.episodes[0].ns },
			"row 4, world 0, episode 0, 140000000 ns: the episode ends at 140000000 ns"},
		"a row twice": {func(r *run) { r.rows[3].ns = r.rows[2].ns },
			"row 3, world 0, episode 0, 66666666 ns: comes after 66666666 ns"},
		"a row before the last": {func(r *run) { r.rows[3].ns = r.rows[1].ns }, "comes after 66666666 ns"},
		"a row before time 0":   {func(r *run) { r.rows[0].ns = -1 }, "row 0, world 0, episode 0, -1 ns: want 0 ns or more"},
	} {
		r := newRun()
		c.edit(r)
		for i := range r.rows { // stamps are checked elsewhere
			r.rows[i].gyroStamp, r.rows[i].forceStamp = nil, nil
		}
		broken := failed(inspected(t, r, Options{ClockChanges: true}))
		if len(broken) != 1 || !strings.Contains(broken["times"], c.want) {
			t.Errorf("%s: broken %q, want times with %q", name, broken, c.want)
		}
	}
}

// A gap is told with its length; rows after it are again compared with the timestamps.
func TestGap(t *testing.T) {
	r := newRun()
	r.rows = append(r.rows[:2:2], r.rows[4:]...)
	report := inspected(t, r, Options{})
	polytest.Equal(t, report.Tables[0].Missing, 2, "rows missing")
	for _, c := range report.Checks {
		if c.Name == "timestamps" && c.Failed != 1 {
			t.Errorf("timestamps failed %d times, want 1", c.Failed)
		}
	}
	if broken := failed(report); broken["timestamps"] == "" || broken["rows"] == "" {
		t.Errorf("broken %q, want timestamps and rows", broken)
	}
}

// Where the clock changes, timestamps and beats are not foretold, and the report says so. A channel may be switched
// off.
func TestClockChanges(t *testing.T) {
	r := newRun()
	r.rows[3].gyroStamp = nil // world 0 again after row 2, in the same episode
	if broken := failed(inspected(t, r, Options{})); len(broken) != 1 {
		t.Errorf("a channel without a stamp: broken %q, want stamps", broken)
	}
	r.rows[4].ns += 5
	r.rows[4].sync = true
	report := inspected(t, r, Options{ClockChanges: true})
	if broken := failed(report); len(broken) > 0 {
		t.Errorf("broken %q", broken)
	}
	skipped := 0
	for _, c := range report.Checks {
		if strings.Contains(c.Skipped, "while the run goes on") {
			skipped++
		}
	}
	polytest.Equal(t, skipped, 2, "checks skipped")
}

// A beat too slow for a rate stands as a period.
func TestBeatAsPeriod(t *testing.T) {
	hz := runners.Hz
	third := polytest.Must(runners.NewRate(200, 3))(t)
	for _, c := range []struct {
		rate runners.Rate
		beat string
		want int64
	}{
		{hz(30), "10", 3}, {hz(500), "10", 50}, {third, "2/3", 100}, {hz(997), "1001s", 997 * 1001}, {hz(2), "3/2s", 3},
		{hz(30), "20", 0}, {hz(30), "", 0}, {hz(30), "xs", 0},
	} {
		polytest.Equal(t, ratio(c.rate, c.beat), c.want, "%v on a beat of %q: every", c.rate, c.beat)
	}
}

// Statistics are those of a plain sum over all values.
func TestStatistics(t *testing.T) {
	r := newRun()
	r.rows[3].gyro[1] = math.NaN()
	r.rows[5].gyro[1] = math.Inf(-1)
	report := inspected(t, r, Options{})
	gyro := report.Tables[0].Columns[7]
	if gyro.Name != "gyro" || gyro.Type != "float64[2]" || len(gyro.Elements) != 2 || gyro.Unit != "rad/s" {
		t.Fatalf("column 7 is %+v", gyro)
	}
	var all []float64
	for part, s := range gyro.Elements {
		var values []float64
		for _, row := range r.rows {
			if v := row.gyro[part]; !math.IsNaN(v) && !math.IsInf(v, 0) {
				values = append(values, v)
			}
		}
		compare(t, "element", s, values)
		all = append(all, values...)
	}
	compare(t, "all", gyro.All, all)
	if gyro.All.NotFinite != 2 || gyro.Elements[0].NotFinite != 0 {
		t.Errorf("%d and %d values are not finite, want 2 and 0", gyro.All.NotFinite, gyro.Elements[0].NotFinite)
	}
	if gyro.Age == nil || gyro.Age.Min != 0 || gyro.Age.Max != 1_333_333 {
		t.Errorf("ages %v, want 0 to 1333333 ns", gyro.Age)
	}
	if nulls := report.Tables[0].Columns[10].Nulls; nulls != 6 {
		t.Errorf("force_stamp_ns has %d nulls, want one in each of 6 episodes", nulls)
	}
}

func compare(t *testing.T, what string, got Statistics, values []float64) {
	t.Helper()
	n, sum, squares := float64(len(values)), 0.0, 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		sum += v
		low, high = min(low, v), max(high, v)
	}
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	if got.Count != int64(n) || got.Min != low || got.Max != high ||
		math.Abs(float64(got.Mean)-sum/n) > 1e-12 || math.Abs(float64(got.Std)-math.Sqrt(squares/n)) > 1e-12 {
		t.Errorf("%s: %+v, want %v values from %v to %v, mean %v, deviation %v", what, got, n, low, high, sum/n,
			math.Sqrt(squares/n))
	}
}
