package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

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

// A program pushes and steps the worlds of train serve; after Ctrl-C the run replays.
func TestServe(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr shared
	code := make(chan int, 1)
	go func() {
		code <- Run(ctx, []string{"serve", "--task", "quadruped", "--policy", "random", "--worlds", "2", "--listen", "", "--grpc", "127.0.0.1:0", "--channels", "gyro", "--paused", "--out", out}, &stdout, &stderr)
		close(code)
	}()
	defer func() { // it writes to the folder of the test
		cancel()
		for range code {
		}
	}()
	client, welcome := joinServed(t, ctx, "test", code, &stderr)
	if n := len(welcome.GetDescription().GetTracks()); n != 2 {
		t.Errorf("frames have %d tracks, want poses and gyro", n)
	}
	reply, err := client.Step(ctx, &wire.StepRequest{Session: welcome.GetSession(), Steps: 25, Intents: []*wire.Intent{
		{Id: 1, Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{0, 200, 0}, Steps: 5}}},
		{Id: 2, Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: `[{"set_rate": {"name": "Capture", "rate": "25"}}]`}}},
	}})
	if err != nil || reply.N != 25 || reply.Acks[0].Error != "" || reply.Acks[1].Error != "" {
		t.Fatalf("reply %v, %v", reply, err)
	}
	cancel()
	if c := <-code; c != Interrupted {
		t.Errorf("exit code %d: %s; want %d", c, stderr.text(), Interrupted)
	}
	// It goes on, and is stopped before the first step.
	again, stop := context.WithCancel(context.Background())
	stop()
	if c := Run(again, []string{"serve", "--resume", out, "--listen", "", "--grpc", "127.0.0.1:0"}, &stdout, &stderr); c != Interrupted {
		t.Errorf("exit code %d when resumed: %s; want %d", c, stderr.text(), Interrupted)
	}
	var replayed, problems bytes.Buffer
	if c := Run(context.Background(), []string{"replay", out}, &replayed, &problems); c != Done || !strings.Contains(replayed.String(), "identical, 25 steps of 2 world") {
		t.Errorf("replay: exit code %d, %s%s", c, replayed.String(), problems.String())
	}
}

func TestServeUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"--listen 0.0.0.0:0", "--listen is 0.0.0.0:0, which others can reach, want --tokens"},
		{"--grpc 8081", `--grpc is "8081", want HOST:PORT`},
		{"--listen 127.0.0.1:99999", `--listen is "127.0.0.1:99999", want a port of 0 to 65535`},
		{"--cert a.pem", `--cert is "a.pem" and --key is "", want both or none`},
		{"--tokens /nowhere/tokens", "--tokens: open /nowhere/tokens"},
		{"--mode game_realtime", "unknown flag: --mode"},
		{"--set time.mode=game_realtime", "time.mode is game_realtime, want sim_realtime"},
		{"--resolution 2 --listen 127.0.0.1:0 --grpc=", "the resolution of poses is 2, want 0 to 1"},
		{"--channels gyros", `channel "gyros"`},
		{"--resume nowhere", "--task is given with --resume, want it without"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"serve", "--task", "quadruped"}, strings.Fields(c.args)...)
		if code := Run(context.Background(), args, &stdout, &stderr); code != Usage || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit code %d, %s; want %d and %q", c.args, code, stderr.String(), Usage, c.want)
		}
	}
}

// joinServed joins the run of a train serve over gRPC, at the address that it prints. The
// exit code comes where it cannot begin.
func joinServed(t *testing.T, ctx context.Context, name string, code <-chan int, stderr *shared) (rpc.LiveClient, *wire.Welcome) {
	t.Helper()
	var address string
	for address == "" {
		if m := regexp.MustCompile(`serving at grpc://(\S+)`).FindStringSubmatch(stderr.text()); m != nil {
			address = m[1]
		}
		select {
		case c := <-code:
			t.Fatalf("exit code %d: %s", c, stderr.text())
		case <-time.After(10 * time.Millisecond):
		}
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	client := rpc.NewLiveClient(conn)
	updates, err := client.Join(ctx, &wire.JoinRequest{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	u, err := updates.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return client, u.GetWelcome()
}
