package nn

import (
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/policy"
)

// Moments is the running mean and variance of vectors.
type Moments struct {
	Count float64   // vectors seen
	Mean  []float64 // of each value
	M2    []float64 // sum of squared distances from the mean
}

// NewMoments returns the moments of no vectors of so many values.
func NewMoments(size int) Moments {
	return Moments{Mean: make([]float64, size), M2: make([]float64, size)}
}

// Add takes one more vector (Welford, "Note on a method for calculating corrected
// sums of squares and products", 1962).
func (m *Moments) Add(x []float64) {
	m.Count++
	k := 1 / m.Count
	m2 := m.M2[:len(x)]
	mean := m.Mean[:len(x)]
	for i, v := range x {
		d := v - mean[i]
		mean[i] += float64(k * d)
		m2[i] += float64(d * (v - mean[i]))
	}
}

// AddObserved takes one more observation with pictures. The vectors of m are shorter: a channel of a picture has one
// value in place of those of all its pixels, whose mean and mean squared distance count.
func (m *Moments) AddObserved(x []float64, pictures []policy.Picture) {
	if len(pictures) == 0 {
		m.Add(x)
		return
	}
	seen, column, count := 0, 0, m.Count
	plain := func(until int) {
		part := m.Values(seen, seen+until-column)
		part.Add(x[column:until])
		seen, column = seen+until-column, until
	}
	for _, p := range pictures {
		plain(p.First)
		for c := range p.Channels {
			mean, spread := ofChannel(x[column+c:column+p.Size()], p.Channels)
			one := m.Values(seen, seen+1)
			one.Add([]float64{mean})
			one.M2[0] += spread
			seen++
		}
		column += p.Size()
	}
	plain(len(x))
	m.Count = count + 1
}

// MomentsSize is the length of the vectors of moments of so many observed values with pictures among them.
func MomentsSize(values int, pictures []policy.Picture) int {
	for _, p := range pictures {
		values -= p.Size() - p.Channels
	}
	return values
}

// ofChannel returns the mean and the mean squared distance from it of every so many values, from the first one on.
func ofChannel(x []float64, every int) (mean, spread float64) {
	n := float64((len(x) + every - 1) / every)
	for i := 0; i < len(x); i += every {
		mean += x[i]
	}
	mean /= n
	for i := 0; i < len(x); i += every {
		d := x[i] - mean
		spread += float64(d * d)
	}
	return mean, spread / n
}

// Merge takes all vectors that other has seen (Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
func (m *Moments) Merge(other Moments) {
	if other.Count == 0 {
		return
	}
	sum := m.Count + other.Count
	k := other.Count / sum
	for i, v := range other.Mean {
		d := v - m.Mean[i]
		m.Mean[i] += float64(k * d)
		m.M2[i] += other.M2[i] + float64(float64(d*d)*float64(m.Count*k))
	}
	m.Count = sum
}

// Clear forgets all vectors.
func (m *Moments) Clear() {
	m.Count = 0
	clear(m.Mean)
	clear(m.M2)
}

// Values are the moments of some values of the vectors; they share memory.
func (m Moments) Values(first, end int) Moments {
	return Moments{m.Count, m.Mean[first:end], m.M2[first:end]}
}

// Set takes over the values of moments of the same size.
func (m *Moments) Set(other Moments) {
	m.Count = other.Count
	copy(m.Mean, other.Mean)
	copy(m.M2, other.M2)
}

// InverseStd is 1/√(variance+1e-8) of value i; 1 while nothing was seen.
func (m *Moments) InverseStd(i int) float64 {
	if m.Count == 0 {
		return 1
	}
	return 1 / math.Sqrt(m.M2[i]/m.Count+1e-8)
}

// Standardiser shifts and scales observations by moments that are frozen while it is in use.
type Standardiser struct {
	Mean, Scale []float64
	Limit       float64 // of what comes out
}

// NewStandardiser returns one that changes nothing but what is beyond its limit.
func NewStandardiser(size int) Standardiser {
	return Standardiser{make([]float64, size), slices.Repeat([]float64{1}, size), ObservationLimit}
}

// Set takes over new moments of observations with these pictures, see [Moments.AddObserved].
func (s Standardiser) Set(m Moments, pictures []policy.Picture) {
	seen, column := 0, 0 // the next moment, and its first value
	plain := func(until int) {
		for ; column < until; column, seen = column+1, seen+1 {
			s.Mean[column], s.Scale[column] = m.Mean[seen], m.InverseStd(seen)
		}
	}
	for _, p := range pictures {
		plain(p.First)
		for c := range p.Channels {
			mean, scale := m.Mean[seen+c], m.InverseStd(seen+c)
			for i := column + c; i < column+p.Size(); i += p.Channels {
				s.Mean[i], s.Scale[i] = mean, scale
			}
		}
		column, seen = column+p.Size(), seen+p.Channels
	}
	plain(len(s.Mean))
}

// ObservationLimit bounds a standardised observation, in standard deviations.
const ObservationLimit = 10

// MaxValue is the largest size of an observed value and of a reward. With it, the running
// moments stay finite: they are sums of squares over all samples.
const MaxValue = 1e100

// Usable reports whether a value is finite and at most [MaxValue] in size.
func Usable(v float64) bool { return math.Abs(v) <= MaxValue }

// Apply standardises one observation. It returns the index of the first value that is not [Usable], or -1.
func (s Standardiser) Apply(dst []float32, observation []float64) int {
	bad := -1
	mean, scale, limit := s.Mean[:len(dst)], s.Scale[:len(dst)], s.Limit
	for i, v := range observation[:len(dst)] {
		if !Usable(v) && bad < 0 {
			bad = i
		}
		z := (v - mean[i]) * scale[i]
		dst[i] = float32(min(max(z, -limit), limit))
	}
	return bad
}
