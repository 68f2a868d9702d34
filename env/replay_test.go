package env

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// newLog begins a log of a run; change edits its header.
func newLog(t testing.TB, path string, cfg *configs.Config, opt OpenOptions, change func(*runlog.Header)) *runlog.Log {
	t.Helper()
	h := LogHeader(cfg, opt)
	if change != nil {
		change(&h)
	}
	return polytest.Must(runlog.Create(polytest.Must(os.Create(path))(t), h))(t)
}

// logRun plays steps control steps in segments of 20 and logs them; change edits the log's header.
func logRun(t testing.TB, path string, cfg *configs.Config, opt OpenOptions, steps int, change func(*runlog.Header)) {
	t.Helper()
	opt.Log = newLog(t, path, cfg, opt, change)
	e := open(t, cfg, opt)
	play(t, e, steps, 20)
	if opt.Log.Steps() != int64(steps) {
		t.Errorf("%d steps logged, want %d", opt.Log.Steps(), steps)
	}
	polytest.NoError(t, e.Close())
}

func withActions(h *runlog.Header) { h.Actions = true }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	return polytest.Must(os.ReadFile(path))(t)
}

// A logged run replays identically on any number of workers, and any number of workers writes the same log.
func TestReplayIsIdenticalForAnyNumberOfWorkers(t *testing.T) {
	for _, task := range []string{"quadruped", "HalfCheetah-v5"} {
		dir := t.TempDir()
		cfg := preset(t, task, "max_steps=50")
		path := filepath.Join(dir, "run.log")
		logRun(t, path, cfg, OpenOptions{Workers: 2}, 120, withActions)
		want := readFile(t, path)
		for _, workers := range []int{1, 2, 4, 8} {
			steps, err := Replay(path, workers)
			if err != nil || steps != 120 {
				t.Errorf("%s, %d workers: %d steps, %v; want 120 and no difference", task, workers, steps, err)
			}
			again := filepath.Join(dir, fmt.Sprint(workers))
			logRun(t, again, cfg, OpenOptions{Workers: workers}, 120, withActions)
			polytest.EqualSlices(t, readFile(t, again), want, "%s, %d workers: another log", task, workers)
		}
	}
}

// repeat plays a configuration against the log of another run. wrong changes the actions of world 9 in step 11.
func repeat(t testing.TB, path string, opt OpenOptions, steps int, wrong func(action []float32)) (same int64,
	err error) {
	t.Helper()
	log, cfg, err := CompareLog(path)
	if err != nil {
		return 0, err
	}
	opt.Log = log
	e, err := Open(cfg, opt)
	if err != nil {
		return 0, err
	}
	err = e.Each(func(w *sim.Worker, b *sim.Block) error {
		for step := range steps {
			actAt(e.Sim().Spec(), b, step)
			if wrong != nil && step == 11 && b.First() <= 9 && 9 < b.First()+b.Len() {
				wrong(b.Actions()[(9-b.First())*len(b.Actions())/b.Len():])
			}
			if err := b.Step(w); err != nil {
				return err
			}
		}
		return nil
	})
	if closed := e.Close(); err == nil {
		err = closed
	}
	return log.Steps(), err
}

func TestReplayNamesTheFirstDifference(t *testing.T) {
	cfg := preset(t, "quadruped", "max_steps=30")
	path := filepath.Join(t.TempDir(), "run.log")
	logRun(t, path, cfg, OpenOptions{}, 20, nil)
	// at calls f in world 7 at the beginning of step 13.
	at := func(f func(w *sim.World)) OpenOptions {
		return OpenOptions{Bindings: []sim.Binding{{
			Binding: runners.Binding{Name: "saboteur", Runner: "Robot", Phase: runners.Control, Priority: -150, Writes: true},
			Call: func(_ *runners.StepContext, w *sim.World) {
				if w.Index() == 7 && w.StepN() == 13 {
					f(w)
				}
			},
		}}}
	}
	for _, c := range []struct {
		name string
		opt  OpenOptions
		want string // "" for none
	}{
		{"the same", OpenOptions{}, ""},
		{"nothing done", at(func(*sim.World) {}), ""},
		{"one bit of a joint", at(func(w *sim.World) { w.State()[9] += 1e-15 }),
			"diverged after 14 control steps: world 7, physics"},
		{"memory", at(func(w *sim.World) { w.Memory()[0] += 1e-9 }), "diverged after 14 control steps: world 7, task"},
		{"motor", at(func(w *sim.World) { w.Control()[3] += 1e-9 }), "diverged after 14 control steps: world 7, physics"},
		{"action in force", at(func(w *sim.World) {
			action, _, _ := w.Action()
			action[2] += 1e-3
		}), "diverged after 14 control steps: world 7, physics"},
	} {
		for _, workers := range []int{1, 2, 8} {
			c.opt.Workers = workers
			steps, err := repeat(t, path, c.opt, 20, nil)
			var d *runlog.Difference
			switch {
			case c.want == "" && (!errors.Is(err, runlog.ErrEnd) || steps != 20):
				t.Errorf("%s, %d workers: %d steps, %v; want 20 and the end", c.name, workers, steps, err)
			case c.want != "" && (!errors.As(err, &d) || err.Error() != c.want):
				t.Errorf("%s, %d workers: error %v, want %q", c.name, workers, err, c.want)
			}
		}
	}
	_, err := repeat(t, path, OpenOptions{Workers: 2}, 20, func(action []float32) { action[1] += 1e-6 })
	polytest.ErrorContains(t, err, "diverged after 12 control steps: world 9, action")
	// Fewer steps than were logged, and more.
	polytest.ErrorContains(t, polytest.Err(repeat(t, path, OpenOptions{}, 19, nil)), "diverged at step")
	polytest.ErrorContains(t, polytest.Err(repeat(t, path, OpenOptions{}, 21, nil)), "diverged at step")
}

func TestLogOfSomeSteps(t *testing.T) {
	cfg := preset(t, "quadruped")
	path := filepath.Join(t.TempDir(), "run.log")
	logRun(t, path, cfg, OpenOptions{}, 40, func(h *runlog.Header) { h.Every, h.Actions = 10, true })
	if steps, err := Replay(path, 2); err != nil || steps != 40 {
		t.Errorf("%d steps, %v; want 40 and no difference", steps, err)
	}
	in := polytest.Must(runlog.NewReader(bytes.NewReader(readFile(t, path))))(t)
	var logged []int64
	for record, err := in.Next(); err == nil; record, err = in.Next() {
		if record.Kind == runlog.KindState && record.First() == 0 {
			logged = append(logged, record.N())
		}
	}
	if want := []int64{0, 10, 20, 30, 40}; !slices.Equal(logged, want) {
		t.Errorf("states after %v steps, want %v", logged, want)
	}
}

// A log of actions that was cut anywhere, as a kill leaves it, is no difference.
func TestReplayOfACutLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.log")
	logRun(t, path, preset(t, "InvertedPendulum-v5", "worlds=2", "block_size=1"), OpenOptions{}, 22, withActions)
	log := readFile(t, path)
	for cut := len(log) - 1; cut > len(log)-300; cut -= 7 {
		polytest.NoError(t, os.WriteFile(path, log[:cut], 0o666))
		steps, err := Replay(path, 1)
		if damage := (*Damage)(nil); !errors.As(err, &damage) || errors.As(err, new(*Difference)) || !damage.Cut ||
			steps != 20 && steps != 22 {
			t.Errorf("%d of %d bytes: %d steps, %v; want 20 or 22 and that it was cut", cut, len(log), steps, err)
		}
	}
}

func TestReplayErrors(t *testing.T) {
	cfg := preset(t, "quadruped")
	dir := t.TempDir()
	path := filepath.Join(dir, "run.log")
	logRun(t, path, cfg, OpenOptions{}, 20, nil)
	polytest.ErrorContains(t, polytest.Err(Replay(path, 1)), "run has no actions, want a log with actions")
	polytest.ErrorIs(t, polytest.Err(Replay(filepath.Join(dir, "none"), 1)), os.ErrNotExist)
	foreign := filepath.Join(dir, "foreign")
	polytest.NoError(t, os.WriteFile(foreign, []byte("a text of some length"), 0o666))
	polytest.ErrorContains(t, polytest.Err(Replay(foreign, 1)), "no run log")
	log, _, err := CompareLog(path)
	polytest.NoError(t, err)
	polytest.ErrorContains(t, polytest.Err(Open(preset(t, "quadruped", "seed=5"), OpenOptions{Log: log})),
		"another configuration")
}

// BenchmarkStep takes control steps of one block of quadrupeds, with and without a log of every step.
func BenchmarkStep(b *testing.B) {
	for _, logged := range []bool{false, true} {
		b.Run(fmt.Sprintf("logged=%t", logged), func(b *testing.B) {
			cfg := preset(b, "quadruped", "worlds=8", "block_size=8")
			opt := OpenOptions{Workers: 1}
			if logged {
				opt.Log = newLog(b, filepath.Join(b.TempDir(), "run.log"), cfg, opt, nil)
			}
			e := open(b, cfg, opt)
			step := 0
			b.ReportAllocs()
			for b.Loop() {
				polytest.NoError(b, e.Each(func(w *sim.Worker, block *sim.Block) error {
					for range 64 {
						actAt(e.Sim().Spec(), block, step)
						step++
						if err := block.Step(w); err != nil {
							return err
						}
					}
					return nil
				}))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(8*64*b.N), "ns/world-step")
		})
	}
}
