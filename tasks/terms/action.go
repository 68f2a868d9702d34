package terms

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

// Action is a bound action term: a part of the action vector.
type Action struct {
	Names     []string  // of its values
	Low, High []float64 // bounds of its values; values beyond are clipped before Apply

	// Apply puts the values in force by writing v.Control().
	Apply func(v *View, action []float64)
}

func actionTerms() []Term {
	return []Term{
		action("joint_position", jointPosition, jointPositionParameters{DefaultOffset: true}),
		action("relative_joint_position", relativeJointPosition, struct{}{}),
		action("joint_velocity", jointVelocity, struct{}{}),
		action("joint_effort", jointEffort, struct{}{}),
	}
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
	// Limits are the lowest and the highest target. If they are not given, targets of
	// positions have the range of the joint. The range of the actuator's control always
	// holds.
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
	Cutoff float64 `yaml:"cutoff"`
	// Coefficient is the part of the way to the new target that each control step goes,
	// in place of a cutoff.
	Coefficient float64 `yaml:"coefficient"`
}

// Check implements the check of parameters.
func (p *ActionKeys) Check(c *bounds.Check) {
	p.Clip.check(c, "clip")
	if p.Clip[0] == p.Clip[1] {
		c.Fail("clip is [%v, %v], want the lower first", p.Clip[0], p.Clip[1])
	}
	if p.Limits != nil {
		p.Limits.check(c, "limits")
	}
	c.Number("filter.cutoff", p.Filter.Cutoff, 0, 1e6)
	c.Number("filter.coefficient", p.Filter.Coefficient, 0, 1)
	if p.Filter.Cutoff > 0 && p.Filter.Coefficient > 0 {
		c.Fail("filter has a cutoff and a coefficient, want one of them")
	}
}

type jointPositionParameters struct {
	// DefaultOffset adds the position of the start pose to the target.
	DefaultOffset bool `yaml:"default_offset"`
}

// jointPosition sets the target positions of position actuators:
//
//	target = start + offset + scale·a
//
// a is the action, clipped; start is the position of the joint in the start pose, if
// default_offset is true. The target is then kept within the limits, passes the filter and
// waits for the delay.
//
// Unit rad or m. If an event gives the encoders a bias, it is taken off the target, as a
// robot that regulates what it measures does; mjlab does so too, Isaac Lab has no such
// bias. In both peers clip bounds the target, not the action, and the range of the joint
// does not bound it; here the range of the joint does, if the model has one and limits
// gives no other.
func jointPosition(b *Binder, k *ActionKeys, p *jointPositionParameters) *Action {
	t := newTargets(b, k, PositionActuator)
	if p.DefaultOffset {
		for i, start := range b.Start(t.joints) {
			t.offset[i] += start
		}
	}
	t.bias = b.biasOf(t.joints)
	for i, start := range b.Start(t.joints) {
		t.rest[i] = start
	}
	return t.action(nil)
}

// relativeJointPosition sets the target positions of position actuators relative to where
// the joints are at the start of the control step:
//
//	target = position + offset + scale·a
//
// Unit rad or m. Isaac Lab adds the position of the joint at each physics step anew, so
// its target moves on within a control step; ours does not. mjlab has no such term.
func relativeJointPosition(b *Binder, k *ActionKeys, _ *struct{}) *Action {
	t := newTargets(b, k, PositionActuator)
	for i, start := range b.Start(t.joints) {
		t.rest[i] = start
	}
	position := b.JointPos(t.joints)
	return t.action(&position)
}

// jointVelocity sets the target velocities of velocity actuators:
//
//	target = offset + scale·a
//
// Unit rad/s or m/s. The limits are those given, since models have no range of velocity.
func jointVelocity(b *Binder, k *ActionKeys, _ *struct{}) *Action {
	return newTargets(b, k, VelocityActuator).action(nil)
}

// jointEffort sets the control of actuators that exert a torque or a force:
//
//	control = offset + scale·a
//
// Unit N·m or N for an actuator with a gear of 1; the torque at the joint is the gear times
// the control.
func jointEffort(b *Binder, k *ActionKeys, _ *struct{}) *Action {
	return newTargets(b, k, EffortActuator).action(nil)
}

// targets turns the values of an action into the control of actuators.
type targets struct {
	b      *Binder
	joints []int
	names  []string
	clip   Range

	control       []int // index of each value in the control
	scale, offset []float64
	low, high     []float64 // limits of the targets
	rest          []float64 // control before the first target is in force
	bias          func(v *View, i int) float64

	coefficient float64 // of the filter; 0: none
	cutoff      float64 // Hz; 0: the coefficient is given
	step        float64 // s, length of a control step, for which the coefficient is
	filtered    Slot
	delay       delayed
}

// newTargets resolves the parameters that all action terms have.
func newTargets(b *Binder, p *ActionKeys, kind ActuatorKind) *targets {
	t := &targets{b: b, clip: p.Clip, joints: b.Actuated("joints", p.Joints)}
	n := len(t.joints)
	t.scale, t.offset = b.PerJoint("scale", p.Scale, t.joints, 1), b.PerJoint("offset", p.Offset, t.joints, 0)
	t.rest = make([]float64, n)
	for _, j := range t.joints {
		joint, motor := &b.Robot.Joints[j], b.Motor("joints", j, kind)
		low, high := math.Inf(-1), math.Inf(1)
		if kind == PositionActuator {
			low, high = joint.Low, joint.High
		}
		if p.Limits != nil {
			low, high = p.Limits[0], p.Limits[1]
		}
		if other, ok := b.driven[motor.Control]; ok && b.err == nil {
			b.Fail("joints", ": %s drives joint %s already", other, joint.Name)
		}
		b.driven[motor.Control] = b.at
		low, high = max(low, motor.Low), min(high, motor.High)
		if low > high {
			b.Fail("limits", ": no target of joint %s is within them and within [%v, %v], the range of actuator %s", joint.Name, motor.Low, motor.High, motor.Name)
		}
		t.low, t.high = append(t.low, low), append(t.high, high)
		t.names, t.control = append(t.names, joint.Name), append(t.control, motor.Control)
	}
	t.coefficient = p.Filter.Coefficient
	if p.Filter.Cutoff > 0 {
		t.cutoff, t.step = p.Filter.Cutoff, b.Robot.ControlSeconds
		t.coefficient = smoothing(t.cutoff, t.step)
	}
	if t.coefficient > 0 {
		t.filtered = b.Memory(n + 1)
	}
	t.delay = newDelayed(b, p.Delay, n, 1)
	return t
}

// action returns the bound term; relative is the quantity that is added to the targets.
func (t *targets) action(relative *Handle) *Action {
	a := &Action{Names: t.names}
	for range t.joints {
		a.Low, a.High = append(a.Low, t.clip[0]), append(a.High, t.clip[1])
	}
	a.Apply = func(v *View, action []float64) {
		control, out := v.Control(), v.scratch[:len(action)]
		for i, x := range action {
			target := t.offset[i] + float64(t.scale[i]*x)
			if relative != nil {
				target += v.At(*relative)[i]
			}
			out[i] = min(max(target, t.low[i]), t.high[i])
		}
		if t.coefficient > 0 {
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
			control[t.control[i]] = x
		}
	}
	t.b.scratch = max(t.b.scratch, len(t.joints))
	return a
}

// filter moves the filtered targets towards new ones. It starts from the control at rest.
func (t *targets) filter(v *View, targets []float64) {
	kept := v.Kept(t.filtered)
	begun, state := &kept[0], kept[1:]
	if *begun == 0 {
		*begun = 1
		for i := range state {
			state[i] = min(max(t.rest[i], t.low[i]), t.high[i])
		}
	}
	coefficient := t.coefficient
	if step := v.ControlSeconds(); t.cutoff > 0 && step != t.step { // the clock has changed
		coefficient = smoothing(t.cutoff, step)
	}
	for i, x := range targets {
		state[i] += float64(coefficient * (x - state[i]))
		targets[i] = state[i]
	}
}

// smoothing is the coefficient of a low-pass filter of the first order that halves the
// power at cutoff, in Hz, for steps of some length in s.
func smoothing(cutoff, step float64) float64 { return 1 - math.Exp(-2*math.Pi*cutoff*step) }

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
		at[i] = -1
		for k, a := range b.actuated {
			if a == j {
				at[i] = k
			}
		}
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
func (d *Delay) FromYAML(value any) (want string, err error) {
	ends := []any{value, value}
	if list, ok := value.([]any); ok {
		ends = list
	}
	var n [2]int
	for i, end := range ends {
		v, ok := end.(int)
		if !ok || v < 0 || v > maxDelay || i > 1 {
			return delayWanted, nil
		}
		n[i] = v
	}
	if len(ends) != 2 || n[0] > n[1] {
		return delayWanted, nil
	}
	*d = Delay{n[0], n[1]}
	return "", nil
}

const delayWanted = "a number of control steps from 0 to 1000, or a list of the lowest and the highest"

var _ decode.Value = (*Delay)(nil)

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
