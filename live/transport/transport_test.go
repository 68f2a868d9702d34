package transport

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/rpc"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// served is a paused run with its servers.
type served struct {
	run       *live.Server
	web, grpc string // addresses
	mu        sync.Mutex
	lines     []string
}

// planner gives a configuration the runner Planner.
const planner = "runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}, {name: " +
	"Planner, rate: 10}]"

func serve(t *testing.T, o Options, sets ...string) *served {
	t.Helper()
	return serveAt(t, o, 1.0/2048, sets...)
}

// serveAt serves poses of a resolution.
func serveAt(t *testing.T, o Options, resolution float64, sets ...string) *served {
	t.Helper()
	return serveTask(t, "quadruped", o, resolution, sets...)
}

// serveTask serves another task.
func serveTask(t *testing.T, task string, o Options, resolution float64, sets ...string) *served {
	t.Helper()
	name, data, err := configs.Preset(task)
	polytest.NoError(t, err)
	cfg := polytest.Must(configs.Parse(name, data, append([]string{"worlds=1", "time.mode=sim_realtime"}, sets...),
		nil))(t)
	e, err := env.Open(cfg, env.OpenOptions{Poses: true, Capture: true, Workers: 1})
	if err != nil && strings.Contains(err.Error(), "libembree3-3") {
		t.Skip(err)
	}
	polytest.NoError(t, err)
	s := &served{}
	o.Log = func(line string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lines = append(s.lines, line)
	}
	var cameras []string
	for _, c := range cfg.Sensors {
		if c.Camera != nil {
			cameras = append(cameras, c.Name)
		}
	}
	s.run = polytest.Must(live.New(live.Config{Env: e, Time: cfg.Time.Settings, Resolution: resolution,
		Channels: cameras, State: live.State{Paused: true}}))(t)
	listen := func() net.Listener {
		l := polytest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		return l
	}
	webAt, grpcAt := listen(), listen()
	s.web, s.grpc = webAt.Addr().String(), grpcAt.Addr().String()
	web, program := NewWeb(s.run, o), NewGRPC(s.run, o)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { web.Serve(webAt) })
	done.Go(func() { program.Serve(grpcAt) })
	done.Go(func() {
		if err := s.run.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		web.Close()
		program.Close()
		done.Wait()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// logged reports whether a line of the log has a text, which it waits for.
func (s *served) logged(t *testing.T, text string) {
	t.Helper()
	for range 1000 {
		s.mu.Lock()
		found := slices.ContainsFunc(s.lines, func(line string) bool { return strings.Contains(line, text) })
		s.mu.Unlock()
		if found {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the log is %q, want a line with %q", s.lines, text)
}

func (s *served) dial(t *testing.T, creds credentials.TransportCredentials) rpc.LiveClient {
	t.Helper()
	conn := polytest.Must(grpc.NewClient(s.grpc, grpc.WithTransportCredentials(creds)))(t)
	t.Cleanup(func() { conn.Close() })
	return rpc.NewLiveClient(conn)
}

func bound(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// follow decodes updates from a stream until one is a frame of step n.
func follow(t *testing.T, d *wire.Decoder, n int64, next func() ([]byte, error)) {
	t.Helper()
	for d.Frame() == nil || d.Frame().N < n {
		data := polytest.Must(next())(t)
		polytest.NoError(t, d.Update(data))
	}
}

// Programs and pages see the same frames, steps included, and their intents count.
func TestGRPCAndWebSocketShowTheSame(t *testing.T) {
	s := serve(t, Options{})
	ctx := bound(t)
	client := s.dial(t, insecure.NewCredentials())
	d, err := client.Describe(ctx, &wire.DescribeRequest{})
	if err != nil || d.Task != "quadruped" || len(d.Bodies) != 13 {
		t.Fatalf("description %v, %v", d, err)
	}
	updates := polytest.Must(client.Join(ctx, &wire.JoinRequest{Name: "program"}))(t)
	next := func() ([]byte, error) {
		u, err := updates.Recv()
		if err != nil {
			return nil, err
		}
		return proto.Marshal(u)
	}
	program, page := &wire.Decoder{}, &wire.Decoder{}
	follow(t, program, 0, next)

	conn, _, err := websocket.Dial(ctx, "ws://"+s.web+Path, nil)
	polytest.NoError(t, err)
	defer conn.CloseNow()
	send := func(m proto.Message) {
		data := polytest.Must(proto.Marshal(m))(t)
		polytest.NoError(t, conn.Write(ctx, websocket.MessageBinary, data))
	}
	var acks []*wire.Ack
	send(&wire.Hello{Join: &wire.JoinRequest{Name: "page"}})
	read := func() ([]byte, error) {
		_, data, err := conn.Read(ctx)
		return data, err
	}
	follow(t, page, 0, read)
	send(&wire.Intent{Id: 5, Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{0, 100, 0}}}})
	send(&wire.Intent{Id: 6, Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{0}}}})
	for len(acks) < 2 {
		data, err := read()
		if err == nil {
			err = page.Update(data)
		}
		polytest.NoError(t, err)
		if a := page.Newest.GetAck(); a != nil {
			acks = append(acks, a)
		}
	}
	if acks[0].Id != 5 || acks[0].Number == 0 || acks[1].Id != 6 || acks[1].Number != 0 ||
		!strings.Contains(acks[1].Error, "force has 1 values") {
		t.Errorf("acks are %v", acks)
	}

	submit := polytest.Must(client.Submit(ctx))(t)
	polytest.NoError(t, submit.Send(&wire.Intent{Id: 1, Session: program.Welcome.Session,
		Kind: &wire.Intent_Speed{Speed: &wire.Speed{Factor: 2}}}))
	if ack, err := submit.Recv(); err != nil || ack.Id != 1 || ack.Number == 0 {
		t.Errorf("ack %v, %v", ack, err)
	}
	reply, err := client.Step(ctx, &wire.StepRequest{Session: program.Welcome.Session, Steps: 30})
	if err != nil || reply.N != 30 {
		t.Fatalf("reply %v, %v; want step 30", reply, err)
	}
	follow(t, program, 30, next)
	follow(t, page, 30, read)
	a, _ := program.Values(nil, 0, 0)
	b, _ := page.Values(nil, 0, 0)
	if len(a) != 7*13 || !slices.Equal(a, b) {
		t.Errorf("the program sees poses %v, the page %v", a, b)
	}
	if _, err := client.Step(ctx, &wire.StepRequest{Session: []byte("x"), Steps: 1}); err == nil {
		t.Error("a step in an unknown session was taken")
	}
}

// Who is not let in, is logged.
func TestRefusals(t *testing.T) {
	access := accessOf(t, "# people\nwatch   watch-watch-watch\n\noperate operate-operate-operate\n")
	s := serve(t, Options{Access: access, Hosts: []string{"robot.example"}, hello: 300 * time.Millisecond})
	ctx := bound(t)
	client := s.dial(t, insecure.NewCredentials())
	bearer := func(token string) context.Context {
		return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	for _, token := range []string{"", "watch", "watch-watch-watch "} {
		if _, err := client.Describe(bearer(token), &wire.DescribeRequest{}); err == nil {
			t.Errorf("token %q was accepted", token)
		}
		stream, err := client.Join(bearer(token), &wire.JoinRequest{})
		if err == nil {
			_, err = stream.Recv()
		}
		if err == nil {
			t.Errorf("token %q was accepted by Join", token)
		}
	}
	s.logged(t, errToken.Error())
	if _, err := client.Describe(bearer("watch-watch-watch"), &wire.DescribeRequest{}); err != nil {
		t.Error(err)
	}
	stream := polytest.Must(client.Join(bearer("watch-watch-watch"), &wire.JoinRequest{}))(t)
	welcome, err := stream.Recv()
	if err != nil || welcome.GetWelcome().GetRole() != "watch" {
		t.Fatalf("welcome %v, %v", welcome, err)
	}
	if _, err := client.Step(bearer("operate-operate-operate"), &wire.StepRequest{Session: welcome.GetWelcome().Session,
		Steps: 1}); err == nil || !strings.Contains(err.Error(), "needs the role operate") {
		t.Errorf("error %v of a step by who may watch", err)
	}

	get := func(host, origin string) int {
		r := polytest.Must(http.NewRequestWithContext(ctx, "GET", "http://"+s.web+Path, nil))(t)
		r.Host = host
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		answer := polytest.Must(http.DefaultClient.Do(r))(t)
		answer.Body.Close()
		return answer.StatusCode
	}
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"evil.example", "", http.StatusMisdirectedRequest},
		{"evil.example", "http://evil.example", http.StatusMisdirectedRequest},
		{s.web, "http://evil.example", http.StatusForbidden},
		{s.web, "null", http.StatusForbidden},
		{s.web, "http://" + s.web, http.StatusUpgradeRequired},
		{"robot.example", "https://robot.example", http.StatusUpgradeRequired},
		{s.web, "", http.StatusUpgradeRequired},
	} {
		polytest.Equal(t, get(c.host, c.origin), c.want, "host %q, origin %q: status", c.host, c.origin)
	}
	s.logged(t, "origin http://evil.example")

	open := func() *websocket.Conn {
		conn, _, err := websocket.Dial(ctx, "ws://"+s.web+Path, nil)
		polytest.NoError(t, err)
		t.Cleanup(func() { conn.CloseNow() })
		return conn
	}
	hello := func(token string) []byte {
		data := polytest.Must(proto.Marshal(&wire.Hello{Token: token}))(t)
		return data
	}
	for _, c := range []struct {
		what     string
		messages [][]byte
		reads    int // updates before the end
	}{
		{"garbage", [][]byte{{255, 255, 255}}, 0},
		{"a wrong token", [][]byte{hello("nothing-of-the-kind")}, 0},
		{"too long a message", [][]byte{make([]byte, maxMessage+1)}, 0},
		{"nothing", nil, 0},
		{"garbage after the hello", [][]byte{hello("watch-watch-watch"), {255, 255}}, 2},
	} {
		conn := open()
		for _, m := range c.messages {
			conn.Write(ctx, websocket.MessageBinary, m)
		}
		var err error
		reads := -1
		for ; err == nil; reads++ {
			_, _, err = conn.Read(ctx)
		}
		if reads > c.reads || ctx.Err() != nil {
			t.Errorf("%s: %d updates before %v, want at most %d", c.what, reads, err, c.reads)
		}
	}
	// A connection that sends its request byte by byte is closed.
	slow := polytest.Must(net.Dial("tcp", s.web))(t)
	defer slow.Close()
	slow.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprint(slow, "GET /live/v1 HTTP/1.1\r\nHost: ")
	if _, err := slow.Read(make([]byte, 1000)); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Error("a request that never ends was waited for")
	}
	for range 2 { // what was refused left nothing behind
		if names := s.run.Sessions(); len(names) > 2 {
			t.Errorf("sessions are %v", names)
		}
	}
}

// With a self-made certificate a client that knows its fingerprint gets in, and one without TLS does not.
func TestSelfMadeCertificate(t *testing.T) {
	cert, fingerprint, err := SelfMade("127.0.0.1")
	polytest.NoError(t, err)
	polytest.Equal(t, fingerprint, fmt.Sprintf("%x", sha256.Sum256(cert.Certificate[0])), "fingerprint")
	s := serve(t, Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}})
	ctx := bound(t)
	trusting := &tls.Config{InsecureSkipVerify: true, VerifyPeerCertificate: func(raw [][]byte,
		_ [][]*x509.Certificate) error {
		if Fingerprint(raw[0]) != fingerprint {
			return fmt.Errorf("another certificate")
		}
		return nil
	}}
	if _, err := s.dial(t, credentials.NewTLS(trusting)).Describe(ctx, &wire.DescribeRequest{}); err != nil {
		t.Error(err)
	}
	if _, err := s.dial(t, insecure.NewCredentials()).Describe(ctx, &wire.DescribeRequest{}); err == nil {
		t.Error("a client without TLS was let in")
	}
	pool := x509.NewCertPool()
	leaf := polytest.Must(x509.ParseCertificate(cert.Certificate[0]))(t)
	pool.AddCert(leaf)
	conn, _, err := websocket.Dial(ctx, "wss://"+s.web+Path, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}},
	})
	polytest.NoError(t, err)
	conn.CloseNow()

	// Whatever the clock of the client says, or said to the server.
	for _, year := range []int{1970, 2026, 2106} {
		_, err := leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: "localhost",
			CurrentTime: time.Date(year, time.January, 2, 0, 0, 0, 0, time.UTC)})
		polytest.NoError(t, err)
	}
}

func TestReadAccessErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "has no token",
		"watch short":                 ":1: the token has 5 characters, want at least 16",
		"\nroot 12345678901234567890": ":2: the line begins with no role, want watch, steer or operate",
		"1234567890123456 watch":      ":1: the line begins with no role",
		"watch 12345678901234567890\n#\noperate  12345678901234567890": ":3: the token has the role operate here and watch in a line before",
	} {
		path := filepath.Join(t.TempDir(), "tokens")
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := ReadAccess(path); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "1234567890") {
			t.Errorf("error %v of %q, want %q", err, text, want)
		}
	}
}

// A line that is there twice says nothing else.
func TestReadAccessTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	polytest.NoError(t, os.WriteFile(path, []byte(strings.Repeat("steer 12345678901234567890\n", 2)), 0o600))
	access := polytest.Must(ReadAccess(path))(t)
	polytest.Equal(t, polytest.Must(access.role("12345678901234567890"))(t), live.Steer, "role")
}

func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "localhost:1": true,
		":1": false, "0.0.0.0:1": false, "10.0.0.1:1": false, "[::]:1": false, "robot.example:1": false, "127.0.0.1": false,
	} {
		polytest.Equal(t, Loopback(address), want, "Loopback(%q)", address)
	}
}
