package training

import (
	"maps"
	"reflect"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// changeable are the settings that may change in a run: those of the update alone.
var changeable = []string{
	"training.clip", "training.clip_value", "training.entropy", "training.epochs", "training.gamma", "training.lambda",
	"training.learning_rate", "training.max_grad_norm", "training.minibatch", "training.normalise_advantages",
	"training.sac.critic_learning_rate", "training.sac.dropout", "training.sac.fixed_temperature",
	"training.sac.learning_rate", "training.sac.max_grad_norm", "training.sac.minibatch", "training.sac.n_step",
	"training.sac.policy_every", "training.sac.schedule", "training.sac.target_critics", "training.sac.target_entropy",
	"training.sac.target_rate", "training.sac.update_ratio",
	"training.schedule", "training.steps", "training.target_kl", "training.value_weight",
}

// changed returns the changes of a run that goes on from the state with a configuration. It
// fails if one of them is of what may not change.
func (s *State) changed(config *configs.Config) ([]rundir.Change, error) {
	saved := s.state.Training
	before, err := decode.Parse("", []byte(saved.Configuration))
	if err != nil {
		return nil, err
	}
	after, err := decode.Parse("", []byte(portable(config)))
	if err != nil {
		return nil, err
	}
	changes := slices.Clone(saved.Changes)
	for _, d := range differences("", before, after) {
		if !slices.Contains(changeable, d.Key) {
			return nil, usage.Errorf("%s is %v, want %v as before in %s: in a run only these may change: %v",
				d.Key, d.Is, d.Was, s.folder, changeable)
		}
		if !saved.Unbegun {
			d.Iteration, d.EnvSteps = s.Iteration, s.EnvSteps
			changes = append(changes, d)
		}
	}
	if len(changes) == len(saved.Changes) {
		return changes, nil
	}
	if saved.LogEvery > 0 || config.Recording.Enabled {
		return nil, usage.Errorf("%s records a dataset or a log, which have one configuration; "+
			"want recording.enabled=false to change settings", s.folder)
	}
	if err := s.CheckResume(config.Training.Settings); err != nil {
		return nil, usage.Errorf("training.%w", err)
	}
	return changes, nil
}

// differences returns the values that differ in two trees, in the order of their keys.
func differences(key string, was, is any) (all []rundir.Change) {
	before, branch := was.(map[string]any)
	after, also := is.(map[string]any)
	if !branch && !also {
		if !reflect.DeepEqual(was, is) {
			all = []rundir.Change{{Key: key, Was: was, Is: is}}
		}
		return all
	}
	if key != "" {
		key += "."
	}
	either := map[string]any{}
	maps.Copy(either, before)
	maps.Copy(either, after)
	for _, name := range slices.Sorted(maps.Keys(either)) {
		all = append(all, differences(key+name, before[name], after[name])...)
	}
	return all
}

// writeChanges makes the folder of a run that goes on say which settings changed. The state
// comes first: a run whose state has changes writes the files again.
func (t *training) writeChanges() (err error) {
	if len(t.changes) == 0 {
		return nil
	}
	text := t.config.YAML()
	current := beginningOf(text)
	if saved := t.saved.state; len(t.changes) > len(saved.Training.Changes) || !slices.Contains(t.configs, current) {
		t.configs = append(t.configs, current) // the file is the one before until it is written
		saved.Training.Changes, saved.Training.ConfigFile = t.changes, t.configs
		if saved.Learner, err = t.encodeLearner(); err != nil {
			return err
		}
		if err := t.writeState(saved); err != nil {
			return err
		}
	}
	if err := disk.Replace(disk.OS{}, t.file(rundir.ChangesFile), true, disk.JSON(t.changes)); err != nil {
		return err
	}
	return disk.Replace(disk.OS{}, t.file(rundir.ConfigFile), true, disk.Bytes(text))
}
