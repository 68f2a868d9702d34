package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// In Sim Realtime an evaluation gives the same figures as at full speed, and takes as
// long as the time that it simulates.
func TestEvalInRealTime(t *testing.T) {
	folder := t.TempDir() + "/run"
	mustTrain(t, append([]string{"run", "--task", "quadruped", "--out", folder}, small...)...)
	eval := func(mode string) (e rundir.Evaluation) {
		out := mustTrain(t, "eval", folder, "--episodes", "2", "--format", "json",
			"--set", "max_steps=15", "--set", "time.mode="+mode)
		polytest.NoError(t, json.Unmarshal([]byte(out), &e))
		return e
	}
	fast, real := eval("sim_high_performance"), eval("sim_realtime")
	if real.MeanReturn != fast.MeanReturn || real.MeanLength != fast.MeanLength {
		t.Errorf("in real time %+v, at full speed %+v", real, fast)
	}
	if fast.Time != "" || !strings.Contains(real.Time, "wall time followed") ||
		!strings.Contains(real.Time, " 0 control intervals skipped") {
		t.Errorf("time: %q and %q", fast.Time, real.Time)
	}
	if game := eval("game_realtime"); game.Mode != "game_realtime" || game.Episodes != 2 {
		t.Errorf("in game_realtime: %+v", game)
	}
}

func TestModesThatACommandCannotDoWith(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"run --task quadruped --set time.mode=sim_realtime --out " + t.TempDir(),
			"time.mode is sim_realtime, want sim_high_performance: learning runs as fast as it can"},
		{"rollout --task quadruped --episodes 1 --set time.mode=game_realtime --out " + t.TempDir(),
			"time.mode is game_realtime, want sim_high_performance or sim_realtime: a dataset cannot have gaps"},
		{"rollout --task quadruped --episodes 1 --set time.mode=fast --out " + t.TempDir(), `mode is "fast", want one of`},
	} {
		refuses(t, Usage, c.args, c.want)
	}
}

// A trace of a real run holds every binding, the engine's calls on the track of physics, and the beats.
func TestTraceOfARollout(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t,
		words("rollout --task quadruped --set worlds=2 --set max_steps=10 --episodes 2 --out "+dir+
			"/rollout --trace "+dir+"/trace.json")...)
	var trace struct {
		TraceEvents []struct {
			Name, Ph string
			TS, Dur  float64
			TID      int
			Args     map[string]any
		}
	}
	readJSON(t, dir+"/trace.json", &trace)
	tracks, calls := map[int]string{}, map[string]int{}
	last := 0.0
	for _, e := range trace.TraceEvents {
		switch e.Ph {
		case "M":
			if name, ok := e.Args["name"].(string); ok {
				tracks[e.TID] = name
			}
		case "X":
			if e.TS < last || e.Dur < 0 {
				t.Errorf("%s begins at %v µs, after one at %v", e.Name, e.TS, last)
			}
			last = e.TS
			fallthrough
		default:
			calls[tracks[e.TID]+" / "+e.Name]++
		}
	}
	// 10 control steps of 20 ms, from 0 to 200 ms: see the timeline.
	want := map[string]int{
		"Acquisition: Sensors 500 Hz / gyro":            101,
		"Acquisition: Robot 50 Hz / observation":        11,
		"beat / latch":                                  3,
		"Control: Robot 50 Hz / controller":             10,
		"Control: Capture 30 Hz / recorder":             6,
		"Physics: Robot 50 Hz / physics (engine, in C)": 10,
		"shared steps / shared step":                    8,
		"shared steps / beat":                           2,
	}
	for name, n := range want {
		if calls[name] != n {
			t.Errorf("%s: %d times, want %d; all: %v", name, calls[name], n, calls)
		}
	}
}

// A trace that cannot be written is an error before the run begins, and a rollout that
// does not begin leaves an existing trace unchanged.
func TestTraceOfARolloutThatDoesNotBegin(t *testing.T) {
	dir := t.TempDir()
	arguments := []string{"rollout", "--task", "quadruped", "--set", "worlds=1", "--set", "max_steps=2",
		"--episodes", "1", "--out", dir + "/rollout", "--trace"}
	missing := dir + "/missing/trace.json"
	if code, _, stderr := train(t, append(arguments, missing)...); code != 2 ||
		!strings.Contains(stderr, "--trace: "+missing+" is in a folder that does not exist, want one that does") {
		t.Errorf("in a folder that is not there: exit %d, %q", code, stderr)
	}
	path := dir + "/trace.json"
	mustTrain(t, append(arguments, path)...)
	before := polytest.Must(os.ReadFile(path))(t)
	if code, _, stderr := train(t, append(arguments, path)...); code != Usage {
		t.Errorf("into the same folder: exit %d, %q; want %d", code, stderr, Usage)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the trace went from %d to %d bytes, error %v", len(before), len(after), err)
	}
}
