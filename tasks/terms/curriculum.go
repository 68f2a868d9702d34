package terms

import (
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

func curriculumTerms() []Term {
	return []Term{
		curriculum("commands_vel", commandsVel, commandsVelParameters{}),
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
	c.Whole("stages: the number of stages", int64(len(p.Stages)), 1, 1000)
	for i, s := range p.Stages {
		at := fmt.Sprintf("stages[%d]", i)
		least := int64(0)
		if i > 0 {
			least = p.Stages[i-1].Step + 1
		}
		c.Whole(at+".step", s.Step, least, 1<<62)
		for _, r := range []struct {
			key string
			of  *Range
		}{{"lin_vel_x", s.LinVelX}, {"lin_vel_y", s.LinVelY}, {"ang_vel_z", s.AngVelZ}} {
			if r.of != nil {
				r.of.check(c, at+"."+r.key)
			}
		}
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
