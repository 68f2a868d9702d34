package training

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
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

// A decision has all commands of its reply, and none of others.
func TestCommandsOfADecision(t *testing.T) {
	folder := t.TempDir()
	log := must(runlog.Create(must(os.Create(filepath.Join(folder, rundir.LogFile)))(t),
		runlog.Header{Configuration: "worlds: 1\n", Worlds: 1, BlockSize: 1, Every: 1}))(t)
	if err := log.Start(1); err != nil {
		t.Fatal(err)
	}
	reply := func(number int64, id string) runlog.Intervention {
		i := runlog.Intervention{Intent: &runlog.Intent{Number: number, Kind: "reply"}}
		if id != "" {
			i.Decision = &runlog.Decision{ID: id, Event: runlog.DecisionApplied}
		}
		return i
	}
	with := func(i runlog.Intervention, command string) runlog.Intervention {
		i.Effect = &runlog.Command{Name: command}
		return i
	}
	for _, i := range []runlog.Intervention{
		{Decision: &runlog.Decision{ID: "a", Event: runlog.DecisionAsked}},
		with(runlog.Intervention{Intent: &runlog.Intent{Kind: "command"}}, "none"), // of no intent with a number
		with(reply(1, "a"), "velocity"), with(reply(1, ""), "gait"), with(reply(1, ""), "height"),
		with(reply(2, ""), "other"),
		reply(3, "b"),
		with(reply(4, "c"), "velocity"), with(reply(4, ""), "gait"),
	} {
		log.Intervention(0, i)
	}
	if err := errors.Join(log.EndSegment(), log.Close()); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"a": {"velocity", "gait", "height"}, "b": nil, "c": {"velocity", "gait"}}
	for _, id := range []string{"", "a", "b", "c"} {
		records := 0
		err := serving.Decisions(folder, id, func(d serving.DecisionRecord) error {
			records++
			var names []string
			for _, c := range d.Commands {
				names = append(names, c.Name)
			}
			if d.Event == runlog.DecisionApplied && !slices.Equal(names, want[d.ID]) || d.Event == runlog.DecisionAsked && names != nil {
				t.Errorf("--id %q: %s of %s has the commands %q, want %q", id, d.Event, d.ID, names, want[d.ID])
			}
			return nil
		})
		if n := map[string]int{"": 4, "a": 2, "b": 1, "c": 1}[id]; err != nil || records != n {
			t.Errorf("--id %q: %d events (%v), want %d", id, records, err, n)
		}
	}
}
