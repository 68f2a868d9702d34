package transport

import (
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// A run without a runner Planner has no decisions to make; both transports say so.
func TestDecideWithoutAPlanner(t *testing.T) {
	s := serve(t, Options{})
	const want = "decide: the run has no runner Planner, want one in its configuration"
	ask := func(session []byte) *wire.Intent {
		return &wire.Intent{Id: 4, Session: session, Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}}
	}
	session := joined(t, s)
	stream, err := s.dial(t, insecure.NewCredentials()).Decide(bound(t))
	if err == nil {
		err = stream.Send(ask(session))
	}
	if err != nil {
		t.Fatal(err)
	}
	u, err := stream.Recv()
	if err != nil || u.GetAck().GetError() != want || u.GetAck().GetId() != 4 {
		t.Errorf("gRPC: %v, %v; want %q", u, err, want)
	}
	conn, _ := socket(t, s)
	send(t, conn, ask(nil))
	u = receive(t, conn, func(u *wire.Update) bool { return u.GetAck() != nil })
	if u.GetAck().GetError() != want {
		t.Errorf("WebSocket: %v, want %q", u, want)
	}
}

// Decisions go out and replies come in, by gRPC and by WebSocket; the decision goes to
// the client that asked last.
func TestDecide(t *testing.T) {
	s := serve(t, Options{}, planner)
	conn, token := socket(t, s)
	send(t, conn, &wire.Intent{Id: 1, Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}})
	send(t, conn, &wire.Intent{Id: 2, Kind: &wire.Intent_Pause{Pause: &wire.Pause{}}})
	q := receive(t, conn, func(u *wire.Update) bool { return u.GetDecision() != nil }).GetDecision()
	send(t, conn, &wire.Intent{Id: 3, Session: token, Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: q.Id, Json: `{"why": "nothing"}`}}})
	f := receive(t, conn, func(u *wire.Update) bool {
		for _, e := range u.GetFrame().GetDecisions() {
			if e.Id == q.Id && e.Event == "applied" {
				return true
			}
		}
		return false
	})
	if f == nil {
		t.Fatal("no frame shows the reply")
	}
	session := joined(t, s)
	stream, err := s.dial(t, insecure.NewCredentials()).Decide(bound(t))
	if err == nil {
		err = stream.Send(&wire.Intent{Session: session, Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}})
	}
	for replied := false; err == nil && !replied; {
		var u *wire.Update
		if u, err = stream.Recv(); err != nil {
			break
		}
		if d := u.GetDecision(); d != nil {
			err = stream.Send(&wire.Intent{Id: 9, Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: d.Id, Json: `{}`}}})
		}
		if a := u.GetAck(); a.GetId() == 9 {
			if replied = true; a.Number == 0 {
				t.Errorf("the reply was refused: %v", a)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// mind is a client that decides, by one of the transports.
type mind struct {
	send      func(*wire.Intent)
	receive   func() *wire.Update
	decisions []*wire.Decision // that have come
	id        uint64
}

// do sends an intent and returns its acknowledgement.
func (m *mind) do(in *wire.Intent) *wire.Ack {
	m.id++
	in.Id = m.id
	m.send(in)
	for {
		u := m.receive()
		if d := u.GetDecision(); d != nil {
			m.decisions = append(m.decisions, d)
		}
		if a := u.GetAck(); a.GetId() == m.id {
			return a
		}
	}
}

func (m *mind) reply(id, text string) *wire.Ack {
	return m.do(&wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: id, Json: text}}})
}

// next returns the next decision.
func (m *mind) next() *wire.Decision {
	for len(m.decisions) == 0 {
		if d := m.receive().GetDecision(); d != nil {
			m.decisions = append(m.decisions, d)
		}
	}
	d := m.decisions[0]
	m.decisions = m.decisions[1:]
	return d
}

// minds opens a mind by each transport, which decides for all worlds.
func minds(t *testing.T, s *served) map[string]*mind {
	conn, _ := socket(t, s)
	stream, err := s.dial(t, insecure.NewCredentials()).Decide(bound(t))
	if err != nil {
		t.Fatal(err)
	}
	session := joined(t, s)
	return map[string]*mind{
		"WebSocket": {
			send:    func(in *wire.Intent) { send(t, conn, in) },
			receive: func() *wire.Update { return receive(t, conn, func(*wire.Update) bool { return true }) },
		},
		"gRPC": {
			send: func(in *wire.Intent) {
				in.Session = session
				if err := stream.Send(in); err != nil {
					t.Fatal(err)
				}
			},
			receive: func() *wire.Update {
				u, err := stream.Recv()
				if err != nil {
					t.Fatal(err)
				}
				return u
			},
		},
	}
}

// By each transport a reply that breaks the schema is refused at once and can be
// corrected; one that comes late, twice, for another episode or for no decision that
// waits is refused at the next decision point, with the reason in the frames.
func TestRepliesAreRefused(t *testing.T) {
	s := serve(t, Options{}, planner)
	client := s.dial(t, insecure.NewCredentials())
	watching, err := client.Join(bound(t), &wire.JoinRequest{})
	if err != nil {
		t.Fatal(err)
	}
	session := joined(t, s)
	// step takes steps, with intents before, and returns what happened to a decision.
	n, asked := int64(0), "" // the newest decision
	step := func(id string, steps uint32, intents ...*wire.Intent) (events []string) {
		t.Helper()
		reply, err := client.Step(bound(t), &wire.StepRequest{Session: session, Steps: steps, Intents: intents})
		if err != nil {
			t.Fatal(err)
		}
		for n = reply.N; ; {
			u, err := watching.Recv()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range u.GetFrame().GetDecisions() {
				if e.Event == "asked" {
					asked = e.Id
				}
				if e.Id == id {
					events = append(events, strings.TrimSuffix(e.Event+": "+e.Reason, ": "))
				}
			}
			if u.GetFrame().GetN() == n {
				return events
			}
		}
	}
	const walk = `{"commands": {"velocity": {"forward": 0.25, "left": 0, "yaw_rate": 0}}}`
	for name, m := range minds(t, s) {
		t.Run(name, func(t *testing.T) {
			if a := m.do(&wire.Intent{Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}}); a.Number == 0 {
				t.Fatal(a)
			}
			step("", 6)
			d := m.next()
			for text, want := range map[string]string{
				"walk":                                "reply: invalid character",
				strings.Replace(walk, "0.25", "9", 1): "forward is 9, want",
				`{"speed": 1}`:                        `unknown field "speed"`,
			} {
				if a := m.reply(d.Id, text); a.Number != 0 || !strings.Contains(a.Error, want) {
					t.Errorf("%s: %v, want %q", text, a, want)
				}
			}
			if a := m.reply("7", walk); a.Number != 0 || !strings.Contains(a.Error, `id of the reply is "7"`) {
				t.Errorf("id 7: %v", a)
			}
			m.reply(d.Id, walk)
			m.reply(d.Id, walk)
			events := step(d.Id, 1)
			if len(events) != 5 || events[3] != "applied" || events[4] != "refused: late: the decision has been applied" {
				t.Errorf("%s: %q", d.Id, events)
			}
			step("", 5)
			late := m.next()
			if events := step(late.Id, 501); !slices.Contains(events, "timed out: no reply within 10s") && !slices.Contains(events, "withdrawn: the episode has ended") {
				t.Errorf("%s: %q, want it to end", late.Id, events)
			}
			m.reply(late.Id, walk)
			if events := step(late.Id, 1); len(events) != 1 || !strings.HasPrefix(events[0], "refused: ") {
				t.Errorf("%s: %q", late.Id, events)
			}
			for asked == late.Id {
				step("", 1)
			}
			old := m.next()
			for old.Id != asked {
				old = m.next()
			}
			if events := step(old.Id, 1, &wire.Intent{Kind: &wire.Intent_Reset_{Reset_: &wire.Reset{}}}); !slices.Contains(events, "withdrawn: the episode has ended") {
				t.Errorf("%s: %q, want it withdrawn", old.Id, events)
			}
			m.reply(old.Id, walk)
			if events := step(old.Id, 1); len(events) != 1 || !strings.HasPrefix(events[0], "refused: wrong episode: ") {
				t.Errorf("%s: %q", old.Id, events)
			}
			stale := strings.Replace(asked, "/Planner/0", "/Planner/7", 1)
			m.reply(stale, walk)
			if events := step(stale, 1); len(events) != 1 || !strings.HasPrefix(events[0], "refused: stale: ") {
				t.Errorf("%s: %q", stale, events)
			}
		})
	}
}

// joined joins by gRPC and returns the session, whose client goes on reading.
func joined(t *testing.T, s *served) []byte {
	t.Helper()
	stream, err := s.dial(t, insecure.NewCredentials()).Join(bound(t), &wire.JoinRequest{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			if _, err := stream.Recv(); err != nil {
				return
			}
		}
	}()
	return u.GetWelcome().GetSession()
}

func socket(t *testing.T, s *served) (conn *websocket.Conn, session []byte) {
	t.Helper()
	conn, _, err := websocket.Dial(bound(t), "ws://"+s.web+Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	send(t, conn, &wire.Hello{})
	return conn, receive(t, conn, func(u *wire.Update) bool { return u.GetWelcome() != nil }).GetWelcome().GetSession()
}

func send(t *testing.T, conn *websocket.Conn, m proto.Message) {
	t.Helper()
	data, err := proto.Marshal(m)
	if err == nil {
		err = conn.Write(bound(t), websocket.MessageBinary, data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// receive reads updates until one satisfies ok.
func receive(t *testing.T, conn *websocket.Conn, ok func(*wire.Update) bool) *wire.Update {
	t.Helper()
	for {
		_, data, err := conn.Read(bound(t))
		if err != nil {
			t.Fatal(err)
		}
		var u wire.Update
		if err := proto.Unmarshal(data, &u); err != nil {
			t.Fatal(err)
		}
		if ok(&u) {
			return &u
		}
	}
}
