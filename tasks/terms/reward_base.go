package terms

import "math"

// maxValue is the largest size of lengths, speeds, forces and other parameters of terms.
const maxValue = 1e9

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
	return b.tracked(p, "base_lin_vel", func(c, u []float64) (commanded, others float64) {
		return square(c[0]-u[0]) + square(c[1]-u[1]), square(u[2])
	})
}

// tracked rewards following a command by the squared errors of a velocity.
func (b *Binder) tracked(p *trackParameters, quantity string,
	squared func(c, u []float64) (commanded, others float64)) RewardFunc {
	command, velocity := b.Command("command", p.Command, 3), b.Quantity(quantity)
	return func(v *View) float64 {
		e, others := squared(v.At(command), v.At(velocity))
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
	return b.tracked(p, "base_ang_vel", func(c, u []float64) (commanded, others float64) {
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
	inBase := c.pose.Frame == baseFrame
	var origin, turn Handle
	switch root := b.Robot.root(); {
	case inBase && b.base >= 0:
		origin, turn = b.Quantity("base_pos"), b.Quantity("base_quat")
	case inBase && root > 0:
		name := b.Robot.Bodies[root].Name
		origin, turn = b.Quantity("body."+name+".position"), b.Quantity("body."+name+".quaternion")
	default:
		inBase = false
	}
	return func(v *View) float64 {
		want := [3]float64(v.At(value)[:3])
		if inBase {
			o := v.At(origin)
			outOfFrame(&want, [4]float64(v.At(turn)), [3]float64{o[0], o[1], o[2]})
		}
		for i, is := range v.At(position) {
			want[i] -= is
		}
		return 1 - math.Tanh(math.Sqrt(sumOfSquares(want[:]))/p.Std)
	}
}

// outOfFrame makes of a point in the frame of a body the point in the world. q is the
// body's orientation, a unit quaternion, and origin its position.
func outOfFrame(point *[3]float64, q [4]float64, origin [3]float64) {
	q[1], q[2], q[3] = -q[1], -q[2], -q[3]
	var turned [3]float64
	intoFrame(turned[:], q, point[:])
	for i := range point {
		point[i] = origin[i] + turned[i]
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
	at := 0 // in the state row
	if p.Joint == "" {
		pose, _ := b.Base("")
		at = pose.Offset
	} else if i := b.One("joint", "joint", p.Joint); b.err == nil {
		j := b.Robot.Joints[i]
		if j.Type != Slide {
			b.Fail("joint", "is %s, a hinge, want a slide joint", p.Joint)
		}
		at = j.Position.Offset
	}
	place := b.Memory(2) // x before the control step, and after it
	b.OnReset(func(v *View) { v.Kept(place)[1] = v.State()[at] })
	b.OnStep(func(v *View) {
		x := v.Kept(place)
		x[0], x[1] = x[1], v.State()[at]
	})
	return func(v *View) float64 {
		x := v.Kept(place)
		return (x[1] - x[0]) / v.ControlSeconds()
	}
}

// summed returns a reward that adds up a function of each value of a quantity, with its index.
func summed(h Handle, f func(v *View, i int, x float64) float64) RewardFunc {
	return func(v *View) float64 {
		sum := 0.0
		for i, x := range v.At(h) {
			sum += f(v, i, x)
		}
		return sum
	}
}

// squares returns a reward that adds up the squares of a quantity.
func squares(h Handle) RewardFunc { return func(v *View) float64 { return sumOfSquares(v.At(h)) } }

func square(x float64) float64 { return float64(x * x) }

func sumOfSquares(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return sum
}
