package terms

import (
	"math"
	"slices"
)

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
	delay    delayLine
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
	if other, ok := b.drivers[motor.Control]; ok && b.err == nil {
		b.Fail(t.kind+"s", ": %s drives %s already", other, name)
	}
	b.drivers[motor.Control] = b.entry.Key
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
	t.delay = newDelayLine(b, t.Delay, n, 1)
}

// action returns the bound term. added, unless it is nil, writes what is added to the targets.
func (t *targets) action(addend func(v *View, dst []float64)) *Action {
	return t.bind(t.names, func(v *View, action, out []float64) {
		if addend != nil {
			addend(v, out)
		}
		for i, x := range action {
			target := t.offset[i] + float64(t.scale[i]*x)
			if addend != nil {
				target += out[i]
			}
			out[i] = target
		}
	})
}

// bind returns the bound term whose values a function turns into targets, which are then kept within their limits.
func (t *targets) bind(names []string, write func(v *View, action, out []float64)) *Action {
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
	kept := v.Slot(t.filtered)
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

// encoderBiases returns the bias of the encoder of each of a list of joints; nil if there is
// none. Events must be bound before it is called.
func (b *Binder) encoderBiases(joints []int) func(v *View, i int) float64 {
	if b.bias == nil {
		return nil
	}
	slot, index := *b.bias, make([]int, len(joints))
	for i, j := range joints {
		index[i] = slices.Index(b.actuated, j)
	}
	return func(v *View, i int) float64 {
		if index[i] < 0 {
			return 0
		}
		return v.Slot(slot)[index[i]]
	}
}

// copyQuantity returns a function that copies a quantity.
func copyQuantity(h Handle) func(v *View, dst []float64) {
	return func(v *View, dst []float64) { copy(dst, v.Values(h)) }
}
