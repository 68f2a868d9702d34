package env

import (
	"fmt"
	"math"
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
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// table reads some columns of a recorded table, as float64.
func table(t *testing.T, d *recorder.Dataset, name string, columns ...string) map[string][]float64 {
	t.Helper()
	all := map[string][]float64{}
	for record, err := range d.Batches(name) {
		polytest.NoError(t, err)
		for _, column := range columns {
			all[column] = append(all[column], values(t, record, column)...)
		}
	}
	return all
}

func values(t *testing.T, record arrow.Record, column string) []float64 {
	t.Helper()
	i := record.Schema().FieldIndices(column)
	if len(i) != 1 {
		t.Fatalf("%d columns %q, want 1", len(i), column)
	}
	out := make([]float64, record.NumRows())
	for row := range out {
		switch c := record.Column(i[0]).(type) {
		case *array.Int64:
			out[row] = float64(c.Value(row))
		case *array.Int32:
			out[row] = float64(c.Value(row))
		case *array.Float64:
			out[row] = c.Value(row)
		default:
			t.Fatalf("column %q is %v", column, c.DataType())
		}
	}
	return out
}

// Wherever the recorder is bound, an episode that covers [0, T) has a row at every boundary of the recorder's runner
// before T and none at T, and rows and tail add up to its return; also where changes move it meanwhile. Episodes of
// 10 steps end on a capture boundary.
func TestRowsOfAnEpisodeWhereverTheRecorderIsBound(t *testing.T) {
	first, last := -500, 500
	var everyStep []string // back and forth
	for i, phase := range []string{"Acquisition", "Export", "Acquisition", "Control", "Acquisition", "Acquisition",
		"Control"} {
		everyStep = append(everyStep, fmt.Sprintf("{n: %d, edits: [{set_phase: {name: recorder, phase: %s}}]}", 3+i, phase))
	}
	for _, c := range []struct {
		name    string
		binding configs.Binding
		rate    runners.Rate
		changes []string
	}{
		{"after the controller", configs.Binding{}, runners.Hz(30), nil},
		{"before everything", configs.Binding{Phase: "Acquisition", Priority: &first}, runners.Hz(30), nil},
		{"after the observation", configs.Binding{Phase: "Acquisition", Priority: &last}, runners.Hz(30), nil},
		{"on the control runner, early", configs.Binding{Runner: "Robot", Phase: "Acquisition", Priority: &last},
			runners.Hz(50), nil},
		{"on the sensor runner, late", configs.Binding{Runner: "Sensors", Phase: "Export"}, runners.Hz(500), nil},
		{"moved to Control", configs.Binding{Phase: "Acquisition"}, runners.Hz(30),
			[]string{"changes=[{n: 5, edits: [{set_phase: {name: recorder, phase: Control}}]}]"}},
		{"moved to Acquisition", configs.Binding{}, runners.Hz(30),
			[]string{"changes=[{n: 5, edits: [{set_phase: {name: recorder, phase: Acquisition}}]}]"}},
		{"moved to Acquisition where episodes begin", configs.Binding{}, runners.Hz(30),
			[]string{"changes=[{n: 10, edits: [{set_phase: {name: recorder, phase: Acquisition}}]}]"}},
		{"moved every step", configs.Binding{Runner: "Robot"}, runners.Hz(50),
			[]string{"changes=[" + strings.Join(everyStep, ", ") + "]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := preset(t, "quadruped", append(c.changes, "max_steps=10")...)
			c.binding.Name = "recorder"
			cfg.Bindings = []configs.Binding{c.binding}
			dir := filepath.Join(t.TempDir(), "dataset")
			e := open(t, cfg, OpenOptions{Dataset: dir})
			play(t, e, 35, 7)
			polytest.NoError(t, e.Close())

			d := polytest.Must(recorder.Open(dir))(t)
			rows := table(t, d, format.CaptureTable, "episode", "t_ns", "reward", "reward_steps")
			times, sums, steps := map[float64][]int64{}, map[float64]float64{}, map[float64]float64{}
			for i, episode := range rows["episode"] {
				times[episode] = append(times[episode], int64(rows["t_ns"][i]))
				sums[episode] += rows["reward"][i]
				steps[episode] += rows["reward_steps"][i]
			}
			ends := table(t, d, format.EpisodesTable, "episode", "length_ns", "return", "tail_reward", "tail_reward_steps",
				"steps", "rows")
			if n := len(ends["episode"]); n != 12*4 || len(times) != n {
				t.Errorf("%d episodes, and rows of %d, want 3 whole ones and a cut one of each of 12 worlds", n, len(times))
			}
			for i, episode := range ends["episode"] {
				length := int64(ends["length_ns"][i])
				count := int64(0)
				for c.rate.Timestamp(count) < length {
					count++
				}
				if got := times[episode]; int64(len(got)) != count || int64(ends["rows"][i]) != count {
					t.Fatalf("episode %v of %d ns: rows at %v, %v counted; want %d", episode, length, got, ends["rows"][i], count)
				}
				for k, ns := range times[episode] {
					if ns != c.rate.Timestamp(int64(k)) {
						t.Errorf("episode %v: row %d at %d ns, want %d", episode, k, ns, c.rate.Timestamp(int64(k)))
					}
				}
				if got, want := sums[episode]+ends["tail_reward"][i], ends["return"][i]; math.Abs(got-want) > 1e-9 {
					t.Errorf("episode %v: rows and tail add up to %v, return %v", episode, got, want)
				}
				if got, want := steps[episode]+ends["tail_reward_steps"][i], ends["steps"][i]; got != want {
					t.Errorf("episode %v: rows and tail hold %v rewards of %v", episode, got, want)
				}
			}
		})
	}
}

// An episode that is closed or restarted before its first step has ended is none, and has no rows.
func TestNoRowsOfAnEpisodeThatNeverBegan(t *testing.T) {
	const toAcquisition = "changes=[{n: 2, edits: [{set_phase: {name: recorder, phase: Acquisition}}]}]"
	for _, c := range []struct {
		name    string
		config  string
		steps   int
		restart bool
	}{
		{"closed at once", "bindings.recorder.phase=Acquisition", 0, false},
		{"restarted at once", "bindings.recorder.phase=Acquisition", 0, true},
		{"closed after a reset", toAcquisition, 10, false},
		{"restarted after a reset", toAcquisition, 10, true},
		{"restarted after a change", "changes=[{n: 2, edits: [{set_phase: {name: recorder, phase: Acquisition}}]}, " +
			"{n: 10, edits: [{set_phase: {name: recorder, phase: Control}}]}]", 10, true},
		{"restarted, and recorded no more", "changes=[{n: 2, edits: [{set_phase: {name: recorder, phase: Acquisition}}]}, " +
			"{n: 10, edits: [{toggle_binding: {name: recorder, enabled: false}}]}]", 10, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "dataset")
			e := open(t, preset(t, "quadruped", "max_steps=10", "worlds=2", c.config), OpenOptions{Dataset: dir})
			play(t, e, c.steps, 5)
			if c.restart {
				polytest.NoError(t, e.Each(func(w *sim.Worker, b *sim.Block) error {
					b.Restart(w, slices.Repeat([]bool{true}, b.Len()), nil)
					return nil
				}))
				play(t, e, 7, 7)
			}
			polytest.NoError(t, e.Close())
			d := polytest.Must(recorder.Open(dir))(t)
			ends := table(t, d, format.EpisodesTable, "episode", "rows")
			want := map[float64]float64{}
			for i, episode := range ends["episode"] {
				want[episode] = ends["rows"][i]
			}
			got := map[float64]float64{}
			for _, episode := range table(t, d, format.CaptureTable, "episode")["episode"] {
				got[episode]++
			}
			episodes := 2 * (c.steps / 10)
			if c.restart {
				episodes += 2
			}
			polytest.Equal(t, len(want), episodes, "episodes")
			for episode, n := range got {
				if want[episode] != n {
					t.Errorf("episode %v: %v rows, want %v", episode, n, want[episode])
				}
			}
		})
	}
}

// With recording.infos each control step has the terms of its reward, which add up to it, and each episode those of its last
// step, which no row has: rows and last step add up to the means of the episode. Nothing else is recorded in another way.
func TestInfosOfEachStep(t *testing.T) {
	record := func(settings ...string) *recorder.Dataset {
		cfg := preset(t, "quadruped", append(settings, "max_steps=60", "recording.tables=[capture, control]")...)
		dir := filepath.Join(t.TempDir(), "dataset")
		e := open(t, cfg, OpenOptions{Dataset: dir})
		play(t, e, 150, 7)
		polytest.NoError(t, e.Close())
		return polytest.Must(recorder.Open(dir))(t)
	}
	d, without := record("recording.infos=true"), record()
	for _, name := range []string{format.CaptureTable, format.ControlTable, format.EpisodesTable} {
		column := map[bool]string{true: "return", false: "reward"}[name == format.EpisodesTable]
		polytest.EqualSlices(t, table(t, d, name, column)[column], table(t, without, name, column)[column], name)
	}
	polytest.Equal(t, d.Tables[d.Table(format.CaptureTable)].Has(format.InfoColumn), false, "capture has infos")
	polytest.Equal(t, without.Tables[without.Table(format.ControlTable)].Has(format.InfoColumn), false, "control has infos without the key")

	control := &d.Tables[d.Table(format.ControlTable)]
	names := control.Columns[control.Column(format.InfoColumn)].ValueNames()
	terms, sums := 0, map[int64][]float64{}
	for r, err := range d.EachRow(format.ControlTable) {
		polytest.NoError(t, err)
		episode, infos := r.Int("episode"), r.Floats(format.InfoColumn)
		if sums[episode] == nil {
			sums[episode] = make([]float64, len(names))
		}
		if r.Int("reward_steps") == 0 {
			if infos != nil || !r.IsNull(r.Row, r.Column("info_stamp_ns")) {
				t.Fatalf("the row at %d ns of episode %d, before its first reward, has the infos %v", r.Int("t_ns"), episode, infos)
			}
			continue
		}
		polytest.Equal(t, r.Int("info_stamp_ns"), r.Int("t_ns"), "the time of the infos")
		reward := 0.0
		terms = 0
		for i, x := range infos {
			if sums[episode][i] += x; strings.HasPrefix(names[i], "reward/") {
				reward += x
				terms++
			}
		}
		if want := r.Float("reward"); math.Abs(reward-want) > 1e-9 {
			t.Fatalf("at %d ns of episode %d the terms add up to %v, want the reward %v", r.Int("t_ns"), episode, reward, want)
		}
	}
	if terms < 5 {
		t.Errorf("%d of %q are terms of the reward, want those of the quadruped", terms, names)
	}
	ends := 0
	for r, err := range d.EachRow(format.EpisodesTable) {
		polytest.NoError(t, err)
		if !r.Bool("complete") {
			continue
		}
		ends++
		polytest.Equal(t, r.Int("control_tail_reward_steps"), 1, "steps after the last row of control")
		for i, last := range r.Floats("final_info") {
			got, want := sums[r.Int("episode")][i]+last, r.Float("mean_"+names[i])*float64(r.Int("steps"))
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s of episode %d adds up to %v, want %v", names[i], r.Int("episode"), got, want)
			}
		}
	}
	if ends == 0 {
		t.Error("no episode ended")
	}
}
