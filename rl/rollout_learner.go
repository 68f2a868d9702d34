package rl

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// rolloutLearner learns from one whole rollout after the other. [PPO], [Distiller] and [Cloner] have one each: they
// differ in where rollouts come from and in the loss of the policy.
type rolloutLearner struct {
	agent
	rollouts      rollouts
	policyLoss    policyLoss
	scalesRewards bool // by the deviation of the discounted return

	knowledge
	before struct { // what Iterate goes back to
		params []float32
		knowledge
	}

	// Of the iteration that goes on.
	weights  *Weights // of the newest rollout
	rollout  rollout
	whole    samples      // of several parts
	episodes episodeStats // of the rollout

	// Working memory of an update.
	order    []int32 // samples, shuffled; those of a sequence stay together
	shuffle  nn.Stream
	shuffled []int32   // sequences, in the same order
	learners []learner // by worker
	chunks   []chunk
	grads    []float32 // chunks × parameters
	squares  []float64 // of the gradient, by block of parameters
	ends     []int     // of the chunks of a minibatch
	team     *nn.Team  // while it works on rollouts
}

// rollouts are where a rolloutLearner takes each rollout from.
type rollouts interface {
	// gather returns the parts of all worlds, in any order, collected under the weights. The learner keeps the parts
	// until the next call, and changes them.
	gather(ctx context.Context, o *Weights) ([]*RolloutPart, error)

	// setStates says how a recurrent policy remembers the worlds where a learner is continued.
	setStates(s states)
}

// policyLoss turns the log probabilities, in slopes, of the actions of samples into the derivatives of the policy's
// loss by them, over a minibatch of size samples, and returns what the samples contribute. Advantages are shifted by
// mean and scaled.
type policyLoss func(s *Settings, r *rollout, slopes []float64, samples []int32, mean, scale float64, size int) losses

// newRolloutLearner allocates everything and leaves the parameters zero. own is the algorithm that the settings must
// have. open returns the rollouts for an agent, which is then theirs.
func newRolloutLearner(shape Shape, settings Settings, own Algorithm, seed uint64, loss policyLoss,
	open func(agent) (rollouts, error)) (*rolloutLearner, error) {
	if _, err := Check(shape, settings); err != nil {
		return nil, err
	}
	if err := settings.learnsBy(own); err != nil {
		return nil, err
	}
	a, err := newAgent(shape, settings, seed)
	if err != nil {
		return nil, err
	}
	source, err := open(a)
	if err != nil {
		return nil, err
	}
	shape = a.shape
	a.allocate()
	n := a.samples()
	p := &rolloutLearner{
		agent:         a,
		rollouts:      source,
		policyLoss:    loss,
		scalesRewards: settings.ScaleRewards,
		knowledge:     a.newKnowledge(),
		rollout:       rollout{advantage: make([]float32, n), target: make([]float32, n)},
		order:         make([]int32, n),
		shuffle:       nn.NewStream(),
	}
	p.learningRate = settings.LearningRate
	p.shuffled = p.order
	if p.group.Length > 1 {
		p.shuffled = make([]int32, p.sequences)
	}
	p.before.params, p.before.knowledge = make([]float32, len(p.params)), p.newKnowledge()
	for range shape.Workers {
		p.learners = append(p.learners, p.newLearner())
	}
	p.chunks = make([]chunk, p.group.Chunks(min(p.group.Minibatch, p.sequences)))
	p.grads = make([]float32, len(p.chunks)*len(p.params))
	p.squares = make([]float64, (len(p.params)+nn.GradBlock-1)/nn.GradBlock)
	return p, nil
}

// initialise implements [trainable].
func (p *rolloutLearner) initialise() {
	p.policy.net.Initialise(p.policy.params, 0.01, p.seed, 0)
	p.value.Initialise(p.valueParams(), 1, p.seed, 1)
	logStd := p.policy.logStd()
	if p.policy.actions.StateDependent { // the network's last biases
		logStd = p.policy.params[len(p.policy.params)-p.acts():]
	}
	for i := range logStd {
		logStd[i] = float32(math.Log(p.settings.InitialStd))
	}
}

// Policy implements [Learner].
func (p *rolloutLearner) Policy() *Policy { return p.policy.clone() }

// ControlSteps implements [Learner].
func (p *rolloutLearner) ControlSteps() int64 { return p.controlSteps }

// EnvSteps implements [Learner].
func (p *rolloutLearner) EnvSteps() int64 { return p.envSteps }

// Memory implements [Learner].
func (p *rolloutLearner) Memory() Memory {
	return Memory{Discounted: slices.Clone(p.discounted), States: p.states.list()}
}

// restore implements [trainable].
func (p *rolloutLearner) restore(c *Checkpoint) {
	copy(p.params, c.params)
	p.adam.Set(nn.Adam{Steps: c.AdamSteps, First: c.adamFirst, Second: c.adamSecond})
	p.observations.Set(c.observation)
	p.returns.Set(c.returns)
	p.iteration = c.Iteration
	p.controlSteps, p.envSteps = c.Taken(p.settings)
	if p.settings.LearningRate == c.Settings.LearningRate && p.settings.Schedule == c.Settings.Schedule {
		p.learningRate = c.LearningRate
	}
	p.boundStd()
	p.standardise()
}

// remember implements [trainable].
func (p *rolloutLearner) remember(m Memory) error {
	if got, want := len(m.Discounted), p.shape.Worlds; got != want {
		return fmt.Errorf("a state of %d worlds, want %d", got, want)
	}
	copy(p.discounted, m.Discounted)
	if err := p.states.setList(m.States); err != nil {
		return err
	}
	p.rollouts.setStates(p.states)
	return nil
}

// giveWeights begins a rollout with the networks and normalisers as they are now.
func (p *rolloutLearner) giveWeights() *Weights {
	if p.mirror != nil { // for the update too, which sees observations as they were collected
		p.mirror.set(p.policy.standardise, p.shape.Policy)
	}
	p.weights = &Weights{
		Step: p.controlSteps, look: p.settings.NormaliseObservations && p.observations.Count == 0,
		params: p.params, standardise: p.policy.standardise, learner: &p.agent,
	}
	p.weights.seal()
	return p.weights
}

// boundStd brings the log standard deviations that are parameters within their bounds.
func (p *rolloutLearner) boundStd() {
	for i, v := range p.policy.logStd() {
		p.policy.logStd()[i] = float32(p.policy.actions.Bound(float64(v)))
	}
}

// knowledge is what a learner knows between two iterations, besides its parameters.
type knowledge struct {
	adam         nn.Adam
	observations nn.Moments // of all observations acted on
	returns      nn.Moments // of the discounted return, one value
	discounted   []float64  // that return so far, per world
	states       states     // by world, after its last control step; zero where an episode begins

	iteration    int64
	controlSteps int64 // of every world, since the start
	envSteps     int64 // over all worlds
	learningRate float64
}

func (a *agent) newKnowledge() knowledge {
	return knowledge{
		adam: nn.NewAdam(len(a.params)), observations: nn.NewMoments(a.shape.moments()), returns: nn.NewMoments(1),
		discounted: make([]float64, a.shape.Worlds), states: a.newStates(a.shape.Worlds),
	}
}

// set copies the values of other knowledge of the same size.
func (k *knowledge) set(other *knowledge) {
	k.adam.Set(other.adam)
	k.observations.Set(other.observations)
	k.returns.Set(other.returns)
	copy(k.discounted, other.discounted)
	k.states.set(other.states)
	k.iteration, k.controlSteps, k.envSteps = other.iteration, other.controlSteps, other.envSteps
	k.learningRate = other.learningRate
}

// standardise makes the policy standardise observations by the moments so far, if it is to.
func (p *rolloutLearner) standardise() {
	if p.settings.NormaliseObservations {
		p.policy.standardise.Set(p.observations, p.shape.Pictures)
	}
}

// openTeam starts the learner's team; the caller calls what it returns to close it.
func (p *rolloutLearner) openTeam() (closeTeam func()) {
	p.team = nn.NewTeam(p.shape.Workers)
	return func() {
		p.team.Close()
		p.team = nil
	}
}

// Checkpoint implements [Learner].
func (p *rolloutLearner) Checkpoint(w io.Writer, user string) error {
	h := headerOf(p.shape, p.settings, p.seed)
	h.Iteration, h.ControlSteps, h.EnvSteps = p.iteration, p.controlSteps, p.envSteps
	h.LearningRate, h.AdamSteps, h.ReturnCount = p.learningRate, p.adam.Steps, p.returns.Count
	c := Checkpoint{
		CheckpointHeader: h, params: p.params, adamFirst: p.adam.First, adamSecond: p.adam.Second,
		observation: p.observations, returns: p.returns,
		low: p.shape.ActionLow, high: p.shape.ActionHigh,
	}
	return c.write(w, user)
}

// elsewhere are the rollouts of worlds that others step.
type elsewhere func(context.Context, *Weights) ([]*RolloutPart, error)

// open returns the rollouts for any agent.
func (e elsewhere) open(agent) (rollouts, error) { return e, nil }

func (e elsewhere) gather(ctx context.Context, o *Weights) ([]*RolloutPart, error) { return e(ctx, o) }

func (e elsewhere) setStates(states) {} // who steps the worlds knows how they are remembered

// observe merges the observations of the parts into the running moments. Each value is on its own, so
// workers share the values.
func (p *rolloutLearner) observe(parts []*RolloutPart) {
	const span = 16 // of values
	size, before := p.shape.moments(), p.observations
	p.team.Do((size+span-1)/span, func(_, task int) {
		first, end := task*span, min((task+1)*span, size)
		sum := before.Values(first, end)
		for _, part := range parts {
			for w := range part.Worlds {
				sum.Merge(part.seen(w, float64(part.steps)).Values(first, end))
			}
		}
		if task == 0 {
			p.observations.Count = sum.Count
		}
	})
}

// checkParts returns an error unless the parts, in the order of worlds, are those of the rollout that was ordered.
func (p *rolloutLearner) checkParts(parts []*RolloutPart) error {
	next := 0
	for i, part := range parts {
		switch {
		case i > 0 && part.First < next:
			return fmt.Errorf("rl: two parts have world %d: %v and %v", part.First, parts[i-1], part)
		case part.First != next:
			return fmt.Errorf("rl: the part of worlds %d to %d is missing", next, part.First-1)
		}
		if err := p.weights.Check(part); err != nil {
			return err
		}
		next += part.Worlds
	}
	if next != p.shape.Worlds {
		return fmt.Errorf("rl: the part of worlds %d to %d is missing", next, p.shape.Worlds-1)
	}
	return nil
}

// place copies the samples of a step of a part to those of all worlds of a, and the states before it
// where sequences begin with it; with step 0, what a part has beside its steps too.
func (s *samples) place(a *agent, part *RolloutPart, step int) {
	// the first sample of the step in the part and here
	source, target := step*part.Worlds, step*a.shape.Worlds+part.First
	copyRows(s.observation, target, part.observation, source, part.Worlds, a.shape.Observation)
	copyRows(s.action, target, part.action, source, part.Worlds, a.acts())
	copyRows(s.logProb, target, part.logProb, source, part.Worlds, 1)
	copyRows(s.value, target, part.value, source, part.Worlds, 1)
	copyRows(s.reward, target, part.reward, source, part.Worlds, 1)
	copyRows(s.end, target, part.end, source, part.Worlds, 1)
	copyRows(s.final, target, part.final, source, part.Worlds, 1)
	if step == 0 {
		copy(s.last[part.First:], part.last)
	}
	if c := step / a.group.Length; step%a.group.Length == 0 {
		s.initial.rows(a, c*a.shape.Worlds+part.First, part.Worlds).set(part.initial.rows(a, c*part.Worlds,
			part.Worlds))
	}
}

// copyRows copies so many rows of a matrix with size columns.
func copyRows[T any](dst []T, dstRow int, src []T, srcRow, rows, size int) {
	copy(dst[dstRow*size:(dstRow+rows)*size], src[srcRow*size:(srcRow+rows)*size])
}

// chunk is what a part of a minibatch contributes, beside its gradient.
type chunk struct {
	losses    losses // but for the value loss, which another worker may have found
	valueLoss float64
}

// blocks calls f for each block of the parameters, first up to end, on the team.
func (p *rolloutLearner) blocks(f func(block, first, end int)) {
	p.team.Do(len(p.squares), func(_, block int) {
		f(block, block*nn.GradBlock, min((block+1)*nn.GradBlock, len(p.params)))
	})
}

// losses are sums over samples.
type losses struct {
	policy, value, kl, clipped float64
	entropy, std, asymmetry    float64
}

func (l *losses) add(other losses) {
	l.policy += other.policy
	l.value += other.value
	l.kl += other.kl
	l.clipped += other.clipped
	l.entropy += other.entropy
	l.std += other.std
	l.asymmetry += other.asymmetry
}

// learner is the working memory of one goroutine that computes gradients.
type learner struct {
	policy, value nn.Work // of the rows of a chunk; with a symmetry, policy also has those of their mirror images
	arrangement   arrangement

	// By sample of a chunk:
	scores  []nn.Score // one alone for Gaussians that have the same deviations in all samples
	z       []float64  // of such Gaussians
	logProb []float64

	logStdGrad []float64
}

func (p *rolloutLearner) newLearner() learner {
	sequences := p.group.MostPerChunk(min(p.group.Minibatch, p.sequences))
	rows, images := sequences*p.group.Length, 1 // of the policy: with mirror images twice as many
	if p.mirror != nil {
		images = 2
	}
	actions := &p.policy.actions
	l := learner{
		policy:     p.policy.net.NewWork(images*rows, images*sequences, true),
		value:      p.value.NewWork(rows, sequences, true),
		z:          make([]float64, rows*actions.Free()),
		logProb:    make([]float64, rows),
		logStdGrad: make([]float64, actions.Free()),
	}
	scores := rows
	if actions.Free() > 0 {
		scores = 1
	}
	for range scores {
		l.scores = append(l.scores, actions.NewScore())
	}
	return l
}

// gather copies columns of the observations of samples to the rows of dst.
func (p *rolloutLearner) gather(dst []float32, columns ColumnRange, samples []int32) {
	nn.GatherRows(dst, p.rollout.observation, p.shape.Observation, columns, samples)
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
