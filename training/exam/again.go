package exam

import (
	"context"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
)

// AgainOptions are the options of [Again].
type AgainOptions struct {
	Policy        *policies.Policy // the one that took the episode
	Reference     bool             // it is the reference policy
	Cell, Episode int              // their numbers
	Folder        string           // of the dataset, new or empty
	Warn          func(string)     // may be nil
}

// Again records an episode of the exam in a folder as a dataset, with poses and the infos of each control step. It fails if
// the episode is not the one of the exam, to the last bit of its return.
func Again(ctx context.Context, folder string, opt AgainOptions) (Episode, error) {
	s, err := readState(folder)
	if err != nil {
		return Episode{}, err
	}
	x := &examination{plan: s.Plan, opt: Options{Candidate: opt.Policy, Reference: opt.Policy}}
	subject := &x.plan.Candidate
	if opt.Reference {
		if subject = x.plan.Reference; subject == nil {
			return Episode{}, usage.Errorf("the exam in %s has no reference policy", folder)
		}
	}
	if err := checkSubject(opt.Policy, *subject); err != nil {
		return Episode{}, err
	}
	if x.cells, err = x.plan.prepare(); err != nil {
		return Episode{}, usage.Mark(err)
	}
	want, err := x.find(folder, opt)
	if err != nil {
		return Episode{}, err
	}
	c := *x.cells[opt.Cell].config
	c.Seed, c.Worlds = sim.EpisodeSeed(c.Seed, int64(opt.Episode)), 1
	c.Recording = c.Recording.Full()
	_, err = rollouts.Rollout(ctx, &c, rollouts.RolloutOptions{Policy: opt.Policy, Episodes: 1, Folder: opt.Folder, Warn: opt.Warn})
	if err != nil {
		return Episode{}, err
	}
	return want, compare(opt.Folder, want)
}

// compare returns an error unless the only episode of a dataset is the wanted one.
func compare(folder string, want Episode) error {
	d, err := recorder.Open(folder)
	if err != nil {
		return err
	}
	for got, err := range d.Episodes() {
		if err != nil {
			return err
		}
		if got.Return != want.Return || got.Steps != want.Steps {
			return fmt.Errorf("the episode has the return %v after %d steps, want those of the exam, %v after %d: what ran it has "+
				"changed since", got.Return, got.Steps, want.Return, want.Steps)
		}
	}
	return nil
}

// find returns an episode of the exam in a folder.
func (x *examination) find(folder string, opt AgainOptions) (e Episode, err error) {
	if opt.Cell < 0 || opt.Cell >= len(x.cells) {
		return e, usage.Errorf("the cell is %d, want 0 to %d", opt.Cell, len(x.cells)-1)
	}
	j, err := readJournal(folder)
	if err != nil {
		return e, err
	}
	list := j.done[part{opt.Cell, opt.Reference}]
	if len(list) == 0 {
		return e, usage.Errorf("cell %d has no episodes yet", opt.Cell)
	}
	if opt.Episode < 0 || opt.Episode >= len(list) {
		return e, usage.Errorf("the episode is %d, want 0 to %d, those of cell %d", opt.Episode, len(list)-1, opt.Cell)
	}
	return list[opt.Episode], nil
}
