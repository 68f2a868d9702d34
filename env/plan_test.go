package env

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

func parseClock(t *testing.T, sets ...string) *configs.Config {
	t.Helper()
	return polytest.Must(configs.Parse("test", []byte("task: {name: HalfCheetah-v5}"), sets, nil))(t)
}

func mustPlan(t *testing.T, sets ...string) *Plan {
	t.Helper()
	return polytest.Must(NewPlan(parseClock(t, sets...)))(t)
}

// Changing the values that a plan returns does not change the plan.
func TestPlanDoesNotChange(t *testing.T) {
	sets := []string{"sensors=[{name: a, runner: Sensors, sources: [qpos]}]",
		"changes=[{n: 3, edits: [{set_rate: {name: Capture, rate: 25}}]}]"}
	p, want := mustPlan(t, sets...), mustPlan(t, sets...)

	clear(p.Schedule().Runners())
	clear(p.Clock().Changes())
	if !reflect.DeepEqual(p, want) {
		t.Errorf("the plan has changed:\n%+v\n%+v", p, want)
	}
}

// Bindings that are added come after those of the configuration.
func TestPlanWithBindings(t *testing.T) {
	extra := sim.Binding{Binding: runners.Binding{Name: "extra", Runner: "Robot", Phase: runners.Export}}
	p := polytest.Must(NewPlan(parseClock(t), extra))(t)
	if order := p.Schedule().Order(); order[len(order)-1].Name != "extra" {
		t.Errorf("the order ends with %q, want the binding that was added", order[len(order)-1].Name)
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
		polytest.Equal(t, mustPlan(t, c.sets...).Records(), c.want, "%v: records", c.sets)
	}
}

// A plan is refused, with an error of the configuration, for a clock with which worlds could not start.
func TestPlanRefusesWhatWorldsWould(t *testing.T) {
	for set, want := range map[string]string{
		"bindings.physics.enabled=false":                               `binding "physics" is disabled, want it enabled`,
		"bindings.controller.phase=Export":                             `binding "controller" is in phase Export`,
		"runners.Robot.enabled=false":                                  `runner "Robot" is disabled, want it enabled`,
		"runners=[{name: A, rate: 1, enabled: false}]":                 "all runners are disabled",
		"bindings.observation.runner=Sensors":                          "want both on one, the control runner",
		"bindings=[{name: physics, runner: Sensors, substeps: 65536}]": `the number of substeps of "physics"`,
		"bindings.nobody.priority=1":                                   `no binding "nobody", want one of observation`,
		"changes=[{n: 1, edits: [{rename_runner: {name: a, to: b}}]}]": `changes[0]: change at step 1: rename runner`,
	} {
		_, err := NewPlan(parseClock(t, set))
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
		p := mustPlan(t, sets)
		b := p.Schedule().Binding(planner)
		if (b != nil) != want || want && (b.Runner != PlannerRunner ||
			b.Phase != runners.Acquisition) {
			t.Errorf("%s: the binding of the planner is %+v", sets, b)
		}
	}
}
