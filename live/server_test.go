package live

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
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
		if c := s.client; c != nil && c.welcomeSent && m.hub.head-c.position > queueFrames/2 {
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
	polytest.NoError(t, err)
	cfg := polytest.Must(configs.Parse(name, data, append([]string{"worlds=2", "time.mode=sim_realtime"}, overrides...),
		nil))(t)
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
	f := polytest.Must(os.Create(r.path))(t)
	opt := env.OpenOptions{Poses: true, Capture: true, Workers: 1}
	h := env.LogHeader(cfg, opt)
	h.Kind, h.Actions = "live", true
	opt.Log = polytest.Must(runlog.Create(f, h))(t)
	r.env = polytest.Must(env.Open(cfg, opt))(t)
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
	r.Server = polytest.Must(New(c))(t)
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
	polytest.NoError(t, <-r.done)
	steps := r.env.Sim().Blocks()[0].N()
	polytest.NoError(t, r.env.Close())
	if same, err := env.Replay(r.path, 1); err != nil || same != steps {
		t.Errorf("%d of %d steps replayed, %v; want all and no difference", same, steps, err)
	}
}

func (r *running) join(t testing.TB, role Role) *Client {
	t.Helper()
	c := polytest.Must(r.Join(JoinOptions{Name: "test", Role: role}))(t)
	return c
}

// until reads frames until one satisfies ok.
func until(t testing.TB, c *Client, d *wire.Decoder, ok func(*wire.Frame) bool) *wire.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for before := d.Frame(); ; {
		data := polytest.Must(c.Next(ctx))(t)
		polytest.NoError(t, d.Update(slices.Clone(data)))
		if f := d.Frame(); f != nil && f != before && ok(f) {
			return f
		}
	}
}

// readAll reads the updates that are there, and calls seen after each.
func readAll(t polytest.TB, c *Client, d *wire.Decoder, seen func()) (updates int) {
	t.Helper()
	for polytest.Must(c.tryTake())(t) {
		polytest.NoError(t, d.Update(slices.Clone(c.buf)))
		updates++
		seen()
	}
	return updates
}

func anything(*wire.Frame) bool { return true }

func mentions(number int64) func(*wire.Frame) bool {
	return func(f *wire.Frame) bool {
		return slices.ContainsFunc(f.Applied, func(a *wire.Applied) bool { return a.Number == number })
	}
}

// intentOf is an intent in the JSON of protobuf.
func intentOf(format string, args ...any) *wire.Intent {
	in := &wire.Intent{}
	if err := protojson.Unmarshal(fmt.Appendf(nil, format, args...), in); err != nil {
		panic(err)
	}
	return in
}

func edit(text string) *wire.Intent { return intentOf(`{"edit": {"edits": %q}}`, text) }

// anyIntent draws an intent, valid or not.
func anyIntent(r *rand.Rand) *wire.Intent {
	world, action := r.IntN(2), make([]string, 12)
	for i := range action {
		action[i] = fmt.Sprint(2*r.Float64() - 1)
	}
	values := strings.Join(action, ",")
	switch r.IntN(14) {
	case 0, 1, 2:
		return intentOf(`{"action": {"world": %d, "values": [%s], "steps": %d}}`, world, values, r.IntN(5))
	case 3:
		return intentOf(`{"action": {"world": %d, "values": ["NaN", %s]}}`, world, strings.Join(action[1:], ","))
	case 4, 5:
		return intentOf(`{"command": {"world": %d, "name": "velocity", "values": [%v, 0, 0]}}`, world, r.Float64())
	case 6, 7:
		return intentOf(`{"push": {"world": %d, "body": "trunk", "force": [%v, 0, 50], "steps": %d}}`, world,
			100*r.NormFloat64(), r.IntN(8))
	case 8:
		return intentOf(`{"push": {"world": %d, "body": "tail", "velocity": [1]}}`, r.IntN(5))
	case 9:
		return intentOf(`{"reset": {"world": %d, "seed": %d}}`, world, r.Uint64())
	case 10:
		return intentOf(`{"pause": {"paused": %t}}`, r.IntN(3) == 0)
	case 11:
		return intentOf(`{"speed": {"factor": %v}}`, 200*r.Float64())
	case 12:
		return intentOf(`{"step": {"count": %d}}`, r.IntN(5))
	}
	return edit([]string{
		`[{"set_rate": {"name": "Capture", "rate": "25"}}]`,
		`[{"set_rate": {"name": "Capture", "rate": "30"}}]`,
		`[{"toggle_binding": {"name": "controller", "enabled": false}}]`,
		`[{"set_priority": {"name": "recorder", "priority": 50}}]`,
		`[{"set_rate": {"name": "Robot", "rate": "0"}}]`,
		`[{"set_rate": {"name": "Robot", "rate": "100"}}]`,
		`[{"ste_rate"`,
	}[r.IntN(7)])
}

// Clients send random intents of all kinds at once, valid and not. The run goes on, every
// intent with a number is reported once, in order, and the run replays bit by bit.
func TestRandomIntentsReplay(t *testing.T) {
	r := serve(t, quadruped(t, "max_steps=40"), nil)
	watcher, decoder := r.join(t, Watch), &wire.Decoder{}
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
		r.Submit(last, intentOf(`{"pause": {}}`))
		r.Submit(last, intentOf(`{"push": {"body": "FL_thigh", "force": [0, 0, 0]}}`))
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
	c, d := r.join(t, Operate), &wire.Decoder{}
	until(t, c, d, anything)
	number := polytest.Must(r.Submit(c, intentOf(`{"pause": {"paused": true}}`)))(t)
	paused := until(t, c, d, mentions(number))
	if !paused.Paused {
		t.Error("the frame of the pause is not paused")
	}
	for steps := uint32(1); steps < 4; steps++ {
		reply, err := r.Step(context.Background(), Sender{Session: c.Session(), Role: c.Role()}, []*wire.Intent{
			{Id: 7, Kind: &wire.Intent_Action{Action: &wire.Action{Values: make([]float32, 12)}}},
			{Id: 8, Kind: &wire.Intent_Action{Action: &wire.Action{Values: make([]float32, 11)}}},
		}, steps)
		polytest.NoError(t, err)
		polytest.Equal(t, reply.N, paused.N+int64(steps)*(int64(steps)+1)/2, "the run is at step")
		if a := reply.Acks; len(a) != 2 || a[0].Id != 7 || a[0].Number == 0 || a[1].Error != "action: 11 values, want 12" {
			t.Errorf("acks are %v", reply.Acks)
		}
	}
	polytest.Must(r.Submit(c, intentOf(`{"pause": {}}`)))(t)
	until(t, c, d, func(f *wire.Frame) bool { return f.N > paused.N+20 })
	c.Close() // the server waits for clients that read
	if _, err := r.Step(context.Background(), Sender{Session: c.Session(), Role: c.Role()}, nil, 1); err == nil ||
		err.Error() != "the run is not paused, want a pause before steps" {
		t.Errorf("error %v of a step while the run is not paused", err)
	}
	r.end(t)
	polytest.Equal(t, r.driver.Total().Dropped, 0, "wall time that a pause dropped")
}

// A run that was asked for very many steps ends when it is told to, and who waits for them is told why.
func TestStepsDoNotDelayTheEnd(t *testing.T) {
	r := serve(t, quadruped(t), nil)
	c, d := r.join(t, Operate), &wire.Decoder{}
	until(t, c, d, anything)
	polytest.Must(r.Submit(c, intentOf(`{"pause": {"paused": true}}`)))(t)
	const requests = 100
	for range requests {
		polytest.Must(r.Submit(c, &wire.Intent{Kind: &wire.Intent_Step{Step: &wire.Steps{Count: maxSteps}}}))(t)
	}
	waited := make(chan error, 1)
	go func() {
		_, err := r.Step(context.Background(), Sender{Session: c.Session(), Role: c.Role()}, nil, maxSteps)
		waited <- err
	}()
	until(t, c, d, func(f *wire.Frame) bool { return f.Paused && f.N > 20 })
	r.end(t)
	polytest.ErrorIs(t, <-waited, ErrClosed)
	if n := r.env.Sim().Blocks()[0].N(); n >= requests*maxSteps {
		t.Errorf("%d steps were taken before the end", n)
	}
}

// Frames hold what the worlds have, and a command stays in later episodes until it is released.
func TestCommandsStay(t *testing.T) {
	var command []float64
	r := serve(t, quadruped(t, "max_steps=10", "commands.velocity.lin_vel_x=[0.2, 0.8]"), func(c *Config) {
		act := c.Act
		c.Act = func(w *sim.Worker, b *sim.Block) error {
			if b.First() == 1 {
				command = append(command, b.Observations()[0])
			}
			return act(w, b)
		}
	})
	c, d := r.join(t, Operate), &wire.Decoder{}
	until(t, c, d, anything)
	give := func(values ...float64) int64 {
		in := &wire.Intent_Command{Command: &wire.SetCommand{World: 1, Name: "velocity", Values: values}}
		number := polytest.Must(r.Submit(c, &wire.Intent{Kind: in}))(t)
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
	pause := intentOf(`{"pause": {"paused": true}}`)
	push := intentOf(`{"push": {"body": "trunk", "force": [1, 0, 0]}}`)
	for _, c := range []struct {
		client *Client
		role   Role // that the sender may have
		intent *wire.Intent
		want   string
	}{
		{watch, Operate, push, "push needs the role steer, want a token of it: this session has watch"},
		{steer, Operate, pause, "pause needs the role operate, want a token of it: this session has steer"},
		{steer, Steer, push, ""},
		{r.join(t, Operate), Watch, push, "push needs the role steer, want a token of it: this session has watch"},
		{steer, Steer, replyTo("0/0/Planner/0", "{}"), "reply: the run has no runner Planner"},
		{steer, Steer, edit("[7]"), "edits: "},
		{steer, Steer, edit("[{"), "edits: it is not JSON at byte 2"},
		{steer, Steer, &wire.Intent{}, "the intent has no kind"},
		{steer, Steer, intentOf(`{"speed": {"factor": "NaN"}}`), "speed is NaN, want 0.01 to 100"},
		{steer, Steer, intentOf(`{"push": {"body": "trunk"}}`), "push: it has no force, torque or velocity, want one of them"},
		{steer, Steer, intentOf(`{"push": {"body": "trunk", "id": 9}}`), ""}, // it ends another one
		{steer, Steer, intentOf(`{"push": {"body": "trunk", "force": [1]}}`), "push: force has 1 values, want 3 or none"},
		{steer, Steer, intentOf(`{"push": {"body": "trunk", "force": ["Infinity",0,0]}}`), "push: a value of force is +Inf"},
		{steer, Steer, intentOf(`{"action": {"world": 4294967295, "values": [1]}}`), "world is 4294967295, want 0 to 1"},
		{steer, Steer, intentOf(`{"action": {"values": [2,2,2,2,2,2,2,2,2,2,2,2]}}`), "action: value 0 is 2, want -1 to 1"},
	} {
		_, err := r.SubmitAs(Sender{Session: c.client.Session(), Role: c.role}, c.intent)
		if err != nil && strings.Contains(err.Error(), "Go ") {
			t.Errorf("error %q speaks of Go", err)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(),
			"action: "), strings.TrimPrefix(c.want, "action: "))) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := r.SubmitAs(Sender{Session: []byte("?"), Role: Operate}, push); err == nil {
		t.Error("an unknown session was accepted")
	}
	// One client cannot fill the inbox of the others.
	pauses := r.join(t, Operate)
	polytest.Must(r.Submit(pauses, pause))(t)
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

// Sessions that nobody uses make way for others, and each role has some that no lower one can take.
func TestSessionsMakeWay(t *testing.T) {
	h := newHub(described(1), make([]byte, KeySize), 0)
	defer h.close()
	for range 3 * maxSessions {
		c := polytest.Must(h.join(JoinOptions{Role: Watch}))(t)
		c.Close()
	}
	watchers := 0
	for err := error(nil); err == nil; watchers++ {
		_, err = h.join(JoinOptions{Role: Watch})
	}
	if want := maxSessions - 2*reservedSessions + 1; watchers != want {
		t.Errorf("%d clients may watch at once, want %d", watchers-1, want-1)
	}
	for _, role := range []Role{Steer, Operate} {
		if _, err := h.join(JoinOptions{Role: role}); err != nil {
			t.Errorf("%v is locked out: %v", role, err)
		}
	}
}

// Sessions of an address that has taken all make way for those of others, up to as many, and never for lower roles'.
func TestSessionsOfACrowdMakeWay(t *testing.T) {
	h := newHub(described(1), make([]byte, KeySize), 0)
	defer h.close()
	join := func(role Role, origin string) (*Client, error) {
		return h.join(JoinOptions{Role: role, Origin: origin})
	}
	mine := polytest.Must(join(Operate, "crowd"))(t)
	var last *Client
	const places = maxSessions - 2*reservedSessions - 1
	for range places {
		last = polytest.Must(join(Watch, "crowd"))(t)
	}
	for i := range places {
		if _, err := join(Watch, "other"); (err == nil) != (i < places/2) {
			t.Fatalf("session %d of another address: %v, want half of %d", i, err, places)
		}
	}
	polytest.ErrorIs(t, last.Err(), ErrCrowd)
	polytest.NoError(t, mine.Err())
	polytest.NoError(t, polytest.Err(join(Watch, "third")))
}

// A client that reads nothing is closed after 5 s, and one that reads is not.
func TestSlowClientsAreClosed(t *testing.T) {
	h := newHub(described(1), make([]byte, KeySize), 0)
	defer h.close()
	slow := polytest.Must(h.join(JoinOptions{}))(t)
	reads := polytest.Must(h.join(JoinOptions{}))(t)
	newSample(h.description).publish(h)
	ctx, cancel := context.WithCancel(context.Background())
	for range 2 {
		polytest.Must(reads.Next(ctx))(t)
	}
	now := time.Now()
	h.sweep(now.Add(slowAfter - time.Second))
	if slow.err != nil {
		t.Errorf("closed after 4 s: %v", slow.err)
	}
	h.sweep(now.Add(slowAfter + time.Second))
	cancel()
	polytest.ErrorIs(t, polytest.Err(slow.Next(ctx)), ErrSlow)
	polytest.ErrorIs(t, polytest.Err(reads.Next(ctx)), context.Canceled)
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
	c := polytest.Must(h.join(JoinOptions{}))(t)
	s := newSample(h.description)
	s.publish(h)
	var d wire.Decoder
	pinged := uint64(0)
	read := func() int { // all that waits
		return readAll(t, c, &d, func() { pinged = max(pinged, d.Newest.GetPing().GetId()) })
	}
	if n := read(); n != 2 {
		t.Fatalf("%d updates, want a welcome and a frame", n)
	}
	for round, frames := range []int{10, queueFrames, 3 * queueFrames} {
		c.PauseFrames(true)
		for range frames {
			s.N++
			s.publish(h)
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
		polytest.NoError(t, h.pong(c.Session(), pinged))
		polytest.NoError(t, <-answered)
		c.PauseFrames(false)
		missed := d.Missed
		read()
		if d.Frame().GetN() != s.N || d.Missed != missed != (frames > queueFrames) {
			t.Errorf("frame of step %d after %d were held, %d were missed, want step %d", d.Frame().GetN(), frames,
				d.Missed-missed, s.N)
		}
	}
	polytest.ErrorIs(t, h.pong([]byte("another"), pinged), errUnknownSession)
}

// The frames of the quadruped take at most 140 B a tick.
func TestFramesAreSmall(t *testing.T) {
	r := serve(t, quadruped(t, "worlds=1"), func(c *Config) { c.Channels = nil })
	c := r.join(t, Watch)
	bytes, frames := 0, 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for frames < 200 { // the welcome, the snapshot, then frames
		data := polytest.Must(c.Next(ctx))(t)
		if frames++; frames > 2 {
			bytes += len(data)
		}
	}
	c.Close()
	mean := float64(bytes) / float64(frames-2)
	t.Logf("%.0f B a frame", mean)
	if mean > 140 {
		t.Errorf("frames are %.0f B on average, want at most 140", mean)
	}
	r.end(t)
}

// What a run keeps of intents is bounded for each address, however many sessions it has and however often they come
// again. Other addresses do not feel it.
func TestKeptIntentsHaveALimitOfEachAddress(t *testing.T) {
	r := open(t, quadruped(t), nil)
	defer r.env.Close()
	defer r.hub.close()
	join := func(origin string) *Client {
		return polytest.Must(r.Join(JoinOptions{Role: Operate, Origin: origin}))(t)
	}
	long := edit(strings.Repeat(" ", 60<<10) + `[{"set_rate": {"name": "Capture", "rate": "25"}}]`)
	taken, refused := 0, error(nil)
	for ; refused == nil && taken < 4*keptBurst/maxEditBytes; taken++ {
		c := join("hostile")
		_, refused = r.Submit(c, long)
		c.Close()
		r.hub.takeIntents()
	}
	polytest.ErrorContains(t, refused, "want at most 524288 a second of all intents of an address")
	if taken < keptBurst/maxEditBytes {
		t.Errorf("%d intents of 60 KiB were taken, want the burst first", taken)
	}
	polytest.NoError(t, polytest.Err(r.Submit(join("other"), long)))
}

// Steps that wait, and intents of one call, have a limit: a paused run would keep them, and the call has an answer to
// each.
func TestRequestsForStepsHaveALimit(t *testing.T) {
	r := open(t, quadruped(t), nil)
	defer r.env.Close()
	defer r.hub.close()
	c := polytest.Must(r.Join(JoinOptions{Role: Operate}))(t)
	r.pause(true)
	step := intentOf(`{"step": {"count": 1000}}`)
	for range 2 { // as decision points do
		for range maxQueued {
			polytest.Must(r.Submit(c, step))(t)
		}
		polytest.NoError(t, r.applyIntents())
	}
	polytest.Equal(t, len(r.stepRequests), maxQueued, "requests for steps")
	_, err := r.Step(t.Context(), Sender{Session: c.Session(), Role: Operate}, make([]*wire.Intent, maxQueued+1), 1)
	polytest.ErrorContains(t, err, "257 intents, want at most 256 at once")
}

// One address cannot take all the pushes that may act at once, nor fill the labels of a dataset. What has ended, and
// what a push with the same id replaces, does not count.
func TestPushesAndLabelsHaveALimit(t *testing.T) {
	r := open(t, quadruped(t), nil)
	defer r.env.Close()
	defer r.hub.close()
	apply := func(c *Client, in *wire.Intent) (refused string) {
		t.Helper()
		polytest.Must(r.Submit(c, in))(t)
		polytest.NoError(t, r.applyIntents())
		refused = r.frame.Applied[0].Error
		r.frame.Applied = nil
		return refused
	}
	join := func(origin string) *Client {
		return polytest.Must(r.Join(JoinOptions{Role: Operate, Origin: origin}))(t)
	}
	long := intentOf(`{"push": {"body": "trunk", "force": [0, 0, 1], "steps": 1000000}}`)
	named := intentOf(`{"push": {"body": "trunk", "force": [0, 0, 1], "steps": 1000000, "id": 7}}`)
	short := intentOf(`{"push": {"world": 1, "body": "trunk", "force": [0, 0, 1], "steps": 1}}`)
	first, second, other := join("hostile"), join("hostile"), join("other")
	for range 9 {
		polytest.Equal(t, apply(first, named), "", "the refusal of a push that replaces itself")
	}
	for k := range maxPushes - 2 {
		polytest.Equal(t, apply([]*Client{first, second}[k%2], long), "", "the refusal of push %d", k)
	}
	polytest.Equal(t, apply(second, short), "", "the refusal of the last push")
	want := "push: 256 pushes of this address act, want fewer than 256 for another one"
	polytest.Equal(t, apply(second, long), want, "the refusal of one more")
	polytest.Equal(t, apply(other, long), "", "the refusal of another address")
	polytest.NoError(t, r.stepOnce())
	polytest.Equal(t, apply(first, short), "", "the refusal when one has ended")
	polytest.Equal(t, apply(first, intentOf(`{"reset": {"world": 0}}`)), "", "the refusal of a reset")
	polytest.Equal(t, len(r.pushes), 1, "pushes after a reset of the world that had the others")

	label := intentOf(`{"label": {"world": 1, "task": "stand"}}`)
	for k := range maxLabels {
		polytest.Equal(t, apply(first, label), "", "the refusal of label %d", k)
	}
	episode := r.env.Sim().Episode(1)
	polytest.Equal(t, apply(other, label), fmt.Sprintf("label: episode %d of world 1 has 100, want at most that", episode),
		"the refusal of another label")
	polytest.Equal(t, apply(first, intentOf(`{"reset": {"world": 1}}`)), "", "the refusal of a reset")
	polytest.Equal(t, apply(other, label), "", "the refusal of a label of the next episode")
}
