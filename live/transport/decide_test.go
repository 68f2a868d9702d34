package transport

import (
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// A run without a runner Planner has no decisions to make; both transports say so.
func TestDecideWithoutAPlanner(t *testing.T) {
	const want = "decide: the run has no runner Planner, want one in its configuration"
	for name, m := range minds(t, serve(t, Options{})) {
		if a := m.decide(); a.GetError() != want {
			t.Errorf("%s: %v, want %q", name, a, want)
		}
	}
}

// Decisions go out and replies come in by each transport, to and from the client that asked last. A
// reply that breaks the schema is refused in its acknowledgement and can be corrected.
func TestDecide(t *testing.T) {
	s := serve(t, Options{}, planner)
	client, session := s.dial(t, insecure.NewCredentials()), joined(t, s)
	for name, m := range minds(t, s) {
		if a := m.decide(); a.Number == 0 {
			t.Fatal(name, a)
		}
		polytest.Must(client.Step(bound(t), &wire.StepRequest{Session: session, Steps: 6}))(t)
		d := m.next()
		if a := m.reply(d.Id, "walk"); a.Number != 0 || !strings.Contains(a.Error, "reply: it is not JSON at byte 1") {
			t.Errorf("%s: %v of a reply that is not JSON", name, a)
		}
		if a := m.reply(d.Id, `{"why": "nothing"}`); a.Number == 0 {
			t.Errorf("%s: %v of a reply that is right", name, a)
		}
		polytest.Must(client.Step(bound(t), &wire.StepRequest{Session: session, Steps: 1}))(t)
		i := slices.IndexFunc(s.run.Decisions(), func(trace live.DecisionTrace) bool { return trace.ID == d.Id })
		if trace := s.run.Decisions()[i]; len(trace.Events) != 3 || trace.Events[2].Event != "applied" {
			t.Errorf("%s: %+v, want asked, refused and applied", name, trace.Events)
		}
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

func (m *mind) decide() *wire.Ack {
	return m.do(&wire.Intent{Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}})
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
	stream := polytest.Must(s.dial(t, insecure.NewCredentials()).Decide(bound(t)))(t)
	session := joined(t, s)
	return map[string]*mind{
		"WebSocket": {
			send:    func(in *wire.Intent) { send(t, conn, in) },
			receive: func() *wire.Update { return receive(t, conn, func(*wire.Update) bool { return true }) },
		},
		"gRPC": {
			send: func(in *wire.Intent) {
				in.Session = session
				polytest.NoError(t, stream.Send(in))
			},
			receive: func() *wire.Update {
				u := polytest.Must(stream.Recv())(t)
				return u
			},
		},
	}
}

// joined joins by gRPC and returns the session, whose client goes on reading.
func joined(t *testing.T, s *served) []byte {
	t.Helper()
	stream := polytest.Must(s.dial(t, insecure.NewCredentials()).Join(bound(t), &wire.JoinRequest{}))(t)
	u := polytest.Must(stream.Recv())(t)
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
	polytest.NoError(t, err)
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
	polytest.NoError(t, err)
}

// receive reads updates until one satisfies ok.
func receive(t *testing.T, conn *websocket.Conn, ok func(*wire.Update) bool) *wire.Update {
	t.Helper()
	for {
		_, data, err := conn.Read(bound(t))
		polytest.NoError(t, err)
		var u wire.Update
		polytest.NoError(t, proto.Unmarshal(data, &u))
		if ok(&u) {
			return &u
		}
	}
}
