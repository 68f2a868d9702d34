package transport

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/rpc"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// Clients that join by each transport and never read are closed and cost little memory; one that reads has every
// frame. They are told how many frames they missed when they come back, and nothing of them is left.
func TestClientsThatNeverRead(t *testing.T) {
	const each = 10
	s := serveAt(t, Options{stall: 500 * time.Millisecond}, 0, "worlds=4")
	ctx := bound(t)
	client := s.dial(t, insecure.NewCredentials())
	reads := &rpc.Follower{Client: client}
	token := make(chan []byte, 1)
	reads.Joined = func(w *wire.Welcome) { token <- w.GetSession() }
	following, stop := context.WithCancel(ctx)
	followed := make(chan error, 1)
	numbers := make(chan int64, 100_000)
	go func() {
		followed <- reads.Follow(following, func(f *wire.Frame) error {
			numbers <- f.GetNumber()
			return nil
		})
	}()
	session := <-token
	step := func() {
		t.Helper()
		polytest.Must(client.Step(ctx, &wire.StepRequest{Session: session, Steps: 10}))(t)
	}
	step()
	before := memory()

	var sockets []*websocket.Conn
	var streams []func() (*wire.Update, error)
	var tokens [][]byte
	for i := range each {
		conn, _ := socket(t, s)
		sockets = append(sockets, conn)
		conn, _, err := websocket.Dial(ctx, "ws://"+s.web+FoxglovePath,
			&websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}})
		polytest.NoError(t, err)
		subscribe, _ := json.Marshal(map[string]any{"op": "subscribe", "subscriptions": []any{map[string]int{"id": 1,
			"channelId": 1}}})
		polytest.NoError(t, conn.Write(ctx, websocket.MessageText, subscribe))
		sockets = append(sockets, conn)
		stream := polytest.Must(s.dial(t, insecure.NewCredentials()).Join(ctx, &wire.JoinRequest{Pongs: i%2 == 0}))(t)
		u := polytest.Must(stream.Recv())(t)
		streams, tokens = append(streams, stream.Recv), append(tokens, u.GetWelcome().GetSession())
	}
	most := int64(0)
	for s.run.Stats().Slow < 3*each {
		step()
		most = max(most, memory()-before)
		if ctx.Err() != nil {
			t.Fatalf("%d of %d clients were closed", s.run.Stats().Slow, 3*each)
		}
	}
	// Both ends are in this process.
	if most > 3*each<<20 {
		t.Errorf("%d clients that do not read took %d KiB each, want at most 1 MiB", 3*each, most/(3*each)>>10)
	}
	t.Logf("%d KiB for each client that does not read, both ends", most/(3*each)>>10)

	for i, receive := range streams[:2] {
		var d wire.Decoder
		last, err := int64(0), error(nil)
		for err == nil {
			var u *wire.Update
			if u, err = receive(); u.GetFrame() != nil {
				last = u.GetFrame().GetNumber()
			}
		}
		if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "has read nothing for 5 s, while ") {
			t.Errorf("gRPC: %v", err)
		}
		again, err := client.Join(ctx, &wire.JoinRequest{Session: tokens[i], After: last})
		for err == nil && d.Frame() == nil {
			var u *wire.Update
			if u, err = again.Recv(); err == nil {
				err = d.Take(u)
			}
		}
		polytest.NoError(t, err)
		if !d.Frame().GetKey() || d.Frame().GetNumber() <= last+1 {
			t.Errorf("frame %d came after frame %d, want a key frame", d.Frame().GetNumber(), last)
		}
	}
	for _, conn := range sockets {
		var err error
		for err == nil {
			_, _, err = conn.Read(ctx)
		}
		conn.CloseNow()
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WebSocket: %v", err)
		}
	}
	stop()
	<-followed
	close(numbers)
	last := int64(0)
	for number := range numbers {
		if last > 0 && number != last+1 {
			t.Errorf("the client that reads had frame %d after frame %d", number, last)
		}
		last = number
	}
}

// Clients that do not answer pings are sent no frames, by each transport, and cost nothing
// then; when they read again they go on, with what they missed counted.
func TestSilentClientsAreSentNothing(t *testing.T) {
	s := serveAt(t, Options{}, 0)
	ctx := bound(t)
	client := s.dial(t, insecure.NewCredentials())
	stream := polytest.Must(client.Join(ctx, &wire.JoinRequest{Pongs: true}))(t)
	conn, _, err := websocket.Dial(ctx, "ws://"+s.web+Path, nil)
	polytest.NoError(t, err)
	defer conn.CloseNow()
	send(t, conn, &wire.Hello{})
	var byRPC, bySocket wire.Decoder
	u, err := stream.Recv()
	if err == nil {
		err = byRPC.Take(u)
	}
	polytest.NoError(t, err)
	step := func(n uint32) {
		t.Helper()
		polytest.Must(client.Step(ctx, &wire.StepRequest{Session: byRPC.Welcome.GetSession(), Steps: n}))(t)
	}
	for s.run.Stats().Held < 2 {
		step(1)
		time.Sleep(20 * time.Millisecond)
		if ctx.Err() != nil {
			t.Fatal("no client is held")
		}
	}
	before := s.run.Stats().Bytes
	step(100)
	stats := s.run.Stats()
	if stats.Bytes != before {
		t.Errorf("%d B were sent to clients that do not read", stats.Bytes-before)
	}
	for byRPC.Frame().GetN() < stats.Steps {
		u, err := stream.Recv()
		if err == nil {
			err = byRPC.Take(u)
		}
		if p := u.GetPing(); p != nil && err == nil {
			_, err = client.Pong(ctx, &wire.PongRequest{Session: byRPC.Welcome.GetSession(), Id: p.Id})
		}
		polytest.NoError(t, err)
	}
	for bySocket.Frame().GetN() < stats.Steps {
		_, data, err := conn.Read(ctx)
		if err == nil {
			err = bySocket.Update(data)
		}
		polytest.NoError(t, err)
	}
	for _, d := range []*wire.Decoder{&byRPC, &bySocket} {
		if d.Missed == 0 {
			t.Error("no frame is said to be missed")
		}
	}
}

// memory returns the bytes that are in use.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
