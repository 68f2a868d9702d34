package rl

import (
	"context"
	"fmt"
	"math"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// sacActor is the working memory of one goroutine that collects.
type sacActor struct {
	policy   nn.Work   // of one panel
	standard []float32 // standardised observations of a block
	draw     nn.Draw
}

func (s *SAC) newActor() sacActor {
	return sacActor{
		policy:   s.policy.net.NewWork(PanelHeight, PanelHeight, false),
		standard: make([]float32, PanelHeight*s.shape.Observation),
		draw:     s.policy.actions.NewDraw(),
	}
}

// collectBlock drives one block through a rollout into the replay, or until ctx is cancelled. The policy does not change
// meanwhile.
func (s *SAC) collectBlock(ctx context.Context, worker int, b Block) error {
	a, first := &s.actors[worker], b.First()-s.shape.First
	if b.Len() > s.shape.BlockSize || first < 0 || first+b.Len() > s.shape.Worlds {
		return fmt.Errorf("rl: block %d holds worlds %d to %d, want at most %d of the worlds %d to %d", b.Index(), b.First(),
			b.First()+b.Len()-1, s.shape.BlockSize, s.shape.First, s.shape.First+s.shape.Worlds-1)
	}
	for t := range s.choices.Segment {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := s.controlSteps + int64(t)
		if err := s.observe(a, b, step); err != nil {
			return err
		}
		s.act(a, b, step)
		if err := b.Step(); err != nil {
			return err
		}
		if err := s.recordOutcome(b, step); err != nil {
			return err
		}
	}
	for i := range b.Len() { // what follows
		s.replay.observe(first+i, nn.RowOf(b.Observations(), s.shape.Observation, i))
	}
	return nil
}

// observe adds what a block shows to the replay and the moments, and standardises it.
func (s *SAC) observe(a *sacActor, b Block, step int64) error {
	size, first := s.shape.Observation, b.First()-s.shape.First
	standard := a.standard[:b.Len()*size]
	if err := standardiseRows(s.policy.standardise, standard, b.Observations(), b.First()); err != nil {
		return fmt.Errorf("%w, at control step %d", err, step)
	}
	for i := range b.Len() {
		row := nn.RowOf(b.Observations(), size, i)
		s.replay.observe(first+i, row)
		if s.settings.NormaliseObservations {
			s.moments[first+i].AddObserved(row, s.shape.Pictures)
		}
	}
	return nil
}

// act draws the actions of a control step: uniformly at first, then from the policy.
func (s *SAC) act(a *sacActor, b Block, step int64) {
	first, actions := b.First(), &s.policy.actions
	random := step*int64(s.shape.Worlds) < s.choices.RandomSteps
	if !random {
		s.policy.net.Load(a.policy, a.standard[:b.Len()*s.shape.Observation], s.shape.Observation, s.shape.Policy, first)
		s.policy.net.Forward(s.policy.params, a.policy, nn.OnePanel)
	}
	for i := range b.Len() {
		action := s.replay.act(first - s.shape.First + i)
		a.draw.Noise.Key(s.seed, nn.DrawAction, int64(first+i), step)
		if random {
			for k := range action {
				action[k] = float32(2*a.draw.Noise.Float64() - 1)
			}
		} else {
			actions.Draw(action, nn.RowOf(a.policy.Output(), actions.Outputs(), nn.PanelRow(first+i)), nil, nil, &a.draw)
			for k, v := range action {
				action[k] = float32(math.Tanh(float64(v)))
			}
		}
		s.policy.bound(nn.RowOf(b.Actions(), s.shape.Action, i), action)
	}
}

// recordOutcome records the rewards of the step just taken, and how it ended.
func (s *SAC) recordOutcome(b Block, step int64) error {
	size, first := s.shape.Observation, b.First()-s.shape.First
	reward, terminated, truncated, fault := b.Rewards(), b.Terminations(), b.Truncations(), b.Faults()
	for i := range b.Len() {
		r, end := reward[i], endingOf(terminated[i], truncated[i], fault[i])
		if fault[i] {
			r = 0
		}
		if !nn.Usable(r) {
			return fmt.Errorf("rl: world %d was rewarded %g at control step %d, want a number of at most %g in size",
				b.First()+i, r, step, nn.MaxValue)
		}
		var final []float64
		if end == cutOff {
			final = nn.RowOf(b.FinalObservations(), size, i)
			for k, v := range final {
				if !nn.Usable(v) {
					return fmt.Errorf("rl: world %d observed %g as value %d, want a number of at most %g in size", b.First()+i, v,
						k, nn.MaxValue)
				}
			}
		}
		s.replay.complete(first+i, r, end, final)
		if end != goesOn {
			s.finished[first+i].add(b.EpisodeReturns()[i], b.EpisodeLengths()[i], fault[i])
		}
	}
	return nil
}
