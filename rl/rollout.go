package rl

import (
	"context"
	"fmt"
)

// rollout is what one pass over all worlds collected: Steps control steps of every world.
// Sample t·worlds + w is step t of world w.
type rollout struct {
	observation []float32 // samples × Observation, standardised as the policy saw them
	action      []float32 // samples × Action, as drawn, before clipping to the bounds
	logProb     []float32 // of the action when it was drawn
	value       []float32
	reward      []float64 // in the task's own unit until scaled
	end         []ending
	final       []float32 // value of the final observation, where end is cutOff
	last        []float32 // per world, value of the observation after the rollout

	advantage []float32
	target    []float32 // for the value network

	// begin are the states of the GRUs before each sequence: row c·worlds + w for the
	// sequence of world w that begins with step c·Settings.sequence.
	begin states
}

func newRollout(samples, worlds, observation, action int) rollout {
	return rollout{
		observation: make([]float32, samples*observation),
		action:      make([]float32, samples*action),
		logProb:     make([]float32, samples),
		value:       make([]float32, samples),
		reward:      make([]float64, samples),
		end:         make([]ending, samples),
		final:       make([]float32, samples),
		last:        make([]float32, worlds),
		advantage:   make([]float32, samples),
		target:      make([]float32, samples),
	}
}

// actor is the working memory of one goroutine that collects.
type actor struct {
	policy, value work      // of one panel
	image         work      // of the policy's GRU for the mirror images of a panel; with a symmetry
	final         []float32 // standardised final observations of a block
	draw          draw
}

func (p *PPO) newActor() actor {
	a := actor{
		policy: p.policy.net.newWork(PanelHeight, PanelHeight, false),
		value:  p.value.newWork(PanelHeight, PanelHeight, false),
		final:  make([]float32, PanelHeight*p.shape.Observation),
		draw:   p.policy.actions.newDraw(),
	}
	if p.mirror != nil && p.policy.State() > 0 {
		a.image = p.policy.net.newWork(PanelHeight, PanelHeight, false)
	}
	return a
}

// collect drives one block through a rollout, or until ctx is cancelled. The
// parameters and the standardiser do not change meanwhile.
func (p *PPO) collect(ctx context.Context, worker int, b Block) error {
	a := &p.actors[worker]
	first, worlds := b.First(), b.Len()
	if worlds > p.shape.BlockSize || first < 0 || first+worlds > p.shape.Worlds {
		return fmt.Errorf("rl: block %d holds worlds %d to %d, want at most %d of %d",
			b.Index(), first, first+worlds-1, p.shape.BlockSize, p.shape.Worlds)
	}
	for t := range p.settings.RolloutSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := t*p.shape.Worlds + first // sample of the block's first world
		if err := p.observe(a, b, from); err != nil {
			return err
		}
		p.act(a, b, t, from)
		if err := b.Step(); err != nil {
			return err
		}
		if err := p.take(a, b, from); err != nil {
			return err
		}
	}
	return p.valueLast(a, b)
}

// observe standardises what a block shows, for the samples from on and for the networks
// of a.
func (p *PPO) observe(a *actor, b Block, from int) error {
	size, first := p.shape.Observation, b.First()
	if p.settings.NormaliseObservations {
		for i := range b.Len() {
			p.seen[first+i].add(rowOf(b.Observation(), size, i))
		}
	}
	standard := p.rollout.observation[from*size : (from+b.Len())*size]
	if err := standardiseRows(p.policy.standardise, standard, b.Observation(), first); err != nil {
		return err
	}
	loadPanel(a.policy.input(), standard, size, p.shape.Policy, first)
	loadPanel(a.value.input(), standard, size, p.shape.Critic, first)
	p.recall(a, b, from)
	return nil
}

// recall loads the states of a block's worlds, and keeps them with the samples from on
// where a sequence begins.
func (p *PPO) recall(a *actor, b Block, from int) {
	now := p.states.rows(p, b.First(), b.Len())
	p.policy.net.loadStates(a.policy, now.policy, b.First())
	p.value.loadStates(a.value, now.value, b.First())
	p.policy.net.loadStates(a.image, now.image, b.First())
	if t := from / p.shape.Worlds; t%p.group.length == 0 {
		p.rollout.begin.rows(p, p.sequenceOf(from), b.Len()).set(now)
	}
}

// act draws the actions of step t of a rollout and values what was observed.
func (p *PPO) act(a *actor, b Block, t, from int) {
	seg, size, first := &p.rollout, p.shape.Action, b.First()
	actions, free := &p.policy.actions, p.policy.logStd()
	p.policy.net.forward(p.policy.params, a.policy, onePanel)
	p.value.forward(p.valueParams(), a.value, onePanel)
	now := p.states.rows(p, first, b.Len())
	p.policy.net.keepStates(now.policy, a.policy, first)
	p.value.keepStates(now.value, a.value, first)
	if a.image.cell != nil {
		p.mirror.reflect(a.image.input(), a.policy.input())
		p.policy.net.remember(p.policy.params, a.image, onePanel)
		p.policy.net.keepStates(now.image, a.image, first)
	}
	for i := range b.Len() {
		output := rowOf(a.policy.output(), actions.outputs(), panelRow(first+i))
		action := rowOf(seg.action, size, from+i)
		a.draw.noise.key(p.seed, drawAction, int64(first+i), p.controlSteps+int64(t))
		seg.logProb[from+i] = actions.draw(action, output, free, p.std, &a.draw)
		p.policy.clip(rowOf(b.Action(), size, i), action)
		seg.value[from+i] = a.value.output()[panelRow(first+i)]
	}
}

// take keeps the rewards of the step just taken, and how it ended.
func (p *PPO) take(a *actor, b Block, from int) error {
	seg, first := &p.rollout, b.First()
	reward, fault := b.Reward(), b.Fault()
	terminated, truncated := b.Terminated(), b.Truncated()
	anyCutOff := false
	for i := range b.Len() {
		r, end := reward[i], endingOf(terminated[i], truncated[i], fault[i])
		if fault[i] {
			r = 0
		}
		if r-r != 0 {
			return fmt.Errorf("rl: world %d was rewarded %g at control step %d, want a finite number",
				first+i, r, p.controlSteps+int64(from/p.shape.Worlds))
		}
		seg.reward[from+i], seg.end[from+i] = r, end
		anyCutOff = anyCutOff || end == cutOff
		if end != goesOn {
			p.finished[first+i].add(b.EpisodeReturn()[i], b.EpisodeLength()[i], fault[i])
		}
	}
	if anyCutOff {
		if err := p.valueFinal(a, b, from); err != nil {
			return err
		}
	}
	for i := range b.Len() {
		if seg.end[from+i] != goesOn { // not before the final observation was valued
			p.states.rows(p, first+i, 1).clear()
		}
	}
	return nil
}

// valueLast values what follows the rollout.
func (p *PPO) valueLast(a *actor, b Block) error {
	first := b.First()
	standard := a.final[:b.Len()*p.shape.Observation]
	if err := standardiseRows(p.policy.standardise, standard, b.Observation(), first); err != nil {
		return err
	}
	p.valueRows(a, standard, first)
	for i := range b.Len() {
		p.rollout.last[first+i] = a.value.output()[panelRow(first+i)]
	}
	return nil
}

// valueFinal values the final observations of the worlds that were cut off in
// the step just taken; from is the sample of the block's first world.
func (p *PPO) valueFinal(a *actor, b Block, from int) error {
	size, first := p.shape.Observation, b.First()
	standard := a.final[:b.Len()*size]
	clear(standard)
	for i := range b.Len() {
		if p.rollout.end[from+i] != cutOff {
			continue
		}
		if err := standardiseRows(p.policy.standardise,
			rowOf(standard, size, i), rowOf(b.FinalObservation(), size, i), first+i); err != nil {
			return err
		}
	}
	p.valueRows(a, standard, first)
	for i := range b.Len() {
		if p.rollout.end[from+i] == cutOff {
			p.rollout.final[from+i] = a.value.output()[panelRow(first+i)]
		}
	}
	return nil
}

// valueRows values standardised observations of the worlds first, first+1, …, in the
// states that they are in, which do not change.
func (p *PPO) valueRows(a *actor, standard []float32, first int) {
	loadPanel(a.value.input(), standard, p.shape.Observation, p.shape.Critic, first)
	p.value.loadStates(a.value, p.states.rows(p, first, len(standard)/p.shape.Observation).value, first)
	p.value.forward(p.valueParams(), a.value, onePanel)
}
