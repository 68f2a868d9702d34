package configs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Validate checks ranges, and that what is named is declared. The first problem
// comes back, in the order of the struct, as one line that begins with the key.
func (c *Config) Validate() error {
	var p problem
	if c.Task.Name == "" {
		p.add("task.name", "not given; want the name of a task, such as quadruped")
	}
	p.atLeast("worlds", c.Worlds, 1)
	p.atMost("worlds", c.Worlds, MaxWorlds)
	p.atLeast("workers", c.Workers, 0)
	p.atMost("workers", c.Workers, MaxWorkers)
	p.atLeast("block_size", c.BlockSize, 0)
	if c.BlockSize > maxBlockSize {
		p.add("block_size", "want at most %d, got %d", maxBlockSize, c.BlockSize)
	}
	p.atLeast("max_steps", c.MaxSteps, 0)
	p.oneOf("autoreset", c.Autoreset, SameStep, NextStep, Disabled)
	c.validateClock(&p)
	c.validateTime(&p)
	c.validateSensors(&p)
	c.validateRecording(&p)
	c.Training.validate(&p)
	p.atLeast("evaluation.episodes", c.Evaluation.Episodes, 1)
	p.atLeast("evaluation.every", c.Evaluation.Every, 0)
	return p.err
}

// maxBlockSize is sim.MaxBlockSize, which this room does not see.
const maxBlockSize = 16

func (c *Config) validateTime(p *problem) {
	if err := new(runners.Mode).UnmarshalText([]byte(c.Time.Mode)); err != nil {
		p.add("time.mode", "%v", err)
	}
	for _, limit := range []struct {
		key  string
		wall time.Duration
	}{{"time.max_elapsed", c.Time.MaxElapsed}, {"time.max_backlog", c.Time.MaxBacklog}} {
		if limit.wall <= 0 {
			p.add(limit.key, "want more than 0, got %v", limit.wall)
		}
	}
	p.atLeast("time.max_steps", c.Time.MaxSteps, 1)
	if c.Time.Budget < 0 {
		p.add("time.budget", "want at least 0, got %v", c.Time.Budget)
	}
	for i, change := range c.Changes {
		p.atLeast(fmt.Sprintf("changes[%d].n", i), change.N, 0)
	}
}

func (c *Config) validateClock(p *problem) {
	p.names("runners", len(c.Runners), func(i int) string { return c.Runners[i].Name })
	clock := make([]runners.Runner, len(c.Runners))
	for i, r := range c.Runners {
		at := fmt.Sprintf("runners[%d].rate", i)
		if r.Rate == "" {
			p.add(at, "not given; want hertz or a period, such as 50, 29.97, 200/3 or 15ms")
		}
		rate, err := runners.ParseRate(string(r.Rate))
		if err != nil {
			p.add(at, "%v", err)
		}
		clock[i] = runners.Runner{Name: r.Name, Rate: rate, Disabled: !r.Enabled}
	}
	if _, err := runners.Compile(clock, nil); err != nil {
		p.add("runners", "%v", err)
	}
	p.names("bindings", len(c.Bindings), func(i int) string { return c.Bindings[i].Name })
	for i, b := range c.Bindings {
		at := fmt.Sprintf("bindings[%d]", i)
		if b.Runner != "" {
			p.declared(at+".runner", b.Runner, c.Runners)
		}
		if b.Phase != "" {
			if err := new(runners.Phase).UnmarshalText([]byte(b.Phase)); err != nil {
				p.add(at+".phase", "%v", err)
			}
		}
		if b.Substeps != nil {
			p.atLeast(at+".substeps", *b.Substeps, 1)
			if b.Name != "physics" {
				p.add(at+".substeps", "only the binding physics has substeps, not %q", b.Name)
			}
		}
	}
}

func (c *Config) validateSensors(p *problem) {
	p.names("sensors", len(c.Sensors), func(i int) string { return c.Sensors[i].Name })
	for i, s := range c.Sensors {
		at := fmt.Sprintf("sensors[%d]", i)
		p.declared(at+".runner", s.Runner, c.Runners)
		if len(s.Sources) == 0 {
			p.add(at+".sources", "want at least one, such as qpos or sensor/gyro, got none")
		}
		if slices.Contains(s.Sources, "") {
			p.add(at+".sources", "want names such as qpos or sensor/gyro, got \"\"")
		}
		s.validateModel(p, at)
	}
}

func (s *Channel) validateModel(p *problem, at string) {
	p.within(at+".bias.std", s.Bias.Std, 0, math.MaxFloat64)
	p.within(at+".bias.walk", s.Bias.Walk, 0, math.MaxFloat64)
	p.within(at+".noise.std", s.Noise.Std, 0, math.MaxFloat64)
	if s.Saturation != (Saturation{}) && s.Saturation.Low >= s.Saturation.High {
		p.add(at+".saturation", "want low below high, got %v and %v", s.Saturation.Low, s.Saturation.High)
	}
	p.within(at+".quantisation", s.Quantisation, 0, math.MaxFloat64)
	if s.Hold.Time < 0 || s.Hold.Time > maxDelay {
		p.add(at+".hold.time", "want between 0 and %v, got %v", maxDelay, s.Hold.Time)
	}
	if s.Hold.Time > 0 && !(s.Hold.Probability > 0 && s.Hold.Probability <= 1) {
		p.add(at+".hold.probability", "want more than 0, at most 1, got %v", s.Hold.Probability)
	}
	if !(s.Dropout >= 0 && s.Dropout < 1) {
		p.add(at+".dropout", "want at least 0, below 1, got %v", s.Dropout)
	}
	if s.Latency < 0 || s.Latency > maxDelay {
		p.add(at+".latency", "want between 0 and %v, got %v", maxDelay, s.Latency)
	}
	if s.Jitter < 0 || s.Jitter > maxDelay-s.Latency {
		p.add(at+".jitter", "want between 0 and %v, which is %v with the latency, got %v", maxDelay-s.Latency, maxDelay, s.Jitter)
	}
	if s.History < 0 || s.History > maxHistory {
		p.add(at+".history", "want between 0 and %d samples, got %d", maxHistory, s.History)
	}
}

// What bounds the memory that a channel asks for.
const (
	maxDelay   = 10 * time.Second
	maxHistory = 1000
)

// What bounds the memory of a recording: a table has a batch in memory from the start.
const (
	maxBatchRows = 1 << 16
	maxMemoryMB  = 1 << 20
)

func (c *Config) validateRecording(p *problem) {
	r := &c.Recording
	seen := map[string]bool{}
	for i, table := range r.Tables {
		at := fmt.Sprintf("recording.tables[%d]", i)
		p.oneOf(at, table, CaptureTable, ControlTable, SensorsTable)
		if seen[table] {
			p.add(at, "%q is there twice", table)
		}
		seen[table] = true
	}
	if !seen[CaptureTable] {
		p.add("recording.tables", "want %s among them, got %q", CaptureTable, r.Tables)
	}
	if seen[SensorsTable] && len(c.Sensors) == 0 {
		p.add("recording.tables", "want sensors for the table %s, got none", SensorsTable)
	}
	var channels []string
	for _, s := range c.Sensors {
		channels = append(channels, s.Name)
	}
	recorded := map[string]bool{}
	for i, name := range r.Channels {
		at := fmt.Sprintf("recording.channels[%d]", i)
		switch {
		case len(channels) == 0:
			p.add(at, "there is no sensor %q; the configuration has no sensors", name)
		case !slices.Contains(channels, name):
			p.add(at, "there is no sensor %q; did you mean %s?", name, nearest(name, channels))
		case recorded[name]:
			p.add(at, "%q is there twice", name)
		}
		recorded[name] = true
	}
	p.atLeast("recording.every_world", r.EveryWorld, 1)
	p.atLeast("recording.batch_rows", r.BatchRows, 1)
	p.atMost("recording.batch_rows", r.BatchRows, maxBatchRows)
	p.atLeast("recording.flush_segments", r.FlushSegments, 0)
	p.atLeast("recording.memory_mb", r.MemoryMB, 1)
	p.atMost("recording.memory_mb", r.MemoryMB, maxMemoryMB)
	if low, high := r.Episodes.MinReturn, r.Episodes.MaxReturn; low != nil && high != nil && *low > *high {
		p.add("recording.episodes", "want min_return of at most max_return, got %v and %v", *low, *high)
	}
	p.oneOf("recording.compression", r.Compression, CompressionNone, CompressionLZ4, CompressionZstd)
	p.oneOf("recording.sync", r.Sync, SyncNone, SyncClose, SyncBatch)
}

func (t *Training) validate(p *problem) {
	p.atLeast("training.steps", t.Steps, 1)
	p.atLeast("training.segment", t.Segment, 1)
	p.atLeast("training.epochs", t.Epochs, 1)
	p.atLeast("training.minibatch", t.Minibatch, 1)
	p.positive("training.learning_rate", t.LearningRate)
	p.oneOf("training.schedule", t.Schedule, Constant, Linear, Adaptive)
	p.within("training.gamma", t.Gamma, 0, 1)
	p.within("training.lambda", t.Lambda, 0, 1)
	p.positive("training.clip", t.Clip)
	p.within("training.value_weight", t.ValueWeight, 0, math.MaxFloat64)
	p.within("training.entropy", t.Entropy, 0, math.MaxFloat64)
	p.positive("training.max_grad_norm", t.MaxGradNorm)
	p.within("training.target_kl", t.TargetKL, 0, math.MaxFloat64)
	if t.Schedule == Adaptive {
		p.positive("training.target_kl", t.TargetKL)
	}
	if len(t.Hidden) == 0 {
		p.add("training.hidden", "want the width of at least one layer, got none")
	}
	for i, width := range t.Hidden {
		p.atLeast(fmt.Sprintf("training.hidden[%d]", i), width, 1)
	}
	p.positive("training.initial_std", t.InitialStd)
	p.atLeast("training.checkpoint_every", t.CheckpointEvery, 0)
}

// problem keeps the first thing found wrong.
type problem struct{ err error }

func (p *problem) add(key, format string, args ...any) {
	if p.err == nil {
		p.err = keyError(key, format, args...)
	}
}

func (p *problem) atLeast(key string, got, least int) {
	if got < least {
		p.add(key, "want at least %d, got %d", least, got)
	}
}

func (p *problem) atMost(key string, got, most int) {
	if got > most {
		p.add(key, "want at most %d, got %d", most, got)
	}
}

// within wants low ≤ got ≤ high, and so refuses NaN.
func (p *problem) within(key string, got, low, high float64) {
	switch {
	case got >= low && got <= high:
	case high == math.MaxFloat64:
		p.add(key, "want a finite number of at least %v, got %v", low, got)
	default:
		p.add(key, "want between %v and %v, got %v", low, high, got)
	}
}

func (p *problem) positive(key string, got float64) {
	if !(got > 0 && got <= math.MaxFloat64) {
		p.add(key, "want a finite number above 0, got %v", got)
	}
}

func (p *problem) oneOf(key, got string, known ...string) {
	if !slices.Contains(known, got) {
		p.add(key, "want %s, got %q", strings.Join(known, " or "), got)
	}
}

// names wants the entries of a list to have different names that a --set flag
// can spell.
func (p *problem) names(list string, n int, name func(int) string) {
	seen := map[string]bool{}
	for i := range n {
		at, s := fmt.Sprintf("%s[%d].name", list, i), name(i)
		err := runners.CheckName(s)
		switch {
		case s == "":
			p.add(at, "not given")
		case err != nil:
			p.add(at, "%w", err)
		case seen[s]:
			p.add(at, "%q is already taken; names must differ", s)
		}
		seen[s] = true
	}
}

// declared wants name to be that of a runner.
func (p *problem) declared(key, name string, among []Runner) {
	var names []string
	for _, r := range among {
		names = append(names, r.Name)
	}
	switch {
	case slices.Contains(names, name) || len(names) == 0:
	case name == "":
		p.add(key, "not given; want one of the runners %s", strings.Join(names, ", "))
	default:
		p.add(key, "there is no runner %q; did you mean %s?", name, nearest(name, names))
	}
}
