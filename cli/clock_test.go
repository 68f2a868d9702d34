package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// train runs the command and returns its exit code and what it wrote.
func train(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), newTrain("train"), args, &out, &errs)
	return code, out.String(), errs.String()
}

// words splits a command at spaces that are not between single quotes.
func words(command string) (args []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|\S+`).FindAllStringSubmatch(command, -1) {
		if m[0][0] == '\'' {
			m[0] = m[1]
		}
		args = append(args, m[0])
	}
	return args
}

// refuses checks that a command ends with an exit code and one line of error that has a text.
func refuses(t *testing.T, want int, command, text string) {
	t.Helper()
	code, _, errs := train(t, words(command)...)
	if code != want || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, text) {
		t.Errorf("train %s: exit %d and %q; want exit %d and one line with %q", command, code, errs, want, text)
	}
}

// says checks that a text has others in it.
func says(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("it says\n%s\nwant %q in it", text, want)
		}
	}
}

// lines decodes one JSON object per line.
func lines[T any](t *testing.T, text string) []T {
	t.Helper()
	var all []T
	for line := range strings.Lines(text) {
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, v)
	}
	return all
}

type instant struct {
	NS      int64            `json:"t_ns"`
	Sync    bool             `json:"sync"`
	Runners []string         `json:"runners"`
	DTs     map[string]int64 `json:"dts_ns"`
	Calls   []struct {
		Name     string `json:"name"`
		Runner   string `json:"runner"`
		Phase    string `json:"phase"`
		Priority int    `json:"priority"`
		DT       int64  `json:"dt_ns"`
	} `json:"calls"`
	Changes []int64 `json:"changes"`
}

func TestTimelineOfRunners(t *testing.T) {
	code, out, errs := train(t, words("timeline --runner Robot=50 --runner Capture=30 --until 100ms --format json")...)
	if code != Done {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var times []int64
	for _, i := range lines[instant](t, out) {
		times = append(times, i.NS)
		polytest.Equal(t, i.Sync, i.NS%100_000_000 == 0, "%d ns: sync", i.NS)
	}
	want := []int64{0, 20_000_000, 33_333_333, 40_000_000, 60_000_000, 66_666_666, 80_000_000, 100_000_000}
	polytest.EqualSlices(t, times, want, "got instants")
	first, _, _ := strings.Cut(out, "\n")
	if want := `{"t_ns":0,"sync":true,"runners":["Robot","Capture"],"dts_ns":{"Capture":33333333,"Robot":20000000},` +
		`"calls":[]}`; first != want {
		t.Errorf("got %s, want %s", first, want)
	}
}

// The quadruped's timeline is printed with the expected rows.
func TestTimelineOfConfiguration(t *testing.T) {
	code, out, errs := train(t, "timeline", "--task", "quadruped", "--format", "json")
	if code != Done {
		t.Fatalf("exit %d: %s", code, errs)
	}
	all := lines[instant](t, out)
	if n := len(all); n != 105 || all[n-1].NS != 200_000_000 {
		t.Errorf("got %d instants up to %d ns, want 105 up to 200 ms: twice 52 and the last beat", n, all[n-1].NS)
	}
	want := `{"t_ns":33333333,"sync":false,"runners":["Capture"],"dts_ns":{"Capture":33333333},` +
		`"calls":[{"name":"recorder","runner":"Capture","phase":"Control","priority":100,"dt_ns":33333333}]}`
	if !strings.Contains(out, want+"\n") {
		t.Errorf("want the line %s in\n%s", want, out)
	}
}

func TestOrder(t *testing.T) {
	code, out, errs := train(t, words("order --task quadruped --set bindings.recorder.enabled=false --format json")...)
	if code != Done {
		t.Fatalf("exit %d: %s", code, errs)
	}
	type entry struct {
		Name     string `json:"name"`
		Runner   string `json:"runner"`
		Rate     string `json:"rate"`
		Phase    string `json:"phase"`
		Priority int    `json:"priority"`
		Enabled  bool   `json:"enabled"`

		Sources []string `json:"sources"`
		Model   string   `json:"model"`
	}
	all := lines[entry](t, out)
	timeOf := func(name string) int {
		i := slices.IndexFunc(all, func(e entry) bool { return e.Name == name })
		if i < 0 {
			t.Fatalf("no binding %q in\n%s", name, out)
		}
		return i
	}
	for _, pair := range [][2]string{{"gyro", "observation"}, {"observation", "latch"}, {"latch", "controller"},
		{"controller", "recorder"}, {"recorder", "physics"}} {
		if timeOf(pair[0]) >= timeOf(pair[1]) {
			t.Errorf("%s comes after %s, want before", pair[0], pair[1])
		}
	}
	if got, want := all[timeOf("gyro")], (entry{"gyro", "Sensors", "500", "Acquisition", -100, true,
		[]string{"sensor/imu_gyro"}, "gaussian(std=0.02)"}); !reflect.DeepEqual(got, want) {
		t.Errorf("gyro is %+v, want %+v", got, want)
	}
	if got, want := all[timeOf("recorder")], (entry{"recorder", "Capture", "30", "Control", 100, false, nil,
		""}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	polytest.Equal(t, all[timeOf("latch")].Rate, "beat", "the latch has rate")
}

func TestOtherFormats(t *testing.T) {
	for _, args := range [][]string{
		{"order", "--task", "HalfCheetah-v5"},
		{"timeline", "--task", "HalfCheetah-v5"},
	} {
		code, out, errs := train(t, args...)
		if code != Done || !strings.Contains(out, "recorder") {
			t.Errorf("%q: exit %d, %s%s", args, code, out, errs)
		}
	}
	code, out, errs := train(t, "timeline", "--task", "HalfCheetah-v5", "--format", "trace")
	if code != Done || !json.Valid([]byte(out)) {
		t.Errorf("trace: exit %d, %s; want JSON, got %.100s", code, errs, out)
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"walk", `unknown command "walk"`},
		{"order", "no configuration given, want --config FILE or --task NAME"},
		{"order more --task quadruped", "1 argument given, want none"},
		{"order --config /nowhere.yaml", "no such file"},
		{"order --task quadruped --set bindings.recordr.priority=1", `no binding "recordr", want one of `},
		{"run --task quadruped --out " + t.TempDir() + " --set 'changes=[{n: 5, edits: [{rebind: {name: controller, " +
			"runner: Capture}}]}]'", `changes[0]: change at step 5: binding "controller" `},
		{"order --task HalfCheetah-v5 --set bindings.physics.substeps=100000000", "substeps is 100000000, want 1 to 65536"},
		{"timeline --runner A=0", "--runner A=0: rate \"0\": not positive"},
		{"timeline --runner A", `--runner is "A", want NAME=RATE`},
		{"timeline --runner A=1 --runner A=2", "the name is taken"},
		{"timeline --runner A=1 --until -1s", "--until is -1s, want at least 0"},
		{"timeline --runner A=1 --until soon", `--until is "soon", want a time with its unit`},
		{"timeline --runner A=1 --task quadruped", "--runner and --task are given, want one of them"},
		{"timeline --runner A=1 --format svg", "want one of table, json, trace"},
		{"timeline --runner " + strings.Join(strings.Split("ABCDEFGHI", ""), "=10 --runner ") + "=10",
			"there are 9 runners, want 1 to 8"},
	} {
		refuses(t, Usage, c.args, c.want)
	}
}

// Every command rejects an order that no run can have, before it makes any file, with an error that names the key.
func TestClocksThatNoRunCanHave(t *testing.T) {
	for _, c := range [][2]string{
		{"bindings.controller.enabled=false", `binding "controller" is disabled, want it enabled`},
		{"changes=[{n: 3, edits: [{rebind: {name: controller, runner: Capture}}]}]",
			`changes[0]: change at step 3: binding "controller" defines`},
		{"bindings.nope.priority=1", `train: --set bindings.nope.priority=1: bindings: no binding "nope", want one of `},
		{"changes=[{n: 3, edits: [{set_phase: {name: recorder, phase: OnFreePostUpdate}}]}]",
			`phase is "OnFreePostUpdate", a free update outside the clock`},
	} {
		out := filepath.Join(t.TempDir(), "out")
		for _, args := range [][]string{{"order"}, {"timeline"}, {"rollout", "--episodes", "1", "--out", out},
			{"run", "--out", out}} {
			args = append(args, "--task", "quadruped", "--set", "worlds=1", "--set", c[0])
			code, stdout, errs := train(t, args...)
			if code != Usage || stdout != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c[1]) {
				t.Errorf("%q: exit %d, %q and %q; want exit 2 and one line with %q", args, code, stdout, errs, c[1])
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%q made its folder", args)
			}
		}
	}
}

// Options that give a time require control steps of one length.
func TestTimesWhereTheControlRateChanges(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.csv")
	polytest.NoError(t, os.WriteFile(script, []byte("t,action[0],action[1],action[2]\n0,0,0,0\n0.1,1,1,1\n"), 0o666))
	for _, more := range [][]string{{"--seconds", "1"}, {"--episodes", "1", "--policy", script}} {
		args := append([]string{"rollout", "--task", "Hopper-v5", "--out", filepath.Join(t.TempDir(), "out"), "--set",
			"sensors=[]", "--set", "bindings=[{name: physics, runner: Capture, substeps: 4}]",
			"--set", "runners=[{name: Robot, rate: 125}, {name: Capture, rate: 125}]",
			"--set", "changes=[{n: 2, edits: [{toggle_binding: {name: recorder, enabled: true}}]}, {n: 3, edits: " +
				"[{set_rate: {name: Robot, rate: 250}}]}]"}, more...)
		code, _, errs := train(t, args...)
		if code != Usage || !strings.Contains(errs, "changes[1]: the control rate is 250 Hz, want 125 Hz throughout") {
			t.Errorf("%q: exit %d, %q", more, code, errs)
		}
	}
}

// The timeline applies the changes of the configuration at the same instants as a world.
func TestTimelineOfChanges(t *testing.T) {
	args := []string{"timeline", "--task", "quadruped", "--set", "runners.Sensors.rate=50", "--until", "160ms", "--set",
		"changes=[{n: 3, edits: [{set_rate: {name: Capture, rate: 25}}]}, {n: 7, edits: [{set_phase: {name: recorder, " +
			"phase: OnPreUpdate}}, {toggle_runner: {name: Sensors, enabled: false}}]}]"}
	code, out, errs := train(t, append(args, "--format", "json")...)
	if code != Done {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var got []string
	for _, moment := range lines[instant](t, out) {
		text := fmt.Sprint(moment.NS/1_000_000, moment.Runners)
		for _, c := range moment.Calls {
			if c.Name == "recorder" {
				text += fmt.Sprint(" ", c.Phase, " ", c.DT/1_000_000)
			}
		}
		if len(moment.Changes) > 0 {
			text += fmt.Sprint(" change ", moment.Changes)
		}
		got = append(got, text)
	}
	want := []string{
		"0 [Robot Capture Sensors] Control 33", "20 [Robot Sensors]", "33 [Capture] Control 33", "40 [Robot Sensors]",
		"60 [Robot Sensors]", "66 [Capture] Control 33",
		"80 [Robot Sensors]", "100 [Robot Capture Sensors] Control 40 change [3]", "120 [Robot Sensors]",
		"140 [Robot Capture] Acquisition 40 change [7]", "160 [Robot]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, table, _ := train(t, args...); !strings.Contains(table, "n=7") || strings.Count(table, "\n") != len(want)+1 {
		t.Errorf("the table is\n%s", table)
	}
	if _, trace, _ := train(t, append(args, "--format", "trace")...); !json.Valid([]byte(trace)) ||
		!strings.Contains(trace, `"change of step 3"`) ||
		!strings.Contains(trace, "Capture 30 Hz, then Capture 25 Hz") {
		t.Errorf("the trace is\n%s", trace)
	}
}

// cancelling is a writer that cancels a context at its first write.
type cancelling struct {
	cancel  context.CancelFunc
	written int
}

func (c *cancelling) Write(p []byte) (int, error) {
	c.cancel()
	c.written += len(p)
	return len(p), nil
}

// A timeline of centuries is streamed, and Ctrl-C ends it.
func TestLongTimelinesAreInterrupted(t *testing.T) {
	for _, format := range []string{"table", "json", "trace"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out := &cancelling{cancel: cancel}
		var errs bytes.Buffer
		code := execute(ctx, newTrain("train"), []string{"timeline", "--task", "quadruped", "--until", "2000000h", "--format",
			format}, out, &errs)
		if code != Interrupted || out.written == 0 || out.written > 1<<20 {
			t.Errorf("%s: exit %d after %d bytes, %q; want %d", format, code, out.written, errs.String(), Interrupted)
		}
	}
}
