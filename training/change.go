package training

import (
	"maps"
	"reflect"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// Change is a setting that changed in a run, see TrainOptions.Change. Iterations after
// the first Iteration have the value Is.
type Change struct {
	Iteration int64  `json:"iteration"`
	EnvSteps  int64  `json:"env_steps"` // after that iteration
	Key       string `json:"key"`       // of the configuration
	Was       any    `json:"was"`       // null: the default
	Is        any    `json:"is"`
}

// changeable are the settings that may change in a run: those of the update alone.
var changeable = []string{
	"training.clip", "training.clip_value", "training.entropy", "training.epochs", "training.gamma", "training.lambda",
	"training.learning_rate", "training.max_grad_norm", "training.minibatch", "training.normalise_advantages",
	"training.sac.critic_learning_rate", "training.sac.dropout", "training.sac.learning_rate", "training.sac.minibatch",
	"training.sac.n_step", "training.sac.policy_every", "training.sac.target_critics", "training.sac.target_entropy",
	"training.sac.target_rate", "training.sac.update_ratio",
	"training.schedule", "training.steps", "training.target_kl", "training.value_weight",
}

// changed returns the changes of a run that goes on from the state with a configuration. It
// fails if one of them is of what may not change.
func (s *State) changed(config *configs.Config) ([]Change, error) {
	saved := s.state.Training
	was, err := decode.Parse("", []byte(saved.Configuration))
	if err != nil {
		return nil, err
	}
	is, err := decode.Parse("", []byte(portable(config)))
	if err != nil {
		return nil, err
	}
	changes := slices.Clone(saved.Changes)
	for _, d := range differences("", was, is) {
		if !slices.Contains(changeable, d.Key) {
			return nil, usagef("%s is %v, want %v as before in %s: in a run only these may change: %v",
				d.Key, d.Is, d.Was, s.folder, changeable)
		}
		if !saved.Unbegun {
			changes = append(changes, Change{s.Iteration, s.EnvSteps, d.Key, d.Was, d.Is})
		}
	}
	if len(changes) == len(saved.Changes) {
		return changes, nil
	}
	if saved.LogEvery > 0 || config.Recording.Enabled {
		return nil, usagef("%s records a dataset or a log, which have one configuration; "+
			"want recording.enabled=false to change settings", s.folder)
	}
	if err := s.CheckResume(config.Training.Settings); err != nil {
		return nil, usagef("training.%w", err)
	}
	return changes, nil
}

// differences returns the values that differ in two trees, in the order of their keys.
func differences(key string, was, is any) (all []Change) {
	before, branch := was.(map[string]any)
	after, also := is.(map[string]any)
	if !branch && !also {
		if !reflect.DeepEqual(was, is) {
			all = []Change{{Key: key, Was: was, Is: is}}
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
	is := beginningOf(text)
	if saved := t.saved.state; len(t.changes) > len(saved.Training.Changes) || !slices.Contains(t.configs, is) {
		t.configs = append(t.configs, is) // the file is the one before until it is written
		saved.Training.Changes, saved.Training.ConfigFile = t.changes, t.configs
		if saved.learner, err = t.encodeLearner(); err != nil {
			return err
		}
		if err := t.writeState(saved); err != nil {
			return err
		}
	}
	if err := disk.Replace(disk.OS{}, t.file(ChangesFile), true, disk.JSON(t.changes)); err != nil {
		return err
	}
	return disk.Replace(disk.OS{}, t.file(ConfigFile), true, disk.Bytes(text))
}
