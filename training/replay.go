package training

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
)

// ReplayOptions are the options of [Replay].
type ReplayOptions struct {
	Workers int // goroutines that step worlds; 0: one per CPU

	// Progress, if it is not nil, is called during the run of a task with how much of
	// total is done: environment steps of a training, episodes or control steps of a
	// rollout.
	Progress func(task string, done, total int64)

	// Note, if it is not nil, is called with each version that differs from the run's and
	// can change its bits.
	Note func(string)
}

// Replayed is how much of a run was executed again with identical states.
type Replayed struct {
	Steps  int64 // control steps
	Worlds int
}

// Replay executes the run in a folder again from its log and compares the states of all
// worlds, bit for bit. The error says where the two runs first differ, or that the log
// is damaged. It writes nothing.
func Replay(ctx context.Context, folder string, opt ReplayOptions) (Replayed, error) {
	path := filepath.Join(folder, LogFile)
	log, config, err := env.CompareLog(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Replayed{}, usagef("%s holds no run log: %w", folder, err)
		}
		return Replayed{}, err
	}
	h := log.Header()
	if opt.Note != nil {
		noteVersions(opt.Note, h)
	}
	if opt.Progress == nil {
		opt.Progress = func(string, int64, int64) {}
	}
	config.Workers = opt.Workers
	r := &replay{folder: folder, config: config, header: h, progress: opt.Progress,
		worlds: env.OpenOptions{Context: ctx, Workers: opt.Workers, Slice: env.SliceOf(h), Episodes: h.Episodes, StepOffset: h.StepOffset, Log: log}}
	var steps int64
	switch h.Kind {
	case kindTrain:
		err = r.training(ctx)
		steps = log.Steps()
	case kindRollout, kindPlay:
		err = r.rollout(ctx)
		steps = log.Steps()
	default:
		if err = log.Close(); err == nil {
			steps, err = env.Replay(path, opt.Workers)
		}
	}
	if errors.Is(err, runlog.ErrEnd) {
		err = nil
	}
	if errors.As(err, new(*runlog.Damage)) && steps > 0 {
		err = fmt.Errorf("%w; the %d steps before are identical", err, steps)
	}
	worlds := h.Worlds
	if slice := env.SliceOf(h); !slice.IsAll() {
		worlds = slice.Len()
	}
	return Replayed{steps, worlds}, err
}

// replay is a run that is executed again.
type replay struct {
	folder   string
	config   *configs.Config
	header   runlog.Header
	worlds   env.OpenOptions
	progress func(task string, done, total int64)
}

// noteVersions calls note with each version that differs from the run's.
func noteVersions(note func(string), h runlog.Header) {
	now := versions()
	for _, name := range slices.Sorted(maps.Keys(h.Versions)) {
		if h.Versions[name] != now[name] {
			note(fmt.Sprintf("the run was made with %s %s, this is %s", name, h.Versions[name], now[name]))
		}
	}
}

// driver returns the path of the checkpoint or script that drove the run, name in its
// folder; "" if there is none. It fails if the file has changed. kind is that of a Policy.
func (r *replay) driver(name, kind string) (string, error) {
	want, ok := r.header.Driver[driverCheckpoint]
	if !ok {
		return "", nil
	}
	path := filepath.Join(r.folder, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if got := checksum(data); got != want {
		return "", fmt.Errorf("%s has CRC32C %s, the run log says %s: it is not the %s of the run", path, got, want, kind)
	}
	return path, nil
}

// training executes a training again. It returns the error of the log or, without one,
// that of closing the worlds.
func (r *replay) training(ctx context.Context) error {
	t := &training{config: r.config}
	path, err := r.driver(DriverFile, checkpointPolicy)
	if err == nil && path != "" {
		t.from, err = ReadCheckpoint(path)
	}
	if err != nil {
		return errors.Join(err, r.worlds.Log.Close())
	}
	if err := t.openWorlds(r.worlds); err != nil {
		return errors.Join(err, t.close())
	}
	total := r.config.Training.TotalSteps
	r.progress(r.config.Task.Name, t.learner.EnvSteps(), total)
	err = ctx.Err()
	for err == nil && t.learner.EnvSteps() < total {
		if _, err = t.learner.Iterate(ctx); err == nil {
			r.progress(r.config.Task.Name, t.learner.EnvSteps(), total)
			err = ctx.Err()
		}
	}
	return verdict(err, t.close())
}

// rollout executes a rollout again, without recording.
func (r *replay) rollout(ctx context.Context) error {
	policy, err := r.policy()
	steps := r.header.Driver[driverSteps]
	if err == nil && steps != "" {
		r.worlds.Steps, err = strconv.ParseInt(steps, 10, 64)
	}
	if err != nil {
		return errors.Join(err, r.worlds.Log.Close())
	}
	e, err := env.Open(r.config, r.worlds)
	if err != nil {
		return err
	}
	p := paceOf(r.config.Time.Settings, true)
	if r.header.Kind == kindPlay {
		p.segment = 1
		if p.settings.Replay, err = env.LoggedSkips(filepath.Join(r.folder, LogFile)); err != nil {
			return errors.Join(err, e.Close())
		}
	}
	var progress func(done, episodes int64)
	if total := max(episodesOf(r.worlds.Slice, r.header.Worlds, r.header.Episodes), r.worlds.Steps); total > 0 {
		progress = func(done, _ int64) { r.progress(r.config.Task.Name, done, total) }
	}
	_, _, err = roll(ctx, e, p, r.config, policy, steps != "", progress)
	return verdict(err, e.Close())
}

// policy opens the policy of a rollout.
func (r *replay) policy() (*Policy, error) {
	kind := r.header.Driver[driverPolicy]
	name, what := DriverFile, checkpointPolicy
	if kind == scriptPolicy {
		name, what = ScriptFile, scriptPolicy
	}
	path, err := r.driver(name, what)
	if err != nil {
		return nil, err
	}
	return readPolicy(kind, path)
}

// verdict returns the error of a replay: that of its last segment or, without one, that
// of closing the log.
func verdict(err, closed error) error {
	if err != nil {
		return err
	}
	return closed
}
