package rl

// A rollout is cut into sequences, consecutive control steps of one world, which an update
// never tears apart: the gradient of a GRU passes back through one of them, from where the
// state before it was kept when acting. Without a GRU each sample is a sequence.
//
// A minibatch is cut into chunks whose number depends on its size alone. The gradient of each is computed by itself
// and they are summed by a fixed tree, see sumTree, so that the bits do not depend on how many workers share them.
const (
	maxChunks      = 64
	minChunkRows   = 64 // samples of a chunk, and at least minChunkInStep sequences
	minChunkInStep = 16
)

// grouping is how minibatches and chunks are made of sequences.
type grouping struct {
	minibatch int // sequences of a minibatch; the last of an epoch may have fewer
	least     int // sequences that are not worth another chunk
	length    int // control steps of a sequence; the last of a rollout may have fewer
}

func newGrouping(s *Settings) grouping {
	length := s.sequence()
	return grouping{max(1, s.Minibatch/length), max(minChunkInStep, minChunkRows/length), length}
}

// chunks is the number of chunks of a minibatch of so many sequences.
func (g grouping) chunks(sequences int) int {
	return min(maxChunks, (sequences+g.least-1)/g.least)
}

// perChunk is the number of sequences of each chunk but the last.
func (g grouping) perChunk(sequences int) int {
	n := g.chunks(sequences)
	return (sequences + n - 1) / n
}

// mostPerChunk is the largest number of sequences of a chunk of any minibatch of up to so
// many. A smaller minibatch may have larger chunks: if 64 make one chunk, 65 make two of
// 33.
func (g grouping) mostPerChunk(sequences int) int {
	return min(sequences, max(g.least, g.perChunk(sequences)))
}

// sequences is the number of sequences of a rollout.
func (s *Settings) sequences(worlds int) int {
	length := s.sequence()
	return (s.RolloutSteps + length - 1) / length * worlds
}

// sequenceOf is the number of the sequence that a sample belongs to.
func (a *agent) sequenceOf(sample int) int {
	worlds := a.shape.Worlds
	return sample/worlds/a.group.length*worlds + sample%worlds
}

// lengthFrom is the number of samples of the sequence that begins with a sample.
func (a *agent) lengthFrom(sample int32) int {
	return min(a.group.length, a.settings.RolloutSteps-int(sample)/a.shape.Worlds)
}

// shuffleSamples puts all sequences in a random order (Durstenfeld's shuffle), and their samples in p.order.
func (p *rolloutLearner) shuffleSamples(epoch int) {
	p.shuffle.key(p.seed, drawShuffle, p.iteration, int64(epoch))
	all := p.shuffled
	for i := range all {
		all[i] = int32(i)
	}
	for i := len(all) - 1; i > 0; i-- {
		j := p.shuffle.Int32N(int32(i + 1))
		all[i], all[j] = all[j], all[i]
	}
	if p.group.length == 1 {
		return // p.order is p.shuffled
	}
	worlds, next := int32(p.shape.Worlds), 0
	for _, sequence := range all {
		first := sequence/worlds*int32(p.group.length)*worlds + sequence%worlds
		for step := range int32(p.lengthFrom(first)) {
			p.order[next] = first + step*worlds
			next++
		}
	}
}

// nextMinibatch returns the first samples of rest that make a minibatch.
func (p *rolloutLearner) nextMinibatch(rest []int32) []int32 {
	size := 0
	for range p.group.minibatch {
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
	if p.group.length == 1 {
		each := p.group.perChunk(len(minibatch))
		for first := 0; first < len(minibatch); first += each {
			p.ends = append(p.ends, min(first+each, len(minibatch)))
		}
		return p.ends
	}
	sequences := 0
	for first := 0; first < len(minibatch); first += p.lengthFrom(minibatch[first]) {
		sequences++
	}
	each := p.group.perChunk(sequences)
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

// arrange puts the samples of a chunk, whole sequences, in the order of a [batch].
func (p *rolloutLearner) arrange(a *arrangement, part []int32) ([]int32, batch) {
	if p.settings.Recurrent == 0 {
		return part, batch{rows: len(part)}
	}
	a.samples, a.starts, a.steps, a.begins = a.samples[:0], a.starts[:0], a.steps[:0], a.begins[:0]
	for _, whole := range []bool{true, false} { // the shorter ones last
		for first := 0; first < len(part); {
			n := p.lengthFrom(part[first])
			if whole == (n == p.group.length) {
				a.starts = append(a.starts, first)
			}
			first += n
		}
	}
	for step := range p.group.length {
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
	return a.samples, batch{len(a.samples), a.steps, a.begins}
}

// gatherStates puts the states before the sequences of a batch where a network reads them,
// at every stride rows from first on.
func (p *rolloutLearner) gatherStates(w work, states []float32, samples []int32, b batch, first, stride int) {
	if w.cell == nil {
		return
	}
	units := len(states) / p.sequences
	for i, sample := range samples[:b.steps[0]] {
		copy(rowOf(w.cell.previous, units, first+stride*i), rowOf(states, units, p.sequenceOf(int(sample))))
	}
}

// reflect adds the mirror images of the samples of a chunk, which the policy is to read, to their batch. Without a
// GRU they follow the samples. With one, each row is followed by its image, so that the images are sequences too.
func (p *rolloutLearner) reflect(l *learner, part []int32, b batch) batch {
	in, size := l.policy.input(), p.policy.net.inputs()
	if p.policy.State() == 0 {
		end := len(part) * size
		p.mirror.reflect(in[end:2*end], in[:end])
		return batch{rows: 2 * b.rows}
	}
	for row := len(part) - 1; row >= 0; row-- {
		source := rowOf(in, size, row)
		p.mirror.reflect(rowOf(in, size, 2*row+1), source)
		copy(rowOf(in, size, 2*row), source)
	}
	p.gatherStates(l.policy, p.rollout.initial.policy, part, b, 0, 2)
	p.gatherStates(l.policy, p.rollout.initial.image, part, b, 1, 2)
	a := &l.arrangement
	a.twinSteps, a.twinBegins = a.twinSteps[:0], a.twinBegins[:0]
	for _, n := range b.steps {
		a.twinSteps = append(a.twinSteps, 2*n)
	}
	for _, begins := range b.begins {
		a.twinBegins = append(a.twinBegins, begins, begins)
	}
	return batch{2 * b.rows, a.twinSteps, a.twinBegins}
}

// rowsOf are the rows of a sample of a chunk and of its mirror image, if reflect added those.
func (p *rolloutLearner) rowsOf(row, samples int) (own, image int) {
	if p.mirror != nil && p.policy.State() > 0 {
		return 2 * row, 2*row + 1
	}
	return row, samples + row
}
