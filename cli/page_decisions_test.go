package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// webClient is a client of a live run by WebSocket.
type webClient struct {
	t       *testing.T
	conn    *websocket.Conn
	ids     uint64
	pending []*wire.Decision // that were seen, but not waited for yet

	updates chan *wire.Update // read all the time: who leaves a ping unanswered is sent nothing, no decision either
}

func joinWeb(t *testing.T, address, name string) *webClient {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://"+address+"/live/v1", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 24)
	c := &webClient{t: t, conn: conn, updates: make(chan *wire.Update, 1<<16)}
	go c.read()
	c.send(&wire.Hello{Join: &wire.JoinRequest{Name: name}})
	return c
}

func (c *webClient) send(m proto.Message) {
	c.t.Helper()
	polytest.NoError(c.t, sendMessage(c.t.Context(), c.conn, m))
}

// submit sends an intent and returns the error of its acknowledgement. Decisions that come before it wait.
func (c *webClient) submit(intent *wire.Intent) (refused string) {
	c.t.Helper()
	c.ids++
	intent.Id = c.ids
	c.send(intent)
	for {
		u := c.next()
		switch {
		case u.GetDecision() != nil:
			c.pending = append(c.pending, u.GetDecision())
		case u.GetAck().GetId() == c.ids:
			return u.GetAck().GetError()
		}
	}
}

// read reads updates until the connection ends.
func (c *webClient) read() {
	defer close(c.updates)
	for {
		_, data, err := c.conn.Read(context.Background())
		u := new(wire.Update)
		if err != nil || proto.Unmarshal(data, u) != nil {
			return
		}
		c.updates <- u
	}
}

func (c *webClient) next() *wire.Update {
	c.t.Helper()
	select {
	case u, ok := <-c.updates:
		if !ok {
			c.t.Fatal("the server has closed the connection")
		}
		return u
	case <-time.After(4 * time.Minute):
		c.t.Fatal("no update in four minutes")
	}
	return nil
}

// decision waits for the next decision.
func (c *webClient) decision() *wire.Decision {
	c.t.Helper()
	for len(c.pending) == 0 {
		if d := c.next().GetDecision(); d != nil {
			c.pending = append(c.pending, d)
		}
	}
	d := c.pending[0]
	c.pending = c.pending[1:]
	return d
}

// stepTo takes single steps of a paused run up to a number.
func (c *webClient) stepTo(b *browser, n int64) {
	c.t.Helper()
	now := eval[int64](b, "polyrhythm.state.frame.n")
	step := &wire.Intent_Step{Step: &wire.Steps{Count: uint32(n - now)}}
	polytest.Equal(c.t, c.submit(&wire.Intent{Kind: step}), "", "the refusal of steps")
	b.holds(fmt.Sprintf("polyrhythm.state.frame.n === %d", n))
}

// The page says of each decision what it was based on, when it was asked, what was replied,
// how long that took, where it was applied, and why others were not.
func TestPageShowsDecisionsLong(t *testing.T) {
	polytest.OnlySlow(t)
	b := openBrowser(t, 1100, 720)
	s := serveHere(t, "--policy", "zero", "--paused", "--decision-timeout", "400ms", "--channels",
		"gyro",
		"--set", "runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}, {name: "+
			"Planner, rate: 2}]")
	b.visit("http://" + s.address + "/")
	b.click("#tab-decisions")
	b.holds(`document.getElementById("decisions").textContent.includes("No decision has been asked yet")`)
	mind := joinWeb(t, s.address, "mind")
	polytest.Equal(t, mind.submit(&wire.Intent{Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}}), "", "the refusal")
	reply := func(id, text string) string {
		t.Helper()
		return mind.submit(&wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: id, Json: text}}})
	}
	mind.stepTo(b, 26) // due at 0.5 s, after 25 steps
	first := mind.decision()
	b.holds(`document.querySelector(".decision .state")?.textContent === "waiting"`)
	if refused := reply(first.Id,
		`{"commands": {"velocity": {"lin_vel_x": 9, "lin_vel_y": 0, "ang_vel_z": 0}}}`); !strings.Contains(refused,
		"lin_vel_x is 9") {
		t.Errorf("the acknowledgement says %q, want that lin_vel_x is out of bounds", refused)
	}
	mind.stepTo(b, 35)
	if refused := reply(first.Id,
		`{"commands": {"velocity": {"lin_vel_x": 0.25, "lin_vel_y": 0, "ang_vel_z": 0}}`+
			`, "why": "the way is <free>"}`); refused != "" {
		t.Fatal(refused)
	}
	b.holds(`document.querySelector(".decision .state").textContent === "applied" && ` +
		`document.getElementById("why").textContent === "“the way is <free>”"`)
	mind.stepTo(b, 60) // asked after 50
	second := mind.decision()
	mind.stepTo(b, 72) // timed out after 70: what is not taken by then is taken back
	b.holds(`document.querySelectorAll(".decision").length === 2 && ` +
		`document.querySelector(".decision .state").textContent === "timed out"`)
	if refused := reply(second.Id, `{"why": "too late"}`); refused != "" {
		t.Fatal(refused)
	}
	b.holds(`document.querySelector(".decision .events") === null && polyrhythm.state.decisions[1].events.length === 3`)

	b.click("#tab-activity")
	b.holds(`document.querySelectorAll("#feed .link").length === 3`)
	b.click("#feed .bad .link") // the late reply
	b.holds(`document.querySelector(".decision[open] .events")?.closest(".decision").dataset.id === "` + second.Id + `"`)
	text := eval[string](b, `document.querySelector(".decision[open]").textContent`)
	for _, want := range []string{"timed out", "no reply within 400ms", "refused", "late: the decision has timed out"} {
		if !strings.Contains(text, want) {
			t.Errorf("the second decision says\n%s\nwant %q", text, want)
		}
	}
	b.click(`.decision[data-id="` + first.Id + `"] summary`)
	b.holds(`document.querySelector('.decision[data-id="` + first.Id + `"] .perception table')`)
	text = eval[string](b, `document.querySelector('.decision[data-id="`+first.Id+`"]').innerText`)
	for _, want := range []string{first.Id, "asked at 0.500 s, step 25", "mind-2", "0.200 s of the world, 10 steps",
		"at step 35, 0.700 s", "lin_vel_x is 9", "velocity: ang_vel_z 0, lin_vel_x 0.25, lin_vel_y 0",
		"“the way is <free>”"} {
		if !strings.Contains(text, want) {
			t.Errorf("the first decision says\n%s\nwant %q", text, want)
		}
	}
	seen := eval[[]string](b,
		`[...document.querySelectorAll('.decision[data-id="`+first.Id+`"] .perception details:first-child tr')].map((r) `+
			`=> r.textContent)`)
	if len(seen) != len(first.Observation) || len(seen) == 0 {
		t.Fatalf("the perception has %d values, want %d", len(seen), len(first.Observation))
	}
	names := eval[[]string](b, "polyrhythm.state.description.observationNames")
	for i, v := range first.Observation {
		polytest.Equal(t, seen[i], names[i]+eval[string](b, fmt.Sprint("String(", v, ")")),
			"value %d of the perception", i)
	}
	b.picture("decisions", 0, 0, 1100, 720)
	b.clean()
}
