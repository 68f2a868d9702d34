package transport

import (
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
