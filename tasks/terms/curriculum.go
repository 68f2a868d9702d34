package terms

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

// curriculumTerms are the terms of curriculum, in the order of the page.
var curriculumTerms = []Term{
	term("commands_vel", commandsVel, commandsVelParameters{}),
	term("reward_weight", rewardWeight, rewardWeightParameters{}),
	term("reward_curriculum", rewardCurriculum, rewardCurriculumParameters{}),
	term("termination_curriculum", terminationCurriculum, terminationCurriculumParameters{}),
	term("event_curriculum", eventCurriculum, eventCurriculumParameters{}),
	term("terrain_levels", terrainLevels, levelParameters{Command: "velocity"}),
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
	current := c.velocity.first
	var stages []stage[VelocityRanges]
	for _, s := range p.Stages {
		for _, change := range []struct{ to, from *Range }{{&current.LinVelX, s.LinVelX}, {&current.LinVelY, s.LinVelY},
			{&current.AngVelZ, s.AngVelZ}} {
			if change.from != nil {
				*change.to = *change.from
			}
		}
		stages = append(stages, stage[VelocityRanges]{s.Step, current})
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

type rewardCurriculumParameters struct {
	// Reward is the name of an entry of rewards.
	Reward string `yaml:"reward"`
	// Stages are the changes from given control steps of the run on, by rising step.
	Stages []rewardStage `yaml:"stages"`
}

type rewardStage struct {
	// Step is the control step of the run, of each world, from which the stage holds.
	Step int64 `yaml:"step"`
	// Weight of the reward; that before it if not given.
	Weight *float64 `yaml:"weight"`
	// Params are parameters of the term, each with its value; the others stay as they are.
	Params map[string]any `yaml:"params"`
}

func (p *rewardCurriculumParameters) checkKeys(c *bounds.Check) {
	checkSteps(c, len(p.Stages), func(i int) int64 { return p.Stages[i].Step })
}

func (p *rewardCurriculumParameters) changes() (Kind, string, []paramsStage) {
	var stages []paramsStage
	for _, s := range p.Stages {
		stages = append(stages, paramsStage{s.Step, s.Params})
	}
	return Rewards, p.Reward, stages
}

// rewardCurriculum changes the weight and the parameters of a reward as the run goes on. Steps are as in reward_weight;
// a term that remembers something, such as feet_air_time, remembers it for each stage. mjlab has the same, but from the
// step after; Isaac Lab's modify_term_cfg calls a function of the user's.
func rewardCurriculum(b *Binder, p *rewardCurriculumParameters) CurriculumFunc {
	weight := b.weights[p.Reward]
	if weight == nil {
		return CurriculumFunc{} // Prepare has said so
	}
	var stages []stage[float64]
	for _, s := range p.Stages {
		if s.Weight != nil {
			stages = append(stages, stage[float64]{s.Step, *s.Weight})
		}
	}
	if stages == nil {
		return CurriculumFunc{}
	}
	return weight.change(b, "reward", p.Reward, stages)
}

type terminationCurriculumParameters struct {
	// Termination is the name of an entry of terminations.
	Termination string `yaml:"termination"`
	// Stages are the changes from given control steps of the run on, by rising step.
	Stages []paramsStage `yaml:"stages"`
}

func (p *terminationCurriculumParameters) checkKeys(c *bounds.Check) {
	checkSteps(c, len(p.Stages), func(i int) int64 { return p.Stages[i].Step })
}

func (p *terminationCurriculumParameters) changes() (Kind, string, []paramsStage) {
	return Terminations, p.Termination, p.Stages
}

// terminationCurriculum changes the parameters of a termination as the run goes on, as reward_curriculum does those of
// a reward. mjlab has the same, but from the step after, and can change whether it truncates; Isaac Lab's
// modify_term_cfg calls a function of the user's.
func terminationCurriculum(*Binder, *terminationCurriculumParameters) CurriculumFunc {
	return CurriculumFunc{}
}

type eventCurriculumParameters struct {
	// Event is the name of an entry of events.
	Event string `yaml:"event"`
	// Stages are the changes from given control steps of the run on, by rising step.
	Stages []paramsStage `yaml:"stages"`
}

func (p *eventCurriculumParameters) checkKeys(c *bounds.Check) {
	checkSteps(c, len(p.Stages), func(i int) int64 { return p.Stages[i].Step })
}

func (p *eventCurriculumParameters) changes() (Kind, string, []paramsStage) {
	return Events, p.Event, p.Stages
}

// eventCurriculum changes the parameters of an event as the run goes on, as reward_curriculum does those of a reward:
// pushes that become harder, or constants of the scene that vary more. The peers have no such term; Isaac Lab's
// modify_term_cfg calls a function of the user's.
func eventCurriculum(*Binder, *eventCurriculumParameters) CurriculumFunc { return CurriculumFunc{} }

type levelParameters struct {
	// Command is the name of a velocity command, which says how far the robot should have come.
	Command string `yaml:"command"`
	// MaxInitTerrainLevel is the highest level on which a world begins, from 0 on; the last if not given.
	MaxInitTerrainLevel *int `yaml:"max_init_terrain_level"`
}

func (p *levelParameters) checkKeys(c *bounds.Check) {
	if p.MaxInitTerrainLevel != nil {
		c.Whole("max_init_terrain_level", int64(*p.MaxInitTerrainLevel), 0, terrain.MaxRows-1)
	}
}

// terrainLevels moves each world over the rows of the terrain, which are its levels. A world begins on a drawn level,
// at most max_init_terrain_level, and has one column, which is drawn once. After each complete episode
//
//	level + 1 if d > size_x / 2    else level - 1 if d < ½·|v|·T
//
// d is the distance of the base from the start of its patch in the plane, v the command in force at the end, and T the
// length of an episode. From the last level the next is a drawn one. Unit m, m/s and s. The rule is that of both peers,
// terrain_levels_vel there. The level is remembered by the world: it is in its snapshots, and the info terrain_level. The
// info terrain_type is the column, counted from 0 as the level is, without this term too.
// Without this term, each episode draws a row and a column.
func terrainLevels(b *Binder, p *levelParameters) CurriculumFunc {
	b.Command("command", p.Command, 3)
	ground := b.needGround()
	if b.levels != nil {
		b.Fail("", ": there is another terrain_levels, want one")
	}
	b.Base("")
	if c := b.commands[p.Command]; b.err == nil {
		speed := b.Memory(1)
		b.levels = &levels{first: ground.Rows, speed: speed}
		b.OnStep(func(v *View) {
			command := v.Slot(c.value)
			v.Slot(speed)[0] = math.Hypot(command[0], command[1])
		})
		if most := p.MaxInitTerrainLevel; most != nil {
			b.levels.first = min(ground.Rows, *most+1)
		}
	}
	return CurriculumFunc{}
}
