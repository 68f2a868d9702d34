package serving

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// keepLiveEvery is the wall time after which a live run keeps its state again.
const keepLiveEvery = 10 * time.Second

// keeper keeps states of a live run, each with a new part of the log. What it writes is
// forced to the disk on a goroutine of its own, the log before the state that relies on it,
// so no step waits for the disk. Only the first state is waited for.
type keeper struct {
	folder  string
	env     *env.Env
	live    runs.LiveState
	started bool         // there is a state
	cutLog  func() error // cuts the log before its first new part; nil: there is nothing to cut
	pending chan error   // of the state that is being written; nil: none
}

// keep begins a new part of the log and keeps the state, unless the one before is still being written.
func (k *keeper) keep(server live.State) error {
	if k.pending != nil {
		select {
		case err := <-k.pending:
			k.pending = nil
			if err != nil {
				return err
			}
		default:
			return nil
		}
	}
	if !k.started && k.cutLog != nil {
		if err := k.cutLog(); err != nil {
			return err
		}
	}
	path := runlog.FilePath(filepath.Join(k.folder, rundir.LogFile), k.live.Part+1)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("run log: %w", err)
	}
	k.live.Part++
	k.live.Server = server
	live := k.live
	s := &runs.State{Live: &live}
	if s.Log, err = k.env.NextLogFile(f); err != nil {
		return err
	}
	if s.State, err = k.env.State(); err != nil {
		return err
	}
	k.pending = make(chan error, 1)
	go func(done chan<- error) { done <- s.SaveLive(k.folder) }(k.pending)
	if k.started {
		return nil
	}
	k.started = true // no step is taken before there is a state
	err = <-k.pending
	k.pending = nil
	return err
}

// close waits for the last state, and forces the rest of the log to the disk. The log is closed.
func (k *keeper) close() error {
	var err error
	if k.pending != nil {
		err = <-k.pending
		k.pending = nil
	}
	return errors.Join(err, runs.SyncFile(runlog.FilePath(filepath.Join(k.folder, rundir.LogFile), k.live.Part)))
}

// liveKey returns the key of the sessions of the run in a folder, which it makes if there
// is none. Only its owner may read it.
func liveKey(folder string) ([]byte, error) {
	path := filepath.Join(folder, rundir.LiveKeyFile)
	key, err := disk.ReadFile(path, disk.MaxText)
	if err == nil && len(key) != live.KeySize {
		return nil, fmt.Errorf("%s has %d bytes, want %d", path, len(key), live.KeySize)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key = live.NewKey()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(key)
	return key, errors.Join(err, f.Sync(), f.Close())
}

// liveRun is a live run that is about to begin or to go on; folder is nil without a log.
type liveRun struct {
	runs.Worker
	policy *policies.Policy
	keeper *keeper
}

// resumeServe opens the worlds of the live run in a folder at its state, and repeats what the log holds after it.
func resumeServe(path string, options env.OpenOptions) (_ *liveRun, err error) {
	r := &liveRun{}
	var saved *runs.State
	if r.Folder, err = rundir.LockFolder(path); err == nil {
		saved, err = runs.ReadState(path, rundir.LiveStateFile)
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist):
	case rundir.IsUnbegun(path):
		err = usage.Errorf("%s holds no live run to go on with: it was killed before it began, and begins anew with the same "+
			"command, without --resume", path)
	default:
		err = usage.Errorf("%s holds no live run to go on with: %w", path, err)
	}
	if err == nil {
		err = r.reopen(path, saved, options)
	}
	if err != nil {
		r.Folder.Close()
		return nil, err
	}
	return r, nil
}

// reopen opens the worlds at a state. After an error nothing is open.
func (r *liveRun) reopen(path string, saved *runs.State, options env.OpenOptions) error {
	log := filepath.Join(path, rundir.LogFile)
	compared, err := runlog.OpenFiles(log, saved.Live.Part)
	if err != nil {
		return err
	}
	options.Log, err = runlog.CompareFrom(compared, saved.Log)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", log, err), compared.Close())
	}
	h := options.Log.Header()
	options.StepOffset, options.Episodes, options.Continue = h.StepOffset, h.Episodes, &saved.State
	options.Snapshots = runs.StateSnapshots
	if r.Config, err = configs.Parse(log, []byte(h.Configuration), nil, nil); err == nil {
		if options.Steps, err = logs.Steps(h); err == nil {
			r.policy, err = logs.ReadPolicy(path, h)
		}
	}
	if err != nil {
		return errors.Join(err, options.Log.Close())
	}
	r.Infos = runs.CountEpisodes(r.Config, &options)
	if r.Env, err = env.Open(r.Config, options); err != nil {
		return err
	}
	r.keeper = &keeper{folder: path, env: r.Env, live: *saved.Live}
	if err := r.catchUp(log); err != nil {
		return errors.Join(err, r.Env.Close())
	}
	return nil
}

// catchUp repeats the log after the state. What a killed process had not finished is cut as
// the run goes on: until then the folder stays as it is.
func (r *liveRun) catchUp(log string) error {
	state := &r.keeper.live
	parts, err := runlog.OpenFiles(log, state.Part)
	if err != nil {
		return err
	}
	defer parts.Close()
	in, err := runlog.NewReader(parts)
	if err != nil {
		return err
	}
	end, err := r.Env.CatchUp(in, state.Server.Update)
	if err != nil {
		return err
	}
	part, offset := parts.Locate(end)
	state.Part, state.Server = part, state.Server.Successor()
	r.keeper.cutLog = func() error { return cutParts(log, part, offset) }
	r.Infos.Reset() // of what is repeated
	return nil
}

// cutParts cuts part of the log at path off at a place, and removes the parts after it.
func cutParts(path string, part int, offset int64) error {
	if err := os.Truncate(runlog.FilePath(path, part), offset); err != nil {
		return err
	}
	for next := part + 1; ; next++ {
		err := os.Remove(runlog.FilePath(path, next))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
