package terms

import "math"

// rewardTerms are the terms of rewards, in the order of the page.
var rewardTerms = []Term{
	term("track_lin_vel_xy_exp", trackLinVelXYExp, trackParameters{Command: "velocity", Std: 0.5}),
	term("track_ang_vel_z_exp", trackAngVelZExp, trackParameters{Command: "velocity", Std: 0.5}),
	term("position_command_error_tanh", positionCommandErrorTanh, poseErrorParameters{Command: "pose", Std: 0.1}),
	term("is_alive", isAlive, struct{}{}),
	term("is_terminated", isTerminated, struct{}{}),
	term("lin_vel_z_l2", linVelZL2, struct{}{}),
	term("ang_vel_xy_l2", angVelXYL2, struct{}{}),
	term("flat_orientation_l2", flatOrientationL2, struct{}{}),
	term("body_angular_velocity_penalty", bodyAngularVelocityPenalty, bodyParameters{}),
	term("angular_momentum_penalty", angularMomentumPenalty, subtreeParameters{}),
	term("upright", upright, uprightParameters{Std: 0.5}),
	term("base_height_l2", baseHeightL2, heightParameters{}),
	term("joint_torques_l2", jointTorquesL2, jointParameters{}),
	term("joint_vel_l1", jointVelL1, jointParameters{}),
	term("joint_vel_l2", jointVelL2, jointParameters{}),
	term("joint_velocity_hinge_penalty", jointVelocityHingePenalty, hingeParameters{}),
	term("joint_acc_l2", jointAccL2, jointParameters{}),
	term("joint_deviation_l1", jointDeviationL1, jointParameters{}),
	term("joint_pos_limits", jointPosLimits, limitParameters{SoftLimitFactor: 1}),
	term("action_l2", actionL2, struct{}{}),
	term("action_rate_l2", actionRateL2, struct{}{}),
	term("action_acc_l2", actionAccL2, struct{}{}),
	term("electrical_power_cost", electricalPowerCost, jointParameters{}),
	term("posture", posture, postureParameters{Std: 0.25}),
	term("variable_posture", variablePosture, variablePostureParameters{StdStanding: 0.25, StdWalking: 0.5,
		StdRunning: 1.0, WalkingThreshold: 0.5, RunningThreshold: 1.5}),
	term("feet_air_time", feetAirTime, airTimeParameters{
		contactParameters: contactParameters{Force: 1}, gateParameters: gateParameters{CommandThreshold: 0.1},
		Mode: landingMode, Threshold: 0.5, ThresholdMin: 0.05, ThresholdMax: 0.5,
	}),
	term("feet_slip", feetSlip, slipParameters{contactParameters{Force: 1},
		gateParameters{CommandThreshold: 0.01}}),
	term("feet_clearance", feetClearance, clearanceParameters{TargetHeight: 0.1,
		gateParameters: gateParameters{CommandThreshold: 0.01}}),
	term("feet_swing_height", feetSwingHeight, swingParameters{contactParameters: contactParameters{Force: 1},
		TargetHeight: 0.1, gateParameters: gateParameters{CommandThreshold: 0.05}}),
	term("soft_landing", softLanding, slipParameters{contactParameters{Force: 1},
		gateParameters{CommandThreshold: 0.05}}),
	term("self_collision_cost", selfCollisionCost, collisionParameters{Threshold: 10}),
	term("undesired_contacts", undesiredContacts, touchParameters{Threshold: 1}),
	term("forward_progress", forwardProgress, progressParameters{}),
	term("staged_position_reward", stagedPositionReward, stagedParameters{ReachingStd: 0.2, BringingStd: 0.3}),
	term("bring_object_reward", bringObjectReward, bringParameters{Std: 0.05}),
	term("motion_global_anchor_position_error_exp", motionGlobalAnchorPositionErrorExp, imitation(0.3)),
	term("motion_global_anchor_orientation_error_exp", motionGlobalAnchorOrientationErrorExp, imitation(0.4)),
	term("motion_relative_body_position_error_exp", motionRelativeBodyPositionErrorExp,
		motionBodyErrorParameters{motionErrorParameters: imitation(0.3)}),
	term("motion_relative_body_orientation_error_exp", motionRelativeBodyOrientationErrorExp,
		motionBodyErrorParameters{motionErrorParameters: imitation(0.4)}),
	term("motion_global_body_linear_velocity_error_exp", motionGlobalBodyLinearVelocityErrorExp,
		motionBodyErrorParameters{motionErrorParameters: imitation(1)}),
	term("motion_global_body_angular_velocity_error_exp", motionGlobalBodyAngularVelocityErrorExp,
		motionBodyErrorParameters{motionErrorParameters: imitation(3.14)}),
}

// Reward is a bound reward term.
type Reward struct {
	Value  *Staged[RewardFunc] // a curriculum may change both
	Weight *Staged[float64]
}

// BindReward binds an entry of rewards.
func (b *Binder) BindReward(p *Parsed) *Reward {
	r := &Reward{BindStaged[RewardFunc](b, p, RewardPhase), &Staged[float64]{first: *p.Common.(*RewardKeys).Weight}}
	b.weights[p.Head.Name] = r.Weight
	return r
}

// sumOver returns a reward that adds up a function of each value of a quantity, with its index.
func sumOver(h Handle, f func(v *View, i int, x float64) float64) RewardFunc {
	return func(v *View) float64 {
		sum := 0.0
		for i, x := range v.Values(h) {
			sum += f(v, i, x)
		}
		return sum
	}
}

// squares returns a reward that adds up the squares of a quantity.
func squares(h Handle) RewardFunc { return func(v *View) float64 { return sumOfSquares(v.Values(h)) } }

// gateParameters make a term count only while the robot is told to move.
type gateParameters struct {
	// Command is the name of a velocity command; the term counts always if not given.
	Command string `yaml:"command"`
	// CommandThreshold is the commanded speed, √(c_x² + c_y²) + abs(c_ω), above which the term counts.
	CommandThreshold float64 `yaml:"command_threshold" want:"0..1e9"`
}

// gate makes a reward 0 while the commanded speed is not above the threshold.
func (b *Binder) gate(p *gateParameters, value RewardFunc) RewardFunc {
	if p.Command == "" {
		return value
	}
	command := b.Command("command", p.Command, 3)
	return func(v *View) float64 {
		if commandedSpeed(v.Values(command)) <= p.CommandThreshold {
			return 0
		}
		return value(v)
	}
}

// commandedSpeed is the speed of a velocity command: that in the plane and the yaw rate together.
func commandedSpeed(c []float64) float64 { return math.Sqrt(sumOfSquares(c[:2])) + math.Abs(c[2]) }
