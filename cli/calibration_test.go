package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// turret is a scene whose cameras turn with a head, or look down from above, on balls.
const turret = `<mujoco model="turret">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.01" integrator="implicitfast"/>
  <visual><map znear="0.01"/></visual>
  <statistic extent="1"/>
  <default>
    <geom contype="0" conaffinity="0"/>
    <velocity kv="2" ctrlrange="-2 2"/>
  </default>
  <worldbody>
    <light pos="0 0 2" dir="0 0 -1"/>
    <geom name="floor" type="plane" size="3 3 0.1" contype="1"/>
    <camera name="above" pos="0.1 0 2" fovy="50"/>
    <body name="head" pos="0 0 0.4">
      <joint name="pan" axis="0 0 1"/>
      <geom name="skull" type="box" size="0.03 0.04 0.05" mass="0.3"/>
      <camera name="eye" pos="0.1 0 0.1" xyaxes="0 -1 0 0.3 0 1" resolution="32 20" sensorsize="0.0032 0.0024"
        focal="0.002 0.0017" principal="0.0003 -0.0002"/>
      <camera name="flat" pos="-0.2 0 0.15" xyaxes="0 -1 0 0.3 0 1" projection="orthographic" fovy="0.5"/>
    </body>
    <body name="slider" pos="0.8 0 0.3">
      <joint name="slide" type="slide" axis="0 1 0" range="-1 1"/>
      <geom name="ball" type="sphere" size="0.11" mass="0.2"/>
    </body>
    <body name="pole" pos="0.5 0.6 0.2"><geom name="post" type="cylinder" size="0.06 0.2"/></body>
    <body name="crate" pos="-0.6 -0.4 0.15" euler="0 0 0.4"><geom name="crate" type="box" size="0.1 0.15 0.15"/></body>
  </worldbody>
  <actuator>
    <velocity name="pan" joint="pan"/>
    <velocity name="slide" joint="slide"/>
  </actuator>
</mujoco>
`

// classes are those of geoms of that scene. The post is in both, and the skull in none.
const classes = `[{name: thing, geoms: [ball, "po.*"]}, {name: still, bodies: [world, pole, crate]}]`

// watched is a task in that scene with a camera of each kind: with a lens of its own, with lenses that distort, with parallel rays, at a place on a
// body, with another field of view in each world, and with errors that show older pictures. Two show the numbers of bodies and classes.
const watched = `
task: {name: watched}
worlds: 3
max_steps: 30
episode: 1s
scene: {models: [{file: %s}], floor: false}
runners: [{name: Robot, rate: 20}, {name: Capture, rate: 30}, {name: Sensors, rate: 100}]
bindings: [{name: physics, substeps: 5}]
actions: [{term: joint_velocity, scale: 1.5}]
sensors:
  - {name: joints, runner: Sensors, sources: [qpos]}
  - {name: eye, runner: Capture, latency: 20ms, camera: {name: eye, width: 32, height: 20, kinds: [depth, segmentation]}}
  - {name: back, runner: Capture, camera: {body: head, position: [-0.1, 0, 0], quaternion: [0.5, 0.5, 0.5, 0.5], fovy: 70,
     width: 27, height: 18, kinds: [segmentation, rgb, depth]}}
  - {name: above, runner: Capture, latency: 35ms, camera: {name: above, width: 24, height: 18,
     kinds: [depth, segmentation]}}
  - {name: barrel, runner: Capture, camera: {name: eye, fovy: 75, width: 37, height: 27,
     distortion: [-0.22, 0.06, 0.008, -0.012, -0.005], kinds: [depth, segmentation]}}
  - {name: cushion, runner: Capture, camera: {name: eye, width: 30, height: 22, distortion: [0.15, 0.02, -0.005, 0.01, 0],
     kinds: [depth, segmentation]}}
  - {name: flat, runner: Capture, camera: {name: flat, width: 23, height: 17, kinds: [depth, segmentation]}}
  - {name: lossy, runner: Capture, latency: 20ms, dropout: 0.4, camera: {name: eye, fovy: 80, width: 16, height: 13,
     kinds: [depth, segmentation]}}
  - {name: sticky, runner: Capture, hold: {time: 70ms, probability: 0.3}, camera: {name: eye, width: 8, height: 6,
     kinds: [depth]}}
  - {name: bodies, runner: Capture, latency: 20ms, camera: {name: eye, width: 32, height: 20, kinds: [segmentation],
     instances: body}}
  - {name: sorted, runner: Capture, latency: 20ms, camera: {name: eye, width: 32, height: 20, kinds: [depth, segmentation],
     classes: ` + classes + `}}
observations: {policy: [{term: joint_pos_rel}]}
rewards: [{name: still, expr: "1", weight: 1}]
terminations: [{term: time_out}]
events:
  - {term: cam_pos, cameras: [above], ranges: {x: [-0.2, 0.2], z: [-0.3, 0]}}
  - {term: cam_quat, cameras: [above], roll_range: [-0.2, 0.2], pitch_range: [-0.2, 0.2]}
  - {term: cam_fovy, cameras: [above], ranges: [30, 70], mode: startup}
recording: {tables: [capture, sensors], batch_rows: 50}
`

// recordWatched returns a dataset of the task watched, which is made in a folder beside its model and configuration.
func recordWatched(t *testing.T, folder, name string, args ...string) (dataset string) {
	t.Helper()
	model, config := filepath.Join(folder, "turret.xml"), filepath.Join(folder, "watched.yaml")
	polytest.NoError(t, os.WriteFile(model, []byte(turret), 0o600))
	polytest.NoError(t, os.WriteFile(config, fmt.Appendf(nil, watched, model), 0o600))
	dataset = filepath.Join(folder, name)
	code, _, stderr := train(t, append([]string{"rollout", "--config", config, "--policy", "random", "--episodes", "3",
		"--out", dataset}, args...)...)
	if strings.Contains(stderr, "libembree3-3") {
		t.Skip(stderr)
	} else if code != Done {
		t.Fatalf("exit %d, %q", code, stderr)
	}
	return dataset
}

// Calibration and poses of cameras are those with which MuJoCo's own rays through the middles of the pixels meet what
// the pictures show, at the pictures' stamps, also of pictures that were added.
func TestCalibrationAgainstMuJoCo(t *testing.T) {
	python, folder := polytest.Python(t), t.TempDir()
	dataset := recordWatched(t, folder, "dataset")
	for camera, size := range map[string]string{"eye": "20x30", "above": "24x18", "flat": "18x25"} {
		mustTrain(t, "render", "--into", dataset, "--camera", camera, "--size", size, "--kinds", "depth,segmentation")
	}
	mustTrain(t, "render", "--into", dataset, "--camera", "sorted", "--channel",
		"{name: eye, width: 20, height: 30, kinds: [segmentation], classes: "+classes+"}")
	export := filepath.Join(folder, "mcap")
	mustTrain(t, "export", dataset, "--to", "mcap", "--out", export)
	out, err := exec.Command(python, "../internal/tests/peers/calibration.py", dataset,
		filepath.Join(folder, "turret.xml"), export).CombinedOutput()
	if t.Logf("%s", out); err != nil {
		t.Error(err)
	}
}

// Any number of workers, and slices that are merged, record the same calibration, of channels and of pictures that were
// added.
func TestDeterminismOfCalibration(t *testing.T) {
	folder := t.TempDir()
	add := func(dataset string) {
		mustTrain(t, "render", "--into", dataset, "--camera", "above", "--size", "24x18", "--kinds", "depth")
	}
	dataset := recordWatched(t, folder, "one")
	add(dataset)
	want := polytest.Files(t, dataset)
	dataset = recordWatched(t, folder, "three", "--workers", "3")
	add(dataset)
	polytest.SameFiles(t, "three workers", polytest.Files(t, dataset), want)
}

// A lens that distorts has one field of view.
func TestDistortionOfVaryingCameraIsRefused(t *testing.T) {
	folder := t.TempDir()
	recordWatched(t, folder, "dataset")
	code, _, stderr := train(t, "rollout", "--config", filepath.Join(folder, "watched.yaml"), "--policy", "zero",
		"--episodes", "1", "--out", filepath.Join(folder, "refused"), "--set", "recording.tables=[capture]", "--set",
		"sensors=[{name: down, runner: Capture, camera: {name: above, width: 8, height: 6, distortion: [0.1, 0, 0, 0, 0]}}]")
	const want = `sensor channel "down": camera: camera "above" has a distortion and a field of view of its own in each world`
	if code != Usage || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, %q, want %q", code, stderr, want)
	}
}
