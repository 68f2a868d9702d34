package plan

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

func parse(t *testing.T, sets ...string) *configs.Config {
	t.Helper()
	c, err := configs.Parse("test", []byte("task: {name: test}"), sets, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustOpen(t *testing.T, sets ...string) *Plan {
	t.Helper()
	p, err := Open(parse(t, sets...), 10)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Changing the values that a plan returns does not change the plan.
func TestPlanDoesNotChange(t *testing.T) {
	sets := []string{"sensors=[{name: a, runner: Sensors, sources: [qpos]}]", "changes=[{n: 3, edits: [{set_rate: {name: Capture, rate: 25}}]}]"}
	p, want := mustOpen(t, sets...), mustOpen(t, sets...)

	called := p.Bindings(func(string) func(*runners.StepContext, *sim.World) { return func(*runners.StepContext, *sim.World) {} }, nil)
	calls := 0
	for i := range called {
		if called[i].Call != nil {
			calls++
		}
		called[i] = sim.Binding{}
	}
	if calls != 1 {
		t.Errorf("%d bindings call something, want the recorder alone", calls)
	}
	clear(p.Runners())
	clear(p.Channels())
	clear(p.Clock().Changes())
	clear(p.Tables())
	extra := sim.Binding{Binding: runners.Binding{Name: "extra", Runner: "Robot", Phase: runners.Export}, Role: sim.Call}
	more, err := p.With([]sim.Binding{extra})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("the plan has changed:\n%+v\n%+v", p, want)
	}

	if order := more.Schedule().Order(); order[len(order)-1].Name != "extra" {
		t.Errorf("the order ends with %q, want the binding that was added", order[len(order)-1].Name)
	}
	if same, err := p.With(nil); err != nil || same != p {
		t.Errorf("With without bindings made another plan: %v", err)
	}
}

func TestRecords(t *testing.T) {
	on := "changes=[{n: 3, edits: [{toggle_runner: {name: Capture, enabled: true}}]}]"
	for _, c := range []struct {
		sets []string
		want bool
	}{
		{nil, true},
		{[]string{"recording.enabled=false"}, false},
		{[]string{"bindings.recorder.enabled=false"}, false},
		{[]string{"runners.Capture.enabled=false"}, false},
		{[]string{"runners.Capture.enabled=false", on}, true},
		{[]string{"runners.Capture.enabled=false", "bindings.recorder.runner=Robot"}, true},
	} {
		if got := mustOpen(t, c.sets...).Records(); got != c.want {
			t.Errorf("%v: records: %t, want %t", c.sets, got, c.want)
		}
	}
}

// Open returns an error of the configuration for a clock with which worlds could not
// start.
func TestOpenRefusesWhatWorldsWould(t *testing.T) {
	for set, want := range map[string]string{
		"bindings.physics.enabled=false":                               `binding "physics" is disabled, want it enabled: it is the run's physics`,
		"bindings.controller.phase=Export":                             `binding "controller" is in phase Export, want Control: it is the controller`,
		"runners.Robot.enabled=false":                                  `runner "Robot" is disabled, want it enabled: binding "controller" on it is the run's controller`,
		"runners=[{name: A, rate: 1, enabled: false}]":                 "all runners are disabled",
		"bindings.observation.runner=Sensors":                          "want both on one, the control runner",
		"bindings=[{name: physics, runner: Sensors, substeps: 65536}]": `the number of substeps of "physics" in a control step`,
		"bindings.nobody.priority=1":                                   `no binding "nobody", want one of observation`,
		"changes=[{n: 1, edits: [{rename_runner: {name: a, to: b}}]}]": `changes[0]: change at step 1: rename runner: no runner "a"`,
	} {
		_, err := Open(parse(t, set), 10)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, new(configs.Error)) {
			t.Errorf("%s: got %v, want an error of the configuration with %q", set, err, want)
		}
	}
}

// The binding of the planner is there with a runner of its name, and only then.
func TestPlanner(t *testing.T) {
	for sets, want := range map[string]bool{
		"runners=[{name: Robot, rate: 50}, {name: Planner, rate: 0.5}]": true,
		"runners=[{name: Robot, rate: 50}, {name: Slow, rate: 0.5}]":    false,
	} {
		p := mustOpen(t, sets)
		b := p.binding(planner)
		if (b != nil) != want || p.Decides() != want || want && (b.Runner != PlannerRunner || b.Phase != runners.Acquisition) {
			t.Errorf("%s: the binding of the planner is %+v", sets, b)
		}
	}
}
