package sim_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// memory is a file in memory.
type memory struct{ bytes.Buffer }

func (*memory) Close() error { return nil }

func newLog(t testing.TB, f io.WriteCloser) *runlog.Log {
	t.Helper()
	return polytest.Must(runlog.Create(f, runlog.Header{Kind: "test", Worlds: 12, BlockSize: 3, Every: 1}))(t)
}

// logged is the log of 40 steps in segments, faults and restarts among them.
func logged(t testing.TB, workers int) []byte {
	t.Helper()
	var f memory
	log := newLog(t, &f)
	run := newSetup(t, func(s *setup) {
		s.BlockSize, s.Workers, s.Log = 3, workers, log
		s.task.mishap = brokenWorld
	})
	trace(t, run, 40, 7)
	polytest.NoError(t, log.Close())
	return f.Bytes()
}

// brokenWorld lets world 4 break down in the sixth step of its episodes.
func brokenWorld(w *sim.World, _ string) float64 {
	if w.Index() == 4 && w.Steps() == 5 {
		return math.Inf(1)
	}
	return 0
}

func TestLogIsTheSameForAnyWorkers(t *testing.T) {
	want := logged(t, 1)
	for _, workers := range []int{1, 2, 4, 8} {
		polytest.EqualSlices(t, logged(t, workers), want, "%d workers: another log", workers)
	}
}

// Each part of a world that is tampered with is the part that is named.
func TestEachAspectIsNamed(t *testing.T) {
	log := logged(t, 1)
	for _, c := range []struct {
		name   string
		change func(s *setup)
		want   string
	}{
		{"nothing", func(*setup) {}, ""},
		{"action in force", tamper(func(w *sim.World) {
			action, _, _ := w.Action()
			action[0] += 1
		}), "after 18 control steps: world 5, physics"},
		{"physics", tamper(func(w *sim.World) { w.State()[3] += 1e-12 }), "after 18 control steps: world 5, physics"},
		{"task", tamper(func(w *sim.World) { w.Memory()[0]++ }), "after 18 control steps: world 5, task"},
		{"info", tamper(func(w *sim.World) { w.Info()[0]++ }), ""}, // evaluated anew in the same step
		{"seed", func(s *setup) { s.Seed++ }, "after 0 control steps: world 0, random streams"},
		{"clock", func(s *setup) { s.task.limit = 0.1 }, "after 1 control step: world 0, clock"}, // an episode ended
	} {
		f := io.NopCloser(bytes.NewReader(log))
		comparing, err := runlog.Compare(f)
		polytest.NoError(t, err)
		config := changed(t, func(s *setup) {
			s.BlockSize, s.Workers, s.Log, s.task.mishap = 3, 2, comparing, brokenWorld
			c.change(s)
		})
		run, err := config.open()
		if err == nil {
			err = playLog(run)
			if closed := run.Close(); closed != nil {
				t.Error(closed)
			}
		}
		var d *runlog.Difference
		switch {
		case c.want == "" && !errors.Is(err, runlog.ErrEnd):
			t.Errorf("%s: error %v, want the end", c.name, err)
		case c.want != "" && (!errors.As(err, &d) || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// tamper lets f change world 5 in step 17, after the controller.
func tamper(f func(w *sim.World)) func(*setup) {
	return func(s *setup) {
		b := runners.Binding{Name: "tamper", Runner: "Robot", Phase: runners.Control, Writes: true}
		s.add(b, func(_ *runners.StepContext, w *sim.World) {
			if w.Index() == 5 && w.StepN() == 17 {
				f(w)
			}
		})
	}
}

// playLog does what trace does in logged, and returns the log's error.
func playLog(run *sim.Sim) error {
	for from := 0; from < 40; from += 7 {
		if err := steps(run, from, min(from+7, 40)); err != nil {
			return err
		}
	}
	return nil
}

// steps takes the control steps from first to before end in one segment.
func steps(run *sim.Sim, first, end int) error {
	return run.Each(func(w *sim.Worker, b *sim.Block) error {
		for step := first; step < end; step++ {
			act(b, step)
			if err := b.Step(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// changed is the setup that newSetup begins with, with a change.
func changed(t testing.TB, change func(*setup)) *setup {
	t.Helper()
	var c setup
	newSetup(t, func(s *setup) {
		c = *s
		c.Bindings = slices.Clone(s.Bindings)
		task := *s.task
		c.task, c.Task = &task, &task
	})
	change(&c)
	return &c
}
