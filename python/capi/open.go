package main

import (
	"cmp"
	"errors"
	"math"
	"unsafe"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// request describes the worlds to open. Exactly one of Task, Config and Text is given.
type request struct {
	Task    string `json:"task"`    // a task without a configuration file, see env.TaskConfig
	Options string `json:"options"` // of the task, as YAML
	Config  string `json:"config"`  // path of a configuration
	Text    string `json:"text"`    // a configuration's contents

	Overrides []string `json:"overrides"` // key=value, of Config and Text
	Environ   []string `json:"environ"`   // NAME=value, likewise

	Worlds    int           `json:"worlds"`    // 0: the configuration's
	Workers   int           `json:"workers"`   // 0: the configuration's
	Autoreset sim.Autoreset `json:"autoreset"` // "": the configuration's
	Seed      *uint64       `json:"seed"`      // nil: the configuration's
	MaxSteps  int           `json:"max_steps"` // 0: the configuration's; negative: never
	Dataset   string        `json:"dataset"`   // "": not recorded
	BlockSize int           `json:"block_size"`
}

// config resolves the configuration.
func (r *request) config() (*configs.Config, error) {
	var c *configs.Config
	var err error
	switch {
	case r.Task != "":
		var options map[string]any
		if err := yaml.Unmarshal([]byte(r.Options), &options); err != nil {
			return nil, usageError{err}
		}
		var task configs.Config
		task, err = env.TaskConfig(r.Task, options)
		task.Recording.Enabled = r.Dataset != ""
		c = &task
	case r.Config != "":
		c, err = configs.Load(r.Config, r.Overrides, r.Environ)
	default:
		c, err = configs.Parse("configuration", []byte(r.Text), r.Overrides, r.Environ)
	}
	if err != nil {
		return nil, usageError{err}
	}
	c.Worlds, c.Workers = cmp.Or(r.Worlds, c.Worlds), cmp.Or(r.Workers, c.Workers)
	c.BlockSize, c.Autoreset = cmp.Or(r.BlockSize, c.BlockSize), cmp.Or(r.Autoreset, c.Autoreset)
	if r.Seed != nil {
		c.Seed = *r.Seed
	}
	if c.MaxSteps = cmp.Or(r.MaxSteps, c.MaxSteps); r.MaxSteps < 0 {
		c.MaxSteps = math.MaxInt32
	}
	if err := c.Validate(); err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// bounds returns the bounds of a space of n values, null for a missing one, since JSON has no infinities. values
// is nil if it has none.
func bounds(values []float64, n int) []*float64 {
	list := make([]*float64, n)
	for i, v := range values {
		if !math.IsInf(v, 0) {
			list[i] = &v
		}
	}
	return list
}

// buffer describes an array that the worlds share with the caller.
type buffer struct {
	Address uint64 `json:"address"` // 0 if it is empty
	Type    string `json:"type"`    // the name of its NumPy type
	Shape   []int  `json:"shape"`
}

// describe describes open worlds to the caller. Names are those of [sim.Spec].
func describe(c *configs.Config, e *env.Env) map[string]any {
	spec := e.Sim().Spec()
	substeps, err := e.Plan().SubstepsPerControl()
	if err != nil {
		substeps = 0 // not a whole number
	}
	picture := [2]int{480, 480} // width and height, in pixels, where none are given
	if m, ok := e.Model().(physics.Drawable); ok && m.Scenery().Len > 0 {
		picture = [2]int{600, 400} // as Gymnasium draws its Box2D tasks
	}
	var blocks []int // number of worlds in each
	for _, b := range e.Sim().Blocks() {
		blocks = append(blocks, b.Len())
	}
	space := func(low, high []float64, size int, single bool, choices int) map[string]any {
		return map[string]any{"low": bounds(low, size), "high": bounds(high, size), "single": single, "discrete": choices}
	}
	return map[string]any{
		"task":         c.Task.Name,
		"groups":       spec.Groups,   // of the observation, if it has more than one
		"pictures":     spec.Pictures, // among its values
		"autoreset":    c.Autoreset,
		"worlds":       e.Sim().Worlds(),
		"workers":      e.Sim().Workers(),
		"blocks":       blocks,
		"max_steps":    spec.MaxSteps,
		"control_rate": e.Plan().Schedule().ControlRate().String(), // Hz, exact
		"substeps":     substeps,
		"observation": space(spec.ObservationLow, spec.ObservationHigh, spec.ObservationSize,
			spec.Float32Observations, 0),
		"action":           space(spec.ActionLow, spec.ActionHigh, spec.ActionSize, true, spec.Discrete),
		"info_names":       spec.InfoNames,
		"reset_info_names": spec.ResetInfoNames,
		"configuration":    string(c.YAML()),
		"warnings":         e.Warnings(), // of the task, about its options
		"picture":          picture,
	}
}

// openWorlds opens the worlds of a request and returns their description.
func openWorlds(c *call) error {
	var r request
	if err := c.read(&r); err != nil {
		return err
	}
	w, d, err := open(&r)
	if err == nil {
		c.opened, c.answer = w, d
	}
	return err
}

// describeWorlds returns the description of the worlds of a request and leaves nothing open.
func describeWorlds(c *call) error {
	var r request
	if err := c.read(&r); err != nil {
		return err
	}
	r.Worlds, r.Dataset = 1, ""
	w, d, err := open(&r)
	if err != nil {
		return err
	}
	delete(d, "buffers")
	c.answer = d
	return w.release()
}

// open opens the worlds of a request and describes them.
func open(r *request) (_ *worlds, _ map[string]any, err error) {
	c, err := r.config()
	if err != nil {
		return nil, nil, err
	}
	w := &worlds{time: c.Time.Settings}
	opt := env.OpenOptions{Updated: w.narrow}
	if r.Dataset != "" {
		if !c.Recording.Enabled {
			return nil, nil, usagef("dataset is %s, and recording.enabled is false in the configuration, want true", r.Dataset)
		}
		if w.folder, err = rundir.CreateFolder(r.Dataset); err != nil {
			return nil, nil, usagef("dataset: %w%s", err, advice(r.Dataset))
		}
		w.dataset, opt.Dataset = r.Dataset, r.Dataset
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.discard())
		}
	}()
	if c.BlockSize == 0 && opt.Dataset == "" { // in a dataset it would change the order of rows
		c.BlockSize = env.StepBlockSize(c.Worlds)
	}
	if w.env, err = env.Open(c, opt); err != nil {
		return nil, nil, err
	}
	w.recording = opt.Dataset != ""
	d := describe(c, w.env)
	d["buffers"] = w.share()
	// A segment of its own, also in a dataset, has the beginnings of the first episodes.
	if err := w.env.Each(func(_ *sim.Worker, b *sim.Block) error { w.narrow(b); return nil }); err != nil {
		return nil, nil, err
	}
	return w, d, nil
}

// advice says what to do about a folder that cannot be recorded to.
func advice(folder string) string {
	open := false
	handles.Range(func(_, v any) bool {
		w, ok := v.(*worlds)
		open = ok && w.dataset == folder && w.records()
		return !open
	})
	if open {
		return ": an environment that is open records to it, close() that one first"
	}
	return ": give another name, or remove the folder first"
}

// discard closes worlds that could not be opened and removes their dataset.
func (w *worlds) discard() error {
	folder := w.folder
	w.folder = nil
	err := w.close()
	w.pins.Unpin()
	if folder != nil {
		err = errors.Join(err, folder.Discard())
	}
	return err
}

// share pins the worlds' arrays and describes them.
func (w *worlds) share() map[string]buffer {
	s := w.env.Sim()
	n, spec := s.Worlds(), s.Spec()
	w.observation, w.action, w.reward = s.Observations(), s.Actions(), s.Rewards()
	w.terminated, w.truncated, w.fault = s.Terminations(), s.Truncations(), s.Faults()
	shared := map[string]buffer{
		"observation":       pinned(w, w.observation, "float64", n, spec.ObservationSize),
		"final_observation": pinned(w, s.FinalObservations(), "float64", n, spec.ObservationSize),
		"action":            pinned(w, w.action, "float32", n, spec.ActionSize),
		"reward":            pinned(w, w.reward, "float64", n),
		"terminated":        pinned(w, w.terminated, "bool", n),
		"truncated":         pinned(w, w.truncated, "bool", n),
		"fault":             pinned(w, w.fault, "bool", n),
		"info":              pinned(w, s.Infos(), "float64", n, len(spec.InfoNames)),
		"final_info":        pinned(w, s.FinalInfos(), "float64", n, len(spec.InfoNames)),
		"episode_return":    pinned(w, s.EpisodeReturns(), "float64", n),
		"episode_length":    pinned(w, s.EpisodeLengths(), "int64", n),
	}
	if spec.Float32Observations {
		w.observation32 = make([]float32, len(w.observation))
		shared["observation"] = pinned(w, w.observation32, "float32", n, spec.ObservationSize)
	}
	return shared
}

// pinned pins values, an array of w, and describes it. kind is its NumPy type.
func pinned[T any](w *worlds, values []T, kind string, shape ...int) buffer {
	b := buffer{Type: kind, Shape: shape}
	if len(values) > 0 {
		w.pins.Pin(&values[0])
		b.Address = uint64(uintptr(unsafe.Pointer(&values[0])))
	}
	return b
}
