package cli

import (
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
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

// TestMotionOfARecordedEpisode: the frames of a motion are the recorded positions where they were measured at that
// instant, and else lie between them.
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
		joints := clip.JointCount() // the last of qpos
		for k := range clip.Frames {
			ns := clip.Rate.Timestamp(int64(k))
			after := sort.Search(len(e.Stamps), func(i int) bool { return e.Stamps[i] > ns })
			if after == 0 || after == len(e.Stamps) && e.Stamps[after-1] < ns {
				t.Fatalf("frame %d is at %d ns, want one from %d to %d", k, ns, e.Stamps[0], e.Stamps[after-1])
			}
			a, b := e.Poses[after-1], e.Poses[min(after, len(e.Poses)-1)]
			share := 0.0
			if after < len(e.Stamps) {
				share = float64(ns-e.Stamps[after-1]) / float64(e.Stamps[after]-e.Stamps[after-1])
			}
			near := func(what string, got []float64, first int) {
				for i, x := range got {
					if want := a[first+i]*(1-share) + b[first+i]*share; math.Abs(x-want) > 1e-12 || share == 0 &&
						x != a[first+i] {
						t.Errorf("frame %d: value %d of the %s is %v, want %v", k, i, what, x, want)
					}
				}
			}
			position, _ := clip.Joint(k)
			near("joints", position, len(a)-joints)
			if position, _, _, _ := clip.Body(k, 0); len(a) > joints {
				near("base", position, 0)
			}
		}
		if last := e.Stamps[len(e.Stamps)-1]; clip.Rate.Timestamp(int64(clip.Frames)) <= last {
			t.Errorf("%d frames of %s, want all up to %d ns", clip.Frames, task, last)
		}
		mustTrain(t, "motion", dataset, "--episode", "2", "--out", out, "--force", "--rate", "60")
		fast := polytest.Must(motion.ReadNPZ(polytest.Must(os.ReadFile(out))(t)))(t)
		if last := fast.Rate.Timestamp(int64(fast.Frames)); last <= e.Stamps[len(e.Stamps)-1] || fast.Rate.Num() != 60 {
			t.Errorf("%d frames at %v Hz, want all at 60", fast.Frames, fast.Rate)
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
		{"none.npz", Usage, "none.npz: no such file"},
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
		{dataset + " --out clip.gif", Usage, "want a name that ends in .npz or .csv"},
		{blind, Failed, "it has no column pose"},
		{changing, Failed, "changes in mid-run, want one rate"},
		{flat, Failed, "want one of MuJoCo"},
		{folder, Usage, folder + " is not a dataset"},
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
	half := func(file string, prefix int) (pixels []color.Color) {
		f := polytest.Must(os.Open(filepath.Join(out, file)))(t)
		defer f.Close()
		picture := polytest.Must(png.Decode(f))(t)
		polytest.Equal(t, picture.Bounds(), image.Rect(0, 0, 128, 48), "the size")
		for x := range 64 {
			for y := range 48 {
				pixels = append(pixels, picture.At(prefix+x, y))
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

// TestOwnPolicyIsImitated goes from a policy of ours to a task that imitates its walk: a training, an episode, a motion,
// episodes that begin where the walk did, the same bytes for any number of workers, and a replay.
func TestOwnPolicyIsImitated(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	mustTrain(t, "run", "--task", "quadruped", "--out", path("walker"), "--set", "worlds=4", "--set",
		"recording.enabled=false",
		"--set", "training.steps=1024", "--set", "training.segment=64", "--set", "training.hidden=[8]",
		"--set", "evaluation.episodes=1", "--set", "max_steps=50")
	mustTrain(t, "rollout", "--config", path("walker/config.yaml"), "--set", "recording.enabled=true", "--policy",
		path("walker"), "--episodes", "3", "--seed", "5", "--out", path("walk"))
	for _, name := range []string{"walk.csv", "walk.npz"} {
		mustTrain(t, "motion", path("walk"), "--episode", "2", "--out", path(name))
		config := path("imitate.yaml")
		polytest.NoError(t, os.WriteFile(config, []byte(`task: {name: imitate}
worlds: 4
scene: {models: [{file: "builtin:quadruped.xml"}]}
runners: [{name: Robot, rate: 50}, {name: Capture, rate: 30}]
actions: [{term: joint_position, scale: 0.1, command: walk}]
observations: {policy: [{term: joint_pos_rel}, {term: generated_commands, command: walk}]}
commands: [{name: walk, term: motion, motion_file: `+name+`, sampling_mode: start}]
rewards: [{term: motion_relative_body_position_error_exp, command: walk, weight: 1}]
`), 0o666))
		a, b := path(name+"-1"), path(name+"-2")
		for _, out := range []string{a, b} {
			mustTrain(t, "rollout", "--config", config, "--policy", "random", "--episodes", "6", "--workers", out[len(out)-1:],
				"--out", out)
		}
		mustTrain(t, "replay", a)
		files := polytest.Must(fs.Glob(os.DirFS(a), "*/*.arrow"))(t)
		for _, file := range append(files, polytest.Must(fs.Glob(os.DirFS(a), "*.arrow"))(t)...) {
			one, two := polytest.Must(os.ReadFile(filepath.Join(a, file)))(t), polytest.Must(os.ReadFile(filepath.Join(b, file)))(t)
			polytest.EqualSlices(t, one, two, "%s of two workers", file)
		}
		walked, imitating := polytest.Must(recorder.Open(path("walk")))(t), polytest.Must(recorder.Open(a))(t)
		want := polytest.Must(render.ReadEpisode(t.Context(), walked, 2, nil))(t)
		for n := range int64(6) {
			got := polytest.Must(render.ReadEpisode(t.Context(), imitating, n, nil))(t)
			for i, x := range want.Poses[0] {
				if math.Abs(got.Poses[0][i]-x) > 1e-6 {
					t.Fatalf("%s, episode %d begins at %v, want %v", name, n, got.Poses[0], want.Poses[0])
				}
			}
			if got.Length > want.Length {
				t.Errorf("%s, episode %d has %d ns, more than the walk, %d", name, n, got.Length, want.Length)
			}
		}
	}
}

// TestTrackingPresetsLong: the presets that imitate motions run as they are, with theirs.
func TestTrackingPresetsLong(t *testing.T) {
	polytest.OnlySlow(t)
	if _, err := os.Stat("../third_party/robots/mjlab/mjlab/asset_zoo/robots/unitree_g1/xmls/g1.xml"); err != nil {
		t.Skipf("%v; run the set-up", err)
	}
	for _, name := range []string{"g1_tracking", "go1_tracking"} {
		out := filepath.Join(t.TempDir(), "dataset")
		mustTrain(t, "rollout", "--config", "../configs/described/"+name+".yaml", "--policy", "zero", "--episodes", "2",
			"--set", "worlds=2", "--set", "max_steps=10", "--set", "commands.motion.sampling_mode=start", "--out", out)
		d := polytest.Must(recorder.Open(out))(t)
		episodes := 0
		for r, err := range d.EachRow("episodes") {
			polytest.NoError(t, err)
			episodes++
			if steps, error := r.Int("steps"), r.Float("mean_motion/error_body_pos"); steps != 10 || error > 0.05 {
				t.Errorf("%s: an episode of %d steps, %v m from the motion, want 10 and less than 5 cm", name, steps, error)
			}
		}
		polytest.Equal(t, episodes, 2, "episodes of %s", name)
	}
}
