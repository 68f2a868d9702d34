package live

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// No intent, whatever its bytes, ends the run, and each with a number is in the next frame once.
func FuzzIntent(f *testing.F) {
	for _, in := range []*wire.Intent{
		{Kind: &wire.Intent_Action{Action: &wire.Action{World: 1, Values: make([]float32, 12), Steps: 3}}},
		{Kind: &wire.Intent_Command{Command: &wire.SetCommand{Name: "velocity", Values: []float64{0.5, 0, 0}}}},
		{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{1, 2, 3}, Steps: 2}}},
		{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Velocity: []float64{1e6, 0, -1e6}}}},
		{Kind: &wire.Intent_Reset_{Reset_: &wire.Reset{World: proto.Uint32(1), Seed: proto.Uint64(1 << 63)}}},
		{Kind: &wire.Intent_Pause{Pause: &wire.Pause{}}},
		{Kind: &wire.Intent_Label{Label: &wire.Label{World: 1, Task: "stand", Success: proto.Bool(true)}}},
		{Kind: &wire.Intent_Speed{Speed: &wire.Speed{Factor: 3}}},
		{Kind: &wire.Intent_Step{Step: &wire.Steps{Count: 2}}},
		{Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: `[{"set_rate": {"name": "Capture", "rate": "25"}}]`}}},
		{Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: `[{"set_priority": {"name": "recorder", "priority": 50}}, ` +
			`{"toggle_binding": {"name": "controller", "enabled": false}}]`}}},
		{Kind: &wire.Intent_Reply{Reply: &wire.Reply{Id: "0/0/Planner/0", Json: `{}`}}},
		{Kind: &wire.Intent_Decide{Decide: &wire.Decide{Worlds: []uint32{1}}}},
	} {
		data := polytest.Must(proto.Marshal(in))(f)
		f.Add(data)
	}
	r := serve(f, planned(f, "10", "max_steps=5"), nil)
	r.cancel() // steps are taken here
	polytest.NoError(f, <-r.done)
	s := r.Server
	s.hub = newHub(s.hub.description, make([]byte, KeySize), 0)
	s.publish()
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &wire.Intent{}
		if proto.Unmarshal(data, in) != nil {
			return
		}
		mind := s.NewDecider()
		defer mind.Close()
		c := polytest.Must(s.Join(JoinOptions{Role: Operate}))(t)
		defer func() {
			c.Close()
			clear(s.hub.sessions)
		}()
		var d wire.Decoder
		next := func() *wire.Frame {
			for before := d.Frame(); d.Frame() == before; {
				update, err := c.Next(t.Context())
				if err == nil {
					err = d.Update(slices.Clone(update))
				}
				polytest.NoError(t, err)
			}
			return d.Frame()
		}
		next()
		number, refused := s.SubmitAs(Sender{c.Session(), c.Role(), mind}, in)
		polytest.NoError(t, s.applyIntents())
		s.stepRequests = nil
		polytest.NoError(t, s.stepOnce())
		seen := 0
		for _, a := range next().Applied {
			if a.Number == number {
				seen++
			}
		}
		if refused == nil && seen != 1 || refused != nil && refused.Error() == "" {
			t.Errorf("intent %d is in the frame %d times; it was refused: %v", number, seen, refused)
		}
	})
}

// Whoever joins with whatever name, session and frame gets a stream that a decoder takes.
func FuzzJoin(f *testing.F) {
	h := newHub(described(1), make([]byte, KeySize), 3)
	f.Cleanup(h.close)
	s := newSample(h.description)
	for range 100 {
		s.publish(h)
	}
	own := polytest.Must(h.join(JoinOptions{Name: "me", Role: Steer}))(f)
	f.Add("me", own.Session(), int64(90), byte(2))
	f.Add("", []byte{}, int64(-1), byte(0))
	f.Add("\xff", own.Session()[:17], int64(1<<62), byte(9))
	f.Fuzz(func(t *testing.T, name string, session []byte, after int64, role byte) {
		c, err := h.join(JoinOptions{Name: name, Role: min(Role(role), Operate), Session: session, After: after})
		if err != nil {
			return
		}
		defer func() {
			c.Close()
			clear(h.sessions)
		}()
		if c.Role() > min(Role(role), Operate) {
			t.Errorf("who may %v has a session that may %v", Role(role), c.Role())
		}
		s.publish(h)
		if string(session) == c.session.token && after > 0 { // it has the frames up to there
			return
		}
		var d wire.Decoder
		for d.Frame() == nil {
			data, err := c.Next(t.Context())
			if err == nil {
				err = d.Update(data)
			}
			polytest.NoError(t, err)
		}
	})
}
