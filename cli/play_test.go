package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// played reads the JSON that play prints: frames, then the summary.
func played(t *testing.T, out string) (frames []frame, last summary) {
	t.Helper()
	cut := strings.LastIndex(strings.TrimSuffix(out, "\n"), "\n") + 1
	if cut > 0 {
		frames = lines[frame](t, out[:cut])
	}
	return frames, lines[summary](t, out[cut:])[0]
}

// Sim Realtime is the mode of play, unless the configuration says otherwise.
func TestPlayModes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.yaml")
	if err := os.WriteFile(file, []byte("task: {name: HalfCheetah-v5}\nworlds: 1\ntime: {mode: game_realtime}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	short := []string{"play", "--task", "quadruped", "--set", "worlds=1", "--seconds", "0.06", "--format", "json"}
	for _, c := range []struct {
		more []string
		mode string
	}{
		{nil, "sim_realtime"},
		{[]string{"--set", "time.mode=sim_high_performance"}, "sim_high_performance"},
		{[]string{"--mode", "game_realtime"}, "game_realtime"},
	} {
		_, last := played(t, mustTrain(t, append(short, c.more...)...))
		if last.Mode != c.mode || last.Steps < 3 || last.Task != "quadruped" || (last.Wall > 0) != (c.mode != "sim_high_performance") {
			t.Errorf("%v: %+v, want %s", c.more, last, c.mode)
		}
	}
	t.Setenv("POLYRHYTHM_TIME_MODE", "sim_high_performance")
	if _, last := played(t, mustTrain(t, short...)); last.Mode != "sim_high_performance" {
		t.Errorf("by a variable: %+v", last)
	}
	os.Unsetenv("POLYRHYTHM_TIME_MODE")
	if _, last := played(t, mustTrain(t, "play", "--config", file, "--seconds", "0.06", "--format", "json")); last.Mode != "game_realtime" {
		t.Errorf("by the file: %+v", last)
	}
}

// The frames have the values of the free updates: wall time, alpha, skipped intervals.
func TestPlayFrames(t *testing.T) {
	args := []string{"play", "--task", "quadruped", "--set", "worlds=1", "--seconds", "0.4", "--frames"}
	frames, last := played(t, mustTrain(t, append(args, "--format", "json")...))
	steps := int64(0)
	for i, f := range frames {
		steps += f.Steps
		if f.Frame != int64(i+1) || f.N != steps || !(f.Alpha >= 0 && f.Alpha < 1) || f.Backlog < 0 || f.NS/20_000_000 != f.N {
			t.Errorf("frame %+v after %d steps", f, steps)
		}
	}
	if steps != last.Steps || steps < 20 {
		t.Errorf("%d steps, want %d", steps, last.Steps)
	}
	table := mustTrain(t, args...)
	if !strings.Contains(table, "ALPHA") || !strings.Contains(table, "quadruped, sim_realtime: ") || strings.Count(table, "\n") < 5 {
		t.Errorf("the table is\n%s", table)
	}
}

// A run in Game Realtime logs its skips, and replays from the log.
func TestPlayAndReplayAGame(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "game")
	_, last := played(t, mustTrain(t, "play", "--task", "quadruped", "--set", "worlds=3", "--set", "time.max_steps=1", "--mode", "game_realtime",
		"--fps", "8", "--seconds", "0.5", "--out", folder, "--format", "json"))
	if last.Skipped == 0 || last.Dropped != 0 {
		t.Errorf("%+v, want some intervals skipped", last)
	}
	if out := mustTrain(t, "replay", folder); out != "identical, "+count(last.Steps, "step")+" of 3 worlds\n" {
		t.Errorf("replay: %q, want %d steps", out, last.Steps)
	}
}

// Ctrl-C ends a run cleanly, with its summary.
func TestPlayIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &cancelling{cancel: cancel}
	var errs bytes.Buffer
	code := execute(ctx, newTrain("train"), []string{"play", "--task", "quadruped", "--set", "worlds=1", "--frames"}, out, &errs)
	if code != Interrupted || !strings.Contains(errs.String(), "interrupted") || out.written < 100 {
		t.Errorf("exit %d after %d bytes, %q", code, out.written, errs.String())
	}
}

func TestPlayErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--fps", "-1"}, "--fps is -1, want 0 to 1e+06"},
		{[]string{"--fps", "nan"}, "--fps is NaN, want"},
		{[]string{"--episodes", "-1"}, "--episodes is -1, want at least 0"},
		{[]string{"--seconds", "0"}, "--seconds"},
		{[]string{"--mode", "fast"}, `mode is "fast", want one of`},
		{[]string{"--policy", "/nowhere.csv"}, "policy is /nowhere.csv, want random"},
		{[]string{"--set", "autoreset=disabled"}, "autoreset is disabled, want same_step or next_step"},
		{[]string{"--set", "time.free_updates=3"}, "time.free_updates"},
	} {
		code, out, errs := train(t, append([]string{"play", "--task", "quadruped"}, c.args...)...)
		if code != Usage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, %q and %q; want exit 2 and one line with %q", c.args, code, out, errs, c.want)
		}
	}
}
