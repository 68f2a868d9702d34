package starter

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// wheel is a hinge without limits whose body is round about it and stands on the ground.
type wheel struct {
	joint  int
	steers []int   // other joints between the base and the wheel: those that steer it, or are its suspension
	radius float64 // m
	caster bool    // it trails behind the axis of a joint, which it turns as the robot rolls
}

// How far a wheel may be from a perfect one.
const (
	across       = 0.3  // largest share of the vertical in its axis, and of the horizontal in one that steers it
	eccentricity = 0.15 // of its shape, in radii
	unevenness   = 0.25 // distance of its lowest point from the robot's, in radii
	trail        = 0.1  // least distance behind the axis of a caster, in radii
)

// findWheels returns the wheels on which a robot stands.
func (t *tree) findWheels(root int, frames []frame) (wheels []wheel) {
	ground, ok := t.ground(root, frames)
	for k := range t.Joints {
		j := &t.Joints[k]
		if !ok || j.Type != "hinge" || j.Limited || !t.isWithin(j.Body, root) {
			continue
		}
		f := frames[j.Body]
		axis, hub := f.turn.Rotate(vector(j.Axis)), f.apply(vector(j.Anchor))
		radius := t.radius(j.Body, axis, hub, frames)
		if math.Abs(axis.Z) > across || radius == 0 || math.Abs(hub.Z-radius-ground) > unevenness*radius {
			continue
		}
		w := wheel{joint: k, radius: radius}
		forward := r3.Unit(r3.Cross(axis, r3.Vec{Z: 1}))
		steered := true
		for _, i := range t.chain(root, j.Body) {
			other := &t.Joints[i]
			if i == k {
				continue
			}
			f := frames[other.Body]
			upright := math.Abs(f.turn.Rotate(vector(other.Axis)).Z)
			steered = steered && (other.Type == "hinge" || other.Type == "slide") && upright > 1-across
			w.steers = append(w.steers, i)
			behind := math.Abs(r3.Dot(r3.Sub(hub, f.apply(vector(other.Anchor))), forward))
			w.caster = w.caster || other.Type == "hinge" && behind > trail*radius
		}
		if steered {
			wheels = append(wheels, w)
		}
	}
	return wheels
}

// radius returns the largest radius of the shapes that are fixed to a body and round about an axis through its hub, m; 0
// if there are none.
func (t *tree) radius(body int, axis, hub r3.Vec, frames []frame) (largest float64) {
	for k := range t.Geoms {
		g := &t.Geoms[k]
		if !g.Collides() || t.segment(g.Body) != body {
			continue
		}
		f := frames[g.Body].compose(frameOf(g.Position, g.Quaternion))
		own, size := inverse(f.turn).Rotate(axis), g.Size
		along := []float64{math.Abs(own.X), math.Abs(own.Y), math.Abs(own.Z)}
		centre, radius := f.position, size[0]
		switch g.Type {
		case "sphere":
		case "cylinder", "capsule":
			if along[2] < 1-eccentricity {
				continue
			}
		case "ellipsoid", "mesh":
			main := slices.Index(along, slices.Max(along))
			if g.Type == "mesh" {
				size, centre = g.BoxSize, f.apply(vector(g.BoxCentre))
			}
			a, b := size[(main+1)%3], size[(main+2)%3]
			radius = max(a, b)
			if along[main] < 1-eccentricity || math.Abs(a-b) > eccentricity*radius {
				continue
			}
		default:
			continue
		}
		off := r3.Sub(centre, hub)
		off = r3.Sub(off, r3.Scale(r3.Dot(off, axis), axis))
		if r3.Norm(off) < eccentricity*radius {
			largest = max(largest, radius)
		}
	}
	return largest
}

// rolls reports whether wheels move a robot: at least two that no other joint drags along.
func (r *robot) rolls() bool {
	n := 0
	for _, w := range r.wheels {
		if !w.caster && slices.Contains(r.joints, w.joint) {
			n++
		}
	}
	return n >= 2
}

// isCaster reports whether a joint is that of a wheel which trails behind it, or turns such a wheel.
func (r *robot) isCaster(j *mujoco.Joint) bool {
	return slices.ContainsFunc(r.wheels, func(w wheel) bool {
		of := func(k int) bool { return r.Joints[k].PositionAt == j.PositionAt }
		return w.caster && (of(w.joint) || slices.ContainsFunc(w.steers, of))
	})
}

// wheelOf returns the wheel of a joint; nil if it has none.
func (r *robot) wheelOf(k int) *wheel {
	i := slices.IndexFunc(r.wheels, func(w wheel) bool { return w.joint == k })
	if i < 0 || r.family != wheeled {
		return nil
	}
	return &r.wheels[i]
}

// cruise returns the speed that a robot on wheels is asked for, m/s: that at which its weight just holds what moves on a
// circle of the radius of its smallest wheel.
func (r *robot) cruise() float64 {
	if len(r.wheels) == 0 {
		return 0
	}
	smallest := math.Inf(1)
	for _, w := range r.wheels {
		smallest = min(smallest, w.radius)
	}
	return roundTo(math.Sqrt(max(r.gravity(), 1)*smallest), 1)
}

// turning is the share of the speed that wheels have beyond that of the robot, so that it can turn.
const turning = 0.5

// spin returns the speed that a wheel is asked for at most, rad/s.
func (r *robot) spin(w *wheel) float64 { return roundTo((1+turning)*r.cruise()/w.radius, 2) }

// gainsOfWheel returns those of a servo of velocities that has all of the grip as long as it lacks half of the speed.
func (w *writer) gainsOfWheel(wheel *wheel, most float64, tuning Tuning) gains {
	load := max(w.weight(w.root)/float64(len(w.wheels))*wheel.radius, 1e-6)
	g := gains{effort: effortShare * load * twice(tuning.Stronger)}
	if most > 0 {
		g.effort = min(most, mostGain)
	}
	g.kd = min(2*load/w.spin(wheel)*twice(tuning.Stiffer), mostGain)
	return g
}
