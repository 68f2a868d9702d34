package env

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/plan"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/worlds"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Version is the version of Polyrhythm that datasets and run folders state.
const Version = "0.1.0"

// OpenOptions say how a configuration is run this time.
type OpenOptions struct {
	// Context, if it is not nil, ends Open with its error when it is cancelled while an
	// engine compiles the model, which may take minutes.
	Context context.Context

	Workers  int    // goroutines that step worlds; 0: the configuration's, or one per CPU
	Episodes int64  // stop after this many episodes of all worlds together; 0: never
	Steps    int64  // stop after this many control steps of each world; 0: never
	Dataset  string // folder to record to; "": no recording, whatever the configuration says

	// Plan is what NewPlan makes of the configuration; nil: Open resolves it.
	Plan *Plan

	// Bindings are added to the configuration's, after them; Observers are told
	// what they are told.
	Bindings  []sim.Binding
	Observers []sim.Observer

	// Accept, if it is not nil, is asked of the task before a dataset is begun; its
	// error is that of Open.
	Accept func(sim.Spec) error

	// Trace notes by the wall clock what one world does; may be nil.
	Trace *sim.Trace

	// Log takes in the states of the worlds, or compares them with those of
	// another run; see [LogHeader] and [CompareLog]. Close closes it, and so does
	// Open where it fails.
	Log *runlog.Log
}

// Env is a configuration's worlds, ready to be stepped. Not safe for concurrent
// use; inside, it works on several goroutines.
type Env struct {
	plan   *Plan
	model  physics.Model
	sim    *sim.Sim
	rows   *worlds.Recorder // nil without recording
	writer *recorder.Writer // nil without recording
	log    *runlog.Log      // nil without a log

	segmentSteps int64 // control steps that a segment can have for the recording's sake; 0: any number
	lastStep     int64 // after which control step the run is over; 0: never
	warnings     []string

	closed bool
	failed error // why the worlds can no longer be stepped

	seed     uint64
	spec     sim.Spec
	sampling sync.Once // makes samplers
	samplers []*rand.Rand
}

// ConfigError marks an error of [NewPlan] and [Open] that is the configuration's.
type ConfigError = configs.Error

// Plan is the clock of a configuration, resolved.
type Plan = plan.Plan

// NewPlan resolves the clock of a configuration. Errors name the key they are about, and
// are of type [ConfigError].
func NewPlan(cfg *configs.Config) (*Plan, error) {
	kind, err := findTask(cfg.Task.Name)
	if err != nil {
		return nil, ConfigError{Err: err}
	}
	return plan.Open(cfg, kind.Substeps)
}

// Open builds the worlds of a configuration and begins their first episodes.
// Close the env when done, also to finish its dataset.
func Open(cfg *configs.Config, opt OpenOptions) (*Env, error) {
	e := &Env{log: opt.Log, lastStep: opt.Steps}
	if err := e.open(cfg, opt); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Env) open(cfg *configs.Config, opt OpenOptions) error {
	resolved, err := opt.Plan, error(nil)
	if resolved == nil {
		if resolved, err = NewPlan(cfg); err != nil {
			return err
		}
	}
	if e.plan, err = resolved.With(opt.Bindings); err != nil {
		return err
	}
	if e.log != nil {
		if err := checkLog(e.log.Header(), cfg, opt); err != nil {
			return err
		}
	}
	kind, err := findTask(cfg.Task.Name)
	if err != nil {
		return ConfigError{Err: err}
	}
	setup := Setup{
		ControlSeconds: e.plan.ControlRate().Seconds(),
		SubstepSeconds: e.plan.SubstepRate().Seconds(),
		options:        cfg.Task.Options,
	}
	e.model, err = load(opt.Context, func() (physics.Model, error) { return kind.load(cfg.Model, setup) })
	if err != nil {
		if cfg.Model != "" && !errors.Is(err, context.Canceled) {
			err = ConfigError{Err: fmt.Errorf("model: %w", err)}
		}
		return err
	}
	suite, err := sensors.Compile(e.model, e.plan.SubstepRate(), e.plan.Runners(), e.plan.Channels())
	if err != nil {
		return ConfigError{Err: err}
	}
	setup.Model, setup.Sensors = e.model, suite
	task, err := kind.New(setup)
	if err == nil && task == nil {
		err = fmt.Errorf("task %s: New returned no task and no error", kind.Name)
	}
	if err != nil {
		return ConfigError{Err: err}
	}
	spec := task.Spec()
	if err := spec.Check(); err != nil { // before a dataset is begun of it
		return ConfigError{Err: fmt.Errorf("task %s: %w", kind.Name, err)}
	}
	if opt.Accept != nil {
		if err := opt.Accept(spec); err != nil {
			return err
		}
	}
	if warns, ok := task.(interface{ Warnings() []string }); ok {
		e.warnings = warns.Warnings()
	}
	c := sim.Config{
		Model:     e.model,
		Task:      task,
		Sensors:   suite,
		Clock:     e.plan.Clock(),
		Worlds:    cfg.Worlds,
		BlockSize: cfg.BlockSize,
		Workers:   workers(cfg, opt),
		Seed:      cfg.Seed,
		Episodes:  opt.Episodes,
		MaxSteps:  int64(cfg.MaxSteps),
		Log:       opt.Log,
		Trace:     opt.Trace,
	}
	c.Observers = append(c.Observers, opt.Observers...)
	c.Identity = identity(cfg, e.model)
	if c.Autoreset, err = autoreset(cfg.Autoreset); err != nil {
		return err
	}
	if resolved.Records() {
		if err := e.record(cfg, opt, suite, &c); err != nil {
			return err
		}
	}
	if e.rows != nil {
		c.Bindings = e.plan.Bindings(e.rows.Callback)
	} else {
		c.Bindings = e.plan.Bindings(nil)
	}
	if e.sim, err = sim.New(c); err != nil {
		if errors.As(err, new(*sim.ChangeError)) {
			err = ConfigError{Err: err}
		}
		return err
	}
	e.seed, e.spec = cfg.Seed, e.sim.Spec()
	return nil
}

// load calls f, which is busy in an engine and cannot be interrupted. It gives up
// waiting when ctx is cancelled; a model that comes later is closed.
func load(ctx context.Context, f func() (physics.Model, error)) (physics.Model, error) {
	if ctx == nil {
		return f()
	}
	type result struct {
		model physics.Model
		err   error
	}
	loaded := make(chan result, 1)
	go func() {
		m, err := f()
		loaded <- result{m, err}
	}()
	select {
	case r := <-loaded:
		return r.model, r.err
	case <-ctx.Done():
		go func() {
			if r := <-loaded; r.err == nil {
				r.model.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// record begins the dataset, and puts into c what fills it. Without a folder nothing is
// recorded: the recorders' bindings stay in the clock, where changes may reach them, and
// call nothing.
func (e *Env) record(cfg *configs.Config, opt OpenOptions, suite *sensors.Suite, c *sim.Config) error {
	rows, err := worlds.New(c.Task.Spec(), suite, worlds.Selection{
		Tables:       e.plan.Tables(),
		Control:      e.plan.ControlRates(),
		Channels:     cfg.Recording.Channels,
		ChannelRates: e.plan.ChannelRates(),
		EveryWorld:   cfg.Recording.EveryWorld,
		Returns:      returns(cfg.Recording.Episodes),
	})
	if err != nil {
		return err
	}
	options := recorderOptions(cfg)
	step := stepBytes(rows, c.Worlds, e.plan.ControlRate())
	e.segmentSteps = int64(max(1, float64(options.StagedBytes)/step))
	if opt.Dataset == "" {
		return nil
	}
	if step > float64(options.StagedBytes) {
		return ConfigError{Err: fmt.Errorf("recording.memory_mb is %d, want at least %.0f: one control step records %.0f MiB, and the rows of two are in memory at once",
			cfg.Recording.MemoryMB, math.Ceil(2*step/(1<<20)), step/(1<<20))}
	}
	e.rows = rows
	c.Observers = append(c.Observers, e.rows)
	c.Companion = e.rows
	// Before the worlds: they may be recorded from their first instant on.
	blocks := sim.Blocks(c.Worlds, c.BlockSize)
	e.writer, err = recorder.Create(opt.Dataset, e.rows.Tables(), blocks, e.metadata(cfg), options)
	if err != nil {
		return err
	}
	e.rows.Bind(e.writer, c.Worlds, blocks)
	return nil
}

// stepBytes returns the memory of the rows that n worlds record in a control step.
func stepBytes(rows *worlds.Recorder, n int, control runners.Rate) float64 {
	recorded := 0
	for w := range n {
		if rows.Records(w) {
			recorded++
		}
	}
	return float64(recorded) * rows.StagedPerSecond() * control.Seconds()
}

// returns are those of the episodes that are recorded; nil: all.
func returns(e configs.Episodes) *worlds.Returns {
	if e.MinReturn == nil && e.MaxReturn == nil {
		return nil
	}
	r := &worlds.Returns{Min: math.Inf(-1), Max: math.Inf(1)}
	if e.MinReturn != nil {
		r.Min = *e.MinReturn
	}
	if e.MaxReturn != nil {
		r.Max = *e.MaxReturn
	}
	return r
}

func workers(cfg *configs.Config, opt OpenOptions) int {
	for _, n := range []int{opt.Workers, cfg.Workers} {
		if n != 0 {
			return n
		}
	}
	return Processors()
}

var processors = runtime.GOMAXPROCS(0)

// Processors is the number of processors that the program was given when it
// began: how many workers there are unless somebody says otherwise.
func Processors() int { return processors }

func autoreset(name string) (sim.Autoreset, error) {
	switch name {
	case configs.SameStep:
		return sim.SameStep, nil
	case configs.NextStep:
		return sim.NextStep, nil
	case configs.Disabled:
		return sim.Disabled, nil
	}
	return 0, fmt.Errorf("autoreset is %q, want %s, %s or %s", name, configs.SameStep, configs.NextStep, configs.Disabled)
}

// Versions names what decides the numbers of a run besides its configuration.
func Versions() map[string]string {
	return map[string]string{
		"polyrhythm": Version,
		"mujoco":     mujoco.Version(),
		"box2d":      box2d.Version(),
		"go":         runtime.Version(),
	}
}

// identity lists what decides the future of worlds and what sim cannot know: a
// snapshot fits where these are the same.
func identity(cfg *configs.Config, m physics.Model) []string {
	lines := []string{
		"polyrhythm: " + Version,
		"engine: " + engineOf(m),
		fmt.Sprintf("task options: %v", cfg.Task.Options), // fmt sorts the keys
	}
	if m, ok := m.(*mujoco.Model); ok { // the scenes of Box2D follow from the options
		lines = append(lines, fmt.Sprintf("model: digest %08x", m.Digest()))
	}
	return lines
}

// metadata says what run a dataset comes from.
func (e *Env) metadata(cfg *configs.Config) format.Metadata {
	m := format.Metadata{
		Task:          cfg.Task.Name,
		Seed:          cfg.Seed,
		Configuration: portable(cfg),
		Beat:          beatOf(e.plan.Schedule()),
		Versions:      Versions(),
	}
	for _, r := range e.plan.Runners() {
		m.Runners = append(m.Runners, format.Runner{Name: r.Name, Rate: r.Rate.String()})
	}
	return m
}

// portable is a configuration as text without how many goroutines do the work,
// which is no property of the result.
func portable(cfg *configs.Config) string {
	c := *cfg
	c.Workers = 0
	return string(c.YAML())
}

// beatOf is the beat as text: its rate in hertz or, where that is too slow for
// one, its period in seconds.
func beatOf(s *runners.Schedule) string {
	if rate, ok := s.BeatRate(); ok {
		return rate.String()
	}
	return s.BeatPeriod().RatString() + "s"
}

func recorderOptions(cfg *configs.Config) recorder.Options {
	o := recorder.Options{
		BatchRows:     cfg.Recording.BatchRows,
		FlushSegments: cfg.Recording.FlushSegments,
		StagedBytes:   int64(cfg.Recording.MemoryMB) << 20 / 2,
	}
	switch cfg.Recording.Compression {
	case configs.CompressionLZ4:
		o.Compression = recorder.LZ4
	case configs.CompressionZstd:
		o.Compression = recorder.Zstd
	}
	switch cfg.Recording.Sync {
	case configs.SyncNone:
		o.Sync = recorder.SyncNever
	case configs.SyncClose:
		o.Sync = recorder.SyncAtClose
	case configs.SyncBatch:
		o.Sync = recorder.SyncEveryBatch
	}
	return o
}

// Sim is the worlds themselves.
func (e *Env) Sim() *sim.Sim { return e.sim }

// Plan is the resolved clock.
func (e *Env) Plan() *Plan { return e.plan }

// Warnings are what the task finds unwise in its options, one line each. After
// Close they are what the engine met in the run instead: a model whose memory was
// too small for its contacts.
func (e *Env) Warnings() []string { return e.warnings }

// Model is the compiled scene.
func (e *Env) Model() physics.Model { return e.model }

// Each is one segment: it calls f once for every block, as [sim.Sim.Each] does,
// and hands over what each block recorded. The segments a caller cuts a run
// into are the same for any number of workers if the caller's are.
func (e *Env) Each(f func(w *sim.Worker, b *sim.Block) error) error {
	if e.closed {
		return errClosed
	}
	return e.sim.Each(func(w *sim.Worker, b *sim.Block) error {
		err := f(w, b)
		if e.rows != nil {
			// After an error too: the writer waits for every block.
			err = errors.Join(err, e.rows.EndSegment(b.Index()))
		}
		return err
	})
}

// Active reports whether there is anything left to run.
func (e *Env) Active() bool {
	return e.sim.Active() && (e.lastStep == 0 || e.sim.Blocks()[0].N() < e.lastStep)
}

// SegmentSteps is how many control steps, at most a given number, the next segment
// can have: no more than are left, and no more than leave the rows of a segment
// half of recording.memory_mb. The other half is that of the segment before. The
// configuration alone decides it, whether this run records or not.
func (e *Env) SegmentSteps(most int) int {
	n := int64(most)
	if e.segmentSteps > 0 {
		n = min(n, e.segmentSteps)
	}
	if e.lastStep > 0 {
		n = min(n, e.lastStep-e.sim.Blocks()[0].N())
	}
	return int(n)
}

// Drain waits until the dataset's writer has caught up; see [recorder.Writer.Drain].
func (e *Env) Drain() error {
	if e.writer == nil {
		return nil
	}
	return e.writer.Drain()
}

// Close closes the running episodes as incomplete, finishes the dataset, and
// frees everything. What was recorded is on disk whatever happens. The arrays stay to be
// read. Further calls do nothing.
func (e *Env) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	var errs []error
	if e.sim != nil {
		e.sim.Cut()
		if e.rows != nil {
			for b := range e.sim.Blocks() {
				errs = append(errs, e.rows.EndSegment(b))
			}
		}
		errs = append(errs, e.sim.Close())
	}
	if e.writer != nil {
		errs = append(errs, e.writer.Close())
	}
	if e.log != nil {
		errs = append(errs, e.log.Close())
	}
	if e.model != nil {
		errs = append(errs, e.model.Close())
	}
	e.warnings = nil
	if m, ok := e.model.(*mujoco.Model); ok && m.Overflow() != "" {
		e.warnings = []string{m.Overflow()}
	}
	return errors.Join(errs...)
}
