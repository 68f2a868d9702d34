package env

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// The errors of a replay.
type (
	Difference = runlog.Difference // the first difference from the log
	Damage     = runlog.Damage     // the log cannot be read
)

// LogHeader returns the header for the log of a run of cfg. The caller sets Kind and Driver, adds to Versions what
// the actions depend on, and may change Every, which is 1, and Actions, which is false. It panics without a
// configuration.
func LogHeader(cfg *configs.Config, opt OpenOptions) runlog.Header {
	mustHave(cfg, "LogHeader")
	h := runlog.Header{
		Kind:          "external",
		Configuration: portable(cfg),
		Seed:          cfg.Seed,
		Worlds:        cfg.Worlds,
		From:          opt.Slice.From,
		To:            opt.Slice.To,
		BlockSize:     sim.BlockSize(cfg.Worlds, cfg.BlockSize),
		Episodes:      opt.Episodes,
		Every:         1,
		Versions:      Versions(),
	}
	if cfg.Described() {
		h.StepOffset = opt.StepOffset
	}
	h.Versions["platform"] = runtime.GOOS + "/" + runtime.GOARCH
	h.Versions["processor"] = Processor()
	return h
}

// SliceOf returns the worlds of the run that a log is of, for OpenOptions.Slice.
func SliceOf(h runlog.Header) sim.Slice { return sim.Slice{From: h.From, To: h.To} }

// Processor returns the name of the CPU, by which engines and math libraries choose their kernels, which affect the
// last bits of results.
func Processor() string {
	f, err := disk.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// checkLog returns an error if the log is of another run than the one to be opened.
func checkLog(h runlog.Header, cfg *configs.Config, opt OpenOptions) error {
	own := LogHeader(cfg, opt)
	// Parsed, since an older version may have written other defaults.
	theirs, err := configs.Parse("run log", []byte(h.Configuration), nil, nil)
	switch {
	case err != nil:
		return err
	case unrecorded(theirs) != unrecorded(cfg): // what is recorded changes no bit of a state
		return errors.New("the run log is of another configuration")
	case h.Worlds != own.Worlds || h.BlockSize != own.BlockSize:
		return fmt.Errorf("the run log is of %d worlds in blocks of %d, this run has %d in blocks of %d",
			h.Worlds, h.BlockSize, own.Worlds, own.BlockSize)
	case h.From != own.From || h.To != own.To:
		return fmt.Errorf("the run log is of the worlds %d:%d, this run has %d:%d (0:0: all)", h.From,
			h.To, own.From, own.To)
	case h.StepOffset != own.StepOffset:
		return fmt.Errorf("the run log is of a run that began after %d steps of training, this run after %d",
			h.StepOffset, own.StepOffset)
	case h.Episodes != own.Episodes:
		return fmt.Errorf("the run log is of %d episodes, this run has %d (0: no limit)", h.Episodes, own.Episodes)
	}
	return nil
}

// unrecorded is portable without the recording.
func unrecorded(cfg *configs.Config) string {
	c := *cfg
	c.Recording = configs.Recording{}
	return portable(&c)
}

// CompareLog opens the log at path, to be OpenOptions.Log of a replay with the same actions, and returns the run's
// configuration. The outcome is returned by Open, Each or Close: a *[Difference], a *[Damage], or runlog.ErrEnd if
// all was identical.
func CompareLog(path string) (*runlog.Log, *configs.Config, error) {
	f, err := runlog.OpenFiles(path, 0)
	if err != nil {
		return nil, nil, err
	}
	log, err := runlog.Compare(f)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	cfg, err := configs.Parse(path, []byte(log.Header().Configuration), nil, nil)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return log, cfg, nil
}

// Replay repeats the run whose log, which must contain the actions, is at path, on a number of workers, 0 for one
// per CPU. It returns the number of control steps that were identical, and nil if all were, otherwise an error such
// as a *[Difference] or a *[Damage]. It holds the actions of one segment in memory.
func Replay(path string, workers int) (steps int64, err error) {
	return ReplayEach(path, ReplayOptions{Workers: workers})
}

// ReplayOptions are the options of [ReplayEach].
type ReplayOptions struct {
	Workers int // goroutines that step worlds; 0 for one per CPU

	// Visit, if not nil, is called as the worlds begin and after each segment. Poses are then readable.
	Visit func(*Env)

	// Dataset is a folder to record to, new or empty, and Recording says what; "" to record nothing.
	Dataset   string
	Recording configs.Recording
}

// ReplayEach is [Replay] with options.
func ReplayEach(path string, opt ReplayOptions) (steps int64, err error) {
	log, cfg, err := CompareLog(path)
	if err != nil {
		return 0, err
	}
	h := log.Header()
	if !h.Actions {
		return 0, errors.Join(fmt.Errorf("%s: the log of a %q run has no actions, want a log with actions", path,
			h.Kind), log.Close())
	}
	f, err := runlog.OpenFiles(path, 0)
	if err != nil {
		return 0, errors.Join(err, log.Close())
	}
	defer f.Close()
	inputs, err := runlog.NewReader(f)
	if err != nil {
		return 0, errors.Join(err, log.Close())
	}

	cfg.Workers = opt.Workers
	if opt.Dataset != "" {
		cfg.Recording = opt.Recording
	}
	e, err := Open(cfg, OpenOptions{Workers: opt.Workers, Slice: SliceOf(h), Episodes: h.Episodes,
		StepOffset: h.StepOffset, Dataset: opt.Dataset, Log: log, Poses: opt.Visit != nil, Capture: h.Kind == LiveKind})
	if err != nil {
		return 0, err
	}
	err = feed(e, inputs, opt.Visit)
	closed := e.Close()
	if err == nil || errors.Is(err, runlog.ErrEnd) {
		err = closed
	}
	return log.Steps(), err
}

// EachIntervention calls f with each intervention in the log at path, in order, and the control steps before it, until
// f returns an error.
func EachIntervention(path string, f func(n int64, i runlog.Intervention) error) error {
	files, err := runlog.OpenFiles(path, 0)
	if err != nil {
		return err
	}
	defer files.Close()
	log, err := runlog.NewReader(files)
	for err == nil {
		var r *runlog.Record
		if r, err = log.Next(); err != nil || r.Kind != runlog.KindIntervention {
			continue
		}
		if err := f(r.N(), r.Intervention()); err != nil {
			return err
		}
	}
	if err == io.EOF {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

// event is a step of a block, or a restart of some of its worlds.
type event struct {
	actions []float32 // of a step; nil for a restart
	restart []bool    // whether each world restarts
	seeds   []uint64  // of a restart; nil if the worlds keep their seeds
}

// feed repeats the steps and restarts in a log, segment by segment, and calls visit, unless it is nil, before the first
// and after each.
func feed(e *Env, log *runlog.Reader, visit func(*Env)) error {
	_, err := readSegment(log, make([][]event, len(e.sim.Blocks()))) // the first states, of Open
	if err == nil {
		if visit == nil {
			visit = func(*Env) {}
		}
		visit(e)
		err = e.repeatSegments(log, func([]runlog.Intervention, bool) { visit(e) })
	}
	if err == io.EOF {
		return &runlog.Damage{Offset: log.Offset(), Reason: "the run was killed", Cut: true}
	}
	return err
}

// repeatSegments repeats the segments that a log has left, and calls visit after each with the interventions before it,
// and whether it only restarted worlds. Its error is that of readSegment or of a segment, after the last one
// runlog.ErrEnd.
func (e *Env) repeatSegments(log *runlog.Reader, visit func(made []runlog.Intervention, restart bool)) error {
	blocks := make([][]event, len(e.sim.Blocks()))
	for {
		interventions, err := readSegment(log, blocks)
		if err != nil {
			return err
		}
		for _, i := range interventions {
			if err := e.Intervene(i); err != nil {
				return err
			}
		}
		restart := slices.ContainsFunc(blocks, func(b []event) bool { return len(b) > 0 && b[len(b)-1].actions == nil })
		if err = e.execute(blocks); err == nil || errors.Is(err, runlog.ErrEnd) {
			visit(interventions, restart)
		}
		if err != nil {
			return err
		}
	}
}

// execute repeats the events of each block in one segment.
func (e *Env) execute(blocks [][]event) error {
	for k, events := range blocks {
		for _, ev := range events {
			e.cancelPushes(e.sim.Blocks()[k].First(), ev.restart)
		}
	}
	return e.Each(func(w *sim.Worker, b *sim.Block) error {
		for _, ev := range blocks[b.Index()] {
			if ev.actions == nil {
				if len(ev.restart) != b.Len() {
					return fmt.Errorf("the number of worlds in a restart of block %d in the log is %d, want %d",
						b.Index(), len(ev.restart), b.Len())
				}
				b.Restart(w, ev.restart, ev.seeds)
				continue
			}
			if len(ev.actions) != len(b.Actions()) {
				return fmt.Errorf("the number of action values of block %d in the log is %d, want %d", b.Index(),
					len(ev.actions), len(b.Actions()))
			}
			copy(b.Actions(), ev.actions)
			if err := b.Step(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// readSegment reads the events of each block in the next segment into blocks, and returns the interventions before
// it. The error is runlog.ErrEnd at the end of the run, and io.EOF where the log has no end.
func readSegment(log *runlog.Reader, blocks [][]event) (interventions []runlog.Intervention, err error) {
	for i := range blocks {
		blocks[i] = blocks[i][:0]
	}
	size := log.Header().BlockSize
	for {
		r, err := log.Next()
		if err != nil {
			return nil, err
		}
		switch r.Kind {
		case runlog.KindSegment:
			return interventions, nil
		case runlog.KindEnd:
			return nil, runlog.ErrEnd
		case runlog.KindIntervention:
			interventions = append(interventions, r.Intervention())
		case runlog.KindActions, runlog.KindRestart:
			block := (r.First() - log.Header().From) / size
			if block < 0 || block >= len(blocks) {
				return nil, &runlog.Damage{Offset: r.Offset,
					Reason: fmt.Sprintf("the first world of a record is %d, want one of the run's", r.First())}
			}
			var ev event
			if r.Kind == runlog.KindActions {
				ev.actions = r.AppendActions([]float32{})
			} else {
				ev.restart, ev.seeds = r.AppendMask(nil), r.AppendSeeds(nil)
			}
			blocks[block] = append(blocks[block], ev)
		}
	}
}

// CatchUp repeats what a log holds after the place at which the worlds stand, up to its last whole segment: a killed
// run stands there again. The log of the env compares with the same file. visit is called after each segment with the
// interventions before it, and whether it only restarted worlds. CatchUp returns where the last segment ends, in bytes
// from the beginning of what in reads.
func (e *Env) CatchUp(in *runlog.Reader, visit func(made []runlog.Intervention, restart bool)) (end int64, err error) {
	e.made()
	if in == nil || visit == nil {
		return 0, errors.New("env: CatchUp without a reader or a function (nil), want both")
	}
	end = in.Offset()
	err = e.repeatSegments(in, func(made []runlog.Intervention, restart bool) {
		end = in.Offset()
		visit(made, restart)
	})
	if err == io.EOF || errors.Is(err, runlog.ErrEnd) || errors.As(err, new(*Damage)) {
		err = nil // cut short where the run was killed
	}
	return end, err
}

// NextLogFile goes on with the log in another file; see [runlog.Log.NextFile].
func (e *Env) NextLogFile(w io.WriteCloser) (runlog.Position, error) {
	if e.made(); w == nil || e.log == nil {
		return runlog.Position{}, errors.New("env: NextLogFile without a file or of a run without a log, want both")
	}
	return e.log.NextFile(w)
}
