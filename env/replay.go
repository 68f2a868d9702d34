package env

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// What a run that is executed again may end with.
type (
	Difference = runlog.Difference // where it first differs from the log
	Damage     = runlog.Damage     // where the log cannot be read
)

// LogHeader describes a run of cfg for its log. It fills in what env knows; what
// drives the worlds adds its Kind, Driver and Versions, and may change Every and
// Actions, which log the state after every control step and no actions.
func LogHeader(cfg *configs.Config, opt OpenOptions) runlog.Header {
	h := runlog.Header{
		Kind:          "external",
		Configuration: portable(cfg),
		Seed:          cfg.Seed,
		Worlds:        cfg.Worlds,
		BlockSize:     sim.BlockSize(cfg.Worlds, cfg.BlockSize),
		Episodes:      opt.Episodes,
		Every:         1,
		Versions:      Versions(),
	}
	h.Versions["platform"] = runtime.GOOS + "/" + runtime.GOARCH
	h.Versions["processor"] = processor()
	return h
}

// processor names the CPU as the system does. Engines and math libraries choose
// their kernels by it, and so the last bits of results.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
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

// checkLog refuses a log of another run than the one to be opened.
func checkLog(h runlog.Header, cfg *configs.Config, opt OpenOptions) error {
	own := LogHeader(cfg, opt)
	// The log may be of a version with other defaults to write out.
	theirs, err := configs.Parse("run log", []byte(h.Configuration), nil, nil)
	switch {
	case err != nil:
		return err
	case portable(theirs) != own.Configuration:
		return errors.New("the run log is of another configuration")
	case h.Worlds != own.Worlds || h.BlockSize != own.BlockSize:
		return fmt.Errorf("the run log is of %d worlds in blocks of %d, this run has %d in blocks of %d",
			h.Worlds, h.BlockSize, own.Worlds, own.BlockSize)
	case h.Episodes != own.Episodes:
		return fmt.Errorf("the run log is of %d episodes, this run has %d (0: no limit)", h.Episodes, own.Episodes)
	}
	return nil
}

// CompareLog opens the log at path, for OpenOptions.Log, to execute its run again
// with the same driver, and returns the run's configuration. What there is to be
// said comes as the error of Open, Each or Close: a *[Difference], a
// *[Damage], or runlog.ErrEnd, which says that all was identical.
func CompareLog(path string) (*runlog.Log, *configs.Config, error) {
	f, err := os.Open(path)
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

// Replay executes again the run whose log, which must hold the actions, is at
// path, on a number of workers (0: one per CPU). It returns the number of control
// steps that were identical, and nil if that is all of them, else a
// *[Difference] or *[Damage]. The actions of one segment are held in
// memory.
func Replay(path string, workers int) (steps int64, err error) {
	log, cfg, err := CompareLog(path)
	if err != nil {
		return 0, err
	}
	h := log.Header()
	if !h.Actions {
		return 0, errors.Join(fmt.Errorf("%s: the log of a %q run without its actions; only what drove it can execute it again", path, h.Kind), log.Close())
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, errors.Join(err, log.Close())
	}
	defer f.Close()
	inputs, err := runlog.NewReader(f)
	if err != nil {
		return 0, errors.Join(err, log.Close())
	}

	cfg.Workers = workers
	e, err := Open(cfg, OpenOptions{Workers: workers, Episodes: h.Episodes, Log: log})
	if err != nil {
		return 0, err
	}
	err = feed(e, inputs)
	closed := e.Close()
	if errors.Is(err, runlog.ErrEnd) {
		err = nil
	}
	return log.Steps(), errors.Join(err, closed)
}

// LoggedSkips returns the skips in the log at path, in order, for
// runners.Settings.Replay; of a damaged log those before the damage.
func LoggedSkips(path string) ([]runners.Skip, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	log, err := runlog.NewReader(f)
	if err != nil {
		return nil, err
	}
	var skips []runners.Skip
	for {
		r, err := log.Next()
		if err != nil {
			return skips, nil // who compares the log says what is wrong with it
		}
		if r.Kind != runlog.KindNote {
			continue
		}
		var o outside
		if err := json.Unmarshal([]byte(r.Note()), &o); err != nil {
			return nil, fmt.Errorf("note %q of the run log: %w", r.Note(), err)
		}
		if o.Skip != nil {
			skips = append(skips, *o.Skip)
		}
	}
}

// event is what a block did in a segment: a step, or a restart of some worlds.
type event struct {
	actions []float32 // nil: a restart
	restart []bool
	seeds   []uint64 // of a restart; nil: the worlds go on with theirs
}

// feed lets the worlds do what a log says they did, segment by segment.
func feed(e *Env, log *runlog.Reader) error {
	blocks := make([][]event, len(e.Sim().Blocks()))
	if _, err := readSegment(log, blocks); err != nil { // the first states, of Open
		return err
	}
	for {
		notes, err := readSegment(log, blocks)
		if err != nil {
			return err
		}
		for _, note := range notes {
			if err := e.again(note); err != nil {
				return err
			}
		}
		err = e.Each(func(w *sim.Worker, b *sim.Block) error {
			for _, ev := range blocks[b.Index()] {
				if ev.actions == nil {
					if len(ev.restart) != b.Len() {
						return fmt.Errorf("the log restarts %d worlds of block %d, want %d", len(ev.restart), b.Index(), b.Len())
					}
					b.Restart(w, ev.restart, ev.seeds)
					continue
				}
				if len(ev.actions) != len(b.Action()) {
					return fmt.Errorf("the log has %d action values for block %d, want %d", len(ev.actions), b.Index(), len(b.Action()))
				}
				copy(b.Action(), ev.actions)
				if err := b.Step(w); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// readSegment reads what each block did in the next segment, and what happened
// from outside before it. At the end of the log there is nothing more to do.
func readSegment(log *runlog.Reader, blocks [][]event) (notes []string, err error) {
	for i := range blocks {
		blocks[i] = blocks[i][:0]
	}
	size := log.Header().BlockSize
	for {
		r, err := log.Next()
		if err == io.EOF {
			return notes, nil // the comparison says what is missing
		}
		if err != nil {
			return nil, err
		}
		switch r.Kind {
		case runlog.KindSegment, runlog.KindEnd:
			return notes, nil
		case runlog.KindNote:
			notes = append(notes, r.Note())
		case runlog.KindActions, runlog.KindRestart:
			block := r.First() / size
			if block >= len(blocks) {
				return nil, &runlog.Damage{Offset: r.Offset, Reason: fmt.Sprintf("worlds from %d on, of %d", r.First(), log.Header().Worlds)}
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
