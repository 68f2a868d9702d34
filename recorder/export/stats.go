package export

import (
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// stats has the statistics of a feature by place in statNames, each with one number for every value of its vector; the
// count has one.
type stats [len(statNames)][]float64

// statNames are LeRobot's names, the last of them of quantiles.
var statNames = [...]string{"min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99"}

var quantiles = [...]float64{0.01, 0.10, 0.50, 0.90, 0.99}

const (
	statMin = iota
	statMax
	statMean
	statStd
	statCount
	statQuantiles
)

// statsOf returns the statistics of a column over rows, at least one. It uses scratch as memory and returns it, grown.
func statsOf(l *format.Layout, column int, rows []byte, scratch []float64) (stats, []float64) {
	s := stats{statCount: {float64(len(rows) / l.Stride)}}
	if c := &l.Columns[column]; c.Width > 0 {
		for k := range c.Channels() {
			s.addChannel(l, column, k, rows)
		}
		return s, scratch
	}
	for k := range l.Values(column) {
		scratch = scratch[:0]
		for r := rows; len(r) > 0; r = r[l.Stride:] {
			scratch = append(scratch, l.Float(r, column, k))
		}
		mean, std := stat.PopMeanStdDev(scratch, nil)
		slices.Sort(scratch)
		for i, v := range [...]float64{scratch[0], scratch[len(scratch)-1], mean, std} {
			s[i] = append(s[i], v)
		}
		for i, q := range quantiles {
			s[statQuantiles+i] = append(s[statQuantiles+i], quantile(scratch, q))
		}
	}
	return s, scratch
}

// addChannel appends the statistics of a channel of pictures, whose values are divided by their largest possible one as
// LeRobot's are.
func (s *stats) addChannel(l *format.Layout, column, channel int, rows []byte) {
	c := &l.Columns[column]
	size := c.Kind.Size()
	counts := make([]int64, 1<<(8*size))
	total, sum := int64(0), 0.0
	for ; len(rows) > 0; rows = rows[l.Stride:] {
		pixels := l.Bytes(rows, column)
		for i := channel * size; i < len(pixels); i += c.Channels() * size {
			v := int(pixels[i])
			if size == 2 {
				v = int(binary.NativeEndian.Uint16(pixels[i:]))
			}
			counts[v]++
			total++
			sum += float64(v)
		}
	}
	largest, mean, squares := float64(len(counts)-1), sum/float64(total), 0.0
	for v, n := range counts {
		squares += float64(n) * (float64(v) - mean) * (float64(v) - mean)
	}
	at := func(rank int64) float64 { // the value of so many below it
		for v, n := range counts {
			if rank -= n; rank < 0 {
				return float64(v)
			}
		}
		return largest
	}
	for i, v := range [...]float64{at(0), at(total - 1), mean, math.Sqrt(squares / float64(total))} {
		s[i] = append(s[i], v/largest)
	}
	for i, q := range quantiles {
		place := q * float64(total-1)
		below := math.Floor(place)
		low, high := at(int64(below)), at(min(int64(below)+1, total-1))
		s[statQuantiles+i] = append(s[statQuantiles+i], (low+(place-below)*(high-low))/largest)
	}
}

// quantile interpolates between the two nearest of sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}

// add merges the statistics of another episode into s, as LeRobot does: moments exactly, quantiles as the mean of the
// episodes' quantiles, weighted by their numbers of frames.
func (s *stats) add(o stats) {
	if s[statCount] == nil {
		*s = o
		return
	}
	n := s[statCount][0] + o[statCount][0]
	share, other := s[statCount][0]/n, o[statCount][0]/n
	for k := range s[statMean] {
		difference := o[statMean][k] - s[statMean][k]
		variance := share*s[statStd][k]*s[statStd][k] + other*o[statStd][k]*o[statStd][k] +
			share*other*difference*difference
		s[statMean][k] += other * difference
		s[statStd][k] = math.Sqrt(variance)
		s[statMin][k], s[statMax][k] = min(s[statMin][k], o[statMin][k]), max(s[statMax][k], o[statMax][k])
		for i := statQuantiles; i < len(s); i++ {
			s[i][k] = share*s[i][k] + other*o[i][k]
		}
	}
	s[statCount] = []float64{n}
}
