package terms

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

func curriculumTerms() []Term {
	return []Term{
		curriculum("commands_vel", commandsVel, commandsVelParameters{}),
		curriculum("reward_weight", rewardWeight, rewardWeightParameters{}),
	}
}

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

// Check implements the check of parameters.
func (p *commandsVelParameters) Check(c *bounds.Check) {
	var steps []int64
	for i, s := range p.Stages {
		steps = append(steps, s.Step)
		at := fmt.Sprintf("stages[%d]", i)
		for _, r := range []struct {
			key string
			of  *Range
		}{{"lin_vel_x", s.LinVelX}, {"lin_vel_y", s.LinVelY}, {"ang_vel_z", s.AngVelZ}} {
			if r.of != nil {
				r.of.check(c, at+"."+r.key)
			}
		}
	}
	checkSteps(c, steps)
}

// checkSteps checks the steps of stages.
func checkSteps(c *bounds.Check, steps []int64) {
	const most = 1000
	if len(steps) < 1 || len(steps) > most {
		c.Fail("stages has %d entries, want 1 to %d", len(steps), most)
	}
	least := int64(0)
	for i, step := range steps {
		c.Whole(fmt.Sprintf("stages[%d].step", i), step, least, 1<<62)
		least = step + 1
	}
}

// commandsVel changes the ranges of a velocity command as the run goes on. Steps count
// the control steps of each world since training began, as in mjlab; Isaac Lab leaves
// such a function to the user.
func commandsVel(b *Binder, p *commandsVelParameters) CurriculumFunc {
	b.Command("command", p.Command, 3)
	c := b.commands[p.Command]
	if c == nil || c.velocity == nil {
		b.Fail("command", "is %s, want a uniform_velocity command", p.Command)
		return CurriculumFunc{}
	}
	if len(c.velocity.stages) > 0 {
		b.Fail("command", "is %s, which another curriculum term changes already", p.Command)
	}
	now := c.velocity.first
	for _, s := range p.Stages {
		for _, change := range []struct{ to, from *Range }{{&now.LinVelX, s.LinVelX}, {&now.LinVelY, s.LinVelY}, {&now.AngVelZ, s.AngVelZ}} {
			if change.from != nil {
				*change.to = *change.from
			}
		}
		c.velocity.stages = append(c.velocity.stages, stage[VelocityRanges]{s.Step, now})
	}
	return CurriculumFunc{}
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
	Weight *float64 `yaml:"weight"`
}

// Check implements the check of parameters.
func (p *rewardWeightParameters) Check(c *bounds.Check) {
	var steps []int64
	for i, s := range p.Stages {
		steps = append(steps, s.Step)
		if s.Weight == nil {
			c.Fail("stages[%d].weight: not given, want a number", i)
		}
	}
	checkSteps(c, steps)
}

// rewardWeight changes the weight of a reward as the run goes on. Steps count the control
// steps of each world since training began; a stage holds from its step on. mjlab has the
// same, but from the step after; Isaac Lab's modify_reward_weight has one stage.
func rewardWeight(b *Binder, p *rewardWeightParameters) CurriculumFunc {
	weight := b.weights[p.Reward]
	if weight == nil {
		if names := slices.Sorted(maps.Keys(b.weights)); len(names) > 0 {
			b.Fail("reward", ": no reward %q; did you mean %s?", p.Reward, spell.Nearest(p.Reward, names))
		} else {
			b.Fail("reward", ": no reward %q: the configuration has no rewards", p.Reward)
		}
		return CurriculumFunc{}
	}
	if len(weight.stages) > 0 {
		b.Fail("reward", "is %s, which another curriculum term changes already", p.Reward)
	}
	for _, s := range p.Stages {
		weight.stages = append(weight.stages, stage[float64]{s.Step, *s.Weight})
	}
	return CurriculumFunc{}
}
