package throughput

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// Report is the result of [Measure], with what one must know to compare it with another.
type Report struct {
	Label      string            `json:"label,omitempty"` // text of the caller, such as a commit
	Time       time.Time         `json:"time"`
	Processor  string            `json:"processor"`
	Processors int               `json:"processors"` // number of processors that the process may use
	Versions   map[string]string `json:"versions"`
	SweepKeys  []string          `json:"over,omitempty"` // the keys that differ between lines
	Lines      []*Line           `json:"lines"`
}

// Setting is what a line was measured of. Only lines with the same one compare.
type Setting struct {
	Task          string `json:"task"`
	Configuration string `json:"configuration"` // digest of the configuration without the number of workers
	Policy        string `json:"policy"`
	Worlds        int    `json:"worlds"`
	Workers       int    `json:"workers"`
	BlockSize     int    `json:"block_size"`
	Recording     bool   `json:"recording"`
}

// Line has the figures of one configuration. Rates are medians over the rounds.
type Line struct {
	Setting
	Values              []string `json:"values,omitempty"`        // values of the report's SweepKeys
	EnvStepsPerS        float64  `json:"env_steps_per_s"`         // control steps of all worlds per second
	EnvStepsLow         float64  `json:"env_steps_low"`           // first quartile
	EnvStepsHigh        float64  `json:"env_steps_high"`          // third quartile
	PhysicsStepsPerS    float64  `json:"physics_steps_per_s"`     // engine steps of all worlds per second
	RawPhysicsStepsPerS float64  `json:"raw_physics_steps_per_s"` // engine steps of the bare C loop per second
	RatioToRaw          float64  `json:"ratio_to_raw"`            // median of the ratios of the rounds
	RatioLow            float64  `json:"ratio_low"`               // first quartile
	RatioHigh           float64  `json:"ratio_high"`              // third quartile
	// median of the ratios of processor times, the writer's included
	CPURatio float64 `json:"cpu_ratio"`
	// processor time of one world's step, the writer's included
	CPUSecondsPerStep float64 `json:"cpu_s_per_env_step"`
	// number of instants of a world's clock in a control step
	InstantsPerStep float64 `json:"instants_per_step"`
	NSPerInstant    float64 `json:"ns_per_instant"` // time of the clock alone, without its calls
	RowsPerStep     float64 `json:"rows_per_step"`  // number of rows of a world in a control step
	// growth of the process by these worlds and their model
	BytesPerWorld float64 `json:"bytes_per_world"`
	// time from the opening of the worlds to the end of the first step
	FirstStepS    float64 `json:"first_step_s"`
	AllocsPerStep float64 `json:"allocs_per_step"` // Go allocations per control step of a block
	Rounds        int     `json:"rounds"`
	StepsPerRound int     `json:"steps_per_round"` // control steps of each world
	SameState     bool    `json:"same_state"`      // both loops ended in the same state, bit for bit

	WithoutEvents []string `json:"without_events"` // names of events of the configuration that neither loop has
}

func newReport() *Report {
	return &Report{Time: time.Now().UTC().Truncate(time.Second), Processor: env.Processor(),
		Processors: env.Processors(), Versions: env.Versions()}
}

// settingOf returns the setting of a line before it is measured.
func settingOf(cfg *configs.Config, opt Options) Setting {
	h := env.LogHeader(cfg, env.OpenOptions{})
	return Setting{
		Task: cfg.Task.Name, Configuration: fmt.Sprintf("%x", sha256.Sum256([]byte(h.Configuration)))[:16],
		Policy: cmp.Or(opt.Policy, "random"), Worlds: cfg.Worlds, BlockSize: h.BlockSize,
		Workers:   min(cmp.Or(cfg.Workers, env.Processors()), (cfg.Worlds+h.BlockSize-1)/h.BlockSize),
		Recording: cfg.Recording.Enabled,
	}
}

// Name is the setting in words.
func (s Setting) Name() string {
	text := fmt.Sprintf("%s, %d worlds in blocks of %d, %d workers", s.Task, s.Worlds, s.BlockSize, s.Workers)
	if s.Recording {
		text += ", recorded"
	}
	if s.Policy != "random" {
		text += ", policy " + s.Policy
	}
	return text
}

// maxReport is the size of the largest file that Read reads.
const maxReport = 64 << 20

// Read reads the last report of a file, which has one or several, as JSON. The errors name the file.
func Read(path string) (r *Report, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := json.NewDecoder(io.LimitReader(f, maxReport))
	for n := 1; ; n++ {
		var next *Report
		switch err := d.Decode(&next); {
		case errors.Is(err, io.EOF) && r != nil:
			return r, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s is empty, want what bench --format json prints", path)
		case err != nil:
			return nil, fmt.Errorf("%s, result %d: %w; want what bench --format json prints", path, n, err)
		}
		if err := next.check(); err != nil {
			return nil, fmt.Errorf("%s, result %d: %w; want what bench --format json prints", path, n, err)
		}
		r = next
	}
}

// check returns an error unless r can be compared with and computed with.
func (r *Report) check() error {
	if r == nil || r.Processor == "" || len(r.Lines) == 0 {
		return errors.New("it has no processor or no lines")
	}
	for i, l := range r.Lines {
		if l == nil || l.Task == "" || l.Worlds < 1 || l.Workers < 1 || l.BlockSize < 1 ||
			len(l.Values) != len(r.SweepKeys) {
			return fmt.Errorf("line %d has no task, worlds, workers or block size, or other values than those of %q",
				i+1, r.SweepKeys)
		}
		for _, v := range []float64{l.EnvStepsLow, l.EnvStepsPerS, l.EnvStepsHigh, l.RatioLow, l.RatioToRaw,
			l.RatioHigh} {
			if !(v > 0 && v < 1e15) {
				return fmt.Errorf("line %d has the rate or ratio %v, want more than 0 and less than 1e15", i+1, v)
			}
		}
		if !(l.RowsPerStep >= 0 && l.RowsPerStep < 1e9 && math.Abs(l.CPUSecondsPerStep) < 1e9) {
			return fmt.Errorf("line %d has %v rows in a step of %v s", i+1, l.RowsPerStep, l.CPUSecondsPerStep)
		}
	}
	return nil
}

// Append adds r as a line to a history, a file that Read reads; it makes the file if there is none.
func (r *Report) Append(path string) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := disk.Append(path)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n')) // a single call, so that two programs do not mix their lines
	return errors.Join(err, f.Sync(), f.Close())
}

// Change is how many times as fast one line of a report is as that of another: of the rate, and of the ratio to the
// bare loop, which the machine's own speed affects less. Low and high are quotients of opposite quartiles.
type Change struct {
	Line                       string
	Rate, RateLow, RateHigh    float64
	Ratio, RatioLow, RatioHigh float64
}

// Comparable returns an error unless a report of these configurations, on this machine, would compare with r.
func (r *Report) Comparable(cfgs []*configs.Config, opt Options) error {
	if now := newReport(); r.Processor != now.Processor || r.Processors != now.Processors {
		return fmt.Errorf("it was measured on %d processors of %s, want %d of %s", r.Processors, r.Processor,
			now.Processors, now.Processor)
	}
	for _, cfg := range cfgs {
		if s := settingOf(cfg, opt); r.find(s) == nil {
			var names []string
			for _, l := range r.Lines {
				names = append(names, l.Name()+" of configuration "+l.Configuration)
			}
			return fmt.Errorf("it has no line of %s of configuration %s, but %s", s.Name(), s.Configuration,
				strings.Join(names, "; "))
		}
	}
	return nil
}

func (r *Report) find(s Setting) *Line {
	if i := slices.IndexFunc(r.Lines, func(l *Line) bool { return l.Setting == s }); i >= 0 {
		return r.Lines[i]
	}
	return nil
}

// ChangesSince returns how the lines of r compare with those of an earlier report, see Comparable.
func (r *Report) ChangesSince(old *Report) (changes []Change) {
	for _, l := range r.Lines {
		o := old.find(l.Setting)
		changes = append(changes, Change{
			Line: l.Name(), Rate: l.EnvStepsPerS / o.EnvStepsPerS,
			RateLow: l.EnvStepsLow / o.EnvStepsHigh, RateHigh: l.EnvStepsHigh / o.EnvStepsLow,
			Ratio: l.RatioToRaw / o.RatioToRaw, RatioLow: l.RatioLow / o.RatioHigh, RatioHigh: l.RatioHigh / o.RatioLow,
		})
	}
	return changes
}
