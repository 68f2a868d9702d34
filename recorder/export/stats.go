package export

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// quantiles are those that LeRobot stores, by its names.
var quantiles = [...]struct {
	name string
	q    float64
}{{"q01", 0.01}, {"q10", 0.10}, {"q50", 0.50}, {"q90", 0.90}, {"q99", 0.99}}

// stats has the statistics of a feature, one of each for every value of its vector.
type stats struct {
	min, max, mean, std []float64
	quantiles           [len(quantiles)][]float64
	count               int64
}

// statsOf returns the statistics of a column over rows, at least one. It uses scratch as memory and returns it, grown.
func statsOf(l *format.Layout, column int, rows []byte, scratch []float64) (stats, []float64) {
	s := stats{count: int64(len(rows) / l.Stride)}
	for k := range l.Values(column) {
		scratch = scratch[:0]
		for r := rows; len(r) > 0; r = r[l.Stride:] {
			scratch = append(scratch, l.Float(r, column, k))
		}
		mean, std := stat.PopMeanStdDev(scratch, nil)
		slices.Sort(scratch)
		s.min, s.max = append(s.min, scratch[0]), append(s.max, scratch[len(scratch)-1])
		s.mean, s.std = append(s.mean, mean), append(s.std, std)
		for i := range quantiles {
			s.quantiles[i] = append(s.quantiles[i], quantile(scratch, quantiles[i].q))
		}
	}
	return s, scratch
}

// quantile interpolates between the two nearest of sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}

// add merges the statistics of another episode into s, as LeRobot does: moments exactly, quantiles as the mean of the episodes'
// quantiles, weighted by their numbers of frames.
func (s *stats) add(o stats) {
	if s.count == 0 {
		*s = o
		return
	}
	n := float64(s.count + o.count)
	share, other := float64(s.count)/n, float64(o.count)/n
	for k := range s.mean {
		difference := o.mean[k] - s.mean[k]
		variance := share*s.std[k]*s.std[k] + other*o.std[k]*o.std[k] + share*other*difference*difference
		s.mean[k] += other * difference
		s.std[k] = math.Sqrt(variance)
		s.min[k], s.max[k] = min(s.min[k], o.min[k]), max(s.max[k], o.max[k])
		for i := range quantiles {
			s.quantiles[i][k] = share*s.quantiles[i][k] + other*o.quantiles[i][k]
		}
	}
	s.count += o.count
}

// named returns the statistics by LeRobot's names, in a fixed order.
func (s *stats) named() []namedStat {
	all := []namedStat{{"min", s.min}, {"max", s.max}, {"mean", s.mean}, {"std", s.std}, {"count", []float64{float64(s.count)}}}
	for i := range quantiles {
		all = append(all, namedStat{quantiles[i].name, s.quantiles[i]})
	}
	return all
}

type namedStat struct {
	name   string
	values []float64
}
