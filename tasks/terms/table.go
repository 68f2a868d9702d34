package terms

import (
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Term is a row of the table of terms.
type Term struct {
	Kind Kind
	Name string

	keys func() reflect.Value           // a pointer to an [all] with the defaults
	bind func(b *Binder, p *Parsed) any // one of the types below
	docs string                         // name of the Go function whose comment describes it; else that of the row does

	check func(c *bounds.Check, parameters any) // checks them after their tags; nil: see [checker]
	lasts bool                                  // an event that does more than change the state in which an episode begins
	axes  string                                // what the page says of a parameter axes; see [field]
}

// What terms of the kinds are bound to. They are called for one world at a time and on many goroutines.
type (
	// RewardFunc returns the value of a reward, to be weighted, for the control step that ends now.
	RewardFunc func(v *View) float64

	// TerminationFunc reports whether the episode ends with this control step; nil for a time_out.
	TerminationFunc func(v *View) bool

	// EventFunc changes the world's state, parameters or memory. r is the event's stream.
	EventFunc func(v *View, r *rand.Rand)

	// CurriculumFunc is not called: a curriculum term changes what it names while it is bound, see [Staged].
	CurriculumFunc struct{}
)

// term makes a row. The type that bind returns says of which kind the term is; defaults are those of its parameters.
func term[P, R any](name string, bind func(*Binder, *P) R, defaults P) Term {
	t := Term{
		Name: name, docs: functionName(bind),
		bind: func(b *Binder, p *Parsed) any { return bind(b, p.Parameters.(*P)) },
	}
	switch any(*new(R)).(type) {
	case *Action:
		t.Kind, t.keys = Actions, keysOf(ActionKeys{Scale: 1, Clip: Range{-1, 1}}, defaults)
	case *Observation:
		t.Kind, t.keys = Observations, keysOf(ObservationKeys{}, defaults)
	case RewardFunc:
		t.Kind, t.keys = Rewards, keysOf(RewardKeys{}, defaults)
	case TerminationFunc:
		t.Kind, t.keys = Terminations, keysOf(TerminationKeys{}, defaults)
	case *Command:
		t.Kind, t.keys = Commands, keysOf(CommandKeys{Resampling: defaultResampling}, defaults)
	case EventFunc:
		t.Kind, t.keys = Events, keysOf(EventKeys{Mode: Reset}, defaults)
	case CurriculumFunc:
		t.Kind, t.keys = Curriculum, keysOf(NoKeys{}, defaults)
	}
	return t
}

// lasting makes a row of an event that does more than change the state in which an episode begins.
func lasting(t Term) Term {
	t.lasts = true
	return t
}

// functionName returns the name of a function of this package.
func functionName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// table holds all terms, in the order of the page. It is only read.
var table = slices.Concat([]Term{
	term("joint_position", jointPosition, jointPositionParameters{DefaultOffset: true}),
	term("relative_joint_position", relativeJointPosition, struct{}{}),
	term("joint_velocity", jointVelocity, struct{}{}),
	term("joint_effort", jointEffort, struct{}{}),
	term("actuator_control", actuatorControl, actuatorControlParameters{}),
	term("differential_ik", differentialIK, ikParameters{FrameType: "body", UseRelativeMode: true, DeltaPosScale: 1,
		DeltaOriScale: 1, Damping: 0.05, MaxDq: 0.5, PositionWeight: 1, OrientationWeight: 1}),
	term("binary_joint_position", binaryJointPosition, gripperParameters{}),
	term("binary_joint_velocity", binaryJointVelocity, gripperParameters{}),
	term("gripper_position", gripperPosition, gripperParameters{}),
	term("tendon_length", tendonLength, tendonActionParameters{}),
	term("tendon_velocity", tendonVelocity, tendonActionParameters{}),
	term("tendon_effort", tendonEffort, tendonActionParameters{}),
	term("site_effort", siteEffort, siteEffortParameters{}),
	term("muscle_excitation", muscleExcitation, muscleParameters{}),

	term("base_lin_vel", baseLinVel, struct{}{}),
	term("base_ang_vel", baseAngVel, struct{}{}),
	term("projected_gravity", projectedGravity, gravityParameters{}),
	term("base_pos_z", basePosZ, struct{}{}),
	term("joint_pos_rel", jointPosRel, jointPosParameters{Biased: true}),
	term("joint_vel_rel", jointVelRel, jointParameters{}),
	term("last_action", lastAction, struct{}{}),
	term("generated_commands", generatedCommands, commandParameters{}),
	term("sensor", sensorChannel, channelParameters{}),
	term("body_pose_w", bodyPoseW, bodyParameters{}),
	term("body_pose_b", bodyPoseB, bodyParameters{}),
	term("body_incoming_wrench", bodyIncomingWrench, bodyParameters{}),
	term("foot_height", footHeight, feetParameters{}),
	term("foot_contact", footContact, contactParameters{Force: 1}),
	term("foot_contact_forces", footContactForces, feetParameters{}),
	term("foot_air_time", footAirTime, contactParameters{Force: 1}),
	term("gait_phase", gaitPhase, gaitParameters{Frequency: 2}),
	term("ee_to_object_distance", eeToObjectDistance, reachParameters{}),
	term("object_to_goal_distance", objectToGoalDistance, liftParameters{}),
	term("target_position", targetPosition, reachParameters{}),
	term("ee_velocity", eeVelocity, siteParameters{}),
	term("motion_anchor_pos_b", motionAnchorPosB, motionNameParameters{Command: MotionTerm}),
	term("motion_anchor_ori_b", motionAnchorOriB, motionNameParameters{Command: MotionTerm}),
	term("robot_body_pos_b", robotBodyPosB, motionNameParameters{Command: MotionTerm}),
	term("robot_body_ori_b", robotBodyOriB, motionNameParameters{Command: MotionTerm}),

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

	term("time_out", timeOut, struct{}{}),
	term("bad_orientation", badOrientation, orientationParameters{Limit: 1}),
	term("root_height_below_minimum", rootHeightBelowMinimum, minimumHeightParameters{}),
	term("terrain_out_of_bounds", terrainOutOfBounds, boundsParameters{DistanceBuffer: 3}),
	term("terrain_edge_reached", terrainEdgeReached, edgeParameters{ThresholdFraction: 0.95}),
	term("illegal_contact", illegalContact, touchParameters{Threshold: 1}),
	term("joint_pos_out_of_limit", jointPosOutOfLimit, limitParameters{SoftLimitFactor: 1}),
	term("nan_detection", nanDetection, struct{}{}),
	term("bad_anchor_pos", badAnchorPos, motionThresholdParameters{MotionTerm, 0.25}),
	term("bad_anchor_pos_z_only", badAnchorPosZOnly, motionThresholdParameters{MotionTerm, 0.25}),
	term("bad_anchor_ori", badAnchorOri, motionThresholdParameters{MotionTerm, 0.8}),
	term("bad_motion_body_pos", badMotionBodyPos,
		motionBodyThresholdParameters{motionThresholdParameters: motionThresholdParameters{MotionTerm, 0.25}}),
	term("bad_motion_body_pos_z_only", badMotionBodyPosZOnly,
		motionBodyThresholdParameters{motionThresholdParameters: motionThresholdParameters{MotionTerm, 0.25}}),

	term("uniform_velocity", uniformVelocity, uniformVelocityParameters{HeadingStiffness: 1, RelHeading: 1}),
	term("uniform_pose", uniformPose, uniformPoseParameters{Frame: baseFrame}),
	term("lifting_command", liftingCommand, liftingParameters{SuccessThreshold: 0.05, Difficulty: "fixed",
		TargetPosition: pointParameters{X: Range{0.3, 0.5}, Y: Range{-0.2, 0.2}, Z: Range{0.2, 0.4}}}),
	term(MotionTerm, motionCommand, motionParameters{CSVRate: 30, Sampling: adaptiveSampling, KernelSize: 1, Lambda: 0.8,
		UniformRatio: 0.1, Alpha: 0.1}),

	term("reset_root_state_uniform", resetRootStateUniform, rootStateParameters{}),
	term("reset_root_state_from_flat_patches", resetRootStateFromFlatPatches, rootStateParameters{}),
	term("reset_joints_by_offset", resetJointsByOffset, jointOffsetParameters{SoftLimitFactor: 1}),
	term("reset_joints_by_scale", resetJointsByScale, jointScaleParameters{Position: Range{1, 1}, Velocity: Range{1, 1},
		SoftLimitFactor: 1}),
	term("push_by_setting_velocity", pushBySettingVelocity, pushParameters{}),
	term("apply_external_force_torque", applyExternalForceTorque, wrenchParameters{}),
	lasting(term("apply_body_impulse", applyBodyImpulse, impulseParameters{})),
	term("encoder_bias", encoderBias, biasParameters{}),
}, fields, []Term{
	term("commands_vel", commandsVel, commandsVelParameters{}),
	term("reward_weight", rewardWeight, rewardWeightParameters{}),
	term("reward_curriculum", rewardCurriculum, rewardCurriculumParameters{}),
	term("termination_curriculum", terminationCurriculum, terminationCurriculumParameters{}),
	term("event_curriculum", eventCurriculum, eventCurriculumParameters{}),
	term("terrain_levels", terrainLevels, levelParameters{Command: "velocity"}),
})

// imitation are the parameters of a reward for imitating a motion.
func imitation(std float64) motionErrorParameters { return motionErrorParameters{MotionTerm, std} }

// expressions are the rows of entries with "expr" in place of a term.
var expressions = []Term{
	term("expr", observationExpression, struct{}{}),
	term("expr", rewardExpression, struct{}{}),
	term("expr", terminationExpression, struct{}{}),
	{Kind: Infos, Name: "expr", keys: keysOf(NoKeys{}, struct{}{}),
		bind: func(b *Binder, _ *Parsed) any { return rewardExpression(b, nil) }},
}

// All yields the terms of a kind by name, and "expr" where an expression may stand, each
// with a pointer to an entry that holds the defaults: a struct with yaml tags.
func All(kind Kind) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for _, t := range slices.Concat(table, expressions) {
			if t.Kind == kind && !yield(t.Name, t.keys()) {
				return
			}
		}
	}
}
