package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// The decisions of a served run are in its log, with what they were based on and what became
// of them, and in its spans, under the ids that the client had; and the run replays without
// the client.
func TestDecisions(t *testing.T) {
	out, spans := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "spans.jsonl")
	asked := decideInTurn(t, out, "--spans", spans, "--decision-timeout", "300ms")
	decisions := func(args ...string) (code int, stdout, stderr string) {
		var to, problems bytes.Buffer
		code = Run(context.Background(), append([]string{"decisions", out}, args...), &to, &problems)
		return code, to.String(), problems.String()
	}
	_, all, _ := decisions()
	var want []string
	for i, d := range asked {
		end := `applied  ` + d.Id + `  mind-1  \{"commands":\{"velocity":\{"forward":0.5,"left":0,"yaw_rate":0\}\},"why":"because"\}`
		if i == 1 {
			end = `timed out ` + d.Id + `  mind-1  no reply within 300ms`
		}
		want = append(want, fmt.Sprintf(`step \d+ +asked +%s  mind-1 `, d.Id), `step \d+ +`+strings.Replace(end, "applied  ", "applied +", 1))
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
	_, one, _ := decisions("--id", asked[0].Id, "--json")
	var events []string
	for text := range strings.Lines(one) {
		var d struct {
			ID, Event         string
			Perception, Reply json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		if d.ID != asked[0].Id || d.Event == "asked" && !bytes.Contains(d.Perception, []byte(`"observation":[`)) {
			t.Errorf("--json prints %s", text)
		}
		events = append(events, d.Event)
	}
	if strings.Join(events, " ") != "asked applied" {
		t.Errorf("the events of %s are %q", asked[0].Id, events)
	}
	if code, _, problems := decisions("--id", "0/0/Planner/7"); code != Usage || !strings.Contains(problems, `--id is "0/0/Planner/7", want a decision of the run`) {
		t.Errorf("an unknown id: exit code %d, %s", code, problems)
	}
	text, err := os.ReadFile(spans)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range asked {
		ids := strings.Split(d.Traceparent, "-")
		if !regexp.MustCompile(`"traceId":"`+ids[1]+`"`).Match(text) || !bytes.Contains(text, []byte(ids[2])) || !bytes.Contains(text, []byte(d.Id)) {
			t.Errorf("there is no span of %s, %s", d.Id, d.Traceparent)
		}
	}
	var replayed, problems bytes.Buffer
	if c := Run(context.Background(), []string{"replay", out}, &replayed, &problems); c != Done || !strings.Contains(replayed.String(), "identical") {
		t.Errorf("replay: exit code %d, %s%s", c, replayed.String(), problems.String())
	}
}

// decideInTurn serves a run and decides until it has been asked three times, of which it
// does not answer the second.
func decideInTurn(t *testing.T, out string, flags ...string) (asked []*wire.Decision) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var stdout, stderr shared
	code := make(chan int, 1)
	go func() {
		code <- Run(ctx, append([]string{"serve", "--task", "quadruped", "--listen", "", "--grpc", "127.0.0.1:0", "--out", out, "--paused", "--set",
			"runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}, {name: Planner, rate: 2}]"}, flags...), &stdout, &stderr)
	}()
	client, welcome := joinServed(t, ctx, "mind", code, &stderr)
	session := welcome.GetSession()
	var u *wire.Update
	stream, err := client.Decide(ctx)
	if err == nil {
		err = stream.Send(&wire.Intent{Session: session, Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}})
	}
	if err == nil {
		_, err = stream.Recv() // its acknowledgement
	}
	for err == nil && len(asked) < 3 { // one decision in 25 steps, of which 15 are the time-out
		_, err = client.Step(ctx, &wire.StepRequest{Session: session, Steps: []uint32{26, 25, 25}[len(asked)]})
		for err == nil {
			if u, err = stream.Recv(); err == nil && u.GetDecision() != nil {
				break
			}
		}
		if asked = append(asked, u.GetDecision()); err == nil && len(asked) != 2 {
			err = stream.Send(&wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: u.GetDecision().GetId(),
				Json: `{"commands": {"velocity": {"forward": 0.5, "left": 0, "yaw_rate": 0}}, "why": "because"}`}}})
		}
		if err == nil && len(asked) != 2 {
			_, err = stream.Recv()
		}
	}
	if err == nil {
		_, err = client.Step(ctx, &wire.StepRequest{Session: session, Steps: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if c := <-code; c != Interrupted {
		t.Errorf("exit code %d: %s; want %d", c, stderr.text(), Interrupted)
	}
	return asked
}

func TestDecisionsUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"decisions", "RUN"},
		{"decisions " + t.TempDir(), "holds no run log"},
		{"serve --task quadruped --decision-timeout 0s", "--decision-timeout is 0s, want more than 0"},
		{"serve --task quadruped --decision-timeout soon", "soon"},
		{"serve --task quadruped --spans /nowhere/spans", "--spans: open /nowhere/spans"},
		{"serve --task quadruped --spans http:", `--spans: the collector is "http:", want an address such as`},
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(context.Background(), strings.Fields(c.args), &stdout, &stderr); code != Usage || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit code %d, %s; want %d and %q", c.args, code, stderr.String(), Usage, c.want)
		}
	}
}
