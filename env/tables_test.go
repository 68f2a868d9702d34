package env

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// record plays a configuration and opens what it recorded.
func record(t *testing.T, cfg *configs.Config, steps, segment int) *recorder.Dataset {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	e := open(t, cfg, OpenOptions{Dataset: dir})
	play(t, e, steps, segment)
	polytest.NoError(t, e.Close())
	return polytest.Must(recorder.Open(dir))(t)
}

// at is a place in an episode.
type at struct{ episode, ns int64 }

// cells reads a column of lists, and with it each row's place by a column of times; rows whose time is null are left
// out.
func cells(t *testing.T, d *recorder.Dataset, table, column, times string) (rows map[at]string, order []at) {
	t.Helper()
	rows = map[at]string{}
	for record, err := range d.Batches(table) {
		polytest.NoError(t, err)
		episode := column64(t, record, "episode")
		ns := column64(t, record, times)
		list := record.Column(record.Schema().FieldIndices(column)[0]).(*array.FixedSizeList)
		for i := range episode.Len() {
			if ns.IsNull(i) {
				continue
			}
			from, to := list.ValueOffsets(i)
			part := array.NewSlice(list.ListValues(), from, to)
			key := at{episode.Value(i), ns.Value(i)}
			before, twice := rows[key]
			if rows[key] = fmt.Sprint(part); !twice {
				order = append(order, key)
			} else if rows[key] != before {
				t.Fatalf("%s of episode %d has two values at %s %d: %s and %s", column, key.episode, times, key.ns, before,
					rows[key])
			}
			part.Release()
		}
	}
	return rows, order
}

func column64(t *testing.T, record arrow.Record, name string) *array.Int64 {
	t.Helper()
	at := record.Schema().FieldIndices(name)
	if len(at) != 1 {
		t.Fatalf("%d columns %q, want 1", len(at), name)
	}
	return record.Column(at[0]).(*array.Int64)
}

// The tables of one run join exactly: what a 30 Hz row says and when it was, a row of the 50 Hz and of the 500 Hz table
// says too, bit for bit, and each table gives the returns.
func TestTablesJoinExactly(t *testing.T) {
	cfg := preset(t, "quadruped", "max_steps=23", "recording.tables=[capture, control, sensors]",
		"recording.batch_rows=333")
	d := record(t, cfg, 70, 7)

	for _, join := range []struct {
		table, time string // where each sample stands, and the column of its time
		columns     []string
	}{
		{format.ControlTable, "t_ns", []string{"action", "observation"}},
		// motion: at the sample's own instant
		{format.SensorsTable, "t_ns", []string{"gyro", "joint_position", "joint_velocity"}},
		{format.SensorsTable, "", []string{"gyro", "accelerometer", "foot_contact", "orientation"}},
	} {
		for _, column := range join.columns {
			stamp := column + "_stamp_ns"
			time := join.time
			if time == "" {
				time = stamp
			}
			want, order := cells(t, d, format.CaptureTable, column, stamp)
			got, _ := cells(t, d, join.table, column, time)
			if len(order) < 100 {
				t.Fatalf("%s: %d stamped rows to join, want many", column, len(order))
			}
			for _, key := range order {
				if got[key] != want[key] {
					t.Fatalf("%s of episode %d at %d ns: capture says %s, %s says %s", column, key.episode, key.ns, want[key],
						join.table, got[key])
				}
			}
		}
	}

	ends := table(t, d, format.EpisodesTable, "episode", "return", "steps",
		"tail_reward", "tail_reward_steps", "rows", "control_tail_reward", "control_tail_reward_steps", "control_rows",
		"sensors_tail_reward", "sensors_tail_reward_steps", "sensors_rows")
	for name, prefix := range map[string]string{format.CaptureTable: "", format.ControlTable: "control_",
		format.SensorsTable: "sensors_"} {
		rows := table(t, d, name, "episode", "reward", "reward_steps")
		sums, steps, count := map[float64]float64{}, map[float64]float64{}, map[float64]float64{}
		for i, episode := range rows["episode"] {
			sums[episode] += rows["reward"][i]
			steps[episode] += rows["reward_steps"][i]
			count[episode]++
		}
		for i, episode := range ends["episode"] {
			if got, want := sums[episode]+ends[prefix+"tail_reward"][i], ends["return"][i]; math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: rows and tail of episode %v add up to %v, return %v", name, episode, got, want)
			}
			if got, want := steps[episode]+ends[prefix+"tail_reward_steps"][i], ends["steps"][i]; got != want {
				t.Errorf("%s: rows and tail of episode %v hold %v rewards of %v", name, episode, got, want)
			}
			if got, want := count[episode], ends[prefix+"rows"][i]; got != want {
				t.Errorf("%s: episode %v has %v rows, counted %v", name, episode, got, want)
			}
		}
	}
}

// A stamp names one value, wherever it stands: also of channels faster than physics, where
// recorders come before what they record, and in a world that has failed.
func TestStampsJoinExactly(t *testing.T) {
	t.Parallel()
	c := preset(t, "quadruped", "worlds=4", "max_steps=23", "recording.tables=[capture, control, sensors]",
		"runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 1300}]",
		"bindings=[{name: recorder_control, priority: -300}, {name: recorder_sensors, phase: acquisition, priority: -200}]")
	folder := filepath.Join(t.TempDir(), "dataset")
	e := open(t, c, OpenOptions{Dataset: folder})
	play(t, e, 30, 7)
	e.Sim().At(1, func(w *sim.World) { w.State()[0] = math.NaN() })
	play(t, e, 40, 7)
	polytest.NoError(t, e.Close())
	d := polytest.Must(recorder.Open(folder))(t)
	for table, columns := range map[string][]string{
		format.ControlTable: {"action", "observation"},
		format.SensorsTable: {"gyro", "accelerometer", "foot_contact", "orientation", "joint_position"},
	} {
		for _, column := range columns {
			want, order := cells(t, d, format.CaptureTable, column, column+"_stamp_ns")
			got, _ := cells(t, d, table, column, column+"_stamp_ns")
			joined := 0
			for _, key := range order {
				if got[key] == want[key] {
					joined++
				} else if got[key] != "" {
					t.Errorf("%s of episode %d at %d ns: capture says %s, %s says %s", column, key.episode, key.ns, want[key], table,
						got[key])
				}
			}
			if joined < len(order)*9/10 {
				t.Errorf("%s: %d of %d stamps of capture are in %s", column, joined, len(order), table)
			}
		}
	}
}

// rowsByEpisode counts the rows of a table.
func rowsByEpisode(t *testing.T, d *recorder.Dataset, name string) map[int64]int {
	t.Helper()
	count := map[int64]int{}
	for _, episode := range table(t, d, name, "episode")["episode"] {
		count[int64(episode)]++
	}
	return count
}

// What is left out is left out, what is kept is as it would be, and the table of episodes says which is which.
func TestSelections(t *testing.T) {
	base := []string{"max_steps=12", "recording.tables=[capture, control, sensors]"}
	all := record(t, preset(t, "quadruped", base...), 50, 5)
	returns := table(t, all, format.EpisodesTable, "return")["return"]
	slices.Sort(returns)
	low, high := returns[len(returns)/4], returns[3*len(returns)/4]

	everyThird := func(e recorder.Episode) bool { return e.World%3 == 0 }
	between := func(e recorder.Episode) bool { return low <= e.Return && e.Return <= high }
	for _, c := range []struct {
		name string
		set  []string
		want func(recorder.Episode) bool
	}{
		{"every third world", []string{"recording.every_world=3"}, everyThird},
		{"returns", []string{fmt.Sprintf("recording.episodes={min_return: %v, max_return: %v}", low, high)}, between},
		{"returns, early", []string{fmt.Sprintf("recording.episodes={min_return: %v, max_return: %v}", low, high),
			"bindings.recorder.phase=Acquisition", "bindings.recorder_sensors.phase=Acquisition"}, between},
		{"both", []string{"recording.every_world=3", fmt.Sprintf("recording.episodes.min_return=%v", low)},
			func(e recorder.Episode) bool { return everyThird(e) && e.Return >= low }},
		{"none", []string{"recording.episodes.min_return=1e9"}, func(recorder.Episode) bool { return false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := record(t, preset(t, "quadruped", append(base, c.set...)...), 50, 5)
			kept := 0
			recorded := map[int64]bool{}
			parts := map[int64][]recorder.EpisodePart{}
			for e, err := range all.Episodes() {
				polytest.NoError(t, err)
				recorded[e.Number], parts[e.Number] = c.want(e), e.Parts
			}
			for e, err := range d.Episodes() {
				polytest.NoError(t, err)
				for i, part := range e.Parts[:3] {
					want := parts[e.Number][i]
					if !recorded[e.Number] {
						want = recorder.EpisodePart{Counted: true, TailReward: e.Return, TailSteps: e.Steps}
					} else if i == 0 {
						kept++
					}
					polytest.Equal(t, part, want, "episode %d, table %d", e.Number, i)
				}
			}
			if c.name != "none" && kept == 0 || kept == len(parts) {
				t.Fatalf("%d of %d episodes are kept: the test sees nothing", kept, len(parts))
			}
			for _, name := range []string{format.CaptureTable, format.ControlTable, format.SensorsTable} {
				got, want := rowsByEpisode(t, d, name), rowsByEpisode(t, all, name)
				for episode, rows := range want {
					if !recorded[episode] {
						rows = 0
					}
					if got[episode] != rows {
						t.Errorf("%s: %d rows of episode %d, want %d", name, got[episode], episode, rows)
					}
				}
			}
			for _, column := range []string{"gyro", "observation"} {
				got, order := cells(t, d, format.CaptureTable, column, "t_ns")
				want, _ := cells(t, all, format.CaptureTable, column, "t_ns")
				for _, key := range order {
					if got[key] != want[key] {
						t.Fatalf("%s at %+v is %s, want %s", column, key, got[key], want[key])
					}
				}
			}
		})
	}

	d := record(t, preset(t, "quadruped", append(base, "recording.channels=[gyro, foot_contact]")...), 10, 5)
	for _, table := range d.Tables {
		for _, column := range []string{"gyro", "foot_contact", "accelerometer", "orientation"} {
			has := slices.ContainsFunc(table.Columns, func(c format.Column) bool { return c.Name == column })
			want := (column == "gyro" || column == "foot_contact") &&
				(table.Name == format.CaptureTable || table.Name == format.SensorsTable)
			polytest.Equal(t, has, want, "table %s: column %s is there", table.Name, column)
		}
	}
}

// A recording that keeps rows back goes on from a snapshot as if nothing had happened.
func TestSnapshotCarriesKeptRows(t *testing.T) {
	cfg := preset(t, "quadruped", "max_steps=30", "recording.tables=[capture, control, sensors]",
		"recording.episodes.min_return=-1e9")
	dir := t.TempDir()
	first := open(t, cfg, OpenOptions{Dataset: filepath.Join(dir, "first")})
	play(t, first, 17, 7) // in the middle of the first episodes
	snapshot := first.Sim().Snapshot()
	second := open(t, cfg, OpenOptions{Dataset: filepath.Join(dir, "second")})
	polytest.NoError(t, second.Sim().Restore(snapshot))
	for _, e := range []*Env{first, second} {
		playSteps(t, e, 17, 47, 7)
		polytest.NoError(t, e.Close())
	}
	one := polytest.Must(recorder.Open(filepath.Join(dir, "first")))(t)
	two := polytest.Must(recorder.Open(filepath.Join(dir, "second")))(t)
	// Nothing had been handed over before the snapshot, so both hold all the rows.
	for _, name := range []string{format.CaptureTable, format.ControlTable, format.SensorsTable} {
		a, b := rowsByEpisode(t, one, name), rowsByEpisode(t, two, name)
		if len(a) == 0 || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: %v rows by episode after the snapshot, want %v", name, b, a)
		}
	}
	a, order := cells(t, one, format.SensorsTable, "accelerometer", "t_ns")
	b, _ := cells(t, two, format.SensorsTable, "accelerometer", "t_ns")
	for _, key := range order {
		if a[key] != b[key] {
			t.Fatalf("accelerometer at %+v is %s after the snapshot, want %s", key, b[key], a[key])
		}
	}
}

// A segment is as long as the memory for its rows lets it be, at least one step, whether anything records or not.
func TestSegmentSteps(t *testing.T) {
	for _, c := range []struct {
		set  []string
		most int
		want func(n int) bool
	}{
		{nil, 64, func(n int) bool { return n == 64 }},
		{[]string{"recording.enabled=false", "recording.memory_mb=1"}, 64, func(n int) bool { return n == 64 }},
		{[]string{"recording.tables=[capture, control, sensors]", "recording.memory_mb=1", "worlds=16"}, 64,
			func(n int) bool { return n > 4 && n < 12 }},
		{[]string{"recording.tables=[capture, control, sensors]", "recording.memory_mb=6", "worlds=512"}, 64,
			func(n int) bool { return n == 1 }},
		{[]string{"recording.tables=[capture, control, sensors]", "recording.memory_mb=1", "recording.every_world=32",
			"worlds=512"}, 64, func(n int) bool { return n > 4 && n < 12 }},
	} {
		cfg := preset(t, "quadruped", c.set...)
		without := open(t, cfg, OpenOptions{})
		with := open(t, cfg, OpenOptions{Dataset: filepath.Join(t.TempDir(), "dataset")})
		if n, same := without.SegmentSteps(c.most), with.SegmentSteps(c.most); n != same || !c.want(n) {
			t.Errorf("%q: %d steps, with a dataset %d", c.set, n, same)
		}
		for _, e := range []*Env{with, without} {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A control step whose rows do not fit into recording.memory_mb is refused before anything is written.
func TestMemoryForOneControlStep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	cfg := preset(t, "quadruped", "recording.tables=[capture, control, sensors]", "recording.memory_mb=5", "worlds=512")
	_, err := Open(cfg, OpenOptions{Dataset: dir})
	want := "recording.memory_mb is 5, want at least 6: one control step records 3 MiB, and the rows of two are in " +
		"memory at once"
	if configError := (ConfigError{}); !errors.As(err, &configError) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	polytest.ErrorIs(t, polytest.Err(os.Stat(dir)), fs.ErrNotExist)
	cfg.Recording.MemoryMB = 6
	if err := open(t, cfg, OpenOptions{Dataset: dir}).Close(); err != nil {
		t.Error(err)
	}
}

// The metadata state no rate that changes in mid-run. The descriptions say when it becomes what.
func TestMetadataOfRatesThatChange(t *testing.T) {
	dir := t.TempDir()
	cfg := preset(t, "quadruped", "worlds=1", "recording.tables=[capture, control]",
		"changes=[{n: 5, edits: [{set_rate: {name: Sensors, rate: 250}}]}, {n: 9, edits: [{rebind: {name: recorder, "+
			"runner: Robot}}]}]")
	polytest.NoError(t, open(t, cfg, OpenOptions{Dataset: dir}).Close())
	d := polytest.Must(recorder.Open(dir))(t)
	capture, control := d.Tables[0], d.Tables[1]
	if note := "Its rate changes in mid-run: 30, 50 from control step 9 on."; capture.Rate != "" ||
		!strings.Contains(capture.Description, note) {
		t.Errorf("table capture: rate %q, %q, want none and %q", capture.Rate, capture.Description, note)
	}
	if control.Rate != "50" || strings.Contains(control.Description, "mid-run") {
		t.Errorf("table control: rate %q, %q, want 50 and no note", control.Rate, control.Description)
	}
	for _, c := range capture.Columns {
		if c.Name == "gyro" && (c.Rate != "" || !strings.Contains(c.Description, "500, 250 from control step 5 on")) {
			t.Errorf("column gyro: rate %q, %q", c.Rate, c.Description)
		}
		if c.Name == "action" && (c.Rate != "50" || strings.Contains(c.Description, "mid-run")) {
			t.Errorf("column action: rate %q, %q, want 50 and no note", c.Rate, c.Description)
		}
	}
}
