package terms

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// quantity is a named vector that is computed as a phase begins, if something in that
// phase asked for it.
type quantity struct {
	name string
	size int    // 0: a number; n: a vector
	unit string // as in package expression
	bool bool
	doc  string // for the page; "" if it stands for many that are alike

	public bool // expressions may name it
	early  bool // may be computed at reset: it depends on nothing but the state row and memory
	bind   func(b *Binder) func(v *View, dst []float64)

	bound   bool
	place   Handle
	needs   []int // quantities that must be computed before it
	compute func(v *View, dst []float64)
}

// Quantity returns the place of a quantity by its name, such as "base_lin_vel". It is up
// to date in the phase that is bound. An unknown name, or a quantity of the base of a
// robot that has none, is an error.
func (b *Binder) Quantity(name string) Handle {
	i, ok := b.index[name]
	if !ok {
		b.Fail("", ": %s", b.unknown(name))
		return b.nothing(7)
	}
	return b.use(i)
}

// unknown says why there is no quantity of a name.
func (b *Binder) unknown(name string) string {
	if slices.Contains(baseNames, name) {
		return name + " needs a base that moves freely, and the robot has no free joint"
	}
	var names []string
	for _, q := range b.quantities {
		if q.public {
			names = append(names, q.name)
		}
	}
	return fmt.Sprintf("no quantity %q; did you mean %s?", name, spell.Nearest(name, names))
}

// use makes the phase compute quantity i, after those that it needs.
func (b *Binder) use(i int) Handle {
	b.resolve(i)
	b.plan(i)
	return b.quantities[i].place
}

// resolve binds quantity i, once.
func (b *Binder) resolve(i int) {
	if b.quantities[i].bound {
		return
	}
	size := int32(max(b.quantities[i].size, 1))
	b.quantities[i].bound, b.quantities[i].place = true, Handle{b.size, size}
	b.size += size
	var outer []int
	outer, b.needing = b.needing, nil
	compute := b.quantities[i].bind(b) // may append to b.quantities
	b.quantities[i].compute, b.quantities[i].needs = compute, b.needing
	b.needing = outer
}

// needs is called while a quantity is bound: it returns the place of another one, which
// is computed before it.
func (b *Binder) needs(name string) Handle {
	i := b.index[name]
	b.resolve(i)
	b.needing = append(b.needing, i)
	return b.quantities[i].place
}

// plan adds quantity i to those that the phase computes.
func (b *Binder) plan(i int) {
	if slices.Contains(b.plans[b.phase], i) {
		return
	}
	q := &b.quantities[i]
	for _, n := range q.needs {
		b.plan(n)
	}
	if b.phase == AtReset && !q.early {
		b.Fail("", ": %s is not known when an episode is reset, before physics has seen its state", q.name)
	}
	b.plans[b.phase] = append(b.plans[b.phase], i)
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

// probed is a quantity that is a probe.
func (b *Binder) probed(name, source string, size int, unit string) quantity {
	return quantity{name: name, size: size, unit: unit, bind: func(b *Binder) func(*View, []float64) {
		number := b.probeNumber(source)
		return func(v *View, dst []float64) {
			values, _ := v.Probe(number)
			copy(dst, values)
		}
	}}
}

// probeNumber returns the number of a probe in World.Probe.
func (b *Binder) probeNumber(source string) int {
	number := slices.Index(b.probes, source)
	if number < 0 {
		number = len(b.probes)
		b.probes = append(b.probes, source)
	}
	return number
}

// gathered returns a quantity that gathers parts of the state row.
func gathered(name, unit string, parts []physics.Span) quantity {
	var at []int
	for _, p := range parts {
		for i := range p.Len {
			at = append(at, p.Offset+i)
		}
	}
	return quantity{name: name, size: len(at), unit: unit, early: true, bind: func(*Binder) func(*View, []float64) {
		if n := len(at); n > 0 && at[n-1] == at[0]+n-1 && slices.IsSorted(at) {
			return func(v *View, dst []float64) { copy(dst, v.State()[at[0]:]) }
		}
		return func(v *View, dst []float64) {
			state := v.State()
			for i, k := range at {
				dst[i] = state[k]
			}
		}
	}}
}

// numbers writes a list of numbers, for the name of a quantity.
func numbers(list []int) string {
	return strings.Trim(fmt.Sprint(list), "[]")
}

// JointPos returns the positions of joints, rad or m.
func (b *Binder) JointPos(joints []int) Handle {
	return b.use(b.add(gathered("joint_pos of "+numbers(joints), "", b.spansOf(joints, false))))
}

// JointVel returns the velocities of joints, rad/s or m/s.
func (b *Binder) JointVel(joints []int) Handle {
	return b.use(b.add(gathered("joint_vel of "+numbers(joints), "", b.spansOf(joints, true))))
}

// JointTorque returns the torques of the actuators at joints, N·m or N, of the newest
// substep.
func (b *Binder) JointTorque(joints []int) Handle { return b.forces("torque", joints) }

// JointAcc returns the accelerations of joints, rad/s² or m/s², of the newest substep.
func (b *Binder) JointAcc(joints []int) Handle { return b.forces("acc", joints) }

// forces returns a vector of one value for each joint that only probes know.
func (b *Binder) forces(what string, joints []int) Handle {
	return b.use(b.add(jointForces(what+" of "+numbers(joints), what, joints)))
}

func jointForces(name, what string, joints []int) quantity {
	return quantity{name: name, size: len(joints), bind: func(b *Binder) func(*View, []float64) {
		if what == "torque" {
			var parts []Handle
			for _, j := range joints {
				source := "joint/" + b.Robot.Joints[j].Name + "/torque"
				b.add(b.probed("probe "+source, source, 1, ""))
				parts = append(parts, b.needs("probe "+source))
			}
			return func(v *View, dst []float64) {
				for i, p := range parts {
					dst[i] = v.Scalar(p)
				}
			}
		}
		velocities, err := b.Robot.Model.Field("qvel")
		if err != nil {
			b.Fail("", ": %w", err)
			return nil
		}
		b.add(b.probed("probe qacc", "qacc", velocities.Len, ""))
		all := b.needs("probe qacc")
		var at []int
		for _, j := range joints {
			at = append(at, b.Robot.Joints[j].Velocity.Offset-velocities.Offset)
		}
		return func(v *View, dst []float64) {
			acc := v.At(all)
			for i, k := range at {
				dst[i] = acc[k]
			}
		}
	}}
}

// Start returns the start positions of joints.
func (b *Binder) Start(joints []int) []float64 {
	var list []float64
	for _, j := range joints {
		list = append(list, b.Robot.Start[b.Robot.Joints[j].Position.Offset])
	}
	return list
}

// spansOf returns the parts of the state row that hold the positions or velocities of
// joints.
func (b *Binder) spansOf(joints []int, velocity bool) []physics.Span {
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

// baseNames are the quantities of a base with a free joint.
var baseNames = []string{"base_pos", "base_quat", "base_lin_vel", "base_lin_vel_yaw", "base_ang_vel", "projected_gravity", "base_height", "heading"}

// normalized returns a quaternion of length 1; that of no rotation for one of length 0.
func normalized(q []float64) [4]float64 {
	s := float64(q[0]*q[0]) + float64(q[1]*q[1]) + float64(q[2]*q[2]) + float64(q[3]*q[3])
	if s == 1 {
		return [4]float64{q[0], q[1], q[2], q[3]}
	}
	if s == 0 {
		return [4]float64{1}
	}
	n := 1 / math.Sqrt(s)
	return [4]float64{q[0] * n, q[1] * n, q[2] * n, q[3] * n}
}
