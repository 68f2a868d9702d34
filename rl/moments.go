package rl

import (
	"math"
	"slices"
)

// moments is the running mean and variance of vectors.
type moments struct {
	count float64   // vectors seen
	mean  []float64 // of each value
	m2    []float64 // sum of squared distances from the mean
}

func newMoments(size int) moments {
	return moments{mean: make([]float64, size), m2: make([]float64, size)}
}

// add takes one more vector (Welford, "Note on a method for calculating corrected
// sums of squares and products", 1962).
func (m *moments) add(x []float64) {
	m.count++
	k := 1 / m.count
	m2 := m.m2[:len(x)]
	mean := m.mean[:len(x)]
	for i, v := range x {
		d := v - mean[i]
		mean[i] += float64(k * d)
		m2[i] += float64(d * (v - mean[i]))
	}
}

// addObserved takes one more observation with pictures. The vectors of m are shorter: a channel of a picture has one
// value in place of those of all its pixels, whose mean and mean squared distance count.
func (m *moments) addObserved(x []float64, pictures []Picture) {
	if len(pictures) == 0 {
		m.add(x)
		return
	}
	seen, column, count := 0, 0, m.count
	plain := func(until int) {
		part := m.values(seen, seen+until-column)
		part.add(x[column:until])
		seen, column = seen+until-column, until
	}
	for _, p := range pictures {
		plain(p.First)
		for c := range p.Channels {
			mean, spread := ofChannel(x[column+c:column+p.Size()], p.Channels)
			one := m.values(seen, seen+1)
			one.add([]float64{mean})
			one.m2[0] += spread
			seen++
		}
		column += p.Size()
	}
	plain(len(x))
	m.count = count + 1
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

// moments is the number of values of the moments of observations.
func (s Shape) moments() int {
	n := s.Observation
	for _, p := range s.Pictures {
		n -= p.Size() - p.Channels
	}
	return n
}

// merge takes all vectors that other has seen (Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
func (m *moments) merge(other moments) {
	if other.count == 0 {
		return
	}
	sum := m.count + other.count
	k := other.count / sum
	for i, v := range other.mean {
		d := v - m.mean[i]
		m.mean[i] += float64(k * d)
		m.m2[i] += other.m2[i] + float64(float64(d*d)*float64(m.count*k))
	}
	m.count = sum
}

// clear forgets all vectors.
func (m *moments) clear() {
	m.count = 0
	clear(m.mean)
	clear(m.m2)
}

// values are the moments of some values of the vectors; they share memory.
func (m moments) values(first, end int) moments {
	return moments{m.count, m.mean[first:end], m.m2[first:end]}
}

// set takes over the values of moments of the same size.
func (m *moments) set(other moments) {
	m.count = other.count
	copy(m.mean, other.mean)
	copy(m.m2, other.m2)
}

// inverseStd is 1/√(variance+1e-8) of value i; 1 while nothing was seen.
func (m *moments) inverseStd(i int) float64 {
	if m.count == 0 {
		return 1
	}
	return 1 / math.Sqrt(m.m2[i]/m.count+1e-8)
}

// standardiser shifts and scales observations by moments that are frozen while it is in use.
type standardiser struct {
	mean, scale []float64
	limit       float64 // of what comes out
}

func newStandardiser(size int) standardiser {
	return standardiser{make([]float64, size), slices.Repeat([]float64{1}, size), observationLimit}
}

// set takes over new moments of observations with these pictures, see moments.addObserved.
func (s standardiser) set(m moments, pictures []Picture) {
	seen, column := 0, 0 // the next moment, and its first value
	plain := func(until int) {
		for ; column < until; column, seen = column+1, seen+1 {
			s.mean[column], s.scale[column] = m.mean[seen], m.inverseStd(seen)
		}
	}
	for _, p := range pictures {
		plain(p.First)
		for c := range p.Channels {
			mean, scale := m.mean[seen+c], m.inverseStd(seen+c)
			for i := column + c; i < column+p.Size(); i += p.Channels {
				s.mean[i], s.scale[i] = mean, scale
			}
		}
		column, seen = column+p.Size(), seen+p.Channels
	}
	plain(len(s.mean))
}

// observationLimit bounds a standardised observation, in standard deviations.
const observationLimit = 10

// maxValue is the largest size of an observed value and of a reward. With it, the running
// moments stay finite: they are sums of squares over all samples.
const maxValue = 1e100

// usable reports whether a value is finite and at most maxValue in size.
func usable(v float64) bool { return math.Abs(v) <= maxValue }

// apply standardises one observation. It returns the index of the first value that is not usable, or -1.
func (s standardiser) apply(dst []float32, observation []float64) int {
	bad := -1
	mean, scale, limit := s.mean[:len(dst)], s.scale[:len(dst)], s.limit
	for i, v := range observation[:len(dst)] {
		if !usable(v) && bad < 0 {
			bad = i
		}
		z := (v - mean[i]) * scale[i]
		dst[i] = float32(min(max(z, -limit), limit))
	}
	return bad
}
