package rl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
)

// An update can be shared. The learner that leads has all samples, and sends them to its helpers once. For each
// minibatch it then sends the parameters and which samples these are. Each learner computes the gradients of its
// share of the chunks, by number, and adds those that the tree of sumTree adds before any other. The one that leads
// adds what is left, in the order of the tree, so that the bits do not depend on the number of learners.

// Exchange gives a request to every helper, calls own meanwhile, and returns when take has been called with the
// answer of each, or with an error where ctx is done. take says whose answer it is, counted from 1, and 0 for one of
// an earlier request, which counts for nothing. One goroutine at a time may call it, until Exchange returns.
type Exchange func(ctx context.Context, request []byte, own func(), take func(answer []byte) (int, error)) error

// sharing is what a learner that leads others has.
type sharing struct {
	learners int // this one included
	exchange Exchange
	number   uint64 // of the newest request
	spans    []int  // by chunk: those that are already added to it, itself included; 0: it is added to another
}

var (
	requestKind = container.Kind{Name: "request", Version: 1,
		Sections: []string{"number", "weights", "rollout", "parameters", "minibatch"}}
	answerKind = container.Kind{Name: "answer", Version: 1, Sections: []string{"head", "losses", "sums"}}
)

// ShareWith lets so many helpers compute a part of every gradient from now on.
func (p *PPO) ShareWith(helpers int, exchange Exchange) {
	p.sharing = sharing{learners: 1 + helpers, exchange: exchange, spans: make([]int, len(p.chunks))}
}

// share is the range of n chunks that a learner computes, of so many.
func share(n, learner, learners int) (from, to int) {
	return learner * n / learners, (learner + 1) * n / learners
}

// groups are the rows from up to to, as groups that sumTree adds before any other row to
// them: their first rows, and how many each has.
func groups(from, to int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for at, size := from, 1; at < to; at += size {
			for size = 1; at%(2*size) == 0 && at+2*size <= to; {
				size *= 2
			}
			if !yield(at, size) {
				return
			}
		}
	}
}

// request begins a request to the helpers.
func (s *sharing) request() []byte {
	s.number++
	return binary.LittleEndian.AppendUint64(nil, s.number)
}

// giveSamples sends the samples of an update to the helpers.
func (p *PPO) giveSamples(ctx context.Context) error {
	if p.sharing.of() == 1 || len(p.chunks) == 1 {
		return nil
	}
	worlds := p.shape.Worlds
	part := Part{Worlds: worlds, Step: p.controlSteps, steps: p.settings.RolloutSteps, samples: p.rollout.samples,
		after: p.newStates(worlds), finished: make([]episodeStats, worlds)}
	if p.settings.NormaliseObservations {
		part.mean = make([]float64, worlds*p.shape.moments())
		part.m2 = make([]float64, worlds*p.shape.moments())
	}
	request := requestKind.Encode(p.sharing.request(), p.weights.bytes, part.Encode(), nil, nil)
	return p.sharing.exchange(ctx, request, func() {}, func(answer []byte) (int, error) {
		learner, _, err := p.whose(answer)
		return learner, err
	})
}

// of is the number of learners of an update.
func (s *sharing) of() int { return max(1, s.learners) }

// whose returns which learner an answer is of, 0 if it is late, and its sections.
func (p *PPO) whose(answer []byte) (learner int, sections [][]byte, err error) {
	sections, _, err = answerKind.Decode(answer)
	if err == nil && len(sections[0]) != 16 {
		err = fmt.Errorf("damaged: a head of %d bytes, want 16", len(sections[0]))
	}
	if err != nil {
		return 0, nil, fmt.Errorf("rl: reading an answer: %w", err)
	}
	if binary.LittleEndian.Uint64(sections[0]) != p.sharing.number {
		return 0, nil, nil
	}
	n := binary.LittleEndian.Uint64(sections[0][8:])
	if n < 1 || n >= uint64(p.sharing.of()) {
		return 0, nil, fmt.Errorf("rl: an answer of learner %d, want 1 to %d", n, p.sharing.of()-1)
	}
	return int(n), sections, nil
}

// shareGradient computes the gradients of n chunks together with the helpers, unless ctx is done.
func (p *PPO) shareGradient(ctx context.Context, minibatch []int32, n int) {
	for i := range n {
		p.sharing.spans[i] = 1
	}
	request := requestKind.Encode(p.sharing.request(), nil, nil, appendFixed(nil, p.params), appendFixed(nil, minibatch))
	_, own := share(n, 0, p.sharing.of())
	_ = p.sharing.exchange(ctx, request, func() { p.chunkGradients(ctx, minibatch, 0, own) },
		func(answer []byte) (int, error) {
			learner, sections, err := p.whose(answer)
			if err != nil || learner == 0 {
				return 0, err
			}
			from, to := share(n, learner, p.sharing.of())
			return learner, p.takeSums(sections[1], sections[2], from, to)
		})
}

// takeSums takes what a helper has computed of chunks.
func (p *PPO) takeSums(losses, sums []byte, from, to int) error {
	rows := 0
	for range groups(from, to) {
		rows++
	}
	if got, want := len(losses), (to-from)*len(new(chunk).values())*double; got != want {
		return fmt.Errorf("rl: an answer with %d bytes of losses, want %d", got, want)
	}
	if got, want := len(sums), rows*len(p.params)*single; got != want {
		return fmt.Errorf("rl: an answer with %d bytes of sums, want %d", got, want)
	}
	for i := from; i < to; i++ {
		p.sharing.spans[i] = 0
		for _, v := range p.chunks[i].values() {
			one := []float64{0}
			losses = container.TakeFloats(losses, one)
			*v = one[0]
		}
	}
	for at, size := range groups(from, to) {
		p.sharing.spans[at] = size
		sums = container.TakeFloats(sums, rowOf(p.grads, len(p.params), at))
	}
	return nil
}

// values are the numbers of a chunk.
func (c *chunk) values() []*float64 {
	l := &c.losses
	return []*float64{&l.policy, &l.value, &l.kl, &l.clipped, &l.entropy, &l.std, &l.asymmetry, &c.valueLoss}
}

// sumChunks adds the parameters from up to to of the gradients of n chunks to those of the
// first one, in the order of sumTree.
func (p *PPO) sumChunks(n, from, to int) {
	size := len(p.params)
	if p.sharing.of() == 1 || n == 1 {
		sumTree(p.grads[from:], size, n, to-from)
		return
	}
	for span := 1; span < n; span *= 2 {
		for i := 0; i+span < n; i += 2 * span {
			if added := p.sharing.spans[i]; added > 0 && added <= span { // else a helper has added them
				addRows(rowOf(p.grads, size, i)[from:to], rowOf(p.grads, size, i+span)[from:to])
			}
		}
	}
}

// Helper computes a share of the gradients of a learner elsewhere that has the same
// environment, settings and seed. Not safe for concurrent use.
type Helper struct {
	p                 *PPO
	learner, learners int
	ready             bool // it has samples
}

// NewHelper returns learner number learner, at least 1, of so many.
func NewHelper(shape Shape, settings Settings, seed uint64, learner, learners int) (*Helper, error) {
	if learner < 1 || learner >= learners {
		return nil, fmt.Errorf("rl: helper %d of %d learners, want 1 to %d", learner, learners, learners-1)
	}
	p, err := newPPO(RemoteEnv(shape), settings, seed)
	if err != nil {
		return nil, err
	}
	return &Helper{p: p, learner: learner, learners: learners}, nil
}

// Answer answers a request of an [Exchange]. The same request has an answer of the same bytes.
func (h *Helper) Answer(ctx context.Context, request []byte) ([]byte, error) {
	sections, _, err := requestKind.Decode(request)
	if err != nil {
		return nil, fmt.Errorf("rl: reading a request: %w", err)
	}
	head := binary.LittleEndian.AppendUint64(sections[0], uint64(h.learner))
	if sections[2] != nil {
		return answerKind.Encode(head, nil, nil), h.setSamples(sections[1], sections[2])
	}
	p := h.p
	minibatch := make([]int32, len(sections[4])/single)
	if _, err := binary.Decode(sections[4], binary.LittleEndian, minibatch); err != nil {
		return nil, err
	}
	switch {
	case !h.ready:
		return nil, errors.New("rl: a helper without samples, want those of the update first")
	case len(sections[3]) != len(p.params)*single:
		return nil, fmt.Errorf("rl: a request with %d bytes of parameters, want %d", len(sections[3]), len(p.params)*single)
	}
	for _, sample := range minibatch {
		if sample < 0 || int(sample) >= len(p.order) {
			return nil, fmt.Errorf("rl: a request for sample %d, want 0 to %d", sample, len(p.order)-1)
		}
	}
	container.TakeFloats(sections[3], p.params)
	defer p.openTeam()()
	n := len(p.cut(minibatch))
	from, to := share(n, h.learner, h.learners)
	p.chunkGradients(ctx, minibatch, from, to)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var losses, sums []byte
	for i := from; i < to; i++ {
		for _, v := range p.chunks[i].values() {
			losses = container.AppendFloats(losses, *v)
		}
	}
	for at, size := range groups(from, to) {
		p.blocks(func(_, from, to int) { sumTree(p.grads[at*len(p.params)+from:], len(p.params), size, to-from) })
		sums = container.AppendFloats(sums, rowOf(p.grads, len(p.params), at)...)
	}
	return answerKind.Encode(head, losses, sums), nil
}

// setSamples takes the samples of an update.
func (h *Helper) setSamples(weights, rollout []byte) error {
	p := h.p
	o, err := ReadWeights(weights)
	if err != nil {
		return err
	}
	part, _, err := ReadPart(rollout)
	if err == nil {
		err = part.fits(&p.agent)
	}
	if err == nil && part.Worlds != p.shape.Worlds {
		err = fmt.Errorf("rl: %v, want all %d worlds", part, p.shape.Worlds)
	}
	if err == nil && len(o.standardise.mean) != p.shape.Observation {
		err = fmt.Errorf("rl: weights for observations of %d values, want %d", len(o.standardise.mean), p.shape.Observation)
	}
	if err != nil {
		return err
	}
	if p.mirror != nil {
		p.mirror.set(o.standardise, p.shape.Policy)
	}
	p.rollout.samples, h.ready = part.samples, true
	p.estimate()
	return nil
}
