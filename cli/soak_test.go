package cli

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/rpc"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// How long TestSoakLong takes, and with how many clients.
func soakFor(t *testing.T) (time.Duration, int) {
	if text := os.Getenv("POLYTEST_SOAK"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("POLYTEST_SOAK is %q, want a time such as 10m", text)
		}
		return d, 20
	}
	polytest.OnlySlow(t)
	return time.Minute, 20
}

// Clients watch and steer train serve, a process of its own, by gRPC and WebSocket, with random intents, valid and
// not; some decide, late or with replies that are broken; some never read; and all are broken off, stopped for a
// while and begun again at random, with their sessions or without. The rates change three times.
//
// The run replays bit by bit. Each state that any client has had, in any frame, is that of
// the replay. Each intent that got a number is in the log once, in order. When the clients
// are gone, the server has the goroutines and descriptors that it had before.
//
// POLYTEST_SLOW=1 takes a minute; POLYTEST_SOAK=10m takes so long.
func TestSoakLong(t *testing.T) {
	length, clients := soakFor(t)
	s := &soak{t: t, draw: rand.New(rand.NewPCG(uint64(length), 7)), out: filepath.Join(t.TempDir(), "run")}
	s.serve("--out", s.out, "--task", "quadruped", "--policy", "random", "--worlds", "2", "--channels", "gyro", "--set",
		"max_steps=300", "--decision-timeout", "300ms",
		"--set", "runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}, {name: "+
			"Planner, rate: 5}]")
	goroutines, descriptors := s.counts()
	for i := range clients {
		kind := []string{"grpc", "ws", "grpc", "ws", "mind"}[i%5]
		if i == clients-1 {
			kind = "stuck"
		}
		s.clients = append(s.clients, s.begin(kind, nil))
	}
	s.disturb(length)
	for _, c := range s.clients {
		c.kill()
	}
	killed := time.Now()
	for ; ; time.Sleep(100 * time.Millisecond) {
		g, d := s.counts()
		if g <= goroutines && d <= descriptors {
			break
		}
		if time.Since(killed) > time.Minute {
			t.Fatalf("a minute after the last client was killed there are %v goroutines and %v descriptors, want %v and %v\n%s",
				g, d, goroutines, descriptors, s.errs.text())
		}
	}
	t.Logf("%v after the last client was killed nothing of them is left", time.Since(killed).Round(time.Millisecond))
	s.server.Process.Signal(os.Interrupt)
	s.server.Wait()
	if code := s.server.ProcessState.ExitCode(); code != Interrupted {
		t.Fatalf("exit code %d of the server, want %d: %s", code, Interrupted, s.errs.text())
	}
	s.check()
}

// A server that is killed goes on at the last step that any client has seen, with the same
// state, and its clients go on by themselves, with their sessions.
func TestKilledServeGoesOnWithItsClientsLong(t *testing.T) {
	polytest.OnlySlow(t)
	s := &soak{t: t, out: filepath.Join(t.TempDir(), "run")}
	s.serve("--out", s.out, "--task", "quadruped", "--policy", "random", "--worlds", "2", "--channels", "gyro", "--set",
		"max_steps=100")
	conn, err := grpc.NewClient(s.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	f := &rpc.Follower{Client: rpc.NewLiveClient(conn), Request: &wire.JoinRequest{Name: "me"}, Patience: time.Minute}
	h := &stateHash{resolution: defaultResolution}
	watcher := &soakClient{kind: "grpc", end: func() {}, done: make(chan struct{})}
	close(watcher.done)
	s.all = append(s.all, watcher)
	const kills, each = 3, 30
	killed, left := 0, each
	err = f.Follow(t.Context(), func(frame *wire.Frame) error {
		if n := len(watcher.frames); n > 0 {
			if last := watcher.frames[n-1]; frame.GetNumber() <= last.number || frame.GetN() < last.n {
				t.Errorf("frame %d of step %d came after frame %d of step %d", frame.GetNumber(), frame.GetN(), last.number, last.n)
			}
		}
		watcher.frames = append(watcher.frames, soakFrame{frame.GetN(), frame.GetNumber(), h.ofFrame(&f.Decoder)})
		if left--; left > 0 {
			return nil
		}
		if killed == kills {
			return io.EOF
		}
		killed, left = killed+1, each
		s.server.Process.Kill()
		s.server.Wait()
		startTime := time.Now()
		s.serve("--resume", s.out)
		t.Logf("it goes on %v after it was begun", time.Since(startTime).Round(time.Millisecond))
		return nil
	})
	if err != io.EOF || f.Decoder.Welcome.GetClient() != "me-1" {
		t.Fatalf("%s ended with %v; the server says %s", f.Decoder.Welcome.GetClient(), err, s.errs.text())
	}
	s.server.Process.Signal(os.Interrupt)
	s.server.Wait()
	s.check()
}

// A full disk ends a live run with one line. What is in its log is good: when there is room, the run goes on.
func TestServeOnAFullDiskLong(t *testing.T) {
	polytest.OnlySlow(t)
	s := &soak{t: t, out: filepath.Join(t.TempDir(), "run")}
	cmd, errs := startUnder(t, "ulimit -f 512", "serve", "--listen", "127.0.0.1:0", "--grpc", "", "--out", s.out,
		"--task", "quadruped", "--policy", "random", "--worlds", "4")
	wantFailure(t, cmd, errs, "train: runlog: write ", filepath.Join(s.out, "run.log.1"), "file too large")
	s.serve("--resume", s.out)
	s.server.Process.Signal(os.Interrupt)
	s.server.Wait()
	if code := s.server.ProcessState.ExitCode(); code != Interrupted {
		t.Errorf("exit code %d, want %d: %s", code, Interrupted, s.errs.text())
	}
	if code, output, problems := train(t, "replay", s.out); code != Done || !strings.Contains(output, "identical") {
		t.Errorf("replay: exit code %d, %s%s", code, output, problems)
	}
}

// soak is a train serve and its clients, in processes of their own.
type soak struct {
	t         *testing.T
	draw      *rand.Rand
	out       string
	server    *exec.Cmd
	errs      *shared
	web, grpc string
	clients   []*soakClient
	all       []*soakClient // also those that were killed

	begun                    time.Time
	killed, stopped, resumed int
}

// serve starts the server, at the addresses that it had, and waits for them.
func (s *soak) serve(args ...string) {
	args = append([]string{"serve", "--listen", cmp.Or(s.web, "127.0.0.1:0"), "--grpc", cmp.Or(s.grpc, "127.0.0.1:0")},
		args...)
	s.server, s.web, s.grpc = process(s.t, args...), "", ""
	s.errs = &shared{}
	s.server.Stderr = s.errs
	s.begun = time.Now()
	polytest.NoError(s.t, s.server.Start())
	s.t.Cleanup(func() {
		for _, c := range s.all {
			c.kill()
		}
		s.server.Process.Kill()
		s.server.Wait()
	})
	web, program := regexp.MustCompile(`serving at ws://([^/]+)`), regexp.MustCompile(`serving at grpc://(\S+)\n`)
	for wait := time.Now(); s.grpc == ""; time.Sleep(10 * time.Millisecond) {
		text := s.errs.text()
		if a, b := web.FindStringSubmatch(text), program.FindStringSubmatch(text); a != nil && b != nil {
			s.web, s.grpc = a[1], b[1]
		}
		if time.Since(wait) > time.Minute {
			s.t.Fatalf("the server says after a minute: %s", text)
		}
	}
}

// counts returns the goroutines and the descriptors of the server.
func (s *soak) counts() (goroutines, descriptors float64) {
	s.t.Helper()
	r := polytest.Must(http.NewRequest("GET", "http://"+s.web+"/metrics", nil))(s.t)
	r.Close = true
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		after := time.Since(s.begun)
		s.server.Process.Signal(syscall.SIGQUIT) // if it is alive, it says what it does
		s.server.Wait()
		s.t.Fatalf("%v after %v; the server ended with %v and says %s", err, after, s.server.ProcessState, s.errs.text())
	}
	defer answer.Body.Close()
	text := polytest.Must(io.ReadAll(answer.Body))(s.t)
	value := func(name string) float64 {
		m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
		if m == nil {
			s.t.Fatalf("/metrics has no %s", name)
		}
		v := polytest.Must(strconv.ParseFloat(string(m[1]), 64))(s.t)
		return v
	}
	return value("go_goroutines"), value("process_open_fds")
}

// soakClient is a client, and what it has had.
type soakClient struct {
	kind    string
	draw    *rand.Rand
	join    *wire.JoinRequest
	hash    stateHash
	end     func()
	done    chan struct{} // closed when it has ended
	stopped sync.Mutex    // held while it takes nothing

	mu      sync.Mutex
	session []byte
	frames  []soakFrame
	acks    []int64
	failed  error
}

type soakFrame struct {
	n, number int64
	hash      uint64
}

// begin starts a client.
func (s *soak) begin(kind string, session []byte) *soakClient {
	ctx, cancel := context.WithCancel(context.Background())
	c := &soakClient{
		kind: kind, draw: rand.New(rand.NewPCG(s.draw.Uint64(), 3)), end: cancel, done: make(chan struct{}),
		join: &wire.JoinRequest{Name: kind, Session: session}, session: session,
		hash: stateHash{resolution: defaultResolution},
	}
	conn := polytest.Must(grpc.NewClient(s.grpc, grpc.WithTransportCredentials(insecure.NewCredentials())))(s.t)
	go func() {
		defer close(c.done)
		defer conn.Close()
		var err error
		switch client := rpc.NewLiveClient(conn); kind {
		case "ws":
			err = c.page(ctx, s.web)
		case "stuck":
			err = c.stuck(ctx, s.web, client)
		default:
			err = c.program(ctx, client)
		}
		if ctx.Err() == nil {
			c.failed = err
		}
	}()
	s.all = append(s.all, c)
	return c
}

// kill breaks off all that a client does.
func (c *soakClient) kill() {
	c.end()
	<-c.done
}

// disturb kills, stops and begins clients for a time, and changes the rates three times.
func (s *soak) disturb(length time.Duration) {
	operator := s.operator()
	startTime, changed := time.Now(), 0
	for time.Since(startTime) < length {
		operator(`pause {}`)
		if share := float64(time.Since(startTime)) / float64(length); changed < 3 && share > float64(changed+1)/4 {
			operator([]string{
				`[{"set_rate": {"name": "Capture", "rate": "25"}}]`,
				`[{"set_rate": {"name": "Robot", "rate": "100"}}]`,
				`[{"set_rate": {"name": "Planner", "rate": "10"}}]`,
			}[changed])
			changed++
		}
		i := s.draw.IntN(len(s.clients))
		c := s.clients[i]
		switch s.draw.IntN(4) {
		case 0, 1: // another one, or the same again
			c.kill()
			s.killed++
			var session []byte
			if c.kind != "mind" && c.kind != "stuck" && s.draw.IntN(3) > 0 {
				session = c.session
				s.resumed++
			}
			s.clients[i] = s.begin(c.kind, session)
		case 2:
			s.stopped++
			c.stopped.Lock()
			time.Sleep(time.Duration(s.draw.Int64N(int64(min(length/10, 8*time.Second))))) // some are too slow then
			c.stopped.Unlock()
		}
		time.Sleep(time.Duration(200+s.draw.IntN(600)) * time.Millisecond)
	}
	operator("")
}

// operator returns a function that submits an edit, or ends the pause, as a client of its
// own, which tries again where its connection is lost; "" ends the client.
func (s *soak) operator() func(what string) {
	conn := polytest.Must(grpc.NewClient(s.grpc, grpc.WithTransportCredentials(insecure.NewCredentials())))(s.t)
	ctx, cancel := context.WithCancel(s.t.Context())
	client, joined := rpc.NewLiveClient(conn), make(chan []byte, 1)
	f := &rpc.Follower{Client: client, Request: &wire.JoinRequest{Name: "operator"}, Patience: time.Minute}
	var once sync.Once
	f.Joined = func(w *wire.Welcome) { once.Do(func() { joined <- w.GetSession() }) }
	ended := make(chan error, 1)
	go func() { ended <- f.Follow(ctx, func(*wire.Frame) error { return nil }) }()
	var session []byte
	select {
	case session = <-joined:
	case err := <-ended:
		s.t.Fatal(err)
	}
	submit := func(intent *wire.Intent) (*wire.Ack, error) {
		stream, err := client.Submit(ctx)
		if err == nil {
			err = stream.Send(intent)
		}
		if err != nil {
			return nil, err
		}
		defer stream.CloseSend()
		return stream.Recv()
	}
	return func(what string) {
		intent := &wire.Intent{Session: session, Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: what}}}
		switch what {
		case "":
			cancel()
			conn.Close()
			return
		case "pause {}":
			intent.Kind = &wire.Intent_Pause{Pause: &wire.Pause{}}
		}
		for startTime := time.Now(); ; time.Sleep(100 * time.Millisecond) {
			ack, err := submit(intent)
			if err == nil && ack.GetError() == "" {
				return
			}
			if err == nil || time.Since(startTime) > time.Minute {
				s.t.Fatalf("%s: %v, %v; the server says %s", what, ack, err, s.errs.text())
			}
		}
	}
}

// check compares what the clients had with what a replay of the log has.
func (s *soak) check() {
	t := s.t
	if code, output, errs := train(t, "replay", s.out); code != Done || !strings.Contains(output, "identical") {
		t.Fatalf("replay: exit code %d, %s%s", code, output, errs)
	}
	states := map[int64][]uint64{} // by step
	path := filepath.Join(s.out, "run.log")
	h := &stateHash{resolution: defaultResolution}
	visit := func(e *env.Env) { h.ofEnv(e, states) }
	polytest.NoError(t, polytest.Err(env.ReplayEach(path, env.ReplayOptions{Visit: visit})))
	frames, acked := 0, []int64{}
	for _, c := range s.all {
		if c.failed != nil {
			t.Errorf("a %s client: %v", c.kind, c.failed)
		}
		for _, f := range c.frames {
			if !slices.Contains(states[f.n], f.hash) {
				t.Fatalf("a %s client has a state of step %d in frame %d that the replay does not have", c.kind, f.n, f.number)
			}
		}
		frames += len(c.frames)
		acked = append(acked, c.acks...)
	}
	var logged []int64
	kinds := map[string]int{}
	for _, i := range interventions(t, s.out) {
		if i.Intent != nil {
			logged = append(logged, i.Intent.Number)
			kinds[i.Intent.Kind]++
		}
		if i.Decision != nil {
			kinds["decision "+i.Decision.Event]++
		}
	}
	if !slices.IsSorted(logged) {
		t.Error("the intents in the log are not in the order of their numbers")
	}
	logged = slices.Compact(logged) // the commands of a decision are interventions of one intent
	for _, number := range acked {
		if _, ok := slices.BinarySearch(logged, number); !ok && len(logged) > 0 && number < logged[len(logged)-1] {
			t.Errorf("intent %d was acknowledged, and is not in the log", number)
		}
	}
	parts, _ := filepath.Glob(path + "*")
	size := int64(0)
	for _, part := range parts {
		if info, err := os.Stat(part); err == nil {
			size += info.Size()
		}
	}
	t.Logf("%d steps, %d frames of %d clients compared; %d killed, of which %d went on, %d stopped; %d intents "+
		"acknowledged, in the log: %v; %d parts, %d B",
		len(states), frames, len(s.all), s.killed, s.resumed, s.stopped, len(acked), kinds, len(parts), size)
	if frames == 0 {
		t.Error("nothing was compared")
	}
}

// stateHash makes a number of the state of all worlds at a decision point.
type stateHash struct {
	resolution float64
	data       []byte
	values     []float64
}

func (h *stateHash) add(v int64) { h.data = binary.LittleEndian.AppendUint64(h.data, uint64(v)) }

func (h *stateHash) floats() {
	for _, v := range h.values {
		h.add(int64(math.Float64bits(v)))
	}
}

func (h *stateHash) sum() uint64 {
	f := fnv.New64a()
	f.Write(h.data)
	return f.Sum64()
}

// ofFrame returns the number of the state that a client has.
func (h *stateHash) ofFrame(d *wire.Decoder) uint64 {
	h.data = h.data[:0]
	for i, w := range d.Frame().GetWorlds() {
		h.add(w.GetEpisode())
		h.add(w.GetNs())
		for track := range d.Welcome.GetDescription().GetTracks() {
			var stamp int64
			h.values, stamp = d.Values(h.values[:0], i, track)
			h.floats()
			h.add(stamp)
		}
	}
	return h.sum()
}

// ofEnv adds the number of the state that the worlds of a replay have.
func (h *stateHash) ofEnv(e *env.Env, hashes map[int64][]uint64) {
	h.data = h.data[:0]
	gyro, err := e.Sim().Sensors().Find("gyro")
	if err != nil {
		panic(err)
	}
	for i := range e.Sim().Worlds() {
		e.Sim().At(i, func(w *sim.World) {
			h.add(w.Episode())
			h.add(w.NS())
			size := e.PoseSize() * len(e.Bodies())
			h.values = slices.Grow(h.values[:0], size)[:size]
			e.Pose(w, h.values)
			for k, v := range h.values {
				h.values[k] = float64(int64(math.RoundToEven(v/h.resolution))) * h.resolution
			}
			h.floats()
			h.add(w.NS())
			h.values = h.values[:e.Sim().Sensors().Size(gyro)]
			stamp, ok := w.Read(h.values, gyro)
			if !ok {
				stamp = -1
			}
			h.floats()
			h.add(stamp)
		})
	}
	n, sum := e.Sim().Blocks()[0].N(), h.sum()
	if !slices.Contains(hashes[n], sum) {
		hashes[n] = append(hashes[n], sum)
	}
}

// welcomed, seen and acked keep what a client is told.
func (c *soakClient) welcomed(w *wire.Welcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = w.GetSession()
}

func (c *soakClient) note(d *wire.Decoder) {
	c.stopped.Lock()
	defer c.stopped.Unlock()
	c.frames = append(c.frames, soakFrame{d.Frame().GetN(), d.Frame().GetNumber(), c.hash.ofFrame(d)})
}

func (c *soakClient) acked(a *wire.Ack) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.GetNumber() > 0 {
		c.acks = append(c.acks, a.GetNumber())
	}
}

// wait waits for a while, or until the client ends.
func (c *soakClient) wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(c.draw.ExpFloat64() * 0.7 * float64(time.Second))):
	}
}

// program follows and steers by gRPC; a mind decides, too.
func (c *soakClient) program(ctx context.Context, client rpc.LiveClient) error {
	f := &rpc.Follower{Client: client, Request: c.join, Patience: time.Minute}
	var beside sync.WaitGroup
	defer beside.Wait()
	var once sync.Once
	f.Joined = func(w *wire.Welcome) {
		c.welcomed(w)
		once.Do(func() {
			steer := c.steer
			if c.kind == "mind" {
				steer = c.decide
			}
			beside.Go(func() {
				for ctx.Err() == nil {
					steer(ctx, client, w.GetSession())
					time.Sleep(100 * time.Millisecond)
				}
			})
		})
	}
	return f.Follow(ctx, func(*wire.Frame) error {
		c.note(&f.Decoder)
		return nil
	})
}

// steer submits random intents by gRPC until the stream ends.
func (c *soakClient) steer(ctx context.Context, client rpc.LiveClient, token []byte) {
	stream, err := client.Submit(ctx)
	for err == nil {
		c.wait(ctx)
		intent := randomIntent(c.draw)
		intent.Session = token
		if err = stream.Send(intent); err == nil {
			var a *wire.Ack
			if a, err = stream.Recv(); err == nil {
				c.acked(a)
			}
		}
	}
}

// decide replies to decisions: at once, late, twice, with what is not valid, or never.
func (c *soakClient) decide(ctx context.Context, client rpc.LiveClient, token []byte) {
	stream, err := client.Decide(ctx)
	if err == nil {
		err = stream.Send(&wire.Intent{Session: token, Kind: &wire.Intent_Decide{Decide: &wire.Decide{}}})
	}
	last := "0/0/Planner/0"
	for err == nil {
		var u *wire.Update
		if u, err = stream.Recv(); err != nil || u.GetDecision() == nil {
			c.acked(u.GetAck())
			continue
		}
		id, text := u.GetDecision().GetId(),
			`{"commands": {"velocity": {"lin_vel_x": 0.25, "lin_vel_y": 0, "ang_vel_z": 0}}, "why": "on"}`
		switch c.draw.IntN(8) {
		case 0:
			time.Sleep(time.Duration(c.draw.IntN(800)) * time.Millisecond)
		case 1:
			text = `{"commands": {"velocity": {"forw`
		case 2:
			text = `{"commands": {"velocity": {"lin_vel_x": 1e300, "lin_vel_y": 0, "ang_vel_z": 0}}}`
		case 3:
			id = last
		case 4:
			continue
		case 5:
			text = `{"commands": {"velocity": null}, "action": [0,0,0,0,0,0,0,0,0,0,0,0.5]}`
		}
		err = stream.Send(&wire.Intent{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: id, Json: text}}})
		last = u.GetDecision().GetId()
	}
}

// page follows and steers by WebSocket, and joins again where it is closed.
func (c *soakClient) page(ctx context.Context, address string) error {
	var d wire.Decoder
	for ctx.Err() == nil {
		conn, _, err := websocket.Dial(ctx, "ws://"+address+"/live/v1", nil)
		if err != nil {
			return err
		}
		conn.SetReadLimit(1 << 24)
		if d.Frame() != nil {
			c.join.Session, c.join.After = d.Welcome.GetSession(), d.Frame().GetNumber()
		}
		if err := sendMessage(ctx, conn, &wire.Hello{Join: c.join}); err != nil {
			return err
		}
		steered := make(chan struct{})
		go func() {
			defer close(steered)
			for err := error(nil); err == nil; {
				c.wait(ctx)
				err = sendMessage(ctx, conn, randomIntent(c.draw))
			}
		}()
		for {
			_, data, err := conn.Read(ctx)
			if err != nil {
				break
			}
			previous, welcome := d.Frame(), d.Welcome
			if err := d.Update(data); err != nil {
				return err
			}
			c.acked(d.Newest.GetAck())
			if d.Welcome != welcome {
				c.welcomed(d.Welcome)
			}
			if d.Frame() != previous {
				c.note(&d)
			}
		}
		conn.CloseNow()
		<-steered
	}
	return nil
}

// stuck joins by all ways, reads nothing, and joins again when it is closed.
func (c *soakClient) stuck(ctx context.Context, address string, client rpc.LiveClient) error {
	for ctx.Err() == nil {
		var conns []*websocket.Conn
		for _, path := range []string{"/live/v1", "/foxglove"} {
			options := &websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}}
			conn, _, err := websocket.Dial(ctx, "ws://"+address+path, options)
			if err != nil {
				return err
			}
			defer conn.CloseNow()
			if path == "/live/v1" {
				if err := sendMessage(ctx, conn, &wire.Hello{}); err != nil {
					return err
				}
			}
			conns = append(conns, conn)
		}
		stop, cancel := context.WithTimeout(ctx, 8*time.Second)
		_, err := client.Join(stop, c.join)
		if err == nil {
			<-stop.Done()
		}
		cancel()
		for _, conn := range conns {
			conn.CloseNow()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func sendMessage(ctx context.Context, conn *websocket.Conn, m proto.Message) error {
	data, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageBinary, data)
}

// randomIntent draws an intent, valid or not.
func randomIntent(r *rand.Rand) *wire.Intent {
	world := uint32(r.IntN(2))
	values := make([]float32, 12)
	for i := range values {
		values[i] = float32(2*r.Float64() - 1)
	}
	switch r.IntN(17) {
	case 0, 1, 2:
		return &wire.Intent{Kind: &wire.Intent_Action{Action: &wire.Action{World: world, Values: values,
			Steps: uint32(r.IntN(50))}}}
	case 3:
		values[3] = float32(math.NaN())
		return &wire.Intent{Kind: &wire.Intent_Action{Action: &wire.Action{World: world, Values: values}}}
	case 4, 5:
		return &wire.Intent{Kind: &wire.Intent_Command{Command: &wire.SetCommand{World: world, Name: "velocity",
			Values: []float64{r.Float64(), 0, 0}[:3*r.IntN(2)]}}}
	case 6, 7, 8:
		return &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{World: world, Body: "trunk",
			Force: []float64{100 * r.NormFloat64(), 0, 50}, Steps: uint32(r.IntN(20))}}}
	case 9:
		return &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{World: uint32(r.IntN(5)), Body: "tail",
			Velocity: []float64{1}}}}
	case 10:
		seed := r.Uint64()
		return &wire.Intent{Kind: &wire.Intent_Reset_{Reset_: &wire.Reset{World: &world, Seed: &seed}}}
	case 11:
		return &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{Paused: r.IntN(4) == 0}}}
	case 12:
		return &wire.Intent{Kind: &wire.Intent_Speed{Speed: &wire.Speed{Factor: 0.2 +
			1.6*r.Float64() - float64(r.IntN(3)/2)}}}
	case 13:
		return &wire.Intent{Kind: &wire.Intent_Step{Step: &wire.Steps{Count: uint32(r.IntN(5))}}}
	case 14:
		return &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{World: world, Body: "trunk",
			Velocity: []float64{0.3 * r.NormFloat64(), 0, 0.5}}}}
	case 15:
		return &wire.Intent{Kind: &wire.Intent_Label{Label: &wire.Label{World: world,
			Task: []string{"", "stand", "two\nlines"}[r.IntN(3)], Success: []*bool{nil, new(bool)}[r.IntN(2)]}}}
	}
	return &wire.Intent{Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: []string{
		`[{"toggle_binding": {"name": "controller", "enabled": false}}]`,
		`[{"toggle_binding": {"name": "controller", "enabled": true}}]`,
		`[{"set_priority": {"name": "recorder", "priority": 50}}]`,
		`[{"set_rate": {"name": "Robot", "rate": "0"}}]`,
		`[{"set_rate": {"name": "Robot", "rate": "99999999999999999999"}}]`,
		`[{"ste_rate"`,
	}[r.IntN(6)]}}}
}
