package rl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
)

// PPO learns a policy for an environment. Not safe for concurrent use; inside,
// it works on Shape.Workers goroutines.
type PPO struct {
	env      Env
	shape    Shape
	settings Settings
	seed     uint64

	// What is learned. params is the policy's parameters, then the value
	// network's; policy.params is the beginning of it.
	params []float32
	policy *Policy
	value  network
	adam   adam
	mirror *mirror // of the policy; nil without a symmetry

	observations moments   // of all observations acted on
	returns      moments   // of the discounted return, one value
	discounted   []float64 // that return so far, per world
	states       states    // by world, after its last control step; zero where an episode begins

	iteration    int64
	controlSteps int64 // of every world, since the start
	envSteps     int64 // over all worlds
	learningRate float64

	before knowledge // what Iterate goes back to

	// Working memory of a rollout.
	rollout  rollout
	actors   []actor        // by worker
	seen     []moments      // by world, this rollout's observations
	finished []episodeStats // by world, this rollout's episodes
	std      []float32      // exponential of policy.logStd

	// Working memory of an update.
	order    []int32 // samples, shuffled; those of a sequence stay together
	shuffle  stream
	shuffled []int32 // sequences, in the same order
	group    grouping
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
	shape := env.Shape()
	if err := shape.validate(); err != nil {
		return nil, err
	}
	shape.Policy, shape.Critic = shape.Policy.within(shape.Observation), shape.Critic.within(shape.Observation)
	err := settings.Validate()
	if err == nil && shape.Choices > 0 {
		err = settings.validateChoices()
	}
	if err != nil {
		return nil, fmt.Errorf("rl: settings: %w", err)
	}
	samples := int64(settings.RolloutSteps) * int64(shape.Worlds)
	if samples > math.MaxInt32 {
		return nil, fmt.Errorf("rl: a rollout of %d samples (%d worlds × %d steps), want at most %d",
			samples, shape.Worlds, settings.RolloutSteps, math.MaxInt32)
	}
	what := fmt.Sprintf("rl: the networks and rollouts of %d worlds × %d steps", shape.Worlds, settings.RolloutSteps)
	if err := memory.Check(what, memoryNeed(shape, settings)); err != nil {
		return nil, err
	}
	oneThread()
	settings.Hidden = slices.Clone(settings.Hidden)
	p := &PPO{
		env: env, shape: shape, settings: settings, seed: seed,

		value:        valueNet(shape, &settings),
		observations: newMoments(shape.Observation),
		returns:      newMoments(1),
		discounted:   make([]float64, shape.Worlds),
		learningRate: settings.LearningRate,

		rollout:  newRollout(int(samples), shape.Worlds, shape.Observation, shape.Action),
		seen:     make([]moments, shape.Worlds),
		finished: make([]episodeStats, shape.Worlds),
		order:    make([]int32, samples),
		shuffle:  newStream(),
		group:    newGrouping(&settings),
	}
	p.params = make([]float32, policySize(shape, &settings)+p.value.parameters())
	p.policy = newPolicy(p.params, shape, &settings)
	if p.mirror, err = newMirror(settings.Symmetry, shape.Policy.Size, shape.Action); err != nil {
		return nil, fmt.Errorf("rl: settings: %w", err)
	}
	p.states = p.newStates(shape.Worlds)
	p.shuffled = p.order
	if p.group.length > 1 {
		p.shuffled = make([]int32, settings.sequences(shape.Worlds))
	}
	p.rollout.begin = p.newStates(len(p.shuffled))
	p.std = make([]float32, p.policy.actions.free())
	p.adam = newAdam(len(p.params))
	p.before = p.newKnowledge()
	for range shape.Workers {
		p.actors = append(p.actors, p.newActor())
		p.learners = append(p.learners, p.newLearner())
	}
	for w := range p.seen {
		p.seen[w] = newMoments(shape.Observation)
	}
	for range p.group.chunks(min(p.group.minibatch, len(p.shuffled))) {
		p.chunks = append(p.chunks, chunk{grad: make([]float32, len(p.params))})
	}
	return p, nil
}

func (p *PPO) valueParams() []float32 { return p.params[len(p.policy.params):] }

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
	p.save()
	m, err := p.iterate(ctx)
	if err != nil {
		p.restore()
	}
	return m, err
}

func (p *PPO) iterate(ctx context.Context) (Metrics, error) {
	if p.settings.NormaliseObservations && p.observations.count == 0 {
		if _, err := p.collectAll(ctx); err != nil {
			return Metrics{}, err
		}
	}
	episodes, err := p.collectAll(ctx)
	if err != nil {
		return Metrics{}, err
	}
	p.iteration++
	m := Metrics{Iteration: p.iteration, EnvSteps: p.envSteps}
	episodes.report(&m)
	if err := p.update(ctx, &m); err != nil {
		return Metrics{}, err
	}
	return m, nil
}

// collectAll collects a rollout, and takes its observations into the running
// moments afterwards, world by world.
func (p *PPO) collectAll(ctx context.Context) (episodeStats, error) {
	for w := range p.seen {
		p.seen[w].reset()
		p.finished[w] = episodeStats{}
	}
	p.setStd()
	if p.mirror != nil {
		p.mirror.set(p.policy.standardise, p.shape.Policy)
	}
	collect := func(worker int, b Block) error { return p.collect(ctx, worker, b) }
	if err := p.env.Rollout(collect); err != nil {
		return episodeStats{}, err
	}
	p.controlSteps += int64(p.settings.RolloutSteps)
	p.envSteps += int64(len(p.order))
	var episodes episodeStats
	for w := range p.seen {
		p.observations.merge(p.seen[w])
		episodes.merge(p.finished[w])
	}
	if p.settings.NormaliseObservations {
		p.policy.standardise.set(p.observations)
	}
	return episodes, nil
}

// setStd sets std.
func (p *PPO) setStd() {
	for i, v := range p.policy.logStd() {
		p.std[i] = float32(math.Exp(float64(v)))
	}
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
