package live

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// described is a description with a coarse, an exact and a fine track.
func described(worlds int) *wire.Description {
	return &wire.Description{Task: "test", Worlds: uint32(worlds), Tracks: []*wire.Track{
		{Name: "poses", Size: 14, Resolution: 1.0 / 2048, PoseSize: 7},
		{Name: "channel/gyro", Size: 3, Stamped: true},
		{Name: "channel/far", Size: 2, Resolution: 1e-6, Stamped: true},
	}}
}

// sample is what a server gathers at a decision point.
type sample struct {
	*wire.Frame
	values []float64
}

func newSample(d *wire.Description) *sample {
	l := layout(d.Tracks)
	return &sample{l.newFrame(int(d.Worlds)), make([]float64, int(d.Worlds)*l.size())}
}

// publish publishes a copy.
func (s *sample) publish(h *hub) { h.publish(proto.CloneOf(s.Frame), s.values) }

// state is what a client must have after a frame.
type state struct {
	n, number int64
	paused    bool
	speed     float64
	worlds    []string
}

// stateOf is the state in a sample, as a client is to have it.
func stateOf(d *wire.Description, s *sample, number int64) state {
	st := state{n: s.N, number: number, paused: s.Paused, speed: s.Speed}
	i := 0
	for _, w := range s.Worlds {
		text := fmt.Sprint(w.Episode, w.Ns, w.Terminated, w.Truncated, w.Reward)
		for t, track := range d.Tracks {
			var values []uint64
			for range track.Size {
				x := s.values[i]
				if track.Resolution > 0 {
					x = float64(quantise(x, track.Resolution)) * track.Resolution
				}
				values = append(values, math.Float64bits(x))
				i++
			}
			stamp := w.Ns
			if track.Stamped {
				stamp = -1
				if age := w.Tracks[t].AgeNs; age != nil {
					stamp = w.Ns - int64(*age)
				}
			}
			text += fmt.Sprint(" ", track.Name, stamp, values)
		}
		st.worlds = append(st.worlds, text)
	}
	return st
}

// stateIn is the state that a decoder has.
func stateIn(d *wire.Decoder) state {
	f := d.Frame()
	st := state{n: f.GetN(), number: f.GetNumber(), paused: f.GetPaused(), speed: d.Speed}
	for i, w := range f.GetWorlds() {
		text := fmt.Sprint(w.Episode, w.Ns, w.Terminated, w.Truncated, w.Reward)
		for t, track := range d.Welcome.Description.Tracks {
			numbers, stamp := d.Values(nil, i, t)
			values := make([]uint64, len(numbers))
			for k, x := range numbers {
				values[k] = math.Float64bits(x)
			}
			text += fmt.Sprint(" ", track.Name, stamp, values)
		}
		st.worlds = append(st.worlds, text)
	}
	return st
}

func (s state) equal(o state) bool {
	return s.n == o.n && s.number == o.number && s.paused == o.paused && s.speed == o.speed && slices.Equal(s.worlds,
		o.worlds)
}

// anyValue draws a value as poses and channels have, and some that none should have.
func anyValue(t *rapid.T) float64 {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64,
			5e-324}).Draw(t, "odd")
	case 1:
		return rapid.Float64().Draw(t, "any")
	}
	return rapid.Float64Range(-3, 3).Draw(t, "near")
}

// next makes the sample that of the next step, with a few other values.
func (s *sample) next(value func() float64) {
	s.N++
	s.Paused, s.Speed = s.N%5 == 0, float64(1+s.N/3%3)
	for _, w := range s.Worlds {
		w.Episode, w.Ns = s.N/7, w.Ns+20_000_000
		w.Terminated, w.Truncated, w.Reward = s.N%7 == 0, s.N%9 == 0, float32(s.N)/4
		for _, v := range w.Tracks {
			setAge(v, s.N%3*1000-1)
		}
	}
	for k := range min(4, len(s.values)) {
		s.values[(int(s.N)*5+k*3)%len(s.values)] = value()
	}
}

// Whenever clients join, leave, read nothing for a while and come back, each has, after
// every frame that it reads, the state that the server had at that decision point.
func TestClientsHaveTheStateOfTheServer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := described(rapid.IntRange(1, 3).Draw(t, "worlds"))
		h := newHub(d, make([]byte, KeySize), 0)
		defer h.close()
		s := newSample(d)
		var states []state // by number less 1
		type reader struct {
			client  *Client
			decoder *wire.Decoder
			since   int64 // number before the first
		}
		var readers []*reader
		read := func(r *reader) {
			readAll(t, r.client, r.decoder, func() {
				if f := r.decoder.Frame(); f != nil {
					if got, want := stateIn(r.decoder), states[f.Number-1]; !got.equal(want) {
						t.Fatalf("frame %d:\n got %+v\nwant %+v", f.Number, got, want)
					}
				}
			})
		}
		for range rapid.IntRange(1, 150).Draw(t, "actions") {
			switch action := rapid.IntRange(0, 11).Draw(t, "action"); {
			case action < 6: // frames
				for range rapid.SampledFrom([]int{1, 1, 1, 2, 70, 300}).Draw(t, "frames") {
					s.next(func() float64 { return anyValue(t) })
					s.publish(h)
					states = append(states, stateOf(d, s, h.head))
				}
			case action < 8 && len(readers) < 6:
				c := polytest.Must(h.join(JoinOptions{Role: Watch}))(t)
				readers = append(readers, &reader{client: c, decoder: &wire.Decoder{}, since: h.head})
			case action < 10 && len(readers) > 0:
				read(readers[rapid.IntRange(0, len(readers)-1).Draw(t, "reader")])
			case len(readers) > 0: // go on with a session, in a new connection
				r := readers[rapid.IntRange(0, len(readers)-1).Draw(t, "rejoins")]
				after := int64(0)
				if f := r.decoder.Frame(); f != nil {
					after = f.Number
				}
				c := polytest.Must(h.join(JoinOptions{Role: Watch, Session: r.client.Session(), After: after}))(t)
				if c.Name() != r.client.Name() {
					t.Fatalf("the session of %s goes on as %s", r.client.Name(), c.Name())
				}
				r.client = c
			}
		}
		for _, r := range readers {
			read(r)
			if len(states) > 0 && r.decoder.Frame().GetNumber() != int64(len(states)) {
				t.Fatalf("the newest frame of a client is %d, want %d", r.decoder.Frame().GetNumber(), len(states))
			}
		}
	})
}

// A client is told exactly how many frames it missed.
func TestGapsAreCounted(t *testing.T) {
	d := described(1)
	h := newHub(d, make([]byte, KeySize), 0)
	defer h.close()
	s := newSample(d)
	publish := func(n int) {
		for range n {
			s.N++
			s.publish(h)
		}
	}
	publish(3)
	c := polytest.Must(h.join(JoinOptions{}))(t)
	decoder, frames := &wire.Decoder{}, int64(0)
	read := func() {
		readAll(t, c, decoder, func() {
			if decoder.Newest.GetFrame() != nil {
				frames++
			}
		})
	}
	read()
	if frames != 1 || decoder.Missed != 0 || decoder.Frame().Number != 3 {
		t.Errorf("%d frames and %d missed, newest %d; want the snapshot of frame 3 alone", frames, decoder.Missed,
			decoder.Frame().Number)
	}
	publish(500)
	read()
	if frames+decoder.Missed != 501 || decoder.Missed < 400 {
		t.Errorf("%d frames and %d missed, want 501 together", frames, decoder.Missed)
	}
	c.Close()
	publish(300)
	c = polytest.Must(h.join(JoinOptions{Session: c.Session(), After: decoder.Frame().Number}))(t)
	read()
	if frames+decoder.Missed != 801 {
		t.Errorf("%d frames and %d missed after coming back, want 801 together", frames, decoder.Missed)
	}
}

// Publishing a frame allocates nothing, with clients and without.
func TestPublishAllocatesNothing(t *testing.T) {
	d := described(2)
	h := newHub(d, make([]byte, KeySize), 0)
	defer h.close()
	s := newSample(d)
	for i := range s.values {
		s.values[i] = 1e6 * math.Sin(float64(i))
	}
	f := s.Frame
	for range 2 * ringFrames {
		f = h.publish(f, s.values)
	}
	for range 5 {
		polytest.Must(h.join(JoinOptions{}))(t)
	}
	k := 0
	if n := polytest.Allocations(100, func() {
		k++
		s.values[k%len(s.values)] += 0.01
		f = h.publish(f, s.values)
	}); n != 0 {
		t.Errorf("a frame allocates %v times, want none", n)
	}
}

// Whatever a server or the network sends, a decoder returns an error and does not panic.
func FuzzDecoder(f *testing.F) {
	d := described(2)
	h := newHub(d, make([]byte, KeySize), 0)
	s := newSample(d)
	c := polytest.Must(h.join(JoinOptions{}))(f)
	var all []byte
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 10 {
		s.N++
		s.values[int(s.N)%len(s.values)] = float64(s.N)
		s.publish(h)
		for {
			data, err := c.Next(ctx)
			if err != nil {
				break
			}
			all = append(append(all, byte(len(data)), byte(len(data)>>8)), data...)
		}
	}
	f.Add(all)
	f.Add([]byte{2, 0, 18, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &wire.Decoder{}
		for len(data) >= 2 {
			n := min(int(data[0])|int(data[1])<<8, len(data)-2)
			if d.Update(data[2:2+n]) != nil {
				return
			}
			data = data[2+n:]
			if f := d.Frame(); f != nil {
				for w := range f.Worlds {
					for track := range d.Welcome.Description.Tracks {
						d.Values(nil, w, track)
					}
				}
			}
		}
	})
}

var update = flag.Bool("update", false, "write testdata/frames.json again")

// vector is an update, and what a client has after it. The tests of the Python client and of the
// page read testdata/frames.json, too.
type vector struct {
	Update []byte    `json:"update"`
	State  *vectorOf `json:"state,omitempty"` // nil: it is no frame
}

type vectorOf struct {
	N      int64         `json:"n"`
	Number int64         `json:"number"`
	Missed int64         `json:"missed"`
	Key    bool          `json:"key"`
	Paused bool          `json:"paused"`
	Speed  float64       `json:"speed"`
	Worlds []vectorWorld `json:"worlds"`
}

type vectorWorld struct {
	Episode    int64      `json:"episode"`
	NS         int64      `json:"ns"`
	Terminated bool       `json:"terminated"`
	Truncated  bool       `json:"truncated"`
	Reward     float32    `json:"reward"`
	Stamps     []int64    `json:"stamps"` // of each track
	Values     [][]string `json:"values"` // as shortest decimals, or Infinity, -Infinity and NaN
}

// The stream of a client that falls behind twice is, to the byte, the one in testdata, and the decoder
// has the states there.
func TestFramesAreThoseOfTheVectors(t *testing.T) {
	d := described(2)
	d.Bodies = []*wire.Body{{Name: "a"}, {Name: "b"}} // of the poses
	h := newHub(d, make([]byte, KeySize), 0)
	defer h.close()
	s, r, decoder := newSample(d), rand.New(rand.NewPCG(1, 2)), &wire.Decoder{}
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324}
	s.next(func() float64 { return 0.5 })
	s.publish(h)
	c := polytest.Must(h.join(JoinOptions{Name: "me", Role: Steer}))(t)
	var vectors []vector
	for _, frames := range []int{1, 3, 7, queueFrames + 20, 2, 300, 5} {
		for range frames {
			s.next(func() float64 {
				if r.IntN(4) == 0 {
					return odd[r.IntN(len(odd))]
				}
				return r.NormFloat64()
			})
			s.publish(h)
		}
		for h.head > c.position || !c.welcomeSent {
			data, err := c.Next(t.Context())
			if err == nil && decoder.Welcome == nil { // without the secret, which differs
				var u wire.Update
				err = proto.Unmarshal(data, &u)
				u.GetWelcome().Session = nil
				data, _ = proto.MarshalOptions{Deterministic: true}.Marshal(&u)
			}
			if err == nil {
				err = decoder.Update(slices.Clone(data))
			}
			polytest.NoError(t, err)
			vectors = append(vectors, vector{slices.Clone(data), vectorIn(decoder)})
		}
	}
	text := polytest.Must(json.MarshalIndent(vectors, "", " "))(t)
	if *update {
		polytest.NoError(t, os.WriteFile("testdata/frames.json", text, 0o644))
	}
	want, err := os.ReadFile("testdata/frames.json")
	if err != nil || !bytes.Equal(text, want) {
		t.Errorf("testdata/frames.json has other frames, %v: run go test ./live -run Vectors -update, and the tests of "+
			"the Python client and of the page", err)
	}
}

// vectorIn is what a decoder has.
func vectorIn(d *wire.Decoder) *vectorOf {
	f := d.Frame()
	if f == nil {
		return nil
	}
	v := &vectorOf{N: f.N, Number: f.Number, Missed: d.Missed, Key: f.Key, Paused: f.Paused, Speed: d.Speed}
	for i, w := range f.Worlds {
		world := vectorWorld{Episode: w.Episode, NS: w.Ns, Terminated: w.Terminated, Truncated: w.Truncated, Reward: w.Reward}
		for t := range d.Welcome.Description.Tracks {
			values, stamp := d.Values(nil, i, t)
			texts := make([]string, len(values))
			for k, x := range values {
				texts[k] = strings.Replace(strconv.FormatFloat(x, 'g', -1, 64), "Inf", "Infinity", 1)
				texts[k] = strings.TrimPrefix(texts[k], "+")
			}
			world.Stamps, world.Values = append(world.Stamps, stamp), append(world.Values, texts)
		}
		v.Worlds = append(v.Worlds, world)
	}
	return v
}
