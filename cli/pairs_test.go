package cli

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A feature is something that a configuration can switch on: settings KEY=VALUE, and KEY+=VALUE for what is added to a
// list. <a|b> is one of these, <1..9> a number from 1 to 9. @KEY is no key but an option of the laws.
type feature struct {
	name string
	of   string // a word about the tasks that have it; "": all
	sets string
}

// tasks are what a run can be of, with words about each.
var tasks = []feature{
	{"HalfCheetah-v5", "go mujoco continuous noisy", "@actions=6; sensors=" + stateSensors},
	{"Reacher-v5", "go mujoco continuous", "@actions=2; sensors=" + stateSensors},
	{"InvertedPendulum-v5", "go mujoco continuous noisy", "@actions=1; sensors=" + stateSensors},
	{"LunarLander-v3", "go lander", "@actions=1; sensors=" + landerSensors},
	{"LunarLanderContinuous-v3", "go lander continuous", "@actions=2; sensors=" + landerSensors},
	{"BipedalWalker-v3", "go walker continuous", "@actions=4; sensors=[{name: pos, runner: Sensors, " +
		"sources: [joint/knee0]}, " +
		"{name: vel, runner: <Sensors|Capture>, sources: [force/foot1]}, {name: rays, runner: Capture, sources: [rays]}]"},
	{"own", "described continuous", own},
	{"own", "described continuous", own},
}

const (
	own = "@actions=12; sensors=" + stateSensors + `; episode=<200|400>ms; start.keyframe=home;
		scene.models=[{file: "builtin:quadruped.xml"}]; actions=[{term: joint_position, scale: 0.3}];
		observations.policy=[{term: projected_gravity}, {term: joint_pos_rel}];
		rewards=[{term: is_alive, weight: 1}]; terminations=[{term: time_out}]`
	stateSensors = "[{name: pos, runner: Sensors, sources: [qpos]}, " +
		"{name: vel, runner: <Sensors|Capture>, sources: [qvel]}]"
	landerSensors = "[{name: pos, runner: Sensors, sources: [body/lander]}, " +
		"{name: vel, runner: <Sensors|Capture>, sources: [force/leg0]}]"
	rates = "<30|20|50|100|7|40|29.97|15ms>"
	phase = "<Acquisition|Control|Physics|Validation|Export>"
	edit  = "<{set_phase: {name: <recorder|pos|vel>, phase: " + phase + "}}|" +
		"{toggle_binding: {name: <recorder|pos|vel|recorder_control|recorder_sensors>, enabled: <true|false>}}|" +
		"{set_priority: {name: <recorder|pos|vel>, priority: <-300|0|300>}}|" +
		"{rebind: {name: <recorder|pos|vel>, runner: <Robot|Capture|Sensors>}}|{set_rate: {name: Capture, rate: " +
		"<30|20|50|40|29.97>}}|{set_rate: {name: Sensors, rate: <60|120|200>}}|" +
		"{toggle_runner: {name: <Capture|Sensors>, enabled: <true|false>}}|{rename_runner: {name: Idle, to: Busy}}|" +
		"{remove_runner: {name: Idle}}|{add_runner: {name: New, rate: " + rates + "}}>"
)

// always is what each configuration has: a run of a second's fraction.
const always = `worlds=<2..7>; block_size=<0..4>; max_steps=<8..40>; seed=<0..99>; evaluation.episodes=<1..3>;
	recording={sync: none, clip: false}; training={steps: <100..600>, segment: <3..20>, epochs: <1..2>,
	minibatch: <8|32|64>, hidden: [4], tensorboard: false}; runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30},
	{name: Sensors, rate: 100}, {name: Idle, rate: 20}]; @policy=random; @log=1; @episodes=<2..12>; @recorded=true;
	@mode=sim_high_performance`

// features can be switched on together, in any number. A new one is a line here.
var features = []feature{
	{"blocks of one", "", "block_size=1"},
	{"one world", "", "worlds=1"},
	{"next step", "", "autoreset=next_step"},
	{"capture rate", "", "runners.Capture.rate=" + rates},
	{"sensor rate", "", "runners.Sensors.rate=<60|120|250|3000>"},
	{"recorder phase", "", "bindings+={name: recorder, phase: " + phase + ", priority: <-300|100|300>}"},
	{"late controller", "", "bindings+={name: controller, priority: 200}"},
	{"late latch", "", "bindings+={name: latch, phase: Control}"},
	{"substeps", "mujoco", "bindings+={name: physics, substeps: <1..12>}"},
	{"control rate", "", "runners+={name: Steps, rate: 100}; " +
		"bindings+={name: physics, runner: Steps, substeps: <1..4>}; " +
		"changes+={n: 2, edits: [{set_rate: {name: Robot, rate: 100}}]}"},
	{"idle runner", "", "runners.Idle.enabled=false"},
	{"planner", "", "runners+={name: Planner, rate: 5}"},
	{"early change", "", "changes+={n: <2..6>, edits: [" + edit + "]}"},
	{"change", "", "changes+={n: <7..20>, edits: [" + edit + ", " + edit + "]}"},
	{"late change", "", "changes+={n: <21..60>, edits: [" + edit + "]}"},
	{"control table", "", "recording.tables=[capture, control]"},
	{"recorded infos", "", "recording.tables=[capture, control]; recording.infos=true"},
	{"all tables", "", "recording.tables=[capture, control, sensors]; " +
		"bindings+={name: recorder_sensors, runner: <Robot|Sensors>, phase: <Control|Export>}"},
	{"compression", "", "recording.compression=<lz4|zstd>"},
	{"batches", "", "recording.batch_rows=<1..90>; recording.flush_segments=<0..3>"},
	{"little memory", "", "recording.memory_mb=1"},
	{"some worlds", "", "recording.every_world=<2..3>"},
	{"some episodes", "", "recording.episodes.<min|max>_return=<-20|-3|0.2|2>"},
	{"some channels", "", "recording.channels=[pos]"},
	{"no pose", "", "recording.pose=false"},
	{"sync", "", "recording.sync=batch"},
	{"noise", "", "sensors.pos.noise.std=0.1"},
	{"bias", "", "sensors.vel.bias={std: 1, walk: 1}"},
	{"latency", "", "sensors.pos.latency=<8|25>ms"},
	{"jitter", "", "sensors.pos.jitter=5ms"},
	{"dropout", "", "sensors.vel.dropout=0.5"},
	{"hold", "", "sensors.vel.hold={time: 30ms, probability: 0.3}"},
	{"window", "", "sensors.pos.history=<2..4>"},
	{"quantisation", "", "sensors.pos.quantisation=0.01; sensors.pos.saturation={low: -0.5, high: 0.5}"},
	{"no channel", "", "sensors.vel.enabled=false"},
	{"memory", "", "training.recurrent=<2..6>; training.sequence=<2..9>"},
	{"adaptive", "", "training.schedule=adaptive; training.target_kl=0.01"},
	{"early stop", "", "training.target_kl=0.001"},
	{"early end", "", "training.stop={metric: <mean_length|policy_loss|entropy>, value: <0|0.5|7>, minimise: <true|false>, " +
		"consecutive: <1..3>}"},
	{"constant rate", "", "training.schedule=constant"},
	{"no normalisers", "", "training.normalise_observations=false; training.scale_rewards=<true|false>"},
	{"plain losses", "", "training.normalise_advantages=false; training.clip_value=false; training.entropy=0.01"},
	{"stagger", "", "training.stagger_episodes=true"},
	{"widths", "", "training.policy_hidden=[]; training.critic_hidden=[5, 3]; training.activation=<elu|relu>"},
	{"std", "continuous", "training.min_std=0.2; training.max_std=0.7; training.initial_std=0.5"},
	{"learnt std", "continuous", "training.state_dependent_std=true"},
	{"symmetry", "continuous", "training.symmetry={weight: 0.1, observation: {swap: [[0, 1]], negate: [2]}, " +
		"action: {negate: [0]}}"},
	{"sac", "continuous", "training.algorithm=sac; training.sac={segment: <2..9>, minibatch: <4|150>, hidden: [5], " +
		"random_steps: <10..80>, update_ratio: <0.0|0.|1.><1..9>, n_step: <1..3>, replay: <60|1000>, layer_norm: <true|" +
		"false>, dropout: <0|0.1>, critics: <2..3>, target_critics: 2, quantiles: <0|5>, policy_every: <1..2>, schedule: " +
		"<constant|linear>, max_grad_norm: <0|1>, fixed_temperature: <true|false>}; training.gamma=0.97; " +
		"training.recurrent=0"},
	{"checkpoints", "", "training.checkpoint_every=<50|130>"},
	{"evaluations", "", "evaluation.every=<60|170>"},
	{"sparse log", "", "@log=<2..7>"},
	{"trained policy", "", "@policy=trained"},
	{"zero policy", "", "@policy=zero"},
	{"script", "", "@policy=script"},
	{"seconds", "", "@seconds=<0.3|0.77|1.2>"},
	{"wall clock", "", "@mode=sim_realtime; @episodes=<2..6>; max_steps=<4..6>"},
	{"training alone", "", "@recorded=false"},
	{"wide critic", "", "training.critic_hidden=[9]; training.lambda=1; training.gamma=1"},
	{"start", "noisy", "task.options.reset_noise_scale=0.3"},
	{"wind", "lander", "task.options={enable_wind: true, gravity: -8}"},
	{"hardcore", "walker", "task.options.hardcore=true"},
	{"observation noise", "described", "observations.policy+={term: joint_vel_rel, noise: <{uniform: 0.05}|{std: 0.1}>}"},
	{"observation delay", "described", "observations.policy+={term: base_ang_vel, delay: [0, <1..3>], clip: [-1, 1]}"},
	{"history", "described", "observations.policy+={term: base_lin_vel, history: <2..4>, scale: 0.5}"},
	{"measured", "described", "observations.policy+={term: sensor, channel: <pos|vel>}"},
	{"last action", "described", "observations.policy+={term: last_action}"},
	{"gait", "described", "observations.policy+={term: gait_phase}"},
	{"contacts", "described", "observations.policy+={term: foot_contact, feet: [\".*_foot\"]}"},
	{"expression", "described", "observations.policy+={name: tall, expr: \"base_height + time\"}"},
	{"critic", "described", "observations.critic=<[{term: base_lin_vel}, {term: joint_vel_rel, noise: {std: 0.1}}]|" +
		"{terms: [{term: base_lin_vel, noise: {std: 0.1}, history: 2}], noise: false}>"},
	{"rewards", "described", "rewards+={term: <joint_torques_l2|action_rate_l2|action_acc_l2|joint_acc_l2>, " +
		"weight: -0.001}; rewards+={name: calm, expr: \"sum(square(joint_vel))\", weight: -1e-4}"},
	{"air time", "described", "rewards+={term: feet_air_time, feet: [\".*_foot\"], weight: 1}"},
	{"landings", "described", "rewards+={term: <feet_swing_height|soft_landing>, feet: [\".*_foot\"], weight: 1}; " +
		"observations.policy+={term: foot_air_time, feet: [\".*_foot\"]}"},
	{"wrenches", "described", "observations.policy+={term: body_incoming_wrench, bodies: [FL_shank]}; " +
		"rewards+={term: <angular_momentum_penalty|self_collision_cost>, weight: -0.1}"},
	{"plain rewards", "described", "scale_rewards_by_dt=false"},
	{"faults", "described", "rewards+={name: high, expr: \"log(base_height - 0.25)\", weight: 0.01}"},
	{"pose", "described", "commands+={name: pose, term: uniform_pose, body: trunk, pos_x: [-1, 1], yaw: [-1, 1], " +
		"resampling: [40ms, 90ms]}; observations.policy+={name: pose, term: generated_commands, command: pose}"},
	{"falls", "described", "terminations+={term: <bad_orientation, limit: 0.2|root_height_below_minimum, " +
		"minimum_height: 0.25>, truncate: <true|false>}"},
	{"motion", "described", "commands+={name: motion, term: motion, motion_file: testdata/motion.yaml, " +
		"anchor_body: trunk, sampling_mode: <adaptive|uniform|start>, joint_position_range: [-0.1, 0.1], " +
		"pose_range: {yaw: [-1, 1]}}; " +
		"observations.policy+={name: motion, term: generated_commands, command: motion}; " +
		"observations.policy+={term: motion_anchor_ori_b}; rewards+={weight: 1, " +
		"term: motion_relative_body_position_error_exp}; " +
		"terminations+={term: bad_anchor_ori, threshold: <0.02|0.2>}"},
	{"command", "described", "commands+={name: velocity, term: uniform_velocity, lin_vel_x: [-1, 1], heading: [-3, 3], " +
		"ang_vel_z: [-1, 1], rel_standing_envs: 0.1, resampling: [60ms, 200ms]}; " +
		"observations.policy+={term: generated_commands, command: velocity}; " +
		"rewards+={term: track_lin_vel_xy_exp, weight: 1.5, command: velocity, std: 0.5}"},
	{"curriculum", "described", "commands+={name: walk, term: uniform_velocity, lin_vel_x: [0, 0.1], resampling: " +
		"[100ms, 200ms]}; observations.policy+={name: walk, term: generated_commands, command: walk}; " +
		"curriculum+={term: commands_vel, command: walk, stages: [{step: <5..50>, lin_vel_x: [0.5, 1]}]}"},
	{"weights", "described", "rewards+={name: still, expr: \"norm(base_lin_vel)\", weight: 0}; " +
		"curriculum+={term: reward_weight, reward: still, stages: [{step: <5..50>, weight: -1}]}"},
	{"harder", "described", "curriculum+={term: reward_curriculum, reward: is_alive, stages: [{step: <5..50>, " +
		"weight: 2}]}; events+={name: shove, term: push_by_setting_velocity, mode: interval, " +
		"interval: [40ms, 90ms], velocity_range: {x: [0, 0.1]}}; curriculum+={term: event_curriculum, event: shove, " +
		"stages: [{step: <5..50>, params: " +
		"{velocity_range: {x: [-1, 1]}}}]}; observations.policy+={name: facing, expr: \"yaw_quat(base_quat)\"}"},
	{"infos", "described", "infos+={name: tilt, expr: \"projected_gravity[0]\"}"},
	{"action delay", "described", "actions.joint_position.delay=[0, <1..3>]"},
	{"action filter", "described", "actions.joint_position.filter.cutoff=10"},
	{"masses", "described", "events+={term: body_mass, mode: <startup|reset>, bodies: [trunk], ranges: [0.8, 1.2]}"},
	{"centres", "described", "events+={term: body_com_offset, bodies: [trunk], ranges: {x: [-0.02, 0.02]}}"},
	{"friction", "described", "events+={term: geom_friction, mode: <startup|reset|interval, interval: [60ms, 90ms]>, " +
		"geoms: [\".*_foot\"], ranges: [0.5, 1.2]}"},
	{"gains", "described", "events+={term: <pd_gains, kp_range: [0.8, 1.2]|joint_damping, ranges: [0.1, 0.9]|" +
		"joint_armature, ranges: [0.01, 0.02]|joint_friction, ranges: [0, 0.1]|effort_limits, effort_limit_range: [0.8, 1]|" +
		"joint_limits, operation: scale, ranges: [0.9, 1]|joint_stiffness, ranges: [0, 1]>}"},
	{"shapes", "described", "events+={mode: <startup|reset|interval, interval: [60ms, 90ms]>, term: <" +
		"geom_size, geoms: [\".*_foot\"], ranges: [0.9, 1.1]|pair_friction, pairs: [\"#.*\"], ranges: [0.5, 1]|" +
		"body_quat, bodies: [FL_thigh], yaw_range: [-0.1, 0.1]|site_pos, sites: [imu], ranges: {x: [-0.1, 0.1]}|" +
		"pseudo_inertia, bodies: [FL_shank], d_range: [-0.1, 0.1], t_range: [-0.01, 0.01]|" +
		"randomize_physics_scene_gravity, ranges: {z: [-1, 1]}>}"},
	{"impulses", "described", "events+={term: apply_body_impulse, mode: interval, interval: [80ms, 120ms], duration: " +
		"[30ms, 70ms], bodies: [trunk], force_range: [-20, 20], body_point_offset: [0, 0, 0.1]}"},
	{"encoders", "described", "events+={term: encoder_bias, mode: <startup|reset>, bias_range: [-0.02, 0.02]}"},
	{"pushes", "described", "events+={term: push_by_setting_velocity, mode: interval, interval: [40ms, 150ms], " +
		"velocity_range: {x: [-0.5, 0.5], yaw: [-0.5, 0.5]}}"},
	{"forces", "described", "events+={term: apply_external_force_torque, bodies: [trunk], " +
		"mode: <reset|interval, interval: [60ms, 90ms]>, force_range: [-9, 9]}"},
	{"starts", "described", "events+={term: reset_joints_by_offset, position_range: [-0.1, 0.1]}; " +
		"events+={term: reset_root_state_uniform, pose_range: {yaw: [-3, 3]}, velocity_range: {x: [-0.5, 0.5]}}"},
	{"terrain", "described", "scene.terrain={num_rows: <1..3>, num_cols: <1..4>, seed: <0..9>, size: [4, 4], " +
		"flat_patches: {num_patches: 2}, sub_terrains: [{kind: <wave|nested_rings|random_grid>, " +
		"platform_width: 1}, {kind: pyramid_stairs_inv, platform_width: 1}]}; " +
		"terminations+={term: terrain_out_of_bounds, truncate: true}; events+={name: place, term: <" +
		"reset_root_state_uniform|reset_root_state_from_flat_patches>, velocity_range: {x: [-9, 9]}}"},
	{"levels", "described", "scene.terrain={num_rows: 4, num_cols: 2, size: [2, 2], sub_terrains: [{kind: flat}]}; " +
		"commands+={name: go, term: uniform_velocity, lin_vel_x: [0, 30], resampling: [100ms, 200ms]}; " +
		"events+={name: fly, term: reset_root_state_uniform, velocity_range: {x: [-9, 9]}}; " +
		"curriculum+={term: terrain_levels, command: go, max_init_terrain_level: 2}; infos+={name: success, " +
		"expr: \"patch_distance > 1 ? 1 : 0\"}"},
	{"scan", "described", "scene.terrain={num_rows: 2, num_cols: 2, size: [3, 3], sub_terrains: [{kind: wave, " +
		"platform_width: 1}, {kind: nested_rings, platform_width: 1}]}; sensors+={name: scan, runner: <Sensors|Capture|" +
		"Robot>, scan: {frame: <body/trunk|site/imu>, pattern: <grid|pinhole>, ray_alignment: <yaw|base|world>, " +
		"size: [0.4, 0.2], width: 4, height: 3, rise: <0|1>}, noise: {std: 0.02}, latency: <0|12>ms, history: <1..2>}; " +
		"observations.policy+={name: scan, term: sensor, channel: scan}"},
	{"geoms", "described", "sensors+={name: near, runner: <Sensors|Capture|Robot>, scan: {frame: <body/trunk|site/imu>, " +
		"geoms: true, pattern: <grid|pinhole>, size: [0.4, 0.2], width: 4, height: 3, rise: <0|1>}, noise: {std: 0.02}, " +
		"latency: <0|12>ms, dropout: <0|0.2>, history: <1..2>}; events+={name: moved, term: geom_pos, geoms: [floor], " +
		"ranges: {z: [-0.1, 0]}, mode: <startup|reset>}; observations.policy+={name: near, term: sensor, channel: near}"},
	{"camera", "described", "sensors+={name: front, runner: <Sensors|Capture|Robot>, camera: {<name: track|body: trunk, " +
		"position: [0.3, 0, 0.1], quaternion: [0.5, 0.5, -0.5, -0.5]>, width: <4..6>, height: 3, kinds: [<rgb|depth|" +
		"segmentation>], max_distance: <0|2>, distortion: [<0|-0.1>, <0|0.02>, 0.005, 0, 0]}, latency: <0|12>ms, " +
		"dropout: <0|0.2>, history: <1..2>}; " +
		"observations.policy+={name: front, term: sensor, channel: front}"},
	{"looks", "described", "events+={term: <geom_rgba, geoms: [trunk], ranges: [0, 1]|body_pos, bodies: [FL_thigh], " +
		"ranges: {x: [-0.1, 0.1]}|headlight_diffuse, ranges: [0.2, 1], grey: true|mat_texid, materials: [floor], textures: [tiles]|" +
		"mat_texrepeat, materials: [floor], ranges: [1, 4]|sky_zenith, ranges: [0, 1]>, mode: <startup|reset|interval, " +
		"interval: [50ms, 90ms]>}; events+={name: tint, term: geom_rgba, geoms: [floor], ranges: [0.5, 1.5], " +
		"operation: scale, mode: reset}"},
	{"sight", "described", "scene.terrain={num_rows: 1, num_cols: 1, sub_terrains: [{kind: wave}]}; " +
		"sensors+={name: below, runner: Robot, scan: {frame: body/trunk, size: [0.4, 0.2]}}; observations.policy+=" +
		"{name: below, term: sensor, channel: below, history: <1..2>}; training.convolutions=[{channels: <1..3>, " +
		"kernel: 2, stride: <1..2>, padding: 1}, {channels: 2, kernel: 2}]"},
	{"two models", "described", "scene.models+={file: \"builtin:quadruped.xml\", prefix: other_, position: [2, 0, 0]}"},
	{"cube", "described", "scene.models+={name: cube, shape: {type: <box, size: [0.1, 0.1, 0.1]|sphere, size: [0.1]>}, " +
		"free: true, position: [0.3, 0, 0.6]}; events+={name: thrown, term: reset_root_state_uniform, entity: cube, " +
		"velocity_range: {x: [-1, 1]}}; observations.policy+={name: cube, term: base_lin_vel, entity: cube}"},
	{"lift", "described", "scene.models+={name: ball, shape: {type: sphere, size: [0.1]}, free: true, " +
		"position: [0, 0.5, 1]}; scene.contacts=[{name: hit, primary: {entity: ball, geoms: [ball]}}]; " +
		"commands+={name: lift, " +
		"term: lifting_command, entity: ball, resampling: [60ms, 90ms]<|, object_pose_range: {x: [-1, 1], z: [1, 2]}>}; " +
		"observations.policy+={name: hits, expr: \"contact.hit.found\"}; rewards+={term: bring_object_reward, " +
		"command: lift, weight: 1}"},
	{"hand", "described", "@actions=17; scene.models+={name: hand, file: testdata/hand.xml, position: [0, 3, 0]}; " +
		"actions+={entity: hand, term: <binary_joint_position|gripper_position>, joints: [grip], open_command: 0.05, " +
		"close_command: 0}; actions+={entity: hand, term: differential_ik, joints: [turn, lift], frame_type: site, " +
		"frame_name: tip, delta_pos_scale: 0.1, <hold_orientation: true|orientation_weight: 0>}; actions+={entity: hand, " +
		"term: <tendon_length|tendon_effort|muscle_excitation|site_effort>, scale: 0.3}; " +
		"observations.policy+={name: hand, term: joint_pos_rel, entity: hand}"},
	{"actuators", "described", "scene.actuators=[{joints: [\".*_(hip|knee|abduction)\"], kp: 20, kd: 1, effort: 9, " +
		"replace: true}]"},
	{"motors", "described", "scene.actuators=[{joints: [\".*_(hip|knee|abduction)\"], type: <dc_motor, " +
		"saturation_effort: 12, velocity_limit: 9|position>, kp: 20, kd: 1, effort: 9, delay: <0|3|11>ms, replace: true}]"},
	{"learned motors", "described", "scene.actuators=[{joints: [\".*_(hip|knee|abduction)\"], type: learned, network: " +
		"testdata/motor.policy, effort: 9<|, saturation_effort: 12, velocity_limit: 9>, delay: <0|10>ms, replace: true}]"},
	{"integrator", "described", "scene.physics={integrator: <euler|rk4|implicitfast>, cone: elliptic}"},
}

var choice = regexp.MustCompile(`<([^<>]*)>`)

// expand draws the choices of a text, the inner ones first.
func expand(r *rand.Rand, text string) string {
	for {
		m := choice.FindStringSubmatchIndex(text)
		if m == nil {
			return text
		}
		options := strings.Split(text[m[2]:m[3]], "|")
		drawn := options[r.IntN(len(options))]
		if low, high, ok := strings.Cut(drawn, ".."); ok {
			first, _ := strconv.Atoi(low)
			last, _ := strconv.Atoi(high)
			drawn = strconv.Itoa(first + r.IntN(last-first+1))
		}
		text = text[:m[0]] + drawn + text[m[1]:]
	}
}

// insert sets what a path leads to, or adds to it. An entry of a list is found by its name or term; one that is added
// changes another of its name.
func insert(node any, path []string, add bool, value any) any {
	list, isList := node.([]any)
	switch {
	case len(path) == 0 && add:
		named, _ := value.(map[string]any)
		i := slices.IndexFunc(list, func(e any) bool { return e.(map[string]any)["name"] == named["name"] })
		if i < 0 || named["name"] == nil {
			return append(list, value)
		}
		maps.Copy(list[i].(map[string]any), named)
		return list
	case len(path) == 0:
		return value
	case isList:
		for i, entry := range list {
			if m := entry.(map[string]any); m["name"] == path[0] || m["term"] == path[0] {
				list[i] = insert(m, path[1:], add, value)
			}
		}
		return node
	}
	m, _ := node.(map[string]any)
	if m == nil {
		m = map[string]any{}
	}
	m[path[0]] = insert(m[path[0]], path[1:], add, value)
	return m
}

// pair is a configuration that was drawn, and what was made of it. As a test, it panics.
type pair struct {
	t        *testing.T
	seed     uint64
	on       []string          // names of features
	options  map[string]string // of the laws
	text     string            // YAML
	folders  map[string]string // of runs that several laws look at
	accepted bool              // the configuration is one
}

func (p *pair) Helper()                           {}
func (p *pair) Fatal(args ...any)                 { panic(errors.New(fmt.Sprint(args...))) }
func (p *pair) Errorf(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

// folder returns the path of a folder that is not there, with the name of a Minari dataset.
func (p *pair) folder() string { return filepath.Join(p.t.TempDir(), "made-v0") }

func (p *pair) logEvery() int64 { return must(strconv.ParseInt(p.options["log"], 10, 64)) }

// config returns the configuration with settings.
func (p *pair) config(sets ...string) *configs.Config {
	return must(configs.Parse("pair.yaml", []byte(p.text), sets, nil))
}

// draw returns a source of random numbers for a purpose.
func draw(seed uint64, purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// drawn returns two cases of a seed, each with a law and the features that the seed switches on: SEED:LAW:FEATURE,…
func drawn(seed uint64) (cases []string) {
	r, active := draw(seed, "features"), []string(nil)
	_, words := taskOf(seed)
	percent := []int{4, 10, 20, 35}[r.IntN(4)]
	for _, f := range features {
		if r.IntN(100) < percent && (f.of == "" || slices.Contains(words, f.of)) {
			active = append(active, f.name)
		}
	}
	names := slices.Sorted(maps.Keys(laws))
	for _, i := range r.Perm(len(names))[:2] {
		cases = append(cases, fmt.Sprintf("%d:%s:%s", seed, names[i], strings.Join(active, ",")))
	}
	return cases
}

func taskOf(seed uint64) (task feature, words []string) {
	task = tasks[draw(seed, "task").IntN(len(tasks))]
	return task, strings.Fields(task.of)
}

// newPair makes the configuration of a seed with features.
func newPair(t *testing.T, seed uint64, active []string) *pair {
	t.Helper()
	task, _ := taskOf(seed)
	p := &pair{t: t, seed: seed, on: active, options: map[string]string{}, folders: map[string]string{}}
	all := []feature{{"always", "", "task.name=" + task.name + ";" + always}, {"task", "", task.sets}}
	for _, f := range features {
		if slices.Contains(active, f.name) {
			all = append(all, f)
		}
	}
	var root any
	for _, f := range all {
		for set := range strings.SplitSeq(expand(draw(seed, f.name), f.sets), ";") {
			key, text, _ := strings.Cut(strings.TrimSpace(set), "=")
			if option, ok := strings.CutPrefix(key, "@"); ok {
				p.options[option] = text
				continue
			}
			var value any
			polytest.NoError(t, yaml.Unmarshal([]byte(text), &value))
			key, add := strings.CutSuffix(key, "+")
			root = insert(root, strings.Split(key, "."), add, value)
		}
	}
	var document yaml.Node
	polytest.NoError(t, document.Encode(root))
	for _, node := range document.Content {
		node.Style = yaml.FlowStyle
	}
	here := polytest.Must(os.Getwd())(t) // the file of the configuration is elsewhere
	text := string(polytest.Must(yaml.Marshal(&document))(t))
	p.text = strings.ReplaceAll(text, "testdata/", filepath.Join(here, "testdata")+"/")
	return p
}

// errRefused says that a configuration is none.
var errRefused = errors.New("refused")

// holds returns the error of a law for a configuration.
func (p *pair) holds(law string) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case error:
			if err = v; !p.accepted && (errors.As(v, new(env.ConfigError)) || errors.As(v, new(configs.Error))) {
				err = fmt.Errorf("%w: %w", errRefused, v)
			}
		default:
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	laws[law](p)
	return nil
}

// smallest switches features off, one after the other, while the law is still broken.
func (p *pair) smallest(law string, broken error) (*pair, error) {
	for _, name := range p.on {
		q := newPair(p.t, p.seed, slices.DeleteFunc(slices.Clone(p.on), func(n string) bool { return n == name }))
		if err := q.holds(law); err != nil && !errors.Is(err, errRefused) {
			return q.smallest(law, err)
		}
	}
	return p, broken
}

// chosen are cases that were chosen by hand.
var chosen = []string{
	"8:slices:all tables,compression,memory,trained policy,seconds,command,measured,pushes,curriculum",
	"8:slices:motion,falls,all tables,trained policy",
	"8:killed:motion,rewards,pushes",
	"12:slices:some episodes,some worlds,compression,batches,sync",
	"4:slices:blocks of one,next step,change,late change,little memory,batches,all tables,latency,noise,sensor rate",
	"3:slices:wall clock,batches",
	"12:slices:memory,trained policy,control table",
	"3:slices:script",
	"20:lost slices:some worlds,control table,batches",
	"3:lost slices:script,next step,control table,batches",
	"18:lost slices:memory,trained policy,masses,observation delay,history,faults",
	"8:interrupted:memory,evaluations,checkpoints,all tables,batches",
	"1:workers:memory,next step",
	"2:rollout:memory,trained policy,next step",
	"99:checkpoint:training alone",
	"18:live:memory,trained policy,command,change,pushes",
	"8:slices:levels,all tables", "18:lost slices:levels", "8:interrupted:levels,batches", "18:live:levels",
	"8:slices:terrain,measured", "18:interrupted:terrain,scan,latency",
	"8:interrupted:learned motors,pushes", "18:slices:learned motors,falls",
	"8:slices:hand,all tables", "18:interrupted:hand,batches", "8:killed:hand,lift", "18:live:hand,trained policy",
	"8:slices:camera,all tables,looks", "18:interrupted:camera,latency,looks", "8:workers:camera,looks",
	"8:slices:geoms,all tables,cube", "18:interrupted:geoms,looks", "8:workers:geoms,camera",
	"4:interrupted:sparse log,evaluations,control table,batches",
	"8:recipe:camera,all tables,looks,batches", "18:recipe:memory,trained policy,seconds,masses,one world",
	"8:clone:history,falls,batches", "18:clone:memory,evaluations", "3:clone:some worlds,compression",
	"3:recipe:wall clock,script", "12:recipe:little memory,some episodes,compression,change,one world",
}

// Configurations that switch on random features obey the laws, whatever the features. A broken law is shown for the
// smallest configuration that breaks it.
func TestPairsLong(t *testing.T) {
	n, asked := polytest.Cases(t, 2, 3, 12)
	first, one := os.Getenv("POLYTEST_PAIRS"), false
	cases := chosen
	if !polytest.Slow(t) { // every sixth
		cases = slices.DeleteFunc(slices.Clone(chosen), func(c string) bool { return slices.Index(chosen, c)%6 != 0 })
	}
	if _, _, one = strings.Cut(first, ":"); one {
		cases = []string{first}
	} else {
		if asked {
			cases = nil
		}
		for i := range uint64(n) {
			cases = append(cases, drawn(must(strconv.ParseUint(cmp.Or(first, "0"), 10, 64))+i)...)
		}
	}
	held, ran, refused := map[string]int{}, map[string]bool{}, 0
	for _, text := range cases {
		words := strings.SplitN(text, ":", 3)
		t.Run(words[0]+" "+words[1], func(t *testing.T) {
			p := newPair(t, must(strconv.ParseUint(words[0], 10, 64)), strings.Split(words[2], ","))
			err := p.holds(words[1])
			if errors.Is(err, errRefused) {
				refused++
				t.Log(err)
				return
			}
			for _, name := range p.on {
				ran[name] = true
			}
			if held[words[1]]++; err != nil {
				t.Errorf("%v\nrepeat it with POLYTEST_PAIRS=%q", err, text)
				p, err = p.smallest(words[1], err)
				t.Errorf("the smallest, POLYTEST_PAIRS='%s:%s:%s': %v\noptions %v of\n%s", words[0], words[1],
					strings.Join(p.on, ","), err, p.options, p.text)
			}
		})
	}
	t.Logf("%d cases, %d refused, under the laws %v", len(cases), refused, held)
	if !one && refused > len(cases)/2 {
		t.Errorf("%d of %d cases were refused: the draw is too one-sided", refused, len(cases))
	}
	for _, f := range features {
		if !one && n >= 100 && !ran[f.name] {
			t.Errorf("each case with the feature %q was refused, want some that run", f.name)
		}
	}
}
