package terms

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

const (
	peersFile    = "../../docs/reference/terms-elsewhere.md"
	mjlabSources = "../../third_party/robots/mjlab/mjlab"
)

// answers are what answers to names of mjlab that no term here has: "term NAME", or what else does.
var answers = map[string]string{
	"builtin_sensor":                "term sensor",
	"projected_gravity_from_sensor": "term projected_gravity",
	"height_scan":                   "term sensor",
	"camera_rgb":                    "term sensor",
	"camera_depth":                  "term sensor",
	"camera_segmentation":           "term sensor",
	"track_linear_velocity":         "term track_lin_vel_xy_exp",
	"track_angular_velocity":        "term track_ang_vel_z_exp",
	"out_of_terrain_bounds":         "term terrain_out_of_bounds",
	"terrain_levels_vel":            "term terrain_levels",
	"body_ipos":                     "term body_com_offset",
	"dof_armature":                  "term joint_armature",
	"dof_damping":                   "term joint_damping",
	"dof_frictionloss":              "term joint_friction",
	"jnt_range":                     "term joint_limits",
	"jnt_stiffness":                 "term joint_stiffness",
	"qpos0":                         "term joint_default_pos",
	"tendon_frictionloss":           "term tendon_friction",

	"JointPositionActionCfg":         "term joint_position",
	"RelativeJointPositionActionCfg": "term relative_joint_position",
	"JointVelocityActionCfg":         "term joint_velocity",
	"JointEffortActionCfg":           "term joint_effort",
	"TendonLengthActionCfg":          "term tendon_length",
	"TendonVelocityActionCfg":        "term tendon_velocity",
	"TendonEffortActionCfg":          "term tendon_effort",
	"SiteEffortActionCfg":            "term site_effort",
	"DifferentialIKActionCfg":        "term differential_ik",
	"UniformVelocityCommandCfg":      "term uniform_velocity",
	"MotionCommandCfg":               "term motion",
	"LiftingCommandCfg":              "term lifting_command",

	"mean_action_acc": "an info: `{name: mean_action_acc, " +
		"expr: \"mean(abs(action - 2 * last_action + last_last_action))\"}`",
	"randomize_terrain":      "what happens without `terrain_levels`: each episode draws its patch",
	"reset_scene_to_default": "what happens as each episode begins, before events",

	"BuiltinPositionActuatorCfg": "`scene.actuators` with `type: position`",
	"BuiltinPdActuatorCfg":       "`scene.actuators` with `type: position`, whose target velocity is 0",
	"IdealPdActuatorCfg":         "`scene.actuators` with `type: position`, which integrators know",
	"BuiltinMotorActuatorCfg":    "`scene.actuators` with `type: effort`",
	"BuiltinVelocityActuatorCfg": "`scene.actuators` with `type: velocity`",
	"BuiltinMuscleActuatorCfg":   "`<muscle>` of the model's file, with `muscle_excitation`",
	"BuiltinDcMotorActuatorCfg":  "`<dcmotor>` of the model's file, with `actuator_control`",
	"XmlActuatorCfg":             "actuators of the model's file, which terms know as those of `scene.actuators`",
	"DcMotorActuatorCfg":         "`scene.actuators` with `type: dc_motor`",
	"LearnedMlpActuatorCfg":      "`scene.actuators` with `type: learned`",
}

// unanswered are names of mjlab that nothing here answers to. The section of docs/explanation/decisions.md names each.
var unanswered = strings.Fields(`cam_intrinsic light_attenuation light_cutoff light_exponent light_specular
	mat_emission mat_shininess mat_specular geom_matid camera_target_cube_mask multi_cube_staged_position_reward
	multi_cube_bring_object_reward MultiCubeLiftingCommandCfg`)

// isaac are the names of Isaac Lab that terms answer to, beside those that are the same.
var isaac = map[string]string{
	"sensor": "height_scan, image, imu_ang_vel, imu_lin_acc, imu_orientation", "base_pos_z": "base_pos_z",
	"joint_position": "JointPositionActionCfg", "relative_joint_position": "RelativeJointPositionActionCfg",
	"joint_velocity": "JointVelocityActionCfg", "joint_effort": "JointEffortActionCfg",
	"uniform_velocity": "UniformVelocityCommandCfg", "uniform_pose": "UniformPoseCommandCfg",
	"body_mass": "randomize_rigid_body_mass", "body_com_offset": "randomize_rigid_body_com",
	"geom_friction": "randomize_rigid_body_material", "pd_gains": "randomize_actuator_gains",
	"joint_armature": "randomize_joint_parameters", "joint_friction": "randomize_joint_parameters",
	"joint_limits": "randomize_joint_parameters", "tendon_damping": "randomize_fixed_tendon_parameters",
	"tendon_stiffness": "randomize_fixed_tendon_parameters", "geom_size": "randomize_rigid_body_scale",
	"reward_weight": "modify_reward_weight", "reward_curriculum": "modify_term_cfg",
	"termination_curriculum": "modify_term_cfg", "event_curriculum": "modify_term_cfg",
	"terrain_levels": "terrain_levels_vel", "feet_slip": "feet_slide",
	"binary_joint_position": "BinaryJointPositionActionCfg", "binary_joint_velocity": "BinaryJointVelocityActionCfg",
	"differential_ik": "DifferentialInverseKinematicsActionCfg",
}

// isaacSame are names that Isaac Lab and we have.
var isaacSame = strings.Fields(`base_lin_vel base_ang_vel projected_gravity base_pos_z joint_pos_rel joint_vel_rel
	last_action generated_commands body_pose_w body_incoming_wrench track_lin_vel_xy_exp track_ang_vel_z_exp
	position_command_error_tanh is_alive is_terminated lin_vel_z_l2 ang_vel_xy_l2 flat_orientation_l2 base_height_l2
	joint_torques_l2 joint_vel_l1 joint_vel_l2 joint_acc_l2 joint_deviation_l1 joint_pos_limits action_l2 action_rate_l2
	feet_air_time undesired_contacts time_out bad_orientation root_height_below_minimum terrain_out_of_bounds
	illegal_contact joint_pos_out_of_limit reset_root_state_uniform reset_joints_by_offset reset_joints_by_scale
	push_by_setting_velocity apply_external_force_torque randomize_physics_scene_gravity`)

// isTerm finds what of a source file of mjlab's is a term: functions of the environment, classes that are called like
// them, second names of both, and settings of actions, commands and actuators.
var isTerm = regexp.MustCompile(`(?m)^(?:def ([a-z]\w*)\(\s*env\b|class ([a-z]\w*)[:(]|([a-z]\w*) = [a-z]\w*$|` +
	`class (\w+(?:Action|Command|Actuator)Cfg)\()`)

// notTerms are what else looks like that: helpers and what the settings of others are made of.
var notTerms = strings.Fields("resolve_env_ids terrain_normal_from_sensors BaseActionCfg ActuatorCfg")

// mjlabNames returns the names of mjlab's terms.
func mjlabNames(t *testing.T) []string {
	names := map[string]bool{}
	for _, pattern := range []string{"envs/mdp/*.py", "envs/mdp/*/*.py", "tasks/*/mdp/*.py", "actuator/*.py"} {
		for _, file := range polytest.Must(filepath.Glob(filepath.Join(mjlabSources, pattern)))(t) {
			for _, m := range isTerm.FindAllStringSubmatch(string(polytest.Must(os.ReadFile(file))(t)), -1) {
				if name := strings.Join(m[1:], ""); !slices.Contains(notTerms, name) {
					names[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// TestPeers compares docs/reference/terms-elsewhere.md with the page that mjlab's sources, the table of terms and the answers above give.
// With -update it writes the page.
func TestPeers(t *testing.T) {
	if _, err := os.Stat(mjlabSources + "/envs/mdp"); err != nil {
		t.Skip("no sources of mjlab's; the set-up of the tests, or cmake -P third_party/robots.cmake, unpacks them")
	}
	names := mjlabNames(t)
	if len(names) < 100 {
		t.Fatalf("%d names in mjlab's sources: they are read wrongly", len(names))
	}
	decisions := string(polytest.Must(os.ReadFile("../../docs/explanation/decisions.md"))(t))
	of := map[string][]string{} // mjlab's names by ours
	var otherwise, missing []string
	for _, name := range names {
		ours, isTerm := strings.CutPrefix(answers[name], "term ")
		if answers[name] == "" {
			ours, isTerm = name, true
		}
		at := slices.IndexFunc(table, func(term Term) bool { return term.Name == ours })
		switch {
		case slices.Contains(unanswered, name):
			missing = append(missing, name)
			if !strings.Contains(decisions, "`"+name+"`") {
				t.Errorf("docs/explanation/decisions.md does not say why there is no %s", name)
			}
		case !isTerm:
			otherwise = append(otherwise, fmt.Sprintf("| `%s` | %s |\n", name, answers[name]))
		case at < 0:
			t.Errorf("nothing answers to mjlab's %s", name)
		default:
			of[ours] = append(of[ours], name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(answers)), unanswered) {
		if !slices.Contains(names, name) {
			t.Errorf("mjlab has no %s", name)
		}
	}
	var b strings.Builder
	b.WriteString(`# Terms of mjlab and Isaac Lab

<!-- Generated from mjlab's sources and tasks/terms by go test ./tasks/terms -run TestPeers -update. Do not edit. -->

Which names of mjlab 1.6 and Isaac Lab each [term](terms/index.md) answers to. The section of a term says where it
differs. A term without names is only here.

| term | mjlab | Isaac Lab |
|---|---|---|
`)
	quoted := func(names []string) string {
		var list []string
		for _, name := range names {
			list = append(list, "`"+name+"`")
		}
		return strings.Join(list, ", ")
	}
	for _, term := range table {
		var theirs []string
		if slices.Contains(isaacSame, term.Name) {
			theirs = append(theirs, term.Name)
		}
		if other := isaac[term.Name]; other != "" && other != term.Name {
			theirs = append(theirs, strings.Split(other, ", ")...)
		}
		fmt.Fprintf(&b, "| [`%s`](terms/%s.md#%s) | %s | %s |\n", term.Name, term.Kind, term.Name, quoted(of[term.Name]), quoted(theirs))
	}
	b.WriteString("\n## Without a term\n\nNames of mjlab's that something else answers to.\n\n")
	b.WriteString("| mjlab | here |\n|---|---|\n")
	b.WriteString(strings.Join(otherwise, ""))
	fmt.Fprintf(&b, "\n## Missing\n\n[Decisions](../explanation/decisions.md) says why these are not "+
		"here: %s.\n", quoted(missing))
	polytest.SamePage(t, *update, peersFile, b.String(), "go test ./tasks/terms -run TestPeers -update")
}
