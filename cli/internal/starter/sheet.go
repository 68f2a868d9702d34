package starter

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// sheet is a configuration, of the data of [writer.write]. A backslash at the end of a line joins it with the next.
const sheet = `{{define "commands"}}{{if .commanded}}    - {term: generated_commands, command: velocity}
{{end}}{{range .reaches}}    - {{"{"}}{{.See}}term: generated_commands, command: {{.Command}}}
{{end}}{{end}}# {{.base}}: {{.what}} of {{short .mass}} kg with {{plural .hinges "joint"}}, \
{{plural .driven "actuator of its own"}} and {{plural .sensors "sensor"}}.
# yaml-language-server: $schema=schema.json
# Written by train new. docs/reference/terms lists the terms, docs/reference/configuration all keys. \
For editors: train schema > schema.json
task:
  name: {{.name}}

seed: 1
worlds: 64

scene:
  models:
    - file: {{quoted .file}}
{{if .passes}}      self_collision: false   # its own parts pass through one another: faster
{{end}}{{if .free}}      free: true              # it {{.on}}, so its base moves freely; \
false fixes it to the world
{{else if .fixed}}      free: false             # true lets the base move freely; it is fixed to the world
{{end}}  allow_outside: {{.outside}}   # whether its includes and meshes may lie outside of its folder
{{if .sunk}}  floor: false           # a floor at z = 0 would cut through the robot; auto adds one if the world has none
{{else}}  floor: auto            # added if the world has none; true, false
{{end}}  light: auto            # likewise
{{with .physics}}  physics: {{.}}
{{end}}{{with .actuators}}{{if $.flies}}  # Each rotor pushes by 0 to effort (N), and turns the base by torque_per_thrust times as much (N m).
  # Their signs and sizes are a guess; put in those of your rotors.
{{else}}  # torque = kp (target - position) - kd velocity, at most effort (N m, rad; N, m for slides).\
{{if $.rolls}} For wheels kd (target - velocity).{{end}}
  # The gains follow from masses and lengths; put in those of your robot.
{{end}}  actuators:
{{range .}}    - {{.}}
{{end}}{{end}}
# The pose in which episodes begin, before the events of mode reset.
{{with .start}}start:
{{range .}}  {{.}}
{{end}}{{else}}start: {}                 # as in the model
{{end}}
episode: 20s               # after which time_out ends it

# Every rate is in hertz, or a period such as 15ms.
runners:
  - {name: Robot, rate: {{.control}}}      # control
  - {name: Capture, rate: {{.capture}}}    # the recorder
{{if .channels}}  - {name: Sensors, rate: {{.physicsRate}}}
{{end}}
bindings:
  - {name: physics, substeps: {{.substeps}}}  # in a control step: {{.milliseconds}} ms each, {{.asInModel}}
  - {name: recorder, runner: Capture, phase: Control, priority: 100}

{{with .channels}}# What is measured and recorded. Each may have noise: {std: 0.01}, latency: 4ms, bias and more;
# {term: sensor, channel: NAME} observes one.
sensors:
{{range .}}  - {{.}}
{{end}}
{{end}}# What the policy sets, each value from -1 to 1.
{{range .left}}# Left out: {{.}}.
{{end}}actions:
{{range .actions}}  - {{.}}
{{end}}
# What the policy sees, and what only the value network sees, which is not needed later.
observations:
  policy:
{{if .floating}}    - {term: base_lin_vel, noise: {uniform: 0.1}}        # m/s, in the base's frame
    - {term: base_ang_vel, noise: {uniform: 0.2}}        # rad/s
    - {term: projected_gravity, noise: {uniform: 0.05}}
{{end}}{{if .flies}}    - {term: base_pos_z, noise: {uniform: 0.02}}         # m
{{end}}{{template "commands" .}}{{if .hinges}}{{if .sees}}    - {term: joint_pos_rel{{.placed}}, noise: {uniform: 0.01}}   \
# rad or m, relative to the start
{{end}}    - {term: joint_vel_rel{{.ofAll}}, noise: {uniform: 0.5}, scale: 0.1}
{{end}}{{range .balls}}    - {{.}}
{{end}}    - {term: last_action}
{{if .trots}}    - {term: gait_phase, frequency: {{short .stride}}}                 # Hz, of the trot that is rewarded
{{end}}  critic:
{{if .floating}}    - {term: base_lin_vel}
    - {term: base_ang_vel}
    - {term: projected_gravity}
    - {term: base_pos_z}
{{end}}{{template "commands" .}}{{if .hinges}}{{if .sees}}    - {term: joint_pos_rel{{.placed}}}
{{end}}    - {term: joint_vel_rel{{.ofAll}}, scale: 0.1}
{{end}}{{range .balls}}    - {{.}}
{{end}}    - {term: last_action}
{{if .trots}}    - {term: gait_phase, frequency: {{short .stride}}}
{{end}}{{if .legged}}    - {term: foot_contact, feet: {{list .feet}}}
    - {term: foot_height, feet: {{list .feet}}}
{{else if .hands}}    - {term: body_pose_w, bodies: {{list .hands}}}
{{end}}
# Added up: weight × value × length of a control step. An entry may also be an expression, such as
# {name: calm, expr: "sum(square(joint_vel))", weight: -1e-4}.
rewards:
{{if .legged}}  - {term: track_lin_vel_xy_exp, weight: 2, command: velocity, std: 0.5}    # follow the command
  - {term: track_ang_vel_z_exp, weight: 1, command: velocity, std: 0.5}
  - {term: is_alive, weight: 0.25}
  - {term: is_terminated, weight: -10}                  # do not fall
  - {term: lin_vel_z_l2, weight: -1}
  - {term: ang_vel_xy_l2, weight: -0.05}
  - {term: flat_orientation_l2, weight: -2.5}           # upright
  - {term: base_height_l2, weight: {{.heightWeight}}, target_height: {{short .height}}}   \
# on its legs, not on its knees
{{with .upperLegs}}  - {term: undesired_contacts, weight: -0.5, bodies: {{list .}}}
{{end}}  - {term: joint_vel_l2, weight: -3e-4}
{{if .trots}}  # the share of the feet that are on the ground when, and only when, a trot has them there
  - name: trot
    weight: 0.5
    expr: "{{.trot}}"
{{else}}  - {term: feet_air_time, weight: 1, feet: {{list .feet}}, command: velocity, threshold: 0.1}   \
# step, do not shuffle
{{end}}  - {term: feet_slip, weight: -0.1, feet: {{list .feet}}, command: velocity}
{{with .deviating}}  - {term: joint_deviation_l1, weight: -0.1, joints: {{list .}}}   # near the start pose
{{end}}{{else}}{{range .reaches}}  - {{"{"}}{{.Reach}}term: position_command_error_tanh, \
weight: 1, command: {{.Command}}, std: 0.2}    # reach the commanded position
  - {name: {{.Near}}, term: position_command_error_tanh, weight: 1, command: {{.Command}}, std: 0.05}   # and exactly
{{end}}{{range .otherRewards}}  - {{.}}
{{end}}{{end}}  - {term: action_rate_l2, weight: {{if .legged}}-0.03{{else}}-0.005{{end}}}              # smooth actions
{{if .hinges}}  - {term: joint_torques_l2, weight: {{.torqueWeight}}{{.ofAll}}}            # little effort
{{end}}\
{{if .limited}}  - {term: joint_pos_limits, weight: -1}                # within the joints' limits
{{end}}
terminations:
  - {term: time_out}
{{if .commanded}}  - {term: bad_orientation, limit: 1.0}                 # rad
{{end}}{{with .lowest}}  - {term: root_height_below_minimum, minimum_height: {{.}}}   # m
{{end}}{{if .legged}}  - {term: illegal_contact, bodies: {{list .root}}, threshold: 1}   # N
{{end}}  - {term: nan_detection}

{{if .legged}}# What the robot is asked to do: drawn anew when an episode begins and after each time of resampling.
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-{{.forward}}, {{.forward}}], \
lin_vel_y: [-{{.sideways}}, {{.sideways}}], ang_vel_z: [-1, 1],   # m/s, m/s, rad/s
     resampling: [5s, 10s], rel_standing_envs: 0.05}

{{else if .flies}}# What the robot is asked to do: drawn anew when an episode begins and after each time of resampling.
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-1, 1], lin_vel_y: [-1, 1], ang_vel_z: [-1, 1],   \
# m/s, m/s, rad/s
     resampling: [5s, 10s], rel_standing_envs: 0.3}

{{else if .rolls}}# What the robot is asked to do: drawn anew when an episode begins and after each time of resampling.
commands:
  - {name: velocity, term: uniform_velocity, lin_vel_x: [-{{.cruise}}, {{.cruise}}], lin_vel_y: [0, 0], \
ang_vel_z: [-1, 1],   # m/s, m/s, rad/s
     resampling: [5s, 10s], rel_standing_envs: 0.05}

{{else if .hands}}# Where the hand should be: drawn anew when an episode begins and after each time of resampling.
commands:
{{range .reaches}}  - {name: {{.Command}}, term: uniform_pose, body: {{quoted .Hand}}, frame: world,
     {{.Box}},   # m
     resampling: [3s, 5s]}
{{end}}
{{end}}# What differs from world to world and from episode to episode, so that the policy does not rely on it.
events:
{{if .loose}}  - {term: reset_root_state_uniform, mode: reset, \
pose_range: {{"{"}}{{if not .raised}}x: [-0.5, 0.5], y: [-0.5, 0.5], {{end}}yaw: [-3.14, 3.14]}}
{{end}}{{with .shaken}}  - {{.}}
{{end}}\
{{if .legged}}  - {term: push_by_setting_velocity, mode: interval, interval: [5s, 10s], \
velocity_range: {x: [-{{.push}}, {{.push}}], y: [-{{.push}}, {{.push}}]}}   # m/s
  - {term: body_mass, mode: startup, bodies: {{list .root}}, ranges: [0.9, 1.1]}   # a factor
  - {term: geom_friction, mode: startup, geoms: {{list .grips}}, \
shared_random: true, ranges: [0.5, 1.25]}   # of floor and feet
{{end}}
recording:
  enabled: true             # the dataset of the run; false saves disk
  every_world: 0            # while it learns only the first world; n for the worlds 0, n, 2n and so on

# Learning by PPO. More steps and wider networks help where the curve still rises.
training:
  steps: {{if .simple}}1_000_000{{else}}3_000_000{{end}}
  segment: 48               # control steps of each world between two updates
  epochs: 5
  minibatch: 1024
  learning_rate: 1e-3
  schedule: adaptive        # keeps the policy's change at each update near target_kl
  target_kl: 0.012
  hidden: {{if .simple}}[64, 64]{{else}}[128, 128]{{end}}
  initial_std: 0.5

evaluation:
  episodes: 20
`

func (w *writer) write() ([]byte, error) {
	height, lowest := w.frames[w.root].position.Z, ""
	above := height - w.footing
	switch {
	case w.family == legged:
		lowest = short(w.footing + 0.5*above)
	case w.floating && w.gravity() > 0 && above > 0 && w.family != wheeled:
		lowest = short(w.footing + 0.4*above)
	}
	description := map[family]string{
		legged: fmt.Sprintf("a robot on %d legs", len(w.legs)), arm: "an arm on a fixed base", otherFamily: "a robot",
		flyer: "a robot that flies", wheeled: fmt.Sprintf("a robot on %d wheels", len(w.wheels)),
	}[w.family]
	substeps, control, capture := w.clock()
	actuators := w.actuators() // actuators first: it evens out the gains, and the actions follow these
	var hands []string
	reaches := w.reaches()
	for _, r := range reaches {
		hands = append(hands, regexp.QuoteMeta(r.Hand))
	}
	placed, sees := w.placed()
	asInModel := "as in the model"
	if w.tuning.Finer > 0 {
		asInModel = fmt.Sprintf("less than the %s ms of the model, with which it is not stable", short(1000*w.Timestep))
	}
	data := map[string]any{
		"base": filepath.Base(w.file), "what": description, "name": w.name(), "file": w.file,
		"mass": w.mass(), "hinges": len(w.hinges()), "driven": len(w.model.own.Actuators),
		"sensors": len(w.Sensors), "outside": w.model.allowOutside,
		"commanded": w.family == legged || w.family == flyer || w.family == wheeled, "flies": w.family == flyer, "balls": w.balls(),
		"legged": w.family == legged, "simple": w.family == otherFamily, "floating": w.floating, "free": w.model.free,
		"fixed": !w.floating && isURDF(w.file), "rolls": w.family == wheeled, "cruise": short(w.cruise()),
		"on":     map[family]string{legged: "stands on legs", wheeled: "stands on wheels", flyer: "flies"}[w.family],
		"shaken": w.shaken(), "loose": w.floating && !w.isHeld(w.root), "placed": placed, "sees": sees, "passes": w.passes(),
		"sunk": w.isSunk(), "physics": w.physics(), "actuators": actuators, "start": w.start(), "control": control,
		"capture": capture, "physicsRate": rate(w.step), "substeps": substeps, "milliseconds": short(1000 * w.step),
		"asInModel": asInModel, "channels": w.channels(), "left": w.omissions, "actions": w.actions(),
		"ofAll": w.ofAll(), "root": []string{regexp.QuoteMeta(w.Bodies[w.root].Ref)}, "raised": w.raisedFooting,
		"height": height, "lowest": lowest,
		"heightWeight": number(math.Round(-2 / (max(above, 1e-3) * max(above, 1e-3)))), "feet": w.feet,
		"trots": w.rewardsTrot(), "stride": w.stride(), "trot": w.trot(), "upperLegs": w.upperLegs(),
		"deviating": w.deviationJoints(), "grips": w.grips(), "forward": w.fast(1), "sideways": w.fast(0.5),
		"push": number(roundTo(w.speed()/2, 1)), "hands": hands, "reaches": reaches, "otherRewards": w.otherRewards(),
		"torqueWeight": number(w.torqueWeight()),
		"limited":      slices.ContainsFunc(w.joints, func(k int) bool { return !math.IsInf(w.Joints[k].Range[1], 0) }),
	}
	functions := template.FuncMap{"short": short, "quoted": quote, "list": list, "plural": plural}
	t, err := template.New("").Funcs(functions).Parse(strings.ReplaceAll(sheet, "\\\n", ""))
	var out strings.Builder
	if err == nil {
		err = t.Execute(&out, data)
	}
	return []byte(out.String()), err
}
