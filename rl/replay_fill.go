package rl

import (
	"errors"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// fill adds what was recorded to the replay, which is empty, and what was observed to the moments. Each world gets an
// equal part of the rows, in their order: draw wants worlds that are filled alike. An episode that is cut there ends in
// one world with what its next row shows, and goes on in the next world.
func (s *replayLearner) fill(recorded RecordedRewards) error {
	total, err := s.transitions(recorded)
	if err != nil {
		return err
	}
	r, seen := s.replay, nn.NewMoments(s.shape.moments())
	share := (total + int64(r.worlds) - 1) / int64(r.worlds)
	if most := int64(r.rows - 1); share+1 > most && r.worlds > 1 || share > most {
		return SettingsError{fmt.Errorf("sac.replay is %d, want at least %d for the %d rows of the dataset", s.choices.Replay,
			(share+1)*int64(r.worlds), total)}
	}
	observation, action := make([]float64, s.shape.Observation), make([]float32, s.shape.Action)
	world := 0
	for _, episode := range recorded.Episodes() {
		follows := false // the row before it in the episode leads to it
		for _, i := range episode {
			recorded.Row(int(i), observation, action)
			reward, over, known := recorded.Reward(int(i))
			seen.AddObserved(observation, s.shape.Pictures)
			if world < r.worlds-1 && r.count[world] >= share {
				if follows {
					r.observe(world, observation)
					r.complete(world, 0, seam, nil)
				}
				world++
				follows = false
			}
			if !known && !follows {
				continue
			}
			end := seam
			if known {
				end = endingOf(over, false, false)
			}
			follows = end == goesOn
			r.observe(world, observation)
			s.unbound(r.act(world), action)
			r.complete(world, reward, end, nil)
		}
	}
	s.observations.Merge(seen)
	s.standardise()
	return nil
}

// transitions returns the number of rows that the replay of one world would have, at least one of them with an action.
// It fails where a number cannot be used.
func (s *replayLearner) transitions(recorded RecordedRewards) (rows int64, err error) {
	observation, action, some := make([]float64, s.shape.Observation), make([]float32, s.shape.Action), false
	for _, episode := range recorded.Episodes() {
		follows := false
		for _, i := range episode {
			recorded.Row(int(i), observation, action)
			for k, v := range observation {
				if !nn.Usable(v) {
					return 0, fmt.Errorf("rl: value %d that was observed in row %d is %g, want a number of at most %g in size", k, i,
						v, nn.MaxValue)
				}
			}
			reward, over, known := recorded.Reward(int(i))
			if known && !nn.Usable(reward) {
				return 0, fmt.Errorf("rl: the reward of row %d is %g, want a number of at most %g in size", i, reward, nn.MaxValue)
			}
			if known || follows {
				rows++
			}
			some, follows = some || known, known && !over
		}
	}
	if !some {
		return 0, errors.New("rl: no row has a reward and what followed, want one to learn from")
	}
	return rows, nil
}

// unbound writes an action within its bounds to dst, from -1 to 1.
func (s *replayLearner) unbound(dst, action []float32) {
	for k, v := range action {
		low, high := s.shape.ActionLow[k], s.shape.ActionHigh[k]
		dst[k] = 1
		if high > low {
			dst[k] = float32(min(max(2*(float64(v)-low)/(high-low)-1, -1), 1))
		}
	}
}
