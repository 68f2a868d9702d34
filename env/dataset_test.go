package env

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// table reads some columns of a recorded table, as float64.
func table(t *testing.T, d *recorder.Dataset, name string, columns ...string) map[string][]float64 {
	t.Helper()
	all := map[string][]float64{}
	for record, err := range d.Batches(name) {
		if err != nil {
			t.Fatal(err)
		}
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

// Wherever the recorder is bound, an episode that covers [0, T) has a row at
// every boundary of the recorder's runner before T and none at T, and rows and
// tail add up to its return. Episodes of 6 steps end on a capture boundary.
func TestRowsOfAnEpisodeWhereverTheRecorderIsBound(t *testing.T) {
	first, last := -500, 500
	for _, c := range []struct {
		name    string
		binding configs.Binding
		rate    runners.Rate
	}{
		{"after the controller", configs.Binding{}, runners.Hz(30)},
		{"before everything", configs.Binding{Phase: "Acquisition", Priority: &first}, runners.Hz(30)},
		{"after the observation", configs.Binding{Phase: "Acquisition", Priority: &last}, runners.Hz(30)},
		{"on the control runner, early", configs.Binding{Runner: "Robot", Phase: "Acquisition", Priority: &last}, runners.Hz(50)},
		{"on the sensor runner, late", configs.Binding{Runner: "Sensors", Phase: "Export"}, runners.Hz(500)},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := preset(t, "quadruped", "max_steps=10")
			c.binding.Name = recorderBinding
			cfg.Bindings = append(cfg.Bindings, c.binding)
			dir := filepath.Join(t.TempDir(), "dataset")
			e := open(t, cfg, OpenOptions{Dataset: dir})
			play(t, e, 35, 7)
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}

			d, err := recorder.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			rows := table(t, d, recorder.CaptureTable, "episode", "t_ns", "reward", "reward_steps")
			times, sums, steps := map[float64][]int64{}, map[float64]float64{}, map[float64]float64{}
			for i, episode := range rows["episode"] {
				times[episode] = append(times[episode], int64(rows["t_ns"][i]))
				sums[episode] += rows["reward"][i]
				steps[episode] += rows["reward_steps"][i]
			}
			ends := table(t, d, recorder.EpisodesTable, "episode", "length_ns", "return", "tail_reward", "tail_reward_steps", "steps", "rows")
			if n := len(ends["episode"]); n != 12*4 {
				t.Errorf("%d episodes, want 3 whole ones and a cut one of each of 12 worlds", n)
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
