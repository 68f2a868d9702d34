package env

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
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

// Version is the version of Polyrhythm, which is stored in datasets and run folders.
const Version = "0.1.0"

// OpenOptions are the options of [Open].
type OpenOptions struct {
	// Context, if not nil, cancels Open while an engine compiles the model, which may
	// take minutes.
	Context context.Context

	// Slice, if it is not the zero value, opens some worlds of the run only. They do, bit for
	// bit, what they do where the whole run is opened with the same options: the limits
	// Episodes and Steps, the length of segments (SegmentSteps) and the memory that
	// recording wants are those of the whole run.
	Slice sim.Slice

	Workers  int    // goroutines that step worlds; 0 for the number in the configuration, or one per CPU
	Episodes int64  // stop after this many episodes over all worlds; 0 for no limit
	Steps    int64  // stop after this many control steps of each world; 0 for no limit
	Stagger  bool   // draw the time limits of first episodes, see sim.Config
	Dataset  string // folder to record to; "" for no recording, even if the configuration enables it

	// Plan is the result of NewPlan for the configuration; nil to call it in Open.
	Plan *Plan

	// StepOffset is the number of control steps of each world that were taken before this
	// run, for the curriculum of a described task: an evaluation stands where training
	// ended.
	StepOffset int64

	// Poses makes the poses of the bodies readable, see [Env.Pose].
	Poses bool

	// Capture adds a binding in Export to each runner, see [Env.OnCapture].
	Capture bool

	// Bindings are added after those of the configuration.
	Bindings []sim.Binding

	// Observers are called for all worlds, see [sim.Observer].
	Observers []sim.Observer

	// Accept, if not nil, is called with the task's description before a dataset is
	// created. Open returns its error.
	Accept func(sim.Spec) error

	// Trace records the wall-clock times of the callbacks of one world; may be nil.
	Trace *sim.Trace

	// Continue, if not nil, is a position of an earlier run of the same configuration,
	// see [Env.Position]: the worlds begin there, the dataset in the folder Dataset is
	// cut and goes on from there, and Log is one that goes on from there, if any.
	Continue *Position

	// Log records the states of the worlds, or compares them with those of another run;
	// see [LogHeader] and [CompareLog]. Close closes it, and so does Open after an
	// error. It may be nil.
	Log *runlog.Log
}

// Env holds the worlds of a configuration. One goroutine at a time may call its methods,
// which work on several goroutines themselves.
type Env struct {
	plan   *Plan
	model  physics.Model
	sim    *sim.Sim
	rows   *worlds.Recorder // nil without recording
	writer *recorder.Writer // nil without recording
	log    *runlog.Log      // nil without a log
	digest string           // see ModelDigest

	segmentSteps int64 // limit of control steps per segment, set by the recording; 0 for none
	lastStep     int64 // number of control steps after which the run ends; 0 for no limit
	warnings     []string

	closed bool
	failed error // the error after which the worlds cannot be stepped

	bodies []physics.Body // that can move
	poses  []int          // probes of their poses; nil without OpenOptions.Poses
	pushed []pushed       // in the next control step
	due    []due          // by world; nil without a runner Planner

	captured []string // runners with a binding of captures
	capture  func(int, *runners.StepContext, *sim.World)

	configured int // changes of the clock that the configuration has

	seed     uint64
	spec     sim.Spec
	sampling sync.Once // creates samplers
	samplers []*rand.Rand
	sources  []*rand.ChaCha8 // of samplers
}

// ConfigError is the type of the errors of [NewPlan] and [Open] that the configuration
// causes.
type ConfigError = configs.Error

// Plan is the resolved clock of a configuration.
type Plan = plan.Plan

// NewPlan resolves the clock of a configuration. Errors begin with the key and are of
// type [ConfigError].
func NewPlan(cfg *configs.Config) (*Plan, error) {
	kind, err := taskOf(cfg)
	if err != nil {
		return nil, ConfigError{Err: err}
	}
	return plan.Open(cfg, kind.Substeps)
}

// Open builds the worlds of a configuration and begins their first episodes. Close the
// env when done, which also completes its dataset.
func Open(cfg *configs.Config, opt OpenOptions) (*Env, error) {
	e := &Env{log: opt.Log, lastStep: opt.Steps}
	if err := e.open(cfg, opt); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Env) open(cfg *configs.Config, opt OpenOptions) error {
	records, err := e.resolve(cfg, opt)
	if err != nil {
		return err
	}
	task, suite, err := e.makeTask(opt.Context, cfg, opt.StepOffset)
	if err != nil {
		return err
	}
	if e.log != nil && e.digest != "" {
		if err := e.log.SetModel(e.digest); err != nil {
			return ConfigError{Err: fmt.Errorf("model %s %w", ownModel(cfg), err)}
		}
	}
	if opt.Accept != nil {
		if err := opt.Accept(task.Spec()); err != nil {
			return err
		}
	}
	c := sim.Config{
		Model:     e.model,
		Task:      task,
		Sensors:   suite,
		Clock:     e.plan.Clock(),
		Worlds:    cfg.Worlds,
		Slice:     opt.Slice,
		BlockSize: cfg.BlockSize,
		Workers:   workers(cfg, opt),
		Seed:      cfg.Seed,
		Episodes:  opt.Episodes,
		MaxSteps:  int64(cfg.MaxSteps),
		Stagger:   opt.Stagger,
		Identity:  identity(cfg, e.model),
		Log:       opt.Log,
		Trace:     opt.Trace,
	}
	c.Observers = append(c.Observers, opt.Observers...)
	if c.Autoreset, err = autoreset(cfg.Autoreset); err != nil {
		return err
	}
	if records {
		if err := e.record(cfg, opt, suite, &c); err != nil {
			return err
		}
	}
	e.watchBodies(opt.Poses, &c)
	if err := e.newSim(c); err != nil {
		return err
	}
	e.seed, e.spec, e.configured = cfg.Seed, e.sim.Spec(), len(e.sim.Changes())
	return e.goOn(opt.Continue)
}

// resolve sets the plan, checks what has to fit it, and reports whether the configuration
// records rows.
func (e *Env) resolve(cfg *configs.Config, opt OpenOptions) (records bool, err error) {
	resolved := opt.Plan
	if resolved == nil {
		if resolved, err = NewPlan(cfg); err != nil {
			return false, err
		}
	}
	more := opt.Bindings
	if opt.Capture {
		more = slices.Concat(more, e.captureBindings(resolved.Runners()))
	}
	if e.plan, err = resolved.With(more); err != nil {
		return false, err
	}
	if err := opt.Slice.Check(cfg.Worlds, cfg.BlockSize); err != nil {
		return false, ConfigError{Err: err}
	}
	if e.log != nil {
		if err := checkLog(e.log.Header(), cfg, opt); err != nil {
			return false, err
		}
	}
	return resolved.Records(), nil
}

// newSim opens the sim with the bindings of the plan.
func (e *Env) newSim(c sim.Config) (err error) {
	var record func(string) func(*runners.StepContext, *sim.World)
	if e.rows != nil {
		record = e.rows.Callback
	}
	if e.plan.Decides() {
		e.due = make([]due, c.Held().Len())
	}
	c.Bindings = e.plan.Bindings(record, e.decisionDue)
	if e.sim, err = sim.New(c); errors.As(err, new(*sim.ChangeError)) {
		err = ConfigError{Err: err}
	}
	return err
}

// goOn continues from where an earlier run stood, unless from is nil.
func (e *Env) goOn(from *Position) error {
	if from == nil {
		return nil
	}
	if e.writer != nil { // the first instants of worlds that are not to be
		e.writer.DropSegment()
	}
	for _, c := range from.Changes {
		if err := e.sim.Change(c); err != nil {
			return err
		}
	}
	if from.Samples != nil {
		if err := e.setSamplers(from.Samples); err != nil {
			return err
		}
	}
	return e.sim.Restore(from.Worlds)
}

// Position is where a run stands between two calls of [Env.Each]: the worlds, their clock,
// and the dataset, which is nil without recording.
type Position struct {
	Worlds  *sim.Snapshot
	Dataset *recorder.Position
	Changes []runners.Change // of the clock, besides those of the configuration
	Samples [][]byte         // by row, the state of the source of [Env.SampleActions]; nil: its beginning
}

// Position waits for the writer of the dataset and returns where the run stands, for
// OpenOptions.Continue. At least one call of Each must have been made.
func (e *Env) Position() (*Position, error) {
	p := &Position{Worlds: e.sim.Snapshot(), Changes: e.sim.Changes()[e.configured:]}
	var err error
	if e.samplers != nil {
		if p.Samples, err = e.samplerStates(); err != nil {
			return nil, err
		}
	}
	if e.writer == nil {
		return p, nil
	}
	p.Dataset, err = e.writer.Position()
	return p, err
}

// digestOf returns Env.ModelDigest.
func digestOf(cfg *configs.Config, model physics.Model) string {
	if m, ok := model.(*mujoco.Model); ok && ownModel(cfg) != "" {
		return fmt.Sprintf("%08x", m.Digest())
	}
	return ""
}

// ownModel returns the file of the user's model, the first of a scene's; "" for a task's own.
func ownModel(cfg *configs.Config) string {
	if cfg.Described() {
		return cfg.Scene.Models[0].File
	}
	return cfg.Model
}

// OpenModel compiles the model of a configuration, without worlds or a task. Close it
// when done. Its errors are those of [Open]; ctx, if not nil, cancels it.
func OpenModel(ctx context.Context, cfg *configs.Config) (physics.Model, error) {
	p, err := NewPlan(cfg)
	if err != nil {
		return nil, err
	}
	_, _, m, err := openModel(ctx, cfg, p)
	return m, err
}

// openModel compiles the model of a configuration. It returns the task's description
// and its setup, which lacks the model and the sensors.
func openModel(ctx context.Context, cfg *configs.Config, p *Plan) (kind Task, setup Setup, m physics.Model, err error) {
	if kind, err = taskOf(cfg); err != nil {
		return kind, setup, nil, ConfigError{Err: err}
	}
	setup = Setup{
		ControlSeconds: p.ControlRate().Seconds(),
		SubstepSeconds: p.SubstepRate().Seconds(),
		options:        cfg.Task.Options,
	}
	m, err = load(ctx, func() (physics.Model, error) { return kind.load(cfg.Model, setup) })
	if err != nil && !errors.Is(err, context.Canceled) {
		if cfg.Described() {
			err = ConfigError{Err: err}
		} else if cfg.Model != "" {
			err = ConfigError{Err: fmt.Errorf("model: %w", err)}
		}
	}
	return kind, setup, m, err
}

// makeTask compiles the model and the sensors and makes the task. It sets e.model,
// which Close closes, and e.warnings.
func (e *Env) makeTask(ctx context.Context, cfg *configs.Config, stepOffset int64) (sim.Task, *sensors.Suite, error) {
	kind, setup, m, err := openModel(ctx, cfg, e.plan)
	if err != nil {
		return nil, nil, err
	}
	e.model, e.digest = m, digestOf(cfg, m)
	suite, err := sensors.Compile(e.model, e.plan.SubstepRate(), e.plan.Runners(), e.plan.Channels())
	if err != nil {
		return nil, nil, ConfigError{Err: err}
	}
	setup.Model, setup.Sensors, setup.stepOffset = e.model, suite, stepOffset
	task, err := kind.New(setup)
	if err == nil && task == nil {
		err = fmt.Errorf("task %s: New returned no task and no error", kind.Name)
	}
	if err != nil {
		return nil, nil, ConfigError{Err: err}
	}
	spec := task.Spec()
	if err := spec.Check(); err != nil { // before a dataset is created
		return nil, nil, ConfigError{Err: fmt.Errorf("task %s: %w", kind.Name, err)}
	}
	if warns, ok := task.(interface{ Warnings() []string }); ok {
		e.warnings = warns.Warnings()
	}
	return task, suite, nil
}

// load calls f, which runs in an engine and cannot be interrupted. If ctx is cancelled,
// load returns its error at once, and closes the model when f returns it.
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

// record creates the dataset and sets the recorder in c. Without a folder it only sets
// the length of segments: the bindings of the recorders stay in the clock, so that
// changes can refer to them, but call nothing.
func (e *Env) record(cfg *configs.Config, opt OpenOptions, suite *sensors.Suite, c *sim.Config) error {
	rows, err := worlds.New(c.Task.Spec(), suite, worlds.Selection{
		Tables:       e.plan.Tables(),
		Control:      e.plan.ControlRates(),
		Channels:     cfg.Recording.Channels,
		ChannelRates: e.plan.ChannelRates(),
		EveryWorld:   cfg.Recording.EveryWorld,
		Pose:         e.pose(cfg, c),
		Returns:      returns(cfg.Recording.Episodes),
	})
	if err != nil {
		return err
	}
	options := RecorderOptions(cfg)
	if !opt.Slice.IsAll() {
		options.Slice = &recorder.Slice{FirstBlock: opt.Slice.From / sim.BlockSize(c.Worlds, c.BlockSize)}
	}
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
	// Before the worlds are created, since their first instant may be recorded.
	blocks := sim.Blocks(c.Held().Len(), sim.BlockSize(c.Worlds, c.BlockSize))
	if at := opt.Continue; at == nil {
		e.writer, err = recorder.Create(opt.Dataset, e.rows.Tables(), blocks, e.metadata(cfg), options)
	} else if at.Dataset != nil {
		e.writer, err = recorder.Continue(opt.Dataset, e.rows.Tables(), blocks, e.metadata(cfg), options, at.Dataset)
	} else {
		err = errors.New("the run to continue did not record, want it not to")
	}
	if err != nil {
		return err
	}
	e.rows.Bind(e.writer, c.Held(), blocks)
	return nil
}

// pose adds the probe of poses to those of c and says where a recorder finds it, if the
// configuration wants poses and the engine can draw them.
func (e *Env) pose(cfg *configs.Config, c *sim.Config) worlds.Pose {
	drawable, ok := e.model.(physics.Drawable)
	if !ok || !cfg.Recording.Poses() {
		return worlds.Pose{}
	}
	probe := drawable.Pose()
	c.Probes = append(c.Probes, probe.Source)
	return worlds.Pose{
		Size:    probe.Size,
		Probe:   len(c.Task.Spec().Probes) + len(c.Probes) - 1,
		Scenery: drawable.Scenery(),
	}
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

// returns returns the range of returns of recorded episodes; nil for all.
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

// Processors returns GOMAXPROCS at the start of the program, the default number of
// workers.
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

// Versions returns the versions of the software that the results of a run depend on, by
// name.
func Versions() map[string]string {
	return map[string]string{
		"polyrhythm": Version,
		"mujoco":     mujoco.Version(),
		"box2d":      box2d.Version(),
		"go":         runtime.Version(),
	}
}

// identity lists the properties of worlds that sim does not have. A snapshot can be
// restored only where they are the same.
func identity(cfg *configs.Config, m physics.Model) []string {
	lines := []string{
		"polyrhythm: " + Version,
		"engine: " + engineOf(m),
		fmt.Sprintf("task options: %v", cfg.Task.Options), // fmt sorts the keys
	}
	if m, ok := m.(*mujoco.Model); ok { // a scene of Box2D depends on the options only
		lines = append(lines, fmt.Sprintf("model: digest %08x", m.Digest()))
	}
	if line := description(cfg); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// metadata returns the description of the run for its dataset.
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

// portable returns a configuration as YAML without the number of workers, on which
// results do not depend.
func portable(cfg *configs.Config) string {
	c := *cfg
	c.Workers = 0
	return string(c.YAML())
}

// beatOf returns the beat as text: its rate in hertz, or its period in seconds if the
// rate cannot be represented.
func beatOf(s *runners.Schedule) string {
	if rate, ok := s.BeatRate(); ok {
		return rate.String()
	}
	return s.BeatPeriod().RatString() + "s"
}

// RecorderOptions returns how the dataset of a configuration is written.
func RecorderOptions(cfg *configs.Config) recorder.Options {
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

// Sim returns the worlds. They belong to the env.
func (e *Env) Sim() *sim.Sim { return e.sim }

// Plan returns the resolved clock.
func (e *Env) Plan() *Plan { return e.plan }

// Warnings returns the warnings of the task about its options, one line each. After
// Close it returns those of the engine about the run instead, such as that the model's
// memory was too small for its contacts.
func (e *Env) Warnings() []string { return e.warnings }

// ModelDigest identifies the compiled model, if it is from files of the user: a described
// task's, or that of the key model. It is "" for a model that belongs to its task.
func (e *Env) ModelDigest() string { return e.digest }

// Model returns the compiled model. It belongs to the env.
func (e *Env) Model() physics.Model { return e.model }

// Each runs one segment: it calls f once for every block, as [sim.Sim.Each] does, and
// passes the recorded rows to the writer. The order of rows in a dataset depends on the
// number of control steps in each segment, not on the number of workers.
func (e *Env) Each(f func(w *sim.Worker, b *sim.Block) error) error {
	if e.closed {
		return errClosed
	}
	if e.rows != nil {
		act := f
		f = func(w *sim.Worker, b *sim.Block) error {
			// Also after an error, since the writer waits for every block.
			return errors.Join(act(w, b), e.rows.EndSegment(b.Index()))
		}
	}
	err := e.sim.Each(f)
	e.endPushes()
	return err
}

// Active reports whether the run has not reached its limit of steps and some world still
// has an episode to run.
func (e *Env) Active() bool {
	return e.sim.Active() && (e.lastStep == 0 || e.sim.Blocks()[0].N() < e.lastStep)
}

// SegmentSteps returns the number of control steps for the next segment: at most most,
// the number left in the run, and the number whose rows fit into half of
// recording.memory_mb. The rows of the previous segment may occupy the other half. It is
// the same whether the run records or not, and for every slice of it.
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

// Drain waits until the writer of the dataset has written all rows it was given; see
// [recorder.Writer.Drain].
func (e *Env) Drain() error {
	if e.writer == nil {
		return nil
	}
	return e.writer.Drain()
}

// Close ends the running episodes as incomplete, completes the dataset and the log, and
// frees the memory of the engine. The recorded rows are written even if it returns an
// error. The arrays stay readable. Further calls do nothing.
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
