package training

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// TrainOptions are the options of [Train].
type TrainOptions struct {
	Folder   string      // the run folder, new or empty; "": the next runs/TASK-NNN
	From     *Checkpoint // to continue from, in new episodes; nil: from scratch
	LogEvery int64       // control steps from one logged state to the next; 0: no log

	// Continue, if not nil, is the point from which a stopped run goes on in its folder,
	// or from a newer one there. The configuration must be the run's, Workers aside, unless
	// Change is set; Folder, From and LogEvery are ignored.
	Continue *Point

	// Change lets the run go on with other settings of training: with those that shape
	// neither the networks nor the worlds, and neither a dataset nor a log is recorded.
	// ChangesFile then says which settings changed, and when.
	Change bool

	// KeepPoint leaves a point of the end in the folder of a run that is done. What goes on from
	// it evaluates again, and ends with the same files.
	KeepPoint bool

	// Until ends the run early, after the first iteration that reaches so many environment
	// steps. The configured steps keep their influence on the schedule. The run then has a
	// point from which it can go on, and its report is [StatusPaused]. 0: not early.
	Until int64

	// PointEvery is the wall time after which another [Point] is kept; 0: 30 s.
	PointEvery time.Duration

	// Progress, if it is not nil, is called before the first iteration and after each.
	Progress func(TrainProgress)

	// Warn, if it is not nil, is called with each warning of the task or the engine.
	Warn func(string)

	// Draw, if it is not nil, is called with the run folder when the policy has been
	// evaluated, to add pictures. A training that is stopped meanwhile can be continued.
	// An error becomes a warning.
	Draw func(folder string) error
}

// TrainProgress is the progress of a training.
type TrainProgress struct {
	EnvSteps, Total int64   // environment steps, of all worlds together
	StepsPerS       float64 // environment steps per second of wall time, so far
	MeanReturn      float64 // of the newest iteration in which an episode ended; NaN: none has
}

// Train learns a policy with PPO, records a dataset, and evaluates the policy. The run
// folder then holds the configuration, metrics, a learning curve, checkpoints and the
// dataset.
//
// If ctx is cancelled, Train stops, writes a checkpoint of the last whole iteration and
// returns the error of ctx. The report is nil if the run could not begin. Once it has
// begun, its report is also written to its folder, even after an error.
func Train(ctx context.Context, config *configs.Config, opt TrainOptions) (*Report, error) {
	t := newTraining(config, opt)
	if err := t.start(ctx, opt.Folder); err != nil {
		return nil, err
	}
	err := t.run(ctx)
	return &t.report, err
}

func newTraining(config *configs.Config, opt TrainOptions) *training {
	return &training{config: config, from: opt.From, at: opt.Continue, change: opt.Change, keepDone: opt.KeepPoint,
		until: opt.Until, pointEvery: cmp.Or(opt.PointEvery, pointEvery),
		progress: opt.Progress, warn: opt.Warn, draw: opt.Draw, log: logging{every: opt.LogEvery, kind: kindTrain}}
}

// start opens everything for a run, in folder unless it goes on from a point.
func (t *training) start(ctx context.Context, folder string) error {
	if t.at != nil {
		return t.resume(ctx)
	}
	return t.open(ctx, folder)
}

// Check returns an error if [Train] would refuse the configuration. It opens a few worlds
// and a learner, and closes them.
func Check(ctx context.Context, config *configs.Config) (err error) {
	c := *config
	c.Worlds = min(c.Worlds, sim.MaxBlockSize)
	t := &training{config: &c}
	plan, err := t.plan()
	if err != nil {
		return err
	}
	err = t.openWorlds(env.OpenOptions{Context: ctx, Plan: plan})
	return errors.Join(err, t.close())
}

// TrainAgain is [Train] for a run in opt.Folder that an earlier call may have begun: if it
// is done, or has reached opt.Until, it returns its report, else the run goes on from its
// point. What is left of a run without a point is removed first. opt.Continue is ignored.
func TrainAgain(ctx context.Context, config *configs.Config, opt TrainOptions) (*Report, error) {
	report, err := ReadReport(opt.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case report.Evaluation == nil:
	case report.Status == StatusDone, report.Status == StatusPaused && opt.Until > 0 && report.EnvSteps >= opt.Until:
		return report, nil
	}
	opt.Continue, err = ReadPoint(opt.Folder)
	if errors.Is(err, fs.ErrNotExist) { // stopped before its first point, if it began at all
		err = clearFolder(opt.Folder)
	}
	if err != nil {
		return nil, err
	}
	return Train(ctx, config, opt)
}

// training is one run of Train.
type training struct {
	config  *configs.Config
	from    *Checkpoint // to continue from; nil: from scratch
	at      *Point      // to continue from in the same folder, or nil
	resumed bool        // the run began from a checkpoint
	offset  int64       // control steps of each world before the run, of that checkpoint
	log     logging

	change   bool     // the configuration may differ from that of at
	changes  []Change // so far
	keepDone bool     // keep a point of the end

	until      int64 // to end early after; 0: not
	pointEvery time.Duration
	kept       time.Time           // when the last point was
	keptAt     int64               // environment steps then
	progress   func(TrainProgress) // may be nil
	warn       func(string)        // may be nil
	draw       func(string) error  // may be nil
	faultSaid  bool                // warn has been called with a fault

	unevaluated bool // the evaluation after the newest iteration was interrupted

	parts *Parts // collects the rollouts; nil: env does

	folder       string
	taken        *Folder     // the lock of folder, until the run is over
	env          *env.Env    // with parts only one block, which nobody steps
	worlds       *learnerEnv // env, as the learner sees it
	learner      *rl.PPO
	user         string // the configuration, stored in checkpoints
	metrics      *metrics
	infos        *results // of the episodes that ended in a rollout
	intermediate []Intermediate
	points       []curve.Point

	report Report
}

// Intermediate is an evaluation during training, after EnvSteps environment steps.
type Intermediate struct {
	EnvSteps int64 `json:"env_steps"`
	Evaluation
}

// The values of [Report].Status.
const (
	StatusDone        = "done"
	StatusPaused      = "paused" // at TrainOptions.Until
	StatusInterrupted = "interrupted"
	StatusFailed      = "failed"
)

// Report describes one execution of a training. Unlike the other files of a run folder,
// it depends on the machine and the time.
type Report struct {
	Folder         string            `json:"-"`
	Status         string            `json:"status"` // StatusDone, StatusPaused, StatusInterrupted or StatusFailed
	Task           string            `json:"task"`
	Seed           uint64            `json:"seed"`
	Worlds         int               `json:"worlds"`
	BlockSize      int               `json:"block_size"`
	PanelHeight    int               `json:"panel_height"`
	Workers        int               `json:"workers"`
	Host           string            `json:"host"`
	CPUs           int               `json:"cpus"`
	Started        time.Time         `json:"started"`
	WallSeconds    float64           `json:"wall_s"`    // of training
	RolloutSeconds float64           `json:"rollout_s"` // of that, in rollouts; the rest are mostly updates
	EnvSteps       int64             `json:"env_steps"`
	StepsPerS      float64           `json:"env_steps_per_s"`
	Faults         int64             `json:"faults"`
	Evaluation     *Evaluation       `json:"evaluation,omitempty"`
	Model          string            `json:"model,omitempty"` // env.Env.ModelDigest
	Versions       map[string]string `json:"versions"`
	BLASKernel     string            `json:"openblas_kernel"`
	Configuration  string            `json:"configuration"` // name of its file in the same folder
}

// ReadReport reads the report of the run in a folder. The error is fs.ErrNotExist if it has
// none.
func ReadReport(folder string) (*Report, error) {
	path := filepath.Join(folder, ReportFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	if err := json.Unmarshal(data, report); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	report.Folder = folder
	return report, nil
}

// open makes the run folder and opens everything that writes to it. After an error it
// leaves no file.
func (t *training) open(ctx context.Context, out string) (err error) {
	plan, err := t.plan()
	if err != nil {
		return err
	}
	if t.from != nil {
		if err := t.from.CheckResume(t.config.Training.Settings); err != nil {
			return usagef("resume from %s: training.%w", t.from.Path, err)
		}
		if t.log.contents, err = os.ReadFile(t.from.Path); err != nil {
			return err
		}
	}
	if t.taken, err = TakeFolder(out, t.config.Task.Name); err != nil {
		return err
	}
	t.folder, t.user = t.taken.path, portable(t.config)
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close(), t.taken.Discard())
		}
	}()
	if err = t.keepBeginning(); err != nil {
		return err
	}
	return t.begin(ctx, plan)
}

// plan returns the clock, in which learning is possible.
func (t *training) plan() (*env.Plan, error) {
	plan, err := env.NewPlan(t.config)
	if err != nil {
		return nil, err
	}
	return plan, wantMode(t.config.Time.Mode, "learning runs as fast as it can", runners.SimHighPerformance)
}

// begin opens everything that writes to the run folder, which holds at most its point.
// After an error the caller calls close.
func (t *training) begin(ctx context.Context, plan *env.Plan) (err error) {
	opt := env.OpenOptions{Context: ctx, Plan: plan}
	if t.from != nil {
		t.resumed = true
		t.offset = t.from.ControlSteps
		opt.StepOffset = t.offset
	}
	if t.config.Recording.Enabled && t.parts == nil {
		opt.Dataset = filepath.Join(t.folder, DatasetFolder)
	}
	if opt.Log, err = t.log.create(t.folder, t.config, opt); err != nil {
		return err
	}
	if err = t.openWorlds(opt); err != nil {
		return err
	}
	warn(t.warn, t.env)
	if err = os.WriteFile(filepath.Join(t.folder, ConfigFile), t.config.YAML(), 0o666); err != nil {
		return err
	}
	if t.metrics, err = createMetrics(t.folder, t.env.Spec().InfoNames, t.tensorBoard()); err != nil {
		return err
	}
	t.beginReport()
	return nil
}

// resume is open for a run that was stopped. After an error it can still be continued.
func (t *training) resume(ctx context.Context) (err error) {
	plan, err := t.retake()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
			t.taken.Close()
		}
	}()
	if t.at.state.Unbegun {
		return t.restart(ctx, plan)
	}
	return t.reopen(ctx, plan)
}

// restart is resume for a run that was stopped before its first iteration was done.
func (t *training) restart(ctx context.Context, plan *env.Plan) error {
	t.from, t.log.contents = t.at.Checkpoint, t.at.from
	if err := t.taken.clear(PointFile); err != nil {
		return err
	}
	if t.user != t.at.Configuration() {
		if err := t.keepBeginning(); err != nil {
			return err
		}
	}
	t.at = nil
	return t.begin(ctx, plan)
}

// retake locks the folder of t.at, reads its point anew and takes over what its run was
// begun with. After an error the folder is not locked.
func (t *training) retake() (plan *env.Plan, err error) {
	if plan, err = env.NewPlan(t.config); err != nil {
		return nil, err
	}
	if t.taken, err = RetakeFolder(t.at.folder); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.taken.Close()
		}
	}()
	// Until it was locked, another process may have gone on with the run.
	if t.at, err = ReadPoint(t.taken.path); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%s is of a run that is done, want one that was stopped", t.taken.path)
	} else if err != nil {
		return nil, err
	}
	if t.user = portable(t.config); t.user != t.at.Configuration() && !t.change {
		return nil, usagef("the configuration differs from that of %s, want the same to continue; --out DIR begins another run", t.at.folder)
	}
	if t.changes, err = t.at.changed(t.config); err != nil {
		return nil, err
	}
	if err := t.at.checkVersions(); err != nil {
		return nil, err
	}
	t.folder, t.log.every = t.taken.path, t.at.state.LogEvery
	return plan, nil
}

// reopen is resume for a run that goes on from a point after its first iteration.
func (t *training) reopen(ctx context.Context, plan *env.Plan) (err error) {
	if t.resumed = t.at.state.Resumed; t.resumed && t.log.every > 0 {
		if t.log.contents, err = os.ReadFile(filepath.Join(t.folder, DriverFile)); err != nil {
			return err
		}
	}
	t.offset = t.at.state.StepOffset
	opt := env.OpenOptions{Context: ctx, Plan: plan, StepOffset: t.offset}
	if t.parts != nil {
		err = t.parts.goOn(t.at)
	} else {
		err = t.goOn(&opt)
	}
	if err != nil {
		return err
	}
	if opt.Log, err = t.log.resume(t.at, t.config, opt); err != nil {
		return err
	}
	if err = t.openWorlds(opt); err != nil {
		return err
	}
	warn(t.warn, t.env)
	if t.metrics, t.points, err = continueMetrics(t.at, t.env.Spec().InfoNames, t.tensorBoard()); err != nil {
		return err
	}
	if t.intermediate, err = t.at.evaluations(); err != nil {
		return err
	}
	if err = t.at.removeParts(); err != nil {
		return err
	}
	if err = t.at.cutCheckpoints(); err != nil {
		return err
	}
	if err = t.keepChanges(); err != nil {
		return err
	}
	if len(t.intermediate) > 0 {
		err = t.linkBest(t.best())
	} else if err = os.Remove(filepath.Join(t.folder, BestFile)); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	t.kept = time.Now()
	t.beginReport()
	return nil
}

// goOn sets where the worlds stood at the point.
func (t *training) goOn(opt *env.OpenOptions) error {
	if s := t.at.state.Slices; s != nil {
		return usagef("%s is of a training that recorded the slices %v, want it to go on in these", t.at.folder, slicesOf(s))
	}
	opt.Continue = &env.Position{Worlds: t.at.worlds, Dataset: t.at.state.Dataset}
	if t.at.state.Dataset != nil {
		opt.Dataset = filepath.Join(t.folder, DatasetFolder)
	}
	return nil
}

func (t *training) tensorBoard() bool {
	return t.config.Training.TensorBoard == nil || *t.config.Training.TensorBoard
}

// portable returns a configuration as YAML without the number of workers, which has no
// influence on the result.
func portable(c *configs.Config) string {
	p := *c
	p.Workers = 0
	return string(p.YAML())
}

func (t *training) beginReport() {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	shape := t.worlds.Shape()
	t.report = Report{
		Folder: t.folder, Status: StatusFailed, Task: t.config.Task.Name, Seed: t.config.Seed,
		Worlds: shape.Worlds, BlockSize: shape.BlockSize, PanelHeight: rl.PanelHeight, Workers: shape.Workers,
		Host: host, CPUs: runtime.NumCPU(), Started: time.Now(),
		Model: t.env.ModelDigest(), Versions: env.Versions(), BLASKernel: rl.Kernel(), Configuration: ConfigFile,
	}
}

// openWorlds makes the worlds and the learner. After an error the caller calls close.
func (t *training) openWorlds(opt env.OpenOptions) (err error) {
	t.infos = newResults(t.config.Worlds, math.MaxInt64)
	opt.Observers = append(opt.Observers, t.infos)
	opt.Stagger = t.config.Training.StaggerEpisodes
	if t.parts != nil { // the worlds are elsewhere; these few say how large everything is
		opt.Slice = sim.Slice{To: min(t.config.Worlds, sim.BlockSize(t.config.Worlds, t.config.BlockSize))}
	}
	if t.env, err = env.Open(t.config, opt); err != nil {
		return err
	}
	if t.worlds, err = newLearnerEnv(t.env, t.config); err != nil {
		return asUsage(err)
	}
	t.worlds.before = t.infos.reset // a first rollout that only fills the moments is not counted
	worlds := rl.Env(t.worlds)
	if t.parts != nil {
		t.worlds.shape.Worlds, t.worlds.shape.Blocks = t.config.Worlds, sim.Blocks(t.config.Worlds, t.config.BlockSize)
		worlds = rl.Elsewhere(t.worlds.shape)
	}
	switch {
	case t.at != nil:
		t.learner, err = rl.Continue(worlds, t.at.Checkpoint.Checkpoint, t.at.kept(), t.config.Training.Settings)
	case t.from != nil:
		t.learner, err = rl.Resume(worlds, t.from.Checkpoint, t.config.Training.Settings, t.config.Seed)
	default:
		t.learner, err = rl.New(worlds, t.config.Training.Settings, t.config.Seed)
	}
	return asUsage(err)
}

// iterate does an iteration of the learner.
func (t *training) iterate(ctx context.Context) (rl.Metrics, error) {
	if t.parts != nil {
		return t.parts.iterate(ctx)
	}
	return t.learner.Iterate(ctx)
}

// faults returns the number of faults so far, and the first.
func (t *training) faults() (int64, string) {
	if t.parts != nil {
		return t.parts.faults, t.parts.fault
	}
	return t.env.Sim().Faults(), t.env.Sim().FirstFault()
}

// run trains, closes the worlds, evaluates, and writes the report, even after an error.
func (t *training) run(ctx context.Context) error {
	defer t.taken.Close()
	begun := t.learner.EnvSteps()
	err := t.learn(ctx)
	t.report.WallSeconds = time.Since(t.report.Started).Seconds()
	t.report.RolloutSeconds = t.worlds.spent.Seconds()
	t.report.EnvSteps = t.learner.EnvSteps()
	t.report.StepsPerS = float64(t.report.EnvSteps-begun) / t.report.WallSeconds
	t.report.Faults, _ = t.faults()
	err = errors.Join(err, t.env.Close(), t.drawCurve())
	warn(t.warn, t.env)
	if err == nil {
		t.report.Evaluation, err = t.evaluate(ctx)
	}
	if err == nil {
		err = t.metrics.writeEvaluation(t.report.EnvSteps, t.report.Evaluation)
	}
	if err == nil && len(t.intermediate) > 0 && t.report.Evaluation.MeanReturn > t.best().MeanReturn {
		err = t.linkBest(&Intermediate{EnvSteps: t.report.EnvSteps})
	}
	err = errors.Join(err, t.metrics.close())
	paused := t.paused()
	if err == nil && !paused && t.draw != nil {
		drawn := t.draw(t.folder)
		err = ctx.Err()
		if drawn != nil && err == nil && t.warn != nil {
			t.warn(drawn.Error())
		}
	}
	switch {
	case err == nil && paused:
		t.report.Status = StatusPaused
	case err == nil:
		t.report.Status = StatusDone
	case interrupted(ctx, err):
		t.report.Status = StatusInterrupted
	}
	err = errors.Join(err, disk.Replace(disk.OS{}, filepath.Join(t.folder, ReportFile), false, disk.JSON(t.report)))
	if err == nil && !paused && !t.keepDone {
		err = t.dropPoint()
	}
	return err
}

// paused reports whether the run is to end early, at the iteration it has reached.
func (t *training) paused() bool {
	steps := t.learner.EnvSteps()
	return t.until > 0 && steps >= t.until && steps < t.config.Training.TotalSteps
}

// learn iterates up to the configured number of steps, until the run pauses or until ctx
// is cancelled, and writes a checkpoint in each case.
func (t *training) learn(ctx context.Context) error {
	total := t.config.Training.TotalSteps
	begun := t.learner.EnvSteps()
	t.keptAt = begun
	last := math.NaN() // the newest mean return
	t.showProgress(TrainProgress{begun, total, 0, last})
	if t.at != nil && t.at.state.Evaluate {
		if err := t.evaluateNow(ctx); err != nil && !interrupted(ctx, err) {
			return err
		}
	}
	stand := true // the worlds, between two rollouts
	for ctx.Err() == nil && t.learner.EnvSteps() < total && !t.paused() {
		before := t.learner.EnvSteps()
		m, err := t.iterate(ctx)
		if interrupted(ctx, err) {
			stand = t.parts != nil
			break
		}
		if err != nil {
			return err
		}
		if err := t.checkFaults(m); err != nil {
			return err
		}
		rate := float64(m.EnvSteps-begun) / time.Since(t.report.Started).Seconds()
		infos := t.infos.means(len(t.env.Spec().InfoNames))
		if err := t.metrics.write(m, infos, rate); err != nil {
			return err
		}
		if t.parts != nil {
			t.parts.change(func() { t.parts.metrics, t.parts.infos = m, infos })
		}
		t.points = append(t.points, curve.Point{EnvSteps: m.EnvSteps, Return: m.MeanReturn, Length: m.MeanLength})
		if !math.IsNaN(m.MeanReturn) {
			last = m.MeanReturn
		}
		t.showProgress(TrainProgress{m.EnvSteps, total, rate, last})
		if err := t.keep(ctx, before); err != nil {
			return err
		}
	}
	// Before the checkpoint, which a run that goes on does not have.
	if stand && t.learner.EnvSteps() != t.keptAt && (ctx.Err() != nil || t.paused() || t.keepDone || t.parts != nil) {
		if err := t.keepPoint(); err != nil {
			return err
		}
	}
	if err := writeCheckpoint(disk.OS{}, t.folder, t.learner, t.user); err != nil {
		return err
	}
	return ctx.Err()
}

// keep writes a checkpoint after an iteration, evaluates, and keeps a point, where that is
// due. before is the number of environment steps before the iteration.
func (t *training) keep(ctx context.Context, before int64) error {
	// due reports whether the iteration has passed a multiple of every.
	due := func(every int) bool { return every > 0 && before/int64(every) != t.learner.EnvSteps()/int64(every) }
	if due(t.config.Training.CheckpointEvery) {
		if err := writeCheckpoint(disk.OS{}, t.folder, t.learner, t.user); err != nil {
			return err
		}
	}
	if due(t.config.Evaluation.Every) {
		err := t.evaluateNow(ctx)
		if t.unevaluated = interrupted(ctx, err); err != nil && !t.unevaluated {
			return err
		}
	}
	if ctx.Err() == nil && (due(t.config.Training.CheckpointEvery) || time.Since(t.kept) >= t.pointEvery) {
		return t.keepPoint()
	}
	return nil
}

// checkFaults warns of the first fault, and returns an error if an iteration was nothing
// but faults, from which there is nothing to learn.
func (t *training) checkFaults(m rl.Metrics) error {
	if m.Faults == 0 {
		return nil
	}
	_, first := t.faults()
	if int(m.Faults) == t.config.Worlds*t.config.Training.RolloutSteps {
		return fmt.Errorf("every control step of iteration %d ended in a fault, the first of %s", m.Iteration, first)
	}
	if !t.faultSaid {
		t.faultSaid = true
		warnFirst(t.warn, first)
	}
	return nil
}

// dropPoint removes the point of a run that is done.
func (t *training) dropPoint() error {
	err := os.Remove(filepath.Join(t.folder, PointFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// interrupted reports whether err is that ctx was cancelled.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

// showProgress calls t.progress, if it is set.
func (t *training) showProgress(p TrainProgress) {
	if t.progress != nil {
		t.progress(p)
	}
}

// evaluateNow evaluates the policy and adds the result to EvaluationsFile.
func (t *training) evaluateNow(ctx context.Context) error {
	e, err := t.evaluate(ctx)
	if err != nil {
		return err
	}
	if err := t.metrics.writeEvaluation(t.learner.EnvSteps(), e); err != nil {
		return err
	}
	t.intermediate = append(t.intermediate, Intermediate{t.learner.EnvSteps(), *e})
	if best := t.best(); best.EnvSteps == t.learner.EnvSteps() {
		err = writeCheckpoint(disk.OS{}, t.folder, t.learner, t.user)
		if err == nil {
			err = t.linkBest(best)
		}
		if err != nil {
			return err
		}
	}
	return disk.Replace(disk.OS{}, filepath.Join(t.folder, EvaluationsFile), true, disk.JSON(t.intermediate))
}

// best returns the evaluation with the highest mean return, the first of equal ones. There
// must be one.
func (t *training) best() *Intermediate {
	best := &t.intermediate[0]
	for i := range t.intermediate {
		if t.intermediate[i].MeanReturn > best.MeanReturn {
			best = &t.intermediate[i]
		}
	}
	return best
}

// linkBest links BestFile to the checkpoint of an evaluation.
func (t *training) linkBest(e *Intermediate) error {
	return disk.ReplaceLink(disk.OS{}, checkpointName(e.EnvSteps), filepath.Join(t.folder, BestFile))
}

// close closes what open opened.
func (t *training) close() error {
	var errs []error
	if t.env != nil {
		errs = append(errs, t.env.Close())
	}
	if t.metrics != nil {
		errs = append(errs, t.metrics.close())
	}
	return errors.Join(errs...)
}

// drawCurve draws the learning curve, if an episode has ended.
func (t *training) drawCurve() error {
	for _, p := range t.points {
		if !math.IsNaN(p.Return) {
			return disk.Replace(disk.OS{}, filepath.Join(t.folder, CurveFile), false, func(w io.Writer) error {
				return curve.WritePNG(w, t.config.Task.Name, t.points)
			})
		}
	}
	return nil
}

// evaluate evaluates the policy with the seed after the run's own.
func (t *training) evaluate(ctx context.Context) (*Evaluation, error) {
	c := *t.config
	c.Seed++
	return Evaluate(ctx, &c, t.learner.Policy(), t.learner.ControlSteps())
}
