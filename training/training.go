package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/errtree"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// training is one run of [Train] or [TrainInParts].
type training struct {
	config *configs.Config
	user   string // the configuration, stored in checkpoints
	opt    TrainOptions
	source source // of the samples
	log    logs.Logging

	divided []sim.Slice // of [TrainInParts], the worlds of other processes; nil without

	saved *State             // from which the run goes on, after its first iteration; nil: it begins
	first *rundir.Checkpoint // from which a run begins; nil: from scratch

	resumed bool            // the run began from a checkpoint
	offset  int64           // control steps of each world before the run, of that checkpoint
	changes []rundir.Change // of settings, so far

	configs     []disk.Beginning      // see runs.TrainingState
	checkpoints []runs.KeptCheckpoint // that the run has written

	folder  *rundir.Folder // the run folder, locked until the run is over
	env     *env.Env       // where the source's worlds are of other processes, one block, which nobody steps
	worlds  *learnerEnv    // env, as the learner sees it
	learner rl.Learner
	replays []runs.ReplayFile // of a learner with a replay, what the newest state is made of

	metrics      *metrics
	infos        *runs.Results // of the episodes that ended in a rollout
	points       []curve.Point
	intermediate []rundir.Intermediate
	faultWarned  bool // opt.Warn has been called with a fault

	end earlyEnd // see configs.Stop

	stateTime  time.Time // when the last state was written
	stateSteps int64     // environment steps of the last state
	report     rundir.Report
}

func newTraining(config *configs.Config, opt TrainOptions, source source) *training {
	return &training{config: config, opt: opt.filled(), source: source, end: earlyEnd{settings: config.Training.Stop},
		log: logs.Logging{Every: opt.LogEvery, Kind: logs.KindTrain}}
}

// filled returns the options with every default.
func (opt TrainOptions) filled() TrainOptions {
	opt.StateEvery = cmp.Or(opt.StateEvery, runs.StateEvery)
	if opt.Progress == nil {
		opt.Progress = func(TrainProgress) {}
	}
	if opt.Warn == nil {
		opt.Warn = func(string) {}
	}
	if opt.Metrics == nil {
		opt.Metrics = func(map[string]float64) {}
	}
	return opt
}

func (t *training) file(name string) string { return filepath.Join(t.folder.Path(), name) }

// start opens everything for a run. After an error it leaves no file of a new run, and a
// stopped one can still be continued.
func (t *training) start(ctx context.Context) (err error) {
	plan, err := learningPlan(t.config)
	if err != nil {
		return err
	}
	t.user = portable(t.config)
	continues := t.opt.Continue != nil
	if continues {
		err = t.relock()
	} else {
		err = t.create()
	}
	if err != nil {
		return err
	}
	defer func() {
		switch {
		case err == nil:
		case continues:
			err = errors.Join(err, t.close())
			t.folder.Close()
		default:
			err = errors.Join(err, t.close(), t.folder.Discard())
		}
	}()
	if continues && t.saved.state.Training.Unbegun { // stopped before its first iteration was done
		t.first, t.log.Contents = t.saved.Checkpoint, t.saved.state.Learner
		begins := int64(0)
		if t.first != nil {
			begins = t.first.EnvSteps
		}
		t.saved = nil
		if _, has := os.Lstat(t.file(rundir.StateFile)); has != nil { // killed before it had its name
			err = os.Rename(t.file(rundir.StateFile+disk.Part), t.file(rundir.StateFile))
		}
		err = cmp.Or(err, t.folder.Clear(rundir.StateFile, rundir.TeacherFile, rundir.ClonedFile, rundir.LatestFile,
			rundir.CheckpointName(begins)))
	}
	if err == nil && !continues {
		// The first file says to whom all others belong, see unbegun.
		err = os.WriteFile(t.file(rundir.StateFile+disk.Part), nil, 0o666)
		err = cmp.Or(err, t.source.store(t.folder.Path()))
	}
	if err == nil && t.saved == nil {
		saved := &runs.TrainingState{Unbegun: true, LogEvery: t.log.Every}
		err = t.writeState(&runs.State{Learner: t.log.Contents, Training: saved})
	}
	if err != nil {
		return err
	}
	return t.open(ctx, plan)
}

// learningPlan returns the clock of a configuration, in which learning must be possible.
func learningPlan(c *configs.Config) (*env.Plan, error) {
	if err := usage.WantConfig(c); err != nil {
		return nil, err
	}
	plan, err := env.NewPlan(c)
	if err != nil {
		return nil, err
	}
	return plan, usage.WantMode(c.Time.Mode, "learning runs as fast as it can", runners.SimHighPerformance)
}

func (t *training) create() (err error) {
	if err := checkSources(t.config.Training.Algorithm, t.opt); err != nil {
		return err
	}
	if t.first = t.opt.From; t.first != nil {
		if err := t.first.CheckResume(t.config.Training.Settings); err != nil {
			return usage.Errorf("resume from %s: training.%w", t.first.Path, err)
		}
		t.log.Contents = t.first.Contents
	}
	if t.opt.Folder != "" {
		t.folder, err = rundir.CreateFolder(t.opt.Folder)
	} else {
		t.folder, err = rundir.CreateNext(t.opt.Runs, t.config.Task.Name)
	}
	return err
}

// open opens everything that writes to the run folder. The files of a run that goes on are cut
// to what its state says of them; the folder of another one holds at most its state.
func (t *training) open(ctx context.Context, plan *env.Plan) (err error) {
	opt := env.OpenOptions{Context: ctx, Plan: plan}
	records := t.config.Recording.Enabled && t.divided == nil
	var position *runlog.Position
	var saved *runs.TrainingState
	if t.saved != nil {
		s := t.saved.state
		saved, position, records = s.Training, &s.Log, s.Dataset != nil
		if err = t.checkFiles(saved); err != nil {
			return err
		}
		t.configs = slices.Clone(saved.ConfigFile)
		t.resumed, t.offset = saved.Resumed, saved.StepOffset
		if saved.Stopped != nil {
			t.end.reached = *saved.Stopped
		}
		if t.resumed && t.log.Every > 0 {
			if t.log.Contents, err = disk.ReadFile(t.file(rundir.DriverFile), disk.MaxWhole); err != nil {
				return err
			}
		}
		if err = s.Fits(t.folder.Path(), t.divided); err != nil {
			return err
		}
	} else if t.first != nil {
		t.resumed = true
		t.offset, _ = t.first.Taken(t.config.Training.Settings)
	}
	opt.StepOffset = t.offset
	if records {
		opt.Dataset = t.file(rundir.DatasetFolder)
	}
	if t.log.Teacher, err = teacherChecksum(t.config, t.folder.Path()); err != nil {
		return err
	}
	if saved != nil && t.log.Teacher != saved.Teacher {
		return fmt.Errorf("%s is damaged: it is not the teacher that the run learned from", t.file(rundir.TeacherFile))
	}
	if opt.Log, err = t.log.Create(t.folder.Path(), t.config, opt, position); err != nil {
		return err
	}
	if err = t.openWorlds(opt, t.folder.Path()); err != nil {
		return err
	}
	runs.Warn(t.opt.Warn, t.env)
	if saved == nil {
		t.warnOfSegment()
		text := t.config.YAML()
		t.configs = []disk.Beginning{beginningOf(text)}
		err = disk.Replace(disk.OS{}, t.file(rundir.ConfigFile), true, disk.Bytes(text))
	}
	if err != nil {
		return err
	}
	infoNames := t.env.Sim().Spec().InfoNames
	t.metrics, t.points, err = openMetrics(t.folder.Path(), infoNames, t.writesEvents(saved),
		t.config.Evaluation.Every > 0, saved)
	if err == nil && saved != nil {
		err = t.cut(saved)
	}
	t.beginReport()
	return err
}

// writesEvents says whether there are events for TensorBoard. A run that goes on has them if it had them before.
func (t *training) writesEvents(saved *runs.TrainingState) bool {
	switch wanted := t.config.Training.TensorBoard; {
	case wanted != nil && !*wanted:
		return false
	case saved != nil:
		return saved.Events.Bytes > 0
	default:
		return wanted != nil || !t.opt.NoEvents
	}
}

// portable returns a configuration as YAML without the number of workers, which has no influence on the result.
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
	t.report = rundir.Report{
		Folder: t.folder.Path(), Status: rundir.StatusFailed, Task: t.config.Task.Name, Seed: t.config.Seed,
		Worlds: shape.Worlds, BlockSize: shape.BlockSize, PanelHeight: rl.PanelHeight, Workers: shape.Workers,
		Host: host, CPUs: runtime.NumCPU(), Started: time.Now(),
		Model: t.env.ModelDigest(), Versions: env.Versions(), BLASKernel: nn.Kernel(), Configuration: rundir.ConfigFile,
	}
}

// openWorlds makes the worlds and the learner. What it learns from is in the folder. After an error the caller calls
// close.
func (t *training) openWorlds(opt env.OpenOptions, folder string) (err error) {
	t.infos = runs.NewResults(t.config.Worlds, math.MaxInt64)
	opt.Observers = append(opt.Observers, t.infos)
	opt.Learning, opt.Stagger = true, t.config.Training.StaggerEpisodes
	opt.Snapshots, opt.Segment = runs.StateSnapshots, t.config.Training.Segment()
	var saved *runs.State
	if t.saved != nil {
		saved = t.saved.state
	}
	t.source.prepare(&opt, t.config, saved)
	if t.env, err = env.Open(t.config, opt); err != nil {
		return err
	}
	if t.first != nil {
		if text := rundir.ChangedModel(t.first.Path, t.env.ModelDigest()); text != "" {
			return usage.Errorf("%s; a new run begins without --resume", text)
		}
	}
	if t.worlds, err = newLearnerEnv(t.env, t.config); err != nil {
		return err
	}
	t.worlds.beforeRollout = t.infos.Reset // a first rollout that only fills the moments is not counted
	samples, err := t.source.open(opt.Context, folder, t.config, t.worlds, t.infos)
	if err != nil {
		return err
	}
	settings := t.config.Training.Settings
	switch {
	case saved != nil:
		memory := rl.Memory{Discounted: saved.Training.Discounted, States: saved.Memory}
		if memory.Replay, err = t.readReplay(samples.Shape(), saved.Training); err == nil {
			t.learner, err = rl.Continue(samples, t.saved.Checkpoint.Checkpoint, memory, settings)
		}
	case t.first != nil:
		t.learner, err = rl.Resume(samples, t.first.Checkpoint, settings, t.config.Seed)
	default:
		t.learner, err = rl.NewLearner(samples, settings, t.config.Seed)
	}
	return learnerError(err)
}

// run trains, closes the worlds, evaluates, and writes the report, even after an error.
func (t *training) run(ctx context.Context) error {
	defer t.folder.Close()
	startSteps := t.learner.EnvSteps()
	err := t.learn(ctx)
	t.report.WallSeconds = time.Since(t.report.Started).Seconds()
	t.report.RolloutSeconds = t.worlds.spent.Seconds()
	t.report.EnvSteps = t.learner.EnvSteps()
	t.report.StepsPerS = float64(t.report.EnvSteps-startSteps) / t.report.WallSeconds
	t.report.Faults, _ = t.source.faults()
	if t.end.isDue() {
		t.report.Stopped = t.end.state()
	}
	err = errors.Join(err, t.env.Close(),
		curve.Draw(t.file(rundir.CurveFile), t.config.Task.Name, t.points))
	runs.Warn(t.opt.Warn, t.env)
	if err == nil {
		t.report.Evaluation, err = t.evaluate(ctx)
	}
	if rows, ok := t.source.(*recordedRows); ok && err == nil {
		t.report.Cloned, err = rows.compare(t.learner.Policy())
	}
	if err == nil {
		err = t.metrics.writeEvaluation(t.report.EnvSteps, t.report.Evaluation)
	}
	if err == nil {
		err = t.chooseLast(ctx)
	}
	paused := t.paused()
	if err == nil && !paused && t.opt.Draw != nil {
		drawn := t.opt.Draw(t.folder.Path())
		if err = ctx.Err(); drawn != nil && err == nil {
			t.opt.Warn(drawn.Error())
		}
		if drawn == nil && err == nil {
			err = t.metrics.writeClip(t.report.EnvSteps, t.file(rundir.ClipFile))
		}
	}
	err = errors.Join(err, t.metrics.close())
	if err == nil {
		// Nothing would make again what a power cut takes of a run whose report says that it has come to its end.
		err = disk.OS{}.SyncAll(t.folder.Path())
	}
	switch {
	case err == nil && paused:
		t.report.Status = rundir.StatusPaused
	case err == nil:
		if !t.resumed && len(t.changes) == 0 && configured(t.config.Training.Algorithm) {
			t.report.Digests, err = digestsOf(t.folder.Path(), t.learner)
		}
		if err == nil {
			t.report.Status = rundir.StatusDone
		}
	case interrupted(ctx, err):
		t.report.Status = rundir.StatusInterrupted
	}
	err = errors.Join(err, disk.Replace(disk.OS{}, t.file(rundir.ReportFile), true, disk.JSON(t.report)))
	if err == nil {
		err = disk.SyncName(disk.OS{}, t.file(rundir.ReportFile))
	}
	if err == nil && !paused && !t.opt.KeepState {
		err = removeState(t.folder.Path())
	}
	return err
}

// paused reports whether the run is to end early, at the iteration it has reached.
func (t *training) paused() bool {
	steps := t.learner.EnvSteps()
	return t.opt.Until > 0 && steps >= t.opt.Until && steps < t.config.Training.TotalSteps && !t.end.isDue()
}

// learn iterates up to the configured number of steps or the early end, until the run pauses or until ctx is cancelled,
// and writes a checkpoint in each case.
func (t *training) learn(ctx context.Context) error {
	total := t.config.Training.TotalSteps
	startSteps := t.learner.EnvSteps()
	t.stateSteps = startSteps
	last := math.NaN() // the newest mean return
	t.opt.Progress(TrainProgress{startSteps, total, 0, last})
	if t.saved != nil && t.saved.state.Training.Evaluate {
		if err := t.evaluateNow(ctx); err != nil && !interrupted(ctx, err) {
			return err
		}
	}
	var boundary *runs.State
	var err error
	for {
		before := t.learner.EnvSteps()
		if boundary, err = t.boundary(); err != nil {
			return err
		}
		if ctx.Err() != nil || before >= total || t.end.isDue() || t.paused() {
			break
		}
		m, err := t.source.iterate(ctx, t.learner)
		if interrupted(ctx, err) {
			break
		}
		if err == nil {
			err = t.checkFaults(m)
		}
		if err != nil {
			return err
		}
		rate := float64(m.EnvSteps-startSteps) / time.Since(t.report.Started).Seconds()
		infos := t.infos.Means(len(t.env.Sim().Spec().InfoNames))
		if err := t.metrics.write(m, infos, rate); err != nil {
			return err
		}
		names, values := t.metrics.columns(m, infos)
		t.end.take("", names, values)
		t.points = append(t.points, curve.Point{EnvSteps: m.EnvSteps, Return: m.MeanReturn, Length: m.MeanLength})
		if !math.IsNaN(m.MeanReturn) {
			last = m.MeanReturn
		}
		t.opt.Progress(TrainProgress{m.EnvSteps, total, rate, last})
		if err := t.saveIfDue(ctx, before); err != nil {
			return err
		}
		told := map[string]float64{}
		for i, name := range names {
			told[name] = values[i]
		}
		t.opt.Metrics(told)
	}
	if boundary != nil {
		err = t.saveState(boundary, true, false)
	} else {
		err = t.checkpoint()
	}
	return cmp.Or(err, ctx.Err())
}

// checkpoint writes a checkpoint after an iteration whose state is kept.
func (t *training) checkpoint() error {
	data, err := t.encodeLearner()
	if err != nil {
		return err
	}
	t.addCheckpoint(data)
	return writeCheckpoint(disk.OS{}, t.folder.Path(), t.learner.EnvSteps(), data)
}

// saveIfDue saves the state after an iteration, writes a checkpoint and evaluates, where that is
// due. before is the number of environment steps before the iteration.
func (t *training) saveIfDue(ctx context.Context, before int64) error {
	// due reports whether the iteration has passed a multiple of every.
	due := func(every int) bool { return every > 0 && before/int64(every) != t.learner.EnvSteps()/int64(every) }
	checkpoint, evaluate := due(t.config.Training.CheckpointEvery), due(t.config.Evaluation.Every)
	if checkpoint || evaluate || time.Since(t.stateTime) >= t.opt.StateEvery {
		boundary, err := t.boundary()
		if err == nil {
			err = t.saveState(boundary, checkpoint, evaluate)
		}
		if err != nil {
			return err
		}
	}
	if evaluate {
		if err := t.evaluateNow(ctx); err != nil && !interrupted(ctx, err) {
			return err
		}
	}
	return nil
}

// checkFaults warns of the first fault, and returns an error if an iteration was nothing
// but faults, from which there is nothing to learn.
func (t *training) checkFaults(m rl.Metrics) error {
	if m.Faults == 0 {
		return nil
	}
	_, first := t.source.faults()
	if int(m.Faults) == t.config.Worlds*t.config.Training.Segment() {
		return fmt.Errorf("every control step of iteration %d ended in a fault, the first of %s", m.Iteration, first)
	}
	if !t.faultWarned {
		t.faultWarned = true
		runs.WarnFirst(t.opt.Warn, first)
	}
	return nil
}

// warnOfSegment warns of a training whose segment, of all worlds, has more steps than the training.
func (t *training) warnOfSegment() {
	c := &t.config.Training
	steps := int64(c.Segment()) * int64(t.config.Worlds)
	if steps <= c.TotalSteps || c.Algorithm.Offline() || t.first != nil {
		return
	}
	key := "training.segment"
	if c.Algorithm == rl.AlgorithmSAC {
		key = "training.sac.segment"
	} else if c.NormaliseObservations { // a rollout before, to see how observations are spread
		steps *= 2
	}
	t.opt.Warn(fmt.Sprintf("%s is %d: the first iteration takes %d environment steps in %d worlds, more than training.steps, %d",
		key, c.Segment(), steps, t.config.Worlds, c.TotalSteps))
}

// interrupted reports whether err is that ctx was cancelled, and nothing else.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errtree.Only(err, context.Canceled)
}

func (t *training) evaluateNow(ctx context.Context) error {
	e, err := t.evaluateToChoose(ctx)
	if err != nil {
		return err
	}
	steps := t.learner.EnvSteps()
	one := rundir.Intermediate{EnvSteps: steps, Evaluation: *e}
	if err := t.metrics.writeIntermediate(&one); err != nil {
		return err
	}
	names, values := e.Statistics()
	t.end.take(evaluationPrefix, names, values)
	t.intermediate = append(t.intermediate, one)
	if t.best().EnvSteps == steps {
		if err = t.checkpoint(); err == nil {
			err = t.link(rundir.BestFile, rundir.CheckpointName(steps))
		}
	}
	return err
}

// chooseLast makes the last policy the best if it is, where there are others and it was not evaluated beside them.
func (t *training) chooseLast(ctx context.Context) error {
	n := len(t.intermediate)
	if n == 0 || t.intermediate[n-1].EnvSteps == t.report.EnvSteps {
		return nil
	}
	e, err := t.evaluateToChoose(ctx)
	if err != nil || e.MeanReturn <= t.best().MeanReturn {
		return err
	}
	return t.link(rundir.BestFile, rundir.CheckpointName(t.report.EnvSteps))
}

// best returns the evaluation with the highest mean return, the first of equal ones. There must be one.
func (t *training) best() rundir.Intermediate {
	return slices.MaxFunc(t.intermediate, func(a, b rundir.Intermediate) int { return cmp.Compare(a.MeanReturn, b.MeanReturn) })
}

func (t *training) close() (err error) {
	if t.env != nil {
		err = t.env.Close()
	}
	if t.metrics != nil {
		err = errors.Join(err, t.metrics.close())
	}
	return err
}

// evaluate evaluates the policy with the seed after the run's own.
func (t *training) evaluate(ctx context.Context) (*rundir.Evaluation, error) {
	return t.evaluateOn(ctx, t.config.Seed+1)
}

// onTheWay is the bit by which the seed of the evaluations that choose the best policy differs from that of the one at
// the end: its episodes have not chosen the policy, nor have those of other runs with seeds near by.
const onTheWay = 1 << 52

// evaluateToChoose runs the episodes by which the best policy is chosen.
func (t *training) evaluateToChoose(ctx context.Context) (*rundir.Evaluation, error) {
	return t.evaluateOn(ctx, (t.config.Seed+1)^onTheWay)
}

func (t *training) evaluateOn(ctx context.Context, seed uint64) (*rundir.Evaluation, error) {
	c := *t.config
	c.Seed = seed
	return rollouts.Evaluate(ctx, &c, t.learner.Policy(), t.learner.ControlSteps())
}
