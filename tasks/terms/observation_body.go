package terms

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// bodyPoseW is the pose of each body: the position of the origin of its frame, and its
// orientation as a quaternion w x y z. Unit m and 1, 7 values for each body. Frame: world;
// each world has its own origin, as the environments of the peers have.
func bodyPoseW(b *Binder, p *bodyParameters) *Observation {
	o := &Observation{}
	var position, quaternion []Handle
	_, names := b.Select("bodies", "body", p.Bodies)
	for _, name := range names {
		position = append(position, b.Quantity("body."+name+".position"))
		quaternion = append(quaternion, b.Quantity("body."+name+".quaternion"))
		o.Names = append(o.Names, labels(name, []string{"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"}, "")...)
	}
	o.Read = func(v *View, dst []float64) {
		for i := range position {
			copy(dst[7*i:], v.Values(position[i]))
			copy(dst[7*i+3:], v.Values(quaternion[i]))
		}
	}
	return o
}

// bodyPoseB is the pose of each body as the base sees it:
//
//	Rᵀ·(p_body - p)    q⁻¹·q_body
//
// p, q and R are of the base or, for a robot that is fixed to the world, of the body, or the world, that its first
// joint moves a part against; the quaternion is w x y z with w ≥ 0. Unit m and 1, 7 values for each body. Frame: base.
// Isaac Lab's and mjlab's tasks have body_pos_b and the like; mjlab's robot_body_pos_b is that of a motion command.
func bodyPoseB(b *Binder, p *bodyParameters) *Observation {
	position, quaternion := b.rootPose()
	pose := func(name string) [2]Handle {
		return [2]Handle{b.Quantity("body." + name + ".position"), b.Quantity("body." + name + ".quaternion")}
	}
	o := &Observation{}
	var bodies [][2]Handle
	_, names := b.Select("bodies", "body", p.Bodies)
	for _, name := range names {
		bodies = append(bodies, pose(name))
		o.Names = append(o.Names, labels(name, []string{"_x_b", "_y_b", "_z_b", "_qw_b", "_qx_b", "_qy_b", "_qz_b"}, "")...)
	}
	o.Read = func(v *View, dst []float64) {
		origin, inverse := v.Values(position), [4]float64(v.Values(quaternion))
		for i, body := range bodies {
			arm := difference(v.Values(body[0]), origin)
			rotateInverse(dst[7*i:], inverse, arm[:])
			q := rotation.Product(rotation.Conjugate(inverse), [4]float64(v.Values(body[1])))
			if q[0] < 0 {
				q = [4]float64{-q[0], -q[1], -q[2], -q[3]}
			}
			copy(dst[7*i+3:], q[:])
		}
	}
	return o
}

// bodyIncomingWrench is what the parent exerts on each body through the joints between them: a force, and a torque
// about the origin of the body's frame, in the newest substep. Unit N and N·m, 6 values for each body. Frame: that of
// the body at the beginning of that substep, when they act. Isaac Lab has the same; mjlab has no such term.
func bodyIncomingWrench(b *Binder, p *bodyParameters) *Observation {
	o := &Observation{}
	var wrenches []Handle
	_, names := b.Select("bodies", "body", p.Bodies)
	for _, name := range names {
		wrenches = append(wrenches, b.probeValues("body/"+name+"/incoming_wrench", 6))
		o.Names = append(o.Names, labels(name+"_force", axisSuffixes, "")...)
		o.Names = append(o.Names, labels(name+"_torque", axisSuffixes, "")...)
	}
	o.Read = func(v *View, dst []float64) {
		for i, h := range wrenches {
			copy(dst[6*i:], v.Values(h))
		}
	}
	return o
}

type contactParameters struct {
	feetParameters `yaml:",inline"`
	// Force above which a foot is in contact, N.
	Force float64 `yaml:"force" want:"0..1e9"`
}

// footHeight is the height of each foot above the ground: of the origin of its body, its geom or its site.
// Unit m. The ground is the highest at the place of the scene's terrain, or z = 0. The same in mjlab, where a sensor
// measures it.
func footHeight(b *Binder, p *feetParameters) *Observation {
	feet := b.Feet("feet", p.Feet, 1)
	height := feet.Height()
	return observeQuantity(height, labels("", feet.names, "_height")...)
}

// footContact is 1 for each foot that is in contact, else 0:
//
//	|F| > force
//
// F is the net contact force on the body or geom in the newest substep. Unit 1. Isaac Lab
// and mjlab read contact sensors, whose threshold is the sensor's.
func footContact(b *Binder, p *contactParameters) *Observation {
	feet := b.Feet("feet", p.Feet, p.Force)
	return observeQuantity(feet.Contact(), labels("", feet.names, "_contact")...)
}

// footAirTime is the time for which each foot has been in the air, in whole control steps; 0 in contact. Unit s. mjlab
// has the same, of a contact sensor, in physics steps.
func footAirTime(b *Binder, p *contactParameters) *Observation {
	feet := b.Feet("feet", p.Feet, p.Force)
	air, _ := feet.Times()
	return &Observation{
		Names: labels("", feet.names, "_air_time"),
		Read:  func(v *View, dst []float64) { copy(dst, v.Slot(air)) },
	}
}

// footContactForces is the net contact force on each foot, made small:
//
//	sign(F)·ln(1 + |F|) of each component
//
// in the newest substep. Unit: F in N. Frame: world. The same in mjlab.
func footContactForces(b *Binder, p *feetParameters) *Observation {
	feet := b.Feet("feet", p.Feet, 1)
	force := feet.Force()
	var names []string
	for _, name := range feet.names {
		names = append(names, labels(name+"_force", axisSuffixes, "")...)
	}
	return &Observation{Names: names, Read: func(v *View, dst []float64) {
		for i, f := range v.Values(force) {
			dst[i] = math.Copysign(math.Log1p(math.Abs(f)), f)
		}
	}}
}
