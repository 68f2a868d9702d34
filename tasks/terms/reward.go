package terms

func rewardTerms() []Term {
	return []Term{
		reward("track_lin_vel_xy_exp", trackLinVelXYExp, trackParameters{Command: "velocity", Std: 0.5}),
		reward("track_ang_vel_z_exp", trackAngVelZExp, trackParameters{Command: "velocity", Std: 0.5}),
		reward("position_command_error_tanh", positionCommandErrorTanh, poseErrorParameters{Command: "pose", Std: 0.1}),
		reward("is_alive", isAlive, struct{}{}),
		reward("is_terminated", isTerminated, struct{}{}),
		reward("lin_vel_z_l2", linVelZL2, struct{}{}),
		reward("ang_vel_xy_l2", angVelXYL2, struct{}{}),
		reward("flat_orientation_l2", flatOrientationL2, struct{}{}),
		reward("base_height_l2", baseHeightL2, heightParameters{}),
		reward("joint_torques_l2", jointTorquesL2, jointParameters{}),
		reward("joint_vel_l2", jointVelL2, jointParameters{}),
		reward("joint_acc_l2", jointAccL2, jointParameters{}),
		reward("joint_deviation_l1", jointDeviationL1, jointParameters{}),
		reward("joint_pos_limits", jointPosLimits, limitParameters{SoftLimitFactor: 1}),
		reward("action_rate_l2", actionRateL2, struct{}{}),
		reward("action_acc_l2", actionAccL2, struct{}{}),
		reward("electrical_power_cost", electricalPowerCost, jointParameters{}),
		reward("posture", posture, postureParameters{Std: 0.25}),
		reward("feet_air_time", feetAirTime, airTimeParameters{
			Force: 1, Mode: landingMode, Threshold: 0.5, ThresholdMin: 0.05, ThresholdMax: 0.5, gateParameters: gateParameters{CommandThreshold: 0.1},
		}),
		reward("feet_slip", feetSlip, slipParameters{Force: 1, gateParameters: gateParameters{CommandThreshold: 0.01}}),
		reward("feet_clearance", feetClearance, clearanceParameters{TargetHeight: 0.1, gateParameters: gateParameters{CommandThreshold: 0.01}}),
		reward("undesired_contacts", undesiredContacts, touchParameters{Threshold: 1}),
		reward("forward_progress", forwardProgress, progressParameters{}),
	}
}

func rewardExpression(b *Binder, _ *struct{}) RewardFunc {
	e := b.Expression()
	if e.Size > 0 {
		b.Fail("expr", ": its value is a vector of %d, want a number; sum, mean and norm make one", e.Size)
	}
	if e.Size == 0 && e.Bool {
		b.Fail("expr", ": its value is a truth value, want a number; where(…, 1, 0) makes one")
	}
	return e.Float
}
