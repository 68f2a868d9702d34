package gymnasium

import (
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// humanoidBody is what Humanoid-v5 and HumanoidStandup-v5 have in common: the
// reset, the observation, and the infos of tendons and impacts.
type humanoidBody struct {
	locomotion
	observed []physics.Span  // of the derived values, in this order
	impacts  physics.Span    // forces on each body, the world's first
	tendons  [2]physics.Span // lengths and velocities
}

// humanoidTerms are the parts of the observation that can be left out.
type humanoidTerms struct {
	excludePositions                     bool // x and y
	inertia, velocity, actuator, impacts bool
}

// of asks for what the body needs of a model. The task sets InfoNames, tendons
// among them.
func (b *humanoidBody) of(m physics.Model, name string, dt, noise float64, terms humanoidTerms) *needs {
	n := b.locomotion.of(m, name, dt, 3, 6, start{noise, addUniform, 2, terms.excludePositions})
	inertia, velocity, actuator := n.derived("cinert"), n.derived("cvel"), n.derived("qfrc_actuator")
	b.impacts = n.derived("cfrc_ext")
	b.tendons = [2]physics.Span{n.derived("ten_length"), n.derived("ten_velocity")}
	// All but the world body, and all but the free joint of the torso.
	for _, part := range []struct {
		wanted bool
		span   physics.Span
		skip   int
	}{
		{terms.inertia, inertia, 10},
		{terms.velocity, velocity, 6},
		{terms.actuator, actuator, 6},
		{terms.impacts, b.impacts, forces},
	} {
		if part.wanted && part.span.Len >= part.skip {
			b.observed = append(b.observed, physics.Span{Offset: part.span.Offset + part.skip, Len: part.span.Len - part.skip})
			b.spec.ObservationSize += part.span.Len - part.skip
		}
	}
	return n
}

// tendonNames are the names of what writeTendons writes.
func (b *humanoidBody) tendonNames() []string {
	return append(vector("tendon_length", b.tendons[0].Len), vector("tendon_velocity", b.tendons[1].Len)...)
}

// writeTendons writes the tendons' lengths and velocities to info and returns what
// follows them.
func (b *humanoidBody) writeTendons(w *sim.World, info []float64) []float64 {
	for _, span := range b.tendons {
		info = info[copy(info, span.In(w.Derived())):]
	}
	return info
}

// observe is the positions, without x and y unless asked for, the velocities, and
// unless told otherwise, of each body but the world, inertia and velocity, then
// the forces of the motors, then the contact forces on each body.
func (b *humanoidBody) observe(w *sim.World, dst []float64) {
	_, _, rest := b.locomotion.observe(w, dst)
	for _, span := range b.observed {
		rest = rest[copy(rest, span.In(w.Derived())):]
	}
}

// impactCost is the weighted sum of all squared contact forces, within limits.
func (b *humanoidBody) impactCost(w *sim.World, weight float64, limits [2]float64) float64 {
	return limited(float64(weight*squares(b.impacts.In(w.Derived()))), limits)
}
