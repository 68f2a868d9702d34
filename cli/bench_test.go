package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	var report struct{ Lines []map[string]any }
	polytest.NoError(t, json.Unmarshal([]byte(out), &report))
	r := report.Lines[0]
	for key, want := range map[string]any{"task": "HalfCheetah-v5", "worlds": 4.0, "workers": 1.0, "recording": true} {
		polytest.Equal(t, r[key], want, "%s", key)
	}
	for _, key := range []string{"env_steps_per_s", "physics_steps_per_s", "raw_physics_steps_per_s", "ratio_to_raw"} {
		if v, _ := r[key].(float64); v <= 0 {
			t.Errorf("%s: got %v, want more than 0", key, r[key])
		}
	}
	for _, key := range []string{"allocs_per_step", "bytes_per_world", "first_step_s"} {
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

// A result is compared with an earlier one of the same settings, drawn, kept in a history and fitted.
func TestBenchOverValues(t *testing.T) {
	folder := t.TempDir()
	history, picture := filepath.Join(folder, "h.jsonl"), filepath.Join(folder, "p.png")
	args := []string{"--task", "InvertedPendulum-v5", "--over", "worlds=4,8", "--over", "workers=1,2", "--seconds", "0.02",
		"--set", "block_size=2", "--history", history, "--plot", picture}
	code, out, errs := bench(t, append(args, "--label", "first")...)
	if code != Done || strings.Count(out, "\n") != 6 || !strings.Contains(out, "worlds  workers") {
		t.Fatalf("exit %d, %s, %s", code, out, errs)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() == 0 {
		t.Errorf("picture: %v", err)
	}
	code, out, errs = bench(t, append(args[:len(args)-2], "--compare", history)...)
	if code != Done || !strings.Contains(out, "times that of "+history+" first") ||
		!strings.Contains(out, "InvertedPendulum-v5, 8 worlds in blocks of 2, 2 workers, recorded") {
		t.Errorf("compare: exit %d, %s, %s", code, out, errs)
	}
	if text := polytest.Must(os.ReadFile(history))(t); bytes.Count(text, []byte("\n")) != 2 {
		t.Errorf("the history is %s, want two lines", text)
	}
	code, out, errs = bench(t, "--fit", history)
	untold := "a recorded row: the lines do not tell"
	if code == Done && (!strings.Contains(out, "128 workers") || !strings.Contains(out, untold)) ||
		code != Done && !strings.Contains(errs, "want more") {
		t.Errorf("fit: exit %d, %s, %s", code, out, errs)
	}

	old := string(polytest.Must(os.ReadFile(history))(t))
	other := filepath.Join(folder, "other.json")
	polytest.NoError(t, os.WriteFile(other, []byte(regexp.MustCompile(`"processor":"[^"]*"`).ReplaceAllString(old,
		`"processor":"Z80"`)), 0o644))
	polytest.NoError(t, os.WriteFile(filepath.Join(folder, "torn.jsonl"), []byte(old[:len(old)-9]), 0o644))
	const task = "bench --task InvertedPendulum-v5 "
	refuses(t, Usage, task+"--worlds 4 --compare "+other, "processors of Z80, want ")
	refuses(t, Usage, task+"--worlds 5 --workers 1 --compare "+history, "it has no line of InvertedPendulum-v5, 5 worlds")
	refuses(t, Usage, task+"--worlds 4 --history "+filepath.Join(folder, "torn.jsonl"), "result 2: unexpected EOF")
	refuses(t, Usage, "bench --fit "+filepath.Join(folder, "torn.jsonl"), "result 2: unexpected EOF")
	refuses(t, Usage, "bench --fit "+filepath.Join(folder, "none"), "no such file")
	if now := string(polytest.Must(os.ReadFile(history))(t)); now != old {
		t.Error("what was refused is in the history")
	}
}

func TestBenchWithAPolicy(t *testing.T) {
	trained := filepath.Join(t.TempDir(), "run")
	mustTrain(t, "run", "--task", "InvertedPendulum-v5", "--out", trained, "--set", "worlds=4", "--set",
		"training={segment: 8, steps: 64, minibatch: 16, epochs: 1}", "--set", "evaluation.episodes=1", "--set",
		"max_steps=20", "--set", "recording={enabled: false, clip: false}")
	for _, policy := range []string{"zero", trained} {
		args := []string{"--task", "InvertedPendulum-v5", "--worlds", "4", "--seconds", "0.02", "--policy", policy}
		code, out, errs := bench(t, args...)
		if code != Done || !strings.Contains(out, "the same states, bit for bit") {
			t.Errorf("policy %s: exit %d, %s, %s", policy, code, out, errs)
		}
	}
	refuses(t, Usage, "bench --task InvertedPendulum-v5 --policy nosuch", "policy is nosuch, want random, zero")
}

func TestBenchCosts(t *testing.T) {
	code, out, errs := bench(t, "--task", "InvertedPendulum-v5", "--worlds", "4", "--seconds", "0.01", "--costs",
		"--policy",
		"zero", "--format", "json", "--set", "recording.enabled=false")
	var r struct {
		Costs []struct {
			Name  string
			Ratio float64
		}
		Without []string
	}
	if err := json.Unmarshal([]byte(out), &r); code != Done || err != nil {
		t.Fatalf("exit %d, %v, %s, %s", code, err, out, errs)
	}
	var names []string
	for _, c := range r.Costs {
		names = append(names, c.Name)
		if c.Ratio <= 0 || c.Name == "nothing recorded" && c.Ratio != 1 {
			t.Errorf("%s has the ratio %v", c.Name, c.Ratio)
		}
	}
	want := []string{"control runner only", "no sensors", "nothing recorded", "capture", "capture, control, sensors",
		"the policy acts"}
	if !slices.Equal(names, want) || len(r.Without) != 0 {
		t.Errorf("ways %q without %q, want %q", names, r.Without, want)
	}
}

func TestBenchUsageErrors(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	polytest.NoError(t, os.WriteFile(empty, nil, 0o666))
	for _, c := range []struct{ args, want string }{
		{"", "no configuration given"},
		{"--task quadruped --seconds 0", "want more than 0, at most 86400"},
		{"--task quadruped --seconds NaN", "want more than 0, at most 86400"},
		{"--task quadruped --worlds 0", "worlds is 0, want 1 to 1048576"},
		{"--task quadruped --set bindings.nope.priority=1", `bindings: no binding "nope", want one of `},
		{"--task quadruped --costs --set bindings.nope.priority=1", `bindings: no binding "nope", want one of `},
		{"--task quadruped --set bindings.physics.substeps=7 --set bindings.physics.runner=Capture",
			"want a multiple of the control rate, "},
		{"--peers", "--peers without --task, want a task of Gymnasium"},
		{"--peers --task Hopper-v5", "venv-peers/bin/python: no such file or directory; want a checkout after cmake"},
		{"--peers --task Hopper-v5 --over worlds=1,2", "over peers"},
		{"--task quadruped --over worlds", "--over is \"worlds\", want KEY=VALUES"},
		{"--task quadruped --over worlds=0,4", "worlds is 0, want 1 to 1048576"},
		{"--task quadruped --over nosuch=1,2", "nosuch"},
		{"--task quadruped --costs --over worlds=1,2", "costs over"},
		{"--task quadruped --plot x.png", "--plot is given and --over is not, want both"},
		{"--task quadruped --over worlds=1,2 --plot x.jpg", `--plot is "x.jpg", want a name that ends in .png`},
		{"--task quadruped --history nosuch/h", "--history: nosuch/h is in a folder that does not exist"},
		{"--task quadruped --compare " + empty, "--compare: " + empty + " is empty"},
		{"--fit /dev/null", "it is a device, want a file"},
		{"--fit " + empty, empty + " is empty, want what bench --format json prints"},
		{"--task quadruped --set autoreset=next_step", "autoreset is next_step, want same_step: the bare loop supports " +
			"no other"},
		{"--task quadruped --set 'changes=[{n: 5, edits: [{set_rate: {name: Capture, rate: 25}}]}]'",
			"changes are given, want none: the bare loop supports no change of the clock"},
	} {
		refuses(t, Usage, "bench "+c.args, c.want)
	}
}
