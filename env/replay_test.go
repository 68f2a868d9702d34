package env

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// logRun plays steps control steps in segments of 20 and logs them; change edits
// the log's header.
func logRun(t testing.TB, path string, cfg *configs.Config, opt OpenOptions, steps int, change func(*runlog.Header)) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	h := LogHeader(cfg, opt)
	if change != nil {
		change(&h)
	}
	if opt.Log, err = runlog.Create(f, h); err != nil {
		t.Fatal(err)
	}
	e := open(t, cfg, opt)
	play(t, e, steps, 20)
	if opt.Log.Steps() != int64(steps) {
		t.Errorf("%d steps logged, want %d", opt.Log.Steps(), steps)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

func withActions(h *runlog.Header) { h.Actions = true }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A logged run replays identically on any number of workers, and any number of
// workers writes the same log.
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
			if !bytes.Equal(readFile(t, again), want) {
				t.Errorf("%s, %d workers: another log", task, workers)
			}
		}
	}
}

// A run whose recorder is switched while it goes on replays identically, though
// nothing is recorded then, and one that begins without it runs on.
func TestReplayOfARecorderThatIsSwitched(t *testing.T) {
	const offAndOn = "changes=[{n: 3, edits: [{toggle_binding: {name: recorder, enabled: false}}]}, " +
		"{n: 12, edits: [{toggle_binding: {name: recorder, enabled: true}}]}]"
	for _, enabled := range []bool{true, false} {
		cfg := preset(t, "HalfCheetah-v5", "worlds=1", "max_steps=8", offAndOn, fmt.Sprint("recording.enabled=", enabled))
		dir := t.TempDir()
		path := filepath.Join(dir, "run.log")
		logRun(t, path, cfg, OpenOptions{Dataset: filepath.Join(dir, "dataset")}, 30, withActions)
		if steps, err := Replay(path, 1); err != nil || steps != 30 {
			t.Errorf("recorder on at first %t: %d steps, %v; want 30 and no difference", enabled, steps, err)
		}
		e := closing(t, open(t, cfg, OpenOptions{}))
		play(t, e, 30, 30)
		if faults := e.Sim().Faults(); faults != 0 {
			t.Errorf("recorder on at first %t: %d faults without a dataset", enabled, faults)
		}
	}
}

// An outside driver that restarts worlds as it likes is replayed from the log.
func TestReplayRestartsWhatWasRestarted(t *testing.T) {
	cfg := preset(t, "quadruped", "autoreset=disabled", "max_steps=15")
	path := filepath.Join(t.TempDir(), "run.log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	h := LogHeader(cfg, OpenOptions{})
	h.Actions = true
	log, err := runlog.Create(f, h)
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, cfg, OpenOptions{Log: log})
	for range 4 {
		play(t, e, 13, 7)
		err := e.Each(func(w *sim.Worker, b *sim.Block) error {
			mask := make([]bool, b.Len())
			mask[b.Index()%b.Len()] = b.Index()%3 != 0
			b.Restart(w, mask, nil)
			mask[0] = !mask[0]
			b.Restart(w, mask, []uint64{uint64(b.Index()), 5, 6, 7, 8, 9, 10, 11}[:b.Len()])
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	play(t, e, 3, 3)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if steps, err := Replay(path, 2); err != nil || steps != 55 {
		t.Errorf("%d steps, %v; want 55 and no difference", steps, err)
	}
}

// repeat plays a configuration against the log of another run. wrong changes the
// actions of world 9 in step 11.
func repeat(t testing.TB, path string, opt OpenOptions, steps int, wrong func(action []float32)) (same int64, err error) {
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
				wrong(b.Action()[(9-b.First())*len(b.Action())/b.Len():])
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
			Role:    sim.Call,
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
		{"one bit of a joint", at(func(w *sim.World) { w.State()[9] += 1e-15 }), "diverged after 14 control steps: world 7, physics"},
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
	if want := "diverged after 12 control steps: world 9, action"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	// Fewer steps than were logged, and more.
	if _, err := repeat(t, path, OpenOptions{}, 19, nil); err == nil || !strings.Contains(err.Error(), "diverged at step") {
		t.Errorf("error %v, want a difference", err)
	}
	if _, err := repeat(t, path, OpenOptions{}, 21, nil); err == nil || !strings.Contains(err.Error(), "diverged at step") {
		t.Errorf("error %v, want a difference", err)
	}
}

// One flipped bit in any byte of a log is damage, at the record that holds it. In a
// record of worlds the message names them and the step; in their hashes, the world
// and the part. The header's length depends on the machine, which it names, so the
// bytes are taken all.
func TestReplayNamesAFlippedBit(t *testing.T) {
	cfg := preset(t, "InvertedPendulum-v5", "worlds=2", "block_size=1")
	path := filepath.Join(t.TempDir(), "run.log")
	logRun(t, path, cfg, OpenOptions{}, 3, nil)
	log := readFile(t, path)
	in, err := runlog.NewReader(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		offset   int64
		state    bool
		n, world int64
	}
	var records []place
	for record, err := in.Next(); err == nil; record, err = in.Next() {
		r := place{offset: record.Offset, state: record.Kind == runlog.KindState, n: record.N()}
		if r.state {
			r.world = int64(record.First())
		}
		records = append(records, r)
	}
	bad := filepath.Join(t.TempDir(), "bad.log")
	current := -1 // the record of byte at; -1 for the header
	for at := range log {
		if current+1 < len(records) && int64(at) == records[current+1].offset {
			current++
		}
		flipped := slices.Clone(log)
		flipped[at] ^= 1 << (at % 8)
		if err := os.WriteFile(bad, flipped, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := repeat(t, bad, OpenOptions{Workers: 1}, 3, nil)
		var damage *runlog.Damage
		if !errors.As(err, &damage) {
			t.Fatalf("byte %d: error %v, want damage", at, err)
		}
		if current < 0 {
			if damage.Offset >= records[0].offset {
				t.Errorf("byte %d of the header: %v", at, err)
			}
			continue
		}
		r := records[current]
		if damage.Offset != r.offset {
			t.Errorf("byte %d of the record at offset %d: %v", at, r.offset, err)
		}
		if !r.state {
			continue
		}
		want := fmt.Sprintf("in its place the run has the state of world %d after %d control step", r.world, r.n)
		if r.n != 1 {
			want += "s"
		}
		// kind and length take 5 bytes, the step and the worlds 16
		if hash := (int64(at) - r.offset - 21) / 8; int64(at) >= r.offset+21 && hash < runlog.NumParts {
			want += fmt.Sprintf(", which differs in world %d, %v", r.world, runlog.Part(hash))
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: %v, want %q", at, err, want)
		}
	}
}

func TestLogOfSomeSteps(t *testing.T) {
	cfg := preset(t, "quadruped")
	path := filepath.Join(t.TempDir(), "run.log")
	logRun(t, path, cfg, OpenOptions{}, 40, func(h *runlog.Header) { h.Every, h.Actions = 10, true })
	if steps, err := Replay(path, 2); err != nil || steps != 40 {
		t.Errorf("%d steps, %v; want 40 and no difference", steps, err)
	}
	in, err := runlog.NewReader(bytes.NewReader(readFile(t, path)))
	if err != nil {
		t.Fatal(err)
	}
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

func TestReplayErrors(t *testing.T) {
	cfg := preset(t, "quadruped")
	dir := t.TempDir()
	path := filepath.Join(dir, "run.log")
	logRun(t, path, cfg, OpenOptions{}, 20, nil)
	if _, err := Replay(path, 1); err == nil || !strings.Contains(err.Error(), "run has no actions, want a log with actions") {
		t.Errorf("error %v, want that there are no actions", err)
	}
	if _, err := Replay(filepath.Join(dir, "none"), 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that there is no file", err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("a text of some length"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Replay(foreign, 1); err == nil || !strings.Contains(err.Error(), "no run log") {
		t.Errorf("error %v, want that it is no run log", err)
	}
	log, _, err := CompareLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(preset(t, "quadruped", "seed=5"), OpenOptions{Log: log}); err == nil || !strings.Contains(err.Error(), "another configuration") {
		t.Errorf("error %v, want that the configuration is another", err)
	}
}

// Logging every step allocates nothing on the step path once its memory has grown.
func TestLoggedStepAllocatesNothing(t *testing.T) {
	cfg := preset(t, "quadruped")
	f, err := os.Create(filepath.Join(t.TempDir(), "run.log"))
	if err != nil {
		t.Fatal(err)
	}
	h := LogHeader(cfg, OpenOptions{})
	h.Actions = true
	log, err := runlog.Create(f, h)
	if err != nil {
		t.Fatal(err)
	}
	e := closing(t, open(t, cfg, OpenOptions{Workers: 1, Log: log}))
	play(t, e, 300, 300)
	allocatesNothing(t, e.Each)
}

// BenchmarkStep takes control steps of one block of quadrupeds, with and without
// a log of every step.
func BenchmarkStep(b *testing.B) {
	for _, logged := range []bool{false, true} {
		b.Run(fmt.Sprintf("logged=%t", logged), func(b *testing.B) {
			cfg := preset(b, "quadruped", "worlds=8", "block_size=8")
			opt := OpenOptions{Workers: 1}
			if logged {
				f, err := os.Create(filepath.Join(b.TempDir(), "run.log"))
				if err != nil {
					b.Fatal(err)
				}
				if opt.Log, err = runlog.Create(f, LogHeader(cfg, opt)); err != nil {
					b.Fatal(err)
				}
			}
			e := closing(b, open(b, cfg, opt))
			step := 0
			b.ReportAllocs()
			for b.Loop() {
				err := e.Each(func(w *sim.Worker, block *sim.Block) error {
					for range 64 {
						actAt(e.Sim().Spec(), block, step)
						step++
						if err := block.Step(w); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(8*64*b.N), "ns/world-step")
		})
	}
}
