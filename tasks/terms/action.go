package terms

import (
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Action is a bound action term: a part of the action vector.
type Action struct {
	Names     []string  // of its values
	Low, High []float64 // bounds of its values; values beyond are clipped before Apply

	// Apply puts the values in force by writing v.Control().
	Apply func(v *View, action []float64)
}

// ActionKeys are the keys of each entry of actions.
type ActionKeys struct {
	// Joints are patterns of the names of actuated joints; all if not given.
	Joints Patterns `yaml:"joints"`
	// Clip holds the bounds of each value of the action. Values beyond are clipped.
	Clip Range `yaml:"clip"`
	// Scale is the change of the target for an action of 1.
	Scale PerJoint `yaml:"scale"`
	// Offset is added to the target.
	Offset PerJoint `yaml:"offset"`
	// Limits are the lowest and the highest target. If they are not given, targets of positions have the range of the
	// joint. The range of the actuator's control, divided by its gear, always holds.
	Limits *Range `yaml:"limits"`
	// Filter smooths the targets.
	Filter filterParameters `yaml:"filter"`
	// Delay is the number of control steps for which a target waits before it is in
	// force, or a lowest and a highest number, of which each episode draws one.
	Delay Delay `yaml:"delay"`
}

type filterParameters struct {
	// Cutoff is the frequency in Hz at which a low-pass filter of the first order halves
	// the power: the coefficient is then 1 - exp(-2π cutoff dt). 0: no filter.
	Cutoff float64 `yaml:"cutoff" want:"0..1e6"`
	// Coefficient is the part of the way to the new target that each control step goes, in place of a cutoff.
	Coefficient float64 `yaml:"coefficient" want:"0..1"`
}

func (p *ActionKeys) checkKeys(c *bounds.Check) {
	if p.Clip[0] == p.Clip[1] {
		c.Fail("clip is [%v, %v], want the lower first", p.Clip[0], p.Clip[1])
	}
	if p.Filter.Cutoff > 0 && p.Filter.Coefficient > 0 {
		c.Fail("filter has a cutoff and a coefficient, want one of them")
	}
}

type jointPositionParameters struct {
	// DefaultOffset adds the position of the start pose to the target.
	DefaultOffset bool `yaml:"default_offset"`
	// Command is the name of a motion command, whose positions are added to the target in place of the start pose.
	Command string `yaml:"command"`
	// Reference is an expression whose values, one for each joint, are added to the target: the gait of a generator of
	// trajectories, say, which the action then modulates.
	Reference string `yaml:"reference"`
}

// jointPosition sets the target positions of position actuators:
//
//	target = start + reference + offset + scale·a
//
// a is the action, clipped; start is the position of the joint in the start pose, if default_offset is true. The
// target is then kept within the limits, passes the filter and waits for the delay.
//
// Unit rad or m at the joint: the control is the gear of the actuator times the target, here and wherever targets are
// positions or velocities. If an event gives the encoders a bias, it is subtracted from the target,
// because a robot regulates what it measures. mjlab does the same; Isaac Lab has no such
// bias. Neither has command, with which an action of 0 follows a motion, nor reference (Iscen et al. 2018, "Policies
// Modulating Trajectory Generators"). In both peers clip bounds the target, not the action, and the range of the
// joint does not bound the target. Here it does, if the model has one and limits gives no other.
func jointPosition(b *Binder, p *jointPositionParameters) *Action {
	t := newTargets(b, PositionActuator)
	var added func(v *View, dst []float64)
	switch n := len(t.joints); {
	case p.Command != "" && p.Reference != "":
		b.Fail("reference", "is given beside command, want one of them")
	case p.Command != "":
		added = copyOf(b.motionJoints(p.Command, t.joints))
	case p.Reference != "":
		e := b.formula("reference", p.Reference)
		if e.Size != n || e.Bool {
			b.Fail("reference", ": its value is %s, want a list of %d numbers, one for each joint", e, n)
		}
		added = func(v *View, dst []float64) { e.vector(v, dst, v.scratch[n:]) }
		b.plan.scratch = max(b.plan.scratch, n+e.Scratch)
	}
	if p.Command == "" && p.DefaultOffset {
		for i, start := range b.Start(t.joints) {
			t.offset[i] += start
		}
	}
	t.bias = b.biasOf(t.joints)
	return t.action(added)
}

// relativeJointPosition sets the target positions of position actuators relative to where
// the joints are at the start of the control step:
//
//	target = position + offset + scale·a
//
// Unit rad or m. Both peers add the position of the joint anew at each physics step, so
// their target moves within a control step. Here it does not. mjlab takes no offset.
func relativeJointPosition(b *Binder, _ *struct{}) *Action {
	t := newTargets(b, PositionActuator)
	return t.action(copyOf(b.OfJoints("joint_pos", t.joints)))
}

// copyOf returns a function that copies a quantity.
func copyOf(h Handle) func(v *View, dst []float64) {
	return func(v *View, dst []float64) { copy(dst, v.At(h)) }
}

// jointVelocity sets the target velocities of velocity actuators:
//
//	target = offset + scale·a
//
// Unit rad/s or m/s. The limits are those given, since models have no range of velocity.
func jointVelocity(b *Binder, _ *struct{}) *Action {
	return newTargets(b, VelocityActuator).action(nil)
}

// jointEffort sets the control of actuators that exert a torque or a force:
//
//	control = offset + scale·a
//
// Unit N·m or N for an actuator with a gear of 1; the torque at the joint is the gear times the control.
func jointEffort(b *Binder, _ *struct{}) *Action {
	return newTargets(b, EffortActuator).action(nil)
}

type actuatorControlParameters struct {
	// Actuators are patterns of the names of actuators of any kind; the keys of scale and
	// offset are patterns of these names, too.
	Actuators Patterns `yaml:"actuators"`
}

// actuatorControl sets the control of actuators that the terms above do not take: those of
// tendons, muscles, sites and so on, and those of another kind:
//
//	control = offset + scale·a
//
// Unit that of the actuator's control: m or rad for a servo of a tendon, a share of the excitation for a muscle.
// For tendons, sites and muscles there are terms of their own, see tendon_length, site_effort and muscle_excitation.
func actuatorControl(b *Binder, p *actuatorControlParameters) *Action {
	t := &targets{b: b, ActionKeys: b.entry.Common.(*ActionKeys), kind: "actuator"}
	if t.Joints != nil {
		b.Fail("joints", "is given, want actuators")
	}
	all := b.Robot.Actuators
	index, names := b.Select("actuators", "actuator", p.Actuators)
	for n, i := range index {
		t.names = append(t.names, names[n])
		t.drive(&all[i], OtherActuator, math.Inf(-1), math.Inf(1))
	}
	t.shape()
	return t.action(nil)
}

// targets turns the values of an action into the control of actuators.
type targets struct {
	*ActionKeys
	b      *Binder
	joints []int  // none for actuators of any kind
	kind   string // "joint" or "actuator": what the names are of
	names  []string

	control       []int     // index of each value in the control
	gear          []float64 // factor from each target to the control
	scale, offset []float64
	low, high     []float64 // limits of the targets
	rest          []float64 // targets before the first one is in force
	bias          func(v *View, i int) float64

	filtered Slot
	delay    delayed
}

// newTargets resolves the parameters that the terms of joints have.
func newTargets(b *Binder, kind ActuatorKind) *targets {
	t := &targets{b: b, ActionKeys: b.entry.Common.(*ActionKeys), kind: "joint"}
	t.joints = b.Actuated("joints", t.Joints)
	for _, j := range t.joints {
		joint, motor := &b.Robot.Joints[j], b.Motor("joints", j, kind)
		low, high := math.Inf(-1), math.Inf(1)
		if kind == PositionActuator {
			low, high = joint.Low, joint.High
		}
		t.names = append(t.names, joint.Name)
		t.drive(motor, kind, low, high)
	}
	t.shape()
	if kind == PositionActuator {
		t.rest = b.Start(t.joints)
	}
	return t
}

// drive adds an actuator, for the newest name, whose targets are from low to high unless the parameters give limits.
// They are positions or velocities of what the actuator acts on if that is its kind, else its control.
func (t *targets) drive(motor *Actuator, kind ActuatorKind, low, high float64) {
	b, name := t.b, t.kind+" "+t.names[len(t.names)-1]
	if t.Limits != nil {
		low, high = t.Limits[0], t.Limits[1]
	}
	if other, ok := b.driven[motor.Control]; ok && b.err == nil {
		b.Fail(t.kind+"s", ": %s drives %s already", other, name)
	}
	b.driven[motor.Control] = b.entry.Key
	gear, least, most := 1.0, motor.Low, motor.High
	if kind == PositionActuator || kind == VelocityActuator {
		if gear = motor.Gear; gear == 0 {
			b.Fail(t.kind+"s", ": actuator %s of %s has a gear of 0, want one that moves it", motor.Name, name)
		}
		least, most = min(motor.Low/gear, motor.High/gear), max(motor.Low/gear, motor.High/gear)
	}
	low, high = max(low, least), min(high, most)
	if low > high {
		b.Fail("limits", ": no target of %s is within them and within [%v, %v], the range of actuator %s", name, least, most,
			motor.Name)
	}
	t.low, t.high, t.control = append(t.low, low), append(t.high, high), append(t.control, motor.Control)
	t.gear = append(t.gear, gear)
}

// shape resolves how values become targets, once all actuators are known.
func (t *targets) shape() {
	b, n := t.b, len(t.names)
	t.scale, t.offset = b.perName("scale", t.Scale, t.kind, t.names, 1), b.perName("offset", t.Offset, t.kind, t.names, 0)
	t.rest = make([]float64, n)
	if t.joints == nil {
		copy(t.rest, t.offset)
	}
	if t.Filter != (filterParameters{}) {
		t.filtered = b.Memory(n + 1)
	}
	t.delay = newDelayed(b, t.Delay, n, 1)
}

// action returns the bound term. added, unless it is nil, writes what is added to the targets.
func (t *targets) action(added func(v *View, dst []float64)) *Action {
	return t.driven(t.names, func(v *View, action, out []float64) {
		if added != nil {
			added(v, out)
		}
		for i, x := range action {
			target := t.offset[i] + float64(t.scale[i]*x)
			if added != nil {
				target += out[i]
			}
			out[i] = target
		}
	})
}

// driven returns the bound term whose values a function turns into targets, which are then kept within their limits.
func (t *targets) driven(names []string, write func(v *View, action, out []float64)) *Action {
	n := len(names)
	a := &Action{Names: names, Low: slices.Repeat(t.Clip[:1], n), High: slices.Repeat(t.Clip[1:], n)}
	a.Apply = func(v *View, action []float64) {
		control, out := v.Control(), v.scratch[:len(t.control)]
		write(v, action, out)
		for i, target := range out {
			out[i] = min(max(target, t.low[i]), t.high[i])
		}
		if t.filtered.size > 0 {
			t.filter(v, out)
		}
		if t.delay.most > 0 {
			if t.delay.push(v, out); !t.delay.read(v, out, 0) {
				copy(out, t.rest)
			}
		}
		for i, x := range out {
			if t.bias != nil {
				x -= t.bias(v, i)
			}
			control[t.control[i]] = t.gear[i] * x
		}
	}
	t.b.plan.scratch = max(t.b.plan.scratch, len(t.control))
	return a
}

// filter moves the filtered targets towards new ones. It starts from those at rest.
func (t *targets) filter(v *View, targets []float64) {
	kept := v.Kept(t.filtered)
	begun, state := &kept[0], kept[1:]
	if *begun == 0 {
		*begun = 1
		for i := range state {
			state[i] = min(max(t.rest[i], t.low[i]), t.high[i])
		}
	}
	coefficient := t.Filter.Coefficient
	if t.Filter.Cutoff > 0 {
		coefficient = 1 - math.Exp(-2*math.Pi*t.Filter.Cutoff*v.ControlSeconds())
	}
	for i, x := range targets {
		state[i] += float64(coefficient * (x - state[i]))
		targets[i] = state[i]
	}
}

// EncoderBias returns the slot of the bias of the actuated joints' encoders, in the order
// of the model: what they measure less what is true, rad or m. An event draws it; it is
// part of what joint_pos_rel observes and joint_position regulates.
func (b *Binder) EncoderBias() Slot {
	if b.bias == nil {
		s := b.Memory(len(b.actuated))
		b.bias = &s
	}
	return *b.bias
}

// biasOf returns the bias of the encoder of each of a list of joints; nil if there is
// none. Events must be bound before it is called.
func (b *Binder) biasOf(joints []int) func(v *View, i int) float64 {
	if b.bias == nil {
		return nil
	}
	slot, at := *b.bias, make([]int, len(joints))
	for i, j := range joints {
		at[i] = slices.Index(b.actuated, j)
	}
	return func(v *View, i int) float64 {
		if at[i] < 0 {
			return 0
		}
		return v.Kept(slot)[at[i]]
	}
}

// Delay is a number of control steps, or a list of the lowest and the highest number.
type Delay struct{ Low, High int }

// maxDelay is the longest delay, in control steps.
const maxDelay = 1000

// FromYAML implements [decode.Value].
func (d *Delay) FromYAML(_ string, value any) (want string, err error) {
	ends, ok := value.([]any)
	if !ok {
		ends = []any{value, value}
	}
	if len(ends) == 2 {
		low, ok1 := ends[0].(int)
		high, ok2 := ends[1].(int)
		if ok1 && ok2 && low >= 0 && low <= high && high <= maxDelay {
			*d = Delay{low, high}
			return "", nil
		}
	}
	return "a number of control steps from 0 to 1000, or a list of the lowest and the highest", nil
}

// delayed keeps the latest vectors of a kind in the memory of a world.
type delayed struct {
	size, cap int // values of a vector, and vectors kept
	most      int // longest delay
	count     Slot
	lag       Slot
	ring      Slot
}

// newDelayed returns memory for vectors of n values with a delay, of which history are
// read at once. The delay of an episode is drawn as it begins.
func newDelayed(b *Binder, d Delay, n, history int) delayed {
	r := delayed{size: n, cap: d.High + history, most: d.High}
	if r.cap == 1 {
		return r
	}
	r.count, r.lag, r.ring = b.Memory(1), b.Memory(1), b.Memory(n*r.cap)
	key := b.Key() + 1
	if d.High > 0 {
		b.OnReset(func(v *View) {
			lag := d.Low
			if d.High > d.Low {
				lag += v.Draw(key).IntN(d.High - d.Low + 1)
			}
			v.Kept(r.lag)[0] = float64(lag)
		})
	}
	return r
}

// push adds a vector.
func (r *delayed) push(v *View, vector []float64) {
	count := &v.Kept(r.count)[0]
	copy(v.Kept(r.ring)[int(*count)%r.cap*r.size:], vector)
	*count++
}

// read writes to dst the vector that is back vectors before the one that the delay lets
// through. If there is none yet, it writes the first and returns false.
func (r *delayed) read(v *View, dst []float64, back int) bool {
	at := int(v.Kept(r.count)[0]) - 1 - int(v.Kept(r.lag)[0]) - back
	from := max(at, 0) % r.cap * r.size
	copy(dst, v.Kept(r.ring)[from:from+r.size])
	return at >= 0
}
