package throughput

import (
	"encoding/json"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// reportOf has a line for each setting, with rates that rate gives.
func reportOf(rate func(l *Line) float64, settings ...Line) *Report {
	r := newReport()
	r.SweepKeys = []string{"worlds", "workers"}
	for _, l := range settings {
		l.Task, l.Values = "T", []string{"16", "1"}
		l.EnvStepsPerS = rate(&l)
		l.EnvStepsLow, l.EnvStepsHigh = l.EnvStepsPerS*0.9, l.EnvStepsPerS*1.2
		l.RatioLow, l.RatioToRaw, l.RatioHigh = 0.9, 1, 1.1
		r.Lines = append(r.Lines, &l)
	}
	return r
}

func TestReadRefusesBadReports(t *testing.T) {
	good := string(polytest.Must(json.Marshal(reportOf(func(*Line) float64 { return 100 },
		Line{Setting: Setting{Worlds: 16, Workers: 1, BlockSize: 4}})))(t))
	path := filepath.Join(t.TempDir(), "report.json")
	for _, c := range []struct{ text, want string }{
		{"", "is empty"},
		{" \n", "is empty"},
		{"nonsense", "result 1: invalid character"},
		{good[:len(good)/2], "result 1: unexpected EOF"},
		{good + "\n" + good[:40], "result 2: unexpected EOF"},
		{good + "\n[]", "result 2: json: cannot unmarshal array"},
		{"null", "it has no processor or no lines"},
		{"{}", "it has no processor or no lines"},
		{`{"processor": "P", "lines": [null]}`, "line 1 has no task"},
		{strings.Replace(good, `"worlds":16,`, `"worlds":0,`, 1), "line 1 has no task, worlds"},
		{strings.Replace(good, `"values":["16","1"]`, `"values":["16"]`, 1),
			`other values than those of ["worlds" "workers"]`},
		{strings.Replace(good, `"env_steps_low":90`, `"env_steps_low":0`, 1), "line 1 has the rate or ratio 0, want more"},
		{strings.Replace(good, `"env_steps_low":90`, `"env_steps_low":-1e300`, 1), "line 1 has the rate or ratio -1e+300"},
		{strings.Replace(good, `"env_steps_low":90`, `"env_steps_low":1e999`, 1), "cannot unmarshal number 1e999"},
		{strings.Replace(good, `"rows_per_step":0`, `"rows_per_step":-1`, 1), "line 1 has -1 rows"},
		{strings.Replace(good, `"block_size":4`, `"block_size":"4"`, 1), "cannot unmarshal string"},
	} {
		polytest.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
		_, err := Read(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: error %v, want one line with %q", c.text, err, c.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no file: error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"processor": "P", "lines": [{"task": "T", "worlds": 1, "workers": 1, "block_size": 1}]}`))
	path := filepath.Join(f.TempDir(), "report.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		polytest.NoError(t, os.WriteFile(path, text, 0o644))
		if r, err := Read(path); err == nil { // then all that is computed with it is finite, or refused
			r.ChangesSince(r)
			if m, err := Fit(r, 64); err == nil && math.IsNaN(m.Residual) {
				t.Error("a residual that is no number")
			}
		}
	})
}

func TestHistoryGrowsByALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	for n := 1; n <= 3; n++ {
		line := Line{Setting: Setting{Worlds: 1, Workers: 1, BlockSize: 1}}
		r := reportOf(func(*Line) float64 { return float64(100 * n) }, line)
		polytest.NoError(t, r.Append(path))
		last := polytest.Must(Read(path))(t)
		if lines := strings.Count(string(polytest.Must(os.ReadFile(path))(t)), "\n"); lines != n {
			t.Errorf("%d lines after %d results", lines, n)
		}
		if got := last.Lines[0].EnvStepsPerS; got != float64(100*n) {
			t.Errorf("the last of %d results has %v, want %d", n, got, 100*n)
		}
	}
}

func TestCompareTakesOppositeQuartiles(t *testing.T) {
	setting := Line{Setting: Setting{Worlds: 1, Workers: 1, BlockSize: 1}}
	old := reportOf(func(*Line) float64 { return 100 }, setting)
	c := reportOf(func(*Line) float64 { return 200 }, setting).ChangesSince(old)[0]
	for _, v := range [][2]float64{{c.Rate, 2}, {c.RateLow, 180. / 120}, {c.RateHigh, 240. / 90}, {c.Ratio, 1},
		{c.RatioLow, 0.9 / 1.1}, {c.RatioHigh, 1.1 / 0.9}} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%+v: %v, want %v", c, v[0], v[1])
		}
	}
}

func TestOnlyTheSameCompares(t *testing.T) {
	cfg := func(set ...string) *configs.Config {
		name, data, err := configs.Preset("HalfCheetah-v5")
		polytest.NoError(t, err)
		return polytest.Must(configs.Parse(name, data, append([]string{"workers=1"}, set...), nil))(t)
	}
	old := reportOf(func(*Line) float64 { return 1 }, Line{Setting: settingOf(cfg(), Options{})})
	old.Lines[0].Task = "HalfCheetah-v5"
	polytest.NoError(t, old.Comparable([]*configs.Config{cfg()}, Options{}))
	refuse := func(want string, opt Options, set ...string) {
		t.Helper()
		err := old.Comparable([]*configs.Config{cfg(), cfg(set...)}, opt)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", set, err, want)
		}
	}
	refuse("no line of HalfCheetah-v5, 32 worlds in blocks of 4, 1 workers", Options{}, "worlds=32")
	refuse("16 worlds in blocks of 2, 2 workers", Options{}, "workers=2")
	refuse("of configuration", Options{}, "runners.Capture.rate=29")
	refuse("policy runs/x", Options{Policy: "runs/x"})
	old.Processor = "another"
	refuse("processors of another, want", Options{})
}

// Rates that a model gave must give the model back, and rates that it did not give an error that says so.
func TestFitFindsTheModel(t *testing.T) {
	const world, block, worker, row, crowded = 20e-6, 8e-6, 0.5e-6, 2e-6, 3e-6
	rate := func(l *Line) float64 {
		blocks := float64(l.Worlds / l.BlockSize)
		busiest := math.Ceil(blocks / float64(l.Workers))
		busy := min(blocks, float64(l.Workers)) // of 2 processors
		step := world + block/float64(l.BlockSize) + worker*(busy-1) + row*l.RowsPerStep
		if busy == 2 {
			step += crowded * l.RowsPerStep
		}
		return blocks / busiest / step
	}
	var lines []Line
	for _, worlds := range []int{16, 48} {
		for _, workers := range []int{1, 2} {
			for _, block := range []int{1, 16} {
				for _, rows := range []float64{0, 1.5} {
					l := Line{Setting: Setting{Worlds: worlds, Workers: workers, BlockSize: block},
						RowsPerStep: rows, InstantsPerStep: 2 * rows}
					if workers == 1 {
						l.CPUSecondsPerStep = 1/rate(&l) + rows*1e-6
					}
					lines = append(lines, l)
				}
			}
		}
	}
	r := reportOf(rate, lines...)
	r.Processors = 2
	m := polytest.Must(Fit(r, 1, 2, 128))(t)
	want := map[string]float64{"a step of a world": world, "a call for a block, shared by its worlds": block,
		"a worker beside the first": worker, "a recorded row": row, "a doubling of the worlds": 0,
		"a recorded row whose writer has no processor of its own": crowded}
	if len(m.Terms) != len(want) || len(m.Missing) != 1 || m.Missing[0] != "an instant of the clock" {
		t.Errorf("terms %+v, missing %q", m.Terms, m.Missing)
	}
	for _, term := range m.Terms {
		if math.Abs(term.Seconds-want[term.Name]) > 1e-10 {
			t.Errorf("%s takes %v, want %v", term.Name, term.Seconds, want[term.Name])
		}
	}
	if m.Residual > 1e-6 || math.Abs(m.Writer-1e-6) > 1e-12 {
		t.Errorf("residual %v, writer %v", m.Residual, m.Writer)
	}
	predicts := func(p PredictedRate, low, high float64) {
		t.Helper()
		if math.Abs(p.Low/low-1) > 1e-6 || math.Abs(p.High/high-1) > 1e-6 {
			t.Errorf("%d workers: %+v, want %v to %v", p.Workers, p, low, high)
		}
	}
	step := world + block/1.0 // the first line's: blocks of 1, nothing recorded
	predicts(m.Predictions[2], 128/(step+127*worker), 128/(step+worker))
	r.Lines[0], r.Lines[1] = r.Lines[1], r.Lines[0] // that one records
	alone, both := step+1.5*row, step+worker+1.5*(row+crowded)
	m = polytest.Must(Fit(r, 1, 2))(t)
	predicts(m.Predictions[0], 1/alone, 1/alone)
	predicts(m.Predictions[1], 2/both, 2/both)

	r.Lines[1].EnvStepsPerS *= 1.5
	if m := polytest.Must(Fit(r))(t); m.Residual < 0.02 {
		t.Errorf("rates that no model gives have errors of at most %v", m.Residual)
	}
	r.Lines[1].Task = "U"
	polytest.ErrorContains(t, polytest.Err(Fit(r)), "want those of one task")
	r.Lines = r.Lines[:1]
	polytest.ErrorContains(t, polytest.Err(Fit(r)), "it has 1 lines for 1 terms, want more")
}

func TestDrawMakesAPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.png")
	r := reportOf(func(l *Line) float64 { return float64(l.Worlds) },
		Line{Setting: Setting{Worlds: 16}}, Line{Setting: Setting{Worlds: 64}})
	r.Lines[1].Values = []string{"64", "1"}
	polytest.NoError(t, r.Draw(path))
	f := polytest.Must(os.Open(path))(t)
	defer f.Close()
	polytest.Must(png.Decode(f))(t)
	r.SweepKeys = nil
	if err := r.Draw(path); err == nil {
		t.Error("a picture of one line")
	}
}
