package starter

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// What is assumed of the rotors of a drone, of which a URDF file does not say it.
const (
	leastRotors     = 3
	thrustShare     = 2.0   // the largest thrust of all rotors together, in weights
	torquePerThrust = 0.016 // m, of the propellers of small drones
)

var rotorName = regexp.MustCompile(`(?i)rotor|prop(ell[eo]r)?([^a-z]|$)`)

// isRotor reports whether a joint is the axle of a rotor: an upright one, with a name that says so, that turns on and on.
func (t *tree) isRotor(k int, frames []frame) bool {
	j := &t.Joints[k]
	upright := math.Abs(frames[j.Body].turn.Rotate(vector(j.Axis)).Z) > 1-across
	return j.Type == "hinge" && !j.Limited && upright &&
		(rotorName.MatchString(j.Ref) || rotorName.MatchString(t.Bodies[j.Body].Ref))
}

// findRotors returns actuators for the rotors of a drone without any; nil for anything else. Neighbours turn against one
// another.
func (t *tree) findRotors() []scene.Actuators {
	type rotor struct {
		name  string
		angle float64 // about the centre of mass
		up    bool    // the axis points upwards
	}
	var rotors []rotor
	home := t.frames(t.home())
	if t.Base == 0 || len(t.Actuators) > 0 {
		return nil
	}
	centre := t.centreOfMass(t.Base, home)
	for k := range t.Joints {
		j := &t.Joints[k]
		if j.PositionSize != 1 {
			continue
		}
		if !t.isRotor(k, home) {
			return nil
		}
		f := home[j.Body]
		at := r3.Sub(f.apply(vector(j.Anchor)), centre)
		rotors = append(rotors, rotor{j.Ref, math.Atan2(at.Y, at.X), f.turn.Rotate(vector(j.Axis)).Z > 0})
	}
	if len(rotors) < leastRotors || slices.ContainsFunc(rotors, func(r rotor) bool { return !r.up }) {
		return nil
	}
	slices.SortStableFunc(rotors, func(a, b rotor) int { return cmp.Compare(a.angle, b.angle) })
	most := roundTo(thrustShare*t.weight(t.Base)/float64(len(rotors)), 2)
	entries := make([]scene.Actuators, 2)
	for i, r := range rotors {
		e := &entries[i%2]
		e.Joints = append(e.Joints, regexp.QuoteMeta(r.name))
		e.Type, e.Effort, e.TorquePerThrust = scene.Thrust, most, torquePerThrust*float64(1-i%2*2)
	}
	return entries
}
