package env

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// preset is one of the project's own configurations, with few worlds.
func preset(t testing.TB, task string, overrides ...string) *configs.Config {
	t.Helper()
	name, data, err := configs.Preset(task)
	polytest.NoError(t, err)
	cfg, err := configs.Parse(name, data, append([]string{"worlds=12"}, overrides...), nil)
	polytest.NoError(t, err)
	return cfg
}

// open opens worlds, which are closed when the test ends at the latest.
func open(t testing.TB, cfg *configs.Config, opt OpenOptions) *Env {
	t.Helper()
	return closing(t, polytest.Must(Open(cfg, opt))(t))
}

// actAt fills a block's actions for a step.
func actAt(spec sim.Spec, b *sim.Block, step int) {
	for i := range b.Actions() {
		world, value := b.First()+i/spec.ActionSize, i%spec.ActionSize
		n := world*31 + step*17 + value*7
		if spec.Discrete > 0 {
			b.Actions()[i] = float32(n % 41 % spec.Discrete)
		} else {
			b.Actions()[i] = float32(n%41)/20 - 1
		}
	}
}

// play takes steps control steps with fixed actions, in segments, and returns a hash of everything the worlds showed.
func play(t testing.TB, e *Env, steps, segment int) uint64 {
	t.Helper()
	return playSteps(t, e, 0, steps, segment)
}

// playSteps takes the steps from first to steps−1.
func playSteps(t testing.TB, e *Env, first, steps, segment int) uint64 {
	t.Helper()
	spec := e.Sim().Spec()
	sums := make([]uint64, e.Sim().Worlds())
	for from := first; from < steps; from += segment {
		polytest.NoError(t, e.Each(func(w *sim.Worker, b *sim.Block) error {
			for step := from; step < min(from+segment, steps); step++ {
				actAt(spec, b, step)
				if err := b.Step(w); err != nil {
					return err
				}
				for i := range b.Len() {
					h := fnv.New64a()
					fmt.Fprint(h, sums[b.First()+i], b.Rewards()[i], b.Terminations()[i], b.Truncations()[i], b.State(i),
						b.Observations()[i*spec.ObservationSize:(i+1)*spec.ObservationSize])
					sums[b.First()+i] = h.Sum64()
				}
			}
			return nil
		}))
	}
	h := fnv.New64a()
	fmt.Fprint(h, sums)
	return h.Sum64()
}

func TestDeterminismOfWorldsAndDatasets(t *testing.T) {
	for _, task := range []string{"quadruped", "HalfCheetah-v5"} {
		t.Run(task, func(t *testing.T) {
			sameForAnyWorkers(t, func(overrides ...string) *configs.Config { return preset(t, task, overrides...) }, 60)
		})
	}
}

// sameForAnyWorkers plays and records a configuration on several numbers of workers.
func sameForAnyWorkers(t *testing.T, config func(overrides ...string) *configs.Config, steps int) {
	t.Helper()
	run := func(workers, segment int, overrides ...string) (uint64, map[string]string) {
		dir := filepath.Join(t.TempDir(), "dataset")
		e := open(t, config(overrides...), OpenOptions{Workers: workers, Dataset: dir})
		sum := play(t, e, steps, segment)
		polytest.NoError(t, e.Close())
		return sum, polytest.Files(t, dir)
	}
	want, wantFiles := run(1, 20)
	for _, workers := range []int{2, 3} {
		got, gotFiles := run(workers, 20)
		if got != want {
			t.Errorf("%d workers: other bits than 1 worker", workers)
		}
		polytest.SameFiles(t, fmt.Sprint(workers, " workers"), gotFiles, wantFiles)
	}
	if got, _ := run(2, 7); got != want {
		t.Error("segments of 7 steps: other bits than of 20")
	}
	if other, _ := run(1, 20, "seed=2"); other == want {
		t.Error("seed 2 gave the same as seed 1")
	}
}

// With physics on the 500 Hz runner, one substep a step, and a binding there that
// may write, every engine call takes one substep.
func TestDeterminismFusedAndUnfused(t *testing.T) {
	want := play(t, open(t, preset(t, "quadruped"), OpenOptions{}), 40, 40)
	cfg := preset(t, "quadruped")
	cfg.Bindings = append(cfg.Bindings, configs.Binding{Name: physicsName, Runner: "Sensors", Substeps: new(1)})
	idle := sim.Binding{
		Binding: runners.Binding{Name: "idle", Runner: "Sensors", Phase: runners.Control, Writes: true},
		Call:    func(*runners.StepContext, *sim.World) {},
	}
	got := play(t, open(t, cfg, OpenOptions{Bindings: []sim.Binding{idle}}), 40, 40)
	if got != want {
		t.Error("stepping physics one substep at a time gave other bits")
	}
}

// closing closes e when the test ends.
func closing(t testing.TB, e *Env) *Env {
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestOrderOfTheQuadruped(t *testing.T) {
	plan := polytest.Must(NewPlan(preset(t, "quadruped")))(t)
	var got []string
	for _, e := range plan.Schedule().Order() {
		got = append(got, fmt.Sprintf("%v %s@%s", e.Phase, e.Name, e.RateText()))
	}
	want := []string{
		"Acquisition joint_position@500", "Acquisition joint_velocity@500", "Acquisition gyro@500",
		"Acquisition accelerometer@500", "Acquisition orientation@500", "Acquisition foot_contact@500",
		"Acquisition observation@50", "Acquisition latch@beat",
		"Control controller@50", "Control recorder@30", "Physics physics@50",
	}
	if !slices.Equal(got, want) {
		t.Errorf("order\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	e := open(t, preset(t, "quadruped"), OpenOptions{Workers: 1})
	allocatesNothing(t, e.Sim().Each)
}

// allocatesNothing steps every block of each and counts. The count is rounded
// down, so a run is as long as it takes for a rare allocation to show.
func allocatesNothing(t *testing.T, each func(func(*sim.Worker, *sim.Block) error) error) {
	t.Helper()
	polytest.NoError(t, each(func(w *sim.Worker, b *sim.Block) error {
		if n := polytest.Allocations(4, func() {
			for range 50 {
				if err := b.Step(w); err != nil {
					t.Error(err)
				}
			}
		}); n != 0 {
			t.Errorf("block %d: %v allocations in 50 steps", b.Index(), n)
		}
		return nil
	}))
}

func TestOpenErrors(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.xml")
	polytest.NoError(t, os.WriteFile(broken, []byte("<mujoco><worldbody><geom type='cube'/></worldbody></mujoco>"), 0o666))
	file := filepath.Join(t.TempDir(), "file")
	polytest.NoError(t, os.WriteFile(file, nil, 0o666))
	for _, c := range []struct {
		name   string
		change func(*configs.Config, *OpenOptions)
		want   string
	}{
		{"described", func(c *configs.Config, _ *OpenOptions) { c.Task.Name = "quadruped" },
			"task.name is quadruped, which its preset describes"},
		{"task", func(c *configs.Config, _ *OpenOptions) { c.Task.Name = "quadrupd" },
			`unknown task "quadrupd": the nearest known one is "quadruped"; train tasks lists all, and a configuration`},
		{"model missing", func(c *configs.Config, _ *OpenOptions) { c.Model = "/no/such.xml" }, "/no/such.xml"},
		{"model broken", func(c *configs.Config, _ *OpenOptions) { c.Model = broken }, "broken.xml"},
		{"option", func(c *configs.Config, _ *OpenOptions) { c.Task.Options = map[string]any{"comand": 1} },
			"task.options.comand"},
		{"binding", func(c *configs.Config, _ *OpenOptions) {
			c.Bindings = append(c.Bindings, configs.Binding{Name: "recoder"})
		}, `no binding "recoder", want one of `},
		{"substeps elsewhere", func(c *configs.Config, _ *OpenOptions) {
			c.Bindings = []configs.Binding{{Name: "recorder", Substeps: new(2)}}
		}, "only the binding physics has substeps"},
		{"dataset", func(_ *configs.Config, o *OpenOptions) { o.Dataset = filepath.Join(file, "dataset") },
			"not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg, opt := preset(t, "HalfCheetah-v5"), OpenOptions{}
			c.change(cfg, &opt)
			refused(t, cfg, opt, c.want)
		})
	}
}

// refused checks that worlds are not opened, and why.
func refused(t *testing.T, cfg *configs.Config, opt OpenOptions, want string) {
	t.Helper()
	e, err := Open(cfg, opt)
	if err == nil {
		closing(t, e)
	}
	polytest.ErrorContains(t, err, want)
}
