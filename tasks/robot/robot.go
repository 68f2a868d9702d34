package robot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// Task is a described task. It implements [sim.LocalTask] and [sim.CommandTask].
type Task struct {
	spec sim.Spec
	plan *terms.Plan

	start        []float64 // state row
	actions      []actionPart
	observations []observationPart
	rewards      []rewardPart
	terminations []terminationPart
	commands     []commandPart
	startup      []eventPart
	reset        []eventPart
	interval     []eventPart

	kept         [3]terms.Slot // the latest actions, newest first
	byTime       bool          // whether rewards are multiplied by the length of a step
	commandInfos []terms.Handle
}

type actionPart struct {
	first, size int
	low, high   []float64
	apply       func(v *terms.View, action []float64)
}

type observationPart struct {
	first, size int
	read        func(v *terms.View, dst []float64)
}

type rewardPart struct {
	weight *terms.Staged[float64]
	value  terms.RewardFunc
}

type terminationPart struct {
	truncate bool
	ends     terms.TerminationFunc
}

type commandPart struct {
	name    string
	command *terms.Command
	observe func(v *terms.View)
}

type eventPart struct {
	key         terms.Key
	happen      terms.EventFunc
	least, span float64    // ns, of mode interval
	due         terms.Slot // ns, when it happens next
}

// New makes the task of settings for a robot, whose Start it sets. name is that of the
// task; stepOffset is the number of control steps of each world that were taken before
// this run, for curricula. Errors begin with the key.
func New(name string, s *Settings, r *terms.Robot, stepOffset int64) (*Task, error) {
	p, err := s.parse()
	if err != nil {
		return nil, err
	}
	b := terms.NewBinder(r, stepOffset)
	if err := s.Start.write(b); err != nil {
		return nil, err
	}
	t := &Task{start: r.Start, byTime: s.ScaleRewardsByDT == nil || *s.ScaleRewardsByDT}
	t.spec.Name = name
	t.bindEvents(b, p) // first, since they decide whether encoders have a bias
	t.bindActions(b, p)
	for i := range p.commands {
		command, observe := b.BindCommand(&p.commands[i])
		t.commands = append(t.commands, commandPart{p.commands[i].Head.Name, command, observe})
	}
	t.bindObservations(b, p)
	t.bindOutcomes(b, p)
	for i := range p.curriculum {
		b.Bind(&p.curriculum[i], terms.AtCommand)
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	t.plan = b.Plan()
	if b.TimeOut() {
		episode := DefaultEpisode
		if s.Episode != nil {
			episode = *s.Episode
		}
		t.spec.MaxSteps = max(1, int64(math.Round(episode.Seconds()/r.ControlSeconds)))
	}
	t.spec.MemorySize, t.spec.Probes, t.spec.Parameters = b.MemorySize(), b.Probes(), b.Parameters()
	return t, nil
}

// write sets the start row of the robot.
func (s *Start) write(b *terms.Binder) error {
	r := b.Robot
	r.Start = make([]float64, r.Model.StateSize())
	r.Model.InitialState(r.Start)
	if s.Keyframe != "" {
		if err := r.Model.Keyframe(s.Keyframe, r.Start); err != nil {
			return fmt.Errorf("start.keyframe: %w", err)
		}
	}
	if s.Height != nil {
		pose, _ := b.Base("start.height")
		if b.Err() == nil {
			pose.In(r.Start)[2] = *s.Height
		}
	}
	if s.Joints != nil {
		b.Place("start.joints", s.Joints)
	}
	return b.Err()
}

func (t *Task) bindEvents(b *terms.Binder, p *parsed) {
	for i := range p.events {
		entry := &p.events[i]
		keys := entry.Common.(*terms.EventKeys)
		phase := terms.AtReset
		if keys.Mode == terms.Interval {
			phase = terms.AtAct
		}
		e := eventPart{happen: b.Bind(entry, phase).(terms.EventFunc), key: b.Key()}
		switch keys.Mode {
		case terms.Startup:
			t.startup = append(t.startup, e)
		case terms.Reset:
			t.reset = append(t.reset, e)
		case terms.Interval:
			e.least, e.span = float64(keys.Interval[0]), float64(keys.Interval[1]-keys.Interval[0])
			e.due = b.Memory(1)
			t.interval = append(t.interval, e)
		}
	}
}

func (t *Task) bindActions(b *terms.Binder, p *parsed) {
	seen := map[string]bool{}
	for i := range p.actions {
		a := b.BindAction(&p.actions[i])
		distinguish(a.Names, p.actions[i].Head.Name, seen)
		t.actions = append(t.actions, actionPart{t.spec.ActionSize, len(a.Names), a.Low, a.High, a.Apply})
		t.spec.ActionSize += len(a.Names)
		t.spec.ActionNames = append(t.spec.ActionNames, a.Names...)
		t.spec.ActionLow, t.spec.ActionHigh = append(t.spec.ActionLow, a.Low...), append(t.spec.ActionHigh, a.High...)
	}
	t.kept = b.KeepActions(t.spec.ActionNames)
}

// distinguish puts the name of an entry before the names of its values if one of them is
// already among seen, to which it adds them. Names of entries differ.
func distinguish(names []string, entry string, seen map[string]bool) {
	if slices.ContainsFunc(names, func(name string) bool { return seen[name] }) {
		for i, name := range names {
			names[i] = entry + "." + name
		}
	}
	for _, name := range names {
		seen[name] = true
	}
}

func (t *Task) bindObservations(b *terms.Binder, p *parsed) {
	for _, g := range p.groups {
		group := sim.Group{Name: g.name, First: t.spec.ObservationSize}
		seen := map[string]bool{}
		for i := range g.entries {
			o := b.BindObservation(&g.entries[i], g.noise)
			distinguish(o.Names, g.entries[i].Head.Name, seen)
			t.observations = append(t.observations, observationPart{t.spec.ObservationSize, len(o.Names), o.Read})
			t.spec.ObservationSize += len(o.Names)
			for _, name := range o.Names {
				if g.name != policyGroup {
					name = g.name + "/" + name
				}
				t.spec.ObservationNames = append(t.spec.ObservationNames, name)
			}
		}
		group.Size = t.spec.ObservationSize - group.First
		if len(p.groups) > 1 {
			t.spec.Groups = append(t.spec.Groups, group)
		}
	}
}

// bindOutcomes binds terminations and rewards, and lists the infos.
func (t *Task) bindOutcomes(b *terms.Binder, p *parsed) {
	for i := range p.terminations {
		entry := &p.terminations[i]
		if ends := b.Bind(entry, terms.AtReward).(terms.TerminationFunc); ends != nil {
			t.terminations = append(t.terminations, terminationPart{entry.Common.(*terms.TerminationKeys).Truncate, ends})
		}
	}
	for i := range p.rewards {
		value, weight := b.BindReward(&p.rewards[i])
		t.rewards = append(t.rewards, rewardPart{weight, value})
		t.spec.InfoNames = append(t.spec.InfoNames, "reward/"+p.rewards[i].Head.Name)
	}
	for i := range p.commands {
		handle, names := b.CommandInfo(p.commands[i].Head.Name)
		t.commandInfos = append(t.commandInfos, handle)
		t.spec.InfoNames = append(t.spec.InfoNames, names...)
	}
}

// Spec implements [sim.Task].
func (t *Task) Spec() sim.Spec { return t.spec }

// NewLocal implements [sim.LocalTask].
func (t *Task) NewLocal() any { return t.plan.NewView() }

// begin returns the view of the world's block, with the quantities of a phase.
func (t *Task) begin(w *sim.World, phase terms.Phase) *terms.View {
	v := w.Local().(*terms.View)
	t.plan.Begin(v, w, phase)
	return v
}

// Reset writes the start pose and lets the events of startup and reset happen.
func (t *Task) Reset(w *sim.World) {
	copy(w.State(), t.start)
	v := t.begin(w, terms.AtReset)
	for i := range t.startup {
		e := &t.startup[i]
		e.happen(v, w.LastingRandom(sim.Purpose(e.key)))
	}
	for i := range t.reset {
		e := &t.reset[i]
		e.happen(v, w.Random(sim.Purpose(e.key)))
	}
	for i := range t.interval {
		e := &t.interval[i]
		v.Kept(e.due)[0] = e.wait(w.Random(sim.Purpose(e.key)))
	}
	t.plan.Reset(v)
}

// wait draws the time until the event happens again, in ns.
func (e *eventPart) wait(r *rand.Rand) float64 { return e.least + math.Floor(e.span*r.Float64()) }

// Act lets the events of mode interval happen that are due, and puts the action in force.
func (t *Task) Act(w *sim.World, action []float32) {
	v := t.begin(w, terms.AtAct)
	for i := range t.interval {
		e := &t.interval[i]
		if due := &v.Kept(e.due)[0]; float64(w.NS()) >= *due {
			r := v.Draw(e.key)
			*due = float64(w.NS()) + e.wait(r)
			e.happen(v, r)
		}
	}
	newest := v.Kept(t.kept[0])
	copy(v.Kept(t.kept[2]), v.Kept(t.kept[1]))
	copy(v.Kept(t.kept[1]), newest)
	for i := range t.actions {
		a := &t.actions[i]
		values := newest[a.first : a.first+a.size]
		for k, x := range action[a.first : a.first+a.size] {
			values[k] = min(max(float64(x), a.low[k]), a.high[k])
		}
		a.apply(v, values)
	}
}

// Reward implements [sim.Task]. Commands are those that the policy saw.
func (t *Task) Reward(w *sim.World) (reward float64, terminated bool) {
	v := t.begin(w, terms.AtReward)
	t.plan.Step(v)
	for i := range t.terminations {
		e := &t.terminations[i]
		if e.ends(v) {
			if e.truncate {
				w.Truncate()
			} else {
				terminated = true
			}
		}
	}
	if terminated {
		t.plan.Terminate(v)
	}
	dt := 1.0
	if t.byTime {
		dt = w.ControlSeconds()
	}
	info := w.Info()
	for i := range t.rewards {
		r := &t.rewards[i]
		info[i] = 0
		if weight := r.weight.At(v.RunStep()); weight != 0 {
			info[i] = float64(weight * r.value(v) * dt)
			reward += info[i]
		}
	}
	at := len(t.rewards)
	for _, command := range t.commandInfos {
		at += copy(info[at:], v.At(command))
	}
	return reward, terminated
}

// Observe changes the commands that are due, and then observes.
func (t *Task) Observe(w *sim.World, dst []float64) {
	if len(t.commands) > 0 {
		v := t.begin(w, terms.AtCommand)
		for i := range t.commands {
			t.commands[i].observe(v)
		}
	}
	v := t.begin(w, terms.AtObserve)
	for i := range t.observations {
		o := &t.observations[i]
		o.read(v, dst[o.first:o.first+o.size])
	}
}

// Commands implements [sim.CommandTask].
func (t *Task) Commands() []sim.CommandSpec {
	specs := make([]sim.CommandSpec, len(t.commands))
	for i, c := range t.commands {
		low, high := c.command.Bounds()
		specs[i] = sim.CommandSpec{Name: c.name, ValueNames: c.command.Names, Low: low, High: high}
	}
	return specs
}

// SetCommand implements [sim.CommandTask].
func (t *Task) SetCommand(w *sim.World, command int, values []float64) {
	t.commands[command].command.Set(t.begin(w, terms.AtCommand), values)
}
