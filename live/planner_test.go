package live

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// planned is a quadruped with a runner Planner.
func planned(t testing.TB, rate string, overrides ...string) *configs.Config {
	t.Helper()
	return quadruped(t, append([]string{
		"runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}, {name: Planner, rate: " +
			rate + "}]",
	}, overrides...)...)
}

// decisionsOf reads what the log at path says of decisions, with the interventions.
func decisionsOf(t *testing.T, path string) (all []runlog.Intervention) {
	t.Helper()
	f := polytest.Must(os.Open(path))(t)
	defer f.Close()
	in := polytest.Must(runlog.NewReader(f))(t)
	for {
		r, err := in.Next()
		if err == io.EOF {
			return all
		}
		polytest.NoError(t, err)
		if r.Kind != runlog.KindIntervention {
			continue
		}
		if i := r.Intervention(); i.Decision != nil {
			all = append(all, i)
		}
	}
}

func replyTo(id, text string) *wire.Intent {
	return &wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: id, Json: text}}}
}

const walk = `{"commands": {"velocity": {"lin_vel_x": 0.25, "lin_vel_y": 0, "ang_vel_z": 0}}, "why": "go <on>"}`

// decide lets a new client decide for all worlds.
func (r *running) decide(t testing.TB) (*Client, *Decider) {
	t.Helper()
	c, m := r.join(t, Steer), r.NewDecider()
	t.Cleanup(m.Close)
	polytest.Must(r.SubmitAs(Sender{c.Session(), c.Role(), m}, intentOf(`{"decide": {}}`)))(t)
	return c, m
}

func next(t testing.TB, m *Decider) *wire.Decision {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	d := polytest.Must(m.Next(ctx))(t)
	return d
}

// Minds that are slow, late and broken, among resets and changes of the planner's rate:
// no decision is asked while another one of its world waits, each ends once, only a reply
// to the one that waits is applied, and the run replays without the minds.
func TestSlowMinds(t *testing.T) {
	r := serve(t, planned(t, "5", "max_steps=60"), func(c *Config) { c.DecisionTimeout = time.Second })
	watcher, d := r.join(t, Watch), &wire.Decoder{}
	until(t, watcher, d, anything)
	operator := r.join(t, Operate)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range 2 { // the second takes over from the first
		c, m := r.decide(t)
		draw := rand.New(rand.NewPCG(7, uint64(i)))
		wg.Go(func() {
			old := "0/0/Planner/0"
			for {
				q, err := m.Next(ctx)
				if err != nil {
					return
				}
				time.Sleep(time.Duration(draw.IntN(20)) * time.Millisecond)
				id, text := q.Id, walk
				switch draw.IntN(10) {
				case 0:
					continue // no reply
				case 1:
					id = old
				case 2:
					text = "I would say: " + walk
				case 3:
					text = strings.Replace(walk, "0.25", "99", 1)
				}
				r.Submit(c, replyTo(id, text))
				if draw.IntN(4) == 0 {
					r.Submit(c, replyTo(id, text)) // again: too late
				}
				old = q.Id
			}
		})
	}
	draw := rand.New(rand.NewPCG(8, 8))
	seen := map[string]bool{}
	for k := 0; k < 40 || k < 10_000 && len(seen) < len(decisionEvents); k++ { // worlds are faster than minds
		n := d.Frame().N
		until(t, watcher, d, func(f *wire.Frame) bool {
			for _, e := range f.Decisions {
				seen[e.Event] = true
			}
			return f.N >= n+15
		})
		in := intentOf(`{"reset": {"world": %d}}`, draw.IntN(2))
		if k%8 == 7 {
			rate := []string{"2", "5", "10"}[k/8%3]
			in = edit(`[{"set_rate": {"name": "Planner", "rate": "` + rate + `"}}]`)
		} else if k%2 == 0 {
			continue
		}
		polytest.Must(r.Submit(operator, in))(t)
	}
	watcher.Close()
	r.end(t)
	cancel()
	wg.Wait()
	checkDecisions(t, decisionsOf(t, r.path))
}

// decisionEvents are all that can happen to a decision.
var decisionEvents = []string{runlog.DecisionAsked, runlog.DecisionApplied, runlog.DecisionRefused,
	runlog.DecisionTimedOut, runlog.DecisionWithdrawn}

// checkDecisions checks the life of every decision in a log.
func checkDecisions(t *testing.T, all []runlog.Intervention) {
	t.Helper()
	open, asked, count := map[string]string{}, map[string]bool{}, map[string]int{}
	for _, i := range all {
		e := i.Decision
		world, _, _ := strings.Cut(e.ID, "/")
		count[e.Event]++
		switch e.Event {
		case runlog.DecisionAsked:
			if open[world] != "" || asked[e.ID] {
				t.Errorf("%s was asked while %q waits, or twice", e.ID, open[world])
			}
			open[world], asked[e.ID] = e.ID, true
			if len(e.Perception) == 0 {
				t.Errorf("%s has no perception in the log", e.ID)
			}
		case runlog.DecisionRefused:
			if e.Reason == "" || i.Intent == nil {
				t.Errorf("%+v: want a reason and the intent", e)
			}
		default:
			if open[world] != e.ID {
				t.Errorf("%s was %s while %q waits", e.ID, e.Event, open[world])
			}
			open[world] = ""
			command, ok := i.Effect.(*runlog.Command)
			if e.Event == runlog.DecisionApplied && (!ok || command.Values[0] != 0.25) {
				t.Errorf("%s was applied with the effect %v", e.ID, i.Effect)
			}
		}
	}
	t.Log(count)
	for _, event := range decisionEvents {
		if count[event] == 0 {
			t.Errorf("no decision was %s", event)
		}
	}
}

// Every refusal says why, in the ack or in the frame, and a decision can be corrected as long as it waits.
func TestRepliesAreRefused(t *testing.T) {
	r := serve(t, planned(t, "1", "worlds=1"), nil)
	c, m := r.decide(t)
	q := next(t, m)
	if len(q.Observation) != r.spec.ObservationSize || len(q.Tracks) != 2 || !strings.HasPrefix(q.Id, "0/") {
		t.Errorf("the decision is %v", q)
	}
	var schema map[string]any
	if err := json.Unmarshal([]byte(r.Description().ReplySchema), &schema); err != nil || schema["type"] != "object" {
		t.Errorf("schema %q, %v", r.Description().ReplySchema, err)
	}
	for text, want := range map[string]string{
		`{`: "want JSON of the schema", `null`: "want an object", `{} {}`: "after top-level value",
		`{"speed": 1}`:               "unknown field",
		`{"Why": "the way is free"}`: `unknown field "Why"`, `{"why": "it is", "COMMANDS": {}}`: `unknown field "COMMANDS"`,
		`{"commands": {"velocity": {"lin_vel_x": 99, "lin_vel_y": 0, "ang_vel_z": 0}}}`: "lin_vel_x is 99",
		`{"commands": {"velocity": {"lin_vel_x": 0}}}`:                                  "want each of them once",
		`{"commands": {"jump": {"height": 1}}}`:                                         "does not have",
		`{"action": [1]}`:                                                               "1 values, want 12",
		`{"action": []}`:                                                                "0 values, want 12",
		strings.Repeat(" ", maxReplyBytes+1):                                            "bytes, want at most",
	} {
		if _, err := r.Submit(c, replyTo(q.Id, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50s: error %v, want %q", text, err, want)
		}
	}
	other := r.join(t, Steer)
	watcher, d := r.join(t, Watch), &wire.Decoder{} // the clock waits for it from now on
	until(t, watcher, d, anything)
	refused := func(c *Client, id, want string) {
		t.Helper()
		number := polytest.Must(r.Submit(c, replyTo(id, walk)))(t)
		f := until(t, watcher, d, mentions(number))
		i := slices.IndexFunc(f.Applied, func(a *wire.Applied) bool { return a.Number == number })
		if a := f.Applied[i]; !strings.Contains(a.Error, want) || a.Decision != id {
			t.Errorf("%s: the frame has %v, want %q", id, a, want)
		}
	}
	refused(other, q.Id, "was asked of test-")
	refused(c, "0/99/Planner/0", "wrong episode")
	refused(c, decisionID(0, q.Episode, q.Ns+1), "stale")
	refused(c, q.Id, "")
	refused(c, q.Id, "late: the decision has been applied")
	if _, err := r.Submit(c, replyTo("?", walk)); err == nil {
		t.Error("a reply to no decision was taken")
	}
	if _, err := r.Submit(r.join(t, Watch), replyTo(q.Id, walk)); err == nil {
		t.Error("a reply of a watcher was taken")
	}
	trace := r.Decisions()[0]
	var events []string
	for _, e := range trace.Events {
		events = append(events, e.Event+" "+e.Client+" "+e.Reason)
		if e.N < q.N || e.NS < q.Ns || e.Event == runlog.DecisionApplied && !strings.Contains(string(e.Reply),
			`"lin_vel_x":0.25`) {
			t.Errorf("the trace has the event %+v", e)
		}
	}
	text := strings.Join(events, "\n")
	for _, want := range []string{"asked " + c.Name() + " \n", "want JSON of the schema", "lin_vel_x is 99",
		"was asked of test-", "applied " + c.Name() + " \n", "late: the decision has been applied"} {
		if !strings.Contains(text, want) {
			t.Errorf("the trace has the events\n%s\nwant %q among them", text, want)
		}
	}
	var perception struct{ Observation []float64 }
	if err := json.Unmarshal(trace.Perception, &perception); err != nil || trace.ID != q.Id ||
		!slices.Equal(perception.Observation, q.Observation) {
		t.Errorf("the trace has the perception %s (%v), want the observation %v", trace.Perception, err, q.Observation)
	}
	watcher.Close()
	r.end(t)
}

// A decision that nobody replies to does not stop the world, and the next one is asked.
func TestDecisionsTimeOut(t *testing.T) {
	r := serve(t, planned(t, "2", "worlds=1", "max_steps=100000"), func(c *Config) {
		c.DecisionTimeout = time.Second
	})
	_, m := r.decide(t)
	first := next(t, m)
	second := next(t, m)
	if second.Episode == first.Episode && second.Ns-first.Ns != 1_000_000_000 {
		t.Errorf("asked at %d and %d ns, want a second in between", first.Ns, second.Ns)
	}
	r.end(t)
	m.Close()
	all := decisionsOf(t, r.path)
	if last := all[len(all)-1].Decision; last.Event == runlog.DecisionAsked {
		t.Errorf("the log ends with %+v, want each decision to end", last)
	}
}

// A client that takes decisions slowly gets none that has ended before it took it.
func TestDecisionsThatHaveEndedAreNotSent(t *testing.T) {
	r := serve(t, planned(t, "2", "worlds=1", "max_steps=100000"),
		func(c *Config) { c.DecisionTimeout = 100 * time.Millisecond })
	watcher, d := r.join(t, Watch), &wire.Decoder{}
	until(t, watcher, d, anything)
	_, m := r.decide(t)
	var ended string
	until(t, watcher, d, func(f *wire.Frame) bool {
		for _, e := range f.Decisions {
			if e.Event == runlog.DecisionTimedOut {
				ended = e.Id
			}
		}
		return ended != ""
	})
	m.hub.mu.Lock()
	for _, left := range m.queue {
		if left.Id == ended {
			t.Errorf("%s has timed out and waits to be sent", ended)
		}
	}
	m.hub.mu.Unlock()
	watcher.Close()
	if next := next(t, m); next.Id == ended {
		t.Errorf("%s was sent after it had timed out", next.Id)
	}
	r.end(t)
}

// A session that decides need not read frames; it is forgotten a minute after its mind and its client are gone.
func TestSessionsOfMindsLast(t *testing.T) {
	r := serve(t, planned(t, "5"), nil)
	c, m := r.decide(t)
	c.Close()
	later := time.Now().Add(2 * sessionExpiry)
	r.hub.sweep(later)
	d := next(t, m)
	if _, err := r.SubmitAs(Sender{Session: c.Session(), Role: c.Role()}, replyTo(d.Id, walk)); err != nil {
		t.Error(err)
	}
	kept := func() bool {
		r.hub.mu.Lock()
		defer r.hub.mu.Unlock()
		return r.hub.sessions[string(c.Session())] != nil
	}
	m.Close()
	if r.hub.sweep(time.Now()); !kept() {
		t.Error("the session is forgotten at once, want it for a minute more")
	}
	if r.hub.sweep(later); kept() {
		t.Error("the session is not forgotten")
	}
	r.end(t)
}

// An action that was decided lasts until the episode ends, and replays.
func TestActionsOfDecisions(t *testing.T) {
	r := serve(t, planned(t, "1", "worlds=1", "max_steps=30"), nil)
	c, m := r.decide(t)
	for range 3 {
		q := next(t, m)
		polytest.Must(r.Submit(c, replyTo(q.Id, `{"action": [0,0,0,0,0,0,0,0,0,0,0,0]}`)))(t)
	}
	watcher, d := r.join(t, Watch), &wire.Decoder{}
	until(t, watcher, d, anything)
	n := d.Frame().N
	until(t, watcher, d, func(f *wire.Frame) bool { return f.N > n+40 })
	watcher.Close()
	r.end(t)
}

// However many refused replies a client sends, the log has that each was refused, and the text of the first ones only.
func TestRefusedRepliesDoNotFillTheLog(t *testing.T) {
	r := serve(t, planned(t, "1", "worlds=1"), nil)
	c, m := r.decide(t)
	q := next(t, m)
	mark := strings.Repeat("y", 12<<10)
	begun, sent := time.Now(), 0
	for sent < 100 {
		_, err := r.Submit(c, replyTo(q.Id, `{"`+mark+`": 1}`))
		if err == nil || strings.Contains(err.Error(), "unknown field") {
			sent++
		} else {
			time.Sleep(time.Millisecond) // many wait for the next decision point
		}
	}
	watcher, d := r.join(t, Watch), &wire.Decoder{}
	until(t, watcher, d, anything)
	n := d.Frame().N
	until(t, watcher, d, func(f *wire.Frame) bool { return f.N > n+2 })
	watcher.Close()
	most := (refusedBurst + int(time.Since(begun).Seconds()+1)*refusedPerSecond) / len(mark)
	r.end(t)
	data := polytest.Must(os.ReadFile(r.path))(t)
	refused := 0
	for _, i := range decisionsOf(t, r.path) {
		if i.Decision.Event == runlog.DecisionRefused {
			refused++
		}
	}
	if refused < sent {
		t.Errorf("the log has %d refused replies, want %d", refused, sent)
	}
	if got := strings.Count(string(data), mark); got < 1 || got > most {
		t.Errorf("the log has the text of %d refused replies, want 1 to %d", got, most)
	}
}

// No reply makes the parser panic, and what it takes it takes again.
func FuzzReply(f *testing.F) {
	for _, text := range []string{walk, `{"action": [1, 2]}`, `{"commands": {"velocity": null}}`, `{"why": "\ud800"}`,
		`[`, `null`, ``} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseReply(text)
		if err != nil {
			return
		}
		again := polytest.Must(json.Marshal(r))(t)
		if len(again) > maxReplyBytes {
			return // escapes are longer
		}
		if _, err := parseReply(string(again)); err != nil && len(r.Why)*3 <= maxWhyBytes {
			t.Errorf("%q was taken, %q was not: %v", text, again, err)
		}
	})
}
