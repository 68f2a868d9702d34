package serving

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// DecisionRecord is an event of a decision in a run log, and the commands that its reply set.
type DecisionRecord struct {
	N      int64 `json:"n"`                // control steps before it
	Number int64 `json:"number,omitempty"` // of the intent, of a reply
	runlog.Decision
	Commands []*runlog.Command `json:"commands,omitempty"`
}

// Decisions calls f with each event of the decisions in the log of a live run, in order,
// until f returns an error. With an id, it leaves out the other decisions.
func Decisions(folder, id string, f func(DecisionRecord) error) error {
	var open *DecisionRecord // whose commands may follow
	end := func() (err error) {
		if open != nil {
			err = f(*open)
		}
		open = nil
		return err
	}
	err := env.EachIntervention(filepath.Join(folder, rundir.LogFile), func(n int64, i runlog.Intervention) error {
		number := int64(0)
		if i.Intent != nil {
			number = i.Intent.Number
		}
		command, _ := i.Effect.(*runlog.Command)
		switch {
		case i.Decision != nil:
			if err := end(); err != nil || id != "" && i.Decision.ID != id {
				return err
			}
			open = &DecisionRecord{N: n, Number: number, Decision: *i.Decision}
		case open == nil || command == nil || number == 0 || number != open.Number:
			return end()
		}
		if command != nil {
			open.Commands = append(open.Commands, command)
		}
		return nil
	})
	err = cmp.Or(err, end())
	if errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf("%s holds no run log: %w", folder, err)
	}
	return err
}
