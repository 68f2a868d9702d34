package rl

import (
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Symmetry is a mirror symmetry of a task: an action that suits an observation, mirrored,
// suits the mirrored observation. Weight is that of the mean squared distance, in the
// action's own unit, between the policy's mean action and the mirror image of its mean
// action for the mirrored observation; 0: none.
type Symmetry struct {
	Weight      float64 `yaml:"weight"`
	Observation Mirror  `yaml:"observation,omitempty" json:",omitzero"` // of what the policy reads
	Action      Mirror  `yaml:"action,omitempty" json:",omitzero"`
}

// Mirror is a reflection of vectors: the two values of each pair of Swap change places,
// and then the values of Negate their signs. Indices begin at 0. The values of a pair
// change their signs together or not at all, so that the mirror image of a mirror
// image is the vector itself.
type Mirror struct {
	Swap   [][]int `yaml:"swap,flow,omitempty" json:",omitempty"`
	Negate []int   `yaml:"negate,flow,omitempty" json:",omitempty"`
}

func (s *Symmetry) validate() error {
	var c bounds.Check
	c.Number("weight", s.Weight, 0, 1e6)
	c.Part("observation", s.Observation.validate(maxVector))
	c.Part("action", s.Action.validate(maxVector))
	return c.Err()
}

// validate returns an error unless m reflects vectors of size values.
func (m *Mirror) validate(size int) error {
	var c bounds.Check
	use := func(key string, index int, used map[int]bool) {
		c.Whole(key, int64(index), 0, int64(size-1))
		if used[index] {
			c.Fail("%s is %d, want an index that is in no other place", key, index)
		}
		used[index] = true
	}
	swapped, negated := map[int]bool{}, map[int]bool{}
	for i, pair := range m.Swap {
		if len(pair) != 2 {
			c.Fail("swap[%d] is %d, want two indices", i, pair)
			continue
		}
		for j, index := range pair {
			use(fmt.Sprintf("swap[%d][%d]", i, j), index, swapped)
		}
	}
	for i, index := range m.Negate {
		use(fmt.Sprintf("negate[%d]", i), index, negated)
	}
	for i, pair := range m.Swap {
		if len(pair) == 2 && negated[pair[0]] != negated[pair[1]] {
			c.Fail("swap[%d] is %d, want negate to hold both or neither", i, pair)
		}
	}
	return c.Err()
}

// compile returns, for each of size values of a mirror image, from which value of the vector it is, and its sign.
func (m *Mirror) compile(size int) (source []int, sign []float64) {
	source, sign = make([]int, size), make([]float64, size)
	for i := range source {
		source[i], sign[i] = i, 1
	}
	for _, pair := range m.Swap {
		source[pair[0]], source[pair[1]] = pair[1], pair[0]
	}
	for _, index := range m.Negate {
		sign[index] = -1
	}
	return source, sign
}

// mirror is a [Symmetry] in use.
type mirror struct {
	weight float64
	source []int     // by column that the policy reads
	sign   []float64 // likewise
	// the same reflection of standardised observations: image[i] = scale[i]·z[source[i]] + shift[i]
	scale, shift []float64
	limit        float64 // of standardised observations

	actionFrom []int
	actionSign []float64
}

// newMirror returns nil for no symmetry.
func newMirror(s Symmetry, columns, action int) (*mirror, error) {
	if s.Weight == 0 {
		return nil, nil
	}
	if err := s.Observation.validate(columns); err != nil {
		return nil, fmt.Errorf("symmetry.observation.%w", err)
	}
	if err := s.Action.validate(action); err != nil {
		return nil, fmt.Errorf("symmetry.action.%w", err)
	}
	m := &mirror{weight: s.Weight}
	m.source, m.sign = s.Observation.compile(columns)
	m.actionFrom, m.actionSign = s.Action.compile(action)
	m.scale, m.shift = slices.Clone(m.sign), make([]float64, columns)
	return m, nil
}

// set takes over how observations are standardised; reads are the policy's columns.
func (m *mirror) set(s nn.Standardiser, reads ColumnRange) {
	m.limit = s.Limit
	mean, scale := s.Mean[reads.First:], s.Scale[reads.First:]
	for i, j := range m.source {
		m.scale[i] = m.sign[i] * scale[i] / scale[j]
		m.shift[i] = (float64(m.sign[i]*mean[j]) - mean[i]) * scale[i]
	}
}

// reflect writes the mirror image of each row of standardised observations.
func (m *mirror) reflect(dst, rows []float32) {
	size := len(m.source)
	for r := range len(rows) / size {
		image, row := nn.RowOf(dst, size, r), nn.RowOf(rows, size, r)
		for i, j := range m.source {
			z := float64(m.scale[i]*float64(row[j])) + m.shift[i]
			image[i] = float32(min(max(z, -m.limit), m.limit))
		}
	}
}

// derive adds the derivative of the symmetry's part of the loss by the outputs for an observation, delta, and writes
// that by the outputs for its mirror image, deltaImage. share is the part's weight. It returns the squared distance.
func (m *mirror) derive(delta, deltaImage, output, outputImage []float32, share float64) float64 {
	clear(deltaImage)
	squared := 0.0
	for i, j := range m.actionFrom {
		e := float64(output[i]) - float64(m.actionSign[i]*float64(outputImage[j]))
		squared += float64(e * e)
		delta[i] += float32(2 * share * e)
		deltaImage[j] = float32(-2 * share * e * m.actionSign[i])
	}
	return squared
}
