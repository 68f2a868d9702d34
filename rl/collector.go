package rl

import (
	"context"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// RolloutCollector collects rollouts of the worlds of an environment, which are all worlds of a run or a slice of them:
// Shape.First, Shape.First+1, …. It keeps the states of a recurrent policy in these worlds from one rollout to the
// next. Not safe for concurrent use; inside, it works on Shape.Workers goroutines.
type RolloutCollector struct {
	agent
	env     Env
	teacher Teacher // whose actions are learned in place of those taken; nil: none
	states  states  // by world of the slice, as a learner's
	step    int64   // control steps of every world before the rollout
	part    RolloutPart
	seen    []nn.Moments // of the part, by world; none without Settings.NormaliseObservations
	actors  []actor      // by worker
}

// NewRolloutCollector prepares collecting for a learner with the same settings and seed. It stands
// at the beginning of the worlds' first episodes.
func NewRolloutCollector(env Env, settings Settings, seed uint64) (*RolloutCollector, error) {
	a, err := newAgent(env.Shape(), settings, seed)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("rl: the rollouts of %d worlds × %d steps", a.shape.Worlds, settings.RolloutSteps)
	if err := memory.Check(what, collectorNeed(a.shape, settings)); err != nil {
		return nil, err
	}
	return newCollector(env, a), nil
}

// collecting returns a function that makes the rollouts of all worlds of an environment, taught or not.
func collecting(env Env, teacher Teacher) func(agent) (rollouts, error) {
	return func(a agent) (rollouts, error) {
		c := newCollector(env, a)
		c.teacher = teacher
		return c, nil
	}
}

// newCollector makes a collector of a, which becomes its own.
func newCollector(env Env, a agent) *RolloutCollector {
	a.allocate()
	shape := a.shape
	c := &RolloutCollector{agent: a, env: env, states: a.newStates(shape.Worlds)}
	c.part = RolloutPart{
		First: shape.First, Worlds: shape.Worlds,
		steps:    a.settings.RolloutSteps,
		samples:  c.newSamples(),
		after:    c.states,
		finished: make([]episodeStats, shape.Worlds),
	}
	if a.settings.NormaliseObservations {
		c.part.mean = make([]float64, shape.Worlds*shape.moments())
		c.part.m2 = make([]float64, shape.Worlds*shape.moments())
		for w := range shape.Worlds {
			c.seen = append(c.seen, c.part.seen(w, 0))
		}
	}
	for range shape.Workers {
		c.actors = append(c.actors, c.newActor())
	}
	return c
}

// Collect collects a rollout under weights. The part shares memory with the collector: it is valid until the next
// call. When ctx is cancelled, Collect ends early with ctx's error. After any error the worlds stand anywhere.
func (c *RolloutCollector) Collect(ctx context.Context, o *Weights) (*RolloutPart, error) {
	if err := c.beginPart(o); err != nil {
		return nil, err
	}
	err := c.env.Rollout(func(worker int, b Block) error { return c.collect(ctx, worker, b) })
	if err != nil {
		return nil, err
	}
	return &c.part, nil
}

// gather implements [rollouts].
func (c *RolloutCollector) gather(ctx context.Context, o *Weights) ([]*RolloutPart, error) {
	part, err := c.Collect(ctx, o)
	return []*RolloutPart{part}, err
}

// setStates implements [rollouts].
func (c *RolloutCollector) setStates(s states) { c.states.set(s) }

// beginPart begins a part under weights.
func (c *RolloutCollector) beginPart(o *Weights) error {
	if err := c.setParameters(o); err != nil {
		return err
	}
	for w := range c.seen {
		c.seen[w].Count = 0
	}
	clear(c.part.mean)
	clear(c.part.m2)
	clear(c.part.final)
	clear(c.part.finished)
	c.part.Step, c.part.Weights = o.Step, o.Digest()
	return nil
}

// setParameters takes over networks and normalisers.
func (c *RolloutCollector) setParameters(o *Weights) error {
	if got, want := len(o.params), len(c.params); got != want {
		return fmt.Errorf("rl: weights of %d parameters, want %d", got, want)
	}
	if got, want := len(o.standardise.Mean), c.shape.Observation; got != want {
		return fmt.Errorf("rl: weights for observations of %d values, want %d", got, want)
	}
	copy(c.params, o.params)
	copy(c.policy.standardise.Mean, o.standardise.Mean)
	copy(c.policy.standardise.Scale, o.standardise.Scale)
	c.setStd()
	if c.mirror != nil {
		c.mirror.set(c.policy.standardise, c.shape.Policy)
	}
	c.step = o.Step
	return nil
}

// States returns a copy of the states of a recurrent policy in the worlds of the
// collector, laid out as those of PPO.Memory.
func (c *RolloutCollector) States() []float32 { return c.states.list() }

// SetStates sets the states to those of a collector of the same worlds.
func (c *RolloutCollector) SetStates(list []float32) error { return c.states.setList(list) }

// actor is the working memory of one goroutine that collects.
type actor struct {
	policy, value nn.Work   // of one panel
	image         nn.Work   // of the policy's GRU for the mirror images of a panel; with a symmetry
	final         []float32 // standardised final observations of a block
	draw          nn.Draw
}

func (c *RolloutCollector) newActor() actor {
	a := actor{
		policy: c.policy.net.NewWork(PanelHeight, PanelHeight, false),
		value:  c.value.NewWork(PanelHeight, PanelHeight, false),
		final:  make([]float32, PanelHeight*c.shape.Observation),
		draw:   c.policy.actions.NewDraw(),
	}
	if c.mirror != nil && c.policy.State() > 0 {
		a.image = c.policy.net.NewWork(PanelHeight, PanelHeight, false)
	}
	return a
}

// collect drives one block through a rollout, or until ctx is cancelled. The
// parameters and the standardiser do not change meanwhile.
func (c *RolloutCollector) collect(ctx context.Context, worker int, b Block) error {
	a := &c.actors[worker]
	first, worlds := c.place(b), b.Len() // first is counted from the slice's first
	if worlds > c.shape.BlockSize || first < 0 || first+worlds > c.shape.Worlds {
		return fmt.Errorf("rl: block %d holds worlds %d to %d, want at most %d of the worlds %d to %d",
			b.Index(), b.First(), b.First()+worlds-1, c.shape.BlockSize, c.shape.First, c.shape.First+c.shape.Worlds-1)
	}
	for t := range c.settings.RolloutSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		sample := t*c.shape.Worlds + first // sample of the block's first world
		if err := c.observe(a, b, sample); err != nil {
			return err
		}
		c.act(a, b, t, sample)
		if c.teacher != nil {
			size := c.shape.Action
			if err := c.teacher.Teach(worker, b, c.part.action[sample*size:(sample+worlds)*size]); err != nil {
				return err
			}
		}
		if err := b.Step(); err != nil {
			return err
		}
		if err := c.recordOutcome(a, b, sample); err != nil {
			return err
		}
	}
	return c.valueRows(a, b, c.part.last[first:], b.Observations(), func(int) bool { return true }) // what follows
}

// place is the place of a block's first world in the slice.
func (c *RolloutCollector) place(b Block) int { return b.First() - c.shape.First }

// stepOf is the control step of a sample.
func (c *RolloutCollector) stepOf(sample int) int64 { return c.step + int64(sample/c.shape.Worlds) }

// statesOf are the states of a block's worlds; they share memory.
func (c *RolloutCollector) statesOf(b Block) states {
	return c.states.rows(&c.agent, c.place(b), b.Len())
}

// observe standardises what a block shows, for the samples from one on and for the networks of a.
func (c *RolloutCollector) observe(a *actor, b Block, sample int) error {
	size, first := c.shape.Observation, b.First()
	standard := c.part.observation[sample*size : (sample+b.Len())*size]
	if err := standardiseRows(c.policy.standardise, standard, b.Observations(), first); err != nil {
		return fmt.Errorf("%w, at control step %d", err, c.stepOf(sample))
	}
	if c.seen != nil {
		for i := range b.Len() {
			c.seen[c.place(b)+i].AddObserved(nn.RowOf(b.Observations(), size, i), c.shape.Pictures)
		}
	}
	c.policy.net.Load(a.policy, standard, size, c.shape.Policy, first)
	c.value.Load(a.value, standard, size, c.shape.Critic, first)
	c.recall(a, b, sample)
	return nil
}

// recall loads the states of a block's worlds, and keeps them with its samples, from one on, where a sequence begins.
func (c *RolloutCollector) recall(a *actor, b Block, sample int) {
	now := c.statesOf(b)
	c.policy.net.LoadStates(a.policy, now.policy, b.First())
	c.value.LoadStates(a.value, now.value, b.First())
	c.policy.net.LoadStates(a.image, now.image, b.First())
	if t := sample / c.shape.Worlds; t%c.group.Length == 0 {
		c.part.initial.rows(&c.agent, c.sequenceOf(sample), b.Len()).set(now)
	}
}

// act draws the actions of step t of a rollout and values what was observed.
func (c *RolloutCollector) act(a *actor, b Block, t, sample int) {
	part, size, first := &c.part, c.shape.Action, b.First()
	actions, free := &c.policy.actions, c.policy.logStd()
	c.policy.net.Forward(c.policy.params, a.policy, nn.OnePanel)
	c.value.Forward(c.valueParams(), a.value, nn.OnePanel)
	now := c.statesOf(b)
	c.policy.net.KeepStates(now.policy, a.policy, first)
	c.value.KeepStates(now.value, a.value, first)
	if a.image.Cell != nil {
		c.mirror.reflect(a.image.Input(), a.policy.Input())
		if a.image.Encoder != nil {
			copy(a.image.Encoder.Seen, a.policy.Encoder.Seen)
		}
		c.policy.net.ForwardToState(c.policy.params, a.image, nn.OnePanel)
		c.policy.net.KeepStates(now.image, a.image, first)
	}
	for i := range b.Len() {
		output := nn.RowOf(a.policy.Output(), actions.Outputs(), nn.PanelRow(first+i))
		action := nn.RowOf(part.action, size, sample+i)
		a.draw.Noise.Key(c.seed, nn.DrawAction, int64(first+i), c.step+int64(t))
		part.logProb[sample+i] = actions.Draw(action, output, free, c.std, &a.draw)
		c.policy.bound(nn.RowOf(b.Actions(), size, i), action)
		part.value[sample+i] = a.value.Output()[nn.PanelRow(first+i)]
	}
}

// recordOutcome records the rewards of the step just taken, and how it ended.
func (c *RolloutCollector) recordOutcome(a *actor, b Block, sample int) error {
	part, first := &c.part, c.place(b)
	reward, fault := b.Rewards(), b.Faults()
	terminated, truncated := b.Terminations(), b.Truncations()
	anyCutOff := false
	for i := range b.Len() {
		r, end := reward[i], endingOf(terminated[i], truncated[i], fault[i])
		if fault[i] {
			r = 0
		}
		if !nn.Usable(r) {
			return fmt.Errorf("rl: world %d was rewarded %g at control step %d, want a number of at most %g in size",
				b.First()+i, r, c.stepOf(sample), nn.MaxValue)
		}
		part.reward[sample+i], part.end[sample+i] = r, end
		anyCutOff = anyCutOff || end == cutOff
		if end != goesOn {
			part.finished[first+i].add(b.EpisodeReturns()[i], b.EpisodeLengths()[i], fault[i])
		}
	}
	if anyCutOff {
		isCutOff := func(i int) bool { return part.end[sample+i] == cutOff }
		if err := c.valueRows(a, b, part.final[sample:], b.FinalObservations(), isCutOff); err != nil {
			return err
		}
	}
	for i := range b.Len() {
		if part.end[sample+i] != goesOn { // not before the final observation was valued
			c.states.rows(&c.agent, first+i, 1).clear()
		}
	}
	return nil
}

// valueRows writes to dst the values of observations of those of a block's worlds that which holds for, in the
// states that they are in, which do not change.
func (c *RolloutCollector) valueRows(a *actor, b Block, dst []float32, observation []float64,
	which func(i int) bool) error {
	size, first := c.shape.Observation, b.First()
	standard := a.final[:b.Len()*size]
	clear(standard)
	for i := range b.Len() {
		if which(i) {
			row := nn.RowOf(standard, size, i)
			if err := standardiseRows(c.policy.standardise, row, nn.RowOf(observation, size, i), first+i); err != nil {
				return err
			}
		}
	}
	c.value.Load(a.value, standard, size, c.shape.Critic, first)
	c.value.LoadStates(a.value, c.statesOf(b).value, first)
	c.value.Forward(c.valueParams(), a.value, nn.OnePanel)
	for i := range b.Len() {
		if which(i) {
			dst[i] = a.value.Output()[nn.PanelRow(first+i)]
		}
	}
	return nil
}
