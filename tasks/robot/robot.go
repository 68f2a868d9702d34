package robot

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/tasks/terms"
)

// DescribedTask is a described task. It implements [sim.LocalTask] and [sim.CommandTask].
type DescribedTask struct {
	spec sim.Spec
	plan *terms.Plan

	start        []float64 // state row
	actions      []*terms.Action
	observations []*terms.Observation
	rewards      []*terms.Reward
	terminations []termination
	infos        []terms.RewardFunc // they come first among the infos
	commands     []*terms.Command
	events       map[string][]event // the events of each mode

	ground       *terms.Ground // nil without a terrain
	kept         [3]terms.Slot // the latest actions, newest first
	identity     []string
	byTime       bool // whether rewards are multiplied by the length of a step
	commandInfos []terms.Handle
	settable     []*terms.Command // those of commands that may be set from outside
}

type termination struct {
	truncate bool
	ends     *terms.Staged[terms.TerminationFunc]
}

type event struct {
	key         terms.Key
	change      *terms.Staged[terms.EventFunc]
	least, span float64    // ns, of mode interval
	due         terms.Slot // ns, when it happens next
}

// New makes the task of settings for a robot, whose Start it sets. name is that of the task; stepOffset is the number
// of control steps of each world that were taken before this run, for curricula. Errors begin with the key.
func New(name string, s *Settings, r *terms.Robot, stepOffset int64) (*DescribedTask, error) {
	p, err := s.parse()
	if err != nil {
		return nil, err
	}
	b := terms.NewBinder(r, stepOffset)
	if err := s.Start.write(b); err != nil {
		return nil, err
	}
	t := &DescribedTask{start: r.Start, byTime: s.ScaleRewardsByDT == nil || *s.ScaleRewardsByDT,
		events: map[string][]event{}}
	t.spec.Name = name
	if b.Prepare(p.entries); b.Err() != nil {
		return nil, b.Err()
	}
	t.bindEvents(b, p) // first, since they decide whether encoders have a bias
	for _, entry := range p.entries[terms.Commands] {
		if entry.Head.Term == terms.MotionTerm {
			t.addCommand(b.BindCommand(&entry))
		}
	}
	t.bindActions(b, p)
	for _, entry := range p.entries[terms.Commands] {
		if entry.Head.Term != terms.MotionTerm { // which is bound before the actions
			t.addCommand(b.BindCommand(&entry))
		}
	}
	t.bindObservations(b, p)
	timeOut := t.bindOutcomes(b, p)
	for _, entry := range p.entries[terms.Curriculum] {
		b.Bind(&entry, terms.CommandPhase)
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	t.plan = b.Plan()
	if t.ground = b.Ground(cmp.Or(s.Episode, new(DefaultEpisode)).Seconds()); t.ground != nil {
		t.spec.InfoNames = append(t.spec.InfoNames, terms.GroundInfos...)
		t.spec.ResetInfoNames = terms.GroundInfos
	}
	if timeOut {
		episode := *cmp.Or(s.Episode, new(DefaultEpisode))
		t.spec.MaxSteps = max(1, int64(math.Round(episode.Seconds()/r.ControlSeconds)))
	}
	t.spec.MemorySize, t.spec.LastingSize = b.MemorySize+b.LastingSize, b.LastingSize
	t.spec.Probes, t.spec.Parameters, t.identity = b.Probes, b.Parameters, b.Identity()
	return t, nil
}

// WriteStart sets the start row of a robot without a task. Errors begin with the key.
func WriteStart(s *Start, r *terms.Robot) error { return s.write(terms.NewBinder(r, 0)) }

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
	b.Place("start.joints", s.Joints)
	return b.Err()
}

func (t *DescribedTask) bindEvents(b *terms.Binder, p *parsed) {
	for _, entry := range p.entries[terms.Events] {
		keys := entry.Common.(*terms.EventKeys)
		phase := terms.ResetPhase
		if keys.Mode == terms.Interval {
			phase = terms.ActPhase
		}
		e := event{change: terms.BindStaged[terms.EventFunc](b, &entry, phase), key: b.Key()}
		if keys.Mode == terms.Interval {
			e.least, e.span = float64(keys.Interval[0]), float64(keys.Interval[1]-keys.Interval[0])
			e.due = b.Memory(1)
		}
		t.events[keys.Mode] = append(t.events[keys.Mode], e)
	}
}

func (t *DescribedTask) bindActions(b *terms.Binder, p *parsed) {
	seen := map[string]bool{}
	for _, entry := range p.entries[terms.Actions] {
		a := b.Bind(&entry, terms.ActPhase).(*terms.Action)
		distinguish(a.Names, entry.Head.Name, seen)
		t.actions = append(t.actions, a)
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

func (t *DescribedTask) bindObservations(b *terms.Binder, p *parsed) {
	for _, g := range p.groups {
		group := sim.Group{Name: g.name, First: t.spec.ObservationSize}
		seen := map[string]bool{}
		for _, entry := range g.entries {
			o := b.BindObservation(&entry, g.noise)
			distinguish(o.Names, entry.Head.Name, seen)
			t.observations = append(t.observations, o)
			t.addPictures(o, pictureName(&g, &entry, o.Picture.Name))
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

// pictureName is the name of the pictures of an entry, which differs from those of the other entries: the name that the
// entry was given or else that of its channel, unless another entry has it.
func pictureName(g *parsedGroup, entry *terms.Parsed, channel string) string {
	name := entry.Head.Name
	hasChannel := func(other terms.Parsed) bool { return other.Head.Name == channel }
	if name == entry.Head.Term && !slices.ContainsFunc(g.entries, hasChannel) {
		name = channel
	}
	if g.name != policyGroup {
		name = g.name + "/" + name
	}
	return name
}

// addPictures adds the pictures of an observation, whose values are the next ones.
func (t *DescribedTask) addPictures(o *terms.Observation, name string) {
	p := o.Picture
	p.Name = name
	for first := 0; p.Size() > 0 && first < len(o.Names); first += p.Size() {
		p.First = t.spec.ObservationSize + first
		t.spec.Pictures = append(t.spec.Pictures, p)
	}
}

// bindOutcomes binds terminations and rewards, and lists the infos. It reports whether there is a time_out.
func (t *DescribedTask) bindOutcomes(b *terms.Binder, p *parsed) (timeOut bool) {
	for _, entry := range p.entries[terms.Terminations] {
		ends := terms.BindStaged[terms.TerminationFunc](b, &entry, terms.RewardPhase)
		if ends.Current(0) == nil {
			timeOut = true
			continue
		}
		t.terminations = append(t.terminations, termination{entry.Common.(*terms.TerminationKeys).Truncate, ends})
		t.spec.EndNames = append(t.spec.EndNames, entry.Head.Name)
	}
	for _, entry := range p.entries[terms.Infos] {
		t.infos = append(t.infos, b.Bind(&entry, terms.RewardPhase).(terms.RewardFunc))
		t.spec.InfoNames = append(t.spec.InfoNames, entry.Head.Name)
	}
	for _, entry := range p.entries[terms.Rewards] {
		t.rewards = append(t.rewards, b.BindReward(&entry))
		t.spec.InfoNames = append(t.spec.InfoNames, "reward/"+entry.Head.Name)
	}
	for _, c := range t.commands {
		handle, names := b.CommandInfo(c)
		t.commandInfos = append(t.commandInfos, handle)
		t.spec.InfoNames = append(t.spec.InfoNames, names...)
	}
	return timeOut
}

// Spec implements [sim.Task].
func (t *DescribedTask) Spec() sim.Spec { return t.spec }

// NewLocal implements [sim.LocalTask].
func (t *DescribedTask) NewLocal() any { return t.plan.NewView() }

// begin returns the view of the world's block, with the quantities of a phase.
func (t *DescribedTask) begin(w *sim.World, phase terms.Phase) *terms.View {
	v := w.Local().(*terms.View)
	t.plan.Begin(v, w, phase)
	return v
}

// Reset writes the start pose and lets the events of startup and reset happen.
func (t *DescribedTask) Reset(w *sim.World) {
	copy(w.State(), t.start)
	if t.ground != nil {
		t.ground.Begin(w.Local().(*terms.View), w)
	}
	v := t.begin(w, terms.ResetPhase)
	for _, e := range t.events[terms.Startup] {
		e.change.Current(v.RunStep())(v, w.LastingRandom(sim.Purpose(e.key)))
	}
	for _, e := range t.events[terms.Reset] {
		e.change.Current(v.RunStep())(v, w.Random(sim.Purpose(e.key)))
	}
	for _, e := range t.events[terms.Interval] {
		v.Slot(e.due)[0] = e.wait(w.Random(sim.Purpose(e.key)))
	}
	t.plan.Reset(v)
}

// Ended implements [sim.EndingTask].
func (t *DescribedTask) Ended(w *sim.World) {
	if t.ground != nil {
		t.ground.End(w.Local().(*terms.View), w)
	}
}

// wait draws the time until the event happens again, in ns.
func (e event) wait(r *rand.Rand) float64 { return e.least + math.Floor(e.span*r.Float64()) }

// Act lets the events of mode interval happen that are due, and puts the action in force.
func (t *DescribedTask) Act(w *sim.World, action []float32) {
	v := t.begin(w, terms.ActPhase)
	t.plan.Act(v)
	for _, e := range t.events[terms.Interval] {
		if due := &v.Slot(e.due)[0]; float64(w.NS()) >= *due {
			r := v.Draw(e.key)
			*due = float64(w.NS()) + e.wait(r)
			e.change.Current(v.RunStep())(v, r)
		}
	}
	newest := v.Slot(t.kept[0])
	copy(v.Slot(t.kept[2]), v.Slot(t.kept[1]))
	copy(v.Slot(t.kept[1]), newest)
	for _, a := range t.actions {
		n := len(a.Names)
		for k, x := range action[:n] {
			newest[k] = min(max(float64(x), a.Low[k]), a.High[k])
		}
		a.Apply(v, newest[:n])
		action, newest = action[n:], newest[n:]
	}
}

// Reward implements [sim.Task]. Commands are those that the policy saw.
func (t *DescribedTask) Reward(w *sim.World) (reward float64, terminated bool) {
	v := t.begin(w, terms.RewardPhase)
	t.plan.Step(v)
	rule := -1 // the first that terminates, else the first that truncates
	for i, e := range t.terminations {
		switch {
		case !e.ends.Current(v.RunStep())(v):
			continue
		case e.truncate:
			w.Truncate()
		case !terminated:
			terminated, rule = true, i
		}
		if rule < 0 {
			rule = i
		}
	}
	if rule >= 0 {
		w.EndBy(rule)
	}
	if terminated {
		t.plan.Terminate(v)
	}
	dt := 1.0
	if t.byTime {
		dt = w.ControlSeconds()
	}
	info := w.Info()
	for i, value := range t.infos {
		info[i] = value(v)
	}
	info = info[len(t.infos):]
	for i, r := range t.rewards {
		info[i] = 0
		if weight := r.Weight.Current(v.RunStep()); weight != 0 {
			info[i] = float64(weight * r.Value.Current(v.RunStep())(v) * dt)
			reward += info[i]
		}
	}
	next := len(t.rewards)
	for _, command := range t.commandInfos {
		next += copy(info[next:], v.Values(command))
	}
	return reward, terminated
}

// Observe changes the commands that are due, and then observes.
func (t *DescribedTask) Observe(w *sim.World, dst []float64) {
	if len(t.commands) > 0 {
		v := t.begin(w, terms.CommandPhase)
		for _, c := range t.commands {
			c.Observe(v)
		}
	}
	v := t.begin(w, terms.ObservePhase)
	for _, o := range t.observations {
		n := len(o.Names)
		o.Read(v, dst[:n])
		dst = dst[n:]
	}
}

// Identity lists what the task depends on besides its settings: a line for each motion, with a digest of it.
func (t *DescribedTask) Identity() []string { return t.identity }

func (t *DescribedTask) addCommand(c *terms.Command) {
	t.commands = append(t.commands, c)
	if c.Bounds != nil {
		t.settable = append(t.settable, c)
	}
}

// Commands implements [sim.CommandTask].
func (t *DescribedTask) Commands() []sim.CommandSpec {
	specs := make([]sim.CommandSpec, len(t.settable))
	for i, c := range t.settable {
		low, high := c.Bounds()
		specs[i] = sim.CommandSpec{Name: c.Name, ValueNames: c.Names, Low: low, High: high}
	}
	return specs
}

// SetCommand implements [sim.CommandTask].
func (t *DescribedTask) SetCommand(w *sim.World, command int, values []float64) {
	t.settable[command].Set(t.begin(w, terms.CommandPhase), values)
}
