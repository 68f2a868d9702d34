package training

import (
	"cmp"
	"context"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// source is where the samples of a training come from: [ownWorlds], which this process steps, [filledWorlds], beside
// which there is a dataset, [taughtWorlds], in which a teacher says what it would have done, [recordedRows], of a
// dataset, or [remoteWorlds], which other processes step. It is chosen once, where a run begins.
type source interface {
	// store writes to the folder of a run that begins what it learns from, where that is not in the configuration.
	store(folder string) error

	// prepare completes the options of a run's worlds. saved is the state that the run goes on from; nil: it
	// begins.
	prepare(opt *env.OpenOptions, c *configs.Config, saved *runs.State)

	// open returns what the learner learns from. w are the worlds that were opened, and infos those of their episodes.
	open(ctx context.Context, folder string, c *configs.Config, w *learnerEnv, infos *runs.Results) (rl.Source, error)

	// iterate lets the learner do an iteration. After an error the source tells of the worlds as they stood before it.
	iterate(ctx context.Context, learner rl.Learner) (rl.Metrics, error)

	// position sets where the worlds stand, unless an iteration that is interrupted does not change what sync sets.
	position(s *runs.State) error

	// sync forces to the disk what the worlds have written, or sets where they stand.
	sync(s *runs.State) error

	// faults returns the number of faults so far, and the first.
	faults() (n int64, first string)
}

// newSource returns the source of a training in one process, by its algorithm.
func newSource(config *configs.Config, opt TrainOptions) source {
	switch algorithm := config.Training.Algorithm; {
	case algorithm == rl.AlgorithmDistill:
		return &taughtWorlds{checkpoint: opt.Teacher}
	case algorithm.Offline():
		return &recordedRows{dataset: opt.Dataset, warn: opt.filled().Warn}
	case algorithm == rl.AlgorithmSAC && config.Training.Dataset != "":
		return &filledWorlds{dataset: config.Training.Dataset, warn: opt.filled().Warn}
	}
	return &ownWorlds{}
}

// configured reports whether the configuration alone says what an algorithm learns from.
func configured(a rl.Algorithm) bool { return a != rl.AlgorithmDistill && !a.Offline() }

// checkSources returns an error unless a training that begins is given what its algorithm learns from, and no more.
func checkSources(algorithm rl.Algorithm, opt TrainOptions) error {
	algorithm = cmp.Or(algorithm, rl.AlgorithmPPO)
	distills, teacher, dataset := algorithm == rl.AlgorithmDistill, opt.Teacher != nil, opt.Dataset != ""
	switch {
	case distills && !teacher:
		return usage.Errorf("training.algorithm is %s and there is no teacher, want train distill TEACHER", algorithm)
	case teacher && !distills:
		return usage.Errorf("training.algorithm is %s, want %s with a teacher", algorithm, rl.AlgorithmDistill)
	case algorithm.Offline() && !dataset:
		return usage.Errorf("training.algorithm is %s and there is no dataset, want train clone DATASET", algorithm)
	case algorithm.Offline() && opt.LogEvery > 0:
		return usage.Errorf("log-every is %d, want 0 with training.algorithm %s, which steps no world", opt.LogEvery, algorithm)
	case dataset && !algorithm.Offline():
		return usage.Errorf("training.algorithm is %s, want %s or %s with a dataset", algorithm, rl.AlgorithmClone,
			rl.AlgorithmTD3BC)
	}
	return nil
}

// ownWorlds are the worlds of this process, which it steps itself.
type ownWorlds struct{ worlds *learnerEnv }

func (*ownWorlds) store(string) error { return nil }

func (*ownWorlds) prepare(opt *env.OpenOptions, c *configs.Config, saved *runs.State) {
	if saved != nil {
		opt.Continue = &saved.State
	}
	opt.Beside = func(spec sim.Spec) (int64, error) {
		bytes, err := rl.Check(shapeOf(spec, c), c.Training.Settings)
		return bytes, learnerError(err)
	}
}

func (s *ownWorlds) open(_ context.Context, _ string, c *configs.Config, w *learnerEnv, _ *runs.Results) (rl.Source,
	error) {
	s.worlds = w
	if c.Training.Algorithm == rl.AlgorithmSAC { // most of the work is not the worlds'
		w.shape.Workers = max(w.shape.Workers, cmp.Or(c.Workers, env.Processors()))
	}
	return rl.Worlds{Env: w}, nil
}

func (*ownWorlds) iterate(ctx context.Context, learner rl.Learner) (rl.Metrics, error) {
	return learner.Iterate(ctx)
}

func (s *ownWorlds) position(boundary *runs.State) (err error) {
	boundary.State, err = s.worlds.env.Standing()
	return err
}

func (s *ownWorlds) sync(*runs.State) error { return s.worlds.env.Sync() }

func (s *ownWorlds) faults() (n int64, first string) {
	worlds := s.worlds.env.Sim()
	return worlds.FaultCount(), worlds.FirstFault()
}

// taughtWorlds are worlds of this process with a teacher.
type taughtWorlds struct {
	ownWorlds
	checkpoint *rundir.Checkpoint // of the teacher of a run that begins
}

// store copies the teacher.
func (s *taughtWorlds) store(folder string) error { return copyTeacher(s.checkpoint, folder) }

func (s *taughtWorlds) open(ctx context.Context, folder string, _ *configs.Config, w *learnerEnv, _ *runs.Results) (
	rl.Source, error) {
	s.worlds = w
	t, err := openTeacher(ctx, folder, w.env)
	return rl.TaughtWorlds{Env: w, Teacher: t}, err
}

// recordedRows are the rows of a dataset, in the place of those that the worlds of this process would have made: these
// stay where they are.
type recordedRows struct {
	ownWorlds
	dataset string // folder of the dataset of a run that begins
	warn    func(string)

	rows, heldOut *recording // those that are learned from, and the others
}

// store says which dataset it is.
func (s *recordedRows) store(folder string) error { return writeDatasetPath(s.dataset, folder) }

func (s *recordedRows) open(ctx context.Context, folder string, c *configs.Config, w *learnerEnv, _ *runs.Results) (
	_ rl.Source, err error) {
	s.worlds = w
	s.rows, s.heldOut, err = readDataset(ctx, folder, c, w.env.Sim().Spec(), s.warn)
	return rl.Rows{Of: w.shape, Recorded: s.rows}, err
}

// compare compares a policy with what was recorded.
func (s *recordedRows) compare(p *rl.Policy) (*rundir.Cloned, error) {
	return compareClone(p, s.rows, s.heldOut)
}

// filledWorlds are worlds of this process whose replay begins with the rows of a dataset.
type filledWorlds struct {
	ownWorlds
	dataset string // path in the configuration
	warn    func(string)
	begins  bool // otherwise the replay of the run's state has what is left of these rows
}

// store says which dataset it is.
func (s *filledWorlds) store(folder string) error {
	if err := writeDatasetPath(s.dataset, folder); err != nil {
		return usage.Errorf("training.dataset: %w", err)
	}
	return nil
}

func (s *filledWorlds) prepare(opt *env.OpenOptions, c *configs.Config, saved *runs.State) {
	s.begins = saved == nil
	s.ownWorlds.prepare(opt, c, saved)
}

func (s *filledWorlds) open(ctx context.Context, folder string, c *configs.Config, w *learnerEnv, infos *runs.Results) (
	rl.Source, error) {
	worlds, err := s.ownWorlds.open(ctx, folder, c, w, infos)
	if err != nil || !s.begins {
		return worlds, err
	}
	rows, _, err := readDataset(ctx, folder, c, w.env.Sim().Spec(), s.warn)
	return rl.FilledWorlds{Env: w, Recorded: rows}, err
}
