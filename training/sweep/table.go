package sweep

import (
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/configs"
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
	for _, t := range s.known {
		if t.asked > t.Rung {
			s.settle(t, t.asked)
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
	t.Rung, t.State, t.Each, t.Error, t.Faults = rung, Trained, nil, "", 0
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
	}
	all := spreadOf(s.plan.Objective, t.Each)
	t.Mean, t.Spread = all.Mean, all.Std
	switch {
	case t.State == Failed:
		t.Each, t.Mean, t.Spread = nil, math.NaN(), math.NaN()
	case len(runs) == 1 && s.plan.Objective == Return:
		t.Spread = runs[0].Spread
	case len(runs) == 1:
		t.Spread = math.NaN()
	}
}

// Sorted returns trials from the best to the worst: those trained for longer first, the failed last.
func (p *Plan) Sorted(trials []*Trial) []*Trial {
	return slices.SortedStableFunc(slices.Values(trials), func(a, b *Trial) int {
		longer := 0
		if p.Method == Halving && (a.State == Failed) == (b.State == Failed) {
			longer = cmp.Compare(b.Rung, a.Rung)
		}
		return cmp.Or(longer, cmp.Compare(p.loss(a), p.loss(b)), cmp.Compare(a.Number, b.Number))
	})
}

// writeTables writes the table, and the configuration of the best trial.
func (s *sweep) writeTables() error {
	err := s.writeCSV(TableFile, s.plan.table(s.report.Trials))
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

func (p *Plan) table(trials []*Trial) [][]string {
	header := []string{"trial", "state"}
	for _, r := range p.Over {
		header = append(header, r.Key)
	}
	header = append(header, "objective", "spread", "lowest", "highest", "seeds", "env_steps", "rung", "faults", "error")
	lines := [][]string{header}
	for _, t := range trials {
		line := append([]string{strconv.Itoa(t.Number), t.State}, t.Values...)
		low, high := math.NaN(), math.NaN()
		if len(t.Each) > 0 {
			low, high = slices.Min(t.Each), slices.Max(t.Each)
		}
		line = append(line, decimals(t.Mean, t.Spread, low, high)...)
		for _, n := range []int64{int64(len(t.Seeds)), t.EnvSteps, int64(t.Rung), int64(t.Faults)} {
			line = append(line, strconv.FormatInt(n, 10))
		}
		lines = append(lines, append(line, t.Error))
	}
	return lines
}
