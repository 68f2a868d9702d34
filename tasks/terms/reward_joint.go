package terms

import "math"

// jointTorquesL2 is the sum of the squared torques of the actuators at the joints:
//
//	Σ τ²
//
// in the newest substep of the control step. Unit (N·m)², or N² for slide joints. Isaac
// Lab has the same; mjlab sums over the forces of the actuators, before their gears.
func jointTorquesL2(b *Binder, p *jointParameters) RewardFunc {
	return squares(b.JointValues("joint_torque", b.Joints("joints", p.Joints)))
}

// jointVelL2 is the sum of the squared velocities of the joints:
//
//	Σ q̇²
//
// Unit (rad/s)² or (m/s)². The same in both peers.
func jointVelL2(b *Binder, p *jointParameters) RewardFunc {
	return squares(b.JointValues("joint_vel", b.Joints("joints", p.Joints)))
}

// jointVelL1 is the sum of the speeds of the joints:
//
//	Σ |q̇|
//
// Unit rad/s or m/s. Isaac Lab has the same; mjlab has no such term.
func jointVelL1(b *Binder, p *jointParameters) RewardFunc {
	return sumOver(b.JointValues("joint_vel", b.Joints("joints", p.Joints)),
		func(_ *View, _ int, u float64) float64 { return math.Abs(u) })
}

type hingeParameters struct {
	jointParameters `yaml:",inline"`
	// MaxVel is the speed above which a joint counts, rad/s or m/s.
	MaxVel float64 `yaml:"max_vel" want:"0..1e9"`
}

// jointVelocityHingePenalty is by how much joints are faster than they should be:
//
//	Σ max(|q̇| - max_vel, 0)²
//
// Unit (rad/s)² or (m/s)². mjlab has the same; Isaac Lab's joint_vel_limits is linear, and takes the limits of the
// robot.
func jointVelocityHingePenalty(b *Binder, p *hingeParameters) RewardFunc {
	return sumOver(b.JointValues("joint_vel", b.Joints("joints", p.Joints)),
		func(_ *View, _ int, u float64) float64 { return square(max(math.Abs(u)-p.MaxVel, 0)) })
}

// jointAccL2 is the sum of the squared accelerations of the joints:
//
//	Σ q̈²
//
// in the newest substep of the control step. Unit (rad/s²)² or (m/s²)². mjlab has the same;
// Isaac Lab takes differences of velocities. Isaac Lab's body_lin_acc_l2, in spite of its
// name, is not squared; there is no such term here.
func jointAccL2(b *Binder, p *jointParameters) RewardFunc {
	return squares(b.JointValues("joint_acc", b.Joints("joints", p.Joints)))
}

// jointDeviationL1 is how far the joints are from the start pose:
//
//	Σ |q - q_start|
//
// Unit rad or m. Isaac Lab has the same; mjlab has posture in its place.
func jointDeviationL1(b *Binder, p *jointParameters) RewardFunc {
	joints := b.Joints("joints", p.Joints)
	return sumOver(b.JointValues("joint_pos_rel", joints), func(_ *View, _ int, q float64) float64 { return math.Abs(q) })
}

type limitParameters struct {
	jointParameters `yaml:",inline"`
	// SoftLimitFactor is the share of the range of each joint, about its middle, that
	// counts as within the limits, of 1.
	SoftLimitFactor float64 `yaml:"soft_joint_pos_limit_factor" want:"above 0..1"`
}

// softLimits is narrowed, but fails if none of the joints has limits.
func (b *Binder) softLimits(joints []int, factor float64) (low, high []float64) {
	low, high = b.narrowLimits(joints, factor)
	for i := range low {
		if !math.IsInf(low[i], 0) || !math.IsInf(high[i], 0) {
			return low, high
		}
	}
	b.Fail("joints", ": no joint has limits, so none is ever beyond them")
	return low, high
}

// narrowLimits returns the limits of joints, narrowed about their middle by a factor; those of
// a joint without limits are infinite.
func (b *Binder) narrowLimits(joints []int, factor float64) (low, high []float64) {
	for _, i := range joints {
		lo, hi := b.Robot.Joints[i].Low, b.Robot.Joints[i].High
		if factor < 1 && !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
			middle, half := (lo+hi)/2, float64((hi-lo)/2*factor)
			lo, hi = middle-half, middle+half
		}
		low, high = append(low, lo), append(high, hi)
	}
	return low, high
}

// jointPosLimits is how far the joints are beyond their limits:
//
//	Σ max(low - q, 0) + max(q - high, 0)
//
// Unit rad or m. In both peers the soft_joint_pos_limit_factor is a property of the robot;
// it is 0.9 for most of their robots, and 1 here unless it is given.
func jointPosLimits(b *Binder, p *limitParameters) RewardFunc {
	joints := b.Joints("joints", p.Joints)
	low, high := b.softLimits(joints, p.SoftLimitFactor)
	return sumOver(b.JointValues("joint_pos", joints), func(_ *View, i int, q float64) float64 {
		return max(low[i]-q, 0) + max(q-high[i], 0)
	})
}

// actionL2 is the sum of the squares of the action:
//
//	Σ a²
//
// a is as in action_rate_l2. Unit 1. Isaac Lab has the same; mjlab has no such term.
func actionL2(b *Binder, _ *struct{}) RewardFunc { return squares(b.Quantity("action")) }

// actionRateL2 is the sum of the squared changes of the action:
//
//	Σ (a_t - a_t-1)²
//
// a is the action within its bounds, before scale and offset; 0 before the first of an episode. Unit 1. In both peers
// it is the action as the policy gave it, also beyond the bounds.
func actionRateL2(b *Binder, _ *struct{}) RewardFunc {
	last := b.Quantity("last_action")
	return sumOver(b.Quantity("action"), func(v *View, i int, a float64) float64 { return square(a - v.Values(last)[i]) })
}

// actionAccL2 is the sum of the squared second differences of the action:
//
//	Σ (a_t - 2·a_t-1 + a_t-2)²
//
// a is as in action_rate_l2. Unit 1. mjlab has the same; Isaac Lab has no such term.
func actionAccL2(b *Binder, _ *struct{}) RewardFunc {
	last, secondLast := b.Quantity("last_action"), b.Quantity("last_last_action")
	return sumOver(b.Quantity("action"), func(v *View, i int, a float64) float64 {
		return square(a - float64(2*v.Values(last)[i]) + v.Values(secondLast)[i])
	})
}

// electricalPowerCost is the power that the actuators put into the joints:
//
//	Σ max(τ·q̇, 0)
//
// τ is the torque in the newest substep, q̇ the velocity at the end of the control step.
// Braking gives nothing back. Unit W. mjlab has the same; Isaac Lab has no such term.
func electricalPowerCost(b *Binder, p *jointParameters) RewardFunc {
	joints := b.Joints("joints", p.Joints)
	torque, velocity := b.JointValues("joint_torque", joints), b.JointValues("joint_vel", joints)
	return sumOver(torque, func(v *View, i int, t float64) float64 { return max(float64(t*v.Values(velocity)[i]), 0) })
}

type postureParameters struct {
	jointParameters `yaml:",inline"`
	// Std is the deviation that is tolerated, rad or m: a number, or a mapping of patterns of joint names to numbers.
	Std PerJoint `yaml:"std"`
}

// posture rewards joints for staying near the start pose:
//
//	exp(-mean((q - q_start)² / std²))
//
// Unit 1, 0 to 1. mjlab has the same; Isaac Lab has joint_deviation_l1 in its place.
func posture(b *Binder, p *postureParameters) RewardFunc {
	joints := b.Joints("joints", p.Joints)
	std := b.deviations("std", p.Std, joints)
	return b.postureReward(joints, func(*View) []float64 { return std })
}

type variablePostureParameters struct {
	jointParameters `yaml:",inline"`
	// Command is the name of a velocity command. Its speed is √(c_x² + c_y²) + abs(c_ω).
	Command string `yaml:"command"`
	// StdStanding is the deviation that is tolerated below WalkingThreshold, as std of posture.
	StdStanding PerJoint `yaml:"std_standing"`
	// StdWalking is that from WalkingThreshold on.
	StdWalking PerJoint `yaml:"std_walking"`
	// StdRunning is that from RunningThreshold on.
	StdRunning PerJoint `yaml:"std_running"`
	// WalkingThreshold is the commanded speed from which the robot walks.
	WalkingThreshold float64 `yaml:"walking_threshold" want:"0..1e9"`
	// RunningThreshold is the commanded speed from which the robot runs.
	RunningThreshold float64 `yaml:"running_threshold" want:"0..1e9"`
}

// variablePosture rewards joints for staying near the start pose, and tolerates more at higher commanded speeds:
//
//	exp(-mean((q - q_start)² / std²))
//
// std is std_standing, std_walking or std_running. Unit 1, 0 to 1. mjlab has the same; Isaac Lab has no such term.
func variablePosture(b *Binder, p *variablePostureParameters) RewardFunc {
	joints, command := b.Joints("joints", p.Joints), b.Command("command", p.Command, 3)
	standing := b.deviations("std_standing", p.StdStanding, joints)
	walking := b.deviations("std_walking", p.StdWalking, joints)
	running := b.deviations("std_running", p.StdRunning, joints)
	return b.postureReward(joints, func(v *View) []float64 {
		switch speed := commandedSpeed(v.Values(command)); {
		case speed < p.WalkingThreshold:
			return standing
		case speed < p.RunningThreshold:
			return walking
		}
		return running
	})
}

// deviations returns a positive number for each joint.
func (b *Binder) deviations(key string, value PerJoint, joints []int) []float64 {
	std := b.perName(key, value, "joint", b.jointNames(joints), math.NaN())
	for i, s := range std {
		switch name := b.Robot.Joints[joints[i]].Name; {
		case math.IsNaN(s):
			b.Fail(key, ": no pattern matches joint %s, want a number for each joint", name)
		case !(s > 0 && s <= maxValue):
			b.Fail(key, "is %v for joint %s, want more than 0, at most %v", s, name, maxValue)
		}
	}
	return std
}

// postureReward rewards joints for staying near the start pose, by the deviations that are tolerated.
func (b *Binder) postureReward(joints []int, std func(v *View) []float64) RewardFunc {
	position := b.JointValues("joint_pos_rel", joints)
	return func(v *View) float64 {
		sum, tolerated := 0.0, std(v)
		for i, q := range v.Values(position) {
			sum += square(q / tolerated[i])
		}
		return math.Exp(-sum / float64(len(tolerated)))
	}
}
