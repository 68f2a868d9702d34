package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// TrainOptions are the options of [Train].
type TrainOptions struct {
	Folder   string             // the run folder, new or empty; "": the next TASK-NNN in Runs
	Runs     string             // folder of new runs; "": [rundir.Parent]
	From     *rundir.Checkpoint // to continue from, in new episodes; nil: from scratch
	Teacher  *rundir.Checkpoint // that the policy learns from, with [rl.AlgorithmDistill]; nil: none
	Dataset  string             // folder of the dataset that it learns from, with [rl.AlgorithmClone], or of a run; "": none
	LogEvery int64              // control steps from one logged state to the next; 0: no log
	NoEvents bool               // no events for TensorBoard, where the configuration leaves them open; not of Continue

	// Continue, if not nil, is the state from which a stopped run goes on in its folder,
	// or from a newer one there. The configuration must be the run's, Workers aside, unless
	// Change is set; Folder, From and LogEvery are ignored.
	Continue *State

	// Change lets the run go on with other settings of training: with those that shape neither the networks nor the
	// worlds, and neither a dataset nor a log is recorded. ChangesFile then says which settings changed, and when.
	Change bool

	// KeepState leaves the state of the end in the folder of a run that is done. What goes on
	// from it evaluates again, and ends with the same files.
	KeepState bool

	// Until ends the run early, after the first iteration that reaches so many environment
	// steps. The configured steps keep their influence on the schedule. The run can then go
	// on, and its report is [rundir.StatusPaused]. 0: not early.
	Until int64

	Workers int // of [TrainInParts]: goroutines of the update, also more than blocks; 0: the configuration's

	StateEvery time.Duration       // wall time after which another [State] is kept; 0: 30 s
	Progress   func(TrainProgress) // called before the first iteration and after each; may be nil
	Warn       func(string)        // called with each warning of the task or the engine; may be nil

	// Metrics, if it is not nil, is called after each iteration with its metrics, by the names of
	// [rundir.MetricsFile]; it owns the map. The training waits for it. If it cancels ctx, the
	// training stops after this iteration.
	Metrics func(map[string]float64)

	// Draw, if it is not nil, is called with the run folder when the policy has been evaluated, to add pictures. A
	// training that is stopped meanwhile can be continued. An error becomes a warning.
	Draw func(folder string) error
}

// TrainProgress is the progress of a training.
type TrainProgress struct {
	EnvSteps, Total int64   // environment steps, of all worlds together
	StepsPerS       float64 // environment steps per second of wall time, so far
	MeanReturn      float64 // of the newest iteration in which an episode ended; NaN: none has
}

// Train learns a policy with PPO or SAC, records a dataset, and evaluates the policy. The run folder then holds the
// configuration, metrics, a learning curve, checkpoints and the dataset.
//
// If ctx is cancelled, Train stops, keeps the state and a checkpoint of the last whole iteration, and
// returns the error of ctx. The report is nil if the run could not begin. Once it has
// begun, its report is also written to its folder, even after an error.
func Train(ctx context.Context, config *configs.Config, opt TrainOptions) (*rundir.Report, error) {
	if err := usage.WantConfig(config); err != nil {
		return nil, err
	}
	t := newTraining(config, opt, newSource(config, opt))
	if err := t.start(ctx); err != nil {
		return nil, err
	}
	err := t.run(ctx)
	return &t.report, err
}

// Check returns an error if [Train] would refuse the configuration. It opens a few worlds and, in a temporary folder,
// a dataset, and closes them. It allocates nothing large, however many worlds there are.
func Check(ctx context.Context, config *configs.Config) (err error) {
	plan, err := learningPlan(config)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "polyrhythm-check-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	opt := env.OpenOptions{Context: ctx, Plan: plan, Slice: sim.Slice{To: firstBlock(config)},
		Snapshots: runs.StateSnapshots, Segment: config.Training.Segment()}
	if config.Recording.Enabled {
		opt.Dataset = filepath.Join(folder, rundir.DatasetFolder)
	}
	e, err := env.Open(config, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	w, err := newLearnerEnv(e, config)
	if err != nil {
		return err
	}
	w.resize(config)
	learner, err := rl.Check(w.shape, config.Training.Settings)
	if err != nil {
		return learnerError(err)
	}
	if path := config.Training.Dataset; path != "" {
		d, err := openDataset(path)
		if err == nil {
			err = checkDataset(d, config, e.Sim().Spec())
		}
		if err != nil {
			return usage.Errorf("training.dataset: %w", err)
		}
	}
	return usage.Mark(e.Sim().CheckMemory(config.Worlds, w.shape.Workers, learner))
}

// firstBlock is the number of worlds in the first block of a configuration.
func firstBlock(c *configs.Config) int { return min(c.Worlds, sim.BlockSize(c.Worlds, c.BlockSize)) }

// learnerError gives an error of the learner's settings their key, and makes it one of the configuration.
func learnerError(err error) error {
	var settings rl.SettingsError
	if errors.As(err, &settings) {
		err = fmt.Errorf("training.%w", settings.Err)
	}
	return usage.Mark(err)
}

// TrainOrResume is [Train] for a run in opt.Folder that an earlier call may have begun: if it
// is done, or has reached opt.Until, it returns its report, else the run goes on from its
// state. What is left of a run without one is removed first. opt.Continue is ignored.
func TrainOrResume(ctx context.Context, config *configs.Config, opt TrainOptions) (*rundir.Report, error) {
	report, err := rundir.ReadReport(opt.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case report.Evaluation == nil:
	case report.Status == rundir.StatusDone:
		if !opt.KeepState { // the run was killed, or the power was cut, between its report and its end
			err = removeState(opt.Folder)
		}
		return report, err
	case report.Status == rundir.StatusPaused && opt.Until > 0 && report.EnvSteps >= opt.Until:
		return report, nil
	}
	opt.Continue, err = ReadState(opt.Folder)
	if errors.Is(err, fs.ErrNotExist) { // stopped before its first state, if it began at all
		err = rundir.ClearFolder(opt.Folder, rundir.NotOfTraining)
	}
	if err != nil {
		return nil, err
	}
	return Train(ctx, config, opt)
}
