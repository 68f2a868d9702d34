package env

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/box2d"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/worlds"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// OpenOptions are the options of [Open].
type OpenOptions struct {
	// Context, if not nil, cancels Open while an engine compiles the model, which may take minutes.
	Context context.Context

	// Slice, if it is not the zero value, opens some worlds of the run only. They do, bit for bit, what they do where
	// the whole run is opened with the same options: the limits Episodes and Steps, the length of segments
	// (SegmentSteps) and the memory that recording wants are those of the whole run.
	Slice sim.Slice

	Workers  int   // goroutines that step worlds; 0 for the number in the configuration, or one per CPU
	Episodes int64 // stop after this many episodes over all worlds, each of at most [LongestEpisode]; 0 for no limit
	Steps    int64 // stop after this many control steps of each world; 0 for no limit
	Stagger  bool  // draw the time limits of first episodes, see sim.Config
	Learning bool  // a policy learns in the worlds: where recording.every_world is 0, only the first has rows

	// Independent and FirstEpisode are those of [sim.Config].
	Independent  bool
	FirstEpisode int64

	Dataset string // folder to record to; "" for no recording, even if the configuration enables it

	// Plan is the result of NewPlan for the configuration, with Bindings and, for Capture, those of Captures; nil to
	// call it in Open.
	Plan *Plan

	// StepOffset is the number of control steps of each world that were taken before this run, for the curriculum of a
	// described task: an evaluation stands where training ended.
	StepOffset int64

	// Poses makes the poses of the bodies readable, see [Env.Pose].
	Poses bool

	// Capture adds a binding in Export to each runner, see [Env.OnCapture].
	Capture bool

	// Bindings are added after those of the configuration; nil with a Plan, which has them.
	Bindings []sim.Binding

	// Observers are called for all worlds, see [sim.Observer].
	Observers []sim.Observer

	// Updated is called for a block whose rows of the arrays have new values, see [sim.Config]; nil: it is not.
	Updated func(*sim.Block)

	// Accept, if not nil, is called with the task's description before a dataset is created. Open returns its error.
	Accept func(sim.Spec) error

	// Trace records the wall-clock times of the callbacks of one world; may be nil.
	Trace *sim.Trace

	// What the caller needs counts where Open checks that there is enough memory.
	Snapshots int                           // see [sim.Config]
	Segment   int                           // control steps in a call of [Env.Each], at most; 0: one
	Beside    func(sim.Spec) (int64, error) // bytes on Go's heap beside the worlds; nil: none

	// Continue, if not nil, is a position of an earlier run of the same configuration, see [Env.State]: the worlds
	// begin there, the dataset in the folder Dataset is cut and goes on from there, and Log is one that goes on from
	// there, if any.
	Continue *State

	// Log records the states of the worlds, or compares them with those of another run; see [LogHeader] and
	// [CompareLog]. Close closes it, and so does Open after an error. It may be nil.
	Log *runlog.Log
}

// LongestEpisode is the number of control steps after which an episode is truncated in a run that ends after a
// number of episodes, where neither the task nor the configuration sets a limit. Such a run has an end, whatever its
// policy does.
const LongestEpisode = 10_000

// longest returns the time limit of episodes that replaces the task's own; 0: none does.
func longest(cfg *configs.Config, opt OpenOptions, spec sim.Spec) int64 {
	if cfg.MaxSteps == 0 && spec.MaxSteps == 0 && opt.Episodes > 0 {
		return LongestEpisode
	}
	return int64(cfg.MaxSteps)
}

// ConfigError is the type of the errors of [NewPlan] and [Open] that the configuration causes.
type ConfigError = configs.Error

// Open builds the worlds of a configuration and begins their first episodes. Close the env when done, which also
// completes its dataset.
func Open(cfg *configs.Config, opt OpenOptions) (*Env, error) {
	e := &Env{log: opt.Log, lastStep: opt.Steps}
	if err := e.open(cfg, opt); err != nil {
		return nil, errors.Join(err, e.close())
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
		Clock:     e.plan.clock,
		Worlds:    cfg.Worlds,
		Slice:     opt.Slice,
		BlockSize: cfg.BlockSize,
		Workers:   cmp.Or(opt.Workers, cfg.Workers, Processors()),
		Seed:      cfg.Seed,
		Episodes:  opt.Episodes,
		MaxSteps:  longest(cfg, opt, task.Spec()),
		Stagger:   opt.Stagger,
		Autoreset: cfg.Autoreset,

		Independent: opt.Independent, FirstEpisode: opt.FirstEpisode,

		Identity:  identity(cfg, e.model, task),
		Log:       opt.Log,
		Trace:     opt.Trace,
		Snapshots: opt.Snapshots,
		Updated:   opt.Updated,
	}
	if opt.Log != nil {
		addBeside(&c, func(worlds int) int64 { return loggedBytes(task.Spec(), worlds, opt.Segment) })
	}
	c.Observers = append(c.Observers, opt.Observers...)
	if records {
		if err := e.record(cfg, opt, suite, &c); err != nil {
			return err
		}
	}
	if opt.Beside != nil {
		bytes, err := opt.Beside(task.Spec())
		if err != nil {
			return err
		}
		addBeside(&c, func(int) int64 { return bytes })
	}
	e.probeBodies(opt.Poses, &c)
	if err := e.newSim(c, cfg.Recording.Tables); err != nil {
		return err
	}
	e.seed, e.spec, e.configured = cfg.Seed, e.sim.Spec(), len(e.sim.Changes())
	return e.resume(opt.Continue)
}

// resolve sets the plan, checks what has to fit it, and reports whether the configuration records rows.
func (e *Env) resolve(cfg *configs.Config, opt OpenOptions) (records bool, err error) {
	switch e.plan = opt.Plan; {
	case cfg == nil || opt.Plan == nil && !opt.Capture:
		e.plan, err = NewPlan(cfg, opt.Bindings...)
	case opt.Plan == nil:
		e.plan, err = NewPlan(cfg, slices.Concat(opt.Bindings, Captures(cfg))...)
	case opt.Bindings != nil || opt.Capture && opt.Plan.Schedule().Binding(capturePrefix+cfg.Runners[0].Name) == nil:
		err = errors.New("OpenOptions has a Plan without its Bindings and captures, want them given to NewPlan")
	}
	if err != nil {
		return false, err
	}
	if err := opt.Slice.Check(cfg.Worlds, cfg.BlockSize); err != nil {
		return false, ConfigError{Err: err}
	}
	if opt.Independent && opt.Dataset != "" {
		return false, errors.New("OpenOptions has Independent and a Dataset, want one of them: a recipe says nothing of their seeds")
	}
	if e.log != nil {
		if err := checkLog(e.log.Header(), cfg, opt); err != nil {
			return false, err
		}
	}
	return e.plan.Records(), nil
}

// newSim opens the sim with what the bindings of the plan call, those of recorders by the tables that they record.
func (e *Env) newSim(c sim.Config, tables []string) (err error) {
	if e.plan.Schedule().Binding(planner) != nil {
		e.boundaries = make(plannerBoundaries, c.Held().Len())
	}
	c.Calls = maps.Clone(e.plan.calls)
	c.Calls[planner] = e.boundaries.reach
	if e.rows != nil {
		for _, table := range tables {
			c.Calls[recorders[table]] = e.rows.Callback(table)
		}
	}
	e.connectCaptures(c.Calls)
	if e.sim, err = sim.New(c); errors.As(err, new(*sim.ChangeError)) {
		err = ConfigError{Err: err}
	}
	return err
}

// digestOf returns Env.ModelDigest.
func digestOf(cfg *configs.Config, model physics.Model) string {
	if m, ok := model.(*mujoco.Model); ok && ownModel(cfg) != "" {
		return fmt.Sprintf("%08x", m.Digest())
	}
	return ""
}

// ownModel returns the file of the user's model, the first of a scene's; "" without one.
func ownModel(cfg *configs.Config) string {
	for _, m := range cfg.Scene.Models {
		if m.File != "" && !strings.HasPrefix(m.File, scene.Builtin) {
			return m.File
		}
	}
	return cfg.Model
}

// OpenModel compiles the model of a configuration, without worlds or a task. Close it when done. Its errors are
// those of [Open]; ctx, if not nil, cancels it.
func OpenModel(ctx context.Context, cfg *configs.Config) (physics.Model, error) {
	p, err := NewPlan(cfg)
	if err != nil {
		return nil, err
	}
	_, _, m, err := openModel(ctx, cfg, p, nil)
	return m, err
}

// ExportScene compiles the model of a configuration and returns it as other programs read it: as an MJCF file, which
// names its assets by absolute paths, or as an MJB file for the same version of MuJoCo. notes are lines about what such
// a program does otherwise. The errors are those of [OpenModel].
func ExportScene(ctx context.Context, cfg *configs.Config, mjb bool) (data []byte, notes []string, err error) {
	p, err := NewPlan(cfg)
	if err != nil {
		return nil, nil, err
	}
	var mjcf func([]byte)
	if !mjb {
		mjcf = func(text []byte) { data = text }
	}
	_, _, model, err := openModel(ctx, cfg, p, mjcf)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, model.Close()) }()
	m, ok := model.(*mujoco.Model)
	if !ok {
		return nil, nil, ConfigError{Err: fmt.Errorf("task.name is %s, a scene of %s, want one of MuJoCo", cfg.Task.Name,
			engineOf(model))}
	}
	if mjb {
		data, err = m.MJB()
		notes = append(notes, fmt.Sprintf("only MuJoCo %s reads it", mujoco.Version()))
	}
	if names := m.Callbacks(); len(names) > 0 {
		notes = append(notes, fmt.Sprintf("%s: of the types dc_motor or learned, which only Polyrhythm computes: "+
			"elsewhere they have no force", strings.Join(names, ", ")))
	}
	if cfg.Scene.Contacts != nil {
		notes = append(notes, "scene.contacts: not part of the model")
	}
	return data, notes, err
}

// openModel compiles the model of a configuration. It returns the task's description and its setup, which lacks the
// model and the sensors. mjcf is that of [mujoco.Options].
func openModel(ctx context.Context, cfg *configs.Config, p *Plan, mjcf func([]byte)) (kind Task, setup Setup,
	m physics.Model, err error) {
	if kind, err = taskOf(cfg); err != nil {
		return kind, setup, nil, ConfigError{Err: err}
	}
	setup = Setup{
		Name:           kind.Name,
		ControlSeconds: p.Schedule().ControlRate().Seconds(),
		SubstepSeconds: p.Schedule().SubstepRate().Seconds(),
		options:        cfg.Task.Options,
		controlRate:    p.Schedule().ControlRate(),
		mjcf:           mjcf,
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

// makeTask compiles the model and the sensors and makes the task. It sets e.model, which Close closes, and
// e.warnings.
func (e *Env) makeTask(ctx context.Context, cfg *configs.Config, stepOffset int64) (sim.Task, *sensors.Suite, error) {
	kind, setup, m, err := openModel(ctx, cfg, e.plan, nil)
	if err != nil {
		return nil, nil, err
	}
	e.model, e.digest = m, digestOf(cfg, m)
	schedule := e.plan.Schedule()
	suite, err := sensors.Compile(e.model, schedule.SubstepRate(), schedule.Runners(), slices.Clone(e.plan.channels))
	if err != nil {
		return nil, nil, ConfigError{Err: err}
	}
	setup.Model, setup.Sensors, setup.stepOffset = e.model, suite, stepOffset
	task, err := kind.make(setup)
	if err != nil {
		return nil, nil, ConfigError{Err: err}
	}
	if notes, ok := e.model.(interface{ Notes() []string }); ok {
		e.warnings = notes.Notes()
	}
	if warns, ok := task.(interface{ Warnings() []string }); ok {
		e.warnings = append(e.warnings, warns.Warnings()...)
	}
	if unseen := suite.Unseen(); unseen != nil {
		e.warnings = append(slices.Clip(e.warnings), fmt.Sprintf("sensors: the model has %s, which cameras do not see",
			strings.Join(unseen, ", ")))
	}
	return task, suite, nil
}

// make makes the task and checks its description, before a dataset is created. A panic is an error, so that the
// model can be closed.
func (t *Task) make(s Setup) (task sim.Task, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("task %s: New or Spec panicked: %v\n%s", t.Name, p, debug.Stack())
		}
	}()
	if task, err = t.New(s); err != nil {
		return nil, err
	}
	if task == nil {
		return nil, fmt.Errorf("task %s: New returned no task and no error", t.Name)
	}
	spec := task.Spec()
	if err = spec.Check(); err == nil && spec.Name != t.Name {
		err = fmt.Errorf("the name in its Spec is %q, want %q, the registered one", spec.Name, t.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", t.Name, err)
	}
	return task, nil
}

// load calls f, which runs in an engine and cannot be interrupted. If ctx is cancelled, load returns its error at
// once, and closes the model when f returns it.
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

// everyWorld returns n if the worlds 0, n, 2n and so on have rows.
func everyWorld(cfg *configs.Config, learning bool) int {
	if n := cfg.Recording.EveryWorld; n > 0 {
		return n
	}
	if learning {
		return cfg.Worlds
	}
	return 1
}

// record creates the dataset and sets the recorder in c. Without a folder it only sets the length of segments: the
// bindings of the recorders stay in the clock, so that changes can refer to them, but call nothing.
func (e *Env) record(cfg *configs.Config, opt OpenOptions, suite *sensors.Suite, c *sim.Config) error {
	varying, err := suite.Varying(e.model, c.Task.Spec().Parameters)
	if err != nil {
		return ConfigError{Err: err}
	}
	rows, err := worlds.New(c.Task.Spec(), suite, worlds.Selection{
		Tables:       e.plan.tableRates(cfg.Recording.Tables),
		Control:      e.plan.rates(controller),
		Channels:     cfg.Recording.Channels,
		ChannelRates: e.plan.channelRates(),
		Varying:      varying,
		EveryWorld:   everyWorld(cfg, opt.Learning),
		Pose:         e.pose(cfg, c),
		Returns:      returns(cfg.Recording.Episodes),
		Infos:        cfg.Recording.Infos,
	})
	if err != nil {
		return err
	}
	options := RecorderOptions(cfg)
	if !opt.Slice.IsAll() {
		options.Slice = &recorder.Slice{FirstBlock: opt.Slice.From / sim.BlockSize(c.Worlds, c.BlockSize)}
	}
	step := stepBytes(rows, c.Worlds, e.plan.Schedule().ControlRate())
	e.segmentSteps = int64(max(1, float64(options.StagedBytes)/step))
	if opt.Dataset == "" {
		return nil
	}
	if step > float64(options.StagedBytes) {
		return ConfigError{Err: fmt.Errorf("recording.memory_mb is %d, want at least %.0f: one control step records "+
			"%.0f MiB, and the rows of two are in memory at once",
			cfg.Recording.MemoryMB, math.Ceil(2*step/(1<<20)), step/(1<<20))}
	}
	e.rows = rows
	addBeside(c, func(worlds int) int64 {
		// A segment is written while the next one is recorded, until that many bytes wait.
		steps := 2 * min(e.segmentSteps, int64(max(1, opt.Segment)))
		if opt.Steps > 0 {
			steps = min(steps, opt.Steps)
		}
		staged := min(options.StagedBytes, int64(float64(steps)*stepBytes(rows, worlds, e.plan.Schedule().ControlRate())))
		return staged + rows.Bytes(worlds, opt.Snapshots, options)
	})
	c.Observers = append(c.Observers, e.rows)
	c.StateSaver = e.rows
	// Before the worlds are created, since their first instant may be recorded.
	blocks := sim.Blocks(c.Held().Len(), sim.BlockSize(c.Worlds, c.BlockSize))
	if state := opt.Continue; state == nil {
		e.writer, err = recorder.Create(opt.Dataset, e.rows.Tables(), blocks, e.metadata(cfg), options)
	} else if state.Dataset != nil {
		e.writer, err = recorder.Continue(opt.Dataset, e.rows.Tables(), blocks, e.metadata(cfg), options, state.Dataset)
	} else {
		err = errors.New("the run to continue did not record, want it not to")
	}
	if err != nil {
		return err
	}
	e.rows.Bind(e.writer, c.Held(), blocks)
	return nil
}

// pose adds the probe of poses to those of c and says where a recorder finds it, if the configuration wants poses
// and the engine can draw them.
func (e *Env) pose(cfg *configs.Config, c *sim.Config) worlds.Pose {
	drawable, ok := e.model.(physics.Drawable)
	if !ok || !cfg.Recording.Poses() {
		return worlds.Pose{}
	}
	probe := drawable.Pose()
	pose := worlds.Pose{
		Size:    probe.Size,
		Probe:   len(c.Task.Spec().Probes) + len(c.Probes),
		Scenery: drawable.Scenery(),
	}
	c.Probes = append(c.Probes, probe.Source)
	looks, sources, err := sensors.Looks(e.model, c.Task.Spec().Parameters)
	if err != nil {
		panic(err) // the task has them of the model
	}
	for _, look := range looks {
		pose.Looks = append(pose.Looks, look.Source)
		pose.LookSize += look.Size
	}
	c.Probes = append(c.Probes, sources...)
	return pose
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

// addBeside adds to what the caller of c needs.
func addBeside(c *sim.Config, more func(worlds int) int64) {
	before := c.Beside
	c.Beside = func(worlds int) int64 {
		if before == nil {
			return more(worlds)
		}
		return before(worlds) + more(worlds)
	}
}

// loggedBytes returns about the memory of what a run log has of a segment before it is written: the actions and states
// of the worlds in each control step.
func loggedBytes(spec sim.Spec, worlds, segment int) int64 {
	return int64(worlds) * int64(max(1, segment)) * int64(4*spec.ActionSize+8*int(runlog.NumAspects))
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

var processors = runtime.GOMAXPROCS(0)

// Processors returns GOMAXPROCS at the start of the program, the default number of workers.
func Processors() int { return processors }

// Versions returns the versions of the software that the results of a run depend on, by name.
func Versions() map[string]string {
	return map[string]string{
		"polyrhythm": Version,
		"mujoco":     mujoco.Version(),
		"box2d":      box2d.Version(),
		"go":         runtime.Version(),
	}
}

// identity lists the properties of worlds that sim does not have. A snapshot can be restored only where they are the
// same.
func identity(cfg *configs.Config, m physics.Model, task sim.Task) []string {
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
	if t, ok := task.(interface{ Identity() []string }); ok {
		lines = append(lines, t.Identity()...)
	}
	return lines
}

// metadata returns the description of the run for its dataset.
func (e *Env) metadata(cfg *configs.Config) format.Metadata {
	m := format.Metadata{
		Task:          cfg.Task.Name,
		Label:         cfg.Task.Label,
		Seed:          cfg.Seed,
		Configuration: portable(cfg),
		Beat:          beatOf(e.plan.Schedule()),
		Versions:      Versions(),
	}
	for _, r := range e.plan.Schedule().Runners() {
		m.Runners = append(m.Runners, format.Runner{Name: r.Name, Rate: r.Rate.String()})
	}
	return m
}

// portable returns a configuration as YAML without the number of workers, on which results do not depend.
func portable(cfg *configs.Config) string {
	c := *cfg
	c.Workers = 0
	return string(c.YAML())
}

// beatOf returns the beat as text: its rate in hertz, or its period in seconds if the rate cannot be represented.
func beatOf(s *runners.Schedule) string {
	if rate, ok := s.BeatRate(); ok {
		return rate.String()
	}
	return s.BeatPeriod().RatString() + "s"
}

// mustHave panics for a nil configuration.
func mustHave(cfg *configs.Config, caller string) {
	if cfg == nil {
		panic("env: " + caller + ": " + noConfiguration)
	}
}

// RecorderOptions returns how the dataset of a configuration is written. It panics without one.
func RecorderOptions(cfg *configs.Config) recorder.Options {
	mustHave(cfg, "RecorderOptions")
	return recorder.Options{
		BatchRows:     cfg.Recording.BatchRows,
		FlushSegments: cfg.Recording.FlushSegments,
		StagedBytes:   int64(cfg.Recording.MemoryMB) << 20 / 2,
		Compression:   cfg.Recording.Compression,
		Sync:          cfg.Recording.Sync,
	}
}

// ParseSlice is [sim.ParseSlice], for OpenOptions.Slice.
func ParseSlice(text string) (sim.Slice, error) { return sim.ParseSlice(text) }
