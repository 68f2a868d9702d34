package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// The decisions of a served run are in its log, with what they were based on and what became of them,
// and the run replays without the client.
func TestDecisions(t *testing.T) {
	out, decisions := decideInTurn(t)
	all := mustTrain(t, "decisions", out)
	var want []string
	for i, d := range decisions {
		end := `applied  ` + d.Id +
			`  mind-1  \{"commands":\{"velocity":\{"ang_vel_z":0,"lin_vel_x":0.5,"lin_vel_y":0\}\},"why":"because"\}`
		if i == 1 {
			end = `timed out ` + d.Id + `  mind-1  no reply within 300ms`
		}
		want = append(want, fmt.Sprintf(`step \d+ +asked +%s  mind-1 `, d.Id),
			`step \d+ +`+strings.Replace(end, "applied  ", "applied +", 1))
	}
	lines := strings.Split(strings.TrimSpace(all), "\n")
	if len(lines) < len(want) {
		t.Fatalf("train decisions prints\n%s", all)
	}
	for i, w := range want {
		if !regexp.MustCompile("^" + w).MatchString(lines[i]) {
			t.Errorf("line %d of train decisions is %q, want %q", i, lines[i], w)
		}
	}
	one := mustTrain(t, "decisions", out, "--id", decisions[0].Id, "--json")
	var events []string
	for text := range strings.Lines(one) {
		var d struct {
			ID, Event         string
			Perception, Reply json.RawMessage
		}
		polytest.NoError(t, json.Unmarshal([]byte(text), &d))
		if d.ID != decisions[0].Id || d.Event == "asked" && !bytes.Contains(d.Perception, []byte(`"observation":[`)) {
			t.Errorf("--json prints %s", text)
		}
		events = append(events, d.Event)
	}
	if strings.Join(events, " ") != "asked applied" {
		t.Errorf("the events of %s are %q", decisions[0].Id, events)
	}
	refuses(t, Usage, "decisions "+out+" --id 0/0/Planner/7", `--id is "0/0/Planner/7", want a decision of the run`)
	if text := mustTrain(t, "replay", out); !strings.Contains(text, "identical") {
		t.Errorf("replay: %s", text)
	}
}

// decideInTurn serves a run and decides until it has been asked three times, of which it does not answer the second.
func decideInTurn(t *testing.T) (out string, decisions []*wire.Decision) {
	t.Helper()
	s, client, welcome := joinHere(t, "mind", "--decision-timeout", "300ms", "--set",
		"runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}, {name: Planner, rate: 2}]")
	ctx, session := t.Context(), welcome.GetSession()
	var u *wire.Update
	stream, err := client.Decide(ctx)
	if err == nil {
		err = stream.Send(&wire.Intent{Session: session, Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}})
	}
	if err == nil {
		_, err = stream.Recv() // its acknowledgement
	}
	for err == nil && len(decisions) < 3 { // one decision in 25 steps, of which 15 are the time-out
		_, err = client.Step(ctx, &wire.StepRequest{Session: session, Steps: []uint32{26, 25, 25}[len(decisions)]})
		for err == nil {
			if u, err = stream.Recv(); err == nil && u.GetDecision() != nil {
				break
			}
		}
		if decisions = append(decisions, u.GetDecision()); err == nil && len(decisions) != 2 {
			err = stream.Send(&wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: u.GetDecision().GetId(),
				Json: `{"commands": {"velocity": {"lin_vel_x": 0.5, "lin_vel_y": 0, "ang_vel_z": 0}}, "why": "because"}`}}})
		}
		if err == nil && len(decisions) != 2 {
			_, err = stream.Recv()
		}
	}
	if err == nil {
		_, err = client.Step(ctx, &wire.StepRequest{Session: session, Steps: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.interrupt(t)
	return s.out, decisions
}

func TestDecisionsUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"decisions", "RUN"},
		{"decisions " + t.TempDir(), "holds no run log"},
		{"serve --task quadruped --decision-timeout 0s", "--decision-timeout is 0s, want more than 0"},
		{"serve --task quadruped --decision-timeout soon", "soon"},
	} {
		refuses(t, Usage, c.args, c.want)
	}
}
