package terms_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// armModel is an arm of two joints on a stand.
const armModel = `<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="stand"><geom name="foot" size=".05 .05"
type="cylinder"/><body name="upper" pos="0 0 .3"><joint name="yaw" axis="0 0 1" range="-90 90"/>
<geom name="upper" type="capsule" fromto="0 0 0 .2 0 0" size=".02"/><body name="fore" pos=".2 0 0">
<joint name="lift" axis="0 1 0" range="-90 90"/><geom name="fore" type="capsule" fromto="0 0 0 .2 0 0" size=".02"/>
<site name="tip" pos=".2 0 0"/></body></body></body></worldbody></mujoco>`

// benchConfig describes a task of the arm, a free cube and a table.
func benchConfig(t *testing.T, sections string, overrides ...string) (*configs.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "arm.xml")
	polytest.NoError(t, os.WriteFile(file, []byte(armModel), 0o666))
	text := `task: {name: bench}
worlds: 3
seed: 4
recording: {enabled: false}
scene:
  models:
    - {file: ` + file + `}
    - {name: cube, shape: {type: box, size: [0.02, 0.03, 0.04], mass: 0.2}, free: true, position: [0.5, 0, 0.3]}
    - {name: table, shape: {type: box, size: [0.3, 0.3, 0.05]}, position: [0.5, 0, 0.1]}
  actuators: [{joints: [".*"], kp: 20, kd: 1}]
actions: [{term: joint_position, scale: 0.5}]
` + sections
	return configs.Parse("bench.yaml", []byte(text), overrides, nil)
}

func openBench(t *testing.T, sections string, overrides ...string) *env.Env {
	t.Helper()
	e := polytest.Must(env.Open(polytest.Must(benchConfig(t, sections, overrides...))(t), env.OpenOptions{Workers: 1}))(t)
	t.Cleanup(func() { polytest.NoError(t, e.Close()) })
	return e
}

// TestEntitiesAreAddressed: start, events, observations, rewards and terminations of a cube beside an arm.
func TestEntitiesAreAddressed(t *testing.T) {
	e := openBench(t, `
episode: 200ms
observations:
  policy:
    - {term: joint_pos_rel}
    - {name: cube_velocity, term: base_lin_vel, entity: cube}
    - {name: cube, term: body_pose_w, entity: cube, bodies: [".*"]}
    - {name: arm, term: body_pose_w, bodies: [".*"]}
    - {name: height, expr: "entity.cube.base_height"}
rewards: [{term: base_height_l2, entity: cube, target_height: 0.5, weight: 1}]
terminations: [{term: time_out}, {term: root_height_below_minimum, entity: cube, minimum_height: 0.2}]
scale_rewards_by_dt: false
events:
  - {term: reset_root_state_uniform, entity: cube, pose_range: {x: [-0.1, 0.1], z: [0.2, 0.3]},
     velocity_range: {x: [1, 1]}}
  - {name: mass, term: body_mass, entity: cube, bodies: [".*"], operation: abs, ranges: [0.5, 1]}
  - {name: others, term: body_mass, bodies: [".*"], operation: scale, ranges: [1, 1]}
`)
	spec := e.Sim().Spec()
	if got := strings.Join(spec.ObservationNames, " "); strings.Count(got, "table") != 0 ||
		strings.Count(got, "cube") != 7 || strings.Count(got, "stand") != 7 {
		t.Errorf("the observations are %s", got)
	}
	for _, source := range spec.Parameters {
		if strings.HasSuffix(source, "/table") {
			t.Errorf("the parameters are %v, and the table is no part of the robot", spec.Parameters)
		}
	}
	starts := map[float64]bool{}
	for n := range 25 {
		for w := range 3 {
			pose, velocity := stateOf(t, e, w, "joint/cube/position"), stateOf(t, e, w, "joint/cube/velocity")
			got := observed(e, w, "cube_")
			if !closeness(got, pose, 1e-9) {
				t.Fatalf("step %d: the cube is seen at %v, and is at %v", n, got, pose)
			}
			want := (&outcome{q: pose}).inBase(velocity[:3])
			if got := observed(e, w, "base_lin_vel"); !closeness(got, want[:], 1e-9) {
				t.Fatalf("step %d: the cube's velocity is %v, want %v", n, got, want)
			}
			if h := observed(e, w, "height")[0]; h != pose[2] {
				t.Fatalf("step %d: the cube's height is %v, want %v", n, h, pose[2])
			}
			if n%10 == 0 { // an episode begins
				starts[pose[0]] = true
				if pose[0] < 0.4 || pose[0] > 0.6 || pose[1] != 0 || pose[2] < 0.5 || pose[2] > 0.6 || velocity[0] != 1 {
					t.Fatalf("the cube begins at %v with %v", pose, velocity)
				}
			} else if r, want := e.Sim().Rewards()[w], (pose[2]-0.5)*(pose[2]-0.5); !closeness([]float64{r}, []float64{want}, 1e-12) {
				t.Fatalf("step %d: the reward is %v, want %v", n, r, want)
			}
		}
		swing(t, e, n)
	}
	if len(starts) != 9 {
		t.Errorf("the cube began at %d places, want 9", len(starts))
	}
	if slices.Contains(e.Sim().Terminations(), true) {
		t.Error("an episode was terminated while the cube is on the table")
	}
}

// TestFreeObjectsArePushedAndColoured: a push adds to the cube's velocity at its time, and colours are the cube's alone.
func TestFreeObjectsArePushedAndColoured(t *testing.T) {
	e := openBench(t, `
observations: {policy: [{term: joint_pos_rel}]}
events:
  - {term: push_by_setting_velocity, entity: cube, mode: interval, interval: [60ms, 60ms], velocity_range: {y: [3, 3]}}
  - {term: geom_rgba, entity: cube, geoms: [".*"], ranges: [0, 1]}
`)
	for n := range 4 { // steps of 20 ms; the cube is still falling
		if got, want := stateOf(t, e, 1, "joint/cube/velocity")[1], 0.0; n < 3 && got != want {
			t.Errorf("step %d: the cube moves at %v, want %v", n, got, want)
		}
		step(t, e)
	}
	if got := stateOf(t, e, 1, "joint/cube/velocity")[1]; got != 3 {
		t.Errorf("after the push the cube moves at %v, want 3", got)
	}
	polytest.EqualSlices(t, e.Sim().Spec().Parameters, []string{"geom_rgba/cube"}, "the parameters of each world")
}

// A velocity command, and the rewards for following it, may be of an entity.
func TestVelocityCommandsOfEntities(t *testing.T) {
	e := openBench(t, `
observations: {policy: [{term: generated_commands, command: velocity}, {name: v, term: base_lin_vel, entity: cube}]}
commands: [{name: velocity, term: uniform_velocity, entity: cube, lin_vel_x: [3, 3], heading: [0, 0]}]
rewards: [{term: track_lin_vel_xy_exp, entity: cube, weight: 1}, {term: track_ang_vel_z_exp, entity: cube, weight: 1}]
events: [{term: reset_root_state_uniform, entity: cube, pose_range: {}, velocity_range: {x: [3, 3]}}]
`)
	step(t, e)
	if r := e.Sim().Rewards()[0]; math.Abs(r-0.04) > 1e-3 {
		t.Errorf("the reward of a cube that moves as it is told is %v, want 2 × 0.02", r)
	}
}

func TestEntitiesRefuse(t *testing.T) {
	const about = "rewards[0].entity is cube, but this term is not about an entity"
	const seen = "observations: {policy: [{term: joint_pos_rel}]}\n"
	for sections, want := range map[string]string{
		"rewards: [{term: base_height_l2, entity: cubes, weight: 1}]": `rewards[0].entity: no entity "cubes"; did you ` +
			`mean cube?`,
		"rewards: [{term: is_alive, entity: cube, weight: 1}]":        about,
		"rewards: [{term: base_height_l2, entity: table, weight: 1}]": "entity table has no free joint",
		"rewards: [{term: base_height_l2, weight: 1}]":                "the robot has no free joint",
		"rewards: [{term: joint_vel_l2, entity: cube, weight: 1}]": "rewards[0].joints: entity cube has no hinge " +
			"or slide joint",
		"events: [{term: body_mass, bodies: [cube], ranges: [1, 1]}]": `events[0].bodies[0]: no body matches "cube"`,
		"infos: [{name: x, expr: time, entity: cube}]":                strings.Replace(about, "rewards", "infos", 1),
		"scene: {collisions: [{geoms: [elbow], condim: 6}]}":          `scene.collisions[0].geoms[0]: unknown geom "elbow"`,
		"scene: {collisions: [{geoms: [fore], condim: 5}]}":           "scene.collisions[0].condim is 5, want 1, 3, 4 or 6",
		"scene: {models: [{name: a, shape: {type: box, size: [1, 1, 1]}}]}": "scene.models[0].shape: want a file: " +
			"the first model is the robot",
	} {
		var overrides []string
		if section, ok := strings.CutPrefix(sections, "scene: {"); ok {
			key, value, _ := strings.Cut(strings.TrimSuffix(section, "}"), ": ")
			overrides, sections = []string{"scene." + key + "=" + value}, ""
		}
		c, err := benchConfig(t, seen+sections, overrides...)
		if err == nil {
			var e *env.Env
			if e, err = env.Open(c, env.OpenOptions{Workers: 1}); err == nil {
				e.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s%v: the error is %v, want %s", sections, overrides, err, want)
		}
	}
}
