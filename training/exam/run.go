package exam

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/proportion"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Options are the options of [Run] that have no influence on the results.
type Options struct {
	Candidate, Reference *policies.Policy // those of the plan

	Folder   string // new or empty; "": the next exam-TASK-NNN in Runs
	Runs     string // folder of new runs; "": [rundir.Parent]
	Continue bool   // Folder is that of an earlier call with the same plan, which was stopped
	Workers  int    // threads that step worlds; 0: one per CPU

	// These may be nil. Their calls do not overlap.
	Progress func(Progress)
	Warn     func(string) // called with each warning of a task or an engine, once
}

// Progress is the progress of an exam.
type Progress struct {
	Done, Total int64 // episodes; Total are those of cells that end at the most
	Cell, Cells int   // the number of the cell that runs, and of all
}

// state is the file that says what an exam is.
type state struct {
	Plan     *Plan             `json:"plan"`
	Versions map[string]string `json:"versions"` // of what ran its first episodes
}

// Read reads the plan of the exam in a folder.
func Read(folder string) (*Plan, error) {
	s, err := readState(folder)
	if err != nil {
		return nil, err
	}
	return s.Plan, nil
}

func readState(folder string) (*state, error) {
	path, s := filepath.Join(folder, rundir.ExamFile), &state{}
	err := disk.ReadJSON(path, s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage.Errorf("%s holds no exam: %w", folder, err)
	}
	if err != nil {
		return nil, err
	}
	if s.Plan == nil {
		return nil, fmt.Errorf("%s %w: it has no plan", path, disk.ErrDamaged)
	}
	return s, nil
}

// examination is an exam that runs.
type examination struct {
	plan    *Plan
	opt     Options
	cells   []Cell
	taken   *rundir.Folder
	journal *journal
	done    int64
	told    func(string) // the caller's Warn
	warned  map[string]bool

	versions map[string]string // of what ran the first episodes
}

// Run has the policies of a plan sit its exam, and writes the files of its folder. If ctx is cancelled, it stops; a call with
// Continue goes on, and the results are the same. The report is nil after an error; the folder is "" if the exam could not
// begin.
func Run(ctx context.Context, plan *Plan, opt Options) (_ *Report, folder string, err error) {
	x := &examination{plan: plan, opt: opt, warned: map[string]bool{}}
	if err := x.checkSubjects(); err != nil {
		return nil, "", err
	}
	if x.cells, err = plan.open(ctx); err != nil {
		return nil, "", err
	}
	x.told, x.opt.Warn = opt.Warn, x.warn
	if err := x.open(); err != nil {
		return nil, "", err
	}
	defer x.taken.Close()
	folder = x.taken.Path()
	if x.journal, err = openJournal(folder); err != nil {
		return nil, folder, err
	}
	err = x.run(ctx)
	if closed := x.journal.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, folder, err
	}
	r := x.report()
	if r.Limits, err = x.limits(ctx); err != nil {
		return nil, folder, err
	}
	return r, folder, x.write(r)
}

// checkSubjects checks that the policies are those of the plan.
func (x *examination) checkSubjects() error {
	if err := checkSubject(x.opt.Candidate, x.plan.Candidate); err != nil || x.plan.Reference == nil {
		return err
	}
	return checkSubject(x.opt.Reference, *x.plan.Reference)
}

func checkSubject(p *policies.Policy, want Subject) error {
	if err := usage.WantPolicy(p); err != nil {
		return err
	}
	if got := SubjectOf(p); got.Kind != want.Kind || got.SHA256 != want.SHA256 {
		return usage.Errorf("the policy %s is another than the one that the exam began with", p.Name())
	}
	return nil
}

func (x *examination) warn(text string) {
	if x.warned[text] {
		return
	}
	x.warned[text] = true
	if w := x.told; w != nil {
		w(text)
	}
}

// open makes the folder and its state, or takes that of an earlier call.
func (x *examination) open() (err error) {
	switch {
	case x.opt.Continue:
		if x.taken, err = rundir.LockFolder(x.opt.Folder); err != nil {
			return err
		}
		s, err := readState(x.opt.Folder)
		if err != nil {
			x.taken.Close()
			return err
		}
		x.versions = s.Versions
		return nil
	case x.opt.Folder != "":
		x.taken, err = rundir.CreateFolder(x.opt.Folder)
	default:
		x.taken, err = rundir.CreateNext(x.opt.Runs, "exam-"+x.plan.config.Task.Name)
	}
	if err != nil {
		return err
	}
	x.versions = logs.Versions()
	s := state{Plan: x.plan, Versions: x.versions}
	if err = disk.Replace(disk.OS{}, filepath.Join(x.taken.Path(), rundir.ExamFile), true, disk.JSON(s)); err != nil {
		err = errors.Join(err, x.taken.Discard())
	}
	return err
}

func (x *examination) run(ctx context.Context) error {
	for _, cell := range x.cells {
		for _, look := range x.plan.Episodes.looks() {
			for _, reference := range []bool{false, true} {
				if reference && x.plan.Reference == nil {
					continue
				}
				if err := x.runTo(ctx, cell, reference, look); err != nil {
					return fmt.Errorf("cell %d (%s): %w", cell.Number, x.plan.Describe(cell.Values), err)
				}
			}
			if x.over(cell.Number, look) {
				break
			}
		}
	}
	return nil
}

// runTo runs the episodes of a cell by a policy up to before number end, unless the journal has them.
func (x *examination) runTo(ctx context.Context, cell Cell, reference bool, end int) error {
	at := part{cell.Number, reference}
	first := len(x.journal.done[at])
	x.done += int64(min(first, end))
	if first >= end {
		return nil
	}
	policy := x.opt.Candidate
	if reference {
		policy = x.opt.Reference
	}
	list, infos, err := x.plan.runCell(ctx, cell, policy, first, end, x.opt, func(done int64) { x.progress(cell, done) })
	if err != nil {
		return err
	}
	x.done += int64(end - first)
	return x.journal.write(chunk{Cell: cell.Number, Reference: reference, First: first, Infos: infos, Episodes: list})
}

func (x *examination) progress(cell Cell, done int64) {
	if x.opt.Progress == nil {
		return
	}
	total := int64(len(x.cells)) * int64(x.plan.Episodes.Most)
	if x.plan.Reference != nil {
		total *= 2
	}
	x.opt.Progress(Progress{Done: x.done + done, Total: total, Cell: cell.Number, Cells: len(x.cells)})
}

// over reports whether a cell has enough episodes after a look: it decides, and its interval is narrow enough, as far as
// that is asked.
func (x *examination) over(cell, look int) bool {
	p := x.plan
	if !p.stops() {
		return false
	}
	if p.Gate != nil && x.verdict(cell, look).Decision == proportion.Undecided {
		return false
	}
	if p.Episodes.Width == 0 {
		return true
	}
	i := p.interval(count(x.journal.done[part{cell, false}][:look]), look)
	return i.High-i.Low <= p.Episodes.Width
}
