package training

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// State is everything that decides how a training goes on after an iteration: the learner, the worlds, and how far
// each file of the run folder had been written. A training that continues from it leaves the files of one that never
// stopped, byte for byte, beside the checkpoints of its stops, whatever happened after it. The files are forced to the
// disk before a state is, so that it also holds after a crash of the machine; of a dataset, except with recording.sync
// none.
//
// The first state of a run is kept before anything else: its run has to begin again. It
// has no snapshot, and a checkpoint only if the run is to begin from one.
type State struct {
	*rundir.Checkpoint // its Path is that of the state; nil if there is none

	folder string
	state  *runs.State
}

// Configuration returns the configuration of the run, as YAML.
func (s *State) Configuration() string { return s.state.Training.Configuration }

// ReadState reads the state in a run folder. The error is fs.ErrNotExist if it has none. Of a run that was killed in
// the moment when it wrote its first, that counts if it is whole.
func ReadState(folder string) (*State, error) {
	stored, err := runs.ReadState(folder, rundir.StateFile)
	if errors.Is(err, fs.ErrNotExist) {
		first, failed := runs.ReadState(folder, rundir.StateFile+disk.Part)
		if failed == nil && first.Training != nil && first.Training.Unbegun {
			stored, err = first, nil
		}
	}
	if err != nil {
		return nil, err
	}
	s := &State{folder: folder, state: stored}
	if len(stored.Learner) > 0 || !stored.Training.Unbegun {
		path := filepath.Join(folder, rundir.StateFile)
		if s.Checkpoint, err = rundir.ParseCheckpoint(path, stored.Learner); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// boundary returns what an iteration changes even if it is interrupted, for saveState: where the worlds and what they
// write stand after the one that has ended. It is nil if the state after that is kept. Nothing is forced to the disk.
func (t *training) boundary() (s *runs.State, err error) {
	if t.learner.EnvSteps() == t.stateSteps {
		return nil, nil
	}
	memory := t.learner.Memory()
	s = &runs.State{Training: &runs.TrainingState{Discounted: memory.Discounted}, Memory: memory.States}
	if err = t.source.position(s); err == nil && t.log.Log != nil {
		s.Log, err = t.log.Log.Position()
	}
	return s, err
}

// saveState writes the state after the newest whole iteration, which boundary has returned, and then the checkpoint of
// that iteration, if there is to be one: a run never goes on from before a checkpoint that is there. All that the
// State refers to is on the disk before, but for this checkpoint, which the state has itself. evaluate says that an
// evaluation follows.
func (t *training) saveState(s *runs.State, checkpoint, evaluate bool) (err error) {
	saved := s.Training
	saved.Resumed, saved.StepOffset, saved.LogEvery, saved.Changes = t.resumed, t.offset, t.log.Every, t.changes
	saved.Evaluate, saved.Stopped = evaluate, t.end.state()
	if err = t.source.sync(s); err == nil && t.log.Log != nil {
		err = t.log.Log.Sync()
	}
	if err != nil {
		return err
	}
	if saved.Metrics, err = t.metrics.csv.synced(); err != nil {
		return err
	}
	if saved.Events, err = t.metrics.file.synced(); err != nil {
		return err
	}
	if saved.Evaluations, err = t.metrics.evaluations.synced(); err != nil {
		return err
	}
	if s.Learner, err = t.encodeLearner(); err != nil {
		return err
	}
	if checkpoint {
		t.addCheckpoint(s.Learner)
	}
	saved.ConfigFile, saved.Teacher, saved.Checkpoints = t.configs, t.log.Teacher, slices.Clone(t.checkpoints)
	if saved.Replay, err = t.saveReplay(t.learner.Memory().Replay); err != nil {
		return err
	}
	if err := t.writeState(s); err != nil {
		return err
	}
	if err := t.cutReplay(saved.Replay); err != nil {
		return err
	}
	t.stateTime, t.stateSteps = time.Now(), t.learner.EnvSteps()
	if checkpoint {
		err = writeCheckpoint(disk.OS{}, t.folder.Path(), t.learner.EnvSteps(), s.Learner)
	}
	return err
}

// addCheckpoint remembers the bytes of the checkpoint of the newest iteration, for the next state.
func (t *training) addCheckpoint(data []byte) {
	one := runs.KeptCheckpoint{Name: rundir.CheckpointName(t.learner.EnvSteps())}
	one.Add(data)
	t.checkpoints = slices.DeleteFunc(t.checkpoints, func(c runs.KeptCheckpoint) bool { return c.Name == one.Name })
	t.checkpoints = append(t.checkpoints, one)
}

// checkFiles returns an error if files that a run goes on with, but does not write at the end of, are not those that
// its state is of. A checkpoint that is gone is not missed.
func (t *training) checkFiles(saved *runs.TrainingState) error {
	text, err := disk.ReadFile(t.file(rundir.ConfigFile), disk.MaxWhole)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if current := beginningOf(text); err != nil || !slices.Contains(saved.ConfigFile, current) {
		return usage.Errorf("%s was changed since the run began, which goes on with the configuration that it had: want the file "+
			"as it was; --out DIR begins another run", t.file(rundir.ConfigFile))
	}
	newest := rundir.CheckpointName(t.saved.EnvSteps) // which is written again
	for _, c := range saved.Checkpoints {
		data, err := disk.ReadFile(t.file(c.Name), disk.MaxWhole)
		if c.Name == newest || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && beginningOf(data) != c.Beginning {
			err = fmt.Errorf("%s is damaged: it has not the bytes that the run wrote; to continue without it, remove it",
				t.file(c.Name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// beginningOf returns all of a file in short.
func beginningOf(data []byte) (b disk.Beginning) {
	b.Add(data)
	return b
}

// encodeLearner returns a checkpoint as bytes.
func (t *training) encodeLearner() ([]byte, error) {
	var data bytes.Buffer
	err := t.learner.Checkpoint(&data, t.user)
	return data.Bytes(), err
}

func (t *training) writeState(s *runs.State) error {
	s.Training.Configuration, s.Training.Versions = t.user, logs.Versions()
	return s.Write(t.file(rundir.StateFile))
}

// checkpointsIn returns the names of the checkpoints in a run folder, in order.
func checkpointsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder) // sorted
	var names []string
	for _, e := range entries {
		if rundir.IsCheckpoint(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// relock locks the folder of opt.Continue, reads its state anew and takes over what its run
// was begun with. After an error the folder is not locked.
func (t *training) relock() (err error) {
	if t.folder, err = rundir.LockFolder(t.opt.Continue.folder); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			t.folder.Close()
		}
	}()
	// Until it was locked, another process may have gone on with the run.
	newest, err := ReadState(t.folder.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf("%s is of a run that is done, want one that was stopped", t.folder.Path())
	} else if err != nil {
		return err
	}
	if t.user != newest.Configuration() && !t.opt.Change {
		if written, err := configs.Parse(rundir.StateFile, []byte(newest.Configuration()), nil, nil); err == nil &&
			portable(written) == t.user {
			return usage.Errorf("the configuration of %s has other keys than this program gives it: another version began the "+
				"run; continue with that program, or begin another run with --out DIR", newest.folder)
		}
		return usage.Errorf("the configuration differs from that of %s, want the same to continue; --out DIR begins another run",
			newest.folder)
	}
	if t.changes, err = newest.changed(t.config); err != nil {
		return err
	}
	if others := logs.OtherVersions(newest.state.Training.Versions); others != nil {
		return usage.Errorf("%s was made with %s, want the same to continue; --out DIR begins another run", newest.folder, others[0])
	}
	t.saved, t.log.Every = newest, newest.state.Training.LogEvery
	return nil
}

// cut makes the run folder what it was when a state was written, but for checkpoints, which stay.
func (t *training) cut(saved *runs.TrainingState) (err error) {
	if t.intermediate, err = t.metrics.readEvaluations(); err != nil {
		return err
	}
	t.checkpoints = slices.Clone(saved.Checkpoints)
	if err := t.mendCheckpoint(t.saved.state.Learner); err != nil {
		return err
	}
	checkpoints, err := checkpointsIn(t.folder.Path())
	if err != nil {
		return err
	}
	latest, best := "", ""
	if n := len(checkpoints); n > 0 {
		latest = checkpoints[n-1]
	}
	if len(t.intermediate) > 0 {
		best = rundir.CheckpointName(t.best().EnvSteps)
	}
	if err := errors.Join(t.link(rundir.LatestFile, latest), t.link(rundir.BestFile, best)); err != nil {
		return err
	}
	entries, err := os.ReadDir(t.folder.Path())
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() && strings.HasSuffix(name, disk.Part) {
			err = errors.Join(err, t.removeOurs(name))
		}
	}
	t.stateTime = time.Now()
	if err = cmp.Or(err, t.cutReplay(saved.Replay)); err != nil {
		return err
	}
	return t.writeChanges()
}

// removeOurs removes a file of the run folder that the contents show to be of a run.
func (t *training) removeOurs(name string) error {
	ours, _, err := rundir.Find(t.folder.Path(), name)
	if ours {
		return disk.RemoveFile(t.file(name))
	}
	return err
}

// mendCheckpoint writes the checkpoint of the state, which has these bytes, where that is damaged, or is to be there
// and is not: the run was killed before it was.
func (t *training) mendCheckpoint(data []byte) error {
	name, want := rundir.CheckpointName(t.learner.EnvSteps()), beginningOf(data)
	i := slices.IndexFunc(t.checkpoints, func(c runs.KeptCheckpoint) bool { return c.Name == name })
	if i >= 0 {
		want = t.checkpoints[i].Beginning
	}
	contents, err := disk.ReadFile(t.file(name), disk.MaxWhole)
	switch {
	case err == nil && beginningOf(contents) == want:
		t.addCheckpoint(contents)
		return nil
	case i < 0 && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	t.addCheckpoint(data)
	return writeCheckpoint(disk.OS{}, t.folder.Path(), t.learner.EnvSteps(), data)
}

// link makes a link of the run folder lead to a checkpoint, or removes it if that is "".
func (t *training) link(name, checkpoint string) error {
	if checkpoint == "" {
		return disk.RemoveFile(t.file(name))
	}
	return disk.ReplaceLink(disk.OS{}, checkpoint, t.file(name))
}

// writeCheckpoint writes the bytes of a checkpoint to a file named after its steps, and links
// latest to it. If the process is killed at any point, latest links to a whole checkpoint,
// this one or the one before.
func writeCheckpoint(fsys disk.FS, folder string, envSteps int64, data []byte) error {
	name := rundir.CheckpointName(envSteps)
	err := disk.Replace(fsys, filepath.Join(folder, name), true, disk.Bytes(data))
	if err == nil {
		err = disk.ReplaceLink(fsys, name, filepath.Join(folder, rundir.LatestFile))
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
