package terms

import "math"

type motionNameParameters struct {
	// Command is the name of a motion command.
	Command string `yaml:"command"`
}

// relativeAnchor returns where the motion's anchor is, as the robot's sees it.
func (m *reference) relativeAnchor(v *View, probes bodyProbes) (position [3]float64, quaternion [4]float64) {
	p, q, _, _ := m.clip.Body(m.currentFrame(v), m.anchor)
	return relativePose(v.probe(probes.position[0]), v.probe(probes.quaternion[0]), p, q)
}

// columnSuffixes are those of the first two columns of a rotation matrix, row by row.
var columnSuffixes = []string{"_xx", "_xy", "_yx", "_yy", "_zx", "_zy"}

// writeColumns writes the first two columns of the matrix that a unit quaternion stands for, row by row.
func writeColumns(dst []float64, q [4]float64) {
	m := inverseMatrix(q) // the inverse
	for i := range 3 {
		dst[2*i], dst[2*i+1] = m[0][i], m[1][i]
	}
}

// motionAnchorPosB is where the anchor of the motion is as the robot's anchor sees it:
//
//	Rᵀ·(p_motion - p)
//
// Unit m, 3 values. Frame: the robot's anchor. The same in mjlab.
func motionAnchorPosB(b *Binder, p *motionNameParameters) *Observation {
	m := b.motionReference("command", p.Command)
	if m == nil {
		return &Observation{}
	}
	probes := m.bodyProbes(m.anchor)
	return &Observation{Names: labels("motion_anchor_pos", axisSuffixes, ""), Read: func(v *View, dst []float64) {
		position, _ := m.relativeAnchor(v, probes)
		copy(dst, position[:])
	}}
}

// motionAnchorOriB is how the anchor of the motion is turned as the robot's anchor sees it: the first two columns of
//
//	Rᵀ·R_motion
//
// row by row. Unit 1, 6 values. Frame: the robot's anchor. The same in mjlab.
func motionAnchorOriB(b *Binder, p *motionNameParameters) *Observation {
	m := b.motionReference("command", p.Command)
	if m == nil {
		return &Observation{}
	}
	probes := m.bodyProbes(m.anchor)
	return &Observation{Names: labels("motion_anchor_ori", columnSuffixes, ""), Read: func(v *View, dst []float64) {
		_, quaternion := m.relativeAnchor(v, probes)
		writeColumns(dst, quaternion)
	}}
}

// robotBodyPosB is where the bodies of a motion command are on the robot:
//
//	Rᵀ·(p_body - p)
//
// Unit m, 3 values for each body. Frame: the robot's anchor. The same in mjlab.
func robotBodyPosB(b *Binder, p *motionNameParameters) *Observation {
	return b.observeBodies(p.Command, axisSuffixes, func(dst []float64, position [3]float64, _ [4]float64) {
		copy(dst, position[:])
	})
}

// robotBodyOriB is how the bodies of a motion command are turned on the robot: the first two columns of
//
//	Rᵀ·R_body
//
// row by row. Unit 1, 6 values for each body. Frame: the robot's anchor. The same in mjlab.
func robotBodyOriB(b *Binder, p *motionNameParameters) *Observation {
	return b.observeBodies(p.Command, columnSuffixes, func(dst []float64, _ [3]float64, quaternion [4]float64) {
		writeColumns(dst, quaternion)
	})
}

// observeBodies observes the poses of the bodies of a motion command in the frame of the robot's anchor: of each as
// many values as there are suffixes.
func (b *Binder) observeBodies(command string, suffixes []string,
	write func(dst []float64, position [3]float64, quaternion [4]float64)) *Observation {
	m := b.motionReference("command", command)
	if m == nil {
		return &Observation{}
	}
	anchor, bodies, size := m.bodyProbes(m.anchor), m.bodyProbes(m.bodies...), len(suffixes)
	o := &Observation{}
	for _, i := range m.bodies {
		o.Names = append(o.Names, labels(m.clip.Bodies[i], suffixes, "")...)
	}
	o.Read = func(v *View, dst []float64) {
		origin, turn := v.probe(anchor.position[0]), v.probe(anchor.quaternion[0])
		for n := range bodies.position {
			position, quaternion := relativePose(origin, turn, v.probe(bodies.position[n]), v.probe(bodies.quaternion[n]))
			write(dst[size*n:], position, quaternion)
		}
	}
	return o
}

type motionErrorParameters struct {
	// Command is the name of a motion command.
	Command string `yaml:"command"`
	// Std is the error at which the reward falls to 1/e, in the unit of the error.
	Std float64 `yaml:"std" want:"above 0..1e9"`
}

// imitation are the parameters of a reward for imitating a motion.
func imitation(std float64) motionErrorParameters { return motionErrorParameters{MotionTerm, std} }

type motionBodyErrorParameters struct {
	motionErrorParameters `yaml:",inline"`
	// Bodies are patterns of names among the bodies of the command; all of them if not given.
	Bodies Patterns `yaml:"bodies"`
}

// anchorError rewards a small squared error of the robot's anchor.
func (b *Binder) anchorError(p *motionErrorParameters,
	squaredError func(m *reference, v *View, probes bodyProbes) float64) RewardFunc {
	m := b.motionReference("command", p.Command)
	if m == nil {
		return nil
	}
	probes := m.bodyProbes(m.anchor)
	return func(v *View) float64 { return math.Exp(-squaredError(m, v, probes) / (p.Std * p.Std)) }
}

// bodyError rewards a small mean of the squared errors of bodies. near is the pose of body i of the motion if it stood
// where the robot stands, where relative is true.
func (b *Binder) bodyError(p *motionBodyErrorParameters, relative bool,
	squaredError func(m *reference, v *View, probes bodyProbes, goal []float64, n, i int) float64) RewardFunc {
	m := b.motionReference("command", p.Command)
	if m == nil {
		return nil
	}
	bodies := m.choose("bodies", p.Bodies, m.bodies)
	if b.err != nil {
		return nil
	}
	probes := m.bodyProbes(bodies...)
	var goals Handle
	if relative {
		goals = m.relative(bodies)
	}
	return func(v *View) float64 {
		sum := 0.0
		for n, i := range bodies {
			var goal []float64
			if relative {
				goal = v.Values(goals)[7*n : 7*n+7]
			}
			sum += squaredError(m, v, probes, goal, n, i)
		}
		return math.Exp(-sum / float64(len(bodies)) / (p.Std * p.Std))
	}
}

// motionGlobalAnchorPositionErrorExp rewards the robot's anchor for being where the motion's is:
//
//	exp(-|p_motion - p|² / std²)
//
// std in m. Unit 1, 0 to 1. Frame: world. The same in mjlab.
func motionGlobalAnchorPositionErrorExp(b *Binder, p *motionErrorParameters) RewardFunc {
	return b.anchorError(p, func(m *reference, v *View, probes bodyProbes) float64 {
		position, _, _, _ := m.clip.Body(m.currentFrame(v), m.anchor)
		return squaredDistance(position, v.probe(probes.position[0]))
	})
}

// motionGlobalAnchorOrientationErrorExp rewards the robot's anchor for being turned as the motion's is:
//
//	exp(-φ² / std²)
//
// φ is the angle of the rotation between the two, std in rad. Unit 1, 0 to 1. Frame: world. The same in mjlab.
func motionGlobalAnchorOrientationErrorExp(b *Binder, p *motionErrorParameters) RewardFunc {
	return b.anchorError(p, func(m *reference, v *View, probes bodyProbes) float64 {
		_, quaternion, _, _ := m.clip.Body(m.currentFrame(v), m.anchor)
		return square(rotationAngle(quaternion, v.probe(probes.quaternion[0])))
	})
}

// motionRelativeBodyPositionErrorExp rewards bodies for being where they are on the motion if it stood where the robot
// stands:
//
//	exp(-mean |p_near - p_body|² / std²)    p_near = (a_x, a_y, m_z) + Ψ·(p_motion - m)
//
// a is the position of the robot's anchor, m that of the motion's, Ψ the yaw of the rotation from the motion's anchor
// to the robot's. std in m. Unit 1, 0 to 1. In mjlab a and Ψ are those of the control step before.
func motionRelativeBodyPositionErrorExp(b *Binder, p *motionBodyErrorParameters) RewardFunc {
	return b.bodyError(p, true, func(_ *reference, v *View, probes bodyProbes, goal []float64, n, _ int) float64 {
		return squaredDistance(goal, v.probe(probes.position[n]))
	})
}

// motionRelativeBodyOrientationErrorExp rewards bodies for being turned as they are on the motion if it had the heading
// of the robot:
//
//	exp(-mean φ² / std²)
//
// φ is the angle of the rotation between Ψ·q_motion and q_body, Ψ as for motion_relative_body_position_error_exp.
// std in rad. Unit 1, 0 to 1. In mjlab Ψ is that of the control step before.
func motionRelativeBodyOrientationErrorExp(b *Binder, p *motionBodyErrorParameters) RewardFunc {
	return b.bodyError(p, true, func(_ *reference, v *View, probes bodyProbes, goal []float64, n, _ int) float64 {
		return square(rotationAngle(goal[3:7], v.probe(probes.quaternion[n])))
	})
}

// motionGlobalBodyLinearVelocityErrorExp rewards bodies for moving as they do on the motion:
//
//	exp(-mean |v_motion - v_body|² / std²)
//
// v is that of the origin of the body's frame. std in m/s. Unit 1, 0 to 1. Frame: world. The same in mjlab.
func motionGlobalBodyLinearVelocityErrorExp(b *Binder, p *motionBodyErrorParameters) RewardFunc {
	return b.bodyError(p, false, func(m *reference, v *View, probes bodyProbes, _ []float64, n, i int) float64 {
		_, _, linear, _ := m.clip.Body(m.currentFrame(v), i)
		return squaredDistance(linear, v.probe(probes.velocity[n]))
	})
}

// motionGlobalBodyAngularVelocityErrorExp rewards bodies for turning as they do on the motion:
//
//	exp(-mean |ω_motion - ω_body|² / std²)
//
// std in rad/s. Unit 1, 0 to 1. Frame: world. The same in mjlab.
func motionGlobalBodyAngularVelocityErrorExp(b *Binder, p *motionBodyErrorParameters) RewardFunc {
	return b.bodyError(p, false, func(m *reference, v *View, probes bodyProbes, _ []float64, n, i int) float64 {
		_, _, _, angular := m.clip.Body(m.currentFrame(v), i)
		return squaredDistance(angular, v.probe(probes.velocity[n])[3:])
	})
}

type motionThresholdParameters struct {
	// Command is the name of a motion command.
	Command string `yaml:"command"`
	// Threshold is the largest error.
	Threshold float64 `yaml:"threshold" want:"0..1e9"`
}

type motionBodyThresholdParameters struct {
	motionThresholdParameters `yaml:",inline"`
	// Bodies are patterns of names among the bodies of the command; all of them if not given.
	Bodies Patterns `yaml:"bodies"`
}

// badAnchor ends the episode for a large error of the robot's anchor.
func (b *Binder) badAnchor(p *motionThresholdParameters,
	size func(m *reference, v *View, probes bodyProbes) float64) TerminationFunc {
	m := b.motionReference("command", p.Command)
	if m == nil {
		return func(*View) bool { return false }
	}
	probes := m.bodyProbes(m.anchor)
	return func(v *View) bool { return size(m, v, probes) > p.Threshold }
}

// badAnchorPos ends the episode when the robot's anchor is far from the motion's:
//
//	|p_motion - p| > threshold
//
// Unit m. Frame: world. The same in mjlab.
func badAnchorPos(b *Binder, p *motionThresholdParameters) TerminationFunc {
	return b.badAnchor(p, func(m *reference, v *View, probes bodyProbes) float64 {
		position, _, _, _ := m.clip.Body(m.currentFrame(v), m.anchor)
		return distance(position, v.probe(probes.position[0]))
	})
}

// badAnchorPosZOnly ends the episode when the robot's anchor is far above or below the motion's:
//
//	|z_motion - z| > threshold
//
// Unit m. Frame: world. The same in mjlab.
func badAnchorPosZOnly(b *Binder, p *motionThresholdParameters) TerminationFunc {
	return b.badAnchor(p, func(m *reference, v *View, probes bodyProbes) float64 {
		position, _, _, _ := m.clip.Body(m.currentFrame(v), m.anchor)
		return math.Abs(position[2] - v.probe(probes.position[0])[2])
	})
}

// badAnchorOri ends the episode when the robot's anchor leans otherwise than the motion's:
//
//	|g_z,motion - g_z| > threshold
//
// g is the direction of gravity in the frame of the anchor. Unit 1. The same in mjlab.
func badAnchorOri(b *Binder, p *motionThresholdParameters) TerminationFunc {
	return b.badAnchor(p, func(m *reference, v *View, probes bodyProbes) float64 {
		_, quaternion, _, _ := m.clip.Body(m.currentFrame(v), m.anchor)
		var goal, robot [3]float64
		gravityDirection(goal[:], [4]float64(quaternion))
		gravityDirection(robot[:], [4]float64(v.probe(probes.quaternion[0])))
		return math.Abs(goal[2] - robot[2])
	})
}

// badBody ends the episode for a large error of one of the bodies.
func (b *Binder) badBody(p *motionBodyThresholdParameters,
	size func(goal, position []float64) float64) TerminationFunc {
	never := func(*View) bool { return false }
	m := b.motionReference("command", p.Command)
	if m == nil {
		return never
	}
	bodies := m.choose("bodies", p.Bodies, m.bodies)
	if b.err != nil {
		return never
	}
	position, goals := m.probes("position", bodies...), m.relative(bodies)
	return func(v *View) bool {
		for n := range bodies {
			if size(v.Values(goals)[7*n:], v.probe(position[n])) > p.Threshold {
				return true
			}
		}
		return false
	}
}

// badMotionBodyPos ends the episode when a body is far from where it is on the motion if it stood where the robot
// stands:
//
//	max |p_near - p_body| > threshold
//
// p_near as for motion_relative_body_position_error_exp. Unit m. In mjlab it follows the robot one control step late.
func badMotionBodyPos(b *Binder, p *motionBodyThresholdParameters) TerminationFunc {
	return b.badBody(p, func(goal, position []float64) float64 { return distance(goal, position) })
}

// badMotionBodyPosZOnly ends the episode as bad_motion_body_pos does, by heights alone:
//
//	max |z_near - z_body| > threshold
//
// Unit m. In mjlab Ψ follows the robot one control step late.
func badMotionBodyPosZOnly(b *Binder, p *motionBodyThresholdParameters) TerminationFunc {
	return b.badBody(p, func(goal, position []float64) float64 { return math.Abs(goal[2] - position[2]) })
}
