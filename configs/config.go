package configs

import "time"

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

	// Time relates simulated time to the wall clock.
	Time Time `yaml:"time"`

	// Sensors are the measured channels; none if empty.
	Sensors []Channel `yaml:"sensors,omitempty"`

	Recording  Recording  `yaml:"recording"`
	Training   Training   `yaml:"training"`
	Evaluation Evaluation `yaml:"evaluation"`
}

// What no machine has room for is refused before memory is asked for it: Go ends
// the process where there is none.
const (
	MaxWorlds  = 1 << 20
	MaxWorkers = 1024
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

// Rate is the text of a rate in hertz or of a period, as written: "50",
// "29.97", "200/3", "15ms". It is read by runners.ParseRate. In YAML it may be
// a number or a string.
type Rate string

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

// Time says how simulated time relates to the wall clock. All but Mode matters in
// the two modes that look at it, and none of it to learning.
type Time struct {
	// Mode is sim_realtime, sim_high_performance or game_realtime; see
	// runners.Mode.
	Mode string `yaml:"mode"`

	// MaxElapsed is how much wall time one frame may add, > 0. MaxBacklog is how
	// much may wait to be simulated, > 0. What exceeds them is dropped.
	MaxElapsed time.Duration `yaml:"max_elapsed"`
	MaxBacklog time.Duration `yaml:"max_backlog"`

	// MaxSteps is how many steps of runner 0 one frame may take, at least 1.
	MaxSteps int `yaml:"max_steps"`

	// Budget is how much wall time a frame may spend before it starts no further
	// instant; 0 for no limit.
	Budget time.Duration `yaml:"budget"`
}

// Channel is one measured vector.
type Channel struct {
	Name string `yaml:"name"`

	// Runner says how often it is taken.
	Runner string `yaml:"runner"`

	// Sources are values of the engine, joined in this order: "qpos",
	// "sensor/gyro".
	Sources []string `yaml:"sources"`

	// Unit and Frame describe the values in the dataset, such as "rad/s" and
	// "imu"; "" where there is none.
	Unit  string `yaml:"unit,omitempty"`
	Frame string `yaml:"frame,omitempty"`

	// How the measurement differs from the truth, in the order in which it comes
	// about; what is not given does nothing. See sensors.Channel.
	Bias       Bias       `yaml:"bias,omitempty"`
	Noise      Noise      `yaml:"noise,omitempty"`
	Saturation Saturation `yaml:"saturation,omitempty"`

	// Quantisation is the step that values are multiples of, in the channel's
	// unit, ≥ 0; 0 for none.
	Quantisation float64 `yaml:"quantisation,omitempty"`

	Hold Hold `yaml:"hold,omitempty"`

	// Dropout is the probability that a sample never arrives, ≥ 0 and < 1.
	Dropout float64 `yaml:"dropout,omitempty"`

	// Latency is the time from the instant measured to the instant readable,
	// ≥ 0; in YAML with its unit, such as 4ms. Jitter is the most that is added
	// to it at random, ≥ 0.
	Latency time.Duration `yaml:"latency,omitempty"`
	Jitter  time.Duration `yaml:"jitter,omitempty"`

	// History is how many samples a reader sees at once, newest first; 0 or 1 for
	// the newest alone.
	History int `yaml:"history,omitempty"`

	// Enabled channels are measured; true if not given.
	Enabled bool `yaml:"enabled"`
}

// Bias is an error that is drawn at the reset and walks from there.
type Bias struct {
	// Std is its standard deviation at the reset, in the channel's unit, ≥ 0.
	Std float64 `yaml:"std"`

	// Walk is the standard deviation that a second adds, in the unit per √s, ≥ 0.
	Walk float64 `yaml:"walk"`
}

// Noise is drawn anew for each sample.
type Noise struct {
	// Std is the standard deviation of white Gaussian noise, in the channel's
	// unit, ≥ 0.
	Std float64 `yaml:"std"`
}

// Saturation is the range beyond which values stay at its ends, in the channel's
// unit; both 0 for none.
type Saturation struct {
	Low  float64 `yaml:"low"`
	High float64 `yaml:"high"`
}

// Hold makes a sensor stick, repeating its value.
type Hold struct {
	// Time is how long it sticks, ≥ 0; 0 for never.
	Time time.Duration `yaml:"time"`

	// Probability is that of a sample to begin a hold, > 0 and ≤ 1; 1 if not given.
	Probability float64 `yaml:"probability"`
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

// Training holds the settings of PPO.
type Training struct {
	// Steps is the number of environment steps to train for, all worlds
	// together.
	Steps int `yaml:"steps"`

	// Segment is the number of control steps each world takes between two
	// updates.
	Segment int `yaml:"segment"`

	// Epochs is the number of passes over a segment in one update, and
	// Minibatch the number of environment steps in one gradient step.
	Epochs    int `yaml:"epochs"`
	Minibatch int `yaml:"minibatch"`

	// LearningRate is Adam's step size, and Schedule how it develops: [Constant],
	// [Linear] or [Adaptive].
	LearningRate float64 `yaml:"learning_rate"`
	Schedule     string  `yaml:"schedule"`

	// Gamma is the discount of one control step, Lambda the decay of the
	// generalised advantage estimate; both in [0, 1].
	Gamma  float64 `yaml:"gamma"`
	Lambda float64 `yaml:"lambda"`

	// Clip bounds how far the probability ratio may leave 1; with ClipValue the
	// value may not leave the one at acting time by more either.
	Clip      float64 `yaml:"clip"`
	ClipValue bool    `yaml:"clip_value"`

	// ValueWeight and Entropy weigh the value loss and the entropy bonus.
	ValueWeight float64 `yaml:"value_weight"`
	Entropy     float64 `yaml:"entropy"`

	// MaxGradNorm is the norm to which a longer gradient is shortened.
	MaxGradNorm float64 `yaml:"max_grad_norm"`

	// TargetKL is what the schedule Adaptive steers to. With another schedule an
	// update ends at the epoch that moved the policy 1.5 times as far, and 0
	// means never.
	TargetKL float64 `yaml:"target_kl"`

	// Hidden are the widths of the hidden layers, of the policy and of the value
	// network each.
	Hidden []int `yaml:"hidden,flow"`

	// InitialStd is the standard deviation of the first policy's actions, in the
	// action's own scale.
	InitialStd float64 `yaml:"initial_std"`

	// NormaliseObservations standardises observations by running moments,
	// NormaliseAdvantages advantages within a minibatch; ScaleRewards divides
	// rewards by the running deviation of the discounted return.
	NormaliseObservations bool `yaml:"normalise_observations"`
	NormaliseAdvantages   bool `yaml:"normalise_advantages"`
	ScaleRewards          bool `yaml:"scale_rewards"`

	// CheckpointEvery is the number of environment steps between two
	// checkpoints; 0 for only the last.
	CheckpointEvery int `yaml:"checkpoint_every"`
}

// The values of [Training.Schedule].
const (
	Constant = "constant" // stays as it is
	Linear   = "linear"   // falls to 0 over the run
	Adaptive = "adaptive" // follows TargetKL
)

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
			{Name: "Robot", Rate: "50", Enabled: true},
			{Name: "Capture", Rate: "30", Enabled: true},
			{Name: "Sensors", Rate: "500", Enabled: true},
		},
		Time: Time{
			Mode:       "sim_high_performance",
			MaxElapsed: 250 * time.Millisecond,
			MaxBacklog: 250 * time.Millisecond,
			MaxSteps:   5,
		},
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
		Training: Training{
			Steps:                 1_000_000,
			Segment:               64,
			Epochs:                10,
			Minibatch:             512,
			LearningRate:          3e-4,
			Schedule:              Linear,
			Gamma:                 0.99,
			Lambda:                0.95,
			Clip:                  0.2,
			ClipValue:             true,
			ValueWeight:           0.5,
			MaxGradNorm:           0.5,
			Hidden:                []int{64, 64},
			InitialStd:            1,
			NormaliseObservations: true,
			NormaliseAdvantages:   true,
			ScaleRewards:          true,
		},
		Evaluation: Evaluation{Episodes: 20},
	}
}
