package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/rpc"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// shared is a buffer that may be read while it is written. The buffer has a name, since the
// methods of an embedded one, ReadFrom among them, would go past the lock.
type shared struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buffer.Write(p)
}

func (s *shared) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buffer.String()
}

// served is a train serve in this process.
type served struct {
	address string // of the page or of gRPC
	out     string
	stderr  shared
	stop    func() (code int)
}

// serveHere serves a page.
func serveHere(t *testing.T, args ...string) *served {
	t.Helper()
	return serveAs(t, `steer it at http://(\S+)/`, append([]string{"--listen", "127.0.0.1:0", "--grpc", ""}, args...))
}

func serveAs(t *testing.T, line string, args []string) *served {
	t.Helper()
	s := &served{out: filepath.Join(t.TempDir(), "run")}
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int, 1)
	go func() {
		var stdout shared
		run := []string{"serve", "--out", s.out}
		if !slices.Contains(args, "--config") {
			run = append(run, "--task", "quadruped")
		}
		code <- Run(ctx, append(run, args...), &stdout, &s.stderr)
	}()
	s.stop = sync.OnceValue(func() int {
		cancel()
		return <-code
	})
	t.Cleanup(func() { s.stop() })
	for s.address == "" {
		if m := regexp.MustCompile(line).FindStringSubmatch(s.stderr.text()); m != nil {
			s.address = m[1]
		}
		select {
		case c := <-code:
			code <- c
			t.Fatalf("exit code %d: %s", c, s.stderr.text())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return s
}

// joinHere serves by gRPC and joins.
func joinHere(t *testing.T, name string, args ...string) (*served, rpc.LiveClient, *wire.Welcome) {
	t.Helper()
	args = append([]string{"--listen", "", "--grpc", "127.0.0.1:0", "--paused"}, args...)
	s := serveAs(t, `serving at grpc://(\S+)`, args)
	conn := polytest.Must(grpc.NewClient(s.address, grpc.WithTransportCredentials(insecure.NewCredentials())))(t)
	t.Cleanup(func() { conn.Close() })
	client := rpc.NewLiveClient(conn)
	updates := polytest.Must(client.Join(t.Context(), &wire.JoinRequest{Name: name}))(t)
	u := polytest.Must(updates.Recv())(t)
	return s, client, u.GetWelcome()
}

// interrupt stops the run as Ctrl-C does.
func (s *served) interrupt(t *testing.T) {
	t.Helper()
	if c := s.stop(); c != Interrupted {
		t.Errorf("exit code %d: %s; want %d", c, s.stderr.text(), Interrupted)
	}
}

// A program pushes and steps the worlds of train serve; after Ctrl-C the run replays.
func TestServe(t *testing.T) {
	s, client, welcome := joinHere(t, "test", "--policy", "random", "--worlds", "2", "--channels", "gyro")
	if n := len(welcome.GetDescription().GetTracks()); n != 2 {
		t.Errorf("frames have %d tracks, want poses and gyro", n)
	}
	reply, err := client.Step(t.Context(), &wire.StepRequest{Session: welcome.GetSession(), Steps: 25,
		Intents: []*wire.Intent{
			{Id: 1, Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{0, 200, 0}, Steps: 5}}},
			{Id: 2, Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: `[{"set_rate": {"name": "Capture", "rate": "25"}}]`}}},
		}})
	if err != nil || reply.N != 25 || reply.Acks[0].Error != "" || reply.Acks[1].Error != "" {
		t.Fatalf("reply %v, %v", reply, err)
	}
	s.interrupt(t)
	// It goes on, and is stopped before the first step.
	again, stop := context.WithCancel(context.Background())
	stop()
	var stdout, stderr bytes.Buffer
	if c := Run(again, []string{"serve", "--resume", s.out, "--listen", "", "--grpc", "127.0.0.1:0"}, &stdout,
		&stderr); c != Interrupted {
		t.Errorf("exit code %d when resumed: %s; want %d", c, stderr.String(), Interrupted)
	}
	if text := mustTrain(t, "replay", s.out); !strings.Contains(text, "identical, 25 steps of 2 world") {
		t.Errorf("replay: %s", text)
	}
}

func TestServeUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--listen 0.0.0.0:0", "--listen is 0.0.0.0:0, which others can reach, want --tokens"},
		{"--grpc 8081", `--grpc is "8081", want HOST:PORT`},
		{"--listen 127.0.0.1:99999", `--listen is "127.0.0.1:99999", want a port of 0 to 65535`},
		{"--cert a.pem", `--cert is "a.pem" and --key is "", want both or none`},
		{"--tokens /nowhere/tokens", "--tokens: /nowhere/tokens"},
		{"--mode game_realtime", "unknown flag: --mode"},
		{"--set time.mode=game_realtime", "time.mode is game_realtime, want sim_realtime"},
		{"--resolution 2 --listen 127.0.0.1:0 --grpc=", "the resolution of poses is 2, want 0 to 1"},
		{"--channels gyros", `channel "gyros"`},
		{"--resume nowhere", "--task is given with --resume, want it without"},
	} {
		refuses(t, Usage, "serve --task quadruped "+c.args, c.want)
	}
	refuses(t, Usage, "serve --resume nowhere --host robot --origin https://viewer.example", "nowhere: no such file or directory")
}

// Whoever serves learns of tokens and keys that others can read or write, and of a certificate that clients refuse.
func TestServeWarnings(t *testing.T) {
	dir := t.TempDir()
	now, day := time.Now(), 24*time.Hour
	key := polytest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	der := polytest.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	write := func(name, kind string, data []byte, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		polytest.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600))
		polytest.NoError(t, os.Chmod(path, mode))
		return path
	}
	certificate := func(name string, from, to time.Duration) string {
		template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(from), NotAfter: now.Add(to)}
		made := polytest.Must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
		return write(name, "CERTIFICATE", made, 0o644)
	}
	tokens := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		polytest.NoError(t, os.WriteFile(path, []byte("steer 1234567890123456"), 0o600))
		polytest.NoError(t, os.Chmod(path, mode))
		return path
	}
	good := certificate("good", -day, day)
	own, open := write("own", "PRIVATE KEY", der, 0o600), write("open", "PRIVATE KEY", der, 0o640)
	for _, c := range []struct {
		o    serveFlags
		want string // "": no warning
	}{
		{serveFlags{cert: good, key: own, tokens: tokens("mine", 0o600)}, ""},
		{serveFlags{cert: certificate("old", -2*day, -day), key: own}, "old has expired at "},
		{serveFlags{cert: certificate("early", day, 2*day), key: own}, "early is valid from "},
		{serveFlags{cert: good, key: open}, "--key: other users can read or write " + open + ", whose mode is 0640, want 0600"},
		{serveFlags{tokens: tokens("read", 0o604)}, "--tokens: other users can read or write"},
		{serveFlags{tokens: tokens("written", 0o602)}, "whose mode is 0602"},
	} {
		var warnings []string
		polytest.NoError(t, c.o.secure(func(text string) { warnings = append(warnings, text) }))
		text := strings.Join(warnings, "\n")
		if len(warnings) > 1 || (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("the warnings are %q, want %q", text, c.want)
		}
	}
}

// Addresses that others can reach have one self-made certificate, and those of the loopback none.
func TestOneSelfMadeCertificate(t *testing.T) {
	var printed []string
	o := serveFlags{web: "0.0.0.0:0", grpc: "192.0.2.1:0", print: func(text string) { printed = append(printed, text) }}
	var made []*x509.Certificate
	for _, address := range []string{o.web, o.grpc} {
		set, err := o.options(address)
		if err != nil {
			t.Fatal(err)
		}
		one, err := x509.ParseCertificate(set.TLS.Certificates[0].Certificate[0])
		if err != nil || one.VerifyHostname("192.0.2.1") != nil || one.VerifyHostname("localhost") != nil {
			t.Errorf("the certificate of %s is for %v, %v", address, one.IPAddresses, err)
		}
		made = append(made, one)
	}
	if len(printed) != 1 || !made[0].Equal(made[1]) {
		t.Errorf("the program says %q, want one certificate", printed)
	}
	if set, err := o.options("127.0.0.1:0"); err != nil || set.TLS != nil {
		t.Errorf("the loopback has %v, %v", set.TLS, err)
	}
}
