package training

import (
	"bytes"
	"maps"
	"path/filepath"
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
	"training.schedule", "training.steps", "training.target_kl", "training.value_weight",
}

// changed returns the changes of a run that goes on from the point with a configuration. It
// fails if one of them is of what may not change.
func (p *Point) changed(config *configs.Config) ([]Change, error) {
	was, err := flatConfig(p.Configuration())
	if err != nil {
		return nil, err
	}
	is, err := flatConfig(portable(config))
	if err != nil {
		return nil, err
	}
	either := maps.Clone(was)
	maps.Copy(either, is)
	changes := slices.Clone(p.state.Changes)
	for _, key := range slices.Sorted(maps.Keys(either)) {
		if reflect.DeepEqual(was[key], is[key]) {
			continue
		}
		if !slices.Contains(changeable, key) {
			return nil, usagef("%s is %v, want %v as before in %s: in a run only these may change: %v", key, is[key], was[key], p.folder, changeable)
		}
		if !p.state.Unbegun {
			changes = append(changes, Change{p.Iteration, p.EnvSteps, key, was[key], is[key]})
		}
	}
	if len(changes) == len(p.state.Changes) {
		return changes, nil
	}
	if p.state.LogEvery > 0 || config.Recording.Enabled {
		return nil, usagef("%s records a dataset or a log, which have one configuration; want recording.enabled=false to change settings", p.folder)
	}
	if err := p.CheckResume(config.Training.Settings); err != nil {
		return nil, usagef("training.%w", err)
	}
	return changes, nil
}

// flatConfig returns the values of a configuration by their keys, such as training.clip.
func flatConfig(text string) (map[string]any, error) {
	tree, err := decode.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	flat := map[string]any{}
	flatten("", tree, flat)
	return flat, nil
}

func flatten(key string, value any, flat map[string]any) {
	tree, ok := value.(map[string]any)
	if !ok {
		flat[key] = value
		return
	}
	if key != "" {
		key += "."
	}
	for name, v := range tree {
		flatten(key+name, v, flat)
	}
}

// keepChanges makes the folder of a run that goes on say which settings changed. The point
// comes first: a run whose point has changes writes the files again.
func (t *training) keepChanges() error {
	if len(t.changes) == 0 {
		return nil
	}
	if len(t.changes) > len(t.at.state.Changes) {
		var checkpoint, worlds bytes.Buffer
		if err := t.learner.Checkpoint(&checkpoint, t.user); err != nil {
			return err
		}
		if _, err := t.at.worlds.WriteTo(&worlds); err != nil {
			return err
		}
		state := t.at.state
		state.Changes = t.changes
		if err := t.writePoint(&state, checkpoint.Bytes(), worlds.Bytes()); err != nil {
			return err
		}
	}
	if err := disk.Replace(disk.OS{}, filepath.Join(t.folder, ChangesFile), true, disk.JSON(t.changes)); err != nil {
		return err
	}
	return disk.Replace(disk.OS{}, filepath.Join(t.folder, ConfigFile), true, disk.Bytes(t.config.YAML()))
}
