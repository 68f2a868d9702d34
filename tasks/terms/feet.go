package terms

import "fmt"

// Feet are the feet that a term names, and what a world remembers of their contacts.
// Terms with the same patterns and threshold share it.
type Feet struct {
	b      *Binder
	names  []string
	kind   string   // body, geom or site
	bodies []string // the bodies that they are or belong to
	force  float64  // N; a foot that feels more is in contact

	air, landed Slot // see Times; of size 0 if they are not kept
	peak        Slot // see Peak; likewise
}

// Feet returns the feet that patterns select: bodies, or geoms, or sites, the first of these kinds in which each
// pattern matches something. contact is the force in N above which a foot counts as in contact.
func (b *Binder) Feet(key string, patterns Patterns, contact float64) *Feet {
	entity := b.subject().number
	id := fmt.Sprintf("%d %q %v", entity, patterns, contact)
	if f, ok := b.feet[id]; ok {
		return f
	}
	f := &Feet{b: b, force: contact}
	b.feet[id] = f
	var all []string
	for _, kind := range []string{"body", "geom", "site"} {
		index, names := b.Robot.objects(kind, entity)
		all = append(all, names...)
		selection, err := choose(kind, patterns, names)
		if err != nil {
			continue
		}
		f.kind = kind
		for _, i := range selection {
			body := index[i]
			switch kind {
			case "geom":
				body = b.Robot.Geoms[body].Body
			case "site":
				body = b.Robot.Sites[body].Body
			}
			f.names, f.bodies = append(f.names, names[i]), append(f.bodies, b.Robot.Bodies[body].Name)
		}
		return f
	}
	if _, err := choose("body, geom or site", patterns, all); err != nil {
		b.Fail(key, "%w", err)
	}
	b.Fail(key, ": want patterns that all match bodies, or all geoms, or all sites")
	return f
}

// Position returns their positions, 3 values each, m, in the world.
func (f *Feet) Position() Handle { return f.vectors("position") }

// Height returns their heights above the ground, m.
func (f *Feet) Height() Handle {
	return f.quantity("height", 1, labels(f.kind+"/", f.names, "/position"), func(v *View, probes []int, dst []float64) {
		for i, n := range probes {
			p := v.probe(n)
			dst[i] = p[2] - f.b.Robot.groundHeight(p[0], p[1])
		}
	})
}

// Velocity returns their linear velocities, 3 values each, m/s, in the world. That of a
// geom follows from the motion of its body.
func (f *Feet) Velocity() Handle {
	if f.kind != "geom" {
		return f.vectors("velocity")
	}
	var sources []string
	for i, name := range f.names {
		body := "body/" + f.bodies[i]
		sources = append(sources, "geom/"+name+"/position", body+"/position", body+"/velocity")
	}
	return f.quantity("velocity", 3, sources, func(v *View, probes []int, dst []float64) {
		for i := 0; i < len(dst); i += 3 {
			p, o, u := v.probe(probes[i]), v.probe(probes[i+1]), v.probe(probes[i+2])
			x, y, z := p[0]-o[0], p[1]-o[1], p[2]-o[2]
			dst[i] = u[0] + (float64(u[4]*z) - float64(u[5]*y))
			dst[i+1] = u[1] + (float64(u[5]*x) - float64(u[3]*z))
			dst[i+2] = u[2] + (float64(u[3]*y) - float64(u[4]*x))
		}
	})
}

// Contact returns 1 for each foot that is in contact, else 0: whether the net contact force on it in the newest
// substep is larger than that of the feet. For a site it is the force on its body.
func (f *Feet) Contact() Handle {
	return f.quantity("contact", 1, f.contacts(), func(v *View, probes []int, dst []float64) {
		for i, n := range probes {
			dst[i] = truth(sumOfSquares(v.probe(n)) > f.force*f.force)
		}
	})
}

// Force returns the net contact forces on them in the newest substep, 3 values each, N, in the world.
func (f *Feet) Force() Handle {
	return f.quantity("force", 3, f.contacts(), func(v *View, probes []int, dst []float64) {
		for i, n := range probes {
			copy(dst[3*i:3*i+3], v.probe(n))
		}
	})
}

// contacts are the probes of their contact forces.
func (f *Feet) contacts() []string {
	if f.kind == "geom" {
		return labels("contact/geom/", f.names, "")
	}
	return labels("contact/body/", f.bodies, "")
}

// vectors returns the first three values of a probe of each foot.
func (f *Feet) vectors(what string) Handle {
	sources := labels(f.kind+"/", f.names, "/"+what)
	return f.quantity(what, 3, sources, func(v *View, probes []int, dst []float64) {
		for i, n := range probes {
			copy(dst[3*i:3*i+3], v.probe(n))
		}
	})
}

// quantity returns n values of each foot, which are computed from probes.
func (f *Feet) quantity(what string, n int, sources []string, compute func(*View, []int, []float64)) Handle {
	return f.b.use(f.b.add(probeQuantity(f.label(what), n*len(f.names), "", sources, compute)))
}

// label is a name for a quantity of these feet that no expression can spell.
func (f *Feet) label(what string) string {
	return fmt.Sprintf("feet %s of %s %q above %v N", what, f.kind, f.names, f.force)
}

// Times makes the worlds keep a value for each foot, brought up to date at the end of each control step, before
// rewards: air is the time in s since it left the ground, 0 in contact, and landed the length of the swing that ended
// with this control step, 0 if none did. Swings are measured in whole control steps.
func (f *Feet) Times() (air, landed Slot) {
	if f.air.size > 0 {
		return f.air, f.landed
	}
	b := f.b
	f.air, f.landed = b.Memory(len(f.names)), b.Memory(len(f.names))
	phase := b.phase
	b.phase = RewardPhase
	contact := f.Contact()
	b.phase = phase
	b.OnStep(func(v *View) {
		air, landed := v.Slot(f.air), v.Slot(f.landed)
		for i, state := range v.Values(contact) {
			landed[i] = 0
			switch {
			case state == 0:
				air[i] += v.ControlSeconds()
			case air[i] > 0:
				air[i], landed[i] = 0, air[i]+v.ControlSeconds()
			}
		}
	})
	return f.air, f.landed
}

// Peak makes the worlds keep the largest height above the ground, m, that each foot had at the end of a control step
// in its swing: the one that it is in or, after landing, the last one; 0 before the first. Like Times it is up to date
// before rewards.
func (f *Feet) Peak() Slot {
	if f.peak.size > 0 {
		return f.peak
	}
	b := f.b
	times, _ := f.Times()
	f.peak = b.Memory(len(f.names))
	phase := b.phase
	b.phase = RewardPhase
	height := f.Height()
	b.phase = phase
	b.OnStep(func(v *View) {
		air, peak := v.Slot(times), v.Slot(f.peak)
		for i, z := range v.Values(height) {
			switch {
			case air[i] == v.ControlSeconds(): // the first step of a swing
				peak[i] = z
			case air[i] > 0:
				peak[i] = max(peak[i], z)
			}
		}
	})
	return f.peak
}
