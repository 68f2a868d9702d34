package cli

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
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
	polytest.NoError(t, os.WriteFile(file, []byte("task: {name: HalfCheetah-v5}\nworlds: 1\ntime: {mode: "+
		"game_realtime}\n"), 0o666))
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
		if last.Mode != c.mode || last.Steps < 3 || last.Task != "quadruped" ||
			(last.Wall > 0) != (c.mode != "sim_high_performance") {
			t.Errorf("%v: %+v, want %s", c.more, last, c.mode)
		}
	}
	t.Setenv("POLYRHYTHM_TIME_MODE", "sim_high_performance")
	if _, last := played(t, mustTrain(t, short...)); last.Mode != "sim_high_performance" {
		t.Errorf("by a variable: %+v", last)
	}
	os.Unsetenv("POLYRHYTHM_TIME_MODE")
	if _, last := played(t, mustTrain(t,
		words("play --config "+file+" --seconds 0.06 --format json")...)); last.Mode != "game_realtime" {
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
		if f.Frame != int64(i+1) || f.N != steps || !(f.Alpha >= 0 && f.Alpha < 1) || f.Backlog < 0 ||
			f.NS/20_000_000 != f.N {
			t.Errorf("frame %+v after %d steps", f, steps)
		}
	}
	if steps != last.Steps || steps < 20 {
		t.Errorf("%d steps, want %d", steps, last.Steps)
	}
	table := mustTrain(t, args...)
	if !strings.Contains(table, "ALPHA") || !strings.Contains(table, "quadruped, sim_realtime: ") ||
		strings.Count(table, "\n") < 5 {
		t.Errorf("the table is\n%s", table)
	}
}

// A run in Game Realtime logs its skips, and replays from the log.
func TestPlayAndReplayAGame(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "game")
	_, last := played(t, mustTrain(t, words("play --task quadruped --set worlds=3 --set time.max_steps=1 --mode "+
		"game_realtime --fps 8 --seconds 0.5 --out "+folder+" --format json")...))
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
	code := execute(ctx, newTrain("train"), []string{"play", "--task", "quadruped", "--set", "worlds=1", "--frames"}, out,
		&errs)
	if code != Interrupted || !strings.Contains(errs.String(), "interrupted") || out.written < 100 {
		t.Errorf("exit %d after %d bytes, %q", code, out.written, errs.String())
	}
}

// A trained policy is played with a page, at another port where that of the page is taken. The
// run ends by itself, has the seed after the training's, and what clients do is in its log.
func TestPlayServesThePage(t *testing.T) {
	trained := filepath.Join(t.TempDir(), "trained")
	mustTrain(t, "run", "--task", "InvertedPendulum-v5", "--out", trained, "--seed", "41", "--set", "worlds=4", "--set",
		"training.steps=64", "--set", "training.segment=16",
		"--set", "training.minibatch=64", "--set", "evaluation.episodes=1", "--set", "recording.enabled=false")
	taken, err := net.Listen("tcp", defaultPage)
	mine := err == nil
	if mine { // else another program has it, for how long is not known
		defer taken.Close()
	}
	out := filepath.Join(t.TempDir(), "played")
	var stdout, stderr shared
	code := make(chan int, 1)
	go func() {
		code <- Run(t.Context(), []string{"play", trained, "--seconds", "1.2", "--out", out, "--paused", "--format", "json"},
			&stdout, &stderr)
	}()
	var address string
	for address == "" {
		if m := regexp.MustCompile(`steer it at (http://\S+)`).FindStringSubmatch(stderr.text()); m != nil {
			address = m[1]
		}
		select {
		case c := <-code:
			t.Fatalf("exit code %d: %s", c, stderr.text())
		case <-time.After(5 * time.Millisecond):
		}
	}
	answer := polytest.Must(http.Get(address))(t)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || mine && strings.Contains(address, defaultPage) {
		t.Errorf("%s answers %s, want the page at another port than %s", address, answer.Status, defaultPage)
	}
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(address, "http")+"live/v1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	for _, m := range []proto.Message{
		&wire.Hello{Join: &wire.JoinRequest{Name: "test"}},
		&wire.Intent{Kind: &wire.Intent_Step{Step: &wire.Steps{Count: 3}}},
		&wire.Intent{Kind: &wire.Intent_Speed{Speed: &wire.Speed{Factor: 50}}},
		&wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{}}},
	} {
		polytest.NoError(t, sendMessage(t.Context(), conn, m))
	}
	if c := <-code; c != Done {
		t.Errorf("exit code %d: %s", c, stderr.text())
	}
	if _, last := played(t, stdout.text()); last.Steps != 30 || last.Mode != "sim_realtime" ||
		last.Task != "InvertedPendulum-v5" {
		t.Errorf("%+v, want 30 steps, those of a pause among them", last)
	}
	if list := interventions(t, out); len(list) != 3 {
		t.Errorf("the interventions in the log are %+v, want those of the client", list)
	}
	polytest.Equal(t, mustTrain(t, "replay", out), "identical, 30 steps of 1 world\n", "replay")
	log, config, err := env.CompareLog(filepath.Join(out, "run.log"))
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	if config.Seed != 42 || config.Worlds != 1 {
		t.Errorf("%d worlds with the seed %d, want 1 with 42", config.Worlds, config.Seed)
	}
}

func TestPlayErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--fps -1", "--fps is -1, want 0 to 1e+06"},
		{"--fps nan", "--fps is NaN, want"},
		{"--episodes -1", "--episodes is -1, want at least 0"},
		{"--seconds 0", "--seconds"},
		{"--mode fast", `mode is "fast", want one of`},
		{"--policy /nowhere.csv", "policy is /nowhere.csv, want random"},
		{"--set autoreset=disabled", "autoreset is disabled, want same_step or next_step"},
		{"--listen 127.0.0.1:0 --set autoreset=disabled", "autoreset is disabled, want same_step or next_step"},
		{"--set time.free_updates=3", "time.free_updates"},
		{"--listen 127.0.0.1:0 --mode game_realtime", "time.mode is game_realtime, want sim_realtime"},
		{"--channels gyro", "--channels is given and --listen is not, want both"},
		{"a b", "2 arguments given, want at most one"},
		{"somewhere", "--task is given with somewhere, want it without"},
	} {
		refuses(t, Usage, "play --task quadruped "+c.args, c.want)
	}
}
