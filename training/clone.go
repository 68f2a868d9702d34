package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/recorder/demonstrations"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/worlds"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// heldOut is the distance of the episodes that a clone does not learn from, but is compared with.
const heldOut = 10

// cloneSource says, in ClonedFile, what a run learns from, or what its replay begins with.
type cloneSource struct {
	Dataset string `json:"dataset"` // path of the folder
	Digest  string `json:"digest"`
}

// recording are the rows of a dataset, implements [rl.RecordedRewards].
type recording struct {
	size, acts int
	observed   []float64
	acted      []float32
	episodes   [][]int32 // the rows of each, in the order in which they begin
	outcomes   []outcome // of each row
}

// outcome is what a row's action earned, and what followed.
type outcome struct {
	earned      float64
	over, known bool
}

// Len implements [rl.Recorded].
func (r *recording) Len() int { return len(r.acted) / r.acts }

// Row implements [rl.Recorded].
func (r *recording) Row(i int, observation []float64, action []float32) {
	copy(observation, r.observed[i*r.size:(i+1)*r.size])
	copy(action, r.acted[i*r.acts:(i+1)*r.acts])
}

// Reward implements [rl.RecordedRewards].
func (r *recording) Reward(i int) (reward float64, over, known bool) {
	o := r.outcomes[i]
	return o.earned, o.over, o.known
}

// Episodes implements [rl.RecordedEpisodes].
func (r *recording) Episodes() [][]int32 { return r.episodes }

// openDataset opens a dataset, or that of a run, by its path.
func openDataset(path string) (*demonstrations.Set, error) {
	if folder, err := rundir.DatasetPath(path); err == nil {
		path = folder
	}
	return demonstrations.Open(path)
}

// openUnchanged opens a dataset that a run learns from.
func openUnchanged(path, digest string) (*demonstrations.Set, error) {
	d, err := openDataset(path)
	if err == nil && d.Digest != digest {
		err = fmt.Errorf("%s has the digest %s, want %s: it has changed since the run began", path, d.Digest, digest)
	}
	if err != nil {
		return nil, usage.Errorf("the dataset that the run learns from: %w", err)
	}
	return d, nil
}

// writeDatasetPath says in the run folder which dataset a training that begins learns from.
func writeDatasetPath(dataset, folder string) error {
	d, err := openDataset(dataset)
	if err != nil {
		return usage.Mark(err)
	}
	source := cloneSource{Digest: d.Digest}
	if source.Dataset, err = filepath.Abs(d.Dir); err != nil {
		return err
	}
	return disk.Replace(disk.OS{}, filepath.Join(folder, rundir.ClonedFile), true, disk.JSON(source))
}

// readDataset reads the rows that the run in a folder learns from, and those that it does not.
func readDataset(ctx context.Context, folder string, config *configs.Config, spec sim.Spec, warn func(string)) (rows, held *recording,
	err error) {
	var source cloneSource
	if err := disk.ReadJSON(filepath.Join(folder, rundir.ClonedFile), &source); err != nil {
		return nil, nil, err
	}
	d, err := openUnchanged(source.Dataset, source.Digest)
	if err != nil {
		return nil, nil, err
	}
	if err = checkDataset(d, config, spec); err == nil {
		var beyond excess
		if rows, held, beyond, err = readRecording(ctx, d, spec, config.Training.Algorithm); err == nil && beyond.rows > 0 {
			warn(source.Dataset + ": " + beyond.text(rows.Len()+held.Len()))
		}
	}
	if errors.Is(err, context.Canceled) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, usage.Errorf("%s: %w", source.Dataset, err)
	}
	return rows, held, nil
}

// checkDataset returns an error unless a dataset has what the algorithm of a configuration learns from, as the task,
// which spec describes, observes and acts.
func checkDataset(d *demonstrations.Set, config *configs.Config, spec sim.Spec) error {
	if err := sameUnits(d, config); err != nil {
		return err
	}
	if algorithm := config.Training.Algorithm; wantsRewards(algorithm) && !d.Rewarded {
		return fmt.Errorf("it has no rewards, want them for training.algorithm %s", algorithm)
	}
	if _, err := newSight(d, spec); err != nil {
		return err
	}
	if err := sameActions(d.Action, spec); err != nil {
		return err
	}
	return sameTask(d, config, spec)
}

// sameTask returns an error if a dataset was recorded in another task, where names cannot say that its values mean the
// same.
func sameTask(d *demonstrations.Set, config *configs.Config, spec sim.Spec) error {
	if d.Configuration == "" || spec.ObservationNames != nil {
		return nil
	}
	recorded, err := configs.Parse("its configuration", []byte(d.Configuration), nil, nil)
	if err == nil && recorded.Task.Name != config.Task.Name {
		err = fmt.Errorf("it was recorded in %s, want %s: its observed values have no names that say what they are",
			recorded.Task.Name, config.Task.Name)
	}
	return err
}

// wantsRewards reports whether an algorithm that learns from a dataset learns from its rewards.
func wantsRewards(a rl.Algorithm) bool { return a == rl.AlgorithmTD3BC || a == rl.AlgorithmSAC }

// excess is how far recorded actions are beyond the bounds of a task.
type excess struct {
	rows  int     // that have such a value
	most  float64 // how far
	worst string  // the farthest, and where it is
}

func (e *excess) text(rows int) string {
	return fmt.Sprintf("in %d of %d rows an action is beyond its bounds, farthest %s: the policy does no more than these, "+
		"and actions of another unit are not what was done", e.rows, rows, e.worst)
}

// add looks at the action of a row.
func (e *excess) add(row demonstrations.Row, spec sim.Spec) {
	beyond := false
	for i, v := range row.Action {
		low, high := spec.ActionLow[i], spec.ActionHigh[i]
		distance := max(v-float64(float32(high)), float64(float32(low))-v) // recorded as float32, that is
		if distance > 0 {
			beyond = true
		}
		if distance > e.most {
			e.most = distance
			e.worst = fmt.Sprintf("%s of row %d, of episode %d, which is %g, and the bounds %g and %g",
				valueName("action value", spec.ActionNames, i), row.Number, row.Episode, v, low, high)
		}
	}
	if beyond {
		e.rows++
	}
}

// valueName names a value of an observation or an action, by its number if it has no name.
func valueName(what string, names []string, i int) string {
	if names == nil {
		return fmt.Sprintf("%s %d", what, i)
	}
	return fmt.Sprintf("%s %s", what, names[i])
}

// readRecording reads the rows of a dataset that checkDataset accepted for an algorithm, as a task observes and acts.
// For offline learning some episodes are held out.
func readRecording(ctx context.Context, d *demonstrations.Set, spec sim.Spec, algorithm rl.Algorithm) (rows, held *recording, beyond excess,
	err error) {
	sight, err := newSight(d, spec)
	if err != nil {
		return nil, nil, beyond, err
	}
	observation := make([]float64, spec.ObservationSize)
	if need := d.Rows * int64(8*spec.ObservationSize+4*spec.ActionSize+16); need > maxRecording {
		return nil, nil, beyond, fmt.Errorf("its %d rows take %d MiB of memory, want at most %d", d.Rows, need>>20,
			maxRecording>>20)
	}
	rows = &recording{size: spec.ObservationSize, acts: spec.ActionSize}
	held = &recording{size: spec.ObservationSize, acts: spec.ActionSize}
	number := map[int64]int{}
	var ends map[int64]demonstrations.End
	if wantsRewards(algorithm) {
		ends = map[int64]demonstrations.End{}
	}
	part := func(episode int64) *recording {
		if algorithm.Offline() && episode%heldOut == heldOut-1 {
			return held
		}
		return rows
	}
	err = d.Each(ctx, sight.columns, func(row demonstrations.Row) error {
		episode, target := row.Episode, part(row.Episode)
		index, known := number[episode]
		if !known {
			index = len(target.episodes)
			number[episode], target.episodes = index, append(target.episodes, nil)
		}
		finite := func(what string, v float64) error {
			if v-v != 0 {
				return fmt.Errorf("%s row %d, of episode %d, is %v, want a finite number", what, row.Number, episode, v)
			}
			return nil
		}
		if before := target.episodes[index]; row.Follows {
			if err := finite("the reward before", row.Earned); err != nil {
				return err
			}
			target.outcomes[before[len(before)-1]] = outcome{row.Earned, row.Over, true}
		}
		target.episodes[index] = append(target.episodes[index], int32(target.Len()))
		target.outcomes = append(target.outcomes, outcome{})
		sight.observe(observation, row)
		for i, v := range observation {
			if err := finite(valueName("observed value", spec.ObservationNames, i)+" in", v); err != nil {
				return err
			}
		}
		target.observed = append(target.observed, observation...)
		for i, v := range row.Action {
			if n := spec.Discrete; n > 0 && (v != math.Trunc(v) || v < 0 || v >= float64(n)) {
				return fmt.Errorf("the choice in row %d, of episode %d, is %v, want a whole number from 0 to %d", row.Number,
					episode, v, n-1)
			}
			if err := finite(valueName("action value", spec.ActionNames, i)+" in", v); err != nil {
				return err
			}
			target.acted = append(target.acted, float32(v))
		}
		if spec.Discrete == 0 {
			beyond.add(row, spec)
		}
		return nil
	}, ends)
	for _, episode := range slices.Sorted(maps.Keys(ends)) {
		end, target := ends[episode], part(episode)
		if end.Over && end.Earned-end.Earned != 0 && err == nil {
			err = fmt.Errorf("the last reward of episode %d is %v, want a finite number", episode, end.Earned)
		}
		all := target.episodes[number[episode]]
		target.outcomes[all[len(all)-1]] = outcome{end.Earned, end.Over, end.Over}
	}
	if err == nil && rows.Len() == 0 {
		err = errors.New("no row has an action that was taken on its observation, want some")
	}
	return rows, held, beyond, err
}

// sameUnits returns an error unless the actions, and the scales of what is observed, are those of the run that recorded
// a dataset, where that is known: a number must mean what it meant.
func sameUnits(d *demonstrations.Set, config *configs.Config) error {
	if d.Configuration == "" {
		return nil
	}
	recorded, err := configs.Parse("its configuration", []byte(d.Configuration), nil, nil)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(recorded.Actions, config.Actions) {
		return errors.New("it was recorded with other actions than those of the configuration, want the same")
	}
	scaled := func(e map[string]any) (name, scale any) {
		return cmp.Or(e["name"], e["term"]), cmp.Or(e["scale"], any(1))
	}
	for _, group := range slices.Sorted(maps.Keys(config.Observations)) {
		before := map[any]any{}
		for _, e := range recorded.Observations[group].Terms {
			name, scale := scaled(e)
			before[name] = scale
		}
		for _, e := range config.Observations[group].Terms {
			name, scale := scaled(e)
			switch old, known := before[name]; {
			case !known:
				return fmt.Errorf("it was recorded without %v in observations.%s, which the configuration has", name, group)
			case fmt.Sprint(old) != fmt.Sprint(scale):
				return fmt.Errorf("it was recorded with scale %v of %v in observations.%s, want %v as in the configuration",
					old, name, group, scale)
			}
		}
	}
	return nil
}

// maxRecording is how much the rows may take, bytes.
const maxRecording = 8 << 30

// sight is where a dataset has each value that a task observes.
type sight struct {
	places   []int                // numbers of the values of the dataset's observation; -1: it is in a picture
	pictures []format.ListPicture // pictures of the task that are features of the dataset
	columns  []format.Column      // their columns, by the names of the features
}

// newSight finds each value of what a task observes, by its name or as a pixel of the picture of a name. Pictures may be
// features of their own.
func newSight(d *demonstrations.Set, spec sim.Spec) (*sight, error) {
	s, column, pixels := &sight{places: make([]int, spec.ObservationSize)}, d.Observation, 0
	byName := column.Names != nil && spec.ObservationNames != nil
	places := map[string]int{} // numbers of the dataset's values by name
	for i, name := range column.Names {
		places[name] = i
	}
	for _, p := range worlds.Pictures(&spec, "observation") {
		same := func(o format.ListPicture) bool {
			return o.Name == p.Name && o.Kind == p.Kind && o.Width == p.Width && o.Height == p.Height
		}
		if k := slices.IndexFunc(column.Pictures, same); byName && k >= 0 {
			numbers := slices.Collect(column.Pictures[k].Numbers)
			n := 0
			for i := range p.Numbers {
				places[spec.ObservationNames[i]] = numbers[n]
				n++
			}
			continue
		}
		if p.Floats { // no image has them
			continue
		}
		names := []string{demonstrations.Images + strings.ReplaceAll(strings.TrimPrefix(p.Name, "observation_"), "/", ".")}
		if p.Kind == physics.RGB { // others name a camera alone
			names = append(names, strings.TrimSuffix(names[0], "_"+p.Kind))
		}
		k := slices.IndexFunc(d.Pictures, func(o demonstrations.Picture) bool { return slices.Contains(names, o.Name) })
		if k < 0 {
			continue
		}
		s.pictures = append(s.pictures, p)
		s.columns = append(s.columns, format.PictureColumn(d.Pictures[k].Name, p.Kind, p.Width, p.Height))
		for i := range p.Numbers {
			s.places[i] = -1
			pixels++
		}
	}
	if want := spec.ObservationSize - pixels; !byName && column.Len != want {
		return nil, fmt.Errorf("its observations have %d values, want the %d of %s", column.Len, want, spec.Name)
	}
	next := 0
	for i, place := range s.places {
		switch {
		case place < 0:
		case !byName:
			s.places[i], next = next, next+1
		default:
			name, known := spec.ObservationNames[i], false
			if s.places[i], known = places[name]; !known {
				return nil, fmt.Errorf("it has no observed value %s, want all that %s observes", name, spec.Name)
			}
		}
	}
	return s, d.CheckPictures(s.columns)
}

// observe writes what the task observes in a row.
func (s *sight) observe(observation []float64, row demonstrations.Row) {
	for i, place := range s.places {
		if place >= 0 {
			observation[i] = row.Observation[place]
		}
	}
	for i := range s.pictures {
		s.pictures[i].Observe(observation, row.Pictures[i])
	}
}

func sameActions(column demonstrations.Values, spec sim.Spec) error {
	err := policies.CheckActions(column.Len, column.Choices, spec)
	if err == nil && column.Names != nil && spec.ActionNames != nil && !slices.Equal(column.Names, spec.ActionNames) {
		err = fmt.Errorf("its action values are %q, want %q", column.Names, spec.ActionNames)
	}
	return err
}

// apart returns how far a policy is from what was done, see [rundir.Cloned].
func (r *recording) apart(policy *rl.Policy) (float64, error) {
	scratch, observation, state := policy.NewScratch(), make([]float64, r.size), make([]float32, policy.State())
	acted, action := make([]float32, r.acts), make([]float32, r.acts)
	squares, differ := 0.0, 0
	for _, rows := range r.episodes {
		clear(state)
		for _, i := range rows {
			r.Row(int(i), observation, acted)
			if err := policy.Act(action, observation, state, 0, scratch); err != nil {
				return 0, err
			}
			for k, v := range acted {
				d := float64(action[k]) - float64(v)
				squares += float64(d * d)
				if d != 0 {
					differ++
				}
			}
		}
	}
	if n := float64(max(1, len(r.acted))); policy.Choices() == 0 {
		return math.Sqrt(squares / n), nil
	} else {
		return float64(differ) / n, nil
	}
}

// compareClone compares a policy with what it learned from, and with what it did not.
func compareClone(p *rl.Policy, rows, heldOut *recording) (*rundir.Cloned, error) {
	c := &rundir.Cloned{Rows: rows.Len(), HeldOut: heldOut.Len()}
	var err, outside error
	c.Error, err = rows.apart(p)
	c.HeldOutError, outside = heldOut.apart(p)
	return c, errors.Join(err, outside)
}
