package terms

import "fmt"

// Feet are the feet that a term names, and what a world remembers of their contacts.
// Terms with the same patterns and threshold share it.
type Feet struct {
	b       *Binder
	names   []string
	kind    string  // body, geom or site
	objects []int   // index of each foot among its kind
	bodies  []int   // that it belongs to
	force   float64 // N; a foot that feels more is in contact

	times *Times // nil: not kept
}

// Feet returns the feet that patterns select: bodies, or geoms, or sites, the first of
// these kinds in which each pattern matches something. contact is the force in N above
// which a foot counts as in contact.
func (b *Binder) Feet(key string, patterns Patterns, contact float64) *Feet {
	id := fmt.Sprintf("%q %v", patterns, contact)
	if f, ok := b.feet[id]; ok {
		return f
	}
	f := &Feet{b: b, force: contact}
	b.feet[id] = f
	r := b.Robot
	failed := b.err
	for _, kind := range []string{"body", "geom", "site"} {
		b.err = nil
		switch kind {
		case "body":
			f.objects = b.Bodies(key, patterns)
		case "geom":
			f.objects = b.Geoms(key, patterns)
		case "site":
			f.objects = b.match(key, "body, geom or site", patterns, upTo(len(r.Sites)), func(i int) string { return r.Sites[i].Name })
		}
		if b.err == nil {
			f.kind = kind
			break
		}
	}
	if failed != nil {
		b.err = failed
	} else if f.kind == "" {
		var names []string
		for _, o := range r.Bodies[1:] {
			names = append(names, o.Name)
		}
		for _, o := range append(r.Geoms[:len(r.Geoms):len(r.Geoms)], r.Sites...) {
			names = append(names, o.Name)
		}
		b.err = nil
		b.match(key, "body, geom or site", patterns, upTo(len(names)), func(i int) string { return names[i] })
		if b.err == nil {
			b.Fail(key, ": want patterns that all match bodies, or all geoms, or all sites")
		}
	}
	for _, i := range f.objects {
		name, body := r.Bodies[0].Name, i
		switch f.kind {
		case "body":
			name = r.Bodies[i].Name
		case "geom":
			name, body = r.Geoms[i].Name, r.Geoms[i].Body
		case "site":
			name, body = r.Sites[i].Name, r.Sites[i].Body
		}
		f.names, f.bodies = append(f.names, name), append(f.bodies, body)
	}
	return f
}

// Len returns the number of feet.
func (f *Feet) Len() int { return len(f.names) }

// Names returns their names.
func (f *Feet) Names() []string { return f.names }

// Position returns their positions, 3 values each, m, in the world.
func (f *Feet) Position() Handle {
	return f.gather("position", 3, func(i int) string { return f.kind + "." + f.names[i] + ".position" })
}

// Force returns the net contact force on each, 3 values each, N, in the world, of the
// newest substep. For a site it is that on its body.
func (f *Feet) Force() Handle {
	return f.gather("force", 3, func(i int) string {
		if f.kind == "geom" {
			return "geom." + f.names[i] + ".contact"
		}
		return "body." + f.b.Robot.Bodies[f.bodies[i]].Name + ".contact"
	})
}

// Velocity returns their linear velocities, 3 values each, m/s, in the world. That of a
// geom follows from the motion of its body.
func (f *Feet) Velocity() Handle {
	if f.kind != "geom" {
		return f.gather("velocity", 3, func(i int) string { return f.kind + "." + f.names[i] + ".velocity" })
	}
	return f.b.use(f.b.add(quantity{name: f.label("velocity"), size: 3 * f.Len(), bind: func(b *Binder) func(*View, []float64) {
		var geom, body, velocity []Handle
		for i, name := range f.names {
			on := b.Robot.Bodies[f.bodies[i]].Name
			geom = append(geom, b.needs("geom."+name+".position"))
			body = append(body, b.needs("body."+on+".position"))
			velocity = append(velocity, b.needs("body."+on+".velocity"))
		}
		return func(v *View, dst []float64) {
			for i := range geom {
				p, o, u := v.At(geom[i]), v.At(body[i]), v.At(velocity[i])
				x, y, z := p[0]-o[0], p[1]-o[1], p[2]-o[2]
				dst[3*i] = u[0] + (float64(u[4]*z) - float64(u[5]*y))
				dst[3*i+1] = u[1] + (float64(u[5]*x) - float64(u[3]*z))
				dst[3*i+2] = u[2] + (float64(u[3]*y) - float64(u[4]*x))
			}
		}
	}}))
}

// Contact returns 1 for each foot that is in contact, else 0.
func (f *Feet) Contact() Handle {
	return f.b.use(f.b.add(quantity{name: f.label("contact"), size: f.Len(), bool: true, bind: func(b *Binder) func(*View, []float64) {
		f.Force() // defines it
		force := b.needs(f.label("force"))
		return func(v *View, dst []float64) {
			all := v.At(force)
			for i := range dst {
				u := all[3*i : 3*i+3]
				dst[i] = 0
				if float64(u[0]*u[0])+float64(u[1]*u[1])+float64(u[2]*u[2]) > f.force*f.force {
					dst[i] = 1
				}
			}
		}
	}}))
}

// gather returns n values of a quantity of each foot.
func (f *Feet) gather(what string, n int, name func(i int) string) Handle {
	return f.b.use(f.b.add(quantity{name: f.label(what), size: n * f.Len(), bind: func(b *Binder) func(*View, []float64) {
		var parts []Handle
		for i := range f.names {
			parts = append(parts, b.needs(name(i)))
		}
		return func(v *View, dst []float64) {
			for i, p := range parts {
				copy(dst[n*i:n*i+n], v.At(p))
			}
		}
	}}))
}

// label is a name for a quantity of these feet that no expression can spell.
func (f *Feet) label(what string) string {
	return fmt.Sprintf("feet %s of %s %q above %v N", what, f.kind, f.names, f.force)
}

// Times are slots with a value for each foot, brought up to date at the end of each
// control step, before rewards. Swings and stances are measured in whole control steps.
type Times struct {
	Air       Slot // s since the foot left the ground; 0 in contact
	Stance    Slot // s since it touched the ground; 0 in the air
	LastAir   Slot // s, length of the swing that ended last
	LastStand Slot // s, length of the stance that ended last
	Touched   Slot // 1 if contact began with this control step
}

// Times makes the worlds keep the times of the feet, and returns where they are.
func (f *Feet) Times() Times {
	if f.times != nil {
		return *f.times
	}
	b, n := f.b, f.Len()
	t := Times{b.Memory(n), b.Memory(n), b.Memory(n), b.Memory(n), b.Memory(n)}
	f.times = &t
	phase := b.phase
	b.phase = AtReward
	contact := f.Contact()
	b.phase = phase
	b.OnStep(func(v *View) {
		dt := v.ControlSeconds()
		now := v.At(contact)
		air, stance, lastAir, lastStand, touched := v.Kept(t.Air), v.Kept(t.Stance), v.Kept(t.LastAir), v.Kept(t.LastStand), v.Kept(t.Touched)
		for i, on := range now {
			touched[i] = 0
			if on != 0 {
				if air[i] > 0 {
					touched[i], lastAir[i] = 1, air[i]+dt
				}
				air[i] = 0
				stance[i] += dt
			} else {
				if stance[i] > 0 {
					lastStand[i] = stance[i] + dt
				}
				stance[i] = 0
				air[i] += dt
			}
		}
	})
	return t
}
