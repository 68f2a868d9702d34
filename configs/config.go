package configs

import (
	"bytes"
	"math"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/tasks/robot"
)

// Config describes a run completely. A value from [Load] has every default filled
// in and has been validated. Configs are plain data: copy and change them
// freely, but not from two goroutines at once.
type Config struct {
	// Task names the task and sets its options.
	Task Task `yaml:"task"`

	// Model is the path of an MJCF file used in place of the task's own; "" for
	// the task's own. In a file it is relative to that file; after Load it is
	// absolute.
	Model string `yaml:"model,omitempty"`

	// Scene describes what is simulated, in a task that the configuration describes; empty
	// for the others. Relative files are relative to the configuration file; after Load
	// they are absolute.
	Scene scene.Settings `yaml:"scene,omitempty"`

	// The sections start, episode, actions, observations, rewards, terminations, commands,
	// events and curriculum describe the task on the scene.
	robot.Settings `yaml:",inline"`

	// Seed determines every random draw of the run.
	Seed uint64 `yaml:"seed"`

	// Worlds is the number of copies of the scene, at least 1 and at most [MaxWorlds].
	Worlds int `yaml:"worlds"`

	// Workers is the number of threads that step worlds, at most [MaxWorkers]; 0 for
	// one per CPU. Results do not depend on it.
	Workers int `yaml:"workers"`

	// BlockSize is the number of worlds stepped by one call, at most 16; 0 to
	// choose it from Worlds. It affects only the order of the rows of a dataset.
	BlockSize int `yaml:"block_size"`

	// MaxSteps is the number of control steps after which an episode is
	// truncated; 0 for the task's own.
	MaxSteps int `yaml:"max_steps"`

	// Autoreset sets when a world whose episode ended begins the next one:
	// [SameStep], [NextStep] or [Disabled].
	Autoreset string `yaml:"autoreset"`

	// Runners are the rates of the clock.
	Runners []Runner `yaml:"runners"`

	// Bindings override the default bindings of the same names.
	Bindings []Binding `yaml:"bindings,omitempty"`

	// Changes edit runners and bindings during the run.
	Changes []Change `yaml:"changes,omitempty"`

	// Time relates simulated time to the wall clock. Learning does not use it.
	Time Time `yaml:"time"`

	// Sensors are the measured channels; none if empty.
	Sensors []Channel `yaml:"sensors,omitempty"`

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
)

// The values of [Config.Autoreset], with the names that Gymnasium uses.
const (
	SameStep = "same_step" // in the step that ended the episode; the final observation is stored separately
	NextStep = "next_step" // in the following step
	Disabled = "disabled"  // only by an explicit reset
)

// Described reports whether the configuration describes its task, by a scene and the
// sections about it, rather than naming one that the program has.
func (c *Config) Described() bool { return len(c.Scene.Models) > 0 }

// Task names a task and holds its options.
type Task struct {
	// Name is the task's name, such as "quadruped" or "HalfCheetah-v5".
	Name string `yaml:"name"`

	// Options are decoded by the task, with [DecodeOptions]. Values are bool, int,
	// uint64, float64, string, []any and map[string]any; a number without a fraction
	// is an int. Numbers are finite, except in a list, where infinite ones may be
	// limits.
	Options map[string]any `yaml:"options,omitempty"`
}

// Runner is one fixed rate of the clock.
type Runner struct {
	Name string `yaml:"name"`
	Rate Rate   `yaml:"rate"`

	// Enabled is whether the runner fires; true if not given.
	Enabled bool `yaml:"enabled"`
}

// Binding overrides when a callback is called. A field that is not given keeps its
// default.
type Binding struct {
	Name string `yaml:"name"`

	// Runner is the name of a runner, Phase that of a phase; "" when not given.
	Runner string `yaml:"runner,omitempty"`
	Phase  string `yaml:"phase,omitempty"`

	// Priority and Enabled are nil when not given.
	Priority *int  `yaml:"priority,omitempty"`
	Enabled  *bool `yaml:"enabled,omitempty"`

	// Substeps is the number of physics substeps in one step of the runner, 1 to
	// [MaxSubsteps]; nil when not given. Only the binding "physics" has it.
	Substeps *int `yaml:"substeps,omitempty"`
}

// Change is a group of edits that take effect together.
type Change struct {
	// N is the number of control steps after which each world applies the edits: rates
	// and runners at the next beat, the rest immediately.
	N int `yaml:"n"`

	// Edits are mappings of one key, the name of the edit, to its fields, such as
	// set_rate: {name: Capture, rate: 25}. Package runners defines them.
	Edits []map[string]any `yaml:"edits"`
}

// Time sets how the worlds follow the wall clock.
type Time struct {
	runners.Settings `yaml:",inline"`

	// FreeUpdates makes train play print each frame; false if not given.
	FreeUpdates bool `yaml:"free_updates,omitempty"`
}

// Channel is one measured vector.
type Channel struct {
	sensors.Channel `yaml:",inline"`

	// Enabled is whether the channel is measured; true if not given.
	Enabled bool `yaml:"enabled"`
}

// Recording selects what a run writes to its dataset.
type Recording struct {
	// Enabled is whether the run writes a dataset.
	Enabled bool `yaml:"enabled"`

	// Tables are the recorded tables: [CaptureTable], which is required,
	// [ControlTable] and [SensorsTable].
	Tables []string `yaml:"tables,flow"`

	// Channels are the names of the recorded sensors; all if empty.
	Channels []string `yaml:"channels,flow,omitempty"`

	// Pose is whether the capture table has what train render draws; nil when not given,
	// which means true.
	Pose *bool `yaml:"pose,omitempty"`

	// Clip is whether train run draws an episode of the trained policy, also where
	// Enabled is false; nil when not given, which means true.
	Clip *bool `yaml:"clip,omitempty"`

	// EveryWorld n records the worlds 0, n, 2n and so on; at least 1.
	EveryWorld int `yaml:"every_world"`

	// Episodes selects the recorded episodes by their return.
	Episodes Episodes `yaml:"episodes,omitempty"`

	// BatchRows is the number of rows in a batch of the dataset, the unit that is
	// written, checked and recovered; 1 to [MaxBatchRows].
	BatchRows int `yaml:"batch_rows"`

	// FlushSegments is the number of segments of the run after which a partly filled
	// batch is written; 0 for never.
	FlushSegments int `yaml:"flush_segments"`

	// MemoryMB bounds the memory of the rows that are yet to be written, in MiB; 1 to
	// [MaxMemoryMB].
	MemoryMB int `yaml:"memory_mb"`

	// Compression of the rows: [CompressionNone], [CompressionLZ4] or
	// [CompressionZstd].
	Compression string `yaml:"compression"`

	// Sync sets when written data is forced to disk: [SyncNone], [SyncClose] or
	// [SyncBatch].
	Sync string `yaml:"sync"`
}

// Clips reports whether Clip is true or not given.
func (r *Recording) Clips() bool { return r.Clip == nil || *r.Clip }

// Poses reports whether Pose is true or not given.
func (r *Recording) Poses() bool { return r.Pose == nil || *r.Pose }

// Episodes selects episodes whose return lies between two bounds, both included. A nil
// bound is no bound.
type Episodes struct {
	MinReturn *float64 `yaml:"min_return,omitempty"`
	MaxReturn *float64 `yaml:"max_return,omitempty"`
}

// The values of [Recording.Tables].
const (
	CaptureTable = "capture" // all columns, a row each time the binding "recorder" fires
	ControlTable = "control" // observations and actions, a row each time "recorder_control" fires
	SensorsTable = "sensors" // the channels, a row each time "recorder_sensors" fires
)

// The values of [Recording.Compression].
const (
	CompressionNone = "none"
	CompressionLZ4  = "lz4"
	CompressionZstd = "zstd"
)

// The values of [Recording.Sync].
const (
	SyncNone  = "none"  // left to the operating system
	SyncClose = "close" // when the dataset is closed
	SyncBatch = "batch" // after each batch
)

// Training holds the settings of PPO, and how often a checkpoint is written.
type Training struct {
	rl.Settings `yaml:",inline"`

	// StaggerEpisodes draws the time limit of each world's first episode from 1 to the
	// whole limit, so that the worlds do not all end their episodes at once.
	StaggerEpisodes bool `yaml:"stagger_episodes,omitempty"`

	// CheckpointEvery is the number of environment steps between two
	// checkpoints; 0 for only the last.
	CheckpointEvery int `yaml:"checkpoint_every"`

	// TensorBoard says whether the metrics are also written as events for
	// TensorBoard; nil for true.
	TensorBoard *bool `yaml:"tensorboard,omitempty"`
}

// Evaluation sets how a policy is evaluated.
type Evaluation struct {
	// Episodes is the number of complete episodes to run.
	Episodes int `yaml:"episodes"`

	// Every is the number of environment steps between two evaluations during
	// training; 0 for only one at the end.
	Every int `yaml:"every"`
}

// Default returns the configuration of an empty file. It has no task, so it is not
// valid as it is.
func Default() Config {
	return Config{
		Worlds:    64,
		Autoreset: SameStep,
		Runners: []Runner{
			{Name: "Robot", Rate: RateOf(runners.Hz(50)), Enabled: true},
			{Name: "Capture", Rate: RateOf(runners.Hz(30)), Enabled: true},
			{Name: "Sensors", Rate: RateOf(runners.Hz(500)), Enabled: true},
		},
		Time: Time{Settings: runners.Settings{
			Mode:       runners.SimHighPerformance,
			MaxElapsed: runners.DefaultMaxElapsed,
			MaxBacklog: runners.DefaultMaxBacklog,
			MaxSteps:   runners.DefaultMaxSteps,
		}},
		Recording: Recording{
			Enabled:       true,
			Tables:        []string{CaptureTable},
			EveryWorld:    1,
			BatchRows:     4096,
			FlushSegments: 16,
			MemoryMB:      256,
			Compression:   CompressionNone,
			Sync:          SyncClose,
		},
		Training:   Training{Settings: rl.DefaultSettings()},
		Evaluation: Evaluation{Episodes: 20},
	}
}

// YAML returns the configuration in its canonical form: every key in the order
// of the struct, so equal configurations give equal bytes. Loading it gives an
// equal configuration.
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
