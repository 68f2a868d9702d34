// Package demonstrations reads what was observed and done in each control step, of datasets in two formats: that of
// package recorder, and LeRobot v3. Policies are cloned from it.
package demonstrations

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Values describe a vector in each row.
type Values struct {
	Len   int
	Names []string // names of the values, one each, "" for those of Pictures; nil: the dataset names none

	Pictures []format.ListPicture // those among the values that the dataset describes

	// Choices is the number of choices of an action that is one of them; 0: it is none; −1: the dataset does not say.
	Choices int
}

// Row is what was observed and done in a control step. With rewards, it says what the action before earned.
type Row struct {
	Number              int64 // number of the row in the dataset, counted from 0, with the rows that are left out
	Episode             int64
	Observation, Action []float64
	Pictures            [][]byte // pixels of those that were asked for, as a row of such a column has them

	Earned  float64 // reward of the action of the episode's previous row
	Over    bool    // the episode was over after that action, though the dataset goes on with the same number
	Follows bool    // the dataset has the previous row, and it is of the previous control step
}

// Picture is a feature of pictures.
type Picture struct {
	Name                    string
	Width, Height, Channels int
	Video                   bool // it is in files of videos, which take ffmpeg
}

// End is how an episode ended, if that is known and nothing followed: by a termination or a fault.
type End struct {
	Earned float64 // reward of the last action
	Over   bool
}

// Set is a dataset. Its methods may be called from one goroutine at a time.
type Set struct {
	Dir, Format         string // Format is "polyrhythm" or "lerobot"
	Observation, Action Values
	Rows                int64  // number of rows of all episodes, at most
	Digest              string // digest of all rows
	Configuration       string // configuration of the recorded run, as YAML; "": not known
	Rewarded            bool   // the dataset has rewards

	// Pictures are what each row has beside its observation; none of a dataset of Polyrhythm, whose observations have them.
	Pictures []Picture

	eachRow func(ctx context.Context, pictures []format.Column, f func(Row) error, ends map[int64]End) error
}

// Each calls f with each row, in the order of the dataset: the slices are valid until it returns. An error of f ends
// it. Rows whose action was not taken on their observation are left out. ends becomes how each episode ended, where the
// last row is known to be the last one before; without it, or without Set.Rewarded, nobody looks at rewards. Of the
// set's pictures the rows have those that are columns of pictures, by the names of both. A cancelled context ends it with its
// error.
func (s *Set) Each(ctx context.Context, pictures []format.Column, f func(Row) error, ends map[int64]End) (err error) {
	defer guard(&err)
	if !s.Rewarded {
		ends = nil
	}
	return s.eachRow(ctx, pictures, func(row Row) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
			return f(row)
		}
	}, ends)
}

// guard turns a panic of a library that reads files, on a damaged one, into an error.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}

// ErrFormat is wrapped by the error of [Open] for a folder without a dataset that it reads.
var ErrFormat = errors.New("want polyrhythm.json, or meta/info.json of LeRobot v3")

// Open opens the dataset in a folder.
func Open(dir string) (s *Set, err error) {
	defer guard(&err)
	for _, candidate := range []struct {
		file string
		open func(dir string) (*Set, error)
	}{{format.DocumentFile, openRecorded}, {"meta/info.json", openLeRobot}} {
		if _, err := os.Stat(filepath.Join(dir, candidate.file)); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		if s, err = candidate.open(dir); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		s.Dir = dir
		return s, nil
	}
	return nil, fmt.Errorf("%s is no dataset: %w", dir, ErrFormat)
}

// openRecorded opens a dataset of package recorder, whose table control it reads.
func openRecorded(dir string) (*Set, error) {
	d, err := recorder.Open(dir)
	if err != nil {
		return nil, err
	}
	i := d.Table(format.ControlTable)
	if i < 0 {
		return nil, errors.New("it has no table control, want one with what was observed and done in each control " +
			"step: record it with recording.tables=[capture, control], or make it with train replay --record")
	}
	l := format.NewLayout(&d.Tables[i])
	var time, observation, observationStamp, action, actionStamp, episode int
	for name, column := range map[string]*int{"t_ns": &time, "observation": &observation,
		"observation_stamp_ns": &observationStamp, "action": &action, "action_stamp_ns": &actionStamp,
		"episode": &episode} {
		if *column = l.Column(name); *column < 0 {
			return nil, fmt.Errorf("the table control has no column %s, want it", name)
		}
	}
	valuesOf := func(c *format.Column) Values {
		return Values{Len: max(c.Len, 1), Names: c.ValueNames(), Pictures: c.Pictures, Choices: c.Choices}
	}
	s := &Set{Format: "polyrhythm", Observation: valuesOf(&l.Columns[observation]),
		Action: valuesOf(&l.Columns[action]), Configuration: d.Metadata.Configuration}
	if s.Rows, err = d.Rows(format.ControlTable); err == nil {
		s.Digest, err = d.Digest(format.ControlTable)
	}
	reward, steps := l.Column("reward"), l.Column("reward_steps")
	s.Rewarded = reward >= 0 && steps >= 0 && d.HasEpisodes()
	s.eachRow = func(_ context.Context, _ []format.Column, f func(Row) error, ends map[int64]End) error {
		row := Row{Number: -1, Observation: make([]float64, s.Observation.Len), Action: make([]float64, s.Action.Len)}
		whole := map[int64]bool{} // by episode: its newest row was not left out
		for r, err := range d.EachRow(format.ControlTable) {
			if err != nil {
				return err
			}
			row.Number++
			ns := l.Int(r.Row, time)
			if l.IsNull(r.Row, observationStamp) || l.Int(r.Row, observationStamp) != ns ||
				l.IsNull(r.Row, actionStamp) || l.Int(r.Row, actionStamp) != ns {
				whole[l.Int(r.Row, episode)] = false
				continue
			}
			row.Observation = l.AppendFloats(row.Observation[:0], r.Row, observation)
			row.Action = l.AppendFloats(row.Action[:0], r.Row, action)
			row.Episode = l.Int(r.Row, episode)
			if ends != nil {
				row.Earned = l.Float(r.Row, reward, 0)
				row.Follows = whole[row.Episode] && l.Int(r.Row, steps) == 1
				whole[row.Episode] = true
			}
			if err := f(row); err != nil {
				return err
			}
		}
		if ends == nil {
			return nil
		}
		for e, err := range d.Episodes() {
			if err != nil {
				return err
			}
			last := e.Parts[i]
			if !whole[e.Number] || !e.Complete || !e.Whole || last.TailSteps != 1 || !e.Terminated && !e.Fault {
				continue
			}
			end := End{Earned: last.TailReward, Over: true}
			if e.Fault { // rewards before a fault mean nothing
				end.Earned = 0
			}
			ends[e.Number] = end
		}
		return nil
	}
	return s, err
}
