package rl

import (
	"context"
	"fmt"
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

// Iterate implements [Learner]. With Settings.NormaliseObservations the very first call collects another rollout
// before, only to see how observations are spread; it counts in EnvSteps, not in the other metrics.
func (p *rolloutLearner) Iterate(ctx context.Context) (Metrics, error) {
	copy(p.before.params, p.params)
	p.before.set(&p.knowledge)
	m, err := p.iterate(ctx)
	if err != nil {
		copy(p.params, p.before.params)
		p.set(&p.before.knowledge)
		p.standardise()
	}
	return m, err
}

func (p *rolloutLearner) iterate(ctx context.Context) (Metrics, error) {
	for {
		o := p.giveWeights()
		parts, err := p.rollouts.gather(ctx, o)
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
