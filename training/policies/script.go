package policies

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// script is a list of actions that every episode follows. Its file is CSV: a line of column names, then a line for
// each action. With a column t, in seconds, an action holds from the first control step at or after t until the next
// action begins; without it each holds for one step. The last action holds for one step and ends the script.
type script struct {
	names []string    // of the columns, without t
	times []*big.Rat  // s, by line; nil without t
	lines []int       // of the file, by action
	rows  [][]float32 // by action

	steps      int64   // control steps; set by schedule
	firstSteps []int64 // of each action; set by schedule
}

const timeColumn = "t"

func parseScript(reader io.Reader) (*script, error) {
	r := csv.NewReader(disk.Unmarked(reader))
	r.Comment, r.TrimLeadingSpace = '#', true
	names, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty, want a line of column names")
	}
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if seen[names[i]] {
			return nil, fmt.Errorf("it has two columns %q, want one", names[i])
		}
		seen[names[i]] = true
	}
	s := &script{names: slices.Clone(names)}
	timed := slices.Index(names, timeColumn)
	if timed >= 0 {
		s.names = slices.Delete(s.names, timed, timed+1)
	}
	if len(s.names) == 0 {
		return nil, errors.New("it has no column of actions, want at least one")
	}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		row := make([]float32, 0, len(s.names))
		for i, cell := range cells {
			cell = strings.TrimSpace(cell)
			if i == timed {
				t, err := parseTime(cell)
				if err != nil {
					return nil, fmt.Errorf("line %d: %w", line, err)
				}
				s.times = append(s.times, t)
				continue
			}
			v, err := strconv.ParseFloat(cell, 32)
			if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
				return nil, fmt.Errorf("line %d: column %q is %q, want a finite number", line, names[i], cell)
			}
			row = append(row, float32(v))
		}
		s.rows, s.lines = append(s.rows, row), append(s.lines, line)
	}
	if len(s.rows) == 0 {
		return nil, errors.New("it has no actions, want a line for each")
	}
	return s, nil
}

// parseTime reads a time, in s, exactly.
func parseTime(text string) (*big.Rat, error) {
	// The exponent is checked first: 1e999999 would make a huge big.Rat.
	if v, err := strconv.ParseFloat(text, 64); err != nil || !(v >= 0 && v <= runners.MaxSeconds) || (v > 0 && v < 1e-9) {
		return nil, fmt.Errorf("%s is %q, want 0 to %d seconds", timeColumn, text, int64(runners.MaxSeconds))
	}
	t, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%s is %q, want seconds as a decimal number", timeColumn, text)
	}
	return t, nil
}

// schedule computes the control steps of each action at a control rate. It fails if two actions begin in one step.
func (s *script) schedule(control runners.Rate) error {
	s.firstSteps = make([]int64, len(s.rows))
	for i := range s.rows {
		s.firstSteps[i] = int64(i)
		if s.times != nil {
			s.firstSteps[i] = runners.FirstStep(s.times[i], control)
		}
		switch {
		case i == 0 && s.firstSteps[i] > 0:
			return fmt.Errorf("line %d: the first action is at %s s, want 0", s.lines[i], s.times[i].RatString())
		case i > 0 && s.firstSteps[i] <= s.firstSteps[i-1]:
			return fmt.Errorf("line %d: the action at %s s begins in control step %d and the one before in step %d "+
				"at %v Hz, want each in a later step", s.lines[i], s.times[i].RatString(), s.firstSteps[i], s.firstSteps[i-1], control)
		}
	}
	s.steps = s.firstSteps[len(s.firstSteps)-1] + 1
	return nil
}

// action returns that of a control step of an episode.
func (s *script) action(step int64) []float32 {
	i, found := slices.BinarySearch(s.firstSteps, step)
	if !found {
		i--
	}
	return s.rows[i]
}

// Actor returns an actor that follows the script, which fits accepted. With nextStep the step that resets a world
// takes no action of the script. steps are those that the running episodes have taken, by row.
func (s *script) actor(worlds *sim.Sim, nextStep bool, steps []int64) Actor {
	size := worlds.Spec().ActionSize
	return func(_ *sim.Worker, b *sim.Block) error {
		for i := range b.Len() {
			step := &steps[b.Row()+i]
			over := b.Terminations()[i] || b.Truncations()[i] // in the step before
			if over {
				*step = 0
			}
			if !b.Active(i) || over && nextStep {
				continue
			}
			copy(b.Actions()[i*size:][:size], s.action(*step))
			*step++
		}
		return nil
	}
}

// fits returns an error unless the script's columns and actions are those of spec.
func (s *script) fits(spec sim.Spec) error {
	plain := make([]string, spec.ActionSize)
	for i := range plain {
		plain[i] = fmt.Sprintf("action[%d]", i)
	}
	if !slices.Equal(s.names, plain) && !slices.Equal(s.names, spec.ActionNames) {
		want := strings.Join(plain, ", ")
		if spec.ActionNames != nil {
			want += " or " + strings.Join(spec.ActionNames, ", ")
		}
		if len(s.names) != spec.ActionSize {
			return fmt.Errorf("it has %d columns of actions, want %[3]s for %[2]s", len(s.names), spec.Name, want)
		}
		return fmt.Errorf("it has the columns %q, want %[3]s for %[2]s", s.names, spec.Name, want)
	}
	if spec.Discrete > 0 {
		for i, row := range s.rows {
			if v := float64(row[0]); v != math.Trunc(v) || v < 0 || v >= float64(spec.Discrete) {
				return fmt.Errorf("line %d: the action is %v, want 0 to %d for %s", s.lines[i], v, spec.Discrete-1, spec.Name)
			}
		}
	}
	return nil
}
