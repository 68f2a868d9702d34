package rl

import (
	"context"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
)

// PPO learns a policy for an environment. Not safe for concurrent use; inside,
// it works on Shape.Workers goroutines.
//
// An iteration has three steps, see the package comment: [PPO.Iterate] does them all with
// the worlds of the environment, and [PPO.IterateIn] with worlds that others collect.
type PPO struct {
	agent
	collector *Collector // of all worlds; nil if they are elsewhere

	adam         adam
	observations moments   // of all observations acted on
	returns      moments   // of the discounted return, one value
	discounted   []float64 // that return so far, per world
	states       states    // by world, after its last control step; zero where an episode begins

	iteration    int64
	controlSteps int64 // of every world, since the start
	envSteps     int64 // over all worlds
	learningRate float64

	before knowledge // what Iterate goes back to

	// Of the iteration that goes on.
	orders   *Orders // of the newest rollout
	rollout  rollout
	whole    samples      // of several parts
	episodes episodeStats // of the rollout

	// Working memory of an update.
	order    []int32 // samples, shuffled; those of a sequence stay together
	shuffle  stream
	shuffled []int32   // sequences, in the same order
	learners []learner // by worker
	chunks   []chunk
	ends     []int // of the chunks of a minibatch
	team     *team // while it improves
}

// New prepares learning from scratch. Two learners with the same environment,
// settings and seed do the same, bit for bit, whatever their number of workers
// and the size of blocks.
func New(env Env, settings Settings, seed uint64) (*PPO, error) {
	p, err := newPPO(env, settings, seed)
	if err != nil {
		return nil, err
	}
	shape := p.shape
	p.policy.net.initialise(p.policy.params, 0.01, seed, 0)
	p.value.initialise(p.valueParams(), 1, seed, 1)
	logStd := p.policy.logStd()
	if p.policy.actions.ofState { // the network's last biases
		logStd = p.policy.params[len(p.policy.params)-shape.Action:]
	}
	for i := range logStd {
		logStd[i] = float32(math.Log(settings.InitialStd))
	}
	return p, nil
}

// newPPO allocates everything and leaves the parameters zero.
func newPPO(env Env, settings Settings, seed uint64) (*PPO, error) {
	a, err := newAgent(env.Shape(), settings, seed)
	if err != nil {
		return nil, err
	}
	shape := a.shape
	what := fmt.Sprintf("rl: the networks and rollouts of %d worlds × %d steps", shape.Worlds, settings.RolloutSteps)
	if err := memory.Check(what, memoryNeed(shape, settings)); err != nil {
		return nil, err
	}
	a.allocate()
	n := a.samples()
	p := &PPO{
		agent: a,

		adam:         newAdam(len(a.params)),
		observations: newMoments(shape.Observation),
		returns:      newMoments(1),
		discounted:   make([]float64, shape.Worlds),
		states:       a.newStates(shape.Worlds),
		learningRate: settings.LearningRate,

		rollout: rollout{advantage: make([]float32, n), target: make([]float32, n)},
		order:   make([]int32, n),
		shuffle: newStream(),
	}
	p.shuffled = p.order
	if p.group.length > 1 {
		p.shuffled = make([]int32, p.sequences)
	}
	p.before = p.newKnowledge()
	for range shape.Workers {
		p.learners = append(p.learners, p.newLearner())
	}
	for range p.group.chunks(min(p.group.minibatch, p.sequences)) {
		p.chunks = append(p.chunks, chunk{grad: make([]float32, len(p.params))})
	}
	if _, apart := env.(elsewhere); !apart {
		p.collector = newCollector(env, a)
		p.rollout.samples = p.collector.part.samples
	}
	return p, nil
}

// Policy returns a copy of the policy as it is now.
func (p *PPO) Policy() *Policy { return p.policy.clone() }

// ControlSteps returns the number of control steps that every world has taken, those of
// the checkpoint that it continues included.
func (p *PPO) ControlSteps() int64 { return p.controlSteps }

// EnvSteps is the number of environment steps since the start, over all worlds.
func (p *PPO) EnvSteps() int64 { return p.envSteps }

// Iterate collects one rollout and updates the policy from it. With
// Settings.NormaliseObservations the very first call collects another rollout
// before, only to see how observations are spread; it counts in EnvSteps, not in
// the other metrics.
//
// When ctx is cancelled, Iterate ends early with ctx's error, and the learner is as it
// was before the call, so that a checkpoint of it can be written. After any error the
// worlds stand anywhere, and the learner is not to be used for more than that.
func (p *PPO) Iterate(ctx context.Context) (Metrics, error) {
	if p.collector == nil {
		return Metrics{}, errElsewhere
	}
	return p.IterateIn(ctx, func(ctx context.Context, o *Orders) ([]*Part, error) {
		part, err := p.collector.Collect(ctx, o)
		return []*Part{part}, err
	})
}

// IterateIn is Iterate with rollouts that collect returns: the parts of all worlds, in any
// order, collected under the orders. The learner keeps the parts until the next call of
// collect, and changes them.
func (p *PPO) IterateIn(ctx context.Context, collect func(context.Context, *Orders) ([]*Part, error)) (Metrics, error) {
	p.save()
	m, err := p.iterate(ctx, collect)
	if err != nil {
		p.restore()
	}
	return m, err
}

func (p *PPO) iterate(ctx context.Context, collect func(context.Context, *Orders) ([]*Part, error)) (Metrics, error) {
	for {
		o := p.giveOrders()
		parts, err := collect(ctx, o)
		if err != nil {
			return Metrics{}, err
		}
		if err := p.absorb(parts); err != nil {
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

// giveOrders begins a rollout with the networks and normalisers as they are now.
func (p *PPO) giveOrders() *Orders {
	if p.mirror != nil { // for the update too, which sees observations as they were collected
		p.mirror.set(p.policy.standardise, p.shape.Policy)
	}
	p.orders = &Orders{
		Step: p.controlSteps, look: p.settings.NormaliseObservations && p.observations.count == 0,
		params: p.params, standardise: p.policy.standardise,
	}
	return p.orders
}

// boundStd brings the log standard deviations that are parameters within their bounds.
func (p *PPO) boundStd() {
	for i, v := range p.policy.logStd() {
		p.policy.logStd()[i] = float32(p.policy.actions.bound(float64(v)))
	}
}

// knowledge is a copy of what a learner knows between two iterations.
type knowledge struct {
	params                            []float32
	adam                              adam
	observations, returns             moments
	discounted                        []float64
	states                            states
	iteration, controlSteps, envSteps int64
	learningRate                      float64
}

func (p *PPO) newKnowledge() knowledge {
	return knowledge{
		params: make([]float32, len(p.params)), adam: newAdam(len(p.params)),
		observations: newMoments(p.shape.Observation), returns: newMoments(1),
		discounted: make([]float64, len(p.discounted)), states: p.newStates(p.shape.Worlds),
	}
}

// save keeps what the learner knows now.
func (p *PPO) save() {
	b := &p.before
	copy(b.params, p.params)
	b.adam.set(p.adam)
	b.observations.set(p.observations)
	b.returns.set(p.returns)
	copy(b.discounted, p.discounted)
	b.states.set(p.states)
	b.iteration, b.controlSteps, b.envSteps = p.iteration, p.controlSteps, p.envSteps
	b.learningRate = p.learningRate
}

// restore goes back to what save kept.
func (p *PPO) restore() {
	b := &p.before
	copy(p.params, b.params)
	p.adam.set(b.adam)
	p.observations.set(b.observations)
	p.returns.set(b.returns)
	copy(p.discounted, b.discounted)
	p.states.set(b.states)
	p.iteration, p.controlSteps, p.envSteps = b.iteration, b.controlSteps, b.envSteps
	p.learningRate = b.learningRate
	if p.settings.NormaliseObservations {
		p.policy.standardise.set(p.observations)
	}
}
