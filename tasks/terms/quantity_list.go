package terms

import "math"

// define adds the quantities that every expression may name.
func (b *Binder) define() {
	b.add(quantity{name: "time", unit: "s", early: true, doc: "time since the episode began",
		compute: func(v *View, dst []float64) { dst[0] = v.Seconds() }})
	b.add(quantity{name: "episode_step", unit: "1", early: true, doc: "control steps since the episode began",
		compute: func(v *View, dst []float64) { dst[0] = float64(v.Steps()) }})
	b.add(quantity{name: "dt", unit: "s", early: true, doc: "length of a control step",
		compute: func(v *View, dst []float64) { dst[0] = v.ControlSeconds() }})
	// The task writes it between terminations and rewards.
	b.add(quantity{name: "terminated", unit: "1", bool: true,
		doc:     "whether a termination ends the episode with this control step, truncations apart; false outside rewards",
		compute: func(_ *View, dst []float64) { dst[0] = 0 }})
	for i := range b.entities {
		b.defineBase(&b.entities[i])
	}
	b.defineJoints()
	b.defineObjects()
	b.defineContacts()
	for i := range b.Robot.Sensors.Len() {
		c := b.Robot.Sensors.Info(i)
		b.add(quantity{name: "sensor." + c.Name, size: c.Size,
			compute: func(v *View, dst []float64) { v.Read(dst, i) }})
	}
	b.defineParameters()
	for i := range b.quantities {
		b.quantities[i].public = true
	}
}

// defineBase adds the quantities of the body that the free joint of an entity moves.
func (b *Binder) defineBase(e *entity) {
	var j Joint // stays empty for an entity without a base, whose quantities cannot be used
	if e.base >= 0 {
		j = b.Robot.Joints[e.base]
	}
	p, m := j.Position.Offset, j.Velocity.Offset
	add := func(name string, size int, unit, doc string, f func(state, dst []float64)) {
		if e.number > 0 {
			name, doc = e.quantity(name), ""
		}
		b.add(quantity{name: name, size: size, unit: unit, doc: doc, early: true, owner: e,
			compute: func(v *View, dst []float64) { f(v.State(), dst) }})
	}
	add("base_pos", 3, "m", "position of the base's frame; world", func(s, dst []float64) { copy(dst, s[p:p+3]) })
	add("base_quat", 4, "1", "orientation of the base in the world, w x y z", func(s, dst []float64) {
		q := normalize(s[p+3 : p+7])
		copy(dst, q[:])
	})
	add("base_lin_vel", 3, "m/s", "velocity of the origin of the base's frame; base", func(s, dst []float64) {
		rotateInverse(dst, normalize(s[p+3:p+7]), s[m:m+3])
	})
	const yaw = "the same; axes turned with the base about the vertical only"
	add("base_lin_vel_yaw", 3, "m/s", yaw, func(s, dst []float64) {
		cos, sin := headingVector(s[p+3 : p+7])
		dst[0] = float64(cos*s[m]) + float64(sin*s[m+1])
		dst[1] = float64(cos*s[m+1]) - float64(sin*s[m])
		dst[2] = s[m+2]
	})
	add("base_ang_vel", 3, "rad/s", "angular velocity of the base; base", func(s, dst []float64) { copy(dst, s[m+3:m+6]) })
	add("projected_gravity", 3, "1", "direction of gravity, -z of the world; base", func(s, dst []float64) {
		gravityDirection(dst, normalize(s[p+3:p+7]))
	})
	ground := b.Robot.groundHeight
	add("base_height", 0, "m", "height of the origin of the base's frame above the ground", func(s, dst []float64) {
		dst[0] = s[p+2] - ground(s[p], s[p+1])
	})
	add("ground_height", 0, "m", "height of the ground below the origin of the base's frame; world",
		func(s, dst []float64) { dst[0] = ground(s[p], s[p+1]) })
	add("heading", 0, "rad", "angle of the base's x axis about the vertical, -π to π; world", func(s, dst []float64) {
		cos, sin := headingVector(s[p+3 : p+7])
		dst[0] = math.Atan2(sin, cos)
	})
	distance := quantity{name: "patch_distance", unit: "m", early: true, owner: e,
		doc: "distance in the plane of the base from the start of the world's patch; from the origin without a terrain",
		compute: func(v *View, dst []float64) {
			var start [3]float64
			if b.Robot.Ground != nil {
				start = v.patch(b.Robot.Ground).Origin
			}
			dst[0] = math.Hypot(v.State()[p]-start[0], v.State()[p+1]-start[1])
		}}
	if e.number > 0 {
		distance.name, distance.doc = e.quantity(distance.name), ""
	}
	b.add(distance)
}

// defineJoints adds the quantities of the joints.
func (b *Binder) defineJoints() {
	if joints := b.entities[0].joints; len(joints) > 0 {
		add := func(what, doc string) { b.add(b.jointQuantity(what, what, doc, joints)) }
		add("joint_pos", "positions of the actuated joints, rad or m, in the order of the model")
		add("joint_vel", "their velocities, rad/s or m/s")
		// The start pose is not known yet.
		b.add(quantity{name: "joint_start", size: len(joints), early: true, doc: "positions in the start pose, rad or m",
			bind: func(b *Binder) func(*View, []float64) {
				start := b.Start(joints)
				return func(_ *View, dst []float64) { copy(dst, start) }
			}})
		add("joint_pos_rel", "positions less those of the start pose")
		add("joint_acc", "their accelerations, rad/s² or m/s², in the newest substep")
		add("joint_torque", "torques of their actuators, N·m or N, in the newest substep")
	}
	for _, part := range []struct{ name, doc string }{
		{"qpos", "generalised positions of the whole scene, as in MuJoCo"},
		{"qvel", "generalised velocities of the whole scene"},
		{"control", "what the actuators were told last: targets of positions or velocities, torques or forces"},
	} {
		if span, err := b.Robot.Model.Field(part.name); err == nil && span.Len > 0 {
			b.add(stateQuantity(part.name, part.doc, span))
		}
	}
	for _, j := range b.Robot.Joints {
		q := stateQuantity("joint."+j.Name+".position", "", j.Position)
		u := stateQuantity("joint."+j.Name+".velocity", "", j.Velocity)
		if j.Type == Hinge || j.Type == Slide {
			q.size, u.size = 0, 0
		}
		b.add(q)
		b.add(u)
	}
}

// defineObjects adds the quantities of bodies, geoms and sites, which are probes.
func (b *Binder) defineObjects() {
	type probe struct {
		what string
		size int
		unit string
	}
	position, velocity, contact := probe{"position", 3, "m"}, probe{"velocity", 6, ""}, probe{"contact", 3, "N"}
	momentum, wrench := probe{"angular_momentum", 3, "kg·m²/s"}, probe{"wrench", 6, ""}
	for _, class := range []struct {
		kind   string
		probes []probe
	}{
		{"body", []probe{position, {"quaternion", 4, "1"}, velocity, contact, momentum, wrench}},
		{"geom", []probe{position, contact}},
		{"site", []probe{position, velocity}},
	} {
		_, names := b.Robot.objects(class.kind, anyEntity)
		for _, name := range names {
			for _, p := range class.probes {
				source := class.kind + "/" + name + "/" + p.what
				if p == contact {
					source = "contact/" + class.kind + "/" + name
				}
				b.add(probeQuantity(class.kind+"."+name+"."+p.what, p.size, p.unit, []string{source}, nil))
			}
		}
	}
}

// defineContacts adds the quantities of pairs of sets of geoms.
func (b *Binder) defineContacts() {
	for _, name := range b.Robot.Contacts {
		sources := []string{"contact/pair/" + name}
		b.add(probeQuantity("contact."+name+".found", 0, "1", sources, func(v *View, probes []int, dst []float64) {
			dst[0] = v.probe(probes[0])[0]
		}))
		b.add(probeQuantity("contact."+name+".force", 3, "N", sources, func(v *View, probes []int, dst []float64) {
			copy(dst, v.probe(probes[0])[1:])
		}))
	}
}

// memoryQuantity is a quantity that is a part of the world's memory.
func memoryQuantity(name string, size int, unit, doc string, s Slot) quantity {
	return quantity{name: name, size: size, unit: unit, doc: doc, early: true, public: true,
		compute: func(v *View, dst []float64) { copy(dst, v.Slot(s)) }}
}
