package env

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/export"
	"github.com/polyrhythm-rl/polyrhythm/recorder/inspect"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// changing is a run whose clock changes while it is recorded, as data.
type changing struct {
	seed     uint64
	task     string
	settings []string // overrides of the task's preset
	changes  []string // in the configuration's words
	restarts []int    // steps before which some worlds begin anew
	steps    int
	format   string // to export to
}

func (c *changing) String() string {
	return fmt.Sprintf("seed %d: %s for %d steps, restarts %v, exported to %s\n  --set %s\n  changes:\n    - %s",
		c.seed, c.task, c.steps, c.restarts, c.format, strings.Join(c.settings, "\n  --set "),
		strings.Join(c.changes, "\n    - "))
}

// drawChanging draws a run that records.
func drawChanging(seed uint64) *changing {
	r := rand.New(rand.NewPCG(seed, 15))
	chance := func(percent int) bool { return r.IntN(100) < percent }
	of := func(words ...string) string { return words[r.IntN(len(words))] }
	rates := []string{"30", "20", "50", "100", "7", "40", "29.97", "15ms"}

	task := []struct{ name, control string }{{"Reacher-v5", "50"}, {"HalfCheetah-v5", "20"},
		{"InvertedPendulum-v5", "25"}}[r.IntN(3)]
	c := &changing{seed: seed, task: task.name, steps: 4 + r.IntN(18), format: of("csv", "parquet", "mcap", "hf")}
	set := func(format string, values ...any) { c.settings = append(c.settings, fmt.Sprintf(format, values...)) }
	set("recording.sync=none")
	set("worlds=%d", 1+r.IntN(2))
	set("max_steps=%d", 2+r.IntN(9))
	set("autoreset=%s", of("same_step", "next_step"))
	set("runners=[{name: Robot, rate: %s}, {name: Capture, rate: %s}, {name: Sensors, rate: %s}, {name: Idle, rate: %s}]",
		task.control, of(rates...), of("60", "100", "120", "50"), of("10", "20"))
	model := func() string {
		text := ""
		for _, part := range []string{", latency: 8ms", ", jitter: 5ms", ", dropout: 0.5", ", noise: {std: 0.1}",
			", bias: {std: 1, walk: 1}", ", hold: {time: 30ms, probability: 0.3}"} {
			if chance(25) {
				text += part
			}
		}
		return text
	}
	set("sensors=[{name: pos, runner: Sensors, sources: [qpos]%s}, {name: vel, runner: %s, sources: [qvel]%s}]",
		model(), of("Sensors", "Capture"), model())
	tables := []string{"capture"}
	names := []string{"recorder", "recorder", "pos", "vel"}
	if chance(50) {
		tables, names = append(tables, "control"), append(names, "recorder_control")
	}
	if chance(50) {
		tables, names = append(tables, "sensors"), append(names, "recorder_sensors")
	}
	set("recording.tables=[%s]", strings.Join(tables, ", "))
	if chance(30) {
		set("recording.episodes.min_return=-3")
	}
	idle := true
	phase := func() string { return of("Acquisition", "Control", "Physics", "Validation", "Export") }
	set("bindings.recorder.phase=%s", phase())

	for n := range c.steps {
		if chance(12) {
			c.restarts = append(c.restarts, n)
		}
		if !chance(30) {
			continue
		}
		var edits []string
		for range 1 + r.IntN(2) {
			name := of(names...)
			edits = append(edits, []string{
				fmt.Sprintf("set_phase: {name: %s, phase: %s}", name, phase()),
				fmt.Sprintf("set_phase: {name: recorder, phase: %s}", of("Acquisition", "Control")),
				fmt.Sprintf("toggle_binding: {name: %s, enabled: %t}", name, chance(60)),
				fmt.Sprintf("toggle_binding: {name: %s, enabled: %t}", name, chance(60)),
				fmt.Sprintf("set_priority: {name: %s, priority: %d}", name, r.IntN(7)*100-300),
				fmt.Sprintf("rebind: {name: %s, runner: %s}", name, of("Robot", "Capture", "Sensors")),
				fmt.Sprintf("set_rate: {name: Capture, rate: %s}", of(rates...)),
				fmt.Sprintf("toggle_runner: {name: %s, enabled: %t}", of("Capture", "Sensors"), chance(60)),
			}[r.IntN(8)])
		}
		if idle && chance(15) {
			idle = false
			edits = append(edits, "remove_runner: {name: Idle}")
		}
		c.changes = append(c.changes, fmt.Sprintf("{n: %d, edits: [{%s}]}", n, strings.Join(edits, "}, {")))
	}
	return c
}

// errNoRun says that worlds refuse a drawn configuration.
var errNoRun = errors.New("refused")

// try records the run, and holds what it wrote to what is promised.
func (c *changing) try(dir string) error {
	name, data, err := configs.Preset(c.task)
	if err != nil {
		return err
	}
	cfg, err := configs.Parse(name, data, append(slices.Clone(c.settings), "changes=["+strings.Join(c.changes, ", ")+"]"),
		nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoRun, err)
	}
	if err := c.run(cfg, dir); err != nil {
		return err
	}
	d, err := recorder.Open(filepath.Join(dir, "dataset"))
	if err != nil {
		return err
	}
	report, err := inspect.Dataset(context.Background(), d, inspect.Options{ClockChanges: len(c.changes) > 0})
	if err != nil {
		return err
	}
	for _, check := range report.Checks {
		if check.Failed > 0 {
			return fmt.Errorf("inspect: %s %s: %s", check.Table, check.Name, check.First)
		}
	}
	format, err := export.FormatOf(c.format)
	if err != nil {
		return err
	}
	if _, err := export.Export(context.Background(), d, format, filepath.Join(dir, "export"),
		export.Options{}); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	steps, err := Replay(filepath.Join(dir, "run.log"), 2)
	if err != nil || steps != int64(c.steps) {
		return fmt.Errorf("replay: %d steps, want %d: %w", steps, c.steps, err)
	}
	return nil
}

// run records the run and logs it.
func (c *changing) run(cfg *configs.Config, dir string) (err error) {
	f, err := os.Create(filepath.Join(dir, "run.log"))
	if err != nil {
		return err
	}
	opt := OpenOptions{Dataset: filepath.Join(dir, "dataset"), Workers: 1}
	h := LogHeader(cfg, opt)
	h.Actions = true
	if opt.Log, err = runlog.Create(f, h); err != nil {
		return err
	}
	e, err := Open(cfg, opt)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoRun, err)
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for step := range c.steps {
		if slices.Contains(c.restarts, step) {
			err := e.Each(func(w *sim.Worker, b *sim.Block) error {
				mask := make([]bool, b.Len())
				for i := range mask {
					mask[i] = (b.First()+i+step)%2 == 0
				}
				b.Restart(w, mask, nil)
				return nil
			})
			if err != nil {
				return err
			}
		}
		err := e.Each(func(w *sim.Worker, b *sim.Block) error {
			actAt(e.Sim().Spec(), b, step)
			return b.Step(w)
		})
		if err != nil {
			return err
		}
	}
	if n := e.Sim().Faults(); n > 0 {
		return fmt.Errorf("%d faults", n)
	}
	return nil
}

// Runs whose clocks change at random are recorded so that inspect finds nothing
// wrong, export to other formats, and replay from their logs. POLYTEST_CASES
// plays so many of them, from seed 0 on.
func TestRandomChangesRecordInspectExportAndReplayLong(t *testing.T) {
	runs, _ := polytest.Cases(t, 10, 30, 300)
	refused := 0
	for seed := range uint64(runs) {
		c := drawChanging(seed)
		switch err := c.try(t.TempDir()); {
		case errors.Is(err, errNoRun):
			refused++
		case err != nil:
			t.Fatalf("%v\n%v", err, c)
		}
	}
	t.Logf("%d runs, %d of them refused", runs, refused)
	if refused > runs/2 {
		t.Error("the draw is too one-sided")
	}
}
