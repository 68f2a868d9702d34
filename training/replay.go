package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// ReplayOptions are the options of [Replay].
type ReplayOptions struct {
	Workers int // goroutines that step worlds; 0: one per CPU

	// Progress is called during the run of a task with how much of total is done: environment
	// steps of a training, episodes or control steps of a rollout.
	Progress func(task string, done, total int64) // may be nil

	// Dataset is a folder, new or empty, to which the run is recorded while it is executed again, whether or not it was
	// before; "" to record nothing. Recording, if not nil, is what the recording settings are then set to, as keys and
	// values such as "recording.tables=[control]", in place of the run's own.
	Dataset   string
	Recording []string

	Note func(string) // called with each version that differs from the run's and can change its bits; may be nil
}

// Replayed is how much of a run was executed again with identical states.
type Replayed struct {
	Steps  int64 // control steps, up to the last logged state
	After  int64 // control steps after it, which were not compared
	Worlds int
	Files  int // of a training besides its log that are what it made: see Replay
	Tables int // of ReplayOptions.Dataset that have the bytes that those of the run had
}

// Replay executes the run in a folder again from its log and compares the states of all worlds, bit for bit; of a
// training also [rundir.MetricsFile], [rundir.ConfigFile] and the checkpoints, those that are there. The error says where the two
// runs first differ, or that the log is damaged. It fails if the run goes on. It writes nothing but a dataset, if one
// is wanted, which is whole also after an error.
func Replay(ctx context.Context, folder string, opt ReplayOptions) (Replayed, error) {
	lock, err := disk.TryLock(folder)
	if errors.Is(err, disk.ErrLocked) {
		return Replayed{}, usage.Errorf("the run in %s goes on, want one that has ended", folder)
	}
	lock.Release()
	path := filepath.Join(folder, rundir.LogFile)
	log, config, err := env.CompareLog(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Replayed{}, usage.Errorf("%s holds no run log: %w", folder, err)
		}
		return Replayed{}, cutShort(err, 0)
	}
	if opt.Progress == nil {
		opt.Progress = func(string, int64, int64) {}
	}
	h := log.Header()
	for _, other := range logs.OtherVersions(h.Versions) {
		if opt.Note != nil {
			opt.Note("the run was made with " + other)
		}
	}
	config.Workers = opt.Workers
	user := portable(config) // without what is now recorded
	if err := opt.record(path, config, h.Configuration); err != nil {
		return Replayed{}, errors.Join(err, log.Close())
	}
	r := &replay{folder: folder, config: config, user: user, header: h, progress: opt.Progress,
		worlds: env.OpenOptions{Context: ctx, Workers: opt.Workers, Slice: env.SliceOf(h), Episodes: h.Episodes,
			StepOffset: h.StepOffset, Dataset: opt.Dataset, Log: log}}
	var steps, after int64
	switch h.Kind {
	case logs.KindTrain, logs.KindRollout, logs.KindPlay:
		execute := r.rollout
		if h.Kind == logs.KindTrain {
			execute = r.training
		}
		err = execute(ctx)
		steps, after = log.Steps(), log.After()
	default:
		if err = log.Close(); err == nil {
			steps, err = env.ReplayEach(path, env.ReplayOptions{Workers: opt.Workers, Dataset: opt.Dataset,
				Recording: config.Recording, Visit: func(e *env.Env) { after = e.Sim().Blocks()[0].N() }})
			after -= steps
		}
	}
	if errors.Is(err, runlog.ErrEnd) {
		err = nil
	}
	tables := 0
	if opt.Dataset != "" {
		labelled := labelAgain(folder, opt.Dataset)
		err = cmp.Or(err, labelled)
	}
	if err == nil && opt.Dataset != "" {
		tables, err = sameTables(opt.Dataset, folder, filepath.Join(folder, rundir.DatasetFolder))
	}
	return Replayed{steps, after, cmp.Or(env.SliceOf(h).Len(), h.Worlds), r.files, tables}, cutShort(err, steps)
}

// record turns recording on in a configuration, the one of the log at path, if a dataset is wanted.
func (opt *ReplayOptions) record(path string, config *configs.Config, logged string) error {
	if opt.Dataset == "" {
		return nil
	}
	for _, set := range opt.Recording {
		if !strings.HasPrefix(set, "recording.") {
			return usage.Errorf("%s is set, want settings of recording: the others are the run's", set)
		}
	}
	changed, err := configs.Parse(path, []byte(logged), append(slices.Clone(opt.Recording), "recording.enabled=true"), nil)
	if err != nil {
		return usage.Mark(err)
	}
	config.Recording = changed.Recording
	return usage.Mark(disk.CheckFolder(opt.Dataset))
}

// labelAgain gives a dataset that is recorded again the labels of the one in the run folder, if there is one, and those
// that clients gave while the run was live.
func labelAgain(run, dataset string) error {
	d, err := recorder.Open(dataset)
	if err != nil {
		return err
	}
	labels, err := d.Labels()
	if err != nil {
		return err
	}
	if first, failed := rundir.DatasetPath(run); failed == nil {
		if labels.List, err = recorder.ReadLabels(first); err != nil {
			return err
		}
	}
	err = env.EachIntervention(filepath.Join(run, rundir.LogFile), func(_ int64, i runlog.Intervention) error {
		l, ok := i.Effect.(*runlog.Label)
		if ok && l.Success != nil { // of the whole episode, whenever it was said
			labels.Add(recorder.Label{Episode: &l.Episode, Success: l.Success})
		}
		if ok && l.Task != "" {
			labels.Add(recorder.Label{Episode: &l.Episode, FromNS: l.NS, Task: l.Task})
		}
		return nil
	})
	if len(labels.List) > 0 { // also those before the damage of a log
		err = cmp.Or(err, labels.Write(d))
	}
	return err
}

// sameTables counts the tables of a dataset with the bytes that they had in one of the folders of a run.
func sameTables(dataset string, folders ...string) (same int, err error) {
	d, err := recorder.Open(dataset)
	for _, folder := range folders {
		if err == nil {
			var more int
			more, err = d.CompareBytes(folder)
			same += more
		}
	}
	return same, err
}

// cutShort says of an error that is damage of the log how many steps before it are identical.
func cutShort(err error, steps int64) error {
	if damage := (*runlog.Damage)(nil); errors.As(err, &damage) && damage.Cut {
		return fmt.Errorf("cut short after %d identical steps: %w", steps, err)
	} else if damage != nil && steps > 0 {
		return fmt.Errorf("%w; the %d steps before are identical", err, steps)
	}
	return err
}

// replay is a run that is executed again.
type replay struct {
	folder   string
	config   *configs.Config
	user     string // of the run's checkpoints
	header   runlog.Header
	worlds   env.OpenOptions
	progress func(task string, done, total int64)
	files    int // Replayed.Files
}

// training executes a training again. It returns the error of the log or, without one, that of closing the worlds.
func (r *replay) training(ctx context.Context) error {
	t := newTraining(r.config, TrainOptions{}, newSource(r.config, TrainOptions{}))
	t.user = r.user
	path, contents, err := logs.ReadDriver(r.folder, r.header, policies.Checkpoint)
	if err == nil && contents != nil {
		t.first, err = rundir.ParseCheckpoint(path, contents)
	}
	if err != nil {
		return errors.Join(err, r.worlds.Log.Close())
	}
	if err := t.openWorlds(r.worlds, r.folder); err != nil {
		return errors.Join(err, t.close())
	}
	crc, err := teacherChecksum(r.config, r.folder)
	if want := r.header.Driver[logs.DriverTeacher]; err == nil && crc != want {
		err = fmt.Errorf("%s has CRC32C %s, the run log says %s: it is not the teacher of the run",
			filepath.Join(r.folder, rundir.TeacherFile), crc, want)
	}
	if err != nil {
		return errors.Join(err, t.close())
	}
	t.worlds.replay = true
	files, err := openCompared(r.folder, t)
	total := r.config.Training.TotalSteps
	r.progress(r.config.Task.Name, t.learner.EnvSteps(), total)
	for err == nil && t.learner.EnvSteps() < total && !t.worlds.ended {
		var m rl.Metrics
		if m, err = t.learner.Iterate(ctx); err == nil {
			err = files.compare(m)
			r.progress(r.config.Task.Name, t.learner.EnvSteps(), total)
		}
		if err == nil {
			err = ctx.Err()
		}
	}
	if err == nil && t.worlds.ended {
		err = files.end()
	}
	if err == nil {
		r.files = files.count
	}
	return cmp.Or(err, t.close())
}

// rollout executes a rollout again.
func (r *replay) rollout(ctx context.Context) error {
	policy, err := logs.ReadPolicy(r.folder, r.header)
	if err == nil {
		r.worlds.Steps, err = logs.Steps(r.header)
	}
	if err != nil {
		return errors.Join(err, r.worlds.Log.Close())
	}
	ended := runs.CountEpisodes(r.config, &r.worlds)
	e, err := env.Open(r.config, r.worlds)
	if err != nil {
		return err
	}
	p := runs.NewPace(r.config.Time.Settings)
	p.Settings.Mode = runners.SimHighPerformance // the wall clock is not followed
	if r.header.Kind == logs.KindPlay {
		p.Segment = 1
		// If the log is damaged, comparing it says so.
		_ = env.EachIntervention(filepath.Join(r.folder, rundir.LogFile), func(_ int64, i runlog.Intervention) error {
			if skip, ok := i.Effect.(*runlog.Skip); ok {
				p.Settings.Replay = append(p.Settings.Replay, runners.Skip(*skip))
			}
			return nil
		})
	}
	act, err := policy.Actor(e, r.config, &policies.Memory{})
	if err != nil {
		return errors.Join(err, e.Close())
	}
	after := runs.Progress(e, r.config.Worlds, r.worlds, ended.Count,
		func(done, total, _ int64) { r.progress(r.config.Task.Name, done, total) })
	after()
	_, err = runs.Drive(ctx, e, p, act.Step, after)
	return cmp.Or(err, e.Close())
}
