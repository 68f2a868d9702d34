package configs

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Validate checks ranges, and that every runner and channel that is referred to is
// declared. It returns the first problem, in the order of the struct, as one line that
// begins with the key. It does not check whether runners and bindings make a valid
// schedule, see env.NewPlan.
func (c *Config) Validate() error {
	var p problem
	if c.Task.Name == "" {
		p.Fail("task.name: not given, want the name of a task, such as quadruped")
	}
	if _, err := decode.Clean("task.options", c.Task.Options); err != nil {
		p.Fail("%v", err)
	}
	c.validateDescription(&p)
	p.Whole("worlds", int64(c.Worlds), 1, MaxWorlds)
	p.Whole("workers", int64(c.Workers), 0, MaxWorkers)
	p.Whole("block_size", int64(c.BlockSize), 0, sim.MaxBlockSize)
	p.Whole("max_steps", int64(c.MaxSteps), 0, MaxCount)
	p.OneOf("autoreset", c.Autoreset, SameStep, NextStep, Disabled)
	c.validateClock(&p)
	c.validateTime(&p)
	c.validateSensors(&p)
	c.validateRecording(&p)
	p.Part("training", c.Training.Validate())
	p.Whole("evaluation.episodes", int64(c.Evaluation.Episodes), 1, MaxEpisodes)
	p.Whole("evaluation.every", int64(c.Evaluation.Every), 0, MaxCount)
	return p.Err()
}

// Validate returns an error for the first invalid setting, which begins with its key.
func (t *Training) Validate() error {
	p := problem{}
	if err := t.Settings.Validate(); err != nil {
		return err
	}
	p.Whole("checkpoint_every", int64(t.CheckpointEvery), 0, MaxCount)
	return p.Err()
}

// validateDescription checks the sections that describe a task.
func (c *Config) validateDescription(p *problem) {
	given := c.Settings.Given()
	switch {
	case c.Described():
		p.Part("scene", c.Scene.Validate())
		if err := c.Settings.Validate(); err != nil {
			p.Fail("%w", err)
		}
		if c.Model != "" {
			p.Fail("model is %s, want none: scene.models names the files of a described task", c.Model)
		}
		if len(c.Task.Options) > 0 {
			p.Fail("task.options: a described task has no options, want its sections")
		}
	case given != "":
		p.Fail("scene.models: not given, want the model files of the task that the section %s describes", given)
	case !reflect.ValueOf(c.Scene).IsZero():
		p.Fail("scene.models: not given, want the model files of a task")
	}
}

func (c *Config) validateClock(p *problem) {
	p.names("runners", len(c.Runners), func(i int) string { return c.Runners[i].Name })
	p.Whole("runners: the number of runners", int64(len(c.Runners)), 1, runners.MaxRunners)
	for i, r := range c.Runners {
		if r.Rate.IsZero() {
			p.Fail("runners[%d].rate: not given, want hertz or a period, such as 50, 29.97, 200/3 or 15ms", i)
		}
	}
	p.names("bindings", len(c.Bindings), func(i int) string { return c.Bindings[i].Name })
	for i, b := range c.Bindings {
		at := fmt.Sprintf("bindings[%d]", i)
		if b.Runner != "" {
			p.declared(at+".runner", b.Runner, c.Runners)
		}
		if b.Phase != "" {
			if err := new(runners.Phase).UnmarshalText([]byte(b.Phase)); err != nil {
				p.Fail("%s.phase: %w", at, err)
			}
		}
		if b.Substeps != nil {
			p.Whole(at+".substeps", int64(*b.Substeps), 1, MaxSubsteps)
			if b.Name != "physics" {
				p.Fail("%s.substeps: only the binding physics has substeps, not %q", at, b.Name)
			}
		}
	}
	for i, change := range c.Changes {
		p.Whole(fmt.Sprintf("changes[%d].n", i), int64(change.N), 0, MaxCount)
	}
}

func (c *Config) validateTime(p *problem) {
	p.Time("time.max_elapsed", c.Time.MaxElapsed, 1, math.MaxInt64)
	p.Time("time.max_backlog", c.Time.MaxBacklog, 1, math.MaxInt64)
	p.Whole("time.max_steps", int64(c.Time.MaxSteps), 1, MaxCount)
	p.Time("time.budget", c.Time.Budget, 0, math.MaxInt64)
}

func (c *Config) validateSensors(p *problem) {
	p.names("sensors", len(c.Sensors), func(i int) string { return c.Sensors[i].Name })
	for i, s := range c.Sensors {
		at := fmt.Sprintf("sensors[%d]", i)
		p.declared(at+".runner", s.Runner, c.Runners)
		p.Part(at, s.Channel.Validate())
	}
}

func (c *Config) validateRecording(p *problem) {
	r := &c.Recording
	seen := map[string]bool{}
	for i, table := range r.Tables {
		at := fmt.Sprintf("recording.tables[%d]", i)
		p.OneOf(at, table, CaptureTable, ControlTable, SensorsTable)
		if seen[table] {
			p.Fail("%s: %q is given twice", at, table)
		}
		seen[table] = true
	}
	if !seen[CaptureTable] {
		p.Fail("recording.tables is %q, want a list with %s", r.Tables, CaptureTable)
	}
	if seen[SensorsTable] && len(c.Sensors) == 0 {
		p.Fail("recording.tables is %q, want no %s table in a configuration without sensors", r.Tables, SensorsTable)
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
			p.Fail("%s: no sensor %q: the configuration has no sensors", at, name)
		case !slices.Contains(channels, name):
			p.Fail("%s: no sensor %q; did you mean %s?", at, name, spell.Nearest(name, channels))
		case recorded[name]:
			p.Fail("%s: %q is given twice", at, name)
		}
		recorded[name] = true
	}
	p.Whole("recording.every_world", int64(r.EveryWorld), 1, MaxCount)
	p.Whole("recording.batch_rows", int64(r.BatchRows), 1, MaxBatchRows)
	p.Whole("recording.flush_segments", int64(r.FlushSegments), 0, MaxCount)
	p.Whole("recording.memory_mb", int64(r.MemoryMB), 1, MaxMemoryMB)
	if low, high := r.Episodes.MinReturn, r.Episodes.MaxReturn; low != nil && high != nil && *low > *high {
		p.Fail("recording.episodes.min_return is %v, want at most %v, max_return", *low, *high)
	}
	p.OneOf("recording.compression", r.Compression, CompressionNone, CompressionLZ4, CompressionZstd)
	p.OneOf("recording.sync", r.Sync, SyncNone, SyncClose, SyncBatch)
}

// problem keeps the first problem found.
type problem struct{ bounds.Check }

// names checks that the entries of a list have different names that a --set flag can
// spell.
func (p *problem) names(list string, n int, name func(int) string) {
	seen := map[string]bool{}
	for i := range n {
		at, s := fmt.Sprintf("%s[%d].name", list, i), name(i)
		err := runners.CheckName(s)
		switch {
		case s == "":
			p.Fail("%s: not given", at)
		case err != nil:
			p.Part(at[:len(at)-len(".name")], err)
		case seen[s]:
			p.Fail("%s: %q is given twice, want different names", at, s)
		}
		seen[s] = true
	}
}

// declared checks that name is the name of a runner.
func (p *problem) declared(key, name string, among []Runner) {
	var names []string
	for _, r := range among {
		names = append(names, r.Name)
	}
	switch {
	case slices.Contains(names, name) || len(names) == 0:
	case name == "":
		p.Fail("%s: not given, want one of the runners %s", key, strings.Join(names, ", "))
	default:
		p.Fail("%s: no runner %q; did you mean %s?", key, name, spell.Nearest(name, names))
	}
}
