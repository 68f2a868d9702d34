package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// In Sim Realtime an evaluation gives the same figures as at full speed, and takes
// the time that it simulates.
func TestEvalInRealTime(t *testing.T) {
	folder := t.TempDir() + "/run"
	mustTrain(t, append([]string{"run", "--task", "quadruped", "--out", folder}, small...)...)
	eval := func(mode string) (e evaluation) {
		out := mustTrain(t, "eval", folder, "--episodes", "2", "--format", "json",
			"--set", "max_steps=15", "--set", "time.mode="+mode)
		if err := json.Unmarshal([]byte(out), &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	fast, real := eval("sim_high_performance"), eval("sim_realtime")
	if real.MeanReturn != fast.MeanReturn || real.MeanLength != fast.MeanLength {
		t.Errorf("in real time %+v, at full speed %+v", real, fast)
	}
	if fast.Time != "" || !strings.Contains(real.Time, "wall time followed") || !strings.Contains(real.Time, " 0 control intervals skipped") {
		t.Errorf("time: %q and %q", fast.Time, real.Time)
	}
	if game := eval("game_realtime"); game.Mode != "game_realtime" || game.Episodes != 2 {
		t.Errorf("in game_realtime: %+v", game)
	}
}

func TestModesThatACommandCannotDoWith(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"run", "--task", "quadruped", "--set", "time.mode=sim_realtime", "--out", t.TempDir()}, "time.mode: learning wants [sim_high_performance], got sim_realtime"},
		{[]string{"rollout", "--task", "quadruped", "--episodes", "1", "--set", "time.mode=game_realtime", "--out", t.TempDir()}, "time.mode: a dataset, which cannot have gaps, wants"},
		{[]string{"rollout", "--task", "quadruped", "--episodes", "1", "--set", "time.mode=fast", "--out", t.TempDir()}, `mode "fast": want one of`},
	} {
		code, _, stderr := train(t, c.arguments...)
		if code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %q; want 2 and %q", c.arguments, code, stderr, c.want)
		}
	}
}

// A rollout that was recorded in real time is executed again without waiting.
func TestReplayOfARolloutInRealTime(t *testing.T) {
	folder := t.TempDir() + "/rollout"
	mustTrain(t, "rollout", "--task", "quadruped", "--set", "worlds=2", "--set", "max_steps=10",
		"--set", "time.mode=sim_realtime", "--episodes", "3", "--out", folder)
	if out := mustTrain(t, "replay", folder); !strings.HasPrefix(out, "identical, ") {
		t.Errorf("replay: %q", out)
	}
}
