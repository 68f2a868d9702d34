package configs

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

// Config is one run, completely. A value from [Load] has every default filled
// in and has been validated. Configs are plain data: copy and change them
// freely, but not from two goroutines at once.
type Config struct {
	// Task is what the robot is asked to do.
	Task Task `yaml:"task"`

	// Model is the path of an MJCF file used in place of the task's own; "" for
	// the task's own. In a file it is relative to that file; after Load it is
	// absolute.
	Model string `yaml:"model,omitempty"`

	// Seed decides every random draw of the run.
	Seed uint64 `yaml:"seed"`

	// Worlds is the number of copies of the scene, at least 1 and at most [MaxWorlds].
	Worlds int `yaml:"worlds"`

	// Workers is the number of threads that step worlds, at most [MaxWorkers]; 0 for
	// one per CPU. It never changes a result.
	Workers int `yaml:"workers"`

	// BlockSize is the number of worlds stepped by one call, at most 16; 0 to
	// choose it from Worlds. It changes the order of a dataset's rows and nothing
	// else.
	BlockSize int `yaml:"block_size"`

	// MaxSteps is the number of control steps after which an episode is
	// truncated; 0 for the task's own.
	MaxSteps int `yaml:"max_steps"`

	// Autoreset says when a world that ended begins again: [SameStep],
	// [NextStep] or [Disabled].
	Autoreset string `yaml:"autoreset"`

	// Runners are the clock: the fixed rates of the run.
	Runners []Runner `yaml:"runners"`

	// Bindings override those of the task and the harness, by name.
	Bindings []Binding `yaml:"bindings,omitempty"`

	// Changes are made to runners and bindings while the run goes on.
	Changes []Change `yaml:"changes,omitempty"`

	// Time relates simulated time to the wall clock. None of it matters to learning.
	Time Time `yaml:"time"`

	// Sensors are the measured channels; none if empty.
	Sensors []Channel `yaml:"sensors,omitempty"`

	Recording  Recording  `yaml:"recording"`
	Training   Training   `yaml:"training"`
	Evaluation Evaluation `yaml:"evaluation"`
}

// Bounds of the numbers. What no machine has room for is refused before memory is asked
// for it: Go ends the process where there is none.
const (
	MaxWorlds    = 1 << 20
	MaxWorkers   = 1024
	MaxSubsteps  = 1 << 16 // physics substeps of a control step: each world keeps the samples of them all
	MaxBatchRows = 1 << 16 // a table has a batch in memory from the start
	MaxMemoryMB  = 1 << 20
	MaxEpisodes  = 1_000_000_000_000 // of an evaluation
	MaxCount     = math.MaxInt64     // of steps and the like
)

// The values of [Config.Autoreset], as Gymnasium names them.
const (
	SameStep = "same_step" // in the step that ended it; the final observation is kept apart
	NextStep = "next_step" // in the step after
	Disabled = "disabled"  // only when asked
)

// Task names a task and holds its own options.
type Task struct {
	// Name is the task's name, such as "quadruped" or "HalfCheetah-v5".
	Name string `yaml:"name"`

	// Options are left to the task, which decodes them with [DecodeOptions].
	// Values are bool, int, uint64, float64, string, []any and map[string]any;
	// a number without a fraction is an int. Numbers are finite, but in a list,
	// where they may be limits.
	Options map[string]any `yaml:"options,omitempty"`
}

// Runner is one fixed rate of the clock.
type Runner struct {
	Name string `yaml:"name"`
	Rate Rate   `yaml:"rate"`

	// Enabled runners fire; true if not given.
	Enabled bool `yaml:"enabled"`
}

// Binding changes when a callback is called. What is not given stays as the
// task and the harness have it.
type Binding struct {
	Name string `yaml:"name"`

	// Runner and Phase are "" when not given.
	Runner string `yaml:"runner,omitempty"`
	Phase  string `yaml:"phase,omitempty"`

	// Priority and Enabled are nil when not given.
	Priority *int  `yaml:"priority,omitempty"`
	Enabled  *bool `yaml:"enabled,omitempty"`

	// Substeps is the number of physics steps in one step of the runner, at least
	// 1, for the binding "physics" alone; nil when not given.
	Substeps *int `yaml:"substeps,omitempty"`
}

// Change is a group of edits made together.
type Change struct {
	// N is the control step from which on each world makes the change, as soon
	// as its time allows: rates and runners at a beat, the rest at once.
	N int `yaml:"n"`

	// Edits are mappings of one key, the edit, to what it needs, such as
	// set_rate: {name: Capture, rate: 25}. They are those of package runners.
	Edits []map[string]any `yaml:"edits"`
}

// Time says how the worlds follow the wall clock.
type Time struct {
	runners.Settings `yaml:",inline"`

	// FreeUpdates has train play print each frame; off if not given.
	FreeUpdates bool `yaml:"free_updates,omitempty"`
}

// Channel is one measured vector.
type Channel struct {
	sensors.Channel `yaml:",inline"`

	// Enabled channels are measured; true if not given.
	Enabled bool `yaml:"enabled"`
}

// Recording says what of a run is kept.
type Recording struct {
	// Enabled runs write a dataset.
	Enabled bool `yaml:"enabled"`

	// Tables are those that have rows: [CaptureTable], which must be among them,
	// [ControlTable] and [SensorsTable].
	Tables []string `yaml:"tables,flow"`

	// Channels are the sensors that are recorded, by name; all if empty.
	Channels []string `yaml:"channels,flow,omitempty"`

	// EveryWorld n records the worlds 0, n, 2n and so on; at least 1.
	EveryWorld int `yaml:"every_world"`

	// Episodes selects episodes by what they came to.
	Episodes Episodes `yaml:"episodes,omitempty"`

	// BatchRows is the number of rows in a batch of the dataset: the unit that
	// is written, checked and recovered.
	BatchRows int `yaml:"batch_rows"`

	// FlushSegments is the number of segments of the run after which a batch
	// that is not full is written all the same; 0: never.
	FlushSegments int `yaml:"flush_segments"`

	// MemoryMB bounds the rows that wait to be written, in MiB; at least 1.
	MemoryMB int `yaml:"memory_mb"`

	// Compression of the rows: [CompressionNone], [CompressionLZ4] or
	// [CompressionZstd].
	Compression string `yaml:"compression"`

	// Sync says when written data is forced to disk: [SyncNone], [SyncClose] or
	// [SyncBatch].
	Sync string `yaml:"sync"`
}

// Episodes are those whose return lies between two bounds, both included; nil
// where there is no bound.
type Episodes struct {
	MinReturn *float64 `yaml:"min_return,omitempty"`
	MaxReturn *float64 `yaml:"max_return,omitempty"`
}

// The values of [Recording.Tables].
const (
	CaptureTable = "capture" // everything, when the binding "recorder" fires
	ControlTable = "control" // observations and actions, when "recorder_control" fires
	SensorsTable = "sensors" // the channels, when "recorder_sensors" fires
)

// The values of [Recording.Compression].
const (
	CompressionNone = "none"
	CompressionLZ4  = "lz4"
	CompressionZstd = "zstd"
)

// The values of [Recording.Sync].
const (
	SyncNone  = "none"  // when the operating system sees fit
	SyncClose = "close" // when the dataset is closed
	SyncBatch = "batch" // after each batch
)

// Training says how to learn: PPO's own settings, and when to keep what was learned.
type Training struct {
	rl.Settings `yaml:",inline"`

	// CheckpointEvery is the number of environment steps between two
	// checkpoints; 0 for only the last.
	CheckpointEvery int `yaml:"checkpoint_every"`
}

// Evaluation says how a policy is judged.
type Evaluation struct {
	// Episodes is the number of complete episodes to run.
	Episodes int `yaml:"episodes"`

	// Every is the number of environment steps between two evaluations during
	// training; 0 for only one at the end.
	Every int `yaml:"every"`
}

// Default returns the configuration that an empty file stands for. It lacks a
// task.
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
