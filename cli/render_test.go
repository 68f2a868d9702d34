package cli

import (
	"context"
	"image/gif"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/render"
)

// recordToDraw records an episode of half a second, and the start of another.
func recordToDraw(t *testing.T, sets ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	args := []string{"rollout", "--task", "Hopper-v5", "--set", "worlds=1", "--set", "max_steps=60", "--episodes", "2", "--policy", "zero", "--out", dir}
	for _, s := range sets {
		args = append(args, "--set", s)
	}
	if code, _, stderr := train(t, args...); code != Done {
		t.Fatal(stderr)
	}
	return dir
}

func TestRender(t *testing.T) {
	dataset := recordToDraw(t)
	out := filepath.Join(t.TempDir(), "clip.gif")
	code, stdout, stderr := train(t, "render", dataset, "--out", out, "--size", "64x48", "--fps", "10", "--episode", "0")
	if code != Done || !strings.Contains(stdout, "episode 0 of Hopper-v5, 5 frames, in "+out) {
		t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if g, err := gif.DecodeAll(f); err != nil || g.Config.Width != 64 || g.Config.Height != 48 || len(g.Image) != 5 {
		t.Errorf("the clip: %v", err)
	}
	t.Setenv("POLYRHYTHM_GL", "auto") // no configuration key, like POLYRHYTHM_FFMPEG
	t.Setenv(render.FFmpegVariable, "ffmpeg")
	recordToDraw(t)
	for _, camera := range []string{"free", "track"} {
		code, stdout, stderr = train(t, "render", dataset, "--out", out, "--force", "--size", "64x48", "--fps", "10", "--camera", camera, "--from", "200ms", "--until", "400ms")
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
	data, err := os.ReadFile(shards[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)*3/4] ^= 1
	if err := os.WriteFile(shards[0], data, 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "clip.gif")
	for _, c := range []struct {
		dataset string
		args    []string
		code    int
		want    string
	}{
		{dataset, nil, Usage, "no file given, want --out FILE.gif"},
		{dataset, []string{"--out", out, "--size", "64"}, Usage, `--size is "64", want WIDTHxHEIGHT in pixels`},
		{dataset, []string{"--out", out, "--size", "0x9"}, Usage, `--size is "0x9", want 1x1 to 4096x4096`},
		{dataset, []string{"--out", out, "--size", "99999x9"}, Usage, "want 1x1 to 4096x4096"},
		{dataset, []string{"--out", out, "--fps", "0"}, Usage, "--fps"},
		{dataset, []string{"--out", out, "--fps", "900000000"}, Usage, "frames, want at most 1000000"},
		{dataset, []string{"--out", out, "--episode", "7"}, Usage, "--episode is 7, want one of the dataset's, up to 1"},
		{dataset, []string{"--out", out, "--episode", "-2"}, Usage, "--episode is -2, want at least 0"},
		{dataset, []string{"--out", out, "--camera", "trak"}, Usage, `"trak"`},
		{dataset, []string{"--out", out, "--distance", "-1"}, Usage, "distance is -1, want 0 to 1e+06"},
		{dataset, []string{"--out", out, "--azimuth", "nan"}, Usage, "azimuth is NaN, want -1e+06 to 1e+06"},
		{dataset, []string{"--out", out, "--from", "9s"}, Usage, "want less than its end"},
		{dataset, []string{"--out", out, "--from", "2s", "--until", "1s"}, Usage, "--from is 2s and --until 1s"},
		{dataset, []string{"--out", "clip.avi"}, Usage, "--out: clip.avi ends in .avi"},
		{blind, []string{"--out", out}, Failed, "it has no column pose in its table capture, want one recorded with recording.pose"},
		{damaged, []string{"--out", out}, Failed, "capture"},
		{t.TempDir(), []string{"--out", out}, Failed, "is not a dataset"},
		{"nowhere", []string{"--out", out}, Usage, "nowhere"},
	} {
		code, _, stderr := train(t, append([]string{"render", c.dataset}, c.args...)...)
		if lines := strings.Count(stderr, "\n"); code != c.code || lines != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %q; want %d, %q", c.args, code, stderr, c.code, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%v: %s is there", c.args, out)
		}
	}
	if err := disk.WriteFile(disk.OS{}, out, nil, false); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := train(t, "render", dataset, "--out", out); code != Usage || !strings.Contains(stderr, "is there already") {
		t.Errorf("a file that is there: exit %d, %q", code, stderr)
	}
	t.Setenv(render.FFmpegVariable, "no-such-ffmpeg")
	if code, _, stderr := train(t, "render", dataset, "--out", out+".mp4"); code != Usage || !strings.Contains(stderr, "want a clip that ends in .gif, or the package ffmpeg") {
		t.Errorf("without ffmpeg: exit %d, %q", code, stderr)
	}
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

// cutOff makes a dataset look as if its run had been killed before it closed the dataset
// and before rows of the table capture after the first batches were written.
func cutOff(t *testing.T, dir string, batches int) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{dir, filepath.Join(dir, "episodes")} {
		must(os.Remove(filepath.Join(table, "state.json")))
		must(os.Remove(filepath.Join(table, "dataset_info.json")))
		shard := filepath.Join(table, "data-00000.arrow.part")
		must(os.Rename(filepath.Join(table, "data-00000-of-00001.arrow"), shard))
		journal := filepath.Join(table, "data.journal")
		text, err := os.ReadFile(journal)
		must(err)
		kept, n, end := "", 0, int64(0)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			switch {
			case f[0] == "end", f[0] == "batch" && table == dir && n == batches:
				continue
			case f[0] == "batch":
				n++
				offset, err := strconv.ParseInt(f[2], 10, 64)
				must(err)
				size, err := strconv.ParseInt(f[3], 10, 64)
				must(err)
				end = offset + size
			}
			kept += line
		}
		must(os.WriteFile(journal, []byte(kept), 0o666))
		must(os.Truncate(shard, end))
	}
}

// The episodes of a killed run whose rows were not yet written are left out.
func TestRenderOfAKilledRun(t *testing.T) {
	dataset := recordToDraw(t, "recording.batch_rows=7")
	cutOff(t, dataset, 3)
	out := filepath.Join(t.TempDir(), "clip.gif")
	code, stdout, stderr := train(t, "render", dataset, "--out", out, "--size", "32x32", "--fps", "10")
	if code != Done || !strings.Contains(stdout, "episode 0 of Hopper-v5") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}
