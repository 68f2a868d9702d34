package rl

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Metrics describe one iteration: a rollout and the update made from it. Means
// over samples are over all gradient steps of the update.
type Metrics struct {
	Iteration int64 // 1 for the first
	EnvSteps  int64 // environment steps since the start, over all worlds

	// Episodes that ended in the rollout. Those ended by a fault are only
	// counted. Without any other, the returns and lengths are NaN.
	Episodes                         int64
	Faults                           int64
	MeanReturn, MinReturn, MaxReturn float64 // in the task's own reward
	MeanLength, MinLength, MaxLength float64 // control steps

	PolicyLoss        float64 // clipped surrogate, negated
	ValueLoss         float64 // half the mean squared error, in scaled reward
	Entropy           float64 // of the action distribution, nats
	ApproxKL          float64 // from the acting policy to the updated one, mean of (ρ-1) - ln ρ, nats
	ClipFraction      float64 // of the samples whose ratio was outside the clip range
	GradNorm          float64 // before clipping
	ExplainedVariance float64 // 1 - Var(target - value)/Var(target), with the values at acting time
	LearningRate      float64 // of the last gradient step
	Std               float64 // mean standard deviation of the action values, after the update; NaN of choices
	Epochs            int     // begun; fewer than set when TargetKL stopped the update
	Retries           int     // times the update began again with smaller steps, because a number was not finite
	Asymmetry         float64 // mean squared distance of the policy from its mirror image; NaN without a symmetry
}

// Columns pairs every field with its name, in the order of the table.
func (m *Metrics) Columns() ([]string, []float64) {
	return []string{
			"iteration", "env_steps", "episodes", "faults",
			"mean_return", "min_return", "max_return", "mean_length", "min_length", "max_length",
			"policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "grad_norm",
			"explained_variance", "learning_rate", "std", "epochs", "retries", "asymmetry",
		}, []float64{
			float64(m.Iteration), float64(m.EnvSteps), float64(m.Episodes), float64(m.Faults),
			m.MeanReturn, m.MinReturn, m.MaxReturn, m.MeanLength, m.MinLength, m.MaxLength,
			m.PolicyLoss, m.ValueLoss, m.Entropy, m.ApproxKL, m.ClipFraction, m.GradNorm,
			m.ExplainedVariance, m.LearningRate, m.Std, float64(m.Epochs), float64(m.Retries), m.Asymmetry,
		}
}

// MetricsWriter writes metrics as a table of comma-separated values: a line of
// column names, then a line per iteration. A NaN is an empty cell. Numbers are
// written so that reading them gives the same bits. Not safe for concurrent use.
type MetricsWriter struct {
	table  *csv.Writer
	header bool // still to be written
	more   []string
}

// NewMetricsWriter writes to w; header says whether to begin with the column
// names, false to continue a table. more names columns of the caller's own, after
// those of Metrics.
func NewMetricsWriter(w io.Writer, header bool, more ...string) *MetricsWriter {
	return &MetricsWriter{csv.NewWriter(w), header, more}
}

// Write adds one line, with a value for each column of the caller's own, and hands it to
// the underlying writer.
func (w *MetricsWriter) Write(m Metrics, more ...float64) error {
	if len(more) != len(w.more) {
		panic(fmt.Sprintf("rl: %d values for the columns %q", len(more), w.more))
	}
	names, values := m.Columns()
	values = append(values, more...)
	if w.header {
		w.header = false
		if err := w.table.Write(append(names, w.more...)); err != nil {
			return err
		}
	}
	cells := make([]string, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			cells[i] = strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	if err := w.table.Write(cells); err != nil {
		return err
	}
	w.table.Flush()
	return w.table.Error()
}

// episodeStats gathers the episodes that ended in one world, then in all.
type episodeStats struct {
	faults          int64
	returns, length tally
}

// add takes one finished episode.
func (s *episodeStats) add(sum float64, steps int64, fault bool) {
	if fault {
		s.faults++
		return
	}
	s.returns.merge(tally{1, sum, sum, sum})
	s.length.merge(tally{1, float64(steps), float64(steps), float64(steps)})
}

func (s *episodeStats) merge(other episodeStats) {
	s.faults += other.faults
	s.returns.merge(other.returns)
	s.length.merge(other.length)
}

// report fills in the fields of m that describe episodes.
func (s *episodeStats) report(m *Metrics) {
	m.Episodes, m.Faults = s.returns.count+s.faults, s.faults
	m.MeanReturn, m.MinReturn, m.MaxReturn = s.returns.report()
	m.MeanLength, m.MinLength, m.MaxLength = s.length.report()
}

// tally sums up a number that occurs again and again.
type tally struct {
	count         int64
	sum, min, max float64
}

func (t *tally) merge(other tally) {
	switch {
	case other.count == 0:
	case t.count == 0:
		*t = other
	default:
		*t = tally{t.count + other.count, t.sum + other.sum, min(t.min, other.min), max(t.max, other.max)}
	}
}

// report returns NaN where nothing was counted.
func (t *tally) report() (mean, low, high float64) {
	if t.count == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return t.sum / float64(t.count), t.min, t.max
}
