package terms

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// define adds the quantities that every expression may name.
func (b *Binder) define() {
	b.add(quantity{name: "time", unit: "s", early: true, doc: "time since the episode began",
		bind: func(*Binder) func(*View, []float64) {
			return func(v *View, dst []float64) { dst[0] = v.Seconds() }
		}})
	b.add(quantity{name: "episode_step", unit: "1", early: true, doc: "control steps since the episode began",
		bind: func(*Binder) func(*View, []float64) {
			return func(v *View, dst []float64) { dst[0] = float64(v.Steps()) }
		}})
	b.add(quantity{name: "dt", unit: "s", early: true, doc: "length of a control step",
		bind: func(*Binder) func(*View, []float64) {
			return func(v *View, dst []float64) { dst[0] = v.ControlSeconds() }
		}})
	// The task writes it between terminations and rewards.
	b.add(quantity{name: "terminated", unit: "1", bool: true, doc: "whether a termination ends the episode with this control step, truncations apart; false outside rewards",
		bind: func(*Binder) func(*View, []float64) {
			return func(_ *View, dst []float64) { dst[0] = 0 }
		}})
	b.defineBase()
	b.defineJoints()
	b.defineObjects()
	for i := range b.Robot.Sensors.Len() {
		c := b.Robot.Sensors.Info(i)
		b.add(quantity{name: "sensor." + c.Name, size: c.Size, bind: func(*Binder) func(*View, []float64) {
			return func(v *View, dst []float64) { v.Read(dst, i) }
		}})
	}
	for i := range b.quantities {
		b.quantities[i].public = true
	}
}

// defineBase adds the quantities of the body that the free joint moves.
func (b *Binder) defineBase() {
	if b.base < 0 {
		return
	}
	j := &b.Robot.Joints[b.base]
	p, m := j.Position.Offset, j.Velocity.Offset
	add := func(name string, size int, unit, doc string, f func(state, dst []float64)) {
		b.add(quantity{name: name, size: size, unit: unit, doc: doc, early: true,
			bind: func(*Binder) func(*View, []float64) {
				return func(v *View, dst []float64) { f(v.State(), dst) }
			}})
	}
	add("base_pos", 3, "m", "position of the base's frame; world", func(s, dst []float64) { copy(dst, s[p:p+3]) })
	add("base_quat", 4, "1", "orientation of the base in the world, w x y z", func(s, dst []float64) {
		q := normalized(s[p+3 : p+7])
		copy(dst, q[:])
	})
	add("base_lin_vel", 3, "m/s", "velocity of the origin of the base's frame; base", func(s, dst []float64) {
		intoFrame(dst, normalized(s[p+3:p+7]), s[m:m+3])
	})
	add("base_lin_vel_yaw", 3, "m/s", "the same; axes turned with the base about the vertical only", func(s, dst []float64) {
		cos, sin := headingOf(s[p+3 : p+7])
		dst[0] = float64(cos*s[m]) + float64(sin*s[m+1])
		dst[1] = float64(cos*s[m+1]) - float64(sin*s[m])
		dst[2] = s[m+2]
	})
	add("base_ang_vel", 3, "rad/s", "angular velocity of the base; base", func(s, dst []float64) { copy(dst, s[m+3:m+6]) })
	add("projected_gravity", 3, "1", "direction of gravity, -z of the world; base", func(s, dst []float64) {
		up := upOf(normalized(s[p+3 : p+7]))
		for i := range up {
			dst[i] = -up[i]
		}
	})
	add("base_height", 0, "m", "height of the origin of the base's frame; world", func(s, dst []float64) { dst[0] = s[p+2] })
	add("heading", 0, "rad", "angle of the base's x axis about the vertical, -π to π; world", func(s, dst []float64) {
		cos, sin := headingOf(s[p+3 : p+7])
		dst[0] = math.Atan2(sin, cos)
	})
}

// defineJoints adds the quantities of the joints.
func (b *Binder) defineJoints() {
	named := func(q quantity, name, unit, doc string) {
		q.name, q.unit, q.doc = name, unit, doc
		b.add(q)
	}
	if n := len(b.actuated); n > 0 {
		pos, vel := gathered("", "", b.spansOf(b.actuated, false)), gathered("", "", b.spansOf(b.actuated, true))
		named(pos, "joint_pos", "", "positions of the actuated joints, rad or m, in the order of the model")
		named(vel, "joint_vel", "", "their velocities, rad/s or m/s")
		named(quantity{size: len(b.actuated), early: true, bind: func(b *Binder) func(*View, []float64) {
			start := b.Start(b.actuated)
			return func(_ *View, dst []float64) { copy(dst, start) }
		}}, "joint_start", "", "positions in the start pose, rad or m")
		rel := pos
		rel.bind = func(b *Binder) func(*View, []float64) {
			read, start := pos.bind(b), b.Start(b.actuated)
			return func(v *View, dst []float64) {
				read(v, dst)
				for i := range dst {
					dst[i] -= start[i]
				}
			}
		}
		named(rel, "joint_pos_rel", "", "positions less those of the start pose")
		named(jointForces("", "acc", b.actuated), "joint_acc", "", "their accelerations, rad/s² or m/s², in the newest substep")
		named(jointForces("", "torque", b.actuated), "joint_torque", "", "torques of their actuators, N·m or N, in the newest substep")
	}
	for _, part := range []struct{ name, doc string }{
		{"qpos", "generalised positions of the whole scene, as in MuJoCo"},
		{"qvel", "generalised velocities of the whole scene"},
		{"control", "what the actuators were told last: targets of positions or velocities, torques or forces"},
	} {
		if span, err := b.Robot.Model.Field(part.name); err == nil && span.Len > 0 {
			named(gathered("", "", []physics.Span{span}), part.name, "", part.doc)
		}
	}
	for _, j := range b.Robot.Joints {
		q := gathered("joint."+j.Name+".position", "", []physics.Span{j.Position})
		u := gathered("joint."+j.Name+".velocity", "", []physics.Span{j.Velocity})
		if j.Type == Hinge || j.Type == Slide {
			q.size, u.size = 0, 0
		}
		b.add(q)
		b.add(u)
	}
}

// defineObjects adds the quantities of bodies, geoms and sites, which are probes.
func (b *Binder) defineObjects() {
	for i, o := range b.Robot.Bodies {
		if i == 0 {
			continue
		}
		b.add(b.probed("body."+o.Name+".position", "body/"+o.Name+"/position", 3, "m"))
		b.add(b.probed("body."+o.Name+".quaternion", "body/"+o.Name+"/quaternion", 4, "1"))
		b.add(b.probed("body."+o.Name+".velocity", "body/"+o.Name+"/velocity", 6, ""))
		b.add(b.probed("body."+o.Name+".contact", "contact/body/"+o.Name, 3, "N"))
	}
	for _, o := range b.Robot.Geoms {
		b.add(b.probed("geom."+o.Name+".position", "geom/"+o.Name+"/position", 3, "m"))
		b.add(b.probed("geom."+o.Name+".contact", "contact/geom/"+o.Name, 3, "N"))
	}
	for _, o := range b.Robot.Sites {
		b.add(b.probed("site."+o.Name+".position", "site/"+o.Name+"/position", 3, "m"))
		b.add(b.probed("site."+o.Name+".velocity", "site/"+o.Name+"/velocity", 6, ""))
	}
}

// kept is a quantity that is a part of the world's memory.
func kept(name string, size int, unit, doc string, s Slot) quantity {
	return quantity{name: name, size: size, unit: unit, doc: doc, early: true, public: true,
		bind: func(*Binder) func(*View, []float64) {
			return func(v *View, dst []float64) { copy(dst, v.Kept(s)) }
		}}
}

// intoFrame rotates a vector of the world into the frame of a body with the unit
// quaternion q.
func intoFrame(dst []float64, q [4]float64, u []float64) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	// The columns of the rotation matrix are the rows of its inverse.
	dst[0] = float64((1-2*(float64(y*y)+float64(z*z)))*u[0]) + float64(2*(float64(x*y)+float64(w*z))*u[1]) + float64(2*(float64(x*z)-float64(w*y))*u[2])
	dst[1] = float64(2*(float64(x*y)-float64(w*z))*u[0]) + float64((1-2*(float64(x*x)+float64(z*z)))*u[1]) + float64(2*(float64(y*z)+float64(w*x))*u[2])
	dst[2] = float64(2*(float64(x*z)+float64(w*y))*u[0]) + float64(2*(float64(y*z)-float64(w*x))*u[1]) + float64((1-2*(float64(x*x)+float64(y*y)))*u[2])
}

// upOf returns the world's upward unit vector in the frame of a body with the unit
// quaternion q.
func upOf(q [4]float64) [3]float64 {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return [3]float64{
		2 * (float64(x*z) - float64(w*y)),
		2 * (float64(y*z) + float64(w*x)),
		1 - 2*(float64(x*x)+float64(y*y)),
	}
}

// headingOf returns cosine and sine of the angle of a body's x axis about the vertical;
// those of 0 for a body that points straight up or down.
func headingOf(q []float64) (cos, sin float64) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	cos = 1 - 2*(float64(y*y)+float64(z*z))
	sin = 2 * (float64(x*y) + float64(w*z))
	length := math.Sqrt(float64(cos*cos) + float64(sin*sin))
	if length < 1e-9 {
		return 1, 0
	}
	return cos / length, sin / length
}
