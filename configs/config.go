package configs

import (
	"bytes"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/robot"
)

// Config describes a run completely. A value from [Load] has every default filled in and has been validated.
// Configs are plain data: copy and change them freely, but not from two goroutines at once.
type Config struct {
	Task Task `yaml:"task"` // names the task and sets its options

	// Model is the path of an MJCF file used in place of the task's own; "" for the task's own. In a file it is
	// relative to that file; after Load it is absolute.
	Model string `yaml:"model,omitempty"`

	// Scene describes what is simulated, in a task that the configuration describes; empty for the others.
	// Relative files are relative to the configuration file; after Load they are absolute.
	Scene scene.Settings `yaml:"scene,omitempty"`

	// The sections start, episode, actions, observations, rewards, terminations, commands,
	// events, curriculum and infos describe the task on the scene.
	robot.Settings `yaml:",inline"`

	Seed   uint64 `yaml:"seed"`   // determines every random draw of the run
	Worlds int    `yaml:"worlds"` // the number of copies of the scene, at least 1 and at most [MaxWorlds]

	Workers   int `yaml:"workers"`    // threads that step worlds, at most [MaxWorkers]; 0: one per CPU
	BlockSize int `yaml:"block_size"` // worlds stepped by one call, at most 16; 0: by Worlds. Rows are ordered by it
	MaxSteps  int `yaml:"max_steps"`  // control steps after which an episode is truncated; 0: the task's own

	Autoreset sim.Autoreset `yaml:"autoreset"` // when the next episode begins

	Runners  []Runner  `yaml:"runners"`            // the rates of the clock
	Bindings []Binding `yaml:"bindings,omitempty"` // override the default bindings of the same names
	Changes  []Change  `yaml:"changes,omitempty"`  // edit runners and bindings during the run
	Time     Time      `yaml:"time"`               // relates simulated time to the wall clock; learning does not use it

	Sensors    []Channel  `yaml:"sensors,omitempty"` // the measured channels; none if empty
	Recording  Recording  `yaml:"recording"`
	Training   Training   `yaml:"training"`
	Evaluation Evaluation `yaml:"evaluation"`
}

// Upper bounds of numbers in a configuration. They reject sizes that fit on no machine
// before memory is allocated, since Go ends the process when an allocation fails.
const (
	MaxWorlds    = 1 << 20
	MaxWorkers   = 1024
	MaxSubsteps  = 1 << 16           // physics substeps per control step; each world stores a sample of each
	MaxBatchRows = 1 << 16           // rows; each table allocates a batch at the start
	MaxMemoryMB  = 1 << 20           // MiB
	MaxEpisodes  = 1_000_000_000_000 // of an evaluation
	MaxCount     = math.MaxInt64     // of steps and other counts
	MaxFile      = 1 << 20           // bytes of a configuration file
)

// Described reports whether the configuration describes its task, by a scene and the
// sections about it, rather than naming one that the program has.
func (c *Config) Described() bool { return len(c.Scene.Models) > 0 }

// Task names a task and holds its options.
type Task struct {
	Name string `yaml:"name"` // the task's name, such as "quadruped" or "HalfCheetah-v5"

	// Label is what the robot is to do, in words such as "walk forward", for exports of datasets; "" for the name.
	Label string `yaml:"label,omitempty"`

	// Options are decoded by the task, with [DecodeOptions]. Values are bool, int, uint64, float64, string,
	// []any and map[string]any; a number without a fraction is an int. Numbers are finite, except in a list,
	// where infinite ones may be limits.
	Options map[string]any `yaml:"options,omitempty"`
}

// Runner is a [runners.Runner] whose rate keeps its text.
type Runner struct {
	Name     string `yaml:"name"`
	Rate     Rate   `yaml:"rate"`
	Disabled Off    `yaml:"enabled"`
}

// Binding overrides fields of a [runners.Binding]. A field that is not given keeps its default.
type Binding struct {
	Name string `yaml:"name"`

	Runner string `yaml:"runner,omitempty"` // the name of a runner, Phase that of a phase; "" when not given
	Phase  string `yaml:"phase,omitempty"`

	Priority *int `yaml:"priority,omitempty"` // nil when not given, as the others
	Disabled *Off `yaml:"enabled,omitempty"`
	Substeps *int `yaml:"substeps,omitempty"` // physics substeps in a step, 1 to [MaxSubsteps]; only of "physics"
}

// Change is a [runners.Change] whose edits keep the form in which they were given.
type Change struct {
	N     int   `yaml:"n"` // control steps after which a world applies the edits: rates and runners at the next beat
	Edits Edits `yaml:"edits"`
}

// Time sets how the worlds follow the wall clock.
type Time struct {
	runners.Settings `yaml:",inline"`

	FreeUpdates bool `yaml:"free_updates,omitempty"` // makes train play print each frame; false if not given
}

// Channel is one measured vector.
type Channel struct {
	sensors.Channel `yaml:",inline"`

	Disabled Off `yaml:"enabled"` // whether the channel is not measured
}

// Recording selects what a run writes to its dataset.
type Recording struct {
	Enabled bool `yaml:"enabled"` // whether the run writes a dataset

	// Tables are the recorded tables: [format.CaptureTable], which is required, a row each time the binding "recorder"
	// fires, [format.ControlTable] of "recorder_control" and [format.SensorsTable] of "recorder_sensors".
	Tables []string `yaml:"tables,flow"`

	Channels []string `yaml:"channels,flow,omitempty"` // the names of the recorded sensors; all if empty

	// Infos says that the control table has the infos of the task, such as the terms of the reward.
	Infos bool `yaml:"infos,omitempty"`

	Pose *bool `yaml:"pose,omitempty"` // the capture table has what train render draws; nil means true
	Clip *bool `yaml:"clip,omitempty"` // train run draws an episode, also where Enabled is false; nil means true

	// EveryWorld n records the worlds 0, n, 2n and so on; 0 records all, but only the first while a policy learns in them.
	EveryWorld int `yaml:"every_world"`

	Episodes Episodes `yaml:"episodes,omitempty"` // selects the recorded episodes by their return

	BatchRows     int `yaml:"batch_rows"`     // of what is written, checked and recovered at once; 1 to [MaxBatchRows]
	FlushSegments int `yaml:"flush_segments"` // segments after which a partly filled batch is written; 0: never
	MemoryMB      int `yaml:"memory_mb"`      // bound of rows that are yet to be written, MiB; 1 to [MaxMemoryMB]

	Compression recorder.Compression `yaml:"compression"` // of the rows
	Sync        recorder.SyncPolicy  `yaml:"sync"`        // to disk
}

// Clips reports whether Clip is true or not given.
func (r *Recording) Clips() bool { return r.Clip == nil || *r.Clip }

// Poses reports whether Pose is true or not given.
func (r *Recording) Poses() bool { return r.Pose == nil || *r.Pose }

// Full returns the recording with all that can be told of a step: each control step of each world and episode, with the
// infos of the task and what train render draws.
func (r Recording) Full() Recording {
	if !slices.Contains(r.Tables, format.ControlTable) {
		r.Tables = append(slices.Clone(r.Tables), format.ControlTable)
	}
	r.Infos, r.Pose, r.EveryWorld, r.Episodes = true, nil, 1, Episodes{}
	return r
}

// Episodes selects episodes whose return lies between two bounds, both included. A nil bound is no bound.
type Episodes struct {
	MinReturn *float64 `yaml:"min_return,omitempty"`
	MaxReturn *float64 `yaml:"max_return,omitempty"`
}

// Training holds the settings of PPO and SAC, and how often a checkpoint is written.
type Training struct {
	rl.Settings `yaml:",inline"`

	// Dataset is the folder of a dataset, or of a run that has one, with whose rows SAC's replay begins; "" for none. In
	// a file it is relative to that file; after Load it is absolute.
	Dataset string `yaml:"dataset,omitempty"`

	// StaggerEpisodes draws the time limit of each world's first episode from 1 to the
	// whole limit, so that the worlds do not all end their episodes at once.
	StaggerEpisodes bool `yaml:"stagger_episodes,omitempty"`

	Stop Stop `yaml:"stop,omitempty"` // ends the training before its steps are done

	CheckpointEvery int   `yaml:"checkpoint_every"`      // environment steps between two checkpoints; 0: only the last
	TensorBoard     *bool `yaml:"tensorboard,omitempty"` // the metrics are also written for TensorBoard; nil means true
}

// Stop ends a training early, as if its steps were done, when a metric has reached a value so many times in a row. The
// zero value never does.
type Stop struct {
	// Metric is a column of the metrics, a number of each iteration, or one of the evaluations on the way with
	// "evaluation/" before its name; "": none. A cell that is empty does not count.
	Metric string `yaml:"metric"`

	Value       *float64 `yaml:"value"`                 // at which it ends; wanted with a Metric
	Minimise    bool     `yaml:"minimise,omitempty"`    // the value is reached from above, else from below
	Consecutive int      `yaml:"consecutive,omitempty"` // times in a row; 0 counts as 1
}

// Reached reports whether a value of the metric counts.
func (s *Stop) Reached(v float64) bool {
	if s.Minimise {
		return v <= *s.Value
	}
	return v >= *s.Value
}

// Evaluation sets how a policy is evaluated.
type Evaluation struct {
	Episodes int `yaml:"episodes"` // the number of complete episodes to run
	Every    int `yaml:"every"`    // environment steps between two evaluations in a training; 0: only one at the end
}

// Default returns the configuration of an empty file. It has no task, so it is not valid as it is.
func Default() Config {
	return Config{
		Worlds:    64,
		Autoreset: sim.SameStep,
		Runners: []Runner{
			{Name: "Robot", Rate: RateOf(runners.Hz(50))},
			{Name: "Capture", Rate: RateOf(runners.Hz(30))},
			{Name: "Sensors", Rate: RateOf(runners.Hz(500))},
		},
		Time: Time{Settings: runners.Settings{
			Mode:       runners.SimHighPerformance,
			MaxElapsed: runners.DefaultMaxElapsed,
			MaxBacklog: runners.DefaultMaxBacklog,
			MaxSteps:   runners.DefaultMaxSteps,
		}},
		Recording: Recording{
			Enabled:       true,
			Tables:        []string{format.CaptureTable},
			EveryWorld:    1,
			BatchRows:     4096,
			FlushSegments: 16,
			MemoryMB:      256,
			Compression:   recorder.Plain,
			Sync:          recorder.SyncAtClose,
		},
		Training:   Training{Settings: rl.DefaultSettings()},
		Evaluation: Evaluation{Episodes: 20},
	}
}

// YAML returns the configuration in its canonical form: every key in the order of the struct, so equal
// configurations give equal bytes. Loading it gives an equal configuration.
func (c *Config) YAML() []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(c); err != nil {
		panic(err) // plain data can always be encoded
	}
	return b.Bytes()
}

// DecodeOptions decodes the options of a task into the struct that out points to,
// whose fields have yaml tags and hold the defaults. It is as strict as [Load]. path is
// the key of the options, such as "task.options", with which the keys in errors begin.
func DecodeOptions(path string, in map[string]any, out any) error {
	tree, err := decode.Clean(path, in)
	if err != nil {
		return err
	}
	return decode.Into(path, tree, out)
}
