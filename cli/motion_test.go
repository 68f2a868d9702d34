package cli

import (
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/render"
	"github.com/polyrhythm-rl/polyrhythm/tasks/motion"
)

// recordToImitate records episodes of a robot.
func recordToImitate(t *testing.T, task string, sets ...string) string {
	t.Helper()
	return recordEpisodes(t, task, "random", 4, append([]string{"worlds=2", "max_steps=40"}, sets...)...)
}

// TestMotionOfARecordedEpisode: the frames of a motion are the recorded positions, or lie between them at another rate.
func TestMotionOfARecordedEpisode(t *testing.T) {
	for _, task := range []string{"quadruped", "HalfCheetah-v5"} {
		dataset := recordToImitate(t, task, "runners.Capture.rate=29.97")
		out := filepath.Join(t.TempDir(), "clip.npz")
		stdout := mustTrain(t, "motion", dataset, "--episode", "2", "--out", out, "--format", "json")
		var report motionReport
		polytest.NoError(t, json.Unmarshal([]byte(stdout), &report))
		polytest.Equal(t, report.Rate, "29.97", "the rate")
		clip := polytest.Must(motion.ReadNPZ(polytest.Must(os.ReadFile(out))(t)))(t)
		d := polytest.Must(recorder.Open(dataset))(t)
		e := polytest.Must(render.ReadEpisode(t.Context(), d, 2, nil))(t)
		polytest.Equal(t, clip.Frames, len(e.Poses), "frames of %s", task)
		joints := clip.JointCount() // the last of qpos
		for k, pose := range e.Poses {
			position, _ := clip.Joint(k)
			polytest.EqualSlices(t, position, pose[len(pose)-joints:], "the joints of frame %d", k)
			if at, _, _, _ := clip.Body(k, 0); len(pose) > joints && [3]float64(at) != [3]float64(pose[:3]) {
				t.Errorf("frame %d: the base is at %v, want %v", k, at, pose[:3])
			}
		}
		mustTrain(t, "motion", dataset, "--episode", "2", "--out", out, "--force", "--rate", "60")
		fast := polytest.Must(motion.ReadNPZ(polytest.Must(os.ReadFile(out))(t)))(t)
		if want := int(math.Floor(clip.Seconds()*60+1e-9)) + 1; fast.Frames != want || fast.Rate.Num() != 60 {
			t.Errorf("%d frames at %v Hz, want %d at 60", fast.Frames, fast.Rate, want)
		}
		listed := mustTrain(t, "motion", out)
		if first, _, _ := strings.Cut(listed, "\n"); !strings.Contains(first, "frames at 60 Hz") {
			t.Errorf("the list begins %q", first)
		}
	}
}

func TestMotionErrors(t *testing.T) {
	dataset, blind := recordToImitate(t, "quadruped"), recordToImitate(t, "quadruped", "recording.pose=false")
	changing := recordToImitate(t, "quadruped", "changes=[{n: 5, edits: [{set_rate: {name: Capture, rate: 25}}]}]")
	flat := recordToImitate(t, "LunarLander-v3")
	folder := t.TempDir()
	clip, torn, csv := filepath.Join(folder, "a.npz"), filepath.Join(folder, "b.npz"), filepath.Join(folder, "c.csv")
	mustTrain(t, "motion", dataset, "--out", clip)
	data := polytest.Must(os.ReadFile(clip))(t)
	polytest.NoError(t, os.WriteFile(torn, data[:len(data)-100], 0o666))
	polytest.NoError(t, os.WriteFile(csv, []byte("1,2\n"), 0o666))
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", Usage, "no SOURCE given"},
		{"none.npz", Failed, "none.npz: no such file"},
		{torn, Failed, torn + ": no NPZ file, or a torn one"},
		{csv, Usage, "no robot given for " + csv},
		{csv + " --task quadruped", Failed, csv + ": line 1 has 2 values, want 19: 7 of the base and 12 joints"},
		{clip + " --task HalfCheetah-v5", Failed, "joints without rootx, rootz"},
		{clip + " --task LunarLander-v3", Failed, "want one of MuJoCo"},
		{clip + " --task quadruped --rate 0", Usage, "--rate"},
		{csv + " --csv-rate x", Usage, "--csv-rate"},
		{dataset + " --episode 99", Usage, "--episode is 99, want one of the dataset's"},
		{dataset + " --episode -2", Usage, "--episode is -2"},
		{dataset + " --out " + clip, Usage, "is there already"},
		{dataset + " --out clip.csv", Usage, "want a name that ends in .npz"},
		{blind, Failed, "it has no column pose"},
		{changing, Failed, "changes in mid-run, want one rate"},
		{flat, Failed, "want one of MuJoCo"},
		{folder, Failed, folder},
	} {
		code, stdout, stderr := train(t, append([]string{"motion"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
			t.Errorf("%s: exit %d, %q, %q, want %d and %q", c.args, code, stdout, stderr, c.code, c.want)
		}
	}
}

// TestRenderBesideTheMotion: --motion doubles the width, and where the robot stands still in its first frame, as its
// motion does, both halves are the same.
func TestRenderBesideTheMotion(t *testing.T) {
	folder := t.TempDir()
	config, still := filepath.Join(folder, "imitate.yaml"), filepath.Join(folder, "still.yaml")
	polytest.NoError(t, os.WriteFile(still, []byte("keyframes: [{time: 0s}, {time: 1s, base: {z: 0.2}}]"), 0o666))
	polytest.NoError(t, os.WriteFile(config, []byte(`task: {name: imitate}
worlds: 1
scene: {models: [{file: "builtin:quadruped.xml"}]}
start: {keyframe: home}
actions: [{term: joint_position}]
observations: {policy: [{term: joint_pos_rel}]}
commands: [{name: up, term: motion, motion_file: still.yaml, sampling_mode: start}]
`), 0o666))
	dataset, out := filepath.Join(folder, "dataset"), filepath.Join(folder, "frames")
	mustTrain(t, "rollout", "--config", config, "--policy", "zero", "--episodes", "1", "--out", dataset)
	mustTrain(t, "render", dataset, "--motion", "--out", out, "--size", "64x48", "--fps", "2")
	half := func(file string, from int) (pixels []color.Color) {
		f := polytest.Must(os.Open(filepath.Join(out, file)))(t)
		defer f.Close()
		picture := polytest.Must(png.Decode(f))(t)
		polytest.Equal(t, picture.Bounds(), image.Rect(0, 0, 128, 48), "the size")
		for x := range 64 {
			for y := range 48 {
				pixels = append(pixels, picture.At(from+x, y))
			}
		}
		return pixels
	}
	if !slices.Equal(half("000000.png", 0), half("000000.png", 64)) {
		t.Error("the first frame shows a robot that is not where its motion begins")
	}
	if slices.Equal(half("000001.png", 0), half("000001.png", 64)) {
		t.Error("half a second later the motion, which rises, looks like the robot, which cannot")
	}
	code, _, stderr := train(t, "render", recordToDraw(t), "--motion", "--out", out+".gif")
	if code != Usage || !strings.Contains(stderr, "imitates no motion: it has no command motion") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// TestG1Tracking: the preset of Unitree's G1 runs as it is, with its keyframes.
func TestG1Tracking(t *testing.T) {
	if _, err := os.Stat("../third_party/robots/mjlab/mjlab/asset_zoo/robots/unitree_g1/xmls/g1.xml"); err != nil {
		t.Skipf("%v; run the set-up", err)
	}
	out := filepath.Join(t.TempDir(), "dataset")
	stdout := mustTrain(t, "rollout", "--config", "../configs/described/g1_tracking.yaml", "--policy", "zero",
		"--episodes", "2", "--set", "worlds=2", "--set", "max_steps=10", "--set", "commands.motion.sampling_mode=start",
		"--out", out)
	if !strings.Contains(stdout, "2 episodes") {
		t.Errorf("%q, want 2 episodes", stdout)
	}
	d := polytest.Must(recorder.Open(out))(t)
	for r, err := range d.EachRow("episodes") {
		polytest.NoError(t, err)
		if steps, error := r.Int("steps"), r.Float("mean_motion/error_body_pos"); steps != 10 || error > 0.05 {
			t.Errorf("an episode of %d steps, %v m from the motion, want 10 and less than 5 cm", steps, error)
		}
	}
}
