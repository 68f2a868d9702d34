package exam

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/proportion"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Report is the result of an exam. It says nothing of worlds, workers, time or paths of the folder.
type Report struct {
	Task      string   `json:"task"`
	Seed      uint64   `json:"seed"`
	Candidate Subject  `json:"candidate"`
	Reference *Subject `json:"reference,omitempty"`
	Axes      []string `json:"axes"`
	Infos     []string `json:"infos"`
	Alpha     float64  `json:"alpha"`

	Success  []string `json:"success"` // what an episode must be to succeed, in words; all of them
	Episodes Episodes `json:"episodes"`
	Looks    []int    `json:"looks,omitempty"` // the numbers of episodes after which what is seen can end a cell, if it can

	Versions map[string]string `json:"versions"` // of what ran the first episodes, by its name

	Cells  []Result `json:"cells"`
	Limits []Limit  `json:"limits,omitempty"`

	// With a gate: "passes" if the candidate passes in every cell, "fails" if it is worse in one, else "undecided".
	Verdict string  `json:"verdict,omitempty"`
	Margin  float64 `json:"margin,omitempty"`
}

// Result is the result of a cell.
type Result struct {
	Cell   int               `json:"cell"`
	Values map[string]string `json:"values,omitempty"` // by the axis; nil: the control cell

	Candidate Rate  `json:"candidate"`
	Reference *Rate `json:"reference,omitempty"`

	// Control compares the candidate with itself in the control cell, by the same episodes; nil in that cell itself.
	Control *Comparison `json:"control,omitempty"`

	// Gate compares the candidate with the reference.
	Gate *Verdict `json:"gate,omitempty"`
}

// Rate is how often a policy succeeded in a cell.
type Rate struct {
	Episodes   int                `json:"episodes"`
	Successes  int                `json:"successes"`
	Rate       float64            `json:"rate"`
	Low        float64            `json:"low"` // of the interval of the rate, at 1 − Alpha
	High       float64            `json:"high"`
	MeanReturn float64            `json:"mean_return"`
	MeanSteps  float64            `json:"mean_steps"`
	Ends       map[string]int     `json:"ends"` // episodes by how they ended
	Infos      map[string]float64 `json:"infos"`
	Failures   []int              `json:"failures,omitempty"` // the numbers of the first ones, at most [MaxFailures]
	Failed     map[string]Failed  `json:"failed,omitempty"`   // all of them, by how they ended
	Fault      string             `json:"fault,omitempty"`    // the first
}

// Failed are the failures of a cell that ended in the same way.
type Failed struct {
	Episodes int   `json:"episodes"`
	First    []int `json:"first"` // the numbers of the first ones, at most [MaxFailures]
}

// MaxFailures is the most failures that a [Rate] and a [Failed] list.
const MaxFailures = 20

// Comparison compares outcomes of pairs of episodes with the same seed.
type Comparison struct {
	Pairs      int     `json:"pairs"`
	Difference float64 `json:"difference"` // of the rates of success
	Low        float64 `json:"low"`        // of Tango's interval of it, at 1 − Alpha
	High       float64 `json:"high"`
	P          float64 `json:"p"`    // of McNemar's exact test, two-sided
	Holm       float64 `json:"holm"` // the same, adjusted for the number of cells
}

// Verdict is what the gate says of a cell.
type Verdict struct {
	Verdict string  `json:"verdict"` // passes, fails or undecided
	Pairs   int     `json:"pairs"`
	Lost    int     `json:"lost"`   // pairs in which the reference alone succeeded
	Gained  int     `json:"gained"` // pairs in which the candidate alone did
	Loss    float64 `json:"loss"`   // of the rate of success
	Low     float64 `json:"low"`    // of the interval of the loss at the look that decided
	High    float64 `json:"high"`
}

// count returns the number of successes.
func count(list []Episode) (n int) {
	for _, e := range list {
		if e.Success {
			n++
		}
	}
	return n
}

// stops reports whether what is seen in a cell can end it.
func (p *Plan) stops() bool { return p.Episodes.Width > 0 || p.Gate != nil }

// interval returns the interval of a rate: of a fixed number of episodes Wilson's; where what is seen can end a cell, one that
// holds at all numbers at once.
func (p *Plan) interval(successes, trials int) proportion.Interval {
	if p.stops() {
		return proportion.Sequence(successes, trials, p.Alpha)
	}
	return proportion.Wilson(successes, trials, p.Alpha)
}

// pairsOf returns the outcomes of two policies or cells in the same episodes.
func pairsOf(reference, candidate []Episode) []proportion.Pair {
	pairs := make([]proportion.Pair, min(len(reference), len(candidate)))
	for i := range pairs {
		pairs[i] = proportion.Pair{Reference: reference[i].Success, Candidate: candidate[i].Success}
	}
	return pairs
}

// verdict is the verdict of the gate in a cell after a look. It passes by an error of Alpha, since all cells must; that a
// candidate fails in any of them has an error of Alpha over all.
func (x *examination) verdict(cell, look int) proportion.Verdict {
	p := x.plan
	pairs := pairsOf(x.journal.done[part{cell, true}], x.journal.done[part{cell, false}])
	pairs = pairs[:min(look, len(pairs))] // a journal that lies may have fewer
	gate := proportion.Gate{Margin: p.Gate.Margin, Alpha: p.Alpha, Looks: p.Episodes.looks()}
	v := gate.Decide(pairs)
	if v.Decision != proportion.Fails {
		return v
	}
	gate.Alpha = p.Alpha / float64(len(x.cells))
	return gate.Decide(pairs)
}

func (x *examination) report() *Report {
	p := x.plan
	r := &Report{Task: p.config.Task.Name, Seed: p.config.Seed, Candidate: p.Candidate, Reference: p.Reference, Axes: []string{},
		Infos: x.journal.infos, Alpha: p.Alpha, Success: p.Success.words(x.journal.infos), Episodes: p.Episodes,
		Versions: x.versions}
	if p.stops() {
		r.Looks = p.Episodes.looks()
	}
	for _, axis := range p.Axes {
		r.Axes = append(r.Axes, axis.Key)
	}
	control := x.journal.done[part{0, false}]
	var tests []float64
	for _, cell := range x.cells {
		list := x.journal.done[part{cell.Number, false}]
		one := Result{Cell: cell.Number, Candidate: x.rate(list)}
		if cell.Values != nil {
			one.Values = map[string]string{}
			for i, axis := range p.Axes {
				one.Values[axis.Key] = cell.Values[i]
			}
			one.Control = x.compare(control, list)
			tests = append(tests, one.Control.P)
		}
		if p.Reference != nil {
			reference := x.journal.done[part{cell.Number, true}]
			rate := x.rate(reference)
			one.Reference, one.Gate = &rate, x.gate(cell.Number, len(list))
		}
		r.Cells = append(r.Cells, one)
	}
	for i, adjusted := range proportion.Holm(tests) {
		r.Cells[i+1].Control.Holm = adjusted
	}
	if p.Gate != nil {
		r.Margin, r.Verdict = p.Gate.Margin, verdictOf(r.Cells)
	}
	return r
}

// verdictOf is the verdict over all cells.
func verdictOf(cells []Result) string {
	all := proportion.Passes
	for _, c := range cells {
		switch c.Gate.Verdict {
		case proportion.Fails.String():
			return c.Gate.Verdict
		case proportion.Undecided.String():
			all = proportion.Undecided
		}
	}
	return all.String()
}

func (x *examination) rate(list []Episode) Rate {
	n := len(list)
	r := Rate{Episodes: n, Successes: count(list), Ends: map[string]int{}, Infos: map[string]float64{}}
	i := x.plan.interval(r.Successes, n)
	r.Rate, r.Low, r.High = float64(r.Successes)/float64(n), i.Low, i.High
	sums := make([]float64, len(x.journal.infos))
	for number, e := range list {
		r.Ends[e.End]++
		r.MeanReturn += e.Return
		r.MeanSteps += float64(e.Steps)
		for k, v := range e.Infos {
			sums[k] += v
		}
		if !e.Success {
			r.fail(e.End, number)
		}
		if r.Fault == "" {
			r.Fault = e.Fault
		}
	}
	r.MeanReturn /= float64(n)
	r.MeanSteps /= float64(n)
	for k, name := range x.journal.infos {
		r.Infos[name] = sums[k] / float64(n)
	}
	return r
}

// fail notes a failure.
func (r *Rate) fail(end string, number int) {
	if len(r.Failures) < MaxFailures {
		r.Failures = append(r.Failures, number)
	}
	if r.Failed == nil {
		r.Failed = map[string]Failed{}
	}
	f := r.Failed[end]
	f.Episodes++
	if len(f.First) < MaxFailures {
		f.First = append(f.First, number)
	}
	r.Failed[end] = f
}

// compare compares all episodes or, where what is seen can end a cell, those of its first look, whose number is fixed.
func (x *examination) compare(reference, candidate []Episode) *Comparison {
	pairs := pairsOf(reference, candidate)
	if first := x.plan.Episodes.looks()[0]; x.plan.stops() {
		pairs = pairs[:min(first, len(pairs))]
	}
	table := proportion.Count(pairs)
	i := table.Tango(x.plan.Alpha)
	return &Comparison{Pairs: table.Pairs(), Difference: table.Difference(), Low: i.Low, High: i.High, P: table.McNemar()}
}

func (x *examination) gate(cell, look int) *Verdict {
	v := x.verdict(cell, look)
	return &Verdict{Verdict: v.Decision.String(), Pairs: v.Table.Pairs(), Lost: v.Table.OnlyReference, Gained: v.Table.OnlyCandidate,
		Loss: -v.Table.Difference(), Low: v.Loss.Low, High: v.Loss.High}
}

// write writes the files of an exam that is over.
func (x *examination) write(r *Report) error {
	folder := x.taken.Path()
	for _, cell := range x.cells {
		path := filepath.Join(folder, CellFile(cell.Number))
		if err := disk.Replace(disk.OS{}, path, false, disk.Bytes(cell.file())); err != nil {
			return err
		}
	}
	if err := x.writeTable(); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer, *Plan, *Report) error
	}{{rundir.ExamJUnit, writeJUnit}, {rundir.ExamPage, writePage}} {
		path := filepath.Join(folder, file.name)
		if err := disk.Replace(disk.OS{}, path, false, func(w io.Writer) error { return file.write(w, x.plan, r) }); err != nil {
			return err
		}
	}
	return disk.Replace(disk.OS{}, filepath.Join(folder, rundir.ExamReport), true, disk.JSON(r))
}

// CellFile returns the name of the file with the configuration of a cell.
func CellFile(number int) string { return fmt.Sprintf("cell-%03d.yaml", number) }

// ends returns the names of how episodes ended.
func (x *examination) ends() (names []string) {
	for _, list := range x.journal.done {
		for _, e := range list {
			if !slices.Contains(names, e.End) {
				names = append(names, e.End)
			}
		}
	}
	slices.Sort(names)
	return names
}

// writeTable writes the dataset of an exam: a table with a row for each episode.
func (x *examination) writeTable() (err error) {
	folder := filepath.Join(x.taken.Path(), rundir.DatasetFolder)
	if err := disk.RemoveOurs(disk.OS{}, folder, recorder.Owns); err != nil {
		return err
	}
	column := func(name string, kind format.Kind, text string) format.Column {
		return format.Column{Name: name, Kind: kind, Description: text}
	}
	t := format.Table{Name: "exam", Description: "One row for each episode of the exam.", Columns: []format.Column{
		column("cell", format.Int64, "number of the cell; 0 is the control cell"),
		column("reference", format.Bool, "the reference policy took the episode, not the candidate"),
		column("episode", format.Int64, "number in the cell"),
		column("seed", format.Int64, "bits of the seed of a run of one world whose first episode it is"),
		column("success", format.Bool, "the episode was a success"),
		column("return", format.Float64, "sum of the control rewards"),
		column("steps", format.Int64, "control steps"),
	}}
	ends, first := x.ends(), len(t.Columns)
	for _, name := range ends {
		t.Columns = append(t.Columns, column("end_"+name, format.Bool, "the episode ended by "+name))
	}
	for _, name := range x.journal.infos {
		t.Columns = append(t.Columns, column("mean_"+name, format.Float64, "mean over the control steps of the task's "+name))
	}
	c := x.plan.config
	w, err := recorder.Create(folder, []format.Table{t}, 1, format.Metadata{Task: c.Task.Name, Seed: c.Seed,
		Configuration: x.plan.Configuration}, recorder.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.Abort()
		}
	}()
	block, n := w.BlockWriter(0), int64(0)
	for _, cell := range x.cells {
		for _, reference := range []bool{false, true} {
			for i, e := range x.journal.done[part{cell.Number, reference}] {
				row := block.Begin(0, recorder.Key{N: n})
				row.Int(0, int64(cell.Number))
				row.Bool(1, reference)
				row.Int(2, int64(i))
				row.Int(3, int64(sim.EpisodeSeed(c.Seed, int64(i))))
				row.Bool(4, e.Success)
				row.Float(5, e.Return)
				row.Int(6, e.Steps)
				for k, name := range ends {
					row.Bool(first+k, e.End == name)
				}
				for k, v := range e.Infos {
					row.Float(first+len(ends)+k, v)
				}
				n++
			}
		}
		if err := block.EndSegment(); err != nil {
			return err
		}
	}
	return w.Close()
}
