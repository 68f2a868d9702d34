package cli

import (
	"bytes"
	"context"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// A training leaves a clip of its policy, unless the configuration says no. Without Embree
// it warns, and the run is as good as any.
func TestRunLeavesAClip(t *testing.T) {
	takesLong(t)
	for _, c := range []struct {
		name    string
		args    []string
		variant []string
		clip    bool
		says    string
	}{
		{"as it is", nil, nil, true, ""},
		{"two seeds", []string{"--seeds", "2"}, nil, true, ""},
		{"off", []string{"--set", "recording.clip=false"}, nil, false, ""},
		{"no Embree", nil, []string{withoutLibraries(t, "libembree3.so.3")}, false,
			"warning: no clip of the policy: cast: pictures need Embree 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := filepath.Join(t.TempDir(), "run")
			args := append([]string{"run", "--task", "Hopper-v5", "--out", run, "--set", "recording.enabled=false"}, small...)
			cmd := process(t, append(args, c.args...)...)
			cmd.Env = append(cmd.Env, c.variant...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			if slices.Contains(c.args, "--seeds") {
				run = filepath.Join(run, "seed-2")
			}
			f, err := os.Open(filepath.Join(run, rundir.ClipFile))
			if (err == nil) != c.clip || !strings.Contains(stderr.String(), c.says) || c.says == "" &&
				strings.Contains(stderr.String(), "warning") {
				t.Fatalf("clip: %v; %s", err, stderr.String())
			}
			if err != nil {
				return
			}
			defer f.Close()
			if g, err := gif.DecodeAll(f); err != nil || g.Config.Width != 480 || len(g.Image) < 3 {
				t.Errorf("the clip: %v", err)
			}
		})
	}
}

// A clip that takes too long is given up, and the warning says so. It is also given up at
// once when the run is stopped. Nothing is left of it.
func TestClipThatIsGivenUp(t *testing.T) {
	takesLong(t)
	run, temporary := filepath.Join(t.TempDir(), "run"), t.TempDir()
	args := append([]string{"run", "--task", "HalfCheetah-v5", "--out", run, "--set", "recording.enabled=false"}, small...)
	mustTrain(t, append(args, "--set", "max_steps=0")...) // a clip of many frames
	t.Setenv(asTrain, "1")
	t.Setenv("TMPDIR", temporary)
	none := func(int64, int64) {}
	if err := drawApart(t.Context(), time.Millisecond, run, none); err == nil ||
		err.Error() != "drawing it has taken more than 1ms, and train clip "+run+" draws it without a limit" {
		t.Errorf("error %v, want that of the limit", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	frames := 0
	if err := drawApart(ctx, time.Minute, run, func(int64, int64) { frames++; cancel() }); err == nil || frames == 0 {
		t.Errorf("error %v after %d frames, want that of a killed process", err, frames)
	}
	for _, pattern := range []string{filepath.Join(temporary, "*"), filepath.Join(run, rundir.ClipFile+"*")} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
	}
	clip := filepath.Join(run, rundir.ClipFile)
	polytest.Equal(t, mustTrain(t, "clip", run), "drew "+clip+"\n", "what the command of the warning says")
	if _, err := os.Stat(clip); err != nil {
		t.Error(err)
	}
}
