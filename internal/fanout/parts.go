package fanout

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/transport"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The messages of the processes, as lines of JSON. A peer has the same. Times are those of
// CLOCK_MONOTONIC in ns, which all processes of a machine share.
type (
	// listening is the first line of a server.
	listening struct {
		Address string `json:"address"`
	}
	// served is what a server says at its end.
	served struct {
		Published [][2]int64 `json:"published"` // frame, time of its decision point
	}
	// read is what the process of the clients says at its end.
	read struct {
		Frames [][][2]int64 `json:"frames"` // by client: frame, time at which it was decoded
		Acks   []int64      `json:"acks"`   // ns from an intent to its acknowledgement
		Seen   []int64      `json:"seen"`   // ns from an intent to the frame with it, decoded by another client
		Joins  []int64      `json:"joins"`  // ns from the beginning of a connection to its first frame, decoded; none of a peer
		Bytes  int64        `json:"bytes"`  // of the first client
		Ticks  int64        `json:"ticks"`
	}
)

func now() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // no Linux is without it
	}
	return t.Nano()
}

// Serve serves one world of a configuration by WebSocket, with random actions, until in
// ends. It writes its address and then when its frames were made to out.
func Serve(c *configs.Config, in io.Reader, out io.Writer) error {
	e, err := env.Open(c, env.OpenOptions{Poses: true, Capture: true, Workers: 1})
	if err != nil {
		return err
	}
	defer e.Close()
	report := served{Published: make([][2]int64, 0, 1<<16)}
	run, err := live.New(live.Config{
		Env: e, Time: c.Time.Settings, Resolution: 1.0 / 2048,
		Act:       func(_ *sim.Worker, b *sim.Block) error { e.SampleBlock(b); return nil },
		Published: func(number int64) { report.Published = append(report.Published, [2]int64{number, now()}) },
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := transport.NewWeb(run, transport.Options{})
	go web.Serve(l)
	defer web.Close()
	if err := json.NewEncoder(out).Encode(listening{l.Addr().String()}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		io.Copy(io.Discard, in)
		cancel()
	}()
	if err := run.Run(ctx); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(report)
}

// Clients joins clients to a server, reads frames for a time and sends intents, and
// writes when what came to out. Further clients, stuck, join and never read.
func Clients(ctx context.Context, address string, clients, stuck int, d time.Duration, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range stuck {
		conn, err := join(ctx, address, "stuck")
		if err != nil {
			return err
		}
		defer conn.CloseNow()
	}
	a := &asking{sent: map[uint64]int64{}, asked: map[int64]int64{}, frames: map[int64]int64{}}
	report := read{Frames: make([][][2]int64, clients), Joins: make([]int64, clients)}
	var all sync.WaitGroup
	var failed error
	var once sync.Once
	for i := range clients {
		begun := now()
		conn, err := join(ctx, address, "bench")
		if err != nil {
			return err
		}
		defer conn.CloseNow()
		c := &client{conn: conn, begun: begun, asking: a, asks: i == 0, looks: i == min(1, clients-1)}
		all.Go(func() {
			if err := c.follow(ctx); ctx.Err() == nil {
				once.Do(func() { failed = fmt.Errorf("client %d: %w", i, err) })
				cancel()
			}
			report.Frames[i] = c.frames
			if len(c.frames) > 0 {
				report.Joins[i] = c.frames[0][1] - c.begun
			}
			if i == 0 {
				report.Bytes, report.Ticks = c.bytes, int64(len(c.frames))
			}
		})
		if i == 0 {
			all.Go(func() { a.ask(ctx, conn) })
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	cancel()
	all.Wait()
	if failed != nil {
		return failed
	}
	report.Acks, report.Seen = a.acks, a.seen
	return json.NewEncoder(out).Encode(report)
}

// join begins a session by WebSocket.
func join(ctx context.Context, address, name string) (*websocket.Conn, error) {
	conn, _, err := websocket.Dial(ctx, "ws://"+address+transport.Path, nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(1 << 24)
	if err := write(ctx, conn, &wire.Hello{Join: &wire.JoinRequest{Name: name}}); err != nil {
		conn.CloseNow()
		return nil, err
	}
	return conn, nil
}

func write(ctx context.Context, conn *websocket.Conn, m proto.Message) error {
	data, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageBinary, data)
}

// asking is what is known of the intents.
type asking struct {
	mu         sync.Mutex
	sent       map[uint64]int64 // by id: when
	asked      map[int64]int64  // by number: when it was sent
	frames     map[int64]int64  // by number: when the frame with it was decoded
	acks, seen []int64
}

// ask sends intents at times that have nothing to do with those of the frames. They change
// nothing, so the worlds of all rounds do the same.
func (a *asking) ask(ctx context.Context, conn *websocket.Conn) {
	for id := uint64(1); ; id++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(30+id*7%20) * time.Millisecond):
		}
		a.mu.Lock()
		a.sent[id] = now()
		a.mu.Unlock()
		if write(ctx, conn, &wire.Intent{Id: id, Kind: &wire.Intent_Pause{Pause: &wire.Pause{}}}) != nil {
			return
		}
	}
}

// acked takes an acknowledgement.
func (a *asking) acked(ack *wire.Ack, at int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	begun := a.sent[ack.GetId()]
	delete(a.sent, ack.GetId())
	a.acks = append(a.acks, at-begun)
	a.asked[ack.GetNumber()] = begun
	a.match(ack.GetNumber())
}

// applied takes an intent that a frame names.
func (a *asking) applied(number, at int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.frames[number] = at
	a.match(number)
}

// match closes an intent of which both times are known; the frame may come before the
// acknowledgement. The lock is held.
func (a *asking) match(number int64) {
	begun, acked := a.asked[number]
	at, seen := a.frames[number]
	if acked && seen {
		a.seen = append(a.seen, at-begun)
		delete(a.asked, number)
		delete(a.frames, number)
	}
}

// client follows the frames on one connection.
type client struct {
	conn   *websocket.Conn
	begun  int64 // when its connection began
	asking *asking
	asks   bool // its connection has the acknowledgements
	looks  bool // it looks for intents in frames
	frames [][2]int64
	bytes  int64
}

// follow reads frames until the connection fails.
func (c *client) follow(ctx context.Context) error {
	var d live.Decoder
	d.Ack = func(a *wire.Ack) { c.asking.acked(a, now()) }
	last := int64(0)
	defer context.AfterFunc(ctx, func() { c.conn.CloseNow() })() // each read with ctx would make functions to call at its end
	var data bytes.Buffer
	for {
		_, message, err := c.conn.Reader(context.Background())
		if err != nil {
			return err
		}
		data.Reset()
		if _, err := data.ReadFrom(message); err != nil {
			return err
		}
		if err := d.Update(data.Bytes()); err != nil {
			return err
		}
		f := d.Frame()
		if f == nil || f.GetNumber() == last {
			continue
		}
		at := now()
		last = f.GetNumber()
		c.bytes += int64(data.Len())
		c.frames = append(c.frames, [2]int64{last, at})
		if c.looks {
			for _, a := range f.GetApplied() {
				c.asking.applied(a.GetNumber(), at)
			}
		}
	}
}
