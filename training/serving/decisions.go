package serving

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// DecisionRecord is an event of a decision in a run log, and the command that it set.
type DecisionRecord struct {
	N      int64 `json:"n"`                // control steps before it
	Number int64 `json:"number,omitempty"` // of the intent, of a reply
	runlog.Decision
	Command *runlog.Command `json:"command,omitempty"`
}

// Decisions calls f with each event of the decisions in the log of a live run, in order,
// until f returns an error. With an id, it leaves out the other decisions.
func Decisions(folder, id string, f func(DecisionRecord) error) error {
	err := env.EachIntervention(filepath.Join(folder, rundir.LogFile), func(n int64, i runlog.Intervention) error {
		if i.Decision == nil || id != "" && i.Decision.ID != id {
			return nil
		}
		d := DecisionRecord{N: n, Decision: *i.Decision}
		d.Command, _ = i.Effect.(*runlog.Command)
		if i.Intent != nil {
			d.Number = i.Intent.Number
		}
		return f(d)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf("%s holds no run log: %w", folder, err)
	}
	return err
}
