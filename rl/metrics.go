package rl

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Metrics describe one iteration: a rollout and the update made from it. Means
// over samples are over all gradient steps of the update. A field with a tag is of that algorithm alone.
type Metrics struct {
	algorithm Algorithm // "" is AlgorithmPPO

	Iteration int64 // 1 for the first
	EnvSteps  int64 // environment steps since the start, over all worlds

	// Episodes that ended in the rollout. Those ended by a fault are only
	// counted. Without any other, the returns and lengths are NaN.
	Episodes                         int64
	Faults                           int64
	MeanReturn, MinReturn, MaxReturn float64 // in the task's own reward
	MeanLength, MinLength, MaxLength float64 // control steps

	// clipped surrogate, negated; of SAC α ln π - Q, of td3bc the squared distance from what was done, less λQ; of distill
	// - ln π of what the teacher would have done
	PolicyLoss float64
	ValueLoss  float64 // half the mean squared error, in scaled reward; of SAC the critics' in the task's own
	Entropy    float64 // of the action distribution, nats
	// from the acting policy to the updated one, mean of (ρ-1) - ln ρ, nats
	ApproxKL          float64 `of:"ppo"`
	ClipFraction      float64 `of:"ppo"` // of the samples whose ratio was outside the clip range
	GradNorm          float64 // before clipping; of SAC the critics'
	ExplainedVariance float64 `of:"ppo"` // 1 - Var(target - value)/Var(target), with the values at acting time
	LearningRate      float64 // of the last gradient step
	Std               float64 // mean standard deviation of the action values, after the update; NaN of choices
	Epochs            int     `of:"ppo"` // begun; fewer than set when TargetKL stopped the update
	// times the update began again with smaller steps, because a number was not finite
	Retries int `of:"ppo"`
	// mean squared distance of the policy from its mirror image; NaN without a symmetry
	Asymmetry float64 `of:"ppo"`

	MeanValue     float64 `of:"sac td3bc"` // mean of the critics
	Temperature   float64 `of:"sac"`       // weight of the entropy, after the update
	GradientSteps int64   `of:"sac td3bc"` // of the critics; without any, losses and means are NaN
}

// newMetrics returns metrics in which no number is known.
func newMetrics(algorithm Algorithm) Metrics {
	m := Metrics{algorithm: algorithm}
	fields := reflect.ValueOf(&m).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.Float64 {
			f.SetFloat(math.NaN())
		}
	}
	return m
}

// Columns returns the names of the columns that the metrics of an algorithm have.
func (a Algorithm) Columns() []string {
	if a.definition().imitates {
		a = AlgorithmPPO
	}
	names, _ := (&Metrics{algorithm: a}).Columns()
	return names
}

// Columns returns the names, as in the table, and values of the algorithm's fields.
func (m *Metrics) Columns() (names []string, values []float64) {
	fields := reflect.ValueOf(m).Elem()
	own := m.algorithm.String()
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		algorithms := field.Tag.Get("of")
		if !field.IsExported() || algorithms != "" && !slices.Contains(strings.Fields(algorithms), own) {
			continue
		}
		names = append(names, strings.ToLower(newWord.ReplaceAllString(field.Name, "${1}_${2}")))
		values = append(values, fields.Field(i).Convert(reflect.TypeFor[float64]()).Float())
	}
	return names, values
}

var newWord = regexp.MustCompile("([a-z])([A-Z])")

// MetricsWriter writes metrics as a table of comma-separated values: a line of
// column names, then a line per iteration. A NaN is an empty cell. Numbers are
// written so that reading them gives the same bits. Not safe for concurrent use.
type MetricsWriter struct {
	table  *csv.Writer
	header bool // still to be written
	more   []string
}

// NewMetricsWriter writes to w; header says whether to begin with the column names, false to continue a table. more
// names columns of the caller's own, after those of Metrics.
func NewMetricsWriter(w io.Writer, header bool, more ...string) *MetricsWriter {
	return &MetricsWriter{csv.NewWriter(w), header, more}
}

// Write adds one line, with a value for each column of the caller's own, and hands it to the underlying writer.
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
		cells[i] = Decimal(v)
	}
	if err := w.table.Write(cells); err != nil {
		return err
	}
	w.table.Flush()
	return w.table.Error()
}

// Decimal formats a value exactly for a table. NaN is empty, and a count has no exponent.
func Decimal(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// episodeStats gathers the episodes that ended in one world, then in all.
type episodeStats struct {
	Faults          int64
	Returns, Length tally
}

// add takes one finished episode.
func (s *episodeStats) add(sum float64, steps int64, fault bool) {
	if fault {
		s.Faults++
		return
	}
	s.Returns.merge(tally{1, sum, sum, sum})
	s.Length.merge(tally{1, float64(steps), float64(steps), float64(steps)})
}

func (s *episodeStats) merge(other episodeStats) {
	s.Faults += other.Faults
	s.Returns.merge(other.Returns)
	s.Length.merge(other.Length)
}

// report fills in the fields of m that describe episodes.
func (s *episodeStats) report(m *Metrics) {
	m.Episodes, m.Faults = s.Returns.Count+s.Faults, s.Faults
	m.MeanReturn, m.MinReturn, m.MaxReturn = s.Returns.report()
	m.MeanLength, m.MinLength, m.MaxLength = s.Length.report()
}

// tally sums up a number that occurs again and again.
type tally struct {
	Count         int64
	Sum, Min, Max float64
}

func (t *tally) merge(other tally) {
	switch {
	case other.Count == 0:
	case t.Count == 0:
		*t = other
	default:
		*t = tally{t.Count + other.Count, t.Sum + other.Sum, min(t.Min, other.Min), max(t.Max, other.Max)}
	}
}

// report returns NaN where nothing was counted.
func (t *tally) report() (mean, low, high float64) {
	if t.Count == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return t.Sum / float64(t.Count), t.Min, t.Max
}
