package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training"
)

// request describes the worlds to open. Exactly one of Task, Config and Text is given.
type request struct {
	Task    string         `json:"task"`    // a task without a configuration file, see env.TaskConfig
	Options map[string]any `json:"options"` // of the task
	Config  string         `json:"config"`  // path of a configuration
	Text    string         `json:"text"`    // a configuration's contents

	Overrides []string `json:"overrides"` // key=value, of Config and Text
	Environ   []string `json:"environ"`   // NAME=value, likewise

	Worlds    int     `json:"worlds"`    // 0: the configuration's
	Workers   int     `json:"workers"`   // 0: the configuration's
	Autoreset string  `json:"autoreset"` // "": the configuration's
	Seed      *uint64 `json:"seed"`      // nil: the configuration's
	MaxSteps  int     `json:"max_steps"` // 0: the configuration's; negative: never
	Dataset   string  `json:"dataset"`   // "": not recorded
	BlockSize int     `json:"block_size"`
}

func readRequest(data []byte) (*request, error) {
	var r request
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	in.DisallowUnknownFields()
	if err := in.Decode(&r); err != nil {
		return nil, usageError{err}
	}
	for key, value := range r.Options {
		plain, err := plainValue(value)
		if err != nil {
			return nil, usagef("task.options.%s: %w", key, err)
		}
		r.Options[key] = plain
	}
	return &r, nil
}

// notFinite is the key of a mapping that encodes a number that JSON lacks, such as
// {"$float": "inf"}.
const notFinite = "$float"

// plainValue converts the numbers in a JSON value to those of a configuration: to an int
// if they have no fraction and no exponent, otherwise to a float64.
func plainValue(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n), nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("a number of %d digits, want one that a float64 holds", len(v))
		}
		return f, nil
	case []any:
		for i := range v {
			if v[i], err = plainValue(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		if text, ok := v[notFinite].(string); ok {
			return strconv.ParseFloat(text, 64)
		}
		for key := range v {
			if v[key], err = plainValue(v[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// config resolves the configuration.
func (r *request) config() (*configs.Config, error) {
	var c *configs.Config
	var err error
	switch {
	case r.Task != "":
		var task configs.Config
		if task, err = env.TaskConfig(r.Task, r.Options); err == nil {
			task.Recording.Enabled = r.Dataset != ""
			c = &task
		}
	case r.Config != "":
		c, err = configs.Load(r.Config, r.Overrides, r.Environ)
	default:
		c, err = configs.Parse("configuration", []byte(r.Text), r.Overrides, r.Environ)
	}
	if err != nil {
		return nil, usageError{err}
	}
	if r.Worlds != 0 {
		c.Worlds = r.Worlds
	}
	if r.Workers != 0 {
		c.Workers = r.Workers
	}
	if r.BlockSize != 0 {
		c.BlockSize = r.BlockSize
	}
	if r.Autoreset != "" {
		c.Autoreset = r.Autoreset
	}
	if r.Seed != nil {
		c.Seed = *r.Seed
	}
	switch {
	case r.MaxSteps > 0:
		c.MaxSteps = r.MaxSteps
	case r.MaxSteps < 0:
		c.MaxSteps = math.MaxInt32
	}
	if err := c.Validate(); err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// description describes open worlds to the caller. Names are those of [sim.Spec].
type description struct {
	Task           string            `json:"task"`
	Autoreset      string            `json:"autoreset"`
	Worlds         int               `json:"worlds"`
	Workers        int               `json:"workers"`
	Blocks         []int             `json:"blocks"` // number of worlds in each
	MaxSteps       int64             `json:"max_steps"`
	ControlRate    string            `json:"control_rate"` // Hz, exact
	Substeps       int               `json:"substeps"`     // physics steps per control step; 0: not a whole number
	Observation    space             `json:"observation"`
	Groups         []group           `json:"groups,omitempty"` // of the observation, if it has more than one
	Action         space             `json:"action"`
	InfoNames      []string          `json:"info_names"`
	ResetInfoNames []string          `json:"reset_info_names"`
	Configuration  string            `json:"configuration"`
	Warnings       []string          `json:"warnings"` // of the task, about its options
	Picture        [2]int            `json:"picture"`  // width and height, in pixels, where none are given
	Buffers        map[string]buffer `json:"buffers,omitempty"`
}

// space describes observations or actions. A missing bound is null, since JSON has no
// infinities.
type space struct {
	Low      []*float64 `json:"low"`
	High     []*float64 `json:"high"`
	Single   bool       `json:"single"`   // values are float32s
	Discrete int        `json:"discrete"` // number of choices; 0: continuous
}

// group is a named part of the observation.
type group struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Size  int    `json:"size"`
}

// bounds returns the bounds of a space of n values. values is nil if it has none.
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

func describe(c *configs.Config, e *env.Env) description {
	spec := e.Sim().Spec()
	substeps, err := e.Plan().SubstepsPerControl()
	if err != nil {
		substeps = 0
	}
	d := description{
		Task:        c.Task.Name,
		Autoreset:   c.Autoreset,
		Worlds:      e.Sim().Worlds(),
		Workers:     e.Sim().Workers(),
		MaxSteps:    spec.MaxSteps,
		ControlRate: e.Plan().ControlRate().String(),
		Substeps:    substeps,
		Observation: space{
			Low:    bounds(spec.ObservationLow, spec.ObservationSize),
			High:   bounds(spec.ObservationHigh, spec.ObservationSize),
			Single: spec.Float32Observations,
		},
		Action: space{
			Low:      bounds(spec.ActionLow, spec.ActionSize),
			High:     bounds(spec.ActionHigh, spec.ActionSize),
			Single:   true,
			Discrete: spec.Discrete,
		},
		InfoNames:      spec.InfoNames,
		ResetInfoNames: spec.ResetInfoNames,
		Configuration:  string(c.YAML()),
		Warnings:       e.Warnings(),
	}
	d.Picture = [2]int{480, 480}
	if m, ok := e.Model().(physics.Drawable); ok && m.Scenery().Len > 0 {
		d.Picture = [2]int{600, 400} // as Gymnasium draws its Box2D tasks
	}
	for _, g := range spec.Groups {
		d.Groups = append(d.Groups, group{g.Name, g.First, g.Size})
	}
	for _, b := range e.Sim().Blocks() {
		d.Blocks = append(d.Blocks, b.Len())
	}
	return d
}

// open opens the worlds of a request and describes them.
func open(r *request) (_ *worlds, _ *description, err error) {
	c, err := r.config()
	if err != nil {
		return nil, nil, err
	}
	w := &worlds{autoreset: c.Autoreset, time: c.Time.Settings, faults: make([]string, c.Worlds)}
	opt := env.OpenOptions{Observers: []sim.Observer{w}}
	if r.Dataset != "" {
		if !c.Recording.Enabled {
			return nil, nil, usagef("dataset is %s, and recording.enabled is false in the configuration, want true", r.Dataset)
		}
		if w.folder, err = training.TakeFolder(r.Dataset, ""); err != nil {
			return nil, nil, usagef("dataset: %w", err)
		}
		opt.Dataset = r.Dataset
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
		if wrong := (env.ConfigError{}); errors.As(err, &wrong) {
			err = usageError{err}
		}
		return nil, nil, err
	}
	w.recording = opt.Dataset != ""
	d := describe(c, w.env)
	w.share(&d)
	if err := w.env.Each(w.publishBlock); err != nil {
		return nil, nil, err
	}
	return w, &d, nil
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

// share pins the worlds' arrays and adds them to the description.
func (w *worlds) share(d *description) {
	s := w.env.Sim()
	n, spec := s.Worlds(), s.Spec()
	w.observation, w.finalObservation = s.Observation(), s.FinalObservation()
	w.action, w.reward = s.Action(), s.Reward()
	w.terminated, w.truncated, w.fault = s.Terminated(), s.Truncated(), s.Fault()
	w.info, w.finalInfo = s.Info(), s.FinalInfo()
	w.episodeReturn, w.episodeLength = s.EpisodeReturn(), s.EpisodeLength()
	d.Buffers = map[string]buffer{
		"observation":       pinned(w, w.observation, "float64", n, spec.ObservationSize),
		"final_observation": pinned(w, w.finalObservation, "float64", n, spec.ObservationSize),
		"action":            pinned(w, w.action, "float32", n, spec.ActionSize),
		"reward":            pinned(w, w.reward, "float64", n),
		"terminated":        pinned(w, w.terminated, "bool", n),
		"truncated":         pinned(w, w.truncated, "bool", n),
		"fault":             pinned(w, w.fault, "bool", n),
		"info":              pinned(w, w.info, "float64", n, len(spec.InfoNames)),
		"final_info":        pinned(w, w.finalInfo, "float64", n, len(spec.InfoNames)),
		"episode_return":    pinned(w, w.episodeReturn, "float64", n),
		"episode_length":    pinned(w, w.episodeLength, "int64", n),
	}
	if spec.Float32Observations {
		w.observation32 = make([]float32, len(w.observation))
		d.Buffers["observation"] = pinned(w, w.observation32, "float32", n, spec.ObservationSize)
	}
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

// task is an entry of the list of tasks.
type task struct {
	Name string `json:"name"`
}

func tasks() []task {
	var list []task
	for _, name := range env.TaskNames() {
		list = append(list, task{name})
	}
	return list
}
