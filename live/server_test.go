package live

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// manual is a clock that passes as the server sleeps, so tests do not depend on the
// machine. It waits for the clients that read.
type manual struct {
	mu  sync.Mutex
	now time.Duration
	hub *hub
}

// read reports whether the clients that read have nearly all frames.
func (m *manual) read() bool {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	for _, s := range m.hub.sessions {
		if c := s.client; c != nil && c.greeted && m.hub.head-c.next > queueFrames/2 {
			return false
		}
	}
	return true
}

func (m *manual) Now() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// sleep passes the time without waiting for it, or waits a little if there is no end to it.
func (m *manual) sleep(ctx context.Context, d time.Duration) {
	if d >= time.Second {
		time.Sleep(time.Millisecond)
		return
	}
	for !m.read() && ctx.Err() == nil {
		time.Sleep(100 * time.Microsecond)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now += max(d, time.Microsecond)
}

func quadruped(t testing.TB, overrides ...string) *configs.Config {
	t.Helper()
	name, data, err := configs.Preset("quadruped")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := configs.Parse(name, data, append([]string{"worlds=2", "time.mode=sim_realtime"}, overrides...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// running is a server in a goroutine of its own.
type running struct {
	*Server
	env    *env.Env
	path   string // of the log
	cancel context.CancelFunc
	done   chan error
}

// open opens worlds with a log and a server of them that does not run, by a manual clock.
func open(t testing.TB, cfg *configs.Config, change func(*Config)) *running {
	t.Helper()
	r := &running{path: filepath.Join(t.TempDir(), "run.log"), done: make(chan error, 1)}
	f, err := os.Create(r.path)
	if err != nil {
		t.Fatal(err)
	}
	opt := env.OpenOptions{Poses: true, Capture: true, Workers: 1}
	h := env.LogHeader(cfg, opt)
	h.Kind, h.Actions = "live", true
	if opt.Log, err = runlog.Create(f, h); err != nil {
		t.Fatal(err)
	}
	if r.env, err = env.Open(cfg, opt); err != nil {
		t.Fatal(err)
	}
	m := &manual{}
	c := Config{Env: r.env, Time: cfg.Time.Settings, Channels: []string{"gyro"}, Resolution: 1.0 / 2048, sleep: m.sleep}
	c.Time.Clock = m
	c.Act = func(_ *sim.Worker, b *sim.Block) error {
		r.env.SampleBlock(b)
		return nil
	}
	if change != nil {
		change(&c)
	}
	if r.Server, err = New(c); err != nil {
		t.Fatal(err)
	}
	m.hub = r.hub
	return r
}

// serve opens a server and runs it.
func serve(t testing.TB, cfg *configs.Config, change func(*Config)) *running {
	t.Helper()
	r := open(t, cfg, change)
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.Background())
	go func() {
		r.done <- r.Run(ctx)
		close(r.done)
	}()
	t.Cleanup(func() {
		r.cancel()
		for range r.done { // Run must not step worlds that are closed
		}
		r.env.Close()
	})
	return r
}

// end ends the run and checks that it replays.
func (r *running) end(t testing.TB) {
	t.Helper()
	r.cancel()
	if err := <-r.done; err != nil {
		t.Fatal(err)
	}
	steps := r.env.Sim().Blocks()[0].N()
	if err := r.env.Close(); err != nil {
		t.Fatal(err)
	}
	if same, err := env.Replay(r.path, 1); err != nil || same != steps {
		t.Errorf("%d of %d steps replayed, %v; want all and no difference", same, steps, err)
	}
}

func (r *running) join(t testing.TB, role Role) *Client {
	t.Helper()
	c, err := r.Join(JoinOptions{Name: "test", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// until reads frames until one satisfies ok.
func until(t testing.TB, c *Client, d *Decoder, ok func(*wire.Frame) bool) *wire.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		data, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Update(slices.Clone(data)); err != nil {
			t.Fatal(err)
		}
		if f := d.Frame(); f != nil && ok(f) {
			return f
		}
	}
}

func anything(*wire.Frame) bool { return true }

func mentions(number int64) func(*wire.Frame) bool {
	return func(f *wire.Frame) bool {
		return slices.ContainsFunc(f.Applied, func(a *wire.Applied) bool { return a.Number == number })
	}
}

// anyIntent draws an intent, valid or not.
func anyIntent(r *rand.Rand) *wire.Intent {
	world := uint32(r.IntN(2))
	values := make([]float32, 12)
	for i := range values {
		values[i] = float32(2*r.Float64() - 1)
	}
	switch r.IntN(14) {
	case 0, 1, 2:
		return &wire.Intent{Kind: &wire.Intent_Action{Action: &wire.Action{World: world, Values: values, Steps: uint32(r.IntN(5))}}}
	case 3:
		values[3] = float32(math.NaN())
		return &wire.Intent{Kind: &wire.Intent_Action{Action: &wire.Action{World: world, Values: values}}}
	case 4, 5:
		return &wire.Intent{Kind: &wire.Intent_Command{Command: &wire.SetCommand{World: world, Name: "velocity", Values: []float64{r.Float64(), 0, 0}}}}
	case 6, 7:
		return &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{World: world, Body: "trunk", Force: []float64{100 * r.NormFloat64(), 0, 50}, Steps: uint32(r.IntN(8))}}}
	case 8:
		return &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{World: uint32(r.IntN(5)), Body: "tail", Velocity: []float64{1}}}}
	case 9:
		seed := r.Uint64()
		return &wire.Intent{Kind: &wire.Intent_Reset_{Reset_: &wire.Reset{World: &world, Seed: &seed}}}
	case 10:
		return &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{Paused: r.IntN(3) == 0}}}
	case 11:
		return &wire.Intent{Kind: &wire.Intent_Speed{Speed: &wire.Speed{Factor: 200 * r.Float64()}}}
	case 12:
		return &wire.Intent{Kind: &wire.Intent_Step{Step: &wire.Steps{Count: uint32(r.IntN(5))}}}
	}
	return &wire.Intent{Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: []string{
		`[{"set_rate": {"name": "Capture", "rate": "25"}}]`,
		`[{"set_rate": {"name": "Capture", "rate": "30"}}]`,
		`[{"toggle_binding": {"name": "controller", "enabled": false}}]`,
		`[{"set_priority": {"name": "recorder", "priority": 50}}]`,
		`[{"set_rate": {"name": "Robot", "rate": "0"}}]`,
		`[{"set_rate": {"name": "Robot", "rate": "100"}}]`,
		`[{"ste_rate"`,
	}[r.IntN(7)]}}}
}

// Clients send random intents of all kinds at once, valid and not. The run goes on, every
// intent with a number is reported once, in order, and the run replays bit by bit.
func TestRandomIntentsReplay(t *testing.T) {
	r := serve(t, quadruped(t, "max_steps=40"), nil)
	watcher, decoder := r.join(t, Watch), &Decoder{}
	until(t, watcher, decoder, anything)
	const clients, intents = 4, 60
	var wg sync.WaitGroup
	var mu sync.Mutex
	var numbers []int64
	for i := range clients {
		c := r.join(t, Operate)
		wg.Add(1)
		go func() {
			defer wg.Done()
			draw := rand.New(rand.NewPCG(uint64(i), 1))
			for range intents {
				number, err := r.Submit(c, anyIntent(draw))
				if err == nil {
					mu.Lock()
					numbers = append(numbers, number)
					mu.Unlock()
				}
				time.Sleep(time.Duration(draw.IntN(3)) * time.Millisecond)
			}
		}()
	}
	go func() {
		wg.Wait()
		last := r.join(t, Operate)
		r.Submit(last, &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{}}})
		r.Submit(last, &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "FL_thigh"}}})
	}()
	var seen []int64
	until(t, watcher, decoder, func(f *wire.Frame) bool {
		for _, a := range f.Applied {
			seen = append(seen, a.Number)
		}
		return slices.ContainsFunc(f.Applied, func(a *wire.Applied) bool { return a.Kind == "push" && a.Client == "test-6" })
	})
	slices.Sort(numbers)
	if decoder.Missed != 0 || !slices.Equal(numbers, seen[:len(numbers)]) {
		t.Errorf("%d frames missed; the intents in frames are %v, want %v", decoder.Missed, seen, numbers)
	}
	if len(numbers) < clients*intents/3 {
		t.Errorf("%d of %d intents were taken, want more", len(numbers), clients*intents)
	}
	r.end(t)
}

// A paused run takes the steps that a client asks for, and no others. After the pause it
// goes on at its pace: the time of the pause is not caught up.
func TestPauseAndSteps(t *testing.T) {
	r := serve(t, quadruped(t), nil)
	c, d := r.join(t, Operate), &Decoder{}
	until(t, c, d, anything)
	number, err := r.Submit(c, &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{Paused: true}}})
	if err != nil {
		t.Fatal(err)
	}
	paused := until(t, c, d, mentions(number))
	if !paused.Paused {
		t.Error("the frame of the pause is not paused")
	}
	for steps := uint32(1); steps < 4; steps++ {
		reply, err := r.Step(context.Background(), c.Session(), []*wire.Intent{
			{Id: 7, Kind: &wire.Intent_Action{Action: &wire.Action{Values: make([]float32, 12)}}},
			{Id: 8, Kind: &wire.Intent_Action{Action: &wire.Action{Values: make([]float32, 11)}}},
		}, steps)
		if err != nil {
			t.Fatal(err)
		}
		if want := paused.N + int64(steps)*(int64(steps)+1)/2; reply.N != want {
			t.Errorf("the run is at step %d, want %d", reply.N, want)
		}
		if a := reply.Acks; len(a) != 2 || a[0].Id != 7 || a[0].Number == 0 || a[1].Error != "action: 11 values, want 12" {
			t.Errorf("acks are %v", reply.Acks)
		}
	}
	if _, err := r.Submit(c, &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{}}}); err != nil {
		t.Fatal(err)
	}
	until(t, c, d, func(f *wire.Frame) bool { return f.N > paused.N+20 })
	c.Close() // the server waits for clients that read
	if _, err := r.Step(context.Background(), c.Session(), nil, 1); err == nil || err.Error() != "the run is not paused, want a pause before steps" {
		t.Errorf("error %v of a step while the run is not paused", err)
	}
	r.end(t)
	if dropped := r.driver.Total().Dropped; dropped != 0 {
		t.Errorf("%v of wall time were dropped, want none: the clock stands still during a pause", dropped)
	}
}

// A run that was asked for very many steps ends when it is told to, and who waits for them
// is told why.
func TestStepsDoNotDelayTheEnd(t *testing.T) {
	r := serve(t, quadruped(t), nil)
	c, d := r.join(t, Operate), &Decoder{}
	until(t, c, d, anything)
	if _, err := r.Submit(c, &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{Paused: true}}}); err != nil {
		t.Fatal(err)
	}
	const requests = 100
	for range requests {
		if _, err := r.Submit(c, &wire.Intent{Kind: &wire.Intent_Step{Step: &wire.Steps{Count: maxSteps}}}); err != nil {
			t.Fatal(err)
		}
	}
	waited := make(chan error, 1)
	go func() {
		_, err := r.Step(context.Background(), c.Session(), nil, maxSteps)
		waited <- err
	}()
	until(t, c, d, func(f *wire.Frame) bool { return f.Paused && f.N > 20 })
	r.end(t)
	if err := <-waited; !errors.Is(err, ErrClosed) {
		t.Errorf("error %v of steps that are not taken, want %v", err, ErrClosed)
	}
	if n := r.env.Sim().Blocks()[0].N(); n >= requests*maxSteps {
		t.Errorf("%d steps were taken before the end", n)
	}
}

// Frames hold what the worlds have, and a command stays in later episodes until it is
// released.
func TestCommandsStay(t *testing.T) {
	var command []float64
	r := serve(t, quadruped(t, "max_steps=10", "task.options.command.forward=[0.2, 0.8]"), func(c *Config) {
		act := c.Act
		c.Act = func(w *sim.Worker, b *sim.Block) error {
			if b.First() == 1 {
				command = append(command, b.Observation()[0])
			}
			return act(w, b)
		}
	})
	c, d := r.join(t, Operate), &Decoder{}
	until(t, c, d, anything)
	give := func(values ...float64) int64 {
		number, err := r.Submit(c, &wire.Intent{Kind: &wire.Intent_Command{Command: &wire.SetCommand{World: 1, Name: "velocity", Values: values}}})
		if err != nil {
			t.Fatal(err)
		}
		return until(t, c, d, mentions(number)).N
	}
	from := give(0.3125, 0, 0)
	until(t, c, d, func(f *wire.Frame) bool { return f.N > from+35 })
	to := give()
	until(t, c, d, func(f *wire.Frame) bool { return f.N > to+35 })
	r.end(t)
	held, free := 0, 0
	for n := from + 2; n < to; n++ {
		if command[n] == 0.3125 {
			held++
		}
	}
	for _, v := range command[to+12:] {
		if v != 0.3125 {
			free++
		}
	}
	// In each new episode the first observation has the command that was drawn.
	if held < int(to-from)*3/4 {
		t.Errorf("the policy saw the command in %d of %d steps", held, to-from)
	}
	if free != len(command[to+12:]) {
		t.Errorf("the policy saw a released command in %d of %d steps", len(command[to+12:])-free, len(command[to+12:]))
	}
}

func TestRolesAndRefusals(t *testing.T) {
	r := serve(t, quadruped(t), nil)
	watch, steer := r.join(t, Watch), r.join(t, Steer)
	pause := &wire.Intent{Kind: &wire.Intent_Pause{Pause: &wire.Pause{Paused: true}}}
	push := &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{1, 0, 0}}}}
	for _, c := range []struct {
		client *Client
		intent *wire.Intent
		want   string
	}{
		{watch, push, "push needs the role steer, want a token of it: this session has watch"},
		{steer, pause, "pause needs the role operate, want a token of it: this session has steer"},
		{steer, push, ""},
		{steer, &wire.Intent{}, "the intent has no kind"},
		{steer, &wire.Intent{Kind: &wire.Intent_Speed{Speed: &wire.Speed{Factor: math.NaN()}}}, "speed is NaN, want 0.01 to 100"},
		{steer, &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{1}}}}, "push: force has 1 values, want 3 or none"},
		{steer, &wire.Intent{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{math.Inf(1), 0, 0}}}}, "push: a value of force is +Inf"},
		{steer, &wire.Intent{Kind: &wire.Intent_Action{Action: &wire.Action{World: 1 << 31, Values: []float32{1}}}}, "world is 2147483647, want 0 to 1"},
		{steer, &wire.Intent{Kind: &wire.Intent_Action{Action: &wire.Action{Values: slices.Repeat([]float32{2}, 12)}}}, "action: value 0 is 2, want -1 to 1"},
	} {
		_, err := r.Submit(c.client, c.intent)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "action: "), strings.TrimPrefix(c.want, "action: "))) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := r.SubmitAs([]byte("?"), push); err == nil {
		t.Error("an unknown session was accepted")
	}
	// One client cannot fill the inbox of the others.
	pauses := r.join(t, Operate)
	if _, err := r.Submit(pauses, pause); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 5000 {
		if _, err := r.Submit(steer, push); err != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("5000 intents at once were all taken")
	}
	if _, err := r.Submit(pauses, pause); err != nil {
		t.Errorf("another client was refused: %v", err)
	}
	r.end(t)
}

// A client that reads nothing is closed after 5 s, and one that reads is not.
func TestSlowClientsAreClosed(t *testing.T) {
	h := newHub(described(1), make([]byte, KeySize), 0)
	defer h.close()
	slow, err := h.join(JoinOptions{})
	if err != nil {
		t.Fatal(err)
	}
	reads, err := h.join(JoinOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h.publish(newSample(h.description), true)
	ctx, cancel := context.WithCancel(context.Background())
	for range 2 {
		if _, err := reads.Next(ctx); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	h.sweep(now.Add(slowAfter - time.Second))
	if slow.err != nil {
		t.Errorf("closed after 4 s: %v", slow.err)
	}
	h.sweep(now.Add(slowAfter + time.Second))
	cancel()
	if _, err := slow.Next(ctx); !errors.Is(err, ErrSlow) {
		t.Errorf("error %v, want %v", err, ErrSlow)
	}
	if _, err := reads.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a client that has read everything", err)
	}
	h.sweep(now.Add(slowAfter + 2*sessionExpiry))
	if h.sessions[string(slow.Session())] != nil {
		t.Error("the session of a closed client is never forgotten")
	}
}

// A client that is held is sent pings but no frames, and is not closed; its own answer counts,
// no other. Then it goes on where it was, or with a gap.
func TestHeldClientsAreSentNoFrames(t *testing.T) {
	h := newHub(described(1), make([]byte, KeySize), 0)
	defer h.close()
	c, err := h.join(JoinOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := newSample(h.description)
	h.publish(s, true)
	var d Decoder
	pinged := uint64(0)
	d.Ping = func(id uint64) { pinged = id }
	read := func() (updates int) { // all that waits
		t.Helper()
		for {
			if err := c.take(); err != nil {
				t.Fatal(err)
			}
			if len(c.buf) == 0 {
				return updates
			}
			if err := d.Update(c.buf); err != nil {
				t.Fatal(err)
			}
			updates++
		}
	}
	if n := read(); n != 2 {
		t.Fatalf("%d updates, want a welcome and a frame", n)
	}
	for round, frames := range []int{10, queueFrames, 3 * queueFrames} {
		c.Hold(true)
		for range frames {
			s.n++
			h.publish(s, false)
		}
		answered := make(chan error, 1)
		go func() { answered <- c.Ping(t.Context()) }()
		for pinged != uint64(round)+1 {
			if n := read(); n > 0 && pinged != uint64(round)+1 {
				t.Fatalf("%d updates while it was held, want none but a ping", n)
			}
		}
		h.sweep(time.Now().Add(2 * slowAfter))
		for _, id := range []uint64{pinged + 1, pinged - 1} {
			if err := h.pong(c.Session(), id); err != nil || len(answered) > 0 {
				t.Errorf("answer to ping %d: %v, which ended the wait for %d: %t", id, err, pinged, len(answered) > 0)
			}
		}
		if err := h.pong(c.Session(), pinged); err != nil {
			t.Fatal(err)
		}
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
		c.Hold(false)
		missed := d.Missed
		read()
		if d.Frame().GetN() != s.n || d.Missed != missed != (frames > queueFrames) {
			t.Errorf("frame of step %d after %d were held, %d were missed, want step %d", d.Frame().GetN(), frames, d.Missed-missed, s.n)
		}
	}
	if err := h.pong([]byte("another"), pinged); !errors.Is(err, errUnknownSession) {
		t.Errorf("error %v, want %v", err, errUnknownSession)
	}
}

// The frames of the quadruped take at most 160 B a tick.
func TestFramesAreSmall(t *testing.T) {
	r := serve(t, quadruped(t, "worlds=1"), func(c *Config) { c.Channels = nil })
	c := r.join(t, Watch)
	bytes, frames := 0, 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for frames < 200 { // the welcome, the snapshot, then frames
		data, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if frames++; frames > 2 {
			bytes += len(data)
		}
	}
	c.Close()
	mean := float64(bytes) / float64(frames-2)
	t.Logf("%.0f B a frame", mean)
	if mean > 160 {
		t.Errorf("frames are %.0f B on average, want at most 160", mean)
	}
	r.end(t)
}
