package recorder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// LabelsFile is the file in a dataset's folder that holds what was said of its episodes afterwards.
const LabelsFile = "labels.json"

// maxTask is the longest text for a task, in bytes.
const maxTask = 4096

// CheckTask returns an error unless a text can be the words for a task: one line of UTF-8, at most 4096 bytes.
func CheckTask(text string) error {
	if len(text) > maxTask || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("task is %d bytes of text, want at most %d, in one line of UTF-8", len(text), maxTask)
	}
	return nil
}

// Label says what the robot was to do in some rows, or whether an episode succeeded. A later one replaces what earlier
// ones say of the same.
type Label struct {
	Episode *int64 `json:"episode,omitempty"` // number of an episode; nil: all episodes
	FromNS  int64  `json:"from_ns,omitempty"` // time of the episode from which the label holds
	Task    string `json:"task,omitempty"`    // words, such as "pick up the cube"; "": the label has none
	Success *bool  `json:"success,omitempty"` // nil: the label says nothing of success
}

func (l *Label) appliesTo(episode int64) bool { return l.Episode == nil || *l.Episode == episode }

// Labels are those of a dataset, in the order in which they were given.
type Labels struct {
	Default string  `json:"-"` // label of the configuration or, without one, name of the task
	List    []Label `json:"labels"`
}

// Labels reads the labels of the dataset; without any, those of its configuration.
func (d *Dataset) Labels() (*Labels, error) {
	l := &Labels{Default: d.Metadata.Label}
	if l.Default == "" {
		l.Default = d.Metadata.Task
	}
	var err error
	if l.List, err = ReadLabels(d.dir); err != nil {
		return nil, err
	}
	return l, nil
}

// ReadLabels reads the labels of the dataset in a folder, finished or not; nil where it has none.
func ReadLabels(dir string) ([]Label, error) {
	var l Labels
	path := filepath.Join(dir, LabelsFile)
	text, err := disk.ReadFile(path, disk.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l.List, nil
}

// Add adds a label. One of the same episode and time with other words is replaced.
func (l *Labels) Add(label Label) {
	l.List = slices.DeleteFunc(l.List, func(o Label) bool {
		same := o.FromNS == label.FromNS && (o.Episode == nil) == (label.Episode == nil) &&
			(o.Episode == nil || *o.Episode == *label.Episode)
		return same && (o.Task == "" || label.Task != "") && (o.Success == nil || label.Success != nil)
	})
	l.List = append(l.List, label)
}

// Write replaces the labels of a dataset, or leaves those that are there.
func (l *Labels) Write(d *Dataset) error { return l.write(disk.OS{}, d.dir) }

func (l *Labels) write(fsys disk.FS, dir string) error {
	text, err := format.JSON(l)
	if err != nil {
		return err
	}
	return disk.Replace(fsys, filepath.Join(dir, LabelsFile), false, disk.Bytes(text))
}

// mergeLabels gives the dataset in dir the labels of the slices of a run, each of which has episodes of its own. A
// label of all episodes of a slice becomes one of each, unless all slices have it.
func mergeLabels(fsys disk.FS, dir string, parts []*Dataset) error {
	lists := make([][]Label, len(parts))
	for i, d := range parts {
		l, err := d.Labels()
		if err != nil {
			return err
		}
		lists[i] = l.List
	}
	var merged Labels
	for common := func(l []Label) bool {
		return len(l) > 0 && l[0].Episode == nil && reflect.DeepEqual(l[0], lists[0][0])
	}; len(lists[0]) > 0 && !slices.ContainsFunc(lists, func(l []Label) bool { return !common(l) }); {
		merged.List = append(merged.List, lists[0][0])
		for i := range lists {
			lists[i] = lists[i][1:]
		}
	}
	for i, d := range parts {
		for _, label := range lists[i] {
			if label.Episode != nil {
				merged.List = append(merged.List, label)
				continue
			}
			if !d.HasEpisodes() {
				return fmt.Errorf("%s has a label of all its episodes that not all slices have, and no table of "+
					"episodes", filepath.Join(d.dir, LabelsFile))
			}
			for e, err := range d.Episodes() {
				if err != nil {
					return err
				}
				specific := label
				specific.Episode = &e.Number
				merged.List = append(merged.List, specific)
			}
		}
	}
	if len(merged.List) == 0 {
		return nil
	}
	return merged.write(fsys, dir)
}

// Task returns the words for what the robot was to do at a time of an episode, in ns.
func (l *Labels) Task(episode, ns int64) string {
	task := l.Default
	for i := range l.List {
		if o := &l.List[i]; o.Task != "" && o.appliesTo(episode) && o.FromNS <= ns {
			task = o.Task
		}
	}
	return task
}

// Success returns whether an episode succeeded, which recorded says unless a label does; nil: nobody has said.
func (l *Labels) Success(episode int64, recorded *bool) *bool {
	for i := range l.List {
		if o := &l.List[i]; o.Success != nil && o.appliesTo(episode) {
			recorded = o.Success
		}
	}
	return recorded
}
