package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// A scene with rough ground and actuators is written for other programs. MuJoCo's Python package opens both forms: they
// have the same sizes, and steps of one are those of the other.
func TestExportScene(t *testing.T) {
	dir := t.TempDir()
	args := append([]string{"export-scene"}, withTerrain...)
	args = append(args, "--set", "runners.Robot.rate=50", "--set", "bindings.physics.substeps=8")
	files := []string{filepath.Join(dir, "scene.xml"), filepath.Join(dir, "scene.mjb")}
	for _, out := range files {
		says(t, mustTrain(t, append(args, "--out", out)...), "wrote "+out)
		code, _, errs := train(t, append(args, "--out", out)...)
		polytest.Equal(t, code, Usage, "exit for a file that is there")
		says(t, errs, out+" is there already, want another name, or --force to replace it")
	}
	says(t, string(polytest.Must(os.ReadFile(files[0]))(t)), "<hfield name=\"terrain_", `timestep="0.0025`)
	refuses(t, Usage, "export-scene --task quadruped --out x.usd", `--out is "x.usd", want a name that ends in .xml or `)
	refuses(t, Usage, "export-scene --task quadruped", "no file given, want --out SCENE.xml or SCENE.mjb")
	refuses(t, Usage, "export-scene --task LunarLander-v3 --out x.xml", "a scene of box2d ")
	motors := filepath.Join(dir, "motors.xml")
	says(t, mustTrain(t, "export-scene", "--task", "quadruped", "--out", motors, "--set", "scene.actuators=[{joints: "+
		"['.*'], type: dc_motor, kp: 9, effort: 9, saturation_effort: 20, velocity_limit: 9, replace: true}]"),
		"note: FL_abduction, ", "elsewhere they have no force", "wrote "+motors)

	python := os.Getenv("POLYTEST_PYTHON")
	if python == "" {
		return
	}
	out, err := exec.Command(python, "../internal/tests/peers/scenes.py", files[0], files[1]).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
