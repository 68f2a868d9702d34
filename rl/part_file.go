package rl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

const partMagic = "PRH-PART"

// partHead is the beginning of an encoded part.
type partHead struct {
	First, Worlds, Steps uint32
	Observation, Action  uint32 // values
	Units                uint32 // of a recurrent policy's GRU; 0: not recurrent
	Sequences            uint32 // of each world; 0: not recurrent
	Images, Seen         uint8  // 1: there are states for mirror images, and moments of observations
	Step                 int64
	Orders               Digest
}

var partHeadBytes = binary.Size(partHead{})

// Encode returns the part as bytes; they depend on nothing but what it holds. All numbers
// are little-endian:
//
//	magic     8 bytes, "PRH-PART"
//	version   uint32, 1
//	head      First, Worlds, control steps, values of an observation and of an action, units
//	          of a GRU, sequences of each world (uint32 each), whether there are states for
//	          mirror images and moments of observations (a byte each), Step (int64), Orders
//	samples   observations, actions, log probabilities, values (float32), rewards (float64),
//	          endings (a byte each), and the value of each final observation (float32)
//	worlds    value of the last observation (float32)
//	states    of the policy, the value network and for mirror images, before each sequence,
//	          then after the rollout (float32)
//	moments   of each world: count, means, sums of squares (float64)
//	episodes  of each world: those with faults, then for returns and lengths count (int64),
//	          sum, least and most (float64)
//	extra     the rest but the digest
//	digest    of all before
func (p *Part) Encode() []byte {
	head := partHead{
		First: uint32(p.First), Worlds: uint32(p.Worlds), Steps: uint32(p.steps), Step: p.Step, Orders: p.Orders,
		Observation: uint32(len(p.observation) / len(p.reward)), Action: uint32(len(p.action) / len(p.reward)),
		Units: uint32(len(p.after.policy) / p.Worlds), Images: flag(len(p.after.image) > 0), Seen: flag(p.seen[0].count > 0),
	}
	if head.Units > 0 {
		head.Sequences = uint32(len(p.begin.policy) / len(p.after.policy))
	}
	m := slices.Grow(beginMessage(partMagic), partHeadBytes+int(head.bytes())+4*len(p.end)+len(p.Extra)+len(p.Orders))
	m, err := binary.Append(m, binary.LittleEndian, &head)
	if err != nil {
		panic(err) // cannot happen: the head has a fixed size
	}
	m = appendSingles(m, p.observation)
	m = appendSingles(m, p.action)
	m = appendSingles(m, p.logProb)
	m = appendSingles(m, p.value)
	m = appendDoubles(m, p.reward...)
	for _, end := range p.end {
		m = append(m, byte(end))
	}
	for i, end := range p.end {
		if end == cutOff {
			m = appendSingles(m, p.final[i:i+1])
		}
	}
	m = appendSingles(m, p.last)
	for _, s := range p.allStates() {
		m = appendSingles(m, s)
	}
	for _, seen := range p.seen {
		if head.Seen == 1 {
			m = appendDoubles(m, seen.count)
			m = appendDoubles(m, seen.mean...)
			m = appendDoubles(m, seen.m2...)
		}
	}
	for _, f := range p.finished {
		m = binary.LittleEndian.AppendUint64(m, uint64(f.faults))
		for _, t := range []tally{f.returns, f.length} {
			m = binary.LittleEndian.AppendUint64(m, uint64(t.count))
			m = appendDoubles(m, t.sum, t.min, t.max)
		}
	}
	return endMessage(append(m, p.Extra...))
}

func flag(set bool) uint8 {
	if set {
		return 1
	}
	return 0
}

// allStates are the states before each sequence and after the rollout.
func (p *Part) allStates() [][]float32 {
	return [][]float32{p.begin.policy, p.begin.value, p.begin.image, p.after.policy, p.after.value, p.after.image}
}

// ReadPart is the inverse of [Part.Encode], and returns the digest of the bytes. Bytes that
// are something else, damaged or of another version are refused with the reason. Memory
// grows with the bytes, not with what they claim. Extra shares memory with them.
func ReadPart(message []byte) (*Part, Digest, error) {
	body, digest, err := openMessage(message, partMagic)
	var p *Part
	if err == nil {
		p, err = readPart(body)
	}
	if err != nil {
		return nil, digest, fmt.Errorf("rl: reading a part: %w", err)
	}
	return p, digest, nil
}

func readPart(m []byte) (*Part, error) {
	var head partHead
	if len(m) < partHeadBytes {
		return nil, fmt.Errorf("damaged: %d bytes, want at least %d", len(m), partHeadBytes)
	}
	if _, err := binary.Decode(m, binary.LittleEndian, &head); err != nil {
		return nil, err
	}
	m = m[partHeadBytes:]
	if err := head.validate(); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	if got, want := int64(len(m)), head.bytes(); got < want {
		return nil, fmt.Errorf("damaged: arrays of %d bytes, want at least %d", got, want)
	}
	p := head.part()
	for _, values := range [][]float32{p.observation, p.action, p.logProb, p.value} {
		m = takeSingles(m, values)
	}
	m = takeDoubles(m, p.reward)
	ends, finals := m[:len(p.end)], 0
	m = m[len(p.end):]
	for i, end := range ends {
		if p.end[i] = ending(end); p.end[i] > cutOff {
			return nil, fmt.Errorf("damaged: an ending is %d, want at most %d", end, cutOff)
		} else if p.end[i] == cutOff {
			finals++
		}
	}
	if got, want := int64(len(m)), head.afterEndings()+4*int64(finals); got < want {
		return nil, fmt.Errorf("damaged: what follows the endings is %d bytes, want at least %d", got, want)
	}
	for i, end := range p.end {
		if end == cutOff {
			m = takeSingles(m, p.final[i:i+1])
		}
	}
	m = takeSingles(m, p.last)
	for _, values := range p.allStates() {
		m = takeSingles(m, values)
	}
	m, err := p.takeStatistics(m, head.Seen == 1)
	p.Extra = slices.Clip(m) // the digest follows
	return p, err
}

// takeStatistics sets what was seen and which episodes finished, and returns the rest of m.
func (p *Part) takeStatistics(m []byte, seen bool) ([]byte, error) {
	for w := range p.seen {
		if !seen {
			break
		}
		s := &p.seen[w]
		count := make([]float64, 1)
		m = takeDoubles(m, count)
		m = takeDoubles(m, s.mean)
		m = takeDoubles(m, s.m2)
		if s.count = count[0]; s.count != float64(p.steps) {
			return nil, fmt.Errorf("damaged: moments of %g vectors, want %d", s.count, p.steps)
		}
		for i, v := range s.m2 {
			if mean := s.mean[i]; mean-mean != 0 || v-v != 0 || v < 0 {
				return nil, fmt.Errorf("damaged: a mean is %g and its sum of squares %g, want finite numbers, the second at least 0", mean, v)
			}
		}
	}
	for w := range p.finished {
		f := &p.finished[w]
		f.faults, m = int64(binary.LittleEndian.Uint64(m)), m[8:]
		for _, t := range []*tally{&f.returns, &f.length} {
			t.count, m = int64(binary.LittleEndian.Uint64(m)), m[8:]
			var numbers [3]float64
			m = takeDoubles(m, numbers[:])
			t.sum, t.min, t.max = numbers[0], numbers[1], numbers[2]
			if f.faults < 0 || t.count < 0 || f.faults > int64(p.steps) || t.count > int64(p.steps) {
				return nil, fmt.Errorf("damaged: %d faults and %d episodes of a world, want 0 to %d", f.faults, t.count, p.steps)
			}
		}
	}
	return m, nil
}

// validate bounds what the sizes ask for.
func (h *partHead) validate() error {
	for _, size := range []struct {
		what             string
		got, least, most uint32
	}{
		{"worlds", h.Worlds, 1, math.MaxInt32}, {"control steps", h.Steps, 1, maxSteps},
		{"observed values", h.Observation, 1, maxVector}, {"action values", h.Action, 1, maxVector},
		{"units", h.Units, 0, maxUnits}, {"sequences", h.Sequences, 0, h.Steps}, {"first world", h.First, 0, math.MaxInt32},
	} {
		if size.got < size.least || size.got > size.most {
			return fmt.Errorf("%s %d, want %d to %d", size.what, size.got, size.least, size.most)
		}
	}
	switch {
	case uint64(h.Worlds)*uint64(h.Steps) > math.MaxInt32:
		return fmt.Errorf("%d worlds × %d steps, want at most %d", h.Worlds, h.Steps, math.MaxInt32)
	case h.Images > 1 || h.Seen > 1:
		return fmt.Errorf("flags %d and %d, want 0 or 1", h.Images, h.Seen)
	case (h.Units > 0) != (h.Sequences > 0) || h.Images > 0 && h.Units == 0:
		return fmt.Errorf("%d units, %d sequences and flag %d of mirror images, which do not fit", h.Units, h.Sequences, h.Images)
	case h.Step < 0:
		return errors.New("a control step below 0")
	}
	return nil
}

// bytes is the least number of bytes after the head.
func (h *partHead) bytes() int64 {
	samples := int64(h.Worlds) * int64(h.Steps)
	return samples*(4*(int64(h.Observation)+int64(h.Action)+2)+8+1) + h.afterEndings()
}

// afterEndings is the number of bytes after the endings, without the final values.
func (h *partHead) afterEndings() int64 {
	worlds, networks := int64(h.Worlds), int64(2)
	if h.Images == 1 {
		networks++
	}
	n := worlds * 4
	n += worlds * (int64(h.Sequences) + 1) * networks * int64(h.Units) * 4
	if h.Seen == 1 {
		n += worlds * (1 + 2*int64(h.Observation)) * 8
	}
	return n + worlds*(1+2*4)*8
}

// part allocates a part.
func (h *partHead) part() *Part {
	worlds, n := int(h.Worlds), int(h.Worlds)*int(h.Steps)
	states := func(rows int) states {
		s := states{policy: make([]float32, rows*int(h.Units)), value: make([]float32, rows*int(h.Units))}
		if h.Images == 1 {
			s.image = make([]float32, rows*int(h.Units))
		}
		return s
	}
	p := &Part{
		First: int(h.First), Worlds: worlds, Step: h.Step, Orders: h.Orders, steps: int(h.Steps),
		samples: samples{
			observation: make([]float32, n*int(h.Observation)), action: make([]float32, n*int(h.Action)),
			logProb: make([]float32, n), value: make([]float32, n), reward: make([]float64, n),
			end: make([]ending, n), final: make([]float32, n), last: make([]float32, worlds),
			begin: states(worlds * int(h.Sequences)),
		},
		after: states(worlds),
		seen:  make([]moments, worlds), finished: make([]episodeStats, worlds),
	}
	for w := range p.seen {
		if h.Seen == 1 {
			p.seen[w] = newMoments(int(h.Observation))
		}
	}
	return p
}
