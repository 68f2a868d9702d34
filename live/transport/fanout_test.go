package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// asClients is the variable that makes the test binary the process of the clients of
// BenchmarkFanOut: the address, the number of clients, that of those that never read, and seconds.
const asClients = "POLYTEST_FANOUT_CLIENTS"

func TestMain(m *testing.M) {
	if of := os.Getenv(asClients); of != "" {
		if err := fanOutClients(of); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// read is what the process of the clients reports, with times in ns of the wall clock.
type read struct {
	Frames [][][2]int64 // by client: step, time at which its frame was decoded
	Acks   []int64      // from an intent to its acknowledgement
	Seen   []int64      // from an intent to the frame with it, decoded by another client
	Joins  []int64      // from a connection to its first frame, decoded
	Bytes  int64        // of the frames of the first client
}

// BenchmarkFanOut serves a quadruped at 50 Hz to clients in a process of their own, in rounds of 5 s, and
// says when they have what: see docs/evidence/live.md. python/benchmarks/live.py runs it in turns with Colyseus.
func BenchmarkFanOut(b *testing.B) {
	for _, c := range []struct{ clients, stuck int }{{1, 0}, {20, 0}, {20, 10}, {100, 0}, {250, 0}} {
		b.Run(fmt.Sprintf("clients=%d/stuck=%d", c.clients, c.stuck), func(b *testing.B) {
			times := map[string][]int64{}
			sent, ticks := int64(0), 0
			for range b.N {
				decided, r := fanOutRound(b, c.clients, c.stuck, 5)
				from := r.Frames[c.clients-1][0][1] + int64(time.Second) // the others have joined before
				for _, frames := range r.Frames {
					for _, f := range frames {
						if at := decided[f[0]]; at > from {
							times["sync"] = append(times["sync"], f[1]-at)
						}
					}
				}
				times["ack"], times["seen"] = append(times["ack"], r.Acks...), append(times["seen"], r.Seen...)
				times["join"] = append(times["join"], r.Joins...)
				sent, ticks = sent+r.Bytes, ticks+len(r.Frames[0])
			}
			for what, ns := range times {
				slices.Sort(ns)
				for _, q := range []int{50, 95, 99} {
					b.ReportMetric(float64(ns[q*(len(ns)-1)/100])/1e6, fmt.Sprintf("%s-p%d-ms", what, q))
				}
			}
			b.ReportMetric(float64(sent)/float64(ticks), "B/tick")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// fanOutRound returns when the server had taken each step, by its number, and what the clients report.
func fanOutRound(b *testing.B, clients, stuck, seconds int) (decided map[int64]int64, r read) {
	name, data, err := configs.Preset("quadruped")
	polytest.NoError(b, err)
	cfg := polytest.Must(configs.Parse(name, data, []string{"worlds=1", "time.mode=sim_realtime"}, nil))(b)
	e := polytest.Must(env.Open(cfg, env.OpenOptions{Poses: true, Workers: 1}))(b)
	defer e.Close()
	decided = map[int64]int64{}
	run, err := live.New(live.Config{
		Env: e, Time: cfg.Time.Settings, Resolution: 1.0 / 2048,
		Act:     func(_ *sim.Worker, b *sim.Block) error { e.SampleBlock(b); return nil },
		Stepped: func(b *sim.Block) { decided[b.N()] = time.Now().UnixNano() },
	})
	polytest.NoError(b, err)
	l := polytest.Must(net.Listen("tcp", "127.0.0.1:0"))(b)
	web := NewWeb(run, Options{})
	go web.Serve(l)
	defer web.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run.Run(ctx) }()
	self := exec.Command(os.Args[0])
	self.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %d", asClients, l.Addr(), clients, stuck, seconds))
	self.Stderr = os.Stderr
	said, err := self.Output()
	cancel()
	if ended := <-done; err == nil {
		err = ended
	}
	if err == nil {
		err = json.Unmarshal(said, &r)
	}
	polytest.NoError(b, err)
	return decided, r
}

// fanOutClients joins clients, reads frames for some seconds, sends intents, and prints a report.
func fanOutClients(of string) error {
	var address string
	var clients, stuck, seconds int
	if _, err := fmt.Sscan(of, &address, &clients, &stuck, &seconds); err != nil {
		return err
	}
	var mu sync.Mutex
	r := read{Frames: make([][][2]int64, clients), Joins: make([]int64, clients)}
	sent, asked := map[uint64]int64{}, map[int64]int64{} // when an intent was sent, by id and by number
	seen := map[int64]int64{}                            // when the frame with it came, by number
	join := func(name string) (*websocket.Conn, error) {
		conn, _, err := websocket.Dial(context.Background(), "ws://"+address+Path, nil)
		if err != nil {
			return nil, err
		}
		conn.SetReadLimit(1 << 24)
		return conn, put(conn, &wire.Hello{Join: &wire.JoinRequest{Name: name}})
	}
	for range stuck {
		if _, err := join("stuck"); err != nil {
			return err
		}
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for i := range clients {
		begun := time.Now()
		conn, err := join("bench")
		if err != nil {
			return err
		}
		var d wire.Decoder
		go func() {
			for last, data := int64(0), new(bytes.Buffer); ; data.Reset() {
				_, message, err := conn.Reader(context.Background())
				if err != nil {
					return
				}
				data.ReadFrom(message)
				mu.Lock()
				if d.Update(data.Bytes()) != nil {
					mu.Unlock()
					return
				}
				if a := d.Newest.GetAck(); a != nil {
					r.Acks = append(r.Acks, time.Now().UnixNano()-sent[a.GetId()])
					asked[a.GetNumber()] = sent[a.GetId()]
				}
				if f := d.Frame(); f != nil && f.GetNumber() != last {
					now := time.Now()
					if last = f.GetNumber(); len(r.Frames[i]) == 0 {
						r.Joins[i] = int64(now.Sub(begun))
					}
					r.Frames[i] = append(r.Frames[i], [2]int64{f.GetN(), now.UnixNano()})
					if i == 0 {
						r.Bytes += int64(data.Len())
					}
					for _, a := range f.GetApplied() {
						if i == min(1, clients-1) {
							seen[a.GetNumber()] = now.UnixNano()
						}
					}
				}
				mu.Unlock()
			}
		}()
		if i == 0 {
			go func() { // at times that have nothing to do with those of the frames
				for id := uint64(1); ; id++ {
					time.Sleep(time.Duration(30+id*7%20) * time.Millisecond)
					mu.Lock()
					sent[id] = time.Now().UnixNano()
					mu.Unlock()
					if put(conn, &wire.Intent{Id: id, Kind: &wire.Intent_Pause{Pause: &wire.Pause{}}}) != nil {
						return
					}
				}
			}()
		}
	}
	time.Sleep(time.Until(end))
	mu.Lock()
	for number, at := range seen {
		if begun, ok := asked[number]; ok {
			r.Seen = append(r.Seen, at-begun)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

func put(conn *websocket.Conn, m proto.Message) error {
	data, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return conn.Write(context.Background(), websocket.MessageBinary, data)
}

// The benchmark measures something.
func TestFanOutLong(t *testing.T) {
	if !polytest.Slow(t) {
		t.Skip("it measures; POLYTEST_SLOW=1 runs it")
	}
	run := exec.Command(os.Args[0], "-test.run", "-", "-test.bench", "FanOut/clients=20/stuck=10", "-test.benchtime", "1x")
	out, err := run.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("sync-p50-ms")) || !bytes.Contains(out, []byte("seen-p99-ms")) {
		t.Errorf("%s, %v", strconv.Quote(string(out)), err)
	}
}
