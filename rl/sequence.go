package rl

import "github.com/polyrhythm-rl/polyrhythm/rl/nn"

// A rollout is cut into sequences, consecutive control steps of one world, which an update
// never tears apart: the gradient of a GRU passes back through one of them, from where the
// state before it was kept when acting. Without a GRU each sample is a sequence.

// What is worth a chunk of its own.
const (
	minChunkRows   = 64 // samples, and at least minChunkInStep sequences
	minChunkInStep = 16
)

func newGrouping(s *Settings) nn.Grouping {
	length := s.sequence()
	return nn.Grouping{Minibatch: max(1, s.Minibatch/length), Least: max(minChunkInStep, minChunkRows/length), Length: length}
}

// sequences is the number of sequences of a rollout.
func (s *Settings) sequences(worlds int) int {
	length := s.sequence()
	return (s.RolloutSteps + length - 1) / length * worlds
}

// sequenceOf is the number of the sequence that a sample belongs to.
func (a *agent) sequenceOf(sample int) int {
	worlds := a.shape.Worlds
	return sample/worlds/a.group.Length*worlds + sample%worlds
}

// lengthFrom is the number of samples of the sequence that begins with a sample.
func (a *agent) lengthFrom(sample int32) int {
	return min(a.group.Length, a.settings.RolloutSteps-int(sample)/a.shape.Worlds)
}

// shuffleSamples puts all sequences in a random order (Durstenfeld's shuffle), and their samples in p.order.
func (p *rolloutLearner) shuffleSamples(epoch int) {
	p.shuffle.Key(p.seed, nn.DrawShuffle, p.iteration, int64(epoch))
	all := p.shuffled
	for i := range all {
		all[i] = int32(i)
	}
	for i := len(all) - 1; i > 0; i-- {
		j := p.shuffle.Int32N(int32(i + 1))
		all[i], all[j] = all[j], all[i]
	}
	if p.group.Length == 1 {
		return // p.order is p.shuffled
	}
	worlds, next := int32(p.shape.Worlds), 0
	for _, sequence := range all {
		first := sequence/worlds*int32(p.group.Length)*worlds + sequence%worlds
		for step := range int32(p.lengthFrom(first)) {
			p.order[next] = first + step*worlds
			next++
		}
	}
}

// nextMinibatch returns the first samples of rest that make a minibatch.
func (p *rolloutLearner) nextMinibatch(rest []int32) []int32 {
	size := 0
	for range p.group.Minibatch {
		if size == len(rest) {
			break
		}
		size += p.lengthFrom(rest[size])
	}
	return rest[:size]
}

// cut returns where each chunk of a minibatch ends, until the next call.
func (p *rolloutLearner) cut(minibatch []int32) []int {
	p.ends = p.ends[:0]
	if p.group.Length == 1 {
		each := p.group.PerChunk(len(minibatch))
		for first := 0; first < len(minibatch); first += each {
			p.ends = append(p.ends, min(first+each, len(minibatch)))
		}
		return p.ends
	}
	sequences := 0
	for first := 0; first < len(minibatch); first += p.lengthFrom(minibatch[first]) {
		sequences++
	}
	each := p.group.PerChunk(sequences)
	for first, n := 0, 0; first < len(minibatch); {
		first += p.lengthFrom(minibatch[first])
		if n++; n%each == 0 || first == len(minibatch) {
			p.ends = append(p.ends, first)
		}
	}
	return p.ends
}

// arrangement is the working memory of arrange.
type arrangement struct {
	samples []int32
	starts  []int // of the sequences
	steps   []int
	begins  []bool

	// With mirror images:
	twinSteps  []int
	twinBegins []bool
}

// arrange puts the samples of a chunk, whole sequences, in the order of a [nn.Batch].
func (p *rolloutLearner) arrange(a *arrangement, part []int32) ([]int32, nn.Batch) {
	if p.settings.Recurrent == 0 {
		return part, nn.Batch{Rows: len(part)}
	}
	a.samples, a.starts, a.steps, a.begins = a.samples[:0], a.starts[:0], a.steps[:0], a.begins[:0]
	for _, whole := range []bool{true, false} { // the shorter ones last
		for first := 0; first < len(part); {
			n := p.lengthFrom(part[first])
			if whole == (n == p.group.Length) {
				a.starts = append(a.starts, first)
			}
			first += n
		}
	}
	for step := range p.group.Length {
		n := 0
		for _, start := range a.starts {
			if step >= p.lengthFrom(part[start]) {
				break
			}
			sample := part[start+step]
			begins := step > 0 && p.rollout.end[int(sample)-p.shape.Worlds] != goesOn
			a.samples, a.begins = append(a.samples, sample), append(a.begins, begins)
			n++
		}
		if n == 0 {
			break
		}
		a.steps = append(a.steps, n)
	}
	return a.samples, nn.Batch{Rows: len(a.samples), Steps: a.steps, Begins: a.begins}
}

// gatherStates puts the states before the sequences of a batch where a network reads them,
// at every stride rows from first on.
func (p *rolloutLearner) gatherStates(w nn.Work, states []float32, samples []int32, b nn.Batch, first, stride int) {
	if w.Cell == nil {
		return
	}
	units := len(states) / p.sequences
	for i, sample := range samples[:b.Steps[0]] {
		copy(nn.RowOf(w.Cell.Previous, units, first+stride*i), nn.RowOf(states, units, p.sequenceOf(int(sample))))
	}
}

// reflect adds the mirror images of the samples of a chunk, which the policy is to read, to their batch. Without a
// GRU they follow the samples. With one, each row is followed by its image, so that the images are sequences too.
func (p *rolloutLearner) reflect(l *learner, part []int32, b nn.Batch) nn.Batch {
	in, size := l.policy.Input(), p.policy.net.Inputs()
	if p.policy.State() == 0 {
		end := len(part) * size
		p.mirror.reflect(in[end:2*end], in[:end])
		return nn.Batch{Rows: 2 * b.Rows}
	}
	for row := len(part) - 1; row >= 0; row-- {
		source := nn.RowOf(in, size, row)
		p.mirror.reflect(nn.RowOf(in, size, 2*row+1), source)
		copy(nn.RowOf(in, size, 2*row), source)
	}
	p.gatherStates(l.policy, p.rollout.initial.policy, part, b, 0, 2)
	p.gatherStates(l.policy, p.rollout.initial.image, part, b, 1, 2)
	a := &l.arrangement
	a.twinSteps, a.twinBegins = a.twinSteps[:0], a.twinBegins[:0]
	for _, n := range b.Steps {
		a.twinSteps = append(a.twinSteps, 2*n)
	}
	for _, begins := range b.Begins {
		a.twinBegins = append(a.twinBegins, begins, begins)
	}
	return nn.Batch{Rows: 2 * b.Rows, Steps: a.twinSteps, Begins: a.twinBegins}
}

// rowsOf are the rows of a sample of a chunk and of its mirror image, if reflect added those.
func (p *rolloutLearner) rowsOf(row, samples int) (own, image int) {
	if p.mirror != nil && p.policy.State() > 0 {
		return 2 * row, 2*row + 1
	}
	return row, samples + row
}
