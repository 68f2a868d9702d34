package terms

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

type commandsVelParameters struct {
	// Command is the name of a uniform_velocity command.
	Command string `yaml:"command"`
	// Stages are the ranges from given control steps of the run on, by rising step.
	Stages []velocityStage `yaml:"stages"`
}

type velocityStage struct {
	// Step is the control step of the run, of each world, from which the ranges hold.
	Step int64 `yaml:"step"`
	// LinVelX is the range from then on, m/s; that before it if not given.
	LinVelX *Range `yaml:"lin_vel_x"`
	// LinVelY is the range from then on, m/s; that before it if not given.
	LinVelY *Range `yaml:"lin_vel_y"`
	// AngVelZ is the range from then on, rad/s; that before it if not given.
	AngVelZ *Range `yaml:"ang_vel_z"`
}

func (p *commandsVelParameters) checkKeys(c *bounds.Check) {
	checkSteps(c, len(p.Stages), func(i int) int64 { return p.Stages[i].Step })
}

// checkSteps checks the steps of n stages.
func checkSteps(c *bounds.Check, n int, step func(i int) int64) {
	const most = 1000
	if n < 1 || n > most {
		c.Fail("stages has %d entries, want 1 to %d", n, most)
	}
	least := int64(0)
	for i := range n {
		c.Whole(fmt.Sprintf("stages[%d].step", i), step(i), least, 1<<62)
		least = step(i) + 1
	}
}

// commandsVel changes the ranges of a velocity command as the run goes on. Steps count the control steps of each
// world since training began, as in mjlab; Isaac Lab leaves such a function to the user.
func commandsVel(b *Binder, p *commandsVelParameters) CurriculumFunc {
	b.Command("command", p.Command, 3)
	c := b.commands[p.Command]
	if c == nil || c.velocity == nil {
		b.Fail("command", "is %s, want a uniform_velocity command", p.Command)
		return CurriculumFunc{}
	}
	now := c.velocity.first
	var stages []stage[VelocityRanges]
	for _, s := range p.Stages {
		for _, change := range []struct{ to, from *Range }{{&now.LinVelX, s.LinVelX}, {&now.LinVelY, s.LinVelY},
			{&now.AngVelZ, s.AngVelZ}} {
			if change.from != nil {
				*change.to = *change.from
			}
		}
		stages = append(stages, stage[VelocityRanges]{s.Step, now})
	}
	return c.velocity.change(b, "command", p.Command, stages)
}

type rewardWeightParameters struct {
	// Reward is the name of an entry of rewards.
	Reward string `yaml:"reward"`
	// Stages are the weights from given control steps of the run on, by rising step.
	Stages []weightStage `yaml:"stages"`
}

type weightStage struct {
	// Step is the control step of the run, of each world, from which the weight holds.
	Step int64 `yaml:"step"`
	// Weight of the reward.
	Weight *float64 `yaml:"weight" want:"given"`
}

func (p *rewardWeightParameters) checkKeys(c *bounds.Check) {
	checkSteps(c, len(p.Stages), func(i int) int64 { return p.Stages[i].Step })
}

// rewardWeight changes the weight of a reward as the run goes on. Steps count the control
// steps of each world since training began; a stage holds from its step on. mjlab has the
// same, but from the step after; Isaac Lab's modify_reward_weight has one stage.
func rewardWeight(b *Binder, p *rewardWeightParameters) CurriculumFunc {
	weight := b.weights[p.Reward]
	if weight == nil {
		b.Fail("reward", ": %s", noEntry("reward", p.Reward, slices.Sorted(maps.Keys(b.weights))))
		return CurriculumFunc{}
	}
	var stages []stage[float64]
	for _, s := range p.Stages {
		stages = append(stages, stage[float64]{s.Step, *s.Weight})
	}
	return weight.change(b, "reward", p.Reward, stages)
}

// Staged is a value that a curriculum changes at given control steps of the run.
type Staged[T any] struct {
	first  T
	stages []stage[T] // by rising step
}

type stage[T any] struct {
	step  int64
	value T
}

// change sets the stages. Only one curriculum term may do so; name is that of what it changes.
func (s *Staged[T]) change(b *Binder, key, name string, stages []stage[T]) CurriculumFunc {
	if len(s.stages) > 0 {
		b.Fail(key, "is %s, which another curriculum term changes already", name)
	}
	s.stages = stages
	return CurriculumFunc{}
}

// At returns the value in control step n of the run, see [View.RunStep].
func (s *Staged[T]) At(n int64) T {
	value := s.first
	for _, next := range s.stages {
		if next.step <= n {
			value = next.value
		}
	}
	return value
}
