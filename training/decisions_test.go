package training

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

// A run with decisions is kept, goes on and replays, and its log says what each decision
// was based on, what was replied, and why.
func TestDecisionsOfALiveRun(t *testing.T) {
	config := parse(t, "quadruped", "worlds=2", "workers=1", "time.mode=sim_realtime",
		"runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}, {name: Planner, rate: 10}]")
	policy := must(policies.Open(policies.Random))(t)
	folder := filepath.Join(t.TempDir(), "run")
	var ids []string
	for k := range 2 {
		s := serveFor(t, config, serving.ServeOptions{PlayOptions: rollouts.PlayOptions{Policy: policy, Folder: folder, LogEvery: 1},
			Resume: k == 1})
		c := must(s.Join(live.JoinOptions{Name: "mind", Role: live.Steer}))(t)
		m := s.NewDecider()
		must(s.SubmitAs(live.Sender{Session: c.Session(), Role: c.Role(), Decider: m},
			&wire.Intent{Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}}))(t)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for range 3 {
			d := must(m.Next(ctx))(t)
			ids = append(ids, d.Id)
			must(s.Submit(c, &wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: d.Id, Json: `{"why": "since"}`}}}))(t)
		}
		m.Close()
		s.end(t)
	}
	must(Replay(t.Context(), folder, ReplayOptions{}))(t)
	var events []string
	err := serving.Decisions(folder, ids[1], func(d serving.DecisionRecord) error {
		events = append(events, d.Event)
		if d.Event == runlog.DecisionAsked && len(d.Perception) == 0 || d.Event == runlog.DecisionApplied &&
			(string(d.Reply) != `{"why":"since"}` || d.Number == 0) {
			t.Errorf("%+v", d)
		}
		return nil
	})
	if err != nil || len(events) != 2 || events[0] != runlog.DecisionAsked || events[1] != runlog.DecisionApplied {
		t.Errorf("the events of %s are %q, %v", ids[1], events, err)
	}
}
