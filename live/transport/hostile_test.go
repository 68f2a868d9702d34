package transport

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/rpc"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// open returns the goroutines and descriptors of this process.
func open(t *testing.T) (goroutines, descriptors int) {
	t.Helper()
	list := polytest.Must(os.ReadDir("/proc/self/fd"))(t)
	return runtime.NumGoroutine(), len(list)
}

// running waits until the goroutines of a run have begun.
func (s *served) running(t *testing.T) {
	t.Helper()
	c, err := s.run.Join(live.JoinOptions{Role: live.Operate})
	if err == nil {
		_, err = s.run.Step(t.Context(), live.Sender{Session: c.Session(), Role: c.Role()}, nil, 1)
	}
	polytest.NoError(t, err)
	c.Close()
}

// left waits until no more goroutines and descriptors are open than before.
func left(t *testing.T, goroutines, descriptors int) {
	t.Helper()
	for wait := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		g, d := open(t)
		if g <= goroutines && d <= descriptors {
			return
		}
		if time.Since(wait) > 30*time.Second {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines and %d descriptors are left, want %d and %d\n%s", g, d, goroutines, descriptors,
				buf[:runtime.Stack(buf, true)])
		}
	}
}

// frame is a frame of HTTP/2.
func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	n := len(payload)
	head := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags, byte(stream >> 24), byte(stream >> 16),
		byte(stream >> 8), byte(stream)}
	return append(head, payload...)
}

// Connections that say nothing, stop in the middle, send garbage or too much are closed by
// each server, with TLS and without, and nothing of them is left. Others do not notice.
func TestHostileConnections(t *testing.T) {
	access := accessOf(t, "operate operate-operate-operate\n")
	cert, _, err := SelfMade("127.0.0.1")
	polytest.NoError(t, err)
	garbage := bytes.Repeat([]byte("\xff\x00garbage\r\n"), 8000)
	preface := append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, nil)...)
	request := "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
	attacks := map[string][]byte{
		"nothing":                   nil,
		"garbage":                   garbage,
		"half a request":            []byte("GET /live/v1 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A"),
		"a header without end":      []byte("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + strings.Repeat("a", 1<<17)),
		"a body that does not come": fmt.Appendf(nil, request, MetricsPath, "Content-Length: 1000\r\n"),
		"another body": fmt.Appendf(nil, request, Path+"/meshes",
			"Authorization: Bearer operate-operate-operate\r\nContent-Length: 99999\r\n"),
		"a preface":          preface,
		"half a preface":     preface[:10],
		"HTTP/2 and garbage": append(bytes.Clone(preface), garbage...),
		"headers that go on": append(bytes.Clone(preface), bytes.Repeat(frame(9, 0, 1, make([]byte, 1000)), 50)...),
		"too long a frame":   append(bytes.Clone(preface), frame(0, 0, 1, make([]byte, 1<<17))...),
		"half a TLS hello":   {22, 3, 1, 2, 0, 1},
		"a WebSocket that is silent": fmt.Appendf(nil, request, Path, "Connection: Upgrade\r\nUpgrade: "+
			"websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
		"Foxglove without a token": fmt.Appendf(nil, request, FoxglovePath,
			"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "+
				"dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: foxglove.sdk.v1\r\n"),
	}
	o := Options{Access: access, hello: 200 * time.Millisecond}
	plain := serve(t, o)
	o.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}
	secure := serve(t, o)
	plain.running(t)
	secure.running(t)
	goroutines, descriptors := open(t)
	all := map[string]net.Conn{}
	for what, data := range attacks {
		for _, address := range []string{plain.web, plain.grpc, secure.web, secure.grpc} {
			conn := polytest.Must(net.Dial("tcp", address))(t)
			go conn.Write(data)
			all[what+" to "+address] = conn
		}
		for _, address := range []string{secure.web, secure.grpc} {
			conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
			if err != nil { // it was closed on a busy machine, for its handshake took too long
				continue
			}
			go conn.Write(data)
			all[what+" within TLS to "+address] = conn
		}
	}
	for what, conn := range all { // the server ends all of them
		conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s is still open after 30 s", what)
		}
		conn.Close()
	}
	left(t, goroutines, descriptors)
}

// drip sends bytes one after the other, again from the beginning after the last, until the connection ends.
func drip(conn net.Conn, once, again string) {
	for i := 0; ; i++ {
		text := once
		if i >= len(once) {
			text = once + strings.Repeat(again, 1+i/len(again))
		}
		if _, err := conn.Write([]byte{text[i]}); err != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Connections that send a byte now and then, of a header, a body or a handshake, do not stay.
func TestDrippingConnections(t *testing.T) {
	cert, _, err := SelfMade("127.0.0.1")
	polytest.NoError(t, err)
	o := Options{Access: accessOf(t, "operate operate-operate-operate\n"), hello: 200 * time.Millisecond}
	plain := serve(t, o)
	o.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}
	secure := serve(t, o)
	plain.running(t)
	secure.running(t)
	goroutines, descriptors := open(t)
	request := "POST " + Path + "/meshes HTTP/1.1\r\nHost: 127.0.0.1\r\n"
	upgrade := "GET " + Path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	all := map[string]net.Conn{}
	for what, text := range map[string][2]string{
		"headers":    {request, "X-A: a\r\n"},
		"one header": {request + "X-A: ", "a"},
		"a body":     {request + "Content-Length: 100000\r\n\r\n", "a"},
		"chunks":     {request + "Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"},
		"a hello":    {upgrade, "\x82\xfe\xff\xff"},
		"HTTP/2": {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + string(frame(4, 0, 0, nil)),
			string(frame(6, 0, 0, make([]byte, 8)))},
		"a TLS hello":   {"\x16\x03\x01\x40\x00\x01\x00\x3f\xfc\x03\x03", "a"},
		"empty records": {"", "\x16\x03\x01\x00\x00"},
	} {
		for _, address := range []string{plain.web, plain.grpc, secure.web, secure.grpc} {
			conn := polytest.Must(net.Dial("tcp", address))(t)
			go drip(conn, text[0], text[1])
			all[what+" to "+address] = conn
		}
	}
	for what, conn := range all {
		conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s is still open after 30 s", what)
		}
		conn.Close()
	}
	left(t, goroutines, descriptors)
}

// A thousand connections of one address to each server, then as many watchers as come in: an operator of the same
// address gets in at once by each, and works.
func TestThousandConnectionsOfOneAddress(t *testing.T) {
	const watch, operate = "watch-watch-watch-1", "operate-operate-1"
	s := serve(t, Options{Access: accessOf(t, "watch "+watch+"\noperate "+operate+"\n")})
	s.running(t)
	_, before := open(t)
	operates := func() {
		t.Helper()
		ctx := metadata.AppendToOutgoingContext(bound(t), "authorization", "Bearer "+operate)
		client := s.dial(t, insecure.NewCredentials())
		stream := polytest.Must(client.Join(ctx, &wire.JoinRequest{}))(t)
		welcome := polytest.Must(stream.Recv())(t).GetWelcome()
		polytest.Must(client.Step(ctx, &wire.StepRequest{Session: welcome.GetSession(), Steps: 1}))(t)
		conn, _, err := websocket.Dial(ctx, "ws://"+s.web+Path, nil)
		polytest.NoError(t, err)
		defer conn.CloseNow()
		send(t, conn, &wire.Hello{Token: operate})
		if _, _, err := conn.Read(ctx); err != nil {
			t.Errorf("an operator: %v", err)
		}
	}
	for range 1000 {
		for _, address := range []string{s.web, s.grpc} {
			conn := polytest.Must(net.Dial("tcp", address))(t)
			defer conn.Close()
		}
	}
	operates()
	if _, after := open(t); after-before > 2000+2*maxConnections+50 { // the other ends are here, too
		t.Errorf("%d descriptors are open, want at most %d for the server", after-before-2000, 2*maxConnections)
	}
	refused := 0
	for range maxConnections {
		conn, _, err := websocket.Dial(bound(t), "ws://"+s.web+Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		send(t, conn, &wire.Hello{Token: watch})
		if _, _, err := conn.Read(bound(t)); err != nil {
			refused++
		}
	}
	if refused < 2*maxConnections/reservedShare {
		t.Errorf("%d of %d watchers were refused, want at least %d", refused, maxConnections, 2*maxConnections/reservedShare)
	}
	operates()
}

// Clients with a session that send garbage or too much are closed, and nothing of them is left.
func TestHostileClients(t *testing.T) {
	s := serve(t, Options{})
	ctx := bound(t)
	s.running(t)
	goroutines, descriptors := open(t)
	hello := polytest.Must(proto.Marshal(&wire.Hello{}))(t)
	for _, c := range []struct {
		path string
		data []byte
	}{
		{Path, []byte{255, 255, 255}},
		{Path, make([]byte, maxMessage+1)},
		{FoxglovePath, make([]byte, maxMessage+1)},
	} {
		conn, _, err := websocket.Dial(ctx, "ws://"+s.web+c.path,
			&websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}})
		polytest.NoError(t, err)
		if c.path == Path {
			polytest.NoError(t, conn.Write(ctx, websocket.MessageBinary, hello))
		}
		go conn.Write(ctx, websocket.MessageBinary, c.data)
		for err == nil {
			_, _, err = conn.Read(ctx)
		}
		conn.CloseNow()
	}
	func() {
		conn := polytest.Must(grpc.NewClient(s.grpc, grpc.WithTransportCredentials(insecure.NewCredentials())))(t)
		defer conn.Close()
		stream, err := rpc.NewLiveClient(conn).Submit(ctx)
		if err == nil {
			err = stream.Send(&wire.Intent{Session: make([]byte, maxMessage+1)})
		}
		if err == nil {
			_, err = stream.Recv()
		}
		polytest.ErrorContains(t, err, "larger than max")
	}()
	left(t, goroutines, descriptors)
	polytest.Equal(t, len(s.run.Sessions()), 0, "clients are said to be connected")
}

// Who is refused over and over does not fill the log.
func TestLogIsBounded(t *testing.T) {
	var lines []string
	now := time.Unix(0, 0)
	log := limitLines(func(line string) { lines = append(lines, line) }, func() time.Time { return now })
	for range 10 * maxLines {
		log("refused")
	}
	now = now.Add(time.Second)
	log("again")
	if len(lines) != maxLines+2 || lines[maxLines] != "900 lines like this were left out" || lines[maxLines+1] != "again" {
		t.Errorf("%d lines, the last are %q", len(lines), lines[maxLines:])
	}
	if limitLines(nil, nil) != nil {
		t.Error("there is a log where none was given")
	}
}
