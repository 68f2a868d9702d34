package terms

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
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

func (p *rewardCurriculumParameters) changed() (Kind, string, []paramsStage) {
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

type paramsStage struct {
	// Step is the control step of the run, of each world, from which the stage holds.
	Step int64 `yaml:"step"`
	// Params are parameters of the term, each with its value; the others stay as they are.
	Params map[string]any `yaml:"params"`
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

func (p *terminationCurriculumParameters) changed() (Kind, string, []paramsStage) {
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

func (p *eventCurriculumParameters) changed() (Kind, string, []paramsStage) {
	return Events, p.Event, p.Stages
}

// eventCurriculum changes the parameters of an event as the run goes on, as reward_curriculum does those of a reward:
// pushes that become harder, or constants of the scene that vary more. The peers have no such term; Isaac Lab's
// modify_term_cfg calls a function of the user's.
func eventCurriculum(*Binder, *eventCurriculumParameters) CurriculumFunc { return CurriculumFunc{} }

// changer is implemented by the parameters of curriculum terms that change those of another entry.
type changer interface {
	changed() (kind Kind, name string, stages []paramsStage)
}

// Prepare notes what curriculum terms make of entries of other sections. It comes before these are bound.
func (b *Binder) Prepare(sections map[Kind][]Parsed) {
	for i := range sections[Curriculum] {
		b.entry = &sections[Curriculum][i]
		change, ok := b.entry.Parameters.(changer)
		if !ok {
			continue
		}
		kind, name, stages := change.changed()
		at := slices.IndexFunc(sections[kind], func(p Parsed) bool { return p.Head.Name == name })
		if at < 0 {
			var known []string
			for _, p := range sections[kind] {
				known = append(known, p.Head.Name)
			}
			b.Fail(kind.one(), ": %s", noEntry(kind.one(), name, known))
			return
		}
		target := &sections[kind][at]
		id := string(kind) + "/" + name
		if b.later[id] != nil {
			b.Fail(kind.one(), "is %s, which another curriculum term changes already", name)
		}
		entry := maps.Clone(target.entry)
		for n, s := range stages {
			key := fmt.Sprintf("stages[%d].params", n)
			for parameter := range s.Params {
				if reflect.ValueOf(target.Parameters).Elem().Kind() != reflect.Struct || !hasKey(target, parameter) {
					b.Fail(key, ": %s is no parameter of the term of %s %s", parameter, kind.one(), name)
				}
			}
			maps.Copy(entry, s.Params)
			later, err := parse(kind, decode.Join(b.entry.Key, key), entry)
			if err != nil && b.err == nil {
				b.err = err // which begins with the key
			}
			later.Head.Name = name // its random stream
			b.later[id] = append(b.later[id], stage[Parsed]{s.Step, later})
		}
	}
}

// hasKey reports whether the term of an entry has a parameter.
func hasKey(p *Parsed, name string) bool {
	if p.Parameters == nil {
		return false
	}
	return slices.ContainsFunc(decode.Fields(reflect.TypeOf(p.Parameters).Elem()), func(f decode.Field) bool {
		return f.Key == name
	})
}

// BindStaged binds an entry of rewards, terminations or events, and what curriculum terms make of it.
func BindStaged[F any](b *Binder, p *Parsed, phase Phase) *Staged[F] {
	s := &Staged[F]{first: b.Bind(p, phase).(F)}
	for _, later := range b.later[string(p.Kind)+"/"+p.Head.Name] {
		s.stages = append(s.stages, stage[F]{later.step, b.Bind(&later.value, phase).(F)})
	}
	return s
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
