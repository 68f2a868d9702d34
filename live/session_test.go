package live

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// A session goes on in a later process of the run, with its name and role; the client is
// told how many frames it has missed. Nobody else can make a token.
func TestSessionsOutliveTheProcess(t *testing.T) {
	key := NewKey()
	begin := func(key []byte, first int64) *hub {
		h := newHub(described(1), key, first)
		t.Cleanup(h.close)
		newSample(h.description).publish(h)
		return h
	}
	first := begin(key, 0)
	c := polytest.Must(first.join(JoinOptions{Name: "me", Role: Steer}))(t)
	var d wire.Decoder
	until(t, c, &d, anything)
	token := d.Welcome.Session
	for range 9 {
		newSample(first.description).publish(first)
	}
	until(t, c, &d, func(f *wire.Frame) bool { return f.Number == 10 })
	first.close()

	second := begin(key, 20)
	second.life++
	newSample(second.description).publish(second)
	if s, err := second.useSession(token); err != nil || s.Name != "me-1" || s.Role != Steer { // without a join, for who decides
		t.Errorf("the session of a client that has not joined again is %v, %v", s, err)
	}
	second.sweep(time.Now().Add(2 * sessionExpiry))
	polytest.Equal(t, len(second.sessions), 0, "a session that nobody uses is never forgotten")
	c = polytest.Must(second.join(JoinOptions{Role: Operate, Session: token, After: 10}))(t)
	until(t, c, &d, anything)
	if welcome := d.Welcome; welcome.Client != "me-1" || welcome.Role != "steer" || d.Frame().Number != 22 ||
		d.Missed != 11 {
		t.Errorf("%s, %s goes on at frame %d and missed %d; want me-1, steer, 22 and 11", welcome.Client, welcome.Role,
			d.Frame().Number, d.Missed)
	}
	if _, err := second.useSession(token); err != nil {
		t.Error(err)
	}
	// The next session has another name.
	if c = polytest.Must(second.join(JoinOptions{Name: "me"}))(t); c.Name() != "me-2" {
		t.Errorf("the next client is %v", c.Name())
	}
	own := c.Session()
	for _, s := range second.sessions {
		if s.client != nil {
			s.client.end(ErrClosed)
		}
	}
	// Nobody uses them for a minute: they have ended, also the one of the process before.
	second.startTime = second.startTime.Add(-2 * sessionExpiry)
	second.sweep(time.Now().Add(2 * sessionExpiry))
	for _, ended := range [][]byte{own, token} {
		if s, err := second.useSession(ended); !errors.Is(err, errUnknownSession) {
			t.Errorf("a session that has ended is %v, %v", s, err)
		}
	}

	third := begin(make([]byte, KeySize), 0)
	promoted := bytes.Replace(token, []byte(`"Role":1`), []byte(`"Role":2`), 1)
	second.startTime = time.Now()
	for _, h := range []*hub{second, third} {
		if s, err := h.useSession(promoted); err == nil {
			t.Errorf("a token that the key has not made is that of %v", s)
		}
	}
	for what, join := range map[string]struct {
		h *hub
		o JoinOptions
	}{
		"another key":        {third, JoinOptions{Role: Operate, Session: token}},
		"another role":       {second, JoinOptions{Role: Operate, Session: promoted}},
		"a part of it":       {second, JoinOptions{Role: Operate, Session: token[:20]}},
		"who may only watch": {second, JoinOptions{Role: Watch, Session: token}},
	} {
		c, err := join.h.join(join.o)
		if err != nil || c.Name() == "me-1" || string(c.Session()) == string(join.o.Session) {
			t.Errorf("%s: goes on as %v, %v", what, c.Name(), err)
		}
	}
}

// A client that has every frame of a process goes on with the first one of the next, which knows
// nothing of the frames before.
func TestTheNextProcessBeginsWhole(t *testing.T) {
	key, d, c := make([]byte, KeySize), wire.Decoder{}, (*Client)(nil)
	for life, value := range []float64{5, 7} {
		h := newHub(described(1), key, int64(life))
		h.life = int64(life)
		s := newSample(h.description)
		s.values[0] = value
		s.publish(h)
		o := JoinOptions{Role: Watch}
		if c != nil {
			o.Session, o.After = c.Session(), d.Frame().Number
		}
		c = polytest.Must(h.join(o))(t)
		until(t, c, &d, anything)
		if got, _ := d.Values(nil, 0, 0); got[0] != value || d.Missed != 0 {
			t.Errorf("a client has %v and missed %d frames, want %v and none", got[0], d.Missed, value)
		}
		h.close()
	}
}

// The frames of a run that goes on are numbered on from the last one.
func TestFramesGoOnWithTheirNumbers(t *testing.T) {
	r := serve(t, quadruped(t), nil)
	c, d := r.join(t, Operate), &wire.Decoder{}
	until(t, c, d, anything)
	for k := range 5 {
		number := polytest.Must(r.Submit(c, intentOf(`{"pause": {"paused": %t}}`, k%2 == 0)))(t)
		until(t, c, d, mentions(number))
	}
	c.Close()
	r.cancel()
	polytest.NoError(t, <-r.done)
	state := r.state().Successor()
	again := polytest.Must(New(Config{Env: r.env, Time: r.config.Time, State: state}))(t)
	if again.hub.first != r.hub.head {
		t.Errorf("frames go on with number %d, want the one after %d", again.hub.first+1, r.hub.head)
	}
	c = polytest.Must(again.Join(JoinOptions{}))(t)
	defer again.hub.close()
	until(t, c, &wire.Decoder{}, anything)
	r.end(t)
}
