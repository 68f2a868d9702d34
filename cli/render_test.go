package cli

import (
	"context"
	"fmt"
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/ffmpeg"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// recordToDraw records an episode of half a second, and the start of another.
func recordToDraw(t *testing.T, sets ...string) string {
	t.Helper()
	return recordEpisodes(t, "Hopper-v5", "zero", 2, append([]string{"worlds=1", "max_steps=60"}, sets...)...)
}

// recordEpisodes records episodes of a task under a policy into a dataset of its own.
func recordEpisodes(t *testing.T, task, policy string, episodes int, sets ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	args := []string{"rollout", "--task", task, "--episodes", fmt.Sprint(episodes), "--policy", policy, "--out", dir}
	for _, s := range sets {
		args = append(args, "--set", s)
	}
	mustTrain(t, args...)
	return dir
}

func TestRender(t *testing.T) {
	dataset := recordToDraw(t)
	out := filepath.Join(t.TempDir(), "clip.gif")
	code, stdout, stderr := train(t, "render", dataset, "--out", out, "--size", "64x48", "--fps", "10", "--episode", "0")
	if code != Done || !strings.Contains(stdout, "episode 0 of Hopper-v5, 5 frames, in "+out) {
		t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
	}
	f := polytest.Must(os.Open(out))(t)
	defer f.Close()
	if g, err := gif.DecodeAll(f); err != nil || g.Config.Width != 64 || g.Config.Height != 48 || len(g.Image) != 5 {
		t.Errorf("the clip: %v", err)
	}
	t.Setenv(ffmpeg.Variable, "ffmpeg") // no configuration key
	recordToDraw(t)
	for _, camera := range []string{"free", "track"} {
		code, stdout, stderr = train(t, "render", dataset, "--out", out, "--force", "--size", "64x48", "--fps", "10",
			"--camera", camera, "--from", "200ms", "--until", "400ms")
		if code != Done || !strings.Contains(stdout, "episode 1 of Hopper-v5, 2 frames") {
			t.Errorf("%s: exit %d, %q, %q", camera, code, stdout, stderr)
		}
	}
}

// Bad input ends with one line that says what is wanted, and leaves no file.
func TestRenderErrors(t *testing.T) {
	dataset, blind := recordToDraw(t), recordToDraw(t, "recording.pose=false")
	damaged := recordToDraw(t)
	shards, err := filepath.Glob(filepath.Join(damaged, "*.arrow"))
	if err != nil || len(shards) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	data := polytest.Must(os.ReadFile(shards[0]))(t)
	data[len(data)*3/4] ^= 1
	polytest.NoError(t, os.WriteFile(shards[0], data, 0o666))
	out := filepath.Join(t.TempDir(), "clip.gif")
	for _, c := range []struct {
		dataset string
		args    string
		code    int
		want    string
	}{
		{dataset, "", Usage, "no file given, want --out FILE.gif"},
		{dataset, "--out " + out + " --size 64", Usage, `--size is "64", want WIDTHxHEIGHT in pixels`},
		{dataset, "--out " + out + " --size 0x9", Usage, `--size is "0x9", want 1x1 to 4096x4096`},
		{dataset, "--out " + out + " --size 99999x9", Usage, "want 1x1 to 4096x4096"},
		{dataset, "--out " + out + " --fps 0", Usage, "--fps"},
		{dataset, "--out " + out + " --fps 900000000", Usage, "frames, want at most 1000000"},
		{dataset, "--out " + out + " --episode 7", Usage, "--episode is 7, want one of the dataset's, up to 1"},
		{dataset, "--out " + out + " --episode -2", Usage, "--episode is -2, want at least 0"},
		{dataset, "--out " + out + " --camera trak", Usage, `"trak"`},
		{dataset, "--out " + out + " --distance -1", Usage, "distance is -1, want 0 to 1e+06"},
		{dataset, "--out " + out + " --azimuth nan", Usage, "azimuth is NaN, want -1e+06 to 1e+06"},
		{dataset, "--out " + out + " --from 9s", Usage, "want less than its end"},
		{dataset, "--out " + out + " --from 2s --until 1s", Usage, "--from is 2s and --until 1s"},
		{dataset, "--out clip.avi", Usage, "--out: clip.avi ends in .avi"},
		{blind, "--out " + out, Failed, "it has no column pose in its table capture, want one recorded with recording.pose"},
		{damaged, "--out " + out, Failed, "capture"},
		{t.TempDir(), "--out " + out, Usage, "is not a dataset"},
		{"nowhere", "--out " + out, Usage, "nowhere"},
	} {
		refuses(t, c.code, "render "+c.dataset+" "+c.args, c.want)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%v: %s is there", c.args, out)
		}
	}
	polytest.NoError(t, disk.WriteFile(disk.OS{}, out, nil, false))
	refuses(t, Usage, "render "+dataset+" --out "+out, "is there already")
	t.Setenv(ffmpeg.Variable, "no-such-ffmpeg")
	refuses(t, Usage, "render "+dataset+" --out "+out+".mp4", "want a clip that ends in .gif, or the package ffmpeg")
}

func TestRenderInterrupted(t *testing.T) {
	dataset := recordToDraw(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := filepath.Join(t.TempDir(), "clip.gif")
	var stderr strings.Builder
	if code := Run(ctx, []string{"render", dataset, "--out", out}, &stderr, &stderr); code != Interrupted {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
	if entries, err := os.ReadDir(filepath.Dir(out)); err != nil || len(entries) > 0 {
		t.Errorf("%v left, %v", entries, err)
	}
}
