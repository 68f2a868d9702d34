package cli

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// train runs the command and returns its exit code and what it wrote.
func train(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), newTrain("train"), args, &out, &errs)
	return code, out.String(), errs.String()
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
}

func TestTimelineOfRunners(t *testing.T) {
	code, out, errs := train(t, "timeline", "--runner", "Robot=50", "--runner", "Capture=30", "--until", "100ms", "--format", "json")
	if code != Done {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var at []int64
	for _, i := range lines[instant](t, out) {
		at = append(at, i.NS)
		if want := i.NS%100_000_000 == 0; i.Sync != want {
			t.Errorf("%d ns: sync is %t, want %t", i.NS, i.Sync, want)
		}
	}
	want := []int64{0, 20_000_000, 33_333_333, 40_000_000, 60_000_000, 66_666_666, 80_000_000, 100_000_000}
	if !slices.Equal(at, want) {
		t.Errorf("got instants %v, want %v", at, want)
	}
	first, _, _ := strings.Cut(out, "\n")
	if want := `{"t_ns":0,"sync":true,"runners":["Robot","Capture"],"dts_ns":{"Capture":33333333,"Robot":20000000},"calls":[]}`; first != want {
		t.Errorf("got %s, want %s", first, want)
	}
}

// A row of the quadruped's timeline, as the user sees it.
func TestTimelineOfConfiguration(t *testing.T) {
	code, out, errs := train(t, "timeline", "--task", "quadruped", "--format", "json")
	if code != Done {
		t.Fatalf("exit %d: %s", code, errs)
	}
	all := lines[instant](t, out)
	if n := len(all); n != 105 || all[n-1].NS != 200_000_000 {
		t.Errorf("got %d instants up to %d ns, want 105 up to 200 ms: twice 52 and the last beat", n, all[n-1].NS)
	}
	want := `{"t_ns":33333333,"sync":false,"runners":["Capture"],"dts_ns":{"Capture":33333333},"calls":[{"name":"recorder","runner":"Capture","phase":"Control","priority":100,"dt_ns":33333333}]}`
	if !strings.Contains(out, want+"\n") {
		t.Errorf("want the line %s in\n%s", want, out)
	}
}

func TestOrder(t *testing.T) {
	code, out, errs := train(t, "order", "--task", "quadruped", "--set", "bindings.recorder.enabled=false", "--format", "json")
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
	at := func(name string) int {
		i := slices.IndexFunc(all, func(e entry) bool { return e.Name == name })
		if i < 0 {
			t.Fatalf("no binding %q in\n%s", name, out)
		}
		return i
	}
	for _, pair := range [][2]string{{"gyro", "observation"}, {"observation", "latch"}, {"latch", "controller"}, {"controller", "recorder"}, {"recorder", "physics"}} {
		if at(pair[0]) >= at(pair[1]) {
			t.Errorf("%s comes after %s, want before", pair[0], pair[1])
		}
	}
	if got, want := all[at("gyro")], (entry{"gyro", "Sensors", "500", "Acquisition", -100, true, []string{"sensor/imu_gyro"}, "gaussian(std=0.02)"}); !reflect.DeepEqual(got, want) {
		t.Errorf("gyro is %+v, want %+v", got, want)
	}
	if got, want := all[at("recorder")], (entry{"recorder", "Capture", "30", "Control", 100, false, nil, ""}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := all[at("latch")].Rate; got != "beat" {
		t.Errorf("the latch has rate %q, want beat", got)
	}
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
	nine := []string{"timeline"}
	for _, name := range "ABCDEFGHI" {
		nine = append(nine, "--runner", string(name)+"=10")
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"walk"}, `unknown command "walk"`},
		{[]string{"order"}, "no configuration; want --config FILE or --task NAME"},
		{[]string{"order", "more", "--task", "quadruped"}, `unknown command "more"`},
		{[]string{"order", "--config", "/nowhere.yaml"}, "no such file"},
		{[]string{"order", "--task", "quadruped", "--set", "bindings.recordr.priority=1"}, `there is no binding "recordr"`},
		{[]string{"run", "--task", "quadruped", "--out", t.TempDir(), "--set", "changes=[{n: 5, edits: [{rebind: {name: controller, runner: Capture}}]}]"}, `changes[0]: change at step 5: binding "controller" `},
		{[]string{"order", "--task", "HalfCheetah-v5", "--set", "bindings.physics.substeps=100000000"}, `"physics" takes 100000000 substeps in a control step, 2000000000 Hz under 20 Hz, want at most 65536`},
		{[]string{"timeline", "--runner", "A=0"}, "--runner A=0: rate \"0\": not positive"},
		{[]string{"timeline", "--runner", "A"}, "--runner A: want NAME=RATE"},
		{[]string{"timeline", "--runner", "A=1", "--runner", "A=2"}, "the name is taken"},
		{[]string{"timeline", "--runner", "A=1", "--until", "-1s"}, "--until: want a time of at least 0, got -1s"},
		{[]string{"timeline", "--runner", "A=1", "--until", "soon"}, "invalid argument"},
		{[]string{"timeline", "--runner", "A=1", "--task", "quadruped"}, "none of the others can be"},
		{[]string{"timeline", "--runner", "A=1", "--format", "svg"}, "want one of [table json trace]"},
		{nine, "9 runners: want 1 to 8"},
	} {
		code, out, errs := train(t, c.args...)
		if code != Usage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: got exit %d, %q and %q; want exit 2 and one line with %q", c.args, code, out, errs, c.want)
		}
	}
}
