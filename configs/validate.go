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
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// longestName is the length of the longest name of a task, in bytes.
const longestName = 200

// Validate checks ranges, and that every runner and channel that is referred to is declared. It returns the
// first problem, in the order of the struct, as one line that begins with the key. It does not check whether
// runners and bindings make a valid schedule, see env.NewPlan.
func (c *Config) Validate() error {
	var p problem
	switch name := c.Task.Name; {
	case name == "":
		p.Fail("task.name: not given, want the name of a task, such as quadruped")
	case strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\\x00") || len(name) > longestName:
		p.Fail("task.name is %.100q, want one that can name a folder: at most %d bytes, no slash, and no dot in front", name,
			longestName)
	}
	if _, err := decode.Clean("task.options", c.Task.Options); err != nil {
		p.Fail("%v", err)
	}
	c.validateDescription(&p)
	p.Whole("worlds", int64(c.Worlds), 1, MaxWorlds)
	p.Whole("workers", int64(c.Workers), 0, MaxWorkers)
	p.Whole("block_size", int64(c.BlockSize), 0, sim.MaxBlockSize)
	p.Whole("max_steps", int64(c.MaxSteps), 0, MaxCount)
	p.OneOf("autoreset", string(c.Autoreset), string(sim.SameStep), string(sim.NextStep), string(sim.Disabled))
	c.validateClock(&p)
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
	p.Part("stop", t.Stop.validate())
	if t.Dataset != "" && t.Algorithm.String() == string(rl.AlgorithmPPO) { // those who learn by imitation are told theirs
		p.Fail("dataset is %s, want none with algorithm %s, only with %s", t.Dataset, t.Algorithm, rl.AlgorithmSAC)
	}
	p.Whole("checkpoint_every", int64(t.CheckpointEvery), 0, MaxCount)
	return p.Err()
}

func (s *Stop) validate() error {
	p := problem{}
	switch {
	case s.Metric == "" && *s != (Stop{}):
		p.Fail("metric: not given, want the metric whose value ends the training, such as mean_return")
	case s.Metric != "" && s.Value == nil:
		p.Fail("value: not given, want that of %s which ends the training", s.Metric)
	}
	p.Whole("consecutive", int64(s.Consecutive), 0, MaxCount)
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
	known := namesOf(c.Runners, func(r Runner) string { return r.Name })
	p.names("runners", known)
	p.Whole("runners: the number of runners", int64(len(c.Runners)), 1, runners.MaxRunners)
	for i, r := range c.Runners {
		if r.Rate.IsZero() {
			p.Fail("runners[%d].rate: not given, want hertz or a period, such as 50, 29.97, 200/3 or 15ms", i)
		}
	}
	p.names("bindings", namesOf(c.Bindings, func(b Binding) string { return b.Name }))
	for i, b := range c.Bindings {
		at := fmt.Sprintf("bindings[%d]", i)
		if b.Runner != "" {
			p.declared(at+".runner", b.Runner, known)
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
	p.Time("time.max_elapsed", c.Time.MaxElapsed, 1, math.MaxInt64)
	p.Time("time.max_backlog", c.Time.MaxBacklog, 1, math.MaxInt64)
	p.Whole("time.max_steps", int64(c.Time.MaxSteps), 1, MaxCount)
	p.Time("time.budget", c.Time.Budget, 0, math.MaxInt64)
	p.names("sensors", namesOf(c.Sensors, func(s Channel) string { return s.Name }))
	for i, s := range c.Sensors {
		at := fmt.Sprintf("sensors[%d]", i)
		p.declared(at+".runner", s.Runner, known)
		p.Part(at, s.Channel.Validate())
	}
}

func (c *Config) validateRecording(p *problem) {
	r := &c.Recording
	for i, table := range r.Tables {
		at := fmt.Sprintf("recording.tables[%d]", i)
		p.OneOf(at, table, format.CaptureTable, format.ControlTable, format.SensorsTable)
		if slices.Contains(r.Tables[:i], table) {
			p.Fail("%s: %q is given twice", at, table)
		}
	}
	if !slices.Contains(r.Tables, format.CaptureTable) {
		p.Fail("recording.tables is %q, want a list with %s", r.Tables, format.CaptureTable)
	}
	if slices.Contains(r.Tables, format.SensorsTable) && len(c.Sensors) == 0 {
		p.Fail("recording.tables is %q, want no %s table in a configuration without sensors", r.Tables, format.SensorsTable)
	}
	channels := namesOf(c.Sensors, func(s Channel) string { return s.Name })
	for i, name := range r.Channels {
		at := fmt.Sprintf("recording.channels[%d]", i)
		switch {
		case len(channels) == 0:
			p.Fail("%s: no sensor %q: the configuration has no sensors", at, name)
		case !slices.Contains(channels, name):
			p.Fail("%s: no sensor %q%s", at, name, spell.Hint(name, channels))
		case slices.Contains(r.Channels[:i], name):
			p.Fail("%s: %q is given twice", at, name)
		}
	}
	if r.Infos && !slices.Contains(r.Tables, format.ControlTable) {
		p.Fail("recording.infos is true, want the table %s in recording.tables, which has them", format.ControlTable)
	}
	p.Whole("recording.every_world", int64(r.EveryWorld), 0, MaxCount)
	p.Whole("recording.batch_rows", int64(r.BatchRows), 1, MaxBatchRows)
	p.Whole("recording.flush_segments", int64(r.FlushSegments), 0, MaxCount)
	p.Whole("recording.memory_mb", int64(r.MemoryMB), 1, MaxMemoryMB)
	if low, high := r.Episodes.MinReturn, r.Episodes.MaxReturn; low != nil && high != nil && *low > *high {
		p.Fail("recording.episodes.min_return is %v, want at most %v, max_return", *low, *high)
	}
	p.OneOf("recording.compression", string(r.Compression), string(recorder.Plain), string(recorder.LZ4), string(recorder.Zstd))
	p.OneOf("recording.sync", string(r.Sync), string(recorder.SyncNever), string(recorder.SyncAtClose),
		string(recorder.SyncEveryBatch))
}

type problem struct{ bounds.Check }

func namesOf[T any](list []T, name func(T) string) (names []string) {
	for _, one := range list {
		names = append(names, name(one))
	}
	return names
}

// names checks that the names of the entries of a list are different ones that a --set flag can spell.
func (p *problem) names(list string, names []string) {
	seen := map[string]bool{}
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", list, i)
		if name == "" {
			p.Fail("%s.name: not given", at)
		}
		p.Part(at, runners.CheckName(name))
		if seen[name] {
			p.Fail("%s.name: %q is given twice, want different names", at, name)
		}
		seen[name] = true
	}
}

func (p *problem) declared(key, name string, known []string) {
	switch {
	case slices.Contains(known, name) || len(known) == 0:
	case name == "":
		p.Fail("%s: not given, want one of the runners %s", key, strings.Join(known, ", "))
	default:
		p.Fail("%s: no runner %q%s", key, name, spell.Hint(name, known))
	}
}
