package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/rlenv"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// newRun trains a policy.
func newRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Train a policy and record what happens",
		Long: "Train a policy with PPO, record what happens, and evaluate the result. " +
			"The run folder then holds the configuration, metrics, a learning curve, checkpoints and the dataset.",
		Args: cobra.NoArgs,
	}
	addRun(cmd)
	return cmd
}

// addRun makes cmd train.
func addRun(cmd *cobra.Command) {
	var config configFlags
	config.Add(cmd)
	config.Alias("seed", "seed", "use the seed `N`")
	config.Alias("workers", "workers", "step worlds on `N` threads; 0 for one per CPU")
	out := cmd.Flags().String("out", "", "write to the new folder `DIR` instead of the next runs/TASK-NNN")
	resume := cmd.Flags().String("resume", "", "go on learning from the checkpoint or run folder `RUN`, with its configuration and new episodes, in a new folder")
	every := addLogFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("resume", "config")
	cmd.MarkFlagsMutuallyExclusive("resume", "task")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkLogFlag(*every); err != nil {
			return err
		}
		t := &training{stderr: cmd.ErrOrStderr(), log: logging{every: *every, kind: kindTrain}}
		var err error
		if *resume != "" {
			t.log.checkpoint = checkpointPath(*resume)
			if t.from, err = readCheckpoint(*resume); err != nil {
				return err
			}
			t.config, err = config.Parse(*resume, []byte(t.from.User))
		} else {
			t.config, err = config.Load()
		}
		if err != nil {
			return err
		}
		if err := t.open(*out); err != nil {
			return err
		}
		if err := t.run(cmd.Context()); err != nil {
			return err
		}
		return t.summary(cmd.OutOrStdout())
	}
}

// training is one run of train run.
type training struct {
	config *configs.Config
	from   *rl.Checkpoint // to go on from; nil to begin
	log    logging
	stderr io.Writer

	folder       string
	taken        *runFolder // folder, until the run is over
	env          *env.Env
	worlds       *rlenv.Env // env, as the learner sees it
	learner      *rl.PPO
	user         string // what checkpoints carry: the configuration
	metrics      *os.File
	table        *rl.MetricsWriter
	intermediate []intermediate
	points       []curve.Point

	report report
}

// intermediate is an evaluation made on the way.
type intermediate struct {
	EnvSteps int64 `json:"env_steps"`
	evaluation
}

// report is the contents of run.json: what is true of this run and not of what
// it produced.
type report struct {
	Status        string            `json:"status"` // done, interrupted or failed
	Task          string            `json:"task"`
	Seed          uint64            `json:"seed"`
	Worlds        int               `json:"worlds"`
	BlockSize     int               `json:"block_size"`
	PanelHeight   int               `json:"panel_height"`
	Workers       int               `json:"workers"`
	Host          string            `json:"host"`
	CPUs          int               `json:"cpus"`
	Started       time.Time         `json:"started"`
	WallSeconds   float64           `json:"wall_s"` // of training
	EnvSteps      int64             `json:"env_steps"`
	StepsPerS     float64           `json:"env_steps_per_s"`
	Faults        int64             `json:"faults"`
	Evaluation    *evaluation       `json:"evaluation,omitempty"`
	Versions      map[string]string `json:"versions"`
	BLASKernel    string            `json:"openblas_kernel"`
	Configuration string            `json:"configuration"` // file beside this one
}

// open makes the run folder and everything that writes into it. After an error
// nothing is left behind.
func (t *training) open(out string) (err error) {
	if _, err := env.NewPlan(t.config); err != nil {
		return err
	}
	if err := wantMode(t.config.Time, "learning", runners.SimHighPerformance); err != nil {
		return err
	}
	if t.taken, err = makeRunFolder(out, t.config.Task.Name); err != nil {
		return err
	}
	t.folder = t.taken.path
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close(), t.taken.discard())
		}
	}()

	var opt env.Options
	if t.config.Recording.Enabled {
		opt.Dataset = filepath.Join(t.folder, datasetFolder)
	}
	if opt.Log, err = t.log.create(t.folder, t.config, opt); err != nil {
		return err
	}
	if err = t.begin(opt); err != nil {
		return err
	}
	noteWarnings(t.stderr, t.env)

	portable := *t.config
	portable.Workers = 0 // decides nothing, so it is no part of the result
	t.user = string(portable.YAML())
	if err = os.WriteFile(filepath.Join(t.folder, configFile), t.config.YAML(), 0o666); err != nil {
		return err
	}
	if t.metrics, err = os.Create(filepath.Join(t.folder, metricsFile)); err != nil {
		return err
	}
	t.table = rl.NewMetricsWriter(t.metrics, true)

	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	shape := t.worlds.Shape()
	t.report = report{
		Status: "failed", Task: t.config.Task.Name, Seed: t.config.Seed,
		Worlds: shape.Worlds, BlockSize: shape.BlockSize, PanelHeight: rl.PanelHeight, Workers: shape.Workers,
		Host: host, CPUs: runtime.NumCPU(), Started: time.Now(),
		Versions: env.Versions(), BLASKernel: rl.Kernel(), Configuration: configFile,
	}
	return nil
}

// begin makes the worlds and the learner. After an error, close what there is.
func (t *training) begin(opt env.Options) (err error) {
	if t.env, err = env.Open(t.config, opt); err != nil {
		return err
	}
	// Learning is interrupted between iterations only, where it can go on from.
	if t.worlds, err = rlenv.New(context.Background(), t.env, t.config); err != nil {
		return asUsage(err)
	}
	if t.from != nil {
		t.learner, err = rl.Resume(t.worlds, t.from)
	} else {
		t.learner, err = rl.New(t.worlds, rlenv.Settings(t.config.Training), t.config.Seed)
	}
	return asUsage(err)
}

// run trains, closes everything, evaluates, and writes the report, whatever
// happens on the way.
func (t *training) run(ctx context.Context) error {
	defer t.taken.close()
	begun := t.learner.EnvSteps()
	err := t.learn(ctx)
	t.report.WallSeconds = time.Since(t.report.Started).Seconds()
	t.report.EnvSteps = t.learner.EnvSteps()
	t.report.StepsPerS = float64(t.report.EnvSteps-begun) / t.report.WallSeconds
	t.report.Faults = t.env.Sim().Faults()
	err = errors.Join(err, t.close(), t.drawCurve())
	noteWarnings(t.stderr, t.env)
	if err == nil {
		t.report.Evaluation, err = t.evaluate(ctx)
	}
	switch {
	case err == nil:
		t.report.Status = "done"
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		t.report.Status = "interrupted"
		fmt.Fprintf(t.stderr, "stopped after %d steps; everything is closed in %s\n", t.report.EnvSteps, t.folder)
	}
	return errors.Join(err, writeJSON(filepath.Join(t.folder, runFile), t.report))
}

// learn iterates until the configured number of steps or until ctx is
// cancelled, and leaves a checkpoint in both cases.
func (t *training) learn(ctx context.Context) error {
	total := int64(t.config.Training.Steps)
	begun := t.learner.EnvSteps()
	bar := newProgress(t.stderr, "training "+t.config.Task.Name, total)
	defer bar.Close()
	last := "-" // newest mean return
	for ctx.Err() == nil && t.learner.EnvSteps() < total {
		before := t.learner.EnvSteps()
		m, err := t.learner.Iterate()
		if err != nil {
			return err
		}
		if err := t.table.Write(m); err != nil {
			return err
		}
		t.points = append(t.points, curve.Point{EnvSteps: m.EnvSteps, Return: m.MeanReturn, Length: m.MeanLength})
		if !math.IsNaN(m.MeanReturn) {
			last = fmt.Sprintf("%.1f", m.MeanReturn)
		}
		rate := float64(m.EnvSteps-begun) / time.Since(t.report.Started).Seconds()
		bar.Update(m.EnvSteps, fmt.Sprintf("%.0f steps/s  return %s", rate, last))

		// due reports whether the iteration has passed a multiple of every.
		due := func(every int) bool { return every > 0 && before/int64(every) != m.EnvSteps/int64(every) }
		if due(t.config.Training.CheckpointEvery) {
			if err := writeCheckpoint(t.folder, t.learner, t.user); err != nil {
				return err
			}
		}
		if due(t.config.Evaluation.Every) {
			if err := t.evaluateNow(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
	if err := writeCheckpoint(t.folder, t.learner, t.user); err != nil {
		return err
	}
	return ctx.Err()
}

// evaluate evaluates the policy as it is and adds the result to the list.
func (t *training) evaluateNow(ctx context.Context) error {
	e, err := t.evaluate(ctx)
	if err != nil {
		return err
	}
	t.intermediate = append(t.intermediate, intermediate{t.learner.EnvSteps(), *e})
	return writeJSON(filepath.Join(t.folder, evaluationsFile), t.intermediate)
}

// close finishes the dataset and the metrics.
func (t *training) close() error {
	var errs []error
	if t.env != nil {
		errs = append(errs, t.env.Close())
	}
	if t.metrics != nil {
		errs = append(errs, t.metrics.Close())
	}
	return errors.Join(errs...)
}

// drawCurve draws the learning curve, if an episode has ended.
func (t *training) drawCurve() error {
	for _, p := range t.points {
		if !math.IsNaN(p.Return) {
			return writeFile(filepath.Join(t.folder, curveFile), func(w io.Writer) error {
				return curve.WritePNG(w, t.config.Task.Name, t.points)
			})
		}
	}
	return nil
}

// evaluate evaluates the policy as train eval does.
func (t *training) evaluate(ctx context.Context) (*evaluation, error) {
	c := *t.config
	c.Seed++
	return evaluate(ctx, &c, t.learner.Policy())
}

func (t *training) summary(w io.Writer) error {
	r := &t.report
	wall := time.Duration(r.WallSeconds * float64(time.Second)).Round(time.Second)
	if _, err := fmt.Fprintf(w, "%s: %d environment steps in %v (%.0f steps/s), %d worlds, %d workers, %d faults\n",
		r.Task, r.EnvSteps, wall, r.StepsPerS, r.Worlds, r.Workers, r.Faults); err != nil {
		return err
	}
	if err := r.Evaluation.print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "everything is in %s\n", t.folder)
	return err
}
