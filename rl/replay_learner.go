package rl

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// replayLearner learns from transitions that it draws from a replay. [SAC] and [TD3BC] have one each: they differ in
// where the transitions come from, and by their rules.
type replayLearner struct {
	shape    Shape
	settings Settings
	choices  SACSettings // of settings, with every default
	seed     uint64
	rule     rule

	// params is the policy's parameters, then each critic's, then the logarithm of the temperature.
	params []float32
	policy *Policy   // the beginning of params
	critic nn.Critic // the plan of each

	// seen is the number of features that the policy's convolutions give and the critics read, too. The convolutions then
	// learn from the critics' loss alone, and not from the policy's: Yarats et al. 2021. 0: the critics read no pictures.
	seen   int
	mirror *mirror // of SAC's policy; nil without a symmetry

	soft
	before struct { // what Iterate goes back to
		params []float32
		rows   []int64 // of the replay, by world
		soft
	}
	replay *Replay

	// Working memory of a gradient step.
	noise                            nn.Stream
	lens                             lens
	ofPolicy, ofPolicyRest, ofCritic reading   // Rest: what follows the features of pictures
	features                         []float32 // minibatch × seen: of what is observed now
	drawn                            transitions
	subset                           []int // of the critics, those whose least value is the target
	group                            nn.Grouping
	workers                          []replayWorker
	chunks                           []replayChunk
	grads                            []float32 // chunks × parameters
	squares                          []float64 // of the gradient, by block of parameters
	decay                            float64   // what the schedule leaves of the learning rates
	team                             *nn.Team
}

// rule is what SAC and TD3+BC do each in its own way.
type rule interface {
	// collect adds the transitions of an iteration to the replay, and what was observed to the moments, unless ctx is
	// cancelled. It returns the episodes that ended.
	collect(ctx context.Context) (episodeStats, error)

	// learnsNow reports whether there are enough transitions to learn from.
	learnsNow() bool

	// criticTargets are the targets that follow each step of the critics; nil: they follow in afterPolicy.
	criticTargets() []float32

	// nextActions writes to w.action what is done next, for the critics' targets, and its log probabilities.
	nextActions(w *replayWorker, t transitions)

	// policyGradients writes the policy's gradients of all chunks to grads, with calls of each, which calls a function
	// for all chunks.
	policyGradients(each func(func(w *replayWorker, chunk int, t transitions)), temperature float64)

	// afterPolicy follows a step of the policy.
	afterPolicy(step nn.AdamStep)

	// report fills in what the metrics have of this algorithm alone, from sums over n samples of the policy's loss.
	report(m *Metrics, sum *replayChunk, n float64)
}

// soft is what a replayLearner knows between two iterations, besides its parameters.
type soft struct {
	targets      []float32 // parameters of each critic's target, then of td3bc's policy's
	adam         nn.Adam   // of params; its steps are the critics'
	policySteps  int64
	observations nn.Moments

	iteration, controlSteps, envSteps int64
	filledFrom                        int64 // control steps before the replay's first
}

// set copies the values of another one of the same size.
func (k *soft) set(other *soft) {
	copy(k.targets, other.targets)
	k.adam.Set(other.adam)
	k.observations.Set(other.observations)
	k.policySteps = other.policySteps
	k.iteration, k.controlSteps, k.envSteps = other.iteration, other.controlSteps, other.envSteps
	k.filledFrom = other.filledFrom
}

// replayParameters are those of an algorithm that learns from a replay: of the policy, of the critics, which have
// targets, and the temperature.
func replayParameters(shape Shape, s *Settings) (params, targets int) {
	targets = s.SAC.filled().Critics * newCritic(shape, s).Parameters()
	return policySize(shape, s) + targets + 1, targets
}

// newCritic plans each critic.
func newCritic(shape Shape, s *Settings) nn.Critic {
	o := s.SAC.filled()
	reads := shape.Critic.Within(shape.Observation)
	encoder := nn.NewEncoder(reads.Size, shape.picturesOf(reads), s.Convolutions, o.Activation)
	inputs := encoder.Features() + shape.Action
	return nn.Critic{MLP: nn.NewMLP(inputs, o.CriticHidden, o.Quantiles, o.Activation), Action: shape.Action,
		Norm: o.LayerNorm, Dropout: o.Dropout}
}

// checkReplay is the check of an algorithm that learns from a replay. own names the first thing that it cannot learn.
func checkReplay(shape Shape, settings Settings, own func(*Settings, Shape, *bounds.Check)) (need memory.Need,
	err error) {
	if err := shape.validate(); err != nil {
		return need, err
	}
	err = settings.Validate()
	if err == nil {
		err = settings.checkChunk()
	}
	if err == nil {
		var c bounds.Check
		own(&settings, shape, &c)
		err = c.Err()
	}
	if err != nil {
		return need, SettingsError{err}
	}
	need = replayNeed(shape, settings)
	return need, memory.Check(fmt.Sprintf("rl: the networks and the replay of %d worlds", shape.Worlds), need)
}

// checkActions names the first thing about actions and memory that a squashed policy and critics cannot have.
func (s *Settings) checkActions(shape Shape, c *bounds.Check) {
	is, want := s.Algorithm, AlgorithmPPO
	if is.Offline() {
		want = AlgorithmClone
	}
	if shape.Choices > 0 {
		c.Fail("algorithm is %s, want %s: the actions are choices", is, want)
	}
	for i, low := range shape.ActionLow {
		if high := shape.ActionHigh[i]; math.IsInf(low, 0) || math.IsInf(high, 0) {
			c.Fail("algorithm is %s, want %s: action value %d has the bounds %g and %g, and %s wants finite ones", is, want, i,
				low, high, is)
			break
		}
	}
	if s.Recurrent != 0 {
		c.Fail("recurrent is %d, want 0 with algorithm %s", s.Recurrent, is)
	}
}

// checkSeen names the first thing about mirror images and pictures that does not fit what is observed.
func (s *Settings) checkSeen(shape Shape, c *bounds.Check) {
	if _, err := newMirror(s.Symmetry, shape.Policy.Within(shape.Observation).Size, shape.Action); err != nil {
		c.Fail("%w", err)
	}
	if err := s.checkConvolutions(shape); err != nil {
		c.Fail("%w", err)
	}
	if n := len(s.Convolutions); n > 0 && s.Symmetry.Weight != 0 {
		c.Fail("symmetry.weight is %v, want 0 with algorithm %s and %d convolutions", s.Symmetry.Weight, s.Algorithm, n)
	} else if n == 0 && s.SAC.RandomShift != 0 {
		c.Fail("sac.random_shift is %d, want 0 without convolutions", s.SAC.RandomShift)
	}
}

// newReplayLearner allocates everything but the replay, and leaves the parameters zero. own is the algorithm that the
// settings must have.
func newReplayLearner(shape Shape, settings Settings, own Algorithm, seed uint64, choices SACSettings) (*replayLearner,
	error) {
	if _, err := Check(shape, settings); err != nil {
		return nil, err
	}
	if err := settings.learnsBy(own); err != nil {
		return nil, err
	}
	nn.OneThread()
	shape = settings.seenIn(shape)
	shape.Policy, shape.Critic = shape.Policy.Within(shape.Observation), shape.Critic.Within(shape.Observation)
	params, targets := settings.Algorithm.definition().parameters(shape, &settings)
	s := &replayLearner{
		shape: shape, settings: settings, choices: choices, seed: seed,
		params: make([]float32, params), critic: newCritic(shape, &settings),
		noise: nn.NewStream(), drawn: newTransitions(choices.Minibatch),
		group: replayGroup(shape, &settings), decay: 1, lens: newLens(shape),
	}
	s.policy = newPolicy(s.params, shape, &settings)
	if len(shape.picturesOf(shape.Critic)) > 0 {
		s.seen = s.policy.net.Encoder.PictureFeatures()
	}
	s.features = make([]float32, choices.Minibatch*s.seen)
	rows := newLayout(shape)
	s.ofPolicy, s.ofCritic = rows.reads(shape.Policy), rows.reads(shape.Critic)
	s.ofPolicyRest = s.ofPolicy.after(s.seen)
	if s.seen > 0 {
		s.ofCritic = s.ofCritic.after(s.seen)
	}
	var err error
	if s.mirror, err = newMirror(settings.Symmetry, shape.Policy.Size, shape.Action); err != nil {
		return nil, err
	}
	s.soft, s.before.soft = newSoft(params, targets, shape), newSoft(params, targets, shape)
	s.before.params = make([]float32, params)
	for k := range choices.Critics {
		s.subset = append(s.subset, k)
	}
	for range shape.Workers {
		s.workers = append(s.workers, s.newWorker())
	}
	s.chunks = make([]replayChunk, s.group.Chunks(choices.Minibatch))
	s.grads = make([]float32, len(s.chunks)*params)
	s.squares = make([]float64, params/nn.GradBlock+3)
	return s, nil
}

// initialise implements [trainable].
func (s *replayLearner) initialise() {
	s.policy.net.Initialise(s.policy.params, 0.01, s.seed, 0)
	for k := range s.choices.Critics {
		s.critic.Initialise(s.criticParams(s.params, k), s.seed, int64(1+k))
	}
	*s.logTemperature() = float32(math.Log(s.choices.Temperature))
	copy(s.targets[copy(s.targets, s.critics(s.params)):], s.policy.params)
}

func newSoft(params, targets int, shape Shape) soft {
	return soft{targets: make([]float32, targets), adam: nn.NewAdam(params), observations: nn.NewMoments(shape.moments())}
}

// leastChunk are the transitions that are worth a chunk of their own: its gradient has as many numbers as the
// networks, which are larger than PPO's.
const leastChunk = 128

// leastChunkOfPictures is the same where convolutions read pictures, which take more time than the gradient's sum.
const leastChunkOfPictures = 64

// replayWorker is the working memory of one goroutine that computes gradients of chunks.
type replayWorker struct {
	policy  nn.Work         // with a symmetry, also of the mirror images, which come after the rows
	critics []nn.CriticWork // by critic
	next    nn.CriticWork   // of the observation that follows
	noise   nn.Stream

	// By sample of a chunk:
	logProb, value    []float64 // value: the least of the targets' for what follows
	target            []float64 // and output of a critic: what it is to be
	z, std            []float64 // and action value: the draw, and the deviation that multiplies it
	action            []float32 // likewise
	slopes, sum       []float32 // derivatives of a critic's value by the action
	bySeen, sumBySeen []float32 // of a critic's loss by what the policy's convolutions give, where it reads that
}

// replayChunk is what a part of a minibatch contributes, beside its gradient: sums over its samples.
type replayChunk struct {
	criticLoss, value        float64
	policyLoss, logProb, std float64 // std: the mean standard deviation
	size                     float64 // of td3bc: the absolute value of what the policy does
}

func (s *replayLearner) newWorker() replayWorker {
	rows, actions := s.group.MostPerChunk(s.choices.Minibatch), s.shape.Action
	images := 1
	if s.mirror != nil {
		images = 2
	}
	w := replayWorker{
		policy: s.policy.net.NewWork(images*rows, images*rows, true), next: s.critic.NewWork(rows), noise: nn.NewStream(),
		logProb: make([]float64, rows), value: make([]float64, rows), target: make([]float64, rows*s.critic.Outputs()),
		z: make([]float64, rows*actions), std: make([]float64, rows*actions), action: make([]float32, rows*actions),
		slopes: make([]float32, rows*actions), sum: make([]float32, rows*actions),
		bySeen: make([]float32, rows*s.seen), sumBySeen: make([]float32, rows*s.seen),
	}
	if s.seen > 0 {
		w.policy.Delta[0] = nil // the policy's loss ends before the convolutions
	}
	for range s.choices.Critics {
		w.critics = append(w.critics, s.critic.NewWork(rows))
	}
	return w
}

// replayEpsilon is Adam's, in PyTorch and so in the published results.
const replayEpsilon = 1e-8

// encoder is the parameters that learn from the critics' loss alone, in a vector as long as params: those of the
// policy's convolutions where the critics read pictures.
func (s *replayLearner) encoder(vector []float32) []float32 {
	if s.seen == 0 {
		return nil
	}
	return vector[:s.policy.net.Encoder.Parameters()]
}

// replayGroup is how a minibatch is cut into chunks.
func replayGroup(shape Shape, s *Settings) nn.Grouping {
	least := leastChunk
	if len(shape.Pictures) > 0 {
		least = leastChunkOfPictures
	}
	return nn.Grouping{Minibatch: s.SAC.filled().Minibatch, Least: least, Length: 1}
}

// critics are the parameters of all critics in a vector as long as params.
func (s *replayLearner) critics(vector []float32) []float32 {
	return vector[len(s.policy.params) : len(vector)-1]
}

// criticParams are those of critic k in a vector as long as params.
func (s *replayLearner) criticParams(vector []float32, k int) []float32 {
	return nn.RowOf(vector[len(s.policy.params):], s.critic.Parameters(), k)
}

// logTemperature is the last parameter.
func (s *replayLearner) logTemperature() *float32 { return &s.params[len(s.params)-1] }

func (s *replayLearner) temperature() float64 { return math.Exp(float64(*s.logTemperature())) }

// Policy implements [Learner].
func (s *replayLearner) Policy() *Policy { return s.policy.clone() }

// ControlSteps implements [Learner].
func (s *replayLearner) ControlSteps() int64 { return s.controlSteps }

// EnvSteps implements [Learner].
func (s *replayLearner) EnvSteps() int64 { return s.envSteps }

// Checkpoint implements [Learner].
func (s *replayLearner) Checkpoint(w io.Writer, user string) error {
	h := headerOf(s.shape, s.settings, s.seed)
	h.Iteration, h.ControlSteps, h.EnvSteps = s.iteration, s.controlSteps, s.envSteps
	h.LearningRate, h.AdamSteps, h.PolicySteps = s.choices.LearningRate, s.adam.Steps, s.policySteps
	h.ReplayFrom = s.filledFrom
	c := Checkpoint{
		CheckpointHeader: h, params: s.params, targets: s.targets, adamFirst: s.adam.First, adamSecond: s.adam.Second,
		observation: s.observations, returns: nn.NewMoments(1), low: s.shape.ActionLow, high: s.shape.ActionHigh,
	}
	return c.write(w, user)
}

// restore implements [trainable].
func (s *replayLearner) restore(c *Checkpoint) {
	copy(s.params, c.params)
	copy(s.targets, c.targets)
	s.adam.Set(nn.Adam{Steps: c.AdamSteps, First: c.adamFirst, Second: c.adamSecond})
	s.observations.Set(c.observation)
	s.policySteps = c.PolicySteps
	s.iteration, s.controlSteps, s.envSteps = c.Iteration, c.ControlSteps, c.EnvSteps
	s.filledFrom = c.ReplayFrom
	s.standardise()
}

// standardise makes the policy standardise observations by the moments so far, if it is to.
func (s *replayLearner) standardise() {
	if s.settings.NormaliseObservations {
		s.policy.standardise.Set(s.observations, s.shape.Pictures)
	}
}

// replayNeed is about what a learner takes.
func replayNeed(shape Shape, settings Settings) memory.Need {
	shape = settings.seenIn(shape)
	o, c, net := settings.SAC.filled(), newCritic(shape, &settings), policyNet(shape, &settings)
	params, targets := settings.Algorithm.definition().parameters(shape, &settings)
	group := replayGroup(shape, &settings)
	criticRow := c.Sizes[0]
	for _, size := range c.Sizes[1:] {
		criticRow += 4 * size
	}
	images := 1 // rows of the policy for each transition
	if settings.Symmetry.Weight > 0 {
		images = 2
	}
	row := 2*images*net.RowValues() + (1+o.Critics)*criticRow + 8*shape.Action
	n := int64(params)*int64(6+group.Chunks(o.Minibatch)) + 2*int64(targets)
	most := group.MostPerChunk(o.Minibatch)
	worker := most*row + PanelHeight*2*net.RowValues()
	if net.Encoder.HasPictures() { // and two derivatives by what the convolutions give, see newWorker, and that itself
		worker += net.EncoderValues(most, true) + net.EncoderValues(1, false) + 2*PanelHeight*net.Inputs()
		worker += 2 * most * net.Encoder.PictureFeatures()
		n += int64(o.Minibatch) * int64(net.Encoder.PictureFeatures())
	}
	n += int64(shape.Workers) * int64(worker)
	n *= single
	if !settings.Algorithm.Offline() {
		n += replayBytes(shape, o)
	}
	return memory.Need{Go: n}
}
