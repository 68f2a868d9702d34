package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
)

// DecisionRecord is an event of a decision in a run log, and the command that it set.
type DecisionRecord struct {
	N      int64 `json:"n"`                // control steps before it
	Number int64 `json:"number,omitempty"` // of the intent, of a reply
	env.Decision
	Command *env.Command `json:"command,omitempty"`
}

// Decisions calls f with each event of the decisions in the log of a live run, in order,
// until f returns an error. With an id, it leaves out the other decisions.
func Decisions(folder, id string, f func(DecisionRecord) error) error {
	path := filepath.Join(folder, LogFile)
	parts, err := runlog.OpenParts(path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("%s holds no run log: %w", folder, err)
	}
	if err != nil {
		return err
	}
	defer parts.Close()
	in, err := runlog.NewReader(parts)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for {
		r, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if r.Kind != runlog.KindNote {
			continue
		}
		var i env.Intervention
		if err := json.Unmarshal([]byte(r.Note()), &i); err != nil {
			return fmt.Errorf("%s: note %q: %w", path, r.Note(), err)
		}
		if i.Decision == nil || id != "" && i.Decision.ID != id {
			continue
		}
		d := DecisionRecord{N: r.N(), Decision: *i.Decision, Command: i.Command}
		if i.Intent != nil {
			d.Number = i.Intent.Number
		}
		if err := f(d); err != nil {
			return err
		}
	}
}
