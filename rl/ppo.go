package rl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// PPO learns a policy for an environment. Not safe for concurrent use; inside, it works on Shape.Workers goroutines.
//
// An iteration has three steps, see the package comment: [PPO.Iterate] does them all with
// the worlds of the environment, and [PPO.IterateIn] with worlds that others collect.
type PPO struct {
	agent
	collector *Collector // of all worlds; nil if they are elsewhere

	knowledge
	before struct { // what Iterate goes back to
		params []float32
		knowledge
	}

	recorded *recording // of AlgorithmClone

	// Of the iteration that goes on.
	weights  *Weights // of the newest rollout
	rollout  rollout
	whole    samples      // of several parts
	episodes episodeStats // of the rollout

	// Working memory of an update.
	order    []int32 // samples, shuffled; those of a sequence stay together
	shuffle  stream
	shuffled []int32   // sequences, in the same order
	learners []learner // by worker
	chunks   []chunk
	grads    []float32 // chunks × parameters
	squares  []float64 // of the gradient, by block of parameters
	ends     []int     // of the chunks of a minibatch
	team     *team     // while it works on rollouts
}

// New prepares learning from scratch. Two learners with the same environment, settings and seed do the same, bit for
// bit, whatever their number of workers and the size of blocks.
func New(env Env, settings Settings, seed uint64) (*PPO, error) {
	p, err := newPPO(env, settings, seed)
	if err != nil {
		return nil, err
	}
	p.policy.net.initialise(p.policy.params, 0.01, seed, 0)
	p.value.initialise(p.valueParams(), 1, seed, 1)
	logStd := p.policy.logStd()
	if p.policy.actions.ofState { // the network's last biases
		logStd = p.policy.params[len(p.policy.params)-p.acts():]
	}
	for i := range logStd {
		logStd[i] = float32(math.Log(settings.InitialStd))
	}
	return p, nil
}

// newPPO allocates everything and leaves the parameters zero.
func newPPO(env Env, settings Settings, seed uint64) (*PPO, error) {
	if _, err := Check(env.Shape(), settings); err != nil {
		return nil, err
	}
	a, err := newAgent(env.Shape(), settings, seed)
	if err != nil {
		return nil, err
	}
	shape := a.shape
	a.allocate()
	n := a.samples()
	p := &PPO{
		agent:     a,
		knowledge: a.newKnowledge(),
		rollout:   rollout{advantage: make([]float32, n), target: make([]float32, n)},
		order:     make([]int32, n),
		shuffle:   newStream(),
	}
	p.learningRate = settings.LearningRate
	p.shuffled = p.order
	if p.group.length > 1 {
		p.shuffled = make([]int32, p.sequences)
	}
	p.before.params, p.before.knowledge = make([]float32, len(p.params)), p.newKnowledge()
	for range shape.Workers {
		p.learners = append(p.learners, p.newLearner())
	}
	p.chunks = make([]chunk, p.group.chunks(min(p.group.minibatch, p.sequences)))
	p.grads = make([]float32, len(p.chunks)*len(p.params))
	p.squares = make([]float64, (len(p.params)+gradBlock-1)/gradBlock)
	if _, apart := env.(elsewhere); !apart {
		p.collector = newCollector(env, a)
		p.rollout.samples = p.collector.part.samples
	}
	return p, nil
}

// Policy implements [Learner].
func (p *PPO) Policy() *Policy { return p.policy.clone() }

// ControlSteps implements [Learner].
func (p *PPO) ControlSteps() int64 { return p.controlSteps }

// EnvSteps implements [Learner].
func (p *PPO) EnvSteps() int64 { return p.envSteps }

// Iterate implements [Learner]. With Settings.NormaliseObservations the very first call collects another rollout
// before, only to see how observations are spread; it counts in EnvSteps, not in the other metrics.
func (p *PPO) Iterate(ctx context.Context) (Metrics, error) {
	if p.collector == nil {
		return Metrics{}, errRemote
	}
	clones := p.settings.Algorithm == AlgorithmClone
	if clones && p.recorded == nil {
		return Metrics{}, errors.New("rl: nothing was recorded, want rows to learn from: see LearnFrom")
	}
	return p.IterateIn(ctx, func(ctx context.Context, o *Weights) ([]*Part, error) {
		if clones {
			part, err := p.collector.takeRecorded(ctx, o, p.recorded)
			return []*Part{part}, err
		}
		part, err := p.collector.Collect(ctx, o)
		return []*Part{part}, err
	})
}

// IterateIn is Iterate with rollouts that collect returns: the parts of all worlds, in any order, collected under the
// weights. The learner keeps the parts until the next call of collect, and changes them.
func (p *PPO) IterateIn(ctx context.Context,
	collect func(context.Context, *Weights) ([]*Part, error)) (Metrics, error) {
	copy(p.before.params, p.params)
	p.before.set(&p.knowledge)
	m, err := p.iterate(ctx, collect)
	if err != nil {
		copy(p.params, p.before.params)
		p.set(&p.before.knowledge)
		p.standardise()
	}
	return m, err
}

func (p *PPO) iterate(ctx context.Context, collect func(context.Context, *Weights) ([]*Part, error)) (Metrics, error) {
	for {
		o := p.giveWeights()
		parts, err := collect(ctx, o)
		if err != nil {
			return Metrics{}, err
		}
		if err := p.addRollouts(parts); err != nil {
			return Metrics{}, err
		}
		if !o.look {
			break
		}
	}
	p.iteration++
	m := Metrics{Iteration: p.iteration, EnvSteps: p.envSteps}
	p.episodes.report(&m)
	if err := p.update(ctx, &m); err != nil {
		return Metrics{}, err
	}
	return m, nil
}

// Memory implements [Learner].
func (p *PPO) Memory() Memory {
	return Memory{Discounted: slices.Clone(p.discounted), States: p.states.list()}
}

// StatesOf returns a copy of the states in some worlds, for [Collector.SetStates].
func (p *PPO) StatesOf(first, worlds int) []float32 {
	return p.states.rows(&p.agent, first, worlds).list()
}

// restore takes over what a checkpoint holds.
func (p *PPO) restore(c *Checkpoint) {
	copy(p.params, c.params)
	p.adam.set(adam{c.AdamSteps, c.adamFirst, c.adamSecond})
	p.observations.set(c.observation)
	p.returns.set(c.returns)
	p.iteration = c.Iteration
	p.controlSteps, p.envSteps = c.Taken(p.settings)
	if p.settings.LearningRate == c.Settings.LearningRate && p.settings.Schedule == c.Settings.Schedule {
		p.learningRate = c.LearningRate
	}
	p.boundStd()
	p.standardise()
}

// remember takes over the memory of another learner.
func (p *PPO) remember(m Memory) error {
	if got, want := len(m.Discounted), p.shape.Worlds; got != want {
		return fmt.Errorf("a state of %d worlds, want %d", got, want)
	}
	copy(p.discounted, m.Discounted)
	if err := p.states.setList(m.States); err != nil {
		return err
	}
	if p.collector != nil {
		p.collector.states.set(p.states)
	}
	return nil
}

// giveWeights begins a rollout with the networks and normalisers as they are now.
func (p *PPO) giveWeights() *Weights {
	if p.mirror != nil { // for the update too, which sees observations as they were collected
		p.mirror.set(p.policy.standardise, p.shape.Policy)
	}
	p.weights = &Weights{
		Step: p.controlSteps, look: p.settings.NormaliseObservations && p.observations.count == 0,
		params: p.params, standardise: p.policy.standardise,
	}
	p.weights.seal()
	return p.weights
}

// boundStd brings the log standard deviations that are parameters within their bounds.
func (p *PPO) boundStd() {
	for i, v := range p.policy.logStd() {
		p.policy.logStd()[i] = float32(p.policy.actions.bound(float64(v)))
	}
}

// knowledge is what a learner knows between two iterations, besides its parameters.
type knowledge struct {
	adam         adam
	observations moments   // of all observations acted on
	returns      moments   // of the discounted return, one value
	discounted   []float64 // that return so far, per world
	states       states    // by world, after its last control step; zero where an episode begins

	iteration    int64
	controlSteps int64 // of every world, since the start
	envSteps     int64 // over all worlds
	learningRate float64
}

func (a *agent) newKnowledge() knowledge {
	return knowledge{
		adam: newAdam(len(a.params)), observations: newMoments(a.shape.moments()), returns: newMoments(1),
		discounted: make([]float64, a.shape.Worlds), states: a.newStates(a.shape.Worlds),
	}
}

// set copies the values of other knowledge of the same size.
func (k *knowledge) set(other *knowledge) {
	k.adam.set(other.adam)
	k.observations.set(other.observations)
	k.returns.set(other.returns)
	copy(k.discounted, other.discounted)
	k.states.set(other.states)
	k.iteration, k.controlSteps, k.envSteps = other.iteration, other.controlSteps, other.envSteps
	k.learningRate = other.learningRate
}

// standardise makes the policy standardise observations by the moments so far, if it is to.
func (p *PPO) standardise() {
	if p.settings.NormaliseObservations {
		p.policy.standardise.set(p.observations, p.shape.Pictures)
	}
}
