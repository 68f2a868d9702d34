package terms

import (
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

type ikParameters struct {
	// FrameType is what the frame is of: body, site or geom.
	FrameType string `yaml:"frame_type" want:"body|site|geom"`
	// FrameName is the name of the body, site or geom.
	FrameName string `yaml:"frame_name"`
	// UseRelativeMode makes the action a change of the frame's pose; else it is the pose, in the world.
	UseRelativeMode bool `yaml:"use_relative_mode"`
	// DeltaPosScale is the change of the position for an action of 1, m. Of the relative mode.
	DeltaPosScale float64 `yaml:"delta_pos_scale" want:"0..1e9"`
	// DeltaOriScale is the change of the orientation for an action of 1, rad. Of the relative mode.
	DeltaOriScale float64 `yaml:"delta_ori_scale" want:"0..1e9"`
	// Damping is λ.
	Damping float64 `yaml:"damping" want:"0..1e9"`
	// MaxDq is the largest change of a joint, rad or m.
	MaxDq float64 `yaml:"max_dq" want:"above 0..1e9"`
	// PositionWeight is the weight of the error of the position.
	PositionWeight float64 `yaml:"position_weight" want:"0..1e9"`
	// OrientationWeight is the weight of the error of the orientation. With 0 the action is a position.
	OrientationWeight float64 `yaml:"orientation_weight" want:"0..1e9"`
	// HoldOrientation makes the action a position, and the frame keeps the orientation that it has as the episode begins.
	HoldOrientation bool `yaml:"hold_orientation"`
	// JointLimitWeight is the weight of how far joints are beyond their ranges.
	JointLimitWeight float64 `yaml:"joint_limit_weight" want:"0..1e9"`
	// PostureWeight is the weight of the distance from the posture.
	PostureWeight float64 `yaml:"posture_weight" want:"0..1e9"`
	// PostureTarget holds positions of the posture by patterns of joints, rad or m; those of the start pose if not given.
	PostureTarget PerJoint `yaml:"posture_target"`
}

func (p *ikParameters) checkKeys(c *bounds.Check) {
	if p.PositionWeight == 0 && p.OrientationWeight == 0 {
		c.Fail("position_weight and orientation_weight are 0, want one above")
	}
	if p.HoldOrientation && p.OrientationWeight == 0 {
		c.Fail("hold_orientation is true, want an orientation_weight above 0")
	}
}

// ik solves for the joints that bring a frame to a pose.
type ik struct {
	*ikParameters
	size           int    // joints
	position, turn Handle // pose of the frame; the turn is a matrix by rows or, of a body, a quaternion
	joints         Handle // positions of the joints
	axes           []Handle
	anchors        []Handle // a joint that does not move the frame has none, of size 0; a slide has an axis alone
	low, high      []float64
	posture        []float64
	initial        Slot // whether the episode has begun, then the orientation at its beginning
}

// differentialIK sets the target positions of position actuators so that a frame moves to a pose, by inverse
// kinematics with damped least squares:
//
//	target = q + clip(dq, ±max_dq)    (JᵀWJ + λ²I)·dq = JᵀW·e
//
// q are the positions of the joints, J is the Jacobian of the frame, e the error of its pose: of the position in m, and
// of the orientation as a rotation vector in rad. W has the squares of the weights. Joints beyond their ranges and
// the posture add squared errors of their own. It is solved once per control step, at its start; then come the limits,
// the filter and the delay, as for joint_position.
//
// Values: x, y, z and, with an orientation, rx, ry, rz, a rotation vector along the axes of the world; without
// use_relative_mode a position and a quaternion w x y z, in the world. scale and offset have no meaning.
//
// mjlab has the same, but solves in each physics step, and has no hold_orientation. Isaac Lab's
// DifferentialInverseKinematicsAction has command_type for the weights, ik_params for the damping, and poses in the
// frame of the robot's root. Targets begin at where the joints are, so gravity must not make them sag:
// scene.models.gravcomp.
func differentialIK(b *Binder, p *ikParameters) *Action {
	t := newTargets(b, PositionActuator)
	if t.Scale != any(1) || t.Offset != nil {
		b.Fail("scale", "or offset is given, want delta_pos_scale or delta_ori_scale")
	}
	s := &ik{ikParameters: p, size: len(t.joints), joints: b.JointValues("joint_pos", t.joints)}
	s.bind(b, t.joints)
	t.bias = b.encoderBiases(t.joints)
	names := slices.Clone(axisSuffixes)
	for i := range names {
		names[i] = names[i][1:]
	}
	switch {
	case p.OrientationWeight == 0 || p.HoldOrientation:
	case p.UseRelativeMode:
		names = append(names, "rx", "ry", "rz")
	default:
		names = append(names, "qw", "qx", "qy", "qz")
	}
	b.plan.scratch = max(b.plan.scratch, s.size*(s.size+8))
	return t.bind(names, s.solve)
}

// bind finds the frame and how the joints move it.
func (s *ik) bind(b *Binder, joints []int) {
	index := b.One("frame_name", s.FrameType, s.FrameName)
	if b.err != nil {
		return
	}
	body, place := index, s.FrameType+"."+s.FrameName+"."
	switch s.FrameType {
	case "site":
		body = b.Robot.Sites[index].Body
	case "geom":
		body = b.Robot.Geoms[index].Body
	}
	s.position = b.Quantity(place + "position")
	if s.FrameType == "body" {
		s.turn = b.Quantity(place + "quaternion")
	} else {
		s.turn = b.probeValues(s.FrameType+"/"+s.FrameName+"/matrix", 9)
	}
	moves := make([]bool, len(b.Robot.Bodies))
	for ; body != 0; body = b.Robot.Bodies[body].Body {
		moves[body] = true
	}
	found := false
	for _, i := range joints {
		j := &b.Robot.Joints[i]
		var axis, anchor Handle
		if moves[j.Body] {
			found = true
			axis, anchor = b.probeValues("joint/"+j.Name+"/axis", 3), b.probeValues("joint/"+j.Name+"/anchor", 3)
			if j.Type == Slide {
				anchor = Handle{}
			}
		}
		s.axes, s.anchors = append(s.axes, axis), append(s.anchors, anchor)
		s.low, s.high = append(s.low, j.Low), append(s.high, j.High)
	}
	if !found {
		b.Fail("frame_name", "is %s, which none of the joints moves", s.FrameName)
	}
	s.posture = b.Start(joints)
	for i, q := range b.perName("posture_target", s.PostureTarget, "joint", b.jointNames(joints), math.NaN()) {
		if q == q {
			s.posture[i] = q
		}
	}
	if s.HoldOrientation {
		s.initial = b.Memory(5)
	}
}

// solve writes the targets.
func (s *ik) solve(v *View, action, out []float64) {
	n, position := s.size, v.Values(s.position)
	var turn [4]float64
	if q := v.Values(s.turn); len(q) == 4 {
		turn = normalize(q)
	} else {
		turn = matrixQuaternion(q)
	}
	e := s.errors(v, action, position, turn)

	// normal equations, below the diagonal, on the diagonal and, in right, beyond
	room := v.scratch[n:]
	left, right, jacobian := room[:n*n], room[n*n:n*n+n], room[n*n+n:n*n+7*n]
	s.jacobian(v, position, jacobian)
	weights := [2]float64{square(s.PositionWeight), square(s.OrientationWeight)}
	damping := square(max(s.Damping, 1e-6))
	joints := v.Values(s.joints)
	for i := range n {
		a := jacobian[6*i : 6*i+6]
		for k := range i + 1 {
			sum := 0.0
			for d, x := range a {
				sum += float64(float64(weights[d/3]*x) * jacobian[6*k+d])
			}
			left[i*n+k] = sum
		}
		right[i] = 0
		for d, x := range a {
			right[i] += float64(float64(weights[d/3]*x) * e[d])
		}
		if q := joints[i]; q < s.low[i] || q > s.high[i] {
			weight := square(s.JointLimitWeight)
			left[i*n+i] += weight
			right[i] += float64(weight * (min(max(q, s.low[i]), s.high[i]) - q))
		}
		posture := square(s.PostureWeight)
		left[i*n+i] += posture + damping
		right[i] += float64(posture * (s.posture[i] - joints[i]))
	}
	cholesky(left, right)
	for i, dq := range right {
		out[i] = joints[i] + min(max(dq, -s.MaxDq), s.MaxDq)
	}
}

// errors returns what lacks to the desired pose: a vector in m and a rotation vector in rad, in the world.
func (s *ik) errors(v *View, action, position []float64, turn [4]float64) (e [6]float64) {
	for i := range 3 {
		if s.UseRelativeMode {
			e[i] = float64(s.DeltaPosScale * action[i])
		} else {
			e[i] = action[i] - position[i]
		}
	}
	var spin [3]float64
	switch {
	case s.HoldOrientation:
		initial := v.Slot(s.initial)
		if initial[0] == 0 {
			initial[0] = 1
			copy(initial[1:], turn[:])
		}
		spin = rotation.Vector(rotation.Product([4]float64(initial[1:5]), rotation.Conjugate(turn)))
	case s.OrientationWeight == 0:
	case s.UseRelativeMode:
		for i := range spin {
			spin[i] = float64(s.DeltaOriScale * action[3+i])
		}
	default:
		spin = rotation.Vector(rotation.Product(normalize(action[3:7]), rotation.Conjugate(turn)))
	}
	copy(e[3:], spin[:])
	return e
}

// jacobian writes for each joint how the frame moves: a velocity, then an angular velocity, for a speed of 1.
func (s *ik) jacobian(v *View, position, dst []float64) {
	for i := range s.axes {
		column := dst[6*i : 6*i+6]
		clear(column)
		switch axis := v.Values(s.axes[i]); {
		case len(axis) == 0:
		case s.anchors[i].size == 0:
			copy(column, axis)
		default:
			o := v.Values(s.anchors[i])
			x, y, z := position[0]-o[0], position[1]-o[1], position[2]-o[2]
			column[0] = float64(axis[1]*z) - float64(axis[2]*y)
			column[1] = float64(axis[2]*x) - float64(axis[0]*z)
			column[2] = float64(axis[0]*y) - float64(axis[1]*x)
			copy(column[3:], axis)
		}
	}
}

// cholesky solves a system whose matrix, given below and on the diagonal by rows, is symmetric and positive definite.
// The solution takes the place of the right side, and the factor that of the matrix.
func cholesky(matrix, right []float64) {
	n := len(right)
	for i := range n {
		for k := range i + 1 {
			sum := matrix[i*n+k]
			for l := range k {
				sum -= float64(matrix[i*n+l] * matrix[k*n+l])
			}
			if i == k {
				matrix[i*n+i] = math.Sqrt(sum)
			} else {
				matrix[i*n+k] = sum / matrix[k*n+k]
			}
		}
		sum := right[i]
		for l := range i {
			sum -= float64(matrix[i*n+l] * right[l])
		}
		right[i] = sum / matrix[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		sum := right[i]
		for l := i + 1; l < n; l++ {
			sum -= float64(matrix[l*n+i] * right[l])
		}
		right[i] = sum / matrix[i*n+i]
	}
}
