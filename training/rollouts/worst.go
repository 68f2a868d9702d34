package rollouts

import (
	"cmp"
	"context"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// WorstOptions are the options of [EvaluateWorst].
type WorstOptions struct {
	Count  int    // episodes, 1 to those of the evaluation
	Folder string // of their dataset, new or empty

	Progress func(done, total, episodes int64) // of the rollout, see [RolloutOptions]; may be nil
	Warn     func(string)                      // see [RolloutOptions]
}

// EvaluateWorst is [EvaluatePolicy], after which the episodes with the least returns are run again and recorded: a
// rollout of the same episodes, whose dataset has rows of these, and of others only where they have the return of the last
// of these, with poses and, in its table control, the infos of the task. The recipe beside it makes it again. It returns
// these episodes, that with the least return first, of equal returns that with the lower number.
func EvaluateWorst(ctx context.Context, config *configs.Config, policy *policies.Policy, opt WorstOptions) (*rundir.Evaluation,
	[]rundir.Episode, error) {
	if err := cmp.Or(usage.WantConfig(config), usage.WantPolicy(policy)); err != nil {
		return nil, nil, err
	}
	if opt.Count < 1 || opt.Count > config.Evaluation.Episodes {
		return nil, nil, usage.Errorf("the count of the worst episodes is %d, want 1 to %d, the number of episodes", opt.Count,
			config.Evaluation.Episodes)
	}
	if err := disk.CheckFolder(opt.Folder); err != nil {
		return nil, nil, usage.Mark(err)
	}
	c := *config
	c.Worlds = min(c.Worlds, c.Evaluation.Episodes)
	c.Time.Mode = runners.SimHighPerformance
	seen := &worst{count: opt.Count, episodes: int64(c.Evaluation.Episodes), worlds: make([][]rundir.Episode, c.Worlds)}
	result, err := evaluatePolicy(ctx, &c, policy, seen)
	if err != nil {
		return nil, nil, err
	}
	list := seen.list()
	c.Recording = c.Recording.Full()
	c.Recording.Episodes.MaxReturn = &list[len(list)-1].Return
	_, err = Rollout(ctx, &c, RolloutOptions{Policy: policy, Episodes: int64(c.Evaluation.Episodes), Folder: opt.Folder,
		Progress: opt.Progress, Warn: opt.Warn})
	return result, list, err
}

// worst keeps the episodes with the least returns, of each world. It implements [sim.Observer].
type worst struct {
	count    int
	episodes int64 // those that count
	worlds   [][]rundir.Episode
}

func (*worst) Rewarded(*sim.World, float64) {}

func (k *worst) Ended(w *sim.World, e sim.Episode) {
	if e.Number >= k.episodes || !e.Complete {
		return
	}
	k.worlds[w.Row()] = k.least(append(k.worlds[w.Row()], rundir.Episode{Number: e.Number, World: w.Index(), Return: e.Return,
		Steps: e.Steps, Terminated: e.Terminated, Truncated: e.Truncated, Fault: e.Fault != physics.FaultNone}))
}

// list returns the worst of all worlds.
func (k *worst) list() []rundir.Episode { return k.least(slices.Concat(k.worlds...)) }

func (k *worst) least(list []rundir.Episode) []rundir.Episode {
	slices.SortFunc(list, func(a, b rundir.Episode) int {
		return cmp.Or(cmp.Compare(a.Return, b.Return), cmp.Compare(a.Number, b.Number))
	})
	return list[:min(len(list), k.count)]
}
