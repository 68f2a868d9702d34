package rundir

import (
	"path/filepath"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// The values of [Report].Status.
const (
	StatusDone        = "done"
	StatusPaused      = "paused" // at TrainOptions.Until
	StatusInterrupted = "interrupted"
	StatusFailed      = "failed"
)

// Report describes one execution of a training. Unlike the other files of a run folder,
// it depends on the machine and the time.
type Report struct {
	Folder         string            `json:"-"`
	Status         string            `json:"status"` // StatusDone, StatusPaused, StatusInterrupted or StatusFailed
	Task           string            `json:"task"`
	Seed           uint64            `json:"seed"`
	Worlds         int               `json:"worlds"`
	BlockSize      int               `json:"block_size"`
	PanelHeight    int               `json:"panel_height"`
	Workers        int               `json:"workers"`
	Host           string            `json:"host"`
	CPUs           int               `json:"cpus"`
	Started        time.Time         `json:"started"`
	WallSeconds    float64           `json:"wall_s"`    // of training
	RolloutSeconds float64           `json:"rollout_s"` // of that, in rollouts; the rest are mostly updates
	EnvSteps       int64             `json:"env_steps"`
	StepsPerS      float64           `json:"env_steps_per_s"`
	Faults         int64             `json:"faults"`
	Evaluation     *Evaluation       `json:"evaluation,omitempty"`
	Model          string            `json:"model,omitempty"` // env.Env.ModelDigest
	Versions       map[string]string `json:"versions"`
	BLASKernel     string            `json:"openblas_kernel"`
	Configuration  string            `json:"configuration"` // name of its file in the same folder

	Cloned  *Cloned  `json:"cloned,omitempty"`  // of a clone
	Stopped *Stopped `json:"stopped,omitempty"` // of a training that configs.Stop ended

	// Digests are what training.Verify compares; nil but for a training that is done and began from its configuration alone.
	Digests *Digests `json:"digests,omitempty"`
}

// ReadReport reads the report of the run in a folder. The error is fs.ErrNotExist if it has none.
func ReadReport(folder string) (*Report, error) {
	report := &Report{}
	if err := disk.ReadJSON(filepath.Join(folder, ReportFile), report); err != nil {
		return nil, err
	}
	report.Folder = folder
	return report, nil
}

// Evaluation holds the statistics of episodes. Lengths are in control steps; the
// standard deviation divides by the number of episodes.
type Evaluation struct {
	Task       string  `json:"task"`
	Seed       uint64  `json:"seed"`
	Episodes   int     `json:"episodes"`
	MeanReturn float64 `json:"mean_return"`
	StdReturn  float64 `json:"std_return"`
	MinReturn  float64 `json:"min_return"`
	MaxReturn  float64 `json:"max_return"`
	MeanLength float64 `json:"mean_length"`
	Terminated int     `json:"terminated"` // ended by the task's own rules
	Truncated  int     `json:"truncated"`  // by the time limit
	Faults     int     `json:"faults"`
	FirstFault string  `json:"first_fault,omitempty"` // see sim.Sim.FirstFault
	Mode       string  `json:"mode"`                  // of time, see runners.Mode
	Time       string  `json:"time,omitempty"`        // how the wall clock was followed, if it was

	// Infos are the infos of the task, by name: for each, the mean over episodes of its
	// mean over the control steps of an episode.
	Infos map[string]float64 `json:"infos"`

	Model string `json:"-"` // env.Env.ModelDigest
}

// Episode is an episode of an evaluation. It lists what its dataset has of it.
type Episode struct {
	Number     int64   `json:"episode"` // run-wide
	World      int     `json:"world"`
	Return     float64 `json:"return"`
	Steps      int64   `json:"steps"` // control steps
	Terminated bool    `json:"terminated"`
	Truncated  bool    `json:"truncated"` // by its time limit, or by a fault
	Fault      bool    `json:"fault"`
}

// Stopped says how a metric reached the value of configs.Stop.
type Stopped struct {
	Metric      string  `json:"metric"`
	Value       float64 `json:"value"`       // the newest that counted
	Consecutive int     `json:"consecutive"` // times in a row that it has reached the value
}

// Recorded counts the episodes of a rollouts.Rollout.
type Recorded struct {
	Episodes int64 `json:"episodes"` // that ended
	Faults   int64 `json:"faults"`   // of them, those that a fault ended
}

// Cloned says how near a clone comes to what it learned from: the root of the mean squared error of its action values,
// in the action's own unit, or of choices the part of them that differ.
type Cloned struct {
	Rows         int     `json:"rows"` // that it learned from
	Error        float64 `json:"error"`
	HeldOut      int     `json:"held_out"`                 // rows of other episodes, every tenth
	HeldOutError float64 `json:"held_out_error,omitempty"` // 0 without such rows
}

// Digests are what a training made, in short: two trainings with the same digests did the same.
type Digests struct {
	Checkpoint string   `json:"checkpoint"` // SHA-256 of the final checkpoint with an empty Header.User; hex
	Iterations int      `json:"iterations"`
	Metrics    []string `json:"metrics"`           // CRC-32C of MetricsFile up to the ends of tenths of the iterations; hex
	Dataset    string   `json:"dataset,omitempty"` // digest of the dataset with which SAC's replay began; "": none
	// CRC-32C of EvaluationsFile; hex; "": there is none
	Evaluations string `json:"evaluations,omitempty"`
}

// Change is a setting that changed in a run, see TrainOptions.Change. Iterations after
// the first Iteration have the value Is.
type Change struct {
	Iteration int64  `json:"iteration"`
	EnvSteps  int64  `json:"env_steps"` // after that iteration
	Key       string `json:"key"`       // of the configuration
	Was       any    `json:"was"`       // null: the default
	Is        any    `json:"is"`
}
