package sweep

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// The values of Trial.State.
const (
	Trained = "done"    // for all of its steps
	Stopped = "stopped" // before, by Halving
	Failed  = "failed"  // it counts as worse than all others
)

// Trial is the outcome of one trial.
type Trial struct {
	Number   int      // from 1
	Values   []string // of the ranges, YAML
	State    string
	Seeds    []uint64  // with which it was trained
	Each     []float64 // the objective with each seed; nil: Failed
	Mean     float64   // of Each; NaN: Failed
	Spread   float64   // standard deviation of Each; of one seed, that over its episodes for Return; NaN: unknown
	EnvSteps int64     // for which it was trained, with each seed
	Rung     int       // which it reached, from 1
	Faults   int       // episodes of the evaluations that a fault ended
	Error    string    // of Failed: why

	config *configs.Config // with the first seed; nil: there is none
	rungs  []curve.Point   // the objective after each rung
	asked  int             // the newest rung asked for
	part   float64         // and its part of the training
}

// loss returns what a search is told of a trial.
func (p *Plan) loss(t *Trial) float64 {
	switch {
	case t.State == Failed:
		return math.Inf(1)
	case p.Minimise:
		return t.Mean
	}
	return -t.Mean
}

// update brings the report up to date with the results. The caller holds s.mu.
func (s *sweep) update() {
	s.report.Trials, s.report.Best = nil, nil
	for number := 1; s.known[number] != nil; number++ {
		t := s.known[number]
		for rung := t.Rung + 1; rung <= t.asked; rung++ {
			s.settle(t, rung)
		}
		if t.Rung > 0 {
			s.report.Trials = append(s.report.Trials, t)
		}
	}
	if sorted := s.plan.Sorted(s.report.Trials); len(sorted) > 0 && sorted[0].State != Failed {
		s.report.Best = sorted[0]
	}
}

// settle sets the outcome of a trial at a rung, if all of its runs are over.
func (s *sweep) settle(t *Trial, rung int) {
	var runs []result
	for _, seed := range t.Seeds {
		if r, ok := s.results[runKey{rung, t.Number, seed}]; ok {
			runs = append(runs, r)
		}
	}
	if len(runs) < len(t.Seeds) {
		return
	}
	t.Rung, t.State, t.Each, t.Mean, t.Spread, t.Error, t.Faults = rung, Trained, nil, 0, 0, "", 0
	if t.part < 1 {
		t.State = Stopped
	}
	for _, r := range runs {
		t.EnvSteps = max(t.EnvSteps, r.EnvSteps)
		t.Faults += r.Faults
		if r.Error != "" && t.Error == "" {
			t.State, t.Error = Failed, r.Error
		}
		t.Each = append(t.Each, r.Value)
		t.Mean += r.Value / float64(len(runs))
	}
	for _, v := range t.Each {
		t.Spread += (v - t.Mean) * (v - t.Mean) / float64(len(runs))
	}
	t.Spread = math.Sqrt(t.Spread)
	switch {
	case t.State == Failed:
		t.Each, t.Mean, t.Spread = nil, math.NaN(), math.NaN()
	case len(runs) == 1 && s.plan.Objective == Return:
		t.Spread = runs[0].Spread
	case len(runs) == 1:
		t.Spread = math.NaN()
	}
	if t.State != Failed {
		t.rungs = append(t.rungs, curve.Point{EnvSteps: t.EnvSteps, Return: t.Mean})
	}
}

// Sorted returns trials from the best to the worst: those trained for longer first, the
// failed last.
func (p *Plan) Sorted(trials []*Trial) []*Trial {
	return slices.SortedStableFunc(slices.Values(trials), func(a, b *Trial) int {
		if failed := cmp.Compare(p.failed(a), p.failed(b)); failed != 0 {
			return failed
		}
		return cmp.Or(cmp.Compare(b.Rung, a.Rung)*p.rungs(), cmp.Compare(p.loss(a), p.loss(b)), cmp.Compare(a.Number, b.Number))
	})
}

func (p *Plan) failed(t *Trial) int {
	if t.State == Failed {
		return 1
	}
	return 0
}

// rungs returns 1 if a later rung is of a longer training, else 0.
func (p *Plan) rungs() int {
	if p.Search.Method == Halving {
		return 1
	}
	return 0
}

// writeTables writes the table, and the configuration of the best trial.
func (s *sweep) writeTables() error {
	err := disk.Replace(disk.OS{}, filepath.Join(s.report.Folder, TableFile), false, func(w io.Writer) error {
		return s.plan.writeCSV(w, s.report.Trials)
	})
	best := filepath.Join(s.report.Folder, BestFile)
	if s.report.Best == nil {
		if removed := os.Remove(best); !errors.Is(removed, os.ErrNotExist) {
			err = errors.Join(err, removed)
		}
		return err
	}
	c := *s.report.Best.config
	c.Workers = 0
	return errors.Join(err, disk.Replace(disk.OS{}, best, false, disk.Bytes(c.YAML())))
}

// writeCSV writes a line for each trial.
func (p *Plan) writeCSV(w io.Writer, trials []*Trial) error {
	header := []string{"trial", "state"}
	for _, r := range p.Over {
		header = append(header, r.Key)
	}
	lines := [][]string{append(header, "objective", "spread", "lowest", "highest", "seeds", "env_steps", "rung", "faults", "error")}
	for _, t := range trials {
		line := append([]string{strconv.Itoa(t.Number), t.State}, t.Values...)
		low, high := math.NaN(), math.NaN()
		if len(t.Each) > 0 {
			low, high = slices.Min(t.Each), slices.Max(t.Each)
		}
		for _, v := range []float64{t.Mean, t.Spread, low, high} {
			line = append(line, decimal(v))
		}
		lines = append(lines, append(line, strconv.Itoa(len(t.Seeds)), strconv.FormatInt(t.EnvSteps, 10), strconv.Itoa(t.Rung), strconv.Itoa(t.Faults), t.Error))
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// decimal formats a number for a table; NaN is empty.
func decimal(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
