package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func bench(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), newBench(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestBenchReport(t *testing.T) {
	args := []string{"--task", "HalfCheetah-v5", "--worlds", "4", "--workers", "1", "--seconds", "0.1", "--format", "json"}
	code, out, errs := bench(t, args...)
	if code != Done {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var r map[string]any
	polytest.NoError(t, json.Unmarshal([]byte(out), &r))
	for key, want := range map[string]any{"task": "HalfCheetah-v5", "worlds": 4.0, "workers": 1.0, "recording": true} {
		polytest.Equal(t, r[key], want, "%s", key)
	}
	for _, key := range []string{"env_steps_per_s", "physics_steps_per_s", "raw_physics_steps_per_s", "ratio_to_raw"} {
		if v, _ := r[key].(float64); v <= 0 {
			t.Errorf("%s: got %v, want more than 0", key, r[key])
		}
	}
	for _, key := range []string{"allocs_per_step", "versions"} {
		if _, ok := r[key]; !ok {
			t.Errorf("%s is missing", key)
		}
	}

	code, out, errs = bench(t, append(args[:len(args)-2], "--set", "recording.enabled=false")...)
	if code != Done || !strings.HasPrefix(out, "HalfCheetah-v5: 4 worlds, 1 worker, recording off") ||
		!strings.Contains(out, "bit for bit") {
		t.Errorf("table: exit %d, %s, %s", code, out, errs)
	}
}

func TestBenchUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "no configuration given"},
		{"--task quadruped --seconds 0", "want more than 0, at most 86400"},
		{"--task quadruped --seconds NaN", "want more than 0, at most 86400"},
		{"--task quadruped --worlds 0", "worlds is 0, want 1 to 1048576"},
		{"--task quadruped --set bindings.nope.priority=1", `bindings: no binding "nope", want one of `},
		{"--task quadruped --recording-cost --set bindings.nope.priority=1", `bindings: no binding "nope", want one of `},
		{"--task quadruped --set bindings.physics.substeps=7 --set bindings.physics.runner=Capture",
			"want a multiple of the control rate, "},
		{"--task quadruped --set autoreset=next_step", "autoreset is next_step, want same_step: the bare loop supports " +
			"no other"},
		{"--task quadruped --set 'changes=[{n: 5, edits: [{set_rate: {name: Capture, rate: 25}}]}]'",
			"changes are given, want none: the bare loop supports no change of the clock"},
	} {
		refuses(t, Usage, "bench "+c.args, c.want)
	}
}
