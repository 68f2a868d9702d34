package rl

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// RolloutPart is the rollout of a slice of the worlds.
type RolloutPart struct {
	First, Worlds int    // the worlds First, First+1, …
	Step          int64  // control steps of every world before the rollout
	Weights       Digest // of the weights under which it was collected

	// Extra is for the caller: it is stored, and has its part in the digest.
	Extra []byte

	steps int // of every world
	samples
	after    states         // of the worlds, after the rollout
	mean, m2 []float64      // moments of the observations, by world; without Settings.NormaliseObservations none
	finished []episodeStats // by world
}

// addRollouts takes the parts of a rollout: their samples, and, world by world in the order of the worlds, their
// observations into the running moments and their episodes. After an error the learner is as it was.
func (p *rolloutLearner) addRollouts(parts []*RolloutPart) error {
	parts = slices.SortedFunc(slices.Values(parts), func(a, b *RolloutPart) int {
		return cmp.Compare(a.First, b.First)
	})
	if err := p.checkParts(parts); err != nil {
		return err
	}
	defer p.openTeam()()
	p.controlSteps += int64(p.settings.RolloutSteps)
	p.envSteps += int64(len(p.order))
	p.episodes = episodeStats{}
	for _, part := range parts {
		p.states.rows(&p.agent, part.First, part.Worlds).set(part.after)
		for _, finished := range part.finished {
			p.episodes.merge(finished)
		}
	}
	if p.settings.NormaliseObservations {
		p.observe(parts)
		p.standardise()
	}
	if len(parts) == 1 {
		p.rollout.samples = parts[0].samples
		return nil
	}
	if p.whole.reward == nil {
		p.whole = p.newSamples()
	}
	p.team.Do(p.settings.RolloutSteps, func(_, step int) {
		for _, part := range parts {
			p.whole.place(&p.agent, part, step)
		}
	})
	p.rollout.samples = p.whole
	return nil
}

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

// seen are the moments of the observations of a world, which share memory with the part.
func (p *RolloutPart) seen(w int, count float64) nn.Moments {
	size := len(p.mean) / p.Worlds
	return nn.Moments{Count: count, Mean: nn.RowOf(p.mean, size, w), M2: nn.RowOf(p.m2, size, w)}
}

// String names the part by its worlds and its control step.
func (p *RolloutPart) String() string {
	return fmt.Sprintf("the part of worlds %d to %d at control step %d", p.First, p.First+p.Worlds-1, p.Step)
}

// fits returns an error unless the part is one of a learner's worlds.
func (p *RolloutPart) fits(a *agent) error {
	if p.First < 0 || p.Worlds < 1 || p.First > a.shape.Worlds-p.Worlds {
		return fmt.Errorf("%v, want worlds of 0 to %d", p, a.shape.Worlds-1)
	}
	if p.steps != a.settings.RolloutSteps {
		return fmt.Errorf("%v has %d control steps, want %d", p, p.steps, a.settings.RolloutSteps)
	}
	samples, sequences := p.Worlds*p.steps, a.settings.sequences(p.Worlds)
	units, images, seen := a.settings.Recurrent, 0, 0
	if a.mirror != nil {
		images = units
	}
	if a.settings.NormaliseObservations {
		seen = p.Worlds * a.shape.moments()
	}
	want := []int{
		samples * a.shape.Observation, samples * a.acts(), samples, samples, samples, samples, samples, p.Worlds,
		sequences * units, sequences * units, sequences * images, p.Worlds * units, p.Worlds * units, p.Worlds * images,
		seen, seen, p.Worlds,
	}
	for i, array := range p.arrays() {
		if got := array.values.Len(); got != want[i] {
			return fmt.Errorf("%v has %d %s, want %d", p, got, array.what, want[i])
		}
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
