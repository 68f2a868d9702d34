package terms

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// quantity is a named vector that is computed as a phase begins, if something in that phase asked for it.
type quantity struct {
	name string
	size int    // 0: a number; n: a vector
	unit string // unit of its values, such as "m/s²"; for docs/reference/terms/quantities.md
	bool bool
	doc  string // for the page; "" if it stands for many that are alike

	public bool    // expressions may name it
	owner  *entity // whose base it is one of; nil if of none
	early  bool    // may be computed at reset: it depends on nothing but the state row and memory

	compute func(v *View, dst []float64)
	bind    func(b *Binder) func(v *View, dst []float64) // makes compute when it is first used; may be nil

	place Handle // its place in views; of size 0 until it is used
}

// Quantity returns the place of a quantity by its name, such as "base_lin_vel". It is up to date in the phase that is
// bound. An unknown name, or a quantity of the base of a robot that has none, is an error.
func (b *Binder) Quantity(name string) Handle {
	i, ok := b.index[name]
	if ok && b.quantities[i].owner == &b.entities[0] { // a quantity of the robot's base may stand for that of another entity
		i, ok = b.index[b.subject().quantity(name)]
	}
	if !ok {
		b.Fail("", ": no quantity %q%s", name, spell.Hint(name, slices.Sorted(maps.Keys(b.index))))
		return b.nothing(7)
	}
	return b.use(i)
}

// use makes the phase compute quantity i.
func (b *Binder) use(i int) Handle {
	q := &b.quantities[i]
	if q.owner != nil && q.owner.base < 0 {
		b.Fail("", ": %s needs a base that moves freely, and %s", q.name, q.owner.noBase())
	}
	if q.place.size == 0 {
		q.place = Handle{int32(b.plan.size), int32(max(q.size, 1))}
		b.plan.size += max(q.size, 1)
		if q.bind != nil {
			q.compute = q.bind(b)
		}
	}
	if !slices.Contains(b.needed[b.phase], i) {
		if b.phase == ResetPhase && !q.early {
			b.Fail("", ": %s is not known when an episode is reset, before physics has seen its state", q.name)
		}
		b.needed[b.phase] = append(b.needed[b.phase], i)
	}
	return q.place
}

// add defines a quantity, unless there is one of that name.
func (b *Binder) add(q quantity) int {
	if i, ok := b.index[q.name]; ok {
		return i
	}
	b.index[q.name] = len(b.quantities)
	b.quantities = append(b.quantities, q)
	return len(b.quantities) - 1
}

// probeQuantity is a quantity that is computed from probes; with a nil function, it is the probe.
func probeQuantity(name string, size int, unit string, sources []string, compute func(*View, []int, []float64)) quantity {
	if compute == nil {
		compute = func(v *View, probes []int, dst []float64) { copy(dst, v.probe(probes[0])) }
	}
	return quantity{name: name, size: size, unit: unit, bind: func(b *Binder) func(*View, []float64) {
		var probes []int
		for _, source := range sources {
			probes = append(probes, b.probeNumber(source))
		}
		return func(v *View, dst []float64) { compute(v, probes, dst) }
	}}
}

// probeValues returns the place of the values of a probe that no expression can name.
func (b *Binder) probeValues(source string, size int) Handle {
	return b.use(b.add(probeQuantity(source, size, "", []string{source}, nil)))
}

// probeNumber returns the number of a probe in World.Probe.
func (b *Binder) probeNumber(source string) int {
	number := slices.Index(b.Probes, source)
	if number < 0 {
		number = len(b.Probes)
		b.Probes = append(b.Probes, source)
	}
	return number
}

// stateQuantity returns a quantity that gathers parts of the state row.
func stateQuantity(name, doc string, parts ...physics.Span) quantity {
	var index []int
	for _, p := range parts {
		for i := range p.Len {
			index = append(index, p.Offset+i)
		}
	}
	return quantity{name: name, doc: doc, size: len(index), early: true, compute: func(v *View, dst []float64) {
		state := v.State()
		for i, k := range index {
			dst[i] = state[k]
		}
	}}
}

// JointValues returns a quantity of joints: "joint_pos" in rad or m, "joint_pos_rel", which is that less the position in
// the start pose, "joint_vel" in rad/s or m/s and, of the newest substep, "joint_acc" in rad/s² or m/s² and
// "joint_torque" of their actuators in N·m or N.
func (b *Binder) JointValues(what string, joints []int) Handle {
	return b.use(b.add(b.jointQuantity(what, fmt.Sprint(what, " of ", joints), "", joints)))
}

func (b *Binder) jointQuantity(what, name, doc string, joints []int) (q quantity) {
	switch what {
	case "joint_acc":
		velocities, _ := b.Robot.Model.Field("qvel") // a model without one has no qacc
		q = probeQuantity(name, len(joints), "", []string{"qacc"}, func(v *View, probes []int, dst []float64) {
			acc := v.probe(probes[0])
			for i, j := range joints {
				dst[i] = acc[b.Robot.Joints[j].Velocity.Offset-velocities.Offset]
			}
		})
	case "joint_torque":
		sources := labels("joint/", b.jointNames(joints), "/torque")
		q = probeQuantity(name, len(joints), "", sources, func(v *View, probes []int, dst []float64) {
			for i, n := range probes {
				dst[i] = v.probe(n)[0]
			}
		})
	case "joint_pos_rel":
		positions := b.jointSpans(joints, false)
		q = quantity{name: name, size: len(joints), early: true, bind: func(b *Binder) func(*View, []float64) {
			start := b.Start(joints) // not known when quantities are defined
			return func(v *View, dst []float64) {
				for i, p := range positions {
					dst[i] = v.State()[p.Offset] - start[i]
				}
			}
		}}
	default:
		q = stateQuantity(name, "", b.jointSpans(joints, what == "joint_vel")...)
	}
	q.doc = doc
	return q
}

// Start returns the start positions of joints.
func (b *Binder) Start(joints []int) []float64 {
	var list []float64
	for _, j := range joints {
		list = append(list, b.Robot.Start[b.Robot.Joints[j].Position.Offset])
	}
	return list
}

// jointSpans returns the parts of the state row that hold the positions or velocities of joints.
func (b *Binder) jointSpans(joints []int, velocity bool) []physics.Span {
	var parts []physics.Span
	for _, j := range joints {
		if velocity {
			parts = append(parts, b.Robot.Joints[j].Velocity)
		} else {
			parts = append(parts, b.Robot.Joints[j].Position)
		}
	}
	return parts
}
