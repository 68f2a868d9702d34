package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// motorLog writes a table of measurements of a servo with dry friction, and returns its path.
func motorLog(t *testing.T, rows int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 1))
	var text strings.Builder
	text.WriteString("t,position_error,velocity,torque\n")
	e, v := 0.0, 0.0
	for i := range rows {
		e, v = 0.97*e+0.05*r.NormFloat64(), 0.97*v+0.7*r.NormFloat64()
		fmt.Fprintf(&text, "%.4f,%v,%v,%v\n", 0.005*float64(i), e, v, 20*e-v-0.3*math.Tanh(4*v))
	}
	path := filepath.Join(t.TempDir(), "knee.csv")
	polytest.NoError(t, os.WriteFile(path, []byte(text.String()), 0o666))
	return path
}

// A robot whose actuators were learned is trained, with the same bytes for other workers; what it ran is repeated.
func TestLearnedActuatorIsTrained(t *testing.T) {
	dir := t.TempDir()
	network, picture := filepath.Join(dir, "knee.policy"), filepath.Join(dir, "knee.png")
	out := mustTrain(t, "actuator", motorLog(t, 3000), "--out", network, "--hidden", "16,8", "--epochs", "20", "--picture",
		picture)
	for _, want := range []string{"5ms apart", "looks back  10ms", "the network is in " + network} {
		if !strings.Contains(out, want) {
			t.Errorf("it says\n%s\nwant %q in it", out, want)
		}
	}
	polytest.NoError(t, polytest.Err(os.Stat(picture)))
	config := filepath.Join(dir, "robot.yaml")
	polytest.NoError(t, os.WriteFile(config, []byte(`
task: {name: own}
worlds: 6
episode: 400ms
scene:
  models: [{file: "builtin:quadruped.xml"}]
  actuators: [{joints: [".*_(hip|knee|abduction)"], type: learned, network: knee.policy, effort: 9, replace: true}]
runners: [{name: Robot, rate: 50}, {name: Capture, rate: 30}]
bindings: [{name: physics, substeps: 4}]
actions: [{term: joint_position, scale: 0.3}]
observations: {policy: [{term: projected_gravity}, {term: joint_pos_rel}]}
rewards: [{term: is_alive, weight: 1}]
terminations: [{term: time_out}]
start: {keyframe: home}
training: {steps: 600, segment: 16, minibatch: 64, hidden: [8]}
`), 0o666))
	var data [][]byte
	for _, workers := range []string{"1", "2"} {
		run := filepath.Join(dir, "run"+workers)
		mustTrain(t, "run", "--config", config, "--out", run, "--workers", workers)
		mustTrain(t, "replay", run)
		data = append(data, polytest.Must(os.ReadFile(filepath.Join(run, "metrics.csv")))(t))
	}
	polytest.EqualSlices(t, data[1], data[0], "metrics")
}

func TestWrongActuatorFlags(t *testing.T) {
	log, there := motorLog(t, 200), filepath.Join(t.TempDir(), "there")
	polytest.NoError(t, os.WriteFile(there, []byte("mine"), 0o666))
	empty := filepath.Join(t.TempDir(), "empty.csv")
	polytest.NoError(t, os.WriteFile(empty, nil, 0o666))
	for _, c := range [][2]string{
		{"", "no DATA.csv given, want at least 1"},
		{log, "no file given, want --out FILE"},
		{log + " --out " + there, there + " is there already, want another name"},
		{log + " --out x --epochs 0", "--epochs is 0, want 1 to 1000000"},
		{log + " --out x --hidden 300", "--hidden is 300, want 1 to 256"},
		{log + " --out x --picture x.gif", `--picture is "x.gif", want a name that ends in .png`},
		{log + "x --out x", "no such file"},
		{os.DevNull + " --out x", "it is a device, want a file"},
		{empty + " --out x", "want a head with the columns t, position_error, velocity, torque"},
	} {
		refuses(t, Usage, strings.TrimSpace("actuator "+c[0]), c[1])
	}
	polytest.Equal(t, string(polytest.Must(os.ReadFile(there))(t)), "mine", "a file that was there")
}
