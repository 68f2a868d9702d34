package live

import (
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// The order says what can be changed and why the rest cannot, and follows the changes.
func TestOrder(t *testing.T) {
	r := serve(t, quadruped(t, "worlds=1"), func(c *Config) { c.State.Paused = true })
	c := polytest.Must(r.Join(JoinOptions{Name: "test", Role: Operate}))(t)
	first := r.Order()
	if first.Beat != "1/10" || first.Waiting || len(first.Runners) != 3 {
		t.Fatalf("the order is %+v", first)
	}
	find := func(o *Order, name string) OrderBinding {
		for _, b := range o.Bindings {
			if b.Name == name {
				return b
			}
		}
		t.Fatalf("no binding %s in %+v", name, o)
		return OrderBinding{}
	}
	physics, recorder := find(first, "physics"), find(first, "recorder")
	if len(physics.Phases) != 1 || !strings.Contains(physics.Fixed["phase"], "want Physics") ||
		physics.Fixed["toggle"] == "" ||
		physics.Fixed["priority"] != "" {
		t.Errorf("physics is %+v, want its phase and switch fixed", physics)
	}
	if len(recorder.Phases) != 5 || recorder.Fixed["phase"] != "" || recorder.Fixed["toggle"] != "" {
		t.Errorf("the recorder is %+v, want nothing fixed", recorder)
	}
	if len(recorder.Runners) != 3 || recorder.Fixed["runner"] != "" {
		t.Errorf("the recorder is %+v, want it bound to any runner", recorder)
	}
	if controller := find(first, "observation"); len(controller.Runners) != 1 || controller.Fixed["runner"] == "" {
		t.Errorf("the observation is %+v, want its runner fixed", controller)
	}
	robot, capture := first.Runners[0], first.Runners[1]
	if robot.Fixed["rate"] == "" || robot.Fixed["toggle"] == "" || capture.Fixed["rate"] != "" {
		t.Errorf("the runners are %+v, want the rate and switch of the first fixed", first.Runners)
	}
	step := func(steps uint32, intents ...*wire.Intent) {
		t.Helper()
		reply := polytest.Must(r.Step(t.Context(), Sender{Session: c.Session(), Role: c.Role()}, intents, steps))(t)
		for _, a := range reply.Acks {
			if a.Error != "" {
				t.Error(a.Error)
			}
		}
	}
	step(2, edit(`[{"set_priority": {"name": "recorder", "priority": 7}}, {"set_phase": {"name": "gyro", "phase": `+
		`"Control"}}]`))
	if o := r.Order(); find(o, "recorder").Priority != 7 || find(o, "gyro").Phase != "Control" || find(first,
		"recorder").Priority == 7 {
		t.Errorf("after the edits the order is %+v", o)
	}
	step(1, edit(`[{"set_rate": {"name": "Capture", "rate": "25"}}]`)) // at 60 ms
	if o := r.Order(); !o.Waiting || o.Runners[1].Rate != "25" {
		t.Errorf("before the beat the order is %+v, want it to wait", o)
	}
	step(3)
	// 500, 50 and 25 Hz meet 25 times a second.
	if o := r.Order(); o.Waiting || o.AnchorNS != 100_000_000 || o.Beat != "1/25" {
		t.Errorf("after the beat the order waits: %t, counts from %d and has the beat %s, want false, 100000000 and 1/25",
			o.Waiting, o.AnchorNS, o.Beat)
	}
}
