package live

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// stepped returns a server whose steps the test takes itself, by stepOnce.
func stepped(t testing.TB, cfg *configs.Config, change func(*Config)) *running {
	t.Helper()
	r := serve(t, cfg, func(c *Config) {
		c.State.Paused = true
		if change != nil {
			change(c)
		}
	})
	r.cancel()
	polytest.NoError(t, <-r.done)
	r.hub = newHub(r.hub.description, r.hub.key, 0)
	t.Cleanup(r.hub.close)
	return r
}

func (r *running) capture(t testing.TB, q *wire.CaptureRequest) *Capture {
	t.Helper()
	c := polytest.Must(r.Capture(Operate, q))(t)
	t.Cleanup(c.Close)
	return c
}

func (r *running) stepBy(t testing.TB, steps int) {
	t.Helper()
	for range steps {
		polytest.NoError(t, r.stepOnce())
	}
}

// waiting are the captures that wait for a client, if any do.
func waiting(t testing.TB, c *Capture) *wire.Captures {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m, err := c.Next(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return m
}

// at returns the values of a source of a capture; the names are those of its request.
func at(q *wire.CaptureRequest, c *wire.Captured, name string) *wire.Sample {
	return c.Values[slices.Index(q.Values, name)]
}

// Captures have every boundary of their runner once, with its exact time, and the values
// that frames have at decision points.
func TestCapturesAreExact(t *testing.T) {
	r := stepped(t, quadruped(t, "max_steps=30"), func(c *Config) { c.Resolution = 0 })
	d := &wire.Decoder{}
	frames := polytest.Must(r.hub.join(JoinOptions{}))(t)
	q := &wire.CaptureRequest{Values: []string{"poses", "channel/gyro", "observation", "action", "alpha", "step"}}
	var all []*Capture
	var asked []*wire.CaptureRequest
	for _, runner := range []string{"Robot", "Capture", "Sensors"} {
		own := &wire.CaptureRequest{Runner: runner, Values: q.Values}
		asked, all = append(asked, own), append(all, r.capture(t, own))
	}
	type place struct {
		runner, world int
		episode       int64
	}
	r.publish()
	boundary := map[place]int64{}
	rates := []int64{50, 30, 500}
	for n := range int64(70) {
		until(t, frames, d, func(f *wire.Frame) bool { return f.N == n })
		worlds := d.Frame().Worlds
		r.stepBy(t, 1)
		for i, c := range all {
			for _, got := range waiting(t, c).GetCaptures() {
				w := int(got.World)
				if got.N != n || got.Episode != worlds[w].Episode {
					t.Fatalf("captured at step %d of episode %d, want %d and %d", got.N, got.Episode, n, worlds[w].Episode)
				}
				p := place{i, w, got.Episode}
				if k := boundary[p]; got.K != k || got.Ns != k*1e9/rates[i] || got.DtNs != (k+1)*1e9/rates[i]-got.Ns ||
					got.Beat != (got.Ns%1e8 == 0) {
					t.Fatalf("%s: boundary %v, want number %d", asked[i].Runner, got, k)
				}
				boundary[p]++
				for k, rate := range rates {
					if alpha := at(q, got, "alpha").Values[k]; alpha != alphaAt(got.K, rates[i], rate) {
						t.Fatalf("%s: alpha of runner %d at boundary %d is %v", asked[i].Runner, k, got.K, alpha)
					}
				}
				if got.Ns != worlds[w].Ns {
					continue
				}
				for k, track := range []string{"poses", "channel/gyro"} {
					want, stamp := d.Values(nil, w, k)
					if s := at(q, got, track); !slices.Equal(s.Values, want) || k == 1 && s.GetNs() != stamp || k == 0 &&
						s.GetNs() != got.Ns {
						t.Fatalf("%s: %s at %d ns is %v, the frame has %v of %d", asked[i].Runner, track, got.Ns, s, want, stamp)
					}
				}
				if at(q, got, "observation").GetNs() != got.Ns || at(q, got, "action").GetNs() != got.Ns {
					t.Fatalf("%v: want the observation and the action of this decision point", got)
				}
			}
		}
	}
	for p, n := range boundary {
		if want := int64(math.Ceil(0.6 * float64(rates[p.runner]))); p.episode < 4 && n != want {
			t.Errorf("%v: %d boundaries in 30 control steps, want %d", p, n, want)
		}
	}
	if len(boundary) != 3*6 {
		t.Errorf("%d episodes were captured, want 6 by each runner", len(boundary)/3)
	}
	r.end(t)
}

// alphaAt is the fraction of a step at rate that has passed at boundary k of a runner.
func alphaAt(k, of, rate int64) float64 {
	x := big.NewRat(k*rate, of)
	whole := new(big.Int).Div(x.Num(), x.Denom())
	f, _ := new(big.Rat).Sub(x, new(big.Rat).SetInt(whole)).Float64()
	return f
}

// Each capture has its own boundaries, worlds and values, and all of them those of the server if it names none.
func TestCapturesAreOfWhatIsAsked(t *testing.T) {
	r := stepped(t, quadruped(t, "worlds=4", "block_size=2"), nil)
	r.Capture(Operate, &wire.CaptureRequest{Runner: "Robot"}) // nobody reads
	tenth := r.capture(t, &wire.CaptureRequest{Runner: "Sensors", Values: []string{"action"}, Worlds: []uint32{2, 0},
		Every: 10})
	whole := r.capture(t, &wire.CaptureRequest{Runner: "Capture"})
	r.stepBy(t, 10)
	var worlds []uint32
	for i, c := range waiting(t, tenth).Captures {
		worlds = append(worlds, c.World)
		if len(c.Values) != 1 || len(c.Values[0].Values) != 12 || c.K != int64(i/2)*10 {
			t.Errorf("capture %d is %v, want boundary %d with the action", i, c, i/2*10)
		}
	}
	if len(worlds) != 20 || worlds[0] != 0 || worlds[1] != 2 {
		t.Errorf("captures of the worlds %v, want 0 and 2 of each tenth boundary", worlds)
	}
	known := r.Description().CaptureValues
	for _, c := range waiting(t, whole).Captures {
		for i, s := range c.Values {
			if len(c.Values) != len(known) || len(s.Values) != int(known[i].Size) {
				t.Fatalf("%v, want the values %v", c, known)
			}
		}
	}
	tenth.Close()
	if _, err := tenth.Next(t.Context()); err == nil {
		t.Error("a closed capture brings more")
	}
	r.stepBy(t, 1)
	polytest.Equal(t, r.Stats().Captures, 2, "captures")
	r.end(t)
}

// A client that reads nothing is told how many captures it missed, costs nothing more and
// is closed; another one has them all.
func TestSlowCaptures(t *testing.T) {
	r := stepped(t, quadruped(t), nil)
	q := &wire.CaptureRequest{Runner: "Sensors"}
	slow, quick := r.capture(t, q), r.capture(t, q)
	var had, missed int
	steps := 5 * slow.limit / 20 // of 2 worlds with 10 boundaries each
	for range steps {
		r.stepBy(t, 1)
		m := waiting(t, quick)
		had, missed = had+len(m.Captures), missed+int(m.Missed)
	}
	if had != 20*steps || missed != 0 {
		t.Errorf("a client has %d captures and missed %d, want %d and 0", had, missed, 20*steps)
	}
	m := waiting(t, slow)
	if n := len(m.Captures) + int(m.Missed); n != 20*steps || m.Missed == 0 || len(m.Captures) > slow.limit {
		t.Errorf("a slow one has %d captures and missed %d, want together %d", len(m.Captures), m.Missed, 20*steps)
	}
	if c := m.Captures[len(m.Captures)-1]; c.N != int64(steps-1) {
		t.Errorf("its newest is of step %d, want %d", c.N, int64(steps-1))
	}
	if n := r.Stats().CaptureMissed; n != int64(m.Missed) {
		t.Errorf("the server counts %d, want %d", n, m.Missed)
	}
	slow.hub.mu.Lock()
	slow.lastRead = time.Now().Add(-2 * slowAfter)
	slow.hub.mu.Unlock()
	r.stepBy(t, 1)
	if _, err := slow.Next(t.Context()); !errors.Is(err, ErrSlow) || !errors.Is(slow.Err(), ErrSlow) {
		t.Errorf("after 5 s without a read: %v, want %v", err, ErrSlow)
	}
	waiting(t, quick)
	r.end(t)
}

// More captures than the queue holds in one step are counted as well.
func TestCapturesOfAStepAreBounded(t *testing.T) {
	r := stepped(t, quadruped(t, "worlds=3", "block_size=1"), nil)
	c := r.capture(t, &wire.CaptureRequest{Runner: "Sensors", Values: []string{"action"}})
	c.limit, c.share = 12, 4
	r.stepBy(t, 3)
	if m := waiting(t, c); len(m.Captures) != 12 || m.Missed != 3*30-12 || m.Captures[0].N != 2 {
		t.Errorf("%d captures and %d missed, want 12 of the last step and %d", len(m.Captures), m.Missed, 3*30-12)
	}
	r.end(t)
}

// A step allocates nothing: not with a log and clients, nor for captures, whether they are read or not.
func TestStepsAllocateNothing(t *testing.T) {
	r := open(t, quadruped(t), nil)
	defer r.env.Close()
	polytest.Must(r.Join(JoinOptions{}))(t)
	per := func() float64 {
		r.stepBy(t, 2*ringFrames)
		return polytest.Allocations(100, func() { r.stepBy(t, 1) })
	}
	if n := per(); n != 0 {
		t.Errorf("a step allocates %v times, want none", n)
	}
	slow := r.capture(t, &wire.CaptureRequest{Runner: "Sensors"})
	r.capture(t, &wire.CaptureRequest{Runner: "Robot", Every: 3})
	slow.limit = 200
	if n := per(); n != 0 {
		t.Errorf("a step with captures allocates %v times, want none", n)
	}
	if r.Stats().CaptureMissed == 0 {
		t.Error("nothing was dropped, want a queue that was full")
	}
}

// Captures that begin and end at any time, and changes of their bindings, are no part of the run: it replays.
func TestCapturesDoNotChangeTheRun(t *testing.T) {
	r := serve(t, quadruped(t, "max_steps=60"), nil)
	operator := r.join(t, Operate)
	d := &wire.Decoder{}
	draw := rand.New(rand.NewPCG(9, 9))
	edits := []string{
		`[{"toggle_binding": {"name": "capture/Sensors", "enabled": false}}]`,
		`[{"toggle_binding": {"name": "capture/Sensors", "enabled": true}}]`,
		`[{"set_priority": {"name": "capture/Robot", "priority": -7}}]`,
		`[{"set_phase": {"name": "capture/Capture", "phase": "Acquisition"}}]`,
		`[{"rebind": {"name": "capture/Robot", "runner": "Sensors"}}]`,
		`[{"set_rate": {"name": "Capture", "rate": "25"}}]`,
		`[{"remove_binding": {"name": "capture/Robot"}}]`,
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	until(t, operator, d, anything)
	for k := range 60 {
		c := polytest.Must(r.Capture(Operate, &wire.CaptureRequest{Runner: []string{"Robot", "Capture", "Sensors"}[k%3],
			Every: uint32(draw.IntN(4))}))(t)
		go func() {
			for {
				if _, err := c.Next(ctx); err != nil {
					return
				}
			}
		}()
		if k%8 == 0 {
			polytest.Must(r.Submit(operator, edit(edits[k/8%len(edits)])))(t)
		}
		n := d.Frame().N
		until(t, operator, d, func(f *wire.Frame) bool {
			for _, a := range f.Applied {
				polytest.Equal(t, a.Error, "", "an edit failed")
			}
			return f.N >= n+int64(draw.IntN(8))
		})
		if k%4 != 0 {
			c.Close()
		}
	}
	operator.Close()
	r.end(t)
}

func TestCaptureRefusals(t *testing.T) {
	r := stepped(t, quadruped(t), nil)
	for _, c := range []struct {
		q    *wire.CaptureRequest
		want string
	}{
		{&wire.CaptureRequest{}, `no runner "", want one of Robot, Capture, Sensors`},
		{&wire.CaptureRequest{Runner: strings.Repeat("x", 500)}, strings.Repeat("x", 97) + `...", want`},
		{&wire.CaptureRequest{Runner: "Robot", Every: 1000_001}, "every is 1000001, want 1 to 1000000"},
		{&wire.CaptureRequest{Runner: "Robot", Values: []string{"gyro"}}, `values are of "gyro", want each once, of ` +
			`channel/`},
		{&wire.CaptureRequest{Runner: "Robot", Values: []string{"action", "action"}},
			`values are of "action", want each once`},
		{&wire.CaptureRequest{Runner: "Robot", Values: make([]string, 257)}, "257 names of values, want at most 256"},
		{&wire.CaptureRequest{Runner: "Robot", Worlds: []uint32{0, 2}}, "world is 2, want 0 to 1"},
		{&wire.CaptureRequest{Runner: "Robot", Worlds: []uint32{0, 1, 1}}, "3 worlds, want at most 2"},
		{&wire.CaptureRequest{Runner: "Robot", Worlds: []uint32{math.MaxUint32}}, "world is 4294967295, want 0 to 1"},
	} {
		if _, err := r.Capture(Operate, c.q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.q, err, c.want)
		}
	}
	for range maxCaptures {
		if _, err := r.Capture(Watch, &wire.CaptureRequest{Runner: "Robot"}); err != nil {
			r.capture(t, &wire.CaptureRequest{Runner: "Robot"}) // those who may only watch leave some
		}
	}
	if _, err := r.Capture(Operate, &wire.CaptureRequest{Runner: "Robot"}); err == nil || !strings.Contains(err.Error(),
		"there are 32, want fewer than 32") {
		t.Errorf("the next one: %v", err)
	}
	r.hub.close()
	if _, err := r.Capture(Operate, &wire.CaptureRequest{Runner: "Robot"}); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v, want %v", err, ErrClosed)
	}
	polytest.Equal(t, r.Stats().Captures, 0, "captures are left")
}

// No request makes the server panic, and one that is taken fits into the limits.
func FuzzCaptureRequest(f *testing.F) {
	r := stepped(f, quadruped(f), nil)
	for _, q := range []*wire.CaptureRequest{
		{Runner: "Robot"}, {Runner: "Sensors", Values: []string{"poses", "alpha"}, Worlds: []uint32{1}, Every: 7},
		{Runner: "Capture", Worlds: []uint32{1, 1}},
	} {
		data := polytest.Must(proto.Marshal(q))(f)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var q wire.CaptureRequest
		if proto.Unmarshal(data, &q) != nil {
			return
		}
		c, err := r.Capture(Operate, &q)
		if err != nil {
			return
		}
		defer c.Close()
		if 8*c.limit*c.words > captureBytes || c.share < 1 {
			t.Errorf("%v holds %d captures, %d of a block", &q, c.limit, c.share)
		}
	})
}
