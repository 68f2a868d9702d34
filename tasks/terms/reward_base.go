package terms

import (
	"math"
	"strings"
)

type trackParameters struct {
	// Command is the name of a velocity command.
	Command string `yaml:"command"`
	// Std is the error at which the reward falls to 1/e, m/s or rad/s.
	Std float64 `yaml:"std" want:"above 0..1e9"`
	// Others adds the squares of the velocities that are not commanded to the error: v_z
	// to that of the linear velocity, ω_x and ω_y to that of the yaw rate.
	Others bool `yaml:"others"`
}

// trackLinVelXYExp rewards following the commanded horizontal velocity:
//
//	exp(-((c_x - v_x)² + (c_y - v_y)²) / std²)
//
// Unit 1, 0 to 1. Frame: base. Isaac Lab has the same. mjlab's track_linear_velocity adds
// v_z² to the error: others: true does so here.
func trackLinVelXYExp(b *Binder, p *trackParameters) RewardFunc {
	return b.trackingReward(p, "base_lin_vel", func(c, u []float64) (commanded, others float64) {
		return square(c[0]-u[0]) + square(c[1]-u[1]), square(u[2])
	})
}

// trackingReward rewards following a command by the squared errors of a velocity.
func (b *Binder) trackingReward(p *trackParameters, quantity string,
	squaredErrors func(c, u []float64) (commanded, others float64)) RewardFunc {
	command, velocity := b.Command("command", p.Command, 3), b.Quantity(quantity)
	return func(v *View) float64 {
		e, others := squaredErrors(v.Values(command), v.Values(velocity))
		if p.Others {
			e += others
		}
		return math.Exp(-e / (p.Std * p.Std))
	}
}

// trackAngVelZExp rewards following the commanded yaw rate:
//
//	exp(-(c_ω - ω_z)² / std²)
//
// Unit 1, 0 to 1. Frame: base. Isaac Lab has the same. mjlab's track_angular_velocity adds
// ω_x² + ω_y² to the error: others: true does so here.
func trackAngVelZExp(b *Binder, p *trackParameters) RewardFunc {
	return b.trackingReward(p, "base_ang_vel", func(c, u []float64) (commanded, others float64) {
		return square(c[2] - u[2]), square(u[0]) + square(u[1])
	})
}

type poseErrorParameters struct {
	// Command is the name of a uniform_pose command.
	Command string `yaml:"command"`
	// Std is the distance at which the reward falls to 1 - tanh 1 = 0.24, m.
	Std float64 `yaml:"std" want:"above 0..1e9"`
}

// positionCommandErrorTanh rewards a body for being where a uniform_pose command wants it:
//
//	1 - tanh(|p - c| / std)
//
// p is the position of the origin of the frame of the command's body, c the commanded position, both in the world: a
// command in the base's frame moves with the base. Unit 1, 0 to 1. Isaac Lab has the same, with the body given beside
// the command; mjlab has no such term.
func positionCommandErrorTanh(b *Binder, p *poseErrorParameters) RewardFunc {
	value := b.Command("command", p.Command, 7)
	c := b.commands[p.Command]
	if c == nil || c.pose == nil {
		b.Fail("command", "is %s, want a uniform_pose command", p.Command)
		return nil
	}
	position := b.Quantity("body." + c.pose.Body + ".position")
	e := b.subject()
	inBase := c.pose.Frame == baseFrame && (e.base >= 0 || e.frame > 0) // else that is the frame of the world
	var origin, turn Handle
	if inBase {
		origin, turn = b.rootPose()
	}
	return func(v *View) float64 {
		want := [3]float64(v.Values(value)[:3])
		if inBase {
			want = transformPoint(want[:], [4]float64(v.Values(turn)), v.Values(origin))
		}
		want = difference(want[:], v.Values(position))
		return 1 - math.Tanh(math.Sqrt(sumOfSquares(want[:]))/p.Std)
	}
}

// isAlive is 1 unless a termination ends the episode with this control step; a truncation
// leaves it 1. Unit 1. The same in both peers.
func isAlive(b *Binder, _ *struct{}) RewardFunc {
	terminated := b.Quantity("terminated")
	return func(v *View) float64 { return 1 - v.Scalar(terminated) }
}

// isTerminated is 1 if a termination ends the episode with this control step, truncations
// apart. Unit 1. The same in both peers. Since rewards are multiplied by dt, a weight of
// -100 costs 2 at 50 Hz.
func isTerminated(b *Binder, _ *struct{}) RewardFunc {
	terminated := b.Quantity("terminated")
	return func(v *View) float64 { return v.Scalar(terminated) }
}

// linVelZL2 is the squared vertical velocity of the base:
//
//	v_z²
//
// Unit (m/s)². Frame: base. Isaac Lab has the same; mjlab has no such term, see track_lin_vel_xy_exp.
func linVelZL2(b *Binder, _ *struct{}) RewardFunc {
	return squares(b.Quantity("base_lin_vel").part(2, 3))
}

// angVelXYL2 is the squared roll and pitch rate of the base:
//
//	ω_x² + ω_y²
//
// Unit (rad/s)². Frame: base. Isaac Lab has the same; mjlab's
// body_angular_velocity_penalty is that of any body in the world's frame.
func angVelXYL2(b *Binder, _ *struct{}) RewardFunc {
	return squares(b.Quantity("base_ang_vel").part(0, 2))
}

// flatOrientationL2 is how far the base leans:
//
//	g_x² + g_y²
//
// g is the projected gravity. Unit 1: sin² of the angle to the vertical. Frame: base. The same in both peers.
func flatOrientationL2(b *Binder, _ *struct{}) RewardFunc {
	return squares(b.Quantity("projected_gravity").part(0, 2))
}

type uprightParameters struct {
	// Body is the name of the body that should be upright; the base if not given.
	Body string `yaml:"body"`
	// Std is the sine of the angle at which the reward falls to 1/e.
	Std float64 `yaml:"std" want:"above 0..1e9"`
	// Feet are patterns of the names of bodies, geoms or sites. With them the body should be upright on the plane
	// through the ground below these, in place of that of a level ground.
	Feet Patterns `yaml:"feet"`
}

// upright rewards a body for standing upright:
//
//	exp(-(n_x² + n_y²) / std²)
//
// n is the normal of the ground as the body sees it, upwards: (0, 0, 1) in the world or, with feet, that of the plane
// z = a·x + b·y + c that fits the ground below them by least squares. Unit 1, 0 to 1. Frame: that of the body. mjlab
// has the same, with terrain_sensor_names in place of feet; Isaac Lab's upright_posture_bonus is 1 above a threshold.
func upright(b *Binder, p *uprightParameters) RewardFunc {
	var quaternion Handle
	if p.Body == "" {
		quaternion = b.Quantity("base_quat")
	} else {
		b.One("body", "body", p.Body)
		quaternion = b.Quantity("body." + p.Body + ".quaternion")
	}
	var position Handle
	if p.Feet != nil {
		position = b.Feet("feet", p.Feet, 1).Position()
	}
	return func(v *View) float64 {
		normal, seen := [3]float64{0, 0, 1}, [3]float64{}
		if p.Feet != nil {
			normal = b.Robot.groundNormal(v.Values(position))
		}
		rotateInverse(seen[:], [4]float64(v.Values(quaternion)), normal[:])
		return math.Exp(-sumOfSquares(seen[:2]) / (p.Std * p.Std))
	}
}

// bodyAngularVelocityPenalty is the squared angular velocity of bodies about the horizontal:
//
//	Σ ω_x² + ω_y²
//
// Unit (rad/s)². Frame: world. mjlab has the same; Isaac Lab has ang_vel_xy_l2 of the base in the base's frame.
func bodyAngularVelocityPenalty(b *Binder, p *bodyParameters) RewardFunc {
	var velocities []Handle
	_, names := b.Select("bodies", "body", p.Bodies)
	for _, name := range names {
		velocities = append(velocities, b.Quantity("body."+name+".velocity").part(3, 5))
	}
	return func(v *View) float64 {
		sum := 0.0
		for _, h := range velocities {
			sum += sumOfSquares(v.Values(h))
		}
		return sum
	}
}

type subtreeParameters struct {
	// Body is the name of a body, which counts with all that hangs on it; the whole robot if not given.
	Body string `yaml:"body"`
}

// subtrees returns the bodies of parameters, which count with all that hangs on them: one, or those that carry a robot
// which is fixed to the world by several.
func (b *Binder) subtrees(name string) (names []string) {
	trees := b.subject().trees
	if name != "" {
		trees = []int{b.One("body", "body", name)}
	}
	if len(trees) == 0 {
		b.Fail("body", ": not given, and %s has no body that moves, want the name of one", b.subject())
		return []string{b.Robot.Bodies[0].Name}
	}
	for _, body := range trees {
		names = append(names, b.Robot.Bodies[body].Name)
	}
	return names
}

// angularMomentumPenalty is the squared angular momentum of a body and what hangs on it:
//
//	L_x² + L_y² + L_z²
//
// L is about the centre of mass of these bodies. Unit (kg·m²/s)². mjlab has the same, of a subtreeangmom sensor of
// MuJoCo's; Isaac Lab has no such term.
func angularMomentumPenalty(b *Binder, p *subtreeParameters) RewardFunc {
	names := b.subtrees(p.Body)
	if len(names) > 1 {
		b.Fail("body", ": not given, and %s hangs on the world by several bodies, %s, want the name of one", b.subject(),
			strings.Join(names, ", "))
	}
	return squares(b.Quantity("body." + names[0] + ".angular_momentum"))
}

type heightParameters struct {
	// TargetHeight is the height of the origin of the base's frame, m above the ground.
	TargetHeight float64 `yaml:"target_height" want:"-1e9..1e9"`
}

// baseHeightL2 is the squared error of the height of the base:
//
//	(z - target_height)²
//
// z is the height above the ground, which is the highest at the place of the scene's terrain, or z = 0. Unit m². Isaac
// Lab has the same, and can add the height of the ground from a ray caster; mjlab has no such term.
func baseHeightL2(b *Binder, p *heightParameters) RewardFunc {
	height := b.Quantity("base_height")
	return func(v *View) float64 { return square(v.Scalar(height) - p.TargetHeight) }
}

type progressParameters struct {
	// Joint is the name of a slide joint whose motion counts, in place of the base's.
	Joint string `yaml:"joint"`
}

// forwardProgress is the mean forward velocity in the control step:
//
//	(x(t) - x(t - dt)) / dt
//
// x is the first coordinate of the base, or the position of the joint. Unit m/s. Frame:
// world. It is the forward_reward of Gymnasium's tasks; the peers have no such term.
func forwardProgress(b *Binder, p *progressParameters) RewardFunc {
	index := 0 // in the state row
	if p.Joint == "" {
		pose, _ := b.Base("")
		index = pose.Offset
	} else if i := b.One("joint", "joint", p.Joint); b.err == nil {
		j := b.Robot.Joints[i]
		if j.Type != Slide {
			b.Fail("joint", "is %s, a hinge, want a slide joint", p.Joint)
		}
		index = j.Position.Offset
	}
	place := b.Memory(2) // x before the control step, and after it
	b.OnReset(func(v *View) { v.Slot(place)[1] = v.State()[index] })
	b.OnStep(func(v *View) {
		x := v.Slot(place)
		x[0], x[1] = x[1], v.State()[index]
	})
	return func(v *View) float64 {
		x := v.Slot(place)
		return (x[1] - x[0]) / v.ControlSeconds()
	}
}
