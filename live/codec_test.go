package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

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

// newSample returns a sample for a description.
func newSample(d *wire.Description) *sample {
	s := &sample{worlds: make([]worldSample, d.Worlds), values: make([]float64, int(d.Worlds)*newLayout(d.Tracks).size)}
	for i := range s.worlds {
		s.worlds[i].ages = make([]int64, len(d.Tracks))
	}
	return s
}

// state is what a client must have after a frame.
type state struct {
	n, number int64
	paused    bool
	worlds    []string
}

// stateOf is the state in a sample, as a client is to have it.
func stateOf(d *wire.Description, s *sample, number int64) state {
	st := state{n: s.n, number: number, paused: s.paused}
	i := 0
	for _, w := range s.worlds {
		text := fmt.Sprint(w.episode, w.ns, w.terminated, w.truncated, w.reward)
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
			stamp := w.ns
			if track.Stamped {
				stamp = -1
				if w.ages[t] >= 0 {
					stamp = w.ns - w.ages[t]
				}
			}
			text += fmt.Sprint(" ", track.Name, stamp, values)
		}
		st.worlds = append(st.worlds, text)
	}
	return st
}

// stateIn is the state that a decoder has.
func stateIn(d *Decoder) state {
	f := d.Frame()
	st := state{n: f.GetN(), number: f.GetNumber(), paused: f.GetPaused()}
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
	return s.n == o.n && s.number == o.number && s.paused == o.paused && slices.Equal(s.worlds, o.worlds)
}

// anyValue draws a value as poses and channels have, and some that none should have.
func anyValue(t *rapid.T) float64 {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324}).Draw(t, "odd")
	case 1:
		return rapid.Float64().Draw(t, "any")
	}
	return rapid.Float64Range(-3, 3).Draw(t, "near")
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
			decoder *Decoder
			since   int64 // number before the first
		}
		var readers []*reader
		read := func(r *reader) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel() // take what is there
			for {
				data, err := r.client.Next(ctx)
				if errors.Is(err, context.Canceled) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := r.decoder.Update(slices.Clone(data)); err != nil {
					t.Fatal(err)
				}
				if f := r.decoder.Frame(); f != nil {
					if got, want := stateIn(r.decoder), states[f.Number-1]; !got.equal(want) {
						t.Fatalf("frame %d:\n got %+v\nwant %+v", f.Number, got, want)
					}
				}
			}
		}
		for range rapid.IntRange(1, 150).Draw(t, "actions") {
			switch action := rapid.IntRange(0, 11).Draw(t, "action"); {
			case action < 6: // frames
				for range rapid.SampledFrom([]int{1, 1, 1, 2, 70, 300}).Draw(t, "frames") {
					s.n++
					s.paused = s.n%5 == 0
					for i := range s.worlds {
						w := &s.worlds[i]
						w.episode, w.ns = s.n/7, w.ns+20_000_000
						w.terminated, w.reward = s.n%7 == 0, float32(s.n)/3
						for k := range w.ages {
							w.ages[k] = s.n%3*1000 - 1
						}
					}
					for k := range min(4, len(s.values)) {
						s.values[(int(s.n)*5+k*3)%len(s.values)] = anyValue(t)
					}
					h.publish(s, s.n%rapid.SampledFrom([]int64{5, 1000}).Draw(t, "beat") == 0)
					states = append(states, stateOf(d, s, h.head))
				}
			case action < 8 && len(readers) < 6:
				c, err := h.join(JoinOptions{Role: Watch})
				if err != nil {
					t.Fatal(err)
				}
				readers = append(readers, &reader{client: c, decoder: &Decoder{}, since: h.head})
			case action < 10 && len(readers) > 0:
				read(readers[rapid.IntRange(0, len(readers)-1).Draw(t, "reader")])
			case len(readers) > 0: // go on with a session, in a new connection
				r := readers[rapid.IntRange(0, len(readers)-1).Draw(t, "rejoins")]
				after := int64(0)
				if f := r.decoder.Frame(); f != nil {
					after = f.Number
				}
				c, err := h.join(JoinOptions{Role: Watch, Session: r.client.Session(), After: after})
				if err != nil {
					t.Fatal(err)
				}
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
			s.n++
			h.publish(s, s.n%10 == 0)
		}
	}
	publish(3)
	c, err := h.join(JoinOptions{})
	if err != nil {
		t.Fatal(err)
	}
	decoder, frames := &Decoder{}, uint64(0)
	read := func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for {
			data, err := c.Next(ctx)
			if errors.Is(err, context.Canceled) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			before := decoder.Frame()
			if err := decoder.Update(slices.Clone(data)); err != nil {
				t.Fatal(err)
			}
			if decoder.Frame() != before {
				frames++
			}
		}
	}
	read()
	if frames != 1 || decoder.Missed != 0 || decoder.Frame().Number != 3 {
		t.Errorf("%d frames and %d missed, newest %d; want the snapshot of frame 3 alone", frames, decoder.Missed, decoder.Frame().Number)
	}
	publish(500)
	read()
	if frames+decoder.Missed != 501 || decoder.Missed < 400 {
		t.Errorf("%d frames and %d missed, want 501 together", frames, decoder.Missed)
	}
	c.Close()
	publish(300)
	if c, err = h.join(JoinOptions{Session: c.Session(), After: decoder.Frame().Number}); err != nil {
		t.Fatal(err)
	}
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
	for range 2 * ringFrames {
		h.publish(s, true)
	}
	for range 5 {
		if _, err := h.join(JoinOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	k := 0
	if n := testing.AllocsPerRun(100, func() {
		k++
		s.n++
		s.values[k%len(s.values)] += 0.01
		h.publish(s, k%5 == 0)
	}); n != 0 {
		t.Errorf("a frame allocates %v times, want none", n)
	}
}

// Whatever a server or the network sends, a decoder returns an error and does not panic.
func FuzzDecoder(f *testing.F) {
	d := described(2)
	h := newHub(d, make([]byte, KeySize), 0)
	s := newSample(d)
	c, err := h.join(JoinOptions{})
	if err != nil {
		f.Fatal(err)
	}
	var all []byte
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 10 {
		s.n++
		s.values[int(s.n)%len(s.values)] = float64(s.n)
		h.publish(s, s.n == 4)
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
		d := &Decoder{}
		for len(data) >= 2 {
			n := min(int(data[0])|int(data[1])<<8, len(data)-2)
			if d.Update(data[2:2+n]) != nil {
				return
			}
			data = data[2+n:]
			if f := d.Frame(); f != nil {
				for w := range f.Worlds {
					for track := range d.layout.tracks {
						d.Values(nil, w, track)
					}
				}
			}
		}
	})
}

// What is encoded by hand is what the generated code would encode.
func TestEncodingIsThatOfTheSchema(t *testing.T) {
	d := described(1)
	e := newEncoder(newLayout(d.Tracks), 1)
	s := newSample(d)
	s.n, s.paused, s.speed = 5, true, 0.5
	s.worlds[0] = worldSample{episode: 3, ns: 1 << 40, terminated: true, truncated: true, reward: -2.5, ages: []int64{-1, 0, 7}}
	s.values[0], s.values[14], s.values[18] = 1, math.Pi, -3e-6
	s.applied = []applied{{9, "a-1", "push", "", "0/3/Planner/4"}, {10, "b-2", "edit", "no", ""}}
	s.decisions = []decisionEvent{{"0/3/Planner/4", "asked", "a-1", ""}}
	data := e.append(nil, s, 12, true)
	age := []uint64{0, 7}
	want := &wire.Update{Kind: &wire.Update_Frame{Frame: &wire.Frame{
		N: 5, Key: true, Paused: true, Speed: 0.5, Number: 12,
		Worlds: []*wire.World{{Episode: 3, Ns: 1 << 40, Terminated: true, Truncated: true, Reward: -2.5, Tracks: []*wire.Values{
			{Steps: []int64{2048}},
			{Bits: []uint64{exactNumber(int64(math.Float64bits(math.Pi)), 0)}, AgeNs: &age[0]},
			{Steps: []int64{0, -3}, AgeNs: &age[1]},
		}}},
		Applied:   []*wire.Applied{{Number: 9, Client: "a-1", Kind: "push", Decision: "0/3/Planner/4"}, {Number: 10, Client: "b-2", Kind: "edit", Error: "no"}},
		Decisions: []*wire.DecisionEvent{{Id: "0/3/Planner/4", Event: "asked", Client: "a-1"}},
	}}}
	var got wire.Update
	if err := proto.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(&got, want) {
		t.Errorf("got  %v\nwant %v", &got, want)
	}
}
